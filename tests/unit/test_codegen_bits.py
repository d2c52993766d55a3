"""bits.h, wide.h and checksum.h: loading and storing at every offset and width, without touching what is beside."""

from __future__ import annotations

import shutil
import subprocess
import zlib
from itertools import product
from pathlib import Path
from random import Random

import pytest

from macsad.resources import share
from transpiler.codegen.ctypes import limbs
from transpiler.codegen.frame_fields import word_around
from transpiler.toolchain import toolchain
from transpiler.toolchain.backend import include_flags

COMPILERS = [c for c in ("gcc", "clang") if shutil.which(c)]
OFFSETS = range(17)
WIDTHS = (*range(65, 70), 96, 127, 128, 129, 160, 191, 192, 193, 200)
FRAME = Random(5).randbytes(320)
LENGTHS = (*range(30), 45, 127, 128, 129, 135, 136, 300)  # of what is hashed

# Buffers are as long as what is accessed, so that AddressSanitizer sees every byte beside it.
MAIN = """
static const uint8_t frame[] = {FRAME};

static uint8_t *exactly(unsigned bits) {
    size_t bytes = (bits + 7) / 8;
    uint8_t *made = malloc(bytes);
    memcpy(made, frame, bytes);
    return made;
}

static void show(const uint8_t *bytes, unsigned bits) {
    for (unsigned i = 0; i < (bits + 7) / 8; i++)
        printf("%02x", bytes[i]);
    printf(" ");
}

static void narrow(unsigned first, unsigned width) {
    uint8_t *bytes = exactly(first + width);
    printf("%" PRIx64 " ", macs_load_bits(bytes, first, width));
    macs_store_bits(bytes, first, width, UINT64_C(0x9e3779b97f4a7c15) & macs_mask(width));
    show(bytes, first + width);
    printf("%" PRIx64 "\\n", macs_load_bits(bytes, first, width));
    free(bytes);
}

static void whole(unsigned count) {
    uint8_t *bytes = exactly(count * 8);
    printf("%" PRIx64 " ", macs_load_bytes(bytes, count));
    macs_store_bytes(bytes, count, UINT64_C(0x0123456789abcdef));
    show(bytes, count * 8);
    printf("\\n");
    free(bytes);
}

static void word(unsigned count) {
    uint8_t *bytes = exactly(count * 8);
    for (unsigned first = 0; first < count * 8; first++)
        for (unsigned width = 1; width <= count * 8 - first; width++)
            printf("%" PRIx64 "\\n", macs_load_from_word(bytes, count, first, width));
    free(bytes);
}

WIDE

static void sums(unsigned length, unsigned payload) {
    uint8_t *data = exactly(length * 8 + 8), *rest = exactly(payload * 8 + 8);
    struct macs_bytes bytes = {data, length, rest, payload};
    printf("%" PRIx64 " %" PRIx64 " %" PRIx64 " %" PRIx64 "\\n", macs_checksum_csum16(bytes),
           macs_checksum_xor16(bytes), macs_checksum_crc16(bytes), macs_checksum_crc32(bytes));
    free(data), free(rest);
}

int main(void) {
    for (unsigned first = 0; first < 17; first++)
        for (unsigned width = 1; width <= 64; width++)
            narrow(first, width);
    for (unsigned count = 1; count <= 8; count++)
        whole(count);
    word(4);
    word(8);
CALLS
    static const unsigned lengths[] = {LENGTHS};
    for (unsigned i = 0; i < sizeof(lengths) / sizeof(lengths[0]); i++)
        for (unsigned payload = 0; payload < 12; payload++)
            sums(lengths[i], payload);
}
"""
WIDE = """
static void wide_N(unsigned first, unsigned width) {
    uint8_t *bytes = exactly(first + width);
    macs_wN value = macs_wN_load(bytes, first, width);
    for (unsigned i = 0; i < N; i++)
        printf("%" PRIx64 " ", value.limb[i]);
    macs_wN_store(bytes, first, width, macs_wN_not(value, width));
    show(bytes, first + width);
    printf("\\n");
    free(bytes);
}
"""


def source() -> str:
    counts = sorted({limbs(width) for width in WIDTHS})
    headers = ("inttypes.h", "stdio.h", "stdlib.h", "macs/wide.h", "macs/checksum.h")
    text = "".join(f"#include <{header}>\n" for header in headers)
    text += "".join(f"MACS_WIDE({n})\n" for n in counts)
    calls = "\n".join(f"    wide_{limbs(w)}({first}, {w});" for first in OFFSETS for w in WIDTHS)
    main = MAIN.replace("FRAME", ", ".join(map(str, FRAME))).replace("CALLS", calls)
    main = main.replace("LENGTHS", ", ".join(map(str, LENGTHS)))
    return text + main.replace(
        "WIDE\n", "".join(WIDE.replace("wN", f"w{n}").replace("_N", f"_{n}").replace("< N", f"< {n}") for n in counts)
    )


def stored(first: int, width: int, value: int) -> bytes:
    """The frame's start with those bits replaced."""
    size = (first + width + 7) // 8
    shift = size * 8 - first - width
    mask = (1 << width) - 1 << shift
    return (int.from_bytes(FRAME[:size], "big") & ~mask | value << shift).to_bytes(size, "big")


def loaded(data: bytes, first: int, width: int) -> int:
    return int.from_bytes(data, "big") >> (len(data) * 8 - first - width) & (1 << width) - 1


def expected() -> list[str]:
    lines = []
    for first in OFFSETS:
        for width in range(1, 65):
            value = 0x9E3779B97F4A7C15 & (1 << width) - 1
            lines.append(f"{loaded(FRAME, first, width):x} {stored(first, width, value).hex()} {value:x}")
    for count in range(1, 9):
        value = 0x0123456789ABCDEF & (1 << 8 * count) - 1
        lines.append(f"{loaded(FRAME, 0, 8 * count):x} {value.to_bytes(count, 'big').hex()}")
    for size in (4, 8):
        places = ((first, width) for first in range(size * 8) for width in range(1, size * 8 - first + 1))
        lines += [f"{loaded(FRAME[:size], first, width):x}" for first, width in places]
    for first in OFFSETS:
        for width in WIDTHS:
            value = loaded(FRAME, first, width)
            words = [f"{value >> 64 * i & (1 << 64) - 1:x}" for i in range(limbs(width))]
            lines.append(" ".join([*words, stored(first, width, ~value & (1 << width) - 1).hex()]))
    for length in LENGTHS:
        for payload in range(12):
            lines.append(" ".join(f"{value:x}" for value in sums(FRAME[:length] + FRAME[:payload])))
    return lines


def sums(data: bytes) -> tuple[int, int, int, int]:
    """csum16, xor16, crc16, crc32, by their definitions."""
    even = data + b"\0" * (len(data) % 2)
    words = [int.from_bytes(even[i : i + 2], "big") for i in range(0, len(even), 2)]
    total, folded, crc = sum(words), 0, 0
    while total >> 16:
        total = (total & 0xFFFF) + (total >> 16)
    for word in words:
        folded ^= word
    for byte in data:
        crc ^= byte
        for _ in range(8):
            crc = crc >> 1 ^ (0xA001 if crc & 1 else 0)
    return ~total & 0xFFFF, folded, crc, zlib.crc32(data)


def test_words_around_bits() -> None:
    for readable, first, width in product(range(1, 20), range(100), range(1, 65)):
        end = -(-(first + width) // 8)
        if end > readable:
            continue
        word = word_around(first, width, readable)
        spans = end - first // 8
        assert (word is not None) == (spans in (3, 5, 6, 7) and readable >= (4 if spans == 3 else 8))
        if word is not None:
            start, size = word
            assert start >= 0 and start + size <= readable
            assert start <= first // 8 and end <= start + size


@pytest.mark.parametrize("compiler", COMPILERS)
@pytest.mark.parametrize("with_", ["-UMACS_CRC_PLAIN", "-DMACS_CRC_PLAIN"])  # CRCs by multiplication, and by tables
@pytest.mark.parametrize(("optimise", "sanitize"), [("-O0", ("address", "undefined")), ("-O1", ())])
def test_loads_stores_and_sums(
    compiler: str, with_: str, optimise: str, sanitize: tuple[str, ...], tmp_path: Path
) -> None:
    tools = toolchain.find(compiler=compiler, optimise=optimise, sanitize=sanitize)
    (tmp_path / "t.c").write_text(source())
    flags = (*tools.all_flags, *include_flags(share("aux-backend"), tools))
    tables = share("aux-backend") / "runtime" / "crc.c"
    command = [*tools.compiler, *flags, with_, "t.c", str(tables), "-o", "t", *tools.link_flags]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[:3000]
    ran = subprocess.run([tmp_path / "t"], capture_output=True, text=True, check=False, timeout=60)
    assert ran.returncode == 0, ran.stderr[:3000]
    for got, wanted in zip(ran.stdout.splitlines(), expected(), strict=True):
        assert got.split() == wanted.split()
