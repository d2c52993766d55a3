"""A test as data: what the control plane sets up, one frame in, the frames that come out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from transpiler.hlir.program import MatchKind, Program
from transpiler.interpreter import ControlError, Switch
from transpiler.interpreter.matches import PRIORITY_KINDS, Exact
from transpiler.interpreter.tables import GroupRef, MemberRef
from transpiler.testgen.choices import Chosen
from transpiler.testgen.cover import Coverage
from transpiler.testgen.walk import CLONE_PORT, COPY_PORTS

FULL_RATE = (1000.0, 1_000_000)  # units a microsecond, burst
NO_RATE = (0.0, 0)
RATES = {
    0: (FULL_RATE, FULL_RATE),
    1: (NO_RATE, FULL_RATE),
    2: (NO_RATE, NO_RATE),
}  # committed and peak, for each colour


@dataclass(frozen=True)
class Sent:
    """A frame that comes out; `free`: bytes that nobody can know beforehand."""

    port: int
    data: bytes
    free: frozenset[int] = frozenset()


@dataclass(frozen=True)
class Scenario:
    """`registers`: cells that the packet reads, with what they hold before; `meters`: elements that are to mark it yellow (1)
    or red (2); `host`: its port is the host's; `defaults`: table → default action; `covered`: items, by number."""

    port: int
    frame: bytes
    entries: tuple[Chosen, ...] = ()
    defaults: tuple[tuple[str, str, tuple[int, ...]], ...] = ()
    registers: tuple[tuple[str, int, int], ...] = ()
    meters: tuple[tuple[str, int, int], ...] = ()
    groups: tuple[int, ...] = ()
    sessions: tuple[int, ...] = ()
    host: bool = False
    sent: tuple[Sent, ...] = ()
    covered: frozenset[int] = frozenset()


def replay(program: Program, coverage: Coverage, scenario: Scenario) -> Scenario | None:
    """The scenario with what it covers and what comes out, by the plain interpreter. None: it cannot be set up."""
    watch = Coverage.Watching(coverage)
    switch = Switch(program, watch=watch)
    try:
        set_up(program, switch, scenario)
    except ControlError:
        return None
    sent = switch.process(scenario.port, scenario.frame)
    return replace(scenario, sent=tuple(Sent(port, bytes(data)) for port, data in sent), covered=frozenset(watch.seen))


def set_up(program: Program, switch: Switch, scenario: Scenario) -> None:
    """Do what the control plane does. Raises: ControlError."""
    for group in scenario.groups:
        switch.replication.create_group(group)
        for port in COPY_PORTS:
            switch.replication.associate(group, switch.replication.create_node(port, (port,)))
    for session in scenario.sessions:
        switch.mirroring_add(session, CLONE_PORT)
    if scenario.host:
        switch.port_direction(scenario.port, host=True)
    for name, index, value in scenario.registers:
        switch.register_write(name, index, value)
    for table, action, arguments in scenario.defaults:
        switch.table_set_default(table, action, arguments)
    for entry in scenario.entries:
        _add(program, switch, entry)
    for name, index, colour in scenario.meters:
        switch.meter_set_rates(name, index, *RATES[colour])


def _add(program: Program, switch: Switch, entry: Chosen) -> None:
    table = program.table[entry.table]
    keys = [k for k in table.keys if k.match_kind is not MatchKind.SELECTOR]
    matches = tuple(Exact(value) for value in entry.key)
    priority = int(any(k.match_kind in PRIORITY_KINDS for k in keys))
    if table.implementation is None:
        switch.table_add(entry.table, matches, entry.action, entry.arguments, priority)
        return
    member = switch.member_create(table.implementation, entry.action, entry.arguments)
    choice: MemberRef | GroupRef = MemberRef(member)
    if program.extern[table.implementation].kind == "action_selector":
        group = switch.group_create(table.implementation)
        switch.group_add_member(table.implementation, group, member)
        choice = GroupRef(group)
    switch.table_add_indirect(entry.table, matches, choice, priority)


def fewest(scenarios: Sequence[Scenario], at_most: int | None = None) -> list[Scenario]:
    """Those that cover what all cover, each the one that adds most, in the order in which they were found."""
    left = set[int]().union(*(s.covered for s in scenarios))
    chosen: set[int] = set()
    while left and (at_most is None or len(chosen) < at_most):
        best = max((i for i in range(len(scenarios))), key=lambda i: (len(scenarios[i].covered & left), -i))
        left -= scenarios[best].covered
        chosen.add(best)
    return [scenarios[i] for i in sorted(chosen)]
