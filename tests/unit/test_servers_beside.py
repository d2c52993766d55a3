"""What serves beside a switch: where, what it says when it is ready, and what cannot be served. No switch runs."""

from __future__ import annotations

import sys
from contextlib import contextmanager
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import click
import pytest

pytest.importorskip("thriftpy2")
pytest.importorskip("grpc")
pytest.importorskip("prometheus_client")

from macsad.addresses import BadAddress, host_and_port
from macsad.metrics import exporting, metrics
from macsad.p4runtime import serving as beside
from macsad.p4runtime.serving import Settings
from macsad.protocol import ControlError
from macsad.served import Served
from macsad.thrift import serving as thrift, switch as switches
from macsad.thrift.config import config_of


class Server:
    port = 5555

    def __init__(self) -> None:
        self.started: Any = None
        self.closed = False

    def start(self, switch: Any, identity: Any, build: Any) -> None:
        self.started = (switch, identity, build)

    def close(self) -> None:
        self.closed = True


TOLD = {"name": "p", "source": "p.p4", "tables": [], "value_sets": [], "externs": []}


@pytest.mark.parametrize("config", ["{}", None])
def test_thrift_serves_the_switch_while_it_runs(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], config: str | None
) -> None:
    """As the JSON that it was made of; without, as far as the switch describes itself."""
    monkeypatch.setattr(switches, "Client", lambda path: SimpleNamespace(describe=lambda: TOLD, close=lambda: None))
    server = Server()
    with thrift.serving(thrift.Settings(9, 3, config), server, Path("s"), "build") as switch:
        (of, identity, build) = server.started
        assert of is switch and build == "build" and not server.closed
        assert (identity.device, identity.thrift_port) == (3, 5555)
        assert identity.config == (config or config_of(switch.program))
    assert server.closed and capsys.readouterr().out == "ready: Thrift of p at 127.0.0.1:5555\n"


def test_a_switch_that_is_gone_is_not_served(monkeypatch: pytest.MonkeyPatch) -> None:
    def gone(path: Path) -> Any:
        raise ControlError("it has gone")

    monkeypatch.setattr(switches, "Client", gone)
    server = Server()
    with (
        pytest.raises(click.ClickException, match="it has gone"),
        thrift.serving(thrift.Settings(9), server, Path("s")),
    ):
        pass
    assert server.closed


def test_metrics_are_served_at_the_port_that_there_is(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Port 0 is any."""
    did: list[Any] = []

    @contextmanager
    def serving(host: str, port: int, socket: Path) -> Any:
        did.append((host, port, socket))
        if port == 80:
            raise OSError(13, "Permission denied")
        yield 4321
        did.append("ended")

    monkeypatch.setattr(metrics, "serving", serving)
    with exporting.listening(("::1", 0), Path("s")):
        assert did == [("::1", 0, Path("s"))]
    assert did[1:] == ["ended"] and capsys.readouterr().out == "ready: metrics at http://[::1]:4321/metrics\n"
    with (
        pytest.raises(click.ClickException, match=r"cannot serve metrics at 127\.0\.0\.1:80: Permission denied"),
        exporting.listening(("127.0.0.1", 80), Path("s")),
    ):
        pass


@pytest.mark.parametrize(
    ("address", "anywhere", "place"),
    [
        ("127.0.0.1:80", False, ("127.0.0.1", 80)), (":0", False, ("127.0.0.1", 0)), ("[::1]:65535", False, ("::1", 65535)),
        ("localhost:1", False, ("localhost", 1)), ("0.0.0.0:1", True, ("0.0.0.0", 1)), ("0.0.0.0:1", False, None),
        ("host:1", False, None), ("host:1", True, ("host", 1)), ("127.0.0.1:65536", False, None), ("127.0.0.1", False, None),
        ("127.0.0.1:", False, None), ("127.0.0.1:x", False, None), ("127.0.0.1:-1", False, None), ("unix:/p", True, None),
        ("127.0.0.1:\N{SUPERSCRIPT TWO}", False, None), ("127.0.0.1:\N{ARABIC-INDIC DIGIT TWO}", False, None),
        ("127.200.3.4:5", False, ("127.200.3.4", 5)), ("[::]:1", False, None), ("[::]:1", True, ("::", 1)),
        ("localhost.example.org:1", False, None), ("[::1:5", False, ("::1", 5)), (":1", True, ("127.0.0.1", 1)),
    ],
)  # fmt: skip
def test_addresses_are_of_this_host_unless_others_are_asked_for(
    address: str, anywhere: bool, place: tuple[str, int] | None
) -> None:
    if place is None:
        with pytest.raises(BadAddress):
            host_and_port(address, anywhere)
    else:
        assert host_and_port(address, anywhere) == place


@pytest.mark.parametrize(
    ("address", "told"),
    [
        ("0.0.0.0:1", "0.0.0.0 is not this host alone: give --anywhere"), ("host", "'host' is neither HOST:PORT nor unix:PATH"),
        ("unix:/p", "'unix:/p' is not HOST:PORT"), ("[::]:1", "[::] is not this host alone: give --anywhere"),
        ("127.0.0.1:70000", "'127.0.0.1:70000' is neither HOST:PORT nor unix:PATH"),
    ],
)  # fmt: skip
def test_why_nobody_can_listen_there(address: str, told: str) -> None:
    with pytest.raises(BadAddress) as bad:
        host_and_port(address, anywhere=False)
    assert str(bad.value) == told


KEY, CERTIFICATE, CLIENTS = Path("k"), Path("c"), Path("a")


@pytest.mark.parametrize(
    ("address", "tls", "wrong"),
    [
        ("127.0.0.1:1", (None, None, None), ""), ("127.0.0.1:1", (KEY, CERTIFICATE, None), ""),
        ("127.0.0.1:1", (KEY, CERTIFICATE, CLIENTS), ""), ("127.0.0.1:1", (KEY, None, None), "together"),
        ("127.0.0.1:1", (None, CERTIFICATE, None), "together"), ("127.0.0.1:1", (None, None, CLIENTS), "together"),
        ("0.0.0.0:1", (None, None, None), "--anywhere"), ("unix:/p", (None, None, None), ""),
    ],
)  # fmt: skip
def test_what_p4runtime_can_be_served_with(address: str, tls: Any, wrong: str) -> None:
    settings = Settings(address, tls=tls)
    if wrong:
        with pytest.raises(click.ClickException, match=wrong):
            settings.check()
    else:
        settings.check()


@pytest.fixture
def p4runtime(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """What is done where p4runtime.serving runs, and a service of this file that it starts."""
    did: list[Any] = []
    ports = [{"port": 1, "name": "eth0"}, {"port": 2, "name": "ctl:"}]

    @contextmanager
    def client(socket: Path) -> Any:
        did.append(("client", socket))
        yield SimpleNamespace(describe=lambda: {**TOLD, "ports": ports})
        did.append("client closed")

    def service(socket: Path, program: Any, **has: Any) -> Any:
        did.append(("service", socket, program, has))
        return SimpleNamespace(close=lambda: did.append("service closed"))

    monkeypatch.setattr(sys, "setswitchinterval", lambda seconds: None)
    monkeypatch.setattr(beside, "Client", client)
    monkeypatch.setattr("macsad.p4runtime.service.Service", service)
    monkeypatch.setattr("macsad.p4runtime.program.join", lambda info, told, widths: (told["name"], widths))
    return did


class Listening:
    """Where p4runtime.serving listens."""

    port, streams = 4321, "streams"

    def __init__(self, did: list[Any], fails: bool = False) -> None:
        self.did, self.fails, self.server = did, fails, self

    def start(self, service: Any) -> None:
        self.did.append("started")
        if self.fails:
            raise ControlError("it has gone")

    def stop(self, seconds: float) -> Any:
        self.did.append("stopped")
        return SimpleNamespace(wait=lambda seconds: self.did.append("waited"))


@pytest.mark.parametrize(
    ("address", "has", "cpu_port", "said"),
    [
        ("127.0.0.1:0", {}, 2, "P4Runtime of p, device 0, at 127.0.0.1:4321"),
        (":0", {"device": 7, "cpu_port": 2}, 2, "P4Runtime of p, device 7, at 127.0.0.1:4321"),
        ("[::1]:0", {"awaits": True}, 2, "P4Runtime of no program yet, device 0, at [::1]:4321"),
        ("0.0.0.0:9", {"anywhere": True}, 2, "P4Runtime of p, device 0, at 0.0.0.0:4321"),
        ("unix:/a/b", {}, 2, "P4Runtime of p, device 0, at unix:/a/b"),
    ],
)  # fmt: skip
def test_p4runtime_is_served_while_the_switch_runs(
    p4runtime: list[Any],
    capsys: pytest.CaptureFixture[str],
    address: str,
    has: dict[str, Any],
    cpu_port: int,
    said: str,
) -> None:
    settings, served = Settings(address, **has), Served(widths={"packet_in": (9,)})
    with beside.serving(settings, Listening(p4runtime), served, b"source", Path("s"), "build"):
        assert capsys.readouterr().out == f"ready: {said}\n"
    given = {"streams": "streams", "cpu_port": cpu_port, "device_config": b"source", "build": "build",
             "awaits": has.get("awaits", False)}  # fmt: skip
    assert p4runtime == [
        ("client", Path("s")), "client closed", ("service", Path("s"), ("p", {"packet_in": (9,)}), given), "started",
        "stopped", "waited", "service closed",
    ]  # fmt: skip


def test_what_p4runtime_cannot_serve_leaves_nothing(p4runtime: list[Any], capsys: pytest.CaptureFixture[str]) -> None:
    with (
        pytest.raises(click.ClickException, match="it has gone"),
        beside.serving(Settings(":0"), Listening(p4runtime, fails=True), Served(), b"", Path("s")),
    ):
        pass
    assert p4runtime[-2:] == ["started", "service closed"]
    p4runtime.clear()
    with (
        pytest.raises(click.ClickException, match=r"the switch has no ctl: port 1 \(--cpu-port\)"),
        beside.serving(Settings(":0", cpu_port=1), Listening(p4runtime), Served(), b"", Path("s")),
    ):
        pass
    assert p4runtime == [("client", Path("s")), "client closed"] and capsys.readouterr().out == ""


def test_what_runs_beside_ends_with_what_it_serves(p4runtime: list[Any]) -> None:
    """However that ends."""
    with pytest.raises(KeyError), beside.serving(Settings(":0"), Listening(p4runtime), Served(), b"", Path("s")):
        raise KeyError
    assert p4runtime[-3:] == ["stopped", "waited", "service closed"]
