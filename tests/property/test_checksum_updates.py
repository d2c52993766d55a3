"""Checksums that are updated from what was verified are those that are computed anew, whatever checksum a packet came with:
by the interpreter and by compiled switches, with the pass and without."""

from __future__ import annotations

import os
from pathlib import Path
from random import Random

import switches
from harness import difference, outcome
from strategies import Scenario

from macsad.stf.compiled import CompiledDevice
from macsad.stf.device import Device
from macsad.stf.interpreted import InterpretedDevice
from transpiler.externs import algorithms
from transpiler.optimisations import Optimisations
from transpiler.passes.pipeline import optimise

PROGRAM = Path(__file__).parents[1] / "golden" / "passes" / "checksums.p4"
WITHOUT = Optimisations(without_passes=frozenset({"update_checksums_incrementally"}))
PORTS = (0, 1)
CORNERS = (0x0000, 0x0001, 0x00FF, 0xFF00, 0xFFFE, 0xFFFF)


def frame(random: Random) -> bytes:
    """Two headers and a payload. Half of the checksums are right, and of the others some are the other zero."""

    def word() -> bytes:
        return random.choice((random.getrandbits(16), random.choice(CORNERS))).to_bytes(2, "big")

    def checked(before: bytes, behind: bytes, covered: bytes) -> bytes:
        right = algorithms.compute("csum16", covered)
        assert right is not None
        other = random.choice((right ^ 0xFFFF, 0, 0xFFFF, random.getrandbits(16)))
        return before + random.choice((right, right, other)).to_bytes(2, "big") + behind

    head, addresses = (
        word() + word() + bytes([random.choice((0, 1, 255)), random.choice((0, 1, 1))]),
        b"".join(word() for _ in range(4)),
    )
    kind, mark, payload = word(), word(), random.randbytes(random.choice((0, 1, 7, 40)))
    body = checked(kind, mark, kind + mark + addresses[4:] + payload)
    return checked(head, addresses, head + addresses) + (body if head[-1] == 1 else b"") + payload


def test_the_same_checksums(tmp_path: Path) -> None:
    random = Random(int(os.environ["MACSAD_FUZZ_SEED"]))
    program = switches.load(PROGRAM)
    scenario = Scenario((), (), tuple((0, frame(random)) for _ in range(400)))
    expected = outcome(program, InterpretedDevice(program), scenario, PORTS)
    sent = expected.frames[1]
    assert 50 < sum(data[0] >> 4 == 0 for data in sent) < 350, "of those that come in some are right, some wrong"
    devices: list[Device] = [InterpretedDevice(optimise(program))]
    for wanted in (Optimisations(), WITHOUT):
        binary = switches.build(PROGRAM, ("address", "undefined"), wanted=wanted)
        devices.append(CompiledDevice(program, binary, PORTS, burst=32, sub_batch=8))
    for device in devices:
        try:
            assert difference(expected, outcome(program, device, scenario, PORTS)) == ""
        finally:
            device.close()
