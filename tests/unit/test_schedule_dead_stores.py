"""Stores that nothing reads any more on a packet's way through a stage."""

from __future__ import annotations

from hlir_builder import AT, Builder, apply, binary, const, emit, extract, goto, if_, state

from transpiler.analysis.locations import Location
from transpiler.architectures.v1model.pipes import EGRESS_SPEC, FORWARD
from transpiler.hlir import statements as st
from transpiler.hlir.program import Control, Program, Role
from transpiler.schedule.dead_stores import without_dead_stores
from transpiler.schedule.live import Liveness
from transpiler.schedule.pipeline import Deparse, Source, Step
from transpiler.schedule.scheduler import Options, schedule
from transpiler.schedule.stages import End, Fork, Plain


def program(*ingress: st.Statement, egress: tuple[st.Statement, ...] = ()) -> tuple[Builder, Program]:
    b = Builder()
    b.header("h", "h_t", v=8)
    b.variable("a", 8)
    b.action("t.act")
    b.table("t", [("h.v", "exact")], ["t.act"])
    return b, b.build([state("start", [extract("h")], goto("accept"))], ingress, egress, [emit("h")])


def left(made: Program) -> list[object]:
    """What the last stage does after its lookup."""
    code = schedule(made, Options()).pipes[0].stages[-1].code
    assert not any(isinstance(piece, Fork) for piece in code)
    return [piece.what for piece in code if isinstance(piece, Plain) and not isinstance(piece.what, Deparse)]


def test_what_is_written_last_and_never_read_goes() -> None:
    b = program()[0]
    unread, read, used = b.set("a", 1), b.set("a", 2), st.Assign(b.place("h.v"), b.get("a"), AT)
    assert left(program(apply("t"), unread, read, used, b.set("a", 3))[1])[:-1] == [read, used]


def test_a_branch_around_nothing_else_goes() -> None:
    b = program()[0]
    branch = if_(binary("==", b.get("h.v"), const(1, 8)), [b.set("a", 1)])
    assert [w for w in left(program(apply("t"), branch)[1]) if isinstance(w, st.If)] == []


def test_within_a_branch_what_the_next_statement_reads_stays() -> None:
    b = program()[0]
    store, use, unread = b.set("a", 1), st.Assign(b.place("h.v"), b.get("a"), AT), b.set("a", 2)
    for inner in ([store, use, unread], [unread, store, use]):
        branch = if_(binary("==", b.get("h.v"), const(1, 8)), inner, inner)
        (kept,) = (w for w in left(program(apply("t"), branch)[1]) if isinstance(w, st.If))
        assert kept.then == kept.otherwise == (store, use)


def test_a_branch_with_one_arm_that_is_read_stays() -> None:
    b = program()[0]
    use, unread = b.set("h.v", 3), b.set("a", 2)
    for then, otherwise, left_of in (
        ([use], [], ((use,), ())),
        ([], [use], ((), (use,))),
        ([unread], [use, unread], ((), (use,))),
    ):
        branch = if_(binary("==", b.get("h.v"), const(1, 8)), then, otherwise)
        (kept,) = (w for w in left(program(apply("t"), branch)[1]) if isinstance(w, st.If))
        assert (kept.then, kept.otherwise) == left_of


def test_the_architecture_fills_what_is_read() -> None:
    b = program()[0]
    (step,) = (w for w in left(program(apply("t"))[1]) if isinstance(w, Step))
    assert step == FORWARD and step.fills == ()
    egress = (st.Assign(b.place("h.v"), b.get("a"), AT),)
    steps = [w for w in left(program(apply("t"), egress=egress)[1]) if isinstance(w, Step)]
    assert (EGRESS_SPEC, Source.ZERO) in steps[0].fills  # asked when egress has run


def test_so_it_does_with_a_deparser() -> None:
    made = program()[1]
    deparser = made.pipe(Role.DEPARSER)
    assert isinstance(deparser, Control)
    code = (Plain(Deparse(deparser, FORWARD)), End())
    for read, fills in (
        ((), ()),
        (("egress_port", "egress_rid"), (("egress_port", EGRESS_SPEC), ("egress_rid", Source.REPLICA))),
    ):
        after = frozenset(Location(made.intrinsic[name]) for name in read)
        liveness = Liveness(made, frozenset(), {}, after, frozenset(), frozenset())
        piece, end = without_dead_stores(code, liveness)
        assert isinstance(piece, Plain) and isinstance(piece.what, Deparse) and end == End()
        assert piece.what.then is not None and piece.what.then.fills == fills
