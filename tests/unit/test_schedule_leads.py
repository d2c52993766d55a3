"""Which entries are followed: those that lead to more than stays in the cache."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hlir_builder import AT, Builder, apply, emit, extract, goto, state

from transpiler.hlir.interface import Annotation
from transpiler.hlir.program import SUPPORT_TIMEOUT, Program
from transpiler.schedule.leads import (
    GROUP_STEPS,
    LINE_BYTES,
    MEMBER_STEPS,
    bytes_led_to,
    followed_cells,
    steps_to_follow,
)

NEAR = 65536


def program(size: int, kind: str = "", algorithm: str = "crc16", direct: tuple[str, ...] = ()) -> Program:
    """A table, whose entries are those of a profile of that kind and size, or have direct instances."""
    b = Builder()
    b.header("h", "h_t", k=16, v=8)
    b.action("set", b.set("h.v", 1))
    of_profile = {"algorithm": algorithm, "width": 10} if kind == "action_selector" else {}
    if kind:
        b.extern("profile", kind, size=size, **of_profile)
    for name in direct:
        b.extern(f"a_{name}", name, unit="packets", automatic=1)
    b.table(
        "t", [("h.k", "exact")], ["set"], size=size, implementation="profile" if kind else None,
        direct=tuple(f"a_{name}" for name in direct),
    )  # fmt: skip
    return b.build([state("start", [extract("h")], goto("accept"))], [apply("t")], [], [emit("h")])


def steps(made: Program, near: int = NEAR) -> int | None:
    return steps_to_follow(made, made.table["t"], near)


def test_members_are_where_entries_tell_and_groups_two_steps_away() -> None:
    assert steps(program(4096, "action_profile")) == MEMBER_STEPS
    assert steps(program(4096, "action_selector")) == GROUP_STEPS


@pytest.mark.parametrize("kind", ["action_profile", "action_selector"])
def test_what_stays_in_the_cache_is_not_followed(kind: str) -> None:
    made = program(64, kind)
    assert 64 * LINE_BYTES <= bytes_led_to(made, made.table["t"]) <= NEAR and steps(made) is None
    assert steps(made, 0) is not None


def test_members_drawn_at_random_are_drawn_in_the_order_of_the_work() -> None:
    assert steps(program(4096, "action_selector", "random")) is None


def test_direct_meters_are_followed_and_counters_deferred() -> None:
    made = program(4096, direct=("direct_meter", "direct_counter"))
    assert followed_cells(made, made.table["t"]) == ("a_direct_meter",) and steps(made) == 0
    assert bytes_led_to(made, made.table["t"]) == 4097 * LINE_BYTES
    assert steps(program(4096, direct=("direct_counter",))) is None
    assert steps(program(1000, direct=("direct_meter",))) is None


def test_an_entry_that_leads_nowhere_is_not_followed() -> None:
    assert steps(program(1 << 20)) is None


@pytest.mark.parametrize(
    ("kind", "ages", "bytes_"),
    [
        ("", False, 0),
        ("action_profile", False, 100 * 64),
        ("action_selector", False, 2 * 100 * 64),
        ("", True, 100 * 8),
        ("action_profile", True, 100 * (64 + 8)),
    ],
)
def test_how_much_entries_lead_to(kind: str, ages: bool, bytes_: int) -> None:
    """A line for each member and each group, the time of each entry's last hit."""
    made = program(100, kind)
    if ages:
        (table,) = made.tables
        made = replace(made, tables=(replace(table, annotations=(Annotation(SUPPORT_TIMEOUT, "true", AT),)),))
    assert bytes_led_to(made, made.table["t"]) == bytes_
    for near, steps_ in ((bytes_, None), (bytes_ - 1, {"": 0, "action_profile": 0, "action_selector": 2}[kind])):
        assert steps(made, near) == steps_
