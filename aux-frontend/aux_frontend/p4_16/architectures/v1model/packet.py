"""The functions that decide about the packet: v1model's drop, clone, resubmit, recirculate.

Which metadata survive: those in the list of the older forms, or those marked `@field_list(…)` with the number given.
"""

from __future__ import annotations

import re

from aux_frontend.p4_16 import ast, types as ty
from aux_frontend.p4_16.elaborate import expressions, fold, layout, names, values as va
from aux_frontend.p4_16.elaborate.architecture import ExternCall, Handler, architecture_of
from aux_frontend.p4_16.elaborate.convert import to_scalar
from aux_frontend.p4_16.elaborate.effects import has_effects
from aux_frontend.p4_16.elaborate.extern_calls import constant_enum, values_of
from aux_frontend.p4_16.elaborate.unit import Unit
from transpiler.architectures.v1model.facts import DROP_PORT
from transpiler.hlir import expressions as ex, statements as st
from transpiler.hlir.types import Bits, Enum

# --- preserved fields ------------------------------------------------------------------------------------------------


def note_field_lists(unit: Unit, type_: ty.Ty, location: va.Location) -> None:
    """Remember which user metadata each @field_list names."""
    if not isinstance(type_, ty.Struct) or not isinstance(location, va.StructLocation) or type_.declaration is None:
        return
    inner = {
        name: (field_type, field) for (name, field_type), (_, field) in zip(type_.fields, location.fields, strict=True)
    }
    for declared in type_.declaration.fields:
        field_type, field = inner[declared.name]
        annotation = names.find(declared.annotations, "field_list")
        if annotation is not None:
            for number in _numbers(unit, annotation):
                unit.field_lists.setdefault(number, []).extend(_scalar_places(field))
        else:
            note_field_lists(unit, layout.stripped(field_type), field)


def _numbers(unit: Unit, annotation: ast.Annotation) -> list[int]:
    """The numbers in @field_list(1, E.member); names are looked up among the program's constants and enums."""
    constants: dict[str, int | bool | str | None] = {}
    for declaration in unit.checked.program.declarations:
        match declaration:
            case ast.ConstDeclaration(name=name, value=value):
                constants[name] = unit.checked.constants.get(value)
            case ast.EnumDeclaration(name=name, members=members):
                for member in members:
                    number = unit.checked.constants.get(member.value) if member.value is not None else None
                    constants[f"{name}.{member.name}"] = number
    numbers = []
    for token in re.findall(r"[A-Za-z_][\w.]*|\d\w*", annotation.body):
        number = constants.get(token)
        if not isinstance(number, int):
            try:
                number = int(re.sub(r"^\d+[ws]", "", token), 0)
            except ValueError:
                raise unit.failure(annotation.span, f"'{token}' is not the number of a field list") from None
        numbers.append(number)
    return numbers


def _scalar_places(location: va.Location) -> list[ex.Place]:
    match location:
        case va.ScalarLocation(place=place):
            return [place]
        case va.StructLocation(fields=fields):
            return [place for _, field in fields for place in _scalar_places(field)]
        case va.HeaderLocation(type=type_, place=header):
            return [ex.FieldRef(header, name, header.span) for name, _ in layout.leaves(type_)]
    return []


def _listed(call: ExternCall) -> tuple[ex.Place, ...]:
    """The fields of the list whose number is the argument `index`."""
    argument = call.argument("index")
    assert argument is not None
    number = expressions.integer(call.scope, argument)
    return tuple(dict.fromkeys(call.scope.unit.field_lists.get(number, ())))


def _given(call: ExternCall) -> tuple[ex.Place, ...]:
    """The metadata among the values of the argument `data` of the older forms. They are named, not read: that a later
    argument changes them, so that what they were would be kept here, makes no difference."""
    argument, scope = call.argument("data"), call.scope
    assert argument is not None
    if argument in scope.known and scope.parent is not None and not has_effects(scope.unit, argument):
        scope = scope.parent
    found: list[ex.Place] = []
    pending: list[va.Value] = [expressions.evaluate(scope, argument)]
    while pending:
        match pending.pop(0):
            case ex.Read(place=place) | ex.Cast(operand=ex.Read(place=place)):
                found.append(place)
            case va.StructValue(fields=fields):
                pending = [value for _, value in fields] + pending
            case va.HeaderValue(fields=leaves):
                pending = [leaf for _, leaf in leaves] + pending
    return tuple(dict.fromkeys(found))


# --- functions -------------------------------------------------------------------------------------------------------


def _mark_to_drop(call: ExternCall) -> None:
    """egress_spec = 511, mcast_grp = 0, of the argument or, in the older form, of the packet's own metadata."""
    unit, span = call.scope.unit, call.span
    argument = call.resolved.arguments[0] if call.resolved.arguments else None
    values = {"egress_spec": DROP_PORT, "mcast_grp": 0}
    own = dict(architecture_of(unit).intrinsics(unit))
    where = expressions.location(call.scope, argument) if argument is not None else None
    for name, value in values.items():
        if isinstance(where, va.StructLocation):
            field = dict(where.fields).get(name)
            place = field.place if isinstance(field, va.ScalarLocation) else None
        else:
            place = ex.VariableRef(own[name], span) if name in own else None
        if isinstance(place, ex.VariableRef):
            type_ = unit.variables[place.name].type
            number = fold.bits(value, type_.width if isinstance(type_, Bits) else 16, span)
            unit.emit(st.Assign(ex.VariableRef(place.name, span), number, span))


def _clone(call: ExternCall, fields: tuple[ex.Place, ...]) -> None:
    unit, span = call.scope.unit, call.span
    match constant_enum(call, "type"):
        case ex.Const(value=value, type=Enum(members=members)):
            method = "clone.ingress" if members[value] == "I2E" else "clone.egress"
        case _:
            raise unit.failure(span, "the kind of clone must be known at compile time")
    (session,) = values_of(call, "session")
    unit.emit(st.CallExtern(method, None, (to_scalar(unit, session, Bits(32), span),), (), span, fields))


def _again(call: ExternCall, method: str, fields: tuple[ex.Place, ...]) -> None:
    call.scope.unit.emit(st.CallExtern(method, None, (), (), call.span, fields))


PACKET_FUNCTIONS: dict[str, Handler] = {
    "mark_to_drop": _mark_to_drop,
    "clone": lambda call: _clone(call, ()),
    "clone3": lambda call: _clone(call, _given(call)),
    "clone_preserving_field_list": lambda call: _clone(call, _listed(call)),
    "resubmit": lambda call: _again(call, "resubmit.request", _given(call)),
    "resubmit_preserving_field_list": lambda call: _again(call, "resubmit.request", _listed(call)),
    "recirculate": lambda call: _again(call, "recirculate.request", _given(call)),
    "recirculate_preserving_field_list": lambda call: _again(call, "recirculate.request", _listed(call)),
}
