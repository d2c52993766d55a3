"""P4-14 at its edges: arguments of primitives, exits, lengths, what `latest` means, names of the language as the program's own.

Specification 1.0.5, section 9.1 for the primitives, 4 for the parser, 13 for control.
"""

from __future__ import annotations

import zlib
from contextlib import suppress
from pathlib import Path

import pytest
from aux_frontend.p4_14.frontend import P4_14
from test_p4_14_declarations import said, table
from test_p4_14_semantics import BYTES, forwards, load

from transpiler.diagnostics import Diagnostics, Rejected
from transpiler.frontend import Source
from transpiler.hlir.expressions import IsValid
from transpiler.hlir.printer import print_program
from transpiler.hlir.program import Storage
from transpiler.hlir.types import Bits
from transpiler.interpreter import Switch
from transpiler.interpreter.matches import Exact

ARGUMENTS = {  # section 9.1 and the appendix: how many arguments a primitive takes, from … to
    (0, 0): ("drop", "mark_for_drop", "no_op", "exit"),
    (0, 1): ("resubmit", "recirculate"),
    (1, 1): ("truncate", "add_header", "remove_header"),
    (1, 2): ("push", "pop", "clone_ingress_pkt_to_egress", "clone_egress_pkt_to_egress", "clone_i2e", "clone_e2e",
             "clone_ingress_pkt_to_ingress", "clone_egress_pkt_to_ingress"),
    (2, 2): ("add_to_field", "subtract_from_field", "bit_not", "swap", "copy_header", "count", "generate_digest"),
    (2, 3): ("modify_field", "modify_field_from_rng"),
    (3, 3): ("add", "subtract", "bit_and", "bit_or", "bit_xor", "bit_nand", "bit_nor", "bit_xnor", "bit_andca", "bit_andcb",
             "bit_orca", "bit_orcb", "min", "max", "shift_left", "shift_right", "modify_field_conditionally",
             "modify_field_rng_uniform", "register_read", "register_write"),
    (3, 4): ("execute_meter",),
    (4, 4): ("modify_field_with_shift", "modify_field_with_hash_based_offset"),
}  # fmt: skip


@pytest.mark.parametrize("given", range(6))
def test_how_many_arguments_primitives_take(given: int, tmp_path: Path) -> None:
    calls = {name: f"{name}({', '.join(['h.a'] * given)});" for names in ARGUMENTS.values() for name in names}
    actions = "\n".join(f"action to_{name}() {{ {call} }}" for name, call in calls.items())
    path, diagnostics = tmp_path / "calls.p4", Diagnostics()
    path.write_text(f"{BYTES}\n{actions}\ncontrol ingress {{ }}")
    with suppress(Rejected):
        P4_14().check(Source(path), diagnostics)
    told = [one.message for one in diagnostics.messages if " takes " in one.message]
    assert told == [
        f"'{name}' takes {least if least == most else f'{least} to {most}'} arguments, but {given} are given"
        for (least, most), names in ARGUMENTS.items() for name in names if not least <= given <= most
    ]  # fmt: skip


def test_widths_of_standard_metadata(tmp_path: Path) -> None:
    """A parameter that goes there is as wide (section 6; ports as v1model has them)."""
    widths = {
        "ingress_port": 9, "packet_length": 32, "egress_spec": 9, "egress_port": 9, "egress_instance": 16, "instance_type": 32,
        "parser_status": 8, "parser_error_location": 8, "clone_spec": 32, "checksum_error": 1,
    }  # fmt: skip
    path = tmp_path / "standard.p4"
    for name, width in widths.items():
        text = f"action a(v) {{ modify_field(m.y, v + standard_metadata.{name}); }}"
        text += " table t { actions { a; } default_action : a(VALUE); }"
        for value, fits in (((1 << width) - 1, True), (1 << width, False)):
            diagnostics = Diagnostics()
            path.write_text(f"{BYTES} {text.replace('VALUE', str(value))} control ingress {{ apply(t); }}")
            with suppress(Rejected):
                P4_14().check(Source(path), diagnostics)
            assert ("an argument of a default action" not in diagnostics.render()) is fits, (name, value)


@pytest.mark.parametrize(
    ("instance", "fields"),
    [
        (
            "intrinsic_metadata",
            {"ingress_global_timestamp": 48, "egress_global_timestamp": 48, "mcast_grp": 16, "priority": 3},
        ),
        ("queueing_metadata", {"enq_timestamp": 48, "enq_qdepth": 19, "deq_timedelta": 32, "deq_qdepth": 19, "qid": 8}),
    ],
)  # fmt: skip
def test_metadata_of_the_switch_by_its_names(instance: str, fields: dict[str, int], tmp_path: Path) -> None:
    """docs/simple_switch.md of BMv2: each field of these two is what the switch calls so."""
    declared = " ".join(f"{name} : {width};" for name, width in fields.items())
    read = " ".join(f"modify_field(h.a, {instance}.{name});" for name in fields)
    text = f"{BYTES} header_type i_t {{ fields {{ {declared} }} }} metadata i_t {instance}; action a() {{ {read} }}"
    text += " table t { actions { a; } default_action : a; } control ingress { } control egress { apply(t); }"
    program = load(text, tmp_path)
    known = dict(program.intrinsics)
    assert {name: known.get(name) for name in fields} == {name: f"{instance}.{name}" for name in fields}
    assert all(program.variable[known[name]].storage is Storage.INTRINSIC for name in fields)


# --- further edges ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("apply", "frame", "left"),
    [
        ("apply(t); apply(u);", "01", 3), ("apply(t); apply(u);", "00", 2), ("apply(t) { hit { apply(u); } }", "01", 3),
        ("apply(t) { leave { apply(u); } }", "01", 3), ("apply(t) { miss { apply(u); } }", "00", 2),
        ("apply(t) { stay, leave { apply(u); } }", "01", 3), ("apply(t) { leave, stay { apply(u); } }", "00", 2),
        ("apply(t) { stay, leave { apply(u); } }", "00", 2), ("apply(t) { leave { apply(u); } }", "00", 0),
    ],
)  # fmt: skip
def test_after_an_exit_nothing_follows(apply: str, frame: str, left: int, tmp_path: Path) -> None:
    """Not even what the apply says of its outcome."""
    text = f"""{BYTES}
    action leave() {{ modify_field(h.b, 3); exit(); }} action stay() {{ no_op(); }} action mark() {{ modify_field(h.b, 2); }}
    table t {{ reads {{ h.a : exact; }} actions {{ leave; stay; }} default_action : stay; }}
    table u {{ actions {{ mark; }} default_action : mark; }}
    control ingress {{ {apply} }}"""
    switch = Switch(load(text, tmp_path))
    switch.table_add("t", (Exact(1),), "leave")
    assert switch.process(0, bytes.fromhex(f"{frame} 00 00 00")) == [(0, bytes.fromhex(f"{frame} {left:02x} 00 00"))]


def test_a_parser_may_lead_to_egress_itself(tmp_path: Path) -> None:
    """Which is ingress then, and runs once."""
    text = f"""{BYTES.replace("return ingress", "return egress")}
    action more() {{ add_to_field(h.a, 1); }} table t {{ actions {{ more; }} default_action : more; }}
    control egress {{ apply(t); }}"""
    assert Switch(load(text, tmp_path)).process(0, bytes(4)) == [(0, bytes((1, 0, 0, 0)))]


@pytest.mark.parametrize(
    ("calculation", "hashed"),
    [
        ("input { one; two; } algorithm : crc16;", 'compute("crc16", { h.a, h.b })'),
        ("input { one; } input { two; } algorithm : crc16;", 'compute("crc16", { h.a, h.b })'),
        ("input { paid; two; } algorithm : crc16;", 'compute_with_payload("crc16", { h.a, h.b })'),
        ("input { two; paid; } algorithm : crc16;", 'compute_with_payload("crc16", { h.b, h.a })'),
        ("input { one; } algorithm { crc16; csum16; }", 'compute("crc16", { h.a })'),
        ("input { one; } algorithm { csum16; csum16_udp; }", 'compute("csum16", { h.a })'),
    ],
)
def test_what_is_computed_over_lists(calculation: str, hashed: str, tmp_path: Path) -> None:
    """All inputs one after the other, the payload behind them; the first algorithm."""
    text = f"""{BYTES} field_list one {{ h.a; }} field_list two {{ h.b; }} field_list paid {{ h.a; payload; }}
    field_list_calculation c {{ {calculation} output_width : 16; }}
    action put() {{ modify_field_with_hash_based_offset(m.y, 0, c, 65536); }}
    table t {{ actions {{ put; }} default_action : put; }} control ingress {{ apply(t); }}"""
    printed = print_program(load(text, tmp_path))
    assert f"hash.{hashed}" in printed and "0xffff" not in printed.partition("action put(")[2].partition("\n}\n")[0]


def test_each_calculation_whose_parameters_can_be_set_is_one_instance(tmp_path: Path) -> None:
    text = f"""{BYTES} field_list l {{ h.a; }}
    field_list_calculation c {{ input {{ l; }} algorithm : crc16_custom; output_width : 16; }}
    field_list_calculation d {{ input {{ l; }} algorithm : crc32_custom; output_width : 32; }}
    action put() {{ modify_field_with_hash_based_offset(m.y, 0, c, 9); modify_field_with_hash_based_offset(m.y, 0, d, 9);
        modify_field_with_hash_based_offset(m.x, 0, c, 9); }}
    table t {{ actions {{ put; }} default_action : put; }} control ingress {{ apply(t); }}"""
    found = [(one.name, one.kind, one.attribute("width")) for one in load(text, tmp_path).externs]
    assert found == [("c", "custom_crc", 16), ("d", "custom_crc", 32)]


def test_states_may_have_the_names_of_the_ends(tmp_path: Path) -> None:
    text = (
        BYTES.replace("return ingress", "return accept")
        + """
    parser accept { set_metadata(m.x, 4); return reject; } parser reject { set_metadata(m.x, m.x + 1); return ingress; }
    action out() { modify_field(standard_metadata.egress_spec, m.x); } table t { actions { out; } default_action : out; }
    control ingress { apply(t); }"""
    )
    assert Switch(load(text, tmp_path)).process(0, bytes(4)) == [(5, bytes(4))]


OPTION = """
header_type opt_t { fields { kind : 4; len : 4; data : *; more : 8; } length : LENGTH; max_length : 10; }
header opt_t opt;
parser start { extract(opt); return ingress; }
"""


@pytest.mark.parametrize(
    ("length", "frame", "sent"),
    [
        ("len", "15 aabbcc dd 99", "25 aabbcc dd 99"), ("len * 2", "12 aabb dd 99", "22 aabb dd 99"),
        ("kind + 3", "17 aabb dd 99", "27 aabb dd 99"), ("2", "15 aa 99", "25 aa 99"), ("len", "12 aa 99", "22 aa 99"),
    ],
)  # fmt: skip
def test_the_length_of_a_header_is_computed(length: str, frame: str, sent: str, tmp_path: Path) -> None:
    """In bytes, the other fields with it."""
    text = (
        OPTION.replace("LENGTH", length)
        + """
    action mark() { modify_field(opt.kind, 2); } table t { actions { mark; } default_action : mark; }
    control ingress { apply(t); }"""
    )
    forwards(text, f"packet 0 {frame}\nexpect 0 {sent}\n", tmp_path)


@pytest.mark.parametrize("length", ["more", "more + len", "len + more", "-more"])
def test_a_length_is_made_of_fields_in_front(length: str, tmp_path: Path) -> None:
    told = said(OPTION.replace("LENGTH", length) + "control ingress { }", tmp_path)
    assert "a length can only be made of fields before the one of variable width" in told


@pytest.mark.parametrize(
    ("start", "problem"),
    [
        ("extract(h); extract(g); return next;", None),
        ("extract(s[0]); return select(h.a) { 0 : next; 1 : o; } } parser o { extract(s[0]); return next;", None),
        ("extract(s[0]); return select(h.a) { 0 : next; 1 : o; } } parser o { extract(s[1]); return next;", True),
        ("extract(h); return select(h.a) { 0 : next; 1 : o; } } parser o { extract(g); return next;", True),
        ("return next;", True),
    ],
)  # fmt: skip
def test_latest_is_the_same_header_on_every_way(start: str, problem: bool | None, tmp_path: Path) -> None:
    text = f"""header_type h_t {{ fields {{ a : 8; }} }} header h_t h; header h_t g; header h_t s[2];
    parser start {{ {start} }}
    parser next {{ set_metadata(standard_metadata.egress_spec, latest.a); return ingress; }} control ingress {{ }}"""
    if problem:
        assert "'latest' has no meaning here" in said(text, tmp_path)
    else:
        port = 6 if "extract(g)" in start else 0
        assert Switch(load(text, tmp_path)).process(1, bytes((0, 6)))[0][0] == port


def test_headers_that_no_way_has_both_of_are_deparsed_as_the_graph_shows_them(tmp_path: Path) -> None:
    text = """header_type h_t { fields { a : 8; } } header h_t x; header h_t y; header h_t z;
    parser z_first { extract(z); return ingress; } parser x_second { extract(x); return ingress; }
    parser start { extract(y); return select(latest.a) { 1 : x_second; default : z_first; } }
    action all_() { add_header(x); add_header(z); modify_field(x.a, 7); } table t { actions { all_; } default_action : all_; }
    control ingress { apply(t); }"""
    assert Switch(load(text, tmp_path)).process(0, bytes((0, 9))) == [(0, bytes((0, 7, 9)))]


def test_a_field_may_be_called_valid(tmp_path: Path) -> None:
    text = """header_type h_t { fields { valid : 8; } } header h_t h; parser start { extract(h); return ingress; }
    action out() { modify_field(standard_metadata.egress_spec, h.valid); } table t { actions { out; } default_action : out; }
    control ingress { apply(t); }"""
    assert Switch(load(text, tmp_path)).process(0, b"\x05") == [(5, b"\x05")]


def test_actions_of_a_profile_use_what_is_static_to_their_table(tmp_path: Path) -> None:
    for owner, refused in (("u", True), ("t", False)):
        text = f"""{BYTES} counter o {{ type : bytes; static : {owner}; instance_count : 2; }}
        action uses() {{ count(o, 0); }} action_profile p {{ actions {{ uses; }} }}
        table t {{ reads {{ h.a : exact; }} action_profile : p; }} table u {{ actions {{ }} }} control ingress {{ apply(t); }}"""
        assert ("which is static to table 'u'" in said(text, tmp_path)) is refused


def test_a_field_of_the_switch_has_the_width_that_the_program_gives_it(tmp_path: Path) -> None:
    for width, group in ((4, 2), (16, 0x12)):
        text = f"""{BYTES} header_type intrinsic_metadata_t {{ fields {{ mcast_grp : {width}; }} }}
        metadata intrinsic_metadata_t intrinsic_metadata;
        action flood() {{ modify_field(intrinsic_metadata.mcast_grp, h.a); }}
        table t {{ actions {{ flood; }} default_action : flood; }} control ingress {{ apply(t); }}"""
        switch = Switch(load(text, tmp_path))
        for number in (2, 0x12):
            switch.replication.create_group(number)
            switch.replication.associate(number, switch.replication.create_node(0, (number,)))
        assert [port for port, _ in switch.process(0, b"\x12\0\0\0")] == [group]


def test_random_bits_are_as_many_as_asked_for(tmp_path: Path) -> None:
    text = table(
        "actions { put; }", "action put() { modify_field_from_rng(m.y, 5); modify_field_from_rng(m.y, 20, 0xf0); }"
    )
    body = print_program(load(text, tmp_path)).partition("action put(")[2].partition("\n}\n")[0]
    assert "random.range(16w0, 16w0x1f)" in body and "random.range(16w0, 16w0xffff)" in body and "& 16w0xf0" in body


@pytest.mark.parametrize("count", [1, 2, 3, 4, 5])
@pytest.mark.parametrize("algorithm", ["identity", "crc32_custom"])
def test_of_headers_that_are_not_there_nothing_is_hashed(count: int, algorithm: str, tmp_path: Path) -> None:
    """Section 3: their fields are left out, in whatever number they are; constants and metadata are always there."""
    names = "abcde"[:count]
    text = "header_type bits_t { fields { there : 8; result : 64; } } header bits_t bits; header_type h_t { fields { v : 8; } }\n"
    text += "".join(f"header h_t {name}; " for name in names)
    text += "parser start { extract(bits); return p0; }\n"
    for place, name in enumerate(names):
        case = f"{1 << place} mask {1 << place} : x{place};"
        text += f"parser p{place} {{ return select(bits.there) {{ {case} default : p{place + 1}; }} }}"
        text += f" parser x{place} {{ extract({name}); return p{place + 1}; }}\n"
    text += f"parser p{count} {{ return ingress; }}\n"
    text += f"field_list l {{ {' '.join(f'{name}.v;' for name in names)} 8'0x55; {names[0]}.v; }}\n"
    text += f"field_list_calculation c {{ input {{ l; }} algorithm : {algorithm}; output_width : 64; }}\n"
    text += "action put() { modify_field_with_hash_based_offset(bits.result, 0, c, 0x10000000000000000); }\n"
    text += "table t { actions { put; } default_action : put; } control ingress { apply(t); }"
    switch = Switch(load(text, tmp_path))
    for there in range(1 << count):
        values = {place: 0x11 * (place + 1) for place in range(count) if there >> place & 1}
        frame = bytes((there, *bytes(8), *values.values()))
        [(_, sent)] = switch.process(0, frame)
        hashed = bytes((*values.values(), 0x55, *([values[0]] if 0 in values else [])))
        result = int.from_bytes(hashed) if algorithm == "identity" else zlib.crc32(hashed)
        assert int.from_bytes(sent[1:9]) == result, there


def test_messages_stand_in_the_order_of_each_file(tmp_path: Path) -> None:
    """Files in the order of their first message, not of their names."""
    (tmp_path / "a.h").write_text("header_type a_t { fields { w : 0; } }\naction late() { modify_field(z.a, 1); }\n")
    path, diagnostics = tmp_path / "m.p4", Diagnostics()
    path.write_text(
        f'header_type m_t2 {{ fields {{ w : 0; }} }}\n#include "a.h"\naction one() {{ nothing(); }}\n{BYTES}\n'
        "table t { reads { h.z : exact; } actions { late; } }\ncontrol ingress { apply(t); }\n"
    )
    with suppress(Rejected):
        P4_14().check(Source(path), diagnostics)
    found = [(Path(one.span.file).name, one.span.line) for one in diagnostics.messages]
    assert found == [("m.p4", 1), ("m.p4", 3), ("m.p4", 11), ("a.h", 1), ("a.h", 2)]


def test_pragmas_are_annotations(tmp_path: Path) -> None:
    text = f"""{BYTES}
@pragma size 4, 5
@pragma quiet
action put() {{ }}
@pragma command_line --fast
table t {{ actions {{ put; }} }} control ingress {{ apply(t); }}"""
    program = load(text, tmp_path)
    found = [
        [(note.name, note.body) for note in one.annotations] for one in (program.action["put"], program.table["t"])
    ]
    assert found == [[("size", "4 5"), ("quiet", "")], [("command_line", "--fast")]]


def test_a_header_and_metadata_may_have_one_name(tmp_path: Path) -> None:
    """Kinds have name spaces of their own; a field is that of the one that has it."""
    text = """header_type h_t { fields { a : 8; } } header_type m_t { fields { x : 16; } }
    header h_t both; metadata m_t both; parser start { extract(both); return ingress; }
    action put(v) { modify_field(both.x, v); modify_field(both.a, both.x + 1); }
    table t { reads { both : valid; } actions { put; } default_action : put(4); } control ingress { apply(t); }"""
    program = load(text, tmp_path)
    assert program.variable["put.v"].type == Bits(16)
    assert isinstance(program.table["t"].keys[0].expression, IsValid), "metadata always is"
    assert Switch(program).process(0, b"\x09\x01") == [(0, b"\x05\x01")]


def test_what_is_extracted_after_several_headers_comes_behind_all_of_them(tmp_path: Path) -> None:
    """Although another way shows it first."""
    text = """header_type h_t { fields { v : 8; } } header h_t x; header h_t a; header h_t b; header h_t c; header h_t d;
    parser start { extract(x); return select(latest.v) { 1 : direct; default : around; } }
    parser direct { extract(c); extract(d); return ingress; } parser around { extract(a); extract(b); return direct; }
    control ingress { }"""
    deparser = print_program(load(text, tmp_path)).partition(" (deparser) {")[2]
    assert [line.strip() for line in deparser.splitlines() if "emit" in line] == [f"emit({name});" for name in "xabcd"]


def test_names_of_what_a_selector_hashes(tmp_path: Path) -> None:
    """Also of a field of the switch that the program declares narrower, of an element of a stack, and of a constant."""
    text = f"""{BYTES} header_type intrinsic_metadata_t {{ fields {{ mcast_grp : 4; }} }} header h_t s[2];
    metadata intrinsic_metadata_t intrinsic_metadata;
    field_list flow {{ h.a; m.y; intrinsic_metadata.mcast_grp; s[1].b; 8'5; }}
    field_list_calculation by {{ input {{ flow; }} algorithm : crc16; output_width : 14; }}
    action_selector chooser {{ selection_key : by; }} action nop() {{ }}
    action_profile p {{ actions {{ nop; }} dynamic_action_selection : chooser; }}
    table t {{ reads {{ h.c : exact; }} action_profile : p; }} control ingress {{ apply(t); }}"""
    keys = load(text, tmp_path).table["t"].keys
    assert [key.name for key in keys] == ["h.c", "h.a", "m.y", "intrinsic_metadata.mcast_grp", "s[1].b", "constant"]


@pytest.mark.parametrize("direct", ["direct : t; result : m.x;", "instance_count : 4;"])
def test_a_meter_is_executed_by_the_entry_or_by_its_index(direct: str, tmp_path: Path) -> None:
    text = f"""{BYTES} meter o {{ type : bytes; {direct} }} action put() {{ execute_meter(o, 3, m.x); }}
    table t {{ reads {{ h.a : exact; }} actions {{ put; }} }} control ingress {{ apply(t); }}"""
    body = print_program(load(text, tmp_path)).partition("action put(")[2].partition("\n}\n")[0]
    lines = [line.strip() for line in body.splitlines() if "meter" in line]
    assert lines and len(set(lines)) == 1
    assert ("direct_meter.read" in lines[0]) is direct.startswith("direct")
    assert ("32w3" in lines[0]) is not direct.startswith("direct")
