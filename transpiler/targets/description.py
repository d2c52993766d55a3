"""A target's folder → Target: target.toml, and the target that it extends. What is wrong is said with file and line."""

from __future__ import annotations

import difflib
import re
import tomllib
from collections.abc import Callable, Iterable
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import Any, TypeVar

from transpiler.externs.algorithms import ALGORITHMS
from transpiler.externs.table import METHODS
from transpiler.hlir.program import Architecture, MatchKind
from transpiler.optimisations import NAMES as OPTIMISATIONS
from transpiler.targets.footprint import Footprint
from transpiler.targets.target import BadTarget, BuildDefaults, Counter, Kernel, RunDefaults, Target, UnknownTarget

_T = TypeVar("_T")
_NUMBER_BYTES, _NO_LIMIT = 4, 1 << 16  # of keys that are numbers; of keys that nothing limits
_KERNEL_KEYS = tuple(field.name for field in fields(Kernel) if field.name not in ("own_header", "place"))
Find = Callable[[str], Path]  # the folder of a target, by its name
ARCHITECTURES = ("x86_64", "aarch64", "armv7", "riscv64", "s390x")  # as the toolchain has them
PLATFORMS = ("linux", "dpdk", "odp")
_ALL_ARCHITECTURES = frozenset(architecture.value for architecture in Architecture)  # of programs
MAX_WORKERS, MAX_BURST, MAX_CPU = 64, 256, 1023  # as the runtime has them
FOLDERS = ("templates", "tables")
KEYS = (
    "name",
    "extends",
    "summary",
    "architectures",
    "max_key_bytes",
    "near_bytes",
    "externs",
    "without_externs",
    "hash_algorithms",
    "without_kernels",
    "kernels",
    "counters",
    "build",
    "run",
)


def load(folder: Path, find: Find, extended_by: tuple[Path, ...] = ()) -> Target:
    """The target described in a folder. Raises: BadTarget."""
    top = _Part(_read(folder / "target.toml"), folder / "target.toml")
    top.only(KEYS)
    _no_folder_is_misspelt(folder)
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
        architectures=top.strings("architectures", base.architectures if base else _ALL_ARCHITECTURES),
        max_key_bytes=top.get("max_key_bytes", int, base.max_key_bytes if base else None),
        near_bytes=top.get("near_bytes", int, base.near_bytes if base else 0),
        externs=_externs(top, base.externs if base else frozenset(METHODS)),
        hash_algorithms=top.known(
            "hash_algorithms", ALGORITHMS, base.hash_algorithms if base else frozenset(ALGORITHMS)
        ),
        kernels=_kernels(top, base.kernels if base else (), folders),
        counters=_counters(top, base.counters if base else ()),
        folders=folders,
        build=_build(top, base.build if base else BuildDefaults()),
        run=_run(top, base.run if base else RunDefaults()),
    )


def _externs(top: _Part, before: frozenset[str]) -> frozenset[str]:
    """The methods that the target has: those listed, else those of the target that it extends, else all; without what it
    leaves out. Raises: BadTarget."""
    having = top.known("externs", METHODS, before)
    return having - top.known("without_externs", having, frozenset())


def _no_folder_is_misspelt(folder: Path) -> None:
    """One that is nobody's would do nothing. Raises: BadTarget."""
    for at in sorted(at for at in folder.iterdir() if at.is_dir() and at.name not in FOLDERS):
        if near := difflib.get_close_matches(at.name.lower(), FOLDERS, 1, 0.8):
            raise BadTarget(at, f"nothing looks into this folder: did you mean {near[0]}/?")


def _kernels(top: _Part, before: tuple[Kernel, ...], folders: tuple[tuple[str, Path], ...]) -> tuple[Kernel, ...]:
    """New ones, then those of the target that it extends: without what it leaves out, and with what it says of them anew.

    Raises: BadTarget.
    """
    known = {kernel.name: kernel for kernel in before}
    without = top.strings("without_kernels", frozenset())
    if unknown := sorted(without - set(known)):
        which = f"there are {', '.join(known)}" if known else "this target extends no other"
        raise top.wrong("without_kernels", f"no kernel '{unknown[0]}' to leave out: {which}")
    made: dict[str, Kernel] = {}
    for part in top.parts("kernels"):
        name = part.identifier("name")
        if name in made:
            raise part.wrong("name", f"the kernel '{name}' is there twice")
        if name in without:
            raise part.wrong("name", f"the kernel '{name}' is left out by without_kernels")
        made[name] = _kernel(part, folders, known.get(name))
    new = tuple(kernel for name, kernel in made.items() if name not in known)
    return new + tuple(made.get(name, kernel) for name, kernel in known.items() if name not in without)


def _kernel(part: _Part, folders: tuple[tuple[str, Path], ...], before: Kernel | None) -> Kernel:
    """One that a target of those folders lists. `before`: as the target has it that is extended: what is not said is as there."""
    part.only(_KERNEL_KEYS)
    types: dict[str, type] = dict.fromkeys(("alone", "words", "bulk", "parts"), bool)
    types |= dict.fromkeys(("suits", "optimisation", "kept_by"), str)
    plain = (key for key in _KERNEL_KEYS if key in part.values and key not in ("name", "match", "memory"))
    given: dict[str, Any] = {key: part.get(key, types.get(key, int)) for key in plain}
    if before is None or "match" in part.values:
        given["match"] = _match(part)
    if "memory" in part.values:
        given["memory"] = _footprint(part)
    kernel = replace(before, **given) if before else Kernel(name=part.identifier("name"), **given)
    _makes_sense(part, kernel)
    return replace(kernel, own_header=_own_header(kernel.keeper, folders), place=part.place(""))


def _own_header(name: str, folders: tuple[tuple[str, Path], ...]) -> str:
    """The kernel's header in the first of the targets' folders that has one; "" where none has."""
    found = (file.relative_to(at) for _, at in folders for file in sorted((at / "tables").rglob(f"{name}.h")))
    return next(map(str, found), "")


def _makes_sense(part: _Part, kernel: Kernel) -> None:
    """Values that make no sense, and keys that say nothing without another one. Raises: BadTarget."""
    as_numbers = kernel.bulk and not kernel.words and not kernel.bulk_key_bytes
    key_bytes = [
        kernel.max_key_bytes or _NO_LIMIT,
        -(-(kernel.max_bits or _NO_LIMIT) // 8) if kernel.alone else _NO_LIMIT,
    ]
    if as_numbers and min(key_bytes) > _NUMBER_BYTES:
        raise part.wrong(
            "bulk",
            f"bulk takes keys as numbers: max_key_bytes of at most {_NUMBER_BYTES} is missing, or bulk_key_bytes",
        )
    for key in part.values:
        least = 0 if key in ("min_bits", "steps", "max_data_bits") else 1
        if type(value := part.values[key]) is int and value < least:
            raise part.wrong(key, f"{key} is {value}, not at least {least}")
    if kernel.optimisation not in ("", *OPTIMISATIONS):
        known = ", ".join(OPTIMISATIONS)
        raise part.wrong("optimisation", f"there is no optimisation '{kernel.optimisation}': there are {known}")
    for key, wanted in (("bulk_key_bytes", "bulk"), ("parts", "bulk_key_bytes"), ("max_entry_bits", "words")):
        if getattr(kernel, key) and not getattr(kernel, wanted):
            raise part.wrong(key, f"{key} is of use with {wanted} only")


def _match(part: _Part) -> frozenset[MatchKind]:
    known = {kind.value for kind in MatchKind if kind is not MatchKind.SELECTOR}
    if unknown := part.strings("match") - known:
        raise part.wrong(
            "match", f"no such match kind: {', '.join(sorted(unknown))} (there are {', '.join(sorted(known))})"
        )
    return frozenset(MatchKind(kind) for kind in part.strings("match"))


def _footprint(part: _Part) -> Footprint:
    figures = _Part(part.get("memory", dict, {}), part.file, part.heading, part.number)
    figures.only(Footprint.__slots__)
    given: dict[str, Any] = {key: figures.get(key, bool if key == "slot" else int) for key in figures.values}
    return Footprint(**given)


def _counters(top: _Part, before: tuple[Counter, ...]) -> tuple[Counter, ...]:
    """The target's own, then those of the target that it extends. Raises: BadTarget."""
    made: list[Counter] = []
    for part in top.parts("counters"):
        made.append(_counter(part))
        if any(counter.name == made[-1].name for counter in (*made[:-1], *before)):
            raise part.wrong("name", f"the counter '{made[-1].name}' is there twice")
    return (*made, *before)


def _counter(part: _Part) -> Counter:
    part.only(Counter.__slots__)
    if not 0 < (size := part.get("size", int)) <= 1 << 24:
        raise part.wrong("size", f"size is {size}, not from 1 to {1 << 24}")
    return Counter(part.identifier("name"), size)


def _build(top: _Part, before: BuildDefaults) -> BuildDefaults:
    part = top.table("build")
    part.only(BuildDefaults.__slots__)
    given = {key: part.get(key, str) for key in part.values}
    for key, known in (("arch", ARCHITECTURES), ("platform", PLATFORMS)):
        if given.get(key, known[0]) not in known:
            raise part.wrong(key, f"{key} is {given[key]!r}: there are {', '.join(known)}")
    if "sysroot" in given:  # as seen from the target's folder
        given["sysroot"] = str(part.file.parent.absolute() / Path(given["sysroot"]).expanduser())
    return replace(before, **given)


def _run(top: _Part, before: RunDefaults) -> RunDefaults:
    part = top.table("run")
    part.only(RunDefaults.__slots__)
    given: dict[str, Any] = {key: part.get(key, str if key in ("cpus", "start") else int) for key in part.values}
    if "start" in given:
        part.identifier("start")
    for key, most in (("workers", MAX_WORKERS), ("burst", MAX_BURST), ("sub_batch", MAX_BURST)):
        if not 1 <= given.get(key, 1) <= most:
            raise part.wrong(key, f"{key} is {given[key]}, not from 1 to {most}")
    if "cpus" in given and not _are_cpus(given["cpus"]):
        raise part.wrong("cpus", f"cpus is {given['cpus']!r}, not CPU numbers, as in 1,2 or 2-5")
    return replace(before, **given)


def _are_cpus(text: str) -> bool:
    """Whether --cpus takes it."""
    if not re.fullmatch(r"[0-9]{1,4}(-[0-9]{1,4})?(,[0-9]{1,4}(-[0-9]{1,4})?)*", text):
        return False
    ranges = [[int(number) for number in part.split("-")] for part in text.split(",")]
    return all(numbers == sorted(numbers) and numbers[-1] <= MAX_CPU for numbers in ranges)


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
        values = self.get(key, list, None if otherwise is None else list(otherwise))
        if not all(isinstance(value, str) for value in values):
            raise self.wrong(key, f"{key} has something else than strings")
        return frozenset(values)

    def known(self, key: str, there: Iterable[str], otherwise: frozenset[str] | None) -> frozenset[str]:
        """Strings, each of which is one of those that are known. Raises: BadTarget."""
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

    def table(self, key: str) -> _Part:
        """The table [key]; an empty one if it is left out."""
        return _Part(self.get(key, dict, {}), self.file, f"[{key}]")

    def only(self, known: tuple[str, ...]) -> None:
        """A misspelt key would be ignored silently. Raises: BadTarget."""
        for key in self.values:
            if key not in known:
                raise self.wrong(key, f"unknown key '{key}': there are {', '.join(known)}")

    def wrong(self, key: str, what: str) -> BadTarget:
        """What is wrong with a key, or with the table as a whole, at its line."""
        return BadTarget(self.place(key), what)

    def place(self, key: str) -> str:
        """FILE:LINE of a key, or of the table as a whole."""
        lines = self.file.read_text(errors="replace").splitlines()
        begins = (
            [i for i, line in enumerate(lines) if line.replace(" ", "").startswith(self.heading)]
            if self.heading
            else [0]
        )
        first = begins[self.number] if self.number < len(begins) else 0
        named = re.compile(rf"\s*(\[\[?\s*)?[\"']?{re.escape(key)}[\"']?\s*[=.\]]")
        place = next((i for i in range(first, len(lines)) if key and named.match(lines[i])), first)
        return f"{self.file}:{place + 1}"
