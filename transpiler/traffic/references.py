"""Action data that name entries of other tables: parameters with @refers_to(TABLE, KEY), an annotation of SONiC's P4 programs.

Where a frame's way does not depend on such a parameter, its values are keys of entries that are there. Parameters of an action
that refer to one table name the same entry. `builtin::multicast_group_table` has the multicast groups that are set up.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

import numpy as np

from transpiler.hlir.program import MatchKind, Table
from transpiler.hlir.types import width_of
from transpiler.traffic.copies import GROUP
from transpiler.traffic.filled import TableEntries
from transpiler.traffic.plan import Named, Parameter, Plan, Stream, outcomes_of, with_copies
from transpiler.traffic.probe import Probe

GROUPS = "builtin::multicast_group_table"
MOST = 4096  # entries of a table that are referred to
Place = tuple[str, str]  # table and key


def referring(plan: Plan, probe: Probe) -> Plan:
    """With the values of parameters that refer to entries."""
    named: dict[Parameter, Named] = {}
    for made in plan.tables:
        found = _named(plan, made, named.keys() | plan.feeds.keys())
        if found and all(_same_way(stream, made, found, probe) for stream in plan.streams):
            named |= {(made.table.name, made.call.action, number): one for number, one in found.items()}
    return replace(plan, named=named)


def _named(plan: Plan, made: TableEntries, taken: set[Parameter]) -> dict[int, Named]:
    """For each parameter of the entries' action that is free to name entries what it may be."""
    result: dict[int, Named] = {}
    bound, action = made.ports | made.rigid | made.indexes.keys(), plan.program.action[made.call.action]
    places = {
        number: tuple(_places(plan, name))
        for number, name in enumerate(action.parameters)
        if number not in bound and (made.table.name, made.call.action, number) not in taken
    }
    tables = {table: [n for n, of in places.items() if table in dict(of)] for of in places.values() for table, _ in of}
    for turn, table in enumerate(sorted(tables, key=lambda name: -len(tables[name]))):
        numbers = [number for number in tables[table] if number not in result]
        rows = _entries(plan, table, [dict(places[number])[table] for number in numbers])
        for at, number in enumerate(numbers):
            for other, key in places[number]:
                there = {row[0] for row in _entries(plan, other, [key])} if other != table else set()
                rows = [row for row in rows if row[at] in there] or rows
        for at, number in enumerate(numbers if rows else []):
            full = (1 << width_of(plan.program.variable[action.parameters[number]].type)) - 1
            result[number] = Named(tuple(row[at] & full for row in rows), turn)
    return result


def _places(plan: Plan, parameter: str) -> Iterator[Place]:
    """What a parameter refers to."""
    for note in plan.program.variable[parameter].annotations:
        table, _, key = "".join(note.body.split()).partition(",")
        if note.name == "refers_to" and key:
            yield table, key


def _entries(plan: Plan, table: str, keys: Sequence[str]) -> list[tuple[int, ...]]:
    """These keys of the entries that a table has; nothing where it has no such exact keys."""
    if table == GROUPS:
        return [(number,) * len(keys) for kind, number in with_copies(plan).copies if kind == GROUP]
    rows: dict[tuple[int, ...], None] = {}
    for made in plan.tables:
        names = _names(made.table)
        if made.table.name.rpartition(".")[2] == table and set(keys) <= set(filter(None, names)):
            numbers = np.arange(min(made.keys.count, MOST), dtype=np.uint64)
            values = made.values(numbers[made.allowed(numbers)])
            columns = (values[names.index(key)].tolist() for key in keys)
            rows |= dict.fromkeys(zip(*columns, strict=True))
    return list(rows)


def _names(table: Table) -> list[str]:
    """Of each field that entries match; "" where they may match a part of it, which names none of them."""
    matched = [key for key in table.keys if key.match_kind is not MatchKind.SELECTOR]
    return [key.name if key.match_kind is MatchKind.EXACT else "" for key in matched]


def _same_way(stream: Stream, made: TableEntries, named: Mapping[int, Named], probe: Probe) -> bool:
    """Whether a stream's frames do with these action data what they do with those that they were found with."""
    name, outcomes = made.table.name, outcomes_of(stream.template, stream.entries)
    call = outcomes.get(name)
    if call is None or call.action != made.call.action:
        return True

    def seen(given: Mapping[int, int]) -> tuple[object, ...]:
        arguments = tuple(given.get(number, value) for number, value in enumerate(call.arguments))
        changed = {**outcomes, name: replace(call, arguments=arguments)}
        found = probe.run(stream.template.frame.data, changed)
        return found.way, found.instances, found.copies, len(found.ports)

    return all(seen({at: one.values[which] for at, one in named.items()}) == seen({}) for which in (0, -1))
