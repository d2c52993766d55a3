"""Registers that packets only add to: each access is an addition, and nothing needs what the cell held before.

v = r.update(i, n, add);  v = v + n;      →      r, if nothing else reads v
"""

from __future__ import annotations

from transpiler.analysis.locations import Locator
from transpiler.analysis.needed import Needed
from transpiler.hlir.expressions import Text
from transpiler.hlir.program import Program
from transpiler.hlir.statements import CallExtern, Statement
from transpiler.hlir.traverse import program_statements
from transpiler.schedule.cell_updates import UPDATE


def only_added(program: Program) -> frozenset[str]:
    """These registers of a program whose regions are updates already (atomic_regions.py)."""
    needed, locator = Needed(program).places, Locator(program)
    accessed, other = set[str](), set[str]()
    for statement in program_statements(program):
        if isinstance(statement, CallExtern) and statement.method.startswith("register."):
            register = str(statement.instance)
            accessed.add(register)
            if not _is_addition(statement) or locator.written_in((statement,)) & needed:
                other.add(register)
    return frozenset(accessed - other)


def _is_addition(statement: Statement) -> bool:
    match statement:
        case CallExtern(method=method, inputs=(_, _, Text(value="add"))):
            return method == UPDATE
    return False
