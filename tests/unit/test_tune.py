"""Tuning: which settings are tried, which are chosen of what was measured, and the file that build and run take."""

from __future__ import annotations

import tomllib
from contextlib import nullcontext
from dataclasses import replace
from pathlib import Path

import pytest
from machine import MACHINE

from macsad import cli, compilation
from macsad.bench.samples import Sample
from macsad.compilation import Request
from macsad.tune import tune_file, tuned, tuning
from macsad.tune.kernels import other_kernels
from macsad.tune.tuned import BadTuning, Settings
from transpiler.model.choice import GRID, SPREAD, SUB_BATCHES, beside, ranked, worth_measuring
from transpiler.model.machine import machine_profile
from transpiler.model.throughput import ProgramProfile, Read, predict
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


def test_the_worst_are_not_measured_and_each_burst_has_its_turn() -> None:
    order = ranked(HERE, READING)
    tried = worth_measuring(order, 100, doubt=0.1)
    limit = order[0].prediction.cycles * 1.1
    assert {one.point for one in tried} == {one.point for one in order if one.prediction.cycles <= limit}
    assert (1, 1) not in {one.point for one in tried}
    few = worth_measuring(ranked(HERE, COMPUTING), 4)
    assert len({one.point[0] for one in few}) == 4, "what is alike is tried at each B"


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
        ("version = 2\nburst = 8\nsub_batch = 8", "version 2"),
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
