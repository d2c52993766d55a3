"""Writes what is needed to see a failure again: the program, an STF file of the scenario, what was wrong."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from layout import Node, render
from oracle import GROUPS, PORTS, SESSIONS, Failure, Subject
from strategies import Scenario

from macsad.stf.interpreted import InterpretedDevice
from transpiler.hlir.program import MatchKind, Program
from transpiler.interpreter.matches import Exact, Match, Prefix, Range, Ternary


def write(folder: Path, nodes: tuple[Node, ...], failure: Failure) -> None:
    """Fill a folder: program.p4, program.stf where packets play a part, failure.txt."""
    subject = Subject.of_text(folder, render(nodes))
    if failure.scenario is not None and subject.read() is not None:
        failure = replace(failure, scenario=None)
    note(folder, subject, failure)


def note(folder: Path, subject: Subject, failure: Failure) -> None:
    """Put what is known of a failure into a folder: failure.txt, and program.stf where packets play a part."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "failure.txt").write_text(
        f"{failure.step} {failure.build} {failure.batch or ''}\n{failure.message}\n{failure.scenario}\n"
    )
    if failure.scenario is not None:
        (folder / "program.stf").write_text(stf(subject.plain, failure.scenario))


def stf(program: Program, scenario: Scenario) -> str:
    """A scenario as STF; what is expected is what the interpreter does with the program before passes."""
    lines = [f"mc_mgrp_create {group}" for group in GROUPS]
    node = 0
    for group, nodes in GROUPS.items():
        for rid, ports in nodes:
            lines += [f"mc_node_create {rid} {' '.join(map(str, ports))}", f"mc_node_associate {group} {node}"]
            node += 1
    lines += [f"mirroring_add {session} {port}" for session, port in SESSIONS.items()]
    for table, action, arguments in scenario.defaults:
        lines.append(f"setdefault {table} {_call(program, action, arguments)}")
    for e in scenario.entries:
        keys = [k for k in program.table[e.table].keys if k.match_kind is not MatchKind.SELECTOR]
        words = " ".join(f"{k.name}:{_match(m)}" for k, m in zip(keys, e.matches, strict=True))
        lines.append(f"add {e.table} {e.priority} {words} {_call(program, e.action, e.arguments)}")
    device = InterpretedDevice(program)
    for group, nodes in GROUPS.items():
        device.group_create(group)
        for rid, ports in nodes:
            device.node_associate(group, device.node_create(rid, ports))
    for session, port in SESSIONS.items():
        device.mirroring_add(session, port)
    for table, action, arguments in scenario.defaults:
        device.set_default(table, action, arguments)
    for e in scenario.entries:
        device.add_entry(e.table, e.matches, e.action, e.arguments, e.priority)
    for port, frame in scenario.packets:
        lines.append(f"packet {port} {frame.hex()}")
        device.inject(port, frame)
        lines += [f"expect {out} {sent.hex()}$" for out, sent in device.collect() if out in PORTS]
    return "\n".join(lines) + "\n"


def _call(program: Program, action: str, arguments: tuple[int, ...]) -> str:
    names = [name.rsplit(".", 1)[-1] for name in program.action[action].parameters]
    return f"{action}({', '.join(f'{n}:{v:#x}' for n, v in zip(names, arguments, strict=True))})"


def _match(match: Match) -> str:
    match match:
        case Exact(value=value):
            return f"{value:#x}"
        case Prefix(value=value, length=length):
            return f"{value:#x}/{length}"
        case Ternary(value=value, mask=mask):
            return f"{value:#x}&&&{mask:#x}"
        case Range(low=low, high=high):
            return f"{low:#x}..{high:#x}"
