"""Random v1model programs with large registers of mixed widths that packets access at the same indexes, so that they are bundled.

A packet is {place, other, flags, value, seen}. It leaves with what it has read mixed into `seen`.
"""

from __future__ import annotations

import struct
from random import Random

CELLS = 70_000  # so that even registers of bytes are large
WIDTHS = (1, 7, 8, 13, 16, 24, 32, 37, 48, 64, 65, 100, 128)
PLACES = (0, 1, 2, CELLS - 2, CELLS - 1, CELLS, CELLS + 1, (1 << 32) - 1)
INDEXES = ("hdr.work.place", "hdr.work.other")


class Maker:
    """`text`: the program; `registers`: their names and widths."""

    def __init__(self, seed: int) -> None:
        self.random = Random(seed)
        self.registers: dict[str, int] = {}
        pieces = [piece for index in INDEXES for piece in self._pieces(index)]
        self.random.shuffle(pieces)
        declared = (f"register<bit<{width}>>({CELLS}) {name};" for name, width in self.registers.items())
        self.text = _PROGRAM % ("\n    ".join(declared), "\n        ".join(pieces))

    def frames(self, count: int) -> list[bytes]:
        draw = self.random
        return [
            struct.pack(
                ">IIBQQ", draw.choice(PLACES), draw.choice(PLACES), draw.getrandbits(8), draw.getrandbits(64), 0
            )
            + bytes(39)
            for _ in range(count)
        ]

    def _pieces(self, index: str) -> list[str]:
        """What is done at an index: to each of some registers once or twice."""
        names = [f"r{len(self.registers) + n}" for n in range(self.random.randint(2, 4))]
        self.registers |= {name: self.random.choice(WIDTHS) for name in names}
        return [self._piece(name, index) for name in names for _ in range(self.random.randint(1, 2))]

    def _piece(self, register: str, index: str) -> str:
        width = self.registers[register]
        value = f"(hdr.work.value ++ hdr.work.value)[{width - 1}:0]"
        seen = "hdr.work.seen = hdr.work.seen ^ " + ("held[63:0]" if width > 64 else "(bit<64>)held") + ";"
        read, write = f"{register}.read(held, {index});", f"{register}.write({index}, %s);"
        body = self.random.choice(
            (
                f"{read} held = held + {value}; {write % 'held'} {seen}",
                f"{read} {write % f'held ^ {value}'}",
                f"{read} {seen} if (held < {value}) {{ {write % value} }}",
                f"{read} {seen}",
                write % value,
            )
        )
        made = f"bit<{width}> held; {body}" if "held" in body else body
        if self.random.random() < 0.3:
            return f"if (hdr.work.flags[{(at := self.random.randrange(8))}:{at}] == 1) {{ {made} }}"
        return f"{{ {made} }}"


_PROGRAM = """#include <core.p4>
#include <v1model.p4>

header work_t { bit<32> place; bit<32> other; bit<8> flags; bit<64> value; bit<64> seen; }
struct headers_t { work_t work; }
struct meta_t { }

parser P(packet_in packet, out headers_t hdr, inout meta_t meta, inout standard_metadata_t sm) {
    state start { packet.extract(hdr.work); transition accept; }
}
control V(inout headers_t hdr, inout meta_t meta) { apply { } }
control I(inout headers_t hdr, inout meta_t meta, inout standard_metadata_t sm) {
    %s
    apply {
        sm.egress_spec = 1;
        %s
    }
}
control E(inout headers_t hdr, inout meta_t meta, inout standard_metadata_t sm) { apply { } }
control C(inout headers_t hdr, inout meta_t meta) { apply { } }
control D(packet_out packet, in headers_t hdr) { apply { packet.emit(hdr.work); } }
V1Switch(P(), V(), I(), E(), C(), D()) main;
"""
