"""A target's description, read from its folder: target.toml and, if it wishes, templates/ that override ours."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from transpiler.hlir.program import MatchKind, TableKey
from transpiler.hlir.types import width_of


class BadTarget(Exception):
    """A target description that cannot be used; the message names its file and what is wrong."""


@dataclass(frozen=True, slots=True)
class Kernel:
    """A table kernel of aux-backend/tables and the keys that it takes."""

    name: str
    match: frozenset[MatchKind]
    max_bits: int | None = None
    alone: bool = False
    steps: int = 0

    def takes(self, table_keys: tuple[TableKey, ...]) -> bool:
        """Whether it can look up such a key."""
        keys = [key for key in table_keys if key.match_kind is not MatchKind.SELECTOR]
        bits = sum(width_of(key.expression.type) for key in keys)
        lpm = sum(key.match_kind is MatchKind.LPM for key in keys)
        return (
            self.match >= {key.match_kind for key in keys}
            and (self.max_bits is None or bits <= self.max_bits)
            and (not self.alone or len(keys) == 1)
            and lpm <= 1
        )


@dataclass(frozen=True, slots=True)
class Target:
    name: str
    summary: str
    architectures: frozenset[str]
    max_key_bytes: int
    externs: frozenset[str]
    hash_algorithms: frozenset[str]
    kernels: tuple[Kernel, ...]
    templates: Path | None

    def kernel_for(self, keys: tuple[TableKey, ...]) -> Kernel | None:
        """The first kernel that takes a table's key, if any."""
        return next((kernel for kernel in self.kernels if kernel.takes(keys)), None)


def builtin(name: str = "software") -> Target:
    """A target that comes with macsad. Raises: BadTarget."""
    return load(Path(__file__).parent / name)


def load(folder: Path) -> Target:
    """The target described in a folder. Raises: BadTarget."""
    file = folder / "target.toml"
    try:
        described = tomllib.loads(file.read_text())
        return _target(described, folder)
    except OSError as error:
        raise BadTarget(f"{file}: {error.strerror}") from error
    except tomllib.TOMLDecodeError as error:
        raise BadTarget(f"{file}: {error}") from error
    except (KeyError, TypeError, ValueError) as error:
        raise BadTarget(f"{file}: missing or wrong: {error}") from error


def _target(described: dict[str, Any], folder: Path) -> Target:
    templates = folder / "templates"
    return Target(
        name=described["name"],
        summary=described["summary"],
        architectures=frozenset(described["architectures"]),
        max_key_bytes=int(described["max_key_bytes"]),
        externs=frozenset(described["externs"]),
        hash_algorithms=frozenset(described["hash_algorithms"]),
        kernels=tuple(_kernel(kernel) for kernel in described["kernels"]),
        templates=templates if templates.is_dir() else None,
    )


def _kernel(described: dict[str, Any]) -> Kernel:
    return Kernel(
        name=described["name"],
        match=frozenset(MatchKind(kind) for kind in described["match"]),
        max_bits=described.get("max_bits"),
        alone=described.get("alone", False),
        steps=described.get("steps", 0),
    )
