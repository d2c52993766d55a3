"""The client of the control protocol and the logic of `macsad ctl`, against a switch that is a few lines of Python."""

from __future__ import annotations

import contextlib
import io
import itertools
import json
import socket
import struct
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, BinaryIO

import pytest

from macsad import cli, control, ctl as commands, idle, stages, statistics
from macsad.control import Client
from macsad.ctl import run_ctl, show_idle, show_stages, show_stats, watch_stats
from macsad.progress import redrawn
from macsad.protocol import BulkReply, ControlError, Digest, Idle, Message, NoSwitchError, Push, Reply, Status
from macsad.verbs import ctl as verb

HEAD = struct.Struct(">IBBH")
Answer = tuple[int, bytes]
Handler = Callable[[int, bytes], Answer]


def words(kind: int, payload: bytes) -> Answer:
    """A switch that knows the word `good`."""
    if kind == Message.COMMAND:
        good = payload.startswith(b"good")
        return (Status.OK, payload + b"\n") if good else (Status.FAILED, b"no command '" + payload + b"'")
    if kind == Message.BULK:
        done = failed = 0
        text = b""
        for number, line in enumerate(payload[1:].splitlines(), 1):
            if line.startswith(b"good"):
                done += 1
                text += line + b"\n" if payload[0] & 2 else b""
                continue
            failed += 1
            text += b"%d: error: no command '%s'\n" % (number, line)
            if not payload[0] & 1:
                break
        return (Status.FAILED if failed else Status.OK), struct.pack(">II", done, failed) + text
    return Status.WRONG, b"no message of this type"


class FakeSwitch:
    """Serves one connection after the other; `pushed` bytes go out before the first reply."""

    def __init__(self, path: Path, handler: Handler, pushed: bytes = b"") -> None:
        self.path = path
        self.handler = handler
        self.pushed = pushed
        self.listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self.listener.bind(str(path))
        self.listener.listen()
        self.requests: list[tuple[int, bytes]] = []
        self.thread = threading.Thread(target=self._serve, daemon=True)
        self.thread.start()

    def close(self) -> None:
        self.listener.shutdown(socket.SHUT_RDWR)  # a thread that waits in accept() wakes
        self.thread.join(10)
        assert not self.thread.is_alive(), "a client is connected still"
        self.listener.close()

    def _serve(self) -> None:
        while True:
            try:
                connection, _ = self.listener.accept()
            except OSError:
                return
            with connection, connection.makefile("rb") as stream, contextlib.suppress(ConnectionAbortedError):
                self._talk(connection, stream)

    def _talk(self, connection: socket.socket, stream: BinaryIO) -> None:
        while len(head := stream.read(HEAD.size)) == HEAD.size:
            length, kind, _, tag = HEAD.unpack(head)
            payload = stream.read(length)
            self.requests.append((kind, payload))
            status, answer = self.handler(kind, payload)
            reply = self.pushed + HEAD.pack(len(answer), kind, status, tag) + answer
            self.pushed = b""
            connection.sendall(reply)


@pytest.fixture
def fake(tmp_path: Path) -> Iterator[Callable[..., FakeSwitch]]:
    made: list[FakeSwitch] = []

    def make(handler: Handler = words, pushed: bytes = b"") -> FakeSwitch:
        made.append(FakeSwitch(tmp_path / f"sock{len(made)}", handler, pushed))
        return made[-1]

    yield make
    for switch in made:
        switch.close()


def ctl(switch: FakeSwitch | Path, *arguments: str, lines: str = "", interactive: bool = False) -> tuple[int, str, str]:
    output, errors = io.StringIO(), io.StringIO()
    path = switch if isinstance(switch, Path) else switch.path
    code = run_ctl(
        arguments, socket=path, source=io.StringIO(lines), interactive=interactive, output=output, errors=errors
    )
    return code, output.getvalue(), errors.getvalue()


@pytest.mark.parametrize(
    ("words", "asked"),
    [
        (["idle"], ("show_idle", None, False)), (["idle", "--json"], ("show_idle", None, True)),
        (["stats"], ("show_stats", None, False)), (["stats", "--stages", "--json"], ("show_stages", None, True)),
        (["stats", "--watch"], ("watch_stats", None, False, False)),
        (["--socket", "s", "stats", "--watch", "--stages"], ("watch_stats", Path("s"), False, True)),
        (["--socket", "s", "table_add", "--x", "1"], ("run_ctl", Path("s"), ("table_add", "--x", "1"))),
        (["idle", "x"], ("run_ctl", None, ("idle", "x"))), (["stats", "x"], ("run_ctl", None, ("stats", "x"))),
        (["x", "idle"], ("run_ctl", None, ("x", "idle"))), ([], ("run_ctl", None, ())),
    ],
)  # fmt: skip
def test_what_is_asked_of_a_switch(words: list[str], asked: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """What stands behind a command is its own."""
    found: list[Any] = []
    for name in ("show_idle", "show_stats", "show_stages", "watch_stats"):
        monkeypatch.setattr(verb, name, lambda name=name, **given: found.append(
            (name, given["socket"], given["as_json"], *([given["of_stages"]] if "of_stages" in given else [])),
        ) or 3)  # fmt: skip
    monkeypatch.setattr(verb, "run_ctl", lambda words, **given: found.append(("run_ctl", given["socket"], words)) or 3)
    assert cli.call(["ctl", *words]) == 3 and found == [asked]


@pytest.mark.parametrize("tty", [False, True])
def test_commands_come_from_a_file_or_standard_input(
    tty: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Only who sits at a terminal and has named no file is asked with a prompt. What is no UTF-8 goes through."""
    (script := tmp_path / "script").write_bytes(b"x \xff\n")
    given: dict[str, Any] = {}
    monkeypatch.setattr(verb, "run_ctl", lambda words, **all_: given.update(all_, read=all_["source"].read()) or 0)
    for words, name, read, asks in (
        (["-f", str(script)], str(script), "x \udcff\n", False), ([], "<stdin>", "y \udcfe\n", tty)
    ):  # fmt: skip
        stdin = io.TextIOWrapper(io.BytesIO(b"y \xfe\n"), encoding="utf-8")
        monkeypatch.setattr(stdin, "isatty", lambda: tty, raising=False)
        monkeypatch.setattr("sys.stdin", stdin)
        assert cli.call(["ctl", *words]) == 0
        assert (given["source_name"], given["read"], given["interactive"]) == (name, read, asks)


# --- entries that nothing hits ----------------------------------------------------------------------------------------

MS = 1_000_000
KEY = [{"name": name, "bits": 16, "match": match} for name, match in
       (("e", "exact"), ("l", "lpm"), ("r", "range"), ("t", "ternary"), ("o", "optional"))]  # fmt: skip
AGING = {
    "tables": [{"name": "I.other", "size": 1, "key": [], "actions": []},
               {"name": "I.aging", "size": 9, "key": KEY, "actions": [{"name": "go", "params": [{"name": "p", "bits": 9}]}]}],
    "value_sets": [],
}  # fmt: skip
SHOWN_KEY = ["0001", "0200/12", "0003 -> 0004", "0005 &&& 0006", "0007 &&& ffff"]


def aged(handle: int) -> bytes:
    """An entry as READ gives it: its key, its priority, its index, its action."""
    key = "00010200000c00030004000500060007ffff"
    return bytes.fromhex(f"{key}{1:08x}{handle:08x}{0:08x}0005")


def test_entries_that_nothing_hits_are_told_with_their_keys_and_whole_milliseconds() -> None:
    idle_since = Idle(1, ((7, 50 * MS, 51 * MS - 1), (8, 2 * MS, 3 * MS)), aged(7) + aged(8))
    assert list(idle.shown(AGING, idle_since)) == [
        {"table": "I.aging", "handle": 7, "key": SHOWN_KEY, "idle_ms": 50, "timeout_ms": 50},
        {"table": "I.aging", "handle": 8, "key": SHOWN_KEY, "idle_ms": 3, "timeout_ms": 2},
    ]


@pytest.mark.parametrize("as_json", [False, True])
def test_entries_that_nothing_hits_are_shown_until_the_switch_ends(
    as_json: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A line each; a second without any says nothing."""
    found = [Idle(1, ((7, MS, 2 * MS),), aged(7)), None, Idle(1, ((8, MS, 2 * MS), (9, MS, MS)), aged(8) + aged(9))]
    asked: list[Any] = []

    class Switch:
        def describe(self) -> Any:
            return AGING

        def subscribe(self, push: Push) -> None:
            asked.append(push)

        def idle(self, seconds: float) -> Idle | None:
            if len(asked) > len(found):
                raise NoSwitchError("gone")
            asked.append(seconds)
            return found[len(asked) - 2]

    monkeypatch.setattr(commands, "_connected", lambda act, socket, errors: act(Switch()))
    output = io.StringIO()
    assert show_idle(as_json=as_json, output=output, errors=output) == 0
    assert asked == [Push.IDLE, 1.0, 1.0, 1.0]
    lines = output.getvalue().splitlines()
    if as_json:
        assert [json.loads(line)["handle"] for line in lines] == [7, 8, 9]
    else:
        key = " ".join(SHOWN_KEY)
        assert lines[0] == f"I.aging 7: {key}: 2 ms since hit, timeout is 1 ms" and len(lines) == 3


# --- macsad ctl -------------------------------------------------------------------------------------------------------


def test_one_command(fake: Callable[..., FakeSwitch]) -> None:
    switch = fake()
    assert ctl(switch, "good", "day") == (0, "good day\n", "")
    assert ctl(switch, "bad") == (1, "", "error: no command 'bad'\n")


def test_lines_of_a_source_that_fail_are_told_with_their_number(
    fake: Callable[..., FakeSwitch], monkeypatch: pytest.MonkeyPatch
) -> None:
    answer = (1, "good 1\ngood 2\n", "<stdin>:2: bad  dog: error: no command 'bad  dog'\n")
    assert ctl(fake(), lines="good 1\nbad  dog\ngood 2\n") == answer
    assert ctl(fake(), lines="good\n")[0] == 0
    monkeypatch.setattr("macsad.ctl.LINES_AT_ONCE", 1)  # over all messages
    assert ctl(fake(), lines="good 1\nbad  dog\ngood 2\n") == answer
    both = ctl(fake(), lines="good 1\nbad 1\ngood 2\nbad 2\ngood 3\n")
    told = "".join(f"<stdin>:{at}: bad {at // 2}: error: no command 'bad {at // 2}'\n" for at in (2, 4))
    assert both == (1, "good 1\ngood 2\ngood 3\n", told)


def test_of_a_long_line_that_fails_the_beginning_is_shown(fake: Callable[..., FakeSwitch]) -> None:
    def refuse(kind: int, payload: bytes) -> Answer:
        return Status.FAILED, struct.pack(">II", 0, 1) + b"1: error: too long"

    line = "  table_add " + "x" * 200
    assert ctl(fake(refuse), lines=f"{line}\n") == (1, "", f"<stdin>:1: {line.strip()[:100]}: error: too long\n")


def test_an_answer_that_begins_with_a_number_is_no_failure(fake: Callable[..., FakeSwitch]) -> None:
    def answer(kind: int, payload: bytes) -> Answer:
        return Status.OK, struct.pack(">II", 1, 0) + b"7: 5 packets\n8: error rate 0\n\n"

    assert ctl(fake(answer), lines="show\n") == (0, "7: 5 packets\n8: error rate 0\n\n", "")


def test_a_switch_that_does_not_answer_in_time_is_told(
    fake: Callable[..., FakeSwitch], monkeypatch: pytest.MonkeyPatch
) -> None:
    def late(client: Client, line: str) -> Reply:
        raise TimeoutError("timed out")

    monkeypatch.setattr(Client, "command", late)
    assert ctl(fake(), "good") == (1, "", "error: timed out\n")


def test_a_line_without_an_end_is_not_read(fake: Callable[..., FakeSwitch]) -> None:
    class Endless(io.StringIO):
        def readline(self, size: int | None = -1) -> str:
            assert size is not None and 0 < size < 1 << 21
            return super().readline() or "x" * size

    output, errors = io.StringIO(), io.StringIO()
    code = run_ctl([], socket=fake().path, source=Endless("good\n"), output=output, errors=errors)
    assert (code, output.getvalue()) == (1, "good\n")
    assert errors.getvalue() == "<stdin>:2: error: the line is longer than 1048576 bytes; nothing behind it is done\n"


def test_the_longest_line(fake: Callable[..., FakeSwitch], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("macsad.ctl.LINE_MAX", 10)
    assert ctl(fake(), lines="good 2345\ngood\n") == (0, "good 2345\ngood\n", "")  # 10 with its end
    longer = "<stdin>:2: error: the line is longer than 10 bytes; nothing behind it is done\n"
    assert ctl(fake(), lines="good\ngood 23456\ngood\n") == (1, "good\n", longer)


def test_bytes_that_are_no_text_go_to_the_switch_as_they_are(fake: Callable[..., FakeSwitch]) -> None:
    switch = fake()
    line = b"good \xff".decode(errors="surrogateescape")
    assert ctl(switch, line)[0] == 0
    assert ctl(switch, lines=line)[0] == 0
    assert [payload.lstrip(b"\x03").rstrip() for _, payload in switch.requests] == [b"good \xff"] * 2


def test_bytes_of_standard_input_are_taken_as_they_are(
    fake: Callable[..., FakeSwitch], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whatever the encoding of the terminal."""
    switch = fake()
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(b"good \xff\n"), encoding="utf-8"))
    assert cli.call(["ctl", "--socket", str(switch.path)]) == 0
    ((_, payload),) = switch.requests
    assert payload.endswith(b"good \xff\n")


# --- statistics -------------------------------------------------------------------------------------------------------


def readings() -> Iterator[dict[str, Any]]:
    """Each second 1,500 packets of 1,000 bytes come in at port 0, go out of port 1; then 10 are dropped."""
    for second in itertools.count():
        port = {"rx_packets": 0, "rx_bytes": 0, "rx_missed": 0, "tx_packets": 0, "tx_bytes": 0}
        packets = 1500 * second
        came = {
            **port,
            "port": 0,
            "name": "eth0",
            "rx_packets": packets,
            "rx_bytes": packets * 1000,
            "rx_missed": second,
        }
        went = {**port, "port": 1, "name": "pcap:/a/very/long/name", "tx_packets": packets, "tx_bytes": packets * 1000}
        sums = {"received": packets, "copies": 0, "sent": packets - second * 10, "dropped": second * 10}
        batch = {"burst": 64, "sub_batch": 16, "adapt": {"on": True, "searching": False, "searches": 9, "changes": 2}}
        drops = {"program": second * 10, "no-port": 0}
        yield {
            "seconds": 7.0 + second,
            **sums,
            **batch,
            "ports": [came, went],
            "drops": drops,
            "dropped_at": {"l3fwd.p4:57": second * 10},
            "ways": {"Ingress.acl": "one mask", "Egress.acl": "few entries", "Ingress.nat": "one mask"},
        }


def counting(kind: int, payload: bytes) -> Answer:
    assert kind == Message.STATS
    return Status.OK, json.dumps(next(READINGS[0])).encode()


READINGS = [readings()]
TABLE = """\
port  name                        received     pps   bit/s          sent     pps   bit/s
   0  eth0                           1,500   1.50k   12.0M             0       0       0
   1  pcap:/a/very/long/name             0       0       0         1,500   1.50k   12.0M
received 1,500 + copies 0 = sent 1,490 + dropped 10
dropped, program: 10, 10 a second
dropped at l3fwd.p4:57: 10, 10 a second
missed, port 0: 1, 1 a second
looked up by few entries: Egress.acl
looked up by one mask: Ingress.acl, Ingress.nat
burst 64, sub-batch 16; adapt on, 2 changes in 9 searches
"""


def test_statistics_have_rates(fake: Callable[..., FakeSwitch], monkeypatch: pytest.MonkeyPatch) -> None:
    slept: list[float] = []
    monkeypatch.setattr("time.sleep", slept.append)
    READINGS[0] = readings()
    output, errors = io.StringIO(), io.StringIO()
    switch = fake(counting)
    assert show_stats(socket=switch.path, output=output, errors=errors) == 0
    assert (output.getvalue(), errors.getvalue(), slept) == (TABLE, "", [1.0])
    output = io.StringIO()
    assert show_stats(socket=switch.path, as_json=True, output=output, errors=errors) == 0
    assert json.loads(output.getvalue())["received"] == 3000


@pytest.mark.parametrize(
    ("adapt", "told"),
    [
        ({"on": False, "searching": False, "searches": 0, "changes": 0}, "adapt off"),
        ({"on": False, "searching": False, "searches": 3, "changes": 1}, "adapt off, 1 changes in 3 searches"),
        ({"on": True, "searching": True, "searches": 0, "changes": 0}, "adapt searches"),
        ({"on": True, "searching": False, "searches": 3000, "changes": 0}, "adapt on, 0 changes in 3,000 searches"),
    ],
)
def test_statistics_tell_whether_the_switch_adapts(adapt: dict[str, Any], told: str) -> None:
    now = next(readings()) | {"adapt": adapt}
    assert statistics.table(now, None).splitlines()[-1] == f"burst 64, sub-batch 16; {told}"


@pytest.mark.parametrize(
    ("placement", "told"),
    [
        ({"cloned": False, "fall_back": True, "trying": False, "trials": 0}, "parts on 2 + 1 workers; fall-back on"),
        ({"cloned": False, "fall_back": True, "trying": True, "trials": 0}, "parts on 2 + 1 workers; fall-back tries"),
        ({"cloned": True, "fall_back": False, "trying": False, "trials": 2, "changes": 1},
         "all parts on each worker; fall-back off, 1 changes in 2 trials"),
        ({"cloned": True, "fall_back": True, "trying": False, "trials": 2000, "changes": 0},
         "all parts on each worker; fall-back on, 0 changes in 2,000 trials"),
    ],
)  # fmt: skip
def test_statistics_tell_where_parts_run(placement: dict[str, Any], told: str) -> None:
    now = next(readings()) | {"placement": {"part_workers": [2, 1], **placement}}
    assert statistics.table(now, None).splitlines()[-1] == told
    whole = next(readings()) | {"placement": {"part_workers": [2], **placement}}
    assert statistics.table(whole, None).splitlines()[-1].startswith("burst")


@pytest.mark.parametrize(("still", "told"), [(True, "has been"), (False, "was")])
def test_statistics_tell_which_loop_holds_a_worker(still: bool, told: str) -> None:
    now = next(readings()) | {"kept": [{"worker": 2, "at": "l3fwd.p4:57", "seconds": 3.44, "now": still}]}
    line = f"worker 2 {told} in one burst for 3.4 s, in a loop at l3fwd.p4:57"
    assert line in statistics.table(now, None).splitlines()


def test_statistics_fit_a_terminal() -> None:
    both = readings()
    before, now = next(both), next(both)
    lines = statistics.table(now, before, 80).splitlines()
    assert max(map(len, lines)) <= 80
    assert lines[2].split()[:3] == ["1", "pcap:/a/very/…", "0"]
    assert statistics.table(now, None).splitlines()[1].split()[2:] == ["1,500", "-", "-", "0", "-", "-"]
    narrow = statistics.table(now, before, 20).splitlines()
    assert narrow[0].startswith("port  name      received") and narrow[2].split()[1] == "pca…", (
        "never narrower than its head"
    )
    assert statistics.table(now, before, 200) == statistics.table(now, before), "nor wider than its names"
    now["seconds"] = before["seconds"]
    assert "inf" not in statistics.table(now, before)


def test_statistics_tell_what_began_since_and_steer_no_terminal() -> None:
    both = readings()
    before, now = next(both), next(both)
    now["drops"] = {"program": 0, "no-port": 1_234_567}
    now["dropped_at"] = {"a\x1b.p4:1": 2000}
    now["decisions"] = {"found": 1000, "not_found": 2000, "not_looked_up": 3000}
    now["ports"].append({**now["ports"][1], "port": 2, "name": "new\x07", "rx_missed": 4000})
    lines = statistics.table(now, before).splitlines()
    assert lines[3].split() == ["2", "new\\x07", "0", "-", "-", "1,500", "-", "-"]
    assert lines[5:10] == [
        "decisions: 1,000 found, 2,000 not found, 3,000 not looked up",
        "dropped, no-port: 1,234,567, 1.23M a second",
        "dropped at a\\x1b.p4:1: 2,000, 2.00k a second",
        "missed, port 0: 1, 1 a second",
        "missed, port 2: 4,000, 4.00k a second",
    ]


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (7, "7"),
        (999.4, "999"),
        (999.6, "1.00k"),
        (1000, "1.00k"),
        (9994, "9.99k"),
        (9996, "10.0k"),
        (99_940, "99.9k"),
        (99_960, "100k"),
        (999_400, "999k"),
        (999_600, "1.00M"),
        (12_340_000, "12.3M"),
        (5_000_000_000, "5.00G"),
        (999.4e12, "999T"),
        (1e15, "1000T"),
        (-7, "-7"),
        (-1234, "-1.23k"),
    ],
)
def test_rates_have_three_digits_and_a_unit(value: float, text: str) -> None:
    both = readings()
    before, now = next(both), next(both)
    now["drops"] = {"program": value}
    assert f", {text} a second\n" in statistics.table(now, before)


@pytest.mark.parametrize("as_json", [False, True])
def test_statistics_are_watched_until_the_switch_ends(
    fake: Callable[..., FakeSwitch], monkeypatch: pytest.MonkeyPatch, as_json: bool
) -> None:
    monkeypatch.setattr("time.sleep", lambda seconds: None)
    READINGS[0] = itertools.islice(readings(), 3)

    def three(kind: int, payload: bytes) -> Answer:
        try:
            return counting(kind, payload)
        except StopIteration:
            raise ConnectionAbortedError from None

    output, errors = io.StringIO(), io.StringIO()
    code = watch_stats(socket=fake(three).path, as_json=as_json, output=output, errors=errors, redrawn=redrawn)
    assert (code, errors.getvalue()) == (0, "")
    if as_json:
        assert [json.loads(line)["received"] for line in output.getvalue().splitlines()] == [0, 1500, 3000]
    else:
        assert output.getvalue().count("port  name") == 3
        assert TABLE in output.getvalue()


def test_what_stays_is_printed_between_what_is_drawn_again() -> None:
    output = io.StringIO()
    with redrawn(output) as draw:
        draw("first")
        draw.above("stays\nas it is\n")
        draw("second")
    assert output.getvalue() == "first\nstays\nas it is\nsecond\n"


def clocks(bursts: int, each: int) -> list[dict[str, Any]]:
    """A worker of whose bursts of two packets half are sampled; the cycles of a packet are 10 and `each`."""
    packets = bursts
    rows = [
        ("runtime", 0, "receive", "", 10 * packets),
        ("runtime", 0, "between", "", 0),
        ("runtime", 0, "send", "", 0),
        ("ingress_burst", 1, "run", "the results of t", each * packets // 2),
    ]
    seen = {"between": 0, "run": packets // 2}
    return [{
        "worker": 0, "bursts": bursts, "sampled": bursts // 2, "interrupted": 0,
        "clocks": [
            {"function": function, "stage": stage, "step": step, "title": title, "calls": seen.get(step, packets) // 2,
             "packets": seen.get(step, packets), "cycles": cycles}
            for function, stage, step, title, cycles in rows
        ],
    }]  # fmt: skip


def test_stage_clocks_are_a_line_a_step() -> None:
    lines = stages.table(clocks(400, 30)).splitlines()
    assert lines[0] == "worker 0: 200 of 400 bursts sampled, 2.0 packets and 25.0 clocks a packet"
    assert [line.split() for line in lines[2:]] == [
        ["receive", "200", "400", "2.0", "10.0", "10.0"],
        ["send", "200", "400", "2.0", "0.0", "0.0"],
        ["ingress_burst", "1", "run", "100", "200", "2.0", "30.0", "15.0", "the", "results", "of", "t"],
    ]
    (later,) = stages.since(clocks(400, 30), clocks(100, 30))
    assert (later["bursts"], later["sampled"], stages.received(later)) == (300, 150, 300)
    assert stages.table(clocks(1, 30)) == "worker 0: 1 bursts, none sampled yet\n"
    empty = [{**clocks(2, 30)[0], "clocks": [{**one, "packets": 0} for one in clocks(2, 30)[0]["clocks"]]}]
    assert stages.table(empty) == "worker 0: 2 bursts, none sampled yet\n", "a burst without packets is none"
    without = [{**clocks(4, 3)[0], "clocks": []}]
    assert stages.table(without) == "worker 0: the program has no stage clocks (built with --no-stage-clocks)\n"


def test_received_are_the_packets_of_whole_bursts() -> None:
    """A burst may be read between its steps; copies pass steps, too."""
    (worker,) = clocks(400, 30)
    for step, packets in (("receive", 410), ("between", 900), ("run", 700)):
        next(clock for clock in worker["clocks"] if clock["step"] == step)["packets"] = packets
    assert stages.received(worker) == 400
    lines = [line.split() for line in stages.table([worker]).splitlines()]
    assert " ".join(lines[0]) == "worker 0: 200 of 400 bursts sampled, 2.0 packets and 25.0 clocks a packet"
    assert [(line[0], line[-1]) for line in lines[2:5]] == [
        ("receive", "10.0"),
        ("send", "0.0"),
        ("ingress_burst", "t"),
    ]
    assert lines[4][5:8] == ["7.0", "8.6", "15.0"]


def test_stage_clocks_stand_below_their_heads() -> None:
    """The room of the first column is that of the longest step."""
    first, second = clocks(4000, 30)[0], clocks(4, 5)[0]
    table = stages.table([first, {**second, "worker": 12}])
    lines = table.splitlines()
    assert lines == [
        "worker 0: 2,000 of 4,000 bursts sampled, 2.0 packets and 25.0 clocks a packet",
        "  step                      calls       packets packets/call clocks/packet of all packets  stage begins with",
        "  receive                   2,000         4,000          2.0          10.0           10.0",
        "  send                      2,000         4,000          2.0           0.0            0.0",
        "  ingress_burst 1 run       1,000         2,000          2.0          30.0           15.0  the results of t",
        *lines[5:],
    ]
    assert lines[5] == "worker 12: 2 of 4 bursts sampled, 2.0 packets and 12.5 clocks a packet"
    assert table.endswith("\n") and not table.endswith("\n\n")


def test_stage_clocks_that_are_read_while_they_are_counted() -> None:
    """The switch does not wait: a step's calls may be read before its packets, or after them."""
    (worker,) = clocks(400, 30)
    for count, left in (("calls", 1), ("packets", 1), ("calls", 4), ("sampled", 4)):
        torn = {**worker, "clocks": [dict(clock) for clock in worker["clocks"]]}
        for one in [torn] if count == "sampled" else torn["clocks"][4 - left :]:
            one[count] = 0
        lines = stages.table([torn]).splitlines()
        steps = [line.split()[0] for line in lines[2:]]
        assert steps == (["receive", "send"] if left == 1 else []), count


def with_clocks(kind: int, payload: bytes) -> Answer:
    return (Status.OK, json.dumps(clocks(400, 30)).encode()) if kind == Message.COMMAND else counting(kind, payload)


@pytest.mark.parametrize("as_json", [False, True])
def test_stage_clocks_are_shown(fake: Callable[..., FakeSwitch], as_json: bool) -> None:
    READINGS[0] = readings()
    output, errors = io.StringIO(), io.StringIO()
    assert show_stages(socket=fake(with_clocks).path, as_json=as_json, output=output, errors=errors) == 0
    if as_json:
        told = json.loads(output.getvalue())
        assert told["stages"] == clocks(400, 30) and (told["seconds"], told["burst"]) == (7.0, 64)
    else:
        assert (output.getvalue(), errors.getvalue()) == (stages.table(clocks(400, 30)), "")


@pytest.mark.parametrize("as_json", [False, True])
def test_stage_clocks_are_watched(
    fake: Callable[..., FakeSwitch], monkeypatch: pytest.MonkeyPatch, as_json: bool
) -> None:
    """Those of the last second, after those since the switch began; every second until it ends."""
    slept: list[float] = []
    monkeypatch.setattr("time.sleep", slept.append)
    READINGS[0] = readings()
    told = iter([clocks(100, 30), clocks(400, 30), clocks(600, 50)])

    def three(kind: int, payload: bytes) -> Answer:
        if kind != Message.COMMAND:
            return counting(kind, payload)
        try:
            return Status.OK, json.dumps(next(told)).encode()
        except StopIteration:
            raise ConnectionAbortedError from None

    output, errors = io.StringIO(), io.StringIO()
    code = watch_stats(
        socket=fake(three).path, as_json=as_json, of_stages=True, output=output, errors=errors, redrawn=redrawn
    )
    assert (code, errors.getvalue(), slept) == (0, "", [1.0] * 3)
    since = stages.since(clocks(400, 30), clocks(100, 30)), stages.since(clocks(600, 50), clocks(400, 30))
    if as_json:
        lines = [json.loads(line) for line in output.getvalue().splitlines()]
        assert [line["stages"] for line in lines] == [clocks(100, 30), clocks(400, 30), clocks(600, 50)]
        assert [line["received"] for line in lines] == [0, 1500, 3000]
    else:
        assert output.getvalue() == "".join(f"{stages.table(one)}\n" for one in (clocks(100, 30), *since))


@pytest.mark.parametrize(
    ("words", "error"),
    [
        (["--json", "show_ports"], "--json goes with 'stats' and 'idle'"), (["--json"], "--json goes with 'stats' and 'idle'"),
        (["--json", "idle", "x"], "--json goes with 'stats' and 'idle'"),
        (["--json", "stats", "x"], "--json goes with 'stats' and 'idle'"),
        (["--stages", "show_ports"], "--watch and --stages go with 'stats'"),
        (["--watch"], "--watch and --stages go with 'stats'"), (["--watch", "idle"], "--watch and --stages go with 'stats'"),
        (["--stages", "stats", "x"], "--watch and --stages go with 'stats'"),
        (["-f", "/dev/null", "stats"], "the commands are those of /dev/null or 'stats', not both"),
        (["-f", "/dev/null", "table_dump", "t"], "the commands are those of /dev/null or 'table_dump', not both"),
        (["--jsn", "x"], "No such option '--jsn'. Did you mean '--json'?"),
        (["--wtch=1", "x"], "No such option '--wtch'. Did you mean '--watch'?"),
    ],
)  # fmt: skip
def test_what_does_not_go_together(words: list[str], error: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.call(["ctl", *words]) == cli.USAGE
    assert f"Error: {error}" in capsys.readouterr().err


def test_a_prompt_goes_on_behind_failures(fake: Callable[..., FakeSwitch]) -> None:
    code, output, errors = ctl(fake(), lines="bad\n\n  good  \nquit\ngood never\n", interactive=True)
    assert code == 0
    assert output == "macsad> macsad> macsad> good\nmacsad> "
    assert errors == "error: no command 'bad'\n"
    assert ctl(fake(), lines="good\n", interactive=True)[1] == "macsad> good\nmacsad> \n"
    assert ctl(fake(), lines="exit\ngood never\n", interactive=True) == (0, "macsad> ", "")
    assert ctl(fake(), "good", interactive=True) == (0, "good\n", ""), "one command is not asked for"


def test_rates_at_a_prompt_are_since_the_last_time(fake: Callable[..., FakeSwitch]) -> None:
    READINGS[0] = readings()
    _, output, _ = ctl(fake(counting), lines="stats\nstats\nstats\n", interactive=True)
    rates = [line.split()[3:5] for line in output.splitlines() if " eth0 " in line]
    assert rates == [["-", "-"], ["1.50k", "12.0M"], ["1.50k", "12.0M"]]
    assert output.count("dropped, program: 20, 10 a second") == 1


def test_rates_at_a_prompt_forget_what_was_before_the_last_time(fake: Callable[..., FakeSwitch]) -> None:
    """A second apart, 0, 1,500, 4,500, 9,000 and 15,000 packets have come in; whatever else is asked between."""
    every = list(itertools.islice(readings(), 11))
    taken = [dict(every[at], seconds=float(number)) for number, at in enumerate((0, 1, 3, 6, 10))]
    told = iter(taken)

    def growing(kind: int, payload: bytes) -> Answer:
        return (Status.OK, json.dumps(next(told)).encode()) if kind == Message.STATS else words(kind, payload)

    _, output, _ = ctl(fake(growing), lines="stats\nstats\ngood\nstats\nbad\nstats\n\nstats\n", interactive=True)
    rates = [line.split()[3:5] for line in output.splitlines() if " eth0 " in line]
    expected = [["1.50k", "12.0M"], ["3.00k", "24.0M"], ["4.50k", "36.0M"], ["6.00k", "48.0M"]]
    assert rates == [["-", "-"], *expected]
    drops = [line for line in output.splitlines() if line.startswith("dropped, program: ")]
    assert drops[-4:] == [
        f"dropped, program: {sum}, {rate} a second" for sum, rate in ((10, 10), (30, 20), (60, 30), (100, 40))
    ]


def test_no_switch(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    code, _, errors = ctl(tmp_path / "nobody", "good")
    assert code == 1
    assert errors == f"error: no switch listens at {tmp_path}/nobody: No such file or directory\n"
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(tmp_path))
    told = io.StringIO()
    assert run_ctl(["good"], source=io.StringIO(), output=io.StringIO(), errors=told) == 1
    assert f"no switch listens in {tmp_path}/macsad" in told.getvalue()
    assert "macsad run" in told.getvalue()


def test_a_socket_path_that_is_too_long(tmp_path: Path) -> None:
    code, _, errors = ctl(tmp_path / ("x" * 200), "good")
    assert code == 1
    assert "no switch listens" in errors


def test_what_is_no_switch(fake: Callable[..., FakeSwitch]) -> None:
    garbage = fake(pushed=b"HTTP/1.1 400 Bad Request\r\n\r\n")
    code, _, errors = ctl(garbage, "good")
    assert code == 1
    assert "too long" in errors


# --- the client -------------------------------------------------------------------------------------------------------


def test_command(fake: Callable[..., FakeSwitch]) -> None:
    with Client(fake().path) as client:
        assert client.command("good") == Reply(True, "good\n")
        assert client.command("bad") == Reply(False, "no command 'bad'")


def test_bulk_counts_lines_over_all_messages(fake: Callable[..., FakeSwitch], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(control, "_BULK_STEP", 40)
    switch = fake()
    lines = ["good"] * 20 + ["bad"] + ["good"] * 5 + ["bad"]
    with Client(switch.path) as client:
        reply = client.bulk(lines, keep_going=True)
        assert reply == BulkReply(25, 2, "21: error: no command 'bad'\n27: error: no command 'bad'\n")
        assert len(switch.requests) > 2
        assert client.bulk(lines) == BulkReply(20, 1, "21: error: no command 'bad'\n")
        for number, messages in ((8, 1), (9, 2)):  # of five bytes each
            switch.requests.clear()
            assert client.bulk(["good"] * number).failed == 0
            assert len(switch.requests) == messages


def test_frames(fake: Callable[..., FakeSwitch]) -> None:
    injected: list[bytes] = []

    def port(kind: int, payload: bytes) -> Answer:
        if kind == Message.INJECT:
            assert payload[:2] == b"\0\x05"
            at, taken = 2, 0
            while at < len(payload) and taken < 3:
                (length,) = struct.unpack_from(">I", payload, at)
                injected.append(payload[at + 4 : at + 4 + length])
                at += 4 + length
                taken += 1
            return Status.OK, struct.pack(">I", taken)
        frame = injected.pop(0)
        return (Status.MORE if injected else Status.OK), struct.pack(">HI", 6, len(frame)) + frame

    frames = [bytes([i]) * (i + 1) for i in range(8)]
    with Client(fake(port).path) as client:
        assert client.inject(5, frames) == 3
        assert client.collect() == [(6, frame) for frame in frames[:3]]
        assert client.exchange((5, frame) for frame in frames) == [(6, frame) for frame in frames]


def test_frames_are_exchanged_at_their_ports(fake: Callable[..., FakeSwitch]) -> None:
    """They come out of the port that they went in at."""
    there: list[bytes] = []

    def port(kind: int, payload: bytes) -> Answer:
        if kind == Message.INJECT:
            (length,) = struct.unpack_from(">I", payload, 2)
            there.append(payload[:2] + payload[2 : 6 + length])
            return Status.OK, struct.pack(">I", 1)
        return Status.OK, b"".join(there.pop(0) for _ in range(len(there)))

    frames = [(1, b"a"), (1, b"bb"), (2, b"c"), (1, b"dd"), (2, b"e")]
    with Client(fake(port).path) as client:
        assert client.exchange(frames) == frames


def test_tags_are_16_bits_and_not_that_of_digests(
    fake: Callable[..., FakeSwitch], monkeypatch: pytest.MonkeyPatch
) -> None:
    digest = struct.pack(">H", 1) + b"d" + struct.pack(">I", 4) + b"abcd"
    switch = fake()
    with Client(switch.path) as client:
        monkeypatch.setattr(client, "_tag", 0xFFFE)
        for _ in range(3):
            switch.pushed = HEAD.pack(len(digest), Message.DIGEST, 0, 0) + digest
            assert client.command("good").ok
            assert client.digest(1) == Digest("d", (b"abcd",))


def test_who_waited_for_a_digest_has_time_for_a_reply(fake: Callable[..., FakeSwitch]) -> None:
    def slow(kind: int, payload: bytes) -> Answer:
        time.sleep(0.2)
        return words(kind, payload)

    with Client(fake(slow).path) as client:
        assert client.digest(0.01) is None
        assert client.command("good").ok


def test_digests_between_replies_are_kept(fake: Callable[..., FakeSwitch]) -> None:
    payload = struct.pack(">H", 5) + b"learn" + struct.pack(">I", 2) + b"aabbcc"
    pushed = HEAD.pack(len(payload), Message.DIGEST, 0, 0) + payload
    with Client(fake(pushed=pushed * 2).path) as client:
        assert client.command("good").ok
        expected = Digest("learn", (b"aa", b"bb", b"cc"))
        assert [client.digest(1), client.digest(1), client.digest(0.01)] == [expected, expected, None]


def test_what_is_not_asked_for_yet_waits_in_its_order(fake: Callable[..., FakeSwitch]) -> None:
    others = [Idle(table, (), b"") for table in (1, 2)]
    with Client(fake().path) as client:
        client._waiting.extend([*others, Digest("learn", ())])
        assert client.digest(1) == Digest("learn", ()) and client.digest(0.01) is None
        assert [client.idle(1), client.idle(1), client.idle(0.01)] == [*others, None]


def test_refusals(fake: Callable[..., FakeSwitch]) -> None:
    with Client(fake().path) as client, pytest.raises(ControlError, match="no message of this type"):
        client.stats()
    with Client(fake(lambda kind, payload: (0, b"[]")).path) as client, pytest.raises(ControlError, match="JSON"):
        client.describe()
    with Client(fake(lambda kind, payload: (99, b"")).path) as client, pytest.raises(ControlError, match="status 99"):
        client.stats()


def test_a_switch_that_goes_away(fake: Callable[..., FakeSwitch]) -> None:
    def vanish(kind: int, payload: bytes) -> Answer:
        raise ConnectionAbortedError

    with Client(fake(vanish).path) as client, pytest.raises(NoSwitchError):
        client.stats()
