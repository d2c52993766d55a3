"""Runs packets through a pipe of a schedule, stage by stage, as the generated C does, with the interpreter's meaning of each
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
from transpiler.architectures.v1model.facts import DROP_PORT, Instance
from transpiler.hlir import expressions as ex, statements as st
from transpiler.hlir.arithmetic import ones
from transpiler.hlir.program import Architecture, Program
from transpiler.interpreter.evaluate import evaluate
from transpiler.interpreter.execute import Execution
from transpiler.interpreter.packet import Reader, Transit
from transpiler.interpreter.parse import NO_ERROR, parse
from transpiler.interpreter.replication import Replication
from transpiler.interpreter.state import HeaderValue, State
from transpiler.interpreter.store import Store
from transpiler.interpreter.trace import silent
from transpiler.schedule.architectures import preserved_lists
from transpiler.schedule.cut import Cut
from transpiler.schedule.live import stored_fields
from transpiler.schedule.pipeline import DROP, Deparse, Parse, Restart, Source, Special, Step
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
    """`origin`: the received one that it comes of; `number`: its place among those with which it goes through a pipe."""

    origin: int
    data: bytes
    state: State
    transit: Transit
    number: int = 0
    port: int = 0
    rid: int = 0
    instance: int = 0
    kept: int = 0  # the list of fields that it keeps of its pass before
    verdict: str = ""
    group: int = 0  # of its copies, where there are to be some
    replication: bool = False
    entry: int | None = None  # of the half that it was handed over to
    clones: list[Packet] = field(default_factory=list)  # of egress

    def copy(self, port: int = 0, rid: int = 0, kept: int = 0, instance: int = 0) -> Packet:
        """Another packet with the same state, which has asked for nothing."""
        state = self.state.copy()
        for name, header in self.state.headers.items():
            assert isinstance(header, FramedHeader)
            own = FramedHeader(header.layout, False, {}, header.stored)
            own.copy_from(header)
            state.headers[name] = own
        transit = Transit(self.transit.length, self.transit.now_us, self.transit.payload)
        return Packet(self.origin, self.data, state, transit, 0, port, rid, instance, kept)


class StageExecution(Execution):
    """An execution that can finish lookups whose keys were taken earlier."""

    def finish(self, statement: st.ApplyTable, values: tuple[int, ...]) -> None:
        table = self.store.tables[statement.table]
        entry = table.lookup(values)
        call = self._chosen(table, entry)
        self._account(table, entry)
        self._give_results(statement, table, entry, call)
        self.run_action(call)


class Stages:
    """A program's schedule over a store, with these groups and clone sessions."""

    def __init__(
        self, program: Program, schedule: Schedule, store: Store, replication: Replication | None = None
    ) -> None:
        self.program, self.schedule, self.store = program, schedule, store
        self.replication = replication or Replication()
        self.stored = stored_fields(program)
        self.variables = frozenset(Location(v.name) for v in program.variables)
        fields = {header.name: program.header_type_of[header.name].fields for header in program.headers}
        names = ((header, field) for header in fields for field in (VALIDITY, *(f.name for f in fields[header])))
        self.all = self.variables | {Location(*name) for name in names}
        self.masks = {at: self._mask(at) for at in self.all}
        self.entered: dict[int, list[tuple[Location, int]]] = {}  # what each stage has set where it begins, by its id

    def pipe(
        self, pipe: PipeSchedule, packets: list[Packet], sub_batch: int, cuts: Sequence[Cut] | None = None
    ) -> None:
        """Packets through a pipe, one part of it after the other."""
        if cuts is None:
            self._pipe(pipe, packets, sub_batch)
            return
        self._pipe(cuts[-1].front, packets, sub_batch)
        for one in reversed(cuts):
            for packet in packets:
                self._cross(packet, one)
            self._pipe(one.back, [p for p in packets if p.entry is not None], sub_batch)

    def _cross(self, packet: Packet, cut: Cut) -> None:
        """On to the other half, with nothing but what crosses."""
        if packet.entry is None:
            self._spoil(packet.state, self.all - (cut.to_replication if packet.replication else cut.ended))
            return
        entry = cut.entries[packet.entry]
        self._spoil(packet.state, self.all - entry.values)
        fresh = dict.fromkeys(self.schedule.zeroed, 0) | dict(entry.known)
        for at in fresh.keys() - entry.values:
            self._set(packet.state, at, fresh[at])

    def renew(self, packet: Packet, kept: int) -> None:
        """A pipe begins with a fresh state, but for what goes along from before: the list of that number."""
        places = frozenset(Location(*place) for place in preserved_lists(self.program)[kept])
        self.begin(packet.state, places)
        self._spoil(packet.state, self.schedule.live - self.schedule.zeroed - places, frame=False)
        packet.transit = Transit(len(packet.data), packet.transit.now_us)

    def begin(self, state: State, kept: frozenset[Location] = frozenset()) -> None:
        """All zero but for these values."""
        for at in self.all - kept:
            self._set(state, at, 0)
        for header in state.headers.values():
            assert isinstance(header, FramedHeader)
            header.frame.clear()
            header.received.clear()

    def received(self, number: int, data: bytes) -> Packet:
        """A packet that is received as the one of this number."""
        state = State(self.program)
        for name, header in state.headers.items():
            stored = frozenset(at.field for at in self.stored if at.owner == name)
            state.headers[name] = FramedHeader(header.layout, False, header.fields, stored)
        self._spoil(state, self.schedule.live - self.schedule.zeroed, frame=False)
        return Packet(number, data, state, Transit(len(data), number + 1))

    def restart(self, packet: Packet, restart: Restart, run: StageRun) -> None:
        """A copied state becomes a clone's."""
        state, before = packet.state, packet.copy().state
        if packet.instance == Instance.INGRESS_CLONE or not restart.keeps_headers:
            self.begin(state)
            run.steps(packet, restart.begin_parsed)
            if restart.parse is not None:
                run.parse(restart.parse.parser, restart.parse.error)
        for at in self.variables:
            self._set(state, at, 0)
        for place in preserved_lists(self.program)[packet.kept]:
            self._set(state, Location(*place), value_at(before, Location(*place)))
        run.steps(packet, restart.begin)

    def clone(self, packet: Packet, session: int, kept: int, instance: Instance) -> list[Packet]:
        """Copies of a packet for a session, with nothing of its state but what is kept."""
        made = []
        for port, rid in self.replication.clones(session):
            copy = packet.copy(port=port, rid=rid, kept=kept, instance=instance)
            self._spoil_lost(copy.state)
            made.append(copy)
        return made

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
        if id(stage) not in self.entered:
            found = stage.live_in if self.schedule.passes else stage.live_in | self.schedule.live
            self.entered[id(stage)] = [(at, stage.known.get(at, 0)) for at in self.all - found]
        for at, value in self.entered[id(stage)]:
            self._set(state, at, value)
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

    def _mask(self, at: Location) -> int:
        """All bits of a variable or of a field."""
        if at.field == VALIDITY:
            return 1
        kind = (
            self.program.header_type_of[at.owner].field(at.field) if at.field else self.program.variable[at.owner]
        ).type
        return ones(getattr(kind, "width", 1))

    def _spoil_lost(self, state: State) -> None:
        self._spoil(state, self.all - self.schedule.live)

    def _spoil(self, state: State, locations: frozenset[Location], frame: bool = True) -> None:
        """`frame`: something has been extracted, which still stands in the frame."""
        for at in locations:
            if not at.field:
                state.variables[at.owner] ^= self.masks[at]  # type: ignore[operator]
                continue
            header = state.headers[at.owner]
            assert isinstance(header, FramedHeader)
            if at.field == VALIDITY:
                header.valid = not header.valid
            else:
                if frame:
                    header.frame.setdefault(at.field, header.fields[at.field])  # type: ignore[arg-type]
                header.fields[at.field] ^= self.masks[at]  # type: ignore[operator]


def list_of(program: Program, fields: Sequence[ex.Place]) -> int:
    """The number of a list of preserved fields."""
    return preserved_lists(program).index(tuple(_names(place) for place in fields))


def _names(place: ex.Place) -> tuple[str, str]:
    if isinstance(place, ex.VariableRef):
        return place.name, ""
    assert isinstance(place, ex.FieldRef) and isinstance(place.header, ex.HeaderRef)
    return place.header.name, place.field


def value_at(state: State, at: Location) -> int:
    value = state.headers[at.owner].fields[at.field] if at.field else state.variables[at.owner]
    assert isinstance(value, int)
    return value


class StageRun:
    """One packet through one stage."""

    def __init__(self, stages: Stages, pipe: PipeSchedule, packet: Packet, looks: tuple[tuple[int, ...], ...]) -> None:
        self.pipe, self.packet, self.looks = pipe, packet, looks
        self.stages, self.program = stages, stages.program
        self.state = packet.state
        self.execution = StageExecution(stages.store, packet.state, packet.transit, silent)
        self.steps = STEPS[stages.program.architecture]

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
                    return Submit(stages[self._arrived()])
                case Jump(join=join):
                    return self.go(self.pipe.joins[join])
                case Fork():
                    return self.go(self._arm(piece))
                case Finish(statement=statement, lookup=lookup):
                    self.execution.finish(statement, self.looks[lookup])
                case Plain(what=Step() as step):
                    if not self.step(step):
                        return End()
                case Plain(what=Deparse() as deparse):
                    if not self._deparse(deparse):
                        return End()
                case Plain(what=what):
                    if (left := self._plain(what)) is not None:
                        return self.go((self.pipe.exits[left],))
        raise AssertionError("code ends with where it goes on")

    def _plain(self, what: st.Statement | Special) -> str | None:
        """The label that is left, if one is."""
        match what:
            case Parse(parser=parser, error=error):
                self.parse(parser, error)
            case Restart() as restart:
                self.stages.restart(self.packet, restart, self)
            case statement:
                return self.execution.run((statement,))  # type: ignore[arg-type]
        return None

    def _arrived(self) -> int:
        """The number of the entry that the packet was handed over to."""
        entry, self.packet.entry = self.packet.entry, None
        assert entry is not None, "who comes to the back was handed over"
        return entry

    def step(self, step: Step) -> bool:
        """Egress clones are made of the packet where egress ends. False when the pipe is done with the packet."""
        asked = self.packet.transit.requests.clone_egress
        if step == v1model.FINISH and asked is not None:
            session, fields = asked
            kept = list_of(self.program, fields)
            self.packet.clones += self.stages.clone(self.packet, session, kept, Instance.EGRESS_CLONE)
        return self.steps(self.packet, step)

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
        if what.then is not None and not self.step(what.then):
            return False
        self.packet.data = self.execution.writer.frame(self.packet.transit.payload)
        self.packet.verdict = "send" if self.packet.data else "drop"
        return True

    def parse(self, parser: object, intrinsic: str) -> None:
        """Run a parser; `intrinsic` gets its error."""
        reader = FramedReader(self.packet.data)
        enter, self.state.enter_pipe = self.state.enter_pipe, lambda: None  # type: ignore[method-assign]
        error = parse(self.execution, parser, reader)  # type: ignore[arg-type]
        self.state.enter_pipe = enter  # type: ignore[method-assign]
        self.packet.transit.payload = reader.payload
        ordinal = self.program.errors.members.index(error) if error != NO_ERROR else 0
        self.state.set_intrinsic(intrinsic, ordinal)


# --- steps of architectures: False when the pipe is done with the packet ------------------------------------------------


def v1model_step(packet: Packet, step: Step) -> bool:
    get = packet.state.intrinsic
    decides = step in (v1model.FORWARD, v1model.DECIDE, v1model.DIVERT)
    if step == v1model.DECIDE and (group := get(v1model.MULTICAST_GROUP)):
        packet.verdict, packet.group = "replicate", group
        return False
    if step == DROP or ((decides or step == v1model.FINISH) and get("egress_spec") == DROP_PORT):
        packet.verdict = "drop"
        return False
    if decides or step == v1model.TO_PORT:
        packet.port, packet.rid, packet.instance = get("egress_spec"), 0, Instance.NORMAL
    if step == v1model.DIVERT and packet.number % 2:
        packet.replication = True
        return False
    sources = {
        Source.EGRESS_PORT: packet.port, Source.LENGTH: len(packet.data), Source.INSTANCE: packet.instance,
        Source.REPLICA: packet.rid, Source.ARRIVAL_US: packet.transit.now_us, Source.NOW_US: packet.transit.now_us,
    }  # fmt: skip
    fill(packet, step, sources)
    return True


def fill(packet: Packet, step: Step, sources: Mapping[Source, int]) -> None:
    for name, source in step.fills:
        value = packet.state.intrinsic(source) if isinstance(source, str) else sources.get(source, 0)
        packet.state.set_intrinsic(name, value)


def psa_step(packet: Packet, step: Step) -> bool:
    """Of packets that are neither replicated nor begin again."""
    get = packet.state.intrinsic
    sources = {Source.LENGTH: len(packet.data), Source.ONE: 1, Source.EGRESS_PORT: packet.port}
    sources[Source.INSTANCE] = PsaPath.UNICAST if step.name == psa.BEGIN_EGRESS.name else PsaPath.NORMAL
    fill(packet, step, sources)
    leaves = {psa.LEAVE_INGRESS: "ingress_output.drop", psa.LEAVE_EGRESS: "egress_output.drop"}
    if step == DROP or (step in leaves and get(leaves[step])):
        packet.verdict = "drop"
        return False
    if step in (psa.ENQUEUE, psa.TO_PORT):
        packet.port = get("ingress_output.egress_port")
    return True


STEPS = {Architecture.V1MODEL: v1model_step, Architecture.PSA: psa_step}
