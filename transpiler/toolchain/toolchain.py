"""A toolchain: a C compiler for a platform and an architecture, with its flags."""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
from dataclasses import dataclass, replace
from pathlib import Path

from transpiler.toolchain.architectures import ARCHITECTURES, host_arch
from transpiler.toolchain.cache import sysroot_directory

# They are no errors, as other compilers warn of more than ours; the tests' MACSAD_CFLAGS has -Werror.
WARNINGS = ("-Wall", "-Wextra", "-Wshadow")
LANGUAGE = ("-std=c11", "-D_GNU_SOURCE", "-pthread", "-fno-strict-aliasing")
INSTALLED_ODP = ("libodp-linux", "libodp-dpdk", "libodp")
LINUX, DPDK, SEPARATE = "platform/linux", "platform/dpdk", "platform/separate"


class ToolchainError(Exception):
    """What is asked for cannot be built here; the message says what is missing and how to get it."""


class WrongUsage(ToolchainError):
    """What is asked for is nowhere to be had: it makes no sense, or does not go together."""


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


def find(
    platform: str = "linux",
    arch: str | None = None,
    *,
    compiler: str | None = None,
    cpu: str | None = None,
    optimise: str = "-O3",
    sanitize: tuple[str, ...] = (),
    own_processor: bool = True,
    self_described: bool = True,
) -> Toolchain:
    """The toolchain for a platform and an architecture (None: this machine's).

    cpu: the value of -mcpu or -march; None is this machine's own processor, and a generic one when cross-compiling or
    without `own_processor`.
    sanitize: "address", "undefined", "thread".
    self_described: packets that have their description in their own buffer; else, for the sake of comparison and on
    linux only, descriptions and buffers are separate objects. Raises: ToolchainError.
    """
    arch = arch or host_arch()
    native = arch == host_arch()
    if not self_described and platform != "linux":
        raise WrongUsage(f"the platform {platform} has buffers of its own: --no-sdb is for the platform linux")
    if not native and arch not in ARCHITECTURES:
        raise ToolchainError(f"unknown architecture '{arch}': choose from {', '.join(ARCHITECTURES)}")
    words = _words("the compiler", compiler or ("gcc" if native else ARCHITECTURES[arch].compiler))
    if not words or shutil.which(words[0]) is None:
        package = ARCHITECTURES[arch].packages if not native and compiler is None else " ".join(words[:1])
        raise ToolchainError(
            f"the compiler '{' '.join(words[:1])}' for {arch} is not installed (Debian: apt install {package})"
        )
    flags = ["-g", *_processor(arch, cpu, native and own_processor)]
    link = [] if native or platform != "linux" else ["-static"]
    if sanitize:
        flags += [f"-fsanitize={','.join(sanitize)}", "-fno-omit-frame-pointer", "-fno-sanitize-recover=all"]
        link += [f"-fsanitize={','.join(sanitize)}"]
    flags += _words("MACSAD_CFLAGS", os.environ.get("MACSAD_CFLAGS", ""))
    cflags, libs, sources, includes = _platform(platform, arch, words, native)
    if not self_described:
        sources, includes = (f"{SEPARATE}/src", *sources), (*includes, f"{SEPARATE}/src", f"{LINUX}/src")
    # the platform's flags first: what it says of the processor gives way to ours
    return Toolchain(words, platform, arch, optimise, (*cflags, *flags), (*link, *libs, "-pthread"), sources, includes)


def _words(what: str, text: str) -> tuple[str, ...]:
    """A command or arguments, as a shell takes them apart. Raises: WrongUsage."""
    try:
        return tuple(shlex.split(text))
    except ValueError as error:
        raise WrongUsage(f"{what} '{text}': {str(error).lower()}") from None


def _platform(platform: str, arch: str, compiler: tuple[str, ...], native: bool) -> tuple[tuple[str, ...], ...]:
    """Compile flags, link flags, folders of sources, folders of headers. Raises: ToolchainError."""
    match platform:
        case "linux":
            cflags, libs = _libcrypto() if native else ((), ())
            return (*cflags, *_netmap(compiler)), libs, (f"{LINUX}/src",), (f"{LINUX}/include",)
        case "dpdk":
            root = None if native else _sysroot(arch)
            cflags, libs = (
                dpdk + crypto for dpdk, crypto in zip(_dpdk(root, arch), _libcrypto(root, arch), strict=True)
            )
            includes = (f"{DPDK}/include", f"{LINUX}/include", f"{DPDK}/src", f"{LINUX}/src")
            return cflags, libs, (f"{DPDK}/src", f"{LINUX}/src"), includes
        case "odp" if native or "PKG_CONFIG_LIBDIR" in os.environ:
            return *_installed_odp(), (), ()
        case "odp":
            raise ToolchainError(f"an ODP for {arch} is sought where $PKG_CONFIG_LIBDIR says, which is not set")
    raise ToolchainError(f"the platform '{platform}' is not supported: choose linux, dpdk or odp")


def emulator(arch: str | None) -> tuple[str, ...]:
    """What goes before the command line of a binary for `arch` to run it here. Raises: ToolchainError."""
    if arch is None or arch == host_arch():
        return ()
    command = ARCHITECTURES[arch].emulator
    if shutil.which(command) is None:
        raise ToolchainError(
            f"{arch} runs here by {command}, which is not installed (Debian: apt install qemu-user-static)"
        )
    root = sysroot_directory(arch)
    return (command, "-L", str(root)) if root.is_dir() else (command,)


def _processor(arch: str, cpu: str | None, own: bool) -> tuple[str, ...]:
    """RISC-V has names of processors, and of instruction sets: rv64gc."""
    by_name = arch in ("aarch64", "armv7") or (arch == "riscv64" and cpu is not None and not cpu.startswith("rv"))
    option = "-mcpu" if by_name else "-march"
    if cpu is not None:
        return (f"{option}={cpu}",)
    return (f"{option}=native",) if own else ()


def _sysroot(arch: str) -> Path:
    """Raises: ToolchainError, where it has not been made."""
    root = sysroot_directory(arch)
    if not root.is_dir():
        raise ToolchainError(f"headers and libraries for {arch} are not here: 'macsad sysroot {arch}' fetches them")
    return root


def _libcrypto(root: Path | None = None, arch: str = "") -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Flags for OpenSSL's libcrypto if pkg-config knows it: programs that cipher link with it. Without it, and in
    static binaries for other machines, the portable cipher does."""
    if not _knows("libcrypto", root, arch):
        return (), ()
    libs = ("-Wl,--push-state,--as-needed", *_pkg_config("--libs", "libcrypto", root, arch), "-Wl,--pop-state")
    return ("-DMACS_ODP_OPENSSL", *_system(_pkg_config("--cflags", "libcrypto", root, arch))), libs


def _netmap(compiler: tuple[str, ...]) -> tuple[str, ...]:
    """A flag if the compiler finds netmap's header: the ports that need it are built then. Raises: ToolchainError."""
    probe = "#if __has_include(<net/netmap_user.h>)\nfound\n#endif\n"
    command = [*compiler, "-E", "-P", "-x", "c", "-"]
    try:
        done = subprocess.run(command, input=probe, capture_output=True, text=True, check=False)
    except OSError as error:
        raise ToolchainError(f"cannot run {compiler[0]}: {error.strerror}") from None
    return ("-DMACS_ODP_NETMAP",) if "found" in done.stdout else ()


def _dpdk(root: Path | None, arch: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Flags of the installed DPDK, or that of a sysroot, its headers as a system's. Raises: ToolchainError."""
    if not _knows("libdpdk", root, arch):
        raise ToolchainError("no DPDK: pkg-config does not know libdpdk (Debian: apt install libdpdk-dev pkg-config)")
    system = _system(_pkg_config("--cflags", "libdpdk", root, arch))
    libs = _pkg_config("--libs", "libdpdk", root, arch)
    if root is None:
        return system, _with_rpath(libs)
    return (f"--sysroot={root}", *system), (f"--sysroot={root}", *libs)


def _installed_odp() -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Flags of the first ODP that pkg-config knows, or of the one that $MACSAD_ODP names. Raises: ToolchainError."""
    if shutil.which("pkg-config") is None:
        raise ToolchainError(
            "the platform 'odp' is found by pkg-config, which is not installed (Debian: apt install pkg-config)"
        )
    packages = (chosen,) if (chosen := os.environ.get("MACSAD_ODP")) else INSTALLED_ODP
    for package in packages:
        if subprocess.run(["pkg-config", "--exists", package], check=False).returncode == 0:
            return _pkg_config("--cflags", package), _with_rpath(_pkg_config("--libs", package))
    raise ToolchainError(f"no installed ODP: pkg-config knows none of {', '.join(packages)} (see PKG_CONFIG_PATH)")


def _knows(package: str, root: Path | None, arch: str) -> bool:
    """Whether there is pkg-config, and it knows the package."""
    if shutil.which("pkg-config") is None:
        return False
    environment = _pkg_config_environment(root, arch)
    return not subprocess.run(["pkg-config", "--exists", package], check=False, env=environment).returncode


def _pkg_config(what: str, package: str, root: Path | None = None, arch: str = "") -> tuple[str, ...]:
    environment = _pkg_config_environment(root, arch)
    done = subprocess.run(["pkg-config", what, package], check=True, capture_output=True, text=True, env=environment)
    return tuple(shlex.split(done.stdout))


def _pkg_config_environment(root: Path | None, arch: str) -> dict[str, str]:
    """With a sysroot: only what is in it is known."""
    if root is None:
        return dict(os.environ)
    folders = (root / "usr" / "lib" / ARCHITECTURES[arch].triplet / "pkgconfig", root / "usr" / "share" / "pkgconfig")
    known = {name: value for name, value in os.environ.items() if not name.startswith("PKG_CONFIG")}
    return known | {"PKG_CONFIG_LIBDIR": ":".join(map(str, folders)), "PKG_CONFIG_SYSROOT_DIR": str(root)}


def _system(flags: tuple[str, ...]) -> tuple[str, ...]:
    """The compile flags, with the headers as those of a system, whose warnings are not ours."""
    return tuple(f"-isystem{flag[2:]}" if flag.startswith("-I") else flag for flag in flags)


def _with_rpath(flags: tuple[str, ...]) -> tuple[str, ...]:
    """The link flags, with their library directories searched at run time too."""
    return (*flags, *(f"-Wl,-rpath,{Path(flag[2:]).resolve()}" for flag in flags if flag.startswith("-L")))
