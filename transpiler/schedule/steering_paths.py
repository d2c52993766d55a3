"""The ways of a packet through a program as far as the frame decides them, with the indexes of registers on each.

The parser is followed from state to state: what its transitions ask of the frame makes a tree. Where a way ends, the controls
behind the parser are followed with what is known there. Of a branch that is not decided both arms are, of a table all actions.
"""

from __future__ import annotations

from dataclasses import dataclass

from transpiler.analysis.locations import Location
from transpiler.analysis.parities import Value, number_of, value_of
from transpiler.hlir.expressions import AnySet, ExactSet, Expression, KeySet, MaskSet
from transpiler.hlir.program import Goto, Parser, ParserState, Program, SelectCase
from transpiler.hlir.statements import Advance, Extract, Lookahead, Statement, Verify
from transpiler.hlir.types import Bits, width_of
from transpiler.schedule.steering_values import Accesses, Following, Held

MOST = 512  # ways
LONGEST = 256  # steps of a way: states, and questions for the frame's length


class Unsteerable(Exception):
    """The ways are more than bytes of the frame decide. The text says why."""


@dataclass(frozen=True, slots=True)
class Leaf:
    number: int


@dataclass(frozen=True, slots=True)
class Longer:
    """Whether the frame has so many bytes at least."""

    bytes: int
    yes: Tree
    no: Tree


@dataclass(frozen=True, slots=True)
class Same:
    """Whether byte `at`, as far as `mask` goes, is `value`."""

    at: int
    mask: int
    value: int
    yes: Tree
    no: Tree


Tree = Leaf | Longer | Same


def paths(program: Program) -> tuple[Tree, tuple[Accesses, ...]]:
    """The tree, and what each leaf's packets access. Raises: Unsteerable."""
    finder = _Paths(program)
    tree = finder.tree()
    return tree, tuple(finder.follow.accesses_of(finder.behind, held) for held in finder.leaves)


@dataclass(frozen=True, slots=True)
class _At:
    """Where the parser is: the `cursor` in bits; so many `bytes` are there; `held`: what is known."""

    held: Held
    cursor: int = 0
    bytes: int = 0


class _Paths:
    def __init__(self, program: Program) -> None:
        self.program = program
        self.follow = Following(program)
        self.leaves: list[Held] = []  # what is known at each
        self.steps = 0  # of the way that is followed
        first = next(n for n, pipe in enumerate(program.pipes) if isinstance(pipe, Parser))
        parser = program.pipes[first]
        assert isinstance(parser, Parser)
        self.parser = parser
        self.behind = program.pipes[first + 1 :]
        self.states = {state.name: state for state in parser.states}

    def tree(self) -> Tree:
        return self._state(self.parser.states[0], _At(self.follow.at_begin()))

    def _leaf(self, held: Held) -> Leaf:
        """The parser is done, one way or the other."""
        if len(self.leaves) == MOST:
            raise Unsteerable("the parser has too many ways")
        self.leaves.append(held)
        return Leaf(len(self.leaves) - 1)

    def _state(self, state: ParserState, at: _At, statement: int = 0) -> Tree:
        """What decides from a statement of a state on. Where states lead back, a way may have no end."""
        if self.steps == LONGEST:
            raise Unsteerable("a way through the parser has too many steps")
        self.steps += 1
        tree = self._followed(state, at, statement)
        self.steps -= 1
        return tree

    def _followed(self, state: ParserState, at: _At, statement: int) -> Tree:
        for number in range(statement, len(state.body)):
            s = state.body[number]
            match s:
                case Extract() | Lookahead() | Advance():
                    bits = self._bits(s, at)
                    needed = (at.cursor + bits + 7) // 8
                    if needed > at.bytes:
                        there = self._state(state, _At(at.held, at.cursor, needed), number)
                        return Longer(needed, there, self._leaf(at.held))
                    at = self._past(s, bits, at)
                case Verify(condition=condition):
                    holds = number_of(value_of(condition, self.follow.known(at.held)))
                    if holds is None:
                        raise Unsteerable(f"the parser verifies at {s.span} what no single byte tells")
                    if not holds:
                        return self._leaf(at.held)
                case _:
                    at = _At(self.follow.behind(s, at.held), at.cursor, at.bytes)
        return self._transition(state, at)

    def _bits(self, s: Extract | Lookahead | Advance, at: _At) -> int:
        match s:
            case Extract(header=header, varbit_bits=None):
                name = self.follow.header(header, at.held)
                if name is not None:
                    return sum(width_of(f.type) for f in self.program.header_type_of[name].fields)
            case Lookahead(type=Bits(width=width)):
                return width
            case Advance(bits=bits):
                number = number_of(value_of(bits, self.follow.known(at.held)))
                if number is not None:
                    return number
        raise Unsteerable(f"what the parser does at {s.span} depends on more than where it stands")

    def _past(self, s: Statement, bits: int, at: _At) -> _At:
        match s:
            case Extract(header=header):
                name = self.follow.header(header, at.held)
                assert name is not None
                return _At(self.follow.extracted(name, at.cursor, at.held), at.cursor + bits, at.bytes)
            case Lookahead(target=target):
                return _At(
                    self.follow.looked_ahead(Location(target.name), at.cursor, bits, at.held), at.cursor, at.bytes
                )
        return _At(at.held, at.cursor + bits, at.bytes)

    def _transition(self, state: ParserState, at: _At) -> Tree:
        if isinstance(state.transition, Goto):
            return self._goto(state.transition.state, at)
        subjects = [value_of(subject, self.follow.known(at.held)) for subject in state.transition.subjects]
        return self._cases(state.transition.cases, subjects, at)

    def _goto(self, name: str, at: _At) -> Tree:
        return self._state(self.states[name], at) if name in self.states else self._leaf(at.held)

    def _cases(self, cases: tuple[SelectCase, ...], subjects: list[Value], at: _At) -> Tree:
        """The first case that fits; none: the parser rejects."""
        if not cases:
            return self._leaf(at.held)
        wanted = self._wanted(cases[0], subjects, at)
        if wanted is None:
            return self._cases(cases[1:], subjects, at)
        fits = self._goto(cases[0].state, at)
        if not wanted:
            return fits
        other = self._cases(cases[1:], subjects, at)
        for byte, (mask, value) in sorted(wanted.items(), reverse=True):
            fits = Same(byte, mask, value, fits, other)
        return fits

    def _wanted(self, case: SelectCase, subjects: list[Value], at: _At) -> dict[int, tuple[int, int]] | None:
        """What bytes of the frame must be for a case to fit; None where it never does."""
        found: dict[int, tuple[int, int]] = {}
        if len(case.keys) != len(subjects):
            raise Unsteerable(f"the parser asks a value set at {case.span}")
        for keys, subject in zip(case.keys, subjects, strict=True):
            for bit, (counts, one) in zip(subject, self._set_bits(keys, len(subject), at), strict=True):
                if not counts:
                    continue
                if bit is None or (bit > 1 and (bit >> 1).bit_count() != 1):
                    raise Unsteerable(f"the parser selects at {case.span} by what is no bit of the frame")
                if bit <= 1:
                    if bit != one:
                        return None
                    continue
                position = (bit >> 1).bit_length() - 1
                mask = 0x80 >> position % 8
                before, held = found.get(position // 8, (0, 0))
                value = mask if one ^ (bit & 1) else 0
                if before & mask and held & mask != value:
                    return None
                found[position // 8] = before | mask, held & ~mask | value
        return found

    def _set_bits(self, keys: KeySet, width: int, at: _At) -> list[tuple[int, int]]:
        """Of each bit whether it counts, and what it must be."""
        match keys:
            case AnySet():
                return [(0, 0)] * width
            case ExactSet(value=value):
                return [(1, bit) for bit in self._constant(value, at)]
            case MaskSet(value=value, mask=mask):
                return list(zip(self._constant(mask, at), self._constant(value, at), strict=True))
        raise Unsteerable(f"the parser selects by a range or a value set at {keys.span}")

    def _constant(self, e: Expression, at: _At) -> tuple[int, ...]:
        value = value_of(e, self.follow.known(at.held))
        if number_of(value) is None:
            raise Unsteerable(f"the parser compares at {e.span} with what is not constant")
        return tuple(bit or 0 for bit in value)
