"""macsad testgen"""

from __future__ import annotations

import json
from pathlib import Path

import click

from macsad import compilation
from macsad.compilation import Request
from macsad.options import program_options

SECONDS = 60.0


@click.command("testgen")
@program_options
@click.option("-o", "output", type=click.Path(path_type=Path), metavar="DIR|FILE.stf", default=Path("tests"),
              show_default=True, help="Where the tests go: a file each in a folder, or all in one file.")  # fmt: skip
@click.option("--json", "as_json", is_flag=True, help="Print as JSON what is covered, and by which test.")
@click.option("--time", "seconds", type=click.FloatRange(0, min_open=True), default=SECONDS, show_default=True,
              metavar="SECONDS", help="How long to look for tests.")  # fmt: skip
@click.option("--max-tests", type=click.IntRange(1), metavar="N",
              help="At most so many tests, those that cover most.  [default: as many as it takes]")  # fmt: skip
@click.option("--seed", type=click.IntRange(0, (1 << 31) - 1), default=1, show_default=True, metavar="N",
              help="Other numbers give other tests.")  # fmt: skip
def command(output: Path, as_json: bool, seconds: float, max_tests: int | None, seed: int, **program: object) -> None:
    """Make packet tests (STF) that together take every way through PROGRAM that there is.

    Each statement, each arm of a select, an if and a switch, each table's hit with each action and its miss. What no packet can
    reach is told as such, the rest with the reason why it was not reached. Needs z3: pip install 'macsad[testgen]'.

    \b
    macsad testgen l3fwd.p4 -o tests
    macsad test l3fwd.p4 tests/*.stf
    """
    try:
        import z3  # noqa: F401
    except ImportError as error:
        raise click.ClickException(f"testgen needs z3: pip install 'macsad[testgen]' ({error})") from None
    from macsad.testgen import report
    from macsad.testgen.making import Order, make

    request = Request.of(program)
    hlir = compilation.load(request)
    made = make(request, hlir, Order(output, seconds, seed, max_tests))
    files = made.files
    if as_json:
        click.echo(json.dumps(report.data(made.generated, files), indent=1))
    else:
        click.echo(report.text(made.generated, tuple(dict.fromkeys(files))))
