"""Compiles what a controller pushes to a switch that runs another program."""

from __future__ import annotations

import dataclasses
import itertools
from collections.abc import Callable
from pathlib import Path

import click

from macsad import compilation
from macsad.compilation import Request
from transpiler.diagnostics import Rejected
from transpiler.hlir.program import Program
from transpiler.toolchain.toolchain import Form, Toolchain, ToolchainError


class NotCompiled(Exception):
    """Why a program that was pushed is none."""


@dataclasses.dataclass(frozen=True, slots=True)
class Pushed:
    """A program that was pushed: how it was compiled, and the library for `load_program`."""

    request: Request
    program: Program
    library: Path


class Compiler:
    """Compiles P4 source or BMv2's JSON with the options of the first program, each push in a folder of its own. `compiled` is
    where the programs go, by the names of their files."""

    def __init__(self, request: Request, tools: Toolchain, folder: Path, compiled: dict[str, Program]) -> None:
        self._request, self._folder, self._compiled = request, folder, compiled
        self._tools = dataclasses.replace(tools, form=Form.LIBRARY)
        self._numbers = itertools.count(1)

    def compile(self, text: bytes) -> Pushed:
        """Raises: NotCompiled."""
        name = f"pushed_{next(self._numbers)}"
        where = (self._folder / name).absolute()
        try:
            where.mkdir(parents=True, exist_ok=True)
            path = where / (f"{name}.json" if text.lstrip()[:1] == b"{" else f"{name}.p4")
            path.write_bytes(text)
            pushed = dataclasses.replace(self._request, path=path, std=None, kernels=(), read=set())
            program = compilation.load(pushed)
            library, _ = compilation.build(pushed, program, where / "built", self._tools)
        except (Rejected, ToolchainError, click.ClickException, OSError) as error:
            reason = error.format_message() if isinstance(error, click.ClickException) else str(error)
            raise NotCompiled(reason[:2000]) from None
        self._compiled[path.name] = program
        return Pushed(pushed, program, library.absolute())


def builder(
    request: Request, tools: Toolchain, folder: Path, compiled: dict[str, Program]
) -> Callable[[bytes], object]:
    """Makes a Replacement, as P4Runtime has it, of a device config. Raises: Refused."""
    from macsad.p4runtime.codes import Code, Refused
    from macsad.p4runtime.replacement import Replacement
    from macsad.p4runtime.sameness import device_data
    from macsad.p4runtime.serving import header_widths

    compiler = Compiler(request, tools, folder, compiled)

    def build(config: bytes) -> Replacement:
        try:
            pushed = compiler.compile(device_data(config))
        except NotCompiled as why:
            raise Refused(Code.INVALID_ARGUMENT, f"the device config is not compiled: {why}") from None
        return Replacement(pushed.library, header_widths(pushed.program))

    return build


def swapper(
    request: Request, tools: Toolchain, folder: Path, compiled: dict[str, Program]
) -> Callable[[str], tuple[Path, str | None]]:
    """Makes, of a program's text, what Thrift's services load: its library, and the program as BMv2's JSON, None where that
    has no form for it. Raises: Refused."""
    from macsad.thrift.refusals import Refused

    compiler = Compiler(request, tools, folder, compiled)

    def build(text: str) -> tuple[Path, str | None]:
        try:
            pushed = compiler.compile(text.encode(errors="surrogateescape"))
        except NotCompiled as why:
            raise Refused(f"it is not compiled: {why}") from None
        return pushed.library, compilation.bmv2_json(pushed.request, pushed.program)

    return build
