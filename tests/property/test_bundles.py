"""Where cells lie changes nothing: random programs whose registers are bundles do what the interpreter does, and so do they
without bundles.

MACSAD_EXAMPLES sets how many programs, MACSAD_FUZZ_SEED which.
"""

from __future__ import annotations

import os
from pathlib import Path

import pytest
import random_bundles
import switches

from macsad.compilation import Request, decide
from macsad.stf.device import Device
from macsad.stf.interpreted import InterpretedDevice
from transpiler.optimisations import ALL

SEED = int(os.environ["MACSAD_FUZZ_SEED"])
PROGRAMS = max(1, int(os.environ.get("MACSAD_EXAMPLES", "5")) // 5)
FRAMES = 400
BATCHES = ((1, 1), (64, 8), (200, 64))


Left = dict[str, list[int]]
PLACES = tuple(place for place in random_bundles.PLACES if place < random_bundles.CELLS)


def left_in(device: Device, maker: random_bundles.Maker) -> Left:
    """What the registers hold where frames have accessed them."""
    return {name: [device.register_read(f"I.{name}", place) for place in PLACES] for name in maker.registers}


@pytest.mark.parametrize("number", range(PROGRAMS))
def test_bundles_change_nothing(number: int, tmp_path: Path) -> None:
    maker = random_bundles.Maker(SEED * 1000 + number)
    path = tmp_path / "bundled.p4"
    path.write_text(maker.text)
    frames = maker.frames(FRAMES)
    program = switches.load(path)
    assert decide(Request(path), program).planned.bundles, path
    assert not decide(Request(path, wanted=ALL.without(["bundles"])), program).planned.bundles
    interpreted = InterpretedDevice(program)
    for frame in frames:
        interpreted.inject(0, frame)
    sent, left = interpreted.collect(), left_in(interpreted, maker)
    assert len(sent) == FRAMES and any(any(cells) for cells in left.values())
    for ways in (ALL, ALL.without(["bundles"])):
        for burst, sub_batch in BATCHES:
            device = switches.start(path, (0, 1), burst=burst, sub_batch=sub_batch, wanted=ways)
            try:
                device.inject_all(0, frames)
                where = f"B={burst}, without {ways.left_out}: {path}"
                assert (device.collect(), left_in(device, maker)) == (sent, left), where
            finally:
                device.close()
