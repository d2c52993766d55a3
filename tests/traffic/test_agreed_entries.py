"""Which entries for the port that frames come in at are tried, on a program without any."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import SimpleNamespace
from typing import Any

import pytest
import switches

from transpiler.interpreter.tables import Call
from transpiler.traffic import agreed
from transpiler.traffic.agreed import MOST, SAMPLES, _by_port, _filled, _hit, _samples, _under, meets
from transpiler.traffic.parser_paths import Shape
from transpiler.traffic.probe import Probe
from transpiler.traffic.search import Frame, Template
from transpiler.traffic.wellknown import Known

PROGRAM = """
#include <core.p4>
#include <v1model.p4>
header h_t { bit<8> a; bit<8> b; }
struct H { h_t h; }
struct M { bit<8> type; bit<8> area; }
parser P(packet_in p, out H h, inout M m, inout standard_metadata_t s) { state start { p.extract(h.h); transition accept; } }
control V(inout H h, inout M m) { apply { } }
control I(inout H h, inout M m, inout standard_metadata_t s) {
    action typed(bit<8> type) { m.type = type; }
    action within(bit<8> area) { m.area = area; }
    action deny() { m.type = 0; }
    action go(bit<9> port) { s.egress_spec = port; }
    table types { key = { s.ingress_port: exact; } actions = { typed; deny; NoAction; } }
    table areas { key = { s.ingress_port: exact; } actions = { deny; within; NoAction; } }
    table hosts { key = { h.h.a: exact; } actions = { go; NoAction; } }
    table far { key = { h.h.b: exact; } actions = { go; NoAction; } }
    apply {
        mark_to_drop(s);
        types.apply(); areas.apply();
        if (m.type != 0) { hosts.apply(); if (m.area != 0) { far.apply(); } }
    }
}
control E(inout H h, inout M m, inout standard_metadata_t s) { apply { } }
control D(packet_out p, in H h) { apply { p.emit(h.h); } }
V1Switch(P(), V(), I(), E(), V(), D()) main;
"""
TYPES, AREAS = ("I.types", (0,)), ("I.areas", (0,))
TYPED, WITHIN, DENY, GO = Call("I.typed", (1,)), Call("I.within", (1,)), Call("I.deny", ()), Call("I.go", (1,))


@pytest.fixture(scope="module")
def probe(tmp_path_factory: pytest.TempPathFactory) -> Probe:
    file = tmp_path_factory.mktemp("agreed") / "p.p4"
    file.write_text(PROGRAM)
    return Probe(switches.load(file), 0)


def template(probe: Probe, **outcomes: Call | None) -> Template:
    frame = Frame(Shape(16, {}, {}), bytes(64), (), Known())
    whole = dict.fromkeys(table.name for table in probe.program.tables) | {
        f"I.{name}": of for name, of in outcomes.items()
    }
    return Template(frame, whole, probe.run(frame.data, whole))


def finding(probe: Probe, *templates: Template) -> Any:
    noted: list[tuple[int, Template]] = []
    return SimpleNamespace(
        program=probe.program, targets=probe.program.tables, templates=templates, noted=noted,
        note=lambda number, template: noted.append((number, template)),
    )  # fmt: skip


def test_tables_that_match_the_port_alone_are_found_by_another_port(probe: Probe) -> None:
    """Frames that differ in the key of a table say that it matches something else."""
    both = template(probe, types=TYPED, areas=WITHIN, hosts=GO)
    assert _by_port(finding(probe, both), probe) == [TYPES, AREAS]
    moved = Template(
        both.frame, both.outcomes, both.seen.__class__((("I.types", (3,)), *both.seen.applied[1:]), (1,), True)
    )
    assert _by_port(finding(probe, both, moved), probe) == [AREAS]
    without = finding(probe, both)
    without.targets = [table for table in probe.program.tables if table.name != "I.types"]
    assert _by_port(without, probe) == [AREAS]
    assert _by_port(finding(probe), probe) == []


def test_frames_that_hit_all_that_is_hit() -> None:
    """First those that hit most more, of these those that come out."""

    def frame(hits: str, *ports: int) -> Any:
        return SimpleNamespace(hits=tuple(hits), seen=SimpleNamespace(ports=ports))

    few, many, sent, more = frame("a", 1), frame("ab"), frame("bc", 1), frame("d")
    finder: Any = SimpleNamespace(templates=(few, many, sent, more, frame("")))
    assert _samples(finder) == [sent, few, more]
    assert len(_samples(SimpleNamespace(templates=[frame(chr(at)) for at in range(99)]))) == SAMPLES  # type: ignore[arg-type]


def test_what_frames_do_with_entries(probe: Probe) -> None:
    """The entries that they meet are what their tables do then."""
    given = template(probe, types=DENY, areas=WITHIN, hosts=GO, far=GO)
    assert given.hits == ("I.types", "I.areas")
    entries = {TYPES: TYPED, AREAS: None, ("I.hosts", (7,)): None}
    (made,) = _under(probe, entries, [given])
    assert made.hits == ("I.types", "I.hosts") and made.seen.ports == (1,)
    assert made.outcomes == {"I.types": TYPED, "I.areas": None, "I.hosts": GO, "I.far": GO}
    assert _hit([made, given]) == {("I.types", True), ("I.hosts", True), ("I.types", False), ("I.areas", False)}
    assert meets(made, entries) and not meets(given, entries) and meets(given, {("I.types", (1,)): None})


def test_tables_without_a_choice_get_entries_by_which_more_is_hit(probe: Probe) -> None:
    """First what frames want of them, and then what else their entries can do; what is chosen stays."""
    frames = [template(probe, types=TYPED, hosts=GO, far=GO), template(probe, hosts=GO)]
    full, runs = _filled(probe, [TYPES, AREAS], {TYPES: TYPED}, frames)
    assert full == {TYPES: TYPED, AREAS: Call("I.within", (1,))}
    assert {name for run in runs for name in run.hits} == {"I.types", "I.areas", "I.hosts", "I.far"}
    full, _ = _filled(probe, [TYPES, AREAS], {TYPES: DENY}, frames[:1])
    assert full == {TYPES: DENY, AREAS: DENY}  # any of them hits one table more
    seven = Call("I.within", (7,))
    wanted = [template(probe, areas=seven, hosts=GO), template(probe, hosts=GO, far=GO)]
    full, _ = _filled(probe, [TYPES, AREAS], {TYPES: TYPED}, wanted)
    assert full == {TYPES: TYPED, AREAS: seven}
    full, runs = _filled(probe, [TYPES], {}, [template(probe, hosts=GO)])
    assert full == {TYPES: Call("I.typed", (1,))} and runs[0].hits == ("I.types", "I.hosts")


def chosen(
    monkeypatch: pytest.MonkeyPatch,
    choices: Sequence[Any],
    ways: Mapping[Any, Any],
    found: Mapping[Any, Any],
    **more: Any,
) -> tuple[Any, list[Any], list[Any]]:
    """What is agreed on, and noted, and what was asked for. `ways`: what frames do with each choice; `found`: what hits."""
    asked: list[Any] = []
    monkeypatch.setattr(agreed, "_by_port", lambda finder, probe: more.get("places", ["place"]))
    monkeypatch.setattr(agreed, "_samples", lambda finder: ["sample"])
    monkeypatch.setattr(
        agreed, "_choices", lambda places, samples: [{"place": choice} if choice else {} for choice in choices]
    )

    def frame(hits: str, *ports: int, way: object = None) -> Any:
        return SimpleNamespace(hits=tuple(hits), seen=SimpleNamespace(ports=ports, way=way), label=hits)

    monkeypatch.setattr(
        agreed, "_filled", lambda probe, places, choice, samples: (choice, [frame("", way=ways[choice["place"]])])
    )
    monkeypatch.setattr(agreed, "_under", lambda probe, choice, samples: [frame(found[choice["place"]][0], 1)])

    def ask(entries: Any) -> Any:
        asked.append(entries["place"])
        return [frame(found[entries["place"]][1], *more.get("ports", (1,)))]

    finder = SimpleNamespace(noted=[])
    finder.note = lambda number, template: finder.noted.append((number, template.label))
    best = agreed.agreed(finder, None, ask)  # type: ignore[arg-type]
    return best, finder.noted, asked


def test_the_choice_by_which_most_tables_are_hit(monkeypatch: pytest.MonkeyPatch) -> None:
    """The first of those that are as good; by frames that come out, those that are asked for too."""
    found = {"x": ("a", "b"), "y": ("ab", "c"), "z": ("abc", "")}
    best, noted, asked = chosen(monkeypatch, "xyz", {"x": 1, "y": 2, "z": 3}, found)
    assert best == {"place": "y"} and noted == [(-1, "ab"), (-1, "c")] and asked == ["x", "y", "z"]
    best, noted, _ = chosen(monkeypatch, "xyz", {"x": 1, "y": 2, "z": 3}, found, ports=())
    assert best == {"place": "z"} and noted == [(-1, "abc"), (-1, "")]


def test_choices_that_lead_frames_the_same_way_are_tried_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """And no more than four; nothing is chosen where there is but one way."""
    found = {name: ("a" * (name == "x"), "") for name in "uvwxyz"}
    best, _, asked = chosen(monkeypatch, ["x", "", "y", "z"], {"x": 1, "y": 1, "z": 2}, found)
    assert best == {"place": "x"} and asked == ["x", "z"]
    _, _, asked = chosen(monkeypatch, "uvwxyz", {name: name for name in "uvwxyz"}, found)
    assert asked == list("uvwx")[:MOST]
    assert chosen(monkeypatch, "xy", {"x": 1, "y": 1}, found) == ({}, [], [])
    assert chosen(monkeypatch, "x", {"x": 1}, found) == ({}, [], [])
