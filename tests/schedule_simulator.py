"""Carries bursts of packets through all pipes of a schedule, as the runtime does. See simulated_stages.py for one pipe.

Further passes and copies, of v1model programs: ingress clones go to egress before the packet that they are copies of. Egress
clones, resubmitted and recirculated packets wait until the burst is through; then those that begin at the same pipe go together,
one of each received packet.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping, Sequence

from simulated_stages import Packet, Stages, list_of

from transpiler.architectures.psa import pipes as psa
from transpiler.architectures.v1model.facts import Instance
from transpiler.hlir.program import Architecture
from transpiler.interpreter.paths import PASSES_LIMIT
from transpiler.schedule.cut import Cut
from transpiler.schedule.stages import PipeSchedule

Cuts = Mapping[str, Sequence[Cut]]
Sent = tuple[int, bytes]


class Simulator(Stages):
    """Counts in `to_replication` the packets that have left a pipe for the replication pipeline, in `passes` the second passes
    of all packets, and in `again` those of them that began with the first pipe."""

    to_replication = passes = again = 0

    def run(self, frames: list[bytes], sub_batch: int = 4, cuts: Cuts | None = None) -> list[Sent]:
        """What a burst leads to: (port, frame) of each frame sent, in the order of the burst. `cuts`: of pipes that are run
        as several parts, from the last cut to the first: each is a cut of what is in front of the one before."""
        packets = [self.received(number, data) for number, data in enumerate(frames)]
        bursts = [[packet] for packet in packets] if self.schedule.ordered else [packets]
        carry = self._several_passes if self._replicates() else self._one_pass
        return [sent for burst in bursts for sent in carry(burst, sub_batch, cuts or {})]

    def _replicates(self) -> bool:
        """Whether there may be several packets of one."""
        pipes = self.schedule.pipes
        return self.program.architecture is Architecture.V1MODEL and len(pipes) > 1 and not pipes[1].replication

    def _one_pass(self, packets: list[Packet], sub_batch: int, cuts: Cuts) -> list[Sent]:
        for packet in packets:
            packet.number = packet.origin
        for pipe in self.schedule.pipes:
            through = [p for p in packets if p.verdict != "drop" and p.replication == pipe.replication]
            if pipe.renews and pipe is not self.schedule.pipes[0]:
                for packet in through:
                    assert psa.list_number("normal") in pipe.keeps
                    self.renew(packet, psa.list_number("normal"))
            self.pipe(pipe, through, sub_batch, cuts.get(pipe.name))
        self.to_replication += sum(p.replication for p in packets)
        return [(p.port, p.data) for p in packets if p.verdict == "send"]

    def _several_passes(self, packets: list[Packet], sub_batch: int, cuts: Cuts) -> list[Sent]:
        return Passes(self, sub_batch, cuts).carry(packets)


class Passes:
    """The passes of a received burst, and of all that comes of it."""

    def __init__(self, stages: Simulator, sub_batch: int, cuts: Cuts) -> None:
        self.stages, self.program, self.sub_batch, self.cuts = stages, stages.program, sub_batch, cuts
        self.pipes = {pipe.name: pipe for pipe in stages.schedule.pipes}
        self.queue: deque[Packet] = deque()
        self.passes: dict[int, int] = {}  # by origin
        self.held: list[Packet] = []

    def carry(self, packets: list[Packet]) -> list[Sent]:
        """What is sent, in the order in which packets were received."""
        self._from_ingress(packets)
        while self.queue:
            packets = self._taken()
            if packets[0].instance == Instance.EGRESS_CLONE:
                self._to_egress(self._cloned(packets))
            else:
                self._from_ingress(packets)
        return [(p.port, p.data) for p in sorted(self.held, key=lambda p: p.origin)]

    def _taken(self) -> list[Packet]:
        found: list[Packet] = []
        while self.queue:
            packet, clone = self.queue[0], self.queue[0].instance == Instance.EGRESS_CLONE
            if found and (found[0].instance == Instance.EGRESS_CLONE) != clone:
                break
            if packet.origin in {p.origin for p in found}:
                break
            found.append(self.queue.popleft())
        return found

    def _enter(self, packet: Packet) -> None:
        if self.passes.setdefault(packet.origin, 0) < PASSES_LIMIT:
            self.passes[packet.origin] += 1
            self.stages.passes += 1
            self.queue.append(packet)

    def _begin_again(self, packet: Packet, instance: Instance, kept: int) -> None:
        packet.instance, packet.kept, packet.verdict = instance, kept, ""
        self.stages.renew(packet, kept)
        self.stages.again += 1
        self._enter(packet)

    def _run(self, pipe: PipeSchedule, packets: list[Packet]) -> None:
        for number, packet in enumerate(packets):
            packet.number = number
        self.stages.pipe(pipe, packets, self.sub_batch, self.cuts.get(pipe.name))

    # --- ingress, and what it leads to -------------------------------------------------------------------------------

    def _from_ingress(self, packets: list[Packet]) -> None:
        self._run(self.pipes["ingress"], packets)
        departures: list[Packet] = []
        for packet in packets:
            requests, packet.transit.requests = packet.transit.requests, packet.transit.requests.after_ingress()
            if requests.clone_ingress is not None:
                session, fields = requests.clone_ingress
                kept = list_of(self.program, fields)
                departures += self._cloned(self.stages.clone(packet, session, kept, Instance.INGRESS_CLONE))
            if requests.resubmit is not None:
                self._begin_again(packet, Instance.RESUBMITTED, list_of(self.program, requests.resubmit))
            elif packet.verdict == "replicate":
                departures += self._replicas(packet)
            elif packet.verdict != "drop":
                departures.append(packet)
        self._to_egress(departures)

    def _replicas(self, packet: Packet) -> list[Packet]:
        """Copies for a multicast group; they are recirculated as the packet would be."""
        made = []
        for port, rid in self.stages.replication.copies(packet.group):
            copy = packet.copy(port=port, rid=rid, instance=Instance.REPLICATED)
            copy.transit.requests = packet.transit.requests.after_ingress()
            made.append(copy)
        return made

    def _cloned(self, packets: list[Packet]) -> list[Packet]:
        """Copies become clones."""
        for packet in packets:
            self._run(self.pipes["clone"], [packet])
        return packets

    # --- egress, and what it leads to --------------------------------------------------------------------------------

    def _to_egress(self, packets: list[Packet]) -> None:
        self._run(self.pipes["egress"], packets)
        for packet in packets:
            for clone in packet.clones:
                self._enter(clone)
            packet.clones = []
            if packet.verdict != "send":
                continue
            fields = packet.transit.requests.recirculate
            if fields is None:
                self.held.append(packet)
            else:
                self._begin_again(packet, Instance.RECIRCULATED, list_of(self.program, fields))
