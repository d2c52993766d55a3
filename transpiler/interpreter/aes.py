"""AES-128 in cipher block chaining mode (FIPS 197, NIST SP 800-38A section 6.2), by the package `cryptography`."""

from __future__ import annotations

from cryptography.hazmat.primitives.ciphers import Cipher
from cryptography.hazmat.primitives.ciphers.algorithms import AES128
from cryptography.hazmat.primitives.ciphers.modes import CBC

BLOCK = 16


def encrypt_cbc(key: bytes, iv: bytes, data: bytes) -> bytes:
    """`data`: whole blocks."""
    encryptor = Cipher(AES128(key), CBC(iv)).encryptor()
    return encryptor.update(data) + encryptor.finalize()


def decrypt_cbc(key: bytes, iv: bytes, data: bytes) -> bytes:
    """`data`: whole blocks."""
    decryptor = Cipher(AES128(key), CBC(iv)).decryptor()
    return decryptor.update(data) + decryptor.finalize()
