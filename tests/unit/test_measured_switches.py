"""How switches are measured for `macsad bench`, `tune`, `place` and `explain`: when samples begin and end, what is measured in
turn, and what is made of what a switch tells. The switches are those of this file."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from bench_scripts import Bench, Clock, Started, sample
from machine import MACHINE

from macsad.bench import contestants, crossings, latency, session
from macsad.bench.contestants import BenchError, Closing, Probe
from macsad.bench.latency import BUCKETS, Counted
from macsad.bench.samples import SampleError
from macsad.bench.wires import Crossed
from macsad.compilation import Request
from macsad.explain import measuring
from macsad.protocol import ControlError
from macsad.resources import share
from macsad.subject.subject import Subject, Traffic
from macsad.tune import tuning
from transpiler.model.choice import GRID, Candidate
from transpiler.model.machine import machine_profile
from transpiler.model.throughput import Limit

# --- a switch ------------------------------------------------------------------------------------------------------------


class Running:
    """A switch of two workers and its process: it receives a million packets a second of CPU time, has its CPUs a part of the
    time, and counts its cycles at 2 GHz."""

    def __init__(self, clock: Clock, share: float = 1.0) -> None:
        self.clock, self.share = clock, share
        self.done: list[Any] = []
        self.fails = False

    def set_batch(self, burst: int, sub_batch: int) -> None:
        if self.fails:
            raise ControlError("broken")
        self.done.append((burst, sub_batch))

    def stats(self) -> dict[str, Any]:
        cpu_s = 2 * self.share * self.clock.now
        received = round(1e6 * cpu_s)
        return {"received": received, "dropped": received // 4, "cpu_ns": round(1e9 * cpu_s), "workers": 2,
                "cycles": round(2e9 * self.clock.now), "seconds": self.clock.now}  # fmt: skip

    def resume(self) -> None:
        self.done.append("resume")

    def pause(self) -> None:
        self.done.append("pause")

    def close(self) -> None:
        self.done.append("close")

    def failure(self, what: str) -> BenchError:
        return BenchError(f"{what}: no memory")


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    made = Clock()
    for module in (contestants, latency, crossings):
        monkeypatch.setattr(module, "time", made)
    return made


def switch_of(running: Running) -> Any:
    made = contestants.Switch.__new__(contestants.Switch)
    made._own = made._client = running  # type: ignore[assignment]
    return made


class Starting:
    """A process whose switch listens at the third try, or ends."""

    def __init__(self, clock: Clock, listens: bool) -> None:
        self.clock, self.listens = clock, listens
        self.tried = 0
        self.done: list[Any] = []
        self.process = SimpleNamespace(poll=lambda: None if self.listens or self.tried < 2 else 1)

    def wait(self, socket: Path, seconds: float, timeout: float) -> Any:
        self.tried += 1
        self.clock.sleep(seconds)
        if self.tried < 3 or not self.listens:
            raise ControlError("nobody listens")
        return SimpleNamespace(describe=lambda: {"tables": ["a table"]})

    def pause(self) -> None:
        self.done.append("pause")

    def close(self) -> None:
        self.done.append("close")

    def failure(self, what: str) -> BenchError:
        return BenchError(f"{what}: no such device")


@pytest.mark.parametrize("entries", [Path("e.txt"), None])
def test_a_switch_is_started_on_its_cpus_and_waits(
    clock: Clock, monkeypatch: pytest.MonkeyPatch, entries: Path | None
) -> None:
    started = Starting(clock, True)
    words: list[Any] = []
    monkeypatch.setattr(contestants, "Process", lambda command, log, stdout: words.append((command, log)) or started)
    monkeypatch.setattr(contestants, "Client", started)
    monkeypatch.setattr(contestants, "worker_cpus", lambda workers: [5, 6][:workers])
    made = contestants.Switch(Path("/b"), ["--port", "0=x"], entries, Path("/f"), 2)
    assert made.tables == ["a table"] and started.done == ["pause"] and started.tried == 3
    ((command, log),) = words
    assert command == [
        "/b", "--socket", "/f/socket", "--busy", "--workers", "2", "--cpus", "5,6", "--port", "0=x",
        *(["--entries", "e.txt"] if entries else []),
    ] and log == Path("/f/log")  # fmt: skip


def test_a_switch_that_does_not_start_is_ended(clock: Clock, monkeypatch: pytest.MonkeyPatch) -> None:
    started = Starting(clock, False)
    monkeypatch.setattr(contestants, "Process", lambda command, log, stdout: started)
    monkeypatch.setattr(contestants, "Client", started)
    with pytest.raises(BenchError, match="the switch does not start: no such device"):
        contestants.Switch(Path("/b"), [], None, Path("/f"))
    assert started.done == ["close"] and started.tried == 2, "it has ended by then"


@pytest.mark.parametrize(("share", "takes"), [(1.0, 0.1), (0.5, 0.1), (0.3, 0.2), (0.13, 0.4)])
def test_a_sample_begins_when_the_switch_has_settled_and_has_half_of_its_time(
    clock: Clock, share: float, takes: float
) -> None:
    """On a machine with other things to do it takes longer, by whole lengths of the sample."""
    running = Running(clock, share)
    settled = contestants.SETTLE_S * (1 if share >= 0.5 else 2 if share >= 0.25 else 4)
    found = switch_of(running).measure("", 64, 32, 0.1)
    assert clock.now == pytest.approx(settled + takes) and found.wall_ns == pytest.approx(takes * 1e9, rel=0.01)
    assert found.operations == pytest.approx(2e6 * share * takes, rel=0.01) and found.ns == pytest.approx(
        1000, rel=0.01
    )
    assert running.done == ["resume", (64, 32), "pause"]


def test_what_gets_no_cpu_is_not_waited_for_for_ever(clock: Clock) -> None:
    with pytest.raises(SampleError, match="nothing was done"):
        switch_of(Running(clock, 0)).measure("", 1, 1, 1.0)
    assert contestants.ANSWER_S < clock.now < 3 * contestants.ANSWER_S


def test_a_switch_that_has_ended_tells_why(clock: Clock) -> None:
    running = Running(clock)
    running.fails = True
    for call in (lambda: switch_of(running).measure("", 1, 1, 1.0), lambda: switch_of(running).set_batch(1, 1)):
        with pytest.raises(BenchError, match=r"has ended while it was measured \(broken\): no memory"):
            call()


def test_drops_and_memory_of_a_switch(clock: Clock, monkeypatch: pytest.MonkeyPatch) -> None:
    running = Running(clock)
    switch = switch_of(running)
    assert switch.dropped() == 0, "of nothing"
    clock.now = 1.0
    assert switch.dropped() == 0.25 and running.done == ["resume", "pause"] * 2
    running.process = SimpleNamespace(pid=7)  # type: ignore[attr-defined]
    rows = "Rss: 5 kB\nShared_Hugetlb: 2048 kB\nPrivate_Hugetlb: 4096 kB\n"
    monkeypatch.setattr(contestants.Path, "read_text", lambda path: rows if path.parts[2] == "7" else "")
    assert switch.huge_bytes == 6 << 20
    switch.close()
    assert running.done[-2:] == ["close", "close"]


def test_stage_clocks_are_read_while_the_workers_rest(clock: Clock) -> None:
    """They go on by themselves after a second, so that letting them go on may fail; anything else is told."""
    running: Any = Running(clock)
    running.hold = lambda held: running.done.append(("hold", held))
    running.stages = lambda: running.done.append("look") or [{"worker": 0}]
    switch = switch_of(running)
    assert switch.stages() == [{"worker": 0}]
    assert running.done == ["resume", ("hold", True), "look", ("hold", False), "pause"]

    def late(held: bool) -> None:
        if not held:
            raise ControlError("they have gone on")

    running.hold = late
    assert switch.stages() == [{"worker": 0}] and running.done[-1] == "pause"
    running.stages = lambda: late(False)
    with pytest.raises(BenchError, match=r"the stage clocks cannot be read \(they have gone on\): no memory"):
        switch.stages()


@pytest.mark.parametrize(("cpu", "pinned"), [(None, "6"), (0, "0"), (3, "3")])
def test_a_probe_runs_on_the_measured_cpu_or_on_another(
    monkeypatch: pytest.MonkeyPatch, cpu: int | None, pinned: str
) -> None:
    started: list[Any] = []
    monkeypatch.setattr(contestants, "Process", lambda command, log, **pipes: started.append((command, pipes["env"])))
    monkeypatch.setattr(contestants, "worker_cpus", lambda workers: [5, 6][-workers:])
    monkeypatch.setattr(Probe, "_line", lambda probe, seconds: "ready\n")
    Probe(["/b", "x"], Path("/f"), cpu, {"A": "1"})
    assert started == [(["taskset", "-c", pinned, "/b", "x"], {"A": "1"})]


def test_all_are_closed_whatever_happens() -> None:
    started = [Started(), Started()]
    with pytest.raises(ZeroDivisionError), Closing() as closing:
        closing.add(started[:1])  # type: ignore[arg-type]
        closing.add(started[1:])  # type: ignore[arg-type]
        raise ZeroDivisionError
    assert [one.closed for one in started] == [1, 1]


PROBE = """
echo ready
while read -r what milliseconds number && [ "$what" != none ]; do
    echo "$what $milliseconds $number" >> asked
    echo 1000 20000 60000 120000
done
echo ended >> asked
"""


def test_a_probe_is_asked_by_lines_and_ends_by_itself(tmp_path: Path) -> None:
    script = tmp_path / "probe"
    script.write_text(f"#!/bin/sh\ncd {tmp_path}\n{PROBE}")
    script.chmod(0o755)
    probe = Probe([str(script)], tmp_path)
    assert probe.measure("lookup", 3, 0, 0.1).ns == 20
    assert probe.measure("read", 1, 0, 0.0001).cycles_each == 40
    probe.close()
    assert (tmp_path / "asked").read_text().splitlines() == ["lookup 100 3", "read 1 1", "ended"]
    again = Probe([str(script)], tmp_path)
    with pytest.raises(BenchError, match="the measuring program does not answer to 'none'"):
        again.measure("none", 1, 0, 0.1)
    again.close()
    with pytest.raises(BenchError, match="sh does not start: no such device"):
        Probe(["sh", "-c", "echo no such device >&2; exit 1"], tmp_path)


# --- session.py ----------------------------------------------------------------------------------------------------------


def setup_of(**has: Any) -> Any:
    made = session.Setup.__new__(session.Setup)
    usual = {"switch": Started(), "others": {}, "peers": {}, "alone": None, "looked": (), "tables": (), "state": ()}
    for name, value in {**usual, **has}.items():
        setattr(made, name, value)
    return made


def wanted(*points: tuple[int, int], **more: Any) -> session.Wanted:
    return session.Wanted(Request(Path("x.p4")), lambda folder: None, points, 3, 0.1, 1, **more)  # type: ignore[arg-type]


def test_turns_are_of_all_points_and_of_others_at_the_last(monkeypatch: pytest.MonkeyPatch) -> None:
    less, peer, alone = Started(), Started(), Started()
    looked = SimpleNamespace(number=3)
    setup = setup_of(
        wanted=wanted((1, 1), (64, 32)), others={"prefetch": less}, peers={"io": peer}, alone=alone, looked=(looked,)
    )
    turns = {turn.key: turn for turn in setup.turns()}
    assert list(turns) == [("program", 1, 1), ("program", 64, 32), ("without prefetch", 64, 32), ("beside io", 0, 0)]
    assert [(turn.number, turn.other) for turn in turns.values()] == [(1, 1), (64, 32), (64, 32), (0, 0)]
    assert [turn.contestant for turn in turns.values()] == [setup.switch, setup.switch, less, peer]
    (lookup,) = setup.lookups()
    assert (lookup.key, lookup.contestant, lookup.what, lookup.number) == (("lookup", 3, 0), alone, "lookup", 3)
    assert setup_of(wanted=wanted((1, 1))).lookups() == []


def test_limits_are_those_of_as_much_memory(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    made: list[Any] = []
    monkeypatch.setattr(session, "program", lambda name, folder, machine: Path(name))
    monkeypatch.setattr(session, "Probe", lambda words, folder: made.append(words) or Started())
    monkeypatch.setattr(session, "floors", lambda feed, bursts, folder, closing, machine: [(feed, bursts)])
    table, state = SimpleNamespace(read_bytes=1 << 20), SimpleNamespace(read_bytes=3)
    setup = setup_of(wanted=wanted((1, 1), (64, 1), (64, 32)), feed="feed", tables=(table,), state=(state,))
    setup.reads = SimpleNamespace(owners=(0, 1, 1), masks=((1, 0.5), (7, 0.5)))
    with Closing() as closing:
        *reads, floors = setup.limits(tmp_path, closing)
    assert made == [["memory", f"0:{1 << 20}", "1:64", "1:64"]] and floors == ("feed", [1, 64])
    assert [(turn.key, turn.what, turn.number) for turn in reads] == [
        (("read", 1, 0), "read", 1),
        (("read", 7, 0), "read", 7),
    ]
    setup.reads = SimpleNamespace(owners=(), masks=())
    assert setup.limits(tmp_path, Closing()) == [("feed", [1, 64])]


def test_a_result_has_what_was_set_up() -> None:
    peer = Started()
    peer.drops = 0.5
    switch = Started()
    switch.drops, switch.huge_bytes, switch.tables = 0.25, 9, ["described"]  # type: ignore[attr-defined]
    traffic = SimpleNamespace(packets=7, sizes=((64, 3), (128, 1)), flows="one")
    made = SimpleNamespace(traffic=traffic, plan=SimpleNamespace(wishes=SimpleNamespace(hit=0.5)))
    setup = setup_of(
        wanted=wanted((1, 1), without=("bulk", "simd")), switch=switch, others={"simd": Started()}, peers={"io": peer},
        made=made, reads="reads", feed=SimpleNamespace(huge_bytes=10),
    )  # fmt: skip
    found = setup.result({})
    assert (found.name, found.frames, found.sizes, found.hit, found.flows) == ("x", 7, "imix", 0.5, "one")
    assert (found.without, found.unused, found.peers) == (("simd",), ("bulk",), (("io", 0.5),))
    assert (found.dropped, found.small_pages, found.length, found.described) == (0.25, True, 80, ("described",))
    switch.huge_bytes, traffic.sizes = 10, ((64, 3),)
    again = setup.result({})
    assert (again.small_pages, again.sizes, again.length, again.clocks) == (False, "64 bytes", 64, None)


def test_a_table_is_read_by_the_frames_that_reach_it() -> None:
    """A cache line a frame at most, in whole lines."""
    streams = [SimpleNamespace(entries={"I.t": 1}, share=3), SimpleNamespace(entries={}, share=1)]
    setup = setup_of(wanted=wanted((1, 1)))
    setup.made = SimpleNamespace(plan=SimpleNamespace(streams=streams), traffic=SimpleNamespace(packets=10))
    described = {"name": "I.t", "kernel": "k", "entries": 5, "memory_bytes": 4000, "reader_bytes": 1000}
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(session, "shares", lambda streams: [0.75, 0.25])
        found = setup._table(described)
        assert (found.read_bytes, found.reach) == (640, 0.75)
        streams[1].entries = {"I.u": 1, "I.t": 1}
        assert setup._table(described).reach == 1.0, "of all kinds of frames that look it up"
        setup.made.traffic.packets = 1000
        assert setup._table(described).read_bytes == 960
    assert (found.name, found.kernel, found.entries, found.memory_bytes) == ("I.t", "k", 5, 4000)


# --- latency.py, crossings.py --------------------------------------------------------------------------------------------


class Control:
    """Of the port paced: at a load of a half each frame takes 20 ns."""

    def __init__(self, clock: Clock) -> None:
        self.clock = clock
        self.gaps: list[float] = []

    def begin(self, gap_ns: float) -> None:
        self.gaps.append(gap_ns)

    def wait(self) -> None:
        self.gaps.append(-1)

    def read(self) -> Counted:
        times = [0] * BUCKETS
        times[20] = 100
        return Counted(tuple(times), 1, 0.0, 1.0)


def test_the_times_are_at_shares_of_the_most(clock: Clock) -> None:
    control, running, done = Control(clock), Running(clock), list[Any]()
    gaps = iter((300, 200, 250))
    running.measure = lambda what, b, s, seconds: sample(next(gaps))  # type: ignore[attr-defined]
    advance = lambda *at: done.append(at)  # noqa: E731
    rows = latency.measure(running, control, [(64, 32)], 2, 0.5, advance, (0.5, 0.25))  # type: ignore[arg-type]
    assert control.gaps == [latency.FASTER_NS, *[500, 500, -1, 1000, 1000, -1] * 2] and done[-1] == (4, 4)
    assert [(row.point, row.load, row.times[0]) for row in rows] == [((64, 32), 0.5, 0.02), ((64, 32), 0.25, 0.02)]
    assert running.done == ["resume", "pause"] * 4 and clock.now == pytest.approx(4 * (latency.SETTLE_S + 0.5))
    assert rows[0].missed == pytest.approx(2 / 202) and rows[0].mpps == pytest.approx(200 / 2 / 1e6)


def way_of(clock: Clock, control: Control, done: list[Any], switch: bool) -> crossings.Way:
    """A thousand frames a second are sent, and nine of ten arrive."""
    running = Running(clock)
    running.done = done
    probe = SimpleNamespace(resume=lambda: done.append("send"), pause=lambda: done.append("stop sending"), pid=7)
    wires = SimpleNamespace(counts=lambda pid: Crossed(clock.now, round(1000 * clock.now), round(900 * clock.now)))
    tester = crossings.Tester(probe, control, wires)  # type: ignore[arg-type]
    return crossings.Way("ours", running, tester, running if switch else None)  # type: ignore[arg-type]


@pytest.mark.parametrize("switch", [True, False])
def test_frames_that_do_not_arrive_are_missed(clock: Clock, switch: bool) -> None:
    done: list[Any] = []
    control = Control(clock)
    counted, crossed = way_of(clock, control, done, switch).count((64, 32), 250, 2.0)
    assert done == ["resume", "send", *([(64, 32)] if switch else []), "stop sending", "pause"]
    assert control.gaps == [250, 250, -1] and (crossed.sent, crossed.arrived) == (2000, 1800)
    assert (counted.missed, counted.seconds) == (1 + 200, pytest.approx(2)) and sum(counted.times) == 100


def test_the_most_is_what_arrives_of_too_many(clock: Clock) -> None:
    control = Control(clock)
    assert way_of(clock, control, [], True).most((64, 32), 2.0) == pytest.approx(900, rel=0.01)
    assert control.gaps == [crossings.FASTER_NS, crossings.FASTER_NS, -1] * 3


# --- subject.py ----------------------------------------------------------------------------------------------------------


def test_reads_of_a_stage_are_those_of_its_tables_and_state(tmp_path: Path) -> None:
    """Ten frames of 84 bytes: a table is read by a line a frame at most, state by what is known of it or by its size, shared by
    the stages that have it."""
    packets = tmp_path / "x.pcap"
    packets.write_bytes(bytes(24 + 10 * (16 + 84)))
    hlir = compilation_of("flows")
    register = next(iter(hlir.extern))
    known = {"seen": SimpleNamespace(reads=0.5, read_bytes=4096)}
    made = Subject.__new__(Subject)
    made._hlir, made._traffic, made._folder = hlir, Traffic(None, packets, "", known), tmp_path  # type: ignore[arg-type]
    made.switch = SimpleNamespace(  # type: ignore[assignment]
        stats=lambda: {"ports": [{"rx_bytes": 8400, "rx_packets": 100}]},
        tables=[
            {"name": "I.t", "reader_bytes": 300},
            {"name": "I.u", "reader_bytes": 9000},
            {"name": "I.v", "reader_bytes": 3},
        ],
    )
    assert (made.length, made.frames) == (84, 10)

    def cost(share: float, tables: tuple[str, ...], state: tuple[str, ...] = ()) -> Any:
        return SimpleNamespace(share=share, tables=tables, state=state)

    one = cost(0.25, ("I.t", "I.u", "I.v", "I.none"))
    assert made.reads_of(one, [one]) == [("I.t", 0.25, 300), ("I.u", 0.25, 640), ("I.v", 0.25, 64)]
    none = cost(0, ("I.t",), (register,))
    assert made.reads_of(none, [none]) == []
    both = [cost(0.5, (), (register, "decisions")), cost(0.5, (), (register,))]
    ((name, each, size),) = made.reads_of(both[0], both)
    assert (name, each) == (register, 0.25) and 64 <= size <= 640
    made._traffic = replace(made._traffic, state={register: known["seen"]})  # type: ignore[dict-item]
    assert made.reads_of(both[0], both) == [(register, 0.25, 4096)]


def compilation_of(app: str) -> Any:
    from macsad import compilation

    return compilation.load(Request(share("apps") / app / f"{app}.p4"))


# --- tuning.py -----------------------------------------------------------------------------------------------------------


def searched(bench: Bench, monkeypatch: pytest.MonkeyPatch, ns: Any, variants: tuple[str, ...] = ()) -> Any:
    """The search among all pairs, which the model takes to be alike."""
    bench.times = ns

    def measure(turns: Any, rounds: int, seconds: float, advance: Any, before: Any) -> Any:
        return bench.measure(turns, rounds, seconds, advance)

    monkeypatch.setattr(tuning, "measure", measure)
    prediction = SimpleNamespace(cycles=100.0, limit=Limit.MEMORY)
    order = [Candidate(point, prediction) for point in GRID]  # type: ignore[arg-type]
    search = tuning._Search(order, Started(), {name: Started() for name in variants}, lambda *_: None)  # type: ignore
    return search, search.best()


def test_the_search_goes_on_beside_what_is_fast(bench: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """The fastest pair is found, wherever it is, with each step measured more often; usual settings are in the last rounds."""
    for best in ((128, 16), (32, 32), (8, 1)):
        run = Bench()

        def ns(key: Any, best: Any = best) -> float:
            return (
                100 + abs(key[1].bit_length() - best[0].bit_length()) + abs(key[2].bit_length() - best[1].bit_length())
            )

        search, (key, final, rows) = searched(run, monkeypatch, ns)
        assert key == ("", *best) and ("", *tuning.USUAL) in final
        assert [rounds for _, rounds, _ in run.runs] == [tuning.ROUNDS, tuning.ROUNDS_BESIDE, tuning.ROUNDS_LAST]
        assert len(run.keys[0]) <= tuning.MOST and len(run.keys[2]) <= tuning.POINTS + 1
        assert rows[0].point == best and [row.measured for row in rows] == sorted(row.measured for row in rows)
        assert all((row.without, row.predicted) == ("", 100.0) for row in rows) and search.seconds >= 0


def test_optimisations_are_left_out_at_the_fastest_pairs(monkeypatch: pytest.MonkeyPatch) -> None:
    run = Bench()
    _, (key, _, rows) = searched(
        run, monkeypatch, lambda key: 200 - key[1] / 256 - 50 * (key[0] == "bulk") + 50 * (key[0] == "prefetch"),
        ("bulk", "prefetch"),
    )  # fmt: skip
    assert key[0] == "bulk" and tuning.settings_of(key).without == ("bulk",)
    *_, others, last = run.keys
    assert {name for name, *_ in others} == {"", "bulk", "prefetch"} and len(others) == 3 * tuning.POINTS
    assert len(last) <= tuning.LAST + 2 and any(not name for name, *_ in last), (
        "the whole program is measured last, too"
    )
    assert all(row.predicted is None for row in rows if row.without) and any(row.without == "prefetch" for row in rows)
    assert tuning.settings_of(("I.t=lpm_trie", 8, 4)) == tuning.Settings(8, 4, (), ("I.t=lpm_trie",))


@pytest.fixture
def bench() -> Bench:
    return Bench()


# --- explain -------------------------------------------------------------------------------------------------------------


def test_drops_are_those_of_the_run() -> None:
    before = {"received": 100, "dropped_at": {"a:1": 10, "a:2": 5}}
    now = {"received": 300, "dropped_at": {"a:1": 60, "a:2": 5, "a:3": 100}}
    assert measuring._dropped(now, before) == {"a:1": 0.25, "a:3": 0.5}
    assert measuring._dropped(before, before) == {}
    assert measuring._dropped({**before, "dropped_at": {"a:1": 12}}, before) == {"a:1": 2.0}, "of nothing that came"


def test_the_point_is_that_of_the_target_or_the_usual_one() -> None:
    def request(burst: int | None, sub_batch: int | None) -> Any:
        return SimpleNamespace(target=SimpleNamespace(run=SimpleNamespace(burst=burst, sub_batch=sub_batch)))

    assert measuring.point_of(request(None, None)) == (64, 64)
    assert measuring.point_of(request(32, 8)) == (32, 8)
    assert measuring.point_of(request(32, None)) == (32, 64) and measuring.point_of(request(None, 8)) == (64, 8)


def test_what_receiving_and_sending_take_is_a_packets() -> None:
    def clock(function: str, step: str, cycles: int, packets: int) -> Any:
        return {"function": function, "stage": 0, "step": step, "calls": 1, "packets": packets, "cycles": cycles}

    worker = {"clocks": [clock("runtime", "receive", 1000, 100), clock("runtime", "send", 200, 100),
                         clock("ingress", "run", 9000, 100)]}  # fmt: skip
    found = measuring._runtime(worker, 1.5)
    assert (found.receive, found.send) == (pytest.approx(15), pytest.approx(3))


def test_machines_are_this_one_or_another() -> None:
    here, there = machine_profile(MACHINE), machine_profile({**MACHINE, "hz": 1e9})
    assert measuring.Machines(here, None, "x").meant is here and measuring.Machines(here, there, "x").meant is there


def test_fewer_entries_and_more_workers_are_rates(
    bench: Bench, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """A packet takes 50 ns of CPU time of each of three workers; with fewer entries 20."""
    bench.into(measuring, monkeypatch)
    bench.times = lambda key: 50
    case = SimpleNamespace(request="request", hlir=("loaded", "request"), planned=None, point=(64, 32))
    traffic = SimpleNamespace(packets=Path("/p.pcap"), entries="entries")
    with Closing() as closing:
        assert measuring._rate(case, traffic, tmp_path, closing, 3) == pytest.approx(60)  # type: ignore[arg-type]
    (switch,) = bench.started
    assert (switch.what[2], switch.what[4]) == ("entries", 3) and switch.closed == 1
    ((turns, *_),) = bench.runs
    assert [(turn.number, turn.other) for turn in turns] == [(64, 32)]
    asked: list[int] = []
    monkeypatch.setattr(measuring, "generated", lambda request, hlir, number, tables, folder: asked.append(number))
    monkeypatch.setattr(measuring, "Subject", lambda *what: SimpleNamespace(switch=Started()))
    bench.times = lambda key: 20
    found: Any = SimpleNamespace(mpps=lambda cycles: 1000 / cycles, cycles=10)
    rates = measuring._over_entries(case, tmp_path, 5000, found)  # type: ignore[arg-type]
    assert asked == [50, 500] and rates == ((50, 50), (500, 50), (5000, 100))
    assert measuring._over_entries(case, tmp_path / "x", 5, found) == ((5, 100),)  # type: ignore[arg-type]
