"""The parser: a graph of states, as in HLIR. docs/JSON_format.md, "parsers"; src/bm_sim/parser.cpp."""

from __future__ import annotations

from dataclasses import dataclass, field

from aux_frontend.bmv2_json.expressions import Expressions
from aux_frontend.bmv2_json.externs import Externs
from aux_frontend.bmv2_json.numbers import Number, ranged
from aux_frontend.bmv2_json.primitives import Primitives
from aux_frontend.bmv2_json.storage import BOOL, INDEX, MAX_WIDTH, Layout, Placed, Stack, Storage, drive_out
from aux_frontend.bmv2_json.text import Invalid, Node
from transpiler.diagnostics import Span
from transpiler.hlir import expressions as ex, program as pr, statements as st
from transpiler.hlir.arithmetic import ones
from transpiler.hlir.types import Bits, Varbit

_RESERVED = (pr.ACCEPT, pr.REJECT)
DEFAULT_SET_SIZE = 1024  # of value sets, whose size the JSON does not tell


@dataclass
class States:
    """The states of one parser. `value_sets` are those that a state selects by."""

    storage: Storage
    externs: Externs
    value_sets: dict[str, pr.ValueSet] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self._sets: dict[str, Node] = {}
        self.storage.each("parse_vsets", self._value_set)

    def _value_set(self, node: Node) -> None:
        self._sets[node.get("name").text()] = node

    def parser(self, node: Node) -> pr.Parser:
        """Raises: Invalid."""
        found: dict[str, Node] = {}
        for state in node.listed("parse_states"):
            name = state.get("name").text()
            if name in found:
                raise state.fail(f"state '{name}' is there twice")
            found[name] = state
        start = node.get("init_state")
        if start.text() not in found:
            raise start.fail(f"there is no state '{start.text()}'")
        ordered = [start.text(), *(name for name in found if name != start.text())]
        states = []
        for name in ordered:
            try:
                states.append(_State(self, found, found[name]).state())
            except Invalid:
                continue
        return pr.Parser(node.get("name").text(), pr.Role.PARSER, tuple(states), node.span)

    def value_set(self, name: Node, types: tuple[Bits, ...]) -> None:
        """Declare a set as what it is used for. Raises: Invalid."""
        node = self.storage.find(self._sets, name, "parse value set")
        bits = sum(type_.width for type_ in types)
        given = node.get("compressed_bitwidth")
        if given.integer() != bits:
            raise name.fail(f"values of the set have {given.value} bits, but the key has {bits}")
        known = self.value_sets.get(name.text())
        if known is not None and known.types != types:
            raise name.fail(f"'{name.text()}' is used for keys of other widths, too")
        kinds = (pr.MatchKind.EXACT,) * len(types)
        size = node.maybe("size")
        self.value_sets[name.text()] = pr.ValueSet(
            name.text(), types, kinds, DEFAULT_SET_SIZE if size is None else size.integer(1, pr.MAX_SIZE), node.span
        )

    def rest(self) -> tuple[pr.ValueSet, ...]:
        """All sets in their order; one that no state uses has values of one number."""
        for name, node in self._sets.items():
            if name not in self.value_sets:
                type_ = Bits(node.get("compressed_bitwidth").integer(1, MAX_WIDTH))
                kinds = (pr.MatchKind.EXACT,)
                self.value_sets[name] = pr.ValueSet(name, (type_,), kinds, DEFAULT_SET_SIZE, node.span)
        return tuple(self.value_sets[name] for name in self._sets)


def state_name(name: str) -> str:
    return f"${name}" if name in _RESERVED else name


class _State:
    def __init__(self, states: States, known: dict[str, Node], node: Node) -> None:
        self.states = states
        self.storage = states.storage
        self.known = known
        self.node = node
        self.values = Expressions(states.storage, states.externs.register)
        self.primitives = Primitives(states.storage, states.externs, self.values)
        self.body: list[st.Statement] = []

    def state(self) -> pr.ParserState:
        for op in self.node.listed("parser_ops"):
            try:
                self._operation(op)
            except Invalid:
                continue
        transition = self._transition()
        return pr.ParserState(state_name(self.node.get("name").text()), tuple(self.body), transition, self.node.span)

    def _emit(self, *statements: st.Statement) -> None:
        """Add statements, behind what their expressions need."""
        self.body += [*self.values.before, *statements]
        self.values.before = []

    # --- operations --------------------------------------------------------------------------------------------------

    def _operation(self, op: Node) -> None:
        kind = op.get("op").text()
        match kind:
            case "extract":
                (what,) = op.get("parameters").tuple(1)
                self._extract(what, None)
            case "extract_VL":
                what, length = op.get("parameters").tuple(2)
                self._extract(what, length)
            case "set":
                target, value = op.get("parameters").tuple(2)
                self._set(target, value, op)
            case "verify":
                condition, error = op.get("parameters").tuple(2)
                self._verify(condition, error, op)
            case "shift":
                (count,) = op.get("parameters").tuple(1)
                number = count.integer(0, 1 << 16) * 8
                self._emit(st.Advance(ex.Const(number, INDEX, op.span), op.span))
            case "advance":
                (bits,) = op.get("parameters").tuple(1)
                self._emit(st.Advance(self.values.index(bits), op.span))
            case "primitive":
                (call,) = op.get("parameters").tuple(1)
                self._emit(*self.primitives.call(call))
            case _:
                raise op.get("op").fail(f"the parser operation '{kind}' is not known")

    def _extract(self, what: Node, length: Node | None) -> None:
        kind, value = what.get("type").text(), what.get("value")
        match kind:
            case "regular":
                self._take(self.storage.header(value), length, what)
            case "stack":
                stack = self.storage.find(self.storage.stacks, value, "header stack")
                self._take_next(stack, stack.name, length, what)
            case "union_stack":
                name, member = value.tuple(2)
                unions = self.storage.find(self.storage.union_stacks, name, "header union stack")
                column = self.storage.find(unions.members, member, "union member")
                others = tuple(s for n, s in unions.members.items() if n != member.text())
                self._take_next(column, unions.name, length, what, others)
            case _:
                raise what.fail(f"'{kind}' cannot be extracted")

    def _take_next(
        self, stack: Stack, counted: str, length: Node | None, what: Node, others: tuple[Stack, ...] = ()
    ) -> None:
        span = what.span
        following = self.storage.next_index(counted, span)
        value = ex.Read(following, INDEX, span)
        inside = ex.Binary(ex.BinaryOp.LT, value, ex.Const(stack.size, INDEX, span), BOOL, span)
        self._emit(st.Verify(inside, self._error("StackOutOfBounds", span), span))
        places = tuple(ex.ElementRef(one.name, value, span) for one in others)
        self._take(Placed(ex.ElementRef(stack.name, value, span), stack.layout, places), length, what)
        one = ex.Binary(ex.BinaryOp.ADD, value, ex.Const(1, INDEX, span), INDEX, span)
        self._emit(st.Assign(following, one, span))

    def _take(self, placed: Placed, length: Node | None, what: Node) -> None:
        bits: ex.Expression | None = None
        if any(isinstance(type_, Varbit) for type_ in placed.layout.fields.values()):
            if length is not None:
                bits = self.values.index(length)
            elif placed.layout.length is not None:
                bits = self._own_length(placed.layout, placed.layout.length, what.span)
            else:
                raise what.fail(f"header type '{placed.layout.name}' has a field of variable width, but no length")
        elif length is not None:
            raise what.fail(f"header type '{placed.layout.name}' has no field of variable width")
        self._emit(st.Extract(placed.place, bits, what.span), *drive_out(placed, what.span))

    def _own_length(self, layout: Layout, length: Node, span: Span) -> ex.Expression:
        """The width of the variable field, computed from fields in front of it, which are read ahead of the extraction."""
        prefix: list[tuple[str, int]] = []
        for name, type_ in layout.fields.items():
            if not isinstance(type_, Bits):
                break
            prefix.append((name, type_.width))
        total = sum(width for _, width in prefix)
        ahead = self.storage.shared(f"$length.{layout.name}", Bits(max(total, 1)), pr.Storage.LOCAL, span)
        if total:
            self._emit(st.Lookahead(ahead, Bits(total), span))

        def local(index: Node) -> Number:
            place = index.integer(0, max(len(prefix) - 1, 0))
            if not prefix:
                raise index.fail("no field is in front of the one of variable width")
            high = total - 1 - sum(width for _, width in prefix[:place])
            read = ex.Read(ahead, Bits(total), span)
            return ranged(ex.Slice(read, high, high - prefix[place][1] + 1, span))

        values = Expressions(self.storage, self.states.externs.register, local)
        return values.index(length)

    def _set(self, target: Node, value: Node, op: Node) -> None:
        if value.get("type").value == "lookahead":
            slot, _ = self.primitives.number_slot(target)
            self._emit(*self.primitives.set(slot, self._lookahead(value), op.span))
        else:
            self._emit(*self.primitives.assign(target, value, op.span))

    def _lookahead(self, node: Node) -> ex.Expression:
        offset, width = (part.integer(0, MAX_WIDTH) for part in node.get("value").tuple(2))
        if not 0 < offset + width <= MAX_WIDTH or width == 0:
            raise node.fail(f"a lookahead of {width} bits from {offset} on")
        type_, span = Bits(offset + width), node.span
        target = self.storage.shared(f"$current.{offset}.{width}", type_, pr.Storage.LOCAL, span)
        self._emit(st.Lookahead(target, type_, span))
        value = ex.Read(target, type_, span)
        return ex.Slice(value, width - 1, 0, span) if offset else value

    def _verify(self, condition: Node, error: Node, op: Node) -> None:
        if isinstance(error.value, int):  # as older versions have it
            number = error.integer()
        else:
            value = self.values.exact(error)
            if not isinstance(value.value, ex.Const):
                raise error.fail("the error must be a constant")
            number = value.low
        if number not in self.storage.error_values:
            raise error.fail(f"no error has the value {number}")
        constant = ex.Const(self.storage.error_values[number], self.storage.errors, op.span)
        self._emit(st.Verify(self.values.truth(condition), constant, op.span))

    def _error(self, name: str, span: Span) -> ex.Const:
        return ex.Const(self.storage.errors.members.index(name), self.storage.errors, span)

    # --- transitions -------------------------------------------------------------------------------------------------

    def _transition(self) -> pr.Goto | pr.Select:
        subjects: list[ex.Expression] = []
        for part in self.node.listed("transition_key"):
            if part.get("type").value == "lookahead":
                subjects.append(self._lookahead(part))
            else:
                subjects.append(self.values.exact(part).value)
        self._emit()
        types = tuple(subject.type for subject in subjects if isinstance(subject.type, Bits))
        cases: list[pr.SelectCase] = []
        default: tuple[str, Span] = (pr.ACCEPT, self.node.span)
        for transition in self.node.listed("transitions"):
            target = self._target(transition)
            kind = transition.maybe("type")
            value = transition.maybe("value")
            if (kind is not None and kind.value == "default") or (value is not None and value.value == "default"):
                default = (target, transition.span)
            else:
                cases.append(pr.SelectCase(self._keys(transition, types), target, transition.span))
        if not cases:
            return pr.Goto(*default)
        if not subjects:
            raise self.node.fail("there are values to select by, but no key")
        cases.append(pr.SelectCase(tuple(ex.AnySet(default[1]) for _ in subjects), *default))
        return pr.Select(tuple(subjects), tuple(cases), self.node.span)

    def _target(self, transition: Node) -> str:
        target = transition.maybe("next_state")
        if target is None:
            return pr.ACCEPT
        if target.text() not in self.known:
            raise target.fail(f"there is no state '{target.text()}'")
        return state_name(target.text())

    def _keys(self, transition: Node, types: tuple[Bits, ...]) -> tuple[ex.KeySet, ...]:
        value, mask = transition.get("value"), transition.maybe("mask")
        kind = transition.maybe("type")
        if kind is not None and kind.value == "parse_vset":
            if mask is not None:
                raise mask.fail("a mask over a value set is not supported")
            self.states.value_set(value, types)
            return (ex.ValueSetRef(value.text(), value.span),)
        if kind is not None and kind.value != "hexstr":
            raise kind.fail(f"'{kind.text()}' is not a type of transition")
        values = _split(value, types)
        masks = _split(mask, types) if mask is not None else [ones(type_.width) for type_ in types]
        found: list[ex.KeySet] = []
        for number, bits, type_ in zip(values, masks, types, strict=True):
            constant = ex.Const(number & ones(type_.width), type_, value.span)
            if bits & ones(type_.width) == ones(type_.width):
                found.append(ex.ExactSet(constant, value.span))
            elif bits & ones(type_.width) == 0:
                found.append(ex.AnySet(value.span))
            else:
                found.append(ex.MaskSet(constant, ex.Const(bits & ones(type_.width), type_, value.span), value.span))
        return tuple(found)


def _split(node: Node, types: tuple[Bits, ...]) -> list[int]:
    """The values of a key of several, each of which takes whole bytes."""
    number = node.hexadecimal()
    found: list[int] = []
    for type_ in reversed(types):
        size = (type_.width + 7) // 8 * 8
        found.append(number & ones(size))
        number >>= size
    if number:
        raise node.fail("this is wider than the key")
    return found[::-1]
