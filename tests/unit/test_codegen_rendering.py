"""C expressions that compilers would warn of, or that read more than they seem to."""

from __future__ import annotations

import pytest
from hlir_builder import AT, Builder, binary, const, goto, state

from transpiler.codegen.c.printer import expression as printed
from transpiler.codegen.expressions import Expressions
from transpiler.codegen.names import Names
from transpiler.codegen.scope import Scope
from transpiler.codegen.storage import Storage
from transpiler.hlir import expressions as ex
from transpiler.hlir.types import Bits, Bool
from transpiler.schedule.stages import Schedule


def rendered(expression: ex.Expression, b: Builder) -> tuple[str, set[str]]:
    """The C of an expression and the variables that it reads."""
    scope = Scope()
    program = b.build([state("start", [], goto("accept"))])
    storage = Storage(program, Schedule((), frozenset(), frozenset(), frozenset()), Names())
    return printed(Expressions(storage, scope)(expression)), set(scope.locals)


@pytest.fixture
def b() -> Builder:
    made = Builder()
    made.variable("one", 1)
    made.variable("byte", 8)
    made.variable("word", 32)
    made.variable("wide", 128)
    made.variable("yes", Bool())
    return made


def test_what_is_shifted_out_is_not_read(b: Builder) -> None:
    assert rendered(binary("<<", b.get("byte"), const(8, 8)), b) == ("0", set())
    assert rendered(binary("<<", b.get("byte"), const(7, 8)), b)[1] == {"byte"}


def test_negations_are_set_apart(b: Builder) -> None:
    negated = ex.Unary(ex.UnaryOp.NOT, b.get("yes"), Bool(), AT)
    assert rendered(binary("==", negated, b.get("yes")), b)[0] == "(!yes) == yes"
    assert rendered(binary("&&", negated, b.get("yes")), b)[0] == "!yes && yes"


def test_literals_do_not_overflow_int(b: Builder) -> None:
    large = const(0x7FFFFFFF, 32)
    assert rendered(binary("+", large, large), b)[0] == "(uint32_t)((uint32_t)0x7fffffff + 0x7fffffff)"
    assert rendered(binary(">>", const(1, 64), const(40, 8)), b)[0] == "(uint64_t)((uint64_t)1 >> 40)"


def test_one_bit_is_complemented_without_complement(b: Builder) -> None:
    inverted = ex.Unary(ex.UnaryOp.COMPLEMENT, b.get("one"), Bits(1), AT)
    assert rendered(inverted, b)[0] == "(uint8_t)(one ^ 1)"


def test_wide_numbers_as_conditions(b: Builder) -> None:
    text = rendered(ex.Cast(b.get("wide"), Bool(), AT), b)[0]
    assert text == "macs_w2_compare(wide, (macs_w2){{0, 0}}) != 0"
