"""Which method each command of simple_switch_CLI calls, with what; the switch is one that notes what it is asked."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from macsad import compilation
from macsad.compilation import Request
from macsad.shims.cli.commands import run
from macsad.shims.cli.program import Program
from macsad.shims.cli.session import Session
from macsad.thrift.described import simple_switch, standard

EDGES = Path(__file__).parents[1] / "c" / "edges.p4"
DIRECT = "this is the direct counter for table I.exact_keys\n"


class Noting:
    """A client of a service. `answers`: of methods; others answer 0."""

    def __init__(self) -> None:
        self.asked: list[tuple[Any, ...]] = []
        self.answers: dict[str, Any] = {}

    def __getattr__(self, method: str) -> Any:
        def call(*arguments: Any) -> Any:
            self.asked.append((method, *arguments))
            return self.answers.get(method, 0)

        return call


@pytest.fixture(scope="module")
def program() -> Program:
    request = Request(EDGES)
    text = compilation.bmv2_json(request, compilation.load(request))
    assert text is not None
    return Program(text)


@pytest.fixture
def session(program: Program) -> Session:
    return Session(Noting(), Noting(), Noting(), True, program)


def said(session: Session, capsys: pytest.CaptureFixture[str], line: str) -> str:
    run(session, line.split())
    return capsys.readouterr().out


def rate(units: float, burst: int) -> Any:
    return standard.BmMeterRateConfig(units_per_micros=units, burst_size=burst)


RATES = [rate(0.5, 100), rate(1.5, 200)]
COUNT = standard.BmCounterValue(packets=5, bytes=300)


@pytest.mark.parametrize(
    ("line", "called"),
    [
        ("table_num_entries prefixes", ("bm_mt_get_num_entries", 0, "I.prefixes")),
        ("table_clear prefixes", ("bm_mt_clear_entries", 0, "I.prefixes", False)),
        ("table_delete prefixes 7", ("bm_mt_delete_entry", 0, "I.prefixes", 7)),
        ("table_set_default prefixes go 5", ("bm_mt_set_default_action", 0, "I.prefixes", "I.go", [b"\0\5"])),
        ("table_reset_default prefixes", ("bm_mt_reset_default_entry", 0, "I.prefixes")),
        ("table_indirect_delete choices 7", ("bm_mt_indirect_delete_entry", 0, "I.choices", 7)),
        ("table_indirect_set_default choices 7", ("bm_mt_indirect_set_default_member", 0, "I.choices", 7)),
        ("table_indirect_set_default_with_group choices 7",
         ("bm_mt_indirect_ws_set_default_group", 0, "I.choices", 7)),
        ("table_indirect_reset_default choices", ("bm_mt_indirect_reset_default_entry", 0, "I.choices")),
        ("counter_write seen 1 5 300", ("bm_counter_write", 0, "I.seen", 1, COUNT)),
        ("counter_write hits 7 5 300", ("bm_mt_write_counter", 0, "I.exact_keys", 7, COUNT)),
        ("counter_reset seen", ("bm_counter_reset_all", 0, "I.seen")),
        ("counter_reset hits", ("bm_mt_reset_counters", 0, "I.exact_keys")),
        ("meter_array_set_rates flow 0.5:100 1.5:200", ("bm_meter_array_set_rates", 0, "I.flow", RATES)),
        ("meter_set_rates flow 1 0.5:100 1.5:200", ("bm_meter_set_rates", 0, "I.flow", 1, RATES)),
        ("meter_set_rates pace 7 0.5:100 1.5:200", ("bm_mt_set_meter_rates", 0, "I.paced", 7, RATES)),
        ("register_write words 1 -7", ("bm_register_write", 0, "I.words", 1, -7)),
        ("register_reset words", ("bm_register_reset", 0, "I.words")),
        ("port_add eth0 3", ("bm_dev_mgr_add_port", "eth0", 3, "")),
        ("port_add eth0 3 x.pcap", ("bm_dev_mgr_add_port", "eth0", 3, "x.pcap")),
        ("port_remove 3", ("bm_dev_mgr_remove_port", 3)),
        ("set_toeplitz_hash_key calc 0badcafe", ("bm_set_toeplitz_hash_key", 0, "calc", bytes.fromhex("0badcafe"))),
    ],
)  # fmt: skip
def test_commands_of_the_service_standard(
    session: Session, capsys: pytest.CaptureFixture[str], line: str, called: tuple[Any, ...]
) -> None:
    assert "rror" not in said(session, capsys, line)
    assert session.standard.asked == [called] and not session.target.asked


@pytest.mark.parametrize(
    ("line", "called"),
    [
        ("set_queue_depth 64", ("set_all_egress_queue_depths", 64)),
        ("set_queue_depth 64 3", ("set_egress_queue_depth", 3, 64)),
        ("set_queue_depth 64 3 7", ("set_egress_priority_queue_depth", 3, 7, 64)),
        ("set_queue_rate 100", ("set_all_egress_queue_rates", 100)),
        ("set_queue_rate 100 3", ("set_egress_queue_rate", 3, 100)),
        ("set_queue_rate 100 3 7", ("set_egress_priority_queue_rate", 3, 7, 100)),
        ("mirroring_add 5 3", ("mirroring_session_add", 5, simple_switch.MirroringSessionConfig(port=3))),
        ("mirroring_add_mc 5 9", ("mirroring_session_add", 5, simple_switch.MirroringSessionConfig(mgid=9))),
        ("mirroring_delete 5", ("mirroring_session_delete", 5)),
    ],
)
def test_commands_of_the_service_simple_switch(
    session: Session, capsys: pytest.CaptureFixture[str], line: str, called: tuple[Any, ...]
) -> None:
    assert said(session, capsys, line) == ""
    assert session.target.asked == [called] and not session.standard.asked


@pytest.mark.parametrize("what", ["depth", "rate"])
def test_queues_that_the_switch_does_not_have_are_told(
    session: Session, capsys: pytest.CaptureFixture[str], what: str
) -> None:
    session.target.answers[f"set_all_egress_queue_{what}s"] = 1
    assert said(session, capsys, f"set_queue_{what} 64") == "Error: the switch has not done it\n"
    assert said(session, capsys, f"set_queue_{what} x").startswith("Error: Bad format for ")
    assert said(session, capsys, f"set_queue_{what}") == "Error: Insufficient number of args\n"


def test_elements_of_direct_externs_are_read_by_their_table(
    session: Session, capsys: pytest.CaptureFixture[str]
) -> None:
    session.standard.answers = {"bm_mt_read_counter": COUNT, "bm_mt_get_meter_rates": RATES, "bm_counter_read": COUNT}
    assert said(session, capsys, "counter_read hits 7") == f"{DIRECT}hits[7]= (300 bytes, 5 packets)\n"
    assert said(session, capsys, "counter_read seen 2") == "seen[2]= (300 bytes, 5 packets)\n"
    assert said(session, capsys, "meter_get_rates pace 7").splitlines() == [
        "0: info rate = 0.5, burst size = 100", "1: info rate = 1.5, burst size = 200",
    ]  # fmt: skip
    assert session.standard.asked == [
        ("bm_mt_read_counter", 0, "I.exact_keys", 7), ("bm_counter_read", 0, "I.seen", 2),
        ("bm_mt_get_meter_rates", 0, "I.paced", 7),
    ]  # fmt: skip


def test_what_a_program_has_is_listed_by_name(session: Session, capsys: pytest.CaptureFixture[str]) -> None:
    tables = [line.split()[0] for line in said(session, capsys, "show_tables").splitlines()]
    assert tables == sorted(tables) and {"I.prefixes", "I.choices"} <= set(tables)
    actions = said(session, capsys, "show_actions").splitlines()
    assert actions == sorted(actions) and f"{'I.go':30} [port(9)]" in actions
    of_table = said(session, capsys, "table_show_actions paced").splitlines()
    assert [line.split()[0] for line in of_table] == ["I.nothing"] or "I.nothing" in of_table[0]
    info = said(session, capsys, "table_info masks").splitlines()
    assert info[0].startswith("I.masks") and info[1] == "*" * 80 and info[2:] == [
        line for line in actions if line.split()[0] in ("I.drop", "I.go")
    ]  # fmt: skip


def test_ports_are_told_with_what_is_known_of_them(session: Session, capsys: pytest.CaptureFixture[str]) -> None:
    ports = [standard.DevMgrPortInfo(port_num=3, iface_name="eth0", is_up=up, extra=extra)
             for up, extra in ((True, {}), (False, {"a": "1", "b": "2"}))]  # fmt: skip
    session.standard.answers["bm_dev_mgr_show_ports"] = ports
    assert said(session, capsys, "show_ports").splitlines() == [
        "  port #       iface name       status  extra info",
        "==================================================",
        "    3             eth0            UP    ",
        "    3             eth0           DOWN   a=1; b=2",
    ]


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ("port_add eth0 x", "Error: Bad format for port_num, must be an integer\n"),
        ("port_add eth0", "Error: Insufficient number of args\n"),
        ("port_remove x", "Error: Bad format for port_num, must be an integer\n"),
        ("mirroring_add x 3", "Error: Bad format for mirror_id, expected integer\n"),
        ("mirroring_add 3 x", "Error: Bad format for egress_port, expected integer\n"),
        ("set_toeplitz_hash_key calc 0badca", "Error: Toeplitz hash key must be a multiple of 4 bytes in length\n"),
        ("table_indirect_add choices 1&&&1 => 1 2 3", "Error: Invalid arguments, could not find handle\n"),
        ("table_indirect_set_default prefixes 1", "Error: Cannot run this command on non-indirect table\n"),
        ("table_indirect_set_default_with_group pinned 1",
         "Error: Cannot run this command on non-indirect table, or on indirect table with no selector\n"),
        ("table_set_default prefixes go", "Error: Action go needs 1 parameters\n"),
        ("register_read words 1 2", "Error: Wrong number of args, expected 2 but got 3\n"),
    ],
)  # fmt: skip
def test_what_is_wrong_asks_nothing(session: Session, capsys: pytest.CaptureFixture[str], line: str, told: str) -> None:
    assert said(session, capsys, line) == told
    assert not session.standard.asked and not session.target.asked


INTEGER, HANDLE, GROUP = ", expected integer", "member handle", "group handle"


@pytest.mark.parametrize(
    ("line", "what"),
    [
        ("set_queue_depth x", f"nb_pkts{INTEGER}"), ("set_queue_depth 1 x", f"egress_port{INTEGER}"),
        ("set_queue_depth 1 2 x", f"priority{INTEGER}"), ("set_queue_rate x", f"rate_pps{INTEGER}"),
        ("mirroring_add_mc x 1", f"mirror_id{INTEGER}"), ("mirroring_add_mc 1 x", f"mgrp{INTEGER}"),
        ("mirroring_delete x", f"mirror_id{INTEGER}"), ("mirroring_get x", f"mirror_id{INTEGER}"),
        ("register_read words x", "index"), ("register_write words x 1", "index"),
        ("register_write words 1 x", "value, must be an integer"), ("counter_read seen x", "index"),
        ("counter_write seen x 1 1", "index"), ("counter_write seen 1 x 1", "packets"),
        ("counter_write seen 1 1 x", "bytes"), ("meter_set_rates flow x 1:1 1:1", "index"), ("meter_get_rates flow x", "index"),
        ("table_delete prefixes x", "entry handle"), ("table_modify prefixes go x 1", "entry handle"),
        ("table_dump_entry prefixes x", "entry handle"), ("table_indirect_delete choices x", "entry handle"),
        ("table_indirect_add choices 1&&&1 => x 1", "handle"), ("table_indirect_add_with_group choices 1&&&1 => x 1", "handle"),
        ("table_indirect_set_default choices x", "handle"), ("table_indirect_set_default_with_group choices x", "handle"),
        ("act_prof_delete_member chosen x", HANDLE), ("act_prof_modify_member chosen go x 1", HANDLE),
        ("act_prof_add_member_to_group chosen x 1", HANDLE), ("act_prof_add_member_to_group chosen 1 x", GROUP),
        ("act_prof_remove_member_from_group chosen x 1", HANDLE), ("act_prof_delete_group chosen x", GROUP),
        ("act_prof_dump_member chosen x", HANDLE), ("act_prof_dump_group chosen x", GROUP),
        ("mc_mgrp_create x", "multicast group id"), ("mc_mgrp_destroy x", "multicast group id"), ("mc_node_create x 1", "rid"),
        ("mc_node_update x 1", "node handle"), ("mc_node_associate x 1", "multicast group id"),
        ("mc_node_associate 1 x", "node handle"), ("mc_node_dissociate x 1", "multicast group id"),
        ("mc_node_dissociate 1 x", "node handle"), ("mc_node_destroy x", "node handle"),
        ("mc_set_lag_membership x 1", "lag index"),
    ],
)  # fmt: skip
def test_what_is_no_number_is_told_by_its_name(
    session: Session, capsys: pytest.CaptureFixture[str], line: str, what: str
) -> None:
    assert said(session, capsys, line) == f"Error: Bad format for {what}\n"
    assert not session.standard.asked and not session.target.asked and not session.multicast.asked


def test_an_arrow_stands_before_parameters_where_there_are_any(
    session: Session, capsys: pytest.CaptureFixture[str]
) -> None:
    said(session, capsys, "table_add prefixes nothing 1 0x120/8 =>")
    said(session, capsys, "table_add prefixes nothing 1 0x120/8")
    with_arrow, without = session.standard.asked
    assert with_arrow == without and (without[4], len(without[3])) == ("I.nothing", 2)
    told = said(session, capsys, "table_add prefixes go 1 0x120/8 5")
    assert told == "Error: Table prefixes needs 2 key fields\n"


def test_an_entry_is_asked_for_by_its_whole_key(session: Session, capsys: pytest.CaptureFixture[str]) -> None:
    """Behind which stands its priority, where there is a key at all."""
    for words, told in (
        ("masks", "Table I.masks needs 3 key fields"),
        ("masks 1&&&1 1&&&1 1->2", "Table is ternary, but could not extract a valid priority from args"),
        ("masks 1&&&1 1&&&1 5", "Table I.masks needs 3 key fields"),
        ("prefixes", "Table I.prefixes needs 2 key fields"),
    ):
        assert said(session, capsys, f"table_dump_entry_from_key {words}") == f"Error: {told}\n"
    assert not session.standard.asked


def test_numbers_are_decimal(session: Session, capsys: pytest.CaptureFixture[str]) -> None:
    """As in BMv2: handles and indices; values of keys and data may be hexadecimal."""
    for word in ("0x7", "0b1", "7.0", "seven", "7a", "0o7"):
        assert said(session, capsys, f"table_delete prefixes {word}") == "Error: Bad format for entry handle\n"
        assert said(session, capsys, f"register_write words {word} 1") == "Error: Bad format for index\n"
        assert said(session, capsys, f"set_queue_depth {word}") == "Error: Bad format for nb_pkts, expected integer\n"
    assert not session.standard.asked and not session.target.asked
    said(session, capsys, "table_delete prefixes 007")
    said(session, capsys, "mirroring_delete 10")
    assert session.standard.asked == [("bm_mt_delete_entry", 0, "I.prefixes", 7)]
    assert session.target.asked == [("mirroring_session_delete", 10)]


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ("table_modify prefixes go 1", "Action I.go needs 1 parameters"), ("table_set_default prefixes go 1 2",
         "Action go needs 1 parameters"), ("table_set_default prefixes send 2", "Table prefixes has no action send"),
        ("table_modify prefixes none 1", "Table prefixes has no action none"),
        ("table_indirect_add choices 1&&&1 1", "Invalid arguments, could not find handle"),
        ("table_indirect_add choices => 1 1", "Table I.choices needs 1 key fields"),
        ("table_indirect_add prefixes 1 => 1", "Cannot run this command on non-indirect table"),
        ("table_indirect_delete prefixes 1", "Cannot run this command on non-indirect table"),
        ("table_indirect_add_with_group prefixes 1 => 1",
         "Cannot run this command on non-indirect table, or on indirect table with no selector"),
        ("table_indirect_add_with_group pinned 1 => 1",
         "Cannot run this command on non-indirect table, or on indirect table with no selector"),
        ("act_prof_create_group few", "Cannot run this command on an action profile without selector"),
        ("act_prof_delete_group few 1", "Cannot run this command on an action profile without selector"),
        ("act_prof_remove_member_from_group few 1 1", "Cannot run this command on an action profile without selector"),
        ("act_prof_modify_member chosen send 1 1", "Action profile 'chosen' has no action 'send'"),
        ("act_prof_modify_member chosen none 1 1", "Action profile 'chosen' has no action 'none'"),
        ("table_dump_group pinned 1", "Cannot run this command on non-indirect table"),
        ("table_indirect_delete_group pinned 1", "Cannot run this command on non-indirect table"),
        ("mc_node_create 1 2 | x", "'x' is not a valid lag number"), ("mc_node_create 1 2 | 3 3",
         "Found duplicate lag number '3'"), ("mc_node_create 1 1 | 2 | 3", "'|' is not a valid lag number"),
        ("mc_node_update 1 -1", "'-1' is not a valid port number"),
        ("mc_set_lag_membership 1 x", "'x' is not a valid lag number"),
        ("meter_array_set_rates flow 1:1", "Invalid number of rates, expected 2 but got 1"),
        ("meter_set_rates flow 1 1:1 1:1 1:1", "Invalid number of rates, expected 2 but got 3"),
        ("meter_set_rates flow 1 1:1 1:1:1", "Error while parsing rates"),
        ("set_crc16_parameters none 0 0 0 1 1", "Invalid crc16_custom name (none)"),
        ("set_crc32_parameters calc 0 0 0 1 1", "Invalid crc32_custom name (calc)"),
        ("set_toeplitz_hash_key calc 0g", "Toeplitz hash key must be a hex string"),
        ("pvs_add marks x", "Invalid input, could not cast to integer, try in hex with 0x prefix"),
        ("pvs_remove marks -1", "Input is too large, it should fit within 13 bits"),
        ("pvs_get none", "Invalid parser value set name (none)"), ("counter_reset none", "Invalid counter name (none)"),
        ("meter_get_rates none 1", "Invalid meter name (none)"), ("register_reset none", "Invalid register name (none)"),
        ("act_prof_dump none", "Invalid action profile name (none)"),
    ],
)  # fmt: skip
def test_what_is_wrong_with_what_is_named(
    session: Session, capsys: pytest.CaptureFixture[str], line: str, told: str
) -> None:
    assert said(session, capsys, line) == f"Error: {told}\n"
    assert not session.standard.asked and not session.target.asked and not session.multicast.asked


@pytest.mark.parametrize(
    ("line", "printed", "called"),
    [
        ("counter_write hits 7 5 300", "writing to direct counter for table I.exact_keys\nhits[7] has been updated\n",
         ("bm_mt_write_counter", 0, "I.exact_keys", 7, COUNT)),
        ("counter_reset hits", DIRECT, ("bm_mt_reset_counters", 0, "I.exact_keys")),
        ("table_modify prefixes go 7 => 5", "Modifying entry 7 for lpm match table prefixes\n",
         ("bm_mt_modify_entry", 0, "I.prefixes", 7, "I.go", [b"\0\5"])),
        ("table_delete prefixes 7", "Deleting entry 7 from prefixes\n", ("bm_mt_delete_entry", 0, "I.prefixes", 7)),
        ("act_prof_delete_member chosen 7", "", ("bm_mt_act_prof_delete_member", 0, "I.chosen", 7)),
        ("act_prof_delete_group chosen 7", "", ("bm_mt_act_prof_delete_group", 0, "I.chosen", 7)),
        ("act_prof_add_member_to_group chosen 3 4", "", ("bm_mt_act_prof_add_member_to_group", 0, "I.chosen", 3, 4)),
        ("act_prof_remove_member_from_group chosen 3 4", "",
         ("bm_mt_act_prof_remove_member_from_group", 0, "I.chosen", 3, 4)),
        ("table_indirect_add_member_to_group choices 3 4", "", ("bm_mt_act_prof_add_member_to_group", 0, "I.chosen", 3, 4)),
        ("table_indirect_delete_group choices 4", "", ("bm_mt_act_prof_delete_group", 0, "I.chosen", 4)),
        ("pvs_add marks 0x1fff", "", ("bm_parse_vset_add", 0, "P.marks", b"\x1f\xff")),
        ("pvs_remove marks 0", "", ("bm_parse_vset_remove", 0, "P.marks", b"\0\0")),
        ("pvs_clear marks", "", ("bm_parse_vset_clear", 0, "P.marks")),
        ("swap_configs", "Swapping configs\n", ("bm_swap_configs",)), ("reset_state", "", ("bm_reset_state",)),
    ],
)  # fmt: skip
def test_what_is_asked_for_and_printed(
    session: Session, capsys: pytest.CaptureFixture[str], line: str, printed: str, called: tuple[Any, ...]
) -> None:
    assert said(session, capsys, line) == printed
    assert session.standard.asked == [called]


@pytest.mark.parametrize("count", [1, 2, 3])
def test_the_older_commands_take_a_table_whose_profile_no_other_has(
    capsys: pytest.CaptureFixture[str], count: int
) -> None:
    """BMv2's words; members and groups are shown all the same."""
    tables = [{"name": f"t{at}", "type": "indirect_ws", "match_type": "exact", "key": [], "actions": ["a"],
               "action_profile": "p"} for at in range(count)]  # fmt: skip
    pipeline = {"action_profiles": [{"name": "p", "selector": {}}], "tables": tables}
    text = json.dumps({"actions": [{"name": "a", "runtime_data": []}], "pipelines": [pipeline]})
    session = Session(Noting(), Noting(), Noting(), True, Program(text))
    entry = standard.BmMtActProfMember(mbr_handle=3, action_name="a", action_data=[])
    session.standard.answers["bm_mt_act_prof_get_member"] = entry
    for words, told in (("create_member t0 a", "Member has been created with handle 0"), ("delete_group t0 4", "")):
        run(session, f"table_indirect_{words}".split())
        out, err = capsys.readouterr()
        if count > 1:
            assert (out, err) == ("Error: Legacy command does not work with shared action profiles\n", "")
            assert not session.standard.asked
        else:
            assert (out.rstrip(), err) == (
                told,
                f"This is a deprecated command, use 'act_prof_{words.split()[0]}' instead\n",
            )
    assert said(session, capsys, "table_dump_member t0 3") == "Dumping member 3\nAction entry: a - \n"


def test_the_timeout_of_an_entry(program: Program, capsys: pytest.CaptureFixture[str]) -> None:
    """Where the table has such."""
    aging = replace(program.tables["I.prefixes"], support_timeout=True)
    session = Session(Noting(), Noting(), Noting(), True, program)
    program.tables["I.prefixes"], plain = aging, program.tables["I.prefixes"]
    try:
        for words in ("x 1", "1 x"):
            what = "entry handle" if words == "x 1" else "timeout"
            assert said(session, capsys, f"table_set_timeout prefixes {words}") == f"Error: Bad format for {what}\n"
        assert said(session, capsys, "table_set_timeout prefixes 7 100") == "Setting a 100 ms timeout for entry 7\n"
    finally:
        program.tables["I.prefixes"] = plain
    assert session.standard.asked == [("bm_mt_set_entry_ttl", 0, "I.prefixes", 7, 100)]


@pytest.mark.parametrize(("with_lags", "printed"), [
    (True, "Creating node with rid 1 , port map 1100 and lag map 10000\nnode was created with handle 0\n"),
    (False, "Creating node with rid 1 and with port map 1100\nnode was created with handle 0\n"),
])  # fmt: skip
def test_copies_of_a_node(program: Program, capsys: pytest.CaptureFixture[str], with_lags: bool, printed: str) -> None:
    session = Session(Noting(), Noting(), Noting(), with_lags, program)
    assert said(session, capsys, f"mc_node_create 1 2 3{' | 4' * with_lags}") == printed
    maps = ("1100", "10000") if with_lags else ("1100",)
    assert said(session, capsys, f"mc_node_update 7 3 2{' | 4' * with_lags}") == (
        f"Updating node 7 with port map 1100{' and lag map 10000' * with_lags}\n"
    )
    assert said(session, capsys, "mc_node_create 65535 65535").startswith("Creating node with rid 65535 ")
    assert session.multicast.asked[:2] == [("bm_mc_node_create", 0, 1, *maps), ("bm_mc_node_update", 0, 7, *maps)]
    assert session.multicast.asked[2][3] == "1" + "0" * 65535


def test_another_program_is_loaded_from_its_file(
    session: Session, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    """What is BMv2's JSON is read here first, P4 is compiled by the switch, and asked for then."""
    before = session.program
    for name, text in (("p.json", "no JSON"), ("p.p4", " {}}"), ("p.txt", "control C();")):
        (tmp_path / name).write_text(text)
        told = said(session, capsys, f"load_new_config_file {tmp_path / name}")
        assert told == "Loading new Json config\nError: Not a valid JSON file\n" and session.program is before
    assert said(session, capsys, f"load_new_config_file {tmp_path}") == "Error: Not a valid filename\n"
    assert not session.standard.asked
    session.standard.answers["bm_get_config"] = '{"register_arrays": [{"name": "asked", "size": 1, "bitwidth": 8}]}'
    for name, text, register in (("q.json", '{"register_arrays": [{"name": "own", "size": 1, "bitwidth": 8}]}', "own"),
                                 ("q.p4", "control C();", "asked")):  # fmt: skip
        (tmp_path / name).write_text(text)
        session.standard.asked.clear()
        assert said(session, capsys, f"load_new_config_file {tmp_path / name}") == "Loading new Json config\n"
        assert list(session.program.registers) == [register]
        assert session.standard.asked == [("bm_load_new_config", text), ("bm_get_config",)][: 1 + (register == "asked")]


def test_files_that_cannot_be_written_are_told(
    session: Session, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    session.standard.answers = {"bm_get_config": "{}", "bm_serialize_state": "table_clear t\n"}
    for command, text in (("write_config_to_file", "{}"), ("serialize_state", "table_clear t\n")):
        assert said(session, capsys, f"{command} {tmp_path}") == f"Error: {tmp_path}: Is a directory\n"
        assert said(session, capsys, f"{command} {tmp_path / 'f'}") == "" and (tmp_path / "f").read_text() == text


def test_the_switch_is_told_a_line_each(session: Session, capsys: pytest.CaptureFixture[str]) -> None:
    """Their names five columns wider than the longest."""
    session.standard.answers["bm_mgmt_get_info"] = standard.BmConfig(device_id=3, thrift_port=9090)
    lines = said(session, capsys, "switch_info").splitlines()
    names = [name for _, name, *_ in standard.BmConfig.thrift_spec.values()]
    assert [line.split(":")[0].rstrip() for line in lines] == names
    assert {line.index(":") for line in lines} == {5 + max(map(len, names))}
    assert [line.split(": ")[1] for line in lines if "device_id" in line or "thrift_port" in line] == ["3", "9090"]


CRCS = '{"calculations": [{"name": "c16", "algo": "crc16_custom"}, {"name": "c32", "algo": "crc32_custom"}]}'


@pytest.mark.parametrize(
    ("bits", "words", "told"),
    [
        (16, "0x8005 0 65535 true False", (-0x7FFB, 0, -1, True, False)), (16, "1 2 3 0 7", (1, 2, 3, False, True)),
        (32, "0xffffffff 0x7fffffff 1 True false", (-1, 0x7FFFFFFF, 1, True, False)),
        (16, "65536 0 0 1 1", "Integer cannot fit within 16 bits"), (16, "0 -1 0 1 1", "Integer cannot fit within 16 bits"),
        (32, "0 0 0x100000000 1 1", "Integer cannot fit within 32 bits"), (32, "0 x 0 1 1", "'x' is not a number"),
        (32, "0 0 0 1 maybe", "Invalid bool parameter"), (32, "0 0 0 TRUE 1", "Invalid bool parameter"),
    ],
)  # fmt: skip
def test_parameters_of_hashes(
    bits: int, words: str, told: tuple[int, ...] | str, capsys: pytest.CaptureFixture[str]
) -> None:
    """Thrift has no numbers without a sign."""
    session = Session(Noting(), Noting(), Noting(), True, Program(CRCS))
    printed = said(session, capsys, f"set_crc{bits}_parameters c{bits} {words}")
    if isinstance(told, str):
        assert printed == f"Error: {told}\n" and not session.standard.asked
    else:
        config = getattr(standard, f"BmCrc{bits}Config")(*told)
        assert printed == "" and session.standard.asked == [
            (f"bm_set_crc{bits}_custom_parameters", 0, f"c{bits}", config)
        ]
    assert said(session, capsys, f"set_crc{bits}_parameters c{48 - bits} 0 0 0 1 1") == (
        f"Error: Invalid crc{bits}_custom name (c{48 - bits})\n"
    )
