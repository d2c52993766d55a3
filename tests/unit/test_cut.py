"""Pipes cut in two: the halves do what the whole does, with nothing of a packet's state but what crosses, at every boundary."""

from __future__ import annotations

from dataclasses import replace
from itertools import combinations
from random import Random

import pytest
import random_programs
from hlir_builder import AT, Builder, apply, const, emit, exact, extract, goto, state
from schedule_simulator import Simulator

from transpiler.analysis.locations import Location
from transpiler.diagnostics import Diagnostics, Rejected
from transpiler.externs.counter import Counters
from transpiler.externs.register import Register
from transpiler.hlir.program import Action, Program, Storage
from transpiler.interpreter import Switch
from transpiler.interpreter.store import Store
from transpiler.schedule.cut import Cut, NoBoundary, check_cut, cut, read_behind
from transpiler.schedule.order import states_of
from transpiler.schedule.pipelined import member_of, part_name, pipelined
from transpiler.schedule.plan import Access, Form, Run, RunSubBatches, Tables, Take, plan
from transpiler.schedule.scheduler import Options, schedule
from transpiler.schedule.stages import Dispatch, HandOver, PipeSchedule, Schedule, Submit

BURST = 24


def seen(store: Store) -> tuple[object, ...]:
    registers = {name: register.elements for name, register in store.states(Register).items()}
    counters = {n: {i: (c.packets, c.bytes) for i, c in e.elements.items()} for n, e in store.states(Counters).items()}
    return registers, counters, store.log


def may_cut(program: Program, made: Schedule) -> bool:
    diagnostics = Diagnostics()
    check_cut(program, made, diagnostics)
    return not diagnostics.error_count


def cuts_of(program: Program, made: Schedule) -> list[tuple[str, Cut]]:
    """Every cut of every pipe."""
    found = []
    for pipe in made.pipes:
        after = read_behind(program, made, pipe)
        found += [(pipe.name, cut(pipe, at, after)) for at in range(1, len(pipe.stages))]
    return found


ASKS = ("clone", "resubmit", "recirculate", "replicate")


def compare(program: Program, options: Options, frames: list[bytes]) -> tuple[int, int]:
    """Both halves against the interpreter, at every boundary. Returns how many there were, and how many packets left a pipe
    for the replication pipeline."""
    switch = Switch(program)
    expected = [sent for frame in frames for sent in switch.process(0, frame)]
    made = schedule(program, options)
    if not may_cut(program, made):
        return 0, 0
    cuts, to_replication = cuts_of(program, made), 0
    for name, halves in cuts:
        store = Store(program)
        simulator = Simulator(program, made, store)
        assert simulator.run(frames, cuts={name: (halves,)}) == expected
        to_replication += simulator.to_replication
        assert seen(store) == seen(switch.store)
        assert states_of(program, halves.front).isdisjoint(states_of(program, halves.back))
    return len(cuts), to_replication


@pytest.mark.parametrize("facts", [False, True])
@pytest.mark.parametrize("stateful", [False, True], ids=["stateless", "stateful"])
@pytest.mark.parametrize("join_limit", [0, 200])
def test_halves_do_what_the_whole_does(facts: bool, stateful: bool, join_limit: int) -> None:
    boundaries = 0
    for seed in range(40):
        random = Random(f"{seed} {stateful} {join_limit}")
        maker = random_programs.Maker(random, tables=random.randint(2, 6), size=random.randint(2, 5), stateful=stateful)
        program = maker.program()
        options = Options(join_limit=join_limit, constant_propagation=facts)
        boundaries += compare(program, options, random_programs.frames(random, BURST))[0]
    assert boundaries > (10 if stateful else 60)


@pytest.mark.parametrize(
    "options", [Options(), Options(run_to_completion=True), Options(run_to_completion=True, constant_propagation=True)]
)
def test_halves_of_each_of_two_pipes(options: Options) -> None:
    """What ends in the front goes on to the pipe behind, what is diverted there to the replication pipeline."""
    boundaries = to_replication = 0
    for seed in range(40):
        random = Random(seed)
        program = random_programs.Maker(random, stateful=False).program(two_pipes=True)
        added = compare(program, options, random_programs.frames(random, BURST))
        boundaries, to_replication = boundaries + added[0], to_replication + added[1]
    assert boundaries > 100
    assert (to_replication > 300) is options.run_to_completion


@pytest.mark.parametrize("stateful", [False, True], ids=["stateless", "stateful"])
@pytest.mark.parametrize("two_pipes", [False, True], ids=["one pipe", "two pipes"])
def test_three_parts_do_what_the_whole_does(stateful: bool, two_pipes: bool) -> None:
    """At every pair of boundaries; some packets pass the part in the middle without a stage of it."""
    pairs = through = 0
    for seed in range(60 if stateful else 20):
        random = Random(f"{seed} {stateful} three")
        maker = random_programs.Maker(random, tables=random.randint(3, 8), size=random.randint(2, 6), stateful=stateful)
        program = maker.program(two_pipes=two_pipes)
        made = schedule(program, Options(constant_propagation=bool(seed % 2)))
        if not may_cut(program, made):
            continue
        frames = random_programs.frames(random, BURST)
        switch = Switch(program)
        expected = [sent for frame in frames for sent in switch.process(0, frame)]
        for pipe in made.pipes:
            after = read_behind(program, made, pipe)
            for first, second in combinations(range(1, len(pipe.stages)), 2):
                later = cut(pipe, second, after)
                cuts = (later, cut(later.front, first, after))
                store = Store(program)
                simulator = Simulator(program, made, store)
                assert simulator.run(frames, cuts={pipe.name: cuts}) == expected
                assert seen(store) == seen(switch.store)
                pairs += 1
                (dispatch,) = cuts[1].back.stages[0].code
                assert isinstance(dispatch, Dispatch)
                through += any(isinstance(cuts[1].back.stages[n].code[0], HandOver) for n in dispatch.stages)
    assert pairs > (3 if stateful else 25) and through


@pytest.mark.parametrize("asks", [ASKS, ("clone", "replicate")], ids=["begins again", "clones"])
@pytest.mark.parametrize("facts", [False, True])
def test_parts_of_programs_with_further_passes(asks: tuple[str, ...], facts: bool) -> None:
    """In two and three parts; what packets keep of their pass before, and clones, is there behind a cut, too."""
    boundaries = pairs = passes = again = 0
    for seed in range(24):
        random = Random(f"{seed} {asks}")
        size, stateful = random.randint(2, 5), seed % 3 == 0 and "resubmit" not in asks
        maker = random_programs.Maker(random, random.randint(2, 6), size, stateful, asks)
        program, frames = maker.program(), random_programs.frames(random, BURST // 3)
        made = schedule(program, Options(constant_propagation=facts))
        if not may_cut(program, made):
            continue
        replication = random_programs.replication()
        switch = Switch(program, replication=replication)
        expected = [sent for frame in frames for sent in switch.process(0, frame)]
        pipe = made.pipes[0]
        for cuts in all_parts(pipe, read_behind(program, made, pipe), random):
            store = Store(program)
            simulator = Simulator(program, made, store, replication)
            assert simulator.run(frames, cuts={pipe.name: cuts}) == expected
            assert seen(store) == seen(switch.store)
            boundaries, pairs = boundaries + (len(cuts) == 1), pairs + (len(cuts) == 2)
            passes, again = passes + simulator.passes, again + simulator.again
    assert boundaries > 15 and pairs > 5 and passes > 100
    assert (again > 30) is ("resubmit" in asks)


def all_parts(pipe: PipeSchedule, after: frozenset[Location], random: Random) -> list[tuple[Cut, ...]]:
    """The pipe cut at every boundary, and at some pairs of these; the last cut first."""
    numbers = range(1, len(pipe.stages))
    found: list[tuple[Cut, ...]] = [(cut(pipe, at, after),) for at in numbers]
    pairs = list(combinations(numbers, 2))
    for first, second in random.sample(pairs, min(4, len(pairs))):
        later = cut(pipe, second, after)
        found.append((later, cut(later.front, first, after)))
    return found


def less(halves: Cut, number: int, location: Location) -> Cut:
    """The cut with one value fewer at an entry."""
    entries = list(halves.entries)
    entries[number] = replace(entries[number], values=entries[number].values - {location})
    return replace(halves, entries=tuple(entries))


def test_a_value_that_does_not_cross_is_found() -> None:
    """The comparison itself: at many entries there is a value without which packets go wrong."""
    found = 0
    for seed in range(12):
        random = Random(seed)
        program = random_programs.Maker(random, stateful=False).program()
        made = schedule(program, Options())
        frames = random_programs.frames(random, BURST)
        right = Simulator(program, made, Store(program)).run(frames)
        for name, halves in cuts_of(program, made):
            for number, entry in enumerate(halves.entries):
                ways = ({name: (less(halves, number, at),)} for at in sorted(entry.values, key=str))
                found += any(Simulator(program, made, Store(program)).run(frames, cuts=cuts) != right for cuts in ways)
    assert found > 30


def test_a_missing_key_of_a_lookup_is_found() -> None:
    program = two_lookups()
    made = schedule(program, Options())
    (pipe,) = made.pipes
    halves = cut(pipe, 2)
    (entry,) = halves.entries
    assert Location("m0") in entry.values
    frames = [bytes([1, n, 0]) for n in range(4)]
    right = Simulator(program, made, Store(program)).run(frames)
    for cuts, same in (({pipe.name: (halves,)}, True), ({pipe.name: (less(halves, 0, Location("m0")),)}, False)):
        assert (Simulator(program, made, Store(program)).run(frames, cuts=cuts) == right) is same


def two_lookups() -> Program:
    """The first table writes the key of the second one, which sends to the port of its entry."""
    b = Builder()
    b.header("a", "a_t", x=8, y=8, z=8)
    b.variable("m0", 8)
    b.variable("key.v", 8, Storage.ACTION_DATA)
    b.variable("send.port", 9, Storage.ACTION_DATA)
    b.actions.append(Action("key", ("key.v",), (b.set("m0", b.get("key.v")),), AT))
    b.actions.append(Action("send", ("send.port",), (b.set("sm.egress_spec", b.get("send.port")),), AT))
    b.table("t0", [("a.y", "exact")], ["key"], entries=[b.entry([exact(n, 8)], "key", [n + 1]) for n in range(4)])
    b.table("t1", [("m0", "exact")], ["send"], entries=[b.entry([exact(n + 1, 8)], "send", [n]) for n in range(4)])
    return b.build([state("start", [extract("a")], goto("accept"))], [apply("t0"), apply("t1")], [], [emit("a")])


# --- what the halves look like --------------------------------------------------------------------------------------------


def test_each_part_behind_a_cut_has_an_element_of_the_array_of_parts() -> None:
    assert member_of("ingress") == "ingress"
    parts = [member_of(part_name("ingress", number)) for number in (1, 2, 11)]
    assert parts == ["ingress_back[0]", "ingress_back[1]", "ingress_back[10]"]


def test_a_half_is_a_pipe() -> None:
    """The front hands over in stages of their own, the back begins with a dispatch; each has a plan."""
    program = two_lookups()
    (pipe,) = schedule(program, Options()).pipes
    halves = cut(pipe, 1)
    assert [s.name for s in halves.front.stages] == ["entry", "hand_over_0"]
    assert [s.name for s in halves.back.stages] == ["dispatch", "t0", "t1"]
    assert halves.front.stages[1].code == (HandOver(0),) and halves.back.stages[0].code == (Dispatch((1,)),)
    assert halves.front.renews and not halves.back.renews
    assert halves.front.stages[1].live_in == halves.back.stages[1].live_in == halves.entries[0].values
    cursors = Tables(lambda table: Access.CURSORS, lambda table: 1)
    (made,) = plan(halves.back, cursors, (Form.PACKETS,)).passes
    assert [type(step) for step in made.steps if not hasattr(step, "listed")] == [Take, RunSubBatches, RunSubBatches]
    (made,) = plan(halves.front, cursors, (Form.PACKETS,)).passes
    assert [type(step) for step in made.steps if not hasattr(step, "listed")] == [Take, Run]


def test_what_is_read_behind_a_pipe() -> None:
    """What later pipes read, and what a packet that begins anew keeps; behind the last one nothing else."""
    b = Builder()
    b.header("h", "h_t", a=8)
    for name in ("seen", "kept", "other"):
        b.variable(f"m.{name}", 8)
    start = [state("start", [extract("h")], goto("accept"))]
    sets = [b.set(f"m.{name}", b.get("h.a")) for name in ("seen", "kept", "other")]
    egress = [b.set("h.a", b.get("m.seen"))]
    for fields, kept in (["m.kept"], {"m.kept"}), ([], set()):
        program = b.build(start, [*sets, b.call("resubmit.request", None, fields=fields)], egress, [emit("h")])
        made = schedule(program, Options())
        of_pipes = [
            {at.owner for at in read_behind(program, made, pipe) if at.owner.startswith("m.")} for pipe in made.pipes
        ]
        assert of_pipes == [{"m.seen"} | kept, kept]


@pytest.mark.parametrize("at", [-1, 0, 3, 4])
def test_there_must_be_stages_on_both_sides(at: int) -> None:
    (pipe,) = schedule(two_lookups(), Options()).pipes
    with pytest.raises(NoBoundary, match="stages are 0 to 2"):
        cut(pipe, at)


def test_submits_stay_within_a_half() -> None:
    for seed in range(20):
        program = random_programs.Maker(Random(seed), stateful=False).program()
        made = schedule(program, Options(constant_propagation=True))
        for _, halves in cuts_of(program, made):
            for half in (halves.front, halves.back):
                stages = {to.stage for to in half.exits.values() if isinstance(to, Submit)}
                assert all(stage < len(half.stages) for stage in stages)


# --- what cannot be cut ---------------------------------------------------------------------------------------------------


def refusal(program: Program, options: Options) -> str:
    diagnostics = Diagnostics()
    check_cut(program, schedule(program, options), diagnostics)
    return diagnostics.render()


def with_calls(method: str, ingress_too: bool = False, again: bool = False) -> Program:
    """A program with a call in egress, and in ingress too, of a register or of a second pass; or with both there."""
    b = Builder()
    b.header("a", "a_t", x=8)
    b.extern("r", "register", size=4, width=8)
    call = b.call(method, "r", const(0, 32), b.get("a.x")) if "write" in method else b.call(method, None)
    return b.build(
        [state("start", [extract("a")], goto("accept"))],
        [b.set("sm.mcast_grp", b.get("sm.mcast_grp")), *([call] if ingress_too else [])],
        [call, *([b.call("recirculate.request", None)] if again else [])],
        [emit("a")],
    )


@pytest.mark.parametrize(
    ("program", "message"),
    [
        (with_calls("recirculate.request"), ""),
        (with_calls("register.write", again=True), "packets pass 'r' in order and may begin anew"),
        (with_calls("register.write", ingress_too=True), "packets pass 'r' in order in several pipes"),
        (with_calls("register.write"), ""),
    ],
    ids=["recirculates", "a state in several passes", "a state in both pipes", "a state in one pipe"],
)
def test_what_cannot_be_cut_is_located(program: Program, message: str) -> None:
    told = refusal(program, Options(merge=False))
    assert message in told
    assert bool(message) == told.startswith("t.p4:1:1: error")


# --- parts ------------------------------------------------------------------------------------------------------------


def chain(count: int) -> Program:
    """Tables C.t0, C.t1, …, each with a key that the action of the one before writes."""
    b = Builder()
    b.header("a", "a_t", x=8)
    b.variable("m", 8)
    b.variable("set.v", 8, Storage.ACTION_DATA)
    b.actions.append(Action("set", ("set.v",), (b.set("m", b.get("set.v")),), AT))
    for number in range(count):
        b.table(f"C.t{number}", [("m", "exact")], ["set"])
    body = [*(apply(f"C.t{number}") for number in range(count)), b.set("a.x", b.get("m"))]
    return b.build([state("start", [extract("a")], goto("accept"))], body, [], [emit("a")])


def parts(program: Program, at: str, **options: bool) -> list[tuple[str, list[str]]] | str:
    """Of each pipe its name and its stages; what is told where it cannot be cut."""
    diagnostics = Diagnostics()
    try:
        made = pipelined(program, schedule(program, Options(**options)), at, diagnostics)  # type: ignore[arg-type]
    except Rejected:
        return "; ".join(
            line.partition("error: ")[2] for line in diagnostics.render().splitlines() if "error: " in line
        )
    return [(pipe.name, [stage.name for stage in pipe.stages]) for pipe in made.pipes]


@pytest.mark.parametrize("at", ["1,3", "3,1", "t0,t2", "C.t2,C.t0", "t0,3"])
def test_parts_are_in_the_order_of_their_stages(at: str) -> None:
    """By a number, or by the name of a table that a stage looks up."""
    assert parts(chain(4), at) == [
        ("ingress", ["entry", "hand_over_0"]),
        ("ingress_back", ["dispatch", "C.t0", "C.t1", "hand_over_0"]),
        ("ingress_back_2", ["dispatch", "C.t2", "C.t3"]),
    ]


STAGES = "the stages are 1 (C.t0), 2 (C.t1), 3 (C.t2)"


@pytest.mark.parametrize(
    ("at", "told"),
    [
        ("", f"cannot cut at '': {STAGES}"),
        ("-1", f"cannot cut at '-1': {STAGES}"),
        ("\u0661", f"cannot cut at '\u0661': {STAGES}"),
        ("9" * 5000, f"cannot cut at '{'9' * 5000}': {STAGES}"),
        ("2,x,9", f"cannot cut at 'x': {STAGES}; cannot cut at '9': {STAGES}"),
        ("t1,2", "cannot cut at 't1,2': it has stage 2 twice"),
    ],
)
def test_where_there_is_nothing_to_cut_at(at: str, told: str) -> None:
    assert parts(chain(3), at) == told


def test_a_program_whose_states_need_whole_packets_is_not_cut() -> None:
    told = parts(with_calls("register.write", ingress_too=True), "0", merge=False)
    assert isinstance(told, str) and told.startswith("packets pass 'r' in order in several pipes: ")
