"""Programs written as BMv2's JSON and read again pass their packet tests: reader and writer agree on what it means."""

from __future__ import annotations

import io
import json
from pathlib import Path

import pytest
import switches
from aux_frontend.bmv2_json.frontend import Bmv2Json
from aux_frontend.bmv2_json.write.document import document

from macsad import simulate, test
from transpiler.diagnostics import Diagnostics, Rejected
from transpiler.frontend import Source
from transpiler.hlir.program import Program
from transpiler.verifier import verify

HERE = Path(__file__).parent
APPS = HERE.parents[1] / "apps"
NAMES = (
    "arithmetic", "arrays", "bmv2_clones", "bmv2_packets", "bmv2_tables", "bound", "calls", "checksum", "constant_keys",
    "flooding", "hash", "headers", "operators", "p4_14_hashes", "p4_14_parser", "p4_14_primitives", "p4_14_state", "parsing",
    "paths", "selectors_ahead", "standard_metadata", "state", "subparsers", "tables",
)  # fmt: skip
UNSAID = {
    "annotations": "While cannot be said",
    "argument_order": "cannot put its result into an element of a stack",
    "bmv2_values": "is applied twice",
    "ciphers": "simple_switch has no primitive for cipher.encrypt",
    "header_unions": "stacks of unions are not written",
    "keys": "is applied twice",
    "meters": "a direct meter has one place for its result",
    "parsers": "If cannot be said",
    "profiles": "has no default action in BMv2's JSON",
    "psa_known": "written of programs for v1model",
}


def again(program: Path, folder: Path) -> Program:
    """The program by way of a file."""
    made = folder / f"{program.stem}.json"
    made.write_text(json.dumps(document(switches.load(program), Diagnostics())))
    read = Bmv2Json().load(Source(made), Diagnostics())
    verify(read)
    return read


@pytest.mark.parametrize("name", NAMES)
def test_what_was_written_is_read_as_the_same_program(name: str, tmp_path: Path) -> None:
    out = io.StringIO()
    assert simulate.run(again(HERE / f"{name}.p4", tmp_path), HERE / f"{name}.stf", out=out) == 0, out.getvalue()


def test_headers_of_variable_length_say_their_bytes() -> None:
    """BMv2 needs it, this reader does not."""
    types = document(switches.load(HERE / "parsing.p4"), Diagnostics())["header_types"]
    assert {one["name"]: one["max_length"] for one in types if "max_length" in one} == {"option_t": 15}


def test_a_switch_of_it_is_the_same(tmp_path: Path) -> None:
    app = APPS / "l3fwd"
    read = again(app / "l3fwd.p4", tmp_path)
    out = io.StringIO()
    binary = switches.build(tmp_path / "l3fwd.json")
    assert test.run(read, app / "packets.stf", binary, out=out) == 0, out.getvalue()


@pytest.mark.parametrize(("name", "told"), UNSAID.items())
def test_what_the_format_cannot_say_is_told(name: str, told: str) -> None:
    diagnostics = Diagnostics()
    with pytest.raises(Rejected):
        document(switches.load(HERE / f"{name}.p4"), diagnostics)
    assert told in diagnostics.render()
    assert f"{name}.p4:" in diagnostics.render()


def test_who_may_change_entries_is_kept(tmp_path: Path) -> None:
    """BMv2 has no word for entries that can be changed. Also where there are none."""
    source = (HERE.parent / "p4runtime" / "own_entries.p4").read_text()
    program = tmp_path / "own.p4"
    begin = source.index("const entries")
    end = source.index("}", begin)
    for text in (source, source[:begin] + "const entries = {" + source[end:]):
        program.write_text(text)
        before, after = switches.load(program), again(program, tmp_path)
        for table in before.tables:
            there = after.table[table.name]
            assert there.const_entries is table.const_entries is (table.name == "I.const_t")
            if table.name != "I.prefix_t":  # where the longest prefix wins
                assert [entry.priority for entry in there.entries] == [entry.priority for entry in table.entries]
            assert [entry.call.action for entry in there.entries] == [entry.call.action for entry in table.entries]


def test_a_meter_whose_result_nobody_reads(tmp_path: Path) -> None:
    """It has a place all the same: the format wants one."""
    read = again(HERE.parent / "c" / "edges.p4", tmp_path)
    assert "I.pace" in read.table["I.paced"].direct
