"""Finds out what is to be generated: frames that reach tables, kinds of them that fit each other, frames alone for the rest."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from importlib.util import find_spec

from transpiler.diagnostics import Diagnostics
from transpiler.hlir.program import Program
from transpiler.passes.pipeline import optimise
from transpiler.traffic.agreed import Ask, Entries, agreed
from transpiler.traffic.builder import Builder, Lookups
from transpiler.traffic.copies import Copies
from transpiler.traffic.missed import excluded, reason
from transpiler.traffic.outward import bring_out
from transpiler.traffic.plan import Plan, Stream, Wishes, with_copies, with_varied
from transpiler.traffic.points import points
from transpiler.traffic.probe import Probe
from transpiler.traffic.references import referring
from transpiler.traffic.restrictions import rule_of
from transpiler.traffic.search import Advance, Finder, Template, fillable, quality, search
from transpiler.traffic.together import together
from transpiler.traffic.weights import harmless, weighted


def plan(program: Program, wishes: Wishes, diagnostics: Diagnostics, advance: Advance) -> Plan:
    """Find out how. Says what cannot be done; raises: Rejected when nothing can, LengthsError."""
    for table in fillable(program):
        rule_of(table, diagnostics)
    probe = Probe(program, wishes.port, copies=Copies(wishes.outward))
    finder = search(program, probe, wishes.seed, advance)
    missing = [table.name for table in finder.targets if not finder.is_hit(table.name)]
    unreachable = _unreachable(program) if missing else frozenset()
    _solve(finder, [name for name in missing if name not in unreachable], wishes, advance)
    bring_out(finder, wishes.seed, advance)
    probe.copies.open = False
    met = agreed(finder, probe, _asking(finder, probe, unreachable, wishes))
    if not fillable(program):
        return _without_tables(probe, wishes, finder.templates, diagnostics)
    lookups = Lookups(probe)
    fitting = harmless(program, wishes, together(wishes, probe, finder, met, advance), lookups)
    streams = Builder(program, wishes, Diagnostics(), lookups).streams(fitting)
    filled = {name for stream in streams for name in stream.entries}
    left = any(finder.is_hit(table.name) and table.name not in filled for table in finder.targets)
    made = referring(Builder(program, wishes, diagnostics, lookups, spares=left).build(fitting), probe)
    made = replace(made, points=points(made, finder, probe, advance))
    _complain(made, finder, probe, unreachable, diagnostics)
    return weighted(with_copies(made))


def _unreachable(program: Program) -> frozenset[str]:
    """The tables that no packet comes to, whatever entries there are: those that the compiler removes, as it proves that no
    statement that is ever run applies them."""
    left = optimise(program).table
    return frozenset(table.name for table in fillable(program) if table.name not in left)


def _solve(finder: Finder, missing: Sequence[str], wishes: Wishes, advance: Advance) -> None:
    """Ask for frames for the tables that no try has hit, where z3 is installed: the one thing here that needs it."""
    if missing and find_spec("z3") is not None:
        from transpiler.traffic.solved import solve

        solve(finder, missing, wishes.port, advance, wishes.seed)


def _asking(finder: Finder, probe: Probe, unreachable: frozenset[str], wishes: Wishes) -> Ask:
    """How to ask for frames that meet some entries, where z3 is installed."""
    if find_spec("z3") is None:
        return lambda entries: ()
    from transpiler.traffic.beside import Around, asked

    sizes = {table.name: table.size for table in finder.program.tables}
    names = {table.name for table in finder.targets} - unreachable

    def ask(entries: Entries) -> Sequence[Template]:
        return asked(Around(finder, entries, probe.copies, lambda name: sizes[name], wishes.port, wishes.seed), names)

    return ask


def _without_tables(probe: Probe, wishes: Wishes, found: Sequence[Template], diagnostics: Diagnostics) -> Plan:
    """Frames for each way through the parser: those that come out, and reach most state."""
    program = probe.program
    best: dict[int, Template] = {}
    for template in sorted(found, key=lambda t: (quality(program, t), len(t.state))):
        if template.seen.accepted:
            best[id(template.frame.shape)] = template
    streams = tuple(with_varied(probe, Stream(template, {}, {}, {}), set()) for template in best.values())
    if not streams:
        diagnostics.error(program.span, "no frame was found that the parser accepts")
    diagnostics.raise_if_errors()
    return with_copies(Plan(program, wishes, streams, (), {}))


def _complain(made: Plan, finder: Finder, probe: Probe, unreachable: frozenset[str], diagnostics: Diagnostics) -> None:
    program = made.program
    filled = {one.table.name for one in made.tables}
    filled |= {name for point in made.points for name, _ in point.entries}
    for table in fillable(program):
        if table.name in filled:
            continue
        if table.name in unreachable:
            why = reason(program, table, unreachable)
        else:
            why = excluded(made, finder, probe, table.name)
        diagnostics.warning(table.span, "traffic", f"{why}: there are no entries for it")
