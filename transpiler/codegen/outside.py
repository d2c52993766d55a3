"""Text that was written outside of macsad (names, strings, files) on its way into the generated C.

A view has it as `Outside`, which cannot be printed as it is: a template says `{{ x | comment }}` or `{{ x | string }}`.
In the C tree it stands as the content of strings and comments, of which the printer makes the same.
"""

from __future__ import annotations

from dataclasses import dataclass

from transpiler.codegen.c import escape


@dataclass(frozen=True, slots=True)
class Outside:
    """Such a text. Raises: TypeError, where it is printed or formatted as it is."""

    text: str

    def __bool__(self) -> bool:
        return bool(self.text)

    def __str__(self) -> str:
        raise TypeError("text from outside goes into C as `| comment` or as `| string`")


def string(text: Outside | str) -> str:
    """As a C string literal."""
    return escape.string(text.text if isinstance(text, Outside) else text)


def comment(text: Outside | str) -> str:
    """As a part of a C comment."""
    return escape.comment(text.text if isinstance(text, Outside) else text)
