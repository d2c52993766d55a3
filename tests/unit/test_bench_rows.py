"""What the rows of `make bench-check` are made of: which times are divided by which. The times are those of this file."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from bench_scripts import of, sample, script

from macsad.bench import session
from macsad.bench.contestants import BenchError
from macsad.bench.rounds import Turn
from macsad.bench.state import Reads

HALF = (64, 64)
Times = Callable[[session.Key], float]


class Probe(SimpleNamespace):
    def close(self) -> None: ...


class Bench:
    """bench/check.py, where nothing runs: a switch and a probe are what they were asked for."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.check = script("check")
        self.times: Times = lambda key: 1.0
        self.turns: list[Turn[session.Key]] = []
        self.wanted: list[session.Wanted] = []
        self.probes: list[list[str]] = []
        self.dropped, self.sizes, self.actions = 0.0, ((64, 1),), ["encrypt"]
        monkeypatch.setattr(self.check.session, "Setup", self.setup)
        monkeypatch.setattr(self.check.session, "run", self.run)
        monkeypatch.setattr(self.check, "Probe", self.probe)
        monkeypatch.setattr(self.check, "program", lambda name, folder, libraries=(): Path(name))
        monkeypatch.setattr(self.check, "measure", self.measure)

    def figures(self, part: Callable[[], Any]) -> dict[Any, float]:
        return {row.what: row.figure for row in part()}

    def probe(self, words: list[str], folder: Path) -> Probe:
        assert folder.is_dir()
        self.probes.append(words)
        return Probe(words=words)

    def setup(self, wanted: session.Wanted, folder: Path, closing: Any) -> Any:
        assert folder.is_dir()
        self.wanted.append(wanted)
        last = wanted.points[-1]
        keys = [("program", *point) for point in wanted.points] + [(f"without {one}", *last) for one in wanted.without]
        floors = [(what, 32, 32) for what in ("loop", "empty")] + [("read", 1, 0)]
        tables = [SimpleNamespace(call=SimpleNamespace(action=name)) for name in self.actions]
        return SimpleNamespace(
            turns=lambda: [Turn(key, Probe(), "", *key[1:]) for key in keys],
            limits=lambda *_: [Turn(key, Probe()) for key in floors],
            result=lambda samples: self.result(wanted, samples),
            feed=SimpleNamespace(arguments=["64", "frames"]),
            made=SimpleNamespace(traffic=SimpleNamespace(sizes=self.sizes), plan=SimpleNamespace(tables=tables)),
        )

    def run(self, wanted: session.Wanted) -> session.Result:
        self.wanted.append(wanted)
        return self.result(
            wanted, {("program", *point): [sample(self.times(("program", *point)))] for point in wanted.points}
        )

    def result(self, wanted: session.Wanted, samples: dict[session.Key, Any]) -> session.Result:
        reads = Reads((0,), ((1, 1.0),))
        return session.Result(
            "x", (), (), 1, "64", 1.0, "uniform", wanted.points, 1, 0.1, 1, self.dropped, reads, samples
        )

    def measure(self, turns: list[Turn[session.Key]], rounds: int, seconds: float, advance: Any) -> Any:
        assert rounds == self.check.ROUNDS and len({turn.key for turn in turns}) == len(turns)
        self.turns = turns
        return {turn.key: [sample(self.times(turn.key))] * rounds for turn in turns}


@pytest.fixture
def bench(monkeypatch: pytest.MonkeyPatch) -> Bench:
    return Bench(monkeypatch)


def rows(*parts: tuple[Any, float]) -> dict[str, Any]:
    return {row.what: pytest.approx(figure) for row, figure in parts}


def test_l2fwd_is_compared_at_its_best_burst(bench: Bench) -> None:
    """(96, 64) is the best burst with large tables, (256, 64) that with small ones."""
    check = bench.check
    bench.times = of({
        ("program", 1, 1): 900, ("program", 32, 1): 300, ("program", 96, 64): 100, ("small", 256, 64): 80, "small": 90,
        ("read", 1, 0): 70, "empty": 12, "loop": 10,
    })  # fmt: skip
    found = bench.figures(check.l2fwd)
    assert found == rows((check.OVER_ONE, 9), (check.OVER_BURST, 3), (check.OF_MEMORY, 0.7), (check.OF_SMALL, 0.8),
                         (check.EMPTY, 1.2))  # fmt: skip
    assert [wanted.order(Path("x")).entries for wanted in bench.wanted] == [16_000_000, 256]


def test_a_gain_is_that_of_the_best_burst(bench: Bench) -> None:
    check = bench.check
    bench.times = of({("program", 1, 1): 500, ("program", 128, 64): 200})
    assert bench.figures(lambda: check.app(check.IPV6FWD)) == rows((check.IPV6FWD, 2.5))
    assert bench.wanted[0].request.path.stem == "ipv6fwd" and bench.wanted[0].points == ((1, 1), *check.FULL)


@pytest.mark.parametrize(
    ("part", "over_one", "of_bare", "contest", "binary"),
    [
        ("register", "REGISTER", "REGISTER_LIMIT", "cells", "state"),
        ("sketch", "SKETCH", "SKETCH_LOOP", "heavyhitter", "peers/stateful"),
        ("crypto_loop", None, "CRYPTO_LOOP", "ciphered", "peers/crypto"),
    ],
)
def test_bursts_beside_the_bare_loop(
    bench: Bench, part: str, over_one: str | None, of_bare: str, contest: str, binary: str
) -> None:
    check = bench.check
    bench.times = of({("program", 1, 1): 800, ("program", *HALF): 100, "bare": 75})
    expected = [(getattr(check, name), figure) for name, figure in ((over_one, 8), (of_bare, 0.75)) if name]
    told = list(getattr(check, part)())
    assert {row.what: row.figure for row in told} == rows(*expected)
    assert told[-1].parts == "program 100.0 ns; bare 75.0 ns" and bench.probes == [[binary, "64", "frames"]]
    assert (bench.turns[-1].what, bench.turns[-1].number) == (contest, 64)


def test_each_stateful_app_has_its_loop(bench: Bench) -> None:
    check = bench.check
    bench.times = of({("program", *HALF): 100, "bare": 90})
    for row in check.BESIDE_LOOP:
        name = row.what.partition(",")[0]
        assert bench.figures(lambda row=row: check.stateful(row)) == rows((row, 0.9))
        assert bench.wanted[-1].request.path.stem == name == bench.turns[-1].what


def test_two_workers_are_at_work_but_where_one_sleeps(bench: Bench) -> None:
    """By CPU time: two workers that take as much of it as one for a packet are twice as fast; where one of them sleeps they
    are just as fast."""
    check = bench.check
    one = {check.SPREAD: 100, check.HOT: 200, check.SHARDED_SPREAD: 300, check.SHARDED_HOT: 400}
    bench.times = of({f"{row.what} 1": ns for row, ns in one.items()} | {f"{row.what} 2": 400 for row in one})
    assert bench.figures(check.workers) == rows(
        (check.SPREAD, 0.5), (check.HOT, 1), (check.SHARDED_SPREAD, 1.5), (check.SHARDED_HOT, 1)
    )
    assert [turn.key[1:] for turn in bench.turns] == [HALF] * 8, "at one burst only"
    defines = [(wanted.request.defines, wanted.workers) for wanted in bench.wanted]
    assert defines[2:4] == [(("REGISTER", "ONE"), 1), (("REGISTER", "ONE"), 2)] and len(set(defines)) == 8


def test_counters_are_beside_tables_without(bench: Bench) -> None:
    check = bench.check
    at = {("program", *HALF): 100, ("plain", *HALF): 80, ("counts", *HALF): 72, ("words", *HALF): 55}
    bench.times = of(at)
    told = list(check.counter())
    assert {row.what: row.figure for row in told} == rows((check.COUNTER, 0.8), (check.COUNTER_LIMIT, 0.72))
    assert [row.parts for row in told] == [
        "counted 100.0 ns; plain 80.0 ns", "bare counted 72.0 ns; bare plain 55.0 ns",
    ]  # fmt: skip
    assert [wanted.request.defines for wanted in bench.wanted] == [("COUNTER",), ()]
    assert {wanted.order(Path("x")).entries for wanted in bench.wanted} == {check.COUNTED}


def test_counting_in_the_cache_is_a_difference(bench: Bench) -> None:
    check = bench.check
    bench.times = of({("counted", *HALF): 12.5, ("plain", *HALF): 11, ("near+count", *HALF): 4, ("near", *HALF): 3})
    (row,) = check.near_counter()
    assert (row.what, row.figure) == (check.COUNTING.what, pytest.approx(1.5))
    assert row.parts == "counted 12.5 ns; plain 11.0 ns; bare counted 4.0 ns; bare plain 3.0 ns"
    assert [wanted.request.defines for wanted in bench.wanted] == [("COUNTER", "SIZE=1024"), ("SIZE=1024",)]


@pytest.mark.parametrize(("actions", "direction"), [(["pass", "in.encrypt_it"], "encrypt"), (["decrypt"], "decrypt")])
def test_a_cipher_is_on_as_many_bytes(bench: Bench, actions: list[str], direction: str) -> None:
    """The share of the switch is what is left of a packet's time that is ciphered singly."""
    check = bench.check
    bench.actions, bench.sizes = actions, ((160, 1),)
    times = {("without interleave", 256, 128): 800, ("program", 128, 64): 160, "cipher": 720}
    bench.times = of(times)
    told = list(check.crypto())
    assert {row.what: row.figure for row in told} == rows((check.CRYPTO, 5), (check.CRYPTO_SHARE, 0.1))
    assert told[0].parts == "one 800 ns; many 160 ns"
    assert (bench.turns[-1].what, bench.turns[-1].number) == (direction, 160 - 32)


def test_traffic_that_is_not_ciphered_is_no_figure(bench: Bench) -> None:
    bench.dropped = 0.011
    with pytest.raises(BenchError, match="1% of the frames were dropped"):
        list(bench.check.crypto())
    bench.dropped = 0.01
    assert len(list(bench.check.crypto())) == 2
    bench.actions = ["pass"]
    with pytest.raises(BenchError, match="neither encrypted nor decrypted"):
        list(bench.check.crypto())


def test_a_peer_over_ours(bench: Bench) -> None:
    check = bench.check
    bench.times = of({"ours": 10, "peer": 25})
    assert bench.figures(lambda: check.peer(check.FIB, "fib4", 500)) == rows((check.FIB, 2.5))
    assert bench.probes == [["peers/fib4", "500"]] and [turn.what for turn in bench.turns] == ["ours", "peer"]


def test_hashes_of_the_shorter_messages_count(bench: Bench) -> None:
    check = bench.check
    bench.times = of({("ours", 13, 0): 10, ("plain", 13, 0): 16, ("ours", 64, 0): 30, ("plain", 64, 0): 31})
    (row,) = check.crc()
    assert (row.what, row.figure, row.parts) == (check.CRC.what, 1.6, "13 bytes 10.0 ns; 64 bytes 30.0 ns")
    assert [(turn.what, turn.number) for turn in bench.turns] == [turn.key[:2] for turn in bench.turns]


def test_sets_of_rules_count_alike(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    """By the geometric mean: twice as fast and half as fast is no difference."""
    check = bench.check

    def listed(command: list[str], *, capture_output: bool, text: bool, check: bool) -> SimpleNamespace:
        assert command == ["peers/acl", "--contests"] and capture_output and text and check
        return SimpleNamespace(stdout="fw\nacl\nipc\n")

    monkeypatch.setattr(check.subprocess, "run", listed)
    bench.times = of({("peer", 0, 0): 20, ("peer", 1, 0): 5, ("peer", 2, 0): 80, "ours": 10})
    (row,) = check.acl(1000)
    assert (row.what, row.figure) == (check.ACL.what, pytest.approx(2))
    assert row.parts == "mean of fw 2.00; acl 0.50; ipc 8.00" and bench.probes == [["peers/acl", "1000"]]
    assert [turn.number for turn in bench.turns] == [0, 0, 1, 1, 2, 2]
