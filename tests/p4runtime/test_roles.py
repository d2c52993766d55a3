"""Roles with a configuration. P4Runtime spec 1.4.1 section 5.2."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from typing import Any

import grpc
import pytest
from controller import DELETE, INSERT, MODIFY, Controller, Stream, entity, octets, update
from switch_harness import ethernet

from macsad.p4runtime.codes import Code
from macsad.p4runtime.messages import message, messages

OK, DENIED = Code.OK, Code.PERMISSION_DENIED
SECOND = 10**9
elections = itertools.count(1 << 40)  # a stream that has ended may still be there for a moment


def role_config(**what: Any) -> Any:
    return messages().of("stratum.P4RoleConfig")(**what)


class Role:
    """The primary of a role."""

    def __init__(self, served: Any, name: str, config: Any) -> None:
        self.stream = Stream(served.channel)
        self.controller = Controller(served.channel, served.info)
        self.controller.role = name
        self.configure(config)

    def configure(self, config: Any) -> None:
        """Nothing comes before the answer."""
        self.controller.election = next(elections)
        told = self.stream.arbitrate(self.controller.election, role=self.controller.role, config=config)
        assert told.status.code == OK


@pytest.fixture
def lpm(served: Any, controller: Controller) -> Iterator[Role]:
    """It has lpm_t alone, exact_t with others, and packets of port 1."""
    ids = [controller.id("tables", name) for name in ("lpm_t", "exact_t")]
    only = {"metadata_id": 1, "value": b"\1"}
    config = role_config(
        exclusive_p4_ids=ids[:1], shared_p4_ids=ids[1:], receives_packet_ins=True, packet_in_filter=only
    )
    role = Role(served, "lpm", config)
    yield role
    role.stream.close()


def lpm_entry(controller: Controller, number: int) -> Any:
    return controller.entry("lpm_t", {1: {"lpm": {"value": octets(number << 32), "prefix_len": 16}}}, "forward", 1)


def exact_entry(controller: Controller, number: int) -> Any:
    return controller.entry("exact_t", {1: octets(number)}, "count_forward", 1)


def aging_entry(controller: Controller, number: int) -> Any:
    return controller.entry("aging_t", {1: octets(number)}, "forward", 1, idle_timeout_ns=SECOND // 20)


def test_a_role_writes_what_is_its(lpm: Role) -> None:
    mine, shared, other = (make(lpm.controller, 1) for make in (lpm_entry, exact_entry, aging_entry))
    updates = [update(INSERT, table_entry=e) for e in (other, mine, other, shared)]
    assert lpm.controller.write(*updates) == [DENIED, OK, DENIED, OK]
    assert lpm.controller.write(*(update(DELETE, table_entry=e) for e in (mine, shared))) == [OK, OK]
    for atomicity in (1, 2):
        assert lpm.controller.write(*updates, atomicity=atomicity) == [DENIED, Code.ABORTED, DENIED, Code.ABORTED]
    assert lpm.controller.read(entity(table_entry=lpm.controller.entry("lpm_t", {}))) == []
    counter = message("DirectCounterEntry")(table_entry=shared)
    assert lpm.controller.write(update(INSERT, table_entry=shared)) == [OK]
    assert lpm.controller.write(update(MODIFY, direct_counter_entry=counter)) == [OK]
    group = message("PacketReplicationEngineEntry")()
    group.multicast_group_entry.multicast_group_id = 1
    assert lpm.controller.write(update(INSERT, packet_replication_engine_entry=group)) == [DENIED]


def test_a_role_reads_what_is_its(lpm: Role, controller: Controller) -> None:
    entries = [make(controller, 2) for make in (lpm_entry, exact_entry, aging_entry)]
    assert controller.write(*(update(INSERT, table_entry=e) for e in entries)) == [OK] * 3
    everything = entity(table_entry=message("TableEntry")())
    ids = {e.table_id for e in entries}
    assert {e.table_entry.table_id for e in controller.read(everything)} > ids  # there are constant ones, too
    assert {e.table_entry.table_id for e in lpm.controller.read(everything)} == ids - {entries[2].table_id}
    assert lpm.controller.read(entity(table_entry=controller.entry("aging_t", {}))) == []


def test_a_role_may_set_the_program(served: Any, lpm: Role) -> None:
    def verify(controller: Controller) -> Code:
        request = message("SetForwardingPipelineConfigRequest")(action=1)  # VERIFY
        request.config.p4info.CopyFrom(served.info)
        try:
            controller.call("SetForwardingPipelineConfig", controller.signed(request))
        except grpc.RpcError as error:
            return Code(error.code().value[0])
        return OK

    allowed = Role(served, "programs", role_config(can_push_pipeline=True))
    assert verify(lpm.controller) is DENIED
    assert verify(allowed.controller) is not DENIED
    allowed.stream.close()


def test_a_role_gets_its_packets(served: Any, lpm: Role, controller: Controller, stream: Stream) -> None:
    none = Role(served, "no packets", role_config())
    still_none = Role(served, "none of port 1", role_config(packet_in_filter={"metadata_id": 1, "value": b"\1"}))
    every = Role(served, "all packets", role_config(receives_packet_ins=True))
    default = message("TableEntry")(table_id=controller.id("tables", "exact_t"), is_default_action=True)
    default.action.action.action_id = controller.id("actions", "to_controller")
    assert controller.write(update(MODIFY, table_entry=default)) == [OK]
    for port in (0, 1):
        served.switch.client.exchange([(port, ethernet(7, 7))])
    assert [stream.next().packet.metadata[0].value for _ in range(2)] == [b"\0", b"\1"]
    assert [every.stream.next().packet.metadata[0].value for _ in range(2)] == [b"\0", b"\1"]
    assert lpm.stream.next().packet.metadata[0].value == b"\1"
    for one in (none, still_none):
        one.configure(None)
        one.stream.close()
    every.stream.close()


def test_a_role_is_told_of_its_entries_and_digests(
    served: Any, lpm: Role, controller: Controller, stream: Stream
) -> None:
    digest = message("DigestEntry")(digest_id=controller.id("digests", "learn_t"))
    digest.config.max_list_size = 1
    ids = [controller.id("tables", "aging_t"), digest.digest_id]
    aging = Role(served, "aging", role_config(shared_p4_ids=ids))
    assert controller.write(update(INSERT, digest_entry=digest)) == [OK]
    assert controller.write(update(INSERT, table_entry=aging_entry(controller, 5))) == [OK]
    served.switch.client.exchange([(1, ethernet(1, 0x4C45, src=9))])
    for one in (stream, aging.stream):
        kinds = {one.next().WhichOneof("update") for _ in range(2)}
        assert kinds == {"digest", "idle_timeout_notification"}
    lpm.configure(None)
    aging.stream.close()


def test_the_configuration_of_the_primary_counts(served: Any, controller: Controller) -> None:
    ids = [controller.id("tables", name) for name in ("lpm_t", "exact_t")]
    first = Role(served, "changes", role_config(exclusive_p4_ids=ids[:1]))
    backup = Stream(served.channel)
    assert backup.arbitrate(1, role="changes", config=role_config(shared_p4_ids=ids)).status.code == Code.ALREADY_EXISTS
    entries = [update(INSERT, table_entry=make(controller, 3)) for make in (lpm_entry, exact_entry)]
    assert first.controller.write(*entries) == [OK, DENIED]
    first.configure(None)
    assert first.controller.write(*entries) == [Code.ALREADY_EXISTS, OK]  # without one, everything is the role's
    backup.close()
    first.stream.close()


@pytest.mark.parametrize(
    ("role", "config", "code"),
    [
        ("other", {"exclusive_p4_ids": ["lpm_t"]}, Code.INVALID_ARGUMENT),
        ("other", {"shared_p4_ids": ["lpm_t"]}, Code.INVALID_ARGUMENT),
        ("other", {"exclusive_p4_ids": ["exact_t"]}, Code.INVALID_ARGUMENT),
        ("other", {"exclusive_p4_ids": ["all_t"], "shared_p4_ids": ["all_t"]}, Code.INVALID_ARGUMENT),
        ("other", {"shared_p4_ids": ["exact_t"]}, OK),
        ("", {}, Code.INVALID_ARGUMENT),
    ],
)
def test_configurations_beside_each_other(
    served: Any, lpm: Role, role: str, config: dict[str, list[str]], code: Code
) -> None:
    ids = {name: [lpm.controller.id("tables", table) for table in tables] for name, tables in config.items()}
    stream = Stream(served.channel)
    stream.arbitration(1 << 90, role=role, config=role_config(**ids))
    if code is OK:
        assert stream.next().arbitration.status.code == OK
        stream.close()
    else:
        assert stream.ends() is code


def test_forms_that_are_not_known(served: Any) -> None:
    other, broken = Stream(served.channel), Stream(served.channel)
    other.arbitration(1, role="other", config=message("TableEntry")())
    assert other.ends() is Code.UNIMPLEMENTED
    asked = message("MasterArbitrationUpdate")()
    asked.role.name = "broken"
    asked.role.config.type_url, asked.role.config.value = "type.googleapis.com/stratum.P4RoleConfig", b"\xff\xff"
    broken.send(arbitration=asked)
    assert broken.ends() is Code.INVALID_ARGUMENT
