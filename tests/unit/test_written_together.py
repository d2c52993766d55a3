"""What a stretch writes together: one flag tells of all of it."""

from __future__ import annotations

import pytest
from hlir_builder import AT, Builder, apply, const, goto, if_, state, true

from transpiler.analysis.locations import VALIDITY, Location, Locator
from transpiler.hlir import expressions as ex, statements as st
from transpiler.hlir.printer import print_body
from transpiler.hlir.program import Program
from transpiler.schedule.written_together import actions_in, groups_of, with_flags


def built() -> tuple[Builder, Program]:
    b = Builder()
    b.header("h", "h_t", x=8, y=8)
    for name in "abcd":
        b.variable(name, 8)
    b.extern("r", "register", size=4, width=8)
    b.action("one", b.set("a", 1), b.set("b", 1))
    b.action("two", b.set("b", 2), if_(true(), [b.set("c", 2)]))
    b.action("other", b.set("d", 1))
    b.table("t", [("h.x", "exact")], ["one", "two"])
    b.table("u", [("h.x", "exact")], ["other"])
    return b, b.build([state("start", [], goto("accept"))])


def read(b: Builder, into: str) -> st.CallExtern:
    return b.call("register.read", "r", const(0, 32), out=into)


b = built()[0]
A, B, C, D = (b.set(name, 7) for name in "abcd")
THERE = st.SetValid(ex.HeaderRef("h", AT), True, AT)


@pytest.mark.parametrize(
    ("body", "groups"),
    [
        ((A, B), ["ab"]),
        ((A, THERE, B), ["ab"]),
        ((A, apply("u"), B), ["a", "b", "d"]),
        ((if_(true(), [A, B], [A]),), ["a", "b"]),
        ((if_(true(), [A, B], [A, B]), C), ["ab", "c"]),
        ((st.Block("x", (A,), AT), B), ["a", "b"]),
        ((A, read(b, "a"), B), ["b"]),  # something else writes a
        ((A, st.While(true(), (read(b, "b"),), AT), B), ["a"]),
        ((apply("t"),), ["a", "b", "c"]),
        ((apply("t"), apply("u")), ["a", "b", "c", "d"]),
    ],
)  # fmt: skip
def test_groups(body: st.Body, groups: list[str]) -> None:
    _, program = built()
    wanted = frozenset(map(Location, "abcd")) & Locator(program).written_in(body)
    assert ["".join(one.owner for one in group) for group in groups_of(program, body, wanted)] == groups
    assert groups_of(program, body, frozenset()) == ()


def test_whether_a_header_is_there_has_no_flag() -> None:
    _, program = built()
    wanted = frozenset({Location("h", VALIDITY), Location("h", "y"), Location("h", "x")})
    assert groups_of(program, (THERE,), wanted) == ((Location("h", "x"), Location("h", "y")),)


def test_flags_are_set_behind_what_they_tell_of() -> None:
    _, program = built()
    flags = {"f": (Location("a"), Location("b")), "g": (Location("c"),)}
    made, body = with_flags(program, (A, B, apply("t"), if_(true(), [C, A], [D])), flags)
    assert " ".join(print_body(body).split()) == (
        "a = 8w7; b = 8w7; f = true; apply t; if (true) { c = 8w7; a = 8w7; f = true; g = true; } else { d = 8w7; }"
    )
    texts = {action.name: " ".join(print_body(action.body).split()) for action in made.actions}
    assert texts["one"] == "a = 8w1; b = 8w1; f = true;"
    assert texts["two"] == "b = 8w2; if (true) { c = 8w2; g = true; }"
    assert made.action["other"] == program.action["other"]
    assert actions_in(program, (apply("u"), if_(true(), [apply("t")]))) == ("other", "NoAction", "one", "two")
