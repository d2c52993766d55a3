"""Primitive actions as HLIR statements. Specification 1.0.5 section 9.1; BMv2 where it leaves something open."""

from __future__ import annotations

from collections.abc import Callable

from aux_frontend.p4_14 import ast
from aux_frontend.p4_14.assign import Assigner
from aux_frontend.p4_14.builder import INDEX, Slot, number, truth
from aux_frontend.p4_14.field_lists import FieldLists
from aux_frontend.p4_14.scope import InstanceInfo
from aux_frontend.p4_14.signatures import BINARY, SIGNATURES
from aux_frontend.p4_14.stateful import StatefulObjects
from aux_frontend.p4_14.values import Env, Loose, Operand, Values, width_of_operand
from transpiler.architectures.v1model.facts import DROP_PORT
from transpiler.diagnostics import Span
from transpiler.hlir import expressions as ex, program as pr, statements as st
from transpiler.hlir.arithmetic import ones
from transpiler.hlir.types import Bits, Bool, Varbit

Arguments = tuple[ast.Expression, ...]
Handler = Callable[[Arguments, Env, Span], st.Body]
EXITED = "$exited"  # set by an action that has left the pipeline
_DROPS = ("drop", "mark_for_drop")
_CLONES = {
    "clone_ingress_pkt_to_egress": "clone.ingress",
    "clone_i2e": "clone.ingress",
    "clone_egress_pkt_to_egress": "clone.egress",
    "clone_e2e": "clone.egress",
}
_UNSUPPORTED = ("clone_ingress_pkt_to_ingress", "clone_egress_pkt_to_ingress")


def exits(statement: st.Statement) -> bool:
    """Whether it is what an `exit` becomes: nothing after it runs."""
    return (
        isinstance(statement, st.Assign)
        and isinstance(statement.target, ex.VariableRef)
        and statement.target.name == EXITED
    )


class Primitives:
    def __init__(self, values: Values, lists: FieldLists, objects: StatefulObjects) -> None:
        self.values = values
        self.scope = values.scope
        self.builder = values.builder
        self.lists = lists
        self.objects = objects
        self.assigner = Assigner(values)
        self.made_valid: dict[str, Span] = {}  # headers that actions add, with where the first one does
        self._initial: dict[str, tuple[ex.VariableRef, ex.Const]] | None = None

    def call(self, name: str, arguments: Arguments, env: Env, span: Span) -> st.Body:
        """The statements of one call. Raises Invalid after reporting what is wrong with it."""
        signature = SIGNATURES[name]
        if not signature.required <= len(arguments) <= len(signature.args):
            wanted = str(signature.required)
            if len(signature.args) != signature.required:
                wanted += f" to {len(signature.args)}"
            raise self.values.fail(span, f"'{name}' takes {wanted} arguments, but {len(arguments)} are given")
        if name in BINARY:
            return self._operation(name, arguments, env, span)
        if name in _DROPS:
            return self.drop(span)
        if name in _CLONES:
            return self._clone(_CLONES[name], arguments, env, span)
        if name in _UNSUPPORTED:
            self.values.number(arguments[0], INDEX, env)
            self.builder.unsupported.append((span, f"'{name}' is not supported"))
            return ()
        handler: Handler = getattr(self, f"_{name}")
        return handler(arguments, env, span)

    # --- fields ------------------------------------------------------------------------------------------------------

    def _modify_field(self, arguments: Arguments, env: Env, span: Span) -> st.Body:
        slot = self.values.slot(arguments[0], env)
        value = self.values.operand(arguments[1], env)
        if len(arguments) == 2:
            return self.assigner.assign(slot, value, span)
        return self._masked(slot, value, self.values.operand(arguments[2], env), span)

    def _modify_field_with_shift(self, arguments: Arguments, env: Env, span: Span) -> st.Body:
        """The masked bits of dst take those of src >> shift."""
        slot = self.values.slot(arguments[0], env)
        type_ = self.assigner.numeric(slot, span)
        source = self.values.operand(arguments[1], env)
        if isinstance(source, Loose):
            source = self.values.bits(source, Bits(max(width_of_operand(source), type_.width)))
        shifted = self.values.shift(ex.BinaryOp.SHR, source, self.values.operand(arguments[2], env), span)
        return self._masked(slot, shifted, self.values.operand(arguments[3], env), span)

    def _masked(self, slot: Slot, value: Operand, under: Operand, span: Span) -> st.Body:
        """The bits of slot that are set under the mask take those of value."""
        type_ = self.assigner.numeric(slot, span)
        mask = self.values.bits(under, type_)
        old = self.values.read(slot, span)
        kept = ex.Binary(ex.BinaryOp.AND, old, ex.Unary(ex.UnaryOp.COMPLEMENT, mask, type_, span), type_, span)
        new = ex.Binary(ex.BinaryOp.AND, self.values.bits(value, type_), mask, type_, span)
        return self.assigner.assign(slot, ex.Binary(ex.BinaryOp.OR, kept, new, type_, span), span)

    def _modify_field_conditionally(self, arguments: Arguments, env: Env, span: Span) -> st.Body:
        condition = self.values.condition(arguments[1], env)
        slot, value = self.values.slot(arguments[0], env), self.values.operand(arguments[2], env)
        return (st.If(condition, self.assigner.assign(slot, value, span), (), span),)

    def _add_to_field(self, arguments: Arguments, env: Env, span: Span) -> st.Body:
        return self._operation("add", (arguments[0], *arguments), env, span)

    def _subtract_from_field(self, arguments: Arguments, env: Env, span: Span) -> st.Body:
        return self._operation("subtract", (arguments[0], *arguments), env, span)

    def _operation(self, name: str, arguments: Arguments, env: Env, span: Span) -> st.Body:
        slot = self.values.slot(arguments[0], env)
        self.assigner.numeric(slot, span)
        left, right = self.values.operand(arguments[1], env), self.values.operand(arguments[2], env)
        return self.assigner.operate(name, slot, left, right, span)

    def _bit_not(self, arguments: Arguments, env: Env, span: Span) -> st.Body:
        slot = self.values.slot(arguments[0], env)
        type_ = self.assigner.numeric(slot, span)
        value = ex.Unary(ex.UnaryOp.COMPLEMENT, self.values.number(arguments[1], type_, env), type_, span)
        return self.assigner.assign(slot, value, span)

    def _swap(self, arguments: Arguments, env: Env, span: Span) -> st.Body:
        first, second = (self.values.slot(a, env) for a in arguments)
        type_ = self.assigner.numeric(first, span)
        kept = self._temporary("swap", type_, span)
        save = st.Assign(kept, self.values.read(first, span), span)
        move = self.assigner.assign(first, self.values.read(second, span), span)
        return (save, *move, *self.assigner.assign(second, ex.Read(kept, type_, span), span))

    def _modify_field_with_hash_based_offset(self, arguments: Arguments, env: Env, span: Span) -> st.Body:
        """dst = base + (hash % size), a size of 0 taken as 1."""
        slot = self.values.slot(arguments[0], env)
        type_ = self.assigner.numeric(slot, span)
        base, size = self.values.operand(arguments[1], env), self.values.operand(arguments[3], env)
        found, _ = self.values.resolve(arguments[2], env)
        if not isinstance(found, ast.Ref):
            raise self.values.fail(arguments[2].span, "expected a field list calculation")
        calculation = self.lists.calculation(found.name)
        result = self.lists.width(calculation)
        target = self._temporary("hash", result, span)
        body = self.lists.compute(calculation, target, span)
        wide = Bits(max(result.width, type_.width, width_of_operand(size)))
        value = self.values.bits(ex.Read(target, result, span), wide)
        value = self._modulo(value, size, wide, span)
        value = ex.Binary(ex.BinaryOp.ADD, value, self.values.bits(base, wide), wide, span)
        return body + self.assigner.assign(slot, value, span)

    def _modulo(self, value: ex.Expression, size: Operand, wide: Bits, span: Span) -> ex.Expression:
        if isinstance(size, Loose | ex.Const) and size.value <= 1:
            return number(0, wide, span)
        divisor = self.values.bits(size, wide)
        if not isinstance(divisor, ex.Const):
            is_zero = ex.Binary(ex.BinaryOp.EQ, divisor, number(0, wide, span), Bool(), span)
            divisor = ex.Conditional(is_zero, number(1, wide, span), divisor, wide, span)
        return ex.Binary(ex.BinaryOp.MOD, value, divisor, wide, span)

    def _modify_field_rng_uniform(self, arguments: Arguments, env: Env, span: Span) -> st.Body:
        slot = self.values.slot(arguments[0], env)
        type_ = self.assigner.numeric(slot, span)
        low, high = (self.values.number(a, type_, env) for a in arguments[1:])
        target = self._temporary("random", type_, span)
        draw = st.CallExtern("random.range", None, (low, high), (target,), span)
        return (draw, *self.assigner.assign(slot, ex.Read(target, type_, span), span))

    def _modify_field_from_rng(self, arguments: Arguments, env: Env, span: Span) -> st.Body:
        """As many random bits as the second argument says, under a mask."""
        slot = self.values.slot(arguments[0], env)
        type_ = self.assigner.numeric(slot, span)
        width = self.scope.constant(arguments[1], "the number of random bits", 1, 64) or 1
        low, high = number(0, type_, span), number(ones(min(width, type_.width)), type_, span)
        target = self._temporary("random", type_, span)
        draw = st.CallExtern("random.range", None, (low, high), (target,), span)
        value: ex.Expression = ex.Read(target, type_, span)
        if len(arguments) == 3:
            value = ex.Binary(ex.BinaryOp.AND, value, self.values.number(arguments[2], type_, env), type_, span)
        return (draw, *self.assigner.assign(slot, value, span))

    # --- headers -----------------------------------------------------------------------------------------------------

    def _add_header(self, arguments: Arguments, env: Env, span: Span) -> st.Body:
        """Valid and all zero, unless it is valid already."""
        place, instance = self.values.header(arguments[0], env)
        self.made_valid.setdefault(instance.name, span)
        fresh = (*self._zero(place, instance, span), st.SetValid(place, True, span))
        return (st.If(ex.Unary(ex.UnaryOp.NOT, ex.IsValid(place, span), Bool(), span), fresh, (), span),)

    def _remove_header(self, arguments: Arguments, env: Env, span: Span) -> st.Body:
        place, _ = self.values.header(arguments[0], env)
        return (st.SetValid(place, False, span),)

    def _copy_header(self, arguments: Arguments, env: Env, span: Span) -> st.Body:
        (target, to), (source, origin) = (self.values.header(a, env) for a in arguments)
        self.made_valid.setdefault(to.name, span)
        if to.layout is not origin.layout:
            raise self.values.fail(
                span, f"'{to.name}' of type {to.layout.name} cannot take a header of type {origin.layout.name}"
            )
        return (st.CopyHeader(target, source, span),)

    def _stack(self, arguments: Arguments, env: Env) -> tuple[InstanceInfo, int, int]:
        """The stack, its size, and by how many places to move."""
        found, _ = self.values.resolve(arguments[0], env)
        instance = None
        if isinstance(found, ast.Ref) and found.index is None:
            instance = self.scope.headers.get(found.name.text)
        if instance is None or instance.size is None:
            raise self.values.fail(arguments[0].span, "expected a header stack")
        count = 1
        if len(arguments) == 2:
            given = self.scope.constant(arguments[1], "the number of headers", 0, 1 << 16)
            count = 0 if given is None else given
        return instance, instance.size, min(count, instance.size)

    def _push(self, arguments: Arguments, env: Env, span: Span) -> st.Body:
        """Moves elements back; the new ones in front are valid and zero."""
        stack, size, count = self._stack(arguments, env)
        self.made_valid.setdefault(stack.name, span)
        body: list[st.Statement] = [self._move(stack, i, i - count, span) for i in range(size - 1, count - 1, -1)]
        for i in range(count):
            place = ex.HeaderRef(f"{stack.name}[{i}]", span)
            body += [*self._zero(place, stack, span), st.SetValid(place, True, span)]
        return tuple(body)

    def _pop(self, arguments: Arguments, env: Env, span: Span) -> st.Body:
        stack, size, count = self._stack(arguments, env)
        body: list[st.Statement] = [self._move(stack, i, i + count, span) for i in range(size - count)]
        body += [st.SetValid(ex.HeaderRef(f"{stack.name}[{i}]", span), False, span) for i in range(size - count, size)]
        return tuple(body)

    @staticmethod
    def _move(stack: InstanceInfo, to: int, source: int, span: Span) -> st.CopyHeader:
        return st.CopyHeader(
            ex.HeaderRef(f"{stack.name}[{to}]", span), ex.HeaderRef(f"{stack.name}[{source}]", span), span
        )

    def _zero(self, place: ex.HeaderPlace, instance: InstanceInfo, span: Span) -> st.Body:
        return tuple(
            st.Assign(ex.FieldRef(place, info.name, span), ex.Const(0, info.type, span), span)
            for info in instance.layout.fields.values()
        )

    # --- stateful objects --------------------------------------------------------------------------------------------

    def _count(self, arguments: Arguments, env: Env, span: Span) -> st.Body:
        counter = self.objects.find("counter", arguments[0], env)
        index = self.values.number(arguments[1], INDEX, env)
        if counter.declaration.direct is not None:
            raise self.values.fail(arguments[0].span, "a direct counter counts by itself, on every hit of its table")
        return (st.CallExtern("counter.count", counter.extern, (index,), (), span),)

    def _execute_meter(self, arguments: Arguments, env: Env, span: Span) -> st.Body:
        meter = self.objects.find("meter", arguments[0], env)
        index = self.values.number(arguments[1], INDEX, env)
        slot = self.values.slot(arguments[2], env)
        self.assigner.numeric(slot, span)
        if len(arguments) == 4:
            self.builder.unsupported.append((arguments[3].span, "the packet's colour before a meter is not supported"))
        if meter.declaration.direct is not None:
            before = ex.Read(slot.place, slot.stored, span)
            return (st.CallExtern("direct_meter.read", meter.extern, (before,), (slot.place,), span),)
        return (st.CallExtern("meter.execute", meter.extern, (index,), (slot.place,), span),)

    def _register_read(self, arguments: Arguments, env: Env, span: Span) -> st.Body:
        slot = self.values.slot(arguments[0], env)
        self.assigner.numeric(slot, span)
        register = self.objects.find("register", arguments[1], env)
        index = self.values.number(arguments[2], INDEX, env)
        target = self._temporary("register", register.type, span)
        read = st.CallExtern("register.read", register.extern, (index,), (target,), span)
        return (read, *self.assigner.assign(slot, ex.Read(target, register.type, span), span))

    def _register_write(self, arguments: Arguments, env: Env, span: Span) -> st.Body:
        register = self.objects.find("register", arguments[0], env)
        index = self.values.number(arguments[1], INDEX, env)
        value = self.values.number(arguments[2], register.type, env)
        return (st.CallExtern("register.write", register.extern, (index, value), (), span),)

    # --- packets -----------------------------------------------------------------------------------------------------

    def drop(self, span: Span) -> st.Body:
        """The packet goes nowhere, unless something later chooses a port. BMv2 forgets the multicast group too."""
        port = self.builder.intrinsic("egress_spec", Bits(9), span)
        body: list[st.Statement] = [st.Assign(port, ex.Const(DROP_PORT, Bits(9), span), span)]
        if "mcast_grp" in self.builder.intrinsics:
            group = self.builder.intrinsic("mcast_grp", Bits(16), span)
            body.append(st.Assign(group, ex.Const(0, Bits(16), span), span))
        return tuple(body)

    def _no_op(self, arguments: Arguments, env: Env, span: Span) -> st.Body:
        return ()

    def _exit(self, arguments: Arguments, env: Env, span: Span) -> st.Body:
        return (st.Assign(self.builder.shared(EXITED, Bool(), pr.Storage.LOCAL, span), truth(True, span), span),)

    def _truncate(self, arguments: Arguments, env: Env, span: Span) -> st.Body:
        return (st.CallExtern("truncate.request", None, (self.values.number(arguments[0], INDEX, env),), (), span),)

    def _generate_digest(self, arguments: Arguments, env: Env, span: Span) -> st.Body:
        self.values.operand(arguments[0], env)
        declaration = self.lists.named(arguments[1], env)
        record = self.lists.list_expression(self.lists.items(declaration), span)
        return (st.CallExtern("digest.send", self.builder.digest(declaration), (record,), (), span),)

    def _resubmit(self, arguments: Arguments, env: Env, span: Span) -> st.Body:
        return self._again("resubmit.request", (), arguments, env, span)

    def _recirculate(self, arguments: Arguments, env: Env, span: Span) -> st.Body:
        return self._again("recirculate.request", (), arguments, env, span)

    def _clone(self, method: str, arguments: Arguments, env: Env, span: Span) -> st.Body:
        session = self.values.number(arguments[0], INDEX, env)
        return self._again(method, (session,), arguments[1:], env, span)

    def _again(self, method: str, inputs: tuple[ex.Expression, ...], lists: Arguments, env: Env, span: Span) -> st.Body:
        fields: tuple[ex.Place, ...] = ()
        body: st.Body = ()
        if lists:
            fields = self.lists.preserved(self.lists.named(lists[0], env))
            body, fields = self._keep_initialised(fields, span)
        return (*body, st.CallExtern(method, None, inputs, (), span, fields))

    def _keep_initialised(self, fields: tuple[ex.Place, ...], span: Span) -> tuple[st.Body, tuple[ex.Place, ...]]:
        """A preserved field with an initial value carries a mark, so that the parser does not set it anew."""
        body: list[st.Statement] = []
        marks: list[ex.Place] = []
        for place in fields:
            if isinstance(place, ex.VariableRef) and place.name in self.initial_values():
                mark = self.builder.shared(f"{place.name}.$kept", Bits(1), pr.Storage.METADATA, span)
                body.append(st.Assign(mark, ex.Const(1, Bits(1), span), span))
                marks.append(mark)
        return tuple(body), (*fields, *marks)

    def initial_values(self) -> dict[str, tuple[ex.VariableRef, ex.Const]]:
        """Metadata variables that do not begin as zero, with what they begin as."""
        if self._initial is None:
            self._initial = self._find_initial_values()
        return self._initial

    def _find_initial_values(self) -> dict[str, tuple[ex.VariableRef, ex.Const]]:
        found: dict[str, tuple[ex.VariableRef, ex.Const]] = {}
        for instance in self.scope.metadata.values():
            if instance.declaration is None:
                continue
            for name, expression in instance.declaration.initial:
                info = instance.layout.fields.get(name.text)
                value = self.values.operand(expression, Env("control"))
                if info is None or isinstance(info.type, Varbit) or not isinstance(value, Loose | ex.Const):
                    continue
                slot = self.builder.metadata_slot(instance, info)
                if isinstance(slot.place, ex.VariableRef) and isinstance(slot.stored, Bits) and value.value:
                    start = number(value.value, slot.stored, expression.span)
                    found[slot.place.name] = (slot.place, start)
        return found

    def _temporary(self, purpose: str, type_: Bits, span: Span) -> ex.VariableRef:
        kind = f"{'int' if type_.signed else 'bit'}{type_.width}"
        return self.builder.shared(f"${purpose}.{kind}", type_, pr.Storage.LOCAL, span)
