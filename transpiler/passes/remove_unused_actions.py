"""Remove from a table that never changes the actions that neither its entries nor its default action run.

Before: table t {a; b; c; const default_action = a; const entries = { 1: b(); }}      After: table t {a; b; …}

A table stays as it is whose entries or default action the control plane may change, which shares the members of an action
profile, or of which the program asks which action it has run, as that is told by numbers of all of them.
"""

from __future__ import annotations

from dataclasses import replace

from transpiler.hlir.program import Program, Table
from transpiler.hlir.statements import ApplyTable
from transpiler.hlir.traverse import program_statements


def run(program: Program) -> Program:
    """The program without such actions in its tables; `remove_unreachable` removes those that no table runs any more."""
    asked = {s.table for s in program_statements(program) if isinstance(s, ApplyTable) and s.action is not None}
    tables = tuple(table if table.name in asked else _less(table) for table in program.tables)
    return program if tables == program.tables else replace(program, tables=tables)


def _less(table: Table) -> Table:
    if not table.const_entries or not table.const_default or table.implementation is not None or table.learns:
        return table
    run = {table.default_action.action, *(entry.call.action for entry in table.entries)}
    return replace(table, actions=tuple(use for use in table.actions if use.action in run))
