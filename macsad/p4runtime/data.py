"""P4Data of values of P4 types, as the switch has them, and back. P4Runtime spec 1.4.1 section 8.5.

The switch has the fields of a value, however they are nested, one after the other: in a digest's record each in whole bytes,
in an element of a register bit by bit.
"""

from __future__ import annotations

from collections.abc import Iterator

from macsad.p4runtime.codes import Code, Refused
from macsad.p4runtime.messages import Message
from macsad.p4runtime.numbers import canonical
from macsad.p4runtime.strings import Translations, to_switch


class Unsupported(Exception):
    """A type whose values the switch does not have as they are."""


class Values:
    """Of one type. `widths`: bits of its fields as the switch has them.

    Raises: Unsupported.
    """

    def __init__(self, types: Message, spec: Message, widths: tuple[int, ...], translations: Translations) -> None:
        self._types, self._spec, self._translations = types, spec, translations
        self._widths = widths
        self._sizes = tuple((width + 7) // 8 for width in widths)
        if sum(1 for _ in self._leaves(spec)) != len(widths):
            raise Unsupported

    def _leaves(self, spec: Message) -> Iterator[str]:
        """The kinds of the fields."""
        kind = spec.WhichOneof("type_spec")
        match kind:
            case "tuple":
                for member in spec.tuple.members:
                    yield from self._leaves(member)
            case "struct":
                for member in self._types.structs[spec.struct.name].members:
                    yield from self._leaves(member.type_spec)
            case "header":
                yield from ["bitstring"] * self._members(spec.header.name)
            case "header_stack":
                yield from ["bitstring"] * self._members(spec.header_stack.header.name) * spec.header_stack.size
            case "bitstring" | "bool" | "serializable_enum" | "new_type":
                yield kind
            case _:
                raise Unsupported

    def _members(self, header: str) -> int:
        return len(self._types.headers[header].members)

    # --- to controllers ----------------------------------------------------------------------------------------------

    def decode(self, record: bytes, data: Message) -> None:
        """Fill a P4Data with a record."""
        self._fill(self._spec, data, self._fields(record))

    def unpack(self, element: bytes, data: Message) -> None:
        """Fill a P4Data with an element of a register."""
        number, fields = int.from_bytes(element, "big"), []
        for width, size in zip(reversed(self._widths), reversed(self._sizes), strict=True):
            fields.append((number & ((1 << width) - 1)).to_bytes(size, "big"))
            number >>= width
        self._fill(self._spec, data, reversed(fields))

    def _fields(self, record: bytes) -> Iterator[bytes]:
        at = 0
        for size in self._sizes:
            yield record[at : at + size]
            at += size

    def _fill(self, spec: Message, data: Message, fields: Iterator[bytes]) -> None:
        match spec.WhichOneof("type_spec"):
            case "tuple":
                data.tuple.SetInParent()
                for member in spec.tuple.members:
                    self._fill(member, data.tuple.members.add(), fields)
            case "struct":
                data.struct.SetInParent()
                for member in self._types.structs[spec.struct.name].members:
                    self._fill(member.type_spec, data.struct.members.add(), fields)
            case "header":
                self._fill_header(spec.header.name, data.header, fields)
            case "header_stack":
                data.header_stack.SetInParent()
                for _ in range(spec.header_stack.size):
                    self._fill_header(spec.header_stack.header.name, data.header_stack.entries.add(), fields)
            case "bool":
                data.bool = next(fields) != b"\0"
            case "serializable_enum":
                data.enum_value = canonical(next(fields))
            case "new_type":
                data.bitstring = self._translations.to_controller(next(fields), spec.new_type.name)
            case _:
                data.bitstring = canonical(next(fields))

    def _fill_header(self, name: str, header: Message, fields: Iterator[bytes]) -> None:
        header.is_valid = True
        for _ in range(self._members(name)):
            header.bitstrings.append(canonical(next(fields)))

    # --- to the switch -----------------------------------------------------------------------------------------------

    def pack(self, data: Message) -> bytes:
        """An element of a register. Raises: Refused."""
        number = total = 0
        for field, width in zip(self._given(self._spec, data, iter(self._widths)), self._widths, strict=True):
            number, total = number << width | int.from_bytes(field, "big"), total + width
        return number.to_bytes((total + 7) // 8, "big")

    def _given(self, spec: Message, data: Message, widths: Iterator[int]) -> Iterator[bytes]:
        """The fields of a P4Data that is of the type, each in whole bytes."""
        kind = spec.WhichOneof("type_spec")
        held = {"serializable_enum": "enum_value", "new_type": "bitstring"}.get(kind, kind)
        if data.WhichOneof("data") != held:
            raise Refused(Code.INVALID_ARGUMENT, f"a value of type {kind} is {held} of P4Data")
        match kind:
            case "tuple":
                yield from self._given_members([*spec.tuple.members], data.tuple.members, widths)
            case "struct":
                members = [member.type_spec for member in self._types.structs[spec.struct.name].members]
                yield from self._given_members(members, data.struct.members, widths)
            case "header":
                yield from self._given_header(spec.header.name, data.header, widths)
            case "header_stack":
                _same_number(data.header_stack.entries, spec.header_stack.size)
                for entry in data.header_stack.entries:
                    yield from self._given_header(spec.header_stack.header.name, entry, widths)
            case "bool":
                next(widths)
                yield bytes([data.bool])
            case "new_type":
                yield to_switch(data.bitstring, next(widths), self._translations.named(spec.new_type.name))
            case _:
                yield to_switch(getattr(data, held), next(widths), None)

    def _given_members(self, specs: list[Message], members: Message, widths: Iterator[int]) -> Iterator[bytes]:
        _same_number(members, len(specs))
        for spec, member in zip(specs, members, strict=True):
            yield from self._given(spec, member, widths)

    def _given_header(self, name: str, header: Message, widths: Iterator[int]) -> Iterator[bytes]:
        if not header.is_valid:
            raise Refused(Code.UNIMPLEMENTED, "headers in registers are valid")
        _same_number(header.bitstrings, self._members(name))
        for bits in header.bitstrings:
            yield to_switch(bits, next(widths), None)


def _same_number(given: Message, wanted: int) -> None:
    if len(given) != wanted:
        raise Refused(Code.INVALID_ARGUMENT, f"a value has {wanted} members, not {len(given)}")
