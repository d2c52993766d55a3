"""Extern functions that only pass on their arguments: the rows of `transpiler.externs` say which, by their names in P4-16."""

from __future__ import annotations

from aux_frontend.p4_16 import ast, types as ty
from aux_frontend.p4_16.checked import ResolvedCall
from aux_frontend.p4_16.checker import typeops
from aux_frontend.p4_16.elaborate import layout, places, values as va
from aux_frontend.p4_16.elaborate.architecture import ExternCall, Handler
from aux_frontend.p4_16.elaborate.convert import to_scalar
from aux_frontend.p4_16.elaborate.extern_calls import as_number, values_of
from aux_frontend.p4_16.elaborate.unit import Unit
from transpiler.diagnostics import Span
from transpiler.externs.row import Method, Sort
from transpiler.externs.table import TABLE
from transpiler.hlir import expressions as ex, statements as st
from transpiler.hlir.program import Architecture
from transpiler.hlir.types import Bits, Bool


def handler(name: str, resolved: ResolvedCall, architecture: Architecture) -> Handler | None:
    """The one of an extern function that a row spells, if the program's has the parameters and the result that are there."""
    found = TABLE.spelled(name, architecture)
    if found is None or not isinstance(resolved.target, ast.FunctionPrototype):
        return None
    method, spelling = found
    names = tuple(parameter.name for parameter in resolved.parameters)
    if names != spelling.parameters or any(p.direction not in ("", "in") for p in resolved.parameters):
        return None
    return lambda call: _passed_on(call, method, names)


def _passed_on(call: ExternCall, method: Method, names: tuple[str, ...]) -> va.Value | None:
    unit, span = call.scope.unit, call.span
    values = values_of(call, *names)
    inputs = tuple(_input(unit, v, type_, span) for v, type_ in zip(values, method.inputs, strict=True))
    result = _result(call)
    if (result is not None) != bool(method.outputs):
        gives = "a result" if method.outputs else "none"
        raise unit.failure(span, f"'{call.name}' is the extern method '{method.name}' here, which gives {gives}")
    if result is None:
        unit.emit(st.CallExtern(method.name, None, inputs, (), span))
        return None
    place = unit.temporary(call.name, result, span)
    unit.emit(st.CallExtern(method.name, None, inputs, (place,), span))
    return ex.Read(place, result, span)


def _input(unit: Unit, value: va.Value, type_: Bits | Bool | Sort, span: Span) -> ex.Expression:
    match type_:
        case Sort.LIST:
            return ex.ListExpression(tuple(places.scalar_leaves(value)), span)
        case Sort():
            return as_number(unit, value, span)
    return to_scalar(unit, value, type_, span)


def _result(call: ExternCall) -> Bits | None:
    """The type of what the function returns; None of void."""
    function = call.resolved.target
    assert isinstance(function, ast.FunctionPrototype)
    declared = call.scope.unit.checked.type_refs[function.result]
    if isinstance(declared, ty.Void):
        return None
    found = layout.scalar_type(
        call.scope.unit, call.scope.resolve(typeops.substitute(declared, call.resolved.substitution))
    )
    if not isinstance(found, Bits):
        raise call.scope.unit.failure(call.span, f"'{call.name}' returns what is no number")
    return found
