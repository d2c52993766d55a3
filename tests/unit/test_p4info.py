"""P4Info of small programs: what a controller is told of tables, actions, externs and types."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import pytest
from aux_frontend.p4_14.frontend import P4_14
from aux_frontend.p4_16.frontend import P4_16
from google.protobuf import json_format, text_format
from hlir_builder import AT

from macsad import cli, compilation
from transpiler.diagnostics import Diagnostics, Rejected
from transpiler.frontend import Source
from transpiler.hlir import interface as it
from transpiler.hlir.types import Bits, Bool, Varbit
from transpiler.p4info import annotations as notes
from transpiler.p4info.build import build
from transpiler.p4info.messages import message_class
from transpiler.p4info.types import data_spec, octets, translation
from transpiler.p4info.write import FORMS, encode

PROGRAM = """
#include <core.p4>
#include <v1model.p4>
{top}
header eth_t {{ bit<48> dst; bit<48> src; bit<16> kind; }}
struct H {{ eth_t eth; }}
struct M {{ bit<8> tag; bool flag; {meta} }}
parser P(packet_in packet, out H hdr, inout M meta, inout standard_metadata_t std) {{
    {parser}
}}
control V(inout H hdr, inout M meta) {{ apply {{ }} }}
control I(inout H hdr, inout M meta, inout standard_metadata_t std) {{
    action forward(bit<9> port) {{ std.egress_spec = port; }}
    action drop() {{ mark_to_drop(std); }}
    {control}
    apply {{ {apply} }}
}}
control E(inout H hdr, inout M meta, inout standard_metadata_t std) {{ apply {{ }} }}
control C(inout H hdr, inout M meta) {{ apply {{ }} }}
control D(packet_out packet, in H hdr) {{ apply {{ packet.emit(hdr); }} }}
{main} V1Switch(P(), V(), I(), E(), C(), D()) main;
"""
PSA = """
#include <core.p4>
#include <psa.p4>
{top}
struct none_t {{ }}
parser IP(packet_in p, out none_t h, inout none_t m, in psa_ingress_parser_input_metadata_t i,
          in none_t a, in none_t b) {{ state start {{ transition accept; }} }}
control In(inout none_t h, inout none_t m, in psa_ingress_input_metadata_t i,
           inout psa_ingress_output_metadata_t o) {{ {control} apply {{ {apply} }} }}
control ID(packet_out p, out none_t a, out none_t b, out none_t c, inout none_t h, in none_t m,
           in psa_ingress_output_metadata_t o) {{ apply {{ }} }}
parser EP(packet_in p, out none_t h, inout none_t m, in psa_egress_parser_input_metadata_t i,
          in none_t a, in none_t b, in none_t c) {{ state start {{ transition accept; }} }}
control Out(inout none_t h, inout none_t m, in psa_egress_input_metadata_t i,
            inout psa_egress_output_metadata_t o) {{ apply {{ }} }}
control ED(packet_out p, out none_t a, out none_t b, inout none_t h, in none_t m,
           in psa_egress_output_metadata_t o, in psa_egress_deparser_input_metadata_t d) {{ apply {{ }} }}
IngressPipeline(IP(), In(), ID()) ip;
EgressPipeline(EP(), Out(), ED()) ep;
PSA_Switch(ip, PacketReplicationEngine(), ep, BufferingQueueingEngine()) main;
"""
START = "state start { packet.extract(hdr.eth); transition accept; }"
TABLE = "table t {{ key = {{ {key} }} actions = {{ {actions} }} {rest} }}"


def described(tmp_path: Path, diagnostics: Diagnostics | None = None, **parts: str) -> Any:
    """P4Info of PROGRAM with these parts."""
    given = {"top": "", "meta": "", "parser": START, "control": "", "apply": "", "main": "", **parts}
    file = tmp_path / "t.p4"
    file.write_text(PROGRAM.format(**given))
    diagnostics = diagnostics or Diagnostics()
    try:
        return build(P4_16().load(Source(file), diagnostics), diagnostics)
    finally:
        sys.stderr.write(diagnostics.render())


def with_table(tmp_path: Path, key: str = "", actions: str = "forward; drop;", rest: str = "", **parts: str) -> Any:
    """P4Info of a program with a table t, applied."""
    table = TABLE.format(key=key, actions=actions, rest=rest)
    control = parts.pop("control", "") + table
    return described(tmp_path, control=control, apply="t.apply();", **parts)


def names(messages: Any) -> list[str]:
    return [message.preamble.name for message in messages]


# --- tables ----------------------------------------------------------------------------------------------------------


def test_match_fields(tmp_path: Path) -> None:
    key = """hdr.eth.dst: exact; hdr.eth.src: lpm; hdr.eth.kind: ternary @name("kind") @mine; meta.tag: range @id(9);
             meta.flag: optional; hdr.eth.isValid(): exact;"""
    [table] = with_table(tmp_path, key).tables
    kinds = table.match_fields[0].DESCRIPTOR.enum_types_by_name["MatchType"].values_by_number
    assert [(f.id, f.name, f.bitwidth, kinds[f.match_type].name) for f in table.match_fields] == [
        (1, "hdr.eth.dst", 48, "EXACT"),
        (2, "hdr.eth.src", 48, "LPM"),
        (3, "kind", 16, "TERNARY"),
        (9, "meta.tag", 8, "RANGE"),
        (4, "meta.flag", 1, "OPTIONAL"),
        (5, "hdr.eth.$valid$", 1, "EXACT"),
    ]
    assert list(table.match_fields[2].annotations) == ["@mine"]


def test_a_field_of_a_struct_goes_by_its_name_annotation(tmp_path: Path) -> None:
    parts = {
        "top": 'struct in_t { @name("b") bit<8> a; } struct out_t { bit<8> c; }',
        "meta": '@name("inner") in_t i; @name(".outer") out_t o;',
    }
    [table] = with_table(tmp_path, "meta.i.a: exact; meta.o.c: exact;", **parts).tables
    assert [f.name for f in table.match_fields] == ["meta.inner.b", "outer.c"]


def test_action_refs_and_the_implied_default(tmp_path: Path) -> None:
    info = with_table(tmp_path, "meta.tag: exact;", "@tableonly forward; @defaultonly @mine drop;")
    [table] = info.tables
    by_id = {action.preamble.id: action.preamble.name for action in info.actions}
    assert [(by_id[r.id], r.scope, list(r.annotations)) for r in table.action_refs] == [
        ("I.forward", 1, ["@tableonly"]),
        ("I.drop", 2, ["@defaultonly", "@mine"]),
        ("NoAction", 2, ["@defaultonly"]),
    ]
    assert by_id[table.initial_default_action.action_id] == "NoAction"
    assert table.const_default_action_id == 0
    assert (table.size, table.is_const_table, table.has_initial_entries) == (1024, False, False)


@pytest.mark.parametrize(("count", "given", "size"), [(1025, "", 1025), (3, "size = 2;", 3), (3, "", 1024)])
def test_a_table_is_as_large_as_its_own_entries_need(count: int, given: str, size: int, tmp_path: Path) -> None:
    entries = " ".join(f"{number} : drop();" for number in range(count))
    [table] = with_table(tmp_path, "hdr.eth.kind: exact;", rest=f"{given} const entries = {{ {entries} }}").tables
    assert table.size == size


def test_a_constant_default_and_constant_entries(tmp_path: Path) -> None:
    rest = "const default_action = forward(300); const entries = { 5: drop(); } size = 7; support_timeout = true;"
    info = with_table(tmp_path, "meta.tag: exact;", rest=rest)
    [table] = info.tables
    forward = next(a for a in info.actions if a.preamble.alias == "forward")
    assert table.const_default_action_id == table.initial_default_action.action_id == forward.preamble.id
    [argument] = table.initial_default_action.arguments
    assert (argument.param_id, argument.value) == (1, b"\x01\x2c")
    assert (table.size, table.is_const_table, table.has_initial_entries) == (7, True, True)
    assert table.idle_timeout_behavior == 1
    assert not table.preamble.annotations


def test_entries_that_may_change_and_a_timeout_that_is_not_wanted(tmp_path: Path) -> None:
    rest = "entries = { 5: drop(); } support_timeout = false; default_action = drop();"
    [table] = with_table(tmp_path, "meta.tag: exact;", rest=rest).tables
    assert (table.is_const_table, table.has_initial_entries) == (False, True)
    assert (table.idle_timeout_behavior, table.const_default_action_id) == (0, 0)


def test_documentation_ids_and_annotations(tmp_path: Path) -> None:
    control = """@id(0x10) @brief("short") @description("long") @plain @with(a b, 1) @made[k = 1 + 1, s = "x"]
                 table u { actions = { NoAction; } }"""
    info = described(tmp_path, control=control, apply="u.apply();")
    [table] = info.tables
    assert table.preamble.id == 0x02000010
    assert (table.preamble.doc.brief, table.preamble.doc.description) == ("short", "long")
    assert list(table.preamble.annotations) == ["@plain", "@with(a b, 1)"]
    [made] = table.preamble.structured_annotations
    assert [(p.key, p.value.int64_value or p.value.string_value) for p in made.kv_pair_list.kv_pairs] == [
        ("k", 2),
        ("s", "x"),
    ]


def test_hidden_and_unapplied_tables_are_left_out(tmp_path: Path) -> None:
    control = """@hidden action secret() { }
                 @hidden table h { actions = { forward; } }
                 table unused { key = { meta.tag: exact; } actions = { drop; } }
                 table seen { actions = { secret; NoAction; } default_action = NoAction(); }"""
    info = described(tmp_path, control=control, apply="h.apply(); seen.apply();")
    assert names(info.tables) == ["I.seen"]
    assert names(info.actions) == ["NoAction"]
    assert [r.id for r in info.tables[0].action_refs] == [info.actions[0].preamble.id]


def test_action_parameters(tmp_path: Path) -> None:
    control = 'action set(@id(5) bit<8> a, @brief("b") @mine int<16> b, bool c) { meta.tag = a; }'
    info = with_table(tmp_path, "meta.tag: exact;", "set;", control=control)
    [action] = [a for a in info.actions if a.preamble.name == "I.set"]
    assert [(p.id, p.name, p.bitwidth) for p in action.params] == [(5, "a", 8), (2, "b", 16), (3, "c", 1)]
    assert (action.params[1].doc.brief, list(action.params[1].annotations)) == ("b", ["@mine"])


def test_a_parameter_that_is_a_structure_is_its_fields(tmp_path: Path) -> None:
    top = "struct in_t { bit<8> x; bit<4> y; } struct both_t { in_t i; bit<8> x; }"
    control = 'action set(both_t b, @name("c") bit<8> d) { meta.tag = b.i.x + b.x + d; }'
    info = with_table(tmp_path, "meta.tag: exact;", "set;", control=control, top=top)
    [action] = [a for a in info.actions if a.preamble.name == "I.set"]
    assert [(p.name, p.bitwidth) for p in action.params] == [("b.i.x", 8), ("b.i.y", 4), ("b.x", 8), ("c", 8)]


def test_a_parameter_of_an_enum_goes_by_its_name(tmp_path: Path) -> None:
    """A key of an enum has a width: it is matched as a number of 32 bits."""
    control = "action paint(Colour colour) { meta.colour = colour; }"
    top, meta = "enum Colour { red, green }", "Colour colour;"
    info = with_table(tmp_path, "meta.colour: exact;", "paint;", control=control, top=top, meta=meta)
    [field] = info.tables[0].match_fields
    [parameter] = next(action for action in info.actions if action.preamble.name == "I.paint").params
    assert (parameter.type_name.name, parameter.bitwidth) == ("Colour", 0)
    assert (field.type_name.name, field.bitwidth) == ("", 32)


def test_an_action_bound_in_several_tables_is_one(tmp_path: Path) -> None:
    control = """action put(inout bit<8> to, bit<8> value) { to = value; } bit<8> other = 0;
        table t { key = { meta.tag: exact; } actions = { put(meta.tag); NoAction; } default_action = NoAction(); }
        table u { key = { meta.tag: exact; } actions = { put(other); NoAction; } default_action = NoAction(); }"""
    info = described(tmp_path, control=control, apply="t.apply(); u.apply(); hdr.eth.kind[7:0] = other;")
    assert names(info.actions) == ["I.put", "NoAction"]
    assert [p.name for p in info.actions[0].params] == ["value"]
    assert {t.action_refs[0].id for t in info.tables} == {info.actions[0].preamble.id}


def test_an_action_that_a_control_calls_is_listed(tmp_path: Path) -> None:
    """Each once; not what only other actions call. One of no control by its name alone."""
    top = "action everywhere(inout bit<8> x) { x = 7; }"
    control = "action inner() { meta.tag = 1; } action outer() { inner(); } action other() { }"
    apply = "outer(); other(); outer(); everywhere(meta.tag);"
    assert names(described(tmp_path, top=top, control=control, apply=apply).actions) == [
        "I.outer",
        "I.other",
        "everywhere",
    ]


# --- externs ---------------------------------------------------------------------------------------------------------


def test_counters_and_meters(tmp_path: Path) -> None:
    control = """counter(10, CounterType.packets_and_bytes) all; meter(20, MeterType.bytes) rate;
                 direct_counter(CounterType.packets) hits; direct_meter<bit<2>>(MeterType.packets) pace;
                 bit<2> colour = 0; action look() { pace.read(colour); }"""
    rest = "counters = hits; meters = pace;"
    info = with_table(tmp_path, "meta.tag: exact;", "look;", rest, control=control)
    [table], [all_], [rate] = info.tables, info.counters, info.meters
    assert (all_.preamble.name, all_.size, all_.spec.unit) == ("I.all", 10, 3)
    assert (rate.preamble.alias, rate.size, rate.spec.unit) == ("rate", 20, 1)
    [hits], [pace] = info.direct_counters, info.direct_meters
    assert (hits.spec.unit, pace.spec.unit) == (2, 2)
    assert hits.direct_table_id == pace.direct_table_id == table.preamble.id
    assert list(table.direct_resource_ids) == [hits.preamble.id, pace.preamble.id]


@pytest.mark.parametrize("left_out", ["@hidden", "not applied", "@hidden counter"])
def test_a_direct_resource_of_a_table_that_is_left_out_is_left_out(left_out: str, tmp_path: Path) -> None:
    """As one is that is hidden itself; what belongs to no table stays."""
    note, own = {"@hidden": ("@hidden", ""), "not applied": ("", ""), "@hidden counter": ("", "@hidden")}[left_out]
    control = f"""bit<2> colour = 0; counter(10, CounterType.packets) all;
                  {own} direct_counter(CounterType.packets) gone; {own} direct_meter<bit<2>>(MeterType.packets) slow;
                  direct_counter(CounterType.bytes) hits; direct_meter<bit<2>>(MeterType.bytes) pace;
                  action look() {{ pace.read(colour); }} action see() {{ slow.read(colour); }}
                  {note} table u {{ key = {{ meta.tag: exact; }} actions = {{ see; }} counters = gone; meters = slow; }}
                  table t {{ key = {{ meta.tag: exact; }} actions = {{ look; }} counters = hits; meters = pace; }}"""
    applied = "t.apply();" if left_out == "not applied" else "u.apply(); t.apply();"
    info = described(tmp_path, control=control, apply=applied)
    assert (names(info.counters), names(info.direct_counters), names(info.direct_meters)) == (
        ["I.all"],
        ["I.hits"],
        ["I.pace"],
    )
    table = next(table for table in info.tables if table.preamble.name == "I.t")
    [hits], [pace] = info.direct_counters, info.direct_meters
    assert hits.direct_table_id == pace.direct_table_id == table.preamble.id
    listed = {table.preamble.name: list(table.direct_resource_ids) for table in info.tables}
    assert listed.pop("I.t") == [hits.preamble.id, pace.preamble.id]
    assert listed == ({"I.u": []} if left_out == "@hidden counter" else {})


def test_the_type_of_an_index(tmp_path: Path) -> None:
    top = "type bit<9> port_t; type port_t other_t; enum bit<4> level_t { low = 1 }"
    file = tmp_path / "psa.p4"
    control = """Counter<bit<32>, port_t>(512, PSA_CounterType_t.BYTES) bytes; Register<bit<8>, bit<4>>(16) plain;
        Register<bit<8>, port_t>(16) kept; Register<bit<8>, level_t>(16) levels; Meter<other_t>(8, PSA_MeterType_t.BYTES) rate;"""
    apply = """bytes.count((port_t)1); plain.write(1, 2); kept.write((port_t)1, 2); levels.write(level_t.low, 2);
        PSA_MeterColor_t colour = rate.execute((other_t)(port_t)1);"""
    file.write_text(PSA.format(top=top, control=control, apply=apply))
    diagnostics = Diagnostics()
    info = build(P4_16().load(Source(file), diagnostics), diagnostics)
    assert info.pkg_info.arch == "psa"
    assert (info.counters[0].index_type_name.name, info.counters[0].spec.unit) == ("port_t", 1)
    assert [register.index_type_name.name for register in info.registers] == ["", "port_t", ""]
    assert not info.registers[0].HasField("index_type_name") and info.meters[0].index_type_name.name == "other_t"
    for name in ("port_t", "other_t"):
        assert info.type_info.new_types[name].original_type.bitstring.bit.bitwidth == 9


def test_action_profiles_and_selectors(tmp_path: Path) -> None:
    control = """@max_group_size(8) @selector_size_semantics("sum_of_members") @max_member_weight(100) @mine
        action_selector(HashAlgorithm.crc16, 128, 16) group;
        table s { key = { meta.tag: exact; hdr.eth.src: selector; } actions = { forward; } implementation = group; }"""
    rest = '@name("mine") implementation = action_profile(64);'
    info = with_table(tmp_path, "meta.tag: exact;", rest=rest, control=control)
    profiles = {p.preamble.name: p for p in info.action_profiles}
    assert names(info.tables) == ["I.t"]  # s is not applied
    assert list(profiles["mine"].table_ids) == [info.tables[0].preamble.id]
    assert info.tables[0].implementation_id == profiles["mine"].preamble.id
    group = profiles["I.group"]
    assert (group.with_selector, group.size, group.max_group_size) == (True, 128, 8)
    assert group.sum_of_members.max_member_weight == 100
    assert list(group.preamble.annotations) == ["@mine"]
    assert (profiles["mine"].with_selector, profiles["mine"].size) == (False, 64)


def test_a_hidden_profile_is_left_out(tmp_path: Path) -> None:
    info = with_table(tmp_path, "meta.tag: exact;", rest="@hidden implementation = action_profile(64);")
    assert (names(info.tables), len(info.action_profiles), info.tables[0].implementation_id) == (["I.t"], 0, 0)


def test_selector_keys_are_no_match_fields_but_count(tmp_path: Path) -> None:
    control = "action_selector(HashAlgorithm.crc16, 128, 16) group;"
    key = "hdr.eth.src: selector; meta.tag: exact;"
    [table] = with_table(tmp_path, key, rest="implementation = group;", control=control).tables
    assert [(f.id, f.name) for f in table.match_fields] == [(2, "meta.tag")]


def test_registers_and_digests_with_their_types(tmp_path: Path) -> None:
    top = """type bit<9> port_t; enum bit<4> level_t { low = 1, high = 10 }
             struct record_t { bit<48> mac; port_t port; level_t level; bool flag; error e; }"""
    control = """register<bit<12>>(4) small; register<int<7>>(2) signed;
                 action tell() { digest<record_t>(1, { hdr.eth.src, (port_t)std.ingress_port, level_t.low, meta.flag,
                                                       error.NoError }); }"""
    info = with_table(tmp_path, "meta.tag: exact;", "tell;", top=top, control=control)
    small, signed = info.registers
    assert (small.size, small.type_spec.bitstring.bit.bitwidth) == (4, 12)
    assert signed.type_spec.bitstring.int.bitwidth == 7
    [digest] = info.digests
    assert (digest.preamble.name, digest.type_spec.struct.name) == ("record_t", "record_t")
    members = info.type_info.structs["record_t"].members
    assert [(m.name, m.type_spec.WhichOneof("type_spec")) for m in members] == [
        ("mac", "bitstring"),
        ("port", "new_type"),
        ("level", "serializable_enum"),
        ("flag", "bool"),
        ("e", "error"),
    ]
    assert info.type_info.new_types["port_t"].original_type.bitstring.bit.bitwidth == 9
    levels = info.type_info.serializable_enums["level_t"]
    assert [(m.name, m.value) for m in levels.members] == [("low", b"\x01"), ("high", b"\x0a")]
    assert levels.underlying_type.bitwidth == 4
    assert info.type_info.error.members[:2] == ["NoError", "PacketTooShort"]


def test_types_keep_their_annotations(tmp_path: Path) -> None:
    """Those of each kind of type, in either form; a translation is told by fields of its own."""
    top = """@mine(1) enum bit<4> level_t { low = 1 } @mine(2) enum plain_t { on, off }
             @mine(3) @p4runtime_translation("x/y", string) type bit<9> port_t;
             @mine(4) @more[k=5] struct record_t { level_t level; plain_t plain; port_t port; }"""
    control = "action tell() { digest<record_t>(1, meta.record); }"
    info = with_table(
        tmp_path, "meta.tag: exact;", "tell;", top=top, meta="record_t record;", control=control
    ).type_info
    record = info.structs["record_t"]
    described = (info.serializable_enums["level_t"], info.enums["plain_t"], info.new_types["port_t"], record)
    assert [list(one.annotations) for one in described] == [[f"@mine({n})"] for n in range(1, 5)]
    [structured] = record.structured_annotations
    assert (structured.name, structured.kv_pair_list.kv_pairs[0].value.int64_value) == ("more", 5)


def test_members_of_an_enum_below_zero(tmp_path: Path) -> None:
    """As many bits as the enum has, in two's complement."""
    top = "enum int<12> step_t { back = -2, on = 3 } struct record_t { step_t step; }"
    control = "action tell() { digest<record_t>(1, { step_t.back }); }"
    info = with_table(tmp_path, "meta.tag: exact;", "tell;", top=top, control=control)
    steps = info.type_info.serializable_enums["step_t"]
    assert [(m.name, m.value) for m in steps.members] == [("back", b"\x0f\xfe"), ("on", b"\x03")]


def test_errors_are_told_of_where_a_controller_meets_them(tmp_path: Path) -> None:
    """In a key, or anywhere in a record."""
    control = "action tell() { digest<tuple<bit<8>, error>>(1, { meta.tag, std.parser_error }); }"
    told = with_table(tmp_path, "meta.tag: exact;", "tell;", control=control)
    matched = with_table(tmp_path, "std.parser_error: exact;")
    for info in (told, matched):
        assert info.type_info.error.members[:2] == ["NoError", "PacketTooShort"]
    assert not with_table(tmp_path, "meta.tag: exact;").type_info.error.members


def test_value_sets(tmp_path: Path) -> None:
    top = "struct vs_t { bit<16> kind; @match(ternary) @id(8) @mine bit<48> mac; }"
    parser = """value_set<bit<16>>(4) plain; @mine value_set<vs_t>(3) both;
        state start { packet.extract(hdr.eth); transition select(hdr.eth.kind, hdr.eth.dst) { both: accept;
            default: next; } }
        state next { transition select(hdr.eth.kind) { plain: accept; default: accept; } }"""
    sets = {s.preamble.name: s for s in described(tmp_path, top=top, parser=parser).value_sets}
    assert [(m.id, m.name, m.bitwidth, m.match_type) for m in sets["P.plain"].match] == [(1, "", 16, 2)]
    both = sets["P.both"]
    assert [(m.id, m.name, m.bitwidth, m.match_type) for m in both.match] == [(1, "kind", 16, 2), (8, "mac", 48, 4)]
    assert (both.size, list(both.preamble.annotations), list(both.match[1].annotations)) == (3, ["@mine"], ["@mine"])


def test_a_hidden_value_set_is_left_out(tmp_path: Path) -> None:
    parser = """@hidden value_set<bit<16>>(4) unseen; value_set<bit<16>>(4) seen;
        state start { packet.extract(hdr.eth); transition select(hdr.eth.kind) { unseen: accept; seen: accept; } }"""
    assert names(described(tmp_path, parser=parser).value_sets) == ["P.seen"]


def test_value_sets_of_what_has_headers(tmp_path: Path) -> None:
    """Their members are the fields of these."""
    top = """header pair_t { bit<16> kind; @match(range) bit<8> more; }
        struct inner_t { pair_t pair; bit<8> last; } struct outer_t { bit<48> mac; @mine inner_t inner; }"""
    parser = """value_set<pair_t>(4) pair; value_set<outer_t>(4) nested;
        state start { packet.extract(hdr.eth); transition select(hdr.eth.kind, hdr.eth.src[7:0]) { pair: accept;
            default: next; } }
        state next { transition select(hdr.eth.dst, hdr.eth.kind, 8w1, 8w2) { nested: accept; default: accept; } }"""
    sets = {s.preamble.name: s for s in described(tmp_path, top=top, parser=parser).value_sets}
    assert [(m.name, m.bitwidth, m.match_type) for m in sets["P.pair"].match] == [("kind", 16, 2), ("more", 8, 5)]
    nested = [("mac", 48), ("inner.pair.kind", 16), ("inner.pair.more", 8), ("inner.last", 8)]
    assert [(m.name, m.bitwidth) for m in sets["P.nested"].match] == nested
    assert [list(m.annotations) for m in sets["P.nested"].match] == [[], ["@mine"], ["@mine"], ["@mine"]]


# --- types and the package -------------------------------------------------------------------------------------------

PORT = '@p4runtime_translation("mine/port", {sdn}) type bit<9> port_t;'


@pytest.mark.parametrize(("sdn", "width"), [("bit<32>", 32), ("32", 32), ("bit<1>", 1), ("string", 0)])
def test_translated_types(tmp_path: Path, sdn: str, width: int) -> None:
    control = "action to(port_t port) { std.egress_spec = (bit<9>)port; }"
    parts = {"top": PORT.format(sdn=sdn), "meta": "port_t from;", "control": control}
    info = with_table(tmp_path, "meta.from: exact;", "to;", **parts)
    [field], [parameter] = info.tables[0].match_fields, info.actions[0].params
    assert (field.bitwidth, field.type_name.name) == (parameter.bitwidth, parameter.type_name.name) == (width, "port_t")
    translated = info.type_info.new_types["port_t"].translated_type
    assert (translated.uri, translated.sdn_bitwidth) == ("mine/port", width)
    assert translated.HasField("sdn_string") == (sdn == "string")


def test_controller_headers(tmp_path: Path) -> None:
    top = """type bit<9> port_t;
        @controller_header("packet_in") header in_t { @id(3) port_t port; @mine @name(".rest") bit<7> pad; @hidden bit<8> own; }
        @controller_header("packet_out") @mine header out_t { bit<16> what; }"""
    first, second = described(tmp_path, top=top).controller_packet_metadata
    assert (first.preamble.name, first.preamble.alias, first.preamble.id >> 24) == ("packet_in", "packet_in", 4)
    assert [(m.id, m.name, m.bitwidth, m.type_name.name) for m in first.metadata] == [
        (3, "port", 9, "port_t"),
        (2, "rest", 7, ""),
    ]
    assert [list(m.annotations) for m in first.metadata] == [[], ["@mine"]]
    assert list(second.preamble.annotations) == ['@controller_header("packet_out")', "@mine"]


def test_the_package(tmp_path: Path) -> None:
    main = """@pkginfo(name = "mine", version = "1.2") @platform_property(multicast_group_table_size = 100)
              @brief("what") @other"""
    package = described(tmp_path, main=main).pkg_info
    assert (package.arch, package.name, package.version) == ("v1model", "mine", "1.2")
    assert package.platform_properties.multicast_group_table_size == 100
    assert (package.doc.brief, list(package.annotations)) == ("what", ["@other"])


def test_the_smallest_and_the_largest_size_of_a_package(tmp_path: Path) -> None:
    main = """@platform_property(multicast_group_table_size = 0, multicast_group_table_total_replicas = 2147483647)
        @pkginfo(arch = "mine")"""
    package = described(tmp_path, main=main).pkg_info
    sizes = package.platform_properties
    assert (sizes.multicast_group_table_size, sizes.multicast_group_table_total_replicas) == (0, 2147483647)
    assert package.arch == "mine"


@pytest.mark.parametrize(
    ("parts", "message"),
    [
        ({"main": "@platform_property(multicast_group_table_size = 2147483648)"}, "is a number below 2**31"),
        ({"main": "@platform_property[multicast_group_table_size = true]"}, "is a number below 2**31"),
        ({"main": "@pkginfo(name)"}, "expected @pkginfo(key = value, …)"),
        ({"main": "@pkginfo(name = 5)"}, "'name' of @pkginfo is a string"),
        ({"main": '@platform_property(multicast_group_table_size = "x")'}, "is a number below 2**31"),
        ({"main": "@platform_property[multicast_group_table_size = -1]"}, "is a number below 2**31"),
        ({"top": PORT.format(sdn="bit<x>"), "meta": "port_t p;", "key": "meta.p: exact;"}, "@p4runtime_translation is written"),
        ({"key": "meta.tag: exact @id(0);"}, "an @id is a number from 1"),
        ({"key": "meta.tag: exact @id(2); meta.flag: exact @id(2);"}, "@id(2) is given twice"),
        ({"rest": '@selector_size_semantics("any") implementation = action_selector(HashAlgorithm.crc16, 1, 1);'},
         "is \"sum_of_weights\" or"),
        ({"rest": "@max_group_size(2147483648) implementation = action_selector(HashAlgorithm.crc16, 1, 1);"},
         "@max_group_size is a number from 0 to 2**31 - 1"),
        ({"rest": "@max_group_size(many) implementation = action_selector(HashAlgorithm.crc16, 1, 1);"},
         "@max_group_size is a number from 0 to 2**31 - 1"),
        ({"top": "@p4runtime_translation(9) type bit<9> port_t;", "meta": "port_t p;", "key": "meta.p: exact;"},
         "@p4runtime_translation"),
        ({"top": '@p4runtime_translation("u", bit<8>) type int<9> port_t;', "meta": "port_t p;",
          "key": "meta.p: exact;"},
         "values of 'port_t' cannot be translated: its type is not bit<W>"),
        ({"key": "meta.tag: exact @id(4294967296);"}, "an @id is a number from 1"),
        ({"control": "@id(0x2000005) action odd() { }", "actions": "odd;"},
         "the upper byte of @id(0x2000005) is not that of a action, 0x01"),
    ],
)  # fmt: skip
def test_what_makes_no_sense_is_a_located_error(tmp_path: Path, parts: dict[str, str], message: str) -> None:
    diagnostics = Diagnostics()
    with pytest.raises(Rejected):
        with_table(tmp_path, diagnostics=diagnostics, **parts)
    errors = {m.message: m.span for m in diagnostics.messages if m.severity.value == "error"}
    [(text, span)] = errors.items()
    assert message in text
    assert span.file.endswith("t.p4") and span.line > 1


# --- forms and the command -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("form", FORMS)
def test_every_form_reads_back(tmp_path: Path, form: str) -> None:
    info = with_table(tmp_path, 'meta.tag: exact @name("größe");')
    written, read = encode(info, form), message_class("P4Info")()
    match form:
        case ".txtpb":
            text_format.Parse(written.decode(), read)
        case ".json":
            json_format.Parse(written.decode(), read)
        case _:
            read.ParseFromString(written)
    assert read == info
    assert encode(read, form) == written


def test_what_would_steer_a_terminal_is_written_as_three_octal_digits_a_byte(tmp_path: Path) -> None:
    """So that a digit behind it stays a digit."""
    info = with_table(tmp_path, "meta.tag: exact;", control='@brief("a") action told() { }')
    for text, shown in (
        ("\x9b1", r"\302\2331"),
        ("\u202e5", r"\342\200\2565"),
        ("\x7f0", r"\1770"),
        ("\x075", r"\0075"),
    ):
        info.tables[0].preamble.doc.brief = f"x{text}y\ngröße"
        written, read = encode(info, ".txtpb").decode(), message_class("P4Info")()
        assert rf'brief: "x{shown}y\ngröße"' in written
        text_format.Parse(written, read)
        assert read == info


def test_build_writes_it(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    info = with_table(tmp_path, "meta.tag: exact;")
    program, out = str(tmp_path / "t.p4"), tmp_path / "out"
    assert cli.call(["build", program, "-O", "0", "-o", str(out)]) == 0
    assert {"t", "t.c", "t.p4info.txtpb"} == {f.name for f in out.iterdir()}
    assert (out / "t.p4info.txtpb").read_bytes() == encode(info, ".txtpb")
    chosen = tmp_path / "other" / "info.bin"
    json = tmp_path / "more" / "t.json"
    words = ["--p4info", str(chosen), "--bmv2-json", str(json)]
    assert cli.call(["build", program, "-O", "0", "-o", str(out), *words]) == 0
    assert chosen.read_bytes() == encode(info, ".bin")
    request = compilation.Request(tmp_path / "t.p4")
    assert json.read_text() == compilation.bmv2_json(request, compilation.load(request))
    assert cli.call(["build", program, "-o", str(out), "--p4info", f"{program}/info.bin"]) == 1
    assert "info.bin" in capsys.readouterr().err


def test_p4info_writes_it_alone(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    info = with_table(tmp_path, "meta.tag: exact;")
    program, out = str(tmp_path / "t.p4"), tmp_path / "out"
    for form in FORMS:
        assert cli.call(["p4info", program, "-o", str(out / f"info{form}")]) == 0
        assert (out / f"info{form}").read_bytes() == encode(info, form)
    assert len(list(out.iterdir())) == len(FORMS)
    capsys.readouterr()
    assert cli.call(["p4info", program]) == 0
    assert capsys.readouterr().out.encode() == encode(info, ".txtpb")
    assert cli.call(["p4info", program, "-o", program]) == 2
    assert "t.p4" in capsys.readouterr().err


def test_p4_14(tmp_path: Path) -> None:
    file = tmp_path / "t.p4"
    file.write_text("""
        header_type h_t { fields { a : 8; b : 16; } }
        header h_t h;
        parser start { extract(h); return ingress; }
        field_list seen { h.a; h.b; }
        action tell(port) { generate_digest(1, seen); modify_field(standard_metadata.egress_spec, port); }
        counter hits { type : packets; direct : t; }
        table t { reads { h : valid; h.a : ternary; } actions { tell; } size : 9; }
        control ingress { apply(t); }
    """)
    diagnostics = Diagnostics()
    info = build(P4_14().load(Source(file), diagnostics), diagnostics)
    [table] = info.tables
    assert (table.preamble.name, table.size) == ("t", 9)
    assert [(f.name, f.bitwidth, f.match_type) for f in table.match_fields] == [("h.$valid$", 1, 2), ("h.a", 8, 4)]
    assert [p.name for a in info.actions if a.preamble.name == "tell" for p in a.params] == ["port"]
    [digest], [hits] = info.digests, info.direct_counters
    assert [m.bitstring.bit.bitwidth for m in digest.type_spec.tuple.members] == [8, 16]
    assert list(table.direct_resource_ids) == [hits.preamble.id]


def test_a_digest_of_p4_14_is_a_tuple_of_what_it_sends(tmp_path: Path) -> None:
    """Each of its own fields, whatever other calls there are; one of varying length takes as many bits as it may have."""
    file = tmp_path / "digests.p4"
    file.write_text("""
    header_type h_t { fields { a : 8; b : 16; c : 24; v : *; } length : a; max_length : 12; } header h_t h;
    parser start { extract(h); return ingress; }
    register r { width : 8; instance_count : 4; }
    field_list one { h.a; h.b; } field_list two { h.c; h.v; }
    action tell() { register_write(r, 0, h.a); generate_digest(1, one); generate_digest(2, two); }
    table t { reads { h.a : exact; } actions { tell; } } control ingress { apply(t); }
    """)
    info = build(P4_14().load(Source(file), Diagnostics()), Diagnostics())
    found = {
        one.preamble.name: [member.bitstring.bit.bitwidth for member in one.type_spec.tuple.members]
        for one in info.digests
    }
    assert sorted(found.values()) == [[8, 16], [24, 48]]


@pytest.mark.parametrize(
    ("annotation", "warning", "group", "weight"),
    [
        ("@max_group_size(0)", "", 0, 0),
        ("@max_group_size(2147483647)", "", 2147483647, 0),
        ('@selector_size_semantics("SUM_OF_WEIGHTS") @max_group_size(3)', "", 3, 0),
        ("@max_member_weight(5)", '@max_member_weight needs "sum_of_members" as semantics', 0, 0),
        (
            '@selector_size_semantics("sum_of_weights") @max_member_weight(5)',
            '@max_member_weight needs "sum_of_members"',
            0,
            0,
        ),
        ('@max_member_weight(5) @selector_size_semantics("sum_of_members")', "", 0, 5),
    ],
)
def test_sizes_of_groups(annotation: str, warning: str, group: int, weight: int, tmp_path: Path) -> None:
    diagnostics = Diagnostics()
    control = f"{annotation} action_selector(HashAlgorithm.crc16, 128, 16) group;"
    info = with_table(
        tmp_path,
        "meta.tag: exact; hdr.eth.src: selector;",
        rest="implementation = group;",
        control=control,
        diagnostics=diagnostics,
    )
    (made,) = info.action_profiles
    assert (made.max_group_size, made.sum_of_members.max_member_weight) == (group, weight)
    assert warning in diagnostics.render() and bool(warning) is bool(diagnostics.messages)


def test_sizes_of_groups_are_for_selectors(tmp_path: Path) -> None:
    diagnostics = Diagnostics()
    control = "@max_group_size(8) action_profile(128) members;"
    info = with_table(
        tmp_path, "meta.tag: exact;", rest="implementation = members;", control=control, diagnostics=diagnostics
    )
    assert "@max_group_size is for action selectors" in diagnostics.render()
    assert [(one.max_group_size, one.with_selector) for one in info.action_profiles] == [(0, False)]


@pytest.mark.parametrize(
    "body", ["", "9", '"u"', '"u", bool', '"u", bit<w>', '"u", w', '"u", string, 8', '"u" 8', "u, 8"]
)
def test_a_translation_that_cannot_be_read(body: str) -> None:
    note = it.Annotation("p4runtime_translation", body, AT)
    diagnostics = Diagnostics()
    assert translation(it.NewTypeDefinition("t", Bits(9), AT, (note,)), diagnostics) is None
    [message] = diagnostics.messages
    assert message.message == 'expected @p4runtime_translation("URI", bit<W>) or @p4runtime_translation("URI", string)'
    assert message.span == AT


@pytest.mark.parametrize(
    ("body", "found"),
    [
        ('"u", bit<32>', ("u", 32)),
        (' "u/v" , bit < 8 > ', ("u/v", 8)),
        ('"u", 16', ("u", 16)),
        ('"u", string', ("u", 0)),
    ],
)
def test_translations_that_can_be_read(body: str, found: tuple[str, int]) -> None:
    note = it.Annotation("p4runtime_translation", body, AT)
    diagnostics = Diagnostics()
    assert (
        translation(it.NewTypeDefinition("t", Bits(9), AT, (note,)), diagnostics) == found and not diagnostics.messages
    )
    assert translation(it.NewTypeDefinition("t", Bits(9), AT), diagnostics) is None and not diagnostics.messages
    assert translation(it.NewTypeDefinition("t", Bits(9, True), AT, (note,)), diagnostics) is None
    assert [one.message for one in diagnostics.messages] == [
        "values of 't' cannot be translated: its type is not bit<W>"
    ]


# --- types as messages -----------------------------------------------------------------------------------------------

UNION, HEADER = it.NamedType(it.TypeKind.HEADER_UNION, "u_t"), it.NamedType(it.TypeKind.HEADER, "h_t")


@pytest.mark.parametrize(
    ("type_", "text"),
    [
        (Bits(9), "bitstring { bit { bitwidth: 9 } }"),
        (Bits(9, True), "bitstring { int { bitwidth: 9 } }"),
        (Varbit(32), "bitstring { varbit { max_bitwidth: 32 } }"),
        (Bool(), "bool { }"),
        (it.ErrorType(), "error { }"),
        (it.NamedType(it.TypeKind.STRUCT, "s_t"), 'struct { name: "s_t" }'),
        (HEADER, 'header { name: "h_t" }'),
        (UNION, 'header_union { name: "u_t" }'),
        (it.NamedType(it.TypeKind.ENUM, "e_t"), 'enum { name: "e_t" }'),
        (it.NamedType(it.TypeKind.SERIALIZABLE_ENUM, "e_t"), 'serializable_enum { name: "e_t" }'),
        (it.NamedType(it.TypeKind.NEW_TYPE, "n_t"), 'new_type { name: "n_t" }'),
        (it.TupleType(()), "tuple { }"),
        (it.TupleType((Bool(), HEADER)), 'tuple { members { bool { } } members { header { name: "h_t" } } }'),
        (it.StackType(HEADER, 3), 'header_stack { header { name: "h_t" } size: 3 }'),
        (it.StackType(UNION, 2), 'header_union_stack { header_union { name: "u_t" } size: 2 }'),
    ],
)
def test_types_as_p4types_proto_has_them(type_: it.DataType, text: str) -> None:
    message = message_class("P4DataTypeSpec")()
    data_spec(message, type_)
    assert text_format.MessageToString(message, as_one_line=True) == text


def test_headers_and_unions_name_the_types_of_their_members(tmp_path: Path) -> None:
    top = "header v_t { bit<8> n; int<4> i; bit<4> b; varbit<16> v; } header w_t { bit<8> a; } header_union u_t { v_t v; w_t w; }"
    parts = {"top": f"{top} struct s_t {{ u_t u; w_t[2] ws; u_t[2] us; bool f; error e; }}", "meta": "s_t s;"}
    info = described(tmp_path, apply="digest<s_t>(1, meta.s);", **parts)
    assert text_format.MessageToString(info.type_info.headers["v_t"], as_one_line=True) == (
        'members { name: "n" type_spec { bit { bitwidth: 8 } } } members { name: "i" type_spec { int { bitwidth: 4 } } } '
        'members { name: "b" type_spec { bit { bitwidth: 4 } } } members { name: "v" type_spec { varbit { max_bitwidth: 16 } } }'
    )
    assert text_format.MessageToString(info.type_info.header_unions["u_t"], as_one_line=True) == (
        'members { name: "v" header { name: "v_t" } } members { name: "w" header { name: "w_t" } }'
    )
    members = info.type_info.structs["s_t"].members
    assert [(m.name, m.type_spec.WhichOneof("type_spec")) for m in members] == [
        ("u", "header_union"), ("ws", "header_stack"), ("us", "header_union_stack"), ("f", "bool"), ("e", "error"),
    ]  # fmt: skip
    assert list(info.type_info.error.members)[:2] == ["NoError", "PacketTooShort"]


@pytest.mark.parametrize(("value", "data"), [(0, "00"), (1, "01"), (255, "ff"), (256, "0100"), (0x10000, "010000")])
def test_numbers_are_the_fewest_bytes(value: int, data: str) -> None:
    assert octets(value).hex() == data


@pytest.mark.parametrize(
    ("body", "number"),
    [
        ("10", 10), ("0x1F", 31), ("0X1f", 31), ("8w255", 255), ("8s5", 5), ("1_000", 1000), ("0b101", 5), ("0B1_1", 3),
        ("0o17", 15), ("0d9", 9), ("0010", 10), ("", None), ("x", None), ("0x", None), ("1 0", None), ("-1", None), ("_", None),
    ],
)  # fmt: skip
def test_numbers_in_annotations(body: str, number: int | None) -> None:
    assert notes.literal_number(body) == number
    assert notes.number(it.Annotation("x", f" {body} ", AT)) == number


@pytest.mark.parametrize(
    ("structured", "number", "text"),
    [
        ((("", 5),), 5, "5"),
        ((("", True),), None, "True"),
        ((("", "a"),), None, "a"),
        ((), None, ""),
        ((("", 5), ("", 6)), None, "5"),
    ],
)
def test_values_of_structured_annotations(structured: Any, number: int | None, text: str) -> None:
    note = it.Annotation("x", "", AT, structured)
    assert (notes.number(note), notes.text(note), notes.pairs(note)) == (number, text, structured)


@pytest.mark.parametrize(
    ("body", "pairs"),
    [
        ('name = "a, b", size = 0x10', (("name", "a, b"), ("size", 16))), ("a = b", (("a", "b"),)), ("", ()),
        ("a", None), ("a = ", None), ("a = 1, ", (("a", 1),)), (" a = 1 ", (("a", 1),)),
        ('a = "x" b = "y"', None), ('a = "\\"", b = 1,', (("a", '"'), ("b", 1))),
    ],
)  # fmt: skip
def test_keys_and_values_of_annotations(body: str, pairs: Any) -> None:
    assert notes.pairs(it.Annotation("x", body, AT)) == pairs


def test_annotations_are_handed_on_in_both_forms() -> None:
    """But for those that the message has fields for."""
    table = message_class("P4Info")().tables.add()
    plain = [
        it.Annotation(name, body, AT) for name, body in (("mine", "3"), ("bare", ""), ("name", '"x"'), ("left", "1"))
    ]
    listed = it.Annotation("list", "", AT, (("", 1), ("", True), ("", "a")))
    pairs = it.Annotation("kv", "", AT, (("k", 2), ("l", False)))
    notes.add(table.preamble, [*plain, listed, pairs], {"left"})
    assert list(table.preamble.annotations) == ["@mine(3)", "@bare"]
    assert [text_format.MessageToString(note, as_one_line=True) for note in table.preamble.structured_annotations] == [
        'name: "list" expression_list { expressions { int64_value: 1 } expressions { bool_value: true } '
        'expressions { string_value: "a" } }',
        'name: "kv" kv_pair_list { kv_pairs { key: "k" value { int64_value: 2 } } '
        'kv_pairs { key: "l" value { bool_value: false } } }',
    ]


def test_a_key_of_the_package_that_is_not_known(tmp_path: Path) -> None:
    diagnostics = Diagnostics()
    info = described(tmp_path, diagnostics, main='@pkginfo[name = "x", colour = "red"]')
    assert info.pkg_info.name == "x" and [m.message for m in diagnostics.messages if "pkginfo" in m.message] == [
        ("@pkginfo has no 'colour': known are name, version, organization, contact, url, arch")
    ]


def test_a_default_action_that_is_hidden_is_not_told(tmp_path: Path) -> None:
    [table] = with_table(
        tmp_path,
        "meta.tag: exact;",
        "forward; secret;",
        "default_action = secret;",
        control="@hidden action secret() { }",
    ).tables
    assert (
        not table.HasField("initial_default_action")
        and not table.const_default_action_id
        and len(table.action_refs) == 1
    )
