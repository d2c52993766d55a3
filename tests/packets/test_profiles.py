"""Members and groups made at run time: the compiled switch, and the interpreter as its measure."""

from __future__ import annotations

from pathlib import Path

import pytest
import switches

from macsad.stf.compiled import CompiledDevice
from transpiler.codegen import capabilities
from transpiler.diagnostics import Diagnostics, Rejected
from transpiler.interpreter import ControlError, Switch
from transpiler.interpreter.matches import Exact, Ternary
from transpiler.interpreter.tables import GroupRef, MemberRef
from transpiler.passes.pipeline import optimise
from transpiler.targets.find import builtin

PROGRAM = Path(__file__).parent / "profiles.p4"
FRAMES = [
    bytes([what, key]) + flow.to_bytes(2, "big") + b"\x10\x00\x99"
    for what in (1, 2, 3, 4)
    for key in (5, 6, 7)
    for flow in (0, 1, 2, 77, 0xFFFF)
]


def handle_of(answer: str) -> int:
    return int(answer.split()[-1])


def same(interpreter: Switch, device: CompiledDevice) -> None:
    expected = [sent for data in FRAMES for sent in interpreter.process(0, data)]
    device.inject_all(0, FRAMES)
    assert device.collect() == expected


def test_members_of_shared_profiles() -> None:
    interpreter, device = Switch(switches.load(PROGRAM)), switches.start(PROGRAM, (0, 1))
    try:
        for action, value in (("set", 0x41), ("add", 0x42), ("wide", 0x43 << 64 | 7)):
            mine = interpreter.member_create("I.plain", f"I.{action}", (value,))
            theirs = handle_of(device._command(f"act_prof_create_member plain {action} {value:#x}"))
            assert mine == theirs
        interpreter.table_add_indirect("I.one", (Exact(5),), MemberRef(0))
        device._command("table_indirect_add one 5 => 0")
        interpreter.table_add_indirect("I.one", (Exact(6),), MemberRef(2))
        device._command("table_indirect_add one 6 => 2")
        same(interpreter, device)
        interpreter.table_add_indirect("I.two", (Ternary(4, 4),), MemberRef(1), priority=1)
        device._command("table_indirect_add two 4&&&4 => 1 10")
        interpreter.table_add_indirect("I.two", (Ternary(6, 0xFF),), MemberRef(2), priority=2)
        device._command("table_indirect_add two 6&&&0xff => 2 5")
        same(interpreter, device)
        assert interpreter.member_create("I.plain", "I.own", (0x44, 3)) == 3
        device._command("act_prof_create_member plain own 0x44 3")
        interpreter.table_add_indirect("I.two", (Ternary(1, 1),), MemberRef(3), priority=3)
        device._command("table_indirect_add two 1&&&1 => 3 1")
        same(interpreter, device)
        device._command("act_prof_modify_member plain add 0 1")
        device._command("table_indirect_set_default one 0")
        device.inject(0, FRAMES[0])
        device.inject(0, FRAMES[12])
        assert [frame[4:6] for _, frame in device.collect()] == [b"\x11\x01", b"\x11\x00"]
        assert "Member: 2" in device._command("table_dump one")
    finally:
        device.close()


def test_a_direct_counter_counts_the_entry_whichever_member_it_has() -> None:
    program = PROGRAM.with_name("psa_externs.p4")
    interpreter, device = Switch(switches.load(program)), switches.start(program, (1,))
    frame, found = bytes.fromhex("0406000000000000"), bytes.fromhex("0406111100000000")
    try:
        for value in (0x1111, 0x2222):
            for switch in (interpreter, device):
                switch.member_create("In.counted_profile", "In.count_indirectly", (value,))
        for handle, key, member in ((0, 5, 1), (1, 6, 0)):
            assert interpreter.table_add_indirect("In.indirect_counted", (Exact(key),), MemberRef(member)) == handle
            added = device._command(f"table_indirect_add indirect_counted {key} => {member}")
            assert handle_of(added) == handle
        device.inject(1, frame)
        assert interpreter.process(1, frame) == device.collect() == [(1, found)]
        for handle, packets in ((0, 0), (1, 1)):
            assert interpreter.counter("In.indirect_hits", handle).packets == packets
            assert device.counter("In.indirect_hits", handle)[0] == packets
    finally:
        device.close()


def test_groups() -> None:
    interpreter, device = Switch(switches.load(PROGRAM)), switches.start(PROGRAM, (0, 1))
    try:
        members = []
        for value in (0x21, 0x22, 0x23):
            mine = interpreter.member_create("I.chosen", "I.set", (value,))
            members.append((mine, handle_of(device._command(f"act_prof_create_member chosen set {value}"))))
        mine, theirs = interpreter.group_create("I.chosen"), handle_of(device._command("act_prof_create_group chosen"))
        assert mine == theirs == 0 and all(my_member == their_member for my_member, their_member in members)
        interpreter.table_add_indirect("I.many", (Exact(5),), GroupRef(mine))
        device._command(f"table_indirect_add_with_group many 5 => {theirs}")
        same(interpreter, device)  # a group without members does nothing
        for my_member, their_member in members:
            interpreter.group_add_member("I.chosen", mine, my_member)
            device._command(f"act_prof_add_member_to_group chosen {their_member} {theirs}")
            same(interpreter, device)
    finally:
        device.close()


def test_the_choice_is_the_same_in_whatever_order_members_came() -> None:
    interpreter, device = Switch(switches.load(PROGRAM)), switches.start(PROGRAM, (0, 1))
    try:
        for value in (0x21, 0x22, 0x23):
            interpreter.member_create("I.chosen", "I.set", (value,))
            device._command(f"act_prof_create_member chosen set {value}")
        for group, (key, members) in enumerate(((5, (0, 1, 2)), (6, (2, 0, 1)), (7, (1, 2, 0)))):
            assert interpreter.group_create("I.chosen") == group
            device._command("act_prof_create_group chosen")
            for member in members:
                interpreter.group_add_member("I.chosen", group, member)
                device._command(f"act_prof_add_member_to_group chosen {member} {group}")
            interpreter.table_add_indirect("I.many", (Exact(key),), GroupRef(group))
            device._command(f"table_indirect_add_with_group many {key} => {group}")
        same(interpreter, device)
        for flow in range(64):
            chosen = []
            for key in (5, 6, 7):
                device.inject(0, bytes([3, key]) + flow.to_bytes(2, "big") + b"\x10\x00\x99")
                chosen += [frame[4:] for _, frame in device.collect()]
            assert len(chosen) == 3 and len(set(chosen)) == 1
    finally:
        device.close()


def test_a_group_without_members_leaves_what_was_written_before() -> None:
    path = PROGRAM.with_name("empty_groups.p4")
    interpreter, device = Switch(switches.load(path)), switches.start(path, (0, 1))
    try:
        interpreter.table_add_indirect("I.ways", (Exact(5),), GroupRef(interpreter.group_create("I.ports")))
        device._command("act_prof_create_group ports")
        device._command("table_indirect_add_with_group ways 5 => 0")
        same(interpreter, device)
    finally:
        device.close()


def test_action_run_of_a_group_without_members_is_the_first_action(tmp_path: Path) -> None:
    """It is of an enum of the table's actions, which has no other value."""
    program = tmp_path / "program.p4"
    arms = "switch (ways.apply().action_run) { send: { sm.egress_spec = 0; } other: { } default: { } }"
    text = PROGRAM.with_name("empty_groups.p4").read_text().replace("ways.apply();", arms)
    program.write_text(
        text.replace("{ send; }", "{ send; other; }").replace("action send", "action other() { } action send")
    )
    interpreter, device = Switch(switches.load(program)), switches.start(program, (0, 1))
    try:
        interpreter.table_add_indirect("I.ways", (Exact(5),), GroupRef(interpreter.group_create("I.ports")))
        device._command("act_prof_create_group ports")
        device._command("table_indirect_add_with_group ways 5 => 0")
        assert interpreter.process(0, FRAMES[0]) == [(0, FRAMES[0])]
        same(interpreter, device)
    finally:
        device.close()


def test_action_run_has_no_number_where_sharing_tables_have_other_actions(tmp_path: Path) -> None:
    text = PROGRAM.read_text().replace(
        "two.apply();", "switch (two.apply().action_run) { set: { hdr.order.hit = 3; } }"
    )
    changed = tmp_path / "changed.p4"
    changed.write_text(text)
    diagnostics = Diagnostics()
    with pytest.raises(Rejected):
        capabilities.check(optimise(switches.load(changed)), builtin(), diagnostics)
    assert "action_run of a table that shares 'I.plain' with tables of other actions" in diagnostics.render()


def test_what_is_refused() -> None:
    device = switches.start(PROGRAM, (0, 1))
    try:
        device._command("act_prof_create_member chosen set 1")
        device._command("act_prof_create_group chosen")
        device._command("act_prof_add_member_to_group chosen 0 0")
        for line, why in (
            ("act_prof_create_group plain", "without groups"),
            ("act_prof_create_member plain set", "needs 1 parameters, 0 given"),
            ("act_prof_create_member nothing set 1", "no action profile 'nothing'"),
            ("act_prof_delete_member chosen 0", "in a group"),
            ("act_prof_delete_member chosen 7", "no such member"),
            ("act_prof_add_member_to_group chosen 0 0", "in this group already"),
            ("act_prof_add_member_to_group chosen 0 9", "no such group"),
            ("table_indirect_add one 5 => 3", "has no member 3"),
            ("table_indirect_add_with_group many 5 => 4294967295", "has no group"),
            ("table_indirect_add many 5 0", "needs 1 key fields"),
        ):
            with pytest.raises(ControlError, match=why):
                device._command(line)
        device._command("act_prof_remove_member_from_group chosen 0 0")
        device._command("act_prof_delete_member chosen 0")
        device._command("act_prof_delete_group chosen 0")
    finally:
        device.close()
