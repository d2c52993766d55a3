"""What a run of one parser or control for one packet works with."""

from __future__ import annotations

from transpiler.interpreter.packet import Reader, Transit, Writer
from transpiler.interpreter.state import State
from transpiler.interpreter.store import Store
from transpiler.interpreter.tables import RuntimeTable
from transpiler.interpreter.trace import Trace
from transpiler.interpreter.watch import NOBODY, Watch


class Run:
    """`direct_index`: direct extern → the entry that its table hit; `direct_colour` what its meter said of that.
    `rounds` of all loops so far. `applied`: the table whose action runs, `missed`: the key that missed it, `hit`: else the
    handle of the entry."""

    def __init__(self, store: Store, state: State, transit: Transit, trace: Trace, watch: Watch = NOBODY) -> None:
        self.store = store
        self.state = state
        self.transit = transit
        self.trace = trace
        self.watch = watch
        self.reader = Reader(b"")
        self.writer = Writer()
        self.rounds = 0
        self.direct_index: dict[str, int] = {}
        self.direct_colour: dict[str, int] = {}
        self.applied: RuntimeTable | None = None
        self.missed: tuple[int, ...] | None = None
        self.hit: int | None = None
