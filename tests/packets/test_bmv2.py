"""What BMv2 does where the specification says nothing, of what packet tests cannot say: groups, digests."""

from __future__ import annotations

from pathlib import Path

import pytest
import switches

from transpiler.interpreter import ControlError, Switch
from transpiler.interpreter.matches import Exact, Ternary
from transpiler.interpreter.tables import GroupRef

HERE = Path(__file__).parent


def test_selector_keys_of_a_header_that_is_not_there_are_zero() -> None:
    """BMv2 hashes 01 alone, which chooses the second member."""
    program = HERE / "bmv2_tables.p4"
    interpreter, device = Switch(switches.load(program)), switches.start(program, (0, 1))
    frames = [bytes.fromhex("0405010099"), bytes.fromhex("840501000005 99")]
    try:
        for switch in (interpreter, device):
            members = [switch.member_create("I.members", "I.set", (value,)) for value in (0x41, 0x42, 0x43)]
            if switch is device:
                group = device.selector_group_create("I.members", members)
                device.add_indirect_entry("I.spread", (Exact(5),), group, 0, group=True)
                continue
            group = interpreter.group_create("I.members")
            for member in members:
                interpreter.group_add_member("I.members", group, member)
            interpreter.table_add_indirect("I.spread", (Exact(5),), GroupRef(group))
        device.inject_all(0, frames)
        expected = [(1, bytes.fromhex("0405014199")), (1, bytes.fromhex("8405014300 0599"))]
        assert [sent for frame in frames for sent in interpreter.process(0, frame)] == expected
        assert device.collect() == expected
    finally:
        device.close()


def test_bits_beyond_a_mask_are_ignored_and_the_same_entry_is_refused() -> None:
    program = HERE / "bmv2_tables.p4"
    interpreter, device = Switch(switches.load(program)), switches.start(program, (0, 1))
    frames = [bytes.fromhex(text) for text in ("0305000099", "0306000099")]
    try:
        for add in (interpreter.table_add, device.add_entry):
            add("I.equal", (Ternary(0xFD, 0x07), Ternary(1, 0)), "I.set", (0x41,), 10)
            with pytest.raises(ControlError, match="already"):
                add("I.equal", (Ternary(0x05, 0x07), Ternary(0, 0)), "I.set", (0x42,), 10)
            add("I.equal", (Ternary(0x05, 0x07), Ternary(0, 0)), "I.set", (0x43,), 9)
        device.inject_all(0, frames)
        expected = [(1, bytes.fromhex("0305004199")), (1, frames[1])]
        assert [sent for frame in frames for sent in interpreter.process(0, frame)] == expected
        assert device.collect() == expected
    finally:
        device.close()


def test_each_digest_is_told_with_what_its_fields_are_at_the_call() -> None:
    """BMv2 tells the last one, in ingress only, with what ingress leaves in its fields, and equal ones once."""
    program = HERE / "bmv2_digests.p4"
    interpreter, device = Switch(switches.load(program)), switches.start(program, (0, 1))
    frame, sent = bytes.fromhex("0107"), [(1, bytes.fromhex("0199"))]
    told = [("first_t", (7,)), ("first_t", (0x99,)), ("second_t", (8, 1)), ("second_t", (9, 2))]
    try:
        for _ in range(2):
            device.inject(0, frame)
            assert interpreter.process(0, frame) == device.collect() == sent
            assert sorted(device.digests()) == told
        assert sorted((digest.instance, digest.values) for digest in interpreter.store.digests) == sorted(told * 2)
    finally:
        device.close()
