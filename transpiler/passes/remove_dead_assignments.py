"""Remove writes to places that nothing needs: no condition, key, extern, deparser or architecture reads them, not even
by way of another place that is needed (analysis/needed.py).

Before: meta.a = hdr.x; meta.b = meta.a; meta.c = 1; hdr.y = hdr.y; key: meta.c;      After: meta.c = 1; key: meta.c;
"""

from __future__ import annotations

from dataclasses import replace

from transpiler.analysis.locations import Location
from transpiler.analysis.needed import Needed
from transpiler.hlir.expressions import VariableRef
from transpiler.hlir.program import Program
from transpiler.hlir.statements import ApplyTable, Body
from transpiler.hlir.traverse import bodies, rebuild
from transpiler.passes.mapping import map_bodies


def run(program: Program) -> Program:
    """The program without its dead writes, and without ifs and switches around nothing else."""
    needed = Needed(program)

    def swept(body: Body) -> Body:
        made = []
        for statement in body:
            if needed.goes(statement):
                continue
            if isinstance(statement, ApplyTable):
                statement = replace(statement, hit=wanted(statement.hit), action=wanted(statement.action))
            made.append(rebuild(statement, swept) if bodies(statement) else statement)
        return tuple(made)

    def wanted(result: VariableRef | None) -> VariableRef | None:
        return result if result is not None and Location(result.name) in needed.places else None

    return map_bodies(program, swept)
