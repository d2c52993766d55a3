"""What templates get to see of tables and value sets, whole: key fields, actions and their data, constant entries."""

from __future__ import annotations

from dataclasses import fields, is_dataclass, replace
from typing import Any

import pytest
from hlir_builder import AT, Builder, any_, apply, const, emit, exact, extract, goto, state

from transpiler.codegen.names import Names
from transpiler.codegen.outside import Outside
from transpiler.codegen.tables import Tables, members_key
from transpiler.diagnostics import Span
from transpiler.hlir import expressions as ex
from transpiler.hlir.interface import Annotation
from transpiler.hlir.program import SUPPORT_TIMEOUT, ActionCall, MatchKind, Program, ValueSet
from transpiler.hlir.types import Bits, Bool
from transpiler.targets.target import Kernel


def mask(value: int, of: int, width: int) -> ex.MaskSet:
    return ex.MaskSet(const(value, width), const(of, width), AT)


def plain(of: Any) -> Any:
    """A view as plain values."""
    if isinstance(of, Outside):
        return of.text
    if is_dataclass(of):
        return tuple(plain(getattr(of, field.name)) for field in fields(of))
    return tuple(map(plain, of)) if isinstance(of, tuple) else of


def program(**changes: Any) -> Program:
    b = Builder()
    b.header("h", "h_t", ip=32, port=9, kind=4, flags=3, wide=48)
    b.action("C.send", port=9, wide=Bits(80), ok=Bool(), signed=Bits(20, True))
    b.action("D.send", port=9)
    b.action("drop")
    b.extern("seen", "direct_counter", unit="packets", automatic=1)
    span = ex.RangeSet(const(2, 9), const(300, 9), AT)
    b.table(
        "C.t",
        [("h.ip", "lpm"), ("h.port", "range"), ("h.kind", "ternary"), ("h.flags", "optional"), ("h.wide", "exact")],
        ["C.send", "D.send", "drop"],
        "drop",
        [
            b.entry([mask(0x0A0B0C00, 0xFFFFFF00, 32), span, mask(5, 6, 4), exact(7, 3), exact(0x010203040506, 48)],
                    "C.send", [300, 0xA0000000000000000002, 1, 0xFFFFF], 9),
            b.entry([any_(), any_(), any_(), any_(), exact(1, 48)], "D.send", [4]),
        ],
        size=77,
        const_entries=True,
    )  # fmt: skip
    b.tables = [replace(b.tables[0], **changes)]
    body = [apply("C.t")]
    return b.build([state("start", [extract("h")], goto("accept"))], body, deparser=[emit("h")])


KEY = (
    ("h.ip", 32, 10, "MACS_LPM", 0),
    ("h.port", 9, 0, "MACS_RANGE", 0),
    ("h.kind", 4, 2, "MACS_TERNARY", 0),
    ("h.flags", 3, 3, "MACS_OPTIONAL", 0),
    ("h.wide", 48, 4, "MACS_EXACT", 0),
)
ACTIONS = (
    (
        "C.send", "as_C_send", "C_t_action_C_send", "MACS_ANYWHERE",
        (
            ("port", "port", "uint16_t", 9, 2, 0),
            ("wide", "wide", "macs_w2", 80, 16, 0),
            ("ok", "ok", "bool", 1, 1, 0),
            ("signed", "signed_2", "uint32_t", 20, 4, 0),
        ),
        "t.p4:1",
    ),
    ("D.send", "as_D_send", "C_t_action_D_send", "MACS_ANYWHERE", (("port", "port", "uint16_t", 9, 2, 0),), "t.p4:1"),
    ("drop", "as_drop", "C_t_action_drop", "MACS_ANYWHERE", (), "t.p4:1"),
)  # fmt: skip
ENTRIES = (
    (
        "0, 2, 4, 7, 1, 2, 3, 4, 5, 6, 10, 11, 12, 0",
        "1, 255, 6, 7, 255, 255, 255, 255, 255, 255, 255, 255, 255, 0",
        "1, 44, 4, 7, 1, 2, 3, 4, 5, 6, 10, 11, 12, 0",
        104,
        9,
        "{.head = {.action = C_t_action_C_send}, .as_C_send = {.port = 0x12c, "
        ".wide = {{2, 0xa000}}, .ok = true, .signed_2 = 0xfffff}}",
        "t.p4:1",
    ),
    (
        "0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0",
        "0, 0, 0, 0, 255, 255, 255, 255, 255, 255, 0, 0, 0, 0",
        "1, 255, 15, 7, 0, 0, 0, 0, 0, 1, 255, 255, 255, 255",
        80,
        0,
        "{.head = {.action = C_t_action_D_send}, .as_D_send = {.port = 4}}",
        "t.p4:1",
    ),
)


def test_a_table() -> None:
    """The prefix is the last field of the packed key, the others are in the program's order; of two actions of one name each has
    its whole name."""
    view = Tables(program(), Names(), {}).view("C.t", 3)
    assert plain(view.fields) == KEY and view.prefix_offset == 10 and view.ref.key_bytes == 14
    assert plain(view.actions) == ACTIONS
    assert plain(view.entries) == ENTRIES
    assert plain(view.default) == ("", "", "", 0, 0, "{.head = {.action = C_t_action_drop}}", "")
    assert (view.const_entries, plain(view.const_since), view.const_default) == (True, "t.p4:1", False)
    assert (view.size, view.profile, plain(view.control_name), plain(view.cite)) == (77, 3, "C.t", "t.p4:1")
    assert view.why == "range 9 bits, ternary 4 bits, optional 3 bits, exact 48 bits, lpm 32 bits"
    assert (view.indexed, view.ages, view.deletes, view.learns) == (False, False, False, False)
    assert (view.ref.name, view.ref.number, view.ref.entry_type, view.ref.size) == ("C_t", 0, "struct C_t_entry", 77)


def test_what_a_default_action_is_given() -> None:
    call = ActionCall("D.send", (const(511, 9),), AT)
    view = Tables(program(default_action=call), Names(), {}).view("C.t", 0)
    assert view.default.data == "{.head = {.action = C_t_action_D_send}, .as_D_send = {.port = 0x1ff}}"


def test_entries_that_are_code_have_their_number() -> None:
    """They are found without an index."""
    compare = Kernel("compare", frozenset(MatchKind), kept_by="linear")
    tables = Tables(program(), Names(), {"C.t": compare})
    assert [entry.data.partition("}")[0] for entry in tables.view("C.t", 0).entries] == [
        "{.head = {.action = C_t_action_C_send",
        "{.head = {.action = C_t_action_D_send, .index = 1",
    ]
    assert tables.ref("C.t").compared and tables.ref("C.t").kernel == "linear"


@pytest.mark.parametrize(
    ("changes", "indexed", "constant"),
    [({"direct": ("seen",)}, True, "t.p4:1"), ({"const_entries": False}, False, None), ({}, False, "t.p4:1")],
)
def test_who_needs_the_index_of_an_entry(changes: dict[str, Any], indexed: bool, constant: str | None) -> None:
    view = Tables(program(**changes), Names(), {}).view("C.t", 0)
    assert (view.indexed, plain(view.const_since)) == (indexed, constant)


def test_entries_that_may_time_out_are_known_by_their_index() -> None:
    ages = Tables(program(annotations=(Annotation(SUPPORT_TIMEOUT, "true", AT),)), Names(), {})
    assert ages.view("C.t", 0).indexed and ages.view("C.t", 0).ages and ages.ref("C.t").indexed


def test_where_it_is_said_that_entries_are_constant() -> None:
    """At the first of them, or at the default one where there are none."""
    made = program()
    (table,) = made.tables
    entries = tuple(replace(entry, span=Span("dir/e.txt", n, 1)) for n, entry in enumerate(table.entries, 4))
    default = replace(table.default_action, span=Span("d.p4", 9, 1))
    for given, where in ((entries, "e.txt:4"), ((), "d.p4:9")):
        view = Tables(program(entries=given, default_action=default), Names(), {}).view("C.t", 0)
        assert plain(view.const_since) == where
        assert [plain(entry.cite) for entry in view.entries] == ["e.txt:4", "e.txt:5"][: len(given)]


def test_words_have_the_places_of_their_fields() -> None:
    b = Builder()
    b.header("h", "h_t", a=9, b=7)
    b.action("to", port=9, kind=3)
    b.table("t", [("h.a", "exact"), ("h.b", "exact")], ["to"])
    made = b.build([state("start", [extract("h")], goto("accept"))], [apply("t")], deparser=[emit("h")])
    packed = Kernel("exact_packed", frozenset({MatchKind.EXACT}), words=True, steps=1)
    view = Tables(made, Names(), {"t": packed}).view("t", 0)
    assert plain(view.fields) == (("h.a", 9, 0, "MACS_EXACT", 7), ("h.b", 7, 2, "MACS_EXACT", 0))
    (to, nothing) = view.actions
    assert plain(to.parameters) == (("port", "port", "uint16_t", 9, 2, 1), ("kind", "kind", "uint8_t", 3, 1, 10))
    assert to.member == "as_to" and not nothing.parameters
    ref = view.ref
    assert (ref.words, ref.key_bits, ref.data_bits, ref.action_bits, ref.steps) == (True, 16, 13, 1, 1)
    assert not Tables(made, Names(), {"t": replace(packed, words=False)}).ref("t").words


def test_a_value_set() -> None:
    kinds = (MatchKind.EXACT, MatchKind.LPM, MatchKind.TERNARY)
    made = replace(program(), value_sets=(ValueSet("P.s", (Bits(12), Bits(16), Bits(3)), kinds, 5, AT),))
    linear = Kernel("linear", frozenset(MatchKind), steps=2)
    view = Tables(made, Names(), {"P.s": linear}).value_set("P.s")
    assert plain(view) == (
        plain(view.ref),
        "P.s",
        (("field0", 12, 0, "MACS_EXACT", 0), ("field1", 16, 3, "MACS_LPM", 0), ("field2", 3, 2, "MACS_TERNARY", 0)),
        3,
        5,
        "t.p4:1",
    )
    ref = view.ref
    assert (ref.name, ref.number, ref.entry_type) == ("P_s", 1, "struct macs_entry")
    assert (ref.key_bytes, ref.kernel, ref.steps) == (5, "linear", 2)
    assert [key.expression for key in members_key(made.value_sets[0])] == [const(0, 12), const(0, 16), const(0, 3)]
