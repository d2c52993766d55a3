"""Walking and rewriting HLIR: each expression that a statement evaluates is told of, and is rewritten where it stands."""

from __future__ import annotations

from typing import get_args

import pytest
from hlir_builder import AT, apply, const

from transpiler.hlir import expressions as ex, program as pr, statements as st
from transpiler.hlir.traverse import (
    expressions,
    keyset_expressions,
    rebuild,
    rewrite_statement,
    successors,
    transition_expressions,
    walk,
    walk_expression,
)
from transpiler.hlir.types import Bits, Bool

BYTE = Bits(8)
TARGET = ex.VariableRef("target", AT)


def read(number: int) -> ex.Read:
    return ex.Read(ex.VariableRef(f"m{number}", AT), BYTE, AT)


def element(number: int) -> ex.ElementRef:
    """An element of a stack at the place that a variable says."""
    return ex.ElementRef("s", read(number), AT)


def field(number: int) -> ex.FieldRef:
    return ex.FieldRef(element(number), "f", AT)


def compared(number: int) -> ex.Binary:
    return ex.Binary(ex.BinaryOp.EQ, read(number), const(0, 8), Bool(), AT)


# one or more of each kind, and how many variables it reads: m0, m1, …
STATEMENTS = [
    (st.Assign(field(0), read(1), AT), 2),
    (st.Assign(TARGET, ex.Read(field(0), BYTE, AT), AT), 1),
    (st.Assign(TARGET, ex.Unary(ex.UnaryOp.NEGATE, read(0), BYTE, AT), AT), 1),
    (st.Assign(TARGET, ex.Cast(ex.Slice(read(0), 3, 0, AT), BYTE, AT), AT), 1),
    (st.Assign(TARGET, ex.Conditional(compared(0), read(1), read(2), BYTE, AT), AT), 3),
    (st.CallExtern("f", None, (ex.ListExpression((read(0), ex.Text("t", AT), read(1)), AT),), (), AT), 2),
    (st.If(ex.IsValid(element(0), AT), (), (), AT), 1),
    (st.SetValid(element(0), True, AT), 1),
    (st.CopyHeader(element(0), element(1), AT), 2),
    (st.If(compared(0), (), (), AT), 1),
    (st.While(compared(0), (), AT), 1),
    (st.Switch(read(0), (), (), AT), 1),
    (st.Block("block", (), AT), 0),
    (st.Leave("block", AT), 0),
    (apply("t"), 0),
    (st.CallExtern("register.read", "r", (read(0), read(1)), (field(2), TARGET), AT, (field(3),)), 4),
    (st.Extract(element(0), None, AT), 1),
    (st.Extract(element(0), read(1), AT), 2),
    (st.Lookahead(TARGET, BYTE, AT), 0),
    (st.Advance(read(0), AT), 1),
    (st.Verify(compared(0), read(1), AT), 2),
    (st.Emit(element(0), AT), 1),
]  # fmt: skip


def variables(statement: st.Statement) -> list[str]:
    """The variables that are read, from the left."""
    inner = (part for expression in expressions(statement) for part in walk_expression(expression))
    return [part.place.name for part in inner if isinstance(part, ex.Read) and isinstance(part.place, ex.VariableRef)]


def test_every_statement_is_here() -> None:
    assert {type(statement) for statement, _ in STATEMENTS} == set(get_args(st.Statement))


@pytest.mark.parametrize(("statement", "count"), STATEMENTS, ids=lambda value: type(value).__name__)
def test_each_expression_is_told_of_and_rewritten(statement: st.Statement, count: int) -> None:
    assert sorted(variables(statement)) == [f"m{number}" for number in range(count)]

    def renamed(expression: ex.Expression) -> ex.Expression:
        if isinstance(expression, ex.Read) and isinstance(expression.place, ex.VariableRef):
            return ex.Read(ex.VariableRef(f"{expression.place.name}_new", AT), expression.type, AT)
        return expression

    made = rewrite_statement(statement, renamed)
    assert variables(made) == [f"{name}_new" for name in variables(statement)]
    assert rewrite_statement(statement, lambda expression: expression) == statement


def leave(name: str) -> st.Leave:
    return st.Leave(name, AT)


NESTED = (
    st.If(compared(0), (leave("a"),), (leave("b"), st.Block("block", (leave("c"),), AT)), AT),
    st.Switch(
        read(0), (st.SwitchCase((1,), (leave("d"),), AT), st.SwitchCase((2,), (leave("e"),), AT)), (leave("f"),), AT
    ),
    st.While(compared(0), (leave("g"),), AT),
)


def test_statements_within_others_come_in_their_order() -> None:
    assert [statement.label for statement in walk(NESTED) if isinstance(statement, st.Leave)] == list("abcdefg")


def test_each_body_is_made_anew() -> None:
    def renamed(body: st.Body) -> st.Body:
        return tuple(leave(s.label.upper()) if isinstance(s, st.Leave) else rebuild(s, renamed) for s in body)

    made = renamed(NESTED)
    assert [statement.label for statement in walk(made) if isinstance(statement, st.Leave)] == list("ABCDEFG")
    assert tuple(rebuild(statement, lambda body: body) for statement in made) == made
    assert rebuild(leave("x"), renamed) == leave("x")


def test_what_a_transition_evaluates_and_where_it_goes() -> None:
    sets = (ex.MaskSet(read(2), read(3), AT), ex.RangeSet(read(4), read(5), AT))
    cases = (
        pr.SelectCase((ex.ExactSet(read(1), AT), ex.AnySet(AT)), "one", AT),
        pr.SelectCase(sets, pr.REJECT, AT),
        pr.SelectCase((ex.ValueSetRef("set", AT), ex.AnySet(AT)), "one", AT),
        pr.SelectCase((ex.AnySet(AT), ex.AnySet(AT)), "two", AT),
    )
    state = pr.ParserState("start", (), pr.Select((read(0), read(6)), cases, AT), AT)
    assert transition_expressions(state) == (read(0), read(6), *(read(number) for number in range(1, 6)))
    assert successors(state) == ("one", pr.REJECT, "two")
    onward = pr.ParserState("next", (), pr.Goto(pr.ACCEPT, AT), AT)
    assert (transition_expressions(onward), successors(onward)) == ((), (pr.ACCEPT,))
    assert keyset_expressions(ex.AnySet(AT)) == keyset_expressions(ex.ValueSetRef("set", AT)) == ()
