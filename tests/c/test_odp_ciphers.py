"""Our ODP's ciphers, each kind that this machine has, beside the package `cryptography` on random bursts."""

from __future__ import annotations

import os
import platform
import random
import shutil
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

import pytest
from cryptography.hazmat.primitives.ciphers import Cipher
from cryptography.hazmat.primitives.ciphers.algorithms import AES
from cryptography.hazmat.primitives.ciphers.modes import CBC
from test_odp import SANITIZE, Toolchain, run

SANITIZED = Toolchain("gcc", ("-O1", "-g1", *SANITIZE))
NOT_SANITIZED = "-fno-sanitize=all"
BURSTS = 150
BURST_MAX = 64
BLOCK = 16
FLAGS = {"vaes": ("aes", "avx512f", "vaes"), "aes": ("aes", "sse4_1")}
NAMES = {
    "vaes": "AES-CBC by VAES instructions, 16 packets at once",
    "aes": "AES-CBC by AES instructions, 8 packets at once",
    "openssl": "AES-CBC by OpenSSL",
    "portable": "AES-CBC in portable C",
}


@dataclass(frozen=True)
class Job:
    encrypts: bool
    key: bytes
    iv: bytes
    data: bytes

    def line(self) -> str:
        return f"{'e' if self.encrypts else 'd'} {self.key.hex()} {self.iv.hex()} {self.data.hex()}"

    def result(self) -> bytes:
        cipher = Cipher(AES(self.key), CBC(self.iv))
        with_ = cipher.encryptor() if self.encrypts else cipher.decryptor()
        return with_.update(self.data) + with_.finalize()


def bursts(source: random.Random) -> Iterator[list[Job]]:
    """Of every size; with keys of one length and of all, of one direction and of both, payloads equally long and not."""
    for number in range(BURSTS):
        count = number + 1 if number < BURST_MAX else source.randint(1, BURST_MAX)
        keys = source.choice([(16,), (24,), (32,), (16, 24, 32)])
        ways = source.choice([(True,), (False,), (True, False)])
        most = source.choice([1, 3, 30, 95])
        blocks = [source.randint(1, most) for _ in range(count)] if source.random() < 0.7 else [most] * count
        yield [
            Job(
                source.choice(ways),
                source.randbytes(source.choice(keys)),
                source.randbytes(BLOCK),
                source.randbytes(BLOCK * n),
            )
            for n in blocks
        ]


def compare(tools: Toolchain, names: list[str], *more_flags: str) -> None:
    seed = int.from_bytes(os.urandom(4), "little")
    given = list(bursts(random.Random(seed)))
    text = "".join(f"{len(jobs)} {' '.join(job.line() for job in jobs)}\n" for jobs in given)
    lines = iter(run(*tools.runner, tools.program("ciphers", *more_flags), input=text).stdout.splitlines())
    for number, jobs in enumerate(given):
        wanted = [job.result().hex() for job in jobs]
        for name in names:
            found, _, results = next(lines).partition(":")
            assert found == name
            assert results.split() == wanted, f"{name}, burst {number} of seed {seed}"
    assert not list(lines)


def here() -> list[str]:
    """The kinds of this machine without libraries."""
    if platform.machine() != "x86_64":
        pytest.skip("the kinds are those of x86")
    flags = set(Path("/proc/cpuinfo").read_text().split())
    return [NAMES[kind] for kind in FLAGS if flags.issuperset(FLAGS[kind])] + [NAMES["portable"]]


def test_ciphers() -> None:
    compare(SANITIZED, here())


def test_ciphers_optimised() -> None:
    compare(replace(SANITIZED, of_ciphers=("-O3", "-march=native", NOT_SANITIZED)), here())


def test_ciphers_by_clang() -> None:
    if not shutil.which("clang"):
        pytest.skip("no clang")
    compare(replace(SANITIZED, of_ciphers=("-O2", NOT_SANITIZED), ciphers_by="clang"), here())


def test_ciphers_beside_openssl() -> None:
    if not shutil.which("pkg-config") or run("pkg-config", "--exists", "libcrypto", check=False).returncode:
        pytest.skip("no libcrypto, or no pkg-config that knows it (Debian: apt install libssl-dev pkg-config)")
    tools = replace(SANITIZED, of_ciphers=("-DMACS_ODP_OPENSSL",))
    names = here()
    compare(tools, [*names[:-1], NAMES["openssl"], names[-1]], "-Wl,--no-as-needed", "-lcrypto")


def test_ciphers_on_arm() -> None:
    if not shutil.which("aarch64-linux-gnu-gcc") or not shutil.which("qemu-aarch64-static"):
        pytest.skip("no ARM cross compiler or no qemu-aarch64-static")
    arm = Toolchain("aarch64-linux-gnu-gcc", ("-O2", "-static"), ("qemu-aarch64-static",))
    compare(arm, [NAMES["aes"], NAMES["portable"]])
