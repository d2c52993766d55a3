"""Ways through programs: without tables, through long chains of them, and those that only some frames take."""

from __future__ import annotations

from pathlib import Path

import generated
import pytest
import switches

from macsad import cli, generation
from macsad.compilation import Request
from transpiler.diagnostics import Diagnostics
from transpiler.hlir.program import Program
from transpiler.interpreter import Switch
from transpiler.traffic.plan import Plan, Wishes
from transpiler.traffic.planning import plan
from transpiler.traffic.probe import Probe
from transpiler.traffic.search import search
from transpiler.traffic.sources import trace

PROGRAM = """
#include <core.p4>
#include <v1model.p4>
header kind_t {{ bit<8> kind; }}
header one_t {{ bit<32> a; bit<32> b; }}
header two_t {{ bit<32> c; }}
header idle_t {{ bit<2000> nothing; }}
struct H {{ kind_t k; one_t one; two_t two; idle_t idle; }}
struct M {{ bit<8> slice; bit<8> group; bit<32> address; bit<2000> data; }}
parser P(packet_in p, out H h, inout M m, inout standard_metadata_t s) {{
    state start {{ p.extract(h.k); transition select(h.k.kind) {{ 1: one; 2: two; 3: idle; }} }}
    state one {{ p.extract(h.one); transition accept; }}
    state two {{ p.extract(h.two); transition accept; }}
    state idle {{ p.extract(h.idle); transition accept; }}
}}
control V(inout H h, inout M m) {{ apply {{ }} }}
control I(inout H h, inout M m, inout standard_metadata_t s) {{
    action go() {{ s.egress_spec = 1; }}
    action a1() {{ }}
    action a2() {{ }}
    action a3() {{ }}
    action slice(bit<8> number) {{ m.slice = number; s.egress_spec = 1; }}
    action group(bit<8> number) {{ m.group = number; }}
    action much(bit<2000> data) {{ m.data = data; s.egress_spec = 1; }}
    {tables}
    apply {{ {apply} }}
}}
control E(inout H h, inout M m, inout standard_metadata_t s) {{ apply {{ }} }}
control D(packet_out p, in H h) {{ apply {{ p.emit(h); }} }}
V1Switch(P(), V(), I(), E(), V(), D()) main;
"""


def written(folder: Path, tables: str, apply: str) -> Path:
    program = folder / "program.p4"
    program.write_text(PROGRAM.format(tables=tables, apply=apply))
    return program


def planned(program: Path) -> Plan:
    return plan(switches.load(program), Wishes(entries={None: 100}), Diagnostics(), lambda done, total: None)


def table(name: str, key: str, action: str = "go", size: int = 1024) -> str:
    actions = f"actions = {{ {action}; NoAction; }} default_action = NoAction();"
    return f"table {name} {{ key = {{ {key}; }} {actions} size = {size}; }}"


def test_a_program_without_tables_gets_frames_of_each_way_through_the_parser(tmp_path: Path) -> None:
    program = written(tmp_path, "", "s.egress_spec = 1;")
    assert cli.call(["gen", str(program), "-o", str(tmp_path), "--packets", "200"]) == 0
    frames = generated.frames(tmp_path)
    assert len(frames) == 200 and {frame[0] for frame in frames} == {1, 2, 3}
    assert (tmp_path / "entries.txt").read_bytes() == b""


def test_a_parser_that_accepts_nothing(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    program = tmp_path / "program.p4"
    text = PROGRAM.format(tables="", apply="")
    program.write_text(text.replace("transition accept", "transition reject"))
    assert cli.call(["gen", str(program), "-o", str(tmp_path)]) == 1
    assert "no frame was found that the parser accepts" in capsys.readouterr().err


def test_a_long_chain_of_tables(tmp_path: Path) -> None:
    """Each table is applied behind one action of four of the one before: chance alone finds three or four of them."""
    tables = "".join(
        f"table t{i} {{ key = {{ h.one.a[{i}:{i}]: exact; }} actions = {{ go; a1; a2; a3; }} default_action = a1(); }}"
        for i in range(9)
    )
    apply = "if (h.one.isValid()) { LAST }"
    for i in range(9):
        inner = (
            f"switch (t{i}.apply().action_run) {{ {('a2', 'a3')[i % 2]}: {{ LAST }} }}" if i < 8 else f"t{i}.apply();"
        )
        apply = apply.replace("LAST", inner)
    found = planned(written(tmp_path, tables, apply))
    assert {made.table.name for made in found.tables} == {f"I.t{i}" for i in range(9)}


def test_a_key_fed_by_a_table_that_is_missed(tmp_path: Path) -> None:
    """`groups` has entries for one kind of frames only, and what it would give the others is no key of `ends`."""
    tables = "".join(
        (table("groups", "m.address: exact", "group"), table("ends", "m.group: exact"),
         table("ones", "h.one.b: exact"), table("twos", "h.two.c: exact"))
    )  # fmt: skip
    apply = """if (h.one.isValid()) { m.address = h.one.a; ones.apply(); } else { m.address = 7; twos.apply(); }
        groups.apply(); ends.apply();"""
    streams = planned(written(tmp_path, tables, apply)).streams
    assert {"I.ones" in stream.entries for stream in streams} == {True, False}
    assert sorted(("I.groups" in s.entries, "I.ends" in s.entries) for s in streams) == [(False, False), (True, True)]


def test_a_kind_of_frames_that_comes_to_nothing_is_in_no_other_s_way(tmp_path: Path) -> None:
    """`ways` has one key and room for one entry, which leads `one` to `ones`. `two` would need another there to come to `ends`,
    where the entry for it is what `one` would hit: `one` has no key of `groups`, and misses `ends`."""
    fed = table("groups", "m.address: exact", "group").replace("; NoAction; }", "; @defaultonly NoAction; }")
    tables = "".join(
        (table("ways", "m.slice: exact", "a1; a2"), fed, table("ends", "m.group: exact"), table("ones", "h.one.b: exact"),
         table("twos", "h.two.c: exact"))
    )  # fmt: skip
    apply = """if (h.one.isValid()) {
            m.address = h.one.a + h.one.b; groups.apply(); m.group = m.group ^ (m.group << 1); ends.apply();
            switch (ways.apply().action_run) { a1: { ones.apply(); } }
        } else { switch (ways.apply().action_run) { a2: { ends.apply(); twos.apply(); } } }"""
    program = written(tmp_path, tables, apply)
    assert [set(stream.entries) for stream in planned(program).streams] == [{"I.ways", "I.ones"}]


@pytest.mark.parametrize("kind", ["ternary", "range"])
def test_keys_of_what_entries_with_priorities_give(kind: str, tmp_path: Path) -> None:
    """An entry of `groups` that matched frames of another would give them its own number, and `pairs` would miss."""
    tables = table("groups", f"h.one.b[31:16]: {kind}; h.one.b[15:0]: {kind}", "group")
    tables += table("pairs", "h.one.a: exact; m.group: exact")
    program = written(tmp_path, tables, "if (h.one.isValid()) { groups.apply(); pairs.apply(); }")
    hlir = switches.load(program)
    made = generation.make(Request(program), hlir, generated.order(tmp_path))
    assert hits(hlir, tmp_path) == made.ratios == {"I.groups": 1.0, "I.pairs": 1.0}


def test_what_is_told_of_hits_is_so(tmp_path: Path) -> None:
    """`pairs` matches what two tables choose by themselves: not all pairs have an entry."""
    tables = table("hosts", "h.one.a: exact") + table("groups", "h.one.b: exact", "group")
    tables += table("pairs", "h.one.a: exact; m.group: exact")
    program = written(tmp_path, tables, "if (h.one.isValid()) { hosts.apply(); groups.apply(); pairs.apply(); }")
    hlir = switches.load(program)
    made = generation.make(Request(program), hlir, generated.order(tmp_path, packets=1000))
    measured = hits(hlir, tmp_path)
    assert set(measured) == {"I.hosts", "I.groups", "I.pairs"}
    assert made.ratios == pytest.approx(measured)


def hits(hlir: Program, folder: Path) -> dict[str, float]:
    switch = Switch(hlir)
    generated.load(switch, hlir, generated.commands(folder))
    return generated.run(switch, generated.frames(folder))[0]


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_all_frames_meet_the_same_entry_of_the_port_that_they_come_in_at(seed: int, tmp_path: Path) -> None:
    """Found one by one they want different actions of it; those that are taken want the same."""
    tables = [table("port", "s.ingress_port: exact", "go; a1; a2; a3")]
    tables += [table("first", "h.one.a: exact"), table("second", "h.two.c: exact")]
    apply = "if (port.apply().hit) { if (h.one.isValid()) first.apply(); if (h.two.isValid()) second.apply(); }"
    hlir = switches.load(written(tmp_path, " ".join(tables), apply))
    made = plan(hlir, Wishes(entries={None: 100}, seed=seed), Diagnostics(), lambda done, total: None)
    assert {one.table.name for one in made.tables} == {"I.port", "I.first", "I.second"}
    assert sum(one.count for one in made.tables if one.table.name == "I.port") == 1


def test_what_nothing_depends_on_is_not_tried_bit_by_bit(tmp_path: Path) -> None:
    """2,000 bits of the frame and as many of action data: neither is part of a key."""
    program = written(tmp_path, table("only", "h.k.kind: ternary", "much"), "if (h.idle.isValid()) { only.apply(); }")
    hlir = switches.load(program)
    probe = Probe(hlir, 0)
    template = max(search(hlir, probe, 1, lambda done, total: None).templates, key=lambda t: len(t.hits))
    assert template.hits == ("I.only",)
    count, run = 0, probe.run

    def counted(*arguments: object) -> object:
        nonlocal count
        count += 1
        return run(*arguments)  # type: ignore[arg-type]

    probe.run = counted  # type: ignore[assignment,method-assign]
    trace(hlir, probe, template)
    assert count < 100
