"""Where the services listen: on one TCP port, with buffered transport, binary protocol and multiplexing, as BMv2's."""

from __future__ import annotations

import contextlib
import socket
import threading
import time
from typing import Any

from thriftpy2.protocol import TBinaryProtocolFactory
from thriftpy2.thrift import TMultiplexedProcessor, TProcessor
from thriftpy2.transport import TBufferedTransportFactory, TSocket

from macsad.thrift.described import SERVICES, simple_pre, simple_pre_lag
from macsad.thrift.externs import Externs
from macsad.thrift.management import Identity, Management
from macsad.thrift.multicast import Pre
from macsad.thrift.profiles import Profiles
from macsad.thrift.simple_switch import SimpleSwitch
from macsad.thrift.swaps import Build, Swaps
from macsad.thrift.switch import Switch

CLIENTS_MAX = 64
BUSY_SECONDS = 0.1  # until the next try, where no client can be taken


class Standard(Externs, Profiles, Management):
    def __init__(self, switch: Switch, identity: Identity, build: Build | None = None) -> None:
        self.switch, self.identity, self.swaps = switch, identity, Swaps(switch, build)


class Server:
    """Listens from the beginning, and answers from start() on. A client has a thread; the switch takes one request at a
    time."""

    def __init__(self, host: str, port: int) -> None:
        """Raises: OSError."""
        self._socket = socket.create_server((host, port))
        self._clients = threading.BoundedSemaphore(CLIENTS_MAX)
        self.port = int(self._socket.getsockname()[1])

    def start(self, switch: Switch, identity: Identity, build: Build | None = None) -> None:
        """`build` compiles another program, where the switch takes one."""
        processor = TMultiplexedProcessor()
        handlers = {
            "standard": Standard(switch, identity, build),
            "simple_pre": Pre(switch, simple_pre),
            "simple_pre_lag": Pre(switch, simple_pre_lag),
            "simple_switch": SimpleSwitch(switch),
        }
        for name, handler in handlers.items():
            processor.register_processor(name, TProcessor(SERVICES[name], handler))
        threading.Thread(target=self._accept, args=(processor,), daemon=True).start()

    def close(self) -> None:
        with contextlib.suppress(OSError):
            self._socket.shutdown(socket.SHUT_RDWR)
        self._socket.close()

    def _accept(self, processor: Any) -> None:
        while True:
            try:
                client, _ = self._socket.accept()
            except OSError:
                if self._socket.fileno() < 0:
                    return  # closed
                time.sleep(BUSY_SECONDS)  # no descriptor is free, say
                continue
            if not self._clients.acquire(blocking=False):
                client.close()
                continue
            client.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            threading.Thread(target=self._serve, args=(processor, client), daemon=True).start()

    def _serve(self, processor: Any, client: socket.socket) -> None:
        transport = TBufferedTransportFactory().get_transport(TSocket(sock=client))
        protocol = TBinaryProtocolFactory().get_protocol(transport)
        try:
            # what is not of the protocol, or a switch that has gone, ends the connection
            with contextlib.suppress(Exception):
                while True:
                    processor.process(protocol, protocol)
        finally:
            client.close()
            self._clients.release()
