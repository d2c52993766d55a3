"""A switch for an ARM board: one command makes a static binary, which forwards the same packets as the one of this machine."""

from __future__ import annotations

import random
import shutil
import subprocess
from pathlib import Path

import pytest
from frames import ipv4_frame
from switch_harness import read_pcap, write_pcap

from macsad.cli import call

L3FWD = Path(__file__).parents[2] / "apps" / "l3fwd"
FRAMES = 3000


def forward(command: list[str], folder: Path, source: Path) -> list[bytes]:
    """Let a file through; what the four ports have sent, as files."""
    outputs = [folder / f"out{port}.pcap" for port in range(4)]
    ports = [f"--port={port}=pcap:{source if port == 0 else ''},{outputs[port]}" for port in range(4)]
    arguments = [*command, *ports, "--entries", str(L3FWD / "entries.txt"), "--until-idle"]
    done = subprocess.run(arguments, capture_output=True, text=True, check=False, timeout=60)
    assert done.returncode == 0, done.stderr
    return [output.read_bytes() for output in outputs]


def test_aarch64_forwards_as_this_machine_does(tmp_path: Path) -> None:
    missing = [t for t in ("aarch64-linux-gnu-gcc", "qemu-aarch64-static") if shutil.which(t) is None]
    if missing:
        pytest.skip(f"not installed: {', '.join(missing)}")
    arm, native = tmp_path / "arm", tmp_path / "native"
    program = str(L3FWD / "l3fwd.p4")
    assert call(["build", program, "--arch", "aarch64", "-o", str(arm)]) == 0
    assert call(["build", program, "-o", str(native)]) == 0
    content = (arm / "l3fwd").read_bytes()
    assert content[:4] == b"\x7fELF" and int.from_bytes(content[18:20], "little") == 183  # EM_AARCH64
    assert b"/lib/ld-linux" not in content  # static: asks for no loader
    chance = random.Random(183)
    write_pcap(tmp_path / "in.pcap", [ipv4_frame(chance, chance.randrange(1400)) for _ in range(FRAMES)])
    of_arm = forward(["qemu-aarch64-static", str(arm / "l3fwd")], arm, tmp_path / "in.pcap")
    of_native = forward([str(native / "l3fwd")], native, tmp_path / "in.pcap")
    assert of_arm == of_native
    assert all(len(read_pcap(native / f"out{port}.pcap")) > 100 for port in range(3))
