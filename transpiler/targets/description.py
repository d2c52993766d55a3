"""A target's folder → Target: target.toml, and the target that it extends. What is wrong is said with file and line."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable, Iterable
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import Any, TypeVar

from transpiler.hlir.externs import HASH_ALGORITHMS, METHODS
from transpiler.hlir.program import MatchKind
from transpiler.targets.footprint import Footprint
from transpiler.targets.target import BadTarget, Counter, Kernel, Target, UnknownTarget

_T = TypeVar("_T")
_KERNEL_KEYS = tuple(field.name for field in fields(Kernel) if field.name != "own")
Find = Callable[[str], Path]  # the folder of a target, by its name
KEYS = (
    "name",
    "extends",
    "summary",
    "architectures",
    "max_key_bytes",
    "near_bytes",
    "externs",
    "hash_algorithms",
    "kernels",
    "counters",
)


def load(folder: Path, find: Find, extended_by: tuple[Path, ...] = ()) -> Target:
    """The target described in a folder. Raises: BadTarget."""
    top = _Part(_read(folder / "target.toml"), folder / "target.toml")
    top.only(KEYS)
    base = None
    if "extends" in top.values:
        try:
            there = find(top.get("extends", str))
        except UnknownTarget as error:
            raise top.wrong("extends", str(error)) from None
        if there.resolve() in {f.resolve() for f in (folder, *extended_by)}:
            raise top.wrong("extends", "the target extends itself")
        base = load(there, find, (folder, *extended_by))
    folders = ((top.name(), folder), *(base.folders if base else ()))
    return Target(
        name=top.name(),
        summary=top.get("summary", str, base.summary if base else None),
        architectures=top.strings("architectures", base.architectures if base else None),
        max_key_bytes=top.get("max_key_bytes", int, base.max_key_bytes if base else None),
        near_bytes=top.get("near_bytes", int, base.near_bytes if base else 0),
        externs=top.known("externs", METHODS, base.externs if base else None),
        hash_algorithms=top.known("hash_algorithms", HASH_ALGORITHMS, base.hash_algorithms if base else None),
        kernels=tuple(_kernel(part, folders) for part in top.parts("kernels")) + (base.kernels if base else ()),
        counters=tuple(_counter(part) for part in top.parts("counters")) + (base.counters if base else ()),
        folders=folders,
    )


def _kernel(part: _Part, folders: tuple[tuple[str, Path], ...]) -> Kernel:
    """One that a target of those folders lists."""
    part.only(_KERNEL_KEYS)
    known = {kind.value for kind in MatchKind if kind is not MatchKind.SELECTOR}
    if unknown := part.strings("match") - known:
        raise part.wrong(
            "match", f"no such match kind: {', '.join(sorted(unknown))} (there are {', '.join(sorted(known))})"
        )
    types: dict[str, type] = dict.fromkeys(("alone", "words", "bulk", "parts"), bool)
    types |= dict.fromkeys(("suits", "optimisation", "kept_by"), str)
    plain = (key for key in _KERNEL_KEYS if key in part.values and key not in ("name", "match", "memory"))
    given: dict[str, Any] = {key: part.get(key, types.get(key, int)) for key in plain}
    match = frozenset(MatchKind(kind) for kind in part.strings("match"))
    kernel = Kernel(name=part.identifier("name"), match=match, memory=_footprint(part), **given)
    return replace(kernel, own=any((at / replace(kernel, own=True).header).is_file() for _, at in folders))


def _footprint(part: _Part) -> Footprint:
    figures = _Part(part.get("memory", dict, {}), part.file, part.heading, part.number)
    figures.only(Footprint.__slots__)
    given: dict[str, Any] = {key: figures.get(key, bool if key == "slot" else int) for key in figures.values}
    return Footprint(**given)


def _counter(part: _Part) -> Counter:
    part.only(Counter.__slots__)
    if not 0 < (size := part.get("size", int)) <= 1 << 24:
        raise part.wrong("size", f"size is {size}, not from 1 to {1 << 24}")
    return Counter(part.identifier("name"), size)


def _read(file: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(file.read_bytes().decode())
    except OSError as error:
        raise BadTarget(file, error.strerror or str(error)) from error
    except UnicodeDecodeError as error:
        raise BadTarget(file, f"is not text in UTF-8: {error.reason}") from error
    except tomllib.TOMLDecodeError as error:
        what, _, place = str(error).partition(" (at ")
        line = re.match(r"line (\d+), column (\d+)", place)  # else it is the end of the document
        at = line.groups() if line else (str(len(file.read_text().splitlines())),)
        raise BadTarget(":".join([str(file), *at]), what) from error


@dataclass(frozen=True, slots=True)
class _Part:
    """A table of a description. `heading` is how it begins, `number` counts those that begin so; none is the file's top."""

    values: dict[str, Any]
    file: Path
    heading: str = ""
    number: int = 0

    def get(self, key: str, type_: type[_T], otherwise: _T | None = None) -> _T:
        """The value of a key. Raises: BadTarget, where it has another type, or is missing and there is no `otherwise`."""
        if key not in self.values:
            if otherwise is None:
                raise self.wrong("", f"the key '{key}' is missing")
            return otherwise
        value = self.values[key]
        if not isinstance(value, type_) or (isinstance(value, bool) and type_ is not bool):
            raise self.wrong(key, f"{key} is {value!r}, not of type {type_.__name__}")
        return value

    def strings(self, key: str, otherwise: frozenset[str] | None = None) -> frozenset[str]:
        values = self.get(key, list, None if otherwise is None else sorted(otherwise))
        if not all(isinstance(value, str) for value in values):
            raise self.wrong(key, f"{key} has something else than strings")
        return frozenset(values)

    def known(self, key: str, there: Iterable[str], otherwise: frozenset[str] | None) -> frozenset[str]:
        """Strings, each of which is one of those of hlir.externs. Raises: BadTarget."""
        values = self.strings(key, otherwise)
        if unknown := sorted(values - set(there)):
            raise self.wrong(key, f"{key} has what macsad does not: {', '.join(unknown)}; see docs/extend/extern.md")
        return values

    def name(self) -> str:
        """A target's. Raises: BadTarget."""
        if not re.fullmatch(r"[\w-]+", value := self.get("name", str)):
            raise self.wrong("name", f"name is {value!r}, not letters, digits, _ and -")
        return value

    def identifier(self, key: str) -> str:
        """A name that C takes. Raises: BadTarget."""
        if not re.fullmatch(r"[a-z][a-z0-9_]*", value := self.get(key, str)):
            raise self.wrong(key, f"{key} is {value!r}, not small letters, digits and _ as C takes them")
        return value

    def parts(self, key: str) -> list[_Part]:
        """The tables of an array of tables: [[key]]."""
        values = self.get(key, list, [])
        if not all(isinstance(value, dict) for value in values):
            raise self.wrong(key, f"{key} is not written as [[{key}]]")
        return [_Part(value, self.file, f"[[{key}]]", number) for number, value in enumerate(values)]

    def only(self, known: tuple[str, ...]) -> None:
        """A misspelt key would be ignored silently. Raises: BadTarget."""
        for key in self.values:
            if key not in known:
                raise self.wrong(key, f"unknown key '{key}': there are {', '.join(known)}")

    def wrong(self, key: str, what: str) -> BadTarget:
        """What is wrong with a key, or with the table as a whole, at its line."""
        lines = self.file.read_text(errors="replace").splitlines()
        begins = (
            [i for i, line in enumerate(lines) if line.replace(" ", "").startswith(self.heading)]
            if self.heading
            else [0]
        )
        first = begins[self.number] if self.number < len(begins) else 0
        named = re.compile(rf"\s*(\[\[?\s*)?[\"']?{re.escape(key)}[\"']?\s*[=.\]]")
        place = next((i for i in range(first, len(lines)) if key and named.match(lines[i])), first)
        return BadTarget(f"{self.file}:{place + 1}", what)
