"""Runs a scenario on two devices and compares everything that can be seen: frames out, registers, counters."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import groupby

from strategies import Scenario

from macsad.stf.device import Device
from macsad.stf.diff import hex_lines
from transpiler.hlir.program import Program

BATCHES = ((1, 1), (8, 4), (32, 32), (256, 64))  # (B, b)


@dataclass(frozen=True, slots=True)
class Outcome:
    """What came of a scenario: frames by output port, in order, and the state that is left."""

    frames: dict[int, list[bytes]]
    registers: dict[str, list[int]]
    counters: dict[str, list[tuple[int, int]]]


def outcome(program: Program, device: Device, scenario: Scenario, ports: Iterable[int]) -> Outcome:
    """Carry out a scenario; frames to ports that the device does not have are lost."""
    handles: dict[str, list[int]] = defaultdict(list)
    for table, action, arguments in scenario.defaults:
        device.set_default(table, action, arguments)
    for entry in scenario.entries:
        handles[entry.table].append(
            device.add_entry(entry.table, entry.matches, entry.action, entry.arguments, entry.priority)
        )
    known = set(ports)
    frames: dict[int, list[bytes]] = defaultdict(list)
    for port, group in groupby(scenario.packets, key=lambda packet: packet[0]):
        device.inject_all(port, [data for _, data in group])
        for out, frame in device.collect():
            if out in known:
                frames[out].append(frame)
    return Outcome(dict(frames), _registers(program, device), _counters(program, device, handles))


def _registers(program: Program, device: Device) -> dict[str, list[int]]:
    found = {}
    for instance in program.externs:
        if instance.kind == "register":
            size = min(int(instance.attribute("size")), 64)
            found[instance.name] = [device.register_read(instance.name, i) for i in range(size)]
    return found


def _counters(program: Program, device: Device, handles: dict[str, list[int]]) -> dict[str, list[tuple[int, int]]]:
    found = {}
    for instance in program.externs:
        if instance.kind == "counter":
            indices = list(range(min(int(instance.attribute("size")), 64)))
        elif instance.kind == "direct_counter":
            owner = next((t.name for t in program.tables if instance.name in t.direct), "")
            indices = handles[owner]
        else:
            continue
        found[instance.name] = [device.counter(instance.name, i) for i in indices]
    return found


def difference(expected: Outcome, got: Outcome, ordered: bool) -> str:
    """What differs, in words; empty when nothing does."""
    for port in sorted({*expected.frames, *got.frames}):
        wanted, found = expected.frames.get(port, []), got.frames.get(port, [])
        if not ordered:
            wanted, found = sorted(wanted), sorted(found)
        if wanted != found:
            at = next(
                (i for i, (a, b) in enumerate(zip(wanted, found, strict=False)) if a != b), min(len(wanted), len(found))
            )
            lines = [f"port {port}: frame {at} of {len(wanted)} expected, {len(found)} got"]
            for name, frames in (("expected", wanted), ("got", found)):
                lines += [f"{name}:", *(hex_lines(frames[at]) if at < len(frames) else ["    nothing"])]
            return "\n".join(lines)
    for what, wanted_state, found_state in (
        ("register", expected.registers, got.registers),
        ("counter", expected.counters, got.counters),
    ):
        for name in wanted_state:
            if wanted_state[name] != found_state[name]:
                return f"{what} {name}: {wanted_state[name]} expected, {found_state[name]} got"
    return ""
