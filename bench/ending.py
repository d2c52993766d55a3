"""How long a switch takes to end after SIGTERM, whatever it is doing.

    bench/ending.py [SWITCH]      SWITCH: bench/commands.p4, made already

A line a state: the seconds from the signal to the end of the process, and its exit status. At most 1 second is promised.
"""

from __future__ import annotations

import contextlib
import os
import signal
import socket
import struct
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from macsad.control import Client
from macsad.protocol import Message

ROOT = Path(__file__).parents[1]
MILLION = 1 << 20
SETTLE_S = 0.3  # into what it does

Asking = Callable[[Path], list[socket.socket]]


def asking(path: Path, *payloads: bytes) -> socket.socket:
    """A client that asks for all that and reads nothing."""
    connection = socket.socket(socket.AF_UNIX)
    connection.connect(str(path))
    connection.setblocking(False)
    head = struct.Struct(">IBBH")
    with contextlib.suppress(BlockingIOError):
        for payload in payloads:
            kind = Message.BULK if payload.startswith(b"\1") else Message.COMMAND
            connection.send(head.pack(len(payload), kind, 0, 1) + payload)
    return connection


def bulk(line: bytes, times: int) -> bytes:
    return b"\1" + (line + b"\n") * times


def ranges(count: int) -> bytes:
    return b"\1" + b"".join(
        b"table_add by_range forward %d->%d %d => 1 %d\n" % (i % 999, 999, i, i) for i in range(count)
    )


def entries(folder: Path, count: int) -> Path:
    path = folder / "entries"
    with path.open("w") as file:
        file.writelines(f"table_add by_exact forward {i} => 1\n" for i in range(count))
    return path


def nothing(path: Path) -> list[socket.socket]:
    return []


def dumps(path: Path) -> list[socket.socket]:
    return [asking(path, bulk(b"table_dump by_exact", 2000))]


def adds(path: Path) -> list[socket.socket]:
    return [asking(path, ranges(2000)) for _ in range(31)]


def unread(path: Path) -> list[socket.socket]:
    return [asking(path, *[b"table_dump by_exact"] * 50) for _ in range(31)]


def whole(path: Path) -> list[socket.socket]:
    lines = [b"table_clear by_exact", b"register_reset memory", b"meter_array_set_rates rates 1:1 2:2", b"mc_dump"]
    return [asking(path, bulk(line, 500)) for line in lines]


class Ended(Exception):
    """It did not get so far."""


def end(command: list[str], ask: Asking, path: Path, *, ready: bool = True, pipes: bool = False) -> str:
    """Start it, ask, end it; `pipes`: nobody reads what it prints, and there is no room for more."""
    out: int | None = subprocess.DEVNULL
    if pipes:
        kept, out = os.pipe()
        os.set_blocking(out, False)
        with contextlib.suppress(BlockingIOError):
            while not os.write(out, bytes(1 << 12)) < 0:
                pass
        os.set_blocking(out, True)
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL if ready else out, stderr=out)
    if ready:
        Client.wait(path, seconds=60).close()
    held = ask(path) if ready else []
    time.sleep(SETTLE_S)
    if process.poll() is not None:
        raise Ended(command)
    begin = time.monotonic()
    process.send_signal(signal.SIGTERM)
    try:
        status: object = process.wait(30)
    except subprocess.TimeoutExpired:
        process.kill()
        status = f"not ended, killed ({process.wait()})"
    seconds = time.monotonic() - begin
    for connection in held:
        connection.close()
    if pipes:
        os.close(kept)
    return f"{seconds:8.3f} s   exit status {status}{'   <--' if seconds > 1 or status else ''}"


def main() -> None:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        if len(sys.argv) > 1:
            switch = Path(sys.argv[1])
        else:
            build = [str(Path(sys.executable).with_name("macsad")), "build", str(ROOT / "bench/commands.p4")]
            subprocess.run([*build, "-o", name], check=True)
            switch = folder / "commands"
        path = folder / "socket"
        plain = [str(switch), "--port=0=ctl:", f"--socket={path}"]
        laden = [*plain, f"--entries={entries(folder, MILLION)}"]
        states: list[tuple[str, list[str], Asking, bool, bool]] = [
            ("idle, empty", plain, nothing, True, False),
            ("while it starts", plain, nothing, False, False),
            ("while it reads its entries", laden, nothing, False, False),
            ("idle, a million entries", laden, nothing, True, False),
            ("dumps by the thousand", laden, dumps, True, False),
            ("31 clients that add ranges", laden, adds, True, False),
            ("31 clients that do not read", laden, unread, True, False),
            ("clears and resets", laden, whole, True, False),
            ("nobody reads what it prints", plain, nothing, False, True),
        ]
        for what, command, ask, ready, pipes in states:
            print(f"{what:32}", end(command, ask, path, ready=ready, pipes=pipes), flush=True)


if __name__ == "__main__":
    main()
