"""The scripts of bench/, loaded, and what stands for a running switch where only what they make of figures is tested."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from typing import Any

from macsad.bench.samples import Sample

ROOT = Path(__file__).parents[1]


def script(name: str) -> Any:
    """A script of bench/."""
    spec = importlib.util.spec_from_file_location(f"bench_{name}", ROOT / "bench" / f"{name}.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


def sample(ns: float) -> Sample:
    """1,000 operations of so many ns each, at 2 cycles a nanosecond."""
    return Sample(1000, round(ns * 1000), round(ns * 1000), round(ns * 2000))


class Clock:
    """`time` for a script: sleeping makes it later, and looking a little so."""

    def __init__(self) -> None:
        self.now = 0.0

    def monotonic(self) -> float:
        return self.now

    def sleep(self, seconds: float) -> None:
        assert seconds > 0
        self.now += seconds
