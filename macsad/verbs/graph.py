"""macsad graph"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import click

from macsad import compilation
from macsad.compilation import Request
from macsad.drawings import content, form_of
from macsad.generating import GeneratingCommand, deciding_options
from macsad.options import program_options
from macsad.outputs import apart, written
from transpiler.graph import control, dot, parser, plan, tables
from transpiler.graph.drawing import Drawing
from transpiler.hlir.program import Program
from transpiler.optimisations import ALL
from transpiler.recursion import deep_recursion

DRAW: dict[str, Callable[[Program], Drawing]] = {"parser": parser.draw, "control": control.draw, "tables": tables.draw}
PLAN = "plan"


@click.command("graph", cls=GeneratingCommand)
@program_options
@click.option("--kind", type=click.Choice([*DRAW, PLAN]), default="control", show_default=True,
              help="parser: its states; control: flow charts; tables: what depends on what; plan: what a worker does with "
              "a burst.")  # fmt: skip
@click.option("-o", "output", type=click.Path(dir_okay=False, path_type=Path),
              help="F.dot, F.json, F.svg or F.png; to standard output DOT, of a plan its text, if left out.")  # fmt: skip
@deciding_options
def command(kind: str, output: Path | None, **program: object) -> None:
    """Draw PROGRAM: its parser, its controls, the dependencies of its tables, or the plan of a burst.

    The plan depends on how the switch is made: it alone takes --target, --kernel, and the switches of optimisations (--help-all),
    as `macsad build` does.
    """
    form = ".dot" if output is None else form_of(output, "-o")
    request = Request.of(program)
    made = request.wanted != ALL or request.kernels or program["target_name"] or program["target_dir"]
    if kind != PLAN and made:
        raise click.UsageError(f"how a switch is made does not matter to --kind {kind}: that is for --kind {PLAN}")
    hlir = compilation.load(request)
    if kind == PLAN:
        planned = compilation.decide(request, hlir).planned
        if output is None:
            click.echo(plan.text(planned), nl=False)
            return
    with deep_recursion():
        drawing = plan.draw(planned) if kind == PLAN else DRAW[kind](hlir)
    if output is None:
        click.echo(dot.write(drawing), nl=False)
        return
    apart([output], request.inputs)
    picture = content(drawing, form)
    with written(output) as beside:
        beside.write_bytes(picture)
