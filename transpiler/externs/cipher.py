"""cipher: AES-128 in cipher block chaining mode over the payload as it is sent (FIPS 197, NIST SP 800-38A section 6.2), in
the interpreter by the package `cryptography`."""

from __future__ import annotations

from collections.abc import Callable

from cryptography.hazmat.primitives.ciphers import Cipher as Algorithm
from cryptography.hazmat.primitives.ciphers.algorithms import AES128
from cryptography.hazmat.primitives.ciphers.modes import CBC

from transpiler.codegen.c.build import call as c_call
from transpiler.codegen.c.nodes import Body, Member
from transpiler.externs.requests import Cipher
from transpiler.externs.row import BLOCK, PACKET, Compiled, Interpreted, Method, Spelling
from transpiler.hlir.program import Architecture

BLOCK_BYTES = 16


def encrypt_cbc(key: bytes, iv: bytes, data: bytes) -> bytes:
    """`data`: whole blocks."""
    encryptor = Algorithm(AES128(key), CBC(iv)).encryptor()
    return encryptor.update(data) + encryptor.finalize()


def decrypt_cbc(key: bytes, iv: bytes, data: bytes) -> bytes:
    """`data`: whole blocks."""
    decryptor = Algorithm(AES128(key), CBC(iv)).decryptor()
    return decryptor.update(data) + decryptor.finalize()


def _method(operation: str, what: str, run: Callable[[bytes, bytes, bytes], bytes]) -> Method:
    def request(call: Interpreted) -> None:
        key, iv = (call.input(i).to_bytes(BLOCK_BYTES, "big") for i in range(2))
        call.requests.cipher = Cipher(run, key, iv)

    def compiled(call: Compiled) -> Body:
        made = c_call("macs_cipher_request_of", "packet")
        key, iv = (call.stored(i, Member(made, part, arrow=True)) for i, part in enumerate(("key", "iv")))
        return (*call.do("macs_request_cipher", "packet", f"MACS_{operation.upper()}"), key, iv)

    return Method(
        name=f"cipher.{operation}",
        inputs=(BLOCK, BLOCK),
        effect=PACKET,
        doc=f"(key, iv): {what}",
        run=request,
        c=compiled,
        p4=(Spelling(f"aes_128_cbc_{operation}", ("key", "iv"), (Architecture.V1MODEL,)),),
        ciphers=True,
    )


ROWS = (
    _method("encrypt", "AES-128-CBC over the payload as sent", encrypt_cbc),
    _method("decrypt", "the inverse", decrypt_cbc),
)
