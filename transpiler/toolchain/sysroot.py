"""Headers and libraries for another architecture: Debian's packages for it, unpacked into the user's cache.

apt-get fetches them from where this machine has its own packages from, with an index and a state of its own: what is
installed here stays as it is, and nobody needs to be root. Only what compiling, linking and emulation look for is kept.
"""

from __future__ import annotations

import re
import shutil
import subprocess
import tempfile
from collections.abc import Callable
from pathlib import Path

from transpiler.toolchain.architectures import ARCHITECTURES
from transpiler.toolchain.cache import sysroot_directory
from transpiler.toolchain.toolchain import ToolchainError

PACKAGES = ("libc6-dev", "libdpdk-dev", "libssl-dev")
KEPT = ("lib", "usr/include", "usr/lib", "usr/share/pkgconfig")  # an emulator would take other files for this machine's
MISSING = r"(?m)locate package {0}$|Package '{0}' has no installation candidate"
Progress = Callable[[int, int], None]  # packages unpacked, packages in all


def make(arch: str, progress: Progress | None = None, source: Path | None = None) -> Path:
    """Fetch and unpack the packages; the sysroot's folder, which is there as a whole or not at all.

    source: a folder with .deb files to unpack instead. Raises: ToolchainError.
    """
    if arch not in ARCHITECTURES:
        raise ToolchainError(f"unknown architecture '{arch}': choose from {', '.join(ARCHITECTURES)}")
    for tool in ("dpkg-deb", *(() if source else ("apt-get",))):
        if shutil.which(tool) is None:
            raise ToolchainError(f"a sysroot is made of Debian's packages by {tool}, which is not here")
    final = sysroot_directory(arch)
    try:
        final.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=final.parent, prefix=f".{arch}-") as scratch:
            packages = sorted((source or _fetch(arch, Path(scratch))).glob("*.deb"))
            made = _unpack(packages, Path(scratch), progress)
            if final.exists():
                final.rename(Path(scratch) / "before")
            made.rename(final)
    except OSError as error:
        raise ToolchainError(f"cannot make {final}: {error.strerror}") from error
    return final


def _fetch(arch: str, scratch: Path) -> Path:
    """Download the packages and what they depend on; the folder that they are in then."""
    state, cache = scratch / "state", scratch / "cache"
    for folder in (state / "lists" / "partial", cache / "archives" / "partial"):
        folder.mkdir(parents=True)
    (state / "status").touch()  # nothing is installed there
    debian = ARCHITECTURES[arch].debian
    settings = {
        "Dir::State": state,
        "Dir::State::status": state / "status",
        "Dir::Cache": cache,
        "APT::Architecture": debian,
        "APT::Architectures": debian,
        "APT::Sandbox::User": "root",
        "Acquire::Languages": "none",
        "Debug::NoLocking": "1",
    }
    options = [word for name, value in settings.items() for word in ("-o", f"{name}={value}")]
    _run("apt-get", "-qq", *options, "update")
    try:
        _run("apt-get", "-qq", *options, "install", "--yes", "--download-only", "--no-install-recommends", *PACKAGES)
    except ToolchainError as error:
        if lacking := [package for package in PACKAGES if re.search(MISSING.format(package), str(error))]:
            raise ToolchainError(
                f"where this machine's apt has its packages from there is no {', '.join(lacking)} for {arch}: "
                f"--platform dpdk cannot be built for it, --platform linux can"
            ) from None
        raise
    return cache / "archives"


def _unpack(packages: list[Path], scratch: Path, progress: Progress | None) -> Path:
    if not packages:
        raise ToolchainError("no packages came")
    whole, made = scratch / "whole", scratch / "made"
    for done, package in enumerate(packages, 1):
        _run("dpkg-deb", "--extract", str(package), str(whole))
        if progress is not None:
            progress(done, len(packages))
    for name in KEPT:
        if (whole / name).is_dir():
            (made / name).parent.mkdir(parents=True, exist_ok=True)
            (whole / name).rename(made / name)
    _relative_links(made)
    return made


def _relative_links(root: Path) -> None:
    """Links to /… would lead out of the sysroot: they get the same place in it."""
    for link in root.rglob("*"):
        if link.is_symlink() and (to := link.readlink()).is_absolute():
            up = Path(*[".."] * (len(link.relative_to(root).parts) - 1))
            link.unlink()
            link.symlink_to(up / to.relative_to("/"))


def _run(*command: str) -> None:
    done = subprocess.run(command, capture_output=True, text=True, errors="replace", check=False)
    if done.returncode:
        said = (done.stderr or done.stdout).strip()
        raise ToolchainError(f"{command[0]} failed ({done.returncode}): {' '.join(command)}\n{said}")
