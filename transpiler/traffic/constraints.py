"""The language of p4-constraints, in which @entry_restriction says what a table's entries must be like.

A restriction is read once, its types are checked, and each of its parts becomes a function of an entry. An entry gives the
parts of its keys by name, as numbers or as arrays of numbers: many entries are judged at once. A condition gives a degree
from 0 to 1: 1 holds, and less says how near it is, the part of an `&&` that holds. In the grammar of p4-constraints' language
specification, an operator that binds stronger is further down:

    restriction: implied { ';' implied } [ ';' ]
    implied:     either [ '->' either ]
    either:      both { '||' both }
    both:        compared { '&&' compared }
    compared:    unary [ ( '==' | '!=' | '<' | '<=' | '>' | '>=' ) unary ]
    unary:       { '!' | '-' } primary
    primary:     'true' | 'false' | number | address | '::priority' | key [ '::' part ] | '(' implied { ';' implied } ')'
    address:     ( 'ipv4' | 'ipv6' | 'mac' ) '(' "'" text "'" ')'
    part:        'value' (exact) | 'value' | 'mask' (ternary, optional) | 'value' | 'prefix_length' (lpm) | 'low' | 'high' (range)
"""

from __future__ import annotations

import operator
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from ipaddress import IPv4Address, IPv6Address
from typing import Any

import numpy as np

from transpiler.hlir.program import MatchKind

PARTS = {
    MatchKind.EXACT: ("value",), MatchKind.LPM: ("value", "prefix_length"), MatchKind.TERNARY: ("value", "mask"),
    MatchKind.OPTIONAL: ("value", "mask"), MatchKind.RANGE: ("low", "high"),
}  # fmt: skip
PRIORITY = "::priority"  # in an entry, with its keys
NESTED = 100  # parentheses and signs within each other, at most
DIGITS = 500  # of a number, at most

Entry = Mapping[str, tuple[Any, ...]]  # for each key its parts: numbers, or arrays of them

_SKIPPED = r"(?:[\s\"]|//[^\n]*|#[^\n]*|/\*.*?\*/)*"  # a preprocessor may leave `# line` behind
_TOKEN = re.compile(
    _SKIPPED + r"(0[xX][0-9a-fA-F]+|0[bB][01]+|0[oO][0-7]+|(?:0[dD])?\d+|[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)*|"
    r"->|&&|\|\||[=!<>]=|::|[<>!();-]|'[^'\n]*'|\Z|.)",
    re.ASCII | re.DOTALL,
)  # fmt: skip
_COMPARED: dict[str, Callable[[Any, Any], Any]] = {
    "==": operator.eq, "!=": operator.ne, "<": operator.lt, "<=": operator.le, ">": operator.gt, ">=": operator.ge,
}  # fmt: skip


class RestrictionError(ValueError):
    """Not a restriction that can be read."""


@dataclass(frozen=True)
class Restriction:
    """What entries must be like: all of the clauses hold, as they have the degree 1. `named`: the keys that it is about, and
    the priority."""

    named: frozenset[str]
    clauses: tuple[Callable[[Entry], Any], ...]

    def holds(self, entry: Entry) -> bool:
        """Whether one entry is allowed."""
        return all(clause(entry) == 1 for clause in self.clauses)


def read(text: str, keys: Mapping[str, tuple[MatchKind, int]]) -> Restriction:
    """`keys`: the match kind and width of each. Raises: RestrictionError."""
    reader = _Reader(text, keys)
    clauses = tuple(node.of for node in reader.restriction())
    return Restriction(frozenset(reader.named), clauses)


@dataclass(frozen=True)
class _Kind:
    """A type: `bool`, `int`, `bits` of a width, or a `key` as a whole, with a match kind."""

    name: str
    width: int = 0
    match: MatchKind = MatchKind.EXACT


_BOOL, _INT = _Kind("bool"), _Kind("int")
_RANKS = ("bool", "int", "bits", "key")


@dataclass(frozen=True)
class _Node:
    kind: _Kind
    of: Callable[[Entry], Any]


class _Reader:
    def __init__(self, text: str, keys: Mapping[str, tuple[MatchKind, int]]) -> None:
        self.text, self.keys, self.at, self.nested = text, keys, 0, 0
        self.named: set[str] = set()
        self.token = ""
        self._next()

    def _next(self) -> str:
        """The token that was next."""
        before = self.token
        found = _TOKEN.match(self.text, self.at)
        assert found is not None  # a character that is no token is one of its own
        self.token, self.at, self.start = found[1], found.end(), found.start(1)
        return before

    def _error(self, text: str) -> RestrictionError:
        line = self.text.count("\n", 0, self.start) + 1
        before = self.token if len(self.token) <= 80 else self.token[:80] + "…"
        return RestrictionError(f"line {line} of it, before {before!r}: {text}" if before else f"at its end: {text}")

    def _taken(self, *tokens: str) -> bool:
        if self.token not in tokens:
            return False
        self._next()
        return True

    def _expect(self, token: str) -> None:
        if not self._taken(token):
            raise self._error(f"{token!r} is missing")

    # --- operators, from those that bind least -----------------------------------------------------------------------

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
        node = self._joined(lambda if_, then: np.maximum(if_ != 1, then), [left, self.either()])
        if self.token == "->":
            raise self._error("-> of -> needs parentheses")
        return node

    def either(self) -> _Node:
        nodes = [self.both()]
        while self._taken("||"):
            nodes.append(self.both())
        return self._joined(np.maximum, nodes)

    def both(self) -> _Node:
        nodes = [self.compared()]
        while self._taken("&&"):
            nodes.append(self.compared())
        return self._all(nodes)

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
        self.nested += 1
        if self.nested > NESTED:
            raise self._error(f"more than {NESTED} parentheses or signs are within each other")
        if self._taken("!"):
            node = self._bool(self.unary())
            made = _Node(_BOOL, lambda e: node.of(e) != 1)
        elif self._taken("-"):
            node = self.unary()
            if node.kind != _INT:
                raise self._error("- is for numbers alone")
            made = _Node(_INT, lambda e: -node.of(e))
        else:
            made = self.primary()
        self.nested -= 1
        return made

    # --- what they are between ---------------------------------------------------------------------------------------

    def primary(self) -> _Node:
        if self._taken("("):
            nodes = [self.implied()]
            while self._taken(";"):
                nodes.append(self.implied())
            self._expect(")")
            return self._all(nodes)
        if re.match("[0-9]", self.token):
            return self._number()
        if self.token in ("true", "false"):
            value = self._next() == "true"
            return _Node(_BOOL, lambda _: value)
        if self._taken("::"):
            if not self._taken("priority"):
                raise self._error("an entry has no such attribute, but priority")
            self.named.add(PRIORITY)
            return _Node(_INT, lambda e: e[PRIORITY][0])
        if self.token in self.keys:
            return self._key(self._next())
        if self.token in ("ipv4", "ipv6", "mac"):
            return self._address(self._next())
        named = re.match(r"[A-Za-z_]", self.token)
        raise self._error("the table has no such key" if named else "a key, a number or '(' is missing")

    def _number(self) -> _Node:
        if len(self.token) > DIGITS:
            raise self._error(f"it has more than {DIGITS} digits")
        digits = self._next()
        number = int(digits.lower().removeprefix("0d"), 0 if digits[1:2].lower() in ("x", "b", "o") else 10)
        return _Node(_INT, lambda _: number)

    def _address(self, kind: str) -> _Node:
        self._expect("(")
        text = self.token[1:-1] if self.token[:1] == "'" else ""
        try:
            if kind == "mac":
                number = int(re.fullmatch("(?:[0-9A-Fa-f]{2}:){5}[0-9A-Fa-f]{2}", text)[0].replace(":", ""), 16)  # type: ignore[index]
            else:
                number = int(IPv4Address(text) if kind == "ipv4" else IPv6Address(text))
        except (TypeError, ValueError):
            raise self._error(f"the text of the {kind} address is missing") from None
        self._next()
        self._expect(")")
        return _Node(_INT, lambda _: number)

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

    def _joined(self, function: Callable[[Any, Any], Any], nodes: Sequence[_Node]) -> _Node:
        """One for all of them, from the left."""
        if len(nodes) == 1:
            return nodes[0]
        first, *others = [self._bool(node).of for node in nodes]

        def joined(entry: Entry) -> Any:
            result = 1.0 * first(entry)
            for other in others:
                result = function(result, 1.0 * other(entry))
            return result

        return _Node(_BOOL, joined)

    def _all(self, nodes: Sequence[_Node]) -> _Node:
        """The part of them that holds."""
        joined = self._joined(operator.add, nodes).of
        return nodes[0] if len(nodes) == 1 else _Node(_BOOL, lambda e: joined(e) / len(nodes))

    def _comparison(self, sign: str, left: _Node, right: _Node) -> _Node:
        kind = max(left.kind, right.kind, key=lambda k: _RANKS.index(k.name))
        a, b = self._cast(left, kind), self._cast(right, kind)
        function, whole = _COMPARED[sign], kind.name == "key" and kind.match is not MatchKind.EXACT
        if sign not in ("==", "!=") and (kind == _BOOL or whole):
            raise self._error(f"{sign} compares numbers, or parts of keys")
        if kind.name != "key":
            return _Node(_BOOL, lambda e: function(a(e), b(e)))
        if not whole:
            return _Node(_BOOL, lambda e: function(a(e)[0], b(e)[0]))
        if sign == "==":
            return _Node(_BOOL, lambda e: _alike(a(e), b(e)))
        return _Node(_BOOL, lambda e: np.logical_not(_alike(a(e), b(e))))

    def _cast(self, node: _Node, kind: _Kind) -> Callable[[Entry], Any]:
        """A number becomes bits of a width, and bits a key that matches them as a whole."""
        own, of = node.kind, node.of
        if own == kind:
            return (lambda e: of(e) == 1) if kind == _BOOL else of
        if own == _BOOL or own.name == kind.name or own.width not in (0, kind.width):
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
    return np.logical_and(one[0] == other[0], one[1] == other[1])
