"""Placements from files and by measuring, settings beside a program, the profile of this machine: what is read, and what is told
of what is wrong."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import click
import pytest

from macsad import compilation, profiling
from macsad.bench.contestants import BenchError
from macsad.bench.samples import SampleError
from macsad.compilation import Request
from macsad.place import cores, place_file, placement_run, placing
from macsad.place.place_file import BadPlacement, Chosen
from macsad.subject import subject_options
from macsad.subject.subject_options import Given
from macsad.tune import tuned
from transpiler.model.machine import BadProfile

REQUEST = Request(Path("p.p4"))
PROGRAM: Any = "program"


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("version = 2\npart_workers = [2]\ncut = 3", "'cut' is a text"), ("version = 2", "'part_workers' is a list of numbers"),
        ("version = 1\npart_workers = [2]", "it is of version 1, not 2: make it anew by 'macsad place'"),
        ("part_workers = [2]", "it is of version None, not 2: make it anew by 'macsad place'"),
        ("version = 2\nworkers = 2\npart_workers = [2]", "there is no 'workers' in it, but version, cut, part_workers"),
        ("version = 2\npart_workers = [true]", "'part_workers' is a list of numbers"),
        ("version = 2\npart_workers = [-1]", "'part_workers' are from 1 to 64 together"),
        ("version = 2\npart_workers = [2, 0]\ncut = 't'", "'part_workers' are from 1 to 64 together"),
        ("version = 2\npart_workers = [63, 2]\ncut = 't'", "'part_workers' are from 1 to 64 together"),
        ("version = 2\npart_workers = []", "'part_workers' are from 1 to 64 together"),
        ("version = 2\npart_workers = [1, 2]\ncut = 't'", "no part has more workers than the one before"),
        ("version = 2\npart_workers = [1]\ncut = 't'",
         "'part_workers' has a number for each part, one more than 'cut' has places"),
    ],
)  # fmt: skip
def test_why_a_file_is_no_placement(tmp_path: Path, text: str, why: str) -> None:
    file = tmp_path / "p.toml"
    file.write_text(text)
    with pytest.raises(BadPlacement) as bad:
        place_file.read(file)
    assert bad.value.message == f"{file}: {why}"


def test_a_placement_that_cannot_be_read_is_told(tmp_path: Path) -> None:
    with pytest.raises(BadPlacement, match=r"none.toml: .*No such file or directory"):
        place_file.read(tmp_path / "none.toml")
    with pytest.raises(tuned.BadTuning, match=r"none.toml: .*No such file or directory"):
        tuned.read(tmp_path / "none.toml")


class Placed:
    """Placements whose best one is told; `had`: the share of the cores that there is."""

    best = "the best"

    def __init__(self, had: float = 1.0) -> None:
        self.had = had

    def on(self, had: float) -> Placed:
        return Placed(had)


@pytest.fixture
def place(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> list[tuple[Any, ...]]:
    """What was placed. Of the CPUs here there is half."""
    asked: list[tuple[Any, ...]] = []

    def placed(request: Any, traffic: Any, machine: Any, folder: Path, count: int, elsewhere: Any) -> Placed:
        assert folder.is_dir()
        asked.append((request, traffic, machine, count, elsewhere))
        return Placed()

    monkeypatch.setattr(placement_run, "this_machine", lambda: "here")
    monkeypatch.setattr(Given, "elsewhere", lambda given: given.machine_file and "there")
    monkeypatch.setattr(Given, "traffic", lambda given, request, hlir, folder: (given.entries, given.packets))
    monkeypatch.setattr(compilation, "load", lambda request: "program")
    monkeypatch.setattr(placing, "place", placed)
    monkeypatch.setattr(cores, "had", lambda cpus: 0.5 if cpus == [7] * 3 else 0.25)
    monkeypatch.setattr("macsad.bench.contestants.worker_cpus", lambda count: [7] * count)
    return asked


def test_a_program_is_placed_on_cores_as_others_use_them(place: list[tuple[Any, ...]]) -> None:
    """Here; of another machine's nothing is known."""
    given = Given(5, Path("x.pcap"), (), None)
    assert placement_run.placed_on(REQUEST, PROGRAM, given, 3).had == 0.5
    assert placement_run.placed_on(REQUEST, PROGRAM, Given(6, None, (), Path("m.json")), 3).had == 1.0
    assert place == [
        (REQUEST, (5, Path("x.pcap")), "here", 3, None), (REQUEST, (6, None), "here", 3, "there"),
    ]  # fmt: skip


@pytest.mark.parametrize("error", [BenchError("no clocks"), SampleError("nothing was done")])
def test_what_cannot_be_measured_is_not_placed(
    place: list[tuple[Any, ...]], monkeypatch: pytest.MonkeyPatch, error: Exception
) -> None:
    def fails(*_: object) -> None:
        raise error

    monkeypatch.setattr(placing, "place", fails)
    with pytest.raises(click.ClickException) as told:
        placement_run.placed_on(REQUEST, PROGRAM, Given(5, None, (), None), 3)
    assert told.value.message == str(error)


@pytest.mark.parametrize(
    "placed",
    [
        lambda: placement_run.placed_on(REQUEST, PROGRAM, Given(5, None, (), Path("m.json")), 3),
        lambda: placement_run.asked_for(REQUEST, "auto"),
    ],
)
def test_files_that_are_wrong_are_said_before_this_machine_is_measured(
    place: list[tuple[Any, ...]], monkeypatch: pytest.MonkeyPatch, placed: Callable[[], object]
) -> None:
    """That of another machine, and the program."""

    def bad(given: Any) -> None:
        raise click.ClickException("it is wrong")

    monkeypatch.setattr(Given, "elsewhere", lambda given: given.machine_file and bad(given))
    monkeypatch.setattr(compilation, "load", bad)
    monkeypatch.setattr(placement_run, "this_machine", lambda: pytest.fail("measured"))
    with pytest.raises(click.ClickException, match="it is wrong"):
        placed()
    assert not place


def test_placements_of_a_run_are_said(
    place: list[tuple[Any, ...]], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    """With entries that are made, on all CPUs here; or those of a file, for which nothing is measured."""
    monkeypatch.setattr(placement_run, "usable_cores", lambda: 3)
    monkeypatch.setattr(place_file, "chosen", lambda placed, best: Chosen((2, 1), f"t{placed.had}{best[:3]}"))
    assert placement_run.asked_for(REQUEST, "auto") == Chosen((2, 1), "t0.5the")
    assert place == [(REQUEST, (subject_options.ENTRIES, None), "here", 3, None)]
    file = tmp_path / "auto.toml"
    file.write_text("version = 2\npart_workers = [4]\n")
    assert placement_run.asked_for(REQUEST, str(file)) == Chosen((4,)) and len(place) == 1
    assert capsys.readouterr() == (
        "", "placement: cut at t0.5the, 2 + 1 workers\nplacement: 4 workers, each with the whole program\n",
    )  # fmt: skip


def test_cores_are_those_that_may_be_used(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(placement_run.os, "sched_getaffinity", lambda process: {0, 3, 5} if process == 0 else {1})
    assert placement_run.usable_cores() == 3


def test_cores_are_shared_while_all_of_them_compute(monkeypatch: pytest.MonkeyPatch) -> None:
    """The mean of their shares: all have begun before the first is waited for."""
    did: list[Any] = []
    monkeypatch.setattr(cores, "_spinning", lambda cpu, seconds: did.append((cpu, seconds)) or (cpu, 10 * cpu))
    shares = {1: 0.5, 2: 1.0, 3: 1.25, 4: 0.9}
    monkeypatch.setattr(cores, "_share", lambda child, reading: did.append((child, reading)) or shares[child])
    assert cores.had([1, 2]) == 0.75 and did == [(1, 0.2), (2, 0.2), (1, 10), (2, 20)]
    assert cores.had([3, 4], 0.1) == 1.0 and cores.had([4]) == 0.9, "a clock that is askew gives nobody more than all"


# --- the machine -------------------------------------------------------------------------------------------------------


def test_this_machine_is_measured_once(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    place = tmp_path / "machine.json"
    kept: list[Path] = []
    monkeypatch.setattr(profiling, "kept", lambda: place)
    monkeypatch.setattr(profiling, "keep", lambda path: kept.append(path) or path.touch())
    monkeypatch.setattr(profiling, "read", lambda path: ("read", path))
    for _ in range(2):
        assert subject_options.this_machine() == ("read", place)
    assert kept == [place]


@pytest.mark.parametrize(
    ("step", "error"), [("keep", BenchError("gcc fails")), ("read", BadProfile("it is of version 0"))]
)
def test_a_machine_that_has_no_profile_is_told(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, step: str, error: Exception
) -> None:
    def fails(path: Path) -> None:
        raise error

    monkeypatch.setattr(profiling, "kept", lambda: tmp_path / "machine.json")
    monkeypatch.setattr(profiling, "keep", Path.touch)
    monkeypatch.setattr(profiling, step, fails)
    with pytest.raises(click.ClickException) as told:
        subject_options.this_machine()
    assert told.value.message == str(error)


def test_files_of_traffic_and_machines_are_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """And are not written over; what is wrong with the profile of another machine is told."""
    assert Given(5, None, ("t=1",), None).inputs == [] and Given(5, None, (), None).elsewhere() is None
    given = Given(Path("e"), Path("x"), (), tmp_path / "m.json")
    assert given.inputs == [Path("e"), Path("x"), tmp_path / "m.json"]
    (tmp_path / "m.json").write_text("{}")
    with pytest.raises(click.ClickException, match="no profile of a machine"):
        given.elsewhere()
    monkeypatch.setattr(profiling, "read", lambda file: ("profile", file))
    assert given.elsewhere() == ("profile", tmp_path / "m.json")


@pytest.mark.parametrize(
    ("word", "entries"),
    [("1", 1), ("2147483648", 1 << 31), ("2147483649", None), ("0", None), ("e.txt", Path("e.txt"))],
)
def test_entries_are_a_number_or_a_file(
    word: str, entries: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "e.txt").write_text("")
    kind = subject_options.FileOrNumber()
    if entries is None:
        with pytest.raises(click.BadParameter, match=f"'{word}' does not exist"):
            kind.convert(word, None, None)
    else:
        assert kind.convert(word, None, None) == entries


@pytest.mark.parametrize(
    ("given", "told"),
    [
        (Given(Path("e"), None, (), None), "entries of a file go with --traffic: frames that hit them"),
        (Given(Path("e"), None, ("t=1",), None), "entries of a file go with --traffic: frames that hit them"),
        (Given(5, Path("x"), ("t=1",), None), "--table is for entries that are made, so neither for --traffic nor a file"),
        (Given(Path("e"), Path("x"), ("t=1",), None),
         "--table is for entries that are made, so neither for --traffic nor a file"),
        (Given(5, Path("x"), (), None), ""), (Given(5, None, ("t=1",), Path("m")), ""),
        (Given(Path("e"), Path("x"), (), None), ""),
    ],
)  # fmt: skip
def test_traffic_that_goes_together(given: Given, told: str) -> None:
    if told:
        with pytest.raises(click.UsageError) as wrong:
            given.check()
        assert wrong.value.message == told
    else:
        given.check()


# --- settings beside a program -----------------------------------------------------------------------------------------


def test_settings_are_read_and_not_written_over(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Those that were asked for are told of without how to leave them."""
    program, own, other = (tmp_path / name for name in ("p.p4", "p.tune.toml", "o.toml"))
    program.write_text("")
    for file, burst in ((own, 32), (other, 16)):
        file.write_text(f"version = 1\nburst = {burst}\nsub_batch = 8\n")
    for arguments, file, burst in (({}, own, 32), ({"tune_file": other}, other, 16)):
        request = Request(program)
        made = tuned.taken(request, arguments)
        assert made.target.run.burst == burst and file in made.inputs
        hint = "" if arguments else " (--no-tune leaves it)"
        assert capsys.readouterr().err == f"{file}: B={burst}, b=8{hint}\n"
    plain = Request(program)
    assert tuned.taken(plain, {"no_tune": True}) is plain and own not in plain.inputs
    with pytest.raises(click.UsageError, match="--tune and --no-tune exclude each other"):
        tuned.taken(plain, {"tune_file": other, "no_tune": True})
    own.unlink()
    own.mkdir()
    assert tuned.taken(plain, {}) is plain, "a folder is no file"
