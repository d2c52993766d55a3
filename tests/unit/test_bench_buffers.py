"""Self-described buffers against the ordinary way: what is measured of each, and what is made of it; where frames come from."""

from __future__ import annotations

import subprocess
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from bench_scripts import Started, sample

from macsad.bench import buffers, feeds, programs
from macsad.bench.buffers import PHASES, WAYS, Bare
from macsad.bench.contestants import BenchError
from macsad.bench.feeds import Feed
from macsad.bench.rounds import Turn
from macsad.generation import Order
from macsad.resources import share
from macsad.targets import Machine
from transpiler.optimisations import ALL

TIMES = {
    "self-described": {"loop": 10, "empty": 20, "receive": 9, "send": 8, "alloc": 3, "free": 2},
    "separate": {"loop": 15, "empty": 25, "receive": 12, "send": 11, "alloc": 5, "free": 4},
}  # fmt: skip


def bare() -> Bare:
    return Bare(32, {(way, what): [sample(ns)] * 3 for way, times in TIMES.items() for what, ns in times.items()})


def test_what_is_made_of_the_phases() -> None:
    """What receiving allocates and sending frees is told apart; at 2 cycles a nanosecond."""
    made = bare()
    assert (made.gain("loop"), made.gain("empty")) == (1.5, 1.25)
    assert made.parts("self-described") == {"alloc": 6, "receive": 12, "send": 12, "free": 4}
    assert made.parts("separate") == {"alloc": 10, "receive": 14, "send": 14, "free": 8}
    assert made.data() == {
        "burst": 32, "gain": {"loop": 1.5, "empty": 1.25},
        **{way: {what: {"ns": ns, "cycles": 2 * ns} for what, ns in times.items()} for way, times in TIMES.items()},
    }  # fmt: skip


def test_both_ways_are_measured_in_turn(monkeypatch: pytest.MonkeyPatch) -> None:
    started: list[Started] = []
    built: list[tuple[Any, ...]] = []
    folders: list[Path] = []
    turned: list[Any] = []

    def start(*what: Any) -> Started:
        started.append(Started(*what))
        return started[-1]

    def floors(feed: Feed, bursts: list[int], folder: Path, closing: Any, wanted: Any) -> list[Turn[Any]]:
        assert folder.is_dir() and bursts == [32]
        both = start("empty", feed), start("loop", feed)
        closing.add(both)
        built.append((folder.name, wanted))
        return [Turn((what, 32, 32), one, what, 32, 32) for what, one in zip(("empty", "loop"), both, strict=True)]

    def program(name: str, folder: Path, wanted: Any, linker: tuple[str, ...]) -> Path:
        built.append((name, folder.name, wanted, linker))
        return folder / name

    def measure(turns: list[Turn[Any]], rounds: int, seconds: float, advance: Any) -> Any:
        assert not any(one.closed for one in started)
        turned.extend([turns, rounds, seconds])
        return {turn.key: [sample(1)] for turn in turns}

    def order(folder: Path) -> Order:
        folders.append(folder)
        return Order(folder, 5, (), (), 20, 1.0, "uniform", "64", 2, 0, 1)

    for name, stand in (("Probe", start), ("floors", floors), ("program", program), ("measure", measure)):
        monkeypatch.setattr(buffers, name, stand)
    made = buffers.run(share("apps") / "l3fwd" / "l3fwd.p4", order, 32, 3, 0.25)
    turns, rounds, seconds = turned
    assert made.burst == 32 and (rounds, seconds) == (3, 0.25)
    keys = [(way, what) for way in WAYS for what in ("empty", "loop", *PHASES)]
    assert [turn.key for turn in turns] == keys == list(made.samples)
    assert [(turn.what, turn.number, turn.other) for turn in turns] == [
        (what, 32, 0 if what in PHASES else 32) for _, what in keys
    ]
    separate = ALL.without(["self-described-buffers"])
    assert [one for one in built if one[0] != "phases"] == [("self-described", ALL), ("separate", separate)]
    assert [way for way, what in keys if what == "free"] == ["self-described", "separate"]
    assert [one[:3] for one in built if one[0] == "phases"] == [("phases", way, wanted) for way, wanted in WAYS.items()]
    frames = folders[0] / "packets.pcap"
    probes = [one for one in started if isinstance(one.what[0], list)]
    assert [one.what[0][1:] for one in probes] == [[f"mem:{frames},loop", "null:", "8192", "9216"]] * 2
    assert [turn.contestant for turn in turns if turn.key[1] in PHASES] == [probes[0]] * 4 + [probes[1]] * 4
    assert all(one.closed == 1 for one in started) and len(started) == 6


# --- where frames come from ---------------------------------------------------------------------------------------------


def test_feeds_of_platforms() -> None:
    frames, replies = Path("x.pcap"), Path("r.pcap")
    assert feeds.feed("linux", "mem", frames, 10, 64, 2) == Feed("linux", "mem:x.pcap,loop", "null:")
    assert feeds.feed("linux", "mem", frames, 10, 64, 2, replies) == Feed("linux", "mem:x.pcap,loop", "mem:r.pcap,loop")
    made = feeds.feed("dpdk", "pcap", frames, 10, 64, 2)
    assert made.devices == ("net_pcap0,rx_pcap=x.pcap,rx_pcap=x.pcap,infinite_rx=1", "net_null0,no-rx=1")
    assert (made.source, made.sink) == tuple(f"dpdk:{device}" for device in made.devices)
    assert made.buffers == feeds.BUFFERS + 20 and made.huge_bytes == made.buffers * made.max_frame
    null = feeds.feed("dpdk", "null", frames, 10, 64, 2)
    assert null.devices[0] == "net_null1,size=64" and null.buffers == feeds.BUFFERS
    assert null.max_frame == feeds.ROOM and feeds.feed("dpdk", "null", frames, 10, 9000, 2).max_frame == 9000
    assert feeds.feed("linux", "mem", frames, 10, 64, 2).huge_bytes == 0
    assert made.options == [
        "--port", f"0={made.source}", "--port", f"1={made.sink}", "--buffers", str(made.buffers),
        "--max-frame", str(made.max_frame),
    ]  # fmt: skip
    assert made.arguments == [made.source, made.sink, str(made.buffers), str(made.max_frame)]
    with pytest.raises(BenchError, match=r"^replies come from memory: measure them on platform linux$"):
        feeds.feed("dpdk", "pcap", frames, 10, 64, 2, replies)


@pytest.mark.parametrize(
    ("platform", "name", "found"),
    [
        ("linux", None, "mem"), ("linux", "mem", "mem"), ("dpdk", None, "pcap"), ("dpdk", "null", "null"),
        ("linux", "pcap", "platform linux has no feed pcap: choose mem"),
        ("dpdk", "mem", "platform dpdk has no feed mem: choose pcap or null"),
        ("linux", "dpdk", "platform linux has no feed dpdk: choose mem"),
        ("odp", None, "ports differ among implementations of platform odp: measure linux or dpdk"),
    ],
)  # fmt: skip
def test_names_of_feeds(platform: str, name: str | None, found: str) -> None:
    if " " not in found:
        assert feeds.named(platform, name) == found
    else:
        with pytest.raises(BenchError) as told:
            feeds.named(platform, name)
        assert str(told.value) == found


# --- libraries of the programs in bench/ --------------------------------------------------------------------------------


def test_a_program_is_compiled_as_switches_are(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """With the flags of its libraries, and those that the linker is given; into the folder, whatever folder its C is in."""
    ran: list[list[str]] = []
    asked: list[Any] = []
    tools = SimpleNamespace(compiler=["cc"], all_flags=("-O3",), link_flags=["-lpthread"])
    monkeypatch.setattr(programs, "toolchain", lambda wanted, machine: asked.append((wanted, machine)) or tools)
    monkeypatch.setattr(programs, "include_flags", lambda backend, tools: (f"-I{backend.name}",))
    monkeypatch.setattr(programs, "archive", lambda backend, tools: Path("lib.a"))
    monkeypatch.setattr(programs, "_packages", lambda packages: ([f"-D{one}" for one in packages], ["-la"]))
    monkeypatch.setattr(programs, "run", ran.append)
    wanted, machine = ALL.without(["simd"]), Machine("dpdk")
    made = programs.program("peers/acl", tmp_path, ("one", "two"), machine, wanted, ("-Wl,--wrap=x",))
    bench = share("bench")
    assert made == tmp_path / "acl" and asked == [(wanted, machine)]
    assert ran == [["cc", "-O3", "-Iaux-backend", f"-I{bench}", "-Done", "-Dtwo", str(bench / "peers" / "acl.c"), "lib.a",
                    "-lpthread", "-la", "-Wl,--wrap=x", "-o", str(tmp_path / "acl")]]  # fmt: skip


def test_flags_of_packages(monkeypatch: pytest.MonkeyPatch) -> None:
    """Headers are the system's; what a package thinks of the processor is left."""
    asked: list[list[str]] = []

    def run(words: list[str], **more: Any) -> Any:
        asked.append(words)
        said = {"--cflags": "-I/usr/include/a -march=corei7 -DX=-Iy\n", "--libs": "-la -lb\n"}.get(words[1], "")
        return subprocess.CompletedProcess(words, int(words[-1] == "none" and words[1] == "--exists"), said)

    monkeypatch.setattr(programs.subprocess, "run", run)
    monkeypatch.setattr(programs.shutil, "which", lambda name: f"/bin/{name}")
    assert programs._packages(()) == ([], []) and not asked
    assert programs._packages(("a", "b")) == (["-isystem/usr/include/a", "-DX=-Iy"], ["-la", "-lb"])
    assert asked == [["pkg-config", "--exists", "a"], ["pkg-config", "--exists", "b"],
                     ["pkg-config", "--cflags", "a", "b"], ["pkg-config", "--libs", "a", "b"]]  # fmt: skip
    with pytest.raises(BenchError, match=r"^pkg-config does not know none$"):
        programs._packages(("a", "none"))
    monkeypatch.setattr(programs.shutil, "which", lambda name: None)
    with pytest.raises(BenchError, match=r"^pkg-config is not installed$"):
        programs._packages(("a",))
