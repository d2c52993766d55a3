"""`macsad gen`: what it tells of what it has made, and which orders are none. Nothing is looked for in a program."""

from __future__ import annotations

import contextlib
import json
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import click
import pytest

from macsad import generation
from macsad.compilation import Request
from macsad.generation import Made, Order
from transpiler.traffic.copies import GROUP, SESSION
from transpiler.traffic.frames import IMIX, Traffic
from transpiler.traffic.patterns import LengthsError
from transpiler.traffic.plan import Wishes
from transpiler.traffic.replies import Answered

REQUEST = Request(Path("p.p4"))


def filled(name: str, count: int, left_out: int = 0) -> Any:
    table = SimpleNamespace(name=name)
    return SimpleNamespace(
        table=table,
        count=count,
        left_out=left_out,
        call=SimpleNamespace(action=f"{name}.go"),
        keys=SimpleNamespace(count=count),
    )


def plan(tables: Any = (), points: Any = (), kinds: int = 1, copies: Any = ()) -> Any:
    points = [SimpleNamespace(entries=[(name, None) for name in names]) for names in points]
    wishes = SimpleNamespace(outward=1, port=0, ports=2)
    return SimpleNamespace(tables=tables, points=points, streams=[None] * kinds, copies=copies, wishes=wishes)


def made(plan: Any, ratios: dict[str, float] | None = None, replies: Path | None = None) -> Made:
    traffic = Traffic(12_345, ((64, 1),), "uniform", 1.0)
    return Made(plan, traffic, ratios or {}, Path("t/entries.txt"), Path("t/packets.pcap"), replies)


FEW = plan([filled("I.a", 5)])
MANY = plan(
    [filled("I.a", 1_000_000, 2_500), filled("I.b", 7)],
    [("I.c", "I.a"), ("I.a", "I.d"), ("I.c",)],
    3,
    [(GROUP, 4), (SESSION, 9)],
)


@pytest.mark.parametrize(
    ("what", "lines"),
    [
        (made(FEW), ["I.a: 5 entries, I.a.go", "t/entries.txt", "t/packets.pcap: 12,345 frames"]),
        (made(plan()), ["t/entries.txt", "t/packets.pcap: 12,345 frames"]),
        (made(plan(kinds=2), {"I.a": 1.0}, Path("t/replies.pcap")), [
            "t/entries.txt", "t/packets.pcap: 12,345 frames of 2 kinds", "t/replies.pcap: the replies to them, at port 1"]),
        (made(MANY, {"I.a": 0.8766}), [
            "I.a: 1,000,000 entries, I.a.go, hit by 87.7% of the frames, 2,500 left out that @entry_restriction forbids",
            "I.b: 7 entries, I.b.go", "by single frames, with 5 entries of their own: I.c, I.d",
            "multicast group 4: a copy to port 1", "clone session 9: a copy to port 1", "t/entries.txt",
            "t/packets.pcap: 12,345 frames of 3 kinds, with 3 different single ones"]),
    ],
)  # fmt: skip
def test_what_was_made_is_told(what: Made, lines: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    generation._tell(what)
    assert capsys.readouterr().out.splitlines() == lines


@pytest.mark.parametrize(("port", "outward"), [(0, 1), (1, 0), (6, 1), (255, 0)])
def test_replies_come_at_the_port_that_frames_go_out_of(
    port: int, outward: int, capsys: pytest.CaptureFixture[str]
) -> None:
    planned = plan(kinds=2)
    planned.wishes = Wishes(ports=2, port=port)
    generation._tell(made(planned, replies=Path("r.pcap")))
    assert capsys.readouterr().out.endswith(f"\nr.pcap: the replies to them, at port {outward}\n")


def test_what_was_made_as_json(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    """Tables that are neither filled nor have entries of single frames are empty."""
    everything = [SimpleNamespace(name=f"I.{letter}") for letter in "abcde"]
    monkeypatch.setattr(generation, "fillable", lambda program: everything)
    monkeypatch.setattr(generation, "make", lambda request, program, order: made(MANY, {"I.a": 0.5}, Path("t/r.pcap")))
    anything: Any = None
    generation.run(anything, anything, anything, as_json=True)
    assert json.loads(capsys.readouterr().out) == {
        "tables": [
            {"name": "I.a", "entries": 1_000_000, "left_out": 2_500, "action": "I.a.go", "hit": 0.5},
            {"name": "I.b", "entries": 7, "left_out": 0, "action": "I.b.go", "hit": None},
        ],
        "empty": ["I.e"], "single_frames": {"frames": 3, "entries": 5, "tables": ["I.c", "I.d"]},
        "copies": [{"kind": "multicast group", "number": 4, "port": 1}, {"kind": "clone session", "number": 9, "port": 1}],
        "frames": 12_345, "kinds": 3, "entries_file": "t/entries.txt", "packets_file": "t/packets.pcap",
        "replies_file": "t/r.pcap",
    }  # fmt: skip
    generation.run(anything, anything, anything)
    assert capsys.readouterr().out.endswith("\nt/r.pcap: the replies to them, at port 1\n")
    assert generation.data(made(FEW), anything)["replies_file"] is None


def order(folder: Path = Path("t"), **more: Any) -> Order:
    usual = {
        "entries": 5, "tables": (), "lengths": (), "packets": 9, "hit": 1.0, "flows": "uniform", "size": "64", "ports": 2,
        "port": 0, "seed": 1,
    }  # fmt: skip
    return Order(folder, **(usual | more))


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> list[tuple[Any, ...]]:
    """What was written: plan and replies, traffic, folder. Headers take 100 bytes, the port for replies is told."""
    found: list[tuple[Any, ...]] = []

    def write(both: Answered, traffic: Traffic, folder: Path) -> dict[str, float]:
        found.append((both.replies, traffic, folder))
        return {"I.a": 0.5}

    monkeypatch.setattr(
        generation, "_wishes", lambda program, order: SimpleNamespace(port=order.port, ports=order.ports)
    )
    monkeypatch.setattr(generation, "plan", lambda *given: FEW)
    monkeypatch.setattr(generation, "answered", lambda plan, port, diagnostics: Answered(plan, [port]))  # type: ignore[list-item]
    monkeypatch.setattr(generation.frames, "smallest", lambda planned: 100)
    monkeypatch.setattr(generation, "_write", write)
    return found


def test_frames_are_as_long_as_their_headers_where_nothing_else_is_asked_for(asked: list[Any], tmp_path: Path) -> None:
    anything: Any = None
    for size, sizes in (("64", ((100, 1),)), ("100", ((100, 1),)), ("101", ((101, 1),))):
        found = generation.make(REQUEST, anything, order(tmp_path, size=size))
        assert found.traffic == Traffic(9, sizes, "uniform", 1.0) and asked[-1] == ((), found.traffic, tmp_path)
        assert (found.entries, found.packets, found.replies) == (
            tmp_path / "entries.txt",
            tmp_path / "packets.pcap",
            None,
        )
        assert found.ratios == {"I.a": 0.5}
    for size in ("99", "imix"):
        with pytest.raises(click.BadParameter, match="the headers of a frame take 100 bytes") as told:
            generation.make(REQUEST, anything, order(tmp_path, size=size))
        assert told.value.param_hint == "--size"


@pytest.mark.parametrize(("port", "ports", "replies"), [(0, 2, 1), (1, 2, 0)])
def test_replies_come_from_the_other_port(
    asked: list[Any], tmp_path: Path, port: int, ports: int, replies: int
) -> None:
    anything: Any = None
    found = generation.make(REQUEST, anything, order(tmp_path, port=port, ports=ports, replies=True))
    assert asked[-1][0] == [replies] and found.replies == tmp_path / "replies.pcap"
    with pytest.raises(click.BadParameter, match="replies come back from one port: they need --ports 2"):
        generation.make(REQUEST, anything, order(tmp_path, ports=3, replies=True))
    assert generation.make(REQUEST, anything, order(tmp_path, ports=3)).replies is None


def test_files_that_are_read_are_not_written(asked: list[Any], tmp_path: Path) -> None:
    anything: Any = None
    for name in ("entries.txt", "packets.pcap", "replies.pcap"):
        (tmp_path / name).write_text("")
        with pytest.raises(click.UsageError, match="which is read"):
            generation.make(Request(tmp_path / name), anything, order(tmp_path))
    assert not asked


def test_lengths_that_do_not_fit_are_told(asked: list[Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fails(*_: object) -> None:
        raise LengthsError("24 of 16 bits")

    monkeypatch.setattr(generation, "plan", fails)
    anything: Any = None
    with pytest.raises(click.BadParameter, match="24 of 16 bits") as told:
        generation.make(REQUEST, anything, order(tmp_path))
    assert told.value.param_hint == "--lengths"


@pytest.mark.parametrize(
    ("flows", "size", "traffic"),
    [
        ("uniform", "64", (((64, 1),), "uniform", 1.0)), ("one", "imix", (IMIX, "one", 1.0)),
        ("zipf", "65535", (((65535, 1),), "zipf", 1.0)), ("zipf:0", "1", (((1, 1),), "zipf", 0.0)),
        ("zipf:1.25", "64", (((64, 1),), "zipf", 1.25)), ("zipf:15.9", "64", (((64, 1),), "zipf", 15.9)),
        ("zipf:16", "64", "--flows"), ("zipf:-0.1", "64", "--flows"), ("zipf:x", "64", "--flows"), ("uniform:1", "64", "--flows"),
        ("one:1", "64", "--flows"), ("two", "64", "--flows"), ("", "64", "--flows"), ("zipf:nan", "64", "--flows"),
        ("one", "0", "--size"), ("one", "65536", "--size"), ("one", "x", "--size"), ("one", "-1", "--size"),
    ],
)  # fmt: skip
def test_flows_and_sizes(flows: str, size: str, traffic: Any) -> None:
    asked = order(flows=flows, size=size)
    if isinstance(traffic, tuple):
        assert generation._traffic(asked) == Traffic(9, *traffic)
        return
    with pytest.raises(click.BadParameter) as told:
        generation._traffic(asked)
    assert told.value.param_hint == traffic
    assert told.value.message == {
        "--flows": f"'{flows}' is none of uniform, zipf:S, one", "--size": f"'{size}' is neither imix nor bytes, at most 65535",
    }[traffic]  # fmt: skip


@pytest.mark.parametrize(
    ("tables", "lengths", "wanted", "spread"),
    [
        ((), (), {None: 5}, {}), (("a=7", "I.b=1"), ("dfz", "a=24"), {None: 5, "I.a": 7, "I.b": 1}, {None: "dfz", "I.a": "24"}),
        (("a=0",), (), "'a=0' is not NAME=N", None), (("7",), (), "'7' is not NAME=N", None),
        (("c=1",), (), "there is no table 'c' that entries can be made for; there are: I.a, I.b", None),
        ((), ("c=24",), "there is no table 'c' that entries can be made for; there are: I.a, I.b", None),
    ],
)  # fmt: skip
def test_what_is_asked_for_of_single_tables(
    monkeypatch: pytest.MonkeyPatch, tables: Any, lengths: Any, wanted: Any, spread: Any
) -> None:
    monkeypatch.setattr(generation, "fillable", lambda program: [SimpleNamespace(name=name) for name in ("I.a", "I.b")])
    anything: Any = None
    asked = order(tables=tables, lengths=lengths, hit=0.5, ports=4, port=3, seed=8)
    if isinstance(wanted, dict):
        found = generation._wishes(anything, asked)
        assert (found.entries, found.lengths, found.hit) == (wanted, spread, 0.5)
        assert (found.ports, found.port, found.seed) == (4, 3, 8)
        return
    with pytest.raises(click.BadParameter) as told:
        generation._wishes(anything, asked)
    assert told.value.message == wanted and told.value.param_hint == ("--table" if tables else "--lengths")


def test_what_is_done_is_added_up() -> None:
    told: list[tuple[int, int]] = []
    add = generation._adding(lambda done, total: told.append((done, total)), 10)
    for count in (3, 0, 7):
        add(count)
    assert told == [(3, 10), (3, 10), (10, 10)]


@pytest.mark.parametrize("replies", [(), ("a reply",)])
def test_entries_and_frames_are_written(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, replies: Any) -> None:
    """With how much there is to do; replies in a file of their own."""
    told: list[tuple[str, int, int]] = []

    @contextlib.contextmanager
    def counting(what: str) -> Any:
        yield lambda done, total: told.append((what, done, total))

    def entries(planned: Any, out: Any, add: Any, answered: Any) -> None:
        assert planned is MANY and answered == replies
        out.write(b"entries")
        add(1)

    def frames(planned: Any, traffic: Any, out: Any, add: Any, answers: Any) -> dict[str, float]:
        out.write(b"frames")
        add(2)
        if replies:
            assert answers.replies == replies
            answers.out.write(b"replies")
        else:
            assert answers is None
        return {"I.a": 1.0}

    monkeypatch.setattr(generation, "counting", counting)
    monkeypatch.setattr(generation.entries, "write", entries)
    monkeypatch.setattr(generation.frames, "write", frames)
    monkeypatch.setattr(generation, "Answers", lambda replies, out: SimpleNamespace(replies=replies, out=out))
    folder = tmp_path / "new"
    assert generation._write(Answered(MANY, replies), Traffic(9, ((64, 1),), "one", 1.0), folder) == {"I.a": 1.0}
    files = {path.name: path.read_bytes() for path in folder.iterdir()}
    assert files == {"entries.txt": b"entries", "packets.pcap": b"frames"} | (
        {"replies.pcap": b"replies"} if replies else {}
    )
    assert told == [("writing entries", 1, 1_000_007), ("writing frames", 2, 9)]
