"""Where the server listens: addresses, TLS, limits."""

from __future__ import annotations

import socket
import threading
from collections.abc import Callable
from concurrent import futures
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import grpc

from macsad.addresses import BadAddress
from macsad.p4runtime.service import Service, handlers
from macsad.p4runtime.streams import STREAMS_MAX, Streams

MESSAGE_MAX = 64 << 20  # bytes of a request


@dataclass(frozen=True, slots=True)
class Security:
    """PEM files; with `clients` (certificates of authorities) clients must show a certificate too."""

    key: Path
    certificate: Path
    clients: Path | None = None

    def credentials(self) -> Any:
        """Raises: OSError."""
        authorities = self.clients.read_bytes() if self.clients else None
        pair = (self.key.read_bytes(), self.certificate.read_bytes())
        return grpc.ssl_server_credentials([pair], authorities, require_client_auth=authorities is not None)


class _Late:
    """A service that is to come: its methods wait for it."""

    def __init__(self) -> None:
        self._there = threading.Event()
        self._service: Service | None = None

    def come(self, service: Service | None) -> None:
        """None: it will not come."""
        self._service = self._service or service
        self._there.set()

    def __getattr__(self, method: str) -> Callable[..., Any]:
        def called(*arguments: Any) -> Any:
            self._there.wait()
            if self._service is None:
                arguments[-1].abort(grpc.StatusCode.UNAVAILABLE, "the switch has not started")
            return getattr(self._service, method)(*arguments)

        return called


class Listening:
    """A gRPC server that takes connections, whose calls wait until its service is there, but for arbitration."""

    def __init__(self, address: str, security: Security | None, streams: Streams) -> None:
        """Raises: BadAddress, OSError."""
        _bindable(address)
        self.streams = streams
        limits = [("grpc.max_receive_message_length", MESSAGE_MAX), ("grpc.so_reuseport", 0)]
        self._late = _Late()
        self.server = grpc.server(futures.ThreadPoolExecutor(max_workers=STREAMS_MAX + 16), options=limits)
        self.server.add_generic_rpc_handlers((handlers(self._late, streams),))
        try:
            if security is None:
                self.port = self.server.add_insecure_port(address)
            else:
                self.port = self.server.add_secure_port(address, security.credentials())
        except RuntimeError as error:
            raise BadAddress(f"cannot listen at {address}: {error}") from None
        if not self.port:
            raise BadAddress(f"cannot listen at {address}")
        self.server.start()

    def start(self, service: Service) -> None:
        self._late.come(service)

    def close(self) -> None:
        """Ends calls that wait, too."""
        self._late.come(None)
        self.streams.serve(None)
        self.streams.arbitration.end()
        self.server.stop(None)


def _bindable(address: str) -> None:
    """gRPC does not say what is wrong with an address, and prints lines of its own. Raises: BadAddress."""
    if address.startswith("unix:"):
        return
    host, _, port = address.rpartition(":")
    try:
        family, kind, protocol, _, place = socket.getaddrinfo(host.strip("[]"), int(port), type=socket.SOCK_STREAM)[0]
        with socket.socket(family, kind, protocol) as probe:
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            probe.bind(place)
    except OSError as error:
        raise BadAddress(f"cannot listen at {address}: {error.strerror}") from None


def start(service: Service, address: str, security: Security | None) -> tuple[Any, int]:
    """A gRPC server of a service, and its port. Raises: BadAddress, OSError."""
    listening = Listening(address, security, service.streams)
    listening.start(service)
    return listening.server, listening.port
