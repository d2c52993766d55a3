"""Canonical codes, and refusals that carry one. P4Runtime spec 1.4.1 section 12.1."""

from __future__ import annotations

import enum

from macsad.protocol import Outcome


class Code(enum.IntEnum):
    """google.rpc.Code."""

    OK = 0
    UNKNOWN = 2
    INVALID_ARGUMENT = 3
    NOT_FOUND = 5
    ALREADY_EXISTS = 6
    PERMISSION_DENIED = 7
    RESOURCE_EXHAUSTED = 8
    FAILED_PRECONDITION = 9
    ABORTED = 10
    OUT_OF_RANGE = 11
    UNIMPLEMENTED = 12
    INTERNAL = 13
    UNAVAILABLE = 14


class Refused(Exception):
    """A request, or one update of it, is not carried out."""

    def __init__(self, code: Code, message: str) -> None:
        super().__init__(message)
        self.code = code
        self.message = message


OUTCOMES = {
    Outcome.NOT_TRIED: (Code.ABORTED, "an update before it failed"),
    Outcome.WRONG: (Code.INVALID_ARGUMENT, "the switch refuses it"),
    Outcome.EXISTS: (Code.ALREADY_EXISTS, "there is such an entry already"),
    Outcome.NONE: (Code.NOT_FOUND, "there is no such entry"),
    Outcome.FULL: (Code.RESOURCE_EXHAUSTED, "the table is full"),
    Outcome.CONSTANT: (Code.PERMISSION_DENIED, "the program declares it constant"),
    Outcome.BUSY: (Code.UNAVAILABLE, "a worker of the switch hangs"),
    Outcome.USED: (Code.FAILED_PRECONDITION, "an entry or a group names it"),
    Outcome.NO_MEMORY: (Code.RESOURCE_EXHAUSTED, "the switch has no memory for it"),
}


def refusal(outcome: Outcome) -> Refused | None:
    """What the switch's answer to a change means; None: it is done."""
    return None if outcome is Outcome.DONE else Refused(*OUTCOMES[outcome])
