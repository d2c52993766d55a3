"""Options of the verbs that measure a program before they decide: its traffic, and the profile of the machine."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import click

from macsad.compilation import Request
from macsad.options import READABLE, Decorated, natural
from transpiler.model.machine import BadProfile, MachineProfile

if TYPE_CHECKING:  # help waits for nothing that measures
    from macsad.subject.subject import Traffic
    from transpiler.hlir.program import Program

ENTRIES, MOST_ENTRIES = 100_000, 1 << 31  # that are made of each table


class FileOrNumber(click.ParamType[Path | int]):
    """A file of commands, or how many entries to make for each table."""

    name = "FILE|N"

    def convert(self, value: object, param: click.Parameter | None, ctx: click.Context | None) -> Path | int:
        if (number := natural(str(value), MOST_ENTRIES)) is not None:
            return number
        return Path(str(READABLE.convert(str(value), param, ctx)))


def traffic_options(command: Decorated) -> Decorated:
    """--entries, --table, --traffic, --machine."""
    for add in (
        click.option("--machine", "machine_file", type=READABLE, metavar="FILE",
                     help="The profile of another machine, which `macsad profile` has made: nothing is measured there."),
        click.option("--traffic", "packets", type=READABLE, metavar="FILE",
                     help="Frames as they come, a capture; made for the program if left out."),
        click.option("--table", "tables", multiple=True, metavar="NAME=N",
                     help="Entries of one table, where they are made. Once for each table."),
        click.option("--entries", type=FileOrNumber(), default=ENTRIES, show_default=True, metavar="FILE|N",
                     help="Commands that fill the tables; or how many entries to make for each."),
    ):  # fmt: skip
        command = add(command)
    return command


@dataclass(frozen=True, slots=True)
class Given:
    """What `traffic_options` say."""

    entries: Path | int
    packets: Path | None
    tables: tuple[str, ...]
    machine_file: Path | None

    @property
    def inputs(self) -> list[Path]:
        """The files that are read."""
        return [one for one in (self.entries, self.packets, self.machine_file) if isinstance(one, Path)]

    def check(self) -> None:
        """Raises: click.UsageError."""
        if isinstance(self.entries, Path) and self.packets is None:
            raise click.UsageError("entries of a file go with --traffic: frames that hit them")
        if self.tables and (self.packets is not None or isinstance(self.entries, Path)):
            raise click.UsageError("--table is for entries that are made, so neither for --traffic nor a file")

    def traffic(self, request: Request, program: Program, folder: Path) -> Traffic:
        """Raises: Rejected, click.ClickException."""
        from macsad.subject import subject

        if self.packets is not None:
            return subject.given(self.entries if isinstance(self.entries, Path) else None, self.packets)
        assert isinstance(self.entries, int)
        return subject.generated(request, program, self.entries, self.tables, folder)

    def elsewhere(self) -> MachineProfile | None:
        """The machine that is decided for, if it is not this one. Raises: click.ClickException."""
        from macsad import profiling

        try:
            return None if self.machine_file is None else profiling.read(self.machine_file)
        except BadProfile as error:
            raise click.ClickException(str(error)) from None


def this_machine() -> MachineProfile:
    """Its profile; it is measured where there is none yet. Raises: click.ClickException, ToolchainError."""
    from macsad import profiling
    from macsad.bench.contestants import BenchError

    place = profiling.kept()
    try:
        if not place.exists():
            profiling.keep(place)
        return profiling.read(place)
    except (BenchError, BadProfile) as error:
        raise click.ClickException(str(error)) from None
