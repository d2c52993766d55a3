"""Which frontend reads a program, and whose fault it is where one goes wrong. The frontends are those of this file."""

from __future__ import annotations

import json
import sysconfig
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from macsad import frontends
from macsad.frontends import FrontendFault, Plugin, frontend_for, installed
from macsad.resources import share
from transpiler.architectures import facts
from transpiler.diagnostics import Diagnostics, NotRun, Rejected, Span
from transpiler.frontend import Source
from transpiler.hlir import program as hlir

AT = Span("p.x", 1, 1)


class Frontend:
    """`sure`: of any program; `raises`: when it reads one, after so many errors that it tells of."""

    def __init__(self, sure: Any = 0.5, raises: Any = None, errors: int = 0) -> None:
        self.sure, self.raises, self.errors = sure, raises, errors
        self.asked: list[Any] = []

    def recognises(self, path: Path, text: str) -> Any:
        self.asked.append((path.name, text))
        if isinstance(self.sure, Exception):
            raise self.sure
        return self.sure

    def check(self, source: Source, diagnostics: Diagnostics) -> None:
        for _ in range(self.errors):
            diagnostics.error(AT, "wrong")
        if self.raises is not None:
            raise self.raises(diagnostics)

    def load(self, source: Source, diagnostics: Diagnostics) -> None:
        self.check(source, diagnostics)


def entry(name: str, frontend: Any = None, package: str | None = "other") -> Any:
    """`frontend`: an exception, where it cannot even be loaded."""

    def load() -> Any:
        if isinstance(frontend, Exception):
            raise frontend
        return lambda: frontend

    dist = None if package is None else SimpleNamespace(name=package, version="1.2")
    return SimpleNamespace(name=name, dist=dist, load=load)


@pytest.fixture
def nowhere(monkeypatch: pytest.MonkeyPatch) -> None:
    """Lines of this file are not told."""
    monkeypatch.setattr(frontends, "_where", lambda error: "")


@pytest.fixture
def known(nowhere: None, monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """The entry points of all packages."""
    found: list[Any] = []
    monkeypatch.setattr(frontends, "entry_points", lambda group: found if group == "macsad.frontends" else [])
    return found


def test_ours_go_before_others_of_the_same_name(known: list[Any]) -> None:
    known += [
        entry("p4-16"),
        entry("a"),
        entry("p4-16", package="macsad"),
        entry("b", package=None),
        entry("c", package="macsad"),
    ]
    found = installed()
    assert list(found) == ["c", "p4-16", "a", "b"] and found["p4-16"] is known[2]


def test_the_one_that_recognises_a_file_best_reads_it(known: list[Any], tmp_path: Path) -> None:
    """The first of those that are as sure. What does not work is left out, and told of."""
    file = tmp_path / "p.x"
    file.write_text("one\ntwo\n")
    told: list[str] = []
    sure = {"a": 0.25, "b": 1, "c": 1.0, "d": 0}
    known += [entry(name, Frontend(of), "macsad" if name == "c" else "other") for name, of in sure.items()]
    assert frontend_for(file, None, told.append).entry.name == "c" and not told, "ours come first"
    assert known[0].load()().asked == [("p.x", "one\ntwo\n")]
    known[2] = entry("c", Frontend(0.5), "macsad")
    known += [
        entry("e", ImportError("no module x")),
        entry("f", Frontend("much")),
        entry("g", Frontend(OSError("broken"))),
    ]
    assert frontend_for(file, None, told.append).entry.name == "b"
    page = "(see docs/extend/frontend.md)"
    assert told == [
        f"the frontend 'e' (other 1.2) cannot be used: ImportError: no module x {page}",
        f"the frontend 'f' (other 1.2) cannot be used: ValueError: could not convert string to float: 'much' {page}",
        f"the frontend 'g' (other 1.2) cannot be used: OSError: broken {page}",
    ]
    assert frontend_for(file, None).entry.name == "b", "told to nobody"


def test_the_one_that_is_named_reads_it(known: list[Any], tmp_path: Path) -> None:
    """Whatever others think of the file, which is not read for that."""
    known += [entry("a", Frontend(1.0)), entry("b", Frontend(0.0)), entry("c", ImportError("no module x"), None)]
    told: list[str] = []
    assert frontend_for(tmp_path / "none", "b", told.append).entry.name == "b"
    with pytest.raises(FrontendFault) as fault:
        frontend_for(tmp_path / "none", "c", told.append)
    assert (fault.value.whose, str(fault.value), told) == ("the frontend 'c'", "ImportError: no module x", [])


def rejected(diagnostics: Diagnostics) -> Rejected:
    return Rejected(diagnostics)


def not_run(diagnostics: Diagnostics) -> NotRun:
    return NotRun(diagnostics, AT, "it is only checked")


@pytest.mark.parametrize("package", ["other", "macsad"])
@pytest.mark.parametrize(
    ("raises", "errors", "theirs", "own"),
    [
        (rejected, 1, Rejected, Rejected), (rejected, 0, "rejects the program, but says nothing", None),
        (not_run, 0, NotRun, NotRun), (not_run, 1, NotRun, NotRun),
        (lambda _: RecursionError("deep"), 0, RecursionError, RecursionError),
        (lambda _: ValueError("odd"), 0, "ValueError: odd", ValueError), (lambda _: KeyError("x"), 1, "KeyError: 'x'", KeyError),
    ],
)  # fmt: skip
def test_whose_fault_it_is(nowhere: None, package: str, raises: Any, errors: int, theirs: Any, own: Any) -> None:
    """A program that is rejected has an error that is told; all else is the frontend's fault, if it is not ours."""
    plugin = Plugin.of(entry("x", Frontend(raises=raises, errors=errors), package))
    expected = theirs if package == "other" or own is None else own
    for act in (plugin.check, plugin.load):
        if isinstance(expected, str):
            with pytest.raises(FrontendFault) as fault:
                act(Source(Path("p.x"), (), ()), Diagnostics())
            assert fault.value.whose == f"the frontend 'x' ({package} 1.2)" and str(fault.value) == expected
        else:
            with pytest.raises(expected) as raised:
                act(Source(Path("p.x"), (), ()), Diagnostics())
            assert type(raised.value) is expected


def test_what_is_read_is_verified(monkeypatch: pytest.MonkeyPatch) -> None:
    """As HLIR, and as a program of its architecture; what is no program at all is told as that."""
    did: list[Any] = []
    made = hlir.Program.__new__(hlir.Program)
    frontend = Frontend()
    monkeypatch.setattr(frontend, "load", lambda source, diagnostics: made)
    monkeypatch.setattr(frontends, "verify", lambda program: did.append(("hlir", program is made)))
    monkeypatch.setattr(facts, "verify", lambda program: did.append(("facts", program is made)))
    plugin = Plugin.of(entry("x", frontend))
    assert plugin.load(Source(Path("p.x"), (), ()), Diagnostics()) is made and did == [("hlir", True), ("facts", True)]
    monkeypatch.setattr(frontend, "load", lambda source, diagnostics: None)
    with pytest.raises(FrontendFault, match=r"^TypeError: load\(\) gave NoneType, not a Program$"):
        plugin.load(Source(Path("p.x"), (), ()), Diagnostics())


def where(code: str, file: Path, name: str = "") -> str:
    """Where an exception of that code is said to be from; the code is that of the file."""
    file.write_text(code)
    try:
        exec(compile(code, name or str(file), "exec"), {"json": json, "file": file})
    except Exception as error:
        return frontends._where(error)
    raise AssertionError("it went well")


def test_where_a_frontend_goes_wrong(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The innermost line of its own files: not of Python's, nor of what is made of text; of what is no Python that line."""
    monkeypatch.setattr(frontends, "_is_known", lambda file: tmp_path not in file.parents)
    file = tmp_path / "f.py"
    assert where("def inner():\n    1 // 0\n\n\ndef outer():\n    inner()\n\n\nouter()\n", file) == f", at {file}:2"
    assert where("def inner():\n    json.loads('{')\n\n\ninner()\n", file) == f", at {file}:2"
    assert where("exec('1 // 0')\n", file) == f", at {file}:1"
    assert where("1 // 0\n", file, "<string>") == ""
    assert where("compile('a\\nb\\n)', str(file), 'exec')\n", file) == f", at {file}:3"


def test_files_of_ours_and_of_python_are_known() -> None:
    library = Path(sysconfig.get_path("stdlib"))
    for file in (Path(frontends.__file__), Path(facts.__file__), library / "json" / "decoder.py"):
        assert frontends._is_known(file)
    for file in (
        library / "site-packages" / "x.py",
        library / "dist-packages" / "y" / "x.py",
        share("apps") / "x.py",
        Path("x.py"),
    ):
        assert not frontends._is_known(file)
