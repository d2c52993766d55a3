"""What the handlers of extern calls have in common: their arguments and results."""

from __future__ import annotations

from aux_frontend.p4_16.elaborate import expressions, fold, places, values as va
from aux_frontend.p4_16.elaborate.architecture import ExternCall
from aux_frontend.p4_16.elaborate.unit import Unit
from transpiler.diagnostics import Span
from transpiler.hlir import expressions as ex
from transpiler.hlir.types import Bits, Bool


def instance_of(call: ExternCall) -> str:
    """The HLIR instance of the object that a method is called on."""
    if call.receiver is None or call.receiver.instance is None:
        raise call.scope.unit.failure(call.span, "this object has no state")
    return call.receiver.instance


def values_of(call: ExternCall, *names: str) -> list[va.Value]:
    """The values of arguments, evaluated in the order of `names`, which is that of the parameters."""
    arguments = [call.argument(name) for name in names]
    return expressions.evaluate_all(call.scope, [a for a in arguments if a is not None])


def data_list(call: ExternCall, name: str) -> ex.ListExpression:
    """An argument as the list of its scalars: structs and headers taken apart."""
    (value,) = values_of(call, name)
    if isinstance(value, va.IntValue):
        value = fold.bits(value.value, max(32, value.value.bit_length()), call.span)
    return ex.ListExpression(tuple(places.scalar_leaves(value)), call.span)


def constant_enum(call: ExternCall, name: str) -> va.Value:
    """An argument that chooses something at compile time."""
    (value,) = values_of(call, name)
    return value


def assign_scalar(unit: Unit, target: va.Location, value: ex.Expression, span: Span) -> None:
    """target = value, truncated or extended without sign to the target's width."""
    if isinstance(target, va.ScalarLocation) and isinstance(target.type, Bits | Bool):
        value = fold.cast(value, target.type, span)
    elif isinstance(target, va.SliceLocation):
        value = fold.cast(value, Bits(target.high - target.low + 1), span)
    places.assign(unit, target, value, span)
