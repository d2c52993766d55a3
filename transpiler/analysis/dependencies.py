"""The dependency graph of a program, as the P4 HLIR defines it.

Nodes are parser states, tables, actions, conditions and straight runs of statements between them (actions without a
table). Edges are the ways of control, "table may run action", and dependencies between what stands in one pipe of
control, the earlier first:

- match: the earlier writes what the later matches or decides on; the later waits for the earlier's actions;
- action: the earlier writes what the later's actions read or write too, or both use one register or meter;
- successor: the outcome of the earlier (its hit, its action, its condition) decides whether the later runs;
- reverse-read: the earlier reads what the later writes; the later may not overtake it.

Source: L. Jose, L. Yan, G. Varghese, N. McKeown, "Compiling Packet Programs to Reconfigurable Switches", NSDI 2015,
section 3 (match, action, successor and reverse-match dependencies). Reverse-read is the reverse-match dependency, of
actions' reads as well as of keys.
"""

from __future__ import annotations

import enum
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from transpiler.analysis.flow import Flow, FlowKind, FlowNode, flow_of
from transpiler.analysis.locations import Location, Locator, actions_of
from transpiler.analysis.uses import Use, use_of
from transpiler.diagnostics import Span
from transpiler.hlir.program import Control, Parser, Program
from transpiler.hlir.statements import ApplyTable
from transpiler.hlir.traverse import successors

if TYPE_CHECKING:
    import networkx as nx


class NodeKind(enum.Enum):
    STATE = "state"
    TABLE = "table"
    ACTION = "action"
    CONDITION = "condition"
    STRAIGHT = "straight"
    ENTRY = "entry"
    EXIT = "exit"


class EdgeKind(enum.Enum):
    FLOW = "flow"
    RUNS = "runs"  # table → action
    MATCH = "match"
    ACTION = "action"
    SUCCESSOR = "successor"
    REVERSE_READ = "reverse-read"


DEPENDENCIES = (EdgeKind.MATCH, EdgeKind.ACTION, EdgeKind.SUCCESSOR, EdgeKind.REVERSE_READ)


@dataclass(frozen=True, slots=True)
class NodeId:
    """`scope`: the parser or control, "" for actions; `name`: the state's or action's, or the place in the control's flow."""

    kind: NodeKind
    scope: str
    name: str


@dataclass(frozen=True, slots=True)
class Dependency:
    """Why a node comes after another; `locations` are what both touch, `arm` the branch of a successor dependency."""

    kind: EdgeKind
    locations: tuple[Location, ...] = ()
    arm: str = ""


@dataclass(frozen=True)
class DependencyGraph:
    """`graph`: NodeIds, edges with the attribute `what`: a Dependency.

    `flows`: each control's, its nodes numbered as `NodeId.name` says.
    """

    graph: nx.MultiDiGraph[NodeId]
    flows: dict[str, Flow]
    entries: tuple[NodeId, ...]
    spans: dict[NodeId, Span | None]

    def edges(self, *kinds: EdgeKind) -> list[tuple[NodeId, NodeId, Dependency]]:
        """The edges of some kinds, in the order in which they were found."""
        ways: Iterable[tuple[NodeId, NodeId, Dependency]] = self.graph.edges(data="what")
        return [way for way in ways if way[2].kind in kinds]

    def flow_node(self, node: NodeId) -> FlowNode:
        """A table's, condition's or straight run's place in its control. Raises: KeyError."""
        return self.flows[node.scope].nodes[int(node.name)]

    def reachable(self) -> frozenset[NodeId]:
        """The nodes that control may reach from the entry."""
        found = set(self.entries)
        todo = list(self.entries)
        while todo:
            ways: Iterable[tuple[NodeId, NodeId, Dependency]] = self.graph.out_edges(todo.pop(), data="what")
            for _, target, what in ways:
                if what.kind in (EdgeKind.FLOW, EdgeKind.RUNS) and target not in found:
                    found.add(target)
                    todo.append(target)
        return frozenset(found)


def control_graph(program: Program) -> DependencyGraph:
    """Nodes and control edges only: what reachability needs. Cost: linear."""
    made = _Maker(program)
    for action in program.actions:
        made.add(NodeId(NodeKind.ACTION, "", action.name), action.span)
    for pipe in program.pipes:
        match pipe:
            case Parser():
                made.parser(pipe)
            case Control():
                made.control(pipe)
    return DependencyGraph(made.graph, made.flows, tuple(made.entries), made.spans)


def dependency_graph(program: Program) -> DependencyGraph:
    """The whole graph. Cost: quadratic in the nodes of a control that touch the same location."""
    made = control_graph(program)
    locator = Locator(program)
    for name, flow in made.flows.items():
        uses = [use_of(program, locator, node) for node in flow.nodes]
        for source, target, what in (*_data(flow, uses), *_successors(flow, uses)):
            made.graph.add_edge(node_id(name, flow.nodes[source]), node_id(name, flow.nodes[target]), what=what)
    return made


_KINDS = {
    FlowKind.ENTRY: NodeKind.ENTRY,
    FlowKind.EXIT: NodeKind.EXIT,
    FlowKind.TABLE: NodeKind.TABLE,
    FlowKind.CONDITION: NodeKind.CONDITION,
    FlowKind.STRAIGHT: NodeKind.STRAIGHT,
}


def node_id(control: str, node: FlowNode) -> NodeId:
    return NodeId(_KINDS[node.kind], control, str(node.number))


class _Maker:
    def __init__(self, program: Program) -> None:
        import networkx as nx  # here, as most commands need none of it

        self.program = program
        self.graph: nx.MultiDiGraph[NodeId] = nx.MultiDiGraph()
        self.flows: dict[str, Flow] = {}
        self.entries: list[NodeId] = []
        self.spans: dict[NodeId, Span | None] = {}

    def add(self, node: NodeId, span: Span | None) -> NodeId:
        self.graph.add_node(node)
        self.spans[node] = span
        return node

    def parser(self, parser: Parser) -> None:
        nodes = {s.name: self.add(NodeId(NodeKind.STATE, parser.name, s.name), s.span) for s in parser.states}
        for state in parser.states:
            for target in successors(state):
                final = NodeId(NodeKind.EXIT, parser.name, target)
                node = nodes.get(target) or self.add(final, None)
                self.graph.add_edge(nodes[state.name], node, what=Dependency(EdgeKind.FLOW))
        self.entries += [nodes[state.name] for state in parser.states[:1]]

    def control(self, control: Control) -> None:
        flow = flow_of(control.body)
        self.flows[control.name] = flow
        nodes = [self.add(node_id(control.name, node), node.span) for node in flow.nodes]
        self.entries.append(nodes[0])
        for edge in flow.edges:
            self.graph.add_edge(nodes[edge.source], nodes[edge.target], what=Dependency(EdgeKind.FLOW, arm=edge.arm))
        for node in flow.nodes:
            for applied in node.statements:
                if isinstance(applied, ApplyTable):
                    for action in actions_of(self.program, applied.table):
                        run = NodeId(NodeKind.ACTION, "", action.name)
                        self.graph.add_edge(nodes[node.number], run, what=Dependency(EdgeKind.RUNS))


# --- dependencies ----------------------------------------------------------------------------------------------------

Found = list[tuple[int, int, Dependency]]


def _data(flow: Flow, uses: list[Use]) -> Found:
    """Match, action and reverse-read: at most one edge of each kind between two nodes, with all its locations."""
    reach = _Reach(flow, uses)
    touching: dict[Location, list[int]] = defaultdict(list)
    for number, use in enumerate(uses):
        for location in use.matches | use.reads | use.writes:
            touching[location].append(number)
    shared: dict[tuple[int, int, EdgeKind], list[Location]] = defaultdict(list)
    for location in sorted(touching, key=_order):
        writers = {n for n in touching[location] if location in uses[n].writes - uses[n].outcome}
        for earlier in touching[location] if writers else ():
            for later in reach.after(earlier, location).intersection(touching[location]) - {earlier}:
                for kind in _kinds(uses[earlier], uses[later], location, earlier in writers, later in writers):
                    shared[earlier, later, kind].append(location)
    ordered = sorted(shared.items(), key=lambda item: (item[0][0], item[0][1], item[0][2].value))
    return [(a, b, Dependency(kind, tuple(found))) for (a, b, kind), found in ordered]


def _kinds(a: Use, b: Use, location: Location, a_writes: bool, b_writes: bool) -> Iterable[EdgeKind]:
    """Why `b` comes after `a` for the sake of one location."""
    if a_writes and location in b.matches:
        yield EdgeKind.MATCH
    elif a_writes and (location in b.reads or b_writes):
        yield EdgeKind.ACTION
    if b_writes and location in a.matches | a.reads:
        yield EdgeKind.REVERSE_READ


def _successors(flow: Flow, uses: list[Use]) -> Found:
    """Condition → what runs on one of its arms only; table → what asks for the table's outcome."""
    found: Found = [(a, b, Dependency(EdgeKind.SUCCESSOR, arm=arm)) for a, b, arm in control_dependences(flow)]
    tellers: dict[Location, list[int]] = defaultdict(list)
    for number, use in enumerate(uses):
        for location in use.outcome:
            tellers[location].append(number)
    for number, use in enumerate(uses):
        for location in sorted(use.matches | use.reads, key=_order):
            for teller in tellers.get(location, ()):
                if teller != number:
                    found.append((teller, number, Dependency(EdgeKind.SUCCESSOR, (location,))))
    return found


def control_dependences(flow: Flow) -> list[tuple[int, int, str]]:
    """(condition, node, arm): the arm always leads to the node, the condition does not. Leaving a block early counts too.

    Source: J. Ferrante, K. Ottenstein, J. Warren, "The Program Dependence Graph and Its Use in Optimization", TOPLAS 1987.
    """
    import networkx as nx

    exit_ = flow.nodes[-1].number
    backward: nx.DiGraph[int] = nx.DiGraph((edge.target, edge.source) for edge in flow.edges)
    backward.add_node(exit_)
    dominator: dict[int, int] = dict(nx.immediate_dominators(backward, exit_))
    found: list[tuple[int, int, str]] = []
    for edge in flow.edges:
        node = edge.target
        while node not in (exit_, dominator[edge.source]):
            if node != edge.source:
                found.append((edge.source, node, edge.arm))
            node = dominator[node]
    return found


def _order(location: Location) -> tuple[str, str]:
    return location.owner, location.field


class _Reach:
    """The nodes that control reaches after a node while a location has the same value."""

    def __init__(self, flow: Flow, uses: list[Use]) -> None:
        self.next: list[list[int]] = [[] for _ in flow.nodes]
        for edge in flow.edges:
            self.next[edge.source].append(edge.target)
        self.kills: dict[Location, set[int]] = defaultdict(set)
        for number, use in enumerate(uses):
            for location in use.killed:
                self.kills[location].add(number)
        self.all = _reachable_from(flow)

    def after(self, node: int, location: Location) -> frozenset[int]:
        """The nodes reached, up to and including those that overwrite the location."""
        stops = self.kills.get(location)
        if not stops:
            return self.all[node]
        found: set[int] = set()
        todo = list(self.next[node])
        while todo:
            at = todo.pop()
            if at not in found:
                found.add(at)
                if at not in stops:
                    todo += self.next[at]
        return frozenset(found)


def _reachable_from(flow: Flow) -> list[frozenset[int]]:
    """For each node, the nodes that control may get to after it."""
    import networkx as nx

    ways: nx.DiGraph[int] = nx.DiGraph((edge.source, edge.target) for edge in flow.edges)
    ways.add_nodes_from(node.number for node in flow.nodes)
    parts = nx.condensation(ways)
    member: dict[int, int] = parts.graph["mapping"]
    behind: dict[int, frozenset[int]] = {}
    for part in reversed(list(nx.topological_sort(parts))):
        inside = frozenset(parts.nodes[part]["members"])
        looped = inside if len(inside) > 1 else frozenset()
        behind[part] = looped.union(*(behind[n] | parts.nodes[n]["members"] for n in parts.successors(part)))
    return [behind[member[node.number]] for node in flow.nodes]
