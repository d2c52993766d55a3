"""C types for HLIR types, and C literals."""

from __future__ import annotations

from transpiler.hlir.types import Bits, Bool, Enum, Type, Varbit

WORD = 64


def limbs(width: int) -> int:
    """64-bit limbs of a wide integer."""
    return -(-width // WORD)


def is_wide(type_: Type) -> bool:
    """Whether values are macs_wN structs rather than C integers."""
    return isinstance(type_, Bits) and type_.width > WORD


def natural(width: int) -> int:
    """The width of the smallest C integer that holds `width` (≤ 64) bits."""
    return next(bits for bits in (8, 16, 32, 64) if width <= bits)


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


def literal(value: int, type_: Type) -> str:
    """A C literal: small numbers decimal, others hexadecimal."""
    match type_:
        case Bool():
            return "true" if value else "false"
        case Bits(width=width) if width > WORD:
            words = [value >> (WORD * i) & (1 << WORD) - 1 for i in range(limbs(width))]
            return f"(macs_w{limbs(width)}){{{{{', '.join(_word(word) for word in words)}}}}}"
    return _word(value)


def _word(value: int) -> str:
    if value < 10:
        return str(value)
    if value < 1 << 31:
        return f"{value:#x}"
    return f"{value:#x}u" if value < 1 << 32 else f"UINT64_C({value:#x})"
