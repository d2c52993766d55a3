"""Looks for frames that hit a table and come out of the switch, where only dropped ones were found.

A program may drop a packet for many reasons: an action that denies it, an address that must not be there, a lookup that
misses. A search that changes one table at a time seldom undoes several of them at once. So for each such table the best
frames that hit it are varied in several places: what some of their tables do, and the frame. One that comes out is varied
for the next tables as well.
"""

from __future__ import annotations

from random import Random

from transpiler.hlir.program import Table
from transpiler.traffic.search import Advance, Finder, Template, quality

LEADS = 8  # templates that are varied for a table
TRIES = 200  # frames tried for a table
KEPT = 0.75  # of the tables that a lead meets, those that do what they did


def bring_out(finder: Finder, seed: int, advance: Advance) -> None:
    """Try to find, for each table that is hit by dropped frames only, one that is sent; `finder` has it then."""
    chance = Random(seed)
    for number, table in enumerate(finder.targets):
        advance(number, len(finder.targets))
        if not finder.is_sent(table.name):
            _bring_out(finder, table, chance)
    advance(len(finder.targets), len(finder.targets))


def _bring_out(finder: Finder, table: Table, chance: Random) -> None:
    leads = [(form, t) for (form, hits, _), t in finder.found.items() if table.name in hits]
    leads.sort(key=lambda lead: quality(finder.program, lead[1]), reverse=True)
    for turn in range(TRIES if leads else 0):
        form, lead = leads[turn % min(LEADS, len(leads))]
        varied = _varied(finder, form, lead, table, chance)
        if varied.seen.ports and varied.seen.accepted and table.name in varied.hits:
            finder.note(form, varied)
            return


def _varied(finder: Finder, form: int, lead: Template, table: Table, chance: Random) -> Template:
    """Like a lead, but for the frame, now and then, and for some of its tables; `table` does what it did."""
    draw = chance.random()
    frame = lead.frame if draw < 0.4 else finder.usual(form) if draw < 0.7 else finder.frame(form, chance)
    met = (name for name, _ in lead.seen.applied if name in lead.outcomes)
    kept = {name for name in met if name == table.name or chance.random() < KEPT}
    outcomes = dict(lead.outcomes)
    outcomes |= {t.name: finder.outcome(t, chance) for t in finder.targets if t.name not in kept}
    return Template(frame, outcomes, finder.probe.run(frame.data, outcomes))
