"""`macsad trace`: which frames are asked for, and how those that come are told. The switch is one of this file."""

from __future__ import annotations

import contextlib
import io
import json
import threading
import time
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import click
import pytest

from macsad import cli
from macsad.protocol import ControlError, Filter, NoSwitchError, Traced
from macsad.resources import share
from macsad.trace import live, tracing
from macsad.trace.rotated import Limit
from macsad.trace.tracing import Told, Tracer
from macsad.verbs import trace as verb
from transpiler.diagnostics import Span
from transpiler.interpreter.trace import Event


@pytest.mark.parametrize(
    ("word", "found"),
    [
        ("0=0a", ((0, 0x0A, 0xFF),)), ("12=0aff", ((12, 0x0A, 0xFF), (13, 0xFF, 0xFF))),
        ("12=0aff/f00f", ((12, 0x0A, 0xF0), (13, 0xFF, 0x0F))), ("65535=00", ((65535, 0, 0xFF),)),
        ("65536=00", "is not OFFSET=HEX"), ("65535=0000", "is not OFFSET=HEX"),
        ("0=0af", "is not OFFSET=HEX"), ("0=", "is not OFFSET=HEX"), ("x=00", "is not OFFSET=HEX"),
        ("0=0aff/f0", "the mask has 1 bytes, not 2"), ("0=0a/f00f", "the mask has 2 bytes, not 1"),
    ],
)  # fmt: skip
def test_bytes_of_frames_may_be_asked_for(word: str, found: Any) -> None:
    if isinstance(found, str):
        with pytest.raises(click.BadParameter, match=found):
            verb._Bytes().convert(word, None, None)
    else:
        assert verb._Bytes().convert(word, None, None) == found


L2FWD = str(share("apps") / "l2fwd" / "l2fwd.p4")


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> list[Any]:
    """How packets are asked for: what for, the socket, the filter, whether as JSON."""
    found: list[Any] = []

    def show(load: Any, socket: Path, filter: Filter, *, as_json: bool, output: Any, errors: Any) -> int:
        found.append(("show", socket, filter, as_json))
        return 0

    def profile(request: Any, program: Any, socket: Path, filter: Filter) -> dict[str, int]:
        found.append(("profile", socket, filter))
        return {"packets": 1234}

    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(verb.tracing, "show", show)
    monkeypatch.setattr(verb.profiled, "profile", profile)
    monkeypatch.setattr(verb.compilation, "load", lambda request: "program")
    monkeypatch.setattr(verb.sockets, "running_socket", lambda: Path("running"))
    return found


def test_which_packets_are_asked_for(asked: list[Any], capsys: pytest.CaptureFixture[str]) -> None:
    """A hundred a second at most, unless another number is named; of a profile, two thousand."""
    wanted = ["-p", "3", "--bytes", "12=08", "--bytes", "13=00", "--every", "2", "--rate", "0", "-n", "5"]
    assert cli.call(["trace", L2FWD]) == cli.call(["trace", L2FWD, "--socket", "s", "--json", *wanted]) == 0
    of = Filter(3, 2, 0, 5, ((12, 8, 0xFF), (13, 0, 0xFF)))
    assert asked == [("show", Path("running"), Filter(None, 1, 100, 0), False), ("show", Path("s"), of, True)]
    asked.clear()
    for words, count in (([], 2000), (["-n", "7"], 7)):
        assert cli.call(["trace", L2FWD, "--profile", "f/p.json", *words]) == 0
        assert asked.pop() == ("profile", Path("running"), Filter(None, 1, 100, count))
        assert json.loads(Path("f/p.json").read_text()) == {"packets": 1234}
        assert capsys.readouterr().out == "f/p.json: what 1,234 packets did\n"


@pytest.mark.parametrize(
    ("words", "code", "told"),
    [
        (["--bytes", "0=" + "00" * 256], 0, ""), (["--bytes", "0=" + "00" * 256, "--bytes", "0=00"], 2, "256 bytes at most"),
        (["--profile", "p.json", "--json"], 2, "--profile tells no packets"), (["--every", "0"], 2, "--every"),
        (["--profile", "l2fwd.p4"], 2, "which is read"), (["-p", "65535"], 0, ""), (["-p", "65536"], 2, "--port"),
    ],
)  # fmt: skip
def test_what_cannot_be_asked_for(
    asked: list[Any], words: list[str], code: int, told: str, capsys: pytest.CaptureFixture[str]
) -> None:
    Path("l2fwd.p4").write_text(Path(L2FWD).read_text())  # one that may be lost
    assert cli.call(["trace", "l2fwd.p4", *words]) == code and len(asked) == (code == 0)
    assert told in " ".join(capsys.readouterr().err.split())


EVENTS = (Event("receive", "port 3, 20 bytes"), Event("table", "hit", Span("p.p4", 4, 2)))
FRAME = bytes(range(20))
TOLD = Told(3, 1_500_000_499, FRAME, EVENTS, ((1, FRAME[:2]), (2, b"")), 7)


def test_a_packet_is_told_in_lines() -> None:
    """With as many bytes of frames as are wanted, in rows of 16."""
    text = "\n1.500000 s\n" + "".join(f"{event}\n" for event in EVENTS)
    assert TOLD.text() == text
    rows = ["from port 3", "0000  " + FRAME[:16].hex(" "), "0010  10", "to port 1", "0000  00 01", "to port 2"]
    assert TOLD.text(17) == text + "".join(f"   bytes  {row}\n" for row in rows)


def test_a_packet_is_told_as_a_line_of_json() -> None:
    assert json.loads(TOLD.json()) == {
        "port": 3, "time_ns": 1_500_000_499, "frame": FRAME.hex(), "lost": 7,
        "sent": [{"port": 1, "frame": "0001"}, {"port": 2, "frame": ""}],
        "events": [{"kind": "receive", "text": "port 3, 20 bytes", "at": None},
                   {"kind": "table", "text": "hit", "at": "p.p4:4:2"}],
    }  # fmt: skip


class Switch:
    """`comes`: what it sends by itself, then it ends. `source`: the program that runs."""

    def __init__(self, *comes: Any) -> None:
        self.comes = list(comes)
        self.source = "p.p4"
        self.asked: list[Filter] = []

    def trace(self, filter: Filter) -> None:
        self.asked.append(filter)

    def describe(self) -> dict[str, Any]:
        return {"source": self.source}

    def pushed(self, seconds: None) -> Any:
        if not self.comes:
            raise NoSwitchError("the switch has closed the connection")
        come = self.comes.pop(0)
        if callable(come):
            come()
            return self.pushed(seconds)
        return come

    def __enter__(self) -> Switch:
        return self

    def __exit__(self, *error: object) -> None:
        pass


class Living:
    """A program's interpreter; it is of the switch's program until `ended` has its name."""

    ended: set[str] = set()  # noqa: RUF012
    refreshed: list[tuple[str, int]] = []  # noqa: RUF012

    def __init__(self, program: str, client: Any, trace: Any, watch: Any) -> None:
        self.program, self.trace = program, trace

    def refresh(self, changes: int) -> None:
        if self.program in self.ended:
            raise live.AnotherProgram("another")
        self.refreshed.append((self.program, changes))

    def run(self, port: int, frame: bytes, time_ns: int) -> list[tuple[int, bytes]]:
        self.trace(f"{self.program} has {frame.decode()}")
        return [(port + 1, frame)]


@pytest.fixture
def living(monkeypatch: pytest.MonkeyPatch) -> type[Living]:
    monkeypatch.setattr(live, "Live", Living)
    monkeypatch.setattr(Living, "ended", set())
    monkeypatch.setattr(Living, "refreshed", [])
    return Living


def traced(changes: int, *frames: bytes, lost: int = 0) -> Traced:
    return Traced(changes, lost, tuple((5, at, frame) for at, frame in enumerate(frames)))


def all_of(tracer: Tracer) -> list[Any]:
    found: list[Any] = []
    with pytest.raises(NoSwitchError):
        found += [one.events[0] for one in tracer]
    return found


def test_packets_are_told_as_many_as_are_wanted(living: type[Living]) -> None:
    """Those that the switch has lost do not count; what else it sends is not for us."""
    switch: Any = Switch(traced(1, b"a", lost=9), "digest", traced(2, b"b", b"c"))
    tracer = Tracer(lambda: "p", switch, Filter(count=2))  # type: ignore[arg-type, return-value]
    found = list(tracer)
    assert [(one.port, one.time_ns, one.frame, one.events, one.sent, one.lost) for one in found] == [
        (5, 0, b"a", ("p has a",), ((6, b"a"),), 9), (5, 0, b"b", ("p has b",), ((6, b"b"),), 0),
    ]  # fmt: skip
    assert switch.asked == [Filter(count=0)] and living.refreshed == [("p", 1), ("p", 2)]


def test_packets_are_told_until_the_switch_ends(living: type[Living]) -> None:
    switch: Any = Switch(*[traced(1, b"a", b"b")] * 3)
    tracer = Tracer(lambda: "p", switch, Filter())  # type: ignore[arg-type, return-value]
    told: list[bytes] = []
    with pytest.raises(NoSwitchError):
        told += (one.frame for one in tracer)
    assert not switch.comes


def test_another_program_takes_over(living: type[Living]) -> None:
    """Where it is one of those that may; else it is told that the switch runs another one."""
    switch: Any = Switch(traced(1, b"a"))

    def swap(source: str, ended: str) -> Any:
        def run() -> None:
            switch.source = source
            living.ended.add(ended)

        return run

    switch.comes += [swap("q.p4", "p"), traced(2, b"b"), traced(3, b"d"), swap("unknown.p4", "q"), traced(4, b"c")]
    loads: list[str] = []
    others: Any = {"q.p4": lambda: loads.append("q") or "q"}
    tracer = iter(Tracer(lambda: "p", switch, Filter(), others))  # type: ignore[arg-type, return-value]
    assert [next(tracer).events[0] for _ in range(3)] == ["p has a", "q has b", "q has d"] and loads == ["q"]
    assert living.refreshed == [("p", 1), ("q", 2), ("q", 3)]
    with pytest.raises(live.AnotherProgram):
        next(tracer)


def shown(
    monkeypatch: pytest.MonkeyPatch, *comes: Any, as_json: bool = False, error: Exception | None = None
) -> tuple[int, str, str]:
    switch = Switch(*comes)
    if error is not None:

        def fail() -> None:
            raise error

        switch.comes.append(fail)
    monkeypatch.setattr(tracing, "Client", lambda socket: switch)
    output, errors = io.StringIO(), io.StringIO()
    load: Any = lambda: "p"  # noqa: E731
    code = tracing.show(load, Path("s"), Filter(), as_json=as_json, output=output, errors=errors)
    return code, output.getvalue(), errors.getvalue()


def test_what_was_lost_is_told_at_the_end(monkeypatch: pytest.MonkeyPatch, living: type[Living]) -> None:
    monkeypatch.setattr(living, "run", lambda self, port, frame, time_ns: self.trace(EVENTS[0]) or [])
    code, output, errors = shown(monkeypatch, traced(1, b"a"), traced(1, b"b", lost=3))
    assert (code, output.count(" s\n")) == (0, 2)
    assert errors == "3 frames are not told: the switch had no room for them\n"
    _, _, errors = shown(monkeypatch, traced(1, b"a", lost=3), traced(1, b"b", lost=5))  # each says how many so far
    assert errors.startswith("5 frames")
    code, output, errors = shown(monkeypatch, traced(1, b"a"), as_json=True)
    assert (code, errors, json.loads(output)["frame"]) == (0, "", b"a".hex())


@pytest.mark.parametrize(
    ("error", "code"),
    [
        (NoSwitchError("the switch has closed the connection"), 0), (NoSwitchError("no switch listens"), 1),
        (ControlError("another one traces"), 1), (KeyboardInterrupt(), 0),
    ],
)  # fmt: skip
def test_how_it_ends(monkeypatch: pytest.MonkeyPatch, living: type[Living], error: Any, code: int) -> None:
    found, _, errors = shown(monkeypatch, error=error)
    assert (found, errors) == (code, f"error: {error}\n" if code else "")


def test_a_switch_that_ends_after_it_has_lost_frames_has_ended(
    monkeypatch: pytest.MonkeyPatch, living: type[Living]
) -> None:
    monkeypatch.setattr(living, "run", lambda self, port, frame, time_ns: self.trace(EVENTS[0]) or [])
    code, _, errors = shown(monkeypatch, traced(1, b"a", lost=3), error=NoSwitchError("no switch listens"))
    assert (code, errors) == (0, "3 frames are not told: the switch had no room for them\n")


def test_where_packets_are_told(tmp_path: Path) -> None:
    """At the end of a file that the switch writes, too, else in a new one."""
    file = tmp_path / "t.txt"
    for shared, text in ((False, "x"), (True, "xx"), (False, "x")):
        with contextlib.ExitStack() as ended:
            tracing.Place(file, shared).opened(ended).write("x")
        assert file.read_text() == text
    anything: Any = SimpleNamespace()
    assert tracing.Place().opened(anything) is tracing.sys.stdout


def test_a_file_of_a_size_is_rotated(tmp_path: Path) -> None:
    """It is appended to, and kept beside where it would be larger."""
    file = tmp_path / "t.txt"
    file.write_text("begun ")
    with contextlib.ExitStack() as ended:
        out = tracing.Place(file, limit=Limit(8, 1)).opened(ended)
        out.write("abcdef")
        out.flush()
    assert (file.read_text(), (tmp_path / "t.1.txt").read_text()) == ("abcdef", "begun ")


def test_another_program_that_is_the_same_file_is_not_read_again(living: type[Living]) -> None:
    loads: list[str] = []
    switch: Any = Switch(traced(1, b"a"))
    switch.comes += [lambda: living.ended.add("p"), traced(2, b"b")]
    tracer = iter(Tracer(lambda: loads.append("read") or "p", switch, Filter()))  # type: ignore[arg-type, func-returns-value, return-value]
    assert next(tracer).frame == b"a"
    with pytest.raises(live.AnotherProgram):
        next(tracer)
    assert loads == ["read"]


def test_a_program_is_read_before_the_first_packet_where_somebody_looks(
    monkeypatch: pytest.MonkeyPatch, living: type[Living]
) -> None:
    """What is wrong with it is told at once."""
    loads: list[str] = []
    switch = Switch(lambda: loads.append("comes"), traced(1, b"a"))
    monkeypatch.setattr(living, "run", lambda self, port, frame, time_ns: self.trace(EVENTS[0]) or [])
    monkeypatch.setattr(tracing, "Client", lambda socket: switch)
    flushed: list[str] = []
    output: Any = SimpleNamespace(write=lambda text: None, flush=lambda: flushed.append("flush"))
    load: Any = lambda: loads.append("read") or "p"  # noqa: E731
    assert tracing.show(load, Path("s"), Filter(), as_json=False, output=output, errors=io.StringIO()) == 0
    assert loads == ["read", "comes"] and flushed == ["flush"]


class Beside(Switch):
    """It waits for packets until it is broken off."""

    def __init__(self, *comes: Any, broken: Exception | None = None) -> None:
        super().__init__(*comes)
        self.broken = broken
        self.off = threading.Event()
        self.done: list[str] = []

    def pushed(self, seconds: None) -> Any:
        if self.comes:
            return super().pushed(seconds)
        if self.broken is None:
            assert self.off.wait(20)
            self.done.append("waits no more")
        raise self.broken or NoSwitchError("the switch has closed the connection")

    def break_off(self) -> None:
        self.off.set()

    def __exit__(self, *error: object) -> None:
        self.done.append("closed")


@pytest.mark.parametrize("most", [0, 2])
def test_packets_are_told_beside_a_switch(
    monkeypatch: pytest.MonkeyPatch, living: type[Living], tmp_path: Path, most: int
) -> None:
    monkeypatch.setattr(living, "run", lambda self, port, frame, time_ns: self.trace(EVENTS[0]) or [(1, b"sent")])
    switch = Beside(traced(1, b"abc"))
    monkeypatch.setattr(tracing, "Client", lambda socket: switch)
    load: Any = lambda: "p"  # noqa: E731
    with tracing.beside(load, {}, Filter(), tracing.Place(tmp_path / "t", most=most), Path("s")):
        while not switch.asked or switch.comes:
            time.sleep(0.001)
    assert switch.done == ["waits no more", "closed"], "who tells has ended before"
    bytes_ = "   bytes  from port 5\n   bytes  0000  61 62\n   bytes  to port 1\n   bytes  0000  73 65\n"
    assert (tmp_path / "t").read_text() == f"\n0.000000 s\n{EVENTS[0]}\n" + (bytes_ if most else "")


@pytest.mark.parametrize("error", [ControlError("another one traces"), OSError(28, "No space left on device")])
def test_where_packets_cannot_be_told_any_more(
    monkeypatch: pytest.MonkeyPatch, living: type[Living], error: Exception, capsys: pytest.CaptureFixture[str]
) -> None:
    load: Any = lambda: "p"  # noqa: E731
    for broken, told in ((error, f"error: packets are not told any more: {error}\n"), (NoSwitchError("gone"), "")):
        switch: Any = Beside(broken=broken)
        tracing._tell(load, {}, switch, Filter(), io.StringIO(), 0)
        assert capsys.readouterr().err == told
