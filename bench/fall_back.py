"""A pipeline that is slower than clones, and how it is taken back: `python bench/fall_back.py [CASE...]`.

Cases are those of bench/place.py. On two CPUs: the program as it is on two workers, the program cut, and the cut program with all
parts on each worker, in turn. Then how long it takes until the switch, left to itself, has taken the pipeline back.
--quick measures little, to see that it works.
"""

from __future__ import annotations

import importlib.util
import sys
import tempfile
import time
from dataclasses import replace
from pathlib import Path
from types import ModuleType

import click

from macsad import compilation
from macsad.bench.contestants import Closing, Switch
from macsad.bench.rounds import Turn, measure
from macsad.bench.samples import Sample, figure
from macsad.bench.session import build
from macsad.compilation import Request
from macsad.control import Client
from macsad.tune.tuned import Settings

CASES = ("chain 20/20, 512 KiB", "independent 20/20, 512 KiB", "independent 200/200, 512 KiB")
CUT = "between"
PATIENCE_S = 5.0
STEP_S = 0.01


class Placed(Switch):
    """A switch of a program that is cut: `measure("cut" or "cloned", ...)` places it first."""

    socket: Path

    def measure(self, what: str, number: int, other: int, seconds: float) -> Sample:
        self.resume()
        with Client.wait(self.socket) as client:
            reply = client.command(f"set_placement {what}")
        if not reply.ok:
            raise click.ClickException(reply.text)
        return super().measure("", number, other, seconds)

    def taken_back(self) -> float:
        """Seconds until it has placed itself anew; PATIENCE_S where it does not."""
        self.resume()
        with Client.wait(self.socket) as client:
            client.command("set_placement cut")
            client.command("set_placement auto")
            begin = time.monotonic()
            while (waited := time.monotonic() - begin) < PATIENCE_S:
                placement = client.stats()["placement"]
                if placement["cloned"] and not placement["trying"]:
                    break
                time.sleep(STEP_S)
        self.pause()
        return waited


def cases_of_place() -> ModuleType:
    """bench/place.py."""
    spec = importlib.util.spec_from_file_location("bench_place", Path(__file__).parent / "place.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


def compare(place: ModuleType, name: str, rounds: int, seconds: float) -> str:
    """A row."""
    case, point = place.cases()[name], place.POINT
    request = Settings(*point).of(Request(case.path, defines=case.defines, warnings=("no-all",)))
    with tempfile.TemporaryDirectory(prefix="macsad-fall-back-") as scratch, Closing() as closing:
        folder = Path(scratch)
        traffic = place.traffic_of(request, case, folder)
        ports = ["--port", f"0=mem:{traffic.packets},loop", "--port", "1=null:"]
        made: dict[str, Switch] = {}
        for kind, own_request, made_by in (("plain", request, Switch), ("cut", replace(request, cut=CUT), Placed)):
            own = folder / kind
            own.mkdir()
            binary = build(own_request, compilation.load(own_request), own)
            made[kind] = made_by(binary, ports, traffic.entries, own, place.CORES)
            closing.add([made[kind]])
        placed = made["cut"]
        assert isinstance(placed, Placed)
        placed.socket = folder / "cut" / "socket"
        turns = [Turn("plain", made["plain"], "", *point), *(Turn(w, placed, w, *point) for w in ("cut", "cloned"))]
        samples = measure(turns, rounds, seconds, lambda *_: None)
        back = placed.taken_back()
    mpps = {key: place.CORES * 1e3 / figure(of).ns for key, of in samples.items()}
    return f"{name:<30} {mpps['plain']:>7.2f} {mpps['cut']:>7.2f} {mpps['cloned']:>20.2f} {back:>17.2f} s"


@click.command(help=__doc__)
@click.argument("names", nargs=-1, metavar="[CASE]...")
@click.option("--quick", is_flag=True, help="Short rounds, to see that it works.")
def main(names: tuple[str, ...], quick: bool) -> None:
    """Print a row for each case."""
    place = cases_of_place()
    click.echo(f"{'Mpps':<30} {'cloned':>7} {'cut':>7} {'cut, then taken back':>20} {'taken back within':>19}")
    for name in names or CASES:
        click.echo(compare(place, name, 1 if quick else 15, 0.02))


if __name__ == "__main__":
    main()
