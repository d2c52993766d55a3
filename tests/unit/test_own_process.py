"""Functions that run in a process of their own."""

from __future__ import annotations

import importlib
import os
import signal
import sys
import time
from collections.abc import Callable
from pathlib import Path

import click
import pytest

from macsad.own_process import in_own_process
from transpiler.diagnostics import Diagnostics, Rejected, Span


def _process(text: str) -> tuple[int, str]:
    print("printed")
    return os.getpid(), text


def _rejected() -> None:
    diagnostics = Diagnostics()
    diagnostics.error(Span("x.p4", 1, 1), "wrong")
    raise Rejected(diagnostics)


def _misused() -> None:
    raise click.UsageError("not so")


def test_it_gives_what_the_function_returns(capfd: pytest.CaptureFixture[str]) -> None:
    """Again and again: the end of the one process and of the other do not race."""
    processes = set()
    for number in range(3):
        process, text = in_own_process(_process, "x" * number * 100_000)
        assert text == "x" * number * 100_000
        processes.add(process)
    assert len(processes) == 3 and os.getpid() not in processes
    assert capfd.readouterr() == ("", "printed\n" * 3)


def test_exit_codes_are_those_of_a_verb(capfd: pytest.CaptureFixture[str]) -> None:
    for function, code in ((_rejected, 1), (_misused, 2)):
        with pytest.raises(click.exceptions.Exit) as ended:
            in_own_process(function)
        assert ended.value.exit_code == code
    assert "not so" in capfd.readouterr().err


def test_it_finds_what_is_found_here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "own_process_module.py").write_text("import sys\n\n\ndef path() -> list[str]:\n    return sys.path\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    found = importlib.import_module("own_process_module").path
    assert in_own_process(found) == sys.path


class _Ends:
    """Ends the process that reads it."""

    def __reduce__(self) -> tuple[Callable[[int], None], tuple[int]]:
        return os._exit, (5,)


@pytest.mark.parametrize("size", [0, 100_000, 10_000_000])
def test_one_that_ends_before_it_has_read_all_is_told(size: int) -> None:
    """By its exit code, however much of its arguments is left."""
    with pytest.raises(click.exceptions.Exit) as ended:
        in_own_process(_process, _Ends(), "x" * size)
    assert ended.value.exit_code == 5


def test_one_that_is_killed_is_told() -> None:
    with pytest.raises(click.ClickException, match=f"signal {int(signal.SIGKILL)}"):
        in_own_process(_kill_itself)


def _kill_itself() -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def test_it_ends_with_the_one_that_waits(tmp_path: Path) -> None:
    """Also where that one is killed."""
    started = tmp_path / "started"
    if (waiting := os.fork()) == 0:
        in_own_process(_wait_for_ever, started)
        os._exit(0)
    end = time.monotonic() + 60
    while not (started.exists() and started.read_text()) and time.monotonic() < end:
        time.sleep(0.02)
    process = int(started.read_text())
    os.kill(waiting, signal.SIGKILL)
    os.waitpid(waiting, 0)
    while Path(f"/proc/{process}").exists() and time.monotonic() < end:
        time.sleep(0.02)
    assert not Path(f"/proc/{process}").exists()


def _wait_for_ever(started: Path) -> None:
    started.write_text(str(os.getpid()))
    time.sleep(1000)
