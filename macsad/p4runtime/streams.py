"""The streams of the controllers of a device: StreamChannel. P4Runtime spec 1.4.1 section 16.

Who is primary is settled before there is a switch; other messages wait for one.
Threads: a thread of each stream reads what its controller sends; gRPC's sends.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Iterable, Iterator
from typing import Any

import grpc

from macsad.p4runtime.arbitration import Arbitration, Controller
from macsad.p4runtime.codes import Code, Refused
from macsad.p4runtime.messages import Message
from macsad.protocol import ControlError

_log = logging.getLogger(__name__)
STREAMS_MAX = 100
STATUS = {code.value[0]: code for code in grpc.StatusCode}
Other = Callable[[Controller, Message, "str | None"], None]


class Streams:
    """`device`: its number."""

    def __init__(self, device: int) -> None:
        self.arbitration = Arbitration(device)
        self._lock = threading.Lock()
        self._count = 0
        self._served = threading.Event()
        self._other: Other | None = None

    def serve(self, other: Other | None) -> None:
        """There is a switch: `other` takes messages that are no arbitration, with the name of their kind. None: there will be
        none."""
        self._other = self._other or other
        self._served.set()

    def stream(self, requests: Iterable[Message], context: Any) -> Iterator[bytes]:
        """A stream: what its controller sends is read by a thread; what is for it, in wire form, is sent from here."""
        with self._lock:
            self._count += 1
            too_many = self._count > STREAMS_MAX
        controller, ends = Controller(), [Refused(Code.UNAVAILABLE, "the server ends")]
        try:
            if too_many:
                context.abort(STATUS[Code.RESOURCE_EXHAUSTED], f"there are {STREAMS_MAX} controllers already")
            context.add_callback(controller.end)
            threading.Thread(target=self._listen, args=(controller, requests, ends), daemon=True).start()
            yield from controller.responses()
            if context.is_active() and ends:
                context.abort(STATUS[ends[-1].code], ends[-1].message)
        finally:
            self.arbitration.gone(controller)
            with self._lock:
                self._count -= 1

    def _listen(self, controller: Controller, requests: Iterable[Message], ends: list[Refused]) -> None:
        try:
            for request in requests:
                kind = request.WhichOneof("update")
                if kind == "arbitration":
                    self.arbitration.update(controller, request.arbitration)
                elif controller.role is None:
                    raise Refused(Code.FAILED_PRECONDITION, "a stream begins with an arbitration")
                else:
                    self._served.wait()
                    if self._other is None:
                        raise Refused(Code.UNAVAILABLE, "the switch has not started")
                    self._other(controller, request, kind)
            ends.clear()  # the controller has said all that it has to say
        except Refused as refused:
            ends.append(refused)
        except (ControlError, OSError) as error:
            ends.append(Refused(Code.UNAVAILABLE, str(error)))
        except grpc.RpcError:  # the stream was broken off
            ends.clear()
        except Exception as error:  # the server's own fault: the controller learns of it, as of any other call
            ends.append(Refused(Code.INTERNAL, f"{type(error).__name__}: {error}"))
            _log.exception("a stream of a controller")
        controller.end()
