"""The side tables that the P4-16 checker leaves for elaboration: complete, and right for each kind of rule."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from pathlib import Path

import pytest
from aux_frontend.p4_16 import ast, types as t
from aux_frontend.p4_16.checked import Checked
from aux_frontend.p4_16.checker import check
from aux_frontend.p4_16.checker.typeops import mentions, write
from aux_frontend.p4_16.parser import parse

from transpiler.diagnostics import Diagnostics, Rejected
from transpiler.frontend import Source

CORE = """
#include <core.p4>
header h_t { bit<8> a; bit<16> b; }
header v_t { varbit<32> v; }
header_union u_t { h_t h; v_t v; }
struct s_t { h_t h; h_t[3] stack; bool flag; }
enum bit<4> Level { low = 1, high = 14 }
enum Color { red, green }
extern Reg<T> { Reg(bit<32> n); T read(in bit<32> i); void write<I>(in I i, in T v); }
extern void any<T>(in T value);
extern T pick<T>(in T a, in T b, in bool c = true);
bit<8> twice(in bit<8> x) { return x + x; }
"""


def nodes(root: ast.Node) -> Iterator[ast.Node]:
    pending: list[object] = [root]
    while pending:
        item = pending.pop()
        if isinstance(item, ast.Node):
            yield item
            pending += [getattr(item, field.name) for field in dataclasses.fields(item)]
        elif isinstance(item, tuple):
            pending += item


class Program:
    """A checked program: `body` stands in the apply block of a control, `before` among its declarations."""

    def __init__(self, folder: Path, body: str = "", before: str = "", top: str = "") -> None:
        control = f"control c(inout s_t s, in bit<8> n) {{ {before}\n apply {{ {body} }} }}\n"
        file = folder / "program.p4"
        file.write_text(CORE + top + control)
        self.diagnostics = Diagnostics()
        self.checked: Checked = check(parse(Source(file), self.diagnostics), self.diagnostics)

    def find(self, kind: type[ast.Node], nth: int = 0) -> ast.Node:
        control = self.checked.program.declarations[-1]
        found = [n for n in nodes(control) if isinstance(n, kind)]
        return sorted(found, key=lambda n: (n.span.line, n.span.column))[nth]

    def value_of(self, nth: int = 0) -> ast.Expression:
        """The right side of the nth assignment."""
        assignment = self.find(ast.AssignmentStatement, nth)
        assert isinstance(assignment, ast.AssignmentStatement)
        return assignment.value

    def type(self, expression: ast.Expression) -> str:
        return write(self.checked.types[expression])

    def warnings(self) -> list[str]:
        return [m.code for m in self.diagnostics.messages]


@pytest.mark.parametrize("text", ["n + 1", "1 + n"])
def test_literals_take_the_type_of_the_other_side(tmp_path: Path, text: str) -> None:
    program = Program(tmp_path, f"s.h.a = {text};")
    addition = program.value_of()
    assert isinstance(addition, ast.BinaryExpression)
    assert program.type(addition) == "bit<8>"
    literal = addition.right if text.endswith("1") else addition.left
    assert program.type(literal) == "int"
    assert program.checked.casts[literal] == t.Bit(8)
    assert program.checked.constants[literal] == 1


@pytest.mark.parametrize(
    ("expression", "value"),
    [
        ("8w255 + 1", 0), ("8w250 |+| 10", 255), ("8w3 |-| 4", 0), ("1 + 2 * 3", 7), ("7 / 2", 3), ("8w9 % 4", 1),
        ("(bit<8>) -1", 255), ("8w1 << 9", 0), ("8w128 >> 3", 16), ("~8w1", 254), ("(bit<8>) (8s128 >> 7)", 255),
        ("4w3 ++ 4w5", 0x35), ("16w0xabcd[11:4]", 0xBC), ("(false || true) ? 8w1 : 8w0", 1), ("(true && false) ? 8w1 : 8w0", 0),
        ("true ? 8w1 : n", 1), ("(bit<8>) (bit<4>) Level.high", 14),
        ("s.stack.size == 3 ? 8w1 : 8w0", 1), ("(bit<8>) s.h.minSizeInBytes()", 3), ("16w0xabcd[4 +: 8]", 0xBC),
        ("(bit<8>) u_t.minSizeInBits()", 0), ("(bit<8>) u_t.maxSizeInBits()", 32), ("(bit<8>) Level.minSizeInBytes()", 1),
        ("(bit<8>) v_t.maxSizeInBits()", 32), ("5 & 3", 1), ("(bit<8>)(bit<1>) (1 < 2)", 1),
        ("(bit<8>) (-8s5 |+| -8s2)", 249), ("(bit<8>) (-8s100 |+| -8s100)", 128), ("(bit<8>) (8s100 |+| 8s100)", 127),
        ("(bit<8>) (-8s100 |-| 8s100)", 128), ("(bit<8>) (-8s5 >> 9)", 255), ("(bit<8>) (-8s128 >> 8)", 255),
    ],
)  # fmt: skip
def test_constants_are_folded(tmp_path: Path, expression: str, value: int) -> None:
    program = Program(tmp_path, f"s.h.a = {expression};")
    if expression != "true ? 8w1 : n":
        assert program.checked.constants[program.value_of()] == value
    else:
        assert program.checked.types[program.value_of()] == t.Bit(8)


@pytest.mark.parametrize(
    ("value", "why"),
    [
        ("8w5 / n", "the right operand of / must be known at compile time"),
        ("5 % n", "the right operand of % must be known at compile time"),
        ("-1 / 8w3", "operator / is not defined for negative numbers"),
        ("n / -1", "operator / is not defined for negative numbers"),
        ("-0 / 8w3", ""),
        ("0 / n", ""),
        ("n % 3", ""),
        ("(bit<8>) (bit<4>) x", "cannot cast 'int<8>' to 'bit<4>'"),
        ("(bit<8>) (bit<16>) x", "cannot cast 'int<8>' to 'bit<16>'"),
        ("(bit<8>) (int<16>) n", "cannot cast 'bit<8>' to 'int<16>'"),
        ("(bit<8>) (int<16>) x", "cannot cast 'int<16>' to 'bit<8>'"),
        ("(bit<8>) (int<8>) (int<16>) x", ""),
    ],
)
def test_which_operands_and_casts_there_are(tmp_path: Path, value: str, why: str) -> None:
    """P4-16 spec 8.8 and 8.12.1: the divisor is known, none is negative; a cast changes the width or the sign."""
    body, before = f"s.h.a = {value};", "int<8> x = 1;"
    if not why:
        assert Program(tmp_path, body, before).diagnostics.error_count == 0
        return
    file = tmp_path / "refused.p4"
    file.write_text(f"{CORE} control c(inout s_t s, in bit<8> n) {{ {before} apply {{ {body} }} }}")
    diagnostics = Diagnostics()
    with pytest.raises(Rejected):
        check(parse(Source(file), diagnostics), diagnostics)
    first = next(m for m in diagnostics.messages if m.severity.value == "error")
    assert why in first.message


def test_signed_constants_are_twos_complement(tmp_path: Path) -> None:
    program = Program(tmp_path, "x = 127 + 8s1;", "int<8> x;")
    assert program.checked.constants[program.value_of()] == -128


def test_constant_declarations_have_values(tmp_path: Path) -> None:
    program = Program(tmp_path, "s.h.a = K; s.h.b = P.b;", top="const bit<8> K = 7; const h_t P = { 1, 2 };\n")
    assert program.checked.constants[program.value_of(0)] == 7
    assert program.checked.constants[program.value_of(1)] == 2


def test_casts_reach_into_lists(tmp_path: Path) -> None:
    program = Program(tmp_path, "s.h = { 1, 2 };")
    items = program.value_of()
    assert isinstance(items, ast.ListExpression)
    assert program.type(items) == "tuple<int, int>"
    assert write(program.checked.casts[items]) == "h_t"
    assert [write(program.checked.casts[i]) for i in items.items] == ["bit<8>", "bit<16>"]


def test_casts_reach_into_conditionals(tmp_path: Path) -> None:
    program = Program(tmp_path, "s.h.a = s.flag ? 1 : 2;")
    choice = program.value_of()
    assert isinstance(choice, ast.ConditionalExpression)
    assert program.type(choice) == "bit<8>"
    assert program.checked.casts[choice.then] == program.checked.casts[choice.otherwise] == t.Bit(8)


def test_a_serializable_enum_becomes_its_number(tmp_path: Path) -> None:
    program = Program(tmp_path, "x = Level.high + 1;", "bit<4> x;")
    addition = program.value_of()
    assert isinstance(addition, ast.BinaryExpression)
    assert program.checked.casts[addition.left] == t.Bit(4)
    assert program.checked.constants[addition] == 15


def test_an_enum_with_a_representation_may_be_an_index(tmp_path: Path) -> None:
    program = Program(tmp_path, "s.h = s.stack[Level.low]; s.h = s.stack[n];")
    first, second = (program.find(ast.Index, nth) for nth in range(2))
    assert isinstance(first, ast.Index) and isinstance(second, ast.Index)
    assert program.checked.casts[first.index] == t.Bit(4) and second.index not in program.checked.casts


def test_type_arguments_are_inferred(tmp_path: Path) -> None:
    program = Program(tmp_path, "s.h.a = pick(n, 3); r.write(n, 5);", "Reg<bit<16>>(10) r;")
    pick = program.checked.calls[program.find(ast.Call, 0)]
    assert [write(ty) for ty in pick.substitution.values()] == ["bit<8>"]
    assert [type(a).__name__ for a in pick.arguments] == ["Path", "IntLiteral", "BoolLiteral"]
    method = program.checked.calls[program.find(ast.Call, 1)]
    assert {p.name: write(ty) for p, ty in method.substitution.items()} == {"T": "bit<16>", "I": "bit<8>"}
    assert isinstance(method.receiver, ast.Path)
    instance = program.checked.calls[program.find(ast.Instantiation)]
    assert isinstance(instance.target, ast.ExternDeclaration)


@pytest.mark.parametrize(
    ("call", "found"),
    [
        ("pick(3, n)", "bit<8>"), ("pick(Level.low, 4w1)", "bit<4>"), ("pick(4w1, Level.low)", "bit<4>"),
        ("pick({1, 2}, {n, n})", "tuple<bit<8>, bit<8>>"), ("pick({1, 2}, s.h)", "h_t"), ("pick({b = 1, a = 2}, s.h)", "h_t"),
        ("pick({s.h, s.h, s.h}, s.stack)", "h_t[3]"), ("pick({1, 2}, (list<bit<8>>) {3})", "list<bit<8>>"),
    ],
)  # fmt: skip
def test_of_two_arguments_the_second_may_say_the_type(tmp_path: Path, call: str, found: str) -> None:
    program = Program(tmp_path, f"any({call});")
    picked = program.checked.calls[program.find(ast.Call, 1)]
    assert [write(ty) for ty in picked.substitution.values()] == [found]


GENERIC = """
struct pair_t<T> { T x; T y; }
header g_t<T> { T v; }
extern T made<T>();
extern void of_pair<T>(in pair_t<T> p);
struct tag_t<T> { bit<8> v; }
extern void of_tag<T>(in tag_t<T> t);
extern void of_header<T>(in g_t<T> h);
extern void of_stack<T>(in T[3] s);
extern void of_list<T>(list<T> l);
extern void of_tuple<T, U>(in tuple<T, U> t);
extern void of_register<T>(Reg<T> r);
extern void of_both<T>(in T a, in pair_t<T> p);
extern void of_pairs<T>(in pair_t<T> a, in pair_t<T> b);
extern void of_nested<T>(in tuple<pair_t<T>, T> t);
"""


@pytest.mark.parametrize(
    ("call", "found"),
    [
        ("of_pair((pair_t<bit<8>>) { 1, 2 })", ["bit<8>"]), ("of_pair({ n, n })", ["bit<8>"]),
        ("of_pair({ y = n, x = 3 })", ["bit<8>"]), ("of_pair({ 3, n })", ["bit<8>"]), ("of_pair({ s.h, s.h })", ["h_t"]),
        ("of_tag((tag_t<bit<4>>) { 1 })", ["bit<4>"]),
        ("of_header((g_t<bit<16>>) { 1 })", ["bit<16>"]), ("of_header({ n })", ["bit<8>"]), ("of_header({ v = n })", ["bit<8>"]),
        ("of_stack(s.stack)", ["h_t"]), ("of_stack({ s.h, s.h, s.h })", ["h_t"]),
        ("of_list({ 8w1, 8w2 })", ["bit<8>"]), ("of_list((list<bit<4>>) { 1 })", ["bit<4>"]),
        ("of_tuple({ n, 16w1 })", ["bit<8>", "bit<16>"]), ("of_tuple({ s.h, { 8w1, true } })", ["h_t", "tuple<bit<8>, bool>"]),
        ("of_list({ 1, 8w2 })", ["bit<8>"]), ("of_stack({ { 1, 2 }, { 3, 4 }, s.h })", ["h_t"]), ("of_register(r)", ["bit<16>"]),
        ("pick({ h = s.h, stack = s.stack, flag = true }, s)", ["s_t"]), ("any(pick(pick(made(), made()), n))", ["bit<8>"]),
        ("any(pick(n, pick(made(), made())))", ["bit<8>"]), ("pick({ 1, n }, { n, n })", ["tuple<bit<8>, bit<8>>"]),
        ("of_both(3, { n, 4 })", ["bit<8>"]), ("of_both(n, { 3, 4 })", ["bit<8>"]),
        ("of_both(3, (pair_t<bit<4>>) { 1, 2 })", ["bit<4>"]),
        ("of_pairs({ 1, 2 }, (pair_t<bit<4>>) { 1, 2 })", ["bit<4>"]), ("of_pairs({ 1, n }, { 3, 4 })", ["bit<8>"]),
        ("of_nested({ { 1, 2 }, n })", ["bit<8>"]), ("of_nested({ { n, 2 }, 5 })", ["bit<8>"]),
        ("any(pick(made(), n))", ["bit<8>"]), ("any(pick(n, made()))", ["bit<8>"]),
        ("any(pick(made<bit<4>>(), 1))", ["bit<4>"]), ("pick<bit<8>>(1, 2)", ["bit<8>"]), ("pick<_>(1, n)", ["bit<8>"]),
    ],
)  # fmt: skip
def test_type_arguments_are_found_within_types(tmp_path: Path, call: str, found: list[str]) -> None:
    program = Program(tmp_path, f"{call};", "Reg<bit<16>>(10) r;", GENERIC)
    picked = program.checked.calls[program.find(ast.Call, 0)]
    assert [write(ty) for ty in picked.substitution.values()] == found


@pytest.mark.parametrize(
    "assigned", ["s.h.a = made();", "s.h.a = pick(made(), made());", "bit<8> v = made();", "s.h = made();"]
)
def test_a_result_is_what_is_wanted_there(tmp_path: Path, assigned: str) -> None:
    program = Program(tmp_path, assigned, top=GENERIC)
    wanted = "h_t" if assigned.startswith("s.h =") else "bit<8>"
    for nth in range(assigned.count("(")):
        call = program.checked.calls[program.find(ast.Call, nth)]
        assert [write(ty) for ty in call.substitution.values()] == [wanted]


def test_named_arguments_come_in_the_order_of_the_parameters(tmp_path: Path) -> None:
    program = Program(tmp_path, "s.h.a = pick(b = n, a = s.h.a);")
    call = program.checked.calls[program.find(ast.Call)]
    assert [p.name for p in call.parameters] == ["a", "b", "c"]
    assert isinstance(call.arguments[0], ast.Member) and isinstance(call.arguments[1], ast.Path)


def test_named_arguments_keep_the_order_in_which_they_are_written(tmp_path: Path) -> None:
    """P4-16 spec 6.8: arguments are evaluated in the order of the call; defaults, which come last, are constants."""
    before = """
        action set(inout bit<8> x, in bit<8> y) { x = y; }
        table t { actions = { set(y = n, x = s.h.a); } default_action = set(y = n, x = s.h.a); }"""
    program = Program(
        tmp_path, "t.apply(); set(x = s.h.a, y = n); s.h.a = pick(c = true, b = n, a = 1) + pick(b = 1, a = n);", before
    )
    calls = [
        program.checked.calls[call] for call in nodes(program.find(ast.TableDeclaration)) if isinstance(call, ast.Call)
    ]
    assert [call.order for call in calls] == [(1, 0)] * 2
    assert [[p.name for p, _ in call.passed()] for call in calls] == [["y", "x"]] * 2
    orders = [program.checked.calls[program.find(ast.Call, nth)].order for nth in range(2, 6)]
    assert orders == [(), (0, 1), (2, 1, 0), (1, 0, 2)]


def test_a_method_keeps_the_order_of_its_arguments_too(tmp_path: Path) -> None:
    program = Program(tmp_path, "r.write(v = 5, i = n); r.write(i = n, v = 5); r.write(n, 5);", "Reg<bit<16>>(10) r;")
    calls = [program.checked.calls[program.find(ast.Call, nth)] for nth in range(3)]
    assert [[parameter.name for parameter, _ in call.passed()] for call in calls] == [
        ["v", "i"],
        ["i", "v"],
        ["i", "v"],
    ]
    assert [[type(value).__name__ for _, value in call.passed()] for call in calls] == [
        ["IntLiteral", "Path"], ["Path", "IntLiteral"], ["Path", "IntLiteral"],
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("top", "fits"),
    [
        ("struct wide { bit<8>[3] a; bit<8> b; }", True), ("struct wide { bit<8>[3] a; bit<8>[2] b; }", False),
        ("struct wide { h_t a; h_t b; }", True), ("struct wide { h_t a; h_t b; bool c; }", False),
        ("typedef bit<8>[4] wide;", True), ("typedef bit<8>[5] wide;", False), ("typedef h_t[2] wide;", True),
        ("typedef h_t[3] wide;", False), ("typedef tuple<h_t, h_t> wide;", True), ("typedef tuple<h_t, h_t, bool> wide;", False),
        ("struct one<T> { T a; bit<8> b; } typedef one<bit<8>[3]> wide;", True),
        ("struct one<T> { T a; T b; } typedef one<bit<8>[3]> wide;", False), ("typedef bit<8>[2][2] wide;", True),
        ("typedef bit<8>[2][3] wide;", False), ("header_union wide { h_t a; h_t b; }", True),
        ("header_union wide { h_t a; h_t b; v_t c; }", False),
    ],
)  # fmt: skip
def test_how_many_fields_a_type_may_have(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, top: str, fits: bool) -> None:
    monkeypatch.setattr("aux_frontend.p4_16.checker.typerefs.MAX_LEAVES", 4)
    file = tmp_path / "program.p4"
    file.write_text(f"header h_t {{ bit<8> a; bit<16> b; }} header v_t {{ varbit<32> v; }} {top}")
    diagnostics = Diagnostics()
    if fits:
        check(parse(Source(file), diagnostics), diagnostics)
        return
    with pytest.raises(Rejected):
        check(parse(Source(file), diagnostics), diagnostics)
    assert "more than the supported 4 fields" in diagnostics.messages[0].message


def test_overloads_are_told_apart_by_number_and_names(tmp_path: Path) -> None:
    top = "extern void f(in bit<8> a); extern void f(in bit<8> b); extern void f(in bit<8> a, in bit<8> b);\n"
    program = Program(tmp_path, "f(n, n); f(b = n); f(a = n);", top=top)
    chosen = [program.checked.calls[program.find(ast.Call, i)].target for i in range(3)]
    names = [[p.name for p in d.parameters] for d in chosen if isinstance(d, ast.FunctionPrototype)]
    assert names == [["a", "b"], ["b"], ["a"]]


def test_table_actions_have_one_argument_per_parameter(tmp_path: Path) -> None:
    before = """
        action set(inout bit<8> x, bit<8> v) { x = v; }
        table t { key = { n : exact; } actions = { set(s.h.a); NoAction; } default_action = set(s.h.a, 3);
                  const entries = { 1: set(s.h.a, 4); 2: set(5); } }"""
    program = Program(tmp_path, "t.apply();", before)
    calls = [c for c in program.checked.calls.values() if isinstance(c.target, ast.ActionDeclaration)]
    given = sorted([a is not None for a in c.arguments] for c in calls)
    assert given == [[True, False], [True, True], [True, True], [True, True]]


def test_the_result_of_apply(tmp_path: Path) -> None:
    before = "action a() { } table t { actions = { a; NoAction; } }"
    program = Program(tmp_path, "if (t.apply().hit) { } switch (t.apply().action_run) { a: { } default: { } }", before)
    switch = program.find(ast.SwitchStatement)
    assert isinstance(switch, ast.SwitchStatement)
    assert isinstance(program.checked.types[switch.subject], t.ActionEnum)
    assert isinstance(program.checked.declarations[switch.cases[0].labels[0]], ast.ActionDeclaration)


def test_shadowing_finds_the_inner_name(tmp_path: Path) -> None:
    program = Program(tmp_path, "{ bit<8> x = 1; s.h.a = x; } s.h.b = x;", "bit<16> x = 2;")
    assert [program.type(program.value_of(i)) for i in (0, 1)] == ["bit<8>", "bit<16>"]
    assert "shadow" in program.warnings()


def test_every_node_has_its_entries(tmp_path: Path) -> None:
    """Over the include files too."""
    file = tmp_path / "program.p4"
    file.write_text("#include <core.p4>\n#include <v1model.p4>\n" + V1MODEL)
    diagnostics = Diagnostics()
    checked = check(parse(Source(file), diagnostics), diagnostics)
    for node in nodes(checked.program):
        match node:
            case ast.Expression():
                assert not isinstance(checked.types[node], t.Unknown)
                assert not mentions(checked.types[node], t.Unsolved)
            case ast.TypeRef():
                assert node in checked.type_refs
        if isinstance(node, ast.Path | ast.NamedType):
            assert node in checked.declarations
        if isinstance(node, ast.Call | ast.Instantiation):
            assert node in checked.calls
    assert "NoError" in checked.errors and {"exact", "lpm", "range"} <= set(checked.match_kinds)
    assert not diagnostics.messages


V1MODEL = """
header ethernet_t { bit<48> dst; bit<48> src; bit<16> type; }
struct headers_t { ethernet_t ethernet; }
struct meta_t { bit<32> hash; }
parser P(packet_in packet, out headers_t hdr, inout meta_t meta, inout standard_metadata_t sm) {
    value_set<bit<16>>(4) types;
    state start {
        packet.extract(hdr.ethernet);
        transition select(hdr.ethernet.type) { 0x800: accept; 0x8000 &&& 0xf000: accept; types: accept; default: reject; }
    }
}
control V(inout headers_t hdr, inout meta_t meta) {
    apply { verify_checksum(true, { hdr.ethernet.dst, 16w0 }, hdr.ethernet.type, HashAlgorithm.csum16); }
}
control I(inout headers_t hdr, inout meta_t meta, inout standard_metadata_t sm) {
    counter(512, CounterType.packets) ports;
    register<bit<32>>(16) cells;
    action drop() { mark_to_drop(sm); }
    action forward(bit<9> port, bit<48> mac) { sm.egress_spec = port; hdr.ethernet.dst = mac; ports.count((bit<32>) port); }
    table dmac {
        key = { hdr.ethernet.dst : exact; sm.ingress_port : ternary; }
        actions = { forward; drop; }
        const default_action = drop();
        const entries = { (48w1, _) : forward(1, 2); (2, 3 &&& 7) : drop(); }
        size = 1024;
    }
    apply {
        if (hdr.ethernet.isValid() && !dmac.apply().hit) {
            cells.read(meta.hash, 3);
            hash(meta.hash, HashAlgorithm.crc32, 32w0, { hdr.ethernet.src, sm.ingress_port }, 32w16);
            cells.write(meta.hash, meta.hash + 1);
        }
        for (bit<8> i in 0 .. 3) { hdr.ethernet.type = hdr.ethernet.type + (bit<16>) i; }
    }
}
control E(inout headers_t hdr, inout meta_t meta, inout standard_metadata_t sm) { apply { } }
control C(inout headers_t hdr, inout meta_t meta) { apply { } }
control D(packet_out packet, in headers_t hdr) { apply { packet.emit(hdr); } }
V1Switch(P(), V(), I(), E(), C(), D()) main;
"""


@pytest.mark.parametrize(
    "text",
    [
        "struct a { a x; }", "header h { h[4] x; }", "const int x = x;", "typedef x x;", "const bit<(1 << 200)> k = 0;",
        "const int k = 1 << (1 << 62);", "const bit<8> k = 1 / 0;", "type void v;", "enum bit<8> e { a = e.a }",
        "extern e { e(e x); } e(e(e())) main;", "bit<0> f() { return 0; }", "control c(c x) { apply { } }",
        "parser p(p x) { state start { transition start; } }", "package p(p x); p(p()) main;", "action a(a x) { a(); }",
        "struct g<T> { T t; } typedef g<g<g<int>>> x;", "error { error }", "const tuple<> e = {}; const bool b = e == {};",
        "extern void f<T>(in T x); control c() { apply { f(f); f(c); f(f(1)); f({}); f({#}); f(...); } }",
        "header_union u { } control c(inout u x) { u[0] y; apply { y[0] = x; x = {#}; x.a = 1; } }",
        "control c() { table t { key = { t.apply().hit : exact; } actions = { c; t; } } apply { } }",
        "control c(in bit<8> x) { apply { switch (x) { default: { } default: { } } return; } }",
        "match_kind { a, a }", "const string s = \"a\" ++ 1; const bit<s> t = 0;", "const int k = (int) (bit<8>) true;",
    ],
)  # fmt: skip
def test_absurd_programs_end_with_messages_alone(tmp_path: Path, text: str) -> None:
    file = tmp_path / "program.p4"
    file.write_text(text)
    diagnostics = Diagnostics()
    try:
        check(parse(Source(file), diagnostics), diagnostics)
    except Rejected:
        assert diagnostics.error_count


def test_deep_nesting_and_wide_types_are_no_trouble(tmp_path: Path) -> None:
    body = "s.h.a = " + " + ".join(["n"] * 300) + ";" + "if (s.flag) { " * 50 + "}" * 50
    doubling = "".join(f"struct d{i} {{ d{i - 1} a; d{i - 1} b; }}\n" for i in range(1, 14))
    assert Program(tmp_path, body, top="struct d0 { bit<8> x; }\n" + doubling).diagnostics.error_count == 0
    more = doubling + "".join(f"struct d{i} {{ d{i - 1} a; d{i - 1} b; }}\n" for i in range(14, 60))
    with pytest.raises(Rejected) as rejected:
        Program(tmp_path, top="struct d0 { bit<8> x; }\n" + more)
    assert "more than the supported" in rejected.value.diagnostics.render()


LOOPS = {
    "for (bit<8> i in 1 .. 4) { }": (),
    "for (int<8> i in 1 .. 4) { continue; }": (),
    "for (bit<8> i in n .. 4) { }": (),
    "for (bit<8> i in { 1, n }) { break; }": (),
    "for (h_t h in s.stack) { }": (),
    "for (bit<8> i = 0; i < 3; i = i + 1) { break; }": (),
    "for (bit<8> i in 1 .. 256) { }": ("256 does not fit in 'bit<8>', its upper bits are lost [-Woverflow]",),
    "for (bit<8> i in s.h.b .. 4) { }": ("loop bound: width mismatch, expected 'bit<8>', found 'bit<16>'",),
    "for (bit<8> i in 1 .. s.h.b) { }": ("loop bound: width mismatch, expected 'bit<8>', found 'bit<16>'",),
    "for (bool i in true .. s.flag) { }": ("a range is over numbers with a width, not 'bool'",) * 2,
    "for (bit<8> i in { 1, s.h.b }) { }": ("element: width mismatch, expected 'bit<8>', found 'bit<16>'",),
    "for (bit<8> i in s.stack) { }": ("the loop variable is 'bit<8>', the elements are header 'h_t'",),
    "for (bit<8> i in n) { }": ("a loop goes through a range, a list or a header stack, not 'bit<8>'",),
    "for (i in 1 .. 4) { }": ("the loop variable needs a type: for (bit<8> i in …)", "'i' is not declared"),
    "bit<8> i; for (i in 1 .. 4) { }": ("the loop variable needs a type: for (bit<8> i in …)",),
    "for (nothing i in 1 .. 2) { }": ("type 'nothing' is not declared",),
    "for (bit<8> i = 0; i; i = i + 1) { }": ("condition: expected 'bool', found 'bit<8>'",),
    "for (bit<8> i in 1 .. 2) { } break;": ("'break' is only for loops",),
    "continue;": ("'continue' is only for loops",),
}


@pytest.mark.parametrize(("body", "told"), LOOPS.items(), ids=LOOPS)
def test_what_loops_go_through(tmp_path: Path, body: str, told: tuple[str, ...]) -> None:
    try:
        text = Program(tmp_path, body).diagnostics.render()
    except Rejected as rejected:
        text = rejected.diagnostics.render()
    messages = [line.partition(": ")[2].partition(": ")[2] for line in text.splitlines() if "program.p4:" in line]
    assert tuple(messages) == told
