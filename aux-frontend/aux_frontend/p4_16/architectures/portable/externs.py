"""The extern objects of PSA and PNA in the vocabulary of `transpiler.externs`.

Source: P4-16 Portable Switch Architecture 1.2, section 7, which P4 Portable NIC Architecture 0.7 takes over in section 5.
Checksums are in `checksums`.
"""

from __future__ import annotations

from aux_frontend.p4_16 import ast, types as ty
from aux_frontend.p4_16.architectures.portable.checksums import CHECKSUMS, algorithm_of, make_checksum, result_type
from aux_frontend.p4_16.checker import typeops
from aux_frontend.p4_16.elaborate import core, fold, interface, layout, names, places, values as va
from aux_frontend.p4_16.elaborate.architecture import ExternCall, Handler, architecture_of
from aux_frontend.p4_16.elaborate.convert import convert
from aux_frontend.p4_16.elaborate.extern_calls import (
    as_number,
    constructor_number,
    constructor_size,
    data_list,
    hashed,
    instance_of,
    into_range,
    values_of,
)
from aux_frontend.p4_16.elaborate.scope import ExternObject
from aux_frontend.p4_16.elaborate.unit import Unit
from transpiler.diagnostics import NotRun, Span
from transpiler.hlir import expressions as ex, program as pr, statements as st
from transpiler.hlir.interface import DataType
from transpiler.hlir.types import Bits, Enum, Varbit, width_of

GREEN, YELLOW, RED = 0, 1, 2  # colours as meters of HLIR give them
_COLOURS = ((GREEN, "GREEN"), (YELLOW, "YELLOW"), (RED, "RED"))
_COLOUR_BITS = Bits(8)

Attributes = tuple[tuple[str, int | str], ...]

# --- instances -------------------------------------------------------------------------------------------------------

# those whose meaning is in their calls: they have no state, or it is the packet's
_STATELESS = ("PacketReplicationEngine", "BufferingQueueingEngine", "Hash", "Random")


def instantiate(unit: Unit, made: ExternObject, span: Span, annotations: tuple[ast.Annotation, ...]) -> None:
    """Declare the HLIR instance of an extern object."""
    kind = made.declaration.name
    data: DataType | None = None
    match kind:
        case "Counter" | "Meter":
            size = constructor_size(unit, made, "n_counters" if kind == "Counter" else "n_meters", span)
            attributes: Attributes = (("size", size), ("unit", _unit(unit, made, span)))
        case "DirectCounter" | "DirectMeter":
            kind = "direct_counter" if kind == "DirectCounter" else "direct_meter"
            attributes = (("unit", _unit(unit, made, span)), ("automatic", 0))
        case "Register":
            attributes = _register(unit, made, span)
            data = interface.data_type(unit, made.type_arguments[0])
        case "ActionProfile":
            kind, attributes = "action_profile", (("size", constructor_size(unit, made, "size", span)),)
        case "ActionSelector":
            kind, attributes = "action_selector", _selector(unit, made, span)
        case "Digest":
            fields = [leaf or "0" for leaf, _ in layout.leaves(layout.stripped(made.type_arguments[0]))]
            attributes = (("fields", ",".join(fields)),)
            data = interface.data_type(unit, made.type_arguments[0])
        case _ if kind in CHECKSUMS:
            make_checksum(unit, made, span)
            return
        case _ if kind in _STATELESS:
            return
        case _:
            architecture = architecture_of(unit).kind.value.upper()
            raise NotRun(unit.diagnostics, span, f"the extern '{kind}' is not supported on {architecture}")
    name = unit.unique(made.name, unit.externs)
    index_type = interface.index_type(unit, made)
    unit.externs[name] = pr.ExternInstance(
        name, kind.lower(), attributes, span, names.kept(unit, annotations), data, index_type
    )
    made.instance = name


def _unit(unit: Unit, made: ExternObject, span: Span) -> str:
    """packets, bytes or packets_and_bytes: the member of PSA_CounterType_t or PSA_MeterType_t."""
    match made.arguments.get("type"):
        case ex.Const(value=value, type=Enum(members=members)):
            return members[value].lower()
    raise unit.failure(span, f"'type' of {made.declaration.name} must be known at compile time")


def _register(unit: Unit, made: ExternObject, span: Span) -> Attributes:
    """Elements are the bits of a value one after the other, whatever its type."""
    element = made.type_arguments[0]
    width = _width(unit, element, span)
    attributes: Attributes = (("size", constructor_size(unit, made, "size", span)), ("width", width))
    given = made.arguments.get("initial_value")
    if given is None:
        return attributes
    assert isinstance(given, (*va.EXPRESSIONS, va.IntValue, va.StructValue, va.HeaderValue, va.DefaultValue))
    initial = _packed(convert(unit, given, element, span), span)
    if not isinstance(initial, ex.Const):
        raise unit.failure(span, "the initial value of a register must be known at compile time")
    return (*attributes, ("initial", initial.value))


def _width(unit: Unit, element: ty.Ty, span: Span) -> int:
    width = typeops.bit_size(element, largest=True)
    if not width or width != typeops.bit_size(element, largest=False):
        raise unit.failure(span, f"a register cannot hold {typeops.show(element)}")
    return width


def _selector(unit: Unit, made: ExternObject, span: Span) -> Attributes:
    return (
        ("size", constructor_size(unit, made, "size", span)),
        ("algorithm", algorithm_of(unit, made, "algo", span)),
        ("width", constructor_number(unit, made, "outputWidth", span)),
    )


# --- counters and meters ---------------------------------------------------------------------------------------------


def _number(call: ExternCall, name: str) -> ex.Expression:
    (value,) = values_of(call, name)
    return as_number(call.scope.unit, value, call.span)


def _has(call: ExternCall, name: str) -> bool:
    """Whether the call has an argument of that name: some are optional."""
    pairs = zip(call.resolved.parameters, call.resolved.arguments, strict=True)
    return any(parameter.name == name and argument is not None for parameter, argument in pairs)


def _count(call: ExternCall) -> None:
    """count(index), count(), and both with a length: `pkt_len` of DPDK, `increment` of PNA."""
    unit = call.scope.unit
    given = tuple(name for name in ("index", "pkt_len", "increment") if _has(call, name))
    if "increment" in given and unit.externs[instance_of(call)].attribute("unit") == "packets":
        raise unit.failure(call.span, "an increment is of bytes, which this counter does not count")
    method = "direct_counter" if call.receiver and call.receiver.declaration.name == "DirectCounter" else "counter"
    method += ".count_length" if {"pkt_len", "increment"} & set(given) else ".count"
    inputs = tuple(as_number(call.scope.unit, value, call.span) for value in values_of(call, *given))
    call.scope.unit.emit(st.CallExtern(method, instance_of(call), inputs, (), call.span))


def _execute(call: ExternCall) -> va.Value:
    """execute(index), execute(), and both with a colour; dpdk_execute has a length too."""
    unit, span = call.scope.unit, call.span
    direct = call.receiver is not None and call.receiver.declaration.name == "DirectMeter"
    given = tuple(name for name in ("index", "color", "pkt_len") if _has(call, name))
    values = dict(zip(given, values_of(call, *given), strict=True))
    inputs = [as_number(unit, values["index"], span)] if "index" in values else []
    aware = "color" in values or "pkt_len" in values
    if aware:
        before = values.get("color")
        inputs.append(_from_enum(before, span) if before is not None else fold.bits(GREEN, _COLOUR_BITS.width, span))
        inputs.append(as_number(unit, values["pkt_len"], span) if "pkt_len" in values else _packet_length(unit, span))
    method = f"{'direct_meter' if direct else 'meter'}.{'execute_aware' if aware else 'execute'}"
    colour = unit.temporary("colour", _COLOUR_BITS, span)
    unit.emit(st.CallExtern(method, instance_of(call), tuple(inputs), (colour,), span))
    return _to_enum(call, ex.Read(colour, _COLOUR_BITS, span))


def _packet_length(unit: Unit, span: Span) -> ex.Expression:
    variable = unit.variables[dict(architecture_of(unit).intrinsics(unit))["packet_length"]]
    return ex.Read(ex.VariableRef(variable.name, span), variable.type, span)


def _to_enum(call: ExternCall, colour: ex.Expression) -> ex.Expression:
    """A colour of HLIR as PSA_MeterColor_t."""
    enum, span = layout.scalar_type(call.scope.unit, result_type(call)), call.span
    assert isinstance(enum, Enum)
    result: ex.Expression = ex.Const(enum.members.index("RED"), enum, span)
    for number, name in _COLOURS[:2]:
        is_it = fold.binary(ex.BinaryOp.EQ, colour, fold.bits(number, _COLOUR_BITS.width, span), span)
        result = fold.conditional(is_it, ex.Const(enum.members.index(name), enum, span), result, span)
    return result


def _from_enum(colour: va.Value, span: Span) -> ex.Expression:
    assert isinstance(colour, va.EXPRESSIONS) and isinstance(colour.type, Enum)
    result: ex.Expression = fold.bits(RED, _COLOUR_BITS.width, span)
    for number, name in _COLOURS[:2]:
        member = ex.Const(colour.type.members.index(name), colour.type, span)
        is_it = fold.binary(ex.BinaryOp.EQ, colour, member, span)
        result = fold.conditional(is_it, fold.bits(number, _COLOUR_BITS.width, span), result, span)
    return result


# --- registers, hashes, random numbers, digests ----------------------------------------------------------------------


def _packed(value: va.Value, span: Span) -> ex.Expression:
    """The bits of a value one after the other."""
    result: ex.Expression | None = None
    for leaf in places.scalar_leaves(value):
        part = fold.cast(leaf, Bits(width_of(leaf.type)), span)
        if width_of(part.type):
            result = part if result is None else fold.binary(ex.BinaryOp.CONCAT, result, part, span)
    assert result is not None
    return result


def _register_read(call: ExternCall) -> va.Value:
    unit, span = call.scope.unit, call.span
    instance = instance_of(call)
    element = Bits(int(unit.externs[instance].attribute("width")))
    value = unit.temporary("element", element, span)
    unit.emit(st.CallExtern("register.read", instance, (_number(call, "index"),), (value,), span))
    return core.cut(call, result_type(call), ex.Read(value, element, span), element.width)


def _register_write(call: ExternCall) -> None:
    unit, span = call.scope.unit, call.span
    index, value = values_of(call, "index", "value")
    inputs = (as_number(unit, index, span), _packed(value, span))
    unit.emit(st.CallExtern("register.write", instance_of(call), inputs, (), span))


def _get_hash(call: ExternCall) -> va.Value:
    """get_hash(data), get_hash(base, data, max)"""
    unit, span = call.scope.unit, call.span
    assert call.receiver is not None
    algorithm = algorithm_of(unit, call.receiver, "algo", span)
    target = layout.scalar_type(unit, result_type(call))
    if not isinstance(target, Bits):
        raise unit.failure(span, "a hash is a number")
    if not _has(call, "base"):
        fields = _whole_bytes(data_list(call, "data"))
        return fold.cast(hashed(unit, algorithm, fields, span), target, span)
    base, data, limit = values_of(call, "base", "data", "max")
    fields = _whole_bytes(ex.ListExpression(tuple(places.scalar_leaves(data)), span))
    base_, limit_ = (as_number(unit, value, span) for value in (base, limit))
    value = hashed(unit, algorithm, fields, span)
    return fold.cast(into_range(value, base_, limit_, target, span), target, span)


def _whole_bytes(fields: ex.ListExpression) -> ex.ListExpression:
    """Zeros in front where the fields are not whole bytes together, as psa_switch has it: PSA leaves it open."""
    missing = -sum(width_of(item.type) for item in fields.items) % 8
    if not missing or any(isinstance(item.type, Varbit) for item in fields.items):
        return fields
    return ex.ListExpression((fold.bits(0, missing, fields.span), *fields.items), fields.span)


def _random(call: ExternCall) -> va.Value:
    unit, span = call.scope.unit, call.span
    type_ = layout.scalar_type(unit, result_type(call))
    if call.receiver is None or not isinstance(type_, Bits):
        raise unit.failure(span, "random numbers are of a type bit<W>")
    low, high = (constructor_number(unit, call.receiver, name, span) for name in ("min", "max"))
    if low > high:
        raise unit.failure(span, f"there is no number from {low} to {high}")
    raw = Bits(type_.width)
    first, last = (fold.bits(number, raw.width, span) for number in (0, high - low))
    distance = unit.temporary("random", raw, span)
    unit.emit(st.CallExtern("random.range", None, (first, last), (distance,), span))
    number = fold.cast(ex.Read(distance, raw, span), type_, span)
    return fold.binary(ex.BinaryOp.ADD, number, fold.bits(low, type_.width, span, type_.signed), span)


def _pack(call: ExternCall) -> None:
    call.scope.unit.emit(st.CallExtern("digest.send", instance_of(call), (data_list(call, "data"),), (), call.span))


METHODS: dict[tuple[str, str], Handler] = {
    ("Counter", "count"): _count,
    ("DirectCounter", "count"): _count,
    ("Meter", "execute"): _execute,
    ("Meter", "dpdk_execute"): _execute,
    ("DirectMeter", "execute"): _execute,
    ("DirectMeter", "dpdk_execute"): _execute,
    ("Register", "read"): _register_read,
    ("Register", "write"): _register_write,
    ("Hash", "get_hash"): _get_hash,
    ("Random", "read"): _random,
    ("Digest", "pack"): _pack,
    **{(extern, name): handler for extern, methods in CHECKSUMS.items() for name, handler in methods.items()},
}
