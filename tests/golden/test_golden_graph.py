"""The drawings of a program with every kind of node and edge, as DOT beside it, and burst plans as text (`--update-golden` writes
them anew)."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from macsad.compilation import Request, decide, load
from transpiler.graph import control, dot, parser, plan, tables
from transpiler.graph.drawing import Drawing
from transpiler.hlir.program import Program
from transpiler.optimisations import ALL

FOLDER = Path(__file__).parent / "graph"
DRAW = {"parser": parser.draw, "control": control.draw, "tables": tables.draw}


@pytest.mark.parametrize("kind", DRAW)
def test_drawing(kind: str, golden: Callable[[Path, str], None], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(FOLDER)  # places in the program are in the drawing
    draw: Callable[[Program], Drawing] = DRAW[kind]
    golden(FOLDER / f"ways.{kind}.dot", dot.write(draw(load(Request(Path("ways.p4"), warnings=("no-all",))))))


@pytest.mark.parametrize(
    ("program", "left_out"),
    [
        ("apps/l3fwd/l3fwd.p4", []),
        ("apps/l3fwd/l3fwd.p4", ["bulk", "read-ahead"]),
        ("apps/l2fwd/l2fwd.p4", []),
        ("apps/l2fwd/l2fwd.p4", ["software-pipelining", "run-to-completion"]),
        ("tests/golden/codegen/staged.p4", ["small-tables"]),
        ("tests/golden/codegen/plain.p4", []),
        ("tests/golden/codegen/replicated.p4", ["small-tables"]),
    ],
)
def test_plan(program: str, left_out: list[str], golden: Callable[[Path, str], None]) -> None:
    request = Request(FOLDER.parents[2] / program, warnings=("no-all",), wanted=ALL.without(left_out))
    name = "-no-".join([Path(program).stem, *left_out])
    golden(FOLDER / f"{name}.plan", plan.text(decide(request, load(request)).planned))


def test_drawing_of_a_plan(golden: Callable[[Path, str], None], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(FOLDER.parent / "codegen")
    request = Request(Path("replicated.p4"), warnings=("no-all",), wanted=ALL.without(["small-tables"]))
    golden(FOLDER / "replicated.plan.dot", dot.write(plan.draw(decide(request, load(request)).planned)))


def test_the_plan_in_the_documents_is_that_of_the_app() -> None:
    assert (FOLDER / "l3fwd.plan").read_text() in (FOLDER.parents[2] / "docs" / "architecture.md").read_text()
