"""Where what takes long to make is kept: in the user's cache."""

from __future__ import annotations

import os
from pathlib import Path

from transpiler import private
from transpiler.toolchain.errors import ToolchainError


def cache_directory() -> Path:
    """$MACSAD_CACHE, or macsad/ in the user's cache directory; of a user without home, a folder among the temporary files.
    Raises: ToolchainError when that is somebody else's."""
    if chosen := os.environ.get("MACSAD_CACHE"):
        return Path(chosen)
    if cache := os.environ.get("XDG_CACHE_HOME"):
        return Path(cache) / "macsad"
    try:
        return Path.home() / ".cache" / "macsad"
    except RuntimeError:  # neither HOME nor an entry in passwd
        try:
            private.make(private.temporary_folder())
        except OSError as error:
            raise ToolchainError(f"no place to keep what is compiled: {error}; set HOME or MACSAD_CACHE") from None
        return private.temporary_folder() / "cache"


def sysroot_directory(arch: str) -> Path:
    """Headers and libraries for another architecture, once `macsad sysroot` has put them there."""
    return cache_directory() / "sysroot" / arch
