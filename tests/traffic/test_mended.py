"""Masks that become such as a table's restriction allows: which are tried, which is the best; and what a rule is told of an
entry."""

from __future__ import annotations

from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import pytest
from hlir_builder import Builder

from transpiler.diagnostics import Diagnostics, Severity, Span
from transpiler.hlir.interface import Annotation
from transpiler.hlir.program import MatchKind
from transpiler.traffic.keys import Own, Shared, Unknown
from transpiler.traffic.mended import _best, _changes, _choices, _mended, _scores, fitted
from transpiler.traffic.restrictions import Field, Rule, _read, array, rule_of

A, B = Field("a", MatchKind.TERNARY, 8), Field("b", MatchKind.TERNARY, 8)
RANGE, LPM, EXACT = Field("r", MatchKind.RANGE, 8), Field("p", MatchKind.LPM, 8), Field("x", MatchKind.EXACT, 8)
BOTH = ((255, 0), (255, 0))


def rule(text: str, *fields: Field) -> Rule:
    return _read(text, fields)


def judged(of: Rule, *parts: tuple[int, int], priority: int = 1) -> list[float]:
    """Of an entry with these values and masks."""
    values, masks = zip(*parts, strict=True)
    return [float(d) for d in of.judged((), values, masks, priority).ravel()]


@pytest.mark.parametrize(
    ("text", "field", "value", "mask"),
    [
        ("a::value == 4 && a::mask == 12", A, 7, 12),  # what is not matched is no part of the value
        ("r::low == 16 && r::high == 31", RANGE, 19, 0xF0),
        ("p::value == 0x40 && p::prefix_length == 2", LPM, 0x7F, 0xC0),
        ("x == 3", EXACT, 3, 255),
    ],
)
def test_what_a_rule_is_told_of_a_key(text: str, field: Field, value: int, mask: int) -> None:
    assert judged(rule(text, field), (value, mask)) == [1.0]
    assert judged(rule(text, field), (value ^ mask, mask)) != [1.0]


def test_a_rule_is_told_the_priority_and_only_of_the_keys_that_it_names() -> None:
    of = rule("::priority > 3; a == 1", A, B)
    assert judged(of, (1, 255), (2, 255), priority=4) == [1.0, 1.0]
    assert judged(of, (1, 255), (2, 255)) == [0.0, 1.0]
    assert [of.names(field) for field in of.fields] == [True, False]


def test_numbers_wider_than_a_word_are_whole() -> None:
    assert array(64, [(1 << 64) - 1]).tolist() == [(1 << 64) - 1]
    assert array(64, [1]).dtype != object
    assert array(65, [1 << 64]).tolist() == [1 << 64]


def test_changes_are_of_so_many_fields_to_another_mask() -> None:
    assert list(_changes((255, 255), BOTH, 1)) == [(0, 255), (255, 0)]
    assert list(_changes((255, 255), BOTH, 2)) == [(0, 0)]
    assert list(_changes((240, 0), BOTH, 2)) == [(255, 255), (0, 255)]
    assert list(_changes((255, 0), ((255,), ()), 1)) == []


def test_of_masks_that_are_as_good_the_one_that_matches_more_is_the_best() -> None:
    of, values = rule("a::mask == 0 || b::mask == 0", A, B), [array(8, [1, 2])] * 2
    assert _scores(of, values, [(0, 0), (0, 255), (255, 255)]) == [(1.0, 1.0, 0), (1.0, 1.0, 8), (0.0, 0.0, 16)]
    assert _best(of, values, [(0, 0), (0, 255), (255, 255)]) == ((1.0, 1.0, 8), (0, 255))
    assert _best(of, values, []) == ((-1.0, 0.0, 0), ())


def test_how_good_masks_are_is_the_part_of_entries_and_then_that_of_clauses() -> None:
    of = rule("a == 1; b == 2", A, B)
    values = [array(8, [1, 1, 3, 3]), array(8, [2, 3, 2, 3])]
    assert _scores(of, values, [(255, 255)]) == [(0.25, 0.5, 16)]


def test_masks_that_are_allowed_stay() -> None:
    of = rule("a::mask == 255 || a::mask == 240", A)
    assert _mended(of, [array(8, [1])], (240,), [(255, 0)]) == ((240,), 1.0)


def test_one_field_after_the_other_is_changed_while_it_helps() -> None:
    of = rule("a::mask == 0; b::mask == 0", A, B)
    assert _mended(of, [array(8, [1])] * 2, (255, 255), BOTH) == ((0, 0), 1.0)
    assert _mended(of, [array(8, [1])] * 2, (255, 255), [(255, 0), (255,)]) == ((0, 255), 0.0)


def test_all_fields_are_changed_at_once_where_no_one_helps() -> None:
    of = rule("a::mask == b::mask && a::mask != 255", A, B)
    assert _mended(of, [array(8, [1])] * 2, (255, 255), BOTH) == ((0, 0), 1.0)


def test_masks_that_match_more_are_no_reason_to_change_a_field() -> None:
    """As none of the masks is allowed, they are left as they are."""
    of = rule("a == 9", A, B)
    assert _mended(of, [array(8, [1])] * 2, (255, 0), [(255,), (255, 0)]) == ((255, 0), 0.0)


def test_only_keys_that_the_rule_names_and_entries_may_leave_out_are_fitted() -> None:
    assert fitted(rule("a::mask == 0", A, B), (5, 7)) == (0, 255)
    assert fitted(rule("x == 0", EXACT, A), (5, 7)) is None
    assert fitted(rule("p::prefix_length == 0", LPM), (5,)) is None
    assert fitted(rule("a == 5", A), (5,)) == (255,)


def made(*bits: Any, marks: tuple[int, ...] = ()) -> Any:
    return SimpleNamespace(keys=SimpleNamespace(bits=bits, marks=marks))


def test_what_a_field_may_match_instead() -> None:
    """A mark stays matched; what is not the entries' own does not become so."""
    fields = [Field(name, MatchKind.TERNARY, 1) for name in "abcdef"]
    of = rule("; ".join(f"{field.name}::mask == 0" for field in fields), *fields)
    whole = made(Own(0), Own(2), 0, Shared("t", 0), Unknown(), Own(1), marks=(2,))
    assert _choices(of, whole) == [(1, 0), (1,), (1, 0), (0,), (0,), (1, 0)]


def test_what_is_shared_may_be_matched_where_entries_have_no_own_bits() -> None:
    field = Field("a", MatchKind.TERNARY, 1)
    of = rule("a::mask == 0", field)
    assert _choices(of, made(Shared("t", 0))) == [(1, 0)]
    exact = Field("a", MatchKind.EXACT, 1)
    assert _choices(rule("a == 0", exact), made(Own(0))) == [()]
    assert _choices(rule("true", field), made(Own(0))) == [()]


def test_many_pairs_of_fields_are_tried() -> None:
    """Here the last of 21."""
    fields = [Field(f"k{number}", MatchKind.TERNARY, 8) for number in range(7)]
    named = "; ".join(f"k{number} == k{number}" for number in range(7))
    of = rule(f"{named}; !(k5::mask != 0 || k6::mask != 0)", *fields)
    assert fitted(of, (1,) * 7) == (255,) * 5 + (0, 0)


@pytest.mark.parametrize("count", [2, 3, 4])
def test_as_many_fields_are_changed_as_it_takes(count: int) -> None:
    fields = [Field(f"k{number}", MatchKind.OPTIONAL, 8) for number in range(4)]
    named = "; ".join(f"k{number} == k{number}" for number in range(4))
    matched = " || ".join(f"k{number}::mask != 0" for number in range(count))
    assert fitted(rule(f"{named}; !({matched})", *fields), (1,) * 4) == (0,) * count + (255,) * (4 - count)


def test_what_cannot_be_read_is_told_at_its_annotation() -> None:
    b = Builder()
    b.header("h", "h_t", a=8, b=8)
    b.table("t", [("h.b", "selector"), ("h.a", "exact"), ("h.b", "ternary")], [])
    said, note = Diagnostics(), Span("t.p4", 7, 3)
    table = replace(b.tables[0], annotations=(Annotation("entry_restriction", "h.a == 1 &&\n h.c == 2", note),))
    assert rule_of(table, said) is None and rule_of(table) is None
    assert [(one.severity, one.code, one.span, one.message) for one in said.messages] == [
        (Severity.WARNING, "traffic", note,
         "the @entry_restriction of table t is left out: line 2 of it, before 'h.c': the table has no such key"),
    ]  # fmt: skip
    table = replace(table, annotations=(Annotation("entry_restriction", "h.a == 1", note), *table.annotations))
    found = rule_of(table)
    assert found is not None and [(field.name, field.full, found.names(field)) for field in found.fields] == [
        ("h.a", 255, True), ("h.b", 255, False),
    ]  # fmt: skip
