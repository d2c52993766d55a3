"""Where optimisations begin and end: at the number that a constant says something is done, next to it not.

Where the number is one of a program (its bits, its ways), the constant is set to it, and to its neighbour."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import switches
from hlir_builder import AT, Builder, binary, const, emit, extract, goto, state

from transpiler.analysis.packet_profile import TableCounts
from transpiler.codegen import generate, kernels, sums, tables
from transpiler.codegen.c.nodes import Name
from transpiler.diagnostics import Diagnostics
from transpiler.hlir import expressions as ex, statements as st
from transpiler.hlir.program import ExternInstance, Program
from transpiler.hlir.types import Bits
from transpiler.model.sizes import LINE
from transpiler.passes import update_checksums_incrementally as checksums
from transpiler.placement import costs
from transpiler.placement.stages import Read, Stage
from transpiler.schedule import atomic_regions, cell_updates, decisions, pipelined, steering
from transpiler.schedule.atomic_regions import Kept, Ways, with_atomic_regions
from transpiler.schedule.decisions import with_decisions
from transpiler.targets.footprint import HUGE_PAGE_BYTES, Footprint
from transpiler.targets.target import Kernel

TESTS = Path(__file__).parents[1]
Patch = pytest.MonkeyPatch


def limited(patch: Patch, module: Any, name: str, at: int, done: Callable[[], bool]) -> None:
    """It is done up to the number, and not beyond it."""
    for limit, wanted in ((at - 1, False), (at, True), (at + 1, True)):
        patch.setattr(module, name, limit)
        assert done() is wanted, (name, limit)


# --- caches of decisions ------------------------------------------------------------------------------------------------


def test_how_much_a_decision_may_hold(monkeypatch: Patch) -> None:
    program = switches.load(TESTS / "packets" / "decisions.p4")
    made = with_decisions(program)
    assert made is not None and made.counts > 0
    key_words = int(made.program.extern[decisions.NAME].attribute("key_words"))
    words = -(-made.kept_bits // decisions.WORD_BITS)
    for name, at in (
        ("KEY_WORDS_MAX", key_words),
        ("KEPT_BITS_MAX", decisions.WORD_BITS * words),
        ("COUNTS_MAX", made.counts),
    ):
        with monkeypatch.context() as patch:
            limited(patch, decisions, name, at, lambda: with_decisions(program) is not None)


# --- registers ----------------------------------------------------------------------------------------------------------


def updates(width: int, *cells: int) -> Program:
    """A cell of a register is added to; or several of its cells are."""
    b = Builder()
    b.header("h", "h_t", k=width, rest=8 + -width % 8)
    b.variable("v", width)
    b.extern("r", "register", size=1 << 20, width=width)
    body: list[st.Statement] = []
    for cell in cells:
        index = const(cell, 32)
        body.append(b.call("register.read", "r", index, out="v"))
        body.append(b.call("register.write", "r", index, binary("+", b.get("v"), b.get("h.k"))))
    return b.build([state("start", [extract("h")], goto("accept"))], body, (), [emit("h")])


def kept(program: Program) -> list[Kept]:
    return [group.kept for group in with_atomic_regions(program, Ways(steering=False)).groups]


@pytest.mark.parametrize(("width", "wanted"), [(63, Kept.UPDATES), (64, Kept.UPDATES), (65, None), (72, None)])
def test_how_wide_a_cell_may_be_to_be_updated(width: int, wanted: Kept | None) -> None:
    (found,) = kept(updates(width, 1))
    assert (found is Kept.UPDATES) is (wanted is Kept.UPDATES)


def test_how_large_an_expression_may_be_to_be_an_update(monkeypatch: Patch) -> None:
    program = updates(8, 1)  # cell + field: three parts
    limited(monkeypatch, cell_updates, "LARGEST", 3, lambda: kept(program) == [Kept.UPDATES])


def test_how_many_cells_a_region_may_hold(monkeypatch: Patch) -> None:
    program = updates(32, 1, 2, 3)

    def holds_cells() -> bool:
        made = with_atomic_regions(program, Ways(updates=False, steering=False))
        return all(group.kept is Kept.STRIPES for group in made.groups)

    limited(monkeypatch, atomic_regions, "MOST", 3, holds_cells)


def test_how_many_ways_a_parser_may_have_to_steer_by(monkeypatch: Patch) -> None:
    program = switches.load(TESTS / "system" / "sharded.p4")
    made = with_atomic_regions(program, Ways()).steering
    assert made.sharded

    def steers() -> bool:
        return bool(with_atomic_regions(program, Ways()).steering.sharded)

    limited(monkeypatch, steering, "MOST", len(made.nodes) + len(made.leaves), steers)


# --- cuts ---------------------------------------------------------------------------------------------------------------


def test_how_many_parts_there_may_be(monkeypatch: Patch) -> None:
    pipe: Any = SimpleNamespace(name="p", stages=[SimpleNamespace(name=f"s{n}", lookups=()) for n in range(5)])
    program: Any = SimpleNamespace(span=AT)

    def cut() -> bool:
        diagnostics = Diagnostics()
        pipelined._boundaries(pipe, "1,3,4", diagnostics, program)
        return not diagnostics.error_count

    limited(monkeypatch, pipelined, "PARTS", 4, cut)


@pytest.mark.parametrize(("word", "right"), [("0", False), ("1", True), ("4", True), ("5", False), ("x", False)])
def test_where_a_cut_may_be(word: str, right: bool) -> None:
    pipe: Any = SimpleNamespace(name="p", stages=[SimpleNamespace(name=f"s{n}", lookups=()) for n in range(5)])
    diagnostics = Diagnostics()
    found = pipelined._boundaries(pipe, word, diagnostics, SimpleNamespace(span=AT))  # type: ignore[arg-type]
    assert (found == [int(word)] and not diagnostics.error_count) if right else diagnostics.error_count == 1


# --- sums of 16-bit words -------------------------------------------------------------------------------------------------


def value(width: int) -> ex.Read:
    return ex.Read(ex.VariableRef(f"v{width}", AT), Bits(width), AT)


@pytest.mark.parametrize(("width", "shift", "terms"), [(32, 16, 1), (33, 16, 2), (48, 0, 1), (49, 0, 2), (64, 0, 2)])
def test_what_is_added_as_one(width: int, shift: int, terms: int) -> None:
    assert len(sums._terms(lambda e: Name("x"), value(width), shift)) == terms  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("widths", "wanted"),
    [
        ((16, 16), [(16, 16)]),
        ((8, 8, 16, 32), [(8, 8, 16), (32,)]),
        ((16, 15), [(16,), (15,)]),
        ((16, 17), [(16,), (17,)]),
        ((16, 32, 16), [(16,), (32,), (16,)]),
        ((8, 24, 31, 1), [(8, 24), (31, 1)]),
    ],
)
def test_values_that_are_added_together(widths: tuple[int, ...], wanted: list[tuple[int, ...]]) -> None:
    found = sums._filling(tuple(map(value, widths)))
    assert [tuple(v.type.width for v in group) for group in found] == wanted  # type: ignore[union-attr]


@pytest.mark.parametrize(
    ("method", "widths", "split"),
    [
        ("hash.compute", (48,), True), ("hash.compute", (47,), False), ("hash.compute", (16, 16, 15), False),
        ("hash.compute", (16, 16, 17), True), ("checksum.payload", (16, 16), True), ("checksum.payload", (16, 15), False),
        ("checksum.payload", (8, 8), True),
    ],
)  # fmt: skip
def test_from_how_many_bits_on_a_checksum_is_updated(
    method: str, widths: tuple[int, ...], split: bool, monkeypatch: Patch
) -> None:
    monkeypatch.setattr(checksums, "_values", lambda call: tuple(map(value, widths)))
    rewriting: Any = SimpleNamespace(_is_stable=lambda expression: True)
    assert checksums._Rewriting._can_be_split(rewriting, SimpleNamespace(method=method)) is split  # type: ignore[arg-type]


# --- tables -----------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("counts", "hottest"),
    [
        ({"a": 50, "b": 50}, 0), ({"a": 49, "b": 51}, 1), ({"a": 49, "b": 50, "c": 1}, 1), ({"a": 40, "b": 30, "c": 30}, None),
        ({"a": 0, "b": 0, "c": 10}, 2), ({}, None),
    ],
)  # fmt: skip
def test_from_which_share_on_an_action_is_the_hottest(counts: dict[str, int], hottest: int | None) -> None:
    seen = TableCounts(sum(counts.values()), 0, counts)
    view: Any = SimpleNamespace(profile=SimpleNamespace(table=lambda name: seen), actions=lambda name: ("a", "b", "c"))
    assert tables.Tables.hottest(view, "t") == hottest


@pytest.mark.parametrize(("count", "looks"), [(tables.MANY_TABLES - 1, False), (tables.MANY_TABLES, True)])
def test_from_how_many_tables_on_empty_ones_are_looked_for(count: int, looks: bool) -> None:
    b = Builder()
    b.header("h", "h_t", k=8)
    b.action("a")
    for number in range(count):
        b.table(f"t{number}", [("h.k", "exact")], ["a"])
    program = b.build([state("start", [extract("h")], goto("accept"))])
    names: Any = None
    assert tables.Tables(program, names, {}).empty_tables is looks
    assert not tables.Tables(program, names, {}, empty_tables=False).empty_tables


@pytest.mark.parametrize(("more", "told"), [(-1, False), (0, True), (1, True)])
def test_from_which_size_on_huge_pages_are_told_of(more: int, told: bool) -> None:
    kernel = Kernel("k", frozenset(), memory=Footprint(base=1))
    choice = kernels.Choice(kernel, "why", 1000, 1 << 30, HUGE_PAGE_BYTES + more)
    assert (", on huge pages" in choice.note) is told
    cells = HUGE_PAGE_BYTES // 4
    register = ExternInstance("r", "register", (("size", cells + more), ("width", 32)), AT)
    program = SimpleNamespace(extern={"r": register}, tables=())
    assert (", on huge pages" in generate._state_note(program, register)) is told  # type: ignore[arg-type]
    assert f"{cells + more:,} cells of 4 bytes take" in generate._state_note(program, register)  # type: ignore[arg-type]


# --- placement ----------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("often", "shared"), [(1.0, True), (0.5, True), (0.499, False), (0.1, False)])
def test_memories_that_are_read_about_as_often_share_the_cache(often: float, shared: bool) -> None:
    size = 100 * LINE
    stage = Stage("s", 1.0, (Read("first", 1.0, size), Read("second", often, size)))
    found = costs.spreads([stage])
    assert found == {"first": 2 * size if shared else size, "second": 2 * size}
