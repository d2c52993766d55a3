"""The hash algorithms of `externs.HASH_ALGORITHMS` over whole bytes; each gives (value, width of the value in bits).

Sources: CRC parameters as in the catalogue of parametrised CRC algorithms (CRC-16/ARC, CRC-32/ISO-HDLC), which are also
the ones that the _custom forms have until the control plane sets others; the Internet checksum of RFC 1071.
"""

from __future__ import annotations

from collections.abc import Callable


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


_EXTENDED: dict[str, Callable[[bytes, int], int]] = {
    "crc32": crc32,
    "crc32_custom": crc32,
    "crc16": crc16,
    "crc16_custom": crc16,
    "csum16": csum16,
    "xor16": xor16,
}
_ALGORITHMS: dict[str, tuple[Callable[[bytes], int], int]] = {
    "crc32": (crc32, 32),
    "crc32_custom": (crc32, 32),
    "crc16": (crc16, 16),
    "crc16_custom": (crc16, 16),
    "csum16": (csum16, 16),
    "xor16": (xor16, 16),
    "identity": (identity, 64),
}


def extend(algorithm: str, before: int, data: bytes) -> int:
    """The hash of something of which `before` is the hash, and of `data` behind it. Raises: KeyError."""
    return _EXTENDED[algorithm](data, before)


def compute(algorithm: str, data: bytes) -> int | None:
    """The hash of `data`, None for an algorithm that is not a function of it ("random") or is not known."""
    found = _ALGORITHMS.get(algorithm)
    return found[0](data) if found else None
