"""Controls: their locals, and the application of one within another. P4-16 spec 1.2.5 section 14.

A nested control is inlined. When it is applied from one place only, its parameters are plain names for the arguments
where that is right (see `bind`); else they have storage of their own, shared by all applications, as are its tables.
"""

from __future__ import annotations

from collections.abc import Sequence

from aux_frontend.p4_16 import ast, types as ty
from aux_frontend.p4_16.checked import ResolvedCall
from aux_frontend.p4_16.elaborate import bind, inline, instances, layout, sharing, tables, values as va, variables
from aux_frontend.p4_16.elaborate.frames import Frame
from aux_frontend.p4_16.elaborate.scope import ControlObject, Scope
from transpiler.diagnostics import Span
from transpiler.hlir.program import Storage


def apply(scope: Scope, node: ast.Call, resolved: ResolvedCall) -> None:
    """c.apply(…), or C.apply(…) of a control without constructor parameters."""
    unit = scope.unit
    if resolved.receiver is not None:
        control = instances.object_of(scope, resolved.receiver)
    else:
        control = _direct(scope, node, resolved)
    if not isinstance(control, ControlObject):
        raise unit.failure(node.span, "only controls can be applied here")
    nested = len(unit.frames) > 0
    if control.scope is None:
        callee = control.constructor_scope.child()
        captured = None if control.shared else frozenset[va.Key]()
        copies = bind.bind(
            scope,
            callee,
            resolved.passed(control.declaration.parameters),
            control.name,
            node.span,
            captured,
            control.fixed,
        )
        prepare(control, callee)
    else:
        callee = control.scope
        copies = bind.rebind(scope, callee, resolved.passed(control.declaration.parameters), node.span, control.fixed)
    run(control, callee, node.span, copies, nested)


def _direct(scope: Scope, node: ast.Call, resolved: ResolvedCall) -> ControlObject:
    """The unnamed instance of a direct application: one for each place in the program text."""
    assert isinstance(node.callee, ast.Member)
    known = scope.lookup(node)
    if isinstance(known, ControlObject):
        return known
    type_ = scope.type_of(node.callee.base)
    if not isinstance(type_, ty.ControlType) or not isinstance(type_.declaration, ast.ControlDeclaration):
        raise scope.unit.failure(node.span, "only controls can be applied here")
    substitution = {parameter: scope.resolve(t) for parameter, t in resolved.substitution.items()}
    prefix = scope.unit.frames[-1].prefix if scope.unit.frames else ""
    name = scope.unit.claim(f"{prefix}.{type_.declaration.name}")
    made = ControlObject(type_.declaration, substitution, name, instances.root(scope).child(substitution))
    made.shared = scope.repeated
    scope.bindings[node] = made
    return made


def prepare(control: ControlObject, scope: Scope) -> None:
    """Storage, instances, actions and tables of a control, once for each instance."""
    unit, declaration = scope.unit, control.declaration
    control.scope = scope
    scope.repeated = control.shared
    scope.prefix = control.name
    scope.actions = frozenset(d for d in declaration.locals if isinstance(d, ast.ActionDeclaration))
    outer, unit.frames = unit.frames, [Frame(control.name, "end", exit_scope=unit.pipe)]
    try:
        applied = sharing.applications(scope, declaration.body)
        for local in declaration.locals:
            match local:
                case ast.VariableDeclaration(name=name, type=type_, span=span):
                    storage = layout.allocate(
                        unit, f"{control.name}.{name}", scope.type_ref(type_), Storage.LOCAL, span
                    )
                    scope.bindings[local] = storage
                case ast.Instantiation():
                    calls = applied.get(local, [])
                    made = instances.instantiate(scope, local, control.name, control.shared or len(calls) > 1)
                    if isinstance(made, ControlObject):
                        made.fixed = sharing.fixed_parameters(scope, calls)
                case ast.TableDeclaration():
                    tables.declare(scope, local, control.name)
    finally:
        unit.frames = outer


def run(control: ControlObject, scope: Scope, span: Span, copies: Sequence[bind.CopyOut], nested: bool) -> None:
    """Execute the apply block here."""
    unit, declaration = scope.unit, control.declaration
    frame = Frame(control.name, f"{declaration.name}_end", pending=bool(copies), exit_scope=unit.pipe)

    def begin() -> None:
        for local in declaration.locals:
            if isinstance(local, ast.VariableDeclaration):
                variables.initialise(scope, local, fresh=not nested)

    inline.run(scope, frame, declaration.body, span, list(copies), begin)
