"""The frames that a parser takes: each way from its start to `accept`, with the bits that lead along it.

A way is followed state by state with symbolic bits; a select case fixes the bits of its subjects. Ways through loops and
large parsers are without number, so each state is entered on at most `ENTRIES` of them, the shortest first. What the
symbols cannot know (a subject computed from the frame, value sets) leaves a way out; `search` tries each way that is found
on the interpreter before anyone relies on it. Varbit fields are empty.
"""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from random import Random

from transpiler.hlir import expressions as ex, statements as st
from transpiler.hlir.program import ACCEPT, REJECT, Goto, Parser, ParserState, Program, Role, SelectCase
from transpiler.traffic.symbolic import (
    ONE,
    UNKNOWN,
    ZERO,
    BitsOf,
    Symbols,
    constant,
    field_offset,
    field_width,
    number_of,
)

ENTRIES = 12  # ways on which a state is entered
TRIES = 64  # values tried for what no case may match


@dataclass(frozen=True)
class Shape:
    """A frame that the parser accepts. `bits`: of its headers; `fixed`: bits that it must have; `headers`: first bits."""

    bits: int
    fixed: dict[int, int]
    headers: dict[str, int]

    def field(self, program: Program, header: str, name: str) -> range:
        """The bits of a field. Raises: KeyError when the header is not in the frame."""
        at = self.headers[header] + field_offset(program, header, name)
        return range(at, at + field_width(program.header_type_of[header].field(name).type))


@dataclass
class _Way:
    state: str
    symbols: Symbols
    cursor: int = 0
    end: int = 0
    fixed: dict[int, int] = field(default_factory=dict)

    def branch(self, state: str) -> _Way:
        return replace(self, state=state, symbols=self.symbols.copy(), fixed=dict(self.fixed))


def shapes(program: Program) -> tuple[Shape, ...]:
    """All shapes that were found, those with fewer states first."""
    parser = program.pipe(Role.PARSER)
    if not isinstance(parser, Parser):
        return (Shape(0, {}, {}),)
    states = {s.name: s for s in parser.states}
    entered: Counter[str] = Counter()
    ways = deque([_Way(parser.states[0].name, Symbols(program))])
    found: list[Shape] = []
    while ways:
        way = ways.popleft()
        entered[way.state] += 1
        if entered[way.state] > ENTRIES:
            continue
        state = states[way.state]
        if not _run(program, way, state.body):
            continue
        for target in _targets(way, state):
            if target.state == ACCEPT:
                found.append(Shape(target.end, target.fixed, target.symbols.headers))
            elif target.state != REJECT:
                ways.append(target)
    return tuple(found)


# --- bodies ----------------------------------------------------------------------------------------------------------


def _run(program: Program, way: _Way, body: st.Body) -> bool:
    """Follow a body; False: no packet gets through it, or it cannot be followed."""
    return all(_step(program, way, statement) for statement in body)


def _step(program: Program, way: _Way, statement: st.Statement) -> bool:
    match statement:
        case st.Extract(header=place, varbit_bits=varbit):
            return _extract(program, way, place, varbit)
        case st.Advance(bits=bits):
            return _advance(way, number_of(way.symbols.value(bits)))
        case st.Lookahead(target=target, type=type_):
            way.symbols.variables[target.name] = tuple(range(way.cursor, way.cursor + type_.width))
            way.end = max(way.end, way.cursor + type_.width)
        case st.Assign(target=ex.VariableRef(name=name), value=value):
            way.symbols.variables[name] = way.symbols.value(value)
        case st.Verify(condition=condition):
            return number_of(way.symbols.value(condition)) != 0
        case st.If(condition=condition, then=then, otherwise=otherwise):
            return _run(program, way, then if number_of(way.symbols.value(condition)) else otherwise)
        case st.Block(body=body):
            return _run(program, way, body)
    return True


def _extract(program: Program, way: _Way, place: ex.HeaderPlace, varbit: ex.Expression | None) -> bool:
    name = way.symbols.header_name(place)
    if name is None:
        return False
    width = way.symbols.value(varbit) if varbit is not None else ()
    if UNKNOWN not in width:
        way.fixed.update({bit: 0 for bit in width if bit >= 0 and bit not in way.fixed})
    way.symbols.headers[name] = way.cursor
    return _advance(way, program.header_type_of[name].fixed_bits)


def _advance(way: _Way, bits: int | None) -> bool:
    if bits is None:
        return False
    way.cursor += bits
    way.end = max(way.end, way.cursor)
    return True


# --- transitions -----------------------------------------------------------------------------------------------------


def _targets(way: _Way, state: ParserState) -> Iterator[_Way]:
    if isinstance(state.transition, Goto):
        yield way.branch(state.transition.state)
        return
    subjects = [way.symbols.value(s) for s in state.transition.subjects]
    earlier: list[SelectCase] = []
    for case in state.transition.cases:
        taken = way.branch(case.state)
        if _fix_case(taken, subjects, case) and _avoid(taken, subjects, earlier):
            yield taken
        earlier.append(case)


def _fix_case(way: _Way, subjects: list[BitsOf], case: SelectCase) -> bool:
    if any(isinstance(key, ex.ValueSetRef) for key in case.keys):
        return False
    return all(_fix_set(way, bits, key) for bits, key in zip(subjects, case.keys, strict=True))


def _fix_set(way: _Way, bits: BitsOf, key: ex.KeySet) -> bool:
    match key:
        case ex.ExactSet(value=value):
            return _fix(way, bits, way.symbols.value(value))
        case ex.RangeSet(low=low):
            return _fix(way, bits, way.symbols.value(low))
        case ex.MaskSet(value=value, mask=mask):
            cared = way.symbols.value(mask)
            chosen = [(b, v) for b, v, m in zip(bits, way.symbols.value(value), cared, strict=True) if m == ONE]
            return _fix(way, tuple(b for b, _ in chosen), tuple(v for _, v in chosen))
    return True


def _fix(way: _Way, bits: BitsOf, wanted: BitsOf) -> bool:
    """Make bits what is wanted; False: they are something else."""
    for bit, value in zip(bits, wanted, strict=True):
        if value not in (ZERO, ONE) or bit == UNKNOWN:
            return False
        if bit < 0:
            if bit != value:
                return False
        elif way.fixed.setdefault(bit, int(value == ONE)) != int(value == ONE):
            return False
    return True


def _avoid(way: _Way, subjects: list[BitsOf], cases: list[SelectCase]) -> bool:
    """Fix the subjects' free bits so that none of these cases matches: zeros, ones, or what chance finds."""
    if not cases:
        return True
    free = sorted({bit for bits in subjects for bit in bits if bit >= 0 and bit not in way.fixed})
    chance = Random(len(free))
    for turn in range(TRIES if free else 1):
        ones = (0, (1 << len(free)) - 1)[turn] if turn < 2 else chance.getrandbits(len(free))
        guess = way.fixed | {bit: ones >> i & 1 for i, bit in enumerate(free)}
        values = [_known(bits, guess) for bits in subjects]
        if not any(_matches(way, values, case) for case in cases):
            way.fixed.update(guess)
            return True
    return False


def _known(bits: BitsOf, fixed: dict[int, int]) -> BitsOf:
    return tuple(constant(fixed[b], 1)[0] if b >= 0 else b for b in bits)


def _matches(way: _Way, values: list[BitsOf], case: SelectCase) -> bool:
    """Whether a case may match; a value set is taken to be empty."""
    if any(isinstance(key, ex.ValueSetRef) for key in case.keys):
        return False
    return all(_in_set(way, bits, key) for bits, key in zip(values, case.keys, strict=True))


def _in_set(way: _Way, bits: BitsOf, key: ex.KeySet) -> bool:
    value = number_of(bits)
    numbers = [number_of(way.symbols.value(e)) for e in _bounds(key)]
    if value is None or None in numbers:
        return True
    match key, [n for n in numbers if n is not None]:
        case ex.ExactSet(), [wanted]:
            return value == wanted
        case ex.MaskSet(), [wanted, mask]:
            return value & mask == wanted & mask
        case ex.RangeSet(), [low, high]:
            return low <= value <= high
    return True


def _bounds(key: ex.KeySet) -> tuple[ex.Expression, ...]:
    match key:
        case ex.ExactSet(value=value):
            return (value,)
        case ex.MaskSet(value=a, mask=b) | ex.RangeSet(low=a, high=b):
            return (a, b)
    return ()
