"""The time in the switch: quantiles of what was counted, and how they are told."""

from __future__ import annotations

import io
from pathlib import Path
from struct import Struct

import pytest
from rich.console import Console

from macsad import cli
from macsad.bench.contestants import BenchError
from macsad.bench.latency import BUCKETS, HEAD, Control, Row, data, middle, quantiles, screen


def counts(**at: int) -> list[int]:
    found = [0] * BUCKETS
    for bucket, number in at.items():
        found[int(bucket[1:])] = number
    return found


def test_quantiles_are_those_of_what_was_counted() -> None:
    assert quantiles(counts(b10=98, b20=1, b30=1)) == (0.01, 0.02, 0.03)
    assert quantiles(counts(b400=1)) == (middle(400) / 1000,) * 3
    with pytest.raises(BenchError, match="no frame was sent"):
        quantiles(counts())


def test_a_switch_that_does_not_answer_is_told(tmp_path: Path) -> None:
    with Control(tmp_path / "control") as control:
        control.begin(100)
        with pytest.raises(BenchError, match="does not receive"):
            control.read()


def test_what_was_counted_is_read(tmp_path: Path) -> None:
    with Control(tmp_path / "control") as control:
        control.begin(100)
        gap, epoch, *_ = HEAD.unpack_from((tmp_path / "control").read_bytes())
        written = HEAD.pack(gap, epoch, epoch, 7, 2_500_000_000, 0) + Struct(f"={BUCKETS}Q").pack(*counts(b3=4))
        with (tmp_path / "control").open("r+b") as out:
            out.write(written)
        found = control.read()
    assert (list(found.times), found.missed, found.interrupted) == (counts(b3=4), 7, 2.5)


def test_rows_are_told() -> None:
    row = Row((64, 8), 0.5, 12.34, (0.5, 3.0, 450.0), 0.0123, 0.25)
    out = io.StringIO()
    Console(file=out, width=120).print(screen([row]))
    assert out.getvalue().splitlines()[1].split() == [
        "64",
        "8",
        "50%",
        "12.34",
        "0.50",
        "3.00",
        "450",
        "1.23%",
        "25.0%",
    ]
    assert data([row])[0]["p999_us"] == 450.0


@pytest.mark.parametrize("option", [("--workers", "2"), ("--plot", "x.svg"), ("--without", "bulk")])
def test_what_does_not_go_with_it(option: tuple[str, ...], capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.call(["bench", "l2fwd", "--latency", *option]) == cli.USAGE
    assert "--latency is measured with one worker" in " ".join(capsys.readouterr().err.split())
