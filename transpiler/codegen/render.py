"""View-models → C, through Jinja2. A target's templates go before ours of the same name, which it may extend."""

from __future__ import annotations

import difflib
import traceback
from pathlib import Path

import jinja2
import jinja2.bccache
import jinja2.nodes

from transpiler.codegen.c.nodes import Body, Declare, Expression
from transpiler.codegen.c.printer import Printer, declaration, expression
from transpiler.codegen.outside import comment, string
from transpiler.codegen.views import PartView, ProgramView
from transpiler.targets.target import BadTemplate

Layers = tuple[tuple[str, Path], ...]  # folders of templates, each with its target's name; the first goes before


class _Compiled(jinja2.BytecodeCache):
    """Templates that this process has compiled: to do that takes as long as to make all else of a program's C."""

    def __init__(self) -> None:
        self.code: dict[str, bytes] = {}

    def load_bytecode(self, bucket: jinja2.bccache.Bucket) -> None:
        if code := self.code.get(bucket.key):
            bucket.bytecode_from_string(code)  # unless the template's text is another now

    def dump_bytecode(self, bucket: jinja2.bccache.Bucket) -> None:
        self.code[bucket.key] = bucket.bytecode_to_string()


_COMPILED = _Compiled()


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
        bytecode_cache=_COMPILED,
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
    """The C file of a program. `target`: the folders that go before ours. Raises: BadTemplate, where their templates fail."""
    try:
        made = environment((*target, ("software", ours)))
        check(made, target, ours)
        made.globals.update(p=view)
        text = made.get_template("program.c.j2").render(p=view)
    except BadTemplate:
        raise
    except Exception as error:  # templates can do what Python can
        if (place := _place(error, target)) is None:
            raise
        raise BadTemplate(place, f"{type(error).__name__}: {error}") from error
    return tidy(text)


def check(made: jinja2.Environment, target: Layers, ours: Path) -> None:
    """A file that nothing includes and a block that the template it extends lacks would do nothing. Raises: BadTemplate."""
    layers = (*target, ("software", ours))
    for number, (_, folder) in enumerate(target):
        for file in sorted(file for file in folder.rglob("*") if file.is_file() and file.suffix != ".j2"):
            if not file.name.startswith("."):
                raise BadTemplate(f"{file}:1", "is no template: the name of one ends in .j2")
        below = {name for _, at in layers[number + 1 :] for name in _names(at)}
        trees = {name: made.parse((folder / name).read_text(), name, str(folder / name)) for name in _names(folder)}
        named = {text.value for tree in trees.values() for text in tree.find_all(jinja2.nodes.Const)}
        for name, tree in trees.items():
            if name not in below and name not in named:
                near = difflib.get_close_matches(name, sorted(below), 1)
                hint = f"; did you mean {near[0]}?" if near else f"; there are {', '.join(sorted(below))}"
                raise BadTemplate(f"{folder / name}:1", f"no template '{name}' is there to be overridden{hint}")
            _check_blocks(made, tree, folder / name)


def _check_blocks(made: jinja2.Environment, tree: jinja2.nodes.Template, file: Path) -> None:
    parent = tree.find(jinja2.nodes.Extends)
    if parent is None or not isinstance(parent.template, jinja2.nodes.Const):
        return
    try:
        known = _blocks(made, parent.template.value)
    except jinja2.TemplateNotFound as error:
        raise BadTemplate(f"{file}:{parent.lineno}", f"TemplateNotFound: {error}") from error
    # a block within a block that is overridden is the template's own
    own = {inner.name for block in tree.find_all(jinja2.nodes.Block) for inner in block.find_all(jinja2.nodes.Block)}
    for block in tree.find_all(jinja2.nodes.Block):
        if block.name not in known and block.name not in own:
            there = ", ".join(sorted(known)) or "none"
            what = f"'{parent.template.value}' has no block '{block.name}': there are {there}"
            raise BadTemplate(f"{file}:{block.lineno}", what)


def _blocks(made: jinja2.Environment, name: str) -> set[str]:
    """The blocks of a template and of those that it extends."""
    assert made.loader is not None
    text, file, _ = made.loader.get_source(made, name)
    tree = made.parse(text, name, file)
    blocks = {block.name for block in tree.find_all(jinja2.nodes.Block)}
    parent = tree.find(jinja2.nodes.Extends)
    if parent is None or not isinstance(parent.template, jinja2.nodes.Const):
        return blocks
    return blocks | _blocks(made, parent.template.value)


def _names(folder: Path) -> list[str]:
    return sorted(file.relative_to(folder).as_posix() for file in folder.rglob("*.j2"))


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
