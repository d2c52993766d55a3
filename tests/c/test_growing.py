"""Frames that go round and grow: more of them, one burst after the other, than there are buffers."""

from __future__ import annotations

from pathlib import Path

import pytest
import switches
from switch_harness import Switch

PROGRAM = Path(__file__).parent / "growing.p4"


def grown(rounds: int, number: int) -> bytes:
    return bytes((0, number)) + b"".join(left.to_bytes(100, "big") for left in range(1, rounds + 1)) + b"end"


@pytest.mark.parametrize("rounds", [2, 5])
def test_frames_that_outgrow_their_room_leave_no_buffer_behind(tmp_path: Path, rounds: int) -> None:
    switch = Switch(switches.build(PROGRAM), tmp_path, ["--port=0=ctl:", "--port=1=ctl:"])
    try:
        for _ in range(30):
            frames = [bytes((rounds, number)) + b"end" for number in range(100)]
            assert switch.client.inject(0, frames) == len(frames)
            assert switch.client.collect() == [(1, grown(rounds, number)) for number in range(100)]
    finally:
        switch.stop()
