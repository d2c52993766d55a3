"""The actions of a table: their bodies, which are elaborated once for each control instance, and calls with data.

An action whose parameters have directions is bound to its arguments in the action list; that makes an action of its own.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from aux_frontend.p4_16 import ast
from aux_frontend.p4_16.elaborate import (
    bind,
    changes,
    expressions,
    inline,
    instances,
    interface,
    layout,
    names,
    places,
    values as va,
    walk,
)
from aux_frontend.p4_16.elaborate.frames import Frame
from aux_frontend.p4_16.elaborate.scope import Scope
from aux_frontend.p4_16.elaborate.unit import Unit
from transpiler.diagnostics import Span
from transpiler.hlir import expressions as ex, program as pr

NO_ACTION = "NoAction"


@dataclass(slots=True)
class Uses:
    """The actions of one table, by declaration too."""

    actions: list[pr.ActionUse] = field(default_factory=list)
    names: dict[ast.Declaration, str] = field(default_factory=dict)
    ordinals: dict[ast.Declaration, int] = field(default_factory=dict)
    flags: list[str] = field(default_factory=list)

    @property
    def exit_flags(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(self.flags))

    def add(self, declaration: ast.ActionDeclaration, use: pr.ActionUse, flag: str | None) -> None:
        self.ordinals[declaration] = len(self.actions)
        self.names[declaration] = use.action
        self.actions.append(use)
        if flag is not None:
            self.flags.append(flag)


def uses(scope: Scope, table: ast.TableDeclaration) -> Uses:
    """The action list, each action elaborated."""
    result = Uses()
    for reference in table.actions or ():
        declaration, arguments = _referred(scope, reference)
        if declaration in result.ordinals:
            continue
        name, flag = _elaborated(scope, declaration, arguments, reference.span)
        default_only = names.find(reference.annotations, "defaultonly") is not None
        table_only = names.find(reference.annotations, "tableonly") is not None
        annotations = names.kept(scope.unit, reference.annotations)
        result.add(declaration, pr.ActionUse(name, reference.span, default_only, table_only, annotations), flag)
    return result


def _referred(
    scope: Scope, reference: ast.ActionRef
) -> tuple[ast.ActionDeclaration, dict[ast.Parameter, ast.Expression]]:
    """The action that a reference names and the arguments it gives."""
    checked = scope.unit.checked
    expression = reference.expression
    arguments: dict[ast.Parameter, ast.Expression] = {}
    if isinstance(expression, ast.Call):
        resolved = checked.calls.get(expression)
        declaration = resolved.target if resolved is not None else None
        if resolved is not None:
            arguments = {p: a for p, a in resolved.passed() if a is not None}
    else:
        declaration = checked.declarations.get(expression)
    if not isinstance(declaration, ast.ActionDeclaration):
        raise scope.unit.failure(reference.span, "this is not an action")
    return declaration, arguments


# --- calls with data -------------------------------------------------------------------------------------------------


def default_call(scope: Scope, table: ast.TableDeclaration, known: Uses) -> pr.ActionCall:
    """The default action; NoAction when the table names none."""
    if table.default_action is not None:
        return entry_call(scope, table.default_action, known)
    no_action = next(
        (
            d
            for d in scope.unit.checked.program.declarations
            if isinstance(d, ast.ActionDeclaration) and d.name == NO_ACTION
        ),
        None,
    )
    if no_action is None:
        raise scope.unit.failure(table.span, f"'{table.name}' has no default action and there is no NoAction")
    if no_action not in known.ordinals:
        name, flag = _elaborated(scope, no_action, {}, table.span)
        implied = (pr.Annotation("defaultonly", "", table.span),)
        known.add(no_action, pr.ActionUse(name, table.span, default_only=True, annotations=implied), flag)
    return pr.ActionCall(known.names[no_action], (), table.span)


def entry_call(scope: Scope, reference: ast.ActionRef, known: Uses) -> pr.ActionCall:
    """An action of the list with constant action data."""
    unit = scope.unit
    declaration, arguments = _referred(scope, reference)
    name = known.names.get(declaration)
    if name is None:
        raise unit.failure(reference.span, f"'{declaration.name}' is not in the table's action list")
    home = instances.home_of(scope, declaration)
    data: list[ex.Const] = []
    for parameter in declaration.parameters:
        if parameter.direction:
            continue
        argument = arguments.get(parameter)
        if argument is None:
            raise unit.failure(reference.span, f"'{parameter.name}' of '{declaration.name}' has no value here")
        value = expressions.evaluate_as(scope, argument, home.type_ref(parameter.type))
        for leaf in places.scalar_leaves(value):
            if not isinstance(leaf, ex.Const):
                raise unit.failure(argument.span, "action data must be known at compile time")
            data.append(leaf)
    return pr.ActionCall(name, tuple(data), reference.span)


# --- bodies ----------------------------------------------------------------------------------------------------------


def _elaborated(
    scope: Scope, declaration: ast.ActionDeclaration, arguments: dict[ast.Parameter, ast.Expression], span: Span
) -> tuple[str, str | None]:
    """The HLIR action and, if it may exit, the variable that then says so."""
    unit = scope.unit
    home = instances.home_of(scope, declaration)
    directed = any(parameter.direction for parameter in declaration.parameters)
    if not directed and (known := unit.table_actions.get((declaration, home))) is not None:
        return known
    in_control = declaration in home.actions
    prefix = unit.frames[-1].prefix if in_control else ""
    plain = names.full(prefix, declaration.name, declaration.annotations)
    name = unit.unique(plain, unit.actions)
    annotations = names.kept(unit, declaration.annotations)
    if name != plain:
        annotations = (*annotations, pr.Annotation("name", f'"{plain}"', declaration.span))
    frame = Frame(name, "end", isolated=True, action=True, exit_scope=unit.pipe if in_control else "")
    unit.actions[name] = pr.Action(name, (), (), declaration.span)  # reserves the name
    unit.actions[name] = _body(scope, home, declaration, arguments, frame, annotations)
    flag = inline.flag_name(frame) if frame.exits else None
    if not directed:
        unit.table_actions[(declaration, home)] = name, flag
    return name, flag


def _body(
    scope: Scope,
    home: Scope,
    declaration: ast.ActionDeclaration,
    arguments: dict[ast.Parameter, ast.Expression],
    frame: Frame,
    annotations: tuple[pr.Annotation, ...],
) -> pr.Action:
    unit, name = scope.unit, frame.prefix
    outer = unit.frames, unit.labels, unit.parser
    unit.frames, unit.labels, unit.parser = [frame], {}, None
    callee = home.child()
    try:
        before = set(unit.variables)
        for parameter in declaration.parameters:
            if not parameter.direction:
                callee.bindings[parameter] = _action_data(unit, home, name, parameter)
        data = tuple(v for v in unit.variables if v not in before)
        with unit.collecting() as collected:
            missing = ((p, p.default) for p in declaration.parameters if p not in arguments)
            directed = [(p, a) for p, a in (*arguments.items(), *missing) if p.direction]
            captured = changes.captured_storage(home, declaration)
            copies = bind.bind(scope, callee, directed, name, declaration.span, captured)
            with unit.collecting() as inner:
                frame.pending = bool(copies)
                walk.block(callee, declaration.body.body)
            inline.extend(unit, inline.enclose(frame.label, tuple(inner), declaration.span))
            bind.copy_out(callee, copies, declaration.span)
    finally:
        unit.frames, unit.labels, unit.parser = outer
    return pr.Action(name, data, tuple(collected), declaration.span, annotations)


def _action_data(unit: Unit, home: Scope, action: str, parameter: ast.Parameter) -> va.Location:
    """Storage for a parameter; a scalar one says what the control plane may know of it."""
    type_ = home.type_ref(parameter.type)
    local = names.full("", parameter.name, parameter.annotations)
    where = layout.allocate(unit, f"{action}.{local}", type_, pr.Storage.ACTION_DATA, parameter.span)
    if isinstance(where, va.ScalarLocation) and isinstance(where.place, ex.VariableRef):
        unit.variables[where.place.name] = replace(
            unit.variables[where.place.name],
            type_name=interface.type_name(unit, type_),
            annotations=names.kept(unit, parameter.annotations),
        )
    return where
