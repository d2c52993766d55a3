"""Replies come out behind the frames that they answer, and only then."""

from __future__ import annotations

import struct
from pathlib import Path

import generated
import pytest
import switches
from click import BadParameter

from macsad import generation
from macsad.compilation import Request
from transpiler.interpreter import Switch
from transpiler.traffic.wellknown import exchanged

APPS = Path(__file__).parents[2] / "apps"
FIREWALL = APPS / "firewall" / "firewall.p4"


def made(folder: Path, path: Path, **wanted: object) -> generation.Made:
    return generation.make(Request(path), switches.load(path), generated.order(folder, replies=True, **wanted))


def sent(switch: Switch, port: int, frames: list[bytes]) -> list[int]:
    """The port that each frame goes out of, -1: none."""
    return [out[0][0] if (out := switch.process(port, frame)) else -1 for frame in frames]


def test_a_firewall_lets_replies_pass(tmp_path: Path) -> None:
    assert made(tmp_path, FIREWALL).replies == tmp_path / "replies.pcap"
    program = switches.load(FIREWALL)
    switch = Switch(program)
    assert generated.load(switch, program, generated.commands(tmp_path)) == {"FirewallIngress.sides": 2}
    frames, replies = generated.frames(tmp_path), generated.frames(tmp_path, "replies.pcap")
    assert len(set(replies)) == len(set(frames)) == 400
    assert sent(switch, 1, replies) == [-1] * 400
    assert sent(switch, 0, frames[:200]) == [1] * 200
    passed = sent(switch, 1, replies)
    assert passed[:200] == [0] * 200 and passed[200:].count(-1) > 190


def test_what_lets_everything_pass_has_no_replies(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert made(tmp_path, APPS / "flows" / "flows.p4").replies is None
    assert "no replies: none comes out only behind the frame that it answers" in capsys.readouterr().err
    assert not (tmp_path / "replies.pcap").exists()


def test_replies_need_two_ports(tmp_path: Path) -> None:
    with pytest.raises(BadParameter, match="--ports 2"):
        made(tmp_path, FIREWALL, ports=3)


def ipv4(protocol: int, vlan: bool = False) -> bytes:
    tag = b"\x81\x00\x00\x07" if vlan else b""
    head = bytes([0x45, 0, 0, 40, 0, 0, 0, 0, 64, protocol, 0, 0]) + b"SSSSDDDD"
    return b"dddddd" + b"ssssss" + tag + b"\x08\x00" + head + b"ffttpayload"


@pytest.mark.parametrize("vlan", [False, True])
def test_source_and_destination_change_places(vlan: bool) -> None:
    frame = ipv4(17, vlan)
    reply = bytes(frame[at] for at in exchanged(frame))
    assert reply == frame.replace(b"ddddddssssss", b"ssssssdddddd").replace(b"SSSSDDDD", b"DDDDSSSS").replace(
        b"fftt", b"ttff"
    )
    assert bytes(reply[at] for at in exchanged(reply)) == frame


def test_there_are_no_ports_but_in_tcp_and_udp() -> None:
    frame = ipv4(1)
    assert bytes(frame[at] for at in exchanged(frame)).endswith(b"DDDDSSSSffttpayload")


def test_ipv6() -> None:
    head = struct.pack(">IHBB", 6 << 28, 20, 6, 64) + bytes(range(16)) + bytes(range(16, 32))
    frame = bytes(12) + b"\x86\xdd" + head + b"fftt"
    reply = bytes(frame[at] for at in exchanged(frame))
    assert reply[22:54] == bytes([*range(16, 32), *range(16)]) and reply.endswith(b"ttff")


@pytest.mark.parametrize("frame", [b"", bytes(64), ipv4(17)[:30]])
def test_what_is_no_ip_has_no_reply(frame: bytes) -> None:
    assert exchanged(frame) == ()
