"""Bursts in which packets to one port and packets to groups are mixed: out of each port they go in the order in which they
came in, each as the interpreter has it, whatever the state's size and the number of stages."""

from __future__ import annotations

from pathlib import Path
from random import Random

import pytest
import switches

from macsad.compilation import Request, generate_c
from macsad.stf.device import Device
from macsad.stf.interpreted import InterpretedDevice
from transpiler.interpreter.matches import Exact
from transpiler.optimisations import ALL, Optimisations

HERE = Path(__file__).parent
V1MODEL, PSA = HERE / "flooding.p4", HERE / "psa_flooding.p4"
PORTS = range(4)
ONE_STAGE = ALL.without(["stages"])
APART = ALL.without(["run-to-completion"])
RECIRCULATES = 0xFFFFFFFA


def wide(folder: Path) -> Path:
    """flooding.p4 with a state that is not on the stack."""
    program = folder / "wide_flooding.p4"
    program.write_text(f'#define WIDE\n#include "{V1MODEL}"\n')
    return program


def prepare(device: Device, program: Path) -> None:
    """Destinations 0 to 3 are ports, 4 a group of all ports, 5 one of two, 6 a group without members, 7 to drop; 8, of PSA, the
    port that recirculates."""
    groups = {4: (0, 1, 2, 3), 5: (1, RECIRCULATES) if program == PSA else (1, 2), 6: ()}
    for group, ports in groups.items():
        device.group_create(group)
        if ports:
            device.node_associate(group, device.node_create(group, ports))
    for to in range(7):
        flood = to in groups
        if program == PSA:
            action, arguments = ("In.flood", (to,)) if flood else ("In.forward", (to,))
            device.add_entry("In.where", (Exact(to), Exact(0)), action, arguments, 0)
        else:
            action, arguments = ("I.flood", (to, 40 + to)) if flood else ("I.forward", (to,))
            device.add_entry("I.where", (Exact(to),), action, arguments, 0)
    if program == PSA:
        device.add_entry("In.where", (Exact(8), Exact(0)), "In.forward", (RECIRCULATES,), 0)
        for to in (5, 8):
            device.add_entry("In.where", (Exact(to), Exact(1)), "In.forward", (1,), 0)


def frames(random: Random, program: Path) -> list[bytes]:
    """A burst's worth and more, most of them to one port, numbered."""
    rest = bytes(3) if program.stem == "flooding" else bytes(2 + 1200) if program != PSA else b""
    chosen = [random.choice((1, 1, 1, 2, 2, 3, 0, 4, 5, 6, 7, 8)) for _ in range(100)]
    return [bytes((to, number, 0)) + rest for number, to in enumerate(chosen)]


def out_of_ports(device: Device, burst: list[bytes]) -> list[list[bytes]]:
    device.inject_all(0, burst)
    sent = device.collect()
    return [[frame for port, frame in sent if port == number] for number in PORTS]


def compare(program: Path, wanted: Optimisations, sanitize: tuple[str, ...] = ()) -> None:
    device = switches.start(program, PORTS, burst=64, sanitize=sanitize, wanted=wanted)
    try:
        expected = InterpretedDevice(switches.load(program))
        for one in (device, expected):
            prepare(one, program)
        for seed in range(6):
            burst = frames(Random(seed), program)
            assert out_of_ports(device, burst) == out_of_ports(expected, burst), seed
    finally:
        device.close()


@pytest.mark.parametrize("wanted", [ALL, ONE_STAGE, APART], ids=["stages", "one stage", "apart"])
@pytest.mark.parametrize("program", [V1MODEL, PSA], ids=lambda path: path.stem)
def test_bursts_keep_their_order(program: Path, wanted: Optimisations) -> None:
    compare(program, wanted, ("address", "undefined"))


@pytest.mark.parametrize("wanted", [ALL, ONE_STAGE], ids=["stages", "one stage"])
def test_bursts_of_a_large_state(tmp_path: Path, wanted: Optimisations) -> None:
    if switches.PLATFORM != "linux":
        pytest.skip("an installed ODP may have less room with a packet")
    compare(wide(tmp_path), wanted)


@pytest.mark.parametrize(
    ("program", "straight"),
    [
        (V1MODEL, True),
        (PSA, True),
        (HERE.parents[1] / "apps/l2fwd/l2fwd.p4", True),
        (HERE.parents[1] / "apps/l2fwd/l2fwd_14.p4", True),
        (HERE / "paths.p4", False),
        (HERE / "psa_paths.p4", False),
        (HERE / "shared_state.p4", False),
    ],
    ids=lambda value: value.stem if isinstance(value, Path) else "",
)
def test_straight_programs(program: Path, straight: bool) -> None:
    """Programs run to completion unless packets make further passes that the program requests, or are ordered."""
    c = generate_c(Request(program), switches.load(program)).c
    assert (".run_to_completion = " in c or ".prologue = " in c) == straight and ".egress = egress_pipe" in c
    assert (".ingress = " in c) == (not straight or program == PSA)
