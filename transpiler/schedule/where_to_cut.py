"""Where to cut: which lookups, and which accesses to state, are worth a stage of their own.

A cut pays where memory is read that need not be in the cache: a stage of a burst then waits for many such reads together. What
is near, `near_bytes` of the target's description at most, is accessed at once.
"""

from __future__ import annotations

from collections.abc import Mapping, Set
from dataclasses import replace

from transpiler.hlir.program import Program
from transpiler.schedule.scheduler import Options
from transpiler.schedule.state import large_state


def near_tables(reads: Mapping[str, int], near_bytes: int, options: Options) -> frozenset[str]:
    """Those that are not cut at, of the tables that `options` would cut at. `reads`: the bytes that lookups in a full table read,
    and those that its entries lead to, of the tables of which that is known."""
    return frozenset(name for name, read in reads.items() if read <= near_bytes and options.cut(name))


def started_state(program: Program, options: Options) -> frozenset[str]:
    """The registers and meters whose accesses are started as lookups are, however large they are."""
    return frozenset(filter(options.starts_state, large_state(program, 0)))


def state_to_cut_at(program: Program, started: frozenset[str], near_bytes: int, options: Options) -> frozenset[str]:
    """Those of them that are not near."""
    return frozenset(filter(options.cut, started & large_state(program, near_bytes)))


def with_cuts(options: Options, uncut: Set[str], state: frozenset[str]) -> Options:
    """The scheduler's options, so that it cuts at that state, and at no lookup in the tables of `uncut`."""
    return replace(options, cut=lambda table: options.cut(table) and table not in uncut, large=state)
