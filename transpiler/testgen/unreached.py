"""Why something was not covered: no packet can, which is proved; or the search gave up, which has a cause."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from transpiler.hlir.program import Program
from transpiler.testgen.cover import Coverage
from transpiler.testgen.proofs import proofs

if TYPE_CHECKING:
    from transpiler.testgen.search import Search


@dataclass(frozen=True, slots=True)
class Reason:
    """`proved`: no packet and no entries lead there."""

    proved: bool
    text: str


def reasons(
    program: Program, coverage: Coverage, search: Search, covered: Iterable[int], everywhere: Iterable[int]
) -> dict[int, Reason]:
    """For each item that is not covered."""
    found: dict[int, Reason] = {}
    reached = set(covered)
    proved = proofs(program, coverage)
    for number in range(len(coverage.items)):
        if number not in reached:
            found[number] = _reason(search, number, set(everywhere), proved.get(number, ""))
    return found


def _reason(search: Search, number: int, everywhere: set[int], proved: str) -> Reason:
    if number in everywhere:
        return Reason(False, "left out: more tests than were asked for would be needed")
    if proved:
        return Reason(True, f"unreachable: {proved}")
    if search.complete and not search.inexact:
        return Reason(True, "unreachable: every way of a frame through the program was taken, and none leads there")
    if search.complete:
        cause = "; ".join(search.inexact)
        return Reason(False, f"not reached: every way was taken, but results of externs are not chosen ({cause})")
    if search.reasons["time"]:
        return Reason(False, f"not reached: {search.walks} packets were tried, then the time was up")
    why = ", ".join(f"{what} ({n}×)" for what, n in search.reasons.items())
    return Reason(False, f"not reached: gave up because of {why}")
