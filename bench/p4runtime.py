"""What a P4Runtime server does in a second: python bench/p4runtime.py [ADDRESS] [--batch N] [--count N] [--packets SOCKET].

The server is at ADDRESS already:
    macsad run apps/l2fwd/l2fwd.p4 --port 0=ctl: --p4runtime ADDRESS --cpu-port 64 --socket SOCKET
The first table that has one exact field gets entries, which are then read, modified and deleted, in batches, and some one by one.
With --packets, frames come in at port 0 and go to the primary; beside it stands what a gRPC stream takes of the same messages
from a server that does nothing else. With --flow SOCKET, and a port mem:FILE,loop, it says what writes
take from what flows; with --server PID, what memory reading takes. With --controllers N, that many are there at once, beside this
one: 99 make the 100 that a server takes.
Requests are made before time is taken.
"""

from __future__ import annotations

import argparse
import multiprocessing
import queue
import statistics
import sys
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from itertools import repeat
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

import grpc

from macsad.control import Client
from macsad.p4runtime.messages import message, messages

ROUNDS = 3
KINDS = {"insert": 1, "modify": 2, "delete": 3}


def call(channel: Any, name: str) -> Any:
    return channel.unary_unary(
        f"/p4.v1.P4Runtime/{name}",
        request_serializer=message(f"{name}Request").SerializeToString,
        response_deserializer=message(f"{name}Response").FromString,
    )


def primary(channel: Any, device: int, election: int, role: str = "") -> tuple[Any, Any]:
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
    if role:
        request.arbitration.role.name = role
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


class Flow:
    """What a switch receives meanwhile, and the CPU time of its workers for each frame."""

    def __init__(self, socket: str) -> None:
        self._client = Client(socket)
        self._before = self._client.stats()

    def since(self) -> str:
        before, self._before = self._before, self._client.stats()
        frames, seconds, nanoseconds = (self._before[name] - before[name] for name in ("received", "seconds", "cpu_ns"))
        return f"{frames / seconds / 1e6:.1f} Mpps, {nanoseconds / max(frames, 1):.2f} ns of CPU a frame"


def single_writes(channel: Any, info: Any, device: int, election: int, flow: Flow | None, count: int = 1000) -> None:
    """Latencies of writes of one update each, in turn with those of a call that does nothing, and what they take from a flow,
    beside what as many calls that do nothing take."""
    write, nothing = call(channel, "Write"), call(channel, "Capabilities")
    empty = message("CapabilitiesRequest")()
    batches = [requests(info, KINDS[kind], count, 1, device, election) for kind in ("insert", "delete")]
    for request in (
        request for batch in batches for request in batch
    ):  # memory that is new to the switch is so no more
        write(request)
    if flow is not None:
        flow.since()
        time.sleep(1)
        print(f"without calls: {flow.since()}")
        for _ in range(4 * count):
            nothing(empty)
        print(f"with calls that do nothing: {flow.since()}")
    took: list[tuple[float, float]] = []
    for request in (request for batch in batches for request in batch):
        begin = time.perf_counter()
        write(request)
        middle = time.perf_counter()
        nothing(empty)
        took.append((middle - begin, time.perf_counter() - middle))
    for name, times in zip(("single writes", "empty calls"), zip(*took, strict=True), strict=True):
        in_order = sorted(times)
        median, high = in_order[len(in_order) // 2] * 1e3, in_order[len(in_order) * 99 // 100] * 1e3
        print(f"{name}: median {median:.2f} ms, 99th percentile {high:.2f} ms")
    if flow is not None:
        print(f"with such calls and writes in turn: {flow.since()}")


def read_all(channel: Any, info: Any, device: int) -> None:
    """All entries of all tables."""
    read = channel.unary_stream(
        "/p4.v1.P4Runtime/Read",
        request_serializer=message("ReadRequest").SerializeToString,
        response_deserializer=message("ReadResponse").FromString,
    )
    request = message("ReadRequest")(device_id=device)
    request.entities.add().table_entry.SetInParent()
    begin = time.perf_counter()
    count = sum(len(response.entities) for response in read(request))
    seconds = time.perf_counter() - begin
    print(f"read: {count:,} entries in {seconds:.2f} s, {count / seconds:,.0f} a second")


def peak_kib(process: int | None) -> int:
    """The most memory that a process has had until now."""
    if process is None:
        return 0
    lines = Path(f"/proc/{process}/status").read_text().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith("VmHWM"))


def inject(socket: str, rate: int) -> None:
    """Frames for the station 1, which the switch sends to the primary: so many a second, for ever."""
    frames, due = [(1).to_bytes(6, "big") + bytes(46)] * 64, time.monotonic()
    with Client(socket) as client:
        while True:
            client.inject(0, frames)
            due = max(due + len(frames) / rate, time.monotonic() - 0.1)
            time.sleep(max(due - time.monotonic(), 0))


def packets_in(stream: Any, socket: str, rate: int, seconds: float = 3.0) -> float:
    """Packets a second that reach the primary."""
    sender = multiprocessing.get_context("spawn").Process(target=inject, args=(socket, rate), daemon=True)
    sender.start()
    received(stream, 1.0)  # it has begun
    found = received(stream, seconds)
    sender.terminate()
    sender.join()
    return found


def received(stream: Any, seconds: float) -> float:
    """Packets of a stream a second."""
    count, begin = 0, time.perf_counter()
    for response in stream:
        count += response.HasField("packet")
        if time.perf_counter() - begin > seconds:
            break
    return count / (time.perf_counter() - begin)


def serve_bare(answers: Connection) -> None:
    """A server whose stream has one message for ever, ready made; tells its port, and ends when it is told to."""
    sys.setswitchinterval(2e-4)  # as `macsad serve` does
    ready = message("StreamMessageResponse")(packet={"payload": bytes(52)}).SerializeToString()
    stream = grpc.stream_stream_rpc_method_handler(lambda asked, context: repeat(ready))
    server = grpc.server(ThreadPoolExecutor(2))
    server.add_generic_rpc_handlers([grpc.method_handlers_generic_handler("bare", {"Stream": stream})])
    answers.send(server.add_insecure_port("127.0.0.1:0"))
    server.start()
    answers.recv()
    server.stop(None)


def bare_stream(seconds: float = 3.0) -> float:
    """The same messages from a server that only sends them: how many a second."""
    here, there = multiprocessing.Pipe()
    server = multiprocessing.get_context("spawn").Process(target=serve_bare, args=(there,))
    server.start()
    with grpc.insecure_channel(f"127.0.0.1:{here.recv()}") as channel:
        make = message("StreamMessageResponse").FromString
        nothing: Iterator[bytes] = iter(())
        stream = channel.stream_stream("/bare/Stream", response_deserializer=make)(nothing)
        received(stream, 1.0)
        found = received(stream, seconds)
        stream.cancel()
    here.send(None)
    server.join()
    return found


def packets_beside_bare(stream: Any, socket: str, rate: int) -> None:
    """In turns: the median of each, and of their ratios."""
    pairs = [(packets_in(stream, socket, rate), bare_stream()) for _ in range(ROUNDS)]
    ours, bare = (statistics.median(column) for column in zip(*pairs, strict=True))
    ratio = statistics.median(one / other for one, other in pairs)
    print(f"packet-in: {ours:,.0f} a second; a bare stream: {bare:,.0f}; ratio {ratio:.2f} (medians of {ROUNDS})")


def many(address: str, info: Any, device: int, count: int, each: int = 10) -> None:
    """So many controllers at once, each the primary of a role of its own, which writes and reads an entry of its own."""
    begin = time.perf_counter()
    channels = [grpc.insecure_channel(address, options=[("grpc.use_local_subchannel_pool", 1)]) for _ in range(count)]
    there = [primary(channel, device, 1, f"crowd {number}") for number, channel in enumerate(channels)]
    print(f"{count} controllers: all are there after {time.perf_counter() - begin:.2f} s")
    made = {name: requests(info, kind, count, 1, device, 1) for name, kind in KINDS.items() if name != "modify"}

    def act(number: int) -> int:
        write, asked = call(channels[number], "Write"), message("ReadRequest")(device_id=device)
        read = channels[number].unary_stream(
            "/p4.v1.P4Runtime/Read",
            request_serializer=message("ReadRequest").SerializeToString,
            response_deserializer=message("ReadResponse").FromString,
        )
        entry = made["insert"][number].updates[0].entity.table_entry
        asked.entities.add().table_entry.CopyFrom(entry)
        found = 0
        for _ in range(each):
            for name in made:
                request = made[name][number]
                request.role = f"crowd {number}"
                write(request)
                found += sum(len(response.entities) for response in read(asked))
        return found

    begin = time.perf_counter()
    with ThreadPoolExecutor(count) as pool:
        found = list(pool.map(act, range(count)))
    seconds = time.perf_counter() - begin
    if found != [each] * count:
        raise SystemExit(f"not all have read what they wrote: {found}")
    calls = count * each * 4
    print(
        f"{count} controllers: {calls} writes and reads, all as asked, in {seconds:.2f} s: {calls / seconds:,.0f} a second"
    )
    for (stream, out), channel in zip(there, channels, strict=True):
        out.put(None)
        stream.cancel()
        channel.close()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("address", nargs="?", default="127.0.0.1:9559")
    parser.add_argument("--batch", type=int, default=1000)
    parser.add_argument("--count", type=int, default=50_000)
    parser.add_argument("--device-id", type=int, default=0)
    parser.add_argument("--election-id", type=int, default=1)
    parser.add_argument("--packets", metavar="SOCKET", help="the switch's control socket, for frames")
    parser.add_argument("--rate", type=int, default=25_000, help="with --packets: how many frames come in a second")
    parser.add_argument("--flow", metavar="SOCKET", help="the switch's control socket: what flows meanwhile")
    parser.add_argument("--server", type=int, metavar="PID", help="the server's process, for its memory")
    parser.add_argument("--cpu-port", type=int, default=64)
    parser.add_argument("--controllers", type=int, default=0)
    arguments = parser.parse_args()
    with grpc.insecure_channel(arguments.address) as channel:
        stream, out = primary(channel, arguments.device_id, arguments.election_id)
        asked = message("GetForwardingPipelineConfigRequest")(device_id=arguments.device_id)
        info = call(channel, "GetForwardingPipelineConfig")(asked).config.p4info
        write = call(channel, "Write")
        flow = Flow(arguments.flow) if arguments.flow else None
        for name, kind in KINDS.items():
            batches = requests(info, kind, arguments.count, arguments.batch, arguments.device_id, arguments.election_id)
            begin = time.perf_counter()
            for request in batches:
                write(request)
            seconds = time.perf_counter() - begin
            print(f"{name}: {arguments.count / seconds:,.0f} updates/s in batches of {arguments.batch}")
            if kind == KINDS["insert"]:
                before = peak_kib(arguments.server)
                read_all(channel, info, arguments.device_id)
                if arguments.server:
                    print(f"memory of the server: at most {before} KiB before, {peak_kib(arguments.server)} after")
        single_writes(channel, info, arguments.device_id, arguments.election_id, flow)
        if arguments.packets:
            (request,) = requests(info, KINDS["insert"], 1, 1, arguments.device_id, arguments.election_id)
            request.updates[0].entity.table_entry.action.action.params[0].value = bytes([arguments.cpu_port])
            write(request)
            packets_beside_bare(stream, arguments.packets, arguments.rate)
            request.updates[0].type = KINDS["delete"]
            write(request)
        if arguments.controllers:
            many(arguments.address, info, arguments.device_id, arguments.controllers)
        out.put(None)
        stream.cancel()


if __name__ == "__main__":
    main()
