"""Entries that lead to members, groups and cells: bursts through the compiled switch, built in several ways, leave what the
interpreter leaves."""

from __future__ import annotations

import io
from pathlib import Path

import pytest
import switches

from macsad import test
from macsad.compilation import Request, generate_c
from macsad.stf.compiled import CompiledDevice
from transpiler.interpreter import Switch
from transpiler.interpreter.matches import Exact, Prefix, Range, Ternary
from transpiler.interpreter.tables import GroupRef, MemberRef
from transpiler.optimisations import ALL, Optimisations

PROGRAM = Path(__file__).parent / "followed_entries.p4"
WAYS = {
    "all": ALL,
    "cursors": ALL.without(["bulk"]),
    "not followed": ALL.without(["follow"]),
    "cursors, not followed": ALL.without(["bulk", "follow"]),
    "no prefetch": ALL.without(["prefetch"]),
    "at once": ALL.without(["stages"]),
}
LARGE = 40  # members of a group that does not fit in a line
FRAMES = [
    bytes([what]) + key.to_bytes(4, "big") + flow.to_bytes(2, "big") + b"\x10\x00\x99"
    for flow in (0, 1, 2, 3, 77, 1000, 0xFFFF)
    for what in (1, 2, 3, 4)
    for key in (1, 2, 5, 6, 7, 8, 9, 0x01000001, 0x01020001)
]


def fill(interpreter: Switch, device: CompiledDevice) -> None:
    """The same members, groups and entries for both."""

    def member(profile: str, action: str, value: int) -> int:
        handle = int(device._command(f"act_prof_create_member {profile} {action} {value}").split()[-1])
        assert interpreter.member_create(f"I.{profile}", f"I.{action}", (value,)) == handle
        return handle

    def entry(
        command: str, table: str, key: str, match: tuple[object, ...], ref: MemberRef | GroupRef, handle: int
    ) -> None:
        device._command(f"{command} {table} {key} => {handle}")
        interpreter.table_add_indirect(f"I.{table}", match, ref)  # type: ignore[arg-type]

    named = [member("plain", "set", 9), member("plain", "wide", 0x123456), member("plain", "add", 3)]
    for (text, prefix), handle in zip(
        (("0x1000000/8", Prefix(0x01000000, 8)), ("0x1020000/16", Prefix(0x01020000, 16)), ("7/32", Prefix(7, 32))),
        named,
        strict=True,
    ):
        entry("table_indirect_add", "named", text, (prefix,), MemberRef(handle), handle)
    entry("table_indirect_add", "named_too", "0/15", (Prefix(0, 15),), MemberRef(named[2]), named[2])
    chosen = [member("chosen", "set" if n % 2 else "add", n) for n in range(LARGE)]
    for key, members in ((5, chosen), (6, chosen[:3]), (7, []), (8, chosen[39:])):
        group = int(device._command("act_prof_create_group chosen").split()[-1])
        mine = interpreter.group_create("I.chosen")
        for handle in members:
            device._command(f"act_prof_add_member_to_group chosen {handle} {group}")
            interpreter.group_add_member("I.chosen", mine, handle)
        entry("table_indirect_add_with_group", "selected", str(key), (Exact(key),), GroupRef(mine), group)
    entry("table_indirect_add", "selected", "9", (Exact(9),), MemberRef(chosen[7]), chosen[7])
    for key in (5, 6):
        device._command(f"table_add metered mark_word {key} => {key}")
        interpreter.table_add("I.metered", (Exact(key),), "I.mark_word", (key,), 0)
    device._command("table_add masked mark_mask 0x1000000&&&0xff000000 0->77 => 1")
    interpreter.table_add("I.masked", (Ternary(0x01000000, 0xFF000000), Range(0, 77)), "I.mark_mask", (), 1)


@pytest.mark.parametrize("way", list(WAYS))
@pytest.mark.parametrize("sub_batch", [1, 8, 32])
def test_bursts(way: str, sub_batch: int) -> None:
    interpreter = Switch(switches.load(PROGRAM))
    device = switches.start(PROGRAM, (0, 1), burst=32, sub_batch=sub_batch, wanted=WAYS[way])
    try:
        for turn in range(2):  # without entries, and with them
            if turn:
                fill(interpreter, device)
            expected = [sent for data in FRAMES for sent in interpreter.process(0, data)]
            device.inject_all(0, FRAMES)
            assert device.collect() == expected
    finally:
        device.close()


@pytest.mark.parametrize("way", list(WAYS))
def test_packets(way: str) -> None:
    out = io.StringIO()
    binary = switches.build(PROGRAM, ("address", "undefined"), wanted=WAYS[way])
    assert test.run(switches.load(PROGRAM), PROGRAM.with_suffix(".stf"), binary, burst=32, sub_batch=8, out=out) == 0, (
        out.getvalue()
    )


def c_of(wanted: Optimisations) -> str:
    return generate_c(Request(PROGRAM, wanted=wanted), switches.load(PROGRAM)).c


def test_what_is_prefetched() -> None:
    """A loop for each step to a member, and the cells of both meters; nothing without it."""
    made, less = c_of(ALL), c_of(WAYS["not followed"])
    for step in (1, 2):
        assert f"macs_profile_lead({step}, &lookups->lookup_0_choices[i])" in made
    assert "macs_meter_prefetch(externs[I_of_words_extern], own_index)" in made
    assert "macs_meter_prefetch(externs[I_of_masks_extern], own_index)" in made
    assert "macs_profile_lead" not in less and "macs_meter_prefetch" not in less
    cursors = c_of(WAYS["cursors"])
    assert "macs_profile_lead(2, &lookups[i].lookup_0.choice)" in cursors and "macs_meter_prefetch" in cursors
