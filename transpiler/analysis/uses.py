"""What one node of a control's flow reads and writes: its key or condition, its statements, the actions of its table."""

from __future__ import annotations

from dataclasses import dataclass

from transpiler.analysis.flow import FlowKind, FlowNode
from transpiler.analysis.locations import Location, Locator, actions_of
from transpiler.externs.row import Effect
from transpiler.externs.table import METHODS
from transpiler.hlir.program import Program
from transpiler.hlir.statements import ApplyTable, Body, CallExtern
from transpiler.hlir.traverse import walk

STATE_OF_EXTERN = "$state"


@dataclass(frozen=True, slots=True)
class Use:
    """What a node reads before it acts (keys, a condition), what its actions read, what they write, surely or perhaps."""

    matches: frozenset[Location]
    reads: frozenset[Location]
    writes: frozenset[Location]
    killed: frozenset[Location]  # surely written: nothing earlier shows through
    outcome: frozenset[Location]  # where an applied table leaves its hit and its action


def use_of(program: Program, locator: Locator, node: FlowNode) -> Use:
    """What a node of a control's flow reads and writes, the actions of its table included, nested bodies not."""
    matches: set[Location] = set()
    reads: set[Location] = set()
    writes: set[Location] = set()
    killed: set[Location] = set()
    outcome: set[Location] = set()
    for statement in node.statements:
        access = locator.access(statement)
        (reads if node.kind is FlowKind.STRAIGHT else matches).update(access.reads - killed)
        writes |= access.writes
        killed |= access.killed
        if isinstance(statement, CallExtern):
            _state(statement, reads, writes)
        if isinstance(statement, ApplyTable):
            outcome |= access.writes
            for action in actions_of(program, statement.table):
                _action(locator, action.body, set(action.parameters), reads, writes)
    return Use(frozenset(matches), frozenset(reads), frozenset(writes), frozenset(killed), frozenset(outcome))


def _action(locator: Locator, body: Body, own: set[str], reads: set[Location], writes: set[Location]) -> None:
    """Add what an action's body touches, its own parameters aside."""
    for statement in walk(body):
        access = locator.access(statement)
        reads |= {location for location in access.reads if location.owner not in own}
        writes |= {location for location in access.writes if location.owner not in own}
        if isinstance(statement, CallExtern):
            _state(statement, reads, writes)


def _state(call: CallExtern, reads: set[Location], writes: set[Location]) -> None:
    """A register or meter is a location too: who reads it and who writes it keep their order."""
    if METHODS[call.method].effect is Effect.STATE and call.instance is not None:
        state = Location(call.instance, STATE_OF_EXTERN)
        reads.add(state)
        if not call.method.endswith(".read"):
            writes.add(state)
