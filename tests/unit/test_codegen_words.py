"""Which tables' entries can be words, and where their bits lie; the kernel that has room for them."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hlir_builder import Builder, apply, emit, extract, goto, state

from transpiler.codegen.words import WordLayout, no_words, word_layout
from transpiler.hlir.program import MatchKind, Program
from transpiler.targets.find import builtin
from transpiler.targets.target import Need


def program(
    *widths: int, data: dict[str, tuple[int, ...]] | None = None, size: int = 64, kind: str = "exact"
) -> Program:
    """With a table with keys of those widths and actions with parameters of those widths; NoAction is the default."""
    b = Builder()
    b.header("h", "h_t", **{f"k{i}": width for i, width in enumerate(widths)}, pad=-sum(widths) % 8 or 8)
    for name, parameters in (data or {}).items():
        b.action(name, **{f"p{i}": width for i, width in enumerate(parameters)})
    b.table("t", [(f"h.k{i}", kind) for i in range(len(widths))], list(data or {}), size=size)
    return b.build([state("start", [extract("h")], goto("accept"))], [apply("t")], deparser=[emit("h")])


def layout(*widths: int, data: dict[str, tuple[int, ...]] | None = None, size: int = 64) -> WordLayout:
    made = program(*widths, data=data, size=size)
    return word_layout(made, made.table["t"])


def test_the_last_key_field_is_lowest_and_data_stand_above_the_action() -> None:
    expected = WordLayout((9, 0), 57, 2, {"to": (2, 11), "drop": (), "NoAction": ()}, 27)
    assert layout(48, 9, data={"to": (9, 16), "drop": ()}, size=1 << 30) == expected


def test_actions_without_data_have_their_number_alone() -> None:
    assert layout(16, data={}) == WordLayout((0,), 16, 0, {"NoAction": ()}, 0)
    assert layout(16, data={"a": (), "b": ()}) == WordLayout((0,), 16, 2, {"a": (), "b": (), "NoAction": ()}, 2)


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
    made = program(*widths, data={"to": (parameter,)}, size=size)
    table = made.table["t"]
    words = word_layout(made, table)
    packed = next(kernel for kernel in builtin().kernels if kernel.name == "exact_packed")
    need = Need(table.keys, size, (words.key_bits, words.data_bits))
    assert (not no_words(table) and not packed.refusal(need)) is fits


def test_only_exact_keys() -> None:
    assert "not exact" in no_words(program(16, kind="ternary").table["t"])
    assert not no_words(program(16, kind="exact").table["t"])
    table = program(16, 1).table["t"]
    valid = replace(table.keys[1], match_kind=MatchKind.VALID)  # as P4-14 has it
    assert not no_words(replace(table, keys=(table.keys[0], valid)))
    assert no_words(replace(table, keys=())) == "the key of this table is not exact"
    assert no_words(replace(table, implementation="p")) == "the entries of this table are those of 'p'"


@pytest.mark.parametrize(("width", "why"), [(16, ""), (17, "the key of this table has 65 bits")])
def test_keys_of_a_word(width: int, why: str) -> None:
    assert no_words(program(48, width).table["t"]) == why
