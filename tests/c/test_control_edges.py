"""Values, keys and numbers of commands at their ends: the largest that fit, the first that do not, the last of each kind;
and what is shown of them afterwards."""

from __future__ import annotations

import re
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
import switches
from switch_harness import Switch

from macsad.control import Client
from macsad.protocol import ControlError, Message, Status

WIDTHS = {"wide": 65, "word": 64, "net": 12, "mask": 13, "maybe": 33, "low": 10, "flag": 1, "rest": 2}


@pytest.fixture(scope="module")
def running(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Switch]:
    binary = switches.build(Path(__file__).parent / "edges.p4", ("address", "undefined"))
    switch = Switch(binary, tmp_path_factory.mktemp("edges"), ["--port=0=ctl:", "--port=1=ctl:", "--port=7=ctl:"])
    yield switch
    switch.stop()


@pytest.fixture
def switch(running: Switch) -> Switch:
    """As it began, but for the versions of handles."""
    tables = ("exact_keys", "prefixes", "masks", "paced", "choices", "maybes")
    running.do(*(f"table_clear {table}" for table in tables), *(f"table_reset_default {t}" for t in tables[:3]))
    running.do("pvs_clear marks", "counter_reset seen", "counter_reset hits")
    running.do(*(f"register_reset {name}" for name in ("words", "wides", "flags")))
    return running


def frame(**fields: int) -> bytes:
    value = 0
    for name, bits in WIDTHS.items():
        value = value << bits | fields.get(name, 0)
    return value.to_bytes(25, "big")


def sent(switch: Switch, **fields: int) -> list[int]:
    """The ports that a frame leaves by."""
    return [port for port, _ in switch.client.exchange([(0, frame(**fields))])]


def handle(answer: str) -> int:
    return int(answer.split()[-1])


def keys(dump: str) -> list[str]:
    """What a dump has of the keys, field by field."""
    return re.findall(r"^\* \S+ *: ([A-Z]+ +.*)$", dump, re.MULTILINE)


# --- numbers ----------------------------------------------------------------------------------------------------------

LARGEST = {"mids": 63, "words": 64, "wides": 65, "flags": 1}


@pytest.mark.parametrize(("register", "bits"), LARGEST.items())
@pytest.mark.parametrize("form", ["{}", "{:#x}", "{:#X}", "{:#b}", "{:#o}", "000{}", "0x000{:x}"])
def test_the_largest_number_fits_and_no_larger_one(switch: Switch, register: str, bits: int, form: str) -> None:
    switch.do(f"register_write {register} 1 {form.format(2**bits - 1)}")
    assert switch.do(f"register_read {register} 1") == f"{register}[1]= {2**bits - 1}\n"
    for value in (2**bits, 2**bits + 1, 2 ** (bits + 1), 2 ** (bits + 7) - 1, 2 ** (bits + 64) + 1, 10**40):
        assert f"does not fit in {bits} bit" in switch.fail(f"register_write {register} 1 {form.format(value)}")
    assert switch.do(f"register_read {register} 1") == f"{register}[1]= {2**bits - 1}\n"


@pytest.mark.parametrize("value", [0, 1, 9, 10, 99, 255, 256, 65535, 65536, 10**9, 2**32, 2**63, 2**64 - 1])
def test_numbers_are_shown_as_they_are(switch: Switch, value: int) -> None:
    switch.do(f"register_write words 3 {value}", f"register_write wides 2 {value << 1 | 1}")
    assert (
        switch.do("register_read words 3", "register_read wides 2") == f"words[3]= {value}\nwides[2]= {value * 2 + 1}\n"
    )
    assert switch.do("register_read words") == f"words= 0, 0, 0, {value}\n"


@pytest.mark.parametrize(
    "word", ["0x", "0b", "0b2", "0o8", "0xg", "12a", "a", "1 ", "+1", "1_0", "0x1p", "/", ":", "@", "`"]
)
def test_what_is_no_number(switch: Switch, word: str) -> None:
    for register in ("words", "wides"):
        line = (
            f"register_write {register} 0 {word}" if word.strip() == word else f"register_write {register} 0 1 {word}2"
        )
        assert re.search("not a number|not a valid|usage|does not", switch.fail(line)), line
    assert switch.do("register_read words 0", "register_read wides 0") == "words[0]= 0\nwides[0]= 0\n"


def test_indices_end_where_the_array_does(switch: Switch) -> None:
    lasts = {
        "register_write words {} 5": 3,
        "register_read wides {}": 2,
        "counter_write seen {} 1 2": 4,
        "counter_read seen {}": 4,
        "meter_get_rates flow {}": 2,
        "meter_set_rates flow {} 1:1 1:1": 2,
    }
    for line, last in lasts.items():
        switch.do(line.format(last))
        for beyond in (last + 1, 2**32, 2**64 - 1):
            assert f"{last + 1} elements" in switch.fail(line.format(beyond)), line
        assert "not an index" in switch.fail(line.format(2**64))


def test_counters_hold_64_bits_and_reset_whole(switch: Switch) -> None:
    switch.do(*(f"counter_write seen {i} {2**64 - 1 - i} {i + 7}" for i in range(5)))
    assert [switch.do(f"counter_read seen {i}") for i in range(5)] == [
        f"seen[{i}]= ({i + 7} bytes, {2**64 - 1 - i} packets)\n" for i in range(5)
    ]
    assert "must be numbers" in switch.fail(f"counter_write seen 0 {2**64} 1")
    assert "must be numbers" in switch.fail(f"counter_write seen 0 1 {2**64}")
    switch.do("counter_reset seen")
    assert {switch.do(f"counter_read seen {i}").partition("=")[2] for i in range(5)} == {" (0 bytes, 0 packets)\n"}


def test_a_cell_of_whole_words_ends_where_the_next_begins(switch: Switch) -> None:
    cells = {1: 2**16383 + 3, 0: 5}
    switch.do(*(f"register_write broad {index} {value:#x}" for index, value in cells.items()))
    told = switch.do("register_read broad 0", "register_read broad 1").splitlines()
    assert [int(line.partition("= ")[2], 16) for line in told] == [cells[0], cells[1]]
    switch.do("register_reset broad")


def test_registers_reset_whole(switch: Switch) -> None:
    switch.do(*(f"register_write wides {i} {2**65 - 1}" for i in range(3)), "register_reset wides")
    assert switch.do("register_read wides") == "wides= 0, 0, 0\n"


def test_parameters_of_all_widths_reach_the_program(switch: Switch) -> None:
    values = (2**64 + 3, 2**63 + 5, 2**32 + 7, 0x1234, 0xAB, 1)
    added = switch.do(f"table_add prefixes all 0 0/0 => {' '.join(map(str, values))}")
    switch.client.exchange([(0, frame())])
    shown = switch.do("register_read wides 0", "register_read words", "register_read flags 0")
    assert shown == f"wides[0]= {values[0]}\nwords= {values[1]}, {values[2]}, {0x1234 << 48 | 0xAB}, 0\nflags[0]= 1\n"
    dump = switch.do(f"table_dump_entry prefixes {handle(added)}")
    assert dump.endswith("Action entry: I.all - 010000000000000003, 8000000000000005, 0100000007, 1234, ab, 01\n")
    for place, bits in enumerate((65, 64, 33, 16, 8, 1)):
        words = [str(value if at != place else 2**bits) for at, value in enumerate(values)]
        why = switch.fail(f"table_modify prefixes all {handle(added)} {' '.join(words)}")
        assert why.startswith(f"parameter {'abcdef'[place]} of I.all: ") and f"does not fit in {bits} bit" in why


def test_what_is_held_for_a_command_is_let_go(running: Switch, tmp_path: Path) -> None:
    """Registers that an action uses as a whole: several workers go on behind each command, and see what it has set."""
    several = Switch(Path(str(running.process.args[0])), tmp_path, ["--port=0=ctl:", "--port=1=ctl:", "--workers=2"])
    several.do("table_add prefixes all 0 0/0 => 11 12 13 14 15 1")
    made = f"words= 12, 13, {14 << 48 | 15}, 0\nwides= 11, 0, 0\nflags= 1, 0\n"
    shown = ("register_read words", "register_read wides", "register_read flags")
    several.client.exchange([(0, frame()), (1, frame())])
    commands = [
        f"{what} {name}" for what in ("register_reset", "register_restore") for name in ("words", "wides", "flags")
    ]
    commands += [
        "register_write words 0 7",
        "register_write wides 0 7",
        "register_write flags 0 0",
        "register_read wides 1",
    ]
    for command in commands * 2:
        assert several.do(*shown) == made
        several.do(command)
        assert (several.do(*shown) == made) == command.startswith("register_read")
        for port in (0, 1):
            assert several.client.exchange([(port, frame())] * 3) == [], command  # through, and dropped
    several.stop()


# --- keys -------------------------------------------------------------------------------------------------------------


def test_exact_keys(switch: Switch) -> None:
    top = 2**65 - 1
    switch.do("table_dump exact_keys")  # from now on what is added is remembered
    added = handle(switch.do(f"table_add exact_keys send {top} {2**64 - 1} true => 1"))
    assert sent(switch, wide=top, word=2**64 - 1, flag=1) == [1]
    for other in ({"wide": top - 1}, {"wide": 2**64 - 1}, {"word": 2**63}, {"flag": 0}):
        assert sent(switch, **{"wide": top, "word": 2**64 - 1, "flag": 1, **other}) == []
    assert keys(switch.do(f"table_dump_entry exact_keys {added}")) == [
        "EXACT     01ffffffffffffffff", "EXACT     ffffffffffffffff", "EXACT     01"
    ]  # fmt: skip
    for words in (f"{top + 1} 0 0", f"{2 * top + 1} 0 0", f"{top:#x}0 0 0", f"0x2{'0' * 16} 0 0", f"0x80{'0' * 16} 0 0",
                  f"0 {2**64} 0", "0 0 2", "0 18446744073709551617 0", "0 99999999999999999999 0"):  # fmt: skip
        assert "does not fit" in switch.fail(f"table_add exact_keys send {words} => 1"), words
    assert "not a number" in switch.fail("table_add exact_keys send 0 0 True => 1")
    assert "not a number" in switch.fail("table_add exact_keys send true 0 0 => 1")
    switch.do("table_add exact_keys send 0 0 false => 0")
    assert sent(switch) == [0]


def test_prefixes(switch: Switch) -> None:
    """What is behind a prefix is not kept, whether entries are remembered already (they are after the first dump) or not."""
    switch.do("table_dump prefixes", "table_add prefixes go 1 0xfff/5 => 1", "table_add prefixes go 0 0x123/12 => 7")
    switch.do("table_add prefixes go 1 0xfff/0 => 0")
    assert keys(switch.do("table_dump prefixes")) == [
        "EXACT     01", "LPM       0f80/5", "EXACT     00", "LPM       0123/12", "EXACT     01", "LPM       0000/0"
    ]  # fmt: skip
    expected = {(1, 0xF80): [1], (1, 0xFFF): [1], (1, 0xF00): [0], (1, 0x780): [0], (0, 0x123): [7], (0, 0x122): []}
    assert {(f, n): sent(switch, flag=f, net=n) for f, n in expected} == expected
    assert "already (handle" in switch.fail("table_add prefixes go 1 0xf81/5 => 1")
    for length in ("13", "18446744073709551615", "-1", "", "x"):
        assert "is not a number from 0 to 12" in switch.fail(f"table_add prefixes go 1 0/{length} => 1")
    for words, why in (("0", "VALUE/LENGTH"), ("0x1000/1", "does not fit"), ("/3", "not a number")):
        assert why in switch.fail(f"table_add prefixes go 1 {words} => 1")


def test_masks(switch: Switch) -> None:
    switch.do("table_dump masks")
    entries = (
        "0x1fff&&&0x1f00 * * => 1 5",
        "* 0x1ffffffff 0->0 => 7 5",
        "0x0001&&&0x0001 5&&&0x1ffffffff 3->1023 => 0 2147483647",
    )
    added = [handle(switch.do(f"table_add masks go {words}")) for words in entries]
    dumps = [switch.do(f"table_dump_entry masks {one}") for one in added]
    assert [keys(dump) for dump in dumps] == [
        ["TERNARY   1f00 &&& 1f00", "OPTIONAL  0000000000 &&& 0000000000", "RANGE     0000 -> 03ff"],
        ["TERNARY   0000 &&& 0000", "OPTIONAL  01ffffffff &&& 01ffffffff", "RANGE     0000 -> 0000"],
        ["TERNARY   0001 &&& 0001", "OPTIONAL  0000000005 &&& 01ffffffff", "RANGE     0003 -> 03ff"],
    ]
    assert [re.findall(r"^Priority: (\d+)$", dump, re.MULTILINE) for dump in dumps] == [["5"], ["5"], ["2147483647"]]
    assert sent(switch, mask=0x1F55) == [1]
    assert sent(switch, mask=0x0F55) == []
    assert sent(switch, maybe=2**33 - 1) == [7]
    assert sent(switch, maybe=2**33 - 1, low=1) == sent(switch, maybe=2**32 - 1) == []
    assert [sent(switch, mask=1, maybe=5, low=low) for low in (2, 3, 1023)] == [[], [0], [0]]
    assert sent(switch, mask=1, maybe=6, low=3) == sent(switch, mask=2, maybe=5, low=3) == []


@pytest.mark.parametrize(
    ("words", "why"),
    [
        ("* 5&&&1 *", "matched whole (VALUE) or not at all"),
        ("* 5&&&0x0ffffffff *", "matched whole (VALUE) or not at all"),
        ("* 5&&&0x1fffffffe *", "matched whole (VALUE) or not at all"),
        ("* 5&&&0x100000000 *", "matched whole (VALUE) or not at all"),
        ("* 0x200000000 *", "does not fit"),
        ("* 5&&&0x3ffffffff *", "does not fit"),
        ("0x2000&&&0 * *", "does not fit"),
        ("0&&&0x2000 * *", "does not fit"),
        ("0&&& * *", "not a number"),
        ("&&&0 * *", "not a number"),
        ("7 * *", "write VALUE&&&MASK"),
        ("* * 3->2", "empty range"),
        ("* * 0x100->0xff", "empty range"),
        ("* * 0->1024", "does not fit"),
        ("* * 1024->1024", "does not fit"),
        ("* * 7", "write LOW->HIGH"),
    ],
)
def test_masks_that_are_none(switch: Switch, words: str, why: str) -> None:
    assert why in switch.fail(f"table_add masks go {words} => 1 5")
    assert why.partition(" (")[0] in switch.fail(f"table_add masks go {words} => 1 2147483647")
    assert switch.do("table_num_entries masks") == "0\n"


def test_a_range_of_one_value_and_an_optional_key_with_a_mask(switch: Switch) -> None:
    switch.do("table_add masks go * 5&&&0 7->7 => 1 1", "table_add masks go * 9&&&0x1ffffffff * => 7 2")
    assert [sent(switch, low=low) for low in (6, 7, 8)] == [[], [1], []]
    assert sent(switch, maybe=9) == [7]


def test_optional_keys_alone_have_priorities(switch: Switch) -> None:
    switch.do("table_add maybes go * => 7 2", "table_add maybes go 5 => 1 1", "table_add maybes go 6 => 0 3")
    assert [sent(switch, maybe=value) for value in (4, 5, 6)] == [[7], [1], [7]]
    assert "needs a priority" in switch.fail("table_add maybes go 8 =>")


@pytest.mark.parametrize("adding", ["table_add masks go * * * => 1", "table_indirect_add choices * => {}"])
def test_priorities_end_at_31_bits(switch: Switch, adding: str) -> None:
    member = handle(switch.do("act_prof_create_member chosen go 1"))
    adding = adding.format(member)
    try:
        for priority in (2**31, 2**32, 2**32 + 1, 2**63, 2**64, -1, "x"):
            assert f"'{priority}' is not a priority" in switch.fail(f"{adding} {priority}")
        table = adding.split()[1]
        for priority in (0, 2**31 - 1):
            added = handle(switch.do(f"{adding} {priority}"))
            assert f"\nPriority: {priority}\n" in switch.do(f"table_dump_entry {table} {added}")
            switch.do(f"table_delete {table} {added}")
    finally:
        switch.do("table_clear choices", f"act_prof_delete_member chosen {member}")


def test_priorities_are_compared_over_all_31_bits(switch: Switch) -> None:
    switch.do("table_add masks go 1&&&1 * * => 1 2147483647", "table_add masks go 3&&&3 * * => 7 2147483646")
    assert sent(switch, mask=3) == [7]
    switch.do("table_add masks go 7&&&7 * * => 0 0")
    assert sent(switch, mask=7) == [0]


# --- entries ----------------------------------------------------------------------------------------------------------


def test_default_entries_and_scopes(switch: Switch) -> None:
    switch.do("table_set_default prefixes go 7")
    assert sent(switch) == []  # a miss goes on, masks drops it
    assert "I.nothing is for entries of table I.prefixes only" in switch.fail("table_set_default prefixes nothing")
    assert "I.drop is for the default entry" in switch.fail("table_add exact_keys drop 0 0 0 =>")
    switch.do("table_set_default masks go => 7")
    assert sent(switch) == [7]
    switch.do("table_reset_default masks")
    assert sent(switch) == []
    assert switch.do("table_dump masks").endswith("Dumping default entry\nAction entry: I.drop - \n==========\n")


def test_a_deleted_entry_counts_no_more_and_its_successor_from_zero(switch: Switch) -> None:
    first = handle(switch.do("table_add exact_keys send 1 0 0 => 1"))
    second = handle(switch.do("table_add exact_keys send 2 0 0 => 7"))
    assert sent(switch, wide=1) + sent(switch, wide=1) + sent(switch, wide=2) == [1, 1, 7]
    assert switch.do(f"counter_read hits {first}") == f"hits[{first}]= (50 bytes, 2 packets)\n"
    switch.do(f"counter_write hits {second} 9 8")
    assert switch.do(f"counter_read hits {second}") == f"hits[{second}]= (8 bytes, 9 packets)\n"
    switch.do(f"table_delete exact_keys {first}")
    assert "no such entry" in switch.fail(f"counter_read hits {first}")
    again = handle(switch.do("table_add exact_keys send 1 0 0 => 1"))
    assert again & 0xFFFFFF == first & 0xFFFFFF and again != first
    assert switch.do(f"counter_read hits {again}").endswith("(0 bytes, 0 packets)\n")
    for command in ("table_delete exact_keys", "table_dump_entry exact_keys", "table_modify exact_keys send"):
        for wrong in (first, again + (1 << 24), 8, 2**64 - 1, 2**32 + second):
            rest = " 1" if "modify" in command else ""
            assert "no such entry" in switch.fail(f"{command} {wrong}{rest}")
    switch.do(f"table_modify exact_keys send {again} => 7")
    assert sent(switch, wide=1) == [7]


def test_a_table_is_full_at_its_size_and_clears_whole(switch: Switch) -> None:
    switch.do(*(f"table_add exact_keys send {i} 0 0 => 1" for i in range(8)))
    assert switch.fail("table_add exact_keys send 8 0 0 => 1") == "table I.exact_keys is full (8 entries)"
    assert "already (handle" in switch.fail("table_add exact_keys send 7 0 0 => 1")
    assert switch.do("table_dump exact_keys").count("Dumping entry 0x") == 8
    assert switch.do("table_info exact_keys").splitlines()[1].startswith("8 of 8 entries, kernel exact_hash, ")
    switch.do("table_clear exact_keys")
    assert switch.do("table_num_entries exact_keys") == "0\n"
    assert sent(switch, wide=7) == []


def test_const_entries(switch: Switch) -> None:
    dump = switch.do("table_dump fixed")
    assert keys(dump) == ["TERNARY   0100 &&& 1f00", "TERNARY   0001 &&& 0001"]
    for command in ("table_clear fixed", "table_delete fixed 0", "table_modify fixed nothing 0",
                    "table_add fixed drop * => 1", "table_indirect_add fixed * => 0 1"):  # fmt: skip
        assert "the entries of table I.fixed are constant" in switch.fail(command)
    assert switch.do("table_dump fixed") == dump


def test_entries_that_the_program_begins_with_have_the_keys_of_commands(switch: Switch) -> None:
    """The same key is there already; it can be deleted by its handle, and added again."""
    dump = switch.do("table_dump first")
    assert [key.split(maxsplit=1)[1] for key in keys(dump) if key.startswith("RANGE")] == [
        "0000 -> 03ff", "0003 -> 0007", "0009 -> 0009",
    ]  # fmt: skip
    priorities = re.findall(r"^Priority: (\d+)$", dump, re.MULTILINE)
    entries = ("0x100&&&0x1f00 * *", "1&&&0x1fff 3->7 5", "0&&&0 9->9 *")
    for entry, priority in zip(entries, priorities, strict=True):
        assert "with this key already" in switch.fail(f"table_add first nothing {entry} => {priority}"), entry
    for number, (entry, priority) in enumerate(zip(entries, priorities, strict=True)):
        switch.do(f"table_delete first {number}", f"table_add first nothing {entry} => {priority}")
    assert sorted(keys(switch.do("table_dump first"))) == sorted(keys(dump))


def test_a_table_is_restored_whole(switch: Switch) -> None:
    """Entries and the default entry that the program begins with, whatever there was instead, and no others."""

    def shown(table: str) -> list[str]:
        return re.sub("Dumping entry 0x.*", "", switch.do(f"table_dump {table}")).splitlines()

    switch.do("table_restore first", "table_restore masks", "table_restore exact_keys")
    first, masks, none = shown("first"), shown("masks"), shown("exact_keys")
    assert keys("\n".join(first)) and not keys("\n".join(masks)) and not keys("\n".join(none))
    for change in ("table_clear first", "table_add first nothing 5&&&5 * * => 9", "table_set_default first nothing"):
        switch.do(change, "table_add masks go * * * => 1 1", "table_set_default masks go 7")
        switch.do("table_add exact_keys send 1 0 0 => 1")
        assert shown("first") != first and shown("masks") != masks and shown("exact_keys") != none
        switch.do("table_restore first", "table_restore masks", "table_restore exact_keys")
        assert sorted(shown("first")) == sorted(first) and shown("masks") == masks and shown("exact_keys") == none
        assert switch.do("table_num_entries first") == "3\n"


def test_wrong_numbers_of_words(switch: Switch) -> None:
    for line, why in (
        ("table_add prefixes go 1 0/0", "I.go needs 1 parameter, 0 given"),
        ("table_add prefixes go 1 0/0 => 1 2", "I.go needs 1 parameter, 2 given"),
        ("table_add prefixes all 1 0/0 => 1 2 3 4 5", "I.all needs 6 parameters, 5 given"),
        ("table_add prefixes go 1 => 1", "I.prefixes needs 2 key fields, 1 given"),
        ("table_add masks go * * * 1 5", "no '=>' before parameters and priority"),
        ("table_add masks go * * * =>", "needs a priority as the last word"),
        ("table_add masks go * * * => 5", "I.go needs 1 parameter, 0 given"),
        ("table_modify prefixes go 0 => 1 2", "I.go needs 1 parameter, 2 given"),
        ("table_set_default prefixes go", "I.go needs 1 parameter, 0 given"),
        ("mc_mgrp_create", "usage: mc_mgrp_create GROUP"),
        ("mc_mgrp_create 1 2", "usage: mc_mgrp_create GROUP"),
    ):
        assert why in switch.fail(line), line
    assert (
        switch.do("table_add prefixes nothing 1 0x800/1 =>", "table_add prefixes nothing 1 0xc00/2").count("added") == 2
    )


# --- groups and sessions ----------------------------------------------------------------------------------------------


def test_the_first_and_the_last_clone_session(switch: Switch) -> None:
    for session in (0, 65534):
        switch.do(f"mirroring_add {session} 7")
        assert switch.do(f"mirroring_get {session}") == f"clone session {session}: port 7\n"
        switch.do(f"mirroring_add_mc {session} 65535")
        assert switch.do(f"mirroring_get {session}") == f"clone session {session}: multicast group 65535\n"
        switch.do(f"mirroring_delete {session}")
        for command in ("mirroring_get", "mirroring_delete"):
            assert switch.fail(f"{command} {session}") == f"there is no clone session {session}"
    for command in ("mirroring_add {} 1", "mirroring_add_mc {} 1", "mirroring_get {}", "mirroring_delete {}"):
        for beyond in (65535, 65536, 2**32, 2**64, -1):
            assert f"'{beyond}' is not a clone session (0 to 65534)" in switch.fail(command.format(beyond))
    for most in (1, 2**24 - 1):
        switch.do(f"mirroring_add 3 7 {most}")
        assert switch.do("mirroring_get 3") == f"clone session 3: port 7, at most {most} bytes\n"
    switch.do("mirroring_add 3 7 0 0")
    assert switch.do("mirroring_get 3") == "clone session 3: port 7\n"
    assert f"'{2**24}' is not a length of clones" in switch.fail(f"mirroring_add 3 7 {2**24}")
    assert "'1': clones have a priority only where ports have queues or egress asks" in switch.fail(
        "mirroring_add_mc 3 7 0 1"
    )
    for number in (0, 65536, 2**32 + 1):
        assert f"'{number}' is not a multicast group" in switch.fail(f"mirroring_add_mc 1 {number}")
    for number in (65536, 2**32 + 1, 2**64):
        assert f"'{number}' is not a port" in switch.fail(f"mirroring_add 1 {number}")
    assert "no clone session 1" in switch.fail("mirroring_get 1")


def test_the_first_and_the_last_multicast_group(switch: Switch) -> None:
    for group in (1, 65535):
        switch.do(f"mc_mgrp_create {group}")
        assert "exists already" in switch.fail(f"mc_mgrp_create {group}")
    one, two = (handle(switch.do(f"mc_node_create {rid} {ports}")) for rid, ports in ((0, "0 7"), (65535, "1")))
    switch.do(f"mc_node_associate 65535 {one}", f"mc_node_associate 1 {two}")
    node = r"^mgrp\((\d+)\)\n  -> \(L1h=(\d+), rid=(\d+)\) -> \(ports=\[(.*)\], lags=\[\]\)$"
    groups = [("1", str(two), "65535", "1"), ("65535", str(one), "0", "0, 7")]
    assert re.findall(node, switch.do("mc_dump"), re.MULTILINE) == groups
    switch.do(f"mc_node_update {one} 1")
    assert "(ports=[1], lags=[])" in switch.do("mc_dump")
    assert "not in this group" in switch.fail(f"mc_node_dissociate 1 {one}")
    switch.do(f"mc_node_dissociate 65535 {one}", f"mc_node_associate 1 {one}", f"mc_node_destroy {one}")
    assert "no such node" in switch.fail(f"mc_node_destroy {one}")
    switch.do(f"mc_node_destroy {two}", "mc_mgrp_destroy 1", "mc_mgrp_destroy 65535")
    assert "mgrp(" not in switch.do("mc_dump")
    for line, why in (
        ("mc_mgrp_create 0", "(1 to 65535)"), ("mc_mgrp_create 65536", "(1 to 65535)"), ("mc_mgrp_destroy 65536", "(1 to"),
        ("mc_mgrp_create 4294967297", "(1 to 65535)"), ("mc_mgrp_destroy 1", "no such multicast group"),
        ("mc_node_create 65536", "not a rid (0 to 65535)"), ("mc_node_create 1 -1", "'-1' is not a port"),
        ("mc_node_create 1 65536", "'65536' is not a port"), ("mc_node_create 1 0 7 0", "port 0 is there twice"),
        ("mc_node_create 1 | 256", "not a link aggregation group (0 to 255)"),
        ("mc_node_associate 2 4294967296", "not a node handle"),
        ("mc_node_update 0 4294967296", "not a port"), ("mc_node_create 1 | 5 5", "aggregation group 5 is there twice"),
        ("mc_set_lag_membership 256 1", "not a link aggregation group"), ("mc_set_lag_membership 1 2 2", "port 2 is there tw"),
    ):  # fmt: skip
        assert why in switch.fail(line), line


# --- meters -----------------------------------------------------------------------------------------------------------


def test_meters_have_two_rates_an_element(switch: Switch) -> None:
    switch.do("meter_array_set_rates flow 0.5:10 1.5:20", "meter_set_rates flow 2 0.25:3 0.75:4")
    rates = [switch.do(f"meter_get_rates flow {i}").splitlines() for i in range(3)]
    assert rates == [["0: info rate = 0.5, burst size = 10", "1: info rate = 1.5, burst size = 20"]] * 2 + [
        ["0: info rate = 0.25, burst size = 3", "1: info rate = 0.75, burst size = 4"]
    ]
    for words in (
        "1",
        "1:",
        ":1",
        "1:1 2",
        "x:1 1:1",
        "1:1:1 1:1",
        "1:x 1:1",
        "-1:1 1:1",
        "1:-1 1:1",
        "nan:1 1:1",
        "inf:1 1:1",
    ):
        switch.fail(f"meter_set_rates flow 2 {words}")
    assert "peak" in switch.fail("meter_set_rates flow 2 1.5:1 1.25:1")
    assert switch.do("meter_get_rates flow 2").splitlines() == rates[2]
    entry = handle(switch.do("table_add paced nothing 1 =>"))
    switch.do(f"meter_set_rates pace {entry} 1:2 3:4")
    assert switch.do(f"meter_get_rates pace {entry}").splitlines()[1] == "1: info rate = 3, burst size = 4"
    assert "no such entry" in switch.fail(f"meter_get_rates pace {entry + 1}")


# --- members ----------------------------------------------------------------------------------------------------------


def test_value_sets(switch: Switch) -> None:
    switch.do("pvs_add marks 0x1fff", "pvs_add marks 0", "pvs_add marks 17")
    assert sorted(switch.do("pvs_get marks").splitlines()) == ["0000", "0011", "1fff"]
    assert switch.fail("pvs_add marks 18") == "P.marks is full (3 members)"
    assert "has this member already" in switch.fail("pvs_add marks 17")
    assert "does not fit in 13 bits" in switch.fail("pvs_add marks 8192")
    for mask, marked in ((0x1FFF, 1), (16, 0), (17, 1)):
        switch.do("counter_reset seen")
        switch.client.exchange([(0, frame(mask=mask))])
        assert switch.do("counter_read seen 2").endswith(f"{marked} packets)\n")
    switch.do("pvs_remove marks 17")
    assert "no such member" in switch.fail("pvs_remove marks 17")
    assert sorted(switch.do("pvs_get marks").splitlines()) == ["0000", "1fff"]


def test_members_and_groups_of_a_selector(switch: Switch) -> None:
    members = [handle(switch.do(f"act_prof_create_member chosen go {port}")) for port in (0, 1, 7)]
    group = handle(switch.do("act_prof_create_group chosen"))
    switch.do(*(f"act_prof_add_member_to_group chosen {member} {group}" for member in members[1:]))
    one = handle(switch.do(f"table_indirect_add choices 1&&&1 => {members[0]} 3"))
    other = handle(switch.do(f"table_indirect_add_with_group choices 2&&&2 => {group} 2"))
    assert switch.do(f"table_dump_entry choices {one}").endswith(f"Priority: 3\nMember: {members[0]}\n")
    assert switch.do(f"table_dump_entry choices {other}").endswith(f"Priority: 2\nGroup: {group}\n")
    assert sent(switch, mask=1) == [0]
    ports = {port for word in range(64) for port in sent(switch, mask=3, word=word)}
    assert ports == {1, 7}
    switch.do(f"act_prof_modify_member chosen go {members[0]} 7")
    assert sent(switch, mask=1) == [7]
    for line, why in (
        ("act_prof_create_member chosen go 512", "does not fit in 9 bits"),
        (f"act_prof_modify_member chosen go {2**32} 1", "not a member handle"),
        ("act_prof_modify_member chosen go 3 1", "no such member"),
        (f"act_prof_delete_member chosen {members[1]}", "in a group"),
        (f"act_prof_remove_member_from_group chosen {members[0]} {group}", "not in this group"),
        (f"table_indirect_add choices 4&&&4 => {members[2] + 1} 1", "has no member"),
        (f"table_indirect_add_with_group choices 4&&&4 => {group + 1} 1", "has no group"),
        ("table_indirect_add choices 4&&&4 => 4 1", "has no member 4"),  # one behind the last that there may be
        ("table_indirect_add_with_group choices 4&&&4 => 4 1", "has no group 4"),
        (f"table_indirect_add choices 1&&&1 => {members[0]} 3", "already"),
        ("table_indirect_set_default masks 0", "has no action profile"),
        ("table_indirect_add choices 1&&&1 0 3", "needs 1 key fields, '=>', a handle, a priority"),
    ):
        assert why in switch.fail(line), line
    switch.do(f"table_indirect_set_default choices {members[1]}")
    assert sent(switch, mask=4) == [1]
    switch.do(f"table_indirect_set_default_with_group choices {group}", "table_reset_default choices")
    assert sent(switch, mask=4) == []  # as before: no table has a port for it
    switch.do("table_clear choices", *(f"act_prof_remove_member_from_group chosen {m} {group}" for m in members[1:]))
    switch.do(f"act_prof_delete_group chosen {group}", *(f"act_prof_delete_member chosen {m}" for m in members))
    assert "no such group" in switch.fail(f"act_prof_delete_group chosen {group}")


# --- the switch -------------------------------------------------------------------------------------------------------


def test_burst_and_sub_batch(switch: Switch) -> None:
    try:
        assert switch.do("set_burst 256 256") == "burst 256, sub-batch 256\n"
        assert switch.do("set_burst 1") == "burst 1, sub-batch 1\n"
        for words in ("0", "257", "8 0", "8 9", "x", "8 x", str(2**32 + 8)):
            assert "1 to 256" in switch.fail(f"set_burst {words}")
        assert switch.client.set_batch() == (1, 1)
    finally:
        switch.client.set_batch(64, 64)


def test_what_is_named_twice_is_asked_for(switch: Switch) -> None:
    assert switch.do("table_num_entries I.masks") == switch.do("table_num_entries masks") == "0\n"
    for name in ("asks", ".masks", "masks.", "MASKS", "I", "Imasks"):
        assert f"no table '{name}'" in switch.fail(f"table_num_entries {name}")


def test_show_actions_has_each_once(switch: Switch) -> None:
    names = [line.split()[0] for line in switch.do("show_actions").splitlines()]
    assert len(names) == len(set(names)) >= 5
    assert switch.do("table_show_actions masks").splitlines() == [f"{'I.go':<30} [port(9)]", f"{'I.drop':<30} []"]
    assert switch.do("help mc_mgrp_create") == "mc_mgrp_create GROUP\n    create a multicast group\n"


def test_time_elapsed_is_in_microseconds(switch: Switch) -> None:
    seconds = switch.client.stats()["seconds"]
    elapsed = int(switch.do("get_time_elapsed"))
    assert 0 <= elapsed / 1e6 - seconds < 20
    time.sleep(0.05)
    assert int(switch.do("get_time_elapsed")) - elapsed >= 50_000


def test_nodes_leave_a_group_from_its_middle(switch: Switch) -> None:
    nodes = [handle(switch.do(f"mc_node_create {rid} {rid}")) for rid in range(1, 6)]
    switch.do("mc_mgrp_create 77", *(f"mc_node_associate 77 {node}" for node in nodes))
    left = list(nodes)
    for place in (1, 1, 2, 0, 0):  # the middle twice, the last, the first, the only one
        node = left.pop(place)
        switch.do(f"mc_node_dissociate 77 {node}", f"mc_node_destroy {node}")
        dump = switch.do("mc_dump").partition("mgrp(77)")[2].partition("**")[0]
        assert [int(found) for found in re.findall(r"L1h=(\d+)", dump)] == left
    switch.do("mc_mgrp_destroy 77")


def test_all_link_aggregation_groups_are_shown(switch: Switch) -> None:
    assert "lag(" not in switch.do("mc_dump")
    switch.do("mc_set_lag_membership 0 7 1", "mc_set_lag_membership 255", "mc_set_lag_membership 254 0")
    shown = switch.do("mc_dump").partition("LAGS\n")[2]
    assert shown == "lag(0) -> ports=[1, 7]\nlag(254) -> ports=[0]\nlag(255) -> ports=[]\n==========\n"
    switch.do("mc_clear")
    assert switch.do("mc_dump") == "==========\nMC ENTRIES\n==========\nLAGS\n==========\n"


def test_a_line_has_at_most_1024_words(switch: Switch) -> None:
    ports = [str(port) for port in range(8, 8 + 1022)]
    added = handle(switch.do(f"mc_node_create 1 {' '.join(ports)}"))
    switch.do(f"mc_node_destroy {added}")
    assert switch.fail(f"mc_node_create 1 {' '.join(ports)} 1") == "more than 1024 words"


@pytest.mark.parametrize("length", [1, 79, 80, 81, 1000])
def test_of_long_words_80_letters_are_shown(switch: Switch, length: int) -> None:
    shown = "z" * min(length, 80)
    assert f"'{shown}' is not a number" in switch.fail(f"register_write words 0 {'z' * length}")


@pytest.mark.parametrize("text", [b"table_num_entries masks\0", b"\0", b"table_num_entries masks\n"])
def test_what_is_no_line_is_no_command(switch: Switch, text: bytes) -> None:
    with Client(switch.socket) as client:
        assert client._ask(Message.COMMAND, text) == (Status.FAILED, b"a command is one line of text")


def test_a_command_is_one_line_and_a_bulk_counts_from_one(switch: Switch) -> None:
    with Client(switch.socket) as client:
        reply = client.bulk(
            ["# note", "", "nonsense 1", "table_num_entries masks # behind", "more"], keep_going=True, answers=True
        )
        assert (reply.done, reply.failed) == (1, 2)
        assert reply.text.startswith("3: error: no command 'nonsense'")
        assert "\n0\n5: error: no command 'more'" in reply.text
        for failed in (19, 20, 21, 23):
            reply = client.bulk(["x"] * failed, keep_going=True)
            assert (reply.failed, reply.text.count("error: no command")) == (failed, min(failed, 20))
            more = f"and {failed - 20} more error{'s' if failed > 21 else ''}" if failed > 20 else ""
            assert reply.text.splitlines()[20:] == [more] * (failed > 20)


def test_frames_that_no_packet_holds_are_refused(switch: Switch) -> None:
    for data in (b"", bytes(9217)):
        with pytest.raises(ControlError, match="empty or longer than the switch's packets"):
            switch.client.inject(0, [data])
    for port in (3, 65535):
        with pytest.raises(ControlError, match="not the number of a ctl: port"):
            switch.client.inject(port, [frame()])
    assert switch.client.inject(0, [bytes(9216), frame()]) == 2
    switch.client.collect()


def test_a_port_takes_as_many_frames_as_it_has_room_for(switch: Switch) -> None:
    """And says how many these are; they are through in their order, and then there is room again."""
    switch.do("table_set_default masks go => 7")
    frames = [frame(word=number) for number in range(1100)]
    for injected in (frames, frames[:1024], frames[1000:]):
        taken = min(len(injected), 1024)
        switch.client.hold(True)
        assert switch.client.inject(0, injected) == taken
        assert switch.client.inject(0, injected[:1]) == (taken < 1024)
        switch.client.hold(False)
        assert switch.client.collect() == [(7, one) for one in [*injected[:taken], *injected[: taken < 1024]]]
