"""What the compiler knows of the runtime is what the runtime's headers say."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from transpiler.externs import cipher, learning
from transpiler.interpreter import paths
from transpiler.placement import simulation
from transpiler.schedule import decisions, dropped_at, pipelined, steering
from transpiler.targets import description

BACKEND = Path(__file__).parents[2] / "aux-backend"


def defined(header: str, name: str) -> int:
    found = re.search(rf"^#define {name} (\d+)u?\b", (BACKEND / header).read_text(), re.MULTILINE)
    assert found, name
    return int(found[1])


@pytest.mark.parametrize(
    ("known", "header", "name"),
    [
        (cipher.BLOCK_BYTES, "include/macs/cipher.h", "MACS_CIPHER_BLOCK"),
        (decisions.COUNTS_MAX, "include/macs/decisions.h", "MACS_DECISION_COUNTS"),
        (decisions.KEY_WORDS_MAX, "include/macs/decisions.h", "MACS_DECISION_KEY_WORDS"),
        (decisions.LINE_WORDS, "include/macs/decisions.h", "MACS_DECISION_LINE_WORDS"),
        (description.MAX_BURST, "include/macs/table.h", "MACS_BURST_MAX"),
        (description.MAX_WORKERS, "runtime/options.h", "MACS_WORKERS_MAX"),
        (dropped_at.FIRST, "include/macs/cause.h", "MACS_CAUSE_PLACE"),
        (dropped_at.PLACES, "include/macs/cause.h", "MACS_CAUSE_PLACES"),
        (learning.PROFILES, "include/macs/ages.h", "MACS_PROFILES"),
        (paths.PASSES_LIMIT, "runtime/recirculation.h", "MACS_PASSES_MAX"),
        (pipelined.PARTS, "include/macs/program.h", "MACS_PARTS_MAX"),
        (simulation.RING, "runtime/handover.h", "MACS_HANDOVER_SLOTS"),
        (steering.COLUMNS, "include/macs/steer.h", "MACS_STEER_COLUMNS"),
    ],
)
def test_a_limit_is_the_one_of_the_header(known: int, header: str, name: str) -> None:
    assert known == defined(header, name)


def test_no_more_nodes_steer_than_a_filter_has_room_for() -> None:
    assert defined("include/macs/steer.h", "MACS_STEER_PARTS") >= steering.MOST
