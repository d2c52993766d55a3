"""What generated code computes with: the arithmetic of bits.h and wide.h beside Python's, and externs, sets, hashes, varbits
and random numbers at their ends."""

from __future__ import annotations

import subprocess
from collections.abc import Callable, Iterator
from random import Random

import pytest

from macsad.resources import share
from transpiler.codegen.ctypes import limbs
from transpiler.toolchain import toolchain
from transpiler.toolchain.backend import include_flags

NARROW = (1, 2, 7, 8, 9, 31, 32, 33, 63, 64)
WIDE = (65, 100, 127, 128, 129, 191, 192)
AMOUNTS = (
    0,
    1,
    2,
    6,
    7,
    8,
    31,
    32,
    33,
    62,
    63,
    64,
    65,
    99,
    127,
    128,
    129,
    191,
    192,
    193,
    1 << 32,
    1 << 63,
    (1 << 64) - 1,
)


def operands(width: int) -> list[int]:
    """The ends of the unsigned and the signed range, and some between."""
    random, top = Random(width), 1 << width
    ends = {
        0,
        1,
        2,
        3,
        top - 1,
        top - 2,
        top >> 1,
        (top >> 1) - 1,
        (top >> 1) + 1,
        (1 << 64) - 1,
        1 << 64,
        (1 << 64) + 1,
    }
    between = [random.getrandbits(random.randrange(1, width + 1)) for _ in range(5)]
    return sorted({value & top - 1 for value in (*ends, *between)})


def signed(value: int, width: int) -> int:
    return value - (1 << width) if value >> (width - 1) else value


def clamped(value: int, width: int) -> int:
    return min(max(value, -(1 << width - 1)), (1 << width - 1) - 1) & (1 << width) - 1


def unsigned_clamped(value: int, width: int) -> int:
    return min(max(value, 0), (1 << width) - 1)


# name, how it is called with narrow values, and with wide ones; what it gives
Meaning = Callable[[int, int, int], int]
BINARY: tuple[tuple[str, str, str, Meaning], ...] = (
    ("add_saturating", "x, y, width", "x, y, width", lambda x, y, w: unsigned_clamped(x + y, w)),
    ("sub_saturating", "x, y", "x, y, width", lambda x, y, w: unsigned_clamped(x - y, w)),
    ("add_saturating_signed", "x, y, width", "x, y, width", lambda x, y, w: clamped(signed(x, w) + signed(y, w), w)),
    ("sub_saturating_signed", "x, y, width", "x, y, width", lambda x, y, w: clamped(signed(x, w) - signed(y, w), w)),
    ("divide", "x, y", "x, y", lambda x, y, w: x // y if y else 0),
    ("modulo", "x, y", "x, y", lambda x, y, w: x % y if y else 0),
    ("add", "", "x, y, width", lambda x, y, w: x + y & (1 << w) - 1),
    ("sub", "", "x, y, width", lambda x, y, w: x - y & (1 << w) - 1),
    ("multiply", "", "x, y, width", lambda x, y, w: x * y & (1 << w) - 1),
    ("and", "", "x, y", lambda x, y, w: x & y),
    ("or", "", "x, y", lambda x, y, w: x | y),
    ("xor", "", "x, y", lambda x, y, w: x ^ y),
)
COMPARING: tuple[tuple[str, str, Meaning], ...] = (
    ("compare", "x, y", lambda x, y, w: (x > y) - (x < y)),
    ("compare_signed", "x, y, width", lambda x, y, w: (signed(x, w) > signed(y, w)) - (signed(x, w) < signed(y, w))),
)
SHIFTING: tuple[tuple[str, str, Meaning], ...] = (
    ("shift_left", "x, amount, width", lambda x, a, w: x << min(a, 200) & (1 << w) - 1),
    ("shift_right", "x, amount", lambda x, a, w: x >> min(a, 200)),
    ("shift_right_signed", "x, amount, width", lambda x, a, w: signed(x, w) >> min(a, 200) & (1 << w) - 1),
)

NARROW_C = """
static void narrow(unsigned width, const uint64_t *values, unsigned count) {
    for (unsigned i = 0; i < count; i++) {
        const uint64_t x = values[i];
        printf("%" PRIx64 "\\n", (uint64_t)macs_signed(x, width));
        for (unsigned j = 0; j < count; j++) {
            const uint64_t y = values[j];
            BINARY
        }
        for (unsigned a = 0; a < AMOUNTS; a++) {
            const uint64_t amount = amounts[a];
            SHIFTING
        }
    }
}
"""
WIDE_C = """
MACS_WIDE(N)
static void show_N(macs_wN x) {
    for (unsigned i = N; i-- > 0;)
        printf("%016" PRIx64, x.limb[i]);
    puts("");
}
static void wide_N(unsigned width, const macs_wN *values, unsigned count) {
    for (unsigned i = 0; i < count; i++) {
        const macs_wN x = values[i];
        printf("%" PRIx64 "\\n", macs_wN_amount(x));
        for (unsigned j = 0; j < count; j++) {
            const macs_wN y = values[j];
            BINARY
        }
        for (unsigned a = 0; a < AMOUNTS; a++) {
            const uint64_t amount = amounts[a];
            SHIFTING
        }
    }
}
"""
OTHERS_C = """
static void check_externs(void) {
    struct macs_worker worker = {.index = 1};
    struct macs_count rows[3][3] = {{{0}}};
    struct macs_counter *counter = calloc(1, sizeof *counter + 3 * sizeof(void *));
    *counter = (struct macs_counter){.size = 2, .workers = 2};
    for (unsigned i = 0; i < 3; i++)
        counter->per_worker[i] = rows[i];
    for (uint64_t index = 0; index < 4; index++)
        macs_counter_add(counter, &worker, index, 10 + index);
    macs_counter_add(counter, &worker, 1, 5);
    assert(rows[1][0].packets == 1 && rows[1][0].bytes == 10 && rows[1][1].packets == 2 && rows[1][1].bytes == 16);
    assert(!rows[1][2].packets && !rows[0][0].packets && !rows[2][0].packets);
    free(counter);
    uint64_t elements[] = {1, 2, 3, 4, 5, 6}, value[2] = {7, 7};
    struct macs_register reg = {.shape = {.size = 2, .stride = 16}, .cell_bytes = 16, .cells = (uint8_t *)elements};
    macs_register_read(&reg, 1, value);
    assert(value[0] == 3 && value[1] == 4);
    macs_register_read(&reg, 2, value);
    assert(value[0] == 0 && value[1] == 0);
    macs_register_write(&reg, 2, value);
    macs_register_write(&reg, UINT64_MAX, value);
    macs_register_write(&reg, 1, (const uint64_t[]){8, 9});
    assert(elements[1] == 2 && elements[2] == 8 && elements[3] == 9 && elements[4] == 5 && elements[5] == 6);
}

static void check_tallies(void) {
    const struct macs_register_shape shape = {.size = 3, .stride = 1};
    uint8_t cells[] = {1, 2, 250, 77};
    struct macs_register reg = {.shape = shape, .cell_bytes = 1, .cells = cells, .shared = true};
    struct macs_tally tally = MACS_NO_TALLY;
    macs_register_settle8(&tally, &reg, shape);
    macs_register_tally8(&tally, &reg, shape, 2, 3);
    macs_register_tally8(&tally, &reg, shape, 2, 4);
    assert(cells[0] == 1 && cells[2] == 250); /* nothing as yet */
    macs_register_tally8(&tally, &reg, shape, 0, 255);
    assert(cells[0] == 1 && cells[2] == 1);
    macs_register_tally8(&tally, &reg, shape, 3, 9); /* beyond its end */
    macs_register_tally8(&tally, &reg, shape, UINT64_MAX, 9);
    assert(cells[0] == 0 && cells[3] == 77);
    macs_register_tally8(&tally, &reg, shape, 1, 5);
    macs_register_settle8(&tally, &reg, shape);
    assert(cells[0] == 0 && cells[1] == 7 && cells[2] == 1 && cells[3] == 77);
    struct macs_tally unused = MACS_NO_TALLY; /* alone, a worker adds at once */
    reg.shared = false;
    macs_register_tally8(&unused, &reg, shape, 1, 1);
    macs_register_tally8(&unused, &reg, shape, 3, 1);
    assert(cells[1] == 8 && cells[3] == 77);
    macs_register_settle8(&unused, &reg, shape);
    assert(cells[1] == 8);
}

static void check_sets(void) {
    static const uint64_t words[] = {0, 1, 2, 0x8000000000000000u, UINT64_MAX, 0x7fffffffffffffffu, 0xff, 0xf0f0};
    for (unsigned a = 0; a < 8; a++)
        for (unsigned b = 0; b < 8; b++) {
            const uint64_t in[MACS_BURST_MAX / 64] = {words[a], words[b], words[a], words[b]};
            struct macs_set set;
            uint16_t list[MACS_BURST_MAX];
            macs_set_clear(&set);
            for (unsigned i = 0; i < MACS_BURST_MAX; i++)
                if (in[i / 64] >> i % 64 & 1)
                    macs_set_add(&set, i);
            uint32_t count = macs_set_list(&set, list), at = 0;
            for (unsigned i = 0; i < MACS_BURST_MAX; i++)
                if (in[i / 64] >> i % 64 & 1)
                    assert(at < count && list[at++] == i);
            assert(at == count);
        }
}

static void check_random(void) {
    struct macs_worker worker = {.random = 1}, same = {.random = 1};
    unsigned found = 0;
    assert(macs_random_range(&worker, 5, 5) == 5 && macs_random_range(&worker, 6, 5) == 6 && worker.random == 1);
    for (unsigned i = 0; i < 200; i++) {
        const uint64_t next = macs_random_next(&same), value = macs_random_range(&worker, 3, 6);
        assert(value == 3 + next % 4);
        found |= 1u << value;
    }
    assert(found == 0x78);
    assert(macs_random_range(&worker, 0, UINT64_MAX) == macs_random_next(&same));
}

static void check_bytes(void) {
    uint8_t frame[20];
    for (unsigned i = 0; i < sizeof frame; i++)
        frame[i] = (uint8_t)(i % 8 + 1);
    struct macs_packet packet = {.data = frame};
    assert(macs_varbit_of(3, 0) == macs_varbit_of(5, 0));
    assert(macs_varbit_equal(&packet, macs_varbit_of(0, 4), macs_varbit_of(8, 4)));
    assert(!macs_varbit_equal(&packet, macs_varbit_of(0, 4), macs_varbit_of(8, 3)));
    assert(!macs_varbit_equal(&packet, macs_varbit_of(0, 3), macs_varbit_of(8, 4)));
    assert(!macs_varbit_equal(&packet, macs_varbit_of(0, 4), macs_varbit_of(1, 4)));
    for (uint32_t length = 0; length <= 10; length++)
        for (uint32_t payload = 0; payload <= 9; payload++) {
            uint64_t expected = 0;
            for (uint32_t i = 0; i < length + payload && i < 8; i++)
                expected = expected << 8 | frame[i < length ? i : i - length];
            assert(macs_checksum_identity((struct macs_bytes){frame, length, frame, payload}) == expected);
        }
    packet.requests = (struct macs_requests){0};
    macs_request_truncate(&packet, UINT64_C(1) << 40);
    assert(packet.requests.flags == MACS_TRUNCATE && packet.requests.truncate_bytes == UINT32_MAX);
    macs_request_truncate(&packet, 7);
    macs_request_truncate(&packet, 9);
    assert(packet.requests.truncate_bytes == 7);
}

static void check_extents(void) {
    struct macs_extent extent = {0, 0};
    macs_extent_add(&extent, 60);
    macs_extent_add(&extent, 90);
    macs_extent_add(&extent, 70);
    assert(extent.bytes == 220 && extent.longest == 90);
}
"""


def calls(of: str, functions: Iterator[tuple[str, str]]) -> str:
    return "\n".join(of.replace("NAME", name).replace("WORDS", words) for name, words in functions)


def source() -> str:
    headers = (
        "assert",
        "inttypes",
        "stdio",
        "stdlib",
        "macs/wide",
        "macs/checksum",
        "macs/extern",
        "macs/set",
        "macs/run_to_completion",
        "macs/varbit",
    )
    text = "".join(f"#include <{header}.h>\n" for header in headers)
    text += f"enum {{ AMOUNTS = {len(AMOUNTS)} }};\nstatic const uint64_t amounts[] = {{"
    text += ", ".join(f"UINT64_C({a})" for a in AMOUNTS) + "};\n"
    show = 'printf("%" PRIx64 "\\n", macs_NAME(WORDS));'
    narrow = NARROW_C.replace("BINARY", calls(show, ((n, words) for n, words, _, _ in BINARY if words)))
    text += narrow.replace("SHIFTING", calls(show, ((n, words) for n, words, _ in SHIFTING)))
    for count in sorted({limbs(width) for width in WIDE}):
        show = f"show_{count}(macs_w{count}_NAME(WORDS));"
        both = calls(show, ((n, words) for n, _, words, _ in BINARY))
        compared = f'printf("%d\\n", macs_w{count}_NAME(WORDS));'
        both += calls(compared, ((n, words) for n, words, _ in COMPARING))
        wide = WIDE_C.replace("BINARY", both).replace("SHIFTING", calls(show, ((n, words) for n, words, _ in SHIFTING)))
        text += (
            wide.replace("wN", f"w{count}")
            .replace("_N", f"_{count}")
            .replace("(N)", f"({count})")
            .replace("= N;", f"= {count};")
        )
    main = ""
    for width in NARROW:
        values = ", ".join(f"UINT64_C({value})" for value in operands(width))
        main += f"    narrow({width}, (const uint64_t[]){{{values}}}, {len(operands(width))});\n"
    for width in WIDE:
        count = limbs(width)
        values = ", ".join(
            "{{" + ", ".join(f"UINT64_C({value >> 64 * i & (1 << 64) - 1})" for i in range(count)) + "}}"
            for value in operands(width)
        )
        main += f"    wide_{count}({width}, (const macs_w{count}[]){{{values}}}, {len(operands(width))});\n"
    checks = "".join(f"    check_{name}();\n" for name in ("externs", "tallies", "sets", "random", "bytes", "extents"))
    return f"{text}{OTHERS_C}\nint main(void) {{\n{main}{checks}}}\n"


def expected() -> Iterator[tuple[str, int]]:
    """What is computed, and what it gives."""
    for width in (*NARROW, *WIDE):
        narrow, values = width in NARROW, operands(width)
        for x in values:
            if narrow:
                yield f"signed({x}) of {width}", signed(x, width) & (1 << 64) - 1
            else:
                yield f"amount({x}) of {width}", x if x < 1 << 64 else (1 << 64) - 1
            for y in values:
                for name, words, _, meaning in BINARY:
                    if words or not narrow:
                        yield f"{name}({x}, {y}) of {width}", meaning(x, y, width)
                for name, _, meaning in COMPARING if not narrow else ():
                    yield f"{name}({x}, {y}) of {width}", meaning(x, y, width)
            for amount in AMOUNTS:
                for name, _, meaning in SHIFTING:
                    yield f"{name}({x}, {amount}) of {width}", meaning(x, amount, width)


@pytest.fixture(scope="module")
def told(tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    folder = tmp_path_factory.mktemp("values")
    tools = toolchain.find(compiler="gcc", optimise="-O1", sanitize=("address", "undefined"))
    (folder / "t.c").write_text(source())
    flags = (*tools.all_flags, *include_flags(share("aux-backend"), tools))
    command = [*tools.compiler, *flags, "t.c", "-o", "t", *tools.link_flags]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[:3000]
    ran = subprocess.run([folder / "t"], capture_output=True, text=True, check=False, timeout=60)
    assert ran.returncode == 0, ran.stderr[:3000]
    return ran.stdout.splitlines()


def test_values(told: list[str]) -> None:
    for got, (what, value) in zip(told, expected(), strict=True):
        assert int(got, 16) == value, what
