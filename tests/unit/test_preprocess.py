"""The preprocessor and the way back: every token of the output must lead to where it stands in the source."""

from __future__ import annotations

import os
import re
import threading
from contextlib import suppress
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
    lines, _ = run(file)
    assert lines.span(lines.text.index("sum") + 1) == Span(name, 3, 13, 3), "inside of what a macro made"


@pytest.mark.parametrize(
    ("line", "token", "place"),
    [
        ("bit<WIDTH> v;", "8", (3, 5, 5)),
        ("bit<WIDTH> v;", "v", (3, 12, 1)),
        ("_F(abc)  v", "5", (3, 1, 2)),  # a name may begin with _
        ("G(  a)  v", "7", (3, 5, 1)),  # what nothing in the source is replaced by is where the token before it is
        ('@name("x")  bit<WIDTH> v;', "x", (3, 8, 1)),
        ("v = WIDTH w;\n#define W w", "w", (3, 11, 1)),  # a directive on the next line is none of it
        ("F(a,\n   b) w", "w", (4, 7, 1)),
    ],
)  # fmt: skip
@pytest.mark.parametrize("included", [False, True])
def test_where_the_tokens_of_a_line_with_a_macro_come_from(
    line: str, token: str, place: tuple[int, int, int], included: bool, tmp_path: Path
) -> None:
    file = tmp_path / "a.p4"
    source = tmp_path / "x.h" if included else file
    file.write_text('#include "x.h"\nend\n')
    source.write_text(f"#define WIDTH 8\n#define _F(x) 5\n{line}\nlast\n")
    definitions = ("G(x)=(x 7)", "F(x,y)=y x")
    assert dict(spans(run(file, defines=definitions)[0]))[token] == Span(str(source), *place)


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


def test_who_includes_a_file_first_is_who_includes_it(tmp_path: Path) -> None:
    """Known of the text as of complaints; each complaint has its own chain."""
    (tmp_path / "inner.h").write_text("inner\n#warning old\n")
    (tmp_path / "outer.h").write_text('\n#include "inner.h"\n')
    file = tmp_path / "a.p4"
    file.write_text('\n#include "outer.h"\n#warning mine\n/* \n */\n#include "outer.h"\n')
    diagnostics = run(file)[1]
    inner, outer = (str(tmp_path / f"{name}.h") for name in ("inner", "outer"))
    assert diagnostics.sources.included_from[inner] == Span(outer, 2, 1)
    assert diagnostics.sources.included_from.keys() == {inner, outer}
    assert [(m.span.file, m.span.line) for m in diagnostics.messages] == [(inner, 2), (str(file), 3)]
    (tmp_path / "inner.h").write_text("inner\n")
    file.write_text('#include "inner.h"\n\n#include "inner.h"\n')
    assert run(file)[1].sources.included_from == {inner: Span(str(file), 1, 1)}


def test_an_own_file_goes_before_one_of_ours(tmp_path: Path) -> None:
    (tmp_path / "dir").mkdir()
    (tmp_path / "dir" / "core.p4").write_text("mine\n")
    file = tmp_path / "a.p4"
    file.write_text("#include <core.p4>\n")
    assert run(file, include_dirs=(tmp_path / "dir",))[0].text.split() == ["mine"]
    (tmp_path / "core.p4").write_text("beside\n")
    assert "packet_in" in run(file)[0].text, "in angle brackets no file beside is meant"


@pytest.mark.parametrize(
    ("script", "words"),
    [
        ("echo 'cc1: out of memory allocating 8 bytes' >&2; exit 1", "cc1: out of memory allocating 8 bytes"),
        ("echo note >&2; echo 'cpp: internal error' >&2; exit 4", "cpp: internal error"),
        ("exit 1", "status 1"),
        ("exit 3", "status 3"),
    ],
)
def test_a_preprocessor_that_fails(script: str, words: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """By what it says, if it says something of an error or its memory, else by its status."""
    command = tmp_path / "cpp"
    command.write_text(f"#!/bin/sh\n{script}\n")
    command.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
    file = tmp_path / "a.p4"
    file.write_text("x\n")
    assert f"a.p4:1:1: error: the C preprocessor failed: {words}\n" in rejection(file)


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
        (b"#include x\n", ":1:10: error: #include expects 'FILENAME' or <FILENAME>\n"),
        (b'#error say "no"\n', ':1:2: error: #error say "no"\n'),
    ],
)
def test_what_cannot_be_preprocessed_is_a_located_message(tmp_path: Path, content: bytes, message: str) -> None:
    file = tmp_path / "a.p4"
    file.write_bytes(content)
    assert message in rejection(file)


@pytest.mark.parametrize(
    ("line", "kind", "message", "column", "length"),
    [
        ("#include <nothing.p4>", "error", "cannot find the file 'nothing.p4' to include", 10, 12),
        ("#error no", "error", "#error no", 2, 5),
        ("#warning old", "warning", "#warning old", 2, 7),
    ],
)
def test_complaints_are_as_long_as_what_they_are_about(
    line: str, kind: str, message: str, column: int, length: int, tmp_path: Path
) -> None:
    file, diagnostics = tmp_path / "a.p4", Diagnostics()
    file.write_text(f"{line}\n")
    with suppress(Rejected):
        preprocess(Source(file), diagnostics)
    (found,) = diagnostics.messages
    assert found.span == Span(str(file), 1, column, length)
    assert found.severity.value == kind
    assert found.message.partition(" (")[0] == message


def test_a_file_that_is_none(tmp_path: Path) -> None:
    assert "is a directory" in rejection(tmp_path)
    absent = tmp_path / "absent.p4"
    assert f"{absent}:1:1: error: cannot read '{absent}': No such file or directory\n" in rejection(absent)
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
    file.write_text('é #\n#include "/dev/zero"\n#include "/dev/null"\n#include "/dev/null"\n')
    assert rejection(file).count("not a regular file") == 2, "once for each file"
    file.write_text("// a line\n" * 3000 + '#include "/dev/zero"\n')
    assert "a.p4:3001:10: error: '/dev/zero' is not a regular file" in rejection(file)


def test_a_pipe_in_a_folder_further_on(tmp_path: Path) -> None:
    """Folders are searched one after the other; in angle brackets that of the file is none of them."""
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
    os.mkfifo(tmp_path / "two" / "pipe.h")
    file = tmp_path / "a.p4"
    file.write_text("#include <pipe.h>\n")
    diagnostics = Diagnostics()
    with pytest.raises(Rejected):
        preprocess(Source(file, (tmp_path / "one", tmp_path / "two")), diagnostics)
    assert [m.message for m in diagnostics.messages] == ["'pipe.h' is not a regular file, so it cannot be included"]
    os.mkfifo(tmp_path / "pipe.h")
    assert "cannot find the file 'pipe.h' to include" in rejection(file)


def test_files_that_include_each_other(tmp_path: Path) -> None:
    for name, other in ("ab", "ba"):
        (tmp_path / f"{name}.h").write_text(
            f'#ifndef {name}_H\n#define {name}_H\n#include "{other}.h"\nof_{name}\n#endif\n'
        )
    file = tmp_path / "a.p4"
    file.write_text('#include "a.h"\n')
    assert run(file)[0].text.split() == ["of_b", "of_a"]


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


def test_nothing_waits_for_a_preprocessor_that_has_ended(tmp_path: Path) -> None:
    file = tmp_path / "a.p4"
    file.write_text("x\n")
    before = threading.active_count()
    run(file)
    alarms = [one for one in threading.enumerate() if isinstance(one, threading.Timer)]
    for one in alarms:
        one.join(1)
    assert threading.active_count() == before


def test_a_text_that_is_too_long_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("aux_frontend.preprocess._OUTPUT_LIMIT_BYTES", 4096)
    file = tmp_path / "a.p4"
    file.write_text("word " * 1000 + "\n")
    assert f"{file}:1:1: error: the preprocessed program is longer than" in rejection(file)


def test_complaints_have_the_name_that_was_given(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("-q.p4").write_text("#error no\n")
    assert rejection(Path("-q.p4")).startswith("-q.p4:1:2: error: #error no\n")


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
    file.write_text(
        'a\n#4096\nb\n  #  foo ( "\n/* c */ #bar\n# 12\n#\n#pragma x\n# 99999999999999999999 "q"\nc #d\n#pragmas\n'
    )
    lines, diagnostics = run(file)
    assert lines.text.split() == ["a", "b", "c", "#d"]
    assert dict(spans(lines))["c"] == Span(str(file), 10, 1, 1)
    assert [(m.span.line, m.span.column, m.span.length, m.code) for m in diagnostics.messages] == [
        (*place, "preprocessor") for place in ((2, 1, 5), (4, 3, 5), (5, 1, 4), (6, 1, 4), (9, 1, 22), (11, 1, 8))
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
