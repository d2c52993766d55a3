"""Options of the verbs that generate C: target, kernels, and optimisations to leave out.

`--help` shows the common ones, `--help-all` all of them.
"""

from __future__ import annotations

from typing import Any

import click

from macsad.options import READABLE, Decorated, target_options
from transpiler.optimisations import DOES, NAMES, SYNONYMS
from transpiler.passes.pipeline import PASSES

OPTIMISATION_OPTIONS = (*(f"--no-{name}" for name in NAMES), "--no-pass", "--no-optimise")
_ALL = "macsad.generating.all"  # in a context: tell of all options


class Seldom(click.Option):
    """An option that only --help-all shows."""

    def get_help_record(self, ctx: click.Context) -> tuple[str, str] | None:
        return super().get_help_record(ctx) if ctx.meta.get(_ALL) else None


class Switch(Seldom):
    """--no-NAME of an optimisation. It takes the synonyms of the name too, which no help shows."""

    def add_to_parser(self, parser: Any, ctx: click.Context) -> None:
        shown = self.opts
        self.opts = [*shown, *(f"--no-{other}" for other, name in SYNONYMS.items() if f"--no-{name}" in shown)]
        super().add_to_parser(parser, ctx)
        self.opts = shown


class GeneratingCommand(click.Command):
    """A command with `generating_options`."""

    def __init__(self, *arguments: Any, **named: Any) -> None:
        super().__init__(*arguments, **named)
        seldom = sum(isinstance(option, Seldom) for option in self.params)
        self.params.append(
            click.Option(["--help-all"], is_flag=True, is_eager=True, expose_value=False, callback=_help_all,
                         help=f"Show this message and {seldom} more options: what can be left out of the switch.")
        )  # fmt: skip


def _help_all(context: click.Context, option: click.Parameter, given: bool) -> None:
    if given and not context.resilient_parsing:
        context.meta[_ALL] = True
        click.echo(context.get_help(), color=context.color)
        context.exit()


def generating_options(command: Decorated) -> Decorated:
    """How the switch is made: `deciding_options`, --no-cache."""
    fresh = click.option(
        "--no-cache", "fresh", is_flag=True, help="Compile also what has been compiled before and is kept."
    )
    return deciding_options(fresh(command))


def deciding_options(command: Decorated) -> Decorated:
    """What its C is to be: --target, --const-tables, --profile, --kernel, --cut, --queues, and what is not to be optimised: see
    `wanted_optimisations`."""
    command = _optimisation_options(command)
    for add in (
        target_options,
        click.option("--queues", is_flag=True,
                     help="Packets may wait in queues of ports between ingress and egress (set_queue_rate); a program that looks "
                          "at them has them in any case."),
        click.option("--const-tables", type=READABLE, metavar="FILE",
                     help="Tables that these commands (table_add, table_set_default) fill have these entries for ever: they are "
                          "compiled in."),
        click.option("--profile", "packet_profile", type=READABLE, metavar="FILE",
                     help="What packets do mostly, as `macsad trace --profile` writes it: what drops them comes first, the usual "
                          "actions too."),
        click.option("--kernel", "kernels", multiple=True, metavar="TABLE=NAME",
                     help="The kernel of a table, if not the compiler's choice. Once for each table."),
        click.option("--cut", metavar="TABLE|STAGE[,...]",
                     help="Cut the program in front of the stages that look up these tables: one worker runs what is before, "
                          "other ones what is behind (docs/placement.md)."),
    ):  # fmt: skip
        command = add(command)
    return command


def _optimisation_options(command: Decorated) -> Decorated:
    """What not to optimise: --no-NAME for each of `Optimisations`, --no-pass, --no-optimise."""
    passes = click.Choice([name for name, _ in PASSES])
    command = click.option("--no-optimise", is_flag=True, cls=Seldom, help="Leave out all of these.")(command)
    command = click.option("--no-pass", "no_pass", multiple=True, type=passes, metavar="NAME", cls=Seldom,
                           help=f"Leave out a pass: {', '.join(passes.choices)}.")(command)  # fmt: skip
    for name in reversed(NAMES):
        command = click.option(f"--no-{name}", is_flag=True, cls=Switch, help=f"Leave out {DOES[name]}.")(command)
    return command
