"""What a drawing is made of, before any format: nodes in groups, edges between them. `dot` and `json_form` write it."""

from __future__ import annotations

import enum
from dataclasses import dataclass

from transpiler.diagnostics import Span


class NodeKind(enum.Enum):
    ENTRY = "entry"
    EXIT = "exit"
    STATE = "state"
    ACCEPT = "accept"
    REJECT = "reject"
    TABLE = "table"
    ACTION = "action"
    CONDITION = "condition"
    STATEMENTS = "statements"


class EdgeKind(enum.Enum):
    FLOW = "flow"
    MATCH = "match"
    ACTION = "action"
    SUCCESSOR = "successor"
    REVERSE_READ = "reverse-read"


@dataclass(frozen=True, slots=True)
class Node:
    """`title` is its name, `sections` lines of text below it, divided by rules; `span` is where it stands in the P4 program."""

    id: str
    kind: NodeKind
    title: str
    sections: tuple[tuple[str, ...], ...] = ()
    span: Span | None = None


@dataclass(frozen=True, slots=True)
class Edge:
    source: str
    target: str
    kind: EdgeKind = EdgeKind.FLOW
    label: tuple[str, ...] = ()
    back: bool = False  # closes a loop: does not push its target below its source


@dataclass(frozen=True, slots=True)
class Group:
    """A frame around nodes: a parser, a control."""

    id: str
    title: str
    nodes: tuple[Node, ...]
    span: Span | None = None


@dataclass(frozen=True, slots=True)
class Drawing:
    title: str
    groups: tuple[Group, ...]
    edges: tuple[Edge, ...]
