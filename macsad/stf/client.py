"""A running switch at the other end of its Unix socket: the control protocol of aux-backend/control/protocol.h.

A message is a head (u32 length, u8 type, u8 status, u16 tag; big-endian) and its payload; a reply has the type and tag of its
request. This is the only module of the tests that knows it.
"""

from __future__ import annotations

import socket
import struct
from pathlib import Path

from transpiler.interpreter import ControlError

_HEAD = struct.Struct(">IBBH")
_FRAME = struct.Struct(">HI")
_COMMAND, _INJECT, _COLLECT, _DIGEST, _SET, _SHUTDOWN = 1, 3, 4, 6, 9, 10
_OK, _MORE = 0, 3

ANSWER_SECONDS = 30.0  # a switch that takes longer is taken for stuck


class Client:
    """One connection. Every request raises ControlError when the switch refuses it, or is not there any more."""

    def __init__(self, path: Path) -> None:
        """Raises: OSError when nobody listens there."""
        self._socket = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self._socket.settimeout(ANSWER_SECONDS)
        try:
            self._socket.connect(str(path))
        except OSError:
            self._socket.close()
            raise
        self._tag = 0

    def command(self, line: str) -> str:
        """One line of text commands. Returns what it printed."""
        return self._ask(_COMMAND, line.encode())[1].decode(errors="replace").strip()

    def inject(self, port: int, frames: list[bytes]) -> int:
        """Put frames into a port. Returns how many there was room for."""
        payload = struct.pack(">H", port) + b"".join(struct.pack(">I", len(f)) + f for f in frames)
        return int.from_bytes(self._ask(_INJECT, payload)[1][:4], "big")

    def collect(self) -> list[tuple[int, bytes]]:
        """Wait until all that was put in is through. Returns what came out: (port, frame)."""
        found: list[tuple[int, bytes]] = []
        status = _MORE
        while status == _MORE:
            status, payload = self._ask(_COLLECT, b"")
            at = 0
            while at < len(payload):
                port, length = _FRAME.unpack_from(payload, at)
                at += _FRAME.size
                found.append((port, payload[at : at + length]))
                at += length
        return found

    def set_batch(self, burst: int, sub_batch: int) -> None:
        """Set B and b."""
        self._ask(_SET, struct.pack(">HH", burst, sub_batch))

    def shutdown(self) -> None:
        """Ask the switch to end."""
        self._ask(_SHUTDOWN, b"")

    def close(self) -> None:
        self._socket.close()

    def _ask(self, type_: int, payload: bytes) -> tuple[int, bytes]:
        """Send a request and wait for its reply. Returns its status and payload."""
        self._tag = (self._tag + 1) & 0xFFFF
        try:
            self._socket.sendall(_HEAD.pack(len(payload), type_, 0, self._tag) + payload)
            while True:
                length, kind, status, tag = _HEAD.unpack(self._receive(_HEAD.size))
                reply = self._receive(length)
                if kind == type_ and tag == self._tag:
                    break
        except TimeoutError:
            raise ControlError(f"the switch has not answered for {ANSWER_SECONDS:.0f} seconds") from None
        except OSError as error:
            raise ControlError(f"the switch is gone: {error}") from None
        if status not in (_OK, _MORE):
            raise ControlError(reply.decode(errors="replace").strip())
        return status, reply

    def _receive(self, length: int) -> bytes:
        parts = bytearray()
        while len(parts) < length:
            part = self._socket.recv(min(length - len(parts), 1 << 20))
            if not part:
                raise ConnectionResetError("it closed the connection")
            parts += part
        return bytes(parts)
