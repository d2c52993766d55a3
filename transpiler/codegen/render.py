"""View-models → C, through Jinja2. A target's templates go before ours of the same name."""

from __future__ import annotations

from pathlib import Path

import jinja2

from transpiler.codegen.views import ProgramView


def environment(folders: tuple[Path, ...]) -> jinja2.Environment:
    """Templates are looked up in the folders in order; an undefined name is an error."""
    return jinja2.Environment(
        loader=jinja2.FileSystemLoader([str(folder) for folder in folders]),
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        autoescape=False,
    )


def render(view: ProgramView, folders: tuple[Path, ...]) -> str:
    """The C file of a program."""
    text = environment(folders).get_template("program.c.j2").render(p=view)
    return tidy(text)


def tidy(text: str) -> str:
    """No blanks at line ends, no two empty lines in a row, none before a closing brace."""
    lines: list[str] = []
    for line in (line.rstrip() for line in text.splitlines()):
        if not line and (not lines or not lines[-1] or lines[-1].endswith(("{", ":", "*/"))):
            continue
        if line.strip().startswith("}") and lines and not lines[-1]:
            lines.pop()
        lines.append(line)
    return "\n".join(lines).rstrip() + "\n"
