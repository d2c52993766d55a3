"""Runs a body in a frame of its own: what `return` and `exit` leave, and what happens at its end.

P4-16 spec 1.2.5 sections 12.4 and 12.5: results are copied out also when a callee ends by `exit`.
"""

from __future__ import annotations

from collections.abc import Callable

from aux_frontend.p4_16 import ast
from aux_frontend.p4_16.elaborate import bind, fold, walk
from aux_frontend.p4_16.elaborate.frames import Frame
from aux_frontend.p4_16.elaborate.scope import Scope, leave_target
from aux_frontend.p4_16.elaborate.unit import MAX_CALL_DEPTH, Unit
from transpiler.diagnostics import Span
from transpiler.hlir import expressions as ex, statements as st
from transpiler.hlir.program import Storage


def nested_prefix(unit: Unit, name: str) -> str:
    """The name under which a callee's storage stands: the caller's, then its own."""
    outer = unit.frames[-1].prefix if unit.frames else ""
    return f"{outer}.{name}" if outer else name


def run(
    scope: Scope,
    frame: Frame,
    body: ast.BlockStatement,
    span: Span,
    copies: list[bind.CopyOut],
    begin: Callable[[], None] | None = None,
) -> None:
    """Execute a body (after `begin`) here, then copy results out, then go on with an exit that was under way."""
    unit = scope.unit
    if len(unit.frames) >= MAX_CALL_DEPTH:
        raise unit.failure(span, f"calls are nested deeper than {MAX_CALL_DEPTH}")
    unit.charge(2, span)
    unit.frames.append(frame)
    try:
        with unit.collecting() as collected:
            if begin is not None:
                begin()
            walk.block(scope, body.body)
    finally:
        unit.frames.pop()
    extend(unit, enclose(frame.label, tuple(collected), span))
    bind.copy_out(scope, copies, span)
    if frame.exits and copies:
        with unit.collecting() as onward:
            leave_all(unit, span)
        unit.emit(st.If(read_flag(unit, span), tuple(onward), (), span))


def extend(unit: Unit, body: st.Body) -> None:
    """Append statements that were counted when they were collected."""
    for statement in body:
        if unit.out and isinstance(unit.out[-1], st.Leave):
            return
        unit.out.append(statement)


def exit_program(unit: Unit, span: Span) -> None:
    """The exit statement."""
    if _must_note(unit):
        unit.emit(st.Assign(ex.VariableRef(exit_flag(unit, span), span), fold.boolean(True, span), span))
    leave_all(unit, span)


def leave_all(unit: Unit, span: Span) -> None:
    """Leave the innermost frame that has results to copy out, or everything."""
    for frame in reversed(unit.frames):
        if frame.pending:
            frame.exits = True
            unit.emit(st.Leave(leave_target(unit, frame), span))
            return
    unit.emit(st.Leave(leave_target(unit, unit.frames[0]), span))


def _must_note(unit: Unit) -> bool:
    return unit.frames[0].isolated or any(frame.pending for frame in unit.frames)


def exit_flag(unit: Unit, span: Span) -> str:
    """The variable that says that an exit is under way in the current control or action."""
    name = flag_name(unit.frames[0])
    if name not in unit.variables:
        unit.add_variable(name, fold.BOOL, Storage.LOCAL, span)
    unit.frames[0].exits = True
    return name


def flag_name(outermost: Frame) -> str:
    """How that variable is called."""
    return f"{outermost.exit_scope}.exited".removeprefix(".")


def read_flag(unit: Unit, span: Span) -> ex.Expression:
    return ex.Read(ex.VariableRef(exit_flag(unit, span), span), fold.BOOL, span)


# --- blocks ----------------------------------------------------------------------------------------------------------


def enclose(label: str | None, body: st.Body, span: Span) -> st.Body:
    """The body within a Block of that label, if something in it leaves the label."""
    if label is None:
        return body
    trimmed = _without_tail_leave(body, label)
    return (st.Block(label, trimmed, span),) if _leaves(trimmed, label) else trimmed


def _without_tail_leave(body: st.Body, label: str) -> st.Body:
    """A leave of the block at its very end changes nothing; nor does one at the end of a branch there."""
    if not body:
        return body
    match body[-1]:
        case st.Leave(label=target) if target == label:
            return _without_tail_leave(body[:-1], label)
        case st.If(condition=condition, then=then, otherwise=otherwise, span=span):
            branches = _without_tail_leave(then, label), _without_tail_leave(otherwise, label)
            if branches == ((), ()):
                return _without_tail_leave(body[:-1], label)
            return (*body[:-1], st.If(condition, *branches, span))
        case st.Switch(subject=subject, cases=cases, default=default, span=span):
            trimmed = tuple(st.SwitchCase(c.values, _without_tail_leave(c.body, label), c.span) for c in cases)
            return (*body[:-1], st.Switch(subject, trimmed, _without_tail_leave(default, label), span))
    return body


def _leaves(body: st.Body, label: str) -> bool:
    for statement in body:
        match statement:
            case st.Leave(label=target):
                if target == label:
                    return True
            case st.If(then=then, otherwise=otherwise):
                if _leaves(then, label) or _leaves(otherwise, label):
                    return True
            case st.Switch(cases=cases, default=default):
                if _leaves(default, label) or any(_leaves(c.body, label) for c in cases):
                    return True
            case st.Block(body=inner) | st.While(body=inner):
                if _leaves(inner, label):
                    return True
    return False
