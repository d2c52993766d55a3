"""What an extract reads of the frame, and from where, as C says it."""

from __future__ import annotations

import re

import pytest
from hlir_builder import (
    AT,
    Builder,
    any_,
    apply,
    binary,
    const,
    emit,
    exact,
    extract,
    goto,
    h as header,
    if_,
    select,
    state,
    valid,
)

from macsad.resources import share
from transpiler.codegen.generate import generate
from transpiler.diagnostics import Diagnostics
from transpiler.hlir import statements as st
from transpiler.hlir.expressions import MaskSet, ValueSetRef
from transpiler.hlir.program import MatchKind, Select, SelectCase, ValueSet
from transpiler.hlir.types import Bits, Varbit
from transpiler.targets.find import builtin


def c_of(b: Builder, extracts: list[st.Statement], *body: st.Statement, headers: str) -> str:
    program = b.build([state("start", extracts, goto("accept"))], body, deparser=[emit(name) for name in headers])
    return generate(program, builtin(), share("templates"), Diagnostics()).c


def assigned(c: str, name: str) -> list[str]:
    return re.findall(rf"^\s*{name} = (.*?);", c, re.MULTILINE)


@pytest.mark.parametrize("in_front", [8, 16, 72])
def test_a_varbit_lies_behind_the_fields_in_front_of_it_and_the_others_behind_it(in_front: int) -> None:
    b = Builder()
    b.header("v", "v_t", a=in_front, rest=Varbit(64), tail=16)
    b.header("w", "v_t")
    extracts = [extract("v", const(16, 32)), extract("w", const(8, 32))]
    assign = st.Assign(b.place("v.rest"), b.get("w.rest"), AT)
    add = st.Assign(b.place("v.tail"), b.get("w.tail"), AT)
    c = c_of(b, extracts, assign, add, headers="vw")
    place = in_front // 8
    assert assigned(c, "v_rest") == [
        f"macs_varbit_of(at + {place}, (uint32_t)(bits / 8))",
        f"macs_varbit_of(w_at + {place}, w_bytes)",
    ]
    (behind,) = assigned(c, "w_tail")
    assert f"macs_load_bytes(packet->data + at + (bits / 8) + {place}, 2)" in behind


def test_narrow_fields_behind_a_varbit_begin_where_it_ends() -> None:
    """Also where they would fill a word of 32 bits if it were empty."""
    b = Builder()
    b.header("v", "v_t", a=32, rest=Varbit(64), x=16, y=16)
    for name in "xy":
        b.extern(name, "register", size=1, width=16)
    kept = [b.call("register.write", name, const(0, 32), b.get(f"v.{name}")) for name in "xy"]
    c = c_of(b, [extract("v", const(16, 32))], *kept, headers="v")
    loads = [re.findall(rf"v_{name} = .*(macs_load.*, \d\))", c) for name in "xy"]
    assert loads == [[f"macs_load_bytes(packet->data + at + (bits / 8) + {place}, 2)"] for place in (4, 6)]


@pytest.mark.parametrize(("target", "source"), [("w", "v"), ("v", "w"), ("s[1]", "v"), ("v", "s[0]"), ("s[0]", "s[1]")])
@pytest.mark.parametrize("own", [False, True])
def test_a_copied_header_has_the_length_of_the_varbit_too(target: str, source: str, own: bool) -> None:
    """`own`: of a varbit that the program assigns as well, which is a value of its own."""
    b = Builder()
    b.header("v", "v_t", a=8, rest=Varbit(64))
    b.header("w", "v_t")
    b.stack("s", "v_t", 2)
    names = ("v", "w", "s[0]", "s[1]")
    other = next(name for name in names if name not in (target, source))
    assigns = [st.Assign(b.place(f"{target}.rest"), b.get(f"{other}.rest"), AT)] if own else []
    extracts: list[st.Statement] = [extract(name, const(16, 32)) for name in names]
    copy = st.CopyHeader(header(target), header(source), AT)
    program = b.build(
        [state("start", extracts, goto("accept"))], [*assigns, copy], deparser=[emit(name) for name in names]
    )
    c = generate(program, builtin(), share("templates"), Diagnostics()).c

    def slot(name: str, part: str) -> str:
        stem, at, index = name.partition("[")
        return f"{stem}_{part}{at}{index}"

    copied = c[c.index(f"{slot(target, 'valid')} = {slot(source, 'valid')};") :].splitlines()[: 5 if own else 3]
    lines = [line.partition(";")[0].strip() for line in copied]
    assert lines[1:3] == [f"{slot(target, part)} = {slot(source, part)}" for part in ("at", "bytes")]
    if own:
        there = f"macs_varbit_of({slot(source, 'at')} + 1, {slot(source, 'bytes')})"
        kept = slot(source, "rest") if target[0] == source[0] == "s" else there  # assigned in any of a stack
        assert f"{slot(target, 'rest')} = {kept}" in lines


@pytest.mark.parametrize(
    ("widths", "read", "shared"),
    [((8, 8, 8, 8), "abcd", "abcd"), ((16, 16, 8, 8), "ab", "ab"), ((4, 12, 16, 8), "abc", "abc"),
     ((8, 8, 8, 8), "abc", ""), ((16, 8, 16, 8), "abcd", ""), ((32, 8, 8, 16), "abcd", "bcd"),
     ((8, 8, 24, 8), "bc", "c")],
)  # fmt: skip
def test_narrow_fields_share_a_load_where_they_fill_a_word_and_all_are_read(
    widths: tuple[int, ...], read: str, shared: str
) -> None:
    b = Builder()
    b.header("h", "h_t", **dict(zip("abcd", widths, strict=True)), pad=-sum(widths) % 8 or 8)
    for name, width in zip("abcd", widths, strict=True):
        b.variable(f"m.{name}", width)
        b.extern(name, "register", size=1, width=width)
    kept = [b.call("register.write", name, const(0, 32), b.get(f"h.{name}")) for name in read]
    c = c_of(b, [extract("h")], *kept, headers="h")
    loads = {name: "".join(re.findall(rf"h_{name} = (.*load.*);", c)) for name in read}
    assert "".join(name for name in read if "macs_load_from_word" in loads[name]) == shared


@pytest.mark.parametrize(("width", "together"), [(4, True), (60, True), (68, False)])
def test_fields_are_stored_together_up_to_64_bits(width: int, together: bool) -> None:
    b = Builder()
    b.header("h", "h_t", a=4, b=width)
    b.header("g", "h_t")
    body = [b.set("h.a", b.get("g.a")), b.set("h.b", b.get("g.b"))]
    c = c_of(b, [extract("h"), extract("g")], *body, headers="hg")
    assert (re.search(rf"macs_store_bytes\(\w+, {(4 + width) // 8}, .*h_a << {width}", c) is not None) == together


def test_fields_of_a_run_that_are_written_apart_are_stored_apart_too() -> None:
    b = Builder()
    b.header("h", "h_t", a=4, b=12, key=8)
    for number, field in enumerate("ab"):
        b.action(f"I.a{number}", b.set(f"h.{field}", number))
        b.table(f"I.t{number}", [("h.key", "exact")], [f"I.a{number}"])
    c = c_of(b, [extract("h")], apply("I.t0"), apply("I.t1"), headers="h")
    (whole,) = re.findall(r"if \((.*)\) \{\s*macs_store_bytes\(to, 2, ", c)
    alone = re.findall(r"\} else \{\s*if \((\w+)\) \{\s*macs_store_bits.*\s*\}\s*if \((\w+)\)", c)
    assert whole == "h_a_written && h_b_written" and alone == [("h_a_written", "h_b_written")]


@pytest.mark.parametrize("copies", ["", "directly", "in an action"])
def test_a_header_that_is_copied_to_lies_where_its_source_does(copies: str) -> None:
    """Which may be nowhere: the test of its validity in front of the copy says nothing of it."""
    b = Builder()
    b.header("k", "k_t", wide=600)
    fields = [f"f{number}" for number in range(40)]
    for name in "hg":
        b.header(name, "h_t", **dict.fromkeys(fields, 8))
    b.extern("r", "register", size=1, width=8)
    b.action("I.none")
    b.table("I.first", [("k.wide", "exact")], ["I.none"], size=1_000_000)
    copy = st.CopyHeader(header("h"), header("g"), AT)
    b.action("I.copy", copy)
    b.table("I.t", [("sm.ingress_port", "exact")], ["I.copy"])
    inside = {"": [], "directly": [copy], "in an action": [apply("I.t")]}[copies]
    write = [b.call("register.write", "r", const(0, 32), b.get(f"h.{field}")) for field in fields]
    states = [
        state("start", [extract("k")], select(b.get("k.wide"), (exact(0, 600), "one"), (any_(), "more"))),
        state("one", [extract("g")], goto("more")),
        state("more", [extract("h")], goto("accept")),
    ]
    program = b.build(states, [apply("I.first"), if_(valid("h"), [*inside, *write])], deparser=[emit("h"), emit("g")])
    c = generate(program, builtin(), share("templates"), Diagnostics()).c
    print(c[c.index("h_valid)") :][:3000])
    assert ("h_at != MACS_NOWHERE" in c) == bool(copies)


@pytest.mark.parametrize("made", [True, False])
def test_a_header_that_is_valid_was_received_unless_something_makes_it_valid(made: bool) -> None:
    """In the stage behind a lookup, which finds it valid."""
    b = Builder()
    fields = [f"f{number}" for number in range(40)]
    b.header("k", "k_t", wide=600)
    b.header("h", "h_t", **dict.fromkeys(fields, 8))
    b.extern("r", "register", size=1, width=8)
    b.action("I.none")
    b.table("I.first", [("k.wide", "exact")], ["I.none"], size=1_000_000)
    states = [
        state("start", [extract("k")], select(b.get("k.wide"), (exact(0, 600), "more"), (any_(), "accept"))),
        state("more", [extract("h")], goto("accept")),
    ]
    write = [b.call("register.write", "r", const(0, 32), b.get(f"h.{field}")) for field in fields]
    sets = [if_(binary("==", b.get("k.wide"), const(1, 600)), [st.SetValid(header("h"), True, AT)])] if made else []
    body = [*sets, if_(valid("h"), [apply("I.first"), *write])]
    c = generate(b.build(states, body, deparser=[emit("k"), emit("h")]), builtin(), share("templates"), Diagnostics()).c
    assert "macs_load_bytes(packet->data + live->h_at" in c
    assert ("h_at != MACS_NOWHERE" in c) == made


def test_what_only_some_packets_have_written_the_others_hand_on_from_the_frame() -> None:
    """To a pipe that finds it in the packet's state: some packets leave the first pipe before it is written."""
    b = Builder()
    fields = [f"f{number}" for number in range(40)]
    b.header("k", "k_t", wide=600)
    b.header("h", "h_t", **dict.fromkeys(fields, 8))
    b.extern("r", "register", size=1, width=8)
    b.action("I.group", b.set("sm.mcast_grp", 1))
    b.action("I.write", b.set("h.f0", 7))
    for table, action in (("I.first", "I.group"), ("I.second", "I.write")):
        b.table(table, [("k.wide", "exact")], [action], size=1_000_000)
    program = b.build(
        [state("start", [extract("k"), extract("h")], goto("accept"))],
        [apply("I.first"), if_(binary("==", b.get("h.f1"), const(1, 8)), [apply("I.second")])],
        egress=[b.call("register.write", "r", const(0, 32), b.get(f"h.{field}")) for field in fields],
        deparser=[emit("k"), emit("h")],
    )
    c = generate(program, builtin(), share("templates"), Diagnostics()).c
    assert any(value.startswith("live->h_at != MACS_NOWHERE ? ") for value in assigned(c, "live->h_f0"))
    assert assigned(c, "live->h_f2") == []  # nobody writes it: it is read in the frame


@pytest.mark.parametrize("stack", [True, False])
def test_where_headers_lie_that_were_not_received(stack: bool) -> None:
    """Of what is made valid, and of what is copied, it is known from the beginning: a stack's places are an array."""
    b = Builder()
    b.header("k", "k_t", wide=600)
    if stack:
        b.stack("s", "h_t", 2, a=8)
        done = [st.SetValid(header("s[1]"), True, AT), b.set("s[1].a", 7)]
    else:
        b.header("h", "h_t", a=8)
        b.header("g", "h_t")
        done = [st.CopyHeader(header("h"), header("g"), AT), st.SetValid(header("h"), True, AT)]
    b.action("I.none", *done)
    b.table("I.first", [("k.wide", "exact")], ["I.none"], size=1_000_000)
    b.table("I.second", [("k.wide", "exact")], ["I.none"], size=1_000_000)
    headers = ("s[0]", "s[1]") if stack else ("h", "g")
    states = [
        state("start", [extract("k")], select(b.get("k.wide"), (exact(0, 600), "more"), (any_(), "accept"))),
        state("more", [extract(headers[1])], goto("accept")),
    ]
    body = [apply("I.first"), apply("I.second")]
    program = b.build(states, body, deparser=[emit(name) for name in ("k", *headers)])
    c = generate(program, builtin(), share("templates"), Diagnostics()).c
    fresh = "macs_fresh = {.s_at = {MACS_NOWHERE, MACS_NOWHERE}};"
    assert (fresh in c) == stack
    begun = set(re.findall(r"live->(\w+_at) = MACS_NOWHERE;", c))
    assert begun == (set() if stack else {"h_at", "g_at"})


def test_the_deparser_walks_over_headers_that_a_second_pass_may_have_moved() -> None:
    for again in (False, True):
        b = Builder()
        b.header("h", "h_t", a=8)
        body = [b.set("h.a", 7), *([b.call("resubmit.request", None)] if again else [])]
        c = c_of(b, [extract("h")], *body, headers="h")
        assert ("macs_layout_resize(" in c) == again


def test_a_value_of_a_select_is_there_once() -> None:
    b = Builder()
    b.header("h", "h_t", a=8)
    b.header("g", "h_t")
    cases = [(exact(value, 8), to) for value, to in ((7, "more"), (7, "accept"), (8, "more"), (9, "accept"))]
    states = [
        state("start", [extract("h")], select(b.get("h.a"), *cases)),
        state("more", [extract("g")], goto("accept")),
    ]
    c = generate(b.build(states, deparser=[emit("h"), emit("g")]), builtin(), share("templates"), Diagnostics()).c
    assert re.findall(r"case (\w+):", c) == ["7", "8", "9"]


@pytest.mark.parametrize(("kind", "order"), [("lpm", ["1", "0"]), ("ternary", ["0", "1"])])
def test_constant_entries_are_compared_in_the_order_in_which_they_win(kind: str, order: list[str]) -> None:
    """By their prefixes, or by their priorities: those of prefixes do not count."""
    b = Builder()
    b.header("h", "h_t", a=8, b=8)
    b.action("I.to", b.set("h.b", b.get("h.a")))
    keys = [(MaskSet(const(mask, 8), const(mask, 8), AT),) for mask in (0x80, 0xC0)]
    entries = [b.entry(key, "I.to", (), priority) for key, priority in zip(keys, (9, 1), strict=True)]
    b.table("I.t", [("h.a", kind)], ["I.to"], entries=entries, const_entries=True)
    c = c_of(b, [extract("h")], apply("I.t"), headers="h")
    assert re.findall(r"\? &I_t_values\[(\d)\]", c) == order


def test_a_value_set_of_two_fields_stands_for_two_subjects() -> None:
    b = Builder()
    b.header("h", "h_t", a=8, b=8, c=8, d=8)
    b.value_sets.append(ValueSet("vs", (Bits(8), Bits(8)), (MatchKind.EXACT, MatchKind.EXACT), 4, AT))
    keys = (any_(), ValueSetRef("vs", AT), exact(7, 8))
    chosen = Select(tuple(b.get(f"h.{field}") for field in "dabc"), (SelectCase(keys, "accept", AT),), AT)
    program = b.build([state("start", [extract("h")], chosen)], deparser=[emit("h")])
    c = generate(program, builtin(), share("templates"), Diagnostics()).c
    assert re.findall(r"macs_store_bytes\(member_1.*, (\w+)\);", c) == ["h_a", "h_b"]
    assert "!= NULL && h_c == 7)" in c
