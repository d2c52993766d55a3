"""Entries and resources of a running switch, as a controller writes and reads them."""

from __future__ import annotations

import threading
from types import SimpleNamespace
from typing import Any

import grpc
import pytest
from controller import DELETE, INSERT, MODIFY, Controller, Stream, entity, octets, update
from switch_harness import ethernet

from macsad.p4runtime.codes import Code
from macsad.p4runtime.messages import message
from macsad.p4runtime.program import join
from macsad.p4runtime.service import WAITING, Service

OK = Code.OK


def exact(controller: Controller, dst: int, port: int = 1, **more: Any) -> Any:
    return controller.entry("exact_t", {1: octets(dst)}, "count_forward", port, **more)


def all_of(controller: Controller, table: str, **more: Any) -> list[Any]:
    asked = entity(table_entry=controller.entry(table, {}, **more))
    return [found.table_entry for found in controller.read(asked)]


def test_insert_modify_delete(controller: Controller) -> None:
    one, two = exact(controller, 1), exact(controller, 2)
    assert controller.write(update(INSERT, table_entry=one), update(INSERT, table_entry=two)) == [OK, OK]
    found = all_of(controller, "exact_t")
    assert sorted(e.SerializeToString() for e in found) == sorted(e.SerializeToString() for e in (one, two))
    changed = exact(controller, 2, 0)
    codes = controller.write(
        update(INSERT, table_entry=one),
        update(MODIFY, table_entry=changed),
        update(DELETE, table_entry=controller.entry("exact_t", {1: b"\1"})),
        update(DELETE, table_entry=one),
        update(MODIFY, table_entry=one),
    )
    assert codes == [Code.ALREADY_EXISTS, OK, OK, Code.NOT_FOUND, Code.NOT_FOUND]
    assert all_of(controller, "exact_t") == [changed]


def test_each_kind_of_match(controller: Controller) -> None:
    prefix = controller.entry("lpm_t", {1: {"lpm": {"value": octets(0xAA << 40), "prefix_len": 8}}}, "forward", 1)
    every = {
        1: {"ternary": {"value": b"\x12\x00", "mask": b"\xff\x00"}},
        2: {"range": {"low": b"\1", "high": b"\1\xff"}},
        3: {"optional": {"value": b"\5"}},
    }
    whole = controller.entry("all_t", every, "drop", priority=7)
    some = controller.entry("all_t", {3: every[3]}, "drop", priority=7)
    rest = controller.entry("lpm_t", {}, "forward", 0)
    assert controller.write(*(update(INSERT, table_entry=e) for e in (prefix, whole, some, rest))) == [OK] * 4
    assert [e in (prefix, rest) for e in all_of(controller, "lpm_t")] == [True, True]
    assert [e in (whole, some) for e in all_of(controller, "all_t")] == [True, True]
    assert controller.read(entity(table_entry=controller.entry("all_t", every, priority=7)))[0].table_entry == whole
    assert controller.read(entity(table_entry=controller.entry("all_t", every, priority=8))) == []


def test_entries_are_read_by_action_and_priority(controller: Controller) -> None:
    """No action and no priority is any; so is an action without its id."""
    field = {1: {"ternary": {"value": b"\x12\x00", "mask": b"\xff\x00"}}}
    of = [controller.entry("all_t", field, "drop", priority=7), controller.entry("all_t", {}, "drop", priority=8),
          controller.entry("all_t", {2: {"range": {"low": b"\1", "high": b"\2"}}}, "NoAction", priority=7)]  # fmt: skip
    assert controller.write(*(update(INSERT, table_entry=one) for one in of)) == [OK] * 3

    def read(action: str = "", **more: Any) -> list[int]:
        found = controller.read(entity(table_entry=controller.entry("all_t", {}, action, **more)))
        return sorted(of.index(one.table_entry) for one in found)

    assert (read(), read("drop"), read("NoAction"), read("metered")) == ([0, 1, 2], [0, 1], [2], [])
    assert (read(priority=7), read("drop", priority=7), read(priority=9)) == ([0, 2], [0], [])
    asked = controller.entry("all_t", {})
    asked.action.action.SetInParent()
    assert len(controller.read(entity(table_entry=asked))) == 3
    asked.action.action.action_id = 0x01FFFFFF
    assert controller.read(entity(table_entry=asked)) == []


def test_a_program_in_json_has_ternary_keys_for_optional_ones(served: Any) -> None:
    told = served.switch.client.describe()
    (all_t,) = [table for table in told["tables"] if table["name"] == "I.all_t"]
    assert [key["match"] for key in all_t["key"]] == ["ternary", "range", "optional"]
    all_t["key"][2]["match"] = "ternary"
    number = next(t.preamble.id for t in served.info.tables if t.preamble.name == "I.all_t")
    assert join(served.info, told, {}).table(number).keys == served.program.table(number).keys


WRONG = {
    "no key": ({}, Code.INVALID_ARGUMENT),
    "an unknown field": ({1: b"\1", 9: b"\1"}, Code.INVALID_ARGUMENT),
    "too wide": ({1: b"\1" + bytes(6)}, Code.OUT_OF_RANGE),
    "no bytes": ({1: b""}, Code.INVALID_ARGUMENT),
    "another kind": ({1: {"lpm": {"value": b"\1", "prefix_len": 48}}}, Code.INVALID_ARGUMENT),
}


@pytest.mark.parametrize("what", WRONG)
def test_wrong_keys(controller: Controller, what: str) -> None:
    match, code = WRONG[what]
    entry = controller.entry("exact_t", match, "count_forward", 1)
    assert controller.write(update(INSERT, table_entry=entry)) == [code]


def test_not_canonical(controller: Controller) -> None:
    outside = {1: {"ternary": {"value": b"\x12\x34", "mask": b"\xff\x00"}}}
    none = {1: {"ternary": {"value": b"\0", "mask": b"\0"}}}
    empty = {2: {"range": {"low": b"\2", "high": b"\1"}}}
    every = {2: {"range": {"low": b"\0", "high": b"\1\xff"}}}
    behind = {1: {"lpm": {"value": b"\1", "prefix_len": 8}}}
    zero = {1: {"lpm": {"value": b"\0", "prefix_len": 0}}}
    updates = [controller.entry("all_t", match, "drop", priority=1) for match in (outside, none, empty, every)]
    updates += [controller.entry("lpm_t", match, "forward", 1) for match in (behind, zero)]
    updates += [controller.entry("all_t", {}, "drop"), exact(controller, 1, priority=1)]
    assert set(controller.write(*(update(INSERT, table_entry=e) for e in updates))) == {Code.INVALID_ARGUMENT}
    wide = controller.entry("exact_t", {1: bytes(9) + b"\1"}, "count_forward", 1)
    assert controller.write(update(INSERT, table_entry=wide)) == [OK]  # zeros in front are no wider value
    assert all_of(controller, "exact_t")[0].match[0].exact.value == b"\1"


def test_wrong_actions(controller: Controller) -> None:
    def code(entry: Any) -> Code:
        return controller.write(update(INSERT, table_entry=entry))[0]

    assert code(controller.entry("exact_t", {1: b"\1"})) is Code.INVALID_ARGUMENT
    assert code(controller.entry("exact_t", {1: b"\1"}, "forward", 1)) is Code.INVALID_ARGUMENT
    assert code(controller.entry("exact_t", {1: b"\1"}, "count_forward")) is Code.INVALID_ARGUMENT
    assert code(controller.entry("exact_t", {1: b"\1"}, "count_forward", 512)) is Code.OUT_OF_RANGE
    assert code(controller.entry("exact_t", {1: b"\1"}, "to_controller")) is Code.PERMISSION_DENIED
    assert code(message("TableEntry")(table_id=1)) is Code.NOT_FOUND
    assert code(exact(controller, 1, idle_timeout_ns=1)) is Code.INVALID_ARGUMENT
    assert controller.write(update(0, table_entry=exact(controller, 1))) == [Code.INVALID_ARGUMENT]
    assert controller.write(message("Update")(type=INSERT)) == [Code.INVALID_ARGUMENT]


def test_metadata(controller: Controller) -> None:
    one, two = exact(controller, 1, metadata=b"x" * 1000), exact(controller, 2)
    default = controller.entry("exact_t", {}, "count_forward", 1, is_default_action=True, metadata=b"d")
    entries = (update(INSERT, table_entry=one), update(INSERT, table_entry=two), update(MODIFY, table_entry=default))
    assert controller.write(*entries) == [OK] * 3
    again = exact(controller, 1, metadata=b"not kept")
    assert controller.write(update(INSERT, table_entry=again)) == [Code.ALREADY_EXISTS]
    assert sorted(e.metadata for e in all_of(controller, "exact_t")) == [b"", one.metadata]
    assert all_of(controller, "exact_t", metadata=one.metadata) == [one]
    assert all_of(controller, "exact_t", is_default_action=True) == [default]
    assert controller.write(update(MODIFY, table_entry=exact(controller, 1))) == [OK]
    assert controller.write(update(MODIFY, table_entry=exact(controller, 2, metadata=b"y"))) == [OK]
    assert controller.write(update(DELETE, table_entry=two), update(INSERT, table_entry=two)) == [OK, OK]
    assert [e.metadata for e in all_of(controller, "exact_t")] == [b"", b""]


def test_default_entries(controller: Controller, served: Any) -> None:
    default = controller.entry("exact_t", {}, "count_forward", 1, is_default_action=True)
    assert controller.write(update(MODIFY, table_entry=default)) == [OK]
    assert all_of(controller, "exact_t", is_default_action=True) == [default]
    assert served.switch.do("table_num_entries exact_t") == "0\n"
    back = controller.entry("exact_t", {}, is_default_action=True)
    assert controller.write(update(MODIFY, table_entry=back)) == [OK]
    assert all_of(controller, "exact_t", is_default_action=True)[0].action.action.action_id == controller.id(
        "actions", "drop"
    )
    assert controller.write(update(INSERT, table_entry=default)) == [Code.INVALID_ARGUMENT]


def test_constant_tables(controller: Controller) -> None:
    entry = controller.entry("const_t", {1: b"\1"}, "drop")
    default = controller.entry("const_t", {}, "drop", is_default_action=True)
    codes = controller.write(update(INSERT, table_entry=entry), update(MODIFY, table_entry=default))
    assert codes == [Code.PERMISSION_DENIED] * 2
    found = all_of(controller, "const_t")
    assert [e.match[0].exact.value for e in found if e.is_const] == [b"\xde\xad", b"\xbe\xef"]


def test_a_batch_is_undone(controller: Controller) -> None:
    kept, gone = exact(controller, 1), exact(controller, 2)
    assert controller.write(update(INSERT, table_entry=kept), update(INSERT, table_entry=gone)) == [OK, OK]
    before = sorted(e.SerializeToString() for e in all_of(controller, "exact_t"))
    codes = controller.write(
        update(MODIFY, table_entry=exact(controller, 1, 0)),
        update(DELETE, table_entry=gone),
        update(INSERT, table_entry=exact(controller, 3)),
        update(INSERT, table_entry=exact(controller, 3)),
        update(INSERT, table_entry=exact(controller, 4)),
        atomicity=1,
    )
    assert codes == [Code.ABORTED] * 3 + [Code.ALREADY_EXISTS, Code.ABORTED]
    assert sorted(e.SerializeToString() for e in all_of(controller, "exact_t")) == before
    inserts = [exact(controller, 5), exact(controller, 6), exact(controller, 1), exact(controller, 7)]
    codes = controller.write(*(update(INSERT, table_entry=e) for e in inserts), atomicity=1)
    assert codes == [Code.ABORTED] * 2 + [Code.ALREADY_EXISTS, Code.ABORTED]
    assert sorted(e.SerializeToString() for e in all_of(controller, "exact_t")) == before
    assert controller.write(update(DELETE, table_entry=gone), atomicity=3) == [Code.INVALID_ARGUMENT]


def test_packets_meet_all_of_a_batch_or_nothing(controller: Controller, served: Any) -> None:
    """A packet goes to port 0 by both tables, or by the first alone; one that met half of a change would go to port 1."""
    client = served.switch.client
    first, last = (exact(controller, 1, port) for port in (0, 1))
    every = controller.entry("lpm_t", {1: {"lpm": {"value": bytes(6), "prefix_len": 1}}}, "forward", 0)
    assert controller.write(update(INSERT, table_entry=first), atomicity=2) == [OK]
    met, done = set[tuple[int, ...]](), threading.Event()

    def forward() -> None:
        while not done.is_set():
            met.add(tuple(port for port, _ in client.exchange([(0, ethernet(1))] * 2)))

    thread = threading.Thread(target=forward)
    thread.start()
    for _ in range(100):
        both = [update(MODIFY, table_entry=last), update(INSERT, table_entry=every)]
        assert controller.write(*both, atomicity=2) == [OK, OK]
        alone = [update(DELETE, table_entry=every), update(MODIFY, table_entry=first)]
        assert controller.write(*alone, atomicity=2) == [OK, OK]
    done.set()
    thread.join()
    assert met == {(0, 0)}
    codes = controller.write(*alone[1:], both[1], update(INSERT, table_entry=first), atomicity=2)
    assert codes == [Code.ABORTED] * 2 + [Code.ALREADY_EXISTS]


def test_a_batch_with_an_entry_for_anything_is_undone(controller: Controller) -> None:
    entries = [controller.entry("lpm_t", {}, "forward", 1)]
    entries += [controller.entry("lpm_t", {1: {"lpm": {"value": b"\x0a" + bytes(5), "prefix_len": 8}}}, "NoAction")]
    assert controller.write(*(update(INSERT, table_entry=e) for e in entries)) == [OK, OK]
    failing = update(INSERT, table_entry=entries[1])
    anything = controller.entry("lpm_t", {})
    codes = controller.write(update(DELETE, table_entry=anything), failing, atomicity=1)
    assert codes == [Code.ABORTED, Code.ALREADY_EXISTS]
    assert sorted(e.SerializeToString() for e in all_of(controller, "lpm_t")) == sorted(
        e.SerializeToString() for e in entries
    )


def test_direct_counters(controller: Controller, served: Any) -> None:
    entry = exact(controller, 1)
    entry.counter_data.packet_count, entry.counter_data.byte_count = 5, 500
    assert controller.write(update(INSERT, table_entry=entry)) == [OK]
    sent = served.switch.client
    sent.inject(0, [ethernet(1)])
    served.switch.do("show_ports")
    asked = entity(direct_counter_entry=message("DirectCounterEntry")(table_entry=exact(controller, 1)))
    for _ in range(1000):
        (found,) = controller.read(asked)
        if found.direct_counter_entry.data.packet_count == 6:
            break
    assert found.direct_counter_entry.data.byte_count == 560
    with_counts = controller.entry("exact_t", {1: b"\1"})
    with_counts.counter_data.SetInParent()
    assert controller.read(entity(table_entry=with_counts))[0].table_entry.counter_data.packet_count == 6
    reset = message("DirectCounterEntry")(table_entry=controller.entry("exact_t", {1: b"\1"}))
    assert controller.write(update(MODIFY, direct_counter_entry=reset)) == [OK]
    assert controller.read(asked)[0].direct_counter_entry.data.packet_count == 0


def test_counters_meters_registers(controller: Controller) -> None:
    index = message("Index")(index=3)
    count = message("CounterEntry")(counter_id=controller.id("counters", "seen"), index=index)
    count.data.packet_count, count.data.byte_count = 7, 700
    rates = message("MeterConfig")(cir=1000, cburst=10, pir=2000, pburst=20)
    meter = message("MeterEntry")(meter_id=controller.id("meters", "police"), index=index, config=rates)
    data = message("P4Data")(bitstring=b"\x12\x34")
    register = message("RegisterEntry")(register_id=controller.id("registers", "last"), index=index, data=data)
    entities = [entity(counter_entry=count), entity(meter_entry=meter), entity(register_entry=register)]
    assert controller.write(*(message("Update")(type=MODIFY, entity=e) for e in entities)) == [OK] * 3
    assert controller.read(*entities) == entities
    every = controller.read(entity(counter_entry=message("CounterEntry")()))
    assert [e.counter_entry.index.index for e in every] == list(range(8))
    meter.ClearField("config")
    assert controller.write(update(MODIFY, meter_entry=meter)) == [OK]
    assert not controller.read(entity(meter_entry=meter))[0].meter_entry.HasField("config")
    index.index = 8
    beyond = message("CounterEntry")(counter_id=count.counter_id, index=index)
    assert controller.write(update(MODIFY, counter_entry=beyond)) == [Code.OUT_OF_RANGE]
    assert controller.write(update(INSERT, counter_entry=count)) == [Code.INVALID_ARGUMENT]
    assert controller.write(update(INSERT, extern_entry=message("ExternEntry")())) == [Code.UNIMPLEMENTED]


def test_direct_meters(controller: Controller) -> None:
    entry = controller.entry("all_t", {}, "metered", priority=1)
    entry.meter_config.cir, entry.meter_config.cburst = 100, 1000
    entry.meter_config.pir, entry.meter_config.pburst = 200, 2000
    assert controller.write(update(INSERT, table_entry=entry)) == [OK]
    asked = controller.entry("all_t", {})
    asked.meter_config.SetInParent()
    assert controller.read(entity(table_entry=asked))[0].table_entry == entry
    entry.ClearField("meter_config")
    assert controller.write(update(MODIFY, table_entry=entry)) == [OK]
    assert not controller.read(entity(table_entry=asked))[0].table_entry.HasField("meter_config")


def test_pipeline_and_capabilities(controller: Controller, served: Any) -> None:
    assert controller.call("Capabilities", message("CapabilitiesRequest")()).p4runtime_api_version == "1.4.1"
    config = message("ForwardingPipelineConfig")(p4info=served.info)
    config.cookie.cookie = 42
    name = "SetForwardingPipelineConfig"

    def set_pipeline(action: int, config: Any) -> Code:
        try:
            controller.call(name, controller.signed(message(f"{name}Request")(action=action, config=config)))
        except grpc.RpcError as error:
            return Code(error.code().value[0])
        return OK

    assert controller.write(update(INSERT, table_entry=exact(controller, 1))) == [OK]
    assert set_pipeline(1, config) is OK
    assert set_pipeline(4, None) is Code.NOT_FOUND
    assert set_pipeline(5, config) is OK
    assert len(all_of(controller, "exact_t")) == 1
    assert set_pipeline(2, config) is OK
    assert set_pipeline(4, None) is OK
    assert all_of(controller, "exact_t") == []
    got = controller.call("GetForwardingPipelineConfig", message("GetForwardingPipelineConfigRequest")())
    assert (got.config.p4info, got.config.cookie.cookie) == (served.info, 42)
    other = message("ForwardingPipelineConfig")(p4info=served.info, p4_device_config=b"{}")
    assert set_pipeline(3, other) is Code.UNIMPLEMENTED
    assert set_pipeline(3, message("ForwardingPipelineConfig")()) is Code.UNIMPLEMENTED
    assert set_pipeline(3, None) is Code.INVALID_ARGUMENT
    assert set_pipeline(0, config) is Code.INVALID_ARGUMENT


def test_many_entries_come_in_parts(controller: Controller) -> None:
    updates = [update(INSERT, table_entry=exact(controller, i)) for i in range(1, 2501)]
    assert set(controller.write(*updates)) == {OK}
    keys = {e.match[0].exact.value for e in all_of(controller, "exact_t")}
    assert keys == {octets(i) for i in range(1, 2501)}


def test_what_belongs_to_many_entries_is_read_with_them(controller: Controller) -> None:
    """Counters and metadata of 1000 entries, of whose indices many are free."""
    there = [exact(controller, i) for i in range(1, 1501)]
    assert set(controller.write(*(update(INSERT, table_entry=e) for e in there))) == {OK}
    gone = [e for number, e in enumerate(there) if number % 3 == 1 or 400 < number < 700]
    assert set(controller.write(*(update(DELETE, table_entry=e) for e in gone))) == {OK}
    kept = [e for e in there if e not in gone]
    for number, entry in enumerate(kept):
        entry.metadata = b"m%d" % number if number % 2 else b""
        entry.counter_data.packet_count = entry.counter_data.byte_count = number
    assert set(controller.write(*(update(MODIFY, table_entry=e) for e in kept))) == {OK}
    asked = controller.entry("exact_t", {})
    asked.counter_data.SetInParent()
    found = {e.SerializeToString() for e in all_of(controller, "exact_t", counter_data=asked.counter_data)}
    assert found == {entry.SerializeToString() for entry in kept}
    direct = controller.read(entity(direct_counter_entry=message("DirectCounterEntry")()))
    counts = {e.direct_counter_entry.table_entry.match[0].exact.value: e.direct_counter_entry.data for e in direct}
    assert counts == {entry.match[0].exact.value: entry.counter_data for entry in kept}


def test_packets(controller: Controller, stream: Stream, served: Any) -> None:
    frame = ethernet(9)
    default = controller.entry("exact_t", {}, "to_controller", is_default_action=True)
    assert controller.write(update(MODIFY, table_entry=default)) == [OK]
    served.switch.client.inject(1, [frame])
    packet = stream.next().packet
    assert packet.payload == frame
    assert [(m.metadata_id, m.value) for m in packet.metadata] == [(1, b"\1"), (2, b"\0")]
    out = message("PacketOut")(payload=frame)
    out.metadata.add(metadata_id=1, value=octets(64))
    out.metadata.add(metadata_id=2, value=b"\0")
    stream.send(packet=out)  # to the controller's own port, so that it comes back
    back = stream.next().packet
    assert back.payload == frame and back.metadata[0].value == octets(64)
    out.metadata.pop()
    stream.send(packet=out)
    error = stream.next().error
    assert (error.canonical_code, error.packet_out.packet_out) == (Code.INVALID_ARGUMENT, out)
    stream.send(digest_ack=message("DigestListAck")(list_id=3))
    assert stream.next().error.digest_list_ack.digest_list_ack.list_id == 3


def test_more_failures_than_a_client_takes(controller: Controller) -> None:
    """gRPC's clients refuse trailers of more than 16 KiB, and then do not see how the call ended."""
    entry = controller.entry("lpm_t", {1: {"lpm": {"value": octets(0x0A << 40), "prefix_len": 8}}}, "forward", 1)
    assert controller.write(update(INSERT, table_entry=entry)) == [Code.OK]
    again = [update(INSERT, table_entry=entry)]
    assert controller.write(*again * 150) == [Code.ALREADY_EXISTS] * 150
    with pytest.raises(grpc.RpcError) as failure:
        controller.call("Write", controller.signed(message("WriteRequest")(updates=again * 1000)))
    assert failure.value.code() is grpc.StatusCode.UNKNOWN
    assert failure.value.details().startswith("1000 of 1000 updates failed")


class Unread:
    """What waits for a controller that reads so many messages between two looks."""

    def __init__(self, waiting: int, read: int) -> None:
        self.left, self.read = waiting, read

    @property
    def waiting(self) -> int:
        self.left = max(0, self.left - self.read)
        return self.left


@pytest.mark.parametrize("read", [0, 100])
def test_packets_wait_in_the_switch_while_controllers_read(read: int) -> None:
    """One that reads nothing holds nobody up."""
    unread = Unread(3 * WAITING, read)
    service = Service.__new__(Service)
    service._stopping = threading.Event()
    service._arbitration = SimpleNamespace(primaries=lambda: [unread])  # type: ignore[assignment]
    service._let_read()
    assert unread.left <= WAITING if read else unread.left == 3 * WAITING
