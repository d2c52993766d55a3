"""Random programs whose lookups are prefetched some packets ahead, and whose bursts overlap by software pipelining where the
program allows it: keys are exact, entries have little data, packets make one pass. To be compiled with all optimisations
(`oracle.DEFAULT`)."""

from __future__ import annotations

import program
import psa
from layout import Node


def make(seed: int, size: int = 2) -> tuple[Node, ...]:
    """The program of a seed, every third one PSA's; size 0 is small, 3 large."""
    return (psa if seed % 3 == 2 else program).make(seed, size, pipelined=True)
