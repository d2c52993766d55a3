"""The logic of `macsad ctl`: commands to a running switch, one from the arguments or many from a file or a prompt."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TextIO

from macsad.control import Client, ControlError, NoSwitchError, default_socket

PROMPT = "macsad> "


def run_ctl(
    words: Sequence[str],
    *,
    socket: Path | None = None,
    source: TextIO,
    source_name: str = "<stdin>",
    interactive: bool = False,
    output: TextIO,
    errors: TextIO,
) -> int:
    """Run the command that `words` make, or without words the lines of `source` (shown a prompt if interactive).

    Returns the exit code: 0, or 1 when a command failed or no switch answers. Answers go to `output`, the rest to
    `errors`: of a source as `NAME:LINE: error: …`.
    """
    path = socket if socket is not None else default_socket()
    try:
        with Client(path) as client:
            if words:
                return _run_one(client, " ".join(words), output, errors)
            if interactive:
                return _converse(client, source, output, errors)
            return _run_lines(client, source, source_name, output, errors)
    except NoSwitchError as error:
        print(f"error: {error}", file=errors)
        if socket is None:
            print("start one with 'macsad run', or name its socket with --socket PATH", file=errors)
        return 1
    except (ControlError, TimeoutError) as error:
        print(f"error: {error}", file=errors)
        return 1


def _run_one(client: Client, line: str, output: TextIO, errors: TextIO) -> int:
    reply = client.command(line)
    if reply.ok:
        output.write(reply.text)
        return 0
    print(f"error: {reply.text}", file=errors)
    return 1


def _run_lines(client: Client, source: TextIO, name: str, output: TextIO, errors: TextIO) -> int:
    """All lines at once, going on behind failures, as an entries file is loaded."""
    reply = client.bulk(source, keep_going=True, answers=True)
    for line in reply.text.splitlines(keepends=True):
        number, _, rest = line.partition(":")
        if number.isdigit() and rest.startswith(" error:"):
            errors.write(f"{name}:{line}")
        else:
            output.write(line)
    return 1 if reply.failed else 0


def _typed_lines(source: TextIO, output: TextIO) -> Iterator[str]:
    while True:
        output.write(PROMPT)
        output.flush()
        line = source.readline()
        if not line:
            output.write("\n")
            return
        yield line.strip()


def _converse(client: Client, source: TextIO, output: TextIO, errors: TextIO) -> int:
    """A prompt; failures are told and do not count."""
    for line in _typed_lines(source, output):
        if line in ("exit", "quit"):
            return 0
        if line:
            _run_one(client, line, output, errors)
    return 0
