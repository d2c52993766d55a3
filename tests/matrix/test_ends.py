"""On every kind of port: a killed switch leaves nothing that stops the next, one that is told to end loses nothing."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))

import cells
import ends

from transpiler.toolchain import toolchain

PROGRAM = ends.ROOT / "bench" / "empty.p4"
MACSAD = (sys.executable, "-c", "from macsad.cli import main; main()")


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> dict[tuple[str, str], Path]:
    """Switches by platform and installed ODP: each is built when it is first asked for."""
    return {("folder", ""): tmp_path_factory.mktemp("ends")}


def switch(built: dict[tuple[str, str], Path], row: cells.Row) -> Path:
    if (row.platform, row.odp) not in built:
        folder = built["folder", ""] / f"{row.platform}{row.odp}"
        command = [*MACSAD, "build", PROGRAM, "--platform", row.platform, "-O", "1", "-o", folder]
        done = subprocess.run(command, capture_output=True, text=True, check=False, env=cells.environment_of(row))
        assert done.returncode == 0, done.stderr
        built[row.platform, row.odp] = folder / "empty"
    return built[row.platform, row.odp]


@pytest.mark.parametrize("name", ends.rows())
def test_killed_started_and_told_to_end(name: str, built: dict[tuple[str, str], Path], tmp_path: Path) -> None:
    row = ends.rows()[name]
    if why := cells.hole(row, toolchain.host_arch()):
        pytest.skip(why)
    command = [sys.executable, Path(ends.__file__), *name.split(), switch(built, row), tmp_path]
    if row.feed != "files":
        quiet = 'sysctl -qw net.ipv6.conf.default.disable_ipv6=1 2>/dev/null; exec "$@"'
        command = ["unshare", "-n", "sh", "-c", quiet, "ends", *command]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
