"""The control-flow graph of a body: straight runs, tables and conditions as nodes, the ways between them as edges.

    if (c) { t.apply(); } x = 1;        entry → [c] -true→ [t] → [x = 1] → exit,  [c] -false→ [x = 1]

Cost: linear in the body. Nodes are numbered in program order, entry first and exit last.
"""

from __future__ import annotations

import enum
from dataclasses import dataclass, field

from transpiler.diagnostics import Span
from transpiler.hlir.expressions import Expression
from transpiler.hlir.statements import ApplyTable, Block, Body, If, Leave, Statement, Switch, While
from transpiler.hlir.types import Bool, Enum, Type


class FlowKind(enum.Enum):
    ENTRY = "entry"
    STRAIGHT = "straight"  # statements without control flow of their own
    TABLE = "table"
    CONDITION = "condition"
    EXIT = "exit"


@dataclass(frozen=True, slots=True)
class FlowNode:
    """`statements`: those of a straight run, else the one ApplyTable, If, Switch or While; none at entry and exit."""

    number: int
    kind: FlowKind
    statements: Body
    span: Span | None


@dataclass(frozen=True, slots=True)
class FlowEdge:
    """A way from node to node; `arm`: "true", "false", a switch's labels, or "" where there is one way only."""

    source: int
    target: int
    arm: str = ""


@dataclass(frozen=True, slots=True)
class Flow:
    nodes: tuple[FlowNode, ...]
    edges: tuple[FlowEdge, ...]


def flow_of(body: Body) -> Flow:
    """The control-flow graph of a body. Code behind a Leave is not in it: nothing reaches it."""
    builder = _Builder()
    ends = builder.body(body, [(builder.node(FlowKind.ENTRY, ()), "")])
    builder.connect(ends, builder.node(FlowKind.EXIT, ()))
    return Flow(tuple(builder.nodes), tuple(dict.fromkeys(builder.edges)))


def condition_of(statement: Statement) -> Expression | None:
    """What a condition node decides on."""
    match statement:
        case If(condition=condition) | While(condition=condition):
            return condition
        case Switch(subject=subject):
            return subject
    return None


Ends = list[tuple[int, str]]  # ways that wait for the node they lead to: where from, by which arm


@dataclass
class _Builder:
    nodes: list[FlowNode] = field(default_factory=list)
    edges: list[FlowEdge] = field(default_factory=list)
    leaving: dict[str, Ends] = field(default_factory=dict)

    def node(self, kind: FlowKind, statements: Body) -> int:
        span = statements[0].span if statements else None
        self.nodes.append(FlowNode(len(self.nodes), kind, statements, span))
        return len(self.nodes) - 1

    def connect(self, ends: Ends, target: int) -> None:
        self.edges += [FlowEdge(source, target, arm) for source, arm in ends]

    def enter(self, kind: FlowKind, statements: Body, ends: Ends) -> int:
        number = self.node(kind, statements)
        self.connect(ends, number)
        return number

    def body(self, body: Body, ends: Ends) -> Ends:
        run: list[Statement] = []
        for statement in body:
            if not isinstance(statement, If | Switch | Block | While | Leave | ApplyTable):
                run.append(statement)
                continue
            ends = self._straight(run, ends)
            run = []
            ends = self._structured(statement, ends)
            if not ends:
                return []
        return self._straight(run, ends)

    def _straight(self, run: list[Statement], ends: Ends) -> Ends:
        return [(self.enter(FlowKind.STRAIGHT, tuple(run), ends), "")] if run else ends

    def _structured(self, statement: Statement, ends: Ends) -> Ends:
        match statement:
            case ApplyTable():
                return [(self.enter(FlowKind.TABLE, (statement,), ends), "")]
            case Leave(label=label):
                self.leaving.setdefault(label, []).extend(ends)
                return []
            case Block(label=label, body=body):
                inside = self.body(body, ends)
                return inside + self.leaving.pop(label, [])
            case While(body=body):
                head = self.enter(FlowKind.CONDITION, (statement,), ends)
                self.connect(self._arm(head, "true", body), head)
                return [(head, "false")]
            case If(then=then, otherwise=otherwise):
                head = self.enter(FlowKind.CONDITION, (statement,), ends)
                return self._arm(head, "true", then) + self._arm(head, "false", otherwise)
            case Switch(subject=subject, cases=cases, default=default):
                head = self.enter(FlowKind.CONDITION, (statement,), ends)
                arms = [(", ".join(case_label(v, subject.type) for v in case.values), case.body) for case in cases]
                return [end for arm, inner in (*arms, ("default", default)) for end in self._arm(head, arm, inner)]
        raise TypeError(f"{type(statement).__name__} is not control flow")

    def _arm(self, head: int, arm: str, body: Body) -> Ends:
        return self.body(body, [(head, arm)])


def case_label(value: int, type_: Type) -> str:
    """A switch label as people write it."""
    match type_:
        case Enum(members=members):
            return members[value]
        case Bool():
            return "true" if value else "false"
    return hex(value) if value > 9 else str(value)
