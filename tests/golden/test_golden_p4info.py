"""What controllers are told of whole programs: P4Info as text (`--update-golden` writes it anew)."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
import switches

from transpiler.diagnostics import Diagnostics
from transpiler.p4info.build import build
from transpiler.p4info.write import TEXT, encode

HERE = Path(__file__).parent
TESTS = HERE.parent
PROGRAMS = (
    "golden/p4_16/pna_externs", "golden/p4_16/router", "p4runtime/own_entries", "packets/annotations", "packets/bmv2_digests",
    "packets/meters", "packets/p4_14_tables", "packets/p4_14_state", "packets/profiles",
    "packets/psa_externs", "packets/state", "packets/tables", "packets/value_sets",
)  # fmt: skip


@pytest.mark.parametrize("name", PROGRAMS)
def test_p4info(name: str, golden: Callable[[Path, str], None]) -> None:
    diagnostics = Diagnostics()
    info = build(switches.load(TESTS / f"{name}.p4"), diagnostics)
    assert not diagnostics.messages
    golden(HERE / "p4info" / f"{Path(name).name}.txtpb", encode(info, TEXT).decode())
