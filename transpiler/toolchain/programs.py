"""Compiled programs, kept in the user's cache: one that has not changed is not compiled again.

A program is found by all that goes into its binary: its C after the preprocessor, so that every header is in it, the
compiler, its flags, and the backend's archive. It is compiled in a folder of its own in the cache, which then gets the
name of what it holds: whoever comes later finds all of it or nothing, and of two that make the same the first one's stays.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

from transpiler.toolchain.architectures import host_arch
from transpiler.toolchain.backend import Progress, archive, command, compile_program, run, target_sources
from transpiler.toolchain.cache import cache_directory
from transpiler.toolchain.toolchain import Toolchain, ToolchainError

KEPT, KEPT_BYTES = 64, 512 << 20  # programs of the latest use that stay, and what they take together
OTHER_INPUTS = (
    "-fprofile-",
    "-fauto-profile",
    "-fplugin",
    "-specs",
    "--sysroot",
    "-B",
    "@",
)  # flags that name files no header is


def compile_kept(
    c_file: Path, binary: Path, backend: Path, toolchain: Toolchain, progress: Progress | None = None,
    target: tuple[Path, ...] = (),
) -> None:  # fmt: skip
    """As `compile_program`, but from the cache where it has been compiled before. Raises: ToolchainError."""
    if not _may_keep(toolchain):
        compile_program(c_file, binary, backend, toolchain, progress, target)
        return
    key = _key(c_file, archive(backend, toolchain, progress), backend, toolchain, target)
    kept = cache_directory() / "programs" / key
    if _take(kept / binary.name, binary):
        return
    with _kept_as(kept, c_file) as folder:
        own = folder / c_file.name
        compile_program(own, folder / binary.name, backend, toolchain, progress, target, _found_at(kept, folder))
        _take(folder / binary.name, binary)


def _may_keep(toolchain: Toolchain) -> bool:
    """Whether the key says all: not what is linked from elsewhere, which may change under the same name."""
    own = toolchain.platform != "odp" and toolchain.arch == host_arch() and not os.environ.get("MACSAD_LDFLAGS")
    return own and not any(flag.startswith(OTHER_INPUTS) for flag in toolchain.compile_flags)


def _key(c_file: Path, library: Path, backend: Path, toolchain: Toolchain, target: tuple[Path, ...]) -> str:
    """The archive's folder is named after compiler, machine and backend, the toolchain has the flags."""
    digest = hashlib.sha256(repr((toolchain, library.parent.name, c_file.name)).encode())
    words = command(backend, toolchain, target)
    for source in (c_file.absolute(), *target_sources(target)):
        text = run([*words, "-E", str(source)])
        digest.update(text.replace(str(source), source.name).encode() + b"\0")
    return digest.hexdigest()[:24]


def _found_at(kept: Path, folder: Path) -> tuple[str, ...]:
    """Debuggers look for the C where it will be."""
    return (f"-fdebug-prefix-map={folder}={kept}",)


@contextlib.contextmanager
def _kept_as(kept: Path, c_file: Path) -> Iterator[Path]:
    """A folder with the C file, whose content is kept when nothing was raised. Where the cache cannot be written it is a
    passing one. Raises: ToolchainError, of files where the user has them."""
    scratch = _scratch(kept.parent)
    try:
        shutil.copyfile(c_file, scratch / c_file.name)
        yield scratch
        with contextlib.suppress(OSError):  # another process was faster
            scratch.rename(kept)
        _forget_oldest(kept.parent)
    except ToolchainError as error:
        raise ToolchainError(str(error).replace(str(scratch), str(c_file.parent))) from None
    except OSError as error:
        raise ToolchainError(f"cannot compile in {scratch}: {error.strerror}") from None
    finally:
        shutil.rmtree(scratch, ignore_errors=True)


def _scratch(programs: Path) -> Path:
    try:
        programs.mkdir(parents=True, exist_ok=True)
        return Path(tempfile.mkdtemp(prefix="making-", dir=programs))
    except OSError:
        return Path(tempfile.mkdtemp(prefix="macsad-"))


def _take(kept: Path, binary: Path) -> bool:
    """Put a copy in the binary's place, whole or not at all, also where the old one is running. False: there is nothing to
    copy. Raises: ToolchainError."""
    try:
        content = kept.read_bytes()
    except OSError:
        return False
    beside = binary.with_name(f".{binary.name}.{os.getpid()}")
    try:
        beside.write_bytes(content)
        beside.chmod(kept.stat().st_mode & 0o777)
        beside.replace(binary)
    except OSError as error:
        raise ToolchainError(f"cannot write {binary}: {error.strerror}") from None
    finally:
        with contextlib.suppress(OSError):
            beside.unlink(missing_ok=True)
    with contextlib.suppress(OSError):  # a cache that is not ours to write is good to read
        os.utime(kept.parent)
    return True


def _forget_oldest(programs: Path) -> None:
    """Remove the programs that have not been used for the longest time."""
    with contextlib.suppress(OSError):  # another process may be doing the same
        by_use = sorted(programs.iterdir(), key=lambda folder: folder.stat().st_mtime_ns, reverse=True)
        size = 0
        for place, folder in enumerate(by_use):
            size += sum(file.stat().st_size for file in folder.iterdir())
            if place >= KEPT or (place and size > KEPT_BYTES):
                shutil.rmtree(folder, ignore_errors=True)
