"""What the placement has to know of a program: its stages in the order in which packets pass them."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Read:
    """`each` reads a packet (N), spread over `footprint` bytes (S) of a `memory`, which stages share that have its name.
    `in_flight` at once; 0: each read depends on the one before."""

    memory: str
    each: float
    footprint: int
    in_flight: int = 0


@dataclass(frozen=True, slots=True)
class Stage:
    """`cycles` a packet, C(i), with all that it reads in the first cache. `cut`: the program can be cut in front of it, by this
    name; "": it cannot."""

    name: str
    cycles: float
    reads: tuple[Read, ...] = ()
    cut: str = ""
