"""Text that was written outside of macsad (names, strings, files) on its way into the generated C.

A view has it as `Outside`, which cannot be printed as it is: a template says `{{ x | comment }}` or `{{ x | string }}`.
So that no such text is taken for code, in C nor by what looks into rendered C: `without_text`.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

_TEXT = re.compile(r'"(?:[^"\\]|\\.)*"|/\*.*?\*/', re.DOTALL)
# what would end a comment, begin another, or be a trigraph or a spliced line where C has these (C11 5.1.1.2, 5.2.1.1)
_IN_COMMENTS = re.compile(r"(?<=\*)/|(?<=/)\*|(?<=\?)\?|\\$")


@dataclass(frozen=True, slots=True)
class Outside:
    """Such a text. Raises: TypeError, where it is printed or formatted as it is."""

    text: str

    def __bool__(self) -> bool:
        return bool(self.text)

    def __str__(self) -> str:
        raise TypeError("text from outside goes into C as `| comment` or as `| string`")


def string(text: Outside | str) -> str:
    """As a C string literal: printable ASCII and octal escapes, which end after three digits whatever follows."""
    plain = text.text if isinstance(text, Outside) else text
    escaped = "".join(
        c if " " <= c <= "~" and c not in '"\\?' else "".join(f"\\{b:03o}" for b in _bytes(c)) for c in plain
    )
    return f'"{escaped}"'


def comment(text: Outside | str) -> str:
    """As a part of a C comment: printable ASCII, the rest as escapes to be read."""
    plain = text.text if isinstance(text, Outside) else text
    shown = "".join(c if " " <= c <= "~" else "".join(f"\\x{b:02x}" for b in _bytes(c)) for c in plain)
    return _IN_COMMENTS.sub(lambda found: f" {found[0]}" if found[0] != "\\" else "\\ ", shown)


def without_text(code: str) -> str:
    """C without its string literals and comments: what may be searched for names."""
    return _TEXT.sub(" ", code) if '"' in code or "/*" in code else code


def _bytes(character: str) -> bytes:
    """UTF-8; of a file's name that is none, its bytes."""
    return character.encode("utf-8", "surrogateescape")
