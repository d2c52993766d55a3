"""What architectures decide at the ends of their pipes, as C: whole, in its order, with nothing that a program cannot ask for."""

from __future__ import annotations

from collections.abc import Collection
from types import SimpleNamespace
from typing import Any

import pytest

from transpiler.architectures.facts import part
from transpiler.codegen.c.build import call
from transpiler.codegen.c.nodes import Do, Name
from transpiler.codegen.c.printer import Printer
from transpiler.codegen.outcome import Outcome
from transpiler.hlir.program import Architecture


def decided(
    monkeypatch: pytest.MonkeyPatch,
    architecture: Architecture,
    step: str,
    asked: Collection[str],
    absent: Collection[str] = (),
) -> list[str]:
    """The C of a step, without its indents. `asked`: intrinsic values that the program may set, and what it calls; `absent`:
    those that it cannot name."""
    module: Any = part(architecture, "steps")
    for name, made in (
        ("may_be_set", lambda program, name: name in asked),
        ("second_passes", lambda program: "second passes" in asked),
        ("reads_service", lambda program: "service" in asked),
        ("calls", lambda program, methods: any(method in asked for method in methods)),
    ):
        if hasattr(module, name):
            monkeypatch.setattr(module, name, made)
    outcome = Outcome(False, True)
    values: Any = SimpleNamespace(
        program=None, outcome=outcome, before_diverting=(Do(call("before_diverting")),), drop=outcome.drop,
        value=lambda name: None if name in absent else Name(name.rpartition(".")[2]),
    )  # fmt: skip
    (how,) = (how for known, how in module.DECISIONS.items() if known.name == step)
    return [line.strip() for line in Printer().body(how(values)).splitlines()]


DROP = ["packet->verdict = MACS_DROP;", "packet->cause = MACS_CAUSE_PROGRAM;", "return;"]


def sent(port: str) -> list[str]:
    return [f"packet->egress_port = {port};", "packet->verdict = MACS_FORWARD;"]


def if_(condition: str, *then: str) -> list[str]:
    return [f"if ({condition}) {{", *then, "}"]


def replicated(group: str, *kept: str) -> list[str]:
    return [
        "before_diverting();", f"packet->multicast_group = {group};", "packet->verdict = MACS_REPLICATE;", *kept, "return;"
    ]  # fmt: skip


V1_DROP, V1_COPIES = if_("egress_spec == 0x1ff", *DROP), if_("mcast_grp != 0", *replicated("mcast_grp"))
V1_PORT, NORMAL = sent("egress_spec"), ["packet->instance_type = MACS_NORMAL;"]
CLONE = if_("packet->requests.flags & MACS_CLONE_EGRESS", "macs_clone_egress(worker, packet);")


@pytest.mark.parametrize(
    ("step", "asked", "absent", "c"),
    [
        ("forward", (), (), V1_DROP + V1_PORT),
        ("forward", ("recirculate.request",), (), V1_DROP + NORMAL + V1_PORT),
        ("forward", ("clone.ingress",), (), V1_DROP + V1_PORT),
        ("forward", (), ("egress_spec",), sent("0")),
        ("to_port", (), (), V1_PORT),
        ("to_port", ("resubmit.request",), (), NORMAL + V1_PORT),
        ("decide", (), (), V1_COPIES + V1_DROP + V1_PORT),
        ("divert", ("resubmit.request",), (), V1_COPIES + V1_DROP + NORMAL + V1_PORT),
        ("decide", (), ("mcast_grp",), V1_DROP + V1_PORT),
        ("enqueue", (), (), ["macs_set_priority(packet, priority);", *V1_COPIES, *V1_DROP, *V1_PORT]),
        ("enqueue", (), ("priority",), V1_COPIES + V1_DROP + V1_PORT),
        ("finish", (), (), V1_DROP),
        ("finish", ("clone.egress",), (), CLONE + V1_DROP),
        ("finish", ("clone.ingress",), (), V1_DROP),
        ("drop", (), (), DROP),
    ],
)
def test_v1model(
    step: str, asked: Collection[str], absent: Collection[str], c: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Multicast goes before the drop port, and a clone is made of what is dropped, too."""
    assert decided(monkeypatch, Architecture.V1MODEL, step, asked, absent) == c


def cloned(pipe: str, number: int) -> list[str]:
    request = f"macs_request_clone_{pipe}(packet, clone_session_id, {number});"
    return if_("clone", request, f"macs_clone_{pipe}(worker, packet);")


KEPT, SERVICE = "packet->requests.preserved = 1;", "packet->requests.service = class_of_service;"
RESUBMIT = if_("resubmit", "macs_request_resubmit(packet, 4);", "packet->verdict = MACS_FORWARD;", "return;")
UNICAST = [*sent("egress_port"), "packet->instance_type = 1;", KEPT]
TO_GROUP = if_("multicast_group", *replicated("macs_group(multicast_group)", KEPT))
ROUND = "packet->egress_port == 0xfffffffau"
AGAIN = if_(ROUND, "packet->ingress_port = 0xfffffffau;", "macs_request_recirculate(packet, 5);")
ON = if_(ROUND, "before_diverting();", "packet->verdict = MACS_EGRESS;")
I_CLONE, E_CLONE, E_DROP = "ingress_output.clone", "egress_output.clone", "egress_output.drop"


@pytest.mark.parametrize(
    ("step", "asked", "absent", "c"),
    [
        ("leave_ingress", (), (), if_("drop", *DROP)),
        ("leave_ingress", (I_CLONE, "ingress_output.resubmit"), (), cloned("ingress", 2) + if_("drop", *DROP) + RESUBMIT),
        ("leave_ingress", (E_CLONE, E_DROP), ("ingress_output.drop",), []),
        ("enqueue", (), (), UNICAST),
        ("enqueue", ("ingress_output.multicast_group",), (), TO_GROUP + UNICAST),
        ("enqueue", ("service",), (), [*UNICAST, SERVICE]),
        ("enqueue", ("ingress_output.multicast_group", "service"), (),
         [*if_("multicast_group", *replicated("macs_group(multicast_group)", KEPT, SERVICE)), *UNICAST, SERVICE]),
        ("to_port", ("ingress_output.multicast_group",), (), UNICAST),
        ("to_port", (), ("ingress_output.egress_port",), [*sent("0"), *UNICAST[2:]]),
        ("divert", ("ingress_output.multicast_group",), (), TO_GROUP + UNICAST + ON),
        ("forward", (), (), UNICAST + ON),
        ("leave_egress", (), (), []),
        ("leave_egress", (E_DROP,), (), if_("drop", *DROP)),
        ("leave_egress", (E_DROP, E_CLONE), (), if_("drop && !clone", *DROP)),
        ("leave_egress", (E_CLONE,), (), []),
        ("finish", (E_DROP,), (), []),
        ("finish", (E_DROP, E_CLONE), (), cloned("egress", 3) + if_("drop", *DROP)),
        ("finish", (E_DROP, E_CLONE, "second passes"), (), cloned("egress", 3) + if_("drop", *DROP) + AGAIN),
        ("finish", (E_CLONE,), ("egress_output.clone_session_id",),
         [line.replace("clone_session_id", "0") for line in cloned("egress", 3)]),
        ("pass_on", ("second passes",), (), AGAIN),
        ("pass_on", (), (), []),
        ("drop", (), (), DROP),
    ],
)  # fmt: skip
def test_psa(
    step: str, asked: Collection[str], absent: Collection[str], c: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A clone at ingress is of the packet as it came, at egress as it leaves: so what is dropped there is deparsed first."""
    assert decided(monkeypatch, Architecture.PSA, step, asked, absent) == c


def mirrored(slot: int) -> list[str]:
    request = f"macs_request_clone_egress(packet, mirror_{slot}, 0);"
    return if_(f"mirror_{slot} != 0", request, "macs_clone_egress(worker, packet);")


OUT, PNA_AGAIN = sent("output_port"), if_("recirculate", "macs_request_recirculate(packet, 1);")


@pytest.mark.parametrize(
    ("step", "asked", "absent", "c"),
    [
        ("leave", (), (), if_("drop", *DROP)),
        ("leave", ("mirror_1", "mirror_3"), (), if_("drop && mirror_1 == 0 && mirror_3 == 0", *DROP)),
        ("finish", (), (), if_("drop", *DROP) + OUT),
        (
            "finish",
            ("mirror_0", "mirror_2", "recirculate"),
            (),
            mirrored(0) + mirrored(2) + if_("drop", *DROP) + PNA_AGAIN + OUT,
        ),
        ("send", ("mirror_0",), (), OUT),
        ("send", ("recirculate",), (), PNA_AGAIN + OUT),
        ("send", (), ("output_port",), sent("0")),
        ("drop", (), (), DROP),
    ],
)
def test_pna(
    step: str, asked: Collection[str], absent: Collection[str], c: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Mirrored copies are made first, also of what is dropped."""
    assert decided(monkeypatch, Architecture.PNA, step, asked, absent) == c
