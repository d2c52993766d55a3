"""What is printed is shown, not sent to the terminal; that it could not be printed is a plain no."""

from __future__ import annotations

import io
import json
import subprocess
import sys
from pathlib import Path

import pytest

from macsad import terminal
from macsad.compilation import Request, load, write_p4info
from transpiler.diagnostics import Diagnostics, Span
from transpiler.graph import control, dot, json_form
from transpiler.interpreter.trace import Event
from transpiler.shown import shown, shown_lines

MACSAD = Path(sys.executable).with_name("macsad")
FIRST = Path(__file__).parents[2] / "apps" / "l2fwd"
STEERING = "\x1b]0;x\x07\x7f\x9b31m\u202e\u2066\u200e\u2028\x85\r"
PROGRAM = FIRST.joinpath("l2fwd.p4").read_text()


@pytest.mark.parametrize(
    ("text", "seen"),
    [
        ("größe 漢 \\x1b", "größe 漢 \\x1b"),
        ("\x1b[2J\x9b\x7f\0", "\\x1b[2J\\x9b\\x7f\\x00"),
        ("\u202e\u2066\U000e0041\udc9b\ud800", "\\u202e\\u2066\\U000e0041\\x9b\\ud800"),
    ],
)
def test_what_is_seen(text: str, seen: str) -> None:
    assert shown(text) == shown_lines(text) == seen


def test_line_breaks_of_names_and_of_texts() -> None:
    assert shown("a\n\tb") == "a\\n\\tb"
    assert shown_lines("a\n\tb\r") == "a\n\tb\\r"


def test_streams_show_what_is_printed(monkeypatch: pytest.MonkeyPatch) -> None:
    below = io.TextIOWrapper(io.BytesIO(), encoding="ascii")
    monkeypatch.setattr(sys, "stdout", below)
    with terminal.shown_streams():
        print(f"{STEERING}é")
        terminal.plain(sys.stdout).write("\x1b")
    below.flush()
    assert below.buffer.getvalue() == shown(STEERING).encode() + b"\\xe9\n\x1b"  # type: ignore[attr-defined]


def test_messages_are_seen_at_once_and_counted_as_they_are_given(monkeypatch: pytest.MonkeyPatch) -> None:
    """What goes to standard error is not held back, also where it is a file."""
    out, err = (io.TextIOWrapper(io.BytesIO(), encoding="utf-8") for _ in range(2))
    monkeypatch.setattr(sys, "stdout", out)
    monkeypatch.setattr(sys, "stderr", err)
    with terminal.shown_streams():
        assert sys.stdout.write("\x1b\n") == sys.stderr.write("\x1b\n") == 2
        assert (out.buffer.getvalue(), err.buffer.getvalue()) == (b"", b"\\x1b\n")  # type: ignore[attr-defined]
    assert out.buffer.getvalue() == b"\\x1b\n"  # type: ignore[attr-defined]


def test_of_two_streams_that_take_no_more_the_first_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    class Full(io.StringIO):
        def __init__(self, problem: str) -> None:
            super().__init__()
            self.problem = problem

        def flush(self) -> None:
            raise OSError(28, self.problem)

    assert terminal.flush() is None
    for name in ("stdout", "stderr"):
        monkeypatch.setattr(sys, name, Full(name))
    assert str(terminal.flush()) == "[Errno 28] stdout"


def test_messages_name_what_is_there(tmp_path: Path) -> None:
    diagnostics = Diagnostics()
    file = tmp_path / "\x1b\n.p4"
    file.write_text("a \x1b[31m b\n")
    diagnostics.error(Span(str(file), 1, 7, 1), f"'{STEERING}\nx.p4:1:1: error: y'")
    lines = diagnostics.render().splitlines()
    assert len(lines) == 3
    assert all(line.isprintable() for line in lines)
    assert lines[2].index("^") == lines[1].index("m b")


def test_traces_are_lines() -> None:
    assert str(Event("drop", f"{STEERING}\nsend")).isprintable()


def test_files_made_of_a_program_steer_nothing(tmp_path: Path) -> None:
    """Its names are as they were where they are read again."""
    path = tmp_path / "l2fwd.p4"
    path.write_text(PROGRAM.replace("table dmac", f'@name("{STEERING}") table dmac'), newline="")
    request = Request(path, warnings=("no-all",))
    program = load(request)
    name = next(table.name for table in program.tables if "\x1b" in table.name)
    drawing = control.draw(program)
    texts = [dot.write(drawing), json_form.write(drawing)]
    for form in ("p.txtpb", "p.json"):
        write_p4info(request, program, tmp_path / form)
        texts.append((tmp_path / form).read_text())
    for text in texts:
        assert all(line.lstrip("\t").replace("\x7f", "").isprintable() for line in text.split("\n"))
    assert name in json.dumps(json.loads(texts[3]), ensure_ascii=False).encode().decode("unicode_escape") or any(
        name == table["preamble"]["name"] for table in json.loads(texts[3])["tables"]
    )


@pytest.mark.parametrize("verb", [["--help"], ["graph", FIRST / "l2fwd.p4"]])
def test_a_full_disk_is_a_plain_no(verb: list[str]) -> None:
    with Path("/dev/full").open("w") as full:
        done = subprocess.run([MACSAD, *verb], stdout=full, stderr=subprocess.PIPE, text=True, check=False)
    assert (done.returncode, done.stderr) == (
        1,
        "macsad: error: cannot write standard output: No space left on device\n",
    )


def test_a_closed_pipe_is_a_plain_no_and_said_by_nobody() -> None:
    with subprocess.Popen([MACSAD, "--help"], stdout=subprocess.PIPE, stderr=subprocess.PIPE) as verb:
        assert verb.stdout is not None and verb.stderr is not None
        verb.stdout.close()
        assert (verb.wait(), verb.stderr.read()) == (1, b"")
