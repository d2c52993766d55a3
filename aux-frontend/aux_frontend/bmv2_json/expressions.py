"""Expressions: `exact` gives all of a number, `lowest` the bits of it that are used, which takes less where a mask or a field
cuts off the rest: ((a + b) & 0xffff) is an addition of 16 bits.

What has an effect, as reading a register, becomes a statement in `before`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from aux_frontend.bmv2_json.numbers import (
    BOOL,
    Number,
    common,
    constant,
    masked,
    ranged,
    resized,
    shifted_right,
    type_of,
)
from aux_frontend.bmv2_json.storage import (
    INDEX,
    MAX_WIDTH,
    VALID,
    Placed,
    Slot,
    Stack,
    Storage,
    Union,
    UnionStack,
    element,
    field_of,
)
from aux_frontend.bmv2_json.text import Node
from transpiler.diagnostics import Span
from transpiler.hlir import expressions as ex, program as pr, statements as st
from transpiler.hlir.arithmetic import bounds, ones
from transpiler.hlir.types import Bits, Varbit

Op = ex.BinaryOp
_RING = {"+": Op.ADD, "-": Op.SUB, "*": Op.MUL}
_LOGIC = {"&": Op.AND, "|": Op.OR, "^": Op.XOR}
_ORDER = {"<": Op.LT, "<=": Op.LE, ">": Op.GT, ">=": Op.GE}
_EQUAL = {"==": Op.EQ, "!=": Op.NE}
_BOOLEAN = {"and": Op.LAND, "or": Op.LOR}
_TESTS = {*_ORDER, *_EQUAL, *_BOOLEAN, "not", "valid", "valid_union", "d2b"}
_HEADERS = {"dereference_header_stack", "dereference_stack", "access_union_header"}
_STACK_ELEMENT = {"dereference_header_stack", "dereference_stack"}
MAX_SHIFT = 4096


@dataclass
class Expressions:
    """`registers`: the instance and the width of a register by its name. `local`: the runtime data of the action, or the
    fields of the header whose length is computed."""

    storage: Storage
    registers: Callable[[Node], tuple[str, int]]
    local: Callable[[Node], Number] | None = None
    before: list[st.Statement] = field(default_factory=list)

    # --- what a node is ----------------------------------------------------------------------------------------------

    def sort(self, node: Node) -> str:
        """data, bool, header, union, stack or union stack. Raises: Invalid."""
        node = unwrapped(node)
        kind = node.get("type").text()
        match kind:
            case "bool":
                return "bool"
            case "header" | "header_stack" | "header_union" | "header_union_stack":
                return kind.removeprefix("header_") if kind != "header" else kind
            case "expression":
                value = node.get("value")
                op = value.get("op").text()
                if op == "?":
                    return self.sort(value.get("left"))
                if op in _HEADERS:
                    return "header"
                if op == "dereference_union_stack":
                    return "union"
                return "bool" if op in _TESTS else "data"
        return "data"

    # --- places ------------------------------------------------------------------------------------------------------

    def slot(self, node: Node) -> Slot:
        """The field that can be assigned to. Raises: Invalid."""
        node = unwrapped(node)
        match node.get("type").text():
            case "field":
                return self.storage.slot(node.get("value"))
            case "stack_field":
                stack, name = node.get("value").tuple(2)
                return field_of(
                    self._last(self.storage.find(self.storage.stacks, stack, "header stack"), node), name.text(), name
                )
            case "union_stack_field":
                stack, member, name = node.get("value").tuple(3)
                found = self.storage.find(self.storage.union_stacks, stack, "header union stack")
                column = self.storage.find(found.members, member, "union member")
                return field_of(self._last(column, node, found.name), name.text(), name)
            case "expression" if node.get("value").get("op").text() == "access_field":
                operation = node.get("value")
                placed = self.header(operation.get("left"))
                place = operation.get("right")
                names = list(placed.layout.fields)
                return field_of(placed, names[place.integer(0, len(names) - 1)], place)
        raise node.fail("a field is expected here")

    def _last(self, stack: Stack, node: Node, counted: str = "") -> Placed:
        """The element that was extracted last."""
        following = ex.Read(self.storage.next_index(counted or stack.name, node.span), INDEX, node.span)
        last = ex.Binary(Op.SUB, following, ex.Const(1, INDEX, node.span), INDEX, node.span)
        return Placed(ex.ElementRef(stack.name, last, node.span), stack.layout)

    def header(self, node: Node) -> Placed:
        """Raises: Invalid."""
        node = unwrapped(node)
        if node.get("type").text() == "header":
            return self.storage.header(node.get("value"))
        operation = node.get("value")
        if node.get("type").text() == "expression" and operation.has("op"):
            op = operation.get("op").text()
            if op in _STACK_ELEMENT:
                stack = self.stack(operation.get("left"))
                return Placed(element(stack, self.index(operation.get("right")), node.span), stack.layout)
            if op == "access_union_header":
                union = list(self.union(operation.get("left")).values())
                return union[operation.get("right").integer(0, len(union) - 1)]
        raise node.fail("a header is expected here")

    def index(self, node: Node) -> ex.Expression:
        """A number as an index. Raises: Invalid."""
        return self.lowest(node, INDEX.width)

    def stack(self, node: Node) -> Stack:
        """Raises: Invalid."""
        node = unwrapped(node)
        if node.get("type").text() != "header_stack":
            raise node.fail("a header stack is expected here")
        return self.storage.find(self.storage.stacks, node.get("value"), "header stack")

    def union_stack(self, node: Node) -> UnionStack:
        """Raises: Invalid."""
        node = unwrapped(node)
        if node.get("type").text() != "header_union_stack":
            raise node.fail("a header union stack is expected here")
        return self.storage.find(self.storage.union_stacks, node.get("value"), "header union stack")

    def union(self, node: Node) -> Union:
        """Raises: Invalid."""
        node = unwrapped(node)
        if node.get("type").text() == "header_union":
            return self.storage.find(self.storage.unions, node.get("value"), "header union")
        operation = node.get("value")
        if node.get("type").text() == "expression" and operation.get("op").text() == "dereference_union_stack":
            stack = self.union_stack(operation.get("left"))
            return self.storage.element_of_union(stack, self.index(operation.get("right")), node.span)
        raise node.fail("a header union is expected here")

    # --- numbers -----------------------------------------------------------------------------------------------------

    def exact(self, node: Node) -> Number:
        """All of a number. Raises: Invalid."""
        node = unwrapped(node)
        span = node.span
        match node.get("type").text():
            case "hexstr":
                return constant(node.get("value").hexadecimal(), span)
            case "field" if node.get("value").tuple(2)[1].value == VALID:
                placed = self.storage.header(node.get("value").items()[0])
                return ranged(ex.Cast(ex.IsValid(placed.place, span), Bits(1), span))
            case "field" | "stack_field" | "union_stack_field":
                return self.read(self.slot(node), node)
            case "local" | "runtime_data":
                if self.local is None:
                    raise node.fail("there is no runtime data here")
                return self.local(node.get("value"))
            case "register":
                return self._register(node)
            case "expression":
                return self._operation(node.get("value"))
        raise node.fail(f"'{node.get('type').text()}' is not a number")

    def read(self, slot: Slot, node: Node) -> Number:
        """The number in a field. Raises: Invalid, of one of variable width."""
        if isinstance(slot.stored, Varbit) or isinstance(slot.declared, Varbit):
            raise node.fail("a field of variable width is not a number")
        value: ex.Expression = ex.Read(slot.place, slot.stored, node.span)
        return ranged(resized(value, slot.declared))

    def lowest(self, node: Node, width: int) -> ex.Expression:
        """The lowest bits of a number, as bit<width>. Raises: Invalid."""
        node = unwrapped(node)
        type_, span = Bits(width), node.span
        if node.get("type").text() != "expression":
            return resized(self.exact(node).value, type_)
        operation = node.get("value")
        op = operation.get("op").text()
        if op in _RING or op in ("|", "^"):
            right = self.lowest(operation.get("right"), width)
            if operation.maybe("left") is None:
                return right if op == "+" else ex.Unary(ex.UnaryOp.NEGATE, right, type_, span)
            return ex.Binary({**_RING, **_LOGIC}[op], self.lowest(operation.get("left"), width), right, type_, span)
        if op == "~":
            return ex.Unary(ex.UnaryOp.COMPLEMENT, self.lowest(operation.get("right"), width), type_, span)
        if op == "<<":
            amount = self._amount(operation)
            left = self.lowest(operation.get("left"), width)
            return ex.Binary(Op.SHL, left, amount.value, type_, span)
        if op == "?":
            then, otherwise = (self.lowest(operation.get(side), width) for side in ("left", "right"))
            return ex.Conditional(self.truth(operation.get("cond")), then, otherwise, type_, span)
        if op == "two_comp_mod":
            to = operation.get("right")
            if width <= self._width(to):
                return self.lowest(operation.get("left"), width)
        if op == "&" and (mask := self._mask(operation)) is not None and width <= mask[1].bit_length():
            return masked(self.lowest(mask[0], width), mask[1], span)
        return resized(self.exact(node).value, type_)

    def _operation(self, node: Node) -> Number:
        op, span = node.get("op").text(), node.span
        if op in _RING:
            return self._ring(_RING[op], node)
        if op in _LOGIC:
            return self._logic(_LOGIC[op], node)
        match op:
            case "~":
                operand = self.exact(node.get("right"))
                low, high = -operand.high - 1, -operand.low - 1
                type_ = type_of(min(low, operand.low), max(high, operand.high), node)
                return Number(ex.Unary(ex.UnaryOp.COMPLEMENT, resized(operand.value, type_), type_, span), low, high)
            case "<<" | ">>":
                return self._shift(op, node)
            case "/" | "%":
                return self._quotient(Op.DIV if op == "/" else Op.MOD, node)
            case "b2d":
                return ranged(ex.Cast(self.truth(node.get("right")), Bits(1), span))
            case "?":
                left, right = self.exact(node.get("left")), self.exact(node.get("right"))
                then, otherwise, type_ = common(left, right, node, left.low, left.high)
                value = ex.Conditional(self.truth(node.get("cond")), then, otherwise, type_, span)
                return Number(value, min(left.low, right.low), max(left.high, right.high))
            case "two_comp_mod":
                width = self._width(node.get("right"))
                return ranged(resized(self.lowest(node.get("left"), width), Bits(width, True)))
            case "usat_cast" | "sat_cast":
                return self._saturated(node, Bits(self._width(node.get("right")), op == "sat_cast"))
            case "access_field":
                return self.read(self.slot(_wrapper(node)), node)
            case "last_stack_index" | "size_stack":
                return self._extracted(node, op)
        raise node.get("op").fail(f"the operation '{op}' is not known")

    def _ring(self, op: ex.BinaryOp, node: Node) -> Number:
        right = self.exact(node.get("right"))
        left = constant(0, node.span) if node.maybe("left") is None else self.exact(node.get("left"))
        if op is Op.MUL:
            corners = [a * b for a in (left.low, left.high) for b in (right.low, right.high)]
            low, high = min(corners), max(corners)
        elif op is Op.ADD:
            low, high = left.low + right.low, left.high + right.high
        else:
            low, high = left.low - right.high, left.high - right.low
        a, b, type_ = common(left, right, node, low, high)
        return Number(ex.Binary(op, a, b, type_, node.span), low, high)

    def _mask(self, node: Node) -> tuple[Node, int] | None:
        """The operand of an `&` and the constant on its other side."""
        for side, other in (("right", "left"), ("left", "right")):
            value = unwrapped(node.get(side))
            if value.get("type").value == "hexstr" and (number := value.get("value").hexadecimal()) >= 0:
                return node.get(other), number
        return None

    def _logic(self, op: ex.BinaryOp, node: Node) -> Number:
        span = node.span
        if op is Op.AND and (mask := self._mask(node)) is not None:
            operand, number = mask
            if number == 0:
                return constant(0, span)
            if number.bit_length() > MAX_WIDTH:
                raise node.fail(f"a mask of more than {MAX_WIDTH} bits")
            return Number(masked(self.lowest(operand, number.bit_length()), number, span), 0, number)
        left, right = self.exact(node.get("left")), self.exact(node.get("right"))
        if op is Op.AND and (left.low >= 0 or right.low >= 0):
            high = min(side.high for side in (left, right) if side.low >= 0)
            type_ = type_of(0, high, node)
            return Number(ex.Binary(op, resized(left.value, type_), resized(right.value, type_), type_, span), 0, high)
        a, b, type_ = common(left, right, node, 0 if min(left.low, right.low) >= 0 else -1, 0)
        return Number(ex.Binary(op, a, b, type_, span), *bounds(type_))

    def _amount(self, node: Node) -> Number:
        """By how much to shift. Raises: Invalid."""
        amount = self.exact(node.get("right"))
        if amount.low < 0:
            raise node.get("right").fail("a shift by what can be negative")
        return amount

    def _shift(self, op: str, node: Node) -> Number:
        span = node.span
        left, amount = self.exact(node.get("left")), self._amount(node)
        known = isinstance(amount.value, ex.Const)
        if op == "<<":
            if amount.high > MAX_SHIFT:
                raise node.fail(f"a shift by up to {amount.high}, of which all bits are used")
            low, high = min(left.low << amount.high, left.low), max(left.high << amount.high, left.high)
            type_ = type_of(low, high, node)
            return Number(ex.Binary(Op.SHL, resized(left.value, type_), amount.value, type_, span), low, high)
        if known:
            return shifted_right(left, amount.high, span)
        value = ex.Binary(Op.SHR, left.value, amount.value, left.type, span)
        return Number(value, min(left.low, 0), max(left.high, 0))

    def _quotient(self, op: ex.BinaryOp, node: Node) -> Number:
        left, right = self.exact(node.get("left")), self.exact(node.get("right"))
        if left.low < 0 or right.low < 0:
            raise node.fail("a division of what can be negative is not supported")
        a, b, type_ = common(left, right, node, 0, 0)
        high = left.high if op is Op.DIV else min(left.high, max(right.high - 1, 0))
        return Number(ex.Binary(op, a, b, type_, node.span), 0, high)

    def _width(self, node: Node) -> int:
        number = self.exact(node)
        if not isinstance(number.value, ex.Const) or not 1 <= number.low <= MAX_WIDTH:
            raise node.fail(f"a width must be a constant from 1 to {MAX_WIDTH}")
        return number.low

    def _saturated(self, node: Node, to: Bits) -> Number:
        """The nearest number of a type. A sum or difference of two numbers of that type has an operator of its own."""
        span = node.span
        inner = unwrapped(node.get("left"))
        operation = inner.get("value") if inner.get("type").text() == "expression" else None
        saturating = {"+": Op.SADD, "-": Op.SSUB}
        lowest, highest = bounds(to)
        if operation is not None and operation.get("op").text() in saturating and operation.maybe("left") is not None:
            sides = [self.exact(operation.get(side)) for side in ("left", "right")]
            if all(lowest <= side.low and side.high <= highest for side in sides):
                a, b = (resized(side.value, to) for side in sides)
                return ranged(ex.Binary(saturating[operation.get("op").text()], a, b, to, span))
        number = self.exact(node.get("left"))
        type_ = type_of(min(number.low, lowest), max(number.high, highest), node)
        wide = resized(number.value, type_)
        value = wide
        for op, limit, reached in ((Op.GT, highest, number.high > highest), (Op.LT, lowest, number.low < lowest)):
            if reached:
                bound = ex.Const(limit & ones(type_.width), type_, span)
                value = ex.Conditional(ex.Binary(op, wide, bound, BOOL, span), bound, value, type_, span)
        return ranged(resized(value, to))

    def _extracted(self, node: Node, op: str) -> Number:
        """How many elements of a stack there are, or the index of the last one."""
        stack = unwrapped(node.get("right"))
        if self.sort(stack) == "stack":
            found: Stack | UnionStack = self.stack(stack)
        else:
            found = self.union_stack(stack)
        following = ex.Read(self.storage.next_index(found.name, node.span), INDEX, node.span)
        if op == "size_stack":
            return Number(following, 0, found.size)
        signed = Bits(INDEX.width + 1, True)
        one = ex.Const(1, signed, node.span)
        return Number(ex.Binary(Op.SUB, resized(following, signed), one, signed, node.span), -1, found.size - 1)

    def _register(self, node: Node) -> Number:
        name, index = node.get("value").tuple(2)
        instance, width = self.registers(name)
        target = self.storage.variable(f"{instance}.$element", Bits(width), pr.Storage.LOCAL, node.span)
        self.before.append(st.CallExtern("register.read", instance, (self.index(index),), (target,), node.span))
        return ranged(ex.Read(target, Bits(width), node.span))

    # --- truth -------------------------------------------------------------------------------------------------------

    def truth(self, node: Node) -> ex.Expression:
        """A bool. Raises: Invalid."""
        node = unwrapped(node)
        span = node.span
        if node.get("type").text() == "bool":
            return ex.Const(int(node.get("value").flag()), BOOL, span)
        if node.get("type").text() != "expression":
            return self._not_zero(node)
        operation = node.get("value")
        op = operation.get("op").text()
        if op in _BOOLEAN:
            sides = (self.truth(operation.get(side)) for side in ("left", "right"))
            return ex.Binary(_BOOLEAN[op], next(sides), next(sides), BOOL, span)
        if op in _ORDER:
            return self._compared(_ORDER[op], operation, span)
        if op in _EQUAL:
            return self._equal(_EQUAL[op], operation, span)
        match op:
            case "not":
                return ex.Unary(ex.UnaryOp.NOT, self.truth(operation.get("right")), BOOL, span)
            case "valid":
                return ex.IsValid(self.header(operation.get("right")).place, span)
            case "valid_union":
                return _any([ex.IsValid(one.place, span) for one in self.union(operation.get("right")).values()], span)
            case "d2b":
                return self._not_zero(operation.get("right"))
            case "?" if self.sort(node) == "bool":
                cond, then, otherwise = (self.truth(operation.get(side)) for side in ("cond", "left", "right"))
                return ex.Conditional(cond, then, otherwise, BOOL, span)
        return self._not_zero(node)

    def _not_zero(self, node: Node) -> ex.Expression:
        number = self.exact(node)
        if isinstance(number.value, ex.Cast) and number.value.operand.type == BOOL:
            return number.value.operand
        if number.type == Bits(1):
            return ex.Cast(number.value, BOOL, node.span)
        return ex.Binary(Op.NE, number.value, ex.Const(0, number.type, node.span), BOOL, node.span)

    def _compared(self, op: ex.BinaryOp, node: Node, span: Span) -> ex.Expression:
        left, right = self.exact(node.get("left")), self.exact(node.get("right"))
        a, b, _ = common(left, right, node, left.low, left.high)
        return ex.Binary(op, a, b, BOOL, span)

    def _equal(self, op: ex.BinaryOp, node: Node, span: Span) -> ex.Expression:
        left, right = node.get("left"), node.get("right")
        sorts = (self.sort(left), self.sort(right))
        match sorts:
            case ("header", "header"):
                same = _same(self.header(left), self.header(right), node)
            case ("union", "union"):
                pairs = zip(self.union(left).values(), self.union(right).values(), strict=False)
                same = _all([_same(a, b, node) for a, b in pairs], span)
            case ("data", "data"):
                return self._compared(op, node, span)
            case ("bool", "bool") | ("bool", "data") | ("data", "bool"):
                return ex.Binary(op, self.truth(left), self.truth(right), BOOL, span)
            case _:
                raise node.fail(f"a {sorts[0]} and a {sorts[1]} cannot be compared")
        return same if op is Op.EQ else ex.Unary(ex.UnaryOp.NOT, same, BOOL, span)


def unwrapped(node: Node) -> Node:
    """An expression without the expressions around it that say nothing more. Raises: Invalid."""
    while node.maybe("type") is not None and node.get("type").value == "expression":
        inner = node.get("value")
        if not inner.has("type"):
            break
        node = inner
    return node


def _wrapper(operation: Node) -> Node:
    """The node whose value an operation is."""
    assert operation.parent is not None
    return operation.parent


def _all(parts: list[ex.Expression], span: Span) -> ex.Expression:
    result: ex.Expression = ex.Const(1, BOOL, span)
    for place, part in enumerate(parts):
        result = ex.Binary(Op.LAND, result, part, BOOL, span) if place else part
    return result


def _any(parts: list[ex.Expression], span: Span) -> ex.Expression:
    result: ex.Expression = ex.Const(0, BOOL, span)
    for place, part in enumerate(parts):
        result = ex.Binary(Op.LOR, result, part, BOOL, span) if place else part
    return result


def _same(left: Placed, right: Placed, node: Node) -> ex.Expression:
    """Both invalid, or both valid with the same fields (P4-16 spec 1.2.5 section 8.17)."""
    span = node.span
    if left.layout is not right.layout:
        raise node.fail("headers of different types cannot be compared")
    fields: list[ex.Expression] = []
    for name, type_ in left.layout.fields.items():
        a, b = (ex.Read(ex.FieldRef(one.place, name, span), type_, span) for one in (left, right))
        fields.append(ex.Binary(Op.EQ, a, b, BOOL, span))
    here, there = (ex.IsValid(one.place, span) for one in (left, right))
    neither = ex.Unary(ex.UnaryOp.NOT, _any([here, there], span), BOOL, span)
    return ex.Binary(Op.LOR, neither, _all([here, there, *fields], span), BOOL, span)
