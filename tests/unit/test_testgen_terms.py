"""The terms of testgen compute what HLIR's arithmetic does, for random numbers of random types."""

from __future__ import annotations

import itertools
import operator
from random import Random

import pytest

z3 = pytest.importorskip("z3")

from transpiler.externs import algorithms  # noqa: E402
from transpiler.hlir import arithmetic  # noqa: E402
from transpiler.hlir.expressions import COMPARISONS, BinaryOp, UnaryOp  # noqa: E402
from transpiler.hlir.types import Bits, Bool  # noqa: E402
from transpiler.testgen.externs import _exact  # noqa: E402
from transpiler.testgen.packet import split  # noqa: E402
from transpiler.testgen.record import Record  # noqa: E402
from transpiler.testgen.terms import _BOOLS, Term, Terms  # noqa: E402

ROUNDS = 300
LOGIC = (BinaryOp.LAND, BinaryOp.LOR)


def value_of(made: int, record: Record) -> int:
    """What a term is for the numbers that its variables have."""
    assert isinstance(made, Term)
    pairs = [(z3.BitVec(n, w), z3.BitVecVal(record.assignment[n], w)) for n, w in (("a", W), ("b", W), ("c", 7))]
    return int(z3.simplify(z3.substitute(made.bits, *pairs)).as_long())


W = 13


@pytest.mark.parametrize("op", [op for op in BinaryOp if op not in LOGIC], ids=lambda op: op.name)
@pytest.mark.parametrize("signed", [False, True], ids=["bit", "int"])
def test_binary(op: BinaryOp, signed: bool) -> None:
    chance = Random(op.name)
    type_ = Bits(W, signed)
    shift = op in (BinaryOp.SHL, BinaryOp.SHR)
    for _ in range(ROUNDS // 10):
        numbers = {
            "a": chance.getrandbits(W),
            "b": chance.choice([0, chance.getrandbits(W)]),
            "c": chance.getrandbits(7),
        }
        record = Record(dict(numbers))
        a, other = record.variable("a", W), ("c", Bits(7)) if shift else ("b", type_)
        b = record.variable(other[0], other[1].width)
        made = Terms(record).binary(op, a, b, type_, other[1])
        assert int(made) == arithmetic.binary(op, int(a), int(b), type_, other[1])
        assert value_of(made, record) == int(made), (op, numbers)
        assert isinstance(made, Term) and z3.is_bool(made.of) == (op in COMPARISONS)


@pytest.mark.parametrize("op", UnaryOp, ids=lambda op: op.name)
def test_unary(op: UnaryOp) -> None:
    record = Record({"a": 0x155, "b": 0, "c": 0})
    type_ = Bool() if op is UnaryOp.NOT else Bits(W)
    made = Terms(record).unary(op, record.variable("a", W), type_)
    assert value_of(made, record) == int(made) == arithmetic.unary(op, 0x155, type_)


@pytest.mark.parametrize("signed", [False, True], ids=["bit", "int"])
@pytest.mark.parametrize("width", [1, 5, 13, 20])
def test_casts_and_slices(width: int, signed: bool) -> None:
    for number in (0, 0x1555, 0x1FFF, 0x0AAA):
        record = Record({"a": number, "b": 0, "c": 0})
        a, terms = record.variable("a", W), Terms(record)
        made = terms.cast(a, Bits(W, signed), Bits(width))
        assert value_of(made, record) == int(made) == arithmetic.cast(number, Bits(W, signed), Bits(width))
        truth = terms.cast(a, Bits(W), Bool())
        assert value_of(truth, record) == int(truth) == int(number != 0)
        part = terms.bits_of(a, 9, 4)
        assert value_of(part, record) == int(part) == number >> 4 & 0x3F


def test_values_without_bits() -> None:
    """bit<0> has one value; what it is put beside keeps its term, and nothing is shifted by it."""
    record = Record({"a": 0x155, "b": 0, "c": 0})
    a, terms, none, some = record.variable("a", W), Terms(record), Bits(0), Bits(W)
    for made in (
        terms.binary(BinaryOp.CONCAT, a, 0, some, none),
        terms.binary(BinaryOp.CONCAT, 0, a, none, some),
        terms.binary(BinaryOp.SHL, a, 0, some, none),
        terms.binary(BinaryOp.SHR, a, 0, some, none),
    ):
        assert value_of(made, record) == int(made) == 0x155
    for number in (
        terms.cast(a, some, none),
        terms.cast(0, none, some),
        terms.binary(BinaryOp.ADD, 0, 0, none, none),
        terms.binary(BinaryOp.SHL, 0, a, none, some),
    ):
        assert not isinstance(number, Term) and number == 0
    assert terms.binary(BinaryOp.EQ, 0, 0, none, none) == 1 and not record.decisions


@pytest.mark.parametrize("algorithm", ["csum16", "xor16"])
@pytest.mark.parametrize("size", [2, 7, 20])
def test_sums_of_words(algorithm: str, size: int) -> None:
    chance = Random(size)
    for _ in range(20):
        data = chance.randbytes(size) if chance.random() < 0.8 else b"\xff" * size
        term = _exact(algorithm, z3.BitVecVal(int.from_bytes(data, "big"), 8 * size), None, 16)
        assert z3.simplify(term).as_long() == algorithms.compute(algorithm, data)
        before = chance.getrandbits(16)
        more = _exact(algorithm, z3.BitVecVal(int.from_bytes(data, "big"), 8 * size), before, 16)
        assert z3.simplify(more).as_long() == algorithms.extend(algorithm, before, data)


@pytest.mark.parametrize("size", [1, 7, 8, 9, 20])
@pytest.mark.parametrize("width", [5, 32, 64, 70])
def test_the_first_bytes_are_the_identity(size: int, width: int) -> None:
    for data in (Random(size).randbytes(size), b"\xff" * size):
        term = _exact("identity", z3.BitVecVal(int.from_bytes(data, "big"), 8 * size), None, width)
        assert z3.simplify(term).as_long() == (algorithms.compute("identity", data) or 0) & (1 << width) - 1
    assert term.size() == width
    assert _exact("crc32", term, None, width) is None and _exact("identity", term, 1, width) is None


def test_bytes_of_bit_vectors() -> None:
    parts = [z3.BitVec("x", 3), z3.BitVecVal(0x7F, 7), z3.BitVec("y", 12)]
    terms = split(parts, 22)
    whole = z3.Concat(*[z3.BitVecVal(0, 8) if t is None else t for t in terms])
    known = z3.simplify(z3.substitute(whole, (parts[0], z3.BitVecVal(5, 3)), (parts[2], z3.BitVecVal(0xABC, 12))))
    assert known.as_long() == (5 << 19 | 0x7F << 12 | 0xABC) << 2


def test_decisions_outside_of_expressions_are_noted() -> None:
    record = Record({"a": 5})
    a = record.variable("a", 8)
    assert a == 5 and a < 6 and (a & 4) and a >> 1 == 2
    assert next(str(z3.simplify(d.holds)) for d in record.decisions) == "a == 5"
    assert len(record.decisions) == 4
    assert not record.decisions[0].pinned
    assert {a: 1}[5] == 1  # as a key it has to be this number
    assert a != 300 and len(record.decisions) == 5  # no value of its width is: there is nothing to note


@pytest.mark.parametrize("op", [op for op in BinaryOp if op in _BOOLS], ids=lambda op: op.name)
def test_binary_of_bools(op: BinaryOp) -> None:
    for a, b in itertools.product((0, 1), (0, 1)):
        record = Record({"a": a, "b": b, "c": 0})
        made = Terms(record).binary(op, record.variable("a", W), record.variable("b", W), Bool(), Bool())
        assert value_of(made, record) == int(made) == arithmetic.binary(op, a, b, Bool(), Bool())


def test_a_number_that_is_counted_with_has_to_be_that() -> None:
    """The time alone is no decision: nobody chooses it."""
    for result, made in (
        (12, lambda a: a + 5), (2, lambda a: a - 5), (15, lambda a: a | 8), (28, lambda a: a << 2), (1, lambda a: a % 3),
        (7, lambda a: {7: 7}[a]),
    ):  # fmt: skip
        record = Record({"a": 7})
        assert made(record.variable("a", 8)) == result
        noted = {(str(z3.simplify(d.holds)), d.pinned) for d in record.decisions}
        assert ("a == 7", True) in noted and {holds for holds, _ in noted} == {"a == 7"}
        record = Record({"a": 7}, volatile=frozenset({"a"}))
        if result != 7:
            assert made(record.variable("a", 8)) == result and not record.decisions


@pytest.mark.parametrize(("a", "b"), [(3, 200), (200, 3), (7, 7), (0x23, 0x123), (0x23, 0x122)])
def test_terms_are_compared_whatever_their_widths(a: int, b: int) -> None:
    """As numbers without a sign; the decision is what was found."""
    for how in (operator.eq, operator.ne, operator.lt, operator.le, operator.gt, operator.ge):
        record = Record({"a": a, "b": b})
        one, other = record.variable("a", 8), record.variable("b", 12)
        assert how(one, other) == how(a, b) and one != "a"
        (decision,) = record.decisions
        pairs = [(z3.BitVec(n, w), z3.BitVecVal(v, w)) for n, w, v in (("a", 8, a), ("b", 12, b))]
        assert z3.is_true(z3.simplify(z3.substitute(decision.holds, *pairs)))
        if b > 0xFF:
            continue
        pairs = [(z3.BitVec(n, w), z3.BitVecVal(v, w)) for n, w, v in (("a", 8, b), ("b", 12, a))]
        swapped = z3.is_true(z3.simplify(z3.substitute(decision.holds, *pairs)))
        assert swapped == (how(b, a) == how(a, b))


def test_masks_and_shifts_have_terms() -> None:
    record = Record({"a": 0xA5, "b": 0, "c": 0})
    a = record.variable("a", W)
    for made, number in (
        (a & 0x0F, 5),
        (a & 0x1FFF, 0xA5),
        (a & 0xF0, 0xA0),
        (a >> 4, 0xA),
        (a >> (W - 1), 0),
        (0x81 & a, 0x81),
    ):
        assert value_of(made, record) == int(made) == number
    assert not isinstance(a >> W, Term) and not a & 0 and not record.decisions


def test_what_holds_anyway_is_noted_once() -> None:
    record = Record({"a": 5})
    a = record.variable("a", 8)
    record.require(a.of == 5)
    record.require(a.of == 5)
    assert len(record.decisions) == 1 and record.decisions[0].pinned
    assert a != 6 and a != 6 and len(record.decisions) == 2


def test_the_decisions_of_a_place_are_told_apart_by_their_order() -> None:
    """Those that were made before, too, so that each has the same number whatever came before its place."""
    record = Record({"a": 5})
    a = record.variable("a", 8)
    for place in ("one", "two"):
        record.at(place)
        for number in (6, 5, 9) if place == "one" else (6, 7, 9):
            record.decide(a.of == number, number == 5, 1)
    assert [decision.site for decision in record.decisions] == [
        ("one", 1, 1, False), ("one", 1, 2, True), ("one", 1, 3, False), ("two", 1, 2, False),
    ]  # fmt: skip
