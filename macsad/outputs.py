"""The files that a command writes: none is one that it reads, and none is there in part.

What is there already is compared by device and inode, so that links change nothing. A file is made beside its place, in a
folder of its own, and moved there when it is whole; what is no regular file (a device, a pipe) is written as it is.
"""

from __future__ import annotations

import contextlib
import os
import tempfile
from collections.abc import Iterable, Iterator
from pathlib import Path

import click


def apart(outputs: Iterable[Path], inputs: Iterable[Path] = ()) -> None:
    """Nothing has been opened for writing yet. Raises: click.UsageError, for an output that is an input or another output."""
    read = {known: path for path in inputs if (known := _identity(path)) is not None}
    written: dict[object, Path] = {}
    for path in outputs:
        known = _identity(path)
        if known is None and path.exists():
            continue  # a device or a pipe takes all that comes
        if known is not None and known in read:
            raise click.UsageError(f"'{path}' would be written over '{read[known]}', which is read")
        place = known or path.absolute().parent.resolve() / path.name
        if place in written:
            raise click.UsageError(f"'{path}' and '{written[place]}' would be one file")
        written[place] = path


@contextlib.contextmanager
def written(path: Path, makes_folder: bool = False) -> Iterator[Path]:
    """Where to write what is to be at `path`, with `makes_folder` also where its folder is not there yet. Raises:
    click.FileError."""
    try:
        if makes_folder:
            path.parent.mkdir(parents=True, exist_ok=True)
        if path.exists() and not path.is_file():
            yield path
            return
        real = path.resolve()
        with tempfile.TemporaryDirectory(prefix=".macsad-", dir=real.parent) as folder:
            beside = Path(folder) / real.name
            yield beside
            beside.replace(real)
    except OSError as error:
        raise click.FileError(str(path), error.strerror or str(error)) from None


def _identity(path: Path) -> tuple[int, int] | None:
    """Of a regular file, by whatever name; None of what is not there, and of devices and pipes."""
    try:
        found = os.stat(path)  # noqa: PTH116 -- follows links
    except (OSError, ValueError):
        return None
    return (found.st_dev, found.st_ino) if os.path.isfile(path) else None  # noqa: PTH113
