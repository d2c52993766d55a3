"""The stages of a program as a drawing: what each costs and looks up, and which ways packets take from one to the next."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from textwrap import wrap

from macsad.explain.explained import Explained
from macsad.subject.stage_costs import StageCost
from transpiler.graph.drawing import Drawing, Edge, Group, Node, NodeKind
from transpiler.schedule.successors import fed_by

WIDE = 34  # characters of a line
NAMED = 6  # state that is named


def draw(explained: Explained) -> Drawing:
    """A group for each pipe, in it its stages by their numbers."""
    groups, edges = [], list[Edge]()
    for pipe in explained.planned.schedule.pipes:
        own = [(number, cost) for number, cost in enumerate(explained.costs) if cost.pipe == pipe.name]
        groups.append(Group(pipe.name, pipe.name, tuple(_node(explained, number, cost) for number, cost in own)))
        for cost in (cost for _, cost in own):
            ahead = sorted(fed_by(pipe, pipe.stages[cost.number].code))
            edges += (Edge(_id(pipe.name, cost.number), _id(pipe.name, to)) for to in ahead)
    edges += _between(explained)
    return Drawing(f"{explained.name}: stages", tuple(groups), tuple(edges))


def _between(explained: Explained) -> Iterator[Edge]:
    """From the last stage of a pipe to the first one of the next."""
    pipes = explained.planned.schedule.pipes
    for before, after in pairwise(pipes):
        yield Edge(_id(before.name, len(before.stages) - 1), _id(after.name, 0))


def _node(explained: Explained, number: int, cost: StageCost) -> Node:
    facts = {table.name: table for table in explained.tables}
    cycles = f"{cost.cycles:.0f} cycles, {cost.share:.0%} of packets" if explained.ran else f"{cost.cycles:.0f} cycles"
    sections: list[tuple[str, ...]] = [(cycles,)]
    for table in cost.tables:
        fact = facts.get(table)
        if fact is None:
            continue
        sections.append(
            (
                *(line for key in fact.keys for line in wrap(key, WIDE)),
                f"{fact.kernel}, {fact.entries:,} entries",
                size(fact.memory_bytes),
            )
        )
    state = [name.rpartition(".")[2] for name in cost.state]
    if state:
        more = [f"and {len(state) - NAMED} more"] if len(state) > NAMED else []
        sections.append(tuple(wrap(", ".join([*state[:NAMED], *more]), WIDE)))
    kind = NodeKind.TABLE if cost.tables else NodeKind.STATEMENTS
    title = f"S{number}: {cost.name}" if cost.tables else f"S{number}"
    title = title if len(title) <= WIDE else f"{title[: WIDE - 1]}…"
    return Node(_id(cost.pipe, cost.number), kind, title, tuple(sections))


def size(count: float) -> str:
    """Bytes for people."""
    for unit in ("bytes", "KiB", "MiB"):
        if count < 1024:
            return f"{count:.0f} {unit}" if unit == "bytes" or count >= 10 else f"{count:.1f} {unit}"
        count /= 1024
    return f"{count:.1f} GiB"


def _id(pipe: str, number: int) -> str:
    return f"{pipe}/{number}"
