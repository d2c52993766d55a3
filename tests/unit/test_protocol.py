"""The control protocol: its numbers are those of the switch, and what a payload says. docs/control.md."""

from __future__ import annotations

import enum
import re
from pathlib import Path

import pytest

from macsad import protocol
from macsad.protocol import (
    ControlError,
    Digest,
    Filter,
    Idle,
    Message,
    Outcome,
    Push,
    Reading,
    Status,
    Traced,
    Update,
    digest_of,
    frames_of,
    idle_of,
    json_of,
    text_of,
    traced_of,
)

HEADER = (Path(__file__).parents[2] / "aux-backend" / "control" / "protocol.h").read_text()


def of_the_switch(name: str, prefix: str) -> dict[str, int]:
    """The members of an enum in C, without what all their names begin with."""
    body = re.sub(r"/\*.*?\*/", "", HEADER, flags=re.DOTALL).partition(f"enum {name} {{")[2].partition("}")[0]
    found: dict[str, int] = {}
    for member in filter(None, (one.strip() for one in body.split(","))):
        word, _, value = member.partition(" = ")
        found[word.removeprefix(prefix)] = int(value) if value else max(found.values(), default=-1) + 1
    return found


@pytest.mark.parametrize(
    ("ours", "name", "prefix"),
    [
        (Message, "macs_message_type", "MACS_MESSAGE_"),
        (Status, "macs_message_status", "MACS_STATUS_"),
        (Push, "macs_subscribe_flags", "MACS_SUBSCRIBE_"),
        (Update, "macs_update", "MACS_UPDATE_"),
        (Outcome, "macs_update_status", "MACS_UPDATE_"),
        (Reading, "macs_read", "MACS_READ_"),
    ],
)
def test_numbers_are_those_of_the_switch(ours: type[enum.IntEnum], name: str, prefix: str) -> None:
    found = of_the_switch(name, prefix)
    assert found and {member.name: member.value for member in ours} == found


def test_the_largest_message_is_that_of_the_switch() -> None:
    assert f"#define MACS_MESSAGE_MAX ({protocol.MESSAGE_MAX >> 20}u << 20)" in HEADER
    assert protocol.MESSAGE_MAX % (1 << 20) == 0


def test_frames() -> None:
    assert frames_of(b"") == []
    payload = bytes.fromhex("0102 00000003 aabbcc ffff 00000000 0000 00000001 dd".replace(" ", ""))
    assert frames_of(payload) == [(0x102, b"\xaa\xbb\xcc"), (0xFFFF, b""), (0, b"\xdd")]


def test_frames_as_they_were_received() -> None:
    head = bytes.fromhex("0000000000000005 0000000000000007".replace(" ", ""))
    assert traced_of(head) == Traced(5, 7, ())
    frames = bytes.fromhex("0102 0000000000000009 00000003 aabbcc 0000 0000000100000000 00000001 dd".replace(" ", ""))
    assert traced_of(head + frames) == Traced(5, 7, ((0x102, 9, b"\xaa\xbb\xcc"), (0, 1 << 32, b"\xdd")))


def test_records_of_a_digest() -> None:
    head = b"\0\4name\0\0\0\2"
    assert digest_of(head) == Digest("name", ())
    assert digest_of(head + b"aabbcc") == Digest("name", (b"aa", b"bb", b"cc"))
    assert digest_of(b"\0\0\0\0\0\3abc") == Digest("", (b"abc",))
    assert digest_of("\0\2\u00e9\0\0\0\1a".encode()) == Digest("\u00e9", (b"a",))


def test_entries_that_nothing_hits() -> None:
    ages = b"".join(number.to_bytes(8, "big") for number in (1, 2, 3, 4, 5, 6))
    assert idle_of(b"\1\2\0\0\0\2" + ages + b"entries") == Idle(0x102, ((1, 2, 3), (4, 5, 6)), b"entries")
    assert idle_of(b"\0\1\0\0\0\0" + ages) == Idle(1, (), ages)


def test_texts_and_objects() -> None:
    assert text_of("gr\u00fcn".encode()) == "gr\u00fcn" and text_of(b"a\xff") == "a\ufffd"
    assert json_of(b'{"a": 1}') == {"a": 1}
    with pytest.raises(ControlError, match="not a JSON object"):
        json_of(b"[1]")


@pytest.mark.parametrize(
    ("wanted", "packed"),
    [
        (Filter(), "ffffffff 00000001 00000000 0000000000000000"),
        (Filter(port=0), "00000000 00000001 00000000 0000000000000000"),
        (
            Filter(3, 4, 5, 6, ((0x102, 0x0F, 0xF0), (12, 8, 255))),
            "00000003 00000004 00000005 0000000000000006 0102 0f f0 000c 08 ff",
        ),
    ],
)
def test_what_a_trace_is_for(wanted: Filter, packed: str) -> None:
    assert wanted.packed() == bytes.fromhex(packed)
