"""What the control plane sees of a program beyond what packets need: annotations, P4's own types, controller headers.

HLIR flattens types; controllers still name them (P4Runtime spec 1.4 sections 5 and 7). So a frontend notes here, beside the
flattened form, which P4 types the control plane meets. Nothing that runs packets reads this.
"""

from __future__ import annotations

import enum
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from transpiler.diagnostics import Span
from transpiler.hlir.types import Bits, Bool, Varbit

Literal = int | bool | str


@dataclass(frozen=True, slots=True)
class Annotation:
    """@name(body), body as its source text; interpreted by whoever knows the name.

    `structured` is the other form, @name[…]: its values, each with the key before its `=` ("" in a list of values).
    """

    name: str
    body: str
    span: Span
    structured: tuple[tuple[str, Literal], ...] | None = None


# --- types as P4 has them --------------------------------------------------------------------------------------------


class TypeKind(enum.Enum):
    STRUCT = "struct"
    HEADER = "header"
    HEADER_UNION = "header_union"
    ENUM = "enum"
    SERIALIZABLE_ENUM = "serializable_enum"
    NEW_TYPE = "new_type"


@dataclass(frozen=True, slots=True)
class NamedType:
    """A type by its name; `Interface.definitions` has what it is."""

    kind: TypeKind
    name: str


@dataclass(frozen=True, slots=True)
class ErrorType:
    """`error`; its members are `Program.errors`."""


@dataclass(frozen=True, slots=True)
class TupleType:
    members: tuple[DataType, ...]


@dataclass(frozen=True, slots=True)
class StackType:
    """A stack of headers or header unions."""

    element: NamedType
    size: int


DataType = Bits | Bool | Varbit | NamedType | ErrorType | TupleType | StackType


@dataclass(frozen=True, slots=True)
class StructDefinition:
    """A struct, header or header union. Those of headers are flat: `outer.inner` names a field of a struct within one."""

    kind: TypeKind
    name: str
    members: tuple[tuple[str, DataType], ...]
    annotations: tuple[Annotation, ...] = ()


@dataclass(frozen=True, slots=True)
class EnumDefinition:
    """Members with their values, and the width of these; both absent in an enum without representation."""

    kind: TypeKind
    name: str
    members: tuple[tuple[str, int | None], ...]
    underlying: Bits | None = None
    annotations: tuple[Annotation, ...] = ()


@dataclass(frozen=True, slots=True)
class NewTypeDefinition:
    """`type T name`; `original` is what is left when all such wrappers are taken off."""

    name: str
    original: DataType
    span: Span
    annotations: tuple[Annotation, ...] = ()

    @property
    def kind(self) -> TypeKind:
        return TypeKind.NEW_TYPE


Definition = StructDefinition | EnumDefinition | NewTypeDefinition


def scalars(type_: DataType, definitions: Mapping[str, Definition], name: str = "") -> Iterator[tuple[str, int]]:
    """The scalars that a value consists of, in order: name and bits. None of what has no bits of its own: errors, varbits,
    enums without representation, and header unions."""
    match type_:
        case Bits(width=width):
            yield name, width
        case Bool():
            yield name, 1
        case TupleType(members=members):
            for at, member in enumerate(members):
                yield from scalars(member, definitions, f"{name}[{at}]")
        case StackType(element=element, size=size):
            for at in range(size):
                yield from scalars(element, definitions, f"{name}[{at}]")
        case NamedType(kind=TypeKind.HEADER_UNION):
            return
        case NamedType(name=defined):
            yield from _scalars_of(definitions[defined], definitions, name)


def _scalars_of(definition: Definition, definitions: Mapping[str, Definition], name: str) -> Iterator[tuple[str, int]]:
    match definition:
        case StructDefinition(members=members):
            for member, type_ in members:
                yield from scalars(type_, definitions, f"{name}.{member}" if name else member)
        case EnumDefinition(underlying=Bits(width=width)):
            yield name, width
        case NewTypeDefinition(original=original):
            yield from scalars(original, definitions, name)


# --- fields ----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class InterfaceField:
    """A field that the control plane names: of a controller header or of a value set. `type_name` as in `Variable`."""

    name: str
    width: int
    span: Span
    type_name: str = ""
    annotations: tuple[Annotation, ...] = ()


@dataclass(frozen=True, slots=True)
class ControllerHeader:
    """A header type with @controller_header("name"): what packets from and to the controller carry in front."""

    name: str
    type: str
    fields: tuple[InterfaceField, ...]
    span: Span
    annotations: tuple[Annotation, ...] = ()


@dataclass(frozen=True, slots=True)
class CalledAction:
    """An action that a control calls itself, so that it is a part of the control; controllers may still know its name."""

    name: str
    span: Span
    annotations: tuple[Annotation, ...] = ()


@dataclass(frozen=True, slots=True)
class Interface:
    """`annotations` are those of the main package."""

    definitions: tuple[Definition, ...] = ()
    controller_headers: tuple[ControllerHeader, ...] = ()
    called_actions: tuple[CalledAction, ...] = ()
    annotations: tuple[Annotation, ...] = ()


NO_INTERFACE = Interface()
