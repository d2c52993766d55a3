"""The packet paths of v1model (and so of P4-14): what stands between the program's parser, controls and deparser.

After ingress: clones are made of the packet as it came; then it is resubmitted, or multicast, or dropped (egress_spec is
the drop port), or goes on to the port egress_spec. After egress: clones are made of the packet as it is; then it is
dropped, or deparsed, its payload ciphered where that was asked for, and recirculated or sent. A rejected packet goes on
to ingress with parser_error set.
Source: the public documentation of BMv2's simple_switch, "Pseudocode for what happens at the end of ingress and egress".
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

from transpiler.architectures.v1model.facts import DROP_PORT, Instance
from transpiler.externs.cipher import BLOCK_BYTES
from transpiler.hlir.expressions import Place
from transpiler.hlir.program import Role, Storage
from transpiler.interpreter.evaluate import read, write
from transpiler.interpreter.packet import Transit
from transpiler.interpreter.paths import Paths
from transpiler.interpreter.state import State, Value
from transpiler.interpreter.trace import Event

Kept = tuple[tuple[Place, Value], ...]


@dataclass(frozen=True, slots=True)
class IngressPass:
    """A packet in front of the parser. `live`: metadata preserved from an earlier pass."""

    data: bytes
    port: int
    instance_type: Instance
    kept: Kept = ()


@dataclass(frozen=True, slots=True)
class EgressPass:
    """A packet in the queue of an egress port."""

    state: State
    transit: Transit
    port: int
    ingress_port: int


class V1Model(Paths):
    """Carries packets through a v1model program."""

    def arrive(self, data: bytes, port: int) -> None:
        self._ingress(IngressPass(data, port, Instance.NORMAL))

    # --- ingress -----------------------------------------------------------------------------------------------------

    def _ingress(self, arrival: IngressPass) -> None:
        self.trace(Event("pass", f"ingress, port {arrival.port}, {len(arrival.data)} bytes"))
        state = self.store.packet()
        transit = Transit(len(arrival.data), self.now_us)
        self._begin(state, arrival, len(arrival.data))
        state.set_intrinsic("parser_error", self.parse(Role.PARSER, state, transit, arrival.data))
        for role in (Role.VERIFY_CHECKSUM, Role.INGRESS):
            self.control(role, state, transit)
        requests, transit.requests = transit.requests, transit.requests.after_ingress()
        if requests.clone_ingress is not None:
            self._clone_ingress(arrival, state, *requests.clone_ingress)
        if requests.resubmit is not None:
            again = IngressPass(arrival.data, arrival.port, Instance.RESUBMITTED, self._kept(state, requests.resubmit))
            self.trace(Event("pass", "resubmitted"))
            self.again(lambda: self._ingress(again))
            return
        self._after_ingress(state, transit, arrival.port)

    def _begin(self, state: State, arrival: IngressPass, length: int) -> None:
        """The metadata that a parser and ingress find."""
        for place, value in arrival.kept:
            write(place, value, state)
        state.set_intrinsic("ingress_port", arrival.port)
        state.set_intrinsic("packet_length", length)
        state.set_intrinsic("instance_type", arrival.instance_type)
        state.set_intrinsic("ingress_global_timestamp", self.now_us)

    def _after_ingress(self, state: State, transit: Transit, ingress_port: int) -> None:
        group = state.intrinsic("mcast_grp")
        if group:
            state.set_intrinsic("instance_type", Instance.REPLICATED)
            copies = self.replication.copies(group)
            self.trace(Event("pass", f"multicast group {group}: {len(copies)} copies"))
            self._replicate(copies, state, transit, ingress_port)
        elif state.intrinsic("egress_spec") == DROP_PORT:
            self.drop("at the end of ingress", transit, "egress_spec")
        else:
            state.set_intrinsic("instance_type", Instance.NORMAL)
            state.set_intrinsic("egress_rid", 0)
            self._enqueue(EgressPass(state, transit, state.intrinsic("egress_spec"), ingress_port))

    def _replicate(
        self, copies: list[tuple[int, int]], state: State, transit: Transit, ingress_port: int, again: bool = False
    ) -> None:
        """A copy to each egress port; `again`: it is a second pass of a packet that was there already."""
        for port, rid in copies:
            replica = state.copy()
            replica.set_intrinsic("egress_rid", rid)
            own = Transit(transit.length, transit.now_us, transit.payload, transit.requests.after_ingress())
            departure = EgressPass(replica, own, port, ingress_port)
            if again:
                self.again(partial(self._egress, departure))
            else:
                self._enqueue(departure)

    def _enqueue(self, departure: EgressPass) -> None:
        self.queue.append(lambda: self._egress(departure))

    # --- clones ------------------------------------------------------------------------------------------------------

    def _kept(self, state: State, fields: tuple[Place, ...]) -> Kept:
        return tuple((place, read(place, state)) for place in fields)

    def _clone_ingress(self, arrival: IngressPass, state: State, session: int, fields: tuple[Place, ...]) -> None:
        """Clones of the packet as it came, as long as the session lets them be: parsed again, then straight to egress."""
        copies = self.replication.clones(session)
        self.trace(Event("pass", f"ingress clone, session {session}: {len(copies)} copies"))
        if not copies:
            return
        data = self.replication.cut(session, arrival.data)
        clone, transit = self.store.packet(), Transit(len(data), self.now_us)
        self._begin(clone, IngressPass(data, arrival.port, Instance.INGRESS_CLONE), len(data))
        self.parse(Role.PARSER, clone, transit, data)
        self._restart(clone, arrival.port, Instance.INGRESS_CLONE, self._kept(state, fields))
        self._replicate(copies, clone, transit, arrival.port)

    def _clone_egress(self, departure: EgressPass, session: int, fields: tuple[Place, ...]) -> None:
        """Clones of the packet as it is after egress: headers stay, metadata begin anew. They are cut when they are sent."""
        copies = self.replication.clones(session)
        self.trace(Event("pass", f"egress clone, session {session}: {len(copies)} copies"))
        clone = departure.state.copy()
        kept = self._kept(departure.state, fields)
        self._restart(clone, departure.ingress_port, Instance.EGRESS_CLONE, kept)
        transit = Transit(departure.transit.length, self.now_us, departure.transit.payload)
        transit.requests.truncate = self.replication.most(session) or None
        self._replicate(copies, clone, transit, departure.ingress_port, again=True)

    def _restart(self, state: State, port: int, instance_type: Instance, kept: Kept) -> None:
        state.reset(Storage.METADATA, Storage.INTRINSIC)
        for place, value in kept:
            write(place, value, state)
        state.set_intrinsic("ingress_port", port)
        state.set_intrinsic("ingress_global_timestamp", self.now_us)
        state.set_intrinsic("instance_type", instance_type)

    # --- egress ------------------------------------------------------------------------------------------------------

    def _egress(self, departure: EgressPass) -> None:
        state, transit = departure.state, departure.transit
        self.trace(Event("pass", f"egress, port {departure.port}"))
        state.set_intrinsic("egress_port", departure.port)
        state.set_intrinsic("egress_spec", 0)
        state.set_intrinsic("packet_length", transit.length)
        for time in ("enq_timestamp", "egress_global_timestamp"):
            state.set_intrinsic(time, self.now_us)
        for wait in ("enq_qdepth", "deq_timedelta", "deq_qdepth", "qid"):  # no packet waits in a queue
            state.set_intrinsic(wait, 0)
        self.control(Role.EGRESS, state, transit)
        requests = transit.requests
        if requests.clone_egress is not None:
            self._clone_egress(departure, *requests.clone_egress)
        if state.intrinsic("egress_spec") == DROP_PORT:
            self.drop("at the end of egress", transit, "egress_spec")
            return
        headers, payload = self._deparse(state, transit)
        cipher = transit.requests.cipher
        if cipher is not None:
            if len(payload) % BLOCK_BYTES:
                self.drop("a payload that is not whole blocks cannot be ciphered")
                return
            payload = cipher.run(cipher.key, cipher.iv, payload)
        self._leave(departure, headers + payload)

    def _deparse(self, state: State, transit: Transit) -> tuple[bytes, bytes]:
        """The headers and the payload of the frame as it is to leave, but for the cipher."""
        self.control(Role.COMPUTE_CHECKSUM, state, transit)
        run = self.control(Role.DEPARSER, state, transit)
        headers, payload = run.writer.frame(b""), transit.payload
        length = transit.requests.truncate if transit.requests.recirculate is None else None
        return (headers, payload) if length is None else (headers[:length], payload[: max(0, length - len(headers))])

    def _leave(self, departure: EgressPass, frame: bytes) -> None:
        fields = departure.transit.requests.recirculate
        if fields is None or not frame:
            self.send(departure.port, frame)
            return
        kept = self._kept(departure.state, fields)
        self.trace(Event("pass", "recirculated"))
        self.again(lambda: self._ingress(IngressPass(frame, departure.ingress_port, Instance.RECIRCULATED, kept)))


PATHS = V1Model
