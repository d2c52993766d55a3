"""What generated C is told of extern instances: their sizes, fields, first values, locks and cells, and how it counts by them."""

from __future__ import annotations

import re
from dataclasses import replace
from types import SimpleNamespace

import pytest
from hlir_builder import AT, Builder, apply, const, emit, extract, goto, state

from macsad.resources import share
from transpiler.codegen.c.nodes import Literal
from transpiler.codegen.c.printer import Printer
from transpiler.codegen.extern_calls import Call
from transpiler.codegen.externs import Externs
from transpiler.codegen.generate import generate
from transpiler.codegen.names import Names
from transpiler.diagnostics import Diagnostics
from transpiler.externs.table import KINDS, METHODS
from transpiler.hlir.expressions import ListExpression, Text
from transpiler.hlir.interface import (
    Annotation,
    ErrorType,
    Interface,
    NamedType,
    StackType,
    StructDefinition,
    TupleType,
    TypeKind,
    scalars,
)
from transpiler.hlir.program import ADD_ON_MISS, AUTO_DELETE, SUPPORT_TIMEOUT, Program
from transpiler.hlir.statements import Statement
from transpiler.hlir.types import Bits, Bool
from transpiler.schedule.atomic_regions import Group, Kept
from transpiler.schedule.bundles import Bundle
from transpiler.targets.find import builtin


def built(b: Builder, *body: Statement) -> Program:
    return b.build([state("start", [], goto("accept"))], body)


@pytest.mark.parametrize(
    ("width", "value", "words"),
    [
        (8, 0, ()),
        (8, 7, ("0x7",)),
        (64, (1 << 64) - 1, ("0xffffffffffffffff",)),
        (65, 1 << 64, ("0x0", "0x1")),
        (128, 1 << 127 | 5, ("0x5", "0x8000000000000000")),
        (192, 3, ("0x3", "0x0", "0x0")),
    ],
)
def test_what_cells_hold_at_first(width: int, value: int, words: tuple[str, ...]) -> None:
    b = Builder()
    b.extern("r", "register", size=4, width=width, initial=value)
    program = built(b)
    view = Externs(program, Names()).view(program.extern["r"])
    assert view.initial == tuple(f"UINT64_C({word})" for word in words)
    assert (view.size, view.bits, view.fields) == ("4", width, ())


@pytest.mark.parametrize(
    ("width", "cell", "prefetch", "read"),
    [
        (8, 1, "8", "x = macs_register_read8("),
        (9, 2, "16", "x = (uint16_t)(macs_register_read16("),
        (64, 8, "64", "x = macs_register_read64("),
        (65, 16, "", "macs_register_read_words("),
    ],
)
def test_cells_of_registers(width: int, cell: int, prefetch: str, read: str) -> None:
    b = Builder()
    b.variable("x", width)
    b.extern("r", "register", size=4, width=width)
    b.header("h", "h_t", a=width, pad=-width % 8 or 8)
    kind, instance = KINDS["register"], b.externs[0]
    assert kind.cell_bytes is not None and kind.cell_bytes(instance) == cell
    assert kind.prefetch is not None and kind.prefetch(instance) == f"macs_register_prefetch{prefetch}"
    body = [b.call("register.read", "r", const(1, 32), out="x"), b.set("h.a", b.get("x"))]
    program = b.build([state("start", [extract("h")], goto("accept"))], body, deparser=[emit("h")])
    assert read in generate(program, builtin(), share("templates"), Diagnostics()).c


@pytest.mark.parametrize(
    ("width", "colour", "hash_"),
    [
        (1, "(uint8_t)({} & 1)", "(uint8_t)({} & 1)"),
        (8, "(uint8_t){}", "(uint8_t){}"),
        (12, "(uint16_t)({} & 0xfff)", "(uint16_t)({} & 0xfff)"),
        (32, "(uint32_t){}", "(uint32_t){}"),
        (63, f"(uint64_t)({{}} & UINT64_C({(1 << 63) - 1:#x}))", f"(uint64_t)({{}} & UINT64_C({(1 << 63) - 1:#x}))"),
        (64, "{}", "(uint64_t){}"),
        (65, "macs_w2_of({})", "macs_w2_of({})"),
        (129, "macs_w3_of({})", "macs_w3_of({})"),
    ],
)
def test_results_have_the_width_of_their_place(width: int, colour: str, hash_: str) -> None:
    b = Builder()
    for name in "xy":
        b.variable(name, width)
    b.header("h", "h_t", a=width, b=width, pad=-2 * width % 8 or 8)
    b.extern("m", "meter", size=4, unit="packets")
    body = [
        b.call("meter.execute", "m", const(1, 32), out="x"),
        b.set("h.a", b.get("x")),
        b.call("hash.compute", None, Text("crc16", AT), b.values("h.pad"), out="y"),
        b.set("h.b", b.get("y")),
    ]
    program = b.build([state("start", [extract("h")], goto("accept"))], body, deparser=[emit("h")])
    c = generate(program, builtin(), share("templates"), Diagnostics()).c
    asked = "macs_meter_execute(externs[m_extern], worker, 1, packet->length)"
    assert f"x = {colour.format(asked)}; /*" in c
    assert f"y = {hash_.format('macs_checksum_crc16((struct macs_bytes){list, 1, NULL, 0})')};" in c


@pytest.mark.parametrize("width", [None, 16, 32])
def test_programs_have_the_code_of_crcs_that_are_set(width: int | None) -> None:
    b = Builder()
    b.header("h", "h_t", a=32, b=8)
    if width is not None:
        b.extern("crc", "custom_crc", width=width)
    call = b.call("custom_crc.compute", "crc", b.values("h.b"), out="h.a")
    body = [] if width is None else [call]
    program = b.build([state("start", [extract("h")], goto("accept"))], body, deparser=[emit("h")])
    c = generate(program, builtin(), share("templates"), Diagnostics()).c
    assert ("#include <macs/custom_crc.h>" in c) == (width is not None)


PAIR = NamedType(TypeKind.STRUCT, "pair_t")


@pytest.mark.parametrize(
    ("data", "width", "fields"),
    [
        (Bits(24), 24, []),
        (TupleType((Bits(8),)), 8, []),
        (TupleType((Bits(8), Bool())), 9, [("[0]", 8), ("[1]", 1)]),
        (PAIR, 24, [("a", 8), ("b", 16)]),
        (PAIR, 32, []),  # some of it has no bits of its own
        (None, 24, []),
    ],
)
def test_fields_of_registers(data: object, width: int, fields: list[tuple[str, int]]) -> None:
    b = Builder()
    b.extern("r", "register", size=4, width=width)
    b.externs = [replace(b.externs[0], data=data)]  # type: ignore[arg-type]
    pair = StructDefinition(TypeKind.STRUCT, "pair_t", (("a", Bits(8)), ("b", Bits(16))))
    program = replace(built(b), interface=Interface((pair,)))
    view = Externs(program, Names()).view(program.extern["r"])
    assert [(field.name.text, field.bits) for field in view.fields] == fields


def test_scalars_of_stacks_and_of_what_has_no_bits() -> None:
    pair = StructDefinition(TypeKind.HEADER, "pair_t", (("a", Bits(8)), ("b", Bits(16))))
    union = StructDefinition(TypeKind.HEADER_UNION, "u_t", (("one", NamedType(TypeKind.HEADER, "pair_t")),))
    stack = StackType(NamedType(TypeKind.HEADER, "pair_t"), 2)
    data = TupleType((stack, NamedType(TypeKind.HEADER_UNION, "u_t"), ErrorType(), Bool()))
    found = list(scalars(data, {"pair_t": pair, "u_t": union}))
    assert found == [("[0][0].a", 8), ("[0][0].b", 16), ("[0][1].a", 8), ("[0][1].b", 16), ("[3]", 1)]


@pytest.mark.parametrize(("fields", "names"), [({}, ["a", "value", "field2"]), ({"fields": "x,y,z"}, ["x", "y", "z"])])
def test_fields_of_digests(fields: dict[str, str], names: list[str]) -> None:
    """By the names of the record, else by what they are read from."""
    b = Builder()
    b.header("h", "h_t", a=8)
    b.variable("m.value", 16)
    b.extern("d", "digest", **fields)
    record = ListExpression((b.get("h.a"), b.get("m.value"), const(1, 4)), AT)
    program = built(b, b.call("digest.send", "d", record))
    view = Externs(program, Names()).view(program.extern["d"])
    assert [(field.name.text, field.bits) for field in view.fields] == list(zip(names, (8, 16, 4), strict=True))


def test_profiles_that_no_table_has_are_left_out() -> None:
    b = Builder()
    b.variable("k", 8)
    for name in ("p", "q"):
        b.extern(name, "action_profile", size=8)
    b.extern("s", "action_selector", size=8, algorithm="crc16", width=8)
    b.extern("c", "counter", size=5, unit="bytes")
    b.table("t", [("k", "exact")], [], implementation="q")
    b.table("u", [("k", "exact")], [], implementation="q")
    program = built(b, apply("t"), apply("u"))
    externs = Externs(program, Names())
    assert [extern.name for extern in externs.instances] == ["q", "c"]
    assert [externs.view(extern).number for extern in externs.instances] == [0, 1]
    view = externs.view(program.extern["q"])
    assert (view.table.text, view.size, view.cells) == ("t", "8", None)
    assert externs.view(program.extern["c"]).table.text == ""


def test_tables_of_one_profile_run_each_others_actions() -> None:
    b = Builder()
    b.variable("k", 8)
    b.extern("p", "action_profile", size=8)
    for table, name in (("t", "one"), ("u", "two")):
        b.action(name)
        b.table(table, [("k", "exact")], [name], "NoAction", implementation="p")
    b.tables = [
        replace(table, actions=tuple(replace(use, default_only=use.action == "NoAction") for use in table.actions))
        for table in b.tables
    ]
    c = generate(built(b, apply("t"), apply("u")), builtin(), share("templates"), Diagnostics()).c
    found = re.findall(r'\{\.name = "(one|two|NoAction)", \.scope = MACS_(\w+)\}', c)
    assert sorted(found) == [("NoAction", "DEFAULT_ONLY")] * 2 + [("one", "ANYWHERE")] * 2 + [("two", "ANYWHERE")] * 2


def test_locks_and_cells_of_registers() -> None:
    b = Builder()
    for name, size, width in (("r", 100, 32), ("q", 7, 8), ("alone", 0, 16)):
        b.extern(name, "register", size=size, width=width)
    program = built(b)
    groups = (
        Group(frozenset("rq"), Kept.STRIPES), Group(frozenset({"alone"}), Kept.LOCK, True),
        Group(frozenset({"alone"}), Kept.UPDATES), Group(frozenset({"alone"}), Kept.STRIPES),
    )  # fmt: skip
    externs = Externs(program, Names(), groups=groups, bundles=(Bundle((("q", 0), ("r", 4)), 8),))
    assert [(v.stripes, v.registers.text, v.sharded) for v in externs.lock_views] == [
        (100, "q, r", False), (1, "alone", True), (0, "alone", False), (1, "alone", False),
    ]  # fmt: skip
    assert [externs.group(name) for name in ("r", "q", "alone")] == [0, 0, 1]
    assert externs.is_striped("r") and not externs.is_striped("alone")
    cells = [externs.view(program.extern[name]).cells for name in ("r", "q", "alone")]
    assert [(c.leader, c.at, c.stride) for c in cells if c is not None] == [
        ("q_extern", 4, 8), ("q_extern", 0, 8), ("alone_extern", 0, 2),
    ]  # fmt: skip
    alone = Externs(program, Names())
    assert alone.group("r") is None and not alone.is_striped("r") and alone.lock_views == ()


@pytest.mark.parametrize(
    ("deferred", "large", "hit", "c"),
    [
        (True, False, False, "macs_counts_defer(&counts[c_extern], worker, 3, 64, false);"),
        (True, True, True, "macs_counts_defer_hit(&counts[c_extern], worker, 3, 64, true);"),
        (False, True, False, "macs_counts_add(&counts[c_extern], 3, 64);"),
        (False, False, True, "macs_counts_hit(&counts[c_extern], 3, 64);"),
    ],
)
def test_counts(deferred: bool, large: bool, hit: bool, c: str) -> None:
    b = Builder()
    b.extern("c", "counter", size=5, unit="bytes")
    externs = Externs(built(b), Names(), deferred=deferred, large_counters=frozenset("c" if large else ""))
    made = externs.count("c", Literal("3"), Literal("64"), "", hit=hit)
    assert Printer().body((made,)).strip() == c


@pytest.mark.parametrize(
    ("says", "calls"),
    [
        (None, ["macs_counts_hit"]),
        (ADD_ON_MISS, ["macs_counts_add"]),
        (SUPPORT_TIMEOUT, ["macs_counts_hit", "macs_ages_hit"]),
        (AUTO_DELETE, ["macs_counts_hit"]),  # only calls restart the time
    ],
)
def test_what_a_hit_does_by_itself(says: str | None, calls: list[str]) -> None:
    b = Builder()
    b.variable("k", 8)
    b.extern("c", "direct_counter", unit="bytes", automatic=1)
    b.extern("asked", "direct_counter", unit="bytes", automatic=0)
    b.table("t", [("k", "exact")], [], direct=["c", "asked"])
    notes = (Annotation(says, "true", AT),) if says else ()
    b.tables = [replace(b.tables[0], annotations=notes)]
    program = built(b, apply("t"))
    declared, done = Externs(program, Names(), deferred=False).on_hit(program.table["t"], "")
    assert declared == () and re.findall(r"macs_\w+", Printer().body(done)) == calls


def test_a_meter_that_nobody_asked_gives_what_its_call_is_given() -> None:
    """Which needs no assignment where that is the place itself."""
    b = Builder()
    for name in "xy":
        b.variable(name, 8)
    b.extern("d", "direct_meter", unit="packets", automatic=1)
    for given, made in ((b.get("x"), False), (b.get("y"), True), (const(3, 8), True)):
        statement = b.call("direct_meter.read", "d", given, out="x")
        itself = Call.assigns_itself(SimpleNamespace(statement=statement), 0)  # type: ignore[arg-type]
        assert itself == (not made)
        call = SimpleNamespace(
            colour=None, assigns_itself=lambda _, of=itself: of, input=lambda n: n, assign_output=lambda n: (n,)
        )
        assert METHODS["direct_meter.read"].c(call) == ((0,) if made else ())  # type: ignore[arg-type, comparison-overlap]
