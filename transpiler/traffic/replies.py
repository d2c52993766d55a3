"""Frames that answer others: what comes back from where a frame went, with source and destination exchanged.

Programs that keep connections let replies pass only behind the frame that they answer. What tables must do for that is found
on the interpreter: a reply comes out where the frame came in, and does not where no frame went before it. That is tried with
any actions of the tables whose keys are the same for all frames of a stream (as the port that they come in at), on both ways.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from random import Random

from transpiler.diagnostics import Diagnostics
from transpiler.hlir.program import Table
from transpiler.hlir.types import width_of
from transpiler.interpreter.tables import Call
from transpiler.traffic.filled import TableEntries
from transpiler.traffic.plan import Plan, Stream, outcomes_of
from transpiler.traffic.probe import Outcomes
from transpiler.traffic.search import Frame, any_outcome, fillable, uses
from transpiler.traffic.single import single
from transpiler.traffic.wellknown import exchanged

TRIES = 2000  # outcomes of tables tried for a stream
AS_FOUND = 0.75  # of them, those in which a table does for the frames what it was found to do
SMALL = 4  # arguments are below that
SAMPLES = 16  # frames of a stream that are tried with what was found

Keyed = tuple[str, tuple[int, ...]]  # a table, and the values of a key


@dataclass(frozen=True)
class Reply:
    """Of a stream, by its number: byte i of the reply is byte `order[i]` of the frame. `entries`: what the tables have that the
    reply meets, with keys that are the same for all."""

    stream: int
    order: tuple[int, ...]
    entries: Mapping[Keyed, Call]


@dataclass(frozen=True)
class Answered:
    """A plan, whose tables do what replies want, and the replies."""

    plan: Plan
    replies: tuple[Reply, ...] = ()


def answered(plan: Plan, port: int, diagnostics: Diagnostics) -> Answered:
    """With replies that come in at `port`, the one that the plan's frames leave by. Says where there are none."""
    streams = list(plan.streams)
    replies: list[Reply] = []
    tables = {id(made): made for made in plan.tables}
    fixed: dict[Keyed, Call] = {}
    for number, stream in enumerate(streams):
        found = _Search(plan, stream, port, fixed).found()
        if found is None:
            continue
        calls, reply = found
        fixed |= calls | reply
        for name, made in stream.entries.items():
            if _is_constant(made):
                tables[id(made)] = _pinned(made, calls[name, _key(stream, name)])
        replies.append(Reply(number, exchanged(stream.template.frame.data), reply))
    if not replies:
        diagnostics.warning(
            plan.program.span, "traffic", "no replies: none comes out only behind the frame that it answers"
        )
    for number, stream in enumerate(streams):
        streams[number] = replace(stream, entries={name: tables[id(made)] for name, made in stream.entries.items()})
    return Answered(replace(plan, streams=tuple(streams), tables=tuple(tables.values())), tuple(replies))


def _is_constant(made: TableEntries) -> bool:
    """Whether all frames have one key in a table, whose action can be chosen."""
    return all(isinstance(bit, int) for bit in made.keys.bits) and made.table.implementation is None


def _key(stream: Stream, name: str) -> tuple[int, ...]:
    return dict(stream.template.seen.applied)[name]


def _pinned(made: TableEntries, call: Call) -> TableEntries:
    """The entries with that call as it is, but for the port to leave by."""
    return replace(made, call=call, rigid=frozenset(range(len(call.arguments))) - made.ports)


@dataclass
class _Search:
    """For one stream. `fixed`: what entries do that others want already."""

    plan: Plan
    stream: Stream
    port: int
    fixed: Mapping[Keyed, Call]

    def __post_init__(self) -> None:
        program = self.plan.program
        self.chance = Random(self.plan.wishes.seed)
        self.probe = self.plan.probe()
        self.constant = [name for name, made in self.stream.entries.items() if _is_constant(made)]
        self.base = outcomes_of(self.stream.template, self.stream.entries)
        self.others = [t for t in fillable(program) if t.implementation is None]

    def found(self) -> tuple[dict[Keyed, Call], dict[Keyed, Call]] | None:
        """What the stream's tables do, and what those do that the reply meets with other keys; None: nothing that suits."""
        frame = self.stream.template.frame
        if not exchanged(frame.data) or not self.stream.template.state:
            return None
        for _ in range(TRIES):
            there = self._there()
            if there is None:
                continue
            back = {table.name: self._any(table) for table in self.others}
            met = self._answers(frame, there, back, {})
            if met is not None and all(self._answers(other, there, back, met) == met for other in self._alike(frame)):
                return {(name, _key(self.stream, name)): call for name, call in there.items()}, met
        return None

    def _there(self) -> dict[str, Call] | None:
        """Calls of the tables with one key, for the frame's way; None where there is a table that would miss."""
        made: dict[str, Call] = {}
        for name in self.constant:
            call = self.fixed.get((name, _key(self.stream, name)))
            if call is None and self.chance.random() < AS_FOUND:
                call = self.stream.template.outcomes[name]
            if call is None:
                call = self._any(self.plan.program.table[name])
            if call is None:
                return None
            made[name] = call
        return made

    def _any(self, table: Table) -> Call | None:
        """An action of a table with any small arguments, or a miss."""
        call = any_outcome(uses(self.plan.program, table), self.chance)
        if call is None:
            return None
        parameters = self.plan.program.action[call.action].parameters
        widths = (width_of(self.plan.program.variable[name].type) for name in parameters)
        return Call(call.action, tuple(self.chance.randrange(min(SMALL, 1 << width)) for width in widths))

    def _answers(
        self, frame: Frame, there: Mapping[str, Call], back: Outcomes, before: Mapping[Keyed, Call]
    ) -> dict[Keyed, Call] | None:
        """What the reply to a frame meets, if it comes out behind it and only then. `before`: what that was of another frame:
        keys that others have are missed."""
        reply = _answer(frame.data)
        own = {(name, _key(self.stream, name)): call for name, call in there.items()}
        fixed = {**self.fixed, **own, **before}
        then = dict.fromkeys(back) if before else dict(back)
        outcomes = {**self.base, **there}
        alone = self.probe.run(reply, then, fixed, self.port)
        if alone.ports or not alone.accepted or len(self.probe.run(frame.data, outcomes).ports) != 1:
            return None
        seen = self.probe.then(reply, then, fixed, self.port)
        if seen.ports != (self.plan.wishes.port,):
            return None
        calls = {(name, key): fixed.get((name, key), then.get(name)) for name, key in seen.applied}
        entries = {place: call for place, call in calls.items() if call is not None and place not in own}
        program = self.plan.program
        allowed = all(single(program.table[name], key, call) is not None for (name, key), call in entries.items())
        return entries if allowed else None

    def _alike(self, frame: Frame) -> list[Frame]:
        """Other frames of the stream."""
        free = [*(self.stream.varied or ()), *(place for places in self.stream.places.values() for place in places)]
        samples = ([bit for bit in free if self.chance.random() < 0.5] for _ in range(SAMPLES))
        return [replace(frame, data=frame.changed(some)) for some in samples]


def _answer(frame: bytes) -> bytes:
    return bytes(frame[at] for at in exchanged(frame))
