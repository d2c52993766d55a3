"""What targets lack, said at its place; where programs with queues, and what changes whole frames, cannot be cut."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
import switches
from hlir_builder import AT, Builder, apply, const, emit, exact, extract, goto, if_, select, state, valid

from transpiler.codegen.capabilities import check
from transpiler.codegen.generate import decide
from transpiler.configuration import BEST
from transpiler.diagnostics import Diagnostics, Rejected
from transpiler.hlir import expressions as ex, statements as st
from transpiler.hlir.program import Action, Bridge, Program, Select, SelectCase, Storage
from transpiler.hlir.types import Bits, Varbit
from transpiler.targets.find import builtin
from transpiler.targets.footprint import NOTHING

PACKETS = Path(__file__).parents[1] / "packets"
LACKING = replace(
    builtin(),
    name="board",
    externs=builtin().externs - {"random.range"},
    hash_algorithms=frozenset({"crc16", "csum16"}),
)


def builder() -> Builder:
    b = Builder()
    b.header("h", "h_t", a=8, rest=Varbit(64))
    b.header("plain", "plain_t", a=16)
    b.variable("m.x", 8)
    b.variable("m.w", 32)
    b.variable("m.v", Varbit(64))
    b.extern("counted", "direct_counter", unit="packets", automatic=0)
    b.extern("told", "digest")
    b.action("count", b.call("direct_counter.count", "counted"))
    b.table("t", [("m.x", "exact")], ["count"], direct=["counted"])
    return b


B = builder()
TAKEN = extract("h", B.get("m.x"))
INDEX = ex.Cast(B.get("m.x"), Bits(32), AT)


def taken(*body: st.Statement) -> Program:
    return builder().build([state("start", [TAKEN], goto("accept"))], [apply("t"), *body], deparser=[emit("h")])


def bridged(variables: tuple[str, ...], headers: tuple[str, ...]) -> Program:
    return replace(taken(), bridges=(Bridge("normal", variables, headers, AT),))


def hashed(algorithm: str, *data: str) -> st.CallExtern:
    return B.call("hash.compute", None, ex.Text(algorithm, AT), B.values(*data), out="m.w")


def selecting(subject: str) -> Program:
    return builder().build([state("start", [TAKEN], select(B.get(subject), (ex.AnySet(AT), "accept")))])


def selecting_too() -> Program:
    case = SelectCase((ex.AnySet(AT), ex.AnySet(AT)), "accept", AT)
    where = Select((B.get("h.a"), B.get("h.rest")), (case,), AT)
    return builder().build([state("start", [TAKEN], where)])


def sent_by_egress(*body: st.Statement) -> Program:
    return builder().build([state("start", [TAKEN], goto("accept"))], [apply("t")], body, [emit("h")])


def matching(key: str) -> Program:
    b = builder()
    b.table("u", [(key, "exact")], ["NoAction"])
    return b.build([state("start", [TAKEN], goto("accept"))], [apply("u")], deparser=[emit("h")])


@pytest.mark.parametrize(
    ("make", "messages"),
    [
        (lambda: taken(hashed("crc16", "m.x", "m.v")), []),
        (lambda: taken(hashed("csum16", "m.x")), []),
        (lambda: taken(hashed("crc32", "m.x")), ["the hash algorithm 'crc32' (it has crc16, csum16)"]),
        (lambda: taken(B.call("digest.send", "told", B.values("m.x", "h.a"))), []),
        (
            lambda: taken(B.call("digest.send", "told", B.values("m.x", "h.rest"))),
            ["a varbit in a list other than a hash's or checksum's"],
        ),
        (
            lambda: taken(
                B.call("digest.send", "told", ex.ListExpression((B.get("m.x"), B.values("h.a", "h.rest")), AT))
            ),
            ["a varbit in a list other than a hash's or checksum's"],
        ),
        (
            lambda: sent_by_egress(if_(valid("h"), [B.call("direct_counter.count", "counted")])),
            ["'direct_counter.count' outside of the actions of its table"],
        ),
        (
            lambda: taken(B.call("random.range", None, const(0, 32), const(7, 32), out="m.w")),
            ["the extern method 'random.range' ((low, high) -> a number between them, both included)"],
        ),
        (
            lambda: taken(B.call("direct_counter.count", "counted")),
            ["'direct_counter.count' outside of the actions of its table"],
        ),
        (lambda: bridged(("m.x",), ("plain",)), []),
        (lambda: bridged(("m.v",), ()), ["a varbit in metadata that go along with a packet"]),
        (lambda: bridged(("m.x",), ("plain", "h")), ["a varbit in metadata that go along with a packet"]),
        (lambda: selecting("h.a"), []),
        (lambda: selecting("h.rest"), ["selecting on a varbit"]),
        (selecting_too, ["selecting on a varbit"]),
        (
            lambda: replace(taken(), bridges=(Bridge("a", ("m.x",), (), AT), Bridge("b", ("m.v",), (), AT))),
            ["a varbit in metadata that go along with a packet"],
        ),
        (lambda: matching("m.x"), []),
        (lambda: matching("h.rest"), ["matching on a varbit"]),
    ],
)
def test_what_a_target_lacks(make: Callable[[], Program], messages: list[str]) -> None:
    diagnostics = Diagnostics()
    try:
        check(make(), LACKING, diagnostics)
    except Rejected:
        assert messages
    assert diagnostics.render().splitlines()[:1] == [
        f"t.p4:1:1: error: target 'board' does not support {message}" for message in messages
    ]
    assert len(diagnostics.messages) == len(messages)


def test_kernels_that_do_not_say_what_lookups_read() -> None:
    """Each once, where it is described, with all its tables; constant entries that become code have nothing to read."""
    b = Builder()
    b.header("h", "h_t", a=24, b=24)
    constant = [b.entry([exact(1, 24)], "NoAction")]
    b.table("first", [("h.a", "exact"), ("h.b", "exact")], [])
    b.table("code", [("h.a", "exact")], [], entries=constant, const_entries=True)
    b.table("other", [("h.a", "ternary")], [])
    b.table("second", [("h.b", "exact"), ("h.a", "exact")], [])
    body = [apply(name) for name in ("first", "code", "other", "second")]
    program = b.build([state("start", [extract("h")], goto("accept"))], body, deparser=[emit("h")])
    silent = replace(builtin(), kernels=tuple(replace(kernel, memory=NOTHING) for kernel in builtin().kernels))
    diagnostics = Diagnostics()
    assert {name: choice.kernel.name for name, choice in check(program, silent, diagnostics).items()} == {
        "first": "exact_packed", "code": "compare", "other": "ternary_cells", "second": "exact_packed",
    }  # fmt: skip
    places = {kernel.name: kernel.place for kernel in builtin().kernels}
    assert [(f"{m.span.file}:{m.span.line}", m.message) for m in diagnostics.messages] == [
        (
            places[name],
            f"the kernel '{name}' has no `memory` figures: however small it is, a stage of its own is made for {of} "
            "(see docs/extend/kernel.md)",
        )
        for name, of in (("exact_packed", "first, second"), ("ternary_cells", "other"))
    ]
    diagnostics = Diagnostics()
    check(program, builtin(), diagnostics)
    assert diagnostics.messages == []


def lookups(*calls: st.CallExtern) -> Program:
    """Three lookups of large tables, one after the other, then these calls."""
    b = Builder()
    b.header("h", "h_t", a=64, b=64)
    for name in ("first", "second", "third"):
        b.variable(f"set_{name}.v", 64, Storage.ACTION_DATA)
        b.actions.append(Action(f"set_{name}", (f"set_{name}.v",), (b.set("h.a", b.get(f"set_{name}.v")),), AT))
        b.table(f"I.{name}", [("h.a", "exact")], [f"set_{name}"], size=1_000_000)
    body = [*(apply(f"I.{name}") for name in ("first", "second", "third")), *calls]
    return b.build([state("start", [extract("h")], goto("accept"))], body, deparser=[emit("h")])


KEY = const(0, 128)
NOWHERE = "the stages are 1 (I.first), 2 (I.second), 3 (I.third)"


@pytest.mark.parametrize(
    ("calls", "at", "messages"),
    [
        ([], "second", []),
        ([], "I.second,third", []),
        ([], "3,1", []),
        ([], "third,nowhere", [f"cannot cut at 'nowhere': {NOWHERE}"]),
        ([], "0", [f"cannot cut at '0': {NOWHERE}"]),
        ([], "4", [f"cannot cut at '4': {NOWHERE}"]),
        ([], "second,2", ["cannot cut at 'second,2': it has stage 2 twice"]),
        (
            [B.call("cipher.encrypt", None, KEY, KEY)],
            "second", ["a program that calls 'cipher.encrypt' cannot be cut"],
        ),
        (
            [B.call("truncate.request", None, const(9, 32)), B.call("cipher.decrypt", None, KEY, KEY)],
            "second",
            [f"a program that calls '{method}' cannot be cut" for method in ("truncate.request", "cipher.decrypt")],
        ),
    ],
)  # fmt: skip
def test_where_a_program_is_cut(calls: list[st.CallExtern], at: str, messages: list[str]) -> None:
    diagnostics = Diagnostics()
    try:
        made = decide(lookups(*calls), builtin(), diagnostics, replace(BEST, cut=at))
    except Rejected:
        assert messages
    else:
        names = [pipe.name for pipe in made.planned.schedule.pipes]
        assert names == ["ingress", "ingress_back", "ingress_back_2"][: at.count(",") + 2]
    assert [m.message for m in diagnostics.messages] == messages


def test_a_program_of_near_tables_has_nothing_to_cut_at() -> None:
    diagnostics = Diagnostics()
    with pytest.raises(Rejected):
        decide(taken(), builtin(), diagnostics, replace(BEST, cut="t"))
    message = "cannot cut at 't': 'ingress' has one stage only, as its tables stay in the cache"
    assert [m.message for m in diagnostics.messages] == [message]


@pytest.mark.parametrize(
    ("name", "cut", "message"),
    [
        ("tables", "1", "--cut: packets of this program wait in queues, which one worker serves"),
        ("psa_paths", None, "--queues: psa has no queues of ports here"),
        ("pna_paths", None, "--queues: pna has no queues of ports here"),
    ],
)
def test_who_has_no_queues(name: str, cut: str | None, message: str) -> None:
    diagnostics = Diagnostics()
    queues = replace(BEST, scheduler=replace(BEST.scheduler, queues=True), cut=cut)
    with pytest.raises(Rejected):
        decide(switches.load(PACKETS / f"{name}.p4"), builtin(), diagnostics, queues)
    assert [m.message for m in diagnostics.messages] == [message]


def test_places_to_cut_at_may_be_named_in_any_order() -> None:
    one, other = (
        decide(lookups(), builtin(), Diagnostics(), replace(BEST, cut=at)).planned.schedule.pipes
        for at in ("1,3", "third,first")
    )
    assert one == other and [len(pipe.stages) for pipe in one] == [2, 4, 2]
