"""The parser → C: states are labels, transitions are gotos, `at` is the cursor in bytes.

A parser error ends parsing; as in BMv2 the packet goes on with the headers found so far.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from transpiler.analysis.locations import Location
from transpiler.analysis.progress import STALL_LIMIT, stalling_states
from transpiler.codegen.c.build import TRUE, address, all_of, call, cast, infix, negated, operand, packet, plus
from transpiler.codegen.c.nodes import (
    Assign,
    Block,
    Body,
    Case,
    Declare,
    Do,
    Expression as C,
    Goto,
    If,
    Index,
    Label,
    Literal,
    Member,
    Name,
    Statement as CStatement,
    Switch,
    Unary,
)
from transpiler.codegen.ctypes import bytes_of, c_type, is_wide, literal
from transpiler.codegen.frame_fields import as_type, loaded
from transpiler.codegen.packing import store_padded
from transpiler.codegen.places import at
from transpiler.codegen.statements import Statements
from transpiler.codegen.tables import members_key, packed_keys
from transpiler.hlir.expressions import (
    AnySet,
    Const,
    ExactSet,
    Expression,
    HeaderPlace,
    HeaderRef,
    KeySet,
    MaskSet,
    RangeSet,
    ValueSetRef,
)
from transpiler.hlir.program import ACCEPT, REJECT, Goto as HlirGoto, Parser, ParserState, Select, SelectCase
from transpiler.hlir.statements import Advance, Extract, Lookahead, Statement, Verify
from transpiler.hlir.types import Bits, Bool, HeaderType, Type, Varbit, width_of

DONE = "parsed"
WORD_BITS = 32  # what fields side by side are loaded by
CURSOR, ERROR, BITS = Name("at"), Name("error"), Name("bits")


class ParserStatements(Statements):
    """Statements of parser states; the others are those of controls."""

    def statement(self, statement: Statement) -> Body:
        where = at(statement.span)
        match statement:
            case Extract():
                return (Block(self._extract(statement), cite=where),)
            case Lookahead(target=target, type=type_):
                value = loaded(type_, CURSOR, 0, bytes_of(type_.width))
                ahead = Assign(self.scope.read(self.storage.variable(target.name)), value)
                return (self._need(operand(bytes_of(type_.width)), where), ahead)
            case Advance(bits=bits):
                return (Block(self._advance(bits), cite=where),)
            case Verify(condition=condition, error=error):
                return (If(negated(self.render(condition)), self._fail(self.render(error)), (), where),)
        return super().statement(statement)

    def parse(self, parser: Parser, error: str) -> Body:
        """The whole parser as a block. `error`: the intrinsic value that tells of an error."""
        stalling = stalling_states(self.program, parser)
        variable = self.program.intrinsic.get(error)
        self._tells = variable is not None
        made: list[CStatement] = [Declare("uint32_t", "at", Literal("0"))]
        if self._tells:
            made.append(Declare("uint32_t", "error", Name("error_NoError")))
        if stalling:
            made += (Declare("uint32_t", name, Literal("0")) for name in ("stalled_at", "visits"))
        for state in parser.states:
            made.append(Label(self._label(state.name), at(state.span)))
            if state.name in stalling:
                made += self._count_visit()
            made += self._state(state)
        made.append(Label(DONE))
        made.append(Assign(packet("payload_offset"), CURSOR))
        if variable is not None:
            made.append(Assign(self.scope.read(self.storage.variable(variable)), ERROR))
        return (Block(tuple(made), cite=f"{at(parser.span)}: parser"),)

    def _state(self, state: ParserState) -> Body:
        """A state's statements and its transition. What it has extracted is surely in the frame from there on."""
        before, made = self.scope.sure, list[CStatement]()
        for statement in state.body:
            made += self.statement(statement)
            match statement:
                case Extract(header=HeaderRef(name=name)):
                    self.scope.sure |= {name}
        made += self._transition(state)
        self.scope.sure = before
        return tuple(made)

    def _count_visit(self) -> Body:
        """A state that is come to too often without going on in the frame is an error."""
        stalled_at, visits = Name("stalled_at"), Name("visits")
        moved = (Assign(stalled_at, CURSOR), Assign(visits, Literal("0")))
        often = infix(Unary("++", visits), ">", STALL_LIMIT)
        return (If(infix(stalled_at, "!=", CURSOR), moved), If(often, self._fail(Name("error_ParserTimeout"))))

    def _fail(self, error: C) -> Body:
        """End with an error."""
        told = (Assign(ERROR, error),) if self._tells else ()
        return (*told, Goto(DONE))

    def _label(self, state: str) -> str:
        return self.tables.names(f"parse.{state}")

    def _goto(self, state: str) -> Body:
        return (Goto(DONE if state in (ACCEPT, REJECT) else self._label(state)),)

    # --- transitions --------------------------------------------------------------------------------------------------

    def _transition(self, state: ParserState) -> Body:
        match state.transition:
            case HlirGoto(state=target):
                return self._goto(target)
            case Select(subjects=(subject,), cases=cases) if not is_wide(subject.type) and _all_constants(cases):
                return (self._switch_over(subject, cases, at(state.transition.span)),)
            case Select(subjects=subjects, cases=cases):
                return self._chain(subjects, cases)

    def _switch_over(self, subject: Expression, cases: tuple[SelectCase, ...], where: str) -> Switch:
        made: list[Case] = []
        seen: set[int] = set()
        default: Body = self._fail(Name("error_NoMatch"))
        for case in cases:
            key = case.keys[0]
            if isinstance(key, AnySet):
                default = self._goto(case.state)
                break
            assert isinstance(key, ExactSet) and isinstance(key.value, Const)
            if key.value.value not in seen:
                seen.add(key.value.value)
                made.append(Case((literal(key.value.value, key.value.type),), self._goto(case.state)))
        return Switch(self.switched(subject), (*made, Case((), default, default=True)), where)

    def _chain(self, subjects: tuple[Expression, ...], cases: tuple[SelectCase, ...]) -> Body:
        """Compare case by case, up to one that always holds; subjects that are computed are so once."""
        always = next((n for n, case in enumerate(cases) if all(isinstance(k, AnySet) for k in case.keys)), len(cases))
        compared = self._compared(cases[:always])
        made: list[CStatement] = []
        names: list[C] = [CURSOR for _ in subjects]
        for position in sorted(compared):
            names[position], declared = self._subject(subjects[position])
            made += declared
        for case in cases[:always]:
            before, conditions = self._tests(names, subjects, case)
            made += before
            made.append(If(all_of("&&", conditions), self._goto(case.state), (), at(case.span)))
        made += self._goto(cases[always].state) if always < len(cases) else self._fail(Name("error_NoMatch"))
        return (Block(tuple(made)),)

    def _compared(self, cases: tuple[SelectCase, ...]) -> set[int]:
        """The positions of the subjects that these cases look at."""
        found: set[int] = set()
        for case in cases:
            position = 0
            for key in case.keys:
                count = len(self.program.value_set[key.name].types) if isinstance(key, ValueSetRef) else 1
                found.update(() if isinstance(key, AnySet) else range(position, position + count))
                position += count
        return found

    def _subject(self, subject: Expression) -> tuple[C, Body]:
        """How tests name a subject, and the line that makes it so: a variable has a name."""
        value = self.render(subject)
        if isinstance(value, Name):
            return value, ()
        name = self.scope.fresh("subject")
        return Name(name), (Declare(c_type(subject.type), name, value, constant=True),)

    def _tests(self, names: list[C], subjects: tuple[Expression, ...], case: SelectCase) -> tuple[Body, list[C]]:
        """What a case needs before its test, and its conditions."""
        before: list[CStatement] = []
        conditions: list[C] = []
        position = 0
        for key in case.keys:
            if isinstance(key, ValueSetRef):
                count = len(self.program.value_set[key.name].types)
                covered = slice(position, position + count)
                looked_up, found = self._member(key.name, names[covered], subjects[covered])
                before += looked_up
                conditions.append(found)
                position += count
            else:
                conditions += self._test(names[position], subjects[position], key)
                position += 1
        return tuple(before), conditions

    def _member(self, value_set: str, names: list[C], subjects: tuple[Expression, ...]) -> tuple[Body, C]:
        """Look subjects up in a parser value set: the statements, and the condition that they are a member."""
        ref = self.tables.value_set(value_set).ref
        key, cursor = Name(self.scope.fresh("member")), Name(self.scope.fresh("cursor"))
        kernel = Member(Index(Name("tables"), Name(f"TABLE_{ref.name}")), "state")
        arguments = (kernel, key, ref.key_bytes, address(cursor))
        made: list[CStatement] = [
            Declare("uint8_t", key.name, size=ref.key_bytes),
            Declare(f"struct macs_{ref.kernel}_cursor", cursor.name),
        ]
        for packed in packed_keys(members_key(self.program.value_set[value_set])):
            made += store_padded(key, packed.offset, subjects[packed.index].type, names[packed.index])
        made.append(Do(call(f"macs_{ref.kernel}_start", *arguments)))
        return tuple(made), infix(call(f"macs_{ref.kernel}_finish", *arguments), "!=", "NULL")

    def _test(self, value: C, subject: Expression, key: KeySet) -> list[C]:
        """The conditions of a key set; none when it always holds."""
        type_ = subject.type
        match key:
            case AnySet():
                return []
            case ExactSet(value=wanted):
                return [self._equal(value, self.render(wanted), type_)]
            case MaskSet(value=wanted, mask=mask):
                if is_wide(type_):
                    both = [call(f"{c_type(type_)}_and", v, self.render(mask)) for v in (value, self.render(wanted))]
                    return [self._equal(both[0], both[1], type_)]
                masked = infix(value, "&", self.render(mask))
                bits: C = infix(self.render(wanted), "&", self.render(mask))
                if isinstance(wanted, Const) and isinstance(mask, Const):
                    bits = literal(wanted.value & mask.value, type_)
                return [self._equal(masked, bits, type_)]
            case RangeSet(low=low, high=high):
                return self._between(value, low, high)
        raise TypeError(f"no C for {key}")

    def _between(self, value: C, low: Expression, high: Expression) -> list[C]:
        type_ = low.type
        signed = isinstance(type_, Bits) and type_.signed
        if is_wide(type_):
            compare = f"{c_type(type_)}_compare{'_signed' if signed else ''}"
            width = (width_of(type_),) if signed else ()
            ends = [call(compare, value, self.render(end), *width) for end in (low, high)]
            return [infix(ends[0], ">=", 0), infix(ends[1], "<=", 0)]
        if signed:
            number, *ends = (
                call("macs_signed", v, width_of(type_)) for v in (value, self.render(low), self.render(high))
            )
            return [infix(number, ">=", ends[0]), infix(number, "<=", ends[1])]
        return [call("macs_between", value, self.render(low), self.render(high))]

    @staticmethod
    def _equal(left: C, right: C, type_: Type) -> C:
        if is_wide(type_):
            return infix(call(f"{c_type(type_)}_compare", left, right), "==", 0)
        return infix(left, "==", right)

    # --- extraction ---------------------------------------------------------------------------------------------------

    def _need(self, size: C, where: str = "") -> If:
        left = infix(packet("length"), "-", CURSOR)
        return If(infix(left, "<", size), self._fail(Name("error_PacketTooShort")), (), where)

    def _extract(self, statement: Extract) -> Body:
        owner = self.storage.access(statement.header).owner
        layout = self.program.header_type_of[owner]
        fixed = layout.fixed_bits // 8
        made: list[CStatement]
        if statement.varbit_bits is None:
            size: C = operand(fixed)
            made, step = [self._need(size)] if fixed else [], size
        else:
            maximum = next(f.type.max_width for f in layout.fields if isinstance(f.type, Varbit))
            size = infix(fixed, "+", infix(BITS, "/", 8))
            made = [
                Declare("uint64_t", "bits", self.render.amount(statement.varbit_bits), constant=True),
                If(infix(BITS, "%", 8), self._fail(Name("error_ParserInvalidArgument"))),
                self._need(size),
                If(infix(BITS, ">", maximum), self._fail(Name("error_HeaderTooShort"))),
            ]
            step = cast("uint32_t", size)
        made += self._fill(statement.header, layout)
        return (*made, Assign(CURSOR, step, operator="+="))

    def _fill(self, header: HeaderPlace, layout: HeaderType) -> Iterable[CStatement]:
        """Make the header valid, note where it lies, load the fields that the program looks at."""
        owner = self.storage.access(header).owner
        shared = self._shared_words(owner, layout)
        yield from self.set_element(self.storage.valid(owner), header, TRUE)
        yield from self.set_element(self.storage.at(owner), header, cast("uint16_t", CURSOR))
        offset, behind = 0, False
        varbit_bytes = infix(BITS, "/", 8)
        for field in layout.fields:
            if isinstance(field.type, Varbit):
                received = cast("uint16_t", varbit_bytes)
                yield from self.set_element(self.storage.varbit_bytes(owner), header, received)
                if self.storage.assigned_varbit(owner) is not None:
                    place = infix(CURSOR, "+", offset // 8)
                    value: C = call("macs_varbit_of", place, cast("uint32_t", varbit_bytes))
                    yield from self.set_element(self.storage.field(owner, field.name), header, value)
                behind = True
                continue
            if self.storage.is_loaded(owner, field.name) and Location(owner, field.name) not in self.scope.received:
                slot = self.storage.field(owner, field.name)
                assert isinstance(field.type, Bits)
                if offset // WORD_BITS in shared and field.type.width < WORD_BITS:
                    value = self._load_shared(field.type, offset)
                else:
                    start = infix(CURSOR, "+", varbit_bytes) if behind else CURSOR
                    value = loaded(field.type, start, offset, layout.fixed_bits // 8)
                yield from self.set_element(slot, header, value)
            offset += field.type.width

    def _shared_words(self, owner: str, layout: HeaderType) -> frozenset[int]:
        """The words of 32 bits, by number, that narrower fields fill all of which are read: one load has them all. None behind
        a varbit."""
        offset, read = 0, Counter[int]()
        for field in layout.fields:
            if not isinstance(field.type, Bits):
                break
            word, end = offset // WORD_BITS, offset + field.type.width
            if end <= (word + 1) * WORD_BITS and self.storage.is_loaded(owner, field.name):
                read[word] += field.type.width
            offset = end
        return frozenset(word for word, bits in read.items() if bits == WORD_BITS)

    @staticmethod
    def _load_shared(type_: Bits, offset: int) -> C:
        """Read `type_` from bit `offset` behind the cursor out of the word of 32 bits that it shares."""
        word, bit = divmod(offset, WORD_BITS)
        place = plus(infix(packet("data"), "+", CURSOR), word * WORD_BITS // 8)
        return as_type(type_, call("macs_load_from_word", place, WORD_BITS // 8, bit, type_.width))

    def _advance(self, bits: Expression) -> Body:
        number = infix(BITS, "/", 8)
        return (
            Declare("uint64_t", "bits", self.render.amount(bits), constant=True),
            If(infix(BITS, "%", 8), self._fail(Name("error_ParserInvalidArgument"))),
            self._need(number),
            Assign(CURSOR, cast("uint32_t", number), operator="+="),
        )


def _all_constants(cases: tuple[SelectCase, ...]) -> bool:
    """Whether every case is one constant or a default, so that a C switch does it."""
    keys = [case.keys[0] for case in cases]
    return all(
        isinstance(k, AnySet) or (isinstance(k, ExactSet) and isinstance(k.value, Const)) for k in keys
    ) and not any(isinstance(k, ExactSet) and isinstance(k.value.type, Bool) for k in keys)
