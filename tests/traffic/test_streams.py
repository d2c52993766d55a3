"""What is left of a kind of frames when some of its tables get no entries; which kinds of keys a table can have together."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from transpiler.hlir.program import MatchKind
from transpiler.interpreter.tables import Call
from transpiler.traffic.builder import Builder, Kind, Reached, _apart, _marks, _out_of_reach, _same_bits
from transpiler.traffic.keys import Data, KeyField, Own, Shared, Unknown
from transpiler.traffic.plan import Stream
from transpiler.traffic.sources import DataBit, Sources

TEMPLATE: Any = SimpleNamespace(hits=("a", "b", "c"), outcomes=dict.fromkeys("abc", Call("go", (1, 2))))


def reached(name: str, *feeders: str) -> Reached:
    """A table whose key has data of these other tables."""
    data = tuple(DataBit(feeder, 1, bit) for feeder in feeders for bit in range(2))
    return Reached(TEMPLATE, SimpleNamespace(name=name), Sources(), Kind((), "go", ()), (ord(name),), data)  # type: ignore[arg-type]


def made(name: str, follows: str | None = None) -> Any:
    return SimpleNamespace(name=name, keys=SimpleNamespace(follows=follows, groups=4))


def streamed(
    group: list[Reached], there: dict[str, Any], applied: Any = lambda entries: "abc", hit: str = ""
) -> Stream:
    """The stream, where tables get the entries `there`; `applied`: those that frames then meet; `hit`: by others' entries."""
    builder: Any = Builder.__new__(Builder)
    builder._entries = lambda one, before: there.get(one.table.name)
    builder._always_hit = lambda name, values: name in hit
    builder.lookups = SimpleNamespace(
        of=lambda template, entries: dict.fromkeys(applied("".join(sorted(entries))), (7,))
    )
    builder.feeds = {(name, "go", 1): SimpleNamespace(keys=SimpleNamespace(groups=4)) for name in "abc"}
    stream: Stream = builder._stream(group)
    return stream


def test_tables_with_entries_have_places_and_feeders() -> None:
    there = {name: made(name) for name in "ab"}
    stream = streamed([reached("a"), reached("b", "a"), reached("c")], there)
    assert (stream.template, stream.entries, stream.places) == (TEMPLATE, there, {"a": (97,), "b": (98,)})
    assert stream.feeders == {"b": ("a", 4)}


@pytest.mark.parametrize(
    ("follows", "feeders", "there", "left"),
    [
        ({}, {}, "abc", "abc"),
        ({"b": "a"}, {}, "bc", "c"),  # its own entries would be those of a table that has none
        ({"b": "a", "c": "b"}, {}, "bc", ""),  # and what follows that
        ({}, {"b": "a"}, "bc", "c"),  # its keys are action data of entries that are not there
        ({"c": "b"}, {"b": "a"}, "bc", ""),
        ({"b": "a"}, {"c": "a"}, "abc", "abc"),
    ],
)
def test_what_needs_a_table_without_entries_has_none(
    follows: dict[str, str], feeders: dict[str, str], there: str, left: str
) -> None:
    group = [reached(name, *feeders.get(name, "")) for name in "abc"]
    stream = streamed(group, {name: made(name, follows.get(name)) for name in there})
    assert "".join(stream.entries) == left == "".join(stream.places)
    assert stream.feeders.keys() == {name for name in feeders if name in left}


def test_what_frames_do_not_meet_has_no_entries() -> None:
    """When others are missed; with these gone they may meet still less."""
    ways = {"abc": "abc", "ab": "a", "bc": "b", "a": "a", "b": "", "": ""}
    group = [reached(name) for name in "abc"]
    assert "".join(streamed(group, {name: made(name) for name in "ab"}, ways.__getitem__).entries) == "a"
    assert streamed(group, {name: made(name) for name in "bc"}, ways.__getitem__).entries == {}


@pytest.mark.parametrize(("hit", "left"), [("", "ab"), ("c", ""), ("a", "ab"), ("d", "ab")])
def test_frames_that_others_entries_hit_where_they_want_a_miss_come_to_nothing(hit: str, left: str) -> None:
    stream = streamed([reached(name) for name in "abc"], {name: made(name) for name in "ab"}, hit=hit)
    assert "".join(stream.entries) == left
    assert left or (stream.template, stream.places, stream.feeders) == (TEMPLATE, {}, {})


@pytest.mark.parametrize("used", [[], ["a"], ["c", "a"], ["abc"], ["b", "ab"]])
def test_tables_that_some_frames_need_are_filled_and_no_others(used: list[str]) -> None:
    """In the order in which their entries were made."""
    builder: Any = Builder("program", "wishes", None, None)  # type: ignore[arg-type]
    builder.made = {(name, kind(0)): made(name) for name in "abc"}
    by_name = {name: entries for (name, _), entries in builder.made.items()}
    streams = [Stream(TEMPLATE, {name: by_name[name] for name in names}, {}, {}) for names in used]
    builder.streams = lambda reached: streams
    plan = builder.draft([])
    assert (plan.streams, plan.feeds, plan.spares) == (tuple(streams), builder.feeds, False)
    assert [one.name for one in plan.tables] == sorted(set("".join(used)))


def kind(*bits: Any, action: str = "go") -> Any:
    return Kind(bits, action, ())


@pytest.mark.parametrize(
    ("first", "second", "both"),
    [
        (kind(0, Own(0)), kind(1, Own(0)), True),  # constants tell them apart
        (kind(0, Own(0)), kind(0, Own(0), action="stop"), True),  # they share the keys there are
        (kind(0, Own(0)), kind(0, Own(1)), False),
        (kind(0, 1), kind(0, 1, action="stop"), True),
        (kind(0, Shared("t", 0)), kind(0, Shared("t", 0), action="stop"), False),
        (kind(0, Data(0)), kind(Own(0), Data(0)), False),
        (kind(0, Own(0)), kind(0, Own(0)), False),  # the same
        (kind(0, Own(0)), kind(1, Unknown()), False),  # nobody knows what to match
    ],
)
def test_kinds_of_keys_of_a_table(first: Any, second: Any, both: bool) -> None:
    builder: Any = Builder.__new__(Builder)
    builder.kinds = {}
    field = SimpleNamespace(match_kind=MatchKind.EXACT, expression=SimpleNamespace(type=SimpleNamespace()))
    table: Any = SimpleNamespace(name="t", keys=[field])
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("transpiler.traffic.builder.matched", lambda table: (2,))
        for one in (first, second):
            builder._note_kind(Reached(TEMPLATE, table, Sources(), one, (), ()))
    assert builder.kinds["t"] == [first, second][: 1 + both]


def test_parts_of_keys() -> None:
    exact, masked = KeyField(MatchKind.EXACT, 2), KeyField(MatchKind.TERNARY, 3)
    fields = (exact, masked)
    assert not _out_of_reach(fields, (0, Own(0), Unknown(), 1, Own(1)))
    assert _out_of_reach(fields, (0, Unknown(), 0, 1, Own(1)))
    assert _marks(fields, (Own(0), Own(1), Own(2), 1, Own(3))) == (0, 1)
    assert (
        _marks(fields, (Own(0), 1, Own(2), Own(4), Own(3))) == (2, 4, 3) and _marks(fields, (0, 1, 0, 0, Data(0))) == ()
    )
    assert _marks((KeyField(MatchKind.LPM, 5),), tuple(Own(at) for at in range(5))) == (0, 1, 2)
    assert _apart((0, Own(0), 1), (0, 1, 0)) and not _apart((0, Own(0), 1), (Own(0), 0, 1))
    assert _same_bits(((3, 0), (5, 1), (6, 2)), ((5, 0), (4, 1), (3, 2))) == ((1, 0), (0, 2))
