"""Runs a burst of packets by a schedule, stage by stage, as the generated C does, with the interpreter's meaning of each
statement. A stage finds what it carries, what is known where it begins, and zeros: what else it should have had of the
stages before is wrong then, and shows. Between pipes everything that the schedule does not keep is spoilt. Where a
schedule lets packets leave a pipe for the replication pipeline, every other one does. Of a pipe that is cut
each part is through with all packets before the next one begins, and nothing of their state is left in between but what crosses.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from transpiler.analysis.locations import VALIDITY, Location
from transpiler.architectures.psa import pipes as psa
from transpiler.architectures.psa.facts import Path as PsaPath
from transpiler.architectures.v1model import pipes as v1model
from transpiler.hlir import statements as st
from transpiler.hlir.arithmetic import ones
from transpiler.hlir.program import Architecture, Program
from transpiler.interpreter.evaluate import evaluate
from transpiler.interpreter.execute import Execution
from transpiler.interpreter.packet import Reader, Transit
from transpiler.interpreter.parse import NO_ERROR, parse
from transpiler.interpreter.state import HeaderValue, State
from transpiler.interpreter.store import Store
from transpiler.interpreter.trace import silent
from transpiler.schedule.architectures import preserved_lists
from transpiler.schedule.cut import Cut
from transpiler.schedule.live import stored_fields
from transpiler.schedule.pipeline import DROP, Deparse, Parse, Source, Step
from transpiler.schedule.stages import (
    Code,
    Dispatch,
    End,
    Finish,
    Fork,
    HandOver,
    Jump,
    PipeSchedule,
    Plain,
    Schedule,
    Stage,
    Submit,
    Target,
)

DROP_PORT = 511


@dataclass(slots=True)
class FramedHeader(HeaderValue):
    """A header whose fields that only extracting writes stand in the frame, too: deparsing takes them from there. `received`:
    what stands in the frame."""

    stored: frozenset[str] = frozenset()
    frame: dict[str, int] = field(default_factory=dict)
    received: dict[str, int] = field(default_factory=dict)

    def copy_from(self, other: HeaderValue) -> None:
        # not super(): a dataclass with slots is another class than the one that the method was defined in
        self.valid, self.fields = other.valid, dict(other.fields)
        self.frame = dict(getattr(other, "frame", {}))
        self.received = dict(getattr(other, "received", {}))

    def bits(self) -> tuple[int, int]:
        plain = dict(self.fields)
        for name, value in self.frame.items():
            if name not in self.stored:
                plain[name] = value
        return HeaderValue(self.layout, self.valid, plain).bits()


class FramedReader(Reader):
    """Notes in headers what stands in the frame."""

    def extract(self, header: HeaderValue, varbit_bits: int | None) -> None:
        super().extract(header, varbit_bits)
        if isinstance(header, FramedHeader):
            header.received = dict(header.fields)  # type: ignore[arg-type]


@dataclass
class Packet:
    number: int
    data: bytes
    state: State
    transit: Transit
    port: int = 0
    verdict: str = ""
    replication: bool = False
    entry: int | None = None  # of the half that it was handed over to


class StageExecution(Execution):
    """An execution that can finish lookups whose keys were taken earlier."""

    def finish(self, statement: st.ApplyTable, values: tuple[int, ...]) -> None:
        table = self.store.tables[statement.table]
        entry = table.lookup(values)
        call = self._chosen(table, entry)
        self._account(table, entry)
        if statement.hit is not None:
            self.state.variables[statement.hit.name] = int(entry is not None)
        if statement.action is not None:
            names = table.declared.action_enum.members
            self.state.variables[statement.action.name] = names.index(call.action) if call.action in names else 0
        self.run_action(call)


class Simulator:
    """A program's schedule over a store; `spoil` off makes borders harmless."""

    def __init__(self, program: Program, schedule: Schedule, store: Store) -> None:
        self.program, self.schedule, self.store = program, schedule, store
        self.stored = stored_fields(program)
        self.to_replication = 0  # packets that have left a pipe for the replication pipeline

    def run(
        self, frames: list[bytes], sub_batch: int = 4, cuts: Mapping[str, Sequence[Cut]] | None = None
    ) -> list[tuple[int, bytes]]:
        """What a burst leads to: (port, frame) of each frame sent, in the order of the burst. `cuts`: of pipes that are run
        as several parts, from the last cut to the first: each is a cut of what is in front of the one before."""
        packets = [self._packet(number, data) for number, data in enumerate(frames)]
        for pipe in self.schedule.pipes:
            through = [p for p in packets if p.verdict != "drop" and p.replication == pipe.replication]
            if pipe.renews and pipe is not self.schedule.pipes[0]:
                for packet in through:
                    self._renew(packet, pipe.keeps)
            if (made := (cuts or {}).get(pipe.name)) is None:
                self._pipe(pipe, through, sub_batch)
                continue
            self._pipe(made[-1].front, through, sub_batch)
            for one in reversed(made):
                for packet in through:
                    self._cross(packet, one)
                self._pipe(one.back, [p for p in through if p.entry is not None], sub_batch)
        self.to_replication += sum(p.replication for p in packets)
        return [(p.port, p.data) for p in packets if p.verdict == "send"]

    def _cross(self, packet: Packet, cut: Cut) -> None:
        """On to the other half, with nothing but what crosses."""
        if packet.entry is None:
            self._spoil(
                packet.state, self._all(packet.state) - (cut.to_replication if packet.replication else cut.ended)
            )
            return
        entry = cut.entries[packet.entry]
        self._spoil(packet.state, self._all(packet.state) - entry.values)
        fresh = dict.fromkeys(self.schedule.zeroed, 0) | dict(entry.known)
        for at in fresh.keys() - entry.values:
            self._set(packet.state, at, fresh[at])

    def _renew(self, packet: Packet, keeps: tuple[int, ...]) -> None:
        """A pipe begins with a fresh state, but for what goes along from the pipe before: PSA's list of normal packets."""
        lists = preserved_lists(self.program)
        kept = {Location(*place) for place in lists[psa.list_number("normal")]}
        assert psa.list_number("normal") in keeps
        for at in self._all(packet.state) - kept:
            self._set(packet.state, at, 0)
        self._spoil(packet.state, self.schedule.live - self.schedule.zeroed - kept)
        for header in packet.state.headers.values():
            assert isinstance(header, FramedHeader)
            header.frame.clear()
            header.received.clear()
        packet.transit = Transit(len(packet.data), 0)

    def _packet(self, number: int, data: bytes) -> Packet:
        state = State(self.program)
        for name, header in state.headers.items():
            stored = frozenset(at.field for at in self.stored if at.owner == name)
            state.headers[name] = FramedHeader(header.layout, False, header.fields, stored)
        self._spoil(state, self.schedule.live - self.schedule.zeroed)
        for header in state.headers.values():
            header.frame.clear()  # nothing has been extracted
        return Packet(number, data, state, Transit(len(data), 0))

    def _pipe(self, pipe: PipeSchedule, packets: list[Packet], sub_batch: int) -> None:
        sets: list[list[Packet]] = [[] for _ in pipe.stages]
        sets[0] = packets
        for number, stage in enumerate(pipe.stages):
            members = sorted(sets[number], key=lambda p: p.number)
            assert number == 0 or len({p.number for p in members}) == len(members), "a packet is in a stage once"
            for first in range(0, len(members), sub_batch):
                batch = members[first : first + sub_batch]
                if number or not pipe.renews:
                    for packet in batch:
                        self._enter(stage, packet.state)
                looks = [tuple(self._key(look, p) for look in stage.lookups) for p in batch]
                for packet in batch:  # a prefetch reads what lives, and changes nothing
                    for access in stage.prefetched:
                        evaluate(access.index, packet.state)
                for packet, look in zip(batch, looks, strict=True):
                    match StageRun(self, pipe, packet, look).go(stage.code):
                        case Submit(stage=later):
                            assert later > number, "stages are in topological order"
                            sets[later].append(packet)
            self._check_border(pipe, number)
        for packet in packets:
            if packet.entry is None:
                self._spoil_lost(packet.state)

    def _check_border(self, pipe: PipeSchedule, number: int) -> None:
        assert all(s.table in self.program.table for s in pipe.stages[number].lookups)

    def _key(self, look: st.ApplyTable, packet: Packet) -> tuple[int, ...]:
        """A lookup's key."""
        return tuple(evaluate(key.expression, packet.state) for key in self.program.table[look.table].keys)

    def _enter(self, stage: Stage, state: State) -> None:
        """What is given for the packet's life is zero here."""
        found = stage.live_in if self.schedule.passes else stage.live_in | self.schedule.live
        for at in self._all(state) - found:
            self._set(state, at, stage.known.get(at, 0))
        for at in stage.received:
            header = state.headers[at.owner]
            assert isinstance(header, FramedHeader)
            self._set(state, at, header.received.get(at.field, 0))

    def _set(self, state: State, at: Location, value: int) -> None:
        if not at.field:
            state.variables[at.owner] = value
            return
        header = state.headers[at.owner]
        assert isinstance(header, FramedHeader)
        if at.field == VALIDITY:
            header.valid = bool(value)
        else:
            header.frame.setdefault(at.field, header.fields[at.field])  # type: ignore[arg-type]
            header.fields[at.field] = value

    def _spoil_lost(self, state: State) -> None:
        self._spoil(state, self._all(state) - self.schedule.live)

    def _all(self, state: State) -> frozenset[Location]:
        variables = {Location(v.name) for v in self.program.variables}
        return frozenset(variables | {Location(n, f) for n, h in state.headers.items() for f in (VALIDITY, *h.fields)})

    def _spoil(self, state: State, locations: frozenset[Location]) -> None:
        for at in locations:
            if not at.field:
                width = getattr(self.program.variable[at.owner].type, "width", 1)
                state.variables[at.owner] = state.variables[at.owner] ^ ones(width)  # type: ignore[operator]
                continue
            header = state.headers[at.owner]
            assert isinstance(header, FramedHeader)
            if at.field == VALIDITY:
                header.valid = not header.valid
            else:
                header.frame.setdefault(at.field, header.fields[at.field])  # type: ignore[arg-type]
                header.fields[at.field] ^= ones(header.layout.field(at.field).type.width)  # type: ignore


class StageRun:
    """One packet through one stage."""

    def __init__(
        self, simulator: Simulator, pipe: PipeSchedule, packet: Packet, looks: tuple[tuple[int, ...], ...]
    ) -> None:
        self.pipe, self.packet, self.looks = pipe, packet, looks
        self.program = simulator.program
        self.state = packet.state
        self.execution = StageExecution(simulator.store, packet.state, packet.transit, silent)
        self.steps = STEPS[simulator.program.architecture]

    def go(self, code: Code) -> Target:
        """Where the packet goes at the end of the code."""
        for piece in code:
            match piece:
                case Submit() | End():
                    return piece
                case HandOver(entry=entry):
                    self.packet.entry = entry
                    return End()
                case Dispatch(stages=stages):
                    entry, self.packet.entry = self.packet.entry, None
                    assert entry is not None, "who comes to the back was handed over"
                    return Submit(stages[entry])
                case Jump(join=join):
                    return self.go(self.pipe.joins[join])
                case Fork():
                    return self.go(self._arm(piece))
                case Finish(statement=statement, lookup=lookup):
                    self.execution.finish(statement, self.looks[lookup])
                case Plain(what=Step() as step):
                    if not self.steps(self.packet, step):
                        return End()
                case Plain(what=Parse(parser=parser, error=error)):
                    self._parse(parser, error)
                case Plain(what=Deparse() as deparse):
                    if not self._deparse(deparse):
                        return End()
                case Plain(what=statement):
                    left = self.execution.run((statement,))  # type: ignore[arg-type]
                    if left is not None:
                        to = self.pipe.exits[left]
                        return self.go((to,))
        raise AssertionError("code ends with where it goes on")

    def _arm(self, fork: Fork) -> Code:
        match fork:
            case Fork(statement=st.If(condition=condition), arms=(then, otherwise)):
                return then if evaluate(condition, self.state) else otherwise
            case Fork(statement=st.Switch(subject=subject, cases=cases), arms=arms):
                value = evaluate(subject, self.state)
                return next((a for c, a in zip(cases, arms, strict=False) if value in c.values), arms[-1])
        raise AssertionError("a fork is an If or a Switch")

    def _deparse(self, what: Deparse) -> bool:
        """False when the pipe is done with the packet before its frame is changed."""
        for name in what.valid:  # else it may not be kept
            self.state.headers[name].valid = True
        self.execution.run(what.control.body)
        if what.then is not None and not self.steps(self.packet, what.then):
            return False
        self.packet.data = self.execution.writer.frame(self.packet.transit.payload)
        self.packet.verdict = "send" if self.packet.data else "drop"
        return True

    def _parse(self, parser: object, intrinsic: str) -> None:
        reader = FramedReader(self.packet.data)
        enter, self.state.enter_pipe = self.state.enter_pipe, lambda: None  # type: ignore[method-assign]
        error = parse(self.execution, parser, reader)  # type: ignore[arg-type]
        self.state.enter_pipe = enter  # type: ignore[method-assign]
        self.packet.transit.payload = reader.payload
        ordinal = self.program.errors.members.index(error) if error != NO_ERROR else 0
        self.state.set_intrinsic(intrinsic, ordinal)


# --- steps of architectures: False when the pipe is done with the packet ------------------------------------------------


def v1model_step(packet: Packet, step: Step) -> bool:
    set_, get = packet.state.set_intrinsic, packet.state.intrinsic
    if step == v1model.BEGIN_INGRESS:
        set_("ingress_port", 0)
        set_("packet_length", packet.transit.length)
        set_("instance_type", 0)
        return True
    decides = step in (v1model.FORWARD, v1model.DECIDE, v1model.DIVERT, v1model.FINISH)
    if step == DROP or (decides and get("egress_spec") == DROP_PORT):
        packet.verdict = "drop"
        return False
    if step in (v1model.FORWARD, v1model.TO_PORT, v1model.DECIDE, v1model.DIVERT):
        packet.port = get("egress_spec")
    if step == v1model.DIVERT and packet.number % 2:
        packet.replication = True
        return False
    if step in (v1model.FORWARD, v1model.TO_PORT, v1model.BEGIN_EGRESS, v1model.DIVERT):
        set_("egress_port", packet.port)
        set_("egress_spec", 0)
        set_("egress_rid", 0)
        set_("instance_type", 0)
    return True


def psa_step(packet: Packet, step: Step) -> bool:
    """Of packets that are neither replicated nor begin again."""
    get = packet.state.intrinsic
    sources = {Source.LENGTH: len(packet.data), Source.ONE: 1, Source.EGRESS_PORT: packet.port}
    sources[Source.INSTANCE] = PsaPath.UNICAST if step.name == psa.BEGIN_EGRESS.name else PsaPath.NORMAL
    for name, source in step.fills:
        packet.state.set_intrinsic(name, get(source) if isinstance(source, str) else sources.get(source, 0))
    leaves = {psa.LEAVE_INGRESS: "ingress_output.drop", psa.LEAVE_EGRESS: "egress_output.drop"}
    if step == DROP or (step in leaves and get(leaves[step])):
        packet.verdict = "drop"
        return False
    if step in (psa.ENQUEUE, psa.TO_PORT):
        packet.port = get("ingress_output.egress_port")
    return True


STEPS = {Architecture.V1MODEL: v1model_step, Architecture.PSA: psa_step}
