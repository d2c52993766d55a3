"""simple_switch_CLI's commands on a running switch, and what they print: word for word what BMv2's print."""

from __future__ import annotations

import io
import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from switch_harness import Switch

from macsad.shims import runtime_cli
from macsad.shims.cli.commands import COMMANDS, run
from macsad.shims.cli.session import Session

Said = Callable[..., str]

# What simple_switch_CLI of BMv2 has (behavioral-model, runtime_CLI.py and sswitch_CLI.py).
OF_BMV2 = """
act_prof_add_member_to_group act_prof_create_group act_prof_create_member act_prof_delete_group act_prof_delete_member
act_prof_dump act_prof_dump_group act_prof_dump_member act_prof_modify_member act_prof_remove_member_from_group
counter_read counter_reset counter_write get_time_elapsed get_time_since_epoch greet load_new_config_file mc_dump
mc_mgrp_create mc_mgrp_destroy mc_node_associate mc_node_create mc_node_destroy mc_node_dissociate mc_node_update
mc_set_lag_membership meter_array_set_rates meter_get_rates meter_set_rates mirroring_add mirroring_add_mc
mirroring_delete mirroring_get port_add port_remove pvs_add pvs_clear pvs_get pvs_remove register_read register_reset
register_write reset_state serialize_state set_crc16_parameters set_crc32_parameters set_queue_depth set_queue_rate
set_toeplitz_hash_key shell show_actions show_ports show_pvs show_tables swap_configs switch_info table_add table_clear
table_delete table_dump table_dump_entry table_dump_entry_from_key table_dump_group table_dump_member table_indirect_add
table_indirect_add_member_to_group table_indirect_add_with_group table_indirect_create_group
table_indirect_create_member table_indirect_delete table_indirect_delete_group table_indirect_delete_member
table_indirect_modify_member table_indirect_remove_member_from_group table_indirect_reset_default
table_indirect_set_default table_indirect_set_default_with_group table_info table_modify table_num_entries
table_reset_default table_set_default table_set_timeout table_show_actions write_config_to_file
"""


def test_all_commands_of_bmv2_are_there() -> None:
    assert set(COMMANDS) == set(OF_BMV2.split())


def test_an_entry_from_its_birth_to_its_end(say: Said) -> None:
    added = say("table_add prefixes go 1 0x120/8 => 5")
    head, _, handle = added.rpartition(" ")
    assert head == (
        "Adding entry to lpm match table prefixes\n"
        "match key:           EXACT-01\tLPM-01:20/8\n"
        "action:              go\n"
        "runtime data:        00:05\n"
        "Entry has been added with handle"
    )
    handle = handle.strip()
    assert say("table_add prefixes go 1 0x120/8 => 5").endswith("Invalid table operation (DUPLICATE_ENTRY)\n")
    dumped = (
        f"Dumping entry {hex(int(handle))}\n"
        "Match key:\n"
        "* hdr.h.flag          : EXACT     01\n"
        "* hdr.h.net           : LPM       0120/8\n"
        "Action entry: I.go - 0005\n"
    )
    assert say(f"table_dump_entry prefixes {handle}") == dumped
    assert say("table_dump_entry_from_key prefixes 1 0x120/8") == dumped
    assert say("table_num_entries prefixes") == "1\n"
    assert say(f"table_modify prefixes nothing {handle}") == f"Modifying entry {handle} for lpm match table prefixes\n"
    assert say("table_dump prefixes") == (
        "==========\nTABLE ENTRIES\n**********\n"
        + dumped.replace("I.go - 0005", "I.nothing - ")
        + "==========\nDumping default entry\nAction entry: I.drop - \n==========\n"
    )
    assert say(f"table_delete prefixes {handle}") == f"Deleting entry {handle} from prefixes\n"
    assert say(f"table_delete prefixes {handle}").endswith("Invalid table operation (INVALID_HANDLE)\n")


def test_defaults(say: Said) -> None:
    set_it = "Setting default action of prefixes\naction:              go\nruntime data:        00:05\n"
    assert say("table_set_default prefixes go 5") == set_it
    assert "Dumping default entry\nAction entry: I.go - 0005\n" in say("table_dump prefixes")
    assert say("table_reset_default prefixes") == ""
    assert "Dumping default entry\nAction entry: I.drop - \n" in say("table_dump prefixes")


def test_masks_ranges_and_priorities(say: Said) -> None:
    added = say("table_add masks go 1&&&0xf 0&&&0 1->5 => 7 10")
    assert added.startswith(
        "Adding entry to range match table masks\n"
        "match key:           TERNARY-00:01 &&& 00:0f\tTERNARY-00:00:00:00:00 &&& 00:00:00:00:00\tRANGE-00:01 -> 00:05\n"
    )
    dumped = say("table_dump_entry_from_key masks 1&&&0xf 0&&&0 1->5 10")
    assert "TERNARY   0001 &&& 000f\n" in dumped and "RANGE     0001 -> 0005\nPriority: 10\n" in dumped
    assert say("table_dump_entry_from_key masks 1&&&0xf 0&&&0 1->5 11") == "Invalid table operation (BAD_MATCH_KEY)\n"


def test_the_priority_0_is_shown_and_tables_without_priorities_have_none(say: Said) -> None:
    handle = say("table_add masks go 1&&&0xf 0&&&0 1->5 => 7 0").split()[-1]
    lines = say(f"table_dump_entry masks {handle}").splitlines()
    assert lines[-2:] == ["Priority: 0", "Action entry: I.go - 0007"]
    handle = say("table_add exact_keys send 1 2 1 => 5").split()[-1]
    assert "Priority" not in say(f"table_dump_entry exact_keys {handle}")


def test_the_first_and_the_last_values(say: Said) -> None:
    for number, span in enumerate(("3->3", "0->0", "1023->1023", "0->1023")):
        added = say(f"table_add masks go 0x1fff&&&0x1fff 0x1ffffffff&&&0x1ffffffff {span} => 511 {number}")
        assert "\nEntry has been added with handle " in added, span
    for prefix in ("0/0", "0xfff/12", "0x800/1"):
        added = say(f"table_add prefixes go 1 {prefix} => 0")
        assert "\nEntry has been added with handle " in added, prefix
    assert set(say("pvs_add marks 0x1fff", "pvs_add marks 0", "pvs_get marks").split()) == {"1fff", "0000"}
    assert say("pvs_clear marks") == ""  # reset_state leaves them


def test_members_and_groups(say: Said) -> None:
    assert say("act_prof_create_member chosen go 1", "act_prof_create_member chosen go 2") == (
        "Member has been created with handle 0\nMember has been created with handle 1\n"
    )
    assert say("act_prof_create_group chosen") == "Group has been created with handle 0\n"
    assert say("act_prof_add_member_to_group chosen 0 0", "act_prof_add_member_to_group chosen 1 0") == ""
    assert say("act_prof_add_member_to_group chosen 1 0") == "Invalid table operation (MBR_ALREADY_IN_GRP)\n"
    assert say("act_prof_delete_member chosen 0") == "Invalid table operation (MBR_STILL_USED)\n"
    added = say("table_indirect_add_with_group choices 1&&&1 => 0 10")
    assert added.startswith("Adding entry to indirect match table I.choices\nEntry has been added with handle ")
    other = say("table_indirect_add_with_group choices 1&&&3 => 0 11").split()[-1]
    assert say("table_num_entries choices") == "2\n"
    assert say(f"table_indirect_delete choices {other}") == f"Deleting entry {other} from choices\n"
    assert say("table_num_entries choices") == "1\n"
    assert say(f"table_indirect_delete choices {other}").endswith("Invalid table operation (INVALID_HANDLE)\n")
    assert "Wrong number of args" in say("table_indirect_delete choices")
    assert say("table_indirect_set_default choices 1", "act_prof_modify_member chosen go 1 => 3") == ""
    members = (
        "==========\nMEMBERS\n**********\nDumping member 0\nAction entry: I.go - 0001\n"
        "**********\nDumping member 1\nAction entry: I.go - 0003\n"
        "==========\nGROUPS\n**********\nDumping group 0\nMembers: [0, 1]\n"
    )
    assert say("act_prof_dump chosen") == members
    dumped = say("table_dump choices")
    assert "Priority: 10\nIndex: group(0)\n" + members in dumped
    assert dumped.endswith("Dumping default entry\nIndex: member(1)\n==========\n")
    assert say("table_dump_member choices 1") == "Dumping member 1\nAction entry: I.go - 0003\n"
    assert say("table_dump_group choices 0") == "Dumping group 0\nMembers: [0, 1]\n"
    assert say("act_prof_remove_member_from_group chosen 0 0", "act_prof_dump_group chosen 0").endswith("[1]\n")


def test_older_names_name_the_table(say: Said, session: Session, capsys: pytest.CaptureFixture[str]) -> None:
    assert say("table_indirect_create_member pinned go 1") == "Member has been created with handle 0\n"
    run(session, ["table_indirect_modify_member", "pinned", "go", "0", "2"])
    assert "deprecated" in capsys.readouterr().err, "where nobody looks for an answer"
    assert say("table_dump_member pinned 0") == "Dumping member 0\nAction entry: I.go - 0002\n"
    assert say("table_indirect_add pinned 1 => 0").startswith("Adding entry to indirect match table I.pinned\n")
    assert say("table_indirect_create_group pinned") == "Error: Cannot run this command on non-indirect table\n"
    assert say("table_indirect_delete_member prefixes 0") == "Error: Cannot run this command on non-indirect table\n"


def test_counters_registers_meters(say: Said) -> None:
    assert say("counter_write seen 1 5 300") == "seen[1] has been updated\n"
    assert say("counter_read seen 1") == "seen[1]= (300 bytes, 5 packets)\n"
    assert say("counter_reset seen", "counter_read seen 1") == "seen[1]= (0 bytes, 0 packets)\n"
    handle = say("table_add exact_keys send 1 2 1 => 5").split()[-1]
    direct = "this is the direct counter for table I.exact_keys\n"
    assert say(f"counter_read hits {handle}") == f"{direct}hits[{handle}]= (0 bytes, 0 packets)\n"
    assert say("register_write words 1 7", "register_read words 1", "register_read words") == (
        "words[1]= 7\nwords= 0, 7, 0, 0\n"
    )
    assert say("meter_get_rates flow 1") == "WARNING: expected 2 rates but only received 0\n"
    assert say("meter_set_rates flow 1 0.5:100 1.5:200", "meter_get_rates flow 1") == (
        "0: info rate = 0.5, burst size = 100\n1: info rate = 1.5, burst size = 200\n"
    )


def test_the_switch_itself_has_what_thrift_has_written(say: Said, switch: Switch) -> None:
    """What both ways of a service had wrong would be right again as it is read; direct externs by the entry's handle."""
    handle = say("table_add exact_keys send 1 2 1 => 5").split()[-1]
    say("counter_write seen 1 5 300", f"counter_write hits {handle} 6 400", "register_write words 1 7")
    say("meter_set_rates flow 1 0.5:100 1.5:200")
    asked = ("counter_read seen 1", f"counter_read hits {handle}", "register_read words 1", "meter_get_rates flow 1")
    assert switch.do(*asked) == (
        f"seen[1]= (300 bytes, 5 packets)\nhits[{handle}]= (400 bytes, 6 packets)\nwords[1]= 7\n"
        "0: info rate = 0.5, burst size = 100\n1: info rate = 1.5, burst size = 200\n"
    )


def test_value_sets(say: Said) -> None:
    assert say("show_pvs") == f"{'P.marks':30} [compressed bitwidth:13]\n"
    assert set(say("pvs_add marks 0x1234", "pvs_add marks 3", "pvs_get marks").split()) == {"1234", "0003"}
    assert say("pvs_remove marks 3", "pvs_get marks") == "1234\n"
    assert say("pvs_clear marks", "pvs_get marks") == ""


def test_groups_of_ports(say: Said) -> None:
    assert say("mc_mgrp_create 5") == "Creating multicast group 5\n"
    made = say("mc_node_create 7 1 3")
    assert made.startswith("Creating node with rid 7 , port map 1010 and lag map \nnode was created with handle ")
    node = made.split()[-1]
    assert say(f"mc_node_associate 5 {node}") == f"Associating node {node} to multicast group 5\n"
    assert say("mc_dump").startswith(
        f"==========\nMC ENTRIES\n**********\nmgrp(5)\n  -> (L1h={node}, rid=7) -> (ports=[1, 3], lags=[])\n==========\nLAGS\n"
    )
    assert say("mc_set_lag_membership 4 1 7") == "Setting lag membership: 4 <- 10000010\n"
    assert say(f"mc_node_update {node} 2 | 4") == f"Updating node {node} with port map 100 and lag map 10000\n"
    assert "(ports=[2], lags=[4])\n==========\nLAGS\nlag(4) -> ports=[1, 7]\n" in say("mc_dump")
    assert say(f"mc_node_update {node} 2") == f"Updating node {node} with port map 100 and lag map \n"
    assert say(f"mc_node_dissociate 5 {node}") == f"Dissociating node {node} from multicast group 5\n"
    assert say(f"mc_node_destroy {node}") == f"Destroying node {node}\n"
    assert say("mc_mgrp_destroy 5") == "Destroying multicast group 5\n"
    assert say("mc_mgrp_destroy 5").endswith("Invalid PRE operation (INVALID_MGID)\n")
    assert say("mirroring_add 3 7", "mirroring_get 3") == "MirroringSessionConfig(port=7, mgid=None)\n"
    assert say("mirroring_delete 3", "mirroring_get 3") == "Invalid mirroring operation (SESSION_NOT_FOUND)\n"


def test_the_switch_itself(say: Said, tmp_path: Path) -> None:
    assert say("switch_info").splitlines()[0] == f"{'device_id':25}: 7"
    assert say("show_ports").startswith(
        "  port #       iface name       status  extra info\n"
        + "=" * 50
        + "\n    0             ctl:            UP    \n"
    )
    assert int(say("get_time_elapsed")) > 0
    assert int(say("get_time_since_epoch")) > 1_600_000_000_000_000
    say(
        "table_add prefixes go 1 0x120/8 => 5",
        f"write_config_to_file {tmp_path / 'j'}",
        f"serialize_state {tmp_path / 's'}",
    )
    assert json.loads((tmp_path / "j").read_text())["__meta__"]["compiler"] == "macsad"
    assert "table_add I.prefixes I.go 0x01 0x0120/8 => 0x5\n" in (tmp_path / "s").read_text()
    assert say("reset_state", "table_num_entries prefixes") == "0\n"
    assert say("greet", "!echo there", "shell echo here").split() == [
        "hello",
        "***",
        "Unknown",
        "syntax:",
        "!echo",
        "there",
        "here",
    ]


@pytest.mark.parametrize(
    ("line", "printed"),
    [
        ("table_add nowhere go 1 => 1", "Error: Invalid table name (nowhere)\n"),
        ("table_add prefixes", "Error: Insufficient number of args\n"),
        ("table_add prefixes send 1 1/1 => 1", "Error: Table prefixes has no action send\n"),
        ("table_add prefixes go 1 => 1", "Error: Table prefixes needs 2 key fields\n"),
        ("table_add prefixes go 1 1/1 =>", "Error: Action I.go needs 1 parameters\n"),
        ("table_add prefixes go 1 1 => 1",
         "Invalid match key: Invalid LPM value 1, use '/' to separate prefix and length\n"),
        ("table_add prefixes go x 1/1 => 1",
         "Invalid match key: Error while parsing x - Invalid input, could not cast to integer, try in hex with 0x prefix\n"),
        ("table_add prefixes go 256 1/1 => 1", "Invalid match key: Error while parsing 256 - Parameter is too large\n"),
        ("table_add prefixes go 1 1/1 => 70000", "Invalid runtime data: Error while parsing 70000 - Parameter is too large\n"),
        ("table_add masks go 1&&&1 0&&&0 5->4 => 1 1", "Invalid match key: start is less than end in expression 5->4\n"),
        ("table_add masks go 1&&&1 0&&&0 1->65536 => 1 1",
         "Invalid match key: Error while parsing 65536 - Parameter is too large\n"),
        ("pvs_add marks 0x2000", "Error: Input is too large, it should fit within 13 bits\n"),
        ("mc_node_create 1 65536", "Error: '65536' is not a valid port number\n"),
        ("table_add masks go 1&&&1 0&&&0 1->2 => x",
         "Error: Table is ternary, but could not extract a valid priority from args\n"),
        ("table_delete prefixes x", "Error: Bad format for entry handle\n"),
        ("table_num_entries", "Error: Wrong number of args, expected 1 but got 0\n"),
        ("table_set_timeout prefixes 0 10", "Error: Table prefixes does not support entry timeouts\n"),
        ("act_prof_create_group few", "Error: Cannot run this command on an action profile without selector\n"),
        ("act_prof_create_member chosen send 1", "Error: Action profile 'chosen' has no action 'send'\n"),
        ("register_read twin", "Error: Invalid register name (twin)\n"),  # there are two
        ("counter_read seen 5", "Invalid counter operation (INVALID_INDEX)\n"),
        ("meter_set_rates flow 0 1:1", "Error: Invalid number of rates, expected 2 but got 1\n"),
        ("meter_set_rates flow 0 1:1 x", "Error: Error while parsing rates\n"),
        ("mc_node_create 1 x", "Error: 'x' is not a valid port number\n"),
        ("mc_node_create 1 2 2", "Error: Found duplicate port number '2'\n"),
        ("set_crc16_parameters calc 1 2 3 0 0", "Error: Invalid crc16_custom name (calc)\n"),
        ("set_toeplitz_hash_key calc 123", "Error: Toeplitz hash key must be a hex string\n"),
        ("load_new_config_file /none", "Error: Not a valid filename\n"),
        ("swap_configs", "Swapping configs\nInvalid swap operation (CONFIG_SWAP_DISABLED)\n"),
        ("frobnicate 1", "*** Unknown syntax: frobnicate 1\n"),
    ],
)  # fmt: skip
def test_what_is_wrong_is_told_as_bmv2_tells_it(say: Said, line: str, printed: str) -> None:
    assert say(line) == printed


def test_without_lag_groups(session: Session, say: Said) -> None:
    session.lags = False
    assert say("mc_set_lag_membership 1 2").startswith("Error: Cannot execute this command with this type of PRE")
    session.multicast = None
    assert say("mc_dump") == "Error: Cannot execute this command without packet replication engine\n"


def test_a_script_goes_on_behind_what_fails(port: int, monkeypatch: pytest.MonkeyPatch,
                                            capsys: pytest.CaptureFixture[str]) -> None:  # fmt: skip
    lines = "# a comment\n\ntable_num_entries nowhere\nhelp table_clear\nhelp\n!echo there\ntable_num_entries fixed\n"
    monkeypatch.setattr("sys.stdin", io.StringIO(lines))
    monkeypatch.setattr(runtime_cli.Prompt, "use_rawinput", False)
    assert runtime_cli.main("simple_switch_CLI", ["--thrift-port", str(port), "--pre", "SimplePre"]) == 0
    told = capsys.readouterr().out
    assert told.startswith("Obtaining JSON from switch...\nDone\nControl utility for runtime P4 table manipulation\n")
    answers = [part.strip() for part in told.split("RuntimeCmd: ")[1:]]
    assert answers[2] == "Error: Invalid table name (nowhere)"
    assert answers[3] == "delete all entries; the default entry stays: table_clear <table name>"
    assert "table_add" in answers[4].split() and answers[5:] == ["there", "2", ""]


@pytest.mark.parametrize("lines", [1, 100], ids=["a line", "many lines"])
def test_it_ends_quietly_where_nobody_reads_on(lines: int, port: int) -> None:
    """As in `simple_switch_CLI | head`."""
    call = "import sys; from macsad.shims.runtime_cli import main; sys.exit(main('simple_switch_CLI', sys.argv[1:]))"
    reads, writes = os.pipe()
    os.close(reads)
    commands = "table_num_entries fixed\n" * lines
    ended = subprocess.run(
        [sys.executable, "-c", call, "--thrift-port", str(port)],
        input=commands, stdout=writes, stderr=subprocess.PIPE, text=True, timeout=60,
    )  # fmt: skip
    os.close(writes)
    assert (ended.returncode, ended.stderr) == (1, "")
