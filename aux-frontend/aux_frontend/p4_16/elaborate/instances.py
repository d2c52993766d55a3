"""Objects made at compile time: extern, control and parser instances, and how names lead to them.

P4-16 spec 1.2.5 sections 11.3 (instantiations) and 18.3 (evaluation at compile time).
"""

from __future__ import annotations

from aux_frontend.p4_16 import ast, types as ty
from aux_frontend.p4_16.checked import ResolvedCall
from aux_frontend.p4_16.elaborate import core, expressions, layout, names
from aux_frontend.p4_16.elaborate.architecture import architecture_of
from aux_frontend.p4_16.elaborate.scope import (
    Binding,
    ControlObject,
    ExternObject,
    Object,
    PackageObject,
    ParserObject,
    Scope,
    TableObject,
    ValueSetObject,
)
from transpiler.diagnostics import Span


def is_object_type(type_: ty.Ty) -> bool:
    return isinstance(layout.stripped(type_), ty.Extern | ty.ParserType | ty.ControlType | ty.PackageType)


def root(scope: Scope) -> Scope:
    """The scope of the top level."""
    while scope.parent is not None:
        scope = scope.parent
    return scope


def home_of(scope: Scope, action: ast.ActionDeclaration) -> Scope:
    """The scope in which an action is declared: its control's, or the top level."""
    current = scope
    while current.parent is not None and action not in current.actions:
        current = current.parent
    return current


def table_of(scope: Scope, receiver: ast.Expression) -> TableObject:
    """The table that an expression names."""
    declaration = scope.unit.checked.declarations.get(receiver)
    found = scope.lookup(declaration) if declaration is not None else None
    if not isinstance(found, TableObject):
        raise scope.unit.failure(receiver.span, "this is not a table")
    return found


def object_of(
    scope: Scope, expression: ast.Expression, name: str | None = None, annotations: tuple[ast.Annotation, ...] = ()
) -> Object:
    """The object that an expression names or constructs; `name` and `annotations` are for one that is made here."""
    unit = scope.unit
    if isinstance(expression, ast.Call):
        resolved = unit.checked.calls.get(expression)
        if resolved is not None and isinstance(resolved.target, ast.Declaration):
            return construct(scope, resolved, name or resolved.target.name, expression.span, annotations)
        raise unit.failure(expression.span, "this constructs nothing")
    declaration = unit.checked.declarations.get(expression)
    if declaration is None:
        raise unit.failure(expression.span, "this does not name an object")
    found = scope.lookup(declaration)
    if found is None and isinstance(declaration, ast.Instantiation):
        found = instantiate(root(scope), declaration, "", shared=True)
    if not isinstance(
        found, ExternObject | TableObject | ControlObject | ParserObject | PackageObject | ValueSetObject
    ):
        raise unit.failure(expression.span, f"'{declaration.name}' is not an object")
    return found


def instantiate(scope: Scope, declaration: ast.Instantiation, prefix: str, shared: bool = False) -> Object:
    """Make the instance that a declaration asks for and bind its name."""
    resolved = scope.unit.checked.calls[declaration]
    if declaration.initializer:
        raise scope.unit.failure(declaration.span, "extern objects with abstract methods are not supported here")
    name = names.full(prefix, declaration.name, declaration.annotations)
    made = construct(scope, resolved, name, declaration.span, declaration.annotations)
    if isinstance(made, ControlObject):
        made.shared = shared
    scope.bindings[declaration] = made
    return made


def construct(
    scope: Scope, resolved: ResolvedCall, name: str, span: Span, annotations: tuple[ast.Annotation, ...]
) -> Object:
    """Evaluate a constructor call."""
    unit = scope.unit
    substitution = {parameter: scope.resolve(type_) for parameter, type_ in resolved.substitution.items()}
    arguments = _arguments(scope, resolved)
    match resolved.target:
        case ast.ExternDeclaration() as extern:
            types = tuple(substitution[p] for p in extern.type_parameters if p in substitution)
            made = ExternObject(extern, types, name, {p.name: v for p, v in arguments.items()})
            if extern.name not in core.EXTERNS:
                architecture_of(unit).externs.instantiate(unit, made, span, annotations)
            return made
        case ast.ControlDeclaration() as control:
            inner = root(scope).child(substitution)
            inner.bindings.update(_shared(arguments))
            return ControlObject(control, substitution, name, inner)
        case ast.ParserDeclaration() as parser:
            inner = root(scope).child(substitution)
            inner.bindings.update(_shared(arguments))
            return ParserObject(parser, substitution, name, inner)
        case ast.PackageDeclaration() as package:
            return PackageObject(package, name, {p.name: v for p, v in arguments.items()})
    raise unit.failure(span, "this cannot be instantiated")


def _arguments(scope: Scope, resolved: ResolvedCall) -> dict[ast.Parameter, Binding]:
    unit = scope.unit
    result: dict[ast.Parameter, Binding] = {}
    for parameter, argument in zip(resolved.parameters, resolved.arguments, strict=True):
        if argument is None:
            continue
        if is_object_type(unit.checked.types.get(argument, ty.Void())):
            result[parameter] = object_of(scope, argument)
        else:
            result[parameter] = expressions.evaluate(scope, argument)
    return result


def _shared(arguments: dict[ast.Parameter, Binding]) -> dict[ast.Node, Binding]:
    """Constructor arguments; a control that is passed on may be applied from several places."""
    for value in arguments.values():
        if isinstance(value, ControlObject):
            value.shared = True
    return {parameter: value for parameter, value in arguments.items()}  # noqa: C416 - the key type widens
