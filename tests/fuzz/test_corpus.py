"""The differential run of given programs: what it says of a program that is right, one that is refused, one that differs."""

from __future__ import annotations

from pathlib import Path

import corpus
import pytest
from oracle import Failure, Subject

TESTS = Path(__file__).parents[1]


def run(monkeypatch: pytest.MonkeyPatch, *arguments: object) -> int:
    monkeypatch.setattr("sys.argv", ["corpus.py", "--scenarios", "1", *map(str, arguments)])
    return corpus.main()


def test_programs_are_the_same_or_refused(
    monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    wrong = tmp_path / "wrong.p4"
    wrong.write_text("#include <v1model.p4>\nheader h_t { bit<8> x; bit<8> x; }\n")
    (tmp_path / "without_main.p4").write_text("#include <v1model.p4>\nconst bit<8> one = 1;\n")
    assert run(monkeypatch, TESTS / "packets" / "stripped.p4", tmp_path, "--into", tmp_path / "into") == 0
    said = capfd.readouterr().out
    assert "same" in said.splitlines()[0]
    assert "refused" in said and "wrong.p4:2:" in said
    assert "without_main.p4:1:1: error: the program has no 'main'" in said
    assert said.splitlines()[-1] == "2 refused, 1 same"


def test_a_difference_is_written_down(
    monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    def differs(subject: Subject, scenario: object, batches: object) -> Failure:
        return Failure("switch", "port 1: nothing", subject.draw(0, 1)[0], (1, 1))

    monkeypatch.setattr(Subject, "switch_differs", differs)
    assert run(monkeypatch, TESTS / "packets" / "stripped.p4", "--into", tmp_path) == 1
    assert "failed" in capfd.readouterr().out
    assert "port 1: nothing" in (tmp_path / "stripped" / "failure.txt").read_text()
    assert "packet " in (tmp_path / "stripped" / "program.stf").read_text()
