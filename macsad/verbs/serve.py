"""macsad serve"""

from __future__ import annotations

import contextlib
import signal
import threading
from pathlib import Path

import click

from macsad import sockets
from macsad.compilation import Request
from macsad.control import Client
from macsad.options import READABLE, program_options
from macsad.p4runtime.serving import Settings, serving
from macsad.protocol import ControlError
from macsad.served import served


@click.command("serve")
@click.argument("address", metavar="ADDRESS")
@program_options
@click.option("--socket", type=click.Path(path_type=Path),
              help="The switch's control socket; that of the only running switch if left out.")  # fmt: skip
@click.option("--device-id", type=click.IntRange(0, (1 << 64) - 1), default=0, show_default=True,
              help="The number by which controllers know the switch.")  # fmt: skip
@click.option("--cpu-port", type=click.IntRange(0, 65535),
              help="The ctl: port of packets from and to controllers; the only one if left out.")  # fmt: skip
@click.option("--anywhere", is_flag=True, help="Listen at an address that other hosts reach.")
@click.option("--tls-key", type=READABLE, help="TLS: the server's private key, PEM.")
@click.option("--tls-certificate", type=READABLE, help="TLS: its certificate, PEM.")
@click.option("--tls-clients", type=READABLE, help="TLS: authorities whose certificates clients must show, PEM.")
def command(
    address: str,
    socket: Path | None,
    device_id: int,
    cpu_port: int | None,
    anywhere: bool,
    tls_key: Path | None,
    tls_certificate: Path | None,
    tls_clients: Path | None,
    **program: object,
) -> int:
    """Serve P4Runtime at ADDRESS (HOST:PORT or unix:PATH) for a running switch of PROGRAM, until Ctrl-C.

    If the switch ends, it waits for the next one.
    """
    settings = Settings(address, device_id, cpu_port, anywhere, (tls_key, tls_certificate, tls_clients))
    settings.check()
    try:
        path = socket or sockets.running_socket()
    except ControlError as error:
        raise click.ClickException(str(error)) from None
    request = Request.of(program)
    known = served(request, info=True)
    asked = threading.Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda *_: asked.set())
    source = request.path.read_bytes()
    while not asked.is_set():
        with serving(settings, settings.listen(), known, source, path) as service:
            while not asked.wait(0.2) and not service.switch_ended.is_set():
                pass
        if not asked.is_set():
            click.echo(f"the switch has ended: waiting for another one at {path}")
            _wait_for_switch(path, asked)
    return 0


def _wait_for_switch(path: Path, asked: threading.Event) -> None:
    """Until one listens there, or somebody has asked to end."""
    while not asked.wait(0.2):
        with contextlib.suppress(ControlError), Client(path):
            return
