"""What a program includes, looked at before the C preprocessor opens it: a device or a pipe may have no end.

Only names in quotes and angle brackets are followed, whatever `#if` they are under; what macros name is left to the
limits under which the preprocessor runs.
"""

from __future__ import annotations

import re
import stat
from collections.abc import Iterable
from pathlib import Path

from transpiler.diagnostics import Diagnostics, Span

_INCLUDE = re.compile(rb"^[ \t]*#[ \t]*include[ \t]*([\"<])([^\">\n]+)", re.MULTILINE)
_LIMIT_BYTES = 16 << 20  # of one file; a larger one is too long anyway


def require_files(program: Path, folders: Iterable[Path], diagnostics: Diagnostics) -> None:
    """Reports each #include that leads to something that is not a regular file."""
    folders = tuple(folders)
    seen, waiting = {program}, [program]
    while waiting:
        file = waiting.pop()
        text = _read(file)
        for found in _INCLUDE.finditer(text):
            name = Path(found[2].decode("utf-8", "surrogateescape"))
            target = _resolve(name, ((file.parent, *folders) if found[1] == b'"' else folders))
            if target is None or target in seen:
                continue
            seen.add(target)
            if target.is_file():
                waiting.append(target)
                continue
            start = text.rfind(b"\n", 0, found.start(2)) + 1
            column = len(text[start : found.start(2)].decode("utf-8", "replace"))
            at = Span(str(file), text.count(b"\n", 0, start) + 1, column, len(found[2]) + 2)
            diagnostics.error(at, f"'{name}' is not a regular file, so it cannot be included")


def _resolve(name: Path, folders: Iterable[Path]) -> Path | None:
    """The file of that name that the preprocessor would open; like it, folders are passed over."""
    for folder in folders:
        try:
            mode = (folder / name).stat().st_mode
        except (OSError, ValueError):
            continue
        if not stat.S_ISDIR(mode):
            return folder / name
    return None


def _read(file: Path) -> bytes:
    try:
        with file.open("rb") as stream:
            return stream.read(_LIMIT_BYTES)
    except OSError:
        return b""
