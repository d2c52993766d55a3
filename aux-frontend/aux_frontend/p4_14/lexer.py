"""Tokens of P4-14: one regular expression, comments and white space dropped. Specification 1.0.5 section 1.5.

Words are not reserved: the grammar tells by position whether `counter` is a keyword or the name of a field.
"""

from __future__ import annotations

import enum
import re
from dataclasses import dataclass

from aux_frontend.line_map import MAX_TOKENS, LineMap
from transpiler.diagnostics import Diagnostics, Rejected

MAX_WIDTH_BITS = 1 << 14  # of one field, and of a whole header: longer than a jumbo frame
MAX_DIGITS = MAX_WIDTH_BITS // 4  # of one literal; Python converts that many quickly in any base


class Kind(enum.Enum):
    WORD = "word"
    NUMBER = "number"
    STRING = "string"
    SYMBOL = "symbol"
    PRAGMA = "pragma"
    END = "end of file"


@dataclass(slots=True)
class Token:
    """`text` of a PRAGMA is the rest of its line."""

    kind: Kind
    text: str
    offset: int


_TOKENS = re.compile(
    r"""
      (?P<skip>\s+|//[^\n]*|/\*.*?\*/)
    | (?P<pragma>@pragma\b[^\n]*)
    | (?P<word>[A-Za-z_][A-Za-z0-9_]*)
    | (?P<number>(?:[0-9]+\s*'\s*[+-]?)?[0-9][0-9A-Za-z_]*)
    | (?P<string>"(?:\\.|[^"\\\n])*")
    | (?P<symbol><=|>=|==|!=|<<|>>|&&|\|\||[{}()\[\];:,.<>=+\-*/%&|^~!])
    | (?P<bad>.)
    """,
    re.VERBOSE | re.DOTALL,
)
_KINDS = {
    "word": Kind.WORD,
    "number": Kind.NUMBER,
    "string": Kind.STRING,
    "symbol": Kind.SYMBOL,
    "pragma": Kind.PRAGMA,
}
_SIZED = re.compile(r"([0-9]+)[ws](.+)")
_WORD_OPERATORS = {"and": "&&", "or": "||", "not": "!"}


def tokenize(lines: LineMap, diagnostics: Diagnostics) -> list[Token]:
    """All tokens, an END last. Characters that no token begins with are reported and left out.

    Raises: Rejected, for more than MAX_TOKENS.
    """
    tokens: list[Token] = []
    for match in _TOKENS.finditer(lines.text):
        name = match.lastgroup
        if name == "skip" or name is None:
            continue
        text = match[0]
        if name == "bad":
            shown = text if text.isprintable() else f"U+{ord(text):04X}"
            diagnostics.error(lines.span(match.start(), 1), f"unexpected character '{shown}'")
        elif text in _WORD_OPERATORS:
            tokens.append(Token(Kind.SYMBOL, _WORD_OPERATORS[text], match.start()))
        else:
            tokens.append(Token(_KINDS[name], text, match.start()))
        if len(tokens) > MAX_TOKENS:
            message = f"the program is too long: more than {MAX_TOKENS:,} words and signs"
            diagnostics.error(lines.span(match.start()), message)
            raise Rejected(diagnostics)
    tokens.append(Token(Kind.END, "", max(len(lines.text.rstrip()) - 1, 0)))
    return tokens


def number_of(text: str) -> tuple[int, int | None] | None:
    """Value and written width of a literal (`0x1f`, `0b101`, `8'255`, `8w255`); None when it is not a number."""
    width: int | None = None
    sign = 1
    if len(text) > MAX_DIGITS:
        return None
    if "'" in text:
        left, text = (part.strip() for part in text.split("'", 1))
        width = int(left)
        if text[:1] in "+-":
            sign, text = (-1 if text[0] == "-" else 1), text[1:]
    elif (sized := _SIZED.match(text)) is not None:
        width, text = int(sized[1]), sized[2]
    try:
        base = {"0x": 16, "0b": 2, "0o": 8, "0d": 10}.get(text[:2].lower())
        value = int(text, 10) if base is None else int(text[2:], base)
    except ValueError:
        return None
    return sign * value, width
