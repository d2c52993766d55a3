"""Each door through which bytes from outside come in is fuzzed for a while, sanitized: MACSAD_FUZZ_DOOR_SECONDS says how
long; `make fuzz KIND=frame` goes on for as long as asked."""

from __future__ import annotations

import os
from pathlib import Path

import doors
import pytest
import texts

SECONDS = float(os.environ.get("MACSAD_FUZZ_DOOR_SECONDS", "8"))
SEED = int(os.environ["MACSAD_FUZZ_SEED"])


@pytest.mark.parametrize("door", texts.TEXTS)
def test_texts(door: str, tmp_path: Path) -> None:
    outcome = texts.run(door, SECONDS, tmp_path, SEED)
    assert not outcome.wrong, f"{outcome.wrong}\nsee {outcome.input}"
    assert outcome.executions > 5


@pytest.mark.timeout(600)
@pytest.mark.parametrize("door", doors.DOORS)
def test_bytes(door: str, tmp_path: Path) -> None:
    if why := doors.missing():
        pytest.skip(why)
    outcome = doors.run(door, int(SECONDS), tmp_path, SEED)
    assert not outcome.wrong, f"{outcome.wrong}\nsee {outcome.input}"
    assert outcome.executions > 100 and outcome.coverage > 100
