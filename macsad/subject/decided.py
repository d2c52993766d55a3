"""What a verb has decided for a program, in a TOML file that people can read and edit."""

from __future__ import annotations

import tomllib
from collections.abc import Collection
from pathlib import Path
from typing import Any


def read(path: Path, verb: str, version: int, keys: Collection[str]) -> dict[str, Any]:
    """What stands in it, beside its version. Raises: ValueError, UnicodeDecodeError among them, and OSError."""
    data = tomllib.loads(path.read_text())
    if unknown := [key for key in data if key not in ("version", *keys)]:
        raise ValueError(f"there is no '{unknown[0]}' in it, but {', '.join(('version', *keys))}")
    if data.get("version") != version:
        raise ValueError(f"it is of version {data.get('version')}, not {version}: make it anew by 'macsad {verb}'")
    return data
