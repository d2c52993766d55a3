"""Table kernels and quiescent-state reclamation: the C programs of tests/c/tables, built with gcc and clang, sanitized."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
SOURCES = ROOT / "aux-backend" / "tables"
PROGRAMS = Path(__file__).parent / "tables"
WARNINGS = ["-Wall", "-Wextra", "-Werror", "-Wshadow"]
MEMORY = ["-O1", "-g", "-fsanitize=address,undefined", "-fno-sanitize-recover=all"]
RACES = ["-O1", "-g", "-fsanitize=thread"]
FAST = ["-O2"]
QUICK_TIMEOUT = "-DMACS_QSBR_TIMEOUT_NS=UINT64_C(20000000)"
WRAP = "-Wl,--wrap=malloc,--wrap=calloc,--wrap=aligned_alloc"

# kernel, key bytes, exact bytes in front of the prefix (all of them: no prefix)
SHAPES = [
    ("exact_hash", 1, 1), ("exact_hash", 6, 6), ("exact_hash", 17, 17),
    ("lpm_dir24", 1, 0), ("lpm_dir24", 2, 0), ("lpm_dir24", 3, 0), ("lpm_dir24", 4, 0),
    ("lpm_trie", 1, 0), ("lpm_trie", 4, 0), ("lpm_trie", 16, 0), ("lpm_trie", 6, 2), ("lpm_trie", 36, 1),
    ("lpm_trie", 40, 40),
    ("ternary_tuple", 2, 2), ("ternary_tuple", 13, 13), ("ternary_tuple", 6, 3), ("ternary_tuple", 4, 0),
]  # fmt: skip
KERNELS = ["exact_hash", "lpm_dir24", "lpm_trie", "ternary_tuple", "linear"]

Build = Callable[..., Path]


@pytest.fixture(scope="module")
def build(tmp_path_factory: pytest.TempPathFactory) -> Build:
    """Build a program once for a compiler and its flags: build("random", "gcc", *flags)."""
    made: dict[tuple[str, ...], Path] = {}

    def make(program: str, compiler: str, *flags: str) -> Path:
        if shutil.which(compiler) is None:
            pytest.skip(f"{compiler} is not installed")
        key = (program, compiler, *flags)
        if key not in made:
            binary = tmp_path_factory.mktemp("tables") / program
            sources = [str(PROGRAMS / f"{program}.c"), *map(str, sorted(SOURCES.glob("*.c")))]
            include = f"-I{ROOT / 'aux-backend' / 'include'}"
            command = [compiler, "-std=c11", *WARNINGS, *flags, include, *sources, "-pthread", "-o", str(binary)]
            built = subprocess.run(command, capture_output=True, text=True, check=False)
            assert built.returncode == 0, built.stderr
            made[key] = binary
        return made[key]

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


@pytest.mark.parametrize("compiler", ["gcc", "clang"])
def test_every_kernel_keeps_the_contract(build: Build, compiler: str) -> None:
    run(build("conformance", compiler, *MEMORY))


@pytest.mark.parametrize("compiler", ["gcc", "clang"])
def test_nothing_is_released_early(build: Build, compiler: str) -> None:
    run(build("qsbr", compiler, *MEMORY, QUICK_TIMEOUT))


@pytest.mark.parametrize(("kernel", "key_bytes", "exact_bytes"), SHAPES)
def test_random_changes_agree_with_the_reference(build: Build, kernel: str, key_bytes: int, exact_bytes: int) -> None:
    binary = build("random", "gcc", *MEMORY, WRAP)
    fresh = int.from_bytes(os.urandom(4), "little")
    operations = 3_000 if kernel == "lpm_dir24" and key_bytes > 2 else 30_000  # a short prefix there is slow to fill
    run(binary, kernel, key_bytes, exact_bytes, operations, 1, 0)
    run(binary, kernel, key_bytes, exact_bytes, operations // 3, fresh, 0)


@pytest.mark.parametrize(("kernel", "key_bytes", "exact_bytes"), [shape for shape in SHAPES if shape[1] > 3])
def test_without_memory_nothing_changes(build: Build, kernel: str, key_bytes: int, exact_bytes: int) -> None:
    binary = build("random", "gcc", *MEMORY, WRAP)
    for failing in (2, 7):
        run(binary, kernel, key_bytes, exact_bytes, 5_000, failing, failing)


def test_optimised_builds_agree_with_the_reference(build: Build) -> None:
    binary = build("random", "clang", *FAST, WRAP)
    for kernel, key_bytes, exact_bytes in SHAPES:
        run(binary, kernel, key_bytes, exact_bytes, 20_000, 2, 0)


@pytest.mark.parametrize("kernel", KERNELS)
@pytest.mark.parametrize("flags", [MEMORY, RACES], ids=["memory", "races"])
def test_readers_while_the_writer_changes(build: Build, kernel: str, flags: list[str]) -> None:
    binary = build("concurrent", "gcc", *flags, "-DMACS_EXACT_HASH_LOAD_PERCENT=115")  # too full: moves and rebuilds
    run(binary, kernel, 500, int.from_bytes(os.urandom(4), "little"))


@pytest.mark.parametrize("kernel", KERNELS)
def test_readers_at_full_speed(build: Build, kernel: str) -> None:
    binary = build("concurrent", "clang", *FAST, "-DMACS_EXACT_HASH_LOAD_PERCENT=115")
    run(binary, kernel, 500, int.from_bytes(os.urandom(4), "little"))


@pytest.mark.parametrize("lengths", [(0, 28), (9, 32)])
@pytest.mark.parametrize("kernel", [kernel for kernel in KERNELS if kernel != "exact_hash"])
def test_a_replaced_prefix_is_never_missed(build: Build, kernel: str, lengths: tuple[int, int]) -> None:
    run(build("handover", "gcc", *FAST), kernel, *lengths, 300)


@pytest.mark.parametrize(
    ("kernel", "key_bytes"), [("exact_hash", 8), ("lpm_dir24", 4), ("lpm_trie", 16), ("ternary_tuple", 16)]
)
def test_a_million_entries(build: Build, kernel: str, key_bytes: int) -> None:
    run(build("load", "gcc", *FAST, "-DMACS_EXACT_HASH_LOAD_PERCENT=95"), kernel, key_bytes)


def test_the_timing_program_runs(build: Build) -> None:
    binary = build("bench_tables", "gcc", "-O2", "-DLOOKUPS=65536")
    done = subprocess.run([str(binary), "linear", "20"], capture_output=True, text=True, check=True, timeout=120)
    assert "linear         13 bytes        20 entries: lookup" in done.stdout
