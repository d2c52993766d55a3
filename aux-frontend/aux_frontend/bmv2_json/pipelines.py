"""Ingress and egress: a graph of tables, conditions and calls of actions, as structured statements."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import count

from aux_frontend.bmv2_json.actions import Actions
from aux_frontend.bmv2_json.expressions import Expressions
from aux_frontend.bmv2_json.externs import Externs
from aux_frontend.bmv2_json.primitives import EXITED
from aux_frontend.bmv2_json.storage import BOOL, Storage
from aux_frontend.bmv2_json.structure import Cycle, Go, Structured
from aux_frontend.bmv2_json.tables import Tables
from aux_frontend.bmv2_json.text import Invalid, Node
from transpiler.hlir import expressions as ex, program as pr, statements as st
from transpiler.hlir.traverse import walk

HIT, MISS = "__HIT__", "__MISS__"
Next = str | None  # the name of a table, condition or call; None where the pipeline ends
END = "end"  # the block that is left when an action exits


@dataclass
class Pipelines:
    storage: Storage
    externs: Externs
    actions: Actions
    tables: Tables

    def __post_init__(self) -> None:
        self.labels = count(1)
        self.used: set[int] = set()  # actions that something runs

    def declare(self, node: Node) -> None:
        """The profiles and tables of a pipeline, before anything applies them."""
        for profile in node.listed("action_profiles"):
            try:
                self.tables.profile(profile)
            except Invalid:
                continue
        for table in node.listed("tables"):
            try:
                if not _is_statement(self, table):
                    self.tables.table(table)
                    self.used |= set(self.tables.names[table.get("name").text()])
            except Invalid:
                continue

    def body(self, node: Node) -> st.Body:
        """What a pipeline does. Raises: Invalid."""
        body = _Flow(self, node).body()
        if any(isinstance(s, st.Leave) and s.label == END for s in walk(body)):
            return (st.Block(END, body, node.span),)
        return body


def _is_statement(pipelines: Pipelines, node: Node) -> bool:
    """Whether a table does one thing always, and nobody can change it: p4c makes such tables of statements in a control."""
    if node.listed("key") or node.get("type").text() != "simple" or node.maybe("default_entry") is None:
        return False
    default = node.get("default_entry")
    number = default.get("action_id")
    pipelines.actions.node(number)
    counts = node.told("with_counters", False) or node.maybe("direct_meters") is not None
    constant = default.told("action_entry_const", False)
    return constant and not counts and not pipelines.actions.takes_data(number.integer())


class _Flow:
    """One pipeline. Nodes of its graph are named; tables, conditions and calls share one name space. None is the end."""

    def __init__(self, pipelines: Pipelines, node: Node) -> None:
        self.pipelines = pipelines
        self.storage = pipelines.storage
        self.actions = pipelines.actions
        self.tables = pipelines.tables
        self.node = node
        self.nodes: dict[str, tuple[str, Node]] = {}
        self.ways: dict[str, dict[str | int, Next]] = {}
        for kind in ("tables", "conditionals", "action_calls"):
            for one in node.listed(kind):
                name = one.get("name").text()
                if name in self.nodes:
                    raise one.fail(f"'{name}' is there twice")
                self.nodes[name] = (kind, one)
        self._names: dict[Next, str] = {}

    def body(self) -> st.Body:
        start = self._target(self.node.maybe("init_table"))
        if start is None:
            return ()
        try:
            return Structured[Next](start, self._after, self._code, self._label, self.node.span).body()
        except Cycle:
            raise self.node.fail("tables and conditions lead back to where they come from") from None

    def _label(self, name: Next) -> str:
        if name not in self._names:
            self._names[name] = f"join_{next(self.pipelines.labels)}"
        return self._names[name]

    def _target(self, node: Node | None) -> Next:
        if node is None:
            return None
        if node.text() not in self.nodes:
            raise node.fail(f"there is no table or condition '{node.text()}'")
        return node.text()

    # --- where it goes -----------------------------------------------------------------------------------------------

    def _after(self, name: Next) -> Iterable[Next]:
        if name is None:
            return ()
        self.ways[name] = self._ways(name)
        return self.ways[name].values()

    def _ways(self, name: str) -> dict[str | int, Next]:
        """What decides → the node after it. "" is for all that has no way of its own."""
        kind, node = self.nodes[name]
        if kind == "conditionals":
            return {"true": self._target(node.maybe("true_next")), "false": self._target(node.maybe("false_next"))}
        if kind == "action_calls":
            return {"": self._target(node.maybe("next_node"))}
        following = node.get("next_tables")
        targets = {label: self._target(following.maybe(label)) for label in following.members()}
        base = self._target(node.maybe("base_default_next"))
        if HIT in targets or MISS in targets:
            return {HIT: targets.get(HIT), MISS: targets.get(MISS)}
        ways: dict[str | int, Next] = {}
        for number in self.tables.action_ids(node):
            label = self.actions.name(number)
            if label not in targets:
                raise following.fail(f"the table's action '{label}' is missing")
            ways[number] = targets[label]
        default = node.maybe("default_entry")
        if default is not None and default.get("action_id").integer() not in ways:
            ways[""] = targets.get(self.actions.node(default.get("action_id")).get("name").text(), base)
        elif default is None:
            ways[""] = base
        return ways

    # --- what it does ------------------------------------------------------------------------------------------------

    def _code(self, name: Next, go: Go[Next]) -> st.Body:
        if name is None:
            return ()
        kind, node = self.nodes[name]
        ways = self.ways[name]
        if kind == "conditionals":
            return self._condition(node, go(ways["true"]), go(ways["false"]))
        if kind == "action_calls":
            return (*self._inlined(node, node.get("action_id")), *go(ways[""]))
        table = self.tables.tables.get(name)
        if table is None:
            if not _is_statement(self.pipelines, node):
                raise Invalid  # reported when it was declared
            number = node.get("default_entry").get("action_id")
            way = MISS if HIT in ways else number.integer() if number.integer() in ways else ""
            return (*self._inlined(node, number), *go(ways[way]))
        return self._apply(node, table, ways, {target: go(target) for target in dict.fromkeys(ways.values())})

    def _condition(self, node: Node, then: st.Body, otherwise: st.Body) -> st.Body:
        values = Expressions(self.storage, self.pipelines.externs.register)
        try:
            condition = values.truth(node.get("expression"))
        except Invalid:
            condition = ex.Const(0, BOOL, node.span)  # reported; what is behind it is looked at all the same
        return (*values.before, st.If(condition, then, otherwise, node.span))

    def _inlined(self, node: Node, number: Node) -> st.Body:
        self.actions.node(number)
        if self.actions.takes_data(number.integer()):
            raise number.fail("an action that takes data cannot be called without")
        self.pipelines.used.add(number.integer())
        body = self.actions.inlined(number.integer())
        return (*body, *self._leaving(self.actions.exits(body), node))

    def _leaving(self, exits: bool, node: Node) -> st.Body:
        if not exits:
            return ()
        exited = self.storage.shared(EXITED, BOOL, pr.Storage.LOCAL, node.span)
        return (st.If(ex.Read(exited, BOOL, node.span), (st.Leave(END, node.span),), (), node.span),)

    def _apply(self, node: Node, table: pr.Table, ways: dict[str | int, Next], bodies: dict[Next, st.Body]) -> st.Body:
        span = node.span
        exits = any(self.actions.exits(self.actions.made[use.action].body) for use in table.actions)
        leaving = self._leaving(exits, node)
        targets = list(dict.fromkeys(ways.values()))
        if len(targets) == 1:
            return (st.ApplyTable(table.name, None, None, span), *leaving, *bodies[targets[0]])
        if HIT in ways:
            hit = self.storage.shared(f"{table.name}.$hit", BOOL, pr.Storage.LOCAL, span)
            branch = st.If(ex.Read(hit, BOOL, span), bodies[ways[HIT]], bodies[ways[MISS]], span)
            return (st.ApplyTable(table.name, hit, None, span), *leaving, branch)
        type_ = table.action_enum
        action = self.storage.shared(f"{table.name}.$action", type_, pr.Storage.LOCAL, span)
        return (
            st.ApplyTable(table.name, None, action, span), *leaving, self._switch(table, action, ways, bodies),
        )  # fmt: skip

    def _switch(
        self,
        table: pr.Table,
        action: ex.VariableRef,
        ways: dict[str | int, Next],
        bodies: dict[Next, st.Body],
    ) -> st.Switch:
        """The most frequent way is the default of the switch."""
        names, members, span = self.tables.names[table.name], table.action_enum.members, table.span
        place = {way: members.index(names[way]) for way in ways if isinstance(way, int)}
        if "" in ways:
            place[-1] = members.index(table.default_action.action)
        values: dict[Next, list[int]] = {}
        for way, target in ways.items():
            values.setdefault(target, []).append(place[way if isinstance(way, int) else -1])
        default = max(values, key=lambda target: len(values[target]))
        cases = tuple(
            st.SwitchCase(tuple(sorted(set(numbers))), bodies[target], span)
            for target, numbers in values.items()
            if target != default
        )
        return st.Switch(ex.Read(action, table.action_enum, span), cases, bodies[default], span)
