"""A target's description, read from its folder: target.toml and, if it wishes, templates/ that override ours."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

from transpiler.hlir.program import MatchKind, TableKey
from transpiler.hlir.types import width_of

_T = TypeVar("_T")
_WAYS_BITS = 3  # log2 of the entries in a bucket of words


class BadTarget(Exception):
    """A target description that cannot be used; the message names its file and what is wrong."""


@dataclass(frozen=True, slots=True)
class Need:
    """What a table wants of its kernel. `word_bits`: of its key and of its data where its entries can be words, else
    `no_words` says why not."""

    keys: tuple[TableKey, ...]
    size: int = 0
    word_bits: tuple[int, int] | None = None
    no_words: str = "its entries are no words"


@dataclass(frozen=True, slots=True)
class Kernel:
    """A table kernel of aux-backend/tables and the tables that it takes; target.toml says what each of these means."""

    name: str
    match: frozenset[MatchKind]
    max_bits: int | None = None
    alone: bool = False
    steps: int = 0
    words: bool = False
    min_bits: int = 0
    max_data_bits: int = 64
    max_entry_bits: int | None = None
    max_entries: int | None = None

    def refusal(self, need: Need) -> str:
        """Why it cannot hold such a table; empty where it can."""
        keys = [key for key in need.keys if key.match_kind is not MatchKind.SELECTOR]
        bits = sum(width_of(key.expression.type) for key in keys)
        others = sorted({key.match_kind.value for key in keys if key.match_kind not in self.match})
        if others:
            return f"it does not match {' or '.join(others)}"
        if sum(key.match_kind is MatchKind.LPM for key in keys) > 1:
            return "it matches one prefix"
        if self.alone and len(keys) != 1:
            return f"it matches one field, and this key has {len(keys)}"
        if self.max_bits is not None and bits > self.max_bits:
            return f"its keys have at most {self.max_bits} bits, and this one has {bits}"
        if bits < self.min_bits:
            return f"its keys have at least {self.min_bits} bits, and this one has {bits}"
        if self.max_entries is not None and need.size > self.max_entries:
            return f"it holds at most {self.max_entries} entries, and the table's size is {need.size}"
        return self._refuses_words(need) if self.words else ""

    def _refuses_words(self, need: Need) -> str:
        if need.word_bits is None:
            return f"its entries are words of 64 bits: {need.no_words}"
        key_bits, data_bits = need.word_bits
        if data_bits > self.max_data_bits:
            return f"its entries have at most {self.max_data_bits} bits of data, and these have {data_bits}"
        if self.max_entry_bits is None:
            return ""
        least = max(key_bits + data_bits - self.max_entry_bits, 1)  # log2 of the buckets
        most = min(max(need.size.bit_length() - 1 - _WAYS_BITS, 1), key_bits - _WAYS_BITS)
        if least > most:
            return f"key and data have {key_bits} + {data_bits} bits, which do not fit a word in a table of {need.size}"
        return ""


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

    def kernel_for(self, need: Need) -> Kernel | None:
        """The first kernel that takes such a table, if any."""
        return next((kernel for kernel in self.kernels if not kernel.refusal(need)), None)


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
    """Raises: KeyError, TypeError, ValueError."""
    _only(described, Kernel.__slots__)
    flags = ("alone", "words")
    given: dict[str, Any] = {
        key: _is(described, key, bool if key in flags else int) for key in Kernel.__slots__[2:] if key in described
    }
    match = frozenset(MatchKind(kind) for kind in _strings(described, "match"))
    return Kernel(name=_is(described, "name", str), match=match, **given)


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
