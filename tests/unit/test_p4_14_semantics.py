"""P4-14 programs from text to packets: the frontend's HLIR, verified and executed by the interpreter."""

from __future__ import annotations

import io
from pathlib import Path

import pytest
from aux_frontend.p4_14.frontend import P4_14
from aux_frontend.p4_14.widths import MAX_CALL_DEPTH

from macsad import simulate
from transpiler.diagnostics import Diagnostics, Rejected
from transpiler.frontend import Source
from transpiler.hlir.program import Control, MatchKind, Program, Role
from transpiler.hlir.statements import Emit
from transpiler.hlir.types import Bits
from transpiler.interpreter import Switch
from transpiler.interpreter.matches import Exact
from transpiler.interpreter.store import Digest
from transpiler.verifier import verify


def load(text: str, tmp_path: Path) -> Program:
    path = tmp_path / "program.p4"
    path.write_text(text)
    diagnostics = Diagnostics()
    try:
        program = P4_14().load(Source(path), diagnostics)
    except Rejected:
        pytest.fail(diagnostics.render())
    verify(program)
    return program


def forwards(text: str, stf: str, tmp_path: Path) -> None:
    """The packets of the STF text come out as it says."""
    script = tmp_path / "t.stf"
    script.write_text(stf)
    out = io.StringIO()
    assert simulate.run(load(text, tmp_path), script, out=out) == 0, out.getvalue()


BYTES = """
header_type h_t { fields { a : 8; b : 8; c : 8; d : 8; } }
header h_t h;
header_type m_t { fields { x : 8; y : 16; } }
metadata m_t m;
parser start { extract(h); return ingress; }
"""


def run_action(statements: str, packet: str, expected: str, tmp_path: Path, declarations: str = "") -> None:
    """One packet through one action with those statements; it leaves on port 0."""
    program = f"{BYTES}{declarations}\naction act() {{ {statements} }}\n"
    program += "table t { actions { act; } default_action : act(); }\ncontrol ingress { apply(t); }\n"
    forwards(program, f"packet 0 {packet}\nexpect 0 {expected}\n", tmp_path)


ROUTER = """
header_type ethernet_t { fields { dst : 48; src : 48; kind : 16; } }
header_type ipv4_t {
    fields {
        version : 4; ihl : 4; tos : 8; len : 16; id : 16; flags : 3; offset : 13;
        ttl : 8; protocol : 8; checksum : 16; src : 32; dst : 32;
    }
}
header ethernet_t ethernet;
header ipv4_t ipv4;
field_list ipv4_fields {
    ipv4.version; ipv4.ihl; ipv4.tos; ipv4.len; ipv4.id; ipv4.flags; ipv4.offset;
    ipv4.ttl; ipv4.protocol; ipv4.src; ipv4.dst;
}
field_list_calculation ipv4_sum { input { ipv4_fields; } algorithm : csum16; output_width : 16; }
calculated_field ipv4.checksum { verify ipv4_sum; update ipv4_sum if (ipv4.ihl == 5); }

parser start {
    extract(ethernet);
    return select(latest.kind) { 0x0800 : parse_ipv4; default : ingress; }
}
parser parse_ipv4 { extract(ipv4); return ingress; }

action _drop() { drop(); }
action send(port) { modify_field(standard_metadata.egress_spec, port); }
action route(port, mac) {
    send(port);
    modify_field(ethernet.src, ethernet.dst);
    modify_field(ethernet.dst, mac);
    add_to_field(ipv4.ttl, -1);
}
table l2 { reads { ethernet.dst : exact; } actions { send; _drop; } default_action : _drop; size : 64; }
table l3 { reads { ipv4.dst : lpm; } actions { route; _drop; } size : 256; }
counter bytes_in { type : packets; instance_count : 4; }
action tally(i) { count(bytes_in, i); }
table accounting { reads { standard_metadata.ingress_port : exact; } actions { tally; } }
control ingress {
    apply(accounting);
    if (valid(ipv4) and ipv4.ttl > 1) {
        apply(l3) { miss { apply(l2); } }
    } else {
        apply(l2);
    }
}
"""


def test_router(tmp_path: Path) -> None:
    forwards(
        ROUTER,
        """
        add accounting standard_metadata.ingress_port:1 tally(i:2)
        add l3 ipv4.dst:0x0a000000/8 route(port:3, mac:0x020000000003)
        add l2 ethernet.dst:0x020000000001 send(port:2)
        packet 1 020000000001 020000000009 0800 4500001400000000 4006 66e2 0a000001 0a000002
        expect 3 020000000003 020000000001 0800 4500001400000000 3f06 67e2 0a000001 0a000002
        packet 1 020000000001 020000000009 0800 4500001400000000 4006 a6df 0a000001 c0000002
        expect 2 020000000001 020000000009 0800 4500001400000000 4006 b0e1 0a000001 c0000002
        packet 1 020000000001 020000000009 1234 00
        expect 2 020000000001 020000000009 1234 00
        packet 0 020000000002 020000000009 1234 00
        check_counter bytes_in(2) packets == 3
        """,
        tmp_path,
    )


def test_types_of_parameters_come_from_their_use(tmp_path: Path) -> None:
    program = load(ROUTER, tmp_path)
    widths = {name: variable.type for name, variable in program.variable.items() if name.startswith("route.")}
    assert widths == {"route.port": Bits(9), "route.mac": Bits(48)}
    assert program.variable["tally.i"].type == Bits(2)  # an index into 4 counters
    assert program.table["l3"].keys[0].match_kind is MatchKind.LPM
    assert program.table["l3"].keys[0].name == "ipv4.dst"
    assert program.table["l3"].default_action.action == "NoAction"


@pytest.mark.parametrize(
    ("statement", "width"),
    [
        ("modify_field(h.a, v); modify_field(m.y, v);", 16),
        ("modify_field(m.y, v); modify_field(h.a, v);", 16),
        ("modify_field(m.y, 1 << v);", 8),  # the amount of a shift is as wide as nothing around it
        ("modify_field(m.y, v << 1);", 16),
        ("modify_field(m.y, 3 + v);", 16),
        ("modify_field(m.y, v + 3);", 16),
        ("modify_field(m.y, ~(3 - v));", 16),
        ("modify_field(m.y, h.a + v);", 8),
        ("modify_field(m.y, v & (h.a + m.y));", 16),
        ("register_read(m.y, seen, v);", 2),
        ("register_write(seen, v, m.y);", 2),
        ("register_write(seen, 0, v);", 24),
        ("truncate(v);", 32),
        ("clone_ingress_pkt_to_egress(v);", 32),
        # Values that go into no field do not take the type of the first argument, whatever that has been found to be.
        ("modify_field(h.a, v); truncate(v);", 32),
        ("modify_field(h.a, v); clone_ingress_pkt_to_egress(v);", 32),
        ("modify_field(h.a, v); clone_egress_pkt_to_egress(v);", 32),
        ("modify_field(h.a, v); clone_i2e(v);", 32),
        ("modify_field(h.a, v); clone_e2e(v);", 32),
        ("register_read(h.a, seen, v);", 2),
        ("count(events, v);", 3),
        ("execute_meter(limit, v, h.a);", 4),
        ("bit_and(h.a, m.y, v);", 8),
    ],
)
def test_a_parameter_is_as_wide_as_its_widest_use(statement: str, width: int, tmp_path: Path) -> None:
    program = f"""{BYTES}
    register seen {{ width : 24; instance_count : 4; }}
    counter events {{ type : packets; instance_count : 8; }}
    meter limit {{ type : bytes; instance_count : 16; }}
    action act(v) {{ {statement} }}
    table t {{ reads {{ h.a : exact; }} actions {{ act; }} }}
    control ingress {{ {"" if "clone_e" in statement else "apply(t);"} }}
    control egress {{ {"apply(t);" if "clone_e" in statement else ""} }}
    """
    assert load(program, tmp_path).variable["act.v"].type == Bits(width)


@pytest.mark.parametrize(
    ("statements", "expected"),
    [
        ("modify_field_with_shift(h.a, -1, 4, 0xff);", "0f 22 33 44"),
        ("modify_field_with_shift(h.a, 0x1230, 4, 0xff);", "23 22 33 44"),
        ("modify_field(m.y, 0x1234); swap(h.a, m.y); modify_field(h.b, m.y);", "34 11 33 44"),
        ("modify_field(m.y, 0x1234); swap(m.y, h.a); modify_field(h.b, m.y);", "34 11 33 44"),
        ("swap(h.a, h.b); swap(sm.i, sm.j); swap(h.c, h.d);", "22 11 44 33"),
        ("modify_field(h.a, 0xff, 0x0f);", "1f 22 33 44"),
        ("h.a = h.b + 1;", "23 22 33 44"),
        ("add(h.a, h.b, 0xff);", "21 22 33 44"),
        ("subtract(h.a, h.b, h.c);", "ef 22 33 44"),
        ("subtract_from_field(h.a, 0x12);", "ff 22 33 44"),
        ("bit_and(h.a, h.b, 0x0f); bit_or(h.b, h.b, 1); bit_xor(h.c, h.c, 0xff);", "02 23 cc 44"),
        ("bit_not(h.a, h.a);", "ee 22 33 44"),
        ("bit_nand(h.a, h.b, h.c);", "dd 22 33 44"),
        ("shift_left(m.y, h.a, 8); shift_right(h.d, m.y, 7);", "11 22 33 22"),
        (  # a negative number stays one, also where it goes into a wider field
            "modify_field(sm.i, -2); shift_right(m.y, sm.i, 1); shift_right(h.a, m.y, 8); modify_field(h.b, m.y);"
            "shift_right(h.c, sm.i, 1); shift_left(m.y, sm.i, 4); shift_right(h.d, m.y, 4);",
            "ff ff ff fe",
        ),
        ("max(h.a, h.b, h.c); min(h.d, h.b, h.c);", "33 22 33 22"),
        ("swap(h.a, h.d);", "44 22 33 11"),
        ("modify_field_with_shift(h.a, h.b, 4, 0x0f);", "12 22 33 44"),
        ("remove_header(h);", ""),
        ("no_op();", "11 22 33 44"),
        ("modify_field(m.x, 300); modify_field(h.a, m.x);", "2c 22 33 44"),
        ("truncate(2);", "11 22"),
    ],
)
def test_primitives(statements: str, expected: str, tmp_path: Path) -> None:
    signed = "header_type sm_t { fields { i : 8 (signed); j : 8 (signed); } } metadata sm_t sm;"
    sent = expected if "truncate" in statements else f"{expected} 55"
    run_action(statements, "11 22 33 44 55", sent, tmp_path, signed)


def test_saturating_fields_stop_at_their_bounds(tmp_path: Path) -> None:
    program = """
    header_type s_t { fields { a : 8 (saturating); b : 8 (saturating); c : 8 (signed, saturating); wide : 16; } }
    header s_t s;
    parser start { extract(s); return ingress; }
    action act() {
        add_to_field(s.a, 0x20);
        subtract_from_field(s.b, 0x20);
        add_to_field(s.c, 0x20);
    }
    action cut() { modify_field(s.a, s.wide); modify_field(s.b, 300); }
    table t { reads { s.wide : exact; } actions { act; cut; } }
    control ingress { apply(t); }
    """
    stf = """
    add t s.wide:1 act()
    add t s.wide:0x1234 cut()
    packet 0 f0 10 70 0001
    expect 0 ff 00 7f 0001
    packet 0 10 30 80 0001
    expect 0 30 10 a0 0001
    packet 0 10 30 80 1234
    expect 0 ff ff 80 1234
    """
    forwards(program, stf, tmp_path)


@pytest.mark.parametrize(
    ("statement", "wide", "expected"),
    [
        ("modify_field(s.a, s.of_sign)", "fed4", "80"),  # -300
        ("modify_field(s.a, s.of_sign)", "012c", "7f"),
        ("modify_field(s.a, s.of_sign)", "ffff", "ff"),
        ("add(s.a, s.of_sign, s.of_sign)", "8000", "80"),
        ("add(s.a, s.wide, 1)", "8000", "7f"),  # not a negative number
        ("subtract(s.a, 1, s.wide)", "8000", "80"),
    ],
)
def test_wider_numbers_saturate_by_their_own_sign(statement: str, wide: str, expected: str, tmp_path: Path) -> None:
    program = f"""
    header_type s_t {{ fields {{ a : 8 (signed, saturating); wide : 16; of_sign : 16 (signed); }} }}
    header s_t s;
    parser start {{ extract(s); return ingress; }}
    action act() {{ {statement}; }}
    table t {{ actions {{ act; }} default_action : act; }}
    control ingress {{ apply(t); }}
    """
    forwards(program, f"packet 0 00 {wide} {wide}\nexpect 0 {expected} {wide} {wide}\n", tmp_path)


@pytest.mark.parametrize(
    ("algorithm", "fields", "frame", "sum_"),
    [
        ("csum16", "h.a;", "ffff 0000 55", "0000"),
        ("csum16_udp", "h.a;", "ffff 0000 55", "ffff"),  # 0 would say that there is none
        ("csum16_udp", "h.a;", "fffe 0000 55", "0001"),
        ("csum16", "inner;", "1000 0000 0234", "edcb"),  # with the payload, as the list within has it
        ("csum16", "payload; h.a;", "1000 0000 0234", "edcb"),  # fields may stand behind it
    ],
)
def test_sums_over_lists(algorithm: str, fields: str, frame: str, sum_: str, tmp_path: Path) -> None:
    program = f"""
    header_type h_t {{ fields {{ a : 16; sum_ : 16; }} }}
    header h_t h;
    field_list inner {{ h.a; payload; }}
    field_list covered {{ {fields} }}
    field_list_calculation sum_of {{ input {{ covered; }} algorithm : {algorithm}; output_width : 16; }}
    calculated_field h.sum_ {{ update sum_of; }}
    parser start {{ extract(h); return ingress; }}
    control ingress {{ }}
    """
    first, _, payload = frame.split()
    forwards(program, f"packet 0 {frame}\nexpect 0 {first} {sum_} {payload}\n", tmp_path)


def test_a_dropped_packet_is_in_no_group(tmp_path: Path) -> None:
    program = f"""{BYTES}
    header_type intrinsic_metadata_t {{ fields {{ mcast_grp : 16; egress_rid : 16; }} }}
    metadata intrinsic_metadata_t intrinsic_metadata;
    action flood() {{ modify_field(intrinsic_metadata.mcast_grp, 1); }}
    action gone() {{ modify_field(intrinsic_metadata.mcast_grp, 1); drop(); }}
    table t {{ reads {{ h.a : exact; }} actions {{ flood; gone; }} }}
    control ingress {{ apply(t); }}
    """
    switch = Switch(load(program, tmp_path))
    switch.replication.create_group(1)
    switch.replication.associate(1, switch.replication.create_node(0, (2, 3)))
    switch.table_add("t", (Exact(1),), "flood")
    switch.table_add("t", (Exact(2),), "gone")
    assert [port for port, _ in switch.process(0, bytes((1, 0, 0, 0)))] == [2, 3]
    assert switch.process(0, bytes((2, 0, 0, 0))) == []


@pytest.mark.parametrize(
    ("sizes", "entries"),
    [("", 1024), ("size : 7;", 7), ("min_size : 8; max_size : 64;", 64), ("size : 7; max_size : 64;", 7)],
)
def test_how_many_entries_a_table_has(sizes: str, entries: int, tmp_path: Path) -> None:
    program = f"{BYTES} action act() {{ }} table t {{ reads {{ h.a : exact; }} actions {{ act; }} {sizes} }}"
    assert load(f"{program} control ingress {{ apply(t); }}", tmp_path).table["t"].size == entries


@pytest.mark.parametrize(
    ("property_", "ages"), [("", False), ("support_timeout : true;", True), ("support_timeout : false;", False)]
)
def test_whether_entries_time_out(property_: str, ages: bool, tmp_path: Path) -> None:
    program = f"{BYTES} action act() {{ }} table t {{ reads {{ h.a : exact; }} actions {{ act; }} {property_} }}"
    assert load(f"{program} control ingress {{ apply(t); }}", tmp_path).table["t"].ages is ages


STACK = """
header_type tag_t { fields { more : 8; value : 8; } }
header tag_t tag[3];
parser start {
    extract(tag[next]);
    return select(latest.more) { 0 : ingress; default : start; }
}
parser_exception p4_pe_index_out_of_bounds { parser_drop; }
"""


@pytest.mark.parametrize(
    ("statements", "packet", "expected"),
    [
        ("push(tag, 1);", "01aa 00bb", "0000 01aa 00bb"),
        ("push(tag);", "01aa 00bb", "0000 01aa 00bb"),
        ("pop(tag);", "01aa 00bb", "00bb"),
        ("push(tag, 0);", "01aa 00bb", "01aa 00bb"),
        ("push(tag, 9);", "01aa 00bb", "0000 0000 0000"),
        ("push(tag, 2);", "01aa 00bb", "0000 0000 01aa"),
        ("pop(tag, 1);", "01aa 00bb", "00bb"),
        ("pop(tag, 3);", "01aa 00bb", ""),
        ("add_header(tag[2]);", "01aa 00bb", "01aa 00bb 0000"),
        ("add_header(tag[0]);", "01aa 00bb", "01aa 00bb"),  # valid already: stays
        ("remove_header(tag[0]); add_header(tag[0]);", "01aa 00bb", "0000 00bb"),
        ("copy_header(tag[2], tag[0]);", "01aa 00bb", "01aa 00bb 01aa"),
        ("copy_header(tag[0], tag[2]);", "01aa 00bb", "00bb"),  # the source is invalid
    ],
)
def test_header_stacks(statements: str, packet: str, expected: str, tmp_path: Path) -> None:
    program = f"{STACK}action act() {{ {statements} }}\ntable t {{ actions {{ act; }} default_action : act; }}\n"
    program += "control ingress { apply(t); }\n"
    forwards(program, f"packet 0 {packet} ee\nexpect 0 {expected} ee\n", tmp_path)


def test_of_several_conditions_the_first_that_holds_decides(tmp_path: Path) -> None:
    program = f"""{BYTES}
action act(value) {{ modify_field(h.a, value); modify_field(standard_metadata.egress_spec, 0); }}
"""
    for number in range(4):
        program += f"table t{number} {{ actions {{ act; }} default_action : act({number + 16}); }}\n"
    program += """control ingress {
        if (h.a == 1) { apply(t0); } else if (h.a < 3) { apply(t1); } else if (h.a < 5) { apply(t2); } else { apply(t3); }
    }
    """
    packets = "".join(
        f"packet 0 {a:02x}000000\nexpect 0 {x:02x}000000\n" for a, x in ((1, 16), (2, 17), (4, 18), (9, 19))
    )
    forwards(program, packets, tmp_path)


def test_too_many_tags_raise_the_exception_that_drops(tmp_path: Path) -> None:
    forwards(f"{STACK}control ingress {{ }}", "packet 0 01aa 01bb 01cc 00dd\npacket 0 00dd\nexpect 0 00dd\n", tmp_path)


def test_latest_is_what_was_extracted_last_unless_a_header_is_called_so(tmp_path: Path) -> None:
    program = """
    header_type h_t { fields { a : 8; } }
    header h_t first;
    header h_t NAME;
    parser start { extract(NAME); extract(first); return select(latest.a) { 1 : more; default : ingress; } }
    parser more { set_metadata(standard_metadata.egress_spec, 7); return ingress; }
    control ingress { }
    """
    for name, port in (("second", (7, 0)), ("latest", (0, 7))):
        switch = Switch(load(program.replace("NAME", name), tmp_path))
        sent = [switch.process(0, bytes(frame)) for frame in ((0, 1), (1, 0))]
        assert tuple(port for ((port, _),) in sent) == port


def test_variable_width_headers_take_their_length_from_a_field(tmp_path: Path) -> None:
    program = """
    header_type opt_t { fields { kind : 8; len : 8; data : *; } length : len; max_length : 10; }
    header opt_t opt;
    header_type end_t { fields { e : 8; } }
    header end_t end;
    parser start { extract(opt); return select(latest.kind) { 1 : more; default : ingress; } }
    parser more { extract(end); return ingress; }
    action act() { add_to_field(end.e, 1); modify_field(opt.kind, 2); }
    table t { reads { end : valid; } actions { act; } }
    control ingress { apply(t); }
    """
    stf = "add t end:1 act()\npacket 0 01 05 aabbcc 07 99\nexpect 0 02 05 aabbcc 08 99\n"
    forwards(program, stf, tmp_path)


def test_select_compares_one_value_with_all_its_expressions_in_a_row(tmp_path: Path) -> None:
    program = """
    header_type h_t { fields { a : 4; b : 12; } }
    header h_t h;
    header_type r_t { fields { r : 8; } }
    metadata r_t r { r : 9; };
    header r_t out;
    parser start {
        extract(h);
        return select(latest.a, latest.b) {
            0x1002 : one;
            2, 0x0f0 mask 0x0f0 : two;
            default : ingress;
        }
    }
    parser one { set_metadata(r.r, 1); return ingress; }
    parser two { set_metadata(r.r, current(0, 8) + 1); return ingress; }
    parser never { extract(h); extract(out); return ingress; }
    action act() { add_header(out); modify_field(out.r, r.r); }
    table t { actions { act; } default_action : act; }
    control ingress { apply(t); }
    """
    stf = """
    packet 0 1002 55
    expect 0 1002 01 55
    packet 0 2afa 55
    expect 0 2afa 56 55
    packet 0 3000 55
    expect 0 3000 09 55
    """
    forwards(program, stf, tmp_path)


def test_cases_by_action_and_by_outcome(tmp_path: Path) -> None:
    program = f"""{BYTES}
    action nop() {{ }}
    action other() {{ }}
    action set(v) {{ modify_field(h.d, v); }}
    table first {{ reads {{ h.a : ternary; }} actions {{ nop; other; }} default_action : nop; }}
    table second {{ reads {{ h.b mask 0xf0 : exact; }} actions {{ nop; }} }}
    table one {{ actions {{ set; }} default_action : set(1); }}
    table two {{ actions {{ set; }} default_action : set(2); }}
    table three {{ actions {{ set; }} default_action : set(3); }}
    control ingress {{
        apply(first) {{
            other {{ apply(one); }}
            default {{ apply(second) {{ hit {{ apply(two); }} miss {{ apply(three); }} }} }}
        }}
    }}
    """
    stf = """
    add first 10 h.a:0x1* other()
    add second h.b:0x20 nop()
    packet 0 1f 00 00 00
    expect 0 1f 00 00 01
    packet 0 2f 2e 00 00
    expect 0 2f 2e 00 02
    packet 0 2f 3e 00 00
    expect 0 2f 3e 00 03
    """
    forwards(program, stf, tmp_path)


def test_registers_hashes_and_drop_in_egress(tmp_path: Path) -> None:
    program = f"""{BYTES}
    register seen {{ width : 16; instance_count : 4; }}
    field_list key {{ h.a; h.b; }}
    field_list_calculation fold {{ input {{ key; }} algorithm : xor16; output_width : 16; }}
    action act() {{
        register_read(m.y, seen, 1);
        add_to_field(m.y, 1);
        register_write(seen, 1, m.y);
        modify_field(h.c, m.y);
        modify_field_with_hash_based_offset(h.d, 5, fold, 16);
    }}
    action gone() {{ drop(); }}
    table t {{ actions {{ act; }} default_action : act; }}
    table e {{ actions {{ gone; }} default_action : gone; }}
    control ingress {{ apply(t); }}
    control egress {{ if (h.a == 0xff) {{ apply(e); }} }}
    """
    stf = """
    packet 0 12 34 00 00
    expect 0 12 34 01 09
    packet 0 ff 34 00 00
    packet 0 12 30 00 00
    expect 0 12 30 03 05
    """
    forwards(program, stf, tmp_path)


def test_direct_meters_and_counters_belong_to_their_table(tmp_path: Path) -> None:
    program = load(
        f"""{BYTES}
        meter limit {{ type : bytes; direct : t; result : m.x; }}
        counter hits {{ type : packets; direct : t; }}
        action act() {{ modify_field(h.d, m.x); }}
        table t {{ reads {{ h.a : range; h.b : index; }} actions {{ act; }} }}
        table u {{ actions {{ act; }} }}
        control ingress {{ apply(t); apply(u); }}
        """,
        tmp_path,
    )
    assert program.table["t"].direct == ("limit", "hits")
    assert program.extern["hits"].attribute("automatic") == 1
    assert [key.match_kind for key in program.table["t"].keys] == [MatchKind.RANGE, MatchKind.EXACT]


def test_a_direct_meter_is_read_where_its_own_table_runs_the_action(tmp_path: Path) -> None:
    program = f"""{BYTES}
    meter limit {{ type : bytes; direct : t; result : m.x; }}
    action act() {{ add_to_field(h.d, m.x); modify_field(m.x, 5); }}
    table u {{ actions {{ act; }} default_action : act; }}
    table t {{ reads {{ h.a : exact; }} actions {{ act; }} }}
    control ingress {{ apply(t); apply(u); }}
    """
    switch = Switch(load(program, tmp_path))
    entry = switch.table_add("t", (Exact(1),), "act")
    switch.meter_set_rates("limit", entry, (0.0, 1), (0.0, 1))
    assert switch.process(0, bytes((1, 0, 0, 0))) == [(0, bytes((1, 0, 0, 2 + 5)))]  # red


@pytest.mark.parametrize(
    ("condition", "frame", "holds"),
    [
        ("h.u == 0x101", "00 01 0000", False),  # neither side is cut
        ("h.u < 0x101", "00 ff 0000", True),
        ("h.s > h.u", "ff 01 0000", True),  # of which one has no sign
        ("h.s < 0", "ff 01 0000", True),
        ("h.s > h.t", "ff 00 fe 00", True),
        ("h.s > h.t", "ff 00 01 00", False),
        ("valid(m)", "00 00 0000", True),
        ("valid(other)", "00 00 0000", False),
    ],
)
def test_what_is_compared_and_what_is_valid(condition: str, frame: str, holds: bool, tmp_path: Path) -> None:
    program = f"""
    header_type h_t {{ fields {{ s : 8 (signed); u : 8; t : 8 (signed); d : 8; }} }}
    header_type m_t {{ fields {{ x : 8; }} }}
    header h_t h;
    header h_t other;
    metadata m_t m;
    parser start {{ extract(h); return ingress; }}
    action act() {{ modify_field(h.d, 1); }}
    table t {{ actions {{ act; }} default_action : act; }}
    control ingress {{ if ({condition}) {{ apply(t); }} }}
    """
    switch = Switch(load(program, tmp_path))
    assert switch.process(0, bytes.fromhex(frame))[0][1][3] == holds


def test_the_last_element_of_a_stack(tmp_path: Path) -> None:
    text = STACK.replace("latest.more", "tag[last].more")
    forwards(
        f"{text}control ingress {{ }}", "packet 0 01aa 00bb\nexpect 0 01aa 00bb\npacket 0 01aa 01bb 01cc\n", tmp_path
    )


def test_a_default_action_that_is_not_listed_is_of_no_entry(tmp_path: Path) -> None:
    program = f"""{BYTES}
    action act() {{ }}
    action other() {{ }}
    table t {{ reads {{ h.a : exact; }} actions {{ act; }} default_action : other; }}
    table u {{ reads {{ h.a : exact; }} actions {{ act; other; }} default_action : other; }}
    control ingress {{ apply(t); apply(u); }}
    """
    tables = load(program, tmp_path).table
    for name, only in (("t", True), ("u", False)):
        assert [(use.action, use.default_only) for use in tables[name].actions] == [("act", False), ("other", only)]


def test_selectors_add_their_fields_to_the_key(tmp_path: Path) -> None:
    program = load(
        f"""{BYTES}
        field_list flow {{ h.a; h.b; }}
        field_list_calculation hash {{ input {{ flow; }} algorithm : crc16; output_width : 12; }}
        action_selector spread {{ selection_key : hash; selection_mode : fair; }}
        action nop() {{ }}
        action_profile members {{ actions {{ nop; }} size : 32; dynamic_action_selection : spread; }}
        table t {{ reads {{ h.c : exact; }} action_profile : members; }}
        control ingress {{ apply(t); }}
        """,
        tmp_path,
    )
    table = program.table["t"]
    assert [(key.name, key.match_kind) for key in table.keys] == [
        ("h.c", MatchKind.EXACT),
        ("h.a", MatchKind.SELECTOR),
        ("h.b", MatchKind.SELECTOR),
    ]
    assert table.implementation == "members"
    assert dict(program.extern["members"].attributes) == {"size": 32, "algorithm": "crc16", "width": 12}


def test_deparser_follows_the_parse_graph(tmp_path: Path) -> None:
    program = load(
        """
        header_type h_t { fields { k : 8; } }
        header h_t last_one;
        header h_t first;
        header h_t middle;
        header h_t side;
        parser start { extract(first); return select(latest.k) { 1 : a; 2 : b; default : c; } }
        parser a { extract(middle); return c; }
        parser b { extract(side); return a; }
        parser c { extract(last_one); return ingress; }
        control ingress { }
        """,
        tmp_path,
    )
    deparser = program.pipe(Role.DEPARSER)
    assert isinstance(deparser, Control)
    order = [statement.header.name for statement in deparser.body if isinstance(statement, Emit)]  # type: ignore[union-attr]
    assert order == ["first", "side", "middle", "last_one"]


def test_states_that_go_round_without_a_header_are_followed_once(tmp_path: Path) -> None:
    program = load(
        """
        header_type h_t { fields { k : 8; } }
        header_type m_t { fields { left : 8; } }
        metadata m_t m;
        header h_t last_one;
        header h_t first;
        parser start { extract(first); set_metadata(m.left, first.k); return round; }
        parser round { set_metadata(m.left, m.left - 1); return select(m.left) { 0 : end; default : round; } }
        parser end { extract(last_one); return ingress; }
        control ingress { }
        """,
        tmp_path,
    )
    deparser = program.pipe(Role.DEPARSER)
    assert isinstance(deparser, Control)
    assert [s.header.name for s in deparser.body if isinstance(s, Emit)] == ["first", "last_one"]  # type: ignore[union-attr]


OPTIONS = """
header_type h_t { fields { k : 8; } }
header h_t a;
header h_t b;
header h_t c;
PRAGMA
parser start { return select(current(0, 8)) { 1 : pa; 2 : pb; 3 : pc; default : ingress; } }
parser pa { extract(a); return start; }
parser pb { extract(b); return start; }
parser pc { extract(c); return start; }
control ingress { }
"""


@pytest.mark.parametrize(
    ("pragma", "order", "codes"),
    [
        ("", "abc", ["deparser-order", "deparser-order"]),
        ("@pragma header_ordering c b a", "cba", []),
        ("@pragma header_ordering b missing c a", "bca", []),
        ("@pragma header_ordering c a", "bca", ["deparser-order"]),
        ("@pragma header_ordering a b\n@pragma header_ordering c a", "cab", ["deparser-order"]),
        ("@pragma header_ordering a b\n@pragma header_ordering b a", "cba", ["deparser-order"]),
    ],
    ids=["guessed", "told", "of what is no header", "of two", "two", "against each other"],
)
def test_loops_of_options_have_the_order_of_the_pragma_or_a_guessed_one(
    tmp_path: Path, pragma: str, order: str, codes: list[str]
) -> None:
    path = tmp_path / "loop.p4"
    path.write_text(OPTIONS.replace("PRAGMA", pragma))
    diagnostics = Diagnostics()
    program = P4_14().load(Source(path), diagnostics)
    verify(program)
    deparser = program.pipe(Role.DEPARSER)
    assert isinstance(deparser, Control)
    assert "".join(s.header.name for s in deparser.body if isinstance(s, Emit)) == order  # type: ignore[union-attr]
    assert [message.code for message in diagnostics.messages] == codes


@pytest.mark.parametrize("call", ["add_header(extra);", "copy_header(extra, h);", "push(extras, 1);"])
def test_a_header_without_place_in_the_parse_graph_is_warned_about(call: str, tmp_path: Path) -> None:
    path = tmp_path / "placeless.p4"
    path.write_text(
        f"""{BYTES}header h_t extra; header h_t extras[2];
        action act() {{ {call} }}
        table t {{ actions {{ act; }} }}
        control ingress {{ apply(t); }}
        """
    )
    diagnostics = Diagnostics()
    P4_14().check(Source(path), diagnostics)
    assert [message.code for message in diagnostics.messages] == ["never-deparsed"]


@pytest.mark.parametrize(
    ("declaration", "code"),
    [
        ("meter one { type : bytes; result : m.x; instance_count : 4; }", "property"),
        ("table t { actions { act; } colour : red; }", "property"),
        ("table t { actions { } }", "no-actions"),
        ("\n#warning old\n", "preprocessor"),
        ("parser more { return select(h.a) { 256 : ingress; default : ingress; } }", "overflow"),
    ],
)
def test_what_means_nothing_here_is_warned_about(declaration: str, code: str, tmp_path: Path) -> None:
    path = tmp_path / "program.p4"
    path.write_text(f"{BYTES}action act() {{ }} {declaration} control ingress {{ }}")
    for disabled, expected in ((), [code]), ((code,), []):
        diagnostics = Diagnostics(disabled_warnings=disabled)
        P4_14().check(Source(path), diagnostics)
        assert [message.code for message in diagnostics.messages] == expected


@pytest.mark.parametrize(("x", "y", "shown"), [(7, 9, "11"), (1, 2, "04"), (0, 1, "02")])
def test_initial_values_do_not_overwrite_what_a_resubmitted_packet_brings(
    x: int, y: int, shown: str, tmp_path: Path
) -> None:
    program = f"""
    header_type h_t {{ fields {{ a : 8; }} }}
    header h_t h;
    header_type m_t {{ fields {{ x : 8; y : 8; }} }}
    metadata m_t m {{ x : {x}; y : {y}; }};
    """
    program += """
    field_list keep { m.x; }
    parser start { extract(h); return ingress; }
    action again() { add_to_field(m.x, 1); add_to_field(m.y, 1); resubmit(keep); }
    action show() { add(h.a, m.x, m.y); }
    table t { actions { again; } default_action : again; }
    table u { actions { show; } default_action : show; }
    control ingress { if (standard_metadata.instance_type == 0) { apply(t); } else { apply(u); } }
    """
    forwards(program, f"packet 0 00 55\nexpect 0 {shown} 55\n", tmp_path)


def test_initial_values_are_set_once_where_start_is_gone_through_again(tmp_path: Path) -> None:
    text = STACK.replace("extract(tag[next]);", "extract(tag[next]); set_metadata(m.x, m.x + 1);")
    program = f"""header_type m_t {{ fields {{ x : 8; }} }} metadata m_t m {{ x : 5; }};
    {text}
    action out() {{ modify_field(standard_metadata.egress_spec, m.x); }}
    table t {{ actions {{ out; }} default_action : out; }} control ingress {{ apply(t); }}
    """
    forwards(program, "packet 0 01aa 00bb\nexpect 7 01aa 00bb\npacket 0 00bb\nexpect 6 00bb\n", tmp_path)


def test_externs_check_but_do_not_load(tmp_path: Path) -> None:
    path = tmp_path / "extern.p4"
    path.write_text(
        f"""{BYTES}
        extern_type thing {{ attribute size {{ type : int; }} method poke(in int x); }}
        extern thing it {{ size : 4; }}
        action act() {{ it.poke(1); }}
        table t {{ actions {{ act; }} }}
        control ingress {{ apply(t); }}
        """
    )
    P4_14().check(Source(path), Diagnostics())
    diagnostics = Diagnostics()
    with pytest.raises(Rejected):
        P4_14().load(Source(path), diagnostics)
    assert "the extern 'it' is not supported" in diagnostics.render()


@pytest.mark.parametrize(
    ("call", "message"),
    [
        ("clone_ingress_pkt_to_ingress(5);", "'clone_ingress_pkt_to_ingress' is not supported"),
        ("clone_egress_pkt_to_ingress(5);", "'clone_egress_pkt_to_ingress' is not supported"),
        ("execute_meter(limit, 0, m.x, h.a);", "the packet's colour before a meter is not supported"),
        ("modify_field(h.a, standard_metadata.clone_spec);", "'standard_metadata.clone_spec' is not supported"),
        ("modify_field(standard_metadata.parser_error_location, 1);", "'standard_metadata.parser_error_location' is"),
    ],
)
def test_what_no_switch_does_checks_but_does_not_load(call: str, message: str, tmp_path: Path) -> None:
    path = tmp_path / "refused.p4"
    path.write_text(
        f"""{BYTES}
        meter limit {{ type : bytes; instance_count : 4; }}
        action act() {{ {call} }}
        table t {{ actions {{ act; }} }}
        control ingress {{ apply(t); }}
        """
    )
    P4_14().check(Source(path), Diagnostics())
    diagnostics = Diagnostics()
    with pytest.raises(Rejected):
        P4_14().load(Source(path), diagnostics)
    assert "refused.p4:9:" in diagnostics.render() and f"error: {message}" in diagnostics.render()


def test_a_header_is_copied_from_one_of_its_own_type_only(tmp_path: Path) -> None:
    """Fields of the same names and widths do not make two types one. Specification 1.0.5 section 9.1."""
    path, diagnostics = tmp_path / "copies.p4", Diagnostics()
    path.write_text("""
        header_type one_t { fields { a : 8; } }
        header_type two_t { fields { a : 8; } }
        header one_t one; header one_t same; header two_t two;
        parser start { extract(one); extract(two); return ingress; }
        action act() { copy_header(same, one); copy_header(one, two); }
        table t { actions { act; } }
        control ingress { apply(t); }
    """)
    with pytest.raises(Rejected):
        P4_14().check(Source(path), diagnostics)
    errors = [m.message for m in diagnostics.messages if m.severity.value == "error"]
    assert errors == ["'one' of type one_t cannot take a header of type two_t"]


@pytest.mark.parametrize(("calls", "right"), [(MAX_CALL_DEPTH - 1, True), (MAX_CALL_DEPTH, False)])
@pytest.mark.parametrize("kind", ["control", "action"])
def test_how_deep_calls_may_be(kind: str, calls: int, right: bool, tmp_path: Path) -> None:
    """One calls the next; the last one of so many calls nothing more."""
    last = "apply(t);" if kind == "control" else "no_op();"
    names = ["ingress" if kind == "control" else "x0", *(f"x{n}" for n in range(1, calls + 1))]
    chain = "".join(f"{kind} {name}{'()' * (kind == 'action')} {{ {then} }}\n" for name, then in
                    zip(names, [*(f"{name}();" for name in names[1:]), last], strict=True))  # fmt: skip
    table = (
        "table t { actions { x0; } }\ncontrol ingress { apply(t); }"
        if kind == "action"
        else "table t { actions { a; } }"
    )
    path, diagnostics = tmp_path / "deep.p4", Diagnostics()
    path.write_text(f"{BYTES}\naction a() {{ }}\n{chain}{table}\n")
    if right:
        P4_14().check(Source(path), diagnostics)
    else:
        with pytest.raises(Rejected):
            P4_14().check(Source(path), diagnostics)
    assert [f"'{names[-1]}' is called too deep" in m.message for m in diagnostics.messages] == [True] * (not right)


@pytest.mark.parametrize("kind", ["control", "action", "field_list"])
def test_expansion_without_end_is_an_error(kind: str, tmp_path: Path) -> None:
    call, last = {
        "control": ("{0}();{0}();", "control x40 { apply(t); }"),
        "action": ("{0}();{0}();", "action x40() { drop(); }"),
        "field_list": ("{0};{0};", "field_list x40 { h.a; }"),
    }[kind]
    parameters = "()" if kind == "action" else ""
    chain = "".join(f"{kind} x{i}{parameters} {{ {call.format(f'x{i + 1}')} }}\n" for i in range(40))
    path = tmp_path / "bomb.p4"
    path.write_text(f"{BYTES}{chain}{last}\naction n() {{ }}\ntable t {{ actions {{ n; }} }}\ncontrol ingress {{ }}")
    with pytest.raises(Rejected):
        P4_14().check(Source(path), Diagnostics())


@pytest.mark.parametrize(
    ("count", "last", "problem"), [(9, "x0", "'x0' contains itself"), (40, "h", "is within more than 32 others")]
)
def test_a_field_list_in_many_others(count: int, last: str, problem: str, tmp_path: Path) -> None:
    lists = "".join(f"field_list x{i} {{ x{i + 1}; }}\n" for i in range(count)) + f"field_list x{count} {{ {last}; }}\n"
    calculation = "field_list_calculation c { input { x0; } algorithm : crc16; output_width : 16; }\n"
    action = "action a() { modify_field_with_hash_based_offset(m.y, 0, c, 16); }\ntable t { actions { a; } }\n"
    path, diagnostics = tmp_path / "deep.p4", Diagnostics()
    path.write_text(f"{BYTES}{lists}{calculation}{action}control ingress {{ apply(t); }}")
    with pytest.raises(Rejected):
        P4_14().check(Source(path), diagnostics)
    assert problem in diagnostics.render()


def test_a_value_set_has_whole_values_wherever_it_is_used(tmp_path: Path) -> None:
    """One of 16 bits is compared with a field of 16 bits and with two fields of 3 and 13 bits in a row."""
    text = """
        header_type kind_t { fields { v : 16; } }
        header_type parts_t { fields { high : 3; low : 13; } }
        header_type note_t { fields { v : 8; } }
        header kind_t kind;
        header parts_t parts;
        header note_t note;
        parser_value_set known;
        parser start {
            extract(kind);
            return select(latest.v) { known : noted; 7 : in_parts; default : ingress; }
        }
        parser in_parts {
            extract(parts);
            return select(latest.high, latest.low) { known : noted; 0x2001 : ingress; default : refuse; }
        }
        parser noted { extract(note); return ingress; }
        parser refuse { return parse_error gone; }
        parser_exception gone { parser_drop; }
        action mark() { modify_field(note.v, 0xee); }
        table marked { actions { mark; } default_action : mark(); }
        control ingress { if (valid(note)) { apply(marked); } }
    """
    program = load(text, tmp_path)
    assert program.value_set["known"].types == (Bits(16),)
    switch = Switch(program)
    switch.value_set_add("known", (Exact(0x6005),))
    for frame, expected in (
        ("600501", "6005ee"),
        ("0007600501", "00076005ee"),
        ("0007200101", "0007200101"),
        ("0007600401", None),
    ):
        sent = [out.hex() for _, out in switch.process(0, bytes.fromhex(frame))]
        assert sent == ([expected] if expected else []), frame


def test_a_program_without_start_is_told_at_its_beginning(tmp_path: Path) -> None:
    path, diagnostics = tmp_path / "program.p4", Diagnostics()
    path.write_text("\nparser begin { return ingress; }\ncontrol ingress { }\n")
    with pytest.raises(Rejected):
        P4_14().load(Source(path), diagnostics)
    assert f"{path}:1:1: error: the program has no parser state 'start'" in diagnostics.render()


def test_a_digest_may_be_called_as_another_object(tmp_path: Path) -> None:
    """Names of field lists and of counters are apart in P4-14. One list that is sent twice is one digest."""
    program = f"""{BYTES}
    field_list seen {{ h.a; }}
    field_list other {{ h.b; }}
    counter seen {{ type : packets; instance_count : 4; }}
    action act() {{ count(seen, 1); generate_digest(0, seen); generate_digest(0, seen); generate_digest(0, other); }}
    table t {{ actions {{ act; }} default_action : act(); }}
    control ingress {{ apply(t); }}
    """
    switch = Switch(load(program, tmp_path))
    switch.process(0, bytes((1, 2, 3, 4)))
    assert switch.counter("seen", 1).packets == 1
    assert switch.store.digests == [Digest("seen.digest", (1,)), Digest("seen.digest", (1,)), Digest("other", (2,))]


USES = """
header_type wide_t { fields { z : 48; s : 12; } }
metadata wide_t w;
counter c { type : packets; instance_count : 1000; }
counter one { type : packets; instance_count : 1; }
meter mt { type : bytes; instance_count : 4; }
register r { width : 24; instance_count : 300; }
field_list all_of { m.x; }
field_list_calculation sum_of { input { all_of; } algorithm : crc16; output_width : 16; }
action inner(q) { modify_field(m.y, q); }
action outer(q, s) { inner(q); modify_field(h.a, s); }
"""


@pytest.mark.parametrize(
    ("statements", "width"),
    [
        ("modify_field(h.a, p);", 8), ("modify_field(m.y, p);", 16), ("modify_field(m.x, p, 0x0f);", 8), ("no_op();", 8),
        ("modify_field(h.a, p); modify_field(m.y, p); modify_field(h.b, p);", 16),  # the widest of all
        ("add(h.a, p, m.y);", 8), ("add(w.z, m.y, p);", 48), ("add_to_field(m.y, p);", 16), ("bit_xor(w.z, p, p);", 48),
        ("modify_field(m.y, p + h.a);", 8), ("modify_field(m.y, h.a + p);", 8), ("modify_field(m.y, p + 1);", 16),
        ("modify_field(m.y, 1 + p);", 16), ("modify_field(m.y, ~p);", 16), ("modify_field(m.y, p + 12'5);", 12),
        ("modify_field(m.y, p + ~w.s);", 12), ("modify_field(m.y, (h.a + w.s) - p);", 12), ("modify_field(m.y, p << 2);", 16),
        ("modify_field(h.a, h.b << p);", 8), ("modify_field(m.y, 1 << p);", 8), ("modify_field(h.a, p == m.y);", 16),
        ("modify_field(m.y, p == 3);", 8), ("modify_field(m.y, (p == h.a) + 1);", 8),
        ("count(c, p);", 10), ("count(one, p);", 32), ("execute_meter(mt, p, m.x);", 2), ("register_read(h.a, r, p);", 9),
        ("register_write(r, p, h.a);", 9), ("register_write(r, 0, p);", 24), ("truncate(p);", 32),
        ("clone_ingress_pkt_to_egress(p, all_of);", 32), ("inner(p);", 16), ("outer(p, 1);", 16), ("outer(1, p);", 8),
        ("modify_field_with_hash_based_offset(m.y, p, sum_of, 4);", 16), ("modify_field_rng_uniform(m.y, p, 9);", 16),
    ],
)  # fmt: skip
def test_parameters_are_as_wide_as_they_are_used(statements: str, width: int, tmp_path: Path) -> None:
    """As the field that they go into, what they are combined or compared with, the index or another action's parameter."""
    text = f"{BYTES}{USES}\naction act(p) {{ {statements} }}\n"
    text += "table t { reads { h.a : exact; } actions { act; } }\ncontrol ingress { apply(t); }\n"
    program = load(text, tmp_path)
    [action] = [action for action in program.actions if action.control_name == "act"]
    assert [program.variable[name].type for name in action.parameters] == [Bits(width)]
