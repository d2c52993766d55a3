"""How what a stage takes is divided over the lines of a program, and how curves are drawn and told."""

from __future__ import annotations

from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import pytest
from explained_programs import app, explained

from macsad.explain import charts, curves, lines, pictures
from macsad.explain.curves import Chart, Curve
from macsad.explain.lines import Line, _Part
from macsad.subject.stage_costs import StageCost
from transpiler.diagnostics import Span
from transpiler.model.code import CYCLES, Work
from transpiler.placement.stages import Read

OWNER = Span("p.p4", 50, 1)


def at(line: int, operations: float = 1, memory: str = "", owner: Span | None = None, likely: float = 1.0) -> Work:
    return Work(Span("p.p4", line, 1), operations, likely, memory, owner)


def part(
    *work: Work, often: tuple[float, ...] = (), computes: float = 100, waits: dict[str, float] | None = None,
    number: int = 0, share: float = 1.0, tables: tuple[str, ...] = (),
) -> _Part:  # fmt: skip
    cost = StageCost("I", number, 0, share, tables, ())
    return _Part(number, cost, work, often or (1.0,) * len(work), computes, waits or {})


def divided(*parts: _Part, each: float = 7.0, ran: bool = True, ways: Any = None) -> dict[int, Line]:
    """By the number of the line. The program has a table `t`."""
    found: dict[Any, Line] = {}
    told: Any = SimpleNamespace(ran=ran, ways=ways, planned=SimpleNamespace(program=SimpleNamespace(table={"t": None})))
    for one in parts:
        lines._divide(found, one, each, told)
    assert {file for file, _ in found} == {"p.p4"}
    return {number: line for (_, number), line in found.items()}


def test_a_stage_is_divided_as_its_operations_are() -> None:
    """Each as often as packets come to it; a line has what stands in it of all stages."""
    first = part(at(1, 2), at(2, 6), at(3, 4), often=(1.0, 0.5, 0.0), number=3)
    second = part(at(2), computes=10, number=4)
    found = divided(first, second)
    assert {number: line.cycles for number, line in found.items()} == {1: 40, 2: 70, 3: 0}
    assert {number: line.if_comes for number, line in found.items()} == {1: 0, 2: 0, 3: 4 * 7}
    assert {number: line.stages for number, line in found.items()} == {1: [3], 2: [3, 4], 3: [3]}


def test_what_reads_wait_for_is_of_the_lines_that_read() -> None:
    """Divided evenly; where no line does, of all."""
    found = divided(part(at(1, 1, "t"), at(2, 1), at(2, 2, "t"), at(3, 1, "reg"), waits={"t": 30, "gone": 50}))
    assert {number: (line.cycles, line.waits, line.tables) for number, line in found.items()} == {
        1: (30 + 15, 15, ["t"]), 2: (90 + 15, 15, ["t"]), 3: (30, 0, []),
    }  # fmt: skip
    assert all(line.stages == [0] for line in found.values())
    twice = divided(part(at(1, 1, "t"), at(1, 2, "t"), waits={"t": 30}), part(at(1, 1, "t"), number=1))
    assert (twice[1].tables, twice[1].stages, twice[1].waits) == (["t"], [0, 1], 30), "each once"


def test_reads_wait_no_longer_than_their_stage(monkeypatch: pytest.MonkeyPatch) -> None:
    """One after the other, too; how many are in flight where nothing is known of that is no number."""
    reads = tuple(Read(name, 1.0, 64, flight) for name, flight in (("after", 0), ("many", 8), ("unknown", -1)))
    stage: Any = SimpleNamespace(reads=reads)
    told: Any = SimpleNamespace(here=None, alone=(stage,))
    monkeypatch.setattr(lines, "waiting", lambda here, of, alone: {"after": 30.0, "many": 10.0}[of[0].memory])
    assert lines._waits(told, stage, 100.0) == {"after": 30, "many": 10}
    assert lines._waits(told, stage, 20.0) == {"after": 15, "many": 5}
    assert lines._waits(told, SimpleNamespace(reads=()), 20.0) == {}  # type: ignore[arg-type]


def test_the_switchs_own_work_is_none_of_the_lines() -> None:
    """Even where it takes more than was measured of the stage."""
    found = explained(app("l2fwd"))
    runtime = replace(found.runtime, receive=1e6, send=0.0)
    first, *others = lines._parts(replace(found, runtime=runtime))
    assert first.computes == 0 and sum(first.waits.values()) == 0
    assert [part.computes for part in others] == [part.computes for part in lines._parts(found)[1:]]


@pytest.mark.parametrize(("ran", "each"), [(True, 123.0), (False, CYCLES)])
def test_what_an_operation_takes_is_measured_where_a_program_has_run(
    ran: bool, each: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whether it is known or not which ways its packets took."""
    taken: list[float] = []
    monkeypatch.setattr(lines, "_each_operation", lambda parts: 123.0)
    monkeypatch.setattr(lines, "_divide", lambda found, part, each, explained: taken.append(each))
    for ways in (None, {}):
        lines.by_line(replace(explained(app("l3fwd")), ran=ran, ways=ways))
    assert set(taken) == {each}


def test_nothing_is_divided_where_there_is_nothing_to_do() -> None:
    found = divided(part(at(1, 0), at(2, 0)))
    assert [(line.cycles, line.if_comes) for line in found.values()] == [(0, 0)] * 2


@pytest.mark.parametrize(
    ("ran", "ways", "work", "share"),
    [
        (False, {OWNER: 0.2}, at(1, owner=OWNER), None), (True, {OWNER: 0.2}, at(1, owner=OWNER), 0.2),
        (True, {OWNER: 0.9}, at(1, owner=OWNER), 0.5), (True, {}, at(1, owner=OWNER), 0), (True, None, at(1, owner=OWNER), None),
        (True, None, at(1, memory="t", owner=OWNER), 0.5), (True, {OWNER: 1}, at(1, memory="t"), 0.5),
        (True, {OWNER: 1}, at(1, memory="other"), None), (True, {OWNER: 1}, at(1), None),
    ],
)  # fmt: skip
def test_the_share_of_packets_that_come_to_a_line(ran: bool, ways: Any, work: Work, share: float | None) -> None:
    """At most that of its stage; of a line in several places the largest that is known."""
    assert divided(part(work, share=0.5, tables=("t",)), ran=ran, ways=ways)[1].share == share
    rare = part(at(1, memory="t"), share=0.1, tables=("t",))
    both = divided(rare, part(work, share=0.5, tables=("t",)), rare, ran=ran, ways=ways)[1].share
    assert both == (None if not ran else max(share or 0, 0.1))


@pytest.mark.parametrize(
    ("ways", "owner", "often"),
    [
        (None, OWNER, 0.2),
        ({OWNER: 0.3}, None, 0.2),
        ({OWNER: 0.3}, OWNER, 0.3),
        ({OWNER: 0.9}, OWNER, 0.4),
        ({}, OWNER, 0.0),
    ],
)
def test_how_often_packets_come_to_a_piece(ways: Any, owner: Span | None, often: float) -> None:
    """As was seen, else as likely as the ways to it are."""
    cost = StageCost("I", 0, 0, 0.4, (), ())
    assert lines._often(at(1, owner=owner, likely=0.5), cost, ways) == often


def test_an_operation_takes_what_it_does_over_all_stages() -> None:
    parts = [part(at(1, 2), computes=10), part(at(2, 4), often=(0.5,), computes=30)]
    assert lines._each_operation(parts) == 40 / 4
    assert lines._each_operation([part(at(1, 0))]) == CYCLES and lines._each_operation([]) == CYCLES


# --- curves ----------------------------------------------------------------------------------------------------------


def test_the_best_of_clones_and_of_cuts_whichever_is_faster(monkeypatch: pytest.MonkeyPatch) -> None:
    placed = SimpleNamespace(stages=(), burst=1)
    found: Any = SimpleNamespace(machine=None, placed=placed)
    monkeypatch.setattr(curves, "MachineCosts", lambda *given: None)
    clones = [SimpleNamespace(parts=(number,)) for number in range(2)]
    cuts = [SimpleNamespace(parts=(number, number)) for number in range(2)]
    three = SimpleNamespace(parts=(0, 1, 2))
    for ranked, best in (
        ([*clones, *cuts], (clones[0], cuts[0])), ([*cuts, *clones], (clones[0], cuts[0])), (clones, (clones[0], None)),
        ([three, *clones, *cuts], (clones[0], three)),
    ):  # fmt: skip
        monkeypatch.setattr(curves, "ranked", lambda *given, ranked=ranked: ranked)
        assert curves.by_cores(found, 2) == best


def test_entries_are_those_that_tables_can_have_and_those_that_they_have() -> None:
    found = explained(app("l2fwd"))
    most = max(found.planned.program.table[table.name].size for table in found.tables)
    assert [int(count) for count, _ in curves._entries(found).curves[0].points] == sorted(
        {4**power for power in range(2, 13) if 4**power <= max(most, found.entries)} | {found.entries}
    )
    assert [curve.name for curve in curves._entries(found).curves] == ["huge pages", "small pages"]
    large = replace(found, tables=tuple(replace(table, entries=1 << 25) for table in found.tables))
    places = [int(count) for count, _ in curves._entries(large).curves[0].points]
    assert places[-2:] == [1 << 24, 1 << 25], "what tables have, even where that is more than was declared"
    small = explained(app("firewall"))
    for entries, counts in ((100, [16, 64, 100, 256]), (256, [16, 64, 256]), (5000, [16, 64, 256, 1024, 4096, 5000])):
        filled = replace(small, tables=tuple(replace(table, entries=entries) for table in small.tables))
        assert [[count for count, _ in curve.points] for curve in curves._entries(filled).curves] == [counts] * 2, (
            "of 512"
        )
    empty = replace(found, tables=tuple(replace(table, entries=0) for table in found.tables))
    assert curves._entries(empty).curves[0].points[0][0] == 16, "none is no place of a curve"
    assert curves._entries(replace(found, tables=())).curves == ()
    measured = curves._entries(replace(found, over_entries=((16, 1.5), (64, 1.25)))).curves[-1]
    assert (measured.measured, measured.points) == (True, ((16.0, 1.5), (64.0, 1.25)))
    assert measured.name == f"{found.program.pages} pages"


def test_reads_of_tables_with_so_many_entries(monkeypatch: pytest.MonkeyPatch) -> None:
    """Up to their declared size, or what they have where that is more; reads of other memory stay as they are."""
    found = explained(app("l2fwd"), entries=1000)
    sizes = found.planned.program.table
    facts = {table.name: table for table in found.tables}
    names = [read.memory for stage in found.alone for read in stage.reads]
    monkeypatch.setattr(curves, "whole_bursts", lambda planned: {names[0]})
    for tables in (found.tables, tuple(replace(table, entries=sizes[table.name].size * 2) for table in found.tables)):
        facts = {table.name: table for table in tables}
        for entries in (16, 1 << 30):
            made = curves.with_entries(replace(found, tables=tables), entries).reads
            before = [read for stage in found.alone for read in stage.reads]
            assert [read.footprint for read in made] == [
                curves.footprint(min(entries, max(facts[name].entries, sizes[name].size)), read.footprint, facts[name].entries)
                if name in facts else read.footprint
                for name, read in zip(names, before, strict=True)
            ]  # fmt: skip
            assert [read.each for read in made] == [read.each for read in before]
            assert [read.whole_burst for read in made] == [name == names[0] for name in names]


def test_cores_are_eight_or_as_many_as_there_are() -> None:
    found = explained(app("l2fwd"))
    for cores in (2, 10):
        of = replace(found, placed=replace(found.placed, cores=cores), over_cores=((1, 2.5),))
        chart = curves._cores(of)
        assert [n for n, _ in chart.curves[0].points] == list(range(1, max(8, cores) + 1)) and not chart.logarithmic
        assert chart.curves[-1] == Curve("cloned", ((1.0, 2.5),), True)


def test_points_are_those_that_can_be() -> None:
    """b is at most B; what was measured is sorted."""
    found = replace(explained(app("l2fwd")), measured={(64, 8): 100.0, (8, 8): 200.0, (64, 64): 50.0, (64, 1): 400.0})
    burst, batch = curves._bursts(found), curves._batches(found)
    predicted = {curve.name: [x for x, _ in curve.points] for curve in burst.curves if not curve.measured}
    assert (
        set(predicted) == {"b = 1", "b = 8", "b = 64"} and min(predicted["b = 8"]) == 8 and min(predicted["b = 1"]) == 1
    )
    assert {curve.name: [x for x, _ in curve.points] for curve in burst.curves if curve.measured} == {
        "b = 1": [64], "b = 8": [8, 64], "b = 64": [64],
    }  # fmt: skip
    predicted = {curve.name: [x for x, _ in curve.points] for curve in batch.curves if not curve.measured}
    assert set(predicted) == {"B = 8", "B = 64", "B = 256"} and max(predicted["B = 8"]) == 8
    assert {curve.name: [x for x, _ in curve.points] for curve in batch.curves if curve.measured} == {
        "B = 8": [8], "B = 64": [1, 8, 64],
    }  # fmt: skip


@pytest.mark.parametrize(
    ("value", "text"),
    [(0, "0"), (16, "16"), (1023, "1023"), (1024, "1 K"), (1 << 16, "64 K"), ((1 << 20) - 1, "1024 K"), (1 << 20, "1 M"),
     (1 << 24, "16 M")],
)  # fmt: skip
def test_numbers_at_an_axis_are_powers_of_two(value: float, text: str) -> None:
    assert charts._short(value) == text


def chart(*of: Curve, logarithmic: bool = True) -> Chart:
    return Chart("key", "Title", "over", of, "", logarithmic)


def test_a_chart_is_told_by_the_ends_of_its_curves() -> None:
    one, two = Curve("a", ((1, 2.25), (8, 3), (1024, 4.5))), Curve("b", ((4, 1),), True)
    assert charts.spoken(chart(one, two)) == (
        "a, predicted: 2.2 million packets a second at 1, 4.5 at 1 K; b, measured: 1.0 million packets a second at 4, 1.0 at 4"
    )


def test_curves_of_a_name_have_a_colour_lines_as_predicted_dots_as_measured() -> None:
    """Three of each; then they begin again."""
    lines = [charts.drawn(Curve("a", ()), number) for number in range(4)]
    dots = [charts.drawn(Curve("a", (), True), number) for number in range(4)]
    assert [one["color"] for one in lines] == [one["color"] for one in dots] == [*charts.SERIES, charts.SERIES[0]]
    assert [one["marker"] for one in dots] == [*charts.MARKS, charts.MARKS[0]]
    widths = [one["linewidth"] for one in lines]
    assert widths[:3] == sorted(set(widths), reverse=True) and widths[3] == widths[0]
    assert (lines[0]["label"], dots[0]["label"]) == ("a, predicted", "a, measured")
    assert all(one["linestyle"] == "none" for one in dots) and not any("linestyle" in one for one in lines)
    assert {one["markersize"] for one in dots} == {6}


@pytest.mark.parametrize(
    ("key", "value", "made"),
    [
        ("id", "p", ("id", "n-p")), ("{x}href", "#p", ("href", "#n-p")), ("{x}href", "http://x", None),
        ("clip-path", "url(#c)", ("clip-path", "url(#n-c)")), ("style", "fill: #010203", ("style", "fill: var(--a)")),
        ("fill", "#010203", ("fill", "var(--a)")), ("fill", "#0A0B0C", ("fill", "var(--b)")), ("fill", "none", ("fill", "none")),
        ("stroke", "red", ("stroke", "red")), ("onclick", "x()", None), ("width", "3", ("width", "3")), ("class", "node", None),
    ],
)  # fmt: skip
def test_attributes_of_pictures(key: str, value: str, made: tuple[str, str] | None) -> None:
    assert pictures._attribute(key, value, "n", {"#010203": "var(--a)", "#0a0b0c": "var(--b)"}) == made


SHAPES = [
    '<g transform="scale(1 1) rotate(0)"', '<polygon fill="none" points="0,0 1,1"', '<polyline points="0,0 1,1"',
    '<ellipse cx="1" cy="2" rx="3" ry="4"', '<rect x="1" y="2" width="3" height="4"', '<line x1="1" x2="2" y1="3" y2="4"',
    '<path d="M0 0" stroke="none" stroke-width="2" stroke-dasharray="5,2"',
    '<text text-anchor="middle" x="1" y="2" font-size="9.00" font-weight="bold"', '<tspan dx="1" dy="2"',
]  # fmt: skip


@pytest.mark.parametrize("shape", SHAPES)
def test_shapes_keep_how_they_are_drawn(shape: str) -> None:
    """Those of Graphviz and of matplotlib; fonts are the page's own."""
    svg = f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 3 2">{shape} font-family="Helvetica"/></svg>'
    assert f"{shape} />" in pictures.inline(svg.encode(), "n", "", {})


def test_names_within_a_picture_lead_to_each_other() -> None:
    """Whatever others stand in the page; clips, uses and definitions."""
    svg = b"""<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink"
    viewBox="0 0 3 2"><defs><clipPath id="c"><rect width="1" height="2"/></clipPath>
    <path id="m" d="M0 0"/></defs><g clip-path="url(#c)"><use xlink:href="#m" x="1"/></g>
    <title>said</title><g class="edge"><title>a-&gt;b</title></g><g><title>kept</title></g></svg>"""
    made = pictures.inline(svg, "one", "", {})
    for part in (
        '<clipPath id="one-c">',
        '<path id="one-m" d="M0 0" />',
        'clip-path="url(#one-c)"',
        '<use href="#one-m" x="1" />',
    ):
        assert part in made, made
    assert "<title>said</title>" in made and "<title>kept</title>" in made and "a-" not in made.replace("aria-", "")


def test_a_picture_is_as_wide_as_it_was_made_and_keeps_its_form() -> None:
    """A point is 4/3 of a pixel."""
    svg = b'<svg xmlns="http://www.w3.org/2000/svg" width="9" viewBox="0 0 30 21"><title>own</title></svg>'
    made = pictures.inline(svg, "n", "said", {})
    assert 'style="width:40px;aspect-ratio:30/21"' in made and 'aria-labelledby="n-title"' in made
    assert made.index('<title id="n-title">said</title>') < made.index("<title>own</title>")
