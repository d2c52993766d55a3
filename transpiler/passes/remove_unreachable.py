"""Remove what control never gets to: parser states, tables that are never applied, actions that no such table runs.

Before: start → accept; spare → accept; table t {a}, u {b}; control: t.apply();      After: start → accept; table t {a};

An applied table keeps its actions, those included that only the control plane may choose.
"""

from __future__ import annotations

from dataclasses import replace

from transpiler.analysis.dependencies import NodeId, NodeKind, control_graph
from transpiler.hlir.program import Parser, Pipe, Program
from transpiler.hlir.statements import ApplyTable


def run(program: Program) -> Program:
    """The program with what the dependency graph reaches, everything in its old order."""
    graph = control_graph(program)
    reached = graph.reachable()
    applied = {
        statement.table
        for node in reached
        if node.kind is NodeKind.TABLE
        for statement in graph.flow_node(node).statements
        if isinstance(statement, ApplyTable)
    }

    def pruned(pipe: Pipe) -> Pipe:
        if not isinstance(pipe, Parser):
            return pipe
        states = tuple(s for s in pipe.states if NodeId(NodeKind.STATE, pipe.name, s.name) in reached)
        return replace(pipe, states=states)

    return replace(
        program,
        actions=tuple(a for a in program.actions if NodeId(NodeKind.ACTION, "", a.name) in reached),
        tables=tuple(table for table in program.tables if table.name in applied),
        pipes=tuple(map(pruned, program.pipes)),
    )
