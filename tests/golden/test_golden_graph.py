"""The drawings of a program with every kind of node and edge, as DOT beside it (`--update-golden` writes it anew)."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from macsad.compilation import Request, load
from transpiler.graph import control, dot, parser, tables
from transpiler.graph.drawing import Drawing
from transpiler.hlir.program import Program

FOLDER = Path(__file__).parent / "graph"
DRAW = {"parser": parser.draw, "control": control.draw, "tables": tables.draw}


@pytest.mark.parametrize("kind", DRAW)
def test_drawing(kind: str, golden: Callable[[Path, str], None], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(FOLDER)  # places in the program are in the drawing
    draw: Callable[[Program], Drawing] = DRAW[kind]
    golden(FOLDER / f"ways.{kind}.dot", dot.write(draw(load(Request(Path("ways.p4"), warnings=("no-all",))))))
