"""Warnings of the P4-16 checker: each has a code by which it can be turned off, and none is a false alarm."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from aux_frontend.p4_16.checker import check
from aux_frontend.p4_16.checker.state import MAX_ERRORS
from aux_frontend.p4_16.parser import parse
from click.testing import CliRunner

from macsad.cli import cli
from transpiler.diagnostics import WARNINGS, Diagnostics, Rejected
from transpiler.frontend import Source


def messages(folder: Path, text: str, *disabled: str) -> list[tuple[str, str]]:
    """(code, message) of each warning of a program."""
    file = folder / "program.p4"
    file.write_text("#include <core.p4>\n" + text)
    diagnostics = Diagnostics(disabled_warnings=disabled)
    check(parse(Source(file), diagnostics), diagnostics)
    return [(m.code, m.message) for m in diagnostics.messages]


def in_control(body: str, before: str = "") -> str:
    top = """extern void set(out bit<8> x); extern void set(inout bit<8> y, out bit<8> x); extern void look(in bit<8> x);
        extern void change(inout bit<8> x); extern void change(in bit<8> y, inout bit<8> x);
        struct s_t { bit<8> a; } type bit<8> Id;\n"""
    return f"{top} control c(inout bit<8> p, in bool b) {{ {before} apply {{ {body} }} }}"


def test_a_select_without_default_ends_where_nothing_matches(tmp_path: Path) -> None:
    text = """parser p(packet_in packet, in bit<8> kind) {
        state start { transition select(kind) { 1: start; } } }"""
    assert messages(tmp_path, text) == []


@pytest.mark.parametrize(("keys", "empty"), [("5 .. 5", ""), ("4 .. 5", ""), ("0 .. 255", ""), ("6 .. 5", "6..5")])
def test_a_range_is_empty_when_it_ends_before_it_begins(tmp_path: Path, keys: str, empty: str) -> None:
    text = f"""parser p(packet_in packet, in bit<8> kind) {{
        state start {{ transition select(kind) {{ {keys}: accept; default: reject; }} }} }}"""
    assert messages(tmp_path, text) == ([("empty", f"the range {empty} is empty")] if empty else [])


@pytest.mark.parametrize(
    ("name", "near"),
    [
        ("sise", "size"),
        ("default_acton", "default_action"),
        ("entires", "entries"),
        ("counter", "counters"),
        ("strange", ""),
    ],
)
def test_a_property_that_nothing_knows(tmp_path: Path, name: str, near: str) -> None:
    suggested = f"; did you mean '{near}'?" if near else ""
    table = f"table t {{ actions = {{ NoAction; }} {name} = 5; }}"
    assert messages(tmp_path, in_control("t.apply();", table)) == [
        ("property", f"unknown table property '{name}'{suggested}")
    ]


@pytest.mark.parametrize(
    ("body", "known"),
    [
        ("if (true) { return 1; }", "true"), ("if (false) { } else { return 1; }", "false"),
        ("if (true) { return 1; } else { }", "true"), ("if (1 == 2) { } else if (b) { return 1; } else { exit; }", "false"),
    ],
)  # fmt: skip
def test_a_known_condition_may_be_all_that_leads_to_the_end(tmp_path: Path, body: str, known: str) -> None:
    function = f"bit<8> f(in bool b) {{ {body.replace('exit', 'return 2')} }}"
    assert messages(tmp_path, function) == [("constant", f"this condition is always {known}")]


@pytest.mark.parametrize(("size", "warned"), [(0, ["a value set of size 0 never matches"]), (1, [])])
def test_a_value_set_has_room(tmp_path: Path, size: int, warned: list[str]) -> None:
    text = f"""parser p(packet_in packet, in bit<8> kind) {{
        value_set<bit<8>>({size}) kinds;
        state start {{ transition select(kind) {{ kinds: accept; default: reject; }} }} }}"""
    assert messages(tmp_path, text) == [("empty", text) for text in warned]


@pytest.mark.parametrize(
    "body",
    [
        "bit<8> x; p = x;",
        "bit<8> x; p = x; p = x + x; look(x);",
        "bit<8> x; if (b) { x = 1; } p = x;",
        "bit<8> x; if (b) { x = 1; } else { look(x); }",
        "bit<8> x; switch (p) { 1: { x = 1; } } p = x;",
        "bit<8> x; x = x + 1;",
        "bit<8> x; x += 1;",
        "bit<8> x; for (bit<8> i in 1 .. 3) { x = i; } p = x;",
        "bit<8> x; look(x);",
        "bit<8> x; if (b) { x = 1; } else if (p == 1) { x = 2; } p = x;",
        "bit<8> x; bit<8>[2] a = { 1, 2 }; p = a[x];",
        "bit<8> x; bit<8>[2] a = { 1, 2 }; a[x] = p; look(a[0]);",
        "bit<8> x; p = b ? x : 1;",
        "bool x; p = x ? 8w1 : 2;",
        "bit<4> x; p = (bit<8>) x;",
        "bit<8> x; p = x[3:0] ++ 4w0;",
        "bit<8> x; p[x +: 2] = 1;",
        "bit<8> x; p = ~x;",
        "bit<8> x; tuple<bit<8>, bool> t = { x, b }; look(t[0]);",
        "bit<8> x; s_t s = { a = x }; look(s.a);",
        "bit<8> x; change(x);",
        "bit<8> x; change(p, x);",
        "bool x; if (x) { p = 1; }",
        "bit<8> x; switch (x) { 1: { p = 1; } }",
        "bit<8> x; switch (p) { 1: { x = 1; } 2: { x = 2; } } p = x;",
        "bit<8> x; switch (p) { 1: { x = 1; } default: { } } p = x;",
        "bit<8> x; for (bit<8> i = 0; i < x; i = i + 1) { p = i; }",
        "bit<8> x; for (bit<8> i = 0; i < 3; i = i + x) { p = i; }",
        "bit<8> x; for (bit<8> i = x; i < 3; i = i + 1) { p = i; }",
        "bit<8> x; for (bit<8> i in 1 .. x) { p = i; }",
        "bit<8> x; for (bit<8> i in { 1, x }) { p = i; }",
        "bit<8> x; for (bit<8> i in 1 .. 3) { if (i == 2) { x = 1; } } p = x;",
        "{ { bit<8> x; p = x; } }",
        "for (bit<8> i in 1 .. 3) { bit<8> x; p = x + i; x = 1; }",
        "error x; if (x == error.NoError) { p = 1; }",
        "Id x; if (x == 3) { p = 1; }",
        "if (b) { bit<8> x; p = x; } else { p = 2; }",
    ],
)
def test_values_used_before_they_are_set(tmp_path: Path, body: str) -> None:
    assert messages(tmp_path, in_control(body)) == [("uninitialized", "'x' may be used before it has a value")]


@pytest.mark.parametrize(
    "body",
    [
        "bit<8> x = 1; p = x;",
        "bit<8> x; if (b) { x = 1; } else { x = 2; } p = x;",
        "bit<8> x; if (b) { x = 1; } else { return; } p = x;",
        "bit<8> x; switch (p) { 1: { x = 1; } default: { x = 2; } } p = x;",
        "bit<8> x; set(x); p = x;",
        "bit<8> x; x[3:0] = 1; p = x;",
        "bit<8> x; if (true) { x = 1; } p = x;",
        "for (bit<8> i = 0; i < 3; i = i + 1) { p = i; }",
        "bit<8> x; if (b) { x = 1; } else { exit; } p = x;",
        "bit<8> x; if (b) { return; } else { x = 1; } p = x;",
        "bit<8> x; switch (p) { 1: { x = 1; } default: { return; } } p = x;",
        "bit<8> x; switch (p) { 1: 2: { x = 1; } default: { x = 2; } } p = x;",
        "bit<8> x; { { x = 1; } } p = x;",
        "bit<8> x; for (x = 0; x < 3; x = x + 1) { p = x; } p = x;",
        "bit<8> x; if (false) { p = x; } x = 1; p = x;",
        "bit<8>[2] a; a[0] = 1; p = a[1];",
        "s_t s; p = s.a;",
        "bit<8> x; set(x); set(x); p = x;",
        "bit<8> x; set(p, x); p = x;",
        "bit<8> x; x = 1; for (bit<8> i in 1 .. 3) { p = x + i; }",
        "for (bit<8> i in 1 .. 3) { bit<8> x; x = i; p = x; }",
        "for (bit<8> i in 1 .. 3) { if (i == p) { continue; } p = i; }",
        "bit<8> x; look(0); x = p; look(x);",
    ],
)
def test_values_that_are_set_in_time(tmp_path: Path, body: str) -> None:
    assert messages(tmp_path, in_control(body), "constant") == []


@pytest.mark.parametrize(
    ("body", "code", "text"),
    [
        ("return; p = 1;", "unreachable", "this is never executed"),
        ("exit; p = 1;", "unreachable", "this is never executed"),
        ("if (b) { return; } else { exit; } p = 1;", "unreachable", "this is never executed"),
        ("{ return; } p = 1;", "unreachable", "this is never executed"),
        ("for (bit<8> i in 1 .. p) { break; p = 1; }", "unreachable", "this is never executed"),
        ("for (bit<8> i in 1 .. p) { continue; p = 1; }", "unreachable", "this is never executed"),
        ("switch (p) { 1: { return; } default: { exit; } } p = 1;", "unreachable", "this is never executed"),
        (
            "const bit<8> w = 1; { const bit<8> w = 2; p = w; } p = w;",
            "shadow",
            "'w' hides another declaration of that name",
        ),
        ("if (1 == 2) { p = 1; }", "constant", "this condition is always false"),
        ("if (!false) { p = 1; }", "constant", "this condition is always true"),
        ("bit<8> w = 1; { bit<8> w = 2; p = w; } p = w;", "shadow", "'w' hides another declaration of that name"),
    ],
)
def test_code_that_does_not_what_it_seems_to(tmp_path: Path, body: str, code: str, text: str) -> None:
    assert (code, text) in messages(tmp_path, in_control(body))
    assert messages(tmp_path, in_control(body), code) == []


@pytest.mark.parametrize(
    ("value", "said"),
    [
        ("p << 7", ""),
        ("p << 8", "shifting 'bit<8>' by 8 leaves no bit of it"),
        ("255", ""),
        ("256", "256 does not fit in 'bit<8>', its upper bits are lost"),
        ("-128", "-128 is negative, 'bit<8>' is not: it becomes 128"),
        ("-129", "-129 does not fit in 'bit<8>', its upper bits are lost"),
    ],
)
def test_bits_that_are_lost(tmp_path: Path, value: str, said: str) -> None:
    assert messages(tmp_path, in_control(f"p = {value};")) == ([("overflow", said)] if said else [])


def test_a_declaration_can_silence_kinds_in_it(tmp_path: Path) -> None:
    action = "action a(in bit<8> x) { bit<8> v; p = v; return; p = 1; }"
    both = {"uninitialized", "unreachable"}
    call = in_control("a(1);", action)
    assert {code for code, _ in messages(tmp_path, call)} == both
    for code in both:
        silenced = in_control("a(1);", f'@noWarn("{code}") {action}')
        assert {code for code, _ in messages(tmp_path, silenced)} == both - {code}
    on_block = call.replace("control c", '@noWarn("unreachable") control c')
    assert {code for code, _ in messages(tmp_path, on_block)} == {"uninitialized"}


def test_every_kind_has_its_place_in_the_list() -> None:
    """What the compiler warns of can be turned off: each code in the sources is one that the command knows, and the reverse."""
    root = Path(__file__).parents[2]
    used = set[str]()
    for source in (path for room in ("aux-frontend", "transpiler", "macsad") for path in (root / room).rglob("*.py")):
        used |= set(re.findall(r'warn(?:ing)?\([^"]{1,80}?,\s*"([a-z-]+)"', source.read_text()))
    assert used == WARNINGS.keys()


def test_an_unknown_kind_is_wrong_usage(tmp_path: Path) -> None:
    program = tmp_path / "p.p4"
    program.write_text("const bit<8> x = 300;")
    assert "overflow" in CliRunner().invoke(cli, ["check", str(program)]).stderr
    assert "overflow" not in CliRunner().invoke(cli, ["check", str(program), "-Wno-overflow"]).stderr
    wrong = CliRunner().invoke(cli, ["check", str(program), "-Wno-overflaw"])
    assert wrong.exit_code == 2 and "'no-overflaw' is not known" in wrong.stderr


@pytest.mark.parametrize(
    "body",
    [
        "if (b) { return; } p = 1;",
        "if (b) { return; } else { p = 1; } p = 2;",
        "switch (p) { 1: { return; } } p = 1;",
        "switch (p) { 1: { return; } default: { } } p = 1;",
        "for (bit<8> i in 1 .. p) { return; } p = 1;",
        "for (bit<8> i in 1 .. p) { if (b) { break; } p = 1; }",
        "if (p == 1) { p = 2; } else if (b) { p = 3; }",
        "{ bit<8> w = 1; p = w; } { bit<8> w = 2; p = w; }",
    ],
)
def test_code_that_is_as_it_seems(tmp_path: Path, body: str) -> None:
    assert messages(tmp_path, in_control(body)) == []


def test_where_names_may_be_the_same(tmp_path: Path) -> None:
    """Names of the top level may be hidden, those of a parser or control are worth a warning, parameters of code are kept."""
    top = "const bit<8> k = 1; bit<8> f(in bit<8> x) { bit<8> k = x; return k; }\n"
    assert messages(tmp_path, top + in_control("p = f(k);", "bit<8> k = 3;")) == []
    assert messages(
        tmp_path, in_control("a(1); v = p;", "bit<8> v; action a(in bit<8> y) { bit<8> v = y; p = v; }")
    ) == [("shadow", "'v' hides another declaration of that name")]
    hidden = ("shadow", "'p' hides another declaration of that name")
    assert messages(tmp_path, in_control("look(p);", "bit<8> p = 1;")) == [hidden]
    for text in (in_control("bit<8> p = 1;"), in_control("a(1);", "action a(in bit<8> y) { { bit<8> y = 1; } }")):
        with pytest.raises(Rejected, match="1 errors"):
            messages(tmp_path, text)


@pytest.mark.parametrize(
    ("function", "warned"),
    [
        ("void f(out bit<8> x, in bool b) { if (b) { x = 1; } }", True),
        ("void f(out bit<8> x, in bool b) { if (b) { x = 1; } else { x = 2; } }", False),
        ("void f(out bit<8> x, in bool b) { if (b) { x = 1; return; } x = 2; }", False),
        ("bit<8> f(out bit<8> x) { return 1; }", False),
        ("void f(inout bit<8> x) { }", False),
        ("void f(out bit<8>[2] x) { }", False),
        ("action f(out bit<8> x) { }", True),
        ("action f(out bit<8> x) { exit; }", False),
        ('void f(@noWarn("uninitialized") out bit<8> x) { }', False),
        ('@noWarn("uninitialized") action f(out bit<8> x) { }', False),
        ("control f(out bit<8> x) { apply { } }", False),
        ("control f() { action a(out bit<8> x) { } apply { bit<8> x; a(x); } }", True),
    ],
)
def test_out_parameters_and_the_ways_to_the_end(tmp_path: Path, function: str, warned: bool) -> None:
    found = [text for code, text in messages(tmp_path, function) if code == "uninitialized"]
    assert found == (["out parameter 'x' may be left without a value"] if warned else [])


@pytest.mark.parametrize(
    "function",
    [
        "bit<8> f() { bit<8> x; return x; }",
        "bit<8> f(in bit<8> y) { bit<8> x; return y + x; }",
        "action f(out bit<8> y) { bit<8> x; y = x; }",
        "parser f(packet_in b) { state start { transition next; } state next { bit<8> x; b.advance((bit<32>) x); } }",
        "control f() { action a() { bit<8> x; bit<8> y = x; y = 1; } apply { a(); } }",
        "header h_t { bit<8> a; } control f(inout h_t[2] h) { apply { bit<8> x; h[x].setValid(); } }",
    ],
)
def test_values_used_before_they_are_set_wherever_code_stands(tmp_path: Path, function: str) -> None:
    assert messages(tmp_path, function, "unused") == [("uninitialized", "'x' may be used before it has a value")]


def test_out_parameters_left_without_a_value(tmp_path: Path) -> None:
    assert messages(tmp_path, "void f(out bit<8> x) { }") == [
        ("uninitialized", "out parameter 'x' may be left without a value")
    ]
    assert messages(tmp_path, "void f(out bit<8> x) { x = 1; }") == []


def test_names_never_used(tmp_path: Path) -> None:
    before = "action a() { } action used() { } table t { actions = { used; } } bit<8> v; const bit<8> k = 1;"
    assert sorted(text for _, text in messages(tmp_path, in_control("bit<8> w;", before))) == [
        "action 'a' is never used", "constant 'k' is never used", "table 't' is never used",
        "variable 'v' is never used", "variable 'w' is never used",
    ]  # fmt: skip
    assert messages(tmp_path, in_control("", '@noWarn("unused") action a() { }')) == []
    objects = "extern Cell { Cell(); void put(); } "
    assert messages(
        tmp_path, objects + in_control("Cell() none;").replace("apply { Cell() none; }", "Cell() none; apply { }")
    ) == [("unused", "instance 'none' is never used")]
    uses = (
        "bit<8> v; const bit<8> k = 4; const bit<8> w = 4; action a() { v = 1; } table t { actions = { a; } size = k; }"
    )
    assert messages(tmp_path, in_control("if (t.apply().hit) { bit<w> x = 1; look((bit<8>) x); }", uses)) == []


def test_a_kind_can_be_turned_off(tmp_path: Path) -> None:
    text = in_control("bit<8> w = 300;")
    assert {code for code, _ in messages(tmp_path, text)} == {"unused", "overflow"}
    assert {code for code, _ in messages(tmp_path, text, "overflow")} == {"unused"}
    assert messages(tmp_path, text, "all") == []


def test_a_flood_of_errors_ends_soon(tmp_path: Path) -> None:
    names = "".join(f"bit<8> name{i} = 0; " for i in range(2000))
    with pytest.raises(Rejected) as rejected:
        messages(tmp_path, in_control(names + "".join(f"p = nome{i}; " for i in range(2000))))
    assert rejected.value.diagnostics.error_count == MAX_ERRORS
