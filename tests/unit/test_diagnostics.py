"""Messages as text: the source line and the caret below it."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from transpiler.diagnostics import Diagnostics, Rejected, SourceMap, Span, read_lines


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


HERE, THERE = Span("a.p4", 1, 3), Span("b.p4", 2, 1)


def test_what_is_kept_and_counted() -> None:
    """The same message at the same place once; warnings but those of kinds that are turned off; an error ends the run."""
    diagnostics = Diagnostics(disabled_warnings=["unused"])
    diagnostics.warning(HERE, "shadow", "hides")
    diagnostics.raise_if_errors()
    beside, elsewhere = replace(HERE, column=HERE.column + 1), replace(HERE, file="other.p4")
    told = [(HERE, "wrong"), (THERE, "wrong"), (HERE, "worse"), (beside, "wrong"), (elsewhere, "wrong")]
    for span, message in (told[0], *told, told[0], told[-1]):
        diagnostics.error(span, message)
    diagnostics.warning(HERE, "unused", "unused")
    assert [(m.span, m.message) for m in diagnostics.messages] == [(HERE, "hides"), *told]
    assert diagnostics.error_count == 5
    with pytest.raises(Rejected, match=r"^5 errors$"):
        diagnostics.raise_if_errors()
    silent = Diagnostics(disabled_warnings=["all"])
    silent.warning(HERE, "shadow", "hides")
    assert not silent.messages and silent.render() == ""


def test_notes_and_who_included_whom() -> None:
    """A file that includes itself is told once."""
    diagnostics = Diagnostics()
    diagnostics.sources.texts |= {"a.p4": ["x = 1;"], "b.p4": ["", "   "], "c.p4": []}
    diagnostics.sources.included_from |= {
        "a.p4": Span("b.p4", 2, 1),
        "b.p4": Span("c.p4", 9, 1),
        "c.p4": Span("a.p4", 4, 1),
    }
    diagnostics.warning(HERE, "shadow", "hides\x1b", (THERE, "this"))
    assert diagnostics.render().splitlines() == [
        "In file included from b.p4:2:",
        "In file included from c.p4:9:",
        "a.p4:1:3: warning: hides\\x1b [-Wshadow]",
        "    x = 1;",
        "      ^",
        "In file included from c.p4:9:",
        "In file included from a.p4:4:",
        "b.p4:2:1: note: this",
    ]


@pytest.mark.parametrize(("more", "last"), [(0, "a.p4:50:1: error: wrong"), (2, "2 more messages not shown")])
def test_so_many_messages_are_shown(more: int, last: str) -> None:
    diagnostics = Diagnostics()
    diagnostics.sources.texts["a.p4"] = []
    for line in range(Diagnostics.LIMIT + more):
        diagnostics.error(Span("a.p4", line + 1, 1), "wrong")
    lines = diagnostics.render().splitlines()
    assert len(lines) == Diagnostics.LIMIT + bool(more) and lines[-1] == last


def test_lines_of_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Only line feeds end a line; what is too long, or no file, has none."""
    file = tmp_path / "a.p4"
    file.write_bytes(b"\xef\xbb\xbfone\r\ntwo\x0cstill\xff\nthree")
    assert read_lines(str(file)) == ["one", "two\x0cstill\ufffd", "three"]
    assert read_lines(str(tmp_path)) == read_lines(str(tmp_path / "none")) == read_lines("a\0b") == []
    assert read_lines("/dev/zero") == []
    sources = SourceMap()
    shown = [sources.line(Span(str(file), line, 1)) for line in (0, 1, 3, 4)]
    assert shown == ["", "one", "three", ""]
    for limit, length in ((file.stat().st_size, 3), (file.stat().st_size - 1, 0)):
        monkeypatch.setattr("transpiler.diagnostics.READ_LIMIT_BYTES", limit)
        assert len(read_lines(str(file))) == length
