"""Regions of a program that are atomic for the registers that they touch, at any number of workers.

r.read(v, i);  v = v + 1;  r.write(i, v);      →      hold r[i];  r.read(v, i);  v = v + 1;  r.write(i, v);

BMv2 runs a whole action with the registers that it uses locked; P4-16 section 18.4.1 has extern calls and @atomic blocks atomic.
A *region* is at least that: in an action, or in a control's own statements, it goes from the first access to a register to its
last, in the innermost body that has them all. Registers whose regions meet are one region. What holds a cell keeps it until it
holds another one, or the stage is done with its packets.

Registers that regions share are one *group*, which has its locks: a lock for each stripe of indexes where every region of the
group knows its indexes when it begins, one lock for all where one does not. A region of one access needs no lock: the access is
atomic, unless the cell is wider than a word.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace

from transpiler.analysis.locations import Location, Locator
from transpiler.analysis.values import same
from transpiler.diagnostics import Span
from transpiler.hlir.expressions import Expression, ListExpression, Text
from transpiler.hlir.program import Action, Control, Pipe, Program
from transpiler.hlir.statements import Block, Body, CallExtern, If, Statement, Switch, While
from transpiler.hlir.traverse import bodies, rebuild, walk
from transpiler.schedule.state import HOLD

MOST = 8  # cells that a region may hold at once
WORD = 64


@dataclass(frozen=True, slots=True)
class Region:
    """`where`: the action or control; `indexes`: of the cells that it holds, each once; none where they are not `known`."""

    where: str
    span: Span
    registers: frozenset[str]
    indexes: tuple[Expression, ...]
    known: bool


@dataclass(frozen=True, slots=True)
class Group:
    """Registers that are locked together; `striped`: by index."""

    registers: frozenset[str]
    striped: bool


@dataclass
class AtomicRegions:
    """The `program` with its regions' holds put in, and what there is of them."""

    program: Program
    regions: list[Region] = field(default_factory=list)

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
        return tuple(Group(*group) for group in sorted(merged, key=lambda group: min(order[r] for r in group[0])))


def notes(atomic: AtomicRegions) -> tuple[str, ...]:
    """For people: how each group's regions are kept apart, and why."""
    told: list[str] = []
    for group in atomic.groups:
        names = [extern.name for extern in atomic.program.externs if extern.name in group.registers]
        of_group = [region for region in atomic.regions if region.registers & group.registers]
        places = ", ".join(dict.fromkeys(f"{region.where} ({region.span})" for region in of_group))
        how = "a lock for each stripe of indexes"
        if not group.striped:
            unknown = next(region for region in of_group if not region.known)
            how = f"one lock, as {unknown.where} ({unknown.span}) learns an index only when it has begun"
        told.append(f"registers {', '.join(names)}: {how}; touched together in {places}")
    return tuple(told)


def with_atomic_regions(program: Program) -> AtomicRegions:
    """Find the regions of a program's controls and actions and put a hold before each."""
    made = AtomicRegions(program)
    finder = _Finder(program, made.regions)
    pipes = tuple(map(finder.pipe, program.pipes))
    actions = tuple(map(finder.action, program.actions))
    made.program = replace(program, pipes=pipes, actions=actions) if made.regions else program
    return made


def register_access(statement: Statement) -> tuple[str, Expression] | None:
    """The register that a statement by itself reads or writes, and the cell's index."""
    match statement:
        case CallExtern(method="register.read" | "register.write", instance=str(instance)):
            return instance, statement.inputs[0]
    return None


class _Finder:
    def __init__(self, program: Program, regions: list[Region]) -> None:
        self.program = program
        self.locator = Locator(program)
        self.regions = regions
        self.where = ""

    def pipe(self, pipe: Pipe) -> Pipe:
        self.where = f"control {pipe.name}"
        return replace(pipe, body=self._body(pipe.body)) if isinstance(pipe, Control) else pipe

    def action(self, action: Action) -> Action:
        self.where = f"action {action.name}"
        return replace(action, body=self._body(action.body))

    def _body(self, body: Body) -> Body:
        """The body with holds before the regions in it."""
        touching: dict[str, list[int]] = {}
        for number, statement in enumerate(body):
            for name in dict.fromkeys(name for name, _ in _accesses((statement,))):
                touching.setdefault(name, []).append(number)
        here = {name for name, numbers in touching.items() if len(numbers) > 1 or _is_here(body[numbers[0]])}
        if not here:
            return tuple(rebuild(statement, self._body) for statement in body)
        first = min(touching[name][0] for name in here)
        last = max(touching[name][-1] for name in here)
        before, region, behind = body[:first], body[first : last + 1], body[last + 1 :]
        registers = frozenset(name for name, _ in _accesses(region))
        hold = self._hold(region, registers) if self._needs_locks(region, registers) else ()
        inner = self._body
        return (
            *(rebuild(statement, inner) for statement in before),
            *hold,
            *region,
            *(rebuild(statement, inner) for statement in behind),
        )

    def _needs_locks(self, region: Body, registers: frozenset[str]) -> bool:
        """Whether a packet may make several accesses of which one is a write, or one of a cell wider than a word."""
        wide = any(int(self.program.extern[name].attribute("width")) > WORD for name in registers)
        calls = [s.method for s in walk(region) if register_access(s) is not None and isinstance(s, CallExtern)]
        return wide or ("register.write" in calls and _most_on_a_way(region) > 1)

    def _hold(self, region: Body, registers: frozenset[str]) -> Body:
        indexes = self._indexes(region)
        first = min(registers, key=list(self.program.extern).index)
        span = next(s.span for s in walk(region) if register_access(s) is not None)
        self.regions.append(Region(self.where, span, registers, indexes or (), indexes is not None))
        names = tuple(Text(name, span) for name in sorted(registers))
        inputs = (ListExpression(indexes or (), span), ListExpression(names, span))
        return (CallExtern(HOLD, first, inputs, (), span),)

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
