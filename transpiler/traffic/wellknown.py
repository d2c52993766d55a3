"""What Ethernet, IPv4, IPv6, UDP and TCP want of a frame beyond what a program asks: versions, lengths, a time to live.

Values are preferences: where the parser or a table needs another one, that one wins.
Sources: RFC 791, 8200, 768, 9293; IEEE 802.1Q.
"""

from __future__ import annotations

from dataclasses import dataclass

from transpiler.traffic.checksums import Checksum
from transpiler.traffic.symbolic import BitsOf

VLAN_TYPES = (0x8100, 0x88A8)
IPV4, IPV6 = 0x0800, 0x86DD
TCP, UDP = 6, 17


@dataclass(frozen=True)
class Known:
    """`values`: (first bit, width, value). `lengths`: (first bit of 16, bytes of the frame that do not count)."""

    values: tuple[tuple[int, int, int], ...] = ()
    lengths: tuple[tuple[int, int], ...] = ()
    checksum: Checksum | None = None


def known(frame: bytes) -> Known:
    """What is known of a frame that begins like this one, if it is an Ethernet frame with IP in it."""
    at = 12
    while _number(frame, at, 2) in VLAN_TYPES:
        at += 4
    kind, at = _number(frame, at, 2), at + 2
    if kind == IPV4 and len(frame) >= at + 20:
        values = [(at * 8, 8, 0x45), (at * 8 + 64, 8, 64)]
        if not frame[at + 9]:
            values.append((at * 8 + 72, 8, UDP))
        return _with_ports(frame, at + 20, frame[at + 9] or UDP, values, [(at * 8 + 16, at)], _ipv4_checksum(at))
    if kind == IPV6 and len(frame) >= at + 40:
        values = [(at * 8, 4, 6), (at * 8 + 56, 8, 64)]
        if not frame[at + 6]:
            values.append((at * 8 + 48, 8, UDP))
        return _with_ports(frame, at + 40, frame[at + 6] or UDP, values, [(at * 8 + 32, at + 40)], None)
    return Known()


def exchanged(frame: bytes) -> tuple[int, ...]:
    """The bytes of a frame, by their places, in the order in which a reply has them: addresses and ports of source and
    destination changed places. Sums over them stay right. Empty for what is no Ethernet frame with IP in it."""
    order = list(range(len(frame)))
    at = 12
    while _number(frame, at, 2) in VLAN_TYPES:
        at += 4
    kind, at = _number(frame, at, 2), at + 2
    addresses, size, protocol, header = {IPV4: (12, 4, 9, 20), IPV6: (8, 16, 6, 40)}.get(kind, (0, 0, 0, 0))
    if not size or len(frame) < at + header:
        return ()
    _exchange(order, 0, 6)
    _exchange(order, at + addresses, size)
    if frame[at + protocol] in (TCP, UDP) and len(frame) >= at + header + 4:
        _exchange(order, at + header, 2)
    return tuple(order)


def _exchange(order: list[int], at: int, size: int) -> None:
    order[at : at + 2 * size] = [*order[at + size : at + 2 * size], *order[at : at + size]]


def _with_ports(
    frame: bytes, at: int, protocol: int, values: list[tuple[int, int, int]], lengths: list[tuple[int, int]],
    checksum: Checksum | None,
) -> Known:  # fmt: skip
    if protocol == UDP and len(frame) >= at + 8:
        lengths.append((at * 8 + 32, at))
    if protocol == TCP and len(frame) >= at + 20:
        values += [(at * 8 + 96, 4, 5), (at * 8 + 104, 8, 0x10)]
    return Known(tuple(values), tuple(lengths), checksum)


def _ipv4_checksum(at: int) -> Checksum:
    first = at * 8
    covered: BitsOf = (*range(first, first + 80), *range(first + 96, first + 160))
    return Checksum(first + 80, covered)


def _number(frame: bytes, at: int, size: int) -> int:
    return int.from_bytes(frame[at : at + size], "big")
