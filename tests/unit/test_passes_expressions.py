"""Simplified expressions: the rules one by one, and random expressions against the interpreter's values."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from itertools import product

import pytest
from aux_frontend.p4_16.elaborate import fold
from hlir_builder import AT, Builder, binary, const, goto, state, true
from hypothesis import given, settings, strategies as some

from transpiler.analysis.values import compare, range_of
from transpiler.hlir import expressions as ex
from transpiler.hlir.arithmetic import calculate, number
from transpiler.hlir.printer import expression as text
from transpiler.hlir.traverse import rewrite_expression
from transpiler.hlir.types import Bits, Bool
from transpiler.interpreter.evaluate import evaluate
from transpiler.interpreter.state import State
from transpiler.passes.simplify_expressions import simplify

B = Builder()
for width in (1, 4, 8, 16):
    for position in range(2):
        B.variable(f"u{width}.{position}", Bits(width))
        B.variable(f"s{width}.{position}", Bits(width, True))
for position in range(2):
    B.variable(f"b.{position}", Bool())
PROGRAM = B.build([state("start", [], goto("accept"))])
X, S, T = B.get("u8.0"), B.get("s8.0"), B.get("b.0")
Y, U, N4, S4 = B.get("u8.1"), B.get("b.1"), B.get("u4.0"), B.get("s4.0")
ONE_OR_FOUR = ex.Conditional(T, const(1, 8), const(4, 8), Bits(8), AT)
TEN_OR_TWENTY = ex.Conditional(T, const(10, 8), const(20, 8), Bits(8), AT)
HALF_OR_QUARTER = ex.Conditional(T, const(2, 8), const(4, 8), Bits(8), AT)


def signed(value: int) -> ex.Const:
    return const(value, 8, True)


def simple(value: ex.Expression) -> str:
    return text(rewrite_expression(value, simplify))


def cast(value: ex.Expression, to: Bits | Bool) -> ex.Cast:
    return ex.Cast(value, to, AT)


def no(value: ex.Expression) -> ex.Unary:
    return ex.Unary(ex.UnaryOp.NOT, value, Bool(), AT)


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (binary("+", X, const(0, 8)), "u8.0"),
        (binary("+", const(0, 8), X), "u8.0"),
        (binary("-", X, X), "8w0"),
        (binary("*", X, const(0, 8)), "8w0"),
        (binary("%", X, const(1, 8)), "8w0"),
        (binary("&", X, const(255, 8)), "u8.0"),
        (binary("|", X, const(255, 8)), "8w0xff"),
        (binary("<<", X, const(9, 8)), "8w0"),
        (binary(">>", X, const(8, 8)), "8w0"),
        (binary(">>", S, const(8, 8)), "s8.0 >> 8w8"),
        (binary(">>", S, const(200, 8)), "s8.0 >> 8w0xc8"),
        (binary(">>", const(0xFB, 8, True), const(9, 8)), "8s-1"),
        (binary(">>", const(0x7F, 8, True), const(8, 8)), "8s0"),
        (binary("|+|", const(0xFB, 8, True), const(0xFE, 8, True)), "8s-7"),
        (binary("|+|", const(0x80, 8, True), const(0xFF, 8, True)), "8s-128"),
        (binary("|-|", const(0x80, 8, True), const(1, 8, True)), "8s-128"),
        (binary("|-|", const(0x7F, 8, True), const(0xFF, 8, True)), "8s127"),
        (binary("-", binary("+", X, const(3, 8)), const(5, 8)), "u8.0 - 8w2"),
        (binary("+", binary("-", X, const(1, 8)), const(1, 8)), "u8.0"),
        (binary(">=", X, const(0, 8)), "true"),
        (binary("<=", X, const(255, 8)), "true"),
        (binary(">", X, const(255, 8)), "false"),
        (binary("<", X, const(0, 8)), "false"),
        (binary("==", cast(X, Bits(16)), const(256, 16)), "false"),
        (binary("<", binary("&", X, const(7, 8)), const(8, 8)), "true"),
        (binary("==", binary("&", X, const(1, 8)), const(2, 8)), "false"),
        (binary(">=", S, const(0x80, 8, True)), "true"),
        (binary(">=", S, const(0, 8, True)), "s8.0 >= 8s0"),
        (binary("<=", X, X), "true"),
        (no(no(T)), "b.0"),
        (no(binary("<", X, const(4, 8))), "u8.0 >= 8w4"),
        (binary("==", T, true()), "b.0"),
        (binary("==", cast(T, Bits(1)), const(0, 1)), "!b.0"),
        (binary("&&", T, true()), "b.0"),
        (binary("||", T, true()), "true"),
        (cast(cast(X, Bits(16)), Bits(8)), "u8.0"),
        (cast(cast(X, Bits(4)), Bits(8)), "(bit<8>)((bit<4>)u8.0)"),
        (ex.Slice(ex.Slice(X, 6, 1, AT), 3, 2, AT), "u8.0[4:3]"),
        (ex.Slice(cast(X, Bits(16)), 3, 0, AT), "u8.0[3:0]"),
        (ex.Slice(X, 7, 0, AT), "u8.0"),
        (binary("<=", binary("/", X, HALF_OR_QUARTER), const(63, 8)), "(u8.0 / (b.0 ? 8w2 : 8w4)) <= 8w0x3f"),
        (binary("<=", binary("/", X, HALF_OR_QUARTER), const(127, 8)), "true"),
        (ex.Conditional(T, X, X, Bits(8), AT), "u8.0"),
        (binary("-", const(0, 8), X), "8w0 - u8.0"),
        (binary("*", X, const(1, 8)), "u8.0"),
        (binary("*", const(0, 8), X), "8w0"),
        (binary("/", X, const(1, 8)), "u8.0"),
        (binary("/", const(0, 8), X), "8w0"),
        (binary("%", X, const(2, 8)), "u8.0 % 8w2"),
        (binary("/", X, const(0, 8)), "8w0"),
        (binary("%", X, const(0, 8)), "8w0"),
        (binary("&", X, const(0, 8)), "8w0"),
        (binary("&", X, X), "u8.0"),
        (binary("|", X, X), "u8.0"),
        (binary("|", X, const(0, 8)), "u8.0"),
        (binary("^", X, X), "8w0"),
        (binary("^", X, const(0, 8)), "u8.0"),
        (binary("^", const(3, 8), X), "u8.0 ^ 8w3"),
        (binary("<<", X, const(8, 8)), "8w0"),
        (binary("<<", X, const(7, 8)), "u8.0 << 8w7"),
        (binary("<<", const(0, 8), X), "8w0"),
        (binary(">>", const(0, 8), X), "8w0"),
        (binary("|+|", X, const(0, 8)), "u8.0"),
        (binary("|-|", X, const(0, 8)), "u8.0"),
        (binary("|-|", X, X), "u8.0 |-| u8.0"),
        (binary("&", binary("&", X, const(12, 8)), const(6, 8)), "u8.0 & 8w4"),
        (binary("|", binary("|", X, const(12, 8)), const(6, 8)), "u8.0 | 8w0xe"),
        (binary("|", binary("&", X, const(12, 8)), const(6, 8)), "(u8.0 & 8w0xc) | 8w6"),
        (binary("+", binary("+", X, const(3, 8)), const(5, 8)), "u8.0 + 8w8"),
        (binary("-", binary("-", X, const(3, 8)), const(5, 8)), "u8.0 - 8w8"),
        (binary("+", binary("-", X, const(3, 8)), const(5, 8)), "u8.0 + 8w2"),
        (binary("-", const(3, 8), binary("+", X, const(5, 8))), "8w3 - (u8.0 + 8w5)"),
        (binary("&&", T, T), "b.0"),
        (binary("||", T, T), "b.0"),
        (binary("&&", T, ex.Const(0, Bool(), AT)), "false"),
        (binary("||", T, ex.Const(0, Bool(), AT)), "b.0"),
        (binary("&&", true(), T), "b.0"),
        (binary("!=", T, true()), "!b.0"),
        (binary("!=", T, ex.Const(0, Bool(), AT)), "b.0"),
        (binary("==", true(), T), "b.0"),
        (binary("!=", cast(T, Bits(1)), const(1, 1)), "!b.0"),
        (binary("==", cast(T, Bits(8)), const(1, 8)), "b.0"),
        (binary("==", cast(T, Bits(8)), const(2, 8)), "false"),
        (binary("==", const(3, 8), X), "u8.0 == 8w3"),
        (binary("<", const(3, 8), X), "8w3 < u8.0"),
        (binary("==", X, X), "true"),
        (binary("!=", X, X), "false"),
        (binary("<", X, X), "false"),
        (binary(">=", X, X), "true"),
        (binary("!=", binary("&", X, const(1, 8)), const(2, 8)), "true"),
        (binary("==", binary("&", X, const(3, 8)), const(2, 8)), "(u8.0 & 8w3) == 8w2"),
        (binary("==", binary("|", X, const(1, 8)), const(2, 8)), "false"),
        (binary("==", binary("|", X, const(1, 8)), const(3, 8)), "(u8.0 | 8w1) == 8w3"),
        (binary("<", binary("%", X, const(5, 8)), const(5, 8)), "true"),
        (binary(">=", binary("&", X, const(7, 8)), const(1, 8)), "(u8.0 & 8w7) >= 8w1"),
        (binary(">=", binary("%", X, const(5, 8)), const(1, 8)), "(u8.0 % 8w5) >= 8w1"),
        (binary(">=", binary("/", X, const(5, 8)), const(1, 8)), "(u8.0 / 8w5) >= 8w1"),
        (binary("<=", binary("/", X, const(5, 8)), const(51, 8)), "true"),
        (binary("<=", binary("/", X, const(5, 8)), const(50, 8)), "(u8.0 / 8w5) <= 8w0x32"),
        (binary("<=", binary("%", X, ONE_OR_FOUR), const(3, 8)), "true"),
        (binary("<=", binary("/", cast(N4, Bits(8)), ONE_OR_FOUR), const(15, 8)), "true"),
        (binary(">=", binary("/", TEN_OR_TWENTY, ONE_OR_FOUR), const(2, 8)), "true"),
        (
            binary(">=", binary("/", TEN_OR_TWENTY, ONE_OR_FOUR), const(3, 8)),
            "((b.0 ? 8w0xa : 8w0x14) / (b.0 ? 8w1 : 8w4)) >= 8w3",
        ),
        (binary("<=", binary("%", X, HALF_OR_QUARTER), const(3, 8)), "true"),
        (binary("<=", binary("%", X, HALF_OR_QUARTER), const(2, 8)), "(u8.0 % (b.0 ? 8w2 : 8w4)) <= 8w2"),
        (binary("<", binary("%", X, const(5, 8)), const(4, 8)), "(u8.0 % 8w5) < 8w4"),
        (binary("<=", binary(">>", X, const(4, 8)), const(15, 8)), "true"),
        (binary("<=", binary(">>", X, const(4, 8)), const(14, 8)), "(u8.0 >> 8w4) <= 8w0xe"),
        (binary("<", S, signed(0x7F)), "s8.0 < 8s127"),
        (binary("<=", S, signed(0x7F)), "true"),
        (binary(">", cast(S4, Bits(8, True)), signed(7)), "false"),
        (binary(">", cast(S4, Bits(8, True)), signed(6)), "((int<8>)s4.0) > 8s6"),
        (binary("<", cast(X, Bits(8, True)), signed(0)), "((int<8>)u8.0) < 8s0"),
        (binary(">=", cast(X, Bits(8, True)), signed(0)), "((int<8>)u8.0) >= 8s0"),
        (binary("<=", cast(X, Bits(8, True)), signed(0x7F)), "true"),
        (binary("==", cast(X, Bits(8, True)), signed(0xFF)), "((int<8>)u8.0) == 8s-1"),
        (binary(">", cast(S, Bits(8)), const(127, 8)), "((bit<8>)s8.0) > 8w0x7f"),
        (binary("==", cast(S, Bits(8)), const(200, 8)), "((bit<8>)s8.0) == 8w0xc8"),
        (binary(">=", cast(S, Bits(8)), const(0, 8)), "true"),
        (binary("<", cast(N4, Bits(8, True)), signed(0)), "false"),
        (binary("<", cast(X, Bits(4)), const(15, 4)), "((bit<4>)u8.0) < 4w0xf"),
        (binary(">", ex.Conditional(T, const(2, 8), const(4, 8), Bits(8), AT), const(1, 8)), "true"),
        (binary(">", ex.Conditional(T, const(2, 8), const(4, 8), Bits(8), AT), const(2, 8)), "(b.0 ? 8w2 : 8w4) > 8w2"),
        (ex.Unary(ex.UnaryOp.NEGATE, ex.Unary(ex.UnaryOp.NEGATE, X, Bits(8), AT), Bits(8), AT), "u8.0"),
        (ex.Unary(ex.UnaryOp.COMPLEMENT, ex.Unary(ex.UnaryOp.COMPLEMENT, X, Bits(8), AT), Bits(8), AT), "u8.0"),
        (ex.Unary(ex.UnaryOp.COMPLEMENT, ex.Unary(ex.UnaryOp.NEGATE, X, Bits(8), AT), Bits(8), AT), "~-u8.0"),
        (no(binary("==", X, Y)), "u8.0 != u8.1"),
        (no(binary("!=", X, Y)), "u8.0 == u8.1"),
        (no(binary("<=", X, Y)), "u8.0 > u8.1"),
        (no(binary(">", X, Y)), "u8.0 <= u8.1"),
        (no(binary("&&", T, U)), "!(b.0 && b.1)"),
        (ex.Conditional(true(), X, Y, Bits(8), AT), "u8.0"),
        (ex.Conditional(ex.Const(0, Bool(), AT), X, Y, Bits(8), AT), "u8.1"),
        (ex.Conditional(T, true(), ex.Const(0, Bool(), AT), Bool(), AT), "b.0"),
        (ex.Conditional(T, ex.Const(0, Bool(), AT), true(), Bool(), AT), "!b.0"),
        (ex.Conditional(T, const(1, 1), const(0, 1), Bits(1), AT), "b.0 ? 1w1 : 1w0"),
        (cast(X, Bits(8)), "u8.0"),
        (cast(cast(X, Bits(16)), Bits(4)), "(bit<4>)u8.0"),
        (cast(cast(S, Bits(16, True)), Bits(16)), "(bit<16>)s8.0"),
        (cast(cast(S, Bits(8)), Bits(16)), "(bit<16>)((bit<8>)s8.0)"),
        (cast(cast(X, Bits(8, True)), Bits(16)), "(bit<16>)((int<8>)u8.0)"),
        (cast(cast(N4, Bits(8)), Bits(16)), "(bit<16>)u4.0"),
        (cast(cast(N4, Bits(8, True)), Bits(16, True)), "(int<16>)u4.0"),
        (cast(cast(N4, Bits(4, True)), Bits(16, True)), "(int<16>)((int<4>)u4.0)"),
        (cast(cast(T, Bits(1)), Bits(8)), "(bit<8>)b.0"),
        (cast(cast(T, Bits(1, True)), Bits(8)), "(bit<8>)((int<1>)b.0)"),
        (cast(cast(T, Bits(1)), Bool()), "b.0"),
        (cast(cast(X, Bits(16)), Bool()), "(bool)u8.0"),
        (cast(cast(X, Bits(4)), Bool()), "(bool)((bit<4>)u8.0)"),
        (ex.Slice(X, 6, 0, AT), "u8.0[6:0]"),
        (ex.Slice(S, 7, 0, AT), "(bit<8>)s8.0"),
        (ex.Slice(cast(X, Bits(16)), 8, 0, AT), "((bit<16>)u8.0)[8:0]"),
        (ex.Slice(cast(X, Bits(16)), 7, 4, AT), "u8.0[7:4]"),
        (ex.Slice(binary("++", X, N4, Bits(12)), 3, 0, AT), "u4.0"),
        (ex.Slice(binary("++", X, N4, Bits(12)), 11, 4, AT), "u8.0"),
        (ex.Slice(binary("++", X, N4, Bits(12)), 10, 5, AT), "u8.0[6:1]"),
        (ex.Slice(binary("++", X, N4, Bits(12)), 4, 3, AT), "(u8.0 ++ u4.0)[4:3]"),
        (ex.Slice(const(0xAB, 8), 7, 4, AT), "4w0xa"),
        (binary("++", const(0xA, 4), const(0xB, 4), Bits(8)), "8w0xab"),
        (binary("<<", signed(0x41), const(1, 8)), "8s-126"),
        (cast(const(0x80, 8, True), Bits(16, True)), "16s-128"),
        (cast(const(2, 8), Bool()), "true"),
        (cast(const(0x1FF, 9), Bits(8)), "8w0xff"),
    ],
)  # fmt: skip
def test_rule(value: ex.Expression, expected: str) -> None:
    assert simple(value) == expected


NUMBERS = [Bits(width, signed) for width in (1, 3, 4, 5) for signed in (False, True)]


@pytest.mark.parametrize("source", [*NUMBERS, Bool()], ids=str)
@pytest.mark.parametrize("to", NUMBERS, ids=str)
def test_the_range_of_a_cast(source: Bits | Bool, to: Bits) -> None:
    """That of its operand where the type has all of these numbers, else that of the type: a cast may change the sign."""
    b = Builder()
    b.variable("x", source)
    width = source.width if isinstance(source, Bits) else 1
    low, high = (-(1 << to.width - 1), (1 << to.width - 1) - 1) if to.signed else (0, (1 << to.width) - 1)
    given = [number(value, source) for value in range(1 << width)]
    fits = low <= min(given) and max(given) <= high
    assert range_of(cast(b.get("x"), to)) == ((min(given), max(given)) if fits else (low, high))
    for value in range(1 << width):
        one = cast(ex.Const(value, source, AT), to)
        least, most = range_of(one) or (0, -1)
        assert least <= number(evaluate(one, State(PROGRAM)), to) <= most


TYPES = [Bool(), *(Bits(width, signed) for width in (1, 2, 3, 4) for signed in (False, True))]
OPERATORS = [op for op in ex.BinaryOp if op not in (ex.BinaryOp.CONCAT, ex.BinaryOp.LAND, ex.BinaryOp.LOR)]


def same_for_all(type_: Bits | Bool, made: Iterable[Callable[[ex.Expression], ex.Expression]]) -> None:
    """Whatever is made of a variable has the same value when it is simplified."""
    b = Builder()
    b.variable("x", type_)
    at = State(b.build([state("start", [], goto("accept"))]))
    for make in made:
        value = make(b.get("x"))
        short = rewrite_expression(value, simplify)
        assert short.type == value.type
        for at.variables["x"] in range(1 << getattr(type_, "width", 1)):
            assert evaluate(short, at) == evaluate(value, at), (text(value), text(short), at.variables["x"])


@pytest.mark.parametrize("source", TYPES, ids=str)
def test_casts_and_slices_of_casts_keep_their_value(source: Bits | Bool) -> None:
    pairs = list(product(TYPES, TYPES))
    same_for_all(source, (lambda x, of=of, to=to: cast(cast(x, of), to) for of, to in pairs))
    same_for_all(source, (lambda x, of=of, n=n, op=op: binary(op, cast(x, of), ex.Const(n, of, AT), Bool())
        for of in TYPES[1:] for n in range(1 << of.width) for op in ("==", "!=", "<", ">=")))  # fmt: skip
    slices = [(high, low) for high in range(4) for low in range(high + 1)]
    same_for_all(source, (lambda x, of=of, cut=cut: ex.Slice(cast(x, of), *cut, AT)
        for of in TYPES[1:] for cut in slices if cut[0] < of.width))  # fmt: skip


@pytest.mark.parametrize("type_", [Bits(3), Bits(3, True)], ids=str)
def test_operations_with_a_constant_keep_their_value(type_: Bits) -> None:
    def made(op: ex.BinaryOp, left: ex.Expression, right: ex.Expression) -> ex.Expression:
        return ex.Binary(op, left, right, Bool() if op in ex.COMPARISONS else type_, AT)

    every = list(product(OPERATORS, range(8)))
    same_for_all(type_, (lambda x, op=op, n=n: made(op, x, ex.Const(n, type_, AT)) for op, n in every))
    same_for_all(type_, (lambda x, op=op, n=n: made(op, ex.Const(n, type_, AT), x) for op, n in every))
    same_for_all(type_, (lambda x, op=op: made(op, x, x) for op in OPERATORS))
    inner = [op for op in OPERATORS if op not in ex.COMPARISONS]
    same_for_all(type_, (
        lambda x, op=op, other=other, a=a, b=b: made(other, made(op, x, ex.Const(a, type_, AT)), ex.Const(b, type_, AT))
        for op, other in product(inner, OPERATORS) for a, b in ((1, 2), (3, 5), (7, 1), (4, 4), (6, 7), (0, 5))
    ))  # fmt: skip


@pytest.mark.parametrize("op", sorted(ex.COMPARISONS, key=lambda op: op.value), ids=lambda op: op.value)
def test_ranges_decide_a_comparison_where_all_of_their_numbers_agree(op: ex.BinaryOp) -> None:
    ranges = [(low, high) for low in range(-2, 3) for high in range(low, 3)]
    for a, b in product(ranges, ranges):
        outcomes = {calculate(op, x, y, None) for x in range(a[0], a[1] + 1) for y in range(b[0], b[1] + 1)}
        assert compare(op, a, b) == (None if len(outcomes) > 1 else bool(*outcomes)), (a, b)


FOUR_OR_ONE = ex.Conditional(T, const(4, 8), const(1, 8), Bits(8), AT)
HIGH_OR_ANY = ex.Conditional(T, binary("&", X, const(7, 8)), binary("|", X, Y), Bits(8), AT)


@pytest.mark.parametrize(
    ("value", "wanted"),
    [
        (const(7, 8), (7, 7)),
        (signed(0xFF), (-1, -1)),
        (ONE_OR_FOUR, (1, 4)),
        (FOUR_OR_ONE, (1, 4)),
        (HIGH_OR_ANY, (0, 255)),
        (ex.Conditional(T, S, signed(0xFF), S.type, AT), (-128, 127)),
        (binary("&", X, const(7, 8)), (0, 7)),
        (binary("&", TEN_OR_TWENTY, X), (0, 20)),
        (binary("&", S, signed(7)), (-128, 127)),
        (binary("%", X, const(7, 8)), (0, 6)),
        (binary("%", FOUR_OR_ONE, const(7, 8)), (0, 4)),
        (binary("%", X, TEN_OR_TWENTY), (0, 19)),
        (binary("%", X, Y), (0, 255)),
        (binary("/", X, const(7, 8)), (0, 36)),
        (binary("/", TEN_OR_TWENTY, HALF_OR_QUARTER), (2, 10)),
        (binary("/", X, Y), (0, 255)),
        (binary(">>", X, const(3, 8)), (0, 31)),
        (binary(">>", TEN_OR_TWENTY, const(1, 8)), (5, 10)),
        (binary(">>", X, Y), (0, 255)),
        (binary("+", ONE_OR_FOUR, ONE_OR_FOUR), (0, 255)),
        (cast(T, Bits(8)), (0, 1)),
        (cast(N4, Bits(8)), (0, 15)),
        (cast(S4, Bits(8)), (0, 255)),
        (cast(S4, Bits(8, True)), (-8, 7)),
        (cast(X, Bits(8, True)), (-128, 127)),
        (cast(TEN_OR_TWENTY, Bits(8, True)), (10, 20)),
        (cast(TEN_OR_TWENTY, Bits(4)), (0, 15)),
        (T, (0, 1)),
        (ex.ListExpression((), AT), None),
    ],
)
def test_the_range_of_an_expression(value: ex.Expression, wanted: tuple[int, int] | None) -> None:
    assert range_of(value) == wanted


# --- random expressions ----------------------------------------------------------------------------------------------

_SAME = ["+", "-", "*", "|+|", "|-|", "&", "|", "^"]
_UNSIGNED = ["/", "%"]


@some.composite
def numbers(draw: some.DrawFn, type_: Bits, depth: int) -> ex.Expression:
    """A random expression of a number's type."""
    if depth == 0 or draw(some.integers(0, 4)) == 0:
        if draw(some.booleans()):
            edge = some.sampled_from([0, 1, (1 << type_.width) - 1, (1 << type_.width) >> 1])
            value = draw(edge | some.integers(0, (1 << type_.width) - 1))
            return ex.Const(value & ((1 << type_.width) - 1), type_, AT)
        return B.get(f"{'s' if type_.signed else 'u'}{type_.width}.{draw(some.integers(0, 1))}")
    inner = numbers(type_, depth - 1)
    match draw(some.sampled_from(["same", "shift", "cast", "unary", "choose", "slice", "concat"])):
        case "shift":
            amount = draw(numbers(Bits(draw(some.sampled_from([4, 8]))), 0))
            return binary(draw(some.sampled_from(["<<", ">>"])), draw(inner), amount)
        case "cast":
            of = Bits(draw(some.sampled_from([1, 4, 8, 16])), draw(some.booleans()))
            return cast(draw(numbers(of, depth - 1)), type_)
        case "unary":
            op = draw(some.sampled_from([ex.UnaryOp.NEGATE, ex.UnaryOp.COMPLEMENT]))
            return ex.Unary(op, draw(inner), type_, AT)
        case "choose":
            return ex.Conditional(draw(conditions(depth - 1)), draw(inner), draw(inner), type_, AT)
        case "slice" if type_.width < 16 and not type_.signed:
            low = draw(some.integers(0, 16 - type_.width))
            return ex.Slice(draw(numbers(Bits(16), depth - 1)), low + type_.width - 1, low, AT)
        case "concat" if type_.width in (8, 16) and not type_.signed:
            half = numbers(Bits(type_.width // 2), depth - 1)
            return binary("++", draw(half), draw(half), type_)
    operators = _SAME if type_.signed else _SAME + _UNSIGNED
    return binary(draw(some.sampled_from(operators)), draw(inner), draw(inner))


@some.composite
def conditions(draw: some.DrawFn, depth: int) -> ex.Expression:
    """A random condition."""
    if depth == 0:
        return draw(some.sampled_from([T, B.get("b.1"), true()]))
    match draw(some.integers(0, 3)):
        case 0:
            return no(draw(conditions(depth - 1)))
        case 1:
            operator = draw(some.sampled_from(["&&", "||", "==", "!="]))
            return binary(operator, draw(conditions(depth - 1)), draw(conditions(depth - 1)))
    of = Bits(draw(some.sampled_from([1, 4, 8])), draw(some.booleans()))
    operator = draw(some.sampled_from(["==", "!=", "<", "<=", ">", ">="]))
    return binary(operator, draw(numbers(of, depth - 1)), draw(numbers(of, depth - 1)))


@settings(max_examples=400, deadline=None)
@given(some.data())
def test_simplified_expressions_keep_their_value(data: some.DataObject) -> None:
    value = data.draw(conditions(4) | numbers(Bits(8), 4) | numbers(Bits(8, True), 4))
    short = rewrite_expression(value, simplify)
    assert short.type == value.type
    assert rewrite_expression(short, simplify) == short
    at = State(PROGRAM)
    for variable in B.variables.values():
        width = getattr(variable.type, "width", 1)
        if variable.name[0] in "usb" and isinstance(variable.type, Bits | Bool):
            at.variables[variable.name] = data.draw(some.integers(0, (1 << width) - 1), label=variable.name)
    expected = evaluate(value, at)
    assert evaluate(short, at) == expected
    known = range_of(value)
    assert known is not None
    assert known[0] <= number(expected, value.type) <= known[1]


@pytest.mark.parametrize(("operator", "value"), [("|+|", 9), ("|-|", 5)])
def test_the_frontend_saturates_constants_in_their_order(operator: str, value: int) -> None:
    made = fold.binary(ex.BinaryOp(operator), const(7, 8), const(2, 8), AT)
    assert made == const(value, 8)
