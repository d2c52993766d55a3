"""Cuts an STF text into tokens, and the data of packets out of their lines."""

from __future__ import annotations

import re
from dataclasses import dataclass

from transpiler.diagnostics import Diagnostics, Span

_TOKEN = re.compile(
    r"""(?P<space>[ \t\r]+)
      | (?P<comment>\#[^\n]*)
      | (?P<newline>\n)
      | (?P<number>0[xX][0-9a-fA-F*]+ | 0[bB][01*]+ | 0[oO][0-7*]+ | [0-9]+)
      | (?P<quoted>"[^"\n]+")
      | (?P<name>[A-Za-z_$][A-Za-z0-9_$]*)
      | (?P<symbol>&&& | -> | \.\. | == | != | <= | >= | [][().,:=<>/])
    """,
    re.VERBOSE,
)


@dataclass(frozen=True, slots=True)
class Token:
    """`kind`: name, number, symbol, data (the rest of a packet's or expect's line), newline or end."""

    kind: str
    text: str
    span: Span


def tokens(text: str, file: str, diagnostics: Diagnostics) -> list[Token]:
    """All tokens, an end token last. What cannot be read is reported and passed over."""
    found: list[Token] = []
    position, line, start = 0, 1, 0
    fresh = True  # at the first word of a line
    while position < len(text):
        match = _TOKEN.match(text, position)
        span = Span(file, line, position - start + 1, len(match.group()) if match else 1)
        if match is None:
            diagnostics.error(span, f"unexpected character {text[position]!r}")
            position += 1
            continue
        kind, word = str(match.lastgroup), match.group()
        position = match.end()
        if kind == "newline":
            found.append(Token(kind, word, span))
            line, start, fresh = line + 1, position, True
        elif kind not in ("space", "comment"):
            found.append(Token("name", word[1:-1], span) if kind == "quoted" else Token(kind, word, span))
            if fresh and word.lower() in ("packet", "expect"):
                end = _end_of_data(text, position)
                found.append(Token("data", text[position:end], Span(file, line, position - start + 1, 1)))
                position = end
            fresh = False
    found.append(Token("end", "", Span(file, line, position - start + 1, 1)))
    return found


def _end_of_data(text: str, position: int) -> int:
    ends = [end for end in (text.find("\n", position), text.find("#", position)) if end >= 0]
    return min(ends, default=len(text))
