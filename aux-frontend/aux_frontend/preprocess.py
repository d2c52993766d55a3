"""The C preprocessor in front of both languages: #include, #define, #if.

The system's `cpp` does the work, with our `p4include` as the last directory for `#include <...>`. Its own complaints
become diagnostics of ours. P4-16 spec 1.2.5 section 6.2.
"""

from __future__ import annotations

import os
import re
import shutil
import signal
import subprocess
import tempfile
import threading
from pathlib import Path

from aux_frontend.includes import require_files
from aux_frontend.line_map import LineMap
from transpiler.diagnostics import READ_LIMIT_BYTES, Diagnostics, Span, read_lines
from transpiler.frontend import Source

P4INCLUDE = Path(__file__).parent / "p4include"

_OUTPUT_LIMIT_BYTES = 16 << 20
_CPU_SECONDS, _MEMORY_KIB = 2, 1 << 19  # real programs take a few hundredths of a second
_WAIT_SECONDS = 20.0  # for a file that the preprocessor waits for
_FLAGS = ("-undef", "-nostdinc", "-x", "assembler-with-cpp", "-ftabstop=1")
_COMMANDS = (("cpp",), ("gcc", "-E"), ("cc", "-E"), ("clang", "-E"))
_MESSAGE = re.compile(
    r"(?P<file>[^\n]*?):(?P<line>\d+)(?::(?P<column>\d+))?: (?P<kind>fatal error|error|warning): (?P<text>.*)"
)
_INCLUDED = re.compile(r"(?:In file included|\s+) from (?P<file>.*?):(?P<line>\d+)(?::\d+)?[,:]$")
_CARET = re.compile(r"\s*\| *(\^~*)")
_MISSING = re.compile(r"(?P<name>.*): No such file or directory$")


def preprocess(source: Source, diagnostics: Diagnostics) -> LineMap:
    """The program as one text, with the way back to its files. Raises: Rejected, when a file is missing or cpp complains."""
    file = str(source.path)
    _require_text(source.path, file, diagnostics)
    diagnostics.raise_if_errors()
    require_files(source.path, (*source.include_dirs, P4INCLUDE), diagnostics)
    diagnostics.raise_if_errors()
    output, complaints, status = _run_cpp(source, file, diagnostics)
    diagnostics.raise_if_errors()
    text = output.decode("utf-8", "surrogateescape").replace("\r\n", "\n")
    lines = LineMap(text, diagnostics.sources, file)
    _report(complaints, file, diagnostics)
    if status and not diagnostics.error_count:
        words = next(
            (line for line in complaints.splitlines() if "error" in line or "memory" in line), f"status {status}"
        )
        diagnostics.error(Span(file, 1, 1), f"the C preprocessor failed: {words}")
    diagnostics.raise_if_errors()
    for span in lines.left:
        diagnostics.warning(span, "preprocessor", "no directive of the C preprocessor: the line is taken as a comment")
    return lines


def _require_text(path: Path, file: str, diagnostics: Diagnostics) -> None:
    """Says what is wrong with a file that cannot be a program."""
    start = Span(file, 1, 1)
    try:
        if path.is_dir():
            diagnostics.error(start, f"'{file}' is a directory, not a P4 program")
            return
        if path.exists() and not path.is_file():
            diagnostics.error(start, f"'{file}' is not a regular file")
            return
        if path.exists() and path.stat().st_size > READ_LIMIT_BYTES:
            diagnostics.error(start, f"'{file}' is longer than {READ_LIMIT_BYTES >> 20} MiB")
            return
        data = path.read_bytes()
    except (OSError, ValueError) as problem:
        reason = problem.strerror if isinstance(problem, OSError) else str(problem)
        diagnostics.error(start, f"cannot read '{file}': {reason}")
        return
    at = data.find(b"\0")
    if at >= 0:
        column = at - (data.rfind(b"\n", 0, at) + 1) + 1
        diagnostics.error(Span(file, data.count(b"\n", 0, at) + 1, column), "a NUL byte: this is not a text file")
    diagnostics.sources.texts[file] = read_lines(file) if at < 0 else []


def _run_cpp(source: Source, file: str, diagnostics: Diagnostics) -> tuple[bytes, str, int]:
    """Runs cpp under limits of time, memory and output (macros can grow without end): its output, complaints, status."""
    command = next((c for c in _COMMANDS if shutil.which(c[0])), None)
    start = Span(file, 1, 1)
    if command is None:
        diagnostics.error(start, "no C preprocessor on this machine: install 'cpp' (Debian: apt install cpp)")
        return b"", "", 0
    arguments = [*command, *_FLAGS, *(f"-I{d}" for d in source.include_dirs), f"-idirafter{P4INCLUDE}"]
    arguments += [*(f"-D{d}" for d in source.defines), file if not file.startswith("-") else f"./{file}"]
    limits = f"ulimit -t {_CPU_SECONDS}; ulimit -v {_MEMORY_KIB}"  # one each: dash takes no more at once
    limited = ["sh", "-c", f'{{ {limits}; }} 2>/dev/null; exec "$@"', "sh", *arguments]
    with tempfile.TemporaryFile() as complaints:
        with subprocess.Popen(
            limited, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=complaints,
            env={**os.environ, "LC_ALL": "C"}, start_new_session=True,
        ) as process:  # fmt: skip
            assert process.stdout is not None
            alarm = threading.Timer(_WAIT_SECONDS, os.killpg, (process.pid, signal.SIGKILL))
            alarm.start()
            output = process.stdout.read(_OUTPUT_LIMIT_BYTES + 1)
            if alarm.finished.is_set():
                diagnostics.error(start, f"the C preprocessor does not end: stopped after {_WAIT_SECONDS:.0f} seconds")
            alarm.cancel()
            if len(output) > _OUTPUT_LIMIT_BYTES:
                os.killpg(process.pid, signal.SIGKILL)
                diagnostics.error(start, f"the preprocessed program is longer than {_OUTPUT_LIMIT_BYTES >> 20} MiB")
        complaints.seek(0)
        return output, complaints.read(_OUTPUT_LIMIT_BYTES).decode("utf-8", "surrogateescape"), process.returncode


def _report(complaints: str, file: str, diagnostics: Diagnostics) -> None:
    """Turns what cpp said into diagnostics, and learns from it who included whom."""
    lines = complaints.splitlines()
    chain: list[Span] = []
    for index, line in enumerate(lines):
        if included := _INCLUDED.match(line):
            chain.append(Span(included["file"], int(included["line"]), 1))
            continue
        if (message := _MESSAGE.match(line)) is None:
            continue
        name = message["file"]
        if file.startswith("-"):
            name = name.removeprefix("./")
        for inner, outer in zip([name, *(at.file for at in chain)], chain, strict=False):
            diagnostics.sources.included_from[inner] = outer
        chain = []
        carets = (_CARET.match(follower) for follower in lines[index + 1 : index + 3])
        length = next((len(c[1]) for c in carets if c), 1)
        span = Span(name, int(message["line"]), int(message["column"] or 1), length)
        diagnostics.sources.texts.setdefault(name, read_lines(name))
        if message["kind"] == "warning":
            diagnostics.warning(span, "preprocessor", re.sub(r" \[-W[^\]]*\]$", "", message["text"]))
        else:
            diagnostics.error(span, _in_our_words(message["text"]))


def _in_our_words(text: str) -> str:
    if missing := _MISSING.match(text):
        return f"cannot find the file '{missing['name']}' to include (directories for includes are given with -I)"
    return text if text.startswith("#error") else text.replace('"', "'")
