"""Rounds: each measures everything once, so that compared figures are measured at about the same time."""

from __future__ import annotations

import random
from collections.abc import Callable, Collection, Hashable, Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

from macsad.bench.contestants import Contestant
from macsad.bench.samples import Sample

Key = TypeVar("Key", bound=Hashable)


@dataclass(frozen=True)
class Turn(Generic[Key]):
    """What is measured under a key: see Contestant.measure."""

    key: Key
    contestant: Contestant
    what: str = ""
    number: int = 0
    other: int = 0


def measure(
    turns: Sequence[Turn[Key]], rounds: int, seconds: float, advance: Callable[[int, int], None],
    before: Collection[Key] = (),
) -> dict[Key, list[Sample]]:  # fmt: skip
    """The samples of each key, one a round. The order differs from round to round, the same in each run. `before`: what was
    measured then needs no round that does not count."""
    order = random.Random(1)
    samples: dict[Key, list[Sample]] = {turn.key: [] for turn in turns}
    for turn in turns:  # a round that does not count: pages are touched, frequencies go up
        if turn.key in before:
            continue
        turn.contestant.measure(turn.what, turn.number, turn.other, min(seconds, 0.02))
    done, total = 0, rounds * len(turns)
    for _ in range(rounds):
        for turn in order.sample(turns, len(turns)):
            samples[turn.key].append(turn.contestant.measure(turn.what, turn.number, turn.other, seconds))
            done += 1
            advance(done, total)
    return samples
