"""Switches for other machines, of either byte order: one command makes a static binary, which forwards the same packets as
the one of this machine."""

from __future__ import annotations

import random
import shutil
import subprocess
from pathlib import Path
from typing import Literal

import pytest
from frames import ipv4_frame
from switch_harness import read_pcap, write_pcap

from macsad.cli import call
from transpiler.toolchain.architectures import ARCHITECTURES
from transpiler.toolchain.toolchain import emulator

L3FWD = Path(__file__).parents[2] / "apps" / "l3fwd"
PROGRAM = str(L3FWD / "l3fwd.p4")
FRAMES = 3000
ELF_MACHINE = {"aarch64": 183, "armv7": 40, "riscv64": 243, "s390x": 22}


def forward(command: list[str], folder: Path, source: Path) -> list[list[bytes]]:
    """Let a file through; the frames that the four ports have sent."""
    outputs = [folder / f"out{port}.pcap" for port in range(4)]
    ports = [f"--port={port}=pcap:{source if port == 0 else ''},{outputs[port]}" for port in range(4)]
    arguments = [*command, *ports, "--entries", str(L3FWD / "entries.txt"), "--until-idle"]
    done = subprocess.run(arguments, capture_output=True, text=True, check=False, timeout=60)
    assert done.returncode == 0, done.stderr
    return [read_pcap(output) for output in outputs]


@pytest.fixture(scope="module")
def source(tmp_path_factory: pytest.TempPathFactory) -> Path:
    chance = random.Random(183)
    file = tmp_path_factory.mktemp("frames") / "in.pcap"
    write_pcap(file, [ipv4_frame(chance, chance.randrange(1400)) for _ in range(FRAMES)])
    return file


@pytest.fixture(scope="module")
def of_native(source: Path, tmp_path_factory: pytest.TempPathFactory) -> list[list[bytes]]:
    """What comes out of the switch of this machine."""
    folder = tmp_path_factory.mktemp("native")
    assert call(["build", PROGRAM, "-o", str(folder)]) == 0
    sent = forward([str(folder / "l3fwd")], folder, source)
    assert all(len(frames) > 100 for frames in sent[:3])
    return sent


@pytest.mark.parametrize("arch", ["aarch64", "armv7", "riscv64", "s390x"])
def test_another_machine_forwards_as_this_one_does(
    arch: str, source: Path, of_native: list[list[bytes]], tmp_path: Path
) -> None:
    machine = ARCHITECTURES[arch]
    missing = [tool for tool in (machine.compiler, machine.emulator) if shutil.which(tool) is None]
    if missing:
        pytest.skip(f"not installed: {', '.join(missing)}")
    assert call(["build", PROGRAM, "--arch", arch, "-o", str(tmp_path)]) == 0
    content = (tmp_path / "l3fwd").read_bytes()
    order: Literal["little", "big"] = "big" if arch == "s390x" else "little"
    assert content[:4] == b"\x7fELF" and int.from_bytes(content[18:20], order) == ELF_MACHINE[arch]
    assert b"/lib/ld" not in content  # static: asks for no loader
    assert forward([*emulator(arch), str(tmp_path / "l3fwd")], tmp_path, source) == of_native


def test_run_emulates(source: Path, tmp_path: Path) -> None:
    """`macsad run --arch` needs no word of the emulator, which starts the switch as this machine would."""
    if missing := [tool for tool in ("aarch64-linux-gnu-gcc", "qemu-aarch64-static") if shutil.which(tool) is None]:
        pytest.skip(f"not installed: {', '.join(missing)}")
    ports = [f"--port=0=pcap:{source}", *(f"--port={port}=pcap:,{tmp_path / str(port)}" for port in range(1, 4))]
    options = ["--arch", "aarch64", "--entries", str(L3FWD / "entries.txt"), "--socket", str(tmp_path / "s")]
    assert call(["run", PROGRAM, "-o", str(tmp_path), *options, *ports, "--until-idle"]) == 0
    assert len(read_pcap(tmp_path / "1")) > 100
