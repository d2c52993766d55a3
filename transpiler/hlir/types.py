"""HLIR types: what is left of P4's types after elaboration.

Structs, tuples, unions and generics are gone (flattened or specialised by the frontend); enums with a representation
and typedefs are their bits. P4-16 spec 1.2.5 section 7.
"""

from __future__ import annotations

from dataclasses import dataclass

from transpiler.diagnostics import Span


@dataclass(frozen=True, slots=True)
class Bits:
    """bit<width> or int<width> (two's complement). Values are kept as non-negative ints below 2**width."""

    width: int
    signed: bool = False

    def __str__(self) -> str:
        return f"{'int' if self.signed else 'bit'}<{self.width}>"


@dataclass(frozen=True, slots=True)
class Bool:
    """bool; values are 0 and 1."""

    def __str__(self) -> str:
        return "bool"


@dataclass(frozen=True, slots=True)
class Enum:
    """An enum without representation, `error` included; a value is the ordinal of its member."""

    name: str
    members: tuple[str, ...]

    def __str__(self) -> str:
        return self.name


@dataclass(frozen=True, slots=True)
class Varbit:
    """varbit<max_width>: header fields and whole-value copies only."""

    max_width: int

    def __str__(self) -> str:
        return f"varbit<{self.max_width}>"


@dataclass(frozen=True, slots=True)
class String:
    """Compile-time text, an argument of log_msg and friends."""

    def __str__(self) -> str:
        return "string"


Type = Bits | Bool | Enum | Varbit | String


@dataclass(frozen=True, slots=True)
class Field:
    """A header field. `type` is Bits, Bool, Enum-free: one bit for bool, the representation for enums, or one Varbit."""

    name: str
    type: Bits | Varbit
    span: Span


@dataclass(frozen=True, slots=True)
class HeaderType:
    """A header layout in wire order, most significant bit first. P4-16 spec section 7.2.2."""

    name: str
    fields: tuple[Field, ...]
    span: Span

    @property
    def fixed_bits(self) -> int:
        """Width on the wire without the varbit field."""
        return sum(f.type.width for f in self.fields if isinstance(f.type, Bits))

    def field(self, name: str) -> Field:
        """The field of that name. Raises: KeyError."""
        for candidate in self.fields:
            if candidate.name == name:
                return candidate
        raise KeyError(f"{self.name} has no field {name}")


def width_of(type_: Type) -> int:
    """Bits that a value takes in a key, in a digest or in a checksum; a varbit counts its maximum, an enum 32 (P4Runtime)."""
    match type_:
        case Bits(width=width):
            return width
        case Bool():
            return 1
        case Varbit(max_width=width):
            return width
        case Enum():
            return 32
    raise TypeError(f"{type_} has no width")
