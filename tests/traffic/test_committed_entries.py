"""What tables answer with the entries that are made, which kinds of frames harm others, and what a probe tells of a frame."""

from __future__ import annotations

from dataclasses import dataclass, replace
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
import switches
from hlir_builder import Builder

from transpiler.hlir.program import MatchKind
from transpiler.interpreter.tables import Call
from transpiler.traffic import committed as committed_module, weights
from transpiler.traffic.committed import Committed, _Set
from transpiler.traffic.copies import Copies
from transpiler.traffic.filled import TableEntries
from transpiler.traffic.frames import POINTS
from transpiler.traffic.keys import KeyField, KeySet, Own, Pattern
from transpiler.traffic.plan import Plan, Wishes
from transpiler.traffic.probe import NOTHING, Observation, Probe
from transpiler.traffic.single import Single
from transpiler.traffic.weights import harmless, weighted

# --- entries of a set of keys ----------------------------------------------------------------------------------------


def entries(kind: MatchKind, *cares: str, count: int = 6, salt: int = 5) -> TableEntries:
    b = Builder()
    b.header("h", "h_t", a=12)
    b.action("put", v=8)
    b.table("t", [("h.a", kind.value)], ["put"])
    patterns = tuple(Pattern(tuple(c == "1" for c in care), count) for care in cares)
    keys = KeySet("t", (KeyField(kind, 12),), tuple(Own(i) for i in range(12)), (), patterns, 1, salt)
    return TableEntries(b.tables[0], keys, {}, Call("put", (1,)), frozenset(), frozenset(), {})


@pytest.mark.parametrize("kind", [MatchKind.EXACT, MatchKind.LPM, MatchKind.TERNARY])
def test_an_entry_is_found_by_what_it_matches(kind: MatchKind) -> None:
    cares = ["1" * 12] if kind is MatchKind.EXACT else ["1" * 12, "1" * 6 + "0" * 6]
    made = entries(kind, *cares)
    found = _Set(made)
    numbers = np.arange(made.keys.count, dtype=np.uint64)
    which, _ = made.keys.pattern_of(numbers)
    (values,) = made.values(numbers)
    masks = [made.masks(pattern.cares)[0] for pattern in made.keys.patterns]
    for key in range(1 << 12):
        hits = [
            (-masks[pattern].bit_count() if kind is MatchKind.LPM else 0, number)
            for number, pattern in zip(numbers.tolist(), which.tolist(), strict=True)
            if (key ^ int(values[number])) & masks[pattern] == 0
        ]
        hit = found.find((key,))
        assert (None if hit is None else hit[:2]) == min(hits, default=None)


def plan_of(*made: TableEntries) -> Any:
    program = SimpleNamespace(
        extern={}, table={"t": made[0].table}, action={"put": SimpleNamespace(parameters=())}, variable={}
    )
    probe = SimpleNamespace(run=None)
    return SimpleNamespace(
        program=program, tables=made, streams=(), spares=False, wishes=Wishes(), feeds={}, named={}, probe=lambda: probe
    )


def test_keys_that_are_there_and_keys_that_are_free() -> None:
    """Of several kinds of entries the one that goes before others; what is added answers from then on."""
    first, second = entries(MatchKind.LPM, "1" * 12), entries(MatchKind.LPM, "0" * 12, count=1, salt=9)
    committed = Committed(plan_of(first))
    key = int(first.values(np.arange(1, dtype=np.uint64))[0][0])
    free = next(n for n in range(99) if ("t", (n,)) not in committed)
    assert ("t", (key,)) in committed and committed["t", (key,)] == Call("put", ())
    with pytest.raises(KeyError):
        committed["t", (free,)]
    assert ("u", (key,)) not in committed
    assert list(committed) == [("t", (key,))] and len(committed) == 1
    committed.add({("t", (free,)): None, ("t", (free + 2000,)): Call("put", (3,))})
    assert ("t", (free,)) in committed and committed["t", (free,)] is None and len(committed) == 3
    both = Committed(plan_of(second, first))
    assert both._looked_up(("t", (free,))) and both._looked_up(("t", (key,)))
    hits = [one.find((key,)) for one in both._sets["t"]]
    assert min(hit[0] for hit in hits if hit) == -12


def test_of_entries_of_two_kinds_of_frames_the_longer_prefix_goes_before() -> None:
    """Whatever their numbers are, and in whichever order the kinds are; of equal ones the lower number."""
    short = entries(MatchKind.LPM, "0" * 12, count=1)
    long = replace(entries(MatchKind.LPM, "1" * 12), call=Call("other", (1,)))
    twin = replace(long, call=Call("twin", (1,)))
    keys = [int(value) for value in long.values(np.arange(long.keys.count, dtype=np.uint64))[0]]
    for made in ((short, long, twin), (long, twin, short)):
        plan = plan_of(*made)
        plan.program.action |= dict.fromkeys(("other", "twin"), plan.program.action["put"])
        committed = Committed(plan)
        assert [committed["t", (key,)].action for key in keys] == ["other"] * len(keys)
        assert committed["t", (next(n for n in range(99) if n not in keys),)] == Call("put", ())


def test_entries_that_lookups_need() -> None:
    made = entries(MatchKind.EXACT, "1" * 12)
    committed = Committed(plan_of(made))
    there = int(made.values(np.arange(1, dtype=np.uint64))[0][0])
    free = [n for n in range(99) if ("t", (n,)) not in committed][:2]
    call = Call("put", (3,))
    needed, forbidden = committed.needed({("t", (there,)): call, ("t", (free[0],)): call, ("t", (free[1],)): None})
    assert [(place, one.call, one.wide) for place, one in needed.items()] == [(("t", (free[0],)), call, False)]
    assert not forbidden


def test_an_entry_that_matches_other_keys_too_takes_nothing_from_them(monkeypatch: pytest.MonkeyPatch) -> None:
    """Neither a miss that is wanted nor another outcome; one entry answers all that it matches alike."""
    monkeypatch.setattr(committed_module, "single", lambda table, key, call: Single(key, (0xF00,), call, True))
    committed = Committed(plan_of(entries(MatchKind.EXACT, "1" * 12, count=1)))
    taken = next(n for n in range(16) if all(("t", (n << 8 | low,)) not in committed for low in (1, 2, 3))) << 8
    other = next(n for n in range(16) if n << 8 != taken and ("t", (n << 8 | 1,)) not in committed) << 8
    call, another = Call("put", ()), Call("put", (3,))
    committed.add({("t", (other | 1,)): None})

    def needed(**wanted: Call) -> tuple[list[int], set[str]]:
        places = {("t", (int(key[1:]),)): outcome for key, outcome in wanted.items()}
        found, forbidden = committed.needed(places)
        return [key for _, (key,) in found], forbidden

    one, two, three = (f"k{taken | low}" for low in (1, 2, 3))
    assert needed(**{one: call}) == ([taken | 1], set())
    assert needed(**{one: call, two: call}) == ([taken | 1], set())
    assert needed(**{one: call, two: another})[1] == {"t"}
    assert needed(**{f"k{other | 2}": call}) == ([], {"t"})
    committed.add({("t", (taken | 1,)): call})
    assert committed["t", (taken | 3,)] == call and needed(**{three: another}) == ([], set())


# --- kinds that harm others ------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Stream:
    sent: int
    weight: float = 1.0


def planned(*sent: int) -> Any:
    return Plan(SimpleNamespace(), Wishes(), tuple(map(Stream, sent)), (), {})  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("sent", "many"),
    [
        ((32, 8), (True, True)),  # a quarter of it
        ((32, 7), (True, False)), ((7, 32, 0), (False, True, False)), ((0, 0), (True, True)), ((1, 0), (True, False)),
        ((32, 20, 3, 9), (True, True, False, True)),
        ((5,), (True,)),
    ],
)  # fmt: skip
def test_kinds_of_which_hardly_any_come_out_are_as_rare_as_single_frames(
    sent: tuple[int, ...], many: tuple[bool, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Together, beside the others."""
    monkeypatch.setattr(weights, "_all_sent", lambda plan: [stream.sent for stream in plan.streams])
    found = [stream.weight for stream in weighted(planned(*sent)).streams]
    usual = [weight for weight, is_many in zip(found, many, strict=True) if is_many]
    rare = [weight for weight, is_many in zip(found, many, strict=True) if not is_many]
    assert usual == [1.0] * len(usual)
    assert not rare or (sum(rare) / sum(found) == pytest.approx(POINTS) and len(set(rare)) == 1)


def test_a_kind_that_has_others_dropped_is_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where less than half as many come out as did before; a thousand entries of each table are looked at."""
    asked: list[Any] = []
    sent = {"a": [32], "ab": [16, 32], "ac": [15, 32], "abd": [16, 16, 3], "abde": [16, 16, 1, 32]}

    class Builder:
        def __init__(self, program: Any, wishes: Any, diagnostics: Any, lookups: Any) -> None:
            asked.append(wishes.entries)

        def draft(self, groups: Any) -> Any:
            return "".join(groups)

    monkeypatch.setattr(weights, "Builder", Builder)
    monkeypatch.setattr(weights, "with_copies", lambda made: made)
    monkeypatch.setattr(weights, "_all_sent", lambda name: sent[name])
    assert harmless(None, Wishes({"t": 5}), list("acbde"), None) == list("abd")  # type: ignore[arg-type,comparison-overlap]
    assert asked == [{None: 1000}] * 5
    asked.clear()
    assert harmless(None, Wishes(), ["x"], None) == ["x"] and not asked  # type: ignore[arg-type,list-item,comparison-overlap]
    assert harmless(None, Wishes(), [], None) == []  # type: ignore[arg-type]


# --- a probe ---------------------------------------------------------------------------------------------------------

PROGRAM = """
#include <core.p4>
#include <v1model.p4>
header h_t { bit<8> a; bit<8> b; }
struct H { h_t h; }
struct M { bit<8> m; }
parser P(packet_in p, out H h, inout M m, inout standard_metadata_t s) { state start { p.extract(h.h); transition accept; } }
control V(inout H h, inout M m) { apply { } }
control I(inout H h, inout M m, inout standard_metadata_t s) {
    register<bit<8>>(4) cells;
    action go(bit<9> port) { s.egress_spec = port; }
    table first { key = { h.h.a: exact; } actions = { go; NoAction; } }
    table second { key = { h.h.b: exact; } actions = { go; NoAction; } const entries = { 7: go(3); } }
    apply {
        s.egress_spec = 511;
        first.apply();
        second.apply();
        cells.write((bit<32>) h.h.b, 1);
        if (h.h.a == 9) { clone(CloneType.I2E, 5); }
        if (h.h.a == 8) { s.mcast_grp = 6; }
        if (s.ingress_port == 1) { s.egress_spec = 2; }
    }
}
control E(inout H h, inout M m, inout standard_metadata_t s) {
    apply { if (h.h.a == 9 && h.h.b == 1) { clone(CloneType.E2E, 5); } }
}
control D(packet_out p, in H h) { apply { p.emit(h.h); } }
V1Switch(P(), V(), I(), E(), V(), D()) main;
"""
GO = Call("I.go", (1,))


@pytest.fixture(scope="module")
def probe(tmp_path_factory: pytest.TempPathFactory) -> Probe:
    file = tmp_path_factory.mktemp("probe") / "p.p4"
    file.write_text(PROGRAM)
    return Probe(switches.load(file), 0, copies=Copies(4, [("session", 5), ("group", 6)]))


@pytest.mark.parametrize(
    ("frame", "outcomes", "fixed", "expected"),
    [
        ("0100", {}, {}, {}),
        ("0107", {}, {}, {"ports": (3,), "forwarded": True, "cells": (("I.cells", ()),)}),  # by the program's own entry
        ("0102", {"I.first": GO}, {}, {"ports": (1,), "forwarded": True, "cells": (("I.cells", (2,)),)}),
        ("0103", {"I.first": GO}, {("I.first", (1,)): None}, {"cells": (("I.cells", (3,)),)}),
        ("0104", {}, {("I.first", (1,)): GO}, {"ports": (1,), "forwarded": True, "cells": (("I.cells", ()),)}),
        ("0900", {}, {}, {"ports": (4,), "copies": (("session", 5),)}),  # a clone alone
        ("0900", {"I.first": GO}, {}, {"ports": (1, 4), "copies": (("session", 5),), "forwarded": True}),
        ("0800", {"I.first": GO}, {}, {"ports": (4,), "copies": (("group", 6),), "forwarded": True}),
        ("01", {}, {}, {"accepted": False, "applied": (("I.first", (0,)), ("I.second", (0,)))}),
    ],
)
def test_what_a_frame_did(frame: str, outcomes: Any, fixed: Any, expected: dict[str, Any], probe: Probe) -> None:
    data = bytes.fromhex(frame)
    seen = probe.run(data, outcomes, fixed)
    usual = {
        "applied": (("I.first", (data[0],)), ("I.second", (data[-1],))), "ports": (), "accepted": True,
        "cells": (("I.cells", (0,)),), "copies": (), "forwarded": False,
    }  # fmt: skip
    assert {
        name: tuple(sorted(value)) if name == "ports" else value for name, value in vars_of(seen).items()
    } == usual | expected


def vars_of(seen: Observation) -> dict[str, Any]:
    return {name: getattr(seen, name) for name in ("applied", "ports", "accepted", "cells", "copies", "forwarded")}


def test_a_frame_whose_clones_are_cloned_without_end(probe: Probe) -> None:
    assert probe.run(bytes((9, 1)), {"I.first": GO}) == NOTHING
    assert probe.run(bytes((9, 0)), {}).ports == (4,)  # the next one is not that


def test_frames_may_come_in_elsewhere_and_behind_others(probe: Probe) -> None:
    before = probe.runs
    assert probe.run(bytes(2), {}, port=1).ports == (2,) and probe.run(bytes(2), {}).ports == ()
    assert probe.then(bytes(2), {"I.first": GO}).ports == (1,) and probe.runs == before + 3
    assert probe.lookups == {("I.first", (0,)): GO}  # the other table was looked up


def test_what_is_alike_of_two_frames() -> None:
    one = Observation((("t", (1,)), ("u", (2,))), (1, 2), True, (("r", (1,)), ("q", ())))
    assert one.way == (("t", "u"), True) and one.instances == (("r", True), ("q", False))
    assert Observation((), (), True).way == ((), False)
