"""P4-16 expressions to values and locations. P4-16 spec 1.2.5 section 8.

Evaluation emits statements for what has an effect and returns a pure value. A value may read storage; who evaluates
more before using it freezes it first (`evaluate_all`).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from aux_frontend.p4_16 import ast, types as ty
from aux_frontend.p4_16.elaborate import choices, fold, layout, places, values as va
from aux_frontend.p4_16.elaborate.convert import convert, to_scalar
from aux_frontend.p4_16.elaborate.effects import has_effects
from aux_frontend.p4_16.elaborate.scope import OBJECTS, Scope
from transpiler.diagnostics import Span
from transpiler.hlir import expressions as ex, statements as st
from transpiler.hlir.types import Bits, Bool, Enum

MAX_DEPTH = 64  # of one HLIR expression, about


def evaluate(scope: Scope, expression: ast.Expression) -> va.Value:
    """The value of an expression, after the implicit cast that the checker decided."""
    if (known := scope.known.get(expression)) is not None:
        return places.read(scope.unit, known, expression.span) if isinstance(known, va.LOCATIONS) else known
    checked = scope.unit.checked
    constant = checked.constants.get(expression)
    target = checked.casts.get(expression)
    type_ = scope.resolve(target) if target is not None else None
    if constant is not None:
        value = _constant(scope, expression, constant, type_ or scope.type_of(expression))
        if value is not None:
            return value
    unit = scope.unit
    unit.depth += 1
    try:
        value = _by_kind(scope, expression)
    finally:
        unit.depth -= 1
    if unit.depth % MAX_DEPTH == MAX_DEPTH - 1 and isinstance(value, va.EXPRESSIONS):
        value = places.freeze(unit, value, expression.span)  # cut, so that whoever walks HLIR need not go deep
    return value if type_ is None else convert(unit, value, type_, expression.span)


def scalar(scope: Scope, expression: ast.Expression) -> ex.Expression:
    """The value of an expression of scalar type; a number without width becomes bit<32>."""
    value = evaluate(scope, expression)
    if isinstance(value, va.IntValue):
        return fold.bits(value.value, max(32, value.value.bit_length()), expression.span)
    if not isinstance(value, va.EXPRESSIONS):
        raise scope.unit.failure(expression.span, "a scalar is needed here")
    return value


def evaluate_as(scope: Scope, expression: ast.Expression, type_: ty.Ty) -> va.Value:
    """The value converted to a type (`_` and type variables leave it alone)."""
    return convert(scope.unit, evaluate(scope, expression), type_, expression.span)


def evaluate_all(scope: Scope, expressions: Sequence[ast.Expression]) -> list[va.Value]:
    """Values from left to right; one is frozen when a later expression has effects."""
    effects = [has_effects(scope.unit, e) for e in expressions]
    values: list[va.Value] = []
    for position, expression in enumerate(expressions):
        value = evaluate(scope, expression)
        if any(effects[position + 1 :]):
            value = places.freeze(scope.unit, value, expression.span)
        values.append(value)
    return values


def integer(scope: Scope, expression: ast.Expression) -> int:
    """A compile-time number. Raises: Failure when it is not one."""
    value = evaluate(scope, expression)
    if isinstance(value, va.IntValue):
        return value.value
    if isinstance(value, ex.Const):
        return fold.number(value)
    raise scope.unit.failure(expression.span, "this must be known at compile time")


def _constant(scope: Scope, expression: ast.Expression, value: int | bool | str, type_: ty.Ty) -> va.Value | None:
    target = layout.stripped(type_)
    match target:
        case ty.Integer():
            return va.IntValue(int(value))
        case ty.String():
            return ex.Text(str(value), expression.span)
        case ty.Set(element=element):
            return _constant(scope, expression, value, element)
    hlir = layout.scalar_type(scope.unit, target)
    if isinstance(hlir, Bits | Bool) and not isinstance(value, str):
        return to_scalar(scope.unit, va.IntValue(int(value)), hlir, expression.span)
    return None


def _by_kind(scope: Scope, expression: ast.Expression) -> va.Value:
    rule = scope.unit.rules.expressions.get(type(expression))
    if rule is None:
        raise scope.unit.failure(expression.span, "this has no value at run time")
    return rule(scope, expression)


def _int_literal(scope: Scope, literal: ast.IntLiteral) -> va.Value:
    if literal.width is None:
        return va.IntValue(literal.value)
    return fold.bits(literal.value, literal.width, literal.span, literal.signed)


def _cast(scope: Scope, cast: ast.CastExpression) -> va.Value:
    return evaluate_as(scope, cast.operand, scope.type_ref(cast.type))


def _list(scope: Scope, expression: ast.ListExpression) -> va.Value:
    listed = evaluate_all(scope, expression.items)
    return va.StructValue(tuple((str(i), v) for i, v in enumerate(listed)), False, expression.dots)


def _structure(scope: Scope, expression: ast.StructExpression) -> va.Value:
    names = [field.name for field in expression.fields]
    parts = evaluate_all(scope, [field.value for field in expression.fields])
    return va.StructValue(tuple(zip(names, parts, strict=True)), True, expression.dots)


# --- names -----------------------------------------------------------------------------------------------------------


def path_value(scope: Scope, path: ast.Path) -> va.Value:
    """The value of what a name refers to."""
    declaration = scope.unit.checked.declarations.get(path)
    if declaration is None:
        raise scope.unit.failure(path.span, f"'{path.name}' has no value")
    binding = scope.lookup(declaration)
    if binding is None:
        if isinstance(declaration, ast.ConstDeclaration):
            return evaluate_as(scope, declaration.value, scope.type_ref(declaration.type))
        raise scope.unit.failure(path.span, f"'{path.name}' has no value here")
    if isinstance(binding, va.LOCATIONS):
        return places.read(scope.unit, binding, path.span)
    if isinstance(binding, OBJECTS):
        raise scope.unit.failure(path.span, f"'{path.name}' is not a run-time value")
    return binding


# --- parts -----------------------------------------------------------------------------------------------------------


def member(scope: Scope, member: ast.Member) -> va.Value:
    """base.name"""
    unit, span = scope.unit, member.span
    base_type = layout.stripped(scope.type_of(member.base))
    match base_type:
        case ty.Enum() | ty.Error() if names_type(scope, member.base):
            return enum_member(scope, base_type, member.name, span)
        case ty.Stack(size=size) if member.name == "size":
            return fold.bits(size, 32, span)
        case ty.Tuple(elements=elements) if member.name == "size":  # an array
            return fold.bits(len(elements), 32, span)
        case ty.Stack() if member.name == "lastIndex":
            stack = location(scope, member.base)
            assert isinstance(stack, va.StackLocation)
            return fold.binary(ex.BinaryOp.SUB, next_index(scope, stack, span), fold.bits(1, 32, span), span)
    where = try_location(scope, member)
    if where is not None:
        return places.read(unit, where, span)
    return value_member(scope, evaluate(scope, member.base), member.name, span)


def value_member(scope: Scope, value: va.Value, name: str, span: Span) -> va.Value:
    """A field of an aggregate that has no storage of its own."""
    match value:
        case va.StructValue():
            return value.get(name)
        case va.UnionValue(members=members):
            return dict(members)[name]
        case va.HeaderValue(fields=fields):
            found = dict(fields).get(name)
            if found is not None:
                return found
            inner = tuple((leaf.removeprefix(name + "."), v) for leaf, v in fields if leaf.startswith(name + "."))
            return _nested(inner)
    raise scope.unit.failure(span, f"'{name}' is not available here")


def _nested(leaves: tuple[tuple[str, ex.Expression], ...]) -> va.Value:
    """A struct within a header from its dotted leaves."""
    groups: dict[str, list[tuple[str, ex.Expression]]] = {}
    for name, leaf in leaves:
        head, _, rest = name.partition(".")
        groups.setdefault(head, []).append((rest, leaf))
    fields = tuple((h, parts[0][1] if not parts[0][0] else _nested(tuple(parts))) for h, parts in groups.items())
    return va.StructValue(fields, True)


def names_type(scope: Scope, base: ast.Expression) -> bool:
    """Whether an expression names a type rather than a value."""
    if isinstance(base, ast.TypeExpression):
        return True
    declaration = scope.unit.checked.declarations.get(base)
    return isinstance(declaration, ast.EnumDeclaration | ast.TypedefDeclaration | ast.ErrorDeclaration)


def enum_member(scope: Scope, type_: ty.Enum | ty.Error, name: str, span: Span) -> ex.Expression:
    """E.name, error.name"""
    if isinstance(type_, ty.Enum) and type_.underlying is not None:
        value = dict(type_.members)[name]
        hlir = layout.scalar_type(scope.unit, type_)
        assert value is not None and hlir is not None
        return to_scalar(scope.unit, va.IntValue(value), hlir, span)
    enum = layout.scalar_type(scope.unit, type_)
    assert isinstance(enum, Enum)
    return ex.Const(enum.members.index(name), enum, span)


def _index(scope: Scope, index: ast.Index) -> va.Value:
    where = try_location(scope, index)
    if where is not None:
        return places.read(scope.unit, where, index.span)
    base, position = evaluate_all(scope, [index.base, index.index])
    number = _compile_time(position)
    match base:
        case va.StructValue(fields=fields) if number is not None and 0 <= number < len(fields):
            return fields[number][1]
        case va.StructValue(fields=fields) if fields and isinstance(position, va.EXPRESSIONS):
            return choices.pick(scope.unit, position, [value for _, value in fields], index.span)
        case va.StackValue(elements=elements) if number is not None and 0 <= number < len(elements):
            return elements[number]
        case va.StackValue(type=type_):
            copy = places.local(scope.unit, "stack", type_, index.span)
            places.assign(scope.unit, copy, base, index.span)
            assert isinstance(copy, va.StackLocation) and isinstance(position, va.EXPRESSIONS)
            return places.read(scope.unit, layout.element_location(copy, position, index.span), index.span)
    raise scope.unit.failure(index.index.span, "the index is out of range")


def _compile_time(value: va.Value) -> int | None:
    match value:
        case va.IntValue(value=number) | ex.Const(value=number):
            return number
    return None


def slice_bounds(scope: Scope, expression: ast.SliceExpression) -> tuple[int, int]:
    """high and low of base[high:low] or of base[low +: width] with a constant low."""
    first, second = integer(scope, expression.high), integer(scope, expression.low)
    return (first + second - 1, first) if expression.plus else (first, second)


def _slice(scope: Scope, expression: ast.SliceExpression) -> va.Value:
    span = expression.span
    if expression.plus:
        whole, offset = evaluate_all(scope, (expression.base, expression.high))
        if _compile_time(offset) is None:
            base, position = (scalar_value(scope, value, expression) for value in (whole, offset))
            shifted = fold.binary(ex.BinaryOp.SHR, base, position, span)
            return fold.slice_of(shifted, integer(scope, expression.low) - 1, 0, span)
    base = scalar(scope, expression.base)
    high, low = slice_bounds(scope, expression)
    return fold.slice_of(base, high, low, span)


# --- locations -------------------------------------------------------------------------------------------------------


def location(scope: Scope, expression: ast.Expression, stable: bool = False) -> va.Location:
    """The storage of an l-value; `stable`: later assignments do not change which storage it is."""
    found = try_location(scope, expression, stable)
    if found is None:
        raise scope.unit.failure(expression.span, "this cannot be assigned")
    return found


def try_location(scope: Scope, expression: ast.Expression, stable: bool = False) -> va.Location | None:
    """The storage of an expression, None when it has none of its own."""
    if (known := scope.known.get(expression)) is not None:
        return known if isinstance(known, va.LOCATIONS) else None
    match expression:
        case ast.Path():
            declaration = scope.unit.checked.declarations.get(expression)
            binding = scope.lookup(declaration) if declaration is not None else None
            return binding if isinstance(binding, va.LOCATIONS) else None
        case ast.Member(base=base, name=name, span=span):
            if names_type(scope, base):
                return None
            outer = try_location(scope, base, stable)
            return None if outer is None else _location_member(scope, outer, name, span, stable)
        case ast.Index(base=base, index=index):
            outer = try_location(scope, base, stable)
            return None if outer is None else _location_index(scope, outer, index, stable)
        case ast.SliceExpression(base=base):
            return _location_slice(scope, expression, try_location(scope, base, stable), stable)
    return None


def _location_member(scope: Scope, outer: va.Location, name: str, span: Span, stable: bool) -> va.Location | None:
    match outer:
        case va.StructLocation() | va.UnionLocation():
            return outer.get(name)
        case va.HeaderLocation():
            return places.header_field(scope.unit, outer, name, span)
        case va.StackLocation() if name in ("next", "last"):
            return _next_or_last(scope, outer, name, span, stable)
        case va.PickedLocation(index=index, elements=elements):
            parts = [_location_member(scope, element, name, span, stable) for element in elements]
            return va.PickedLocation(index, tuple(part for part in parts if part is not None))
    return None


def next_index(scope: Scope, stack: va.StackLocation, span: Span) -> ex.Expression:
    """The value of a stack's nextIndex."""
    assert stack.next_index is not None
    return ex.Read(stack.next_index, layout.NEXT_BITS, span)


def _next_or_last(scope: Scope, stack: va.StackLocation, name: str, span: Span, stable: bool) -> va.Location:
    """hs.next and hs.last, which reject the packet with StackOutOfBounds. P4-16 spec section 8.18."""
    unit = scope.unit
    index = next_index(scope, stack, span)
    if name == "next":
        inside = fold.binary(ex.BinaryOp.LT, index, fold.bits(stack.type.size, 32, span), span)
    else:
        inside = fold.binary(ex.BinaryOp.GT, index, fold.bits(0, 32, span), span)
        index = fold.binary(ex.BinaryOp.SUB, index, fold.bits(1, 32, span), span)
    if unit.parser is not None:
        error = ex.Const(unit.errors.members.index("StackOutOfBounds"), unit.errors, span)
        unit.emit(st.Verify(inside, error, span))
    if stable:
        frozen = places.freeze(unit, index, span, "index")
        assert isinstance(frozen, va.EXPRESSIONS)
        index = frozen
    return layout.element_location(stack, index, span)


def _location_index(scope: Scope, outer: va.Location, index: ast.Expression, stable: bool) -> va.Location | None:
    value = evaluate(scope, index)
    if _compile_time(value) is None and (stable or not isinstance(outer, va.StackLocation)):
        value = places.freeze(scope.unit, value, index.span, "index")
    return _element(scope, outer, index, value)


def _element(scope: Scope, outer: va.Location, index: ast.Expression, value: va.Value) -> va.Location | None:
    """outer[value]. What is constant only here, as an argument of an inlined call, may be out of range like any number of
    the run time; the checker has refused the rest."""
    unit, span, number = scope.unit, index.span, _compile_time(value)
    match outer:
        case va.StructLocation(fields=fields) if number is None and fields:
            return va.PickedLocation(scalar_value(scope, value, index), tuple(field for _, field in fields))
        case va.StructLocation(fields=fields):
            if number is not None and len(fields) <= number and fields:
                return va.PickedLocation(fold.bits(len(fields), 32, span), tuple(field for _, field in fields))
            if number is None or not 0 <= number < len(fields):
                raise unit.failure(span, f"the index is not in the range 0 .. {len(fields) - 1}")
            return fields[number][1]
        case va.StackLocation(type=type_) if number is not None:
            beyond = type_.size  # stands for all that are out of range
            return layout.element_location(outer, fold.bits(number if 0 <= number < beyond else beyond, 32, span), span)
        case va.StackLocation():
            return layout.element_location(outer, scalar_value(scope, value, index), span)
        case va.PickedLocation(index=position, elements=elements):
            parts = [_element(scope, element, index, value) for element in elements]
            return va.PickedLocation(position, tuple(part for part in parts if part is not None))
    return None


def scalar_value(scope: Scope, value: va.Value, at: ast.Expression) -> ex.Expression:
    """A value that must be a scalar."""
    if not isinstance(value, va.EXPRESSIONS):
        raise scope.unit.failure(at.span, "a scalar is needed here")
    return value


def _location_slice(
    scope: Scope, expression: ast.SliceExpression, base: va.Location | None, stable: bool
) -> va.Location | None:
    if base is None:
        return None
    if expression.plus:
        offset = evaluate(scope, expression.high)
        if _compile_time(offset) is None:
            if not isinstance(base, va.ScalarLocation):
                raise scope.unit.failure(expression.span, "a slice at a run-time index within a slice is not supported")
            if stable:
                offset = places.freeze(scope.unit, offset, expression.span)
            return va.ShiftedLocation(base, scalar_value(scope, offset, expression), integer(scope, expression.low))
    high, low = slice_bounds(scope, expression)
    match base:
        case va.ScalarLocation():
            return va.SliceLocation(base, high, low)
        case va.SliceLocation(base=inner, low=inner_low):
            return va.SliceLocation(inner, inner_low + high, inner_low + low)
        case va.PickedLocation(index=position, elements=elements):
            scalars = (e for e in elements if isinstance(e, va.ScalarLocation))
            return va.PickedLocation(position, tuple(va.SliceLocation(e, high, low) for e in scalars))
    return None


RULES: dict[type, Callable[[Scope, Any], va.Value]] = {
    ast.IntLiteral: _int_literal,
    ast.BoolLiteral: lambda scope, e: fold.boolean(e.value, e.span),
    ast.StringLiteral: lambda scope, e: ex.Text(e.value, e.span),
    ast.Path: path_value,
    ast.Index: _index,
    ast.SliceExpression: _slice,
    ast.CastExpression: _cast,
    ast.ListExpression: _list,
    ast.StructExpression: _structure,
    ast.InvalidExpression: lambda scope, e: va.InvalidValue(),
    ast.DefaultExpression: lambda scope, e: va.DefaultValue(),
}
