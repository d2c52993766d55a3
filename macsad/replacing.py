"""Compiles what a controller pushes to a switch that runs another program, in a process of its own."""

from __future__ import annotations

import dataclasses
import itertools
from collections.abc import Callable
from functools import partial
from pathlib import Path

import click

from macsad import compilation
from macsad.compilation import Request
from macsad.own_process import in_own_process
from macsad.served import Widths, header_widths
from transpiler.diagnostics import Rejected
from transpiler.hlir.program import Program
from transpiler.toolchain.toolchain import Form, Toolchain, ToolchainError

Programs = dict[str, Callable[[], Program]]  # by the names of their files; read when they are asked for


class NotCompiled(Exception):
    """Why a program that was pushed is none."""


@dataclasses.dataclass(frozen=True, slots=True)
class Pushed:
    """A program that was pushed: the library for `load_program`, bits of the fields of its controller headers, and the program
    as BMv2's JSON, if that was asked for and has a form for it."""

    library: Path
    widths: Widths
    json: str | None


class ReadAhead:
    """A program that is read before it runs, so that its first packet is told with the entries that it met. Gives it away: the
    second call reads it again."""

    def __init__(self, load: Callable[[], Program]) -> None:
        self._load = load
        self._program: Program | None = load()

    def __call__(self) -> Program:
        program = self._program
        self.forget()
        return program or self._load()

    def forget(self) -> None:
        self._program = None


class Compiler:
    """Compiles P4 source or BMv2's JSON with the options of the first program, each push in a folder of its own. `compiled` is
    where the programs go, by the names of their files, None where nobody tells packets; the last of them is there already."""

    def __init__(self, request: Request, tools: Toolchain, folder: Path, compiled: Programs | None) -> None:
        self._request, self._folder, self._compiled = request, folder, compiled
        self._last: ReadAhead | None = None
        self._tools = dataclasses.replace(tools, form=Form.LIBRARY)
        self._numbers = itertools.count(1)

    def compile(self, text: bytes, json: bool = False) -> Pushed:
        """Raises: NotCompiled."""
        name = f"pushed_{next(self._numbers)}"
        where = (self._folder / name).absolute()
        try:
            where.mkdir(parents=True, exist_ok=True)
            path = where / (f"{name}.json" if text.lstrip()[:1] == b"{" else f"{name}.p4")
            path.write_bytes(text)
        except OSError as error:
            raise NotCompiled(str(error)) from None
        pushed = dataclasses.replace(self._request, path=path, std=None, kernels=(), read=set())
        try:
            made = in_own_process(_compiled, pushed, where / "built", self._tools, json)
        except (click.exceptions.Exit, click.ClickException):
            raise NotCompiled("the compiler has failed, and standard error says how") from None
        if isinstance(made, str):
            raise NotCompiled(made[:2000])
        if self._compiled is not None:
            if self._last is not None:
                self._last.forget()  # nobody has asked for it
            self._last = self._compiled[path.name] = ReadAhead(partial(compilation.load_again, pushed))
        return made


def _compiled(request: Request, folder: Path, tools: Toolchain, json: bool) -> Pushed | str:
    """Or why it is not."""
    try:
        program = compilation.load(request)
        library, _ = compilation.build(request, program, folder, tools)
    except (Rejected, ToolchainError, click.ClickException, OSError) as error:
        return error.format_message() if isinstance(error, click.ClickException) else str(error)
    text = compilation.bmv2_json(request, program) if json else None
    return Pushed(library.absolute(), header_widths(program), text)


def builder(request: Request, tools: Toolchain, folder: Path, compiled: Programs | None) -> Callable[[bytes], object]:
    """Makes a Replacement, as P4Runtime has it, of a device config. Raises: Refused."""
    from macsad.p4runtime.codes import Code, Refused
    from macsad.p4runtime.replacement import Replacement
    from macsad.p4runtime.sameness import device_data

    compiler = Compiler(request, tools, folder, compiled)

    def build(config: bytes) -> Replacement:
        try:
            pushed = compiler.compile(device_data(config))
        except NotCompiled as why:
            raise Refused(Code.INVALID_ARGUMENT, f"the device config is not compiled: {why}") from None
        return Replacement(pushed.library, pushed.widths)

    return build


def swapper(
    request: Request, tools: Toolchain, folder: Path, compiled: Programs | None
) -> Callable[[str], tuple[Path, str | None]]:
    """Makes, of a program's text, what Thrift's services load: its library, and the program as BMv2's JSON, None where that
    has no form for it. Raises: Refused."""
    from macsad.thrift.refusals import Refused

    compiler = Compiler(request, tools, folder, compiled)

    def build(text: str) -> tuple[Path, str | None]:
        try:
            pushed = compiler.compile(text.encode(errors="surrogateescape"), json=True)
        except NotCompiled as why:
            raise Refused(f"it is not compiled: {why}") from None
        return pushed.library, pushed.json

    return build
