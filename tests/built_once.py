"""What tests compile or work out is made once in a run, by the first worker that needs it, for all of them; gone at its end."""

from __future__ import annotations

import fcntl
import hashlib
import os
import pickle
import shutil
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

T = TypeVar("T")
FOLDER = "MACSAD_TESTS_BUILT"  # names it to the workers, which inherit it


def make_folder() -> Callable[[], None] | None:
    """Make the run's folder; what removes it. None in a worker: the folder is there."""
    if FOLDER in os.environ:
        return None
    folder = os.environ[FOLDER] = tempfile.mkdtemp(prefix="macsad-tests-")

    def remove() -> None:
        shutil.rmtree(folder, ignore_errors=True)
        del os.environ[FOLDER]

    return remove


def keep_bytecode() -> None:
    """Hundreds of Python processes are started in a run: each finds our modules compiled, also where none may be written
    beside their sources."""
    if os.environ.pop("PYTHONDONTWRITEBYTECODE", None):
        os.environ.update(PYTHONPYCACHEPREFIX=str(Path(os.environ[FOLDER]) / "bytecode"))


def built_once(key: object, make: Callable[[Path], None]) -> Path:
    """The folder that `make` has filled; the key's repr() says all that the content depends on.

    Others that want the same wait meanwhile. Where `make` raises, it is called again for the next one.
    """
    folder = Path(os.environ[FOLDER]) / hashlib.sha256(repr(key).encode()).hexdigest()[:24]
    with folder.with_suffix(".lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not folder.exists():
            making = folder.with_suffix(".making")
            shutil.rmtree(making, ignore_errors=True)
            making.mkdir()
            make(making)
            making.rename(folder)
    return folder


def worked_out_once(key: object, work_out: Callable[[], T]) -> T:
    """What `work_out` returns; the key says all that it depends on."""

    def make(folder: Path) -> None:
        (folder / "value").write_bytes(pickle.dumps(work_out()))

    value: T = pickle.loads((built_once(key, make) / "value").read_bytes())
    return value
