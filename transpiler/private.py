"""Folders that are one user's own: what lies in them was put there by nobody else."""

from __future__ import annotations

import os
import stat
import tempfile
from pathlib import Path


def why_not_private(folder: Path) -> str:
    """Why what lies in this folder may be somebody else's, "" where nothing speaks against it. A link is no folder."""
    try:
        found = folder.lstat()
    except OSError as error:
        return error.strerror or str(error)
    if not stat.S_ISDIR(found.st_mode):
        return "it is not a folder"
    if found.st_uid != os.geteuid():
        return f"it belongs to user {found.st_uid}, not to you (user {os.geteuid()})"
    return "others may write to it" if found.st_mode & 0o022 else ""


def temporary_folder() -> Path:
    """This user's among the temporary files, there or not: whoever makes it first has it."""
    return Path(tempfile.gettempdir()) / f"macsad-{os.geteuid()}"


def make(folder: Path) -> None:
    """Make a private folder where it is not there. Raises: OSError when it cannot be made, PermissionError when it is not
    private."""
    if not os.path.lexists(folder):
        folder.mkdir(mode=0o700, exist_ok=True)
    if why := why_not_private(folder):
        raise PermissionError(f"{folder}: {why}")
