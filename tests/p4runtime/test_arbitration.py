"""Who is the primary. P4Runtime spec 1.4.1 sections 5 and 16."""

from __future__ import annotations

from typing import Any

import pytest
from controller import INSERT, Controller, Stream, update

from macsad.p4runtime.arbitration import Arbitration, Controller as ControllerStream
from macsad.p4runtime.codes import Code, Refused
from macsad.p4runtime.messages import message

HIGH = 1 << 100  # ids have 128 bits; each test goes on where the one before has been


def test_the_highest_id_is_the_primary(served: Any) -> None:
    role = "highest"
    first, second, third = Stream(served.channel), Stream(served.channel), Stream(served.channel)
    assert first.arbitrate(HIGH + 1, role=role).status.code == Code.OK
    told = second.arbitrate(HIGH, role=role)
    assert (told.status.code, told.election_id.high, told.election_id.low) == (Code.ALREADY_EXISTS, 1 << 36, 1)
    third.arbitration(HIGH + 2, role=role)
    assert [s.next().arbitration.status.code for s in (first, second, third)] == [6, 6, 0]
    third.close()
    for stream in (first, second):
        assert (
            stream.next().arbitration.status.code == Code.NOT_FOUND
        )  # neither id is as high as that of the last primary
    assert second.arbitrate(HIGH + 3, role=role).status.code == Code.OK
    assert first.next().arbitration.status.code == Code.ALREADY_EXISTS
    first.close()
    second.close()


def test_only_the_primary_writes(served: Any) -> None:
    stream = Stream(served.channel)
    controller = Controller(served.channel, served.info, 5)
    controller.role = "writes"
    entry = controller.entry("lpm_t", {}, "forward", 1)
    assert controller.write(update(INSERT, table_entry=entry)) == [Code.PERMISSION_DENIED]
    assert stream.arbitrate(5, role="writes").status.code == Code.OK
    assert controller.write(update(INSERT, table_entry=entry)) == [Code.OK]
    controller.election = 4
    assert controller.write(update(INSERT, table_entry=entry)) == [Code.PERMISSION_DENIED]
    backup = Stream(served.channel)
    assert backup.arbitrate(0, role="writes").status.code == Code.ALREADY_EXISTS
    backup.send(packet=message("PacketOut")(payload=b"x"))
    assert backup.next().error.canonical_code == Code.PERMISSION_DENIED
    backup.close()
    stream.close()


def test_nobody_needs_an_election_id_while_no_controller_has_one() -> None:
    """As with BMv2's server."""
    arbitration, update = Arbitration(3), message("MasterArbitrationUpdate")(device_id=3)
    update.election_id.low = 1
    assert arbitration.require(3, "", None) is None
    for role, election in (("", update.election_id), ("a role", None)):
        with pytest.raises(Refused, match="not the primary"):
            arbitration.require(3, role, election)
    arbitration.update(ControllerStream(), message("MasterArbitrationUpdate")(device_id=3))
    assert arbitration.require(3, "", None) is None
    with pytest.raises(Refused, match="not the primary"):
        arbitration.require(3, "a role", None)
    backup, primary = ControllerStream(), ControllerStream()
    arbitration.update(backup, update)
    assert arbitration.require(3, "", update.election_id) is None
    with pytest.raises(Refused, match="not the primary"):
        arbitration.require(3, "", None)
    update.election_id.low = 2
    arbitration.update(primary, update)
    arbitration.gone(primary)
    with pytest.raises(Refused, match="not the primary"):  # there is none, but one that may become it
        arbitration.require(3, "", None)
    arbitration.gone(backup)
    assert arbitration.require(3, "", None) is None


def test_streams_that_end(served: Any) -> None:
    first = Stream(served.channel)
    assert first.arbitrate(9, role="ends").status.code == Code.OK
    same, elsewhere, early = Stream(served.channel), Stream(served.channel), Stream(served.channel)
    same.arbitration(9, role="ends")
    elsewhere.arbitration(10, device=7, role="ends")
    early.send(packet=message("PacketOut")(payload=b"x"))
    assert same.ends() is Code.INVALID_ARGUMENT
    assert elsewhere.ends() is Code.NOT_FOUND
    assert early.ends() is Code.FAILED_PRECONDITION
    first.arbitration(10, role="another")
    assert first.ends() is Code.FAILED_PRECONDITION
