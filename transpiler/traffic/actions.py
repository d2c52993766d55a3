"""The action data of entries, as rows of bytes: each parameter in whole bytes, most significant first.

A parameter that is the port to leave by is one of the ports but the one that frames come in at; one that another table's key
is made of, or that refers to it, is a key of that table; one that is an index is in range; others are by chance, unless the
packet goes another way with them.
"""

from __future__ import annotations

import numpy as np

from transpiler.hlir.types import width_of
from transpiler.traffic.bits import Numbers, Rows, Wiring, mixed, to_rows
from transpiler.traffic.filled import TableEntries
from transpiler.traffic.plan import Plan


def parameter_widths(plan: Plan, action: str) -> tuple[int, ...]:
    """Bits of each parameter of an action."""
    variables = plan.program.variable
    return tuple(width_of(variables[name].type) for name in plan.program.action[action].parameters)


def data(plan: Plan, made: TableEntries, entries: Numbers) -> list[Rows]:
    """For each parameter the values in these entries."""
    widths = parameter_widths(plan, made.call.action)
    return [_parameter(plan, made, number, width, entries) for number, width in enumerate(widths)]


def _parameter(plan: Plan, made: TableEntries, number: int, width: int, entries: Numbers) -> Rows:
    parameter = made.table.name, made.call.action, number
    fed, named = plan.feeds.get(parameter), plan.named.get(parameter)
    chance = mixed(entries, made.keys.salt * 64 + 32 + number)
    if number in made.ports:
        ports, own = np.uint64(plan.wishes.ports), np.uint64(plan.wishes.port)
        return _right(to_rows([(own + np.uint64(1) + chance % (ports - np.uint64(1))) % ports]), width)
    if number in made.rigid:
        value = made.call.arguments[number]
        return np.tile(np.frombuffer(value.to_bytes((width + 7) // 8, "big"), dtype=np.uint8), (len(entries), 1))
    if fed is None and number in made.indexes:
        return _right(to_rows([chance % np.uint64(made.indexes[number])]), width)
    if named is not None:
        size = (width + 7) // 8
        values = np.frombuffer(b"".join(value.to_bytes(size, "big") for value in named.values), dtype=np.uint8)
        which = mixed(entries, made.keys.salt * 64 + 16 + named.turn) % np.uint64(len(named.values))
        chosen: Rows = values.reshape(-1, size)[which]
        return chosen
    words = [mixed(entries, made.keys.salt * 64 + 40 + number * 64 + i) for i in range((width + 63) // 64)]
    rows = _right(to_rows(words), width) if fed is None else np.zeros((len(entries), (width + 7) // 8), dtype=np.uint8)
    if fed is not None:
        pad = -width % 8
        groups = entries % np.uint64(fed.keys.groups)
        Wiring((i, pad + bit) for bit, i in fed.bits).copy(fed.keys.group_rows(groups), rows)
    return rows


def _right(rows: Rows, width: int) -> Rows:
    """The last `width` bits of each row, right-aligned in whole bytes."""
    size = (width + 7) // 8
    result = rows[:, rows.shape[1] - size :].copy()
    if width % 8:
        result[:, 0] &= np.uint8((1 << width % 8) - 1)
    return result
