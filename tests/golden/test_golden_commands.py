"""What the commands take: options with their types, bounds and defaults, what --help says of them, and which commands have
them, as text beside (`--update-golden` writes it anew). Nothing of how the libraries lay it out."""

from __future__ import annotations

import argparse
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

import click

from macsad.cli import VERBS, cli
from macsad.shims import p4c, runtime_cli, simple_switch
from macsad.shims.options import Parser

FOLDER = Path(__file__).parent
SHIMS: dict[str, Callable[[str], Parser]] = {
    "p4c": p4c.parser,
    "p4c-bm2-ss": p4c.parser,
    "simple_switch": simple_switch.parser,
    "simple_switch_grpc": simple_switch.parser,
    "simple_switch_CLI": runtime_cli.parser,
}


def kind(wanted: click.ParamType[object]) -> str:
    """A type with its bounds or its choices."""
    match wanted:
        case click.IntRange() | click.FloatRange():
            low = "(" if wanted.min_open else "["
            high = ")" if wanted.max_open else "]"
            return f"{wanted.name} {low}{wanted.min}, {wanted.max}{high}{' clamped' if wanted.clamp else ''}"
        case click.Choice():
            return f"one of {', '.join(wanted.choices)}"
        case click.Path():
            kinds = [name for name, is_so in (("file", wanted.file_okay), ("folder", wanted.dir_okay)) if is_so]
            return f"{'existing ' if wanted.exists else ''}{' or '.join(kinds)}"
    return wanted.name


def told(parameter: click.Parameter) -> str:
    """One line of what it is, one of its help."""
    facts = [kind(parameter.type)]
    if parameter.nargs != 1:
        facts.append(f"{parameter.nargs} values")
    if parameter.multiple:
        facts.append("repeated")
    if parameter.required:
        facts.append("required")
    if isinstance(parameter, click.Option):
        flag = parameter.is_flag or parameter.count
        facts[:1] = ["flag"] if flag else facts[:1]
        if not flag and not callable(parameter.default) and isinstance(parameter.default, int | float | str):
            facts.append(f"{parameter.default!r} if left out" + (", shown" if parameter.show_default else ""))
        if parameter.hidden:
            facts.append("hidden")
    name = "/".join([*parameter.opts, *parameter.secondary_opts])
    help_text = parameter.help if isinstance(parameter, click.Option) else ""
    line = f"{name} {parameter.metavar or ''}".rstrip() + f": {', '.join(facts)}"
    return f"{line}\n    {' '.join(help_text.split())}" if help_text else line


def listed(commands: Iterable[tuple[str, Iterable[str]]]) -> Iterator[str]:
    """Each option once, with those that have it."""
    having: dict[str, list[str]] = defaultdict(list)
    for name, options in commands:
        for option in options:
            having[option].append(name)
    for option, names in having.items():
        yield f"{option}\n    [{' '.join(names)}]"


def test_verbs(golden: Callable[[Path, str], None]) -> None:
    found = {verb: cli.get_command(click.Context(cli), verb) for verb in VERBS}
    commands = {verb: command for verb, command in found.items() if command is not None}
    assert len(commands) == len(VERBS)
    helps = [f"{verb}: {' '.join((command.help or '').split())}" for verb, command in commands.items()]
    options = ((verb, map(told, command.params)) for verb, command in commands.items())
    golden(FOLDER / "verbs.txt", "\n".join([*helps, "", *listed(options)]) + "\n")


def taken(action: argparse.Action) -> str:
    facts = [type(action).__name__.strip("_").removesuffix("Action").lower()]
    for name in ("nargs", "const", "default", "choices", "required", "metavar", "help"):
        value = getattr(action, name)
        if value not in (None, False, argparse.SUPPRESS):
            facts.append(f"{name} {value!r}")
    if action.type is not None:
        facts.append(f"as {getattr(action.type, '__name__', action.type)}")
    return f"{'/'.join(action.option_strings) or action.dest} -> {action.dest}: {', '.join(facts)}"


def test_commands_of_bmv2(golden: Callable[[Path, str], None]) -> None:
    made = {name: make(name) for name, make in SHIMS.items()}
    helps = [f"{name}: {parser.usage}; {parser.description}" for name, parser in made.items()]
    options = ((name, map(taken, parser._actions)) for name, parser in made.items())
    golden(FOLDER / "shims.txt", "\n".join([*helps, "", *listed(options)]) + "\n")
