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
KEYS = ("burst", "sub_batch", "without")


class BadTuning(click.ClickException):
    """A file is none of these; the message says why."""


@dataclass(frozen=True, slots=True)
class Settings:
    """B and b of a switch whose command line has others, and the optimisations that are left out."""

    burst: int
    sub_batch: int
    without: tuple[str, ...] = ()

    def __str__(self) -> str:
        return ", ".join((f"B={self.burst}", f"b={self.sub_batch}", *(f"no {name}" for name in self.without)))

    def of(self, request: Request) -> Request:
        """The program with these settings."""
        run = replace(request.target.run, burst=self.burst, sub_batch=self.sub_batch)
        wanted = request.wanted.without(self.without)
        return replace(request, target=replace(request.target, run=run), wanted=wanted)

    def __post_init__(self) -> None:
        if not 1 <= self.sub_batch <= self.burst <= MAX_BURST:
            raise ValueError(f"b is from 1 to B, and B at most {MAX_BURST}: not B={self.burst}, b={self.sub_batch}")
        if unknown := [name for name in self.without if name not in NAMES]:
            raise ValueError(f"there is no optimisation '{unknown[0]}'")


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
    hint = "" if arguments.get("tune_file") else " (--no-tune leaves it)"
    click.echo(f"{file}: {settings}{hint}", err=True)
    return settings.of(request)


def read(path: Path) -> Settings:
    """The settings in a file. Raises: BadTuning."""
    try:
        data = decided.read(path, "tune", VERSION, KEYS)
        return Settings(_number(data, "burst"), _number(data, "sub_batch"), _names(data.get("without", [])))
    except (OSError, ValueError) as error:
        raise BadTuning(f"{path}: {error}") from None


def _number(data: Mapping[str, Any], key: str) -> int:
    if type(value := data.get(key)) is not int:
        raise ValueError(f"'{key}' is to be a number")
    return value


def _names(value: object) -> tuple[str, ...]:
    if not isinstance(value, list) or not all(isinstance(name, str) for name in value):
        raise ValueError("'without' is to be a list of optimisations")
    return tuple(value)
