"""Which header fields stages read in the frame."""

from __future__ import annotations

from pathlib import Path

import switches

from transpiler.analysis.locations import Location
from transpiler.schedule.scheduler import Options, schedule
from transpiler.schedule.stages import Schedule

PACKETS = Path(__file__).parents[1] / "packets"


def scheduled(name: str, **options: object) -> Schedule:
    return schedule(switches.load(PACKETS / f"{name}.p4"), Options(**options))  # type: ignore[arg-type]


def names(fields: frozenset[Location]) -> set[str]:
    return {f"{field.owner}.{field.field}" for field in fields}


def test_what_a_stage_reads_in_the_frame_and_what_it_loads() -> None:
    """A field that one way through a stage changes is a variable of it, and of what comes behind it kept."""
    entry, ways, sums = scheduled("reread").pipes[0].stages
    assert len(entry.unchanged) == 43 and not entry.loaded
    assert names(ways.loaded) == {"hdr.outer.a", "hdr.outer.d"} == names(ways.received - ways.unchanged)
    assert names(sums.loaded) == {"hdr.inner.e", "hdr.kept.b", "hdr.kept.broad"}
    assert names(entry.received - sums.received) == {"hdr.outer.a", "hdr.outer.d"}
    assert {"hdr.outer.a", "hdr.outer.d"} <= names(sums.live_in) and not sums.live_in & sums.received


def test_few_values_are_taken_along_as_they_are() -> None:
    taken = scheduled("reread", few=100)
    assert taken.passes and not any(stage.received for pipe in taken.pipes for stage in pipe.stages)
    assert taken == scheduled("reread", reread=False)


def test_clones_of_changed_frames_keep_their_headers() -> None:
    """Those of received packets are parsed again, those of packets to send are not."""
    egress = scheduled("second_passes", few=0)
    assert not any(stage.received for pipe in egress.pipes for stage in pipe.stages)
    ingress = scheduled("argument_order", few=0)
    assert all(stage.received for pipe in ingress.pipes for stage in pipe.stages)
