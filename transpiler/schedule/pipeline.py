"""What an architecture runs for a packet, in order, as pipes: the vocabulary of its description.

Between the program's parsers and controls there are *steps* of the architecture. They set intrinsic metadata and decide what
becomes of the packet. `pipes.py` of an architecture describes it, `architectures` finds the one of a program.
"""

from __future__ import annotations

import enum
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace

from transpiler.hlir.expressions import HeaderPlace, HeaderRef, VariableRef
from transpiler.hlir.program import Control, Parser, Program, Role
from transpiler.hlir.statements import Block, Body, CallExtern, Leave, Statement
from transpiler.hlir.traverse import program_statements, rebuild


class Source(enum.Enum):
    """Where an intrinsic value comes from."""

    INGRESS_PORT = enum.auto()
    EGRESS_PORT = enum.auto()
    LENGTH = enum.auto()  # of the frame, in bytes
    INSTANCE = enum.auto()  # how the packet came here: instance_type, packet_path
    DIRECTION = enum.auto()  # whether the port that it came from is the host's
    REPLICA = enum.auto()  # the number that the replication engine gave it
    SERVICE = enum.auto()  # its class of service, as ingress or its clone session has it
    ARRIVAL_US = enum.auto()  # microseconds since the switch started, when it was received
    NOW_US = enum.auto()  # the same, now
    # only where there are queues:
    ENQUEUED_US = enum.auto()  # when it came into the queue of its port
    WAITED_US = enum.auto()  # how long it was there
    DEPTH_BEFORE = enum.auto()  # packets that were there when it came
    DEPTH_BEHIND = enum.auto()  # and when it had gone
    QUEUE = enum.auto()  # the number of the queue
    ZERO = enum.auto()
    ONE = enum.auto()


@dataclass(frozen=True, slots=True)
class Step:
    """What the architecture does at a place. It sets the intrinsic values in `fills`, each from a source or from another
    intrinsic value by its name; what it decides from the values in `reads`, code generation knows by `name`. `diverts`: some
    packets leave the pipe there, for the next one. `ends`: the pipe is done with the packet. It is the same step where fewer
    values need to be filled."""

    name: str
    fills: tuple[tuple[str, Source | str], ...] = field(default=(), compare=False)
    reads: tuple[str, ...] = ()
    diverts: bool = False
    ends: bool = False


DROPPED_AT = "dropped_at"  # an intrinsic value: the number of the place that a packet is dropped by (dropped_at.py)
DROP = Step("drop", reads=(DROPPED_AT,), ends=True)  # what is left of a decision where the packet is dropped
PASS = Step("pass")  # and where it goes on as it is


@dataclass(frozen=True, slots=True)
class Deparse:
    """Run a deparser, take the step `then`, which may end the pipe, and only after it change the frame. `valid`: headers
    that are known to be valid."""

    control: Control
    then: Step | None = None
    valid: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class Parse:
    """`error`: the intrinsic value that tells of a parser error."""

    parser: Parser
    error: str


@dataclass(frozen=True, slots=True)
class Restart:
    """A copied state becomes a clone's: with `parse` an ingress clone is parsed again, an egress clone keeps its headers;
    metadata begin anew but for the preserved fields. `begin`, `begin_parsed`: what fills them. `keeps_headers`: there may be
    egress clones."""

    parse: Parse | None
    begin_parsed: Step
    begin: Step
    keeps_headers: bool = True

    @property
    def parser(self) -> Parser | None:
        return self.parse.parser if self.parse is not None else None


Special = Step | Parse | Deparse | Restart  # what no statement of the program stands for
Item = Special | Body


@dataclass(frozen=True, slots=True)
class PipePlan:
    """One function of the generated program: `name` is "ingress", "clone" or "egress".

    `renews`: the state begins anew there, but for what the packet preserves from what it was before: one of the lists
    of that number in `keeps`. `replication`: only packets that left a pipe before it, at a step that `diverts`, go through it."""

    name: str
    items: tuple[Item, ...]
    renews: bool = False
    keeps: tuple[int, ...] = ()
    replication: bool = False


Values = Callable[[str], int | None]  # an intrinsic value by its name, None where it is not known
Preserved = tuple[tuple[str, str], ...]  # (variable, "") or (header, field or VALIDITY) each


@dataclass(frozen=True, slots=True)
class Description:
    """An architecture as the scheduler and code generation know it.

    `plan`: its pipes; `plan_apart`: where none are put together; `plan_with_replication`: where most packets go
    through one and few through the replication pipeline, no pipes where that cannot be. `second_passes`: whether a packet of
    the program may go through it more than once, copies of it included; `begins_again`: whether one may come to the first
    pipe again. `preserved`: the lists of what a packet keeps when a pipe renews its state; number 0 is the empty one.
    `instances`: the architecture's number for each of the ways that the runtime sends packets. `recirculate_port`: packets to
    it begin anew as those of a call of `recirculate` do. `specialise`: what is left of a step where some intrinsic values are
    known. `asks_for_queues`: the program looks at the queues of ports; `plan_with_queues`: its pipes where packets wait
    in them between ingress and egress, none where the architecture has no queues. `drops`: the intrinsic values by which a
    packet is dropped, each with the value that does it. `zero_at_first`: the intrinsic values that are zero where the first
    control begins; None: nobody has looked, so that no cache of decisions stands in it. `drops_for_good`: the intrinsic values
    with which nothing is seen of a packet any more when the first control ends; nothing where there are none.
    """

    plan: Callable[[Program], tuple[PipePlan, ...]]
    plan_apart: Callable[[Program], tuple[PipePlan, ...]]
    plan_with_replication: Callable[[Program], tuple[PipePlan, ...]]
    second_passes: Callable[[Program], bool]
    begins_again: Callable[[Program], bool]
    preserved: Callable[[Program], tuple[Preserved, ...]]
    instances: tuple[tuple[str, int], ...]
    drops: tuple[tuple[str, int], ...]
    recirculate_port: int | None = None
    specialise: Callable[[Program, Step, Values], Step] = lambda program, step, values: step
    asks_for_queues: Callable[[Program], bool] = lambda program: False
    plan_with_queues: Callable[[Program], tuple[PipePlan, ...]] = lambda program: ()
    zero_at_first: tuple[str, ...] | None = None
    drops_for_good: Callable[[Program], Mapping[str, int]] = lambda program: {}


def steps(items: tuple[Item, ...]) -> Iterator[Step]:
    """The steps among a pipe's items."""
    for item in items:
        match item:
            case Step():
                yield item
            case Deparse(then=Step() as step):
                yield step
            case Restart(begin_parsed=parsed, begin=begin):
                yield from (parsed, begin)


def calls(program: Program, methods: frozenset[str]) -> bool:
    """Whether the program calls one of these extern methods."""
    return any(isinstance(s, CallExtern) and s.method in methods for s in program_statements(program))


def preserved_fields(call: CallExtern) -> Preserved:
    """The fields that a second pass of a packet keeps, by their names."""
    return tuple(
        (place.name, "") if isinstance(place, VariableRef) else (_header_name(place.header), place.field)
        for place in call.fields
    )


def _header_name(header: HeaderPlace) -> str:
    assert isinstance(header, HeaderRef), "capabilities refuse run-time indices here"
    return header.name


def parse(program: Program, role: Role, error: str) -> tuple[Item, ...]:
    """The parser of that role, if the program has it."""
    pipe = program.pipe(role)
    return (Parse(pipe, error),) if isinstance(pipe, Parser) else ()


def control(program: Program, role: Role) -> tuple[Item, ...]:
    """The control of that role, if it does anything."""
    pipe = program.pipe(role)
    return (_with_own_labels(pipe.body, role.value),) if isinstance(pipe, Control) and pipe.body else ()


def deparse(program: Program, role: Role, then: Step | None = None) -> tuple[Item, ...]:
    """The deparser of that role, if the program has it."""
    pipe = program.pipe(role)
    return (Deparse(pipe, then),) if isinstance(pipe, Control) else ()


def _with_own_labels(body: Body, prefix: str) -> Body:
    """The body with its labels prefixed: labels are unique in a control, and a pipe holds several controls."""

    def renamed(statement: Statement) -> Statement:
        statement = rebuild(statement, lambda inner: _with_own_labels(inner, prefix))
        if isinstance(statement, Block | Leave):
            return replace(statement, label=f"{prefix}_{statement.label}")
        return statement

    return tuple(renamed(statement) for statement in body)
