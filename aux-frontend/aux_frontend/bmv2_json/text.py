"""JSON with the place of each value, so that what is wrong with a program can be told where it is."""

from __future__ import annotations

import json
import re
from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass, field

from transpiler.diagnostics import Diagnostics, Span

_TOKEN = re.compile(
    r"[ \t\r\n]*(?:(?P<mark>[{}\[\],:])|(?P<string>\"(?:[^\"\\\x00-\x1f]|\\.)*\")"
    r"|(?P<number>-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?)|(?P<word>true|false|null))"
)
_WORDS = {"true": True, "false": False, "null": None}
_BLANK = re.compile(r"[ \t\r\n]*")


class Invalid(Exception):
    """Something was reported; its user goes on with what comes after."""


@dataclass
class Document:
    """The text of a file and where its lines begin."""

    file: str
    text: str
    diagnostics: Diagnostics
    starts: list[int] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.starts = [0, *(match.end() for match in re.finditer("\n", self.text))]

    def span(self, offset: int, length: int = 1) -> Span:
        line = bisect_right(self.starts, offset)
        return Span(self.file, line, offset - self.starts[line - 1] + 1, max(length, 1))


Plain = dict[str, "Node"] | list["Node"] | str | int | float | bool | None


@dataclass(eq=False, slots=True)
class Node:
    """A value and where it is. `key`: its name or number within `parent`."""

    value: Plain
    document: Document
    offset: int
    length: int
    parent: Node | None = None
    key: str | int = ""

    # --- where it is -------------------------------------------------------------------------------------------------

    @property
    def path(self) -> str:
        """From the root of the document: actions[3].primitives[0]."""
        steps: list[str] = []
        node = self
        while node.parent is not None:
            steps.append(f"[{node.key}]" if isinstance(node.key, int) else f".{node.key}")
            node = node.parent
        return "".join(reversed(steps)).removeprefix(".")

    @property
    def at(self) -> Span:
        """Its place in the JSON."""
        return self.document.span(self.offset, self.length)

    @property
    def span(self) -> Span:
        """Its place in the P4 program, as far as the JSON tells (`source_info`), else in the JSON."""
        return self._source() or self.at

    def _source(self) -> Span | None:
        """The nearest `source_info`, of what it is a part of too, but not beyond the object that has a name of its own."""
        node: Node | None = self
        while node is not None:
            if isinstance(node.value, dict):
                told = _told(node.value.get("source_info"))
                if told is not None or "id" in node.value:
                    return told
            node = node.parent
        return None

    def fail(self, message: str) -> Invalid:
        """Report what is wrong with it, to be raised."""
        source = self._source()
        notes = () if source is None else ((source, "it comes from here"),)
        path = self.path
        self.document.diagnostics.error(self.at, f"{path}: {message}" if path else message, *notes)
        return Invalid()

    # --- what it is --------------------------------------------------------------------------------------------------

    def maybe(self, name: str) -> Node | None:
        """A member of an object; None where it is missing or null. Raises: Invalid, of what is no object."""
        if not isinstance(self.value, dict):
            raise self.fail("an object is expected here")
        found = self.value.get(name)
        return None if found is None or found.value is None else found

    def get(self, name: str) -> Node:
        """A member of an object. Raises: Invalid."""
        found = self.maybe(name)
        if found is None:
            raise self.fail(f"'{name}' is missing")
        return found

    def has(self, name: str) -> bool:
        return isinstance(self.value, dict) and name in self.value

    def members(self) -> dict[str, Node]:
        """Raises: Invalid."""
        if not isinstance(self.value, dict):
            raise self.fail("an object is expected here")
        return self.value

    def items(self) -> list[Node]:
        """Raises: Invalid."""
        if not isinstance(self.value, list):
            raise self.fail("an array is expected here")
        return self.value

    def listed(self, name: str) -> list[Node]:
        """The elements of a member; none where it is missing. Raises: Invalid."""
        found = self.maybe(name)
        return [] if found is None else found.items()

    def tuple(self, *sizes: int) -> list[Node]:
        """Elements of an array that has one of these sizes. Raises: Invalid."""
        found = self.items()
        if len(found) not in sizes:
            raise self.fail(f"{' or '.join(map(str, sizes))} elements are expected here, not {len(found)}")
        return found

    def text(self) -> str:
        """Raises: Invalid."""
        if not isinstance(self.value, str):
            raise self.fail("a string is expected here")
        return self.value

    def integer(self, low: int = 0, high: int = (1 << 31) - 1) -> int:
        """Raises: Invalid."""
        if not isinstance(self.value, int) or isinstance(self.value, bool):
            raise self.fail("an integer is expected here")
        if not low <= self.value <= high:
            raise self.fail(f"{self.value} is not between {low} and {high}")
        return self.value

    def flag(self) -> bool:
        """Raises: Invalid."""
        if not isinstance(self.value, bool):
            raise self.fail("true or false is expected here")
        return self.value

    def told(self, name: str, otherwise: bool) -> bool:
        """A member that is true or false. Raises: Invalid."""
        found = self.maybe(name)
        return otherwise if found is None else found.flag()

    def hexadecimal(self) -> int:
        """The number of a hexstr, which may have a sign. Raises: Invalid."""
        text = self.text()
        if re.fullmatch(r"[+-]?(0[xX])?[0-9a-fA-F]+", text) is None:
            raise self.fail(f"'{text}' is not a hexadecimal number")
        return int(text, 16)


def _told(info: Node | None) -> Span | None:
    """What a `source_info` says. Its columns count from 0."""
    if info is None or not isinstance(info.value, dict):
        return None
    found = {name: node.value for name, node in info.value.items()}
    file, line, column = (found.get(name) for name in ("filename", "line", "column"))
    fragment = found.get("source_fragment")
    if not isinstance(file, str) or not file or not isinstance(line, int) or line < 1:
        return None
    length = len(fragment.partition("\n")[0].removesuffix(" ...")) if isinstance(fragment, str) else 1
    return Span(file, line, column + 1 if isinstance(column, int) and column >= 0 else 1, max(length, 1))


# --- reading ---------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Token:
    kind: str  # mark, string, number, word, or "" at the end
    text: str
    offset: int


def read(file: str, text: str, diagnostics: Diagnostics) -> Node:
    """The value that a text is. Raises: Invalid, after it was reported."""
    return _Reader(Document(file, text, diagnostics)).document_value()


class _Reader:
    def __init__(self, document: Document) -> None:
        self.document = document
        self.tokens = self._tokens()
        self.token = next(self.tokens)

    def _tokens(self) -> Iterator[_Token]:
        text, position = self.document.text, 0
        while match := _TOKEN.match(text, position):
            kind = match.lastgroup or ""
            yield _Token(kind, match[kind], match.start(kind))
            position = match.end()
        blank = _BLANK.match(text, position)
        position = blank.end() if blank else position
        if position < len(text):
            raise self._fail(position, "this is not JSON")
        while True:
            yield _Token("", "", len(text))

    def _fail(self, offset: int, message: str) -> Invalid:
        self.document.diagnostics.error(self.document.span(offset), message)
        return Invalid()

    def _next(self) -> _Token:
        token, self.token = self.token, next(self.tokens)
        return token

    def document_value(self) -> Node:
        value = self._value(None, "")
        if self.token.kind:
            raise self._fail(self.token.offset, "expected the end of the file")
        return value

    def _value(self, parent: Node | None, key: str | int) -> Node:
        token = self._next()
        node = Node(None, self.document, token.offset, len(token.text), parent, key)
        if token.text == "{" and token.kind == "mark":
            node.value = self._object(node)
        elif token.text == "[" and token.kind == "mark":
            node.value = self._array(node)
        elif token.kind == "string":
            node.value = self._string(token)
        elif token.kind == "number":
            node.value = self._number(token)
        elif token.kind == "word":
            node.value = _WORDS[token.text]
        else:
            raise self._fail(token.offset, "expected a value" if token.kind else "the file ends before its time")
        return node

    def _string(self, token: _Token) -> str:
        try:
            value: str = json.loads(token.text)
        except ValueError:
            raise self._fail(token.offset, "this is not a string of JSON") from None
        return value

    def _number(self, token: _Token) -> int | float:
        try:
            return float(token.text) if re.search(r"[.eE]", token.text) else int(token.text)
        except ValueError:
            raise self._fail(token.offset, "this number is too long") from None

    def _object(self, node: Node) -> dict[str, Node]:
        found: dict[str, Node] = {}
        while not self._closes("}", bool(found)):
            name = self._next()
            if name.kind != "string":
                raise self._fail(name.offset, "expected the name of a member")
            key = self._string(name)
            if key in found:
                raise self._fail(name.offset, f"'{key}' is there twice")
            colon = self._next()
            if colon.text != ":":
                raise self._fail(colon.offset, "expected ':'")
            found[key] = self._value(node, key)
        return found

    def _array(self, node: Node) -> list[Node]:
        found: list[Node] = []
        while not self._closes("]", bool(found)):
            found.append(self._value(node, len(found)))
        return found

    def _closes(self, mark: str, more: bool) -> bool:
        """Go past the end, or past the comma in front of what comes next."""
        if self.token.kind == "mark" and self.token.text == mark:
            self._next()
            return True
        if more:
            comma = self._next()
            if comma.text != ",":
                raise self._fail(comma.offset, f"expected ',' or '{mark}'")
        return False
