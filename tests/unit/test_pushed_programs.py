"""Programs that a controller pushes to a switch: what is told of those that are not compiled, and which are kept."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click
import pytest

from macsad import compilation, replacing
from macsad.compilation import Request
from macsad.p4runtime.codes import Code, Refused
from macsad.p4runtime.replacement import Replacement
from macsad.replacing import Compiler, NotCompiled, Pushed
from macsad.thrift.refusals import Refused as RefusedByThrift
from transpiler.diagnostics import Diagnostics, Rejected, Span
from transpiler.toolchain.toolchain import Form, Toolchain, ToolchainError

TOOLS = Toolchain(("cc",), "linux", "native", "-O2", (), (), (), ())


def rejected() -> Rejected:
    diagnostics = Diagnostics()
    for column in (1, 2):
        diagnostics.error(Span("pushed_1.p4", 3, column), "no such table")
    return Rejected(diagnostics)


@pytest.mark.parametrize("step", ["load", "build"])
@pytest.mark.parametrize(
    ("error", "told"),
    [
        (rejected(), "2 errors"),
        (ToolchainError("no such compiler"), "no such compiler"),
        (click.BadParameter("it is of another program", param_hint="--profile"),
         "Invalid value for --profile: it is of another program"),
        (click.ClickException("ended"), "ended"),
        (OSError(28, "No space left on device", "x.c"), "[Errno 28] No space left on device: 'x.c'"),
    ],
)  # fmt: skip
def test_why_a_program_is_not_compiled(
    step: str, error: Exception, told: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    def fails(*_: Any) -> None:
        raise error

    monkeypatch.setattr(compilation, "load", lambda request: None)
    monkeypatch.setattr(compilation, step, fails)
    assert replacing._compiled(Request(Path("p.p4")), tmp_path, TOOLS, False) == told


@pytest.fixture
def calls(monkeypatch: pytest.MonkeyPatch) -> list[tuple[Any, ...]]:
    """What was to be compiled. Each call makes a library."""
    made: list[tuple[Any, ...]] = []

    def compiled(_: object, *arguments: Any) -> Pushed:
        made.append(arguments)
        return Pushed(Path(f"/{len(made)}.so"), {}, "{}" if arguments[-1] else None)

    monkeypatch.setattr(replacing, "in_own_process", compiled)
    return made


def test_each_push_has_a_folder_of_its_own(calls: list[tuple[Any, ...]], tmp_path: Path) -> None:
    """With the options of the first program, but for what is that program's own."""
    first = Request(Path("first.p4"), "p4-14", defines=("X",), kernels=(("t", "k"),), read={"a.p4"})  # type: ignore[arg-type]
    compiler = Compiler(first, TOOLS, tmp_path, None)
    for text in (b"control C();", b" \n{}"):
        compiler.compile(text)
    for (request, folder, tools, json), name, text in zip(
        calls, ("pushed_1.p4", "pushed_2.json"), (b"control C();", b" \n{}"), strict=True
    ):
        where = tmp_path / Path(name).stem
        assert (request.path, folder) == (where / name, where / "built")
        assert request.path.read_bytes() == text
        assert (request.std, request.kernels, request.read, request.defines) == (None, (), set(), ("X",))
        assert tools.form is Form.LIBRARY and not json


def test_those_whose_packets_are_told_are_read_again(
    calls: list[tuple[Any, ...]], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of one that nobody has asked for, the program that was read goes when another comes."""
    monkeypatch.setattr(compilation, "load_again", lambda request: f"{request.path.name} {len(calls)}")
    compiled: replacing.Programs = {}
    compiler = Compiler(Request(Path("first.p4")), TOOLS, tmp_path, compiled)
    compiler.compile(b"a")
    compiler.compile(b"b")
    compiler.compile(b"c")
    assert [compiled[f"pushed_{number}.p4"]() for number in (1, 2, 3)] == [
        "pushed_1.p4 3",
        "pushed_2.p4 3",
        "pushed_3.p4 3",
    ]


def test_a_push_that_fails_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def told(answer: Any) -> None:
        def compiled(*_: Any) -> Any:
            if isinstance(answer, Exception):
                raise answer
            return answer

        monkeypatch.setattr(replacing, "in_own_process", compiled)

    compiled: replacing.Programs = {}
    build = replacing.builder(Request(Path("p.p4")), TOOLS, tmp_path, compiled)
    swap = replacing.swapper(Request(Path("p.p4")), TOOLS, tmp_path / "swapped", compiled)
    crashed = "it is not compiled: the compiler has failed, and standard error says how"
    for answer, why in (
        ("2 errors", "it is not compiled: 2 errors"), ("x" * 3000, "it is not compiled: " + "x" * 2000),
        (click.exceptions.Exit(1), crashed), (click.ClickException("killed"), crashed),
    ):  # fmt: skip
        told(answer)
        with pytest.raises(Refused) as refused:
            build(b"control C();")
        assert refused.value.code is Code.INVALID_ARGUMENT
        assert refused.value.message == f"the device config{why.removeprefix('it')}"
        with pytest.raises(RefusedByThrift) as by_thrift:
            swap("control C();")
        assert str(by_thrift.value) == why
    assert compiled == {}
    file = tmp_path / "file"
    file.touch()
    with pytest.raises(NotCompiled, match="Not a directory"):
        Compiler(Request(Path("p.p4")), TOOLS, file, None).compile(b"")


def test_bmv2s_json_is_made_where_it_is_asked_for(calls: list[tuple[Any, ...]], tmp_path: Path) -> None:
    swap = replacing.swapper(Request(Path("p.p4")), TOOLS, tmp_path, None)
    assert swap("caf\udce9") == (Path("/1.so"), "{}")
    assert calls[0][0].path.read_bytes() == b"caf\xe9", "as it came"
    build = replacing.builder(Request(Path("p.p4")), TOOLS, tmp_path / "other", None)
    assert build(b"control C();") == Replacement(Path("/2.so"), {})
