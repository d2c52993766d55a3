"""Parameter passing: copy-in and copy-out, left to right, or plain aliasing where nobody can tell the difference.

P4-16 spec 1.2.5 section 6.8: arguments are evaluated from left to right, and the l-value of an outward one and the value
of an inward one are saved before the next is looked at. An `in` argument may be aliased when what it reads cannot change
from then to the end of the call; an `out` or `inout` argument when no other argument, and nothing that the callee reaches
otherwise, overlaps its storage, and an `inout` one only when no later argument changes it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from aux_frontend.p4_16 import ast, types as ty
from aux_frontend.p4_16.elaborate import expressions, instances, layout, places, values as va
from aux_frontend.p4_16.elaborate.changes import OUTWARD as OUTWARD, changed_by, may_change
from aux_frontend.p4_16.elaborate.convert import convert
from aux_frontend.p4_16.elaborate.effects import has_effects
from aux_frontend.p4_16.elaborate.scope import Scope
from transpiler.diagnostics import Span
from transpiler.hlir import expressions as ex
from transpiler.hlir.program import Storage


@dataclass(frozen=True, slots=True)
class CopyOut:
    source: va.Location
    target: va.Location


@dataclass(slots=True)
class _Argument:
    parameter: ast.Parameter
    type: ty.Ty
    location: va.Location | None = None  # out, inout and `in` l-values
    value: va.Value | None = None  # of inout only where a later argument may change what is at `location`

    @property
    def outward(self) -> bool:
        return self.parameter.direction in OUTWARD


Passed = Sequence[tuple[ast.Parameter, ast.Expression | None]]  # in the order of evaluation


def bind(
    caller: Scope,
    callee: Scope,
    passed: Passed,
    prefix: str,
    span: Span,
    captured: frozenset[va.Key] | None = frozenset(),
    fixed: frozenset[ast.Parameter] = frozenset(),
) -> list[CopyOut]:
    """Bind parameters in `callee`; the copies to make when the call ends.

    `captured`: storage that the callee reaches besides its parameters; None: alias no parameters but those in `fixed`.
    """
    evaluated = [a for a in _evaluate(caller, callee, passed) if a is not None]
    outward = [set(va.touched(a.location)) if a.outward and a.location else set() for a in evaluated]
    copies: list[CopyOut] = []
    for position, argument in enumerate(evaluated):
        others: set[va.Key] = set().union(*(keys for i, keys in enumerate(outward) if i != position))
        others |= captured or set()
        if argument.parameter in fixed and argument.location is not None:
            callee.bindings[argument.parameter] = argument.location
        elif argument.outward:
            free = captured is not None and not va.overlap(outward[position], others)
            copies += _bind_outward(callee, argument, free, prefix, span)
        else:
            _bind_inward(callee, argument, others if captured is not None else None, prefix, span)
    _begin_out(callee, evaluated, span)
    return copies


def _begin_out(callee: Scope, evaluated: Sequence[_Argument | None], span: Span) -> None:
    """What `out` parameters begin with. An argument may have been read from the same storage: that has been done before."""
    for argument in evaluated:
        if argument is not None and argument.parameter.direction == "out":
            bound = callee.bindings[argument.parameter]
            assert isinstance(bound, va.LOCATIONS)
            places.invalidate(callee.unit, bound, span)


def _evaluate(caller: Scope, callee: Scope, passed: Passed) -> list[_Argument | None]:
    unit = caller.unit
    effects = [expression is not None and has_effects(unit, expression) for _, expression in passed]
    result: list[_Argument | None] = []
    for position, (parameter, expression) in enumerate(passed):
        type_ = callee.type_ref(parameter.type)
        if instances.is_object_type(type_):
            if expression is not None:
                callee.bindings[parameter] = instances.object_of(caller, expression)
            result.append(None)
            continue
        argument = _Argument(parameter, type_)
        if expression is None:
            if argument.outward:
                argument.location = va.Ignored()
            else:
                argument.value = va.DefaultValue()
        elif argument.outward:
            _evaluate_outward(caller, argument, expression, [later for _, later in passed[position + 1 :]])
        else:
            _evaluate_inward(caller, argument, expression, any(effects[position + 1 :]))
        result.append(argument)
    return result


def _evaluate_outward(
    caller: Scope, argument: _Argument, expression: ast.Expression, later: Sequence[ast.Expression | None]
) -> None:
    argument.location = expressions.location(caller, expression, stable=True)
    if argument.parameter.direction == "inout" and may_change(
        changed_by(caller, later), set(va.touched(argument.location))
    ):
        value = places.read(caller.unit, argument.location, expression.span)
        argument.value = places.freeze(caller.unit, value, expression.span)


def _evaluate_inward(caller: Scope, argument: _Argument, expression: ast.Expression, later_effects: bool) -> None:
    unit = caller.unit
    if not later_effects and expression not in unit.checked.casts and expression not in unit.checked.constants:
        argument.location = expressions.try_location(caller, expression, stable=True)
        if argument.location is not None:
            return
    value = expressions.evaluate_as(caller, expression, argument.type)
    argument.value = places.freeze(unit, value, expression.span) if later_effects else value


def _bind_outward(callee: Scope, argument: _Argument, free: bool, prefix: str, span: Span) -> list[CopyOut]:
    unit, parameter, target = callee.unit, argument.parameter, argument.location
    assert target is not None
    cut = isinstance(target, va.Ignored | va.SliceLocation | va.ShiftedLocation | va.PickedLocation)
    if free and argument.value is None and not cut:
        callee.bindings[parameter] = target
        return []
    storage = layout.allocate(unit, f"{prefix}.{parameter.name}", argument.type, Storage.LOCAL, parameter.span)
    callee.bindings[parameter] = storage
    if parameter.direction == "inout":
        value = argument.value if argument.value is not None else places.read(unit, target, span)
        places.assign(unit, storage, value, span)
    return [] if isinstance(target, va.Ignored) else [CopyOut(storage, target)]


def _bind_inward(callee: Scope, argument: _Argument, changing: set[va.Key] | None, prefix: str, span: Span) -> None:
    """`changing`: storage that may change during the call, None when unknown."""
    unit, parameter, location = callee.unit, argument.parameter, argument.location
    if location is not None:
        if changing is not None and not va.overlap(changing, set(va.touched(location))):
            callee.bindings[parameter] = location
            return
        value = places.read(unit, location, span)
    else:
        assert argument.value is not None
        value = argument.value
    if changing is not None and isinstance(value, ex.Const | ex.Text | va.IntValue):
        callee.bindings[parameter] = value
        return
    storage = layout.allocate(unit, f"{prefix}.{parameter.name}", argument.type, Storage.LOCAL, parameter.span)
    places.assign(unit, storage, convert(unit, value, argument.type, span), span)
    callee.bindings[parameter] = storage


def rebind(
    caller: Scope,
    callee: Scope,
    passed: Passed,
    span: Span,
    fixed: frozenset[ast.Parameter],
) -> list[CopyOut]:
    """Pass arguments again to parameters that have storage of their own; the copies to make when the call ends."""
    unit = caller.unit
    copies: list[CopyOut] = []
    evaluated = _evaluate(caller, callee, passed)
    for argument in evaluated:
        if argument is None or argument.parameter in fixed:
            continue
        storage = callee.bindings[argument.parameter]
        assert isinstance(storage, va.LOCATIONS)
        if argument.outward and argument.location is not None and not isinstance(argument.location, va.Ignored):
            copies.append(CopyOut(storage, argument.location))
        if argument.parameter.direction == "out":
            continue
        value = argument.value
        if value is None:
            assert argument.location is not None
            value = places.read(unit, argument.location, span)
        places.assign(unit, storage, convert(unit, value, argument.type, span), span)
    _begin_out(callee, evaluated, span)
    return copies


def copy_out(callee: Scope, copies: list[CopyOut], span: Span) -> None:
    """Write results back, in the order of the arguments."""
    for copy in copies:
        places.assign(callee.unit, copy.target, places.read(callee.unit, copy.source, span), span)
