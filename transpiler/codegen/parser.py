"""The parser → statement views: states are labels, transitions are gotos, `at` is the cursor in bytes.

A parser error ends parsing; as in BMv2's v1model the packet goes on with the headers found so far.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable

from transpiler.analysis.progress import STALL_LIMIT, stalling_states
from transpiler.codegen.ctypes import c_type, is_wide, literal
from transpiler.codegen.expressions import C, infix
from transpiler.codegen.outside import Outside
from transpiler.codegen.packing import bytes_of, store_padded, word_around
from transpiler.codegen.statements import Statements, at
from transpiler.codegen.tables import members_key, packed_keys
from transpiler.codegen.views import NOWHERE, BlockView, CaseView, IfView, Line, SwitchView, View, Views, texts
from transpiler.hlir.expressions import (
    AnySet,
    Const,
    ExactSet,
    Expression,
    HeaderPlace,
    KeySet,
    MaskSet,
    RangeSet,
    ValueSetRef,
)
from transpiler.hlir.program import ACCEPT, REJECT, Goto, Parser, ParserState, Select, SelectCase
from transpiler.hlir.statements import Advance, Extract, Lookahead, Statement, Verify
from transpiler.hlir.types import Bits, Bool, HeaderType, Varbit, width_of

DONE = "parsed"
WORD_BITS = 32  # what fields side by side are loaded by
_CURSOR = re.compile(r"\bat\b")


class ParserStatements(Statements):
    """Statements of parser states; the others are those of controls."""

    def statement(self, statement: Statement) -> Views:
        where = at(statement.span)
        match statement:
            case Extract():
                return (BlockView(self._extract(statement), "", where),)
            case Lookahead(target=target, type=type_):
                slot = self.storage.variable(target.name)
                if self.scope.is_dead(slot):
                    return (self._need(str(-(-type_.width // 8)), where),)
                value = self._load(type_, "at", 0, bytes_of(type_.width))
                return (self._need(str(-(-type_.width // 8)), where), Line(f"{self.scope.write(slot)} = {value};"))
            case Advance(bits=bits):
                return (BlockView(self._advance(bits), "", where),)
            case Verify(condition=condition, error=error):
                failed = self._fail(self.render(error).text)
                return (IfView(f"!({self.render.condition(condition)})", failed, (), where),)
        return super().statement(statement)

    def parse(self, parser: Parser, error: str) -> Views:
        """The whole parser as a block. `error`: the intrinsic value that tells of an error."""
        stalling = stalling_states(self.program, parser)
        variable = self.program.intrinsic.get(error)
        told = None if variable is None else self.storage.variable(variable)
        self._tells = told is not None and not self.scope.is_dead(told)
        self._reached: set[str] = set()  # the states that something jumps to; C has no use for other labels
        bodies = [(*self.body(state.body), *self._transition(state)) for state in parser.states]
        views: list[View] = []
        if stalling:
            views.append(Line("uint32_t stalled_at = 0, visits = 0;"))
        for state, body in zip(parser.states, bodies, strict=True):
            if state.name in self._reached:
                views.append(Line(f"{self._label(state.name)}:;", at(state.span)))
            if state.name in stalling:
                views.append(IfView("stalled_at != at", (Line("stalled_at = at;"), Line("visits = 0;")), ()))
                views.append(IfView(f"++visits > {STALL_LIMIT}", self._fail("error_ParserTimeout"), ()))
            views += body
        views.append(Line(f"{DONE}:;"))
        if "payload_offset" in self.storage.record:
            views.append(Line("packet->payload_offset = at;"))
        declared = [Line("uint32_t at = 0;")] if any(_CURSOR.search(text) for text in texts(tuple(views))) else []
        if told is not None and self._tells:
            declared.append(Line("uint32_t error = error_NoError;"))
            views.append(Line(f"{self.scope.write(told)} = error;"))
        return (BlockView((*declared, *views), "", at(parser.span)),)

    def _fail(self, error: str) -> Views:
        """End with an error, an expression in C."""
        told = (Line(f"error = {error};"),) if self._tells else ()
        return (*told, Line(f"goto {DONE};"))

    def _label(self, state: str) -> str:
        return self.tables.names(f"parse.{state}")

    def _goto(self, state: str) -> Views:
        self._reached.add(state)
        return (Line(f"goto {DONE if state in (ACCEPT, REJECT) else self._label(state)};"),)

    # --- transitions --------------------------------------------------------------------------------------------------

    def _transition(self, state: ParserState) -> Views:
        match state.transition:
            case Goto(state=target):
                return self._goto(target)
            case Select(subjects=(subject,), cases=cases) if not is_wide(subject.type) and _all_constants(cases):
                return (self._switch_over(subject, cases, at(state.transition.span)),)
            case Select(subjects=subjects, cases=cases):
                return self._chain(subjects, cases)

    def _switch_over(self, subject: Expression, cases: tuple[SelectCase, ...], where: Outside) -> SwitchView:
        views: list[CaseView] = []
        seen: set[int] = set()
        default: Views = self._fail("error_NoMatch")
        for case in cases:
            key = case.keys[0]
            if isinstance(key, AnySet):
                default = self._goto(case.state)
                break
            assert isinstance(key, ExactSet) and isinstance(key.value, Const)
            if key.value.value not in seen:
                seen.add(key.value.value)
                views.append(CaseView((literal(key.value.value, key.value.type),), self._goto(case.state)))
        return SwitchView(self.switched(subject), tuple(views), default, where)

    def _chain(self, subjects: tuple[Expression, ...], cases: tuple[SelectCase, ...]) -> Views:
        """Compare case by case, up to one that always holds; subjects that are computed are so once."""
        always = next((n for n, case in enumerate(cases) if all(isinstance(k, AnySet) for k in case.keys)), len(cases))
        compared = self._compared(cases[:always])
        views: list[View] = []
        names = ["" for _ in subjects]
        for position in sorted(compared):
            names[position], declared = self._subject(subjects[position])
            views += declared
        for case in cases[:always]:
            before, conditions = self._tests(names, subjects, case)
            views += before
            views.append(IfView(" && ".join(conditions), self._goto(case.state), (), at(case.span)))
        views += self._goto(cases[always].state) if always < len(cases) else self._fail("error_NoMatch")
        return (BlockView(tuple(views), ""),)

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

    def _subject(self, subject: Expression) -> tuple[str, Views]:
        """How tests name a subject, and the line that makes it so: a variable has a name."""
        value = str(self.render(subject))
        if value.isidentifier():
            return value, ()
        name = self.scope.fresh("subject")
        return name, (Line(f"const {c_type(subject.type)} {name} = {value};"),)

    def _tests(self, names: list[str], subjects: tuple[Expression, ...], case: SelectCase) -> tuple[Views, list[str]]:
        """What a case needs before its test, and its conditions."""
        before: list[View] = []
        conditions: list[str] = []
        position = 0
        for key in case.keys:
            if isinstance(key, ValueSetRef):
                count = len(self.program.value_set[key.name].types)
                covered = slice(position, position + count)
                lines, text = self._member(key.name, names[covered], subjects[covered])
                before += lines
                position += count
            else:
                text = self._test(names[position], subjects[position], key)
                position += 1
            conditions += [text] if text else []
        return tuple(before), conditions

    def _member(self, value_set: str, names: list[str], subjects: tuple[Expression, ...]) -> tuple[Views, str]:
        """Look subjects up in a parser value set: the statements, and the condition that they are a member."""
        ref = self.tables.value_set(value_set).ref
        key, cursor = self.scope.fresh("member"), self.scope.fresh("cursor")
        arguments = f"tables[TABLE_{ref.name}].kernel, {key}, {ref.key_bytes}, &{cursor}"
        lines = [Line(f"uint8_t {key}[{ref.key_bytes}];"), Line(f"struct macs_{ref.kernel}_cursor {cursor};")]
        for packed in packed_keys(members_key(self.program.value_set[value_set])):
            lines += store_padded(key, packed.offset, subjects[packed.index].type, names[packed.index])
        lines.append(Line(f"macs_{ref.kernel}_start({arguments});"))
        return tuple(lines), f"macs_{ref.kernel}_finish({arguments}) != NULL"

    def _test(self, name: str, subject: Expression, key: KeySet) -> str:
        """A C condition, empty when it always holds."""
        type_, value = subject.type, C(name)
        match key:
            case AnySet():
                return ""
            case ExactSet(value=wanted):
                return self._equal(value, self.render(wanted), is_wide(type_), c_type(type_))
            case MaskSet(value=wanted, mask=mask):
                if is_wide(type_):
                    both = [C(f"{c_type(type_)}_and({v}, {self.render(mask)})") for v in (value, self.render(wanted))]
                    return self._equal(both[0], both[1], True, c_type(type_))
                masked = infix(value, "&", self.render(mask))
                if isinstance(wanted, Const) and isinstance(mask, Const):
                    bits = C(literal(wanted.value & mask.value, type_))
                else:
                    bits = infix(self.render(wanted), "&", self.render(mask))
                return self._equal(masked, bits, False, c_type(type_))
            case RangeSet(low=low, high=high):
                return self._between(value, low, high)
        raise TypeError(f"no C for {key}")

    def _between(self, value: C, low: Expression, high: Expression) -> str:
        type_ = low.type
        if is_wide(type_):
            signed = isinstance(type_, Bits) and type_.signed
            compare, width = (
                f"{c_type(type_)}_compare{'_signed' if signed else ''}",
                f", {width_of(type_)}" if signed else "",
            )
            ends = [f"{compare}({value}, {self.render(end)}{width})" for end in (low, high)]
            return f"{ends[0]} >= 0 && {ends[1]} <= 0"
        if isinstance(type_, Bits) and type_.signed:
            texts = [f"macs_signed({v}, {type_.width})" for v in (value, self.render(low), self.render(high))]
            return f"{texts[0]} >= {texts[1]} && {texts[0]} <= {texts[2]}"
        return f"macs_between({value}, {self.render(low)}, {self.render(high)})"

    @staticmethod
    def _equal(left: C, right: C, wide: bool, type_: str) -> str:
        return f"{type_}_compare({left}, {right}) == 0" if wide else infix(left, "==", right).text

    # --- extraction ---------------------------------------------------------------------------------------------------

    def _need(self, size: str, where: Outside = NOWHERE) -> IfView:
        return IfView(f"packet->length - at < {size}", self._fail("error_PacketTooShort"), (), where)

    def _extract(self, statement: Extract) -> Views:
        owner = self.storage.access(statement.header).owner
        layout = self.program.header_type_of[owner]
        fixed = layout.fixed_bits // 8
        views: list[View]
        if statement.varbit_bits is None:
            size, views = str(fixed), [self._need(str(fixed))]
        else:
            maximum = next(f.type.max_width for f in layout.fields if isinstance(f.type, Varbit))
            size = f"({fixed} + bits / 8)"
            views = [
                Line(f"const uint64_t bits = {self.render.amount(statement.varbit_bits)};"),
                IfView("bits % 8", self._fail("error_ParserInvalidArgument"), ()),
                self._need(size),
                IfView(f"bits > {maximum}", self._fail("error_HeaderTooShort"), ()),
            ]
        views += self._fill(statement.header, layout)
        return (*views, Line(f"at += {'(uint32_t)' if statement.varbit_bits else ''}{size};"))

    def _fill(self, header: HeaderPlace, layout: HeaderType) -> Iterable[View]:
        """Make the header valid, note where it lies, load the fields that the program looks at."""
        owner = self.storage.access(header).owner
        shared = self._shared_words(owner, layout)
        yield from self.set_element(self.storage.valid(owner), header, C("true"))
        yield from self.set_element(self.storage.at(owner), header, C("(uint16_t)at"))
        offset, behind = 0, False
        for field in layout.fields:
            if isinstance(field.type, Varbit):
                yield from self.set_element(self.storage.varbit_bytes(owner), header, C("(uint16_t)(bits / 8)"))
                if self.storage.assigned_varbit(owner) is not None:
                    value = C(f"macs_varbit_of(at + {offset // 8}, (uint32_t)(bits / 8))")
                    yield from self.set_element(self.storage.field(owner, field.name), header, value)
                behind = True
                continue
            if self.storage.is_loaded(owner, field.name):
                slot = self.storage.field(owner, field.name)
                assert isinstance(field.type, Bits)
                if not behind and offset // WORD_BITS in shared and field.type.width < WORD_BITS:
                    value = C(self._load_shared(field.type, offset))
                else:
                    start = "at + bits / 8" if behind else "at"
                    value = C(self._load(field.type, start, offset, layout.fixed_bits // 8))
                yield from self.set_element(slot, header, value)
            offset += field.type.width

    def _shared_words(self, owner: str, layout: HeaderType) -> frozenset[int]:
        """The words of 32 bits, by number, that narrower fields fill all of which are read: one load has them all."""
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
    def _load_shared(type_: Bits, offset: int) -> str:
        """Read `type_` from bit `offset` behind the cursor out of the word of 32 bits that it shares."""
        word, bit = divmod(offset, WORD_BITS)
        base = f"packet->data + at + {word * WORD_BITS // 8}" if word else "packet->data + at"
        return _as(type_, f"macs_load_from_word({base}, {WORD_BITS // 8}, {bit}, {type_.width})")

    @staticmethod
    def _load(type_: Bits, at_text: str, offset: int, readable: int) -> str:
        """Read `type_` from bit `offset` behind the cursor, where `readable` bytes are there to be read."""
        width, base = type_.width, f"packet->data + {at_text}"
        if is_wide(type_):
            return f"{c_type(type_)}_load({base}, {offset}, {width})"
        if (word := word_around(offset, width, readable)) is not None:
            start, size = word
            place = f"{base} + {start}" if start else base
            return _as(type_, f"macs_load_from_word({place}, {size}, {offset - 8 * start}, {width})")
        if offset % 8 == 0 and width % 8 == 0:
            place = f"{base} + {offset // 8}" if offset else base
            return _as(type_, f"macs_load_bytes({place}, {width // 8})")
        return _as(type_, f"macs_load_bits({base}, {offset}, {width})")

    def _advance(self, bits: Expression) -> Views:
        return (
            Line(f"const uint64_t bits = {self.render.amount(bits)};"),
            IfView("bits % 8", self._fail("error_ParserInvalidArgument"), ()),
            self._need("bits / 8"),
            Line("at += (uint32_t)(bits / 8);"),
        )


def _all_constants(cases: tuple[SelectCase, ...]) -> bool:
    """Whether every case is one constant or a default, so that a C switch does it."""
    keys = [case.keys[0] for case in cases]
    return all(
        isinstance(k, AnySet) or (isinstance(k, ExactSet) and isinstance(k.value, Const)) for k in keys
    ) and not any(isinstance(k, ExactSet) and isinstance(k.value.type, Bool) for k in keys)


def _as(type_: Bits, loaded: str) -> str:
    """What was loaded, 64 bits, as the C type of `type_`."""
    c = c_type(type_)
    return loaded if c == "uint64_t" else f"({c}){loaded}"
