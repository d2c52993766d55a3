"""The logic of `macsad run`: starts the switch, shows its counters while it runs, ends it cleanly."""

from __future__ import annotations

import contextlib
import os
import shutil
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from macsad import sockets, statistics
from macsad.control import Client
from macsad.progress import redrawn
from macsad.protocol import ControlError, NoSwitchError
from macsad.statistics import Statistics

# What a switch understands, as its --help has it.
SWITCH_OPTIONS = (
    "--port", "--entries", "--socket", "--workers", "--back-workers", "--part-workers", "--fall-back", "--no-fall-back",
    "--cpus", "--burst", "--sub-batch", "--batch", "--adapt", "--no-adapt", "--stats", "--count",
    "--until-end", "--until-idle", "--parent", "--log", "--buffers", "--max-frame", "--seed", "--busy", "--host",
    "--replaceable", "--pcap", "--priority-queues", "--verbose", "--help",
)  # fmt: skip
PERIOD_S = 1.0
Beside = Callable[[Path], contextlib.AbstractContextManager[Any]]
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
    beside: Beside = contextlib.nullcontext,
) -> int:
    """Run the switch until no port can receive any more or it is interrupted; its exit code (0 after Ctrl-C), 128 + N when
    signal N killed it. `tells_ends`: its platform tells the end of a file; else that is taken from what comes no more.
    `beside`: what runs with it, given its socket, once it listens."""
    try:
        with contextlib.nullcontext((socket, False)) if socket else sockets.place() as (listening, other):
            if other:
                print(f"another switch has the usual socket; this one listens at {listening}", file=sys.stderr)
            return _run_at(listening, switch_command, ports, entries, rest, tells_ends, beside)
    except sockets.PlaceError as error:
        print(f"error: {error}", file=sys.stderr)
        return 1


def _run_at(
    listening: Path,
    switch_command: tuple[str, ...],
    ports: tuple[str, ...],
    entries: Path | None,
    rest: tuple[str, ...],
    tells_ends: bool,
    beside: Beside,
) -> int:
    command = [*switch_command, "--socket", str(listening), "--until-end", "--parent", str(os.getpid())]
    command += [word for port in ports for word in ("--port", port)]
    command += ["--entries", str(entries)] if entries else []
    if not tells_ends and all(port.partition("=")[2].startswith(("pcap:", "null:")) for port in ports):
        command.append("--until-idle")
    with _printing() as printed, _started([*command, *rest], printed) as switch:
        code = _while_running(switch, listening, beside, printed)
    return code if code >= 0 else KILLED - code


class _Printed:
    """Passes on what the switch prints to a terminal: above the table that is redrawn there, while one is."""

    def __init__(self) -> None:
        self._read, self.descriptor = os.pipe()
        self.write: Callable[[str], object] = _print
        self._thread = threading.Thread(target=self._pass_on, daemon=True)

    def begin(self) -> None:
        """The switch has its end of the pipe, or none was started."""
        os.close(self.descriptor)
        self._thread.start()

    def finish(self) -> None:
        """The switch has ended."""
        self._thread.join()

    def _pass_on(self) -> None:
        with os.fdopen(self._read, "rb") as lines, contextlib.suppress(OSError):
            for line in lines:
                self.write(line.decode(errors="backslashreplace"))


def _print(text: str) -> None:
    print(text, end="", flush=True)


@contextlib.contextmanager
def _printing() -> Iterator[_Printed | None]:
    """Where standard output is the terminal on which counters are redrawn."""
    if not (sys.stderr.isatty() and sys.stdout.isatty()):
        yield None
        return
    printed = _Printed()
    try:
        yield printed
    finally:
        printed.finish()


def _while_running(switch: subprocess.Popen[bytes], listening: Path, beside: Beside, printed: _Printed | None) -> int:
    """Its exit code. What cannot run beside it ends it."""
    with contextlib.ExitStack() as stack:
        if beside is not contextlib.nullcontext and (client := _connect(switch, listening)) is not None:
            client.close()
            try:
                stack.enter_context(beside(listening))
            except BaseException:
                switch.terminate()
                raise
        if sys.stderr.isatty():
            _watch(switch, listening, printed)
        return switch.wait()


@contextlib.contextmanager
def _started(command: list[str], printed: _Printed | None) -> Iterator[subprocess.Popen[bytes]]:
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
        try:
            switch = subprocess.Popen(command, stdout=printed.descriptor if printed else None)
        finally:
            if printed:
                printed.begin()
        with switch:
            if asked:
                switch.terminate()
            yield switch
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def _left_alone() -> set[signal.Signals]:
    """nohup has the end of the terminal ignored."""
    return {signal.SIGHUP} if signal.getsignal(signal.SIGHUP) is signal.SIG_IGN else set()


def _watch(switch: subprocess.Popen[bytes], socket: Path, printed: _Printed | None) -> None:
    """Show the switch's counters every second until it ends."""
    before: Statistics | None = None
    # a terminal may go away meanwhile; a switch says itself what is wrong with it
    with contextlib.suppress(ControlError, OSError):
        client = _connect(switch, socket)
        if client is None:
            return
        with client, redrawn(sys.stderr, transient=True) as draw:
            if printed:
                printed.write = draw.above  # also when nothing is drawn any more
            while switch.poll() is None:
                now = client.stats()
                draw(statistics.table(now, before, shutil.get_terminal_size().columns))
                before = now
                with contextlib.suppress(subprocess.TimeoutExpired):
                    switch.wait(PERIOD_S)


def _connect(switch: subprocess.Popen[bytes], socket: Path) -> Client | None:
    """A connection as soon as the switch listens, however long its entries take; None when it ends before."""
    while switch.poll() is None:
        try:
            return Client(socket)
        except NoSwitchError:
            with contextlib.suppress(subprocess.TimeoutExpired):
                switch.wait(0.05)
    return None
