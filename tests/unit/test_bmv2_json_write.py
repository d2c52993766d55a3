"""What programs become as BMv2's JSON, and that the reader takes it for the same program. docs/JSON_format.md of BMv2."""

from __future__ import annotations

import json
from itertools import product
from pathlib import Path
from typing import Any

import pytest
from aux_frontend.bmv2_json.frontend import Bmv2Json
from aux_frontend.bmv2_json.write.document import document
from aux_frontend.bmv2_json.write.parsers import _prefixes
from aux_frontend.p4_14.frontend import P4_14
from aux_frontend.p4_16.frontend import P4_16
from aux_frontend.v1model.intrinsics import INTRINSICS
from test_bmv2_json import document as json_document
from test_bmv2_json_parser import NEXT, does as op, with_stack
from test_bmv2_json_values import with_unions

from transpiler.diagnostics import Diagnostics, Rejected
from transpiler.frontend import Source
from transpiler.hlir.printer import print_program
from transpiler.hlir.program import Program
from transpiler.hlir.types import Bits
from transpiler.interpreter import Switch
from transpiler.interpreter.matches import Exact
from transpiler.verifier import verify

Json = Any
PROGRAM = """
#include <core.p4>
#include <v1model.p4>
{top}
header h_t {{ bit<8> a; bit<8> b; int<8> c; bit<16> d; }}
struct H {{ h_t h; h_t[2] s; }}
struct M {{ bit<8> m; bit<12> n; bool t; @field_list(1) bit<8> kept; }}
parser P(packet_in packet, out H hdr, inout M meta, inout standard_metadata_t sm) {{
    {values}
    state start {{ packet.extract(hdr.h); {parser} }}
    state more {{ meta.m = 9; {more} transition accept; }}
    state last {{ meta.m = 7; transition accept; }}
}}
control V(inout H hdr, inout M meta) {{ apply {{ }} }}
control I(inout H hdr, inout M meta, inout standard_metadata_t sm) {{
    {control}
    apply {{ {ingress} }}
}}
control E(inout H hdr, inout M meta, inout standard_metadata_t sm) {{ apply {{ {egress} }} }}
control C(inout H hdr, inout M meta) {{ apply {{ }} }}
control D(packet_out packet, in H hdr) {{ apply {{ packet.emit(hdr.h); packet.emit(hdr.s); }} }}
V1Switch(P(), V(), I(), E(), C(), D()) main;
"""
PARTS = {
    "top": "", "values": "", "parser": "transition accept;", "more": "", "control": "", "ingress": "", "egress": "",
}  # fmt: skip
FRAMES = [bytes((a, b, c, 0x12, 0x34, 0x99)) for a, b, c in product((0, 1, 3, 0x80, 0xFF), (2, 0xF0), (1, 0x80))]


def loaded(tmp_path: Path, **parts: str) -> Program:
    file = tmp_path / "w.p4"
    file.write_text(PROGRAM.format(**{**PARTS, **parts}))
    program = P4_16().load(Source(file), Diagnostics())
    verify(program)
    return program


def written(program: Program) -> Json:
    return json.loads(json.dumps(document(program, Diagnostics())))


def again(tmp_path: Path, made: Json) -> Program:
    file = tmp_path / "w.json"
    file.write_text(json.dumps(made))
    read = Bmv2Json().load(Source(file), Diagnostics())
    verify(read)
    return read


def same(tmp_path: Path, program: Program) -> Json:
    """The JSON, after both have sent the same for all frames: at least for one of them something that differs from it."""
    made = written(program)
    before, after = Switch(program), Switch(again(tmp_path, made))
    changed = False
    for frame in FRAMES:
        sent = before.process(1, frame)
        assert after.process(1, frame) == sent, frame.hex()
        changed |= sent != [(0, frame)]
    assert changed
    return made


def refusal(program: Program) -> str:
    diagnostics = Diagnostics()
    with pytest.raises(Rejected):
        document(program, diagnostics)
    return diagnostics.render()


IFS = "if (hdr.h.a == 1) {{ hdr.h.b = 1; }} else if (hdr.h.a == 3) {{ hdr.h.b = 2; {exit} }} else {{ hdr.h.b = 3; }} hdr.h.d = 7;"


@pytest.mark.parametrize(
    "statements",
    [
        IFS.format(exit=""),
        "if (hdr.h.a > 1) { hdr.h.b = 1; } hdr.h.d = (bit<16>) hdr.h.a;",
        "if (hdr.h.a > 1) { } else { hdr.h.b = 1; } hdr.h.d = 1;",
        "if (hdr.h.a > 1) { if (hdr.h.b > 1) { hdr.h.d = 1; } hdr.h.d = hdr.h.d + 1; } else { hdr.h.d = 5; }",
        "if (hdr.h.a == 3) { return; } hdr.h.d = 1;",
        "if (hdr.h.a == 3) { if (hdr.h.b == 2) { return; } hdr.h.d = 3; } else { hdr.h.d = 2; } hdr.h.b = 9;",
        "switch (hdr.h.a) { 1: { hdr.h.d = 1; } 3: 0x80: { hdr.h.d = 2; } default: { hdr.h.d = 3; } } hdr.h.b = 9;",
        "switch (hdr.h.a) { 1: { hdr.h.d = 1; } 3: { hdr.h.d = 2; } } hdr.h.b = 9;",
    ],
)
def test_flow_in_actions_and_in_controls(statements: str, tmp_path: Path) -> None:
    """As jumps, and as conditions and tables that always run their action."""
    control = f"action act() {{ {statements} }} table t {{ actions = {{ act; }} const default_action = act; }}"
    if "switch" not in statements:
        made = same(tmp_path, loaded(tmp_path, control=control, ingress="t.apply();"))
        ops = [call["op"] for one in made["actions"] for call in one["primitives"]]
        assert "_jump_if_zero" in ops
    made = same(tmp_path, loaded(tmp_path, ingress=statements.replace("return", "exit")))
    (ingress, egress) = made["pipelines"]
    assert ingress["conditionals"] and egress["conditionals"] == []
    for kind in ("tables", "conditionals"):
        assert [one["id"] for one in ingress[kind]] == list(range(len(ingress[kind])))
    assert all(one["default_entry"]["action_entry_const"] is True for one in ingress["tables"])


@pytest.mark.parametrize(
    "value",
    [
        "hdr.h.a + hdr.h.b", "hdr.h.a - hdr.h.b", "hdr.h.a * hdr.h.b", "-hdr.h.a", "~hdr.h.a", "hdr.h.a |+| hdr.h.b",
        "hdr.h.a |-| hdr.h.b", "hdr.h.a << 3", "hdr.h.a >> 2", "hdr.h.a / 3", "hdr.h.a % 3", "hdr.h.a & hdr.h.b",
        "hdr.h.a | hdr.h.b", "hdr.h.a ^ hdr.h.b", "(bit<8>) (hdr.h.c + 100)", "(bit<8>) (hdr.h.c |+| 100)",
        "(bit<8>) (hdr.h.c |-| 100)", "(bit<8>) (hdr.h.c >> 2)", "(bit<8>) -hdr.h.c", "(bit<8>) ~hdr.h.c", "hdr.h.d[11:4]",
        "hdr.h.d[7:0]", "hdr.h.a[3:0] ++ hdr.h.b[7:4]", "(bit<8>) hdr.h.c[7:4]", "(bit<8>) (hdr.h.c ++ hdr.h.a)[15:8]",
        "hdr.h.a > hdr.h.b ? hdr.h.a : hdr.h.b", "(hdr.h.a + hdr.h.b) >> 1", "(bit<8>) (((bit<9>) hdr.h.a + 7) >> 1)",
        "(bit<8>) (bit<1>) (hdr.h.c < 0)", "(bit<8>) (bit<1>) (hdr.h.a <= hdr.h.b && !(hdr.h.c >= 3))",
        "(bit<8>) (bit<1>) (hdr.h.a != 3 || hdr.h.b == 2)", "(bit<8>) (bit<16>) (int<16>) hdr.h.c",
        "(bit<8>) ((bit<16>) (int<16>) hdr.h.c >> 4)", "(bit<8>) (bit<4>) hdr.h.a", "(bit<8>) ((int<8>) hdr.h.a >> 4)",
        "(bit<8>) (bit<1>) hdr.h.isValid()", "(bit<8>) (bit<1>) ((bool) hdr.h.a[0:0] ? hdr.h.b > 2 : hdr.h.c > 0)",
        "(bit<8>) (bit<1>) (hdr.h == hdr.s[0])", "(bit<8>) (bit<1>) (hdr.h.c > -2)", "(bit<8>) (hdr.h.c - -3)",
    ],
)  # fmt: skip
def test_values_are_cut_where_hlir_cuts_them(value: str, tmp_path: Path) -> None:
    same(tmp_path, loaded(tmp_path, ingress=f"hdr.h.b = {value}; hdr.h.d = 1;"))


@pytest.mark.parametrize(
    ("statements", "op"),
    [
        ("hdr.s[0].setValid(); hdr.s[0].d = 4;", "add_header"),
        ("hdr.h.setInvalid();", "remove_header"),
        ("hdr.s[1] = hdr.h;", "assign_header"),
        ("hdr.s[1] = hdr.h; hdr.s.pop_front(1);", "assign_header"),
        ("hdr.s[0] = hdr.h; hdr.s.push_front(1);", "assign_header"),
        (
            "hash(hdr.h.d, HashAlgorithm.crc16, (bit<16>) 0, { hdr.h.a + 1, hdr.h.b + 2, hdr.h.a ^ hdr.h.b }, (bit<32>) 65536);",
            "modify_field_with_hash_based_offset",
        ),
        ("hdr.s[(bit<32>) hdr.h.a[0:0]].setValid(); hdr.s[(bit<32>) hdr.h.a[0:0]].d = 5;", "add_header"),
        ("truncate(3);", "truncate"),
        (
            "hash(hdr.h.d, HashAlgorithm.crc16, (bit<16>) 0, { hdr.h.a, 8w7, meta.m }, (bit<32>) 65536);",
            "modify_field_with_hash_based_offset",
        ),
        (
            "hash(hdr.h.d, HashAlgorithm.csum16, (bit<16>) 5, { hdr.h.a + 1 }, (bit<16>) 100);",
            "modify_field_with_hash_based_offset",
        ),
        ("random(hdr.h.d, 16w5, 16w5);", "modify_field_rng_uniform"),
        ('log_msg("a {}", { hdr.h.a }); hdr.h.d = 1;', "log_msg"),
        ("assert(hdr.h.a == hdr.h.a); hdr.h.d = 1;", "assert"),
        ("digest<bit<8>>(1, hdr.h.a); digest<bit<8>>(2, hdr.h.a + 1); hdr.h.d = 1;", "generate_digest"),
    ],
)
def test_statements_as_primitives(statements: str, op: str, tmp_path: Path) -> None:
    made = same(tmp_path, loaded(tmp_path, ingress=statements))
    assert any(call["op"] == op for one in made["actions"] for call in one["primitives"])
    if "digest" in op:
        assert [one["id"] for one in made["learn_lists"]] == [1, 2]


@pytest.mark.parametrize(("algorithm", "size"), [("crc16", 1 << 16), ("crc32", 1 << 32), ("identity", 1 << 64)])
def test_a_hash_is_of_all_its_bits(algorithm: str, size: int, tmp_path: Path) -> None:
    """The size that it is the rest of is what none of its values reach."""
    made = written(
        loaded(tmp_path, ingress=f"hash(hdr.h.d, HashAlgorithm.{algorithm}, (bit<16>) 0, {{ hdr.h.a }}, (bit<32>) 9);")
    )
    call, *_ = [
        call
        for one in made["actions"]
        for call in one["primitives"]
        if call["op"] == "modify_field_with_hash_based_offset"
    ]
    assert call["parameters"][1:] == [
        {"type": "hexstr", "value": "0x0"}, {"type": "calculation", "value": "calc_0"}, {"type": "hexstr", "value": hex(size)},
    ]  # fmt: skip


def test_state_is_kept_by_number_and_name(tmp_path: Path) -> None:
    control = """register<bit<8>>(4) r; counter(3, CounterType.packets) c; meter(5, MeterType.bytes) mt;
        direct_counter(CounterType.bytes) dc;
        table t { key = { hdr.h.a: exact; } actions = { NoAction; } counters = dc; }"""
    ingress = """r.read(hdr.h.b, (bit<32>) hdr.h.a[1:0]); r.write((bit<32>) hdr.h.a[1:0], hdr.h.a); c.count(2); t.apply();
        mt.execute_meter((bit<32>) 4, meta.m);"""
    made = same(tmp_path, loaded(tmp_path, control=control, ingress=ingress))
    registers, counters, meters = (made[f"{kind}_arrays"] for kind in ("register", "counter", "meter"))
    assert registers == [{"name": "I.r", "id": 0, "is_direct": False, "size": 4, "bitwidth": 8}]
    assert counters == [
        {"name": "I.c", "id": 0, "is_direct": False, "size": 3}, {"name": "I.dc", "id": 1, "is_direct": True, "binding": "I.t"},
    ]  # fmt: skip
    assert meters == [{"name": "I.mt", "id": 0, "is_direct": False, "size": 5, "rate_count": 2, "type": "bytes"}]
    (table,) = [one for one in made["pipelines"][0]["tables"] if one["name"] == "I.t"]
    assert table["with_counters"] is True and table["direct_meters"] is None


def test_meters_of_entries_have_one_place_for_their_result(tmp_path: Path) -> None:
    """A counter or a meter that no table has is left out."""
    control = """direct_meter<bit<8>>(MeterType.packets) dm; direct_counter(CounterType.bytes) unused;
        action one() { dm.read(meta.m); } action two() { dm.read(TARGET); }
        table t { key = { hdr.h.a: exact; } actions = { one; two; NoAction; } meters = dm; default_action = NoAction; }"""
    ingress = "t.apply(); hdr.h.d = (bit<16>) meta.m;"
    made = same(tmp_path, loaded(tmp_path, control=control.replace("TARGET", "meta.m"), ingress=ingress))
    assert made["meter_arrays"] == [
        {
            "name": "I.dm", "id": 0, "is_direct": True, "binding": "I.t", "rate_count": 2, "type": "packets",
            "result_target": ["scalars", "meta.m"],
        }
    ]  # fmt: skip
    assert made["counter_arrays"] == []
    refused = loaded(tmp_path, control=control.replace("TARGET", "meta.kept"), ingress=ingress)
    assert "a direct meter has one place for its result" in refusal(refused)


@pytest.mark.parametrize(
    ("parser", "cases"),
    [
        ("transition select(hdr.h.a) { 3: more; default: accept; }", 2),
        ("transition select(hdr.h.a) { 1 &&& 1: more; }", 2),
        ("transition select(hdr.h.a) { 3 &&& 1: more; default: last; }", 2),
        ("transition select(hdr.h.a) { 1 .. 0x81: more; default: last; }", 9),
        ("transition select(hdr.h.a, hdr.h.b) { (3, 2): more; (_, 0xF0): last; (1, _): last; default: accept; }", 4),
        (
            "transition select(hdr.h.a[2:0], hdr.h.d[11:0]) { (3, 0x234): more; (1 &&& 1, _): last; default: accept; }",
            3,
        ),
        ("transition select(hdr.h.b + 1, hdr.h.c) { (3, -1): more; (1, -128): last; default: accept; }", 3),
        ("transition select(packet.lookahead<bit<8>>(), hdr.h.a) { (0x99, 3): more; default: last; }", 2),
        ("transition select(hdr.h.a) { 3: more; 1: reject; default: accept; }", 3),
        ("verify(hdr.h.a != 3, error.NoMatch); transition more;", 1),
        ("meta.m = hdr.h.a; packet.advance(8); transition accept;", 1),
        ("bit<8> here = packet.lookahead<bit<8>>(); meta.m = here; transition select(here) { 0x99: more; }", 2),
        ("transition select((bit<1>) (hdr.h.a > 2)) { 1: more; default: last; }", 2),
    ],
)
def test_states_of_the_parser(parser: str, cases: int, tmp_path: Path) -> None:
    """What a select has no case for is an error; `reject` is the end."""
    error = "if (sm.parser_error != error.NoError) { hdr.h.b = 0x5A; }"
    made = same(tmp_path, loaded(tmp_path, parser=parser, ingress=f"hdr.h.d = (bit<16>) meta.m; {error}"))
    (parse,) = made["parsers"]
    assert [state["id"] for state in parse["parse_states"]] == list(range(len(parse["parse_states"])))
    (start,) = [state for state in parse["parse_states"] if state["name"] == "start"]
    assert len(start["transitions"]) == cases
    for one in start["transitions"]:  # BMv2 compares with the value as it is, of the key what the mask leaves
        assert one["mask"] is None or int(one["value"], 16) & ~int(one["mask"], 16) == 0
    assert any(state["name"] == "$noMatch" for state in parse["parse_states"]) is (
        "default" not in parser and "select" in parser
    )


def test_stacks_are_extracted_one_after_the_other(tmp_path: Path) -> None:
    made = same(tmp_path, loaded(tmp_path, parser="transition accept;", ingress="hdr.s[0].setValid(); hdr.h.d = 3;"))
    assert [(stack["name"], stack["size"], len(stack["header_ids"])) for stack in made["header_stacks"]] == [
        ("hdr.s", 2, 2)
    ]
    headers = {header["id"]: header["name"] for header in made["headers"]}
    assert [headers[number] for number in made["header_stacks"][0]["header_ids"]] == ["hdr.s[0]", "hdr.s[1]"]


@pytest.mark.parametrize(("low", "high"), [*product((0, 1, 2, 5), (5, 6, 7)), (0, 15), (15, 15), (7, 8), (8, 15)])
def test_a_range_is_the_prefixes_that_have_its_values(low: int, high: int) -> None:
    found = _prefixes(low, high, 15)
    matched = [n for n in range(16) for value, mask in found if n & mask == value]
    assert matched == list(range(low, high + 1))


TABLE = """action put(bit<8> v, bit<16> w) {{ hdr.h.b = v; hdr.h.d = w; }} action other() {{ hdr.h.b = 0x77; }}
    table t {{ key = {{ {key} }} actions = {{ put; other; }} default_action = {default}; {more} }}"""


@pytest.mark.parametrize(
    ("key", "entries", "kind", "match"),
    [
        ("hdr.h.a: exact;", "3: put(1, 2);", "exact", [{"match_type": "exact", "key": "0x3"}]),
        ("hdr.h.c: exact;", "-128: put(1, 2);", "exact", [{"match_type": "exact", "key": "0x80"}]),
        ("hdr.h.a: lpm;", "0x80 &&& 0x80: put(1, 2);", "lpm", [{"match_type": "lpm", "key": "0x80", "prefix_length": 1}]),
        ("hdr.h.a: lpm;", "3: put(1, 2);", "lpm", [{"match_type": "lpm", "key": "0x3", "prefix_length": 8}]),
        ("hdr.h.a: ternary;", "1 &&& 3: put(1, 2);", "ternary", [{"match_type": "ternary", "key": "0x1", "mask": "0x3"}]),
        ("hdr.h.a: ternary;", "_: put(1, 2);", "ternary", [{"match_type": "ternary", "key": "0x0", "mask": "0x0"}]),
        ("hdr.h.a: optional;", "3: put(1, 2);", "ternary", [{"match_type": "ternary", "key": "0x3", "mask": "0xff"}]),
        ("hdr.h.a: range;", "1 .. 4: put(1, 2);", "range", [{"match_type": "range", "start": "0x1", "end": "0x4"}]),
        ("hdr.h.a: range;", "3: put(1, 2);", "range", [{"match_type": "range", "start": "0x3", "end": "0x3"}]),
        ("hdr.h.a: range;", "_: put(1, 2);", "range", [{"match_type": "range", "start": "0x0", "end": "0xff"}]),
        (
            "hdr.h.b: exact; hdr.h.a: lpm;", "(2, 0x80 &&& 0x80): put(1, 2);", "lpm",
            [{"match_type": "exact", "key": "0x2"}, {"match_type": "lpm", "key": "0x80", "prefix_length": 1}],
        ),
        (
            "hdr.h.a: lpm; hdr.h.b: ternary;", "(0x80 &&& 0x80, 2): put(1, 2);", "ternary",
            [
                {"match_type": "lpm", "key": "0x80", "prefix_length": 1},
                {"match_type": "ternary", "key": "0x2", "mask": "0xff"},
            ],
        ),
        (
            'hdr.h.a + 1: exact @name("k"); hdr.h.b + 1: exact @name("l");', "(4, 3): put(1, 2);", "exact",
            [{"match_type": "exact", "key": "0x4"}, {"match_type": "exact", "key": "0x3"}],
        ),
        (
            "hdr.h.a: ternary; hdr.h.b: range;", "(3, 1 .. 2): put(1, 2);", "range",
            [{"match_type": "ternary", "key": "0x3", "mask": "0xff"}, {"match_type": "range", "start": "0x1", "end": "0x2"}],
        ),
        ('hdr.h.a + 1: exact @name("k");', "4: put(1, 2);", "exact", [{"match_type": "exact", "key": "0x4"}]),
        ('hdr.h.a[3:0]: exact @name("k");', "0xF: put(1, 2);", "exact", [{"match_type": "exact", "key": "0xf"}]),
        ('hdr.s[0].isValid(): exact @name("k");', "false: put(1, 2);", "exact", [{"match_type": "exact", "key": "0x0"}]),
    ],
)  # fmt: skip
def test_entries(key: str, entries: str, kind: str, match: list[Json], tmp_path: Path) -> None:
    more = f"const entries = {{ {entries} }} size = 9;"
    program = loaded(tmp_path, control=TABLE.format(key=key, default="other", more=more), ingress="t.apply();")
    made = same(tmp_path, program)
    (table,) = [one for one in made["pipelines"][0]["tables"] if one["name"] == "I.t"]
    assert (table["match_type"], table["type"], table["max_size"]) == (kind, "simple", 9)
    (entry,) = table["entries"]
    assert entry["match_key"] == match
    assert entry["action_entry"]["action_data"] == ["0x1", "0x2"]
    assert [one["match_type"] for one in table["key"]] == [one["match_type"] for one in match]
    assert table["default_entry"]["action_const"] is table["default_entry"]["action_entry_const"] is False
    assert table["actions"] == ["I.put", "I.other"]


@pytest.mark.parametrize("constant", [True, False])
@pytest.mark.parametrize("ages", [True, False])
def test_what_can_be_changed_of_a_table(constant: bool, ages: bool, tmp_path: Path) -> None:
    word = "const " if constant else ""
    more = f"{word}entries = {{ 1: put(1, 2); }} support_timeout = {str(ages).lower()};"
    control = TABLE.format(key="hdr.h.a: exact;", default="other", more=more).replace("default_", f"{word}default_")
    made = same(tmp_path, loaded(tmp_path, control=control, ingress="t.apply();"))
    (table,) = [one for one in made["pipelines"][0]["tables"] if one["name"] == "I.t"]
    assert table["default_entry"]["action_const"] is table["default_entry"]["action_entry_const"] is constant
    assert table["support_timeout"] is ages and table.get("entries_const", True) is constant
    read = again(tmp_path, made).table["I.t"]
    assert (read.const_default, read.const_entries, read.ages) == (constant, constant, ages)


@pytest.mark.parametrize(
    ("apply", "following"),
    [
        ("t.apply();", "each"),
        ("if (t.apply().hit) { hdr.h.c = 1; } else { hdr.h.c = 2; }", "hit"),
        ("if (t.apply().miss) { hdr.h.c = 1; }", "hit"),
        ("switch (t.apply().action_run) { put: { hdr.h.c = 5; } default: { hdr.h.c = 6; } }", "each"),
        ("switch (t.apply().action_run) { put: { hdr.h.c = 5; } }", "each"),
    ],
)
def test_what_comes_after_a_table(apply: str, following: str, tmp_path: Path) -> None:
    for entries in ("1: put(1, 2); 3: other();", ""):
        more = f"const entries = {{ {entries} }}" if entries else ""
        control = TABLE.format(key="hdr.h.a: exact;", default="other", more=more)
        made = same(
            tmp_path,
            loaded(tmp_path, control=control, ingress=f"{apply} hdr.s[0].setInvalid(); hdr.h.b = hdr.h.b + 1;"),
        )
        (table,) = [one for one in made["pipelines"][0]["tables"] if one["name"] == "I.t"]
        names = ["__HIT__", "__MISS__"] if following == "hit" else ["I.put", "I.other"]
        assert list(table["next_tables"]) == names
        assert table["base_default_next"] == table["next_tables"][names[1]]


def test_actions_have_their_data_by_number(tmp_path: Path) -> None:
    """Within an expression they have another name."""
    control = """action put(bit<8> v, bit<16> w) { if (hdr.h.b == v) { hdr.h.d = w; } hdr.h.a = v; hdr.h.c = (int<8>) (v + 1); }
        table t { key = { hdr.h.a: exact; } actions = { put; NoAction; } default_action = NoAction;
            const entries = { 1: put(2, 0x102); 3: put(0xFF, 9); } }"""
    made = same(tmp_path, loaded(tmp_path, control=control, ingress="t.apply();"))
    (put,) = [one for one in made["actions"] if one["name"] == "I.put"]
    assert put["runtime_data"] == [{"name": "v", "bitwidth": 8}, {"name": "w", "bitwidth": 16}]
    assert {"type": "runtime_data", "value": 1} in put["primitives"][1]["parameters"]
    assert '{"type": "local", "value": 0}' in json.dumps(put)


@pytest.mark.parametrize(
    "value",
    [
        "hdr.h.a == 1 ? v : 8w7", "hdr.h.b == 2 ? 8w7 : v", "~v", "-v", "v + 1", "7 - v", "v[5:2] ++ hdr.h.a[3:0]", "hdr.h.a ^ v",
        "(bit<8>) (v ++ v)", "v |+| 9", "(bit<8>) (int<8>) v + 1", "v > 2 ? hdr.h.a : hdr.h.b", "hdr.h.a >> v",
        "(bit<8>) (bit<4>) v",
    ],
)  # fmt: skip
def test_within_an_expression_data_are_local(value: str, tmp_path: Path) -> None:
    """docs/JSON_format.md, "expression": runtime data of the action are of type `local` there."""
    control = f"""action put(bit<8> v) {{ hdr.h.b = {value}; hdr.h.d = 3; }}
        table t {{ key = {{ hdr.h.a: exact; }} actions = {{ put; }} default_action = put(5);
            const entries = {{ 1: put(2); }} }}"""
    made = same(tmp_path, loaded(tmp_path, control=control, ingress="t.apply();"))
    (put,) = [one for one in made["actions"] if one["name"] == "I.put"]
    assert '{"type": "local", "value": 0}' in json.dumps(put) and "runtime_data" not in json.dumps(put["primitives"])


def test_second_passes_keep_their_fields(tmp_path: Path) -> None:
    ingress = """if (sm.instance_type == 0) { meta.kept = hdr.h.a; resubmit_preserving_field_list(1); }
        else { hdr.h.b = meta.kept; hdr.h.d = (bit<16>) sm.instance_type; }"""
    made = same(tmp_path, loaded(tmp_path, ingress=ingress))
    assert made["field_lists"] == [
        {"id": 1, "name": "list_1", "elements": [{"type": "field", "value": ["scalars", "meta.kept"]}]}
    ]
    made = written(loaded(tmp_path, ingress="clone(CloneType.I2E, 5);", egress="recirculate_preserving_field_list(2);"))
    calls = {call["op"]: call["parameters"] for one in made["actions"] for call in one["primitives"]}
    assert calls["clone_ingress_pkt_to_egress"][1] == calls["recirculate"][0] == {"type": "hexstr", "value": "0x0"}


def test_value_sets(tmp_path: Path) -> None:
    parts = {
        "values": "value_set<bit<8>>(6) vs;", "parser": "transition select(hdr.h.a) { vs: more; default: last; }",
        "ingress": "hdr.h.b = meta.m;",
    }  # fmt: skip
    program = loaded(tmp_path, **parts)
    made = same(tmp_path, program)
    assert made["parse_vsets"] == [{"name": "P.vs", "id": 0, "size": 6, "compressed_bitwidth": 8}]
    for one in (program, again(tmp_path, made)):
        switch = Switch(one)
        switch.value_set_add("P.vs", (Exact(3),))
        assert switch.process(1, b"\x03" + FRAMES[0][1:])[0][1][1] == 9


@pytest.mark.parametrize(
    ("kind", "selects"), [("action_profile(7)", False), ("action_selector(HashAlgorithm.crc16, 7, 14)", True)]
)
def test_action_profiles(kind: str, selects: bool, tmp_path: Path) -> None:
    selector = "hdr.h.b: selector; hdr.h.d: selector;" if selects else ""
    control = f"""{kind} p; action put(bit<8> v) {{ hdr.h.b = v; }}
        table t {{ key = {{ hdr.h.a: exact; {selector} }} actions = {{ put; NoAction; }} default_action = NoAction;
            implementation = p; }}
        {kind} q;
        table u {{ key = {{ hdr.h.c: exact; {selector} }} actions = {{ put; NoAction; }} implementation = q; }}
        table v {{ key = {{ hdr.h.d: exact; {selector} }} actions = {{ put; NoAction; }} implementation = p; }}"""
    program = loaded(tmp_path, control=control, ingress="t.apply(); u.apply(); v.apply(); hdr.h.d = 1;")
    made = same(tmp_path, program)
    fields = [{"type": "field", "value": ["hdr.h", name]} for name in "bd"]
    selecting = {"selector": {"algo": "crc16", "input": fields}} if selects else {}
    found = sorted(made["pipelines"][0]["action_profiles"], key=lambda one: one["name"])
    assert [one | {"id": 0} for one in found] == [{"name": f"I.{n}", "id": 0, "max_size": 7} | selecting for n in "pq"]
    assert {one["id"] for one in found} == {0, 1}
    (table,) = [one for one in made["pipelines"][0]["tables"] if one["name"] == "I.t"]
    assert (table["type"], table["action_profile"]) == ("indirect_ws" if selects else "indirect", "I.p")
    assert "default_entry" not in table and len(table["key"]) == 1
    read = again(tmp_path, made)
    assert [key.match_kind for key in read.table["I.t"].keys] == [key.match_kind for key in program.table["I.t"].keys]


def test_fields_of_the_switch(tmp_path: Path) -> None:
    made = written(loaded(tmp_path, ingress="sm.mcast_grp = 1; hdr.h.d = (bit<16>) sm.enq_qdepth; meta.t = true;"))
    assert ["intrinsic_metadata.mcast_grp", ["standard_metadata", "mcast_grp"]] in made["field_aliases"]
    assert ["queueing_metadata.enq_qdepth", ["standard_metadata", "enq_qdepth"]] in made["field_aliases"]
    assert not any(name.startswith("standard_metadata.ingress_port") for name, _ in made["field_aliases"])
    types = {one["name"]: {field[0]: field[1:] for field in one["fields"]} for one in made["header_types"]}
    assert all(
        header == "standard_metadata" and name in types["standard_metadata_t"]
        for _, (header, name) in made["field_aliases"]
    )
    assert types["h_t"] == {"a": [8, False], "b": [8, False], "c": [8, True], "d": [16, False]}
    assert types["scalars_t"]["meta.n"] == [12, False] and types["scalars_t"]["meta.t"] == [1, False]
    assert types["standard_metadata_t"]["ingress_port"] == [9] and types["standard_metadata_t"]["parser_error"] == [32]
    assert [one["id"] for one in made["header_types"]] == list(range(len(made["header_types"])))
    assert {one["name"] for one in made["headers"] if one["metadata"]} == {"scalars", "standard_metadata"}
    places = [(one["source_info"]["line"], one["source_info"]["column"]) for one in made["pipelines"]]
    text = (tmp_path / "w.p4").read_text().splitlines()
    assert [text[line - 1][column:][:2] for line, column in places] == ["I(", "E("], "columns count from 0"
    assert made["errors"][:3] == [["NoError", 0], ["PacketTooShort", 1], ["NoMatch", 2]]
    assert [(one["name"], one["source_info"]["source_fragment"]) for one in made["pipelines"]] == [
        ("ingress", "I"),
        ("egress", "E"),
    ]


@pytest.mark.parametrize(
    ("parts", "told"),
    [
        ({"ingress": "for (bit<8> i in 1 .. 3) { hdr.h.a = hdr.h.a - i; }"}, "While cannot be said"),
        ({"parser": "if (hdr.h.a > 3) { meta.m = 1; } transition accept;"}, "If cannot be said"),
        (
            {
                "control": TABLE.format(key="hdr.h.a: exact;", default="other", more=""),
                "ingress": "if (t.apply().hit) { hdr.h.c = 1; } else { t.apply(); }",
            },
            "I.t is applied twice",
        ),
        (
            {
                "control": """action_profile(7) p; action put(bit<8> v) { hdr.h.b = v; }
                    table t { key = { hdr.h.a: exact; } actions = { put; } default_action = put(3); implementation = p; }""",
                "ingress": "t.apply();",
            },
            "a table of an action profile has no default action",
        ),
        (
            {
                "control": "register<bit<8>>(4) r;",
                "ingress": "hdr.s[0].setValid(); r.read(hdr.s[(bit<32>) hdr.h.a[0:0]].a, 1);",
            },
            "cannot put its result into an element of a stack",
        ),
        (
            {"parser": "transition select(hdr.h.c) { -3 .. 4: more; default: accept; }"},
            "this set of values cannot be said",
        ),
    ],
)
def test_what_cannot_be_said(parts: dict[str, str], told: str, tmp_path: Path) -> None:
    assert told in refusal(loaded(tmp_path, **parts))


@pytest.mark.parametrize(
    ("done", "operation"),
    [
        (
            op("extract_VL", NEXT, {"type": "hexstr", "value": "0x10"}),
            op(
                "extract_VL",
                NEXT,
                {"type": "expression", "value": {"type": "expression", "value": {"type": "hexstr", "value": "0x10"}}},
            ),
        ),
    ],
)
def test_elements_of_variable_width_are_extracted(done: Json, operation: Json, tmp_path: Path) -> None:
    program = again(tmp_path, with_stack(done))
    made = written(program)
    (start,) = made["parsers"][0]["parse_states"]
    assert operation in start["parser_ops"]
    assert [one.get("max_length") for one in made["header_types"]] == [None, 9, None, None]
    assert lines_of(again(tmp_path, made)) == lines_of(program)


def lines_of(program: Program) -> list[str]:
    """What the parser extracts, a line each."""
    body = print_program(program).partition("    state start {\n")[2].partition("\n    }\n")[0]
    return [line.strip() for line in body.splitlines() if "extract(" in line]


def test_stacks_of_unions_are_refused(tmp_path: Path) -> None:
    assert "stacks of unions are not written as BMv2's JSON" in refusal(again(tmp_path, with_unions(kinds="mn")))


def test_fields_of_the_switch_are_as_wide_as_v1model_declares_them(tmp_path: Path) -> None:
    """Whatever a program calls them; qid is BMv2's alone."""
    program = loaded(tmp_path)
    declared = {name: program.variable[variable].type for name, variable in program.intrinsics}
    known = dict(INTRINSICS.values())
    assert {name: type_ for name, type_ in known.items() if name != "qid"} == {
        name: declared[name] for name in known if name != "qid"
    }
    assert known["qid"] == Bits(8)
    assert all(
        name == field or (field, name) == ("egress_instance", "egress_rid")
        for (_, field), (name, _) in INTRINSICS.items()
    )


def test_fields_of_variable_width_have_an_assignment_of_their_own(tmp_path: Path) -> None:
    top = "header v_t { bit<8> n; varbit<32> v; }"
    ingress = (
        "v_t one; v_t two; one.setValid(); two.setValid(); one.n = two.n; one.v = two.v; hdr.h.d = (bit<16>) one.n;"
    )
    made = written(loaded(tmp_path, top=top, ingress=ingress))
    calls = [
        (call["op"], call["parameters"][0]["value"][1])
        for one in made["actions"]
        for call in one["primitives"]
        if call["op"].startswith("assign")
    ]
    assert ("assign_VL", "v") in calls and ("assign", "n") in calls and ("assign", "v") not in calls


def test_what_no_table_has_is_left_out(tmp_path: Path) -> None:
    entries_of = {"is_direct": True, "binding": "none"}
    made = json_document(
        [], {"init_table": None},
        counter_arrays=[{"name": "c", "id": 0, **entries_of}, {"name": "d", "id": 1, "size": 3}],
        meter_arrays=[{"name": "m", "id": 0, "type": "bytes", "result_target": ["h", "a"], **entries_of}],
    )  # fmt: skip
    found = written(again(tmp_path, made))
    assert found["counter_arrays"] == [{"name": "d", "id": 0, "is_direct": False, "size": 3}]
    assert found["meter_arrays"] == []


@pytest.mark.parametrize(("more", "entries"), [("", None), ("const entries = { }", [])])
def test_a_table_whose_entries_are_none_has_none_for_ever(more: str, entries: Json, tmp_path: Path) -> None:
    control = TABLE.format(key="hdr.h.a: exact;", default="other", more=more)
    made = written(loaded(tmp_path, control=control, ingress="t.apply();"))
    (table,) = [one for one in made["pipelines"][0]["tables"] if one["name"] == "I.t"]
    assert table.get("entries") == entries
    assert again(tmp_path, made).table["I.t"].const_entries is (entries is not None)


def test_a_key_says_whether_a_header_is_there_and_metadata_always_is(tmp_path: Path) -> None:
    file = tmp_path / "valid.p4"
    file.write_text("""header_type h_t { fields { a : 8; } } header h_t h; metadata h_t m;
        parser start { extract(h); return ingress; } action put(v) { modify_field(h.a, v); }
        table t { reads { h : valid; m : valid; h.a : exact; } actions { put; } default_action : put(7); }
        control ingress { apply(t); }""")
    program = P4_14().load(Source(file), Diagnostics())
    (table,) = [one for one in written(program)["pipelines"][0]["tables"] if one["name"] == "t"]
    assert [(key["match_type"], key["name"]) for key in table["key"]] == [
        ("valid", "h"),
        ("exact", "m"),
        ("exact", "h.a"),
    ]
    assert table["key"][0]["target"] == "h" and table["key"][2]["target"] == ["h", "a"]
    assert Switch(again(tmp_path, written(program))).process(0, b"\1") == Switch(program).process(0, b"\1")
