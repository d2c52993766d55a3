"""P4 types as P4Info has them: P4DataTypeSpec and P4TypeInfo of p4types.proto. P4Runtime spec 1.4 section 7."""

from __future__ import annotations

import re
from collections.abc import Iterator

from transpiler.diagnostics import Diagnostics
from transpiler.hlir import interface as it
from transpiler.hlir.program import Program
from transpiler.hlir.types import Bits, Bool, Varbit
from transpiler.p4info import annotations as notes
from transpiler.p4info.messages import Message

TRANSLATION = "p4runtime_translation"
_TRANSLATION = re.compile(r'\s*("(?:[^"\\]|\\.)*")\s*,\s*(?:(string)|bit\s*<\s*(\w+)\s*>|(\w+))\s*')


def translation(definition: it.NewTypeDefinition, diagnostics: Diagnostics) -> tuple[str, int] | None:
    """(URI, width of the controller's values, 0 for strings) of a type whose values controllers see otherwise."""
    note = notes.find(definition.annotations, TRANSLATION)
    if note is None:
        return None
    match = _TRANSLATION.fullmatch(note.body)
    width = 0 if match and match[2] else notes.literal_number((match[3] or match[4]) if match else "")
    if match is None or width is None:
        diagnostics.error(note.span, f'expected @{TRANSLATION}("URI", bit<W>) or @{TRANSLATION}("URI", string)')
        return None
    if not isinstance(definition.original, Bits) or definition.original.signed:
        diagnostics.error(note.span, f"values of '{definition.name}' cannot be translated: its type is not bit<W>")
        return None
    return notes.unquoted(match[1]), width


def data_spec(message: Message, type_: it.DataType) -> None:
    """Fill a P4DataTypeSpec."""
    match type_:
        case Bits() | Varbit():
            bitstring(message.bitstring, type_)
        case Bool():
            message.bool.SetInParent()
        case it.ErrorType():
            message.error.SetInParent()
        case it.NamedType(kind=it.TypeKind.STRUCT, name=name):
            message.struct.name = name
        case it.NamedType(kind=kind, name=name):
            getattr(message, kind.value).name = name
        case it.TupleType(members=members):
            message.tuple.SetInParent()
            for member in members:
                data_spec(message.tuple.members.add(), member)
        case it.StackType(element=element, size=size) if element.kind is it.TypeKind.HEADER:
            message.header_stack.header.name = element.name
            message.header_stack.size = size
        case it.StackType(element=element, size=size):
            message.header_union_stack.header_union.name = element.name
            message.header_union_stack.size = size


def bitstring(message: Message, type_: Bits | Varbit) -> None:
    """Fill a P4BitstringLikeTypeSpec."""
    match type_:
        case Bits(width=width, signed=True):
            message.int.bitwidth = width
        case Bits(width=width):
            message.bit.bitwidth = width
        case Varbit(max_width=width):
            message.varbit.max_bitwidth = width


def octets(value: int) -> bytes:
    """The canonical bytes of a number: the fewest that hold it, one at least. P4Runtime spec 1.4 section 8.4."""
    return value.to_bytes(max(1, (value.bit_length() + 7) // 8), "big")


def fill(info: Message, program: Program, diagnostics: Diagnostics) -> None:
    """Fill a P4TypeInfo with what the program's interface defines."""
    for definition in program.interface.definitions:
        match definition:
            case it.StructDefinition():
                _struct(info, definition)
            case it.EnumDefinition():
                _enum(info, definition)
            case it.NewTypeDefinition():
                _new_type(info, definition, diagnostics)
    if any(isinstance(type_, it.ErrorType) for type_ in _data_types(program)):
        info.error.members.extend(program.errors.members)


def _struct(info: Message, definition: it.StructDefinition) -> None:
    described = getattr(info, f"{definition.kind.value}s")[definition.name]
    for name, type_ in definition.members:
        member = described.members.add()
        member.name = name
        match definition.kind, type_:
            case it.TypeKind.HEADER, Bits() | Varbit():
                bitstring(member.type_spec, type_)
            case it.TypeKind.HEADER_UNION, it.NamedType(name=header):
                member.header.name = header
            case _:
                data_spec(member.type_spec, type_)
    notes.add(described, definition.annotations)


def _enum(info: Message, definition: it.EnumDefinition) -> None:
    described = getattr(info, f"{definition.kind.value}s")[definition.name]
    notes.add(described, definition.annotations)
    if definition.underlying is not None:
        described.underlying_type.bitwidth = definition.underlying.width
    for name, value in definition.members:
        member = described.members.add()
        member.name = name
        if definition.underlying is not None and value is not None:
            member.value = octets(value % (1 << definition.underlying.width))


def _new_type(info: Message, definition: it.NewTypeDefinition, diagnostics: Diagnostics) -> None:
    described = info.new_types[definition.name]
    notes.add(described, definition.annotations, {TRANSLATION})
    translated = translation(definition, diagnostics)
    if translated is None:
        data_spec(described.original_type, definition.original)
        return
    described.translated_type.uri, width = translated
    if width:
        described.translated_type.sdn_bitwidth = width
    else:
        described.translated_type.sdn_string.SetInParent()


def _data_types(program: Program) -> Iterator[it.DataType]:
    """All types that the control plane meets, parts of others too."""
    for instance in program.externs:
        if instance.data is not None:
            yield from _parts(instance.data)
    for definition in program.interface.definitions:
        match definition:
            case it.StructDefinition(members=members):
                for _, type_ in members:
                    yield from _parts(type_)
            case it.NewTypeDefinition(original=original):
                yield from _parts(original)
    for table in program.tables:
        if any(key.expression.type == program.errors for key in table.keys):
            yield it.ErrorType()


def _parts(type_: it.DataType) -> Iterator[it.DataType]:
    yield type_
    if isinstance(type_, it.TupleType):
        for member in type_.members:
            yield from _parts(member)
