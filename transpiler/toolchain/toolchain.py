"""A toolchain: a C compiler for a platform and an architecture, with its flags."""

from __future__ import annotations

import platform as host
import shlex
import shutil
import subprocess
from dataclasses import dataclass, replace
from pathlib import Path

WARNINGS = ("-Wall", "-Wextra", "-Werror", "-Wshadow")
LANGUAGE = ("-std=c11", "-D_GNU_SOURCE", "-pthread", "-fno-strict-aliasing")
CROSS = {
    "x86_64": "x86_64-linux-gnu-gcc",
    "aarch64": "aarch64-linux-gnu-gcc",
    "armv7": "arm-linux-gnueabihf-gcc",
    "riscv64": "riscv64-linux-gnu-gcc",
    "s390x": "s390x-linux-gnu-gcc",
}
EMULATORS = {"armv7": "qemu-arm-static"}
HOST_NAMES = {"arm64": "aarch64", "amd64": "x86_64", "armv7l": "armv7"}
INSTALLED_ODP = ("libodp-linux", "libodp-dpdk", "libodp")
LINUX, DPDK = "platform/linux", "platform/dpdk"


class ToolchainError(Exception):
    """What is asked for cannot be built here; the message says what is missing and how to get it."""


@dataclass(frozen=True, slots=True)
class Toolchain:
    """`sources`: directories of the platform whose C belongs to the backend, a file in one taking the place of those of
    its name in later ones; empty for an installed ODP. `optimise`: the level for the program; the backend has its own."""

    compiler: tuple[str, ...]
    platform: str
    arch: str
    optimise: str
    compile_flags: tuple[str, ...]
    link_flags: tuple[str, ...]
    sources: tuple[str, ...]
    includes: tuple[str, ...]

    @property
    def all_flags(self) -> tuple[str, ...]:
        return (*LANGUAGE, *WARNINGS, self.optimise, *self.compile_flags)

    @property
    def for_backend(self) -> Toolchain:
        """The same toolchain at the backend's level, so that one archive serves programs of every level."""
        sanitized = any(flag.startswith("-fsanitize") for flag in self.compile_flags)
        return replace(self, optimise="-O1" if sanitized else "-O3")


def host_arch() -> str:
    machine = host.machine()
    return HOST_NAMES.get(machine, machine)


def find(
    platform: str = "linux",
    arch: str | None = None,
    *,
    compiler: str | None = None,
    cpu: str | None = None,
    optimise: str = "-O3",
    sanitize: tuple[str, ...] = (),
    own_processor: bool = True,
) -> Toolchain:
    """The toolchain for a platform and an architecture (None: this machine's).

    cpu: the value of -mcpu or -march; None is this machine's own processor, and a generic one when cross-compiling or
    without `own_processor`.
    sanitize: "address", "undefined", "thread". Raises: ToolchainError.
    """
    arch = arch or host_arch()
    native = arch == host_arch()
    command = compiler or ("gcc" if native else CROSS.get(arch))
    if command is None:
        raise ToolchainError(f"unknown architecture '{arch}': choose from {', '.join(CROSS)}")
    words = tuple(shlex.split(command))
    if shutil.which(words[0]) is None:
        raise ToolchainError(
            f"the compiler '{words[0]}' for {arch} is not installed (Debian: apt install {_package(words[0])})"
        )
    flags = ["-g", *_processor(arch, cpu, native and own_processor)]
    link = [] if native else ["-static"]
    if sanitize:
        flags += [f"-fsanitize={','.join(sanitize)}", "-fno-omit-frame-pointer", "-fno-sanitize-recover=all"]
        link += [f"-fsanitize={','.join(sanitize)}"]
    cflags, libs, sources, includes = _platform(platform, arch, native)
    # the platform's flags first: what it says of the processor gives way to ours
    return Toolchain(words, platform, arch, optimise, (*cflags, *flags), (*link, *libs, "-pthread"), sources, includes)


def _platform(platform: str, arch: str, native: bool) -> tuple[tuple[str, ...], ...]:
    """Compile flags, link flags, folders of sources, folders of headers. Raises: ToolchainError."""
    match platform:
        case "linux":
            cflags, libs = _libcrypto() if native else ((), ())
            return cflags, libs, (f"{LINUX}/src",), (f"{LINUX}/include",)
        case "dpdk":
            cflags, libs = (dpdk + crypto for dpdk, crypto in zip(_dpdk(arch), _libcrypto(), strict=True))
            includes = (f"{DPDK}/include", f"{LINUX}/include", f"{DPDK}/src", f"{LINUX}/src")
            return cflags, libs, (f"{DPDK}/src", f"{LINUX}/src"), includes
        case "odp":
            return *_installed_odp(), (), ()
    raise ToolchainError(f"the platform '{platform}' is not supported: choose linux, dpdk or odp")


def emulator(arch: str | None) -> tuple[str, ...]:
    """What goes before the command line of a binary for `arch` to run it here. Raises: ToolchainError."""
    if arch is None or arch == host_arch():
        return ()
    command = EMULATORS.get(arch, f"qemu-{arch}-static")
    if shutil.which(command) is None:
        raise ToolchainError(
            f"{arch} runs here by {command}, which is not installed (Debian: apt install qemu-user-static)"
        )
    return (command,)


def _processor(arch: str, cpu: str | None, own: bool) -> tuple[str, ...]:
    option = "-mcpu" if arch in ("aarch64", "armv7") else "-march"
    if cpu is not None:
        return (f"{option}={cpu}",)
    return (f"{option}=native",) if own else ()


def _package(compiler: str) -> str:
    return f"gcc-{compiler.removesuffix('-gcc')}" if compiler.endswith("-gcc") else compiler


def _libcrypto() -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Flags for OpenSSL's libcrypto if pkg-config knows it: programs that cipher link with it. Without it, and in
    binaries for other machines, the portable cipher does."""
    if (
        shutil.which("pkg-config") is None
        or subprocess.run(["pkg-config", "--exists", "libcrypto"], check=False).returncode
    ):
        return (), ()
    libs = ("-Wl,--push-state,--as-needed", *_pkg_config("--libs", "libcrypto"), "-Wl,--pop-state")
    return ("-DMACS_ODP_OPENSSL", *_pkg_config("--cflags", "libcrypto")), libs


def _dpdk(arch: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Flags of the installed DPDK, its headers as a system's. Raises: ToolchainError."""
    if arch != host_arch():
        raise ToolchainError(f"the platform 'dpdk' is for this machine only, not for {arch}")
    if (
        shutil.which("pkg-config") is None
        or subprocess.run(["pkg-config", "--exists", "libdpdk"], check=False).returncode
    ):
        raise ToolchainError("no DPDK: pkg-config does not know libdpdk (Debian: apt install libdpdk-dev pkg-config)")
    cflags = _pkg_config("--cflags", "libdpdk")
    system = (f"-isystem{flag[2:]}" if flag.startswith("-I") else flag for flag in cflags)
    return tuple(system), _with_rpath(_pkg_config("--libs", "libdpdk"))


def _installed_odp() -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Flags of the first ODP that pkg-config knows. Raises: ToolchainError."""
    if shutil.which("pkg-config") is None:
        raise ToolchainError(
            "the platform 'odp' is found by pkg-config, which is not installed (Debian: apt install pkg-config)"
        )
    for package in INSTALLED_ODP:
        if subprocess.run(["pkg-config", "--exists", package], check=False).returncode == 0:
            return _pkg_config("--cflags", package), _with_rpath(_pkg_config("--libs", package))
    raise ToolchainError(f"no installed ODP: pkg-config knows none of {', '.join(INSTALLED_ODP)} (see PKG_CONFIG_PATH)")


def _pkg_config(what: str, package: str) -> tuple[str, ...]:
    done = subprocess.run(["pkg-config", what, package], check=True, capture_output=True, text=True)
    return tuple(shlex.split(done.stdout))


def _with_rpath(flags: tuple[str, ...]) -> tuple[str, ...]:
    """The link flags, with their library directories searched at run time too."""
    return (*flags, *(f"-Wl,-rpath,{Path(flag[2:]).resolve()}" for flag in flags if flag.startswith("-L")))
