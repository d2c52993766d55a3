"""A switch that changes B and b by itself, beside every fixed pair: `python bench/adapt.py [APP...]`.

A switch that adapts begins with B=16, b=16 and receives frames for ever, while its tables and frames change over the control
socket: 256 entries a table; many, and frames for all of them; frames that miss; those that hit again. Behind each change: how
long it searches, and which pair it chooses. Then every pair of the grid is measured in the same process; the best and the chosen
one are measured again in alternation. With many entries, what adapting costs where nothing changes: with it and without
in turn. Last, a load that falls to 1 % and rises again. Figures go to build/bench/adapt.json as well. --quick measures
little, to see that it works.

`--cost APP...`: only what --adapt costs or gains, for any app with 1,000 entries a table: what searches cost in the first 22
seconds, as the switch counts it, and what a packet takes at the pair that is chosen beside B=64, b=64, in turn.
"""

from __future__ import annotations

import json
import tempfile
import time
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import click

from macsad import compilation, generation
from macsad.bench.contestants import Closing, Switch
from macsad.bench.latency import Control
from macsad.bench.predicted import USUAL
from macsad.bench.rounds import Turn, measure
from macsad.bench.samples import Sample, between, figure, ratio
from macsad.bench.session import build
from macsad.compilation import Request
from macsad.control import Client
from macsad.generation import Made, Order
from macsad.resources import share
from transpiler.hlir.program import Program
from transpiler.model.choice import GRID
from transpiler.model.throughput import Point

FIGURES = Path(__file__).parents[1] / "build" / "bench" / "adapt.json"
CASES = {"l2fwd": 1_000_000, "ipv4fwd": 200_000}
FEW = 256
WATCHED_S = 3.0  # behind a change
STEP_S = 0.02
SECONDS = 0.02  # of a measurement
WITHIN = 0.05
FULL_NS = 1  # between arrivals


@dataclass(frozen=True)
class Row:
    """`settled`: seconds from the change until the pair that held was no more than WITHIN slower than the best. `searched`: until
    the last search ended, of WATCHED_S. `slower`: the chosen pair than the best, as a share."""

    app: str
    what: str
    settled: float
    searched: float
    chosen: Point
    best: Point
    ns: float
    best_ns: float
    slower: float


class Live:
    """A running switch whose tables and frames are changed."""

    def __init__(self, request: Request, hlir: Program, made: Made, folder: Path, closing: Closing) -> None:
        binary = build(request, hlir, folder)
        options = ["--port", f"0=mem:{made.packets},loop", "--port", "1=null:", "--batch", "16", "--adapt"]
        self.switch = Switch(binary, options, made.entries, folder)
        closing.add([self.switch])
        self.switch.resume()
        self.client = Client.wait(folder / "socket")

    def feed(self, name: str) -> None:
        """Let other frames come."""
        self.do("port_remove 0")
        self.do(f"port_add {name} 0")

    def do(self, line: str) -> None:
        reply = self.client.command(line)
        if not reply.ok:
            raise click.ClickException(reply.text)

    def watch(self) -> tuple[float, list[tuple[float, Point]]]:
        """Seconds to the end of the last search, of those that are watched; and which pair held when, while it did not search."""
        begin, last = time.monotonic(), 0.0
        held: list[tuple[float, Point]] = []
        searches = self.client.stats()["adapt"]["searches"]
        while (now := time.monotonic() - begin) < WATCHED_S:
            stats = self.client.stats()
            adapt = stats["adapt"]
            if adapt["searching"] or adapt["searches"] != searches:
                searches, last = adapt["searches"], now
            if not adapt["searching"]:
                held.append((now, (stats["burst"], stats["sub_batch"])))
            time.sleep(STEP_S)
        return last, held

    def held(self) -> Point:
        """The pair that it has chosen."""
        while (stats := self.client.stats())["adapt"]["searching"]:
            time.sleep(STEP_S)
        return stats["burst"], stats["sub_batch"]

    def compare(self, app: str, what: str, rounds: int) -> Row:
        """After a change: wait, then measure what it has chosen and all others."""
        searched, held = self.watch()
        chosen = self.held()

        def turns(points: list[Point]) -> list[Turn[Point]]:
            return [Turn(point, self.switch, "", *point) for point in points]

        points = list(dict.fromkeys([*GRID, *(pair for _, pair in held), chosen]))
        samples = measure(turns(points), rounds, SECONDS, lambda *_: None)
        best = min(points, key=lambda point: figure(samples[point]).ns)
        last = measure(turns(list(dict.fromkeys([best, chosen]))), 4 * rounds, SECONDS, lambda *_: None)
        self.switch.resume()
        self.client.set_batch(*chosen)
        self.do("set_adapt on")
        time.sleep(1)
        self.held()
        worse = {point for point in points if ratio(samples[point], samples[best]) > 1 + WITHIN}
        late = [at for at, pair in held if pair in worse]
        settled = min((at for at, _ in held if not late or at > late[-1]), default=WATCHED_S)
        ns, best_ns = figure(last[chosen]).ns, figure(last[best]).ns
        return Row(app, what, settled, searched, chosen, best, ns, best_ns, ratio(last[chosen], last[best]) - 1)

    def stable(self, rounds: int, seconds: float) -> tuple[float, float]:
        """What adapting costs where nothing changes, as a share of the time a packet: measured, and as the switch counts it."""
        chosen = self.held()
        taken: dict[bool, list[Sample]] = {True: [], False: []}
        cost_ns = cpu_ns = 0
        for number in range(2 * rounds):
            on = number % 2 == 0
            self.client.set_batch(*chosen)
            self.do(f"set_adapt {'on' if on else 'off'}")
            before = self.client.stats()
            time.sleep(seconds)
            after = self.client.stats()
            taken[on].append(between(before, after))
            cost_ns += after["adapt"]["cost_ns"] - before["adapt"]["cost_ns"]
            cpu_ns += on * (after["cpu_ns"] - before["cpu_ns"])
        self.do("set_adapt on")
        time.sleep(1)
        return ratio(taken[True], taken[False]) - 1, cost_ns / cpu_ns

    def light(self, packets: Path, control: Control) -> str:
        """Full load from a port that counts what it loses, 1 % of it, full load again: rates, what was missed, and pairs."""
        self.feed(f"paced:{packets},{control.path}")
        told, gap = [], 0.0
        for load in (1.0, 0.01, 1.0):
            control.begin(gap / load if load < 1 else FULL_NS)
            time.sleep(1.5)
            before = self.client.stats()
            control.begin(gap / load if load < 1 else FULL_NS)
            time.sleep(1)
            sample, counted = between(before, self.client.stats()), control.read()
            gap = gap or sample.ns
            rate = 1e3 / sample.ns
            pair = self.held()
            missed = f", missed {counted.missed / (counted.missed + sample.operations):.2%}" if load < 1 else ""
            told.append(f"load {load:.0%}: {rate:.2f} Mpps at {pair[0]}, {pair[1]}{missed}")
        return "; ".join(told)


def beside_usual(app: str, entries: int, seconds: float, rounds: int) -> tuple[float, float, Point]:
    """How much longer a packet takes at the pair that the switch has chosen than at the usual one, as a share; what the switch
    counts of searches; the pair. Both are measured in one process: two of the same binary differ by some percent."""
    request = Request(share("apps") / app / f"{app}.p4")
    hlir = compilation.load(request)
    with tempfile.TemporaryDirectory(prefix="macsad-adapt-") as scratch, Closing() as closing:
        folder = Path(scratch)
        made = _made(request, hlir, folder / "made", entries, 1.0)
        options = ["--port", f"0=mem:{made.packets},loop", "--port", "1=null:", "--adapt"]
        switch = Switch(build(request, hlir, folder), options, made.entries, folder)
        closing.add([switch])
        switch.resume()
        client = Client.wait(folder / "socket")
        time.sleep(seconds)
        while (stats := client.stats())["adapt"]["searching"]:
            time.sleep(STEP_S)
        chosen: Point = (stats["burst"], stats["sub_batch"])
        counted = stats["adapt"]["cost_ns"] / stats["cpu_ns"]
        points = list(dict.fromkeys([chosen, USUAL]))
        samples = measure([Turn(point, switch, "", *point) for point in points], rounds, SECONDS, lambda *_: None)
        return ratio(samples[chosen], samples[USUAL]) - 1, counted, chosen


def _made(request: Request, hlir: Program, folder: Path, entries: int, hit: float) -> Made:
    frames = min(1_000_000, max(20_000, 2 * entries))
    return generation.make(request, hlir, Order(folder, entries, (), (), frames, hit, "uniform", "64", 2, 0, 1))


def run(app: str, entries: int, rounds: int, seconds: float) -> tuple[list[Row], tuple[float, float], str]:
    """All changes of an app; what adapting costs, and by its count; what a light load does."""
    request = Request(share("apps") / app / f"{app}.p4")
    hlir = compilation.load(request)
    with tempfile.TemporaryDirectory(prefix="macsad-adapt-") as scratch, Closing() as closing:
        folder = Path(scratch)
        few = _made(request, hlir, folder / "few", FEW, 1.0)
        all_hit = _made(request, hlir, folder / "hit", entries, 1.0)
        all_miss = _made(request, hlir, folder / "miss", entries, 0.0)
        (folder / "run").mkdir()
        live = Live(request, hlir, few, folder / "run", closing)
        rows = [_shown(live.compare(app, f"{FEW} entries", rounds))]
        live.client.bulk(all_hit.entries.read_text().splitlines(), keep_going=True)
        live.feed(f"mem:{all_hit.packets},loop")
        rows.append(_shown(live.compare(app, f"{entries:,} entries", rounds)))
        cost = live.stable(max(1, rounds - 2), seconds)
        live.feed(f"mem:{all_miss.packets},loop")
        rows.append(_shown(live.compare(app, "all miss", rounds)))
        live.feed(f"mem:{all_hit.packets},loop")
        rows.append(_shown(live.compare(app, "all hit again", rounds)))
        with Control(folder / "control") as control:
            return rows, cost, live.light(all_hit.packets, control)


def _shown(row: Row) -> Row:
    click.echo(
        f"{row.app:<8} {row.what:<18} {row.settled:>5.2f} s  {row.searched:>5.2f} s  "
        f"{row.chosen[0]:>3}, {row.chosen[1]:<3} {row.ns:>6.2f} ns  "
        f"best {row.best[0]:>3}, {row.best[1]:<3} {row.best_ns:>6.2f} ns  {row.slower:>+6.1%}"
    )
    return row


@click.command(help=__doc__)
@click.argument("apps", nargs=-1)
@click.option("--cost", is_flag=True, help="Only what --adapt costs, beside the usual pair.")
@click.option("--quick", is_flag=True, help="One round of each, and few entries, to see that it works.")
def main(apps: tuple[str, ...], cost: bool, quick: bool) -> None:
    """Print a row for each change of each app."""
    if cost:
        for app in apps or CASES:
            more, counted, pair = beside_usual(app, 1000, 1 if quick else 22, 2 if quick else 61)
            click.echo(
                f"{app:<12} a packet takes {more + counted:+.2%}: searches {counted:.2%}, {pair[0]}, {pair[1]} {more:+.2%}"
            )
        return
    told: list[dict[str, Any]] = []
    click.echo(
        f"{'app':<8} {'change':<18} {'within 5 %':>7}  {'search':>5}  {'chosen: B, b':<19} {'best: B, b':<24}  slower"
    )
    for app in apps or CASES:
        entries = 2000 if quick else CASES[app]
        rows, cost, light = run(app, entries, 1 if quick else 5, 1 if quick else 15)
        click.echo(f"{app:<8} where nothing changes, a packet takes {cost[0]:+.2%}; counted {cost[1]:.2%}")
        click.echo(f"{app:<8} {light}")
        told.append({"rows": [asdict(row) for row in rows], "cost": cost, "light": light})
    FIGURES.parent.mkdir(parents=True, exist_ok=True)
    FIGURES.write_text(json.dumps(told, indent=1) + "\n")


if __name__ == "__main__":
    main()
