"""Which lookups and accesses are worth a stage: those of more memory than stays near, where options cut at all."""

from __future__ import annotations

import pytest
from hlir_builder import Builder, goto, state

from transpiler.hlir.program import Program
from transpiler.schedule.scheduler import Options
from transpiler.schedule.where_to_cut import near_tables, started_state, state_to_cut_at, with_cuts

NEAR = 1000


def program() -> Program:
    b = Builder()
    b.extern("small", "register", size=NEAR // 4, width=32)
    b.extern("tiny", "register", size=1, width=1)
    b.extern("large", "register", size=NEAR // 4 + 1, width=32)
    b.extern("meter", "meter", size=NEAR, unit="packets")
    b.extern("counter", "counter", size=1 << 20, unit="packets")
    return b.build([state("start", [], goto("accept"))])


def test_tables_that_are_near() -> None:
    reads = {"less": NEAR - 1, "as much": NEAR, "more": NEAR + 1, "never": 0}
    options = Options(cut=lambda table: table != "never")
    assert near_tables(reads, NEAR, options) == {"less", "as much"}
    assert near_tables(reads, -1, options) == near_tables({}, NEAR, options) == frozenset()


def test_state_that_is_started() -> None:
    """However small it is; counters are not."""
    assert started_state(program(), Options()) == {"small", "tiny", "large", "meter"}
    assert started_state(program(), Options(starts_state=lambda name: name == "small")) == {"small"}


@pytest.mark.parametrize(
    ("started", "near", "cut", "found"),
    [
        ({"small", "large", "meter"}, NEAR, None, {"large", "meter"}),
        ({"small", "large", "meter"}, NEAR - 1, None, {"small", "large", "meter"}),
        ({"small", "large", "meter"}, NEAR, "large", {"large"}),
        ({"small", "large"}, NEAR, None, {"large"}),
        ({"small"}, NEAR, None, set()),
        ({"small", "large"}, 1 << 30, None, set()),
    ],
)
def test_state_to_cut_at(started: set[str], near: int, cut: str | None, found: set[str]) -> None:
    options = Options(cut=lambda name: cut is None or name == cut)
    assert state_to_cut_at(program(), frozenset(started), near, options) == found


def test_options_with_cuts() -> None:
    options = Options(cut=lambda table: table != "never", merge=False, small=frozenset({"x"}))
    made = with_cuts(options, {"near"}, frozenset({"large"}))
    assert [made.cut(name) for name in ("far", "near", "never")] == [True, False, False]
    assert (made.large, made.merge, made.small) == ({"large"}, False, {"x"})
