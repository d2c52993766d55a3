"""The logic of `macsad ctl`: commands to a running switch, one from the arguments or many from a file or a prompt; its
statistics."""

from __future__ import annotations

import json
import shutil
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any, TextIO

from macsad import idle, stages, statistics
from macsad.control import Client
from macsad.protocol import ControlError, NoSwitchError, Push
from macsad.sockets import SeveralError, running_socket

PROMPT = "macsad> "
LINE_MAX = 1 << 20  # characters of a line
LINES_AT_ONCE = 10_000  # of a file, for a message
SHOWN = 100  # of a command that failed
PERIOD_S = 1.0  # between two readings of the statistics

Drawing = Callable[[TextIO], AbstractContextManager[Callable[[str], None]]]


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

    Returns the exit code: 0, 1 when a command failed or no switch answers, 2 when several run and none is named.
    Answers go to `output`, the rest to `errors`: of a source as `NAME:LINE: COMMAND: error: …`.
    """

    def run(client: Client) -> int:
        if words:
            return _run_one(client, " ".join(words), output, errors)
        if interactive:
            return _converse(client, source, output, errors)
        return _run_lines(client, source, source_name, output, errors)

    return _connected(run, socket, errors)


def show_stats(*, socket: Path | None = None, as_json: bool = False, output: TextIO, errors: TextIO) -> int:
    """Write the switch's statistics once: a table with rates of the last second, or JSON. Returns the exit code."""

    def show(client: Client) -> int:
        before = client.stats()
        if as_json:
            output.write(f"{json.dumps(before)}\n")
            return 0
        time.sleep(PERIOD_S)
        output.write(statistics.table(client.stats(), before, _width(output)))
        return 0

    return _connected(show, socket, errors)


def show_stages(*, socket: Path | None = None, as_json: bool = False, output: TextIO, errors: TextIO) -> int:
    """Write the stage clocks since the switch began: a table, or the statistics as JSON with `stages` in them. Returns the exit
    code."""

    def show(client: Client) -> int:
        found = client.stages()
        output.write(f"{json.dumps({**client.stats(), 'stages': found})}\n" if as_json else stages.table(found))
        return 0

    return _connected(show, socket, errors)


def watch_stats(
    *, socket: Path | None = None, as_json: bool = False, of_stages: bool = False, output: TextIO, errors: TextIO,
    redrawn: Drawing,
) -> int:  # fmt: skip
    """Write them every second until the switch ends or Ctrl-C, the table in its own place on a terminal, JSON as a line
    each. `of_stages`: the stage clocks of the last second. `redrawn`: how. Returns the exit code."""

    def show(client: Client) -> int:
        before = clocks = None
        with redrawn(output) as draw:
            while True:
                try:
                    now = client.stats()
                    read = client.stages() if of_stages else []
                except NoSwitchError:  # it has ended
                    return 0
                if as_json:
                    print(json.dumps({**now, "stages": read} if of_stages else now), file=output, flush=True)
                elif of_stages:
                    draw(stages.table(stages.since(read, clocks) if clocks else read))
                else:
                    draw(statistics.table(now, before, _width(output)))
                before, clocks = now, read
                time.sleep(PERIOD_S)

    try:
        return _connected(show, socket, errors)
    except KeyboardInterrupt:
        return 0


def show_idle(*, socket: Path | None = None, as_json: bool = False, output: TextIO, errors: TextIO) -> int:
    """Write the entries that nothing hits for longer than they may, as the switch tells of them, until it ends or Ctrl-C.
    Returns the exit code."""

    def show(client: Client) -> int:
        told = client.describe()
        client.subscribe(Push.IDLE)
        while True:
            try:
                told_of = client.idle(PERIOD_S)
            except NoSwitchError:  # it has ended
                return 0
            for entry in idle.shown(told, told_of) if told_of else ():
                print(json.dumps(entry) if as_json else _idle_line(entry), file=output, flush=True)

    try:
        return _connected(show, socket, errors)
    except KeyboardInterrupt:
        return 0


def _idle_line(entry: dict[str, Any]) -> str:
    key = " ".join(entry["key"])
    return f"{entry['table']} {entry['handle']}: {key}: {entry['idle_ms']} ms since hit, timeout is {entry['timeout_ms']} ms"


def _connected(act: Callable[[Client], int], socket: Path | None, errors: TextIO) -> int:
    try:
        with Client(socket or running_socket()) as client:
            return act(client)
    except NoSwitchError as error:
        print(f"error: {error}", file=errors)
        if socket is None:
            print("start one with 'macsad run', or name its socket with --socket PATH", file=errors)
        return 1
    except SeveralError as error:
        print(f"error: {error}", file=errors)
        return 2
    except (ControlError, TimeoutError) as error:
        print(f"error: {error}", file=errors)
        return 1


def _width(output: TextIO) -> int | None:
    """Columns of a terminal; a file has no end of a line."""
    return shutil.get_terminal_size().columns if output.isatty() else None


def _run_one(client: Client, line: str, output: TextIO, errors: TextIO) -> int:
    reply = client.command(line)
    if reply.ok:
        output.write(reply.text)
        return 0
    print(f"error: {reply.text}", file=errors)
    return 1


def _run_lines(client: Client, source: TextIO, name: str, output: TextIO, errors: TextIO) -> int:
    """All lines, going on behind failures, as an entries file is loaded; as they come, many at once."""
    failed = first = 0
    for lines, whole in _parts(source):
        reply = client.bulk(lines, keep_going=True, answers=True)
        failed += reply.failed
        for line in reply.text.removesuffix("\n").split("\n") if reply.text else ():
            number, _, rest = line.partition(":")
            if number.isdigit() and rest.startswith(" error:"):
                command = lines[int(number) - 1].strip()
                print(f"{name}:{first + int(number)}: {command[:SHOWN]}:{rest}", file=errors)
            else:
                print(line, file=output)
        first += len(lines)
        if not whole:
            errors.write(
                f"{name}:{first + 1}: error: the line is longer than {LINE_MAX} bytes; nothing behind it is done\n"
            )
            return 1
    return 1 if failed else 0


def _parts(source: TextIO) -> Iterator[tuple[list[str], bool]]:
    """Lines, some at a time; false: they end before one that is too long."""
    while True:
        lines: list[str] = []
        while len(lines) < LINES_AT_ONCE and (line := source.readline(LINE_MAX + 1)):
            if len(line) > LINE_MAX:
                yield lines, False
                return
            lines.append(line)
        if not lines:
            return
        yield lines, True


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
    before = None  # rates are those since the last time
    for line in _typed_lines(source, output):
        if line in ("exit", "quit"):
            return 0
        if line == "stats":
            now = client.stats()
            output.write(statistics.table(now, before, _width(output)))
            before = now
        elif line:
            _run_one(client, line, output, errors)
    return 0
