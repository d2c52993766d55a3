"""Which header fields stages read in the frame."""

from __future__ import annotations

from pathlib import Path

import pytest
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
    plan = scheduled("reread")
    assert not plan.passes  # other values stay in memory
    entry, ways, sums = plan.pipes[0].stages
    assert len(entry.unchanged) == 47 and not entry.loaded
    assert names(ways.loaded) == {"hdr.outer.a", "hdr.outer.d"} == names(ways.received - ways.unchanged)
    stamp = {f"hdr.stamp.{field}" for field in ("kind", "tag", "mark", "value")}
    assert names(sums.loaded) == {"hdr.inner.e", "hdr.kept.b", "hdr.kept.broad", *stamp}
    assert names(entry.received - sums.received) == {"hdr.outer.a", "hdr.outer.d"}
    assert {"hdr.outer.a", "hdr.outer.d"} <= names(sums.live_in) and not sums.live_in & sums.received


def test_few_values_are_taken_along_as_they_are() -> None:
    taken = scheduled("reread", few=100)
    assert taken.passes and not any(stage.received for pipe in taken.pipes for stage in pipe.stages)
    assert taken == scheduled("reread", reread=False)


def test_what_a_stage_that_parses_leaves_in_the_frame() -> None:
    """Neither fields that it writes nor those of headers that others are copied to."""
    entry, *others = scheduled("checksum").pipes[0].stages
    assert names(entry.intact) == {"hdr.work.what"} and not any(stage.intact for stage in others)
    assert {field.owner for field in scheduled("in_frame").pipes[0].stages[0].intact} == {"hdr.mark"}


def test_clones_of_changed_frames_keep_their_headers() -> None:
    """Those of received packets are parsed again, those of packets to send are not."""
    egress = scheduled("second_passes", few=0)
    assert not any(stage.received for pipe in egress.pipes for stage in pipe.stages)
    ingress = scheduled("argument_order", few=0)
    assert all(stage.received for pipe in ingress.pipes for stage in pipe.stages)


@pytest.mark.parametrize("name", ["second_passes", "psa_paths", "psa_stages"])
def test_headers_that_packets_take_along_need_not_be_in_the_frame(name: str) -> None:
    """Those of clones of packets to send, and those that bridges have."""
    plan = scheduled(name, few=0)
    stages = [stage for pipe in plan.pipes for stage in pipe.stages]
    assert not any(stage.received or stage.intact for stage in stages)


def test_copies_to_a_group_have_what_was_changed_before_they_left() -> None:
    first, copies = scheduled("flooding", few=0, run_to_completion=True).pipes
    assert copies.replication and not first.replication
    assert "hdr.tag.number" in names(copies.stages[0].received)
    assert "hdr.wide.value" not in names(copies.stages[0].received)


def test_egress_has_what_ingress_changed_though_clones_come_to_it_as_they_were_received() -> None:
    _, clone, egress = scheduled("kept_values", few=0).pipes
    assert clone.name == "clone" and "hdr.frame.what" in names(egress.stages[0].received)
    assert not {"hdr.frame.some", "hdr.frame.late"} & names(egress.stages[0].received)
