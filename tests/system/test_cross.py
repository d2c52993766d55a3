"""docs/cross.md, run as it stands: a switch for another machine against an OpenDataPlane that comes as a package.

The package is made here, as SDKs ship theirs: our own implementation as static libraries, with what one of them needs named
in the .pc file for static linking only.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "cross.md"
PLATFORM = ROOT / "aux-backend" / "platform" / "linux"
PACKETS = ROOT / "tests" / "packets"
PC = """prefix=/usr
libdir=${prefix}/lib
Name: libodp-linux
Description: an OpenDataPlane for this test
Version: 1.50.0
Libs: -L${libdir} -lodp-linux
Libs.private: -lodp-parts -pthread
Cflags: -I${prefix}/include
"""


def recipes() -> list[str]:
    return re.findall(r"```sh\n(.*?)```", PAGE.read_text(), re.DOTALL)


def run(command: list[str | Path], folder: Path, **environment: str) -> subprocess.CompletedProcess[str]:
    done = subprocess.run(
        command, cwd=folder, env={**os.environ, **environment}, capture_output=True, text=True, check=False, timeout=120
    )
    assert done.returncode == 0, f"{command}: {done.stdout}\n{done.stderr}"
    return done


@pytest.fixture(scope="module")
def sdk(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A sysroot for aarch64 with an ODP in it: one library has the calls, another one what they need."""
    missing = [
        tool for tool in ("aarch64-linux-gnu-gcc", "qemu-aarch64-static", "pkg-config") if not shutil.which(tool)
    ]
    if missing:
        pytest.skip(f"not installed: {', '.join(missing)}")
    root = tmp_path_factory.mktemp("sdk")
    shutil.copytree(PLATFORM / "include", root / "usr" / "include")
    library = root / "usr" / "lib"
    (library / "pkgconfig").mkdir(parents=True)
    (library / "pkgconfig" / "libodp-linux.pc").write_text(PC)
    sources = sorted((PLATFORM / "src").rglob("*.c"))
    flags = ["-std=c11", "-D_GNU_SOURCE", f"-I{root}/usr/include", f"-I{PLATFORM}/src", "-O0", "-w", "-c"]
    run(["aarch64-linux-gnu-gcc", *flags, *sources], library)
    objects = sorted(library.glob("*.o"))
    parts = [file for file in objects if not file.name.startswith("pktio")]
    run(["ar", "rcs", "libodp-parts.a", *parts], library)
    run(["ar", "rcs", "libodp-linux.a", *(file for file in objects if file not in parts)], library)
    for file in objects:
        file.unlink()
    return root


@pytest.fixture
def switch(sdk: Path, tmp_path: Path) -> Path:
    """A folder with what the recipes name: switch.p4, switch.stf, `macsad`."""
    shutil.copy(PACKETS / "state.p4", tmp_path / "switch.p4")
    shutil.copy(PACKETS / "state.stf", tmp_path / "switch.stf")
    (tmp_path / "macsad").write_text(
        f'#!/bin/sh\nexec {sys.executable} -c "from macsad.cli import main; main()" "$@"\n'
    )
    (tmp_path / "macsad").chmod(0o755)
    return tmp_path


def test_the_page_as_it_stands(sdk: Path, switch: Path) -> None:
    building, testing = recipes()[:2]
    environment = {
        "SDK": str(sdk),
        "PATH": f"{switch}:{os.environ['PATH']}",
        "MACSAD_CACHE": str(switch / "cache"),
        "MACSAD_CFLAGS": "-O0 -g0",
        "MACSAD_LDFLAGS": "-Wl,-z,now",
    }
    run(["sh", "-ec", building + testing], switch, **environment)
    dynamic = run(["aarch64-linux-gnu-readelf", "-hd", switch / "board" / "switch"], switch).stdout
    assert re.search(r"Machine:\s+AArch64", dynamic)
    assert "libc.so.6" in dynamic and "libodp" not in dynamic
    assert not re.search("RPATH|RUNPATH", dynamic)
    assert re.search(r"FLAGS_1\).*NOW", dynamic)  # MACSAD_LDFLAGS
