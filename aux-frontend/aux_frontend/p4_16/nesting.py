"""How deep a program may nest, and the stack that walking such a tree needs.

The parser rejects deeper programs with a message, so that every later recursive walk is safe under `deep_recursion`.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager

MAX_NESTING = 400  # levels of the syntax tree: parentheses, operators in a row, statements, types
_FRAMES_PER_LEVEL = 25


@contextmanager
def deep_recursion() -> Iterator[None]:
    """Allows Python calls deep enough for a tree of MAX_NESTING levels; restores the limit afterwards."""
    before = sys.getrecursionlimit()
    sys.setrecursionlimit(max(before, MAX_NESTING * _FRAMES_PER_LEVEL))
    try:
        yield
    finally:
        sys.setrecursionlimit(before)
