"""What may lead to what is not covered: arms that contain it, and actions that write what its conditions read."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Hashable, Iterable, Iterator

from transpiler.hlir import expressions as ex, statements as st
from transpiler.hlir.program import Parser, ParserState, Program, Select
from transpiler.hlir.traverse import expressions, keyset_expressions, walk, walk_expression
from transpiler.testgen.choices import Outcome
from transpiler.testgen.cover import Coverage

Place = str  # a variable, a header's field, or a header for its validity


class Interest:
    """Which places and outcomes are worth another try."""

    def __init__(self, program: Program, coverage: Coverage) -> None:
        self.program, self.coverage = program, coverage
        self._reads: dict[int, frozenset[Place]] = {}  # item of an arm → what decides it
        self._contents: dict[Hashable, frozenset[int]] = {}  # place of a decision → items that its arms contain
        self._writes: dict[str, frozenset[Place]] = {}  # action → what it writes
        self._action_items: dict[str, frozenset[int]] = {}
        for action in program.actions:
            self._writes[action.name] = frozenset(_writes(action.body))
            self._action_items[action.name] = self._items(action.body)
            self._body(action.body)
        for pipe in program.pipes:
            if isinstance(pipe, Parser):
                for state in pipe.states:
                    self._state(state)
            else:
                self._body(pipe.body)
        self._missing: set[int] = set(range(len(coverage.items)))
        self._wanted: frozenset[Place] = frozenset()
        self._flow = self._flows()
        self.update(set())

    def update(self, covered: set[int]) -> None:
        """Something was covered."""
        self._missing = set(range(len(self.coverage.items))) - covered
        wanted = set[Place]().union(*(reads for item, reads in self._reads.items() if item in self._missing))
        # what these are computed of, one step
        for place in list(wanted):
            wanted |= self._flow.get(place, frozenset())
        self._wanted = frozenset(wanted)

    def of_outcome(self, table: str, outcome: Outcome) -> int:
        """How much is to be hoped of it."""
        if table not in self.program.table:
            return 0
        action = outcome.action or self.program.table[table].default_action.action
        return 4 * len(self._writes.get(action, frozenset()) & self._wanted) + len(
            self._action_items.get(action, frozenset()) & self._missing
        )

    def of_place(self, site: Hashable) -> int:
        place = site[0] if isinstance(site, tuple) else site
        return len(self._contents.get(place, frozenset()) & self._missing)

    # --- what the program says ---------------------------------------------------------------------------------------

    def _items(self, body: st.Body) -> frozenset[int]:
        found = {self.coverage.statement_item(s) for s in walk(body)}
        for statement in walk(body):
            found |= set(self.coverage.arms_of(statement).values())
            if isinstance(statement, st.ApplyTable):
                found |= set(self.coverage.outcome_items(statement.table).values())
        return frozenset(found - {-1})

    def _body(self, body: st.Body) -> None:
        for statement in walk(body):
            arms = self.coverage.arms_of(statement)
            if not arms:
                continue
            reads = frozenset(place for e in expressions(statement) for place in _reads(e))
            self._contents[id(statement)] = self._items((statement,))
            for item in self._contents[id(statement)]:
                self._reads[item] = self._reads.get(item, frozenset()) | reads

    def _state(self, state: ParserState) -> None:
        self._body(state.body)
        select = state.transition
        if isinstance(select, Select):
            arms = frozenset(self.coverage.arms_of(select).values())
            self._contents["select", state.name, id(state)] = arms
            bounds = (e for case in select.cases for key in case.keys for e in keyset_expressions(key))
            reads = frozenset(p for e in (*select.subjects, *bounds) for p in _reads(e))
            self._reads.update(dict.fromkeys(arms, reads))

    def _flows(self) -> dict[Place, frozenset[Place]]:
        """Of each place, what is assigned to it."""
        found: dict[Place, set[Place]] = defaultdict(set)
        bodies = [a.body for a in self.program.actions]
        for pipe in self.program.pipes:
            bodies += [s.body for s in pipe.states] if isinstance(pipe, Parser) else [pipe.body]
        for body in bodies:
            for statement in walk(body):
                if isinstance(statement, st.Assign):
                    found[_place(statement.target)] |= set(_reads(statement.value))
        return {place: frozenset(sources) for place, sources in found.items()}


def _reads(expression: ex.Expression) -> Iterator[Place]:
    for inner in walk_expression(expression):
        if isinstance(inner, ex.Read):
            yield _place(inner.place)
        elif isinstance(inner, ex.IsValid):
            yield _header(inner.header)


def _header(header: ex.HeaderPlace) -> Place:
    return header.name if isinstance(header, ex.HeaderRef) else header.stack


def _place(place: ex.Place) -> Place:
    return place.name if isinstance(place, ex.VariableRef) else f"{_header(place.header)}.{place.field}"


def _writes(body: st.Body) -> Iterator[Place]:
    for statement in walk(body):
        match statement:
            case st.Assign(target=target):
                yield _place(target)
            case st.SetValid(header=header) | st.CopyHeader(target=header):
                yield _header(header)
            case st.CallExtern(outputs=outputs):
                yield from _places(outputs)


def _places(places: Iterable[ex.Place]) -> Iterator[Place]:
    return (_place(place) for place in places)
