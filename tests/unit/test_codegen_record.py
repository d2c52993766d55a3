"""What generated code reads of a packet's record."""

from __future__ import annotations

import pytest

from transpiler.codegen.record import WHOLE, binding, is_written, members_read, resizes
from transpiler.codegen.views import IfView, Line


@pytest.mark.parametrize(
    ("text", "read"),
    [
        ("packet->egress_port = kept->spec;", set()),
        ("packet->ingress_port = 1;", set()),
        ("kept->port = packet->ingress_port;", {"ingress_port"}),
        ("packet->data = packet->data + packet->payload_offset;", {"data", "payload_offset"}),
        ("macs_layout_truncate(packet);", WHOLE),
    ],
)
def test_members_read_by_a_line(text: str, read: set[str]) -> None:
    assert members_read((Line(text),)) == read


def test_members_read_by_conditions_and_what_stands_in_them() -> None:
    inner = Line("kept->now = packet->ingress_ns / 1000;")
    assert members_read(IfView("packet->instance_type == 1", (inner,), (), "")) == {"ingress_ns", "instance_type"}


def test_what_is_bound() -> None:
    assert binding(frozenset()) == "0"
    assert binding(frozenset({"ingress_port", "data"})) == "MACS_BIND_DATA | MACS_BIND_INGRESS_PORT"
    assert binding(WHOLE) == "MACS_BIND_ALL"


@pytest.mark.parametrize(
    ("text", "changes"),
    [
        ("if (macs_layout_resize(packet, front, head)) {", True),
        ("macs_layout_truncate(packet);", True),
        ("macs_layout_take(packet, list, 14, 4);", False),
        ("packet->length < 14", False),
    ],
)
def test_what_changes_the_length_of_a_frame(text: str, changes: bool) -> None:
    assert resizes(IfView("x", (Line(text),), (), "")) is changes


@pytest.mark.parametrize(
    ("text", "writes"),
    [
        ("packet->payload_offset = at;", True),
        ("packet->requests.preserved = 1;", True),
        ("macs_layout_truncate(packet);", True),
        ("*fate = macs_fate_of_port(common, packet->ingress_port);", False),
        ("macs_go_on(common, packet->handle, kept, MACS_REPLICATE, 1);", False),
        ("if (packet->length == 14) {", False),
    ],
)
def test_what_writes_to_a_record(text: str, writes: bool) -> None:
    assert is_written(IfView("x", (Line(text),), (), "")) is writes
