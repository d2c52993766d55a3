"""Plans: the plain one, and what each optimisation makes of it, alone."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
import switches
from hlir_builder import Builder, apply, emit, extract, goto, state

from transpiler.hlir.program import MatchKind, Program
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
    PipelinePlan,
    Receive,
    Run,
    RunSubBatches,
    Start,
    Step,
    Tables,
    Take,
    Transmit,
    plan,
)
from transpiler.schedule.plan_edits import (
    EDITS,
    Edit,
    edited,
    software_pipelined,
    with_arrays,
    with_entries_followed,
    with_laps,
    with_read_ahead,
)
from transpiler.schedule.planned import access, planned
from transpiler.schedule.scheduler import Options, schedule
from transpiler.targets.target import Kernel

Edits = tuple[Edit, ...]


def program(*keys: str) -> Program:
    """A table for each field of the header that is named, looked up one after the other."""
    b = Builder()
    b.header("h", "h_t", k0=8, k1=8, v=8)
    b.variable("m", 8)
    for number, key in enumerate(keys):
        b.action(f"set{number}", b.set("m", number + 1))
        b.table(f"t{number}", [(key, "exact")], [f"set{number}"])
    applied = [apply(f"t{number}") for number in range(len(keys))]
    return b.build(
        [state("start", [extract("h")], goto("accept"))], [*applied, b.set("h.v", b.get("m"))], [], [emit("h")]
    )


TWO = program("h.k0", "m")  # what the first writes is the key of the second: two stages
AT_ONCE = program("h.k0", "h.k1")  # one stage


def of(
    what: Program, edits: Edits, *accesses: Access, forms: tuple[Form, ...] = (Form.BURST,), received: bool = False
) -> PipelinePlan:
    tables = Tables(lambda name: accesses[int(name.removeprefix("t"))], lambda name: 2)
    (pipe,) = schedule(what, Options()).pipes
    return edited(plan(pipe, tables, forms, received), edits)


def without(left_out: Edit) -> Edits:
    return tuple(edit for edit in EDITS if edit is not left_out)


WORK = without(with_laps)  # no step of which is a reading of the clock


def test_the_plain_plan_looks_up_by_cursors_and_prefetches_nothing() -> None:
    (made,) = of(TWO, (), Access.WORDS, Access.ARRAY).passes
    assert made.steps == (
        Receive(),
        Gather(1, listed=True),
        RunSubBatches(1, (0,), 2),
        Gather(2, listed=True),
        RunSubBatches(2, (0,), 2),
        Transmit(),
    )


@pytest.mark.parametrize("steps", [(3, 1), (1, 3)])
def test_cursors_go_on_as_often_as_the_table_with_the_most_steps(steps: tuple[int, int]) -> None:
    tables = Tables(lambda name: Access.CURSORS, lambda name: steps[int(name.removeprefix("t"))])
    (pipe,) = schedule(AT_ONCE, Options()).pipes
    (made,) = plan(pipe, tables, (Form.BURST,)).passes
    assert made.steps == (Receive(), Gather(1, listed=True), RunSubBatches(1, (0, 1), 3), Transmit())


def test_keys_go_to_tables_as_arrays_where_all_of_a_stage_take_them() -> None:
    (made,) = of(TWO, (with_arrays,), Access.EARLY_ARRAY, Access.CURSORS).passes
    assert made.steps[1:4] == (Gather(1, listed=True, keyed=True), Start(1, (0,)), Run(1))
    assert made.steps[4:] == (Gather(2, listed=True), RunSubBatches(2, (0,), 2), Transmit())
    mixed = of(AT_ONCE, (with_arrays,), Access.EARLY_ARRAY, Access.CURSORS)
    assert mixed == replace(of(AT_ONCE, (), Access.ARRAY, Access.ARRAY), tables=mixed.tables)
    assert not mixed.has_arrays(1)


def test_what_a_plan_says_of_each_stage() -> None:
    """Keys that are packed when the lookups start are no keys that are stored when a packet is submitted."""
    plain, keyed = (of(TWO, edits, Access.ARRAY, Access.CURSORS) for edits in ((), (with_arrays,)))
    packed = replace(
        keyed, passes=(replace(keyed.passes[0], steps=(Gather(1, listed=False), PackKeys(1), Start(1, (0,)))),)
    )
    for made, arrays, stored in ((plain, [], []), (keyed, [1], [1]), (packed, [1], [])):
        assert [number for number in range(3) if made.has_arrays(number)] == arrays
        assert [number for number in range(3) if made.is_keyed(number)] == stored
    followed = replace(packed, passes=(
        Pass(Form.BURST, (Gather(1, listed=True), Follow(1, (0, 2), 1), Run(2, (0,), followed=(1,)))),
        Pass(Form.PACKETS, (RunSubBatches(1, (0,), 2, followed=(3,)),)),
    ))  # fmt: skip
    assert [followed.followed(number) for number in range(3)] == [set(), {0, 2, 3}, {1}]


def test_lookups_that_can_wait_are_started_first() -> None:
    made = of(AT_ONCE, (with_arrays,), Access.ARRAY, Access.PHASES)
    assert made.passes[0].steps[2:-1] == (Start(1, (1,)), Start(1, (0,)), Advance(1, (1,)), Finish(1, (1,)), Run(1))
    assert made.has_arrays(1) and made.is_keyed(1)


def test_a_stage_that_several_leave_packets_to_packs_its_keys() -> None:
    pipe = of(TWO, (), Access.ARRAY, Access.ARRAY).pipe
    again = replace(pipe, stages=(*pipe.stages[:2], replace(pipe.stages[2], code=pipe.stages[0].code), pipe.stages[2]))
    (made,) = edited(plan(again, Tables(lambda name: Access.ARRAY, lambda name: 0), (Form.BURST,)), WORK).passes
    assert made.steps[1:4] == (Gather(1, listed=False), PackKeys(1), Start(1, (0,)))


@pytest.mark.parametrize("first", [Access.WORDS, Access.PHASES])
def test_software_pipelining_makes_prologue_and_epilogue(first: Access) -> None:
    made = of(TWO, WORK, first, Access.ARRAY)
    prologue, epilogue = made.passes
    assert made.is_software_pipelined
    assert (prologue.form, epilogue.form) == (Form.PROLOGUE, Form.EPILOGUE)
    assert prologue.steps == (Receive(ahead=True), Gather(1, listed=True, keyed=True), Start(1, (0,)))
    assert epilogue.steps[0] == prologue.steps[1] and prologue.steps[2] not in epilogue.steps
    if first is Access.WORDS:
        assert epilogue.steps[1] == Run(1, (0,), begun=True)
    else:
        goes_on = Advance(1, (0,), begun=True), Finish(1, (0,)), Run(1), Advance(1, (0,), next_burst=True)
        assert epilogue.steps[1:5] == goes_on


@pytest.mark.parametrize(
    ("edits", "accesses", "forms"),
    [
        (EDITS, (Access.ARRAY, Access.WORDS), (Form.BURST,)),  # nothing to wait for in the first stage
        (without(with_arrays), (Access.WORDS, Access.WORDS), (Form.BURST,)),
        (without(software_pipelined), (Access.WORDS, Access.WORDS), (Form.BURST,)),
        (EDITS, (Access.WORDS, Access.WORDS), (Form.BURST, Form.PACKETS)),  # packets come by another way, too
    ],
)
def test_without_software_pipelining(edits: Edits, accesses: tuple[Access, ...], forms: tuple[Form, ...]) -> None:
    made = of(TWO, edits, *accesses, forms=forms)
    assert tuple(p.form for p in made.passes) == forms and not made.is_software_pipelined


def test_read_ahead() -> None:
    plain = of(TWO, (), Access.WORDS, Access.WORDS)
    (made,) = of(TWO, (with_read_ahead,), Access.WORDS, Access.WORDS).passes
    assert made.steps == (Receive(ahead=True), *plain.passes[0].steps[1:])


def test_the_runtime_reads_ahead_where_it_fills_in_the_records() -> None:
    for received in (False, True):
        (made,) = of(TWO, EDITS, Access.WORDS, Access.WORDS, forms=(Form.PACKETS,), received=received).passes
        assert made.steps[0] == Take(received=received, ahead=received)


def test_laps_stand_behind_what_is_timed() -> None:
    (made,) = of(TWO, (with_arrays, with_laps), Access.PHASES, Access.CURSORS).passes
    assert made.steps == (
        Receive(), Lap(0, "receive"),
        Gather(1, listed=True, keyed=True), Start(1, (0,)), Advance(1, (0,)), Finish(1, (0,)), Lap(1, "start"),
        Run(1), Lap(1, "run"),
        Gather(2, listed=True), RunSubBatches(2, (0,), 2), Lap(2, "run"),
        Transmit(), Lap(0, "transmit"),
    )  # fmt: skip


@pytest.mark.parametrize("access", list(Access))
def test_laps_are_of_one_clock_each(access: Access) -> None:
    for made in of(TWO, EDITS, access, Access.ARRAY).passes:
        laps = [step for step in made.steps if isinstance(step, Lap)]
        assert laps and len(set(laps)) == len(laps)


def led(what: Program, edits: Edits, accesses: dict[str, Access], leading: dict[str, int | None]) -> tuple[Step, ...]:
    """The steps of the burst, where entries lead somewhere."""
    tables = Tables(lambda name: accesses[name], lambda name: 2, lambda name: leading[name])
    (pipe,) = schedule(what, Options()).pipes
    (made,) = edited(plan(pipe, tables, (Form.BURST,)), edits).passes
    return made.steps


def test_entries_are_followed_when_they_are_there() -> None:
    follows = (with_arrays, with_entries_followed)
    arrays = led(TWO, follows, {"t0": Access.PHASES, "t1": Access.ARRAY}, {"t0": 4, "t1": None})
    assert arrays[2:6] == (Start(1, (0,)), Advance(1, (0,)), Finish(1, (0,)), Follow(1, (0,), 4))
    assert arrays[6] == Run(1) and arrays[9] == Run(2)
    both = led(AT_ONCE, follows, {"t0": Access.WORDS, "t1": Access.ARRAY}, {"t0": 0, "t1": 1})
    assert both[4:6] == (Follow(1, (1,), 1), Run(1, (0,), followed=(0,)))
    cursors = led(AT_ONCE, (with_entries_followed,), {"t0": Access.WORDS, "t1": Access.ARRAY}, {"t0": 0, "t1": 4})
    assert cursors[2] == RunSubBatches(1, (0, 1), 2, followed=(0, 1), leading=4)
    one = led(AT_ONCE, (with_entries_followed,), {"t0": Access.WORDS, "t1": Access.ARRAY}, {"t0": None, "t1": 0})
    assert one[2] == RunSubBatches(1, (0, 1), 2, followed=(1,), leading=0)


def test_a_plan_knows_which_entries_are_followed() -> None:
    for edits in ((with_arrays, with_entries_followed), (with_entries_followed,)):
        tables = Tables(lambda name: Access.WORDS, lambda name: 1, lambda name: 0 if name == "t1" else None)
        (pipe,) = schedule(AT_ONCE, Options()).pipes
        made = edited(plan(pipe, tables, (Form.BURST,)), edits)
        assert made.followed(1) == {1} and made.followed(0) == set()


def test_every_edit_changes_a_plan() -> None:
    (pipe,) = schedule(TWO, Options()).pipes
    tables = Tables({"t0": Access.WORDS, "t1": Access.ARRAY}.__getitem__, lambda name: 2, lambda name: 0)
    plain = plan(pipe, tables, (Form.BURST,))
    for edit in EDITS:
        assert edited(plain, EDITS).passes != edited(plain, without(edit)).passes and edit.__doc__


# --- which access a kernel gives ------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("kernel", "expected"),
    [
        (None, Access.CURSORS),
        (Kernel("k", frozenset({MatchKind.EXACT})), Access.CURSORS),
        (Kernel("k", frozenset({MatchKind.EXACT}), bulk=True), Access.EARLY_ARRAY),
        (Kernel("k", frozenset({MatchKind.EXACT}), bulk=True, bulk_key_bytes=4), Access.ARRAY),
        (Kernel("k", frozenset({MatchKind.EXACT}), bulk=True, bulk_key_bytes=4, parts=True), Access.PHASES),
        (Kernel("k", frozenset({MatchKind.EXACT}), bulk=True, words=True), Access.WORDS),
        (Kernel("k", frozenset({MatchKind.EXACT}), words=True), Access.CURSORS),
    ],
)
def test_access(kernel: Kernel | None, expected: Access) -> None:
    assert access(TWO.table["t0"], kernel) is expected


def test_a_table_with_a_profile_is_looked_up_as_others_are() -> None:
    table = replace(TWO.table["t0"], implementation="p")
    assert access(table, Kernel("k", frozenset({MatchKind.EXACT}), bulk=True)) is Access.EARLY_ARRAY


@pytest.mark.parametrize("whole", [False, True])
def test_forms(whole: bool) -> None:
    options = Options(run_to_completion=whole)
    made = planned(TWO, schedule(TWO, options), {}, options, EDITS)
    assert made.run_to_completion is whole and not made.requests
    (pipeline,) = made.plans
    assert [p.form for p in pipeline.passes] == [Form.BURST if whole else Form.PACKETS]
    assert made.reads_ahead is not whole
    assert not planned(TWO, schedule(TWO, options), {}, options, without(with_read_ahead)).reads_ahead


def test_packets_that_ask_for_more_come_again_by_their_records() -> None:
    """Those that leave the pipe of received packets for that of copies."""
    program = switches.load(Path(__file__).parents[1] / "packets" / "psa_flooding.p4")
    options = Options(run_to_completion=True)
    made = planned(program, schedule(program, options), {}, options, EDITS)
    assert made.requests and made.run_to_completion
    forms = [[p.form for p in pipeline.passes] for pipeline in made.plans]
    assert forms == [[Form.BURST, Form.PACKETS], [Form.PACKETS]]
