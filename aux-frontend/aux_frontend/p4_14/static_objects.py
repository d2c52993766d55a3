"""Static counters, meters and registers: for the actions of one table alone. Specification 1.0.5 section 7."""

from __future__ import annotations

from collections.abc import Iterator

from aux_frontend.p4_14 import ast
from aux_frontend.p4_14.scope import Scope

_USING = {
    "count": ("counter", 0),
    "execute_meter": ("meter", 0),
    "register_read": ("register", 1),
    "register_write": ("register", 0),
}  # by primitive: what it uses, named by which argument


def check(scope: Scope) -> None:
    """Report tables whose actions use what is static to another table."""
    static = {key: item.static for key, item in scope.stateful.items() if item.static is not None}
    if not static:
        return
    for table in scope.tables.values():
        for action in _actions(scope, table):
            for kind, name in _used(scope, action.text):
                owner = static.get((kind, name))
                if owner is not None and owner.text != table.name.text:
                    message = f"action '{action.text}' uses {kind} '{name}', which is static to table '{owner.text}'"
                    scope.error(action.span, message, (owner.span, "declared so here"))


def _actions(scope: Scope, table: ast.Table) -> tuple[ast.Name, ...]:
    profile = scope.profiles.get(table.profile.text) if table.profile is not None else None
    return table.actions + (profile.actions if profile is not None else ())


def _used(scope: Scope, action: str) -> Iterator[tuple[str, str]]:
    """The stateful objects that an action uses, also through actions that it calls."""
    pending, seen = [action], set[str]()
    while pending:
        name = pending.pop()
        declaration = scope.actions.get(name)
        if declaration is None or name in seen:
            continue
        seen.add(name)
        for call in declaration.body:
            pending.append(call.callee.text)
            kind, position = _USING.get(call.callee.text, ("", 0))
            argument = call.arguments[position] if kind and position < len(call.arguments) else None
            if isinstance(argument, ast.Ref):
                yield kind, argument.name.text
