"""Templates are compiled once in a process, and again only when their text changes."""

from __future__ import annotations

from pathlib import Path

import jinja2
import pytest

from macsad.compilation import Request, generate_c, load
from transpiler.codegen.render import environment

PROGRAM = Path(__file__).parents[2] / "apps" / "l3fwd" / "l3fwd.p4"


def test_another_program_is_made_without_compiling_templates(monkeypatch: pytest.MonkeyPatch) -> None:
    request = Request(PROGRAM)
    program = load(request)
    made = generate_c(request, program).c

    def refused(*_: object) -> None:
        raise AssertionError("a template is compiled again")

    monkeypatch.setattr(jinja2.Environment, "compile", refused)
    assert generate_c(request, program).c == made


def test_a_template_that_has_changed_is_compiled_again(tmp_path: Path) -> None:
    for text in ("one", "another"):
        (tmp_path / "a.j2").write_text(text)
        assert environment((("mine", tmp_path),)).get_template("a.j2").render() == text
