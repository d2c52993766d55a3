"""Decisions that are ready: random packets, between which tables change, are sent as the interpreter sends them."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
import switches
from built_once import worked_out_once

from macsad.compilation import Request, generate_c
from macsad.stf.compiled import CompiledDevice
from macsad.stf.device import Frame
from macsad.stf.interpreted import InterpretedDevice
from transpiler.interpreter.matches import Exact, Match
from transpiler.optimisations import ALL

PROGRAM = Path(__file__).parent / "ready.p4"
WAYS = {
    "all": ALL,
    "without": ALL.without(["ready-decisions"]),
    "not in place": ALL.without(["in-place"]),
    "cursors": ALL.without(["bulk", "locals"]),
    "not looking first": ALL.without(["look-first"]),
    "no constants": ALL.without(["constant-propagation", "reread"]),
}
Draw = random.Random
Device = CompiledDevice | InterpretedDevice

NUMBERS: dict[str, Callable[[Draw], int]] = {
    "class": lambda d: d.randrange(4),
    "mark": lambda d: d.randrange(3),
    "port": lambda d: d.randrange(1, 4),
    "label": lambda d: d.randrange(3),
    "to": lambda d: d.randrange(3),
    "tag": lambda d: d.randrange(4),
    "kind": lambda d: d.randrange(4),
    "id": lambda d: d.choice((0, 0xFFFF)),
    "there": lambda d: d.randrange(2),
}
KEYS = {
    "by_to": ("to",),
    "by_kind": ("kind", "tag"),
    "by_inner": ("to", "there"),
    "labels": ("label", "class"),
    "outers": ("class", "tag"),
    "inners": ("to",),
    "filter": ("to", "mark"),
    "ports": ("class",),
}
ACTIONS: dict[str, tuple[tuple[str, ...], ...]] = {
    "by_to": (("set_class", "class"), ("none",)),
    "by_kind": (("set_mark", "mark"), ("drop",), ("none",)),
    "by_inner": (("set_class", "class"), ("set_mark", "mark"), ("none",)),
    "labels": (("push", "label"), ("push_two", "label"), ("pop",), ("pop_second",), ("swap", "label"), ("none",)),
    "outers": (("outer", "id", "class"), ("outer", "id", "class"), ("hops", "class"), ("none",)),
    "inners": (("strip",), ("number", "label"), ("to", "to"), ("none",)),
    "filter": (("drop",), ("set_mark", "mark"), ("none",)),
    "ports": (("send", "port"), ("send", "port"), ("send", "port"), ("drop",), ("none",)),
}


def flow(draw: Draw) -> bytes:
    """The bytes of a frame, in which those that differ from frame to frame of a flow are zero."""
    kind = draw.randrange(4)
    made = bytes([kind << 4 | draw.randrange(4), 0, 0, 0, 0, 0, draw.randrange(3), 0, 0, draw.randrange(256), 0])
    for last in {1: draw.choice(((1,), (0, 1))), 3: ()}.get(kind, ()):
        made += bytes([0, 0, draw.randrange(3) << 4 | 4 | last, draw.randrange(256)])
    if kind == 3:
        made += (words := bytes([draw.randrange(3)])) + bytes(4 * words[0])
    if kind:
        made += bytes([draw.randrange(3), 0, 0, 0, draw.randrange(3), 0, 0, 0, draw.randrange(3), 0, 0, 0])
    return made[: draw.randrange(4, len(made))] if draw.random() < 0.1 else made


def frame(draw: Draw, of: bytes) -> bytes:
    """One of a flow: what its tables do not look at is drawn."""
    made = bytearray(of)
    for at in (1, 2, 10, len(of) - 1, len(of) - 3):
        if at in (1, 2, 10) or (of[0] >> 4 and len(of) > 20):
            made[at : at + 1] = bytes([draw.choice((0, 0xFF, draw.randrange(256)))]) if at < len(of) else b""
    return bytes(made) + bytes(draw.randrange(256) for _ in range(draw.choice((0, 1, 7, 30, 30, 30))))


class Changes:
    """Random changes of tables: which, does not depend on the device."""

    def __init__(self, draw: Draw, device: Device) -> None:
        self.draw, self.device = draw, device
        self.there: dict[tuple[str, tuple[Match, ...]], int] = {}

    def one(self) -> None:
        table = self.draw.choice(tuple(KEYS))
        action, *parameters = self.draw.choice(ACTIONS[table])
        values = tuple(NUMBERS[name](self.draw) for name in parameters)
        if self.draw.random() < 0.3:
            self.device.set_default(f"I.{table}", f"I.{action}", values)
            return
        key = tuple(Exact(NUMBERS[name](self.draw)) for name in KEYS[table])
        if (table, key) in self.there:
            self.device.remove_entry(f"I.{table}", self.there.pop((table, key)))
            return
        self.there[table, key] = self.device.add_entry(f"I.{table}", key, f"I.{action}", values, 0)


def by_port(sent: list[Frame]) -> list[Frame]:
    """Packets keep their order to each port."""
    return sorted(sent, key=lambda one: one[0])


def rounds(device: Device, seed: int) -> Iterator[tuple[list[Frame], list[tuple[int, int]]]]:
    """Random packets, with a change after each 80; what is sent of them and what is counted then."""
    draw = random.Random(seed)
    changes = Changes(draw, device)
    for _ in range(12):
        changes.one()
    flows = [flow(draw) for _ in range(24)]
    for _ in range(60):
        device.inject_all(0, [frame(draw, draw.choice(flows)) for _ in range(80)])
        yield by_port(device.collect()), [device.counter("I.of_class", index) for index in range(4)]
        changes.one()


@pytest.mark.parametrize("burst", [1, 32])
@pytest.mark.parametrize("way", list(WAYS))
def test_changes_between_packets(way: str, burst: int) -> None:
    interpreted = worked_out_once(
        ("ready decisions", burst), lambda: list(rounds(InterpretedDevice(switches.load(PROGRAM)), burst))
    )
    device = switches.start(PROGRAM, (0, 1, 2, 3), burst=burst, wanted=WAYS[way])
    try:
        for expected, got in zip(interpreted, rounds(device, burst), strict=True):
            assert got == expected
        found = device.statistics()["decisions"]
    finally:
        device.close()
    assert found["found"] > 1000 and found["not_found"] > 100


def test_what_is_ready() -> None:
    """Its parser has one order of headers, and nothing is looked up behind its tables."""
    c = generate_c(Request(PROGRAM), switches.load(PROGRAM)).c
    assert "macs_ready_send(" in c and "macs_ready_make(" in c and "MACS_READY_VARIES" in c
    assert "macs_ready" not in generate_c(Request(PROGRAM, wanted=WAYS["without"]), switches.load(PROGRAM)).c


def test_packets_look_first() -> None:
    """Nothing but the parser is in front of its tables."""
    c = generate_c(Request(PROGRAM), switches.load(PROGRAM)).c
    look = c[c.index("_entry_look(") :]
    look = look[: look.index("\n}\n")]
    assert "macs_decisions_place(" in look and "macs_decisions_on(" not in look
    without = generate_c(Request(PROGRAM, wanted=WAYS["not looking first"]), switches.load(PROGRAM)).c
    assert "_look(" not in without and "macs_ready_send(" in without
