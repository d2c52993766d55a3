"""Sanitized switches survive commands and messages of every kind, between frames: answers, and what is wrong is told."""

from __future__ import annotations

import os
import re
import socket
import struct
import subprocess
from collections.abc import Iterator
from pathlib import Path
from random import Random

import pytest
import switches
from commands import Commands
from switch_harness import Switch

from macsad.protocol import Message

PACKETS = Path(__file__).parents[1] / "packets"
COUNT = int(os.environ.get("MACSAD_FUZZ_COMMANDS", "2000"))
SEED = int(os.environ.get("MACSAD_FUZZ_SEED", "0"))
PORTS = ("--port=0=ctl:", "--port=1=ctl:")
SANITIZED = ("address", "undefined")
SHUTDOWN = Message.SHUTDOWN


@pytest.fixture(scope="module", params=["psa_externs", "tables", "value_sets"])
def program(request: pytest.FixtureRequest) -> Path:
    return PACKETS / f"{request.param}.p4"


@pytest.fixture(scope="module")
def switch(program: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Switch]:
    running = Switch(switches.build(program, SANITIZED), tmp_path_factory.mktemp("commands"), PORTS)
    yield running
    running.stop()


def commands_for(switch: Switch, program: Path, random: Random) -> Commands:
    sets = [value_set.name for value_set in switches.load(program).value_sets]
    return Commands(switch.client.command("help").text, switch.client.describe(), sets, random)


def test_commands_between_frames(switch: Switch, program: Path) -> None:
    random = Random(SEED)
    commands = commands_for(switch, program, random)
    done = failed = 0
    for _ in range(max(COUNT // 100, 1)):
        reply = switch.client.bulk([commands.line() for _ in range(100)], keep_going=True, answers=True)
        assert not re.search(r"error: *$", reply.text, re.MULTILINE)
        done, failed = done + reply.done, failed + reply.failed
        frames = [(random.randrange(2), random.randbytes(random.randint(1, 80))) for _ in range(16)]
        switch.client.exchange(frames)
    assert done > COUNT // 20 and failed > COUNT // 20
    stats = switch.client.stats()
    assert stats["received"] + stats["copies"] == stats["sent"] + stats["dropped"]


def test_messages(switch: Switch) -> None:
    """Payloads of the right form with wrong lengths, of each type."""
    random = Random(SEED)
    for _ in range(max(COUNT // 10, 1)):
        kind = random.choice([kind for kind in Message if kind is not SHUTDOWN])
        frame = random.randbytes(random.choice((0, 1, 14, 60, 9000)))
        length = random.choice((len(frame), len(frame), 0, 0xFFFFFFFF, len(frame) + 1))
        payload = random.choice(
            (
                b"",
                struct.pack(">H", random.choice((0, 1, 2, 0xFFFF))) + struct.pack(">I", length) + frame,
                struct.pack(">HH", random.choice((0, 1, 257, 0xFFFF)), random.choice((0, 1, 257, 0xFFFF))),
                bytes([random.randrange(256)]) + b"show_tables\n\n\0\nshow_ports",
                random.randbytes(random.randrange(12)),
            )
        )
        with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as connection:
            connection.settimeout(10)
            connection.connect(str(switch.socket))
            connection.sendall(struct.pack(">IBBH", len(payload), kind, random.choice((0, 0, 9)), 1) + payload)
            head = connection.recv(8, socket.MSG_WAITALL)
            assert len(head) == 8 and head[4] in (kind, Message.DIGEST)
    switch.client.set_batch(32, 8)
    assert switch.client.stats()["workers"] == 1


def test_a_file_of_commands(switch: Switch, program: Path, tmp_path: Path) -> None:
    """The first that is wrong ends the switch, with its line; bytes that are no text do too."""
    random = Random(SEED)
    commands = commands_for(switch, program, random)
    file = tmp_path / "entries"
    for content in (
        "\n".join(commands.line() for _ in range(200)).encode(),
        random.randbytes(5000),
        b"table_add " * 50_000,
        b"# no end of line",
    ):
        file.write_bytes(content)
        command = [switch.process.args[0], *PORTS, "--entries", str(file), "--until-idle"]
        done = subprocess.run(command, capture_output=True, check=False, timeout=20)
        assert done.returncode == (0 if content.startswith(b"#") else 1), done.stderr
        assert b"Sanitizer" not in done.stderr and b"runtime error" not in done.stderr
        assert (str(file).encode() + b":" in done.stderr) == (done.returncode == 1)
