"""P4-16 tokens. Spec 1.2.5 section 6.4.

Kinds are strings: a keyword or a mark is its own kind; the others are IDENTIFIER, INTEGER, STRING, UNEXPECTED (a character
or a text that is no token: allowed in the body of an annotation, an error elsewhere) and END. `>` always stands alone
unless `=` belongs to it: the parser puts `>>` together, because type arguments end in it too.
"""

from __future__ import annotations

import re
from typing import Final, NamedTuple

from aux_frontend.line_map import MAX_TOKENS, LineMap
from transpiler.diagnostics import Diagnostics, Rejected, Span

IDENTIFIER: Final = "identifier"
INTEGER: Final = "integer"
STRING: Final = "string"
UNEXPECTED: Final = "unexpected"
END: Final = "end"

_WORDS = (
    "abstract action actions apply bool bit break const continue control default else entries enum error exit extern"
    " false for header header_union if in inout int key list match_kind out package parser priority return select state"
    " string struct switch table this transition true tuple type typedef value_set varbit void _"
)
KEYWORDS: Final = frozenset(_WORDS.split())
_MARKS = (  # a longer one before each that it begins with
    "{#} ... &&& |+|= |-|= <<= >>= |+| |-| .. += -= *= /= %= &= |= ^= == != <= >= << && || ++ +:"
    " ( ) { } [ ] < > = ; : , . ? ! ~ + - * / % & | ^ @"
)

_TOKEN = re.compile(
    rf"""\s*(?:
      (?P<word>[A-Za-z_][A-Za-z0-9_]*)
    | (?P<mark>@pragma\b|{"|".join(re.escape(mark) for mark in _MARKS.split())})
    | (?P<number>[0-9][A-Za-z0-9_]*)
    | (?P<string>"(?:[^"\\]|\\.)*")
    | (?P<other>"[^\n]*|[^\s])
    | \Z)""",
    re.VERBOSE | re.MULTILINE | re.DOTALL,
)
_NUMBER = re.compile(
    r"(?:(?P<width>[0-9]+)(?P<sign>[ws]))?"
    r"(?:0[xX](?P<hex>[0-9a-fA-F_]+)|0[bB](?P<binary>[01_]+)|0[oO](?P<octal>[0-7_]+)|(?:0[dD])?(?P<decimal>[0-9_]+))\Z"
)
_BASES = {"hex": 16, "binary": 2, "octal": 8, "decimal": 10}
_ESCAPE = re.compile(r"\\(.)", re.DOTALL)
_ESCAPED = {"n": "\n", "t": "\t", "r": "\r", '"': '"', "\\": "\\"}
_STRING = re.compile(r'"(?:[^"\\]|\\.)*"', re.DOTALL)
STRINGS = re.compile(rf"\s*{_STRING.pattern}(?:\s*\+\+\s*{_STRING.pattern})*\s*", re.DOTALL)
_NOT_UTF_8 = re.compile("[\udc80-\udcff]")
_MAX_DIGITS = 4000  # Python converts longer decimal numbers only slowly


class Token(NamedTuple):
    """`offset` counts characters of the preprocessed text; `text` is the token as written."""

    kind: str
    text: str
    offset: int
    span: Span


def tokenize(lines: LineMap, diagnostics: Diagnostics) -> list[Token]:
    """All tokens, END last. A text that is no token comes out as UNEXPECTED. Raises: Rejected, for more than MAX_TOKENS."""
    tokens: list[Token] = []
    span = lines.span
    for match in _TOKEN.finditer(lines.text):
        group = match.lastgroup
        if group is None:
            continue
        text, offset = match[group], match.start(group)
        if group == "word":
            kind = text if text in KEYWORDS else IDENTIFIER
        elif group == "mark":
            kind = text
        elif group == "number":
            kind = INTEGER
        elif group == "string" and not _NOT_UTF_8.search(text):
            kind = STRING
        else:
            kind = UNEXPECTED
        tokens.append(Token(kind, text, offset, span(offset, len(text.partition("\n")[0]))))
        if len(tokens) > MAX_TOKENS:
            diagnostics.error(tokens[-1].span, f"the program is too long: more than {MAX_TOKENS:,} words and signs")
            raise Rejected(diagnostics)
    end = len(lines.text.rstrip())
    tokens.append(Token(END, "", end, span(end)))
    return tokens


def integer(text: str) -> tuple[int, int | None, bool] | str:
    """(value, width or None, signed) of an integer literal, or what is wrong with it."""
    match = _NUMBER.match(text)
    if match is None:
        return f"'{text}' is not a number: digits of its base may follow 0x, 0o, 0b or 0d, after a width as in 8w or 8s"
    group = next(name for name in _BASES if match[name] is not None)
    digits = match[group].replace("_", "")
    if not digits:
        return f"'{text}' is not a number: it has no digits"
    if len(digits) > _MAX_DIGITS or len(match["width"] or "") > 9:
        return f"'{text[:20]}…' is too long for a number"
    signed = match["sign"] == "s"
    width = int(match["width"]) if match["width"] else None
    return int(digits, _BASES[group]), width, signed


def string(text: str) -> str:
    """The value of a string literal, given with its quotes. An unknown escape stays as it is written."""
    return _ESCAPE.sub(lambda m: _ESCAPED.get(m[1], m[0]), text[1:-1])


def strings(text: str) -> str | None:
    """The value of string literals that `++` joins, as annotations hold them; None of a text that is something else."""
    if not STRINGS.fullmatch(text):
        return None
    return "".join(string(part[0]) for part in _STRING.finditer(text))


def describe(token: Token) -> str:
    """A token as a message names it: "found …"."""
    if token.kind == END:
        return "the end of the file"
    if token.kind == STRING:
        return "a string"
    if token.kind in KEYWORDS and token.kind != "_":
        return f"the keyword '{token.text}'"
    return f"'{token.text}'"


def unexpected(text: str) -> str:
    """What is wrong with the text of an UNEXPECTED token."""
    if bad := _NOT_UTF_8.search(text):
        return f"the byte 0x{ord(bad[0]) - 0xDC00:02X} is not UTF-8 text"
    if text.startswith('"'):
        return "a string without its closing quote"
    name = text if text.isprintable() else f"U+{ord(text[0]):04X}"
    return f"the character '{name}' has no place in a P4 program"
