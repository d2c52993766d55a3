"""Programs as they are asked for: what options make of a request, which files it reads, and that none of these is written
over."""

from __future__ import annotations

import gc
import json
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import click
import pytest

from macsad import cli, compilation
from macsad.compilation import Request
from macsad.targets import Machine
from transpiler.analysis.packet_profile import NOTHING, packet_profile
from transpiler.diagnostics import Diagnostics, NotRun, Rejected, Span
from transpiler.optimisations import ALL, NONE
from transpiler.switches import configuration
from transpiler.targets.find import builtin

L2FWD = Path(__file__).parents[2] / "apps" / "l2fwd" / "l2fwd.p4"
PROFILE = {"version": 1, "packets": 5, "tables": {}, "branches": {}}


def of(**more: Any) -> Request:
    plain = {"program": Path("p.p4"), "std": None, "include_dirs": (), "defines": (), "warnings": ()}
    return Request.of(plain | more)


def test_options_make_a_request(tmp_path: Path) -> None:
    assert of() == Request(Path("p.p4"))
    made = of(std="p4-14", include_dirs=(Path("i"),), defines=("X=1",), warnings=("no-all",), kernels=("t=k",), cut="1",
              fresh=True, queues=True, const_tables=Path("e"), no_pass=("dead-code",), no_bulk=True)  # fmt: skip
    assert made == Request(
        Path("p.p4"), "p4-14", (Path("i"),), ("X=1",), ("no-all",), ("t=k",), ALL.without(["bulk", "dead-code"]), "1", builtin(),
        False, True, Path("e"), NOTHING,
    )  # fmt: skip
    assert of(no_optimise=True).wanted == NONE and of(fresh=False).kept and not of(queues=None).queues
    file = tmp_path / "profile.json"
    for packets, known in ((PROFILE, True), (PROFILE | {"packets": 0}, True)):
        file.write_text(json.dumps(packets))
        assert (of(packet_profile=file).profile is not NOTHING) is known
    assert compilation.packets_seen(None) is NOTHING


@pytest.mark.parametrize(
    ("text", "why"),
    [
        (None, "No such file"),
        ("no JSON", "Expecting value"),
        (json.dumps({"version": 7}), "no profile of packets of version 1"),
    ],
)
def test_what_is_no_profile_of_packets(text: str | None, why: str, tmp_path: Path) -> None:
    file = tmp_path / "profile.json"
    if text is not None:
        file.write_text(text)
    with pytest.raises(click.BadParameter, match=why) as told:
        compilation.packets_seen(file)
    assert told.value.param_hint == "--profile" and str(file) in told.value.message


def test_files_that_are_read(tmp_path: Path) -> None:
    """The program, what it includes, its constant tables, the target's templates and C; no folders."""
    program, included, tables = (tmp_path / name for name in ("p.p4", "i.h", "e.txt"))
    included.write_text("// nothing\n")
    tables.write_text("")
    program.write_text(L2FWD.read_text().replace("#include <v1model.p4>", '#include <v1model.p4>\n#include "i.h"'))
    request = Request(program, const_tables=tables, warnings=("no-all",))
    assert program in request.inputs and tables in request.inputs and included not in request.inputs
    compilation.load(request)
    assert included in request.inputs and all(path.is_file() for path in request.inputs)
    assert Request(program).inputs == (program,) or tables not in Request(program).inputs
    own = {path for folder in request.target.c_folders for path in folder.rglob("*") if path.is_file()}
    assert own <= set(request.inputs)
    (tmp_path / "templates").mkdir()
    (tmp_path / "templates" / "t.j2").write_text("")
    another = replace(request.target, folders=(("own", tmp_path), *request.target.folders))
    assert tmp_path / "templates" / "t.j2" in replace(request, target=another).inputs


@pytest.mark.parametrize("name", ["p", "p.c"])
def test_a_binary_and_its_c_are_not_written_over_the_program(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    program = tmp_path / name
    program.write_text(L2FWD.read_text())
    request = Request(program, "p4-16", warnings=("no-all",))
    assert compilation.made_in(tmp_path, request) == (tmp_path / "p.c", tmp_path / "p")
    anything: Any = None
    with pytest.raises(click.UsageError, match=f"'{program}' would be written over '{program}', which is read"):
        compilation.build(request, compilation.load(request), tmp_path, anything)
    assert program.read_text() == L2FWD.read_text() and [path.name for path in tmp_path.iterdir()] == [name]


def test_descriptions_are_not_written_over_the_program_either(tmp_path: Path) -> None:
    """Their folders are made."""
    program = tmp_path / "p.txtpb"
    program.write_text(L2FWD.read_text())
    request = Request(program, "p4-16", warnings=("no-all",))
    hlir = compilation.load(request)
    for write in (compilation.write_p4info, compilation.write_bmv2_json):
        with pytest.raises(click.UsageError, match="which is read"):
            write(request, hlir, program)
        assert program.read_text() == L2FWD.read_text()
    compilation.write_p4info(request, hlir, tmp_path / "a" / "b" / "p.txtpb")
    assert 'name: "L2Ingress.dmac"' in (tmp_path / "a" / "b" / "p.txtpb").read_text()
    compilation.write_p4info(request, hlir, tmp_path / "forced.json", "text")
    assert (tmp_path / "forced.json").read_text() == (tmp_path / "a" / "b" / "p.txtpb").read_text()
    compilation.write_bmv2_json(request, hlir, tmp_path / "c" / "p.json")
    text = (tmp_path / "c" / "p.json").read_text()
    assert text == json.dumps(json.loads(text), indent=1) + "\n" and text == compilation.bmv2_json(request, hlir)
    own = Request(tmp_path / "c" / "p.json")
    assert compilation.bmv2_json(own, hlir) == text
    (tmp_path / "c" / "p.json").write_text(f" \n{text}")
    assert compilation.bmv2_json(own, hlir) == f" \n{text}", "as it is"


def test_a_program_that_bmv2_has_no_form_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def none(program: Any, diagnostics: Diagnostics) -> None:
        diagnostics.error(Span("p.p4", 1, 1), "there is no form for it")
        raise Rejected(diagnostics)

    monkeypatch.setattr("aux_frontend.bmv2_json.write.document.document", none)
    anything: Any = None
    assert compilation.bmv2_json(Request(L2FWD), anything) is None
    with pytest.raises(Rejected):
        compilation.write_bmv2_json(Request(L2FWD), compilation.load(Request(L2FWD)), tmp_path / "p.json")
    assert not (tmp_path / "p.json").exists()


class Frontend:
    """One that finds that a program cannot be run, or nests too deeply for it."""

    def __init__(self, deep: bool) -> None:
        self.deep = deep

    def load(self, source: Any, diagnostics: Diagnostics) -> None:
        diagnostics.warning(Span("p.p4", 2, 3), "unused", "told before")
        assert not gc.isenabled(), "trees have no circles"
        if self.deep:
            raise RecursionError
        raise NotRun(diagnostics, Span("p.p4", 7, 1), "this architecture is checked only")


@pytest.mark.parametrize("collects", [True, False])
@pytest.mark.parametrize("deep", [True, False])
def test_what_cannot_be_run_is_an_error_where_it_is_to_run(
    deep: bool, collects: bool, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(compilation, "_frontend", lambda request, diagnostics: Frontend(deep))
    (gc.enable if collects else gc.disable)()
    try:
        for act in (compilation.load, lambda request: compilation.check(request, runs=True)):
            with pytest.raises(Rejected):
                act(Request(Path("p.p4")))
            assert gc.isenabled() is collects
            error = (
                "p.p4:1:1: error: the program nests too deeply"
                if deep
                else "p.p4:7:1: error: this architecture is checked only"
            )
            told = capsys.readouterr().err
            assert error in told and "p.p4:2:3: warning: told before" in told
        if not deep:
            assert compilation.check(Request(Path("p.p4"))) == ()
            assert "p.p4:7:1: warning: this architecture is checked only" in capsys.readouterr().err
    finally:
        gc.enable()


def test_programs_are_optimised_as_far_as_the_compiler_can() -> None:
    assert compilation.toolchain(ALL).optimise == "-O3" and compilation.toolchain(ALL, optimise="-O1").optimise == "-O1"


def test_what_is_decided_is_told_where_it_is_asked_for() -> None:
    request = Request(L2FWD, warnings=("no-all",))
    assert compilation.check(request) == () and any("dmac" in line for line in compilation.check(request, decided=True))


@pytest.mark.parametrize(
    ("kernels", "made"),
    [
        ((), {}), (("dmac=exact_hash",), {"L2Ingress.dmac": "exact_hash"}),
        (("dmac=exact_hash", "L2Ingress.smac=linear"), {"L2Ingress.dmac": "exact_hash", "L2Ingress.smac": "linear"}),
        (("dmac",), "'dmac' is not TABLE=NAME"), (("dmac=",), "'dmac=' is not TABLE=NAME"),
        (("none=x",), "there is no table 'none'; there are: "),
    ],
)  # fmt: skip
def test_kernels_are_of_tables_by_their_names(kernels: tuple[str, ...], made: Any) -> None:
    request = Request(L2FWD, kernels=kernels, warnings=("no-all",))
    program = compilation.load(request)
    if isinstance(made, dict):
        assert compilation._kernels(request, program) == made
    else:
        with pytest.raises(click.BadParameter, match=made) as told:
            compilation._kernels(request, program)
        assert told.value.param_hint == "--kernel"


def test_kernels_are_of_value_sets_too() -> None:
    program: Any = SimpleNamespace(tables=[SimpleNamespace(name="I.t")], value_sets=[SimpleNamespace(name="P.kinds")])
    request = Request(L2FWD, kernels=("kinds=linear", "I.t=x=y"))
    with pytest.raises(click.BadParameter, match=r"there is no table 'I\.t=x'"):
        compilation._kernels(request, program)
    assert compilation._kernels(replace(request, kernels=("kinds=linear",)), program) == {"P.kinds": "linear"}


def test_how_a_program_is_compiled(monkeypatch: pytest.MonkeyPatch) -> None:
    """As it was asked for: cut, with queues, for what its packets do, and with those kernels."""
    profile = packet_profile(PROFILE)
    request = Request(
        L2FWD, kernels=("dmac=exact_hash",), cut="smac", queues=True, profile=profile, warnings=("no-all",)
    )
    made = compilation.configuration_of(request)
    assert made == replace(configuration(request.wanted, True, profile), cut="smac")
    assert compilation.configuration_of(Request(L2FWD)) == configuration(ALL, False, NOTHING)
    program, asked = compilation.load(request), list[Any]()
    for name in ("decide", "generate"):
        monkeypatch.setattr(f"transpiler.codegen.generate.{name}", lambda *given: asked.append(given))
    compilation.decide(request, program)
    compilation.generate_c(request, program)
    assert [(given[1], given[-2], given[-1]) for given in asked] == [
        (request.target, made, {"L2Ingress.dmac": "exact_hash"})
    ] * 2
    assert all(given[0] == compilation.optimised(program, made) for given in asked) and asked[1][2].name == "templates"


def test_why_a_program_is_not_cut(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    """The first error that comes of it; nothing is printed."""
    asked: list[Any] = []

    def refuse(program: Any, target: Any, diagnostics: Diagnostics, made: Any, kernels: Any) -> None:
        asked.append((made.cut, kernels))
        diagnostics.warning(Span("p.p4", 1, 1), "unused", "a warning")
        if len(asked) == 1:
            diagnostics.error(Span("p.p4", 2, 1), "the first")
            diagnostics.error(Span("p.p4", 3, 1), "the second")
            raise Rejected(diagnostics)

    request = Request(L2FWD, kernels=("dmac=linear",), warnings=("no-all",))
    program = compilation.load(request)
    monkeypatch.setattr("transpiler.codegen.generate.decide", refuse)
    assert [compilation.why_not_cut(request, program) for _ in range(2)] == ["the first", ""]
    assert asked == [("1", {"L2Ingress.dmac": "linear"})] * 2 and capsys.readouterr() == ("", "")


def test_a_program_that_is_read_again_has_no_warnings(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    program = tmp_path / "p.p4"
    program.write_text(L2FWD.read_text().replace("apply {", "bit<8> nobody = 1; apply {", 1))
    compilation.load(Request(program))
    assert "warning: " in capsys.readouterr().err
    compilation.load_again(Request(program))
    assert capsys.readouterr() == ("", "")


@pytest.mark.parametrize(
    ("wanted", "platform", "described"),
    [
        (ALL, "linux", True),
        (NONE, "linux", False),
        (NONE, "dpdk", True),
        (ALL.without(["self-described-buffers"]), "linux", False),
    ],
)
def test_nothing_is_left_out_that_a_platform_always_does(
    wanted: Any, platform: str, described: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[Any] = []
    monkeypatch.setattr(
        "transpiler.toolchain.toolchain.find",
        lambda *given, **more: asked.append((given, more["self_described"], more["own_processor"])),
    )
    compilation.toolchain(wanted, Machine(platform, "aarch64"), optimise="-O1", sanitize=("thread",))
    assert asked == [((platform, "aarch64"), described, wanted.native)]


def test_c_is_kept_unless_that_is_not_wanted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    did: list[str] = []
    for module, name in (("programs", "compile_kept"), ("backend", "compile_program")):
        monkeypatch.setattr(f"transpiler.toolchain.{module}.{name}", lambda *given, name=name: did.append(name))
    for words, name in ((["--no-cache"], "compile_program"), ([], "compile_kept")):
        assert cli.call(["build", str(L2FWD), "-o", str(tmp_path / "made"), *words]) == 0
        assert did[-1] == name and (tmp_path / "made" / "l2fwd.c").read_text().startswith("/")
