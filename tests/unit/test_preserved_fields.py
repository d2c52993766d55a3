"""What a second pass begins with: what a packet asks to be kept, and nothing where it asks for none."""

from __future__ import annotations

import re

import pytest
from hlir_builder import AT, Builder, const, emit, extract, goto, state

from macsad.resources import share
from transpiler.codegen.capabilities import check
from transpiler.codegen.generate import generate
from transpiler.codegen.in_frame import in_frame_where_valid
from transpiler.diagnostics import Diagnostics, Rejected
from transpiler.hlir import expressions as ex, statements as st
from transpiler.hlir.types import Bits, Varbit
from transpiler.targets.find import builtin


def builder() -> Builder:
    b = Builder()
    b.header("h", "h_t", a=8, rest=Varbit(64))
    b.stack("s", "s_t", 2, f=8)
    b.variable("m.x", 8)
    b.variable("m.v", Varbit(64))
    return b


def c_of(b: Builder, *ingress: st.Statement) -> str:
    start = state("start", [extract("h", b.get("m.x"))], goto("accept"))
    program = b.build([start], ingress, deparser=[emit("h")])
    return generate(program, builtin(), share("templates"), Diagnostics()).c


@pytest.mark.parametrize("method", ["resubmit.request", "recirculate.request"])
@pytest.mark.parametrize("fields", [[], ["m.x"], ["h.a", "m.x"]])
def test_fields_are_kept_where_there_are_some(method: str, fields: list[str]) -> None:
    b = builder()
    copies = [f"live->{name.replace('.', '_')} = before->{name.replace('.', '_')};" for name in fields]
    body = (b.set("h.a", b.get("m.x")), b.set("m.x", 3), b.call(method, None, fields=fields))
    c = c_of(b, *body)
    assert ("macs_preserve(" in c) == bool(fields)
    assert all(copy in c for copy in copies)


PRESERVE = """static inline void macs_preserve(struct live *live, const struct live *before, uint8_t list) {
    switch (list) {
    case 1:
        live->m_x = before->m_x;
        break;
    case 2:
        live->s_f[1] = before->s_f[1];
        live->h_a = before->h_a;
        break;
    default:
        break;
    }
}
"""


def test_each_list_keeps_its_own_fields() -> None:
    """Those of a stack are elements of an array. A request names its list, by a number; two may name the same one."""
    b = builder()
    lists = (["m.x"], ["s[1].f", "h.a"], ["m.x"], [])
    sets = [
        b.set("h.a", b.get("m.x")),
        b.set("m.x", 3),
        b.set("s[1].f", b.get("m.x")),
        b.set("s[0].f", b.get("s[1].f")),
    ]
    c = c_of(b, *sets, *(b.call("resubmit.request", None, fields=fields) for fields in lists))
    assert PRESERVE in c
    assert re.findall(r"macs_request_resubmit\(packet, (\d)\);", c) == ["1", "2", "1", "0"]


@pytest.mark.parametrize(("lists", "fits"), [(255, True), (256, False)])
def test_lists_have_numbers_of_a_byte(lists: int, fits: bool) -> None:
    """The empty list is number 0."""
    b = builder()
    for number in range(lists):
        b.variable(f"m.{number}", 8)
    body = [b.call("resubmit.request", None, fields=[f"m.{number}"]) for number in range(lists)]
    program = b.build([state("start", [extract("h", b.get("m.x"))], goto("accept"))], body, deparser=[emit("h")])
    diagnostics = Diagnostics()
    try:
        check(program, builtin(), diagnostics)
    except Rejected:
        assert not fits and "more than 256 lists of preserved fields" in diagnostics.messages[0].message
    else:
        assert fits


def test_clones_that_keep_no_fields_keep_headers() -> None:
    """By the functions that stand in the C."""
    b = builder()
    start = state("start", [extract("h", b.get("m.x"))], goto("accept"))
    program = b.build([start], egress=[b.call("clone.egress", None, const(1, 32))], deparser=[emit("h")])
    c = generate(program, builtin(), share("templates"), Diagnostics()).c
    for called in ("macs_keep_headers(live);", "macs_preserve(live, "):
        assert called in c and f"static inline void {called.partition('(')[0]}(" in c


@pytest.mark.parametrize("fields", [[], ["m.x"], ["h.a"]])
def test_a_header_of_which_fields_are_preserved_need_not_lie_in_the_frame(fields: list[str]) -> None:
    b = builder()
    b.header("g", "h_t")
    starts = [extract(name, b.get("m.x")) for name in "hg"]
    program = b.build([state("start", starts, goto("accept"))], [b.call("resubmit.request", None, fields=fields)])
    assert in_frame_where_valid(program) == {"g"} | ({"h"} if "h.a" not in fields else set())


@pytest.mark.parametrize(
    ("field", "message"),
    [
        (ex.FieldRef(ex.HeaderRef("h", AT), "rest", AT), "preserving a varbit"),
        (builder().place("m.v"), "preserving a varbit"),
        (
            ex.FieldRef(
                ex.ElementRef("s", ex.Cast(builder().get("m.x"), Bits(32), AT), AT),
                "f", AT,
            ),
            "preserving 'f' of a stack element chosen at run time",
        ),
    ],
)  # fmt: skip
def test_what_cannot_be_kept_is_said(field: ex.Place, message: str) -> None:
    b = builder()
    call = st.CallExtern("resubmit.request", None, (), (), AT, (field,))
    diagnostics = Diagnostics()
    start = state("start", [extract("h", b.get("m.x"))], goto("accept"))
    program = b.build([start], [call], deparser=[emit("h")])
    with pytest.raises(Rejected):
        generate(program, builtin(), share("templates"), diagnostics)
    assert [m.message for m in diagnostics.messages] == [f"target 'software' does not support {message}"]
