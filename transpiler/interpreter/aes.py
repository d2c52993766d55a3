"""AES-128 in cipher block chaining mode: FIPS 197, and NIST SP 800-38A section 6.2. Plain and slow, for reference only.

A state is its 16 bytes in the order of the input, so byte number 4 * column + row is row, column of FIPS 197.
"""

from __future__ import annotations

BLOCK = 16
_ROUNDS = 10


def _times(a: int, b: int) -> int:
    """The product in GF(2^8) modulo x^8 + x^4 + x^3 + x + 1 (FIPS 197, section 4.2)."""
    product = 0
    while b:
        product ^= a if b & 1 else 0
        a = a << 1 ^ (0x11B if a & 0x80 else 0)
        b >>= 1
    return product


def _substitute(byte: int) -> int:
    """The S-box: the inverse, which is the 254th power, then an affine map (section 5.1.1)."""
    inverse, square = 1, byte
    for _ in range(7):  # 254 = 2 + 4 + … + 128
        square = _times(square, square)
        inverse = _times(inverse, square)
    mixed = 0x63
    for n in range(5):
        mixed ^= (inverse << n | inverse >> 8 - n) & 0xFF
    return mixed


_SBOX = tuple(map(_substitute, range(256)))
_INVERSE_SBOX = tuple(_SBOX.index(byte) for byte in range(256))
_PRODUCTS = {factor: tuple(_times(byte, factor) for byte in range(256)) for factor in (1, 2, 3, 9, 11, 13, 14)}
_SHIFTED = tuple((4 * (column + row) + row) % BLOCK for column in range(4) for row in range(4))
_SHIFTED_BACK = tuple((4 * (column - row) + row) % BLOCK for column in range(4) for row in range(4))


def encrypt_cbc(key: bytes, iv: bytes, data: bytes) -> bytes:
    """`data`: whole blocks."""
    keys, out, last = _round_keys(key), bytearray(), iv
    for at in range(0, len(data), BLOCK):
        last = _encrypt(keys, _xor(data[at : at + BLOCK], last))
        out += last
    return bytes(out)


def decrypt_cbc(key: bytes, iv: bytes, data: bytes) -> bytes:
    """`data`: whole blocks."""
    keys, out, last = _round_keys(key), bytearray(), iv
    for at in range(0, len(data), BLOCK):
        block = data[at : at + BLOCK]
        out += _xor(_decrypt(keys, block), last)
        last = block
    return bytes(out)


def _round_keys(key: bytes) -> list[bytes]:
    """Key expansion (section 5.2): a key for each round, and one before the first."""
    words = [key[at : at + 4] for at in range(0, BLOCK, 4)]
    constant = 1
    for number in range(4, 4 * (_ROUNDS + 1)):
        word = words[-1]
        if number % 4 == 0:
            rotated = bytes(_SBOX[word[(i + 1) % 4]] for i in range(4))
            word = bytes((rotated[0] ^ constant, *rotated[1:]))
            constant = _times(constant, 2)
        words.append(_xor(words[-4], word))
    return [b"".join(words[at : at + 4]) for at in range(0, len(words), 4)]


def _encrypt(keys: list[bytes], block: bytes) -> bytes:
    state = _xor(block, keys[0])
    for number in range(1, _ROUNDS + 1):
        state = bytes(_SBOX[state[at]] for at in _SHIFTED)
        if number < _ROUNDS:
            state = _mix(state, (2, 3, 1, 1))
        state = _xor(state, keys[number])
    return state


def _decrypt(keys: list[bytes], block: bytes) -> bytes:
    state = block
    for number in range(_ROUNDS, 0, -1):
        state = _xor(state, keys[number])
        if number < _ROUNDS:
            state = _mix(state, (14, 11, 13, 9))
        state = bytes(_INVERSE_SBOX[state[at]] for at in _SHIFTED_BACK)
    return _xor(state, keys[0])


def _mix(state: bytes, factors: tuple[int, int, int, int]) -> bytes:
    """Each column times the circulant matrix whose first row is given (sections 5.1.3, 5.3.3)."""
    tables = [_PRODUCTS[factor] for factor in factors]
    return bytes(
        tables[-row % 4][state[first]]
        ^ tables[(1 - row) % 4][state[first + 1]]
        ^ tables[(2 - row) % 4][state[first + 2]]
        ^ tables[(3 - row) % 4][state[first + 3]]
        for first in range(0, BLOCK, 4)
        for row in range(4)
    )


def _xor(a: bytes, b: bytes) -> bytes:
    return bytes(x ^ y for x, y in zip(a, b, strict=True))
