"""Jumps and labels that generated functions can do without."""

from transpiler.codegen.straighten import straighten
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
        IfView("!(x)", (Line("y = 1;"),), (), ""),
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
