"""PSA before code generation: what elaboration makes of a program, what it refuses, and what only the control plane sees.

The packet paths and most externs have packet tests: tests/packets/psa_*.stf.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from aux_frontend.p4_16.frontend import P4_16

from transpiler.codegen import capabilities
from transpiler.diagnostics import Diagnostics, Rejected, Severity
from transpiler.frontend import Source
from transpiler.hlir.printer import print_program
from transpiler.hlir.program import Architecture, Bridge, Program, Role, Storage
from transpiler.interpreter import Switch
from transpiler.interpreter.matches import Exact
from transpiler.interpreter.paths import PASSES_LIMIT
from transpiler.interpreter.store import Digest
from transpiler.interpreter.tables import GroupRef, MemberRef
from transpiler.interpreter.trace import Event
from transpiler.p4info.build import build
from transpiler.passes.pipeline import optimise
from transpiler.targets.find import builtin
from transpiler.verifier import Malformed, verify

HERE = Path(__file__).parent
PACKETS = HERE.parent / "packets"
PROGRAM = """
#include <core.p4>
#include <psa.p4>
header h_t {{ bit<8> a; bit<8> b; bit<16> c; }}
header wide_t {{ bit<8> size; varbit<32> rest; }}
struct H {{ h_t h; }}
struct M {{ bit<8> m; }}
struct none_t {{}}
struct pair_t {{ bit<8> x; bit<8> y; }}
enum plain_t {{ ONE, TWO }}
{top}
parser IP(packet_in packet, out H hdr, inout M meta, in psa_ingress_parser_input_metadata_t istd, in none_t r,
          in none_t c) {{
    state start {{ packet.extract(hdr.h); {parser} transition accept; }}
}}
control I(inout H hdr, inout M meta, in psa_ingress_input_metadata_t istd, inout psa_ingress_output_metadata_t ostd) {{
    {control}
    apply {{ send_to_port(ostd, istd.ingress_port); {apply} }}
}}
control ID(packet_out packet, out none_t c, out none_t r, out pair_t normal, inout H hdr, in M meta,
           in psa_ingress_output_metadata_t istd) {{
    apply {{ normal.x = hdr.h.a; packet.emit(hdr); }}
}}
parser EP(packet_in packet, out H hdr, inout M meta, in psa_egress_parser_input_metadata_t istd, in pair_t normal,
          in none_t i, in none_t e) {{
    state start {{ packet.extract(hdr.h); meta.m = normal.x; transition accept; }}
}}
control E(inout H hdr, inout M meta, in psa_egress_input_metadata_t istd, inout psa_egress_output_metadata_t ostd) {{
    apply {{ {egress} }}
}}
control ED(packet_out packet, out none_t c, out none_t r, inout H hdr, in M meta, in psa_egress_output_metadata_t istd,
           in psa_egress_deparser_input_metadata_t edstd) {{
    apply {{ packet.emit(hdr); }}
}}
IngressPipeline(IP(), I(), ID()) ingress;
EgressPipeline(EP(), E(), ED()) egress;
PSA_Switch(ingress, PacketReplicationEngine(), egress, BufferingQueueingEngine()) main;
"""


def load(
    tmp_path: Path, apply: str = "", *, control: str = "", top: str = "", parser: str = "", egress: str = ""
) -> Program:
    file = tmp_path / "t.p4"
    file.write_text(PROGRAM.format(apply=apply, control=control, top=top, parser=parser, egress=egress))
    diagnostics = Diagnostics()
    try:
        program = P4_16().load(Source(file), diagnostics)
    except Rejected:
        pytest.fail(diagnostics.render())
    verify(program)
    return program


def refused(tmp_path: Path, apply: str = "", *, control: str = "") -> str:
    """The first error, with its line and column left out."""
    file = tmp_path / "t.p4"
    file.write_text(PROGRAM.format(apply=apply, control=control, top="", parser="", egress=""))
    diagnostics = Diagnostics()
    with pytest.raises(Rejected):
        P4_16().load(Source(file), diagnostics)
    first = next(message for message in diagnostics.messages if message.severity is Severity.ERROR)
    assert first.span.file == str(file)
    return first.message


def sent(program: Program, data: str, port: int = 1) -> str:
    """The one frame that comes of a frame."""
    ((_, frame),) = Switch(program).process(port, bytes.fromhex(data))
    return frame.hex(" ")


# --- the program -----------------------------------------------------------------------------------------------------


def test_six_pipes_and_what_goes_between_them(tmp_path: Path) -> None:
    program = load(tmp_path)
    assert program.architecture is Architecture.PSA
    assert [pipe.role for pipe in program.pipes] == [
        Role.PARSER,
        Role.INGRESS,
        Role.INGRESS_DEPARSER,
        Role.EGRESS_PARSER,
        Role.EGRESS,
        Role.DEPARSER,
    ]
    (bridge,) = program.bridges
    assert (bridge.path, bridge.variables, bridge.headers) == ("normal", ("normal_meta.x", "normal_meta.y"), ())
    assert program.intrinsic["ingress_output.drop"] == "ingress_output.drop"
    assert program.variable["ingress_output.drop"].storage is Storage.INTRINSIC
    assert "bridges {\n    normal: normal_meta.x, normal_meta.y;\n}" in print_program(program)


STRUCTURES = {
    "ingress_parser_input": "ingress_port packet_path",
    "ingress_input": "ingress_port packet_path ingress_timestamp parser_error",
    "ingress_output": "class_of_service clone clone_session_id drop resubmit multicast_group egress_port",
    "egress_parser_input": "egress_port packet_path",
    "egress_input": "class_of_service egress_port packet_path instance egress_timestamp parser_error",
    "egress_output": "clone clone_session_id drop",
    "egress_deparser_input": "egress_port",
}


def test_all_that_the_architecture_tells_is_intrinsic(tmp_path: Path) -> None:
    fields = [f"{struct}.{name}" for struct, names in STRUCTURES.items() for name in names.split()]
    program = load(tmp_path)
    assert sorted(program.intrinsic) == sorted(["packet_length", *fields])
    assert {program.variable[name].storage for name in program.intrinsic.values()} == {Storage.INTRINSIC}
    own = {name: variable.storage for name, variable in program.variable.items() if name.endswith(".meta.m")}
    assert own == {"ingress.meta.m": Storage.METADATA, "egress.meta.m": Storage.METADATA}


def test_objects_keep_what_the_control_plane_asks_of_them(tmp_path: Path) -> None:
    control = """
        @brief("cells") Register<pair_t, place_t>(2, { 3, 4 }) cells;
        Counter<bit<32>, bit<8>>(3, PSA_CounterType_t.PACKETS_AND_BYTES) sums;
        DirectMeter(PSA_MeterType_t.PACKETS) speed;
        action a() { hdr.h.b = speed.execute() == PSA_MeterColor_t.GREEN ? 8w1 : 2; }
        table t { key = { hdr.h.a: exact; } actions = { a; } psa_direct_meter = speed; }"""
    apply = "hdr.h.b = cells.read((place_t) 1).y; sums.count(2); t.apply();"
    program = load(tmp_path, apply, control=control, top="type bit<8> place_t;")
    cells, sums, speed = (program.extern[f"I.{name}"] for name in ("cells", "sums", "speed"))
    assert (cells.kind, dict(cells.attributes)) == ("register", {"size": 2, "width": 16, "initial": 0x0304})
    assert ([a.name for a in cells.annotations], cells.index_type) == (["brief"], "place_t")
    assert cells.data is not None and sums.data is None
    assert (sums.kind, dict(sums.attributes)) == ("counter", {"size": 3, "unit": "packets_and_bytes"})
    assert (speed.kind, dict(speed.attributes)) == ("direct_meter", {"unit": "packets", "automatic": 0})
    assert sent(program, "00 99 0007") == "00 04 00 07"


def test_bridges_name_the_elements_of_stacks(tmp_path: Path) -> None:
    diagnostics = Diagnostics()
    program = P4_16().load(Source(PACKETS / "psa_paths.p4"), diagnostics)
    normal = program.bridges[0]
    assert normal.headers == ("normal_meta.tag", "normal_meta.tags[0]", "normal_meta.tags[1]")
    assert [bridge.path for bridge in program.bridges] == [
        "normal",
        "clone_i2e",
        "clone_e2e",
        "resubmit",
        "recirculate",
    ]


def test_bridges_name_the_members_of_unions_and_where_stacks_go_on(tmp_path: Path) -> None:
    text = PROGRAM.format(
        apply="", control="", top="", parser="h_t[2] own; packet.extract(own.next); hdr.h = own[0];", egress=""
    )
    before, after = "struct pair_t { ", "header_union u_t { h_t p; wide_t q; } struct pair_t { u_t u; h_t[2] st; "
    (tmp_path / "t.p4").write_text(text.replace(before, after))
    (normal,) = P4_16().load(Source(tmp_path / "t.p4"), Diagnostics()).bridges
    assert normal.headers == tuple(f"normal_meta.{name}" for name in ("u.p", "u.q", "st[0]", "st[1]"))
    assert sorted(normal.variables) == [f"normal_meta.{name}" for name in ("st.nextIndex", "x", "y")]


@pytest.mark.parametrize(
    "bridge",
    [
        {"variables": ("ingress.meta.m",)},
        {"variables": ("nobody",)},
        {"headers": ("nobody",)},
        {"variables": ("normal_meta.x", "nobody")},
    ],
)
def test_the_verifier_looks_at_bridges(tmp_path: Path, bridge: dict[str, tuple[str, ...]]) -> None:
    program = load(tmp_path)
    wrong = replace(program, bridges=(replace(program.bridges[0], **bridge),))  # type: ignore[arg-type]
    with pytest.raises(Malformed, match="bridge normal"):
        verify(wrong)


def test_two_bridges_of_one_path_are_wrong(tmp_path: Path) -> None:
    program = load(tmp_path)
    again = Bridge("normal", (), (), program.span)
    with pytest.raises(Malformed, match="bridge name 'normal'"):
        verify(replace(program, bridges=(*program.bridges, again)))


def test_passes_keep_what_goes_along(tmp_path: Path) -> None:
    program = optimise(load(tmp_path, egress="hdr.h.b = meta.m;"), lambda name, made: verify(made))
    assert sent(program, "2a 00 0000 ff") == "2a 2a 00 00 ff"


def test_a_target_without_it_refuses_it_where_main_stands(tmp_path: Path) -> None:
    program, diagnostics = load(tmp_path), Diagnostics()
    target = replace(builtin(), architectures=frozenset({"v1model"}))
    with pytest.raises(Rejected):
        capabilities.check(program, target, diagnostics)
    first = diagnostics.messages[0]
    assert "architecture 'psa'" in first.message
    assert first.span == program.span


# --- packets ---------------------------------------------------------------------------------------------------------


def test_user_metadata_of_ingress_and_egress_are_two_things(tmp_path: Path) -> None:
    program = load(tmp_path, "meta.m = 9;", egress="hdr.h.b = meta.m;")
    assert sent(program, "2a 00 0000") == "2a 2a 00 00"


def test_the_length_of_a_packet_is_that_before_the_parser(tmp_path: Path) -> None:
    program = load(tmp_path, parser="hdr.h.c = (bit<16>) packet.length();")
    assert sent(program, "00 00 0000 01 02 03") == "00 00 00 07 01 02 03"


def test_time_and_port_are_told(tmp_path: Path) -> None:
    apply = "hdr.h.a = (bit<8>) (PortIdUint_t) istd.ingress_port; hdr.h.b = (bit<8>) (TimestampUint_t) istd.ingress_timestamp;"
    switch = Switch(load(tmp_path, apply), clock=lambda: 77)
    assert switch.process(5, b"\0\0\0\0") == [(5, bytes([5, 77, 0, 0]))]


@pytest.mark.parametrize(
    ("apply", "egress", "why"),
    [("ingress_drop(ostd);", "", "at the end of ingress"), ("", "egress_drop(ostd);", "at the end of egress")],
)
def test_a_drop_is_told_with_its_statement(tmp_path: Path, apply: str, egress: str, why: str) -> None:
    events: list[Event] = []
    switch = Switch(load(tmp_path, apply, egress=egress), trace=events.append)
    assert switch.process(0, b"\0\0\0\0") == []
    assert (events[-1].kind, events[-1].text) == ("drop", why)
    assert events[-1].span is not None


def test_a_packet_does_not_go_round_for_ever(tmp_path: Path) -> None:
    events: list[Event] = []
    switch = Switch(load(tmp_path, "send_to_port(ostd, PSA_PORT_RECIRCULATE);"), trace=events.append)
    assert switch.process(0, b"\0\0\0\0") == []
    assert sum(event.text == "recirculated" for event in events) == PASSES_LIMIT + 1
    assert events[-1].kind == "drop"


@pytest.mark.parametrize(("port", "number"), [("(PortId_t)3", 3), ("PSA_PORT_RECIRCULATE", 0xFFFFFFFA)])
def test_a_packet_of_which_nothing_is_left_is_dropped_wherever_it_was_to_go(
    port: str, number: int, tmp_path: Path
) -> None:
    """Nor are there clones of it."""
    egress = "hdr.h.setInvalid(); ostd.clone = true; ostd.clone_session_id = (CloneSessionId_t)5;"
    events: list[Event] = []
    switch = Switch(load(tmp_path, f"send_to_port(ostd, {port});", egress=egress), trace=events.append)
    switch.mirroring_add(5, 4)
    assert switch.process(0, b"\x01\x02\x03\x04") == []
    assert [event.text for event in events if event.kind in ("drop", "pass")] == [
        "ingress, port 0, 4 bytes", f"egress, port {number}, 4 bytes", "nothing is left of it: a frame has one byte at least",
    ]  # fmt: skip


PATHS = ("NORMAL", "NORMAL_UNICAST", "NORMAL_MULTICAST", "CLONE_I2E", "CLONE_E2E", "RESUBMIT", "RECIRCULATE")
PATH = (
    "".join(f"istd.packet_path == PSA_PacketPath_t.{name} ? 16w{number} : " for number, name in enumerate(PATHS)) + "99"
)


@pytest.mark.parametrize(
    ("told", "ways"),
    [
        ("(bit<16>) (ClassOfServiceUint_t) istd.class_of_service", ({1: 3}, {2: 3, 3: 3}, {1: 3, 4: 6}, {1: 3, 4: 6})),
        ("(bit<16>) (EgressInstanceUint_t) istd.instance", ({1: 0}, {2: 7, 3: 7}, {1: 0, 4: 0}, {1: 0, 4: 0})),
        ("(bit<16>) (PortIdUint_t) istd.egress_port", ({1: 1}, {2: 2, 3: 3}, {1: 1, 4: 4}, {1: 1, 4: 4})),
        (
            "(bit<16>) (TimestampUint_t) istd.egress_timestamp",
            ({1: 77}, {2: 77, 3: 77}, {1: 77, 4: 77}, {1: 77, 4: 77}),
        ),
        (PATH, ({1: 1}, {2: 2, 3: 2}, {1: 1, 4: 3}, {1: 1, 4: 4})),
    ],
    ids=["service", "instance", "port", "time", "path"],
)
def test_what_egress_is_told_of_packets_copies_and_clones(
    told: str, ways: tuple[dict[int, int], ...], tmp_path: Path
) -> None:
    """One that goes on, one for a group, one that ingress clones and one that egress clones: the service of a clone is that of
    its session."""
    ingress = """ostd.class_of_service = (ClassOfService_t) 3;
        if (hdr.h.a == 1) { multicast(ostd, (MulticastGroup_t) 5); }
        ostd.clone = hdr.h.a == 2; ostd.clone_session_id = (CloneSessionId_t) 9;"""
    egress = f"""hdr.h.c = {told};
        ostd.clone = hdr.h.a == 3 && istd.packet_path != PSA_PacketPath_t.CLONE_E2E;
        ostd.clone_session_id = (CloneSessionId_t) 9;"""
    switch = Switch(load(tmp_path, ingress, egress=egress), clock=lambda: 77)
    switch.replication.create_group(5)
    switch.replication.associate(5, switch.replication.create_node(7, (2, 3)))
    switch.mirroring_add(9, 4, service=6)
    for way, expected in enumerate(ways):
        sent = switch.process(1, bytes([way, 0, 0xFF, 0xFF]))
        assert {port: int.from_bytes(frame[2:]) for port, frame in sent} == expected and len(sent) == len(expected)


def test_clones_of_ingress_are_the_packet_as_it_came_and_of_egress_as_it_goes(tmp_path: Path) -> None:
    """As long as their session lets them be."""
    ingress = "ostd.clone = hdr.h.a == 1; ostd.clone_session_id = (CloneSessionId_t) 9; hdr.h.c = 0x1111;"
    egress = """ostd.clone = hdr.h.a == 2 && istd.packet_path != PSA_PacketPath_t.CLONE_E2E;
        ostd.clone_session_id = (CloneSessionId_t) 9; if (istd.packet_path == PSA_PacketPath_t.NORMAL_UNICAST) { hdr.h.b = 7; }"""
    switch = Switch(load(tmp_path, ingress, egress=egress))
    switch.mirroring_add(9, 4, most=5)
    for way, clone in ((1, "01 02 00 03 ff"), (2, "02 07 11 11 ff")):
        sent = dict(switch.process(1, bytes.fromhex(f"0{way} 02 0003 ff ee dd")))
        assert {port: frame.hex(" ") for port, frame in sent.items()} == {1: f"0{way} 07 11 11 ff ee dd", 4: clone}


AGAIN = (
    PROGRAM.replace("{top}", "header mark_t {{ bit<8> x; }} struct again_t {{ bit<8> n; mark_t mark; }}")
    .replace("in none_t r,", "in again_t r,").replace("out none_t r, out pair_t", "out again_t r, out pair_t")
    .replace("normal.x = hdr.h.a;", "if (meta.m == 0) {{ r.n = 1; r.mark.setValid(); }}")
)  # fmt: skip


def test_what_a_deparser_does_not_set_does_not_go_along_once_more(tmp_path: Path) -> None:
    """Neither a value nor a header: it is resubmitted twice, the second time with nothing."""
    parser = "meta.m = r.n + (r.mark.isValid() ? 8w0x10 : 0);"
    apply = "ostd.resubmit = istd.packet_path == PSA_PacketPath_t.NORMAL || meta.m != 0; hdr.h.b = meta.m + 1;"
    file = tmp_path / "t.p4"
    file.write_text(AGAIN.format(apply=apply, control="", parser=parser, egress=""))
    program = P4_16().load(Source(file), Diagnostics())
    events: list[Event] = []
    switch = Switch(program, trace=events.append)
    assert switch.process(1, bytes.fromhex("0a 0b 0c0d")) == [(1, bytes.fromhex("0a 01 0c0d"))]
    assert [event.text for event in events].count("resubmitted") == 2


@pytest.mark.parametrize("to", ["send_to_port(ostd, (PortId_t) 3);", "multicast(ostd, (MulticastGroup_t) 5);"])
def test_a_packet_of_which_ingress_leaves_nothing_does_not_come_to_egress(to: str, tmp_path: Path) -> None:
    """Not even where egress would make something of it."""
    events: list[Event] = []
    egress = "hdr.h.setValid();"
    switch = Switch(load(tmp_path, f"{to} hdr.h.setInvalid();", egress=egress), trace=events.append)
    switch.replication.create_group(5)
    switch.replication.associate(5, switch.replication.create_node(7, (2, 3)))
    assert switch.process(0, b"\x01\x02\x03\x04") == []
    assert [event.text for event in events if event.kind in ("drop", "pass")] == [
        "ingress, port 0, 4 bytes", "nothing is left of it after ingress: a frame has one byte at least",
    ]  # fmt: skip
    assert len(switch.process(0, b"\x01\x02\x03\x04\x05")) == (1 if "send" in to else 2)


def test_egress_knows_what_its_parser_found(tmp_path: Path) -> None:
    made = "hdr.h.setValid(); hdr.h = { 1, 2, 3 };"
    program = load(tmp_path, egress=f"if (istd.parser_error == error.PacketTooShort) {{ {made} }}")
    assert sent(program, "0a 0b 0c") == "01 02 00 03 0a 0b 0c" and sent(program, "0a 0b 0c0d") == "0a 0b 0c 0d"


# --- externs ---------------------------------------------------------------------------------------------------------


def test_digests_reach_the_control_plane() -> None:
    program = P4_16().load(Source(PACKETS / "psa_externs.p4"), Diagnostics())
    switch = Switch(program)
    switch.process(0, bytes.fromhex("50 07 0000 00001234"))
    assert switch.store.digests == [Digest("InDeparser.news", (7, 0x1234))]
    assert program.extern["InDeparser.news"].attribute("fields") == "key,b"


def test_the_field_of_a_digest_that_is_a_number_is_the_first(tmp_path: Path) -> None:
    program = load(
        tmp_path, "one.pack(hdr.h.c); two.pack({ 1, 2 });", control="Digest<bit<16>>() one; Digest<pair_t>() two;"
    )
    assert [(one.name, one.attribute("fields")) for one in program.externs] == [("I.one", "0"), ("I.two", "x,y")]


def test_profiles_and_selectors() -> None:
    switch = Switch(P4_16().load(Source(PACKETS / "psa_externs.p4"), Diagnostics()))
    member = switch.member_create("In.profile", "In.show", (0x0101,))
    switch.table_add_indirect("In.indirect", (Exact(1),), MemberRef(member))
    ((_, frame),) = switch.process(0, bytes.fromhex("02 01 0000 00000000"))
    assert frame[2:4] == b"\x01\x01"
    group = switch.group_create("In.selector")
    for value in (0x0A0A, 0x0B0B):
        switch.group_add_member("In.selector", group, switch.member_create("In.selector", "In.show", (value,)))
    switch.table_add_indirect("In.selected", (Exact(1),), GroupRef(group))
    chosen = {switch.process(0, bytes((3, 1, 0, 0, 0, 0, 0, i)))[0][1][2:4] for i in range(32)}
    assert chosen == {b"\x0a\x0a", b"\x0b\x0b"}


@pytest.mark.parametrize(("unit", "colour"), [("PACKETS", 1), ("BYTES", 3)])
def test_a_meter_is_green_at_first_and_measures_its_unit(tmp_path: Path, unit: str, colour: int) -> None:
    control = f"Meter<bit<8>>(2, PSA_MeterType_t.{unit}) meter; PSA_MeterColor_t colour;"
    apply = """
        colour = meter.execute(hdr.h.b);
        hdr.h.a = colour == PSA_MeterColor_t.GREEN ? 8w1 : (colour == PSA_MeterColor_t.YELLOW ? 8w2 : 3);"""
    switch = Switch(load(tmp_path, apply, control=control))
    assert switch.process(0, b"\0\1\0\0")[0][1][0] == 1
    switch.meter_set_rates("I.meter", 1, (1e-9, 3), (1e-9, 3))
    assert switch.process(0, b"\0\1\0\0")[0][1][0] == colour


def test_a_red_packet_stays_red_and_takes_no_tokens(tmp_path: Path) -> None:
    control = "Meter<bit<8>>(2, PSA_MeterType_t.PACKETS) meter;"
    apply = """
        if (meter.execute(1, hdr.h.b == 1 ? PSA_MeterColor_t.RED : PSA_MeterColor_t.GREEN) == PSA_MeterColor_t.RED) {
            hdr.h.a = 0xff;
        }"""
    switch = Switch(load(tmp_path, apply, control=control))
    switch.meter_set_rates("I.meter", 1, (1e-9, 1), (1e-9, 1))
    colours = [switch.process(0, bytes((0, red, 0, 0)))[0][1][0] for red in (1, 1, 0, 0)]
    assert colours == [0xFF, 0xFF, 0, 0xFF]


def test_given_lengths_are_counted_and_measured(tmp_path: Path) -> None:
    file = tmp_path / "t.p4"
    control = """
        Counter<bit<32>, bit<8>>(2, PSA_CounterType_t.BYTES) counter;
        Meter<bit<8>>(2, PSA_MeterType_t.BYTES) meter;"""
    apply = """
        counter.count(1, 100);
        if (meter.dpdk_execute(1, PSA_MeterColor_t.GREEN, 100) == PSA_MeterColor_t.RED) { hdr.h.a = 0xff; }"""
    text = PROGRAM.format(apply=apply, control=control, top="", parser="", egress="")
    file.write_text(text.replace("<psa.p4>", "<dpdk/psa.p4>"))
    switch = Switch(P4_16().load(Source(file), Diagnostics()))
    switch.meter_set_rates("I.meter", 1, (1e-9, 150), (1e-9, 150))
    assert [switch.process(0, b"\0\0\0\0")[0][1][0] for _ in range(2)] == [0, 0xFF]
    assert switch.counter("I.counter", 1).bytes == 200


def test_signed_random_numbers_keep_to_their_range(tmp_path: Path) -> None:
    control = "Random<int<8>>(-3, 3) dice;"
    switch = Switch(load(tmp_path, "hdr.h.a = (bit<8>) dice.read();", control=control))
    seen = {switch.process(0, b"\0\0\0\0")[0][1][0] for _ in range(200)}
    assert seen == {0xFD, 0xFE, 0xFF, 0, 1, 2, 3}


def test_a_range_of_one_number_gives_it(tmp_path: Path) -> None:
    assert (
        sent(load(tmp_path, "hdr.h.a = dice.read();", control="Random<bit<8>>(5, 5) dice;"), "00 99 0007")
        == "05 99 00 07"
    )


def test_arrays_of_any_size_cost_what_is_used_of_them(tmp_path: Path) -> None:
    control = """
        Register<bit<8>, bit<32>>(0x7fffffff, 7) numbers;
        Counter<bit<32>, bit<32>>(0x7fffffff, PSA_CounterType_t.PACKETS) counter;"""
    apply = "hdr.h.a = numbers.read(0x7ffffffe); numbers.write(0x7ffffffe, 8); counter.count(0x7ffffffe);"
    switch = Switch(load(tmp_path, apply, control=control))
    assert [switch.process(0, b"\0\0\0\0")[0][1][0] for _ in range(2)] == [7, 8]
    assert switch.counter("I.counter", 0x7FFFFFFE).packets == 2
    switch.register_reset("I.numbers")
    assert switch.register_read("I.numbers", 1) == 0


def test_an_object_of_the_top_level_starts_anew_in_each_pipe(tmp_path: Path) -> None:
    top = "InternetChecksum() sum;"
    apply = "sum.add(hdr.h.c); hdr.h.a = (bit<8>) sum.get_state();"
    program = load(tmp_path, apply, top=top, egress="hdr.h.b = (bit<8>) sum.get_state();")
    assert sent(program, "00 99 0007") == "07 00 00 07"


def test_a_table_that_reports_idle_entries_says_so(tmp_path: Path) -> None:
    control = """
        table t {
            key = { hdr.h.a: exact; }
            actions = { NoAction; }
            psa_idle_timeout = PSA_IdleTimeout_t.NOTIFY_CONTROL;
        }"""
    info = build(load(tmp_path, "t.apply();", control=control), Diagnostics())
    assert info.pkg_info.arch == "psa"
    assert info.tables[0].idle_timeout_behavior == 1


# --- refusals --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("apply", "control", "message"),
    [
        ("", "Register<wide_t, bit<8>>(2) r;", "a register cannot hold header 'wide_t'"),
        ("", "Register<plain_t, bit<8>>(2) r;", "a register cannot hold enum 'plain_t'"),
        ("", "Checksum<bit<16>>(PSA_HashAlgorithm_t.IDENTITY) c;", "a checksum cannot be made with 'identity'"),
        ("hdr.h.a = r.read();", "Random<bit<8>>(5, 3) r;", "there is no number from 5 to 3"),
        ("if (c.get()) { hdr.h.a = 1; }", "Checksum<bool>(PSA_HashAlgorithm_t.CRC16) c;", "a checksum is a number"),
        ("if (c.get_hash(hdr.h.a)) { hdr.h.a = 1; }", "Hash<bool>(PSA_HashAlgorithm_t.CRC16) c;", "a hash is a number"),
        ("if (c.read()) { hdr.h.a = 1; }", "Random<bool>(true, false) c;", "random numbers are of a type bit<W>"),
        (
            "t.apply(); u.apply();",
            "DirectCounter<bit<8>>(PSA_CounterType_t.BYTES) d; table t { actions = { NoAction; } psa_direct_counter = d; }"
            "table u { actions = { NoAction; } psa_direct_counter = d; }",
            "'d' belongs to table 't' already",
        ),
        (
            "t.apply(); d.count();",
            "DirectCounter<bit<8>>(PSA_CounterType_t.BYTES) d; table t { actions = { NoAction; } psa_direct_counter = d; }",
            "'d' can only be used in actions of table 't', its own",
        ),
        (
            "t.apply(); u.apply();",
            "DirectCounter<bit<8>>(PSA_CounterType_t.BYTES) d; action a() { d.count(); }"
            "table t { actions = { a; } psa_direct_counter = d; } table u { actions = { a; } }",
            "'d' belongs to table 't', but table 'u' has this action too",
        ),
        (
            "t.apply();",
            "DirectCounter<bit<8>>(PSA_CounterType_t.BYTES) d;"
            "table t { actions = { NoAction; } psa_direct_meter = d; }",
            "property 'psa_direct_meter' must be an object of 'DirectMeter'",
        ),
        (
            "t.apply();",
            "table t { key = { hdr.h.a: exact; } actions = { NoAction; } psa_implementation = ActionProfile(2);"
            " psa_empty_group_action = NoAction; }",
            "an action for empty groups is not supported",
        ),
    ],
)
def test_what_cannot_be_is_refused_where_it_stands(tmp_path: Path, apply: str, control: str, message: str) -> None:
    assert message in refused(tmp_path, apply, control=control)
