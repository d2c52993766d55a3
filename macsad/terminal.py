"""Standard output and error: what is written there is shown as text, and that it could not be written is an error.

`shown_streams` puts them in place, once, so that no verb has to think of it. What draws on a terminal itself (Rich) writes
to the stream below, `plain`.
"""

from __future__ import annotations

import contextlib
import io
import os
import sys
from collections.abc import Iterator
from typing import TextIO

from transpiler.shown import shown_lines


class Unwritable(OSError):
    """A standard stream takes no more: its disk is full, nobody reads it."""


@contextlib.contextmanager
def _unwritable() -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise Unwritable(error.errno, error.strerror) from None


class Shown(io.TextIOWrapper):
    """A text stream that writes escape sequences out. `below`: the stream that it stands for."""

    def __init__(self, below: TextIO) -> None:
        super().__init__(
            below.buffer, below.encoding, "backslashreplace", line_buffering=below.isatty() or below is sys.stderr
        )
        self.below = below

    def write(self, text: str) -> int:
        with _unwritable():
            super().write(shown_lines(text))
        return len(text)

    def flush(self) -> None:
        with _unwritable():
            super().flush()


def plain(stream: TextIO) -> TextIO:
    """The stream for what is made for terminals."""
    return stream.below if isinstance(stream, Shown) else stream


@contextlib.contextmanager
def shown_streams() -> Iterator[None]:
    """Within it all that is printed is shown."""
    before = sys.stdout, sys.stderr
    sys.stdout, sys.stderr = made = Shown(before[0]), Shown(before[1])
    try:
        yield
    finally:
        sys.stdout, sys.stderr = before
        for stream in made:
            with contextlib.suppress(OSError, ValueError):
                stream.detach()  # flushes; the buffer below lives on


def flush() -> OSError | None:
    """Write out what is still held. What was wrong, if anything was; it is not tried again then."""
    problem = None
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except OSError as error:
            problem = problem or error
            _to_nowhere(stream)
    return problem


def _to_nowhere(stream: TextIO) -> None:
    """What the stream still holds cannot be written: let Python, which tries at its end, write it to nowhere."""
    with contextlib.suppress(OSError, ValueError):
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, stream.fileno())
        os.close(nowhere)
        stream.flush()
