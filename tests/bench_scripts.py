"""The scripts of bench/, loaded, and what stands for a running switch where only what they make of figures is tested."""

from __future__ import annotations

import contextlib
import importlib.util
import sys
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

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


class Started:
    """A switch or another program that is measured, with what it was started with."""

    def __init__(self, *what: Any) -> None:
        self.what = what
        self.resumed = self.closed = 0
        self.huge_bytes, self.drops = 1 << 30, 0.0

    def resume(self) -> None:
        self.resumed += 1

    def close(self) -> None:
        self.closed += 1

    def dropped(self) -> float:
        return self.drops


@dataclass
class Bench:
    """What was started and which turns were had, in `runs`: (turns, rounds, seconds). `times`: ns of a key."""

    times: Callable[[Any], float] = lambda key: 1.0
    started: list[Started] = field(default_factory=list)
    runs: list[tuple[list[Any], int, float]] = field(default_factory=list)
    built: list[Any] = field(default_factory=list)

    def start(self, *what: Any) -> Started:
        self.started.append(Started(*what))
        return self.started[-1]

    def measure(self, turns: list[Any], rounds: int, seconds: float, advance: Any) -> Any:
        assert len({turn.key for turn in turns}) == len(turns)
        self.runs.append((turns, rounds, seconds))
        return {turn.key: [sample(self.times(turn.key))] * rounds for turn in turns}

    def build(self, request: Any, hlir: Any, folder: Path, machine: Any = None) -> Path:
        assert hlir == ("loaded", request)
        self.built.append((request, folder.name))
        return Path(f"{folder.name}/binary")

    def into(self, module: Any, monkeypatch: pytest.MonkeyPatch) -> Any:
        """The script, with stand-ins for what takes long."""
        compilation = SimpleNamespace(
            load=lambda request: ("loaded", request),
            decide=lambda request, hlir: SimpleNamespace(planned=request),
            toolchain=lambda wanted: "tools",
            build=lambda request, hlir, folder, tools: self.build(request, hlir, folder),
        )
        stands = {
            "measure": self.measure, "Switch": self.start, "build": self.build, "compilation": compilation,
            "counting": lambda what: contextlib.nullcontext(lambda *_: None),
        }  # fmt: skip
        for name, stand in stands.items():
            own = getattr(getattr(module, name, None), "__module__", "") == module.__name__
            if hasattr(module, name) and not own:
                monkeypatch.setattr(module, name, stand)
        return module

    @property
    def keys(self) -> list[list[Any]]:
        return [[turn.key for turn in turns] for turns, *_ in self.runs]

    def all_closed(self) -> bool:
        return all(one.closed == 1 for one in self.started)


def of(times: dict[Any, float], usual: float = 1000) -> Callable[[Any], float]:
    """By the key or by its first part."""
    return lambda key: times.get(key, times.get(key[0], usual) if isinstance(key, tuple) else usual)
