"""Frontends of other packages: the one of docs/extend/frontend.md, made from that page alone, and such that do it wrong."""

from __future__ import annotations

import re
import sys
import tomllib
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from macsad.cli import call

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "extend" / "frontend.md"
FILE = re.compile(r"^`([\w./]+)`\n\n^```\w*\n(.*?)^```$", re.MULTILINE | re.DOTALL)
L2FWD = ROOT / "apps" / "l2fwd" / "l2fwd.p4"


@pytest.fixture
def page(tmp_path: Path) -> Path:
    """What a reader has who copies the page's files, the package installed as pip leaves it behind."""
    made = FILE.findall(PAGE.read_text())
    assert [path for path, _ in made] == ["ring.patch", "patch/pyproject.toml", "patch/macsad_patch.py", "ring.stf"]
    for path, text in made:
        (tmp_path / path).parent.mkdir(exist_ok=True)
        (tmp_path / path).write_text(text)
    return tmp_path


@pytest.fixture
def installed(page: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    project = tomllib.loads((page / "patch" / "pyproject.toml").read_text())["project"]
    described = page / "patch" / "macsad_patch-1.0.dist-info"
    described.mkdir()
    (described / "METADATA").write_text(
        f"Metadata-Version: 2.1\nName: {project['name']}\nVersion: {project['version']}\n"
    )
    points = project["entry-points"]["macsad.frontends"]
    (described / "entry_points.txt").write_text(
        "[macsad.frontends]\n" + "".join(f"{name} = {value}\n" for name, value in points.items())
    )
    monkeypatch.syspath_prepend(str(page / "patch"))
    monkeypatch.chdir(page)
    sys.modules.pop("macsad_patch", None)
    yield page / "patch" / "macsad_patch.py"
    sys.modules.pop("macsad_patch", None)


Outcome = Callable[..., tuple[int, str]]


@pytest.fixture
def outcome(capsys: pytest.CaptureFixture[str]) -> Outcome:
    """Runs macsad; its exit code, and what it says to stderr."""

    def run(*arguments: str) -> tuple[int, str]:
        code = call(list(arguments))
        return code, capsys.readouterr().err

    return run


def change(module: Path, old: str, new: str) -> None:
    text = module.read_text()
    assert old in text
    module.write_text(text.replace(old, new))


def test_the_page_is_a_frontend(installed: Path, outcome: Outcome) -> None:
    assert outcome("check", "ring.patch") == (0, "")
    assert outcome("simulate", "ring.patch", "ring.stf") == (0, "")
    assert outcome("test", "ring.patch", "ring.stf") == (0, "")


def test_its_messages_have_places(installed: Path, outcome: Outcome) -> None:
    Path("ring.patch").write_text("0 -> 1\n 0 -> 2\n1 - 2\n511 -> 1\n")
    code, said = outcome("check", "ring.patch")
    assert code == 1
    assert re.findall(r"^(ring.patch:\S+: \w+: .*)$", said, re.MULTILINE) == [
        "ring.patch:2:2: error: port 0 is wired already",
        "ring.patch:1:1: note: here",
        "ring.patch:3:1: error: expected IN -> OUT",
        "ring.patch:4:1: error: ports are 0 to 510",
    ]


def test_std_knows_the_frontends_that_are_installed(installed: Path, outcome: Outcome) -> None:
    Path("ring.txt").write_text("0 -> 1\n")
    assert outcome("check", "ring.txt", "--std", "patch") == (0, "")
    code, said = outcome("check", "ring.txt", "--std", "wires")
    assert (code, "no frontend for 'wires': there are bmv2-json, p4-14, p4-16, patch" in said) == (2, True)


@pytest.mark.parametrize(
    ("old", "new", "complaint"),
    [
        ("ex.Const(DROP, PORT, at)", "ex.Const(1 << 47, Bits(48), at)", "ring.patch:1:1: assigned value is bit<48>, not bit<9>"),
        ('name="wired.ports"', 'name=""', "ring.patch:1:1: table name '' is empty or used twice"),
        ("pr.Role.DEPARSER", "pr.Role.EGRESS_PARSER", "ring.patch:1:1: v1model has no egress_parser"),
        ("return program(source.path, wires(source, diagnostics))", "return path", "NameError: "),
        ("wires(source, diagnostics))\n\n\ndef", "1 // 0)\n\n\ndef", "ZeroDivisionError: "),
        ("return program(", "diagnostics.raise_if_errors() or program(", "TypeError: load() gave NoneType, not a Program"),
    ],
)  # fmt: skip
def test_what_is_not_hlir_is_the_frontends_fault(
    installed: Path, outcome: Outcome, old: str, new: str, complaint: str
) -> None:
    change(installed, old, new)
    for verb in ("check", "build"):
        code, said = outcome(verb, "ring.patch")
        assert code == 3
        assert said.startswith("macsad: error: the frontend 'patch' (macsad-patch 1.0): ")
        assert complaint in said
        assert "(see docs/extend/frontend.md)\n" in said
        assert "This is a fault of the frontend 'patch' (macsad-patch 1.0). Please report it to its authors" in said


def test_one_that_rejects_must_say_why(installed: Path, outcome: Outcome) -> None:
    change(
        installed,
        "return program(",
        "from transpiler.diagnostics import Rejected; raise Rejected(diagnostics)\n        return program(",
    )
    code, said = outcome("check", "ring.patch")
    assert (code, "rejects the program, but says nothing" in said) == (3, True)


@pytest.mark.parametrize(
    ("old", "new", "problem"),
    [
        ("import re\n", "import no_such_module\n", "ModuleNotFoundError: No module named 'no_such_module'"),
        ("class Patch:", "class Other:", "AttributeError: "),
        ("return 1.0 if", "return undefined if", "NameError: "),
        ("return 1.0 if", "return 'sure' if True or", "ValueError: "),
    ],
)
def test_one_that_does_not_work_is_a_warning_to_others(
    installed: Path, outcome: Outcome, old: str, new: str, problem: str
) -> None:
    change(installed, old, new)
    Path("l2fwd.patch").write_text(L2FWD.read_text())  # so that the name says nothing of the language
    code, said = outcome("check", "l2fwd.patch")
    assert code == 0
    assert f"l2fwd.patch:1:1: warning: the frontend 'patch' (macsad-patch 1.0) cannot be used: {problem}" in said
    assert "(see docs/extend/frontend.md)" in said
    # where it stands, if a line of the frontend's raised it
    assert bool(re.search(rf", at {installed}:\d+ \(see", said)) == (
        "AttributeError" not in problem and "'sure'" not in new
    )
    assert outcome("check", "l2fwd.patch", "-W", "no-frontend") == (0, "")


def test_one_that_does_not_work_is_an_error_where_it_is_asked_for(installed: Path, outcome: Outcome) -> None:
    change(installed, "import re\n", "import no_such_module\n")
    code, said = outcome("check", "ring.patch", "--std", "patch")
    assert code == 3
    assert "the frontend 'patch' (macsad-patch 1.0): ModuleNotFoundError: No module named 'no_such_module'" in said
