"""HLIR statements → C, for one generated function."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager

from transpiler.analysis.locations import Location
from transpiler.codegen.apply import MISSED, Application
from transpiler.codegen.c.build import TRUE, cast, infix, operand
from transpiler.codegen.c.nodes import (
    Assign as CAssign,
    Block as CBlock,
    Body as CBody,
    Case,
    Declare,
    Expression as C,
    Goto,
    If as CIf,
    Index,
    Literal,
    Member,
    Name,
    Statement as CStatement,
    Switch as CSwitch,
    While as CWhile,
)
from transpiler.codegen.compare import comparisons
from transpiler.codegen.ctypes import bytes_of, c_type, literal
from transpiler.codegen.expressions import Expressions, joined
from transpiler.codegen.extern_calls import lowered
from transpiler.codegen.externs import Externs
from transpiler.codegen.follow import choice_of
from transpiler.codegen.in_frame import copied_to, tested
from transpiler.codegen.loops import LongLoops
from transpiler.codegen.pack_words import pack_key_words
from transpiler.codegen.packing import KEY, pack_key
from transpiler.codegen.pipeline_views import TableRef
from transpiler.codegen.places import at
from transpiler.codegen.scope import Scope
from transpiler.codegen.storage import Slot, Storage
from transpiler.codegen.tables import Tables, key_bytes, key_values, packed_keys
from transpiler.codegen.views import ParameterView
from transpiler.hlir.expressions import (
    Const,
    ElementRef,
    Expression,
    FieldRef,
    HeaderPlace,
    HeaderRef,
    Place,
    Read,
    VariableRef,
)
from transpiler.hlir.program import Program, Table
from transpiler.hlir.statements import (
    ApplyTable,
    Assign,
    Block,
    Body,
    CallExtern,
    CopyHeader,
    If,
    Leave,
    SetValid,
    Statement,
    Switch,
    While,
)
from transpiler.hlir.traverse import walk
from transpiler.hlir.types import Bits, Bool, Varbit

Goer = Callable[[str], CBody]  # where Leave(label) goes when the label is not one of this function's blocks


class Statements:
    """Lowers statements that controls and actions may have; parsers and deparsers add their own."""

    def __init__(
        self,
        program: Program,
        storage: Storage,
        tables: Tables,
        externs: Externs,
        scope: Scope,
        leave: Goer,
        loops: LongLoops | None = None,
    ) -> None:
        self.program = program
        self.storage = storage
        self.tables = tables
        self.externs = externs
        self.scope = scope
        self.leave = leave
        self.loops = loops
        self.render = Expressions(storage, scope)
        self.table = ""  # whose action is being rendered
        self.started: Mapping[str, Callable[[ApplyTable], CBlock]] = {}  # of tables that are looked up already

    def body(self, body: Body) -> CBody:
        return tuple(made for statement in body for made in self.statement(statement))

    def statement(self, statement: Statement) -> CBody:
        where = at(statement.span)
        match statement:
            case Assign(target=target, value=value):
                return self.assign(target, self.render(value), where)
            case SetValid(header=header, valid=valid):
                slot = self.storage.valid(self.storage.access(header).owner)
                return self.set_element(slot, header, literal(int(valid), Bool()), where)
            case CopyHeader(target=target, source=source):
                return self._copy_header(target, source, where)
            case If(condition=condition, then=then, otherwise=otherwise):
                with self.where(condition, walk(then)):
                    inside = self.body(then)
                return (CIf(self.render(condition), inside, self.body(otherwise), where),)
            case Switch():
                return (self._switch(statement, where),)
            case While(condition=condition, body=body):
                begin = self.loops.begin_round(statement.span) if self.loops is not None else ()
                return (CWhile(self.render(condition), (*begin, *self.body(body)), where),)
            case Block():
                return (self._block(statement, where),)
            case Leave(label=label):
                return self._leave(label)
            case ApplyTable():
                return (self.started.get(statement.table, self.apply)(statement),)
            case CallExtern():
                return lowered(self.externs, self.tables, self.render, statement, self.assign, self.table, where)
        raise TypeError(f"{type(statement).__name__} cannot stand here")

    @contextmanager
    def where(self, condition: Expression, inside: Iterable[Statement]) -> Iterator[None]:
        """What is lowered within stands where the condition holds: of the headers that it tests those lie in the frame that only
        can be valid there, unless what is inside copies others to them."""
        before = self.scope.sure
        if headers := (tested(condition) & self.storage.in_frame_where_valid) - before:
            self.scope.sure = before | (headers - copied_to(self.program, inside))
        yield
        self.scope.sure = before

    def assign(self, target: Place, value: C, where: str = "") -> CBody:
        """target = value, a value of the target's C type."""
        match target:
            case VariableRef(name=name):
                return (CAssign(self.scope.read(self.storage.variable(name)), value, where),)
            case FieldRef(header=header, field=field):
                owner = self.storage.access(header).owner
                made = self.set_element(self.storage.field(owner, field), header, value, where)
                return (*made, *self._note_written(owner, field))

    def _note_written(self, owner: str, field: str) -> CBody:
        slot = self.storage.written(owner, field, self.scope.sunk)
        return () if slot is None else (CAssign(self.scope.read(slot), TRUE),)

    def set_element(self, slot: Slot, header: HeaderPlace, value: C, where: str = "") -> CBody:
        """Write a header's slot; out of range of a stack nothing is written."""
        access = self.storage.access(header)
        name = self.scope.read(slot)
        match access.index:
            case None:
                return (CAssign(name, value, where),)
            case int(index):
                return (CAssign(Index(name, operand(index)), value, where),)
        number = self.render.amount(access.index)
        return (CIf(infix(number, "<", access.size), (CAssign(Index(name, number), value),), (), where),)

    def _copy_header(self, target: HeaderPlace, source: HeaderPlace, where: str) -> CBody:
        """Validity, the place of the bytes, and those fields that are held outside the frame."""
        pairs = self._copied(target, source)
        (target, first), (source, second) = self._fixed(target), self._fixed(source)
        made: list[CStatement] = []
        for slot, held in pairs:
            value = self._varbit(source) if held is None else self.held(held, source)
            made += self.set_element(slot, target, value, "" if made else where)
        return (CBlock((*first, *second, *made)),) if first or second else tuple(made)

    def held(self, slot: Slot, header: HeaderPlace) -> C:
        """What a slot of a header has, or the frame in its place."""
        if isinstance(header, HeaderRef) and Location(header.name, slot.field) in self.scope.received:
            type_ = self.storage.type_of(Location(header.name, slot.field))
            return self.render(Read(FieldRef(header, slot.field, header.span), type_, header.span))
        return self.render.element(slot, header)

    def _fixed(self, header: HeaderPlace) -> tuple[HeaderPlace, CBody]:
        """The place with a run-time index evaluated once: what is copied may be what the index is read from."""
        if not isinstance(header, ElementRef) or isinstance(header.index, Const):
            return header, ()
        name, type_ = self.scope.fresh("element"), header.index.type
        once = Declare(c_type(type_), name, self.render(header.index), constant=True)
        self.scope.action_data[f"${name}"] = Name(name)
        index = Read(VariableRef(f"${name}", header.span), type_, header.span)
        return ElementRef(header.stack, index, header.span), (once,)

    def _copied(self, target: HeaderPlace, source: HeaderPlace) -> list[tuple[Slot, Slot | None]]:
        """The slots that a copy writes, each with the one that it is copied from; none for a varbit."""
        to, origin = self.storage.access(target).owner, self.storage.access(source).owner
        pairs = [(self.storage.valid(to), self.storage.valid(origin)), (self.storage.at(to), self.storage.at(origin))]
        if self.storage.has_varbit(to):
            pairs.append((self.storage.varbit_bytes(to), self.storage.varbit_bytes(origin)))
        for field in self.program.header_type_of[to].fields:
            if Location(to, field.name) in self.scope.received:
                continue
            if not isinstance(field.type, Varbit) and self.storage.is_loaded(to, field.name):
                pairs.append((self.storage.field(to, field.name), self.storage.field(origin, field.name)))
        copied: list[tuple[Slot, Slot | None]] = [*dict.fromkeys(pairs)]
        varbit = self.storage.assigned_varbit(to)
        if varbit is not None and self.storage.is_loaded(to, varbit):
            copied.append((self.storage.field(to, varbit), None))
        return copied

    def _varbit(self, header: HeaderPlace) -> C:
        """The varbit of a header."""
        layout = self.program.header_type_of[self.storage.access(header).owner]
        field = next(f for f in layout.fields if isinstance(f.type, Varbit))
        return self.render(Read(FieldRef(header, field.name, header.span), field.type, header.span))

    def _switch(self, statement: Switch, where: str) -> CSwitch:
        bodies = [(case.values, self.body(case.body)) for case in statement.cases]
        cases = [Case(tuple(literal(v, statement.subject.type) for v in values), body) for values, body in bodies]
        default = Case((), self.body(statement.default), default=True)
        return CSwitch(self.switched(statement.subject), (*cases, default), where)

    def switched(self, subject: Expression) -> C:
        """What a switch looks at, as wide as its labels may be: what is computed of small literals is an int."""
        value = self.render(subject)
        small = not isinstance(subject.type, Bits) or subject.type.width < 32
        return value if small or isinstance(subject, Read) else cast(c_type(subject.type), value)

    def _block(self, statement: Block, where: str) -> CBlock:
        label = self.scope.fresh(f"after_{self.tables.names(statement.label)}")
        self.scope.labels[statement.label] = label
        body = self.body(statement.body)
        del self.scope.labels[statement.label]
        return CBlock(body, label if label in self.scope.used_labels else "", where)

    def _leave(self, label: str) -> CBody:
        if (name := self.scope.labels.get(label)) is not None:
            self.scope.used_labels.add(name)
            return (Goto(name),)
        return self.leave(label)

    # --- tables -------------------------------------------------------------------------------------------------------

    def key_word(self, table: Table) -> C | None:
        """The table's key as one number, where its entries are words."""
        words = self.tables.words(table.name)
        if words is None:
            return None
        return joined("uint64_t", self.render, zip((key.expression for key in table.keys), words.key_at, strict=True))

    def key_number(self, table: Table) -> C:
        """The table's key as one number, for lookups of many: its word, or its packed bytes, of which there are four at
        most, the first the most significant."""
        if (word := self.key_word(table)) is not None:
            return word
        end = key_bytes(table.keys)
        fields = ((p.key.expression, 8 * (end - p.offset - bytes_of(p.bits))) for p in packed_keys(table.keys))
        return joined("uint32_t", self.render, fields)

    def keys(self, table: Table, buffer: C) -> CBody:
        """Pack the table's key into a byte array; nothing where its entries are words."""
        return () if self.tables.words(table.name) is not None else self._packed(table, buffer)

    def _packed(self, table: Table, buffer: C) -> CBody:
        return pack_key(self.render, buffer, key_values(table.keys))

    def _own_keys(self, table: Table, ref: TableRef) -> CBody:
        """Pack the key of a lookup that is made here."""
        in_words = ref.key_in_words and not ref.words
        return pack_key_words(self.render, KEY, key_values(table.keys)) if in_words else self.keys(table, KEY)

    def apply(
        self, statement: ApplyTable, lookup: C | None = None, bulk: bool = False, followed: bool = False
    ) -> CBlock:
        """Look the table up here, or finish the lookup `lookup` that the stage has started; run the action. `followed`: what was
        found is known, and what that leads to."""
        table = self.program.table[statement.table]
        declared, on_hit = self.externs.on_hit(table, at(statement.span))
        ref = self.tables.ref(table.name)
        gathered = Member(lookup, "selection") if lookup is not None and not bulk else None
        profiled = table.implementation is not None
        return Application(
            table=ref,
            lookup=lookup,
            bulk=bulk,
            keys=() if lookup is not None or ref.compared else self._own_keys(table, ref),
            key_word=None if lookup is not None else self.key_word(table),
            comparisons=self._comparisons(table) if ref.compared else (),
            hit=self._result(statement.hit),
            action=self._result(statement.action),
            declares=declared,
            on_hit=on_hit,
            profile=self.externs.profile(table),
            selection=() if followed else self.externs.selection(self.render, table, gathered),
            actions=tuple(self._action(table.name, name) for name in self.tables.actions(table.name)),
            missed=self._packed(table, MISSED) if ref.learns else (),
            cite=at(statement.span),
            followed=followed,
            hottest=self.tables.hottest(table.name),
            chosen=choice_of(lookup, bulk) if followed and profiled and lookup is not None else None,
        ).lowered()

    def _comparisons(self, table: Table) -> CBody:
        return comparisons(self.program, table, self.render, f"{self.tables.names(table.name)}_values")

    def _result(self, variable: VariableRef | None) -> C | None:
        return None if variable is None else self.scope.read(self.storage.variable(variable.name))

    def _action(self, table: str, name: str) -> Case:
        action = self.program.action[name]
        outer_data, outer_table = dict(self.scope.action_data), self.table
        self.table = table
        assigned = {location.owner for location in self.tables.locator.written_in(action.body)}
        member = self.tables.member(table, name)
        words = self.tables.words(table) is not None
        prologue: list[CStatement] = []
        for parameter, view in zip(action.parameters, self.tables.parameters(table, name), strict=True):
            data = Member(Member(Name("entry"), member, arrow=True), view.member)
            source = _from_word(view) if words else data
            if parameter in assigned:
                prologue.append(CAssign(self.scope.read(self.storage.variable(parameter)), source))
            else:
                self.scope.action_data[parameter] = source
        body = (*prologue, *self.body(action.body))
        self.scope.action_data, self.table = outer_data, outer_table
        cite = f"{at(action.span)}: {name}"
        return Case((Name(self.tables.constant(table, name)),), body, cite=cite)


def _from_word(parameter: ParameterView) -> C:
    """An action parameter in an entry that is a word."""
    ones = Literal(f"{(1 << parameter.bits) - 1:#x}")
    word = infix("word", ">>", parameter.word_at) if parameter.word_at else Name("word")
    return cast(parameter.c_type, infix(word, "&", ones))
