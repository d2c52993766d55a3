"""The architectures that programs are built for, and what Debian calls what it takes."""

from __future__ import annotations

import platform as host
from dataclasses import dataclass

HOST_NAMES = {"arm64": "aarch64", "amd64": "x86_64", "armv7l": "armv7"}


@dataclass(frozen=True, slots=True)
class Architecture:
    """`debian` is its name in Debian's archive, `qemu` in those of the user-mode emulators."""

    triplet: str
    debian: str
    qemu: str

    @property
    def compiler(self) -> str:
        return f"{self.triplet}-gcc"

    @property
    def emulator(self) -> str:
        return f"qemu-{self.qemu}-static"

    @property
    def libc(self) -> str:
        """The package of the cross compiler's C library."""
        return f"libc6-dev-{self.debian}-cross"

    @property
    def packages(self) -> str:
        """Of the cross compiler, with its C library."""
        return f"gcc-{self.triplet.replace('_', '-')} {self.libc}"


ARCHITECTURES = {
    "x86_64": Architecture("x86_64-linux-gnu", "amd64", "x86_64"),
    "aarch64": Architecture("aarch64-linux-gnu", "arm64", "aarch64"),
    "armv7": Architecture("arm-linux-gnueabihf", "armhf", "arm"),
    "riscv64": Architecture("riscv64-linux-gnu", "riscv64", "riscv64"),
    "s390x": Architecture("s390x-linux-gnu", "s390x", "s390x"),
}


def host_arch() -> str:
    machine = host.machine()
    return HOST_NAMES.get(machine, machine)
