"""Checksums: verified after the parser, updated before the deparser. docs/JSON_format.md, "checksums";
src/bm_sim/checksums.cpp.
"""

from __future__ import annotations

from dataclasses import dataclass

from aux_frontend.bmv2_json.expressions import Expressions
from aux_frontend.bmv2_json.externs import Calculation, Externs
from aux_frontend.bmv2_json.primitives import Primitives
from aux_frontend.bmv2_json.storage import BOOL, Slot, Storage
from aux_frontend.bmv2_json.text import Node
from aux_frontend.v1model import present
from transpiler.hlir import expressions as ex, program as pr, statements as st
from transpiler.hlir.printer import header_place
from transpiler.hlir.types import Bits

FLAG = Bits(1)


@dataclass
class Checksums:
    storage: Storage
    externs: Externs

    def bodies(self) -> tuple[st.Body, st.Body]:
        """What verifies, and what updates."""
        verify: list[st.Statement] = []
        update: list[st.Statement] = []

        def each(node: Node) -> None:
            if node.told("verify", True):
                verify.extend(self._checksum(node, update=False))
            if node.told("update", True):
                update.extend(self._checksum(node, update=True))

        self.storage.each("checksums", each)
        return tuple(verify), tuple(update)

    def _checksum(self, node: Node, update: bool) -> st.Body:
        """Where the condition holds and the field is there."""
        span = node.span
        slot = self.storage.slot(node.get("target"))
        if not isinstance(slot.declared, Bits):
            raise node.get("target").fail("a field of variable width cannot be a checksum")
        values = Expressions(self.storage, self.externs.register)
        condition = node.maybe("if_cond")
        holds = values.truth(condition) if condition is not None else ex.Const(1, BOOL, span)
        valid = present.valid_where(holds)
        if isinstance(slot.place, ex.FieldRef):
            there = ex.IsValid(slot.place.header, span)
            if header_place(slot.place.header) not in valid:
                holds = there if _always(holds) else ex.Binary(ex.BinaryOp.LAND, there, holds, BOOL, span)
            valid |= {header_place(slot.place.header)}
        calculation = self._calculation(node, slot)
        target = self.storage.shared(f"$checksum.{calculation.type.width}", calculation.type, pr.Storage.LOCAL, span)
        body = self.externs.compute(calculation, target, span, valid)
        computed = ex.Read(target, calculation.type, span)
        primitives = Primitives(self.storage, self.externs, values)
        if update:
            body += primitives.set(slot, computed, span)
        else:
            body += (self._compare(values.read(slot, node).value, computed, node),)
        return (*values.before, *(body if _always(holds) else (st.If(holds, body, (), span),)))

    def _calculation(self, node: Node, slot: Slot) -> Calculation:
        kind = node.maybe("type")
        if kind is not None and kind.value == "ipv4":
            header = self.storage.header(node.get("target").items()[0])
            own = node.get("target").items()[1].text()
            fields = ((name, type_) for name, type_ in header.layout.fields.items() if name != own)
            items = tuple(ex.Read(ex.FieldRef(header.place, n, node.span), t, node.span) for n, t in fields)
            return Calculation("csum16", items, False)
        if kind is not None and kind.value != "generic":
            raise kind.fail(f"'{kind.text()}' is not a type of checksum")
        return self.externs.calculation(node.get("calculation"))

    def _compare(self, stored: ex.Expression, computed: ex.Expression, node: Node) -> st.Statement:
        assert isinstance(stored.type, Bits) and isinstance(computed.type, Bits)
        wide = Bits(max(stored.type.width, computed.type.width))
        sides = (side if side.type == wide else ex.Cast(side, wide, node.span) for side in (stored, computed))
        place = self.storage.intrinsic("checksum_error", FLAG, node.span)
        differs = ex.Binary(ex.BinaryOp.NE, next(sides), next(sides), BOOL, node.span)
        return st.If(differs, (st.Assign(place, ex.Const(1, FLAG, node.span), node.span),), (), node.span)


def _always(condition: ex.Expression) -> bool:
    return isinstance(condition, ex.Const) and condition.value == 1
