"""A switch with keys, members and externs of all kinds, its Thrift services, and sessions of simple_switch_CLI with them."""

from __future__ import annotations

import socket
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
import switches
from switch_harness import Switch

from macsad.shims.cli import connection
from macsad.shims.cli.commands import run
from macsad.shims.cli.session import Session
from macsad.thrift.config import config_of
from macsad.thrift.management import Identity
from macsad.thrift.server import Server
from macsad.thrift.switch import Switch as Served

PROGRAM = Path(__file__).parents[1] / "c" / "edges.p4"
DEVICE = 7


@pytest.fixture(scope="module")
def switch(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Switch]:
    binary = switches.build(PROGRAM, ("address", "undefined"))
    running = Switch(binary, tmp_path_factory.mktemp("switch"), ["--port=0=ctl:", "--port=1=ctl:", "--port=7=ctl:"])
    yield running
    running.stop()


@pytest.fixture(scope="module")
def port(switch: Switch) -> Iterator[int]:
    """Where the services are."""
    server, served = Server("127.0.0.1", 0), Served(switch.socket)
    server.start(served, Identity(config_of(served.program), DEVICE, server.port))
    yield server.port
    server.close()
    served.close()


@pytest.fixture
def session(port: int) -> Iterator[Session]:
    """The switch as it was when it started."""
    made = connection.connect("127.0.0.1", port, "SimplePreLAG", None)
    made.standard.bm_reset_state()
    yield made
    made.standard.close()


Said = Callable[..., str]


@pytest.fixture
def say(session: Session, capsys: pytest.CaptureFixture[str]) -> Said:
    """say(line, ...): what commands print."""

    def said(*lines: str) -> str:
        capsys.readouterr()
        for line in lines:
            run(session, line.split())
        return capsys.readouterr().out

    return said


@pytest.fixture
def raw(port: int) -> Iterator[socket.socket]:
    """A connection that knows nothing of Thrift."""
    with socket.create_connection(("127.0.0.1", port)) as connected:
        connected.settimeout(20)
        yield connected
