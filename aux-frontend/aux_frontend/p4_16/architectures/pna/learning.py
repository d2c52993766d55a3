"""add_entry and what restarts the time of an entry. Source: PNA 0.7, sections 6.1 and 6.2.

The entry's action is another action of the table. It may have no name in HLIR yet where the call stands: until all blocks are
elaborated the call has the number of its action among those that are `Wanted`.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from aux_frontend.p4_16 import ast, types as ty
from aux_frontend.p4_16.elaborate import fold, instances, layout, places, values as va
from aux_frontend.p4_16.elaborate.architecture import ExternCall
from aux_frontend.p4_16.elaborate.convert import convert
from aux_frontend.p4_16.elaborate.extern_calls import as_number, values_of
from aux_frontend.p4_16.elaborate.scope import Scope
from aux_frontend.p4_16.elaborate.unit import Unit
from transpiler.externs.learning import ADD, PROFILES, RESTART_TIMER, SET_EXPIRE_TIME
from transpiler.hlir import expressions as ex, statements as st
from transpiler.hlir.traverse import rebuild
from transpiler.hlir.types import Bits, width_of

_RESULT = Bits(1)


@dataclass(slots=True)
class Wanted:
    """Actions that entries are to have, each with the scope that it is declared in."""

    actions: list[tuple[ast.ActionDeclaration, Scope]] = field(default_factory=list)

    def number(self, action: ast.ActionDeclaration, home: Scope) -> str:
        self.actions.append((action, home))
        return str(len(self.actions) - 1)

    def named(self, unit: Unit) -> None:
        """Put the actions' names into all calls."""
        for name, action in unit.actions.items():
            unit.actions[name] = replace(action, body=self._body(unit, action.body))

    def _body(self, unit: Unit, body: st.Body) -> st.Body:
        return tuple(self._statement(unit, statement) for statement in body)

    def _statement(self, unit: Unit, statement: st.Statement) -> st.Statement:
        match statement:
            case st.CallExtern(method=method, inputs=(ex.Text(value=number, span=span), *rest)) if method == ADD:
                name, _ = unit.table_actions[self.actions[int(number)]]
                return replace(statement, inputs=(ex.Text(name, span), *rest))
        return rebuild(statement, lambda inner: self._body(unit, inner))


def add(call: ExternCall, wanted: Wanted) -> va.Value:
    """add_entry(action_name, action_params, expire_time_profile_id)"""
    unit, span = call.scope.unit, call.span
    action = _action(call)
    home = instances.home_of(call.scope, action)
    given, profile = values_of(call, "action_params", "expire_time_profile_id")
    data = _data(call, action, home, given)
    number = as_number(unit, profile, span)
    _check_profile(call, number)
    added = unit.temporary("added", _RESULT, span)
    inputs = (ex.Text(wanted.number(action, home), span), ex.ListExpression(data, span), number)
    unit.emit(st.CallExtern(ADD, None, inputs, (added,), span))
    return fold.cast(ex.Read(added, _RESULT, span), fold.BOOL, span)


def _action(call: ExternCall) -> ast.ActionDeclaration:
    """The action of that name that is in sight, which rules.py has found in the table's list."""
    unit = call.scope.unit
    argument = call.argument("action_name")
    name = argument.value if isinstance(argument, ast.StringLiteral) else None
    scope: Scope | None = call.scope
    while scope is not None:
        for node in scope.actions:
            if isinstance(node, ast.ActionDeclaration) and node.name == name:
                return _without_directions(unit, node, call)
        scope = scope.parent
    for node in unit.checked.program.declarations:
        if isinstance(node, ast.ActionDeclaration) and node.name == name:
            return _without_directions(unit, node, call)
    raise unit.failure(call.span, "the action of an entry must be named by a string here")


def _without_directions(unit: Unit, action: ast.ActionDeclaration, call: ExternCall) -> ast.ActionDeclaration:
    if any(parameter.direction for parameter in action.parameters):
        raise unit.failure(
            call.span, f"'{action.name}' has parameters with directions, so packets cannot add entries of it"
        )
    return action


def _data(call: ExternCall, action: ast.ActionDeclaration, home: Scope, given: va.Value) -> tuple[ex.Expression, ...]:
    """A value for each parameter: those of a struct by its fields' names, of a list or tuple by their places, or the one."""
    unit, span = call.scope.unit, call.span
    wanted = {parameter.name: home.type_ref(parameter.type) for parameter in action.parameters}
    fields = given.fields if isinstance(given, va.StructValue) else (("", given),)
    if isinstance(given, va.StructValue) and given.named and {name for name, _ in fields} != wanted.keys() and fields:
        raise unit.failure(span, f"the fields of 'action_params' must be the parameters of '{action.name}'")
    if len(fields) != len(wanted):
        raise unit.failure(span, f"'{action.name}' has {len(wanted)} parameters, and 'action_params' has {len(fields)}")
    by_name = isinstance(given, va.StructValue) and given.named
    named = dict(fields) if by_name else dict(zip(wanted, (value for _, value in fields), strict=True))
    return tuple(leaf for name, type_ in wanted.items() for leaf in _leaves(call, name, named[name], type_))


def _leaves(call: ExternCall, name: str, value: va.Value, type_: ty.Ty) -> list[ex.Expression]:
    unit, span = call.scope.unit, call.span
    scalar = layout.scalar_type(unit, type_)
    if isinstance(value, va.EXPRESSIONS) and scalar is not None and width_of(scalar) != width_of(value.type):
        message = f"'{name}' has {width_of(scalar)} bits, and its value in 'action_params' has {width_of(value.type)}"
        raise unit.failure(span, message)
    return places.scalar_leaves(convert(unit, value, type_, span))


def _check_profile(call: ExternCall, number: ex.Expression) -> None:
    if isinstance(number, ex.Const) and number.value >= PROFILES:
        message = f"expire time profiles have the numbers 0 to {PROFILES - 1}"
        raise call.scope.unit.failure(call.span, message)


def set_expire_time(call: ExternCall) -> None:
    """set_entry_expire_time(expire_time_profile_id)"""
    unit = call.scope.unit
    (profile,) = values_of(call, "expire_time_profile_id")
    number = as_number(unit, profile, call.span)
    _check_profile(call, number)
    unit.emit(st.CallExtern(SET_EXPIRE_TIME, None, (number,), (), call.span))


def restart(call: ExternCall) -> None:
    """restart_expire_timer()"""
    call.scope.unit.emit(st.CallExtern(RESTART_TIMER, None, (), (), call.span))
