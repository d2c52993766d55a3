"""Where what takes long to make is kept: in the user's cache."""

from __future__ import annotations

import os
from pathlib import Path


def cache_directory() -> Path:
    """$MACSAD_CACHE, or macsad/ in the user's cache directory."""
    if chosen := os.environ.get("MACSAD_CACHE"):
        return Path(chosen)
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "macsad"


def sysroot_directory(arch: str) -> Path:
    """Headers and libraries for another architecture, once `macsad sysroot` has put them there."""
    return cache_directory() / "sysroot" / arch
