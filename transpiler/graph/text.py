"""HLIR as short text for drawings: literals without widths, long lines cut, names without what all of them share."""

from __future__ import annotations

import re
from collections.abc import Iterable

from transpiler.analysis.locations import VALIDITY, Location
from transpiler.analysis.uses import STATE_OF_EXTERN
from transpiler.hlir import printer
from transpiler.hlir.expressions import AnySet, Expression, KeySet
from transpiler.hlir.statements import Statement

_WIDTH = re.compile(r"\b\d+[ws](?=-?(?:0x|\d))")
LINE, LINES = 48, 8  # characters in a line, lines in a node


def expression(value: Expression) -> str:
    return plain(printer.expression(value))


def key_sets(keys: Iterable[KeySet]) -> str:
    """A select case: `default` where every key is `_`."""
    keys = tuple(keys)
    if all(isinstance(key, AnySet) for key in keys):
        return "default"
    return plain(", ".join(map(printer.key_set, keys)))


def statement(what: Statement) -> str:
    return plain(printer.print_body((what,)).splitlines()[0].rstrip(";"))


def plain(text: str) -> str:
    """Without the widths of literals, which the types of the program's own text say already."""
    return _WIDTH.sub("", text)


def cut(text: str, limit: int = LINE) -> str:
    return text if len(text) <= limit else text[: limit - 1] + "…"


def some(lines: Iterable[str], limit: int = LINES) -> tuple[str, ...]:
    """The first lines, and how many more there are."""
    lines = tuple(cut(line) for line in lines)
    return lines if len(lines) <= limit else (*lines[: limit - 1], f"… {len(lines) - limit + 1} more")


def folded(text: str, limit: int = 32) -> tuple[str, ...]:
    """A condition over several lines, broken before `&&` and `||`."""
    lines = [""]
    for part in re.split(r" (?=&&|\|\|)", text):
        part = _bare(part)
        if lines[-1] and len(lines[-1]) + len(part) >= limit:
            lines.append(part)
        else:
            lines[-1] = f"{lines[-1]} {part}".strip()
    return some(lines)


def last(name: str) -> str:
    """The last part of a dotted name."""
    return name.rpartition(".")[2]


def location(where: Location) -> str:
    """A variable, a field, a header's validity or an extern's state."""
    match where.field:
        case "":
            return where.owner
        case field if field == VALIDITY:
            return f"{where.owner}.isValid()"
        case field if field == STATE_OF_EXTERN:
            return where.owner
        case field:
            return f"{where.owner}.{field}"


def _bare(part: str) -> str:
    """`&& (a == b)` without the parentheses, where there is nothing but one comparison in them."""
    return re.sub(r"^(&& |\|\| )?\(([^()]*)\)$", lambda found: (found[1] or "") + found[2], part)
