"""What is known of parsers: which states may be run for ever, and what an extract surely writes."""

from __future__ import annotations

import pytest
from hlir_builder import AT, Builder, const, exact, extract, goto, select, state

from transpiler.analysis.locations import Locator
from transpiler.analysis.progress import stalling_states
from transpiler.hlir import expressions as ex, statements as st
from transpiler.hlir.program import Parser
from transpiler.hlir.types import Bits, Varbit


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


HERE = st.Advance(const(0, 32), AT)
ON = st.Advance(const(1, 32), AT)


@pytest.mark.parametrize(
    ("states", "stalling"),
    [
        ({"start": (HERE, "accept")}, ""),
        ({"start": (HERE, "start")}, "start"),
        ({"start": (HERE, "more"), "more": (HERE, "start")}, "start more"),
        ({"start": (HERE, "more"), "more": (ON, "start")}, ""),
        ({"start": (ON, "more"), "more": (HERE, "more")}, "more"),
        ({"start": (HERE, "more"), "more": (HERE, "more")}, "more"),  # nothing leads back to start
        ({"start": (HERE, "one", "two"), "one": (ON, "start"), "two": (HERE, "start")}, "start two"),
        (
            {"start": (HERE, "one"), "one": (HERE, "two"), "two": (HERE, "three", "accept"), "three": (HERE, "one")},
            "one two three",
        ),
    ],
    ids=str,
)
def test_which_states_are_on_a_cycle_along_which_nothing_moves(
    states: dict[str, tuple[str | st.Statement, ...]], stalling: str
) -> None:
    b = Builder()
    b.variable("x", 8)
    made = []
    for name, (move, *targets) in states.items():
        assert isinstance(move, st.Advance)
        keys = [(exact(number, 8), str(target)) for number, target in enumerate(targets)]
        made.append(state(name, [move], goto(keys[0][1]) if len(keys) == 1 else select(b.get("x"), *keys)))
    program = b.build(made)
    parser = program.pipes[0]
    assert isinstance(parser, Parser)
    assert stalling_states(program, parser) == set(stalling.split())


def test_what_surely_moves_the_parser() -> None:
    """One bit is enough, and so is one statement of several; a number that is known only when it runs may be 0."""
    b = Builder()
    b.header("flag", "flag_t", f=1, g=7)
    b.stack("s", "s_t", 2, f=8)
    b.stack("v", "v_t", 2, some=Varbit(64))
    b.variable("n", 32)
    element = ex.ElementRef("s", b.get("n"), AT)
    empty = ex.ElementRef("v", b.get("n"), AT)
    for body, moves in (
        ([st.Extract(element, None, AT)], True),
        ([st.Extract(empty, const(0, 32), AT)], False),
        ([st.Advance(b.get("n"), AT)], False),
        ([HERE, ON], True),
        ([st.Lookahead(ex.VariableRef("n", AT), Bits(32), AT)], False),
        ([b.set("n", 1)], False),
        ([], False),
    ):
        program = b.build([state("start", body, goto("start"))])
        parser = program.pipes[0]
        assert isinstance(parser, Parser)
        assert (stalling_states(program, parser) == set()) == moves, body


def test_an_extract_may_fail_and_write_nothing() -> None:
    b = Builder()
    b.header("h", "h_t", a=8)
    taken = extract("h")
    access = Locator(b.build([state("start", [taken], goto("accept"))])).access(taken)
    assert access.writes and not access.killed
