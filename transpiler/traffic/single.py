"""An entry that is made for one key. It matches the whole of it, but where its table's @entry_restriction forbids that."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from transpiler.hlir.program import Table
from transpiler.interpreter.tables import Call
from transpiler.traffic.mended import fitted
from transpiler.traffic.sources import matched


@dataclass(frozen=True)
class Single:
    """`wide`: it matches other keys too. Such an entry goes behind all others of its table that are there before it."""

    key: tuple[int, ...]
    masks: tuple[int, ...]
    call: Call
    wide: bool

    def matches(self, key: Sequence[int]) -> bool:
        """Whether it matches a key."""
        return all((a ^ b) & mask == 0 for a, b, mask in zip(key, self.key, self.masks, strict=True))


def single(table: Table, key: tuple[int, ...], call: Call) -> Single | None:
    """None where no entry for the key is allowed."""
    masks = fitted(table, key)
    if masks is None:
        return None
    return Single(key, masks, call, any(m + 1 != 1 << width for m, width in zip(masks, matched(table), strict=True)))
