"""Regions of a program that are atomic for the registers that they touch, at any number of workers.

r.read(v, i);  v = v + q;  r.write(i, v);      →      hold r[i];  r.read(v, i);  v = v + q;  r.write(i, v);

BMv2 runs a whole action with the registers that it uses locked; P4-16 section 18.4.1 has extern calls and @atomic blocks atomic.
A *region* is at least that: in an action, or in a control's own statements, it goes from the first access to a register to its
last, in the innermost body that has them all. Regions that overlap are one region. What holds a cell keeps it until it
holds another one, or the stage is done with its packets.

A register is kept in one way. Where each of its regions is one update of one cell, updates are atomic by themselves
(cell_updates.py). Else regions hold cells: those of several accesses, and each that writes. A single read is atomic anyway,
unless the cell is wider than a word, and so are accesses to what no packet writes.

Registers that regions share are one *group*, which has its locks: a lock for each stripe of indexes where every region of the
group knows its indexes when it begins, one lock for all where one does not.
"""

from __future__ import annotations

import enum
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

from transpiler.analysis.locations import Location, Locator, actions_of
from transpiler.analysis.values import same
from transpiler.diagnostics import Span
from transpiler.hlir.expressions import Expression, ListExpression, Text
from transpiler.hlir.program import Action, Control, Pipe, Program
from transpiler.hlir.statements import ApplyTable, Block, Body, CallExtern, If, Statement, Switch, While
from transpiler.hlir.traverse import bodies, program_statements, rebuild, walk
from transpiler.schedule.cell_updates import as_update
from transpiler.schedule.only_added import only_added
from transpiler.schedule.state import HOLD
from transpiler.schedule.steering import UNSTEERED, Steering, steering

MOST = 8  # cells that a region may hold at once
WORD = 64


@dataclass(frozen=True, slots=True)
class Ways:
    """What may be used to keep regions apart, beside one lock: atomic `updates`, and a lock for each stripe of indexes; or, by
    `steering` frames, a worker for each cell. `tallies`: each worker adds up what its packets add to one cell, so registers that
    packets only add to do without steering."""

    updates: bool = True
    stripes: bool = True
    steering: bool = True
    tallies: bool = True


@dataclass(frozen=True, slots=True)
class Region:
    """`where`: the action or control; `indexes`: of the cells that it holds, each once; none where they are not `known`.
    `several`: a packet may make more than one access in it; `writes`: one may be a write; `update`: the region as one update
    of one cell, if it is that."""

    where: str
    span: Span
    registers: frozenset[str]
    indexes: tuple[Expression, ...]
    known: bool
    several: bool = True
    writes: bool = True
    update: Body | None = None


class Kept(enum.Enum):
    """How the regions of a group are kept apart where there are several workers."""

    UPDATES = "atomic updates"
    STRIPES = "a lock for each stripe of indexes"
    LOCK = "one lock"


@dataclass(frozen=True, slots=True)
class Group:
    """Registers that are kept together. `sharded`: where frames are steered, they need not be (steering.py)."""

    registers: frozenset[str]
    kept: Kept
    sharded: bool = False


@dataclass(frozen=True, slots=True)
class AtomicRegions:
    """The `program` with its regions' holds and updates put in, and what there is of them. `updated`: registers that are kept
    by atomic updates, `added` those of them that packets only add to; `steering`: the worker of each frame, so that others are
    sharded."""

    program: Program
    regions: tuple[Region, ...] = ()
    updated: frozenset[str] = frozenset()
    added: frozenset[str] = frozenset()
    ways: Ways = Ways()
    steering: Steering = UNSTEERED

    @property
    def groups(self) -> tuple[Group, ...]:
        """In the order of the program's registers."""
        merged: list[tuple[frozenset[str], bool]] = []
        for region in self.regions:
            meeting = [group for group in merged if group[0] & region.registers]
            registers = region.registers.union(*(group[0] for group in meeting))
            merged = [group for group in merged if group not in meeting]
            merged.append((registers, region.known and all(group[1] for group in meeting)))
        order = {extern.name: number for number, extern in enumerate(self.program.externs)}
        merged.sort(key=lambda group: min(order[r] for r in group[0]))
        sharded = self.steering.sharded
        return tuple(
            Group(registers, self._kept(registers, known), registers <= sharded) for registers, known in merged
        )

    def _kept(self, registers: frozenset[str], known: bool) -> Kept:
        if registers <= self.updated:
            return Kept.UPDATES
        return Kept.STRIPES if known and self.ways.stripes else Kept.LOCK


def notes(atomic: AtomicRegions) -> tuple[str, ...]:
    """For people: how each group's regions are kept apart, and why."""
    told: list[str] = []
    for group in atomic.groups:
        names = [extern.name for extern in atomic.program.externs if extern.name in group.registers]
        regions = [region for region in atomic.regions if region.registers & group.registers]
        places = ", ".join(dict.fromkeys(f"{region.where} ({region.span})" for region in regions))
        how = f"{group.kept.value}{_why(atomic, group.kept, regions)}{_why_not_sharded(atomic, group)}"
        if group.sharded:
            how = f"sharded over up to {1 << atomic.steering.columns} workers where ports steer frames, else {how}"
        told.append(f"register{'s' if len(names) > 1 else ''} {', '.join(names)}: {how}; touched in {places}")
    return tuple(told)


def _why_not_sharded(atomic: AtomicRegions, group: Group) -> str:
    if not atomic.ways.steering or group.sharded:
        return ""
    added = group.registers <= atomic.added
    reason = "packets only add to it" if added else atomic.steering.why_not(min(group.registers))
    return f"; not sharded, as {reason}" if reason else ""


def _why(atomic: AtomicRegions, kept: Kept, regions: list[Region]) -> str:
    """The region that decides about its group."""
    if kept is Kept.UPDATES:
        return ""
    unknown = next((region for region in regions if not region.known), None)
    if unknown is not None:
        return f", as {unknown.where} ({unknown.span}) learns an index only when it has begun"
    larger = next((region for region in regions if region.several and region.update is None), None)
    if larger is None or not atomic.ways.updates:
        return ""
    if any(_is_wide(atomic.program, name) for name in larger.registers):
        return f", as cells are wider than {WORD} bits"
    return f", as {larger.where} ({larger.span}) is more than one update of one cell"


def with_atomic_regions(program: Program, ways: Ways = Ways()) -> AtomicRegions:
    """Find the regions of a program's controls and actions. Put a hold before each that needs one, and an update in place of
    each that is one."""
    found = _Finder(program, ways)
    found.program_with(lambda region, body: body)
    written = frozenset(name for s in program_statements(program) if _is_write(s) for name, _ in _accesses((s,)))
    needing = [region for region in found.regions if _needs_keeping(program, region, written)]
    locked = frozenset().union(*(region.registers for region in needing if region.update is None))
    kept = [region for region in found.regions if region in needing or (region.writes and region.registers & locked)]
    updated = frozenset().union(*(region.registers for region in kept)) - locked

    def keep(region: Region, body: Body) -> Body:
        if region.registers <= updated and region.update is not None:
            return region.update
        return (_hold(program, region), *body) if region.registers & locked and region in kept else body

    made = _Finder(program, ways).program_with(keep) if kept else program
    added = only_added(made) if ways.tallies else frozenset()
    atomic = AtomicRegions(made, tuple(kept), updated, added, ways)
    groups = tuple(group.registers for group in atomic.groups if not group.registers <= added)
    return replace(atomic, steering=steering(program, groups)) if ways.steering else atomic


def _needs_keeping(program: Program, region: Region, written: frozenset[str]) -> bool:
    """Whether a packet may make several accesses, of which one is to what packets write, or one of a cell wider than a word."""
    return any(_is_wide(program, name) for name in region.registers) or (
        region.several and bool(region.registers & written)
    )


def _is_wide(program: Program, register: str) -> bool:
    return int(program.extern[register].attribute("width")) > WORD


def _is_write(statement: Statement) -> bool:
    return isinstance(statement, CallExtern) and statement.method == "register.write"


def _hold(program: Program, region: Region) -> CallExtern:
    first = min(region.registers, key=list(program.extern).index)
    names = tuple(Text(name, region.span) for name in sorted(region.registers))
    inputs = (ListExpression(region.indexes, region.span), ListExpression(names, region.span))
    return CallExtern(HOLD, first, inputs, (), region.span)


def register_access(statement: Statement) -> tuple[str, Expression] | None:
    """The register that a statement by itself reads or writes, and the cell's index."""
    match statement:
        case CallExtern(method="register.read" | "register.write", instance=str(instance)):
            return instance, statement.inputs[0]
    return None


Keep = Callable[[Region, Body], Body]  # a region's body with what keeps it apart


class _Finder:
    """Finds regions, and puts something in their place."""

    def __init__(self, program: Program, ways: Ways) -> None:
        self.program = program
        self.ways = ways
        self.locator = Locator(program)
        self.regions: list[Region] = []
        self.where = ""

    def program_with(self, keep: Keep) -> Program:
        self.keep = keep
        pipes = tuple(map(self._pipe, self.program.pipes))
        return replace(self.program, pipes=pipes, actions=tuple(map(self._action, self.program.actions)))

    def _pipe(self, pipe: Pipe) -> Pipe:
        self.where = f"control {pipe.name}"
        return replace(pipe, body=self._body(pipe.body)) if isinstance(pipe, Control) else pipe

    def _action(self, action: Action) -> Action:
        self.where = f"action {action.name}"
        return replace(action, body=self._body(action.body))

    def _body(self, body: Body) -> Body:
        """The body with its regions, and those in it, kept apart."""
        touching: dict[str, list[int]] = {}
        for number, statement in enumerate(body):
            for name in dict.fromkeys(name for name, _ in _accesses((statement,))):
                touching.setdefault(name, []).append(number)
        here = {name for name, numbers in touching.items() if len(numbers) > 1 or _is_here(body[numbers[0]])}
        if not here:
            return tuple(rebuild(statement, self._body) for statement in body)
        first = min(touching[name][0] for name in here)
        last = max(touching[name][-1] for name in here)
        before, inside, behind = body[:first], body[first : last + 1], body[last + 1 :]
        region = self._region(inside)
        self.regions.append(region)
        inner = self._body
        return (
            *(rebuild(statement, inner) for statement in before),
            *self.keep(region, inside),
            *(rebuild(statement, inner) for statement in behind),
        )

    def _region(self, body: Body) -> Region:
        accessing = [s for s in walk(body) if register_access(s) is not None]
        in_actions = self._in_actions(body)
        names = {name for name, _ in (*_accesses(body), *_accesses(in_actions))}
        indexes = self._indexes(body) if not any(True for _ in _accesses(in_actions)) else None
        return Region(
            self.where,
            accessing[0].span,
            frozenset(names),
            indexes or (),
            indexes is not None,
            several=_most_on_a_way(body) > 1,
            writes=any(map(_is_write, (*accessing, *walk(in_actions)))),
            update=as_update(self.program, body) if self.ways.updates and len(names) == 1 else None,
        )

    def _in_actions(self, body: Body) -> Body:
        """What actions of the tables that are applied in a body do: they hold what the body holds."""
        tables = dict.fromkeys(s.table for s in walk(body) if isinstance(s, ApplyTable))
        return tuple(s for table in tables for action in actions_of(self.program, table) for s in action.body)

    def _indexes(self, region: Body) -> tuple[Expression, ...] | None:
        """The indexes of a region's cells, each once, where all are known before it begins and there are not too many."""
        written: set[Location] = set()
        found: list[Expression] = []
        for statement in region:
            if bodies(statement):
                written |= self.locator.written_in((statement,))
            for _, index in _accesses((statement,)):
                if self.locator.read_by(index) & written:
                    return None
                if not any(same(index, other) for other in found):
                    found.append(index)
            written |= self.locator.written_in((statement,))
        return tuple(found) if len(found) <= MOST else None


def _is_here(statement: Statement) -> bool:
    """Whether a statement that alone accesses a register does so in this body; of a branch each arm has a region of its own."""
    return not isinstance(statement, If | Switch | Block)


def _accesses(body: Body) -> Iterator[tuple[str, Expression]]:
    for statement in walk(body):
        if (access := register_access(statement)) is not None:
            yield access


def _most_on_a_way(body: Body) -> int:
    """The accesses that a packet makes at most: of a branch those of one arm, of a loop any number."""
    total = 0
    for statement in body:
        inside = [_most_on_a_way(inner) for inner in bodies(statement)]
        total += int(register_access(statement) is not None) + max(inside, default=0) * (
            2 if isinstance(statement, While) else 1
        )
    return total
