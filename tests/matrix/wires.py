"""Interfaces for the cells that need some, and frames through them: veth pairs, taps, packet sockets at their far ends."""

from __future__ import annotations

import socket
import struct
import subprocess
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager

ALL = 0x0003  # ETH_P_ALL
SOL_PACKET, PACKET_AUXDATA, VLAN_VALID = 263, 8, 1 << 4
OUTGOING = 4  # PACKET_OUTGOING: what we have sent ourselves
BUFFER = 8 << 20
QUIET_S = 0.5  # after the last frame: more than was expected would come now
GAP_S = 0.0003


def ip(*words: str) -> None:
    subprocess.run(["ip", *words], check=True, capture_output=True, text=True)


@contextmanager
def veths(count: int) -> Iterator[list[str]]:
    """Pairs macsN and farN, which are up; the far ends. The kernel itself says nothing on them."""
    made = []
    try:
        for number in range(count):
            ip("link", "add", f"macs{number}", "type", "veth", "peer", "name", f"far{number}")
            made.append(f"macs{number}")
            for name in (f"macs{number}", f"far{number}"):
                ip("link", "set", name, "up")
        yield [f"far{number}" for number in range(count)]
    finally:
        for name in made:
            ip("link", "del", name)


def taps(count: int) -> list[str]:
    """The switch has made them."""
    names = [f"macs{number}" for number in range(count)]
    for name in names:
        ip("link", "set", name, "up")
    return names


def through(interfaces: list[str], frames: list[bytes], expected: list[int], limit_s: float) -> list[list[bytes]]:
    """Send frames into the first interface; what comes out of each of the others, until so many have come and then a while."""
    with ExitStack() as stack:
        sockets = [stack.enter_context(_packet_socket(name)) for name in interfaces]
        came: list[list[bytes]] = [[] for _ in interfaces]
        for number, frame in enumerate(frames):
            sockets[0].send(frame)
            time.sleep(GAP_S)
            if number % 16 == 0:
                _receive(sockets, came)
        begun = last = time.monotonic()
        while (now := time.monotonic()) < last + QUIET_S or (_short(came, expected) and now < begun + limit_s):
            if _receive(sockets, came):
                last = now
            time.sleep(0.005)
        return came[1:]


def _packet_socket(name: str) -> socket.socket:
    made = socket.socket(socket.AF_PACKET, socket.SOCK_RAW, socket.htons(ALL))
    made.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, BUFFER)
    made.setsockopt(SOL_PACKET, PACKET_AUXDATA, 1)
    made.bind((name, ALL))
    made.setblocking(False)
    return made


def _receive(sockets: list[socket.socket], came: list[list[bytes]]) -> bool:
    before = sum(map(len, came))
    for one, frames in zip(sockets, came, strict=True):
        while True:
            try:
                frame, auxiliary, _, address = one.recvmsg(65536, 64)
            except BlockingIOError:
                break
            if address[2] != OUTGOING:
                frames.append(_with_tag(frame, auxiliary))
    return sum(map(len, came)) > before


def _with_tag(frame: bytes, auxiliary: list[tuple[int, int, bytes]]) -> bytes:
    """The frame as it was on the wire: the kernel keeps its VLAN tag beside it (struct tpacket_auxdata)."""
    for level, kind, data in auxiliary:
        if (level, kind) == (SOL_PACKET, PACKET_AUXDATA):
            status, _, _, _, _, tag, protocol = struct.unpack_from("=IIIHHHH", data)
            if status & VLAN_VALID:
                return frame[:12] + struct.pack("!HH", protocol, tag) + frame[12:]
    return frame


def _short(came: list[list[bytes]], expected: list[int]) -> bool:
    return any(len(frames) < wanted for frames, wanted in zip(came[1:], expected, strict=True))
