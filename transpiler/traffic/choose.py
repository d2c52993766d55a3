"""Chooses few templates that together hit all tables that any of them hits, come out of the switch if they can, and then
reach all state that any of them reaches."""

from __future__ import annotations

from collections.abc import Sequence

from transpiler.hlir.program import Program
from transpiler.traffic.probe import Probe
from transpiler.traffic.search import Template, quality

ALIKE = 8  # templates that are compared in full


def choose(program: Program, probe: Probe, found: Sequence[Template]) -> tuple[Template, ...]:
    """The templates, those that hit most tables first; of these, those that come to most registers, counters and meters.

    Of those that hit the same tables the one is taken whose frame has most to do with their keys: there is more to vary. Of
    several such the shortest is taken.
    """
    chosen: list[Template] = []
    covered: set[str] = set()
    known = [(set(t.hits), _state(t), quality(program, t)) for t in found]
    while True:
        ranks = [(len(hits - covered), len(state - covered), *rank) for hits, state, rank in known]
        best = max(ranks, default=(0, 0))
        if not any(best[:2]):
            return tuple(chosen)
        alike = [t for t, rank in zip(found, ranks, strict=True) if rank == best][:ALIKE]
        chosen.append(max(alike, key=lambda t: (_key_bytes(probe, t), -t.frame.shape.bits)))
        covered |= set(chosen[-1].hits) | chosen[-1].state


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
