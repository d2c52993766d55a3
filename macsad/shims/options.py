"""What the commands have in common: their messages and their exit codes."""

from __future__ import annotations

import argparse
import sys
from typing import NoReturn


class Parser(argparse.ArgumentParser):
    """Options are never abbreviated, and one that is not known says so."""

    def __init__(self, name: str, usage: str, description: str) -> None:
        super().__init__(prog=name, usage=usage, description=description, allow_abbrev=False)

    def error(self, message: str) -> NoReturn:
        raise SystemExit(fail(self.prog, f"{message} (see {self.prog} --help)", 2))


def note(name: str, message: str) -> None:
    """What an option asks for and does not get."""
    print(f"{name}: note: {message}", file=sys.stderr)


def fail(name: str, message: str, code: int = 1) -> int:
    print(f"{name}: error: {message}", file=sys.stderr)
    return code
