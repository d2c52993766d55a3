"""Functions that run in a process of their own, so that what they take of memory goes with it: the compiler beside a server.

The process is a Python of its own, as a server's threads cannot be copied. It ends with the one that asks.
"""

from __future__ import annotations

import contextlib
import os
import pickle
import subprocess
import sys
import threading
from collections.abc import Callable
from typing import Any, TypeVar

import click

_T = TypeVar("_T")


def in_own_process(function: Callable[..., _T], *arguments: Any) -> _T:
    """What a function of a module returns. What it prints goes to standard error.

    Raises: click.exceptions.Exit, with the exit code of what it has raised and told; click.ClickException: it was killed.
    """
    command = [sys.executable, "-m", __name__]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as child:
        assert child.stdin is not None and child.stdout is not None
        try:
            with contextlib.suppress(BrokenPipeError):  # it has ended: its exit code says more
                pickle.dump(sys.path, child.stdin)  # by which the function is found
                pickle.dump((function, arguments), child.stdin)
                child.stdin.flush()
            returned = child.stdout.read()
            child.wait()  # its standard input is open until then: else it would take us for gone
            with contextlib.suppress(BrokenPipeError):  # what it has not read
                child.stdin.close()
        except BaseException:
            child.kill()
            raise
    if child.returncode < 0:
        raise click.ClickException(f"the process that compiles was ended by signal {-child.returncode}")
    if child.returncode:
        raise click.exceptions.Exit(child.returncode)
    made: _T = pickle.loads(returned)
    return made


def _end_with_parent() -> None:
    """Standard input is open as long as somebody waits for the result."""
    while os.read(0, 1 << 16):
        pass
    os._exit(1)


def main() -> int:
    from macsad import cli

    sys.path[:] = pickle.load(sys.stdin.buffer)
    function, arguments = pickle.load(sys.stdin.buffer)
    results = os.dup(1)
    os.dup2(2, 1)
    threading.Thread(target=_end_with_parent, daemon=True).start()

    def call() -> None:
        made = pickle.dumps(function(*arguments))
        with os.fdopen(results, "wb") as out:
            out.write(made)

    return cli.called(call)


if __name__ == "__main__":
    sys.exit(main())
