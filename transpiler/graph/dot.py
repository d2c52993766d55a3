"""A drawing as Graphviz DOT: shapes and colours by kind, text as HTML-like labels.

Source: the DOT language and HTML-like labels as Graphviz documents them. Node identifiers are n0, n1, … in drawing order,
so that no name of a program needs quoting there; text is escaped.
"""

from __future__ import annotations

from collections.abc import Iterator
from html import escape

from transpiler.graph.drawing import Drawing, Edge, EdgeKind, Group, Node, NodeKind
from transpiler.shown import shown

# fill, border
_COLOURS = {
    NodeKind.ENTRY: ("#455a64", "#455a64"),
    NodeKind.EXIT: ("#455a64", "#455a64"),
    NodeKind.STATE: ("#e3f2fd", "#1565c0"),
    NodeKind.ACCEPT: ("#2e7d32", "#2e7d32"),
    NodeKind.REJECT: ("#c62828", "#c62828"),
    NodeKind.TABLE: ("#fff8e1", "#ef8f00"),
    NodeKind.ACTION: ("#f3e5f5", "#7b1fa2"),
    NodeKind.CONDITION: ("#e8f5e9", "#2e7d32"),
    NodeKind.STATEMENTS: ("#fafafa", "#90a4ae"),
}
_EDGES = {
    EdgeKind.FLOW: 'color="#546e7a"',
    EdgeKind.MATCH: 'color="#c62828", fontcolor="#c62828", penwidth=2',
    EdgeKind.ACTION: 'color="#6a1b9a", fontcolor="#6a1b9a", penwidth=1.5',
    EdgeKind.SUCCESSOR: 'color="#2e7d32", fontcolor="#2e7d32", style=dashed',
    EdgeKind.REVERSE_READ: 'color="#90a4ae", fontcolor="#607d8b", style=dotted',
}
LARGE = 300  # edges; from there on Graphviz's best efforts take minutes, and labels hide each other
_ROUND = (NodeKind.ENTRY, NodeKind.EXIT, NodeKind.ACCEPT, NodeKind.REJECT)


def write(drawing: Drawing) -> str:
    """The drawing as DOT; ends with a line break."""
    return "\n".join(_lines(drawing)) + "\n"


def _lines(drawing: Drawing) -> Iterator[str]:
    ids = {node.id: f"n{i}" for i, node in enumerate(n for group in drawing.groups for n in group.nodes)}
    yield f'digraph "{_quoted(drawing.title)}" {{'
    yield '    graph [fontname="Helvetica", fontsize=13, rankdir=TB, nodesep=0.35, ranksep=0.45, pad=0.3, bgcolor="white"];'
    if len(drawing.edges) > LARGE:
        yield "    graph [nslimit=1, nslimit1=1, mclimit=0.2];"
    yield '    node [fontname="Helvetica", fontsize=11, margin="0.12,0.06"];'
    yield '    edge [fontname="Helvetica", fontsize=10, arrowsize=0.7];'
    for number, group in enumerate(drawing.groups):
        yield from _group(number, group, ids)
    yield from (_edge(edge, ids, len(drawing.edges) <= LARGE) for edge in drawing.edges)
    yield "}"


def _group(number: int, group: Group, ids: dict[str, str]) -> Iterator[str]:
    yield f"    subgraph cluster_{number} {{"
    yield f'        label="{_quoted(group.title)}"; labeljust=l; style="rounded"; color="#b0bec5"; fontcolor="#37474f";'
    yield from (f"        {_node(node, ids[node.id])}" for node in group.nodes)
    yield "    }"


def _node(node: Node, name: str) -> str:
    fill, border = _COLOURS[node.kind]
    tip = _quoted(str(node.span or node.title or node.kind.value))
    common = f'fillcolor="{fill}", color="{border}", tooltip="{tip}"'
    if node.kind in _ROUND:
        return f'{name} [label="{_quoted(node.title)}", shape=box, style="rounded,filled", fontcolor=white, {common}];'
    if node.kind is NodeKind.CONDITION:
        text = "<BR/>".join(_escaped(line) for section in node.sections for line in section)
        return f'{name} [label=<{text or " "}>, shape=box, style="filled,diagonals", margin="0.2,0.1", {common}];'
    style = "filled" if node.kind is NodeKind.TABLE else "rounded,filled"
    return f'{name} [label=<{_label(node)}>, shape=box, style="{style}", {common}];'


def _label(node: Node) -> str:
    rows = [f"<B>{_escaped(node.title)}</B>"] if node.title else []
    rows += ["".join(f'{_escaped(line)}<BR ALIGN="LEFT"/>' for line in section) for section in node.sections]
    cells = "<HR/>".join(f'<TR><TD ALIGN="LEFT" BALIGN="LEFT">{row}</TD></TR>' for row in rows)
    return f'<TABLE BORDER="0" CELLBORDER="0" CELLSPACING="0" CELLPADDING="3">{cells}</TABLE>'


def _edge(edge: Edge, ids: dict[str, str], labelled: bool) -> str:
    """An edge; in a large drawing its text is shown where the pointer is."""
    style = _EDGES[edge.kind]
    if edge.label and labelled:
        text = "".join(f'  {_escaped(line)} <BR ALIGN="LEFT"/>' for line in edge.label)
        style += f", label=<{text}>"
    elif edge.label:
        style += f', edgetooltip="{_quoted(" ".join(edge.label))}"'
    if edge.back:
        style += ", constraint=false"
    return f"    {ids[edge.source]} -> {ids[edge.target]} [{style}];"


def _escaped(text: str) -> str:
    return escape(shown(text))


def _quoted(text: str) -> str:
    return shown(text).replace("\\", "\\\\").replace('"', '\\"')
