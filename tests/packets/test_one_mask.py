"""Ternary tables whose entries have one mask are looked up by it: the same packets, and the switch tells by what it looks up."""

from __future__ import annotations

import random
import time
from pathlib import Path

import switches
from test_const_tables import by_port, frames

from macsad.stf.compiled import CompiledDevice
from transpiler.interpreter import Switch
from transpiler.interpreter.matches import Prefix, Range
from transpiler.optimisations import ALL

PROGRAM = Path(__file__).parents[1] / "c" / "const_tables.p4"
WAYS = {"by mask": ALL, "by cells": ALL.without(["one-mask", "few-entries"])}


def ways(device: CompiledDevice, wanted: dict[str, str]) -> dict[str, str]:
    """By what tables are looked up, as soon as that is as it is wanted; a table is tidied in the second second."""
    end = time.monotonic() + 20
    while (found := device._client.stats()["ways"]) != wanted and time.monotonic() < end:
        time.sleep(0.05)
    return dict(found)


def test_the_same_packets() -> None:
    """Twice: with entries of one mask, and with one more of another."""
    some = random.Random(7)
    interpreter = Switch(switches.load(PROGRAM))
    devices = {name: switches.start(PROGRAM, range(4), wanted=wanted) for name, wanted in WAYS.items()}
    keys = {
        (some.choice((0, 1, 2, 3, 0x80, some.randrange(1 << 48))), some.choice((0, 0x80, 0x123))) for _ in range(60)
    }

    def add(source: int, length: int, block: int, port: int, priority: int) -> None:
        low, high = block << 4, block << 4 | 15
        for device in devices.values():
            device._command(f"table_add ports forward {source}/{length} {low}->{high} => {port} {priority}")
        match = (Prefix(source, length), Range(low, high))
        interpreter.table_add("I.ports", match, "I.forward", (port,), (1 << 31) - 1 - priority)

    def compare() -> None:
        for port in (0, 1):
            sent = [one for data in frames(port) for one in interpreter.process(port, data)]
            assert sent
            for name, device in devices.items():
                device.inject_all(port, frames(port))
                assert by_port(device.collect()) == by_port(sent), name

    try:
        for priority, (source, block) in enumerate(sorted(keys)[:40]):
            add(source, 48, block, priority % 4, priority)
        assert ways(devices["by mask"], {"I.ports": "one mask", "I.klass": "few entries"})["I.ports"] == "one mask"
        assert "by one mask, " in devices["by mask"]._command("table_info ports")
        assert "I.ports: ternary_cells by one mask, " in devices["by mask"]._command("show_memory")
        compare()
        add(0, 0, 0x80, 2, 100)
        assert "I.ports" not in devices["by mask"]._client.stats()["ways"]
        compare()
    finally:
        for device in devices.values():
            device.close()
