"""Counters, meters and registers as extern instances. Specification 1.0.5 section 7.

Direct ones have an element per entry of their table: counters count every hit by themselves, meters are executed on
every hit and put the colour into their `result` field before the entry's action runs.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from aux_frontend.p4_14 import ast
from aux_frontend.p4_14.builder import INDEX
from aux_frontend.p4_14.lexer import MAX_WIDTH_BITS
from aux_frontend.p4_14.values import Env, Invalid, Values
from transpiler.hlir import expressions as ex, program as pr, statements as st
from transpiler.hlir.types import Bits

_UNITS = ("packets", "bytes", "packets_and_bytes")


@dataclass(frozen=True, slots=True)
class Object:
    """An extern instance; `type` is a register's element."""

    extern: str
    declaration: ast.Stateful
    size: int
    type: Bits

    @property
    def index_type(self) -> Bits:
        """Of an action parameter that is used as index: just wide enough, as P4Runtime shows it with p4c."""
        return Bits((self.size - 1).bit_length()) if self.size > 1 else INDEX


class StatefulObjects:
    def __init__(self, values: Values) -> None:
        self.values = values
        self.scope = values.scope
        self.objects: dict[tuple[str, str], Object] = {}
        for declaration in self.scope.stateful.values():
            try:
                self._declare(declaration)
            except Invalid:
                continue

    def find(self, kind: str, expression: ast.Expression, env: Env) -> Object:
        """The object of that kind that an argument names."""
        found, _ = self.values.resolve(expression, env)
        if not isinstance(found, ast.Ref) or found.index is not None:
            raise self.values.fail(expression.span, f"expected a {kind}")
        key = (kind, found.name.text)
        if key not in self.objects:
            if key not in self.scope.stateful:
                raise self.values.fail(expression.span, f"{kind} '{found.name.text}' is not declared")
            raise Invalid
        found_object = self.objects[key]
        if kind == "register" and found_object.declaration.direct is not None:
            self.values.builder.unsupported.append((expression.span, "direct registers are not supported"))
        return found_object

    def direct(self, table: str) -> Iterator[Object]:
        """The objects that have one element per entry of a table."""
        for item in self.objects.values():
            if item.declaration.direct is not None and item.declaration.direct.text == table:
                yield item

    def result_of_meter(self, meter: Object) -> st.Body:
        """The colour of the entry that was hit, into the meter's result field."""
        result = meter.declaration.result
        if result is None:
            return ()
        try:
            slot = self.values.slot(result, Env("action"))
        except Invalid:
            return ()
        before = ex.Read(slot.place, slot.stored, result.span)
        return (st.CallExtern("direct_meter.read", meter.extern, (before,), (slot.place,), result.span),)

    # --- declarations ------------------------------------------------------------------------------------------------

    def _declare(self, item: ast.Stateful) -> None:
        for table in (item.direct, item.static):
            if table is not None:
                self.scope.find(self.scope.tables, table, "table")
        if item.direct is not None and item.static is not None:
            self.scope.error(
                item.static.span, f"a {item.kind} is either direct or static", (item.direct.span, "direct here")
            )
        self._result(item)
        for reference in (item.result, item.pre_color):
            if reference is not None:
                self.values.slot(reference, Env("action"))
        size = 0
        if item.instances is not None:
            size = self.scope.constant(item.instances, "instance_count", 1, pr.MAX_SIZE) or 1
        elif item.direct is None:
            raise self.values.fail(
                item.name.span, f"{item.kind} '{item.name.text}' needs an instance_count, or a direct table"
            )
        if item.kind == "register":
            self._register(item, size)
        else:
            self._counter_or_meter(item, size)

    def _result(self, item: ast.Stateful) -> None:
        """A direct meter is executed by the table, so it says where the colour goes; any other by an action, which does."""
        if item.kind != "meter":
            return
        name = item.name.text
        if item.direct is not None and item.result is None:
            self.scope.error(item.name.span, f"direct meter '{name}' needs a result, the field that its colour goes to")
        elif item.direct is None and item.result is not None:
            message = f"'result' of meter '{name}' has no effect: it is not direct, and execute_meter says where the colour goes"
            self.scope.diagnostics.warning(item.result.span, "property", message)

    def _counter_or_meter(self, item: ast.Stateful, size: int) -> None:
        if item.unit is None:
            raise self.values.fail(item.name.span, f"{item.kind} '{item.name.text}' needs a type")
        unit = item.unit.text
        if unit not in _UNITS or (item.kind == "meter" and unit == "packets_and_bytes"):
            allowed = "packets or bytes" + (" or packets_and_bytes" if item.kind == "counter" else "")
            raise self.values.fail(
                item.unit.span, f"'{item.unit.text}' is not a type of {item.kind}: expected {allowed}"
            )
        if item.pre_color is not None:
            self.values.builder.unsupported.append((item.pre_color.span, "pre_color of meters is not supported"))
        name = item.name.text
        if item.direct is not None:
            attributes: dict[str, int | str] = {"unit": unit, "automatic": 1}
            extern = self.values.builder.extern(name, f"direct_{item.kind}", attributes, item.name.span)
        else:
            attributes = {"size": size, "unit": unit}
            extern = self.values.builder.extern(name, item.kind, attributes, item.name.span)
        self.objects[item.kind, name] = Object(extern, item, size, INDEX)

    def _register(self, item: ast.Stateful, size: int) -> None:
        if item.layout is not None and item.width is not None:
            message = f"register '{item.name.text}' has a width and a layout, one of them is enough"
            self.scope.error(item.layout.span, message, (item.width.span, "the width"))
        if item.layout is not None:
            layout = self.scope.find(self.scope.layouts, item.layout, "header type")
            width: int | None = layout.fixed_bits if layout is not None else None
        elif item.width is not None:
            width = self.scope.constant(item.width, "the width of a register", 1, MAX_WIDTH_BITS)
        else:
            raise self.values.fail(item.name.span, f"register '{item.name.text}' needs a width or a layout")
        attributes: dict[str, int | str] = {"size": max(size, 1), "width": width or 1}
        extern = self.values.builder.extern(item.name.text, "register", attributes, item.name.span)
        self.objects["register", item.name.text] = Object(extern, item, size, Bits(width or 1))
