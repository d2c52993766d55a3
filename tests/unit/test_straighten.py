"""Jumps and labels that generated functions can do without."""

import pytest

from transpiler.codegen.straighten import negated, straighten
from transpiler.codegen.views import BlockView, CaseView, IfView, Line, SwitchView


def test_a_jump_to_what_comes_next_and_its_label_are_left_out() -> None:
    views = (Line("a = 1;"), Line("goto parsed;"), Line("parsed:;"), Line("b = 1;"), Line("return;"))
    assert straighten(views) == (Line("a = 1;"), Line("b = 1;"))


def test_a_label_that_something_else_jumps_to_stays() -> None:
    fail = IfView("x", (Line("goto parsed;"),), (), "")
    views = (fail, Line("a = 1;"), Line("goto parsed;"), Line("parsed:;"), Line("b = 1;"))
    assert straighten(views) == (fail, Line("a = 1;"), Line("parsed:;"), Line("b = 1;"))


def test_the_end_of_a_branch_goes_where_the_branch_ends() -> None:
    branch = IfView("x", (Line("goto join_0;"),), (Line("y = 1;"), Line("goto join_0;")), "")
    assert straighten((branch, Line("join_0:;"), Line("z = 1;"))) == (
        IfView("!x", (Line("y = 1;"),), (), ""),
        Line("z = 1;"),
    )


def test_a_case_and_a_block_end_where_they_end() -> None:
    cases = SwitchView("x", (CaseView(("1",), (Line("goto after_1;"),)),), (), "")
    assert straighten((BlockView((cases,), "after_1", ""),)) == (
        BlockView((SwitchView("x", (CaseView(("1",), ()),), (), ""),), "", ""),
    )


def test_jumps_over_something_stay() -> None:
    views = (IfView("x", (Line("goto out;"),), (), ""), Line("a = 1;"), Line("out:;"), Line("b = 1;"))
    assert straighten(views) == views


def test_a_jump_over_a_jump_is_turned_round() -> None:
    views = (IfView("x == 1", (Line("goto url;"),), (), ""), Line("goto parsed;"), Line("url:;"), Line("a = 1;"))
    end = (Line("parsed:;"), Line("b = 1;"))
    assert straighten((*views, Line("goto parsed;"), Line("c = 1;"), *end)) == (
        IfView("x != 1", (Line("goto parsed;"),), (), ""),
        Line("a = 1;"),
        Line("goto parsed;"),
        Line("c = 1;"),
        *end,
    )


@pytest.mark.parametrize(
    ("condition", "opposite"),
    [
        ("x", "!x"),
        ("h->a[1] <= 2", "h->a[1] > 2"),
        ("error != 0 /* NoError */", "error == 0 /* NoError */"),
        ("!x", "!(!x)"),
        ("a & b == c", "!(a & b == c)"),
        ("a == 1 && b == 2", "!(a == 1 && b == 2)"),
        ("f(x) == 1", "!(f(x) == 1)"),
    ],
)
def test_the_opposite_of_conditions(condition: str, opposite: str) -> None:
    assert negated(condition) == opposite
