"""Nesting that generated functions can do without."""

import pytest

from transpiler.codegen.unnest import declares, unnested, with_guards
from transpiler.codegen.views import BlockView, CaseView, IfView, Line, SwitchView

A, B, LEAVES = Line("a = 1;"), Line("b = 1;"), Line("return;")


def test_what_follows_a_branch_that_returns_stands_behind_it() -> None:
    assert with_guards((IfView("x", (A, LEAVES), (B,), ""),)) == (IfView("x", (A, LEAVES), (), ""), B)


def test_other_arms_stay_where_they_are() -> None:
    declared = IfView("x", (LEAVES,), (Line("uint8_t b = 1;"),), "")
    jumps = IfView("x", (Line("goto out;"),), (B,), "")
    assert with_guards((declared, jumps)) == (declared, jumps)


def test_a_block_without_variables_is_opened() -> None:
    assert unnested((BlockView((A, B), "after_1", "p.p4:1"), LEAVES)) == (
        Line("a = 1;", "p.p4:1"),
        B,
        Line("after_1:;"),
        LEAVES,
    )


def test_a_block_with_variables_needs_its_braces_unless_it_stands_in_others_alone() -> None:
    block = BlockView((Line("uint32_t at = 0;"), A), "", "")
    assert unnested((block, B)) == (block, B)
    assert unnested((IfView("x", (block,), (), ""),)) == (IfView("x", block.body, (), ""),)


def test_a_block_that_a_template_makes_stays() -> None:
    block = BlockView((A,), "", "", part="deparser.c.j2")
    assert unnested((block,)) == (block,)


def test_cases_that_do_the_same_are_one() -> None:
    cases = (CaseView(("1",), (A,)), CaseView(("2",), (B,)), CaseView(("3",), (A,)))
    assert unnested((SwitchView("x", cases, (), ""),)) == (
        SwitchView("x", (CaseView(("1", "3"), (A,)), CaseView(("2",), (B,))), (), ""),
    )


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("const uint8_t subject_1 = 1;", True),
        ("uint8_t list[8];", True),
        ("struct macs_exact_index_cursor cursor_3;", True),
        ("uint8_t *const to = packet->data;", True),
        ("uint32_t stalled_at = 0, visits = 0;", True),
        ("goto parsed;", False),
        ("return;", False),
        ("kept->a = 1;", False),
        ("a = (uint8_t)b;", False),
        ("macs_digest_send(externs[d], list, 8);", False),
    ],
)
def test_declarations(text: str, expected: bool) -> None:
    assert declares((Line(text),)) == expected
