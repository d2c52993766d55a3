"""macsad serve"""

from __future__ import annotations

import signal
import threading
from pathlib import Path

import click

from macsad import compilation, sockets
from macsad.compilation import Request
from macsad.control import ControlError
from macsad.options import READABLE, program_options
from macsad.p4runtime.serving import Settings, serving


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
    """Serve P4Runtime at ADDRESS (HOST:PORT or unix:PATH) for a running switch of PROGRAM, until Ctrl-C or the switch ends."""
    settings = Settings(address, device_id, cpu_port, anywhere, (tls_key, tls_certificate, tls_clients))
    settings.check()
    try:
        path = socket or sockets.running_socket()
    except ControlError as error:
        raise click.ClickException(str(error)) from None
    request = Request.of(program)
    hlir = compilation.load(request)
    info = compilation.p4info(request, hlir)
    asked = threading.Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda *_: asked.set())
    with serving(settings, settings.listen(), hlir, info, request.path.read_bytes(), path) as service:
        while not asked.wait(0.2):
            if service.switch_ended.is_set():
                raise click.ClickException("the switch has ended")
    return 0
