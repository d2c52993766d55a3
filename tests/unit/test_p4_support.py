"""docs/p4-support.md, docs/bmv2.md and docs/p4runtime.md are held against the tests: each row names tests that are there; the
first says no more than they show."""

from __future__ import annotations

import functools
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
import switches

from transpiler.codegen import capabilities
from transpiler.diagnostics import Diagnostics, Rejected
from transpiler.passes.pipeline import optimise
from transpiler.targets.find import builtin

PAGE = Path(__file__).parents[2] / "docs" / "p4-support.md"
COLUMNS = ("check", "simulate", "linux", "odp")
MARKS = "✓✗○–"
REFERENCE = re.compile(r"\[[^\]]+\]\((?P<path>[^)]+)\)(?:: (?P<case>.+))?")

# What a test under tests/ runs: the longest path that begins so counts. `packets` is looked at program by program.
RUNS = {
    "errors/": {"check"},
    "unit/": {"check"},
    "unit/test_p4_16_elaborate.py": {"check", "simulate"},
    "unit/test_p4_14_semantics.py": {"check", "simulate"},
    "unit/test_pna.py": {"check", "simulate"},
    "unit/test_psa.py": {"check", "simulate"},
    "unit/test_interpreter_": {"simulate"},
    "c/": {"linux"},
    "system/": {"check", "linux"},
    "packets/": set(COLUMNS),
}


@dataclass(frozen=True)
class Row:
    line: int
    feature: str
    marks: dict[str, str]
    tests: tuple[str, ...]

    def __str__(self) -> str:
        return f"{PAGE.name}:{self.line}: {self.feature}"


def rows() -> Iterator[Row]:
    for number, line in enumerate(PAGE.read_text().splitlines(), 1):
        if not line.startswith("|") or line.startswith(("| Feature", "|---")):
            continue
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        assert len(cells) == 8, f"{PAGE.name}:{number}: {len(cells)} cells, and the table has 8"
        feature, _, *marks, tests, _ = cells
        yield Row(number, feature, dict(zip(COLUMNS, marks, strict=True)), tuple(filter(None, tests.split(" · "))))


ROWS = tuple(rows())


@functools.cache
def compiles(program: Path) -> bool:
    """Whether our target takes the program: the packet test of one that it refuses is skipped."""
    try:
        capabilities.check(optimise(switches.load(program)), builtin(), Diagnostics())
    except Rejected:
        return False
    return True


def shown_by(file: Path) -> set[str]:
    """The columns that a test shows."""
    if file.suffix == ".stf":
        programs = list(file.parent.glob("*.p4")) if file.stem == "packets" else [file.with_suffix(".p4")]
        return set(COLUMNS) if all(map(compiles, programs)) else {"check", "simulate"}
    path = file.relative_to(PAGE.parents[1] / "tests").as_posix()
    return RUNS[max((prefix for prefix in RUNS if path.startswith(prefix)), key=len)]


def problem_of(file: Path, case: str) -> str | None:
    """Why that is no case of the file."""
    text = file.read_text()
    if file.suffix == ".stf":
        heading, found, behind = text.partition(f"# {case}\n")
        here = re.split(r"^#", behind, maxsplit=1, flags=re.MULTILINE)[0]
        if not found or heading[-1:] not in ("", "\n"):
            return f"has no comment '# {case}'"
        return None if re.search(r"^(packet|expect|check_counter)", here, re.MULTILINE) else f"'{case}' has no packet"
    if file.suffix == ".p4":
        return None if case in file.with_suffix(".txt").read_text() else f"has no message '{case}'"
    function, _, parameter = case.partition("[")
    if f"def {function}(" not in text:
        return f"has no function '{function}'"
    return None if not parameter or f'"{parameter.rstrip("]")}"' in text else f"has no parameter '{parameter}'"


def references(row: Row) -> Iterator[tuple[Path, str | None]]:
    yield from named(row.tests, str(row))


def named(tests: tuple[str, ...], where: str) -> Iterator[tuple[Path, str | None]]:
    """The files of a cell of tests, and the cases in them."""
    assert tests, f"{where}: no test"
    for test in tests:
        match = REFERENCE.fullmatch(test)
        assert match, f"{where}: '{test}' is not [name](file): case"
        file = (PAGE.parent / match["path"]).resolve()
        assert file.is_file(), f"{where}: {match['path']} is not there"
        yield file, match["case"]


def test_every_program_of_packets_is_in_a_row() -> None:
    named = {file.stem for row in ROWS for file, _ in references(row) if file.suffix == ".stf"}
    assert {program.stem for program in (PAGE.parents[1] / "tests" / "packets").glob("*.p4")} <= named


def test_there_are_rows() -> None:
    assert len(ROWS) > 200
    assert len({row.feature for row in ROWS}) > 200


@pytest.mark.parametrize("row", ROWS, ids=lambda row: f"{row.line}")
def test_row(row: Row) -> None:
    shown: set[str] = set()
    for file, case in references(row):
        problem = problem_of(file, case) if case is not None else None
        assert problem is None, f"{row}: {file.name} {problem}"
        shown |= shown_by(file)
    for column, mark in row.marks.items():
        assert len(mark) == 1 and mark in MARKS, f"{row}: '{mark}' under {column}"
        assert mark != "✓" or column in shown, f"{row}: no test of it shows that {column} works"


def bmv2_rows() -> Iterator[tuple[int, str]]:
    """The rows of the page on BMv2: number of the line, and the last cell, which has the tests."""
    for number, line in enumerate((PAGE.parent / "bmv2.md").read_text().splitlines(), 1):
        if line.startswith("| ") and not line.startswith("| What |"):
            yield number, line.strip("| ").split(" | ")[-1]


BMV2_ROWS = tuple(bmv2_rows())


def test_there_are_rows_on_bmv2() -> None:
    assert len(BMV2_ROWS) > 30


@pytest.mark.parametrize(("number", "tests"), BMV2_ROWS, ids=[str(number) for number, _ in BMV2_ROWS])
def test_row_on_bmv2(number: int, tests: str) -> None:
    where = f"bmv2.md:{number}"
    for file, case in named(tuple(tests.split(" · ")), where):
        problem = problem_of(file, case) if case is not None else None
        assert problem is None, f"{where}: {file.name} {problem}"


def p4runtime_rows(title: str) -> dict[str, str]:
    """The rows of a table of the page on P4Runtime: its first and its last cell."""
    text = (PAGE.parent / "p4runtime.md").read_text().partition(f"\n## {title}\n")[2].partition("\n##")[0]
    rows = [line.strip("| ").split(" | ") for line in text.splitlines() if line.startswith("| ")]
    return {cells[0].strip("| "): cells[-1] for cells in rows if cells[0] != "section"}


def test_each_section_of_p4runtime_has_its_tests() -> None:
    tests = p4runtime_rows("Tests")
    assert list(tests) and not p4runtime_rows("What works").keys() - tests.keys()
    for section, cell in tests.items():
        for file, case in named(tuple(cell.split(" · ")), f"p4runtime.md: {section}"):
            assert case is not None and problem_of(file, case) is None, f"p4runtime.md: {section}: {file.name} {case}"
