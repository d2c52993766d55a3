"""Table kernels and quiescent-state reclamation: the C programs of aux-backend/kernel_tests and tests/c/tables, built with
gcc and clang, sanitized."""

from __future__ import annotations

import os
import platform
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from built_once import built_once

from macsad.kernel_subjects import kernels_to_test, shapes, subjects
from transpiler.targets.find import builtin
from transpiler.targets.target import Kernel

ROOT = Path(__file__).parents[2]
SOURCES = ROOT / "aux-backend" / "tables"
PROGRAMS = Path(__file__).parent / "tables"
SHIPPED = SOURCES.parent / "kernel_tests"  # those that `macsad test-kernel` runs, too
WARNINGS = ["-Wall", "-Wextra", "-Werror", "-Wshadow"]
# Into fewer words than entries the hash fits only by moving entries and, in the end, growing; chunks of 4 KiB are
# allocated now and then, and so may fail.
SMALL_CHUNKS = "-DMACS_ARENA_CHUNK_AT=6"
# Few results have leaves of their own, and lookups begin with the runs half of the time, or always.
FEW_LEAVES = ["-DMACS_LPM_RUNS_ELSEWHERE=40u", "-DMACS_LPM_RUNS_PAY_PERCENT=40"]
ALWAYS_RUNS = "-DMACS_LPM_RUNS_PAY_PERCENT=100"
# Different keys have the same tag most of the time: of the upper half, where tags are taken from, five bits are left.
FEW_HASHES = "-DMACS_HASH_MASK=UINT64_C(0x1fffffffff)"
# Different keys have the same hash, all of it: there are 128, and tags of 30 bits are all the same.
SAME_HASHES = ["-O1", "-g1", "-DMACS_HASH_MASK=UINT64_C(0x3f8000000)"]
TIGHT = ["-DMACS_EXACT_HASH_LOAD_PERCENT=115", "-DMACS_EXACT_PACKED_LOAD_PERCENT=115", SMALL_CHUNKS, FEW_HASHES]
TIGHT += FEW_LEAVES
MEMORY = ["-O1", "-g1", "-fsanitize=address,undefined", "-fno-sanitize-recover=all", *TIGHT]
RACES = ["-O1", "-g1", "-fsanitize=thread", *TIGHT]
FAST = ["-O2", "-DMACS_EXACT_HASH_LOAD_PERCENT=95", "-DMACS_EXACT_PACKED_LOAD_PERCENT=95", ALWAYS_RUNS]
QUICK_TIMEOUT = "-DMACS_QSBR_TIMEOUT_NS=UINT64_C(20000000)"
VECTORS = {"-mavx512f": "AVX-512", "-mavx2": "AVX2", "-msse4.1": "SSE4.1", "-DMACS_SCAN_PLAIN": "plain C"}
SUBJECTS = "subjects.c"  # all lookups, which are inline: it takes longer to compile than all kernels
# Options that few sources heed: the others are compiled without, and there are lookups of their kernels alone.
OF_FEW = {
    "-DMACS_NO_FEW_ENTRIES": ("ternary/ternary_cells_*.c", SUBJECTS),
    "-DMACS_NO_ONE_MASK": ("ternary/ternary_cells_*.c", SUBJECTS),
    "-DMACS_CHANGES_REPEATS": ("common/changes.c", "ternary/*.c", "lpm/*.c", SUBJECTS),
    "-DMACS_QSBR_TIMEOUT_NS": ("common/changes.c", "common/qsbr.c", "common/table.c", "lpm/lpm_dir24_change.c"),
    # Rows of bits and of tags are met by vectors.
    **dict.fromkeys(VECTORS, ("exact/*.c", "ternary/*.c", SUBJECTS)),
}
# Rows of bits are met by groups of keys where a register takes a line of them.
WIDEST = ["-mavx512f"] if "avx512f" in Path("/proc/cpuinfo").read_text() else []
COUNTED = "-Wl,--wrap=malloc,--wrap=calloc,--wrap=realloc,--wrap=aligned_alloc,--wrap=free"
COUNTED_APART = "-Wl,--wrap=macs_memory_alloc,--wrap=macs_memory_free"
RESERVED = "-Wl,--wrap=macs_qsbr_reserve,--wrap=macs_qsbr_defer"
WRAP = "-Wl,--wrap=malloc,--wrap=calloc,--wrap=aligned_alloc"

KERNELS_TESTED = kernels_to_test(builtin().kernels)
KERNELS = [kernel.name for kernel in KERNELS_TESTED]
# kernel, key bytes, exact bytes in front of the prefix (all of them: no prefix)
SHAPES = [
    (kernel.name, shape.key_bytes, shape.exact_bytes)
    for kernel in KERNELS_TESTED
    for shape in shapes(kernel)
    if not shape.range_bytes and kernel.name != "linear"
]

Build = Callable[..., Path]


@pytest.fixture(scope="module")
def build() -> Build:
    """build("random", "gcc", *flags): the program, compiled once. Flags that begin with -Wl are for the linker."""

    def compile_with(compiler: str, folder: Path, *arguments: str) -> None:
        includes = [f"-I{SOURCES.parent / 'include'}", f"-I{SOURCES.parent}", f"-I{SHIPPED}"]
        command = [compiler, "-std=c11", *WARNINGS, *includes, "-pthread", *arguments]
        built = subprocess.run(command, capture_output=True, text=True, check=False, cwd=folder)
        assert built.returncode == 0, built.stderr

    def compiled(compiler: str, flags: list[str], sources: list[str], tested: list[Kernel]) -> dict[str, Path]:
        """The object files, by their names."""

        def make(folder: Path) -> None:
            (folder / SUBJECTS).write_text(subjects(tested))
            compile_with(compiler, folder, *flags, "-c", *sources)

        return {file.name: file for file in built_once(("kernels", compiler, flags), make).glob("*.o")}

    def kernels(compiler: str, flags: list[str]) -> list[str]:
        own = [flag for flag in flags if flag.partition("=")[0] in OF_FEW]
        common = [flag for flag in flags if flag not in own]
        objects = compiled(compiler, common, [SUBJECTS, *map(str, sorted(SOURCES.rglob("*.c")))], list(KERNELS_TESTED))
        if own:
            patterns = {pattern for flag in own for pattern in OF_FEW[flag.partition("=")[0]]}
            affected = {str(file) for pattern in patterns for file in SOURCES.glob(pattern)} | patterns & {SUBJECTS}
            folders = {pattern.partition("/")[0] for pattern in patterns}
            tested = [k for k in KERNELS_TESTED if k.name == "linear" or Path(k.header).parent.name in folders]
            objects |= compiled(compiler, flags, sorted(affected), tested)
        return [str(objects[name]) for name in sorted(objects)]

    def make(program: str, compiler: str, *flags: str) -> Path:
        if shutil.which(compiler) is None:
            pytest.skip(f"{compiler} is not installed")
        objects = kernels(compiler, [flag for flag in flags if not flag.startswith("-Wl")])
        source = next(file for at in (PROGRAMS, SHIPPED) if (file := at / f"{program}.c").is_file())
        parts = (*flags, str(source), *objects, "-o", program)
        return built_once(("tables", compiler, parts), lambda folder: compile_with(compiler, folder, *parts)) / program

    return make


def run(binary: Path, *arguments: object) -> str:
    """Run a test program; it prints ok or says what was wrong and where."""
    command = [str(binary), *map(str, arguments)]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=120)
    if "unexpected memory mapping" in done.stderr:  # the thread sanitizer's shadow and address randomisation collide
        command = ["setarch", "-R", *command]
        done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=120)
    assert done.returncode == 0 and done.stdout.startswith("ok"), f"{command}\n{done.stdout}{done.stderr}"
    return done.stdout


@pytest.mark.parametrize("kernel", KERNELS)
@pytest.mark.parametrize(
    ("compiler", "flags"),
    [("gcc", MEMORY), ("clang", MEMORY), ("gcc", SAME_HASHES)],
    ids=["gcc", "clang", "same hashes"],
)
def test_every_kernel_keeps_the_contract(build: Build, compiler: str, flags: list[str], kernel: str) -> None:
    run(build("conformance", compiler, *flags), kernel)


@pytest.mark.parametrize(("kernel", "key_bytes", "exact_bytes"), SHAPES)
def test_keys_of_the_same_hash_are_told_apart(build: Build, kernel: str, key_bytes: int, exact_bytes: int) -> None:
    binary = build("random", "gcc", *SAME_HASHES, WRAP)
    operations = 500 if kernel == "lpm_dir24" and key_bytes > 2 else 5_000
    run(binary, kernel, key_bytes, exact_bytes, operations, 1, 0)


@pytest.mark.parametrize("kernel", KERNELS)
def test_kernels_say_what_memory_they_take(build: Build, kernel: str) -> None:
    run(build("memory", "gcc", *FAST, COUNTED, COUNTED_APART), kernel)


# A short prefix of three bytes is slow to fill.
@pytest.mark.parametrize(
    ("kernel", "key_bytes", "exact_bytes"), [("linear", 4, 0), *(s for s in SHAPES if s[:2] != ("lpm_dir24", 3))]
)
def test_entries_that_come_and_go_take_no_more_memory(
    build: Build, kernel: str, key_bytes: int, exact_bytes: int
) -> None:
    rounds = 30 if kernel == "ternary_cells" else 200
    run(build("rounds", "gcc", *FAST, COUNTED), kernel, key_bytes, exact_bytes, rounds)


@pytest.mark.parametrize(("kernel", "key_bytes", "exact_bytes"), [("linear", 4, 0), *SHAPES])
def test_changes_make_sure_of_room_for_what_they_release(
    build: Build, kernel: str, key_bytes: int, exact_bytes: int
) -> None:
    operations = 300 if kernel == "lpm_dir24" and key_bytes > 2 else 5_000
    binary = build("defers", "gcc", *FAST, WRAP, RESERVED)
    run(binary, kernel, key_bytes, exact_bytes, operations, 1, 0)
    if kernel == "ternary_cells":  # few entries, most of one mask
        run(binary, kernel, key_bytes, exact_bytes, operations, 1, 0, 0, 400, 24)


def test_nothing_is_released_early(build: Build) -> None:
    run(build("qsbr", "gcc", *MEMORY, QUICK_TIMEOUT))


def test_sequences_agree_with_an_array(build: Build) -> None:
    run(build("sequence", "gcc", *MEMORY), 1)
    run(build("sequence", "gcc", *MEMORY), int.from_bytes(os.urandom(4), "little"))


@pytest.mark.parametrize(("kernel", "key_bytes", "exact_bytes"), SHAPES)
def test_random_changes_agree_with_the_reference(build: Build, kernel: str, key_bytes: int, exact_bytes: int) -> None:
    binary = build("random", "gcc", *MEMORY, WRAP)
    fresh = int.from_bytes(os.urandom(4), "little")
    operations = 2_000 if kernel == "lpm_dir24" and key_bytes > 2 else 30_000  # a short prefix there is slow to fill
    run(binary, kernel, key_bytes, exact_bytes, operations, 1, 0)
    run(binary, kernel, key_bytes, exact_bytes, operations // 3, fresh, 0)


@pytest.mark.parametrize(("key_bytes", "range_bytes"), [(2, 2), (5, 1), (13, 4), (9, 8), (9, 9), (13, 10), (20, 17)])
def test_ranges_agree_with_the_reference(build: Build, key_bytes: int, range_bytes: int) -> None:
    binary = build("random", "gcc", *MEMORY, WRAP)
    fresh = int.from_bytes(os.urandom(4), "little")
    for failing in (0, 5):
        run(binary, "ternary_cells", key_bytes, key_bytes, 8_000, fresh, failing, range_bytes)


# Tables of these sizes cross, again and again, what is few entries: 16.
@pytest.mark.parametrize(("size", "key_bytes"), [(3, 4), (18, 1), (20, 7), (24, 40)])
def test_few_entries_agree_with_the_reference(build: Build, size: int, key_bytes: int) -> None:
    fresh = int.from_bytes(os.urandom(4), "little")
    binary = build("random", "gcc", *MEMORY, WRAP)
    for failing, ranges in ((0, 0), (0, min(2, key_bytes)), (5, 0)):
        run(binary, "ternary_cells", key_bytes, key_bytes, 6_000, fresh, failing, ranges, 0, size)
    binary = build("random", "clang", "-O2", *TIGHT, *WIDEST, WRAP)
    run(binary, "ternary_cells", key_bytes, key_bytes, 6_000, fresh, 0, 0, 0, size)


def test_without_the_scan_of_few_entries_lookups_are_the_same(build: Build) -> None:
    binary = build("random", "gcc", *MEMORY, "-DMACS_NO_FEW_ENTRIES", WRAP)
    run(binary, "ternary_cells", 13, 13, 6_000, int.from_bytes(os.urandom(4), "little"), 0, 0, 0, 20)


@pytest.mark.parametrize("flags", [MEMORY, RACES, FAST], ids=["memory", "races", "fast"])
def test_a_table_grows_past_few_entries_and_shrinks_while_readers_look(build: Build, flags: list[str]) -> None:
    run(build("few", "gcc", *flags), 400)


# One entry in 400 or 4,000 has a mask of its own: the table is tidied in between, and then has one mask, or not.
@pytest.mark.parametrize(
    ("size", "key_bytes", "ranges"), [(60, 8, 0), (60, 40, 0), (60, 20, 20), (200, 5, 0), (200, 13, 0), (200, 13, 4)]
)
def test_entries_of_one_mask_agree_with_the_reference(build: Build, size: int, key_bytes: int, ranges: int) -> None:
    fresh = int.from_bytes(os.urandom(4), "little")
    for flags in ([*MEMORY], SAME_HASHES):
        binary = build("random", "gcc", *flags, WRAP)
        told = run(binary, "ternary_cells", key_bytes, key_bytes, 12_000, 1, 0, ranges, 4000, size)
        assert int(told.split()[1]) > 0
        for failing in (0, 5):
            run(binary, "ternary_cells", key_bytes, key_bytes, 6_000, fresh, failing, ranges, 400, size)
    binary = build("random", "gcc", *MEMORY, "-DMACS_NO_ONE_MASK", WRAP)
    run(binary, "ternary_cells", key_bytes, key_bytes, 6_000, fresh, 0, ranges, 400, size)


def test_entries_of_one_mask_differ_in_priority(build: Build) -> None:
    for seed in (1, 2, 3):  # in which one mask is the way for some time
        run(build("alike", "gcc", *FAST), seed)
    run(build("alike", "gcc", *MEMORY), 5)


@pytest.mark.parametrize("kernel", ["ternary_cells", "ternary_tuple"])
def test_an_entry_looks_at_a_byte_that_no_other_one_does(build: Build, kernel: str) -> None:
    binary = build("unread", "gcc", *FAST)
    for seed in (1, int.from_bytes(os.urandom(4), "little")):
        run(binary, kernel, seed)


def test_the_widest_keys(build: Build) -> None:
    run(build("widest", "gcc", *MEMORY))


@pytest.mark.parametrize("flags", [MEMORY, RACES, FAST], ids=["memory", "races", "fast"])
def test_a_table_has_one_mask_or_several_while_readers_look(build: Build, flags: list[str]) -> None:
    run(build("mask", "gcc", *flags), 400)


@pytest.mark.parametrize(("size", "ranges"), [(700, 4), (900, 0), (2_500, 2), (12_000, 0)])
def test_many_cells_agree_with_the_reference(build: Build, size: int, ranges: int) -> None:
    binary = build("random", "clang", "-O2", *TIGHT, *WIDEST, WRAP)
    run(binary, "ternary_cells", 13, 13, 3 * size, int.from_bytes(os.urandom(4), "little"), 0, ranges, 0, size)


@pytest.mark.parametrize(("kernel", "key_bytes", "exact_bytes"), [shape for shape in SHAPES if shape[1] > 3])
def test_without_memory_nothing_changes(build: Build, kernel: str, key_bytes: int, exact_bytes: int) -> None:
    binary = build("random", "gcc", *MEMORY, WRAP)
    for failing in (2, 7):
        run(binary, kernel, key_bytes, exact_bytes, 5_000, failing, failing)


def test_optimised_builds_agree_with_the_reference(build: Build) -> None:
    binary = build("random", "clang", "-O2", *TIGHT, WRAP)
    for kernel, key_bytes, exact_bytes in SHAPES:
        run(binary, kernel, key_bytes, exact_bytes, 20_000, 2, 0)
    run(build("conformance", "clang", "-O2", *TIGHT))


PACKED_SHAPES, INDEXED_SHAPE = range(8), 5  # of packed.c


@pytest.mark.parametrize("shape", PACKED_SHAPES)
def test_packed_entries_agree_with_the_reference(build: Build, shape: int) -> None:
    fresh = int.from_bytes(os.urandom(4), "little")
    run(build("packed", "gcc", *MEMORY), "random", shape, 3_000, fresh)
    run(build("packed", "clang", "-O2", *TIGHT), "random", shape, 3_000, 1)


def test_packed_entries_of_every_key(build: Build) -> None:
    run(build("packed", "gcc", *MEMORY), "all")


@pytest.mark.parametrize("shape", [0, INDEXED_SHAPE])
def test_packed_entries_without_memory(build: Build, shape: int) -> None:
    run(build("packed", "gcc", *MEMORY, WRAP), "failing", shape, 8_000, 1)


@pytest.mark.parametrize("flags", [MEMORY, RACES, FAST], ids=["memory", "races", "fast"])
def test_packed_entries_change_while_readers_look(build: Build, flags: list[str]) -> None:
    binary, seed = build("packed", "gcc", *flags), int.from_bytes(os.urandom(4), "little")
    run(binary, "readers", 400, 0, seed)
    run(binary, "readers", 400, INDEXED_SHAPE, seed)


def test_an_index_in_a_word_is_used_again_after_a_grace_period(build: Build) -> None:
    run(build("packed", "gcc", *MEMORY, "-DMACS_QSBR_TIMEOUT_NS=10000000"), "indices")
    run(build("direct", "gcc", *MEMORY, "-DMACS_QSBR_TIMEOUT_NS=10000000"), "indices")


def test_a_direct_index_agrees_with_an_array(build: Build) -> None:
    run(build("direct", "gcc", *MEMORY), "random", int.from_bytes(os.urandom(4), "little"))
    run(build("direct", "clang", "-O2", *TIGHT), "random", 1)


@pytest.mark.parametrize("flags", [MEMORY, RACES, FAST], ids=["memory", "races", "fast"])
def test_a_direct_index_changes_while_readers_look(build: Build, flags: list[str]) -> None:
    run(build("direct", "gcc", *flags), "readers", 300, int.from_bytes(os.urandom(4), "little"))


def test_a_million_packed_entries(build: Build) -> None:
    run(build("packed", "gcc", *FAST), "load")


@pytest.mark.parametrize(("option", "name"), VECTORS.items())
def test_every_width_of_compare_agrees(build: Build, option: str, name: str) -> None:
    if platform.machine() != "x86_64":
        pytest.skip("the options are those of x86")
    if name not in ("plain C", "SSE4.1") and option[2:] not in Path("/proc/cpuinfo").read_text():
        pytest.skip(f"this processor has no {name}")
    binary = build("packed", "gcc", *FAST, option)
    for shape in PACKED_SHAPES:
        assert name in run(binary, "random", shape, 2_000, 3)
    for kernel, key_bytes in (("exact_hash", 6), ("exact_hash", 17), ("exact_hash", 40), ("ternary_cells", 13)):
        run(build("random", "gcc", *FAST, option, WRAP), kernel, key_bytes, key_bytes, 10_000, 3, 0)


def test_neon_agrees(build: Build) -> None:
    if shutil.which("qemu-aarch64-static") is None:
        pytest.skip("qemu-aarch64-static is not installed")
    binary = build("packed", "aarch64-linux-gnu-gcc", "-O2", "-static")
    done = subprocess.run(
        ["qemu-aarch64-static", str(binary), "random", "1", "2000", "3"], capture_output=True, text=True, check=True
    )
    assert done.stdout == "ok: NEON\n"
    binary = build("random", "aarch64-linux-gnu-gcc", "-O2", "-static", WRAP)
    for arguments in (
        "ternary_cells 13 13 3000 3 0",
        "exact_hash 40 40 3000 3 0",
        "lpm_dir24 4 0 200 3 0",
        "lpm_trie 16 0 3000 3 0",
    ):
        command = ["qemu-aarch64-static", str(binary), *arguments.split()]
        assert subprocess.run(command, capture_output=True, text=True, check=True).stdout.startswith("ok")


@pytest.mark.parametrize("kernel", KERNELS)
@pytest.mark.parametrize("flags", [MEMORY, RACES], ids=["memory", "races"])
def test_readers_while_the_writer_changes(build: Build, kernel: str, flags: list[str]) -> None:
    binary = build("concurrent", "gcc", *flags)
    run(binary, kernel, 500, int.from_bytes(os.urandom(4), "little"))


@pytest.mark.parametrize("kernel", KERNELS)
def test_readers_at_full_speed(build: Build, kernel: str) -> None:
    binary = build("concurrent", "clang", "-O2", *TIGHT)
    run(binary, kernel, 500, int.from_bytes(os.urandom(4), "little"))


@pytest.mark.parametrize("flags", [FAST, [*RACES, "-DMACS_CHANGES_REPEATS=0"]], ids=["fast", "asking"])
@pytest.mark.parametrize("lengths", [(0, 28), (9, 32)])
@pytest.mark.parametrize("kernel", [kernel for kernel in KERNELS if not kernel.startswith("exact")])
def test_a_replaced_prefix_is_never_missed(
    build: Build, kernel: str, lengths: tuple[int, int], flags: list[str]
) -> None:
    run(build("handover", "gcc", *flags), kernel, *lengths, 300)


def test_changes_between_the_steps_of_a_lookup(build: Build) -> None:
    run(build("between", "gcc", *MEMORY))
    run(build("between", "gcc", *FAST))


def test_a_change_waits_for_lookups_that_ask(build: Build) -> None:
    run(build("changes", "gcc", *MEMORY, "-DMACS_QSBR_TIMEOUT_NS=UINT64_C(500000000)"))  # a busy machine is slower


def test_a_table_fills_and_empties_while_bursts_flow(build: Build) -> None:
    run(build("empty", "gcc", *MEMORY, QUICK_TIMEOUT), 300)
    run(build("empty", "gcc", *RACES, QUICK_TIMEOUT), 300)


@pytest.mark.parametrize(
    ("kernel", "key_bytes"), [("exact_hash", 8), ("lpm_dir24", 4), ("lpm_trie", 16), ("ternary_tuple", 16)]
)
def test_a_million_entries(build: Build, kernel: str, key_bytes: int) -> None:
    run(build("load", "gcc", *FAST), kernel, key_bytes)


def test_many_leaves_are_given_back_and_taken_again(build: Build) -> None:
    run(build("leaves", "gcc", *FAST))


@pytest.mark.parametrize("kernel", ["lpm_dir24", "lpm_trie"])
def test_prefixes_beside_and_within_each_other(build: Build, kernel: str) -> None:
    binary = build("nested", "gcc", *MEMORY)
    run(binary, kernel, 1)
    run(binary, kernel, int.from_bytes(os.urandom(4), "little"))


def test_the_timing_program_runs(build: Build) -> None:
    binary = build("bench_tables", "gcc", *FAST)
    done = subprocess.run([str(binary), "linear", "20"], capture_output=True, text=True, check=True, timeout=120)
    assert "linear         13 bytes        20 entries: lookup" in done.stdout
