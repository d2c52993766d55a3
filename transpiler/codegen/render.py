"""View-models → C, through Jinja2. A target's templates go before ours of the same name, which it may extend."""

from __future__ import annotations

import traceback
from pathlib import Path

import jinja2

from transpiler.codegen.c.nodes import Body, Declare, Expression
from transpiler.codegen.c.printer import Printer, declaration, expression
from transpiler.codegen.outside import comment, string
from transpiler.codegen.views import PartView, ProgramView
from transpiler.targets.target import BadTarget

Layers = tuple[tuple[str, Path], ...]  # folders of templates, each with its target's name; the first goes before


def environment(layers: Layers) -> jinja2.Environment:
    """A template is looked up in the folders in order; TARGET/NAME is that target's. An undefined name is an error, and so is
    text from outside that is not printed as a comment or a string."""
    every = jinja2.FileSystemLoader([str(folder) for _, folder in layers])
    each = jinja2.PrefixLoader({name: jinja2.FileSystemLoader(str(folder)) for name, folder in layers})
    made = jinja2.Environment(
        loader=jinja2.ChoiceLoader([every, each]),
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        autoescape=False,
    )
    printer = Printer(lambda block: made.get_template(block.part).render(s=PartView.of(block)))

    def c(part: Body | Expression | Declare) -> str:
        """A tree as C: a body, a declaration or an expression."""
        if isinstance(part, tuple):
            return printer.body(part)
        return declaration(part) if isinstance(part, Declare) else expression(part)

    made.filters.update(comment=comment, string=string, c=c)
    return made


def render(view: ProgramView, target: Layers, ours: Path) -> str:
    """The C file of a program. `target`: the folders that go before ours. Raises: BadTarget, where their templates fail."""
    try:
        made = environment((*target, ("software", ours)))
        made.globals.update(p=view)
        text = made.get_template("program.c.j2").render(p=view)
    except Exception as error:  # templates can do what Python can
        if (place := _place(error, target)) is None:
            raise
        raise BadTarget(place, f"{type(error).__name__}: {error}") from error
    return tidy(text)


def _place(error: Exception, target: Layers) -> str | None:
    """FILE:LINE of the target's template where the error came up, None where none of its templates took part."""
    frames = [(frame.filename, frame.lineno) for frame in traceback.extract_tb(error.__traceback__)]
    if isinstance(error, jinja2.TemplateSyntaxError):
        frames.append((error.filename or "", error.lineno))
    folders = [folder.resolve() for _, folder in target]
    mine = [(file, line) for file, line in frames if any(Path(file).resolve().is_relative_to(f) for f in folders)]
    return f"{mine[-1][0]}:{mine[-1][1]}" if mine else None


def tidy(text: str) -> str:
    """No blanks at line ends, no two empty lines in a row, none before a closing brace."""
    lines: list[str] = []
    for line in (line.rstrip() for line in text.split("\n")):
        if not line and (not lines or not lines[-1] or lines[-1].endswith(("{", ":", "*/"))):
            continue
        if line.strip().startswith("}") and lines and not lines[-1]:
            lines.pop()
        lines.append(line)
    return "\n".join(lines).rstrip() + "\n"
