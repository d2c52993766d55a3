"""A toolchain: a C compiler for a platform and an architecture, with its flags."""

from __future__ import annotations

import enum
import os
import shutil
import subprocess
from dataclasses import dataclass, replace
from pathlib import Path

from transpiler.toolchain.architectures import ARCHITECTURES, host_arch
from transpiler.toolchain.cache import sysroot_directory
from transpiler.toolchain.errors import ToolchainError as ToolchainError, WrongUsage as WrongUsage, words
from transpiler.toolchain.packages import Flags, Packages

# They are no errors, as other compilers warn of more than ours; the tests' MACSAD_CFLAGS has -Werror.
WARNINGS = ("-Wall", "-Wextra", "-Wshadow")
LANGUAGE = ("-std=c11", "-D_GNU_SOURCE", "-pthread", "-fno-strict-aliasing")
INSTALLED_ODP = ("libodp-linux", "libodp-dpdk", "libodp")
PROBED = {
    "libc": "__has_include(<stdio.h>)",
    "netmap": "__has_include(<net/netmap_user.h>)",
    "gcc": "defined __GNUC__ && !defined __clang__",
}
CROSS_LIBRARIES = Path("/usr")  # where Debian has those of its cross compilers, in a folder for each triplet
# They make pkg-config know another machine's libraries.
ANOTHER_MACHINES = ("PKG_CONFIG", "PKG_CONFIG_LIBDIR", "PKG_CONFIG_SYSROOT_DIR")
LINUX, DPDK, SEPARATE = "platform/linux", "platform/dpdk", "platform/separate"


class Form(enum.Enum):
    """What a program is compiled to: a switch; one that can load other programs; what such a switch loads."""

    PROGRAM = "program"
    REPLACEABLE = "replaceable"
    LIBRARY = "library"


@dataclass(frozen=True, slots=True)
class Toolchain:
    """`sources`: directories of the platform whose C belongs to the backend, a file in one taking the place of the files at
    the same path in later ones; empty for an installed ODP. `optimise`: the level for the program; the backend has its own.
    `is_gcc`: the compiler is GCC."""

    compiler: tuple[str, ...]
    platform: str
    arch: str
    optimise: str
    compile_flags: tuple[str, ...]
    link_flags: tuple[str, ...]
    sources: tuple[str, ...]
    includes: tuple[str, ...]
    form: Form = Form.PROGRAM
    is_gcc: bool = False

    @property
    def all_flags(self) -> tuple[str, ...]:
        more = ("-fPIC", "-fno-semantic-interposition") if self.form is Form.LIBRARY else ()
        return (*LANGUAGE, *WARNINGS, self.optimise, *self.compile_flags, *more)

    @property
    def for_backend(self) -> Toolchain:
        """The same toolchain at the backend's level, so that one archive serves programs of every level, however they
        are linked."""
        sanitized = any(flag.startswith("-fsanitize") for flag in self.compile_flags)
        return replace(self, optimise="-O1" if sanitized else "-O3", link_flags=(), form=Form.PROGRAM)


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
    odp: str | None = None,
    sysroot: Path | None = None,
) -> Toolchain:
    """The toolchain for a platform and an architecture (None: this machine's).

    cpu: the value of -mcpu or -march; None is this machine's own processor, and a generic one when cross-compiling or
    without `own_processor`.
    sanitize: "address", "undefined", "thread".
    self_described: packets that have their description in their own buffer; else, for the sake of comparison and on
    linux only, descriptions and buffers are separate objects.
    odp: the package of the installed ODP, unless $MACSAD_ODP names one. sysroot: the folder that has the machine's headers and
    libraries; None is where they usually are. Raises: ToolchainError.
    """
    arch = arch or host_arch()
    native = arch == host_arch()
    if not self_described and platform != "linux":
        raise WrongUsage(
            f"the platform {platform} has buffers of its own: --no-self-described-buffers is for the platform linux"
        )
    if not native and arch not in ARCHITECTURES:
        raise ToolchainError(f"unknown architecture '{arch}': choose from {', '.join(ARCHITECTURES)}")
    command = words("the compiler", compiler or ("gcc" if native else ARCHITECTURES[arch].compiler))
    if not command or shutil.which(command[0]) is None:
        package = ARCHITECTURES[arch].packages if not native and compiler is None else " ".join(command[:1])
        raise ToolchainError(
            f"the compiler '{' '.join(command[:1])}' for {arch} is not installed (Debian: apt install {package})"
        )
    # line tables, for backtraces and profiles: places of variables take a quarter of the time that a large program takes
    flags = ["-g1", *_processor(arch, cpu, native and own_processor)]
    link = [] if native or platform != "linux" else ["-static"]
    if sanitize:
        flags += [f"-fsanitize={','.join(sanitize)}", "-fno-omit-frame-pointer", "-fno-sanitize-recover=all"]
        link += [f"-fsanitize={','.join(sanitize)}"]
    flags += words("MACSAD_CFLAGS", os.environ.get("MACSAD_CFLAGS", ""))
    own_libs = words("MACSAD_LDFLAGS", os.environ.get("MACSAD_LDFLAGS", ""))
    cflags, libs, sources, includes = _platform(platform, arch, native, odp, sysroot)
    headers = _headers((*command, *cflags, *flags))
    if "libc" not in headers:
        package = "libc6-dev" if native else ARCHITECTURES[arch].libc
        raise ToolchainError(
            f"the compiler '{command[0]}' finds no headers of the C library for {arch} (Debian: apt install {package})"
        )
    if "netmap" in headers and sources:
        cflags = (*cflags, "-DMACS_ODP_NETMAP")
    if not self_described:
        sources, includes = (f"{SEPARATE}/src", *sources), (f"{SEPARATE}/src", *includes)
    # the platform's flags first: what it says of the processor gives way to ours
    linking = (*link, *libs, "-pthread", *own_libs)
    return Toolchain(
        command, platform, arch, optimise, (*cflags, *flags), linking, sources, includes, is_gcc="gcc" in headers
    )


def _platform(
    platform: str, arch: str, native: bool, odp: str | None, sysroot: Path | None
) -> tuple[Flags, Flags, Flags, Flags]:
    """Compile flags, link flags, folders of sources, folders of headers. Raises: ToolchainError."""
    if sysroot is not None and not sysroot.is_dir():
        raise ToolchainError(f"there is no folder {sysroot}, which the target names as its sysroot")
    own = Packages(cross=True, sysroot=sysroot, arch=arch) if sysroot is not None else None
    match platform:
        case "linux":
            cflags, libs = (_place(own), _place(own)) if own else _libcrypto(Packages()) if native else ((), ())
            return cflags, libs, (f"{LINUX}/src",), (f"{LINUX}/include", f"{LINUX}/src")
        case "dpdk":
            packages = own or (Packages() if native else Packages(cross=True, sysroot=_sysroot(arch), arch=arch))
            cflags, libs = (dpdk + crypto for dpdk, crypto in zip(_dpdk(packages), _libcrypto(packages), strict=True))
            includes = (f"{DPDK}/include", f"{LINUX}/include", f"{DPDK}/src", f"{LINUX}/src")
            return cflags, libs, (f"{DPDK}/src", f"{LINUX}/src"), includes
        case "odp":
            return *_installed_odp(arch, native, odp, own), (), ()
    raise ToolchainError(f"the platform '{platform}' is not supported: choose linux, dpdk or odp")


def emulator(arch: str | None, sysroot: Path | None = None) -> tuple[str, ...]:
    """What goes before the command line of a binary for `arch` to run it here: with the C library of the sysroot, or of
    the cross compiler, where QEMU_LD_PREFIX names none. Raises: ToolchainError."""
    if arch is None or arch == host_arch():
        return ()
    command = ARCHITECTURES[arch].emulator
    if shutil.which(command) is None:
        raise ToolchainError(
            f"{arch} runs here by {command}, which is not installed (Debian: apt install qemu-user-static)"
        )
    if "QEMU_LD_PREFIX" in os.environ:
        return (command,)
    roots = (*([sysroot] if sysroot else []), sysroot_directory(arch), CROSS_LIBRARIES / ARCHITECTURES[arch].triplet)
    return (command, *next((("-L", str(root)) for root in roots if root.is_dir()), ()))


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


def _libcrypto(packages: Packages) -> tuple[Flags, Flags]:
    """Flags for OpenSSL's libcrypto if pkg-config knows it: programs that cipher link with it. Without it, and in
    static binaries for other machines, the portable cipher does."""
    if not packages.knows("libcrypto"):
        return (), ()
    libs = ("-Wl,--push-state,--as-needed", *packages.libs("libcrypto"), "-Wl,--pop-state")
    return ("-DMACS_ODP_OPENSSL", *_system(packages.cflags("libcrypto"))), libs


def _headers(compiling: Flags) -> set[str]:
    """Which of PROBED the compiler finds, or is; libc alone where it cannot be asked. Raises: ToolchainError."""
    probe = "".join(f"#if {condition}\n{name}\n#endif\n" for name, condition in PROBED.items())
    try:
        done = subprocess.run(
            [*compiling, "-E", "-P", "-x", "c", "-"], input=probe, capture_output=True, text=True, check=False
        )
    except OSError as error:
        raise ToolchainError(f"cannot run {compiling[0]}: {error.strerror}") from None
    return set(done.stdout.split()) if done.returncode == 0 else {"libc"}


def _dpdk(packages: Packages) -> tuple[Flags, Flags]:
    """Flags of the installed DPDK, or that of a sysroot, its headers as a system's. Raises: ToolchainError."""
    if not packages.knows("libdpdk"):
        raise ToolchainError("no DPDK: pkg-config does not know libdpdk (Debian: apt install libdpdk-dev pkg-config)")
    place = _place(packages)
    return (*place, *_system(packages.cflags("libdpdk"))), (*place, *packages.libs("libdpdk"))


def _place(packages: Packages) -> Flags:
    """Where the compiler looks for what a sysroot has."""
    return () if packages.sysroot is None else (f"--sysroot={packages.sysroot}",)


def _installed_odp(arch: str, native: bool, named: str | None, own: Packages | None) -> tuple[Flags, Flags]:
    """Flags of the ODP that $MACSAD_ODP or the target names, else of the first that pkg-config knows. `own`: of a sysroot.
    Raises: ToolchainError."""
    packages = own or Packages(cross=not native or "PKG_CONFIG_SYSROOT_DIR" in os.environ)
    if not native and own is None and not any(name in os.environ for name in ANOTHER_MACHINES):
        raise ToolchainError(
            f"an ODP for {arch} is not where this machine's libraries are: PKG_CONFIG_LIBDIR tells the folder of its .pc "
            "file, PKG_CONFIG_SYSROOT_DIR the sysroot in whose terms that speaks"
        )
    if not packages.available:
        raise ToolchainError(
            "the platform 'odp' is found by pkg-config, which is not installed (Debian: apt install pkg-config)"
        )
    names = (chosen,) if (chosen := os.environ.get("MACSAD_ODP") or named) else INSTALLED_ODP
    place = _place(packages)
    for name in names:
        if packages.knows(name):
            return (*place, *packages.cflags(name)), (*place, *packages.libs(name))
    why = next(filter(None, map(packages.complaint, names)), "see PKG_CONFIG_PATH")
    raise ToolchainError(f"no installed ODP: pkg-config knows none of {', '.join(names)} ({why})")


def _system(flags: Flags) -> Flags:
    """The compile flags, with the headers as those of a system, whose warnings are not ours."""
    return tuple(f"-isystem{flag[2:]}" if flag.startswith("-I") else flag for flag in flags)
