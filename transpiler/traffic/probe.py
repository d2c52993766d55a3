"""One frame through the reference interpreter, with tables whose outcome is chosen: which are applied, with which keys,
and to which cells of registers, counters and meters it comes.

Nothing of the program's semantics is told twice: what a frame does is what the interpreter makes of it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from transpiler.hlir.program import Program
from transpiler.interpreter import Switch
from transpiler.interpreter.tables import Call, Entry, RuntimeTable
from transpiler.interpreter.trace import Event, Trace, silent
from transpiler.traffic.copies import SESSION, Copies, Used

Outcomes = Mapping[
    str, Call | None
]  # table → the call of a hit; None: a miss. Tables that are not in it are looked up.

Fixed = Mapping[tuple[str, tuple[int, ...]], Call | None]  # outcomes of a table for a key: they go before Outcomes

Cell = tuple[
    str, tuple[int, ...]
]  # of what, which: an index, or nothing where that is out of range; of a table with a selector, what is hashed


@dataclass(frozen=True, slots=True)
class Observation:
    """What a frame did: `applied` (table, key values) in order, each table's first time; `ports` it was sent to;
    whether it was `accepted` by the parsers that it met; the `cells` that it came to, in order; the groups and sessions that
    it had `copies` of; `forwarded`: whether it came out itself, and not only clones of it."""

    applied: tuple[tuple[str, tuple[int, ...]], ...]
    ports: tuple[int, ...]
    accepted: bool
    cells: tuple[Cell, ...] = ()
    copies: tuple[Used, ...] = ()
    forwarded: bool = False

    @property
    def way(self) -> tuple[tuple[str, ...], bool]:
        """Which tables were applied, and whether the frame came out: what must not change for two frames to be alike."""
        return tuple(name for name, _ in self.applied), bool(self.ports)

    @property
    def instances(self) -> tuple[tuple[str, bool], ...]:
        """What the cells are of, and whether each is in range."""
        return tuple((name, bool(index)) for name, index in self.cells)


NOTHING = Observation((), (), False)  # of a frame whose copies are copied without end


class Probe:
    """Sends frames in at a port of a switch that forgets everything in between, unless they are to follow others. `copies`: its
    groups and sessions, no ones if left out; `told`: of each of their steps."""

    def __init__(self, program: Program, port: int, told: Trace = silent, copies: Copies | None = None) -> None:
        self.program, self.port = program, port
        self.copies = Copies(port) if copies is None else copies
        self.runs = 0  # so far
        sizes = {extern.name: int(dict(extern.attributes).get("size", 0)) for extern in program.externs}
        self._desk = _Desk(sizes, told)
        self._switch = Switch(program, trace=self._desk.note, replication=self.copies)
        for name, table in self._switch.store.tables.items():
            self._switch.store.tables[name] = _Observed(table, self._desk)

    def run(self, frame: bytes, outcomes: Outcomes, fixed: Fixed | None = None, port: int | None = None) -> Observation:
        """What the frame does when the tables have these outcomes. `port`: where it comes in at another."""
        self._switch.restart()
        return self.then(frame, outcomes, fixed, port)

    def then(
        self, frame: bytes, outcomes: Outcomes, fixed: Fixed | None = None, port: int | None = None
    ) -> Observation:
        """The same behind the frames before it."""
        self._desk.clear(outcomes, {} if fixed is None else fixed)
        self.copies.begin()
        self.runs += 1
        sent = self._switch.process(self.port if port is None else port, frame)
        desk = self._desk
        if self.copies.endless:
            return NOTHING
        ports = tuple(port for port, _ in sent)
        used = self.copies.used
        clones = sum(count for (kind, _), count in used.items() if kind == SESSION)
        cells, forwarded = tuple(desk.cells), len(ports) > clones
        return Observation(tuple(desk.seen.items()), ports, desk.accepted, cells, tuple(used), forwarded)

    @property
    def lookups(self) -> dict[tuple[str, tuple[int, ...]], Call | None]:
        """All that the last frame looked up, its copies too, with the outcome."""
        return self._desk.lookups


@dataclass
class _Desk:
    """What the tables note of a frame, and what they shall answer it. `sizes` of externs."""

    sizes: Mapping[str, int]
    told: Trace
    seen: dict[str, tuple[int, ...]] = field(default_factory=dict)
    outcomes: Outcomes = field(default_factory=dict)
    fixed: Fixed = field(default_factory=dict)
    accepted: bool = True
    cells: list[Cell] = field(default_factory=list)
    lookups: dict[tuple[str, tuple[int, ...]], Call | None] = field(default_factory=dict)

    def clear(self, outcomes: Outcomes, fixed: Fixed) -> None:
        self.seen, self.outcomes, self.fixed, self.accepted, self.cells = {}, outcomes, fixed, True, []
        self.lookups = {}

    def note(self, event: Event) -> None:
        self.told(event)
        self.accepted &= event.kind != "error"
        if event.of is not None:
            name, which = event.of
            outside = event.kind == "cell" and which[0] >= self.sizes[name]
            self.cells.append((name, () if outside else which))


class _Observed(RuntimeTable):
    """A table that notes what it is asked, and answers as it was told."""

    def __init__(self, table: RuntimeTable, desk: _Desk) -> None:
        self.__dict__.update(table.__dict__)
        self._desk = desk

    def lookup(self, values: tuple[int, ...]) -> Entry | None:
        name = self.declared.name
        if self.keys:
            self._desk.seen.setdefault(name, values[: len(self.declared.keys)])
        place = name, values[: len(self.declared.keys)]
        if place not in self._desk.fixed and name not in self._desk.outcomes:
            return super().lookup(values)
        call = self._desk.fixed[place] if place in self._desk.fixed else self._desk.outcomes[name]
        self._desk.lookups[place] = call
        return None if call is None else Entry(0, (), call, 0)
