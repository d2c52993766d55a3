"""Tuning: which settings are tried, which are chosen of what was measured, and the file that build and run take."""

from __future__ import annotations

import itertools
import tomllib
from collections import Counter
from collections.abc import Callable
from contextlib import nullcontext
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any, ClassVar

import pytest
from machine import MACHINE

from macsad import cli, compilation
from macsad.bench.contestants import BenchError
from macsad.bench.samples import Sample
from macsad.compilation import Request
from macsad.subject.stage_costs import NoClocks
from macsad.subject.subject import Traffic
from macsad.tune import tune_file, tuned, tuning
from macsad.tune.kernels import other_kernels
from macsad.tune.tuned import BadTuning, Settings
from transpiler.model.choice import GRID, SPREAD, SUB_BATCHES, Candidate, beside, ranked, worth_measuring
from transpiler.model.machine import MachineProfile, machine_profile
from transpiler.model.throughput import Prediction, ProgramProfile, Read, predict
from transpiler.targets.description import MAX_BURST

L3FWD = Path(__file__).parents[2] / "apps" / "l3fwd" / "l3fwd.p4"
HERE = machine_profile(MACHINE)
COMPUTING = ProgramProfile(100, 50, ())
READING = ProgramProfile(5, 5, (Read(2, 1 << 26, whole_burst=False),))


@pytest.mark.parametrize("program", [COMPUTING, READING])
def test_the_grid_is_ranked_by_what_the_model_predicts(program: ProgramProfile) -> None:
    order = ranked(HERE, program)
    assert sorted(one.point for one in order) == sorted(GRID)
    cycles = [predict(HERE, program, one.point).cycles for one in order]
    assert cycles == pytest.approx(sorted(cycles), abs=0.1)


def test_of_what_is_predicted_alike_smaller_ones_are_first() -> None:
    """They keep packets for a shorter time."""
    order = [one.point for one in ranked(HERE, COMPUTING, GRID[::-1])]
    assert order == sorted(GRID, key=lambda point: (-point[0], point[1]))


def test_the_worst_are_not_measured_and_each_burst_has_its_turn() -> None:
    order = ranked(HERE, READING)
    tried = worth_measuring(order, 100, doubt=0.1)
    limit = order[0].prediction.cycles * 1.1
    assert {one.point for one in tried} == {one.point for one in order if one.prediction.cycles <= limit}
    assert (1, 1) not in {one.point for one in tried}
    few = worth_measuring(ranked(HERE, COMPUTING), 4)
    assert len({one.point[0] for one in few}) == 4, "what is alike is tried at each B"


def test_of_one_burst_what_is_faster_is_tried_first_and_what_is_alike_from_far_apart() -> None:
    """A hundredth says nothing."""
    alike = [one.point[1] for one in worth_measuring(ranked(HERE, COMPUTING), 100) if one.point[0] == 256]
    assert alike == list(SPREAD) == [16, 1, 64, 4, 256, 8, 32, 128]
    cycles = {1: 100.0, 4: 100.4, 8: 100.2, 16: 120.2, 32: 119.9, 64: 300.0}
    order = [Candidate((64, b), Prediction(0.0, each, 0.0, 0.0)) for b, each in cycles.items()]
    assert [one.point[1] for one in worth_measuring(order, 5, doubt=9)] == [1, 4, 8, 16, 32]
    assert [one.point[1] for one in worth_measuring(order, 5)] == [1, 4, 8, 16, 32]
    order = ranked(HERE, READING)
    best = order[0].prediction.cycles
    assert {one.point for one in worth_measuring(order, 100, doubt=0)} == {
        one.point for one in order if one.prediction.cycles <= best
    }


def test_the_grid_is_of_all_pairs_up_to_the_largest_burst() -> None:
    assert len(GRID) == len(set(GRID)) == 1 + 3 + 4 + 5 + 6 + 7 + 8 and GRID[0] == (1, 1) and GRID[-1] == (256, 256)
    assert {burst for burst, _ in GRID} == {1, 8, 16, 32, 64, 128, 256}
    assert {b for _, b in GRID} == {1, 4, 8, 16, 32, 64, 128, 256} and all(b <= burst for burst, b in GRID)


def test_what_may_be_the_fastest_is_up_to_four_tenths_slower() -> None:
    order = ranked(HERE, READING)
    limit = order[0].prediction.cycles * 1.4
    assert {one.point for one in worth_measuring(order, 100)} == {
        one.point for one in order if one.prediction.cycles <= limit
    }
    assert any(limit < one.prediction.cycles <= limit * 1.3 for one in order)


def test_a_pair_has_those_beside_it() -> None:
    assert set(beside((64, 16))) == {(32, 16), (128, 16), (64, 8), (64, 32)}
    assert set(beside((256, 256))) == {(256, 128)} and set(beside((1, 1))) == {(8, 1)}
    assert sorted(SPREAD) == sorted(SUB_BATCHES)


def samples(*ns: int) -> list[Sample]:
    return [Sample(1_000_000, each * 1000, each * 1000, each * 1000) for each in ns]


def test_the_fastest_is_chosen_and_the_smaller_of_those_alike() -> None:
    assert tuning.chosen({("", 64, 64): samples(1000, 1010), ("", 256, 8): samples(900, 910)}) == ("", 256, 8)
    assert tuning.chosen({("", 32, 8): samples(902, 912), ("", 256, 8): samples(900, 910)}) == ("", 32, 8)


def test_an_optimisation_is_left_out_only_where_that_gains() -> None:
    whole, less = ("", 64, 64), ("bulk", 64, 64)
    assert tuning.chosen({whole: samples(1000, 1000), less: samples(990, 990)}) == whole
    assert tuning.chosen({whole: samples(1000, 1000), less: samples(900, 900)}) == less


def test_rounds_are_compared_with_each_other() -> None:
    """Drift is the same within a round: each round of the first is a little slower than that of the second."""
    found = {("", 8, 8): samples(1030, 2060, 3090), ("", 64, 64): samples(1000, 2000, 3000)}
    assert tuning.chosen(found) == ("", 64, 64)


# --- the file --------------------------------------------------------------------------------------------------------


def found(settings: Settings, chosen: float | None = 90.0) -> tuning.Tuning:
    rows = (tuning.Row("", (128, 16), 95.0, 90.0), tuning.Row("bulk", (64, 64), None, 99.0))
    return tuning.Tuning(settings, "memory", 95.0, chosen, 120.0, 300.0, rows, 5.0, 2e9, "made", (("I.t", "lpm_trie"),))


def test_what_is_written_is_read(tmp_path: Path) -> None:
    file = tmp_path / "p.tune.toml"
    settings = Settings(128, 16, ("bulk",), ('I.odd "name"=exact_hash',))
    file.write_text(tune_file.toml(found(settings), "p.p4", "here"))
    assert tuned.read(file) == settings
    text = file.read_text()
    assert "Predicted: 95 cycles a packet, 21.1 million a second, limited by memory." in text
    assert "1.33 times as fast as B=64, b=64, and 3.33 times" in text
    assert "without bulk" in text and tomllib.loads(text)["without"] == ["bulk"]
    assert tomllib.loads(text)["kernels"] == ['I.odd "name"=exact_hash'] and "# I.t: lpm_trie\n" in text
    assert "by the model alone" in tune_file.toml(found(settings, None), "p.p4", "there")
    assert tune_file.data(found(settings))["points"][1]["without"] == "bulk"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("version = 1\nburst = 8\nsub_batch = 16", "b is from 1 to B"),
        ("version = 1\nburst = 512\nsub_batch = 16", "B at most 256"),
        ("version = 1\nburst = true\nsub_batch = 1", "'burst' is to be a number"),
        ("version = 1\nburst = 8", "'sub_batch' is to be a number"),
        ("version = 2\nburst = 8\nsub_batch = 8", "it is of version 2, not 1: make it anew by 'macsad tune'"),
        ("version = 0\nburst = 8\nsub_batch = 8", "it is of version 0, not 1"),
        (
            "version = 1\nburst = 8\nsub_batch = 8\ncut = 't'",
            "there is no 'cut' in it, but version, burst, sub_batch, without, kernels",
        ),
        ('version = 1\nburst = 8\nsub_batch = 8\nwithout = ["x"]', "no optimisation 'x'"),
        ("version = 1\nburst = 8\nsub_batch = 8\nwithout = 'bulk'", "a list of optimisations"),
        ("version = 1\nburst = 8\nsub_batch = 8\nkernels = ['t']", "'t' is not TABLE=KERNEL"),
        ("version = 1\nburst = 8\nsub_batch = 8\nkernels = 3", "'kernels' is to be a list of TABLE=KERNEL"),
        ("version = 1\nB = 8", "there is no 'B'"),
    ],
)
def test_what_is_no_tuning_is_told(tmp_path: Path, text: str, message: str) -> None:
    file = tmp_path / "p.tune.toml"
    file.write_text(text)
    with pytest.raises(BadTuning, match=f"{file}: .*{message}"):
        tuned.read(file)


def program(folder: Path) -> Request:
    copy = folder / "l3fwd.p4"
    copy.write_text(L3FWD.read_text())
    return Request(copy)


def test_a_program_takes_the_file_beside_it_and_says_so(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    plain = program(tmp_path)
    assert tuned.taken(plain, {}) == plain and not capsys.readouterr().err
    (tmp_path / "l3fwd.tune.toml").write_text("version = 1\nburst = 32\nsub_batch = 8\nwithout = ['bulk']\n")
    made = tuned.taken(plain, {})
    line = capsys.readouterr().err
    assert line.endswith("l3fwd.tune.toml: B=32, b=8, no bulk (--no-tune leaves it)\n") and line.count("\n") == 1
    assert made.target.run.burst == 32 and not made.wanted.bulk
    c = compilation.generate_c(made, compilation.load(made)).c
    assert ".burst = 32," in c and ".sub_batch = 8," in c and "_bulk_" not in c
    assert tuned.taken(plain, {"no_tune": True}) == plain


def test_a_table_gets_the_kernel_of_the_file_unless_the_command_line_has_another(tmp_path: Path) -> None:
    plain = program(tmp_path)
    settings = Settings(32, 8, (), ("L3Ingress.routes=lpm_trie",))

    def kernel_of(request: Request) -> str:
        planned = compilation.decide(request, compilation.load(request)).planned
        return planned.kernels["L3Ingress.routes"].name

    assert kernel_of(settings.of(plain)) == "lpm_trie"
    assert kernel_of(settings.of(replace(plain, kernels=("routes=ternary_tuple",)))) == "ternary_tuple"
    assert tuning.settings_of(("L3Ingress.routes=lpm_trie", 32, 8)) == settings
    assert tuning.settings_of(("bulk", 32, 8)) == Settings(32, 8, ("bulk",))


@pytest.mark.parametrize(
    ("asked", "left"),
    [
        ((), ("I.a=x", "I.b=y")),
        (("I.a=z",), ("I.b=y",)),
        (("a=z",), ("I.b=y",)),
        (("b=z", "a=z"), ()),
        (("A=z", ".b=z", "I=z", "a.b=z"), ("I.a=x", "I.b=y")),
        (("x=a",), ("I.a=x", "I.b=y")),
    ],
)
def test_kernels_of_the_command_line_go_before_those_of_the_file(asked: tuple[str, ...], left: tuple[str, ...]) -> None:
    """A table is named by its name, or by the end of it behind a dot."""
    made = Settings(32, 8, (), ("I.a=x", "I.b=y")).of(replace(Request(L3FWD), kernels=asked))
    assert made.kernels == (*left, *asked)
    assert (made.target.run.burst, made.target.run.sub_batch) == (32, 8)


@pytest.mark.parametrize(
    ("burst", "sub_batch", "well"),
    [(1, 1, True), (MAX_BURST, 1, True), (MAX_BURST, MAX_BURST, True), (8, 0, False), (8, 9, False), (0, 0, False),
     (MAX_BURST + 1, 1, False)],
)  # fmt: skip
def test_bursts_and_their_parts(burst: int, sub_batch: int, well: bool) -> None:
    with nullcontext() if well else pytest.raises(ValueError, match="b is from 1 to B"):
        assert str(Settings(burst, sub_batch, ("bulk",), ("t=x",))) == f"B={burst}, b={sub_batch}, no bulk, t=x"


@pytest.mark.parametrize("kernel", ["t", "=x", "t=", "="])
def test_what_names_no_kernel_of_a_table(kernel: str) -> None:
    with pytest.raises(ValueError, match=f"'{kernel}' is not TABLE=KERNEL"):
        Settings(8, 8, (), ("t=x", kernel))


def test_kernels_are_tried_that_can_hold_a_filled_table(tmp_path: Path) -> None:
    plain = program(tmp_path)
    planned = compilation.decide(plain, compilation.load(plain)).planned

    def tried(entries: int, *kernels: str) -> tuple[str, ...]:
        described = [{"name": "L3Ingress.routes", "entries": entries, "reader_bytes": 4096}]
        return other_kernels(replace(plain, kernels=kernels), planned, described)

    assert tried(5) == tuple(f"L3Ingress.routes={name}" for name in ("lpm_trie", "ternary_tuple")[: len(tried(5))])
    assert "L3Ingress.routes=lpm_trie" in tried(5)
    assert tried(0) == () and tried(5, "routes=lpm_dir24") == ()
    less = tuning.made_without(plain, compilation.load(plain))
    assert less("L3Ingress.routes=lpm_trie") == replace(plain, kernels=("L3Ingress.routes=lpm_trie",))
    assert less("L3Ingress.routes=lpm_dir24") is None


def test_kernels_of_the_tables_that_are_read_most_are_tried(monkeypatch: pytest.MonkeyPatch) -> None:
    """Four of them; none that the table has, or that others are compared with, or that the command line names."""
    request = Request(L3FWD.parents[1] / "router" / "router.p4", warnings=("no-all",))
    planned = compilation.decide(request, compilation.load(request)).planned
    names = ["RouterIngress.routes4", "RouterIngress.routes6", "RouterIngress.next_hops"]
    described = [
        {"name": name, "entries": 5, "reader_bytes": size, "memory_bytes": 9_000 - size}
        for name, size in zip(names, (2000, 3000, 1000), strict=True)
    ]
    usable = ("one", "two", "linear", "lpm_trie_plain", "three", *(planned.kernels[name].name for name in names))
    monkeypatch.setattr("macsad.tune.kernels.Chooser.takers", lambda chooser, table: usable)
    found = other_kernels(request, planned, described)
    every = [f"{name}={one}" for name in (names[1], names[0], names[2]) for one in usable
             if one not in ("linear", "lpm_trie_plain", planned.kernels[name].name)]  # fmt: skip
    assert found == tuple(every[:4]) and len(found) == 4
    for asked in ("routes6=linear", "RouterIngress.routes6=linear"):
        less = other_kernels(replace(request, kernels=(asked,)), planned, described)
        assert less == tuple(one for one in every if not one.startswith(names[1]))[:4]


def test_what_is_changed_has_the_rest_of_what_was_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    plain = replace(Request(L3FWD), kernels=("routes=lpm_trie",), wanted=Request(L3FWD).wanted.without(["bulk"]))
    monkeypatch.setattr(tuning.compilation, "generate_c", lambda request, hlir: SimpleNamespace(c=repr(request)))
    hlir: Any = None
    less = tuning.made_without(plain, hlir)
    assert less("I.t=exact_hash") == replace(plain, kernels=("routes=lpm_trie", "I.t=exact_hash"))
    assert less("prefetch") == replace(plain, wanted=plain.wanted.without(["prefetch"])) and less("bulk") is None


def test_another_file_is_taken_where_it_is_asked_for(tmp_path: Path) -> None:
    (tmp_path / "l3fwd.tune.toml").write_text("version = 1\nburst = 32\nsub_batch = 8\n")
    other = tmp_path / "other.toml"
    other.write_text("version = 1\nburst = 16\nsub_batch = 4\n")
    assert tuned.taken(program(tmp_path), {"tune_file": other}).target.run.burst == 16


@pytest.mark.parametrize("verb", ["tune", "place"])
@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--entries", str(L3FWD)), "entries of a file go with --traffic"),
        (("--table", "routes=5", "--traffic", str(L3FWD)), "--table is for entries that are made"),
        (("--entries", "none"), "File 'none' does not exist"),
    ],
)
def test_traffic_that_does_not_go_together(
    verb: str, options: tuple[str, ...], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert cli.call([verb, str(L3FWD), *options]) == cli.USAGE
    assert message in " ".join(capsys.readouterr().err.split())


# --- the search, on a switch that takes what the model says ------------------------------------------------------------

ROUTES = "L3Ingress.routes"
MADE = ProgramProfile(100, 400, (Read(2, 1 << 26, whole_burst=False),), pages="huge")


class Taking:
    """A switch that takes `factor` times what the model says of MADE."""

    def __init__(self, factor: float = 1.0) -> None:
        self.factor = factor
        self.tables = [{"name": ROUTES, "entries": 5, "reader_bytes": 4096}]
        self.turns: list[tuple[str, int, int, float]] = []

    def measure(self, what: str, number: int, other: int, seconds: float) -> Sample:
        self.turns.append((what, number, other, seconds))
        taken = round(predict(HERE, MADE, (number, other)).cycles * self.factor * 1e6)
        return Sample(1_000_000, taken, taken, taken)


class Measured:
    """In place of a Subject. `others`: switches without an optimisation or with another kernel."""

    length = 64
    clocks = True
    others: ClassVar[dict[str, Taking]] = {}
    asked: ClassVar[list[tuple[str, ...]]] = []

    def __init__(self, *_: object) -> None:
        self.switch = Taking()

    def reads(self, whole_burst: object) -> tuple[Read, ...]:
        if not self.clocks:
            raise NoClocks("there are no clocks")
        return MADE.reads

    def variants(self, names: tuple[str, ...], without: object, closing: object) -> dict[str, Taking]:
        self.asked.append(tuple(names))
        return self.others


@pytest.fixture
def search(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Callable[..., tuning.Tuning]:
    """search(elsewhere, name=factor, …): what is found. A look at the clock takes a second."""
    monkeypatch.setattr(tuning, "Subject", Measured)
    monkeypatch.setattr(tuning, "monotonic", itertools.count().__next__)
    Measured.asked.clear()

    def found(elsewhere: MachineProfile | None = None, **factors: float) -> tuning.Tuning:
        monkeypatch.setattr(Measured, "others", {name: Taking(factor) for name, factor in factors.items()})
        traffic = Traffic(None, tmp_path / "x.pcap", "told")
        return tuning.tune(program(tmp_path), traffic, HERE, tmp_path, elsewhere)

    return found


def takes(point: tuple[int, int]) -> float:
    return predict(HERE, MADE, point).cycles


def test_the_settings_that_the_model_foresees_are_found_by_measuring(search: Callable[..., tuning.Tuning]) -> None:
    """Of what is alike within half a percent the smallest B and b."""
    made = search()
    best = min(takes(point) for point in GRID)
    chosen = (made.settings.burst, made.settings.sub_batch)
    assert chosen == min(point for point in GRID if takes(point) <= best * 1.005) and made.settings.without == ()
    assert made.chosen == pytest.approx(takes(chosen)) and made.predicted == pytest.approx(takes(chosen), rel=0.01)
    assert (made.usual, made.vanilla) == (pytest.approx(takes((64, 64))), pytest.approx(takes((1, 1))))
    assert (made.hz, made.traffic, made.seconds) == (HERE.hz, "told", 2)
    assert made.limit == predict(HERE, MADE, chosen).limit.value
    measured = [row.measured for row in made.rows]
    assert measured == sorted(measured) and len({row.point for row in made.rows}) == len(made.rows)
    for row in made.rows:
        assert row.without == "" and row.measured == pytest.approx(takes(row.point)) == pytest.approx(
            row.predicted, rel=0.01
        )
    assert (64, 64) in {row.point for row in made.rows}
    assert dict(made.kernels).keys() == {ROUTES}
    (names,) = Measured.asked
    assert names[:4] == ("bulk", "software-pipelining", "prefetch", "decision-cache")
    assert f"{ROUTES}=lpm_trie" in names[4:]


@pytest.mark.parametrize(
    ("factors", "without", "kernels"),
    [
        ({"bulk": 0.9, "prefetch": 0.95}, ("bulk",), ()), ({"bulk": 0.99, "prefetch": 1.5}, (), ()),
        ({"bulk": 0.9, f"{ROUTES}=lpm_trie": 0.8}, (), (f"{ROUTES}=lpm_trie",)),
    ],
)  # fmt: skip
def test_what_gains_more_than_a_fiftieth_is_changed(
    search: Callable[..., tuning.Tuning], factors: dict[str, float], without: tuple[str, ...], kernels: tuple[str, ...]
) -> None:
    made = search(**factors)
    assert (made.settings.without, made.settings.kernels) == (without, kernels)
    point = (made.settings.burst, made.settings.sub_batch)
    [name] = without or kernels or [""]
    assert made.chosen == pytest.approx(takes(point) * factors.get(name, 1.0))
    of_others = [row for row in made.rows if row.without]
    assert {row.without for row in of_others} == set(factors) and all(row.predicted is None for row in of_others)
    for row in of_others:
        assert row.measured == pytest.approx(takes(row.point) * factors[row.without])
    if kernels:
        assert dict(made.kernels)[ROUTES] == "lpm_trie"
    assert made.predicted == pytest.approx(takes(point), rel=0.01), "the model does not know what is left out"


def test_only_the_fastest_points_are_measured_of_what_is_changed(search: Callable[..., tuning.Tuning]) -> None:
    """Three points of each, in rounds of their own; at last four keys and what is usual, ten times."""
    made = search(bulk=0.9, prefetch=1.5)
    points = {name: {row.point for row in made.rows if row.without == name} for name in ("", "bulk", "prefetch")}
    assert len(points["bulk"]) == 3 and points["bulk"] == points["prefetch"] < points[""]
    assert max(takes(point) for point in points["bulk"]) <= min(takes(point) for point in points[""] - points["bulk"])
    counts = Counter((turn[1], turn[2]) for turn in Measured.others["bulk"].turns)
    assert sorted(counts.values()) == [1 + 3 + 10] * 3, "one that does not count"
    assert sorted(Counter(turn[1:3] for turn in Measured.others["prefetch"].turns).values()) == [1 + 3] * 3
    assert {turn[3] for turn in Measured.others["bulk"].turns} == {0.015}


def test_another_machine_is_set_by_the_model_alone(search: Callable[..., tuning.Tuning]) -> None:
    other = replace(HERE, hz=1e9)
    made = search(other, bulk=0.5)
    order = ranked(other, MADE)
    assert (made.settings.burst, made.settings.sub_batch) == order[0].point and made.settings.without == ()
    assert [row.point for row in made.rows] == [one.point for one in order]
    assert all(row.measured is None and row.predicted for row in made.rows) and made.chosen is None
    assert (made.hz, made.seconds, made.kernels, made.traffic) == (1e9, 1, (), "told")
    assert made.predicted == pytest.approx(takes(order[0].point), rel=0.01)
    assert (made.usual, made.vanilla) == (pytest.approx(takes((64, 64))), pytest.approx(takes((1, 1))))


def test_a_switch_without_clocks_is_not_tuned(
    search: Callable[..., tuning.Tuning], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Measured, "clocks", False)
    with pytest.raises(BenchError, match="there are no clocks"):
        search()
