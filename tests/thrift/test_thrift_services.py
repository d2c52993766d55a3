"""The services as clients of others see them: names and numbers on the wire, codes of what is refused."""

from __future__ import annotations

import hashlib
import json
import socket
import struct
import threading
from pathlib import Path
from typing import Any

import pytest
import switches
from switch_harness import Switch

from macsad.shims.cli import connection
from macsad.shims.cli.session import Session
from macsad.thrift.config import config_of
from macsad.thrift.described import simple_switch, standard
from macsad.thrift.management import Identity
from macsad.thrift.server import Standard
from macsad.thrift.switch import Switch as Served

CALL, REPLY = 0x80010001, 0x80010002
BOOL, DOUBLE, I32, I64, STRING, STRUCT, LIST = 2, 4, 8, 10, 11, 12, 15
END = b"\0"


def text(value: bytes) -> bytes:
    return struct.pack(">I", len(value)) + value


def field(kind: int, number: int, value: bytes) -> bytes:
    return struct.pack(">BH", kind, number) + value


def i32(number: int, value: int) -> bytes:
    return field(I32, number, struct.pack(">i", value))


def ask(connected: socket.socket, method: bytes, *fields: bytes) -> bytes:
    """What a call returns: the struct behind the head of the reply."""
    connected.sendall(struct.pack(">I", CALL) + text(method) + struct.pack(">i", 5) + b"".join(fields) + END)
    name = method.partition(b":")[2]
    head = struct.pack(">I", REPLY) + text(name) + struct.pack(">i", 5)
    got = b""
    while len(got) <= len(head) or not got.endswith(END):
        got += connected.recv(65536)
    assert got.startswith(head)
    return got[len(head) :]


def test_bytes_on_the_wire(session: Session, raw: socket.socket) -> None:
    """Written by hand of BMv2's description, not of ours."""
    flag = i32(1, 0) + field(STRUCT, 2, field(STRING, 1, text(b"\1")) + END) + END  # EXACT
    net = i32(1, 1) + field(STRUCT, 3, field(STRING, 1, text(b"\1\x20")) + i32(2, 8) + END) + END  # LPM
    key = field(LIST, 3, struct.pack(">BI", STRUCT, 2) + flag + net)
    data = field(LIST, 5, struct.pack(">BI", STRING, 1) + text(b"\0\5"))
    table, action = field(STRING, 2, text(b"I.prefixes")), field(STRING, 4, text(b"I.go"))
    call = (b"standard:bm_mt_add_entry", i32(1, 0), table, key, action, data, field(STRUCT, 6, END))
    added = ask(raw, *call)
    assert added[:3] == struct.pack(">BH", I32, 0) and added[7:] == END
    assert ask(raw, *call) == field(STRUCT, 1, i32(1, 17) + END) + END  # DUPLICATE_ENTRY
    count = ask(raw, b"standard:bm_mt_get_num_entries", i32(1, 0), table)
    assert count == field(I64, 0, struct.pack(">q", 1)) + END
    entries = ask(raw, b"standard:bm_mt_get_entries", i32(1, 0), table)
    (handle,) = struct.unpack(">i", added[3:7])
    did = (
        i32(1, 1)
        + field(STRING, 2, text(b"I.go"))
        + field(LIST, 3, struct.pack(">BI", STRING, 1) + text(b"\0\5"))
        + END
    )
    entry = field(LIST, 1, struct.pack(">BI", STRUCT, 2) + flag + net) + field(STRUCT, 2, i32(1, -1) + END)
    entry += i32(3, handle) + field(STRUCT, 4, did) + END
    assert entries == field(LIST, 0, struct.pack(">BI", STRUCT, 1) + entry) + END
    group = ask(raw, b"simple_pre_lag:bm_mc_mgrp_create", i32(1, 0), i32(2, 9))
    assert group == i32(0, 9) + END
    missing = ask(raw, b"simple_switch:mirroring_session_get", i32(1, 77))
    assert missing == field(STRUCT, 1, i32(1, 1) + END) + END


def test_what_is_no_thrift_ends_its_own_connection_only(session: Session, raw: socket.socket) -> None:
    raw.sendall(b"GET / HTTP/1.1\r\n\r\n")
    raw.shutdown(socket.SHUT_WR)
    assert raw.recv(100) == b""
    assert session.standard.bm_mt_get_num_entries(0, "I.prefixes") == 0


def test_a_method_that_is_not_there(session: Session, port: int) -> None:
    with socket.create_connection(("127.0.0.1", port)) as connected:
        connected.settimeout(20)
        connected.sendall(struct.pack(">I", CALL) + text(b"nothing:at_all") + struct.pack(">i", 5) + END)
        assert connected.recv(4) == struct.pack(">I", 0x80010003)  # an exception
    assert session.target.get_time_elapsed_us() > 0


def test_several_clients_at_once(session: Session, port: int) -> None:
    def fill(first: int) -> None:
        other = connection.connect("127.0.0.1", port, "None", None)
        for place in range(4):
            other.standard.bm_register_write(0, "I.words", place, first)
            assert other.standard.bm_counter_read(0, "I.seen", 0) is not None

    clients = [threading.Thread(target=fill, args=(first,)) for first in range(8)]
    for client in clients:
        client.start()
    for client in clients:
        client.join(20)
    assert all(0 <= value < 8 for value in session.standard.bm_register_read_all(0, "I.words"))


# --- codes ------------------------------------------------------------------------------------------------------------


def exact(value: bytes) -> Any:
    return standard.BmMatchParam(type=0, exact=standard.BmMatchParamExact(key=value))


def lpm(value: bytes, length: int) -> Any:
    return standard.BmMatchParam(type=1, lpm=standard.BmMatchParamLPM(key=value, prefix_length=length))


def ternary(value: bytes, mask: bytes) -> Any:
    return standard.BmMatchParam(type=2, ternary=standard.BmMatchParamTernary(key=value, mask=mask))


NONE = standard.BmAddEntryOptions()
KEY = [exact(b"\1"), lpm(b"\1\x20", 8)]


def rate(units: float | None, burst: int | None) -> Any:
    return standard.BmMeterRateConfig(units_per_micros=units, burst_size=burst)


RATES, SLOW = [rate(2.0, 1)] * 2, rate(1.999, 1)


@pytest.mark.parametrize(
    ("method", "arguments", "code"),
    [
        ("mt_add_entry", ("I.nowhere", KEY, "I.go", [b"\0\5"], NONE), "INVALID_TABLE_NAME"),
        ("mt_add_entry", ("I.prefixes", KEY, "I.send", [b"\0\5"], NONE), "INVALID_ACTION_NAME"),
        ("mt_add_entry", ("I.prefixes", KEY, "I.go", [], NONE), "BAD_ACTION_DATA"),
        ("mt_add_entry", ("I.prefixes", KEY[:1], "I.go", [b"\0\5"], NONE), "BAD_MATCH_KEY"),
        ("mt_add_entry", ("I.prefixes", [KEY[1], KEY[0]], "I.go", [b"\0\5"], NONE), "BAD_MATCH_KEY"),
        ("mt_add_entry", ("I.prefixes", [exact(b"\2"), KEY[1]], "I.go", [b"\0\5"], NONE), "BAD_MATCH_KEY"),
        ("mt_add_entry", ("I.choices", [ternary(b"\0\1", b"\0\1")], "I.go", [b"\0\5"], NONE), "WRONG_TABLE_TYPE"),
        ("mt_add_entry", ("I.fixed", [ternary(b"\0\1", b"\0\1")], "I.drop", [], NONE), "IMMUTABLE_TABLE_ENTRIES"),
        ("mt_delete_entry", ("I.prefixes", 99), "INVALID_HANDLE"),
        ("mt_modify_entry", ("I.prefixes", 99, "I.drop", []), "INVALID_HANDLE"),
        ("mt_set_default_action", ("I.pinned", "I.go", [b"\0\5"]), "WRONG_TABLE_TYPE"),
        ("mt_reset_default_entry", ("I.pinned",), "DEFAULT_ACTION_IS_CONST"),
        ("mt_indirect_add_entry", ("I.prefixes", KEY, 0, NONE), "WRONG_TABLE_TYPE"),
        ("mt_indirect_add_entry", ("I.pinned", [exact(b"\1")], 5, NONE), "INVALID_MBR_HANDLE"),
        ("mt_indirect_ws_add_entry", ("I.pinned", [exact(b"\1")], 5, NONE), "WRONG_TABLE_TYPE"),
        ("mt_indirect_ws_add_entry", ("I.choices", [ternary(b"\0\1", b"\0\1")], 5, NONE), "INVALID_GRP_HANDLE"),
        ("mt_get_entry", ("I.prefixes", 99), "INVALID_HANDLE"),
        ("mt_get_entry_from_key", ("I.prefixes", KEY, NONE), "BAD_MATCH_KEY"),
        ("mt_set_entry_ttl", ("I.prefixes", 0, 5), "AGEING_DISABLED"),
        ("mt_act_prof_create_group", ("I.few",), "NO_ACTION_PROFILE_SELECTION"),
        ("mt_act_prof_get_member", ("I.few", 1), "INVALID_MBR_HANDLE"),
        ("mt_act_prof_get_group", ("I.chosen", 1), "INVALID_GRP_HANDLE"),
        ("mt_act_prof_delete_member", ("I.none", 1), "INVALID_ACTION_PROFILE_NAME"),
        ("mt_read_counter", ("I.prefixes", 0), "COUNTERS_DISABLED"),
        ("mt_get_meter_rates", ("I.prefixes", 0), "METERS_DISABLED"),
        ("counter_read", ("I.none", 0), "INVALID_COUNTER_NAME"),
        ("counter_read", ("I.seen", 5), "INVALID_INDEX"),
        ("counter_read", ("I.seen", -1), "INVALID_INDEX"),
        ("meter_set_rates", ("I.flow", 3, RATES), "INVALID_INDEX"),
        ("meter_set_rates", ("I.flow", 0, RATES[:1]), "BAD_RATES_LIST"),
        ("register_read", ("I.words", 4), "INVALID_INDEX"),
        ("register_write_range", ("I.words", 3, 2, 1), "INVALID_INDEX"),
        ("register_write_range", ("I.words", 3, 5, 1), "INVALID_INDEX"),
        ("register_write_range", ("I.words", -1, 2, 1), "INVALID_INDEX"),
        ("meter_set_rates", ("I.flow", 0, [RATES[0], SLOW]), "INVALID_INFO_RATE_VALUE"),
        ("meter_set_rates", ("I.flow", 0, [RATES[0], rate(0.0, 1)]), "INVALID_INFO_RATE_VALUE"),
        ("meter_set_rates", ("I.flow", 0, [rate(-1.0, 1), RATES[1]]), "INVALID_INFO_RATE_VALUE"),
        ("meter_set_rates", ("I.flow", 0, [rate(1.0, -1), RATES[1]]), "INVALID_BURST_SIZE_VALUE"),
        ("meter_set_rates", ("I.flow", 0, [RATES[0], rate(2.0, -1)]), "INVALID_BURST_SIZE_VALUE"),
        ("mt_indirect_set_entry_ttl", ("I.pinned", 0, 5), "AGEING_DISABLED"),
        ("mt_indirect_reset_default_entry", ("I.prefixes",), "WRONG_TABLE_TYPE"),
        ("register_reset", ("I.none",), "INVALID_REGISTER_NAME"),
        ("parse_vset_add", ("P.none", b"\1"), "INVALID_PARSE_VSET_NAME"),
        ("learning_ack_buffer", (0, 1), "INVALID_LIST_ID"),
        ("set_crc16_custom_parameters", ("none", standard.BmCrc16Config()), "INVALID_CALCULATION_NAME"),
        ("set_toeplitz_hash_key", ("none", bytes(4)), "INVALID_CALCULATION_NAME"),
        ("get_id_from_name", (0, "I.none"), "INVALID_RESOURCE_NAME"),
    ],
)
def test_what_is_refused_has_its_code(session: Session, method: str, arguments: tuple[Any, ...], code: str) -> None:
    with pytest.raises(Exception) as refused:
        getattr(session.standard, f"bm_{method}")(0, *arguments)
    told = connection.told(refused.value)
    assert told is not None and told.endswith(f"({code})")


# --- entries, elements, state -----------------------------------------------------------------------------------------


def test_entries_come_back_as_they_were_given(session: Session) -> None:
    client, options = session.standard, standard.BmAddEntryOptions(priority=10)
    maybe = [ternary(b"\0\1", b"\0\x0f"), ternary(bytes(5), bytes(5)),
             standard.BmMatchParam(type=4, range=standard.BmMatchParamRange(start=b"\0\1", end_=b"\3\xff"))]  # fmt: skip
    handle = client.bm_mt_add_entry(0, "I.masks", maybe, "I.go", [b"\xff\xff"], options)
    (entry,) = client.bm_mt_get_entries(0, "I.masks")
    assert (entry.entry_handle, entry.match_key, entry.options.priority) == (handle, maybe, 10)
    assert entry.action_entry.action_data == [b"\1\xff"], "a port has nine bits"
    assert client.bm_mt_get_entry_from_key(0, "I.masks", maybe, options) == entry
    assert client.bm_mt_get_entry(0, "I.masks", handle) == entry
    client.bm_mt_modify_entry(0, "I.masks", handle, "I.drop", [])
    assert client.bm_mt_get_entry(0, "I.masks", handle).action_entry.action_name == "I.drop"
    client.bm_mt_delete_entry(0, "I.masks", handle)
    assert client.bm_mt_get_entries(0, "I.masks") == []
    again = client.bm_mt_add_entry(0, "I.masks", maybe, "I.drop", [], options)
    assert again != handle and again & 0xFFFFFF == handle & 0xFFFFFF


def test_entries_of_members_and_groups(session: Session) -> None:
    client = session.standard
    members = [client.bm_mt_act_prof_add_member(0, "I.chosen", "I.go", [bytes([0, port])]) for port in (1, 2)]
    group = client.bm_mt_act_prof_create_group(0, "I.chosen")
    for member in members:
        client.bm_mt_act_prof_add_member_to_group(0, "I.chosen", member, group)
    key = [ternary(b"\0\1", b"\0\1")]
    handle = client.bm_mt_indirect_add_entry(0, "I.choices", key, members[0], NONE)
    client.bm_mt_indirect_modify_entry(0, "I.choices", handle, members[1])
    assert client.bm_mt_get_entry(0, "I.choices", handle).action_entry.mbr_handle == members[1]
    client.bm_mt_indirect_ws_modify_entry(0, "I.choices", handle, group)
    assert client.bm_mt_get_entry(0, "I.choices", handle).action_entry.grp_handle == group
    assert client.bm_mt_act_prof_get_group(0, "I.chosen", group).mbr_handles == members
    assert [one.action_data for one in client.bm_mt_act_prof_get_members(0, "I.chosen")] == [[b"\0\1"], [b"\0\2"]]
    client.bm_mt_indirect_ws_set_default_group(0, "I.choices", group)
    assert client.bm_mt_get_default_entry(0, "I.choices").grp_handle == group


def test_entries_and_defaults_name_others_and_go(session: Session) -> None:
    test_entries_of_members_and_groups(session)
    client = session.standard
    (entry,) = client.bm_mt_get_entries(0, "I.choices")
    member = client.bm_mt_act_prof_get_members(0, "I.chosen")[0].mbr_handle
    client.bm_mt_indirect_set_default_member(0, "I.choices", member)
    assert client.bm_mt_get_default_entry(0, "I.choices").mbr_handle == member
    client.bm_mt_indirect_reset_default_entry(0, "I.choices")
    assert client.bm_mt_get_default_entry(0, "I.choices").mbr_handle is None
    for modify, code in (("", "INVALID_MBR_HANDLE"), ("_ws", "INVALID_GRP_HANDLE")):
        with pytest.raises(Exception) as refused:
            getattr(client, f"bm_mt_indirect{modify}_modify_entry")(0, "I.choices", entry.entry_handle, 9)
        assert (connection.told(refused.value) or "").endswith(f"({code})")
    client.bm_mt_indirect_delete_entry(0, "I.choices", entry.entry_handle)
    assert client.bm_mt_get_num_entries(0, "I.choices") == 0


def test_elements(session: Session) -> None:
    client = session.standard
    client.bm_register_write_range(0, "I.words", 1, 3, -2)
    assert client.bm_register_read_all(0, "I.words") == [0, -2, -2, 0]
    client.bm_register_write(0, "I.flags", 0, 3)
    assert client.bm_register_read(0, "I.flags", 0) == 1
    client.bm_register_write(0, "I.wides", 0, -1)
    assert client.bm_register_read(0, "I.wides", 0) == -1
    client.bm_counter_write(0, "I.seen", 4, standard.BmCounterValue(bytes=1 << 40, packets=3))
    assert client.bm_counter_read(0, "I.seen", 4) == standard.BmCounterValue(bytes=1 << 40, packets=3)
    rates = [standard.BmMeterRateConfig(units_per_micros=r, burst_size=b) for r, b in ((0.25, 100), (1.5, 200))]
    assert client.bm_meter_get_rates(0, "I.flow", 1) == []
    client.bm_meter_set_rates(0, "I.flow", 1, rates)
    assert client.bm_meter_get_rates(0, "I.flow", 1) == rates
    client.bm_parse_vset_add(0, "P.marks", b"\x12\x34")
    client.bm_parse_vset_add(0, "P.marks", b"\x12\x34")
    assert client.bm_parse_vset_get(0, "P.marks") == [b"\x12\x34"]
    client.bm_parse_vset_remove(0, "P.marks", b"\x12\x35")
    assert client.bm_parse_vset_get(0, "P.marks") == [b"\x12\x34"]
    client.bm_parse_vset_remove(0, "P.marks", b"\x12\x34")
    assert client.bm_parse_vset_get(0, "P.marks") == []
    for value in (b"\x12\x34", b"\x12\x36"):
        client.bm_parse_vset_add(0, "P.marks", value)
    client.bm_parse_vset_clear(0, "P.marks")
    assert client.bm_parse_vset_get(0, "P.marks") == []


def test_ranges_of_elements(session: Session) -> None:
    """A range may be empty or all; each register, counter and meter is reset or set as a whole."""
    client = session.standard
    client.bm_register_write_range(0, "I.words", 2, 2, 9)
    assert client.bm_register_read_all(0, "I.words") == [0] * 4
    client.bm_register_write_range(0, "I.words", 0, 4, 9)
    assert client.bm_register_read_all(0, "I.words") == [9] * 4
    client.bm_register_write(0, "I.twin", 0, 5)
    client.bm_register_reset(0, "I.words")
    assert client.bm_register_read_all(0, "I.words") == [0] * 4 and client.bm_register_read(0, "I.twin", 0) == 5
    one = standard.BmCounterValue(bytes=9, packets=3)
    for place in (0, 4):
        client.bm_counter_write(0, "I.seen", place, one)
    client.bm_counter_reset_all(0, "I.seen")
    assert {(client.bm_counter_read(0, "I.seen", place).packets) for place in range(5)} == {0}
    client.bm_meter_array_set_rates(0, "I.flow", RATES)
    assert [client.bm_meter_get_rates(0, "I.flow", place) for place in range(3)] == [RATES] * 3


def test_what_a_client_leaves_out_is_zero(session: Session) -> None:
    client = session.standard
    client.bm_meter_set_rates(0, "I.flow", 0, [rate(None, None), rate(2.0, None)])
    assert client.bm_meter_get_rates(0, "I.flow", 0) == [rate(0.0, 0), rate(2.0, 0)]
    client.bm_counter_write(0, "I.seen", 0, standard.BmCounterValue(bytes=1, packets=1))
    client.bm_counter_write(0, "I.seen", 0, standard.BmCounterValue())
    assert client.bm_counter_read(0, "I.seen", 0) == standard.BmCounterValue(bytes=0, packets=0)


def test_a_table_is_emptied_with_its_default_entry_or_without(session: Session) -> None:
    client = session.standard
    first = client.bm_mt_get_default_entry(0, "I.prefixes")
    for net in (1, 2):
        client.bm_mt_add_entry(0, "I.prefixes", [exact(b"\1"), lpm(bytes([net, 0x20]), 8)], "I.go", [b"\0\5"], NONE)
    client.bm_mt_set_default_action(0, "I.prefixes", "I.go", [b"\0\7"])
    changed = client.bm_mt_get_default_entry(0, "I.prefixes")
    assert client.bm_mt_get_num_entries(0, "I.prefixes") == 2 and changed != first
    told = client.bm_mt_get_entry_from_key(0, "I.prefixes", [], NONE)
    assert (told.match_key, told.entry_handle, told.action_entry) == ([], 0, changed), "without a key the default entry"
    client.bm_mt_clear_entries(0, "I.prefixes", False)
    assert client.bm_mt_get_num_entries(0, "I.prefixes") == 0
    assert client.bm_mt_get_default_entry(0, "I.prefixes") == changed
    client.bm_mt_clear_entries(0, "I.prefixes", True)
    assert client.bm_mt_get_default_entry(0, "I.prefixes") == first


def test_direct_elements_go_with_their_entry(session: Session) -> None:
    client = session.standard
    key = [exact(bytes(9)), exact(bytes(8)), exact(b"\1")]
    handle = client.bm_mt_add_entry(0, "I.exact_keys", key, "I.send", [b"\0\1"], NONE)
    client.bm_mt_write_counter(0, "I.exact_keys", handle, standard.BmCounterValue(bytes=8, packets=2))
    assert client.bm_mt_read_counter(0, "I.exact_keys", handle).packets == 2
    client.bm_mt_reset_counters(0, "I.exact_keys")
    assert client.bm_mt_read_counter(0, "I.exact_keys", handle).packets == 0
    paced = client.bm_mt_add_entry(0, "I.paced", [exact(b"\1")], "I.nothing", [], NONE)
    rates = [standard.BmMeterRateConfig(units_per_micros=r, burst_size=9) for r in (1.0, 2.0)]
    client.bm_mt_set_meter_rates(0, "I.paced", paced, rates)
    assert client.bm_mt_get_meter_rates(0, "I.paced", paced) == rates


def test_what_the_switch_was_started_as(session: Session, port: int) -> None:
    told = session.standard.bm_mgmt_get_info()
    assert (told.device_id, told.thrift_port) == (7, port)
    config = session.standard.bm_get_config()
    assert session.standard.bm_get_config_md5() == hashlib.md5(config.encode()).digest()
    assert "I.prefixes" in [table["name"] for table in json.loads(config)["pipelines"][0]["tables"]]
    assert [one.port_num for one in session.standard.bm_dev_mgr_show_ports()] == [0, 1, 7]


def test_clone_sessions_by_the_older_methods(session: Session) -> None:
    client = session.target
    assert client.mirroring_mapping_add(3, 7) == 0
    assert client.mirroring_mapping_get_egress_port(3) == 7
    assert client.mirroring_mapping_delete(3) == 0
    assert client.mirroring_mapping_get_egress_port(3) == -1
    client.mirroring_session_add(3, simple_switch.MirroringSessionConfig(mgid=5))
    assert client.mirroring_session_get(3) == simple_switch.MirroringSessionConfig(mgid=5)
    client.mirroring_session_delete(3)


def test_the_state_that_is_written_makes_the_same_state(session: Session, tmp_path: Path) -> None:
    client = session.standard
    test_entries_of_members_and_groups(session)
    test_entries_come_back_as_they_were_given(session)
    gone = client.bm_mt_add_entry(0, "I.paced", [exact(b"\0")], "I.nothing", [], NONE)
    test_direct_elements_go_with_their_entry(session)
    client.bm_mt_delete_entry(0, "I.paced", gone)  # the one that stays has another handle there
    client.bm_meter_array_set_rates(0, "I.flow", RATES)
    client.bm_mt_set_default_action(0, "I.maybes", "I.go", [b"\0\3"])
    state = client.bm_serialize_state()
    (tmp_path / "state").write_text(state)
    binary = switches.build(Path(__file__).parents[1] / "c" / "edges.p4", ("address", "undefined"))
    other = Switch(binary, tmp_path, ["--port=0=ctl:", f"--entries={tmp_path / 'state'}"])
    try:
        assert other.do("table_num_entries choices", "table_num_entries masks") == "1\n1\n"
        assert other.do("meter_get_rates pace 0").startswith("0: info rate = 1,")
        assert "Members: [0, 1]" in other.do("act_prof_dump chosen")
        assert "I.go - 0003" in other.do("table_dump maybes")
        assert "Dumping default entry\nGroup: 0\n" in other.do("table_dump choices")
    finally:
        other.stop()
    client.bm_reset_state()
    assert client.bm_mt_get_num_entries(0, "I.masks") == 0
    assert client.bm_mt_act_prof_get_members(0, "I.chosen") == []
    assert client.bm_meter_get_rates(0, "I.flow", 0) == []


def test_entries_with_a_life(tmp_path: Path) -> None:
    binary = switches.build(Path(__file__).parents[1] / "c" / "ages.p4", ("address", "undefined"))
    switch = Switch(binary, tmp_path, ["--port=0=ctl:"])
    served = Served(switch.socket)
    client = Standard(served, Identity(config_of(served.program)))
    try:
        handle = client.bm_mt_add_entry(0, "I.words", [exact(b"\5")], "I.drop", [], NONE)
        client.bm_mt_set_entry_ttl(0, "I.words", handle, 60_000)
        (entry,) = client.bm_mt_get_entries(0, "I.words")
        assert entry.life.timeout_ms == 60_000 and entry.life.time_since_hit_ms < 60_000
        assert client.bm_mt_get_entry(0, "I.words", handle).life.timeout_ms == 60_000
        assert "table_set_timeout I.words 0 60000\n" in client.bm_serialize_state()
        kept = {
            one["name"]: one["support_timeout"] for one in json.loads(client.bm_get_config())["pipelines"][0]["tables"]
        }
        assert kept["I.words"] and not kept["I.still"]
    finally:
        served.close()
        switch.stop()


def test_the_services_are_of_the_program_that_runs(switch: Switch) -> None:
    """Numbers of tables are those of the program that was put in the other one's place."""
    served = Served(switch.socket)
    client = Standard(served, Identity("{}"))
    try:
        assert client.bm_get_config() == "{}"
        served.program.tables.clear()
        served.forget_program()
        assert client.bm_mt_get_num_entries(0, "I.fixed") == 2
        assert "I.fixed" in client.bm_get_config()
        assert client.bm_get_config_md5() == hashlib.md5(client.bm_get_config().encode()).digest()
    finally:
        served.close()
