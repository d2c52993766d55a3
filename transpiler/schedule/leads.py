"""Where the entries of tables lead: to members of an action profile, to groups of them, to the cells of direct meters and to
the times of the entries' last hits.

What an entry leads to is read when the lookup has found it, and need not be in the cache either. So it is fetched for many
packets, as entries are: entries are *followed*. A member is where the entry tells; a group's member takes two steps: the group,
and where it has many members its list. Each step prefetches what the next one reads.
"""

from __future__ import annotations

from transpiler.externs.table import KINDS
from transpiler.hlir.program import ExternInstance, Program, Table
from transpiler.schedule.state import state_bytes

MEMBER_STEPS, GROUP_STEPS = 0, 2  # macs/profile.h
LINE_BYTES, TIME_BYTES = 64, 8


def steps_to_follow(program: Program, table: Table, near_bytes: int) -> int | None:
    """How many steps lead from an entry of the table to the member that is run, 0 where entries lead to cells alone; None where
    they lead nowhere, or to nothing that is larger than what stays in the cache.

    Who draws members at random is not followed: packets draw in the order of their work."""
    if bytes_led_to(program, table) <= near_bytes:
        return None
    if table.implementation is None:
        return 0
    profile = program.extern[table.implementation]
    if profile.kind != "action_selector":
        return MEMBER_STEPS
    return None if profile.attribute("algorithm") == "random" else GROUP_STEPS


def bytes_led_to(program: Program, table: Table) -> int:
    """The memory that a table's entries lead to, of full tables and profiles."""
    profile = 0
    if table.implementation is not None:
        profile = _profile_bytes(program.extern[table.implementation])
    times = TIME_BYTES * table.size if table.ages else 0
    return profile + times + sum(state_bytes(program, program.extern[name]) for name in followed_cells(program, table))


def followed_cells(program: Program, table: Table) -> tuple[str, ...]:
    """The direct instances of a table whose cells are prefetched; counts are deferred in place of that."""
    return tuple(name for name in table.direct if KINDS[program.extern[name].kind].prefetch is not None)


def _profile_bytes(profile: ExternInstance) -> int:
    """Its members, a line each; of a selector as many groups."""
    kinds = 2 if profile.kind == "action_selector" else 1
    return kinds * int(profile.attribute("size")) * LINE_BYTES
