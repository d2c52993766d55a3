"""Values as bits of the frame: numbers are what arithmetic makes of them, and what is moved about keeps its places."""

from __future__ import annotations

import pytest
from hlir_builder import AT, Builder, binary, const, extract, goto, h, state

from transpiler.hlir import arithmetic, expressions as ex
from transpiler.hlir.types import Bits, Bool, Varbit, width_of
from transpiler.traffic.symbolic import ONE, UNKNOWN, ZERO, BitsOf, Symbols, constant, number_of

FIRST, SECOND = (0, 1, 2, 3), (4, 5, 6, 7)  # the bits of the frame that a.x and a.y are


@pytest.fixture(scope="module")
def symbols() -> Symbols:
    b = Builder()
    b.header("a", "a_t", x=4, y=4)
    b.header("gone", "a_t", x=4, y=4)
    b.stack("s", "a_t", 2)
    b.header("v", "v_t", n=4, rest=Varbit(32), last=4)
    b.variable("known", 4)
    b.variable("unknown", 4)
    program = b.build([state("start", [extract("a")], goto("accept"))])
    return Symbols(
        program, {"known": constant(5, 4), "unknown": (UNKNOWN,) * 4}, {"a": 0, "s[0]": 8, "s[1]": 16, "v": 24}
    )


def field(name: str, header: str = "a") -> ex.Read:
    return ex.Read(ex.FieldRef(h(header), name, AT), Bits(4), AT)


def element(index: ex.Expression, name: str) -> ex.Read:
    return ex.Read(ex.FieldRef(ex.ElementRef("s", index, AT), name, AT), Bits(4), AT)


def there(index: ex.Expression) -> ex.IsValid:
    return ex.IsValid(ex.ElementRef("s", index, AT), AT)


def variable(name: str) -> ex.Read:
    return ex.Read(ex.VariableRef(name, AT), Bits(4), AT)


@pytest.mark.parametrize("signed", [False, True])
@pytest.mark.parametrize("op", [op for op in ex.BinaryOp if op is not ex.BinaryOp.CONCAT])
def test_operators_on_numbers(op: ex.BinaryOp, signed: bool, symbols: Symbols) -> None:
    shift = op in (ex.BinaryOp.SHL, ex.BinaryOp.SHR)
    for a in (0, 1, 5, 7, 8, 15):
        for b in (0, 1, 2, 3, 4, 9, 15):
            left, right = const(a, 4, signed), const(b, 4, signed and not shift)
            if op in (ex.BinaryOp.DIV, ex.BinaryOp.MOD) and (signed or b == 0):
                continue
            made = binary(op.value, left, right)
            found = symbols.value(made)
            wanted = arithmetic.binary(op, a, b, left.type, right.type)
            assert (len(found), number_of(found)) == (width_of(made.type), wanted), (a, b)


@pytest.mark.parametrize(
    ("expression", "wanted"),
    [
        (binary("<<", field("x"), const(1, 4)), (1, 2, 3, ZERO)),
        (binary("<<", field("x"), const(3, 4)), (3, ZERO, ZERO, ZERO)),
        (binary("<<", field("x"), const(4, 4)), (ZERO,) * 4),
        (binary(">>", field("x"), const(1, 4)), (ZERO, 0, 1, 2)),
        (binary(">>", field("x"), const(4, 4)), (ZERO,) * 4),
        (binary(">>", field("x"), field("y")), (UNKNOWN,) * 4),
        (binary("&", field("x"), const(0b0110, 4)), (ZERO, 1, 2, ZERO)),
        (binary("|", field("x"), const(0b0110, 4)), (0, ONE, ONE, 3)),
        (binary("&", const(0b0011, 4), field("x")), (ZERO, ZERO, 2, 3)),
        (binary("|", const(0b0011, 4), field("x")), (0, 1, ONE, ONE)),
        (binary("&", field("x"), field("y")), (UNKNOWN,) * 4),
        (binary("|", field("x"), field("y")), (UNKNOWN,) * 4),
        (binary("+", field("x"), const(0, 4)), (UNKNOWN,) * 4),
        (binary("+", const(1, 4), field("x")), (UNKNOWN,) * 4),
        (ex.Binary(ex.BinaryOp.CONCAT, field("x"), field("y"), Bits(8), AT), FIRST + SECOND),
        (ex.Slice(field("y"), 2, 1, AT), (5, 6)),
        (ex.Slice(field("y"), 3, 3, AT), (4,)),
        (ex.Cast(field("y"), Bits(6), AT), (ZERO, ZERO, *SECOND)),
        (ex.Cast(field("y"), Bits(3), AT), (5, 6, 7)),
        (ex.Cast(const(0b1000, 4, True), Bits(6, True), AT), (ONE, ONE, ONE, ZERO, ZERO, ZERO)),
        (ex.Cast(ex.Slice(field("y"), 0, 0, AT), Bool(), AT), (7,)),
        (ex.Cast(const(2, 4), Bool(), AT), (ONE,)),
        (ex.Cast(const(0, 4), Bool(), AT), (ZERO,)),
        (ex.Cast(field("y"), Bool(), AT), (UNKNOWN,)),
        (ex.Unary(ex.UnaryOp.NOT, ex.IsValid(h("a"), AT), Bool(), AT), (ZERO,)),
        (ex.Unary(ex.UnaryOp.NOT, ex.IsValid(h("gone"), AT), Bool(), AT), (ONE,)),
        (ex.Unary(ex.UnaryOp.NEGATE, const(1, 4), Bits(4), AT), (UNKNOWN,) * 4),
        (variable("known"), constant(5, 4)),
        (variable("other"), (ZERO,) * 4),
        (field("x", "gone"), (ZERO,) * 4),
        (element(const(0, 32), "y"), (12, 13, 14, 15)),
        (element(const(1, 32), "x"), (16, 17, 18, 19)),
        (element(const(2, 32), "x"), (UNKNOWN,) * 4),
        (element(const(0xF, 4, True), "x"), (UNKNOWN,) * 4),  # -1
        (element(field("y"), "x"), (UNKNOWN,) * 4),
        (there(const(1, 32)), (ONE,)),
        (there(const(2, 32)), (UNKNOWN,)),
        (there(field("y")), (UNKNOWN,)),
        (ex.Unary(ex.UnaryOp.NOT, there(field("y")), Bool(), AT), (UNKNOWN,)),
        (ex.Conditional(ex.IsValid(h("a"), AT), field("x"), field("y"), Bits(4), AT), (UNKNOWN,) * 4),
        (field("last", "v"), (28, 29, 30, 31)),  # a varbit is empty
        (binary("+", variable("known"), const(12, 4)), constant(1, 4)),
        (binary("+", variable("unknown"), const(12, 4)), (UNKNOWN,) * 4),
    ],
)
def test_bits_keep_their_places(expression: ex.Expression, wanted: BitsOf, symbols: Symbols) -> None:
    assert symbols.value(expression) == wanted
