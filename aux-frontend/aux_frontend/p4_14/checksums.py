"""Calculated fields: verified after the parser, updated before the deparser. Specification 1.0.5 section 3.

Only where the field's header is valid and the condition holds. A mismatch sets checksum_error, as v1model does.
"""

from __future__ import annotations

from aux_frontend.p4_14 import ast
from aux_frontend.p4_14.assign import Assigner
from aux_frontend.p4_14.builder import Slot
from aux_frontend.p4_14.field_lists import FieldLists
from aux_frontend.p4_14.values import Env, Invalid, Values
from transpiler.diagnostics import Span
from transpiler.hlir import expressions as ex, program as pr, statements as st
from transpiler.hlir.types import Bits, Bool

_ENV = Env("control")
FLAG = Bits(1)


class Checksums:
    def __init__(self, values: Values, lists: FieldLists) -> None:
        self.values = values
        self.scope = values.scope
        self.builder = values.builder
        self.lists = lists
        self.assigner = Assigner(values)

    def bodies(self) -> tuple[st.Body, st.Body]:
        """What verifies, and what updates."""
        verify: list[st.Statement] = []
        update: list[st.Statement] = []
        for item in self.scope.calculated:
            try:
                slot = self.values.slot(item.field, _ENV)
                self.assigner.numeric(slot, item.field.span)
            except Invalid:
                continue
            for use in item.uses:
                try:
                    (update if use.update else verify).extend(self._use(slot, use))
                except Invalid:
                    continue
        return tuple(verify), tuple(update)

    def check_rest(self) -> None:
        """Field lists and calculations that nothing uses."""
        for calculation in self.scope.calculations.values():
            try:
                self.lists.inputs(calculation)
                self.lists.width(calculation)
            except Invalid:
                continue
        for declaration in self.scope.field_lists.values():
            try:
                self.lists.items(declaration)
            except Invalid:
                continue

    def _use(self, slot: Slot, use: ast.CalculationUse) -> st.Body:
        span = use.span
        calculation = self.lists.calculation(use.calculation)
        result = self.lists.width(calculation)
        header = slot.place.header if isinstance(slot.place, ex.FieldRef) else None
        valid = frozenset({header.name}) if isinstance(header, ex.HeaderRef) else frozenset[str]()
        target = self.builder.shared(f"$checksum.bit{result.width}", result, pr.Storage.LOCAL, span)
        body = self.lists.compute(calculation, target, span, valid)
        value = ex.Read(target, result, span)
        if use.update:
            body += self.assigner.assign(slot, value, span)
        else:
            body += (self._verify(slot, value, span),)
        conditions: list[ex.Expression] = []
        if header is not None:
            conditions.append(ex.IsValid(header, span))
        if use.condition is not None:
            conditions.append(self.values.condition(use.condition, _ENV))
        for condition in reversed(conditions):
            body = (st.If(condition, body, (), span),)
        return body

    def _verify(self, slot: Slot, value: ex.Expression, span: Span) -> st.If:
        left, right = self.values.unify(self.values.read(slot, span), value)
        flag = self.builder.intrinsic("checksum_error", FLAG, span)
        wrong = ex.Binary(ex.BinaryOp.NE, left, right, Bool(), span)
        return st.If(wrong, (st.Assign(flag, ex.Const(1, FLAG, span), span),), (), span)
