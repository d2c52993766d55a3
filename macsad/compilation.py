"""From a P4 file to HLIR, C and a binary: runs the compiler stages for the verbs, and prints messages.

A stage is imported where it is run, so that `check` does not load code generation.
"""

from __future__ import annotations

import gc
import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from macsad.options import named_table, wanted_optimisations
from macsad.outputs import apart, written
from macsad.resources import share
from macsad.targets import HERE, Machine, choose
from transpiler.analysis.packet_profile import NOTHING, BadProfile, PacketProfile, packet_profile
from transpiler.diagnostics import Diagnostics, NotRun, Rejected, Severity, SourceMap, Span
from transpiler.frontend import Source
from transpiler.hlir.program import Program
from transpiler.optimisations import ALL, NONE, Optimisations
from transpiler.recursion import deep_recursion
from transpiler.targets.find import builtin
from transpiler.targets.target import Target

if TYPE_CHECKING:
    from macsad.frontends import Plugin
    from transpiler.codegen.generate import Decided, Generated
    from transpiler.configuration import Configuration
    from transpiler.toolchain.backend import Progress
    from transpiler.toolchain.toolchain import Toolchain


@dataclass(frozen=True, slots=True)
class Request:
    """A program as the command line names it, and how its C is to be made. `kernels`: TABLE=NAME each, as `--kernel` has
    them; `cut`: where its first pipe is cut in two, or None; `kept`: a binary of the same may come from the cache; `queues`:
    packets may wait in queues of ports; `const_tables`: commands whose tables are constant; `profile`: what packets do;
    `read`: files that have been read for it."""

    path: Path
    std: str | None = None
    include_dirs: tuple[Path, ...] = ()
    defines: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()
    kernels: tuple[str, ...] = ()
    wanted: Optimisations = ALL
    cut: str | None = None
    target: Target = field(default_factory=builtin)
    kept: bool = True
    queues: bool = False
    const_tables: Path | None = None
    profile: PacketProfile = NOTHING
    read: set[str] = field(default_factory=set, compare=False, repr=False)

    @staticmethod
    def of(arguments: Mapping[str, Any]) -> Request:
        """The request that the options of `program_options` and `generating_options` make."""
        named = dict(arguments)
        return Request(
            named["program"], named["std"], named["include_dirs"], named["defines"], named["warnings"],
            named.get("kernels", ()), wanted_optimisations(named), named.get("cut"),
            choose(named.get("target_name"), named.get("target_dir")), not named.get("fresh"),
            bool(named.get("queues")), named.get("const_tables"), packets_seen(named.get("packet_profile")),
        )  # fmt: skip

    @property
    def source(self) -> Source:
        return Source(self.path, self.include_dirs, self.defines)

    @property
    def inputs(self) -> tuple[Path, ...]:
        """Files that must not be overwritten: the program, its includes, its settings, the target's files."""
        folders = (folder for _, folder in self.target.templates)
        own = (file for folder in (*folders, *self.target.c_folders) for file in folder.rglob("*") if file.is_file())
        constant = () if self.const_tables is None else (self.const_tables,)
        return (self.path, *map(Path, sorted(self.read)), *constant, *own)

    def note(self, sources: SourceMap) -> None:
        """Keep in mind what has been read."""
        self.read.update(sources.texts, sources.included_from)

    @property
    def start(self) -> Span:
        return Span(str(self.path), 1, 1)

    def diagnostics(self) -> Diagnostics:
        return Diagnostics(disabled_warnings=[name.removeprefix("no-") for name in self.warnings])


@contextmanager
def _uncollected() -> Iterator[None]:
    """Without the collector of circles: trees have hardly any, and it looks at all of them again and again."""
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()


@contextmanager
def _telling(request: Request, place: Span) -> Iterator[Diagnostics]:
    """A sink whose messages are printed in the end. What nests too deeply to be walked is an error at `place`: inlining can
    make more of a program than the frontends let one write. Raises: Rejected."""
    diagnostics = request.diagnostics()
    try:
        with deep_recursion(), _uncollected():
            yield diagnostics
    except RecursionError:
        diagnostics.error(place, "the program nests too deeply")
        raise Rejected(diagnostics) from None
    finally:
        request.note(diagnostics.sources)
        show(diagnostics)


def check(request: Request, runs: bool = False, decided: bool = False) -> tuple[str, ...]:
    """Check a program, what P4Info is to have of it, and that its target has all that it asks for; prints what there is to say.
    Returns what is `decided` for it, if that is wanted. Raises: Rejected.

    An architecture that can only be checked is an error where it is said that the program `runs`, else a warning.
    """
    from transpiler.codegen import capabilities
    from transpiler.p4info.build import build as build_p4info

    with _telling(request, request.start) as diagnostics:
        try:
            program = _frontend(request, diagnostics).load(request.source, diagnostics)
        except NotRun as reason:
            if runs:
                diagnostics.error(reason.span, reason.message)
                raise
            diagnostics.warning(reason.span, "architecture", reason.message)
            return ()
        build_p4info(program, diagnostics)
        made = configuration_of(request)
        best = optimised(program, made)
        if decided:
            from transpiler.codegen.generate import decide, notes_of

            return notes_of(best, decide(best, request.target, diagnostics, made), made)
        capabilities.check(best, made.use.of(request.target), diagnostics)
        return ()


def load(request: Request) -> Program:
    """Read a program to HLIR; prints what there is to say. Raises: Rejected."""
    with _telling(request, request.start) as diagnostics:
        try:
            program = _frontend(request, diagnostics).load(request.source, diagnostics)
        except NotRun as reason:
            diagnostics.error(reason.span, reason.message)
            raise
        if request.const_tables is not None:
            from macsad.const_tables import frozen

            program = frozen(program, request.const_tables, diagnostics)
        if unknown := sorted(request.profile.tables.keys() - program.table.keys()):
            raise click.BadParameter(f"it is of another program, with a table {unknown[0]}", param_hint="--profile")
        return program


def load_again(request: Request) -> Program:
    """A program that has been read before, and is there no more: its warnings have been printed. Raises: Rejected."""
    return load(replace(request, warnings=("no-all",)))


def generate_c(request: Request, program: Program) -> Generated:
    """Optimise a program and make its C; prints what the target lacks. Raises: Rejected, BadTarget,
    click.BadParameter."""
    from transpiler.codegen.generate import generate

    kernels, made = _kernels(request, program), configuration_of(request)
    with _telling(request, program.span) as diagnostics:
        return generate(optimised(program, made), request.target, share("templates"), diagnostics, made, kernels)


def decide(request: Request, program: Program) -> Decided:
    """Optimise a program and decide what its C is to be; prints what the target lacks. Raises: Rejected, click.BadParameter."""
    from transpiler.codegen.generate import decide

    kernels, made = _kernels(request, program), configuration_of(request)
    with _telling(request, program.span) as diagnostics:
        return decide(optimised(program, made), request.target, diagnostics, made, kernels)


def why_not_cut(request: Request, program: Program) -> str:
    """Why a program of several stages cannot be cut in two, "" if it can; prints nothing."""
    from transpiler.codegen.generate import decide

    diagnostics, made = Diagnostics(), replace(configuration_of(request), cut="1")
    try:
        decide(optimised(program, made), request.target, diagnostics, made, _kernels(request, program))
    except Rejected:
        return next(one.message for one in diagnostics.messages if one.severity is Severity.ERROR)
    return ""


def configuration_of(request: Request) -> Configuration:
    """How a program is compiled that is asked for so."""
    from transpiler.switches import configuration

    return replace(configuration(request.wanted, request.queues, request.profile), cut=request.cut)


def packets_seen(file: Path | None) -> PacketProfile:
    """The profile of packets in a file, if there is one. Raises: click.BadParameter."""
    if file is None:
        return NOTHING
    try:
        return packet_profile(json.loads(file.read_text()))
    except (BadProfile, ValueError, OSError) as error:
        raise click.BadParameter(f"{file}: {error}", param_hint="--profile") from None


def optimised(program: Program, configuration: Configuration) -> Program:
    """What C is made of."""
    from transpiler.passes import keep_controllable
    from transpiler.passes.pipeline import optimise

    return keep_controllable.run(program, optimise(program, passes=configuration.passes))


def made_in(folder: Path, request: Request) -> tuple[Path, Path]:
    """The C file and the binary that are built there."""
    return folder / f"{request.path.stem}.c", folder / request.path.stem


def build(
    request: Request, program: Program, folder: Path, toolchain: Toolchain, progress: Progress | None = None
) -> tuple[Path, Generated]:
    """Make DIR/P.c and DIR/P; the binary's path. Raises: Rejected, BadTarget, ToolchainError."""
    from macsad import kernel_contract
    from transpiler.toolchain.backend import compile_program
    from transpiler.toolchain.errors import ToolchainError
    from transpiler.toolchain.programs import compile_kept

    generated = generate_c(request, program)
    c_file, binary = made = made_in(folder, request)
    apart(made, request.inputs)
    with written(c_file, makes_folder=True) as beside:
        beside.write_text(generated.c)
    make = compile_kept if request.kept else compile_program
    folders = (*request.target.c_folders, *generated.folders)
    try:
        make(c_file, binary, share("aux-backend"), toolchain, progress, folders)
    except ToolchainError as failed:
        kernel_contract.explain(request.target, toolchain, failed)
        raise
    return binary, generated


def p4info(request: Request, program: Program) -> Any:
    """The P4Info message of a program; prints what there is to say. Raises: Rejected."""
    from transpiler.p4info.build import build as build_p4info

    diagnostics = request.diagnostics()
    try:
        return build_p4info(program, diagnostics)
    finally:
        show(diagnostics)


def p4info_bytes(request: Request, program: Program, path: Path, form: str | None = None) -> bytes:
    """What P4Runtime controllers read of a program, in a form of `write.FORMS`, else in that which the file's name asks for.
    Raises: Rejected."""
    from transpiler.p4info import write

    return write.encode(p4info(request, program), form or write.form_of(path))


def write_p4info(request: Request, program: Program, path: Path, form: str | None = None) -> None:
    """Write that to the file. Raises: Rejected, click.FileError."""
    info = p4info_bytes(request, program, path, form)
    apart([path], request.inputs)
    with written(path, makes_folder=True) as beside:
        beside.write_bytes(info)


def write_bmv2_json(request: Request, program: Program, path: Path) -> None:
    """Write a program as BMv2's JSON. Raises: Rejected, for what that cannot say; click.FileError."""
    from aux_frontend.bmv2_json.write.document import document

    with _telling(request, program.span) as diagnostics:
        made = document(program, diagnostics)
    apart([path], request.inputs)
    with written(path, makes_folder=True) as beside:
        beside.write_text(json.dumps(made, indent=1) + "\n")


def bmv2_json(request: Request, program: Program) -> str | None:
    """A program as BMv2's JSON: its own text where it is that, None where the format has no form for it."""
    from aux_frontend.bmv2_json.write.document import document

    text = request.path.read_text(errors="replace")
    if text.lstrip().startswith("{"):
        return text
    try:
        return json.dumps(document(program, Diagnostics()), indent=1) + "\n"
    except Rejected:
        return None


def toolchain(
    wanted: Optimisations, machine: Machine = HERE, *, optimise: str = "-O3", sanitize: tuple[str, ...] = ()
) -> Toolchain:
    """The toolchain that programs with these optimisations are compiled with. NONE is for every platform, as far as that
    goes. Raises: ToolchainError."""
    from transpiler.switches import configuration
    from transpiler.toolchain.toolchain import find

    binary = configuration(wanted.as_far_as(machine.platform) if wanted == NONE else wanted).binary
    return find(
        machine.platform, machine.arch, compiler=machine.compiler, cpu=machine.cpu, optimise=optimise, sanitize=sanitize,
        own_processor=binary.own_processor, self_described=binary.self_described, odp=machine.odp, sysroot=machine.sysroot,
    )  # fmt: skip


def show(diagnostics: Diagnostics) -> None:
    """Print messages to stderr, with coloured severities on a terminal."""
    click.echo(diagnostics.render(), err=True, nl=False)


def _kernels(request: Request, program: Program) -> dict[str, str]:
    """The requested kernels, by full names of tables and value sets."""
    names = [*(table.name for table in program.tables), *(value_set.name for value_set in program.value_sets)]
    asked = {}
    for text in request.kernels:
        table, equals, kernel = text.rpartition("=")
        if not equals or not kernel:
            raise click.BadParameter(f"'{text}' is not TABLE=NAME", param_hint="--kernel")
        asked[named_table(names, table, "--kernel")] = kernel
    return asked


def _frontend(request: Request, diagnostics: Diagnostics) -> Plugin:
    """Raises: FrontendFault."""
    from macsad.frontends import frontend_for

    return frontend_for(request.path, request.std, lambda text: diagnostics.warning(request.start, "frontend", text))
