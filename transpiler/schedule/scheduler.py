"""Program → Schedule: cuts, legality, joins, liveness put together."""

from __future__ import annotations

from collections.abc import Callable, Set
from dataclasses import dataclass, replace

from transpiler.analysis.locations import Location, Locator
from transpiler.hlir.program import MatchKind, Program, Table
from transpiler.hlir.statements import ApplyTable, Leave, While
from transpiler.hlir.traverse import program_statements, walk
from transpiler.schedule.live import Live, Liveness, stored_fields
from transpiler.schedule.order import conflicts, joins_of, reachable_joins, statements_of, states_of, users_of_joins
from transpiler.schedule.pipeline import SECOND_LIVES, PipePlan, calls, plan, preserved_lists
from transpiler.schedule.split import Split, Splitter
from transpiler.schedule.stages import Code, Fork, Jump, PipeSchedule, Plain, Schedule, Stage, Submit, Target
from transpiler.schedule.tree import Node, TreeBuilder


@dataclass(frozen=True, slots=True)
class Options:
    """`cut`: whether a lookup in that table may miss the cache, so that cutting there pays.
    `join_limit`: statements of a join that may be written again, over all stages, before it becomes a stage."""

    cut: Callable[[str], bool] = lambda table: True
    join_limit: int = 200


def schedule(program: Program, options: Options) -> Schedule:
    """Split each pipe of the program into stages that keep packet order at every state."""
    wished = frozenset(t.name for t in program.tables if _is_looked_up(t) and options.cut(t.name))
    cuttable = wished - _tables_in_loops(program)
    plans = plan(program)
    splits: list[Split] = []
    synchronous: frozenset[str] = frozenset()
    for pipe in plans:
        split, uncut = _split(program, pipe, cuttable, options)
        splits.append(split)
        synchronous |= uncut
    pipes = tuple(_pipe(pipe.name, split) for pipe, split in zip(plans, splits, strict=True))
    kept, zeroed = _live(program, pipes)
    return Schedule(pipes, kept, zeroed, synchronous | (wished - cuttable), _one_by_one(program, splits))


def _one_by_one(program: Program, splits: list[Split]) -> bool:
    """Whether a burst in one pipe before the next pipe would let packets overtake each other at a state."""
    touched = [state for split in splits for state in states_of(program, split)]
    return len(set(touched)) < len(touched) or (bool(touched) and calls(program, SECOND_LIVES))


def _is_looked_up(table: Table) -> bool:
    """Whether it has a key; what only selects among a group's members is none."""
    return any(key.match_kind is not MatchKind.SELECTOR for key in table.keys)


def _tables_in_loops(program: Program) -> frozenset[str]:
    loops = [s for s in program_statements(program) if isinstance(s, While)]
    return frozenset(s.table for loop in loops for s in walk(loop.body) if isinstance(s, ApplyTable))


def _split(
    program: Program, pipe: PipePlan, cuttable: frozenset[str], options: Options
) -> tuple[Split, frozenset[str]]:
    """Split again with fewer cuts until packet order is kept; then see that no join is written too often."""
    locator = Locator(program)
    uncut: frozenset[str] = frozenset()
    while True:
        tree = TreeBuilder(cuttable - uncut).build(pipe)
        merges: frozenset[int] = frozenset()  # begun anew: with fewer cuts, fewer ways meet
        split = Splitter(locator, merges).split(tree)
        more_merges, more_uncut = conflicts(program, split)
        while more_merges:
            merges |= more_merges
            split = Splitter(locator, merges).split(tree)
            more_merges, more_uncut = conflicts(program, split)
        if not more_uncut:
            return _merge_large(program, tree, split, merges, options.join_limit), uncut
        uncut |= more_uncut


def _merge_large(program: Program, tree: tuple[Node, ...], split: Split, merges: frozenset[int], limit: int) -> Split:
    """Make stages of the joins that cost more as copies, the largest first, since merging one shrinks others; not of
    those that would break packet order as a stage."""
    locator = Locator(program)
    refused: set[int] = set()
    while (join := _too_large(split, limit, refused)) is not None:
        tried = Splitter(locator, merges | {join}).split(tree)
        if any(conflicts(program, tried)):
            refused.add(join)
        else:
            merges, split = merges | {join}, tried
    return split


def _too_large(split: Split, limit: int, refused: Set[int]) -> int | None:
    """The join whose copies have the most statements, if they have more than `limit`."""
    sizes = {
        join: sum(1 for _ in statements_of(split.joins[join])) * (len(stages) - 1)
        for join, stages in users_of_joins(split).items()
        if join not in refused
    }
    largest = max(sizes, key=lambda join: sizes[join], default=None)
    return largest if largest is not None and sizes[largest] > limit else None


def _pipe(name: str, split: Split) -> PipeSchedule:
    """Number stages and joins by their order, and inline the joins that only one jump needs."""
    uses: dict[int, int] = {}
    for stage in split.stages:
        for code in (split.stages[stage].code, *(split.joins[join] for join in reachable_joins(split, stage))):
            for join in joins_of(code, split.exits):
                uses[join] = uses.get(join, 0) + 1
    left = {s.label for made in split.stages.values() for s in statements_of(made.code) if isinstance(s, Leave)}
    left |= {s.label for code in split.joins.values() for s in statements_of(code) if isinstance(s, Leave)}
    by_label = {t.join for label, t in split.exits.items() if label in left and isinstance(t, Jump)}
    single = {join for join, count in uses.items() if count == 1 and join not in by_label}
    stage_numbers = {position: number for number, position in enumerate(sorted(split.stages))}
    kept_joins = sorted(set(uses) - single)
    join_numbers = {position: number for number, position in enumerate(kept_joins)}

    def target(to: Target) -> Code:
        match to:
            case Submit(stage=stage):
                return (Submit(stage_numbers[stage]),)
            case Jump(join=join) if join in single:
                return renumber(split.joins[join])
            case Jump(join=join):
                return (Jump(join_numbers[join]),)
        return (to,)

    def renumber(code: Code) -> Code:
        pieces: list[object] = []
        for piece in code:
            match piece:
                case Submit() | Jump():
                    pieces += target(piece)
                case Fork(arms=arms):
                    pieces.append(replace(piece, arms=tuple(renumber(arm) for arm in arms)))
                case _:
                    pieces.append(piece)
        return tuple(pieces)  # type: ignore[arg-type]

    stages = tuple(
        Stage(made.name, tuple(apply.statement for apply in made.lookups), renumber(made.code))
        for _, made in sorted(split.stages.items())
    )
    exits = {label: target(to)[0] for label, to in split.exits.items() if label in left}
    return PipeSchedule(name, stages, tuple(renumber(split.joins[join]) for join in kept_joins), exits)  # type: ignore[arg-type]


def _live(program: Program, pipes: tuple[PipeSchedule, ...]) -> tuple[Live, Live]:
    """What must be kept in the packet's state, and what of it must be zero at the start of the first stage."""
    stored = stored_fields(program)
    locator = Locator(program)
    preserved = frozenset(Location(*field) for fields in preserved_lists(program) for field in fields)
    kept: set[Location] = set(preserved)
    after: Live = frozenset()
    entry: Live = frozenset()
    for pipe in reversed(pipes):
        liveness = Liveness(program, stored, pipe.exits, after)
        work = [("join", i, code) for i, code in enumerate(pipe.joins)]
        work += [("stage", i, stage.code) for i, stage in enumerate(pipe.stages)]
        for kind, number, code in _latest_first(pipe):
            live = liveness.before(code)
            if kind == "join":
                liveness.joins[number] = live
                continue
            keys = (locator.read_by_keys(program.table[s.table].keys) for s in pipe.stages[number].lookups)
            liveness.stages[number] = live.union(*keys)
            if number:
                kept |= liveness.stages[number]
        entry = after = liveness.stages[0]
        if pipe is not pipes[0]:
            kept |= entry
    return frozenset(kept), (frozenset(kept) & entry) | preserved


def _latest_first(pipe: PipeSchedule) -> list[tuple[str, int, Code]]:
    """Stages and joins so ordered that whatever one goes to comes before it."""
    done: set[tuple[str, int]] = set()
    order: list[tuple[str, int, Code]] = []
    todo = [("stage", 0, False)]  # kind, number, whether what it goes to is in order already
    while todo:
        kind, number, ready = todo.pop()
        code = pipe.stages[number].code if kind == "stage" else pipe.joins[number]
        if ready:
            order.append((kind, number, code))
        elif (kind, number) not in done:
            done.add((kind, number))
            todo.append((kind, number, True))
            todo += [("stage", to.stage, False) for to in _targets(code, pipe) if isinstance(to, Submit)]
            todo += [("join", to.join, False) for to in _targets(code, pipe) if isinstance(to, Jump)]
    return order


def _targets(code: Code, pipe: PipeSchedule) -> list[Target]:
    found: list[Target] = []
    for piece in code:
        match piece:
            case Submit() | Jump():
                found.append(piece)
            case Fork(arms=arms):
                for arm in arms:
                    found += _targets(arm, pipe)
            case Plain() | _:
                pass
    leaves = (s for s in statements_of(code) if isinstance(s, Leave))
    return found + [pipe.exits[s.label] for s in leaves if s.label in pipe.exits]
