"""docs/environment.md has every variable that is read, and none that nothing reads."""

from __future__ import annotations

import re
from pathlib import Path

ROOT = Path(__file__).parents[2]
ROOMS = ("macsad", "transpiler", "aux-frontend", "aux-backend", "bench", "scripts", "tests")
READS = re.compile(
    r"""environ(?:\.get\(|\[)"(\w+)"|getenv\("(\w+)"\)|"(\w+)" (?:not )?in os\.environ|\$\{(MACSAD_\w+)"""
)
INTERNAL = {
    "MACSAD_DOOR_ENTRIES",
    "MACSAD_LOOKUPS",
    "MACSAD_MATRIX",
    "MACSAD_TESTS_BUILT",
}  # said to itself by what sets them


def test_all_variables_are_in_the_table() -> None:
    files = [
        file
        for room in ROOMS
        for file in (ROOT / room).rglob("*")
        if file.is_file() and file.suffix in ("", ".py", ".c")
    ]
    text = "\n".join(file.read_text(errors="replace") for file in files)
    read = {name for groups in READS.findall(text) for name in groups if name}
    rows = re.findall(r"^\| (`.*?) \|", (ROOT / "docs" / "environment.md").read_text(), re.MULTILINE)
    told = {name for row in rows for name in re.findall(r"`(\w+)`", row)}
    assert sorted(read - told - INTERNAL) == [], "read, but not in docs/environment.md"
    named = set(re.findall(r"\w+", text))
    assert sorted(told - named) == [], "in docs/environment.md, and nowhere else"
