"""The C tree: how it is printed, and rewrites of function bodies."""

import pytest

from transpiler.codegen.c.build import FALSE, NULL, PACKET, TRUE, call, cast, choose, infix, live, negated, packet
from transpiler.codegen.c.flatten import flattened
from transpiler.codegen.c.fold_flags import with_flags_folded
from transpiler.codegen.c.function import LIVE_MEMBER, Function, Variable
from transpiler.codegen.c.keep_unchanged import without_unchanged_stores
from transpiler.codegen.c.nodes import (
    Assign,
    Binary,
    Block,
    Body,
    Case,
    Compound,
    Declare,
    Do,
    Expression,
    Goto,
    If,
    Index,
    Label,
    Literal,
    Member,
    Name,
    Note,
    Return,
    Statement,
    String,
    Switch,
    Unary,
    While,
    leaves,
)
from transpiler.codegen.c.printer import Printer, expression
from transpiler.codegen.c.remove_dead_stores import Liveness, without_dead_stores
from transpiler.codegen.c.remove_jumps import without_jumps
from transpiler.codegen.c.start_with import with_first_values
from transpiler.codegen.c.walk import names, walk_expression
from transpiler.codegen.record import WHOLE, binding, is_written, members_read, resizes

X, Y, ONE, TWO = Name("x"), Name("y"), Literal("1"), Literal("2")
A, B, Z = (Assign(Name(name), ONE) for name in "abz")
TO_PARSED, PARSED, OUT, TO_OUT = Goto("parsed"), Label("parsed"), Label("out"), Goto("out")


# --- the printer ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("tree", "text"),
    [
        (infix(infix(X, "+", 1), "+", Y), "x + 1 + y"),
        (infix(infix(X, "-", 1), "-", Y), "(x - 1) - y"),
        (infix(X, "-", infix(Y, "-", 1)), "x - (y - 1)"),
        (infix(X, "-", infix(Y, "+", 1)), "x - (y + 1)"),
        (infix(X, "+", infix(Y, "-", 1)), "x + (y - 1)"),
        (infix(X, "<<", infix(Y, "<<", 1)), "x << (y << 1)"),
        (infix(X, ">>", infix(Y, ">>", 1)), "x >> (y >> 1)"),
        (infix(X, "/", infix(Y, "/", 2)), "x / (y / 2)"),
        (infix(X, "*", infix(Y, "/", 2)), "x * (y / 2)"),
        (infix(X, "%", infix(Y, "%", 2)), "x % (y % 2)"),
        (infix(infix(X, "-", Y), "<", 14), "x - y < 14"),
        (infix(infix(X, "&", Y), "==", 0), "(x & y) == 0"),
        (infix(infix(X, "==", 1), "&&", infix(Y, "<", 2)), "x == 1 && y < 2"),
        (infix(infix(X, "||", Y), "&&", X), "(x || y) && x"),
        (infix(Unary("!", X), "==", Y), "(!x) == y"),
        (infix(Unary("!", X), "&&", Y), "!x && y"),
        (cast("uint8_t", infix(X, "+", 1)), "(uint8_t)(x + 1)"),
        (cast("uint8_t", cast("uint16_t", X)), "(uint8_t)(uint16_t)x"),
        (Unary("-", Unary("-", X)), "-(-x)"),
        (Unary("~", Unary("-", X)), "~-x"),
        (infix(choose(X, ONE, TWO), "+", Y), "(x ? 1 : 2) + y"),
        (Member(Index(live("a"), ONE), "limb"), "live->a[1].limb"),
        (Member(cast("t", X), "y", arrow=True), "((t)x)->y"),
        (choose(X, ONE, choose(Y, TWO, NULL)), "x ? 1\n    : y ? 2\n    : NULL"),
        (choose(choose(X, ONE, TWO), ONE, TWO), "(x ? 1 : 2) ? 1 : 2"),
        (Compound("macs_w2", (Compound("", (ONE, TWO)),)), "(macs_w2){{1, 2}}"),
        (call("f", "x", 1, String('a"*/\n')), 'f(x, 1, "a\\042*/\\012")'),
        (Note(ONE, "*/ pwned"), "1 /* * / pwned */"),
    ],
)
def test_expressions(tree: Expression, text: str) -> None:
    assert expression(tree) == text


OPERATORS = ["*", "/", "%", "+", "-", "<<", ">>", "<", "<=", ">", ">=", "==", "!=", "&", "^", "|", "&&", "||"]
COMPARISONS = OPERATORS[7:13]


@pytest.mark.parametrize("outer", OPERATORS)
def test_operands_have_parentheses_but_where_everybody_knows(outer: str) -> None:
    """Compilers warn of some that C does not need."""
    for inner in OPERATORS:
        associative = inner == outer and outer in ("+", "&", "|", "^", "&&", "||")
        compared = inner in COMPARISONS and outer in ("&&", "||")
        counted = inner in ("+", "-", "*", "/", "%") and outer in COMPARISONS
        one = f"x {inner} y" if associative or compared or counted else f"(x {inner} y)"
        part = Binary(inner, X, Y)
        assert expression(Binary(outer, part, ONE)) == f"{one} {outer} 1"
        assert expression(Binary(outer, ONE, part)) == f"1 {outer} {one}"
    negated = "(!x)" if outer in (*COMPARISONS, "&", "^", "|") else "!x"
    assert expression(Binary(outer, Unary("!", X), Y)) == f"{negated} {outer} y"


def test_statements() -> None:
    body: Body = (
        Declare("uint8_t", "list", Compound("", (Literal("0"),)), size=4),
        Declare("uint8_t *", "to", packet("data"), constant=True),
        If(X, (A,), (If(Y, (B,), (Z,)),), "p.p4:1"),
        Switch(X, (Case((ONE, TWO), (A,)), Case((), (Return(),), default=True))),
        While(X, (Assign(X, ONE, operator="-="),)),
        Block((Do(call("f")),), "after"),
    )
    assert Printer().body(body).splitlines() == [
        "uint8_t list[4] = {0};",
        "uint8_t *const to = packet->data;",
        "if (x) { /* p.p4:1 */",
        "    a = 1;",
        "} else if (y) {",
        "    b = 1;",
        "} else {",
        "    z = 1;",
        "}",
        "switch (x) {",
        "case 1:",
        "case 2:",
        "    a = 1;",
        "    break;",
        "default:",
        "    return;",
        "}",
        "while (x) {",
        "    x -= 1;",
        "}",
        "{",
        "    f();",
        "}",
        "after:;",
    ]


def test_a_part_is_printed_by_its_template() -> None:
    block = Block((A,), part="deparser.c.j2")
    assert Printer(lambda part: f"one {part.part}\ntwo").body((If(X, (block,)),)) == (
        "if (x) {\n    one deparser.c.j2\n    two\n}"
    )


@pytest.mark.parametrize(
    ("condition", "opposite"),
    [
        (X, Unary("!", X)),
        (infix(live("a"), "<=", 2), infix(live("a"), ">", 2)),
        *(
            (infix(X, a, Y), infix(X, b, Y))
            for a, b in (("==", "!="), ("!=", "=="), ("<", ">="), (">=", "<"), (">", "<="))
        ),
        (Unary("!", X), X),
        (infix(X, "&&", Y), Unary("!", infix(X, "&&", Y))),
    ],
)
def test_the_opposite_of_conditions(condition: Expression, opposite: Expression) -> None:
    assert negated(condition) == opposite


# --- jumps ------------------------------------------------------------------------------------------------------------


def test_a_jump_to_what_comes_next_and_its_label_are_left_out() -> None:
    assert without_jumps((A, TO_PARSED, PARSED, B, Return())) == (A, B)


def test_a_label_that_something_else_jumps_to_stays() -> None:
    fail = If(X, (TO_PARSED,))
    assert without_jumps((fail, A, TO_PARSED, PARSED, B)) == (fail, A, PARSED, B)


def test_the_end_of_a_branch_goes_where_the_branch_ends() -> None:
    branch = If(X, (TO_OUT,), (A, TO_OUT))
    assert without_jumps((branch, OUT, Z)) == (If(Unary("!", X), (A,)), Z)


def test_a_case_and_a_block_end_where_they_end() -> None:
    switch = Switch(X, (Case((ONE,), (TO_OUT,)), Case((), (), default=True)))
    ended = Switch(X, (Case((ONE,), ()), Case((), (), default=True)))
    assert without_jumps((Block((switch,), "out"),)) == (Block((ended,)),)


def test_jumps_over_something_stay() -> None:
    body = (If(X, (TO_OUT,)), A, OUT, B)
    assert without_jumps(body) == body


def test_a_jump_out_of_a_loop_stays_and_so_does_a_return_in_it() -> None:
    body = (While(X, (A, If(Y, (TO_OUT,), (Return(),)))), OUT, B)
    assert without_jumps(body) == body


def test_what_a_template_puts_behind_a_block_is_jumped_over() -> None:
    body = (Block((A, TO_OUT), part="deparser.c.j2"), OUT, B)
    assert without_jumps(body) == body


def test_a_jump_over_a_jump_is_turned_round() -> None:
    body = (If(infix(X, "==", 1), (TO_OUT,)), TO_PARSED, OUT, A, TO_PARSED, B, PARSED, Z)
    turned = (If(infix(X, "!=", 1), (TO_PARSED,)), A, TO_PARSED, B, PARSED, Z)
    assert without_jumps(body) == turned


# --- nesting ----------------------------------------------------------------------------------------------------------


def test_what_follows_a_branch_that_returns_stands_behind_it() -> None:
    assert flattened((If(X, (A, Return()), (B,)), Z)) == (If(X, (A, Return())), B, Z)


def test_other_arms_stay_where_they_are() -> None:
    body = (If(X, (Return(),), (Declare("uint8_t", "b", ONE),)), If(X, (TO_OUT,), (B,)), OUT)
    assert flattened(body) == body


def test_the_last_thing_that_is_done_with_a_packet_needs_no_return() -> None:
    assert flattened((If(X, (Return((A,)),)), Return((B,)))) == (If(X, (Return((A,)),)), B)
    assert flattened((If(X, (A,), (B, Return((Z,)))),)) == (If(X, (A,), (B, Z)),)


def test_a_block_without_variables_is_opened() -> None:
    cited = Assign(A.target, A.value, "p.p4:1")
    assert flattened((Block((A, B), "after_1", "p.p4:1"), Z)) == (cited, B, Label("after_1"), Z)


def test_a_block_with_variables_needs_its_braces_unless_it_stands_in_others_alone() -> None:
    block = Block((Declare("uint32_t", "at", ONE), A))
    assert flattened((block, B)) == (block, B)
    assert flattened((If(X, (block,)),)) == (If(X, block.body),)


def test_a_block_that_a_template_makes_stays() -> None:
    block = Block((A,), part="deparser.c.j2")
    assert flattened((block,)) == (block,)


def test_cases_that_do_the_same_are_one() -> None:
    default = Case((), (A,), default=True)
    cases = (Case((ONE,), (A,)), Case((TWO,), (B,)), Case((X,), (A,)), default)
    assert flattened((Switch(X, cases),)) == (Switch(X, (Case((ONE, X), (A,)), Case((TWO,), (B,)), default)),)
    told = Switch(X, (Case((ONE,), (A,), cite="p.p4:1: a"), Case((TWO,), (A,), cite="p.p4:2: b"), default))
    assert flattened((told,)) == (told,)


# --- what nothing reads -----------------------------------------------------------------------------------------------


def cleaned(*functions: Function, read: frozenset[str] = frozenset(), record: frozenset[str] = frozenset()) -> Body:
    """The body of the first, with what only the others read. `read`: members of the state that others read."""
    liveness = Liveness(record)
    liveness.needed |= {Variable(LIVE_MEMBER, name) for name in read}
    for function in functions:
        liveness.add(function)
    return without_dead_stores(functions[0], liveness.live(), record).body


def function(*body: Statement, name: str = "f", replication: bool = False) -> Function:
    variables = tuple(Declare("uint8_t", v, Literal("0")) for v in ("x", "y"))
    return Function(name, variables, body, replication)


USE_X = Do(call("macs_counter_add", X))


def test_an_expression_is_walked_with_all_its_parts() -> None:
    """Whatever it is made of: of each there are three names."""
    a, b, c = Name("a"), Name("b"), Name("c")
    for whole, inside in (
        (choose(a, b, c), {a, b, c}),
        (call("f", a, b, c), {a, b, c}),
        (infix(infix(a, "+", b), "-", c), {a, b, c}),
        (Index(Member(a, "x"), cast("int", Unary("!", b))), {a, b}),
        (Member(Index(live("x"), c), "y", arrow=True), {c, Name("live")}),
    ):
        assert {e for e in walk_expression(whole) if isinstance(e, Name)} == inside


def test_what_only_those_are_made_of_that_nothing_reads_goes_too() -> None:
    assert cleaned(function(Assign(X, ONE), Assign(Y, infix(X, "+", 1)))) == ()
    assert cleaned(function(Assign(X, infix(X, "+", 1)))) == ()
    kept_all = (Assign(Y, ONE), Assign(X, Y), USE_X)
    assert cleaned(function(*kept_all)) == kept_all


def test_what_is_assigned_to_itself_reads_nothing() -> None:
    """Neither the condition that decides about it, nor what says where it is."""
    assert cleaned(function(Assign(Y, ONE), If(Y, (Assign(X, X),)), USE_X)) == (USE_X,)
    element = Index(Name("out"), Y)
    assert cleaned(function(Assign(Y, ONE), Assign(element, element))) == ()


def test_conditions_are_read_for_what_they_decide() -> None:
    assert cleaned(function(Assign(Y, ONE), If(Y, (Assign(X, ONE),)))) == ()
    decides = (Assign(Y, ONE), If(Y, (Assign(X, ONE),)), USE_X)
    assert cleaned(function(*decides)) == decides


def test_what_is_done_for_its_effect_is_done_though_nothing_wants_its_value() -> None:
    meter = call("macs_meter_execute", "m")
    assert cleaned(function(Assign(X, cast("uint8_t", meter)))) == (Do(cast("void", cast("uint8_t", meter))),)
    assert cleaned(function(Assign(X, call("macs_checksum_crc32", "m")))) == ()


def test_conditions_that_act_are_evaluated_though_they_decide_nothing() -> None:
    """With all that they are made of, and what decides about them."""
    resized = call("macs_layout_resize", "packet", X, 0)
    body = (Assign(X, ONE), If(resized, (Assign(Y, ONE),)))
    assert cleaned(function(*body)) == (body[0], If(resized, ()))
    chosen = (Assign(X, ONE), Switch(resized, (Case((ONE,), (Assign(Y, ONE),)),)))
    assert cleaned(function(*chosen)) == (chosen[0], Switch(resized, (Case((ONE,), ()),)))
    inside = (Assign(Y, ONE), If(Y, (If(call("macs_layout_resize", "packet", 0, 0), (Assign(X, ONE),)),)))
    assert cleaned(function(*inside)) == (inside[0], If(Y, (If(call("macs_layout_resize", "packet", 0, 0), ()),)))


def test_bytes_that_nobody_hashes_are_not_stored() -> None:
    buffer, data = Declare("uint8_t", "list", size=4), call("macs_store_bytes", infix("list", "+", 2), 2, Y)
    hashed = Assign(X, call("macs_checksum_crc32", "list"))
    assert cleaned(function(Assign(Y, ONE), Block((buffer, Do(data), hashed)))) == ()
    all_of_it = (Assign(Y, ONE), Block((buffer, Do(data), hashed)), USE_X)
    assert cleaned(function(*all_of_it)) == all_of_it


def test_stores_through_a_pointer_stay() -> None:
    to = Declare("uint8_t *", "to", packet("data"), constant=True)
    body = (to, Do(call("macs_store_bytes", Name("to"), 1, X)))
    assert cleaned(function(*body)) == body


def test_blocks_have_variables_of_their_own() -> None:
    first = Block((Declare("uint64_t", "sum", ONE), Assign(X, Name("sum"))))
    second = Block((Declare("uint64_t", "sum", ONE), Assign(Y, Name("sum"))))
    assert cleaned(function(first, second, USE_X)) == (first, USE_X)


def test_members_of_the_state_are_read_by_other_functions() -> None:
    store = Assign(live("a"), ONE)
    assert cleaned(function(store)) == ()
    assert cleaned(function(store), read=frozenset({"a"})) == (store,)
    reader = function(Assign(X, live("a")), USE_X, name="g")
    assert cleaned(function(store), reader) == (store,)
    hands_on = function(Assign(live("b"), live("a")), name="g")
    assert cleaned(function(store), hands_on) == ()


def test_the_runtime_directs_packets_of_a_pipe_aside() -> None:
    store, record = Assign(packet("egress_port"), ONE), frozenset({"egress_port"})
    reads = function(Assign(X, packet("egress_port")), USE_X, name="g", replication=True)
    assert cleaned(function(store), reads, record=record) == ()
    assert cleaned(function(store, Assign(X, packet("egress_port")), USE_X), record=record)[0] == store
    assert cleaned(function(store, Do(call("macs_varbit_equal", "packet"))), record=record)[0] == store
    payload, record = Assign(packet("payload_offset"), ONE), frozenset({"egress_port", "payload_offset"})
    sends = function(Assign(X, packet("payload_offset")), USE_X, name="g", replication=True)
    assert cleaned(function(store, payload), sends, record=record) == (payload,)


# --- other rewrites ---------------------------------------------------------------------------------------------------


def test_flags_that_nothing_changes_are_decided() -> None:
    flags = (Declare("bool", "x", FALSE), Declare("bool", "y", TRUE))
    body = (If(X, (A,), (B,)), If(infix(X, "&&", "z"), (A,)), If(infix(Y, "&&", "z"), (B,)), If(Unary("!", Y), (A,)))
    assert with_flags_folded(Function("f", flags, body)).body == (Block((B,)), If(Name("z"), (B,)))
    changed = (*body, Assign(X, TRUE), Assign(Y, FALSE))
    assert with_flags_folded(Function("f", flags, changed)).body == changed
    another = (Block((Declare("bool", "x", TRUE), If(X, (A,)))),)
    assert with_flags_folded(Function("f", flags, another)).body == another


def test_first_values() -> None:
    made = with_first_values(function(Assign(X, ONE), Assign(X, TWO), A))
    assert [v.value for v in made.variables] == [ONE, Literal("0")] and made.body == (Assign(X, TWO), A)
    for first in (Assign(X, Y), Assign(X, live("x")), Assign(X, ONE, "p.p4:1"), Assign(X, ONE, operator="+=")):
        assert with_first_values(function(first)).body == (first,)


def test_what_has_not_changed_is_not_put_back() -> None:
    variables = (Declare("uint8_t", "x", live("x")), Declare("uint8_t", "y", live("y")))
    stores = (Assign(live("x"), X), Assign(live("y"), Y))
    body = (Assign(X, ONE), If(Y, stores))
    assert without_unchanged_stores(Function("f", variables, body)).body == (Assign(X, ONE), If(Y, stores[:1]))
    another = (Block((Declare("uint8_t", "x", ONE), stores[0])),)
    assert without_unchanged_stores(Function("f", variables, another)).body == another


# --- the packet's record ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("statement", "read"),
    [
        (Assign(packet("egress_port"), live("spec")), set()),
        (Assign(live("port"), packet("ingress_port")), {"ingress_port"}),
        (Assign(packet("data"), infix(packet("data"), "+", packet("payload_offset"))), {"data", "payload_offset"}),
        (Do(call("macs_layout_truncate", "packet")), WHOLE),
        (If(infix(packet("instance_type"), "==", 1), (Assign(X, packet("ingress_ns")),)), {"ingress_ns", "instance_type"}),
        (Assign(packet("payload_offset"), ONE, operator="+="), {"payload_offset"}),
        (Assign(Member(Index(Name("kept"), packet("ingress_port")), "x", arrow=True), packet("replica")),
         {"ingress_port", "replica"}),  # of another struct, which a member tells
        (Assign(Member(call("macs_own", "packet"), "x", arrow=True), ONE), WHOLE),
        (Assign(Member(Member(PACKET, "requests", arrow=True), "preserved"), packet("replica")), {"replica"}),
        (Assign(X, Member(live("packet"), "data")), set()),
        (Assign(X, packet("length")), set()),  # it always is there
        (Switch(packet("replica"), (Case((ONE,), (Assign(X, packet("data")),)),)), {"replica", "data"}),
    ],
)  # fmt: skip
def test_members_that_are_read(statement: Statement, read: set[str]) -> None:
    assert members_read((), (statement,)) == read


def test_what_is_bound() -> None:
    assert binding(frozenset()) == "0"
    assert binding(frozenset({"ingress_port", "data"})) == "MACS_BIND_DATA | MACS_BIND_INGRESS_PORT"
    assert binding(WHOLE) == "MACS_BIND_ALL"


@pytest.mark.parametrize(
    ("value", "changes"),
    [
        (call("macs_layout_resize", "packet", "front", "head"), True),
        (Unary("!", call("macs_layout_truncate", "packet")), True),
        (call("macs_layout_take", "packet", "list", 14, 4), False),
    ],
)
def test_what_changes_the_length_of_a_frame(value: Expression, changes: bool) -> None:
    assert resizes((value,)) is changes


@pytest.mark.parametrize(
    ("statement", "writes"),
    [
        (Assign(packet("payload_offset"), Name("at")), True),
        (Assign(Member(packet("requests"), "preserved"), ONE), True),
        (Do(call("macs_layout_truncate", "packet")), True),
        (Assign(Unary("*", Name("verdict")), call("macs_verdict_of_port", "common", packet("ingress_port"))), False),
        (Do(call("macs_go_on", "common", packet("handle"), "live", "MACS_REPLICATE", 1)), False),
        (If(infix(packet("length"), "==", 14), ()), False),
        (Assign(Index(packet("data"), ONE), ONE), True),
        (Assign(live("a"), packet("replica")), False),
        (Assign(X, call("macs_of", "packet")), True),
    ],
)
def test_what_writes_to_a_record(statement: Statement, writes: bool) -> None:
    assert is_written((If(X, (statement,)),)) is writes


@pytest.mark.parametrize(
    ("body", "elsewhere"),
    [
        ((), False),
        ((A,), False),
        ((Goto("out"),), True),
        ((A, Return()), True),
        ((Return(), A), False),
        ((If(X, (Return(),), (A, Goto("out"))),), True),
        ((If(X, (Return(),)),), False),
        ((If(X, (), (Return(),)),), False),
        ((A, If(X, (If(Y, (Return(),), (Return(),)),), (Return(),))), True),
    ],
)
def test_bodies_that_nothing_behind_is_reached_from(body: Body, elsewhere: bool) -> None:
    assert leaves(body) == elsewhere


def test_names_are_found_wherever_they_stand() -> None:
    e = call("f", infix("a", "+", 1), cast("int", Name("b")))
    for part in (e, (If(Name("c"), (Do(e),)),)):
        assert names(part, "a") and names(part, "b") and not names(part, "f") and not names(part, "d")
    assert names((If(Name("c"), (Do(e),)),), "c") and not names((), "a")
