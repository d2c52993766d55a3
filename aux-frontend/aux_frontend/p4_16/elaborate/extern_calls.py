"""What the handlers of extern calls have in common: their arguments and results, of calls and of constructors."""

from __future__ import annotations

from aux_frontend.p4_16 import ast
from aux_frontend.p4_16.checker.typerefs import show_int
from aux_frontend.p4_16.elaborate import expressions, fold, instances, names, places, values as va
from aux_frontend.p4_16.elaborate.architecture import ExternCall
from aux_frontend.p4_16.elaborate.convert import to_scalar
from aux_frontend.p4_16.elaborate.scope import ExternObject, Scope
from aux_frontend.p4_16.elaborate.unit import Unit
from transpiler.diagnostics import Span
from transpiler.externs.algorithms import ALGORITHMS
from transpiler.hlir import expressions as ex, program as pr, statements as st
from transpiler.hlir.types import Bits, Bool

WIDE_HASH_BITS = 64  # of algorithms that have no width of their own


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
    """target = value, truncated or extended without sign to the target's width, which is 1 of a bool. The externs' types
    let anything be a target. Raises: Failure where it takes no number."""
    if isinstance(target, va.StructLocation | va.HeaderLocation | va.UnionLocation | va.StackLocation):
        raise unit.failure(span, "the result is a number, which a header or a struct cannot take")
    if isinstance(target, va.ScalarLocation) and not isinstance(target.type, Bits | Bool):
        raise unit.failure(span, f"the result is a number, which is not a value of {target.type}")
    if isinstance(target, va.ScalarLocation):
        width = Bits(1) if isinstance(target.type, Bool) else target.type
        value = fold.cast(fold.cast(value, width, span), target.type, span)
    places.assign(unit, target, value, span)


def as_number(unit: Unit, value: va.Value, span: Span) -> ex.Expression:
    """A scalar, a number without width in 32 bits."""
    return value if isinstance(value, va.EXPRESSIONS) else to_scalar(unit, value, Bits(32), span)


def constructor_number(unit: Unit, made: ExternObject, name: str, span: Span) -> int:
    """A constructor argument that must be a number."""
    match made.arguments.get(name):
        case va.IntValue(value=value):
            return value
        case ex.Const() as constant:
            return fold.number(constant)
    raise unit.failure(span, f"'{name}' of {made.declaration.name} must be known at compile time")


def constructor_size(unit: Unit, made: ExternObject, name: str, span: Span) -> int:
    """A constructor argument that says how many elements there are."""
    given = made.arguments.get(name)
    at = given.span if isinstance(given, ex.Const) else span
    size = constructor_number(unit, made, name, span)
    if not 0 <= size <= pr.MAX_SIZE:
        what = f"'{name}' of {made.declaration.name}"
        unit.diagnostics.error(at, f"{what} is {show_int(size)}, not in 0..{pr.MAX_SIZE}")
        return 1
    if size == 0:
        unit.diagnostics.warning(at, "empty", f"'{made.name}' has no elements: nothing can be kept in it")
    return size


def hash_type(algorithm: str) -> Bits:
    """What an algorithm gives."""
    return Bits(ALGORITHMS[algorithm].bits or WIDE_HASH_BITS)


def hashed(unit: Unit, algorithm: str, fields: ex.ListExpression, span: Span) -> ex.Expression:
    """The hash of a list, in the algorithm's own width."""
    raw = hash_type(algorithm)
    result = unit.temporary("hash", raw, span)
    unit.emit(st.CallExtern("hash.compute", None, (ex.Text(algorithm, span), fields), (result,), span))
    return ex.Read(result, raw, span)


def into_range(
    value: ex.Expression, base: ex.Expression, limit: ex.Expression, stored: Bits, span: Span
) -> ex.Expression:
    """base + value % limit; base when the limit is 0. Computed as wide as its widest operand, so nothing is lost."""
    widths = [t.width for t in (value.type, base.type, limit.type, stored) if isinstance(t, Bits)]
    wide = Bits(max(widths))
    reduced = fold.binary(ex.BinaryOp.MOD, fold.cast(value, wide, span), fold.cast(limit, wide, span), span)
    start = fold.cast(base, wide, span)
    if isinstance(start, ex.Const) and start.value == 0:
        return reduced
    return fold.binary(ex.BinaryOp.ADD, start, reduced, span)


def extern_of_table(scope: Scope, property_: ast.TableProperty, kinds: tuple[str, ...], table: str) -> str:
    """The extern that a property names or makes; one made here is called as @name says, else after the property."""
    value, given = property_.value, names.find(property_.annotations, "name")
    name = f"{table}.{property_.name}" if given is None else names.text_of(given).removeprefix(".")
    made = instances.object_of(scope, value, name, property_.annotations)
    found = scope.unit.externs.get(made.instance or "") if isinstance(made, ExternObject) else None
    if found is None or found.kind not in kinds:
        raise scope.unit.failure(value.span, f"this must be a {' or '.join(kinds)}")
    return found.name
