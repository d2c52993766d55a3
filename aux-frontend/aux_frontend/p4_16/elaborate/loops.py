"""for, for-in, break and continue. P4-16 spec 1.2.5 section 12.8.

A loop becomes `loop_end: { while (c) { loop_next: { body } update } }`; the labels are there only when they are used.
Loops over lists and stacks, whose length is known, are written out. `parser_loops` has those that apply parsers.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from aux_frontend.p4_16 import ast
from aux_frontend.p4_16.elaborate import expressions, fold, inline, layout, parser_loops, places, values as va, walk
from aux_frontend.p4_16.elaborate.changes import changed_by, may_change
from aux_frontend.p4_16.elaborate.convert import convert, to_scalar
from aux_frontend.p4_16.elaborate.frames import Loop
from aux_frontend.p4_16.elaborate.scope import Scope
from transpiler.diagnostics import Span
from transpiler.hlir import expressions as ex, statements as st
from transpiler.hlir.program import Storage


def jump(scope: Scope, node: ast.BreakStatement | ast.ContinueStatement) -> None:
    unit = scope.unit
    loops = unit.frames[-1].loops
    if not loops:
        raise unit.failure(node.span, "there is no loop here")
    loop = loops[-1]
    if loop.states is not None:
        parser_loops.jump(scope, loop, node)
    elif isinstance(node, ast.BreakStatement):
        loop.break_label = loop.break_label or unit.label("loop_end")
        unit.emit(st.Leave(loop.break_label, node.span))
    else:
        loop.continue_label = loop.continue_label or unit.label("loop_next")
        unit.emit(st.Leave(loop.continue_label, node.span))


def for_loop(scope: Scope, node: ast.ForStatement) -> None:
    """for (init; condition; update) body"""
    unit = scope.unit
    if parser_loops.becomes_states(unit, node):
        parser_loops.for_loop(scope, node)
        return
    walk.block(scope, node.init)
    with unit.collecting() as before:
        condition = expressions.scalar(scope, node.condition)
    loop = Loop()
    with unit.collecting() as body:
        if before:  # the condition has effects: it becomes the first thing in an endless loop
            inline.extend(unit, tuple(before))
            loop.break_label = unit.label("loop_end")
            leave = (st.Leave(loop.break_label, node.span),)
            unit.emit(st.If(fold.negate(condition), leave, (), node.span))
            condition = fold.boolean(True, node.span)
        _iteration(scope, loop, lambda: walk.block(scope, (node.body,)), node.span)
        walk.block(scope, node.update)
    while_ = st.While(condition, tuple(body), node.span)
    _emit_loop(scope, loop, (while_,), node.span)


def _iteration(scope: Scope, loop: Loop, body: Callable[[], None], span: Span) -> None:
    """One pass through the body, where `continue` ends it."""
    unit = scope.unit
    unit.frames[-1].loops.append(loop)
    loop.continue_label = None
    try:
        with unit.collecting() as collected:
            body()
    finally:
        unit.frames[-1].loops.pop()
    inline.extend(unit, inline.enclose(loop.continue_label, tuple(collected), span))


def _emit_loop(scope: Scope, loop: Loop, body: st.Body, span: Span) -> None:
    inline.extend(scope.unit, inline.enclose(loop.break_label, body, span))


def for_in(scope: Scope, node: ast.ForInStatement) -> None:
    """for (x in collection) body"""
    unit = scope.unit
    variable, prefix = unit.checked.declarations[node.name], inline.nested_prefix(unit, node.name.text)
    assert node.type is not None, "the checker refuses a loop variable without a type"
    target = layout.allocate(unit, prefix, scope.type_ref(node.type), Storage.LOCAL, node.name.span)
    scope.bindings[variable] = target
    if isinstance(node.collection, ast.RangeExpression):
        if not isinstance(target, va.ScalarLocation):
            raise unit.failure(node.name.span, "a range is walked by a number")
        _for_range(scope, node, node.collection, target)
    else:
        _for_elements(scope, node, target)


def _for_range(scope: Scope, node: ast.ForInStatement, bounds: ast.RangeExpression, target: va.ScalarLocation) -> None:
    """A counter of its own goes from low to high, both included, without passing the largest number."""
    unit, span = scope.unit, node.span
    low, high = (_bound(scope, bound, target) for bound in (bounds.low, bounds.high))
    if parser_loops.becomes_states(unit, node):

        def pass_through(current: ex.Expression) -> None:
            places.assign(unit, target, current, span)
            walk.block(scope, (node.body,))

        parser_loops.for_range(scope, low, high, pass_through)
        return
    counter = unit.temporary(f"{node.name.text}.counter", target.type, span)
    current = ex.Read(counter, target.type, span)
    unit.emit(st.Assign(counter, low, span))
    loop = Loop(break_label=unit.label("loop_end"))
    with unit.collecting() as body:
        places.assign(unit, target, current, span)
        _iteration(scope, loop, lambda: walk.block(scope, (node.body,)), span)
        assert loop.break_label is not None
        last = fold.binary(ex.BinaryOp.EQ, current, high, span)
        unit.emit(st.If(last, (st.Leave(loop.break_label, span),), (), span))
        one = ex.Const(1, target.type, span)
        unit.emit(st.Assign(counter, fold.binary(ex.BinaryOp.ADD, current, one, span), span))
    ordered = fold.binary(ex.BinaryOp.LE, low, high, span)
    _emit_loop(scope, loop, (st.While(ordered, tuple(body), span),), span)


def _bound(scope: Scope, bound: ast.Expression, target: va.ScalarLocation) -> ex.Expression:
    unit = scope.unit
    value = to_scalar(unit, expressions.evaluate(scope, bound), target.type, bound.span)
    frozen = places.freeze(unit, value, bound.span, "bound")
    assert isinstance(frozen, va.EXPRESSIONS)
    return frozen


def _for_elements(scope: Scope, node: ast.ForInStatement, target: va.Location) -> None:
    unit, span = scope.unit, node.span
    collection = expressions.evaluate(scope, node.collection)
    changes = changed_by(scope, (node.body,))
    if may_change(changes, set(va.reads(collection))):
        collection = places.freeze(unit, collection, span)  # it is evaluated once (P4-16 spec 12.8)
    match collection:
        case va.StructValue(fields=fields):
            items: list[va.Value] = [value for _, value in fields]
        case va.StackValue(elements=elements):
            items = list(elements)
        case _:
            raise unit.failure(node.collection.span, "a loop goes through a range, a list or a stack")
    if parser_loops.becomes_states(unit, node):
        passes = [partial(_element, scope, node, target, item) for item in items]
        parser_loops.for_elements(scope, node, target, passes)
        return
    loop = Loop()
    with unit.collecting() as body:
        for item in items:
            places.assign(unit, target, _element(scope, node, target, item), span)
            _iteration(scope, loop, lambda: walk.block(scope, (node.body,)), span)
    _emit_loop(scope, loop, tuple(body), span)


def _element(scope: Scope, node: ast.ForInStatement, target: va.Location, item: va.Value) -> va.Value:
    """An element as the loop variable takes it."""
    if isinstance(target, va.ScalarLocation):
        return to_scalar(scope.unit, item, target.type, node.span)
    assert node.type is not None
    return convert(scope.unit, item, scope.type_ref(node.type), node.span)
