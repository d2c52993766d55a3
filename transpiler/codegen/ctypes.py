"""C types for HLIR types, and their values in C."""

from __future__ import annotations

from transpiler.codegen.c.integers import WORD, limbs as limbs, natural as natural
from transpiler.codegen.c.nodes import Compound, Expression, Literal
from transpiler.hlir.types import Bits, Bool, Enum, Type, Varbit


def is_wide(type_: Type) -> bool:
    """Whether values are macs_wN structs rather than C integers."""
    return isinstance(type_, Bits) and type_.width > WORD


def c_type(type_: Type) -> str:
    """The C type of a value. A varbit's bytes stay in the frame: its value says where and how many."""
    match type_:
        case Bits(width=width) if width > WORD:
            return f"macs_w{limbs(width)}"
        case Bits(width=width):
            return f"uint{natural(width)}_t"
        case Bool():
            return "bool"
        case Enum():
            return "uint32_t"
        case Varbit():
            return "macs_varbit"
    raise TypeError(f"no C type for {type_}")


def storage_bytes(type_: Type) -> int:
    """sizeof(c_type(type_))"""
    match type_:
        case Bits(width=width):
            return 8 * limbs(width) if width > WORD else natural(width) // 8
        case Bool():
            return 1
    return 4


def bytes_of(bits: int) -> int:
    """How many bytes hold that many bits."""
    return -(-bits // 8)


def literal(value: int, type_: Type) -> Expression:
    """A value in C: small numbers decimal, others hexadecimal."""
    match type_:
        case Bool():
            return Literal("true" if value else "false")
        case Bits(width=width) if width > WORD:
            return Compound(f"macs_w{limbs(width)}", (_limbs(value, width),))
    return _word(value)


def initialiser(value: int, type_: Type) -> Expression:
    """The same for static data, where a compound literal would not be constant."""
    if isinstance(type_, Bits) and type_.width > WORD:
        return Compound("", (_limbs(value, type_.width),))
    return literal(value, type_)


def _limbs(value: int, width: int) -> Compound:
    return Compound("", tuple(_word(value >> (WORD * i) & (1 << WORD) - 1) for i in range(limbs(width))))


def _word(value: int) -> Literal:
    if value < 10:
        return Literal(str(value))
    if value < 1 << 31:
        return Literal(f"{value:#x}")
    return Literal(f"{value:#x}u" if value < 1 << 32 else f"UINT64_C({value:#x})")
