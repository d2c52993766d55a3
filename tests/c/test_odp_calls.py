"""The calls of our ODP headers, the pages that describe them and the conformance tests that make them: the same set."""

from __future__ import annotations

import itertools
import re
import subprocess
from pathlib import Path

from test_odp import CONFORMANCE, PLATFORM, ROOT, TESTS

PAGES = ROOT / "docs" / "odp"
INCLUDE = PLATFORM / "include"
MARKER = re.compile(r'# \d+ "([^"]+)"')
TOKEN = re.compile(r"\w+|[^\w\s]")


def preprocessed(source: Path) -> list[tuple[Path, str]]:
    """The lines of a C file and what it includes, macros expanded, each with the file where it stands."""
    command = ["gcc", "-E", "-D_GNU_SOURCE", f"-I{INCLUDE}", str(source)]
    text = subprocess.run(command, capture_output=True, text=True, check=True, timeout=60).stdout
    here, lines = source, []
    for line in text.splitlines():
        if marker := MARKER.match(line):
            here = Path(marker[1])
        else:
            lines.append((here, line))
    return lines


def declared() -> set[tuple[str, str]]:
    """(header, call): the functions that are declared or defined at the outermost level."""
    calls, depth, statement = set(), 0, [""]
    for file, line in preprocessed(INCLUDE / "odp_api.h"):
        if not file.is_relative_to(INCLUDE):
            continue
        for token in TOKEN.findall(line):
            depth += (token == "{") - (token == "}")
            if depth == 0 and token == "(" and statement[-1].startswith("odp_") and "typedef" not in statement:
                calls.add((file.name, statement[-1]))
            statement = [""] if depth == 0 and token in ";}" else [*statement, token]
    return calls


def expanded(name: str) -> list[str]:
    """`a_{b,c}` is a_b and a_c."""
    parts = [part.split(",") if odd % 2 else [part] for odd, part in enumerate(re.split(r"[{}]", name))]
    return ["".join(choice) for choice in itertools.product(*parts)]


def described() -> list[tuple[str, str]]:
    """(header, call) of each row's first cell, under the heading of its header."""
    rows, header = [], ""
    for page in sorted(PAGES.glob("*.md")):
        for line in page.read_text().splitlines():
            if heading := re.match(r"## (?:`(\w+\.h)`)?", line):
                header = heading[1] or ""
            if header and line.startswith("| `"):
                cells = line.split("|")[1:-1]
                assert len(cells) == 4, f"{page.name}: {line}"
                rows += [(header, call) for name in re.findall(r"`([^`]+)`", cells[0]) for call in expanded(name)]
    return rows


def used() -> set[str]:
    """The calls that the conformance tests make."""
    calls: set[str] = set()
    for name in CONFORMANCE:
        for file, line in preprocessed(TESTS / f"test_{name}.c"):
            if file.is_relative_to(TESTS):
                calls.update(re.findall(r"\bodp_\w+", line))
    return calls


def test_every_call_is_described_once() -> None:
    rows, calls = described(), declared()
    assert len(calls) > 300
    assert sorted(row for row in set(rows) if rows.count(row) > 1) == []
    assert sorted(calls - set(rows)) == [], "declared, but in no table of docs/odp/"
    assert sorted(set(rows) - calls) == [], "in a table of docs/odp/, but not declared"


def test_every_call_is_made_by_a_conformance_test() -> None:
    assert sorted({call for _, call in declared()} - used()) == []


def test_every_header_is_on_the_overview() -> None:
    overview = (PAGES / "README.md").read_text()
    assert sorted(header for header in {file for file, _ in declared()} if f"`{header}`" not in overview) == []
