"""v1model's externs in the vocabulary of `transpiler.externs`.

Meanings are those of BMv2's simple_switch (behavioral-model, docs/simple_switch.md).
"""

from __future__ import annotations

from aux_frontend.p4_16 import ast, types as ty
from aux_frontend.p4_16.architectures.v1model.packet import PACKET_FUNCTIONS
from aux_frontend.p4_16.checker import typeops
from aux_frontend.p4_16.elaborate import expressions, fold, interface, layout, names, places, values as va
from aux_frontend.p4_16.elaborate.architecture import ExternCall, Externs, Handler, architecture_of
from aux_frontend.p4_16.elaborate.convert import to_scalar
from aux_frontend.p4_16.elaborate.extern_calls import (
    as_number,
    assign_scalar,
    constant_enum,
    constructor_number,
    constructor_size,
    data_list,
    hash_type,
    instance_of,
    into_range,
    values_of,
)
from aux_frontend.p4_16.elaborate.scope import ExternObject
from aux_frontend.p4_16.elaborate.unit import Unit
from aux_frontend.v1model import present
from transpiler.diagnostics import Span
from transpiler.externs.algorithms import ALGORITHMS, CUSTOM
from transpiler.hlir import expressions as ex, program as pr, statements as st
from transpiler.hlir.printer import header_place
from transpiler.hlir.types import Bits, Bool, Enum, width_of

_COLOUR = Bits(8)

# --- instances -------------------------------------------------------------------------------------------------------


def _instantiate(unit: Unit, made: ExternObject, span: Span, annotations: tuple[ast.Annotation, ...]) -> None:
    """Declare the HLIR instance of an extern object."""
    kind = made.declaration.name
    match kind:
        case "counter" | "meter":
            attributes = _sized(unit, made, span, unit_=True)
        case "direct_counter" | "direct_meter":
            attributes = (("unit", _unit(unit, made, span)), ("automatic", 1))
        case "register":
            attributes = (*_sized(unit, made, span, unit_=False), ("width", _register_width(unit, made, span)))
        case "action_profile":
            attributes = (("size", constructor_size(unit, made, "size", span)),)
        case "action_selector":
            attributes = (
                ("size", constructor_size(unit, made, "size", span)),
                ("algorithm", _algorithm_name(unit, made.arguments.get("algorithm"), span)),
                ("width", constructor_number(unit, made, "outputWidth", span)),
            )
        case "Checksum16":
            return
        case _:
            raise unit.failure(span, f"the extern '{kind}' is not supported on v1model")
    name = unit.unique(made.name, unit.externs)
    data = interface.data_type(unit, made.type_arguments[0]) if kind == "register" else None
    index_type = interface.index_type(unit, made)
    unit.externs[name] = pr.ExternInstance(
        name, kind, attributes, span, names.kept(unit, annotations), data, index_type
    )
    made.instance = name


Attributes = tuple[tuple[str, int | str], ...]


def _sized(unit: Unit, made: ExternObject, span: Span, unit_: bool) -> Attributes:
    size: Attributes = (("size", constructor_size(unit, made, "size", span)),)
    return (*size, ("unit", _unit(unit, made, span))) if unit_ else size


def _unit(unit: Unit, made: ExternObject, span: Span) -> str:
    """packets, bytes or packets_and_bytes: the member of CounterType or MeterType."""
    match made.arguments.get("type"):
        case ex.Const(value=value, type=Enum(members=members)):
            return members[value]
    raise unit.failure(span, f"'type' of {made.declaration.name} must be known at compile time")


def _register_width(unit: Unit, made: ExternObject, span: Span) -> int:
    element = layout.scalar_type(unit, made.type_arguments[0])
    if isinstance(element, Bits):
        return element.width
    if isinstance(element, Bool):
        return 1
    held = typeops.show(made.type_arguments[0])
    raise unit.failure(span, f"a register holds numbers or bools, not {held}; fields can have a register each")


def _algorithm_name(unit: Unit, value: object, span: Span) -> str:
    match value:
        case ex.Const(value=ordinal, type=Enum(members=members)) if members[ordinal] in ALGORITHMS:
            return members[ordinal]
    raise unit.failure(span, "the hash algorithm must be known at compile time")


# --- methods ---------------------------------------------------------------------------------------------------------


def _index(call: ExternCall, name: str = "index") -> ex.Expression:
    argument = call.argument(name)
    assert argument is not None
    return expressions.scalar(call.scope, argument)


def _count(call: ExternCall) -> None:
    call.scope.unit.emit(st.CallExtern("counter.count", instance_of(call), (_index(call),), (), call.span))


def _direct_count(call: ExternCall) -> None:
    """Nothing to do: the entry that was hit has been counted, whatever its action says."""


def _result(call: ExternCall, name: str = "result") -> va.Location:
    argument = call.argument(name)
    return va.Ignored() if argument is None else expressions.location(call.scope, argument, stable=True)


def _execute_meter(call: ExternCall) -> None:
    index = _index(call)
    _colour(call, _result(call), _COLOUR, "meter.execute", index)


def _read_meter(call: ExternCall) -> None:
    """Where the table has missed, the result stays as it was, as BMv2 leaves it."""
    unit, span = call.scope.unit, call.span
    target = _result(call)
    before: ex.Expression = fold.bits(0, _COLOUR.width, span)
    if isinstance(target, va.ScalarLocation | va.SliceLocation | va.ShiftedLocation):
        before = as_number(unit, places.read(unit, target, span), span)
    stored = Bits(width_of(before.type))
    _colour(call, target, stored, "direct_meter.read", fold.cast(before, stored, span))


def _colour(call: ExternCall, target: va.Location, stored: Bits, method: str, value: ex.Expression) -> None:
    """Call a meter's method. `stored`: its result, where the target is not a variable or field of its own."""
    unit, span = call.scope.unit, call.span
    if isinstance(target, va.ScalarLocation) and isinstance(target.stored, Bits):
        unit.emit(st.CallExtern(method, instance_of(call), (value,), (target.place,), span))
        return
    colour = unit.temporary("colour", stored, span)
    unit.emit(st.CallExtern(method, instance_of(call), (value,), (colour,), span))
    assign_scalar(unit, target, ex.Read(colour, stored, span), span)


def _register_read(call: ExternCall) -> None:
    unit, span = call.scope.unit, call.span
    target = _result(call)
    instance = instance_of(call)
    element = Bits(int(unit.externs[instance].attribute("width")))
    index = _index(call)
    if isinstance(target, va.ScalarLocation) and target.stored == element:
        unit.emit(st.CallExtern("register.read", instance, (index,), (target.place,), span))
        return
    value = unit.temporary("element", element, span)
    unit.emit(st.CallExtern("register.read", instance, (index,), (value,), span))
    assign_scalar(unit, target, ex.Read(value, element, span), span)


def _register_write(call: ExternCall) -> None:
    unit, span = call.scope.unit, call.span
    instance = instance_of(call)
    element = Bits(int(unit.externs[instance].attribute("width")))
    index, value = values_of(call, "index", "value")
    inputs = (as_number(unit, index, span), to_scalar(unit, value, element, span))
    unit.emit(st.CallExtern("register.write", instance, inputs, (), span))


def _checksum16_get(call: ExternCall) -> va.Value:
    unit, span = call.scope.unit, call.span
    result = unit.temporary("checksum", Bits(16), span)
    unit.out.extend(present.computed("hash.compute", "csum16", data_list(call, "data"), result, (), span))
    return ex.Read(result, Bits(16), span)


# --- functions -------------------------------------------------------------------------------------------------------


def _algorithm(call: ExternCall) -> str:
    return _algorithm_name(call.scope.unit, constant_enum(call, "algo"), call.span)


def _hash(call: ExternCall) -> None:
    """result = base + hash % max; base when max is 0."""
    unit, span = call.scope.unit, call.span
    target = _result(call)
    algorithm = _algorithm(call)
    base, data, limit = values_of(call, "base", "data", "max")
    base_, limit_ = (as_number(unit, value, span) for value in (base, limit))
    fields = ex.ListExpression(tuple(places.scalar_leaves(data)), span)
    raw = hash_type(algorithm)
    result = unit.temporary("hash", raw, span)
    instance = _custom_crc(unit, algorithm, span)
    unit.out.extend(present.computed("hash.compute", algorithm, fields, result, (), span, instance))
    value = ex.Read(result, raw, span)
    stored = target.type if isinstance(target, va.ScalarLocation) and isinstance(target.type, Bits) else raw
    assign_scalar(unit, target, into_range(value, base_, limit_, stored, span), span)


def _custom_crc(unit: Unit, algorithm: str, span: Span) -> str | None:
    """The calculation of a call, of which the control plane can set the parameters: numbered in the order of the calls."""
    if algorithm not in CUSTOM:
        return None
    for known in unit.externs.values():
        if known.kind == "custom_crc" and known.span == span:
            return known.name
    count = sum(one.kind == "custom_crc" for one in unit.externs.values())
    name = unit.unique(f"calc_{count}", unit.externs)
    unit.externs[name] = pr.ExternInstance(name, "custom_crc", (("width", CUSTOM[algorithm]),), span)
    return name


def _random(call: ExternCall) -> None:
    unit, span = call.scope.unit, call.span
    target = _result(call)
    low, high = (as_number(unit, value, span) for value in values_of(call, "lo", "hi"))
    if isinstance(target, va.ScalarLocation) and target.stored == low.type:
        unit.emit(st.CallExtern("random.range", None, (low, high), (target.place,), span))
        return
    number = unit.temporary("random", low.type, span)
    unit.emit(st.CallExtern("random.range", None, (low, high), (number,), span))
    assign_scalar(unit, target, ex.Read(number, low.type, span), span)


def _digest(call: ExternCall) -> None:
    """One message format for each type of data, named after the type."""
    unit, span = call.scope.unit, call.span
    argument = call.argument("data")
    assert argument is not None
    target = unit.checked.casts.get(argument)
    type_ = layout.stripped(call.scope.resolve(target) if target is not None else call.scope.type_of(argument))
    value = expressions.evaluate(call.scope, argument)
    leaves = places.scalar_leaves(value)
    if isinstance(type_, ty.Struct | ty.Header) and type_.declaration is not None:
        name = layout.mangled(type_)
        fields = [leaf for leaf, _ in layout.leaves(type_)]
    else:
        name = f"digest_{len(unit.externs)}"
        fields = [str(position) for position in range(len(leaves))]
    known = unit.externs.get(name)
    if known is None or known.kind != "digest":
        name = unit.unique(name, unit.externs)
        attributes = (("fields", ",".join(fields)),)
        data = interface.data_type(unit, type_)
        unit.externs[name] = pr.ExternInstance(name, "digest", attributes, span, data=data)
    unit.emit(st.CallExtern("digest.send", name, (ex.ListExpression(tuple(leaves), span),), (), span))


def _log(call: ExternCall) -> None:
    unit, span = call.scope.unit, call.span
    message = call.argument("msg")
    assert message is not None
    text = expressions.evaluate(call.scope, message)
    if not isinstance(text, ex.Text):
        raise unit.failure(span, "the message must be known at compile time")
    has_data = any(p.name == "data" for p in call.resolved.parameters)
    data = data_list(call, "data") if has_data else ex.ListExpression((), span)
    unit.emit(st.CallExtern("log.message", None, (text, data), (), span))


# --- checksums -------------------------------------------------------------------------------------------------------


def _checksum(call: ExternCall, verify: bool, payload: bool) -> None:
    """verify_checksum and update_checksum: when the condition holds, compare or set. A field that is not there is not
    verified, as in BMv2 (Checksum::verify)."""
    unit, span = call.scope.unit, call.span
    condition_at = call.argument("condition")
    checksum_at = call.argument("checksum")
    assert condition_at is not None and checksum_at is not None
    condition = expressions.scalar(call.scope, condition_at)
    algorithm = _algorithm(call)
    with unit.collecting() as body:
        data = data_list(call, "data")
        if verify:
            stored = expressions.scalar(call.scope, checksum_at)
            target: va.Location | None = None
            header = present.header_of(stored)
            if header is not None and header_place(header) not in present.valid_where(condition):
                condition = fold.binary(ex.BinaryOp.LAND, ex.IsValid(header, span), condition, span)
        else:
            target = expressions.location(call.scope, checksum_at)
            read = places.read(unit, target, span)
            assert isinstance(read, va.EXPRESSIONS)
            stored = read
        result = unit.temporary("checksum", stored.type, span)
        method = "hash.compute_with_payload" if payload else "hash.compute"
        valid = present.valid_where(condition)
        unit.out.extend(present.computed(method, algorithm, data, result, valid, span))
        computed = ex.Read(result, stored.type, span)
        if target is not None:
            places.assign(unit, target, computed, span)
        else:
            _report(unit, stored, computed, span)
    if isinstance(condition, ex.Const):
        unit.out.extend(body if condition.value else ())
    else:
        unit.emit(st.If(condition, tuple(body), (), span))


def _report(unit: Unit, stored: ex.Expression, computed: ex.Expression, span: Span) -> None:
    """checksum_error = 1 when they differ."""
    name = dict(architecture_of(unit).intrinsics(unit)).get("checksum_error")
    if name is None:
        raise unit.failure(span, "standard_metadata_t has no field 'checksum_error'")
    place = ex.VariableRef(name, span)
    differs = fold.binary(ex.BinaryOp.NE, stored, computed, span)
    one = ex.Const(1, unit.variables[name].type, span)
    unit.emit(st.If(differs, (st.Assign(place, one, span),), (), span))


METHODS: dict[tuple[str, str], Handler] = {
    ("counter", "count"): _count,
    ("direct_counter", "count"): _direct_count,
    ("meter", "execute_meter"): _execute_meter,
    ("direct_meter", "read"): _read_meter,
    ("register", "read"): _register_read,
    ("register", "write"): _register_write,
    ("Checksum16", "get"): _checksum16_get,
}
FUNCTIONS: dict[str, Handler] = {
    "hash": _hash,
    "random": _random,
    "digest": _digest,
    "log_msg": _log,
    "verify_checksum": lambda call: _checksum(call, verify=True, payload=False),
    "verify_checksum_with_payload": lambda call: _checksum(call, verify=True, payload=True),
    "update_checksum": lambda call: _checksum(call, verify=False, payload=False),
    "update_checksum_with_payload": lambda call: _checksum(call, verify=False, payload=True),
    **PACKET_FUNCTIONS,
}

EXTERNS = Externs(_instantiate, FUNCTIONS, METHODS)
