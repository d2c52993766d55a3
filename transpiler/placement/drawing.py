"""A placement as a drawing: a group for each part with its cores, the stages in it with what they cost."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from transpiler.graph.drawing import Drawing, Edge, Group, Node, NodeKind
from transpiler.placement.search import Placement
from transpiler.placement.stages import Stage


def draw(title: str, placement: Placement, stages: Sequence[Stage]) -> Drawing:
    groups = []
    for number, part in enumerate(placement.parts):
        nodes = tuple(_node(at, stages[at]) for at in range(part.first, part.end))
        limits = ", which limits" if len(placement.parts) > 1 and number == placement.limit else ""
        cores = f"{part.cores} core{'s' if part.cores > 1 else ''}"
        groups.append(
            Group(f"part {number}", f"{cores}: {part.cycles:.0f} cycles a packet{limits}", nodes),
        )
    edges = (
        Edge(f"stage {before}", f"stage {after}", label=_handed(placement, after))
        for before, after in pairwise(range(len(stages)))
    )
    return Drawing(title, tuple(groups), tuple(edges))


def _node(number: int, stage: Stage) -> Node:
    kind = NodeKind.TABLE if stage.reads else NodeKind.STATEMENTS
    lines = tuple(f"{read.memory}: {read.each:.2g} reads of {read.footprint / 1024:,.0f} KiB" for read in stage.reads)
    return Node(f"stage {number}", kind, stage.name, ((f"{stage.cycles:.0f} cycles",), *((lines,) if lines else ())))


def _handed(placement: Placement, stage: int) -> tuple[str, ...]:
    """What stands beside the way to a stage."""
    return ("bursts are handed over",) if any(part.first == stage for part in placement.parts[1:]) else ()
