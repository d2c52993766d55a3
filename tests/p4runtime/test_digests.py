"""Lists of digests. P4Runtime spec 1.4.1 section 9.8."""

from __future__ import annotations

import threading
from typing import Any

import pytest
from controller import DELETE, INSERT, MODIFY, Controller, Stream, entity, octets, update
from switch_harness import ethernet

from macsad.p4runtime.codes import Code
from macsad.p4runtime.digests import Digests
from macsad.p4runtime.messages import message
from macsad.protocol import Digest

OK = Code.OK
SECOND = 10**9
LEARNED = 0x4C45  # the kind of frames that the program sends a digest of


def entry(controller: Controller, size: int = 1, timeout: int = 0, ack: int = 0) -> Any:
    made = message("DigestEntry")(digest_id=controller.id("digests", "learn_t"))
    made.config.max_list_size, made.config.max_timeout_ns, made.config.ack_timeout_ns = size, timeout, ack
    return made


def learned(digest: Any) -> list[tuple[int, int]]:
    """(source, port) of the records of a list."""
    members = [data.struct.members for data in digest.data]
    return [(int.from_bytes(src.bitstring, "big"), int.from_bytes(port.bitstring, "big")) for src, port, _ in members]


def send(served: Any, *sources: int) -> None:
    served.switch.client.exchange([(1, ethernet(1, LEARNED, src=src)) for src in sources])


def test_configuration(controller: Controller) -> None:
    one, other = entry(controller, 3, 5, 7), entry(controller)
    asked = entity(digest_entry=message("DigestEntry")())
    assert controller.read(asked) == []
    assert controller.write(update(MODIFY, digest_entry=one)) == [Code.NOT_FOUND]
    assert controller.write(update(INSERT, digest_entry=one)) == [OK]
    assert controller.write(update(INSERT, digest_entry=one)) == [Code.ALREADY_EXISTS]
    assert controller.read(asked) == [entity(digest_entry=one)]
    assert controller.write(update(MODIFY, digest_entry=other)) == [OK]
    assert controller.read(entity(digest_entry=message("DigestEntry")(digest_id=one.digest_id))) == [
        entity(digest_entry=other)
    ]
    assert controller.write(update(MODIFY, digest_entry=entry(controller, -1))) == [Code.INVALID_ARGUMENT]
    unknown = message("DigestEntry")(digest_id=1)
    assert controller.write(update(INSERT, digest_entry=unknown)) == [Code.NOT_FOUND]
    assert controller.write(update(DELETE, digest_entry=one), update(DELETE, digest_entry=one)) == [OK, Code.NOT_FOUND]
    assert controller.read(asked) == []


def test_lists_of_a_size(controller: Controller, stream: Stream, served: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    taken, received = threading.Event(), Digests.received

    def noted(digests: Digests, digest: Digest) -> None:
        received(digests, digest)
        taken.set()

    monkeypatch.setattr(Digests, "received", noted)
    send(served, 9)  # nobody asked for it
    assert taken.wait(30)
    assert controller.write(update(INSERT, digest_entry=entry(controller, 3, 60 * SECOND))) == [OK]
    send(served, 1, 2, 1, 2, 3, 4)
    first = stream.next().digest
    assert learned(first) == [(1, 1), (2, 1), (3, 1)]  # no record twice
    assert first.data[0].struct.members[2].bool is True
    send(served, 5, 6)
    second = stream.next().digest
    assert learned(second) == [(4, 1), (5, 1), (6, 1)]
    assert second.list_id > first.list_id and second.timestamp > first.timestamp > 10**18
    stream.send(digest_ack=message("DigestListAck")(digest_id=first.digest_id, list_id=first.list_id))
    stream.send(digest_ack=message("DigestListAck")(digest_id=first.digest_id, list_id=second.list_id + 5))
    assert stream.next().error.canonical_code == Code.NOT_FOUND


def test_a_list_is_sent_when_its_time_has_come(controller: Controller, stream: Stream, served: Any) -> None:
    assert controller.write(update(INSERT, digest_entry=entry(controller, 100, SECOND // 20))) == [OK]
    send(served, 1, 2)
    assert learned(stream.next().digest) == [(1, 1), (2, 1)]


def test_a_record_is_sent_again_when_it_was_acknowledged(controller: Controller, stream: Stream, served: Any) -> None:
    assert controller.write(update(INSERT, digest_entry=entry(controller, 1, SECOND, 3600 * SECOND))) == [OK]
    send(served, 1, 1, 2, 1)
    one, two = stream.next().digest, stream.next().digest
    assert (learned(one), learned(two)) == ([(1, 1)], [(2, 1)])
    stream.send(digest_ack=message("DigestListAck")(digest_id=one.digest_id, list_id=one.list_id))
    stream.send(digest_ack=message("DigestListAck")(digest_id=1))
    assert stream.next().error.digest_list_ack.digest_list_ack.digest_id == 1  # the one before it is done then
    send(served, 2, 1, 3)
    assert learned(stream.next().digest) == [(1, 1)]
    assert learned(stream.next().digest) == [(3, 1)]
    assert controller.write(update(MODIFY, digest_entry=entry(controller, 1, SECOND, 1))) == [OK]
    send(served, 2)
    assert learned(stream.next().digest) == [(2, 1)]  # it has not been acknowledged for a nanosecond


def test_a_backup_does_not_acknowledge(stream: Stream, served: Any) -> None:
    backup = Stream(served.channel)
    backup.arbitrate(1)
    backup.send(digest_ack=message("DigestListAck")(digest_id=3))
    assert backup.next().error.canonical_code == Code.PERMISSION_DENIED
    backup.close()


def test_a_digest_is_configured_in_a_batch_that_is_undone(controller: Controller) -> None:
    one, other = entry(controller, 3), entry(controller, 4)
    assert controller.write(update(INSERT, digest_entry=one)) == [OK]
    unknown = update(DELETE, table_entry=controller.entry("exact_t", {1: octets(1)}))
    codes = controller.write(update(MODIFY, digest_entry=other), unknown, atomicity=1)
    assert codes == [Code.ABORTED, Code.NOT_FOUND]
    assert controller.read(entity(digest_entry=one)) == [entity(digest_entry=one)]
