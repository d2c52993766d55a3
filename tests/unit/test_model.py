"""The profile of a machine: what its JSON becomes, and costs between the points that were measured."""

from __future__ import annotations

import copy
import json
from dataclasses import replace
from pathlib import Path

import pytest
from machine import MACHINE

from macsad import cli, profiling
from transpiler.model.machine import BadProfile, at, machine_profile
from transpiler.model.throughput import RUN, WINDOW, Limit, Prediction, ProgramProfile, Read, fitted, predict


def test_costs_between_points_are_interpolated_and_stay_beyond_them() -> None:
    curve = ((2.0, 10.0), (8.0, 30.0))
    assert [at(curve, where) for where in (1, 2, 4, 8, 16)] == [10, 10, 20, 30, 30]


def test_a_profile_has_what_was_measured() -> None:
    made = machine_profile(MACHINE)
    assert made.upsilon(1) == 68 and made.upsilon(256) == 4.25
    assert made.upsilon(32, 1024) == 66 and made.upsilon(32, 64) < made.upsilon(32, 256) < made.upsilon(32, 1024)
    assert made.read(1 << 20, 0) == 50 and made.read(1 << 30, 0) == 90
    assert made.read(1 << 26, 8) == 11.25 and made.read(1 << 26, 64) == 11.25
    assert made.read(1 << 26, 8) < made.read(1 << 26, 3) < made.read(1 << 26, 1) == 90
    assert made.handover == ((1, 100), (32, 400)) and at(made.copy, 256) == 12
    curves = {("huge", 0): ((1.0, 2.0),), ("huge", 8): ((1.0, 5.0), (9.0, 1.0)), ("small", 1): ((1.0, 4.0),)}
    assert replace(made, reads=curves).nearest == 4  # of reads that do not wait for each other, in the first cache


def test_reads_that_depend_on_each_other_are_their_own_kind() -> None:
    """One in flight is another one than none, which waits for the one before; between two numbers costs are interpolated."""
    cycles = {0: 90.0, 1: 60.0, 8: 20.0}
    reads = [
        {"pages": pages, "bytes": 1 << 20, "in_flight": number, "cycles": cycles[number] + 5 * (pages == "small")}
        for number in (8, 1, 0) for pages in ("small", "huge")
    ]  # fmt: skip
    made = machine_profile({**MACHINE, "reads": reads})
    assert [made.read(1 << 20, number) for number in (0, 1, 8, 100)] == [90, 60, 20, 20]
    assert made.read(1 << 20, 0, "small") == 95 and made.read(1 << 20, 1, "small") == 65
    assert 20 < made.read(1 << 20, 2) < 60 and made.nearest == 20


def test_lengths_of_frames_stand_in_any_order() -> None:
    made = machine_profile({**MACHINE, "io": list(reversed(MACHINE["io"]))})
    assert [made.upsilon(32, length) for length in (64, 256, 1024)] == [
        machine_profile(MACHINE).upsilon(32, length) for length in (64, 256, 1024)
    ]
    swapped = replace(made, receive_transmit=dict(reversed(made.receive_transmit.items())))
    assert swapped.upsilon(32, 256) == made.upsilon(32, 256) > made.upsilon(32, 64)
    assert replace(made, reads=dict(reversed(made.reads.items()))).read(1 << 26, 3) == made.read(1 << 26, 3)


@pytest.mark.parametrize(
    ("wrong", "why"),
    [
        ({"hz": "fast"}, "could not convert string to float: 'fast'"), ({"caches": 5}, "'int' object is not iterable"),
        ({"caches": ["x"]}, "invalid literal for int"), ({"copy": [{"length": 64}]}, "'cycles'"), ({"io": [3]}, "'int' object"),
        ({"copy": []}, "there are no cycles over length"),
        ({"reads": [{"pages": pages, "bytes": 64, "in_flight": number, "cycles": 1.0}
                    for pages, number in (("huge", 0), ("huge", 8), ("small", 0))]},
         "there are no cycles over bytes, pages small, in_flight 8"),
    ],
)  # fmt: skip
def test_values_that_are_none_are_told(wrong: dict[str, object], why: str) -> None:
    with pytest.raises(BadProfile, match=f"it is no profile of a machine: {why}"):
        machine_profile({**MACHINE, **wrong})


@pytest.mark.parametrize("missing", ["hz", "io", "reads", "handover", "version"])
def test_what_is_no_profile_is_told(tmp_path: Path, missing: str) -> None:
    wrong = copy.deepcopy(MACHINE)
    del wrong[missing]
    file = tmp_path / "machine.json"
    file.write_text(json.dumps(wrong))
    with pytest.raises(BadProfile, match=f"{file}: it is no profile of a machine: '{missing}'"):
        profiling.read(file)
    file.write_text("{")
    with pytest.raises(BadProfile, match="not JSON"):
        profiling.read(file)
    for version in (0, 2):
        with pytest.raises(BadProfile) as told:
            machine_profile({**MACHINE, "version": version})
        assert str(told.value) == f"it is of version {version}, not 1: make it anew by 'macsad profile'"
    file.write_text(json.dumps({**MACHINE, "version": 7}))
    with pytest.raises(BadProfile, match="version 7"):
        profiling.read(file)


def test_a_profile_from_elsewhere_is_shown(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "machine.json"
    file.write_text(json.dumps(MACHINE))
    assert cli.call(["profile", "--machine", str(file)]) == 0
    shown = capsys.readouterr().out.splitlines()
    assert shown[:2] == [
        "counter: 2.00 GHz",
        "receive and transmit, cycles a packet, B =  1: 68.0  8: 30.8  32: 6.0  256: 4.2",
    ]
    assert shown[4].split() == ["1", "MiB", "50.0", "6.2", "6.2", "6.2"]
    assert cli.call(["profile", "--machine", str(file), "--json"]) == 0
    assert json.loads(capsys.readouterr().out) == MACHINE


def test_a_picture_that_cannot_be_drawn_is_told_before_anything_is_measured(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert cli.call(["profile", "--plot", "machine.gif", "-o", str(tmp_path / "kept")]) == cli.USAGE
    assert "neither .svg nor .png nor .pdf" in capsys.readouterr().err and not (tmp_path / "kept").exists()


@pytest.mark.parametrize("words", [["--arch", "aarch64"], ["--arch", "aarch64", "-o", "x", "--json"]])
def test_a_binary_for_elsewhere_measures_nothing_here(words: list[str]) -> None:
    assert cli.call(["profile", *words]) == cli.USAGE


def test_this_machine_is_measured() -> None:
    made = profiling.measure()
    profile = machine_profile(made)
    assert made["seconds"] < 120 and profile.hz > 1e6
    assert len(profile.receive_transmit) == 6 and {pages for pages, _ in profile.reads} == {"huge", "small"}
    assert all(cost > 0 for curve in profile.reads.values() for _, cost in curve)


# --- the model ------------------------------------------------------------------------------------------------------------

READS = (Read(1, 1 << 26, whole_burst=False),)


def test_without_reads_a_packet_takes_io_and_compute() -> None:
    made = predict(machine_profile(MACHINE), ProgramProfile(20, 64, ()), (32, 32))
    assert (made.upsilon, made.compute, made.stall, made.cycles) == (6, 22, 0, 28)
    assert made.limit is Limit.COMPUTE
    assert predict(machine_profile(MACHINE), ProgramProfile(2, 0, ()), (1, 1)).limit is Limit.IO


MISS = 80  # cycles: a read takes 90, of which 10 are those of a read in the first cache


def test_alone_a_packet_waits_for_its_reads() -> None:
    machine = machine_profile(MACHINE)
    alone = predict(machine, ProgramProfile(100, 0, READS), (1, 1))
    assert alone.stall == MISS and alone.limit is Limit.COMPUTE
    assert predict(machine, ProgramProfile(10, 0, READS), (1, 1)).limit is Limit.MEMORY


def test_what_is_computed_between_a_prefetch_and_its_use_hides_reads() -> None:
    """Of entries that are prefetched b packets ahead that is one loop of four, and the processor has as many packets more in
    flight as are in its window; from b = B on it is all that is done for a burst."""
    machine, program = machine_profile(MACHINE), ProgramProfile(WINDOW / RUN, 0, READS)
    assert predict(machine, program, (256, 1)).stall == pytest.approx(MISS / (1 + 1) - WINDOW)
    assert predict(machine, program, (256, 7)).stall == 0 and predict(machine, program, (8, 8)).stall == 0
    assert predict(machine, ProgramProfile(60, 0, READS), (2, 1)).stall == pytest.approx(MISS / 2 - RUN * 60)
    fast = ProgramProfile(1, 0, READS)
    through = 90 / 8 - machine.nearest  # of the memory, with eight in flight
    assert predict(machine, fast, (8, 8)).stall == pytest.approx(through - 1)


def test_what_takes_a_whole_burst_does_not_depend_on_b() -> None:
    machine = machine_profile(MACHINE)
    arrays = ProgramProfile(20, 0, (Read(1, 1 << 26, whole_burst=True),))
    assert predict(machine, arrays, (8, 2)) == predict(machine, arrays, (8, 8))
    assert predict(machine, arrays, (8, 2)).stall == pytest.approx(MISS / 8 - 7 / 8 * RUN * 20)
    assert predict(machine, arrays, (8, 2)).stall < predict(machine, ProgramProfile(20, 0, READS), (8, 2)).stall


def test_reads_of_both_kinds_are_waited_for_one_after_the_other() -> None:
    machine = machine_profile(MACHINE)
    arrays = (Read(1, 1 << 26, whole_burst=True),)
    both, table, cells = (
        predict(machine, ProgramProfile(4, 0, reads), (8, 1)) for reads in (READS + arrays, READS, arrays)
    )
    assert both.stall == pytest.approx(table.stall + cells.stall)


def test_what_is_not_known_is_found_from_two_points() -> None:
    machine, program = machine_profile(MACHINE), ProgramProfile(30, 50, READS)
    points = (1, 1), (256, 8)
    alone, together = ((point, predict(machine, program, point).cycles) for point in points)
    made = fitted(machine, ProgramProfile(0, 0, READS), alone, together)
    assert made.necessary == pytest.approx(30, abs=0.1) and made.shared == pytest.approx(50, abs=0.2)


@pytest.mark.parametrize(
    ("prediction", "limit"),
    [
        (Prediction(upsilon=1, compute=5, stall=1, fetch=5), Limit.COMPUTE),  # as long as what is computed meanwhile
        (Prediction(upsilon=1, compute=5, stall=1, fetch=6), Limit.MEMORY),
        (Prediction(upsilon=7, compute=5, stall=1, fetch=6), Limit.IO),
        (Prediction(upsilon=1, compute=5, stall=0, fetch=6), Limit.COMPUTE),  # nothing waits
        (Prediction(upsilon=5, compute=5, stall=0, fetch=0), Limit.COMPUTE),
        (Prediction(upsilon=6, compute=5, stall=0, fetch=0), Limit.IO),
    ],
)
def test_what_limits_a_packet(prediction: Prediction, limit: Limit) -> None:
    assert prediction.limit is limit and prediction.cycles == prediction.upsilon + prediction.compute + prediction.stall
