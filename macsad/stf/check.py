"""A whole STF test on one device, with its report: what `macsad test` and `macsad simulate` share."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from io import StringIO
from pathlib import Path
from typing import TextIO

from macsad.stf.device import Device
from macsad.stf.parser import parse_file
from macsad.stf.plan import Step, make_plan
from macsad.stf.runner import Result, Runner, ports_of
from transpiler.diagnostics import Diagnostics, Rejected
from transpiler.hlir.program import Program
from transpiler.interpreter import ControlError
from transpiler.interpreter.layout import fields_of

PASSED, FAILED = 0, 1  # exit codes


def load_plan(program: Program, stf: Path, diagnostics: Diagnostics) -> list[Step]:
    """Read an STF file for a program. Raises: Rejected when something is wrong with it, OSError when it is not there."""
    steps = make_plan(parse_file(stf, diagnostics), program, diagnostics)
    diagnostics.raise_if_errors()
    return steps


def check(program: Program, stf: Path, open_device: Callable[[frozenset[int]], Device], out: TextIO) -> int:
    """Run a test and write its report to `out`. Returns the exit code. Raises: OSError when the file is not there.

    `open_device` makes a device that has the given ports.
    """
    diagnostics = Diagnostics()
    try:
        steps = load_plan(program, stf, diagnostics)
    except Rejected:
        out.write(diagnostics.render())
        return FAILED
    try:
        device = open_device(ports_of(steps))
        try:
            result = Runner(program, device, diagnostics, lambda frame: fields_of(program, frame)).run(steps)
        finally:
            device.close()
    except ControlError as error:
        out.write(f"{diagnostics.render()}{stf}: error: {error}\n")
        return FAILED
    out.write(report(result, diagnostics))
    return FAILED if diagnostics.error_count else PASSED


def check_all(tests: Sequence[Path], check_one: Callable[[Path, TextIO], int], out: TextIO) -> int:
    """Run tests: of each what its report says, then a line with its name and how it went, and in the end how many passed. One
    alone has its report only. Returns the exit code: PASSED if all have. Raises: OSError when a file is not there."""
    if len(tests) == 1:
        return check_one(tests[0], out)
    passed = 0
    for stf in tests:
        told = StringIO()
        code = check_one(stf, told)
        passed += code == PASSED
        *details, last = told.getvalue().splitlines()
        if code != PASSED:
            details, last = [*details, last], "failed"
        out.write("".join(f"{line}\n" for line in details) + f"{stf}: {last}\n")
        out.flush()
    out.write(f"{passed} of {len(tests)} passed\n")
    return PASSED if passed == len(tests) else FAILED


def report(result: Result, diagnostics: Diagnostics) -> str:
    """Failures with their details, what read commands answered, and a last line that says how it went."""
    lines = [f"{note}\n" for note in result.notes]
    for message in diagnostics.messages:
        single = Diagnostics(diagnostics.sources)
        single.messages.append(message)
        lines.append(single.render())
        lines += [f"{line}\n" for line in result.details.get((message.span, message.message), [])]
    failed = diagnostics.error_count
    verdict = "passed" if not failed else f"failed: {failed} {'difference' if failed == 1 else 'differences'}"
    lines.append(f"{verdict} ({result.packets} packets in, {result.expected} expected)\n")
    return "".join(lines)
