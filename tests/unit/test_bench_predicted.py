"""Predicted beside measured: figures that the model itself has made are predicted without an error, others are not."""

from __future__ import annotations

import io

import pytest
from machine import MACHINE
from rich.console import Console

from macsad import cli, compilation
from macsad.bench import predicted
from macsad.bench.samples import Sample
from macsad.bench.session import Point, Result, Table
from macsad.bench.state import Reads
from macsad.compilation import Request
from macsad.resources import share
from transpiler.model.machine import machine_profile
from transpiler.model.throughput import ProgramProfile, Read, predict

POINTS: tuple[Point, ...] = ((1, 1), (8, 8), (32, 8), (64, 64), (256, 8))
PROGRAM = ProgramProfile(30, 50, (Read(1, 1 << 26, whole_burst=False),))


def result(wrong: float = 0, points: tuple[Point, ...] = POINTS) -> Result:
    """A program as the model has it, at 1 cycle a nanosecond; `wrong`: by that share slower at (8, 8)."""
    samples = {}
    for point in points:
        cycles = predict(machine_profile(MACHINE), PROGRAM, point).cycles * (1 + wrong * (point == (8, 8)))
        taken = round(cycles * 1_000_000)
        samples["program", *point] = [Sample(1_000_000, taken, taken, taken)]
    table = Table("t", "exact_packed", 1 << 23, 1 << 26, 1 << 26, 1.0)
    return Result(
        "p", (table,), (), 1000, "64 bytes", 1.0, "uniform", points, 1, 0.1, 1, 0.0, Reads((0,), ((1, 1.0),)), samples
    )


def made(of: Result) -> predicted.Predicted:
    found = predicted.predicted(of, machine_profile(MACHINE), (), 64, "huge")
    assert found is not None
    return found


def test_the_models_own_figures_are_predicted() -> None:
    found = made(result())
    assert found.known == ((1, 1), (64, 64))
    assert [point for point, _, _ in found.points] == [(8, 8), (32, 8), (256, 8)]
    assert found.ninth_decile < 0.01
    assert found.program.necessary == pytest.approx(30, abs=0.5)


def test_errors_are_told_as_they_are() -> None:
    found = made(result(wrong=0.25))
    assert found.errors[-1] == pytest.approx(0.2, abs=0.01) and found.median_error < 0.01
    assert predicted.data(found)["p90_error"] == found.ninth_decile > 0.1
    out = io.StringIO()
    Console(file=out, width=120).print(predicted.screen(found), predicted.summary(found))
    row = out.getvalue().splitlines()[1].split()
    assert row[:2] == ["8", "8"] and row[4] == "-20%" and row[-1] in ("compute", "memory", "I/O")
    assert "median 0%, 90th percentile 16%" in " ".join(out.getvalue().split())


def test_a_single_error_is_the_median_and_the_ninth_decile() -> None:
    found = made(result(wrong=0.25, points=((1, 1), (8, 8), (64, 64))))
    (error,) = found.errors
    assert error == pytest.approx(0.2, abs=0.01) and found.median_error == found.ninth_decile == error
    assert "median 20%, 90th percentile 20%" in predicted.summary(found)


def test_a_prediction_needs_a_third_point() -> None:
    machine = machine_profile(MACHINE)
    assert predicted.predicted(result(points=((1, 1), (64, 64))), machine, (), 64, "huge") is None
    assert predicted.predicted(result(points=((8, 8), (32, 8), (64, 64))), machine, (), 64, "huge") is None


@pytest.mark.parametrize("words", [["--machine", __file__], ["--report", "page.html", "--workers", "2"]])
def test_what_does_not_go_together(words: list[str]) -> None:
    assert cli.call(["bench", "l2fwd", *words]) == cli.USAGE


def test_whose_reads_of_a_burst_are_in_flight_at_once() -> None:
    """Tables that take arrays of keys, cells that are prefetched when packets are listed, and counts that are noted; not entries
    that are prefetched b packets ahead."""
    request = Request(share("apps") / "policer" / "policer.p4")
    planned = compilation.decide(request, compilation.load(request)).planned
    assert predicted.whole_bursts(planned) == {"PolicerIngress.rates", "PolicerIngress.passed"}
    request = Request(share("apps") / "l3fwd" / "l3fwd.p4")
    planned = compilation.decide(request, compilation.load(request)).planned
    assert predicted.whole_bursts(planned) == {"L3Ingress.routes"}
