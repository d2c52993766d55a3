"""A running switch, seen from a test: its process, a client of its control socket, frames and pcap files."""

from __future__ import annotations

import struct
import subprocess
from collections.abc import Sequence
from pathlib import Path

from macsad.control import Client


class Switch:
    """A running switch with `ctl:` ports, and a client of it. Its pool is small: a switch touches all of it when it starts."""

    def __init__(self, binary: Path, folder: Path, arguments: Sequence[str]) -> None:
        self.socket = folder / "sock"
        self.process = subprocess.Popen(
            [str(binary), "--socket", str(self.socket), "--log", str(folder / "log"), "--buffers", "2048", *arguments],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        self.log = folder / "log"
        try:
            self.client = Client.wait(self.socket, seconds=30, timeout=20)
        except Exception:
            self.process.kill()
            raise AssertionError(self.process.communicate()[1]) from None

    def do(self, *lines: str) -> str:
        """Commands that must work; returns what they print."""
        reply = self.client.bulk(lines, answers=True)
        assert not reply.failed, reply.text
        return reply.text

    def fail(self, line: str) -> str:
        """A command that must not work; returns why."""
        reply = self.client.command(line)
        assert not reply.ok, reply.text
        return reply.text

    def stop(self) -> str:
        """End it and check that it ended well; returns its standard output."""
        self.client.close()
        self.process.terminate()
        output, errors = self.process.communicate(timeout=20)
        assert self.process.returncode == 0, errors
        assert not errors, errors
        return output


def ethernet(dst: int = 1, kind: int = 0x1234, src: int = 9, payload: bytes = bytes(46)) -> bytes:
    return dst.to_bytes(6, "big") + src.to_bytes(6, "big") + kind.to_bytes(2, "big") + payload


def ipv4(dst: str, payload: bytes = bytes(26)) -> bytes:
    return ethernet(kind=0x0800, payload=bytes(16) + bytes(map(int, dst.split("."))) + payload)


def write_pcap(path: Path, frames: Sequence[bytes]) -> None:
    records = b"".join(struct.pack("<IIII", 1, 2, len(frame), len(frame)) + frame for frame in frames)
    path.write_bytes(struct.pack("<IHHiIII", 0xA1B2C3D4, 2, 4, 0, 0, 65535, 1) + records)


def read_pcap(path: Path) -> list[bytes]:
    """The frames of a pcap file in either byte order."""
    data, frames, at = path.read_bytes(), [], 24
    order = ">" if data.startswith(b"\xa1\xb2") else "<"
    while at < len(data):
        (length,) = struct.unpack_from(f"{order}I", data, at + 8)
        frames.append(data[at + 16 : at + 16 + length])
        at += 16 + length
    return frames
