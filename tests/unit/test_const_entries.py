"""Entries of commands as the constant entries that they become, and tables as options name them."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import click
import pytest
from hlir_builder import AT, Builder, apply, extract, goto, state

from macsad import compilation
from macsad.compilation import Request
from macsad.const_tables import GIVEN, _key_set, _number, _numbers, _Wrong, frozen
from macsad.options import named_table
from transpiler.diagnostics import Diagnostics, Rejected
from transpiler.hlir.expressions import AnySet, Const, MaskSet
from transpiler.hlir.program import ADD_ON_MISS, Annotation, MatchKind, Program
from transpiler.hlir.types import Bits


@pytest.mark.parametrize(
    ("kind", "word", "numbers"),
    [
        ("exact", "0x1ff", (0x1FF,)), ("exact", "0x200", None), ("exact", "-1", None),
        ("lpm", "0x1ff/8", (0x1FE, 0x1FE)), ("lpm", "5/0", (0, 0)), ("lpm", "5/9", (5, 0x1FF)), ("lpm", "5/10", None),
        ("lpm", "5", None),
        ("ternary", "5&&&4", (4, 4)), ("ternary", "5", (5, 0x1FF)), ("ternary", "5&&&0", "any"), ("ternary", "5&&&x", None),
        ("optional", "5", (5, 0x1FF)), ("optional", "5&&&0x1ff", (5, 0x1FF)), ("optional", "5&&&0", "any"),
        ("optional", "5&&&1", None),
        ("range", "5->7", (5, 7, 0)), ("range", "5", (5, 5, 0)), ("range", "7->5", None), ("range", "5->0x200", None),
    ],
)  # fmt: skip
def test_what_fields_of_commands_match(kind: str, word: str, numbers: Any) -> None:
    key: Any = SimpleNamespace(match_kind=MatchKind(kind), name="k", expression=SimpleNamespace(type=Bits(9)))
    if numbers is None:
        with pytest.raises(Exception, match="'"):
            _key_set(key, word, AT)
    elif numbers == "any":
        made = _key_set(key, word, AT)
        assert isinstance(made, AnySet) and _numbers(made) is None
    else:
        made = _key_set(key, word, AT)
        assert _numbers(made) == numbers
        if isinstance(made, MaskSet):
            assert isinstance(made.value, Const) and made.value.value == numbers[0], "no bits outside of the mask"


@pytest.mark.parametrize(
    ("word", "bits", "value"),
    [
        ("0", 8, 0), ("255", 8, 255), ("010", 8, 10), ("0xFf", 8, 255), ("0X0f", 8, 15), ("0b101", 8, 5), ("0B11", 8, 3),
        ("0o17", 8, 15), ("0O7", 8, 7), ("256", 8, None), ("0x100", 8, None), ("1_0", 8, None), ("+1", 8, None), ("", 8, None),
        ("0x", 8, None), ("0b2", 8, None), ("0o8", 8, None), ("1.5", 8, None), ("a", 8, None), ("\u0663", 8, None),
        ("02:00:00:00:00:fF", 48, 0x0200000000FF), ("1:2:3:4:5:6", 48, 0x010203040506), ("1:2:3:4:5", 48, None),
        ("1:2:3:4:5:6:7", 48, None), ("100:2:3:4:5:6", 48, None), ("1:2:3:4:5:6", 47, None), ("1:2:3:4:5:6", 64, None),
        ("10.0.0.255", 32, 0x0A0000FF), ("10.0.0.256", 32, None), ("10.0.0", 32, None), ("10.0.0.1", 33, None),
        ("10.0.0.1", 128, None), ("2001:db8::1", 128, 0x20010DB8 << 96 | 1), ("::", 128, 0),
        ("::ffff:1.2.3.4", 128, 0xFFFF01020304),
        ("fe80::1%eth0", 128, None), ("::1", 32, None), ("::1", 64, None), ("1", 128, 1), ("0x0a000001", 32, 0x0A000001),
    ],
)  # fmt: skip
def test_numbers_and_addresses_of_commands(word: str, bits: int, value: int | None) -> None:
    """A MAC address where 48 bits are matched, one of IPv4 where 32 are, of IPv6 where 128 are."""
    if value is None:
        with pytest.raises(_Wrong) as wrong:
            _number(word, bits)
        assert str(wrong.value) == f"'{word}' is not a number of {bits} bits"
    else:
        assert _number(word, bits) == value


@pytest.fixture(scope="module")
def program() -> Program:
    b = Builder()
    b.header("hdr.h", "h_t", f=9)
    b.action("c.go", port=9)
    b.table("c.t", [("hdr.h.f", "exact")], ["c.go"], size=2)
    b.table("c.w", [("hdr.h.f", "ternary")], ["c.go"])
    b.table("d.w", [("hdr.h.f", "exact")], ["c.go"], const_default=True)
    start = state("start", [extract("hdr.h")], goto("accept"))
    return b.build([start], [apply("c.t"), apply("c.w"), apply("d.w")])


def of(program: Program, folder: Any, *lines: str) -> Program:
    file = folder / "e.txt"
    file.write_text("\n".join(lines))
    return frozen(program, file, Diagnostics())


def test_tables_that_commands_name_are_constant(program: Program, tmp_path: Any) -> None:
    """With the entries in their order; of priorities the smaller goes first in commands. Others are as they were."""
    made = of(program, tmp_path, "# nothing", "table_add t go 5 => 7  # more", "", "table_add c.w c.go 1&&&1 => 2 9",
              "table_add c.w go 1&&&1 => 3 8", "table_set_default t go 6")  # fmt: skip
    table, ranked, other = (made.table[name] for name in ("c.t", "c.w", "d.w"))
    assert [(_numbers(one.keys[0]), one.call.arguments[0].value) for one in table.entries] == [((5,), 7)]
    assert (table.const_entries, table.const_default, table.default_action.arguments[0].value) == (True, True, 6)
    assert [one.name for one in table.annotations] == [GIVEN] and other == program.table["d.w"]
    assert [one.call.arguments[0].value for one in ranked.entries] == [2, 3]
    assert [one.priority for one in ranked.entries] == [(1 << 31) - 1 - 9, (1 << 31) - 1 - 8]
    assert ranked.default_action.action == "NoAction"


@pytest.mark.parametrize(("kind", "word"), [("ternary", "5&&&7"), ("range", "1->5"), ("optional", "5")])
def test_which_entries_have_a_priority(kind: str, word: str, tmp_path: Path) -> None:
    b = Builder()
    b.header("hdr.h", "h_t", f=9, g=9)
    b.action("c.go", port=9)
    b.table("c.t", [("hdr.h.f", "exact"), ("hdr.h.g", kind)], ["c.go"])
    program = b.build([state("start", [extract("hdr.h")], goto("accept"))], [apply("c.t")])
    (entry,) = of(program, tmp_path, f"table_add t go 1 {word} => 7 10").table["c.t"].entries
    assert (entry.call.arguments[0].value, entry.priority) == (7, (1 << 31) - 1 - 10)


@pytest.mark.parametrize(
    ("lines", "told"),
    [
        (["table_add t go 5 => 7", "table_add t go 5 => 8"], "already has an entry with this key"),
        (["table_add t go 1 => 7", "table_add t go 2 => 7", "table_add t go 3 => 7"], "has room for 2 entries"),
        (["table_add w go 1 => 7"], "w is the end of the names of several tables"),
        (["table_add x go 1 => 7"], "there is no table x"),
        (["table_add t"], "wants a table and an action"), (["table_clear t"], "by table_add and table_set_default alone"),
        (["table_add c.w go 1&&&1 => "], "has a priority"), (["table_add t go => 1"], "has 1 key fields"),
        (["table_add t go 1 => 7 8"], "go has 1 parameters, not 2"), (["table_add t go 1 =>"], "go has 1 parameters, not 0"),
        (["table_set_default d.w go 1"], "the default action of d.w is constant"),
        (["table_add t none 1"], "no action of that table none"),
    ],
)  # fmt: skip
def test_what_is_no_entry(program: Program, tmp_path: Any, lines: list[str], told: str) -> None:
    """In the last line."""
    with pytest.raises(Rejected) as rejected:
        of(program, tmp_path, *lines)
    (message,) = rejected.value.diagnostics.messages
    assert told in message.message and message.span.line == len(lines)


def whole(path: Path, lines: list[str], folder: Path) -> str:
    """What is told of such entries for a program; "" where they are taken."""
    file = folder / "e.txt"
    file.write_text("\n".join(lines))
    try:
        compilation.load(Request(path, const_tables=file, warnings=("no-all",)))
    except Rejected as rejected:
        return "\n".join(message.message for message in rejected.diagnostics.messages)
    return ""


OWN = """
#include <core.p4>
#include <v1model.p4>
header h_t { bit<8> k; }
struct H { h_t h; }
struct M { }
parser P(packet_in p, out H h, inout M m, inout standard_metadata_t s) { state start { p.extract(h.h); transition accept; } }
control V(inout H h, inout M m) { apply { } }
control I(inout H h, inout M m, inout standard_metadata_t s) {
    action go(bit<9> port) { s.egress_spec = port; }
    action missed() { mark_to_drop(s); }
    @name("rows") table fixed { key = { h.h.k: exact; } actions = { go; @defaultonly missed; }
        const entries = { 5: go(1); } const default_action = missed(); }
    @name("begun") table begun { key = { h.h.k: exact; } actions = { @tableonly go; @defaultonly missed; }
        entries = { 5: go(1); 6: go(2); } default_action = missed(); size = 3; }
    @name("chosen") table chosen { key = { h.h.k: exact; } actions = { go; } implementation = action_profile(4); }
    apply { fixed.apply(); begun.apply(); chosen.apply(); }
}
control E(inout H h, inout M m, inout standard_metadata_t s) { apply { } }
control D(packet_out p, in H h) { apply { p.emit(h.h); } }
V1Switch(P(), V(), I(), E(), V(), D()) main;
"""


@pytest.mark.parametrize(
    ("lines", "told"),
    [
        (["table_add begun go 7 => 3"], ""), (["table_add begun go 7 3"], ""), (["table_set_default begun missed"], ""),
        (["table_set_default begun missed", "table_set_default begun missed"], ""),
        (["table_add begun go 5 => 3"], "I.begun already has an entry with this key"),
        (["table_add begun go 7 => 3", "table_add begun go 8 => 3"], "I.begun has room for 3 entries"),
        (["table_add begun missed 7"], "there is no action of that table missed"),
        (["table_set_default begun go 3"], "there is no action of that table go"),
        (["table_add rows go 7 => 3"], "the entries of I.rows are constant in the program"),
        (["table_set_default rows missed"], "the entries of I.rows are constant in the program"),
        (["table_add chosen go 7 => 3"], "I.chosen has an action profile, whose members change"),
        (["table_add begun go"], "I.begun has 1 key fields"), (["table_add begun go => 3"], "I.begun has 1 key fields"),
        (["table_add begun"], "table_add wants a table and an action"), (["table_set_default"],
         "table_set_default wants a table and an action"),
        (["table_add begun go 7 => 512"], "'512' is not a number of 9 bits"),
        (["table_add begun go 256 => 1"], "'256' is not a number of 8 bits"),
        (["mirroring_add 1 2 3"], "'mirroring_add': tables are constant by table_add and table_set_default alone"),
        (["table_add begun go 7 => 1 2", "table_add none go 7 => 3", "table_add begun go 7 => 1"],
         "go has 1 parameters, not 2\nthere is no table none"),
    ],
)  # fmt: skip
def test_what_is_told_of_entries_of_a_program(lines: list[str], told: str, tmp_path: Path) -> None:
    """Of all lines that are wrong; what a program's own entries have counts, too."""
    (tmp_path / "p.p4").write_text(OWN)
    found = whole(tmp_path / "p.p4", lines, tmp_path)
    assert found.replace("I.", "") == told.replace("I.", "")


def test_a_whole_name_is_not_the_end_of_another(tmp_path: Path) -> None:
    b = Builder()
    b.header("hdr.h", "h_t", f=9)
    b.action("c.go", port=9)
    for name in ("t.w", "c.t.w"):
        b.table(name, [("hdr.h.f", "exact")], ["c.go"])
    program = b.build([state("start", [extract("hdr.h")], goto("accept"))], [apply("t.w"), apply("c.t.w")])
    made = of(program, tmp_path, "table_add t.w go 5 => 7")
    assert [len(made.table[name].entries) for name in ("t.w", "c.t.w")] == [1, 0]


def test_the_same_set_is_the_same_key_however_it_is_written(tmp_path: Path) -> None:
    """Bits that a mask leaves out do not tell entries apart; priorities do."""
    ternary = OWN.replace("table begun { key = { h.h.k: exact; }", "table begun { key = { h.h.k: ternary; }")
    (tmp_path / "p.p4").write_text(ternary.replace("5: go(1); 6: go(2);", "0xf5 &&& 0x0f: go(1);"))
    (entry,) = compilation.load(Request(tmp_path / "p.p4", warnings=("no-all",))).table["I.begun"].entries
    same, other = ((1 << 31) - 1 - entry.priority + more for more in (0, 1))
    again = "I.begun already has an entry with this key"
    for key, priority, told in (
        ("0x05&&&0x0f", same, again), ("0x05&&&0x0f", other, ""), ("0x05&&&0x1f", same, ""), ("0x06&&&0x0f", same, ""),
    ):  # fmt: skip
        assert whole(tmp_path / "p.p4", [f"table_add begun go {key} => 3 {priority}"], tmp_path) == told
    twice = [f"table_add begun go {line} => 3 7" for line in ("0x15&&&0x10", "0x1f&&&0x10")]
    assert whole(tmp_path / "p.p4", twice, tmp_path) == again


def test_a_table_that_packets_fill_is_not_constant(program: Program, tmp_path: Path) -> None:
    learns = (Annotation(ADD_ON_MISS, "true", AT),)
    tables = (replace(one, annotations=learns) if one.name == "c.t" else one for one in program.tables)
    learning = replace(program, tables=tuple(tables))
    with pytest.raises(Rejected) as rejected:
        of(learning, tmp_path, "table_add t go 1 => 7")
    assert [one.message for one in rejected.value.diagnostics.messages] == ["packets add entries to c.t"]


def test_a_wrong_line_is_shown(program: Program, tmp_path: Path) -> None:
    with pytest.raises(Rejected) as rejected:
        of(program, tmp_path, "table_add t go 1 => 7", "table_add t go 0x200 => 7")
    file = tmp_path / "e.txt"
    lines = rejected.value.diagnostics.render().splitlines()
    assert lines[0] == f"{file}:2:1: error: '0x200' is not a number of 9 bits"
    assert "table_add t go 0x200 => 7" in lines[1] and lines[2].strip() == "^"


def test_a_default_action_has_its_arguments_behind_an_arrow_too(program: Program, tmp_path: Path) -> None:
    for line in ("table_set_default t go => 6", "table_set_default t go 6"):
        assert of(program, tmp_path, line).table["c.t"].default_action.arguments[0].value == 6


def test_a_file_that_cannot_be_read_is_told(program: Program, tmp_path: Path) -> None:
    (tmp_path / "binary").write_bytes(b"\xff")
    for name, why in (("none", "No such file"), ("binary", "can't decode byte 0xff")):
        with pytest.raises(Rejected) as rejected:
            frozen(program, tmp_path / name, Diagnostics())
        (message,) = rejected.value.diagnostics.messages
        assert message.message.startswith("cannot be read: ") and why in message.message
        assert (message.span.file, message.span.line, message.span.column) == (str(tmp_path / name), 1, 1)


def test_two_rooms_are_enough_for_two(program: Program, tmp_path: Any) -> None:
    assert len(of(program, tmp_path, "table_add t go 1 => 7", "table_add t go 2 => 7").table["c.t"].entries) == 2


@pytest.mark.parametrize(
    ("name", "found"),
    [
        ("I.a", "I.a"), ("a", "I.a"), ("x.b", "I.x.b"), ("b", "'b' may be I.x.b or J.b or K.J.b"), ("J.b", "J.b"),
        ("c", "there is no table 'c' of sorts; there are: I.a, I.x.b, J.b, K.J.b"), ("", "there is no table ''"),
    ],
)  # fmt: skip
def test_tables_are_named_by_an_end_that_no_other_has(name: str, found: str) -> None:
    names = ["I.a", "I.x.b", "J.b", "K.J.b"]
    if found in names:
        assert named_table(names, name, "--table") == found
    else:
        with pytest.raises(click.BadParameter, match=found):
            named_table(names, name, "--table", "of sorts")
    with pytest.raises(click.BadParameter, match="there is no table 'x'; there are: none"):
        named_table([], "x", "--table")
