"""`macsad test-kernel`: what is compiled and how, what is run, what is told. Nothing is compiled."""

from __future__ import annotations

import subprocess
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from macsad import kernel_tests
from macsad.kernel_subjects import Shape
from macsad.kernel_tests import HASHES, MEMORY, RACES, STRICT, WRAPPED, Check
from transpiler.hlir.program import MatchKind
from transpiler.targets.target import BadKernel, Kernel, Target
from transpiler.toolchain.toolchain import Toolchain, ToolchainError

KERNEL = Kernel("k", frozenset())
TOOLS = Toolchain(("cc",), "linux", "x86_64", "-O1", ("-g1",), ("-pthread",), (), ())


class World:
    """Compiles and runs nothing. `exits`: exit codes of programs, by the beginnings of their names; others end well."""

    def __init__(self) -> None:
        self.exits: dict[str, tuple[int, str]] = {}
        self.compiled: list[list[str]] = []
        self.ran: list[list[str]] = []
        self.broken: set[str] = set()
        self.asked: list[dict[str, Any]] = []

    def find(self, **asked: Any) -> Toolchain:
        self.asked.append(asked)
        flags = tuple(f"-fsanitize={name}" for name in asked.get("sanitize", ()))
        return kernel_tests.replace(
            TOOLS, compile_flags=(*TOOLS.compile_flags, *flags), link_flags=("-pthread", *flags)
        )

    def compile(self, words: list[str]) -> None:
        self.compiled.append(words)
        if any(f"-fsanitize={name}" in words for name in self.broken):
            raise ToolchainError("no such sanitizer")

    def run(self, words: list[str], **_: Any) -> Any:
        self.ran.append(words)
        name = Path(words[0]).name
        code, said = next((of for start, of in self.exits.items() if name.startswith(start)), (0, ""))
        return subprocess.CompletedProcess(words, code, "", said)


@pytest.fixture
def world(monkeypatch: pytest.MonkeyPatch) -> World:
    made = World()
    monkeypatch.setattr(kernel_tests, "find", made.find)
    monkeypatch.setattr(kernel_tests, "run", made.compile)
    monkeypatch.setattr(
        kernel_tests,
        "archive",
        lambda backend, tools, progress, folders: Path(f"lib-{'-'.join(tools.compile_flags)}.a"),
    )
    monkeypatch.setattr(
        kernel_tests, "command", lambda backend, tools, folders: [*tools.compiler, *tools.compile_flags]
    )
    monkeypatch.setattr(kernel_tests, "target_sources", lambda folders: [Path("own.c")])
    monkeypatch.setattr(kernel_tests, "subjects", lambda kernels: f"/* {len(kernels)} */")
    monkeypatch.setattr(kernel_tests, "shapes", lambda kernel: (Shape(4, 0, 0), Shape(9, 2, 3)))
    monkeypatch.setattr(kernel_tests.subprocess, "run", made.run)
    monkeypatch.setattr(
        kernel_tests.kernel_contract, "check", lambda kernel, target, tools: made.ran.append(["check", kernel.name])
    )
    return made


TARGET: Any = SimpleNamespace(c_folders=("own",))


def told_of(*kernels: Kernel, compiler: str | None = None) -> tuple[bool, list[str]]:
    told: list[str] = []
    target: Target = TARGET
    passed = kernel_tests.test(kernels or (KERNEL,), target, compiler, 7, told.append, lambda *_: None)
    return passed, told


WHATS = [
    "its operations keep the contract of macs/table.h", "random changes and lookups agree with the kernel linear",
    "without memory nothing changes", "keys of the same hash are told apart", "readers beside a writer find what is there",
]  # fmt: skip


def test_a_kernel_that_passes(world: World) -> None:
    """Each program is compiled once for each of its builds."""
    assert told_of() == (True, [f"k: {what}" for what in WHATS])
    programs = [words for words in world.compiled if any("kernel_tests" in word for word in words)]
    names = [next(Path(word).name for word in words if word.endswith(".c")) for words in programs]
    assert names == ["conformance.c", "random.c", "random.c", "concurrent.c"]
    memory, thread = ("-fsanitize=address", "-fsanitize=undefined"), ("-fsanitize=thread",)
    for words, sanitize, more in zip(
        programs, (memory, memory, memory, thread), ((), (), HASHES.flags, ()), strict=True
    ):
        flags = ("-g1", *sanitize, *more)
        assert words[: 1 + len(flags)] == ["cc", *flags] and set(STRICT) <= set(words)
        assert {"own.c", f"lib-{'-'.join(flags)}.a", "-pthread", *sanitize} <= set(words)
        assert (WRAPPED in words) is any(word.endswith("random.c") for word in words)
        assert any(word.startswith("-I") and word.endswith("/kernel_tests") for word in words)
        assert any(word.endswith("/subjects.c") for word in words)
    ran = [[Path(words[0]).name.partition("-")[0], *words[1:]] for words in world.ran if Path(words[0]).name != "empty"]
    changes = [["random", "k", "4", "0", "10000", "7", "0", "0"], ["random", "k", "9", "2", "10000", "7", "0", "3"]]
    without = [["random", "k", "9", "2", "3000", "7", each, "3"] for each in ("2", "7")]
    assert ran == [["conformance", "k"], *changes, *without, *changes, ["concurrent", "k", "500", "7"]]
    assert all(asked in ({"compiler": None}, {"compiler": None, "optimise": "-O1", "sanitize": asked.get("sanitize")})
               for asked in world.asked)  # fmt: skip


def test_kernels_of_one_prefix_are_changed_less_often(world: World) -> None:
    """Where keys are longer than two bytes, or memory fails."""
    runs = {check.what: check.runs for check in kernel_tests.checks(kernel_tests.replace(KERNEL, alone=True), 7)}
    assert [one[3] for one in runs[WHATS[1]]] == ["500", "500"] and [one[3] for one in runs[WHATS[2]]] == ["500", "500"]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(kernel_tests, "shapes", lambda kernel: (Shape(2, 0, 0), Shape(3, 0, 0)))
        runs = {check.what: check.runs for check in kernel_tests.checks(kernel_tests.replace(KERNEL, alone=True), 7)}
        assert [one[3] for one in runs[WHATS[3]]] == ["10000", "500"]


def test_one_that_fails_is_told_with_what_was_run(world: World) -> None:
    """At its first run; the other checks go on."""
    world.exits["random"] = (1, " line 5: wrong\n")
    passed, told = told_of()
    assert not passed and told[0] == f"k: {WHATS[0]}" and told[-1] == f"k: {WHATS[4]}"
    assert told[1:3] == [f"k: FAILED: {WHATS[1]}", "    random k 4 0 10000 7 0 0: exit 1\nline 5: wrong"]
    assert [line for line in told if line.startswith("k: FAILED")] == [f"k: FAILED: {what}" for what in WHATS[1:4]]
    ran = [words for words in world.ran if Path(words[0]).name.startswith("random")]
    assert len(ran) == 3


def test_all_kernels_are_told_of(world: World) -> None:
    world.exits["concurrent"] = (2, "")
    other = Kernel("own", frozenset(), own_header="own.h")
    passed, told = told_of(KERNEL, other)
    assert not passed and len(told) == 12 and told.count(f"own: FAILED: {WHATS[4]}") == 1
    assert world.ran[0] == ["check", "own"] and ["check", "k"] not in world.ran
    del world.exits["concurrent"]
    assert told_of(other, KERNEL)[0]


@pytest.mark.parametrize(
    ("operation", "told"),
    [("insert", "have no 'insert'"), ("name", "have no 'name', or it is not \"k\"")],
)
def test_an_operation_that_is_missing(world: World, monkeypatch: pytest.MonkeyPatch, operation: str, told: str) -> None:
    monkeypatch.setattr(kernel_tests.kernel_contract, "operations_of", lambda kernel, target: "own.c:3")
    world.exits["conformance"] = (3, f"there is no {operation}\n")
    with pytest.raises(BadKernel) as bad:
        told_of()
    assert str(bad.value).endswith(f"the operations of the kernel 'k' {told}")
    world.exits = {"random": (3, "there is no insert")}
    assert "    random k 4 0 10000 7 0 0: exit 3\nthere is no insert" in told_of()[1]


def test_sanitizers_that_there_are_none_of_are_left_out(world: World) -> None:
    """Those that cannot be built with, and those whose programs do not run."""
    world.broken = {"thread"}
    passed, told = told_of()
    assert passed and told[0] == "left out: gcc has no thread sanitizer here" and len(told) == 6
    assert not any(
        "-fsanitize=thread" in words for words in world.compiled if any("concurrent.c" in word for word in words)
    )
    world.broken, world.exits = {"undefined"}, {"empty": (1, "")}
    passed, told = told_of(compiler="clang")
    assert told[:3] == [f"left out: clang has no {name} sanitizer here" for name in ("address", "undefined", "thread")]


def test_c_that_does_not_compile_is_explained(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    explained: list[Any] = []
    monkeypatch.setattr(kernel_tests.kernel_contract, "explain", lambda *given: explained.append(given))

    def fails(self: Any, program: str, build: Any) -> None:
        raise ToolchainError("error: own.c")

    monkeypatch.setattr(kernel_tests._Bench, "binary", fails)
    with pytest.raises(ToolchainError, match=r"error: own\.c") as error:
        told_of()
    ((target, tools, failed),) = explained
    assert (target, failed) == (TARGET, error.value) and tools.compile_flags == ("-g1",)


@pytest.mark.parametrize("mapped", [True, False])
def test_a_program_whose_memory_cannot_be_placed_is_run_again(monkeypatch: pytest.MonkeyPatch, mapped: bool) -> None:
    ran: list[list[str]] = []

    def run(words: list[str], **more: Any) -> Any:
        assert more == {"capture_output": True, "text": True, "errors": "replace", "check": False, "timeout": 300}
        ran.append(words)
        said = "FATAL: unexpected memory mapping" if not mapped and len(ran) == 1 else "said"
        return subprocess.CompletedProcess(words, len(ran), "", said)

    monkeypatch.setattr(kernel_tests.subprocess, "run", run)
    done = kernel_tests._run(["p", "1"])
    assert ran == ([["p", "1"]] if mapped else [["p", "1"], ["setarch", "-R", "p", "1"]]) and done.returncode == len(
        ran
    )


def test_a_program_that_does_not_end_or_begin(monkeypatch: pytest.MonkeyPatch) -> None:
    def late(words: list[str], **more: Any) -> Any:
        raise subprocess.TimeoutExpired(words, 300)

    def none(words: list[str], **more: Any) -> Any:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(kernel_tests.subprocess, "run", late)
    done = kernel_tests._run(["p"])
    assert (done.returncode, done.stderr) == (124, "it has not ended after 300 s")
    monkeypatch.setattr(kernel_tests.subprocess, "run", none)
    with pytest.raises(ToolchainError, match="cannot run p: Permission denied"):
        kernel_tests._run(["p"])


def test_what_each_check_is_built_with() -> None:
    made = kernel_tests.checks(Kernel("exact_hash", frozenset({MatchKind.EXACT})), 1)
    assert [(check.build, check.program) for check in made] == [
        (MEMORY, "conformance"), (MEMORY, "random"), (MEMORY, "random"), (HASHES, "random"), (RACES, "concurrent"),
    ]  # fmt: skip
    assert all(isinstance(check, Check) for check in made)
