"""A program that is read again, for what becomes of its packets, is not told of again."""

from __future__ import annotations

from pathlib import Path

import pytest

from macsad import compilation
from macsad.compilation import Request
from macsad.replacing import ReadAhead

APP = Path(__file__).parents[2] / "apps" / "l2fwd" / "l2fwd.p4"
UNUSED = "const bit<8> UNUSED = 300;\n"


def test_warnings_are_printed_once(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    program = tmp_path / "p.p4"
    text = APP.read_text()
    program.write_text(text.replace("#include <v1model.p4>\n", "#include <v1model.p4>\n" + UNUSED))
    request = Request(program)
    compilation.load(request)
    assert "warning: 300 does not fit" in capsys.readouterr().err
    compilation.load_again(request)
    assert capsys.readouterr().err == ""


def test_a_program_that_is_read_ahead_is_given_away() -> None:
    """It is kept by who tells its packets, and by nobody else."""
    reads = iter(["first", "second", "third"])
    ahead = ReadAhead(lambda: next(reads))  # type: ignore[arg-type, return-value]
    assert [ahead(), ahead()] == ["first", "second"]
    ahead.forget()
    assert ahead() == "third"
