"""p4runtime-shell, as people script it. It needs an older protobuf than ours, so it is installed in an environment of its own."""

from __future__ import annotations

import fcntl
import shutil
import subprocess
import venv
from pathlib import Path
from typing import Any

import pytest

from transpiler.toolchain.cache import cache_directory

PACKAGES = ("p4runtime-shell==0.0.6", "protobuf==3.20.3")
SECONDS = 120


@pytest.fixture(scope="module")
def shell() -> Path:
    """The Python that has p4runtime-shell, made once and kept in the cache. Skips where it cannot be installed."""
    folder = cache_directory() / "tests" / "-".join(PACKAGES).replace("=", "")
    python = folder / "bin" / "python"
    folder.parent.mkdir(parents=True, exist_ok=True)
    with folder.with_suffix(".lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not (folder / "whole").exists():
            shutil.rmtree(folder, ignore_errors=True)
            try:
                venv.create(folder, with_pip=True)
                install = [
                    str(python),
                    "-m",
                    "pip",
                    "install",
                    "--quiet",
                    "--only-binary=:all:",
                    "--retries=0",
                    *PACKAGES,
                ]
                subprocess.run(install, check=True, capture_output=True, timeout=SECONDS)
            except (OSError, subprocess.SubprocessError) as error:
                pytest.skip(f"{' and '.join(PACKAGES)} cannot be installed: {str(error)[:200]}")
            (folder / "whole").touch()
    return python


def test_a_script(shell: Path, served: Any, tmp_path: Path) -> None:
    served.clear()
    served.election = getattr(served, "election", 0) + 10
    info, config = tmp_path / "info.txt", tmp_path / "config"
    from google.protobuf import text_format

    info.write_text(text_format.MessageToString(served.info))
    config.write_bytes(b"")
    script = [str(shell), str(Path(__file__).with_name("shell_script.py"))]
    command = [*script, served.address, str(info), str(config), str(served.election)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=SECONDS, check=False)
    assert done.returncode == 0 and done.stdout.strip().endswith("done"), done.stdout + done.stderr
