"""What is live before a code: what is read on some way from there on before it is surely written, and what others ask for."""

from __future__ import annotations

import pytest
from hlir_builder import AT, Builder, apply, const, emit, extract, goto, h, if_, select, state

from transpiler.analysis.locations import Location
from transpiler.hlir import expressions as ex, statements as st
from transpiler.hlir.program import Control, Parser, Storage
from transpiler.hlir.types import Bits, Bool
from transpiler.schedule.live import Liveness, loaded_fields, stored_fields
from transpiler.schedule.pipeline import Deparse, Parse, Restart, Source, Step
from transpiler.schedule.stages import Code, End, Finish, Fork, Jump, Plain, Submit

NAMES = ("one", "join", "end", "kept", "parted", "x", "y", "z", "w")


def builder() -> Builder:
    """Variables, headers h and g, a stack s; tables t (always runs an action) and u (with a profile), keyed by x."""
    b = Builder()
    b.header("h", "h_t", a=8, b=8)
    b.header("g", "h_t")
    b.stack("s", "s_t", 2, f=8)
    for name in NAMES:
        b.variable(name, 8)
    for name in ("c", "hit"):
        b.variable(name, Bool())
    b.extern("profile", "action_profile", size=4)
    b.action("put", st.Assign(b.place("one"), ex.Read(ex.VariableRef("put.p", AT), Bits(8), AT), AT), p=8)
    b.action("copy", b.set("one", b.get("y")))
    b.action("none", b.set("w", 1))
    b.table("t", [("x", "exact")], ["put", "copy"], "copy")
    b.table("u", [("x", "exact")], ["put", "copy"], "copy", implementation="profile")
    b.table("v", [("x", "exact")], ["put", "none"], "none")
    return b


B = builder()
C, ONE = B.get("c"), Submit(1)
ONE_Y, ONE_Z = B.set("one", B.get("y")), B.set("one", B.get("z"))
ELEMENT = ex.FieldRef(ex.ElementRef("s", B.get("x"), AT), "f", AT)


def case(value: int, *body: st.Statement) -> st.SwitchCase:
    return st.SwitchCase((value,), body, AT)


def switch(*cases: st.SwitchCase, default: st.Body = ()) -> st.Switch:
    return st.Switch(B.get("x"), cases, default, AT)


@pytest.mark.parametrize(
    ("code", "live"),
    [
        ((ONE,), "one"),
        ((Jump(0),), "join"),
        ((End(),), "end kept"),
        ((Plain(B.set("x", B.get("y"))), ONE), "one"),  # nobody reads x
        ((Plain(ONE_Y), ONE), "y"),
        ((Plain(B.set("y", B.get("z"))), Plain(ONE_Y), ONE), "z"),
        ((Plain(B.set("one", B.get("one"))), ONE), "one"),
        ((Plain(if_(C, [ONE_Y], [ONE_Z])), ONE), "c y z"),
        ((Plain(if_(C, [ONE_Y])), ONE), "c one y"),
        ((Plain(if_(C, [], [ONE_Z])), ONE), "c one z"),
        ((Plain(switch(case(1, ONE_Y), case(2, B.set("one", 2)), default=(ONE_Z,))), ONE), "x y z"),
        ((Plain(switch(case(1, ONE_Y))), ONE), "one x y"),
        ((Plain(switch(default=(ONE_Z,))), ONE), "x z"),
        ((Fork(if_(C, []), ((Plain(ONE_Y), ONE), (Jump(0),))),), "c join y"),
        ((Fork(switch(case(1)), ((ONE,), (Plain(B.set("end", 1)), End()))),), "kept one x"),
        ((Finish(apply("t"), 0), ONE), "x y"),  # each action writes it
        ((Plain(apply("t")), ONE), "x y"),
        ((Finish(apply("v"), 0), ONE), "one x"),  # one does not
        ((Finish(apply("u"), 0), ONE), "one x y"),  # a group may be empty
        ((Finish(apply("t", hit="hit"), 0), Plain(if_(B.get("hit"), [B.set("one", 1)])), ONE), "x y"),
        ((Plain(st.Leave("out", AT)), Jump(0)), "one"),  # the block that it leaves was cut
        ((Plain(if_(C, [st.Leave("out", AT)])), Jump(0)), "c join one"),
        ((Plain(st.Block("in", (if_(C, [st.Leave("in", AT)]), ONE_Y), AT)), ONE), "c one y"),
        ((Plain(st.Block("in", (if_(C, [st.Leave("out", AT)]), B.set("join", 1)), AT)), Jump(0)), "c join one"),
        ((Plain(st.While(C, (ONE_Y, apply("t")), AT)), ONE), "c one x y"),
        ((Plain(st.Assign(ELEMENT, B.get("y"), AT)), Plain(B.set("one", B.get("s[0].f"))), ONE), "s[0].f x y"),
        ((Plain(emit("h")), ONE), "h.$valid h.a one"),  # h.b was not written: it is in the frame
        ((Plain(st.SetValid(h("h"), True, AT)), Plain(emit("h")), ONE), "h.a one"),
        ((Plain(st.CopyHeader(h("h"), h("g"), AT)), Plain(emit("h")), ONE), "g.$valid g.a g.b one"),
        ((Plain(st.CallExtern("recirculate.request", None, (), (), AT, (B.place("y"),))), ONE), "one y"),
    ],
)
def test_before_a_code(code: Code, live: str) -> None:
    b = builder()
    start = state("start", [extract("h"), extract("g")], goto("accept"))
    program = b.build([start], [b.set("h.a", b.get("x")), apply("t"), apply("u"), apply("v")], [], [emit("h")])
    assert found(Liveness(program, frozenset({Location("h", "a")}), *around()), code) == live


def around() -> tuple[dict[str, Submit], frozenset[Location], frozenset[Location], frozenset[Location]]:
    return {"out": ONE}, one("end"), one("parted"), one("kept")


def one(*names: str) -> frozenset[Location]:
    return frozenset(map(Location, names))


def found(liveness: Liveness, code: Code) -> str:
    """What is live, but for the data of actions, which their tables give."""
    liveness.stages[1], liveness.joins[0] = one("one"), one("join")
    live = [at for at in liveness.before(code) if at.owner != "put.p"]
    return " ".join(sorted(f"{at.owner}.{at.field}" if at.field else at.owner for at in live))


COPIES = Step("copies", (("egress_port", "egress_spec"), ("packet_length", Source.LENGTH)), ("mcast_grp",))
DIVERTS = Step("diverts", (), ("mcast_grp",), diverts=True)
ENDS = Step("ends", (), ("mcast_grp",), ends=True)
USES = Plain(st.Assign(ex.VariableRef("one9", AT), ex.Read(ex.VariableRef("sm.egress_port", AT), Bits(9), AT), AT))


def test_before_steps_of_the_architecture() -> None:
    """A step needs what it reads and what it copies to something live; what it fills is not live before it."""
    b = builder()
    b.variable("one9", 9, Storage.LOCAL)
    choice = select(b.get("z"), (ex.ExactSet(const(1, 8), AT), "accept"))
    start = state("start", [extract("h"), b.set("w", b.get("y"))], choice)
    deparser = [emit("h"), emit("g")]
    program = b.build([start], [b.set("h.a", b.get("x"))], [], deparser)
    parser, control = program.pipes[0], program.pipes[-1]
    assert isinstance(parser, Parser) and isinstance(control, Control)
    parse = Parse(parser, "parser_error")
    begin = Step("begin")
    for code, live in (
        ((Plain(COPIES), ONE), "one sm.mcast_grp"),
        ((Plain(DIVERTS), ONE), "one parted sm.mcast_grp"),
        ((Plain(ENDS), ONE), "kept sm.mcast_grp"),
        ((Plain(parse), ONE), "one y z"),
        ((Plain(Restart(None, begin, begin)), ONE), "one"),
        ((Plain(Restart(parse, begin, begin)), ONE), "one y z"),
        ((Plain(Restart(parse, begin, begin, keeps_headers=False)), ONE), ""),
        ((Plain(Deparse(control)), ONE), "g.$valid h.$valid h.a one"),
        ((Plain(Deparse(control, valid=frozenset({"h"}))), ONE), "g.$valid h.a one"),
        ((Plain(Deparse(control, DIVERTS)), ONE), "g.$valid h.$valid h.a one parted sm.mcast_grp"),
        ((Plain(Deparse(control, ENDS)), ONE), "g.$valid h.$valid h.a kept sm.mcast_grp"),
    ):
        assert found(Liveness(program, frozenset({Location("h", "a")}), *around()), code) == live, code
    liveness = Liveness(program, frozenset(), *around())
    port = one("sm.egress_port")
    assert liveness.before_piece(Plain(COPIES), port) == one("sm.egress_spec", "sm.mcast_grp")
    assert liveness.fills(COPIES, port) == COPIES.fills[:1] and liveness.fills(COPIES, one("one")) == ()
    assert liveness.fills(COPIES, one("sm.packet_length")) == COPIES.fills[1:]


def test_fields_that_are_stored_and_loaded() -> None:
    """What is written is stored, what is read or stored is loaded; copies carry both on, and a stack's elements share theirs."""
    b = Builder()
    for name in ("h", "g", "f"):
        b.header(name, "h_t", **({"a": 8, "b": 8, "c": 8} if name == "h" else {}))
    b.stack("s", "s_t", 2, p=8, q=8)
    b.variable("x", 8)
    body = [
        b.set("h.a", b.get("g.b")),
        st.CopyHeader(h("f"), h("g"), AT),
        st.CopyHeader(h("g"), h("h"), AT),
        b.set("s[1].q", b.get("x")),
        b.set("x", b.get("f.c")),
    ]
    choice = select(b.get("s[0].p"), (ex.ExactSet(const(1, 8), AT), "accept"))
    start = state("start", [extract(name) for name in ("h", "g", "f", "s[0]", "s[1]")], choice)
    program = b.build([start], body, [], [emit("h"), emit("f")])
    stored = stored_fields(program)

    def names(locations: frozenset[Location]) -> set[str]:
        return {f"{at.owner}.{at.field}" for at in locations}

    assert names(stored) == {"h.a", "g.a", "f.a", "s[0].q", "s[1].q"}
    elements = {f"s[{n}].{field}" for n in (0, 1) for field in "pq"}
    assert names(loaded_fields(program, stored)) == {"h.a", "h.b", "h.c", "g.a", "g.b", "g.c", "f.a", "f.c"} | elements
    # f.a is stored as g.a is, so it is loaded, and so is what it is a copy of
    assert names(loaded_fields(program, frozenset())) == {"h.b", "h.c", "g.b", "g.c", "f.c", "s[0].p", "s[1].p"}
