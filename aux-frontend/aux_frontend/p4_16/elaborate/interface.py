"""What the control plane sees of P4-16's own types: `transpiler.hlir.interface` of a program.

Definitions are noted when something that the control plane sees is of their type. P4-16 spec 1.2.5 section 7.2, P4Runtime
spec 1.4 sections 7.1 (new types) and 6.4.8 (controller headers).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from aux_frontend.p4_16 import ast, types as ty
from aux_frontend.p4_16.elaborate import layout, names
from aux_frontend.p4_16.elaborate.scope import ExternObject
from aux_frontend.p4_16.elaborate.unit import Unit
from transpiler.diagnostics import Span
from transpiler.hlir import interface as it
from transpiler.hlir.types import Bits, Bool, Varbit, width_of

CONTROLLER_HEADER = "controller_header"


def data_type(unit: Unit, type_: ty.Ty) -> it.DataType | None:
    """The type as the control plane has it, its definitions noted; None when it has none there."""
    match type_:
        case ty.Bit(width=width, signed=signed):
            return Bits(width, signed)
        case ty.Varbit(width=width):
            return Varbit(width)
        case ty.Bool():
            return Bool()
        case ty.Error():
            return it.ErrorType()
        case ty.Tuple(elements=elements):
            members = tuple(m for element in elements if (m := data_type(unit, element)) is not None)
            return it.TupleType(members) if len(members) == len(elements) else None
        case ty.Stack(element=element, size=size):
            inner = data_type(unit, element)
            return it.StackType(inner, size) if isinstance(inner, it.NamedType) else None
        case ty.Struct(declaration=None, fields=fields):
            return data_type(unit, ty.Tuple(tuple(field for _, field in fields)))
        case ty.Struct() | ty.Header() | ty.HeaderUnion() | ty.Enum() | ty.NewType():
            return _named(unit, type_)
    return None


def type_name(unit: Unit, type_: ty.Ty) -> str:
    """What `Variable.type_name` says of a scalar of that type. Enums are noted, since their values need explaining."""
    described = data_type(unit, type_)
    named = isinstance(described, it.NamedType) and described.kind in (it.TypeKind.NEW_TYPE, it.TypeKind.ENUM)
    return described.name if named and isinstance(described, it.NamedType) else ""


def index_type(unit: Unit, made: ExternObject) -> str:
    """What `ExternInstance.index_type` says: the index is the last type parameter of counters and meters, and of registers
    that have one besides their elements'."""
    least = {"counter": 1, "meter": 1, "register": 2}.get(made.declaration.name.lower())
    indexed = least is not None and len(made.type_arguments) >= least
    return type_name(unit, made.type_arguments[-1]) if indexed else ""


def _named(unit: Unit, type_: ty.Struct | ty.Header | ty.HeaderUnion | ty.Enum | ty.NewType) -> it.NamedType:
    declaration = type_.declaration
    assert declaration is not None
    generic = isinstance(type_, ty.Struct | ty.Header | ty.HeaderUnion) and type_.arguments
    name = layout.mangled(type_) if generic else names.full("", declaration.name, declaration.annotations)
    if name not in unit.definitions:
        made = _definition(unit, type_, name)
        unit.definitions[name] = replace(made, annotations=names.kept(unit, declaration.annotations))
    return it.NamedType(unit.definitions[name].kind, name)


def _definition(
    unit: Unit, type_: ty.Struct | ty.Header | ty.HeaderUnion | ty.Enum | ty.NewType, name: str
) -> it.Definition:
    match type_:
        case ty.Struct(fields=fields):
            return it.StructDefinition(it.TypeKind.STRUCT, name, _members(unit, fields))
        case ty.Header():
            leaves = tuple((leaf, layout.stored_type(unit, t)) for leaf, t in layout.leaves(type_))
            return it.StructDefinition(it.TypeKind.HEADER, name, leaves)
        case ty.HeaderUnion(fields=fields):
            return it.StructDefinition(it.TypeKind.HEADER_UNION, name, _members(unit, fields))
        case ty.Enum(underlying=None, members=members):
            return it.EnumDefinition(it.TypeKind.ENUM, name, members)
        case ty.Enum(underlying=underlying, members=members):
            scalar = layout.scalar_type(unit, underlying) if underlying is not None else None
            width = scalar if isinstance(scalar, Bits) else None
            return it.EnumDefinition(it.TypeKind.SERIALIZABLE_ENUM, name, members, width)
        case ty.NewType(declaration=declaration):
            original = data_type(unit, _unwrapped(type_))
            if original is None:
                raise unit.failure(declaration.span, f"the control plane has no values of '{name}'")
            return it.NewTypeDefinition(name, original, declaration.span)


def _unwrapped(type_: ty.Ty) -> ty.Ty:
    while isinstance(type_, ty.NewType):
        type_ = type_.underlying
    return type_


def _members(unit: Unit, fields: tuple[tuple[str, ty.Ty], ...]) -> tuple[tuple[str, it.DataType], ...]:
    return tuple((name, d) for name, field in fields if (d := data_type(unit, field)) is not None)


# --- fields ----------------------------------------------------------------------------------------------------------


def fields_of(unit: Unit, type_: ty.Struct | ty.Header, span: Span) -> tuple[it.InterfaceField, ...]:
    """The scalar fields of a struct or header, as the control plane names them."""
    declared = {f.name: f for f in type_.declaration.fields} if type_.declaration is not None else {}
    result = []
    for name, leaf in _leaves(type_):
        field = declared.get(name.partition(".")[0])
        annotations = names.kept(unit, field.annotations) if field is not None else ()
        given = names.find(field.annotations, "name") if field is not None else None
        scalar = layout.scalar_type(unit, leaf)
        assert scalar is not None, f"{name} of {type_name(unit, type_)} is checked"
        result.append(
            it.InterfaceField(
                names.text_of(given).removeprefix(".") if given is not None else name,
                width_of(scalar),
                field.span if field is not None else span,
                type_name(unit, leaf),
                annotations,
            )
        )
    return tuple(result)


def _leaves(type_: ty.Struct | ty.Header | ty.Tuple, prefix: str = "") -> Iterator[tuple[str, ty.Ty]]:
    """Like `layout.leaves`, but `type` wrappers of scalars stay: they have names that controllers know."""
    for name, field in type_.fields if isinstance(type_, ty.Header) else layout.members(type_):
        inner = layout.stripped(field)
        if isinstance(inner, ty.Struct | ty.Header | ty.Tuple):
            yield from _leaves(inner, f"{prefix}{name}.")
        else:
            yield f"{prefix}{name}", field


def interface(unit: Unit, main: ast.Instantiation) -> it.Interface:
    """Call it last: definitions that anything refers to are there then."""
    headers = tuple(
        _controller_header(unit, declaration, annotation)
        for declaration in unit.checked.program.declarations
        if isinstance(declaration, ast.HeaderDeclaration) and not declaration.type_parameters
        for annotation in [names.find(declaration.annotations, CONTROLLER_HEADER)]
        if annotation is not None
    )
    return it.Interface(
        tuple(unit.definitions.values()),
        headers,
        tuple(unit.called_actions.values()),
        names.kept(unit, main.annotations),
    )


def note_call(unit: Unit, prefix: str, action: ast.ActionDeclaration) -> None:
    """An action is called by a control itself."""
    name = names.full(prefix, action.name, action.annotations)
    if name not in unit.called_actions:
        unit.called_actions[name] = it.CalledAction(name, action.span, names.kept(unit, action.annotations))


def _controller_header(unit: Unit, declaration: ast.HeaderDeclaration, named: ast.Annotation) -> it.ControllerHeader:
    fields = tuple((field.name, unit.checked.type_refs[field.type]) for field in declaration.fields)
    type_ = ty.Header(declaration, (), fields)
    return it.ControllerHeader(
        names.text_of(named),
        names.full("", declaration.name, declaration.annotations),
        fields_of(unit, type_, declaration.span),
        declaration.span,
        names.kept(unit, declaration.annotations),
    )
