"""Give a program after its passes back what the control plane may still name: tables, extern instances, value sets.

P4Runtime's description of a program lists what it declares, and controllers fill it without asking whether a packet ever
gets there. Nothing applies what comes back, so it costs no packet anything: keys read nothing, actions do nothing.

Before: table t {x}, register r (neither is reached any more)      After: table t {x} with constant keys, x() { }, register r
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import TypeVar

from transpiler.hlir.expressions import Const
from transpiler.hlir.program import Action, ExternInstance, Program, Storage, Table, ValueSet, Variable

_Named = TypeVar("_Named", Action, ExternInstance, Table, ValueSet, Variable)


def run(declared: Program, program: Program) -> Program:
    """`program`, made of `declared` by passes, with everything of `declared` that the control plane sees, in that order."""
    tables = _merged(map(_unapplied, declared.tables), program.table)
    actions = _merged((replace(action, body=()) for action in declared.actions), program.action)
    needed = {use.action for table in tables for use in table.actions}
    kept = tuple(action for action in actions if action.name in needed or action.name in program.action)
    data = {parameter for action in kept for parameter in action.parameters}
    variables = tuple(
        v
        for v in declared.variables
        if v.name in program.variable or (v.storage is Storage.ACTION_DATA and v.name in data)
    )
    made = tuple(v for v in program.variables if v.name not in declared.variable)  # by passes
    return replace(
        program,
        tables=tables,
        actions=kept,
        variables=(*_merged(variables, program.variable), *made),
        externs=_merged(declared.externs, program.extern),
        value_sets=_merged(declared.value_sets, program.value_set),
    )


def _merged(declared: Iterable[_Named], now: Mapping[str, _Named]) -> tuple[_Named, ...]:
    """Each as it is now, where it is still there."""
    return tuple(now.get(old.name, old) for old in declared)


def _unapplied(table: Table) -> Table:
    keys = tuple(replace(key, expression=Const(0, key.expression.type, key.expression.span)) for key in table.keys)
    return replace(table, keys=keys)
