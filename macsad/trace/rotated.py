"""A file of text that never grows beyond a size: what is older is kept in a few files beside it.

FILE.txt is copied to FILE.1.txt, that to FILE.2.txt and so on, and begins anew, as BMv2's logger has it (spdlog,
rotating_file_sink). It is not renamed: the switch may append its messages to the same file.
"""

from __future__ import annotations

import itertools
import os
import shutil
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType


@dataclass(frozen=True, slots=True)
class Limit:
    """`size`: bytes of each file; `files`: those that are kept beside it."""

    size: int
    files: int

    def kept(self, path: Path) -> list[Path]:
        """The files beside `path`, the youngest first."""
        return [path.with_name(f"{path.stem}.{number}{path.suffix}") for number in range(1, self.files + 1)]


class Rotated:
    """Appends. The caller owns it, as a context. Not for several threads."""

    def __init__(self, path: Path, limit: Limit) -> None:
        """Raises: OSError."""
        self._path, self._limit = path, limit
        self._file = path.open("a", encoding="utf-8")

    def __enter__(self) -> Rotated:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._file.close()

    def write(self, text: str) -> int:
        """Raises: OSError."""
        there = os.fstat(self._file.fileno()).st_size
        if there and there + len(text.encode()) > self._limit.size:
            self._rotate()
        return self._file.write(text)

    def flush(self) -> None:
        """Raises: OSError."""
        self._file.flush()

    def _rotate(self) -> None:
        self._file.flush()
        kept = self._limit.kept(self._path)
        for before, after in reversed(list(itertools.pairwise(kept))):
            if before.exists():
                before.replace(after)
        if kept:
            shutil.copyfile(self._path, kept[0])
        os.truncate(self._file.fileno(), 0)
