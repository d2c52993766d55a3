"""Templates are compiled once in a process, and again only when their text changes; those of a target must do something."""

from __future__ import annotations

from pathlib import Path

import jinja2
import pytest

from macsad.compilation import Request, generate_c, load
from transpiler.codegen.render import check, environment
from transpiler.targets.target import BadTemplate

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


def checked(folder: Path, **layers: dict[str, str]) -> None:
    """Check the templates of these layers, of which the last is ours."""
    for layer, files in layers.items():
        for name, text in files.items():
            (folder / layer / name).parent.mkdir(parents=True, exist_ok=True)
            (folder / layer / name).write_text(text)
    *target, ours = layers
    made = environment((*((name, folder / name) for name in target), ("software", folder / ours)))
    check(made, tuple((name, folder / name) for name in target), folder / ours)


OURS = {"a.j2": "", "steps/run.c.j2": "{% block inner %}{% endblock %}"}


@pytest.mark.parametrize(
    ("top", "base"),
    [
        ({"a.j2": ""}, {}),
        ({"steps/run.c.j2": ""}, {}),
        ({"b.j2": ""}, {"b.j2": "", "a.j2": "{% include 'b.j2' %}"}),  # that of the target that it extends
        ({"b.j2": "", "a.j2": "{% include 'b.j2' %}"}, {}),
        ({}, {"a.j2": ""}),
        ({".hidden": ""}, {"a.j2": ""}),
        ({"a.j2": "{% extends 'steps/run.c.j2' %}{% block inner %}{% block own %}{% endblock %}{% endblock %}"}, {}),
        ({"a.j2": "{% extends 'c.j2' %}{% block inner %}{% endblock %}", "c.j2": "{% extends 'steps/run.c.j2' %}"}, {}),
    ],
)
def test_templates_that_do_something(top: dict[str, str], base: dict[str, str], tmp_path: Path) -> None:
    """They override one of the layers below, or another of their own layer names them."""
    (tmp_path / "top").mkdir()
    (tmp_path / "base").mkdir()
    checked(tmp_path, top=top, base=base, ours=OURS)


@pytest.mark.parametrize(
    ("top", "base", "message"),
    [
        ({"b.j2": ""}, {}, "top/b.j2:1: no template 'b.j2' is there to be overridden; did you mean a.j2?"),
        ({}, {"zzzzzz": ""}, "base/zzzzzz:1: is no template: the name of one ends in .j2"),
        ({"zzz.xyz.q": ""}, {}, "top/zzz.xyz.q:1: is no template"),
        ({}, {"vwxyz/uvw.xyz.j2": ""},
         "no template 'vwxyz/uvw.xyz.j2' is there to be overridden; there are a.j2, steps/run.c.j2"),
        (dict.fromkeys("hcagbdfe", ""), {}, "top/a:1: is no template"),  # the first by its name
        ({"a.j2": "\n{% extends 'nowhere.j2' %}"}, {}, "top/a.j2:2: TemplateNotFound: nowhere.j2"),
        ({"a.j2": "{% extends 'steps/run.c.j2' %}\n{% block outer %}{% endblock %}"}, {},
         "top/a.j2:2: 'steps/run.c.j2' has no block 'outer': there are inner"),
        ({"steps/run.c.j2": "{% extends 'software/a.j2' %}{% block x %}{% endblock %}"}, {}, "has no block 'x': there are none"),
    ],
)  # fmt: skip
def test_templates_that_would_do_nothing(
    top: dict[str, str], base: dict[str, str], message: str, tmp_path: Path
) -> None:
    (tmp_path / "top").mkdir()
    (tmp_path / "base").mkdir()
    with pytest.raises(BadTemplate) as raised:
        checked(tmp_path, top=top, base=base, ours=OURS)
    assert message in str(raised.value)
