"""Makes the helpers beside it importable from every folder of tests (`from hlir_builder import Builder`), and has what all of
them share: golden files, which `--update-golden` writes anew; a folder for what is built once; the seed of all that is
random, told at the end of a run.

A run is the same every time, so that a failure is of what was changed: MACSAD_FUZZ_SEED=N takes other random programs and
scenarios, and `make fuzz` looks for what fails."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest
from built_once import keep_bytecode, make_folder
from hypothesis import settings


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--update-golden", action="store_true", help="write golden files anew instead of comparing with them"
    )


def pytest_configure(config: pytest.Config) -> None:
    os.environ.setdefault("MACSAD_FUZZ_SEED", "1")
    os.environ.setdefault("MACSAD_CFLAGS", "-Werror -g1")  # lines are all that sanitizers tell of; -g takes longer
    settings.register_profile("repeatable", derandomize=True, database=None)
    settings.load_profile("repeatable")
    if remove := make_folder():
        config.add_cleanup(remove)
    keep_bytecode()


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    terminalreporter.write_line(f"random programs and scenarios from MACSAD_FUZZ_SEED={os.environ['MACSAD_FUZZ_SEED']}")


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
