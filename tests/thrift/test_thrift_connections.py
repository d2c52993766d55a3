"""How many clients the Thrift server serves at once, and how it takes leave of one. No switch is asked anything."""

from __future__ import annotations

import errno
import socket
import time
from collections.abc import Iterator
from contextlib import ExitStack
from types import SimpleNamespace
from typing import Any

import pytest

from macsad.thrift import server as serving
from macsad.thrift.server import Server

NOTHING: Any = None


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[Server]:
    monkeypatch.setattr(serving, "CLIENTS_MAX", 3)
    made = Server("127.0.0.1", 0)
    made.start(NOTHING, NOTHING)
    yield made
    made.close()


def kept(client: socket.socket, seconds: float) -> bool:
    """Whether the server leaves the connection open for so long."""
    client.settimeout(seconds)
    try:
        return client.recv(1) != b""
    except TimeoutError:
        return True
    except ConnectionResetError:
        return False


def connected(server: Server) -> socket.socket:
    return socket.create_connection(("127.0.0.1", server.port), timeout=30)


def test_one_client_too_many_is_sent_away_until_another_leaves(server: Server) -> None:
    with ExitStack() as open_:
        clients = [open_.enter_context(connected(server)) for _ in range(3)]
        assert all(kept(client, 0.1) for client in clients)
        assert not kept(open_.enter_context(connected(server)), 30)
        clients[1].close()
        end = time.monotonic() + 30
        while not kept(open_.enter_context(connected(server)), 0.2):
            assert time.monotonic() < end
        assert kept(clients[0], 0.1) and kept(clients[2], 0.1)


def test_what_is_not_of_the_protocol_ends_its_own_connection(server: Server) -> None:
    with connected(server) as good, connected(server) as bad:
        bad.sendall(b"\xff" * 64)
        assert not kept(bad, 30) and kept(good, 0.1)


def test_a_server_that_is_closed_takes_nobody(server: Server) -> None:
    server.close()
    with pytest.raises(OSError):
        connected(server)


class Short:
    """A socket that listens, and has had no free descriptor so many times."""

    def __init__(self, listening: socket.socket, times: int) -> None:
        self._listening, self.times = listening, times

    def accept(self) -> tuple[socket.socket, Any]:
        if self.times:
            self.times -= 1
            raise OSError(errno.EMFILE, "Too many open files")
        return self._listening.accept()

    def __getattr__(self, name: str) -> Any:
        return getattr(self._listening, name)


def test_a_server_without_a_free_descriptor_takes_clients_later(monkeypatch: pytest.MonkeyPatch) -> None:
    waited: list[float] = []
    monkeypatch.setattr(serving, "time", SimpleNamespace(sleep=waited.append))
    made = Server("127.0.0.1", 0)
    short = Short(made._socket, 2)
    made._socket = short  # type: ignore[assignment]
    made.start(NOTHING, NOTHING)
    try:
        with connected(made) as client:
            client.sendall(b"\xff" * 64)
            assert not kept(client, 30)
        assert short.times == 0 and waited == [serving.BUSY_SECONDS] * 2
    finally:
        made.close()
