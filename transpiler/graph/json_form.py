"""A drawing as JSON, for tools: {title, nodes: [{id, kind, name, lines, group, at}], edges: [{from, to, kind, label}], groups}.

`at` is {file, line, column} of the P4 program, null where a node stands for no line of it.
"""

from __future__ import annotations

import json
from typing import Any

from transpiler.diagnostics import Span
from transpiler.graph.drawing import Drawing, Group, Node


def write(drawing: Drawing) -> str:
    """The drawing as JSON; ends with a line break."""
    content = {
        "title": drawing.title,
        "groups": [{"id": g.id, "name": g.title, "at": _at(g.span)} for g in drawing.groups],
        "nodes": [_node(group, node) for group in drawing.groups for node in group.nodes],
        "edges": [
            {"from": e.source, "to": e.target, "kind": e.kind.value, "label": list(e.label)} for e in drawing.edges
        ],
    }
    return json.dumps(content, indent=2) + "\n"


def _node(group: Group, node: Node) -> dict[str, Any]:
    lines = [line for section in node.sections for line in section]
    return {
        "id": node.id,
        "kind": node.kind.value,
        "name": node.title,
        "lines": lines,
        "group": group.id,
        "at": _at(node.span),
    }


def _at(span: Span | None) -> dict[str, Any] | None:
    return None if span is None else {"file": span.file, "line": span.line, "column": span.column}
