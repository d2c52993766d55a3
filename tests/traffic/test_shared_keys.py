"""Tables whose keys have bits of other tables' entries, and frames of one entry that differ."""

from __future__ import annotations

from pathlib import Path

import generated
import pytest
import switches

from macsad import generation
from macsad.compilation import Request
from transpiler.interpreter import Switch

PROGRAM = """
#include <core.p4>
#include <v1model.p4>
header h_t {{ bit<32> a; bit<32> b; bit<16> c; }}
struct H {{ h_t h; }}
struct M {{ bit<16> hash; bit<8> group; }}
parser P(packet_in p, out H h, inout M m, inout standard_metadata_t s) {{ state start {{ p.extract(h.h); transition accept; }} }}
control V(inout H h, inout M m) {{ apply {{ }} }}
control I(inout H h, inout M m, inout standard_metadata_t s) {{
    action go(bit<9> port) {{ s.egress_spec = port; }}
    action choose(bit<8> group) {{ m.group = group; s.egress_spec = 1; }}
    {tables}
    apply {{ {apply} }}
}}
control E(inout H h, inout M m, inout standard_metadata_t s) {{ apply {{ }} }}
control D(packet_out p, in H h) {{ apply {{ p.emit(h.h); }} }}
V1Switch(P(), V(), I(), E(), V(), D()) main;
"""


def made(
    folder: Path, tables: str, apply: str, **wanted: object
) -> tuple[dict[str, int], dict[str, float], list[bytes]]:
    """How many entries each table takes, the part of its lookups that hit, and the frames."""
    program = folder / "program.p4"
    program.write_text(PROGRAM.format(tables=tables, apply=apply))
    hlir = switches.load(program)
    generation.run(Request(program), hlir, generated.order(folder, **wanted))
    switch, frames = Switch(hlir), generated.frames(folder)
    counts = generated.load(switch, hlir, generated.commands(folder))
    ratios, _ = generated.run(switch, frames)
    return dict(counts), ratios, frames


def table(name: str, key: str, action: str = "go") -> str:
    return f"table {name} {{ key = {{ {key}; }} actions = {{ {action}; NoAction; }} default_action = NoAction(); }}"


def test_entries_of_action_data_narrower_than_their_number(tmp_path: Path) -> None:
    """1,000 entries feed a key of 8 bits: 256 of them differ, and all are there."""
    tables = table("first", "h.h.a: exact", "choose") + table("second", "m.group: exact")
    counts, ratios, _ = made(tmp_path, tables, "first.apply(); second.apply();", entries=1000)
    assert counts == {"I.first": 1000, "I.second": 256}
    assert ratios == {"I.first": 1.0, "I.second": 1.0}


def test_two_keys_that_have_one_parameter(tmp_path: Path) -> None:
    """The parameter of an entry is what both tables match, and the longer key has the other parameter's value."""
    both = "action choose_both(bit<8> group, bit<16> hash) { m.group = group; m.hash = hash; s.egress_spec = 1; }"
    first = table("first", "h.h.a: exact", "choose_both").replace("NoAction;", "@defaultonly NoAction;", 1)
    tables = both + first + table("second", "m.group: exact")
    tables += table("third", "m.group: exact; m.hash: exact")
    counts, ratios, _ = made(tmp_path, tables, "first.apply(); second.apply(); third.apply();", entries=100)
    assert counts == {"I.first": 100, "I.second": 100, "I.third": 100}
    assert ratios == {"I.first": 1.0, "I.second": 1.0, "I.third": 1.0}


def test_entries_of_a_part_of_another_table_s_key(tmp_path: Path) -> None:
    """Keys differ in more bits than the second table matches: what is the same there is one entry."""
    tables = table("first", "h.h.a: exact") + table("second", "h.h.a[9:0]: exact")
    counts, ratios, _ = made(tmp_path, tables, "first.apply(); second.apply();", entries=1000)
    assert counts["I.first"] == 1000 and 500 < counts["I.second"] < 1000
    assert ratios == {"I.first": 1.0, "I.second": 1.0}


def test_a_table_behind_one_that_single_frames_hit(tmp_path: Path) -> None:
    """No key of `hashed` can be chosen; `inner` is applied behind its hits only, and shares its key with `outer`."""
    tables = "".join(
        (table("hashed", "m.hash: exact"), table("inner", "h.h.a: exact"), table("outer", "h.h.a: exact"),
         table("other", "h.h.b: exact"))
    )  # fmt: skip
    apply = """hash(m.hash, HashAlgorithm.crc16, 16w0, { h.h.c, h.h.c }, 32w65536);
        if (hashed.apply().hit) { inner.apply(); } outer.apply(); other.apply();"""
    counts, ratios, _ = made(tmp_path, tables, apply)
    # Two single frames: the first one hits `inner`, the second one both.
    assert counts == {"I.other": 101, "I.hashed": 1, "I.inner": 2, "I.outer": 1}
    assert ratios["I.other"] == ratios["I.inner"] == 1.0 and 0.02 < ratios["I.hashed"] < 0.15


@pytest.mark.parametrize("kind", ["lpm", "ternary"])
def test_frames_of_one_entry_differ(kind: str, tmp_path: Path) -> None:
    """What an entry does not match varies from frame to frame, but for `--flows one`."""
    tables = table("only", f"h.h.a: {kind}")
    wanted = {"entries": 20, "packets": 1000, "lengths": ("16",) if kind == "lpm" else ()}
    _, ratios, frames = made(tmp_path, tables, "only.apply();", **wanted)
    assert ratios == {"I.only": 1.0} and len(set(frames)) > 300  # ternary: not those that match all
    _, ratios, frames = made(tmp_path, tables, "only.apply();", flows="one", **wanted)
    assert ratios == {"I.only": 1.0} and len(set(frames)) == 1


def test_hosts_that_another_table_matches_stay(tmp_path: Path) -> None:
    """An exact key on the lower half of an address whose upper half is a prefix."""
    tables = table("routes", "h.h.a: lpm") + table("hosts", "h.h.a[15:0]: exact")
    wanted = {"entries": 20, "packets": 1000, "lengths": ("routes=12",)}
    _, ratios, frames = made(tmp_path, tables, "routes.apply(); hosts.apply();", **wanted)
    assert ratios == {"I.routes": 1.0, "I.hosts": 1.0}
    assert len({frame[2:4] for frame in frames}) <= 20 and len(set(frames)) > 100  # the four bits in between


def test_action_data_that_must_be_so_are_a_constant_part_of_a_key(tmp_path: Path) -> None:
    """Packets of even groups are dropped: entries of the first table give the same odd one, which all keys of the second have."""
    tables = table("first", "h.h.a: exact", "choose") + table("second", "m.group: exact; h.h.b: exact")
    apply = (
        "first.apply(); if (m.group[0:0] == 0) { mark_to_drop(s); } else if (!second.apply().hit) { mark_to_drop(s); }"
    )
    counts, ratios, frames = made(tmp_path, tables, apply)
    assert counts == {"I.first": 100, "I.second": 100}
    assert ratios == {"I.first": 1.0, "I.second": 1.0}
    assert len({frame[4:8] for frame in frames}) > 90
