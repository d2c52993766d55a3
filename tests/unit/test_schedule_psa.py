"""PSA's pipes: which there are, what a packet takes from one to the next, which programs may send it round again."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from macsad import compilation
from macsad.compilation import Request
from macsad.resources import share
from transpiler.architectures.psa.facts import PORT_RECIRCULATE
from transpiler.architectures.psa.pipes import (
    BEGIN_EGRESS,
    BEGIN_INGRESS,
    DESCRIPTION,
    DIVERT,
    ENQUEUE,
    FINISH,
    FORWARD,
    LEAVE_EGRESS,
    LEAVE_INGRESS,
    PASS_ON,
    TO_PORT,
    _may_equal,
    may_be_set,
    plan,
    plan_with_replication,
    preserved_lists,
    second_passes,
    specialise,
)
from transpiler.codegen.generate import generate
from transpiler.diagnostics import Diagnostics, Span
from transpiler.hlir.expressions import Cast, Const, Read, VariableRef
from transpiler.hlir.printer import print_body
from transpiler.hlir.program import Bridge, Control, Program, Role
from transpiler.hlir.statements import CallExtern
from transpiler.hlir.types import Bits, Bool, Type
from transpiler.passes.pipeline import optimise
from transpiler.schedule.pipeline import DROP, PASS, Deparse, Parse, Source, Step
from transpiler.schedule.scheduler import Options, schedule
from transpiler.targets.find import builtin

PACKETS = Path(__file__).parents[1] / "packets"


@pytest.fixture(scope="module", params=["psa_externs", "psa_stages", "psa_paths"])
def program(request: pytest.FixtureRequest) -> Program:
    return optimise(compilation.load(Request(PACKETS / f"{request.param}.p4")))


def test_an_egress_that_does_nothing_parses_nothing(program: Program) -> None:
    ingress, egress = plan(program)
    assert ingress.renews and any(isinstance(item, Parse) for item in ingress.items)
    if program.name == "psa_externs":
        assert egress.items == (PASS_ON,)
        assert not egress.renews
    else:
        assert egress.renews
        assert [type(item) for item in egress.items if isinstance(item, Parse | Deparse)] == [Parse, Deparse]


def test_what_bridges_hold_is_kept_and_nothing_else_from_pipe_to_pipe(program: Program) -> None:
    live = {at.owner for at in schedule(program, Options(cut=lambda table: False)).live}
    assert live == {owner for fields in preserved_lists(program) for owner, _ in fields}


def test_what_no_pipe_takes_along_has_no_code() -> None:
    """Ingress hands on what an egress that does nothing does not take."""
    program = optimise(compilation.load(Request(PACKETS / "psa_externs.p4")))
    handed_on = program.variables[0].name
    program = replace(program, bridges=(Bridge("normal", (handed_on,), (), program.span),))
    assert "macs_preserve" not in generate(program, builtin(), share("templates"), Diagnostics()).c


def test_what_goes_along_on_each_way_is_empty_before_its_deparser() -> None:
    """And is kept where that way leads: lists 4 and 5 of packets that come to ingress again, 1 to 3 at egress."""
    pipes = plan(optimise(compilation.load(Request(PACKETS / "psa_paths.p4"))))
    assert [(pipe.name, pipe.keeps) for pipe in pipes] == [("ingress", (4, 5)), ("egress", (1, 2, 3))]
    cleared = [pipe.items[[isinstance(item, Deparse) for item in pipe.items].index(True) - 1] for pipe in pipes]
    assert [print_body(body).splitlines() for body in cleared if isinstance(body, tuple)] == [
        [
            "normal_meta.inner.mark = 8w0;",
            "normal_meta.tag.setInvalid();", "normal_meta.tag.value = 8w0;",
            "normal_meta.tags[0].setInvalid();", "normal_meta.tags[0].value = 8w0;",
            "normal_meta.tags[1].setInvalid();", "normal_meta.tags[1].value = 8w0;",
            "clone_i2e_meta.mark = 8w0;",
            "resubmit_meta.mark = 8w0;",
        ],
        ["clone_e2e_meta.mark = 8w0;", "recirculate_meta.mark = 8w0;"],
    ]  # fmt: skip


def test_steps_that_fill_what_a_pipe_begins_with() -> None:
    """PSA 1.2, sections 6.1 to 6.5: a packet is dropped at ingress unless something is said."""
    assert dict(BEGIN_INGRESS.fills) == {
        "packet_length": Source.LENGTH,
        "ingress_parser_input.ingress_port": Source.INGRESS_PORT, "ingress_parser_input.packet_path": Source.INSTANCE,
        "ingress_input.ingress_port": Source.INGRESS_PORT, "ingress_input.packet_path": Source.INSTANCE,
        "ingress_input.ingress_timestamp": Source.NOW_US, "ingress_output.drop": Source.ONE,
    }  # fmt: skip
    assert dict(BEGIN_EGRESS.fills) == {
        "packet_length": Source.LENGTH,
        "egress_parser_input.egress_port": Source.EGRESS_PORT, "egress_parser_input.packet_path": Source.INSTANCE,
        "egress_input.egress_port": Source.EGRESS_PORT, "egress_input.packet_path": Source.INSTANCE,
        "egress_input.class_of_service": Source.SERVICE, "egress_input.instance": Source.REPLICA,
        "egress_input.egress_timestamp": Source.NOW_US, "egress_deparser_input.egress_port": Source.EGRESS_PORT,
    }  # fmt: skip
    assert dict(DESCRIPTION.instances) == {
        "replicated": 2, "ingress_clone": 3, "egress_clone": 4, "resubmitted": 5, "recirculated": 6,
    }  # fmt: skip
    assert dict(DESCRIPTION.drops) == {"ingress_output.drop": 1, "egress_output.drop": 1}
    assert DESCRIPTION.recirculate_port == 0xFFFFFFFA


def test_ports_of_tables_may_recirculate(program: Program) -> None:
    assert second_passes(program)


@pytest.mark.parametrize(
    ("step", "known", "left"),
    [
        (LEAVE_INGRESS, {"clone": 0, "drop": 1}, DROP),
        (LEAVE_INGRESS, {"clone": 0, "drop": 1, "resubmit": 1}, DROP),
        (LEAVE_INGRESS, {"clone": 0, "drop": 0, "resubmit": 0}, PASS),
        (LEAVE_INGRESS, {"clone": 0, "drop": 0}, LEAVE_INGRESS),
        (LEAVE_INGRESS, {"drop": 1}, LEAVE_INGRESS),
        (LEAVE_INGRESS, {"clone": 1, "drop": 1}, LEAVE_INGRESS),
        (ENQUEUE, {"multicast_group": 0}, TO_PORT),
        (ENQUEUE, {"multicast_group": 3}, ENQUEUE),
        (DIVERT, {"multicast_group": 0}, FORWARD),
        (DIVERT, {}, DIVERT),
        (LEAVE_EGRESS, {"clone": 0, "drop": 1}, DROP),
        (LEAVE_EGRESS, {"clone": 0, "drop": 0}, PASS),
        (LEAVE_EGRESS, {"drop": 0}, LEAVE_EGRESS),
        (FINISH, {"clone": 0}, PASS_ON),
        (FINISH, {"drop": 0}, FINISH),
    ],
)
def test_what_is_left_of_decisions(program: Program, step: Step, known: dict[str, int], left: Step) -> None:
    assert specialise(program, step, lambda name: known.get(name.partition(".")[2])) == left


def test_what_is_known_to_be_dropped_is_not_deparsed() -> None:
    program = optimise(compilation.load(Request(PACKETS / "psa_known.p4")))
    c = generate(program, builtin(), share("templates"), Diagnostics()).c
    entry, *_ = c[c.index("egress_0_entry(") :].partition("\n}\n")
    assert "MACS_DROP" in entry and "_output_drop" not in entry and "macs_store_bytes" not in entry


ONCE = """
#include <core.p4>
#include <psa.p4>
header h_t {{ bit<8> a; bit<32> b; }}
struct headers_t {{ h_t h; }}
struct none_t {{ }}
parser IP(packet_in p, out headers_t hdr, inout none_t m, in psa_ingress_parser_input_metadata_t i,
          in none_t a, in none_t b) {{ state start {{ p.extract(hdr.h); transition accept; }} }}
control In(inout headers_t hdr, inout none_t m, in psa_ingress_input_metadata_t i,
           inout psa_ingress_output_metadata_t o) {{ apply {{ {ingress} }} }}
control ID(packet_out p, out none_t a, out none_t b, out none_t c, inout headers_t hdr, in none_t m,
           in psa_ingress_output_metadata_t o) {{ apply {{ p.emit(hdr); }} }}
parser EP(packet_in p, out none_t h, inout none_t m, in psa_egress_parser_input_metadata_t i,
          in none_t a, in none_t b, in none_t c) {{ state start {{ transition accept; }} }}
control Out(inout none_t h, inout none_t m, in psa_egress_input_metadata_t i,
            inout psa_egress_output_metadata_t o) {{ apply {{ {egress} }} }}
control ED(packet_out p, out none_t a, out none_t b, inout none_t h, in none_t m,
           in psa_egress_output_metadata_t o, in psa_egress_deparser_input_metadata_t d) {{ apply {{ }} }}
PSA_Switch(IngressPipeline(IP(), In(), ID()), PacketReplicationEngine(),
           EgressPipeline(EP(), Out(), ED()), BufferingQueueingEngine()) main;
"""


@pytest.mark.parametrize(
    ("ingress", "egress", "again"),
    [
        ("send_to_port(o, (PortId_t) 32w1);", "", False),
        ("send_to_port(o, (PortId_t) 32w0xfffffffa);", "", True),
        ("send_to_port(o, PSA_PORT_RECIRCULATE);", "", True),
        ("o.drop = false; o.egress_port = (PortId_t) (bit<32>) hdr.h.a;", "", False),
        ("send_to_port(o, (PortId_t) hdr.h.b);", "", True),
        ("send_to_port(o, i.ingress_port);", "", True),
        ("multicast(o, (MulticastGroup_t) 32w0);", "", False),
        ("multicast(o, (MulticastGroup_t) 32w1);", "", True),
        ("o.clone = false; o.resubmit = false; ingress_drop(o);", "", False),
        ("o.clone = true;", "", True),
        ("o.resubmit = hdr.h.a == 1;", "", True),
        ("ingress_drop(o);", "o.clone = true;", True),
        ("multicast(o, (MulticastGroup_t) 32w1);", "o.drop = i.egress_port == (PortId_t) 32w2;", True),
    ],
)
def test_which_packets_may_live_again(tmp_path: Path, ingress: str, egress: str, again: bool) -> None:
    file = tmp_path / "once.p4"
    file.write_text(ONCE.format(ingress=ingress, egress=egress))
    program = optimise(compilation.load(Request(file, warnings=("no-all",))))
    assert second_passes(program) == again
    names = [pipe.name for pipe in plan(program)]
    assert names == (["ingress", "egress"] if again or egress else ["ingress"])
    asks = any(word in ingress + egress for word in ("clone = true", "resubmit = hdr"))
    merged = plan_with_replication(program)
    assert bool(merged) == (again and not asks and not egress)
    assert [(pipe.name, pipe.renews, pipe.replication, pipe.items[-1]) for pipe in merged] == [
        ("ingress", True, False, DIVERT), ("egress", False, True, PASS_ON)
    ][: 2 * bool(merged)]  # fmt: skip
    if merged:  # what goes along would have to be kept
        bridges = (Bridge("normal", (program.intrinsic["ingress_output.drop"],), (), program.span),)
        assert plan_with_replication(replace(program, bridges=bridges)) == ()


@pytest.mark.parametrize(
    ("state", "deparser", "bridge", "nothing"),
    [
        ("transition accept;", "", "", True),
        ("transition reject;", "", "", True),
        ("transition more; } state more { transition accept;", "", "", False),
        ("transition select(i.egress_port) { (PortId_t) 32w1: reject; default: accept; }", "", "", False),
        ("verify(false, error.NoMatch); transition accept;", "", "", False),
        ("transition accept;", "p.emit(h.h);", "", False),
        ("transition accept;", "", "recirculate", False),
        ("transition accept;", "", "normal", True),
    ],
)
def test_an_egress_that_leaves_packets_as_they_come(
    state: str, deparser: str, bridge: str, nothing: bool, tmp_path: Path
) -> None:
    """It is left out, but for packets that recirculate."""
    file = tmp_path / "once.p4"
    text = ONCE.format(ingress="send_to_port(o, PSA_PORT_RECIRCULATE);", egress="")
    text = text.replace("state start { transition accept; }", f"state start {{ {state} }}")
    if deparser:
        before, control, behind = text.replace("out none_t h,", "out headers_t h,").partition("control ED(")
        text = before + control + behind.replace("apply { }", f"apply {{ {deparser} }}")
    file.write_text(text)
    program = compilation.load(Request(file, warnings=("no-all",)))
    if bridge:
        bridges = (Bridge(bridge, (program.intrinsic["ingress_output.drop"],), (), program.span),)
        program = replace(program, bridges=bridges)
    (_, egress) = plan(program)
    assert (egress.items == (PASS_ON,)) is nothing and egress.renews is not nothing


@pytest.mark.parametrize(
    ("name", "set_"), [("ingress_output.clone", True), ("ingress_output.resubmit", False), ("nowhere", False)]
)
def test_what_an_extern_gives_may_be_anything(name: str, set_: bool, tmp_path: Path) -> None:
    file = tmp_path / "once.p4"
    file.write_text(ONCE.format(ingress="ingress_drop(o);", egress=""))
    program = compilation.load(Request(file, warnings=("no-all",)))
    at, ingress = program.span, program.pipes[1]
    assert isinstance(ingress, Control) and ingress.role is Role.INGRESS
    number = Const(1, Bits(8), at)
    output = VariableRef(program.intrinsic["ingress_output.clone"], at)
    asked = CallExtern("random.range", None, (number, number), (output,), at)
    changed = replace(ingress, body=(*ingress.body, asked))
    pipes = tuple(changed if pipe is ingress else pipe for pipe in program.pipes)
    assert may_be_set(replace(program, pipes=pipes), name) is set_
    assert not may_be_set(program, name)


@pytest.mark.parametrize(
    ("type_", "may"), [(Bits(32), True), (Bits(31), False), (Bits(8), False), (Bits(8, True), True), (Bool(), True)]
)
def test_a_number_of_few_bits_is_no_high_port(type_: Type, may: bool) -> None:
    """Unless it has a sign, which fills the bits in front."""
    at = Span("t.p4", 1, 1)
    value = Cast(Read(VariableRef("x", at), type_, at), Bits(32), at)
    assert _may_equal(value, PORT_RECIRCULATE) is may


ASKED = (
    "macs_request_resubmit(", "macs_clone_ingress(", "macs_clone_egress(", "macs_request_recirculate(", "MACS_REPLICATE",
    "egress_output_drop && ",
)  # fmt: skip
SEND = "send_to_port(o, (PortId_t) 32w1);"


@pytest.mark.parametrize(
    ("ingress", "egress", "there"),
    [
        (SEND, "", []),
        (f"{SEND} o.resubmit = hdr.h.a == 1;", "", ["macs_request_resubmit(", "macs_request_recirculate("]),
        (f"{SEND} o.clone = hdr.h.a == 1;", "", ["macs_clone_ingress(", "macs_request_recirculate("]),
        (SEND, "o.drop = i.egress_port == (PortId_t) 32w2;", []),
        (
            SEND, "o.clone = i.egress_port == (PortId_t) 32w3; o.drop = i.egress_port == (PortId_t) 32w2;",
            ["macs_clone_egress(", "macs_request_recirculate(", "egress_output_drop && "],
        ),
        (
            "multicast(o, (MulticastGroup_t) (MulticastGroupUint_t) hdr.h.b);", "",
            ["macs_request_recirculate(", "MACS_REPLICATE"],
        ),
        ("send_to_port(o, PSA_PORT_RECIRCULATE);", "", ["macs_request_recirculate("]),
    ],
)  # fmt: skip
def test_decisions_as_c(ingress: str, egress: str, there: list[str], tmp_path: Path) -> None:
    """A program has the C of what it may ask for, and no other."""
    file = tmp_path / "once.p4"
    file.write_text(ONCE.format(ingress=ingress, egress=egress))
    request = Request(file, warnings=("no-all",))
    c = compilation.generate_c(request, compilation.load(request)).c
    assert [one for one in ASKED if one in c] == there
