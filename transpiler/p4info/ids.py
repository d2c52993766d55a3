"""Numbers and short names of what a controller refers to. P4Runtime spec 1.4 sections 6.3 (ids) and 6.4 (aliases).

An id is 8 bits of kind and 24 bits of number: what @id says, else a hash of the name, so that the id of an object stays
when others come and go. The hash is the one that p4c uses (Jenkins's one-at-a-time); on a collision the next number
that is free is taken, objects in the order of their names.
"""

from __future__ import annotations

import enum
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from transpiler.diagnostics import Diagnostics, Span
from transpiler.hlir.interface import Annotation
from transpiler.p4info import annotations as notes

_NUMBERS = 1 << 24


class Kind(enum.IntEnum):
    """The upper byte of an id: P4Ids.Prefix of p4info.proto."""

    ACTION = 0x01
    TABLE = 0x02
    VALUE_SET = 0x03
    CONTROLLER_HEADER = 0x04
    ACTION_PROFILE = 0x11
    COUNTER = 0x12
    DIRECT_COUNTER = 0x13
    METER = 0x14
    DIRECT_METER = 0x15
    REGISTER = 0x16
    DIGEST = 0x17


@dataclass(frozen=True, slots=True)
class Named:
    """An object that gets an id."""

    kind: Kind
    name: str
    annotations: tuple[Annotation, ...]
    span: Span


def name_hash(name: str) -> int:
    """Jenkins's one-at-a-time hash of the name's UTF-8, 32 bits (Dr. Dobb's Journal, September 1997)."""
    value = 0
    for byte in name.encode():
        value = (value + byte) & 0xFFFFFFFF
        value = (value + (value << 10)) & 0xFFFFFFFF
        value ^= value >> 6
    value = (value + (value << 3)) & 0xFFFFFFFF
    value ^= value >> 11
    return (value + (value << 15)) & 0xFFFFFFFF


def assign(objects: Sequence[Named], diagnostics: Diagnostics) -> dict[tuple[Kind, str], int]:
    """The id of each object. Reports an @id that is not possible or taken."""
    ids: dict[tuple[Kind, str], int] = {}
    taken: dict[int, Span] = {}
    for item in objects:
        wanted = _wanted(item, diagnostics)
        if wanted is None:
            continue
        if wanted in taken:
            diagnostics.error(item.span, f"@id({wanted}) is taken", (taken[wanted], "by this"))
            continue
        taken[wanted] = item.span
        ids[item.kind, item.name] = wanted
    for item in sorted(objects, key=lambda o: (o.kind, o.name)):
        if (item.kind, item.name) not in ids:
            made = next(i for i in _candidates(item) if i not in taken)
            taken[made] = item.span
            ids[item.kind, item.name] = made
    return ids


def _candidates(item: Named) -> Iterator[int]:
    first = name_hash(item.name)
    return (item.kind << 24 | (first + step) % _NUMBERS for step in range(_NUMBERS))


def _wanted(item: Named, diagnostics: Diagnostics) -> int | None:
    """The id that @id asks for; its kind is filled in when it has none."""
    number = given_id(item.annotations, diagnostics)
    if number is None:
        return None
    if number >> 24 not in (0, item.kind):
        kind = item.kind.name.lower().replace("_", " ")
        diagnostics.error(item.span, f"the upper byte of @id({number:#x}) is not that of a {kind}, {item.kind:#04x}")
        return None
    return number | item.kind << 24


def given_id(annotations: Iterable[Annotation], diagnostics: Diagnostics) -> int | None:
    """The number in @id(n), if there is one."""
    note = notes.find(annotations, "id")
    if note is None:
        return None
    number = notes.number(note)
    if number is None or not 0 < number < 1 << 32:
        diagnostics.error(note.span, "an @id is a number from 1 to 2**32 - 1")
        return None
    return number


def assign_fields(fields: Sequence[tuple[Annotation, ...]], diagnostics: Diagnostics) -> list[int]:
    """Ids of the fields of one object, by their annotations: @id, else the next number that is free.

    The specification leaves the latter open. As with p4c, a field with an @id makes its successors' numbers start one later.
    """
    given = [given_id(annotations, diagnostics) for annotations in fields]
    taken: set[int] = set()
    for present, number in zip(fields, given, strict=True):
        if number is not None and number in taken:
            diagnostics.error(present[0].span, f"@id({number}) is given twice")
        taken |= {number} if number is not None else set()
    ids: list[int] = []
    following = 1
    for number in given:
        if number is None:
            while following in taken:
                following += 1
            taken.add(following)
            number = following
        else:
            following += 1
        ids.append(number)
    return ids


def aliases(names: Iterable[str]) -> Mapping[str, str]:
    """For each dotted name its shortest suffix that no other name has."""
    parts = {name: name.split(".") for name in names}
    uses = Counter(".".join(p[i:]) for p in parts.values() for i in range(len(p)))
    return {name: _shortest(p, uses) for name, p in parts.items()}


def _shortest(parts: list[str], uses: Mapping[str, int]) -> str:
    suffixes = (".".join(parts[i:]) for i in range(len(parts) - 1, -1, -1))
    return next((suffix for suffix in suffixes if uses[suffix] < 2), ".".join(parts))
