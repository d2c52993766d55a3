"""The dependency graph of each control: tables and conditions, and why one comes after another.

Between two nodes the strongest dependency is shown, and none that a chain of as strong ones implies, so that the picture
shows what decides about the length of the pipeline.
"""

from __future__ import annotations

from collections import defaultdict

from transpiler.analysis.dependencies import (
    DEPENDENCIES,
    Dependency,
    DependencyGraph,
    EdgeKind as Why,
    NodeId,
    NodeKind,
    dependency_graph,
)
from transpiler.graph import drawing
from transpiler.graph.control import condition_lines, table_sections
from transpiler.graph.drawing import Drawing, Edge, Group, Node
from transpiler.graph.text import last, location, some, statement
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
    """The controls that apply tables (all that decide something, if none does), in the order in which packets meet them."""
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
    """Tables, conditions, and the straight runs that take part in dependencies; of controls without tables nothing."""
    touched = {node for a, b, _ in graph.edges(Why.MATCH, Why.ACTION) for node in (a, b)}
    found: dict[str, list[NodeId]] = {name: [] for name in controls}
    for node in graph.graph.nodes:
        if node.kind in (NodeKind.TABLE, NodeKind.CONDITION) or (node.kind is NodeKind.STRAIGHT and node in touched):
            found[node.scope].append(node)
    kind = NodeKind.TABLE if any(node.kind is NodeKind.TABLE for node in graph.graph.nodes) else NodeKind.CONDITION
    return {name: nodes if any(node.kind is kind for node in nodes) else [] for name, nodes in found.items()}


def _strongest(graph: DependencyGraph) -> list[tuple[NodeId, NodeId, Dependency]]:
    """The strongest dependency of each pair, without those that chains of as strong ones imply."""
    best: dict[Pair, Dependency] = {}
    for a, b, what in graph.edges(*DEPENDENCIES):
        known = best.get((a, b))
        if known is None or _rank(what) < _rank(known):
            best[a, b] = what
    implied: set[Pair] = set()
    for kind in (Why.MATCH, Why.ACTION, Why.REVERSE_READ):
        strong = [pair for pair, what in best.items() if _rank(what) <= DEPENDENCIES.index(kind)]
        implied |= {pair for pair in _implied(strong) if best[pair].kind is kind}
    return [(a, b, what) for (a, b), what in best.items() if (a, b) not in implied]


def _rank(what: Dependency) -> int:
    return DEPENDENCIES.index(what.kind)


def _implied(pairs: list[Pair]) -> set[Pair]:
    """The pairs whose second node is reached from the first over other pairs too. Cost: linear, in sets as wide as a control.

    Nodes are numbered in program order, so every way but those that close a loop leads upwards.
    """
    follow: dict[NodeId, list[int]] = defaultdict(list)
    for a, b in pairs:
        if int(a.name) < int(b.name):
            follow[a].append(int(b.name))
    reach: dict[tuple[str, int], int] = {}
    found: set[Pair] = set()
    ids = {(node.scope, int(node.name)): node for pair in pairs for node in pair}
    for a in sorted(follow, key=lambda node: -int(node.name)):
        covered = 0
        for number in sorted(set(follow[a])):
            if covered >> number & 1:
                found.add((a, ids[a.scope, number]))
            covered |= reach.get((a.scope, number), 0) | 1 << number
        reach[a.scope, int(a.name)] = covered
    return found


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
    names = some(dict.fromkeys(map(location, what.locations)), _LABELS)
    if what.kind is Why.SUCCESSOR:
        label: tuple[str, ...] = (last(what.arm) or "outcome",)
    else:
        label = (f"{what.kind.value}:", *names)
    return Edge(_id(a), _id(b), _KINDS[what.kind], label, back)


def _id(node: NodeId) -> str:
    return f"{node.scope}/{node.name}"
