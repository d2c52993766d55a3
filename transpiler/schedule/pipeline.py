"""What an architecture runs for a packet, in order, as one or two pipes.

Between the program's own parsers and controls stand steps of the architecture: `Begin` fills the intrinsic metadata,
`Forward` takes the decision of the traffic manager for a packet that goes to one port at most, `Decide` leaves it to
the runtime (which may replicate), `Deparse` writes the headers back. A program that clones has a third pipe, which makes
of a copied state that of a clone. Source: BMv2's simple_switch documentation.
"""

from __future__ import annotations

import enum
from dataclasses import dataclass, replace

from transpiler.hlir.expressions import Const, HeaderPlace, HeaderRef, VariableRef
from transpiler.hlir.program import Control, Parser, Program, Role
from transpiler.hlir.statements import Assign, Block, Body, CallExtern, Leave, Statement
from transpiler.hlir.traverse import program_statements, rebuild

MULTICAST_GROUP = "mcast_grp"


class Step(enum.Enum):
    BEGIN_INGRESS = "begin_ingress"
    BEGIN_CLONE = "begin_clone"
    BEGIN_EGRESS = "begin_egress"
    FORWARD = "forward"
    DECIDE = "decide"
    FINISH = "finish"  # egress has run: drop or go on to the checksums and the deparser


@dataclass(frozen=True, slots=True)
class Deparse:
    control: Control


@dataclass(frozen=True, slots=True)
class Parse:
    parser: Parser


@dataclass(frozen=True, slots=True)
class Restart:
    """A copied state becomes a clone's: an ingress clone is parsed again, an egress clone keeps its headers; metadata
    begin anew but for the preserved fields."""

    parser: Parser | None


Special = Step | Parse | Deparse | Restart  # what no statement of the program stands for
Item = Special | Body


@dataclass(frozen=True, slots=True)
class PipePlan:
    """One function of the generated program: `name` is "ingress", "clone" or "egress"."""

    name: str
    items: tuple[Item, ...]


# the intrinsic values that each step of v1model reads and writes, by the architecture's own names
STEP_READS: dict[Step, tuple[str, ...]] = {
    Step.BEGIN_INGRESS: (),
    Step.BEGIN_CLONE: (),
    Step.BEGIN_EGRESS: (),
    Step.FORWARD: ("egress_spec",),
    Step.DECIDE: ("egress_spec", MULTICAST_GROUP),
    Step.FINISH: ("egress_spec",),
}
_EGRESS_BEGINS = (
    "egress_port",
    "egress_spec",
    "egress_rid",
    "packet_length",
    "instance_type",
    "egress_global_timestamp",
)
STEP_WRITES: dict[Step, tuple[str, ...]] = {
    Step.BEGIN_INGRESS: ("ingress_port", "packet_length", "instance_type", "ingress_global_timestamp"),
    Step.BEGIN_CLONE: ("ingress_port", "ingress_global_timestamp"),
    Step.BEGIN_EGRESS: _EGRESS_BEGINS,
    Step.FORWARD: _EGRESS_BEGINS,
    Step.DECIDE: (),
    Step.FINISH: (),
}


CLONES = frozenset({"clone.ingress", "clone.egress"})
AGAIN = frozenset({"resubmit.request", "recirculate.request"})
SECOND_LIVES = CLONES | AGAIN


def calls(program: Program, methods: frozenset[str]) -> bool:
    """Whether the program calls one of these extern methods."""
    return any(isinstance(s, CallExtern) and s.method in methods for s in program_statements(program))


Preserved = tuple[tuple[str, str], ...]  # (variable, "") or (header, field) each


def preserved_fields(call: CallExtern) -> Preserved:
    """The fields that a second life of a packet keeps, by their names."""
    return tuple(
        (place.name, "") if isinstance(place, VariableRef) else (_header_name(place.header), place.field)
        for place in call.fields
    )


def preserved_lists(program: Program) -> tuple[Preserved, ...]:
    """The lists of preserved fields, each once; number 0 is the empty one."""
    found = (s for s in program_statements(program) if isinstance(s, CallExtern) and s.method in SECOND_LIVES)
    return tuple(dict.fromkeys([(), *(preserved_fields(call) for call in found)]))


def _header_name(header: HeaderPlace) -> str:
    assert isinstance(header, HeaderRef), "capabilities refuse run-time indices here"
    return header.name


def replicates(program: Program) -> bool:
    """Whether a packet may leave ingress as more than one, or not at all: then egress is a pipe of its own."""
    if calls(program, SECOND_LIVES):
        return True
    group = program.intrinsic.get(MULTICAST_GROUP)
    for statement in program_statements(program):
        match statement:
            case Assign(target=VariableRef(name=name), value=value) if name == group:
                if not (isinstance(value, Const) and value.value == 0):
                    return True
            case CallExtern(outputs=outputs) if any(isinstance(p, VariableRef) and p.name == group for p in outputs):
                return True
    return False


def plan(program: Program) -> tuple[PipePlan, ...]:
    """The pipes of a v1model program: one merged pipe where no packet is replicated, else ingress and egress, and one
    between them where packets are cloned."""
    ingress: tuple[Item, ...] = (
        Step.BEGIN_INGRESS,
        *_parse(program),
        *_control(program, Role.VERIFY_CHECKSUM),
        *_control(program, Role.INGRESS),
    )
    control = _control(program, Role.EGRESS)
    egress: tuple[Item, ...] = (
        *control,
        *((Step.FINISH,) if control else ()),
        *_control(program, Role.COMPUTE_CHECKSUM),
        *_deparse(program),
    )
    if replicates(program):
        parser = program.pipe(Role.PARSER)
        restart = Restart(parser if isinstance(parser, Parser) else None)
        return (
            PipePlan("ingress", (*ingress, Step.DECIDE)),
            *((PipePlan("clone", (restart,)),) if calls(program, CLONES) else ()),
            PipePlan("egress", (Step.BEGIN_EGRESS, *egress)),
        )
    return (PipePlan("ingress", (*ingress, Step.FORWARD, *egress)),)


def _parse(program: Program) -> tuple[Item, ...]:
    pipe = program.pipe(Role.PARSER)
    return (Parse(pipe),) if isinstance(pipe, Parser) else ()


def _control(program: Program, role: Role) -> tuple[Item, ...]:
    pipe = program.pipe(role)
    return (_with_own_labels(pipe.body, role.value),) if isinstance(pipe, Control) and pipe.body else ()


def _with_own_labels(body: Body, prefix: str) -> Body:
    """The body with its labels prefixed: labels are unique in a control, and a pipe holds several controls."""

    def renamed(statement: Statement) -> Statement:
        statement = rebuild(statement, lambda inner: _with_own_labels(inner, prefix))
        if isinstance(statement, Block | Leave):
            return replace(statement, label=f"{prefix}_{statement.label}")
        return statement

    return tuple(renamed(statement) for statement in body)


def _deparse(program: Program) -> tuple[Item, ...]:
    pipe = program.pipe(Role.DEPARSER)
    return (Deparse(pipe),) if isinstance(pipe, Control) else ()
