"""Any text as the content of C strings and comments, in which it is never taken for code."""

from __future__ import annotations


def string(text: str) -> str:
    """As a C string literal: printable ASCII and octal escapes, which end after three digits whatever follows."""
    plain = frozenset(map(chr, range(0x20, 0x7F))) - frozenset('"\\?')
    escaped = (c if c in plain else "".join(f"\\{b:03o}" for b in _bytes(c)) for c in text)
    return f'"{"".join(escaped)}"'


def comment(text: str) -> str:
    """As a part of a C comment: printable ASCII, the rest as escapes to be read.

    Apart are set what would end a comment, begin another, or be a trigraph or a spliced line (C11 5.1.1.2, 5.2.1.1).
    """
    shown = "".join(c if " " <= c <= "~" else "".join(f"\\x{b:02x}" for b in _bytes(c)) for c in text)
    made = ""
    for c in shown:
        made += f" {c}" if made[-1:] + c in ("*/", "/*", "??") else c
    return f"{made} " if made.endswith("\\") else made


def _bytes(character: str) -> bytes:
    """UTF-8; of a file's name that is none, its bytes."""
    return character.encode("utf-8", "surrogateescape")
