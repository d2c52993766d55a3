"""Messages as text: the source line and the caret below it."""

from __future__ import annotations

import pytest

from transpiler.diagnostics import Diagnostics, Span


def shown(line: str, column: int, length: int = 1) -> tuple[str, str]:
    """The excerpt of a line and the line with the caret, without their indentation."""
    diagnostics = Diagnostics()
    diagnostics.sources.texts["a.p4"] = [line]
    diagnostics.error(Span("a.p4", 1, column, length), "wrong")
    said, *excerpt = diagnostics.render().splitlines()
    assert said == f"a.p4:1:{column}: error: wrong"
    source, caret = (text[4:] for text in excerpt)
    assert all(len(text) <= 160 for text in excerpt)
    return source, caret


def test_a_line_of_usual_length_is_shown_whole() -> None:
    assert shown("a\tbc = d;", 3, 2) == ("a\tbc = d;", " \t^~")
    assert shown("x" * 150, 151) == ("x" * 150, " " * 150 + "^")


@pytest.mark.parametrize("at", [0, 1, 74, 75, 76, 150, 5_000, 9_900, 9_990, 9_997])
def test_a_long_line_is_cut_around_the_caret(at: int) -> None:
    line = "." * at + "abc" + "." * (10_000 - 3 - at)
    source, caret = shown(line, at + 1, 3)
    assert source[caret.index("^") : len(caret)] == "abc" and caret.endswith("^~~")
    assert source.startswith("…") == (at > 75) and source.endswith("…") == (at < 9_925)


def test_what_is_longer_than_the_excerpt_is_underlined_to_its_end() -> None:
    source, caret = shown("." * 300 + "a" * 3_000, 301, 3_000)
    assert source == "…" + "." * 75 + "a" * 75 + "…"
    assert caret == " " * 76 + "^" + "~" * 74


def test_a_place_behind_a_long_line() -> None:
    source, caret = shown("." * 9_999 + "}", 10_001)
    assert source == "…" + "." * 149 + "}" and caret == " " * 151 + "^"
