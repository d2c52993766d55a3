"""Tables and conditions that drop packets come before those that do not depend on them, and what they drop goes no further.

routes.apply();  acl.apply();      →      begin: { acl.apply();  if (acl dropped it) leave begin;  routes.apply(); }

Which of them, and in which order, says a profile: first what drops most for what it costs. Legal where nothing is seen of a
packet that ingress drops (`Description.drops_for_good`), and

- what comes behind in ingress neither counts, keeps nor sends anything, nor gives a dropped packet another port;
- what it is moved in front of does not either; it writes nothing that this reads, and reads and writes nothing that this writes
  in packets that go on; and it leaves no block around both.

Source: J. Xing et al., "Unleashing SmartNIC Packet Processing Performance in P4" (Pipeleon), SIGCOMM 2023, table reordering.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TypeGuard

from transpiler.analysis.locations import Location, Locator, actions_of
from transpiler.analysis.packet_profile import PacketProfile
from transpiler.externs.row import Effect
from transpiler.externs.table import METHODS
from transpiler.hlir.expressions import Const, Read, VariableRef
from transpiler.hlir.program import Control, Pipe, Program, Role, Storage, Table, Variable
from transpiler.hlir.statements import (
    ApplyTable,
    Assign,
    Block,
    Body,
    CallExtern,
    If,
    Leave,
    Statement,
    Switch,
    SwitchCase,
    While,
)
from transpiler.hlir.traverse import rebuild, walk
from transpiler.schedule.architectures import describe

LEAST = 0.05  # of the packets that come to it: fewer are not worth a test
NOWHERE = -1.0


def with_early_drops(program: Program, profile: PacketProfile) -> Program:
    """The program with what drops in front; the same where that cannot be or does not pay."""
    values = describe(program).drops_for_good(program)
    drops = {program.intrinsic[name]: value for name, value in values.items() if name in program.intrinsic}
    if not profile.packets or not values or len(drops) < len(values):
        return program
    mover = _Mover(program, Locator(program), drops, profile)
    pipes = tuple(mover.pipe(pipe) for pipe in program.pipes)
    return replace(program, pipes=pipes, variables=(*program.variables, *mover.made)) if mover.leaves else program


@dataclass
class _Mover:
    """`drops`: the variables, with their values, by which a packet is dropped; `made`: variables for what tables did; `leaves`:
    how many places leave early."""

    program: Program
    locator: Locator
    drops: Mapping[str, int]
    profile: PacketProfile
    label: str = "dropped_early"
    made: list[Variable] = field(default_factory=list)
    leaves: int = 0

    def pipe(self, pipe: Pipe) -> Pipe:
        if not isinstance(pipe, Control) or pipe.role is not Role.INGRESS:
            return pipe
        while any(isinstance(s, Block) and s.label == self.label for s in walk(pipe.body)):
            self.label += "_"
        body = self.body(pipe.body, quiet=True, costly=False)
        return replace(pipe, body=(Block(self.label, body, pipe.span),))

    def body(self, old: Body, quiet: bool, costly: bool) -> Body:
        """`quiet`: what comes behind it does nothing with dropped packets; `costly`: there is a lookup."""
        quiets, costs = [quiet], [costly]
        for statement in reversed(old):
            quiets.append(quiets[-1] and self._is_quiet(statement))
            costs.append(costs[-1] or _looks_up(statement))
        told = list(zip(reversed(quiets[:-1]), reversed(costs[:-1]), strict=True))
        ranks = [self._rank(s) if behind else NOWHERE for s, (behind, _) in zip(old, told, strict=True)]
        order = list(range(len(old)))
        for number in sorted(order, key=lambda n: -ranks[n]):
            if ranks[number] > NOWHERE:
                self._move(number, old, order, ranks)
        made: list[Statement] = []
        for at, number in enumerate(order):
            rest = costly or any(_looks_up(old[other]) for other in order[at + 1 :])
            inner = self._inside(old[number], *told[number])
            made += self._leaving(inner) if ranks[number] > NOWHERE and rest else (inner,)
        return tuple(made)

    def _inside(self, statement: Statement, quiet: bool, costly: bool) -> Statement:
        if not isinstance(statement, If | Switch | Block):
            return statement
        return rebuild(statement, lambda body: self.body(body, quiet, costly))

    # --- what drops -------------------------------------------------------------------------------------------------------

    def _rank(self, statement: Statement) -> float:
        """The share of packets that a statement drops, over what it costs; NOWHERE of one that is not moved."""
        if isinstance(statement, ApplyTable):
            table, seen = self.program.table[statement.table], self.profile.table(statement.table)
            dropping = self._dropping(table)
            share = sum(seen.share(name) for name in dropping)
            return share / max(1.0, seen.clocks or 1.0) if dropping and share >= LEAST else NOWHERE
        if isinstance(statement, If):
            took = self.profile.branch(statement.span)
            arms = (self._drops(statement.then), self._drops(statement.otherwise))
            share = sum(count for count, drops in zip(took, arms, strict=True) if drops) / (sum(took) or 1)
            return share if any(arms) and not all(arms) and share >= LEAST and self._stays(statement) else NOWHERE
        return NOWHERE

    def _dropping(self, table: Table) -> tuple[str, ...]:
        """The actions of a table that drop, where it tells which one ran."""
        if table.implementation is not None:  # it may run actions of others, too
            return ()
        return tuple(action.name for action in actions_of(self.program, table.name) if self._drops(action.body))

    def _drops(self, body: Body) -> bool:
        """Whether a packet is dropped that runs all of it, and it is no more than assignments and calls."""
        last: dict[str, object] = {}
        for statement in body:
            if not isinstance(statement, Assign | CallExtern):
                return False
            for location in self.locator.access(statement).writes:
                last[location.owner] = statement
        return all(_gives(last.get(name), value) for name, value in self.drops.items())

    def _stays(self, statement: If) -> bool:
        return not any(isinstance(s, Leave | While) for s in walk((statement,)))

    # --- what is seen of dropped packets ----------------------------------------------------------------------------------

    def _is_quiet(self, statement: Statement) -> bool:
        """Whether it does nothing with a packet that is dropped."""
        return self._is_unseen(statement) and all(
            _gives(s, self.drops[location.owner])
            for s in self._all_of(statement)
            for location in self.locator.access(s).writes
            if location == Location(location.owner) and location.owner in self.drops
        )

    def _is_unseen(self, statement: Statement) -> bool:
        """Whether nothing but the packet is changed."""
        for s in self._all_of(statement):
            if isinstance(s, While) or (isinstance(s, CallExtern) and METHODS[s.method].effect is not Effect.NONE):
                return False
            if isinstance(s, ApplyTable):
                table = self.program.table[s.table]
                if table.direct or table.ages or table.implementation is not None:
                    return False
        return True

    def _all_of(self, statement: Statement) -> list[Statement]:
        """It, what is in it, and the actions of its tables."""
        found = list(walk((statement,)))
        applied = [s.table for s in found if isinstance(s, ApplyTable)]
        return [
            *found,
            *(s for table in applied for action in actions_of(self.program, table) for s in walk(action.body)),
        ]

    # --- moving -----------------------------------------------------------------------------------------------------------

    def _move(self, number: int, old: Body, order: list[int], ranks: Sequence[float]) -> None:
        """In front of as many lookups as can be, of those that do not drop more."""
        begin = best = at = order.index(number)
        reads, writes = self._touches(old[number])
        while at > 0 and ranks[order[at - 1]] < ranks[number] and self._passes(reads, writes, old[order[at - 1]]):
            at -= 1
            best = at if _looks_up(old[order[at]]) else best
        order.insert(best, order.pop(begin))

    def _passes(self, reads: frozenset[Location], writes: frozenset[Location], other: Statement) -> bool:
        """Whether what reads and writes this may go in front of a statement."""
        if not self._is_unseen(other) or _leaves(other):
            return False
        read = frozenset().union(*(self.locator.access(s).reads for s in self._all_of(other)))
        written = frozenset().union(*(self.locator.access(s).writes for s in self._all_of(other)))
        return not (written & reads or writes & (read | written))

    def _touches(self, statement: Statement) -> tuple[frozenset[Location], frozenset[Location]]:
        """What a statement that drops reads, and what it writes in packets that go on."""
        parts = self._all_of(statement)
        reads = frozenset().union(*(self.locator.access(s).reads for s in parts))
        if isinstance(statement, ApplyTable):
            table = self.program.table[statement.table]
            dropping = self._dropping(table)
            bodies = [a.body for a in actions_of(self.program, table.name) if a.name not in dropping]
        else:
            assert isinstance(statement, If)
            bodies = [arm for arm in (statement.then, statement.otherwise) if not self._drops(arm)]
        going_on = [s for body in bodies for part in body for s in self._all_of(part)]
        writes = frozenset().union(*(self.locator.access(s).writes for s in (statement, *going_on)))
        return reads, writes

    def _leaving(self, statement: Statement) -> Body:
        """It, and packets that it dropped leave."""
        self.leaves += 1
        span = statement.span
        leave = Leave(self.label, span)
        if isinstance(statement, If):
            then, otherwise = (
                (*arm, leave) if self._drops(arm) else arm for arm in (statement.then, statement.otherwise)
            )
            return (replace(statement, then=then, otherwise=otherwise),)
        assert isinstance(statement, ApplyTable)
        table = self.program.table[statement.table]
        ran = statement.action or VariableRef(self._variable(table), span)
        dropping = self._dropping(table)
        numbers = tuple(number for number, use in enumerate(table.actions) if use.action in dropping)
        subject = Read(ran, table.action_enum, span)
        return (replace(statement, action=ran), Switch(subject, (SwitchCase(numbers, (leave,), span),), (), span))

    def _variable(self, table: Table) -> str:
        name = f"{table.name}.did"
        taken = self.program.variable.keys() | {variable.name for variable in self.made}
        while name in taken:
            name += "_"
        self.made.append(Variable(name, table.action_enum, Storage.LOCAL, table.span))
        return name


def _gives(statement: object, value: int) -> TypeGuard[Assign]:
    """Whether it assigns this value."""
    return isinstance(statement, Assign) and isinstance(statement.value, Const) and statement.value.value == value


def _looks_up(statement: Statement) -> bool:
    return any(isinstance(s, ApplyTable) for s in walk((statement,)))


def _leaves(statement: Statement) -> bool:
    """Whether control may go from it to somewhere else than behind it."""
    inside = {s.label for s in walk((statement,)) if isinstance(s, Block)}
    return any(isinstance(s, Leave) and s.label not in inside for s in walk((statement,)))
