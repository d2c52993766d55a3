"""Which messages the client of a switch sends for a request, and how it goes on with parts of answers. No switch listens."""

from __future__ import annotations

import socket
import struct
import threading
from collections import deque
from collections.abc import Callable, Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from macsad import control, running
from macsad.bench import contestants
from macsad.control import Client
from macsad.protocol import (
    MESSAGE_MAX,
    ControlError,
    Digest,
    Idle,
    Message,
    NoSwitchError,
    Outcome,
    Reading,
    Reply,
    Status,
    Traced,
    Update,
)

Answer = tuple[Status, bytes]


class Talking(Client):
    """`answer` says what comes to a request; `asked`: the requests."""

    def __init__(self, answer: Callable[[Message, bytes], Answer]) -> None:
        self._answers = answer
        self._timeout = 0.0
        self.asked: list[tuple[Message, bytes]] = []

    def _ask(self, kind: Message, payload: bytes = b"") -> Answer:
        self.asked.append((kind, payload))
        return self._answers(kind, payload)

    def _ask_all(self, kind: Message, payloads: Any) -> list[bytes]:
        return [self._ask(kind, payload)[1] for payload in payloads]


def parts(*answers: Answer) -> Talking:
    """These, one after the other."""
    left = iter(answers)
    return Talking(lambda kind, payload: next(left))


def outcomes(*codes: Outcome) -> bytes:
    return b"".join(struct.pack(">BI", code, 7) for code in codes)


ADD, NOTE = bytes([Update.ADD, 0, 1]), bytes([Update.NOTE, 0, 2])


def told(payload: bytes) -> list[bytes]:
    """The changes of a message."""
    found, at = [], 1
    while at < len(payload):
        size = int.from_bytes(payload[at : at + 4], "big") + 1
        found.append(payload[at + 4 : at + 4 + size])
        at += 4 + size
    return found


def done(kind: Message, payload: bytes) -> Answer:
    return Status.OK, outcomes(*[Outcome.DONE] * len(told(payload)))


def test_changes_go_in_messages_of_so_many_and_notes_with_the_change_before(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(control, "_UPDATE_STEP", 2)
    client = Talking(done)
    changes = [ADD, NOTE, ADD, ADD, NOTE, NOTE, ADD]
    assert client.update(changes) == [(Outcome.DONE, 7)] * 7
    assert [told(payload) for _, payload in client.asked] == [[ADD, NOTE], [ADD, ADD, NOTE, NOTE], [ADD]]
    assert client.update([]) == [] and len(client.asked) == 3


@pytest.mark.parametrize(
    ("keep_going", "next_program", "flags"), [(True, False, 1), (False, False, 0), (True, True, 5)]
)
def test_changes_say_what_they_are_of(keep_going: bool, next_program: bool, flags: int) -> None:
    client = Talking(done)
    client.update([ADD], keep_going=keep_going, next_program=next_program)
    assert client.asked[0] == (Message.UPDATE, bytes([flags]) + (len(ADD) - 1).to_bytes(4, "big") + ADD)


@pytest.mark.parametrize("keep_going", [True, False])
def test_changes_behind_one_that_fails(monkeypatch: pytest.MonkeyPatch, keep_going: bool) -> None:
    """Are not tried, unless the others go on."""
    monkeypatch.setattr(control, "_UPDATE_STEP", 2)
    first = outcomes(Outcome.DONE, Outcome.FULL)
    client = parts((Status.OK, first), (Status.OK, outcomes(Outcome.DONE)))
    last = (Outcome.DONE, 7) if keep_going else (Outcome.NOT_TRIED, 0)
    assert client.update([ADD] * 3, keep_going=keep_going) == [(Outcome.DONE, 7), (Outcome.FULL, 7), last]
    assert len(client.asked) == 1 + keep_going


def test_frames_go_in_as_many_as_a_message_takes_and_the_switch(monkeypatch: pytest.MonkeyPatch) -> None:
    """A frame that is longer goes alone."""
    monkeypatch.setattr(control, "_INJECT_STEP", 2 + 2 * (4 + 3))
    taken = iter([2, 1, 1])
    client = Talking(lambda kind, payload: (Status.OK, next(taken).to_bytes(4, "big")))
    frames = [b"abc", b"def", b"long one too long", b"gh", b"ij"]
    assert client.inject(258, frames) == 4, "the last finds no room"
    assert [payload[:2] for _, payload in client.asked] == [b"\1\2"] * 3
    assert [len(payload) for _, payload in client.asked] == [2 + 2 * 7, 2 + 4 + 17, 2 + 2 * 6]
    assert Talking(done).inject(1, []) == 0


def test_frames_that_are_never_taken_are_told(monkeypatch: pytest.MonkeyPatch) -> None:
    """As long as a reply may take nothing is said; each time that some are taken begins anew."""
    now = iter(range(1000))
    monkeypatch.setattr(control.time, "monotonic", lambda: float(next(now)))
    taken = [0, 0, 0, 1, 0, 0, 0, 0, 0, 0]
    client = Talking(
        lambda kind, payload: (Status.OK, taken.pop(0).to_bytes(4, "big") if kind == Message.INJECT else b"")
    )
    client._timeout = 4.0
    with pytest.raises(ControlError, match=r"^port 3 takes no frames: the switch has no buffers left$"):
        client.exchange([(3, b"a"), (3, b"b")])
    assert len(taken) == 1, "4 of 5 are waited for"


def test_frames_of_a_port_go_in_together(monkeypatch: pytest.MonkeyPatch) -> None:
    """512 at most; what is at another port waits until they are through."""
    asked: list[tuple[int, int]] = []

    def inject(client: Client, port: int, run: list[bytes]) -> int:
        asked.append((port, len(run)))
        return len(run)

    monkeypatch.setattr(Client, "inject", inject)
    client = Talking(lambda kind, payload: (Status.OK, b""))
    assert client.exchange([(1, b"x")] * 513 + [(2, b"y")] * 2 + [(1, b"x")]) == []
    assert asked == [(1, 512), (1, 1), (2, 2), (1, 1)] and [kind for kind, _ in client.asked] == [Message.COLLECT] * 4


def frames(*frames: tuple[int, bytes]) -> bytes:
    return b"".join(struct.pack(">HI", port, len(frame)) + frame for port, frame in frames)


def test_frames_are_collected_until_there_are_no_more() -> None:
    client = parts((Status.MORE, frames((1, b"a"))), (Status.OK, frames((2, b"b"))), (Status.OK, b""))
    assert client.collect() == [(1, b"a"), (2, b"b")] and client.collect() == []
    with pytest.raises(ControlError, match="why"):
        parts((Status.WRONG, b"why")).collect()


def test_entries_are_read_part_by_part() -> None:
    """Each begins where the one before has ended; an empty part is none."""
    client = parts(
        (Status.MORE, b"\0" * 7 + b"\5one"), (Status.MORE, b"\0" * 7 + b"\6"), (Status.OK, b"\0" * 8 + b"two")
    )
    assert list(client.read_entries(0x102, Reading.RULES)) == [b"one", b"two"]
    head = bytes([Reading.RULES, 1, 2])
    assert [payload for _, payload in client.asked] == [
        head + bytes(8),
        head + bytes(7) + b"\5",
        head + bytes(7) + b"\6",
    ]
    client = parts((Status.MORE, b"\0\0\0\4m"), (Status.OK, b"\0\0\0\0n"))
    assert list(client.read_profile(Reading.MEMBERS, 3)) == [b"m", b"n"] and client.asked[1][1][-4:] == b"\0\0\0\4"


def test_elements_are_read_until_all_are_there() -> None:
    client = parts((Status.MORE, b"aabb"), (Status.OK, b"cc"))
    assert client.read_elements(5, 10, 3, 2) == b"aabbcc"
    assert [struct.unpack(">BHII", payload) for _, payload in client.asked] == [
        (Reading.ELEMENTS, 5, 10, 3), (Reading.ELEMENTS, 5, 12, 1),
    ]  # fmt: skip
    client = parts((Status.OK, struct.pack(">QQQQ", 1, 2, 3, 4)))
    assert client.read_ages(5, 0, 2) == [(1, 2), (3, 4)]


def note(name: bytes, text: bytes) -> bytes:
    return struct.pack(">H", len(name)) + name + struct.pack(">I", len(text)) + text


def test_notes_are_read_in_the_order_of_their_names() -> None:
    client = parts(
        (Status.MORE, note(b"pa", b"1") + note(b"pb", b"")), (Status.OK, note(b"pc", b"333")), (Status.OK, b"")
    )
    assert list(client.read_notes(b"p")) == [(b"pa", b"1"), (b"pb", b""), (b"pc", b"333")]
    head = bytes([Reading.NOTES, 0, 1]) + b"p"
    assert [payload for _, payload in client.asked] == [head, head + b"pb"] and list(client.read_notes()) == []


def test_notes_of_names_are_those_of_these_very_names(monkeypatch: pytest.MonkeyPatch) -> None:
    """The switch gives the first whose name begins so. Some are asked for at once."""
    monkeypatch.setattr(control, "_ASK_STEP", 2)
    there = {b"a": note(b"a", b"1") + note(b"aa", b"2"), b"b": note(b"bb", b"3"), b"c": b"", b"d": note(b"d", b"")}
    client = Talking(lambda kind, payload: (Status.OK, there[payload[3:]]))
    assert client.notes_named([b"a", b"b", b"c", b"d", b"a"]) == [b"1", b"", b"", b"", b"1"]
    assert {payload[:3] for _, payload in client.asked} == {bytes([Reading.NOTES, 0, 1])} and client.notes_named(
        []
    ) == []


def test_lines_go_in_blocks_and_keep_their_numbers(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(control, "_BULK_STEP", 6)
    lines = ["ab\n", "cd", "longer than a block", "x", "y", "z"]
    assert list(control._blocks(lines)) == [(0, b"ab\ncd\n"), (2, b"longer than a block\n"), (3, b"x\ny\nz\n")]
    assert list(control._blocks([])) == [] and list(control._blocks(["abcdefgh"])) == [(0, b"abcdefgh\n")]
    text = "2: error: why\n2: not one\nx: error: neither\n"
    assert control._renumber(text, 0) == text
    assert control._renumber(text, 5) == "7: error: why\n2: not one\nx: error: neither\n"


@pytest.mark.parametrize(("keep_going", "answers", "flags"), [(True, True, 3), (True, False, 1), (False, True, 2)])
def test_many_lines_up_to_the_first_that_fails(
    monkeypatch: pytest.MonkeyPatch, keep_going: bool, answers: bool, flags: int
) -> None:
    monkeypatch.setattr(control, "_BULK_STEP", 1)
    client = parts(
        (Status.OK, struct.pack(">II", 1, 0) + b"a"), (Status.FAILED, struct.pack(">II", 0, 1) + b"1: error: b\n"),
        (Status.OK, struct.pack(">II", 1, 0)),
    )  # fmt: skip
    reply = client.bulk("xyz", keep_going=keep_going, answers=answers)
    assert (reply.done, reply.failed, reply.text) == (1 + keep_going, 1, "a2: error: b\n")
    assert [payload for _, payload in client.asked][:2] == [bytes([flags]) + b"x\n", bytes([flags]) + b"y\n"]
    for status, payload in ((Status.WRONG, bytes(8)), (Status.OK, bytes(7))):
        with pytest.raises(ControlError):
            parts((status, payload)).bulk("x")


def test_what_is_pushed_is_waited_for_as_long_as_is_said() -> None:
    """Others meanwhile wait in their order, and take of that time."""
    came: list[Any] = [Digest("a", ()), Digest("b", ()), None]
    waits: list[float] = []

    class Waiting(Client):
        def __init__(self) -> None:
            self._waiting = deque()

        def pushed(self, seconds: float | None) -> Any:
            assert seconds is not None
            waits.append(seconds)
            return came.pop(0)

    client = Waiting()
    assert client.idle(5) is None and list(client._waiting) == [Digest("a", ()), Digest("b", ())]
    assert 5 >= waits[0] > 4 and waits == sorted(waits, reverse=True)
    came.append(Digest("c", ()))
    assert client.digest(0) == Digest("c", ()) and waits[-1] > 0


def test_small_requests() -> None:
    client = Talking(lambda kind, payload: (Status.OK, struct.pack(">HH", 64, 8)))
    assert client.set_batch(64) == (64, 8) and client.asked[-1] == (Message.SET, struct.pack(">HH", 64, 0))
    client.hold(True)
    client.of_next(False)
    client.take_frames(1, 258)
    client.trace(None)
    assert client.asked[1:] == [
        (Message.HOLD, b"\1"), (Message.NEXT, b"\0"), (Message.SUBSCRIBE, b"\0\0\1\1\2"), (Message.TRACE, b""),
    ]  # fmt: skip
    asking = Talking(lambda kind, payload: (Status.OK, b"{}"))
    asking.describe()
    asking.describe(next_program=True)
    assert [payload for _, payload in asking.asked] == [b"", b"\4"]
    assert Talking(lambda kind, payload: (Status.OK, b"entry")).read_entry(1, b"key") == b"entry"
    assert Talking(lambda kind, payload: (Status.FAILED, b"")).read_entry(1, b"key") is None
    with pytest.raises(ControlError, match="no key"):
        Talking(lambda kind, payload: (Status.WRONG, b"no key")).read_entry(1, b"key")


# --- the switch that is started --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("ports", "entries", "tells_ends", "words"),
    [
        (("0=eth0", "1=pcap:a"), None, True, "--port 0=eth0 --port 1=pcap:a --rest"),
        (("0=pcap:a", "1=null:"), "e", False, "--port 0=pcap:a --port 1=null: --entries e --until-idle --rest"),
        (("0=pcap:a", "1=eth0"), None, False, "--port 0=pcap:a --port 1=eth0 --rest"),
    ],
)  # fmt: skip
def test_how_a_switch_is_started(
    monkeypatch: pytest.MonkeyPatch, ports: Any, entries: Any, tells_ends: bool, words: str
) -> None:
    """Where its platform does not tell the end of a file it is idle then, if all ports are files. A signal that has killed it is
    told as shells do."""
    started: list[list[str]] = []

    class Started:
        def __init__(self, command: list[str], printed: Any) -> None:
            started.append(command)

        def __enter__(self) -> Any:
            return None

        def __exit__(self, *error: object) -> None:
            pass

    monkeypatch.setattr(running, "_started", Started)
    for code, told in ((0, 0), (3, 3), (-9, 137)):
        monkeypatch.setattr(running, "_while_running", lambda *given, code=code: code)
        assert running.run(("/p",), ports, entries, "s", ("--rest",), tells_ends=tells_ends) == told  # type: ignore[arg-type]
    head, parent, *rest = started[0][:7][4:6] + started[0][6:]
    assert started[0][:4] == ["/p", "--socket", "s", "--until-end"] and head == "--parent" and parent.isdigit()
    assert " ".join(rest) == words


@pytest.mark.parametrize(("workers", "cpus"), [(1, [9]), (2, [5, 9]), (3, [2, 5, 9]), (4, [2, 5, 9])])
def test_the_last_cpus_are_measured_on(monkeypatch: pytest.MonkeyPatch, workers: int, cpus: list[int]) -> None:
    monkeypatch.setattr(contestants, "os", SimpleNamespace(sched_getaffinity=lambda process: {9, 2, 5}))
    assert contestants.worker_cpus(workers) == cpus


# --- framing: the other end of a connection says what comes -----------------------------------------------------------

HEAD = struct.Struct(">IBBH")


def message(kind: int, payload: bytes, status: int = 0, tag: int = 0) -> bytes:
    return HEAD.pack(len(payload), kind, status, tag) + payload


@pytest.fixture
def line() -> Iterator[tuple[Client, socket.socket]]:
    """A client, and who it talks to."""
    client = Client.__new__(Client)
    own, other = socket.socketpair()
    client._socket, client._timeout, client._buffer, client._waiting, client._tag = own, 5.0, bytearray(), deque(), 0
    own.settimeout(5.0)
    with own, other:
        other.settimeout(5.0)
        yield client, other


def test_each_request_has_the_next_tag(line: tuple[Client, socket.socket]) -> None:
    """From 1 to 65535, and then from 1 again; its answer has it, too."""
    client, other = line
    for tag in (1, 2, 3):
        other.sendall(message(Message.COMMAND, b"said", tag=tag))
        assert client.command("word") == Reply(True, "said")
        assert other.recv(100) == message(Message.COMMAND, b"word", tag=tag)
    client._tag = 0xFFFE
    answers = [message(Message.READ, text, status, tag) for text, status, tag in (
        (b"a", Status.OK, 0xFFFF), (b"b", Status.MORE, 1), (b"c", Status.OK, 2))]  # fmt: skip
    other.sendall(b"".join(answers))
    assert client._ask_all(Message.READ, [b"x", b"y", b"z"]) == [b"a", b"b", b"c"]
    asked = b"".join(message(Message.READ, text, tag=tag) for text, tag in ((b"x", 0xFFFF), (b"y", 1), (b"z", 2)))
    assert other.recv(100) == asked and client._tag == 2
    other.sendall(message(Message.READ, b"why", Status.FAILED, 3) + message(Message.READ, b"", Status.OK, 4))
    with pytest.raises(ControlError, match=r"^why$"):
        client._ask_all(Message.READ, [b"x", b"y"])


@pytest.mark.parametrize(
    ("answer", "told"),
    [
        (message(Message.STATS, b"{}", tag=2), "a reply of type 7 to a request of type 7"),
        (message(Message.SET, b"{}", tag=1), "a reply of type 9 to a request of type 7"),
        (message(Message.STATS, b"{}", 99, 1), "unknown status 99"), (message(Message.STATS, b"[]", tag=1), "not a JSON object"),
        (message(Message.STATS, b"busy", Status.FAILED, 1), "busy"),
        (HEAD.pack(MESSAGE_MAX + 1, Message.STATS, 0, 1), f"a message of {MESSAGE_MAX + 1} bytes is too long"),
    ],
)  # fmt: skip
def test_answers_that_are_none(line: tuple[Client, socket.socket], answer: bytes, told: str) -> None:
    client, other = line
    other.sendall(answer)
    with pytest.raises(ControlError, match=f"^{told}$"):
        client.stats()


def test_a_request_is_no_longer_than_a_message(
    line: tuple[Client, socket.socket], monkeypatch: pytest.MonkeyPatch
) -> None:
    client, other = line
    monkeypatch.setattr(control, "MESSAGE_MAX", 4)
    with pytest.raises(ControlError, match=r"^a message of 5 bytes is too long$"):
        client.command("abcde")
    other.sendall(message(Message.COMMAND, b"well", tag=1))
    assert client.command("abcd").text == "well"


def test_a_message_comes_in_pieces(line: tuple[Client, socket.socket]) -> None:
    """What has come when the time is over is the beginning of the next one."""
    client, other = line
    whole = message(Message.DIGEST, struct.pack(">H", 1) + b"d" + struct.pack(">I", 2) + b"abcd")
    for end in range(1, len(whole)):
        other.sendall(whole[end - 1 : end])
        assert client.pushed(0) is None and client.pushed(0.001) is None
    other.sendall(whole[-1:])
    assert client.pushed(0) == Digest("d", (b"ab", b"cd"))


def test_what_is_pushed_before_an_answer_waits(line: tuple[Client, socket.socket]) -> None:
    client, other = line
    idle = struct.pack(">HI", 3, 1) + struct.pack(">QQQ", 7, 8, 9) + b"entry"
    other.sendall(message(Message.IDLE, idle) + message(Message.FRAMES, frames((1, b"a"))))
    other.sendall(
        message(Message.TRACED, struct.pack(">QQHQI", 1, 2, 3, 4, 1) + b"f") + message(Message.STATS, b"{}", tag=1)
    )
    assert client.stats() == {}
    assert client.idle(5) == Idle(3, ((7, 8, 9),), b"entry")
    assert client.pushed(None) == [(1, b"a")] and client.pushed(5) == Traced(1, 2, ((3, 4, b"f"),))
    other.sendall(message(Message.SET, b""))
    with pytest.raises(ControlError, match="a message of type 9 that nobody asked for"):
        client.pushed(5)


def test_whoever_has_gone_is_told(line: tuple[Client, socket.socket]) -> None:
    client, other = line
    other.close()
    for call in (client.stats, lambda: client.pushed(5)):
        with pytest.raises(NoSwitchError, match="the switch has closed the connection"):
            call()


@pytest.mark.parametrize("error", [BrokenPipeError, ConnectionResetError])
def test_a_switch_that_has_died_has_closed_the_connection(
    line: tuple[Client, socket.socket], monkeypatch: pytest.MonkeyPatch, error: type[OSError]
) -> None:
    client, _ = line

    def gone(*_: object) -> None:
        raise error

    monkeypatch.setattr(client, "_socket", SimpleNamespace(sendall=gone, recv=gone, settimeout=lambda seconds: None))
    calls = [client.stats] if error is BrokenPipeError else [client.stats, lambda: client.pushed(5)]
    for call in calls:
        with pytest.raises(NoSwitchError, match=r"^the switch has closed the connection$"):
            call()


def test_a_connection_is_closed_and_broken_off(line: tuple[Client, socket.socket]) -> None:
    client, other = line
    client.break_off()
    assert other.recv(1) == b""
    with pytest.raises(NoSwitchError):
        client.pushed(None)
    client.close()
    client.break_off()
    assert client._socket.fileno() == -1


def test_a_switch_that_starts_is_waited_for(tmp_path: Path) -> None:
    place = tmp_path / "socket"
    with pytest.raises(NoSwitchError, match=f"no switch listens at {place}: No such file or directory"):
        Client.wait(place, seconds=0.02)
    listening = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)

    def listen() -> None:
        listening.bind(str(place))
        listening.listen()

    later = threading.Timer(0.05, listen)
    later.start()
    try:
        with Client.wait(place, seconds=10, timeout=7) as client:
            assert client._socket.gettimeout() == 7
    finally:
        later.join()
        listening.close()


@pytest.mark.parametrize(("user", "own", "taken"), [(0, 5, True), (5, 5, True), (6, 5, False), (5, 0, False)])
def test_only_root_and_oneself_are_talked_to(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, user: int, own: int, taken: bool
) -> None:
    """Whoever else listens may be a trap."""
    place = tmp_path / "socket"
    monkeypatch.setattr(control, "_CREDENTIALS", SimpleNamespace(size=12, unpack=lambda peer: (1, user, 1)))
    monkeypatch.setattr(control.os, "geteuid", lambda: own)
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as listening:
        listening.bind(str(place))
        listening.listen()
        if taken:
            Client(place).close()
            return
        told = f"who listens at {place} is user {user}, neither you \\(user {own}\\) nor root"
        with pytest.raises(ControlError, match=told):
            Client(place)
        connection, _ = listening.accept()
        with connection:
            assert connection.recv(1) == b"", "it is left at once"


def test_clocks_that_there_are_none_of_are_told() -> None:
    with pytest.raises(ControlError, match="no clocks"):
        Talking(lambda kind, payload: (Status.FAILED, b"no clocks")).stages()
    assert Talking(lambda kind, payload: (Status.OK, b"[{}]")).stages() == [{}]
    for status in (Status.FAILED, Status.WRONG):
        with pytest.raises(ControlError, match="no such table"):
            list(parts((status, b"no such table")).read_entries(1))
        with pytest.raises(ControlError, match="no such table"):
            parts((status, b"no such table")).read_default(1)


def test_requests_say_what_is_usual_where_nothing_else_is_asked_for() -> None:
    client = Talking(lambda kind, payload: (Status.OK, struct.pack(">HH", 64, 8)))
    client.subscribe()
    client.set_batch()
    client.set_batch(sub_batch=4)
    list(client.read_entries(3))
    client.read_entry(3, b"k")
    client.read_default(3)
    assert client.asked == [
        (Message.SUBSCRIBE, b"\1"), (Message.SET, bytes(4)), (Message.SET, b"\0\0\0\4"), (Message.READ, b"\1\0\3" + bytes(8)),
        (Message.READ, b"\2\0\3k"), (Message.READ, b"\3\0\3"),
    ]  # fmt: skip
    updating = Talking(done)
    updating.update([ADD])
    assert updating.asked[0][1][0] == 1, "the others go on"


def test_what_became_of_a_change_is_told_by_its_number() -> None:
    answer = b"".join(struct.pack(">BI", code, code + 100) for code in range(10))
    found = parts((Status.OK, answer)).update([ADD] * 10)
    assert found == [(outcome, outcome + 100) for outcome in Outcome] and len(Outcome) == 10
