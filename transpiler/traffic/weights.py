"""How many frames of each kind there are: few of those that are dropped.

Kinds of frames that want different entries share tables, so that frames of one may hit an entry of another, and a kind that a
template of came out is dropped. What is dropped early says little about a program's speed. So some frames of each kind are run
through the interpreter with the entries as they are. A kind whose entries have others dropped is left out: its tables are left
to single frames. A kind of which hardly any come out is sent as rarely as single frames.
"""

from __future__ import annotations

from dataclasses import replace

from transpiler.diagnostics import Diagnostics
from transpiler.hlir.program import Program
from transpiler.traffic.builder import Builder, Lookups, Reached
from transpiler.traffic.committed import Committed
from transpiler.traffic.frames import POINTS, Traffic, sample
from transpiler.traffic.plan import Plan, Stream, Wishes, with_copies
from transpiler.traffic.probe import Probe

SAMPLE = 32  # frames of a kind
ENTRIES = 1000  # of a table, where it is tried out which kinds fit
LEAST = 4  # of the kind of which most frames come out, this part is to come out of the others


def harmless(program: Program, wishes: Wishes, fitting: list[list[Reached]], lookups: Lookups) -> list[list[Reached]]:
    """The kinds that come out less than half as often with the entries of a later one keep that one out."""
    tried = replace(wishes, entries={None: ENTRIES})
    kept: list[list[Reached]] = []
    before: list[int] = []
    for group in fitting if len(fitting) > 1 else ():
        draft = with_copies(Builder(program, tried, Diagnostics(), lookups).draft([*kept, group]))
        sent = _all_sent(draft)
        if all(2 * now >= count for now, count in zip(sent, before, strict=False)):
            kept.append(group)
            before = sent
    return kept or fitting


def _all_sent(plan: Plan) -> list[int]:
    """How many frames of samples of the kinds come out themselves."""
    committed, probe = Committed(plan), plan.probe()
    for point in plan.points:
        committed.add(point.entries)
    return [_sent(plan, stream, probe, committed) for stream in plan.streams]


def weighted(plan: Plan) -> Plan:
    """With the weights of kinds of frames. All are alike if nothing comes out."""
    if len(plan.streams) < 2:
        return plan
    sent = _all_sent(plan)
    many = [count * LEAST >= max(sent) for count in sent]
    rare = POINTS / (1 - POINTS) * many.count(True) / max(1, many.count(False))
    streams = (replace(s, weight=1.0 if is_many else rare) for s, is_many in zip(plan.streams, many, strict=True))
    return replace(plan, streams=tuple(streams))


def _sent(plan: Plan, stream: Stream, probe: Probe, committed: Committed) -> int:
    """How many frames of a sample come out themselves."""
    size = max(64, (stream.template.frame.shape.bits + 7) // 8)
    frames = sample(plan, stream, Traffic(SAMPLE, ((size, 1),)))
    return sum(probe.then(frame, {}, committed).forwarded for frame in frames)
