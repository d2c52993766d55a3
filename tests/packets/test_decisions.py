"""A cache of decisions: random packets, between which tables change, come to what the interpreter has them come to, and are
counted as there."""

from __future__ import annotations

import random
import re
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from subprocess import run

import pytest
import switches
from built_once import worked_out_once
from switch_harness import Switch, write_pcap

from macsad.compilation import Request, generate_c
from macsad.stf.compiled import CompiledDevice
from macsad.stf.device import Frame
from macsad.stf.interpreted import InterpretedDevice
from transpiler.interpreter.matches import Exact, Match, Prefix, Range, Ternary
from transpiler.optimisations import ALL

PROGRAM = Path(__file__).parent / "decisions.p4"
WAYS = {
    "all": ALL,
    "without": ALL.without(["decision-cache"]),
    "by pipeline": ALL.without(["run-to-completion", "merge"]),
    "cursors": ALL.without(["bulk", "locals"]),
    "no constants": ALL.without(["constant-propagation", "reread"]),
}
VALUES = (0, 1, 2, 3, 0x01020304, 0xFFFFFFFF)
Device = CompiledDevice | InterpretedDevice


def frame(draw: random.Random, number: int) -> bytes:
    kind = draw.choice((1, 2, 0x81, 0x82))
    made = bytes([kind]) + draw.choice(VALUES).to_bytes(4, "big") + draw.choice(VALUES).to_bytes(4, "big")
    made += draw.choice((0, 1, 77)).to_bytes(2, "big") + bytes([draw.choice((0, 1)), number])
    return (
        made
        + (bytes([0, draw.choice((0, 7))]) + bytes(15) + bytes([draw.choice((0, 9)), 5]) if kind & 0x80 else b"")
        + (draw.choice((b"\0\1\2\3\4", b"\5\6\7\1\0")) if kind & 0x80 else b"")
        + b"xyz"
    )


def matches(draw: random.Random, table: str) -> tuple[Match | None, ...]:
    """A random key of a table."""
    value, length = draw.choice(VALUES), draw.choice((0, 8, 30, 32))
    prefix = Prefix(value >> (32 - length) << (32 - length), length)
    flow = draw.choice((0, 1, 77))
    masked = Ternary(value, 0xFFFFFFFF) if draw.random() < 0.5 else Ternary(0, 0)
    small = Exact(draw.randrange(4))
    keys: dict[str, tuple[Match | None, ...]] = {
        "by_port": (Exact(0), Ternary(draw.randrange(3), 3)),
        "by_from": (prefix,),
        "by_to": (prefix,),
        "by_flow": (Range(flow, draw.choice((flow, 100))), small),
        "groups": (small,),
        "ports": (small,),
        "headers": (small, Exact(draw.randrange(2))),
        "marks": (Exact(draw.randrange(3)),),
        "more": (Exact(draw.choice((0, 7))), Exact(draw.randrange(2))),
        "acl": (masked, Ternary(0, 0), Ternary(0x900, 0xFF00) if draw.random() < 0.5 else Ternary(0, 0)),
    }
    return keys[table]


ACTIONS: dict[str, tuple[tuple[str, Callable[[random.Random], tuple[int, ...]]], ...]] = {
    "by_port": (
        ("count_class", lambda d: (d.randrange(4),)),
        ("count_class", lambda d: (d.randrange(4),)),
        ("none", lambda d: ()),
    ),
    "by_from": (("set_class", lambda d: (d.randrange(4),)),),
    "by_to": (("set_next", lambda d: (d.randrange(4),)),),
    "by_flow": (("set_next", lambda d: (d.randrange(4),)), ("drop", lambda d: ())),
    "ports": (("send", lambda d: (d.randrange(1, 4), d.choice(VALUES))),),
    "headers": (
        ("pop", lambda d: ()),
        ("push", lambda d: (d.getrandbits(128),)),
        ("widen", lambda d: (d.getrandbits(128),)),
        ("tint", lambda d: (d.randrange(3),)),
    ),
    "marks": (("mark", lambda d: (d.randrange(3),)),),
    "more": (("mark", lambda d: (d.randrange(3),)),),
    "acl": (("drop", lambda d: ()), ("none", lambda d: ())),
}


class Changes:
    """Random changes of tables: which, does not depend on the device."""

    def __init__(self, draw: random.Random, device: Device) -> None:
        self.draw, self.device = draw, device
        self.there: dict[tuple[str, tuple[Match | None, ...]], int] = {}
        self.priority = 0
        self.members = [device.member_create("I.chosen", "I.send", (n % 3 + 1, 100 + n)) for n in range(4)]

    def one(self) -> None:
        table = self.draw.choice((*ACTIONS, "groups"))
        key = matches(self.draw, table)
        if (table, key) in self.there:
            self.device.remove_entry(f"I.{table}", self.there.pop((table, key)))
            return
        self.priority += 1
        if table == "groups":
            some = self.draw.sample(range(4), self.draw.randrange(1, 4))
            group = self.device.selector_group_create("I.chosen", sorted(self.members[n] for n in some))
            self.there[table, key] = self.device.add_indirect_entry("I.groups", key, group, 0, group=True)
            return
        action, arguments = self.draw.choice(ACTIONS[table])
        values, priority = arguments(self.draw), self.priority if table in ("by_port", "by_flow", "acl") else 0
        if self.draw.random() < 0.1 and table != "by_port":
            self.device.set_default(f"I.{table}", f"I.{action}", values)
            return
        self.there[table, key] = self.device.add_entry(f"I.{table}", key, f"I.{action}", values, priority)


def counts(device: Device, handles: list[int]) -> Iterator[tuple[int, int]]:
    yield from (device.counter("I.of_kind", index) for index in range(16))
    yield from (device.counter("I.of_class", handle) for handle in handles)


def with_assertions(folder: Path) -> Path:
    """The program, with assertions in an action and between tables."""
    text, path = PROGRAM.read_text(), folder / PROGRAM.name
    more = {"action mark(bit<8> mark) {": "assert(mark != 2);", "headers.apply();": "assert(meta.class != 3);"}
    for there, assertion in more.items():
        assert there in text
        text = text.replace(there, f"{there} {assertion}")
    path.write_text(text)
    return path


def by_port(sent: list[Frame]) -> list[Frame]:
    """Packets keep their order to each port."""
    return sorted(sent, key=lambda one: one[0])


@pytest.mark.parametrize("burst", [1, 32])
@pytest.mark.parametrize("way", list(WAYS))
def test_changes_between_packets(way: str, burst: int) -> None:
    failed = packets_between_changes(PROGRAM, way, burst)
    assert failed == 0


@pytest.mark.parametrize("burst", [1, 32])
@pytest.mark.parametrize("way", ["all", "without", "no constants"])
def test_assertions_that_fail(way: str, burst: int, tmp_path: Path) -> None:
    """Each is counted, also of packets that come again."""
    failed = packets_between_changes(with_assertions(tmp_path), way, burst)
    assert 100 < failed < 2000


def rounds(device: Device, seed: int) -> Iterator[tuple[list[Frame], list[tuple[int, int]]]]:
    """Random packets, with a change after each 60; what is sent of them and what is counted then."""
    draw = random.Random(seed)
    changes = Changes(draw, device)
    for _ in range(12):
        changes.one()
    pool = [frame(draw, 0) for _ in range(40)]
    for _ in range(40):
        device.inject_all(
            0, [(chosen := draw.choice(pool))[:12] + bytes([draw.randrange(256)]) + chosen[13:] for _ in range(60)]
        )
        sent = by_port(device.collect())
        yield sent, list(counts(device, [handle for (t, _), handle in changes.there.items() if t == "by_port"]))
        changes.one()


def interpreted(program: Path, seed: int) -> tuple[list[tuple[list[Frame], list[tuple[int, int]]]], int]:
    """What the interpreter makes of the rounds, and how many assertions fail."""
    device = InterpretedDevice(switches.load(program))
    return list(rounds(device, seed)), len(device.switch.store.failed_asserts)


def packets_between_changes(program: Path, way: str, burst: int) -> int:
    """Do the test; how many assertions failed."""
    expected, failed = worked_out_once(("decisions", program.read_text(), burst), lambda: interpreted(program, burst))
    device = switches.start(program, (0, 1, 2, 3), burst=burst, wanted=WAYS[way])
    try:
        for one, got in zip(expected, rounds(device, burst), strict=True):
            assert got == one
        assert device.statistics()["asserts"] == failed
        found = device.statistics().get("decisions")
    finally:
        device.close()
    if way == "without":
        assert found is None
    else:
        assert found is not None and found["found"] > 300 and found["not_found"] > 100
    return failed


@pytest.mark.parametrize("sanitize", [(), ("thread",)], ids=["plain", "threads"])
def test_changes_while_packets_flow(sanitize: tuple[str, ...], tmp_path: Path) -> None:
    """Two workers decide packets all the time; one that comes behind a change is decided by it."""
    draw = random.Random(5)
    for port in (8, 9):
        flows = [bytes([1, 5]) + bytes(6) + bytes([draw.randrange(40)]) + bytes(4) for _ in range(400)]
        write_pcap(tmp_path / f"{port}.pcap", flows)
    binary = switches.build(PROGRAM, sanitize)
    wrapper = tmp_path / "run"  # the sanitizer's shadow memory and address randomisation collide on some kernels
    wrapper.write_text(f'#!/bin/sh\nexec setarch -R "{binary}" "$@"\n')
    wrapper.chmod(0o755)
    feeds = [f"--port={port}=mem:{tmp_path}/{port}.pcap,loop" for port in (8, 9)]
    switch = Switch(wrapper, tmp_path, [*feeds, "--port=0=ctl:", "--port=1=ctl:", "--port=3=null:", "--workers=2"])
    try:
        switch.do("table_add by_to set_next 0x0a000000/8 => 2", "table_add ports send 2 => 1 7")
        to = mark = 7
        asked = bytes([1]) + bytes(4) + b"\x0a\0\0\1" + bytes(4)
        for turn in range(60):
            match turn % 4:
                case 0:
                    switch.do(f"table_set_default more mark {turn}")
                case 1:
                    switch.do(f"table_modify ports send 0 1 {turn}")
                case 2:
                    switch.do("table_add acl drop 0&&&0xffffffff 0&&&0 0&&&0 => 1")
                case _:
                    switch.do("table_clear acl", f"table_set_default more mark {turn}")
            while switch.client.inject(0, [asked]) != 1:
                time.sleep(0.001)
            mark, to = (mark, turn) if turn % 4 == 1 else (turn if turn % 4 != 2 else mark, to)
            wanted = [(to.to_bytes(4, "big"), mark)] if turn % 4 != 2 else []
            assert [(data[5:9], data[11]) for _, data in switch.client.collect()] == wanted, turn
        found = switch.client.stats()["decisions"]
        assert found["found"] > 1000
        switch.stop()
    finally:
        switch.process.kill()


@pytest.mark.parametrize(("of_16", "looks"), [(8, False), (11, True)])
def test_packets_look_while_it_pays(of_16: int, looks: bool, tmp_path: Path) -> None:
    """To look costs as much as six of the ten lookups: it pays where more than 6 in 10 packets find a decision."""
    fed, nothing = tmp_path / "fed.pcap", tmp_path / "nothing.pcap"
    flows = [n.to_bytes(4, "big") if n % 16 >= of_16 else bytes([0, 0, 1, n % 4]) for n in range(1 << 14)]
    write_pcap(fed, [bytes([1]) + flow + bytes(10) for flow in flows])
    write_pcap(nothing, [])
    ports = [f"--port={n}=pcap:{nothing if n else fed},{tmp_path}/sent{n}.pcap" for n in (0, 1, 2, 3)]
    ended = run(
        [switches.build(PROGRAM), *ports, "--until-end"], capture_output=True, text=True, check=True, cwd=tmp_path
    )
    counted = re.search(r"decisions: (\d+) found, (\d+) not found, (\d+) not looked up", ended.stdout)
    assert counted is not None, ended.stdout
    found, missed, skipped = map(int, counted.groups())
    assert found + missed + skipped == len(flows) and abs(found - (found + missed) * of_16 // 16) < 300
    assert skipped == 0 if looks else found + missed < 5000


def test_what_is_cached() -> None:
    """The register is outside, and so is what only the deparser or egress reads."""
    made = generate_c(Request(PROGRAM), switches.load(PROGRAM))
    (note,) = [note for note in made.notes if note.startswith("decisions: ")]
    assert "in front of 10 lookups" in note
    key = made.c[made.c.index("macs_decisions_key(") : made.c.index("macs_decisions_place(")]
    assert "ingress_port" in key and "hdr_base_at + 11" not in key
    assert "macs_decisions" not in generate_c(Request(PROGRAM, wanted=WAYS["without"]), switches.load(PROGRAM)).c
