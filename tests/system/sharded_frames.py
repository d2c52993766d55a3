"""Frames for sharded.p4, and what it must have of them."""

from __future__ import annotations

import random
import struct

WIDE = 0x4000000000000001
STEERED = "frames are steered to"


def frames(count: int, flows: int, seed: int = 1) -> list[bytes]:
    """Plain and tagged IPv4 with ports, and others; of few flows, so that workers would meet."""
    made = random.Random(seed)
    found = []
    for _ in range(count):
        flow = struct.pack(">IIHH", *(made.randrange(flows) for _ in range(4)))
        tag = b"\x81\0\0\x05" if made.randrange(2) else b""
        kind = b"\x08\0" if made.randrange(4) else b"\x12\x34"
        macs = bytes((2, 0, 0, 0, 0, made.randrange(flows))) + bytes((2, 0, 0, 0, 0, made.randrange(flows)))
        ip = b"\x45\0\0\x40\0\0\0\0\x40\x11\0\0" + flow
        found.append(macs + tag + kind + ip + bytes(30))
    return found


def elements(text: str) -> list[int]:
    return [int(value, 0) for value in text.partition("=")[2].split(",")]
