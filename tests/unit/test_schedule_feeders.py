"""Stages that get their packets in the order of the burst: from one stage, or from several that never submit to it together."""

from __future__ import annotations

from types import SimpleNamespace

import pytest
from hlir_builder import AT, true

from transpiler.externs.decisions import ON
from transpiler.hlir import expressions as ex, statements as st
from transpiler.hlir.types import Bool
from transpiler.schedule.feeders import in_order
from transpiler.schedule.stages import Code, Dispatch, End, Fork, Jump, Plain, Submit, Target

VARIABLE = ex.VariableRef("on", AT)
DECIDED = Plain(st.CallExtern(ON, None, (), (VARIABLE,), AT))  # of a whole burst
ASSIGNED = Plain(st.Assign(VARIABLE, true(), AT))
CALLED = Plain(st.CallExtern("register.read", "r", (), (VARIABLE,), AT))


def fork(then: Code, otherwise: Code, on: bool = True) -> Fork:
    condition = ex.Read(VARIABLE if on else ex.VariableRef("x", AT), Bool(), AT)
    return Fork(st.If(condition, (), (), AT), (then, otherwise))


def leaves(label: str) -> Plain:
    return Plain(st.If(true(), (st.Leave(label, AT),), (), AT))


ONE, TWO, THREE, FOUR, JOIN = ((target,) for target in (Submit(1), Submit(2), Submit(3), Submit(4), Jump(0)))


@pytest.mark.parametrize(
    ("stages", "joins", "ordered"),
    [
        ([ONE, ()], [], {1}),
        ([(End(),), ()], [], set()),
        ([(fork(ONE, ONE, on=False),), ()], [], {1}),  # one stage feeds it
        ([(fork(ONE, TWO, on=False),), TWO, ()], [], {1}),
        ([(fork(ONE, TWO),), TWO, ()], [], {1}),  # nothing says that this is the same for a burst
        ([(DECIDED, fork(ONE, TWO)), TWO, ()], [], {1, 2}),
        ([(DECIDED, fork(ONE, TWO)), (ASSIGNED, *TWO), ()], [], {1}),
        ([(DECIDED, fork(ONE, TWO)), (CALLED, *TWO), ()], [], {1}),
        ([(DECIDED, fork(ONE, (fork(ONE, TWO, on=False),))), TWO, ()], [], {1}),  # it has both
        ([(DECIDED, fork(ONE, (fork(TWO, THREE, on=False),))), THREE, THREE, ()], [], {1, 2}),
        ([(DECIDED, fork(ONE, JOIN)), TWO, ()], [TWO], {1, 2}),
        ([(DECIDED, fork((fork(ONE, JOIN, on=False),), JOIN)), TWO, ()], [TWO], {1}),
        ([(DECIDED, fork(ONE, JOIN)), TWO, ()], [(Jump(1),), TWO], {1, 2}),
        ([(DECIDED, fork(ONE, (leaves("out"),))), TWO, ()], [], {1, 2}),  # the way out leads to stage 2
        ([(DECIDED, leaves("out"), *ONE), TWO, ()], [], {1}),
        ([(DECIDED, leaves("inside"), *ONE), TWO, ()], [], {1, 2}),  # that block is not cut
        ([(DECIDED, fork((fork(ONE, TWO, on=False),), ONE)), TWO, ()], [], {1}),  # likewise, told of first
        # packets of stage 3 have either result, so those that come to 4 by it may come with others
        ([(DECIDED, fork((fork(ONE, FOUR, on=False),), TWO)), THREE, THREE, FOUR, ()], [], {1, 2, 3}),
        ([(DECIDED, fork((fork(ONE, FOUR, on=False),), TWO)), (), THREE, FOUR, ()], [], {1, 2, 3, 4}),
        ([(Dispatch((1, 2)),), (), ()], [], set()),
        ([(Dispatch((1,)),), TWO, ()], [], {2}),
    ],
)
def test_stages_in_order(stages: list[Code], joins: list[Code], ordered: set[int]) -> None:
    exits: dict[str, Target] = {"out": Submit(2)}
    pipe = SimpleNamespace(stages=[SimpleNamespace(code=code) for code in stages], joins=joins, exits=exits)
    assert in_order(pipe) == ordered  # type: ignore[arg-type]
