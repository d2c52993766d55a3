"""Entries for the port that frames come in at: one for each table that matches nothing else, which all frames meet.

Frames that were found one by one want different ones, as one type of port leads to some tables and another to others. Those
entries are chosen by which the most tables are hit. What frames do is tried with each choice, and where z3 is installed, frames
are asked for with it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence

from transpiler.interpreter.tables import Call
from transpiler.traffic.committed import Keyed
from transpiler.traffic.fuller import calls
from transpiler.traffic.probe import Probe
from transpiler.traffic.search import Finder, Template

MOST = 4  # choices that are tried at length
SAMPLES = 60  # frames that each is tried with
OTHER_PORT = 1  # one that frames do not come in at

Entries = Mapping[Keyed, Call | None]
Ask = Callable[[Entries], Sequence[Template]]  # for frames that meet these entries


def agreed(finder: Finder, probe: Probe, ask: Ask) -> Entries:
    """The entries; `finder` has frames that meet them then. Nothing where frames agree, or no table matches the port alone."""
    places = _by_port(finder, probe)
    samples = _samples(finder) if places else []
    choices = _choices(places, samples)
    if len(choices) < 2:
        return {}
    distinct: dict[object, dict[Keyed, Call | None]] = {}
    for choice in filter(None, choices):
        full, runs = _filled(probe, places, choice, samples)
        distinct.setdefault(tuple(t.seen.way for t in runs), full)
    best: Entries = {}
    most = -1
    for choice in list(distinct.values())[:MOST] if len(distinct) > 1 else ():
        met = [*_under(probe, choice, samples), *ask(choice)]
        hits = {name for t in met if t.seen.ports for name in t.hits}
        if len(hits) > most:
            best, most, found = choice, len(hits), met
    if best:
        for template in found:
            finder.note(-1, template)
    return best


def meets(template: Template, entries: Entries) -> bool:
    """Whether a frame gets from tables what the entries have."""
    return all(template.outcomes.get(place[0]) == entries[place] for place in template.seen.applied if place in entries)


def _by_port(finder: Finder, probe: Probe) -> list[Keyed]:
    """The tables whose key is the port alone, with that key."""
    keys: dict[str, set[tuple[int, ...]]] = {}
    for template in finder.templates:
        for name, key in template.seen.applied:
            keys.setdefault(name, set()).add(key)
    names = {table.name for table in finder.targets}
    open_ = {name: next(iter(values)) for name, values in keys.items() if len(values) == 1 and name in names}
    found = []
    for template in _samples(finder):
        elsewhere = probe.run(template.frame.data, template.outcomes, port=probe.port + OTHER_PORT)
        for name, key in elsewhere.applied:
            if name in open_ and key != open_[name]:
                found.append((name, open_.pop(name)))
    return found


def _samples(finder: Finder) -> list[Template]:
    """Frames that together hit all tables that are hit, each the one that hits most more."""
    left = {name for template in finder.templates for name in template.hits}
    rest = list(finder.templates)
    chosen: list[Template] = []
    while left and len(chosen) < SAMPLES:
        best = max(rest, key=lambda t: (len(left.intersection(t.hits)), bool(t.seen.ports)))
        chosen.append(best)
        left -= set(best.hits)
    return chosen


def _choices(places: Sequence[Keyed], samples: Sequence[Template]) -> list[dict[Keyed, Call | None]]:
    """What the frames want of these tables, what most of them want first."""
    count: Counter[tuple[tuple[Keyed, Call | None], ...]] = Counter()
    for template in samples:
        met = set(template.seen.applied)
        count[tuple((place, template.outcomes.get(place[0])) for place in places if place in met)] += 1
    return [dict(choice) for choice, _ in count.most_common()]


def _under(probe: Probe, entries: Entries, samples: Sequence[Template]) -> list[Template]:
    """What the frames do with entries."""
    runs = []
    for template in samples:
        seen = probe.run(template.frame.data, template.outcomes, entries)
        mine = {place[0]: entries[place] for place in seen.applied if place in entries}
        runs.append(Template(template.frame, template.outcomes | mine, seen))
    return runs


def _filled(
    probe: Probe, places: Sequence[Keyed], choice: dict[Keyed, Call | None], samples: Sequence[Template]
) -> tuple[dict[Keyed, Call | None], list[Template]]:
    """A choice with entries in the other tables that frames then meet by the port, where these take no other table's hits."""
    runs = _under(probe, choice, samples)
    for place in places:
        if choice.get(place) is not None:
            continue
        before = _hit(runs)
        others = [t.outcomes.get(place[0]) for t in samples if place in t.seen.applied]
        for call in dict.fromkeys([*(other for other in others if other is not None), *calls(probe.program, place[0])]):
            tried = {**choice, place: call}
            now = _under(probe, tried, samples)
            if _hit(now) > before:
                choice, runs, before = tried, now, _hit(now)
    return choice, runs


def _hit(runs: Sequence[Template]) -> set[tuple[str, bool]]:
    return {(name, bool(t.seen.ports)) for t in runs for name in t.hits}
