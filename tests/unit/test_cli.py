"""The command as people meet it: its help, what it answers to what is misspelt, and that it does not wait for what it does
not need."""

from __future__ import annotations

import errno
import re
import subprocess
import sys
import tempfile
from collections.abc import Callable
from importlib import import_module
from importlib.metadata import version
from pathlib import Path

import click
import pytest

from macsad import cli, generating
from macsad.frontends import FrontendFault
from macsad.options import natural
from macsad.terminal import Unwritable
from transpiler.diagnostics import Diagnostics, Rejected
from transpiler.externs.row import BadRow
from transpiler.passes.pipeline import BadPass
from transpiler.targets.target import BadKernel, BadTarget
from transpiler.toolchain.toolchain import ToolchainError, WrongUsage

HEAVY = {
    "jinja2",
    "networkx",
    "numpy",
    "rich",
    "google.protobuf",
    "importlib.metadata",
    "transpiler.hlir",
    "aux_frontend",
}
L3FWD = Path(__file__).parents[2] / "apps" / "l3fwd" / "l3fwd.p4"
LOADED = """
import sys
from macsad.cli import call
code = call(sys.argv[1:])
print(*sys.modules, file=sys.stderr)
sys.exit(code)
"""


def loaded(*arguments: str) -> set[str]:
    """The modules that a command imports."""
    command = [sys.executable, "-c", LOADED, *arguments]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    return set(done.stderr.split())


def test_help_waits_for_nothing() -> None:
    assert loaded("--help") & HEAVY == set()
    assert loaded("ctl", "--help") & HEAVY == set()


def test_a_check_waits_for_nothing_that_writes_c() -> None:
    modules = loaded("check", str(L3FWD))
    assert modules & {"jinja2", "numpy", "rich"} == set()
    assert not any(name.startswith("aux_frontend.p4_14.elab") for name in modules), "another language's"


@pytest.fixture
def narrow(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "80")


def output(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    assert cli.call(list(arguments)) == 0
    return capsys.readouterr().out


def test_every_verb_is_told_of_in_a_line(narrow: None, capsys: pytest.CaptureFixture[str]) -> None:
    told = re.findall(r"^  ([\w-]+) +\S.*\.$", output(capsys, "--help").partition("Commands:")[2], re.MULTILINE)
    assert told == list(cli.VERBS)
    for verb in cli.VERBS:
        assert import_module(f"macsad.verbs.{verb.replace('-', '_')}").command.name == verb


@pytest.mark.parametrize("verb", ["build", "run", "test", "bench"])
def test_what_few_people_want_is_in_a_help_of_its_own(
    narrow: None, capsys: pytest.CaptureFixture[str], verb: str
) -> None:
    def options(text: str) -> set[str]:
        return set(re.findall(r"^  (?:-\w, )?(--[\w-]+)", text, re.MULTILINE))

    usual, whole = options(output(capsys, verb, "--help")), options(output(capsys, verb, "--help-all"))
    assert {"--kernel", "--help", "--help-all"} <= usual
    assert whole - usual == set(generating.OPTIMISATION_OPTIONS)
    assert f"{len(generating.OPTIMISATION_OPTIONS)} more options" in output(capsys, verb, "--help").replace("\n", " ")


@pytest.mark.parametrize(
    ("arguments", "answer"),
    [
        (["biuld"], "No such command 'biuld'. Did you mean 'build'?"),
        (["xyzzy"], "No such command 'xyzzy'.\n"),
        (["--hlep"], "No such option '--hlep'. Did you mean '--help'?"),
        (["build", str(L3FWD), "--ach", "x"], "No such option '--ach'. Did you mean '--arch'?"),
        (["run", str(L3FWD), "--prot", "0=null:"], "No such option '--prot'. Did you mean '--port'?"),
        (["run", "--prot", "0=null:", str(L3FWD)], "No such option '--prot'. Did you mean '--port'?"),
        (
            ["run", str(L3FWD), "-p", "0=null:", "--device-id", "x"],
            "Invalid value for '--device-id': 'x' is not a valid",
        ),
        (["run", str(L3FWD), "-p", "0=null:", "--wokers=2"], "No such option '--wokers'. Did you mean '--workers'?"),
        (
            ["run", str(L3FWD), "-p", "0=null:", "--entires", "x"],
            "No such option '--entires'. Did you mean '--entries'?",
        ),
        (["ctl", "--socet", "x", "stats"], "No such option '--socet'. Did you mean '--socket'?"),
    ],
)
def test_what_is_misspelt(arguments: list[str], answer: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.call(arguments) == cli.USAGE
    assert answer in capsys.readouterr().err


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("1", 1),
        ("20", 20),
        ("007", None),
        ("21", None),
        ("0", None),
        ("", None),
        ("-1", None),
        ("1.0", None),
        ("\u0663", None),
    ],
)
def test_numbers_of_options(text: str, number: int | None) -> None:
    assert natural(text, 20) == number


def raising(error: BaseException) -> Callable[[], object]:
    def act() -> object:
        raise error

    return act


NO_DISK, CLOSED = OSError(errno.ENOSPC, "No space left on device"), BrokenPipeError(errno.EPIPE, "Broken pipe")


@pytest.mark.parametrize(
    ("error", "code", "told"),
    [
        (click.exceptions.Exit(7), 7, ""),
        (click.UsageError("no such thing"), cli.USAGE, "Error: no such thing\n"),
        (click.NoSuchOption("--prot", possibilities=["--port", "--plot", "--out"]), cli.USAGE,
         "Error: No such option '--prot'. Did you mean '--port'?\n"),
        (click.ClickException("not now"), cli.NO, "Error: not now\n"),
        (click.Abort(), cli.INTERRUPTED, ""),
        (KeyboardInterrupt(), cli.INTERRUPTED, ""),
        (Unwritable(*NO_DISK.args), cli.NO, "macsad: error: cannot write standard output: No space left on device\n"),
        (CLOSED, cli.NO, ""),
        (Rejected(Diagnostics()), cli.NO, ""),
        (ToolchainError("gcc failed"), cli.NO, "macsad: error: gcc failed\n"),
        (WrongUsage("no such CPU"), cli.USAGE, "macsad: error: no such CPU\n"),
        (RecursionError(), cli.NO, "macsad: error: the program nests too deeply for this\n"),
    ],
)  # fmt: skip
def test_what_goes_wrong_has_its_code_and_words(
    error: BaseException, code: int, told: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert cli.called(raising(error)) == code
    assert capsys.readouterr() == ("", told)


def test_a_fault_of_our_own_is_reported(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.called(raising(ZeroDivisionError("by zero"))) == cli.FAULT
    said = capsys.readouterr().err
    assert said.startswith("macsad: internal error: ZeroDivisionError: by zero\n")
    (report,) = re.findall(r"with (\S+\.log) and the program", said)
    text = Path(report).read_text()
    Path(report).unlink()
    assert "in act" in text and "ZeroDivisionError: by zero" in text and text.startswith("macsad ")


@pytest.mark.parametrize(("result", "code"), [(5, 5), (None, 0), ("text", 0)])
def test_a_number_is_an_exit_code(result: object, code: int) -> None:
    assert cli.called(lambda: result) == code


@pytest.mark.parametrize(
    ("error", "code", "told", "whose"),
    [
        (BadRow("row 'x' (a.toml:3): no such kind"), cli.FAULT, "macsad: error: row 'x' (a.toml:3): no such kind\n", ""),
        (BadTarget("t/target.toml:3", "there is no 'x'"), cli.NO,
         "t/target.toml:3: error: there is no 'x' (see docs/extend/target.md)\n", ""),
        (BadKernel("k.h:9", "no 'insert'"), cli.NO, "k.h:9: error: no 'insert' (see docs/extend/kernel.md)\n", ""),
        (FrontendFault("frontend 'x' of pkg", "it returns None"), cli.FAULT,
         "macsad: error: frontend 'x' of pkg: it returns None (see docs/extend/frontend.md)\n",
         "This is a fault of frontend 'x' of pkg. Please report it to its authors, with "),
        (BadPass("fold", "a loop"), cli.FAULT,  # type: ignore[arg-type]
         "macsad: error: the pass 'fold' makes a loop (see docs/extend/pass.md)\n",
         "This is a fault of the pass 'fold'. Please report it to its author, with "),
        (KeyError("x"), cli.FAULT, "macsad: internal error: KeyError: 'x'\n",
         "This is a fault of macsad's own. Please report it to us, with "),
    ],
)  # fmt: skip
def test_whose_fault_it_is(
    error: Exception, code: int, told: str, whose: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
) -> None:  # fmt: skip
    """Where it is somebody's there is a report."""
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    assert cli.called(raising(error)) == code
    said = capsys.readouterr().err
    reports = list(tmp_path.iterdir())
    assert said == told + (f"{whose}{reports[0]} and the program.\n" if whose else "") and len(reports) == bool(whose)
    if reports:
        text = reports[0].read_text()
        assert f"macsad {version('macsad')}, python {sys.version}\narguments: {sys.argv[1:]}\n\nTraceback" in text


@pytest.mark.parametrize(
    ("problem", "code"), [(None, 7), (OSError(28, "No space left on device"), cli.NO), (CLOSED, cli.NO)]
)
def test_the_end_of_a_verb(
    problem: OSError | None, code: int, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """What it has printed must have come through."""
    monkeypatch.setattr(cli, "call", lambda words: 7)
    monkeypatch.setattr(cli, "flush", lambda: problem)
    with pytest.raises(SystemExit) as ended:
        cli.main()
    assert ended.value.code == code
    full = "macsad: error: cannot write standard output: No space left on device\n"
    assert capsys.readouterr().err == (full if problem is not None and problem.errno == 28 else "")
