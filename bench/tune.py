"""What `macsad tune` chooses beside the best of the whole grid: `python bench/tune.py [APP...]`.

For each app and table size: the settings that the tuner finds, and how long it measures; then every (B, b) of the grid is
measured, of the program and of those without an optimisation that the tuner tries. The pair that is the fastest there and the
chosen one are measured again, in alternation, as the fastest of many medians is faster than it is. Figures go to
build/bench/tune.json as well. --quick measures little, to see that it works. Exit status 0 where no choice is more than 3 %
slower, else 1.
"""

from __future__ import annotations

import json
import tempfile
from dataclasses import asdict, dataclass
from pathlib import Path

import click

from macsad import compilation
from macsad.bench.contestants import Closing
from macsad.bench.rounds import Turn, measure
from macsad.bench.samples import figure, ratio
from macsad.compilation import Request
from macsad.resources import share
from macsad.subject import subject
from macsad.subject.subject import Subject, Traffic
from macsad.subject.subject_options import this_machine
from macsad.tune import tuning
from transpiler.model.choice import GRID
from transpiler.model.machine import MachineProfile

FIGURES = Path(__file__).parents[1] / "build" / "bench" / "tune.json"
CASES = {"l2fwd": (256, 1_000_000), "ipv4fwd": (256, 200_000), "ndn": (1000, 500_000), "router": (1000, 50_000)}
WITHIN = 0.03
SECONDS = 0.02


@dataclass(frozen=True)
class Row:
    """`slower`: of the chosen settings than the best of the grid, as a share; `usual_slower`: of B=64, b=64."""

    app: str
    entries: int
    chosen: tuning.Key
    best: tuning.Key
    slower: float
    usual_slower: float
    tuned_s: float
    cycles: float


def compare(app: str, entries: int, machine: MachineProfile, rounds: int) -> Row:
    """The chosen settings of an app beside the best of all."""
    request = Request(share("apps") / app / f"{app}.p4")
    with tempfile.TemporaryDirectory(prefix="macsad-tune-") as scratch:
        traffic = subject.generated(request, compilation.load(request), entries, (), Path(scratch))
        tuned, again = Path(scratch) / "tuned", Path(scratch) / "grid"
        tuned.mkdir()
        again.mkdir()
        found = tuning.tune(request, traffic, machine, tuned, None)
        settings = found.settings
        chosen = (settings.without[0] if settings.without else "", settings.burst, settings.sub_batch)
        best, slower, usual, cycles = _grid(request, traffic, again, chosen, rounds)
    return Row(app, entries, chosen, best, slower, usual, found.seconds, cycles)


def _grid(
    request: Request, traffic: Traffic, folder: Path, chosen: tuning.Key, rounds: int
) -> tuple[tuning.Key, float, float, float]:
    """The best of the grid; how much slower the chosen and the usual settings are, and the cycles of the chosen ones."""
    hlir = compilation.load(request)
    with Closing() as closing:
        made = Subject(request, hlir, compilation.decide(request, hlir).planned, traffic, folder, closing)
        switches = {"": made.switch, **made.variants(tuning.VARIANTS, tuning.made_without(request, hlir), closing)}

        def turns(keys: list[tuning.Key]) -> list[Turn[tuning.Key]]:
            return [Turn(key, switches[key[0]], "", *key[1:]) for key in keys]

        grid = [(name, *point) for name in switches for point in GRID]
        samples = measure(turns(grid), rounds, SECONDS, lambda *_: None)
        best = min(grid, key=lambda key: figure(samples[key]).ns)
        usual = ("", *tuning.USUAL)
        last = measure(turns(list(dict.fromkeys([best, chosen, usual]))), 5 * rounds, SECONDS, lambda *_: None)
        slower = [ratio(last[key], last[best]) - 1 for key in (chosen, usual)]
        return best, slower[0], slower[1], figure(last[chosen]).cycles


def _told(key: tuning.Key) -> str:
    return f"{key[1]}, {key[2]}" + (f" no {key[0]}" if key[0] else "")


@click.command(help=__doc__)
@click.argument("apps", nargs=-1, type=click.Choice(tuple(CASES)))
@click.option("--quick", is_flag=True, help="One round of each, to see that it works.")
def main(apps: tuple[str, ...], quick: bool) -> None:
    """Print a row for each app and size."""
    machine, rows = this_machine(), []
    click.echo(f"{'app':<8} {'entries':>9}  {'chosen: B, b':<32} {'best of all: B, b':<32} slower  B=b=64  tuned in")
    for app in apps or CASES:
        for entries in CASES[app]:
            row = compare(app, entries, machine, 1 if quick else 5)
            rows.append(row)
            click.echo(
                f"{row.app:<8} {row.entries:>9,}  {_told(row.chosen):<32} {_told(row.best):<32} {row.slower:>+5.1%}  "
                f"{row.usual_slower:>+5.1%}  {row.tuned_s:.1f} s"
            )
    FIGURES.parent.mkdir(parents=True, exist_ok=True)
    FIGURES.write_text(json.dumps([asdict(row) for row in rows], indent=1) + "\n")
    if any(row.slower > WITHIN for row in rows):
        raise SystemExit(1)


if __name__ == "__main__":
    main()
