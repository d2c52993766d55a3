"""What servers beside a switch have to know of its program, without the program: it is compiled in a process of its own."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from macsad.own_process import in_own_process

if TYPE_CHECKING:
    from macsad.compilation import Request
    from transpiler.hlir.program import Program
    from transpiler.toolchain.toolchain import Toolchain

Widths = dict[str, tuple[int, ...]]


@dataclass(frozen=True, slots=True)
class Served:
    """`inputs`: files that must not be overwritten; `info`: P4Info, in binary; `widths`: of the fields of controller headers;
    `json`: the program as BMv2's JSON, if that has a form for it; `binary`: what was built. What nobody asked for is missing."""

    inputs: tuple[Path, ...] = ()
    info: bytes = b""
    widths: Widths = field(default_factory=dict)
    json: str | None = None
    binary: Path | None = None


@dataclass(frozen=True, slots=True)
class Build:
    """Where it is built and how."""

    folder: Path
    tools: Toolchain


def served(request: Request, build: Build | None = None, *, info: bool, json: bool = False) -> Served:
    """Raises: click.exceptions.Exit: what is wrong has been told; click.ClickException."""
    return in_own_process(_served, request, build, info, json)


def header_widths(program: Program) -> Widths:
    """Bits of the fields of a program's controller headers."""
    return {
        header.name: tuple(field.width for field in header.fields) for header in program.interface.controller_headers
    }


def _served(request: Request, build: Build | None, info: bool, json: bool) -> Served:
    """Raises: Rejected, BadTarget, ToolchainError."""
    from macsad import compilation
    from macsad.progress import compiling

    program = compilation.load(request)
    binary = None
    if build is not None:
        with compiling() as progress:
            binary, _ = compilation.build(request, program, build.folder, build.tools, progress)
    told = compilation.p4info(request, program).SerializeToString() if info else b""
    text = compilation.bmv2_json(request, program) if json else None
    return Served(request.inputs, told, header_widths(program), text, binary)
