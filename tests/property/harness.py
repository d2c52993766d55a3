"""Runs a scenario on two devices and compares everything that can be seen: frames out, registers, counters."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import groupby

from strategies import NewEntry, Scenario

from macsad.stf.device import Device, Digest
from macsad.stf.diff import hex_lines
from transpiler.hlir.program import Program

BATCHES = ((1, 1), (8, 4), (32, 32), (256, 64))  # (B, b)
UNKNOWN = -1  # the handle of an entry that is not there yet


@dataclass(frozen=True, slots=True)
class Outcome:
    """What came of a scenario: frames by output port, in order, and the state that is left."""

    frames: dict[int, list[bytes]]
    registers: dict[str, list[int]]
    counters: dict[str, list[tuple[int, int]]]
    digests: list[Digest]


def outcome(program: Program, device: Device, scenario: Scenario, ports: Iterable[int]) -> Outcome:
    """Carry out a scenario; frames to ports that the device does not have are lost."""
    known = set(ports)
    handles = _set_up(device, scenario)
    frames: dict[int, list[bytes]] = defaultdict(list)
    half = len(scenario.packets) // 2
    for at, packets in enumerate((scenario.packets[:half], scenario.packets[half:])):
        if at:
            _change(device, scenario, handles)
        for port, group in groupby(packets, key=lambda packet: packet[0]):
            device.inject_all(port, [data for _, data in group])
            for out, frame in device.collect():
                if out in known:
                    frames[out].append(frame)
    left = defaultdict(list)
    for i, (table, handle) in enumerate(handles):
        if i not in scenario.removed:
            left[table].append(handle)
    return Outcome(dict(frames), _registers(program, device), _counters(program, device, left), device.digests())


def _set_up(device: Device, scenario: Scenario) -> list[tuple[str, int]]:
    """What the control plane does first. Returns the entries' handles, those of `scenario.entries` first."""
    handles = []
    for table, action, arguments in scenario.defaults:
        device.set_default(table, action, arguments)
    for name, member in scenario.value_sets:
        device.value_set_add(name, member)
    for name, index, burst in scenario.bursts:
        device.meter_set_rates(name, index, (0.0, burst), (0.0, 2 * burst))
    for e in scenario.entries:
        handles.append((e.table, UNKNOWN if e.table in scenario.late else _add(device, e)))
    made: dict[tuple[str, bool], list[int]] = {}
    for profile in scenario.profiles:
        members = [device.member_create(profile.name, action, arguments) for action, arguments in profile.members]
        made[profile.name, False] = members
        groups = [[members[at] for at in group] for group in profile.groups]
        made[profile.name, True] = [device.selector_group_create(profile.name, group) for group in groups]
    for c in scenario.choices:
        chosen = made[c.profile, c.group][c.chosen]
        handle = device.add_indirect_entry(c.table, c.matches, chosen, c.priority, group=c.group)
        handles.append((c.table, handle))
    return handles


def _add(device: Device, e: NewEntry) -> int:
    return device.add_entry(e.table, e.matches, e.action, e.arguments, e.priority)


def _change(device: Device, scenario: Scenario, handles: list[tuple[str, int]]) -> None:
    """What the control plane does between the halves. Entries that come then get their handles."""
    for i, e in enumerate(scenario.entries):
        if e.table in scenario.late:
            handles[i] = (e.table, _add(device, e))
    for table, action, arguments in scenario.later:
        device.set_default(table, action, arguments)
    for removed in scenario.removed:
        device.remove_entry(*handles[removed])


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


def difference(expected: Outcome, got: Outcome) -> str:
    """What differs, in words; empty when nothing does."""
    for port in sorted({*expected.frames, *got.frames}):
        wanted, found = expected.frames.get(port, []), got.frames.get(port, [])
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
    for name in sorted({name for name, _ in (*expected.digests, *got.digests)}):  # each is a stream of its own
        wanted_records, found_records = ([r for n, r in o.digests if n == name] for o in (expected, got))
        if wanted_records != found_records:
            return f"digest {name}: {wanted_records} expected, {found_records} got"
    return ""
