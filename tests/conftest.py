"""Makes the helpers beside it importable from every folder of tests (`from hlir_builder import Builder`), and has what all of
them share: golden files, which `--update-golden` writes anew; the seed of the random programs, told at the end of a run."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from pathlib import Path

import pytest


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--update-golden", action="store_true", help="write golden files anew instead of comparing with them"
    )


def pytest_configure(config: pytest.Config) -> None:
    os.environ.setdefault("MACSAD_FUZZ_SEED", str(int(time.time())))  # the same in every worker


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    terminalreporter.write_line(f"random programs from MACSAD_FUZZ_SEED={os.environ['MACSAD_FUZZ_SEED']}")


@pytest.fixture
def golden(request: pytest.FixtureRequest) -> Callable[[Path, str], None]:
    """golden(file, text): the text must be what the file holds."""

    def compare(file: Path, text: str) -> None:
        if request.config.getoption("--update-golden"):
            file.write_text(text)
            return
        assert file.exists(), f"{file} is not there: run pytest with --update-golden, then read it"
        assert text == file.read_text()

    return compare
