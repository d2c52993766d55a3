"""What kernels leave to hardware, in tunnels: super-frames are cut, and checksums completed, as scapy makes them."""

from __future__ import annotations

import struct
import subprocess
from collections.abc import Callable

import pytest
from scapy.contrib.geneve import GENEVE
from scapy.contrib.mpls import MPLS
from scapy.layers.inet import IP, TCP, UDP, IPOption_Router_Alert
from scapy.layers.inet6 import IPv6, IPv6ExtHdrDestOpt, IPv6ExtHdrFragment, IPv6ExtHdrRouting, PadN
from scapy.layers.l2 import GRE, Dot1AD, Dot1Q, Ether
from scapy.layers.ppp import PPP, PPPoE
from scapy.layers.vxlan import VXLAN
from scapy.packet import Packet, Raw
from test_odp import SANITIZE, Toolchain

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


def vxlan_policy() -> Packet:
    return VXLAN(flags=0x88, vni=7, gpid=3)


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
    "mpls": lambda: e() / MPLS(label=5, s=0) / MPLS(label=6, s=1) / v4() / tcp(),
    "mpls6": lambda: e() / MPLS(label=6, s=1) / v6() / plain_udp(),
    "4in4": lambda: e() / v4() / v4() / tcp(),
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
    "geneve-ip": lambda: e() / v4() / udp(6081) / GENEVE(vni=7, proto=0x0800) / v4() / plain_udp(),
    "gre-in-udp": lambda: e() / v4() / udp(4754) / GRE() / v4() / tcp(),
    "ip-in-udp": lambda: e() / v4() / udp(5555, zero=True) / v4() / tcp(),
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
    "fragment6": lambda: e() / v6() / IPv6ExtHdrFragment(m=1) / tcp(),
    "routed": lambda: e() / v6() / IPv6ExtHdrRouting(addresses=["fd00::9"], segleft=1) / tcp(),
    "gre-sequence": lambda: e() / v4() / GRE(seqnum_present=1, sequence_number=5) / v4() / tcp(),
    "gre-version": lambda: e() / v4() / GRE(version=1) / v4() / tcp(),
    "vxlan-remote-checksum": lambda: (
        e() / v4() / udp(4789) / VXLAN(flags=0x08, reserved1=0x200000, vni=7) / e() / v4() / tcp()
    ),
    "geneve-version": lambda: e() / v4() / udp(6081) / GENEVE(version=1, vni=7) / e() / v4() / tcp(),
    "pppoe": lambda: e() / PPPoE(sessionid=3) / PPP(proto=0x21) / v4() / tcp(),
    "other-type": lambda: Ether(type=0x88B5) / v4() / tcp(),
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
    for make in STACKS.values():
        packet = make() / Raw(PAYLOAD[:size]) if size else make()
        complete = bytes(packet)
        whole.append(complete + b"\xee" * 3)
        frames.append(opened(packet, transports(packet)[-1], complete) + b"\xee" * 3)
    for name, done, expected in zip(STACKS, guessed(frames), whole, strict=True):
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


def test_what_was_captured_open_stays() -> None:
    """The checksum around it is right as it is: a mirror has sent it so."""
    frames = []
    for name in ("vxlan", "geneve", "gre-checksum", "vxlan-in-vxlan"):
        packet = STACKS[name]() / Raw(PAYLOAD[:500])
        value = pseudo(packet, bytes(packet), transports(packet)[-1])
        transports(packet)[-1].chksum = value
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


def checksum_of(packet: Packet) -> int:
    at = offset(packet, transports(packet)[-1])
    return int.from_bytes(bytes(packet)[at + 6 : at + 8], "big")


def test_no_bytes_at_all_break_it() -> None:
    packets = [make() for make in [*STACKS.values(), *NOT_UNDERSTOOD.values()]]
    headers = [virtio(packet) for packet in packets]
    assert finish("fuzz", [super_frame(packet) for packet in packets], headers) == []
