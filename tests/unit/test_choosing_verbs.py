"""`macsad tune` and `macsad place`: of which traffic and machine they choose, and where they write it; nothing is measured."""

from __future__ import annotations

import json
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from macsad import cli
from macsad.bench.contestants import BenchError
from macsad.bench.samples import SampleError
from macsad.explain import measuring
from macsad.place import placement_run, placing
from macsad.subject import subject, subject_options
from macsad.tune import tuning
from macsad.tune.tuned import Settings
from macsad.verbs import explain as explain_verb, place as place_verb, tune as tune_verb
from transpiler.toolchain.architectures import host_arch

SOURCE = Path(__file__).parents[2] / "apps" / "l2fwd" / "l2fwd.p4"


@pytest.fixture
def program(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    made = tmp_path / "p.p4"
    made.write_text(SOURCE.read_text())
    for name in ("e.txt", "x.pcap", "m.json"):
        (tmp_path / name).write_text("")
    monkeypatch.setattr(subject_options, "this_machine", lambda: "here")
    monkeypatch.setattr(tune_verb, "this_machine", lambda: "here")
    monkeypatch.setattr(
        subject_options.Given, "elsewhere", lambda given: None if given.machine_file is None else "there"
    )
    monkeypatch.setattr(subject, "generated", lambda request, hlir, entries, tables, folder: (entries, tables))
    return made


# --- tune ----------------------------------------------------------------------------------------------------------------


@pytest.fixture
def tuned(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """What was tuned: traffic, this machine, the other one."""
    asked: list[Any] = []
    rows = (tuning.Row("", (128, 16), 95.0, 90.0),)
    found = tuning.Tuning(Settings(128, 16), "memory", 95.0, 90.0, 120.0, 300.0, rows, 5.0, 2e9, "made")

    def tune(request: Any, traffic: Any, machine: Any, folder: Path, elsewhere: Any, advance: Any) -> tuning.Tuning:
        assert folder.is_dir()
        asked.append((traffic, machine, elsewhere))
        return found

    monkeypatch.setattr(tuning, "tune", tune)
    return asked


def test_settings_are_written_beside_the_program(
    program: Path, tuned: list[Any], capsys: pytest.CaptureFixture[str]
) -> None:
    assert cli.call(["tune", str(program)]) == 0
    assert tuned == [((subject_options.ENTRIES, ()), "here", None)]
    written = Path("p.tune.toml").read_text()
    assert "burst = 128" in written and f"this machine, {host_arch()}, 2.00 GHz" in written
    told = capsys.readouterr().out.splitlines()
    assert "" in told and told[-1] == f"{program.parent}/p.tune.toml: {Settings(128, 16)}"


def test_settings_of_another_machine_in_another_file(
    program: Path, tuned: list[Any], capsys: pytest.CaptureFixture[str]
) -> None:
    words = ["--machine", "m.json", "-o", "other.toml", "--entries", "7", "--table", "dmac=3", "--json"]
    assert cli.call(["tune", str(program), *words]) == 0
    assert tuned == [((7, ("dmac=3",)), "here", "there")] and not Path("p.tune.toml").exists()
    assert "the machine of m.json, 2.00 GHz" in Path("other.toml").read_text()
    told = json.loads(capsys.readouterr().out)
    assert told["file"] == "other.toml" and told["points"][0]["burst"] == 128


@pytest.mark.parametrize(
    ("words", "traffic"),
    [(["--traffic", "x.pcap"], "x.pcap"), (["--traffic", "x.pcap", "--entries", "e.txt"], "x.pcap, entries of e.txt")],
)
def test_traffic_may_be_given(program: Path, tuned: list[Any], words: list[str], traffic: str) -> None:
    assert cli.call(["tune", str(program), *words]) == 0
    assert tuned[0][0].told == traffic


def test_files_that_are_wrong_are_said_before_this_machine_is_measured(
    program: Path, tuned: list[Any], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The program, and that of another machine."""
    monkeypatch.setattr(tune_verb, "this_machine", lambda: pytest.fail("measured"))
    program.write_text("parser")
    assert cli.call(["tune", str(program)]) == 1 and "p.p4" in capsys.readouterr().err
    program.write_text(SOURCE.read_text())
    monkeypatch.undo()
    monkeypatch.setattr(tune_verb, "this_machine", lambda: pytest.fail("measured"))
    (machine := program.with_name("m.json")).write_text("{}")
    assert cli.call(["tune", str(program), "--machine", str(machine)]) == 1 and "m.json" in capsys.readouterr().err
    assert not tuned and not program.with_name("p.tune.toml").exists()


@pytest.mark.parametrize("error", [BenchError("it has ended"), SampleError("no samples")])
def test_what_cannot_be_measured_leaves_no_settings(
    program: Path, monkeypatch: pytest.MonkeyPatch, error: Exception, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(tuning, "tune", lambda *what: (_ for _ in ()).throw(error))
    assert cli.call(["tune", str(program)]) == 1 and str(error) in capsys.readouterr().err
    assert not Path("p.tune.toml").exists()


# --- place ---------------------------------------------------------------------------------------------------------------


@pytest.fixture
def placed(monkeypatch: pytest.MonkeyPatch) -> Any:
    found = SimpleNamespace(cores=4, refused="", best="best", stages="stages", asked=[])

    def placed_on(request: Any, hlir: Any, given: Any, cores: int) -> Any:
        found.asked.append((given.entries, cores, request.cut))
        return found

    monkeypatch.setattr(place_verb, "placed_on", placed_on)
    monkeypatch.setattr(place_verb, "usable_cores", lambda: 4)
    for name in ("stage_rows", "rows", "passes", "had"):
        monkeypatch.setattr(place_verb.place_file, name, lambda of, name=name: [name])
    monkeypatch.setattr(place_verb.place_file, "toml", lambda of, name, where: f"{name} on {where}")
    monkeypatch.setattr(place_verb.place_file, "data", lambda of: {"cores": of.cores})
    monkeypatch.setattr(place_verb.place_file, "chosen", lambda of, one: f"chosen {one}")
    return found


def test_a_placement_is_written_beside_the_program(
    program: Path, placed: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    assert cli.call(["place", str(program)]) == 0
    assert placed.asked == [(subject_options.ENTRIES, 4, None)]
    assert Path("p.place.toml").read_text() == "p.p4 on 4 cores of this machine"
    told = capsys.readouterr().out.splitlines()
    assert told == ["stage_rows", "", "rows", "passes", "had", f"{program.parent}/p.place.toml: chosen best"]
    placed.refused = "it has one stage"
    assert (
        cli.call(["place", str(program), "--cores", "2", "--machine", "m.json", "-o", "o.toml", "--entries", "7"]) == 0
    )
    assert placed.asked[-1] == (7, 2, None) and Path("o.toml").read_text() == "p.p4 on 4 cores of m.json"
    assert "It cannot be cut: it has one stage." in capsys.readouterr().out.splitlines()


def test_a_placement_is_drawn_and_told_as_data(
    program: Path, placed: Any, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    from macsad import drawings
    from transpiler.placement import drawing

    monkeypatch.setattr(drawing, "draw", lambda title, best, stages: (title, best, stages))
    monkeypatch.setattr(drawings, "content", lambda drawn, form: f"{form}: {drawn}".encode())
    assert cli.call(["place", str(program), "--draw", "d.dot", "--json"]) == 0
    assert Path("d.dot").read_text() == ".dot: ('p: placement', 'best', 'stages')"
    assert json.loads(capsys.readouterr().out) == {"cores": 4, "file": f"{program.parent}/p.place.toml"}


@pytest.mark.parametrize(("verb", "option"), [("tune", "-o"), ("place", "-o"), ("place", "--draw")])
def test_what_was_included_is_not_written_over(
    program: Path, placed: Any, tuned: list[Any], monkeypatch: pytest.MonkeyPatch, verb: str, option: str,
    capsys: pytest.CaptureFixture[str],
) -> None:  # fmt: skip
    """It is known when the program has been read, before anything is measured."""
    included = program.parent / "i.svg"
    included.write_text("// nothing\n")
    program.write_text(SOURCE.read_text().replace("#include <v1model.p4>", '#include <v1model.p4>\n#include "i.svg"'))
    assert cli.call([verb, str(program), option, "i.svg"]) == cli.USAGE
    assert "'i.svg' would be written over" in capsys.readouterr().err and included.read_text() == "// nothing\n"
    assert not list(program.parent.glob("*.toml")) and not placed.asked and not tuned


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["--cut", "dmac"], "--cut is what is to be chosen"),
        (["--draw", "d.gif"], "ends in none of .dot, .json, .svg, .png"),
        (["--draw", "p.place.toml"], "ends in none of"),
        (["-o", "d.dot", "--draw", "d.dot"], "would be one file"),
        (["--entries", "e.txt"], "entries of a file go with --traffic"),
        (["--table", "dmac=3", "--traffic", "x.pcap"], "--table is for entries that are made"),
        (["--entries", "e.txt", "--table", "dmac=3"], "entries of a file go with --traffic"),
        (["--entries", "e.txt", "--traffic", "x.pcap", "--table", "dmac=3"], "--table is for entries that are made"),
    ],
)
def test_what_does_not_go_together(
    program: Path, placed: Any, words: list[str], told: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert cli.call(["place", str(program), *words]) == cli.USAGE and not placed.asked
    assert told in " ".join(capsys.readouterr().err.split())


# --- what both say of the program -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("verb", ["tune", "place", "explain"])
def test_warnings_of_a_program_are_printed_once(
    program: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], verb: str
) -> None:
    program.write_text(
        program.read_text().replace("#include <v1model.p4>\n", "#include <v1model.p4>\nconst bit<8> U = 300;\n")
    )

    def nothing(*what: Any) -> None:
        raise BenchError("nothing is measured")

    for module in (placement_run, explain_verb):
        monkeypatch.setattr(module, "this_machine", lambda: SimpleNamespace(hz=1e9))
    for module in (tuning, placing, measuring):
        monkeypatch.setattr(module, "Subject", nothing)
    assert cli.call([verb, str(program)]) == 1
    said = capsys.readouterr().err
    assert "nothing is measured" in said and said.count("warning: 300 does not fit") == 1
