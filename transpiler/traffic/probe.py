"""One frame through the reference interpreter, with tables whose outcome is chosen: which are applied, with which keys.

Nothing of the program's semantics is told twice: what a frame does is what the interpreter makes of it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from transpiler.hlir.program import Program
from transpiler.interpreter import Switch
from transpiler.interpreter.tables import Call, Entry, RuntimeTable

Outcomes = Mapping[
    str, Call | None
]  # table → the call of a hit; None: a miss. Tables that are not in it are looked up.


@dataclass(frozen=True, slots=True)
class Observation:
    """What a frame did: `applied` (table, key values) in order, each table's first time; `ports` it was sent to."""

    applied: tuple[tuple[str, tuple[int, ...]], ...]
    ports: tuple[int, ...]

    @property
    def way(self) -> tuple[tuple[str, ...], bool]:
        """Which tables were applied, and whether the frame came out: what must not change for two frames to be alike."""
        return tuple(name for name, _ in self.applied), bool(self.ports)


class Probe:
    """Sends frames in at a port of a switch that forgets everything in between."""

    def __init__(self, program: Program, port: int) -> None:
        self.program, self.port = program, port

    def run(self, frame: bytes, outcomes: Outcomes) -> Observation:
        """What the frame does when the tables have these outcomes."""
        switch = Switch(self.program)
        seen: dict[str, tuple[int, ...]] = {}
        for name, table in switch.store.tables.items():
            switch.store.tables[name] = _Observed(table, seen, outcomes)
        sent = switch.process(self.port, frame)
        return Observation(tuple(seen.items()), tuple(port for port, _ in sent))


class _Observed(RuntimeTable):
    """A table that notes what it is asked, and answers as it was told."""

    def __init__(self, table: RuntimeTable, seen: dict[str, tuple[int, ...]], outcomes: Outcomes) -> None:
        self.__dict__.update(table.__dict__)
        self._seen, self._outcomes = seen, outcomes

    def lookup(self, values: tuple[int, ...]) -> Entry | None:
        name = self.declared.name
        if self.keys:
            self._seen.setdefault(name, values[: len(self.declared.keys)])
        if name not in self._outcomes:
            return super().lookup(values)
        call = self._outcomes[name]
        return None if call is None else Entry(0, (), call, 0)
