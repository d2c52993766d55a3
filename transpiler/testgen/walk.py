"""One packet through the interpreter on numbers with terms: its decisions, the answers of its tables, what it covers."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import z3

from transpiler.architectures.facts import part
from transpiler.hlir.program import ParserState, Program, Role
from transpiler.hlir.statements import CallExtern, Statement
from transpiler.interpreter.execute import Execution, Runaway
from transpiler.interpreter.packet import Reader, Transit
from transpiler.interpreter.paths import Paths, Sent
from transpiler.interpreter.replication import Replication
from transpiler.interpreter.shadowed import settled
from transpiler.interpreter.state import State
from transpiler.interpreter.store import Store
from transpiler.interpreter.tables import Entry, RuntimeTable
from transpiler.interpreter.trace import silent
from transpiler.testgen.choices import (
    GROUPS,
    HOSTS,
    SESSIONS,
    Choice,
    Choices,
    Chosen,
    ChosenTable,
    Desk,
    Prefer,
    Setting,
    arguments_of,
)
from transpiler.testgen.cover import Coverage
from transpiler.testgen.externs import TermCall, colour_of
from transpiler.testgen.packet import Frame, TermReader, TermWriter
from transpiler.testgen.record import Assignment, Decision, Hash, Record, frame_terms

if TYPE_CHECKING:
    Base = Paths
else:
    Base = object

PORT_BITS, LENGTH_BITS, TIME_BITS = 9, 16, 48
PORT_LIMIT = 1 << 12  # of ports that frames are expected at
PORTS = range(511)  # that a frame may come in at
COPY_PORTS = (2, 3)  # where the members of a multicast group are
CLONE_PORT = 4
AGAIN = 4  # second passes of a packet: clones, resubmitted and recirculated ones
LOOPS = 2_000  # rounds of loops of a packet


@dataclass
class Walk:
    """What a packet did: `decisions` and choices (`made`) in their order, the entries and default actions that these stand for,
    what was `sent`; `registers`: cells that it read, `meters`: those that marked it, with what they held; `inexact`: what was
    one number and may be others; `reached`: the byte behind the last that a parser looked at; `endless`: it went round more
    often than a test should."""

    assignment: Assignment
    choices: Choices
    frame: Frame
    port: int
    decisions: list[Decision]
    hashes: dict[str, Hash]
    made: list[Choice]
    entries: list[Chosen]
    defaults: dict[str, tuple[str, tuple[int, ...]]]
    covered: set[int]
    sent: list[Sent]
    groups: list[int]
    sessions: list[int]
    registers: dict[tuple[str, int], int]
    meters: dict[tuple[str, int], int]
    inexact: tuple[str, ...]
    missed: list[tuple[str, tuple[int, ...]]]
    host: bool = False
    reached: int = 0
    endless: bool = False


class Endless(Exception):
    """A packet goes round more often than a test should."""


class Walker:
    """Sends packets through a program, each on its own."""

    def __init__(
        self,
        program: Program,
        coverage: Coverage,
        prefer: Prefer,
        largest: int,
        ports: range = PORTS,
        setting: Setting | None = None,
        copies: ChosenCopies | None = None,
    ) -> None:
        self.program, self.coverage, self.prefer, self.largest = program, coverage, prefer, largest
        self.ports, self.setting = ports, Setting() if setting is None else setting
        self.store = Store(program)
        self.tables = {name: ChosenTable(table) for name, table in self.store.tables.items()}
        self.store.tables.update(self.tables)
        base: type[Paths] = part(program.architecture, "paths").PATHS
        self.copies = ChosenCopies() if copies is None else copies
        self.directions = _Directions()
        self.store.directions = self.directions
        self.paths = _carrying(base)(program, self.store, self.copies)

    def walk(self, assignment: Assignment, choices: Choices) -> Walk:
        """Where a packet goes; its choices and numbers that are not given are usual ones."""
        record = Record(dict(assignment))
        desk = Desk(self.program, choices, self.prefer, record, self.setting)
        for table in self.tables.values():
            table.begin(desk)
        self.store.reset()
        self.copies.begin(desk)
        self.directions.begin(desk)
        length = record.variable("length", LENGTH_BITS, self.largest)
        size = min(int(length), self.largest)
        record.require(z3.And(z3.UGE(length.of, 1), z3.ULE(length.of, self.largest)))
        port = record.variable("port", PORT_BITS, self.ports.start)
        record.require(z3.And(z3.UGE(port.of, self.ports.start), z3.ULT(port.of, self.ports.stop)))
        data = bytes(assignment.get(f"p{i}", 0) for i in range(size))
        frame = Frame(data, lambda: frame_terms(size), length)
        watch = _Seen(self.coverage, record)
        try:
            sent, endless = self.paths.begin(record, watch, frame, port), False
        except Endless:
            sent, endless = [], True
        return Walk(
            record.assignment, {(c.table, c.turn): c.outcome for c in desk.made}, frame, int(port), record.decisions,
            record.hashes, desk.made, [_plain(e) for e in desk.entries],
            {n: (c.action, arguments_of(c)) for n, c in desk.defaults.items() if c.action}, watch.seen, sent,
            self.copies.groups_used, self.copies.sessions_used,
            {cell: int(term) for cell, term in record.cells.items()},
            {cell: int(term) for cell, term in record.colours.items()},
            tuple(record.inexact), desk.missed, self.directions.host, self.paths.reached, endless,
        )  # fmt: skip


def _plain(entry: Chosen) -> Chosen:
    return Chosen(entry.table, entry.key, entry.action, tuple(int(a) for a in entry.arguments))


class _Seen(Coverage.Watching):
    """Also says where decisions are made."""

    def __init__(self, coverage: Coverage, record: Record) -> None:
        super().__init__(coverage)
        self.record = record

    def state(self, state: ParserState) -> None:
        self.record.at(("select", state.name, id(state)))
        super().state(state)

    def statement(self, statement: Statement) -> None:
        self.record.at(id(statement))
        super().statement(statement)


class ChosenCopies(Replication):
    """Groups and sessions of whatever number: each is chosen to be there or not."""

    def begin(self, desk: Desk) -> None:
        self.desk = desk
        self.groups_used: list[int] = []
        self.sessions_used: list[int] = []

    def copies(self, group: int) -> list[tuple[int, int]]:
        number = settled(group)
        if not number or not self.desk.is_there(GROUPS, number):
            return []
        if number not in self.groups_used:
            self.groups_used.append(number)
        return [(port, port) for port in COPY_PORTS]

    def clones(self, session: int) -> list[tuple[int, int]]:
        number = settled(session)
        if not self.desk.is_there(SESSIONS, number):
            return []
        if number not in self.sessions_used:
            self.sessions_used.append(number)
        return [(CLONE_PORT, 0)]


class _Directions(dict[int, int]):
    """The direction of the port that the frame comes in at is chosen."""

    def begin(self, desk: Desk) -> None:
        self.desk = desk
        self.host = False

    def get(self, port: int, default: object = None) -> int:
        self.host = self.desk.is_there(HOSTS, 0)
        return int(self.host)


class TermExecution(Execution):
    """Runs statements on numbers with terms."""

    record: Record

    def tick(self) -> None:
        super().tick()
        if self.rounds > LOOPS:
            self.record.inexact[f"loops go round {LOOPS} times at most"] = None
            raise Runaway

    def _account(self, table: RuntimeTable, entry: Entry | None) -> None:
        super()._account(table, entry)
        for name in table.declared.direct if entry is not None else ():
            instance = self.state.program.extern[name]
            if instance.kind == "direct_meter" and instance.attribute("automatic"):
                self.direct_colour[name] = colour_of(self.record, name, self.direct_index[name])

    def _simple(self, statement: Statement) -> None:
        if isinstance(statement, CallExtern):
            TermCall(self, statement, self.record).carry_out()
        else:
            super()._simple(statement)


class _Mixin(Base):
    """What stands in for the interpreter's own parts while a packet is carried."""

    record: Record
    reached: int
    reader_now: TermReader | None = None

    def begin(self, record: Record, watch: _Seen, frame: Frame, port: int) -> list[Sent]:
        self.record, self.watch, self.reached = record, watch, 0
        time = record.variable("time", TIME_BITS, 1)
        return self.process(frame, port, time, silent)

    def again(self, begin: Callable[[], None]) -> None:
        if self.passes >= AGAIN:
            raise Endless
        super().again(begin)

    def execution(self, state: State, transit: Transit) -> Execution:
        run = TermExecution(self.store, state, transit, self.trace, self.watch)
        run.record, run.writer = self.record, TermWriter()
        return run

    def reader(self, data: bytes) -> Reader:
        self.reader_now = TermReader(data, self.record)
        return self.reader_now

    def parse(self, role: Role, state: State, transit: Transit, data: bytes) -> int:
        length = data.length if isinstance(data, Frame) else None
        if length is not None:
            state.set_intrinsic("packet_length", length)
        error = super().parse(role, state, transit, data)
        if length is not None and self.reader_now is not None:
            self.reached = max(self.reached, self.reader_now.furthest)
        return error

    def control(self, role: Role, state: State, transit: Transit) -> Execution:
        run = super().control(role, state, transit)
        self.record.at(("after", role))
        return run

    def send(self, port: int, frame: bytes) -> None:
        self.record.at("send")
        super().send(port, frame)


def _carrying(base: type[Paths]) -> type:
    return type(f"Term{base.__name__}", (_Mixin, base), {})
