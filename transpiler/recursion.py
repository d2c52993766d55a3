"""Room for walks of deep trees: Python's own limit, and the stack that it stands for.

Statements and expressions are walked recursively everywhere. Frontends refuse what nests deeper than they say; inlining can
make more of it. Within `deep_recursion` a walk ends with RecursionError, not with the end of the stack.
"""

from __future__ import annotations

import resource
import sys
from collections.abc import Iterator
from contextlib import contextmanager

_FRAMES = 20_000  # calls of Python; a level of a tree takes 25 at most
_STACK_BYTES = 96 << 20  # Linux leaves a process 128 MiB for it, whatever its limit was when it began


@contextmanager
def deep_recursion() -> Iterator[None]:
    """Deep walks in the main thread. What a process may do is as before afterwards, and so for the processes that it starts."""
    frames = sys.getrecursionlimit()
    soft, hard = resource.getrlimit(resource.RLIMIT_STACK)
    wanted = _STACK_BYTES if hard == resource.RLIM_INFINITY else min(_STACK_BYTES, hard)
    raised = soft != resource.RLIM_INFINITY and soft < wanted
    if raised:
        resource.setrlimit(resource.RLIMIT_STACK, (wanted, hard))
    sys.setrecursionlimit(max(frames, _FRAMES))
    try:
        yield
    finally:
        sys.setrecursionlimit(frames)
        if raised:
            resource.setrlimit(resource.RLIMIT_STACK, (soft, hard))
