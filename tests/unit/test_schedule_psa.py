"""PSA's pipes: which there are, what a packet takes from one to the next, which programs may send it round again."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from macsad import compilation
from macsad.compilation import Request
from macsad.resources import share
from transpiler.architectures.psa.pipes import (
    DIVERT,
    ENQUEUE,
    FINISH,
    FORWARD,
    LEAVE_EGRESS,
    LEAVE_INGRESS,
    PASS_ON,
    TO_PORT,
    plan,
    plan_with_replication,
    preserved_lists,
    second_passes,
    specialise,
)
from transpiler.codegen.generate import generate
from transpiler.diagnostics import Diagnostics
from transpiler.hlir.program import Bridge, Program
from transpiler.passes.pipeline import optimise
from transpiler.schedule.pipeline import DROP, PASS, Deparse, Parse, Step
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
    assert bool(plan_with_replication(program)) == (again and not asks)


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
