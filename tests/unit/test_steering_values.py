"""What is known of the indexes of registers behind the statements of controls: numbers, bits of the frame, or nothing."""

from __future__ import annotations

import pytest
from hlir_builder import AT, Builder, apply, binary, const, extract, goto, h, if_, state, valid

from transpiler.analysis.locations import VALIDITY, Location
from transpiler.analysis.parities import Value, constant, frame_bits, number_of
from transpiler.hlir import expressions as ex, statements as st
from transpiler.hlir.program import Control, Parser, Role
from transpiler.hlir.types import Bits, Bool
from transpiler.schedule.steering_values import Following, Held

B = Builder()
B.header("h", "h_t", v=8, w=8)
for name in ("g", "f"):
    B.header(name, "h_t")
B.stack("s", "s_t", 2, x=8)
for name in "ab":
    B.variable(name, 8)
B.variable("hit", Bool())
B.extern("r", "register", size=256, width=8)
B.action("seven", B.set("a", 7))
B.action("given", B.set("a", ex.Read(ex.VariableRef("given.x", AT), Bits(8), AT)), x=8)
B.table("t", [("h.v", "exact")], ["seven"], "seven")
B.table("u", [("h.v", "exact")], ["given"], "seven")
B.variable("did", B.tables[0].action_enum)

ASK = B.call("register.read", "r", ex.Cast(B.get("a"), Bits(32), AT), out="b")
ASK_HIT = B.call("register.read", "r", ex.Cast(ex.Cast(B.get("hit"), Bits(1), AT), Bits(32), AT), out="b")
SEVEN, NINE, V, W = B.set("a", 7), B.set("a", 9), B.set("a", B.get("h.v")), B.set("a", B.get("h.w"))
MAYBE = binary("==", B.get("h.v"), const(3, 8))  # nobody knows
NEVER = binary("==", B.get("b"), const(3, 8))  # it is zero


def following() -> Following:
    return Following(B.build([state("start", [extract("h")], goto("accept"))]))


def held(made: Following) -> Held:
    """Behind a parser: h begins at bit 8 of the frame."""
    return made.extracted("h", 8, made.at_begin())


def said(value: Value) -> str:
    """A number, fields of h whose bits it has, else what each bit is, the least significant one last."""
    if any(value[8:]):
        return "more bits"
    known = {frame_bits(8, 8): "v", frame_bits(16, 8): "w"}
    number = number_of(value[:8])
    if number is not None:
        return str(number)
    return known.get(value[:8]) or "".join("?" if bit is None else str(bit) for bit in reversed(value[:8]))


def asked(*pipes: Control | Parser, before: Held | None = None) -> list[str]:
    made = following()
    found = made.accesses_of(pipes, held(made) if before is None else before)
    return [said(value) for value in found.get("r", ())]


def control(*body: st.Statement) -> Control:
    return Control("c", Role.INGRESS, body, AT)


def block(label: str, *body: st.Statement) -> st.Block:
    return st.Block(label, body, AT)


def leave(label: str) -> st.Leave:
    return st.Leave(label, AT)


def switch(subject: ex.Expression, *cases: tuple[tuple[int, ...], st.Statement], default: st.Statement) -> st.Switch:
    return st.Switch(subject, tuple(st.SwitchCase(values, (body,), AT) for values, body in cases), (default,), AT)


def set_valid(name: str, there: bool = True) -> st.SetValid:
    return st.SetValid(h(name), there, AT)


def copy(to: str, source: str) -> st.CopyHeader:
    return st.CopyHeader(h(to), h(source), AT)


ANY = "?" * 8


@pytest.mark.parametrize(
    ("body", "index"),
    [
        ([], ["0"]),
        ([SEVEN], ["7"]),
        ([V], ["v"]),
        ([V, SEVEN], ["7"]),
        ([SEVEN, ASK, NINE], ["7", "9"]),
        ([ASK, ASK], ["0"]),
        ([B.set("h.v", 5), V], ["5"]),
        ([B.set("a", B.get("b"))], ["0"]),
        # what a register holds is not known
        ([ASK, B.set("a", B.get("b"))], ["0", ANY]),
        # a branch that is decided, and one that is not
        ([if_(NEVER, [SEVEN], [NINE])], ["9"]),
        ([if_(NEVER, [SEVEN])], ["0"]),
        ([if_(valid("h"), [V], [SEVEN])], ["v"]),
        ([if_(valid("g"), [V], [SEVEN])], ["7"]),
        ([if_(MAYBE, [SEVEN, B.set("b", 1)], [SEVEN])], ["7"]),
        ([if_(MAYBE, [V])], [ANY]),
        ([if_(MAYBE, [SEVEN], [NINE])], ["0000???1"]),
        ([if_(MAYBE, [SEVEN])], ["00000???"]),
        ([if_(MAYBE, [V], [V])], ["v"]),
        ([V, if_(MAYBE, [B.set("b", 1)], [SEVEN, V])], ["v"]),
        # choices
        ([switch(B.get("b"), ((0,), SEVEN), ((1,), NINE), default=V)], ["7"]),
        ([switch(B.get("b"), ((2,), SEVEN), ((1,), NINE), default=V)], ["v"]),
        ([switch(B.get("h.v"), ((2,), SEVEN), ((1,), NINE), default=SEVEN)], ["0000???1"]),
        ([switch(B.get("h.v"), ((2,), SEVEN), ((1,), SEVEN), default=NINE)], ["0000???1"]),
        ([switch(B.get("h.v"), ((2,), SEVEN), ((1,), SEVEN), default=SEVEN)], ["7"]),
        # blocks: what is held where they are left, and at their end if it is reached
        ([block("out", SEVEN, leave("out"), NINE)], ["7"]),
        ([block("out", SEVEN, if_(MAYBE, [leave("out")]), SEVEN)], ["7"]),
        ([block("out", SEVEN, if_(MAYBE, [leave("out")]), NINE)], ["0000???1"]),
        ([block("out", SEVEN, if_(MAYBE, [B.set("b", 1), leave("out")], [NINE, leave("out")]), V)], ["0000???1"]),
        ([block("out", block("in", SEVEN, leave("out")), NINE)], ["7"]),
        ([block("out", block("in", SEVEN, leave("in")), NINE)], ["9"]),
        ([block("out", leave("out")), block("out", SEVEN)], ["7"]),
        # what a loop writes
        ([SEVEN, st.While(MAYBE, (B.set("a", B.get("a")),), AT)], [ANY]),
        ([SEVEN, st.While(MAYBE, (B.set("b", 1),), AT)], ["7"]),
        ([SEVEN, st.While(MAYBE, (ASK, NINE), AT)], [ANY]),
        # tables: any of their actions may be run, or none
        ([apply("t")], ["00000???"]),
        ([SEVEN, apply("t")], ["7"]),
        ([SEVEN, apply("u")], [ANY]),
        # headers
        ([set_valid("g"), if_(valid("g"), [SEVEN], [NINE])], ["7"]),
        ([set_valid("h", False), if_(valid("h"), [SEVEN], [NINE])], ["9"]),
        ([copy("g", "h"), B.set("a", B.get("g.w"))], ["w"]),
        ([copy("g", "h"), if_(valid("g"), [SEVEN], [NINE])], ["7"]),
        ([copy("h", "f"), if_(valid("h"), [SEVEN], [NINE])], ["9"]),
        ([copy("h", "f"), V], ["0"]),
    ],
)
def test_indexes(body: list[st.Statement], index: list[str]) -> None:
    assert asked(control(*body, ASK)) == index


def test_what_a_lookup_tells_is_not_known() -> None:
    one = B.set("hit", ex.Const(1, Bool(), AT))
    assert asked(control(one, ASK_HIT)) == ["1"]
    assert asked(control(one, apply("t"), ASK_HIT)) == ["1"]
    assert asked(control(one, apply("t", "hit"), ASK_HIT)) == ["0000000?"]
    did = switch(B.get("did"), ((0,), SEVEN), default=NINE)
    assert asked(control(did, ASK)) == ["7"]
    assert asked(control(apply("t", None, "did"), did, ASK)) == ["0000???1"]


def test_what_is_left_of_a_control_goes_on_to_the_next() -> None:
    """Behind a deparser frames are others: nothing is known there of what was held before."""
    assert asked(control(V), control(ASK)) == ["v"]
    assert asked(control(V, ASK), control(W, ASK), control(ASK)) == ["v", "w"]
    again = Parser("p", Role.PARSER, (), AT)
    assert asked(control(SEVEN), again, control(ASK)) == [ANY]
    assert asked(control(SEVEN), again, control(NINE, ASK)) == ["9"]


def test_what_the_runtime_and_tables_give_is_not_known_at_first() -> None:
    made = following()
    begin = made.at_begin()
    assert begin[Location("sm.ingress_port")] is None and begin[Location("given.x")] is None
    known = made.known(begin)
    assert known(Location("a")) == constant(0, 8) and known(Location("h", VALIDITY)) == constant(0, 1)
    assert known(Location("sm.ingress_port")) is None
    there = made.known(held(made))
    assert [there(Location("h", field)) for field in ("v", "w")] == [frame_bits(8, 8), frame_bits(16, 8)]
    assert number_of(there(Location("h", VALIDITY)) or (None,)) == 1
    ahead = made.known(made.looked_ahead(Location("a"), 32, 8, held(made)))
    assert ahead(Location("a")) == frame_bits(32, 8) and ahead(Location("b")) == constant(0, 8)


@pytest.mark.parametrize(("index", "name"), [(0, "s[0]"), (1, "s[1]"), (2, None), (3, None)])
def test_the_element_that_an_index_tells(index: int, name: str | None) -> None:
    made = following()
    assert made.header(ex.ElementRef("s", const(index, 32), AT), {}) == name
    assert made.header(h("g"), {}) == "g"
    nobody_knows = ex.ElementRef("s", ex.Cast(B.get("h.v"), Bits(32), AT), AT)
    assert made.header(nobody_knows, held(made)) is None
