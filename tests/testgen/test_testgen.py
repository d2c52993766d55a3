"""`macsad testgen`: programs of which is known what can be covered; its tests pass on the interpreter and on the switch."""

from __future__ import annotations

import io
import json
import sys
from itertools import count
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import switches

z3 = pytest.importorskip("z3")

from macsad import cli, simulate, test  # noqa: E402
from macsad.compilation import Request  # noqa: E402
from macsad.testgen import report  # noqa: E402
from macsad.testgen.making import Made, Order, make  # noqa: E402
from transpiler.diagnostics import Span  # noqa: E402
from transpiler.testgen.generate import generate  # noqa: E402
from transpiler.testgen.proofs import proofs  # noqa: E402

HERE = Path(__file__).parent
APPS = sorted((HERE.parents[1] / "apps").glob("*/*.p4"))
PACKETS = HERE.parent / "packets"
SECONDS = 120.0  # far more than it takes


def made_of(path: Path, folder: Path, at_most: int | None = None) -> Made:
    return make(Request(path), switches.load(path), Order(folder / "tests", SECONDS, 1, at_most))


def uncovered(made: Made) -> dict[tuple[int, str], bool]:
    """Line and kind of what is not covered → whether that is proved."""
    items = made.generated.coverage.items
    return {(items[n].span.line, items[n].kind): reason.proved for n, reason in made.generated.unreached.items()}


def run_on_both(made: Made, path: Path) -> None:
    assert made.files
    binary = switches.build(path)
    for file in map(Path, made.files):
        out = io.StringIO()
        assert simulate.run(switches.load(path), file, out=out) == 0, out.getvalue()
        assert test.run(switches.load(path), file, binary, out=out) == 0, f"{out.getvalue()}\n{file.read_text()}"


@pytest.mark.parametrize("name", ["checksum", "state"])
def test_everything_is_reached(name: str, tmp_path: Path) -> None:
    made = made_of(HERE / f"{name}.p4", tmp_path)
    assert not made.generated.unreached
    assert len(made.generated.covered) == len(made.generated.coverage.items)
    run_on_both(made, HERE / f"{name}.p4")


def test_what_no_packet_reaches_is_proved(tmp_path: Path) -> None:
    made = made_of(HERE / "unreachable.p4", tmp_path)
    assert uncovered(made) == {
        (23, "branch"): True,  # the case behind one that takes all of it
        (27, "state"): True,
        (44, "branch"): True,
        (45, "statement"): True,
    }
    run_on_both(made, HERE / "unreachable.p4")


def test_what_no_hash_gives_is_proved(tmp_path: Path) -> None:
    made = made_of(HERE / "hashed.p4", tmp_path)
    assert uncovered(made) == {(32, "branch"): True, (33, "statement"): True}


def test_how_long_it_took_is_told() -> None:
    ticks = count(1000)
    made = generate(switches.load(HERE / "hashed.p4"), 1e6, clock=lambda: float(next(ticks)))
    assert made.seconds == next(ticks) - 1 - 1000


def test_a_parser_that_loops_over_a_stack(tmp_path: Path) -> None:
    made = made_of(HERE / "stack.p4", tmp_path)
    assert uncovered(made) == {(21, "branch"): True}  # `last` of no element: the state has just extracted one
    frames = [
        line.split()[2] for file in made.files for line in Path(file).read_text().splitlines() if "packet 0" in line
    ]
    assert max(len(frame) // 2 for frame in frames) >= 6
    run_on_both(made, HERE / "stack.p4")


def test_what_cannot_be_chosen_is_not_called_unreachable(tmp_path: Path) -> None:
    made = made_of(PACKETS / "value_sets.p4", tmp_path)
    assert made.generated.unreached
    assert not any(reason.proved for reason in made.generated.unreached.values())
    assert any("value set" in reason.text for reason in made.generated.unreached.values())


@pytest.mark.skipif(switches.PLATFORM != "linux", reason="other names of ports")
@pytest.mark.parametrize("program", APPS, ids=[app.stem for app in APPS])
def test_the_apps_are_covered_and_pass(program: Path, tmp_path: Path) -> None:
    made = made_of(program, tmp_path)
    assert not made.generated.unreached
    assert not proofs(switches.load(program), made.generated.coverage)
    run_on_both(made, program)


@pytest.mark.parametrize("name", ["psa_externs", "pna_paths", "p4_14_tables", "profiles"])
def test_other_architectures_and_languages_pass_on_the_interpreter(name: str, tmp_path: Path) -> None:
    """Each file is run by `make` itself; here it is looked at that there is something in them."""
    made = made_of(PACKETS / f"{name}.p4", tmp_path)
    covered, total, _ = report.figures(made.generated)["branches"]
    assert covered > 0.9 * total
    assert all("packet " in Path(file).read_text() for file in made.files)


def test_one_file_for_all(tmp_path: Path) -> None:
    path = HERE / "state.p4"
    out = tmp_path / "all.stf"
    made = make(Request(path), switches.load(path), Order(out, SECONDS, 1, None))
    assert set(made.files) == {str(out)}
    assert out.read_text().count("\npacket ") == len(made.generated.tests) > 1
    text = io.StringIO()
    assert test.run(switches.load(path), out, switches.build(path), out=text) == 0, text.getvalue()


def test_fewer_tests_than_it_takes(tmp_path: Path) -> None:
    made = made_of(HERE / "state.p4", tmp_path, at_most=1)
    assert len(made.files) == 1
    assert made.generated.unreached
    assert all("more tests than were asked for" in reason.text for reason in made.generated.unreached.values())


def test_what_counts_as_a_line_and_as_a_branch() -> None:
    """A line is covered by any statement or state in it; branches count one by one, proved ones out of reach apart."""

    def item(kind: str, line: int) -> SimpleNamespace:
        return SimpleNamespace(kind=kind, span=Span("p.p4", line, 1))

    items = [item("statement", 1), item("statement", 1), item("state", 2), item("statement", 3), item("statement", 4),
             item("branch", 9), item("branch", 9), item("branch", 1)]  # fmt: skip
    reasons = {1: SimpleNamespace(proved=True), 3: SimpleNamespace(proved=True), 4: SimpleNamespace(proved=False),
               6: SimpleNamespace(proved=True), 7: SimpleNamespace(proved=False)}  # fmt: skip
    made: Any = SimpleNamespace(coverage=SimpleNamespace(items=items), covered={0, 2, 5}, unreached=reasons)
    assert report.figures(made) == {"lines": (2, 4, 1), "branches": (1, 3, 1)}


def test_the_report_as_json(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = HERE / "unreachable.p4"
    assert cli.call(["testgen", str(path), "-o", str(tmp_path / "t"), "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert told["branches"] == {"covered": 8, "total": 10, "unreachable": 2}
    assert told["lines"] == {"covered": 8, "total": 10, "unreachable": 2}
    assert [one["place"] for one in told["uncovered"]] == [
        f"{path}:23:13", f"{path}:27:11", f"{path}:44:28", f"{path}:45:28",
    ]  # fmt: skip
    assert all(Path(one["file"]).is_file() and one["covers"] for one in told["tests"])


def test_the_report_for_people(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = HERE / "unreachable.p4"
    assert cli.call(["testgen", str(path), "-o", str(tmp_path / "t")]) == 0
    told = capsys.readouterr().out
    assert "branches: 8 of 10 (80.0%); 2 cannot be reached" in told
    assert f"{path}:44:28: branch if true: unreachable" in told


def test_without_z3(tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "z3", None)
    assert cli.call(["testgen", str(HERE / "state.p4"), "-o", str(tmp_path / "t")]) == 1
    assert "pip install 'macsad[testgen]'" in capsys.readouterr().err
    assert not (tmp_path / "t").exists()


@pytest.mark.parametrize(
    "options", [["none.p4"], [str(HERE / "state.p4"), "--time", "0"], [str(HERE / "state.p4"), "--max-tests", "0"],
                [str(HERE / "state.p4"), "--tests"]],
    ids=["no file", "no time", "no tests", "no option"],
)  # fmt: skip
def test_wrong_usage(options: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.call(["testgen", *options]) == 2
    assert "testgen" in capsys.readouterr().err


def test_a_program_is_not_written_over(tmp_path: Path) -> None:
    program = tmp_path / "p.stf"
    program.write_text((HERE / "state.p4").read_text())
    before = program.read_text()
    assert cli.call(["testgen", str(program), "--std", "p4-16", "-o", str(program)]) == 2
    assert program.read_text() == before
