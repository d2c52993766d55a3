"""@refers_to: action data that name entries of other tables."""

from __future__ import annotations

from pathlib import Path

import generated
import pytest
import switches

from macsad import generation
from macsad.compilation import Request

PROGRAM = """
#include <core.p4>
#include <v1model.p4>
header h_t {{ bit<48> neighbour; bit<48> to; bit<16> port; bit<16> kind; bit<16> told; bit<48> told_too; }}
struct H {{ h_t h; }}
struct M {{ bit<16> seven; }}
parser P(packet_in p, out H h, inout M m, inout standard_metadata_t s) {{ state start {{ p.extract(h.h); transition accept; }} }}
control V(inout H h, inout M m) {{ apply {{ }} }}
control I(inout H h, inout M m, inout standard_metadata_t s) {{
    action seen() {{ }}
    action copied(bit<16> group) {{ s.mcast_grp = group; }}
    action via({parameters}) {{ {body} }}
    table groups {{ key = {{ h.h.kind: exact; }} actions = {{ copied; }} size = 16; }}
    table ports {{ key = {{ h.h.port: exact @name("port"); }} actions = {{ seen; }} size = 16; }}
    table neighbours {{
        key = {{ h.h.port: exact @name("port"); h.h.neighbour: exact @name("neighbour"); }}
        actions = {{ seen; }}
    }}
    table sevens {{ key = {{ m.seven: exact @name("seven"); }} actions = {{ seen; }} }}
    table prefixes {{ key = {{ h.h.told: lpm @name("to"); }} actions = {{ seen; }} size = 16; }}
    table routes {{ key = {{ h.h.to: lpm; }} actions = {{ via; }} size = 256; }}
    apply {{ m.seven = 7; s.egress_spec = 1; {first}
        neighbours.apply(); ports.apply(); sevens.apply(); prefixes.apply(); routes.apply();
    }}
}}
control E(inout H h, inout M m, inout standard_metadata_t s) {{ apply {{ }} }}
control D(packet_out p, in H h) {{ apply {{ p.emit(h.h); }} }}
V1Switch(P(), V(), I(), E(), V(), D()) main;
"""


def made(folder: Path, parameters: str, body: str, first: str = "") -> dict[str, list[list[int]]]:
    """The keys of each table's entries, and the action data of routes; multicast groups."""
    program = folder / "program.p4"
    program.write_text(PROGRAM.format(parameters=parameters, body=body, first=first))
    generation.run(Request(program), switches.load(program), generated.order(folder))
    result: dict[str, list[list[int]]] = {}
    for words in generated.commands(folder):
        if words[0] == "mc_mgrp_create":
            result.setdefault("there", []).append([int(words[1])])
        elif words[0] == "table_add":
            arrow = words.index("=>")
            wanted = words[arrow + 1 :] if words[1] == "I.routes" else words[3:arrow]
            result.setdefault(words[1], []).append([int(word.partition("/")[0], 0) for word in wanted])
    return result


def test_parameters_that_refer_to_one_table_name_one_of_its_entries(tmp_path: Path) -> None:
    """The port of a neighbour is in the table of ports, too, which has fewer."""
    refers = "@refers_to(neighbours, port) @refers_to(ports, port) bit<16> port, @refers_to(neighbours, neighbour) bit<48> by"
    entries = made(tmp_path, refers, "h.h.told = port; h.h.told_too = by;")
    ports = [port for (port,) in entries["I.ports"]]
    assert len(entries["I.neighbours"]) == 100 and len(ports) == 16
    assert {port for port, _ in entries["I.neighbours"]} - set(ports)
    assert all(data in entries["I.neighbours"] and data[0] in ports for data in entries["I.routes"])
    assert len({tuple(data) for data in entries["I.routes"]}) > 8


@pytest.mark.parametrize(
    "note",
    [
        "@refers_to(nobody, port)",
        "@refers_to(neighbours, nothing)",
        "@refers_to(prefixes, to)",
        "@refers_to(neighbours)",
        "@refers_to()",
        "@refers(neighbours, port)",
    ],
)
def test_what_is_not_there_is_not_referred_to(tmp_path: Path, note: str) -> None:
    """The values are by chance."""
    entries = made(tmp_path, f"{note} bit<16> port", "h.h.told = port;")
    assert len({data for (data,) in entries["I.routes"]}) > 90


def test_a_reference_that_is_narrower_than_its_key(tmp_path: Path) -> None:
    """The last bits of the key are named."""
    entries = made(tmp_path, "@refers_to(ports, port) bit<12> port", "h.h.told = (bit<16>) port;")
    assert {data for (data,) in entries["I.routes"]} <= {port & 0xFFF for (port,) in entries["I.ports"]}


def test_multicast_groups_that_are_there_are_named(tmp_path: Path) -> None:
    """Those that frames are copied to."""
    note = "@refers_to(builtin::multicast_group_table, multicast_group_id)"
    entries = made(tmp_path, f"{note} bit<16> group", "h.h.told = group;", "mark_to_drop(s); groups.apply();")
    assert entries["there"] and {data for (data,) in entries["I.routes"]} == {group for (group,) in entries["there"]}


def test_frames_go_their_way_with_what_is_named(tmp_path: Path) -> None:
    """Each frame would be dropped with the only entry that could be named, so none is."""
    entries = made(tmp_path, "@refers_to(sevens, seven) bit<16> is", "if (is == 7) { mark_to_drop(s); }")
    assert entries["I.sevens"] == [[7]]
    assert len({data for (data,) in entries["I.routes"]}) > 90
