"""What is said of a plan: a line for each step, and what lives where packets are gathered."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise
from types import SimpleNamespace
from typing import Any

import pytest
from hlir_builder import apply, const

from transpiler.analysis.locations import VALIDITY, Location
from transpiler.diagnostics import Span
from transpiler.graph import plan
from transpiler.graph.drawing import NodeKind
from transpiler.schedule.plan import (
    Access,
    Advance,
    Finish,
    Follow,
    Form,
    Gather,
    Lap,
    PackKeys,
    Pass,
    Receive,
    Run,
    RunSubBatches,
    Start,
    Step,
    Take,
    Transmit,
)
from transpiler.schedule.state import StateAccess


def applied(table: str) -> Span:
    """Where it is applied."""
    return Span(f"{table}.p4", 1, 1)


def stage(name: str, *tables: str, live: tuple[Location, ...] = (), cells: str = "") -> SimpleNamespace:
    prefetched = tuple(StateAccess(cell, const(0, 32)) for cell in cells.split())
    lookups = tuple(replace(apply(table), span=applied(table)) for table in tables)
    return SimpleNamespace(name=name, lookups=lookups, live_in=frozenset(live), prefetched=prefetched)


STAGES = (
    stage("entry"),
    stage("ab", "a", "b", live=(Location("m.z"), Location("h", "f"), Location("h", VALIDITY)), cells="r q r"),
    stage("merge"),
    stage("c", "c"),
)
ACCESS = {"a": Access.ARRAY, "b": Access.EARLY_ARRAY, "c": Access.PHASES, "d": Access.WORDS, "e": Access.CURSORS}


def planned(*passes: Pass, replication: bool = False) -> Any:
    """Of tables a to e and one without a key, of which the last three are in no stage; d has no kernel of ours."""
    pipe = SimpleNamespace(name="ingress", replication=replication, stages=STAGES)
    tables = [SimpleNamespace(name=name, keys=name != "keyless") for name in ("a", "b", "c", "d", "e", "keyless")]
    pipeline = SimpleNamespace(pipe=pipe, passes=passes, tables=SimpleNamespace(access=ACCESS.get))
    return SimpleNamespace(
        plans=[pipeline],
        program=SimpleNamespace(name="p", tables=tables),
        kernels={name: SimpleNamespace(name=f"k{name}") for name in "abce"},
        schedule=SimpleNamespace(pipes=[pipe]),
    )


@pytest.mark.parametrize(
    ("step", "lines"),
    [
        (Receive(), ["receive   each packet: run entry"]),
        (Receive(ahead=True), ["receive   each packet: run entry; prefetch the headers of later packets"]),
        (Take(), ["take      each packet: run entry"]),
        (Take(ahead=True), ["take      each packet: run entry; the runtime has prefetched its headers"]),
        (Transmit(), ["transmit  each packet by its verdict"]),
        (Gather(2, True), ["gather    merge: listed in order", "live: nothing"]),
        (Gather(2, False, True), ["gather    merge: a set, put in order; keys are there", "live: nothing"]),
        (Gather(1, True), ["gather    a, b: listed in order; cells of r, q are prefetched", "live: h.f, h.isValid(), m.z"]),
        (PackKeys(1), ["pack      a, b: keys of all packets"]),
        (Start(1, (1, 0)), ["start     b (kb) as an array, begun when the key is known; a (ka) as an array"]),
        (Start(3, (0,)), ["start     c (kc) as an array, in phases"]),
        (Advance(1, (0, 1)), ["advance   a, b"]),
        (Advance(1, (1,), begun=True), ["advance   b, unless that is done"]),
        (Advance(1, (1,), next_burst=True), ["advance   b of the next burst"]),
        (Finish(1, (1,)), ["finish    b"]),
        (Follow(1, (0, 1), 0), ["follow    a, b: what entries lead to"]),
        (Follow(1, (0,), 1), ["follow    a: what entries lead to in 1 step"]),
        (Follow(1, (0,), 2), ["follow    a: what entries lead to in 2 steps"]),
        (Run(2), ["run       merge: each packet"]),
        (Run(1, (0,)), ["run       a, b: each packet; prefetch entries of a b packets ahead"]),
        (
            Run(1, (0,), begun=True),
            ["run       a, b: each packet; prefetch entries of a b packets ahead, then of the next burst"],
        ),
        (Run(1, followed=(1,)), ["run       a, b: each packet; what those of b lead to b/4 ahead"]),
        (RunSubBatches(1, (0, 1), 0), ["run       a (ka); b (kb); b packets at a time: start, finish and work"]),
        (RunSubBatches(3, (0,), 1), ["run       c (kc); b packets at a time: start, go on 1 time, finish and work"]),
        (RunSubBatches(3, (0,), 2), ["run       c (kc); b packets at a time: start, go on 2 times, finish and work"]),
        (RunSubBatches(1, (0,), 0, (1,), 0), ["run       a (ka); b packets at a time: start, follow b, finish and work"]),
        (
            RunSubBatches(1, (0,), 0, (1,), 1),
            ["run       a (ka); b packets at a time: start, follow b in 1 more step, finish and work"],
        ),
        (Lap(0, "run"), []),
    ],
)  # fmt: skip
def test_what_is_said_of_a_step(step: Step, lines: list[str]) -> None:
    title, *told = plan.text(planned(Pass(Form.BURST, (step,)))).partition("\n\n")[0].splitlines()
    assert title == "plan p: ingress, run to completion"
    assert [line.strip() for line in told] == lines


@pytest.mark.parametrize("replication", [False, True])
def test_what_is_said_of_a_plan(replication: bool) -> None:
    """Each pass by its form; tables with a key that no stage begins with."""
    made = plan.text(planned(*(Pass(form, (Transmit(),)) for form in Form), replication=replication))
    forms = ("run to completion", "software pipelined: prologue", "software pipelined: epilogue", "by pipeline")
    of = "ingress, replication pipeline" if replication else "ingress"
    passes = [f"plan p: {of}, {form}\n  transmit  each packet by its verdict\n\n" for form in forms]
    assert made == "".join(passes) + "looked up within a stage\n  d\n  e (ke)\n"


def test_what_lives_is_told_in_lines_of_a_page() -> None:
    live = tuple(Location("metadata.of_a_packet", f"field_{number}") for number in range(9))
    made = planned(Pass(Form.BURST, (Gather(0, True),)))
    made.plans[0].pipe.stages = (stage("entry", live=live),)
    told = plan.text(made).partition("\n\n")[0].splitlines()[2:]
    assert [line.count("metadata") for line in told] == [3, 3, 3]
    assert [len(line) - len(line.lstrip()) for line in told] == [12, 18, 18]


def test_how_a_plan_is_drawn() -> None:
    """A step stands where the first table of its stage is applied; no reading of the clock is a step."""
    steps = (Receive(), Lap(0, "receive"), Gather(1, True), PackKeys(1), Start(1, (0,)), Run(1), Transmit())
    made = plan.draw(planned(Pass(Form.BURST, steps)))
    (group,) = made.groups
    kinds = (NodeKind.STATEMENTS, NodeKind.STATE, NodeKind.STATE, NodeKind.TABLE, NodeKind.STATEMENTS, NodeKind.EXIT)
    assert tuple(node.kind for node in group.nodes) == kinds
    assert [node.span for node in group.nodes] == [None, *[applied("a")] * 4, None]
    assert group.nodes[1].sections == (
        ("a, b: listed in order", "cells of r, q are prefetched"),
        ("h.f", "h.isValid()", "m.z"),
    )
    ids = [f"ingress/burst/{number}" for number in range(6)]
    assert [node.id for node in group.nodes] == ids
    assert [(edge.source, edge.target) for edge in made.edges] == list(pairwise(ids))


def test_where_nothing_lives_nothing_is_drawn_of_it() -> None:
    made = plan.draw(planned(Pass(Form.BURST, (Gather(2, True), Gather(1, False, True)))))
    (group,) = made.groups
    assert [node.sections for node in group.nodes] == [
        (("merge: listed in order",),),
        (
            ("a, b: a set, put in order", "keys are there", "cells of r, q are prefetched"),
            ("h.f", "h.isValid()", "m.z"),
        ),
    ]
