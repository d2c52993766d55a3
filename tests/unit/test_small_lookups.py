"""Lookups of small tables that a stage makes with its own: those whose keys are known where it begins."""

from __future__ import annotations

import pytest
from hlir_builder import AT, Builder, apply, const, goto, if_, state, true

from transpiler.hlir import statements as st
from transpiler.schedule.pipeline import Deparse
from transpiler.schedule.small_lookups import with_small_lookups
from transpiler.schedule.split import TOGETHER
from transpiler.schedule.stages import Code, End, Finish, Fork, PipeSchedule, Plain, Stage, Submit

SMALL = tuple(f"s{number}" for number in range(TOGETHER + 1))


def builder() -> Builder:
    b = Builder()
    for name in "kma":
        b.variable(name, 8)
    b.extern("r", "register", size=4, width=8)
    b.action("writes", b.set("m", 1))
    b.table("large", [("k", "exact")], ["writes"])
    for name in SMALL:
        b.table(name, [("k", "exact")], [])
    b.table("by_m", [("m", "exact")], [])
    return b


def found(code: Code, *lookups: str, tables: tuple[str, ...] = (*SMALL, "by_m"), more: st.Body = ()) -> str:
    """The lookups of a stage that looks up these and has that code."""
    b = builder()
    applied = [p.statement if isinstance(p, Finish) else p.what for p in code if isinstance(p, Finish | Plain)]
    body = tuple(s for s in applied if not isinstance(s, Deparse))
    around = st.Block("out", (*body, *more), AT)  # type: ignore[arg-type]
    program = b.build([state("start", [], goto("accept"))], [around])
    stage = Stage("stage", tuple(map(apply, lookups)), code)
    pipe = PipeSchedule("ingress", (Stage("entry", (), (Submit(1),)), stage), (), {}, True, (), False)
    ((entry, made),) = (pipe.stages for pipe in with_small_lookups(program, (pipe,), frozenset(tables)))
    assert entry == pipe.stages[0]
    assert [made.lookups[number].table for number in made.small.values()] == list(made.small)
    assert list(made.small.values()) == list(range(len(lookups), len(made.lookups)))
    return " ".join(made.small)


FINISH = Finish(apply("large"), 0)
S0, S1, BY_M = (Plain(apply(name)) for name in ("s0", "s1", "by_m"))
B = builder()
READ_K = B.call("register.read", "r", const(0, 32), out="k")


@pytest.mark.parametrize(
    ("code", "tables"),
    [
        ((FINISH, S0, S1, End()), "s0 s1"),
        ((S0, FINISH), "s0"),
        ((BY_M, FINISH), "by_m"),
        ((FINISH, BY_M, S0), "s0"),  # the action of the large one may write its key
        ((Plain(B.set("k", 1)), S0, BY_M), "by_m"),
        ((Plain(B.set("a", 1)), S0), "s0"),
        ((Plain(if_(true(), [apply("s0")], [B.set("m", 1)])), S1, BY_M), "s0 s1"),
        ((Plain(if_(true(), [B.set("k", 1), apply("s0")])), S1), ""),  # what is written in front of it in a branch
        ((Plain(if_(true(), [B.set("k", 1)], [apply("by_m")])), S0), "by_m"),
        ((Plain(if_(true(), [B.set("m", 1), apply("s0"), apply("by_m")])), S1), "s0 s1"),
        ((Plain(if_(true(), [], [B.set("k", 1), if_(true(), [apply("s0")]), apply("by_m")])),), "by_m"),
        ((Plain(st.Block("in", (B.set("k", 1), apply("s0"), apply("by_m")), AT)),), "by_m"),
        ((Plain(if_(true(), [READ_K, apply("s0"), apply("by_m")])),), "by_m"),
        ((Plain(if_(true(), [st.Leave("out", AT)])), S0), ""),
        ((S0, Plain(if_(true(), [st.Leave("out", AT)])), S1), "s0"),
        ((S0, Fork(if_(true(), []), ((S1,), ())), S1), "s0"),
        ((Submit(1), S0), ""),
    ],
)
def test_what_is_known_at_the_beginning(code: Code, tables: str) -> None:
    assert found(code, "large") == tables


def test_which_stages_and_tables() -> None:
    """Stages that look up something, tables that are small and applied once, so many together."""
    assert found((S0,)) == ""
    assert found((S0, S1), "large", tables=("s1",)) == "s1"
    assert found((S0, S1), "large", more=(apply("s0"),)) == "s1"
    assert found((S0,), "large", tables=()) == ""
    every = tuple(Plain(apply(name)) for name in SMALL)
    assert found(every, "large") == " ".join(SMALL[: TOGETHER - 1])
    assert found(every, "large", "by_m") == " ".join(SMALL[: TOGETHER - 2])


def test_nothing_behind_a_step_of_the_architecture() -> None:
    b = builder()
    program = b.build([state("start", [], goto("accept"))], (apply("s0"), b.set("a", 1)))
    deparse = Plain(Deparse(program.pipes[-1]))  # type: ignore[arg-type]
    assert found((deparse, S0), "large") == ""
    assert found((S0, deparse, S1), "large") == "s0"
