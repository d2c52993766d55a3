"""What packets of a program that is measured read: how much, how often, spread over how many bytes. Nothing runs."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from macsad import compilation
from macsad.bench.contestants import Closing
from macsad.bench.state import LINE
from macsad.compilation import Request
from macsad.resources import share
from macsad.subject import subject
from macsad.subject.stage_costs import StageCost
from macsad.subject.subject import Subject, Traffic
from transpiler.model.throughput import Read


def made(tmp_path: Path, *, state: Any = (), tables: Any = (), externs: Any = (), frames: int = 1000) -> Any:
    """A program with those externs (cells and bytes of each) on a switch with those tables, whose frames have 84 bytes."""
    packets = tmp_path / "x.pcap"
    packets.write_bytes(bytes(24 + frames * (16 + 84)))
    bare: Any = Subject.__new__(Subject)
    bare._hlir = SimpleNamespace(extern=dict(externs))
    bare._traffic = Traffic(None, packets, "", dict(state))
    bare.switch = SimpleNamespace(
        tables=[{"name": name, "reader_bytes": size} for name, size in tables],
        stats=lambda: {"ports": [{"rx_bytes": 8404, "rx_packets": 100}, {"rx_bytes": 1, "rx_packets": 1}]},
    )
    return bare


@pytest.fixture(autouse=True)
def _shapes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(subject, "state_cells", lambda program, extern: extern)


def cost(share: float, tables: tuple[str, ...] = (), state: tuple[str, ...] = ()) -> StageCost:
    return StageCost("I", 0, 0.0, share, tables, state)


def test_frames_are_those_that_a_file_has_room_for(tmp_path: Path) -> None:
    of = made(tmp_path)
    assert (of.length, of.frames) == (84, 1000)
    for told, length in (((8396, 100), 84), ((0, 0), 0), ((60, 1), 60)):
        of.switch.stats = lambda told=told: {"ports": [dict(zip(("rx_bytes", "rx_packets"), told, strict=True))]}
        assert of.length == length
    assert made(tmp_path, frames=0).frames == 1
    of = made(tmp_path, frames=5)
    (tmp_path / "x.pcap").write_bytes(bytes(24 + 5 * 100 - 1))
    assert of.frames == 4, "the head of the file is no frame's"
    of.switch.stats = lambda: {"ports": [{"rx_bytes": 8450, "rx_packets": 100}]}
    assert of.length == 84
    of.switch.stats = lambda: {"ports": [{"rx_bytes": 8451, "rx_packets": 100}]}
    assert of.length == 85, "the nearest"


@pytest.mark.parametrize(("size", "read"), [(5000, 5000), (1, LINE), (10**9, 1000 * LINE)])
def test_a_table_is_read_a_line_a_frame_at_most(tmp_path: Path, size: int, read: int) -> None:
    of = made(tmp_path, tables=[("t", size)])
    costs = [cost(0.25, ("t", "cached"))]
    assert of.reads_of(costs[0], costs) == [("t", 0.25, read)]
    assert of.reads_of(cost(0.0, ("t",)), costs) == [], "no packet comes there"


@pytest.mark.parametrize(("cells", "read"), [((100, 8), 800), ((1, 8), LINE), ((10**6, 8), 1000 * LINE)])
def test_state_is_read_by_each_packet_that_comes(tmp_path: Path, cells: tuple[int, int], read: int) -> None:
    """Unless it is known how often; stages that access it share its reads. What is not the program's own does not count."""
    of = made(tmp_path, externs=[("reg", cells)])
    costs = [cost(0.5, (), ("reg", "decisions")), cost(0.25, (), ("reg",)), cost(0.0, (), ("reg",))]
    assert [of.reads_of(one, costs) for one in costs] == [[("reg", 0.5 / 3, read)], [("reg", 0.25 / 3, read)], []]
    known = SimpleNamespace(reads=1.5, read_bytes=777)
    of = made(tmp_path, externs=[("reg", cells)], state=[("reg", known)])
    assert of.reads_of(costs[0], costs[:1]) == [("reg", 1.5, 777)]


def test_reads_of_all_stages(tmp_path: Path) -> None:
    of = made(tmp_path, tables=[("t", 5000), ("u", 6000)])
    of.costs = lambda: (cost(1.0, ("t",)), cost(0.5, ("u",)))
    assert of.reads({"u"}) == (Read(1.0, 5000, False), Read(0.5, 6000, True))


def test_traffic_is_told_by_its_files() -> None:
    assert subject.given(None, Path("a/x.pcap")).told == "x.pcap"
    assert subject.given(Path("b/e.txt"), Path("a/x.pcap")).told == "x.pcap, entries of e.txt"


# --- how it is made ----------------------------------------------------------------------------------------------------


class Started:
    def __init__(self, *given: Any) -> None:
        self.given = given
        self.closed = 0
        assert given[3].is_dir()

    def stages(self) -> list[str]:
        return ["of worker 0", "of worker 1"]

    def close(self) -> None:
        self.closed += 1


L3FWD = Request(share("apps") / "l3fwd" / "l3fwd.p4")


def test_its_switch_and_those_without_something_have_the_same_frames(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(subject, "Switch", Started)
    monkeypatch.setattr(subject, "build", lambda request, hlir, folder: (request, hlir, folder))
    monkeypatch.setattr(subject, "stage_costs", lambda worker, planned: (worker, planned))
    traffic = Traffic(tmp_path / "e.txt", tmp_path / "x.pcap", "")
    hlir: Any = "program"
    planned: Any = "planned"
    less = replace(L3FWD, cut="1")
    with Closing() as closing:
        made = Subject(L3FWD, hlir, planned, traffic, tmp_path, closing)
        asked: list[str] = []
        others = made.variants(
            ("bulk", "same", "t=k"), lambda name: asked.append(name) or (None if name == "same" else less), closing
        )
        assert asked == ["bulk", "same", "t=k"] and list(others) == ["bulk", "t=k"]
        switches: list[Any] = [made.switch, *others.values()]
        for switch, request, name in zip(
            switches, (L3FWD, less, less), ("program", "without-bulk", "without-t=k"), strict=True
        ):
            folder = tmp_path / name
            options = ["--port", f"0=mem:{tmp_path / 'x.pcap'},loop", "--port", "1=null:"]
            assert switch.given[0] == (request, "program", folder) and switch.given[2:] == (tmp_path / "e.txt", folder)
            assert switch.given[1][:4] == options
        assert made.costs() == ("of worker 0", "planned") and not any(switch.closed for switch in switches)
    assert [switch.closed for switch in switches] == [1, 1, 1]


@pytest.mark.parametrize(("entries", "frames"), [(50, 600), (400, 800)])
def test_traffic_is_made_for_a_program(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, entries: int, frames: int
) -> None:
    """At least two frames for each entry."""
    monkeypatch.setattr(subject, "FRAMES", 600)
    made = subject.generated(L3FWD, compilation.load(L3FWD), entries, (), tmp_path)
    assert made.told == f"made for the program: routes {entries}; {frames} frames"
    assert (made.entries, made.packets) == (tmp_path / "traffic" / "entries.txt", tmp_path / "traffic" / "packets.pcap")
    assert made.packets.stat().st_size == 24 + frames * (16 + 64)
    assert made.entries is not None and made.entries.read_text().count("table_add") == entries
    assert list(made.state) == ["L3Ingress.sent"] and made.state["L3Ingress.sent"].reads == 1
    assert made.plan is not None and made.plan.wishes.hit == 1 and made.plan.wishes.port == 0
    one = subject.generated(L3FWD, compilation.load(L3FWD), entries, ("routes=1",), tmp_path / "one")
    assert one.told.startswith("made for the program: routes 1; ")


def test_a_program_without_tables_has_no_entries(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(subject, "FRAMES", 5)
    empty = Request(share("bench") / "empty.p4")
    assert subject.generated(empty, compilation.load(empty), 1, (), tmp_path).told == (
        "made for the program: no entries; 5 frames"
    )
