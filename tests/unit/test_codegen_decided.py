"""Comparisons that are certain before they are made."""

from __future__ import annotations

from itertools import product
from random import Random

import pytest
from hlir_builder import AT, Builder, binary, const, goto, state
from random_expressions import Maker

from transpiler.codegen.decided import known_bits, outcome
from transpiler.hlir import expressions as ex
from transpiler.hlir.types import Bits, Bool, Type
from transpiler.interpreter.evaluate import evaluate
from transpiler.interpreter.state import State

B = Builder()
B.variable("byte", 8)
BYTE = B.get("byte")
FLAG = ex.Cast(binary("==", BYTE, const(3, 8)), Bits(8), AT)


@pytest.mark.parametrize(
    ("comparison", "certain"),
    [
        (binary(">=", BYTE, const(0, 8)), True),
        (binary("<", BYTE, const(0, 8)), False),
        (binary("<=", BYTE, const(255, 8)), True),
        (binary("<=", BYTE, const(254, 8)), None),
        (binary(">", const(0, 8), BYTE), False),
        (binary("<", const(0, 8), BYTE), None),
        (binary(">=", FLAG, const(7, 8)), False),
        (binary("!=", FLAG, const(2, 8)), True),
        (binary("==", FLAG, const(1, 8)), None),
        (binary("==", binary("&", BYTE, const(0xF0, 8)), const(0x0F, 8)), False),
        (binary("==", binary("|", BYTE, const(1, 8)), const(2, 8)), False),
        (binary("!=", const(2, 8), binary("|", BYTE, const(1, 8))), True),
        (binary("<", binary("&", BYTE, const(7, 8)), const(8, 8)), True),
        (binary("<", binary("&", BYTE, const(7, 8)), const(7, 8)), None),
        (binary(">", const(8, 8), binary("&", BYTE, const(7, 8))), True),
        (binary(">=", binary("|", BYTE, const(4, 8)), const(4, 8)), True),
        (binary(">", binary("|", BYTE, const(4, 8)), const(4, 8)), None),
        (binary("<=", const(4, 8), binary("|", BYTE, const(4, 8))), True),
        (binary("<", const(2, 8), const(3, 8)), True),
        (binary("==", BYTE, BYTE), None),
    ],
)
def test_what_is_certain(comparison: ex.Binary, certain: bool | None) -> None:
    assert outcome(comparison, same=False) is certain


def test_of_a_value_with_itself() -> None:
    for op, certain in {"==": True, "!=": False, "<": False, "<=": True, ">": False, ">=": True}.items():
        assert outcome(binary(op, BYTE, BYTE), same=True) is certain


def test_certain_outcomes_are_those_of_every_value() -> None:
    compared = {
        "==": int.__eq__,
        "!=": int.__ne__,
        "<": int.__lt__,
        "<=": int.__le__,
        ">": int.__gt__,
        ">=": int.__ge__,
    }
    masked = binary("&", BYTE, const(5, 8))
    for op, number in product(compared, range(8)):
        certain = outcome(binary(op, masked, const(number, 8)), same=False)
        assert certain in (None, *{compared[op](value & 5, number) for value in range(256)})
        if certain is not None:
            assert all(compared[op](value & 5, number) is certain for value in range(256))


def test_signs_are_left_to_c() -> None:
    signed = ex.Cast(BYTE, Bits(8, signed=True), AT)
    zero = ex.Const(0, Bits(8, signed=True), AT)
    assert outcome(ex.Binary(ex.BinaryOp.GE, signed, zero, Bool(), AT), same=False) is None


def test_bits_that_are_known() -> None:
    assert known_bits(ex.Slice(BYTE, 5, 2, AT)).may == 0xF
    some = known_bits(binary("|", FLAG, const(4, 8)))
    assert (some.may, some.must, some.is_known) == (5, 4, False)
    all_of_it = known_bits(binary("+", const(250, 8), const(9, 8)))
    assert (all_of_it.may, all_of_it.is_known) == (3, True)


ODD = binary("|", BYTE, const(1, 8))
LOW = binary("&", BYTE, const(0x0F, 8))
CHOSEN = ex.Conditional(binary("==", BYTE, const(3, 8)), const(5, 8), const(6, 8), Bits(8), AT)
SIGNED = ex.Cast(BYTE, Bits(8, signed=True), AT)


@pytest.mark.parametrize(
    ("value", "may", "must"),
    [
        (BYTE, 0xFF, 0),
        (const(7, 8), 7, 7),
        (ODD, 0xFF, 1),
        (LOW, 0x0F, 0),
        (binary("&", ODD, const(3, 8)), 3, 1),
        (binary("|", LOW, const(0x30, 8)), 0x3F, 0x30),
        (binary("^", LOW, const(0x30, 8)), 0x3F, 0),
        (CHOSEN, 7, 4),
        (ex.Slice(binary("|", LOW, const(0x30, 8)), 5, 2, AT), 0xF, 0xC),
        (ex.Cast(ODD, Bits(16), AT), 0xFF, 1),
        (ex.Cast(ODD, Bits(4), AT), 0xF, 1),
        (ex.Cast(SIGNED, Bits(16, signed=True), AT), 0xFFFF, 0),
        (ex.Cast(const(0x80, 8, signed=True), Bits(16, signed=True), AT), 0xFF80, 0xFF80),
        (ex.Cast(ODD, Bool(), AT), 1, 0),
        (ex.Unary(ex.UnaryOp.COMPLEMENT, const(7, 8), Bits(8), AT), 0xF8, 0xF8),
        (ex.Unary(ex.UnaryOp.COMPLEMENT, ODD, Bits(8), AT), 0xFF, 0),
        (binary("++", ODD, CHOSEN, Bits(16)), 0xFF07, 0x0104),
        (binary("+", ODD, const(1, 8)), 0xFF, 0),
        (binary("<<", const(3, 8), const(2, 8)), 12, 12),
        (binary("/", const(9, 8), const(2, 8)), 4, 4),
        (binary("%", const(9, 8), const(2, 8)), 1, 1),
        (binary("/", const(9, 8), const(0, 8)), 0xFF, 0),
        (binary("==", BYTE, const(3, 8)), 1, 0),
    ],
)
def test_what_the_form_of_a_value_tells(value: ex.Expression, may: int, must: int) -> None:
    bits = known_bits(value)
    assert (bits.may, bits.must, bits.is_known) == (may, must, may == must)


def test_what_random_expressions_compare_to() -> None:
    """Whatever is said to be certain is so at every value."""
    random = Random(1)
    certain = 0
    for _ in range(3000):
        variables: dict[Type, list[str]] = {}
        maker = Maker(random, variables)
        type_ = maker.type()
        left, right = maker.bits(type_, 2), maker.bits(type_, 1)
        op = random.choice(("==", "!=", "<", "<=", ">", ">="))
        comparison = ex.Binary(ex.BinaryOp(op), left, right, Bool(), AT)
        if (found := outcome(comparison, same=False)) is None:
            continue
        certain += 1
        builder = Builder()
        for of, names in variables.items():
            for name in names:
                builder.variable(name, of)
        state_ = State(builder.build([state("start", [], goto("accept"))]))
        for _ in range(8):
            state_.variables.update(
                {name: maker.value(getattr(of, "width", 1)) for of, names in variables.items() for name in names}
            )
            assert bool(evaluate(comparison, state_)) is found, comparison
    assert certain > 50
