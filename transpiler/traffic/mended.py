"""Patterns whose entries a program's @entry_restriction forbids become such as it allows.

The ternary, optional and range keys that it names are made to match the whole field or nothing, one after the other: always the
change by which most of its clauses hold for a few of the entries.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from transpiler.interpreter.matches import PRIORITY_KINDS
from transpiler.traffic.filled import TableEntries
from transpiler.traffic.keys import Own, Pattern, Shared, Unknown, capacity

SAMPLES = 8  # entries that are looked at
Cares = tuple[bool, ...]


def mended(made: TableEntries, cares: Cares, others: int) -> Cares | None:
    """The pattern that is nearest; None where at most half of the entries would be allowed. `others`: as in `capacity`."""
    rule = made.restriction
    if rule is None:
        return cares
    best, whole, holds = cares, *_held(made, cares, others)
    while whole < 1:
        tried = [(one, *_held(made, one, others)) for one in _changes(made, best)]
        better = max(tried, key=lambda one: one[1:], default=(best, whole, holds))
        if better[1:] <= (whole, holds):
            break
        best, whole, holds = better
    return best if whole > 0.5 else None


def _held(made: TableEntries, cares: Cares, others: int) -> tuple[float, float]:
    """The part of some entries that is allowed; that of their clauses that hold."""
    keys = made.keys
    count = min(SAMPLES, capacity(cares, keys.bits, keys.marks, others))
    sample = replace(made, keys=replace(keys, patterns=(Pattern(cares, count),)))
    judged = sample.judged(np.arange(count, dtype=np.uint64))
    return float(judged.all(axis=0).mean()), float(judged.mean())


def _changes(made: TableEntries, cares: Cares) -> Iterator[Cares]:
    """With one key other than it is. Marks stay matched; what entries do not match as it is not theirs does not become so."""
    rule, keys, at = made.restriction, made.keys, 0
    has_own = any(isinstance(bit, Own) for bit in keys.bits)
    for key, field in zip(made.table.keys, keys.fields, strict=False):
        end = at + field.width
        if rule is not None and key.name in rule.named and field.kind in PRIORITY_KINDS:
            part = keys.bits[at:end]
            marked = any(isinstance(b, Own) and b.index in keys.marks for b in part)
            foreign = any(isinstance(b, Unknown) or (has_own and isinstance(b, Shared)) for b in part)
            for matches in [True] * (not foreign) + [False] * (not marked):
                yield (*cares[:at], *[matches] * field.width, *cares[end:])
        at = end
