"""Expressions of BMv2's JSON give what Python's integers give: they have no width until they are put into a field.

docs/JSON_format.md of BMv2, "General information" and "expressions"; include/bm/bm_sim/calculations.h for what saturates.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from itertools import product
from pathlib import Path
from typing import Any

import pytest
from test_bmv2_json import Json, action, document, fld, hexstr, load, op, primitive, statement

from transpiler.interpreter import Switch

Fields = dict[str, int]
Known = tuple[Json, Callable[[Fields], Any]]  # an expression, and its value from those of a, b and c
COUNT = 100
RING = {"+": int.__add__, "-": int.__sub__, "*": int.__mul__, "&": int.__and__, "|": int.__or__, "^": int.__xor__}
TESTS = {"<": int.__lt__, "<=": int.__le__, ">": int.__gt__, ">=": int.__ge__, "==": int.__eq__, "!=": int.__ne__}


class Numbers:
    def __init__(self, rng: random.Random) -> None:
        self.rng = rng

    def constant(self) -> Known:
        value = self.rng.choice((0, 1, 2, 3, 0x7F, 0x80, 0xFF, 0x100, 0xFFFF, self.rng.getrandbits(20)))
        return hexstr(value), lambda _: value

    def number(self, depth: int) -> Known:
        if depth == 0:
            name = self.rng.choice("aabbcc?")
            return self.constant() if name == "?" else (fld("h", name), lambda fields: fields[name])
        kind = self.rng.choice(
            (*RING, *RING, "~", "negate", "<<", ">>", "/", "%", "?", "b2d", "two_comp_mod", "sat_cast", "usat_cast")
        )
        left, a = self.number(depth - 1)
        right, b = self.number(depth - 1)
        width = self.rng.choice((1, 4, 8, 9, 16, 17, 24))
        amount = self.rng.choice((0, 1, 3, 7, 8, 15, 16, 17, 40))
        match kind:
            case "~":
                return op("~", None, left), lambda fields: ~a(fields)
            case "negate":
                return op("-", None, left), lambda fields: -a(fields)
            case "<<":
                return op("<<", left, hexstr(amount)), lambda fields: a(fields) << amount
            case ">>":
                by, n = self.rng.choice(
                    ((hexstr(amount), lambda _: amount), (fld("h", "a"), lambda fields: fields["a"]))
                )
                return op(">>", left, by), lambda fields: a(fields) >> n(fields)
            case "/" | "%":
                left, right = op("&", left, hexstr(0xFFF)), op("|", op("&", right, hexstr(0x7F)), hexstr(1))
                divide = int.__floordiv__ if kind == "/" else int.__mod__
                return op(kind, left, right), lambda fields: divide(a(fields) & 0xFFF, b(fields) & 0x7F | 1)
            case "?":
                condition, c = self.truth(depth - 1)
                return op("?", left, right, cond=condition), lambda fields: a(fields) if c(fields) else b(fields)
            case "b2d":
                condition, c = self.truth(depth - 1)
                return op("b2d", None, condition), lambda fields: int(c(fields))
            case "two_comp_mod":
                half = 1 << (width - 1)
                return op(kind, left, hexstr(width)), lambda fields: (a(fields) + half) % (2 * half) - half
            case "sat_cast" | "usat_cast":
                low, high = (-1 << (width - 1), (1 << (width - 1)) - 1) if kind == "sat_cast" else (0, (1 << width) - 1)
                return op(kind, left, hexstr(width)), lambda fields: min(max(a(fields), low), high)
        return op(kind, left, right), lambda fields: RING[kind](a(fields), b(fields))

    def truth(self, depth: int) -> Known:
        kind = self.rng.choice((*TESTS, "and", "or", "not", "d2b", "?", "same") if depth else tuple(TESTS))
        if kind in TESTS:
            (left, a), (right, b) = self.number(depth), self.number(0)
            return op(kind, left, right), lambda fields: TESTS[kind](a(fields), b(fields))
        if kind == "d2b":
            value, a = self.number(depth)
            return op("d2b", None, value), lambda fields: a(fields) != 0
        (left, a), (right, b), (condition, c) = (self.truth(depth - 1) for _ in range(3))
        match kind:
            case "not":
                return op("not", None, left), lambda fields: not a(fields)
            case "and":
                return op("and", left, right), lambda fields: a(fields) and b(fields)
            case "or":
                return op("or", left, right), lambda fields: a(fields) or b(fields)
            case "same":
                return op("==", left, right), lambda fields: a(fields) == b(fields)
        return op("?", left, right, cond=condition), lambda fields: a(fields) if c(fields) else b(fields)


@pytest.mark.parametrize("kind", ["sat_cast", "usat_cast"])
@pytest.mark.parametrize("sign", ["+", "-", "*"])
def test_saturation_is_of_the_exact_result(kind: str, sign: str, tmp_path: Path) -> None:
    """Whatever the widths of both sides: neither is cut to the width that the result saturates to."""
    widths = (1, 7, 8, 9, 15, 16, 17)
    parts: dict[str, Json] = {name: fld("h", name) for name in "abc"} | {"big": hexstr(0x100), "small": hexstr(1)}
    cases = [(*pair, width) for pair in product(parts, repeat=2) for width in widths]
    calls = [
        primitive("assign", fld("h", f"out{i}"), op(kind, op(sign, parts[left], parts[right]), hexstr(width)))
        for i, (left, right, width) in enumerate(cases)
    ]
    text = document([action(0, "act", *calls)], {"init_table": "t", "tables": [statement("t", 0, "act", None)]})
    text["header_types"][0]["fields"] += [[f"out{i}", 24] for i in range(len(cases))]
    switch = Switch(load(tmp_path, text)[0])
    for a, b, c in ((1, 0x100, 0), (0xFF, 0xFFFF, 0x7F), (0x80, 0x7FFF, 0x80), (0, 0x8000, 0xFF), (3, 5, 0xFE)):
        values = {"a": a, "b": b, "c": c - 256 if c & 0x80 else c, "big": 0x100, "small": 1}
        ((_, frame),) = switch.process(0, bytes((a, b >> 8, b & 0xFF, c)) + bytes(3 * len(cases)))
        for i, (left, right, width) in enumerate(cases):
            bits = width - 1 if kind == "sat_cast" else width
            low, high = (-1 << bits if kind == "sat_cast" else 0), (1 << bits) - 1
            expected = min(max(RING[sign](values[left], values[right]), low), high) & 0xFFFFFF
            assert int.from_bytes(frame[4 + 3 * i : 7 + 3 * i]) == expected, (left, right, width, values)


@pytest.mark.parametrize("seed", range(3))
def test_numbers_have_no_width_until_they_are_put_into_a_field(seed: int, tmp_path: Path) -> None:
    rng = random.Random(seed)
    made = [Numbers(rng).number(1 + i % 3) for i in range(COUNT)]
    calls = [primitive("assign", fld("h", f"out{i}"), value) for i, (value, _) in enumerate(made)]
    text = document([action(0, "act", *calls)], {"init_table": "t", "tables": [statement("t", 0, "act", None)]})
    text["header_types"][0]["fields"] += [[f"out{i}", 16] for i in range(COUNT)]
    switch = Switch(load(tmp_path, text)[0])
    for a, b, c in product((0, 3, 0xFF), (0, 5, 0xFFFF), (0, 0x7F, 0x80, 0xFF)):
        fields = {"a": a, "b": b, "c": c - 256 if c & 0x80 else c}
        ((_, frame),) = switch.process(0, bytes((a, b >> 8, b & 0xFF, c)) + bytes(2 * COUNT))
        for i, (value, expected) in enumerate(made):
            found = int.from_bytes(frame[4 + 2 * i : 6 + 2 * i])
            assert found == expected(fields) & 0xFFFF, (value, fields)
