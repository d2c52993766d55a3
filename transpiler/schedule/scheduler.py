"""Program → Schedule: splits pipes into stages that keep the order of packets, and finds their live values."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Set
from dataclasses import dataclass

from transpiler.analysis.locations import Locator, actions_of
from transpiler.hlir.program import MatchKind, Program, Table
from transpiler.hlir.statements import ApplyTable, While
from transpiler.hlir.traverse import program_statements, walk
from transpiler.schedule.abstract_state import with_abstract_state
from transpiler.schedule.architectures import describe
from transpiler.schedule.live_values import all_locations, given_locations, live_locations, spread_headers
from transpiler.schedule.numbering import number
from transpiler.schedule.order import Uncut, conflicts, reachable_joins, statements_of, states_of, users_of_joins
from transpiler.schedule.pipeline import PipePlan
from transpiler.schedule.received import with_intact_fields, with_received_fields
from transpiler.schedule.small_lookups import with_small_lookups
from transpiler.schedule.split import TOGETHER, Split, Splitter
from transpiler.schedule.stages import Code, Fork, PipeSchedule, Schedule
from transpiler.schedule.state import StateOf
from transpiler.schedule.tree import Node, TreeBuilder


@dataclass(frozen=True, slots=True)
class Options:
    """`cut`: whether a lookup in that table, or an access to that register or meter, may miss the cache, so that cutting there
    pays; `starts_state`: whether accesses to that register or meter are started as lookups are; `large`: those of which both
    hold. `join_limit`: statements that may be written again on account of a join, over all stages, before it becomes a stage:
    its own, with those of its tables' actions, and those of the joins that it leads to. `concurrent_lookups`: tables that do not
    depend on each other are looked up in the same stage. `merge`: ingress and egress are one pipe where they can be.
    `run_to_completion`: a burst goes through the one pipe as a whole where it can. `locals`: values that no later stage reads are
    not kept. `reread`: where packets take more than a `few` values along, header fields that are as they were received are read
    in the frame, and the other values stay in memory. `constant_propagation`: what is known where a stage begins is used.
    `small`: tables that are not cut at, but whose lookups stages make with others. `queues`: packets wait in queues of ports
    also where the program does not look at them. `decisions`: a cache of decisions
    stands in front of many lookups. `ready_decisions`: decisions are made ready where they can be."""

    cut: Callable[[str], bool] = lambda table: True
    starts_state: Callable[[str], bool] = lambda instance: True
    join_limit: int = 300
    concurrent_lookups: bool = True
    merge: bool = True
    locals: bool = True
    reread: bool = True
    few: int = 32
    run_to_completion: bool = False
    constant_propagation: bool = False
    large: frozenset[str] = frozenset()
    small: frozenset[str] = frozenset()
    queues: bool = False
    decisions: bool = True
    ready_decisions: bool = True


def schedule(program: Program, options: Options) -> Schedule:
    """Split each pipe of the program into stages that keep packet order at every state."""
    architecture = describe(program)
    if has_queues(program, options):
        return _schedule(program, architecture.plan_with_queues(program), options)
    if options.merge and options.run_to_completion and (plans := architecture.plan_with_replication(program)):
        made = _schedule(program, plans, options)
        if not made.ordered:  # else some would come to a state of egress later than the packets behind them
            return made
    return _schedule(
        program, architecture.plan(program) if options.merge else architecture.plan_apart(program), options
    )


def has_queues(program: Program, options: Options) -> bool:
    """Whether packets may wait between ingress and egress."""
    architecture = describe(program)
    wanted = options.queues or architecture.asks_for_queues(program)
    return wanted and bool(architecture.plan_with_queues(program))


def _schedule(program: Program, plans: tuple[PipePlan, ...], options: Options) -> Schedule:
    architecture = describe(program)
    wished = frozenset(t.name for t in program.tables if _is_looked_up(t) and options.cut(t.name))
    cuttable = wished - _tables_in_loops(program)
    splits: list[Split] = []
    synchronous: frozenset[str] = frozenset()
    for pipe in plans:
        split, uncut = _split(program, pipe, cuttable, options)
        splits.append(split)
        synchronous |= uncut.tables
    pipes = tuple(number(pipe, split) for pipe, split in zip(plans, splits, strict=True))
    pipes = with_small_lookups(program, pipes, options.small)
    if options.constant_propagation:
        pipes = with_abstract_state(program, pipes)
    pipes = with_intact_fields(program, pipes)
    order = (synchronous | (wished - cuttable), _must_be_ordered(program, pipes))
    if not options.locals:
        return Schedule(pipes, *all_locations(program), *order, frozenset(h.name for h in program.headers))
    passes = sum(not plan.replication for plan in plans) == 1 and not any(architecture.preserved(program))
    given = given_locations(program, plans) if passes else {}
    kept = live_locations(program, pipes, given.keys())
    if options.reread and _most_kept(kept[0]) > options.few:
        kept, passes = live_locations(program, with_received_fields(program, pipes), given.keys()), False
    return Schedule(*kept, *order, spread_headers(program, kept[0]), given, passes)


def _most_kept(pipes: tuple[PipeSchedule, ...]) -> int:
    """How many values packets take along to the stage that gets the most."""
    return max((len(stage.live_in) for pipe in pipes for stage in pipe.stages), default=0)


def _must_be_ordered(program: Program, pipes: tuple[PipeSchedule, ...]) -> bool:
    """Whether a burst in one pipe before the next pipe would let packets overtake each other at a state.

    What comes of a packet overtakes none at a state of the first pipe, unless it begins there again.
    """
    first, *others = (states_of(program, pipe) for pipe in pipes)
    touched = [state for states in (first, *others) for state in states]
    if len(set(touched)) < len(touched):
        return True
    architecture = describe(program)
    return bool(touched if architecture.begins_again(program) else any(others)) and architecture.second_passes(program)


def _is_looked_up(table: Table) -> bool:
    """Whether it has a key; what only selects among a group's members is none."""
    return any(key.match_kind is not MatchKind.SELECTOR for key in table.keys)


def _tables_in_loops(program: Program) -> frozenset[str]:
    loops = [s for s in program_statements(program) if isinstance(s, While)]
    return frozenset(s.table for loop in loops for s in walk(loop.body) if isinstance(s, ApplyTable))


def _split(program: Program, pipe: PipePlan, cuttable: frozenset[str], options: Options) -> tuple[Split, Uncut]:
    """Split again with fewer cuts until packet order is kept; then see that no join is written too often."""
    locator = Locator(program)
    at_once = TOGETHER if options.concurrent_lookups else 1
    uncut = Uncut()
    while True:
        state = StateOf(program, options.large - uncut.states)
        tree = TreeBuilder(cuttable - uncut.tables, state).build(pipe)
        merges: frozenset[int] = frozenset()  # begun anew: with fewer cuts, fewer ways meet
        split = Splitter(locator, merges, at_once).split(tree)
        more_merges, more_uncut = conflicts(program, split)
        while more_merges:
            merges |= more_merges
            split = Splitter(locator, merges, at_once).split(tree)
            more_merges, more_uncut = conflicts(program, split)
        if not more_uncut:
            return _merge_large(program, tree, split, merges, options), uncut
        uncut |= more_uncut


def _merge_large(
    program: Program, tree: tuple[Node, ...], split: Split, merges: frozenset[int], options: Options
) -> Split:
    """Make stages of the joins that cost more as copies, the largest first, since merging one shrinks others; not of
    those that would break packet order as a stage."""
    locator = Locator(program)
    at_once = TOGETHER if options.concurrent_lookups else 1
    refused: set[int] = set()
    sizes = {table.name: _size_of_actions(program, table.name) for table in program.tables}
    while (join := _too_large(split, options.join_limit, sizes, refused)) is not None:
        tried = Splitter(locator, merges | {join}, at_once).split(tree)
        if any(map(bool, conflicts(program, tried))):
            refused.add(join)
        else:
            merges, split = merges | {join}, tried
    return split


def _too_large(split: Split, limit: int, actions: Mapping[str, int], refused: Set[int]) -> int | None:
    """The join whose copies have the most statements, if they have more than `limit`.

    What it leads to counts: of many joins in a row, each a few statements long, every stage has all that follow it. The
    one in the middle is then the largest, and as a stage it leaves two rows of half the length.
    """
    own = {join: _size(code, actions) for join, code in split.joins.items()}
    sizes = {
        join: (own[join] + sum(own[other] for other in reachable_joins(split, split.joins[join]))) * (len(stages) - 1)
        for join, stages in users_of_joins(split).items()
        if join not in refused
    }
    largest = max(sizes, key=lambda join: sizes[join], default=None)
    return largest if largest is not None and sizes[largest] > limit else None


def _size(code: Code, actions: Mapping[str, int]) -> int:
    """Statements and forks, with those of the tables' actions: each place where a table is applied has them."""
    forks = [piece for piece in code if isinstance(piece, Fork)]
    plain = tuple(piece for piece in code if not isinstance(piece, Fork))
    own = sum(1 + (actions[s.table] if isinstance(s, ApplyTable) else 0) for s in statements_of(plain))
    return own + sum(1 + sum(_size(arm, actions) for arm in fork.arms) for fork in forks)


def _size_of_actions(program: Program, table: str) -> int:
    return sum(1 for action in actions_of(program, table) for _ in walk(action.body))
