"""Where switches listen that were not told where, and which of them run."""

from __future__ import annotations

import contextlib
import fcntl
import os
import socket
from collections.abc import Iterator
from pathlib import Path

from macsad.control import Client
from macsad.protocol import ControlError, NoSwitchError
from transpiler import private

FIRST = "macsad.sock"
_LISTING_SECONDS = 2.0


class PlaceError(Exception):
    """There is no folder for sockets that this user can trust."""


class SeveralError(ControlError):
    """Which of several switches is meant is not clear."""


def folder() -> Path:
    """The folder of this user's sockets, there or not: in $XDG_RUNTIME_DIR, else /run/user/UID (of root: /run), where that
    is the user's own; else among the temporary files."""
    user = os.geteuid()
    runtime = Path(os.environ.get("XDG_RUNTIME_DIR") or "/")
    for parent in (runtime, Path(f"/run/user/{user}"), Path("/run")):
        if (
            parent.is_absolute()
            and parent != Path("/")
            and not private.why_not_private(parent)
            and os.access(parent, os.W_OK)
        ):
            return parent / "macsad"
    return private.temporary_folder()


def folder_made() -> Path:
    """The folder, made if need be. Raises: PlaceError."""
    made = folder()
    try:
        private.make(made)
    except PermissionError as error:
        raise PlaceError(f"no place for the control socket in {error}; name one with --socket PATH") from None
    except OSError as error:
        raise PlaceError(f"cannot make {made} for the control socket: {error.strerror or error}") from None
    return made


def _answers(path: Path) -> bool:
    with socket.socket(socket.AF_UNIX) as probe:
        probe.setblocking(False)
        try:
            probe.connect(str(path))
        except BlockingIOError:
            return True  # it has more clients than it takes
        except OSError:
            return False
    return True


@contextlib.contextmanager
def place() -> Iterator[tuple[Path, bool]]:
    """A path for one switch, and whether it is not the usual one as that is taken. While the context lasts, no other
    `macsad run` gets it. Raises: PlaceError."""
    where = folder_made()
    lock = os.open(where / "lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600)
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        taken = _answers(where / FIRST)
    except BlockingIOError:
        taken = True
    try:
        yield where / (f"macsad-{os.getpid()}.sock" if taken else FIRST), taken
    finally:
        os.close(lock)


def _about(path: Path) -> str:
    try:
        with Client(path, _LISTING_SECONDS) as client:
            told = client.describe()
        ports = ", ".join(f"{port['port']}={port['name']}" for port in told["ports"])
        return f"{told['name']}: {ports}"
    except (ControlError, OSError) as error:
        return f"({error})"


def running_socket() -> Path:
    """The socket of the switch that runs. Raises: NoSwitchError when there is none, SeveralError with what there
    is when it is not clear which."""
    where = folder()
    if where.exists() and (why := private.why_not_private(where)):
        raise NoSwitchError(f"no switch is to be found in {where}: {why}")
    there = [path for path in sorted(where.glob("*.sock")) if _answers(path)]
    if not there:
        raise NoSwitchError(f"no switch listens in {where}")
    if len(there) == 1:
        return there[0]
    listed = "".join(f"\n  --socket {path}    {_about(path)}" for path in there)
    raise SeveralError(f"several switches run; name one:{listed}")
