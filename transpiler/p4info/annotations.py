"""Annotations: those that P4Info has a field for, and how the others are handed on. P4Runtime spec 1.4 sections 6.1, 6.5."""

from __future__ import annotations

import ast
import re
from collections.abc import Collection, Iterable

from transpiler.hlir.interface import Annotation, Literal
from transpiler.p4info.messages import Message

_ELSEWHERE = frozenset({"name", "id", "brief", "description"})  # P4Info has fields for what these say
_PAIR = re.compile(r'\s*(\w+)\s*=\s*("(?:[^"\\]|\\.)*"|\w+)\s*(?:,|$)')


def find(annotations: Iterable[Annotation], name: str) -> Annotation | None:
    """The first annotation of that name."""
    return next((note for note in annotations if note.name == name), None)


def hidden(annotations: Iterable[Annotation]) -> bool:
    """Whether @hidden keeps an object from the control plane."""
    return find(annotations, "hidden") is not None


def text(note: Annotation) -> str:
    """The string that is the annotation's body."""
    if note.structured is not None:
        return str(note.structured[0][1]) if note.structured else ""
    return unquoted(note.body.strip())


def number(note: Annotation) -> int | None:
    """The number that is the annotation's body; None when it is none."""
    if note.structured is not None:
        value = note.structured[0][1] if len(note.structured) == 1 else None
        return value if isinstance(value, int) and not isinstance(value, bool) else None
    return literal_number(note.body.strip())


def literal_number(body: str) -> int | None:
    """A number in P4's notation: 10, 0x1F, 8w255, 1_000."""
    match = re.fullmatch(r"(?:\d+[ws])?((?:0[xX][\da-fA-F_]+)|(?:0[bB][01_]+)|(?:0[oO][0-7_]+)|(?:0[dD])?[\d_]+)", body)
    if match is None:
        return None
    digits = match[1].replace("_", "").lower().removeprefix("0d")
    prefixed = digits[:2] in ("0x", "0b", "0o")
    return int(digits, 0 if prefixed else 10) if digits else None


def unquoted(body: str) -> str:
    """A string literal's value; several in a row are one."""
    try:
        value = ast.literal_eval(f"({body})")
    except (ValueError, SyntaxError, RecursionError, MemoryError):
        return body
    return value if isinstance(value, str) else body


def pairs(note: Annotation) -> tuple[tuple[str, Literal], ...] | None:
    """The keys and values of @x(k = "v", …) or @x[k = "v", …]; None when it is neither."""
    if note.structured is not None:
        return note.structured
    result: list[tuple[str, Literal]] = []
    at, body = 0, note.body.rstrip()
    while at < len(body):
        match = _PAIR.match(body, at)
        if match is None:
            return None
        key, value = match.groups()
        plain = literal_number(value)
        result.append((key, plain if plain is not None else unquoted(value)))
        at = match.end()
    return tuple(result)


def add(message: Message, annotations: Iterable[Annotation], without: Collection[str] = ()) -> None:
    """Put annotations into a message that has room for both forms, those left out that it says in fields of its own."""
    for note in annotations:
        if note.name in without:
            continue
        if note.structured is not None:
            _add_structured(message.structured_annotations.add(), note.name, note.structured)
        elif note.name not in _ELSEWHERE:
            message.annotations.append(f"@{note.name}({note.body})" if note.body else f"@{note.name}")


def document(message: Message, annotations: Iterable[Annotation]) -> None:
    """@brief and @description."""
    for note in annotations:
        if note.name in ("brief", "description"):
            setattr(message.doc, note.name, text(note))


def _add_structured(message: Message, name: str, items: tuple[tuple[str, Literal], ...]) -> None:
    message.name = name
    for key, value in items:
        if key:
            pair = message.kv_pair_list.kv_pairs.add()
            pair.key = key
            _set_value(pair.value, value)
        else:
            _set_value(message.expression_list.expressions.add(), value)


def _set_value(message: Message, value: Literal) -> None:
    match value:
        case bool():
            message.bool_value = value
        case int():
            message.int64_value = value
        case str():
            message.string_value = value
