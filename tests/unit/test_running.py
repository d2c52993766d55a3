"""A switch that `macsad run` starts: signals, what is shown meanwhile, what runs beside it, how it ends. The switches are of this
file."""

from __future__ import annotations

import contextlib
import io
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from macsad import running
from macsad.protocol import ControlError, NoSwitchError
from macsad.sockets import PlaceError


class Switch:
    """A process that ends at the look of this number with this code."""

    def __init__(self, looks: int = 0, code: int = 0) -> None:
        self.looks, self.code = looks, code
        self.waits: list[float | None] = []
        self.terminated = 0

    def poll(self) -> int | None:
        self.looks -= 1
        return None if self.looks >= 0 else self.code

    def wait(self, seconds: float | None = None) -> int:
        self.waits.append(seconds)
        if seconds is not None:
            raise subprocess.TimeoutExpired("switch", seconds)
        return self.code

    def terminate(self) -> None:
        self.terminated += 1


class Client:
    def __init__(self, *stats: Any) -> None:
        self._stats = iter(stats)
        self.closed = 0

    def stats(self) -> Any:
        found = next(self._stats)
        if isinstance(found, Exception):
            raise found
        return found

    def close(self) -> None:
        self.closed += 1

    def __enter__(self) -> Client:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


@pytest.mark.parametrize(("tries", "listens"), [(0, True), (3, True), (3, False)])
def test_a_switch_is_connected_to_as_soon_as_it_listens(
    monkeypatch: pytest.MonkeyPatch, tries: int, listens: bool
) -> None:
    """However long its entries take; one that ends before has nobody."""
    left = [tries]

    def connect(socket: Path) -> str:
        left[0] -= 1
        if left[0] >= 0 or not listens:
            raise NoSwitchError("none listens")
        return f"at {socket}"

    monkeypatch.setattr(running, "Client", connect)
    switch: Any = Switch(looks=tries + listens)
    assert running._connect(switch, Path("s")) == ("at s" if listens else None)
    assert len(switch.waits) == tries and all(0 < seconds < 1 for seconds in switch.waits)


@pytest.fixture
def shown(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """What is drawn on a terminal of 99 columns."""
    drawn: list[str] = []

    @contextlib.contextmanager
    def redrawn(stream: Any, transient: bool) -> Iterator[Any]:
        assert stream is sys.stderr and transient, "it goes with the switch"
        yield Drawing(drawn)

    class Drawing:
        def __init__(self, lines: list[str]) -> None:
            self.lines = lines

        def __call__(self, text: str) -> None:
            self.lines.append(text)

        def above(self, text: str) -> None:
            self.lines.append(f"above: {text}")

    monkeypatch.setattr(running, "redrawn", redrawn)
    monkeypatch.setattr(running.shutil, "get_terminal_size", lambda: SimpleNamespace(columns=99))
    monkeypatch.setattr(running.statistics, "table", lambda now, before, width: f"{now} after {before} in {width}")
    return drawn


def test_counters_are_shown_every_second_until_it_ends(monkeypatch: pytest.MonkeyPatch, shown: list[str]) -> None:
    """What it prints stands above them, also when nothing is drawn any more."""
    client = Client(1, 2, 3)
    monkeypatch.setattr(running, "_connect", lambda switch, socket: client)
    switch: Any = Switch(looks=3)
    printed: Any = SimpleNamespace(write=None)
    running._watch(switch, Path("s"), printed)
    assert shown == ["1 after None in 99", "2 after 1 in 99", "3 after 2 in 99"]
    assert switch.waits == [1.0] * 3 and client.closed == 1
    printed.write("line")
    assert shown[-1] == "above: line"


@pytest.mark.parametrize("error", [ControlError("gone"), OSError("no terminal")])
def test_counters_that_cannot_be_shown_are_left_out(
    monkeypatch: pytest.MonkeyPatch, shown: list[str], error: Exception
) -> None:
    client = Client(1, error)
    monkeypatch.setattr(running, "_connect", lambda switch, socket: client)
    switch: Any = Switch(looks=9)
    running._watch(switch, Path("s"), None)
    assert len(shown) == 1 and client.closed == 1
    monkeypatch.setattr(running, "_connect", lambda switch, socket: None)
    running._watch(switch, Path("s"), None)
    assert len(shown) == 1, "it has ended before"


@pytest.mark.parametrize("terminal", [True, False])
@pytest.mark.parametrize("listens", [True, False])
def test_what_runs_beside_begins_when_it_listens(
    monkeypatch: pytest.MonkeyPatch, terminal: bool, listens: bool
) -> None:
    did: list[Any] = []
    client = Client()
    monkeypatch.setattr(running, "_connect", lambda switch, socket: client if listens else None)
    monkeypatch.setattr(running, "_watch", lambda switch, socket, printed: did.append(("watch", socket, printed)))
    monkeypatch.setattr(sys, "stderr", SimpleNamespace(isatty=lambda: terminal))

    @contextlib.contextmanager
    def beside(listening: Path) -> Iterator[None]:
        did.append(("begins", listening))
        yield
        did.append("ends")

    switch: Any = Switch(code=3)
    printed: Any = "printed"
    assert running._while_running(switch, Path("s"), beside, printed) == 3
    watched = [("watch", Path("s"), "printed")] if terminal else []
    assert did == ([("begins", Path("s")), *watched, "ends"] if listens else watched)
    assert client.closed == listens and not switch.terminated
    assert running._while_running(switch, Path("s"), contextlib.nullcontext, None) == 3 and client.closed == listens


def test_what_cannot_run_beside_it_ends_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(running, "_connect", lambda switch, socket: Client())

    @contextlib.contextmanager
    def beside(listening: Path) -> Iterator[None]:
        raise OSError("the port is taken")
        yield

    switch: Any = Switch()
    with pytest.raises(OSError, match="the port is taken"):
        running._while_running(switch, Path("s"), beside, None)
    assert switch.terminated == 1 and not switch.waits


def test_what_it_prints_is_passed_on(capsys: pytest.CaptureFixture[str]) -> None:
    """Line by line, whatever bytes they have, until it has closed its end."""
    printed = running._Printed()
    writes = os.dup(printed.descriptor)
    printed.begin()
    os.write(writes, b"first\nsec\xffond\n")
    taken: list[str] = []
    came = threading.Event()

    def take(text: str) -> None:
        taken.append(text)
        came.set()

    printed.write = take
    os.write(writes, b"third\n")
    assert came.wait(20)
    os.close(writes)
    printed.finish()
    said = capsys.readouterr().out + "".join(taken)
    assert sorted(said.splitlines()) == ["first", "sec\\xffond", "third"]


@pytest.mark.parametrize(("out", "err"), [(True, True), (True, False), (False, True)])
def test_it_is_passed_on_where_both_are_one_terminal(monkeypatch: pytest.MonkeyPatch, out: bool, err: bool) -> None:
    class Stream(io.StringIO):
        def __init__(self, terminal: bool) -> None:
            super().__init__()
            self._terminal = terminal

        def isatty(self) -> bool:
            return self._terminal

    monkeypatch.setattr(sys, "stdout", Stream(out))
    monkeypatch.setattr(sys, "stderr", Stream(err))
    with running._printing() as printed:
        assert (printed is not None) is (out and err)
        if printed is not None:
            printed.begin()


SLEEPS = [sys.executable, "-c", "import signal; signal.pause()"]


@pytest.fixture
def no_nohup() -> Iterator[None]:
    """As a terminal starts commands, however the tests were started."""
    before = signal.signal(signal.SIGHUP, signal.SIG_DFL)
    yield
    signal.signal(signal.SIGHUP, before)


@pytest.mark.usefixtures("no_nohup")
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_a_signal_ends_the_switch_and_not_us(number: signal.Signals) -> None:
    """It is as before then."""
    before = {one: signal.getsignal(one) for one in running.ENDING}
    with running._started(SLEEPS, None) as switch:
        os.kill(os.getpid(), number)
        assert switch.wait(20) == -signal.SIGTERM
    assert {one: signal.getsignal(one) for one in running.ENDING} == before


def test_a_signal_that_comes_while_it_is_started_ends_it(monkeypatch: pytest.MonkeyPatch) -> None:
    class Starting(Switch):
        def __init__(self, command: list[str], stdout: int | None) -> None:
            super().__init__()
            os.kill(os.getpid(), signal.SIGTERM)

        def __enter__(self) -> Starting:
            return self

        def __exit__(self, *_: object) -> None:
            pass

    monkeypatch.setattr(running.subprocess, "Popen", Starting)
    with running._started(["switch"], None) as switch:
        assert switch.terminated == 1  # type: ignore[attr-defined]


def test_nohup_leaves_the_end_of_the_terminal_alone() -> None:
    before = signal.signal(signal.SIGHUP, signal.SIG_IGN)
    try:
        with running._started(SLEEPS, None) as switch:
            os.kill(os.getpid(), signal.SIGHUP)
            assert switch.poll() is None
            os.kill(os.getpid(), signal.SIGTERM)
            assert switch.wait(20) == -signal.SIGTERM
        assert signal.getsignal(signal.SIGHUP) is signal.SIG_IGN
    finally:
        signal.signal(signal.SIGHUP, before)


def test_a_switch_that_cannot_be_started_leaves_all_as_it_was() -> None:
    before = {one: signal.getsignal(one) for one in running.ENDING}
    printed = running._Printed()
    with pytest.raises(OSError, match="No such file"), running._started(["/none"], printed):
        pass
    printed.finish()
    assert {one: signal.getsignal(one) for one in running.ENDING} == before


@pytest.mark.parametrize(
    ("other", "told"), [(True, "another switch has the usual socket; this one listens at /usual\n"), (False, "")]
)
def test_where_it_listens(
    monkeypatch: pytest.MonkeyPatch, other: bool, told: str, capsys: pytest.CaptureFixture[str]
) -> None:
    asked: list[Any] = []
    monkeypatch.setattr(running, "_run_at", lambda *given: asked.append(given[0]) or 5)
    monkeypatch.setattr(running.sockets, "place", lambda: contextlib.nullcontext((Path("/usual"), other)))
    assert running.run(("b",), (), None, None, ()) == 5 and capsys.readouterr().err == told
    assert running.run(("b",), (), None, Path("/own"), ()) == 5 and capsys.readouterr().err == ""
    assert asked == [Path("/usual"), Path("/own")]

    @contextlib.contextmanager
    def none() -> Iterator[Any]:
        raise PlaceError("there is no place for it")
        yield

    monkeypatch.setattr(running.sockets, "place", none)
    assert running.run(("b",), (), None, None, ()) == 1
    assert capsys.readouterr().err == "error: there is no place for it\n"
