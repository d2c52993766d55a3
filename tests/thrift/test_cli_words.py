"""How many words each command of simple_switch_CLI takes, and what a session says of its switch."""

from __future__ import annotations

import hashlib
import json
import re
import socket
from pathlib import Path
from typing import Any

import pytest
from thriftpy2.thrift import TApplicationException

from macsad.shims.cli import connection, values
from macsad.shims.cli.commands import COMMANDS, run
from macsad.shims.cli.connection import NoSwitch
from macsad.shims.cli.program import Action, Field, Names, Program, Table
from macsad.shims.cli.session import Session
from macsad.shims.cli.wrong import Wrong
from macsad.thrift.described import SERVICES, simple_pre, simple_pre_lag, simple_switch, standard

EXACTLY = {
    0: "reset_state show_actions show_ports show_pvs show_tables switch_info",
    1: "act_prof_create_group act_prof_dump counter_reset load_new_config_file mc_mgrp_create mc_mgrp_destroy mc_node_destroy "
       "mirroring_delete mirroring_get port_remove pvs_clear pvs_get register_reset serialize_state table_clear table_dump "
       "table_indirect_reset_default table_info table_num_entries table_reset_default table_show_actions write_config_to_file",
    2: "act_prof_delete_group act_prof_delete_member act_prof_dump_group act_prof_dump_member counter_read mc_node_associate "
       "mc_node_dissociate meter_get_rates mirroring_add mirroring_add_mc pvs_add pvs_remove set_toeplitz_hash_key table_delete "
       "table_dump_entry table_indirect_delete table_indirect_set_default table_indirect_set_default_with_group",
    3: "act_prof_add_member_to_group act_prof_remove_member_from_group register_write table_set_timeout",
    4: "counter_write",
    6: "set_crc16_parameters set_crc32_parameters",
}  # fmt: skip
AT_LEAST = {
    1: "mc_node_create meter_array_set_rates register_read set_queue_depth set_queue_rate table_dump_entry_from_key "
       "table_indirect_create_group table_indirect_create_member table_indirect_delete_group table_indirect_delete_member "
       "table_indirect_modify_member table_indirect_add_member_to_group table_indirect_remove_member_from_group "
       "table_dump_group table_dump_member",
    2: "act_prof_create_member mc_node_update mc_set_lag_membership meter_set_rates port_add table_indirect_add "
       "table_indirect_add_with_group table_set_default",
    3: "act_prof_modify_member table_add table_modify",
}  # fmt: skip
UNCOUNTED = "get_time_elapsed get_time_since_epoch greet mc_dump shell swap_configs"  # as BMv2 has them


class Silent:
    """A client whose methods answer nothing, but for those that it is made with."""

    def __init__(self, **answers: Any) -> None:
        self._answers = answers

    def __getattr__(self, method: str) -> Any:
        return lambda *arguments: self._answers.get(method, ())


def said(line: str, capsys: pytest.CaptureFixture[str], program: Program | None = None, **answers: Any) -> str:
    client = Silent(**answers)
    run(Session(client, client, client, True, program or Program("{}")), line.split())
    return capsys.readouterr().out


def test_all_commands_have_a_number_of_words() -> None:
    known = [word for words in (*EXACTLY.values(), *AT_LEAST.values(), UNCOUNTED) for word in words.split()]
    assert sorted(known) == sorted(COMMANDS)


@pytest.mark.parametrize(
    ("name", "count"), [(name, count) for count, names in EXACTLY.items() for name in names.split()]
)
def test_commands_of_so_many_words(
    name: str, count: int, capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One more and one less is told before anything is asked for."""
    monkeypatch.chdir(tmp_path)
    for given in {max(count - 1, 0), count + 1} - {count}:
        told = f"Error: Wrong number of args, expected {count} but got {given}\n"
        assert said(" ".join([name, *["none"] * given]), capsys) == told
    info = standard.BmConfig(device_id=1, thrift_port=2)
    right = said(
        " ".join([name, *["none"] * count]), capsys, bm_mgmt_get_info=info, bm_get_config="{}", bm_serialize_state=""
    )
    assert "args" not in right


@pytest.mark.parametrize(
    ("name", "count"), [(name, count) for count, names in AT_LEAST.items() for name in names.split()]
)
def test_commands_of_so_many_words_or_more(name: str, count: int, capsys: pytest.CaptureFixture[str]) -> None:
    too_few = "Error: Insufficient number of args\n"
    assert said(" ".join([name, *["none"] * (count - 1)]), capsys) == too_few
    assert said(" ".join([name, *["none"] * count]), capsys) != too_few


# --- the session -----------------------------------------------------------------------------------------------------


def test_a_warning_where_the_switch_runs_another_program(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Than the one of --json, which is then not asked for."""
    text = json.dumps({"register_arrays": [{"name": "r", "size": 1, "bitwidth": 8}]})
    (tmp_path / "p.json").write_text(text)
    for of_switch, warned in (
        (text, ""),
        ("{}", "**********\nWARNING: the switch runs another program than that of --json\n"),
    ):
        digest = hashlib.md5(of_switch.encode(), usedforsecurity=False).digest()
        made = connection._program(Silent(bm_get_config_md5=digest), tmp_path / "p.json")
        told = capsys.readouterr().out
        assert list(made.registers) == ["r"] and told.startswith(warned) and bool(told) is bool(warned)
    assert list(connection._program(Silent(bm_get_config=text), None).registers) == ["r"]
    assert capsys.readouterr().out == "Obtaining JSON from switch...\nDone\n"


@pytest.mark.parametrize("text", ["no JSON", '{"actions": [{}]}', "[]", '{"actions": 5}', '{"pipelines": [{}]}'])
def test_what_is_no_program_is_told(text: str) -> None:
    with pytest.raises(NoSwitch, match="the program's JSON cannot be read"):
        connection._program(Silent(bm_get_config=text), None)


def test_a_program_that_is_not_there_is_told(tmp_path: Path) -> None:
    with pytest.raises(NoSwitch, match=r"Error when requesting JSON config from switch: .*No such file"):
        connection._program(Silent(), tmp_path / "none.json")


def test_a_switch_with_fewer_rates_is_told(capsys: pytest.CaptureFixture[str]) -> None:
    meters = Program(json.dumps({"meter_arrays": [{"name": "m", "size": 1, "rate_count": 2}]}))
    rate = standard.BmMeterRateConfig(units_per_micros=1.0, burst_size=2)
    lines = "0: info rate = 1.0, burst size = 2\n"
    assert said("meter_get_rates m 0", capsys, meters, bm_meter_get_rates=[rate]) == (
        f"WARNING: expected 2 rates but only received 1\n{lines}"
    )
    assert said("meter_get_rates m 0", capsys, meters, bm_meter_get_rates=[rate] * 2) == f"{lines}1{lines[1:]}"


@pytest.mark.parametrize(
    ("error", "said"),
    [
        (standard.InvalidTableOperation(code=1), "Invalid table operation (TABLE_FULL)"),
        (standard.InvalidCounterOperation(code=999), "Invalid counter operation (999)"),
        (simple_pre.InvalidMcOperation(code=simple_pre.McOperationErrorCode.ERROR), "Invalid PRE operation (ERROR)"),
        (simple_pre_lag.InvalidMcOperation(code=simple_pre_lag.McOperationErrorCode.ERROR), "Invalid PRE operation (ERROR)"),
        (standard.InvalidParseVSetOperation(code=standard.ParseVSetOperationErrorCode.ERROR),
         "Invalid parser value set operation (ERROR)"),
        (TApplicationException(message="no such method"), "Error: "), (ValueError("own"), None),
    ],
)  # fmt: skip
def test_what_a_service_refuses_is_told_as_bmv2_tells_it(error: Exception, said: str | None) -> None:
    """By the kind of what was asked for and the name of the code; what is none of its exceptions is our own fault."""
    found = connection.told(error)
    assert found == said if said is None or ")" in said else found is not None and found.startswith(said)


@pytest.mark.parametrize(
    ("kind", "name"),
    [
        ("TableOperation", "table"), ("CounterOperation", "counter"), ("MeterOperation", "meter"),
        ("RegisterOperation", "register"), ("LearnOperation", "learn"), ("SwapOperation", "swap"),
        ("DevMgrOperation", "device manager"), ("CrcOperation", "crc"), ("ToeplitzHashOperation", "Toeplitz hash"),
        ("ParseVSetOperation", "parser value set"), ("IdLookup", "id lookup"), ("McOperation", "PRE"),
        ("MirroringOperation", "mirroring"),
    ],
)  # fmt: skip
def test_each_kind_of_refusal_has_its_name_and_its_codes(kind: str, name: str) -> None:
    services = [one for one in (standard, simple_pre, simple_pre_lag, simple_switch) if hasattr(one, f"Invalid{kind}")]
    assert len(services) == (2 if kind == "McOperation" else 1)
    for service in services:
        short = kind.removesuffix("Operation")
        codes = getattr(service, f"{kind}ErrorCode", None) or getattr(service, f"{short}ErrorCode")
        for code, word in codes._VALUES_TO_NAMES.items():
            error = getattr(service, f"Invalid{kind}")(code=code)
            assert connection.told(error) == f"Invalid {name} operation ({word})"


@pytest.mark.parametrize(
    ("pre", "service", "lags"),
    [("None", None, False), ("SimplePre", "simple_pre", False), ("SimplePreLAG", "simple_pre_lag", True)],
)
def test_a_session_asks_the_service_that_is_named(
    pre: str, service: str | None, lags: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A connection sends each call at once."""
    monkeypatch.setattr(connection, "_program", lambda client, json: Program("{}"))
    monkeypatch.setattr(connection, "TClient", lambda of, protocol: of)
    with socket.create_server(("127.0.0.1", 0)) as listening:
        made = connection.connect("127.0.0.1", listening.getsockname()[1], pre, None)
    assert made.multicast is (SERVICES[service] if service else None) and made.lags is lags
    assert (made.standard, made.target) == (SERVICES["standard"], SERVICES["simple_switch"])


# --- values ----------------------------------------------------------------------------------------------------------


def field(kind: str, bits: int) -> Field:
    return Field("f", bits, kind)


@pytest.mark.parametrize(
    ("word", "bits", "value"),
    [
        ("255", 8, "ff"), ("256", 8, "Parameter is too large"), ("511", 9, "01ff"), ("65535", 9, "ffff"),
        ("-1", 8, "Parameter is too large"),
        ("0x10", 8, "10"), ("0b11", 8, "03"), ("1x", 8, "could not cast to integer"), ("10.0.0.1", 32, "0a000001"),
        ("10.0.0", 32, "Invalid IPv4 address"), ("10.0.0.1", 16, "could not cast"), ("167772161", 32, "0a000001"),
        ("::1", 128, f"{1:032x}"), ("::x", 128, "Invalid IPv6 address"), ("1", 128, f"{1:032x}"),
        ("00:11:22:aa:bb:0c", 48, "001122aabb0c"), ("0:1:2:3:4:5", 48, "000102030405"),
        ("00:11:22:aa:bb", 48, "Invalid MAC address"),
        ("00:11:22:aa:bb:xx", 48, "Invalid MAC address"), ("00:11:22:aa:bb:100", 48, "Invalid MAC address"),
        ("5", 48, "000000000005"),
    ],
)  # fmt: skip
def test_values_are_numbers_or_addresses(word: str, bits: int, value: str) -> None:
    """Of whole bytes, as in BMv2."""
    action = Action("a", (Field("p", bits),))
    if value[0].isupper() or " " in value:
        with pytest.raises(Wrong, match=f"Invalid runtime data: Error while parsing {word} - .*{value}"):
            values.runtime_data(action, [word])
    else:
        assert [one.hex() for one in values.runtime_data(action, [word])] == [value]


@pytest.mark.parametrize(
    ("kind", "word", "shown"),
    [
        ("exact", "5", "EXACT-05"), ("lpm", "5/3", "LPM-05/3"), ("ternary", "5&&&0xf", "TERNARY-05 &&& 0f"),
        ("range", "5->7", "RANGE-05 -> 07"), ("range", "5->5", "RANGE-05 -> 05"), ("valid", "1", "VALID-"),
        ("valid", "0", "VALID-"),
        ("lpm", "5", "use '/' to separate prefix and length"), ("lpm", "5/3/4", "use '/'"), ("lpm", "5/x", "'x' is no length"),
        ("ternary", "5", "use '&&&' to separate key and mask"), ("ternary", "5&&&1&&&2", "use '&&&'"),
        ("range", "7->5", "start is less than end in expression 7->5"), ("range", "7", "use '->' to separate range start"),
        ("exact", "999", "Parameter is too large"),
    ],
)  # fmt: skip
def test_fields_of_keys_as_they_are_written_and_shown(kind: str, word: str, shown: str) -> None:
    table = Table("t", kind, (field(kind, 8),), {}, None, False)
    if shown[:3].isupper():
        (param,) = values.match_key(table, [word])
        assert values.shown_param(param) == shown
        assert values.dumped_param(param) == (shown.partition("-")[2] or f"0{word}"), "dumps do not name the kind"
    else:
        with pytest.raises(Wrong, match=f"Invalid match key: .*{shown}"):
            values.match_key(table, [word])


def test_keys_and_data_have_as_many_words_as_there_are_fields() -> None:
    table, action = Table("t", "exact", (field("exact", 8),) * 2, {}, None, False), Action("a", (Field("p", 8),))
    for words in (["1"], ["1", "2", "3"]):
        with pytest.raises(Wrong, match="Table t needs 2 key fields"):
            values.match_key(table, words)
    for words in ([], ["1", "2"]):
        with pytest.raises(Wrong, match="Action a needs 1 parameters"):
            values.runtime_data(action, words)


def test_a_thing_is_named_in_full_or_by_an_end_that_no_other_has() -> None:
    names = Names("table", [(name, name) for name in ("t", "a.t", "b.a.u", "xu", "c.v", "d.c.v")])
    for given, found in (
        ("a.t", "a.t"),
        ("u", "b.a.u"),
        ("a.u", "b.a.u"),
        ("b.a.u", "b.a.u"),
        ("xu", "xu"),
        ("d.c.v", "d.c.v"),
    ):
        assert names.find(given) == found
    for given in ("t", "v", "c.v", "a", "b.a", "", ".u", "T", "x"):
        with pytest.raises(Wrong, match=rf"^Error: Invalid table name \({re.escape(given)}\)$"):
            names.find(given)
