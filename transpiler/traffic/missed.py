"""Why a table got no entries: nothing applies it, no packet comes there, its frames need other entries than those that are
there, or none was found."""

from __future__ import annotations

from collections.abc import Collection, Iterator

from transpiler.hlir import statements as st
from transpiler.hlir.program import Control, Program, Table
from transpiler.hlir.traverse import walk
from transpiler.traffic.committed import Committed
from transpiler.traffic.plan import Plan
from transpiler.traffic.probe import Fixed, Probe
from transpiler.traffic.search import Finder, Template, quality

LEADS = 20  # frames that are looked at for a table
NAMED = 3  # tables that are named, at most


def reason(program: Program, table: Table, unreachable: Collection[str]) -> str:
    """Why no packet is looked up in a table that the compiler removes."""
    if table.name not in set(_applied(program)):
        return f"nothing applies table {table.name}"
    assert table.name in unreachable
    return f"no packet is looked up in table {table.name}, as a condition before it never holds"


def excluded(made: Plan, finder: Finder, probe: Probe, table: str) -> str:
    """Why frames for a table were not found that fit the others; `made`: with its points."""
    leads = [template for template in finder.templates if table in template.hits]
    if not leads:
        return f"no frames were found that can hit table {table}, among {probe.runs:,}"
    committed = Committed(made)
    for point in made.points:
        committed.add(point.entries)
    leads = sorted(leads, key=lambda lead: quality(finder.program, lead), reverse=True)[:LEADS]
    others = min((_others(probe, lead, committed, table) for lead in leads), key=len)
    if not others:
        return f"no frames were found that hit table {table} beside the others"
    names = ", ".join(others[:NAMED]) + (f" and {len(others) - NAMED} more" if len(others) > NAMED else "")
    return f"frames that hit table {table} need other entries, for keys that have some: in {names}"


def _others(probe: Probe, lead: Template, committed: Committed, table: str) -> list[str]:
    """The tables that answer a frame otherwise than it wants; where there are any, those alone that keep it from the table."""
    differing = [p for p in lead.seen.applied if p in committed and committed[p] != lead.outcomes.get(p[0])]
    decisive = [place[0] for place in differing if table not in _met(probe, lead, {place: committed[place]})]
    return decisive or [place[0] for place in differing]


def _met(probe: Probe, lead: Template, entries: Fixed) -> set[str]:
    """The tables that a frame is looked up in when some entries are there."""
    return {name for name, _ in probe.run(lead.frame.data, lead.outcomes, entries).applied}


def _applied(program: Program) -> Iterator[str]:
    """The tables that a control applies."""
    for pipe in program.pipes:
        if isinstance(pipe, Control):
            yield from (statement.table for statement in walk(pipe.body) if isinstance(statement, st.ApplyTable))
