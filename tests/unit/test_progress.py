"""Bars and texts that are drawn again: on a terminal at once, elsewhere none, or one behind the other."""

from __future__ import annotations

import io
import sys
from collections.abc import Callable

import pytest

from macsad.progress import compiling, counting, redrawn


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.fixture(autouse=True)
def plain_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv("COLUMNS", "80")
    for name in ("NO_COLOR", "FORCE_COLOR", "TTY_COMPATIBLE", "TTY_INTERACTIVE"):
        monkeypatch.delenv(name, raising=False)


def test_a_text_is_drawn_at_once_and_what_is_printed_stays_above() -> None:
    stream = Terminal()
    with redrawn(stream) as draw:
        draw("first\n")
        assert "first" in stream.getvalue() and "\x1b[" in stream.getvalue()
        before = len(stream.getvalue())
        draw("second \x07")
        after = stream.getvalue()[before:]
        assert "second \\x07" in after and "first" not in after
        before = len(stream.getvalue())
        draw.above("above\n")
        after = stream.getvalue()[before:]
        assert after.index("above") < after.index("second")
        draw.above("y" * 200)
        assert "y" * 200 in stream.getvalue(), "what stays is whole, and copied as one line"
        draw("x" * 200)
    assert "x" * 80 in stream.getvalue() and "x" * 81 not in stream.getvalue()


@pytest.mark.parametrize("transient", [False, True])
def test_the_last_text_stays_unless_it_is_transient(transient: bool) -> None:
    stream = Terminal()
    with redrawn(stream, transient) as draw:
        draw("last")
        before = len(stream.getvalue())
    end = stream.getvalue()[before:]
    assert (end.rindex("\x1b[2K") > end.rindex("last")) is transient


def test_elsewhere_texts_follow_each_other() -> None:
    stream = io.StringIO()
    with redrawn(stream) as draw:
        draw("first")
        draw.above("above\n")
        draw("second")
    assert stream.getvalue() == "first\nabove\nsecond\n"


@pytest.mark.parametrize("bar", [lambda: counting("measuring"), compiling], ids=["counting", "compiling"])
def test_a_bar_is_on_a_terminal_only_and_is_gone_at_the_end(
    bar: Callable[[], object], monkeypatch: pytest.MonkeyPatch
) -> None:
    for stream in (Terminal(), io.StringIO()):
        monkeypatch.setattr(sys, "stderr", stream)
        with bar() as advance:  # type: ignore[attr-defined]
            advance(3, 7)
        told = stream.getvalue()
        if stream.isatty():
            assert "3/7" in told and ("measuring" in told or "compiling the backend" in told)
            assert told.rindex("\x1b[2K") > told.rindex("3/7")
        else:
            assert not told


def test_nothing_is_seen_of_a_compilation_that_does_not_happen(monkeypatch: pytest.MonkeyPatch) -> None:
    stream = Terminal()
    monkeypatch.setattr(sys, "stderr", stream)
    with compiling():
        pass
    assert "compiling" not in stream.getvalue()
