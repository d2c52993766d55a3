"""Checksum and InternetChecksum of PSA and PNA: values that a parser or control adds to while it runs over one packet.

An object is one local variable: the hash of what was added since the last clear, as a number that is 0 at the start (of
the Internet checksum that is the ones' complement sum, the checksum's complement). P4-16 PSA 1.2, sections 7.6 and 7.7.
"""

from __future__ import annotations

from aux_frontend.p4_16 import ast, types as ty
from aux_frontend.p4_16.checker import typeops
from aux_frontend.p4_16.elaborate import fold, layout, values as va
from aux_frontend.p4_16.elaborate.architecture import ExternCall, Handler
from aux_frontend.p4_16.elaborate.convert import to_scalar
from aux_frontend.p4_16.elaborate.extern_calls import data_list, hash_type, hashed, values_of
from aux_frontend.p4_16.elaborate.scope import ExternObject
from aux_frontend.p4_16.elaborate.unit import Unit
from transpiler.diagnostics import NotRun, Span
from transpiler.externs.algorithms import ALGORITHMS
from transpiler.hlir import expressions as ex, program as pr, statements as st
from transpiler.hlir.types import Bits, Enum

# PSA_HashAlgorithm_t, PNA_HashAlgorithm_t; TARGET_DEFAULT is what BMv2 makes of it
_ALGORITHMS = {
    "IDENTITY": "identity",
    "CRC32": "crc32",
    "CRC32_CUSTOM": "crc32_custom",
    "CRC16": "crc16",
    "CRC16_CUSTOM": "crc16_custom",
    "ONES_COMPLEMENT16": "csum16",
    "TARGET_DEFAULT": "crc16",
}
_INTERNET = "csum16"
_COMPLEMENTED = (_INTERNET,)  # whose hash of nothing is all ones


def algorithm_of(unit: Unit, made: ExternObject, argument: str, span: Span) -> str:
    """The hash algorithm that a constructor was given, by its name in HLIR."""
    match made.arguments.get(argument):
        case ex.Const(value=ordinal, type=Enum(members=members)):
            if members[ordinal] in _ALGORITHMS:
                return _ALGORITHMS[members[ordinal]]
            raise NotRun(unit.diagnostics, span, f"the hash algorithm {members[ordinal]} is not supported")
    raise unit.failure(span, "the hash algorithm must be known at compile time")


def result_type(call: ExternCall) -> ty.Ty:
    """What a method or function returns here."""
    target = call.resolved.target
    assert isinstance(target, ast.MethodPrototype | ast.FunctionPrototype) and target.result is not None
    declared = call.scope.unit.checked.type_refs[target.result]
    return call.scope.resolve(typeops.substitute(declared, call.resolved.substitution))


def make_checksum(unit: Unit, made: ExternObject, span: Span) -> None:
    """The variable of a new object."""
    algorithm = _algorithm(unit, made, span)
    if ALGORITHMS[algorithm].extend is None:
        raise unit.failure(span, f"a checksum cannot be made with '{algorithm}'")
    name = unit.add_variable(f"{made.name}.sum", hash_type(algorithm), pr.Storage.LOCAL, span)
    made.state = ex.VariableRef(name, span)


def _algorithm(unit: Unit, made: ExternObject, span: Span) -> str:
    return _INTERNET if made.declaration.name == "InternetChecksum" else algorithm_of(unit, made, "hash", span)


def _state(call: ExternCall) -> tuple[str, ex.VariableRef, Bits]:
    unit = call.scope.unit
    if call.receiver is None or call.receiver.state is None:
        raise unit.failure(call.span, "this object has no state")
    algorithm = _algorithm(unit, call.receiver, call.span)
    return algorithm, ex.VariableRef(call.receiver.state.name, call.span), hash_type(algorithm)


def _turned(algorithm: str, value: ex.Expression, span: Span) -> ex.Expression:
    """From the variable to the hash, and back."""
    return fold.unary(ex.UnaryOp.COMPLEMENT, value, span) if algorithm in _COMPLEMENTED else value


def _clear(call: ExternCall) -> None:
    _, place, type_ = _state(call)
    call.scope.unit.emit(st.Assign(place, fold.bits(0, type_.width, call.span), call.span))


def _extend(call: ExternCall, data: ex.ListExpression) -> None:
    unit, span = call.scope.unit, call.span
    algorithm, place, type_ = _state(call)
    before = _turned(algorithm, ex.Read(place, type_, span), span)
    after = unit.temporary("checksum", type_, span)
    unit.emit(st.CallExtern("hash.extend", None, (ex.Text(algorithm, span), before, data), (after,), span))
    unit.emit(st.Assign(place, _turned(algorithm, ex.Read(after, type_, span), span), span))


def _add(call: ExternCall) -> None:
    _extend(call, data_list(call, "data"))


def _subtract(call: ExternCall) -> None:
    """RFC 1624: adds the complement of the sum of the data, which is their checksum."""
    removed = hashed(call.scope.unit, _INTERNET, data_list(call, "data"), call.span)
    _extend(call, ex.ListExpression((removed,), call.span))


def _get(call: ExternCall) -> va.Value:
    algorithm, place, type_ = _state(call)
    unit, span = call.scope.unit, call.span
    target = layout.scalar_type(unit, result_type(call))
    if not isinstance(target, Bits):
        raise unit.failure(span, "a checksum is a number")
    result = unit.temporary("checksum", type_, span)
    unit.emit(st.Assign(result, _turned(algorithm, ex.Read(place, type_, span), span), span))
    return fold.cast(ex.Read(result, type_, span), target, span)


def _get_state(call: ExternCall) -> va.Value:
    _, place, type_ = _state(call)
    unit, span = call.scope.unit, call.span
    result = unit.temporary("checksum_state", type_, span)
    unit.emit(st.Assign(result, ex.Read(place, type_, span), span))
    return ex.Read(result, type_, span)


def _set_state(call: ExternCall) -> None:
    _, place, type_ = _state(call)
    (value,) = values_of(call, "checksum_state")
    unit, span = call.scope.unit, call.span
    unit.emit(st.Assign(place, to_scalar(unit, value, type_, span), span))


CHECKSUMS: dict[str, dict[str, Handler]] = {
    "Checksum": {"clear": _clear, "update": _add, "get": _get},
    "InternetChecksum": {
        "clear": _clear,
        "add": _add,
        "subtract": _subtract,
        "get": _get,
        "get_state": _get_state,
        "set_state": _set_state,
    },
}
