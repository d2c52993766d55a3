"""Each control as a flow chart: conditions, tables with their actions, runs of statements."""

from __future__ import annotations

from transpiler.analysis.flow import Flow, FlowKind, FlowNode, condition_of, flow_of
from transpiler.graph.drawing import Drawing, Edge, Group, Node, NodeKind
from transpiler.graph.text import expression, folded, last, some, statement
from transpiler.hlir.program import Control, Program, Table
from transpiler.hlir.statements import ApplyTable, While

_KINDS = {
    FlowKind.ENTRY: NodeKind.ENTRY,
    FlowKind.EXIT: NodeKind.EXIT,
    FlowKind.STRAIGHT: NodeKind.STATEMENTS,
    FlowKind.TABLE: NodeKind.TABLE,
    FlowKind.CONDITION: NodeKind.CONDITION,
}


def draw(program: Program) -> Drawing:
    """Every control that does something, in a group of its own, in the order in which packets meet them."""
    controls = [pipe for pipe in program.pipes if isinstance(pipe, Control) and pipe.body]
    flows = {control.name: flow_of(control.body) for control in controls}
    groups = tuple(
        Group(
            control.name,
            f"{control.role.value}  {control.name}",
            tuple(_node(program, control.name, node) for node in flows[control.name].nodes),
            control.span,
        )
        for control in controls
    )
    return Drawing(f"{program.name}: controls", groups, tuple(e for n, f in flows.items() for e in _edges(n, f)))


def _node(program: Program, control: str, node: FlowNode) -> Node:
    title, sections = _content(program, node)
    return Node(node_id(control, node.number), _KINDS[node.kind], title, sections, node.span)


def _content(program: Program, node: FlowNode) -> tuple[str, tuple[tuple[str, ...], ...]]:
    match node.kind:
        case FlowKind.ENTRY:
            return "begin", ()
        case FlowKind.EXIT:
            return "end", ()
        case FlowKind.STRAIGHT:
            return "", (some(statement(s) for s in node.statements),)
        case FlowKind.CONDITION:
            return "", (condition_lines(node),)
        case FlowKind.TABLE:
            (applied,) = node.statements
            assert isinstance(applied, ApplyTable)
            return applied.table, table_sections(program.table[applied.table])


def condition_lines(node: FlowNode) -> tuple[str, ...]:
    """What a condition node asks."""
    (what,) = node.statements
    condition = condition_of(what)
    assert condition is not None
    return folded(("while " if isinstance(what, While) else "") + expression(condition))


def table_sections(table: Table) -> tuple[tuple[str, ...], ...]:
    """A table's keys with their match kinds, and its actions; the default action has a star."""
    keys = some(f"{key.name}: {key.match_kind.value}" for key in table.keys)
    default = table.default_action.action
    actions = some(f"{last(use.action)}{' *' if use.action == default else ''}" for use in table.actions)
    return tuple(section for section in (keys, actions) if section)


def _edges(control: str, flow: Flow) -> list[Edge]:
    """Ways with several arms between the same nodes are one edge with several labels."""
    arms: dict[tuple[int, int], list[str]] = {}
    for edge in flow.edges:
        arms.setdefault((edge.source, edge.target), []).append(last(edge.arm))
    return [
        Edge(
            node_id(control, source), node_id(control, target), label=tuple(filter(None, labels)), back=target <= source
        )
        for (source, target), labels in arms.items()
    ]


def node_id(control: str, number: int) -> str:
    return f"{control}/{number}"
