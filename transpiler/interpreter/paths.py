"""What the packet paths of all architectures have in common: passes, and runs of one parser or control.

A pass of a packet is one through ingress and the egress passes that come of it, or the egress pass of an egress clone. Second
passes follow in the order in which they were asked for, one after the other."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable

from transpiler.hlir.program import Control, Parser, Program, Role
from transpiler.interpreter.execute import Execution, Runaway
from transpiler.interpreter.packet import Reader, Transit
from transpiler.interpreter.parse import NO_ERROR, parse
from transpiler.interpreter.replication import Replication
from transpiler.interpreter.state import State
from transpiler.interpreter.store import Store
from transpiler.interpreter.trace import Event, Trace
from transpiler.interpreter.watch import NOBODY, Watch

PASSES_LIMIT = 256  # second passes (clones of egress, resubmitted and recirculated packets) of one received packet

Sent = tuple[int, bytes]


class Paths:
    """Carries packets through a program. An architecture says in `arrive` what a received frame goes through first."""

    def __init__(self, program: Program, store: Store, replication: Replication) -> None:
        self.program = program
        self.store = store
        self.replication = replication
        self.trace: Trace = lambda event: None
        self.watch: Watch = NOBODY
        self.now_us = 0
        self.queue: deque[Callable[[], None]] = deque()
        self.sent: list[Sent] = []
        self.second_passes: deque[Callable[[], None]] = deque()
        self.passes = 0

    def process(self, data: bytes, port: int, now_us: int, trace: Trace) -> list[Sent]:
        """Everything that a received frame leads to: (port, frame) of each frame sent, in order."""
        self.trace, self.now_us, self.sent, self.passes = trace, now_us, [], 0
        self.queue = deque([lambda: self.arrive(data, port)])
        self.second_passes.clear()
        while self.queue or self.second_passes:
            try:
                (self.queue or self.second_passes).popleft()()
            except Runaway:
                self.drop("a loop does not end")
        return self.sent

    def again(self, begin: Callable[[], None]) -> None:
        """A second pass, once the packet of this one is through egress; dropped when there were too many."""
        if self.passes == PASSES_LIMIT:
            self.drop(f"the packet went round {PASSES_LIMIT} times")
            return
        self.passes += 1
        self.second_passes.append(begin)

    def arrive(self, data: bytes, port: int) -> None:
        """The first pass of a received frame."""
        raise NotImplementedError

    def drop(self, why: str, transit: Transit | None = None, intrinsic: str = "") -> None:
        """Tell of a drop; given the packet and the intrinsic that asked for it, with the statement that set that."""
        variable = self.program.intrinsic.get(intrinsic, "")
        self.trace(Event("drop", why, transit.written.get(variable) if transit is not None else None))

    def parse(self, role: Role, state: State, transit: Transit, data: bytes) -> int:
        """Run a parser; what it leaves is the payload. Returns the ordinal of its error."""
        parser = self.program.pipe(role)
        if not isinstance(parser, Parser):
            transit.payload = data
            return 0
        run = self.execution(state, transit)
        reader = self.reader(data)
        error = parse(run, parser, reader)
        transit.payload = reader.payload
        return self.program.errors.members.index(error) if error != NO_ERROR else 0

    def execution(self, state: State, transit: Transit) -> Execution:
        """What runs a parser or control."""
        return Execution(self.store, state, transit, self.trace, self.watch)

    def reader(self, data: bytes) -> Reader:
        """What a parser reads a frame with."""
        return Reader(data)

    def control(self, role: Role, state: State, transit: Transit) -> Execution:
        """Run a control, if the program has it."""
        run = self.execution(state, transit)
        control = self.program.pipe(role)
        if isinstance(control, Control):
            state.enter_pipe()
            run.run(control.body)
        return run

    def send(self, port: int, frame: bytes) -> None:
        """Out of a port, unless nothing is left of the frame."""
        if not frame:
            self.drop("nothing is left of it: a frame has one byte at least")
            return
        self.trace(Event("send", f"port {port}, {len(frame)} bytes"))
        self.sent.append((port, frame))
