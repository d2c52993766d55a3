"""Splitting is loop fission: whether the order of packets at a state survives it.

A register read before a lookup and written after it carries a dependency from packet to packet. All accesses to one
ordered state must therefore be in one stage, which runs its packets in the order of the burst.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from transpiler.analysis.locations import actions_of
from transpiler.externs.learning import ADD
from transpiler.externs.row import Effect
from transpiler.externs.table import METHODS
from transpiler.hlir.program import Program
from transpiler.hlir.statements import ApplyTable, Body, CallExtern, Leave, Statement
from transpiler.hlir.traverse import walk
from transpiler.schedule.pipeline import Deparse, Parse, Restart, Special
from transpiler.schedule.split import Split
from transpiler.schedule.stages import Code, Finish, Fork, Jump, PipeSchedule, Plain
from transpiler.schedule.state import HOLD, held_registers
from transpiler.schedule.tree import Apply, Cut, Prefetch

ORDERED = frozenset({Effect.STATE, Effect.STREAM})


def statements_of(code: Code) -> Iterator[Statement]:
    """Every statement that a code holds, those of its forks included, not those of the joins that it jumps to."""
    for piece in code:
        match piece:
            case Plain(what=Deparse(control=control)):
                yield from walk(control.body)
            case Plain(what=Parse(parser=parser) | Restart(parser=parser)) if parser is not None:
                for state in parser.states:
                    yield from walk(state.body)
            case Plain(what=what) if not isinstance(what, Special):
                yield from walk((what,))
            case Finish(statement=statement):
                yield statement
            case Fork(arms=arms):
                for arm in arms:
                    yield from statements_of(arm)


def joins_of(code: Code, exits: Mapping[str, object]) -> Iterator[int]:
    """The joins that a code jumps to by itself."""
    for piece in code:
        match piece:
            case Jump(join=join):
                yield join
            case Fork(arms=arms):
                for arm in arms:
                    yield from joins_of(arm, exits)
    for statement in statements_of(code):
        if isinstance(statement, Leave) and isinstance(target := exits.get(statement.label), Jump):
            yield target.join


def ordered_states(program: Program, code: Code) -> frozenset[str]:
    """The states that a code touches and whose accesses must keep packet order, each by a name of its own."""
    found: set[str] = set()
    for statement in statements_of(code):
        bodies: list[Body] = [(statement,)]
        if isinstance(statement, ApplyTable):
            bodies = [action.body for action in actions_of(program, statement.table)]
            if program.table[statement.table].learns:
                found.add(statement.table)
            direct = program.table[statement.table].direct
            found |= {name for name in direct if program.extern[name].kind == "direct_meter"}
        for body in bodies:
            for inner in walk(body):
                if not isinstance(inner, CallExtern) or METHODS[inner.method].effect not in ORDERED:
                    continue
                if inner.method == ADD:
                    continue  # its table's
                if inner.method == HOLD:
                    found.update(held_registers(inner))
                elif (
                    METHODS[inner.method].instance_kind != "direct_meter"
                ):  # those are their table's, whoever asks them
                    found.add(inner.instance or inner.method)
    return frozenset(found)


def states_of(program: Program, pipe: PipeSchedule) -> frozenset[str]:
    """The ordered states that a whole pipe touches."""
    codes = (*(stage.code for stage in pipe.stages), *pipe.joins)
    return frozenset().union(*(ordered_states(program, code) for code in codes))


def reachable_joins(split: Split, code: Code) -> tuple[int, ...]:
    """The joins whose code is needed with a code, in program order."""
    found: set[int] = set()
    todo = list(joins_of(code, split.exits))
    while todo:
        join = todo.pop()
        if join not in found:
            found.add(join)
            todo += joins_of(split.joins[join], split.exits)
    return tuple(sorted(found))


def users_of_joins(split: Split) -> dict[int, list[int]]:
    """Join → the stages that need its code."""
    users: dict[int, list[int]] = defaultdict(list)
    for stage in sorted(split.stages):
        for join in reachable_joins(split, split.stages[stage].code):
            users[join].append(stage)
    return users


@dataclass(frozen=True, slots=True)
class Uncut:
    """Tables, registers and meters at which a pipe must not be cut."""

    tables: frozenset[str] = frozenset()
    states: frozenset[str] = frozenset()

    @staticmethod
    def at(cuts: Iterable[Cut]) -> Uncut:
        made = tuple(cuts)
        return Uncut(
            frozenset(cut.name for cut in made if isinstance(cut, Apply)),
            frozenset(access.instance for cut in made if isinstance(cut, Prefetch) for access in cut.accesses),
        )

    def __or__(self, other: Uncut) -> Uncut:
        return Uncut(self.tables | other.tables, self.states | other.states)

    def __bool__(self) -> bool:
        return bool(self.tables or self.states)


def conflicts(program: Program, split: Split) -> tuple[frozenset[int], Uncut]:
    """What breaks packet order: joins that must become stages or, if there are none, tables and state where a cut must go.

    Both empty: the split is legal. Making those joins stages and, when none is left, cutting no more there ends: joins of one
    tree are finitely many, and cuts only get fewer.
    """
    users = users_of_joins(split)
    touching: dict[str, set[int]] = defaultdict(set)
    shared: set[int] = set()
    for stage, made in split.stages.items():
        for state in ordered_states(program, made.code):
            touching[state].add(stage)
    for join, stages in users.items():
        states = ordered_states(program, split.joins[join])
        if states and len(stages) > 1:
            shared.add(join)
        for state in states:
            touching[state].update(stages)
    if shared:
        return frozenset(shared), Uncut()
    uncut = Uncut()
    for reaching_definitions in touching.values():
        if len(reaching_definitions) > 1:
            first, *later = sorted(reaching_definitions)
            cuts = Uncut.at(cut for stage in later for cut in split.stages[stage].started)
            uncut |= cuts or Uncut.at(split.stages[first].started)
            if not uncut:  # only merges and the entry are left: cut nowhere before the last of them
                earlier = (made for position, made in split.stages.items() if position < later[-1])
                uncut |= Uncut.at(cut for made in earlier for cut in made.started)
    return frozenset(), uncut
