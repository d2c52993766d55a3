"""How single frames are looked for: which leads, what of them is changed, the room for their entries, and what they may need."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from random import Random
from types import SimpleNamespace
from typing import Any

import pytest
import switches

from transpiler.interpreter.tables import Call
from transpiler.traffic import points
from transpiler.traffic.checksums import Checksum
from transpiler.traffic.copies import Copies
from transpiler.traffic.parser_paths import Shape
from transpiler.traffic.plan import Wishes
from transpiler.traffic.points import LEADS, ROUNDS, TRIES, _kept, _Loose, _Room, _room, _Search, _with
from transpiler.traffic.probe import Probe
from transpiler.traffic.search import Frame, Template
from transpiler.traffic.wellknown import Known

# --- what of a lead may change ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("bad", "kept"),
    [
        ([], "abcdefg"),
        (["a"], "bcdefg"),
        (["g"], "abcdef"),
        (["a", "d", "g"], "bcef"),
        (["ab"], "acdefg"),  # not both: the first one stays
        (["ag", "ce"], "abcdf"),
        (list("abcdefg"), ""),
    ],
)
def test_as_much_is_kept_as_may_change_together(bad: list[str], kept: str) -> None:
    def alike(items: Sequence[Any]) -> bool:
        return not any(set(some) <= set(items) for some in bad)

    found: list[Any] = _kept(list("abcdefg"), [], alike)  # type: ignore[arg-type]
    assert "".join(found) == kept
    assert _kept([], ["x"], alike) == ["x"]  # type: ignore[list-item,comparison-overlap]


def test_most_is_tried_at_once() -> None:
    tried = []

    def alike(items: Sequence[Any]) -> bool:
        tried.append(len(items))
        return 5 not in items

    assert _kept(range(64), [], alike) == [n for n in range(64) if n != 5]
    assert tried[0] == 64 and len(tried) <= 14


def frame(data: bytes, fixed: Mapping[int, int] | None = None, sums: tuple[Checksum, ...] = ()) -> Frame:
    return Frame(Shape(len(data) * 8, dict(fixed or {}), {}), data, sums, Known())


def test_other_values_of_some_items() -> None:
    """Of bytes the bits that are free, of action data as many bits as they have; the rest stays, and checksums are right."""
    sums = (Checksum(16, tuple(range(16))),)
    outcomes: dict[str, Call | None] = {"t": Call("act", (5, 6)), "u": Call("act", (7,)), "v": None}
    lead = Template(frame(b"\x12\x34\0\0\x56", sums=sums), outcomes, None)  # type: ignore[arg-type]
    loose = _Loose(None, {0: 0x0F, 1: 0x81, 4: 0xFF}, {("t", 0): 2, ("t", 1): 8, ("u", 0): 8}, ())  # type: ignore[arg-type]
    chance, frames, calls = Random(1), set(), set()
    for _ in range(1000):
        made, other = _with(lead, loose, [0, 1, ("t", 0)], chance)
        assert made.data[4] == 0x56 and int.from_bytes(made.data[2:4]) == 0xFFFF ^ int.from_bytes(made.data[:2])
        assert replace(made, data=lead.frame.data) == lead.frame
        frames.add(made.data[:2])
        calls.add(other.pop("t"))
        assert other == {"u": Call("act", (7,)), "v": None}
    assert frames == {bytes((0x10 | low, high)) for low in range(16) for high in (0x34, 0x35, 0xB4, 0xB5)}
    assert calls == {Call("act", (value, 6)) for value in range(4)}
    assert _with(lead, loose, [], chance)[1] == outcomes == lead.outcomes
    drawn = [_with(lead, loose, [("u", 0), 4], chance) for _ in range(3000)]
    assert (
        {one.data[4] for one, _ in drawn}
        == {call.arguments[0] for _, other in drawn if (call := other["u"])}
        == set(range(256))
    )


PROGRAM = """
#include <core.p4>
#include <v1model.p4>
header h_t { bit<8> kind; bit<8> way; bit<8> port; bit<8> group; bit<8> free; bit<4> half; bit<4> other; }
struct H { h_t h; }
struct M { bit<8> mark; }
parser P(packet_in p, out H h, inout M m, inout standard_metadata_t s) {
    state start { p.extract(h.h); transition select(h.h.kind, h.h.other) { (7, 0): accept; } }
}
control V(inout H h, inout M m) { apply { } }
control I(inout H h, inout M m, inout standard_metadata_t s) {
    action act(bit<8> mark, bit<9> port, bit<16> group) { m.mark = mark; s.egress_spec = port; s.mcast_grp = group; }
    action other(bit<8> mark) { m.mark = mark; s.egress_spec = (bit<9>) h.h.port; s.mcast_grp = (bit<16>) h.h.group; }
    action pair(bit<8> which) { s.mcast_grp = which == 1 ? 16w5 : 6; }
    action none() { }
    table first { key = { h.h.free: exact; } actions = { act; other; pair; none; } }
    table second { key = { h.h.half: exact; } actions = { none; } }
    table third { key = { h.h.half: exact; } actions = { none; } }
    table last { key = { h.h.half: exact; } actions = { none; } }
    apply { if (first.apply().hit) { if (h.h.way == 0) { second.apply(); } else { third.apply(); } } last.apply(); }
}
control E(inout H h, inout M m, inout standard_metadata_t s) { apply { } }
control D(packet_out p, in H h) { apply { p.emit(h.h); } }
V1Switch(P(), V(), I(), E(), V(), D()) main;
"""


@pytest.fixture(scope="module")
def probe(tmp_path_factory: pytest.TempPathFactory) -> Probe:
    file = tmp_path_factory.mktemp("single") / "p.p4"
    file.write_text(PROGRAM)
    return Probe(switches.load(file), 0, copies=Copies(1, [("group", 5), ("group", 6)]))


def lead_of(probe: Probe, data: bytes, call: Call) -> Template:
    fixed = {bit: data[bit // 8] >> 7 - bit % 8 & 1 for bit in (*range(8), *range(44, 48))}
    outcomes: dict[str, Call | None] = {
        "I.first": call,
        "I.second": Call("I.none", ()),
        "I.third": None,
        "I.last": None,
    }
    made = Frame(Shape(48, fixed, {}), data, (), Known())
    return Template(made, outcomes, probe.run(data, outcomes))


MARK = ("I.first", 0)  # action data that nothing depends on


@pytest.mark.parametrize(
    ("call", "group", "kept"),
    [
        (Call("I.act", (1, 1, 0)), 0, (2, 3, 4, 5, MARK)),  # the entry says where it goes
        (Call("I.act", (1, 1, 5)), 0, (2, 3, 4, 5, MARK, ("I.first", 1))),  # copies alone come out
        (Call("I.other", (1,)), 0, (4, 5, MARK)),  # the frame says it
        (Call("I.other", (1,)), 5, (2, 4, 5, MARK)),
        (Call("I.pair", (1,)), 0, (2, 3, 4, 5)),  # of which group the copies are
    ],
)
def test_what_leads_a_frame_another_way_stays(call: Call, group: int, kept: tuple[Any, ...], probe: Probe) -> None:
    """The ports that it leaves by and the groups that it has copies of belong to its way."""
    lead = lead_of(probe, bytes((7, 0, 1, group, 5, 0x30)), call)
    found = _Loose.of(probe, lead, Random(1))
    assert found.masks == {1: 255, 2: 255, 3: 255, 4: 255, 5: 0xF0}  # the parser has fixed the rest
    widths = (8, 9, 16)[: len(call.arguments)]
    assert found.widths == {("I.first", number): width for number, width in enumerate(widths)}
    assert found.kept == kept
    for seed in range(20):
        made, outcomes = found.changed(lead, Random(seed))
        seen = probe.run(made.data, outcomes)
        assert (seen.way, seen.ports, seen.copies) == (lead.seen.way, lead.seen.ports, lead.seen.copies)
        assert made.data != lead.frame.data
        assert (outcomes["I.first"] != lead.outcomes["I.first"]) is (MARK in kept)


# --- which leads -----------------------------------------------------------------------------------------------------


def searching(*wanted: str, leads: Sequence[Any] = (), **more: Any) -> Any:
    """A search that has all leads that are given, and finds nothing yet."""
    made: Any = _Search.__new__(_Search)
    made.wanted, made.leads, made.found, made.chance = set(wanted), list(leads), [], Random(1)
    made.tried, made.failed, made.loose = dict.fromkeys(wanted, 0), {True: set(), False: set()}, {}
    made.plan = SimpleNamespace(wishes=Wishes(seed=5), streams=(), program=SimpleNamespace(table={}))
    for name, value in more.items():
        setattr(made, name, value)
    return made


def lead(hits: str, ports: tuple[int, ...] = (1,)) -> Any:
    return SimpleNamespace(hits=tuple(hits), seen=SimpleNamespace(ports=ports), frame="frame", outcomes="outcomes")


def test_the_lead_that_hits_most_is_tried_first() -> None:
    """Of those that hit as many, the one that is better; of those that come out, where frames are to come out."""
    one, dropped, two, other = lead("ax"), lead("abc", ()), lead("bc"), lead("ca")
    made, tried = searching("a", "b", "c", leads=(one, dropped, two, other)), []

    def embedded(lead: Any, sent: bool) -> bool:
        tried.append((lead, sent))
        return lead is two and made.wanted.difference_update("bc") is None

    made._embedded = embedded
    assert made.another(True) and made.tried == {"a": 0, "b": 0, "c": 0}
    assert made.another(True) and made.tried == {"a": 1, "b": 0, "c": 0}
    assert made.another(True) and made.tried == {"a": 2, "b": 0, "c": 0}
    assert not made.another(True) and made.another(False) and made.another(False)
    assert tried == [(two, True), (one, True), (other, True), (one, False), (dropped, False)]
    made.wanted.clear()
    assert not made.another(False)


def test_a_lead_that_did_not_fit_when_sent_may_fit_when_dropped() -> None:
    one = lead("a")
    made = searching("a", leads=(one,), _embedded=lambda lead, sent: not sent)
    assert [made.another(sent) for sent in (True, True, False, False)] == [True, False, True, True]
    assert made.failed == {True: {id(one)}, False: set()}


def test_so_many_leads_are_tried_for_a_table_and_as_many_again_that_are_dropped() -> None:
    """A table that too many were tried for counts no more, but is hit by what is tried for another's sake."""
    leads = [lead("a") for _ in range(3 * LEADS)]
    made, tried = searching("a", "b", leads=[*leads, lead("b"), lead("ab")]), []
    made._embedded = lambda lead, sent: tried.append("".join(lead.hits)) or False
    while made.another(True):
        pass
    assert tried == ["ab", *["a"] * (LEADS - 1), "b"]
    assert made.tried == {"a": LEADS, "b": 2}
    tried.clear()
    while made.another(False):
        pass
    assert tried == ["ab", *["a"] * (LEADS - 1), "b"] and made.tried["a"] == 2 * LEADS


def test_a_lead_is_tried_as_it_is_and_then_with_other_values(monkeypatch: pytest.MonkeyPatch) -> None:
    made, one, tried, looked = searching(probe="probe"), lead("a"), [], []

    class Loose:
        @staticmethod
        def of(probe: object, lead: object, chance: object) -> Any:
            looked.append((probe, lead))
            return SimpleNamespace(changed=lambda lead, chance: (f"other {len(tried)}", "others"))

    monkeypatch.setattr(points, "_Loose", Loose)
    made._take = lambda *arguments: tried.append(arguments) or len(tried) == TRIES + 3
    assert not made._embedded(one, True)
    assert tried == [("frame", "outcomes", True), *((f"other {turn}", "others", True) for turn in range(1, TRIES))]
    assert made._embedded(one, False) and tried[-3:] == [
        ("frame", "outcomes", False), ("other 13", "others", False), ("other 14", "others", False),
    ]  # fmt: skip
    assert looked == [("probe", one)]  # once


# --- in which order --------------------------------------------------------------------------------------------------


def run(
    monkeypatch: pytest.MonkeyPatch, steps: Sequence[Any], *, z3: bool = True, wanted: str = "abcx"
) -> list[object]:
    """What is done one after the other; `steps`: what each further frame hits, False: no lead is left."""
    told: list[object] = []
    left = list(steps)

    class Search:
        def __init__(self, plan: Any, finder: Any, probe: Any, wanted: set[str]) -> None:
            self.wanted, self.found = wanted, ["found"]
            told.append(("wanted", "".join(sorted(wanted))))

        def solved(self, advance: Any) -> Any:
            told.append("asked")
            return lambda: told.append("those that are dropped")

        def another(self, sent: bool) -> bool:
            step = left.pop(0)
            told.append("sent" if sent else "any")
            self.wanted.difference_update(step or "")
            return step is not False

        def varied(self, advance: Any) -> None:
            told.append("varied")

    monkeypatch.setattr(points, "_Search", Search)
    monkeypatch.setattr(points, "find_spec", lambda name: name if z3 and name == "z3" else None)
    finder: Any = SimpleNamespace(
        targets=[SimpleNamespace(name=name) for name in "abcdx"], is_hit=lambda name: name in wanted
    )
    plan: Any = SimpleNamespace(tables=[SimpleNamespace(table=SimpleNamespace(name="x"))])
    found = points.points(plan, finder, None, lambda done, total: told.append((done, total)))  # type: ignore[arg-type]
    return [*told, found]


def test_frames_that_come_out_are_looked_for_first(monkeypatch: pytest.MonkeyPatch) -> None:
    """For the tables that can be hit and have no entries, as long as there are such."""
    assert run(monkeypatch, ["a", False, "b", "c"]) == [
        ("wanted", "abc"), "asked", (0, 3), "sent", (1, 3), "sent", "those that are dropped", (1, 3), "any", (2, 3), "any",
        "varied", (1, 1), ("found",),
    ]  # fmt: skip
    assert run(monkeypatch, ["abc"], z3=False) == [
        ("wanted", "abc"), (0, 3), "sent", "varied", (1, 1), ("found",),
    ]  # fmt: skip
    assert run(monkeypatch, [False, False], wanted="c") == [
        ("wanted", "c"), "asked", (0, 1), "sent", "those that are dropped", (0, 1), "any", "varied", (1, 1), ("found",),
    ]  # fmt: skip
    assert run(monkeypatch, [], wanted="x") == [()]


def test_what_is_there_is_varied_as_long_as_tables_are_left(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of frames that hit one, those that come out first; points that are there are varied too."""
    made, asked, taken = searching("a", "b", finder="finder", probe="probe", committed="committed"), [], []
    made.plan.streams = (SimpleNamespace(template="stream"),)
    one, both, none = lead("a"), lead("ab"), lead("x")

    def continued(finder: object, probe: object, there: Any, committed: object, wanted: Any, seed: int) -> list[Any]:
        asked.append((finder, probe, tuple(there), committed, "".join(sorted(wanted)), seed))
        return [none, one, both]

    def take(frame: object, outcomes: object, sent: bool) -> bool:
        taken.append(sent)
        if len(taken) == 5:
            made.wanted.remove("a")
            made.found.append(SimpleNamespace(template="point"))
        return len(taken) == 5

    monkeypatch.setattr(points, "continued", continued)
    made._take, told = take, []
    made.varied(lambda done, total: told.append((done, total)))
    assert ROUNDS == 3 and told == [(0, 3), (1, 3), (2, 3)]
    assert taken == [
        True,
        False,
        True,
        False,
        True,
        True,
        False,
        True,
        False,
    ]  # the second time, `one` is taken as sent
    assert asked == [
        ("finder", "probe", ("stream",), "committed", "ab", 5), ("finder", "probe", ("stream",), "committed", "ab", 6),
        ("finder", "probe", ("point", "stream"), "committed", "b", 7),
    ]  # fmt: skip
    made.wanted.clear()
    made.varied(lambda done, total: told.append((done, total)))
    assert len(told) == 3


# --- room ------------------------------------------------------------------------------------------------------------


def test_room_that_streams_leave() -> None:
    """Tables by their sizes; those of one profile by its members, and not more than each has room for."""
    tables = [
        SimpleNamespace(name=name, size=size, implementation=of)
        for name, size, of in (("a", 100, None), ("b", 20, None), ("c", 50, "p"), ("d", 9, "q"))
    ]
    program: Any = SimpleNamespace(tables=tables, table={table.name: table for table in tables})
    made = [SimpleNamespace(table=tables[at], count=count) for at, count in ((0, 30), (0, 5), (2, 10), (3, 2))]
    profiles = SimpleNamespace(size={"p": 32, "q": 40}.__getitem__, used=Counter({"p": 12, "q": 3}))
    plan: Any = SimpleNamespace(program=program, tables=made)
    room = _room(plan, SimpleNamespace(profiles=profiles))  # type: ignore[arg-type]
    assert [room.of(name) for name in "abcd"] == ["a", "b", "p", "q"]
    assert [room.left[room.of(name)] for name in "abcd"] == [65, 20, 20, 7]


def test_of_several_entries_of_a_table_the_first_hit_is_its_outcome() -> None:
    made = searching()
    made.plan.program.table = dict.fromkeys("abc")
    own = {("a", (1,)): None, ("a", (2,)): "first", ("a", (3,)): "second", ("b", (1,)): None}
    assert made._by_table(own) == {"a": "first", "b": None, "c": None}


def taking(probe: Probe, wanted: str, room: Mapping[str, int], there: Mapping[Any, Any] | None = None) -> Any:
    """A search that has room for so many entries of a table, and what answers some keys already."""

    class Committed(dict[Any, Any]):
        forbidden: Sequence[Sequence[str]] = ()

        def needed(self, lookups: Mapping[Any, Any]) -> tuple[dict[Any, Any], set[str]]:
            entries = {
                place: SimpleNamespace(call=call) for place, call in lookups.items() if call and place not in self
            }
            return entries, set(next((one for one in self.forbidden if {name for name, _ in entries} & set(one)), ()))

        def add(self, lookups: Mapping[Any, Any]) -> None:
            self.update(lookups)

    made = searching(*(f"I.{name}" for name in wanted.split()), probe=probe, committed=Committed(there or {}))
    made.plan.program, made.plan.wishes = probe.program, Wishes(ports=4)
    sizes = {"I.first": 8, "I.second": 8, "I.third": 8, "I.last": 0}
    made.room = _Room(probe.program, Counter(sizes | {f"I.{name}": left for name, left in room.items()}))
    made.finder = SimpleNamespace(targets=probe.program.tables)
    return made


ACT, NONE = Call("I.act", (9, 2, 0)), Call("I.none", ())
DATA = bytes((7, 0, 1, 0, 5, 0x30))


def test_a_frame_becomes_a_point_if_it_hits_what_is_wanted_and_there_is_room(probe: Probe) -> None:
    given, outcomes = frame(DATA), {"I.first": ACT, "I.second": NONE, "I.third": None, "I.last": None}
    made = taking(probe, "second third", {})
    assert made._take(given, outcomes, True)
    [point] = made.found
    entries = {("I.first", (5,)): ACT, ("I.second", (3,)): NONE}
    assert point.entries == entries and made.committed == {**entries, ("I.last", (3,)): None}
    assert point.template.frame is given and point.template.seen.ports == (2,)
    assert point.template.hits == ("I.first", "I.second")
    assert made.wanted == {"I.third"} and made.room.left == {"I.first": 7, "I.second": 7, "I.third": 8, "I.last": 0}
    assert not made._take(given, outcomes, True)  # it hits nothing more that is wanted


@pytest.mark.parametrize(
    ("wanted", "room", "call", "sent", "taken"),
    [
        ("third", {}, ACT, True, False),
        ("second", {"first": 0}, ACT, True, False),
        ("second", {"second": 0}, ACT, True, False),
        ("second", {"first": 1, "second": 1}, ACT, True, True),
        ("second", {}, NONE, True, True),  # it leaves by port 0
        ("second", {}, Call("I.act", (9, 511, 0)), True, False),  # which means that it is dropped
        ("second", {}, Call("I.act", (9, 511, 0)), False, True),
    ],
)
def test_what_a_point_needs(
    wanted: str, room: dict[str, int], call: Call, sent: bool, taken: bool, probe: Probe
) -> None:
    made = taking(probe, wanted, room)
    outcomes: dict[str, Call | None] = {"I.first": call, "I.second": NONE, "I.third": None, "I.last": None}
    assert made._take(frame(DATA), outcomes, sent) is taken
    assert len(made.found) == taken and (f"I.{wanted}" in made.wanted) is not taken
    if not taken:
        assert not made.committed and made.room.left == taking(probe, wanted, room).room.left


@pytest.mark.parametrize("sent", [True, False])
def test_what_the_parser_refuses_does_not_count_as_sent(sent: bool, probe: Probe) -> None:
    made = taking(probe, "second", {})
    outcomes: dict[str, Call | None] = {"I.first": ACT, "I.second": NONE}
    assert made._take(frame(bytes((8, *DATA[1:]))), outcomes, sent) is not sent


def test_what_is_there_already_needs_no_room(probe: Probe) -> None:
    """Entries that other frames have are hit, and what they do goes before what was wished."""
    made = taking(probe, "second", {"first": 0, "second": 1}, {("I.first", (5,)): Call("I.act", (1, 3, 0))})
    assert made._take(frame(DATA), {"I.first": ACT, "I.second": NONE, "I.third": None, "I.last": None}, True)
    [point] = made.found
    assert point.entries == {("I.second", (3,)): NONE} and point.template.seen.ports == (3,)
    assert point.template.outcomes["I.first"] == Call("I.act", (1, 3, 0))
    missing = taking(probe, "second", {}, {("I.first", (5,)): None})
    assert not missing._take(frame(DATA), {"I.first": ACT, "I.second": NONE, "I.third": None, "I.last": None}, True)


def test_misses_become_hits_where_there_is_room(probe: Probe) -> None:
    for room, hits in ((8, ("I.first", "I.second")), (0, ("I.first",))):
        made = taking(probe, "first", {"second": room})
        assert made._take(frame(DATA), {"I.first": ACT, "I.second": None, "I.third": None, "I.last": None}, True)
        assert made.found[0].template.hits == hits


def test_tables_that_may_have_no_entry_for_a_key_are_missed(probe: Probe) -> None:
    made = taking(probe, "first second", {})
    made.committed.forbidden = [["I.second"]]
    assert made._take(frame(DATA), {"I.first": ACT, "I.second": NONE, "I.third": None, "I.last": None}, True)
    assert made.found[0].template.hits == ("I.first",) and made.wanted == {"I.second"}
    made = taking(probe, "first", {"last": 8})
    made.committed.forbidden = [["I.second"], ["I.last"]]  # the second only where the first is not hit
    assert made._take(frame(DATA), {"I.first": ACT, "I.second": NONE, "I.last": NONE}, True)
    assert made.found[0].template.hits == ("I.first",)
    made.committed.forbidden = [["I.first"]]
    assert not made._take(frame(bytes((7, 0, 1, 0, 6, 0x30))), {"I.first": ACT, "I.second": NONE}, True)


def test_entries_for_several_keys_of_a_table_are_asked_for(probe: Probe) -> None:
    """What tables shall answer to each key goes before what is there by name: other keys are missed."""
    made = taking(probe, "second", {})
    own = {("I.first", (5,)): ACT, ("I.second", (3,)): NONE, ("I.third", (3,)): None, ("I.first", (6,)): ACT}
    assert made._take(frame(DATA), {}, True, own)
    assert made.found[0].entries == {("I.first", (5,)): ACT, ("I.second", (3,)): NONE}
    assert not taking(probe, "second", {})._take(frame(DATA), {"I.first": ACT, "I.second": NONE}, True, {})
    made = taking(probe, "first second", {})
    made.committed.forbidden = [["I.second"]]
    assert made._take(frame(DATA), {}, True, own) and made.found[0].entries == {("I.first", (5,)): ACT}
