"""Which tables' entries can be words, and where their bits lie."""

from __future__ import annotations

import pytest
from hlir_builder import Builder, apply, emit, extract, goto, state

from transpiler.codegen.words import WordLayout, word_layout


def layout(
    *widths: int, data: dict[str, tuple[int, ...]] | None = None, size: int = 64, kind: str = "exact"
) -> WordLayout | None:
    """Of a table with keys of those widths and actions with parameters of those widths; NoAction is the default."""
    b = Builder()
    b.header("h", "h_t", **{f"k{i}": width for i, width in enumerate(widths)}, pad=-sum(widths) % 8 or 8)
    for name, parameters in (data or {}).items():
        b.action(name, **{f"p{i}": width for i, width in enumerate(parameters)})
    b.table("t", [(f"h.k{i}", kind) for i in range(len(widths))], list(data or {}), size=size)
    built = b.build([state("start", [extract("h")], goto("accept"))], [apply("t")], deparser=[emit("h")])
    return word_layout(built, built.table["t"])


def test_the_last_key_field_is_lowest_and_data_stand_above_the_action() -> None:
    expected = WordLayout((9, 0), 57, 2, {"to": (2, 11), "drop": (), "NoAction": ()}, 27)
    assert layout(48, 9, data={"to": (9, 16), "drop": ()}, size=1 << 30) == expected


@pytest.mark.parametrize(
    ("widths", "parameter", "size", "fits"),
    [
        ((48,), 12, 64, True),  # 48 + 1 + 12 = 61 bits
        ((48,), 13, 64, True),  # a bit less is kept of the key in 2 buckets
        ((48,), 18, 64, False),  # 64 buckets for 64 entries would be a waste
        ((48,), 18, 65536, True),
        ((64,), 9, 65536, True),
        ((65,), 1, 65536, False),
        ((3,), 1, 8, False),
        ((4,), 1, 8, True),
        ((8,), 57, 256, False),
        ((32, 32, 16), 9, 65536, False),
    ],
)
def test_the_bits_must_be_few_enough_for_the_size(
    widths: tuple[int, ...], parameter: int, size: int, fits: bool
) -> None:
    assert (layout(*widths, data={"to": (parameter,)}, size=size) is not None) is fits


def test_only_exact_keys() -> None:
    assert layout(16, kind="ternary") is None
    assert layout(16, kind="exact") is not None
