"""Bits of many rows at once: matrices of bytes, a row a frame or a key; bit 0 is the first byte's most significant."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

Rows = npt.NDArray[np.uint8]
Numbers = npt.NDArray[np.uint64]
FULL = (1 << 64) - 1


@dataclass(frozen=True, slots=True)
class _Piece:
    """Bits that stand side by side in one byte of the source and in one of the target."""

    source: int
    right: int
    target: int
    left: int
    mask: int


class Wiring:
    """Copies bits of source rows to bits of target rows: pairs (source bit, target bit)."""

    def __init__(self, pairs: Iterable[tuple[int, int]]) -> None:
        self._pieces = tuple(_piece(run) for run in _runs(pairs))

    def copy(self, source: Rows, target: Rows) -> None:
        """Both have a row for a row; other bits of the target stay."""
        for piece in self._pieces:
            bits = (source[:, piece.source] >> piece.right & piece.mask) << piece.left
            keep = np.uint8(~(piece.mask << piece.left) & 0xFF)
            target[:, piece.target] = target[:, piece.target] & keep | bits


def _runs(pairs: Iterable[tuple[int, int]]) -> list[list[tuple[int, int]]]:
    runs: list[list[tuple[int, int]]] = []
    for source, target in sorted(pairs, key=lambda pair: pair[1]):
        last = runs[-1][-1] if runs else (-2, -2)
        beside = (source, target) == (last[0] + 1, last[1] + 1)
        if not (beside and source % 8 and target % 8):
            runs.append([])
        runs[-1].append((source, target))
    return runs


def _piece(run: Sequence[tuple[int, int]]) -> _Piece:
    source, target = run[-1]
    return _Piece(source // 8, 7 - source % 8, target // 8, 7 - target % 8, (1 << len(run)) - 1)


def to_rows(words: Sequence[Numbers]) -> Rows:
    """Words side by side as rows, 8 bytes each."""
    stacked = np.stack(words, axis=1).astype(">u8")
    return stacked.view(np.uint8).reshape(len(words[0]), 8 * len(words))


def mixed(numbers: Numbers, salt: int) -> Numbers:
    """64 bits of each number that look random. Source: the finaliser of splitmix64 (Steele, Lea, Flood 2014)."""
    x = numbers + np.uint64((salt * 0x9E3779B97F4A7C15 + 0x9E3779B97F4A7C15) & FULL)
    x = (x ^ x >> np.uint64(30)) * np.uint64(0xBF58476D1CE4E5B9)
    x = (x ^ x >> np.uint64(27)) * np.uint64(0x94D049BB133111EB)
    return x ^ x >> np.uint64(31)


def permuted(numbers: Numbers, width: int, salt: int) -> Numbers:
    """A permutation of 0 … 2^width - 1 (width at most 64) that looks random: different numbers stay different.

    Rounds of odd multiplications and shifts within the width, each of which can be undone.
    """
    if width == 0:
        return np.zeros_like(numbers)
    keep = np.uint64((1 << width) - 1)
    half = np.uint64((width + 1) // 2)
    x = numbers & keep
    for turn in range(3):
        factor = _scalar(salt * 8 + turn)
        x = (x * np.uint64(factor | 1) + np.uint64(_scalar(factor))) & keep
        x = x ^ x >> half
    return x


def _scalar(value: int) -> int:
    return int(mixed(np.array([value & FULL], dtype=np.uint64), 1)[0])
