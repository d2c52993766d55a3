"""What the pictures of `macsad bench`, `macsad profile` and `make bench` show: lines and bars at the figures' places, and
their names."""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import click
import pytest
from bench_scripts import sample
from machine import MACHINE

from macsad.bench import machine_plot, packet_io, plots
from macsad.bench.contestants import BenchError
from macsad.bench.samples import Figure
from macsad.bench.session import Result
from macsad.bench.state import Reads
from macsad.bench.wires import Crossed
from macsad.explain import charts
from macsad.explain.curves import Chart, Curve
from transpiler.model.machine import machine_profile

pytest.importorskip("matplotlib")

from matplotlib.colors import to_rgba


@pytest.fixture
def drawn(monkeypatch: pytest.MonkeyPatch) -> Any:
    """The pictures that are not saved, by the names of their files."""
    found: dict[str, Any] = {}
    monkeypatch.setattr(plots, "save", lambda plt, path: found.__setitem__(path.name, plt.gcf()))
    monkeypatch.setattr(machine_plot, "save", plots.save)
    yield found
    plots.figures().close("all")


def lines(axes: Any) -> dict[str, list[tuple[float, float]]]:
    """The points of each line, by its label."""
    return {line.get_label(): list(zip(line.get_xdata(), line.get_ydata(), strict=True)) for line in axes.lines}


def legend(axes: Any) -> list[str]:
    return [text.get_text() for text in axes.get_legend().get_texts()] if axes.get_legend() else []


def texts(axes: Any) -> list[str]:
    return [text.get_text() for text in axes.texts]


def bars(axes: Any) -> list[tuple[float, float, float]]:
    """The ends of each, and its middle across."""
    found = [(*sorted((p.get_x(), p.get_x() + p.get_width())), p.get_y() + p.get_height() / 2) for p in axes.patches]
    return [(round(low, 6), round(high, 6), round(at, 6)) for low, high, at in found]


def result(name: str = "l2", without: dict[str, float] | None = None, read: float = 0, workers: int = 2) -> Result:
    """A packet takes 100 ns at B=1, 50 at B=8, b=1, 40 at B=8, b=8, and so many times as much without optimisations."""
    points = ((1, 1), (8, 1), (8, 8))
    ns = {(1, 1): 100, (8, 1): 50, (8, 8): 40}
    samples: dict[Any, Any] = {("program", *point): [sample(ns[point])] for point in points}
    samples |= {("empty", 1, 1): [sample(20)], ("empty", 8, 8): [sample(10)], ("read", 1, 0): [sample(read or 1)]}
    samples |= {(f"without {one}", 8, 8): [sample(40 * times)] for one, times in (without or {}).items()}
    reads = Reads((0,), ((1, 1.0),)) if read else Reads((), ())
    return Result(
        name, (), (), 1, "64", 1.0, "uniform", points, 1, 0.1, workers, 0.0, reads, samples, tuple(without or {})
    )


def test_a_line_for_each_b_and_the_limits(drawn: Any) -> None:
    plots.points(result(read=25), Path("p.svg"))
    (axes,) = drawn["p.svg"].axes
    found = lines(axes)
    assert found["b = 1"] == [(1, 20), (8, 40)] and found["b = 8"] == [(8, 50)] and len(found) == 4
    assert legend(axes) == ["b = 1", "b = 8"]
    places = {text.get_text(): (*text.xy, text.get_ha()) for text in axes.texts}
    assert places == {"limit of memory": (1, 80, "left"), "empty program": (8, 200, "right")}
    assert sorted(line.get_ydata()[0] for line in axes.lines if line.get_linestyle() == "--") == [80, 200]
    low, high = axes.get_ylim()
    assert low == 0 and high > 200 * 1.08 and axes.get_xscale() == "log" and axes.get_title() == "l2"
    plots.points(result(), Path("q.svg"))
    assert texts(drawn["q.svg"].axes[0]) == ["empty program"], "what reads nothing has no limit of memory"


def test_a_bar_for_what_each_optimisation_gains(drawn: Any) -> None:
    """Around one, of each program beside the others; all of them together come last, then what has no name of its own."""
    results = [
        result("a", {"all": 4, "prefetch": 2}),
        result("b", {"update_checksums_incrementally": 0.5, "prefetch": 1.5, "simd": 1}),
    ]
    plots.gains(results, Path("g.svg"))
    (axes,) = drawn["g.svg"].axes
    names = [text.get_text() for text in axes.get_yticklabels()]
    assert names[-2:] == ["checksum updates", "all of them"] and set(names[:-2]) == {"prefetch", "simd"}
    order = [name for name in plots.NAMES if name in ("prefetch", "simd")]
    assert names[:2] == order
    at = {name: number for number, name in enumerate(names)}
    assert set(bars(axes)) == {
        (1, 4, at["all of them"] - 0.2), (1, 2, at["prefetch"] - 0.2), (1, 1.5, at["prefetch"] + 0.2),
        (1, 1, at["simd"] + 0.2), (0.5, 1, at["checksum updates"] + 0.2),
    }  # fmt: skip
    assert sorted(texts(axes)) == ["0.50", "1.00", "1.50", "2.00", "4.00"] and legend(axes) == ["a", "b"]
    low, high = axes.get_ylim()
    assert low > high and low > 3.2 + 0.1 and high < -0.4, "the first is at the top, and all bars are seen"
    assert axes.get_xscale() == "log" and drawn["g.svg"].get_size_inches()[1] == pytest.approx(0.6 + 0.09 * 4 * 3)


def test_parts_of_a_packet_stand_on_each_other(drawn: Any) -> None:
    parts = {"one": {"in": 4.25, "out": 2, "free": 1}, "two": {"in": 8, "out": 1.5, "free": 0.5}}
    plots.buffers(parts, {"loop": 1.5, "empty": 0.75}, Path("b.svg"))
    left, right = drawn["b.svg"].axes
    assert [(p.get_y(), p.get_height()) for p in left.patches] == [
        (0, 4.25), (0, 8), (4.25, 2), (8, 1.5), (6.25, 1), (9.5, 0.5),
    ]  # fmt: skip
    assert texts(left) == ["4.2", "8.0", "2.0", "1.5", "1.0", "0.5"]
    assert legend(left) == ["free", "out", "in"], "the uppermost first"
    assert [(p.get_x(), p.get_width()) for p in right.patches] == [(1, 0.5), (1, -0.25)]
    assert texts(right) == ["1.50", "0.75"] and right.yaxis_inverted() and right.lines[0].get_xdata()[0] == 1
    assert [text.get_text() for text in right.get_yticklabels()] == ["loop", "empty"]


@pytest.mark.parametrize("logarithmic", [True, False])
def test_lines_over_anything(drawn: Any, logarithmic: bool) -> None:
    plots.lines({"x": [(1, 10), (2, 30)], "y": [(1, 20), (2, 25)]}, "title", "cores", logarithmic, Path("l.svg"))
    (axes,) = drawn["l.svg"].axes
    assert lines(axes) == {"x": [(1, 10), (2, 30)], "y": [(1, 20), (2, 25)]} and legend(axes) == ["x", "y"]
    assert (axes.get_xscale() == "log") == logarithmic and axes.get_ylim()[0] == 0 and axes.get_ylim()[1] > 30 * 1.08
    assert (axes.get_title(), axes.get_xlabel(), axes.get_ylabel()) == ("title", "cores", "million packets a second")


def test_ports_are_drawn_by_where_frames_come_from(drawn: Any) -> None:
    """testpmd dotted, in the colour of its port; the loop and what has no figures are left out."""
    figure = Figure(100, 90, 110, 200, 3)
    kinds = {str(kind): kind for kind in packet_io.KINDS}
    mem, dpdk, veth = (kinds[name] for name in ("linux mem", "dpdk null", "linux af_packet"))
    crossed = (Crossed(2.0, 100, 8_000_000),)
    rows = [
        packet_io.Row(mem, 64, "switch", figure), packet_io.Row(mem, 128, "switch", figure),
        packet_io.Row(mem, 64, "loop", figure), packet_io.Row(dpdk, 64, "switch", figure),
        packet_io.Row(dpdk, 64, "testpmd", figure), packet_io.Row(veth, 64, "switch", figure, crossed=crossed),
        packet_io.Row(kinds["linux tap"], 64, "switch", None, "no tap"),
    ]  # fmt: skip
    plots.packet_io(rows, Path("io.svg"))
    memory, wires = drawn["io.svg"].axes
    assert lines(memory) == {
        "linux mem": [(64, 10), (128, 10)], "dpdk null": [(64, 10)], "dpdk null, testpmd": [(64, 10)]
    }  # fmt: skip
    assert lines(wires) == {"linux af_packet": [(64, 4)]}
    first, second, pmd = memory.lines
    assert first.get_color() != second.get_color() == pmd.get_color() != wires.lines[0].get_color()
    assert (second.get_linestyle(), pmd.get_linestyle()) == ("-", ":")
    assert all(axes.get_ylim()[0] == 0 for axes in (memory, wires)) and memory.get_ylim()[1] > 10 * 1.05
    assert legend(memory) and legend(wires)
    plots.packet_io(rows[:1], Path("one.svg"))
    assert not legend(drawn["one.svg"].axes[1])


def test_a_machine_is_drawn_in_four_pictures(drawn: Any) -> None:
    machine_plot.draw(machine_profile(MACHINE), Path("m.svg"))
    io, reads, handover, copy = drawn["m.svg"].axes
    assert lines(io)["1024 bytes"] == [(1, 128), (32, 66), (256, 64.25)] and legend(io) == ["64 bytes", "1024 bytes"]
    assert set(legend(reads)) == {
        f"{what}, {pages} pages" for what in ("a miss", "1 in flight", "8 in flight") for pages in ("huge", "small")
    }
    styles = {line.get_label(): line.get_linestyle() for line in reads.lines}
    assert (styles["a miss, huge pages"], styles["8 in flight, small pages"]) == ("-", "--")
    assert lines(reads)["8 in flight, huge pages"] == [(1 << 14, 1.25), (1 << 20, 6.25), (1 << 26, 11.25)]
    assert next(iter(lines(handover).values())) == [(1, 100), (32, 400)] and not legend(handover)
    assert next(iter(lines(copy).values())) == [(64, 4), (1024, 20)] and not legend(copy)
    assert {axes.get_xscale() for axes in (io, reads, handover, copy)} == {"log"}
    alone = machine_profile({**MACHINE, "handover": []})
    machine_plot.draw(alone, Path("one.svg"))
    assert not drawn["one.svg"].axes[2].lines, "a machine with one CPU hands nothing over"
    assert (io.get_yscale(), reads.get_yscale()) == ("linear", "log") and io.get_title() == "receive and transmit"


def test_the_same_figures_give_the_same_file(tmp_path: Path) -> None:
    for name in ("a.svg", "b.svg"):
        plots.lines({"x": [(1, 10), (2, 30)]}, "title", "cores", False, tmp_path / name)
    first = (tmp_path / "a.svg").read_text()
    assert first == (tmp_path / "b.svg").read_text() and "million packets a second" in first
    assert not plots.figures().get_fignums()


def named(axes: Any) -> tuple[str, str, str]:
    return axes.get_title(), axes.get_xlabel(), axes.get_ylabel()


def test_what_stands_at_axes(drawn: Any) -> None:
    """Powers of two at those that are over bursts; legends have no frames."""
    plots.points(result(read=25), Path("p.svg"))
    plots.gains([result("a", {"prefetch": 2})], Path("g.svg"))
    plots.buffers({"one": {"in": 4.25}}, {"loop": 1.5}, Path("b.svg"))
    plots.lines({"x": [(1, 10), (2, 30)]}, "title", "cores", True, Path("l.svg"))
    figure = Figure(100, 90, 110, 200, 3)
    plots.packet_io([packet_io.Row(packet_io.KINDS[0], 64, "switch", figure)], Path("io.svg"))
    machine_plot.draw(machine_profile(MACHINE), Path("m.svg"))
    assert {name: [named(axes) for axes in picture.axes] for name, picture in drawn.items()} == {
        "p.svg": [("l2", "B, packets of a burst", "million packets a second")],
        "g.svg": [("", "times as fast with it as without it", "")],
        "b.svg": [("", "", "cycles a packet"), ("", "times as fast with self-described buffers", "")],
        "l.svg": [("title", "cores", "million packets a second")],
        "io.svg": [("from memory or files", "bytes of a frame", "million frames a second"),
                   ("between interfaces", "bytes of a frame", "million frames a second")],
        "m.svg": [("receive and transmit", "B, packets of a burst", "cycles a packet"),
                  ("random reads", "bytes that are read of", "cycles a read"),
                  ("handing over to another core", "packets of a burst", "cycles a burst"),
                  ("copying in the cache", "bytes of a frame", "cycles a frame")],
    }  # fmt: skip
    logarithmic = [axes for name in ("p.svg", "g.svg", "l.svg", "m.svg") for axes in drawn[name].axes]
    assert {axes.xaxis.get_transform().base for axes in logarithmic} == {2}
    legends = [axes.get_legend() for picture in drawn.values() for axes in picture.axes if axes.get_legend()]
    assert len(legends) == 7 and not any(one.get_frame_on() for one in legends)
    (gains,) = drawn["g.svg"].axes
    assert [line.get_xdata()[0] for line in gains.lines] == [1] and gains.xaxis.get_major_formatter()(4.0) == "4"


def test_bursts_are_drawn_from_the_smallest_on(drawn: Any) -> None:
    made = result()
    plots.points(replace(made, points=((8, 8), (8, 1), (1, 1))), Path("p.svg"))
    assert lines(drawn["p.svg"].axes[0])["b = 1"] == [(1, 20), (8, 40)]


def test_pictures_are_drawn_to_files_where_there_is_matplotlib(monkeypatch: pytest.MonkeyPatch) -> None:
    plt = plots.figures()
    assert plt.get_backend().lower() == "agg"
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(BenchError) as told:
        plots.figures()
    assert str(told.value) == "plots need matplotlib: pip install 'macsad[bench]'"
    with pytest.raises(click.ClickException, match="plots need matplotlib"):
        plots.drawable(Path("x.svg"))
    monkeypatch.undo()
    for form in (".svg", ".png", ".pdf"):
        plots.drawable(Path(f"x{form}"))
    with pytest.raises(click.BadParameter, match=r"'x.gif' is neither .svg nor .png nor .pdf"):
        plots.drawable(Path("x.gif"))


def test_a_chart_of_a_page(monkeypatch: pytest.MonkeyPatch) -> None:
    """In the page's colours on its own ground; from 0 on; what it is over as powers of two, or whole numbers."""
    plt = plots.figures()
    made: list[Any] = []
    monkeypatch.setattr(plt, "close", made.append)
    one, two = Curve("a", ((1, 2.25), (1024, 4.5))), Curve("b", ((4, 1.0),), True)
    for curves, logarithmic in (((one, two), True), ((one,), False), ((), True)):
        assert "<svg" in charts.picture(Chart("key", "Title", "over", curves, "", logarithmic))
        (axes,) = made[-1].axes
        assert (axes.get_xlabel(), axes.get_ylabel()) == ("over", "million packets a second")
        assert axes.xaxis.label.get_color() == axes.yaxis.label.get_color() == charts.INK
        assert {spine.get_edgecolor() for spine in axes.spines.values()} == {to_rgba(charts.FAINT)}
        assert not made[-1].patch.get_visible() and not axes.patch.get_visible()
        assert axes.get_ylim()[0] == 0 and (not curves or axes.get_ylim()[1] > 4.5 * 1.08)
        assert (axes.get_xscale() == "log") is logarithmic
        if logarithmic:
            assert axes.xaxis.get_transform().base == 2 and axes.xaxis.get_major_formatter()(2048) == "2 K"
        else:
            assert all(float(at).is_integer() for at in axes.xaxis.get_major_locator().tick_values(1, 3))
        assert legend(axes) == [f"{curve.name}, {'measured' if curve.measured else 'predicted'}" for curve in curves]
        assert axes.get_legend() is None or not axes.get_legend().get_frame_on()
        assert axes.yaxis.get_tick_params()["labelcolor"] == charts.INK
        assert len(axes.lines) == len(curves)
        assert [line.get_color() for line in axes.lines] == list(charts.SERIES[: len(curves)])
    alike = {
        name + kind: Curve(name, ((1, 2.0),), bool(kind)) for name in ("a", "b", "c") for kind in ("", " measured")
    }
    one, two, three = charts.SERIES
    for order, colours in (
        (("a measured", "b", "a", "b measured"), (one, two, one, two)),
        (("a", "a measured", "b", "b measured", "c"), (one, one, two, two, three)),
    ):
        charts.picture(Chart("key", "Title", "over", tuple(map(alike.__getitem__, order)), ""))
        assert [line.get_color() for line in made[-1].axes[0].lines] == [*colours], "a colour for each name"
    monkeypatch.undo()
    for figure in made:
        plt.close(figure)
