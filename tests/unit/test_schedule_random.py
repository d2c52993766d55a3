"""Random programs: running a burst stage by stage, with nothing kept but what the schedule keeps, does what running its
packets one after the other does."""

from __future__ import annotations

from dataclasses import replace
from random import Random

import pytest
import random_programs
from schedule_simulator import Simulator

from transpiler.externs.counter import Counters
from transpiler.externs.register import Register
from transpiler.hlir.program import Program
from transpiler.interpreter import Switch
from transpiler.interpreter.store import Store
from transpiler.schedule.atomic_regions import with_atomic_regions
from transpiler.schedule.hoist_indexes import with_hoisted_indexes
from transpiler.schedule.inline_actions import with_inlined_actions
from transpiler.schedule.scheduler import Options, schedule
from transpiler.schedule.state import large_state

BURST = 24
PROGRAMS = 40


def seen(store: Store) -> tuple[object, ...]:
    """What is left in a store."""
    registers = {name: register.elements for name, register in store.states(Register).items()}
    counters = {n: {i: (c.packets, c.bytes) for i, c in e.elements.items()} for n, e in store.states(Counters).items()}
    return registers, counters, store.log


def compare(program: Program, options: Options, frames: list[bytes]) -> tuple[int, int]:
    """Compare both ways of running. Returns the number of stages, and how many packets went to the replication pipeline."""
    switch = Switch(program)
    expected = [sent for frame in frames for sent in switch.process(0, frame)]
    states = large_state(program, 0)
    ready = with_inlined_actions(with_atomic_regions(with_hoisted_indexes(program, states)).program, states)
    for facts, few, large, made in (
        (False, 16, frozenset(), program),
        (False, 0, frozenset(), program),
        (True, 0, states, ready),
        (True, 16, frozenset(), program),
    ):
        store = Store(made)
        plan = schedule(made, replace(options, constant_propagation=facts, few=few, large=large))
        simulator = Simulator(made, plan, store)
        assert simulator.run(frames) == expected
        assert seen(store) == seen(switch.store)
    return sum(len(pipe.stages) for pipe in plan.pipes), simulator.to_replication


@pytest.mark.parametrize("stateful", [False, True], ids=["stateless", "stateful"])
@pytest.mark.parametrize("join_limit", [0, 2, 200])
def test_stages_do_what_one_packet_after_the_other_does(stateful: bool, join_limit: int) -> None:
    stages = 0
    for seed in range(PROGRAMS):
        random = Random(f"{seed} {stateful} {join_limit}")
        maker = random_programs.Maker(random, tables=random.randint(1, 6), size=random.randint(2, 5), stateful=stateful)
        program = maker.program()
        frames = random_programs.frames(random, BURST)
        uncut = frozenset(random.sample(maker.tables, random.randint(0, len(maker.tables) // 2)))
        program_stages = compare(program, Options(lambda t, uncut=uncut: t not in uncut, join_limit=join_limit), frames)  # type: ignore[misc]
        stages += program_stages[0]
    assert stages > PROGRAMS * (1.5 if stateful else 2.5)


def test_two_pipes() -> None:
    for seed in range(PROGRAMS):
        random = Random(seed)
        program = random_programs.Maker(random, stateful=False).program(two_pipes=True)
        assert [pipe.name for pipe in schedule(program, Options()).pipes] == ["ingress", "egress"]
        compare(program, Options(), random_programs.frames(random, BURST))


def test_a_pipe_aside() -> None:
    """Egress within ingress, and egress as a pipe of its own for every other packet, do the same."""
    options = Options(run_to_completion=True)
    to_replication = 0
    for seed in range(PROGRAMS):
        random = Random(seed)
        program = random_programs.Maker(random, stateful=False).program(two_pipes=True)
        assert [(pipe.name, pipe.replication) for pipe in schedule(program, options).pipes] == [
            ("ingress", False),
            ("egress", True),
        ]
        to_replication += compare(program, options, random_programs.frames(random, BURST))[1]
    assert to_replication > 5 * PROGRAMS


@pytest.mark.parametrize("facts", [False, True])
def test_further_passes(facts: bool) -> None:
    """Packets that are cloned, resubmitted, recirculated and replicated; in order, where they come to a state again."""
    passes = ordered = 0
    for seed in range(PROGRAMS):
        random = Random(f"{seed} again")
        maker = random_programs.Maker(
            random, stateful=seed % 2 == 0, asks=("clone", "resubmit", "recirculate", "replicate")
        )
        program, frames = maker.program(), random_programs.frames(random, BURST // 3)
        replication = random_programs.replication()
        switch = Switch(program, replication=replication)
        expected = [sent for frame in frames for sent in switch.process(0, frame)]
        made, store = schedule(program, Options(constant_propagation=facts)), Store(program)
        simulator = Simulator(program, made, store, replication)
        assert simulator.run(frames) == expected
        assert seen(store) == seen(switch.store)
        passes, ordered = passes + simulator.passes, ordered + made.ordered
    assert passes > 2 * PROGRAMS and ordered > 5


def test_a_schedule_that_keeps_too_little_is_found() -> None:
    """The comparison itself: without any one location that is kept, some program goes wrong."""
    found = 0
    for seed in range(PROGRAMS // 2):
        random = Random(seed)
        program = random_programs.Maker(random, stateful=False).program()
        plan = schedule(program, Options())
        frames = random_programs.frames(random, BURST)
        right = Simulator(program, plan, Store(program)).run(frames)
        for location in sorted(plan.live, key=str):
            (pipe,) = plan.pipes
            stages = tuple(replace(stage, live_in=stage.live_in - {location}) for stage in pipe.stages)
            less = replace(plan, pipes=(replace(pipe, stages=stages),), zeroed=plan.zeroed - {location})
            found += Simulator(program, less, Store(program)).run(frames) != right
    assert found > 10
