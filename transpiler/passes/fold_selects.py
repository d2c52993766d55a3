"""Decide parser transitions at compile time: constant subjects, key sets that are really single values or everything,
cases that an earlier one hides.

Before: select(8w4) { 4: a; _: b; }  select(x) { _: a; 1: b; }      After: goto a  goto a
"""

from __future__ import annotations

from dataclasses import replace

from transpiler.analysis.values import limits
from transpiler.hlir.arithmetic import number, ones
from transpiler.hlir.expressions import AnySet, Const, ExactSet, Expression, KeySet, MaskSet, RangeSet, ValueSetRef
from transpiler.hlir.program import Goto, ParserState, Program, Select, SelectCase
from transpiler.hlir.types import Bits
from transpiler.passes.mapping import map_states


def run(program: Program) -> Program:
    """The program with its transitions as simple as they can be."""
    return map_states(program, _state)


def _state(state: ParserState) -> ParserState:
    match state.transition:
        case Select() as select:
            return replace(state, transition=_select(select))
    return state


def _select(select: Select) -> Select | Goto:
    cases: list[SelectCase] = []
    seen: set[tuple[object, ...]] = set()
    for case in select.cases:
        keys = tuple(map(_simple, case.keys))
        certain = _certain(keys, select.subjects)
        shape = tuple(map(_shape, keys))
        if certain is False or shape in seen:
            continue
        seen.add(shape)
        cases.append(replace(case, keys=keys))
        if certain:
            break
    if cases and _certain(cases[0].keys, select.subjects):
        return Goto(cases[0].state, select.span)
    return replace(select, cases=tuple(cases)) if cases else select


def _shape(keys: KeySet) -> object:
    """Equal for key sets of the same meaning, wherever they stand; only sets of constants are compared."""
    match keys:
        case AnySet():
            return "any"
        case ExactSet(value=Const(value=value)):
            return "exact", value
        case MaskSet(value=Const(value=value), mask=Const(value=mask)):
            return "mask", value & mask, mask
        case RangeSet(low=Const(value=low), high=Const(value=high)):
            return "range", low, high
    return keys


def _simple(keys: KeySet) -> KeySet:
    match keys:
        case MaskSet(mask=Const(value=0), span=span):
            return AnySet(span)
        case MaskSet(value=value, mask=Const(value=mask, type=Bits(width=width)), span=span) if mask == ones(width):
            return ExactSet(value, span)
        case RangeSet(low=Const(value=low, type=type_), high=Const(value=high), span=span):
            if low == high:
                return ExactSet(keys.low, span)
            if (number(low, type_), number(high, type_)) == limits(type_):
                return AnySet(span)
    return keys


def _certain(keys: tuple[KeySet, ...], subjects: tuple[Expression, ...]) -> bool | None:
    """Whether a case surely matches (True), surely does not (False), or depends on the packet."""
    if any(isinstance(key, ValueSetRef) for key in keys):
        return None
    outcomes = [_matches(key, subject) for key, subject in zip(keys, subjects, strict=True)]
    if False in outcomes:
        return False
    return True if all(outcomes) else None


def _matches(keys: KeySet, subject: Expression) -> bool | None:
    if isinstance(keys, AnySet):
        return True
    if not isinstance(subject, Const):
        return None
    match keys:
        case ExactSet(value=Const(value=value)):
            return subject.value == value
        case MaskSet(value=Const(value=value), mask=Const(value=mask)):
            return subject.value & mask == value & mask
        case RangeSet(low=Const(value=low), high=Const(value=high)):
            type_ = subject.type
            return number(low, type_) <= number(subject.value, type_) <= number(high, type_)
    return None
