"""A drawing as Graphviz DOT: shapes and colours by kind, text as HTML-like labels.

The package `graphviz` writes and quotes; what the program's author wrote is no label of HTML and has no escapes of its own.
Node identifiers are n0, n1, … in drawing order.
"""

from __future__ import annotations

from html import escape

from graphviz import Digraph, escape as verbatim, nohtml

from transpiler.graph.drawing import Drawing, Edge, EdgeKind, Node, NodeKind
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
    EdgeKind.FLOW: {"color": "#546e7a"},
    EdgeKind.MATCH: {"color": "#c62828", "fontcolor": "#c62828", "penwidth": "2"},
    EdgeKind.ACTION: {"color": "#6a1b9a", "fontcolor": "#6a1b9a", "penwidth": "1.5"},
    EdgeKind.SUCCESSOR: {"color": "#2e7d32", "fontcolor": "#2e7d32", "style": "dashed"},
    EdgeKind.REVERSE_READ: {"color": "#90a4ae", "fontcolor": "#607d8b", "style": "dotted"},
}
LARGE = 300  # edges; from there on Graphviz's best efforts take minutes, and labels hide each other
_ROUND = (NodeKind.ENTRY, NodeKind.EXIT, NodeKind.ACCEPT, NodeKind.REJECT)


_FONT = {"fontname": "Helvetica"}
_GRAPH = {"fontsize": "13", "rankdir": "TB", "nodesep": "0.35", "ranksep": "0.45", "pad": "0.3", "bgcolor": "white"}
_QUICK = {"nslimit": "1", "nslimit1": "1", "mclimit": "0.2"}
_CLUSTER = {"labeljust": "l", "style": "rounded", "color": "#b0bec5", "fontcolor": "#37474f"}


def write(drawing: Drawing) -> str:
    """The drawing as DOT; ends with a line break."""
    large = len(drawing.edges) > LARGE
    graph = Digraph(
        verbatim(shown(drawing.title)),
        graph_attr=_FONT | _GRAPH | (_QUICK if large else {}),
        node_attr=_FONT | {"fontsize": "11", "margin": "0.12,0.06"},
        edge_attr=_FONT | {"fontsize": "10", "arrowsize": "0.7"},
    )
    ids = {node.id: f"n{i}" for i, node in enumerate(n for group in drawing.groups for n in group.nodes)}
    for number, group in enumerate(drawing.groups):
        with graph.subgraph(name=f"cluster_{number}") as cluster:
            cluster.attr(label=_text(group.title), **_CLUSTER)
            for node in group.nodes:
                cluster.node(ids[node.id], **_node(node))
    for edge in drawing.edges:
        graph.edge(ids[edge.source], ids[edge.target], **_edge(edge, labelled=not large))
    return str(graph.source)


def _node(node: Node) -> dict[str, str]:
    fill, border = _COLOURS[node.kind]
    tip = _text(str(node.span or node.title or node.kind.value))
    common = {"shape": "box", "fillcolor": fill, "color": border, "tooltip": tip}
    if node.kind in _ROUND:
        return common | {"label": _text(node.title), "style": "rounded,filled", "fontcolor": "white"}
    if node.kind is NodeKind.CONDITION:
        text = "<BR/>".join(_escaped(line) for section in node.sections for line in section)
        return common | {"label": f"<{text or ' '}>", "style": "filled,diagonals", "margin": "0.2,0.1"}
    style = "filled" if node.kind is NodeKind.TABLE else "rounded,filled"
    return common | {"label": f"<{_label(node)}>", "style": style}


def _label(node: Node) -> str:
    rows = [f"<B>{_escaped(node.title)}</B>"] if node.title else []
    rows += ["".join(f'{_escaped(line)}<BR ALIGN="LEFT"/>' for line in section) for section in node.sections]
    cells = "<HR/>".join(f'<TR><TD ALIGN="LEFT" BALIGN="LEFT">{row}</TD></TR>' for row in rows)
    return f'<TABLE BORDER="0" CELLBORDER="0" CELLSPACING="0" CELLPADDING="3">{cells}</TABLE>'


def _edge(edge: Edge, labelled: bool) -> dict[str, str]:
    """An edge; in a large drawing its text is shown where the pointer is."""
    style = dict(_EDGES[edge.kind])
    if edge.label and labelled:
        text = "".join(f'  {_escaped(line)} <BR ALIGN="LEFT"/>' for line in edge.label)
        style["label"] = f"<{text}>"
    elif edge.label:
        style["edgetooltip"] = _text(" ".join(edge.label))
    if edge.back:
        style["constraint"] = "false"
    return style


def _escaped(text: str) -> str:
    return escape(shown(text))


def _text(text: str) -> str:
    """As it is, be it like HTML or with backslashes."""
    plain: str = nohtml(verbatim(shown(text)))  # of a type of its own: an ordinary string would be HTML again
    return plain
