"""What stands for the switch: its program, the connection to it, and what the server knows of it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from macsad.control import Client
from macsad.p4runtime.digests import Digests
from macsad.p4runtime.messages import Message
from macsad.p4runtime.profiles import Profiles
from macsad.p4runtime.program import Program


@dataclass(frozen=True, slots=True)
class Device:
    """`client`: one thread at a time uses it, or what is made with it."""

    client: Client
    program: Program
    profiles: Profiles
    digests: Digests

    @staticmethod
    def of(socket: Path, program: Program, send: Callable[[Message], bool]) -> Device:
        """Of the switch at that socket; `send` sends to the primary controllers. Raises: ControlError, OSError."""
        client = Client(socket)
        for strings in program.translations:
            strings.keep(Client(socket))
        return Device(client, program, Profiles(client, program), Digests(client, program, send))

    def close(self) -> None:
        self.client.close()
        for strings in self.program.translations:
            strings.close()
