"""`macsad explain`: what is measured or predicted, for which machine, and where the page goes. Nothing is measured or drawn."""

from __future__ import annotations

import json
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from macsad import cli
from macsad.bench.contestants import BenchError
from macsad.bench.samples import SampleError
from macsad.explain import data as data_module, measuring, page
from macsad.subject.subject_options import ENTRIES, Given
from macsad.verbs import explain as verb
from transpiler.toolchain.architectures import host_arch

SOURCE = Path(__file__).parents[2] / "apps" / "l2fwd" / "l2fwd.p4"


class Asked:
    """What was asked of `measuring`."""

    def __init__(self) -> None:
        self.runs: list[Any] = []
        self.predictions: list[Any] = []
        self.error: Exception | None = None
        self.measured: dict[Any, float] = {(64, 64): 100.0}

    @property
    def found(self) -> Any:
        return SimpleNamespace(mpps=lambda cycles: 2000 / cycles, cycles=160.0, point=(64, 64), measured=self.measured)

    def run(
        self, request: Any, traffic: Any, machines: Any, folder: Path, cores: int, more: bool, again: Any, advance: Any
    ) -> Any:
        assert folder.is_dir()
        self.runs.append((traffic, machines, cores, more, again))
        if self.error is not None:
            raise self.error
        return self.found

    def predicted(self, request: Any, machines: Any, cores: int, entries: int) -> Any:
        self.predictions.append((machines, cores, entries))
        self.measured = {}
        return self.found


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Asked:
    made = Asked()
    monkeypatch.chdir(tmp_path)
    (tmp_path / "p.p4").write_text(SOURCE.read_text())
    for name in ("e.txt", "x.pcap", "m.json"):
        (tmp_path / name).write_text("")
    monkeypatch.setattr(measuring, "run", made.run)
    monkeypatch.setattr(measuring, "predicted", made.predicted)
    monkeypatch.setattr(
        page, "render_page", lambda found: SimpleNamespace(text="<p>µ</p>", notices=("no graphviz", "no plots"))
    )
    monkeypatch.setattr(data_module, "data", lambda found: {"cycles": found.cycles})
    monkeypatch.setattr(verb, "this_machine", lambda: "here")
    monkeypatch.setattr(verb, "usable_cores", lambda: 7)
    monkeypatch.setattr(Given, "elsewhere", lambda given: given.machine_file and "there")
    monkeypatch.setattr(
        Given, "traffic", lambda given, request, hlir, folder: (given.entries, given.packets, given.tables)
    )
    return made


HERE = measuring.Machines("here", None, f"this machine, {host_arch()}")  # type: ignore[arg-type]
THERE = measuring.Machines("here", "there", "the machine of m.json")  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("words", "run"),
    [
        ([], ((ENTRIES, None, ()), HERE, 7, False, ENTRIES)), (["--measure"], ((ENTRIES, None, ()), HERE, 7, True, ENTRIES)),
        (["--entries", "5", "--cores", "3"], ((5, None, ()), HERE, 3, False, 5)),
        (["--table", "dmac=9"], ((ENTRIES, None, ("dmac=9",)), HERE, 7, False, None)),
        (["--traffic", "x.pcap"], ((ENTRIES, Path("x.pcap"), ()), HERE, 7, False, None)),
        (["--traffic", "x.pcap", "--entries", "e.txt"], ((Path("e.txt"), Path("x.pcap"), ()), HERE, 7, False, None)),
        (["--machine", "m.json"], ((ENTRIES, None, ()), THERE, 7, False, ENTRIES)),
    ],
)  # fmt: skip
def test_a_program_is_run_with_its_traffic(
    asked: Asked, words: list[str], run: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    """Tables get fewer entries where all are made alike."""
    assert cli.call(["explain", "p.p4", *words]) == 0
    assert asked.runs == [run] and not asked.predictions
    told = capsys.readouterr()
    assert told.out == "p.explain.html: 12.5 million packets a second of a core, measured\n"
    assert told.err.splitlines()[-2:] == ["no graphviz", "no plots"]
    assert Path("p.explain.html").read_text(encoding="utf-8") == "<p>µ</p>"


@pytest.mark.parametrize(
    ("words", "prediction"),
    [
        ([], (HERE, 7, ENTRIES)), (["--entries", "5", "--cores", "1"], (HERE, 1, 5)),
        (["--machine", "m.json"], (measuring.Machines("there", "there", "the machine of m.json"), 7, ENTRIES)),  # type: ignore[arg-type]
    ],
)  # fmt: skip
def test_without_a_run_all_is_predicted(
    asked: Asked, words: list[str], prediction: Any, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Of another machine, of that alone: this one needs no profile."""
    if "--machine" in words:
        monkeypatch.delattr(verb, "this_machine")
    assert cli.call(["explain", "p.p4", "--no-run", "-o", "o.html", *words]) == 0
    assert asked.predictions == [prediction] and not asked.runs and not Path("p.explain.html").exists()
    assert capsys.readouterr().out == "o.html: 12.5 million packets a second of a core, predicted\n"
    assert cli.call(["explain", "p.p4", "--no-run", "-o", "o.html", "--json", *words]) == 0
    assert json.loads(capsys.readouterr().out) == {"cycles": 160.0, "file": "o.html"}


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["--no-run", "--measure"], "--no-run goes with none of --measure, --traffic, --table and a file of entries"),
        (["--no-run", "--traffic", "x.pcap"], "--no-run goes with none of --measure, --traffic, --table and a file of entries"),
        (["--no-run", "--traffic", "x.pcap", "--entries", "e.txt"], "--no-run goes with none of --measure"),
        (["--no-run", "--table", "dmac=1"], "--no-run goes with none of --measure"),
        (["--entries", "e.txt"], "entries of a file go with --traffic"),
        (["--measure", "--machine", "m.json"], "--measure measures this machine: it does not go with --machine"),
        (["--cut", "1"], "--cut is one of the things that the page tells: leave it out"),
        (["-o", "p.p4"], "'p.p4' would be written over 'p.p4', which is read"),
        (["-o", "m.json", "--machine", "m.json"], "'m.json' would be written over 'm.json', which is read"),
        (["-o", "x.pcap", "--traffic", "x.pcap"], "'x.pcap' would be written over 'x.pcap', which is read"),
    ],
)  # fmt: skip
def test_what_does_not_go_together(
    asked: Asked, words: list[str], told: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert cli.call(["explain", "p.p4", *words]) == cli.USAGE
    assert told in " ".join(capsys.readouterr().err.split()) and not asked.runs and not asked.predictions


def test_what_was_included_is_not_written_over(asked: Asked, capsys: pytest.CaptureFixture[str]) -> None:
    Path("i.h").write_text("// nothing\n")
    Path("p.p4").write_text(
        SOURCE.read_text().replace("#include <v1model.p4>", '#include <v1model.p4>\n#include "i.h"')
    )
    assert cli.call(["explain", "p.p4", "-o", "i.h"]) == cli.USAGE
    assert "'i.h' would be written over" in capsys.readouterr().err and Path("i.h").read_text() == "// nothing\n"
    assert not asked.runs


@pytest.mark.parametrize("error", [BenchError("it does not start"), SampleError("nothing was done")])
def test_what_cannot_be_measured_leaves_no_page(
    asked: Asked, error: Exception, capsys: pytest.CaptureFixture[str]
) -> None:
    asked.error = error
    assert cli.call(["explain", "p.p4"]) == 1 and not Path("p.explain.html").exists()
    assert f"Error: {error}" in capsys.readouterr().err


def test_a_program_that_is_wrong_is_told_before_anything_is_measured(
    asked: Asked, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.delattr(verb, "this_machine")
    Path("p.p4").write_text("control c( {")
    assert cli.call(["explain", "p.p4", "--std", "p4-16"]) == 1
    assert "p.p4:1:" in capsys.readouterr().err and not asked.runs
