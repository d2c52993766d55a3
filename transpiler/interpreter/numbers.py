"""Random numbers."""

from __future__ import annotations

from dataclasses import dataclass

from transpiler.hlir.arithmetic import ones

_WORD = ones(64)


@dataclass(slots=True)
class Random:
    """SplitMix64 (Steele et al. 2014), the generator of the compiled switch: the same seed gives the same numbers."""

    state: int = 0

    def next(self) -> int:
        """64 bits."""
        self.state = mixed = (self.state + 0x9E3779B97F4A7C15) & _WORD
        mixed = (mixed ^ mixed >> 30) * 0xBF58476D1CE4E5B9 & _WORD
        mixed = (mixed ^ mixed >> 27) * 0x94D049BB133111EB & _WORD
        return mixed ^ mixed >> 31

    def between(self, low: int, high: int) -> int:
        """A number between low and high, both included; low if they are the wrong way round."""
        return low if high <= low else low + self.next() % (high - low + 1)
