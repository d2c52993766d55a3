"""Which method each command of simple_switch_CLI calls, with what; the switch is one that notes what it is asked."""

from __future__ import annotations

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
    up, down = said(session, capsys, "show_ports").splitlines()[2:]
    assert up.split() == ["3", "eth0", "UP"] and down.split() == ["3", "eth0", "DOWN", "a=1;", "b=2"]


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
