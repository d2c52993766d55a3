"""What is asked for beside the entries that are there: where the search begins, what it offers, what it takes."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest
import switches

pytest.importorskip("z3")

from transpiler.interpreter.tables import Call
from transpiler.testgen.choices import Choice, Chosen, Outcome
from transpiler.testgen.cover import Coverage
from transpiler.testgen.search import Turn
from transpiler.traffic import beside
from transpiler.traffic.beside import LEADS, _Alone, _as_chosen, _Beside, _first, _There
from transpiler.traffic.copies import GROUP, RID, SESSION, Copies

GO = Call("go", (7, 8))


def test_groups_and_sessions_are_those_that_were_set_up() -> None:
    there = _There(Copies(4, [(GROUP, 3), (SESSION, 5), (GROUP, 0xC), (SESSION, 6)]))
    assert there.copies(3) == there.copies(0xC) == [(4, RID)] and there.clones(5) == [(4, 0)]
    assert there.copies(5) == there.copies(0) == there.clones(3) == there.clones(0) == []


def lead(hits: str, ports: tuple[int, ...] = (1,)) -> Any:
    seen = SimpleNamespace(accepted=True, ports=ports, forwarded=bool(ports))
    return SimpleNamespace(hits=tuple(hits), seen=seen, outcomes=dict.fromkeys(hits, GO))


def test_the_search_begins_with_the_best_frames_for_each_table() -> None:
    """Those for several tables first, of these the better ones; so many for each."""
    tables = {name: SimpleNamespace(default_action=SimpleNamespace(action="none")) for name in "abx"}
    around: Any = SimpleNamespace(finder=SimpleNamespace(program=SimpleNamespace(table=tables)))
    many = [lead("ax") for _ in range(LEADS + 2)]
    both, dropped, other = lead("ab"), lead("a", ()), lead("b")
    chosen = _first([dropped, *many, lead("x"), other, both], {"a", "b"}, around)
    assert chosen == [both, *many[: LEADS - 1], other]
    assert _first([dropped, lead("x")], {"a", "b"}, around) == [dropped]


def test_a_frame_that_was_found_is_given_as_numbers_and_choices() -> None:
    data = SimpleNamespace(data=b"\1\2\xff")
    one: Any = SimpleNamespace(frame=data, outcomes={"t": GO, "u": None})
    assignment, choices = _as_chosen(one, {"go": SimpleNamespace(parameters=("go.a", "go.b"))})
    assert assignment == {"p0": 1, "p1": 2, "p2": 255, "length": 3, "t#0:go.go.a": 7, "t#0:go.go.b": 8}
    assert choices == {("t", 0): Outcome(True, "go"), ("u", 0): Outcome(False, "")}


def searching(kind: type[Any], **items: set[int]) -> Any:
    """A search for tables whose hits are these items, of which nothing is covered yet."""
    made: Any = kind.__new__(kind)
    made.items = {name: frozenset(numbers) for name, numbers in items.items()}
    made.wanted = frozenset[int]().union(*made.items.values())
    made.rest, made.covered, made.updates, made.dropped = frozenset({90, 91}), set(), [], []
    made.interest = SimpleNamespace(update=lambda covered: made.updates.append(sorted(covered)))
    return made


def walk(
    covered: set[int], *, sent: bool = True, entries: tuple[Chosen, ...] = (), missed: tuple[Any, ...] = ()
) -> Any:
    return SimpleNamespace(covered=covered, sent=["frame"] if sent else [], entries=list(entries), missed=list(missed))


def test_frames_that_come_out_are_offered_at_once_and_others_later(monkeypatch: pytest.MonkeyPatch) -> None:
    """What they want of tables with them: entries, and keys that are to be missed. Until a table is done."""
    monkeypatch.setattr(beside, "frame_of", lambda finder, search, walk: (0, f"frame of {sorted(walk.covered)}"))
    made, offered, left = searching(_Beside, a={1, 2}, b={3}), [], [{"a", "b"}, {"b"}]
    made.around = SimpleNamespace(finder=None)

    def offer(frame: str, own: Any, sent: bool) -> set[str]:
        offered.append((frame, own, sent))
        return left.pop(0)

    made.offer = offer
    entry = Chosen("a", (5,), "go", (7, 8))
    made.keep(walk({1, 8}, entries=(entry,), missed=(("b", (6,)),)))
    assert offered == [("frame of [1, 8]", {("b", (6,)): None, ("a", (5,)): GO}, True)]
    assert made.covered == set() and made.updates == [[90, 91]]
    later = walk({2, 3}, sent=False)
    made.keep(later)
    assert made.dropped == [later] and len(offered) == 1
    made.keep(walk({8}))
    made.propose(later, sent=False)
    assert offered[1:] == [("frame of [2, 3]", {}, False)]
    assert made.covered == {1, 2} and made.updates[-1] == [1, 2, 90, 91]
    made.keep(walk({1, 2}))
    assert len(offered) == 2


def test_a_frame_alone_is_taken_where_it_hits_or_comes_out_first() -> None:
    made = searching(_Alone, a={1, 2}, b={3})
    made.templates, made.known, made._template = [], set(), lambda walk: tuple(sorted(walk.covered))
    for covered, sent in (
        ({1}, False),
        ({2}, False),
        ({2}, True),
        ({1}, True),
        ({1, 3}, False),
        ({8}, True),
        ({3}, True),
    ):
        made.keep(walk(covered, sent=sent))
    assert made.templates == [(1,), (2,), (1, 3), (3,)]
    assert made.covered == {1, 2, 3}
    assert made.updates == [[90, 91]] * 2 + [[1, 2, 90, 91]] * 4 + [[1, 2, 3, 90, 91]]


PROGRAM = """
#include <core.p4>
#include <v1model.p4>
header h_t { bit<8> a; bit<8> b; }
struct H { h_t h; }
struct M { bit<8> m; }
parser P(packet_in p, out H h, inout M m, inout standard_metadata_t s) { state start { p.extract(h.h); transition accept; } }
control V(inout H h, inout M m) { apply { } }
control I(inout H h, inout M m, inout standard_metadata_t s) {
    action go(bit<9> port) { s.egress_spec = port; }
    action put(bit<8> value) { m.m = value; }
    table first { key = { h.h.a: exact; } actions = { put; NoAction; } }
    table last { key = { h.h.b: exact; } actions = { go; NoAction; } }
    apply { mark_to_drop(s); if (first.apply().hit) { if (m.m == 5) { last.apply(); } } }
}
control E(inout H h, inout M m, inout standard_metadata_t s) { apply { } }
control D(packet_out p, in H h) { apply { p.emit(h.h); } }
V1Switch(P(), V(), I(), E(), V(), D()) main;
"""


@pytest.fixture
def search(tmp_path: Any) -> _Beside:
    path = tmp_path / "p.p4"
    path.write_text(PROGRAM)
    program = switches.load(path)
    around: Any = SimpleNamespace(committed={}, copies=Copies(1), room=lambda name: 8)
    made = _Beside(program, Coverage(program), 1e6, around=around, offer=lambda *_: set(), leads=())
    made.look_for({"I.last"})
    return made


def test_hits_of_a_table_are_what_is_looked_for(search: _Beside) -> None:
    names = {search.coverage.items[item].what for item in search.wanted}
    assert names == {"I.last: hit with I.go", "I.last: hit with NoAction"}
    assert search.wanted | search.rest == set(range(len(search.coverage.items))) and not search.wanted & search.rest


def test_what_leads_to_what_is_looked_for_goes_first(search: _Beside) -> None:
    """Of this what was done least often; a key of a table is hoped of as its best outcome, or what is looked for."""
    site = ("table", "I.last")
    decisions: Any = [
        SimpleNamespace(site=(site, 0, 1, True), pinned=False),
        SimpleNamespace(site=(("table", "I.first"), 0, 1, True), pinned=True),
        SimpleNamespace(site=(12345, 0, 1, True), pinned=False),
    ]  # fmt: skip
    made: Any = SimpleNamespace(decisions=decisions, made=[Choice("I.first", 0, Outcome(True, "I.put"), 0)])
    key, other, elsewhere = (Turn(made, at) for at in range(3))
    put = Turn(made, 0, Outcome(False, ""))
    hopes = [search._hope(turn) for turn in (key, other, elsewhere, put)]
    assert hopes[0] >= 2 and hopes[1] > 0 and hopes[2:] == [0, 0]
    assert search.rank(key) == (0, 0, -hopes[0], 0) and search.rank(elsewhere) == (1, 0, 0, 2)
    search.done[key.key] += 3
    search.tried[key.key] += 2
    assert search.rank(key) == (0, 7, -hopes[0], 0)
    search.covered |= search.wanted
    assert search._hope(key) == hopes[0] - 2


def test_a_frame_behind_a_value_of_action_data_is_found(search: _Beside, monkeypatch: pytest.MonkeyPatch) -> None:
    """With a key that has no entry yet; when it was taken, no more is looked for."""
    monkeypatch.setattr(beside, "frame_of", lambda finder, search, walk: (0, walk))
    offered: list[Any] = []
    search.offer = lambda frame, own, sent: offered.append((frame, own, sent)) or set()  # type: ignore[arg-type,func-returns-value]
    search.around.finder = SimpleNamespace(program=search.program, targets=search.program.tables)  # type: ignore[misc]
    search.around.committed["I.first", (0,)] = Call("I.put", (9,))  # type: ignore[index]
    search.run()
    [(walk, own, sent)] = offered
    key, other = walk.frame[:2]
    assert key != 0 and sent and search.walks < 30
    assert own["I.first", (key,)] == Call("I.put", (5,)) and own["I.last", (other,)].action == "I.go"


def test_each_frame_alone_beside_what_is_there(search: _Beside, monkeypatch: pytest.MonkeyPatch) -> None:
    """Only frames that hit what is wanted, dropped or not, with the outcomes of what is there."""
    monkeypatch.setattr(
        beside, "frame_of", lambda finder, search, walk: (0, SimpleNamespace(data=bytes(walk.frame[:2])))
    )
    ran: list[Any] = []

    def run(data: bytes, outcomes: Any, entries: Any) -> Any:
        ran.append((data, outcomes))
        applied = [("I.first", (data[0],)), ("I.last", (data[1],))]
        return SimpleNamespace(applied=applied, ports=(1,), accepted=True, forwarded=True)

    there = {("I.first", (9,)): Call("I.put", (5,))}
    finder = SimpleNamespace(
        program=search.program, targets=search.program.tables, templates=[], probe=SimpleNamespace(run=run)
    )
    around: Any = SimpleNamespace(finder=finder, committed=there, copies=Copies(1), room=lambda name: 8, port=3, seed=1)
    found = beside.asked(around, {"I.last"})
    assert found and len(found) == len(ran) <= 2
    for one, (data, outcomes) in zip(found, ran, strict=True):
        assert one.frame.data == data and outcomes["I.last"] is not None
        if data[0] == 9:
            assert one.outcomes["I.first"] == Call("I.put", (5,))
        else:
            assert one.outcomes == outcomes and one.outcomes["I.first"] == Call("I.put", (5,))


def test_frames_that_are_dropped_are_offered_afterwards(monkeypatch: pytest.MonkeyPatch, search: _Beside) -> None:
    around: Any = SimpleNamespace(
        finder=SimpleNamespace(program=search.program),
        committed={},
        copies=Copies(1),
        room=lambda name: 8,
        port=3,
        seed=1,
    )
    told: list[Any] = []
    monkeypatch.setattr(
        _Beside, "look_for", lambda self, tables: told.append(("look for", tables, self.ports, self.most))
    )
    monkeypatch.setattr(
        _Beside, "run", lambda self, advance: (told.append(("run", advance)), self.dropped.extend("ab"))
    )
    monkeypatch.setattr(_Beside, "propose", lambda self, walk, sent: told.append((walk, sent)))
    others = beside.beside(around, {"t"}, (), lambda *_: set(), "advance")  # type: ignore[arg-type]
    assert told == [("look for", {"t"}, range(3, 4), beside.WALKS), ("run", "advance")]
    others()
    assert told[2:] == [("a", False), ("b", False)]
