"""The backend as an archive: compiled once for each toolchain and state of its sources, then kept in the user's cache.

Of several processes that want an archive that is not there one compiles it, and the others wait.
"""

from __future__ import annotations

import contextlib
import fcntl
import hashlib
import os
import shutil
import subprocess
import tempfile
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from transpiler.toolchain.cache import cache_directory
from transpiler.toolchain.toolchain import Form, Toolchain, ToolchainError

FOLDERS = ("runtime", "control", "tables")
LARGE_C = 400_000  # bytes of a program's C, from which on its functions are compiled on all cores
KEPT = 24  # archives of the latest use that stay in the cache
Progress = Callable[[int, int], None]  # files done, files in all


def include_flags(backend: Path, toolchain: Toolchain) -> tuple[str, ...]:
    """-I for generated C and for the backend's own."""
    return (f"-I{backend / 'include'}", f"-I{backend}", *(f"-I{backend / folder}" for folder in toolchain.includes))


def archive(
    backend: Path, toolchain: Toolchain, progress: Progress | None = None, folders: tuple[str, ...] = FOLDERS
) -> Path:
    """The backend's archive for a toolchain, compiled now if it is not there. `folders`: with only these of the backend's.
    Raises: ToolchainError."""
    toolchain = toolchain.for_backend
    folder = cache_directory() / "backend" / _key(backend, toolchain, folders)
    result = folder / "libmacs.a"
    if not result.exists():
        try:
            folder.mkdir(parents=True, exist_ok=True)
            with _alone(folder):
                if not result.exists():
                    _compile(_sources(backend, toolchain, folders), backend, toolchain, result, progress)
            _forget_oldest(folder.parent)
        except OSError as error:
            raise ToolchainError(f"cannot keep the compiled backend in {folder}: {error.strerror}") from error
    with contextlib.suppress(OSError):  # a cache that is not ours to write is good to read
        os.utime(folder)
    return result


@contextlib.contextmanager
def _alone(folder: Path) -> Iterator[None]:
    """No other process is in here for the same folder, where folders can be locked."""
    lock = os.open(folder, os.O_RDONLY)
    try:
        with contextlib.suppress(OSError):
            fcntl.flock(lock, fcntl.LOCK_EX)
        yield
    finally:
        os.close(lock)


def _forget_oldest(archives: Path) -> None:
    """Remove the archives that have not been used for the longest time."""
    with contextlib.suppress(OSError):  # another process may be doing the same
        by_use = sorted(archives.iterdir(), key=lambda folder: folder.stat().st_mtime_ns, reverse=True)
        for folder in by_use[KEPT:]:
            shutil.rmtree(folder, ignore_errors=True)


def platform_sources(backend: Path, toolchain: Toolchain) -> list[Path]:
    """The platform's C: of several files at the same place below its folders that in the first of them."""
    found: dict[Path, Path] = {}
    for folder in toolchain.sources:
        for file in (backend / folder).rglob("*.c"):
            found.setdefault(file.relative_to(backend / folder), file)
    return sorted(found.values())


def target_sources(folders: tuple[Path, ...]) -> list[Path]:
    """The C files of a target's own kernels, in its folders with a tables/."""
    return [file for folder in folders for file in sorted((folder / "tables").rglob("*.c"))]


def _sources(backend: Path, toolchain: Toolchain, folders: tuple[str, ...]) -> list[Path]:
    ours = [file for folder in folders for file in (backend / folder).rglob("*.c")]
    return sorted([*ours, *(platform_sources(backend, toolchain) if folders == FOLDERS else ())])


def _key(backend: Path, toolchain: Toolchain, folders: tuple[str, ...]) -> str:
    """Changes with any source, header, flag or compiler version."""
    digest = hashlib.sha256()
    version = run([*toolchain.compiler, "--version"])
    digest.update(version.encode() + repr((toolchain, folders, os.uname().nodename, _processor())).encode())
    for file in sorted(backend.rglob("*.[ch]")):
        digest.update(str(file.relative_to(backend)).encode() + file.read_bytes())
    return digest.hexdigest()[:24]


def _processor() -> str:
    """What the system says of its processor: what native code may use."""
    with contextlib.suppress(OSError), Path("/proc/cpuinfo").open() as lines:
        return "".join(
            dict.fromkeys(line for line in lines if line.startswith(("flags", "Features", "isa", "features")))
        )
    return ""


def _compile(sources: list[Path], backend: Path, toolchain: Toolchain, result: Path, progress: Progress | None) -> None:
    with tempfile.TemporaryDirectory(dir=result.parent) as scratch:
        objects = [Path(scratch) / f"{i}_{source.stem}.o" for i, source in enumerate(sources)]

        def one(pair: tuple[Path, Path]) -> None:
            flags = (*toolchain.all_flags, *include_flags(backend, toolchain))
            run([*toolchain.compiler, *flags, "-c", str(pair[0]), "-o", str(pair[1])])

        with ThreadPoolExecutor(os.cpu_count()) as pool:
            for done, _ in enumerate(pool.map(one, zip(sources, objects, strict=True)), 1):
                if progress is not None:
                    progress(done, len(sources))
        made = Path(scratch) / "libmacs.a"
        run(["ar", "rcs", str(made), *map(str, objects)])
        made.replace(result)


def run(words: list[str]) -> str:
    """Run a tool; what it printed. Raises: ToolchainError with what it said."""
    try:
        done = subprocess.run(words, capture_output=True, text=True, errors="replace", check=False)
    except OSError as error:
        raise ToolchainError(f"cannot run {words[0]}: {error.strerror}") from None
    if done.returncode:
        raise ToolchainError(f"{words[0]} failed ({done.returncode}): {' '.join(words)}\n{done.stderr.strip()}")
    return done.stdout


def _linked(library: Path, form: Form) -> tuple[str, ...]:
    """A switch that loads programs has all that they may need of the backend, and they have none of it."""
    match form:
        case Form.REPLACEABLE:
            return ("-rdynamic", "-Wl,--whole-archive", str(library), "-Wl,--no-whole-archive")
        case Form.LIBRARY:
            return ("-shared", "-Wl,-Bsymbolic")
    return (str(library),)


def command(backend: Path, toolchain: Toolchain, target: tuple[Path, ...] = ()) -> list[str]:
    """The compiler with its flags for a generated program."""
    includes = (*include_flags(backend, toolchain), *(f"-I{folder}" for folder in target))
    return [*toolchain.compiler, *toolchain.all_flags, *includes]


def _in_parts(c_file: Path, toolchain: Toolchain) -> bool:
    """Whether the compiler is to optimise the functions of a program in several processes: GCC can, by what it has for
    optimising at link time. That takes longer for small programs."""
    usual = toolchain.is_gcc and toolchain.form is Form.PROGRAM and toolchain.optimise in ("-O2", "-O3")
    return usual and c_file.stat().st_size >= LARGE_C


def _link(words: list[str], *, in_parts: bool) -> None:
    """Compile and link. Raises: ToolchainError."""
    if in_parts:
        with contextlib.suppress(ToolchainError):  # a GCC may have been built without it
            run([*words, "-flto=auto", "-DMACS_IN_PARTS"])
            return
    run(words)


def compile_program(
    c_file: Path,
    binary: Path,
    backend: Path,
    toolchain: Toolchain,
    progress: Progress | None = None,
    target: tuple[Path, ...] = (),
    flags: tuple[str, ...] = (),
) -> None:
    """Compile a generated program and link it with the backend. `target`: folders with a tables/ of the target's own C;
    `flags`: more for the compiler.

    The binary is made beside its place and moved there. Raises: ToolchainError.
    """
    library = archive(backend, toolchain, progress)
    # whole paths: a name that begins with - or @ is no option of the compiler's
    files = (str(c_file.absolute()), *map(str, target_sources(target)), *_linked(library, toolchain.form))
    words = [*command(backend, toolchain, target), *flags, *files]
    try:
        with tempfile.TemporaryDirectory(prefix=".macsad-", dir=binary.absolute().parent) as folder:
            made = Path(folder) / "made"
            _link([*words, *toolchain.link_flags, "-o", str(made)], in_parts=_in_parts(c_file, toolchain))
            made.replace(binary)
    except OSError as error:
        raise ToolchainError(f"cannot write {binary}: {error.strerror}") from None
