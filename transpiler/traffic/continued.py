"""More templates beside those that are taken: frames that meet the entries which these will have.

Templates that are found one by one want different entries of the same tables. Where the key of a table is the same for all
frames of a template (the port that they come in at), its entry is the same for all that follow: they are looked for with that
entry in its place. Their tables do as a template does that is there already, but for a few, and the frame is another.
"""

from __future__ import annotations

from collections.abc import Sequence
from random import Random

from transpiler.interpreter.tables import Call
from transpiler.traffic.probe import Fixed, Probe
from transpiler.traffic.search import Finder, Template, quality

TRIES = 800  # frames tried in a round
FEW = 4  # templates for a table


def continued(
    finder: Finder, probe: Probe, taken: Sequence[Template], fixed: Fixed, wanted: set[str], seed: int
) -> list[Template]:
    """Templates that hit some of the `wanted` tables: for each the best few, as not all fit those that are taken. Those that
    come out are first, of these those that hit most."""
    chance = Random(seed)
    leads = list(taken)
    best: dict[str, list[Template]] = {}

    def rank(template: Template) -> tuple[int, ...]:
        return _rank(finder, template, wanted)

    for _ in range(TRIES):
        found = _attempt(finder, probe, leads, fixed, wanted, chance)
        new = [name for name in found.hits if name in wanted]
        if any(rank(found) > rank(best[name][0]) if name in best else True for name in new):
            leads.append(found)
        for name in new:
            best[name] = sorted([*best.get(name, ()), found], key=rank, reverse=True)[:FEW]
    return sorted({id(t): t for few in best.values() for t in few}.values(), key=rank, reverse=True)


def _rank(finder: Finder, template: Template, wanted: set[str]) -> tuple[int, ...]:
    accepted, out, forwarded, *_ = quality(finder.program, template)
    return accepted & out, forwarded, len(wanted.intersection(template.hits)), accepted


def _attempt(
    finder: Finder, probe: Probe, leads: Sequence[Template], fixed: Fixed, wanted: set[str], chance: Random
) -> Template:  # fmt: skip
    """A frame of any form, with the outcomes of a lead, but for one table and for those that it does not hit."""
    lead = chance.choice(leads)
    frame = lead.frame if chance.random() < 0.3 else finder.frame(chance.randrange(len(finder.forms)), chance)
    kept = set(lead.hits) - ({chance.choice(lead.hits)} if lead.hits and chance.random() < 0.7 else set())
    outcomes: dict[str, Call | None] = dict(lead.outcomes)
    for table in finder.targets:
        if table.name not in kept:
            outcomes[table.name] = finder.outcome(table, chance)
            if outcomes[table.name] is None and table.name in wanted:
                outcomes[table.name] = finder.outcome(table, chance)
    seen = probe.run(frame.data, outcomes, fixed)
    return Template(frame, outcomes | _met(seen.applied, fixed), seen)


def _met(applied: Sequence[tuple[str, tuple[int, ...]]], fixed: Fixed) -> dict[str, Call | None]:
    """The outcomes that are fixed, of the tables that a frame has met."""
    return {name: fixed[name, values] for name, values in applied if (name, values) in fixed}
