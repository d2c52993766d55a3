"""What is decided of whole programs before there is C, as text beside each (`--update-golden` writes it anew): notes on tables
and state, the plan, what is known and read of packets in each stage, what the runtime is told of decisions that are ready, and
the program that is left."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

import pytest

from macsad.compilation import Request, decide, load
from transpiler.analysis.locations import Location
from transpiler.codegen.generate import notes_of
from transpiler.configuration import BEST
from transpiler.graph import plan
from transpiler.graph.text import location
from transpiler.hlir.printer import print_program
from transpiler.schedule.stages import Schedule

HERE = Path(__file__).parent
PROGRAMS = ("codegen/state", "codegen/headers", "codegen/cached", "codegen/learning", "p4_16/psa_counting")


def told(locations: Iterable[Location]) -> str:
    return ", ".join(sorted(map(location, locations))) or "nothing"


def stages(schedule: Schedule) -> Iterator[str]:
    """What the values of packets are in each stage; those that the state has in any."""
    for pipe in schedule.pipes:
        for number, stage in enumerate(pipe.stages):
            known = sorted(f"{location(where)} = {value}" for where, value in stage.known.items())
            yield f"stage {number} of {pipe.name}, {stage.name}"
            yield f"    known: {', '.join(known) or 'nothing'}"
            for what in ("live_in", "received", "unchanged", "loaded", "intact"):
                yield f"    {what}: {told(getattr(stage, what))}"
        yield f"behind {pipe.name}: {told(pipe.to_next)}; to replication: {told(pipe.to_replication)}"
    yield f"live: {told(schedule.live)}"
    yield f"zeroed: {told(schedule.zeroed)}"
    yield f"given: {told(schedule.given)}"
    yield f"spread: {', '.join(sorted(schedule.spread)) or 'nothing'}"


@pytest.mark.parametrize("name", PROGRAMS)
def test_what_is_decided(name: str, golden: Callable[[Path, str], None]) -> None:
    file = HERE / f"{name}.p4"
    request = Request(file, warnings=("no-all",))
    program = load(request)
    decided = decide(request, program)
    parts = ["\n".join(notes_of(program, decided, BEST)).replace(f"{file.parent}/", ""), plan.text(decided.planned)]
    parts.append("\n".join((*stages(decided.planned.schedule), "")))
    if decided.cached is not None and (ready := decided.cached.ready) is not None:
        masks = "\n".join(mask.hex(" ", -2) for mask in ready.masks)
        parts.append(f"received {ready.received}\nsent {ready.sent}\n{masks}\n")
    golden(file.with_suffix(".decided"), "\n\n".join((*parts, print_program(decided.planned.program))))
