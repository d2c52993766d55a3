"""Runs a parser: from its first state to `accept`, or to `reject` with an error. P4-16 spec 1.2.5 section 12."""

from __future__ import annotations

from transpiler.analysis.progress import STALL_LIMIT
from transpiler.hlir import expressions as ex
from transpiler.hlir.arithmetic import number
from transpiler.hlir.program import ACCEPT, REJECT, Goto, Parser, ParserState, Select, SelectCase
from transpiler.hlir.types import Bits, Type, width_of
from transpiler.interpreter.evaluate import evaluate
from transpiler.interpreter.execute import Execution
from transpiler.interpreter.packet import ParserReject, Reader
from transpiler.interpreter.trace import Event

NO_ERROR = "NoError"


def parse(run: Execution, parser: Parser, reader: Reader) -> str:
    """Parse a frame; the cursor stays where the parser stopped. Returns the error, NoError after `accept`."""
    run.reader = reader
    run.state.enter_pipe()
    states = {s.name: s for s in parser.states}
    current = parser.states[0]
    stalling = run.store.stalling[parser.name]
    stalled_at, visits = 0, 0
    try:
        while True:
            run.tick()
            run.trace(Event("state", current.name, current.span))
            run.watch.state(current)
            if current.name in stalling:
                visits = visits + 1 if reader.cursor == stalled_at else 1
                stalled_at = reader.cursor
                if visits > STALL_LIMIT:
                    raise ParserReject("ParserTimeout")
            run.run(current.body)
            target = _next(run, current)
            if target == ACCEPT:
                return NO_ERROR
            if target == REJECT:
                run.trace(Event("error", f"rejected by {current.name}", current.transition.span))
                return NO_ERROR
            current = states[target]
    except ParserReject as reject:
        run.trace(Event("error", f"error.{reject.error} in {current.name}", current.span))
        return reject.error


def _next(run: Execution, state: ParserState) -> str:
    match state.transition:
        case Goto(state=target):
            return target
        case Select(subjects=subjects, cases=cases) as select:
            values = [evaluate(s, run.state) for s in subjects]
            types = [s.type for s in subjects]
            for which, case in enumerate(cases):
                if _covers(run, case, values, types):
                    run.watch.arm(select, which)
                    return case.state
            run.watch.arm(select, len(cases))
            raise ParserReject("NoMatch")


def _covers(run: Execution, case: SelectCase, values: list[int], types: list[Type]) -> bool:
    position = 0
    for keys in case.keys:
        if isinstance(keys, ex.ValueSetRef):
            count = len(run.state.program.value_set[keys.name].types)
            if not _in_value_set(run, keys.name, values[position : position + count], types[position:]):
                return False
            position += count
        else:
            if not _in_set(run, keys, values[position], types[position]):
                return False
            position += 1
    return True


def _in_set(run: Execution, keys: ex.KeySet, value: int, type_: Type) -> bool:
    match keys:
        case ex.ExactSet(value=wanted):
            return value == evaluate(wanted, run.state)
        case ex.MaskSet(value=wanted, mask=mask):
            cared = evaluate(mask, run.state)
            return value & cared == evaluate(wanted, run.state) & cared
        case ex.RangeSet(low=low, high=high):
            first, last = (number(evaluate(end, run.state), type_) for end in (low, high))
            return first <= number(value, type_) <= last
        case _:
            return True


def _in_value_set(run: Execution, name: str, values: list[int], types: list[Type]) -> bool:
    bits = [t if isinstance(t, Bits) else Bits(width_of(t)) for t in types]
    return any(
        all(m.takes(v, b) for m, v, b in zip(member, values, bits, strict=False))
        for member in run.store.value_sets[name]
    )
