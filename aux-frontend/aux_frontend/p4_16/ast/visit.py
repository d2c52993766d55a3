"""Going through syntax trees: what is below a node, whatever kinds of nodes there are."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import fields

from aux_frontend.p4_16.ast.expressions import Node

_names: dict[type, tuple[str, ...]] = {}  # of the fields of each kind of node, found when first needed


def children(node: Node) -> Iterator[Node]:
    """The nodes directly below a node."""
    names = _names.get(type(node))
    if names is None:
        names = _names[type(node)] = tuple(field.name for field in fields(node) if field.name != "span")
    for name in names:
        value = getattr(node, name)
        if isinstance(value, Node):
            yield value
        elif isinstance(value, tuple):
            yield from (item for item in value if isinstance(item, Node))


def walk(node: Node) -> Iterator[Node]:
    """A node and all below it, in the order of the text."""
    pending = [node]
    while pending:
        current = pending.pop()
        yield current
        pending.extend(reversed(list(children(current))))
