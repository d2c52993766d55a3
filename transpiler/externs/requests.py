"""What a program asks the architecture to do with a packet."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from transpiler.hlir.expressions import Place


@dataclass(frozen=True, slots=True)
class Cipher:
    """AES-128-CBC over the payload, with a key and an initialization vector of 16 bytes each."""

    run: Callable[[bytes, bytes, bytes], bytes]
    key: bytes
    iv: bytes


@dataclass(slots=True)
class Requests:
    """What has been asked for; the last call of each kind counts."""

    clone_ingress: tuple[int, tuple[Place, ...]] | None = None
    clone_egress: tuple[int, tuple[Place, ...]] | None = None
    resubmit: tuple[Place, ...] | None = None
    recirculate: tuple[Place, ...] | None = None
    truncate: int | None = None
    cipher: Cipher | None = None

    def after_ingress(self) -> Requests:
        """Those that count when the packet, or a copy of it, leaves egress."""
        return Requests(truncate=self.truncate, recirculate=self.recirculate, cipher=self.cipher)
