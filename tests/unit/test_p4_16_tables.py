"""Tables of P4-16: what keys are called, which entry wins, how large they may be. P4-16 spec 1.2.5 sections 14.2 and 16."""

from __future__ import annotations

from pathlib import Path

import pytest
from aux_frontend.p4_16.frontend import P4_16
from test_p4_16_elaborate import EXTRACT, PROGRAM, gives, load, rejected

from transpiler.diagnostics import Diagnostics
from transpiler.frontend import Source
from transpiler.hlir.program import MAX_PRIORITY, MAX_SIZE

TOP = """
bit<8> two(in bit<8> x, in bit<8> y) { return x + y; }
struct named_t { @name("first") bit<8> x; @name(".second") bit<8> y; }
header_union held_t { @name("short") s_t s; w_t w; }
"""


@pytest.mark.parametrize(
    ("key", "name"),
    [
        ("h.a", "hdr.h.a"),
        ("hdr.st[1].v", "hdr.st[1].v"),
        ("hdr.st[h.a].v", "hdr.st[hdr.h.a].v"),
        ("h.a[5:2]", "hdr.h.a[5:2]"),
        ("h.a[5 +: 2]", "hdr.h.a[5+:2]"),
        ("h.a & 8w0x0f", "hdr.h.a"),
        ("hdr.st[h.a & h.b].v", "hdr.st[hdr.h.a & hdr.h.b].v"),
        ("hdr.st[h.a - 1].v", "hdr.st[hdr.h.a - 1].v"),
        ("hdr.st[-h.a].v", "hdr.st[-hdr.h.a].v"),
        ("hdr.st[~h.a].v", "hdr.st[~hdr.h.a].v"),
        ("hdr.st[(bit<4>) h.a[3:0]].v", "hdr.st[hdr.h.a[3:0]].v"),
        ("hdr.st[two(h.a, h.b)].v", "hdr.st[two(hdr.h.a, hdr.h.b)].v"),
        ("h.isValid()", "hdr.h.isValid()"),
        ("8w3", "3"),
        ("true", "true"),
        ("own.x", "own.first"),
        ("own.y", "second"),
        ("held.s.v", "held.short.v"),
        ("held.w.v", "held.w.v"),
    ],
)
def test_a_key_is_called_as_it_is_written(key: str, name: str, tmp_path: Path) -> None:
    before = "bool flag = true; named_t own = { 1, 2 }; held_t held;"
    table = f"table t {{ key = {{ {key} : exact; }} actions = {{ NoAction; }} }}"
    (made,) = load(tmp_path, "t.apply();", TOP, before + table).tables
    assert [each.name for each in made.keys] == [name]


@pytest.mark.parametrize(
    ("annotation", "table", "action"),
    [
        ('@name("x")', "I.x", "I.x"),
        ('@name(".x")', "x", "x"),
        ('@name(".x.y")', "x.y", "x.y"),
        ('@name("x.y")', "I.x.y", "I.x.y"),
        ('@name("")', "I.t", "I.a"),
        ('@name["x"]', "I.x", "I.x"),
        ("@hidden", "I.t", "I.a"),
    ],
)
def test_names_that_are_given(annotation: str, table: str, action: str, tmp_path: Path) -> None:
    control = f"{annotation} action a() {{ }} {annotation} table t {{ actions = {{ a; }} default_action = a; }}"
    program = load(tmp_path, "t.apply();", control=control)
    assert ([made.name for made in program.tables], [made.name for made in program.actions]) == ([table], [action])


def test_names_that_are_given_to_what_is_in_no_control(tmp_path: Path) -> None:
    top = """@name(".here") action a() { } @name("there") action b() { } @name(".Deeper.c") action c() { }
        action d() { } @name(".on_top") control C(inout bit<8> x) { action e() { x = x + 1; }
            table u { actions = { e; } default_action = e; } apply { u.apply(); } }"""
    control = 'C() own; @name(".elsewhere") C() other; table t { actions = { a; b; c; d; NoAction; } }'
    program = load(tmp_path, "t.apply(); own.apply(h.a); other.apply(h.b);", top, control)
    names = ["here", "there", "Deeper.c", "d", "NoAction"]
    assert [use.action for use in program.table["I.t"].actions] == names
    assert {made.name for made in program.actions} - set(names) == {"I.own.e", "elsewhere.e"}


def test_a_control_that_is_applied_twice_has_its_tables_once(tmp_path: Path) -> None:
    top = """control Inner(inout bit<8> x) {
        action a() { x = x + 1; } table t { actions = { a; } default_action = a; } apply { t.apply(); } }
    control Outer(inout bit<8> x) { apply { Inner.apply(x); } }"""
    program = load(tmp_path, "outer.apply(h.a); outer.apply(h.b);", top, "Outer() outer;")
    assert [made.name for made in program.tables] == ["I.outer.Inner.t"]
    gives(program, tmp_path, "01 02 02 03 04 05")


ENTRIES = """
action set(bit<8> v) {{ h.f = v; }}
table t {{ key = {{ h.b : ternary; }} actions = {{ set; }} default_action = set(9); {more} }}
"""
FIVE, SMALLEST = "priority_delta = 5;", "largest_priority_wins = false;"
ONE, ANY, HIGH = "1", "_", "0 &&& 0xf0"  # all have h.b, which is 1


@pytest.mark.parametrize(
    ("more", "output"),
    [
        # in their order where nothing else is said
        (f"entries = {{ {ANY}: set(1); {ONE}: set(2); }}", 1),
        (f"const entries = {{ {ANY}: set(1); {ONE}: set(2); }}", 1),
        # one less than the one before, where the larger wins
        (f"entries = {{ priority = 12: 2: set(3); {HIGH}: set(1); priority = 10: {ONE}: set(2); }}", 1),
        (f"entries = {{ priority = 12: 2: set(3); {HIGH}: set(1); priority = 12: {ONE}: set(2); }}", 2),
        (f"entries = {{ priority = 12: 2: set(3); 3: set(4); {HIGH}: set(1); priority = 11: {ONE}: set(2); }}", 2),
        (f"{FIVE} entries = {{ priority = 20: 2: set(3); 3: set(4); {HIGH}: set(1); priority = 11: {ONE}: set(2); }}", 2),
        (f"{FIVE} entries = {{ priority = 20: 2: set(3); 3: set(4); {HIGH}: set(1); priority = 9: {ONE}: set(2); }}", 1),
        (f"largest_priority_wins = true; entries = {{ priority = 1: {HIGH}: set(1); priority = 2: {ONE}: set(2); }}", 2),
        # one more where the smaller wins
        (f"{SMALLEST} entries = {{ priority = 1: 2: set(3); {HIGH}: set(1); priority = 3: {ONE}: set(2); }}", 1),
        (f"{SMALLEST} entries = {{ priority = 1: 2: set(3); {HIGH}: set(1); priority = 1: {ONE}: set(2); }}", 2),
        # of entries with one key the one that wins, whichever comes first
        (f"entries = {{ priority = 1: {ONE}: set(1); priority = 2: {ONE}: set(2); }}", 2),
        (f"entries = {{ priority = 2: {ONE}: set(1); priority = 1: {ONE}: set(2); }}", 1),
        (f"entries = {{ priority = 2: {ONE}: set(1); priority = 2: {ONE}: set(2); }}", 1),
        # the older form, where the smaller number wins and an entry without one comes last
        (f"const entries = {{ {ANY}: set(1) @priority(3); {ONE}: set(2) @priority(2); }}", 2),
        (f"const entries = {{ {ANY}: set(1) @priority(0); {ONE}: set(2) @priority(1); }}", 1),
        (f"const entries = {{ {ANY}: set(1) @priority(0x10); {ONE}: set(2) @priority(2); }}", 2),
        (f"const entries = {{ {ANY}: set(1); {ONE}: set(2) @priority(0); }}", 2),
        (f"const entries = {{ {ANY}: set(1); {ONE}: set(2) @priority(2); 9: set(9); }}", 1),
        (f"const entries = {{ {ANY}: set(1) @priority(3); {ONE}: set(2); 9: set(9); 8: set(8); }}", 2),
        (f"const entries = {{ {ANY}: set(1) @priority({MAX_PRIORITY}); {ONE}: set(2) @priority(1); }}", 2),
    ],
)  # fmt: skip
def test_which_entry_wins(more: str, output: int, tmp_path: Path) -> None:
    gives(load(tmp_path, "t.apply();", control=ENTRIES.format(more=more)), tmp_path, f"00 01 02 03 04 {output:02x}")


@pytest.mark.parametrize(
    ("more", "told"),
    [
        (f"const entries = {{ 1: set(1) @priority({MAX_PRIORITY + 1}); }}", "a priority is a number in 0..2147483646"),
        ("const entries = { 1: set(1) @priority(-1); }", "a priority is a number in 0..2147483646"),
        ("const entries = { 1: set(1) @priority(high); }", "a priority is a number"),
        (
            "entries = { 1: set(1); priority = 2: 2: set(2); }",
            "the first entry needs a priority, since others have one",
        ),
        (f"size = {MAX_SIZE + 1};", "property 'size' is 2147483648, not in 0..2147483647"),
        ("size = -1;", "property 'size' is -1, not in 0..2147483647"),
    ],
)
def test_entries_and_sizes_that_are_refused(more: str, told: str, tmp_path: Path) -> None:
    text = PROGRAM.format(top="", control=ENTRIES.format(more=more), apply="t.apply();", parser=EXTRACT)
    assert f"error: {told}\n" in rejected(tmp_path, text)


def test_a_table_may_be_as_large_as_can_be(tmp_path: Path) -> None:
    assert load(tmp_path, "t.apply();", control=ENTRIES.format(more=f"size = {MAX_SIZE};")).tables[0].size == MAX_SIZE


@pytest.mark.parametrize(("more", "const"), [("const entries = { }", True), ("entries = { }", False), ("", False)])
def test_entries_that_nobody_may_change(more: str, const: bool, tmp_path: Path) -> None:
    assert load(tmp_path, "t.apply();", control=ENTRIES.format(more=more)).tables[0].const_entries is const


@pytest.mark.parametrize(
    ("control", "told"),
    [
        (f"counter({MAX_SIZE}, CounterType.bytes) c;", ""),
        ("counter(1, CounterType.bytes) c;", ""),
        ("register<bit<8>>(0) r;", "warning: 'I.r' has no elements: nothing can be kept in it [-Wempty]"),
        (f"register<bit<8>>({MAX_SIZE + 1}) r;", "error: 'size' of register is 2147483648, not in 0..2147483647"),
    ],
)
def test_how_many_elements_there_may_be(control: str, told: str, tmp_path: Path) -> None:
    """It is told where the number stands."""
    name = control.split(") ")[1].rstrip(";")
    use = f"{name}.count(0);" if name == "c" else f"{name}.write(0, 1);"
    text = PROGRAM.format(top="", control=control, apply=use, parser=EXTRACT)
    file = tmp_path / "t.p4"
    file.write_text(text)
    diagnostics = Diagnostics()
    if told.startswith("error"):
        rendered = rejected(tmp_path, text)
    else:
        P4_16().load(Source(file), diagnostics)
        rendered = diagnostics.render()
    line = next(number for number, line in enumerate(text.splitlines(), 1) if control in line)
    column = text.splitlines()[line - 1].index("(") + 2
    told_here = [message for message in rendered.splitlines() if ": error: " in message or ": warning: " in message]
    assert told_here == ([f"{file}:{line}:{column}: {told}"] if told else [])
