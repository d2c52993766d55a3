"""The small parts of the search for frames: which templates are taken, what is varied of them, and what is said."""

from __future__ import annotations

import io
from collections.abc import Sequence
from dataclasses import replace
from random import Random
from types import SimpleNamespace
from typing import Any

import pytest
from hlir_builder import AT, Builder, apply, binary, const, emit, exact, extract, goto, if_, state
from test_ways import table, written

from macsad import cli
from transpiler.hlir import expressions as ex
from transpiler.hlir.program import MatchKind, Program
from transpiler.hlir.types import Bits
from transpiler.interpreter.tables import Call
from transpiler.traffic import continued as continuing, missed, outward
from transpiler.traffic.builder import _apart, _marks, _out_of_reach, _same_bits
from transpiler.traffic.choose import ALIKE, _rank, _state, choose
from transpiler.traffic.continued import FEW, TRIES, _attempt, _met, continued
from transpiler.traffic.entries import write
from transpiler.traffic.filled import TableEntries
from transpiler.traffic.fuller import calls, fuller
from transpiler.traffic.keys import KeyField, KeySet, Own, Pattern, Shared, Unknown
from transpiler.traffic.parser_paths import Shape
from transpiler.traffic.plan import Plan, Wishes
from transpiler.traffic.probe import Observation
from transpiler.traffic.profiles import GROUP_MEMBERS, Profiles
from transpiler.traffic.search import Frame, Template, _candidates
from transpiler.traffic.told_apart import _with_most, told_apart
from transpiler.traffic.varied import free_bits, varied
from transpiler.traffic.wellknown import Known

GO, OTHER = Call("go", (1,)), Call("other", ())
PROGRAM: Any = SimpleNamespace(
    table={name: SimpleNamespace(default_action=SimpleNamespace(action="none")) for name in "abcd"}
)


def template(
    hits: str,
    ports: tuple[int, ...] = (1,),
    *,
    forwarded: bool = True,
    accepted: bool = True,
    state: str = "",
    bits: int = 8,
) -> Template:
    seen = Observation(
        tuple((name, (0,)) for name in hits), ports, accepted, tuple((s, (0,)) for s in state), (), forwarded
    )
    frame = Frame(Shape(bits, {}, {}), bytes(64), (), Known())
    return Template(frame, dict.fromkeys(hits, GO), seen)


# --- choosing --------------------------------------------------------------------------------------------------------


class Running:
    """A probe that has the same key for all frames."""

    def __init__(self, keys: dict[int, int] | None = None) -> None:
        self.keys = keys or {}

    def run(self, data: bytes, outcomes: Any, fixed: Any = None) -> Any:
        return SimpleNamespace(way=None, applied=())


def chosen(*found: Template) -> list[str]:
    return ["".join(one.hits) + "".join(sorted(one.state)) for one in choose(PROGRAM, Running(), found)]  # type: ignore[arg-type]


def test_those_that_come_out_themselves_are_taken_first() -> None:
    """Then those of which clones do, then those that are dropped; of these, those that hit most more."""
    forwarded, clones, dropped = template("a"), template("abc", forwarded=False), template("abcd", (), forwarded=False)
    assert chosen(dropped, clones, forwarded) == ["a", "abc", "abcd"]
    assert chosen(template("a"), template("ab"), template("bc")) == ["ab", "bc"]
    assert chosen(template("ab"), template("a"), template("b")) == ["ab"]
    assert chosen(template("")) == []
    assert chosen(template("a", state="xy"), template("a", state="xyz"), template("b", state="w")) == ["axyz", "bw"]
    assert chosen(template("a", state="x"), template("a", state="y")) == ["ax", "ay"]
    assert chosen(template("a", (), state="x", forwarded=False)) == ["ax"]  # for its table, not for its state


def test_of_those_that_hit_the_same_the_frame_with_most_to_vary_is_taken() -> None:
    """By how many bytes change a key and not the way; of several such the shortest; the first few are compared."""
    frames = [template("a", bits=bits) for bits in (24, 16, 8, 16)]

    class ByBytes:
        def run(self, data: bytes, outcomes: Any, fixed: Any = None) -> Any:
            turned = next(at for at in range(64) if data[at])
            return SimpleNamespace(
                way=frames[0].seen.way, applied=(("a", (turned,)),) if turned == 0 else (("a", (0,)),)
            )

    assert choose(PROGRAM, ByBytes(), frames)[0] is frames[2]  # type: ignore[arg-type]

    class Two(ByBytes):
        def run(self, data: bytes, outcomes: Any, fixed: Any = None) -> Any:
            return SimpleNamespace(way=frames[0].seen.way, applied=(("a", (1,)),))

    assert choose(PROGRAM, Two(), frames)[0] is frames[0]  # type: ignore[arg-type]
    many = [*[template("a", bits=8) for _ in range(ALIKE)], template("a", bits=16)]
    assert choose(PROGRAM, Two(), many)[0] is many[0]  # type: ignore[arg-type]
    assert _rank(0, 0, (1, 1, 1)) == ()


# --- continuing ------------------------------------------------------------------------------------------------------


def finding(targets: str, **more: Any) -> Any:
    numbers = iter(range(10**6))
    return SimpleNamespace(
        program=PROGRAM, targets=[SimpleNamespace(name=name) for name in targets], forms=("one", "two"),
        frame=lambda number, chance: SimpleNamespace(data=f"any of {number}"),
        outcome=lambda table, chance: Call(f"{table.name}{next(numbers)}", ()), **more,
    )  # fmt: skip


def test_a_lead_is_changed_in_one_table_and_its_frame(monkeypatch: pytest.MonkeyPatch) -> None:
    """What it hits stays else; what is fixed goes before all."""
    finder, lead, frames, changed = finding("abcd"), template("abc"), set(), []
    probe: Any = SimpleNamespace(run=lambda data, outcomes, fixed: Observation((("a", (0,)), ("d", (9,))), (), True))
    chance = Random(1)
    for _ in range(300):
        made = _attempt(finder, probe, [lead], {("d", (9,)): OTHER, ("a", (7,)): OTHER}, {"d"}, chance)
        frames.add(made.frame.data)
        assert made.outcomes["d"] is OTHER  # by the key that it was looked up with
        changed.append("".join(name for name in "abc" if made.outcomes[name] is not GO))
    assert frames == {bytes(64), "any of 0", "any of 1"}
    assert set(changed) == {"", "a", "b", "c"} and 50 < changed.count("") < 130
    assert _met([("a", (1,)), ("b", (2,))], {("b", (2,)): None, ("a", (2,)): GO}) == {"b": None}


def test_tables_that_are_wanted_are_missed_less_often() -> None:
    """A miss is drawn again."""
    finder = finding("ab")
    drawn = iter([None, GO, None, None, None, GO])
    finder.outcome = lambda table, chance: next(drawn)
    probe: Any = SimpleNamespace(run=lambda data, outcomes, fixed: Observation((), (), True))
    assert _attempt(finder, probe, [template("")], {}, {"a"}, Random(1)).outcomes == {"a": GO, "b": None}
    assert _attempt(finder, probe, [template("")], {}, {"a"}, Random(1)).outcomes["a"] is None


def test_for_each_table_the_best_few_are_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    """Those that come out first, then those that hit most; what is better than all before is a lead of its own."""
    found = (
        [template("a", (), forwarded=False)] + [template("a") for _ in range(FEW + 2)] + [template("ab"), template("x")]
    )
    leads: list[int] = []
    turns = iter(range(TRIES))

    def attempt(finder: Any, probe: Any, of: Sequence[Template], fixed: Any, wanted: Any, chance: Any) -> Template:
        leads.append(len(of))
        turn = next(turns)
        return found[turn] if turn < len(found) else template("")

    monkeypatch.setattr(continuing, "_attempt", attempt)
    made = continued(finding("abx"), None, [template("")], {}, {"a", "b"}, 1)  # type: ignore[arg-type]
    assert made == [found[-2], *found[1:FEW]]
    assert len(leads) == TRIES and leads[: len(found) + 1] == [1, 2, 3] + [3] * (FEW + 1) + [4, 4]


def test_a_table_that_only_dropped_frames_hit_is_brought_out(monkeypatch: pytest.MonkeyPatch) -> None:
    """By varying the best frames that hit it in turn, until one comes out; tables that are sent are left alone."""
    noted, told, tried = [], [], []
    worse, better, sent = template("a", (), accepted=False), template("ab", ()), template("b")
    finder: Any = SimpleNamespace(
        program=PROGRAM, targets=[SimpleNamespace(name=name) for name in "abc"], is_sent=lambda name: name == "b",
        found={(0, ("a",), 0): worse, (1, ("a", "b"), 0): better, (2, ("b",), 0): sent},
        note=lambda form, template: noted.append((form, template)),
    )  # fmt: skip
    results = [template("ab", ()), template("b"), template("a", accepted=False), template("a")]

    def variant(finder: Any, form: int, lead: Any, table: Any, chance: Any) -> Template:
        tried.append((form, lead, table.name))
        return results[len(tried) - 1]

    monkeypatch.setattr(outward, "_varied", variant)
    outward.bring_out(finder, 1, lambda done, total: told.append((done, total)))
    assert tried == [(1, better, "a"), (0, worse, "a")] * 2
    assert noted == [(0, results[3])] and told == [(0, 3), (1, 3), (2, 3), (3, 3)]


def test_what_is_varied_to_bring_a_frame_out() -> None:
    """The table does what it did; the frame, and what most of the others do, now and then."""
    finder = finding("abcd", usual=lambda form: SimpleNamespace(data="usual"))
    finder.probe = SimpleNamespace(run=lambda data, outcomes: None)
    lead, chance, frames, kept = template("abc", ()), Random(3), [], []
    for _ in range(400):
        made = outward._varied(finder, 0, lead, SimpleNamespace(name="b"), chance)  # type: ignore[arg-type]
        frames.append(made.frame.data)
        assert made.outcomes["b"] is GO and made.outcomes["d"] is not GO
        kept += [made.outcomes[name] is GO for name in "ac"]
    assert {frame: 80 < frames.count(frame) < 200 for frame in set(frames)} == dict.fromkeys(
        (bytes(64), "usual", "any of 0"), True
    )
    assert 0.65 < sum(kept) / len(kept) < 0.85


# --- action data, bits, misses ---------------------------------------------------------------------------------------


def test_action_data_get_values_with_which_the_frame_does_the_same() -> None:
    """Tried together and by halves; narrow ones stay, as they may be an enumeration."""
    widths = {"go.x": 32, "go.y": 8, "go.z": 9, "go.w": 48}
    program: Any = SimpleNamespace(
        variable={name: SimpleNamespace(type=Bits(width)) for name, width in widths.items()},
        action={"go": SimpleNamespace(parameters=tuple(widths))},
    )
    lead = replace(template("a"), outcomes={"a": Call("go", (1, 2, 3, 4)), "b": None})

    def run(data: bytes, outcomes: Any) -> Observation:
        return lead.seen if outcomes["a"].arguments[2] == 3 else replace(lead.seen, ports=(7,))

    made = told_apart(SimpleNamespace(program=program, run=run), lead, 5)  # type: ignore[arg-type]
    call = made.outcomes["a"]
    assert call is not None and call.arguments[1:3] == (2, 3)
    assert call.arguments[0] not in (1, 2, 3, 4) and 0 <= call.arguments[0] < 1 << 32
    assert call.arguments[3] not in (1, 2, 3, 4) and 0 <= call.arguments[3] < 1 << 48
    assert made.outcomes["b"] is None
    for changed in ({"copies": (("group", 1),)}, {"cells": (("r", (1,)),)}, {"forwarded": False}, {"ports": (2,)}):
        other: Any = SimpleNamespace(run=lambda data, outcomes, changed=changed: replace(lead.seen, **changed))
        assert _with_most(other, lead, [("a", 0)], {("a", 0): 9}) is lead


def test_bits_that_may_have_any_value() -> None:
    """Not those that the parser has fixed, nor versions, lengths and checksums."""
    known = Known(values=((8, 4, 0),), lengths=((16, 0),))
    sums = (SimpleNamespace(place=40, covered=()),)
    frame: Any = Frame(Shape(64, {0: 1, 63: 0}, {}), bytes(8), sums, known)  # type: ignore[arg-type]
    assert free_bits(frame) == [*range(1, 8), 12, 13, 14, 15, *range(32, 40), *range(56, 63)]


def varied_of(
    decides: Any, keys: Any = lambda data: (), way: Any = lambda data: True, bits: int = 8, filled: str = "t"
) -> Any:
    def run(data: bytes, outcomes: Any) -> Any:
        cells = decides(data)
        return SimpleNamespace(
            cells=cells,
            way=way(data),
            applied=keys(data),
            instances=tuple((name, bool(which)) for name, which in cells),
        )

    frame = Frame(Shape(bits, {}, {}), bytes(8), (), Known())
    return varied(SimpleNamespace(run=run), frame, {}, set(filled))  # type: ignore[arg-type]


def test_bits_that_decide_about_a_cell() -> None:
    """And about nothing else: not about the way, the keys of tables with entries, or whether there is such a cell."""
    low = lambda data: (("r", (data[0] & 0x0F,)),)  # noqa: E731
    assert varied_of(low) == (4, 5, 6, 7)
    assert varied_of(low, bits=6) == (4, 5)
    assert varied_of(low, way=lambda data: data[0] & 1 == 0) == (4, 5, 6)
    assert varied_of(low, keys=lambda data: (("t", (data[0] & 4,)),)) == (4, 6, 7)
    assert varied_of(low, keys=lambda data: (("t", (data[0] & 4,)),), filled="") == (4, 5, 6, 7)
    assert varied_of(lambda data: (("r", (data[0] & 0x0F,) if data[0] & 8 == 0 else ()),)) == (5, 6, 7)
    assert varied_of(lambda data: (("r", (data[0] & 3,) if data[0] & 3 != 3 else ()),)) in (
        (6,),
        (7,),
    )  # not both together
    assert varied_of(lambda data: ()) is None and varied_of(lambda data: (("r", (1,)),)) is None
    only_key = varied_of(low, keys=lambda data: (("t", (data[0],)),))
    assert only_key == ()  # a key decides, which flows have anyway


def test_misses_become_hits_where_the_frame_comes_out_as_before() -> None:
    """With the first action by which one table more is hit, and none less; what is fixed stays."""
    ports = {"drop": (), "go": (1,), "away": (2,), "lose": (1,)}

    def run(frame: bytes, outcomes: Any, fixed: Any) -> Observation:
        call = outcomes["a"]
        applied = [("a", (0,)), ("b", (0,))] if call is None or call.action != "lose" else [("a", (0,))]
        return Observation(tuple(applied), ports[call.action] if call else (1,), True)

    def program(*actions: str) -> Any:
        uses = [SimpleNamespace(action=name, default_only=name == "never") for name in actions]
        named = {name: SimpleNamespace(parameters=()) for name in actions}
        return SimpleNamespace(
            table={"a": SimpleNamespace(actions=uses), "b": SimpleNamespace(actions=[])}, action=named, variable={}
        )

    def filled(*actions: str, names: str = "ab", fixed: Any = None) -> Any:
        probe: Any = SimpleNamespace(run=run, program=program(*actions))
        return fuller(probe, b"", {"a": None, "b": GO}, fixed or {}, names)

    assert filled("never", "drop", "away", "lose", "go") == {"a": Call("go", ()), "b": GO}
    assert filled("drop", "away") == {"a": None, "b": GO} == filled("go", names="b")
    assert filled("go", fixed={("a", (0,)): None}) == {"a": None, "b": GO}


def test_the_actions_that_are_tried_have_small_arguments() -> None:
    program: Any = SimpleNamespace(
        table={"t": SimpleNamespace(actions=[SimpleNamespace(action="go", default_only=False)])},
        action={"go": SimpleNamespace(parameters=("x", "y", "z"))},
        variable={name: SimpleNamespace(type=Bits(width)) for name, width in (("x", 1), ("y", 48), ("z", 0))},
    )
    assert calls(program, "t") == [Call("go", (1, 1, 0))]


def test_fields_are_tried_with_what_they_are_compared_with() -> None:
    """And with the numbers beside it, as far as they fit; whichever side the number is on, and inside of what is computed."""
    b = Builder()
    b.header("h", "h_t", a=8, b=8, c=8, d=8, e=4, f=8)
    b.stack("s", "s_t", 2, x=8)
    element = ex.Read(ex.FieldRef(ex.ElementRef("s", const(0, 8), AT), "x", AT), Bits(8), AT)
    summed = binary("+", b.get("h.d"), const(1, 8))
    conditions = (
        binary("==", b.get("h.a"), const(255, 8)), binary("<", const(7, 8), b.get("h.b")),
        binary("!=", b.get("h.c"), const(0, 8)), binary(">=", summed, const(9, 8)), binary("==", element, const(3, 8)),
        binary("==", b.get("h.a"), const(1, 8)), binary("==", b.get("h.e"), const(15, 4)),
    )  # fmt: skip
    b.table("t", [("h.f", "exact")], [], entries=[b.entry([exact(40, 8)], "NoAction")], const_entries=True)
    made = b.build(
        [state("start", [extract("h")], goto("accept"))], ingress=[*(if_(c, []) for c in conditions), apply("t")]
    )
    assert _candidates(made) == {
        "h_t": {
            "a": (0, 1, 2, 254, 255), "b": (6, 7, 8), "c": (0, 1), "d": (8, 9, 10), "e": (14, 15), "f": (39, 40, 41),
        },
        "s_t": {"x": (2, 3, 4)},
    }  # fmt: skip


def test_templates_beside_others_are_ranked_by_what_comes_out_itself(monkeypatch: pytest.MonkeyPatch) -> None:
    """And then by the tables that are wanted, as a user wants whole ways."""
    monkeypatch.setattr(continuing, "quality", lambda program, one: one.quality)
    finder: Any = SimpleNamespace(program=None)

    def rank(*quality: int, hits: str = "a") -> tuple[int, ...]:
        one: Any = SimpleNamespace(quality=(*quality, 9, 9), hits=tuple(hits))
        return continuing._rank(finder, one, {"a", "b"})

    assert rank(1, 1, 1, hits="abc") == (1, 1, 2, 1)
    assert rank(0, 1, 1) == (0, 1, 1, 0) and rank(1, 0, 0) == (0, 0, 1, 1) and rank(1, 1, 0, hits="c") == (1, 0, 0, 1)


@pytest.mark.parametrize(
    ("hits", "ports", "accepted", "reached"),
    [("t", (1,), True, "r"), ("", (1,), True, ""), ("t", (), True, ""), ("t", (1,), False, "")],
)
def test_state_counts_where_frames_come_out(hits: str, ports: tuple[int, ...], accepted: bool, reached: str) -> None:
    seen = SimpleNamespace(ports=ports, accepted=accepted)
    one: Any = SimpleNamespace(hits=tuple(hits), seen=seen, state=frozenset("r"))
    assert _state(one) == frozenset(reached)


# --- why there are no entries ----------------------------------------------------------------------------------------


def excluded(found: Sequence[Template], others: Sequence[Sequence[str]], monkeypatch: pytest.MonkeyPatch) -> str:
    answers = iter(others)
    monkeypatch.setattr(missed, "Committed", lambda made: None)
    monkeypatch.setattr(missed, "_others", lambda probe, lead, committed, table: next(answers))
    finder: Any = SimpleNamespace(templates=found, program=PROGRAM)
    return missed.excluded(SimpleNamespace(points=()), finder, SimpleNamespace(runs=12345), "a")  # type: ignore[arg-type]


def test_why_a_table_has_no_entries(monkeypatch: pytest.MonkeyPatch) -> None:
    """The fewest tables that stand in the way are named, three at most."""
    one, two = template("a"), template("ab")
    assert excluded([template("b")], [], monkeypatch) == "no frames were found that can hit table a, among 12,345"
    assert excluded([one, two], [["x"], []], monkeypatch) == "no frames were found that hit table a beside the others"
    need = "frames that hit table a need other entries, for keys that have some: in "
    assert excluded([one, two], [["x", "y"], ["z"]], monkeypatch) == f"{need}z"
    assert excluded([one], [["x", "y", "z"]], monkeypatch) == f"{need}x, y, z"
    assert excluded([one], [["x", "y", "z", "v", "w"]], monkeypatch) == f"{need}x, y, z and 2 more"


def test_only_tables_that_keep_a_frame_away_are_named_where_there_are_such() -> None:
    lead = template("abc")
    committed: Any = {("a", (0,)): OTHER, ("b", (0,)): GO, ("c", (0,)): None}

    def met(decisive: str) -> Any:
        def run(data: bytes, outcomes: Any, entries: Any) -> Any:
            return SimpleNamespace(
                applied=[("x", ())] if {name for name, _ in entries} & set(decisive) else [("t", ())]
            )

        return missed._others(SimpleNamespace(run=run), lead, committed, "t")  # type: ignore[arg-type]

    assert met("a") == ["a"] and met("") == ["a", "c"] and met("ac") == ["a", "c"]


# --- keys and profiles -----------------------------------------------------------------------------------------------


def test_bits_of_keys() -> None:
    fields = (KeyField(MatchKind.EXACT, 2), KeyField(MatchKind.TERNARY, 5))
    own = tuple(Own(i) for i in range(7))
    assert _marks(fields, own) == (2, 3, 4) and _marks(fields, (*own[:2], 0, 0, 0, 0, Own(6))) == (0, 1)
    assert _marks(fields, (0,) * 7) == ()
    assert not _out_of_reach(fields, (*own[:6], Unknown())) and _out_of_reach(fields, (Unknown(), *own[1:]))
    assert (
        _apart((0, 1, Own(1)), (0, 0, Own(1)))
        and not _apart((0, Own(0)), (0, 1))
        and not _apart((Shared("t", 1),), (1,))
    )
    assert _same_bits(((0, 5), (1, 6)), ((1, 2), (3, 4), (0, 9))) == ((6, 2), (5, 9))


def profile_program(kind: str, size: int) -> Program:
    b = Builder()
    b.header("h", "h_t", a=8)
    b.action("put", v=8)
    more = {"algorithm": "crc16", "width": 14} if kind == "action_selector" else {}
    b.extern("p", kind, size=size, **more)
    keys = [("h.a", "exact")] + ([("h.a", "selector")] if kind == "action_selector" else [])
    b.table("t", keys, ["put"], implementation="p")
    b.table("u", keys, ["put"], implementation="p")
    start = state("start", [extract("h")], goto("accept"))
    return b.build([start], ingress=[apply("t"), apply("u")], deparser=[emit("h")])


@pytest.mark.parametrize(
    ("kind", "size", "counts", "spares", "members"),
    [
        ("action_profile", 100, (10, 20), False, [(0, 10), (10, 20)]),
        ("action_profile", 100, (1, 2), False, [(0, GROUP_MEMBERS), (4, GROUP_MEMBERS)]),
        ("action_profile", 25, (10, 20), False, [(0, 10), (10, 15)]),
        ("action_profile", 25, (30, 20), False, [(0, 21), (21, 4)]),  # some are left for the other
        ("action_profile", 100, (60, 60), True, [(0, 60), (60, 15)]),  # and for single frames
        ("action_profile", 3, (5, 5), False, [(0, 1), (1, 2)]),
        ("action_selector", 100, (10, 20), False, [(0, 10), (10, 20)]),
    ],
)
def test_members_of_a_profile(
    kind: str, size: int, counts: tuple[int, int], spares: bool, members: list[tuple[int, int]]
) -> None:
    program = profile_program(kind, size)
    made: Any = [
        SimpleNamespace(table=program.table[name], count=count) for name, count in zip("tu", counts, strict=True)
    ]
    profiles = Profiles(SimpleNamespace(program=program, tables=made, spares=spares))  # type: ignore[arg-type]
    assert [profiles.of(one) for one in made] == members
    assert profiles.used["p"] == sum(count for _, count in members)
    selector = kind == "action_selector"
    assert profiles.is_selector("p") is selector and profiles.groups["p"] == (profiles.used["p"] if selector else 0)
    step = GROUP_MEMBERS if selector else 1
    count = members[0][1]
    assert [profiles.member(made[0], number) for number in range(25)] == [
        number % count * step % count for number in range(25)
    ]
    plain: Any = SimpleNamespace(table=SimpleNamespace(implementation=None))
    assert profiles.member(plain, 7) == 7


@pytest.mark.parametrize("kind", ["action_profile", "action_selector"])
def test_tables_that_share_a_profile_have_members_and_groups_of_their_own(kind: str) -> None:
    """Members and groups have numbers in the order in which they are made; a group has no member twice."""
    program, call, of = profile_program(kind, 100), {"t": Call("put", (7,)), "u": Call("put", (9,))}, {"t": 5, "u": 6}
    bits = tuple(Own(i) for i in range(8))
    made = [
        TableEntries(
            program.table[name], KeySet(name, (KeyField(MatchKind.EXACT, 8),), bits, (), (Pattern((True,) * 8, count),), 1, 3),
            {}, call[name], frozenset(), frozenset({0}), {},
        ) for name, count in of.items()
    ]  # fmt: skip
    out = io.BytesIO()
    write(Plan(program, Wishes(), (), tuple(made), {}), out, lambda count: None)
    lines = [line.split() for line in out.getvalue().decode().splitlines()]
    members = [int(words[-1], 16) for words in lines if words[0] == "act_prof_create_member"]
    assert members == [7] * 5 + [9] * 6
    groups: list[list[int]] = [[] for words in lines if words[0] == "act_prof_create_group"]
    for words in lines:
        if words[0] == "act_prof_add_member_to_group":
            groups[int(words[3], 16)].append(int(words[2], 16))
    firsts = [first + number * GROUP_MEMBERS % count for first, count in ((0, 5), (5, 6)) for number in range(count)]
    beginnings = [[group[0], len(set(group)), {members[member] for member in group}] for group in groups]
    assert beginnings == [[first, GROUP_MEMBERS, {members[first]}] for first in firsts] * (kind == "action_selector")
    asked = {name: [int(words[-1], 16) for words in lines if words[1] == name] for name in of}
    assert asked == {"t": list(range(5)), "u": list(range(5, 11))}


# --- what is said ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (
            ["--table", "only=20"],
            "table I.only has only 4 different keys for such frames, so 20 entries cannot be made",
        ),
        (["--table", "only=4"], ""),
        (["--entries", "20"], ""),  # as many as there is room for
    ],
)
def test_fewer_keys_than_were_asked_for(
    options: list[str], said: str, tmp_path: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    program = written(tmp_path, table("only", "h.one.a[1:0]: exact"), "if (h.one.isValid()) { only.apply(); }")
    assert cli.call(["gen", str(program), "-o", str(tmp_path), "--packets", "20", *options]) == 0
    told = capsys.readouterr().err
    assert said in told if said else "cannot be made" not in told


def test_entries_beyond_the_size_of_a_table(tmp_path: Any, capsys: pytest.CaptureFixture[str]) -> None:
    program = written(tmp_path, table("only", "h.one.a: exact", size=16), "if (h.one.isValid()) { only.apply(); }")
    for count, code in ((16, 0), (17, 1)):
        options = ["--table", f"only={count}", "--packets", "20"]
        assert cli.call(["gen", str(program), "-o", str(tmp_path), *options]) == code
    assert "17 entries do not fit in table I.only: its size is 16" in capsys.readouterr().err
