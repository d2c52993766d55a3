"""HLIR statements → statement views, for one generated function."""

from __future__ import annotations

from collections.abc import Callable

from transpiler.analysis.locations import Locator
from transpiler.codegen.compare import comparisons
from transpiler.codegen.ctypes import c_type, literal
from transpiler.codegen.expressions import C, Expressions, cast, infix, joined
from transpiler.codegen.externs import Externs
from transpiler.codegen.loops import LongLoops
from transpiler.codegen.outside import Outside
from transpiler.codegen.packing import bytes_of, pack_padded
from transpiler.codegen.scope import Scope
from transpiler.codegen.storage import Slot, Storage
from transpiler.codegen.tables import Tables, cite, key_bytes, packed_keys
from transpiler.codegen.views import (
    NOWHERE,
    ActionView,
    ApplyView,
    BlockView,
    CaseView,
    IfView,
    Line,
    ParameterView,
    SwitchView,
    View,
    Views,
    WhileView,
)
from transpiler.diagnostics import Span
from transpiler.hlir.expressions import Const, ElementRef, Expression, FieldRef, HeaderPlace, Place, Read, VariableRef
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
from transpiler.hlir.types import Bits, Bool, Varbit

Goer = Callable[[str], Views]  # where Leave(label) goes when the label is not one of this function's blocks


class Statements:
    """Renders statements that controls and actions may have; parsers and deparsers add their own."""

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
        self.locator = Locator(program)
        self.table = ""  # whose action is being rendered

    def body(self, body: Body) -> Views:
        return tuple(view for statement in body for view in self.statement(statement))

    def statement(self, statement: Statement) -> Views:
        where = at(statement.span)
        match statement:
            case Assign(target=target, value=value):
                if self._is_dead(target):
                    return ()
                return self.assign(target, self.render(value), where)
            case SetValid(header=header, valid=valid):
                slot = self.storage.valid(self.storage.access(header).owner)
                return self.set_element(slot, header, C(literal(int(valid), Bool())), where)
            case CopyHeader(target=target, source=source):
                return self._copy_header(target, source, where)
            case If(condition=condition, then=then, otherwise=otherwise):
                return (IfView(self.render.condition(condition), self.body(then), self.body(otherwise), where),)
            case Switch():
                return (self._switch(statement, where),)
            case While(condition=condition, body=body):
                begin = self.loops.begin_round(statement.span) if self.loops is not None else ()
                return (WhileView(self.render.condition(condition), (*begin, *self.body(body)), where),)
            case Block():
                return (self._block(statement, where),)
            case Leave(label=label):
                return self._leave(label)
            case ApplyTable():
                return (self.apply(statement, ""),)
            case CallExtern():
                return self.externs.call(self.render, statement, self.assign, self.table, where)
        raise TypeError(f"{type(statement).__name__} cannot stand here")

    def assign(self, target: Place, value: C, where: Outside = NOWHERE) -> Views:
        """target = value, a value of the target's C type."""
        match target:
            case VariableRef(name=name):
                slot = self.storage.variable(name)
                return () if self.scope.is_dead(slot) else _stored(self.scope.write(slot), value, where)
            case FieldRef(header=header, field=field):
                owner = self.storage.access(header).owner
                views = self.set_element(self.storage.field(owner, field), header, value, where)
                return (*views, *self._note_written(owner, field))

    def _note_written(self, owner: str, field: str) -> Views:
        slot = self.storage.written(owner, field)
        return () if slot is None or self.scope.is_dead(slot) else (Line(f"{self.scope.write(slot)} = true;"),)

    def set_element(self, slot: Slot, header: HeaderPlace, value: C, where: Outside = NOWHERE) -> Views:
        """Write a header's slot; out of range of a stack nothing is written."""
        if self.scope.is_dead(slot):
            return ()
        access = self.storage.access(header)
        name = self.scope.write(slot)
        match access.index:
            case None:
                return _stored(name, value, where)
            case int(index):
                return _stored(f"{name}[{index}]", value, where)
        index_text = self.render.amount(access.index)
        inside = infix(index_text, "<", C(str(access.size))).text
        return (IfView(inside, (Line(f"{name}[{index_text}] = {value};"),), (), where),)

    def _is_dead(self, target: Place) -> bool:
        if isinstance(target, VariableRef):
            return self.scope.is_dead(self.storage.variable(target.name))
        owner = self.storage.access(target.header).owner
        return self.scope.is_dead(self.storage.field(owner, target.field))

    def _copy_header(self, target: HeaderPlace, source: HeaderPlace, where: Outside) -> Views:
        """Validity, the place of the bytes, and those fields that are held outside the frame; of these what is read."""
        if not (pairs := self._copied(target, source)):
            return ()
        (target, first), (source, second) = self._fixed(target), self._fixed(source)
        views: list[View] = []
        for slot, held in pairs:
            value = self._varbit(source) if held is None else self.render.element(held, source)
            views += self.set_element(slot, target, value, NOWHERE if views else where)
        return (BlockView((*first, *second, *views), ""),) if first or second else tuple(views)

    def _fixed(self, header: HeaderPlace) -> tuple[HeaderPlace, Views]:
        """The place with a run-time index evaluated once: what is copied may be what the index is read from."""
        if not isinstance(header, ElementRef) or isinstance(header.index, Const):
            return header, ()
        name, type_ = self.scope.fresh("element"), header.index.type
        line = Line(f"const {c_type(type_)} {name} = {self.render(header.index)};")
        self.scope.action_data[f"${name}"] = name
        index = Read(VariableRef(f"${name}", header.span), type_, header.span)
        return ElementRef(header.stack, index, header.span), (line,)

    def _copied(self, target: HeaderPlace, source: HeaderPlace) -> list[tuple[Slot, Slot | None]]:
        """The slots that a copy writes and somebody reads, each with the one that it is copied from; none for a varbit."""
        to, origin = self.storage.access(target).owner, self.storage.access(source).owner
        pairs = [(self.storage.valid(to), self.storage.valid(origin)), (self.storage.at(to), self.storage.at(origin))]
        if self.storage.has_varbit(to):
            pairs.append((self.storage.varbit_bytes(to), self.storage.varbit_bytes(origin)))
        for field in self.program.header_type_of[to].fields:
            if not isinstance(field.type, Varbit) and self.storage.is_loaded(to, field.name):
                pairs.append((self.storage.field(to, field.name), self.storage.field(origin, field.name)))
        copied: list[tuple[Slot, Slot | None]] = [*dict.fromkeys(pairs)]
        varbit = self.storage.assigned_varbit(to)
        if varbit is not None and self.storage.is_loaded(to, varbit):
            copied.append((self.storage.field(to, varbit), None))
        return [(slot, held) for slot, held in copied if not self.scope.is_dead(slot)]

    def _varbit(self, header: HeaderPlace) -> C:
        """The varbit of a header."""
        layout = self.program.header_type_of[self.storage.access(header).owner]
        field = next(f for f in layout.fields if isinstance(f.type, Varbit))
        return self.render(Read(FieldRef(header, field.name, header.span), field.type, header.span))

    def _switch(self, statement: Switch, where: Outside) -> SwitchView:
        cases = tuple(
            CaseView(tuple(literal(v, statement.subject.type) for v in case.values), self.body(case.body))
            for case in statement.cases
        )
        return SwitchView(self.switched(statement.subject), cases, self.body(statement.default), where)

    def switched(self, subject: Expression) -> str:
        """What a switch looks at, as wide as its labels may be: what is computed of small literals is an int."""
        value = self.render(subject)
        small = not isinstance(subject.type, Bits) or subject.type.width < 32
        return (value if small or isinstance(subject, Read) else cast(c_type(subject.type), value)).text

    def _block(self, statement: Block, where: Outside) -> BlockView:
        label = self.scope.fresh(f"after_{self.tables.names(statement.label)}")
        outer = self.scope.labels.get(statement.label)
        self.scope.labels[statement.label] = label
        body = self.body(statement.body)
        if outer is None:
            del self.scope.labels[statement.label]
        else:
            self.scope.labels[statement.label] = outer
        return BlockView(body, label if label in self.scope.used_labels else "", where)

    def _leave(self, label: str) -> Views:
        if (name := self.scope.labels.get(label)) is not None:
            self.scope.used_labels.add(name)
            return (Line(f"goto {name};"),)
        return self.leave(label)

    # --- tables -------------------------------------------------------------------------------------------------------

    def key_word(self, table: Table) -> str:
        """The table's key as one number, where its entries are words; else empty."""
        words = self.tables.words(table.name)
        if words is None:
            return ""
        return joined("uint64_t", self.render, zip((key.expression for key in table.keys), words.key_at, strict=True))

    def key_number(self, table: Table) -> str:
        """The table's key as one number, for lookups of many: its word, or its packed bytes, of which there are four at
        most, the first the most significant."""
        if self.tables.words(table.name) is not None:
            return self.key_word(table)
        end = key_bytes(table.keys)
        fields = ((p.key.expression, 8 * (end - p.offset - bytes_of(p.bits))) for p in packed_keys(table.keys))
        return joined("uint32_t", self.render, fields)

    def keys(self, table: Table, buffer: str) -> Views:
        """Pack the table's key into a byte array; nothing where its entries are words."""
        if self.tables.words(table.name) is not None:
            return ()
        lines, _ = pack_padded(self.render, buffer, tuple(p.key.expression for p in packed_keys(table.keys)))
        return lines

    def apply(self, statement: ApplyTable, look: str, bulk: bool = False) -> ApplyView:
        """Look the table up here, or finish the lookup `look` that the stage has started; run the action."""
        table = self.program.table[statement.table]
        declared, on_hit = self.externs.on_hit(table, at(statement.span))
        ref = self.tables.ref(table.name)
        return ApplyView(
            table=ref,
            look=look,
            bulk=bulk,
            keys=() if look or ref.compared else self.keys(table, "key"),
            key_word="" if look else self.key_word(table),
            comparisons=self._comparisons(table) if ref.compared else (),
            hit=self._result(statement.hit),
            action=self._result(statement.action),
            declares=declared,
            on_hit=on_hit,
            profile=self.externs.state(table.implementation) if table.implementation is not None else "",
            selection=self.externs.selection(self.render, table, f"{look}.selection" if look else ""),
            actions=tuple(self._action(table.name, name) for name in self.tables.actions(table.name)),
            cite=at(statement.span),
        )

    def _comparisons(self, table: Table) -> Views:
        return comparisons(self.program, table, self.render, f"{self.tables.names(table.name)}_values")

    def _result(self, variable: VariableRef | None) -> str:
        if variable is None:
            return ""
        slot = self.storage.variable(variable.name)
        return "" if self.scope.is_dead(slot) else self.scope.write(slot)

    def _action(self, table: str, name: str) -> ActionView:
        action = self.program.action[name]
        outer_data, outer_table = dict(self.scope.action_data), self.table
        self.table = table
        assigned = {location.owner for location in self.locator.written_in(action.body)}
        member = self.tables.member(table, name)
        words = self.tables.words(table) is not None
        prologue: list[Line] = []
        for parameter, view in zip(action.parameters, self.tables.parameters(table, name), strict=True):
            source = _from_word(view) if words else f"entry->{member}.{view.member}"
            if parameter in assigned:
                prologue.append(Line(f"{self.scope.write(self.storage.variable(parameter))} = {source};"))
            else:
                self.scope.action_data[parameter] = source
        body = (*prologue, *self.body(action.body))
        self.scope.action_data, self.table = outer_data, outer_table
        return ActionView(Outside(name), self.tables.constant(table, name), body, at(action.span))


def _stored(target: str, value: C, where: Outside) -> Views:
    """`target` = `value`. What is assigned to itself is only read: compilers warn of such assignments."""
    return (Line(f"(void){target};" if str(value) == target else f"{target} = {value};", where),)


def _from_word(parameter: ParameterView) -> str:
    """An action parameter in an entry that is a word."""
    ones = f"{(1 << parameter.bits) - 1:#x}"
    return f"({parameter.c_type})({'word' if not parameter.word_at else f'word >> {parameter.word_at}'} & {ones})"


def at(span: Span) -> Outside:
    return cite(span.file, span.line)
