"""The preprocessor and the way back: every token of the output must lead to where it stands in the source."""

from __future__ import annotations

import os
import re
from pathlib import Path

import pytest
from aux_frontend.line_map import LineMap, unescape
from aux_frontend.preprocess import preprocess

from transpiler.diagnostics import Diagnostics, Rejected, Span
from transpiler.frontend import Source


def run(path: Path, **options: tuple[Path, ...] | tuple[str, ...]) -> tuple[LineMap, Diagnostics]:
    diagnostics = Diagnostics()
    return preprocess(Source(path, **options), diagnostics), diagnostics  # type: ignore[arg-type]


def spans(lines: LineMap) -> list[tuple[str, Span]]:
    return [(m[0], lines.span(m.start(), len(m[0]))) for m in re.finditer(r"\w+|[^\w\s]", lines.text)]


def rejection(path: Path) -> str:
    diagnostics = Diagnostics()
    with pytest.raises(Rejected):
        preprocess(Source(path), diagnostics)
    return diagnostics.render()


def test_tokens_lead_back_through_comments_blanks_tabs_and_continued_lines(tmp_path: Path) -> None:
    file = tmp_path / "a.p4"
    file.write_text("a   b /* c */ d // e\n\tf\t g\n/* h\n  i */ j  k\nl \\\n   m   n\né /* é */  o\n")
    lines, diagnostics = run(file)
    texts = diagnostics.sources.texts[str(file)]
    found = spans(lines)
    assert [text for text, _ in found] == ["a", "b", "d", "f", "g", "j", "k", "l", "m", "n", "é", "o"]
    for text, span in found:
        assert texts[span.line - 1][span.column - 1 : span.column - 1 + span.length] == text


def test_a_token_from_a_macro_points_at_the_use_and_an_argument_at_itself(tmp_path: Path) -> None:
    file = tmp_path / "a.p4"
    file.write_text("#define ADD(x, y) sum(x, y)\n#define N 8\nbit<N>  v = ADD(p,\n   q) ;\nw\n")
    found = dict(spans(run(file)[0]))
    name = str(file)
    assert found["8"] == Span(name, 3, 5, 1)
    assert found["v"] == Span(name, 3, 9, 1)
    assert found["sum"] == Span(name, 3, 13, 3)
    assert found["p"] == Span(name, 3, 17, 1)
    assert found["q"] == Span(name, 4, 4, 1)
    assert found["w"] == Span(name, 5, 1, 1)


def test_a_place_inside_of_a_token_is_counted_from_its_begin(tmp_path: Path) -> None:
    file = tmp_path / "a.p4"
    file.write_text("/* c */   first  /* d */  second\n")
    lines, _ = run(file)
    assert lines.span(lines.text.index("second") + 2) == Span(str(file), 1, 29, 1)


def test_includes_are_known_with_their_line(tmp_path: Path) -> None:
    (tmp_path / "inner.h").write_text("inner\n")
    (tmp_path / "outer.h").write_text('/* 1\n */\n#include "inner.h"\nouter\n')
    file = tmp_path / "a.p4"
    file.write_text('\n\n#include "outer.h"\nmain\n')
    lines, diagnostics = run(file)
    assert dict(spans(lines))["inner"] == Span(str(tmp_path / "inner.h"), 1, 1, 5)
    assert dict(spans(lines))["main"] == Span(str(file), 4, 1, 4)
    assert diagnostics.sources.included_from[str(tmp_path / "inner.h")] == Span(str(tmp_path / "outer.h"), 3, 1)
    assert diagnostics.sources.included_from[str(tmp_path / "outer.h")] == Span(str(file), 3, 1)


def test_include_directories_and_definitions_come_from_the_source(tmp_path: Path) -> None:
    (tmp_path / "dir").mkdir()
    (tmp_path / "dir" / "x.h").write_text("WIDTH FLAG\n")
    file = tmp_path / "a.p4"
    file.write_text("#include <x.h>\n#include <core.p4>\n")
    lines, _ = run(file, include_dirs=(tmp_path / "dir",), defines=("WIDTH=9", "FLAG"))
    assert lines.text.split()[:2] == ["9", "1"]
    assert "packet_in" in lines.text


def test_names_stay_as_they_were_given(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for name in ("a.p4", '-q"uo\\te é.p4'):
        Path(name).write_text("x\n")
        assert spans(run(Path(name))[0])[0][1].file == name


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"x\n y\0", ":2:3: error: a NUL byte"),
        (b'#include "a.p4"\n', "nested depth"),
        (b"\n#if 1\n", ":2:1: error: unterminated #if"),
        (b"  #error not   this way\n", ":1:4: error: #error not this way"),
        (b"/* no end", ":1:1: error: unterminated comment"),
        (b"#include <nothing.p4>\n", ":1:10: error: cannot find the file 'nothing.p4'"),
    ],
)
def test_what_cannot_be_preprocessed_is_a_located_message(tmp_path: Path, content: bytes, message: str) -> None:
    file = tmp_path / "a.p4"
    file.write_bytes(content)
    assert message in rejection(file)


def test_a_file_that_is_none(tmp_path: Path) -> None:
    assert "is a directory" in rejection(tmp_path)
    assert "No such file" in rejection(tmp_path / "absent.p4")
    (tmp_path / "pipe").symlink_to("/dev/null")
    assert "not a regular file" in rejection(tmp_path / "pipe")


def test_only_regular_files_are_included(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.h")
    (tmp_path / "x.h").write_text('int\n  # include "pipe.h"\n')
    file = tmp_path / "a.p4"
    for included in ('"x.h"', "<x.h>"):
        file.write_text(f"#include {included}\n")
        diagnostics = Diagnostics()
        with pytest.raises(Rejected):
            preprocess(Source(file, (tmp_path,)), diagnostics)
        (message,) = diagnostics.messages
        assert message.message == "'pipe.h' is not a regular file, so it cannot be included"
        assert message.span == Span(str(tmp_path / "x.h"), 2, 13, 8)
    file.write_text('é #\n#include "/dev/zero"\n#include "/dev/null"\n')
    assert rejection(file).count("not a regular file") == 2


def test_a_folder_is_passed_over(tmp_path: Path) -> None:
    """Where the name leads to a file further on, that file is included."""
    (tmp_path / "core.p4").mkdir()
    file = tmp_path / "a.p4"
    file.write_text('#include "core.p4"\n')
    assert "packet_in" in run(file)[0].text
    file.write_text('#include "/"\n')
    assert ":1:" in rejection(file)


def test_a_preprocessor_that_waits_is_stopped(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("aux_frontend.preprocess._WAIT_SECONDS", 0.2)
    os.mkfifo(tmp_path / "pipe.h")
    file = tmp_path / "a.p4"
    file.write_text('#define NAME "pipe.h"\n#include NAME\n')
    assert "a.p4:1:1: error: the C preprocessor does not end" in rejection(file)


def test_an_empty_file_is_an_empty_text(tmp_path: Path) -> None:
    file = tmp_path / "a.p4"
    file.touch()
    assert run(file)[0].text.strip() == ""


def test_without_a_preprocessor_the_message_says_what_to_install(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "a.p4"
    file.write_text("x\n")
    monkeypatch.setenv("PATH", str(tmp_path))
    assert "install 'cpp'" in rejection(file)


def test_lines_that_the_preprocessor_leaves_in_place_are_comments(tmp_path: Path) -> None:
    """As in an assembler's text, which is what it is told that it reads: `#4096`, `#foo`, `# comment`."""
    file = tmp_path / "a.p4"
    file.write_text('a\n#4096\nb\n  #  foo ( "\n/* c */ #bar\n# 12\n#\n#pragma x\n# 99999999999999999999 "q"\nc #d\n')
    lines, diagnostics = run(file)
    assert lines.text.split() == ["a", "b", "c", "#d"]
    assert dict(spans(lines))["c"] == Span(str(file), 10, 1, 1)
    assert [(m.span.line, m.span.column, m.code) for m in diagnostics.messages] == [
        (line, column, "preprocessor") for line, column in ((2, 1), (4, 3), (5, 1), (6, 1), (9, 1))
    ]


@pytest.mark.parametrize(
    ("written", "name"),
    [("a.p4", "a.p4"), (r"gr\303\266\303\237e.p4", "größe.p4"), (r"a\"b\\\010", 'a"b\\\b'), (r"\377", "\udcff")],
)
def test_names_in_line_markers_are_read_as_the_preprocessor_writes_them(written: str, name: str) -> None:
    assert unescape(written) == name


@pytest.mark.parametrize("name", ["/dev/zero", "a\\000b", "/"])
def test_a_line_marker_may_name_anything(tmp_path: Path, name: str) -> None:
    file = tmp_path / "a.p4"
    file.write_text(f'# 7 "{name}"\nx\n')
    (_, at), *_ = spans(run(file)[0])
    assert (at.file, at.line) == (name.replace("\\000", "\0"), 7)
