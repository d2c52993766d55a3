"""What each kind of statement reads and writes by itself, and what surely; what an element found at run time may be."""

from __future__ import annotations

from collections.abc import Iterable

import pytest
from hlir_builder import AT, Builder, apply, binary, const, emit, extract, goto, h, if_, state, true, valid

from transpiler.analysis.locations import Location, Locator, actions_of, location_of, sharing_tables
from transpiler.hlir import expressions as ex, statements as st
from transpiler.hlir.program import Program
from transpiler.hlir.types import Bits, Bool


def builder() -> Builder:
    b = Builder()
    b.header("h", "h_t", a=8, b=8)
    b.header("g", "h_t")
    b.stack("s", "s_t", 2, f=8)
    for name in ("x", "y", "i"):
        b.variable(name, 8)
    b.variable("yes", Bool())
    b.extern("r", "register", size=4, width=8)
    b.extern("p", "action_profile", size=4)
    b.action("set", b.set("x", 1))
    b.action("use", if_(valid("g"), [b.set("h.b", b.get("y"))]))
    b.table("t", [("h.a", "exact"), ("i", "exact")], ["set", "use"], "use")
    b.table("one", [("i", "exact")], ["set"], "set", implementation="p")
    b.table("other", [("y", "exact")], ["use"], "use", implementation="p")
    b.variable("did", b.tables[0].action_enum)
    return b


B = builder()
X, Y, INDEX, YES = (B.get(name) for name in ("x", "y", "i", "yes"))
ELEMENT = ex.ElementRef("s", INDEX, AT)
FIELD = ex.FieldRef(ELEMENT, "f", AT)
OF_S = "s[0].$valid s[0].f s[1].$valid s[1].f"
OF_H, OF_G = (f"{name}.$valid {name}.a {name}.b" for name in "hg")


def program() -> Program:
    return builder().build([state("start", [extract("h")], goto("accept"))])


def told(locations: Iterable[Location]) -> str:
    return " ".join(sorted(f"{at.owner}.{at.field}" if at.field else at.owner for at in locations))


@pytest.mark.parametrize(
    ("statement", "reads", "writes", "surely"),
    [
        (B.set("x", B.get("y")), "y", "x", True),
        (B.set("h.a", binary("+", X, B.get("g.b"))), "g.b x", "h.a", True),
        (B.set("s[1].f", 1), "", "s[1].f", True),
        (st.Assign(FIELD, X, AT), "i x", "s[0].f s[1].f", False),
        (B.set("x", ex.Read(FIELD, Bits(8), AT)), "i s[0].f s[1].f", "x", True),
        (st.SetValid(h("g"), True, AT), "", "g.$valid", True),
        (st.SetValid(ELEMENT, False, AT), "i", "s[0].$valid s[1].$valid", False),
        (st.CopyHeader(h("g"), h("h"), AT), OF_H, OF_G, True),
        (st.CopyHeader(h("s[0]"), ELEMENT, AT), f"i {OF_S}", "s[0].$valid s[0].f", True),
        (st.CopyHeader(ELEMENT, h("s[1]"), AT), "i s[1].$valid s[1].f", OF_S, False),
        (extract("h"), "", OF_H, False),  # the frame may be too short
        (st.Extract(ELEMENT, None, AT), "i", OF_S, False),
        (st.Lookahead(ex.VariableRef("x", AT), Bits(8), AT), "", "x", True),
        (st.Advance(X, AT), "x", "", True),
        (emit("h"), OF_H, "", True),
        (st.Emit(ELEMENT, AT), f"i {OF_S}", "", True),
        (apply("t"), "h.a i", "", True),
        (apply("t", "yes", "did"), "h.a i", "did yes", True),
        (apply("t", None, "did"), "h.a i", "did", True),
        (B.call("register.read", "r", ex.Cast(INDEX, Bits(32), AT), out="x"), "i", "x", True),
        (st.CallExtern("register.read", "r", (const(0, 32),), (FIELD,), AT), "i", "s[0].f s[1].f", False),
        (B.call("register.write", "r", const(0, 32), Y), "y", "", True),
        (B.call("recirculate.request", None, fields=["x", "h.b"]), "h.b x", "", True),
        (if_(valid("g"), [B.set("x", 1)], [B.set("y", X)]), "g.$valid", "", True),  # what is inside counts there
        (if_(ex.IsValid(ELEMENT, AT), []), "i s[0].$valid s[1].$valid", "", True),
        (st.Switch(Y, (st.SwitchCase((1,), (B.set("x", 1),), AT),), (), AT), "y", "", True),
        (st.While(YES, (B.set("x", 1),), AT), "yes", "", True),
        (st.Block("b", (B.set("x", Y),), AT), "", "", True),
        (st.Leave("b", AT), "", "", True),
    ],
)
def test_by_itself(statement: st.Statement, reads: str, writes: str, surely: bool) -> None:
    access = Locator(program()).access(statement)
    assert (told(access.reads), told(access.writes)) == (" ".join(sorted(reads.split())), writes)
    assert access.killed == (access.writes if surely else frozenset())


@pytest.mark.parametrize(
    ("body", "writes"),
    [
        ([], ""),
        ([if_(true(), [B.set("x", 1)], [st.While(YES, (B.set("y", 1),), AT)])], "x y"),
        ([st.Block("b", (apply("t", "yes"),), AT)], "h.b x yes"),
        ([apply("one")], "h.b x"),  # members of the profile may run the actions of both
    ],
)
def test_all_that_a_body_may_write(body: list[st.Statement], writes: str) -> None:
    assert told(Locator(program()).written_in(tuple(body))) == writes


def test_actions_that_a_table_may_run() -> None:
    made = program()
    names = {table.name: [action.name for action in actions_of(made, table.name)] for table in made.tables}
    assert names == {"t": ["set", "use"], "one": ["set", "use"], "other": ["set", "use"]}
    shared = {table.name: [t.name for t in sharing_tables(made, table)] for table in made.tables}
    assert shared == {"t": ["t"], "one": ["one", "other"], "other": ["one", "other"]}


def test_the_one_location_of_a_place() -> None:
    assert location_of(B.place("x")) == Location("x") and location_of(B.place("h.a")) == Location("h", "a")
    assert location_of(B.place("s[1].f")) == Location("s[1]", "f") and location_of(FIELD) is None
