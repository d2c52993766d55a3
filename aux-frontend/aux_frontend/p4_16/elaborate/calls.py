"""Calls in expressions and statements: built-in methods, functions and actions inlined, externs, applications.

P4-16 spec 1.2.5 sections 8.17 to 8.22 and 10 (functions), 14.1 (actions).
"""

from __future__ import annotations

from aux_frontend.p4_16 import ast, types as ty
from aux_frontend.p4_16.checked import ResolvedCall
from aux_frontend.p4_16.checker import typeops
from aux_frontend.p4_16.elaborate import (
    bind,
    changes,
    controls,
    core,
    expressions,
    fold,
    inline,
    instances,
    interface,
    layout,
    passed_on,
    places,
    stacks,
    tables,
    values as va,
)
from aux_frontend.p4_16.elaborate.architecture import ExternCall, architecture_of
from aux_frontend.p4_16.elaborate.effects import has_effects
from aux_frontend.p4_16.elaborate.frames import Frame
from aux_frontend.p4_16.elaborate.scope import (
    ExternObject,
    Scope,
)
from transpiler.hlir import expressions as ex

_UNSUPPORTED = "is not supported on this architecture; see docs/extend/extern.md"


def call(scope: Scope, node: ast.Call) -> va.Value | None:
    """Make a call here; its value, None for void."""
    resolved = scope.unit.checked.calls[node]
    match resolved.target:
        case str() as builtin:
            return _builtin(scope, node, resolved, builtin)
        case ast.FunctionDeclaration() as function:
            return _function(scope, node, resolved, function)
        case ast.ActionDeclaration() as action:
            _action(scope, node, resolved, action)
            return None
        case ast.FunctionPrototype(name=name):
            return _extern_function(scope, node, resolved, name)
        case ast.MethodPrototype(name=name):
            return _extern_method(scope, node, resolved, name)
    raise scope.unit.failure(node.span, "this cannot be called here")


def statement(scope: Scope, node: ast.CallStatement) -> None:
    call(scope, node.call)


def value(scope: Scope, node: ast.Call) -> va.Value:
    """The value of a call in an expression."""
    result = call(scope, node)
    if result is None:
        raise scope.unit.failure(node.span, "this call gives no value")
    return result


def member(scope: Scope, node: ast.Member) -> va.Value:
    """base.name, where base may be t.apply()."""
    if isinstance(layout.stripped(scope.type_of(node.base)), ty.ApplyResult):
        return apply_outcome(scope, node)
    return expressions.member(scope, node)


# --- built-in methods ------------------------------------------------------------------------------------------------


def _builtin(scope: Scope, node: ast.Call, resolved: ResolvedCall, name: str) -> va.Value | None:
    unit, span = scope.unit, node.span
    if name.startswith(("header.minSize", "header.maxSize")):
        return _size(scope, node, resolved, name)
    match name:
        case "table.apply":
            tables.apply(scope, instances.table_of(scope, _receiver(scope, node, resolved)), False, False, span)
            return None
        case "control.apply":
            controls.apply(scope, node, resolved)
            return None
        case "parser.apply":
            if unit.parser is None:
                raise unit.failure(span, "a parser is applied in parsers only")
            unit.parser.apply(scope, node, resolved)
            return None
        case "header.isValid":
            return _is_valid(scope, _receiver(scope, node, resolved))
    target = expressions.location(scope, _receiver(scope, node, resolved))
    match name, target:
        case "header.setValid", va.HeaderLocation():
            places.set_valid(unit, target, span)
        case "header.setInvalid", va.HeaderLocation():
            places.set_invalid(unit, target, span)
        case (("stack.push_front" | "stack.pop_front"), va.StackLocation()):
            count = expressions.integer(scope, next(a for a in resolved.arguments if a is not None))
            (stacks.push_front if name.endswith("push_front") else stacks.pop_front)(unit, target, count, span)
        case _:
            raise unit.failure(span, f"{name} does not apply here")
    return None


def _receiver(scope: Scope, node: ast.Call, resolved: ResolvedCall) -> ast.Expression:
    if resolved.receiver is None:
        raise scope.unit.failure(node.span, "nothing to apply this to")
    return resolved.receiver


def _is_valid(scope: Scope, receiver: ast.Expression) -> ex.Expression:
    span = receiver.span
    where = expressions.try_location(scope, receiver)
    match where:
        case va.HeaderLocation(place=place):
            return ex.IsValid(place, span)
        case va.UnionLocation(members=members):
            return fold.disjunction([ex.IsValid(m.place, span) for _, m in members], span)
    match expressions.evaluate(scope, receiver):
        case va.HeaderValue(valid=valid):
            return valid
        case va.UnionValue(members=values):
            return fold.disjunction([v.valid for _, v in values], span)
    raise scope.unit.failure(span, "only headers and unions are valid or not")


def _size(scope: Scope, node: ast.Call, resolved: ResolvedCall, name: str) -> va.Value:
    """minSizeInBits and the like. P4-16 spec section 9."""
    base = resolved.receiver
    if base is None:
        assert isinstance(node.callee, ast.Member)
        base = node.callee.base
    bits = typeops.bit_size(scope.type_of(base), largest=".max" in name)
    if bits is None:
        raise scope.unit.failure(node.span, "this has no size")
    return va.IntValue(bits if name.endswith("Bits") else (bits + 7) // 8)


def apply_outcome(scope: Scope, member: ast.Member) -> va.Value:
    """t.apply().hit, .miss"""
    assert isinstance(member.base, ast.Call)
    resolved = scope.unit.checked.calls[member.base]
    table = instances.table_of(scope, _receiver(scope, member.base, resolved))
    want_action = member.name == "action_run"
    hit, action = tables.apply(scope, table, not want_action, want_action, member.span)
    wanted = action if want_action else hit
    assert wanted is not None
    value = places.read(scope.unit, wanted, member.span)
    assert isinstance(value, va.EXPRESSIONS)
    return fold.negate(value) if member.name == "miss" else value


# --- functions and actions -------------------------------------------------------------------------------------------


def _type_arguments(scope: Scope, resolved: ResolvedCall) -> dict[ast.TypeParameter, ty.Ty]:
    return {parameter: scope.resolve(type_) for parameter, type_ in resolved.substitution.items()}


def _function(
    scope: Scope, node: ast.Call, resolved: ResolvedCall, function: ast.FunctionDeclaration
) -> va.Value | None:
    unit, span = scope.unit, node.span
    callee = instances.root(scope).child(_type_arguments(scope, resolved))
    prefix = inline.nested_prefix(unit, function.name)
    copies = bind.bind(scope, callee, resolved.passed(), prefix, span)
    result_type = callee.type_ref(function.result)
    returned = _single_return(function)
    if returned is not None:
        value = expressions.evaluate_as(callee, returned, result_type)
        if copies:
            value = places.freeze(unit, value, span)
            bind.copy_out(callee, copies, span)
        return value
    frame = Frame(prefix, f"{function.name}_end", pending=bool(copies))
    if not isinstance(result_type, ty.Void):
        frame.result = places.local(unit, f"{function.name}.result", result_type, span)
        frame.result_type = result_type
    inline.run(callee, frame, function.body, span, copies)
    return None if frame.result is None else places.read(unit, frame.result, span)


def _single_return(function: ast.FunctionDeclaration) -> ast.Expression | None:
    match function.body.body:
        case (ast.ReturnStatement(value=value),):
            return value
    return None


def _action(scope: Scope, node: ast.Call, resolved: ResolvedCall, action: ast.ActionDeclaration) -> None:
    home = instances.home_of(scope, action)
    if not scope.unit.frames[-1].action:
        interface.note_call(scope.unit, home.prefix if action in home.actions else "", action)
    callee = home.child()
    prefix = inline.nested_prefix(scope.unit, action.name)
    captured = changes.captured_storage(home, action)
    copies = bind.bind(scope, callee, resolved.passed(), prefix, node.span, captured)
    frame = Frame(prefix, f"{action.name}_end", pending=bool(copies), action=True)
    inline.run(callee, frame, action.body, node.span, copies)


# --- externs ---------------------------------------------------------------------------------------------------------


def _extern_function(scope: Scope, node: ast.Call, resolved: ResolvedCall, name: str) -> va.Value | None:
    architecture = architecture_of(scope.unit)
    handler = core.FUNCTIONS.get(name) or architecture.externs.functions.get(name)
    handler = handler or passed_on.handler(name, resolved, architecture.kind)
    if handler is None:
        raise scope.unit.failure(node.span, f"the extern function '{name}' {_UNSUPPORTED}")
    return handler(ExternCall(_in_order(scope, resolved), name, resolved, node.span))


def _extern_method(scope: Scope, node: ast.Call, resolved: ResolvedCall, name: str) -> va.Value | None:
    receiver = instances.object_of(scope, _receiver(scope, node, resolved))
    if not isinstance(receiver, ExternObject):
        raise scope.unit.failure(node.span, "this is not an extern object")
    extern = receiver.declaration.name
    handler = core.METHODS.get((extern, name)) or architecture_of(scope.unit).externs.methods.get((extern, name))
    if handler is None:
        raise scope.unit.failure(node.span, f"the method '{extern}.{name}' {_UNSUPPORTED}")
    return handler(ExternCall(_in_order(scope, resolved), name, resolved, node.span, receiver))


def _in_order(scope: Scope, resolved: ResolvedCall) -> Scope:
    """The scope in which a handler evaluates the arguments in an order of its own: where that can make a difference they
    are evaluated here, from left to right, and known there. P4-16 spec 6.8."""
    given = [(p, a) for p, a in resolved.passed() if a is not None]
    effects = [has_effects(scope.unit, argument) for _, argument in given]
    if not any(effects) or (len(given) == 1 and given[0][0].direction in bind.OUTWARD):
        return scope
    inner = scope.child()
    for position, (parameter, argument) in enumerate(given):
        if parameter.direction in bind.OUTWARD:
            inner.known[argument] = expressions.location(scope, argument, stable=True)
            continue
        value = expressions.evaluate(scope, argument)
        later = any(effects[position + 1 :])
        inner.known[argument] = places.freeze(scope.unit, value, argument.span) if later else value
    return inner
