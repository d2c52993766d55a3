"""What a packet's way depended on: its decisions in order, and the variables that stand for all that one may choose.

A variable is named: `p7` is byte 7 of the frame, `length` its length in bytes, `port` where it came in, `time` when; others are
the arguments of entries and the cells of registers. Numbers are from an `Assignment`; what is not in it is 0.
"""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass, field
from functools import cache
from typing import Any

import z3

from transpiler.testgen.terms import Term

Assignment = dict[str, int]
LARGEST_BYTES = 256  # of a frame
VOLATILE = frozenset({"time"})  # nobody chooses these


@dataclass(frozen=True, slots=True)
class Decision:
    """`holds`: a term that is so on this way. `site`: what decided, the same each time, None of what is so on all
    ways; `pinned`: a number had to be known."""

    holds: Any
    site: Hashable
    pinned: bool


@dataclass(frozen=True, slots=True)
class Hash:
    """A hash that z3 knows as a variable only: that of `data`, a bit vector, by `algorithm`, of `width` bits.
    `before`: the hash of what came before it, or None."""

    variable: str
    algorithm: str
    data: Any
    before: Any
    width: int


@dataclass
class Record:
    """Of one packet. `place`: the statement, state or table that decides next."""

    assignment: Assignment
    decisions: list[Decision] = field(default_factory=list)
    hashes: dict[str, Hash] = field(default_factory=dict)
    cells: dict[tuple[str, int], Term] = field(default_factory=dict)  # of registers, which the packet read
    colours: dict[tuple[str, int], Term] = field(default_factory=dict)  # of meters
    place: Hashable = None
    volatile: frozenset[str] = VOLATILE
    known: set[int] = field(default_factory=set)  # terms that are so, by their numbers in z3
    inexact: dict[str, None] = field(default_factory=dict)  # what stood for one number where it may be others
    count: int = 0

    def at(self, place: Hashable) -> None:
        """Decisions that follow are of this place."""
        self.place, self.count = place, 0

    def decide(self, holds: Any, value: bool, line: int = 0, *, pinned: bool = False) -> bool:
        """Note that a term holds, or that it does not. Returns which."""
        taken = holds if value else z3.Not(holds)
        self.count += 1
        if taken.get_id() in self.known:
            return value
        self.known.add(taken.get_id())
        self.decisions.append(Decision(taken, (self.place, line, self.count, value), pinned))
        return value

    def require(self, holds: Any) -> None:
        """Note a term that must be so on all ways."""
        if holds.get_id() not in self.known:
            self.known.add(holds.get_id())
            self.decisions.append(Decision(holds, None, True))

    def variable(self, name: str, width: int, usual: int = 0) -> Term:
        """A variable with its number."""
        value = self.assignment.setdefault(name, usual) & ((1 << width) - 1)
        return Term(value, named(name, width), self)


@cache
def named(name: str, width: int) -> Any:
    """z3's variable of that name."""
    return z3.BitVec(name, width)


@cache
def frame_terms(size: int) -> tuple[Any, ...]:
    """The variables of the bytes of a frame."""
    return tuple(named(f"p{i}", 8) for i in range(size))
