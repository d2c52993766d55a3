"""PNA before code generation: what elaboration makes of a program, what it refuses, what its pipe becomes.

The packet paths and most externs have packet tests: tests/packets/pna_*.stf.
"""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace

import pytest
from aux_frontend.p4_16.frontend import P4_16

from macsad import compilation
from macsad.compilation import Request
from transpiler.architectures.pna.pipes import (
    BEGIN,
    FINISH,
    LEAVE,
    PARSED,
    SEND,
    plan,
    preserved_lists,
    recirculates,
    second_passes,
    specialise,
)
from transpiler.diagnostics import Diagnostics, NotRun, Rejected, Severity
from transpiler.frontend import Source
from transpiler.hlir.program import Architecture, Program, Role, Storage
from transpiler.hlir.types import Bits
from transpiler.interpreter import Switch
from transpiler.interpreter.calls import Call as ExternCall
from transpiler.interpreter.matches import Exact
from transpiler.interpreter.paths import PASSES_LIMIT
from transpiler.interpreter.store import Digest
from transpiler.interpreter.tables import Call
from transpiler.interpreter.trace import Event
from transpiler.p4info.build import build
from transpiler.passes.pipeline import optimise
from transpiler.schedule.pipeline import DROP, PASS, Source as From, Step
from transpiler.verifier import verify

PACKETS = Path(__file__).parents[1] / "packets"
PROGRAM = """
#include <core.p4>
#include <{include}>
header h_t {{ bit<8> a; bit<8> b; bit<16> c; bit<64> time; }}
struct H {{ h_t h; }}
struct M {{ bit<8> m; }}
struct other_t {{ bit<8> m; }}
{top}
parser Main(packet_in packet, out H hdr, inout M meta, in pna_main_parser_input_metadata_t istd) {{
    state start {{ packet.extract(hdr.h); {parser} transition accept; }}
}}
control Before(in {before}, inout M meta, in pna_pre_input_metadata_t istd, inout pna_pre_output_metadata_t ostd) {{
    apply {{ {pre} }}
}}
control Work(inout H hdr, inout M meta, in pna_main_input_metadata_t istd, inout pna_main_output_metadata_t ostd) {{
    {control}
    apply {{ {apply} }}
}}
control Out(packet_out packet, in H hdr, in M meta, in pna_main_output_metadata_t ostd) {{
    apply {{ {deparser} packet.emit(hdr); }}
}}
PNA_NIC(Main(), Before(), Work(), Out()) main;
"""
NOTHING = {
    "include": "dpdk/pna.p4", "top": "", "parser": "", "before": "H hdr", "pre": "", "control": "", "apply": "", "deparser": "",
}  # fmt: skip
FRAME = bytes.fromhex("01 02 0003 0000000000000000")


def text(tmp_path: Path, **parts: str) -> Source:
    file = tmp_path / "t.p4"
    file.write_text(PROGRAM.format(**{**NOTHING, **parts}))
    return Source(file)


def load(tmp_path: Path, **parts: str) -> Program:
    diagnostics = Diagnostics()
    try:
        program = P4_16().load(text(tmp_path, **parts), diagnostics)
    except Rejected:
        pytest.fail(diagnostics.render())
    verify(program)
    return program


def refused(tmp_path: Path, **parts: str) -> str:
    """The first error, with its line and column left out."""
    source = text(tmp_path, **parts)
    diagnostics = Diagnostics()
    with pytest.raises(Rejected):
        P4_16().load(source, diagnostics)
    first = next(message for message in diagnostics.messages if message.severity is Severity.ERROR)
    assert first.span.file == str(source.path) and first.span.line > 0
    return first.message


# --- the program -----------------------------------------------------------------------------------------------------


def test_four_blocks_of_one_storage(tmp_path: Path) -> None:
    program = load(tmp_path)
    assert program.architecture is Architecture.PNA
    assert [pipe.role for pipe in program.pipes] == [Role.PARSER, Role.PRE_CONTROL, Role.MAIN_CONTROL, Role.DEPARSER]
    assert program.bridges == ()
    assert [header.name for header in program.headers] == ["hdr.h"]
    assert program.intrinsic["main_input.direction"] == "main_input.direction"


@pytest.mark.parametrize("include", ["pna.p4", "dpdk/pna.p4"])
def test_both_declarations_of_the_architecture(tmp_path: Path, include: str) -> None:
    program = load(tmp_path, include=include, apply="send_to_port(istd.input_port);")
    assert Switch(program).process(6, FRAME) == [(6, FRAME)]


ADD_ONE = 'add_entry("hit", hdr.h.c, (ExpireTimeProfileId_t)0)'
EXPIRES = "set_entry_expire_time((ExpireTimeProfileId_t)1)"
LEARNING = """action hit(bit<16> x) {{ hdr.h.c = x; }}
    action miss() {{ {call}; }}
    table t {{
        key = {{ hdr.h.a: exact; }} actions = {{ hit; @defaultonly miss; }} default_action = miss;
        add_on_miss = true; {more}
    }}"""
REFUSED = {
    "'hdr' must be struct 'H', as the main parser's": {"before": "other_t hdr"},
    "decryption (decrypt) is not supported": {"pre": "ostd.decrypt = hdr.h.isValid();"},
    "'send_to_port' can only be called in the main control": {"pre": "send_to_port((PortId_t)1);"},
    "'drop_packet' can only be called in the main control": {"deparser": "drop_packet();"},
    "'recirculate' can only be called in the pre control and the main control": {"deparser": "recirculate();"},
    "the slot of 'mirror_packet' is a number from 0 to 3": {
        "apply": "mirror_packet((MirrorSlotId_t)4, (MirrorSessionId_t)1);"
    },
    "mirror session 0 is reserved": {"apply": "mirror_packet((MirrorSlotId_t)0, (MirrorSessionId_t)0);"},
    "an increment is of bytes": {
        "include": "pna.p4",
        "control": "Counter<bit<32>, bit<8>>(4, PNA_CounterType_t.PACKETS) c;",
        "apply": "c.count(1, 5);",
    },
    "packets cannot add entries to 't', whose entries are constant": {
        "control": LEARNING.format(call=ADD_ONE, more="const entries = { 1: hit(2); }"),
        "apply": "t.apply();",
    },
    "'hit' has 1 parameters, and 'action_params' has 2": {
        "control": LEARNING.format(call='add_entry("hit", {hdr.h.c, hdr.h.c}, (ExpireTimeProfileId_t)0)', more=""),
        "apply": "t.apply();",
    },
    "'x' has 16 bits, and its value in 'action_params' has 8": {
        "control": LEARNING.format(call='add_entry("hit", hdr.h.a, (ExpireTimeProfileId_t)0)', more=""),
        "apply": "t.apply();",
    },
    "the fields of 'action_params' must be the parameters of 'hit'": {
        "top": "struct one_t { bit<16> y; }",
        "control": LEARNING.format(call='add_entry("hit", (one_t){ y = hdr.h.c }, (ExpireTimeProfileId_t)0)', more=""),
        "apply": "t.apply();",
    },
    "expire time profiles have the numbers 0 to 254": {
        "control": LEARNING.format(call='add_entry("hit", hdr.h.c, (ExpireTimeProfileId_t)255)', more=""),
        "apply": "t.apply();",
    },
    "packets cannot add entries to 't', which has an action profile": {
        "control": LEARNING.format(call=ADD_ONE, more="pna_implementation = ActionProfile(8);"),
        "apply": "t.apply();",
    },
    "'hit' has parameters with directions, so packets cannot add entries of it": {
        "control": LEARNING.format(call=ADD_ONE, more="").replace("hit(bit", "hit(in bit").replace("{ hit;", "{ hit(hdr.h.c);"),
        "apply": "t.apply();",
    },
    "keys of table 't' must be exact, since packets add entries to it (add_on_miss)": {
        "control": LEARNING.format(call=ADD_ONE, more="").replace("exact", "ternary"),
        "apply": "t.apply();",
    },
    "'add_entry' needs add_on_miss = true in table 't'": {
        "control": LEARNING.format(call=ADD_ONE, more="").replace("true", "false"),
        "apply": "t.apply();",
    },
    "'set_entry_expire_time' needs pna_idle_timeout, or idle_timeout_with_auto_delete = true, in table 't'": {
        "control": LEARNING.format(call=EXPIRES, more="pna_idle_timeout = PNA_IdleTimeout_t.NO_TIMEOUT;"),
        "apply": "t.apply();",
    },
    "the slot of 'mirror_packet' must be known at compile time": {
        "apply": "mirror_packet((MirrorSlotId_t)hdr.h.a, (MirrorSessionId_t)1);"
    },
    "'mirror_packet' can only be called in the main control, 'Before' is another": {
        "pre": "mirror_packet((MirrorSlotId_t)1, (MirrorSessionId_t)1);"
    },
    "the action of an entry must be named by a string here": {
        "top": 'const string named = "hit";',
        "control": LEARNING.format(call=ADD_ONE.replace('"hit"', "named"), more=""),
        "apply": "t.apply();",
    },
    "'hit' has 1 parameters, and 'action_params' has 0": {
        "control": LEARNING.format(call='add_entry("hit", {}, (ExpireTimeProfileId_t)0)', more=""),
        "apply": "t.apply();",
    },
    "'x' has 16 bits, and its value in 'action_params' has 64": {
        "control": LEARNING.format(call='add_entry("hit", hdr.h.time, (ExpireTimeProfileId_t)0)', more=""),
        "apply": "t.apply();",
    },
    "expire time profiles have the numbers 0 to": {
        "control": LEARNING.format(
            call="set_entry_expire_time((ExpireTimeProfileId_t)255)", more="idle_timeout_with_auto_delete = true;"
        ),
        "apply": "t.apply();",
    },
    "'mirror_packet' can only be called in the main control": {
        "top": "action mirrored() { mirror_packet((MirrorSlotId_t)1, (MirrorSessionId_t)1); }", "pre": "mirrored();"
    },
    "'send_to_port' can only be called in the main": {"top": "action sent() { send_to_port((PortId_t)1); }", "pre": "sent();"},
    "'drop_packet' can only be called in the main": {"top": "action dropped() { drop_packet(); }", "pre": "dropped();"},
    "'hit' has parameters with directions, so packets cannot": {
        "control": LEARNING.format(call=ADD_ONE, more="")
        .replace("hit(bit", "hit(in bit<8> y, bit")
        .replace("{ hit;", "{ hit(hdr.h.a);"),
        "apply": "t.apply();",
    },
    "the extern function 'allocate_flow_id' is not supported": {"apply": "FlowId_t flow = allocate_flow_id();"},
}  # fmt: skip


@pytest.mark.parametrize("why", REFUSED)
def test_what_is_not_supported_is_said_with_its_place(tmp_path: Path, why: str) -> None:
    assert why in refused(tmp_path, **REFUSED[why])


@pytest.mark.parametrize(
    "more", ["pna_idle_timeout = PNA_IdleTimeout_t.NOTIFY_CONTROL;", "idle_timeout_with_auto_delete = true;"]
)
def test_entries_that_time_out_may_be_given_more_time(more: str, tmp_path: Path) -> None:
    assert load(tmp_path, control=LEARNING.format(call=EXPIRES, more=more), apply="t.apply();")


def test_a_property_that_means_nothing(tmp_path: Path) -> None:
    source = text(tmp_path, control=LEARNING.format(call=ADD_ONE, more="strange = 5;"), apply="t.apply();")
    diagnostics = Diagnostics()
    P4_16().load(source, diagnostics)
    assert "table property 'strange' means nothing on PNA" in [message.message for message in diagnostics.messages]


ONLY_CHECKED = {
    "the extern 'ipsec_accelerator' is not supported on PNA": {"control": "ipsec_accelerator() ipsec;"},
    "the hash algorithm TOEPLITZ is not supported": {
        "control": "Hash<bit<16>>(PNA_HashAlgorithm_t.TOEPLITZ) h;",
        "apply": "hdr.h.c = h.get_hash(hdr.h.a);",
    },
}


@pytest.mark.parametrize("why", ONLY_CHECKED)
def test_what_can_only_be_checked(tmp_path: Path, why: str) -> None:
    source, diagnostics = text(tmp_path, **ONLY_CHECKED[why]), Diagnostics()
    P4_16().check(source, diagnostics)
    with pytest.raises(NotRun) as told:
        P4_16().load(source, diagnostics)
    assert why in told.value.message and told.value.span.file == str(source.path)


def test_decrypt_may_be_told_not_to(tmp_path: Path) -> None:
    assert load(tmp_path, pre="ostd.decrypt = false;")


def test_an_increment_is_counted_in_bytes(tmp_path: Path) -> None:
    control = "Counter<bit<32>, bit<8>>(4, PNA_CounterType_t.BYTES) c;"
    switch = Switch(load(tmp_path, include="pna.p4", control=control, apply="c.count(1, 5); c.count(1);"))
    switch.process(0, FRAME)
    assert switch.counter("Work.c", 1).bytes == 5 + len(FRAME)


@pytest.mark.parametrize("include", ["pna.p4", "dpdk/pna.p4"])
def test_a_length_that_is_given_is_counted_of_entries_too(include: str, tmp_path: Path) -> None:
    control = """DirectCounter<bit<32>>(PNA_CounterType_t.PACKETS_AND_BYTES) c;
        action at() { c.count(5); c.count(); }
        table t { key = { hdr.h.a: exact; } actions = { at; } pna_direct_counter = c; }"""
    switch = Switch(load(tmp_path, include=include, control=control, apply="t.apply();"))
    handle = switch.table("Work.t").add((Exact(1),), Call("Work.at"), 0)
    switch.process(0, FRAME)
    counted = switch.counter("Work.c", handle)
    assert (counted.packets, counted.bytes) == (2, 5 + len(FRAME))


def test_an_optional_length_is_measured(tmp_path: Path) -> None:
    control = """DirectMeter(PNA_MeterType_t.BYTES) m;
        action at() { hdr.h.b = m.execute(@OPT@) == PNA_MeterColor_t.GREEN ? 8w1 : 2; send_to_port((PortId_t)1); }
        table t { key = { hdr.h.a: exact; } actions = { at; NoAction; } pna_direct_meter = m; }"""
    for given, colour in (("PNA_MeterColor_t.GREEN, 32w1000", 2), ("color = PNA_MeterColor_t.GREEN", 1)):
        switch = Switch(load(tmp_path, include="pna.p4", control=control.replace("@OPT@", given), apply="t.apply();"))
        handle = switch.table("Work.t").add((Exact(1),), Call("Work.at"), 0)
        switch.meter_set_rates("Work.m", handle, (0.0000001, 500), (0.0000001, 500))
        ((_, frame),) = switch.process(0, FRAME)
        assert frame[1] == colour


# --- packets ---------------------------------------------------------------------------------------------------------


def test_time_pass_and_port_are_told(tmp_path: Path) -> None:
    apply = """hdr.h.time = (bit<64>)(TimestampUint_t)istd.timestamp; hdr.h.a = (bit<8>)(PassNumberUint_t)istd.pass;
        hdr.h.c = (bit<16>)(PortIdUint_t)istd.input_port; hdr.h.b = istd.loopedback ? 8w1 : 0;
        send_to_port((PortId_t)9);"""
    switch = Switch(load(tmp_path, apply=apply))
    ((port, frame),) = switch.process(0x1234, FRAME)
    assert port == 9
    assert frame[:4].hex() == "00001234"
    assert int.from_bytes(frame[4:]) > 0


@pytest.mark.parametrize(("passes", "pre"), [(3, ""), (4, ""), (4, "recirculate();")])
def test_a_packet_knows_how_often_it_has_come(tmp_path: Path, passes: int, pre: str) -> None:
    apply = f"""hdr.h.b = (bit<8>)(PassNumberUint_t)istd.pass; hdr.h.c = hdr.h.c + 1;
        if ((PassNumberUint_t)istd.pass < {passes}) {{ recirculate(); }} else {{ send_to_port((PortId_t)1); drop_packet();
        send_to_port((PortId_t)2); }}"""
    ((port, frame),) = Switch(load(tmp_path, apply=apply)).process(1, FRAME)
    assert (port, frame[1], int.from_bytes(frame[2:4])) == (2, passes, 3 + passes + 1)


@pytest.mark.parametrize(
    ("apply", "sent"),
    [
        ("drop_packet(); send_to_port((PortId_t)1);", 1), ("send_to_port((PortId_t)1); drop_packet();", None),
        ("recirculate(); drop_packet();", None), ("recirculate(); send_to_port((PortId_t)1);", None),
        ("send_to_port((PortId_t)1); send_to_port((PortId_t)2);", 2),
    ],
)  # fmt: skip
def test_the_last_decision_counts(tmp_path: Path, apply: str, sent: int | None) -> None:
    once = "if ((PassNumberUint_t)istd.pass == 0) { " + apply + " } else { drop_packet(); }"
    found = Switch(load(tmp_path, apply=once)).process(1, FRAME)
    assert [port for port, _ in found] == ([] if sent is None else [sent])


@pytest.mark.parametrize(
    ("chosen", "first", "second"),
    [("hdr.h.a, hdr.h.b", 1, 2), ("7, hdr.h.a", 7, 1), ("hdr.h.a, 7", 1, 7), ("8w5, 6", 5, 6)],
)
def test_a_value_for_each_direction(tmp_path: Path, chosen: str, first: int, second: int) -> None:
    apply = f"""hdr.h.c = istd.direction == PNA_Direction_t.NET_TO_HOST ? 16w0 : 1;
        hdr.h.b = SelectByDirection(istd.direction, {chosen}); send_to_port((PortId_t)1);"""
    ((_, frame),) = Switch(load(tmp_path, apply=apply)).process(1, FRAME)
    assert frame[1] == (second if frame[3] else first)


STRUCTURES = {
    "main_parser_input": "loopedback pass direction input_port",
    "pre_input": "input_port parser_error direction pass loopedback",
    "pre_output": "decrypt said decrypt_start_offset",
    "main_input": "direction pass loopedback timestamp parser_error class_of_service input_port",
    "main_output": "class_of_service",
}


def test_all_that_the_architecture_tells_is_intrinsic(tmp_path: Path) -> None:
    own = [
        "drop",
        "recirculate",
        "output_port",
        "next_pass",
        "packet_length",
        "mirror_0",
        "mirror_1",
        "mirror_2",
        "mirror_3",
    ]
    fields = [f"{struct}.{name}" for struct, names in STRUCTURES.items() for name in names.split()]
    program = load(tmp_path)
    assert sorted(program.intrinsic) == sorted(own + fields)
    assert {program.variable[name].storage for name in program.intrinsic.values()} == {Storage.INTRINSIC}
    widths = [program.variable[name].type for name in ("next_pass", "output_port", "mirror_3", "packet_length")]
    assert widths == [Bits(3), Bits(32), Bits(16), Bits(32)]


def test_a_packet_does_not_go_round_for_ever(tmp_path: Path) -> None:
    told: list[Event] = []
    assert Switch(load(tmp_path, apply="recirculate();"), trace=told.append).process(1, FRAME) == []
    passes = [event for event in told if event.kind == "pass" and event.text.startswith("main")]
    assert len(passes) == PASSES_LIMIT + 1


@pytest.mark.parametrize("where", ["recirculate();", "send_to_port((PortId_t)3);"])
def test_a_packet_of_which_nothing_is_left_is_dropped_wherever_it_was_to_go(where: str, tmp_path: Path) -> None:
    """Nor are there copies of it."""
    told: list[Event] = []
    copied = "mirror_packet((MirrorSlotId_t)1, (MirrorSessionId_t)5);"
    switch = Switch(load(tmp_path, apply=f"hdr.h.setInvalid(); {copied} {where}"), trace=told.append)
    switch.mirroring_add(5, 4)
    assert switch.process(1, FRAME) == []
    assert [event.text for event in told if event.kind in ("pass", "drop")] == [
        "main, port 1, 12 bytes", "nothing is left of it: a frame has one byte at least",
    ]  # fmt: skip


def test_a_packet_that_nobody_sends_is_dropped(tmp_path: Path) -> None:
    """Copies of it are sent all the same, of each slot that has a session."""
    assert Switch(load(tmp_path)).process(1, FRAME) == []
    assert [port for port, _ in Switch(load(tmp_path, apply="send_to_port((PortId_t)3);")).process(1, FRAME)] == [3]
    apply = "mirror_packet((MirrorSlotId_t)1, (MirrorSessionId_t)5);"
    for more, ports in (("", [4]), ("send_to_port((PortId_t)3);", [3, 4])):
        switch = Switch(load(tmp_path, apply=apply + more))
        switch.mirroring_add(5, 4)
        assert sorted(port for port, _ in switch.process(1, FRAME)) == ports


@pytest.mark.parametrize(
    ("apply", "asked"),
    [
        ("send_to_port((PortId_t)3);", []),
        ("mirror_packet((MirrorSlotId_t)1, (MirrorSessionId_t)5);", ["macs_request_clone_egress", "macs_clone_egress"]),
        ("recirculate();", ["macs_request_recirculate"]),
    ],
)
def test_what_a_program_may_ask_for_is_in_its_c(apply: str, asked: list[str], tmp_path: Path) -> None:
    source = text(tmp_path, apply=apply)
    c = compilation.generate_c(Request(source.path), load(tmp_path, apply=apply)).c
    calls = ("macs_request_clone_egress(", "macs_clone_egress(", "macs_request_recirculate(")
    assert [call[:-1] for call in calls if call in c] == asked


def test_metadata_begin_anew_in_each_pass(tmp_path: Path) -> None:
    apply = """hdr.h.b = meta.m; meta.m = 7;
        if ((PassNumberUint_t)istd.pass == 0) { recirculate(); } else { send_to_port((PortId_t)1); }"""
    ((_, frame),) = Switch(load(tmp_path, apply=apply)).process(1, FRAME)
    assert frame[1] == 0


def test_digests_of_the_deparser_reach_the_control_plane(tmp_path: Path) -> None:
    switch = Switch(compilation.load(Request(PACKETS / "pna_externs.p4")))
    switch.process(1, bytes.fromhex("50 05 0000 00000007"))
    assert switch.store.digests == [Digest("Out.news", (5, 7))]


# --- entries that packets add ----------------------------------------------------------------------------------------

AGING = """action hit() {{ hdr.h.b = 1; {restart} }}
    action miss() {{ add_entry("hit", {{}}, (ExpireTimeProfileId_t)0); }}
    table t {{
        key = {{ hdr.h.a: exact; }} actions = {{ hit; @defaultonly miss; }} default_action = miss;
        add_on_miss = true; {property}
    }}"""


@pytest.mark.parametrize(
    ("restart", "timeout", "lives"),
    [
        # a hit each 6 s; profile 0 is 10 s, profile 1 is 30 s
        ("", "idle_timeout_with_auto_delete = true;", [False, True, False, True, False, True]),
        ("", "pna_idle_timeout = PNA_IdleTimeout_t.AUTO_DELETE;", [False, True, False, True, False, True]),
        ("restart_expire_timer();", "idle_timeout_with_auto_delete = true;", [False, True, True, True, True, True]),
        (
            "set_entry_expire_time((ExpireTimeProfileId_t)1);",
            "idle_timeout_with_auto_delete = true;",
            [False, True, True, True, True, True],
        ),
        ("", "pna_idle_timeout = PNA_IdleTimeout_t.NOTIFY_CONTROL;", [False, True, True, True, True, True]),
        ("", "", [False, True, True, True, True, True]),
    ],
)
def test_entries_live_for_the_time_of_their_profile(
    tmp_path: Path, restart: str, timeout: str, lives: list[bool]
) -> None:
    control = AGING.format(restart=restart, property=timeout)
    now = [0]
    program = load(tmp_path, control=control, apply="hdr.h.b = 0; t.apply(); send_to_port((PortId_t)1);")
    switch = Switch(program, clock=lambda: now[0])
    found = []
    for _ in lives:
        ((_, frame),) = switch.process(1, FRAME)
        found.append(bool(frame[1]))
        now[0] += 6_000_000
    assert found == lives


def test_the_control_plane_sees_and_takes_away_what_packets_have_added(tmp_path: Path) -> None:
    program = load(tmp_path, control=AGING.format(restart="", property=""), apply="t.apply();")
    assert program.table["Work.t"].learns and not program.table["Work.t"].ages
    switch = Switch(program)
    switch.process(1, FRAME)
    ((handle, entry),) = switch.table("Work.t").entries.items()
    assert entry.matches == (Exact(1),) and entry.choice == Call("Work.hit") and entry.priority == 0
    switch.table_delete("Work.t", handle)
    assert not switch.table("Work.t").entries


@pytest.mark.parametrize(
    ("given", "values"),
    [
        ("{ hdr.h.b, hdr.h.c }", (2, 3)),
        ("{ 7, 300 }", (7, 300)),
        ("(pair_t){ y = hdr.h.c, x = 9 }", (9, 3)),
        ("(turned_t){ hdr.h.c, hdr.h.b }", (2, 3)),
        ("(pair_t){ y = hdr.h.c + 1, x = hdr.h.a }", (1, 4)),
    ],
)
def test_an_entry_has_its_values_by_their_names_or_in_their_order(
    tmp_path: Path, given: str, values: tuple[int, int]
) -> None:
    control = LEARNING.format(call=f'add_entry("two", {given}, (ExpireTimeProfileId_t)0)', more="")
    program = load(
        tmp_path,
        top="struct pair_t { bit<8> x; bit<16> y; } struct turned_t { bit<16> y; bit<8> x; }",
        control="action two(bit<8> x, bit<16> y) { hdr.h.b = x; hdr.h.c = y; }"
        + control.replace("{ hit;", "{ hit; two;"),
        apply="t.apply();",
    )
    switch = Switch(program)
    switch.process(1, FRAME)
    ((_, entry),) = switch.table("Work.t").entries.items()
    assert entry.choice == Call("Work.two", values)


@pytest.mark.parametrize("call", [ADD_ONE, f"if (hdr.h.b == 2) {{ {ADD_ONE}; }}", f"bool done = {ADD_ONE}"])
def test_an_entry_may_have_an_action_of_the_top_level(tmp_path: Path, call: str) -> None:
    control = LEARNING.format(call=call, more="").replace("action hit(bit<16> x) { hdr.h.c = x; }", "")
    program = load(tmp_path, top="action hit(bit<16> x) { }", control=control, apply="t.apply();")
    switch = Switch(program)
    switch.process(1, FRAME)
    assert [entry.choice for entry in switch.table("Work.t").entries.values()] == [Call("hit", (3,))]


@pytest.mark.parametrize(
    "timeout", ["idle_timeout_with_auto_delete = true;", "pna_idle_timeout = PNA_IdleTimeout_t.AUTO_DELETE;"]
)
def test_a_table_that_deletes_does_not_notify(timeout: str, tmp_path: Path) -> None:
    control = AGING.format(restart="", property=timeout)
    info = build(load(tmp_path, control=control, apply="t.apply();"), Diagnostics())
    assert info.tables[0].idle_timeout_behavior == 0 and not info.tables[0].preamble.annotations


# --- the pipe --------------------------------------------------------------------------------------------------------


def pna_paths() -> Program:
    return optimise(compilation.load(Request(PACKETS / "pna_paths.p4")))


def test_a_program_that_only_sends_has_no_second_passes(tmp_path: Path) -> None:
    program = optimise(load(tmp_path, apply="send_to_port((PortId_t)1);"))
    (pipe,) = plan(program)
    assert not second_passes(program) and preserved_lists(program) == ((),) and pipe.keeps == ()
    assert second_passes(pna_paths()) and [pipe.keeps for pipe in plan(pna_paths())] == [(1,)]


def test_what_mirrors_alone_lives_twice_but_keeps_nothing(tmp_path: Path) -> None:
    program = optimise(load(tmp_path, apply="mirror_packet((MirrorSlotId_t)3, (MirrorSessionId_t)5);"))
    (pipe,) = plan(program)
    assert second_passes(program) and not recirculates(program)
    assert preserved_lists(program) == ((),) and pipe.keeps == ()


def test_steps_that_fill_what_the_pipe_begins_with(tmp_path: Path) -> None:
    """PNA 0.7, section 6.6; the pre control learns what the parser found. A packet is dropped unless something is said."""
    inputs = ("main_parser_input", "pre_input", "main_input")
    wanted: dict[str, object] = {
        "packet_length": From.LENGTH,
        "main_input.timestamp": From.NOW_US,
        "drop": From.ONE,
    }
    for name in inputs:
        wanted |= {
            f"{name}.direction": From.DIRECTION,
            f"{name}.pass": "next_pass",
            f"{name}.input_port": From.INGRESS_PORT,
        }
    assert dict(BEGIN.fills) == wanted and PARSED.fills == (("pre_input.parser_error", "main_input.parser_error"),)
    for pre, there in (("", False), ("meta.m = 1;", True)):
        (pipe,) = plan(optimise(load(tmp_path, pre=pre, apply="hdr.h.a = meta.m; send_to_port((PortId_t)1);")))
        steps = [item for item in pipe.items if isinstance(item, Step)]
        assert steps == [BEGIN, *[PARSED] * there, FINISH] and pipe.renews


@pytest.mark.parametrize(
    ("step", "known", "left"),
    [
        (LEAVE, {"drop": 1}, DROP),
        (LEAVE, {"drop": 0}, PASS),
        (LEAVE, {}, LEAVE),
        (FINISH, {"drop": 0}, SEND),
    ],
)
def test_what_is_known_of_a_packet_shortens_steps(
    tmp_path: Path, step: Step, known: dict[str, int], left: Step
) -> None:
    program = optimise(load(tmp_path, apply="if (hdr.h.a == 1) { send_to_port((PortId_t)1); }"))
    assert specialise(program, step, known.get) == left
    mirrored = {**known, "mirror_0": 0, "mirror_1": 5, "mirror_2": 0, "mirror_3": 0}
    assert specialise(pna_paths(), step, mirrored.get) == step


def test_p4info_says_which_architecture_it_is(tmp_path: Path) -> None:
    control = """action to(PortId_t port) { send_to_port(port); }
        table t { key = { hdr.h.a: exact; } actions = { to; NoAction; } }"""
    info = build(load(tmp_path, control=control, apply="t.apply();"), Diagnostics())
    assert info.pkg_info.arch == "pna"
    (to,) = [action for action in info.actions if action.preamble.name == "Work.to"]
    assert to.params[0].type_name.name == "PortId_t"


def test_nothing_is_learnt_nor_kept_alive_where_nothing_was_looked_up() -> None:
    run = SimpleNamespace(applied=None, missed=None, hit=None)
    call = ExternCall(run, SimpleNamespace(span=None, fields=()))  # type: ignore[arg-type]
    assert call.add_entry("I.act", (1,), 0) is False
    call.restart_timer(None)
    table = SimpleNamespace(restart=lambda *arguments: pytest.fail("no entry was hit"))
    run = SimpleNamespace(applied=table, missed=None, hit=None)
    call = ExternCall(run, SimpleNamespace(span=None, fields=()))  # type: ignore[arg-type]
    assert call.add_entry("I.act", (1,), 0) is False, "a hit: there is no key to learn"
    call.restart_timer(None)
