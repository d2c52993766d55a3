"""Who takes what a switch sends by itself: in which order, for whom, and how it ends. The switch and the controllers are those of
this file."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from types import SimpleNamespace
from typing import Any

import pytest

from macsad.p4runtime import service as module
from macsad.p4runtime.service import WAITING, Service
from macsad.protocol import ControlError, Digest, Idle, Push


class Controller:
    """One that has read so much by each look."""

    config = None

    def __init__(self, *waiting: int) -> None:
        self._waiting = iter(waiting)
        self.last = 0

    @property
    def waiting(self) -> int:
        self.last = next(self._waiting, self.last)
        return self.last


class Stopping:
    """An event; `waits`: how long was waited for it."""

    def __init__(self, stops: bool = False) -> None:
        self.stops = stops
        self.waits: list[float] = []

    def wait(self, seconds: float) -> bool:
        self.waits.append(seconds)
        return self.stops

    def is_set(self) -> bool:
        return False


def bare(**has: Any) -> Any:
    made = Service.__new__(Service)
    for name, value in has.items():
        setattr(made, name, value)
    return made


@pytest.mark.parametrize(
    ("waiting", "stops", "waits"),
    [
        ([WAITING], False, 0), ([WAITING + 1, WAITING - 1, WAITING], False, 1), ([WAITING + 5] * 3, False, 1),
        # each look at the end of a wait, and each at its beginning
        ([WAITING + 9, WAITING + 8, WAITING + 8, WAITING + 3, WAITING], False, 2), ([WAITING + 9, WAITING + 8], True, 1),
        ([WAITING + 9, WAITING + 10], False, 1),
    ],
)  # fmt: skip
def test_controllers_that_read_are_waited_for(waiting: list[int], stops: bool, waits: int) -> None:
    """While they have much to read; one that reads nothing holds nobody up."""
    stopping = Stopping(stops)
    service = bare(
        _arbitration=SimpleNamespace(primaries=lambda: [Controller(0), Controller(*waiting)]), _stopping=stopping
    )
    service._let_read()
    assert len(stopping.waits) == waits and all(0 < seconds < 1 for seconds in stopping.waits)


class Switch:
    """A connection by which these come; then the switch has gone."""

    def __init__(self, *pushed: Any) -> None:
        self._pushed: Iterator[Any] = iter(pushed)
        self.waited: list[Any] = []

    def pushed(self, seconds: Any) -> Any:
        self.waited.append(seconds)
        try:
            return next(self._pushed)
        except StopIteration:
            raise ControlError("it has gone") from None


def test_what_comes_goes_to_whom_it_is_for(monkeypatch: pytest.MonkeyPatch) -> None:
    """Digests to who collects them, packets and what is idle to the primaries; controllers read meanwhile."""
    did: list[Any] = []
    digests = SimpleNamespace(
        wait=lambda: 0.5, received=lambda one: did.append(("digest", one)), tick=lambda: did.append("tick")
    )
    came = Digest("d", ()), Idle(0, (), b""), [(3, b"a"), (4, b"b")], None
    service = bare(
        _stopping=threading.Event(), switch_ended=threading.Event(), _device=SimpleNamespace(digests=digests),
        _pushed=Switch(*came), _arbitration=SimpleNamespace(end=lambda: did.append("end")),
        _let_read=lambda: did.append("read"), _expired=lambda one: did.append(("idle", one)),
        _packets_in=lambda frames: did.append(list(frames)),
    )  # fmt: skip
    service._attend()
    assert did == [
        "read", ("digest", came[0]), "tick", "read", ("idle", came[1]), "tick", "read", [b"a", b"b"], "tick", "read", "tick",
        "read", "end",
    ]  # fmt: skip
    assert service.switch_ended.is_set() and service._pushed.waited == [0.5] * 5


def test_an_end_that_is_wanted_is_no_end_of_the_switch() -> None:
    did: list[str] = []
    stopping = threading.Event()

    class Ending(Switch):
        def pushed(self, seconds: Any) -> Any:
            stopping.set()
            return super().pushed(seconds)

    service = bare(
        _stopping=stopping, switch_ended=threading.Event(), _pushed=Ending(), _let_read=lambda: None,
        _device=SimpleNamespace(digests=SimpleNamespace(wait=lambda: None)),
        _arbitration=SimpleNamespace(end=lambda: did.append("end")),
    )  # fmt: skip
    service._attend()
    assert not service.switch_ended.is_set() and not did


def test_closing_ends_the_streams_and_leaves_the_switch() -> None:
    """Who waits for the switch is told first."""
    did: list[str] = []

    def noting(name: str, *methods: str) -> Any:
        def noted(method: str) -> Any:
            return lambda *given: did.append(f"{name} {method}")

        return SimpleNamespace(**{method: noted(method) for method in methods})

    service = bare(
        _stopping=noting("stopping", "set"), _arbitration=noting("streams", "end"),
        _pushed=noting("pushed", "break_off", "close"),
        _attendant=noting("attendant", "join"), _packets=noting("packets", "close"), _device=noting("device", "close"),
    )  # fmt: skip
    service.close()
    assert did == [
        "stopping set", "streams end", "pushed break_off", "attendant join", "pushed close", "packets close", "device close",
    ]  # fmt: skip


@pytest.mark.parametrize("cpu_port", [None, 64])
def test_a_service_begins_with_a_connection_for_each_use(monkeypatch: pytest.MonkeyPatch, cpu_port: int | None) -> None:
    did: list[Any] = []

    class Client:
        def __init__(self, socket: Any) -> None:
            did.append(("connect", socket))

        def subscribe(self, to: Push) -> None:
            did.append(to)

        def take_frames(self, *ports: int) -> None:
            did.append(("frames", *ports))

    device = SimpleNamespace(program="program")
    streams: Any = SimpleNamespace(arbitration="arbitration", serve=lambda other: did.append("serve"))
    monkeypatch.setattr(module, "Client", Client)
    monkeypatch.setattr(module.Device, "of", lambda socket, program, to_primaries: device)
    monkeypatch.setattr(module, "Writer", lambda of: ("writer", of))
    monkeypatch.setattr(module.Header, "of", lambda program, name: (program, name))
    monkeypatch.setattr(Service, "_attend", lambda own: did.append("attend"))
    program: Any = SimpleNamespace(info="info")
    made = Service("s", program, streams=streams, cpu_port=cpu_port)  # type: ignore[arg-type]
    made._attendant.join(5)
    frames = [] if cpu_port is None else [("frames", 64)]
    assert sorted(map(str, did)) == sorted(map(str, [
        ("connect", "s"), ("connect", "s"), Push.DIGESTS | Push.IDLE, *frames, "attend", "serve",
    ]))  # fmt: skip
    assert (made._cpu_port, made._writer) == (cpu_port, ("writer", device))
    assert (made._packet_in, made._packet_out) == (("program", "packet_in"), ("program", "packet_out"))
