"""The dependency graph of each control: tables and conditions, and why one comes after another.

Edges of the order of writing alone are left out where a stronger dependency holds already, and a dependency is left out
where a chain of as strong ones implies it, so that the picture shows what decides about the length of the pipeline.
"""

from __future__ import annotations

from collections import defaultdict

from transpiler.analysis.dependencies import (
    DEPENDENCIES,
    STATE_OF_EXTERN,
    Dependency,
    DependencyGraph,
    EdgeKind as Why,
    NodeId,
    NodeKind,
    dependency_graph,
)
from transpiler.analysis.locations import VALIDITY, Location
from transpiler.graph import drawing
from transpiler.graph.control import condition_lines, table_sections
from transpiler.graph.drawing import Drawing, Edge, Group, Node
from transpiler.graph.text import last, some, statement
from transpiler.hlir.program import Control, Program
from transpiler.hlir.statements import ApplyTable

_KINDS = {
    Why.MATCH: drawing.EdgeKind.MATCH,
    Why.ACTION: drawing.EdgeKind.ACTION,
    Why.SUCCESSOR: drawing.EdgeKind.SUCCESSOR,
    Why.REVERSE_READ: drawing.EdgeKind.REVERSE_READ,
}
_LABELS = 4  # locations shown on one edge
Pair = tuple[NodeId, NodeId]


def draw(program: Program) -> Drawing:
    """The controls that apply tables, in the order in which packets meet them, a group each."""
    graph = dependency_graph(program)
    pipes = [pipe for pipe in program.pipes if isinstance(pipe, Control)]
    shown = _shown(graph, [p.name for p in pipes])
    groups = tuple(
        Group(p.name, f"{p.role.value}  {p.name}", tuple(_node(program, graph, n) for n in shown[p.name]), p.span)
        for p in pipes
        if shown[p.name]
    )
    kept = {node for nodes in shown.values() for node in nodes}
    edges = tuple(_edge(a, b, what) for a, b, what in _strongest(graph) if a in kept and b in kept)
    return Drawing(f"{program.name}: tables", groups, edges)


def _shown(graph: DependencyGraph, controls: list[str]) -> dict[str, list[NodeId]]:
    """Of controls with tables: tables, conditions, and the straight runs that take part in dependencies."""
    touched = {node for a, b, _ in graph.edges(Why.MATCH, Why.ACTION) for node in (a, b)}
    found: dict[str, list[NodeId]] = {name: [] for name in controls}
    for node in graph.graph.nodes:
        if node.kind in (NodeKind.TABLE, NodeKind.CONDITION) or (node.kind is NodeKind.STRAIGHT and node in touched):
            found[node.scope].append(node)
    return {n: nodes if any(x.kind is NodeKind.TABLE for x in nodes) else [] for n, nodes in found.items()}


def _strongest(graph: DependencyGraph) -> list[tuple[NodeId, NodeId, Dependency]]:
    """The strongest dependency of each pair, without those that chains of as strong ones imply."""
    best: dict[Pair, Dependency] = {}
    for a, b, what in graph.edges(*DEPENDENCIES):
        known = best.get((a, b))
        if known is None or DEPENDENCIES.index(what.kind) < DEPENDENCIES.index(known.kind):
            best[a, b] = what
    follow: dict[NodeId, dict[NodeId, int]] = defaultdict(dict)
    for (a, b), what in best.items():
        follow[a][b] = DEPENDENCIES.index(what.kind)
    return [
        (a, b, what)
        for (a, b), what in best.items()
        if what.kind is not Why.REVERSE_READ or not _implied(follow, a, b, len(DEPENDENCIES) - 1)
        if what.kind is not Why.ACTION or not _implied(follow, a, b, DEPENDENCIES.index(Why.ACTION))
    ]


def _implied(follow: dict[NodeId, dict[NodeId, int]], start: NodeId, end: NodeId, weakest: int) -> bool:
    """Whether another way than the direct one leads from start to end over edges of at least that strength."""
    seen = {start}
    todo = [n for n, strength in follow[start].items() if n != end and strength <= weakest]
    while todo:
        node = todo.pop()
        if node == end:
            return True
        if node not in seen:
            seen.add(node)
            todo += [n for n, strength in follow[node].items() if strength <= weakest]
    return False


def _node(program: Program, graph: DependencyGraph, node: NodeId) -> Node:
    at = graph.flow_node(node)
    match node.kind:
        case NodeKind.TABLE:
            (applied,) = at.statements
            assert isinstance(applied, ApplyTable)
            sections = table_sections(program.table[applied.table])
            return Node(_id(node), drawing.NodeKind.TABLE, applied.table, sections, at.span)
        case NodeKind.CONDITION:
            return Node(_id(node), drawing.NodeKind.CONDITION, "", (condition_lines(at),), at.span)
    lines = some((statement(s) for s in at.statements), 3)
    return Node(_id(node), drawing.NodeKind.STATEMENTS, "", (lines,), at.span)


def _edge(a: NodeId, b: NodeId, what: Dependency) -> Edge:
    back = int(b.name) <= int(a.name)
    names = some(dict.fromkeys(map(_name, what.locations)), _LABELS)
    if what.kind is Why.SUCCESSOR:
        label: tuple[str, ...] = (last(what.arm) or "outcome",)
    else:
        label = (f"{what.kind.value}:", *names)
    return Edge(_id(a), _id(b), _KINDS[what.kind], label, back)


def _name(location: Location) -> str:
    match location.field:
        case "":
            return location.owner
        case field if field == VALIDITY:
            return f"{location.owner}.isValid()"
        case field if field == STATE_OF_EXTERN:
            return location.owner
        case field:
            return f"{location.owner}.{field}"


def _id(node: NodeId) -> str:
    return f"{node.scope}/{node.name}"
