"""What `--profile` gains: `python bench/by_profile.py [--drop TABLE:ACTION=SHARE]... [--entries N] [P.p4|APP]`.

Entries and frames are made, as by `macsad gen`; --drop gives a share of a table's entries another action, which drops. The
program runs, `macsad trace --profile` looks at its packets, and it is built anew with what that says, and so without each
optimisation that uses it. All switches run the same frames, in turns. Prints cycles a packet, and how many times as fast each is
as without a profile. B=64, b=64.
"""

from __future__ import annotations

import tempfile
from dataclasses import replace
from pathlib import Path

import click

from macsad import compilation
from macsad.bench.contestants import Closing
from macsad.bench.rounds import Turn, measure
from macsad.bench.samples import figure, ratio
from macsad.compilation import Request
from macsad.protocol import Filter
from macsad.resources import share
from macsad.subject import subject
from macsad.subject.subject import Subject, Traffic
from macsad.trace import profiled
from transpiler.analysis.packet_profile import packet_profile
from transpiler.optimisations import ALL

POINT = (64, 64)
PLAIN, BOTH = "no profile", "profile"
SWITCHES = ("early-drops", "hot-actions")


def started(request: Request, traffic: Traffic, folder: Path, closing: Closing) -> Subject:
    """A switch of the program, with its tables full."""
    folder.mkdir()
    hlir = compilation.load(request)
    return Subject(request, hlir, compilation.decide(request, hlir).planned, traffic, folder, closing)


def dropping(entries: Path, table: str, action: str, part: float) -> None:
    """Give that part of a table's entries the action, which has no parameters; the table has priorities."""
    lines, number = [], 0
    for line in entries.read_text().splitlines():
        words = line.split()
        if words[:2] == ["table_add", table]:
            number += 1
            if number * part % 1 < part:
                at = words.index("=>")
                line = " ".join([*words[:2], action, *words[3:at], "=>", words[-1]])
        lines.append(line)
    entries.write_text("\n".join(lines) + "\n")


@click.command(help=__doc__)
@click.argument("program", default=str(Path(__file__).parent / "drops.p4"))
@click.option("--drop", multiple=True, metavar="TABLE:ACTION=SHARE")
@click.option("--entries", default=1000, show_default=True, help="Entries a table.")
@click.option("--packets", default=profiled.PACKETS, show_default=True, help="That the profile is of.")
@click.option("--rounds", default=15, show_default=True)
def main(program: str, drop: tuple[str, ...], entries: int, packets: int, rounds: int) -> None:
    """Measure one program."""
    path = Path(program) if program.endswith(".p4") else share("apps") / program / f"{program}.p4"
    request = Request(path)
    with tempfile.TemporaryDirectory(prefix="macsad-profile-") as scratch, Closing() as closing:
        folder = Path(scratch)
        hlir = compilation.load(request)
        traffic = subject.generated(request, hlir, entries, (), folder)
        for one in drop:
            where, _, part = one.rpartition("=")
            table, _, action = where.partition(":")
            assert traffic.entries is not None
            dropping(traffic.entries, table, action, float(part))
        switches = {PLAIN: started(request, traffic, folder / "plain", closing)}
        switches[PLAIN].switch.resume()
        seen = profiled.profile(request, hlir, folder / "plain" / "program" / "socket", Filter(None, 1, 0, packets, ()))
        request = replace(request, profile=packet_profile(seen))
        switches[BOTH] = started(request, traffic, folder / "both", closing)
        for name in SWITCHES:
            without = replace(request, wanted=ALL.without([name]))
            switches[f"--no-{name}"] = started(without, traffic, folder / name, closing)
        turns = [Turn((name, *POINT), one.switch, "", *POINT) for name, one in switches.items()]
        samples = measure(turns, rounds, 0.03, lambda *_: None)
    before = samples[PLAIN, *POINT]
    click.echo(f"{path.stem}, {entries} entries a table{''.join(f', {one}' for one in drop)}")
    for name in switches:
        found = samples[name, *POINT]
        click.echo(
            f"  {name:<18} {figure(found).cycles:>7.1f} cycles a packet, {ratio(before, found):.2f} times as fast"
        )


if __name__ == "__main__":
    main()
