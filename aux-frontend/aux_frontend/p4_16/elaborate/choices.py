"""Choices between values that are made at run time: `?:`, and the element of an array by a run-time index."""

from __future__ import annotations

from collections.abc import Sequence

from aux_frontend.p4_16.elaborate import fold, values as va
from aux_frontend.p4_16.elaborate.convert import to_scalar
from aux_frontend.p4_16.elaborate.unit import Unit
from transpiler.diagnostics import Span
from transpiler.hlir import expressions as ex
from transpiler.hlir.types import Bits


def pick(unit: Unit, index: ex.Expression, values: Sequence[va.Value], span: Span) -> va.Value:
    """values[index]; the last one when the index is out of range, which P4 leaves undefined."""
    result = values[-1]
    for position in range(len(values) - 2, -1, -1):
        if fits(index, position):
            condition = fold.binary(ex.BinaryOp.EQ, index, ex.Const(position, index.type, span), span)
            result = choose(unit, condition, values[position], result, span)
    return result


def fits(index: ex.Expression, position: int) -> bool:
    """Whether an index can have that value at all."""
    return isinstance(index.type, Bits) and position < 1 << index.type.width


def choose(unit: Unit, condition: ex.Expression, then: va.Value, otherwise: va.Value, span: Span) -> va.Value:
    """A choice between two values of one type, part by part."""
    match then, otherwise:
        case va.StructValue(fields=a, named=named), va.StructValue(fields=b):
            pairs = zip(a, b, strict=True)
            return va.StructValue(tuple((n, choose(unit, condition, x, y, span)) for (n, x), (_, y) in pairs), named)
        case va.HeaderValue(), va.HeaderValue():
            return _choose_header(condition, then, otherwise, span)
        case va.UnionValue(type=type_, members=a_members), va.UnionValue(members=b_members):
            members = zip(a_members, b_members, strict=True)
            return va.UnionValue(type_, tuple((n, _choose_header(condition, x, y, span)) for (n, x), (_, y) in members))
        case va.StackValue(type=stack, elements=a_items), va.StackValue(elements=b_items):
            items = [choose(unit, condition, x, y, span) for x, y in zip(a_items, b_items, strict=True)]
            return va.StackValue(stack, tuple(i for i in items if isinstance(i, va.HeaderValue | va.UnionValue)))
    if isinstance(then, va.IntValue) and isinstance(otherwise, va.EXPRESSIONS):
        then = to_scalar(unit, then, otherwise.type, span)
    if isinstance(otherwise, va.IntValue) and isinstance(then, va.EXPRESSIONS):
        otherwise = to_scalar(unit, otherwise, then.type, span)
    if not isinstance(then, va.EXPRESSIONS) or not isinstance(otherwise, va.EXPRESSIONS):
        raise unit.failure(span, "the alternatives of a choice at run time need a width")
    return fold.conditional(condition, then, otherwise, span)


def _choose_header(
    condition: ex.Expression, then: va.HeaderValue, otherwise: va.HeaderValue, span: Span
) -> va.HeaderValue:
    valid = fold.conditional(condition, then.valid, otherwise.valid, span)
    pairs = zip(then.fields, otherwise.fields, strict=True)
    fields = tuple((name, fold.conditional(condition, a, b, span)) for (name, a), (_, b) in pairs)
    return va.HeaderValue(then.type, valid, fields)
