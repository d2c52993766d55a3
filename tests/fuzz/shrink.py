"""Makes a failing program and its scenario smaller, as long as they fail at the same step."""

from __future__ import annotations

import re
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import TypeVar

from layout import Node, render, smaller
from oracle import Failure, Subject, fitting
from strategies import Scenario

from transpiler.interpreter import ControlError

_T = TypeVar("_T")
Case = tuple[tuple[Node, ...], Scenario | None]


def shrink(nodes: tuple[Node, ...], failure: Failure, folder: Path, seconds: float) -> tuple[tuple[Node, ...], Failure]:
    """The smallest program and failure found in that time. Compiles in `folder`."""
    deadline = time.monotonic() + seconds
    best, found = nodes, failure

    def attempt(candidate: tuple[Node, ...], scenario: Scenario | None) -> bool:
        nonlocal best, found
        again = reproduce(candidate, replace(failure, scenario=scenario), folder)
        if again is None:
            return False
        best, found = candidate, again
        return True

    for _ in range(3):
        before = best, found.scenario
        if found.scenario is not None:
            _shrink_scenario(found.scenario, lambda s: attempt(best, s), deadline)
        _shrink_program(lambda: best, lambda n: attempt(n, found.scenario), deadline)
        if (best, found.scenario) == before or time.monotonic() > deadline:
            break
    return best, found


def reproduce(nodes: tuple[Node, ...], failure: Failure, folder: Path) -> Failure | None:
    """The failure of a variant, if it is of the same kind."""
    subject = Subject.of_text(folder, render(nodes))
    try:
        found = _step(subject, failure)
    except (ControlError, KeyError, IndexError):  # the scenario speaks of what the variant lacks
        return None
    if found is None or _kind(found) != _kind(failure):
        return None
    return replace(found, build=failure.build)


def _step(subject: Subject, failure: Failure) -> Failure | None:
    if (found := subject.read()) is not None:
        return found
    scenario = failure.scenario
    if scenario is not None:
        scenario = fitting(scenario, subject.optimised)
        if failure.step in ("passes", "interpreter"):
            return subject.passes_differ(scenario)
        subject.expected(scenario)
    found = subject.compile(failure.build)
    if found is not None or scenario is None:
        return found
    assert failure.batch is not None
    return subject.switch_differs(scenario, (failure.batch,))


def _kind(failure: Failure) -> tuple[str, str]:
    """What failures of one cause mostly have in common."""
    said = failure.message
    if failure.step == "switch":
        words = re.search(r"SUMMARY: \S+: \S+|runtime error: [a-z ]+|did not start|differ|expected", said)
        return failure.step, words[0] if words else ""
    if failure.step == "passes" and failure.scenario is not None:
        return failure.step, ""
    words = re.search(r"error: .*", said)
    return failure.step, re.sub(r"\d+|‘.*?’|'.*?'", "", words[0] if words else said[:60])


def _shrink_program(
    current: Callable[[], tuple[Node, ...]], attempt: Callable[[tuple[Node, ...]], bool], deadline: float
) -> None:
    """Take the first variant that still fails, until none does. Where the last one was found the search goes on."""
    skip = 0
    while True:
        for at, candidate in enumerate(smaller(current())):
            if time.monotonic() > deadline:
                return
            if at >= skip and attempt(candidate):
                skip = max(0, at - 1)
                break
        else:
            if skip == 0:
                return
            skip = 0


def _shrink_scenario(scenario: Scenario, attempt: Callable[[Scenario], bool], deadline: float) -> None:
    current = scenario

    def packets(kept: tuple[tuple[int, bytes], ...]) -> bool:
        nonlocal current
        changed = replace(current, packets=kept)
        if time.monotonic() > deadline or not attempt(changed):
            return False
        current = changed
        return True

    _fewer(current.packets, packets)
    for name in ("removed", "late", "later", "entries", "defaults", "choices", "profiles", "value_sets", "bursts"):

        def some(kept: tuple[object, ...], name: str = name) -> bool:
            nonlocal current
            changed = replace(current, **{name: kept})  # type: ignore[arg-type]
            if time.monotonic() > deadline or not attempt(changed):
                return False
            current = changed
            return True

        _fewer(getattr(current, name), some)


def _fewer(items: tuple[_T, ...], attempt: Callable[[tuple[_T, ...]], bool]) -> None:
    """Halves away, then quarters, down to single items."""
    size = len(items)
    while size:
        at = 0
        while at < len(items):
            kept = items[:at] + items[at + size :]
            if attempt(kept):
                items = kept
            else:
                at += size
        size //= 2
