"""What the code of a program reads of a packet's record, struct macs_packet: nothing else needs to be filled."""

from __future__ import annotations

import re
from typing import Any

from transpiler.codegen.views import PipeView, texts

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
_WRITTEN = re.compile(r"\bpacket->[\w.]+ = ")
_READ = re.compile(r"\bpacket->(\w+)\b(?! = )")
_RESIZES = re.compile(r"\bmacs_layout_(resize|truncate)\b")
_WHOLE = re.compile(r"\bpacket\b(?!->)")
_TIME = re.compile(r"->(now|ingress)_ns\b")


def members_read(views: Any) -> frozenset[str]:
    """The members that the C in views reads, all where the record is handed on."""
    found: set[str] = set()
    for text in texts(views):
        if _WHOLE.search(text):
            return WHOLE
        found.update(_READ.findall(text))
    return WHOLE & found


def record_of(pipes: tuple[PipeView, ...]) -> frozenset[str]:
    """The members that pipes read as they are when a packet is received or leaves its pipe: to a pipe aside the runtime
    directs it."""
    aside = members_read(tuple(pipe for pipe in pipes if pipe.aside)) - {"egress_port"}
    return aside | members_read(tuple(pipe for pipe in pipes if not pipe.aside))


def is_written(views: Any) -> bool:
    """Whether the C in views may write to the record."""
    return any(_WRITTEN.search(text) or _WHOLE.search(text) for text in texts(views))


def reads_time(views: Any) -> bool:
    """Whether the C in views looks at the time of arrival or of the burst."""
    return any(_TIME.search(text) for text in texts(views))


def resizes(views: Any) -> bool:
    """Whether the C in views may make a frame longer or shorter."""
    return any(_RESIZES.search(text) for text in texts(views))


def binding(record: frozenset[str]) -> str:
    """The argument of macs_bind() that fills these."""
    if record == WHOLE:
        return "MACS_BIND_ALL"
    return " | ".join(f"MACS_BIND_{name.upper()}" for name in MEMBERS if name in record) or "0"
