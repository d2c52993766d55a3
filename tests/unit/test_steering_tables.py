"""The table by which frames are steered, whole: which bytes are compared, and of which bits the worker's number is made."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import pytest
from hlir_builder import AT, Builder, any_, apply, binary, const, emit, exact, extract, goto, if_, select, state, valid

from transpiler.hlir import expressions as ex, statements as st
from transpiler.hlir.program import Program
from transpiler.hlir.types import Bits
from transpiler.schedule.atomic_regions import with_atomic_regions
from transpiler.schedule.steering import Columns, Node, Steering

Make = Callable[[Builder], ex.Expression]


def updates(b: Builder, register: str, index: ex.Expression) -> list[st.Statement]:
    """What the register held goes into the packet."""
    at = ex.Cast(index, Bits(32), AT)
    return [
        b.call("register.read", register, at, out="h.v"),
        b.call("register.write", register, at, b.get("h.w")),
    ]


def program(index: Make, other: Make | None = None) -> Program:
    """A header h of 13 bytes, and behind it one of 3 where the first byte is 5; only there the registers r and s are touched."""
    b = Builder()
    b.header("h", "h_t", kind=8, a=16, b=16, v=32, w=32)
    b.header("g", "g_t", x=24)
    for name in "rs":
        b.extern(name, "register", size=1 << 16, width=32)
    body = updates(b, "r", index(b))
    if other is not None:  # a region of its own
        b.action("act", *updates(b, "s", other(b)))
        b.table("t", [("h.kind", "exact")], ["act"])
        body.append(apply("t"))
    start = state("start", [extract("h")], select(b.get("h.kind"), (exact(5, 8), "more"), (any_(), "accept")))
    more = state("more", [extract("g")], goto("accept"))
    ingress = [if_(valid("g"), [if_(binary("!=", b.get("h.kind"), const(9, 8)), body)])]
    return b.build([start, more], ingress, deparser=[emit("h"), emit("g")])


NODES = (Node(13, 0, 0, 1, 4), Node(0, 0xFF, 5, 2, 4), Node(16, 0, 0, 3, 4))
EACH = 0x8040201008040201  # of the byte of column n its bit n
SWAPPED = 0x0102040810204080


def a(b: Builder) -> ex.Expression:
    return b.get("h.a")


@pytest.mark.parametrize(
    ("index", "constant", "terms"),
    [
        (a, 0, ((2, EACH),)),
        (lambda b: b.get("g.x"), 0, ((15, EACH),)),
        (lambda b: binary("^", b.get("h.a"), b.get("h.b")), 0, ((2, EACH), (4, EACH))),
        (lambda b: binary("^", b.get("h.a"), const(0x135, 16)), 0x35, ((2, EACH),)),
        (lambda b: ex.Slice(b.get("h.a"), 15, 8, AT), 0, ((1, EACH),)),
        (lambda b: ex.Slice(b.get("h.a"), 11, 4, AT), 0, ((1, 0x0804020100000000), (2, 0x80402010))),
        (lambda b: binary("++", ex.Slice(b.get("h.a"), 3, 0, AT), const(1, 2), Bits(6)), 0, ((2, 0x08040201),)),
    ],
)  # fmt: skip
def test_the_bits_of_the_workers_number(index: Make, constant: int, terms: tuple[tuple[int, int], ...]) -> None:
    """The lowest bits of the index that depend on the frame. Frames that touch nothing are the first worker's."""
    steering = with_atomic_regions(program(index)).steering
    columns = sum((mask >> 8 * n & 0xFF) != 0 for n in range(8) for mask in [terms[0][1] | terms[-1][1]])
    assert steering == Steering(frozenset("r"), NODES, (Columns(constant, terms), Columns(0, ())), columns, {})


@pytest.mark.parametrize(
    ("index", "other", "sharded", "refused"),
    [
        (a, a, "rs", {}),
        (a, lambda b: b.get("h.b"), "r", {"s": "its indexes have no bits that are those of the sharded ones"}),
        (a, lambda b: binary("*", b.get("h.a"), b.get("h.b")), "r",
         {"s": "no bits of its indexes are known from the frame alone, wherever it is accessed"}),
        (lambda b: binary("*", b.get("h.a"), b.get("h.b")), a, "s",
         {"r": "no bits of its indexes are known from the frame alone, wherever it is accessed"}),
        (lambda b: const(3, 16), None, "",
         {"r": "no bits of its indexes are known from the frame alone, wherever it is accessed"}),
    ],
)  # fmt: skip
def test_which_registers_are_sharded_together(
    index: Make, other: Make | None, sharded: str, refused: dict[str, str]
) -> None:
    steering = with_atomic_regions(program(index, other)).steering
    assert (steering.sharded, steering.refused) == (set(sharded), refused)
    assert [steering.why_not(name) for name in "rs"] == [refused.get(name, "") for name in "rs"]


def chosen(body: Callable[[Builder], list[st.Statement]]) -> Steering:
    """Of a register r, at the index that statements leave in m.i. The frame does not tell what m.x is, m.k is 3."""
    b = Builder()
    b.header("h", "h_t", kind=8, a=16, b=16, v=32, w=32)
    for name, width in (("i", 16), ("x", 8), ("k", 8)):
        b.variable(f"m.{name}", width)
    b.extern("r", "register", size=1 << 16, width=32)
    drawn = b.call("random.range", None, const(0, 8), const(9, 8), out="m.x")
    ingress = [drawn, b.set("m.k", 3), *body(b), *updates(b, "r", b.get("m.i"))]
    program = b.build([state("start", [extract("h")], goto("accept"))], ingress, deparser=[emit("h")])
    return with_atomic_regions(program).steering


def is_a(b: Builder) -> st.Statement:
    return b.set("m.i", b.get("h.a"))


def is_near(b: Builder) -> st.Statement:
    """Two of its bits are others than those of h.a."""
    return b.set("m.i", binary("^", b.get("h.a"), const(0x82, 16)))


def is_b(b: Builder) -> st.Statement:
    return b.set("m.i", b.get("h.b"))


def switch(b: Builder, subject: str, *cases: tuple[int, st.Statement], default: list[st.Statement]) -> st.Switch:
    made = tuple(st.SwitchCase((value,), (body,), AT) for value, body in cases)
    return st.Switch(b.get(subject), made, tuple(default), AT)


def asked(b: Builder) -> ex.Expression:
    return binary("==", b.get("m.x"), const(1, 8))


@pytest.mark.parametrize(
    ("body", "bits"),
    [
        (lambda b: [is_a(b)], range(8)),
        (lambda b: [is_b(b), is_a(b)], range(8)),
        (lambda b: [if_(asked(b), [is_a(b)], [is_a(b)])], range(8)),
        (lambda b: [if_(asked(b), [is_a(b)], [is_near(b)])], (0, 2, 3, 4, 5, 6, 8, 9)),
        (lambda b: [is_near(b), if_(asked(b), [is_a(b)])], (0, 2, 3, 4, 5, 6, 8, 9)),
        (lambda b: [if_(asked(b), [is_a(b)], [is_b(b)])], ()),
        (lambda b: [if_(binary("==", b.get("m.k"), const(3, 8)), [is_a(b)], [is_b(b)])], range(8)),
        (lambda b: [if_(binary("==", b.get("m.k"), const(4, 8)), [is_b(b)], [is_a(b)])], range(8)),
        (lambda b: [switch(b, "m.k", (3, is_a(b)), (4, is_b(b)), default=[is_b(b)])], range(8)),
        (lambda b: [switch(b, "m.k", (4, is_b(b)), default=[is_a(b)])], range(8)),
        (lambda b: [switch(b, "m.x", (3, is_a(b)), default=[is_near(b)])], (0, 2, 3, 4, 5, 6, 8, 9)),
        (lambda b: [switch(b, "m.x", (3, is_a(b)), default=[is_b(b)])], ()),
        (lambda b: [st.Block("l", (is_a(b), if_(asked(b), [st.Leave("l", AT)]), is_near(b)), AT)], (0, 2, 3, 4, 5, 6, 8, 9)),
        (lambda b: [st.Block("l", (is_a(b), st.Leave("l", AT), is_b(b)), AT)], range(8)),
        (lambda b: [is_a(b), st.While(asked(b), (is_b(b),), AT)], ()),
        (lambda b: [is_a(b), st.While(asked(b), (b.set("m.x", 1),), AT)], range(8)),
    ],
)  # fmt: skip
def test_what_is_known_of_an_index_where_ways_meet(
    body: Callable[[Builder], list[st.Statement]], bits: Sequence[int]
) -> None:
    """The bits that are the same on all of them; the two bytes of h.a are the second and the third one of the frame."""
    found = chosen(body)
    if not bits:
        assert not found.sharded
        return
    terms: dict[int, int] = {}
    for column, bit in enumerate(bits):
        terms[2 - bit // 8] = terms.get(2 - bit // 8, 0) | 1 << bit % 8 << 8 * column
    assert found.leaves[0].terms == tuple(sorted(terms.items())) and found.columns == len(bits)
