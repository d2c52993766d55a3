"""What functions of a pipeline take: that of the stages which their steps run, and no more."""

from __future__ import annotations

from dataclasses import fields, replace
from types import SimpleNamespace
from typing import Any

import pytest

from transpiler.codegen.c.build import address, call
from transpiler.codegen.c.nodes import Assign, Body, Do, If, Index, Literal, Name, Return
from transpiler.codegen.c.printer import Printer, declaration, expression
from transpiler.codegen.c.walk import called
from transpiler.codegen.look_first import with_look
from transpiler.codegen.pipeline_views import BlockView, LookupView, PassView, PipeView, StageView, StepView, TableRef
from transpiler.codegen.views import FEW_LIVE, ProgramView
from transpiler.schedule.plan import (
    Finish,
    Follow,
    Form,
    Gather,
    Lap,
    PackKeys,
    Receive,
    Run,
    RunSubBatches,
    Step,
    Take,
)

STAGES = [
    SimpleNamespace(takes={f"run{number}"}, takes_for_keys={f"keys{number}"}, takes_to_follow={f"follow{number}"})
    for number in range(3)
]


@pytest.mark.parametrize(
    ("step", "stage", "wanted"),
    [
        (Receive(), None, {"run0"}),  # what comes in front of all stages runs the first one
        (Take(), None, {"run0"}),
        (Run(1), 1, {"run1"}),
        (Run(2), 2, {"run2"}),
        (RunSubBatches(1, (), 0), 1, {"run1", "keys1", "follow1"}),
        (PackKeys(2), 2, {"keys2"}),
        (Follow(1, (), 1), 1, {"follow1"}),
        (Gather(1, False), 1, set()),
        (Finish(1, ()), 1, set()),
    ],
    ids=lambda value: type(value).__name__ if isinstance(value, Step) else None,
)
def test_what_is_taken(step: Step, stage: int | None, wanted: set[str]) -> None:
    block = SimpleNamespace(stage=None if stage is None else STAGES[stage], steps=[SimpleNamespace(step=step)])
    takes = PassView.takes.fget  # type: ignore[attr-defined]
    assert takes(SimpleNamespace(blocks=[block], stages=STAGES)) == wanted


# --- what a function over a burst has -------------------------------------------------------------------------------------


def stage(number: int = 0, **changes: Any) -> StageView:
    """A stage of which nothing is known but what a test says."""
    made = {f.name: None for f in fields(StageView)} | {"lookups": (), "calls": frozenset(), "takes": (), "body": ()}
    return StageView(**(made | {"number": number} | changes))


def table(**changes: Any) -> TableRef:
    return TableRef(
        **({"name": "t", "number": 0, "entry_type": "e", "key_bytes": 5, "kernel": "k", "steps": 1} | changes)
    )


def lookup(of: TableRef, **changes: Any) -> LookupView:
    nothing: dict[str, Any] = {"member": "m", "keys": (), "key_word": None, "selection": (), "selection_bytes": 0}
    return LookupView(of, **(nothing | changes))


def made_of(
    *steps: Step, form: Form = Form.BURST, lasting: bool = False, resizes: bool = False, **changes: Any
) -> PassView:
    """A function of a stage that takes what `changes` say, and does these steps."""
    stages = (stage(0, takes=changes.pop("takes", ())), stage(1, **changes), stage(2))
    kinds = {Run: "run", RunSubBatches: "run_sub_batches"}
    blocks = tuple(
        BlockView(stages[getattr(step, "stage", 0)], (StepView(kinds.get(type(step), ""), step, ()),)) for step in steps
    )
    return PassView(form, "f", "ingress", stages, blocks, SimpleNamespace(lasting=lasting), resizes, False)  # type: ignore[arg-type]


RECALLS = {"calls": frozenset({"macs_decisions_recall"})}


@pytest.mark.parametrize(
    ("made", "common", "worker", "sub_batches"),
    [
        (made_of(Run(0)), False, False, False),
        (made_of(Run(0), takes=("common",)), True, True, False),
        (made_of(Run(0), takes=("worker",)), False, True, False),
        (made_of(Run(0), takes=("counts",)), False, True, False),
        (made_of(Run(0), takes=("packet",)), True, True, False),  # it binds records
        (made_of(Run(0), takes=("packet",), form=Form.PACKETS), False, False, False),  # they are bound
        (made_of(Run(0), takes=("packet",), form=Form.EPILOGUE), True, True, False),
        (made_of(Run(0), lasting=True), True, True, False),
        (made_of(Run(0), lasting=True, form=Form.PROLOGUE), True, True, False),
        (made_of(Run(0), lasting=True, form=Form.EPILOGUE), False, False, False),  # the prologue has bound them
        (made_of(Run(0), lasting=True, form=Form.PACKETS), False, False, False),
        (made_of(Run(0), Lap(0, "run")), False, True, False),
        (made_of(Run(1, (0,)), takes_for_keys=(), takes_to_follow=()), False, True, True),
        (made_of(RunSubBatches(1, (0,), 0), takes_for_keys=(), takes_to_follow=()), False, True, True),
        (made_of(Run(1), **RECALLS), True, True, False),  # decisions are made ready
    ],
)
def test_what_functions_use(made: PassView, common: bool, worker: bool, sub_batches: bool) -> None:
    assert (made.uses_common, made.uses_worker, made.in_sub_batches) == (common, worker, sub_batches)


LOOK = stage(0, takes=("packet",))


@pytest.mark.parametrize(
    ("made", "readies", "looks"),
    [
        (made_of(Run(1), **RECALLS), True, False),
        (made_of(Run(1), **RECALLS, listed=True), True, True),
        (made_of(Run(1), **RECALLS, listed=True, form=Form.PROLOGUE), False, False),
        (made_of(Run(1), listed=True), False, False),
        (made_of(RunSubBatches(1, (0,), 0), **RECALLS, listed=True), False, False),  # no loop of its own
        (made_of(Run(2), **RECALLS, listed=True), False, False),
    ],
)
def test_where_decisions_are_made_ready(made: PassView, readies: bool, looks: bool) -> None:
    """Packets look for them first where those that find none come in order."""
    assert made.readies == readies and made.looks is None
    with_look = replace(made, stages=(replace(made.stages[0], look=LOOK), *made.stages[1:]))
    assert with_look.looks == ((LOOK, made.stages[1]) if looks else None)


def test_which_functions_decide() -> None:
    assert made_of(calls=frozenset({"macs_decisions_place"})).decides and not made_of(**RECALLS).decides


@pytest.mark.parametrize(
    ("form", "entry", "at", "unused"),
    [
        (Form.BURST, "run_to_completion", "", False),
        (Form.PROLOGUE, "prologue", "burst->", False),
        (Form.EPILOGUE, "epilogue", "burst->", False),
        (Form.PACKETS, "ingress", "", True),
    ],
)
def test_forms(form: Form, entry: str, at: str, unused: bool) -> None:
    made = made_of(Run(0), form=form, takes=("verdict",))
    assert (made.entry, made.at, made.gives_unused) == (entry, at, unused)
    assert (made.extent, made_of(form=form, resizes=True).extent) == (f"{at}received", "sent")
    assert not made_of(Run(0), form=form).gives_unused and not made.alone
    assert replace(made, stages=made.stages[:1]).alone


@pytest.mark.parametrize(
    ("forms", "one"), [((Form.BURST,), True), ((Form.PACKETS,), True), ((Form.BURST, Form.PACKETS), False),
                       ((Form.PROLOGUE, Form.EPILOGUE), True)]
)  # fmt: skip
def test_loops_of_a_pipe(forms: tuple[Form, ...], one: bool) -> None:
    passes = tuple(made_of(form=form) for form in forms)
    assert PipeView("p", (), False, False, False, False, passes).in_one_loop == one


def test_keys_and_entries_of_tables() -> None:
    plain, words = table(), table(words=True, key_bits=40, data_bits=9)
    assert (plain.key_shape, words.key_shape) == ("5", "40, 9")
    assert [table(key_bytes=size, key_in_words=True).key_room for size in (1, 8, 9, 16)] == [8, 8, 16, 16]
    assert plain.key_room == 5
    assert plain.begins_early and not words.begins_early and not table(bulk_bytes=True).begins_early
    assert [table(words=w, indexed=i).suffix for w in (False, True) for i in (False, True)] == ["", "", "", "_indexed"]


@pytest.mark.parametrize(
    ("may_be_empty", "unless", "guard"),
    [(False, "", ""), (True, "", "if (p.m_filled) "), (False, "x", "if (!x) "), (True, "x", "if (!x && p.m_filled) ")],
)
def test_lookups_are_guarded_where_tables_may_be_empty(may_be_empty: bool, unless: str, guard: str) -> None:
    assert lookup(table(may_be_empty=may_be_empty)).guard("p.", unless=unless) == guard


def test_entries_that_are_followed_and_lookups_that_begin_early() -> None:
    """Words of many packets are followed where they are prefetched."""
    led = (Do(call("f")),)
    plain, words = lookup(table(), follow=led), lookup(table(words=True), follow=led)
    both = (lookup(table()), plain, words)
    assert [stage(lookups=both, bulk=bulk).followed for bulk in (False, True)] == [(plain, words), (plain,)]
    assert StepView("run", Run(0), both).followed == (plain, words)
    assert [stage(lookups=(of,), bulk=True).prefetches for of in both] == [True, True, False]
    assert not stage(lookups=both, bulk=False).prefetches


@pytest.mark.parametrize(
    ("function", "holds"), [("macs_hold", True), ("macs_hold_several", True), ("macs_other", False)]
)
def test_stages_that_hold_locks(function: str, holds: bool) -> None:
    assert stage(calls=frozenset({function})).holds == holds


def text(body: Body) -> str:
    return Printer().body(body)


KEEPS = """if (odp_unlikely({at}verdicts[i] == MACS_VERDICT_CONTINUE){fits}) {{
    *(struct state *)macs_packet_of({at}handles[i]) = *state;
}}"""
FITS = " && sizeof(struct state) <= MACS_STATE_IN_BURST"


@pytest.mark.parametrize("form", [Form.BURST, Form.EPILOGUE])
def test_who_goes_on_takes_its_state_along(form: Form) -> None:
    """In its buffer, where it is already if a burst has no room for states. Of who changes frames their lengths are noted."""
    made = replace(made_of(Run(0), form=form, lasting=True), replicates=True)
    assert text(made.departed) == KEEPS.format(at=made.at, fits=FITS)
    alone = replace(made, stages=made.stages[:1], resizes=True)
    noted = "macs_extent_add(&sent, state->packet.length);"
    assert text(alone.departed) == f"{KEEPS.format(at=made.at, fits='')}\n{noted}"
    assert text(replace(alone, replicates=False).departed) == noted
    assert made_of(Run(0), form=form).departed == ()


@pytest.mark.parametrize(
    ("form", "verdict"),
    [(Form.BURST, "&verdicts[n]"), (Form.EPILOGUE, "&burst->verdicts[n]"), (Form.PACKETS, "&unused")],
)
def test_what_the_function_of_a_stage_is_called_with(form: Form, verdict: str) -> None:
    takes = ("worker", "verdict", "index", "lookups", "at", "lookup", "tallies", "kept", "registers", "counts")
    one = stage(3, function="ingress_3_t", takes=takes)
    handed = f"worker, {verdict}, n, lookups, i, &lookups[i - first], tallies_3, kept_3, registers_3, counts_3"
    assert expression(made_of(form=form).call(one, "n")) == f"ingress_3_t({handed})"


def test_copies_of_what_a_stage_accesses() -> None:
    """Of locks all up to the last that it uses, by their numbers; registers and counts stand where those of the program stand."""
    used = [Index(Name("kept"), Literal(number)) for number in ("2", "0")]
    used += [Index(Name("registers"), Name(name)) for name in ("r", "q", "r")] + [Index(Name("counts"), Name("c"))]
    made = stage(4, body=tuple(Do(call("f", address(one))) for one in used), takes=("kept",))
    assert made.kept is not None
    assert declaration(made.kept) == "const struct macs_locks kept_4[3] = {locks[0], locks[1], locks[2]};"
    assert text(made.copies).splitlines() == [
        "struct macs_register registers_4[sizeof externs / sizeof *externs];",
        "registers_4[q] = macs_register_of(externs[q]);",
        "registers_4[r] = macs_register_of(externs[r]);",
        "struct macs_counts counts_4[sizeof externs / sizeof *externs];",
        "counts_4[c] = macs_counts_of(externs[c], worker);",
    ]
    assert stage(4).kept is None and stage(4).copies == ()


@pytest.mark.parametrize(
    ("inlines", "live", "inlined"), [(True, FEW_LIVE, False), (True, FEW_LIVE + 1, True), (False, FEW_LIVE + 1, False)]
)
def test_stages_of_programs_with_many_live_values_are_inlined(inlines: bool, live: int, inlined: bool) -> None:
    assert FEW_LIVE == 32
    view = SimpleNamespace(inlines=inlines, live=SimpleNamespace(declarations=range(live)))
    assert ProgramView.inlines_stages.fget(view) is inlined  # type: ignore[attr-defined]


def test_where_several_stages_make_keys_no_beginning_is_for_the_key_alone() -> None:
    key = call("macs_decisions_place", "worker")
    body = (Assign(Name("on"), call("macs_decisions_on")), If(Name("on"), (Do(key), Return(()))))
    first = stage(0, body=body, calls=called(body), locals=(), function="f")
    frame = SimpleNamespace(
        begins=frozenset(), takes=lambda *_: ("packet",), given=SimpleNamespace(unpacked=lambda _: ())
    )
    (alone, _) = with_look((first, stage(1)), frame)  # type: ignore[arg-type]
    assert alone.look is not None and alone.look.body == (Do(key), Return(()))
    both = (first, stage(1, calls=frozenset({"macs_decisions_place"})))
    assert with_look(both, frame) == both  # type: ignore[arg-type]
