"""The functions and operations that a kernel's C must have. After a failed build the C compiler finds which are missing.

Functions that generated C calls are in the kernel's header, operations of the control plane in a C file.
"""

from __future__ import annotations

import re
import tempfile
from pathlib import Path

from macsad.resources import share
from transpiler.targets.target import BadKernel, Kernel, Target
from transpiler.toolchain.backend import command, run, target_sources
from transpiler.toolchain.errors import ToolchainError
from transpiler.toolchain.toolchain import Toolchain

ENTRY = "const struct macs_entry *"
KEY = "const void *, const uint8_t *, uint32_t, struct macs_{0}_cursor *"
STRICT = ("-Werror=implicit-function-declaration", "-Werror=incompatible-pointer-types", "-Wno-unused-variable")


def explain(target: Target, toolchain: Toolchain, failed: ToolchainError) -> None:
    """Say which of the target's own kernels lacks something, if one does. Raises: BadKernel."""
    for kernel in own(target):
        check(kernel, target, toolchain)
        ops = f"macs_{kernel.keeper}_ops"
        if re.search(rf"undefined.*\b{ops}\b", str(failed)):
            header = header_of(kernel, target)
            raise BadKernel(
                place_of(ops, header),
                f"no C file in {header.parent} defines 'const struct macs_table_ops {ops}', the operations of the kernel",
            )


def own(target: Target) -> tuple[Kernel, ...]:
    """The kernels whose C is the target's, with an interface of functions; code that compares has none."""
    return tuple(kernel for kernel in target.kernels if kernel.own_header and not kernel.kept_by)


def check(kernel: Kernel, target: Target, toolchain: Toolchain) -> None:
    """The kernel's header declares all that generated C uses. Raises: BadKernel, ToolchainError where the header is no C."""
    wanted = declarations(kernel)
    lines = [f'#include "{kernel.header}"', *wanted.values()]
    with tempfile.TemporaryDirectory(prefix="macsad-") as folder:
        probe = Path(folder) / "probe.c"
        for text in (lines[:1], lines):
            probe.write_text("\n".join([*text, ""]))
            said = _said(command(share("aux-backend"), toolchain, target.c_folders), probe)
            errors = re.findall(rf"^{re.escape(str(probe))}:(\d+):\d+: error: (.*)$", said, re.MULTILINE)
            if said and not errors:
                raise ToolchainError(f"{header_of(kernel, target)} cannot be compiled:\n{said}")
            if errors:
                line, why = min(errors, key=lambda error: int(error[0]))
                name = list(wanted)[int(line) - 2] if int(line) > 1 else kernel.header
                place = place_of(name.split()[-1], header_of(kernel, target))
                raise BadKernel(place, f"the kernel '{kernel.name}' lacks {name}, or it is not as it must be: {why}")


def declarations(kernel: Kernel) -> dict[str, str]:
    """What generated C uses of a kernel, and a line of C that is right where it is there."""
    x = kernel.name
    key = KEY.format(x)
    found = {
        f"struct macs_{x}_cursor": f"struct macs_{x}_cursor macs_probe_cursor;",
        f"macs_{x}_ops": f"const struct macs_table_ops *const macs_probe_ops = &macs_{x}_ops;",
    }
    if kernel.words:  # another interface, which differs from kernel to kernel
        return found
    found[f"macs_{x}_start"] = f"void (*const macs_probe_start)({key}) = macs_{x}_start;"
    found[f"macs_{x}_finish"] = f"{ENTRY}(*const macs_probe_finish)({key}) = macs_{x}_finish;"
    if kernel.steps:
        found[f"macs_{x}_step"] = f"void (*const macs_probe_step)({key}) = macs_{x}_step;"
    parts = ("bulk_start", "bulk_step", "bulk_finish") if kernel.parts else ("bulk_start",)
    begin = () if kernel.bulk_key_bytes else ("bulk_begin",)
    for name in (*parts, *begin) if kernel.bulk else ():
        found[f"macs_{x}_{name}"] = f"void *macs_probe_{name}(void) {{ return (void *)(uintptr_t)&macs_{x}_{name}; }}"
    return found


def header_of(kernel: Kernel, target: Target) -> Path:
    return next(file for folder in target.c_folders if (file := folder / kernel.own_header).is_file())


def operations_of(kernel: Kernel, target: Target) -> str:
    """Where a kernel's operations are defined, FILE:LINE: in the target's C or in ours; else where it is described."""
    name = f"macs_{kernel.keeper}_ops"
    files = (*target_sources(target.c_folders), *sorted((share("aux-backend") / "tables").rglob("*.c")))
    file = next((file for file in files if name in file.read_text(errors="replace")), None)
    return kernel.place if file is None else place_of(name, file)


def place_of(name: str, file: Path) -> str:
    """FILE:LINE of the first line that has the name; of the first line, where none has."""
    named = re.compile(rf"\b{re.escape(name)}\b")
    lines = file.read_text(errors="replace").splitlines()
    return f"{file}:{next((number for number, line in enumerate(lines, 1) if named.search(line)), 1)}"


def _said(words: list[str], probe: Path) -> str:
    """What the compiler complains of."""
    try:
        run([*words, *STRICT, "-fsyntax-only", "-fdiagnostics-color=never", "-fno-diagnostics-show-caret", str(probe)])
    except ToolchainError as error:
        return str(error).partition("\n")[2] or str(error)
    return ""
