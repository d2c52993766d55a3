"""The server as `macsad serve` and `macsad run --p4runtime` start it, beside a switch that listens."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click

from macsad.addresses import BadAddress, checked
from macsad.control import Client
from macsad.protocol import ControlError
from macsad.served import Served

# How long a thread of the interpreter goes on when others wait: a message passes several threads.
_TURN_S = 2e-4


@dataclass(frozen=True, slots=True)
class Settings:
    """Where to serve, as what, and to whom. `tls`: key, certificate and authorities, PEM. `awaits`: the switch has a program
    when a controller has set one."""

    address: str
    device: int = 0
    cpu_port: int | None = None
    anywhere: bool = False
    tls: tuple[Path | None, Path | None, Path | None] = (None, None, None)
    awaits: bool = False

    def check(self) -> None:
        """What is wrong is told before anything is compiled. Raises: click.ClickException."""
        key, certificate, clients = self.tls
        if (key is None) != (certificate is None) or (clients and not key):
            raise click.UsageError("TLS takes --tls-key and --tls-certificate together, and --tls-clients with them")
        try:
            from macsad.p4runtime import server  # noqa: F401
        except ImportError as error:
            raise click.ClickException(f"P4Runtime needs grpcio: pip install 'macsad[p4runtime]' ({error})") from None
        try:
            checked(self.address, self.anywhere)
        except BadAddress as error:
            raise click.ClickException(str(error)) from None

    def listen(self) -> Any:
        """Take connections from now on: calls wait for the switch. Raises: click.ClickException."""
        from macsad.p4runtime import server
        from macsad.p4runtime.streams import Streams

        key, certificate, clients = self.tls
        security = server.Security(key, certificate, clients) if key and certificate else None
        try:
            return server.Listening(checked(self.address, self.anywhere), security, Streams(self.device))
        except (BadAddress, OSError) as error:
            raise click.ClickException(str(error)) from None


@contextlib.contextmanager
def serving(
    settings: Settings, listening: Any, served: Served, source: bytes, socket: Path, build: Any = None
) -> Iterator[Any]:
    """A server of the switch at that socket, while the context lasts; says where it is ready. `listening`: from listen();
    `build` compiles another program, where the switch can take one.

    Raises: click.ClickException.
    """
    from macsad.p4runtime.messages import messages
    from macsad.p4runtime.program import NotOfSwitch, join
    from macsad.p4runtime.service import Service

    sys.setswitchinterval(_TURN_S)
    service, where = None, checked(settings.address, settings.anywhere)
    try:
        with Client(socket) as client:
            told = client.describe()
        info = messages().of("p4.config.v1.P4Info").FromString(served.info)
        joined = join(info, told, served.widths)
        cpu_port = _cpu_port(told, settings.cpu_port)
        service = Service(
            socket,
            joined,
            streams=listening.streams,
            cpu_port=cpu_port,
            device_config=source,
            build=build,
            awaits=settings.awaits,
        )
        listening.start(service)
    except (ControlError, NotOfSwitch) as error:
        if service is not None:
            service.close()
        raise click.ClickException(str(error)) from None
    shown = where if where.startswith("unix:") else f"{where.rpartition(':')[0]}:{listening.port}"
    name = "no program yet" if settings.awaits else told["name"]
    click.echo(f"ready: P4Runtime of {name}, device {settings.device}, at {shown}")
    try:
        yield service
    finally:
        listening.server.stop(0.5).wait(5)  # the next one may want the same address
        service.close()


def _cpu_port(told: dict[str, Any], wanted: int | None) -> int | None:
    """Raises: click.ClickException."""
    there = [port["port"] for port in told["ports"] if port["name"].startswith("ctl:")]
    if wanted is not None and wanted not in there:
        raise click.ClickException(f"the switch has no ctl: port {wanted} (--cpu-port)")
    if wanted is not None:
        return wanted
    return int(there[0]) if len(there) == 1 else None
