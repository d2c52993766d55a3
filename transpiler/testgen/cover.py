"""What there is to cover in a program, and what has been: statements, parser states, and the arms of all that branches.

Items are places of the source: copies that the frontend makes of one statement are one item. What stands in the include files
that come with macsad is not counted.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from transpiler.diagnostics import Span
from transpiler.hlir import statements as st
from transpiler.hlir.expressions import AnySet
from transpiler.hlir.program import Parser, ParserState, Program, Select, Table
from transpiler.hlir.traverse import walk
from transpiler.hlir.types import Enum
from transpiler.interpreter.watch import Branching, Watch

STATEMENT, STATE, BRANCH = "statement", "state", "branch"


@dataclass(frozen=True, slots=True)
class Item:
    """`kind`: statement, state or branch; `what` names the arm of a branch, or the state."""

    kind: str
    span: Span
    what: str = ""

    def __str__(self) -> str:
        return f"{self.span}: {self.kind}" + (f" {self.what}" if self.what else "")


class Coverage:
    """The items of a program, by number. `left_out`: the folder whose files do not count. Nodes are known by their identity: a
    coverage is of this very program."""

    def __init__(self, program: Program, left_out: str = "") -> None:
        self.program, self.left_out = program, left_out
        self.items: list[Item] = []
        self.number: dict[Item, int] = {}
        self._states: dict[int, int] = {}
        self._statements: dict[int, int] = {}
        self._arms: dict[int, dict[int, int]] = {}
        self._outcomes: dict[tuple[str, str, bool], int] = {}
        applied = self._pipes()
        self._tables(reversed(applied))

    def _item(self, kind: str, span: Span, what: str = "") -> int:
        """The number of an item, -1 for one that does not count."""
        if self.left_out and span.file.startswith(self.left_out):
            return -1
        item = Item(kind, span, what)
        if item not in self.number:
            self.number[item] = len(self.items)
            self.items.append(item)
        return self.number[item]

    def _pipes(self) -> list[str]:
        applied: dict[str, None] = {}
        for pipe in self.program.pipes:
            if isinstance(pipe, Parser):
                for state in pipe.states:
                    self._state(state)
                    self._body(state.body, applied)
            else:
                self._body(pipe.body, applied)
        return list(applied)

    def _state(self, state: ParserState) -> None:
        self._states[id(state)] = self._item(STATE, state.span, state.name.rsplit(".", 1)[-1])
        select = state.transition
        if not isinstance(select, Select):
            return
        arms = {i: self._item(BRANCH, c.span, f"case -> {c.state}") for i, c in enumerate(select.cases)}
        arms[len(select.cases)] = self._item(BRANCH, select.span, "no case") if not _certain(select) else -1
        self._arms[id(select)] = arms

    def _body(self, body: st.Body, applied: dict[str, None]) -> None:
        for statement in walk(body):
            if not isinstance(statement, st.Block | st.Leave):
                self._statements[id(statement)] = self._item(STATEMENT, statement.span)
            self._branches(statement)
            if isinstance(statement, st.ApplyTable):
                applied.setdefault(statement.table)

    def _branches(self, node: st.Statement) -> None:
        names: list[str] = []
        match node:
            case st.If() if not _conditional_call(node):
                names = ["if true", "if false"]
            case st.Switch(subject=subject, cases=cases):
                members = subject.type.members if isinstance(subject.type, Enum) else ()
                names = [" ".join(members[v] if v < len(members) else f"{v:#x}" for v in c.values) for c in cases]
                names = [f"case {name}" for name in names] + ["case default"]
            case st.While():
                names = ["loop", "end of the loop"]
            case st.Verify():
                names = ["verify holds", "verify fails"]
        if names:
            self._arms[id(node)] = {i: self._item(BRANCH, node.span, name) for i, name in enumerate(names)}

    def _tables(self, applied: Iterable[str]) -> None:
        for name in applied:
            table = self.program.table[name]
            for action, hit in possible(table):
                text = f"{name}: {'hit' if hit else 'miss'}" + (f" with {action}" if hit or not table.keys else "")
                number = self._item(BRANCH, table.span, text)
                self._outcomes[name, action, hit] = number
            for use in table.actions:
                self._body(self.program.action[use.action].body, {})

    def outcome_items(self, table: str) -> dict[tuple[str, bool], int]:
        """The items of a table's outcomes."""
        return {(action, hit): n for (name, action, hit), n in self._outcomes.items() if name == table}

    def arms_of(self, node: object) -> dict[int, int]:
        """The items of a node's arms."""
        return self._arms.get(id(node), {})

    def statement_item(self, statement: st.Statement) -> int:
        return self._statements.get(id(statement), -1)

    def state_item(self, state: ParserState) -> int:
        return self._states.get(id(state), -1)

    class Watching(Watch):
        """Notes what is `seen`."""

        def __init__(self, coverage: Coverage) -> None:
            self.coverage = coverage
            self.seen: set[int] = set()

        def _note(self, number: int | None) -> None:
            if number is not None and number >= 0:
                self.seen.add(number)

        def state(self, state: ParserState) -> None:
            self._note(self.coverage._states.get(id(state)))

        def statement(self, statement: st.Statement) -> None:
            self._note(self.coverage._statements.get(id(statement)))

        def arm(self, node: Branching, which: int) -> None:
            self._note(self.coverage._arms.get(id(node), {}).get(which))

        def outcome(self, table: Table, action: str, hit: bool) -> None:
            outcomes = self.coverage._outcomes
            if hit or not table.keys:
                self._note(outcomes.get((table.name, action, hit)))
            else:
                self._note(outcomes.get((table.name, "", False)))


def _conditional_call(node: st.If) -> bool:
    """Whether this is one call, which is made under a condition of its own."""
    return any(inner.span == node.span for inner in walk(node.then))


def possible(table: Table) -> Iterator[tuple[str, bool]]:
    """The outcomes of a table that count: a hit with each action, a miss; a table without keys always misses."""
    if not table.keys:
        own = table.default_action.action
        yield from (
            (u.action, False) for u in table.actions if u.action == own or not (u.table_only or table.const_default)
        )
        return
    if table.const_entries:
        yield from ((action, True) for action in dict.fromkeys(entry.call.action for entry in table.entries))
    else:
        yield from ((use.action, True) for use in table.actions if not use.default_only)
    yield "", False


def _certain(select: Select) -> bool:
    """Whether its last case takes all that is left."""
    return bool(select.cases) and all(isinstance(key, AnySet) for key in select.cases[-1].keys)
