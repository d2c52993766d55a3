"""The packet paths of PNA: one pipe, and what becomes of a packet at its end.

Mirrored copies are made first, of the frame as it is deparsed; then the packet is dropped, recirculated or sent. A packet that
the parser rejects goes on with parser_error set. Source: as in pipes.py.
"""

from __future__ import annotations

from functools import partial

from transpiler.architectures.pna.facts import (
    DROPPED,
    MIRROR_SLOTS,
    NEXT_PASS,
    NO_MIRROR,
    PORT,
    RECIRCULATED,
    mirror,
)
from transpiler.architectures.pna.pipes import PARSER_ERROR
from transpiler.hlir.program import Role
from transpiler.interpreter.packet import Transit
from transpiler.interpreter.paths import Paths
from transpiler.interpreter.state import State
from transpiler.interpreter.trace import Event


class Pna(Paths):
    """Carries packets through a PNA program."""

    def arrive(self, data: bytes, port: int) -> None:
        self._main(data, port, 0)

    def _main(self, data: bytes, port: int, number: int) -> None:
        """`number`: of the pass, 0 for a packet as it was received."""
        self.trace(Event("pass", f"main, port {port}, {len(data)} bytes"))
        state, transit = self.store.packet(), Transit(len(data), self.now_us)
        state.set_intrinsic("packet_length", len(data))
        for struct in ("main_parser_input", "pre_input", "main_input"):
            state.set_intrinsic(f"{struct}.direction", self.store.directions.get(port, 0))
            state.set_intrinsic(f"{struct}.pass", number)
            state.set_intrinsic(f"{struct}.input_port", port)
        state.set_intrinsic("main_input.timestamp", self.now_us)
        error = self.parse(Role.PARSER, state, transit, data)
        for struct in (PARSER_ERROR, "pre_input.parser_error"):
            state.set_intrinsic(struct, error)
        state.set_intrinsic(DROPPED, 1)
        for role in (Role.PRE_CONTROL, Role.MAIN_CONTROL):
            self.control(role, state, transit)
        frame = self.control(Role.DEPARSER, state, transit).writer.frame(transit.payload)
        self._leave(frame, port, state, transit)

    def _leave(self, frame: bytes, port: int, state: State, transit: Transit) -> None:
        for slot in range(MIRROR_SLOTS):
            session = state.intrinsic(mirror(slot))
            if session != NO_MIRROR and frame:
                self._mirror(frame, session)
        if state.intrinsic(DROPPED):
            self.drop("at the end of the main control", transit, DROPPED)
        elif state.intrinsic(RECIRCULATED) and frame:
            self.trace(Event("pass", "recirculated"))
            number = state.intrinsic(NEXT_PASS)
            self.again(lambda: self._main(frame, port, number))
        else:
            self.send(state.intrinsic(PORT), frame)

    def _mirror(self, frame: bytes, session: int) -> None:
        copies = self.replication.clones(session)
        self.trace(Event("pass", f"mirror, session {session}: {len(copies)} copies"))
        for to, _ in copies:
            self.again(partial(self.send, to, self.replication.cut(session, frame)))


PATHS = Pna
