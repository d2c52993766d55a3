"""What a switch refuses, as the exceptions of the services: by BMv2's codes."""

from __future__ import annotations

import functools
import re
from collections.abc import Callable
from typing import Any

# What the control socket says → BMv2's code. The first that is found in it counts.
_SAID = (
    (r"^table .* is full", "TABLE_FULL"),
    (r"^\S+ is full", "TABLE_FULL"),
    (r"has no such entry|is not a handle", "INVALID_HANDLE"),
    (r"has an entry with this key already", "DUPLICATE_ENTRY"),
    (r"^the entries of table .* are constant", "IMMUTABLE_TABLE_ENTRIES"),
    (r"^the default action of table .* is constant", "DEFAULT_ACTION_IS_CONST"),
    (r"has no key: it has a default entry only", "NO_TABLE_KEY"),
    (r"has no (such )?member", "INVALID_MBR_HANDLE"),
    (r"has no (such )?group", "INVALID_GRP_HANDLE"),
    (r"is in this group already", "MBR_ALREADY_IN_GRP"),
    (r"is not in this group", "MBR_NOT_IN_GRP"),
    (r"the member is in a group", "MBR_STILL_USED"),
    (r"do not time out", "AGEING_DISABLED"),
    (r"is a CRC of", "WRONG_TYPE_CALCULATION"),
    (r"is beyond \S+, which has", "INVALID_INDEX"),
    (r"is not a multicast group|no such multicast group", "INVALID_MGID"),
    (r"no such node|is not a node handle", "INVALID_L1_HANDLE"),
)


class Refused(Exception):
    """Why a switch did not do something; `code`: BMv2's name for it, where it is no answer of the switch."""

    def __init__(self, why: str, code: str | None = None) -> None:
        super().__init__(why)
        self.code = code or next((named for said, named in _SAID if re.search(said, why)), "ERROR")


def _code(codes: Any, name: str) -> int:
    """What a list of codes has no word for is an ERROR; one that has none of these has its first code."""
    for known in (name, "ERROR"):
        if hasattr(codes, known):
            return int(getattr(codes, known))
    return int(min(codes._VALUES_TO_NAMES))


Method = Callable[..., Any]


def refuses(exception: Any, codes: Any, *, of_context: bool = True) -> Callable[[Method], Method]:
    """A method of a service, without the context (there is one) where it has that. What is refused becomes the exception."""

    def decorate(method: Method) -> Method:
        @functools.wraps(method)
        def answered(self: Any, *arguments: Any) -> Any:
            try:
                return method(self, *arguments[of_context:])
            except Refused as refused:
                raise exception(code=_code(codes, refused.code)) from None

        return answered

    return decorate
