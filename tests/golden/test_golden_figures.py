"""Figures as they are told: pages of `macsad explain`, tables of `macsad bench`, files of `macsad place` and `macsad tune`, with
their JSON, as text beside (`--update-golden` writes it anew). Nothing is measured: samples are made up, the machine has
round numbers."""

from __future__ import annotations

import io
import json
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest
from explained_programs import HERE, explained
from rich.console import Console, RenderableType

from macsad.bench import latency, predicted, report
from macsad.bench.lookups import Looked
from macsad.bench.samples import Sample
from macsad.bench.session import Point, Result, Table
from macsad.bench.state import Reads, State
from macsad.explain import page, stage_drawing
from macsad.explain.data import data
from macsad.explain.explained import Explained, Runtime
from macsad.place import place_file
from macsad.tune import tune_file, tuning
from macsad.tune.tuned import Settings
from transpiler.graph import dot
from transpiler.model import code

PROGRAMS, FIGURES = (Path(__file__).parent / folder for folder in ("codegen", "figures"))


def told(value: object) -> str:
    """As JSON, numbers with six digits, short lists and objects on a line."""

    def plain(one: Any) -> Any:
        if isinstance(one, float):
            return float(f"{one:.6g}")
        if isinstance(one, Mapping):
            return {str(name): plain(of) for name, of in one.items()}
        return [plain(of) for of in one] if isinstance(one, list | tuple) else one

    def lines(one: Any, indent: str) -> str:
        short = json.dumps(one)
        if len(short) < 110 or not isinstance(one, dict | list) or not one:
            return short
        parts = [f"{json.dumps(n)}: {lines(of, indent + ' ')}" for n, of in one.items()] if isinstance(one, dict) else [
            lines(of, indent + " ") for of in one]  # fmt: skip
        inner = f",\n{indent} ".join(parts)
        return f"{{\n{indent} {inner}\n{indent}}}" if isinstance(one, dict) else f"[\n{indent} {inner}\n{indent}]"

    return lines(plain(value), "").replace(f"{PROGRAMS}/", "") + "\n"


def printed(*shown: RenderableType) -> str:
    out = io.StringIO()
    Console(file=out, width=130, highlight=False, soft_wrap=True).print(*shown, sep="\n")
    return "".join(f"{line.rstrip()}\n" for line in out.getvalue().splitlines())


# --- explain ----------------------------------------------------------------------------------------------------------


class Text(HTMLParser):
    """What a reader of a page sees, without pictures: a line for each row of a table, and for all else that begins anew."""

    HIDDEN = frozenset({"style", "svg", "head", "script"})
    INSIDE = frozenset({"td", "th", "b", "i", "em", "strong", "code", "span", "a", "small", "sub", "sup"})

    def __init__(self, text: str) -> None:
        super().__init__()
        self.lines: list[str] = []
        self._line: list[str] = []
        self._hidden = 0
        self.feed(text)
        self.close()
        self._end()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self._hidden += tag in self.HIDDEN
        if tag in ("td", "th"):
            self._line.append(" | ")
        elif tag not in self.INSIDE:
            self._end()

    def handle_endtag(self, tag: str) -> None:
        self._hidden -= tag in self.HIDDEN
        if tag not in self.INSIDE:
            self._end()

    def handle_data(self, data: str) -> None:
        if not self._hidden:
            self._line.append(data)

    def _end(self) -> None:
        if line := " ".join("".join(self._line).split()).removeprefix("| "):
            self.lines.append(line)
        self._line = []


def of_a_run(found: Explained) -> Explained:
    """As if that had run: each way but every third is taken by a share of the packets."""
    planned = found.planned
    owners = sorted(
        {one.owner for pipe in planned.schedule.pipes for stage in pipe.stages
         for one in code.work_of(planned.program, pipe, stage) if one.owner is not None},
        key=lambda span: (span.file, span.line, span.column),
    )  # fmt: skip
    ways = {owner: (0.0, 1.0, 0.375)[number % 3] for number, owner in enumerate(owners)}
    line = planned.program.tables[0].span.line
    cycles = {point: found.predict(point).cycles * 1.0625 for point in ((1, 1), (8, 8), (64, 8), (64, 64))}
    rate = found.mpps(found.cycles)
    return replace(
        found, ran=True, runtime=Runtime(7.5, 3.25), ways=ways, measured=cycles, known=((1, 1), (64, 64)), clocked=200.0,
        told="x.pcap", dropped={f"{found.name}:{line}": 0.0625}, over_cores=((1, rate), (2, 1.875 * rate)),
        over_entries=((100, 1.25 * rate), (1000, rate)),
    )  # fmt: skip


@pytest.mark.parametrize("name", ["state", "staged", "learning"])
@pytest.mark.parametrize("ran", [False, True], ids=["predicted", "run"])
def test_a_page_and_its_json(
    name: str, ran: bool, golden: Callable[[Path, str], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    for draws in ("_drawing", "_chart"):
        monkeypatch.setattr(page, draws, lambda *_: page.Picture("", "Not drawn."))
    found = explained(PROGRAMS / f"{name}.p4", entries=5000, cores=4)
    if ran:
        found = of_a_run(found)
    text = "".join(f"{line}\n" for line in Text(page.render_page(found).text).lines)
    file = FIGURES / f"{name}{'-run' if ran else ''}"
    golden(file.with_suffix(".page"), text.replace(f"{PROGRAMS}/", ""))
    golden(file.with_suffix(".json"), told(data(found)))
    golden(file.with_suffix(".dot"), dot.write(stage_drawing.draw(found)))
    if not ran:
        golden(file.with_suffix(".place"), _placed(found))


def _placed(found: Explained) -> str:
    busy = replace(found.placed.on(0.625), passes=1.5)
    several = (place_file.chosen(found.placed, one) for one in found.placed.placements)
    return "\n".join((
        place_file.toml(found.placed, found.name, "a machine"), *place_file.stage_rows(found.placed), "",
        *place_file.rows(busy), *place_file.had(busy), *place_file.passes(busy), "",
        *dict.fromkeys(f"{' '.join(one.options)}: {one}" for one in several), "",
    ))  # fmt: skip


# --- bench ------------------------------------------------------------------------------------------------------------


def samples(*nanoseconds: int) -> list[Sample]:
    """Of 1,000 packets each, at 2 cycles a nanosecond."""
    return [Sample(1000, ns * 1000, ns * 3000, ns * 6000) for ns in nanoseconds]


def at_points(of: Iterable[tuple[Point, tuple[int, ...]]]) -> dict[tuple[str, int, int], list[Sample]]:
    return {("program", *point): samples(*found) for point, found in of}


FLOORS = {
    ("empty", 1, 1): samples(25),
    ("empty", 64, 64): samples(9),
    ("loop", 1, 1): samples(8),
    ("loop", 64, 64): samples(4),
}
RESULTS = {
    "all": Result(
        "p",
        (Table("I.a", "exact_packed", 1_000_000, 20 << 20, 16 << 20, 1.0), Table("I.b", "lpm_trie", 10, 1 << 20, 4160, 0.5),
         Table("I.none", "exact_packed", 0, 64, 64, 0.0)),
        (State("I.r", "register", 4096, 4, 16384, 8192, 1.0), State("I.d", "direct_counter", 10, 16, 160, 160, 0.5, "I.r")),
        123_456, "imix", 0.875, "zipf:1.1", ((1, 1), (8, 8), (64, 8), (64, 64)), 3, 0.1, 2, 0.0625,
        Reads((0, 1, 2, 2), ((1, 0.5), (15, 0.25))),
        at_points((((1, 1), (200, 220, 180)), ((8, 8), (80, 84, 78)), ((64, 8), (60, 66, 58)), ((64, 64), (50, 55, 45))))
        | {("read", 1, 0): samples(10, 11, 12), ("read", 15, 0): samples(30, 30, 33), ("lookup", 0, 0): samples(10, 11, 12),
           ("lookup", 3, 0): samples(30, 36, 33), ("without simd", 64, 64): samples(75, 77, 72),
           ("without all", 64, 64): samples(150, 140, 160), ("beside other", 0, 0): samples(100, 110, 90),
           ("beside lossless", 0, 0): samples(70, 80, 75)} | FLOORS,
        ("simd", "all"), ("sums",), "dpdk", (("other", 0.5), ("lossless", 0.01)), True,
        (Looked(0, "I.a", "exact_packed", 1.0, 1.0), Looked(3, "I.b", "lpm_trie", 0.5, 0.25)), 350,
    ),
    "a point": Result(
        "q", (), (), 1000, "64 bytes", 1.0, "uniform", ((64, 64),), 7, 0.02, 1, 0.01, Reads((), ()),
        at_points([((64, 64), (20, 21, 22, 23, 24))]) | FLOORS,
    ),
    "few lookups": Result(
        "r", (Table("I.a", "exact_packed", 16, 4096, 1024, 0.25),), (), 1000, "64 bytes", 1.0, "one", ((1, 1), (32, 32)), 3,
        0.1, 1, 0.0, Reads((0,), ((1, 0.25),)),
        at_points((((1, 1), (40, 41, 42)), ((32, 32), (20, 21, 22))))
        | {("read", 1, 0): samples(4, 4, 5), ("lookup", 0, 0): samples(10, 11, 12)} | FLOORS,
        looked=(Looked(0, "I.a", "exact_packed", 0.25, 1.0),),
    ),
}  # fmt: skip


def test_a_result(golden: Callable[[Path, str], None]) -> None:
    texts = [f"--- {name}\n{printed(report.screen(result))}\n{_json(result)}" for name, result in RESULTS.items()]
    golden(FIGURES / "bench.txt", "\n".join(texts))


def _json(result: Result) -> str:
    return told({name: one for name, one in report.data(result).items() if name not in ("date", "machine")})


def test_what_the_model_predicts_of_a_result(golden: Callable[[Path, str], None]) -> None:
    texts = []
    for whole, pages in ((frozenset({"I.a"}), "huge"), (frozenset({"I.r", "I.b"}), "small")):
        made = predicted.predicted(RESULTS["all"], HERE, whole, 350, pages)
        assert made is not None
        texts.append(f"{printed(predicted.screen(made), predicted.summary(made))}\n{told(predicted.data(made))}")
    golden(FIGURES / "predicted.txt", "\n".join(texts))


ROWS = [
    latency.Row((64, 64), 0.1, 1.25, (0.5, 12.345, 101.5), 0.0, 0.0),
    latency.Row((64, 8), 0.95, 12.5, (99.994, 99.999, 12345.6), 0.00123, 0.0155),
]


def test_times_in_a_switch(golden: Callable[[Path, str], None]) -> None:
    named = [replace(ROWS[0], name="p"), latency.Row(latency.NO_POINT, 0.5, 3.0, (1.0, 2.0, 3.0), 0.5, 0.25, "other")]
    texts = [f"{printed(latency.screen(rows))}\n{told(latency.data(rows))}" for rows in (ROWS, named)]
    golden(FIGURES / "latency.txt", "\n".join(texts))


# --- tune -------------------------------------------------------------------------------------------------------------


def test_settings(golden: Callable[[Path, str], None]) -> None:
    rows = (
        tuning.Row("", (128, 16), 95.4, 90.0), tuning.Row("bulk", (64, 64), None, 99.0),
        tuning.Row("I.t=lpm_trie", (8, 1), 120.0, None),
        *(tuning.Row("", (8, number), 200.0 + number, None) for number in range(12)),
    )  # fmt: skip
    made = tuning.Tuning(
        Settings(128, 16, ("bulk", "prefetch"), ("I.t=lpm_trie",)), "memory", 95.4, 90.0, 120.0, 300.0, rows, 5.0, 2e9,
        "made for the program\nwith a line", (("I.t", "lpm_trie"), ("I.u", "exact_packed")),
    )  # fmt: skip
    plain = replace(made, settings=Settings(64, 64, (), ()), chosen=None, kernels=(), rows=rows[:2])
    texts = [f"{tune_file.toml(one, 'p.p4', 'this machine')}\n{told(tune_file.data(one))}" for one in (made, plain)]
    golden(FIGURES / "tune.txt", "\n".join(texts))
