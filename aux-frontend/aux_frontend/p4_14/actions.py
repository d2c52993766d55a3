"""Actions: bodies with the compound actions that they call inlined, and their action data as variables."""

from __future__ import annotations

from aux_frontend.p4_14 import ast
from aux_frontend.p4_14.builder import Builder, annotations_of
from aux_frontend.p4_14.primitives import Primitives, exits
from aux_frontend.p4_14.signatures import SIGNATURES
from aux_frontend.p4_14.values import Bound, Env, Invalid, Operand, Values
from aux_frontend.p4_14.widths import MAX_CALL_DEPTH, ParameterWidths
from transpiler.diagnostics import Span
from transpiler.hlir import expressions as ex, program as pr, statements as st

MAX_STATEMENTS = 200_000  # of a whole program after inlining


class Actions:
    """`table_actions` collects the HLIR actions in the order of first use."""

    def __init__(self, values: Values, primitives: Primitives, widths: ParameterWidths) -> None:
        self.values = values
        self.scope = values.scope
        self.builder: Builder = values.builder
        self.primitives = primitives
        self.widths = widths
        self.table_actions: dict[str, pr.Action] = {}

    # --- as actions of tables ----------------------------------------------------------------------------------------

    def use(self, name: ast.Name) -> pr.Action | None:
        """The HLIR action of that name; None, with a message, when there is none."""
        if name.text in self.table_actions:
            return self.table_actions[name.text]
        declaration = self.scope.actions.get(name.text)
        if declaration is None:
            hint = ": it is a primitive, which only an action can call" if name.text in SIGNATURES else ""
            self.scope.error(name.span, f"action '{name.text}' is not declared{hint}")
            return None
        action = self._elaborate(declaration)
        self.table_actions[name.text] = action
        return action

    def _elaborate(self, declaration: ast.Action) -> pr.Action:
        name = declaration.name.text
        variables: list[str] = []
        names: dict[str, Bound | Operand] = {}
        for parameter, type_ in zip(declaration.parameters, self.widths.of(declaration), strict=True):
            place = self.builder.variable(f"{name}.{parameter.text}", type_, pr.Storage.ACTION_DATA, parameter.span)
            variables.append(place.name)
            names[parameter.text] = ex.Read(place, type_, parameter.span)
        body = self._body(declaration, Env("action", names), (name,))
        end = next((count for count, statement in enumerate(body, 1) if exits(statement)), len(body))
        annotations = annotations_of(declaration.pragmas)
        return pr.Action(name, tuple(variables), body[:end], declaration.name.span, annotations)

    def may_exit(self, name: str) -> bool:
        """Whether that action of a table ends the pipeline."""
        return name in self.table_actions and any(map(exits, self.table_actions[name].body[-1:]))

    def check_rest(self) -> None:
        """Look at actions that no table uses and no other action calls, so that their mistakes are told too."""
        called = {call.callee.text for action in self.scope.actions.values() for call in action.body}
        for name, declaration in self.scope.actions.items():
            parameters = [p.text for p in declaration.parameters]
            for index, parameter in enumerate(declaration.parameters):
                if parameter.text in parameters[:index]:
                    self.scope.error(parameter.span, f"parameter '{parameter.text}' is there twice")
            if name not in self.table_actions and name not in called:
                self._elaborate(declaration)

    # --- bodies ------------------------------------------------------------------------------------------------------

    def _body(self, declaration: ast.Action, env: Env, stack: tuple[str, ...]) -> st.Body:
        statements: list[st.Statement] = []
        for call in declaration.body:
            try:
                statements += self._call(call, env, stack)
            except Invalid:
                continue
        return tuple(statements)

    def _call(self, call: ast.Call, env: Env, stack: tuple[str, ...]) -> st.Body:
        if call.receiver is not None:
            self._method(call, call.receiver)
            return ()
        name = call.callee.text
        declaration = self.scope.actions.get(name)
        if declaration is not None:
            return self._inline(call, declaration, env, stack)
        if name in self.scope.primitives:
            self._count_arguments(call, len(self.scope.primitives[name].parameters))
            self.builder.unsupported.append((call.callee.span, f"the primitive action '{name}' is not supported"))
            return ()
        if name not in SIGNATURES:
            raise self.values.fail(call.callee.span, f"action '{name}' is not declared")
        body = self.primitives.call(name, call.arguments, env, call.span)
        self.count_statements(len(body), call.span)
        return body

    def _inline(self, call: ast.Call, declaration: ast.Action, env: Env, stack: tuple[str, ...]) -> st.Body:
        name = declaration.name.text
        if name in stack or len(stack) >= MAX_CALL_DEPTH:
            problem = "calls itself" if name in stack else "is called too deep"
            raise self.values.fail(call.span, f"action '{name}' {problem}")
        self._count_arguments(call, len(declaration.parameters))
        names: dict[str, Bound | Operand] = {
            parameter.text: Bound(argument, env)
            for parameter, argument in zip(declaration.parameters, call.arguments, strict=True)
        }
        self.count_statements(1, call.span)
        return self._body(declaration, Env("action", names), (*stack, name))

    def _count_arguments(self, call: ast.Call, expected: int) -> None:
        if len(call.arguments) != expected:
            given = len(call.arguments)
            raise self.values.fail(call.span, f"'{call.callee.text}' takes {expected} arguments, but {given} are given")

    def _method(self, call: ast.Call, receiver: ast.Name) -> None:
        """A method of a target's extern: checked as far as it is declared, and refused by `load`."""
        instance = self.scope.find(self.scope.externs, receiver, "extern")
        if instance is None:
            raise Invalid
        type_ = self.scope.extern_types.get(instance.type.text)
        methods = {name.text for name, _ in type_.methods} if type_ is not None else set()
        if type_ is not None and call.callee.text not in methods:
            raise self.values.fail(call.callee.span, f"'{call.callee.text}' is not a method of {type_.name.text}")
        self.builder.unsupported.append((receiver.span, f"the extern '{receiver.text}' is not supported"))

    def count_statements(self, number: int, span: Span) -> None:
        """Raises Invalid when the program expands without end."""
        self.builder.statements += number
        if self.builder.statements > MAX_STATEMENTS:
            raise self.values.fail(span, f"the program expands to more than {MAX_STATEMENTS} statements")
