"""The action data of entries: ports, what stays, indexes, keys of other tables, what refers to entries, and chance."""

from __future__ import annotations

from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from transpiler.hlir.program import MatchKind
from transpiler.hlir.types import Bits
from transpiler.interpreter.tables import Call
from transpiler.traffic.actions import _right, data, parameter_widths
from transpiler.traffic.keys import Data, KeyField, KeySet
from transpiler.traffic.plan import Fed, Named, Wishes

WIDTHS = (1, 8, 9, 16, 48, 65, 128)
ENTRIES = np.arange(400, dtype=np.uint64)


def plan(width: int, **more: Any) -> Any:
    program = SimpleNamespace(
        action={"put": SimpleNamespace(parameters=("x", "y"))},
        variable={"x": SimpleNamespace(type=Bits(width)), "y": SimpleNamespace(type=Bits(8))},
    )
    return SimpleNamespace(program=program, **{"wishes": Wishes(), "feeds": {}, "named": {}, **more})


def table(**more: Any) -> Any:
    given = {"ports": frozenset(), "rigid": frozenset(), "indexes": {}, "call": Call("put", (1, 200)), **more}
    return SimpleNamespace(table=SimpleNamespace(name="t"), keys=SimpleNamespace(salt=5), **given)


def values(made: Any, of: Any, entries: Any = ENTRIES) -> tuple[list[int], list[int]]:
    """Those of both parameters; each has as many bytes as it needs."""
    widths = parameter_widths(made, "put")
    rows = data(made, of, entries)
    assert [one.shape for one in rows] == [(len(entries), (width + 7) // 8) for width in widths]
    first, second = ([int.from_bytes(row.tobytes(), "big") for row in one] for one in rows)
    assert max(first) < 1 << widths[0]
    return first, second


@pytest.mark.parametrize("width", WIDTHS)
def test_by_chance_each_value_is_as_likely_and_parameters_differ(width: int) -> None:
    first, second = values(plan(width), table())
    assert len(set(first)) == min(2, 1 << width) if width == 1 else len(set(first)) > (190 if width < 10 else 250)
    assert len(set(second)) > 150 and [one & 0xFF for one in first] != second
    assert first == values(plan(width), table())[0]  # the same each time
    ones = [sum(one >> bit & 1 for one in first) for bit in range(width)]
    assert all(140 < count < 260 for count in ones)
    assert all(one >> 64 != one & (1 << width - 64) - 1 for one in first if width > 80)
    assert values(plan(width), SimpleNamespace(**vars(table()) | {"keys": SimpleNamespace(salt=6)}))[0] != first


@pytest.mark.parametrize("width", WIDTHS)
def test_what_a_frame_needs_stays_as_it_was_found(width: int) -> None:
    value = (1 << width) - 1
    first, second = values(plan(width), table(rigid=frozenset({0, 1}), call=Call("put", (value, 200))))
    assert set(first) == {value} and set(second) == {200}


@pytest.mark.parametrize(("ports", "port", "out"), [(2, 0, {1}), (2, 1, {0}), (4, 1, {0, 2, 3}), (4, 3, {0, 1, 2})])
@pytest.mark.parametrize("width", [8, 9, 16])
def test_ports_are_all_but_the_one_that_frames_come_in_at(width: int, ports: int, port: int, out: set[int]) -> None:
    first, _ = values(
        plan(width, wishes=Wishes(ports=ports, port=port)), table(ports=frozenset({0}), rigid=frozenset({0}))
    )
    assert set(first) == out


@pytest.mark.parametrize(("width", "size"), [(8, 5), (16, 300), (48, 7)])
def test_indexes_are_in_range(width: int, size: int) -> None:
    first, _ = values(plan(width), table(indexes={0: size}))
    assert max(first) == size - 1 and len(set(first)) > min(size, 200) * 0.7


def test_parameters_that_refer_to_entries_name_one_of_them() -> None:
    """Those of a turn the same one."""
    numbers = tuple(range(50, 66))
    named = {("t", "put", 0): Named(numbers, 0), ("t", "put", 1): Named(tuple(n + 100 for n in numbers), 0)}
    first, second = values(plan(16, named=named), table())
    assert set(first) == set(numbers) and second == [one + 100 for one in first]
    apart = named | {("t", "put", 1): replace(named["t", "put", 1], turn=1)}
    assert values(plan(16, named=apart), table())[1] != second
    assert set(values(plan(16, named={("u", "put", 0): Named((7,), 0)}), table())[0]) != {7}


def test_parameters_that_are_a_key_have_the_keys_of_that_table() -> None:
    """Of a group each entry the same; bits of the parameter that are in no key are zero; an index gives way."""
    keys = KeySet("k", (KeyField(MatchKind.EXACT, 8),), tuple(Data(i) for i in range(8)), (), (), 16, 1, data_salt=3)
    fed = Fed(keys, tuple((bit + 4, bit) for bit in range(8)))
    first, _ = values(plan(12, feeds={("t", "put", 0): fed}), table(indexes={0: 3}))
    rows = [int.from_bytes(row.tobytes(), "big") for row in keys.group_rows(np.arange(16, dtype=np.uint64))]
    assert first == [rows[number % 16] for number in range(400)]
    high = Fed(keys, tuple((bit, bit) for bit in range(8)))
    assert values(plan(12, feeds={("t", "put", 0): high}), table())[0] == [
        rows[number % 16] << 4 for number in range(400)
    ]


@pytest.mark.parametrize(
    ("width", "result"), [(1, "01"), (7, "7f"), (8, "ff"), (9, "01ff"), (12, "0fff"), (16, "ffff")]
)
def test_the_last_bits_of_rows(width: int, result: str) -> None:
    rows = np.full((1, 8), 0xFF, dtype=np.uint8)
    assert _right(rows, width).tobytes().hex() == result and (rows == 0xFF).all()
