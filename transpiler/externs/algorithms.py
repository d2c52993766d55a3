"""The hash algorithms, over whole bytes: a row each. In C they are `macs_checksum_NAME`.

Sources: CRC parameters as in the catalogue of parametrised CRC algorithms (CRC-16/ARC, CRC-32/ISO-HDLC), which are also
the ones that the _custom forms have until the control plane sets others; the Internet checksum of RFC 1071.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass


def _reflect(value: int, width: int) -> int:
    return int(f"{value:0{width}b}"[::-1], 2)


def _crc(data: bytes, width: int, polynomial: int, final: int, before: int) -> int:
    """A CRC whose input bytes and remainder are reflected, one bit at a time. `before`: that of what came before, 0 of
    nothing, since the remainder begins with what is added to it in the end."""
    reflected, remainder = _reflect(polynomial, width), before ^ final
    for byte in data:
        remainder ^= byte
        for _ in range(8):
            remainder = remainder >> 1 ^ (reflected if remainder & 1 else 0)
    return remainder ^ final


def crc32(data: bytes, before: int = 0) -> int:
    return _crc(data, 32, 0x04C11DB7, 0xFFFFFFFF, before)


def crc16(data: bytes, before: int = 0) -> int:
    return _crc(data, 16, 0x8005, 0, before)


def _words(data: bytes) -> list[int]:
    padded = data + b"\0" * (len(data) % 2)
    return [padded[i] << 8 | padded[i + 1] for i in range(0, len(padded), 2)]


def csum16(data: bytes, before: int = 0xFFFF) -> int:
    """The complement of the one's complement sum of the 16-bit words; an odd last byte is the high one of its word."""
    total = sum(_words(data)) + (~before & 0xFFFF)
    while total >> 16:
        total = (total & 0xFFFF) + (total >> 16)
    return ~total & 0xFFFF


def xor16(data: bytes, before: int = 0) -> int:
    result = before
    for word in _words(data):
        result ^= word
    return result


def identity(data: bytes) -> int:
    """The first eight bytes, all of them when there are fewer, as one number."""
    return int.from_bytes(data[:8], "big")


@dataclass(frozen=True, slots=True)
class Algorithm:
    """`bits`: of the hash, None where it has as many as are asked for, 64 at most; `compute`: the hash of bytes, None where
    it is no function of them; `extend`: the hash of something and of bytes behind it, of these and of its own hash, where
    there is such a function."""

    name: str
    bits: int | None
    compute: Callable[[bytes], int] | None
    extend: Callable[[bytes, int], int] | None = None


ALGORITHMS = {
    algorithm.name: algorithm
    for algorithm in (
        Algorithm("crc32", 32, crc32, crc32),
        Algorithm("crc32_custom", 32, crc32, crc32),
        Algorithm("crc16", 16, crc16, crc16),
        Algorithm("crc16_custom", 16, crc16, crc16),
        Algorithm("csum16", 16, csum16, csum16),
        Algorithm("xor16", 16, xor16, xor16),
        Algorithm("identity", None, identity),
        Algorithm("random", None, None),
    )
}


CUSTOM = {"crc16_custom": 16, "crc32_custom": 32}  # those of which the control plane can set the parameters → bits


def extend(algorithm: str, before: int, data: bytes) -> int:
    """The hash of something of which `before` is the hash, and of `data` behind it. Raises: KeyError."""
    function = ALGORITHMS[algorithm].extend
    if function is None:
        raise KeyError(algorithm)
    return function(data, before)


def compute(algorithm: str, data: bytes) -> int | None:
    """The hash of `data`, None for an algorithm that is not a function of it ("random") or is not known."""
    found = ALGORITHMS.get(algorithm)
    return found.compute(data) if found is not None and found.compute is not None else None
