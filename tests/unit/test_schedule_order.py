"""Which states a stage touches in the order of packets, and where a split that breaks it must be mended."""

from __future__ import annotations

from dataclasses import replace
from types import SimpleNamespace

import pytest
from hlir_builder import AT, Builder, apply, const, goto, if_, state, true

from transpiler.hlir import expressions as ex, statements as st
from transpiler.hlir.program import Annotation, Program
from transpiler.schedule.order import Uncut, conflicts, joins_of, ordered_states, reachable_joins, users_of_joins
from transpiler.schedule.scheduler import _size, _too_large
from transpiler.schedule.split import Split
from transpiler.schedule.stages import Code, End, Finish, Fork, Jump, Plain, Submit
from transpiler.schedule.state import HOLD, StateAccess
from transpiler.schedule.tree import Apply, Cut, Prefetch


@pytest.fixture
def b() -> Builder:
    made = Builder()
    for name in ("k", "m"):
        made.variable(name, 32)
    for name in ("r", "q"):
        made.extern(name, "register", size=4, width=32)
    made.extern("d", "direct_meter", unit="packets", automatic=0)
    made.extern("c", "counter", size=4, unit="packets")
    made.action("reads", made.call("register.read", "r", made.get("k"), out="m"))
    made.action("coloured", made.call("direct_meter.read", "d", made.get("k"), out="m"))
    made.table("plain", [("k", "exact")], [])
    made.table("reading", [("k", "exact")], ["reads"])
    made.table("metered", [("k", "exact")], ["coloured"], direct=["d"])
    added = (ex.Text("plain", AT), ex.ListExpression((), AT), const(0, 8))
    made.action("adds", made.call("entry.add", None, *added, out="m"))
    made.table("learned", [("k", "exact")], [], default="adds")
    made.tables[-1] = replace(made.tables[-1], annotations=(Annotation("add_on_miss", "true", AT),))
    return made


def program(b: Builder) -> Program:
    return b.build([state("start", [], goto("accept"))])


def code(*statements: st.Statement) -> Code:
    return tuple(map(Plain, statements))


def test_states_that_code_touches(b: Builder) -> None:
    read = b.call("register.read", "r", b.get("k"), out="m")
    write = b.call("register.write", "q", b.get("k"), b.get("m"))
    names = ex.ListExpression((ex.Text("r", AT), ex.Text("q", AT)), AT)
    hold = b.call(HOLD, "r", ex.ListExpression((), AT), names)
    random = b.call("random.range", None, const(0, 32), const(9, 32), out="m")
    made = program(b)
    for codes, states in (
        (code(b.set("m", 1), b.call("counter.count", "c", b.get("k"))), ""),  # counts come in any order
        (code(read), "r"),
        (code(if_(true(), [write])), "q"),
        (code(hold), "r q"),
        (code(random), "random.range"),
        (code(apply("plain")), ""),
        (code(apply("reading")), "r"),
        (code(apply("metered")), "d"),
        (code(apply("learned")), "learned"),  # which entries it has, whoever adds them
        ((Finish(apply("reading"), 0),), "r"),
        ((Fork(if_(true(), []), (code(read), code(write))), End()), "r q"),
        ((Jump(3), Submit(4)), ""),
    ):
        assert ordered_states(made, codes) == frozenset(states.split()), codes


def test_joins_that_code_needs() -> None:
    leave = st.Leave("out", AT)
    split = Split(
        {0: stage((Fork(if_(true(), []), ((Jump(5),), code(leave))),)), 2: stage((Jump(9),)), 4: stage(code(leave))},  # type: ignore[dict-item]
        {5: (Jump(9),), 7: (), 9: (Submit(4),)},
        {"out": Jump(7), "away": End()},
    )
    assert set(joins_of(split.stages[0].code, split.exits)) == {5, 7}
    assert set(joins_of(code(st.Leave("away", AT)), split.exits)) == set()
    assert reachable_joins(split, split.stages[0].code) == (5, 7, 9)
    assert users_of_joins(split) == {5: [0], 7: [0, 4], 9: [0, 2]}


def stage(of: Code, *started: Cut) -> SimpleNamespace:
    return SimpleNamespace(code=of, started=started)


def uncut(tables: str = "", states: str = "") -> Uncut:
    return Uncut(frozenset(tables.split()), frozenset(states.split()))


def test_where_a_split_is_mended(b: Builder) -> None:
    """Joins of several stages become stages. Else there is no cut where the later accesses are, or the first, or before them."""
    read = code(b.call("register.read", "r", b.get("k"), out="m"))
    other = code(b.call("register.read", "q", b.get("k"), out="m"))
    made = program(b)
    one, two = Apply(1, apply("one")), Apply(2, apply("two"))
    cell = Prefetch(3, (StateAccess("q", const(0, 32)), StateAccess("r", const(0, 32))))
    for stages, joins, merged, wanted in (
        ([stage(read), stage(other, one)], {}, (), uncut()),
        ([stage(read), stage(read, one)], {}, (), uncut("one")),
        ([stage(read, one), stage(read, two)], {}, (), uncut("two")),
        ([stage(read, one), stage(read)], {}, (), uncut("one")),
        ([stage(read), stage(read, cell)], {}, (), uncut(states="r q")),
        ([stage(read), stage(read, one, cell), stage(read, two)], {}, (), uncut("one two", "r q")),
        ([stage((), one), stage(read), stage(read), stage((), two)], {}, (), uncut("one")),
        ([stage(read), stage((), one), stage(read), stage((), two)], {}, (), uncut("one")),
        ([stage(read), stage((), one), stage(read), stage((), two), stage(read)], {}, (), uncut("one two")),
        ([stage(read, one), stage(read), stage(other, two), stage(other)], {}, (), uncut("one two")),
        ([stage((Jump(9),)), stage((Jump(9),), one)], {9: read}, (9,), uncut()),
        ([stage((Jump(9),)), stage((Jump(9),), one)], {9: ()}, (), uncut()),
        ([stage((Jump(9),)), stage(read, one)], {9: read}, (), uncut("one")),
        ([stage((Jump(9),)), stage((Jump(9),), one), stage(read, two)], {9: read}, (9,), uncut()),
    ):
        split = Split(dict(enumerate(stages)), joins)  # type: ignore[arg-type]
        assert conflicts(made, split) == (frozenset(merged), wanted), stages


def test_what_is_not_cut_at() -> None:
    assert not uncut() and uncut("t") and uncut(states="r")
    assert uncut("t", "r") | uncut("u", "r q") == uncut("t u", "r q")


@pytest.mark.parametrize(
    ("limit", "refused", "largest"), [(2, (), 5), (3, (), None), (1, (5,), 7), (2, (5,), None), (0, (5, 7), None)]
)
def test_the_join_whose_copies_are_the_largest(
    b: Builder, limit: int, refused: tuple[int, ...], largest: int | None
) -> None:
    """What it leads to counts, for each stage but one that has it."""
    one, two = code(b.set("m", 1)), code(b.set("m", 2), b.set("k", 2))
    split = Split(
        {0: stage((Jump(5),)), 1: stage((Jump(5),)), 2: stage((Jump(7),))},  # type: ignore[dict-item]
        {5: (*two, Jump(7)), 7: (*one, End())},
    )
    assert _too_large(split, limit, {}, frozenset(refused)) == largest


def test_the_size_of_code(b: Builder) -> None:
    """Statements, those in others too, forks, and actions wherever their table is applied."""
    sets = b.set("m", 1)
    nested = if_(true(), [sets], [sets, sets])
    for codes, size in (
        (code(sets, sets), 2),
        (code(nested), 4),
        ((Fork(nested, (code(sets), code(sets, sets))),), 4),
        (code(apply("plain")), 3),
        ((Finish(apply("plain"), 0), Fork(nested, (code(apply("plain")), ()))), 7),
        ((Jump(1), End(), Submit(2)), 0),
    ):
        assert _size(codes, {"plain": 2}) == size, codes
