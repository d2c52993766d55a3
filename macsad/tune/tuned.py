"""P.tune.toml: the settings that `macsad tune` has chosen for a program. `build` and `run` take them where it lies beside it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import click

from macsad.compilation import Request
from macsad.options import READABLE, Decorated
from macsad.subject import decided
from transpiler.optimisations import NAMES
from transpiler.targets.description import MAX_BURST

VERSION = 1
KEYS = ("burst", "sub_batch", "without", "kernels")


class BadTuning(click.ClickException):
    """A file is none of these; the message says why."""


@dataclass(frozen=True, slots=True)
class Settings:
    """B and b of a switch whose command line has others, the optimisations that are left out, and kernels of tables that the
    compiler would not have chosen: TABLE=KERNEL."""

    burst: int
    sub_batch: int
    without: tuple[str, ...] = ()
    kernels: tuple[str, ...] = ()

    def __str__(self) -> str:
        left_out = (f"no {name}" for name in self.without)
        return ", ".join((f"B={self.burst}", f"b={self.sub_batch}", *left_out, *self.kernels))

    def of(self, request: Request) -> Request:
        """The program with these settings."""
        run = replace(request.target.run, burst=self.burst, sub_batch=self.sub_batch)
        wanted = request.wanted.without(self.without)
        asked = [kernel.partition("=")[0] for kernel in request.kernels]
        kernels = tuple(one for one in self.kernels if not _names_one(one.partition("=")[0], asked))
        return replace(
            request, target=replace(request.target, run=run), wanted=wanted, kernels=(*kernels, *request.kernels)
        )

    def __post_init__(self) -> None:
        if not 1 <= self.sub_batch <= self.burst <= MAX_BURST:
            raise ValueError(f"b is from 1 to B, and B at most {MAX_BURST}: not B={self.burst}, b={self.sub_batch}")
        if wrong := [one for one in self.kernels if not all(one.partition("="))]:
            raise ValueError(f"'{wrong[0]}' is not TABLE=KERNEL")
        if unknown := [name for name in self.without if name not in NAMES]:
            raise ValueError(f"there is no optimisation '{unknown[0]}'")


def _names_one(table: str, asked: list[str]) -> bool:
    """Whether the command line says what kernel the table has, by its name or the end of it."""
    return any(table == name or table.endswith(f".{name}") for name in asked)


def beside(program: Path) -> Path:
    """Where the settings of a program lie."""
    return program.with_suffix(".tune.toml")


def tuning_options(command: Decorated) -> Decorated:
    """Which settings to take: --tune, --no-tune."""
    for add in (
        click.option("--no-tune", is_flag=True, help="Leave P.tune.toml, which lies beside the program."),
        click.option("--tune", "tune_file", type=READABLE, metavar="FILE",
                     help="Take the settings of a file that `macsad tune` has written.  [default: P.tune.toml]"),
    ):  # fmt: skip
        command = add(command)
    return command


def taken(request: Request, arguments: Mapping[str, Any]) -> Request:
    """The program with the settings that `tuning_options` ask for, which is said in a line. Raises: BadTuning,
    click.UsageError."""
    file, leave = arguments.get("tune_file"), arguments.get("no_tune")
    if file is not None and leave:
        raise click.UsageError("--tune and --no-tune exclude each other")
    if file is None:
        file = beside(request.path)
        if leave or not file.is_file():
            return request
    settings = read(file)
    request.read.add(str(file))
    hint = "" if arguments.get("tune_file") else " (--no-tune leaves it)"
    click.echo(f"{file}: {settings}{hint}", err=True)
    return settings.of(request)


def read(path: Path) -> Settings:
    """The settings in a file. Raises: BadTuning."""
    try:
        data = decided.read(path, "tune", VERSION, KEYS)
        return Settings(_number(data, "burst"), _number(data, "sub_batch"), _names(data, "without", "optimisations"),
                        _names(data, "kernels", "TABLE=KERNEL"))  # fmt: skip
    except (OSError, ValueError) as error:
        raise BadTuning(f"{path}: {error}") from None


def _number(data: Mapping[str, Any], key: str) -> int:
    if type(value := data.get(key)) is not int:
        raise ValueError(f"'{key}' is to be a number")
    return value


def _names(data: Mapping[str, Any], key: str, what: str) -> tuple[str, ...]:
    value = data.get(key, [])
    if not isinstance(value, list) or not all(isinstance(name, str) for name in value):
        raise ValueError(f"'{key}' is to be a list of {what}")
    return tuple(value)
