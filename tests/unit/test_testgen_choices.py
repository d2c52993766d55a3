"""What testgen chooses of tables, and how frames, lengths and bytes become terms."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from aux_frontend.p4_16.frontend import P4_16
from hlir_builder import AT, Builder, apply, binary, const, emit, exact, extract, goto, state

z3 = pytest.importorskip("z3")

from transpiler.diagnostics import Diagnostics  # noqa: E402
from transpiler.frontend import Source  # noqa: E402
from transpiler.hlir.program import ActionCall, Program, TableEntry  # noqa: E402
from transpiler.hlir.types import Bits, Field, HeaderType, Varbit  # noqa: E402
from transpiler.interpreter.packet import ParserReject  # noqa: E402
from transpiler.interpreter.state import BitString, HeaderValue  # noqa: E402
from transpiler.interpreter.tables import Call, RuntimeTable  # noqa: E402
from transpiler.testgen.choices import (  # noqa: E402
    GROUPS,
    HOSTS,
    SESSIONS,
    Choice,
    Chosen,
    ChosenTable,
    Desk,
    Outcome,
    Setting,
    alternatives,
    arguments_of,
    outcomes,
)
from transpiler.testgen.cover import Coverage  # noqa: E402
from transpiler.testgen.packet import Frame, TermReader, TermWriter, joined, split, terms_of  # noqa: E402
from transpiler.testgen.record import LARGEST_BYTES, Record, frame_terms, named  # noqa: E402
from transpiler.testgen.scenario import Scenario, fewest, replay  # noqa: E402
from transpiler.testgen.terms import Term  # noqa: E402
from transpiler.testgen.walk import CLONE_PORT, COPY_PORTS  # noqa: E402

FREE = Setting()
HIT_X, HIT_Y, MISS = Outcome(True, "x"), Outcome(True, "y"), Outcome(False, "")


def program(**table: object) -> Program:
    """One with a table t, of actions x and y, the latter with data."""
    b = Builder()
    b.header("h", "h_t", a=8)
    b.action("x", b.set("h.a", 1))
    b.action("y", v=8, w=4)
    given = {"keys": [("h.a", "exact")], "actions": ["x", "y"], "size": 2, **table}
    b.table("t", given.pop("keys"), given.pop("actions"), **given)  # type: ignore[arg-type]
    return b.build([state("start", [extract("h")], goto("accept"))], ingress=[apply("t")], deparser=[emit("h")])


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ({}, [HIT_X, HIT_Y, Outcome(True, "NoAction"), MISS]),
        ({"default": "x"}, [HIT_X, HIT_Y, MISS]),
        ({"size": 0}, [MISS, Outcome(False, "x"), Outcome(False, "y")]),
        ({"size": 0, "const_default": True}, [MISS]),
        ({"keys": []}, [MISS, Outcome(False, "x"), Outcome(False, "y")]),
        ({"keys": [], "const_default": True}, [MISS]),
        ({"const_entries": True}, [MISS, Outcome(False, "x"), Outcome(False, "y")]),
        ({"const_entries": True, "const_default": True}, [MISS]),
        ({"const_default": True}, [HIT_X, HIT_Y, Outcome(True, "NoAction"), MISS]),
    ],
)
def test_what_the_control_plane_can_make_of_a_lookup(given: dict[str, object], expected: list[Outcome]) -> None:
    """A hit with each action that entries can have, a miss, and misses with what only a default action can be."""
    made = program(**given)
    assert list(outcomes(made.table["t"])) == expected == list(alternatives(made, "t"))


def test_actions_for_entries_or_for_misses_only() -> None:
    made = program(default="x").table["t"]
    uses = (replace(made.actions[0], default_only=True), replace(made.actions[1], table_only=True))
    assert list(outcomes(replace(made, actions=uses))) == [HIT_Y, MISS]
    assert list(outcomes(replace(made, actions=uses, size=0))) == [MISS]
    assert list(outcomes(replace(made, actions=(replace(uses[1], table_only=False, default_only=True),)))) == [
        MISS, Outcome(False, "y"),
    ]  # fmt: skip


def test_what_else_there_is_to_choose() -> None:
    for kind in (GROUPS, SESSIONS, HOSTS):
        assert alternatives(program(), kind) == (Outcome(False, ""), Outcome(True, ""))


def desk(made: Program, *fixed: tuple[tuple[str, int], Outcome], setting: Setting = FREE) -> tuple[Desk, ChosenTable]:
    """One that takes the first outcome there is, or what is fixed."""
    table = ChosenTable(RuntimeTable(made, made.table["t"]))
    one = Desk(made, dict(fixed), lambda name, possible: possible[0], Record({}), setting)
    table.begin(one)
    return one, table


def test_an_entry_for_each_key_that_hits() -> None:
    """A key has one answer; the handles count on; there is room for two entries, then only misses are left."""
    one, table = desk(program(), (("t", 1), HIT_Y))
    first, second, again, third = (table.lookup((key,)) for key in (5, 6, 5, 7))
    assert first is not None and second is not None and again is first and third is None
    assert (first.choice.action, second.choice.action) == ("x", "y")
    assert (first.handle, second.handle) == (0, 1) and table.next_handle == 0
    assert [(e.key, e.action, arguments_of(Call(e.action, e.arguments))) for e in one.entries] == [
        ((5,), "x", ()), ((6,), "y", (1, 1)),
    ]  # fmt: skip
    assert one.made == [Choice("t", 0, HIT_X, 0), Choice("t", 1, HIT_Y, 0)]
    assert one.missed == [("t", (7,))]
    assert set(one.record.assignment) == {"t#1:y.y.v", "t#1:y.y.w"}


def test_the_program_s_own_entries_are_looked_up() -> None:
    """They are no choice; nor are they changed by what is chosen for a packet before."""
    call = ActionCall("y", (const(3, 8), const(4, 4)), AT)
    given = {"entries": (TableEntry((exact(5, 8),), call, 1, AT),)}
    one, table = desk(program(**given))  # type: ignore[arg-type]
    for _ in range(2):
        found = table.lookup((5,))
        assert found is not None and (found.handle, found.choice) == (0, Call("y", (3, 4))) and one.made == []
        chosen = table.lookup((6,))
        assert chosen is not None and (chosen.handle, chosen.choice) == (1, Call("x"))
        assert table.lookup((7,)) is None and one.missed == [("t", (7,))]  # there is room for two
        assert table.learn((8,), Call("x"), 0, 0)  # as a packet does
        one = Desk(one.program, {}, one.prefer, Record({}))
        table.begin(one)


def test_misses_have_one_default_action() -> None:
    chosen = Outcome(False, "y")
    one, table = desk(program(size=0), (("t", 0), chosen), (("t", 1), Outcome(False, "x")))
    assert table.lookup((5,)) is None and table.lookup((6,)) is None
    assert table.default.action == "y" and [arguments_of(table.default)] == [(1, 1)]
    assert [choice.outcome for choice in one.made] == [chosen, chosen]
    assert one.missed == [("t", (5,)), ("t", (6,))] and list(one.defaults) == ["t"]
    table.begin(Desk(one.program, {}, one.prefer, Record({})))  # for another packet
    assert table.default == Call("NoAction")
    one, table = desk(program(size=0))
    table.lookup((5,))
    assert table.default.action == "NoAction" and one.defaults == {"t": Call("")}
    one, table = desk(program(size=0), (("t", 0), chosen), setting=Setting(defaults=False))
    assert table.lookup((5,)) is None and table.default.action == "NoAction" and one.made == []


@pytest.mark.parametrize(("room", "hits"), [(0, 0), (1, 1), (2, 2), (3, 2)])
def test_no_more_entries_than_there_is_room_for(room: int, hits: int) -> None:
    _, table = desk(program(), setting=Setting(room=lambda name: room))
    assert sum(table.lookup((key,)) is not None for key in range(4)) == hits


def test_what_tables_answer_already_is_not_chosen() -> None:
    """The key has to be that one then."""
    known = {("t", (5,)): Call("y", (1, 2)), ("t", (6,)): None}
    one, table = desk(program(), setting=Setting(known=known))
    found = table.lookup((one.record.variable("a", 8, 5),))  # type: ignore[arg-type]
    assert found is not None and found.choice == Call("y", (1, 2))
    assert table.lookup((6,)) is None and one.made == [] and one.entries == [] and one.missed == []
    assert [str(d.holds) for d in one.record.decisions] == ["a == 5"]
    assert table.lookup((7,)) is not None and len(one.made) == 1
    table.begin(one)
    assert table.entries == {}


def test_groups_are_there_or_not_the_same_all_the_time() -> None:
    one, _ = desk(program(), ((GROUPS, 1), Outcome(True, "")))
    assert [one.is_there(GROUPS, number) for number in (7, 8, 7, 8)] == [False, True, False, True]
    assert [(choice.table, choice.turn) for choice in one.made] == [(GROUPS, 0), (GROUPS, 1)]


# --- frames ----------------------------------------------------------------------------------------------------------


def frame(size: int, length: bool = False) -> tuple[Record, Frame]:
    record = Record({f"p{i}": 0x11 * (i + 1) for i in range(size)})
    of = record.variable("length", 16, size) if length else None
    return record, Frame(bytes(0x11 * (i + 1) for i in range(size)), lambda: frame_terms(size), of)


def text(of: object) -> str:
    return str(z3.simplify(of)).replace("\n", "").replace(" ", "")


def test_bytes_keep_their_terms() -> None:
    """In parts, and beside bytes that have none."""
    _, made = frame(3)
    assert made[1:] == b"\x22\x33" and terms_of(made[1:]) == frame_terms(3)[1:] and made[0] == 0x11
    assert (made + b"z", b"z" + made) == (b"\x11\x22\x33z", b"z\x11\x22\x33")
    assert terms_of(made + b"z") == (*frame_terms(3), None) and terms_of(b"z" + made) == (None, *frame_terms(3))
    assert terms_of(made + made[:1]) == (*frame_terms(3), named("p0", 8)) and terms_of(b"ab") == (None, None)
    assert text(joined(b"a", (None,))) == "97" and text(joined(b"ab", (None, named("p0", 8)))) == "Concat(97,p0)"


@pytest.mark.parametrize(
    ("at", "width", "value", "term"),
    [
        (0, 8, 0x11, "p0"), (0, 4, 1, "Extract(7,4,p0)"), (4, 4, 1, "Extract(3,0,p0)"), (8, 16, 0x2233, "Concat(p1,p2)"),
        (4, 8, 0x12, "Concat(Extract(3,0,p0),Extract(7,4,p1))"), (1, 1, 0, "Extract(6,6,p0)"), (7, 1, 1, "Extract(0,0,p0)"),
    ],
)  # fmt: skip
def test_what_a_parser_reads_has_the_terms_of_its_bytes(at: int, width: int, value: int, term: str) -> None:
    record, made = frame(3)
    reader = TermReader(made, record)
    reader.cursor = at
    found = reader.peek(width)
    assert found == value and isinstance(found, Term) and text(found.bits) == term and found.bits.size() == width
    assert reader.furthest == (at + width + 7) // 8
    plain = TermReader(b"\x11\x22\x33", record)
    plain.cursor = at
    assert plain.peek(width) == value and not isinstance(plain.peek(width), Term)


def test_how_long_a_frame_has_to_be_is_decided() -> None:
    record, made = frame(3, length=True)
    reader = TermReader(made, record)
    reader.peek(0)
    assert record.decisions == [] and reader.furthest == 0
    reader.peek(9)
    reader.advance(16)
    with pytest.raises(ParserReject):
        reader.peek(9)
    assert [text(d.holds) for d in record.decisions] == [
        text(z3.UGE(named("length", 16), 2)),
        text(z3.Not(z3.UGE(named("length", 16), 4))),
    ]
    assert reader.furthest == 2
    with pytest.raises(ParserReject):
        reader.advance(16)
    assert record.inexact == {}
    with pytest.raises(ParserReject):
        reader.peek(LARGEST_BYTES * 8 - 16)  # it would end where the longest frame does
    assert record.inexact == {}
    with pytest.raises(ParserReject):
        reader.peek(LARGEST_BYTES * 8 - 15)
    assert list(record.inexact) == [f"frames are at most {LARGEST_BYTES} bytes"]


FIELDS = (Field("n", Bits(8), AT), Field("m", Bits(3), AT), Field("o", Bits(5), AT), Field("v", Varbit(16), AT))
LAYOUT = HeaderType("v_t", FIELDS, AT)


@pytest.mark.parametrize("variable", [0, 8, 16])
def test_headers_have_terms_and_are_written_with_them(variable: int) -> None:
    record, made = frame(5)
    reader, header = TermReader(made, record), HeaderValue.fresh(LAYOUT)
    reader.extract(header, variable)
    whole = 2 + variable // 8
    assert (reader.cursor, reader.furthest) == (8 * whole, whole)
    assert {name: text(value.bits) for name, value in header.fields.items() if isinstance(value, Term)} == {
        "n": "p0", "m": "Extract(7,5,p1)", "o": "Extract(4,0,p1)",
    }  # fmt: skip
    content = header.fields["v"]
    assert isinstance(content, BitString) and content.width == variable
    writer = TermWriter()
    writer.emit(header)
    writer.emit(HeaderValue.fresh(LAYOUT))  # which is not valid
    sent = writer.frame(made[whole:])
    assert sent == made
    assert [text(term) for term in terms_of(sent)] == [f"p{i}" for i in range(5)]


def test_headers_without_terms_are_bytes() -> None:
    header = HeaderValue.fresh(LAYOUT)
    TermReader(b"\x01\x02\x03", Record({})).extract(header, 8)
    writer = TermWriter()
    writer.emit(header)
    assert writer.frame(b"z") == b"\x01\x02\x03z" and not isinstance(writer.frame(b"z"), Frame)


@pytest.mark.parametrize(
    ("widths", "terms"),
    [
        ((8,), ["x0"]), ((4, 4), ["Concat(x0,x1)"]), ((16,), ["Extract(15,8,x0)", "Extract(7,0,x0)"]), ((4,), ["Concat(x0,0)"]),
        ((3, 13), ["Concat(x0,Extract(12,8,x1))", "Extract(7,0,x1)"]), ((12,), ["Extract(11,4,x0)", "Concat(Extract(3,0,x0),0)"]),
    ],
)  # fmt: skip
def test_bit_vectors_side_by_side_as_bytes(widths: tuple[int, ...], terms: list[str]) -> None:
    """Zeros are behind them; a byte that is a number only has no term."""
    parts = [z3.BitVec(f"x{i}", width) for i, width in enumerate(widths)]
    assert [text(term) for term in split(parts, sum(widths))] == terms
    assert split([z3.BitVecVal(7, 8), *parts], 8 + sum(widths))[0] is None


# --- tests -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("covered", "at_most", "kept"),
    [
        ([{1}, {1, 2}, {3}], None, [1, 2]),
        ([{1, 2}, {3, 4}, {1, 2, 3}], None, [1, 2]),
        ([{1}, {1}], None, [0]),
        ([{1}, {2}, {3, 4}], 2, [0, 2]),
        ([{1}, {2}], 0, []),
        ([set(), {1}], None, [1]),
        ([{1}, *[{2}] * 7, {1, 2}, {3}, {4, 5, 6}, *[{3}] * 5, {7, 8, 9, 10}], None, [8, 9, 10, 16]),
        ([], None, []),
    ],
)
def test_few_tests_cover_what_all_cover(covered: list[set[int]], at_most: int | None, kept: list[int]) -> None:
    """Each the one that adds most, the first of equals; they stay in the order in which they were found."""
    scenarios = [Scenario(number, b"", covered=frozenset(items)) for number, items in enumerate(covered)]
    assert [one.port for one in fewest(scenarios, at_most)] == kept


def test_a_test_is_set_up_as_it_says() -> None:
    """Entries and default actions; None, where the switch refuses it."""
    made = program(keys=[("h.a", "ternary")])
    coverage = Coverage(made, "")
    plain = replay(made, coverage, Scenario(3, b"\x05z"))
    assert plain is not None and [(one.port, one.data) for one in plain.sent] == [(0, b"\x05z")] and plain.covered
    hit = replay(made, coverage, Scenario(3, b"\x05z", entries=(Chosen("t", (5,), "x", ()),)))
    assert hit is not None and hit.sent[0].data == b"\x01z" and hit.covered - plain.covered
    missed = replay(
        made, coverage, Scenario(3, b"\x05z", entries=(Chosen("t", (6,), "x", ()),), defaults=(("t", "x", ()),))
    )
    assert missed is not None and missed.sent[0].data == b"\x01z"
    twice = (Chosen("t", (6,), "x", ()),) * 2
    assert replay(made, coverage, Scenario(3, b"\x05z", entries=twice)) is None


@pytest.mark.parametrize("colour", [0, 1, 2])
def test_a_meter_gives_the_colour_that_a_test_wants(colour: int) -> None:
    b = Builder()
    b.header("h", "h_t", a=8)
    b.extern("m", "meter", size=4, unit="bytes")
    b.extern("r", "register", size=4, width=8)
    b.variable("meta.held", 8)
    call = b.call("meter.execute", "m", const(2, 32), out="h.a")
    held = b.call("register.read", "r", const(3, 32), out="meta.held")
    body = [call, held, b.set("h.a", binary("+", b.get("h.a"), b.get("meta.held")))]
    made = b.build([state("start", [extract("h")], goto("accept"))], ingress=body, deparser=[emit("h")])
    meters = (("m", 2, colour),) if colour else ()
    found = replay(made, Coverage(made, ""), Scenario(1, bytes(1500), meters=meters, registers=(("r", 3, 0x40),)))
    assert found is not None and found.sent[0].data[0] == 0x40 + colour


@pytest.mark.parametrize(("what", "there"), [("groups", (2, 3)), ("groups", ()), ("sessions", (9,))])
def test_groups_and_sessions_of_a_test(what: str, there: tuple[int, ...]) -> None:
    b = Builder()
    b.header("h", "h_t", a=8)
    ask = b.set("sm.mcast_grp", 3) if what == "groups" else b.call("clone.ingress", None, const(9, 32))
    made = b.build([state("start", [extract("h")], goto("accept"))], ingress=[ask], deparser=[emit("h")])
    found = replay(made, Coverage(made, ""), Scenario(1, bytes(20), **{what: there}))  # type: ignore[arg-type]
    assert found is not None
    ports = [one.port for one in found.sent]
    assert ports == ([CLONE_PORT, 0] if what == "sessions" else list(COPY_PORTS) if there else [])


def test_what_comes_from_the_host_goes_the_way_of_the_host() -> None:
    """Its value out of SelectByDirection is sent, and other parts of the program are covered than from the network."""
    made = P4_16().load(Source(Path(__file__).parents[1] / "packets" / "pna_paths.p4"), Diagnostics())
    frame = bytes.fromhex("07 03 aaaa 00000001 00000002")
    coverage = Coverage(made, "")
    net, host = (replay(made, coverage, Scenario(4, frame, host=host)) for host in (False, True))
    assert net is not None and host is not None
    assert [[(one.port, one.data[4:8]) for one in found.sent] for found in (net, host)] == [
        [(3, b"\0\0\0\1")],
        [(3, b"\0\0\0\2")],
    ]
    assert host.covered - net.covered and net.covered - host.covered
