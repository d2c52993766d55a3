"""A target's description, read from its folder: target.toml and, if it wishes, templates/ that override ours."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

from transpiler.hlir.program import MatchKind, TableKey
from transpiler.hlir.types import width_of

_T = TypeVar("_T")


class BadTarget(Exception):
    """A target description that cannot be used; the message names its file and what is wrong."""


@dataclass(frozen=True, slots=True)
class Kernel:
    """A table kernel of aux-backend/tables and the keys that it takes. `words`: it keeps entries as words, and takes
    tables whose entries can be."""

    name: str
    match: frozenset[MatchKind]
    max_bits: int | None = None
    alone: bool = False
    steps: int = 0
    words: bool = False
    max_entries: int | None = None

    def takes(self, table_keys: tuple[TableKey, ...], as_words: bool, size: int) -> bool:
        """Whether it can look up such a key, in a table of `size` entries, which can be words or cannot."""
        keys = [key for key in table_keys if key.match_kind is not MatchKind.SELECTOR]
        bits = sum(width_of(key.expression.type) for key in keys)
        lpm = sum(key.match_kind is MatchKind.LPM for key in keys)
        return (
            self.match >= {key.match_kind for key in keys}
            and (self.max_bits is None or bits <= self.max_bits)
            and (not self.alone or len(keys) == 1)
            and lpm <= 1
            and (as_words or not self.words)
            and (self.max_entries is None or size <= self.max_entries)
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

    def kernel_for(self, keys: tuple[TableKey, ...], as_words: bool = False, size: int = 0) -> Kernel | None:
        """The first kernel that takes such a table, if any."""
        return next((kernel for kernel in self.kernels if kernel.takes(keys, as_words, size)), None)


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
    _only(described, tuple(name for name in Target.__slots__ if name != "templates"))
    templates = folder / "templates"
    return Target(
        name=_is(described, "name", str),
        summary=_is(described, "summary", str),
        architectures=_strings(described, "architectures"),
        max_key_bytes=_is(described, "max_key_bytes", int),
        externs=_strings(described, "externs"),
        hash_algorithms=_strings(described, "hash_algorithms"),
        kernels=tuple(_kernel(kernel) for kernel in _is(described, "kernels", list)),
        templates=templates if templates.is_dir() else None,
    )


def _kernel(described: dict[str, Any]) -> Kernel:
    _only(described, Kernel.__slots__)
    return Kernel(
        name=_is(described, "name", str),
        match=frozenset(MatchKind(kind) for kind in _strings(described, "match")),
        max_bits=_is(described, "max_bits", int) if "max_bits" in described else None,
        alone=_is(described, "alone", bool) if "alone" in described else False,
        steps=_is(described, "steps", int) if "steps" in described else 0,
        words=_is(described, "words", bool) if "words" in described else False,
        max_entries=_is(described, "max_entries", int) if "max_entries" in described else None,
    )


def _only(described: dict[str, Any], known: tuple[str, ...]) -> None:
    """A misspelt key would be ignored silently. Raises: ValueError."""
    if unknown := sorted(set(described) - set(known)):
        raise ValueError(f"unknown key {', '.join(unknown)}")


def _is(described: dict[str, Any], key: str, type_: type[_T]) -> _T:
    """The value of a key. Raises: KeyError, TypeError."""
    value = described[key]
    if not isinstance(value, type_) or (isinstance(value, bool) and type_ is not bool):
        raise TypeError(f"{key} is {value!r}, not of type {type_.__name__}")
    return value


def _strings(described: dict[str, Any], key: str) -> frozenset[str]:
    values = _is(described, key, list)
    if not all(isinstance(value, str) for value in values):
        raise TypeError(f"{key} has something else than strings")
    return frozenset(values)
