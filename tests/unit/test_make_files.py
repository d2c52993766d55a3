"""`make files`: each source file says what it is for."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]


def files(*arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, str(ROOT / "scripts" / "files.py"), *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def test_each_source_file_says_what_it_is_for() -> None:
    told = files()
    assert (told.returncode, [line for line in told.stdout.splitlines() if "says nothing" in line]) == (0, [])


def test_a_header_and_its_c_file_are_one_line() -> None:
    told = files("aux-backend/runtime")
    assert "aux-backend/runtime/" in told.stdout
    assert sum(line.startswith("  clone.") for line in told.stdout.splitlines()) == 1
    assert "  clone.[ch]" in told.stdout


def test_a_folder_without_source_files() -> None:
    told = files("nowhere")
    assert (told.returncode, told.stderr) == (1, "files: no source file of the checkout is in nowhere\n")
