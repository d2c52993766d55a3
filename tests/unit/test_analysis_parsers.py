"""What is known of parsers: which states may be run for ever, and what an extract surely writes."""

from __future__ import annotations

import pytest
from hlir_builder import AT, Builder, const, extract, goto, state

from transpiler.analysis.locations import Locator
from transpiler.analysis.progress import stalling_states
from transpiler.hlir import statements as st
from transpiler.hlir.program import Parser
from transpiler.hlir.types import Varbit


@pytest.mark.parametrize(("bits", "stalls"), [(0, True), (8, False)])
def test_a_state_that_advances_by_nothing_may_be_run_for_ever(bits: int, stalls: bool) -> None:
    b = Builder()
    program = b.build([state("start", [st.Advance(const(bits, 32), AT)], goto("start"))])
    parser = program.pipes[0]
    assert isinstance(parser, Parser)
    assert stalling_states(program, parser) == ({"start"} if stalls else set())


def test_a_header_that_may_be_empty_does_not_move_the_parser() -> None:
    b = Builder()
    b.header("v", "v_t", some=Varbit(64))
    b.header("h", "h_t", a=8)
    for taken, stalls in ((extract("v", const(0, 32)), {"start"}), (extract("h"), set())):
        program = b.build([state("start", [taken], goto("start"))])
        parser = program.pipes[0]
        assert isinstance(parser, Parser)
        assert stalling_states(program, parser) == stalls


def test_an_extract_may_fail_and_write_nothing() -> None:
    b = Builder()
    b.header("h", "h_t", a=8)
    taken = extract("h")
    access = Locator(b.build([state("start", [taken], goto("accept"))])).access(taken)
    assert access.writes and not access.killed
