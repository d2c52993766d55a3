"""PSA's pipes: ingress and egress, each with a parser, a control and a deparser of its own. Between them the runtime
replicates and queues. Bridges are the metadata that a packet keeps from one pipe to the next.

A deparser's statements run whatever the verdict is, since they set the metadata of clones. The frame is changed only after the
verdict, so that packets that are cloned or resubmitted at ingress are as they were received.
Source: P4-16 Portable Switch Architecture 1.2, sections 6.1 to 6.8.
"""

from __future__ import annotations

from collections.abc import Callable

from transpiler.analysis.locations import VALIDITY, Location, Locator
from transpiler.architectures.psa.facts import PORT_RECIRCULATE, Path
from transpiler.hlir.expressions import Cast, Const, Expression, FieldRef, HeaderRef, Read, VariableRef
from transpiler.hlir.program import Bridge, Control, Goto, Parser, Program, Role
from transpiler.hlir.statements import Assign, Body, SetValid, Statement
from transpiler.hlir.traverse import program_expressions, program_statements, walk_expression
from transpiler.hlir.types import Bits, width_of
from transpiler.schedule.pipeline import (
    DROP,
    DROPPED_AT,
    PASS,
    Description,
    Item,
    PipePlan,
    Preserved,
    Source,
    Step,
    Values,
    control,
    deparse,
    parse,
)

PATHS = ("normal", "clone_i2e", "clone_e2e", "resubmit", "recirculate")  # bridges; their lists have numbers from 1
_SECOND_PASSES = (
    "ingress_output.clone",
    "egress_output.clone",
    "ingress_output.resubmit",
)  # of packets that ask for them
SERVICE_OUT, SERVICE_IN = "ingress_output.class_of_service", "egress_input.class_of_service"

BEGIN_INGRESS = Step(
    "begin_ingress",
    fills=(
        ("packet_length", Source.LENGTH),
        ("ingress_parser_input.ingress_port", Source.INGRESS_PORT),
        ("ingress_parser_input.packet_path", Source.INSTANCE),
        ("ingress_input.ingress_port", Source.INGRESS_PORT),
        ("ingress_input.packet_path", Source.INSTANCE),
        ("ingress_input.ingress_timestamp", Source.NOW_US),
        ("ingress_output.drop", Source.ONE),
    ),
)
# the deparser has made the metadata of clones and of the packet's next pass: clone, drop, resubmit
LEAVE_INGRESS = Step(
    "leave_ingress",
    reads=(
        "ingress_output.clone",
        "ingress_output.clone_session_id",
        "ingress_output.drop",
        "ingress_output.resubmit",
        DROPPED_AT,
    ),
)
# to one port or to a group
ENQUEUE = Step("enqueue", reads=("ingress_output.multicast_group", "ingress_output.egress_port", SERVICE_OUT))
# the same where only what goes to a group or recirculates goes on at egress
DIVERT = Step("divert", reads=ENQUEUE.reads, diverts=True)
# what is left of ENQUEUE for a packet that goes to no group
TO_PORT = Step("to_port", reads=("ingress_output.egress_port", SERVICE_OUT))
# what is left of DIVERT for such a packet: it may recirculate
FORWARD = Step("forward", reads=TO_PORT.reads, diverts=True)
BEGIN_EGRESS = Step(
    "begin_egress",
    fills=(
        ("packet_length", Source.LENGTH),
        *((f"{struct}.egress_port", Source.EGRESS_PORT) for struct in ("egress_parser_input", "egress_input")),
        ("egress_deparser_input.egress_port", Source.EGRESS_PORT),
        *((f"{struct}.packet_path", Source.INSTANCE) for struct in ("egress_parser_input", "egress_input")),
        (SERVICE_IN, Source.SERVICE),
        ("egress_input.instance", Source.REPLICA),
        ("egress_input.egress_timestamp", Source.NOW_US),
    ),
)
# a packet that is dropped need not be deparsed, unless it is cloned as it would have been sent
LEAVE_EGRESS = Step("leave_egress", reads=("egress_output.clone", "egress_output.drop", DROPPED_AT))
FINISH = Step(
    "finish", reads=("egress_output.clone", "egress_output.clone_session_id", "egress_output.drop", DROPPED_AT)
)
PASS_ON = Step("pass_on")  # an egress that does nothing: send or recirculate


def plan(program: Program) -> tuple[PipePlan, ...]:
    """The pipes of a program; no egress where it cannot do anything, a short one where it can only recirculate."""
    keeps = _numbers("resubmit", "recirculate")
    first = PipePlan("ingress", (*_ingress(program), ENQUEUE), renews=True, keeps=keeps)
    if not _does_nothing(program):
        keeps = _numbers("normal", "clone_i2e", "clone_e2e")
        return (first, PipePlan("egress", _egress(program), renews=True, keeps=keeps))
    return (first, PipePlan("egress", (PASS_ON,))) if second_passes(program) else (first,)


def plan_with_replication(program: Program) -> tuple[PipePlan, ...]:
    """Its pipes if a packet is finished at the end of ingress unless it is multicast or recirculates."""
    asked = any(may_be_set(program, name) for name in _SECOND_PASSES) or any(preserved_lists(program))
    if asked or not second_passes(program) or not _does_nothing(program):
        return ()
    return (
        PipePlan("ingress", (*_ingress(program), DIVERT), renews=True),
        PipePlan("egress", (PASS_ON,), replication=True),
    )


def specialise(program: Program, step: Step, values: Values) -> Step:
    """It may be known whether a packet is cloned, dropped, resubmitted or multicast. FINISH comes after the drop decision."""
    if step in (ENQUEUE, DIVERT):
        return {ENQUEUE: TO_PORT, DIVERT: FORWARD}[step] if values("ingress_output.multicast_group") == 0 else step
    pipe = "ingress" if step == LEAVE_INGRESS else "egress"
    if step not in (LEAVE_INGRESS, LEAVE_EGRESS, FINISH) or values(f"{pipe}_output.clone") != 0:
        return step
    if step == FINISH:
        return PASS_ON
    drop, again = values(f"{pipe}_output.drop"), values("ingress_output.resubmit") if pipe == "ingress" else 0
    if drop:
        return DROP
    return PASS if drop == 0 and again == 0 else step


def _ingress(program: Program) -> tuple[Item, ...]:
    return (
        BEGIN_INGRESS,
        *parse(program, Role.PARSER, "ingress_input.parser_error"),
        *control(program, Role.INGRESS),
        *_emptied(program, ("normal", "clone_i2e", "resubmit")),
        *deparse(program, Role.INGRESS_DEPARSER, LEAVE_INGRESS),
    )


def _egress(program: Program) -> tuple[Item, ...]:
    return (
        BEGIN_EGRESS,
        *parse(program, Role.EGRESS_PARSER, "egress_input.parser_error"),
        *control(program, Role.EGRESS),
        *_emptied(program, ("clone_e2e", "recirculate")),
        *deparse(program, Role.DEPARSER, LEAVE_EGRESS),
        FINISH,
    )


def _does_nothing(program: Program) -> bool:
    """Whether every packet leaves egress as it came, and nothing else happens there."""
    parser, *controls = (program.pipe(role) for role in (Role.EGRESS_PARSER, Role.EGRESS, Role.DEPARSER))
    start = parser.states[0] if isinstance(parser, Parser) and parser.states else None
    parses = start is not None and (bool(start.body) or not isinstance(start.transition, Goto))
    ends = start is None or (isinstance(start.transition, Goto) and start.transition.state in ("accept", "reject"))
    runs = any(isinstance(pipe, Control) and pipe.body for pipe in controls)
    return ends and not parses and not runs and not any(b.path == "recirculate" for b in program.bridges)


def list_number(path: str) -> int:
    """The number of the list of what a packet preserves on that path."""
    return PATHS.index(path) + 1


def _numbers(*paths: str) -> tuple[int, ...]:
    return tuple(map(list_number, paths))


def _emptied(program: Program, paths: tuple[str, ...]) -> tuple[Item, ...]:
    """Statements that clear the bridges of these paths before a deparser."""
    body: list[Statement] = []
    for bridge in (b for b in program.bridges if b.path in paths):
        for owner, field in _contents(program, bridge):
            if field == VALIDITY:
                body.append(SetValid(HeaderRef(owner, bridge.span), False, bridge.span))
            elif field:
                place = FieldRef(HeaderRef(owner, bridge.span), field, bridge.span)
                field_type = program.header_type_of[owner].field(field).type
                body.append(Assign(place, Const(0, field_type, bridge.span), bridge.span))
            else:
                type_ = program.variable[owner].type
                body.append(Assign(VariableRef(owner, bridge.span), Const(0, type_, bridge.span), bridge.span))
    emptied: Body = tuple(body)
    return (emptied,) if emptied else ()


# --- what goes along --------------------------------------------------------------------------------------------------


def preserved_lists(program: Program) -> tuple[Preserved, ...]:
    """What each path's bridge holds, in the order of PATHS, behind the empty list."""
    bridges = {bridge.path: _contents(program, bridge) for bridge in program.bridges}
    return ((), *(bridges.get(path, ()) for path in PATHS))


def _contents(program: Program, bridge: Bridge) -> Preserved:
    headers = [
        (name, field)
        for name in bridge.headers
        for field in (VALIDITY, *(f.name for f in program.header_type_of[name].fields))
    ]
    return (*((name, "") for name in bridge.variables), *headers)


def reads_service(program: Program) -> bool:
    """Whether egress asks for the class of service of a packet."""
    return _is_read(program, program.intrinsic.get(SERVICE_IN))


def _is_read(program: Program, variable: str | None) -> bool:
    parts = (part for root in program_expressions(program) for part in walk_expression(root))
    places = (part.place for part in parts if isinstance(part, Read))
    return any(isinstance(place, VariableRef) and place.name == variable for place in places)


# --- what a program may ask for ---------------------------------------------------------------------------------------


def second_passes(program: Program) -> bool:
    """Whether packets may be cloned, resubmitted or recirculated. Groups and sessions may hold the port that recirculates."""
    asked = (*_SECOND_PASSES, "ingress_output.multicast_group")
    return any(may_be_set(program, name) for name in asked) or _may_be(
        program, "ingress_output.egress_port", lambda value: _may_equal(value, PORT_RECIRCULATE)
    )


def may_be_set(program: Program, intrinsic: str) -> bool:
    """Whether that intrinsic value may be another than zero at the end of its pipe."""
    return _may_be(program, intrinsic, lambda value: not (isinstance(value, Const) and value.value == 0))


def _may_be(program: Program, intrinsic: str, wanted: Callable[[Expression], bool]) -> bool:
    """Whether something other than an assignment of a value that is not wanted writes the intrinsic value."""
    name = program.intrinsic.get(intrinsic)
    if name is None:
        return False
    locator = Locator(program)
    writes = (s for s in program_statements(program) if Location(name) in locator.access(s).writes)
    return any(not isinstance(s, Assign) or wanted(s.value) for s in writes)


def _may_equal(value: Expression, number: int) -> bool:
    match value:
        case Const(value=constant):
            return constant == number
        case Cast(operand=operand) if isinstance(operand.type, Bits) and not operand.type.signed:
            return number < 1 << width_of(operand.type)
    return True


DESCRIPTION = Description(
    plan,
    plan,
    plan_with_replication,
    second_passes,
    second_passes,  # a clone's session may name the port that recirculates
    preserved_lists,
    instances=(
        ("replicated", Path.MULTICAST),
        ("ingress_clone", Path.CLONE_I2E),
        ("egress_clone", Path.CLONE_E2E),
        ("resubmitted", Path.RESUBMIT),
        ("recirculated", Path.RECIRCULATE),
    ),
    drops=(("ingress_output.drop", 1), ("egress_output.drop", 1)),
    recirculate_port=PORT_RECIRCULATE,
    specialise=specialise,
)
