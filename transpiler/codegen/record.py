"""Which members of a packet's record (struct macs_packet) a program reads: only these are filled."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from transpiler.codegen.c.build import PACKET, packet
from transpiler.codegen.c.nodes import Assign, Body, Call, Expression, Member
from transpiler.codegen.c.walk import expressions, parts, walk, walk_expression

# what is filled when a packet is received; its length always is
MEMBERS = (
    "handle",
    "data",
    "contiguous",
    "payload_offset",
    "ingress_port",
    "egress_port",
    "multicast_group",
    "replica",
    "instance_type",
    "ingress_ns",
)
WHOLE = frozenset(MEMBERS)

RESIZING = frozenset({"macs_layout_resize", "macs_layout_truncate"})  # what makes a frame longer or shorter


def members_read(values: Iterable[Expression], body: Body = ()) -> frozenset[str]:
    """The members that expressions and a body read, all where the record is handed on."""
    found = set().union(*map(_read, values))
    for statement in walk(body):
        match statement:
            case Assign(target=Member(of=of, arrow=True), value=value, operator="=") if of == PACKET:
                found |= _read(value)
            case _:
                found |= set().union(*map(_read, expressions(statement)))
    return WHOLE if "" in found else WHOLE & found


def _read(e: Expression) -> set[str]:
    """The members that an expression names; "" stands for the whole record."""
    if isinstance(e, Member) and e.of == PACKET and e.arrow:
        return {e.name}
    return {""} if e == PACKET else set().union(*map(_read, parts(e)))


def is_written(body: Body) -> bool:
    """Whether a body may write to the record."""
    for statement in walk(body):
        if isinstance(statement, Assign) and any(_is_member(e) for e in walk_expression(statement.target)):
            return True
        if any("" in _read(e) for e in expressions(statement)):
            return True
    return False


def _is_member(e: Expression) -> bool:
    return isinstance(e, Member) and e.of == PACKET


def reads_time(values: Iterable[Expression]) -> bool:
    """Whether one of the expressions is of the time of arrival or of the burst."""
    return any(isinstance(e, Member) and e.name in ("now_ns", "ingress_ns") for e in _all(values))


def reads_service(values: Iterable[Expression]) -> bool:
    """Whether one of the expressions is a packet's class of service."""
    return any(isinstance(e, Member) and e.name == "service" and e.of == packet("requests") for e in _all(values))


def resizes(values: Iterable[Expression]) -> bool:
    """Whether one of the expressions may make a frame longer or shorter."""
    return any(isinstance(e, Call) and e.function in RESIZING for e in _all(values))


def _all(values: Iterable[Expression]) -> Iterator[Expression]:
    return (e for value in values for e in walk_expression(value))


def binding(record: frozenset[str]) -> str:
    """The argument of macs_bind() that fills these."""
    if record == WHOLE:
        return "MACS_BIND_ALL"
    return " | ".join(f"MACS_BIND_{name.upper()}" for name in MEMBERS if name in record) or "0"
