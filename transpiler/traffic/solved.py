"""Frames for tables that no try has hit, found by symbolic execution (`transpiler.testgen`), where z3 is installed.

In a large program a table is behind so many conditions that chance does not meet them. Here each frame is asked for.
"""

from __future__ import annotations

import math
import time
from collections.abc import Sequence

from transpiler.hlir.program import Program
from transpiler.interpreter.layout import fields_of
from transpiler.interpreter.tables import Call
from transpiler.testgen.choices import Setting
from transpiler.testgen.cover import Coverage
from transpiler.testgen.search import Search
from transpiler.testgen.walk import Walk, Walker
from transpiler.traffic.checksums import declared
from transpiler.traffic.parser_paths import Shape
from transpiler.traffic.search import Advance, Finder, Frame, Template, form_of

WALKS = 400  # frames tried; not seconds, as the same seed is to give the same files


def solve(finder: Finder, tables: Sequence[str], port: int, advance: Advance, seed: int) -> None:
    """Let `finder` have a frame for each of these tables that can be hit, one that comes out if there is one."""
    coverage = Coverage(finder.program)
    search = _Hits(
        finder.program, coverage, math.inf, clock=time.monotonic, seed=seed, ports=range(port, port + 1), most=WALKS
    )
    search.look_for(tables)
    search.run(advance)
    for walk in search.found:
        finder.note(*_template(finder, search, walk))


class _Hits(Search):
    """Looks for frames that hit tables: of each table any action will do."""

    def make_walker(self) -> Walker:
        return Walker(self.program, self.coverage, self.prefer, self.largest, self.ports, Setting(defaults=False))

    def look_for(self, tables: Sequence[str]) -> None:
        outcomes = [self.coverage.outcome_items(name) for name in tables]
        self.groups = [frozenset(item for (_, hit), item in one.items() if hit and item >= 0) for one in outcomes]
        self.wanted = frozenset[int]().union(*self.groups)
        self.rest = frozenset(range(len(self.coverage.items))) - self.wanted
        self.known: set[tuple[int, bool]] = set()

    def keep(self, walk: Walk) -> None:
        """Keep what hits a table for the first time, or comes out for the first time."""
        hit = [number for number, group in enumerate(self.groups) if group & walk.covered]
        new = {(number, out) for number in hit for out in {False, bool(walk.sent)}} - self.known
        if new:
            self.found.append(walk)
            self.known |= new
        if walk.sent:
            self.covered |= frozenset[int]().union(*(self.groups[number] for number in hit))
        self.interest.update(self.covered | self.rest)


def _template(finder: Finder, search: Search, walk: Walk) -> tuple[int, Template]:
    """The frame of a walk with the outcomes of its tables; the number of its form."""
    number, frame = frame_of(finder, search, walk)
    outcomes: dict[str, Call | None] = dict.fromkeys(table.name for table in finder.targets)
    for entry in walk.entries:
        if entry.table in outcomes and outcomes[entry.table] is None:
            outcomes[entry.table] = Call(entry.action, entry.arguments)
    return number, Template(frame, outcomes, finder.probe.run(frame.data, outcomes))


def frame_of(finder: Finder, search: Search, walk: Walk) -> tuple[int, Frame]:
    """The frame of a walk as one that `finder` might have tried; the number of its form."""
    program = finder.program
    size = max(walk.reached, 1)
    data = bytes(walk.frame[:size])
    names = frozenset[str]().union(*(search.solver.names(d.holds) for d in walk.decisions))
    used = {int(name[1:]) for name in names if name[0] == "p" and name[1:].isdecimal()}
    fixed = {bit: data[bit // 8] >> (7 - bit % 8) & 1 for bit in range(size * 8) if bit // 8 in used}
    shape = Shape(size * 8, fixed, _headers(program, data))
    finder.forms = (*finder.forms, form_of(program, shape, declared(program)))
    return len(finder.forms) - 1, finder.given(shape, data)


def _headers(program: Program, data: bytes) -> dict[str, int]:
    """The first bit of each header that the parser finds."""
    found: dict[str, int] = {}
    for first, _, name in fields_of(program, data):
        found.setdefault(name.rpartition(".")[0], first)
    return found
