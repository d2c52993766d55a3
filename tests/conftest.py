"""Makes the helpers beside it importable from every folder of tests (`from hlir_builder import Builder`), and has what all of
them share: golden files, which `--update-golden` writes anew."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--update-golden", action="store_true", help="write golden files anew instead of comparing with them"
    )


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
