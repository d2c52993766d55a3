"""push_front and pop_front, written as copies from element to element. P4-16 spec 1.2.5 section 8.18."""

from __future__ import annotations

from aux_frontend.p4_16.elaborate import fold, layout, places, values as va
from aux_frontend.p4_16.elaborate.unit import Unit
from transpiler.diagnostics import Span
from transpiler.hlir import expressions as ex, statements as st


def push_front(unit: Unit, stack: va.StackLocation, count: int, span: Span) -> None:
    """Shift towards higher indices; the first `count` elements become invalid, the last ones are lost."""
    items = places.elements(stack, span)
    count = min(count, len(items))
    for index in range(len(items) - 1, count - 1, -1):
        places.assign(unit, items[index], places.read(unit, items[index - count], span), span)
    for element in items[:count]:
        places.invalidate(unit, element, span)
    if stack.next_index is not None:
        index_value = ex.Read(stack.next_index, layout.NEXT_BITS, span)
        room = fold.bits(len(items) - count, 32, span)
        grown = fold.binary(ex.BinaryOp.ADD, index_value, fold.bits(count, 32, span), span)
        fits = fold.binary(ex.BinaryOp.LE, index_value, room, span)
        limited = fold.conditional(fits, grown, fold.bits(len(items), 32, span), span)
        unit.emit(st.Assign(stack.next_index, limited, span))


def pop_front(unit: Unit, stack: va.StackLocation, count: int, span: Span) -> None:
    """Shift towards lower indices; the last `count` elements become invalid."""
    items = places.elements(stack, span)
    count = min(count, len(items))
    for index in range(len(items) - count):
        places.assign(unit, items[index], places.read(unit, items[index + count], span), span)
    for element in items[len(items) - count :]:
        places.invalidate(unit, element, span)
    if stack.next_index is not None:
        index_value = ex.Read(stack.next_index, layout.NEXT_BITS, span)
        amount = fold.bits(count, 32, span)
        shrunk = fold.binary(ex.BinaryOp.SSUB, index_value, amount, span)
        unit.emit(st.Assign(stack.next_index, shrunk, span))
