"""Numbers as byte strings: canonical to controllers, of a fixed width to the switch. P4Runtime spec 1.4.1 section 8.4."""

from __future__ import annotations

from macsad.p4runtime.codes import Code, Refused


def canonical(value: bytes) -> bytes:
    """The shortest form: no leading zero bytes, one byte at least."""
    return value.lstrip(b"\0") or b"\0"


def fixed(value: bytes, bits: int) -> bytes:
    """In the whole bytes of so many bits. Raises: Refused."""
    if not value:
        raise Refused(Code.INVALID_ARGUMENT, "a value has no bytes")
    number = int.from_bytes(value, "big")
    if number >> bits:
        raise Refused(Code.OUT_OF_RANGE, f"{number:#x} does not fit in {bits} bits")
    return number.to_bytes((bits + 7) // 8, "big")


def prefix_mask(length: int, bits: int) -> bytes:
    """The mask of a prefix in a field of so many bits."""
    return ((1 << bits) - (1 << (bits - length))).to_bytes((bits + 7) // 8, "big")


def below(value: bytes, mask: bytes) -> bool:
    """No bit of the value is outside of the mask; both of the same length."""
    return not int.from_bytes(value, "big") & ~int.from_bytes(mask, "big")
