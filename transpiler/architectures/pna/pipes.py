"""PNA's one pipe: main parser, pre control, main control, main deparser. All have the same headers and metadata.

The last call of drop_packet(), send_to_port() or recirculate() decides what becomes of a packet, but send_to_port() does not
take back a recirculation. Without any it is dropped. Mirrored copies are made of the frame as it is deparsed, whatever becomes
of the packet; they leave at once. A recirculated packet keeps the number of its pass and nothing else.
Source: P4 Portable NIC Architecture 0.7, sections 6.7 (send_to_port) and 6.8 (mirror_packet); DPDK's SWX pipeline where that
leaves it open.
"""

from __future__ import annotations

from transpiler.analysis.locations import Location, Locator
from transpiler.architectures.pna.facts import (
    DROPPED,
    MIRROR_SLOTS,
    NEXT_PASS,
    NO_MIRROR,
    PORT,
    RECIRCULATED,
    Instance,
    mirror,
)
from transpiler.hlir.expressions import Const
from transpiler.hlir.program import Program, Role
from transpiler.hlir.statements import Assign
from transpiler.hlir.traverse import program_statements
from transpiler.schedule.pipeline import (
    DROP,
    DROPPED_AT,
    PASS,
    Description,
    PipePlan,
    Preserved,
    Source,
    Step,
    Values,
    control,
    deparse,
    parse,
)

PARSER_ERROR = "main_input.parser_error"
RECIRCULATION_LIST = 1  # of what a packet preserves; 0 is the empty one
MIRRORS = tuple(mirror(slot) for slot in range(MIRROR_SLOTS))
_INPUTS = ("main_parser_input", "pre_input", "main_input")

BEGIN = Step(
    "begin",
    fills=(
        ("packet_length", Source.LENGTH),
        *((f"{struct}.direction", Source.DIRECTION) for struct in _INPUTS),
        *((f"{struct}.pass", NEXT_PASS) for struct in _INPUTS),
        *((f"{struct}.input_port", Source.INGRESS_PORT) for struct in _INPUTS),
        ("main_input.timestamp", Source.NOW_US),
        (DROPPED, Source.ONE),
    ),
)
# what the main parser found
PARSED = Step("parsed", fills=(("pre_input.parser_error", PARSER_ERROR),))
# a packet that is dropped need not be deparsed, unless it is mirrored as it would have been sent
LEAVE = Step("leave", reads=(DROPPED, DROPPED_AT, *MIRRORS))
FINISH = Step("finish", reads=(DROPPED, DROPPED_AT, RECIRCULATED, PORT, *MIRRORS))
# what is left of FINISH for a packet that is neither mirrored nor dropped
SEND = Step("send", reads=(RECIRCULATED, PORT))


def plan(program: Program) -> tuple[PipePlan, ...]:
    """The pipe of a program."""
    pre = control(program, Role.PRE_CONTROL)
    items = (
        BEGIN,
        *parse(program, Role.PARSER, PARSER_ERROR),
        *((PARSED, *pre) if pre else ()),
        *control(program, Role.MAIN_CONTROL),
        *deparse(program, Role.DEPARSER, LEAVE),
        FINISH,
    )
    return (PipePlan("ingress", items, renews=True, keeps=(RECIRCULATION_LIST,) if recirculates(program) else ()),)


def specialise(program: Program, step: Step, values: Values) -> Step:
    """It may be known whether a packet is dropped or mirrored. FINISH comes after the drop decision."""
    if step not in (LEAVE, FINISH) or any(may_be_set(program, slot) and values(slot) != NO_MIRROR for slot in MIRRORS):
        return step
    if step == FINISH:
        return SEND
    dropped = values(DROPPED)
    return step if dropped is None else DROP if dropped else PASS


def preserved_lists(program: Program) -> tuple[Preserved, ...]:
    """What a recirculated packet keeps, behind the empty list."""
    number = program.intrinsic.get(NEXT_PASS)
    return ((), (() if number is None else ((number, ""),))) if recirculates(program) else ((),)


def second_passes(program: Program) -> bool:
    """Whether packets may be mirrored or recirculated."""
    return recirculates(program) or any(may_be_set(program, slot) for slot in MIRRORS)


def recirculates(program: Program) -> bool:
    return may_be_set(program, RECIRCULATED)


def may_be_set(program: Program, intrinsic: str) -> bool:
    """Whether something may make that intrinsic value another than zero."""
    name = program.intrinsic.get(intrinsic)
    if name is None:
        return False
    locator = Locator(program)
    writes = (s for s in program_statements(program) if Location(name) in locator.access(s).writes)
    return any(not (isinstance(s, Assign) and isinstance(s.value, Const) and s.value.value == 0) for s in writes)


DESCRIPTION = Description(
    plan,
    plan,
    lambda program: (),
    second_passes,
    recirculates,
    preserved_lists,
    instances=(("recirculated", Instance.RECIRCULATED), ("egress_clone", Instance.MIRRORED)),
    drops=((DROPPED, 1),),
    specialise=specialise,
)
