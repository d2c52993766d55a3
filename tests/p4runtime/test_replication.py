"""Multicast groups and clone sessions. P4Runtime spec 1.4.1 section 9.5."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from controller import DELETE, INSERT, MODIFY, Controller, entity, octets, update

from macsad.p4runtime.codes import Code
from macsad.p4runtime.messages import message

KINDS = {"multicast_group": "multicast_group_id", "clone_session": "session_id"}


def made(kind: str, number: int, *replicas: tuple[int, int], **more: Any) -> Any:
    entry = message("PacketReplicationEngineEntry")()
    given = getattr(entry, f"{kind}_entry")
    given.SetInParent()
    setattr(given, KINDS[kind], number)
    for port, instance in replicas:
        given.replicas.add(port=octets(port), instance=instance)
    for name, value in more.items():
        setattr(given, name, value)
    return entry


def changed(controller: Controller, kind: int, entry: Any) -> Code:
    return controller.write(update(kind, packet_replication_engine_entry=entry))[0]


def found(controller: Controller, entry: Any) -> list[Any]:
    asked = entity(packet_replication_engine_entry=entry)
    return [told.packet_replication_engine_entry for told in controller.read(asked)]


@pytest.fixture(params=KINDS)
def kind(request: pytest.FixtureRequest) -> Iterator[str]:
    yield request.param


def test_insert_modify_delete(controller: Controller, served: Any, kind: str) -> None:
    first, second = made(kind, 7, (0, 1), (1, 1), (1, 2)), made(kind, 8)
    assert changed(controller, MODIFY, first) is Code.NOT_FOUND
    assert changed(controller, INSERT, first) is Code.OK
    assert changed(controller, INSERT, second) is Code.OK
    assert changed(controller, INSERT, first) is Code.ALREADY_EXISTS
    assert found(controller, first) == [first]
    assert found(controller, made(kind, 0)) == [first, second]
    if kind == "clone_session":
        assert served.switch.do("mirroring_get 7") == f"clone session 7: multicast group {0x8000 + 7}\n"
    less = made(kind, 7, (1, 2))
    assert changed(controller, MODIFY, less) is Code.OK
    assert found(controller, less) == [less]
    for entry in (first, second):
        assert changed(controller, DELETE, entry) is Code.OK
    assert found(controller, made(kind, 0)) == []
    assert changed(controller, DELETE, first) is Code.NOT_FOUND


def test_the_old_number_of_a_port_is_read_as_it_was_written(controller: Controller, kind: str) -> None:
    """As with BMv2's server, so that older controllers find their ports."""
    entry, new = made(kind, 9, (0, 3)), made(kind, 9, (0, 3), (1, 3))
    getattr(entry, f"{kind}_entry").replicas.add(egress_port=1, instance=3)
    assert changed(controller, INSERT, entry) is Code.OK
    assert found(controller, entry) == [entry]
    assert changed(controller, MODIFY, new) is Code.OK
    assert found(controller, new) == [new]
    assert changed(controller, MODIFY, entry) is Code.OK
    assert changed(controller, DELETE, entry) is Code.OK
    assert changed(controller, INSERT, new) is Code.OK
    assert found(controller, new) == [new]


def test_what_is_refused(controller: Controller, kind: str) -> None:
    assert changed(controller, INSERT, made(kind, 0)) is Code.INVALID_ARGUMENT
    assert changed(controller, INSERT, made(kind, 0x8000)) is Code.OUT_OF_RANGE
    assert changed(controller, INSERT, made(kind, 7, (1, 1), (1, 1))) is Code.INVALID_ARGUMENT
    assert changed(controller, INSERT, made(kind, 7, (1, 1 << 16))) is Code.INVALID_ARGUMENT
    assert changed(controller, INSERT, made(kind, 7, (1 << 16, 1))) is Code.OUT_OF_RANGE
    assert changed(controller, 0, made(kind, 7)) is Code.INVALID_ARGUMENT
    assert changed(controller, INSERT, message("PacketReplicationEngineEntry")()) is Code.INVALID_ARGUMENT
    backup = made(kind, 7, (1, 1))
    getattr(backup, f"{kind}_entry").replicas[0].backup_replicas.add(port=octets(0), instance=2)
    assert changed(controller, INSERT, backup) is Code.UNIMPLEMENTED
    assert found(controller, made(kind, 0)) == []


def test_what_is_refused_of_sessions(controller: Controller) -> None:
    refused = {
        Code.INVALID_ARGUMENT: {"packet_length_bytes": -1},
        Code.OUT_OF_RANGE: {"packet_length_bytes": 1 << 24},
        Code.UNIMPLEMENTED: {"class_of_service": 1},
    }
    for code, more in refused.items():
        assert changed(controller, INSERT, made("clone_session", 7, (1, 1), **more)) is code
    assert found(controller, made("clone_session", 0)) == []


def test_clones_are_cut_to_the_length_of_their_session(controller: Controller, served: Any) -> None:
    first, second = (made("clone_session", 7, (1, 1), packet_length_bytes=most) for most in (64, 1500))
    for kind, entry in ((INSERT, first), (MODIFY, second), (MODIFY, made("clone_session", 7, (0, 1))), (DELETE, first)):
        assert changed(controller, kind, entry) is Code.OK
        assert found(controller, entry) == ([] if kind == DELETE else [entry])
        if kind == INSERT:
            told = f"clone session 7: multicast group {0x8000 + 7}, at most 64 bytes\n"
            assert served.switch.do("mirroring_get 7") == told


def test_the_metadata_of_a_group(controller: Controller) -> None:
    group = made("multicast_group", 7, (1, 1), metadata=b"\x00what a controller notes")
    for kind, entry in (
        (INSERT, group),
        (MODIFY, made("multicast_group", 7, (1, 1))),
        (MODIFY, group),
        (DELETE, group),
    ):
        assert changed(controller, kind, entry) is Code.OK
        assert found(controller, entry) == ([] if kind == DELETE else [entry])
    assert changed(controller, INSERT, made("multicast_group", 7)) is Code.OK
    assert found(controller, group) == [made("multicast_group", 7)]
