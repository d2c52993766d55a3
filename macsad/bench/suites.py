"""What a program of apps/ is measured with, unless other things are asked for: bench/suites.toml."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from macsad.resources import share


@dataclass(frozen=True)
class Suite:
    """Options of `macsad gen`, as they are written there."""

    entries: int
    tables: tuple[str, ...]
    lengths: tuple[str, ...]
    packets: int
    size: str
    replies: bool = False


USUAL = Suite(100_000, (), (), 1_000_000, "64")


def apps() -> list[str]:
    """The apps that have a suite of their own, as far as they are there."""
    return [name for name in _all() if (share("apps") / name).is_dir()]


def suite_of(program: Path) -> Suite:
    """That of the app, or the usual one for programs that are none."""
    if program.parent.parent.resolve() != share("apps").resolve():
        return USUAL
    found = _all().get(program.parent.name, {})
    return Suite(
        found.get("entries", USUAL.entries),
        tuple(f"{name}={number}" for name, number in found.get("tables", {}).items()),
        tuple(found.get("lengths", ())),
        found.get("packets", USUAL.packets),
        str(found.get("size", USUAL.size)),
        found.get("replies", USUAL.replies),
    )


def _all() -> dict[str, dict[str, Any]]:
    return tomllib.loads((share("bench") / "suites.toml").read_text())
