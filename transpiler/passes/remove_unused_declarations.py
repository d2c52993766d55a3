"""Remove tables that are never applied, then actions that no table runs, and externs that nothing calls.

Before: action a; action b; table t {a}; table u {b}; control: t.apply().      After: action a; table t {a}.
"""

from __future__ import annotations

from dataclasses import replace

from transpiler.analysis.locations import actions_of
from transpiler.hlir.program import Control, Program
from transpiler.hlir.statements import ApplyTable, CallExtern
from transpiler.hlir.traverse import program_statements, walk


def run(program: Program) -> Program:
    """The program without declarations that no packet can reach."""
    controls = [pipe for pipe in program.pipes if isinstance(pipe, Control)]
    applied = {s.table for c in controls for s in walk(c.body) if isinstance(s, ApplyTable)}
    tables = tuple(table for table in program.tables if table.name in applied)
    run_by_tables = {action.name for table in tables for action in actions_of(program, table.name)}
    actions = tuple(action for action in program.actions if action.name in run_by_tables)
    program = replace(program, tables=tables, actions=actions)
    called = {s.instance for s in program_statements(program) if isinstance(s, CallExtern)}
    named = called | {name for table in tables for name in (*table.direct, table.implementation)}
    return replace(program, externs=tuple(extern for extern in program.externs if extern.name in named))
