"""What is done for a plan, in its order: what is looked for where, what is told of tables that get no entries."""

from __future__ import annotations

from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import pytest

from transpiler.diagnostics import Diagnostics, Rejected, Severity, Span
from transpiler.traffic import planning
from transpiler.traffic.plan import Plan, Point, Stream, Wishes, with_copies
from transpiler.traffic.planning import _asking, _complain, _solve, _unreachable, _without_tables, plan

AT = Span("t.p4", 1, 1)
ADVANCE: Any = object()


def tables(names: str) -> list[Any]:
    return [SimpleNamespace(name=name, span=Span("t.p4", at, 1), size=10 * at) for at, name in enumerate(names, 1)]


class Steps:
    """The parts of planning, which say that they were called."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, hit: str = "abc", fitting: str = "ab") -> None:
        self.told: list[Any] = []
        self.probe = SimpleNamespace(copies=SimpleNamespace(open=True))
        self.finder = SimpleNamespace(targets=tables("abcd"), is_hit=lambda name: name in hit, templates=["template"])
        self.streams = [SimpleNamespace(entries={name: None}) for name in fitting]
        say = self._say
        for name, made in (
            ("fillable", lambda program: program), ("rule_of", lambda table, diagnostics: say("rule", table.name, diagnostics)),
            ("Probe", lambda program, port, copies: say("probe", port, copies) or self.probe),
            ("Copies", lambda port: ("copies", port)),
            ("search", lambda program, probe, seed, advance: say("search", probe is self.probe, seed) or self.finder),
            ("_unreachable", lambda program: say("unreachable") or frozenset("d")),
            ("_solve", lambda finder, missing, wishes, advance: say("solve", list(missing))),
            ("bring_out", lambda finder, seed, advance: say("bring out", seed, self.probe.copies.open)),
            ("_asking", lambda finder, probe, unreachable, wishes: ("ask", unreachable)),
            ("agreed", lambda finder, probe, ask: say("agreed", ask, probe.copies.open) or "met"),
            ("_without_tables", lambda probe, wishes, found, diagnostics: ("without tables", found)),
            ("Lookups", lambda probe: "lookups"),
            ("together", lambda wishes, probe, finder, met, advance: say("together", met) or "found"),
            ("harmless", lambda program, wishes, found, lookups: say("harmless", found) or "fitting"),
            ("Builder", lambda *given, **more: SimpleNamespace(
                streams=lambda fitting: self.streams, build=lambda fitting: say("build", fitting, more) or "built")),
            ("referring", lambda made, probe: say("referring", made) or Plan(None, None, (), (), {})),
            ("points", lambda made, finder, probe, advance: say("points") or ("point",)),
            ("_complain", lambda made, finder, probe, unreachable, diagnostics: say("complain", made.points, unreachable)),
            ("with_copies", lambda made: say("copies") or made), ("weighted", lambda made: say("weighted") or made),
        ):  # fmt: skip
            monkeypatch.setattr(planning, name, made)

    def _say(self, *told: Any) -> None:
        self.told.append(told if len(told) > 1 else told[0])


def test_the_steps_of_a_plan(monkeypatch: pytest.MonkeyPatch) -> None:
    """What cannot be reached is not asked for; the groups that are there are settled before entries are; room is left for single
    frames where tables can be hit that have none."""
    diagnostics, program = Diagnostics(), tables("ab")
    steps = Steps(monkeypatch, hit="ab")
    made = plan(program, Wishes(port=1, ports=3, seed=5), diagnostics, ADVANCE)  # type: ignore[arg-type]
    assert made.points == ("point",)
    assert steps.told == [
        ("rule", "a", diagnostics), ("rule", "b", diagnostics), ("probe", 1, ("copies", 2)), ("search", True, 5), "unreachable",
        ("solve", ["c"]), ("bring out", 5, True), ("agreed", ("ask", frozenset("d")), False), ("together", "met"),
        ("harmless", "found"), ("build", "fitting", {"spares": False}), ("referring", "built"), "points",
        ("complain", ("point",), frozenset("d")), "copies", "weighted",
    ]  # fmt: skip
    steps = Steps(monkeypatch, hit="abcd")
    plan(program, Wishes(), diagnostics, ADVANCE)  # type: ignore[arg-type]
    assert "unreachable" not in steps.told and ("solve", []) in steps.told
    assert ("build", "fitting", {"spares": True}) in steps.told and ("complain", ("point",), frozenset()) in steps.told


def test_a_program_whose_tables_take_no_entries(monkeypatch: pytest.MonkeyPatch) -> None:
    steps = Steps(monkeypatch)
    assert plan([], Wishes(), Diagnostics(), ADVANCE) == ("without tables", ["template"])  # type: ignore[arg-type, comparison-overlap]
    assert steps.told[-1][0] == "agreed"


def test_tables_that_the_compiler_removes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(planning, "fillable", lambda program: tables("abc"))
    monkeypatch.setattr(planning, "optimise", lambda program: SimpleNamespace(table={"b": None, "x": None}))
    assert _unreachable(None) == {"a", "c"}  # type: ignore[arg-type]


@pytest.mark.parametrize(("missing", "z3", "asked"), [(["a"], True, True), (["a"], False, False), ([], True, False)])
def test_frames_are_asked_for_where_there_is_who_answers(
    missing: list[str], z3: bool, asked: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("z3")
    from transpiler.traffic import solved

    told: list[Any] = []
    monkeypatch.setattr(planning, "find_spec", lambda name: object() if z3 and name == "z3" else None)
    monkeypatch.setattr(solved, "solve", lambda *given: told.append(given))
    _solve("finder", missing, Wishes(port=3, seed=8), ADVANCE)  # type: ignore[arg-type]
    assert told == [("finder", missing, 3, ADVANCE, 8)] * asked


@pytest.mark.parametrize("z3", [True, False])
def test_who_is_asked_for_frames_that_meet_entries(z3: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """Frames for all tables that can be reached; of a table as many entries as it has room for."""
    pytest.importorskip("z3")
    from transpiler.traffic import beside

    monkeypatch.setattr(planning, "find_spec", lambda name: object() if z3 else None)
    monkeypatch.setattr(beside, "asked", lambda around, names: (around, names))
    finder: Any = SimpleNamespace(targets=tables("abc"), program=SimpleNamespace(tables=tables("abcd")))
    probe: Any = SimpleNamespace(copies="copies")
    found: Any = _asking(finder, probe, frozenset("b"), Wishes(port=3, seed=8))({"entries": None})  # type: ignore[dict-item]
    if not z3:
        assert found == ()
        return
    around, names = found
    assert names == {"a", "c"} and (around.finder, around.committed, around.copies) == (
        finder,
        {"entries": None},
        "copies",
    )
    assert (around.port, around.seed, [around.room(name) for name in "abcd"]) == (3, 8, [10, 20, 30, 40])


def test_frames_where_no_table_takes_entries(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of each way through the parser that is accepted the best one, of these the one that comes to most cells."""
    monkeypatch.setattr(planning, "quality", lambda program, template: template.quality)
    monkeypatch.setattr(planning, "with_varied", lambda probe, stream, filled: (stream, filled))
    monkeypatch.setattr(planning, "with_copies", lambda made: replace(made, copies=(("group", 1),)))
    shapes = [SimpleNamespace(), SimpleNamespace(), SimpleNamespace()]

    def template(shape: int, quality: int, state: str, accepted: bool = True) -> Any:
        frame = SimpleNamespace(shape=shapes[shape])
        return SimpleNamespace(quality=quality, state=state, frame=frame, seen=SimpleNamespace(accepted=accepted))

    found = [
        template(0, 1, "xyz"),
        template(0, 2, "x"),
        template(0, 2, "xy"),
        template(1, 0, ""),
        template(2, 9, "", False),
    ]
    probe: Any = SimpleNamespace(program=SimpleNamespace(span=AT))
    made = _without_tables(probe, Wishes(), found[::-1], Diagnostics())
    assert [stream for stream, _ in made.streams] == [Stream(one, {}, {}, {}) for one in (found[3], found[2])]  # type: ignore[misc]
    assert all(filled == set() for _, filled in made.streams) and made.tables == ()  # type: ignore[misc]
    assert made.copies == (("group", 1),)
    diagnostics = Diagnostics()
    with pytest.raises(Rejected):
        _without_tables(probe, Wishes(), found[4:], diagnostics)
    assert [one.message for one in diagnostics.messages] == ["no frame was found that the parser accepts"]


def test_tables_without_entries_are_told_of(monkeypatch: pytest.MonkeyPatch) -> None:
    """Not those that have some for single frames alone."""
    monkeypatch.setattr(planning, "fillable", lambda program: tables("abcd"))
    monkeypatch.setattr(planning, "reason", lambda program, table, unreachable: f"no way to {table.name}")
    monkeypatch.setattr(planning, "excluded", lambda made, finder, probe, name: f"nothing fits {name}")
    filled: Any = SimpleNamespace(table=SimpleNamespace(name="a"))
    made = Plan(None, None, (), (filled,), {}, points=(Point(None, {("b", (1,)): None}),))  # type: ignore[arg-type, dict-item]
    diagnostics = Diagnostics()
    _complain(made, None, None, frozenset("ad"), diagnostics)  # type: ignore[arg-type]
    assert [(one.severity, one.code, one.span.line, one.message) for one in diagnostics.messages] == [
        (Severity.WARNING, "traffic", 3, "nothing fits c: there are no entries for it"),
        (Severity.WARNING, "traffic", 4, "no way to d: there are no entries for it"),
    ]


def test_groups_and_sessions_of_a_plan_are_those_of_its_frames() -> None:
    """Each once, in the order in which they are met; those of single frames too."""

    def frame(*copies: Any) -> Any:
        return SimpleNamespace(template=SimpleNamespace(seen=SimpleNamespace(copies=copies)))

    three, four, five = ("group", 3), ("session", 4), ("group", 5)
    streams, points = (frame(four, three), frame(four)), (frame(), frame(five, three))
    made = with_copies(Plan(None, None, streams, (), {}, points=points))  # type: ignore[arg-type]
    assert made.copies == (four, three, five)
