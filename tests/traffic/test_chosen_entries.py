"""Which entries of tables the flows have: those of tables whose keys depend on each other go together."""

from __future__ import annotations

import io
import struct
from collections.abc import Mapping
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from hlir_builder import AT, Builder

from transpiler.hlir.program import Annotation, MatchKind
from transpiler.interpreter.tables import Call
from transpiler.traffic import frames
from transpiler.traffic.filled import TableEntries
from transpiler.traffic.frames import Traffic, _Alone, _in_group, _picker, _ratios, _records, _sizes, _Writer, smallest
from transpiler.traffic.keys import Data, KeyBit, KeyField, KeySet, Own, Pattern, Shared

FLOWS = np.arange(4000, dtype=np.uint64)
OWN, SHARED, DATA = (tuple(kind(i) for i in range(16)) for kind in (Own, lambda i: Shared("t", i), Data))


def entries(
    bits: tuple[KeyBit, ...], count: int, *, groups: int = 1, rule: str = "", marks: tuple[int, ...] = (),
    owner: TableEntries | None = None,
) -> TableEntries:  # fmt: skip
    keys = KeySet("k", (KeyField(MatchKind.EXACT, 16),), bits, marks, (Pattern((True,) * 16, count),), groups, 5)
    b = Builder()
    b.header("h", "h_t", a=16)
    b.table("k", [("h.a", "exact")], ["NoAction"])
    [table] = b.tables
    if rule:
        table = replace(table, annotations=(Annotation("entry_restriction", f'"{rule}"', AT),))
    owners = {} if owner is None else {"t": owner.keys}
    return TableEntries(table, keys, owners, Call("NoAction", ()), frozenset(), frozenset(), {})


def chosen(
    made: Mapping[str, TableEntries],
    feeders: Mapping[str, tuple[str, int]] = {},
    hit: float = 1.0,
    seed: int | None = 1,
) -> dict[str, tuple[Any, Any]]:
    """For each table the entry of each flow, and whether it is hit."""
    writer: Any = _Writer.__new__(_Writer)
    writer.plan = SimpleNamespace(wishes=SimpleNamespace(hit=hit))
    writer.stream = SimpleNamespace(entries=made, feeders=feeders)
    found: dict[str, tuple[Any, Any]] = {}
    chance = None if seed is None else np.random.default_rng(seed)
    for name in made:
        writer._choose(name, FLOWS, found, chance)
    return found


def test_flows_have_all_entries_and_the_same_number_in_tables_of_a_size() -> None:
    made = chosen({"a": entries(OWN, 100), "b": entries(OWN, 100), "c": entries(OWN, 4000)})
    for name, count in (("a", 100), ("b", 100), ("c", 4000)):
        numbers, hit = made[name]
        assert hit.all() and np.bincount(numbers.astype(int)).tolist() == [4000 // count] * count
    assert (made["a"][0] == made["b"][0]).all()
    assert abs(np.diff(made["c"][0].astype(int))).min() > 1  # neighbours among flows are none in tables


def test_frames_miss_where_they_are_to_and_can() -> None:
    """Where entries have marks; not where frames are to hit all that they can."""
    tables = {"a": entries(OWN, 100, marks=(0, 1)), "b": entries(OWN, 100), "c": entries((1,) * 16, 1, marks=(0,))}
    made = chosen(tables, hit=0.25)
    assert 900 < made["a"][1].sum() < 1100 and made["b"][1].all() and made["c"][1].all()
    assert all(hit.all() for _, hit in chosen(tables, hit=0.25, seed=None).values())
    assert not chosen(tables, hit=0.0)["a"][1].any()


@pytest.mark.parametrize(("count", "hits"), [(100, 4000), (60, 2400), (150, 4000)])
def test_a_key_that_is_another_s_has_its_entry(count: int, hits: int) -> None:
    """Flows whose entry it has not miss, and so do those that miss the other."""
    owner = entries(OWN, 100, marks=(0, 1))
    made = chosen({"k": entries(SHARED, count, owner=owner), "t": owner})
    assert (made["k"][0] == made["t"][0] % count).all() and made["k"][1].sum() == hits
    assert (made["k"][1] == (made["t"][0] < count)).all()
    made = chosen({"t": owner, "k": entries(SHARED, count, owner=owner)}, hit=0.5)
    assert (made["k"][1] == (made["t"][1] & (made["t"][0] < count))).all() and 0 < made["k"][1].sum() < hits


@pytest.mark.parametrize(("of", "groups"), [(8, 8), (8, 5), (16, 4)])
def test_a_key_of_action_data_has_those_of_the_entry(of: int, groups: int) -> None:
    """Of as many values as the table gives; of those that it has no entry for, it is missed."""
    feeder = entries(OWN, 100, marks=(0, 1))
    tables = {"fed": entries((*OWN[:8], *DATA[:8]), 40, groups=groups), "feeder": feeder}
    made = chosen(tables, {"fed": ("feeder", of)})
    value = made["feeder"][0] % of
    assert (made["fed"][1] == (value < groups)).all()
    hit = made["fed"][1]
    assert (made["fed"][0][hit] % groups == value[hit]).all() and made["fed"][0].max() < 40
    assert len(set(made["fed"][0][hit].tolist())) == 40 * min(of, groups) // groups
    missed = chosen({**tables, "feeder": feeder}, {"fed": ("feeder", of)}, hit=0.5)
    assert not (missed["fed"][1] & ~missed["feeder"][1]).any() and missed["fed"][1].any()


def test_a_key_of_both_is_hit_where_they_agree() -> None:
    owner, feeder = entries(OWN, 12), entries(OWN, 25)
    both = entries((*SHARED[:8], *DATA[:8]), 24, groups=6, owner=owner)
    made = chosen({"t": owner, "feeder": feeder, "k": both}, {"k": ("feeder", 6)})
    numbers, hit = made["k"]
    assert (hit == (numbers % 12 == made["t"][0])).all() and 0 < hit.sum() < 4000
    assert (numbers[hit] % 6 == made["feeder"][0][hit] % 6).all()


def test_entries_that_a_rule_forbids_are_missed_and_same_keys_are_one_entry() -> None:
    ruled = entries(OWN, 100, rule="h.a >= 0x8000")
    numbers, hit = chosen({"a": ruled})["a"]
    values = ruled.values(np.arange(100, dtype=np.uint64))[0]
    assert (hit == (values[numbers.astype(int)] >= 0x8000)).all() and 0 < hit.sum() < 4000
    feeder = entries(OWN, 100)
    fed = entries(DATA, 40, groups=8)
    numbers, hit = chosen({"feeder": feeder, "fed": fed}, {"fed": ("feeder", 8)})["fed"]
    assert hit.all() and set(numbers.tolist()) == set(range(8)) and fed.count == 8


@pytest.mark.parametrize(
    ("count", "groups", "entry", "group", "expected"),
    [
        (40, 8, 19, 3, 19),
        (40, 8, 19, 0, 16),
        (40, 8, 16, 7, 23),
        (39, 8, 35, 7, 7),
        (39, 8, 35, 6, 38),
        (3, 8, 1, 5, 5),
    ],
)
def test_the_entry_of_a_group_that_is_next(count: int, groups: int, entry: int, group: int, expected: int) -> None:
    keys: Any = SimpleNamespace(groups=groups, count=count)
    assert _in_group(keys, np.array([entry], dtype=np.uint64), np.array([group], dtype=np.uint64)).tolist() == [
        expected
    ]


# --- flows and sizes -------------------------------------------------------------------------------------------------


def picked(flows: str, *, stateful: bool, packets: int = 3000, exponent: float = 1.0, first: int = 0) -> Any:
    plan: Any = SimpleNamespace(
        tables=[SimpleNamespace(keys=SimpleNamespace(count=count)) for count in (20, 50, 10)],
        streams=[SimpleNamespace(stateful=False), SimpleNamespace(stateful=stateful)],
    )
    traffic = Traffic(packets, ((64, 1),), flows, exponent)
    return _picker(plan, traffic)(np.random.default_rng(1), first, packets)


def test_flows_of_frames() -> None:
    """As many as the largest table has entries; where frames come to cells, one of each frame, or as many as frames."""
    for stateful in (False, True):
        assert set(picked("one", stateful=stateful).tolist()) == {0}
    uniform = np.bincount(picked("uniform", stateful=False).astype(int))
    assert len(uniform) == 50 and 25 < uniform.min() <= uniform.max() < 100
    assert picked("uniform", stateful=True, first=7).tolist() == list(range(7, 3007))
    for stateful, exponent, flows in ((False, 1.0, 50), (False, 2.0, 50), (True, 1.0, 3000)):
        heavy = np.bincount(picked("zipf", stateful=stateful, exponent=exponent).astype(int), minlength=flows)
        total = sum(1 / k**exponent for k in range(1, flows + 1))
        assert len(heavy) == flows
        for k in (1, 2, 4):
            assert heavy[k - 1] == pytest.approx(3000 / total / k**exponent, rel=0.25)
    assert len(np.unique(picked("zipf", stateful=True, packets=30))) <= 30


def test_all_flows_have_frames() -> None:
    assert set(picked("zipf", stateful=False, exponent=0.0).tolist()) == set(range(50))


def test_there_are_no_fewer_flows_than_the_largest_table_has_entries() -> None:
    assert picked("zipf", stateful=True, packets=2000, exponent=0.0).max() > 1900
    few = np.concatenate([picked("zipf", stateful=True, packets=30, exponent=0.0, first=at) for at in range(20)])
    assert few.max() >= 30  # of 50


def test_sizes_by_share() -> None:
    found = _sizes(np.random.default_rng(1), Traffic(1, ((64, 7), (594, 4), (1518, 1))), 12000)
    counts = {size: int((found == size).sum()) for size in (64, 594, 1518)}
    assert sum(counts.values()) == 12000
    for size, share in ((64, 7), (594, 4), (1518, 1)):
        assert counts[size] == pytest.approx(share * 1000, rel=0.1)


def test_all_frames_have_room_for_the_longest_headers() -> None:
    def plan(*bits: int) -> Any:
        shapes = [SimpleNamespace(bits=number) for number in bits]
        return SimpleNamespace(
            streams=[SimpleNamespace(template=SimpleNamespace(frame=SimpleNamespace(shape=shape))) for shape in shapes]
        )

    assert [smallest(plan(*bits)) for bits in ((), (8,), (9, 3), (112, 113, 1))] == [0, 1, 2, 15]


def test_single_frames_take_turns_and_keep_their_sizes() -> None:
    data = [b"\1" * 3, b"\2" * 5, b"\3" * 4]
    alone = _Alone([SimpleNamespace(template=SimpleNamespace(frame=SimpleNamespace(data=one))) for one in data])  # type: ignore[misc]
    sent = []
    for count in (2, 2, 4):
        rows, sizes = alone.frames(np.zeros(count, dtype=np.uint64), sizes=None, chance=None)  # type: ignore[arg-type]
        assert rows.shape == (count, 5)
        sent += [row[:size].tobytes() for row, size in zip(rows, sizes.tolist(), strict=True)]
    assert sent == [data[at % 3] for at in range(8)]


def test_ratios_are_of_the_frames_of_kinds_that_reach_a_table() -> None:
    """None were made: none hit."""
    writers: Any = [SimpleNamespace(hits=hits, count=count)
        for hits, count in (({"one": 3}, 4), ({"two": 5, "one": 1}, 6), ({}, 90), ({"none": 0}, 0))]  # fmt: skip
    assert _ratios(writers) == {"one": 0.4, "two": 5 / 6, "none": 0.0}


# --- the file --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("sizes", [(4, 4), (2, 4), (4, 1)])
def test_records_of_a_pcap_file(sizes: tuple[int, ...]) -> None:
    """As draft-ietf-opsawg-pcap has them: seconds, microseconds, bytes that are there and bytes that were; then the frame."""
    rows = np.zeros((2, 16 + 4), dtype=np.uint8)
    rows[:, 16:] = [[1, 2, 3, 4], [5, 6, 7, 8]]
    expected = b""
    for number, (row, size) in enumerate(zip(rows[:, 16:].tolist(), sizes, strict=True)):
        expected += (
            struct.pack("<IIII", 2, 999_999, size, size) if number == 0 else struct.pack("<IIII", 3, 0, size, size)
        )
        expected += bytes(row[:size])
    assert _records(rows, np.array(sizes, dtype=np.uint64), 2_999_999) == expected


def test_a_file_is_written_in_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever the parts, there are as many frames, a microsecond apart; each part is told of."""
    monkeypatch.setattr(frames, "CHUNK", 7)
    monkeypatch.setattr(frames, "_Writer", lambda plan, stream, traffic: Writer())

    class Writer:
        hits, count = {"t": 3}, 6

        def frames(self, flows: Any, sizes: Any, chance: Any) -> Any:
            return np.full((len(flows), 64), 9, dtype=np.uint8), sizes

    plan: Any = SimpleNamespace(
        wishes=SimpleNamespace(seed=1), streams=[SimpleNamespace(weight=1.0, stateful=False)], points=(), tables=()
    )
    out, told = io.BytesIO(), []
    assert frames.write(plan, Traffic(16, ((64, 1),)), out, told.append) == {"t": 0.5}
    assert told == [7, 7, 2]
    data = out.getvalue()
    assert data[:24] == struct.pack("<IHHIIII", 0xA1B2C3D4, 2, 4, 0, 0, 65535, 1) and len(data) == 24 + 16 * 80
    for number in range(16):
        record = data[24 + number * 80 :][:80]
        assert record == struct.pack("<IIII", 0, number, 64, 64) + b"\x09" * 64


def test_one_frame_in_sixteen_is_a_single_one(monkeypatch: pytest.MonkeyPatch) -> None:
    """And the kinds have their shares of the others."""

    class Writer:
        hits: Mapping[str, int] = {}
        count = 1

        def __init__(self, plan: Any, stream: Any, traffic: Any) -> None:
            self.byte = stream.byte

        def frames(self, flows: Any, sizes: Any, chance: Any) -> Any:
            return np.full((len(flows), 64), self.byte, dtype=np.uint8), sizes

    monkeypatch.setattr(frames, "_Writer", Writer)
    streams = [SimpleNamespace(weight=weight, stateful=False, byte=byte) for weight, byte in ((1.0, 1), (3.0, 2))]
    point = SimpleNamespace(template=SimpleNamespace(frame=SimpleNamespace(data=b"\3" * 80)))
    plan: Any = SimpleNamespace(wishes=SimpleNamespace(seed=1), streams=streams, points=(point,), tables=())
    out = io.BytesIO()
    frames.write(plan, Traffic(32_000, ((64, 1),)), out, lambda count: None)
    data, at, found = out.getvalue(), 24, [0, 0, 0]
    while at < len(data):
        (size,) = struct.unpack_from("<I", data, at + 8)
        assert size == (80 if data[at + 16] == 3 else 64)
        found[data[at + 16] - 1] += 1
        at += 16 + size
    assert sum(found) == 32_000
    assert found == [pytest.approx(wanted, rel=0.06) for wanted in (7_500, 22_500, 2_000)]


def test_the_part_of_frames_that_hit_a_table_is_of_those_that_reach_it() -> None:
    writers: Any = [
        SimpleNamespace(hits={"a": 3, "b": 5}, count=10), SimpleNamespace(hits={"b": 1}, count=2),
        SimpleNamespace(hits={"c": 0}, count=0),
    ]  # fmt: skip
    assert frames._ratios(writers) == {"a": 0.3, "b": 0.5, "c": 0.0}
