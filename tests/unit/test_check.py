"""`macsad check` says what `macsad build` would say: of the language, and of the target."""

from __future__ import annotations

import gc
from pathlib import Path

import pytest

from macsad.cli import call

ERRORS = Path(__file__).parent.parent / "errors" / "target"
UNRUN = """#include <core.p4>
struct none_t { }
control Block(inout none_t none);
package Switch(Block block);
control c(inout none_t none) { apply { } }
Switch(c()) main;
"""


@pytest.mark.parametrize("program", ["whole_bytes.p4", "primitives_p4_14.p4", "sizes.p4"])
def test_what_build_refuses_is_refused(
    program: str, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(ERRORS.parent)
    said = []
    for arguments in (["check"], ["check", "--target", "software"], ["build", "-o", str(tmp_path)]):
        assert call([*arguments, f"target/{program}"]) == 1
        said.append([line for line in capsys.readouterr().err.splitlines() if ": error: " in line])
    assert said[0] and said[0] == said[1] == said[2]


@pytest.mark.parametrize(("program", "code"), [("errors/target/sizes.p4", 1), ("packets/tables.p4", 0)])
def test_the_collector_is_on_again(program: str, code: int) -> None:
    assert call(["check", str(ERRORS.parents[1] / program)]) == code
    assert gc.isenabled()


def test_what_p4info_cannot_have_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """`build` writes it."""
    file = tmp_path / "t.p4"
    file.write_text(
        (ERRORS.parents[1] / "packets" / "tables.p4").read_text().replace("    table ", "    @id(0) table ", 1)
    )
    said = []
    for arguments in (["check"], ["build", "-o", str(tmp_path)]):
        assert call([*arguments, str(file)]) == 1
        said.append([line for line in capsys.readouterr().err.splitlines() if ": error: " in line])
    assert said[0] == said[1] and "an @id is a number from 1" in said[0][0]


def test_an_architecture_that_is_not_run_is_accepted_with_a_warning(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "t.p4"
    file.write_text(UNRUN)
    assert call(["check", str(file)]) == 0
    assert "t.p4:6:13: warning: programs for the package 'Switch' can be checked but not run" in capsys.readouterr().err
    assert call(["check", "-Wno-architecture", str(file)]) == 0
    assert capsys.readouterr().err == ""


def test_a_target_is_asked_to_run_it(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "t.p4"
    file.write_text(UNRUN)
    assert call(["check", "--target", "software", str(file)]) == 1
    assert "t.p4:6:13: error: programs for the package 'Switch' can be checked but not run" in capsys.readouterr().err
    assert call(["check", "--target", "nothing", str(file)]) == 2


NUMBER = "9" * 5_000  # more digits than Python reads


OPTIONS = (
    *("--lengths=8:inf", "--lengths=8:nan", "--lengths=8:1e308,9:1e308", f"--lengths=0-{NUMBER[:12]}"),
    *(f"--lengths={NUMBER}", f"--size={NUMBER}", f"--table=routes={NUMBER}"),
)


@pytest.mark.parametrize("option", OPTIONS)
def test_numbers_that_are_none_are_wrong_usage(option: str, tmp_path: Path) -> None:
    program = Path(__file__).parents[2] / "apps" / "l3fwd" / "l3fwd.p4"
    assert call(["gen", str(program), "-o", str(tmp_path), "--packets=10", "--entries=10", option]) == 2


def test_a_name_that_is_no_text(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """File names are bytes."""
    name = tmp_path / b"bad\xff.p4".decode("utf-8", "surrogateescape")
    name.write_bytes((ERRORS.parent.parent / "packets" / "operators.p4").read_bytes())
    drawn = tmp_path / "drawn.dot"
    assert call(["check", str(name)]) == 0
    assert call(["graph", str(name), "-o", str(drawn)]) == 0
    assert call(["check", str(tmp_path / b"absent\xff.p4".decode("utf-8", "surrogateescape"))]) == 2
    assert drawn.read_text().startswith("digraph")


SHADOWS = """#include <core.p4>
#include <v1model.p4>
struct H { }
struct M { bit<8> a; }
parser P(packet_in p, out H h, inout M m, inout standard_metadata_t s) { state start { transition accept; } }
control V(inout H h, inout M m) { apply { } }
control I(inout H h, inout M m, inout standard_metadata_t s) { apply { m.a = 300; } }
control E(inout H h, inout M m, inout standard_metadata_t s) { apply { } }
control D(packet_out p, in H h) { apply { } }
V1Switch(P(), V(), I(), E(), V(), D()) main;
"""


@pytest.mark.parametrize(
    ("words", "code", "told"),
    [
        ([], 0, "[-Woverflow]"),
        (["-W", "no-overflow"], 0, ""),
        (["-W", "no-all"], 0, ""),
        (["-W", "no-unused"], 0, "[-Woverflow]"),
        (["-W", "no-unused", "-W", "no-overflow"], 0, ""),
        *(
            (["-W", wrong], 2, f"'{wrong}' is not known")
            for wrong in ("overflow", "all", "no-", "no-other", "on-overflow")
        ),
    ],
)
def test_warnings_are_turned_off_by_their_names(
    words: list[str], code: int, told: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    program = tmp_path / "p.p4"
    program.write_text(SHADOWS)
    assert call(["check", *words, str(program)]) == code
    said = capsys.readouterr().err
    assert told in said and ("overflow" in said) is bool(told)


def test_what_is_decided_is_told_if_asked(capsys: pytest.CaptureFixture[str]) -> None:
    path = str(Path(__file__).parents[2] / "apps" / "l2fwd" / "l2fwd.p4")
    assert call(["check", path]) == 0 and capsys.readouterr() == ("", "")
    assert call(["check", "-v", path]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == "table L2Ingress.smac: exact_packed (exact 48 bits, exact 9 bits; key and data fit one word)"
    assert lines[-2:] == ["ingress: 2 stages", "egress: 1 stage"]
