"""Expressions of P4-14 as HLIR values: names resolved, widths worked out, mistakes reported.

A literal without width takes the width of what it meets. Operands of different widths meet at the wider one, and what
is assigned is cut or extended to its destination (specification 1.0.5 section 1.5; BMv2 does the same).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TypeGuard

from aux_frontend.p4_14 import ast
from aux_frontend.p4_14.builder import INDEX, Builder, Slot, number, truth
from aux_frontend.p4_14.intrinsics import UNFILLED
from aux_frontend.p4_14.scope import FieldInfo, InstanceInfo, calculate, fold
from aux_frontend.v1model.intrinsics import STANDARD
from transpiler.diagnostics import Span
from transpiler.hlir import expressions as ex
from transpiler.hlir.arithmetic import calculate_unary
from transpiler.hlir.types import Bits, Bool


class Invalid(Exception):
    """An expression without meaning; reported already. Caught by whoever elaborates a statement."""


@dataclass(frozen=True, slots=True)
class Loose:
    """A literal that has no width yet."""

    value: int
    span: Span


Operand = ex.Expression | Loose


@dataclass(frozen=True, slots=True)
class Bound:
    """A parameter that stands for an expression of the caller."""

    expression: ast.Expression
    env: Env


@dataclass(frozen=True, slots=True)
class Env:
    """What names mean at a place. `place` is "parser", "action" or "control".

    names: action parameters, bound to a caller's expression or to a value. latest: the header extracted last.
    lookahead: makes the value of `current(…)`. next_index: the value of a stack's index `next`, parser only.
    """

    place: str
    names: Mapping[str, Bound | Operand] = field(default_factory=dict)
    latest: tuple[ex.HeaderPlace, InstanceInfo] | None = None
    lookahead: Callable[[int, int, Span], ex.Expression] | None = None
    next_index: Callable[[InstanceInfo, Span], ex.VariableRef] | None = None


_OPS = {op.value: op for op in ex.BinaryOp}


class Values:
    """Elaborates expressions. Raises Invalid, after reporting, where there is no meaning."""

    def __init__(self, builder: Builder) -> None:
        self.builder = builder
        self.scope = builder.scope

    def fail(self, span: Span, message: str, *notes: tuple[Span, str]) -> Invalid:
        self.scope.error(span, message, *notes)
        return Invalid()

    # --- parameters --------------------------------------------------------------------------------------------------

    def resolve(self, expression: ast.Expression, env: Env) -> tuple[ast.Expression | Operand, Env]:
        """Follow parameters to what they stand for."""
        while isinstance(expression, ast.Ref) and expression.index is None:
            meaning = env.names.get(expression.name.text)
            if meaning is None:
                break
            if not isinstance(meaning, Bound):
                return meaning, env
            expression, env = meaning.expression, meaning.env
        return expression, env

    # --- headers and fields ------------------------------------------------------------------------------------------

    def header(self, ref: ast.Expression, env: Env) -> tuple[ex.HeaderPlace, InstanceInfo]:
        """A header instance, or an element of a stack."""
        found, env = self.resolve(ref, env)
        if not isinstance(found, ast.Ref):
            raise self.fail(ref.span, "expected a header")
        name = found.name.text
        if name == "latest" and found.index is None and "latest" not in self.scope.headers:
            if env.latest is None:
                raise self.fail(found.span, "'latest' has no meaning here: no header was extracted on every way here")
            return env.latest
        instance = self.scope.headers.get(name)
        if instance is None:
            known = name in self.scope.metadata
            raise self.fail(
                found.span, f"'{name}' is metadata, not a header" if known else f"header '{name}' is not declared"
            )
        if instance.size is None:
            if found.index is not None:
                raise self.fail(found.index.span, f"'{name}' is not a header stack")
            return ex.HeaderRef(name, found.span), instance
        if found.index is None:
            raise self.fail(found.span, f"'{name}' is a header stack: an index is needed")
        return self._element(instance, found, env), instance

    def _element(self, instance: InstanceInfo, ref: ast.Ref, env: Env) -> ex.HeaderPlace:
        index, size = ref.index, instance.size or 0
        assert index is not None
        if isinstance(index, ast.Ref) and index.index is None and index.name.text in ("next", "last"):
            if env.next_index is None:
                raise self.fail(index.span, f"'{index.name.text}' can only be used in a parser")
            if index.name.text == "next":
                raise self.fail(index.span, "'next' can only be extracted")
            following = ex.Read(env.next_index(instance, index.span), INDEX, index.span)
            return ex.ElementRef(instance.name, minus_one(following), index.span)
        value = fold(index)
        if value is None:
            raise self.fail(index.span, "the index of a header stack must be a constant, 'last' or 'next'")
        if not 0 <= value < size:
            raise self.fail(index.span, f"index {value} is out of range: '{instance.name}' has {size} elements")
        return ex.HeaderRef(f"{instance.name}[{value}]", ref.span)

    def field_info(self, instance: InstanceInfo, name: ast.Name) -> FieldInfo:
        info = instance.layout.fields.get(name.text)
        if info is None:
            raise self.fail(
                name.span,
                f"'{name.text}' is not a field of '{instance.name}' of type {instance.layout.name}",
                (instance.layout.span, f"{instance.layout.name} is declared here"),
            )
        return info

    def slot(self, expression: ast.Expression, env: Env, what: str = "a field") -> Slot:
        """The field that an expression names."""
        found, env = self.resolve(expression, env)
        if not isinstance(found, ast.FieldRef):
            raise self.fail(expression.span, f"expected {what}")
        instance = self.scope.metadata.get(found.header.name.text)
        if instance is not None and (
            found.field.text in instance.layout.fields or found.header.name.text not in self.scope.headers
        ):
            if found.header.index is not None:
                raise self.fail(found.header.index.span, f"'{instance.name}' is not a header stack")
            if instance.name == STANDARD and found.field.text in UNFILLED:
                named = f"'{STANDARD}.{found.field.text}' is not supported: nothing is ever put there"
                self.builder.unsupported.append((found.span, named))
            return self.builder.metadata_slot(instance, self.field_info(instance, found.field))
        place, instance = self.header(found.header, env)
        return self.builder.header_slot(place, self.field_info(instance, found.field), found.span)

    def validity(self, ref: ast.Ref, env: Env) -> ex.Expression:
        if ref.index is None and ref.name.text in self.scope.metadata and ref.name.text not in self.scope.headers:
            return truth(True, ref.span)  # section 2.2: metadata is always valid
        place, _ = self.header(ref, env)
        return ex.IsValid(place, ref.span)

    def read(self, slot: Slot, span: Span) -> ex.Expression:
        value: ex.Expression = ex.Read(slot.place, slot.stored, span)
        return value if slot.stored == slot.declared else ex.Cast(value, slot.declared, span)

    # --- operands ----------------------------------------------------------------------------------------------------

    def operand(self, expression: ast.Expression, env: Env) -> Operand:
        """The value of an expression, a Loose one when nothing in it has a width."""
        match expression:
            case ast.Number(value=value, width=width, span=span):
                return Loose(value, span) if not width else number(value, Bits(width), span)
            case ast.Truth(value=value, span=span):
                return truth(bool(value), span)
            case ast.Valid(header=header, field=field):
                if field is not None:
                    self._field(field, env)
                return self.validity(header, env)
            case ast.Current():
                return self._current(expression, env)
            case ast.FieldRef():
                return self._field(expression, env)
            case ast.Ref():
                found, inner = self.resolve(expression, env)
                if isinstance(found, ast.Ref):
                    raise self.fail(expression.span, f"'{found.name.text}' is not a field, a parameter or a number")
                if isinstance(
                    found, ast.FieldRef | ast.Number | ast.Truth | ast.Valid | ast.Current | ast.Unary | ast.Binary
                ):
                    return self.operand(found, inner)
                return found
            case ast.Unary():
                return self._unary(expression, env)
            case ast.Binary():
                return self._binary(expression, env)

    def _field(self, expression: ast.FieldRef, env: Env) -> ex.Expression:
        if expression.field.text == "valid":
            instance = self.scope.instance(expression.header.name.text)
            if instance is not None and "valid" not in instance.layout.fields:
                return self.bits(self.validity(expression.header, env), Bits(1))
        return self.read(self.slot(expression, env), expression.span)

    def _current(self, expression: ast.Current, env: Env) -> ex.Expression:
        if env.lookahead is None:
            raise self.fail(expression.span, "'current' can only be used in a parser")
        offset = self.scope.constant(expression.offset, "the offset of current", 0, 1 << 14)
        width = self.scope.constant(expression.width, "the width of current", 1, 1 << 14)
        if offset is None or width is None:
            raise Invalid
        return env.lookahead(offset, width, expression.span)

    def _unary(self, expression: ast.Unary, env: Env) -> Operand:
        if expression.op == "!":
            return ex.Unary(ex.UnaryOp.NOT, self.condition(expression.operand, env), Bool(), expression.span)
        value = self.operand(expression.operand, env)
        if isinstance(value, Loose):
            return Loose(calculate_unary(ex.UnaryOp(expression.op), value.value, None), expression.span)
        value = self._numeric(value)
        return ex.Unary(ex.UnaryOp(expression.op), value, value.type, expression.span)

    def _binary(self, expression: ast.Binary, env: Env) -> Operand:
        op, span = _OPS[expression.op], expression.span
        if op in (ex.BinaryOp.LAND, ex.BinaryOp.LOR):
            return ex.Binary(
                op, self.condition(expression.left, env), self.condition(expression.right, env), Bool(), span
            )
        left, right = self.operand(expression.left, env), self.operand(expression.right, env)
        if isinstance(left, Loose) and isinstance(right, Loose):
            value = calculate(expression.op, left.value, right.value)
            if value is None:
                raise self.fail(span, f"'{expression.op}' has no value here")
            return truth(bool(value), span) if op in ex.COMPARISONS else Loose(value, span)
        if op in (ex.BinaryOp.SHL, ex.BinaryOp.SHR):
            return self.shift(op, left, right, span)
        left, right = self.unify(left, right)
        return ex.Binary(op, left, right, Bool() if op in ex.COMPARISONS else left.type, span)

    def shift(self, op: ex.BinaryOp, left: Operand, right: Operand, span: Span) -> ex.Expression:
        if isinstance(left, Loose):
            left = number(left.value, Bits(32), left.span)
        left = self._numeric(left)
        if isinstance(right, Loose):
            if right.value < 0:
                raise self.fail(right.span, "a shift by a negative amount")
            amount: ex.Expression = number(right.value, Bits(max(right.value.bit_length(), 1)), right.span)
        else:
            amount = self._numeric(right)
            if isinstance(amount.type, Bits) and amount.type.signed:
                amount = ex.Cast(amount, Bits(amount.type.width), amount.span)
        return ex.Binary(op, left, amount, left.type, span)

    # --- conversions -------------------------------------------------------------------------------------------------

    def unify(self, left: Operand, right: Operand) -> tuple[ex.Expression, ex.Expression]:
        """Both as numbers of one type: the wider one's; signed when both are."""
        types = [self._numeric(v).type for v in (left, right) if not isinstance(v, Loose)]
        sized = [t for t in types if isinstance(t, Bits)]
        width = max((t.width for t in sized), default=32)
        for value in (left, right):
            if isinstance(value, Loose) and value.value > 0:
                width = max(width, value.value.bit_length())
        common = Bits(width, bool(sized) and all(t.signed for t in sized))
        return self.bits(left, common), self.bits(right, common)

    def _numeric(self, value: ex.Expression) -> ex.Expression:
        """As a number: a bool becomes one bit; a field of variable width has no value."""
        if is_bool(value):
            return ex.Cast(value, Bits(1), value.span)
        if not isinstance(value.type, Bits):
            raise self.fail(value.span, f"not defined on operands of type {value.type}")
        return value

    def bits(self, value: Operand, type_: Bits) -> ex.Expression:
        """Cut or extended to a type."""
        if isinstance(value, Loose):
            return number(value.value, type_, value.span)
        value = self._numeric(value)
        if value.type == type_:
            return value
        if isinstance(value, ex.Const) and isinstance(value.type, Bits) and not value.type.signed:
            return number(value.value, type_, value.span)
        return ex.Cast(value, type_, value.span)

    def number(self, expression: ast.Expression, type_: Bits, env: Env) -> ex.Expression:
        return self.bits(self.operand(expression, env), type_)

    def condition(self, expression: ast.Expression, env: Env) -> ex.Expression:
        """As a bool: a number is true unless it is zero."""
        value = self.operand(expression, env)
        if isinstance(value, Loose):
            return truth(value.value != 0, value.span)
        if is_bool(value):
            return value
        value = self._numeric(value)
        assert isinstance(value.type, Bits)
        return ex.Binary(ex.BinaryOp.NE, value, number(0, value.type, value.span), Bool(), value.span)


def is_bool(value: Operand) -> TypeGuard[ex.Expression]:
    return not isinstance(value, Loose) and isinstance(value.type, Bool)


def minus_one(value: ex.Expression) -> ex.Expression:
    return ex.Binary(ex.BinaryOp.SUB, value, number(1, INDEX, value.span), INDEX, value.span)


def width_of_operand(value: Operand) -> int:
    """Bits that the value needs."""
    if isinstance(value, Loose):
        return max(value.value.bit_length(), 1)
    return value.type.width if isinstance(value.type, Bits) else 1
