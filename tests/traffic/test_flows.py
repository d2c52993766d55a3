"""The numbers of flows that hit all their tables, and frames of a form that were drawn."""

from __future__ import annotations

from pathlib import Path
from random import Random
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
import switches

from transpiler.hlir.types import Bits
from transpiler.traffic.bits import Numbers
from transpiler.traffic.frames import LEAST_FLOWS, MOST_FLOWS, Flags, _Writer
from transpiler.traffic.probe import Probe
from transpiler.traffic.search import SMALLEST, Finder, any_outcome, search, uses


def agreeing(counts: dict[str, int], hit: dict[str, int]) -> Numbers:
    """Tables of so many entries, of which frames of each `hit`th flow hit one."""

    def choose(name: str, flows: Numbers, chosen: object, chance: object) -> tuple[Numbers, Flags]:
        return flows, flows % np.uint64(hit[name]) == 0

    entries = {name: SimpleNamespace(keys=SimpleNamespace(count=count)) for name, count in counts.items()}
    writer = SimpleNamespace(stream=SimpleNamespace(entries=entries), _choose=choose)
    return _Writer._agreeing(writer)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("counts", "tried"),
    [
        ({"a": 1, "b": 7}, LEAST_FLOWS),
        ({"a": LEAST_FLOWS, "b": 7}, LEAST_FLOWS),
        ({"a": 7, "b": LEAST_FLOWS + 1}, LEAST_FLOWS + 1),
        ({"a": MOST_FLOWS - 1, "b": MOST_FLOWS // 2}, MOST_FLOWS - 1),
        ({"a": MOST_FLOWS + 99, "b": 7}, MOST_FLOWS),
    ],
)
def test_as_many_flows_are_tried_as_the_largest_table_has_entries(counts: dict[str, int], tried: int) -> None:
    found = agreeing(counts, {"a": 2, "b": 3})
    assert found.tolist() == list(range(0, tried, 6))


def test_where_all_flows_agree_or_none_does_all_are_taken() -> None:
    assert len(agreeing({"a": 9, "b": 9}, {"a": 1, "b": 1})) == 0
    assert len(agreeing({}, {})) == 0


PROGRAM = """
#include <core.p4>
#include <v1model.p4>
header h_t { bit<8> a; bit<8> b; }
struct H { h_t h; }
struct M { }
parser P(packet_in p, out H h, inout M m, inout standard_metadata_t s) {
    state start { p.extract(h.h); transition accept; }
}
control V(inout H h, inout M m) { apply { } }
control I(inout H h, inout M m, inout standard_metadata_t s) {
    apply { if (h.h.a == 0x5a) { s.egress_spec = 1; } else if (h.h.b == 0x77 || h.h.b == 0x78) { s.egress_spec = 2; } }
}
control E(inout H h, inout M m, inout standard_metadata_t s) { apply { } }
control D(packet_out p, in H h) { apply { p.emit(h.h); } }
V1Switch(P(), V(), I(), E(), V(), D()) main;
"""


def test_frames_have_values_that_the_program_compares_with_but_usual_ones_do_not(tmp_path: Path) -> None:
    file = tmp_path / "program.p4"
    file.write_text(PROGRAM)
    program = switches.load(file)
    finder = search(program, Probe(program, 0), 1, lambda done, total: None)
    chance = Random(1)
    drawn = [finder.frame(0, chance).data for _ in range(64)]
    assert {data[0] for data in drawn} >= {0, 0x5A} and {data[1] for data in drawn} >= {0, 0x77, 0x78}
    assert {bytes(finder.usual(0).data[:2]) for _ in range(8)} == {b"\0\0"}


def test_a_frame_that_was_found_otherwise_has_the_checksums_of_the_last_form() -> None:
    forms = (SimpleNamespace(sums=("first",)), SimpleNamespace(sums=("last",)))
    shape = SimpleNamespace(headers=())
    made = Finder.given(SimpleNamespace(forms=forms), shape, b"\7")  # type: ignore[arg-type]
    assert made.checksums == ("last",) and made.shape is shape and made.data == b"\7".ljust(SMALLEST, b"\0")


def test_outcomes_that_are_tried() -> None:
    """A miss now and then, and always where no entry may have an action; small arguments."""
    which = [
        SimpleNamespace(action=name, default_only=only) for name, only in (("a", False), ("b", False), ("c", True))
    ]
    types = {"a.x": SimpleNamespace(type=Bits(1)), "a.y": SimpleNamespace(type=Bits(9))}
    actions = {"a": SimpleNamespace(parameters=("a.x", "a.y")), "b": SimpleNamespace(parameters=())}
    program: Any = SimpleNamespace(variable=types, action=actions)
    table, only = (SimpleNamespace(actions=of) for of in (which, which[2:]))
    chance = Random(1)
    drawn = [any_outcome(uses(program, table), chance) for _ in range(400)]  # type: ignore[arg-type]
    calls = [one for one in drawn if one is not None]
    assert 20 < len(drawn) - len(calls) < 100
    assert {one.action for one in calls} == {"a", "b"}
    assert {one.arguments for one in calls if one.action == "b"} == {()}
    found = {one.arguments for one in calls if one.action == "a"}
    assert found <= {(x, y) for x in range(2) for y in range(4)} and {x for x, _ in found} == {0, 1}
    assert {y for _, y in found} == set(range(4))
    assert [any_outcome(uses(program, only), chance) for _ in range(20)] == [None] * 20  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("fixed", "filled"), [((), True), ((15, 32), True), ((16,), False), ((31,), False), ((24, 90), False)]
)
def test_lengths_are_those_of_each_frame_unless_the_parser_wants_a_number(fixed: tuple[int, ...], filled: bool) -> None:
    """And checksums are filled behind them."""
    order: list[str] = []
    checksum = SimpleNamespace(fill=lambda rows: order.append(rows[:, 2:4].tobytes().hex()))
    frame = SimpleNamespace(
        known=SimpleNamespace(lengths=[(16, 14)]),
        shape=SimpleNamespace(fixed=dict.fromkeys(fixed, 0)),
        checksums=[checksum],
    )
    writer: Any = SimpleNamespace(stream=SimpleNamespace(template=SimpleNamespace(frame=frame)))
    rows = np.full((3, 6), 0xEE, dtype=np.uint8)
    _Writer._finish(writer, rows, np.array([60, 64, 1514], dtype=np.uint64))
    wanted = [46, 50, 1500] if filled else [0xEEEE] * 3
    assert [int.from_bytes(row[2:4].tobytes(), "big") for row in rows] == wanted
    assert (rows[:, [0, 1, 4, 5]] == 0xEE).all() and order == [rows[:, 2:4].tobytes().hex()]
