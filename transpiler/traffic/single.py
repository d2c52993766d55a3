"""An entry that is made for one key. It matches the whole of it, but where its table's @entry_restriction forbids that."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from transpiler.hlir.program import Table
from transpiler.interpreter.tables import Call
from transpiler.traffic.mended import fitted
from transpiler.traffic.restrictions import rule_of
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
    rule, whole = rule_of(table), tuple((1 << width) - 1 for width in matched(table))
    masks = whole if rule is None else fitted(rule, key)
    return None if masks is None else Single(key, masks, call, masks != whole)
