"""Options and arguments that several verbs share."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, TypeVar

import click

from transpiler.diagnostics import WARNINGS
from transpiler.optimisations import ALL, NAMES, NONE, Optimisations
from transpiler.targets.description import PLATFORMS
from transpiler.toolchain.architectures import ARCHITECTURES, host_arch

Decorated = TypeVar("Decorated", bound=Callable[..., Any])
READABLE = click.Path(exists=True, dir_okay=False, readable=True, path_type=Path)


def _known_warnings(context: click.Context, option: click.Parameter, given: tuple[str, ...]) -> tuple[str, ...]:
    for name in given:
        if not name.startswith("no-") or name[3:] not in ("all", *WARNINGS):
            raise click.BadParameter(f"'{name}' is not known: no-all, or no- before one of {', '.join(WARNINGS)}")
    return given


class Language(click.ParamType[str]):
    """The name of an installed frontend."""

    name = "language"

    def convert(self, value: str, param: click.Parameter | None, ctx: click.Context | None) -> str:
        from macsad.frontends import installed  # here, as help does not wait for it

        if value not in (known := installed()):
            self.fail(f"no frontend for '{value}': there are {', '.join(sorted(known))}", param, ctx)
        return value


def program_options(command: Decorated) -> Decorated:
    """PROGRAM and how to read it."""
    return reading_options(click.argument("program", type=READABLE)(command))


def reading_options(command: Decorated) -> Decorated:
    """How to read a program: --std, -I, -D, -W."""
    for add in (
        click.option(
            "-W",
            "warnings",
            multiple=True,
            metavar="no-NAME",
            callback=_known_warnings,
            help=f"Turn warnings off: no-all, or no- before one of {', '.join(WARNINGS)}.",
        ),
        click.option("-D", "defines", multiple=True, metavar="NAME[=VALUE]", help="Define a preprocessor macro."),
        click.option(
            "-I", "include_dirs", multiple=True, type=click.Path(path_type=Path), help="Search includes here too."
        ),
        click.option(
            "--std",
            type=Language(),
            metavar="LANGUAGE",
            help="p4-14, p4-16, or that of another frontend that is installed; recognised by its content if left out.",
        ),
    ):
        command = add(command)
    return command


def target_options(command: Decorated) -> Decorated:
    """What the program is for: --target, --target-dir."""
    command = click.option("--target-dir", type=click.Path(exists=True, file_okay=False, path_type=Path), metavar="DIR",
                           help="A target's folder (with target.toml), or a folder of such folders.")(command)  # fmt: skip
    return click.option("--target", "target_name", metavar="NAME",
                        help="A target that is installed or in --target-dir; software if left out.")(command)  # fmt: skip


def natural(text: str, most: int) -> int | None:
    """The number from 1 to `most` that a part of an option is; None, if it is none."""
    plain = text.isascii() and text.isdecimal() and len(text) <= len(str(most))
    return number if plain and 1 <= (number := int(text)) <= most else None


def named_table(names: Sequence[str], name: str, option: str, which: str = "") -> str:
    """The whole name of a table that is named so or ends so, as the commands have it. `which` says more of such tables.

    Raises: click.BadParameter.
    """
    found = [n for n in names if n == name] or [n for n in names if n.endswith(f".{name}")]
    if len(found) == 1:
        return found[0]
    missing = f"there is no table '{name}' {which}".rstrip() + f"; there are: {', '.join(names) or 'none'}"
    text = f"'{name}' may be {' or '.join(found)}" if found else missing
    raise click.BadParameter(text, param_hint=option)


def _once(context: click.Context, option: click.Parameter, given: tuple[str, ...]) -> str | None:
    """Of two, none would be the obvious one. Raises: click.BadParameter."""
    if len(given) > 1:
        raise click.BadParameter(f"it is given more than once: {', '.join(given)}")
    return given[0] if given else None


def machine_options(command: Decorated) -> Decorated:
    """What to build for: --platform, --arch, --cpu, --cc; each once."""

    def option(*names: str, **attributes: Any) -> Callable[[Decorated], Decorated]:
        return click.option(*names, multiple=True, callback=_once, **attributes)

    for add in (
        option("--cc", "compiler", metavar="COMMAND", help="The C compiler; gcc for that architecture if left out."),
        option("--cpu", metavar="NAME",
                     help="The processor to compile for, as the C compiler has it; the target's or this machine's if left out. "
                          "(The CPUs that a switch runs on are its own option --cpus.)"),
        option("--arch", type=click.Choice([*dict.fromkeys((*ARCHITECTURES, host_arch()))]), metavar="NAME",
                     help="x86_64, aarch64, armv7, riscv64 or s390x; the target's or this machine's if left out."),
        option("--platform", type=click.Choice(PLATFORMS),
                     help="linux: needs nothing (the one if neither this nor the target says another); "
                          "dpdk: an installed DPDK; odp: an installed OpenDataPlane; both by pkg-config."),
    ):  # fmt: skip
        command = add(command)
    return command


def wanted_optimisations(arguments: Mapping[str, Any]) -> Optimisations:
    """What --no-NAME, --no-pass and --no-optimise ask for."""
    if arguments.get("no_optimise"):
        return NONE
    left_out = [name for name in NAMES if arguments.get(f"no_{name.replace('-', '_')}")]
    return ALL.without([*left_out, *arguments.get("no_pass", ())])
