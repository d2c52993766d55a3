"""Loops of parser states that apply parsers. P4-16 spec 1.2.5 sections 12.8 and 13.10.

What applies a parser is cut into states, so a loop around it is made of states too, which go round:

    init → loop:  condition? → body → next:  update → loop
              └──────────────────────────→ after
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from aux_frontend.p4_16 import ast
from aux_frontend.p4_16.elaborate import expressions, fold, places, values as va, walk
from aux_frontend.p4_16.elaborate.effects import applies_parser
from aux_frontend.p4_16.elaborate.frames import Loop
from aux_frontend.p4_16.elaborate.scope import Scope
from aux_frontend.p4_16.elaborate.unit import ParserStates, Unit
from transpiler.diagnostics import Span
from transpiler.hlir import expressions as ex, statements as st


def becomes_states(unit: Unit, node: ast.Statement) -> bool:
    """Whether a statement of a parser must be cut into states: it applies a parser, or ends or continues such a loop."""
    if unit.parser is None:
        return False
    loops = unit.frames[-1].loops
    return applies_parser(unit, node) or (bool(loops) and loops[-1].states is not None and _jumps(node))


def _jumps(node: ast.Node | None) -> bool:
    """Whether a statement has a break or continue of the loop around it."""
    match node:
        case ast.BreakStatement() | ast.ContinueStatement():
            return True
        case ast.BlockStatement(body=body):
            return any(_jumps(inner) for inner in body)
        case ast.IfStatement(then=then, otherwise=otherwise):
            return _jumps(then) or _jumps(otherwise)
    return False


def _builder(scope: Scope) -> ParserStates:
    assert scope.unit.parser is not None
    return scope.unit.parser


def jump(scope: Scope, loop: Loop, node: ast.BreakStatement | ast.ContinueStatement) -> None:
    """Go on at one of the loop's states; what is written behind it is a state that nothing leads to."""
    builder = _builder(scope)
    assert loop.states is not None
    unreached = builder.reserve(f"{builder.current}_unreached")
    builder.go(loop.states[isinstance(node, ast.BreakStatement)], node.span)
    builder.begin(unreached, node.span)


def for_loop(scope: Scope, node: ast.ForStatement) -> None:
    """for (init; condition; update) body"""
    builder, span = _builder(scope), node.span
    walk.block(scope, node.init)
    head, body, after = _reserve(builder, "loop", "body", "after_loop")
    builder.go(head, span)
    builder.begin(head, span)
    condition = expressions.scalar(scope, node.condition)
    builder.fork(condition, body, after, span)
    builder.begin(body, span)
    _iteration(scope, lambda: walk.block(scope, (node.body,)), after, span)
    walk.block(scope, node.update)
    builder.go(head, span)
    builder.begin(after, span)


def for_range(scope: Scope, low: ex.Expression, high: ex.Expression, body: Callable[[ex.Expression], None]) -> None:
    """`body` for each number from low to high, both included; none where low is above high."""
    unit, builder, span = scope.unit, _builder(scope), low.span
    counter = unit.temporary("counter", low.type, span)
    current = ex.Read(counter, low.type, span)
    head, step, after = _reserve(builder, "loop", "next", "after_loop")
    unit.emit(st.Assign(counter, low, span))
    builder.fork(fold.binary(ex.BinaryOp.LE, low, high, span), head, after, span)
    builder.begin(head, span)
    _iteration(scope, lambda: body(current), after, span)
    builder.fork(fold.binary(ex.BinaryOp.EQ, current, high, span), after, step, span)
    builder.begin(step, span)
    one = ex.Const(1, low.type, span)
    unit.emit(st.Assign(counter, fold.binary(ex.BinaryOp.ADD, current, one, span), span))
    builder.go(head, span)
    builder.begin(after, span)


def for_elements(
    scope: Scope, node: ast.ForInStatement, target: va.Location, items: Sequence[Callable[[], va.Value]]
) -> None:
    """The body for each element of a list or stack, written out."""
    builder, span = _builder(scope), node.span
    (after,) = _reserve(builder, "after_loop")
    for item in items:
        places.assign(scope.unit, target, item(), span)
        _iteration(scope, lambda: walk.block(scope, (node.body,)), after, span)
    builder.go(after, span)
    builder.begin(after, span)


def _reserve(builder: ParserStates, *parts: str) -> list[str]:
    name = builder.current
    return [builder.reserve(f"{name}_{part}") for part in parts]


def _iteration(scope: Scope, body: Callable[[], None], after: str, span: Span) -> None:
    """One pass through the body, then the state where `continue` goes."""
    builder, frame = _builder(scope), scope.unit.frames[-1]
    (onward,) = _reserve(builder, "continue")
    frame.loops.append(Loop(states=(onward, after)))
    try:
        body()
    finally:
        frame.loops.pop()
    builder.go(onward, span)
    builder.begin(onward, span)
