"""The logic of `macsad run`: starts the switch, shows its counters while it runs, ends it cleanly."""

from __future__ import annotations

import contextlib
import os
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

# What a switch understands, as its --help has it.
SWITCH_OPTIONS = (
    "--port", "--entries", "--socket", "--workers", "--cpu", "--burst", "--sub-batch", "--batch", "--stats", "--count",
    "--until-end", "--until-idle", "--parent", "--log", "--buffers", "--max-frame", "--seed", "--busy", "--verbose", "--help",
)  # fmt: skip
PERIOD_S = 1.0
KILLED = 128  # and the signal, as shells have it
ENDING = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


def run(
    switch_command: tuple[str, ...],
    ports: tuple[str, ...],
    entries: Path | None,
    socket: Path | None,
    rest: tuple[str, ...],
    *,
    tells_ends: bool = True,
) -> int:
    """Run the switch until no port can receive any more or it is interrupted; its exit code (0 after Ctrl-C), 128 + N when
    signal N killed it. `tells_ends`: its platform tells the end of a file; else that is taken from what comes no more."""
    listening = socket or default_socket()
    prepare_socket_folder(listening)
    command = [*switch_command, "--socket", str(listening), "--until-end", "--parent", str(os.getpid())]
    command += [word for port in ports for word in ("--port", port)]
    command += ["--entries", str(entries)] if entries else []
    if not tells_ends and all(port.partition("=")[2].startswith(("pcap:", "null:")) for port in ports):
        command.append("--until-idle")
    with _started([*command, *rest]) as switch:
        if sys.stderr.isatty():
            _watch(switch, listening)
        code = switch.wait()
    return code if code >= 0 else KILLED - code


@contextlib.contextmanager
def _started(command: list[str]) -> Iterator[subprocess.Popen[bytes]]:
    """The switch. A signal that would end this process ends the switch instead, which then ends this one: Ctrl-C reaches
    both, which does no harm. Where this process is killed all the same, the switch sees it (--parent)."""
    switch: subprocess.Popen[bytes] | None = None
    asked = False

    def end(*_: object) -> None:
        nonlocal asked
        asked = True
        if switch is not None:
            switch.terminate()

    before = {number: signal.signal(number, end) for number in ENDING if number not in _left_alone()}
    try:
        with subprocess.Popen(command) as switch:
            if asked:
                switch.terminate()
            yield switch
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def _left_alone() -> set[signal.Signals]:
    """nohup has the end of the terminal ignored."""
    return {signal.SIGHUP} if signal.getsignal(signal.SIGHUP) is signal.SIG_IGN else set()


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
                live.update(table(now, last), refresh=True)
            except (ControlError, OSError):  # the switch ends, or the terminal has gone
                return
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
