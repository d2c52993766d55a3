"""macsad graph"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import click

from macsad import compilation
from macsad.compilation import Request
from macsad.options import program_options
from macsad.outputs import apart, written
from transpiler.graph import control, dot, json_form, parser, tables
from transpiler.graph.drawing import Drawing
from transpiler.graph.graphviz import GraphvizError, render
from transpiler.hlir.program import Program
from transpiler.recursion import deep_recursion

DRAW: dict[str, Callable[[Program], Drawing]] = {"parser": parser.draw, "control": control.draw, "tables": tables.draw}
FORMS = (".dot", ".json", ".svg", ".png")


@click.command("graph")
@program_options
@click.option("--kind", type=click.Choice(list(DRAW)), default="control", show_default=True,
              help="parser: its states; control: flow charts; tables: what depends on what.")  # fmt: skip
@click.option("-o", "output", type=click.Path(dir_okay=False, path_type=Path),
              help="F.dot, F.json, F.svg or F.png; DOT to standard output if left out.")  # fmt: skip
def command(kind: str, output: Path | None, **program: object) -> None:
    """Draw PROGRAM: its parser, its controls, or the dependencies of its tables."""
    form = ".dot" if output is None else output.suffix
    if form not in FORMS:
        raise click.BadParameter(f"{output} ends in none of {', '.join(FORMS)}", param_hint="-o")
    request = Request.of(program)
    hlir = compilation.load(request)
    with deep_recursion():
        drawing = DRAW[kind](hlir)
    if output is None:
        click.echo(dot.write(drawing), nl=False)
        return
    apart([output], request.inputs)
    try:
        content = _content(drawing, form)
    except GraphvizError as error:
        raise click.ClickException(str(error)) from None
    with written(output) as beside:
        beside.write_bytes(content)


def _content(drawing: Drawing, form: str) -> bytes:
    if form == ".json":
        return json_form.write(drawing).encode()
    text = dot.write(drawing)
    return text.encode(errors="replace") if form == ".dot" else render(text, form.removeprefix("."))
