"""The page of `macsad explain`: lines add up to stages, advice follows the model, and nothing of a program is taken for HTML."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from html.parser import HTMLParser
from itertools import pairwise
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from explained_programs import HERE, HOSTILE_NAME, app, explained, hostile, machine_file

from macsad.cli import NO, USAGE, call
from macsad.explain import advice, curves, page, stage_drawing
from macsad.explain.data import data
from macsad.explain.explained import TableFact
from macsad.explain.lines import Line, _parts, by_line
from macsad.explain.page import FAR, NEAR, WIDE, render_page, sources
from macsad.explain.pictures import inline
from macsad.place.place_file import Chosen
from macsad.subject.stage_costs import StageCost
from transpiler.graph.drawing import NodeKind
from transpiler.model import code
from transpiler.model.sizes import footprint
from transpiler.model.throughput import Limit, Read


class Page(HTMLParser):
    """What is in a page: `tags` with their attributes, `text`."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.text: list[str] = []
        self.feed(text)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))

    def handle_data(self, data: str) -> None:
        self.text.append(data)

    def of(self, tag: str) -> Iterator[dict[str, str | None]]:
        return (attributes for name, attributes in self.tags if name == tag)


@pytest.mark.parametrize("name", ["router", "l2fwd", "nat", "firewall"])
def test_lines_are_together_what_stages_take(name: str) -> None:
    if not app(name).is_file():
        pytest.skip("there is no such app")
    found = explained(app(name))
    lines = by_line(found)
    assert sum(line.cycles for line in lines.values()) == pytest.approx(sum(cost.cycles for cost in found.costs))
    assert all(line.cycles >= 0 and line.waits <= line.cycles + 1e-9 for line in lines.values())
    reads = sum(line.waits for line in lines.values())
    assert reads == pytest.approx(
        sum(cost.cycles - alone.cycles for cost, alone in zip(found.costs, found.alone, strict=True))
    )


def test_what_no_frame_comes_to_takes_nothing_and_is_predicted_for_one_that_does() -> None:
    found = replace(explained(app("l2fwd")), ran=True)
    program = found.planned.program
    table = program.table["L2Ingress.dmac"]
    taken = {program.action["L2Ingress.forward"].span: 1.0} if "L2Ingress.forward" in program.action else {}
    work = [one for pipe in found.planned.schedule.pipes for stage in pipe.stages
            for one in code.work_of(program, pipe, stage)]  # fmt: skip
    spans = {one.owner for one in work if one.owner is not None}
    elsewhere = {one.span.line for one in work if one.owner is None}  # drop() is called where no table is applied, too
    idle = {program.action[use.action].span for use in table.actions} - set(taken)
    ways = {span: 1.0 for span in spans if span not in idle}
    lines = by_line(replace(found, ways=ways))
    seen = 0
    for span in idle & spans:
        for (_, number), line in lines.items():
            if 0 <= number - span.line <= 2:
                assert line.if_comes > 0
                assert (line.share, line.cycles > 0) == ((None, True) if number in elsewhere else (0, False))
                seen += 1
    assert seen > 1
    assert sum(line.cycles for line in lines.values()) == pytest.approx(sum(cost.cycles for cost in found.costs))


def test_receiving_is_of_the_first_stage_and_sending_of_the_last() -> None:
    found = explained(app("router"))
    costs = tuple(replace(cost, cycles=1000.0) for cost in found.costs)
    runtime = replace(found.runtime, receive=30.0, send=20.0)
    parts = _parts(replace(found, costs=costs, runtime=runtime))
    of_lines = [part.computes + sum(part.waits.values()) for part in parts]
    assert [1000 - cycles for cycles in of_lines] == pytest.approx([30, *[0] * (len(costs) - 2), 20], abs=1e-9)


def test_lines_that_drop_are_told() -> None:
    found = replace(explained(app("l3fwd")), dropped={"other.p4:40": 0.25})
    (_, number), line = next((place, line) for place, line in by_line(found).items() if line.tables)
    assert line.dropped == 0 and "The lines that drop packets" not in render_page(found).text
    found = replace(found, dropped={f"l3fwd.p4:{number}": 0.375})
    shown = render_page(found).text
    assert "The lines that drop packets" in shown and "drops 38 %" in shown
    assert [(one["line"], one["dropped"]) for one in data(found)["lines"] if one["dropped"]] == [(number, 0.375)]


def test_ways_are_taken_as_often_as_any_other() -> None:
    planned = explained(app("router")).planned
    pipe = planned.schedule.pipes[0]
    shares = dict(zip((stage.name for stage in pipe.stages), code.arrivals(pipe), strict=True))
    assert next(iter(shares.values())) == 1 and all(0 < share <= 1 for share in shares.values())
    work = code.work_of(planned.program, pipe, pipe.stages[0])
    assert len({one.span for one in work}) == len(work), "a place counts once"
    assert all(one.operations >= 1 and 0 <= one.likely <= 1 for one in work)


def test_a_curve_for_each_burst_is_named_after_it() -> None:
    first, *_ = curves.BURSTS_SHOWN
    chart = curves._batches(replace(explained(app("l2fwd")), measured={(first, 1): 100.0, (7, 1): 90.0}))
    assert [curve.name for curve in chart.curves if curve.measured] == [f"B = {first}"]
    predicted = [curve for curve in chart.curves if not curve.measured]
    assert [curve.name for curve in predicted] == [f"B = {burst}" for burst in curves.BURSTS_SHOWN]
    for curve, burst in zip(predicted, curves.BURSTS_SHOWN, strict=True):
        assert [b for b, _ in curve.points] == [b for b in curves.SUB_BATCHES if b <= burst]


@pytest.mark.parametrize(
    ("cut", "workers", "command"),
    [("", (3,), "--workers 3"), ("t", (2, 1), "--cut t --workers 3 --part-workers 2,1")],
)
def test_cores_are_advised_with_the_options_that_take_them(
    cut: str, workers: tuple[int, ...], command: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(advice, "by_cores", lambda explained, cores: (SimpleNamespace(rate=2.0), None))
    monkeypatch.setattr(advice, "chosen", lambda placed, placement: Chosen(workers, cut))
    several: Any = SimpleNamespace(placed=SimpleNamespace(cores=4, best=SimpleNamespace(rate=5.0)))
    (trial,) = advice._cores(several)
    assert (trial.command, trial.gain, trial.what) == (command, 2.5, str(Chosen(workers, cut)))
    for cores, told in ((1, 0), (2, 1)):
        one: Any = SimpleNamespace(placed=SimpleNamespace(cores=cores, best=SimpleNamespace(rate=5.0)))
        assert len(list(advice._cores(one))) == told


@pytest.mark.parametrize(
    ("entries", "touched", "at", "bytes_"),
    [
        (1000, 32_000, 1000, 32_000), (2000, 32_000, 1000, 64_000), (1000, 1 << 25, 1000, 64_000), (1, 32_000, 1000, 64),
        (5, 640, 0, 640), (3, 100, 1, 192), (1, 40, 1, 64), (5, 100, 2, 250), (4, 66, 3, 88),
    ],
)  # fmt: skip
def test_what_is_touched_of_a_table(entries: int, touched: int, at: int, bytes_: int) -> None:
    assert footprint(entries, touched, at) == bytes_


def test_a_program_whose_reads_miss_is_told_which_table_to_make_smaller() -> None:
    found = explained(app("l2fwd"))
    far = replace(
        found.program,
        necessary=1.0,
        shared=0.0,
        reads=tuple(replace(read, footprint=1 << 26) for read in found.program.reads),
    )
    slow = replace(found, program=far, point=(1, 1))
    limiting = advice.limiting(slow)
    assert limiting.limit is Limit.MEMORY
    assert advice.how_far(slow) == pytest.approx(slow.predict().cycles / limiting.alone) and advice.how_far(slow) > 1.01
    assert limiting.alone != limiting.cycles
    assert data(slow)["limit"] == {"what": "memory", "alone": limiting.alone, "times": advice.how_far(slow)}
    assert [term.cycles for term in advice.terms(slow)] == sorted((t.cycles for t in advice.terms(slow)), reverse=True)
    trials = {trial.what: trial for trial in advice.trials(slow)}
    assert "a smaller smac" in trials and trials["a smaller smac"].gain > 1.1
    gains = [trial.gain for trial in advice.trials(slow)]
    assert gains == sorted(gains, reverse=True) and min(gains) > 1 + advice.WORTH
    batch = next(trial for trial in trials.values() if trial.command.startswith("--burst"))
    burst, b = (int(word) for word in batch.command.split() if word.isdecimal())
    assert batch.gain == pytest.approx(slow.predict().cycles / slow.predict((burst, b)).cycles)


def test_what_hardly_gains_is_not_advised(monkeypatch: pytest.MonkeyPatch) -> None:
    """The most comes first, wherever it is from."""
    made = [advice.Trial(str(gain), "", gain, "") for gain in (1.3, 1.021, 1.02, 1.5, 0.9)]
    parts = zip(("_batch", "_pages", "_cores", "_tables"), (made[:2], made[2:3], made[3:4], made[4:]), strict=True)
    for name, some in parts:
        monkeypatch.setattr(advice, name, lambda explained, some=some: iter(some))
    assert [trial.gain for trial in advice.trials(explained(app("l2fwd")))] == [1.5, 1.3, 1.021]


def test_the_best_point_is_advised_to_who_is_at_another() -> None:
    found = explained(app("l2fwd"))
    best = advice.ranked(found.machine, found.program)[0]
    assert list(advice._batch(replace(found, point=best.point))) == []
    (trial,) = advice._batch(replace(found, point=(1, 1)))
    assert trial.command == f"--burst {best.point[0]} --sub-batch {best.point[1]}"
    assert trial.gain == pytest.approx(found.predict((1, 1)).cycles / best.prediction.cycles)


def test_reads_of_one_memory_are_thought_of_as_near() -> None:
    """In half of the first cache, or as near as they are; those of others stay."""
    found = explained(app("l2fwd"))
    names = [read.memory for stage in found.alone for read in stage.reads]
    assert len(set(names)) > 1
    for sizes in ((1 << 26,) * len(names), (1 << 12,) * len(names)):
        reads = tuple(replace(read, footprint=size) for read, size in zip(found.program.reads, sizes, strict=True))
        of = replace(found, program=replace(found.program, reads=reads))
        near = advice._without(of, names[0], 1 << 15)
        assert [read.footprint for read in near] == [
            min(size, 1 << 14) if name == names[0] else size for name, size in zip(names, sizes, strict=True)
        ]


def test_smaller_tables_are_advised_each_once() -> None:
    """However many stages read it: what all its reads take that are not near."""
    found = explained(app("l2fwd"))
    stage = next(stage for stage in found.alone if stage.reads)
    smac, dmac = stage.reads
    reads = tuple(Read(each, 1 << 26, False) for each in (8.0, 10.0, 12.0))
    later, program = replace(stage, reads=(dmac,)), replace(found.program, reads=reads, necessary=1.0)
    found = replace(found, alone=(*found.alone, later), program=program)
    told = list(advice._tables(found))
    assert [(trial.what, trial.command) for trial in told] == [("a smaller smac", ""), ("a smaller dmac", "")]
    for trial, name, near in zip(told, (smac.memory, dmac.memory), ((0,), (1, 2)), strict=True):
        few = tuple(
            replace(read, footprint=HERE.caches[0] // 2) if at in near else read
            for at, read in enumerate(found.program.reads)
        )
        less = found.predict(program=replace(found.program, reads=few))
        assert trial.gain == pytest.approx(found.predict().cycles / less.cycles) and trial.gain > 1
        assert f"what packets read of {name} were in the first cache" in trial.why


def test_what_takes_nothing_alone_is_as_fast_as_that_allows(monkeypatch: pytest.MonkeyPatch) -> None:
    found = explained(app("l2fwd"))
    term = advice.Term(Limit.MEMORY, "", 1.0, 0.0)
    monkeypatch.setattr(advice, "limiting", lambda explained: term)
    assert advice.how_far(found) == 1
    monkeypatch.setattr(advice, "limiting", lambda explained: replace(term, alone=found.predict().cycles / 4))
    assert advice.how_far(found) == pytest.approx(4)


def test_huge_pages_are_advised_only_to_a_program_without_them() -> None:
    reads = [{**one, "cycles": one["cycles"] * (2 if one["pages"] == "small" else 1)} for one in _machine()["reads"]]
    from transpiler.model.machine import machine_profile

    machine = machine_profile({**_machine(), "reads": reads})
    far = (Read(8, 1 << 26, False),)
    found = replace(explained(app("l2fwd")), machine=machine)
    found = replace(
        found, program=replace(found.program, reads=far, necessary=1.0), alone=(replace(found.alone[0], reads=()),)
    )
    for pages, advised in (("small", True), ("huge", False)):
        told = list(advice._pages(replace(found, program=replace(found.program, pages=pages))))
        assert bool(told) is advised
    assert advice.pages_gain(found) > 1.2


def _machine() -> dict:  # type: ignore[type-arg]
    from machine import MACHINE

    return MACHINE


def test_cores_are_shared_by_clones_or_by_parts() -> None:
    """The best of each kind, where there is one."""
    clones, cut = curves.by_cores(explained(app("router")), 3)
    assert len(clones.parts) == 1 and cut is not None and len(cut.parts) > 1
    alone, none = curves.by_cores(explained(app("router")), 1)
    assert len(alone.parts) == 1 and none is None


def test_curves_say_what_the_model_says() -> None:
    found = replace(explained(app("router"), cores=4), measured={(1, 1): 800.0, (64, 64): 200.0})
    charts = {chart.key: chart for chart in curves.charts(found)}
    assert set(charts) == {"burst", "sub-batch", "entries", "cores"}
    b64 = next(one for one in charts["burst"].curves if one.name == "b = 64" and not one.measured)
    assert dict(b64.points)[128] == pytest.approx(HERE.hz / found.predict((128, 64)).cycles / 1e6)
    measured = [one for chart in charts.values() for one in chart.curves if one.measured]
    assert {one.name: one.points for one in measured}["b = 1"] == ((1.0, HERE.hz / 800 / 1e6),)
    cloned = dict(charts["cores"].curves[0].points)
    assert cloned[4] == pytest.approx(4 * cloned[1])
    entries = charts["entries"].curves[0].points
    assert [rate for _, rate in entries] == sorted((rate for _, rate in entries), reverse=True)


def test_nothing_of_a_program_is_taken_for_html(tmp_path: Path) -> None:
    page = Page(render_page(explained(hostile(tmp_path))).text)
    tags = {tag for tag, _ in page.tags}
    assert not tags & {"script", "img", "iframe", "object", "embed", "base", "form", "b"}
    assert len(list(page.of("style"))) == 1
    for tag, attributes in page.tags:
        assert not [name for name in attributes if name.startswith("on")], (tag, attributes)
        for name in ("src", "href", "xlink:href"):
            assert (attributes.get(name) or "#").startswith(("#", "data:,")), (tag, attributes)
    text = "".join(page.text)
    assert HOSTILE_NAME in text and 'alert("comment")' in text and "{{ 7 * 7 }}" in text and "alert('key')" in text
    assert "\\u202e" in text and "\u202e" not in text
    policy = next(one["content"] for one in page.of("meta") if one.get("http-equiv") == "Content-Security-Policy")
    assert policy is not None and "default-src 'none'" in policy and "script" not in policy


def test_of_a_long_file_the_lines_near_code_are_shown(tmp_path: Path) -> None:
    file = tmp_path / "long.p4"
    file.write_text("".join(f"line {number}\n" for number in range(1, FAR + NEAR + 2)))
    (source,) = sources({(str(file), NEAR): Line(4.0), (str(file), 1): Line(1.0)})
    numbers = [row.number for row in source.rows]
    assert numbers == [*range(1, 2 * NEAR + 1), *range(FAR + 2, FAR + NEAR + 2)]
    assert [row.gap for row in source.rows if row.gap] == [FAR + 1 - 2 * NEAR]
    assert [(row.number, row.heat) for row in source.rows if row.line] == [(1, 0.5), (NEAR, 1.0)]
    file.write_text("".join(f"line {number}\n" for number in range(1, FAR + NEAR + 1)))
    (source,) = sources({(str(file), NEAR): Line(4.0)})
    assert [row.number for row in source.rows] == [*range(1, FAR + NEAR + 1)]


def test_files_stand_in_the_order_of_what_they_take(tmp_path: Path) -> None:
    """All of their lines together; heat is that of the line that takes the most, wherever it is."""
    for name in "abc":
        (tmp_path / name).write_text("one\ntwo\n")
    found = sources({
        (str(tmp_path / "a"), 1): Line(1.0), (str(tmp_path / "b"), 1): Line(2.5), (str(tmp_path / "b"), 2): Line(2.5),
        (str(tmp_path / "c"), 2): Line(4.0),
    })  # fmt: skip
    assert [(source.name, source.cycles) for source in found] == [
        (str(tmp_path / "b"), 5.0), (str(tmp_path / "c"), 4.0), (str(tmp_path / "a"), 1.0),
    ]  # fmt: skip
    assert [row.heat for source in found for row in source.rows if row.line] == pytest.approx(
        [(2.5 / 4) ** 0.5, (2.5 / 4) ** 0.5, 1, 0.5]
    )
    assert {len(source.rows) for source in found} == {2}, "no line is behind the last line feed"


def test_long_lines_are_cut(tmp_path: Path) -> None:
    file = tmp_path / "wide.p4"
    file.write_text("x" * WIDE + "\n" + "y" * (WIDE + 1) + "\nz")
    (source,) = sources({(str(file), 1): Line(4.0), (str(file), 5): Line()})
    assert [row.text for row in source.rows] == ["x" * WIDE, "y" * WIDE + "…", "z", "", ""]
    assert [page._text(str(file), number) for number in (2, 3, 4)] == ["y" * WIDE, "z", ""]


def test_the_lines_that_take_or_drop_the_most_are_told(tmp_path: Path) -> None:
    """Five, of those that take something; ten that drop, the most first."""
    file = tmp_path / "p.p4"
    file.write_text("".join(f"  line {number}\n" for number in range(1, 14)))
    lines = {(str(file), number): Line(float(number % 12), dropped=number % 12 / 100) for number in range(1, 13)}
    hottest = page._hottest(lines)
    assert [(number, text) for _, number, _, text in hottest] == [(n, f"line {n}") for n in (11, 10, 9, 8, 7)]
    assert [number for _, number, _, _ in page._dropping(lines)] == list(range(11, 1, -1))
    few = {place: replace(line, cycles=line.cycles * (place[1] == 3)) for place, line in lines.items()}
    assert [(name, number) for name, number, _, _ in page._hottest(few)] == [(str(file), 3)]


def test_charts_that_have_nothing_to_show_say_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(page.charts, "picture", lambda chart: "<svg/>")
    some, none = curves.Curve("a", ((1, 2.0),)), curves.Curve("b", ())
    for of, svg, why in (((), "", "The program has no tables whose entries can differ."), ((none,), "", None),
                         ((some, none), "<svg/>", ""), ((some,), "<svg/>", "")):  # fmt: skip
        picture = page._chart(curves.Chart("k", "T", "over", of, ""))
        assert picture.svg == svg and (why is None or picture.why == why) and not picture.notice
    table = page._table(curves.Chart("k", "T", "over", (some, curves.Curve("c", ((3, 5.0), (1, 4.0)))), ""))
    assert table == [(1, [2.0, 4.0]), (3, [None, 5.0])]


@pytest.mark.parametrize(
    ("count", "text"),
    [
        (0, "0 bytes"), (1023, "1023 bytes"), (1024, "1.0 KiB"), (10_239, "10.0 KiB"), (10_240, "10 KiB"), (1 << 20, "1.0 MiB"),
        ((1 << 20) * 100, "100 MiB"), ((1 << 30) - (1 << 20), "1023 MiB"), (1 << 30, "1.0 GiB"), (3 << 40, "3072.0 GiB"),
    ],
)  # fmt: skip
def test_bytes_for_people(count: int, text: str) -> None:
    assert stage_drawing.size(count) == text


def test_a_stage_is_drawn_with_what_it_looks_up_and_accesses() -> None:
    """Six of its state by name; a long title is cut."""
    found = explained(app("l2fwd"))
    facts = (TableFact("I.t", ("a: exact", "b: " + "x" * 40), "k", 12_345, 2048),)
    found = replace(found, tables=facts)
    for count, last in ((6, "s5"), (7, "and 1 more"), (9, "and 3 more")):
        cost = StageCost("I", 2, 12.6, 0.125, ("I.t", "I.none"), tuple(f"I.s{n}" for n in range(count)))
        node = stage_drawing._node(found, 5, cost)
        assert (node.id, node.kind, node.title) == ("I/2", NodeKind.TABLE, "S5: t, none")
        first, table, state = node.sections
        assert first == ("13 cycles",)
        assert table == ("a: exact", "b: " + "x" * 31, "x" * 9, "k, 12,345 entries", "2.0 KiB")
        assert " ".join(state).endswith(last) and " ".join(state).startswith("s0, s1, s2, s3, s4, s5")
        assert all(len(line) <= 34 for line in state)
    ran = stage_drawing._node(replace(found, ran=True), 0, StageCost("E", 0, 12.6, 0.125, (), ()))
    assert (ran.kind, ran.title, ran.sections) == (NodeKind.STATEMENTS, "S0", (("13 cycles, 12% of packets",),))
    for length, title in ((30, "S1: " + "y" * 30), (31, "S1: " + "y" * 29 + "…")):
        assert stage_drawing._node(found, 1, StageCost("I", 1, 1, 1, ("y" * length,), ())).title == title


def test_a_page_can_be_read_aloud(tmp_path: Path) -> None:
    """Headings in order, a caption for each table, a name for each picture, no identifier twice."""
    page = Page(render_page(explained(app("router"))).text)
    levels = [int(tag[1]) for tag, _ in page.tags if tag in ("h1", "h2", "h3")]
    assert levels[0] == 1 and levels.count(1) == 1
    assert all(after <= before + 1 for before, after in pairwise(levels))
    assert len(list(page.of("caption"))) == len(list(page.of("table")))
    assert all(one.get("scope") for one in page.of("th"))
    ids = [attributes["id"] for _, attributes in page.tags if attributes.get("id")]
    assert len(ids) == len(set(ids))
    for picture in page.of("svg"):
        assert picture.get("role") == "img" and picture.get("aria-labelledby") in ids
    for link in page.of("a"):
        assert str(link["href"])[1:] in ids
    assert next(iter(page.of("html")))["lang"] == "en"


def test_without_graphviz_and_matplotlib_it_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    from macsad.bench.contestants import BenchError

    def none() -> None:
        raise BenchError("plots need matplotlib")

    found = explained(app("l2fwd"))
    monkeypatch.setattr("transpiler.graph.graphviz.shutil.which", lambda name: None)
    monkeypatch.setattr("macsad.explain.charts.figures", none)
    page = render_page(found)
    assert len(page.notices) == 2 and "graphviz" in page.notices[0] and "matplotlib" in page.notices[1]
    shown = Page(page.text)
    assert not list(shown.of("svg"))
    text = "".join(shown.text)
    assert "apt-get install graphviz" in text and "pip install" not in text and "plots need matplotlib" in text


def test_pictures_have_no_links_scripts_nor_names_of_their_own() -> None:
    svg = b"""<?xml version="1.0"?><!DOCTYPE svg><svg xmlns="http://www.w3.org/2000/svg" onload="x()" viewBox="0 0 30 20"
    xmlns:xlink="http://www.w3.org/1999/xlink" width="30pt"><style>*{color:red}</style><script>x()</script><g id="a" class="node">
    <title>n0</title><a xlink:href="http://x" xlink:title="tip"><path id="p" onclick="x()" fill="#ABCDEF" style="stroke: #010203"
    d="M0 0"/></a><use xlink:href="#p"/><image href="http://x/y.png"/></g></svg>"""
    made = inline(svg, "name", "<title> of it", {"#abcdef": "var(--a)", "#010203": "var(--b)"})
    assert not [
        word
        for word in ("script", "style>", "http://x", "onclick", "onload", "image", "n0", "#abc")
        if word in made.lower()
    ]
    assert 'fill="var(--a)"' in made and "stroke: var(--b)" in made
    assert (
        'id="name-p"' in made
        and 'href="#name-p"' in made
        and "&lt;title&gt; of it" in made
        and "<title>tip</title>" in made
    )


def test_json_has_what_the_page_shows() -> None:
    found = explained(app("router"))
    told = json.loads(json.dumps(data(found)))
    assert told["ran"] is False and told["limit"]["what"] in [limit.value for limit in Limit]
    assert sum(line["cycles"] for line in told["lines"]) == pytest.approx(
        sum(stage["cycles"] for stage in told["stages"])
    )
    assert {curve["over"] for curve in told["curves"]} == {"burst", "sub-batch", "entries", "cores"}


def test_json_has_what_was_measured() -> None:
    """Points in order, lines in order, and of a stage how long it waits."""
    found = replace(
        explained(app("router")), point=(64, 32), measured={(64, 64): 90.0, (8, 8): 120.0, (8, 1): 150.0}, ran=True
    )
    told = json.loads(json.dumps(data(found)))
    assert (told["burst"], told["sub_batch"], told["ran"], told["program"]) == (64, 32, True, found.name)
    assert [(one["burst"], one["sub_batch"], one["cycles"]) for one in told["measured"]] == [
        (8, 1, 150), (8, 8, 120), (64, 64, 90),
    ]  # fmt: skip
    predicted = found.predict()
    assert told["predicted"] == {
        "cycles": predicted.cycles, "io": predicted.upsilon, "compute": predicted.compute, "stall": predicted.stall,
    }  # fmt: skip
    waits = [max(0, cost.cycles - alone.cycles) for cost, alone in zip(found.costs, found.alone, strict=True)]
    assert [stage["waits"] for stage in told["stages"]] == waits and max(waits) > 0
    assert [(stage["pipe"], stage["number"], stage["tables"]) for stage in told["stages"]] == [
        (cost.pipe, cost.number, list(cost.tables)) for cost in found.costs
    ]
    places = [(line["file"], line["line"]) for line in told["lines"]]
    assert places == sorted(places) and len(set(places)) == len(places)
    assert [table["name"] for table in told["tables"]] == [table.name for table in found.tables]


def test_what_is_asked_for_wrongly_is_said(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("macsad.verbs.bench.worker_cpus", range)
    program = str(app("l2fwd"))
    machine = str(machine_file(tmp_path))
    bad = tmp_path / "bad.json"
    bad.write_text("{}")
    wrong = tmp_path / "wrong.p4"
    wrong.write_text("control c( {")
    for arguments, code_, words in (
        (["explain", str(tmp_path / "none.p4")], USAGE, "does not exist"),
        (["explain", program, "--no-run", "--measure"], USAGE, "--no-run goes with none of"),
        (["explain", program, "--measure", "--machine", machine], USAGE, "does not go with --machine"),
        (["explain", program, "--entries", machine], USAGE, "go with --traffic"),
        (["explain", program, "--cut", "1"], USAGE, "--cut"),
        (["explain", program, "--no-run", "-o", program], USAGE, "would be written over"),
        (["explain", program, "--no-run", "--machine", str(bad)], NO, "no profile of a machine"),
        (["explain", str(wrong), "--no-run", "--machine", machine], NO, "wrong.p4:1:"),
        (
            ["explain", program, "--no-run", "--machine", machine, "-o", str(tmp_path / "no" / "p.html")],
            NO,
            "No such file",
        ),
        (
            ["bench", "l2fwd", "--report", str(tmp_path / "p.html"), "--workers", "2", "--machine", machine],
            USAGE,
            "one worker",
        ),
    ):
        assert call(arguments) == code_, arguments
        assert words in capsys.readouterr().err, arguments
    assert not (tmp_path / "wrong.explain.html").exists()


def test_it_lies_beside_the_program(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    program = hostile(tmp_path)
    assert (
        call(["explain", str(program), "-W", "no-all", "--no-run", "--json", "--machine", str(machine_file(tmp_path))])
        == 0
    )
    told = json.loads(capsys.readouterr().out)
    assert told["file"] == str(program.with_suffix(".explain.html"))
    assert "every figure on this page is predicted" in Path(told["file"]).read_text()
