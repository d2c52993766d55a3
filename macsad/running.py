"""The logic of `macsad run`: starts the switch, shows its counters while it runs, ends it cleanly."""

from __future__ import annotations

import contextlib
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.live import Live
from rich.table import Table

from macsad.control import Client, ControlError, default_socket, prepare_socket_folder

PERIOD_S = 1.0


def run(
    switch_command: tuple[str, ...],
    ports: tuple[str, ...],
    entries: Path | None,
    socket: Path | None,
    rest: tuple[str, ...],
) -> int:
    """Run the switch until it ends or is interrupted; its exit code (0 after Ctrl-C)."""
    listening = socket or default_socket()
    prepare_socket_folder(listening)
    command = [*switch_command, "--socket", str(listening)]
    command += [word for port in ports for word in ("--port", port)]
    command += ["--entries", str(entries)] if entries else []
    if all(_ends(port) for port in ports):
        command.append("--until-idle")
    with subprocess.Popen([*command, *rest]) as switch, _passing_signals(switch):
        if sys.stderr.isatty():
            _watch(switch, listening)
        return switch.wait()


def _ends(port: str) -> bool:
    """Whether a port's input is a file that is not read for ever."""
    _, _, name = port.partition("=")
    return name.startswith("pcap:") and not name.endswith("loops=0")


@contextlib.contextmanager
def _passing_signals(switch: subprocess.Popen[bytes]) -> Iterator[None]:
    """SIGTERM goes on to the switch; Ctrl-C reaches it by itself, and is left to it."""
    before = {
        signal.SIGINT: signal.signal(signal.SIGINT, lambda *_: None),
        signal.SIGTERM: signal.signal(signal.SIGTERM, lambda *_: switch.terminate()),
    }
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def _watch(switch: subprocess.Popen[bytes], socket: Path) -> None:
    """Show the switch's counters every second until it ends."""
    try:
        client = Client.wait(socket)
    except (ControlError, OSError):
        return  # it has ended already, or says itself what is wrong
    with client, Live(console=Console(stderr=True), transient=True, auto_refresh=False) as live:
        last: dict[str, Any] | None = None
        while switch.poll() is None:
            try:
                now = client.stats()
            except (ControlError, OSError):
                return
            live.update(table(now, last), refresh=True)
            last = now
            with contextlib.suppress(subprocess.TimeoutExpired):
                switch.wait(PERIOD_S)


def table(now: dict[str, Any], last: dict[str, Any] | None) -> Table:
    """Statistics as a table; rates need an earlier reading."""
    shown = Table("port", "name", "received", "per second", "sent", "per second", box=None, pad_edge=False)
    before = {port["port"]: port for port in last["ports"]} if last else {}
    for port in now["ports"]:
        old = before.get(port["port"], port)
        cells = [str(port["port"]), port["name"]]
        for count in ("rx_packets", "tx_packets"):
            cells += [f"{port[count]:,}", f"{(port[count] - old[count]) / PERIOD_S:,.0f}"]
        shown.add_row(*cells)
    causes = ", ".join(f"{cause} {count:,}" for cause, count in now["drops"].items() if count)
    shown.caption = f"dropped: {causes}" if causes else None
    return shown
