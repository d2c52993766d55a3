"""Chooses few templates that together hit all tables that any of them hits, and come out of the switch if they can."""

from __future__ import annotations

from collections.abc import Sequence

from transpiler.hlir.program import Program
from transpiler.traffic.probe import Probe
from transpiler.traffic.search import Template, quality
from transpiler.traffic.sources import Sources, trace

ALIKE = 8  # templates that are compared in full


def choose(program: Program, probe: Probe, found: Sequence[Template]) -> tuple[tuple[Template, Sources], ...]:
    """The templates, each with the sources of its keys, those that hit most tables first.

    Of those that hit the same tables the one that more key bits come from the frame of is taken: there is more to vary.
    """
    chosen: list[tuple[Template, Sources]] = []
    covered: set[str] = set()
    while True:
        ranks = [(len(set(t.hits) - covered), *quality(program, t)) for t in found]
        best = max(ranks, default=(0,))
        if not best[0]:
            return tuple(chosen)
        alike = [t for t, rank in zip(found, ranks, strict=True) if rank == best][:ALIKE]
        traced = [(t, trace(program, probe, t)) for t in alike]
        chosen.append(max(traced, key=lambda pair: _from_frame(pair[1])))
        covered |= set(chosen[-1][0].hits)


def _from_frame(sources: Sources) -> int:
    return len({bit for bits in sources.keys.values() for bit in bits if isinstance(bit, int) and bit >= 0})
