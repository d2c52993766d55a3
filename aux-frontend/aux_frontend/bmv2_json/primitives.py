"""The primitives that actions call, as HLIR statements. Source: behavioral-model, docs/JSON_format.md ("actions"),
src/bm_sim/core/primitives.cpp and targets/simple_switch/primitives.cpp.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from aux_frontend.bmv2_json.expressions import Expressions
from aux_frontend.bmv2_json.externs import Externs
from aux_frontend.bmv2_json.numbers import resized
from aux_frontend.bmv2_json.storage import BOOL, INDEX, Placed, Slot, Stack, Storage, Union, drive_out
from aux_frontend.bmv2_json.text import Node
from aux_frontend.v1model.intrinsics import INTRINSICS, STANDARD
from transpiler.architectures.v1model.facts import DROP_PORT
from transpiler.diagnostics import Span
from transpiler.hlir import expressions as ex, program as pr, statements as st
from transpiler.hlir.arithmetic import stored
from transpiler.hlir.types import Bits, Varbit

EXITED = "$exited"  # set by an action that ends the pipeline
WORD = Bits(32)
Arguments = list[Node]
_OPERATIONS = {
    "add": ex.BinaryOp.ADD, "subtract": ex.BinaryOp.SUB, "bit_xor": ex.BinaryOp.XOR, "bit_or": ex.BinaryOp.OR,
    "bit_and": ex.BinaryOp.AND,
}  # fmt: skip
_SHIFTS = {"shift_left": ex.BinaryOp.SHL, "shift_right": ex.BinaryOp.SHR}
_CLONES = {"clone_ingress_pkt_to_egress": "clone.ingress", "clone_egress_pkt_to_egress": "clone.egress"}


@dataclass
class Primitives:
    """`values`: the expressions of one action, parser state or condition."""

    storage: Storage
    externs: Externs
    values: Expressions

    def call(self, node: Node) -> st.Body:
        """The statements of one call. Raises: Invalid."""
        name = node.get("op").text()
        arguments = node.listed("parameters")
        known = _KNOWN.get(name)
        if known is None:
            raise node.get("op").fail(f"the primitive '{name}' is not known")
        count, make = known
        if len(arguments) != count:
            raise node.fail(f"'{name}' takes {count} arguments, but {len(arguments)} are given")
        before, self.values.before = self.values.before, []
        body = make(self, arguments, node)
        body = (*self.values.before, *body)
        self.values.before = before
        return body

    # --- fields ------------------------------------------------------------------------------------------------------

    def set(self, slot: Slot, bits: ex.Expression, span: Span) -> st.Body:
        """A field takes the lowest bits of a value."""
        assert isinstance(slot.declared, Bits) and isinstance(slot.stored, Bits)
        value = resized(resized(bits, slot.declared), slot.stored)
        return (st.Assign(slot.place, value, span),)

    def number_slot(self, node: Node) -> tuple[Slot, Bits]:
        """A field that holds a number. Raises: Invalid."""
        slot = self.values.slot(node)
        if not isinstance(slot.declared, Bits):
            raise node.fail("a field of variable width cannot be set to a number")
        return slot, slot.declared

    def assign(self, target: Node, value: Node, span: Span) -> st.Body:
        """Raises: Invalid."""
        slot = self.values.slot(target)
        if isinstance(slot.declared, Varbit):
            source = self.values.slot(value)
            if source.declared != slot.declared:
                raise value.fail(f"a {source.declared} cannot be assigned to a {slot.declared}")
            return (st.Assign(slot.place, ex.Read(source.place, source.stored, span), span),)
        if self.values.sort(value) == "bool":
            return self.set(slot, ex.Cast(self.values.truth(value), Bits(1), span), span)
        return self.set(slot, self.values.lowest(value, slot.declared.width), span)

    def _assign(self, arguments: Arguments, node: Node) -> st.Body:
        return self.assign(arguments[0], arguments[1], node.span)

    def _operation(self, arguments: Arguments, node: Node) -> st.Body:
        slot, type_ = self.number_slot(arguments[0])
        left, right = (self.values.lowest(a, type_.width) for a in arguments[-2:])
        op = _OPERATIONS[node.get("op").text()]
        return self.set(slot, ex.Binary(op, left, right, Bits(type_.width), node.span), node.span)

    def _in_place(self, op: ex.BinaryOp, arguments: Arguments, node: Node) -> st.Body:
        slot, type_ = self.number_slot(arguments[0])
        left, right = (self.values.lowest(a, type_.width) for a in arguments)
        return self.set(slot, ex.Binary(op, left, right, Bits(type_.width), node.span), node.span)

    def _shift(self, arguments: Arguments, node: Node) -> st.Body:
        slot, type_ = self.number_slot(arguments[0])
        op = _SHIFTS[node.get("op").text()]
        amount = self.values.exact(arguments[2])
        if amount.low < 0:
            raise arguments[2].fail("a shift by what can be negative")
        if op is ex.BinaryOp.SHL:
            left: ex.Expression = self.values.lowest(arguments[1], type_.width)
        else:
            left = self.values.exact(arguments[1]).value
        assert isinstance(left.type, Bits)
        return self.set(slot, ex.Binary(op, left, amount.value, left.type, node.span), node.span)

    def _hash(self, arguments: Arguments, node: Node) -> st.Body:
        """dst = base + hash % size; base where the size is 0."""
        slot, type_ = self.number_slot(arguments[0])
        base, size = self.values.exact(arguments[1]), self.values.exact(arguments[3])
        calculation = self.externs.calculation(self._named(arguments[2], "calculation"))
        result = calculation.type
        target = self.storage.variable("$hash", result, pr.Storage.LOCAL, node.span)
        wide = Bits(max(result.width, type_.width, base.type.width, size.type.width))
        value: ex.Expression = resized(ex.Read(target, result, node.span), wide)
        value = ex.Binary(ex.BinaryOp.MOD, value, resized(size.value, wide), wide, node.span)
        if base.high or base.low:
            value = ex.Binary(ex.BinaryOp.ADD, value, resized(base.value, wide), wide, node.span)
        return (*self.externs.compute(calculation, target, node.span), *self.set(slot, value, node.span))

    def _random(self, arguments: Arguments, node: Node) -> st.Body:
        slot, _ = self.number_slot(arguments[0])
        low, high = (self.values.exact(a) for a in arguments[1:])
        wide = Bits(max(low.type.width, high.type.width))
        target = self.storage.variable("$random", wide, pr.Storage.LOCAL, node.span)
        inputs = (resized(low.value, wide), resized(high.value, wide))
        draw = st.CallExtern("random.range", None, inputs, (target,), node.span)
        return (draw, *self.set(slot, ex.Read(target, wide, node.span), node.span))

    # --- headers -----------------------------------------------------------------------------------------------------

    def _add_header(self, arguments: Arguments, node: Node) -> st.Body:
        """Valid; and all zero, where it was not."""
        placed, span = self.values.header(arguments[0]), node.span
        zero = tuple(
            st.Assign(ex.FieldRef(placed.place, name, span), ex.Const(0, type_, span), span)
            for name, type_ in placed.layout.fields.items()
        )
        invalid = ex.Unary(ex.UnaryOp.NOT, ex.IsValid(placed.place, span), BOOL, span)
        return (st.If(invalid, (*zero, st.SetValid(placed.place, True, span)), (), span), *drive_out(placed, span))

    def _add_header_fast(self, arguments: Arguments, node: Node) -> st.Body:
        placed = self.values.header(arguments[0])
        return (st.SetValid(placed.place, True, node.span), *drive_out(placed, node.span))

    def _remove_header(self, arguments: Arguments, node: Node) -> st.Body:
        return (st.SetValid(self.values.header(arguments[0]).place, False, node.span),)

    def _copy_header(self, arguments: Arguments, node: Node) -> st.Body:
        target, source = (self.values.header(a) for a in arguments)
        return self._copy(target, source, node)

    def _copy(self, target: Placed, source: Placed, node: Node) -> st.Body:
        span = node.span
        if target.layout is not source.layout:
            raise node.fail(f"a header of type {source.layout.name} cannot be copied to one of {target.layout.name}")
        body: st.Body = (st.CopyHeader(target.place, source.place, span),)
        if target.others:
            body += (st.If(ex.IsValid(target.place, span), drive_out(target, span), (), span),)
        return body

    def _copy_union(self, arguments: Arguments, node: Node) -> st.Body:
        return self._union(self.values.union(arguments[0]), self.values.union(arguments[1]), node)

    def _union(self, target: Union, source: Union, node: Node) -> st.Body:
        """Member by member: of those of the source one is valid at most."""
        if [one.layout for one in target.values()] != [one.layout for one in source.values()]:
            raise node.fail("unions of different types cannot be copied")
        pairs = zip(target.values(), source.values(), strict=True)
        return tuple(st.CopyHeader(to.place, of.place, node.span) for to, of in pairs)

    def _copy_stack(self, arguments: Arguments, node: Node) -> st.Body:
        target, source = (self.values.stack(a) for a in arguments)
        return (*self._elements(target, source, node), *self._copy_next(target.name, source.name, node))

    def _copy_union_stack(self, arguments: Arguments, node: Node) -> st.Body:
        target, source = (self.values.union_stack(a) for a in arguments)
        if target.members.keys() != source.members.keys():
            raise node.fail("stacks of different unions cannot be copied")
        body = [s for name, to in target.members.items() for s in self._elements(to, source.members[name], node)]
        return (*body, *self._copy_next(target.name, source.name, node))

    def _elements(self, target: Stack, source: Stack, node: Node) -> st.Body:
        if target.layout is not source.layout or target.size != source.size:
            raise node.fail("stacks of different types or sizes cannot be copied")
        return tuple(self._move(target, i, source, i, node.span) for i in range(target.size))

    def _copy_next(self, target: str, source: str, node: Node) -> st.Body:
        to, of = (self.storage.next_index(name, node.span) for name in (target, source))
        return (st.Assign(to, ex.Read(of, INDEX, node.span), node.span),)

    @staticmethod
    def _move(to: Stack, at: int, of: Stack, place: int, span: Span) -> st.CopyHeader:
        target, source = ex.HeaderRef(f"{to.name}[{at}]", span), ex.HeaderRef(f"{of.name}[{place}]", span)
        return st.CopyHeader(target, source, span)

    def _push(self, arguments: Arguments, node: Node) -> st.Body:
        return self._shifted(arguments, node, up=True)

    def _pop(self, arguments: Arguments, node: Node) -> st.Body:
        return self._shifted(arguments, node, up=False)

    def _shifted(self, arguments: Arguments, node: Node, up: bool) -> st.Body:
        """All elements move; those that have nothing to take become invalid (StackP4_16 of src/bm_sim/stacks.cpp)."""
        span = node.span
        if self.values.sort(arguments[0]) == "stack":
            stack = self.values.stack(arguments[0])
            name, stacks, size = stack.name, [stack], stack.size
        else:
            unions = self.values.union_stack(arguments[0])
            name, stacks, size = unions.name, list(unions.members.values()), unions.size
        count = min(self._constant(arguments[1]), size)
        body: list[st.Statement] = []
        for one in stacks:
            if up:
                body += [self._move(one, i, one, i - count, span) for i in range(size - 1, count - 1, -1)]
                gone = range(count)
            else:
                body += [self._move(one, i, one, i + count, span) for i in range(size - count)]
                gone = range(size - count, size)
            body += [st.SetValid(ex.HeaderRef(f"{one.name}[{i}]", span), False, span) for i in gone]
        return (*body, self._moved_next(name, count, size, up, span))

    def _moved_next(self, name: str, count: int, size: int, up: bool, span: Span) -> st.Statement:
        place = self.storage.next_index(name, span)
        value = ex.Read(place, INDEX, span)
        op = ex.BinaryOp.ADD if up else ex.BinaryOp.SUB
        end, limit = (size, size - count) if up else (0, count)
        passes = ex.BinaryOp.GT if up else ex.BinaryOp.LT
        beyond = ex.Binary(passes, value, ex.Const(limit, INDEX, span), BOOL, span)
        moved = ex.Binary(op, value, ex.Const(count, INDEX, span), INDEX, span)
        return st.Assign(place, ex.Conditional(beyond, ex.Const(end, INDEX, span), moved, INDEX, span), span)

    # --- state -------------------------------------------------------------------------------------------------------

    def _count(self, arguments: Arguments, node: Node) -> st.Body:
        counter = self.externs.find(self._named(arguments[0], "counter_array"), "counter")
        return (st.CallExtern("counter.count", counter, (self.values.index(arguments[1]),), (), node.span),)

    def _execute_meter(self, arguments: Arguments, node: Node) -> st.Body:
        meter = self.externs.find(self._named(arguments[0], "meter_array"), "meter")
        slot, _ = self.number_slot(arguments[2])
        index = self.values.index(arguments[1])
        return (st.CallExtern("meter.execute", meter, (index,), (slot.place,), node.span),)

    def _register_read(self, arguments: Arguments, node: Node) -> st.Body:
        slot, _ = self.number_slot(arguments[0])
        register, width = self.externs.register(self._named(arguments[1], "register_array"))
        index = self.values.index(arguments[2])
        if slot.stored == slot.declared == Bits(width):
            return (st.CallExtern("register.read", register, (index,), (slot.place,), node.span),)
        target = self.storage.variable(f"{register}.$element", Bits(width), pr.Storage.LOCAL, node.span)
        read = st.CallExtern("register.read", register, (index,), (target,), node.span)
        return (read, *self.set(slot, ex.Read(target, Bits(width), node.span), node.span))

    def _register_write(self, arguments: Arguments, node: Node) -> st.Body:
        register, width = self.externs.register(self._named(arguments[0], "register_array"))
        inputs = (self.values.index(arguments[1]), self.values.lowest(arguments[2], width))
        return (st.CallExtern("register.write", register, inputs, (), node.span),)

    @staticmethod
    def _named(node: Node, kind: str) -> Node:
        if node.get("type").text() != kind:
            raise node.fail(f"a {kind} is expected here")
        return node.get("value")

    def _constant(self, node: Node) -> int:
        number = self.values.exact(node)
        if not isinstance(number.value, ex.Const) or number.low < 0:
            raise node.fail("a constant is expected here")
        return number.low

    # --- the packet --------------------------------------------------------------------------------------------------

    def _drop(self, arguments: Arguments, node: Node) -> st.Body:
        """egress_spec = 511, mcast_grp = 0"""
        span = node.span
        body: list[st.Statement] = []
        for header, name, value in ((STANDARD, "egress_spec", DROP_PORT), ("intrinsic_metadata", "mcast_grp", 0)):
            if name in self.storage.intrinsics:
                type_ = INTRINSICS[header, name][1]
                place = ex.VariableRef(self.storage.intrinsics[name], span)
                body.append(st.Assign(place, ex.Const(stored(value, type_), type_, span), span))
        return tuple(body)

    def _clone(self, arguments: Arguments, node: Node) -> st.Body:
        fields = self.externs.preserved(arguments[1], self._constant(arguments[1]))
        session = self.values.lowest(arguments[0], WORD.width)
        method = _CLONES[node.get("op").text()]
        return (st.CallExtern(method, None, (session,), (), node.span, fields),)

    def _again(self, arguments: Arguments, node: Node) -> st.Body:
        fields = self.externs.preserved(arguments[0], self._constant(arguments[0]))
        return (st.CallExtern(f"{node.get('op').text()}.request", None, (), (), node.span, fields),)

    def _digest(self, arguments: Arguments, node: Node) -> st.Body:
        instance, items = self.externs.digest(arguments[1], self._constant(arguments[1]))
        return (st.CallExtern("digest.send", instance, (ex.ListExpression(items, node.span),), (), node.span),)

    def _truncate(self, arguments: Arguments, node: Node) -> st.Body:
        length = self.values.lowest(arguments[0], WORD.width)
        return (st.CallExtern("truncate.request", None, (length,), (), node.span),)

    def _log(self, arguments: Arguments, node: Node) -> st.Body:
        text = ex.Text(self._named(arguments[0], "string").text(), node.span)
        values = self._named(arguments[1], "parameters_vector").items()
        items = ex.ListExpression(tuple(self.values.exact(value).value for value in values), node.span)
        return (st.CallExtern("log.message", None, (text, items), (), node.span),)

    def _assert(self, arguments: Arguments, node: Node) -> st.Body:
        return (st.CallExtern("assert.check", None, (self.values.truth(arguments[0]),), (), node.span),)

    def _exit(self, arguments: Arguments, node: Node) -> st.Body:
        """The pipeline ends after this action, all of which runs (Pipeline::apply)."""
        place = self.storage.shared(EXITED, BOOL, pr.Storage.LOCAL, node.span)
        return (st.Assign(place, ex.Const(1, BOOL, node.span), node.span),)

    def _nothing(self, arguments: Arguments, node: Node) -> st.Body:
        return ()


Make = Callable[[Primitives, Arguments, Node], st.Body]
_KNOWN: dict[str, tuple[int, Make]] = {
    "assign": (2, Primitives._assign),
    "assign_VL": (2, Primitives._assign),
    "assign_header": (2, Primitives._copy_header),
    "assign_union": (2, Primitives._copy_union),
    "assign_header_stack": (2, Primitives._copy_stack),
    "assign_union_stack": (2, Primitives._copy_union_stack),
    "push": (2, Primitives._push),
    "pop": (2, Primitives._pop),
    "assert": (1, Primitives._assert),
    "assume": (1, Primitives._assert),
    "exit": (0, Primitives._exit),
    "log_msg": (2, Primitives._log),
    "modify_field": (2, Primitives._assign),
    "modify_field_rng_uniform": (3, Primitives._random),
    "modify_field_with_hash_based_offset": (4, Primitives._hash),
    "add_to_field": (2, lambda self, a, n: self._in_place(ex.BinaryOp.ADD, a, n)),
    "subtract_from_field": (2, lambda self, a, n: self._in_place(ex.BinaryOp.SUB, a, n)),
    **dict.fromkeys(_OPERATIONS, (3, Primitives._operation)),
    **dict.fromkeys(_SHIFTS, (3, Primitives._shift)),
    "drop": (0, Primitives._drop),
    "mark_to_drop": (1, Primitives._drop),
    "add_header": (1, Primitives._add_header),
    "add_header_fast": (1, Primitives._add_header_fast),
    "remove_header": (1, Primitives._remove_header),
    "copy_header": (2, Primitives._copy_header),
    **dict.fromkeys(_CLONES, (2, Primitives._clone)),
    "resubmit": (1, Primitives._again),
    "recirculate": (1, Primitives._again),
    "generate_digest": (2, Primitives._digest),
    "truncate": (1, Primitives._truncate),
    "no_op": (0, Primitives._nothing),
    "execute_meter": (3, Primitives._execute_meter),
    "count": (2, Primitives._count),
    "register_read": (3, Primitives._register_read),
    "register_write": (3, Primitives._register_write),
}
