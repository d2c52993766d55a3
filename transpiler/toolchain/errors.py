"""What cannot be built, told; and command lines that people give, taken apart."""

from __future__ import annotations

import shlex


class ToolchainError(Exception):
    """What is asked for cannot be built here; the message says what is missing and how to get it."""


class WrongUsage(ToolchainError):
    """What is asked for is nowhere to be had: it makes no sense, or does not go together."""


def words(what: str, text: str) -> tuple[str, ...]:
    """A command or arguments, as a shell takes them apart. Raises: WrongUsage."""
    try:
        return tuple(shlex.split(text))
    except ValueError as error:
        raise WrongUsage(f"{what} '{text}': {str(error).lower()}") from None
