"""bench/predict.py: which errors of the model it tells, of what it has measured."""

from __future__ import annotations

import json
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from bench_scripts import Bench, script
from click.testing import CliRunner
from machine import MACHINE

from macsad.bench.contestants import BenchError
from transpiler.model.machine import machine_profile
from transpiler.model.throughput import ProgramProfile, Read, predict


@pytest.fixture
def bench() -> Bench:
    return Bench()


@pytest.fixture
def predicting(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Any:
    monkeypatch.syspath_prepend(Path(__file__).parents[2] / "bench")
    module = script("predict")
    monkeypatch.setattr(module, "FIGURES", tmp_path / "new" / "predict.json")
    monkeypatch.setattr(module, "read", lambda file: machine_profile(MACHINE))
    monkeypatch.setattr(module, "kept", lambda: None)
    return module


def a_case(module: Any, slower: float = 1.0, **change: Any) -> Any:
    """What the model itself says of a program, and so many times as much at each point that it is not told."""
    of = {"length": 64, "pages": "huge", **change}
    program = ProgramProfile(30, 50, (Read(1, 1 << 26, whole_burst=False),), of["length"], of["pages"])
    told = {point: predict(machine_profile(MACHINE), program, point).cycles for point in module.POINTS}
    cycles = tuple((point, each * (slower if point not in module.TOLD else 1)) for point, each in told.items())
    case = module.Case("l2fwd", 256, 64, 1, "huge", ((1.0, 1 << 26, False),), cycles)
    return module.replace(case, **change)


def test_errors_are_those_of_points_that_are_not_told(predicting: Any) -> None:
    machine = machine_profile(MACHINE)
    for slower in (1, 2, 0.5):
        errors = a_case(predicting, slower).errors(machine)
        assert errors == pytest.approx([1 / slower - 1] * (len(predicting.POINTS) - 2), abs=0.02)
    points = [point for point, *_ in a_case(predicting).points(machine)]
    assert points == [point for point in predicting.POINTS if point not in ((1, 1), (64, 64))]


def test_errors_are_told_by_size(predicting: Any) -> None:
    told = predicting.told("all", [0.01 * percent * (-1) ** percent for percent in range(11)])
    assert told.split() == ["all", "median", "5%,", "90th", "percentile", "9%,", "11", "points"]
    assert predicting.told("one", [-0.5]).split()[2] == "50%,"


def test_the_summary_tells_what_errors_depend_on(predicting: Any) -> None:
    cases = [
        a_case(predicting), a_case(predicting, 2, name="dash", entries=1000),
        a_case(predicting, 2, name="ndn", workers=2, length=512, pages="small"),
    ]  # fmt: skip
    lines = {line[:34].strip(): line[34:].split() for line in predicting.summary(cases, machine_profile(MACHINE))}
    assert {what: words[1] for what, words in lines.items() if not what.startswith(("B=", "all"))} == {
        "l2fwd": "0%,", "dash": "50%,", "ndn": "50%,", "entries 256": lines["entries 256"][1], "entries 1000": "50%,",
        "length 64": lines["length 64"][1], "length 512": "50%,", "workers 1": lines["workers 1"][1], "workers 2": "50%,",
        "pages huge": lines["pages huge"][1], "pages small": "50%,", "known when the model was made": "0%,",
        "not looked at": "50%,",
    }  # fmt: skip
    points = len(predicting.POINTS) - 2
    assert lines["entries 256"][-2] == str(2 * points) and lines["all"][-2] == str(3 * points)
    assert lines["B=8, b=1 (-50%)"][-2] == "3" and sum(what.startswith("B=") for what in lines) == points


def test_cases_are_three_sizes_with_other_frames_and_one_and_two_workers(predicting: Any, tmp_path: Path) -> None:
    found = list(predicting.cases(("nat",), None))
    assert [(name, path.stem, entries, workers) for name, path, entries, _, workers in found] == [
        ("nat", "nat", entries, workers) for entries in predicting.SIZES for workers in (1, 2)
    ]
    assert {length for *_, length, _ in found} == set(predicting.LENGTHS)
    every = list(predicting.cases((), tmp_path))
    names = list(dict.fromkeys(name for name, *_ in every))
    assert len(every) == 6 * len(names) and "dash" in names and "switch" not in names
    first = [next(length for name, _, _, length, _ in every if name == one) for one in names]
    assert first[:4] == [*predicting.LENGTHS, predicting.LENGTHS[0]], "programs begin with one after the other"
    assert next(path for name, path, *_ in every if name == "dash").is_relative_to(tmp_path / "testdata")
    with pytest.raises(predicting.click.UsageError, match="'dash' is none of "):
        list(predicting.cases(("nat", "dash"), None))


@pytest.mark.parametrize(("pages", "quick"), [("huge", True), ("small", False)])
def test_a_case_is_measured_at_all_points(
    predicting: Any, bench: Bench, monkeypatch: pytest.MonkeyPatch, pages: str, quick: bool
) -> None:
    bench.into(predicting, monkeypatch)
    asked: list[Any] = []
    result = SimpleNamespace(length=70, at=lambda point: SimpleNamespace(cycles=point[0] + point[1]))

    def setup(wanted: Any, folder: Path, closing: Any) -> Any:
        asked.append(wanted)
        return SimpleNamespace(turns=list, result=lambda samples: result)

    monkeypatch.setattr(predicting.session, "Setup", setup)
    monkeypatch.setattr(predicting.predicted, "whole_bursts", lambda planned: "whole")
    reads = [Read(0.5, 1024, whole_burst=True)]
    monkeypatch.setattr(predicting.predicted, "reads_of", lambda of, whole: reads if whole == "whole" else [])
    path = predicting.share("apps") / "nat" / "nat.p4"
    case = predicting.measured("nat", path, 256, 512, 2, pages, quick)
    assert case == predicting.Case(
        "nat", 256, 70, 2, pages, ((0.5, 1024, True),), tuple((point, sum(point)) for point in predicting.POINTS)
    )
    (wanted,) = asked
    order = wanted.order(Path("f"))
    assert (order.entries, order.size, order.packets) == (256, "512", 1000 if quick else predicting.FRAMES[512])
    assert (order.hit, order.ports, order.port, order.seed) == (1.0, 2, 0, 1)
    assert (wanted.points, wanted.workers) == (predicting.POINTS, 2)
    assert (wanted.rounds, wanted.seconds) == ((1, 0.005) if quick else (5, 0.02)) == bench.runs[0][1:]
    assert wanted.request.wanted == predicting.Request(path).wanted.without(("huge-pages",) * (pages == "small"))


def test_what_was_measured_is_compared_with_another_model(predicting: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[Any] = []

    def measured(name: str, path: Path, entries: int, length: int, workers: int, pages: str, quick: bool) -> Any:
        asked.append((name, entries, workers, pages, quick))
        if workers == 2:
            raise BenchError("no second CPU")
        return a_case(predicting, name=name, entries=entries, length=length, pages=pages)

    monkeypatch.setattr(predicting, "measured", measured)
    done = CliRunner().invoke(predicting.main, ["nat", "--small-pages", "--quick"])
    assert done.exit_code == 0 and asked[:2] == [("nat", 256, 1, "small", True), ("nat", 256, 2, "small", True)]
    lines = done.output.splitlines()
    assert "nat, 256 entries: no second CPU" in lines and lines[-1].startswith("all ")
    kept = json.loads(predicting.FIGURES.read_text())
    assert [case["entries"] for case in kept] == list(predicting.SIZES)
    again = CliRunner().invoke(predicting.main, ["--from", str(predicting.FIGURES)])
    assert again.output.splitlines() == lines[-len(again.output.splitlines()) :] and len(asked) == 6
    monkeypatch.setattr(predicting, "cases", lambda names, p4c: [])
    assert "nothing was measured" in CliRunner().invoke(predicting.main, ["--p4c", "/"]).output
