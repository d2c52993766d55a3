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
from transpiler.toolchain.toolchain import Form, Toolchain, ToolchainError


def builder(request: Request, tools: Toolchain, folder: Path) -> Callable[[bytes], object]:
    """Makes a Replacement of P4 source or of BMv2's JSON, with the options of the first program. Raises: Refused."""
    from macsad.p4runtime.codes import Code, Refused
    from macsad.p4runtime.replacement import Replacement, device_data
    from macsad.p4runtime.serving import header_widths

    numbers = itertools.count(1)
    library_tools = dataclasses.replace(tools, form=Form.LIBRARY)

    def build(config: bytes) -> Replacement:
        data = device_data(config)
        where = (folder / f"pushed-{next(numbers)}").absolute()
        where.mkdir(parents=True, exist_ok=True)
        path = where / ("program.json" if data.lstrip()[:1] == b"{" else "program.p4")
        path.write_bytes(data)
        pushed = dataclasses.replace(request, path=path, std=None, kernels=(), read=set())
        try:
            program = compilation.load(pushed)
            library, _ = compilation.build(pushed, program, where / "built", library_tools)
        except (Rejected, ToolchainError, click.ClickException, OSError) as error:
            reason = error.format_message() if isinstance(error, click.ClickException) else str(error)
            raise Refused(Code.INVALID_ARGUMENT, f"the device config is not compiled: {reason[:2000]}") from None
        return Replacement(library.absolute(), header_widths(program))

    return build
