"""Control flow: in actions as jumps, in pipelines as a graph of tables and conditions, as p4c makes it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from aux_frontend.bmv2_json.write.calls import Calls, about_lengths, primitive
from aux_frontend.bmv2_json.write.values import Inexpressible, Json, expression, hexstr
from transpiler.hlir import expressions as ex, statements as st
from transpiler.hlir.types import Bool

_SIMPLE = (st.Assign, st.SetValid, st.CopyHeader, st.CallExtern)


def cases_of(statement: st.Switch) -> list[tuple[ex.Expression, st.Body]]:
    """The cases of a switch as conditions."""
    found: list[tuple[ex.Expression, st.Body]] = []
    for case in statement.cases:
        condition: ex.Expression | None = None
        for value in case.values:
            constant = ex.Const(value, statement.subject.type, case.span)
            equal = ex.Binary(ex.BinaryOp.EQ, statement.subject, constant, Bool(), case.span)
            condition = equal if condition is None else ex.Binary(ex.BinaryOp.LOR, condition, equal, Bool(), case.span)
        if condition is not None:
            found.append((condition, case.body))
    return found


def as_ifs(statement: st.Switch) -> st.Body:
    body = statement.default
    for condition, then in reversed(cases_of(statement)):
        body = (st.If(condition, then, body, statement.span),)
    return body


# --- actions ---------------------------------------------------------------------------------------------------------


def primitives_of(calls: Calls, body: st.Body) -> list[Json]:
    """The primitives of an action. Raises: Inexpressible."""
    out: list[Json] = []
    _write(calls, body, out, {})
    return out


def _write(calls: Calls, body: st.Body, out: list[Json], labels: dict[str, list[Json]]) -> None:
    for statement in body:
        if about_lengths(statement):
            continue
        match statement:
            case st.If(condition=condition, then=then, otherwise=otherwise):
                offset = hexstr(0)
                out.append(primitive("_jump_if_zero", expression(calls.values.truth(condition)), offset))
                _write(calls, then, out, labels)
                if otherwise:
                    end = hexstr(0)
                    out.append(primitive("_jump", end))
                    offset.update(hexstr(len(out)))
                    _write(calls, otherwise, out, labels)
                    end.update(hexstr(len(out)))
                else:
                    offset.update(hexstr(len(out)))
            case st.Switch():
                _write(calls, as_ifs(statement), out, labels)
            case st.Block(label=label, body=inner):
                labels[label] = []
                _write(calls, inner, out, labels)
                for jump in labels[label]:
                    jump.update(hexstr(len(out)))
            case st.Leave(label=label):
                jump = hexstr(0)
                labels[label].append(jump)
                out.append(primitive("_jump", jump))
            case _:
                out += calls.write(statement)


# --- pipelines -------------------------------------------------------------------------------------------------------

Next = str | None


@dataclass
class Pipeline:
    """Written from the end: each statement is given what comes after it. `table`: the JSON of a table, by its name and what
    comes after each outcome; `action`: declares an action of primitives, its number and name."""

    name: str
    calls: Calls
    action: Callable[[list[Json]], tuple[int, str]]
    table: Callable[[str, Json], Json]
    keys: Callable[[str], list[Json]]
    outcomes: Callable[[str], list[str]]
    tables: list[Json] = field(default_factory=list)
    conditionals: list[Json] = field(default_factory=list)

    def write(self, body: st.Body, after: Next, labels: dict[str, Next]) -> Next:
        """The name of the node that a body begins with. Raises: Inexpressible."""
        together: list[st.Statement] = []
        for statement in reversed(body):
            if about_lengths(statement):
                continue
            if isinstance(statement, _SIMPLE):
                together.insert(0, statement)
                continue
            after = self._simple(together, after)
            together = []
            after = self._structured(statement, after, labels)
        return self._simple(together, after)

    def _structured(self, statement: st.Statement, after: Next, labels: dict[str, Next]) -> Next:
        match statement:
            case st.If(condition=condition, then=then, otherwise=otherwise):
                ways = (self.write(then, after, labels), self.write(otherwise, after, labels))
                return self._condition(condition, *ways)
            case st.Switch():
                return self.write(as_ifs(statement), after, labels)
            case st.Block(label=label, body=inner):
                return self.write(inner, after, {**labels, label: after})
            case st.Leave(label=label):
                return labels[label]
            case st.ApplyTable():
                return self._apply(statement, after)
        raise Inexpressible(statement.span, f"{type(statement).__name__} cannot be said in BMv2's JSON at this place")

    def _condition(self, condition: ex.Expression, then: Next, otherwise: Next) -> str:
        name = f"node_{self.name}_{len(self.conditionals)}"
        self.conditionals.append({
            "name": name, "id": len(self.conditionals), "expression": self.calls.values.truth(condition),
            "true_next": then, "false_next": otherwise,
        })  # fmt: skip
        return name

    def _simple(self, statements: list[st.Statement], after: Next) -> Next:
        """A table that always runs what they are."""
        made = [p for statement in statements for p in self.calls.write(statement)]
        return self._always(made, after)

    def _always(self, primitives: list[Json], after: Next) -> Next:
        if not primitives:
            return after
        number, action = self.action(primitives)
        name = f"tbl_{action}"
        self.tables.append({
            "name": name, "id": len(self.tables), "key": [], "match_type": "exact", "type": "simple", "max_size": 1024,
            "with_counters": False, "support_timeout": False, "direct_meters": None, "action_ids": [number],
            "actions": [action], "base_default_next": after, "next_tables": {action: after},
            "default_entry": {"action_id": number, "action_const": True, "action_data": [], "action_entry_const": True},
        })  # fmt: skip
        return name

    def _apply(self, statement: st.ApplyTable, after: Next) -> Next:
        if any(table["name"] == statement.table for table in self.tables):
            raise Inexpressible(statement.span, f"{statement.table} is applied twice, which BMv2's JSON cannot say")
        following: Json
        if statement.hit is not None and statement.action is not None:
            raise Inexpressible(statement.span, "a table is asked both whether it hit and for its action")
        if statement.hit is not None:
            ways = [self._outcome(statement.hit, value, after) for value in (1, 0)]
            following = {"__HIT__": ways[0], "__MISS__": ways[1]}
        elif statement.action is not None:
            names = self.outcomes(statement.table)
            following = {name: self._outcome(statement.action, i, after) for i, name in enumerate(names)}
        else:
            following = dict.fromkeys(self.outcomes(statement.table), after)
        before = self.keys(statement.table)
        self.tables.append({**self.table(statement.table, following), "id": len(self.tables)})
        return self._always(before, statement.table)

    def _outcome(self, target: ex.VariableRef, value: int, after: Next) -> Next:
        return self._always([primitive("assign", self.calls.values.place(target), hexstr(value))], after)
