"""The externs of core.p4: packet_in, packet_out, verify, static_assert. P4-16 spec 1.2.5 sections 13.8 and 15."""

from __future__ import annotations

from collections.abc import Iterator

from aux_frontend.p4_16 import ast, types as ty
from aux_frontend.p4_16.checker import typeops
from aux_frontend.p4_16.elaborate import expressions, fold, layout, places, values as va
from aux_frontend.p4_16.elaborate.architecture import ExternCall, Handler, architecture_of
from aux_frontend.p4_16.elaborate.convert import to_scalar
from transpiler.diagnostics import Span
from transpiler.hlir import expressions as ex, statements as st
from transpiler.hlir.types import Bits, Bool, Varbit

# --- packet_in -------------------------------------------------------------------------------------------------------


def _extract(call: ExternCall) -> None:
    """extract(h), extract(h, variable field's bits); hs.next goes on to the next element."""
    scope, unit, span = call.scope, call.scope.unit, call.span
    target = call.resolved.arguments[0]
    if target is None:
        _skip(call)
        return
    header = expressions.location(scope, target, stable=len(call.resolved.arguments) > 1)
    if not isinstance(header, va.HeaderLocation):
        raise unit.failure(target.span, "only a header can be extracted")
    varbit = None
    if len(call.resolved.arguments) > 1 and call.resolved.arguments[1] is not None:
        varbit = to_scalar(unit, expressions.evaluate(scope, call.resolved.arguments[1]), Bits(32), span)
    has_varbit = any(isinstance(f.type, Varbit) for f in layout.header_type(unit, header.type).fields)
    if has_varbit != (varbit is not None):
        expected = "needs" if has_varbit else "does not take"
        raise unit.failure(span, f"extracting '{header.type.declaration.name}' {expected} the width of a varbit field")
    unit.emit(st.Extract(header.place, varbit, span))
    for sibling in header.siblings:
        unit.emit(st.SetValid(sibling, False, span))
    _advance_next(call, target)


def _advance_next(call: ExternCall, target: ast.Expression) -> None:
    """`next` itself or a member of a union at `next`."""
    scope, span = call.scope, call.span
    while isinstance(target, ast.Member) and target.name != "next":
        target = target.base
    if not isinstance(target, ast.Member) or not isinstance(scope.type_of(target.base), ty.Stack):
        return
    stack = expressions.location(scope, target.base)
    assert isinstance(stack, va.StackLocation) and stack.next_index is not None
    index = expressions.next_index(scope, stack, span)
    grown = fold.binary(ex.BinaryOp.ADD, index, fold.bits(1, 32, span), span)
    scope.unit.emit(st.Assign(stack.next_index, grown, span))


def _type_argument(call: ExternCall) -> ty.Ty:
    """T of extract<T> and lookahead<T>."""
    method = call.resolved.target
    assert isinstance(method, ast.MethodPrototype)
    return call.scope.resolve(call.resolved.substitution[method.type_parameters[0]])


def _skip(call: ExternCall) -> None:
    """extract<T>(_): go past it."""
    bits = typeops.bit_size(_type_argument(call), largest=False)
    if bits is None:
        raise call.scope.unit.failure(call.span, "this has no size in a packet")
    call.scope.unit.emit(st.Advance(fold.bits(bits, 32, call.span), call.span))


def _lookahead(call: ExternCall) -> va.Value:
    """One wide read, cut into the parts of the type."""
    unit, span = call.scope.unit, call.span
    type_ = _type_argument(call)
    width = typeops.bit_size(type_, largest=True)
    if width is None or width != typeops.bit_size(type_, largest=False):
        raise unit.failure(span, f"{typeops.show(type_)} has no fixed size in a packet")
    if width == 0:
        return fold.bits(0, 0, span)
    target = unit.temporary("lookahead", Bits(width), span)
    unit.emit(st.Lookahead(target, Bits(width), span))
    return cut(call, type_, ex.Read(target, Bits(width), span), width)


def cut(call: ExternCall, type_: ty.Ty, whole: ex.Expression, high: int) -> va.Value:
    """The value of a type from the bits below `high` of a number, most significant first."""
    unit, span = call.scope.unit, call.span
    stripped = layout.stripped(type_)
    if isinstance(stripped, ty.Header):
        leaves = []
        for name, leaf in layout.leaves(stripped):
            size = typeops.bit_size(leaf, largest=True) or 0
            value = cut(call, leaf, whole, high)
            assert isinstance(value, va.EXPRESSIONS)
            leaves.append((name, value))
            high -= size
        return va.HeaderValue(stripped, fold.boolean(True, span), tuple(leaves))
    if isinstance(stripped, ty.Struct | ty.Tuple):
        fields = []
        for name, field in layout.members(stripped):
            fields.append((name, cut(call, field, whole, high)))
            high -= typeops.bit_size(field, largest=True) or 0
        return va.StructValue(tuple(fields), isinstance(stripped, ty.Struct))
    if isinstance(stripped, ty.Stack):
        items: list[va.HeaderValue | va.UnionValue] = []
        for _ in range(stripped.size):
            element = cut(call, stripped.element, whole, high)
            assert isinstance(element, va.HeaderValue)
            items.append(element)
            high -= typeops.bit_size(stripped.element, largest=True) or 0
        return va.StackValue(stripped, tuple(items))
    scalar = layout.scalar_type(unit, stripped)
    size = typeops.bit_size(stripped, largest=True) or 0
    if not isinstance(scalar, Bits | Bool):
        raise unit.failure(span, f"{typeops.show(type_)} cannot be looked at")
    if size == 0:
        return fold.bits(0, 0, span)
    return fold.cast(fold.slice_of(whole, high - 1, high - size, span), scalar, span)


def _advance(call: ExternCall) -> None:
    unit = call.scope.unit
    argument = call.argument("sizeInBits")
    assert argument is not None
    bits = to_scalar(unit, expressions.evaluate(call.scope, argument), Bits(32), call.span)
    unit.emit(st.Advance(bits, call.span))


def _length(call: ExternCall) -> va.Value:
    """The packet's length in bytes, which the architecture keeps."""
    unit = call.scope.unit
    names = dict(architecture_of(unit).intrinsics(unit))
    variable = unit.variables.get(names.get("packet_length", ""))
    if variable is None:
        raise unit.failure(call.span, "the length of a packet is not known on this architecture")
    value = ex.Read(ex.VariableRef(variable.name, call.span), variable.type, call.span)
    return fold.cast(value, Bits(32), call.span)


def _verify(call: ExternCall) -> None:
    unit = call.scope.unit
    if unit.parser is None:
        raise unit.failure(call.span, "'verify' is for parsers")
    arguments = [a for a in call.resolved.arguments if a is not None]
    condition, error = expressions.evaluate_all(call.scope, arguments)
    assert isinstance(condition, va.EXPRESSIONS) and isinstance(error, va.EXPRESSIONS)
    unit.emit(st.Verify(condition, error, call.span))


# --- packet_out ------------------------------------------------------------------------------------------------------


def _emit(call: ExternCall) -> None:
    """Headers in order, whatever they are wrapped in."""
    argument = call.resolved.arguments[0]
    assert argument is not None
    unit, span = call.scope.unit, call.span
    where = expressions.try_location(call.scope, argument)
    if where is None:
        value = expressions.evaluate(call.scope, argument)
        _emit_value(call, value)
        return
    for header in _headers(call, where, span):
        unit.emit(st.Emit(header.place, span))


def _emit_value(call: ExternCall, value: va.Value) -> None:
    """Headers that are values: those read from a place are emitted from there, others are copied to a temporary."""
    unit, span = call.scope.unit, call.span
    match value:
        case va.StructValue(fields=fields):
            for _, field in fields:
                _emit_value(call, field)
        case va.HeaderValue(place=place) if place is not None:
            unit.emit(st.Emit(place, span))
        case va.HeaderValue() | va.UnionValue() | va.StackValue():
            copy = places.local(unit, "emitted", value.type, span)
            places.assign(unit, copy, value, span)
            for header in _headers(call, copy, span):
                unit.emit(st.Emit(header.place, span))
        case _:
            raise unit.failure(span, "only headers can be emitted")


def _headers(call: ExternCall, where: va.Location, span: Span) -> Iterator[va.HeaderLocation]:
    match where:
        case va.HeaderLocation():
            yield where
        case va.UnionLocation(members=members):
            yield from (member for _, member in members)
        case va.StructLocation(fields=fields):
            for _, field in fields:
                yield from _headers(call, field, span)
        case va.StackLocation():
            for element in places.elements(where, span):
                yield from _headers(call, element, span)
        case _:
            raise call.scope.unit.failure(span, "only headers can be emitted")


def _static_assert(call: ExternCall) -> va.Value:
    """Was decided by the checker."""
    return fold.boolean(True, call.span)


METHODS: dict[tuple[str, str], Handler] = {
    ("packet_in", "extract"): _extract,
    ("packet_in", "lookahead"): _lookahead,
    ("packet_in", "advance"): _advance,
    ("packet_in", "length"): _length,
    ("packet_out", "emit"): _emit,
}
FUNCTIONS: dict[str, Handler] = {"verify": _verify, "static_assert": _static_assert}
EXTERNS = ("packet_in", "packet_out")
