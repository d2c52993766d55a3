"""Updates a second that a P4Runtime server carries out: python bench/p4runtime.py [ADDRESS] [--batch N] [--count N].

The server is at ADDRESS already: macsad run apps/l2fwd/l2fwd.p4 --port 0=ctl: --p4runtime ADDRESS. The first table that has one
exact field gets entries, which are then modified and deleted. Requests are made before time is taken.
"""

from __future__ import annotations

import argparse
import queue
import time
from typing import Any

import grpc

from macsad.p4runtime.messages import message, messages

KINDS = {"insert": 1, "modify": 2, "delete": 3}


def call(channel: Any, name: str) -> Any:
    return channel.unary_unary(
        f"/p4.v1.P4Runtime/{name}",
        request_serializer=message(f"{name}Request").SerializeToString,
        response_deserializer=message(f"{name}Response").FromString,
    )


def primary(channel: Any, device: int, election: int) -> tuple[Any, Any]:
    """Become the primary: the stream, which ends when nobody has it any more, and the queue of what it sends."""
    out: queue.SimpleQueue[Any] = queue.SimpleQueue()
    stream = channel.stream_stream(
        "/p4.v1.P4Runtime/StreamChannel",
        request_serializer=message("StreamMessageRequest").SerializeToString,
        response_deserializer=message("StreamMessageResponse").FromString,
    )(iter(out.get, None))
    request = message("StreamMessageRequest")()
    request.arbitration.device_id = device
    request.arbitration.election_id.low = election
    out.put(request)
    told = next(stream).arbitration
    if told.status.code:
        raise SystemExit(f"not the primary: {told.status.message}")
    return stream, out


def requests(info: Any, kind: int, count: int, batch: int, device: int, election: int) -> list[Any]:
    exact = messages().number("p4.config.v1.MatchField.MatchType", "EXACT")
    table = next(t for t in info.tables if [f.match_type for f in t.match_fields] == [exact])
    actions = {action.preamble.id: action for action in info.actions}
    action = next(actions[r.id] for r in table.action_refs if actions[r.id].params)
    made = []
    for first in range(1, count + 1, batch):
        request = message("WriteRequest")(device_id=device)
        request.election_id.low = election
        for number in range(first, min(first + batch, count + 1)):
            update = request.updates.add(type=kind)
            entry = update.entity.table_entry
            entry.table_id = table.preamble.id
            entry.match.add(field_id=table.match_fields[0].id).exact.value = number.to_bytes(4, "big").lstrip(b"\0")
            if kind != KINDS["delete"]:
                entry.action.action.action_id = action.preamble.id
                for param in action.params:
                    entry.action.action.params.add(param_id=param.id, value=bytes([kind]))
        made.append(request)
    return made


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("address", nargs="?", default="127.0.0.1:9559")
    parser.add_argument("--batch", type=int, default=1000)
    parser.add_argument("--count", type=int, default=50_000)
    parser.add_argument("--device-id", type=int, default=0)
    parser.add_argument("--election-id", type=int, default=1)
    arguments = parser.parse_args()
    with grpc.insecure_channel(arguments.address) as channel:
        stream, out = primary(channel, arguments.device_id, arguments.election_id)
        asked = message("GetForwardingPipelineConfigRequest")(device_id=arguments.device_id)
        info = call(channel, "GetForwardingPipelineConfig")(asked).config.p4info
        write = call(channel, "Write")
        for name, kind in KINDS.items():
            batches = requests(info, kind, arguments.count, arguments.batch, arguments.device_id, arguments.election_id)
            begin = time.perf_counter()
            for request in batches:
                write(request)
            seconds = time.perf_counter() - begin
            print(f"{name}: {arguments.count / seconds:,.0f} updates/s in batches of {arguments.batch}")
        out.put(None)
        stream.cancel()


if __name__ == "__main__":
    main()
