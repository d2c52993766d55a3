"""Random statements that call: actions, functions, tables, controls."""

from __future__ import annotations

from context import Context, Control, Table, production
from expressions import arguments, expression, overlap, value
from flow import inner_body, otherwise
from layout import Node, block
from scope import BOOL, Record, Scope, convert


@production()
def action(scope: Scope, context: Context, depth: int) -> list[Node]:
    """An action, called directly."""
    if not context.actions:
        return []
    chosen = scope.random.choice(context.actions)
    given = arguments(scope, chosen.parameters)
    return [f"{chosen.name}({', '.join(given)});"] if given is not None else []


@production(2)
def function(scope: Scope, context: Context, depth: int) -> list[Node]:
    """A function for what it writes, or for its result."""
    if not scope.functions or scope.pure:
        return []
    chosen = scope.random.choice(scope.functions)
    given = arguments(scope, chosen.parameters)
    if given is None:
        return []
    call = f"{chosen.name}({', '.join(given)})"
    if chosen.result is None or scope.chance(0.15):
        return [f"{call};"]
    if isinstance(chosen.result, Record):
        name = context.fresh("v")
        scope.add(name, chosen.result)
        return [f"{chosen.result} {name} = {call};"]
    place = scope.writable()
    if place is None:
        return [f"{call};"]
    if place.type.kind == chosen.result.kind == "bit" and scope.chance(0.3):
        call = f"({expression(scope, chosen.result, 1)} + {call})"
    return [f"{place.text} = {convert(call, chosen.result, place.type)};"]


# --- tables ----------------------------------------------------------------------------------------------------------


def _table(context: Context) -> Table | None:
    return context.tables.pop(0) if context.tables else None


@production(3, where=lambda context: bool(context.tables))
def apply(scope: Scope, context: Context, depth: int) -> list[Node]:
    table = _table(context)
    return [f"{table.name}.apply();"] if table else []


@production(2, nests=True, where=lambda context: bool(context.tables))
def hit(scope: Scope, context: Context, depth: int) -> list[Node]:
    """A table whose result is a condition, or part of one."""
    table = _table(context)
    if table is None:
        return []
    condition = scope.random.choice((f"{table.name}.apply().hit", f"{table.name}.apply().miss"))
    if scope.chance(0.2):
        condition = f"!{condition}"
    elif scope.chance(0.3):
        other = expression(scope, BOOL, 1)
        condition = scope.random.choice(
            (f"{condition} && {other}", f"{other} || {condition}", f"{condition} == {other}")
        )
    return [otherwise(scope, context, block(f"if ({condition}) {{", inner_body(scope, context, depth)), depth)]


@production(2, nests=True, where=lambda context: bool(context.tables))
def action_run(scope: Scope, context: Context, depth: int) -> list[Node]:
    table = _table(context)
    if table is None:
        return []
    chosen = scope.random.sample(table.actions, scope.random.randint(1, len(table.actions)))
    cases: list[Node] = []
    for name in chosen:
        if scope.chance(0.15) and name != chosen[-1]:
            cases.append(f"{name} :")
        else:
            cases.append(block(f"{name} : {{", inner_body(scope, context, depth)))
    if scope.chance(0.4):
        cases.append(block("default : {", inner_body(scope, context, depth)))
    return [block(f"switch ({table.name}.apply().action_run) {{", cases)]


# --- controls --------------------------------------------------------------------------------------------------------


@production(2, where=lambda context: bool(context.controls))
def nested(scope: Scope, context: Context, depth: int) -> list[Node]:
    """A control that this one has an instance of."""
    instance, control = scope.random.choice(context.controls)
    given = control_arguments(scope, control)
    return [f"{instance}.apply({', '.join(given)});"] if given is not None else []


def control_arguments(scope: Scope, control: Control) -> list[str] | None:
    """Arguments for the parameters of a control or parser; what is written does not overlap."""
    made: list[str] = []
    written: list[str] = []
    for direction, type_ in control.parameters:
        if isinstance(type_, str):
            known = [h.text for h in scope.headers if h.type == type_]
        elif direction == "in":
            made.append(value(scope, type_, 1))
            continue
        else:
            known = [p.text for p in (*scope.places, *scope.records) if p.writable and p.type == type_]
        known = [name for name in known if not any(overlap(name, other) for other in written)]
        if not known:
            return None
        made.append(scope.random.choice(known))
        written.append(made[-1])
    return made


def constants(scope: Scope, control: Control) -> str:
    """Arguments for a constructor."""
    return ", ".join(scope.literal(type_) for type_ in control.constants)
