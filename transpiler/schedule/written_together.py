"""What a stretch of a control writes together, and flags that tell whether it has.

    a.x = 1; a.y = 2;    →    a.x = 1; a.y = 2; wrote_0 = true;

A group has the locations that the same runs of assignments write: a packet takes all of a run, or none of it. So one flag
tells of all of them whether they were written.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from itertools import groupby

from transpiler.analysis.locations import VALIDITY, Location, Locator, actions_of
from transpiler.hlir.expressions import Const, VariableRef
from transpiler.hlir.program import Program
from transpiler.hlir.statements import ApplyTable, Assign, Body, SetValid, Statement
from transpiler.hlir.traverse import bodies, rebuild, walk
from transpiler.hlir.types import Bool

Group = tuple[Location, ...]


def groups_of(program: Program, body: Body, wanted: frozenset[Location]) -> tuple[Group, ...]:
    """Those of the wanted locations that only assignments write, of the body and of the actions of its tables, by groups."""
    locator = Locator(program)
    places = (body, *(program.action[name].body for name in actions_in(program, body)))
    runs = [run for place in places for run in _runs(place)]
    plain = {id(s) for run in runs for s in run}
    others = (locator.access(s).writes for place in places for s in walk(place) if id(s) not in plain)
    wanted -= frozenset().union(*others)
    by: dict[frozenset[int], list[Location]] = {}
    for one in sorted(wanted, key=lambda one: (one.owner, one.field)):
        if one.field != VALIDITY:
            by.setdefault(frozenset(n for n, run in enumerate(runs) if one in _written(locator, run)), []).append(one)
    return tuple(tuple(group) for group in by.values())


def with_flags(program: Program, body: Body, flags: Mapping[str, Group]) -> tuple[Program, Body]:
    """The program, in which the actions of the body's tables set the flags, and the body that does. `flags`: variables, and the
    group of each."""
    locator = Locator(program)

    def marks(run: Body) -> Body:
        written = _written(locator, run)
        told = (flag for flag, group in flags.items() if group[0] in written)
        return tuple(Assign(VariableRef(f, run[-1].span), Const(1, Bool(), run[-1].span), run[-1].span) for f in told)

    names = actions_in(program, body)
    actions = (replace(a, body=_behind_runs(a.body, marks)) if a.name in names else a for a in program.actions)
    return replace(program, actions=tuple(actions)), _behind_runs(body, marks)


def actions_in(program: Program, body: Body) -> tuple[str, ...]:
    """The actions of the tables that a body applies."""
    tables = dict.fromkeys(s.table for s in walk(body) if isinstance(s, ApplyTable))
    return tuple(dict.fromkeys(action.name for table in tables for action in actions_of(program, table)))


def _written(locator: Locator, run: Body) -> frozenset[Location]:
    return frozenset().union(*(locator.access(s).writes for s in run))


def _is_plain(statement: Statement) -> bool:
    return isinstance(statement, Assign | SetValid)


def _runs(body: Body) -> Iterator[Body]:
    for plain, run in groupby(body, _is_plain):
        if plain:
            yield tuple(run)
        else:
            yield from (inside for s in run for inner in bodies(s) for inside in _runs(inner))


def _behind_runs(body: Body, marks: Callable[[Body], Body]) -> Body:
    made: list[Statement] = []
    for plain, statements in groupby(body, _is_plain):
        run = tuple(statements)
        if plain:
            made += (*run, *marks(run))
        else:
            made += (rebuild(s, lambda inner: _behind_runs(inner, marks)) for s in run)
    return tuple(made)
