"""What is wrong with a command."""

from __future__ import annotations

from collections.abc import Sequence


class Wrong(Exception):
    """As BMv2 tells it; `what`: before the colon."""

    def __init__(self, why: str, what: str = "Error") -> None:
        super().__init__(f"{what}: {why}")


def at_least(words: Sequence[str], count: int) -> None:
    """Raises: Wrong."""
    if len(words) < count:
        raise Wrong("Insufficient number of args")


def exactly(words: Sequence[str], count: int) -> None:
    """Raises: Wrong."""
    if len(words) != count:
        raise Wrong(f"Wrong number of args, expected {count} but got {len(words)}")


def number(word: str, what: str, behind: str = "") -> int:
    """A decimal number. Raises: Wrong."""
    try:
        return int(word)
    except ValueError:
        raise Wrong(f"Bad format for {what}{behind}") from None
