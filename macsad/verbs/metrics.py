"""macsad metrics"""

from __future__ import annotations

import signal
import threading
from pathlib import Path

import click

from macsad import sockets
from macsad.addresses import BadAddress, host_and_port
from macsad.metrics.exporting import listening, require
from macsad.protocol import ControlError


@click.command("metrics")
@click.argument("address", metavar="ADDRESS")
@click.option("--socket", type=click.Path(path_type=Path),
              help="The switch's control socket; that of the only running switch if left out.")  # fmt: skip
@click.option("--anywhere", is_flag=True, help="Listen at an address that other hosts reach.")
def command(address: str, socket: Path | None, anywhere: bool) -> int:
    """Serve metrics of a running switch for Prometheus at ADDRESS (HOST:PORT), until Ctrl-C.

    Where the switch ends, the metric macsad_up is 0 until another one listens at its socket.
    """
    require()
    try:
        place = host_and_port(address, anywhere)
        path = socket or sockets.running_socket()
    except (BadAddress, ControlError) as error:
        raise click.ClickException(str(error)) from None
    asked = threading.Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda *_: asked.set())
    with listening(place, path):
        asked.wait()
    return 0
