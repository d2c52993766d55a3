"""Entries that the program begins with, as a controller finds and changes them. P4Runtime spec 1.4.1 sections 8.4 and 9.1."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from built_once import built_once
from controller import DELETE, INSERT, MODIFY, Controller, Stream, entity, octets, update
from served_switch import CPU, Served, make
from switch_harness import Switch

from macsad.p4runtime.codes import Code
from macsad.p4runtime.messages import message

OK = Code.OK
PROGRAM = Path(__file__).parent / "own_entries.p4"
WIDTHS = (9, 33, 65)
TOP = 1 << 64
# of each entry: what its fields match under which masks, None for all values; its action and that one's port
OWN = [
    (((0x101, 0x1FF), (0x1_0000_0001, 0x1_FFFF_FFFF), (TOP | 1, 2 * TOP - 1)), "forward", (1,)),
    (((0x180, 0x180), (1 << 32, 1 << 32), (1, TOP | 1)), "forward", (2,)),
    (((0x0F0, 0x0F0), None, None), "forward", (3,)),
    ((None, (0x1_00FF_0000, 0x1_00FF_0000), (TOP, TOP)), "NoAction", ()),
    ((None, None, (0, 2 * TOP - 1)), "forward", (4,)),
]


@pytest.fixture(scope="module")
def switch(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Switch]:
    binary = built_once(PROGRAM, partial(make, program=PROGRAM)) / PROGRAM.stem
    ports = [f"--port={number}=ctl:" for number in (*range(10), CPU)]
    running = Switch(binary, tmp_path_factory.mktemp("switch"), [*ports, "--buffers=8192"])
    yield running
    running.stop()


@pytest.fixture(scope="module")
def controller(switch: Switch, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Controller]:
    served = Served(switch, f"unix:{tmp_path_factory.mktemp('server')}/p4rt", program=PROGRAM)
    stream = Stream(served.channel)
    assert stream.arbitrate(1).status.code == OK
    yield Controller(served.channel, served.info, 1)
    stream.close()
    served.close()


def ternary(*fields: tuple[int, int] | None) -> dict[int, Any]:
    masked = {number: field for number, field in enumerate(fields, 1) if field is not None}
    return {n: {"ternary": {"value": octets(value), "mask": octets(mask)}} for n, (value, mask) in masked.items()}


def found(controller: Controller, table: str, match: dict[int, Any] | None = None, **more: Any) -> list[Any]:
    asked = entity(table_entry=controller.entry(table, match or {}, **more))
    return [one.table_entry for one in controller.read(asked)]


def by_priority(controller: Controller, table: str) -> list[Any]:
    return sorted(found(controller, table), key=lambda entry: -entry.priority)


def frame(narrow: int, wide: int, wider: int) -> bytes:
    bits = 0
    for value, width in zip((narrow, wide, wider), WIDTHS, strict=True):
        bits = bits << width | value
    return (bits << 5).to_bytes(14, "big")


def test_masks_are_read_in_canonical_bytes(controller: Controller) -> None:
    read = by_priority(controller, "own_t")
    assert all(one.priority > other.priority > 0 for one, other in pairwise(read))
    for entry, (fields, action, params) in zip(read, OWN, strict=True):
        match = ternary(*fields)
        assert entry == controller.entry("own_t", match, action, *params, priority=entry.priority)
        assert found(controller, "own_t", match, priority=entry.priority) == [entry]
        assert found(controller, "own_t", match, priority=entry.priority + 1000) == []


def test_their_keys_are_taken(controller: Controller) -> None:
    for entry in by_priority(controller, "own_t"):
        assert controller.write(update(INSERT, table_entry=entry)) == [Code.ALREADY_EXISTS]


def test_they_are_changed_and_deleted_as_others(controller: Controller, switch: Switch) -> None:
    before = by_priority(controller, "own_t")
    match, priority = ternary(*OWN[1][0]), before[1].priority
    sent = frame(0x180, 1 << 32, 1)  # that entry's alone
    changed = controller.entry("own_t", match, "forward", 9, priority=priority)
    outcomes = []
    for kind, entry in ((MODIFY, changed), (DELETE, changed), (DELETE, changed), (INSERT, before[1])):
        outcomes += controller.write(update(kind, table_entry=entry))
        outcomes.append([port for port, _ in switch.client.exchange([(0, sent)])])
    assert outcomes == [OK, [9], OK, [], Code.NOT_FOUND, [], OK, [2]]
    assert by_priority(controller, "own_t") == before


def test_constant_entries_stay(controller: Controller) -> None:
    one, other = by_priority(controller, "const_t")
    match = ternary((0x101, 0x101), None, None) | {2: {"optional": {"value": octets(0x1_0000_0001)}}}
    assert one == controller.entry("const_t", match, "forward", 5, priority=one.priority, is_const=True)
    match = ternary(None, None, (TOP | 1, TOP | 0xFF))
    assert other == controller.entry("const_t", match, "forward", 6, priority=other.priority, is_const=True)
    for kind in (INSERT, MODIFY, DELETE):
        assert controller.write(update(kind, table_entry=other)) == [Code.PERMISSION_DENIED]
    assert by_priority(controller, "const_t") == [one, other]


def test_prefixes(controller: Controller) -> None:
    lengths = {2: (3 << 31, "forward", (7,)), 33: (0x1_0000_0001, "forward", (8,))}
    entries = [controller.entry("prefix_t", {}, "NoAction")]
    for length, (value, action, params) in lengths.items():
        match = {1: {"lpm": {"value": octets(value), "prefix_len": length}}}
        entries.append(controller.entry("prefix_t", match, action, *params))
    read = found(controller, "prefix_t")
    assert sorted(e.SerializeToString() for e in read) == sorted(e.SerializeToString() for e in entries)
    for entry in entries:
        assert controller.write(update(INSERT, table_entry=entry)) == [Code.ALREADY_EXISTS]


def test_a_program_that_is_set_again_begins_with_them(controller: Controller) -> None:
    before = {table: by_priority(controller, table) for table in ("own_t", "const_t")}
    prefixes = {entry.SerializeToString() for entry in found(controller, "prefix_t")}
    added = controller.entry("own_t", ternary((1, 1), None, None), "forward", 9, priority=1)
    changes = [update(DELETE, table_entry=before["own_t"][0]), update(INSERT, table_entry=added)]
    assert controller.write(*changes) == [OK, OK]
    request = message("SetForwardingPipelineConfigRequest")(action=3)  # VERIFY_AND_COMMIT
    request.config.p4info.CopyFrom(controller.info)
    controller.call("SetForwardingPipelineConfig", controller.signed(request))
    assert {table: by_priority(controller, table) for table in before} == before
    assert {entry.SerializeToString() for entry in found(controller, "prefix_t")} == prefixes
