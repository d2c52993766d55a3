"""Key sets of select cases and table entries. P4-16 spec 1.2.5 sections 8.15 and 13.6."""

from __future__ import annotations

from collections.abc import Sequence

from aux_frontend.p4_16 import ast
from aux_frontend.p4_16.elaborate import expressions, places, values as va
from aux_frontend.p4_16.elaborate.convert import to_scalar
from aux_frontend.p4_16.elaborate.scope import Scope, ValueSetObject
from transpiler.diagnostics import Span
from transpiler.hlir import expressions as ex
from transpiler.hlir.arithmetic import ones
from transpiler.hlir.types import Type, width_of

Matched = tuple[int, int] | tuple[int, int, str] | ex.KeySet


def matched(keyset: ex.KeySet, type_: Type) -> Matched:
    """A constant key set as (value, mask) or as (low, high, "range"), equal for sets that are written differently."""
    full = ones(width_of(type_) or 1)
    match keyset:
        case ex.AnySet():
            return 0, 0
        case ex.ExactSet(value=ex.Const(value=value)):
            return value, full
        case ex.MaskSet(value=ex.Const(value=value), mask=ex.Const(value=mask)):
            return value & mask, mask
        case ex.RangeSet(low=ex.Const(value=low), high=ex.Const(value=high)):
            return (low, full) if low == high else (low, high, "range")
    return keyset


def key_sets(scope: Scope, keyset: ast.Expression, keys: Sequence[va.Value]) -> tuple[ex.KeySet, ...]:
    """The sets for the scalars of keys; a structured key is flattened, and so is its set."""
    unit, span = scope.unit, keyset.span
    types = [leaf.type for key in keys for leaf in places.scalar_leaves(key)]
    if isinstance(keyset, ast.DefaultExpression | ast.DontCare):
        return tuple(ex.AnySet(span) for _ in types)
    value_set = _value_set(scope, keyset)
    if value_set is not None:
        return (ex.ValueSetRef(value_set.name, span),)
    parts = _flatten(scope, keyset, keys)
    result: list[ex.KeySet] = []
    position = 0
    for part in parts:
        if isinstance(part, ex.ValueSetRef):
            position += len(unit.value_sets[part.name].types)
            result.append(part)
            continue
        if position >= len(types):
            raise unit.failure(span, f"{len(types)} key sets are needed here")
        result.append(_typed(scope, part, types[position]))
        position += 1
    if position != len(types):
        raise unit.failure(span, f"{len(types)} key sets are needed here")
    return tuple(result)


def _value_set(scope: Scope, expression: ast.Expression) -> ValueSetObject | None:
    declaration = scope.unit.checked.declarations.get(expression)
    bound = scope.lookup(declaration) if declaration is not None else None
    return bound if isinstance(bound, ValueSetObject) else None


_Part = ex.KeySet | ast.MaskExpression | ast.RangeExpression | tuple[va.Value, Span]


def _flatten(scope: Scope, keyset: ast.Expression, keys: Sequence[va.Value]) -> list[_Part]:
    """Sets one a scalar key: lists are taken apart, values of structures too."""
    match keyset:
        case ast.ListExpression(items=items) if keyset not in scope.unit.checked.constants:
            if len(items) == 1:
                return _flatten(scope, items[0], keys)
            parts = _parts(keys)
            if len(items) != len(parts):
                raise scope.unit.failure(keyset.span, f"{len(parts)} key sets are needed here")
            return [found for item, part in zip(items, parts, strict=True) for found in _flatten(scope, item, (part,))]
        case ast.DefaultExpression() | ast.DontCare():
            return [ex.AnySet(keyset.span) for key in keys for _ in places.scalar_leaves(key)]
        case ast.MaskExpression() | ast.RangeExpression():
            return [keyset]
    value_set = _value_set(scope, keyset)
    if value_set is not None:
        return [ex.ValueSetRef(value_set.name, keyset.span)]
    value = expressions.evaluate(scope, keyset)
    if isinstance(value, va.IntValue):
        return [(value, keyset.span)]
    return [(leaf, keyset.span) for leaf in places.scalar_leaves(value)]


def _parts(keys: Sequence[va.Value]) -> Sequence[va.Value]:
    """What a list has a set for each of: several keys, or the fields of one that is structured."""
    match keys:
        case (va.StructValue(fields=fields),):
            return [field for _, field in fields]
    return keys


def _typed(scope: Scope, part: _Part, type_: Type) -> ex.KeySet:
    unit = scope.unit
    match part:
        case ex.AnySet() | ex.ExactSet() | ex.MaskSet() | ex.RangeSet() | ex.ValueSetRef():
            return part
        case ast.MaskExpression(value=value, mask=mask, span=span):
            return ex.MaskSet(_operand(scope, value, type_), _operand(scope, mask, type_), span)
        case ast.RangeExpression(low=low, high=high, span=span):
            return ex.RangeSet(_operand(scope, low, type_), _operand(scope, high, type_), span)
        case (value, at):
            return ex.ExactSet(to_scalar(unit, value, type_, at), at)


def _operand(scope: Scope, expression: ast.Expression, type_: Type) -> ex.Expression:
    return to_scalar(scope.unit, expressions.evaluate(scope, expression), type_, expression.span)
