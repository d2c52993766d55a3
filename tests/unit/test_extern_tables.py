"""The table of externs: what it takes, what it refuses and what it says then; and that all who need a row ask it."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from dataclasses import replace
from importlib.metadata import EntryPoint
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest
from hlir_builder import AT, const

from macsad.cli import call
from transpiler.diagnostics import Rejected
from transpiler.externs import table
from transpiler.externs.algorithms import ALGORITHMS
from transpiler.externs.row import NUMBER, PACKET, WORD, BadRow, Kind, Method, Spelling
from transpiler.externs.table import KINDS, METHODS, TABLE, Table, only_gives_a_value
from transpiler.hlir.expressions import ListExpression, Text
from transpiler.hlir.program import Architecture
from transpiler.hlir.statements import CallExtern
from transpiler.targets.find import builtin

ROOT = Path(__file__).parents[2]
ROWS = ROOT / "transpiler" / "externs"
PAGE = "docs/extend/extern.md"


def module(*rows: object) -> ModuleType:
    made = ModuleType("mine")
    made.__file__ = str(ROWS / "truncate.py")
    made.__dict__["ROWS"] = rows
    return made


def method(name: str = "mine.do", **more: object) -> Method:
    given: dict[str, object] = {"run": lambda call: None, "c": lambda call: (), **more}
    return Method(name=name, effect=PACKET, doc="", **given)  # type: ignore[arg-type]


def test_every_file_with_rows_is_in_the_table() -> None:
    files = {path.stem for path in ROWS.glob("*.py")} - {"__init__", "algorithms", "requests", "row", "table"}
    rows = [row for name in files for row in importlib.import_module(f"transpiler.externs.{name}").ROWS]
    assert sorted(row.name for row in rows) == sorted([*METHODS, *KINDS])
    assert "truncate.request" in METHODS and "register" in KINDS


def test_our_target_has_all_of_them() -> None:
    assert builtin().externs == frozenset(METHODS)
    assert builtin().hash_algorithms == frozenset(ALGORITHMS)


def test_a_function_of_p4_is_the_method_that_spells_it_where_its_architecture_has_it() -> None:
    found = TABLE.spelled("truncate", Architecture.V1MODEL)
    assert found is not None and found[0] is METHODS["truncate.request"] and found[1].parameters == ("length",)
    assert TABLE.spelled("truncate", Architecture.PSA) is None
    assert TABLE.spelled("truncat", Architecture.V1MODEL) is None
    for architecture in Architecture:
        for name in ("assert", "assume"):
            assert TABLE.spelled(name, architecture) == (METHODS["assert.check"], Spelling(name, ("check",)))
    for way in ("encrypt", "decrypt"):
        spelled = TABLE.spelled(f"aes_128_cbc_{way}", Architecture.V1MODEL)
        assert spelled is not None and spelled[0] is METHODS[f"cipher.{way}"]


@pytest.mark.parametrize(
    ("call_", "only"),
    [
        (CallExtern("hash.compute", None, (Text("crc16", AT), ListExpression((), AT)), (), AT), True),
        (CallExtern("hash.compute", None, (Text("random", AT), ListExpression((), AT)), (), AT), False),
        (CallExtern("random.range", None, (const(1, 8), const(2, 8)), (), AT), False),
        (CallExtern("counter.count", "c", (const(1, 8),), (), AT), False),
        (CallExtern("register.read", "r", (const(1, 8),), (), AT), False),
    ],
)
def test_which_calls_only_give_a_value(call_: CallExtern, only: bool) -> None:
    assert only_gives_a_value(call_) is only


THEIRS = """
from transpiler.externs.row import Effect, Method
from transpiler.diagnostics import Diagnostics, Rejected

def inner(what):
    if what == "rejected":
        raise Rejected(Diagnostics())
    raise ValueError(what)

def run(call):
    inner(call.what)

def c(call):
    return inner(call.what) if call.what else "text"

ROWS = (Method(name="mine.do", effect=Effect.PACKET, doc="", run=run, c=c),)
"""


def test_what_goes_wrong_in_a_row_of_a_package_is_said_with_its_line(tmp_path: Path) -> None:
    file = tmp_path / "theirs.py"
    file.write_text(THEIRS)
    spec = spec_from_file_location("theirs", file)
    assert spec is not None and spec.loader is not None
    theirs = module_from_spec(spec)
    spec.loader.exec_module(theirs)
    row: Any = Table([theirs]).methods["mine.do"]
    head = f"{file}: the extern 'mine.do'"
    for part, made in (("run", SimpleNamespace(what="no", span=AT)), ("c", SimpleNamespace(what="no", cite="p.p4:3"))):
        with pytest.raises(BadRow) as wrong:
            getattr(row, part)(made)
        at = AT if part == "run" else "p.p4:3"
        assert str(wrong.value) == f"{head}: {part}, called at {at}: line 8: ValueError: no; see {PAGE}"
    with pytest.raises(BadRow) as wrong:
        row.c(SimpleNamespace(what="", cite="p.p4:3"))
    assert str(wrong.value) == f"{head}: c returns 'text', which is no tuple of statements; see {PAGE}"
    with pytest.raises(Rejected):
        row.run(SimpleNamespace(what="rejected", span=AT))


def bare(name: str, **more: object) -> Method:
    return Method(name=name, effect=PACKET, doc="", **more)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("modules", "said"),
    [
        ([module(bare("mine.do", c=lambda call: ()))], "the extern 'mine.do': it has no reference semantics (run)"),
        ([module(bare("mine.do", run=lambda call: None))], "the extern 'mine.do': it has no C (c)"),
        ([module(method()), module(method())], "the extern 'mine.do': there is another method of that name"),
        (
            [module(Kind(name="mine", attributes=())), module(Kind(name="mine", attributes=()))],
            "the extern 'mine': there is another kind of that name",
        ),
        ([module(method(instance_kind="oven"))], "the extern 'mine.do': there is no kind 'oven' of instances"),
        ([module(method(header="none.h"))], f"the extern 'mine.do': there is no {ROWS / 'none.h'}"),
        ([module(method(p4=(Spelling("do", ("a",)),)))], "the extern 'mine.do': 'do' has not the method's inputs and output"),
        (
            [module(method(outputs=(NUMBER, NUMBER), p4=(Spelling("do", ()),)))],
            "the extern 'mine.do': 'do' has not the method's inputs and output",
        ),
        (
            [module(method(p4=(Spelling("do", ()),)), method("mine.undo", p4=(Spelling("do", ()),)))],
            "the extern 'mine.undo': 'do' is another method already",
        ),
        (
            [module(Kind(name="mine", attributes=()), method(instance_kind="mine", p4=(Spelling("do", ()),)))],
            "the extern 'mine.do': no function of P4 has an instance to call it on",
        ),
        ([module(7)], "the extern '7': this is neither a Method nor a Kind"),
        ([module()], "the extern 'mine': it has no ROWS"),
    ],
)  # fmt: skip
def test_what_is_wrong_with_a_row_is_said_with_its_name(modules: list[ModuleType], said: str) -> None:
    with pytest.raises(BadRow) as refused:
        Table(modules)
    assert said in str(refused.value)
    assert str(refused.value).endswith(f"; see {PAGE}")


def test_a_row_is_taken_with_all_that_it_has() -> None:
    taken = method(
        inputs=(WORD,), outputs=(NUMBER,), p4=(Spelling("do", ("a",), (Architecture.PSA,)),), header="row.py"
    )
    made = Table([module(taken)])
    assert made.methods.keys() == {"mine.do"}
    row = made.methods["mine.do"]
    assert replace(row, run=taken.run, c=taken.c) == taken
    assert made.folders == {"row.py": ROWS}
    assert made.spelled("do", Architecture.PSA) == (row, taken.p4[0])


@pytest.fixture
def reloaded(monkeypatch: pytest.MonkeyPatch) -> Callable[[str], None]:
    """Loads the table anew, where a package names a module of that text."""

    def load(value: str) -> None:
        entry = EntryPoint("theirs", value, table.GROUP)
        monkeypatch.setattr(table, "entry_points", lambda group: [entry] if group == table.GROUP else [])
        Table(table._modules())

    return load


def test_a_package_that_cannot_be_loaded_is_named(reloaded: Callable[[str], None]) -> None:
    with pytest.raises(BadRow, match=r"the extern 'theirs': ModuleNotFoundError: No module named 'no_such'; see"):
        reloaded("no_such")
    with pytest.raises(BadRow, match=r"the extern 'theirs': its entry point is not a module"):
        reloaded("transpiler.externs.row:Method")
    with pytest.raises(BadRow, match=r"the extern 'truncate.request': there is another method of that name"):
        reloaded("transpiler.externs.truncate")


def test_macsad_says_it_as_an_error(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    def refuse(name: str) -> ModuleType:
        raise BadRow("the extern 'mine.do': it has no C (c)")

    monkeypatch.setattr("macsad.cli.import_module", refuse)
    assert call(["check", "P.p4"]) == 3
    assert capsys.readouterr().err == "macsad: error: the extern 'mine.do': it has no C (c)\n"
