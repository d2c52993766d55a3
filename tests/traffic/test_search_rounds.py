"""How long frames are looked for, and what of them is kept to go on from."""

from __future__ import annotations

from collections.abc import Callable
from random import Random
from types import SimpleNamespace
from typing import Any

import pytest

from transpiler.interpreter.tables import Call
from transpiler.traffic.probe import Observation
from transpiler.traffic.search import ENOUGH, FRUITLESS, TRIES, Finder, Template, _later, _look, quality

Attempt = Callable[[Any, int, int], None]


def tries(forms: int, attempt: Attempt = lambda finder, number, turn: None) -> tuple[list[tuple[int, int]], list[Any]]:
    """The (form, turn) of each try, and what was told of the progress."""
    tried: list[tuple[int, int]] = []
    told: list[tuple[int, int]] = []

    def noted(number: int, turn: int) -> None:
        tried.append((number, turn))
        attempt(finder, number, turn)

    finder: Any = SimpleNamespace(forms=("form",) * forms, fruitless=0, has_all=False, attempt=noted)
    _look(finder, lambda done, total: told.append((done, total)))
    return tried, told


@pytest.mark.parametrize("forms", [0, 1, 3])
def test_all_forms_have_their_turn_until_there_were_enough_tries(forms: int) -> None:
    tried, told = tries(forms)
    rounds = TRIES // forms if forms else 0
    assert tried == [(number, turn) for turn in range(rounds) for number in range(forms)]
    assert told == [(turn, rounds) for turn in range(rounds + 1)]


def test_no_more_is_tried_where_nothing_new_was_hit_for_long() -> None:
    def in_vain(finder: Any, number: int, turn: int) -> None:
        finder.fruitless += 1

    tried, told = tries(2, in_vain)
    assert len(tried) == FRUITLESS + 2  # a round is ended
    assert told[-1] == (TRIES // 2, TRIES // 2)


def test_where_all_is_hit_a_few_frames_more_are_tried() -> None:
    def at_once(finder: Any, number: int, turn: int) -> None:
        finder.has_all = True

    def late(finder: Any, number: int, turn: int) -> None:
        finder.has_all = turn == ENOUGH + 5

    assert len(tries(2, at_once)[0]) == 2 * (ENOUGH + 1)
    assert len(tries(1, late)[0]) == ENOUGH + 6


def finder_of(*tables: str) -> Any:
    """One for a program with these tables, which do nothing where they are missed; it counts what it draws."""
    default = SimpleNamespace(action="none")
    made: Any = Finder.__new__(Finder)
    made.program = SimpleNamespace(table={name: SimpleNamespace(default_action=default) for name in tables})
    made.targets = tuple(SimpleNamespace(name=name) for name in tables)
    made.found, made.fruitless, made._hit, made.chance = {}, 0, set(), Random(1)
    made._leads = {0: [], 1: []}
    made.outcome = lambda table, chance: f"new {table.name}"
    return made


def template(
    applied: str, hits: str, ports: tuple[int, ...] = (), cells: tuple[Any, ...] = (), **seen: Any
) -> Template:
    """A frame that comes to tables and hits some of them."""
    outcomes = {name: Call("act", ()) if name in hits else None for name in applied}
    observed = Observation(tuple((name, ()) for name in applied), ports, seen.pop("accepted", True), cells, (), **seen)
    return Template(SimpleNamespace(shape="shape"), outcomes, observed)  # type: ignore[arg-type]


def test_what_hits_a_table_for_the_first_time_leads_on() -> None:
    """Once without coming out, and once more with it."""
    finder = finder_of("a", "b")
    first, same, out, both = (
        template("ab", "a"),
        template("ab", "a"),
        template("ab", "a", (1,)),
        template("ab", "ab", (1,)),
    )
    finder.note(0, first)
    assert finder.fruitless == 0 and finder._leads[0] == [first]
    assert finder.is_hit("a") and not finder.is_sent("a") and not finder.is_hit("b") and not finder.has_all
    finder.note(0, same)
    finder.note(1, same)
    assert finder.fruitless == 2 and finder._leads == {0: [first], 1: []}
    finder.note(0, out)
    assert finder.fruitless == 0 and finder._leads[0] == [first, out] and finder.is_sent("a") and not finder.has_all
    finder.note(1, both)
    assert finder.has_all and finder._leads[1] == [both] and finder.is_hit("b")
    finder.note(1, template("a", ""))
    assert finder.fruitless == 1


def test_what_comes_out_hits_also_what_nothing_had_hit() -> None:
    finder = finder_of("a")
    finder.note(0, template("a", "a", (3,)))
    finder.note(0, template("a", "a"))
    assert finder.fruitless == 1 and len(finder._leads[0]) == 1


def test_the_best_of_each_form_tables_and_state_is_kept() -> None:
    finder = finder_of("a", "b")
    plain, better, other = template("ab", "a"), template("ab", "a", (1,)), template("ab", "a", (2,))
    with_state = template("ab", "a", (), (("count", (0,)), ("outside", ())))
    for one in (plain, better, other, plain, with_state):
        finder.note(0, one)
    finder.note(1, plain)
    assert finder.templates == (better, with_state, plain)
    assert with_state.state == {"count"}


def test_what_makes_one_better_than_another() -> None:
    """Each counts more than all behind it."""
    program = finder_of("a", "b", "none").program
    call = {"act": Call("act", ()), "none": Call("none", ())}
    in_order = [
        template("ab", "ab", (1,), forwarded=True, accepted=False),
        template("ab", "ab"),
        template("ab", "ab", (1,)),
        template("ab", "", (1,), forwarded=True),
        Template(None, {"a": call["none"]}, Observation((("a", ()),), (1,), True, forwarded=True)),  # type: ignore[arg-type]
        template("ab", "a", (1,), forwarded=True),
        template("ab", "ab", (1,), forwarded=True),
    ]
    qualities = [quality(program, one) for one in in_order]
    assert qualities == sorted(set(qualities))


def test_a_lead_is_changed_in_one_table_and_in_those_that_it_does_not_meet() -> None:
    finder = finder_of(*"abcd")
    lead = template("abc", "ab")
    seen = set()
    for _ in range(60):
        outcomes = _with_its_frame(finder, lead)
        assert outcomes["d"] == "new d"
        changed = [name for name in "abc" if outcomes[name] == f"new {name}"]
        assert len(changed) == 1 and all(outcomes[name] == lead.outcomes[name] for name in "abc" if name not in changed)
        seen.update(changed)
    assert seen == set("abc")


def _with_its_frame(finder: Any, lead: Template) -> Any:
    """A lead with other outcomes whose frame stays, which half of the time is so."""
    while True:
        state = finder.chance.getstate()
        if finder.chance.random() >= 0.5:
            finder.chance.setstate(state)
            frame, outcomes = finder._like(lead, None, 0)
            assert frame is lead.frame
            return outcomes


def test_later_leads_are_the_likelier() -> None:
    leads: Any = list("abc")
    chance = Random(5)
    drawn = [_later(leads, chance) for _ in range(900)]
    assert set(drawn) == set("abc")
    assert drawn.count("a") * 2 < drawn.count("b") < drawn.count("c")
    assert _later(leads[:1], chance) == "a"


def test_every_other_try_of_a_form_with_leads_is_like_one_of_them(monkeypatch: pytest.MonkeyPatch) -> None:
    finder = finder_of("a")
    finder.forms, finder.candidates, noted = ("one", "two"), {}, []
    finder.probe = SimpleNamespace(run=lambda data, outcomes: (data, outcomes))
    finder._like = lambda lead, form, turn: (SimpleNamespace(data=f"like {lead}, a {form}"), {"a": turn})
    finder.note = lambda number, template: noted.append((number, template.seen))
    monkeypatch.setattr(
        "transpiler.traffic.search._frame",
        lambda program, form, candidates, chance, turn: SimpleNamespace(data=f"any {form} at {turn}"),
    )
    finder._leads[1] = ["lead"]
    for number, turn in ((0, 0), (0, 1), (1, 2), (1, 3)):
        finder.attempt(number, turn)
    new = {"a": "new a"}
    assert noted == [
        (0, ("any one at 0", new)),
        (0, ("any one at 1", new)),
        (1, ("any two at 2", new)),
        (1, ("like lead, a two", {"a": 3})),
    ]
