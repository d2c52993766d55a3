"""A generated test as STF text: docs/stf.md."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from transpiler.hlir.program import MatchKind, Program
from transpiler.interpreter.matches import PRIORITY_KINDS
from transpiler.shown import shown
from transpiler.testgen.choices import Chosen
from transpiler.testgen.cover import Item
from transpiler.testgen.scenario import RATES, Scenario, Sent
from transpiler.testgen.walk import CLONE_PORT, COPY_PORTS, PORT_LIMIT


@dataclass
class Before:
    """What tests before this one in the same file have left. `alone`: this one has a file, and so a switch, of its own."""

    alone: bool = True
    groups: list[int] = field(default_factory=list)


def stf(program: Program, test: Scenario, news: Sequence[Item], number: int, before: Before) -> str:
    """The text of one test. `news`: what it covers that no test before it does."""
    lines = [f"# {shown(str(item))}" for item in news]
    lines += _set_up(program, test, number, before)
    lines.append(f"packet {test.port} {test.frame.hex().upper()}")
    seen = [sent for sent in test.sent if sent.port < PORT_LIMIT]
    lines += [_expected(sent) for sent in seen]
    lost = sorted({sent.port for sent in test.sent} - {sent.port for sent in seen})
    lines += [f"# it goes to port {port}, which is not there" for port in lost]
    if not seen:
        lines.append("no_packet")
    return "\n".join(lines) + "\n"


def ending(program: Program, test: Scenario, number: int) -> str:
    """What undoes the entries of a test and its default actions, for one that follows in the same file."""
    lines = ["wait", "remove all"]
    for table, _, _ in test.defaults:
        call = program.table[table].default_action
        lines.append(f"setdefault {_name(table)} {_call(program, call.action, tuple(c.value for c in call.arguments))}")
    lines += [f"mirroring_delete {session}" for session in test.sessions]
    lines += [f"port_net {test.port}"] if test.host else []
    lines += [_rates(meter, index, 0) for meter, index, _ in test.meters]
    return "\n".join(lines) + "\n"


def _set_up(program: Program, test: Scenario, number: int, before: Before) -> Iterator[str]:
    for group in test.groups:
        if group in before.groups:
            continue
        at = len(before.groups)
        before.groups.append(group)
        yield f"mc_mgrp_create {group}"
        for place, port in enumerate(COPY_PORTS):
            yield f"mc_node_create {port} {port}"
            yield f"mc_node_associate {group} {at * len(COPY_PORTS) + place}"
    if test.host:
        yield f"port_host {test.port}"
    for session in test.sessions:
        yield f"mirroring_add {session} {CLONE_PORT}"
    for register, index, value in test.registers:
        if not before.alone or value != int(dict(program.extern[register].attributes).get("initial", 0)):
            yield f"register_write {_name(register)} {index} {value:#x}"
    for table, action, arguments in test.defaults:
        yield f"setdefault {_name(table)} {_call(program, action, arguments)}"
    for place, entry in enumerate(test.entries):
        yield from _entry(program, entry, f"{number}_{place}")
    for meter, index, colour in test.meters:
        yield _rates(meter, index, colour)


def _rates(meter: str, index: int, colour: int) -> str:
    """The command that makes a meter mark packets so."""
    return f"meter_set_rates {_name(meter)} {index} " + " ".join(f"{r:g}:{burst}" for r, burst in RATES[colour])


def _entry(program: Program, entry: Chosen, number: str) -> Iterator[str]:
    table = program.table[entry.table]
    keys = [key for key in table.keys if key.match_kind is not MatchKind.SELECTOR]
    words = [f"add {_name(entry.table)}"]
    if any(key.match_kind in PRIORITY_KINDS for key in keys):
        words.append("1")
    words += [_key(key.name, key.match_kind, value) for key, value in zip(keys, entry.key, strict=True)]
    call = _call(program, entry.action, entry.arguments)
    if table.implementation is None:
        yield " ".join([*words, call])
        return
    member = f"member{number}"
    yield f"member {_name(table.implementation)} {call} = {member}"
    if program.extern[table.implementation].kind == "action_selector":
        yield f"group {_name(table.implementation)} ${member} = group{number}"
        member = f"group{number}"
    yield " ".join([*words, f"${member}"])


def _key(name: str, kind: MatchKind, value: int) -> str:
    return f"{_name(name)}:{value:#x}" + (f"..{value:#x}" if kind is MatchKind.RANGE else "")


def _call(program: Program, action: str, arguments: Sequence[int]) -> str:
    names = [name.rsplit(".", 1)[-1] for name in program.action[action].parameters]
    given = ", ".join(f"{_name(name)}:{value:#x}" for name, value in zip(names, arguments, strict=True))
    return f"{_name(program.action[action].control_name)}({given})"


def _name(name: str) -> str:
    """A name, in quotes where it may be read as something else."""
    plain = all(part.replace("$", "_").isidentifier() for part in name.split("."))
    return name if plain and not name.startswith("$") else f'"{name}"'


def _expected(sent: Sent) -> str:
    digits = "".join("**" if i in sent.free else f"{byte:02X}" for i, byte in enumerate(sent.data))
    return f"expect {sent.port} {digits}$"
