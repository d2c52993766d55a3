"""Loads and stores of header fields that generated C makes, run as Python: what is read is what lies in the frame, and of what is
written every bit is there and no other is changed."""

from __future__ import annotations

import re
from random import Random

import pytest
from hlir_builder import Builder, emit, extract, goto, state

from macsad.resources import share
from transpiler.codegen.generate import generate
from transpiler.diagnostics import Diagnostics
from transpiler.targets.find import builtin

LOAD = re.compile(r"^ +g_(f\d+) = (.*);$", re.MULTILINE)


class Frame:
    """Bytes; the first argument of what accesses them is where, as a number of bytes."""

    def __init__(self, data: bytes) -> None:
        self.data = bytearray(data)
        self.names: dict[str, object] = {
            "load_bits": self.bits, "load_bytes": self.whole, "load_from_word": self.from_word, "load": self.bits,
            "store_bits": self.put, "store_bytes": self.put_whole, "store": self.put,
        }  # fmt: skip

    def whole(self, at: int, count: int) -> int:
        assert 0 < count <= 8
        return self.bits(at, 0, 8 * count)

    def put_whole(self, at: int, count: int, value: int) -> None:
        assert 0 < count <= 8
        self.put(at, 0, 8 * count, value)

    def bits(self, at: int, first: int, width: int) -> int:
        end = 8 * len(self.data) - 8 * at - first - width
        assert end >= 0
        return int.from_bytes(self.data, "big") >> end & (1 << width) - 1

    def from_word(self, at: int, count: int, first: int, width: int) -> int:
        """Of a word of 4 or 8 bytes, all of which may be read."""
        assert count in (4, 8) and first + width <= 8 * count and at + count <= len(self.data) // 2
        return self.bits(at, first, width)

    def put(self, at: int, first: int, width: int, value: int) -> None:
        end = 8 * len(self.data) - 8 * at - first - width
        mask = (1 << width) - 1 << end
        whole = int.from_bytes(self.data, "big") & ~mask | (value << end & mask)
        self.data[:] = whole.to_bytes(len(self.data), "big")


def python(c: str) -> str:
    """The C of a few statements as Python, which goes by the indentation that they have."""
    lines = []
    for line in c.splitlines():
        line = re.sub(
            r"/\*.*?\*/|\(uint\d+_t\)|UINT64_C|uint8_t \*const |packet->data \+ |macs_(w\d_)?|;$", "", line
        ).rstrip()
        line = re.sub(r"(?<=[\da-f])u\b", "", line).replace("&&", "and").replace("packet->data", "0")
        line = re.sub(r"if \((.*)\) \{$", r"if \1:", line).replace("} else {", "else:")
        if line.strip() and line.strip() != "}":
            lines.append(line)
    return "\n".join(lines)


def widths(random: Random) -> list[int]:
    """Of some fields that fill whole bytes together: mostly small ones, or of any size."""
    small, any_ = (1, 2, 3, 4, 5, 7, 9, 12, 20), (1, 3, 4, 8, 12, 16, 24, 32, 40, 48, 64, 70, 100)
    found = [random.choice(small if random.random() < 0.6 else any_) for _ in range(9)]
    return [*found, 8 - sum(found) % 8]


LONG = ([1, 64, 7], [4, 56, 4, 8], [3, 62, 7, 24], [70, 2, 5, 3], [65, 3, 4], [2, 30, 30, 10], [33, 31, 9, 7])


@pytest.mark.parametrize("given", [*range(16), *LONG], ids=str)
def test_fields_of_frames(given: int | list[int]) -> None:
    """A header whose fields are read, and behind it one whose fields are written, some of them on one way only."""
    random = Random(given if isinstance(given, int) else 1)
    made = widths(random) if isinstance(given, int) else given
    fields = {f"f{number}": width for number, width in enumerate(made)}
    size = sum(fields.values()) // 8
    b = Builder()
    for header in "gh":
        b.header(header, "h_t", **(fields if header == "g" else {}))
    copies = [b.set(f"h.{name}", b.get(f"g.{name}")) for name in fields]
    start = state("start", [extract("g"), extract("h")], goto("accept"))
    program = b.build([start], [b.set("sm.egress_spec", 2), *copies], deparser=[emit("g"), emit("h")])
    c = generate(program, builtin(), share("templates"), Diagnostics()).c
    frame = Frame(random.randbytes(2 * size))
    values: dict[str, object] = {}
    for name, loaded in LOAD.findall(c):
        if "load" in loaded:
            values[f"h_{name}"] = eval(python(loaded), {**frame.names, "at": 0})
    whole = int.from_bytes(frame.data[:size], "big")
    left = 8 * size
    for name, width in fields.items():
        left -= width
        assert values[f"h_{name}"] == whole >> left & (1 << width) - 1
    stores = re.search(r"^( +)\{ /\* t\.p4:1: deparser \*/\n(.*?)^\1\}$", c, re.MULTILINE | re.DOTALL)
    assert stores is not None
    for chosen in (frozenset(fields), frozenset(random.sample(sorted(fields), len(fields) // 2)), frozenset[str]()):
        sent = Frame(bytes(frame.data))
        flags = {f"h_{name}_written": name in chosen for name in fields}
        exec("if True:\n" + python(stores[2]), {**sent.names, **values, **flags, "h_valid": True})
        expected = Frame(bytes(frame.data))
        at = 8 * size
        for name, width in fields.items():
            if name in chosen:
                expected.put(0, at, width, int(str(values[f"h_{name}"])))
            at += width
        assert sent.data == expected.data, (fields, chosen)
