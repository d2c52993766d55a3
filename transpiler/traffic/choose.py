"""Chooses few templates that together hit all tables that any of them hits and reach all state that any of them reaches: those
that come out of the switch first, as what is dropped does not go through all of the program, and of these, those that come out
themselves, and not only as clones."""

from __future__ import annotations

from collections.abc import Sequence

from transpiler.hlir.program import Program
from transpiler.traffic.probe import Probe
from transpiler.traffic.search import Template, quality

ALIKE = 8  # templates that are compared in full


def choose(program: Program, probe: Probe, found: Sequence[Template]) -> tuple[Template, ...]:
    """The templates: while there are any, those that come out and hit or reach what none before does; of these, those that
    come out themselves; of these, those that hit most more tables first, and of these, those that come to most more
    registers, counters and meters.

    Of those that hit the same tables the one is taken whose frame has most to do with their keys: there is more to vary. Of
    several such the shortest is taken.
    """
    chosen: list[Template] = []
    covered: set[str] = set()
    known = [(set(t.hits), _state(t), quality(program, t)) for t in found]
    while True:
        ranks = [_rank(len(hits - covered), len(state - covered), rank) for hits, state, rank in known]
        best = max(ranks, default=())
        if not best:
            return tuple(chosen)
        alike = [t for t, rank in zip(found, ranks, strict=True) if rank == best][:ALIKE]
        chosen.append(
            alike[0] if len(alike) == 1 else max(alike, key=lambda t: (_key_bytes(probe, t), -t.frame.shape.bits))
        )
        covered |= set(chosen[-1].hits) | chosen[-1].state


def _rank(hits: int, state: int, rank: tuple[int, ...]) -> tuple[int, ...]:
    """Of a template with so many more tables and states; nothing where it has none."""
    accepted, out, forwarded, *rest = rank
    return (accepted & out, forwarded, hits, state, accepted, out, *rest) if hits or state else ()


def _state(template: Template) -> frozenset[str]:
    """What a template reaches: nothing where its frames hit no table, or do not come out."""
    return template.state if template.hits and template.seen.ports and template.seen.accepted else frozenset()


def _key_bytes(probe: Probe, template: Template) -> int:
    """How many bytes of the frame change a key, and not the way of the packet."""
    shape = template.frame.shape
    count = 0
    for byte in range((shape.bits + 7) // 8):
        free = [bit for bit in range(byte * 8, byte * 8 + 8) if bit not in shape.fixed]
        seen = probe.run(template.frame.changed(free), template.outcomes)
        count += seen.way == template.seen.way and seen.applied != template.seen.applied
    return count
