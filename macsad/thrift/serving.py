"""The services as `macsad run --thrift` starts them, beside a switch that listens."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click

from macsad.protocol import ControlError

HERE = "127.0.0.1"


@dataclass(frozen=True, slots=True)
class Settings:
    """The port to serve at, on this host alone; `config`: the program as BMv2's JSON, if it has that form."""

    port: int
    device: int = 0
    config: str | None = None

    def check(self) -> None:
        """What is wrong is told before anything is compiled. Raises: click.ClickException."""
        try:
            import thriftpy2  # noqa: F401
        except ImportError as error:
            raise click.ClickException(f"Thrift needs thriftpy2: pip install 'macsad[bmv2]' ({error})") from None

    def listen(self) -> Any:
        """Take connections from now on: calls wait for the switch. Raises: click.ClickException."""
        from macsad.thrift.server import Server

        try:
            return Server(HERE, self.port)
        except OSError as error:
            raise click.ClickException(f"cannot serve Thrift at port {self.port}: {error.strerror}") from None


@contextlib.contextmanager
def serving(settings: Settings, server: Any, place: Path, build: Any = None) -> Iterator[Any]:
    """Services of the switch at that socket, while the context lasts; yields what they know of it. `server`: from listen();
    `build` compiles another program, where the switch takes one.

    Raises: click.ClickException.
    """
    from macsad.thrift.config import config_of
    from macsad.thrift.management import Identity
    from macsad.thrift.switch import Switch

    try:
        switch = Switch(place)
        config = settings.config or config_of(switch.program)
        server.start(switch, Identity(config, settings.device, server.port), build)
        click.echo(f"ready: Thrift of {switch.program.name} at {HERE}:{server.port}")
        yield switch
    except ControlError as error:
        raise click.ClickException(str(error)) from None
    finally:
        server.close()
