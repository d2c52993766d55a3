"""DOT → SVG or PNG, by Graphviz's `dot`."""

from __future__ import annotations

import shutil
import subprocess

TIMEOUT_SECONDS = 60


class GraphvizError(Exception):
    """`dot` is missing, failed or took too long; the message is for people."""


def render(dot: str, form: str) -> bytes:
    """The picture; `form` is "svg" or "png". Raises: GraphvizError."""
    program = shutil.which("dot")
    if program is None:
        raise GraphvizError(
            f"{form} needs Graphviz, and `dot` is not installed: apt-get install graphviz (or write .dot)"
        )
    try:
        done = subprocess.run(
            [program, f"-T{form}"], input=dot.encode(errors="replace"), capture_output=True, timeout=TIMEOUT_SECONDS
        )
    except subprocess.TimeoutExpired:
        raise GraphvizError(f"dot took more than {TIMEOUT_SECONDS} s: write .dot and draw it yourself") from None
    except OSError as error:
        raise GraphvizError(f"{program} does not run: {error.strerror}") from None
    if done.returncode != 0:
        raise GraphvizError(f"dot failed: {done.stderr.decode(errors='replace').strip()}")
    return done.stdout
