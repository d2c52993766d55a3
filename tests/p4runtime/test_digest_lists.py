"""Which records of a digest are sent together, and when, with a clock of this file. P4Runtime spec 1.4.1 section 9.8."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from macsad.p4runtime import digests
from macsad.p4runtime.codes import Code, Refused
from macsad.p4runtime.digests import Digests, _Learning
from macsad.p4runtime.messages import message, messages
from macsad.p4runtime.program import Extern
from macsad.protocol import Digest, Update

OTHER, LEARN = Extern(4, 0, "other", "digest", 0, 0, None), Extern(5, 1, "learn", "digest", 0, 0, None)


class Learning:
    """A digest of that configuration, whose records are bytes. `now`: in ns; `lists`: what was sent."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, primary: bool = True, **config: int) -> None:
        self.now, self.primary, self.lists = 1000, primary, list[tuple[int, list[bytes]]]()
        clock = SimpleNamespace(time_ns=lambda: 70, monotonic_ns=lambda: self.now)
        monkeypatch.setattr(digests, "time", clock)
        self.noted: list[bytes] = []
        client: Any = SimpleNamespace(read_notes=lambda prefix: [], update=self.noted.extend)
        program: Any = SimpleNamespace(externs={4: OTHER, 5: LEARN}, extern=lambda number, kind: LEARN)
        self.digests = Digests(client, program, self._send)
        decoder: Any = SimpleNamespace(decode=lambda record, data: setattr(data, "bitstring", record))
        for extern in (OTHER, LEARN):
            made = _Learning(extern, decoder, message("DigestEntry").Config(**config))
            self.digests._learning[extern.name] = made

    def _send(self, response: Any) -> bool:
        assert response.digest.digest_id in (LEARN.id, OTHER.id) and response.digest.timestamp == 70
        self.lists.append((response.digest.list_id, [one.bitstring for one in response.digest.data]))
        return self.primary

    def come(self, *records: bytes, name: str = "learn") -> list[list[bytes]]:
        """What is sent when these have come."""
        before = len(self.lists)
        self.digests.received(Digest(name, records))
        return [records for _, records in self.lists[before:]]

    def tick(self, now: int) -> list[list[bytes]]:
        self.now, before = now, len(self.lists)
        self.digests.tick()
        return [records for _, records in self.lists[before:]]

    def acknowledge(self, number: int, digest: int = LEARN.id) -> bool:
        """There is such a list."""
        try:
            self.digests.acknowledged(message("DigestListAck")(digest_id=digest, list_id=number))
        except Refused as refused:
            assert refused.code is Code.NOT_FOUND
            return False
        return True


def test_a_list_without_a_time_has_one_record(monkeypatch: pytest.MonkeyPatch) -> None:
    learning = Learning(monkeypatch, max_list_size=5)
    assert learning.come(b"a", b"b") == [[b"a"], [b"b"]] and learning.come(b"a") == [[b"a"]]
    assert [number for number, _ in learning.lists] == [70, 71, 72]
    assert learning.come(b"c", name="unknown") == [] and learning.digests.wait() is None


@pytest.mark.parametrize("size", [0, 3])
def test_a_list_is_sent_when_it_is_full_or_its_time_has_come(monkeypatch: pytest.MonkeyPatch, size: int) -> None:
    """The time begins with its first record, in which no record is there twice."""
    monkeypatch.setattr(digests, "LIST_MAX", 3)
    learning = Learning(monkeypatch, max_timeout_ns=100, max_list_size=size)
    assert learning.come(b"a", b"b", b"a") == [] and learning.come(b"c", b"d") == [[b"a", b"b", b"c"]]
    learning.now = 1030
    assert learning.digests.wait() == pytest.approx(70e-9 + 0.0001) and learning.come(b"e") == []
    assert learning.tick(1099) == [] and learning.tick(1100) == [[b"d", b"e"]] and learning.tick(1300) == []
    assert learning.come(b"d") == []
    learning.now = 9999
    assert learning.digests.wait() == pytest.approx(0.0001)


def test_records_are_not_sent_again_until_their_list_is_acknowledged(monkeypatch: pytest.MonkeyPatch) -> None:
    """Or has waited as long as is configured; a list that waits is acknowledged by its own number alone."""
    learning = Learning(monkeypatch, ack_timeout_ns=50)
    assert learning.come(b"a", b"b", b"a") == [[b"a"], [b"b"]]
    assert learning.acknowledge(70) and learning.come(b"a", b"b") == [[b"a"]]
    learning.now = 1049
    assert learning.come(b"a", b"b") == []
    learning.now = 1050
    assert learning.come(b"b") == [[b"b"]] and learning.come(b"b", b"a") == [[b"a"]]


def test_only_lists_that_were_sent_are_acknowledged(monkeypatch: pytest.MonkeyPatch) -> None:
    """One that waits no more is not an error."""
    learning = Learning(monkeypatch, ack_timeout_ns=50)
    assert not learning.acknowledge(70)
    learning.come(b"a")
    assert learning.acknowledge(70) and learning.acknowledge(70) and not learning.acknowledge(71)
    assert not learning.acknowledge(70, 9)


@pytest.mark.parametrize(("primary", "config"), [(False, {"ack_timeout_ns": 50}), (True, {})])
def test_nothing_waits_for_an_answer_that_will_not_come(
    monkeypatch: pytest.MonkeyPatch, primary: bool, config: dict[str, int]
) -> None:
    learning = Learning(monkeypatch, primary, **config)
    assert learning.come(b"a", b"a") == [[b"a"], [b"a"]]


def test_digests_are_configured_once(monkeypatch: pytest.MonkeyPatch) -> None:
    def write(kind: int, **config: int) -> Code:
        try:
            learning.digests.write(kind, message("DigestEntry")(digest_id=5, config=config))
        except Refused as refused:
            return refused.code
        return Code.OK

    learning = Learning(monkeypatch)
    insert, modify, delete = 1, 2, 3
    for name in ("max_timeout_ns", "max_list_size", "ack_timeout_ns"):
        assert write(modify, **{name: -1}) is Code.INVALID_ARGUMENT
    assert write(insert) is Code.ALREADY_EXISTS and write(modify, max_timeout_ns=7) is Code.OK
    asked = message("DigestEntry")(digest_id=5)
    assert [one.digest_entry.config.max_timeout_ns for one in learning.digests.read(asked)] == [7]
    assert [one.digest_entry.digest_id for one in learning.digests.read(message("DigestEntry")())] == [4, 5]
    assert [write(kind) for kind in (delete, delete, modify)] == [Code.OK, Code.NOT_FOUND, Code.NOT_FOUND]
    configured = message("DigestEntry")(config={"max_timeout_ns": 7}).config.SerializeToString()
    notes = [bytes([Update.NOTE, 0, 5]) + b"d\0\0\0\5" + note for note in (b"\1" + configured, b"")]
    assert learning.noted == notes
    assert learning.come(b"a") == [] and list(learning.digests.read(asked)) == []
    learning.digests.clear()
    assert list(learning.digests.read(message("DigestEntry")())) == []


def test_each_digest_has_a_list_and_a_time_of_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    """What is waited for is the one whose time comes first."""
    learning = Learning(monkeypatch, max_timeout_ns=100, max_list_size=9)
    learning.come(b"a")
    learning.now = 1040
    learning.come(b"a", name="other")
    learning.now = 1050
    assert learning.digests.wait() == pytest.approx(50e-9 + 0.0001)
    assert learning.tick(1099) == [] and learning.tick(1100) == [[b"a"]]
    assert learning.digests.wait() == pytest.approx(40e-9 + 0.0001)
    assert learning.tick(1139) == [] and learning.tick(1140) == [[b"a"]] and learning.digests.wait() is None
    assert [number for number, _ in learning.lists] == [70, 71]
    assert learning.acknowledge(70, LEARN.id) and learning.acknowledge(71, OTHER.id)


def test_both_lists_may_be_due_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    learning = Learning(monkeypatch, max_timeout_ns=100, max_list_size=9)
    learning.come(b"a", b"b")
    learning.come(b"c", name="other")
    assert learning.tick(2000) == [[b"c"], [b"a", b"b"]]


def test_what_a_server_before_has_configured_goes_on() -> None:
    """Of digests that the program still has."""
    config = message("DigestEntry")(config={"max_list_size": 3}).config.SerializeToString()
    noted = [(b"d\0\0\0\5", b"\1" + config), (b"d\0\0\0\6", b"\1" + config), (b"d\0\0\0\7", b"\1")]
    client: Any = SimpleNamespace(read_notes=lambda prefix: noted if prefix == b"d" else [])
    bits = messages().of("p4.config.v1.P4DataTypeSpec")(bitstring={"bit": {"bitwidth": 8}})
    info = SimpleNamespace(type_spec=bits)
    externs = {
        5: Extern(5, 1, "learn", "digest", 0, 0, info, (8,)), 6: Extern(6, 2, "c", "counter", 0, 0, info, (8,)),
    }  # fmt: skip
    program: Any = SimpleNamespace(externs=externs, info=SimpleNamespace(type_info=None), translations=None)
    made = Digests(client, program, lambda response: True)
    (found,) = [one.digest_entry for one in made.read(message("DigestEntry")())]
    assert (found.digest_id, found.config.max_list_size) == (5, 3)
