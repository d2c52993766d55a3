"""What packets do in the interpreter, step by step, and what is sent, counted and kept (`--update-golden` writes it anew)."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import aux_frontend
import pytest

from macsad.compilation import Request, load
from transpiler.interpreter import Switch
from transpiler.interpreter.matches import Exact, Prefix, Ternary
from transpiler.interpreter.tables import GroupRef, MemberRef

HERE = Path(__file__).parent / "codegen"
INCLUDED = Path(aux_frontend.__file__).parent / "p4include"


def order(what: int, key: int, flow: int = 5, cell: int = 3, wide: int = 1 << 120) -> bytes:
    """A frame of state.p4."""
    return bytes((what, key)) + flow.to_bytes(2) + cell.to_bytes(4) + wide.to_bytes(16) + b"rest"


def state(switch: Switch) -> None:
    """Members and groups, entries of all kinds, a clone session; a meter of one packet."""
    members = [switch.member_create("I.members", "I.set", (number, 9)) for number in (4, 5)]
    switch.table_add_indirect("I.one", (Exact(1),), MemberRef(members[1]))
    chosen = [switch.member_create("I.chosen", "I.set", (number, 20 + number)) for number in range(3)]
    groups = [switch.group_create("I.chosen") for _ in range(2)]
    for member in chosen:
        switch.group_add_member("I.chosen", groups[0], member)
    switch.table_add_indirect("I.many", (Exact(1),), GroupRef(groups[0]))
    switch.table_add_indirect("I.many", (Exact(2),), GroupRef(groups[1]))
    coloured = switch.table_add("I.coloured", (Ternary(4, 4), None), "I.mark", (), 5)
    switch.table_add("I.coloured", (Ternary(6, 6), Exact(1)), "I.none", (), 9)
    switch.meter_set_rates("I.of_entry", coloured, (0.0, 1), (0.0, 2))
    switch.meter_set_rates("I.rates", 1, (0.0, 40), (0.0, 60))
    switch.table_add("I.aging", (Prefix(1 << 120, 16),), "I.set", (8, 30))
    switch.value_set_add("P.kinds", (Exact(0x55),))
    switch.mirroring_add(9, 40, most=30)
    switch.register_write("I.last", 0, 7)


STATE = [
    order(0, 1), order(0, 1), order(0, 1, flow=6), order(0, 2, flow=8), order(1, 1, flow=5), order(1, 1, flow=5, wide=3),
    order(2, 1), order(6, 7, flow=9), order(0x55, 3), order(0x95, 2), order(4, 1), order(0, 0xEE), order(0xFF, 1),
    order(0, 1)[:7], b"",
]  # fmt: skip


def ethernet(type_: int, *parts: bytes) -> bytes:
    return bytes(range(1, 13)) + type_.to_bytes(2) + b"".join(parts)


def ipv4(ttl: int = 9, protocol: int = 17, options: bytes = b"", behind: bytes = b"", broken: int = 0) -> bytes:
    head = bytearray(20) + options
    head[0], head[8], head[9] = 0x40 | len(head) // 4, ttl, protocol
    head[2:4], head[12:16], head[16:20] = (
        (len(head) + len(behind)).to_bytes(2),
        bytes((10, 0, 0, 1)),
        bytes((10, 0, 0, 2)),
    )
    total = sum(int.from_bytes(head[at : at + 2]) for at in range(0, len(head), 2))
    head[10:12] = (~(total % 0xFFFF) & 0xFFFF ^ broken).to_bytes(2)
    return bytes(head) + behind


PORTS = (0xFFFB).to_bytes(2) + (0x1234).to_bytes(2) + (0x80 << 88 | 7).to_bytes(12)
LABEL, LAST = bytes.fromhex("00010640"), bytes.fromhex("00007320")
HEADERS = [
    ethernet(0x0800, ipv4(behind=PORTS)),
    ethernet(0x0800, ipv4(options=bytes.fromhex("01020304 05060708"), behind=PORTS)),
    ethernet(0x0800, ipv4(ttl=1, protocol=50, behind=bytes(8) + b"\x01\x02 behind")),
    ethernet(0x0800, ipv4(broken=1, behind=PORTS)),
    ethernet(0x0800, b"\x44" + bytes(19)),
    ethernet(0x0800, b"\x4f" + bytes(30)),
    ethernet(0x8100, bytes.fromhex("e0050800"), ipv4(behind=PORTS)),
    ethernet(0x8100, bytes.fromhex("2fff8847"), LABEL, LAST, ipv4(protocol=1)),
    ethernet(0x8847, LABEL, LABEL, LABEL, LAST, b"\x60 no header"),
    ethernet(0x8847, LABEL, LABEL, LABEL, LABEL, LAST),
    ethernet(0x8847, bytes.fromhex("00010840"), LAST, b"\x50"),
    ethernet(0x1234, b"payload"),
    b"short",
]


def headers(switch: Switch) -> None:
    switch.table_add("I.routes", (Prefix(0x0A000000, 8),), "I.route", (3, 0xA1A2A3A4A5A6))
    switch.table_add("I.wide", (Exact(0x03040506070A000001 & (1 << 72) - 1), Exact(0x92), Exact(1)), "I.drop")


def flow(what: int, key: int, wide: int = 7, value: int = 5) -> bytes:
    """A frame of learning.p4."""
    return bytes((what,)) + key.to_bytes(4) + wide.to_bytes(8) + value.to_bytes(2)


LEARNING = [
    flow(1, 3), flow(1, 3), flow(1, 4, value=6), flow(1, 4), flow(0, 8), flow(0, 8), flow(0, 9, value=0), flow(0, 2, wide=1),
    flow(0, 2, wide=2),
]  # fmt: skip


def learning(switch: Switch) -> None:
    switch.table_add("Work.aging", (Exact(1), Exact(2)), "Work.refresh")
    switch.table_add("Work.aging", (Exact(2), Exact(2)), "Work.lasting", (6,))
    switch.mirroring_add(5, 2)
    for index in range(16):
        switch.meter_set_rates("Work.rates", index, (0.0, 1), (0.0, 2))


@pytest.mark.parametrize(
    ("name", "control", "frames"),
    [("state", state, STATE), ("headers", headers, HEADERS), ("learning", learning, LEARNING)],
)
def test_what_packets_do(
    name: str, control: Callable[[Switch], None], frames: list[bytes], golden: Callable[[Path, str], None]
) -> None:
    file = HERE / f"{name}.p4"
    lines: list[str] = []
    switch = Switch(load(Request(file, warnings=("no-all",))), seed=3, trace=lambda event: lines.append(str(event)))
    control(switch)
    for number, frame in enumerate(frames):
        lines.append(f"--- {number}: {frame.hex()}")
        lines += [f"    sent to {port}: {data.hex()}" for port, data in switch.process(number % 3, frame)]
    text = "\n".join(lines).replace(f"{HERE}/", "").replace(f"{INCLUDED}/", "")
    golden(file.with_suffix(".trace"), text + "\n")
