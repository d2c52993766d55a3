"""decisions: what a stretch of the program has come to for packets that are alike. No program calls it: the scheduler puts it in
front of such a stretch (schedule/decisions.py).

The interpreter finds nothing, so that each packet goes through the stretch. In C the instance is the worker's own
(macs/decisions.h), and a packet is known by its number in the burst.
"""

from __future__ import annotations

from transpiler.codegen.c.build import all_of, call as of, cast, infix, packet
from transpiler.codegen.c.nodes import Block, Body, Declare, Do, Expression, If, Name
from transpiler.externs.row import COMMUTES, LIST, NUMBER, SCALAR, Compiled, Interpreted, Kind, Method
from transpiler.hlir.program import ExternInstance

KIND = "decisions"
ON, PLACE, RECALL, VALUE, FORGET, REMEMBER = (
    f"decisions.{name}" for name in ("on", "place", "recall", "value", "forget", "remember")
)
UNREADY, GOES, SENDS = (f"decisions.{name}" for name in ("unready", "goes", "sends"))  # of schedule/ready.py
WORD_BITS = 64
INDEX, WORKER = Name("index"), Name("worker")
WORDS = Name("words")


def _prefetch(instance: ExternInstance) -> str:
    return "macs_decisions_prefetch"


def _on(call: Compiled) -> Body:
    return call.assign_effect(of("macs_decisions_on", WORKER))


def _place(call: Compiled) -> Body:
    stores, words = call.packed_words(0, WORDS)
    key = Declare("uint8_t *const", WORDS.name, of("macs_decisions_key", WORKER, INDEX))
    found = call.assign_effect(of("macs_decisions_place", WORKER, INDEX, words))
    return (Block((key, *stores, *found), cite=call.cite),)


def _recall(call: Compiled) -> Body:
    return call.assign_effect(
        of("macs_decisions_recall", WORKER, INDEX, call.input(0), call.input(1), packet("length"))
    )


def _value(call: Compiled) -> Body:
    return call.assign_output(of("macs_decisions_value", WORKER, INDEX, call.input(0)))


def _forget(call: Compiled) -> Body:
    return (Do(of("macs_decisions_forget", WORKER, INDEX), cite=call.cite),)


def _remember(call: Compiled) -> Body:
    kept = Declare("uint64_t *const", WORDS.name, of("macs_decisions_remember", WORKER, INDEX, call.input(0)))
    stores = (Do(of("macs_decisions_keep", WORDS, number, value)) for number, value in enumerate(call.words(1)))
    return (Block((kept, If(WORDS, tuple(stores))), cite=call.cite),)


def _unready(call: Compiled) -> Body:
    return (Do(of("macs_ready_unready", WORKER, INDEX), cite=call.cite),)


def _goes(call: Compiled) -> Body:
    return (Do(of("macs_ready_goes", WORKER, INDEX, call.input(0)), cite=call.cite),)


def _sends(call: Compiled) -> Body:
    tells = Do(of("macs_ready_sends", WORKER, INDEX, *(_number(call.words(list_)) for list_ in (0, 1))))
    made = of("odp_unlikely", of("macs_ready_is_made", WORKER, INDEX))
    return (If(made, (tells,), cite=call.cite),)


def _number(bits: tuple[Expression, ...]) -> Expression:
    """One number, the first bit the lowest."""
    return all_of("|", [infix(cast("uint64_t", bit), "<<", at) for at, bit in enumerate(bits)])


def _finds_nothing(call: Interpreted) -> None:
    call.output(0)


ROWS = (
    Kind(name=KIND, attributes=("key_words", "kept_words", "counts", "lookups"), prefetch=_prefetch),
    Method(
        name=ON,
        outputs=(SCALAR,),
        effect=COMMUTES,
        of_burst=True,
        doc="() -> whether packets look for decisions now",
        run=_finds_nothing,
        c=_on,
    ),
    Method(
        name=PLACE,
        inputs=(LIST,),
        outputs=(NUMBER,),
        effect=COMMUTES,
        doc="(what the stretch reads) -> where its decision is, if there is one",
        run=_finds_nothing,
        c=_place,
    ),
    Method(
        name=RECALL,
        instance_kind=KIND,
        inputs=(NUMBER, NUMBER),
        outputs=(SCALAR,),
        effect=COMMUTES,
        doc="(where, words of the key) -> whether it is there; then the packet is counted as the stretch would",
        run=_finds_nothing,
        c=_recall,
    ),
    Method(
        name=VALUE,
        inputs=(NUMBER,),
        outputs=(NUMBER,),
        effect=COMMUTES,
        doc="(number) -> that word of the decision that was found",
        run=_finds_nothing,
        c=_value,
    ),
    Method(
        name=FORGET,
        effect=COMMUTES,
        doc="(): what the stretch comes to for this packet is not kept",
        run=lambda call: None,
        c=_forget,
    ),
    Method(
        name=REMEMBER,
        inputs=(NUMBER, LIST),
        effect=COMMUTES,
        doc="(words of the key, words of the decision): the stretch has ended, this is what it has come to",
        run=lambda call: None,
        c=_remember,
    ),
    Method(
        name=UNREADY,
        effect=COMMUTES,
        doc="(): a value is read of which the decision of this packet does not tell",
        run=lambda call: None,
        c=_unready,
    ),
    Method(
        name=GOES,
        inputs=(NUMBER,),
        effect=COMMUTES,
        doc="(port): this packet goes there, unless it is dropped",
        run=lambda call: None,
        c=_goes,
    ),
    Method(
        name=SENDS,
        inputs=(LIST, LIST),
        effect=COMMUTES,
        doc="(which headers are sent, which flags are set): bits",
        run=lambda call: None,
        c=_sends,
    ),
)
