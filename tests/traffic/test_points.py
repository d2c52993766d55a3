"""Tables that need groups, clone sessions, or single frames beside others; tables that nothing reaches."""

from __future__ import annotations

from pathlib import Path

import generated
import pytest
import switches
from switch_harness import Switch as Running

from macsad import generation
from macsad.compilation import Request
from transpiler.diagnostics import Diagnostics
from transpiler.hlir.program import Program
from transpiler.interpreter import Switch
from transpiler.traffic.committed import Committed
from transpiler.traffic.plan import Plan, Wishes
from transpiler.traffic.planning import plan

HERE = Path(__file__).parent
COPIED, BESIDE = HERE / "copied.p4", HERE / "beside.p4"


def make(program: Path, folder: Path, **wanted: object) -> tuple[Program, Switch]:
    """The program, and the interpreter with the entries that were made."""
    hlir = switches.load(program)
    generation.run(Request(program), hlir, generated.order(folder, **wanted))
    switch = Switch(hlir)
    generated.load(switch, hlir, generated.commands(folder))
    return hlir, switch


def planned(program: Path, diagnostics: Diagnostics) -> Plan:
    return plan(switches.load(program), Wishes({None: 20}), diagnostics, lambda done, total: None)


def test_groups_and_sessions_are_made_for_tables_behind_them(tmp_path: Path) -> None:
    hlir, switch = make(COPIED, tmp_path)
    words = [" ".join(line) for line in generated.commands(tmp_path)]
    assert "mirroring_add 7 1" in words
    groups = [line.split() for line in words if line.startswith("mc_")]
    made = [number for command, number, *_ in groups if command == "mc_mgrp_create"]
    assert made and groups == [
        line
        for node, number in enumerate(made)
        for line in (
            ["mc_mgrp_create", number],
            ["mc_node_create", "1", "1"],
            ["mc_node_associate", number, str(node)],
        )
    ]
    ratios, out = generated.run(switch, generated.frames(tmp_path))
    assert {name for name, ratio in ratios.items() if ratio > 0} == {t.name for t in hlir.tables if t.keys} - {
        "MyIngress.dead"
    }
    assert set(out) == {1} and out.total() > 400  # each frame is cloned or flooded, many both


def test_a_table_that_nothing_reaches_is_told_so() -> None:
    diagnostics = Diagnostics()
    planned(COPIED, diagnostics)
    assert [m.message for m in diagnostics.messages] == [
        "no packet is looked up in table MyIngress.dead, as a condition before it never holds: there are no entries for it"
    ]


def test_frames_alone_hit_what_their_kind_cannot(tmp_path: Path) -> None:
    diagnostics = Diagnostics()
    made = planned(BESIDE, diagnostics)
    assert not diagnostics.messages
    assert {one.table.name for one in made.tables} == {"MyIngress.numbers", "MyIngress.outputs"}
    [point] = made.points
    assert {name for name, _ in point.entries} == {"MyIngress.outputs", "MyIngress.marks"}
    hlir, switch = make(BESIDE, tmp_path)
    frames = generated.frames(tmp_path)
    ratios, out = generated.run(switch, frames)
    assert ratios == dict.fromkeys((t.name for t in hlir.tables if t.keys), 1.0)
    assert out.total() == len(frames) == 400
    alone = sum(frame[12:14] == b"\x88\xb5" for frame in frames)
    assert 0.02 < alone / len(frames) < 0.15


def test_points_have_room_in_tables_that_are_full() -> None:
    made = plan(switches.load(BESIDE), Wishes({None: 4096}), Diagnostics(), lambda done, total: None)
    outputs = sum(one.count for one in made.tables if one.table.name == "MyIngress.outputs")
    own = sum(name == "MyIngress.outputs" for point in made.points for name, _ in point.entries)
    assert own and outputs + own <= 4096


@pytest.mark.parametrize("program", [BESIDE, COPIED], ids=["beside", "copied"])
def test_what_entries_answer_is_known(program: Path, tmp_path: Path) -> None:
    """The keys of streams and points, looked up in what was committed and in the interpreter with the real entries."""
    _, switch = make(program, tmp_path, entries=20)
    made = planned(program, Diagnostics())
    committed = Committed(made)
    for point in made.points:
        committed.add(point.entries)
    for one in made.tables:
        entries = switch.store.tables[one.table.name].entries.values()
        assert len(entries) >= one.count
        for entry in entries:
            key = tuple(match.value for match in entry.matches)  # type: ignore[union-attr]
            assert committed[one.table.name, key] == entry.choice


@pytest.mark.parametrize("program", [BESIDE, COPIED], ids=["beside", "copied"])
def test_the_compiled_switch_does_as_the_interpreter(program: Path, tmp_path: Path) -> None:
    _, interpreter = make(program, tmp_path)
    frames = generated.frames(tmp_path)
    _, out = generated.run(interpreter, frames)
    arguments = ["--port=0=ctl:", "--port=1=ctl:", "--entries", str(tmp_path / "entries.txt")]
    switch = Running(switches.build(program), tmp_path, arguments)
    accepted = 0
    while accepted < len(frames):
        accepted += switch.client.inject(0, frames[accepted : accepted + 100])
        switch.client.collect()
    stats = switch.client.stats()
    switch.stop()
    assert stats["sent"] == out.total()
