"""What bench/p4runtime.py asks of a server, which is the one of the tests, and what it makes of the answers; no figures."""

from __future__ import annotations

import os
from types import SimpleNamespace
from typing import Any

import grpc
import pytest
from bench_scripts import script
from controller import Controller, Stream

from macsad.p4runtime.messages import message

INSERT, MODIFY, DELETE = 1, 2, 3


@pytest.fixture(scope="module")
def bench() -> Any:
    return script("p4runtime")


def entries(controller: Controller) -> int:
    return len(controller.read({"table_entry": {}}))


def test_entries_are_made_changed_and_removed_in_batches(bench: Any, served: Any, controller: Controller) -> None:
    write, empty = bench.call(served.channel, "Write"), entries(controller)
    made = {
        kind: bench.requests(served.info, kind, 300, 128, 0, controller.election) for kind in (INSERT, MODIFY, DELETE)
    }
    for kind, requests in made.items():
        assert [len(request.updates) for request in requests] == [128, 128, 44]
        for request in requests:
            write(request)
        here = [
            e.table_entry
            for e in controller.read({"table_entry": {"table_id": requests[0].updates[0].entity.table_entry.table_id}})
        ]
        entered = [entry for entry in here if not entry.is_default_action]
        assert len(entered) == (0 if kind == DELETE else 300)
        assert all(entry.action.action.params[0].value == bytes([kind]) for entry in entered)
        keys = {int.from_bytes(entry.match[0].exact.value, "big") for entry in entered}
        assert keys == (set() if kind == DELETE else set(range(1, 301)))
    assert entries(controller) == empty


def test_the_entries_of_all_tables_are_read(
    bench: Any, served: Any, controller: Controller, capsys: pytest.CaptureFixture[str]
) -> None:
    for request in bench.requests(served.info, INSERT, 5, 5, 0, controller.election):
        bench.call(served.channel, "Write")(request)
    bench.read_all(served.channel, served.info, 0)
    assert capsys.readouterr().out.startswith(f"read: {entries(controller):,} entries in ")


def test_single_writes_leave_nothing_and_tell_what_flows(
    bench: Any, served: Any, controller: Controller, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    before = entries(controller)
    monkeypatch.setattr(
        bench, "time", SimpleNamespace(sleep=lambda seconds: None, perf_counter=bench.time.perf_counter)
    )
    flow = SimpleNamespace(since=lambda: "all flows")
    bench.single_writes(served.channel, served.info, 0, controller.election, flow, 4)
    quiet, calls, writes, empty, turns = capsys.readouterr().out.splitlines()
    assert quiet == "without calls: all flows" and calls == "with calls that do nothing: all flows"
    assert turns == "with such calls and writes in turn: all flows"
    for line, name in ((writes, "single writes"), (empty, "empty calls")):
        median, high = (float(word) for word in line.split() if word.replace(".", "").isdecimal() and "." in word)
        assert line.startswith(f"{name}: median ") and 0 < median <= high < 60_000
    assert entries(controller) == before
    bench.single_writes(served.channel, served.info, 0, controller.election, None, 1)
    assert len(capsys.readouterr().out.splitlines()) == 2


def test_many_controllers_each_have_a_role(
    bench: Any, served: Any, stream: Stream, controller: Controller, capsys: pytest.CaptureFixture[str]
) -> None:
    before = entries(controller)
    bench.many(served.address, served.info, 0, 3, 2)
    there, calls = capsys.readouterr().out.splitlines()
    assert there.startswith("3 controllers: all are there after ")
    assert calls.startswith("3 controllers: 24 writes and reads, all as asked, in ")
    assert entries(controller) == before


def test_who_is_not_the_primary_is_told(bench: Any, served: Any, controller: Controller) -> None:
    with pytest.raises(SystemExit, match="not the primary"):
        bench.primary(served.channel, 0, controller.election - 1)
    stream, out = bench.primary(served.channel, 0, controller.election + 1)
    controller.election += 1
    served.election += 1
    assert not bench.call(served.channel, "Write")(
        bench.requests(served.info, INSERT, 1, 1, 0, controller.election)[0]
    ).ByteSize()
    out.put(None)
    stream.cancel()


def test_the_packets_of_a_stream_are_counted_a_second(bench: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """A message a tenth of a second, every other one of a packet: the one that comes behind the end is the last."""
    now = 0.0

    def messages() -> Any:
        nonlocal now
        while True:
            now += 0.1
            yield (
                message("StreamMessageResponse")(packet={})
                if round(now * 10) % 2
                else message("StreamMessageResponse")()
            )

    monkeypatch.setattr(bench, "time", SimpleNamespace(perf_counter=lambda: now))
    assert bench.received(messages(), 2.05) == pytest.approx(11 / 2.1)


def test_a_flow_is_what_has_come_since(bench: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    told = iter([(1_000_000, 1.0, 5_000_000), (3_000_000, 2.0, 45_000_000), (3_000_000, 3.0, 45_000_007)])
    names = ("received", "seconds", "cpu_ns")
    monkeypatch.setattr(
        bench, "Client", lambda path: SimpleNamespace(stats=lambda: dict(zip(names, next(told), strict=True)))
    )
    flow = bench.Flow("socket")
    assert flow.since() == "2.0 Mpps, 20.00 ns of CPU a frame"
    assert flow.since() == "0.0 Mpps, 7.00 ns of CPU a frame"


def test_the_most_memory_that_a_process_has_had(bench: Any) -> None:
    assert bench.peak_kib(None) == 0 and bench.peak_kib(os.getpid()) > 10_000


def test_packets_are_told_beside_a_bare_stream(
    bench: Any, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The ratio is the median of those of the rounds, not the ratio of the medians."""
    ours, bare = iter((100.0, 300.0, 200.0)), iter((1000.0, 1500.0, 4000.0))
    monkeypatch.setattr(bench, "packets_in", lambda stream, socket, rate: next(ours))
    monkeypatch.setattr(bench, "bare_stream", lambda: next(bare))
    bench.packets_beside_bare(None, "socket", 5)
    assert capsys.readouterr().out == "packet-in: 200 a second; a bare stream: 1,500; ratio 0.10 (medians of 3)\n"


def test_frames_are_put_in_at_a_rate(bench: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """What is late by more than a tenth of a second is not made up for."""
    now, given = 0.0, []

    class Client:
        def __enter__(self) -> Client:
            return self

        def __exit__(self, *_: object) -> None: ...

        def inject(self, port: int, frames: list[bytes]) -> None:
            nonlocal now
            assert port == 0 and all(len(frame) == 52 and frame[:6] == b"\0\0\0\0\0\1" for frame in frames)
            given.append((round(now, 3), len(frames)))
            if len(given) == 3:
                now += 0.5
            if len(given) == 7:
                raise InterruptedError

    def sleep(seconds: float) -> None:
        nonlocal now
        assert seconds >= 0
        now += seconds

    monkeypatch.setattr(bench, "Client", lambda socket: Client())
    monkeypatch.setattr(bench, "time", SimpleNamespace(monotonic=lambda: now, sleep=sleep))
    with pytest.raises(InterruptedError):
        bench.inject("socket", 6400)
    frames = {count for _, count in given}
    assert frames == {64}
    assert [at for at, _ in given] == [0, 0.01, 0.02, 0.52, 0.52, 0.52, 0.52]


def test_a_bare_server_has_messages_for_ever(bench: Any) -> None:
    port: list[int] = []
    ended: list[int] = []

    class Answers:
        def send(self, number: int) -> None:
            port.append(number)

        def recv(self) -> None:
            with grpc.insecure_channel(f"127.0.0.1:{port[0]}") as channel:
                make = message("StreamMessageResponse").FromString
                stream = channel.stream_stream("/bare/Stream", response_deserializer=make)(iter(()))
                ended.extend(len(next(stream).packet.payload) for _ in range(3))
                stream.cancel()

    bench.serve_bare(Answers())
    assert ended == [52, 52, 52]
