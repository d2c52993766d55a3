"""What a node of a control's flow reads and writes, whole: keys, conditions, statements, the actions of its table, state."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from hlir_builder import AT, Builder, apply, binary, const, extract, goto, if_, state, valid

from transpiler.analysis.flow import flow_of
from transpiler.analysis.locations import Locator
from transpiler.analysis.uses import STATE_OF_EXTERN, use_of
from transpiler.hlir import expressions as ex, statements as st
from transpiler.hlir.types import Bits, Bool


def builder() -> Builder:
    b = Builder()
    b.header("h", "h_t", a=8, b=8)
    b.stack("s", "s_t", 2, f=8)
    for name in ("x", "y"):
        b.variable(name, 8)
    b.variable("hit", Bool())
    for name, kind in (("r", "register"), ("c", "counter"), ("m", "meter")):
        of_kind = {"register": {"width": 8}, "counter": {"unit": "packets"}, "meter": {"unit": "packets"}}[kind]
        b.extern(name, kind, size=4, **of_kind)  # type: ignore[arg-type]
    b.action(
        "set",
        b.set("h.a", ex.Read(ex.VariableRef("set.v", AT), Bits(8), AT)),
        if_(valid("h"), [b.set("y", b.get("x"))]),
        v=8,
    )
    b.action("store", b.call("register.write", "r", const(0, 32), b.get("y")))
    b.table("t", [("h.a", "exact"), ("x", "ternary")], ["set", "store"])
    return b


B = builder()
ELEMENT = ex.FieldRef(ex.ElementRef("s", const(0, 32), AT), "f", AT)
READ = B.call("register.read", "r", const(0, 32), out="x")
WRITE = B.call("register.write", "r", const(0, 32), B.get("x"))
COUNT = B.call("counter.count", "c", const(0, 32))


@pytest.mark.parametrize(
    ("body", "matches", "reads", "writes", "killed", "outcome"),
    [
        ([B.set("x", B.get("y"))], "", "y", "x", "x", ""),
        ([B.set("x", 1), B.set("y", B.get("x"))], "", "", "x y", "x y", ""),
        ([B.set("x", B.get("x")), B.set("y", B.get("x"))], "", "x", "x y", "x y", ""),
        ([st.Assign(ELEMENT, B.get("x"), AT)], "", "x", "s[0].f s[1].f", "", ""),
        ([if_(binary("<", B.get("x"), B.get("h.a")), [B.set("y", 1)])], "h.a x", "", "", "", ""),
        ([apply("t")], "h.a x", "h.$valid x y r.$state", "h.a y r.$state", "", ""),
        ([apply("t", hit="hit")], "h.a x", "h.$valid x y r.$state", "h.a y hit r.$state", "hit", "hit"),
        ([READ], "", "r.$state", "x", "x", ""),
        ([WRITE], "", "x r.$state", "r.$state", "", ""),
        ([COUNT], "", "", "", "", ""),  # counts have no order
    ],
)
def test_a_node(body: Sequence[st.Statement], matches: str, reads: str, writes: str, killed: str, outcome: str) -> None:
    """A table's actions without their own parameters. What is surely written before it is read is not read."""
    program = builder().build([state("start", [extract("h")], goto("accept"))], body)
    node = flow_of(tuple(body)).nodes[1]
    use = use_of(program, Locator(program), node)
    told = [
        {f"{where.owner}.{where.field}" if where.field else where.owner for where in found}
        for found in (use.matches, use.reads, use.writes, use.killed, use.outcome)
    ]
    assert told == [set(names.split()) for names in (matches, reads, writes, killed, outcome)]
    assert STATE_OF_EXTERN == "$state"
