"""What methods of the services ask of a switch for multicast groups, action profiles, elements and value sets, and what they make
of its answers; the switch is one of this file."""

from __future__ import annotations

import json
import struct
from collections.abc import Callable
from typing import Any

import pytest
from refused_calls import code_of

from macsad.protocol import Outcome, Update
from macsad.thrift.described import simple_pre, simple_pre_lag, standard
from macsad.thrift.management import Identity
from macsad.thrift.multicast import Pre, entries, numbers
from macsad.thrift.profiles import groups, members
from macsad.thrift.refusals import Refused
from macsad.thrift.server import Standard
from macsad.thrift.switch import Program

EXTERNS = [
    ("I.hits", "direct_counter", "I.t", 0), ("I.seen", "counter", None, 0), ("I.sel", "action_selector", "I.s", 0),
    ("I.prof", "action_profile", "I.p", 0), ("I.pace", "direct_meter", "I.t", 0), ("I.flow", "meter", None, 0),
    ("I.narrow", "register", None, 9), ("I.wide", "register", None, 70),
]  # fmt: skip
ACTIONS = [
    {"name": "I.go", "params": [{"name": "port", "bits": 9}, {"name": "on", "bits": 1}]},
    {"name": "drop", "params": []},
]
TABLES = [
    {"name": name, "size": 4, "key": [{"name": "k", "bits": 8, "match": "exact"}], "actions": ACTIONS, "const_entries": False,
     "const_default": False} | ({"profile": profile} if profile else {})
    for name, profile in (("I.t", None), ("I.s", "I.sel"), ("I.p", "I.prof"))
]  # fmt: skip
KEY = [{"name": name, "bits": bits, "match": match} for name, bits, match in (("a", 9, "exact"), ("b", 3, "ternary"))]
TOLD: dict[str, Any] = {
    "name": "p", "source": "p.p4", "tables": TABLES,
    "value_sets": [{"name": "P.set", "size": 4, "key": [*KEY, {"name": "c", "bits": 16, "match": "lpm"}]}],
    "externs": [
        {"name": name, "kind": kind, "size": 3, "bits": bits, "unit": "packets"} | ({"table": table} if table else {})
        for name, kind, table, bits in EXTERNS
    ],
}  # fmt: skip


class Switch:
    """`answers`: of commands, by their first word; `refuses`: why it does nothing; `elements`: what is read."""

    def __init__(self) -> None:
        self.program = Program(TOLD)
        self.answers: dict[str, str] = {}
        self.refuses = ""
        self.outcome = Outcome.DONE
        self.elements = b""
        self.asked: list[Any] = []

    def command(self, *words: object) -> str:
        self.asked.append(" ".join(map(str, words)))
        if self.refuses:
            raise Refused(self.refuses)
        return self.answers.get(str(words[0]), "made with handle 7\n")

    def ask(self, request: Callable[[Any], Any]) -> Any:
        return request(self)

    def read_elements(self, number: int, first: int, count: int, size: int) -> bytes:
        self.asked.append((number, first, count, size))
        return self.elements

    def update(self, changes: list[bytes]) -> list[tuple[Outcome, int]]:
        self.asked += changes
        return [(self.outcome, 0)] * len(changes)


@pytest.fixture
def switch() -> Switch:
    return Switch()


@pytest.fixture
def service(switch: Switch) -> Any:
    return Standard(switch, Identity("{}"))  # type: ignore[arg-type]


# --- multicast groups ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("bits", "named"), [("", []), ("0", []), ("1", [0]), ("1100", [2, 3]), ("10001", [0, 4])])
def test_a_map_has_a_digit_for_each_port_the_last_for_port_0(bits: str, named: list[int]) -> None:
    assert numbers(bits) == named


@pytest.mark.parametrize("bits", ["2", "1 0", "x", "0x1", "12"])
def test_a_map_of_other_digits_is_none(bits: str) -> None:
    with pytest.raises(Refused, match=f"'{bits}' is no map"):
        numbers(bits)


@pytest.mark.parametrize(
    ("method", "arguments", "asked", "answer"),
    [
        ("mgrp_create", (5,), "mc_mgrp_create 5", 5), ("mgrp_destroy", (5,), "mc_mgrp_destroy 5", None),
        ("node_create", (9, "110"), "mc_node_create 9 1 2", 7), ("node_create", (9, ""), "mc_node_create 9", 7),
        ("node_update", (3, "110"), "mc_node_update 3 1 2", None), ("node_associate", (5, 3), "mc_node_associate 5 3", None),
        ("node_dissociate", (5, 3), "mc_node_dissociate 5 3", None), ("node_destroy", (3,), "mc_node_destroy 3", None),
        ("node_create", (9, "1", "11"), "mc_node_create 9 0 | 0 1", 7), ("node_create", (9, "1", "0"), "mc_node_create 9 0", 7),
        ("node_update", (3, "1", "100"), "mc_node_update 3 0 | 2", None),
        ("node_update", (3, "", "1"), "mc_node_update 3 | 0", None),
        ("set_lag_membership", (2, "1010"), "mc_set_lag_membership 2 1 3", None),
    ],
)  # fmt: skip
def test_what_groups_and_nodes_ask_for(
    switch: Switch, method: str, arguments: tuple[Any, ...], asked: str, answer: int | None
) -> None:
    service: Any = Pre(switch, simple_pre_lag)  # type: ignore[arg-type]
    assert getattr(service, f"bm_mc_{method}")(0, *arguments) == answer
    assert switch.asked == [asked]


DUMP = """\
==========
MC ENTRIES
**********
mgrp(5)
  -> (L1h=0, rid=9) -> (ports=[1, 2], lags=[4])
  -> (L1h=3, rid=8) -> (ports=[], lags=[])
**********
mgrp(6)
==========
LAGS
lag(4) -> ports=[7, 8]
==========
"""


@pytest.mark.parametrize(("described", "lags"), [(simple_pre, False), (simple_pre_lag, True)])
def test_groups_are_told_as_bmv2_tells_them(switch: Switch, described: Any, lags: bool) -> None:
    switch.answers["mc_dump"] = DUMP
    service: Any = Pre(switch, described)  # type: ignore[arg-type]
    expected: dict[str, Any] = {
        "mgrps": [{"id": 5, "l1_handles": [0, 3]}, {"id": 6, "l1_handles": []}],
        "l1_handles": [{"handle": 0, "rid": 9, "l2_handle": 0}, {"handle": 3, "rid": 8, "l2_handle": 3}],
        "l2_handles": [{"handle": 0, "ports": [1, 2], "lags": [4]}, {"handle": 3, "ports": [], "lags": []}],
        "lags": [{"id": 4, "ports": [7, 8]}],
    }
    assert entries(DUMP) == expected
    if not lags:
        del expected["lags"]
    assert json.loads(service.bm_mc_get_entries(0)) == expected


@pytest.mark.parametrize("described", [simple_pre, simple_pre_lag])
def test_what_is_refused_is_an_exception_of_the_service_that_is_asked(switch: Switch, described: Any) -> None:
    service: Any = Pre(switch, described)  # type: ignore[arg-type]
    with pytest.raises(described.InvalidMcOperation) as refused:
        service.bm_mc_node_create(0, 9, "12")
    assert refused.value.code == described.McOperationErrorCode.ERROR and not switch.asked
    switch.refuses = "no such node"
    with pytest.raises(described.InvalidMcOperation) as refused:
        service.bm_mc_node_destroy(0, 9)
    assert refused.value.code == described.McOperationErrorCode.INVALID_L1_HANDLE


# --- action profiles -------------------------------------------------------------------------------------------------

PROFILE = """\
==========
MEMBERS
**********
Dumping member 0
Action entry: I.go - 01ff, 01, 0203
**********
Dumping member 12
Action entry: $a.b[1].drop - \n\
==========
GROUPS
**********
Dumping group 0
Members: []
**********
Dumping group 10
Members: [0, 12, 0]
"""


def test_members_and_groups_as_they_are_dumped() -> None:
    found = [(one.mbr_handle, one.action_name, one.action_data) for one in members(PROFILE)]
    assert found == [(0, "I.go", [b"\1\xff", b"\1", b"\2\3"]), (12, "$a.b[1].drop", [])]
    assert [(one.grp_handle, one.mbr_handles) for one in groups(PROFILE)] == [(0, []), (10, [0, 12, 0])]


@pytest.mark.parametrize(
    ("method", "arguments", "asked", "answer"),
    [
        ("add_member", ("I.prof", "I.go", [b"\1\xff", b"\1"]), "act_prof_create_member I.prof I.go 0x1ff 0x1", 7),
        ("add_member", ("I.sel", "drop", []), "act_prof_create_member I.sel drop", 7),
        ("modify_member", ("I.prof", 3, "drop", []), "act_prof_modify_member I.prof drop 3", None),
        ("delete_member", ("I.prof", 3), "act_prof_delete_member I.prof 3", None),
        ("create_group", ("I.sel",), "act_prof_create_group I.sel", 7),
        ("delete_group", ("I.sel", 4), "act_prof_delete_group I.sel 4", None),
        ("add_member_to_group", ("I.sel", 3, 4), "act_prof_add_member_to_group I.sel 3 4", None),
        ("remove_member_from_group", ("I.sel", 3, 4), "act_prof_remove_member_from_group I.sel 3 4", None),
    ],
)  # fmt: skip
def test_what_members_and_groups_ask_for(
    service: Any, switch: Switch, method: str, arguments: tuple[Any, ...], asked: str, answer: int | None
) -> None:
    assert getattr(service, f"bm_mt_act_prof_{method}")(0, *arguments) == answer
    assert switch.asked == [asked]


@pytest.mark.parametrize(
    ("method", "arguments", "code"),
    [
        ("add_member", ("I.prof", "none", []), "INVALID_ACTION_NAME"), ("add_member", ("I.prof", "I.go", []), "BAD_ACTION_DATA"),
        ("modify_member", ("I.prof", 3, "go", []), "INVALID_ACTION_NAME"),
        ("modify_member", ("I.prof", 3, "drop", [b"\1"]), "BAD_ACTION_DATA"),
        *((method, ("I.none", *more), "INVALID_ACTION_PROFILE_NAME") for method, more in (
            ("add_member", ("drop", [])), ("delete_member", (3,)), ("create_group", ()), ("get_members", ()),
            ("get_groups", ()))),
        *((method, ("I.prof", *more), "NO_ACTION_PROFILE_SELECTION") for method, more in (
            ("create_group", ()), ("delete_group", (4,)), ("add_member_to_group", (3, 4)), ("remove_member_from_group", (3, 4)),
            ("get_groups", ()), ("get_group", (4,)))),
    ],
)  # fmt: skip
def test_what_a_profile_does_not_have(
    service: Any, switch: Switch, method: str, arguments: tuple[Any, ...], code: str
) -> None:
    call = getattr(service, f"bm_mt_act_prof_{method}")
    assert code_of(lambda: call(0, *arguments)) == f"Invalid table operation ({code})" and not switch.asked


# --- elements --------------------------------------------------------------------------------------------------------

RATE = struct.Struct(">Bdddd")


def test_counts_are_as_wide_as_thrift_has_them(service: Any, switch: Switch) -> None:
    """Those that have no room have a sign."""
    switch.elements = struct.pack(">QQ", (1 << 64) - 1, 1 << 63)
    count = service.bm_counter_read(0, "I.seen", 2)
    assert (count.packets, count.bytes, switch.asked) == (-1, -(1 << 63), [(1, 2, 1, 16)])
    switch.asked.clear()
    service.bm_counter_write(0, "I.seen", 2, standard.BmCounterValue(packets=-1, bytes=5))
    assert switch.asked == [struct.pack(">BHIqq", Update.ELEMENT, 1, 2, -1, 5)]


def test_registers_are_cut_off_to_their_bits_and_told_by_their_last_64(service: Any, switch: Switch) -> None:
    switch.elements = b"\1\xff\0\5\0\0"
    assert service.bm_register_read_all(0, "I.narrow") == [0x1FF, 5, 0]
    switch.elements = b"\x3f" + b"\xff" * 7 + b"\xfe"
    assert service.bm_register_read(0, "I.wide", 1) == -2
    assert switch.asked == [(6, 0, 3, 2), (7, 1, 1, 9)]
    switch.asked.clear()
    service.bm_register_write(0, "I.narrow", 1, -2)
    service.bm_register_write(0, "I.wide", 2, -2)
    assert switch.asked == [
        struct.pack(">BHI", Update.ELEMENT, 6, 1) + b"\1\xfe",
        struct.pack(">BHI", Update.ELEMENT, 7, 2) + b"\x3f" + b"\xff" * 7 + b"\xfe",
    ]


def test_direct_meters_are_meters_and_direct_counters_are_of_their_table_only(service: Any, switch: Switch) -> None:
    rates = [
        standard.BmMeterRateConfig(units_per_micros=units, burst_size=burst) for units, burst in ((0.5, 3), (0.5, 4))
    ]
    service.bm_meter_array_set_rates(0, "I.pace", rates)
    service.bm_meter_set_rates(0, "I.flow", 2, rates)
    packed = RATE.pack(1, 5e5, 3, 5e5, 4)
    assert switch.asked == [
        *(struct.pack(">BHI", Update.ELEMENT, 4, index) + packed for index in range(3)),
        struct.pack(">BHI", Update.ELEMENT, 5, 2) + packed,
    ]
    switch.elements = packed
    assert service.bm_meter_get_rates(0, "I.pace", 1) == rates
    switch.elements = RATE.pack(0, 5e5, 3, 5e5, 4)
    assert service.bm_meter_get_rates(0, "I.pace", 1) == []
    for call in (lambda: service.bm_counter_read(0, "I.hits", 0), lambda: service.bm_counter_reset_all(0, "I.hits")):
        assert code_of(call) == "Invalid counter operation (INVALID_COUNTER_NAME)"
    assert code_of(lambda: service.bm_meter_get_rates(0, "I.seen", 0)) == "Invalid meter operation (INVALID_METER_NAME)"
    assert (
        code_of(lambda: service.bm_register_read(0, "I.seen", 0))
        == "Invalid register operation (INVALID_REGISTER_NAME)"
    )


@pytest.mark.parametrize("outcome", [Outcome.BUSY, Outcome.WRONG, Outcome.NO_MEMORY])
def test_an_element_that_the_switch_does_not_set_is_an_error(service: Any, switch: Switch, outcome: Outcome) -> None:
    switch.outcome = outcome
    one = standard.BmCounterValue(packets=1, bytes=1)
    assert code_of(lambda: service.bm_counter_write(0, "I.seen", 0, one)) == "Invalid counter operation (ERROR)"
    assert code_of(lambda: service.bm_register_write(0, "I.wide", 0, 1)) == "Invalid register operation (ERROR)"


# --- value sets ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("value", "words"),
    [
        ("0000000", "0x0 0x0 0x0"), ("fffffff", "0x1ff 0x7 0xffff"), ("8000000", "0x100 0x0 0x0"), ("00d1234", "0x1 0x5 0x1234"),
    ],
)  # fmt: skip
def test_a_value_is_its_fields_one_behind_the_other(service: Any, switch: Switch, value: str, words: str) -> None:
    """With zeros before them to a whole byte."""
    service.bm_parse_vset_add(0, "P.set", bytes.fromhex(f"0{value}"))
    service.bm_parse_vset_remove(0, "P.set", bytes.fromhex(f"0{value}"))
    service.bm_parse_vset_clear(0, "P.set")
    assert switch.asked == [f"pvs_add P.set {words}", f"pvs_remove P.set {words}", "pvs_clear P.set"]


@pytest.mark.parametrize(
    ("method", "said", "fine"),
    [
        ("add", "P.set has this member already", True), ("add", "P.set has no such member", False),
        ("add", "P.set is full", False),
        ("remove", "P.set has no such member", True), ("remove", "P.set has this member already", False),
    ],
)  # fmt: skip
def test_what_is_so_already_is_no_error(service: Any, switch: Switch, method: str, said: str, fine: bool) -> None:
    switch.refuses = said
    call = getattr(service, f"bm_parse_vset_{method}")
    if fine:
        assert call(0, "P.set", bytes(4)) is None
    else:
        assert code_of(lambda: call(0, "P.set", bytes(4))).startswith("Invalid parser value set operation (")
