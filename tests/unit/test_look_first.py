"""The beginning of a first stage that makes the key of a decision alone."""

from __future__ import annotations

import pytest

from transpiler.codegen.c.build import call
from transpiler.codegen.c.nodes import Assign, Block, Body, Do, Goto, If, Label, Literal, Name, Return
from transpiler.codegen.look_first import beginning, without_unread

PARSE = Assign(Name("live"), Name("at"))
ON = Assign(Name("on"), call("macs_decisions_on", "worker"))
KEYED: Body = (
    Block((Assign(Name("where"), call("macs_decisions_place", "worker")),)),
    Return((Do(call("macs_list_add", "to_1")),)),
)
ASKS = If(Name("on"), KEYED)
REST = Do(call("macs_table_lookup"))


def test_the_key_alone_is_left() -> None:
    assert beginning((PARSE, ON, ASKS, REST)) == (PARSE, *KEYED)


def test_jumps_within() -> None:
    jump, label = If(Name("x"), (Goto("parsed"),)), Label("parsed")
    assert beginning((jump, label, ON, ASKS)) == (jump, label, *KEYED)
    block = Block((jump,), label="parsed")
    assert beginning((block, ON, ASKS)) == (block, *KEYED)


@pytest.mark.parametrize(
    "first",
    [
        If(Name("x"), (Return(),)),
        If(Name("x"), (Goto("join_1"),)),
        Do(call("macs_store_bytes", "data")),
        Assign(Name("x"), call("macs_random_next", "worker")),
    ],
    ids=["ends", "goes on elsewhere", "writes", "draws"],
)
def test_what_cannot_be_done_twice(first: If | Do | Assign) -> None:
    assert beginning((first, ON, ASKS)) is None


def test_what_is_stored_for_the_rest_alone_is_left_out() -> None:
    key = Assign(Name("where"), call("macs_decisions_place", Name("z")))
    stores = (Assign(Name("x"), Literal("1")), If(Name("c"), (Assign(Name("y"), Name("x")),)), key)
    given = frozenset({"x", "y", "z"})
    assert without_unread(stores, given) == (If(Name("c"), ()), key)
    assert without_unread(stores, frozenset({"y"})) == (stores[0], If(Name("c"), ()), key)


def test_packets_that_make_no_key() -> None:
    some = If(Name("on"), (If(Name("x"), KEYED), Return()))
    assert beginning((PARSE, ON, some)) is None
    assert beginning((PARSE, If(Name("x"), (ASKS,)))) is None
    assert beginning((PARSE, REST, Return())) is None
    assert beginning((Assign(Name("x"), Literal("1")),)) is None
