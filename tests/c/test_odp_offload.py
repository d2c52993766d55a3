"""What kernels leave to hardware, in tunnels: super-frames are cut, and checksums completed, as scapy makes them."""

from __future__ import annotations

import json
import struct
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from scapy.contrib.erspan import ERSPAN_II, ERSPAN_III
from scapy.contrib.geneve import GENEVE
from scapy.contrib.mpls import MPLS
from scapy.layers.inet import ICMP, IP, TCP, UDP, IPOption_Router_Alert
from scapy.layers.inet6 import (
    IPv6,
    IPv6ExtHdrDestOpt,
    IPv6ExtHdrFragment,
    IPv6ExtHdrHopByHop,
    IPv6ExtHdrRouting,
    PadN,
)
from scapy.layers.l2 import ARP, GRE, Dot1AD, Dot1Q, Ether
from scapy.layers.ppp import PPP, PPPoE
from scapy.layers.sctp import SCTP, SCTPChunkData
from scapy.layers.vxlan import VXLAN
from scapy.packet import Packet, Raw
from test_odp import SANITIZE, Toolchain, in_own_network

NATIVE = Toolchain("gcc", ("-O1", "-g1", *SANITIZE))
SIZE = 700  # payload bytes of a segment
PAYLOAD = bytes(range(256)) * 8  # two whole segments and the rest of one
NEEDS_CSUM, GSO_TCP4, GSO_TCP6, GSO_UDP, GSO_ECN = 1, 1, 4, 5, 0x80
CWR, FIN, PSH = 0x80, 0x01, 0x08


def e() -> Packet:
    return Ether(dst="02:00:00:00:00:02", src="02:00:00:00:00:01")


def v4(**fields: object) -> Packet:
    return IP(src="10.0.0.1", dst="10.0.0.2", id=0xFFFF, **fields)


def v6(**fields: object) -> Packet:
    return IPv6(src="fd00::1", dst="fd00::2", **fields)


def udp(port: int, zero: bool = False) -> Packet:
    return UDP(sport=40000, dport=port, **({"chksum": 0} if zero else {}))


def tcp() -> Packet:
    return TCP(sport=1, dport=2, seq=0xFFFFFF00, flags=CWR | 0x10 | FIN | PSH, options=[("Timestamp", (1, 2))])


def plain_udp() -> Packet:
    return UDP(sport=1, dport=9)


def dest_opt() -> Packet:
    return IPv6ExtHdrDestOpt(options=[PadN(optdata=b"\0" * 4)])


def gue(protocol: int) -> Packet:
    return Raw(bytes([0, protocol, 0, 0]))


def gre_of(kind: str, **fields: object) -> Packet:
    return GRE(chksum_present=1, proto={"ethernet": 0x6558, "ipv4": 0x0800}[kind], **fields)


def sctp() -> Packet:
    return SCTP(sport=1, dport=2, tag=7) / SCTPChunkData(data=b"some data, not of four bytes")


def vxlan_policy() -> Packet:
    return VXLAN(flags=0x88, vni=7, gpid=3)


def e_of(kind: int) -> Packet:
    return Ether(dst="02:00:00:00:00:02", src="02:00:00:00:00:01", type=kind)


def labels(count: int) -> Packet:
    stack = MPLS(label=count, s=1)
    for number in range(count - 1, 0, -1):
        stack = MPLS(label=number, s=0) / stack
    return stack


GENEVE_OPTION = bytes([0, 1, 0, 31]) + b"some data, many bytes of it here" * 3 + bytes(28)  # 32 words

STACKS: dict[str, Callable[[], Packet]] = {
    "tcp4": lambda: e() / v4() / tcp(),
    "tcp6": lambda: e() / v6() / tcp(),
    "udp4": lambda: e() / v4() / plain_udp(),
    "udp6": lambda: e() / v6() / plain_udp(),
    "tag": lambda: e() / Dot1Q(vlan=5) / v4() / tcp(),
    "qinq": lambda: e() / Dot1AD(vlan=5) / Dot1Q(vlan=6) / v6() / tcp(),
    "qinq-of-one-type": lambda: e() / Dot1Q(vlan=5) / Dot1Q(vlan=6) / v4() / plain_udp(),
    "options": lambda: e() / v4(options=[IPOption_Router_Alert()]) / tcp(),
    "extension": lambda: e() / v6() / dest_opt() / tcp(),
    "hop-by-hop": lambda: e() / v6() / IPv6ExtHdrHopByHop(options=[PadN(optdata=bytes(12))]) / tcp(),
    "long-extension": lambda: e() / v6() / IPv6ExtHdrDestOpt(options=[PadN(optdata=bytes(36))]) / plain_udp(),
    "mpls-multicast": lambda: e_of(0x8848) / MPLS(label=5, s=1) / v4() / tcp(),
    "mpls-in-4": lambda: e() / v4(proto=137) / MPLS(label=5, s=1) / v4() / tcp(),
    "mpls-in-gre": lambda: e() / v6() / GRE(proto=0x8847) / MPLS(label=5, s=1) / v6() / plain_udp(),
    "erspan-1": lambda: e() / v4() / GRE(proto=0x88BE) / e() / v4() / tcp(),
    "labels": lambda: e() / labels(30) / v6() / tcp(),
    "mpls": lambda: e() / MPLS(label=5, s=0) / MPLS(label=6, s=1) / v4() / tcp(),
    "mpls6": lambda: e() / MPLS(label=6, s=1) / v6() / plain_udp(),
    "4in4": lambda: e() / v4() / v4() / tcp(),
    "deepest": lambda: e() / v4() / v4() / v4() / v4() / v4() / v4() / v4() / v4() / tcp(),
    "6in4": lambda: e() / v4() / v6() / tcp(),
    "4in6": lambda: e() / v6() / v4() / plain_udp(),
    "6in6": lambda: e() / v6() / dest_opt() / v6() / tcp(),
    "segment-routing": lambda: e() / v6() / IPv6ExtHdrRouting(addresses=["fd00::9"], segleft=1) / v4() / tcp(),
    "gre": lambda: e() / v4() / GRE() / v4() / tcp(),
    "gre-checksum": lambda: e() / v4() / GRE(chksum_present=1) / v6() / tcp(),
    "gre-key": lambda: e() / v6() / GRE(chksum_present=1, key_present=1, key=77) / v4() / plain_udp(),
    "gre-ethernet": lambda: e() / v4() / GRE(proto=0x6558) / e() / v4() / tcp(),
    "gre-tag": lambda: e() / v4() / GRE(key_present=1, key=3, proto=0x6558) / e() / Dot1Q(vlan=9) / v6() / tcp(),
    "vxlan": lambda: e() / v4() / udp(4789) / VXLAN(vni=7) / e() / v4() / tcp(),
    "vxlan-zero": lambda: e() / v4() / udp(4789, zero=True) / VXLAN(vni=7) / e() / v4() / tcp(),
    "vxlan-other-port": lambda: e() / v4() / udp(12345) / VXLAN(vni=7) / e() / v6() / plain_udp(),
    "vxlan-policy": lambda: e() / v4() / udp(4789) / vxlan_policy() / e() / v4() / tcp(),
    "vxlan-tags": lambda: (
        e() / Dot1Q(vlan=2) / v6() / udp(4789) / VXLAN(vni=7) / e() / Dot1AD(vlan=3) / Dot1Q(vlan=4) / v4() / tcp()
    ),
    "vxlan6-zero": lambda: e() / v6() / udp(8472, zero=True) / VXLAN(vni=7) / e() / v6() / tcp(),
    "vxlan-udp": lambda: e() / v4() / udp(4789) / VXLAN(vni=7) / e() / v4() / plain_udp(),
    "vxlan-in-vxlan": lambda: (
        e() / v4() / udp(4789) / VXLAN(vni=1) / e() / v4() / udp(4789) / VXLAN(vni=2) / e() / v4() / tcp()
    ),
    "vxlan-gre": lambda: e() / v4() / udp(4789) / VXLAN(vni=1) / e() / v4() / GRE(chksum_present=1) / v4() / tcp(),
    "gpe": lambda: e() / v4() / udp(4790) / VXLAN(flags=0x0C, NextProtocol=1, vni=7) / v4() / tcp(),
    "gpe-6": lambda: e() / v6() / udp(4790) / VXLAN(flags=0x0C, NextProtocol=2, vni=6) / v6() / plain_udp(),
    "gpe-ethernet": lambda: e() / v4() / udp(4790) / VXLAN(flags=0x0C, NextProtocol=3, vni=7) / e() / v6() / tcp(),
    "geneve": lambda: e() / v4() / udp(6081) / GENEVE(vni=7) / e() / v4() / tcp(),
    "geneve-zero": lambda: e() / v4() / udp(6081, zero=True) / GENEVE(vni=7) / e() / v6() / tcp(),
    "geneve-options": lambda: (
        e()
        / v6()
        / udp(6081)
        / GENEVE(vni=7, options=bytes([0, 1, 0, 1]) + b"abcd")
        / e()
        / Dot1Q(vlan=8)
        / v4()
        / tcp()
    ),
    "geneve-long": lambda: e() / v4() / udp(6081) / GENEVE(vni=7, options=GENEVE_OPTION) / e() / v4() / tcp(),
    "geneve-ip": lambda: e() / v4() / udp(6081) / GENEVE(vni=7, proto=0x0800) / v4() / plain_udp(),
    "gre-in-udp": lambda: e() / v4() / udp(4754) / GRE() / v4() / tcp(),
    "ip-in-udp": lambda: e() / v4() / udp(5555, zero=True) / v4() / tcp(),
    "mpls-in-udp": lambda: e() / v4() / udp(6635) / MPLS(label=6, s=1) / v4() / tcp(),
    "gue": lambda: e() / v4() / udp(6080) / gue(4) / v4() / tcp(),
    "gue-gre": lambda: e() / v6() / udp(6080) / gue(47) / GRE(chksum_present=1) / v6() / plain_udp(),
}
NOT_CUT: dict[str, Callable[[], Packet]] = {  # of which each segment would have to have a number of its own
    "gre-sequence": lambda: e() / v4() / GRE(seqnum_present=1, sequence_number=5) / v4() / tcp(),
    "erspan": lambda: e() / v4() / GRE(seqnum_present=1, proto=0x88BE) / ERSPAN_II() / e() / v4() / tcp(),
    "erspan-3": lambda: e() / v6() / GRE(seqnum_present=1, proto=0x22EB) / ERSPAN_III() / e() / v6() / tcp(),
}
GRES: dict[str, Callable[[], Packet]] = {  # with checksums
    "arp": lambda: e() / v4() / gre_of("ethernet") / e() / ARP(),
    "icmp": lambda: e() / v4() / gre_of("ethernet", key_present=1, key=3) / e() / v4() / ICMP() / Raw(b"ping!"),
    "sequence": lambda: e() / v4() / gre_of("ipv4", seqnum_present=1, sequence_number=9) / v4() / ICMP(),
    "tcp": lambda: e() / v6() / gre_of("ipv4") / v4() / tcp() / Raw(b"three"),
    "udp-without": lambda: e() / v4() / gre_of("ipv4") / v4() / udp(5, zero=True) / Raw(b"abc"),
    "empty": lambda: e() / v4() / gre_of("ipv4"),
    "tag": lambda: e() / Dot1Q(vlan=7) / v4() / gre_of("ethernet") / e() / Dot1Q(vlan=8) / ARP(),
    "vxlan": lambda: e() / v4() / udp(4789) / VXLAN(vni=1) / e() / v4() / gre_of("ethernet") / e() / ARP(),
    "udp": lambda: e() / v4() / udp(4754) / gre_of("ethernet") / e() / ARP(),
    "erspan": lambda: e() / v4() / GRE(chksum_present=1, proto=0x88BE) / e() / ARP(),
}
SCTPS: dict[str, Callable[[], Packet]] = {
    "4": lambda: e() / v4() / sctp(),
    "empty": lambda: e() / v4() / SCTP(sport=1, dport=2, tag=7),
    "6": lambda: e() / v6() / dest_opt() / sctp(),
    "tag": lambda: e() / Dot1Q(vlan=5) / v4(options=[IPOption_Router_Alert()]) / sctp(),
    "routed": lambda: e() / v6() / IPv6ExtHdrRouting(addresses=["fd00::9"], segleft=1) / sctp(),
    "vxlan": lambda: e() / v4() / udp(4789) / VXLAN(vni=7) / e() / v4() / sctp(),
    "gre": lambda: e() / v4() / gre_of("ipv4") / v4() / sctp(),
}


def fold(data: bytes) -> int:
    total = sum(struct.unpack(f"!{(len(data) + 1) // 2}H", data + bytes(len(data) % 2)))
    while total >> 16:
        total = (total & 0xFFFF) + (total >> 16)
    return total


def transports(packet: Packet) -> list[Packet]:
    """TCP and UDP, from the outermost to the innermost."""
    found = []
    layer = packet
    while layer:
        if isinstance(layer, (TCP, UDP)):
            found.append(layer)
        layer = layer.payload
    return found


def offset(packet: Packet, layer: Packet) -> int:
    return len(packet) - len(layer)


def pseudo(packet: Packet, frame: bytes, layer: Packet) -> int:
    """The sum of the pseudo-header: the nearest IP header before it counts."""
    under = layer.underlayer
    while not isinstance(under, (IP, IPv6)):
        under = under.underlayer
    at, l4 = offset(packet, under), offset(packet, layer)
    protocol, size = (6 if isinstance(layer, TCP) else 17), len(frame) - l4
    addresses = frame[at + 12 : at + 20] if isinstance(under, IP) else frame[at + 8 : at + 40]
    return fold(addresses + struct.pack("!HH", protocol, size))


def with_checksum(packet: Packet, frame: bytes, layer: Packet, value: int) -> bytes:
    at = offset(packet, layer) + (16 if isinstance(layer, TCP) else 6)
    return frame[:at] + struct.pack("!H", value) + frame[at + 2 :]


def opened(packet: Packet, layer: Packet, frame: bytes) -> bytes:
    """As the kernel sends it: the checksum is the pseudo-header's sum."""
    return with_checksum(packet, frame, layer, pseudo(packet, frame, layer))


def finish(way: str, frames: list[bytes], headers: list[bytes]) -> list[list[bytes]]:
    records = b"".join(struct.pack("I", len(f)) + h + f for f, h in zip(frames, headers, strict=True))
    done = subprocess.run([str(NATIVE.program("cut")), way], input=records, capture_output=True, check=False)
    assert done.returncode == 0, done.stderr.decode()
    results: list[list[bytes]] = [[]]
    at = 0
    while at < len(done.stdout):
        (size,) = struct.unpack("I", done.stdout[at : at + 4])
        if size:
            results[-1].append(done.stdout[at + 4 : at + 4 + size])
        else:
            results.append([])
        at += 4 + size
    return results[:-1]


NOTHING = struct.pack("BBHHHH", 0, 0, 0, 0, 0, 0)


def virtio(packet: Packet, *, told: bool = True) -> bytes:
    layer = transports(packet)[-1]
    under = layer.underlayer
    kind = GSO_UDP if isinstance(layer, UDP) else GSO_TCP4 | GSO_ECN if isinstance(under, IP) else GSO_TCP6
    at = (offset(packet, layer), 16 if isinstance(layer, TCP) else 6) if told else (0, 0)
    return struct.pack("BBHHHH", NEEDS_CSUM if told else 0, kind, 0, SIZE, *at)


def super_frame(packet: Packet) -> bytes:
    """Of every transport checksum that there is, also of those around, there is only the pseudo-header's sum; that of
    GRE is anything."""
    packet = packet / Raw(PAYLOAD)
    frame = bytes(packet)
    for layer in transports(packet):
        if layer is transports(packet)[-1] or layer.chksum is None:
            frame = opened(packet, layer, frame)
    return frame


def segments(make: Callable[[], Packet]) -> list[bytes]:
    """What scapy makes of the same headers, with a part of the payload."""
    found = []
    for index, at in enumerate(range(0, len(PAYLOAD), SIZE)):
        packet = make() / Raw(PAYLOAD[at : at + SIZE])
        layer = packet
        while layer:
            if isinstance(layer, IP):
                layer.id = (layer.id + index) & 0xFFFF
            if isinstance(layer, TCP):
                layer.seq = (layer.seq + at) & 0xFFFFFFFF
                gone = (CWR if index else 0) | (0 if at + SIZE >= len(PAYLOAD) else FIN | PSH)
                layer.flags = int(layer.flags) & ~gone
            layer = layer.payload
        found.append(bytes(packet))
    return found


def test_super_frames_are_cut() -> None:
    packets = {name: make() for name, make in STACKS.items()}
    frames = [super_frame(packet) for packet in packets.values()]
    results = finish("cut", frames, [virtio(packet / Raw(PAYLOAD)) for packet in packets.values()])
    for (name, make), result in zip(STACKS.items(), results, strict=True):
        assert result == segments(make), name


def test_super_frames_with_complete_checksums_are_cut() -> None:
    """Hardware has put them together, and tells no place: the outermost transport is meant."""
    names = ["tcp4", "udp6", "6in4", "gre", "vxlan"]
    packets = [STACKS[name]() / Raw(PAYLOAD) for name in names]
    results = finish("cut", [bytes(packet) for packet in packets], [virtio(packet, told=False) for packet in packets])
    for name, result in zip(names, results, strict=True):
        assert result == segments(STACKS[name]), name


NOT_UNDERSTOOD: dict[str, Callable[[], Packet]] = {
    "fragment": lambda: e() / v4(flags="MF") / tcp(),
    "last-fragment": lambda: e() / v4(frag=4096) / tcp(),
    "too-many-labels": lambda: e() / labels(31) / v6() / tcp(),
    "fragment6": lambda: e() / v6() / IPv6ExtHdrFragment(m=1) / tcp(),
    "routed": lambda: e() / v6() / IPv6ExtHdrRouting(addresses=["fd00::9"], segleft=1) / tcp(),
    **NOT_CUT,
    "gre-version": lambda: e() / v4() / GRE(version=1) / v4() / tcp(),
    "vxlan-remote-checksum": lambda: (
        e() / v4() / udp(4789) / VXLAN(flags=0x08, reserved1=0x200000, vni=7) / e() / v4() / tcp()
    ),
    "geneve-version": lambda: e() / v4() / udp(6081) / GENEVE(version=1, vni=7) / e() / v4() / tcp(),
    "pppoe": lambda: e() / PPPoE(sessionid=3) / PPP(proto=0x21) / v4() / tcp(),
    "other-type": lambda: Ether(type=0x88B5) / v4() / tcp(),
    "gue-control": lambda: e() / v4() / udp(6080) / Raw(b"\x20\4\0\0") / v4() / tcp(),
    "gue-option": lambda: e() / v4() / udp(6080) / Raw(b"\1\4\x80\0" + bytes(4)) / v4() / tcp(),
    "gue-flags": lambda: e() / v4() / udp(6080) / Raw(b"\0\4\x80\0") / v4() / tcp(),
    "gue-more-flags": lambda: e() / v4() / udp(6080) / Raw(b"\0\4\0\1") / v4() / tcp(),
    "too-deep": lambda: e() / v4() / v4() / v4() / v4() / v4() / v4() / v4() / v4() / v4() / tcp(),
}


def test_super_frames_that_are_not_understood_are_dropped() -> None:
    packets = {name: make() / Raw(PAYLOAD) for name, make in NOT_UNDERSTOOD.items()}
    frames = [opened(packet, transports(packet)[-1], bytes(packet)) for packet in packets.values()]
    for name, result in zip(
        packets, finish("cut", frames, [virtio(packet) for packet in packets.values()]), strict=True
    ):
        assert result == [], name


def test_super_frames_with_a_header_that_does_not_fit_are_dropped() -> None:
    packet = STACKS["vxlan"]() / Raw(PAYLOAD)
    frame, header = super_frame(STACKS["vxlan"]()), virtio(packet)
    flags, kind, _, size, start, place = struct.unpack("BBHHHH", header)
    wrong = [(flags, kind, 0, size, start - 8, place), (flags, kind, 0, 0, start, place)]
    wrong += [(flags, other, 0, size, start, place) for other in (0, 2, 3, GSO_UDP, 0x7F)]
    wrong += [(flags, kind, 0, size, offset(packet, transports(packet)[0]), 6), (flags, kind, 0, size, 0xFFFF, place)]
    headers = [struct.pack("BBHHHH", *fields) for fields in wrong]
    assert finish("cut", [frame] * len(wrong), headers) == [[]] * len(wrong)
    headers_only = frame[: len(STACKS["vxlan"]())]
    assert finish("cut", [headers_only, frame[:60]], [header] * 2) == [[], []]
    closed = with_checksum(packet, frame, transports(packet)[-1], 0x1234)  # not what is said of it
    assert finish("cut", [closed], [header]) == [[]]


def guessed(frames: list[bytes]) -> list[bytes]:
    return [one for (one,) in finish("guess", frames, [NOTHING] * len(frames))]


@pytest.mark.parametrize("size", [0, 1, 46, 701])
def test_open_checksums_are_completed(size: int) -> None:
    """The checksums around an open one are already what they will have to be. Padding behind a frame stays."""
    frames, whole = [], []
    stacks = STACKS | NOT_CUT
    for make in stacks.values():
        packet = make() / Raw(PAYLOAD[:size]) if size else make()
        complete = bytes(packet)
        whole.append(complete + b"\xee" * 3)
        frames.append(opened(packet, transports(packet)[-1], complete) + b"\xee" * 3)
    for name, done, expected in zip(stacks, guessed(frames), whole, strict=True):
        assert done == expected, name
    assert guessed(whole) == whole
    broken = [frame[:-4] + bytes([frame[-4] ^ 1]) + frame[-3:] for frame in whole if size]  # the receiver's to find
    assert guessed(broken) == broken


def test_open_checksums_around_are_completed() -> None:
    """The inner one is complete, and the kernel has left the tunnel's to the hardware."""
    for name in ("vxlan", "vxlan-tags", "geneve", "vxlan-other-port"):
        packet = STACKS[name]() / Raw(PAYLOAD[:500])
        complete = bytes(packet)
        assert guessed([opened(packet, transports(packet)[0], complete)]) == [complete], name


def last(packet: Packet, kind: type[Packet]) -> Packet:
    return max((layer for layer in walk(packet) if isinstance(layer, kind)), key=lambda layer: offset(packet, layer))


def walk(packet: Packet) -> list[Packet]:
    return [packet, *walk(packet.payload)] if packet else []


def zeroed(packet: Packet, kind: type[Packet]) -> bytes:
    """As the kernel leaves GRE's checksum, and SCTP's."""
    frame, at = bytes(packet), offset(packet, last(packet, kind)) + PLACES[kind][0]
    return frame[:at] + bytes(PLACES[kind][1]) + frame[at + PLACES[kind][1] :]


PLACES: dict[type[Packet], tuple[int, int]] = {GRE: (4, 2), SCTP: (8, 4)}  # offset and bytes of the checksum


@pytest.mark.parametrize(("kind", "stacks"), [(GRE, GRES), (SCTP, SCTPS)], ids=["gre", "sctp"])
def test_checksums_without_a_pseudo_header_are_completed(
    kind: type[Packet], stacks: dict[str, Callable[[], Packet]]
) -> None:
    packets = {name: make() for name, make in stacks.items()}
    whole = {name: bytes(packet) + b"\xee" * 3 for name, packet in packets.items()}
    frames = [zeroed(packet, kind) + b"\xee" * 3 for packet in packets.values()]
    assert all(frame != complete for frame, complete in zip(frames, whole.values(), strict=True))
    assert dict(zip(whole, guessed(frames), strict=True)) == whole
    assert guessed(list(whole.values())) == list(whole.values())
    broken = [
        frame[:at] + bytes([frame[at] ^ 1]) + frame[at + 1 :]
        for packet, frame in zip(packets.values(), whole.values(), strict=True)
        for at in range(*span(packet, kind))
    ]
    assert guessed(broken) == broken


def span(packet: Packet, kind: type[Packet]) -> tuple[int, int]:
    """Where the checksum is."""
    at = offset(packet, last(packet, kind)) + PLACES[kind][0]
    return at, at + PLACES[kind][1]


@pytest.mark.parametrize("kind", [GRE, SCTP])
def test_checksums_are_completed_where_the_kernel_says(kind: type[Packet]) -> None:
    packet = (GRES["arp"] if kind is GRE else SCTPS["4"])()
    header = struct.pack("BBHHHH", NEEDS_CSUM, 0, 0, 0, offset(packet, last(packet, kind)), PLACES[kind][0])
    assert finish("complete", [zeroed(packet, kind)], [header]) == [[bytes(packet)]]
    end = struct.pack("BBHHHH", NEEDS_CSUM, 0, 0, 0, len(packet) - PLACES[kind][0] - 1, PLACES[kind][0])
    assert finish("complete", [bytes(packet)], [end]) == [[bytes(packet)]], "what is not within the frame stays"


@pytest.mark.parametrize(
    ("kind", "tunnel"), [(GRE, lambda: gre_of("ethernet")), (UDP, lambda: udp(4789) / VXLAN(vni=7))], ids=["gre", "udp"]
)
def test_a_right_checksum_around_may_look_open(kind: type[Packet], tunnel: Callable[[], Packet]) -> None:
    """GRE's that is 0, UDP's that is the pseudo-header's sum, by chance: the open one is inside."""
    inside = Ether(dst="02:00:00:00:00:02", src="02:00:00:00:00:00") / v4() / tcp() / Raw(b"data")
    packet = e() / v4() / tunnel() / inside
    frame, around = bytes(packet), packet[kind]
    wanted = 0 if kind is GRE else pseudo(packet, frame, around)
    start, chosen = offset(packet, around), offset(packet, packet[Ether:2]) + 10  # two bytes of a MAC address
    at = start + (4 if kind is GRE else 6)
    assert frame[chosen : chosen + 2] == bytes(2)
    frame = frame[:at] + struct.pack("!H", wanted) + frame[at + 2 :]
    total = fold(frame[start:]) + (0 if kind is GRE else pseudo(packet, frame, around))
    frame = frame[:chosen] + struct.pack("!H", -total % 0xFFFF) + frame[chosen + 2 :]
    assert guessed([opened(packet, transports(packet)[-1], frame)]) == [frame]


def test_what_was_captured_open_stays() -> None:
    """The checksum around it is right as it is: a mirror has sent it so."""
    frames = []
    for name in ("vxlan", "geneve", "gre-checksum", "vxlan-in-vxlan"):
        packet = STACKS[name]() / Raw(PAYLOAD[:500])
        value = pseudo(packet, bytes(packet), transports(packet)[-1])
        transports(packet)[-1].chksum = value
        frames.append(bytes(packet))
    for name in ("vxlan", "gre"):
        packet = SCTPS[name]()
        packet[SCTP].chksum = 0
        frames.append(bytes(packet))
    packet = GRES["vxlan"]()
    packet[GRE].chksum = 0
    frames.append(bytes(packet))
    assert guessed(frames) == frames


@pytest.mark.parametrize("name", ["udp4", "udp6", "vxlan-udp"])
@pytest.mark.parametrize("way", ["guess", "cut"])
def test_udp_sums_of_zero_are_sent_as_ones(name: str, way: str) -> None:
    """RFC 768: zero would mean that there is none."""
    missing = checksum_of(STACKS[name]() / Raw(bytes(2)))  # what two bytes have to be for a sum of ones
    packet = STACKS[name]() / Raw(struct.pack("!H", missing))
    complete = bytes(packet)
    assert checksum_of(packet) == 0xFFFF
    frame = opened(packet, transports(packet)[-1], complete)
    for outer in transports(packet)[:-1] if way == "cut" else []:
        frame = opened(packet, outer, frame)
    assert finish(way, [frame], [virtio(packet) if way == "cut" else NOTHING]) == [[complete]]


@pytest.mark.parametrize("way", ["guess", "cut"])
def test_tcp_sums_of_zero_stay(way: str) -> None:
    missing = checksum_of(STACKS["tcp4"]() / Raw(bytes(2)))
    packet = STACKS["tcp4"]() / Raw(struct.pack("!H", missing))
    complete = bytes(packet)
    assert checksum_of(packet) == 0
    frame = opened(packet, transports(packet)[-1], complete)
    assert finish(way, [frame], [virtio(packet) if way == "cut" else NOTHING]) == [[complete]]


def checksum_of(packet: Packet) -> int:
    layer = transports(packet)[-1]
    at = offset(packet, layer) + (16 if isinstance(layer, TCP) else 6)
    return int.from_bytes(bytes(packet)[at : at + 2], "big")


def test_no_bytes_at_all_break_it() -> None:
    packets = [make() for make in [*STACKS.values(), *NOT_UNDERSTOOD.values()]]
    frames = [super_frame(packet) for packet in packets] + [bytes(make()) for make in [*GRES.values(), *SCTPS.values()]]
    headers = [virtio(packet) for packet in packets] + [NOTHING] * (len(GRES) + len(SCTPS))
    assert finish("fuzz", frames, headers) == []


@pytest.mark.parametrize("driver", ["af_packet", "af_xdp"])
def test_open_checksums_of_interfaces_are_completed(tmp_path: Path, driver: str) -> None:
    """A packet socket at a veth's other end leaves them open, of any protocol, whatever tunnels the kernel has itself."""
    records = []
    for make in (STACKS | NOT_CUT).values():
        packet = make() / Raw(PAYLOAD[:100])
        layer = transports(packet)[-1]
        records.append((packet, layer, opened(packet, layer, bytes(packet)), 16 if isinstance(layer, TCP) else 6))
    for kind, stacks in ((GRE, GRES), (SCTP, SCTPS)):
        for make in stacks.values():
            packet = make()
            records.append((packet, last(packet, kind), zeroed(packet, kind), PLACES[kind][0]))
    file = tmp_path / "frames.json"
    file.write_text(
        json.dumps(
            [
                {"start": offset(packet, layer), "place": place, "open": frame.hex(), "whole": bytes(packet).hex()}
                for packet, layer, frame, place in records
            ]
        )
    )
    in_own_network("open", driver, file, NATIVE.program("forward"))
