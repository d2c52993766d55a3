"""P4's integers by their definition: widths up to four, every operand, against a computation bit by bit or step by step."""

from __future__ import annotations

from itertools import product

import pytest

from transpiler.hlir import arithmetic as a
from transpiler.hlir.expressions import BinaryOp as Op, UnaryOp
from transpiler.hlir.types import Bits, Bool

TYPES = [Bits(width, signed) for width in (1, 2, 4) for signed in (False, True)]
PAIRS = [(type_, x, y) for type_ in TYPES for x, y in product(range(1 << type_.width), repeat=2)]


def meaning(value: int, type_: Bits) -> int:
    """Each bit counts its power of two; the first one of int<> counts against it."""
    weights = [1 << i for i in range(type_.width)]
    if type_.signed:
        weights[-1] = -weights[-1]
    return sum(weight for i, weight in enumerate(weights) if value >> i & 1)


def numbers(type_: Bits) -> dict[int, int]:
    """The stored value of each number of a type."""
    return {meaning(value, type_): value for value in range(1 << type_.width)}


def around(value: int, type_: Bits) -> int:
    """The stored value of the number of the type that is a multiple of 2**width away."""
    found = [code for n, code in numbers(type_).items() if (n - value) % (1 << type_.width) == 0]
    assert len(found) == 1
    return found[0]


def test_a_stored_value_stands_for_the_number_that_its_bits_are() -> None:
    for type_ in TYPES:
        for n, code in numbers(type_).items():
            assert (a.number(code, type_), a.stored(n, type_)) == (n, code)
        assert a.bounds(type_) == (min(numbers(type_)), max(numbers(type_)))


@pytest.mark.parametrize("signed", [False, True])
def test_types_of_no_bits_have_one_number(signed: bool) -> None:
    type_ = Bits(0, signed)
    assert (a.bounds(type_), a.number(0, type_), a.wrap(-3, type_), a.saturate(5, type_)) == ((0, 0), 0, 0, 0)
    assert [a.binary(op, 0, 0, type_, type_) for op in (Op.ADD, Op.SUB, Op.SADD, Op.SSUB, Op.XOR, Op.EQ)] == [0] * 5 + [
        1
    ]


@pytest.mark.parametrize(("op", "exact"), [(Op.ADD, int.__add__), (Op.SUB, int.__sub__), (Op.MUL, int.__mul__)])
def test_sums_and_products_wrap(op: Op, exact) -> None:
    for type_, x, y in PAIRS:
        assert a.binary(op, x, y, type_, type_) == around(exact(meaning(x, type_), meaning(y, type_)), type_)


@pytest.mark.parametrize(("op", "exact"), [(Op.SADD, int.__add__), (Op.SSUB, int.__sub__)])
def test_saturating_operators_give_the_nearest_number(op: Op, exact) -> None:
    for type_, x, y in PAIRS:
        wanted, known = exact(meaning(x, type_), meaning(y, type_)), numbers(type_)
        nearest = min(known, key=lambda n: abs(n - wanted))
        assert a.binary(op, x, y, type_, type_) == known[nearest]


@pytest.mark.parametrize(
    ("op", "bit"), [(Op.AND, lambda x, y: x and y), (Op.OR, lambda x, y: x or y), (Op.XOR, lambda x, y: x != y)]
)
def test_bitwise_operators_work_bit_by_bit(op: Op, bit) -> None:
    for type_, x, y in PAIRS:
        wanted = sum(int(bit(x >> i & 1, y >> i & 1)) << i for i in range(type_.width))
        assert a.binary(op, x, y, type_, type_) == wanted


def test_shifts_are_doublings_and_halvings() -> None:
    amount = Bits(4)
    for type_, x, y in PAIRS:
        left = right = meaning(x, type_)
        for _ in range(y):
            left, right = left * 2, right // 2
        assert a.binary(Op.SHL, x, y, type_, amount) == around(left, type_)
        assert a.binary(Op.SHR, x, y, type_, amount) == around(right, type_)
    assert a.binary(Op.SHL, 1, 1 << 100, Bits(8), Bits(101)) == 0
    assert a.binary(Op.SHR, 0x80, 1 << 100, Bits(8, True), Bits(101)) == 0xFF


def test_division_counts_how_often_the_divisor_fits() -> None:
    for type_, x, y in PAIRS:
        quotient, rest = 0, x
        while y and rest >= y:
            quotient, rest = quotient + 1, rest - y
        assert a.binary(Op.DIV, x, y, type_, type_) == quotient
        assert a.binary(Op.MOD, x, y, type_, type_) == (rest if y else 0)


def test_comparisons_are_those_of_the_numbers() -> None:
    for type_, x, y in PAIRS:
        order = sorted(numbers(type_)).index
        first, second = order(meaning(x, type_)), order(meaning(y, type_))
        got = [a.binary(op, x, y, type_, type_) for op in (Op.EQ, Op.NE, Op.LT, Op.LE, Op.GT, Op.GE)]
        wanted = [first == second, first != second, first < second, first <= second, first > second, first >= second]
        assert got == wanted


def test_casts_keep_the_number_or_its_lowest_bits() -> None:
    for source, target in product(TYPES, TYPES):
        for x in range(1 << source.width):
            assert a.cast(x, source, target) == around(meaning(x, source), target)
    assert [a.cast(x, Bits(2), Bool()) for x in range(4)] == [0, 1, 1, 1]
    assert a.cast(1, Bool(), Bits(4)) == 1


def test_unary_operators() -> None:
    for type_ in TYPES:
        for x in range(1 << type_.width):
            assert a.unary(UnaryOp.NEGATE, x, type_) == around(-meaning(x, type_), type_)
            assert a.unary(UnaryOp.COMPLEMENT, x, type_) == x ^ ((1 << type_.width) - 1)
    assert [a.unary(UnaryOp.NOT, x, Bool()) for x in (0, 1)] == [1, 0]


def test_concatenation_and_slices_are_written_side_by_side() -> None:
    for left, right in product(TYPES, TYPES):
        for x, y in product(range(1 << left.width), range(1 << right.width)):
            text = f"{x:0{left.width}b}{y:0{right.width}b}"
            together = a.binary(Op.CONCAT, x, y, left, right)
            assert together == int(text, 2)
            whole = Bits(left.width + right.width, left.signed)
            assert a.concatenate(meaning(x, left), meaning(y, right), left, right) == meaning(together, whole)
            assert a.bits_of(together, right.width, 1) == int(text[left.width - 1 : -1], 2)


def test_int_has_no_width() -> None:
    assert a.calculate(Op.SUB, 3, 1 << 200, None) == 3 - (1 << 200)
    assert a.calculate(Op.SHR, -5, 1, None) == -3
    assert a.calculate(Op.SHR, 1 << 200, 150, None) == 1 << 50
    assert a.calculate(Op.SHR, -(1 << 200), 300, None) == -1
    assert a.calculate(Op.SHL, -5, 100, None) == -5 * 2**100
    assert a.calculate(Op.SHL, 0, 1 << 60, None) == 0
    assert a.calculate_unary(UnaryOp.COMPLEMENT, 5, None) == -6


@pytest.mark.parametrize(
    ("op", "x", "y", "type_", "text"),
    [
        (Op.DIV, 1, 0, None, "division by zero"),
        (Op.MOD, 1, 0, Bits(8), "modulo by zero"),
        (Op.MOD, -1, 2, None, "modulo is not defined for negative numbers"),
        (Op.DIV, 1, -2, Bits(8, True), "division is not defined for negative numbers"),
        (Op.SHL, 1, -1, Bits(8), "shift by a negative amount"),
        (Op.SHR, 1, -1, None, "shift by a negative amount"),
        (Op.SHL, 1, 1 << 40, None, "the value of this shift is too large"),
        (Op.MUL, 1 << 4000, 1 << 4000, None, "the value of this constant expression is too large"),
        (Op.SADD, 1, 2, None, "operator |+| needs operands with a width"),
        (Op.CONCAT, 1, 2, None, "operator ++ needs operands with a width"),
    ],
)
def test_what_has_no_value_says_why(
    op: Op, x: int, y: int, type_: Bits | None, text: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(a, "MAX_BITS", 6000)
    with pytest.raises(a.UndefinedError) as problem:
        a.calculate(op, x, y, type_)
    assert str(problem.value) == text


def test_numbers_without_a_width_have_so_many_bits_and_no_more(monkeypatch: pytest.MonkeyPatch) -> None:
    assert a.MAX_BITS == 1 << 20
    monkeypatch.setattr(a, "MAX_BITS", 64)
    most = 1 << 63
    for op, x, y in ((Op.SHL, 1, 63), (Op.MUL, 1 << 62, 2), (Op.ADD, most - 1, 1)):
        assert a.calculate(op, x, y, None) == most
    for op, x, y in ((Op.SHL, 1, 64), (Op.MUL, 1 << 62, 4), (Op.ADD, most, most)):
        with pytest.raises(a.UndefinedError, match="too large"):
            a.calculate(op, x, y, None)
