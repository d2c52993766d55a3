"""Random v1model programs whose registers and counters end the same in whatever order packets come: sums, extremes, sets of
bits, numbers that are drawn once each. Packets are multicast and recirculated as well.

A packet says what is done with it: {kind, place, value}. Each kind is a piece of the program with registers of its own.
"""

from __future__ import annotations

import struct
from collections.abc import Callable
from random import Random

CELLS = 4
PIECES = 14
WIDTHS = (1, 5, 8, 13, 16, 24, 32, 37, 64, 65, 96)
GROUP, COPIES = 1, (10, 11, 12)
AGAIN, MANY = PIECES, PIECES + 1  # the kinds of packets that are recirculated, multicast


class Maker:
    """`text`: the program."""

    def __init__(self, seed: int) -> None:
        self.random = Random(seed)
        self.declared: list[str] = []
        self.actions: list[str] = []
        pieces = [self._piece(kind) for kind in range(PIECES)]
        chain = " else ".join(f"if (hdr.work.kind == {kind}) {{ {piece} }}" for kind, piece in enumerate(pieces))
        self.text = _PROGRAM % (
            "\n    ".join(self.declared),
            "\n    ".join(self.actions),
            chain,
            AGAIN,
            MANY,
            GROUP,
            AGAIN,
        )

    def frames(self, count: int) -> list[bytes]:
        kinds = [self.random.randrange(PIECES + 2) for _ in range(count)]
        return [
            struct.pack(">BIQ", kind, self.random.randrange(64), self.random.getrandbits(64)) + bytes(47)
            for kind in kinds
        ]

    def _piece(self, kind: int) -> str:
        """What packets of a kind do: in an action or in the control, at once or in an arm of a branch."""
        made = self.random.choice((self._update, self._update, self._update, self._pair, self._draw))(kind)
        if self.random.random() < 0.3:
            made = f"if (hdr.work.value[8:8] == 1) {{ {made} }}"
        elif self.random.random() < 0.4:
            self.actions.append(f"action a{kind}() {{ {made} }}")
            made = f"a{kind}();"
        return made

    def _register(self, name: str, width: int, cells: int = CELLS) -> str:
        self.declared.append(f"register<bit<{width}>>({cells}) {name};")
        return name

    def _index(self) -> str:
        """Beyond the end of the register now and then."""
        return self.random.choice(
            ("hdr.work.place & 3", "hdr.work.place & 7", "(bit<32>) hdr.work.value[1:0]", "0", "hdr.work.place >> 4")
        )

    def _value(self, width: int) -> str:
        wide = "hdr.work.value ++ hdr.work.value"
        return self.random.choice((f"({wide})[{width - 1}:0]", f"{width}w1", f"(bit<{width}>) hdr.work.place"))

    def _update(self, kind: int) -> str:
        width = self.random.choice(WIDTHS)
        return self._of(self._register(f"r{kind}", width), width, f"v{kind}", self._index())

    def _pair(self, kind: int) -> str:
        """Two registers together."""
        widths = self.random.choice(WIDTHS), self.random.choice(WIDTHS)
        names = [self._register(f"r{kind}_{n}", width) for n, width in enumerate(widths)]
        parts = [self._of(name, width, f"v{name}", self._index()) for name, width in zip(names, widths, strict=True)]
        return " ".join(parts)

    def _of(self, register: str, width: int, held: str, index: str) -> str:
        value = self._value(width)
        forms: tuple[Callable[[], str], ...] = (
            lambda: f"{held} = {held} + {value}; R.write({index}, {held});",
            lambda: f"R.write({index}, {held} - {value});",
            lambda: f"R.write({index}, {held} | {value});",
            lambda: f"R.write({index}, {value} & {held} );",
            lambda: f"R.write({index}, {value} ^ {held});",
            lambda: f"if ({held} < {value}) {{ R.write({index}, {value}); }}",
            lambda: f"if ({held} <= {value}) {{ {held} = {value}; }} R.write({index}, {held});",
            lambda: f"R.write({index}, ({held} > {value}) ? {value} : {held});",
            lambda: f"R.write({index}, {held} |+| {width}w1);",
            lambda: f"R.write({index}, {held} |-| {width}w1);",
            lambda: (
                f"if (hdr.work.value[9:9] == 0) {{ R.write({index}, {held} + {width}w1); }} "
                f"else {{ R.write({index}, {held} - {value}); }}"
            ),
            lambda: f"R.write({index}, {held} * {width}w1 + {value});",
        )
        some = self.random.choice(forms)().replace("R.", f"{register}.")
        return f"bit<{width}> {held}; {register}.read({held}, {index}); {some}"

    def _draw(self, kind: int) -> str:
        """A packet gets a number that no other one gets, and counts in a cell that the number says."""
        numbers, drawn = self._register(f"n{kind}", 32), self._register(f"d{kind}", 32)
        take = f"{numbers}.read(meta.number, 0); {numbers}.write(0, meta.number + 1);"
        self.actions.append(f"action t{kind}() {{ {take} }}")
        return f"t{kind}(); bit<32> w{kind}; {drawn}.read(w{kind}, meta.number & 3); {drawn}.write(meta.number & 3, w{kind} + 1);"


_PROGRAM = """#include <core.p4>
#include <v1model.p4>

header work_t { bit<8> kind; bit<32> place; bit<64> value; }
struct headers_t { work_t work; }
struct meta_t { bit<32> number; }

parser P(packet_in packet, out headers_t hdr, inout meta_t meta, inout standard_metadata_t sm) {
    state start { packet.extract(hdr.work); transition accept; }
}
control V(inout headers_t hdr, inout meta_t meta) { apply { } }
control I(inout headers_t hdr, inout meta_t meta, inout standard_metadata_t sm) {
    counter(4, CounterType.packets_and_bytes) counted;
    register<bit<16>>(8) untouched;
    register<bit<32>>(4) passes;
    %s
    %s
    apply {
        sm.egress_spec = 9;
        if (hdr.work.kind == 255) { untouched.write(0, 1); }
        counted.count(hdr.work.place & 3);
        %s
        if (hdr.work.kind == %d) {
            bit<32> pass;
            passes.read(pass, hdr.work.place & 3);
            passes.write(hdr.work.place & 3, pass + 1);
        }
        if (hdr.work.kind == %d) { sm.mcast_grp = %d; }
    }
}
control E(inout headers_t hdr, inout meta_t meta, inout standard_metadata_t sm) {
    register<bit<32>>(4) copies;
    apply {
        bit<32> copy;
        copies.read(copy, hdr.work.place & 3);
        copies.write(hdr.work.place & 3, copy + 1);
        if (hdr.work.kind == %d && hdr.work.value[1:0] != 0) {
            hdr.work.value = hdr.work.value >> 2;
            hdr.work.place = hdr.work.place + 1;
            recirculate_preserving_field_list(0);
        }
    }
}
control C(inout headers_t hdr, inout meta_t meta) { apply { } }
control D(packet_out packet, in headers_t hdr) { apply { packet.emit(hdr.work); } }
V1Switch(P(), V(), I(), E(), C(), D()) main;
"""
