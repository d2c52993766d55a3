"""Room for deep walks is made while it is needed, and is as it was afterwards."""

from __future__ import annotations

import resource
import sys

import pytest

from transpiler.recursion import _FRAMES, _STACK_BYTES, deep_recursion

MIB = 1 << 20
NONE = resource.RLIM_INFINITY


@pytest.mark.parametrize(
    ("soft", "hard", "within"),
    [
        (8 * MIB, NONE, _STACK_BYTES), (8 * MIB, 512 * MIB, _STACK_BYTES), (8 * MIB, 64 * MIB, 64 * MIB),
        (8 * MIB, 8 * MIB, None), (_STACK_BYTES, NONE, None), (_STACK_BYTES - 1, NONE, _STACK_BYTES), (512 * MIB, NONE, None),
        (NONE, NONE, None),
    ],
)  # fmt: skip
@pytest.mark.parametrize("frames", [1000, _FRAMES + 5])
def test_the_stack_and_its_frames(
    soft: int, hard: int, within: int | None, frames: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nothing is made smaller; the hard limit stays; also where the walk ends with an error."""
    stack: list[tuple[int, int]] = [(soft, hard)]
    limits = [frames]
    monkeypatch.setattr(resource, "getrlimit", lambda which: stack[-1])
    monkeypatch.setattr(resource, "setrlimit", lambda which, pair: stack.append(pair))
    monkeypatch.setattr(sys, "getrecursionlimit", lambda: limits[-1])
    monkeypatch.setattr(sys, "setrecursionlimit", limits.append)
    for fails in (False, True):
        try:
            with deep_recursion():
                assert stack[-1] == (soft if within is None else within, hard)
                assert limits[-1] == max(frames, _FRAMES)
                if fails:
                    raise RecursionError
        except RecursionError:
            assert fails
        assert stack[-1] == (soft, hard) and limits[-1] == frames
        assert len(stack) == (1 if within is None else 1 + 2 * (1 + fails))
