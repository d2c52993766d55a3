"""IPv4 frames for the system tests: right ones, and ones that are not."""

from __future__ import annotations

import random
import struct

ETHERNET = bytes.fromhex("020000000100 020000000010 0800")
_HEADER = struct.Struct("!BBHHHBBH4s4s")


def ipv4_frame(chance: random.Random, payload: int = 26) -> bytes:
    """A frame to somewhere in 10.0.0.0/14 or (a quarter of them) anywhere, its header checksum right."""
    destination = chance.randbytes(4)
    if chance.random() < 0.75:
        destination = bytes([10, destination[1] & 3]) + destination[2:]
    fields = (0x45, 0, 20 + payload, chance.getrandbits(16), 0, chance.choice((1, 2, 64, 255)), 17)
    addresses = (b"\xc6\x33\x64\x01", destination)
    total = sum(struct.unpack("!10H", _HEADER.pack(*fields, 0, *addresses)))
    total = (total & 0xFFFF) + (total >> 16)
    checksum = ~((total & 0xFFFF) + (total >> 16)) & 0xFFFF
    return ETHERNET + _HEADER.pack(*fields, checksum, *addresses) + bytes(payload)


def damaged(chance: random.Random, frame: bytes) -> bytes:
    """A frame with a few bytes that are others."""
    changed = bytearray(frame)
    for _ in range(chance.randrange(1, 5)):
        changed[chance.randrange(len(changed))] = chance.getrandbits(8)
    return bytes(changed)


def hostile_frame(chance: random.Random, right: list[bytes]) -> bytes:
    """One of `right`, whole, cut short, grown or damaged, or nothing but noise; 0 to 300 bytes, seldom up to 12,000."""
    kind = chance.randrange(1000)
    if kind < 300:
        return chance.randbytes(chance.randrange(1, 300))
    if kind < 301:
        return chance.choice(right) + chance.randbytes(chance.randrange(12000))
    if kind < 302:
        return b""
    frame = chance.choice(right)
    if kind < 600:
        return frame[: chance.randrange(1, len(frame))]
    return damaged(chance, frame) if kind < 800 else frame
