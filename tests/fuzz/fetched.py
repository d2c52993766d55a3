"""Random programs whose lookups are fetched packets ahead, in bursts that overlap where a program may have that: of exact
keys, with little data, in packets that have one life. They are to be compiled with all optimisations (`oracle.DEFAULT`)."""

from __future__ import annotations

import program
import psa
from layout import Node


def make(seed: int, size: int = 2) -> tuple[Node, ...]:
    """The program of a seed, every third one PSA's; size 0 is small, 3 large."""
    return (psa if seed % 3 == 2 else program).make(seed, size, fetched=True)
