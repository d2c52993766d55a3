"""Bursts of packets that are resubmitted, recirculated and cloned, and whose passes all take numbers from one register."""

from __future__ import annotations

from pathlib import Path
from random import Random

import pytest
import switches

from macsad.stf.device import Device
from macsad.stf.interpreted import InterpretedDevice
from transpiler.interpreter.matches import Exact

PROGRAM = Path(__file__).parent / "ordered_passes.p4"
PORTS = range(4)


def prepare(device: Device) -> None:
    device.mirroring_add(5, 2)
    device.group_create(3)
    device.node_associate(3, device.node_create(7, (2, 3)))
    device.add_entry("I.ways", (Exact(6),), "I.flood", (3,), 0)


def frames(random: Random) -> list[bytes]:
    """More than a burst of them, numbered behind what the program looks at."""
    return [bytes((random.randrange(7), random.randrange(3), *bytes(8), number)) for number in range(150)]


def out_of_ports(device: Device, burst: list[bytes]) -> list[list[bytes]]:
    device.inject_all(0, burst)
    sent = device.collect()
    return [[frame for port, frame in sent if port == number] for number in PORTS]


@pytest.mark.parametrize(("burst", "sub_batch"), [(1, 1), (32, 8), (64, 64)])
def test_a_packet_is_through_with_all_that_comes_of_it_before_the_next_one_begins(burst: int, sub_batch: int) -> None:
    sent = frames(Random(burst))
    device = switches.start(PROGRAM, PORTS, burst=burst, sub_batch=sub_batch)
    try:
        expected = InterpretedDevice(switches.load(PROGRAM))
        for one in (device, expected):
            prepare(one)
        assert out_of_ports(device, sent) == out_of_ports(expected, sent)
    finally:
        device.close()
