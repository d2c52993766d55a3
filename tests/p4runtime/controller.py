"""A P4Runtime controller for tests: calls and streams over a channel, entities by the names of P4Info."""

from __future__ import annotations

import queue
import weakref
from collections.abc import Iterator
from typing import Any

import grpc
import pytest

from macsad.p4runtime.codes import Code
from macsad.p4runtime.messages import message, messages

SECONDS = 60
STREAM_S = 280  # a program may be compiled meanwhile
INSERT, MODIFY, DELETE = 1, 2, 3


class Stream:
    """A StreamChannel: `send` and `next`."""

    def __init__(self, channel: Any) -> None:
        self._out: queue.SimpleQueue[Any] = queue.SimpleQueue()
        method = channel.stream_stream(
            "/p4.v1.P4Runtime/StreamChannel",
            request_serializer=message("StreamMessageRequest").SerializeToString,
            response_deserializer=message("StreamMessageResponse").FromString,
        )
        self.call = method(iter(self._out.get, None), timeout=STREAM_S)
        weakref.finalize(self, self._out.put, None)  # with it, grpc's thread that waits for what is sent ends

    def send(self, **update: Any) -> None:
        self._out.put(message("StreamMessageRequest")(**update))

    def arbitrate(self, election: int, device: int = 0, role: str = "", config: Any = None) -> Any:
        """The answer, before which nothing else may have come."""
        self.arbitration(election, device, role, config)
        response = self.next()
        assert response.WhichOneof("update") == "arbitration"
        return response.arbitration

    def arbitration(self, election: int, device: int = 0, role: str = "", config: Any = None) -> None:
        update = message("MasterArbitrationUpdate")(device_id=device)
        if election:
            update.election_id.high, update.election_id.low = election >> 64, election & (1 << 64) - 1
        if role:
            update.role.name = role
        if config is not None:
            update.role.config.Pack(config)
        self.send(arbitration=update)

    def next(self) -> Any:
        return next(self.call)

    def ends(self) -> Code:
        """The code with which the server ends it."""
        try:
            for _ in self.call:
                pass
        except grpc.RpcError as error:
            return Code(error.code().value[0])
        return Code.OK

    def close(self) -> None:
        self._out.put(None)
        self.call.cancel()


class Controller:
    """The calls. `election` goes with those that write."""

    def __init__(self, channel: Any, info: Any, election: int = 1) -> None:
        self.channel = channel
        self.info = info
        self.election = election
        self.role = ""

    def call(self, name: str, request: Any, seconds: float = SECONDS) -> Any:
        method = self.channel.unary_unary(
            f"/p4.v1.P4Runtime/{name}",
            request_serializer=message(f"{name}Request").SerializeToString,
            response_deserializer=message(f"{name}Response").FromString,
        )
        return method(request, timeout=seconds)

    def signed(self, request: Any) -> Any:
        request.election_id.high, request.election_id.low = self.election >> 64, self.election & (1 << 64) - 1
        request.role = self.role
        return request

    def write(self, *updates: Any, atomicity: int = 0) -> list[Code]:
        """The code of each update."""
        try:
            self.call("Write", self.signed(message("WriteRequest")(updates=updates, atomicity=atomicity)))
        except grpc.RpcError as error:
            for key, value in error.trailing_metadata():
                if key == "grpc-status-details-bin":
                    return [Code(told.canonical_code) for told in self._details(value)]
            return [Code(error.code().value[0])] * len(updates)
        return [Code.OK] * len(updates)

    def refusals(self, *updates: Any) -> list[str]:
        """What is said of each update, of which one fails at least."""
        with pytest.raises(grpc.RpcError) as refused:
            self.call("Write", self.signed(message("WriteRequest")(updates=updates)))
        (details,) = [v for k, v in refused.value.trailing_metadata() if k == "grpc-status-details-bin"]
        return [told.message for told in self._details(details)]

    def _details(self, value: bytes) -> Iterator[Any]:
        for packed in messages().of("google.rpc.Status").FromString(value).details:
            told = message("Error")()
            assert packed.Unpack(told)
            yield told

    def read(self, *entities: Any) -> list[Any]:
        method = self.channel.unary_stream(
            "/p4.v1.P4Runtime/Read",
            request_serializer=message("ReadRequest").SerializeToString,
            response_deserializer=message("ReadResponse").FromString,
        )
        answer = method(message("ReadRequest")(entities=entities, role=self.role), timeout=SECONDS)
        return [entity for response in answer for entity in response.entities]

    # --- entities by name --------------------------------------------------------------------------------------------

    def id(self, part: str, alias: str) -> int:
        (found,) = [item.preamble.id for item in getattr(self.info, part) if item.preamble.alias == alias]
        return int(found)

    def entry(self, table: str, match: dict[int, Any], action: str = "", *params: int, **more: Any) -> Any:
        """A TableEntry; `match`: by field id bytes (exact), (bytes, length), or a dict of what the field has."""
        entry = message("TableEntry")(table_id=self.id("tables", table), **more)
        for number, value in match.items():
            field = entry.match.add(field_id=number)
            if isinstance(value, bytes):
                field.exact.value = value
            else:
                ((kind, parts),) = value.items()
                for name, part in parts.items():
                    setattr(getattr(field, kind), name, part)
        if action:
            entry.action.action.action_id = self.id("actions", action)
            for number, param in enumerate(params, 1):
                entry.action.action.params.add(param_id=number, value=octets(param))
        return entry


def octets(value: int) -> bytes:
    return value.to_bytes(max(1, (value.bit_length() + 7) // 8), "big")


def update(kind: int, **entity: Any) -> Any:
    return message("Update")(type=kind, entity=message("Entity")(**entity))


def entity(**what: Any) -> Any:
    return message("Entity")(**what)
