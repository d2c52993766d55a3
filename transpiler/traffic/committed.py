"""What tables answer with the entries that are made so far: those of streams, which match many keys, and those of points.

A key that no entry matches is free: an entry for it can be made, unless a frame that is there already is to miss it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from transpiler.hlir.program import MatchKind
from transpiler.interpreter.tables import Call
from transpiler.traffic.actions import data
from transpiler.traffic.filled import TableEntries
from transpiler.traffic.plan import Plan, outcomes_of
from transpiler.traffic.profiles import Profiles
from transpiler.traffic.single import Single, single
from transpiler.traffic.sources import matched

Keyed = tuple[str, tuple[int, ...]]  # a table, and the values of a key
Own = Mapping[Keyed, Call | None]  # what a frame's own entries answer, and the misses that it wants


class Committed(Mapping[Keyed, Call | None]):
    """The outcome of each key that is not free; None: a miss that a frame wants."""

    def __init__(self, plan: Plan) -> None:
        self.plan = plan
        self.profiles = Profiles(plan)
        self.known: dict[Keyed, Call | None] = {}
        self._free: set[Keyed] = set()
        self._sets: dict[str, list[_Set]] = {}
        self._wide: dict[str, list[Single]] = {}
        for made in plan.tables:
            self._sets.setdefault(made.table.name, []).append(_Set(made))
        probe = plan.probe()
        for stream in plan.streams:
            template = stream.template
            seen = probe.run(template.frame.data, outcomes_of(template, stream.entries))
            missed = ((name, key) for name, key in seen.applied if name not in stream.entries)
            self.known.update((place, None) for place in missed if place not in self)

    def __contains__(self, place: object) -> bool:
        return place in self.known or (place not in self._free and self._looked_up(place))  # type: ignore[arg-type]

    def __getitem__(self, place: Keyed) -> Call | None:
        if place not in self:
            raise KeyError(place)
        return self.known[place]

    def __iter__(self) -> Iterator[Keyed]:
        return iter(self.known)

    def __len__(self) -> int:
        return len(self.known)

    def needed(self, lookups: Mapping[Keyed, Call | None]) -> tuple[dict[Keyed, Single], set[str]]:
        """The entries by which tables answer so; the tables that cannot, as @entry_restriction allows none, or only what
        matches a key that shall have another outcome."""
        entries: dict[Keyed, Single] = {}
        forbidden: set[str] = set()
        for place, call in lookups.items():
            name, key = place
            if (
                call is None
                or place in self
                or any(name == of and one.matches(key) for (of, _), one in entries.items())
            ):
                continue
            one = single(self.plan.program.table[name], key, call)
            if one is None or (one.wide and self._takes(name, one, lookups)):
                forbidden.add(name)
            else:
                entries[place] = one
        return entries, forbidden

    def _takes(self, name: str, one: Single, lookups: Mapping[Keyed, Call | None]) -> bool:
        """Whether an entry would match what is to be missed, or what `lookups` want another outcome of."""
        missed = ((place, call) for place, call in self.known.items() if call is None)
        return any(
            place[0] == name and call != one.call and one.matches(place[1])
            for places in (missed, lookups.items())
            for place, call in places
        )

    def add(self, lookups: Mapping[Keyed, Call | None]) -> None:
        """Tables answer so from now on."""
        for (name, _), one in self.needed(lookups)[0].items():
            if one.wide:
                self._wide.setdefault(name, []).append(one)
                self._free.clear()
        self.known.update(lookups)

    def _looked_up(self, place: Keyed) -> bool:
        """Whether an entry matches it, which is known then."""
        name, key = place
        found = [hit for one in self._sets.get(name, ()) if (hit := one.find(key)) is not None]
        if found:
            _, number, made = min(found, key=lambda hit: hit[:2])
            self.known[place] = self._call(made, number)
        elif wide := next((one for one in self._wide.get(name, ()) if one.matches(key)), None):
            self.known[place] = wide.call
        else:
            self._free.add(place)
            return False
        return True

    def _call(self, made: TableEntries, number: int) -> Call:
        member = self.profiles.member(made, number)
        values = data(self.plan, made, np.array([member], dtype=np.uint64))
        return Call(made.call.action, tuple(int.from_bytes(value[0].tobytes(), "big") for value in values))


@dataclass(frozen=True)
class _Set:
    """The entries of a table that one kind of frames has."""

    made: TableEntries

    def find(self, key: tuple[int, ...]) -> tuple[int, int, TableEntries] | None:
        """The entry that goes before others: those of longer prefixes, then lower numbers."""
        widths = matched(self.made.table)
        row = b"".join(value.to_bytes((width + 7) // 8, "big") for value, width in zip(key, widths, strict=True))
        best: tuple[int, int] | None = None
        for order, mask, numbers in self._patterns:
            masked = (np.frombuffer(row, dtype=np.uint8) & mask).tobytes()
            number = numbers.get(masked)
            if number is not None and (best is None or (order, number) < best):
                best = order, number
        return None if best is None else (*best, self.made)

    @cached_property
    def _patterns(self) -> list[tuple[int, np.ndarray[tuple[int], np.dtype[np.uint8]], dict[bytes, int]]]:
        """For each pattern its rank, its mask, and the entries by what they match."""
        keys = self.made.keys
        numbers = np.arange(keys.count, dtype=np.uint64)
        numbers = numbers[self.made.allowed(numbers)]
        which, _ = keys.pattern_of(numbers)
        rows = self.made.key_rows(numbers)
        prefix = any(field.kind is MatchKind.LPM for field in keys.fields)
        found = []
        for at, pattern in enumerate(keys.patterns):
            mask = self.made.mask(pattern)
            chosen = numbers[which == at]
            by_key: dict[bytes, int] = {}
            for number, row in zip(chosen.tolist(), rows[which == at] & mask, strict=True):
                by_key.setdefault(row.tobytes(), number)
            found.append((-sum(pattern.cares) if prefix else 0, mask, by_key))
        return found
