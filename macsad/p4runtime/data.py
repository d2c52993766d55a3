"""P4Data of the bytes that the switch sends for a value of a P4 type. P4Runtime spec 1.4.1 section 8.5.

The switch sends the fields of a value, however they are nested, one after the other, each in whole bytes.
"""

from __future__ import annotations

from collections.abc import Iterator

from macsad.p4runtime.messages import Message
from macsad.p4runtime.numbers import canonical
from macsad.p4runtime.strings import Translations


class Unsupported(Exception):
    """A type whose values the switch does not send as they are."""


class Decoder:
    """Makes P4Data of the bytes of values of one type. `widths`: bits of its fields as the switch has them.

    Raises: Unsupported.
    """

    def __init__(self, types: Message, spec: Message, widths: tuple[int, ...], translations: Translations) -> None:
        self._types, self._spec, self._translations = types, spec, translations
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
                yield from ["bitstring"] * len(self._types.headers[spec.header.name].members)
            case "bitstring" | "bool" | "serializable_enum" | "new_type":
                yield kind
            case _:
                raise Unsupported

    def decode(self, record: bytes, data: Message) -> None:
        """Fill a P4Data."""
        self._fill(self._spec, data, self._fields(record))

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
                data.header.is_valid = True
                for _ in self._types.headers[spec.header.name].members:
                    data.header.bitstrings.append(canonical(next(fields)))
            case "bool":
                data.bool = next(fields) != b"\0"
            case "serializable_enum":
                data.enum_value = canonical(next(fields))
            case "new_type":
                data.bitstring = self._translations.to_controller(next(fields), spec.new_type.name)
            case _:
                data.bitstring = canonical(next(fields))
