"""The extern of docs/extend/extern.md, made from that page alone, by the interpreter and the compiled switch."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "extend" / "extern.md"
FILE = re.compile(r"^`([\w./]+)`\n\n^```\w*\n(.*?)^```$", re.MULTILINE | re.DOTALL)
PACKAGE = Path("ones/macsad_ones")


@pytest.fixture
def page(tmp_path: Path) -> Path:
    """What a reader has who copies the page's files, the package installed as pip leaves it behind."""
    made = FILE.findall(PAGE.read_text())
    assert [path for path, _ in made] == [
        "ones/pyproject.toml", "ones/macsad_ones/__init__.py", "ones/macsad_ones/ones.h", "ones.p4", "ones.stf",
    ]  # fmt: skip
    for path, text in made:
        (tmp_path / path).parent.mkdir(exist_ok=True, parents=True)
        (tmp_path / path).write_text(text)
    project = tomllib.loads((tmp_path / "ones" / "pyproject.toml").read_text())["project"]
    described = tmp_path / "ones" / "macsad_ones-1.0.dist-info"
    described.mkdir()
    (described / "METADATA").write_text(
        f"Metadata-Version: 2.1\nName: {project['name']}\nVersion: {project['version']}\n"
    )
    points = project["entry-points"]["macsad.externs"]
    (described / "entry_points.txt").write_text(
        "[macsad.externs]\n" + "".join(f"{name} = {value}\n" for name, value in points.items())
    )
    return tmp_path


def macsad(page: Path, *arguments: str) -> tuple[int, str]:
    """Runs macsad with the package; its exit code, and what it says."""
    path = str(page / "ones")
    words = [sys.executable, "-c", "from macsad.cli import main; main()", *arguments]
    done = subprocess.run(words, cwd=page, env={**os.environ, "PYTHONPATH": path}, capture_output=True, text=True)
    return done.returncode, done.stdout + done.stderr


def change(file: Path, old: str, new: str) -> None:
    text = file.read_text()
    assert old in text
    file.write_text(text.replace(old, new))


@pytest.mark.parametrize("verb", ["simulate", "test"])
def test_the_page_is_an_extern(page: Path, verb: str) -> None:
    assert macsad(page, verb, "ones.p4", "ones.stf")[0] == 0
    change(page / "ones.stf", "ff 0f $", "ff 10 $")
    code, said = macsad(page, verb, "ones.p4", "ones.stf")
    assert code == 1 and "ones.stf:2" in said


def test_each_of_the_two_has_what_the_row_says(page: Path) -> None:
    change(page / PACKAGE / "ones.h", "__builtin_popcount(value)", "__builtin_popcount(value) + 1")
    assert macsad(page, "simulate", "ones.p4", "ones.stf")[0] == 0
    assert macsad(page, "test", "ones.p4", "ones.stf")[0] == 1


def test_without_the_package_the_call_is_told_with_the_page(page: Path) -> None:
    (page / "ones" / "macsad_ones-1.0.dist-info" / "entry_points.txt").unlink()
    code, said = macsad(page, "check", "ones.p4")
    assert code == 1
    at = r"^ones\.p4:24:27: error: the extern function 'count_ones' is not supported on this architecture; "
    assert re.search(at + r"see docs/extend/extern\.md$", said, re.MULTILINE)


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("        run=run,\n", "", "the extern 'ones.count': it has no reference semantics (run)"),
        ("        c=c,\n", "", "the extern 'ones.count': it has no C (c)"),
        ('name="ones.count"', 'name="hash.compute"', "the extern 'hash.compute': there is another method of that name"),
        ("ROWS =", "OTHERS =", "the extern 'macsad_ones': it has no ROWS"),
        ("NUMBER, WORD", "NUMBER, WARD", "the extern 'ones': ImportError: cannot import name 'WARD'"),
    ],
)
def test_a_row_that_is_wrong_is_told_when_macsad_starts(page: Path, old: str, new: str, said: str) -> None:
    change(page / PACKAGE / "__init__.py", old, new)
    code, text = macsad(page, "check", "ones.p4")
    assert code == 3
    assert said in text and "see docs/extend/extern.md" in text and "Traceback" not in text


@pytest.mark.parametrize(
    ("verb", "old", "new", "said"),
    [
        ("simulate", "call.input(0).bit_count()", "{}['x']", "run, called at ones.p4:24:27: line 8: KeyError: 'x'"),
        ("test", 'call.input(0)))', 'call.input(3)))', "c, called at ones.p4:24: line 12: IndexError: "),
        ("test", "return call.assign_output", "call.assign_output", "c returns None, which is no tuple of statements"),
    ],
)  # fmt: skip
def test_a_row_that_fails_is_told_with_its_line(page: Path, verb: str, old: str, new: str, said: str) -> None:
    change(page / PACKAGE / "__init__.py", old, new)
    code, text = macsad(page, verb, "ones.p4", "ones.stf")
    assert code == 3
    assert f"{PACKAGE / '__init__.py'}: the extern 'ones.count': {said}" in text
    assert "see docs/extend/extern.md" in text and "fault of macsad" not in text


@pytest.mark.parametrize(
    ("result", "parameter", "call", "said"),
    [
        (
            "bit<8>",
            "number",
            "hdr.sample.ones = count_ones(1)",
            "24:27: error: the extern function 'count_ones' is not ",
        ),
        (
            "void",
            "value",
            "count_ones(1)",
            "24:9: error: 'count_ones' is the extern method 'ones.count' here, which gives a",
        ),
        ("bool", "value", "bool odd = count_ones(1)", "24:20: error: 'count_ones' returns what is no number"),
    ],
)
def test_a_declaration_that_does_not_fit_the_row_is_told(
    page: Path, result: str, parameter: str, call: str, said: str
) -> None:
    program = page / "ones.p4"
    change(program, "bit<8> count_ones(in bit<32> value)", f"{result} count_ones(in bit<32> {parameter})")
    change(program, "hdr.sample.ones = count_ones(hdr.sample.value) + count_ones(7)", call)
    code, text = macsad(page, "check", "ones.p4")
    assert code == 1 and f"ones.p4:{said}" in text


def test_an_extern_is_gone_with_its_file(tmp_path: Path) -> None:
    """All of the rest works without it, and programs that call it are told."""
    shutil.copytree(ROOT / "transpiler", tmp_path / "transpiler", ignore=shutil.ignore_patterns("__pycache__"))
    (tmp_path / "transpiler" / "externs" / "truncate.py").unlink()
    path = os.pathsep.join([str(tmp_path), str(ROOT), str(ROOT / "aux-frontend")])

    def check(program: Path) -> tuple[int, str]:
        words = [sys.executable, "-c", "from macsad.cli import main; main()", "check", str(program)]
        done = subprocess.run(
            words, cwd=tmp_path, env={**os.environ, "PYTHONPATH": path}, capture_output=True, text=True
        )
        return done.returncode, done.stdout + done.stderr

    assert check(ROOT / "apps" / "l2fwd" / "l2fwd.p4") == (0, "")
    code, said = check(ROOT / "tests" / "packets" / "paths.p4")
    assert code == 1
    at = r"paths\.p4:\d+:\d+: error: the extern function 'truncate' is not supported on this architecture; see "
    assert re.search(at, said)
