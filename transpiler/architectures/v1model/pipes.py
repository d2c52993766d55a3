"""v1model's pipes. If no packet is replicated there is one. If packets are only multicast there is also a replication pipeline.
Else there are ingress and egress, and between them a pipe that turns a copied state into that of a clone.
Source: BMv2's simple_switch documentation."""

from __future__ import annotations

from collections.abc import Mapping

from transpiler.architectures.v1model.facts import DROP_PORT, Instance
from transpiler.externs.table import CIPHERING, CUTTING, KEEPING
from transpiler.hlir.expressions import Const, Read, VariableRef
from transpiler.hlir.program import Program, Role
from transpiler.hlir.statements import Assign, CallExtern
from transpiler.hlir.traverse import program_expressions, program_statements, walk_expression
from transpiler.schedule.pipeline import (
    DROP,
    DROPPED_AT,
    PASS,
    Description,
    Item,
    Parse,
    PipePlan,
    Preserved,
    Restart,
    Source,
    Step,
    Values,
    calls,
    control,
    deparse,
    parse,
    preserved_fields,
)

MULTICAST_GROUP = "mcast_grp"
EGRESS_SPEC = "egress_spec"
PRIORITY = "priority"
CLONES = frozenset({"clone.ingress", "clone.egress"})
AGAIN = frozenset({"resubmit.request", "recirculate.request"})

_EGRESS_VALUES: tuple[tuple[str, Source | str], ...] = (
    ("egress_port", Source.EGRESS_PORT),
    (EGRESS_SPEC, Source.ZERO),
    (DROPPED_AT, Source.ZERO),
    ("egress_rid", Source.REPLICA),
    ("packet_length", Source.LENGTH),
    ("instance_type", Source.INSTANCE),
    ("egress_global_timestamp", Source.NOW_US),
    # a packet waits in no queue: it goes in and comes out at once
    ("enq_timestamp", Source.NOW_US),
    ("enq_qdepth", Source.ZERO),
    ("deq_timedelta", Source.ZERO),
    ("deq_qdepth", Source.ZERO),
    ("qid", Source.ZERO),
)
# the same behind a queue
_QUEUEING: tuple[tuple[str, Source | str], ...] = (
    ("enq_timestamp", Source.ENQUEUED_US),
    ("enq_qdepth", Source.DEPTH_BEFORE),
    ("deq_timedelta", Source.WAITED_US),
    ("deq_qdepth", Source.DEPTH_BEHIND),
    ("qid", Source.QUEUE),
)
# the same in one pipe with ingress
_ON_TO_EGRESS = (("egress_port", EGRESS_SPEC), *_EGRESS_VALUES[1:])
_CLONE_VALUES: tuple[tuple[str, Source | str], ...] = (
    ("ingress_port", Source.INGRESS_PORT),
    ("ingress_global_timestamp", Source.ARRIVAL_US),
)
BEGIN_INGRESS = Step(
    "begin_ingress",
    fills=(*_CLONE_VALUES, ("packet_length", Source.LENGTH), ("instance_type", Source.INSTANCE)),
)
BEGIN_CLONE = Step("begin_clone", fills=_CLONE_VALUES)
BEGIN_EGRESS = Step("begin_egress", fills=_EGRESS_VALUES)
# the traffic manager's decision for a packet that goes to one port at most, with what egress begins with
FORWARD = Step("forward", fills=_ON_TO_EGRESS, reads=(EGRESS_SPEC, DROPPED_AT))
# the decision is left to the runtime, which may replicate
DECIDE = Step("decide", reads=(EGRESS_SPEC, MULTICAST_GROUP, DROPPED_AT))
# the same where packets wait in queues
ENQUEUE = Step("enqueue", reads=(EGRESS_SPEC, MULTICAST_GROUP, PRIORITY, DROPPED_AT))
DEQUEUE = Step("dequeue", fills=(*_EGRESS_VALUES[: -len(_QUEUEING)], *_QUEUEING))
# what is to be replicated is left to it, and egress begins for what is not
DIVERT = Step("divert", fills=_ON_TO_EGRESS, reads=(EGRESS_SPEC, MULTICAST_GROUP, DROPPED_AT), diverts=True)
# what is left of FORWARD for a packet that is not dropped
TO_PORT = Step("to_port", fills=_ON_TO_EGRESS, reads=(EGRESS_SPEC,))
# egress has run: drop or go on to the checksums and the deparser
FINISH = Step("finish", reads=(EGRESS_SPEC, DROPPED_AT))


def plan(program: Program) -> tuple[PipePlan, ...]:
    """The pipes of a program."""
    if replicates(program):
        return plan_apart(program)
    return (PipePlan("ingress", (*_ingress(program), FORWARD, *_egress(program)), renews=True),)


def plan_apart(program: Program) -> tuple[PipePlan, ...]:
    """Its pipes if the traffic manager is between ingress and egress."""
    return _apart(program, DECIDE, BEGIN_EGRESS)


def plan_with_queues(program: Program) -> tuple[PipePlan, ...]:
    """The same where packets wait there."""
    return _apart(program, ENQUEUE, DEQUEUE)


def asks_for_queues(program: Program) -> bool:
    """Whether the program looks at what queues tell; the time of entry is known without one."""
    asked = {program.intrinsic.get(name) for name, source in _QUEUEING if source is not Source.ENQUEUED_US}
    reads = (e for root in program_expressions(program) for e in walk_expression(root))
    return any(isinstance(e, Read) and isinstance(e.place, VariableRef) and e.place.name in asked for e in reads)


def _apart(program: Program, decide: Step, begin_egress: Step) -> tuple[PipePlan, ...]:
    lists = tuple(range(1, len(preserved_lists(program))))
    parsed = next((p for p in parse(program, Role.PARSER, "parser_error") if isinstance(p, Parse)), None)
    restart = Restart(parsed, BEGIN_INGRESS, BEGIN_CLONE, keeps_headers=calls(program, frozenset({"clone.egress"})))
    return (
        PipePlan("ingress", (*_ingress(program), decide), renews=True, keeps=lists),
        *((PipePlan("clone", (restart,)),) if calls(program, CLONES) else ()),
        PipePlan("egress", (begin_egress, *_egress(program))),
    )


def plan_with_replication(program: Program) -> tuple[PipePlan, ...]:
    """Its pipes if ingress and egress are one pipe for all packets but multicast ones."""
    if not replicates(program) or calls(program, KEEPING | CUTTING | CIPHERING):
        return ()
    return (
        PipePlan("ingress", (*_ingress(program), DIVERT, *_egress(program)), renews=True),
        PipePlan("egress", (BEGIN_EGRESS, *_egress(program)), replication=True),
    )


def specialise(program: Program, step: Step, values: Values) -> Step:
    """It may be known whether a packet is multicast or dropped. Multicast takes precedence over the drop port."""
    if step == ENQUEUE or (step in (DECIDE, DIVERT) and values(MULTICAST_GROUP) != 0):
        return step
    step = FORWARD if step == DIVERT else step
    if step not in (FORWARD, DECIDE, FINISH) or (spec := values(EGRESS_SPEC)) is None:
        return step
    if step == FINISH and calls(program, frozenset({"clone.egress"})):
        return step
    return DROP if spec == DROP_PORT else {FORWARD: TO_PORT, FINISH: PASS}.get(step, step)


def _ingress(program: Program) -> tuple[Item, ...]:
    return (
        BEGIN_INGRESS,
        *parse(program, Role.PARSER, "parser_error"),
        *control(program, Role.VERIFY_CHECKSUM),
        *control(program, Role.INGRESS),
    )


def _egress(program: Program) -> tuple[Item, ...]:
    match_action = control(program, Role.EGRESS)
    return (
        *match_action,
        *((FINISH,) if match_action else ()),
        *control(program, Role.COMPUTE_CHECKSUM),
        *deparse(program, Role.DEPARSER),
    )


def replicates(program: Program) -> bool:
    """Whether ingress may make several packets of one: then egress is a pipe of its own."""
    if second_passes(program):
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


def second_passes(program: Program) -> bool:
    """Whether packets are cloned, resubmitted or recirculated."""
    return calls(program, KEEPING)


def begins_again(program: Program) -> bool:
    """Whether packets are resubmitted or recirculated: clones come to egress alone."""
    return calls(program, AGAIN)


def preserved_lists(program: Program) -> tuple[Preserved, ...]:
    """The lists of preserved fields, each once; number 0 is the empty one."""
    found = (s for s in program_statements(program) if isinstance(s, CallExtern) and s.method in KEEPING)
    return tuple(dict.fromkeys([(), *(preserved_fields(call) for call in found)]))


def drops_for_good(program: Program) -> Mapping[str, int]:
    """Only where packets are not cloned, resubmitted or recirculated, as these keep what ingress has written. Multicast takes
    precedence over the drop port."""
    if second_passes(program):
        return {}
    return {EGRESS_SPEC: DROP_PORT, MULTICAST_GROUP: 0} if replicates(program) else {EGRESS_SPEC: DROP_PORT}


DESCRIPTION = Description(
    plan,
    plan_apart,
    plan_with_replication,
    second_passes,
    begins_again,
    preserved_lists,
    instances=(
        ("ingress_clone", Instance.INGRESS_CLONE),
        ("egress_clone", Instance.EGRESS_CLONE),
        ("recirculated", Instance.RECIRCULATED),
        ("replicated", Instance.REPLICATED),
        ("resubmitted", Instance.RESUBMITTED),
    ),
    drops=((EGRESS_SPEC, DROP_PORT),),
    specialise=specialise,
    asks_for_queues=asks_for_queues,
    plan_with_queues=plan_with_queues,
    zero_at_first=(EGRESS_SPEC, MULTICAST_GROUP),
    drops_for_good=drops_for_good,
)
