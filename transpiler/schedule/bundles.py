"""Bundles: registers whose cells lie together in memory, as packets access them together.

A program that keeps several facts of a flow has a register for each, all at the flow's index. Each of these cells would be a
cache line of its own. In a bundle the cells of one index are one line:

    flow_of[i], packets[i], bytes[i], last[i]   →   i: flow_of, bytes, last, packets, unused

Registers are bundled if they have the same size, are accessed at the same indexes (as the program writes them), and fit in a
line. That is a guess what pays, no more: where a cell lies changes no result.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from transpiler.analysis.values import same
from transpiler.hlir.expressions import Expression
from transpiler.hlir.program import Program
from transpiler.hlir.statements import CallExtern
from transpiler.hlir.traverse import program_statements
from transpiler.schedule.state import HOLD, own_accesses, state_cells

LINE_BYTES = 64
WORD_BYTES = 8  # wider cells are words, and aligned as such


@dataclass(frozen=True, slots=True)
class Bundle:
    """`registers`, in the order of the program, with the byte where each has its cell among those of an index; `stride`: bytes
    from index to index."""

    registers: tuple[tuple[str, int], ...]
    stride: int


def bundles(program: Program, large: Iterable[str]) -> tuple[Bundle, ...]:
    """Of the registers that are large."""
    indexes = _indexes(program)
    open_bundles: list[list[str]] = []
    for register in program.externs:
        if register.kind != "register" or register.name not in large or register.name not in indexes:
            continue
        for others in open_bundles:
            if _go_together(program, indexes, others[0], register.name) and _fit(program, others, register.name):
                others.append(register.name)
                break
        else:
            open_bundles.append([register.name])
    return tuple(_laid_out(program, names) for names in open_bundles if len(names) > 1)


def _indexes(program: Program) -> dict[str, list[Expression]]:
    """By register: the indexes at which it is accessed, each once."""
    found: dict[str, list[Expression]] = {}
    for statement in program_statements(program):
        if isinstance(statement, CallExtern) and statement.method == HOLD:
            continue
        for access in own_accesses(statement):
            known = found.setdefault(access.instance, [])
            if not any(same(access.index, other) for other in known):
                known.append(access.index)
    return found


def _go_together(program: Program, indexes: dict[str, list[Expression]], one: str, other: str) -> bool:
    (cells, _), (as_many, _) = (state_cells(program, program.extern[name]) for name in (one, other))
    mine, others = indexes[one], indexes[other]
    return cells == as_many and len(mine) == len(others) and all(any(same(a, b) for b in others) for a in mine)


def _fit(program: Program, names: list[str], more: str) -> bool:
    """Whether their cells of an index fit in a line."""
    return sum(state_cells(program, program.extern[name])[1] for name in (*names, more)) <= LINE_BYTES


def _laid_out(program: Program, names: list[str]) -> Bundle:
    """Those of the largest alignment first: no gaps. A power of two from index to index: none is in two lines."""
    sizes = {name: state_cells(program, program.extern[name])[1] for name in names}
    at, places = 0, {}
    for name in sorted(names, key=lambda name: -min(sizes[name], WORD_BYTES)):
        places[name] = at
        at += sizes[name]
    stride = 1
    while stride < at:
        stride *= 2
    return Bundle(tuple((name, places[name]) for name in names), stride)
