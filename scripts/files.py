"""Prints what each source file is for: its path, and the first sentence that it says of itself.

    make files [UNDER=FOLDER]

A C file that says no more than "See X.h" is told with the words of that header. Exit status: 1 if a file says nothing.
"""

from __future__ import annotations

import argparse
import ast
import re
import signal
import sys
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
COMMENTS = {
    ".c": re.compile(r"\s*/\*+(.*?)\*/", re.S),
    ".h": re.compile(r"\s*/\*+(.*?)\*/", re.S),
    ".j2": re.compile(r"\s*(?:\{#-?(.*?)-?#\}|/\*(.*?)\*/)", re.S),
    ".p4": re.compile(r"\s*(?:/\*+(.*?)\*/|((?://[^\n]*\n)+))", re.S),
}
SUFFIXES = (".py", *COMMENTS)


def first_sentence(path: Path) -> str:
    """What a file says of itself first, on one line; "" if it says nothing."""
    text = path.read_text(encoding="utf-8")
    if path.suffix == ".py":
        said = ast.get_docstring(ast.parse(text)) or ""
    else:
        match = COMMENTS[path.suffix].match(text)
        said = next((group for group in match.groups() if group), "") if match else ""
    said = " ".join(re.sub(r"^[ \t]*(?:\*|//)", "", said, flags=re.M).split("\n\n")[0].split())
    return re.split(r"(?<=\.)\s", said, maxsplit=1)[0]


def described(path: Path) -> str:
    """The first sentence of a file, or that of the header that it leads to."""
    said = first_sentence(path)
    header = path.with_suffix(".h")
    if path.suffix == ".c" and (not said or re.match(r"See \S+\.h", said)) and header.exists():
        return first_sentence(header)
    return said


def lines_of(paths: list[Path]) -> Iterator[tuple[str, str]]:
    """The names of a folder's files and what each says; a C file and its header that say the same are one: `name.[ch]`."""
    said = {path.name: described(ROOT / path) for path in paths}
    for name, text in said.items():
        stem, _, suffix = name.rpartition(".")
        other = {"c": f"{stem}.h", "h": f"{stem}.c"}.get(suffix, "")
        if said.get(other) != text:
            yield name, text
        elif suffix == "c":
            yield f"{stem}.[ch]", text


def sources(under: str) -> list[Path]:
    """The source files below a folder of the checkout, without tests, programs, and what is made."""
    found = (p.relative_to(ROOT) for suffix in SUFFIXES for p in (ROOT / under).resolve().rglob(f"*{suffix}"))
    return sorted(p for p in found if p.parts[0] not in ("tests", "apps") and not any(map(_is_made, p.parts)))


def _is_made(part: str) -> bool:
    return part.startswith(".") or part in ("build", "__pycache__") or part.endswith(".egg-info")


def main() -> int:
    parser = argparse.ArgumentParser(description="Print what each source file is for.")
    parser.add_argument("under", nargs="?", default=".", help="a folder of the checkout, as aux-backend/runtime")
    under = parser.parse_args().under
    inside = (ROOT / under).resolve().is_relative_to(ROOT)
    paths = [p for p in sources(under) if (ROOT / p).stat().st_size] if inside else []
    if not paths:
        print(f"files: no source file of the checkout is in {under}", file=sys.stderr)
        return 1
    silent = 0
    for folder in dict.fromkeys(p.parent for p in paths):
        print(f"{folder}/")
        lines = dict(lines_of([p for p in paths if p.parent == folder]))
        width = max(map(len, lines))
        for name, said in lines.items():
            silent += not said
            print(f"  {name:{width}}  {said or '(says nothing)'}")
    return 1 if silent else 0


if __name__ == "__main__":
    signal.signal(signal.SIGPIPE, signal.SIG_DFL)  # `make files | head`
    sys.exit(main())
