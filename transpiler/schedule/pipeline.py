"""What an architecture runs for a packet, in order, as one or two pipes.

Between the program's own parsers and controls stand steps of the architecture: `Begin` fills the intrinsic metadata,
`Forward` takes the decision of the traffic manager for a packet that goes to one port at most, `Decide` leaves it to
the runtime (which may replicate), `Deparse` writes the headers back. Source: BMv2's simple_switch documentation.
"""

from __future__ import annotations

import enum
from dataclasses import dataclass, replace

from transpiler.hlir.expressions import Const, VariableRef
from transpiler.hlir.program import Control, Parser, Program, Role
from transpiler.hlir.statements import Assign, Block, Body, CallExtern, Leave, Statement
from transpiler.hlir.traverse import program_statements, rebuild

MULTICAST_GROUP = "mcast_grp"


class Step(enum.Enum):
    BEGIN_INGRESS = "begin_ingress"
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


Item = Step | Parse | Deparse | Body


@dataclass(frozen=True, slots=True)
class PipePlan:
    """One function of the generated program: `name` is "ingress" or "egress"."""

    name: str
    items: tuple[Item, ...]


# the intrinsic values that each step of v1model reads and writes, by the architecture's own names
STEP_READS: dict[Step, tuple[str, ...]] = {
    Step.BEGIN_INGRESS: (),
    Step.BEGIN_EGRESS: (),
    Step.FORWARD: ("egress_spec",),
    Step.DECIDE: ("egress_spec", MULTICAST_GROUP),
    Step.FINISH: ("egress_spec",),
}
_EGRESS_BEGINS = ("egress_port", "egress_spec", "egress_rid", "instance_type", "egress_global_timestamp")
STEP_WRITES: dict[Step, tuple[str, ...]] = {
    Step.BEGIN_INGRESS: ("ingress_port", "packet_length", "instance_type", "ingress_global_timestamp"),
    Step.BEGIN_EGRESS: _EGRESS_BEGINS,
    Step.FORWARD: _EGRESS_BEGINS,
    Step.DECIDE: (),
    Step.FINISH: (),
}


def replicates(program: Program) -> bool:
    """Whether a packet may leave ingress as more than one: then egress is a pipe of its own."""
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
    """The pipes of a v1model program: one merged pipe where no packet is replicated, else ingress and egress."""
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
        return (
            PipePlan("ingress", (*ingress, Step.DECIDE)),
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
