"""What of a frame decides a packet's way through the parser: how long it is, and which bits it has."""

from __future__ import annotations

from contextlib import nullcontext

import pytest
from hlir_builder import AT, ERRORS, Builder, any_, const, exact, extract, goto, select, state

from transpiler.hlir import expressions as ex, program as pr, statements as st
from transpiler.hlir.types import Bits, Bool
from transpiler.recursion import deep_recursion
from transpiler.schedule.steering_paths import MOST, Leaf, Longer, Same, Tree, Unsteerable, paths


def builder() -> Builder:
    b = Builder()
    b.header("a", "a_t", kind=8, rest=16)
    b.header("b", "b_t", odd=12, more=4)
    b.variable("seen", 12)
    return b


def tree(b: Builder, *states: pr.ParserState) -> Tree:
    made, accesses = paths(b.build(states))
    assert not any(accesses)
    return made


def advance(bits: int) -> st.Advance:
    return st.Advance(const(bits, 32), AT)


def mask(value: int, of: int) -> ex.MaskSet:
    return ex.MaskSet(const(value, 8), const(of, 8), AT)


def test_a_frame_is_asked_for_its_length_before_each_step_that_needs_more() -> None:
    """Whole bytes: of 12 bits two. What is there already is not asked for again."""
    b = builder()
    seen = st.Lookahead(ex.VariableRef("seen", AT), Bits(12), AT)
    found = tree(
        b, state("start", [extract("a"), seen, extract("b"), advance(7), advance(1), advance(9)], goto("accept"))
    )
    assert found == Longer(3, Longer(5, Longer(6, Longer(8, Leaf(0), Leaf(1)), Leaf(2)), Leaf(3)), Leaf(4))


def test_nothing_is_asked_of_what_reads_nothing() -> None:
    assert tree(builder(), state("start", [advance(0)], goto("accept"))) == Leaf(0)


def test_the_first_case_that_fits() -> None:
    b = builder()
    cases = (exact(5, 8), "accept"), (mask(0x30, 0xF0), "accept"), (any_(), "reject"), (exact(7, 8), "accept")
    found = tree(b, state("start", [extract("a")], select(b.get("a.kind"), *cases)))
    assert found == Longer(3, Same(0, 0xFF, 5, Leaf(0), Same(0, 0xF0, 0x30, Leaf(1), Leaf(2))), Leaf(3))


def test_values_of_several_bytes_are_compared_byte_by_byte() -> None:
    b = builder()
    found = tree(b, state("start", [extract("a")], select(b.get("a.rest"), (exact(0x1203, 16), "accept"))))
    assert isinstance(found, Longer)
    match found.yes:
        case Same(at=1, mask=0xFF, value=0x12, yes=Same(at=2, mask=0xFF, value=3, yes=Leaf(), no=last), no=first):
            assert first == last and isinstance(first, Leaf)
        case other:
            raise AssertionError(other)


def test_the_bits_of_a_field_that_begins_within_a_byte() -> None:
    b = builder()
    found = tree(b, state("start", [extract("b")], select(b.get("b.more"), (exact(9, 4), "accept"))))
    assert found == Longer(2, Same(1, 0x0F, 9, Leaf(0), Leaf(1)), Leaf(2))


def test_what_is_known_is_not_asked_of_the_frame() -> None:
    b = builder()
    known = [b.set("seen", 5)]
    more = state("more", [extract("a")], goto("accept"))
    for value, ways in ((5, Longer(3, Leaf(0), Leaf(1))), (6, Leaf(0))):
        assert tree(b, state("start", known, select(b.get("seen"), (exact(value, 12), "more"))), more) == ways
    holds = ex.Binary(ex.BinaryOp.EQ, b.get("seen"), const(5, 12), Bool(), AT)
    verify = st.Verify(holds, ex.Const(1, ERRORS, AT), AT)
    assert tree(b, state("start", [*known, verify, extract("a")], goto("accept"))) == Longer(3, Leaf(0), Leaf(1))


@pytest.mark.parametrize(
    ("second", "reached"),
    [(exact(5, 8), True), (exact(4, 8), False), (mask(0x20, 0x20), False), (mask(0x01, 0x03), True)],
)
def test_a_bit_that_is_asked_for_twice_must_be_both(second: ex.KeySet, reached: bool) -> None:
    b = builder()
    kind = b.get("a.kind")
    cases = (pr.SelectCase((exact(5, 8), second), "accept", AT),)
    found = tree(b, state("start", [extract("a")], pr.Select((kind, kind), cases, AT)))
    assert found == Longer(3, Same(0, 0xFF, 5, Leaf(0), Leaf(1)) if reached else Leaf(0), Leaf(2 if reached else 1))


def test_what_depends_on_more_than_where_the_parser_stands() -> None:
    b = builder()
    seen = st.Lookahead(ex.VariableRef("seen", AT), Bits(12), AT)
    by_frame = st.Advance(ex.Cast(b.get("seen"), Bits(32), AT), AT)
    with pytest.raises(Unsteerable, match="depends on more than where it stands"):
        tree(b, state("start", [seen, by_frame], goto("accept")))


@pytest.mark.parametrize("bits", [0, 8])
def test_states_that_lead_back_without_end(bits: int) -> None:
    """Padding that is skipped byte by byte, and a state that does nothing."""
    b = builder()
    seen = st.Lookahead(ex.VariableRef("seen", AT), Bits(12), AT)
    skipped = state("start", [seen, advance(bits)], select(b.get("seen"), (exact(0, 12), "start"), (any_(), "accept")))
    for looping in (skipped, state("start", [advance(bits)], goto("start"))):
        with deep_recursion(), pytest.raises(Unsteerable, match="too many steps"):
            tree(b, looping)


def test_as_many_ways_as_there_may_be() -> None:
    """One for each value, one for all others, one for frames that are too short."""
    b = builder()
    for count in (MOST - 2, MOST - 1):
        cases = [(exact(number, 16), "accept") for number in range(count)]
        made = state("start", [extract("a")], select(b.get("a.rest"), *cases, (any_(), "reject")))
        with (
            deep_recursion(),
            nullcontext() if count == MOST - 2 else pytest.raises(Unsteerable, match="too many ways"),
        ):
            tree(b, made)


def verify(condition: ex.Expression) -> st.Verify:
    return st.Verify(condition, ex.Const(1, ERRORS, AT), AT)


def test_who_fails_a_check_is_done() -> None:
    b = builder()
    fails = verify(ex.Const(0, Bool(), AT))
    assert tree(b, state("start", [fails, extract("a")], goto("accept"))) == Leaf(0)


def test_a_bit_that_is_inverted_or_known() -> None:
    b = builder()
    inverted = ex.Unary(ex.UnaryOp.COMPLEMENT, b.get("a.kind"), Bits(8), AT)
    found = tree(b, state("start", [extract("a")], select(inverted, (exact(0x0F, 8), "accept"))))
    assert found == Longer(3, Same(0, 0xFF, 0xF0, Leaf(0), Leaf(1)), Leaf(2))
    joined = ex.Binary(ex.BinaryOp.CONCAT, const(3, 4), ex.Slice(b.get("a.kind"), 3, 0, AT), Bits(8), AT)
    for value, way in ((0x35, Same(0, 0x0F, 5, Leaf(0), Leaf(1))), (0x25, Leaf(0))):
        found = tree(b, state("start", [extract("a")], select(joined, (exact(value, 8), "accept"))))
        assert found == Longer(3, way, Leaf(2 if isinstance(way, Same) else 1))


B = builder()
LOOKED = st.Lookahead(ex.VariableRef("seen", AT), Bits(12), AT)
KIND, SEEN = B.get("a.kind"), B.get("seen")
SUM = ex.Binary(ex.BinaryOp.XOR, KIND, ex.Slice(SEEN, 11, 4, AT), Bits(8), AT)
ASKED = ex.Binary(ex.BinaryOp.EQ, KIND, const(5, 8), Bool(), AT)


@pytest.mark.parametrize(
    ("body", "case", "subjects", "message"),
    [
        ([verify(ASKED)], (any_(),), (KIND,), "the parser verifies at t.p4:1:1 what no single byte tells"),
        ([], (ex.RangeSet(const(1, 8), const(4, 8), AT),), (KIND,), "the parser selects by a range or a value set at t.p4:1:1"),
        ([], (ex.ValueSetRef("s", AT),), (KIND, SEEN), "the parser asks a value set at t.p4:1:1"),
        ([], (ex.ValueSetRef("s", AT),), (KIND,), "the parser selects by a range or a value set at t.p4:1:1"),
        ([], (ex.ExactSet(KIND, AT),), (KIND,), "the parser compares at t.p4:1:1 with what is not constant"),
        ([LOOKED], (exact(1, 8),), (SUM,), "the parser selects at t.p4:1:1 by what is no bit of the frame"),
        (
            [st.Advance(ex.Cast(KIND, Bits(32), AT), AT)],
            (any_(),), (KIND,), "what the parser does at t.p4:1:1 depends on more than where it stands",
        ),
    ],
)  # fmt: skip
def test_why_frames_are_not_steered(
    body: list[st.Statement], case: tuple[ex.KeySet, ...], subjects: tuple[ex.Expression, ...], message: str
) -> None:
    b = builder()
    b.value_sets.append(pr.ValueSet("s", (Bits(8),), (pr.MatchKind.EXACT,), 4, AT))
    if len(subjects) == 2:
        b.value_sets[0] = pr.ValueSet("s", (Bits(8), Bits(12)), (pr.MatchKind.EXACT,) * 2, 4, AT)
    selecting = pr.Select(subjects, (pr.SelectCase(case, "accept", AT),), AT)
    with pytest.raises(Unsteerable) as refused:
        tree(b, state("start", [extract("a"), *body], selecting))
    assert str(refused.value) == message
