"""`macsad metrics`: which switch it asks, and where it listens."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from signal import SIGINT, SIGTERM
from types import SimpleNamespace

import pytest

from macsad import cli, sockets
from macsad.protocol import ControlError
from macsad.verbs import metrics


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> list[object]:
    """What is listened at, of which socket; it ends at once."""
    found: list[object] = []

    @contextmanager
    def listening(place: object, path: Path) -> Iterator[None]:
        found.append((place, path))
        yield

    def signal(number: int, handler: Callable[..., None]) -> None:
        found.append(number)
        handler()

    ended = SimpleNamespace(wait=lambda: found.append("waits"), set=lambda: found.append("asked to end"))
    monkeypatch.setattr(metrics, "listening", listening)
    monkeypatch.setattr(metrics, "require", lambda: None)
    monkeypatch.setattr(metrics.signal, "signal", signal)
    monkeypatch.setattr(metrics, "threading", SimpleNamespace(Event=lambda: ended))
    monkeypatch.setattr(sockets, "running_socket", lambda: Path("/run/only"))
    return found


ENDS: list[object] = [SIGINT, "asked to end", SIGTERM, "asked to end"]


def test_the_switch_that_is_named(asked: list[object]) -> None:
    """Until a signal asks to end."""
    assert cli.call(["metrics", "127.0.0.1:9999", "--socket", "/run/named"]) == 0
    assert asked == [*ENDS, (("127.0.0.1", 9999), Path("/run/named")), "waits"]


def test_the_only_one_that_runs(asked: list[object]) -> None:
    assert cli.call(["metrics", "127.0.0.1:9999"]) == 0
    assert asked == [*ENDS, (("127.0.0.1", 9999), Path("/run/only")), "waits"]


def test_where_there_is_none(
    asked: list[object], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def none() -> Path:
        raise ControlError("no switch is running")

    monkeypatch.setattr(sockets, "running_socket", none)
    assert cli.call(["metrics", "127.0.0.1:9999"]) == 1
    assert "no switch is running" in capsys.readouterr().err and not asked


def test_other_hosts_only_where_it_is_asked_for(asked: list[object], capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.call(["metrics", "0.0.0.0:9999"]) != 0 and not asked
    assert cli.call(["metrics", "0.0.0.0:9999", "--anywhere"]) == 0
    assert asked == [*ENDS, (("0.0.0.0", 9999), Path("/run/only")), "waits"]
