"""The packet paths of PSA: two pipelines, each with a parser, a control and a deparser, and what replicates and queues
packets between them.

After ingress and its deparser: a clone of the packet as it came goes to egress; then the packet is dropped, resubmitted,
multicast, or goes to one port. After egress and its deparser: a clone of the packet as it is goes to egress again; then
it is dropped, recirculated when its port is PSA_PORT_RECIRCULATE, or sent. What goes along with a packet from one
pipeline to the next are the bridges' variables and headers. Both deparsers run whatever becomes of the packet, since
they make the metadata of clones. A packet that a parser rejects goes on with parser_error set.
Source: P4-16 Portable Switch Architecture 1.2, sections 6.1 to 6.8; targets/psa_switch of BMv2 where it leaves room.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

from transpiler.architectures.psa.facts import PORT_RECIRCULATE, Path
from transpiler.hlir.program import Role
from transpiler.interpreter.packet import Transit
from transpiler.interpreter.paths import Paths
from transpiler.interpreter.state import HeaderValue, State, Value
from transpiler.interpreter.trace import Event


@dataclass(frozen=True, slots=True)
class Luggage:
    """The contents of a bridge."""

    variables: dict[str, Value]
    headers: dict[str, HeaderValue]


NOTHING = Luggage({}, {})


@dataclass(frozen=True, slots=True)
class IngressPass:
    """A packet in front of the ingress parser."""

    data: bytes
    port: int
    path: Path
    luggage: Luggage = NOTHING


@dataclass(frozen=True, slots=True)
class EgressPass:
    """A packet in the queue of a port, in front of the egress parser."""

    data: bytes
    port: int
    path: Path
    instance: int
    class_of_service: int
    luggage: Luggage


class Psa(Paths):
    """Carries packets through a PSA program."""

    def arrive(self, data: bytes, port: int) -> None:
        self._ingress(IngressPass(data, port, Path.NORMAL))

    # --- ingress -----------------------------------------------------------------------------------------------------

    def _ingress(self, arrival: IngressPass) -> None:
        self.trace(Event("pass", f"ingress, port {arrival.port}, {len(arrival.data)} bytes"))
        state, transit = self._begin(arrival.data, arrival.luggage)
        for struct in ("ingress_parser_input", "ingress_input"):
            state.set_intrinsic(f"{struct}.ingress_port", arrival.port)
            state.set_intrinsic(f"{struct}.packet_path", arrival.path)
        state.set_intrinsic("ingress_input.ingress_timestamp", self.now_us)
        error = self.parse(Role.PARSER, state, transit, arrival.data)
        state.set_intrinsic("ingress_input.parser_error", error)
        state.set_intrinsic("ingress_output.drop", 1)
        self.control(Role.INGRESS, state, transit)
        frame = self._deparse(Role.INGRESS_DEPARSER, state, transit)
        if state.intrinsic("ingress_output.clone"):
            self._clone(arrival.data, state, "ingress_output", Path.CLONE_I2E, "clone_i2e")
        if state.intrinsic("ingress_output.drop"):
            self.drop("at the end of ingress", transit, "ingress_output.drop")
        elif state.intrinsic("ingress_output.resubmit"):
            self.trace(Event("pass", "resubmitted"))
            again = IngressPass(arrival.data, arrival.port, Path.RESUBMIT, self._pack(state, "resubmit"))
            self.again(lambda: self._ingress(again))
        else:
            self._after_ingress(frame, state)

    def _begin(self, data: bytes, luggage: Luggage) -> tuple[State, Transit]:
        """A packet before a parser: nothing but its luggage."""
        state = self.store.packet()
        state.variables.update(luggage.variables)
        for name, header in luggage.headers.items():
            state.headers[name].copy_from(header)
        state.set_intrinsic("packet_length", len(data))
        return state, Transit(len(data), self.now_us)

    def _after_ingress(self, frame: bytes, state: State) -> None:
        if not frame:
            self.drop("nothing is left of it after ingress: a frame has one byte at least")
            return
        luggage = self._pack(state, "normal")
        service = state.intrinsic("ingress_output.class_of_service")
        group = state.intrinsic("ingress_output.multicast_group")
        if not group:
            port = state.intrinsic("ingress_output.egress_port")
            self._enqueue(EgressPass(frame, port, Path.UNICAST, 0, service, luggage))
            return
        copies = self.replication.copies(group)
        self.trace(Event("pass", f"multicast group {group}: {len(copies)} copies"))
        for port, instance in copies:
            self._enqueue(EgressPass(frame, port, Path.MULTICAST, instance, service, luggage))

    def _enqueue(self, departure: EgressPass) -> None:
        self.queue.append(lambda: self._egress(departure))

    # --- clones and luggage ------------------------------------------------------------------------------------------

    def _clone(self, data: bytes, state: State, struct: str, path: Path, bridge: str) -> None:
        session = state.intrinsic(f"{struct}.clone_session_id")
        copies = self.replication.clones(session)
        self.trace(Event("pass", f"clone, session {session}: {len(copies)} copies"))
        luggage, service = self._pack(state, bridge), self.replication.service(session)
        data = self.replication.cut(session, data)
        for port, instance in copies:
            departure = EgressPass(data, port, path, instance, service, luggage)
            if path == Path.CLONE_E2E:
                self.again(partial(self._egress, departure))
            else:
                self._enqueue(departure)

    def _pack(self, state: State, path: str) -> Luggage:
        """What the bridge of that path holds now."""
        bridge = next((b for b in self.program.bridges if b.path == path), None)
        if bridge is None:
            return NOTHING
        headers = {name: HeaderValue.fresh(state.headers[name].layout) for name in bridge.headers}
        for name, header in headers.items():
            header.copy_from(state.headers[name])
        return Luggage({name: state.variables[name] for name in bridge.variables}, headers)

    def _deparse(self, role: Role, state: State, transit: Transit) -> bytes:
        """Run a deparser, its metadata for the next pipeline empty before. Returns the packet that it makes."""
        fresh = self.store.packet()
        for bridge in self.program.bridges:
            state.variables.update({name: fresh.variables[name] for name in bridge.variables})
            state.headers.update({name: fresh.headers[name] for name in bridge.headers})
        return self.control(role, state, transit).writer.frame(transit.payload)

    # --- egress ------------------------------------------------------------------------------------------------------

    def _egress(self, departure: EgressPass) -> None:
        self.trace(Event("pass", f"egress, port {departure.port}, {len(departure.data)} bytes"))
        state, transit = self._begin(departure.data, departure.luggage)
        for struct in ("egress_parser_input", "egress_input", "egress_deparser_input"):
            state.set_intrinsic(f"{struct}.egress_port", departure.port)
            state.set_intrinsic(f"{struct}.packet_path", departure.path)
        state.set_intrinsic("egress_input.class_of_service", departure.class_of_service)
        state.set_intrinsic("egress_input.instance", departure.instance)
        state.set_intrinsic("egress_input.egress_timestamp", self.now_us)
        error = self.parse(Role.EGRESS_PARSER, state, transit, departure.data)
        state.set_intrinsic("egress_input.parser_error", error)
        self.control(Role.EGRESS, state, transit)
        frame = self._deparse(Role.DEPARSER, state, transit)
        if state.intrinsic("egress_output.clone") and frame:
            self._clone(frame, state, "egress_output", Path.CLONE_E2E, "clone_e2e")
        if state.intrinsic("egress_output.drop"):
            self.drop("at the end of egress", transit, "egress_output.drop")
        elif departure.port == PORT_RECIRCULATE and frame:
            self.trace(Event("pass", "recirculated"))
            again = IngressPass(frame, PORT_RECIRCULATE, Path.RECIRCULATE, self._pack(state, "recirculate"))
            self.again(lambda: self._ingress(again))
        else:
            self.send(departure.port, frame)


PATHS = Psa
