"""The bits of a frame that may have any value, and that decide which cell of a register, counter or meter it comes to, or
which member a selector gives it.

Found by experiment, as the sources of keys are: each bit is turned over in the interpreter. Bits that lead the packet
another way, are part of a key that entries are made for, or stand in what is computed at the end (lengths, checksums) are
left as they are. Bits that may be turned over one by one need not be free together: they are tried at random, and halved
where that fails.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from random import Random

from transpiler.traffic.probe import Observation, Outcomes, Probe
from transpiler.traffic.search import Frame

SAMPLES = 32  # values of bits that are tried together


def varied(probe: Probe, frame: Frame, outcomes: Outcomes, filled: Collection[str]) -> tuple[int, ...] | None:
    """Such bits of a frame, when tables have these outcomes; `filled`: tables that have entries. None: no bit of the frame
    decides about a cell, not even one that is part of a key."""
    base = probe.run(frame.data, outcomes)
    if not base.cells:
        return None
    experiment = _Experiment(probe, frame, outcomes, frozenset(filled), base)
    feeding = [bit for bit in free_bits(frame) if experiment.feeds(bit)]
    return tuple(experiment.together(feeding, ())) if experiment.decides else None


def free_bits(frame: Frame) -> list[int]:
    """Bits that the parser leaves free, and that are no version, length or checksum."""
    held = set(frame.shape.fixed)
    held.update(bit for start, width, _ in frame.known.values for bit in range(start, start + width))
    held.update(bit for start, _ in frame.known.lengths for bit in range(start, start + 16))
    held.update(bit for checksum in frame.checksums for bit in range(checksum.place, checksum.place + 16))
    return [bit for bit in range(frame.shape.bits) if bit not in held]


@dataclass
class _Experiment:
    """`decides`: a bit that was tried decides about a cell, whatever else it does on the packet's way."""

    probe: Probe
    frame: Frame
    outcomes: Outcomes
    filled: frozenset[str]
    base: Observation
    decides: bool = False

    def feeds(self, bit: int) -> bool:
        """Whether a bit decides about a cell, and about nothing else."""
        seen = self.probe.run(self.frame.changed((bit,)), self.outcomes)
        changed = seen.cells != self.base.cells and seen.way == self.base.way
        self.decides |= changed
        return changed and self._alike(seen)

    def together(self, bits: Sequence[int], kept: Sequence[int]) -> Sequence[int]:
        """`kept`, and those of `bits` that are free together with these."""
        if not bits or self._are_free((*kept, *bits)):
            return (*kept, *bits)
        if len(bits) == 1:
            return kept
        half = len(bits) // 2
        return self.together(bits[half:], self.together(bits[:half], kept))

    def _are_free(self, bits: Sequence[int]) -> bool:
        """Tried with zeros, with ones, and with what chance finds."""
        chance = Random(0)
        ones = [bit for bit in bits if self.frame.data[bit // 8] >> (7 - bit % 8) & 1]
        samples = ([bit for bit in bits if chance.random() < 0.5] for _ in range(SAMPLES))
        tries = (ones, [bit for bit in bits if bit not in ones], *samples)
        return all(self._alike(self.probe.run(self.frame.changed(some), self.outcomes)) for some in tries)

    def _alike(self, seen: Observation) -> bool:
        """Whether the packet goes the same way, with the same keys, to cells of the same instances."""
        return (
            seen.way == self.base.way
            and self._keys(seen) == self._keys(self.base)
            and seen.instances == self.base.instances
        )

    def _keys(self, seen: Observation) -> list[tuple[int, ...]]:
        return [values for name, values in seen.applied if name in self.filled]
