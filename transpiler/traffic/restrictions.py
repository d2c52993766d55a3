"""@entry_restriction: which entries a program allows in a table, in the language of p4-constraints.

A restriction is read once, its types are checked, and each of its parts becomes a function of an entry. An entry gives the
parts of its keys by name, as numbers or as arrays of numbers: many entries are judged at once.

    restriction: implied { ';' implied } [ ';' ]        implied: either [ '->' either ]
    either: both { '||' both }                          both: compared { '&&' compared }
    compared: unary [ ( '==' | '!=' | '<' | … ) unary ] unary: { '!' | '-' } ( number | key [ '::' part ] | '(' … ')' | … )
"""

from __future__ import annotations

import operator
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np

from transpiler.diagnostics import Diagnostics
from transpiler.hlir.program import MatchKind, Table
from transpiler.p4info.annotations import find
from transpiler.traffic.sources import matched

PARTS = {
    MatchKind.EXACT: ("value",), MatchKind.LPM: ("value", "prefix_length"), MatchKind.TERNARY: ("value", "mask"),
    MatchKind.OPTIONAL: ("value", "mask"), MatchKind.RANGE: ("low", "high"),
}  # fmt: skip
PRIORITY = "::priority"  # in an entry, with its keys
Entry = Mapping[str, tuple[Any, ...]]  # for each key its parts: numbers, or arrays of them

_SKIPPED = r"(?:[\s\"]|//[^\n]*|#[^\n]*|/\*.*?\*/)*"  # a preprocessor may leave `# line` behind
_TOKEN = re.compile(
    _SKIPPED + r"(0[xX][0-9a-fA-F]+|0[bB][01]+|0[oO][0-7]+|(?:0[dD])?\d+|[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)*|"
    r"->|&&|\|\||[=!<>]=|::|[<>!();-]|\Z|.)",
    re.DOTALL,
)  # fmt: skip
_COMPARED: dict[str, Callable[[Any, Any], Any]] = {
    "==": operator.eq, "!=": operator.ne, "<": operator.lt, "<=": operator.le, ">": operator.gt, ">=": operator.ge,
}  # fmt: skip


class RestrictionError(ValueError):
    """Not a restriction that can be read."""


@dataclass(frozen=True)
class _Kind:
    """A type: `bool`, `int`, `bits` of a width, or a key as a whole, with a match kind."""

    name: str
    width: int = 0
    match: MatchKind | None = None


_BOOL, _INT = _Kind("bool"), _Kind("int")


@dataclass(frozen=True)
class _Node:
    kind: _Kind
    of: Callable[[Entry], Any]


@dataclass(frozen=True)
class Restriction:
    """What entries must be like: all of the clauses hold. `named`: the keys that it is about."""

    named: frozenset[str]
    clauses: tuple[Callable[[Entry], Any], ...]

    def holds(self, entry: Entry) -> bool:
        """Whether one entry is allowed."""
        return all(clause(entry) for clause in self.clauses)


def restriction_of(table: Table, diagnostics: Diagnostics | None = None) -> Restriction | None:
    """What @entry_restriction says of a table; None where nothing, or what cannot be read: a warning says so."""
    note = find(table.annotations, "entry_restriction")
    if note is None:
        return None
    text = note.body if note.structured is None else "\n".join(str(value) for _, value in note.structured)
    keys = [key for key in table.keys if key.match_kind is not MatchKind.SELECTOR]
    kinds = {k.name: (k.match_kind, w) for k, w in zip(keys, matched(table), strict=True)}
    try:
        return _read_once(text, tuple(kinds.items()))
    except RestrictionError as error:
        if diagnostics is not None:
            said = f"the @entry_restriction of table {table.name} is left out: {error}"
            diagnostics.warning(note.span, "traffic", said)
        return None


@lru_cache
def _read_once(text: str, keys: tuple[tuple[str, tuple[MatchKind, int]], ...]) -> Restriction:
    return read(text, dict(keys))


def read(text: str, keys: Mapping[str, tuple[MatchKind, int]]) -> Restriction:
    """Raises: RestrictionError."""
    reader = _Reader(text, keys)
    clauses = tuple(node.of for node in reader.restriction())
    return Restriction(frozenset(reader.named), clauses)


def parts(kind: MatchKind, width: int, value: Any, mask: int) -> tuple[Any, ...]:
    """The parts of a key that matches `value` in the bits of `mask`."""
    match kind:
        case MatchKind.LPM:
            return value, mask.bit_count()
        case MatchKind.TERNARY | MatchKind.OPTIONAL:
            return value, mask
        case MatchKind.RANGE:
            return value, value | ((1 << width) - 1 & ~mask)
    return (value,)


def allows(table: Table, key: Sequence[int]) -> bool:
    """Whether a table may have an entry that matches the whole of this key."""
    rule = restriction_of(table)
    if rule is None:
        return True
    keys = [k for k in table.keys if k.match_kind is not MatchKind.SELECTOR]
    fields = zip(keys, matched(table), key, strict=True)
    entry = {k.name: parts(k.match_kind, width, value, (1 << width) - 1) for k, width, value in fields}
    return rule.holds({**entry, PRIORITY: (1,)})


class _Reader:
    def __init__(self, text: str, keys: Mapping[str, tuple[MatchKind, int]]) -> None:
        self.text, self.keys, self.at = text, keys, 0
        self.named: set[str] = set()
        self._next()

    def _next(self) -> str:
        """The token that was next."""
        before = getattr(self, "token", "")
        found = _TOKEN.match(self.text, self.at)
        assert found is not None  # a character that is no token is one of its own
        self.token, self.at, self.start = found[1], found.end(), found.start(1)
        return before

    def _error(self, text: str) -> RestrictionError:
        line = self.text.count("\n", 0, self.start) + 1
        return RestrictionError(
            f"line {line} of it, before {self.token!r}: {text}" if self.token else f"at its end: {text}"
        )

    def _taken(self, *tokens: str) -> bool:
        if self.token not in tokens:
            return False
        self._next()
        return True

    def restriction(self) -> list[_Node]:
        clauses = [self._bool(self.implied())]
        while self._taken(";") and self.token:
            clauses.append(self._bool(self.implied()))
        if self.token:
            raise self._error("an operator is missing")
        return clauses

    def implied(self) -> _Node:
        left = self.either()
        if not self._taken("->"):
            return left
        node = self._joined(lambda a, b: np.logical_or(np.logical_not(a), b), left, self.either())
        if self.token == "->":
            raise self._error("-> of -> needs parentheses")
        return node

    def either(self) -> _Node:
        node = self.both()
        while self._taken("||"):
            node = self._joined(np.logical_or, node, self.both())
        return node

    def both(self) -> _Node:
        node = self.compared()
        while self._taken("&&"):
            node = self._joined(np.logical_and, node, self.compared())
        return node

    def compared(self) -> _Node:
        left = self.unary()
        if self.token not in _COMPARED:
            return left
        sign = self._next()
        node = self._comparison(sign, left, self.unary())
        if self.token in _COMPARED:
            raise self._error("comparisons of comparisons need parentheses")
        return node

    def unary(self) -> _Node:
        if self._taken("!"):
            node = self._bool(self.unary())
            return _Node(_BOOL, lambda e: np.logical_not(node.of(e)))
        if self._taken("-"):
            node = self.unary()
            if node.kind != _INT:
                raise self._error("- is for numbers alone")
            return _Node(_INT, lambda e: -node.of(e))
        return self.primary()

    def primary(self) -> _Node:
        if self._taken("("):
            node = self.implied()
            while self._taken(";"):
                node = self._joined(np.logical_and, node, self.implied())
            if not self._taken(")"):
                raise self._error("')' is missing")
            return node
        if self.token[:1].isdigit():
            digits = self._next()
            number = int(digits.lower().removeprefix("0d"), 0 if digits[1:2].lower() in ("x", "b", "o") else 10)
            return _Node(_INT, lambda _: number)
        if self.token in ("true", "false"):
            value = self._next() == "true"
            return _Node(_BOOL, lambda _: value)
        if self._taken("::"):
            if not self._taken("priority"):
                raise self._error("an entry has no such attribute, but priority")
            return _Node(_INT, lambda e: e[PRIORITY][0])
        if self.token not in self.keys:
            named = re.match(r"[A-Za-z_]", self.token)
            raise self._error("the table has no such key" if named else "a key, a number or '(' is missing")
        return self._key(self._next())

    def _key(self, name: str) -> _Node:
        kind, width = self.keys[name]
        self.named.add(name)
        if not self._taken("::"):
            return _Node(_Kind("key", width, kind), lambda e: e[name])
        if self.token not in PARTS[kind]:
            raise self._error(f"{name} has no such part, but {' and '.join(PARTS[kind])}")
        part = self._next()
        number = PARTS[kind].index(part)
        return _Node(_INT if part == "prefix_length" else _Kind("bits", width), lambda e: e[name][number])

    # --- types -------------------------------------------------------------------------------------------------------

    def _bool(self, node: _Node) -> _Node:
        if node.kind != _BOOL:
            raise self._error("a condition is missing")
        return node

    def _joined(self, function: Callable[[Any, Any], Any], left: _Node, right: _Node) -> _Node:
        a, b = self._bool(left).of, self._bool(right).of
        return _Node(_BOOL, lambda e: function(a(e), b(e)))

    def _comparison(self, sign: str, left: _Node, right: _Node) -> _Node:
        ranks = ("bool", "int", "bits", "key")
        kind = max(left.kind, right.kind, key=lambda k: ranks.index(k.name))
        a, b = self._cast(left, kind), self._cast(right, kind)
        ordered = kind.name in ("int", "bits") or kind.match is MatchKind.EXACT
        if not ordered and sign not in ("==", "!="):
            raise self._error(f"{sign} compares numbers, or parts of keys")
        function = _COMPARED[sign]
        if kind.name != "key":
            return _Node(_BOOL, lambda e: function(a(e), b(e)))
        if len(PARTS[kind.match or MatchKind.EXACT]) == 1:
            return _Node(_BOOL, lambda e: function(a(e)[0], b(e)[0]))
        if sign == "==":
            return _Node(_BOOL, lambda e: _alike(a(e), b(e)))
        return _Node(_BOOL, lambda e: np.logical_not(_alike(a(e), b(e))))

    def _cast(self, node: _Node, kind: _Kind) -> Callable[[Entry], Any]:
        """A number becomes bits of a width, and bits a key that matches them as a whole."""
        own, of = node.kind, node.of
        if own == kind:
            return of
        if own.name == "bool" or kind.name == "bool" or own.name == kind.name or own.width not in (0, kind.width):
            raise self._error("what is compared has different types")
        full = (1 << kind.width) - 1
        bits = (lambda e: of(e) & full) if own == _INT else of
        if kind.name == "bits":
            return bits
        if kind.match is MatchKind.EXACT:
            return lambda e: (bits(e),)
        if kind.match is MatchKind.RANGE:
            return lambda e: (bits(e), bits(e))
        return lambda e: (bits(e), kind.width if kind.match is MatchKind.LPM else full)


def _alike(one: Sequence[Any], other: Sequence[Any]) -> Any:
    """Whether keys have the same parts."""
    result: Any = True
    for a, b in zip(one, other, strict=True):
        result = np.logical_and(result, a == b)
    return result
