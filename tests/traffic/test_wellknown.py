"""What is known of frames makes blank ones such as scapy builds: versions, lengths, a time to live, the checksum."""

from __future__ import annotations

import pytest
from scapy.all import GRE, IP, TCP, UDP, Dot1AD, Dot1Q, Ether, IPv6, Packet, Raw

from transpiler.traffic.wellknown import exchanged, known

NETWORKS = {"IPv4": (IP(ttl=64), 20), "IPv6": (IPv6(hlim=64), 40)}
TAGS = {"untagged": Ether(), "tagged": Ether() / Dot1Q(vlan=5), "two tags": Ether() / Dot1AD(vlan=7) / Dot1Q(vlan=5)}
BLANK = {  # bits that are blank: (byte, first bit in it, bits), from the header's first byte on
    "IPv4": ((0, 0, 8), (2, 0, 16), (8, 0, 8), (10, 0, 16)),
    "IPv6": ((0, 0, 4), (4, 0, 16), (7, 0, 8)),
    "UDP": ((4, 0, 16), (6, 0, 16)),
    "TCP": ((12, 0, 4), (13, 0, 8), (16, 0, 16)),
}
PROTOCOL = {"IPv4": 9, "IPv6": 6}


def put(frame: bytes, first: int, width: int, value: int) -> bytes:
    bits = len(frame) * 8
    assert value >> width == 0 and first + width <= bits
    mask = (1 << width) - 1 << bits - first - width
    return (int.from_bytes(frame, "big") & ~mask | value << bits - first - width).to_bytes(len(frame), "big")


def blank(frame: bytes, at: int, kind: str) -> bytes:
    for byte, bit, width in BLANK[kind]:
        frame = put(frame, (at + byte) * 8 + bit, width, 0)
    return frame


def completed(frame: bytes) -> bytes:
    """The frame with all that is known of it."""
    told = known(frame)
    for first, width, value in told.values:
        frame = put(frame, first, width, value)
    for first, others in told.lengths:
        frame = put(frame, first, 16, len(frame) - others)
    if told.checksum is not None:
        number = int.from_bytes(frame, "big")
        bits = [number >> len(frame) * 8 - 1 - bit & 1 for bit in told.checksum.covered]
        total = sum(bit << 15 - place % 16 for place, bit in enumerate(bits))
        while total >> 16:
            total = (total & 0xFFFF) + (total >> 16)
        frame = put(frame, told.checksum.place, 16, total ^ 0xFFFF)
    return frame


@pytest.mark.parametrize("payload", [0, 1, 30])
@pytest.mark.parametrize("transport", ["UDP", "TCP", "no protocol"])
@pytest.mark.parametrize("network", NETWORKS)
@pytest.mark.parametrize("tags", TAGS)
def test_a_blank_frame_is_completed(tags: str, network: str, transport: str, payload: int) -> None:
    above: Packet = TCP(flags="A", chksum=0) if transport == "TCP" else UDP(chksum=0)
    header, size = NETWORKS[network]
    wanted = bytes(TAGS[tags] / header / above / Raw(bytes(range(payload))))
    at = len(TAGS[tags])
    given = blank(blank(wanted, at, network), at + size, "TCP" if transport == "TCP" else "UDP")
    if transport == "no protocol":  # UDP is as good as any
        given = put(given, (at + PROTOCOL[network]) * 8, 8, 0)
    assert given != wanted
    assert completed(given) == wanted


@pytest.mark.parametrize("frame", [Ether(type=0x1234) / Raw(bytes(60)), Ether(type=0x0800) / Raw(bytes(19)),
                                   Ether(type=0x86DD) / Raw(bytes(39)), Ether() / Dot1Q(type=0x0806) / Raw(bytes(60))],
                         ids=["another type", "a short IPv4", "a short IPv6", "another type behind a tag"])  # fmt: skip
def test_of_others_nothing_is_known(frame: Packet) -> None:
    assert completed(bytes(frame)) == bytes(frame)


@pytest.mark.parametrize("network", NETWORKS)
@pytest.mark.parametrize(
    ("transport", "size", "needs"), [(UDP(chksum=0), 8, 8), (TCP(chksum=0), 20, 20)], ids=["UDP", "TCP"]
)
def test_of_a_header_that_is_cut_nothing_is_known(network: str, transport: Packet, size: int, needs: int) -> None:
    header, at = NETWORKS[network][0], 14 + NETWORKS[network][1]
    frame = bytes(Ether() / header / transport)
    assert len(frame) == at + size
    for there in range(size + 1):
        cut, whole = known(frame[: at + there]), known(frame)
        own = [first for first, *_ in (*cut.values, *cut.lengths) if first >= at * 8]
        assert own == [first for first, *_ in (*whole.values, *whole.lengths) if first >= at * 8 and there >= needs]
        assert cut.checksum == whole.checksum


@pytest.mark.parametrize("network", NETWORKS)
@pytest.mark.parametrize(("transport", "swapped"), [(UDP(), True), (TCP(), True), (GRE(), False)])
def test_ports_change_places_where_both_are_there(network: str, transport: Packet, swapped: bool) -> None:
    header, at = NETWORKS[network][0], 14 + NETWORKS[network][1]
    frame = bytes(Ether() / header / transport / Raw(bytes(9)))
    for there in range(6):
        order = exchanged(frame[: at + there])
        ports = (*range(2, 4), *range(2)) if swapped and there >= 4 else range(4)
        assert sorted(order) == list(range(at + there))
        assert order[at:] == tuple(at + port for port in (*ports, 4, 5) if port < there)
    assert exchanged(frame[: at - 1]) == ()
