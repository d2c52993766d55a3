"""Masks that a table's @entry_restriction forbids become such as it allows.

The ternary, optional and range keys that it names are made to match the whole field or nothing, one after the other: always the
change by which its clauses come nearest to hold. Where none helps, several keys are changed at once.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache
from itertools import chain, combinations, islice, product
from typing import Any

import numpy as np

from transpiler.interpreter.matches import PRIORITY_KINDS
from transpiler.traffic.filled import TableEntries
from transpiler.traffic.keys import Own, Pattern, Shared, Unknown, capacity
from transpiler.traffic.restrictions import Rule, array, rule_of

SAMPLES = 8  # entries that are looked at
TRIED = 2000  # masks, where no change of one key helps

Cares = tuple[bool, ...]
Masks = tuple[int, ...]  # of the fields
Choices = Sequence[tuple[int, ...]]  # for each field the masks that it may have instead
Score = tuple[
    float, float, int
]  # the part of entries that is allowed, how near the clauses are, the bits that are matched


def mender(made: TableEntries, others: int) -> Callable[[Cares], Cares | None]:
    """What makes a pattern of entries the nearest that is allowed; None where at most half of the entries would be. `others`: as
    in `capacity`."""
    rule, keys = rule_of(made.table), made.keys
    if rule is None:
        return lambda cares: cares
    whole = (True,) * len(keys.bits)
    count = min(SAMPLES, capacity(whole, keys.bits, keys.marks, others))
    values = made.with_patterns((Pattern(whole, count),)).values(np.arange(count, dtype=np.uint64))
    choices = _choices(rule, made)

    def mend(cares: Cares) -> Cares | None:
        masks, allowed = _mended(rule, values, made.masks(cares), choices)
        bits = ((f.width, mask) for f, mask in zip(rule.fields, masks, strict=True))
        return tuple(bool(m >> w - 1 - i & 1) for w, m in bits for i in range(w)) if allowed > 0.5 else None

    return mend


@lru_cache(1 << 12)
def fitted(rule: Rule, key: tuple[int, ...]) -> Masks | None:
    """The masks with which an entry for this key is allowed; None: none is."""
    values = [array(field.width, [value]) for field, value in zip(rule.fields, key, strict=True)]
    choices = [(0,) if f.kind in PRIORITY_KINDS and rule.names(f) else () for f in rule.fields]
    masks, allowed = _mended(rule, values, tuple(field.full for field in rule.fields), choices)
    return masks if allowed == 1 else None


def _choices(rule: Rule, made: TableEntries) -> Choices:
    """Marks stay matched; what entries do not match as it is not theirs does not become so."""
    result, keys = [], made.keys
    has_own, at = any(isinstance(bit, Own) for bit in keys.bits), 0
    for field in rule.fields:
        part, at = keys.bits[at : at + field.width], at + field.width
        marked = any(isinstance(b, Own) and b.index in keys.marks for b in part)
        foreign = any(isinstance(b, Unknown) or (has_own and isinstance(b, Shared)) for b in part)
        changes = field.kind in PRIORITY_KINDS and rule.names(field)
        result.append((field.full,) * (changes and not foreign) + (0,) * (changes and not marked))
    return result


def _mended(rule: Rule, values: Sequence[Any], masks: Masks, choices: Choices) -> tuple[Masks, float]:
    """The masks that are nearest, and the part of the entries with these values that is allowed with them."""
    first, score = masks, _scores(rule, values, [masks])[0]
    while score[0] < 1:
        better, found = _best(rule, values, list(_changes(masks, choices, 1)))
        if better[:2] <= score[:2]:
            break
        score, masks = better, found
    if score[0] < 1:
        several = chain.from_iterable(_changes(first, choices, number) for number in range(2, len(first) + 1))
        better, found = _best(rule, values, list(islice(several, TRIED)))
        score, masks = max((score, masks), (better, found), key=lambda one: one[0])
    return masks, score[0]


def _best(rule: Rule, values: Sequence[Any], tried: Sequence[Masks]) -> tuple[Score, Masks]:
    found = zip(_scores(rule, values, tried), tried, strict=True)
    return max(found, key=lambda one: one[0], default=((-1.0, 0.0, 0), ()))


def _changes(masks: Masks, choices: Choices, number: int) -> Iterator[Masks]:
    """With so many fields other than they are."""
    fields = [at for at, others in enumerate(choices) if set(others) - {masks[at]}]
    for chosen in combinations(fields, number):
        for others in product(*([mask for mask in choices[at] if mask != masks[at]] for at in chosen)):
            new = dict(zip(chosen, others, strict=True))
            yield tuple(new.get(at, mask) for at, mask in enumerate(masks))


def _scores(rule: Rule, values: Sequence[Any], tried: Sequence[Masks]) -> list[Score]:
    """For each of the masks how good it is."""
    if not tried:
        return []
    columns = zip(*tried, strict=True)
    each = [
        column[0] if len(set(column)) == 1 else array(field.width, column)[:, None]
        for field, column in zip(rule.fields, columns, strict=True)
    ]
    judged = rule.judged((len(tried), len(values[0]) if values else 1), values, each)
    whole, held = (judged == 1).all(axis=0).mean(axis=1), judged.mean(axis=(0, 2))
    return [
        (float(w), float(h), sum(mask.bit_count() for mask in masks))
        for w, h, masks in zip(whole, held, tried, strict=True)
    ]
