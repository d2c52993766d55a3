"""`macsad check` says what `macsad build` would say: of the language, and of the target."""

from __future__ import annotations

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
