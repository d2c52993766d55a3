"""Which header fields stages read in the frame."""

from __future__ import annotations

from pathlib import Path

import pytest
import switches
from hlir_builder import AT, Builder, apply, emit, extract, goto, h, state

from transpiler.analysis.locations import Location
from transpiler.hlir import statements as st
from transpiler.hlir.types import Varbit
from transpiler.schedule.scheduler import Options, schedule
from transpiler.schedule.stages import Schedule, Stage

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


def stages(*body: st.Statement) -> tuple[Stage, ...]:
    """Of these statements, and of a lookup behind them. Headers a to d, one of the program's own, and a stack."""
    b = Builder()
    for name in "abcd":
        b.header(name, "h_t", **({"x": 8, "y": 8} if name == "a" else {}))
    b.header("own", "h_t", local=True)
    b.stack("s", "h_t", 2)
    b.header("v", "v_t", first=8, rest=Varbit(16), last=8)
    b.variable("m.i", 32)
    b.action("copies", copy("d", "c"))
    b.table("t", [("a.x", "exact")], ["copies"], size=1 << 20)
    b.table("u", [("a.x", "exact")], ["NoAction"], size=1 << 20)
    headers = [extract(name) for name in "abcd"]
    program = b.build(
        [state("start", headers, goto("accept"))], [*body, apply("u")], deparser=[emit(name) for name in "abcd"]
    )
    (pipe, *_) = schedule(program, Options(few=0)).pipes
    return pipe.stages


def copy(target: str, source: str) -> st.CopyHeader:
    return st.CopyHeader(h(target), h(source), AT)


B = Builder()
B.header("a", "h_t", x=8, y=8)
for name in "bc":
    B.header(name, "h_t")
EVERY = {f"{header}.{field}" for header in "abcd" for field in "xy"} | {"v.first"}


@pytest.mark.parametrize(
    ("body", "behind", "anywhere"),
    [
        ([], set(), set()),
        ([B.set("b.x", 3)], {"b.x"}, {"b.x"}),
        ([copy("a", "b")], set(), set()),
        ([copy("a", "b"), B.set("b.x", 3)], {"b.x"}, {"a.x", "b.x"}),
        ([B.set("b.x", 3), copy("a", "b")], {"a.x", "b.x"}, {"a.x", "b.x"}),
        ([copy("c", "a"), copy("a", "b"), B.set("b.y", 3)], {"b.y"}, {"a.y", "b.y", "c.y"}),
        ([B.set("b.y", 3), copy("a", "b"), copy("c", "a")], {"a.y", "b.y", "c.y"}, {"a.y", "b.y", "c.y"}),
        ([copy("a", "own")], {"a.x", "a.y"}, {"a.x", "a.y"}),
        ([copy("own", "a")], set(), set()),
        ([st.SetValid(h("b"), True, AT)], set(), set()),
    ],
)
def test_what_is_as_it_was_received(body: list[st.Statement], behind: set[str], anywhere: set[str]) -> None:
    """Behind a stage: fields that were not written, of headers that are no copies of any that was. Anywhere in it: in whatever
    order that is done. None behind a varbit, none of a stack."""
    first, last = stages(*body)
    assert names(first.received) == EVERY and names(last.received) == EVERY - behind
    assert names(first.unchanged) == EVERY - anywhere and last.unchanged == last.received


def test_actions_of_tables_change_headers_too() -> None:
    _, last = stages(apply("t"), B.set("c.x", 1))
    assert names(last.received) == EVERY and names(last.unchanged) == EVERY - {"c.x", "d.x"}
