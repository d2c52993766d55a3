"""Programs that must be rejected, each with the exact text that the person who wrote it gets to read.

NAME.p4 has its messages in NAME.txt beside it; files that it includes end in .h. A program in `syntax/` goes through the parser
alone, one in `target/` through all that stands before its C, any other through the check of the frontend that recognises it.
`pytest tests/errors --update-golden` writes the messages anew: read the difference.
"""

from __future__ import annotations

from collections.abc import Callable
from importlib.metadata import entry_points
from pathlib import Path

import pytest
from aux_frontend.p4_16.parser import parse

from transpiler.codegen import capabilities
from transpiler.diagnostics import Diagnostics, Rejected
from transpiler.frontend import Frontend, Source
from transpiler.passes.pipeline import optimise
from transpiler.targets.find import builtin

HERE = Path(__file__).parent
PROGRAMS = sorted(path.relative_to(HERE) for path in HERE.rglob("*.p4"))


def checker_of(program: Path) -> Callable[[Source, Diagnostics], object]:
    if program.parts[0] == "syntax":
        return parse
    text = program.read_text(errors="replace")
    frontends: list[Frontend] = [point.load()() for point in entry_points(group="macsad.frontends")]
    frontend = max(frontends, key=lambda frontend: frontend.recognises(program, text))
    if program.parts[0] != "target":
        return frontend.check

    def whole(source: Source, diagnostics: Diagnostics) -> object:
        return capabilities.check(optimise(frontend.load(source, diagnostics)), builtin(), diagnostics)

    return whole


@pytest.mark.parametrize("program", PROGRAMS, ids=str)
def test_rejected_with_these_messages(
    program: Path, golden: Callable[[Path, str], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(HERE)
    diagnostics = Diagnostics()
    with pytest.raises(Rejected):
        checker_of(program)(Source(program), diagnostics)
    golden(HERE / program.with_suffix(".txt"), diagnostics.render())
