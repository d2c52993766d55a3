"""The pipeline as a tree whose nodes are numbered in program order: what `split` cuts.

HLIR nodes are values and may occur twice; the nodes here are places in the program, compared by identity.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import count

from transpiler.hlir.statements import ApplyTable, Block, Body, If, Statement, Switch
from transpiler.hlir.traverse import bodies, walk
from transpiler.schedule.pipeline import Item, PipePlan, Special
from transpiler.schedule.state import StateAccess, StateOf


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

    @property
    def name(self) -> str:
        return self.statement.table


@dataclass(frozen=True, eq=False, slots=True)
class Prefetch(Node):
    """Before the first access to large state: the pipeline may be cut, so that the cells of many packets are prefetched."""

    accesses: tuple[StateAccess, ...]

    @property
    def name(self) -> str:
        return self.accesses[0].instance


Cut = Apply | Prefetch


@dataclass(frozen=True, eq=False, slots=True)
class Branch(Node):
    """An If (two arms) or a Switch (one arm a case, then the default) with a cut inside."""

    statement: If | Switch
    arms: tuple[tuple[Node, ...], ...]


@dataclass(frozen=True, eq=False, slots=True)
class Region(Node):
    """A labelled block with a cut inside."""

    statement: Block
    body: tuple[Node, ...]


@dataclass
class TreeBuilder:
    """Makes trees. `cuttable`: the tables at whose lookups a cut pays; `state`: the registers and meters.

    All accesses to a state must be in one stage. So the cut is in the innermost body that holds all of them, before the first."""

    cuttable: frozenset[str]
    state: StateOf
    _positions: Iterator[int] = field(default_factory=count)
    _accesses: Counter[str] = field(default_factory=Counter)  # in the pipe, by state

    def build(self, plan: PipePlan) -> tuple[Node, ...]:
        nodes: list[Node] = []
        self._accesses = Counter()
        for item in plan.items:
            self._accesses += self._counted(item) if isinstance(item, tuple) else Counter()
        for item in plan.items:
            nodes += self._item(item)
        return tuple(nodes)

    def _item(self, item: Item) -> tuple[Node, ...]:
        if isinstance(item, tuple):
            return self._body(item)
        return (Leaf(next(self._positions), item),)

    def _counted(self, body: Body) -> Counter[str]:
        return (
            Counter(access.instance for s in body for access, _ in self.state.accesses(s))
            if self.state.large
            else Counter()
        )

    def _body(self, body: Body) -> tuple[Node, ...]:
        prefetched = self._prefetched(body)
        nodes: list[Node] = []
        for number, statement in enumerate(body):
            position = next(self._positions)
            if number in prefetched:
                nodes.append(Prefetch(position, prefetched[number]))
            nodes.append(self._statement(statement))
        return tuple(nodes)

    def _prefetched(self, body: Body) -> dict[int, tuple[StateAccess, ...]]:
        """The accesses whose cells are prefetched before a statement of this body, by its number."""
        if not self._accesses:
            return {}
        counts = [self._counted((statement,)) for statement in body]
        found: dict[int, tuple[StateAccess, ...]] = {}
        for name, total in self._accesses.items():
            touching = [number for number, count in enumerate(counts) if count[name]]
            if sum(counts[number][name] for number in touching) < total:
                continue
            first = touching[0]
            if self._is_inside(body[first], name, total):
                continue
            if started := tuple(a for a in self.state.started_before(body[first:]) if a.instance == name):
                found[first] = (*found.get(first, ()), *started)
        return found

    def _is_inside(self, statement: Statement, name: str, total: int) -> bool:
        """Whether one body of a statement that may be cut inside has all accesses to a state."""
        inside = bodies(statement) if isinstance(statement, If | Switch | Block) else ()
        return any(self._counted(body)[name] == total for body in inside)

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
            next(self._positions), next(self._positions)  # positions do not depend on what is cut
        return Leaf(position, statement)

    def _has_cut(self, statement: Statement) -> bool:
        return any(
            (isinstance(s, ApplyTable) and s.table in self.cuttable) or any(map(self._prefetched, bodies(s)))
            for s in walk((statement,))
        )
