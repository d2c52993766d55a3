"""The pass of docs/extend/pass.md, as written there, on a list of passes that has it."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from types import ModuleType

import pytest
from hlir_builder import AT, Builder, extract, goto, state

from macsad.cli import call
from transpiler.hlir.expressions import Read, Unary, UnaryOp
from transpiler.hlir.printer import print_program
from transpiler.hlir.program import Program
from transpiler.hlir.types import Bits
from transpiler.passes import pipeline
from transpiler.verifier import verify

PAGE = Path(__file__).parents[2] / "docs" / "extend" / "pass.md"
FILE = re.compile(r"^`transpiler/passes/(\w+)\.py`\n\n^```python\n(.*?)^```$", re.MULTILINE | re.DOTALL)


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch) -> Callable[[Program], Program]:
    ((name, text),) = FILE.findall(PAGE.read_text())
    module = ModuleType(name)
    exec(compile(text, name, "exec"), module.__dict__)
    assert f'("{name}", {name}.run),' in PAGE.read_text()
    monkeypatch.setattr(pipeline, "PASSES", ((name, module.run),))
    return lambda program: pipeline.optimise(program, passes=pipeline.PASSES)


@pytest.mark.parametrize(("inner", "acts"), [(UnaryOp.COMPLEMENT, True), (UnaryOp.NEGATE, False)])
def test_it_acts_where_it_must_and_only_there(run: Callable[[Program], Program], inner: UnaryOp, acts: bool) -> None:
    b = Builder()
    b.header("h", "h_t", x=8, y=8)
    value = Unary(inner, Read(b.place("h.x"), Bits(8), AT), Bits(8), AT)
    body = [b.set("h.y", Unary(UnaryOp.COMPLEMENT, value, Bits(8), AT))]
    before = b.build([state("start", [extract("h")], goto("accept"))], body)
    after = run(before)
    verify(after)
    assert (after != before, "~" not in print_program(after)) == (acts, acts)


def test_a_pass_that_breaks_a_program_is_named(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def lose_tables(program: Program) -> Program:
        return replace(program, tables=())

    monkeypatch.setattr(pipeline, "PASSES", (("lose_tables", lose_tables),))
    program = PAGE.parents[2] / "apps" / "l2fwd" / "l2fwd.p4"
    assert call(["check", str(program)]) == 3
    said = capsys.readouterr().err
    assert said.startswith("macsad: error: the pass 'lose_tables' makes malformed HLIR:\n")
    assert re.search(rf"^{program}:\d+:\d+: .*", said, re.MULTILINE)
    assert "(see docs/extend/pass.md)" in said
