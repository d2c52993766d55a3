"""Packets with the fields of a controller header in front, without a switch. P4Runtime spec 1.4.1 section 16."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from macsad.p4runtime import packets
from macsad.p4runtime.codes import Code, Refused
from macsad.p4runtime.messages import message, messages
from macsad.p4runtime.packets import Header
from macsad.p4runtime.program import Param
from macsad.p4runtime.strings import Strings

PORT = Header((Param(1, 9), Param(2, 7)))
ODD = Header((Param(4, 3), Param(7, 17)))


def packet_out(payload: bytes = b"", **metadata: bytes) -> Any:
    """Metadata by `_ID`."""
    made = message("PacketOut")(payload=payload)
    for name, value in metadata.items():
        made.metadata.add(metadata_id=int(name[1:]), value=value)
    return made


def packet_in(header: Header, frame: bytes) -> tuple[dict[int, bytes], bytes]:
    """The metadata and the payload of what a controller gets."""
    (wire,) = header.packets_in([frame])
    packet = message("StreamMessageResponse").FromString(wire).packet
    return {one.metadata_id: one.value for one in packet.metadata}, packet.payload


@pytest.mark.parametrize(
    ("header", "values", "head"),
    [
        (Header(()), {}, ""),
        (Header((Param(1, 8),)), {1: b"\0"}, "00"),
        (Header((Param(1, 0), Param(2, 8))), {1: b"\0", 2: b"\5"}, "05"),
        (PORT, {1: b"\1\xff", 2: b"\x7f"}, "ffff"),
        (PORT, {1: b"\1\0", 2: b"\0"}, "8000"),
        (PORT, {1: b"\1", 2: b"\2"}, "0082"),
        (ODD, {4: b"\5", 7: b"\1\0\1"}, "b00010"),
        (Header((Param(1, 128),)), {1: bytes(range(1, 17))}, bytes(range(1, 17)).hex()),
    ],
)
def test_fields_stand_in_front_in_their_order_and_whole_bytes(
    header: Header, values: dict[int, bytes], head: str
) -> None:
    frame = bytes.fromhex(head) + b"rest"
    assert header.frame(packet_out(b"rest", **{f"_{number}": value for number, value in values.items()})) == frame
    assert packet_in(header, frame) == (values, b"rest")
    assert packet_in(header, frame[:-4]) == (values, b"")
    assert header.size == len(bytes.fromhex(head))


def test_what_is_shorter_than_the_header_is_left_out() -> None:
    assert [*PORT.packets_in([b"", b"a"])] == []
    assert len([*PORT.packets_in([b"a", b"ab", b"abc"])]) == 2


@pytest.mark.parametrize(
    "metadata", [{}, {"_1": b"\1"}, {"_1": b"\1", "_2": b"\1", "_3": b"\1"}, {"_1": b"\1", "_3": b"\1"}]
)
def test_metadata_are_those_of_the_header(metadata: dict[str, bytes]) -> None:
    with pytest.raises(Refused) as refused:
        PORT.frame(packet_out(**metadata))
    assert refused.value.code is Code.INVALID_ARGUMENT


def test_metadata_are_there_once_and_fit() -> None:
    twice = packet_out(_1=b"\1", _2=b"\1")
    twice.metadata.add(metadata_id=1, value=b"\1")
    for wrong in (twice, packet_out(_1=b"\2\0", _2=b"\1"), packet_out(_1=b"", _2=b"\1")):
        with pytest.raises(Refused):
            PORT.frame(wrong)


def test_as_many_metadata_are_kept_as_there_is_room_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(packets, "_KEPT_MAX", 2)
    header = Header((Param(1, 8),))
    for number in (1, 2, 3, 1, 4):
        assert packet_in(header, bytes([number]))[0] == {1: bytes([number])}
    assert set(header._made) == {b"\1", b"\2"}


def test_strings_may_stand_for_others_later() -> None:
    names = Strings("name", [("one", 1)], None)
    header = Header((Param(1, 8, names), Param(2, 8)))
    assert packet_in(header, b"\1\2") == ({1: b"one", 2: b"\2"}, b"")
    assert header.frame(packet_out(_1=b"new", _2=b"\3")) == b"\xff\3"
    assert packet_in(header, b"\xff\2")[0] == {1: b"new", 2: b"\2"}
    names.forget()
    assert packet_in(header, b"\xff\2")[0] == {1: b"255", 2: b"\2"} and not header._made


def test_the_header_of_a_program_has_the_widths_of_the_switch() -> None:
    """Those of the P4Info where the switch does not tell them; one that is not there has no fields."""
    info = messages().of("p4.config.v1.P4Info")()
    for name, widths in (("packet_out", (9,)), ("packet_in", (32, 7))):
        made = info.controller_packet_metadata.add()
        made.preamble.name = name
        for at, width in enumerate(widths, 1):
            made.metadata.add(id=at, bitwidth=width)
    program: Any = SimpleNamespace(info=info, widths={}, translations=SimpleNamespace(of=lambda field: None))
    assert Header.of(program, "packet_in") == Header((Param(1, 32), Param(2, 7)))
    program.widths = {"packet_in": (9, 7)}
    assert Header.of(program, "packet_in") == PORT and Header.of(program, "packet_out") == Header((Param(1, 9),))
    assert Header.of(program, "digest") == Header(())
