"""HLIR as text: each statement, expression, set and declaration; what a table's annotations say."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hlir_builder import AT, Builder, any_, apply, const, emit, exact, extract, goto, state, true, valid

from transpiler.hlir import expressions as ex, program as pr, statements as st
from transpiler.hlir.interface import Annotation
from transpiler.hlir.printer import expression, key_set, print_body, print_program
from transpiler.hlir.types import Bits, Bool, Enum, Varbit

X = ex.Read(ex.VariableRef("x", AT), Bits(8), AT)
SET = st.Assign(ex.VariableRef("x", AT), const(1, 8), AT)
ELEMENT = ex.ElementRef("s", X, AT)
SUM = ex.Binary(ex.BinaryOp.ADD, X, const(1, 8), Bits(8), AT)
COLOUR = Enum("colour", ("RED", "BLUE"))


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (const(9, 8), "8w9"),
        (const(10, 8), "8w0xa"),
        (const(0x7F, 8, True), "8s127"),
        (const(0x80, 8, True), "8s-128"),
        (const(0xFF, 8, True), "8s-1"),
        (const(0, 0, True), "0s0"),
        (true(), "true"),
        (ex.Const(0, Bool(), AT), "false"),
        (ex.Const(1, COLOUR, AT), "colour.BLUE"),
        (ex.Const(2, COLOUR, AT), "colour.2"),
        (ex.Const(0, Varbit(8), AT), "0"),
        (ex.Text('a"b\\c\n', AT), r'"a\"b\\c\n"'),
        (X, "x"),
        (ex.Read(ex.FieldRef(ELEMENT, "f", AT), Bits(8), AT), "s[x].f"),
        (valid("h"), "h.isValid()"),
        (ex.Unary(ex.UnaryOp.COMPLEMENT, X, Bits(8), AT), "~x"),
        (ex.Unary(ex.UnaryOp.NEGATE, SUM, Bits(8), AT), "-(x + 8w1)"),
        (ex.Binary(ex.BinaryOp.MUL, SUM, SUM, Bits(8), AT), "(x + 8w1) * (x + 8w1)"),
        (ex.Conditional(true(), SUM, X, Bits(8), AT), "true ? (x + 8w1) : x"),
        (ex.Slice(SUM, 3, 1, AT), "(x + 8w1)[3:1]"),
        (ex.Slice(X, 3, 1, AT), "x[3:1]"),
        (ex.Cast(ex.Cast(X, Bits(4), AT), Bits(16), AT), "(bit<16>)((bit<4>)x)"),
        (ex.Cast(ex.Conditional(true(), X, X, Bits(8), AT), Bits(4), AT), "(bit<4>)(true ? x : x)"),
        (ex.ListExpression((X, SUM), AT), "{ x, x + 8w1 }"),
        (ex.ListExpression((), AT), "{}"),
    ],
)
def test_expressions(value: ex.Expression, text: str) -> None:
    assert expression(value) == text


@pytest.mark.parametrize(
    ("keys", "text"),
    [
        (any_(), "_"),
        (exact(3, 8), "8w3"),
        (ex.MaskSet(X, SUM, AT), "x &&& (x + 8w1)"),
        (ex.RangeSet(const(1, 8), const(2, 8), AT), "8w1 .. 8w2"),
        (ex.ValueSetRef("vs", AT), "vs"),
    ],
)
def test_sets(keys: ex.KeySet, text: str) -> None:
    assert key_set(keys) == text


@pytest.mark.parametrize(
    ("statement", "text"),
    [
        (SET, "x = 8w1;"),
        (st.SetValid(ex.HeaderRef("h", AT), True, AT), "h.setValid();"),
        (st.SetValid(ELEMENT, False, AT), "s[x].setInvalid();"),
        (st.CopyHeader(ex.HeaderRef("h", AT), ELEMENT, AT), "h = s[x];"),
        (st.Leave("out", AT), "leave out;"),
        (apply("t"), "apply t;"),
        (apply("t", "x"), "apply t (hit -> x);"),
        (apply("t", None, "y"), "apply t (action -> y);"),
        (apply("t", "x", "y"), "apply t (hit -> x, action -> y);"),
        (st.CallExtern("register.read", "r", (X,), (ex.VariableRef("y", AT),), AT), "y = r: register.read(x);"),
        (st.CallExtern("f", None, (X, SUM), (), AT), "f(x, x + 8w1);"),
        (st.CallExtern("f", None, (), (), AT, (ex.VariableRef("a", AT), ex.VariableRef("b", AT))), "f() fields (a, b);"),
        (extract("h"), "extract(h);"),
        (extract("h", X), "extract(h, x);"),
        (st.Lookahead(ex.VariableRef("x", AT), Bits(8), AT), "x = lookahead<bit<8>>();"),
        (st.Advance(X, AT), "advance(x);"),
        (st.Verify(true(), ex.Const(1, COLOUR, AT), AT), "verify(true, colour.BLUE);"),
        (emit("h"), "emit(h);"),
        (st.If(true(), (SET,), (), AT), "if (true) {\n    x = 8w1;\n}"),
        (st.If(true(), (), (SET,), AT), "if (true) {\n} else {\n    x = 8w1;\n}"),
        (st.While(true(), (st.Block("b", (SET,), AT),), AT), "while (true) {\n    b: {\n        x = 8w1;\n    }\n}"),
        (
            st.Switch(X, (st.SwitchCase((1, 10), (SET,), AT),), (SET,), AT),
            "switch (x) {\n    8w1, 8w0xa: {\n        x = 8w1;\n    }\n    default: {\n        x = 8w1;\n    }\n}",
        ),
        (
            st.Switch(ex.Const(0, COLOUR, AT), (st.SwitchCase((1,), (), AT),), (), AT),
            "switch (colour.RED) {\n    colour.BLUE: {\n    }\n}",
        ),
    ],
)  # fmt: skip
def test_statements(statement: st.Statement, text: str) -> None:
    assert print_body((statement,)) == text


def note(name: str, body: str = "") -> Annotation:
    return Annotation(name, body, AT)


def test_declarations() -> None:
    b = Builder()
    b.stack("s", "h_t", 2, a=8)
    b.header("mine", "h_t", local=True)
    b.extern("r", "register", size=4, width=8)
    b.extern("p", "action_profile", size=4)
    b.extern("c", "direct_counter", unit="packets", automatic=1)
    b.value_sets.append(pr.ValueSet("vs", (Bits(8), Bool()), (pr.MatchKind.TERNARY, pr.MatchKind.EXACT), 4, AT))
    b.action("act", p=8, q=4)
    entry = b.entry([exact(3, 8)], "act", (1, 2), 7)
    b.table("t", [("s[0].a", "exact")], ["act"], entries=[entry], const_entries=True, const_default=True, direct=["c"])
    b.table("u", [(const(1, 8), "lpm", "key")], ["act"], implementation="p")
    b.table("none", [("s[0].a", "exact")], [], const_entries=True)
    uses = (pr.ActionUse("act", AT, default_only=True), pr.ActionUse("NoAction", AT, table_only=True))
    b.tables[1] = replace(b.tables[1], actions=uses, annotations=(note("hidden"), note("name", '"u"')))
    structured = replace(note("see"), structured=(("", 1), ("k", "v")))
    b.externs[0] = replace(b.externs[0], annotations=(structured,))
    cases = (pr.SelectCase((exact(3, 8), any_()), "accept", AT),)
    select = pr.Select((b.get("s[0].a"), true()), cases, AT)
    program = b.build([state("start", [extract("s[0]")], goto("more")), state("more", [], select)], [apply("t")])
    text = print_program(replace(program, bridges=(pr.Bridge("normal", ("sm.mcast_grp",), ("mine",), AT),)))
    for block in (
        "header h_t {\n    bit<8> a;\n}\n",
        "headers {\n    h_t s[0];\n    h_t s[1];\n    local h_t mine;\n    h_t[2] s;\n}\n",
        "bridges {\n    normal: sm.mcast_grp, mine;\n}\n",
        "@see[1, k = 'v'] extern register r(size = 4, width = 8);\nextern action_profile p(size = 4);\n",
        "value_set vs(bit<8>: ternary, bool: exact) size 4;\n",
        "action act(bit<8> act.p, bit<4> act.q) {\n}\n",
        """table t {
    key = {
        s[0].a: exact @name("s[0].a");
    }
    actions = {
        act;
        NoAction;
    }
    const default_action = NoAction();
    const entries = {
        priority 7: (8w3): act(8w1, 4w2);
    }
    size = 64;
    direct = c;
}
""",
        """@hidden @name("u") table u {
    key = {
        8w1: lpm @name("key");
    }
    actions = {
        @defaultonly act;
        @tableonly NoAction;
    }
    default_action = NoAction();
    size = 64;
    implementation = p;
}
""",
        "    default_action = NoAction();\n    const entries = {\n    }\n    size = 64;\n}\n",
        """parser Parser (parser) {
    state start {
        extract(s[0]);
        transition more;
    }
    state more {
        transition select(s[0].a, true) {
            (8w3, _): accept;
        }
    }
}
""",
        "control Ingress (ingress) {\n    apply t;\n}\n",
    ):
        assert block in text, block
    assert text.startswith("program t (v1model)\n\nerrors { NoError, ") and "\n\n\n" not in text


@pytest.mark.parametrize(
    ("annotations", "ages", "deletes", "learns"),
    [
        ((), False, False, False),
        ((note("support_timeout", "true"),), True, False, False),
        ((note("support_timeout", "false"),), False, False, False),
        ((note("auto_delete", "true"),), True, True, False),
        ((note("auto_delete", "false"), note("support_timeout", "true")), True, False, False),
        ((note("add_on_miss", "true"),), False, False, True),
        ((note("other", "true"),), False, False, False),
    ],
)
def test_what_annotations_of_tables_say(
    annotations: tuple[Annotation, ...], ages: bool, deletes: bool, learns: bool
) -> None:
    """Nothing of tables without a key, which have no entries."""
    b = Builder()
    b.variable("k", 8)
    b.table("t", [("k", "exact")], [])
    b.table("u", [], [])
    keyed, keyless = (replace(table, annotations=annotations) for table in b.tables)
    assert (keyed.ages, keyed.deletes, keyed.learns) == (ages, deletes, learns)
    assert (keyless.ages, keyless.deletes, keyless.learns) == (False, False, False)


@pytest.mark.parametrize(("annotations", "name"), [((), "a"), ((note("hidden"), note("name", '"b.c"')), "b.c")])
def test_what_the_control_plane_calls_an_action(annotations: tuple[Annotation, ...], name: str) -> None:
    assert pr.Action("a", (), (), AT, annotations).control_name == name


def test_the_largest_numbers_are_those_of_p4runtime() -> None:
    """Numbers of an int32, in the order of priorities or against it."""
    assert pr.MAX_SIZE == 2**31 - 1 and pr.MAX_PRIORITY + 1 == 2**31 - 1
