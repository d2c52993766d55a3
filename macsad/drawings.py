"""Drawings as files: .dot, .json, and what Graphviz makes of them."""

from __future__ import annotations

from pathlib import Path

import click

from transpiler.graph import dot, json_form
from transpiler.graph.drawing import Drawing
from transpiler.graph.graphviz import GraphvizError, render

FORMS = (".dot", ".json", ".svg", ".png")


def form_of(path: Path, option: str) -> str:
    """By its name. Raises: click.BadParameter."""
    if path.suffix not in FORMS:
        raise click.BadParameter(f"{path} ends in none of {', '.join(FORMS)}", param_hint=option)
    return path.suffix


def content(drawing: Drawing, form: str) -> bytes:
    """A drawing in one of FORMS. Raises: click.ClickException."""
    if form == ".json":
        return json_form.write(drawing).encode()
    text = dot.write(drawing)
    try:
        return text.encode(errors="replace") if form == ".dot" else render(text, form.removeprefix("."))
    except GraphvizError as error:
        raise click.ClickException(str(error)) from None
