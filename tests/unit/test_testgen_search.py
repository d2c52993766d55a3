"""What `macsad testgen` counts while it looks for packets, when it ends, and what it says of what it did not find."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import switches

pytest.importorskip("z3")

from transpiler.testgen.choices import SESSIONS
from transpiler.testgen.cover import Coverage
from transpiler.testgen.search import Search, Turn
from transpiler.testgen.solve import Answer
from transpiler.testgen.unreached import reasons

TESTGEN = Path(__file__).parents[1] / "testgen"
HASHED, STATE = TESTGEN / "hashed.p4", TESTGEN / "state.p4"


@pytest.fixture
def search() -> Search:
    program = switches.load(HASHED)
    return Search(program, Coverage(program, ""), 1e6)


def walk(
    covered: set[int], *, endless: bool = False, decisions: tuple[Any, ...] = (), made: tuple[Any, ...] = ()
) -> Any:
    return SimpleNamespace(
        covered=covered,
        endless=endless,
        decisions=list(decisions),
        made=list(made),
        inexact=(),
        assignment={},
        choices={},
    )


def decision(site: tuple[Any, ...] | None, holds: int = 1, *, pinned: bool = False) -> Any:
    return SimpleNamespace(site=site, holds=SimpleNamespace(hash=lambda: holds), pinned=pinned)


def walking(search: Search, *walks: Any, steady: bool = True) -> list[tuple[Any, Any]]:
    """Let these walks come of what is tried; returns what is asked for."""
    asked: list[tuple[Any, Any]] = []
    ready = iter(walks)

    def send(assignment: Any, choices: Any) -> Any:
        asked.append((assignment, choices))
        return next(ready)

    search.walker = SimpleNamespace(walk=send)  # type: ignore[assignment]
    search.solver = SimpleNamespace(is_steady=lambda walk: steady, steady=lambda walk: Answer.NO)  # type: ignore[assignment]
    return asked


def test_as_many_walks_as_were_asked_for_or_as_there_is_time_for() -> None:
    program = switches.load(STATE)
    limited = Search(program, Coverage(program, ""), 1e6, most=3)
    timed = Search(program, Coverage(program, ""), 2.0, clock=lambda: float(timed.walks))
    for search in (limited, timed):
        search.run()
        assert search.walks == 3 and not search.complete and search.reasons == {"time": 1}


def test_with_time_every_way_is_taken(search: Search) -> None:
    told: list[tuple[int, int]] = []
    search.run(lambda done, total: told.append((done, total)))
    items = len(search.coverage.items)
    assert search.complete and not search.reasons and search.covered < search.wanted == set(range(items))
    assert all(total == items for _, total in told) and [done for done, _ in told] == sorted(done for done, _ in told)
    assert 0 < told[0][0] <= told[-1][0] < len(search.covered) and search.walks == 2


def test_nothing_is_looked_for_that_is_not_wanted(search: Search) -> None:
    search.wanted = frozenset()
    search.run()
    assert search.walks == 1 and not search.complete and not search.reasons


def test_packets_without_end_are_counted_and_not_kept(search: Search) -> None:
    walking(search, walk({0}, endless=True), walk({0, 1}), walk({2}, endless=True))
    for _ in range(3):
        search.take({}, {}, 0)
    assert search.covered == {0, 1} and len(search.found) == 1 and search.walks == 3
    assert search.reasons == {"packets that go round and round": 2} and search.unsolved == 2


def test_what_depends_on_the_time_of_day_is_counted_and_not_kept(search: Search) -> None:
    walking(search, walk({0}), walk({1}), steady=False)
    search.take({}, {}, 0)
    search.take({}, {}, 0)
    assert not search.found and not search.covered and search.reasons == {"the time of day": 2}


def test_a_walk_is_kept_if_it_covers_something_new(search: Search) -> None:
    walks = [walk({0, 1}), walk({1}), walk({1, 2})]
    walking(search, *walks)
    for _ in walks:
        search.take({}, {}, 0)
    assert search.found == [walks[0], walks[2]] and search.covered == {0, 1, 2}


def test_what_was_decided_and_chosen_is_counted_but_a_way_branches_once(search: Search) -> None:
    """From the decision on that was turned round, and not where a decision has no place."""
    one, fixed, other = decision(("if", 1, True)), decision(None), decision(("if", 2, False))
    walking(search, walk({0}, decisions=(one, fixed, other)), walk({0}, decisions=(one, fixed, other)),
            walk({0}, decisions=(one, fixed, decision(("if", 2, True), 2))))  # fmt: skip
    search.take({}, {}, 0)
    assert [turn.at for _, _, turn in sorted(search._queue)] == [0, 2]
    search.take({}, {}, 0)
    assert len(search._queue) == 2
    search.take({}, {}, 1)
    assert sorted(turn.at for _, _, turn in search._queue) == [0, 2, 2]
    assert search.done == {("if", 1, True): 3, None: 3, ("if", 2, False): 2, ("if", 2, True): 1}


def test_what_nobody_did_comes_first_then_what_leads_on_then_what_was_done_least(search: Search) -> None:
    places = {("if", 1): 0, ("if", 2): 0, ("if", 3): 4, ("if", 4): 4}
    search.interest = SimpleNamespace(of_place=lambda site: places[site[:-1]])  # type: ignore[assignment]
    made = walk(set(), decisions=[decision(("if", number, True)) for number in range(1, 5)])
    made.decisions[3].pinned = True
    new, done, leading, pinned = (Turn(made, at) for at in range(4))
    for number, times in ((2, 5), (3, 9), (4, 1)):
        search.done["if", number, False] = times
    assert [search.rank(turn) for turn in (new, done, leading, pinned)] == [(0, 0, 0), (2, 5, 0), (1, 9, -4), (2, 1, 0)]
    search.tried["if", 1, False] = 7
    search.tried["if", 2, False] = 2
    assert search.rank(new) == (0, 7, 0) and search.rank(done) == (2, 7, 0)
    search.tried["if", 1, False] = 8
    assert search.rank(new) == (2, 8, 0)


def test_answers_of_the_solver(search: Search) -> None:
    """None is no failure; others are, each of its own kind."""
    answers = iter((Answer.NO, Answer.NOT_CHOSEN, Answer.UNKNOWN, Answer.UNKNOWN))
    walking(search)
    search.solver.turned = lambda walk, at: next(answers)  # type: ignore[method-assign]
    made = walk(set(), decisions=[decision(("if", number, True)) for number in range(4)])
    for at in range(4):
        search._push(Turn(made, at))
        search._next()
    assert search.unsolved == 3 and search.walks == 0
    assert search.reasons == {"the time of day": 1, "a hash, or the solver's limit": 2}
    assert search.tried == {("if", number, False): 1 for number in range(4)}


def test_a_solved_turn_keeps_the_choices_made_before_it(search: Search) -> None:
    asked = walking(search, walk({0}), walk({0}))
    search.solver.turned = lambda walk, at: {"p0": 7}  # type: ignore[method-assign]
    choices = [
        SimpleNamespace(table=name, turn=0, outcome=f"does {name}", at=at)
        for name, at in (("a", 0), ("b", 1), ("c", 2))
    ]
    made = walk(set(), decisions=[decision(("if", number, True)) for number in range(3)], made=choices)
    search._push(Turn(made, 1))
    search._next()
    assert asked.pop() == ({"p0": 7}, {("a", 0): "does a", ("b", 0): "does b"})
    search.interest = SimpleNamespace(of_outcome=lambda table, outcome: 0)  # type: ignore[assignment]
    search._push(Turn(made, 1, "other"))  # type: ignore[arg-type]
    search._next()
    assert asked.pop() == ({}, {("a", 0): "does a", ("b", 0): "other"})


def test_tables_do_what_was_done_least_and_sessions_what_is_usual(search: Search) -> None:
    possible: Any = ("first", "second", "third")
    of = {"first": 0, "second": 0, "third": 1}
    search.interest = SimpleNamespace(of_outcome=lambda table, outcome: of[outcome])  # type: ignore[assignment]
    search.done[SESSIONS, "first"] = 9
    assert search.prefer(SESSIONS, possible) == "first"
    assert search.prefer("t", possible) == "third"
    search.done["t", "third"] = 1
    assert {search.prefer("t", possible) for _ in range(40)} == {"first", "second"}
    search.tried["t", "first"] = 1
    assert search.prefer("t", possible) == "second"


def test_why_something_was_not_reached() -> None:
    program = switches.load(HASHED)
    coverage = Coverage(program, "")
    search: Any = SimpleNamespace(complete=False, inexact={}, reasons={"time": 0, "a": 2, "b": 1}, walks=7)
    last = len(coverage.items) - 1

    def said() -> tuple[bool, str]:
        found = reasons(program, coverage, search, range(last), ())
        assert set(found) == {last}
        return found[last].proved, found[last].text

    assert said() == (False, "not reached: gave up because of time (0×), a (2×), b (1×)")
    search.reasons["time"] = 1
    assert said() == (False, "not reached: 7 packets were tried, then the time was up")
    search.complete = True
    assert said() == (True, "unreachable: every way of a frame through the program was taken, and none leads there")
    search.inexact = {"one": None, "two": None}
    assert said() == (False, "not reached: every way was taken, but results of externs are not chosen (one; two)")
    left_out = reasons(program, coverage, search, range(last), [last])
    assert not left_out[last].proved and left_out[last].text.startswith("left out: ")
