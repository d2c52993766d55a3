"""Arithmetic as P4-16 section 8 has it, with HLIR's rules where the specification leaves it open."""

from __future__ import annotations

import pytest
from hlir_builder import AT, Builder, binary, const, goto as to, h, state

from transpiler.hlir import expressions as ex
from transpiler.hlir.types import Bits, Bool, Varbit
from transpiler.interpreter.evaluate import evaluate, find_header, pack, read, to_bytes, write
from transpiler.interpreter.state import BitString, State


@pytest.fixture
def empty() -> State:
    b = Builder()
    b.stack("s", "s_t", 2, x=8)
    return State(b.build([state("start", [], to("accept"))]))


@pytest.mark.parametrize(
    ("op", "left", "right", "width", "signed", "result"),
    [
        ("+", 250, 10, 8, False, 4),
        ("-", 3, 5, 8, False, 254),
        ("*", 200, 2, 8, False, 144),
        ("/", 7, 2, 8, False, 3),
        ("/", 7, 0, 8, False, 0),
        ("%", 7, 0, 8, False, 0),
        ("|+|", 250, 10, 8, False, 255),
        ("|-|", 3, 5, 8, False, 0),
        ("|+|", 0x7F, 1, 8, True, 0x7F),
        ("|+|", 0x80, 0xFF, 8, True, 0x80),
        ("|-|", 0x80, 1, 8, True, 0x80),
        ("&", 0b1100, 0b1010, 4, False, 0b1000),
        ("|", 0b1100, 0b1010, 4, False, 0b1110),
        ("^", 0b1100, 0b1010, 4, False, 0b0110),
        ("<<", 1, 7, 8, False, 128),
        ("<<", 1, 200, 8, False, 0),
        (">>", 0x80, 7, 8, False, 1),
        (">>", 0x80, 7, 8, True, 0xFF),
        (">>", 0x80, 200, 8, True, 0xFF),
        ("<", 0x80, 1, 8, False, 0),
        ("<", 0x80, 1, 8, True, 1),
        (">=", 0x80, 0x80, 8, True, 1),
        ("==", 5, 5, 8, False, 1),
        ("!=", 5, 5, 8, False, 0),
    ],
)
def test_binary(empty: State, op: str, left: int, right: int, width: int, signed: bool, result: int) -> None:
    expression = binary(op, const(left, width, signed), const(right, width, signed))
    assert evaluate(expression, empty) == result


def test_shift_by_a_huge_amount_is_quick(empty: State) -> None:
    assert evaluate(binary("<<", const(1, 64), const((1 << 64) - 1, 64)), empty) == 0


def test_concat_slice_cast_and_conditional(empty: State) -> None:
    joined = binary("++", const(0xA, 4), const(0x5, 4), Bits(8))
    assert evaluate(joined, empty) == 0xA5
    assert evaluate(ex.Slice(joined, 6, 2, AT), empty) == 0b01001
    assert evaluate(ex.Cast(const(0xF0, 8, signed=True), Bits(16), AT), empty) == 0xFFF0
    assert evaluate(ex.Cast(const(0xF0, 8), Bits(16), AT), empty) == 0x00F0
    assert evaluate(ex.Cast(const(0x1F0, 16), Bits(8, True), AT), empty) == 0xF0
    assert evaluate(ex.Cast(const(1, 1), Bool(), AT), empty) == 1
    choice = ex.Conditional(binary("<", const(1, 8), const(2, 8)), const(7, 8), const(9, 8), Bits(8), AT)
    assert evaluate(choice, empty) == 7


def test_unary(empty: State) -> None:
    assert evaluate(ex.Unary(ex.UnaryOp.NEGATE, const(1, 8), Bits(8), AT), empty) == 255
    assert evaluate(ex.Unary(ex.UnaryOp.COMPLEMENT, const(0xF0, 8), Bits(8), AT), empty) == 0x0F
    assert evaluate(ex.Unary(ex.UnaryOp.NOT, ex.Const(0, Bool(), AT), Bool(), AT), empty) == 1


def test_an_element_beyond_its_stack_reads_zero_and_swallows_writes(empty: State) -> None:
    inside, beyond = (ex.FieldRef(ex.ElementRef("s", const(i, 8), AT), "x", AT) for i in (1, 2))
    write(inside, 5, empty)
    write(beyond, 6, empty)
    assert read(inside, empty) == 5
    assert read(ex.FieldRef(h("s[1]"), "x", AT), empty) == 5
    assert read(beyond, empty) == 0
    assert find_header(beyond.header, empty) is None
    assert evaluate(ex.IsValid(beyond.header, AT), empty) == 0


@pytest.mark.parametrize(("index", "width"), [(-1, 1), (-1, 2), (-2, 2), (-1, 8), (-128, 8)])
def test_an_element_below_zero_is_beyond_its_stack_too(empty: State, index: int, width: int) -> None:
    below = ex.FieldRef(ex.ElementRef("s", const(index % (1 << width), width, True), AT), "x", AT)
    write(below, 6, empty)
    assert read(below, empty) == 0 and find_header(below.header, empty) is None
    assert [header.fields["x"] for header in empty.headers.values()] == [0, 0]


def test_a_list_is_its_items_without_padding(empty: State) -> None:
    items = (const(1, 4), ex.ListExpression((const(0xAB, 8),), AT), const(0xC, 4))
    assert pack(items, empty) == (0x1ABC, 16)
    assert to_bytes(0b101, 3) == b"\xa0"


@pytest.mark.parametrize(("holds", "packed"), [(1, (0x7A, 8)), (0, (0x7BC, 12))])
def test_a_list_has_the_items_of_the_arm_that_is_taken(empty: State, holds: int, packed: tuple[int, int]) -> None:
    arms = [ex.ListExpression(tuple(const(value, 4) for value in values), AT) for values in ((0xA,), (0xB, 0xC))]
    chosen = ex.Conditional(ex.Const(holds, Bool(), AT), arms[0], arms[1], Bits(0), AT)
    assert pack((const(7, 4), chosen), empty) == packed


def test_comparison_of_varbits_is_of_width_and_content() -> None:
    assert BitString(0, 8) != BitString(0, 16)
    b = Builder()
    b.stack("o", "o_t", 1, data=Varbit(32))
    nothing = State(b.build([state("start", [], to("accept"))]))
    for index in (0, 1):  # what nobody has written is empty, there and beyond the stack
        assert read(ex.FieldRef(ex.ElementRef("o", const(index, 8), AT), "data", AT), nothing) == BitString(0, 0)
