"""What statements, parsers and steps do to the path states of a place, and what is left of them by what is known there."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from hlir_builder import AT, Builder, apply, binary, const, emit, exact, extract, goto, h, if_, select, state, valid

from transpiler.analysis.locations import VALIDITY, Location
from transpiler.architectures.v1model.pipes import BEGIN_INGRESS, FORWARD
from transpiler.hlir import expressions as ex, statements as st
from transpiler.hlir.printer import print_body
from transpiler.hlir.program import Control, Parser, ParserState, Role
from transpiler.hlir.types import Bits, Bool
from transpiler.schedule.paths import PathState, PathStates, copied
from transpiler.schedule.pipeline import DROP, Deparse, Parse, Restart
from transpiler.schedule.transfer import Transfer

B = Builder()
B.header("h", "h_t", v=8)
B.header("g", "h_t")
for name in ("a", "b", "c"):  # nothing asks for c
    B.variable(name, 8)
B.variable("hit", Bool())
B.extern("r", "register", size=4, width=8)
B.extern("profile", "action_profile", size=4)
B.action("five", B.set("a", 5))
B.action("put", B.set("a", ex.Read(ex.VariableRef("put.x", AT), Bits(8), AT)), x=8)
B.table("t", [("h.v", "exact")], ["five", "put"])
B.table("p", [("h.v", "exact")], ["five"], "five", implementation="profile")
B.table("one", [("h.v", "exact")], ["five"], "five")
for name, of in (("did", 0), ("other", 1)):
    B.variable(name, B.tables[of].action_enum)


def is_(name: str, value: int) -> ex.Expression:
    return binary("==", B.get(name), const(value, 8))


def block(label: str, *body: st.Statement) -> st.Block:
    return st.Block(label, body, AT)


def leave(label: str) -> st.Leave:
    return st.Leave(label, AT)


def while_(condition: ex.Expression, *body: st.Statement) -> st.While:
    return st.While(condition, body, AT)


def set_valid(name: str, there: bool = True) -> st.SetValid:
    return st.SetValid(h(name), there, AT)


def switch(subject: ex.Expression, *cases: tuple[tuple[int, ...], st.Statement], default: st.Statement) -> st.Switch:
    return st.Switch(subject, tuple(st.SwitchCase(values, (body,), AT) for values, body in cases), (default,), AT)


ASKS: list[st.Statement] = [if_(is_(name, 9), []) for name in ("a", "b", "h.v")]
ASKS += [if_(B.get("hit"), []), switch(B.get("did"), ((0,), B.set("b", 1)), default=B.set("b", 2))]
ASKS += [switch(B.get("other"), ((0,), B.set("b", 1)), default=B.set("b", 2))]
COPY = st.CopyHeader(h("h"), h("g"), AT)
READ = B.call("register.read", "r", const(0, 32), out="a")


def at(**known: int) -> PathState:
    """By variables; `h` and `g` are the validity of headers, `v` is a field of h."""
    places = {
        "h": Location("h", VALIDITY),
        "g": Location("g", VALIDITY),
        "v": Location("h", "v"),
        "x": Location("put.x"),
    }
    places |= {
        "spec": Location("sm.egress_spec"),
        "port": Location("sm.egress_port"),
        "error": Location("sm.parser_error"),
    }
    return {places.get(name, Location(name)): value for name, value in known.items()}


def transfer(body: Sequence[st.Statement] = (), states: Sequence[ParserState] = ()) -> Transfer:
    program = B.build(states or [state("start", [], goto("accept"))], body, ASKS)
    return Transfer(program, lambda left, _: left)


def line(body: tuple[st.Statement, ...]) -> str:
    return " ".join(print_body(body).split())


@pytest.mark.parametrize(
    ("statement", "before", "left", "behind"),
    [
        (B.set("a", 3), [at(a=1, b=2)], "a = 8w3;", [at(a=3, b=2)]),
        (B.set("b", B.get("a")), [at(a=3), at(a=4)], "b = a;", [at(a=3, b=3), at(a=4, b=4)]),
        (B.set("b", B.get("a")), [at(a=3, b=1), at(b=1, a=3)], "b = 8w3;", [at(a=3, b=3)] * 2),
        (B.set("a", binary("+", B.get("a"), const(1, 8))), [at(a=255), at()], "a = a + 8w1;", [at(a=0), at()]),
        (B.set("a", B.get("c")), [at(a=1)], "a = c;", [at()]),
        (B.set("c", 3), [at(a=1)], "c = 8w3;", [at(a=1)]),
        (B.set("h.v", 3), [at(v=1)], "h.v = 8w3;", [at(v=3)]),
        (set_valid("h"), [at(h=0), at()], "h.setValid();", [at(h=1)] * 2),
        (set_valid("h", False), [at(h=1, v=2)], "h.setInvalid();", [at(h=0, v=2)]),
        (COPY, [at(h=1, g=0, v=3, a=1)], "h = g;", [at(g=0, a=1)]),
        (READ, [at(a=1, b=2)], "a = r: register.read(32w0);", [at(b=2)]),
        # branches
        (if_(is_("a", 3), [B.set("b", 1)], [B.set("b", 2)]), [at(a=3)], "b = 8w1;", [at(a=3, b=1)]),
        (if_(is_("a", 3), [B.set("b", 1)], [B.set("b", 2)]), [at(a=4)], "b = 8w2;", [at(a=4, b=2)]),
        (if_(is_("a", 3), [B.set("b", 1)]), [at(a=4)], "", [at(a=4)]),
        (
            if_(is_("a", 3), [B.set("b", B.get("a"))], [B.set("b", B.get("a"))]), [at()],
            "if (a == 8w3) { b = 8w3; } else { b = a; }", [at(a=3, b=3), at()],
        ),
        (
            if_(binary("&&", is_("a", 3), is_("b", 1)), [B.set("b", 7)]), [at(a=3)],
            "if (b == 8w1) { b = 8w7; }", [at(a=3, b=7), at(a=3)],
        ),
        (if_(is_("a", 3), [leave("in"), B.set("b", 1)]), [at(a=3)], "leave in;", []),
        # choices
        (
            switch(B.get("a"), ((1,), B.set("b", 1)), ((2, 3), B.set("b", B.get("a"))), default=B.set("b", B.get("a"))), [at()],
            "switch (a) { 8w1: { b = 8w1; } 8w2, 8w3: { b = a; } default: { b = a; } }",
            [at(a=1, b=1), at()],
        ),
        (
            switch(B.get("a"), ((1,), B.set("b", B.get("a"))), ((2,), B.set("b", 2)), default=B.set("b", 3)), [at(a=1), at(a=7)],
            "switch (a) { 8w1: { b = 8w1; } default: { b = 8w3; } }", [at(a=1, b=1), at(a=7, b=3)],
        ),
        (switch(B.get("a"), ((1, 2), B.set("b", 1)), default=B.set("b", 3)), [at(a=1), at(a=2)],
         "b = 8w1;", [at(a=1, b=1), at(a=2, b=1)]),
        (switch(B.get("a"), ((1, 2), B.set("b", 1)), default=B.set("b", 3)), [at(a=0)], "b = 8w3;", [at(a=0, b=3)]),
        # blocks
        (
            block("out", if_(valid("h"), [B.set("a", 1), leave("out")]), B.set("a", 2)), [at()],
            "out: { if (h.isValid()) { a = 8w1; leave out; } a = 8w2; }", [at(h=0, a=2), at(h=1, a=1)],
        ),
        (
            block("out", block("in", if_(valid("h"), [leave("out")]), leave("in"), B.set("a", 9)), B.set("a", 2)), [at()],
            "out: { in: { if (h.isValid()) { leave out; } leave in; } a = 8w2; }", [at(h=0, a=2), at(h=1)],
        ),
        # loops
        (
            while_(is_("a", 3), B.set("a", 4), if_(is_("b", 2), [B.set("h.v", 1)])), [at(a=3, b=2, v=1)],
            "while (a == 8w3) { a = 8w4; if (b == 8w2) { h.v = 8w1; } }", [at(b=2)],
        ),
        (
            block("out", while_(is_("a", 3), B.set("a", 4), if_(valid("h"), [leave("out")])), B.set("b", 2)), [at(a=1, b=1)],
            "out: { while (a == 8w3) { a = 8w4; if (h.isValid()) { leave out; } } b = 8w2; }", [at(b=2), at(b=1)],
        ),
        (while_(is_("b", 3), apply("t")), [at(a=5, b=3)], "while (b == 8w3) { apply t; }", [at(b=3)]),
        # tables: the actions in their order, what each leaves
        (apply("one"), [at(a=1, b=2)], "apply one;", [at(a=5, b=2)]),
        (apply("t"), [at(a=1, x=2, b=2)], "apply t;", [at(a=5, x=2, b=2), at(b=2), at(a=1, x=2, b=2)]),
        (apply("t", "hit"), [at(hit=0, a=5)], "apply t (hit -> hit);", [at(a=5), at()]),
        (
            apply("t", None, "did"), [at(did=2, b=1)], "apply t (action -> did);",
            [at(a=5, did=0, b=1), at(did=1, b=1), at(did=2, b=1)],
        ),
        (apply("p", None, "other"), [at(other=1, a=1)], "apply p (action -> other);", [at(a=1), at(a=5)]),
    ],
)  # fmt: skip
def test_what_a_statement_does(statement: st.Statement, before: PathStates, left: str, behind: PathStates) -> None:
    inner = [statement] if not (isinstance(statement, st.If) and "leave in" in left) else [block("in", statement)]
    made, states = transfer(inner).statement(statement, copied(before))
    assert (line(made), states) == (left, behind)


# --- what the architecture does -------------------------------------------------------------------------------------------


def parser(*states: ParserState) -> tuple[Transfer, Parse]:
    made = transfer(states=states)
    (found,) = (pipe for pipe in made.program.pipes if isinstance(pipe, Parser))
    return made, Parse(found, "parser_error")


@pytest.mark.parametrize(
    ("states", "behind"),
    [
        ([state("start", [], goto("accept"))], [at(h=0, g=0, a=1)]),
        # it may end with an error at each extraction: before what that extracts, and with what went before
        ([state("start", [extract("h")], goto("accept"))], [at(h=0, g=0, a=1), at(h=1, g=0, a=1)]),
        (
            [state("start", [extract("h"), B.set("a", 2)], goto("more")), state("more", [extract("g")], goto("accept"))],
            [at(h=0, g=0, a=1), at(h=1, g=0, a=2), at(h=1, g=1, a=2)],
        ),
        ([state("start", [B.set("a", 2), st.Advance(const(8, 32), AT)], goto("accept"))], [at(h=0, g=0, a=2)]),
        (
            [state("start", [st.Verify(valid("h"), ex.Const(1, B.variables["sm.parser_error"].type, AT), AT),
                             B.set("a", 2)], goto("accept"))],
            [at(h=0, g=0, a=1), at(h=0, g=0, a=2)],
        ),
        # a state that two others lead to
        (
            [
                state("start", [], select(B.get("c"), (exact(1, 8), "one"), (exact(2, 8), "two"))),
                state("one", [B.set("a", 2)], goto("both")), state("two", [B.set("a", 3)], goto("both")),
                state("both", [B.set("b", B.get("a"))], goto("accept")),
            ],
            [at(h=0, g=0, a=1), at(h=0, g=0, a=2), at(h=0, g=0, a=3), at(h=0, g=0, a=2, b=2), at(h=0, g=0, a=3, b=3)],
        ),
        # what is not reached is no matter
        (
            [state("start", [], goto("accept")), state("never", [B.set("a", 2)], goto("never"))],
            [at(h=0, g=0, a=1)],
        ),
        # what is written inside of a branch
        (
            [state("start", [if_(is_("b", 1), [B.set("a", 2)])], goto("accept"))],
            [at(h=0, g=0)],
        ),
        # in circles
        (
            [state("start", [B.set("a", 2), extract("h")], select(B.get("c"), (exact(1, 8), "start")))],
            [at(g=0)],
        ),
    ],
)  # fmt: skip
def test_what_a_parser_does(states: list[ParserState], behind: PathStates) -> None:
    made, parse = parser(*states)
    what, left = made.special(parse, [at(h=0, g=0, a=1, error=0)])
    assert (what, left) == (parse, behind)


def test_what_steps_do() -> None:
    """They fill what is known of others; a packet that is surely dropped does not go on."""
    made = transfer()
    assert made.special(FORWARD, [at(spec=5, port=1, a=1)])[1] == [at(spec=0, port=5, a=1)]
    step, left = made.special(FORWARD, [at(spec=511, a=1), at(spec=7, a=2), at(a=3)])
    assert (step, left) == (FORWARD, [at(spec=0, port=7, a=2), at(spec=0, a=3)])
    assert made.special(FORWARD, [at(spec=511, a=1), at(spec=511)]) == (DROP, [])
    assert made.special(BEGIN_INGRESS, [at(a=1) | {Location("sm.packet_length"): 4}])[1] == [at(a=1)]
    begin = Restart(None, BEGIN_INGRESS, BEGIN_INGRESS, keeps_headers=False)
    assert made.special(begin, [at(a=1), at(a=2)]) == (begin, [{}])


def test_the_deparser_knows_what_is_valid() -> None:
    """Of the headers that it emits, unless it changes which there are."""
    made = transfer()
    both = Control("D", Role.DEPARSER, (emit("h"), emit("g")), AT)
    body = (if_(valid("g"), [B.set("b", 1), emit("g")], [B.set("b", 2)]), emit("h"))
    changing = Control("D", Role.DEPARSER, (set_valid("g"), emit("g"), emit("h")), AT)
    for control, before, sure, left in (
        (both, [at(h=1, g=0)], {"h"}, "emit(h); emit(g);"),
        (both, [at(h=1, g=0), at(h=1, g=1)], {"h"}, "emit(h); emit(g);"),
        (both, [at(h=1), at()], set(), "emit(h); emit(g);"),
        (changing, [at(h=1, g=1)], {"h"}, "g.setValid(); emit(g); emit(h);"),
        (Control("D", Role.DEPARSER, body, AT), [at(g=0)], set(), "b = 8w2; emit(h);"),
    ):
        what, _ = made.special(Deparse(control, FORWARD), [{**state, **at(spec=511)} for state in before])
        assert isinstance(what, Deparse)
        assert (set(what.valid), line(what.control.body), what.then) == (sure, left, DROP)


def test_a_fresh_packet_has_zeros_and_no_headers() -> None:
    """But not in what it may have preserved from its pass before; what nothing asks for is not followed."""
    fresh = transfer().fresh(())
    assert fresh.items() >= at(h=0, g=0, a=0, b=0, hit=0).items() and Location("c") not in fresh
    assert Location("h", "v") not in fresh and Location("did") not in fresh
    kept = transfer([B.call("clone.ingress", None, const(1, 32), fields=("b",))])
    assert kept.fresh((1,)) == {where: value for where, value in kept.fresh(()).items() if where != Location("b")}
