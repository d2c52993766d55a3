"""The pipeline as a tree whose nodes are numbered in program order: what `split` cuts.

HLIR nodes are values and may occur twice; the nodes here are places in the program, compared by identity.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import count

from transpiler.hlir.statements import ApplyTable, Block, Body, If, Statement, Switch
from transpiler.hlir.traverse import bodies, walk
from transpiler.schedule.pipeline import Item, PipePlan, Special


@dataclass(frozen=True, eq=False, slots=True)
class Node:
    """`position` grows in program order: what may run later has the larger one."""

    position: int


@dataclass(frozen=True, eq=False, slots=True)
class Leaf(Node):
    """A statement or step that is never cut inside."""

    what: Statement | Special


@dataclass(frozen=True, eq=False, slots=True)
class Apply(Node):
    """A table application where the pipeline may be cut."""

    statement: ApplyTable


@dataclass(frozen=True, eq=False, slots=True)
class Branch(Node):
    """An If (two arms) or a Switch (one arm a case, then the default) with an Apply inside."""

    statement: If | Switch
    arms: tuple[tuple[Node, ...], ...]


@dataclass(frozen=True, eq=False, slots=True)
class Region(Node):
    """A labelled block with an Apply inside."""

    statement: Block
    body: tuple[Node, ...]


@dataclass
class TreeBuilder:
    """Makes trees; `cuttable` decides which tables a cut is worth while for."""

    cuttable: frozenset[str]
    _positions: Iterator[int] = field(default_factory=count)

    def build(self, plan: PipePlan) -> tuple[Node, ...]:
        nodes: list[Node] = []
        for item in plan.items:
            nodes += self._item(item)
        return tuple(nodes)

    def _item(self, item: Item) -> tuple[Node, ...]:
        if isinstance(item, tuple):
            return self._body(item)
        return (Leaf(next(self._positions), item),)

    def _body(self, body: Body) -> tuple[Node, ...]:
        return tuple(self._statement(statement) for statement in body)

    def _statement(self, statement: Statement) -> Node:
        position = next(self._positions)
        match statement:
            case ApplyTable(table=table) if table in self.cuttable:
                return Apply(position, statement)
            case If(then=then, otherwise=otherwise) if self._has_cut(statement):
                return Branch(position, statement, (self._body(then), self._body(otherwise)))
            case Switch(cases=cases, default=default) if self._has_cut(statement):
                arms = (*(self._body(case.body) for case in cases), self._body(default))
                return Branch(position, statement, arms)
            case Block(body=body) if self._has_cut(statement):
                return Region(position, statement, self._body(body))
        for _ in walk(tuple(inner for body in bodies(statement) for inner in body)):
            next(self._positions)  # positions do not depend on what is cut
        return Leaf(position, statement)

    def _has_cut(self, statement: Statement) -> bool:
        return any(isinstance(s, ApplyTable) and s.table in self.cuttable for s in walk((statement,)))


def applies(nodes: tuple[Node, ...]) -> Iterator[Apply]:
    """Every Apply of a tree in program order."""
    for node in nodes:
        match node:
            case Apply():
                yield node
            case Branch(arms=arms):
                for arm in arms:
                    yield from applies(arm)
            case Region(body=body):
                yield from applies(body)
