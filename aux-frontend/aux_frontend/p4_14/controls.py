"""Control functions as HLIR bodies: calls inlined, tables applied, branches. Specification 1.0.5 section 13."""

from __future__ import annotations

from aux_frontend.p4_14 import ast
from aux_frontend.p4_14.actions import Actions
from aux_frontend.p4_14.primitives import EXITED
from aux_frontend.p4_14.tables import Tables
from aux_frontend.p4_14.values import Env, Invalid, Values
from aux_frontend.p4_14.widths import MAX_CALL_DEPTH
from transpiler.diagnostics import Span
from transpiler.hlir import expressions as ex, program as pr, statements as st
from transpiler.hlir.types import Bool

END = "end"  # the label of the block that is left when an action exits
_ENV = Env("control")


class Controls:
    def __init__(self, values: Values, tables: Tables, actions: Actions) -> None:
        self.values = values
        self.scope = values.scope
        self.builder = values.builder
        self.tables = tables
        self.actions = actions
        self._done: dict[str, tuple[st.Body, int]] = {}  # by control: what it becomes, in how many statements

    def body(self, name: str) -> st.Body:
        """The body of a control function; empty when there is none."""
        declaration = self.scope.controls.get(name)
        if declaration is None:
            return ()
        try:
            return self._control(declaration, declaration.name.span, ())
        except Invalid:
            return ()

    def _control(self, declaration: ast.Control, span: Span, stack: tuple[str, ...]) -> st.Body:
        """Elaborated once: a call again costs its number of statements, since the code is there again."""
        name = declaration.name.text
        if name in stack or len(stack) >= MAX_CALL_DEPTH:
            problem = "calls itself" if name in stack else "is called too deep"
            raise self.values.fail(span, f"control function '{name}' {problem}")
        if name in self._done:
            body, count = self._done[name]
            self.actions.count_statements(count, span)
            return body
        before = self.builder.statements
        body = self._body(declaration.body, (*stack, name))
        self._done[name] = (body, self.builder.statements - before)
        return body

    def _body(self, statements: ast.Statements, stack: tuple[str, ...]) -> st.Body:
        found: list[st.Statement] = []
        for statement in statements:
            try:
                found += self._statement(statement, stack)
            except Invalid:
                continue
        return tuple(found)

    def _statement(self, statement: ast.Statement, stack: tuple[str, ...]) -> st.Body:
        self.actions.count_statements(1, statement.span)
        match statement:
            case ast.Apply():
                return self._apply(statement, stack)
            case ast.ControlCall(control=name, span=span):
                declaration = self.scope.controls.get(name.text)
                if declaration is None:
                    raise self.values.fail(name.span, f"control function '{name.text}' is not declared")
                return self._control(declaration, span, stack)
            case ast.If():
                return (self._if(statement, stack),)

    def _if(self, statement: ast.If, stack: tuple[str, ...]) -> st.If:
        """A chain of else-if is walked in a loop."""
        links: list[tuple[ex.Expression, st.Body, Span]] = []
        otherwise: ast.Statements = (statement,)
        while len(otherwise) == 1 and isinstance(otherwise[0], ast.If):
            link = otherwise[0]
            condition = self._condition(link.condition)
            links.append((condition, self._body(link.then, stack), link.span))
            otherwise = link.otherwise
        tail = self._body(otherwise, stack)
        for condition, then, span in reversed(links[1:]):
            tail = (st.If(condition, then, tail, span),)
        condition, then, span = links[0]
        return st.If(condition, then, tail, span)

    def _condition(self, expression: ast.Expression) -> ex.Expression:
        try:
            return self.values.condition(expression, _ENV)
        except Invalid:
            return ex.Const(0, Bool(), expression.span)  # reported; the branches are looked at all the same

    # --- apply -------------------------------------------------------------------------------------------------------

    def _apply(self, statement: ast.Apply, stack: tuple[str, ...]) -> st.Body:
        name = statement.table.text
        table = self.tables.tables.get(name)
        cases = self._cases(statement, table, stack)
        if table is None:
            raise self.values.fail(statement.table.span, f"table '{name}' is not declared")
        span = statement.span
        hit = action = None
        after: list[st.Statement] = []
        if "hit" in cases or "miss" in cases:
            hit = self.builder.shared(f"{name}.$hit", Bool(), pr.Storage.LOCAL, span)
            condition = ex.Read(hit, Bool(), span)
            after.append(st.If(condition, cases.get("hit", ()), cases.get("miss", ()), span))
        elif cases:
            action = self.builder.shared(f"{name}.$action", table.action_enum, pr.Storage.LOCAL, span)
            after.append(self._switch(table, action, cases, span))
        if any(self.actions.may_exit(use.action) for use in table.actions):
            exited = self.builder.shared(EXITED, Bool(), pr.Storage.LOCAL, span)
            after.insert(0, st.If(ex.Read(exited, Bool(), span), (st.Leave(END, span),), (), span))
        return (*self.tables.before_apply(name, span), st.ApplyTable(name, hit, action, span), *after)

    def _cases(self, statement: ast.Apply, table: pr.Table | None, stack: tuple[str, ...]) -> dict[str, st.Body]:
        """label → body. hit and miss do not go together with actions."""
        cases: dict[str, st.Body] = {}
        outcome: ast.Name | None = None
        named: ast.Name | None = None
        for case in statement.cases:
            body = self._body(case.body, stack)
            for label in case.labels:
                if label.text in cases:
                    self.scope.error(label.span, f"case '{label.text}' is there twice")
                elif label.text in ("hit", "miss"):
                    outcome = label
                elif label.text != "default" and table is not None:
                    if label.text not in {use.action for use in table.actions}:
                        self.scope.error(label.span, f"'{label.text}' is not an action of table '{table.name}'")
                        continue
                    named = label
                else:
                    named = label
                cases[label.text] = body
        if outcome is not None and named is not None:
            self.scope.error(outcome.span, "hit and miss cannot be mixed with actions", (named.span, "an action here"))
        return cases

    @staticmethod
    def _switch(table: pr.Table, action: ex.VariableRef, cases: dict[str, st.Body], span: Span) -> st.Switch:
        members = table.action_enum.members
        found = tuple(
            st.SwitchCase((members.index(label),), body, span) for label, body in cases.items() if label != "default"
        )
        return st.Switch(ex.Read(action, table.action_enum, span), found, cases.get("default", ()), span)
