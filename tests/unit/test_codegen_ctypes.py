"""C types of values and how values are written in C."""

from __future__ import annotations

import pytest

from transpiler.codegen.c.printer import expression as printed
from transpiler.codegen.ctypes import bytes_of, c_type, initialiser, is_wide, literal, storage_bytes
from transpiler.hlir.types import Bits, Bool, Enum, Type, Varbit


@pytest.mark.parametrize(
    ("type_", "in_c", "size"),
    [
        (Bool(), "bool", 1),
        (Bits(1), "uint8_t", 1),
        (Bits(8), "uint8_t", 1),
        (Bits(9), "uint16_t", 2),
        (Bits(16, signed=True), "uint16_t", 2),
        (Bits(17), "uint32_t", 4),
        (Bits(32), "uint32_t", 4),
        (Bits(33), "uint64_t", 8),
        (Bits(64), "uint64_t", 8),
        (Bits(65), "macs_w2", 16),
        (Bits(128), "macs_w2", 16),
        (Bits(129), "macs_w3", 24),
        (Enum("e", ("a", "b")), "uint32_t", 4),
    ],
)
def test_the_type_of_a_value(type_: Type, in_c: str, size: int) -> None:
    assert (c_type(type_), storage_bytes(type_), is_wide(type_)) == (in_c, size, in_c.startswith("macs_w"))


def test_a_varbit_is_a_place_in_the_frame() -> None:
    assert c_type(Varbit(64)) == "macs_varbit" and not is_wide(Varbit(64))


@pytest.mark.parametrize(("bits", "size"), [(0, 0), (1, 1), (8, 1), (9, 2), (16, 2), (17, 3)])
def test_bytes_that_hold_bits(bits: int, size: int) -> None:
    assert bytes_of(bits) == size


@pytest.mark.parametrize(
    ("value", "width", "text"),
    [
        (0, 8, "0"),
        (9, 8, "9"),
        (10, 8, "0xa"),
        ((1 << 31) - 1, 32, "0x7fffffff"),
        (1 << 31, 32, "0x80000000u"),
        ((1 << 32) - 1, 64, "0xffffffffu"),
        (1 << 32, 64, "UINT64_C(0x100000000)"),
        ((1 << 64) - 1, 64, "UINT64_C(0xffffffffffffffff)"),
    ],
)
def test_a_number_is_unsigned_and_long_enough(value: int, width: int, text: str) -> None:
    assert printed(literal(value, Bits(width))) == printed(initialiser(value, Bits(width))) == text


def test_numbers_of_several_words_are_the_lowest_first() -> None:
    value = 7 << 128 | 1 << 64 | (1 << 64) - 1
    words = "{{UINT64_C(0xffffffffffffffff), 1, 7}}"
    assert printed(initialiser(value, Bits(131))) == words
    assert printed(literal(value, Bits(131))) == f"(macs_w3){words}"
    assert printed(literal(5, Bits(65))) == "(macs_w2){{5, 0}}"


def test_truth() -> None:
    assert [printed(literal(value, Bool())) for value in (0, 1)] == ["false", "true"]
    assert printed(literal(1, Enum("e", ("a", "b")))) == "1"
