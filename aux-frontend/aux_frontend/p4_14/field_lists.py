"""Field lists taken apart into fields, and what is computed over them. Specification 1.0.5 sections 2.4 and 3."""

from __future__ import annotations

from dataclasses import dataclass

from aux_frontend.p4_14 import ast
from aux_frontend.p4_14.builder import Builder, Slot, number
from aux_frontend.p4_14.values import Env, Values
from aux_frontend.v1model import present
from transpiler.diagnostics import Span
from transpiler.externs.algorithms import ALGORITHMS, CUSTOM
from transpiler.hlir import expressions as ex, program as pr, statements as st
from transpiler.hlir.types import Bits, Bool

MAX_DEPTH = 32  # of lists in lists
MAX_ITEMS = 4096  # of one list, with those within it
UDP = "csum16_udp"  # csum16 whose result 0 is sent as 0xffff, since 0 means "no checksum" (RFC 768)


@dataclass(frozen=True, slots=True)
class Items:
    """A flat field list; the payload, where it is named, is what comes last."""

    values: tuple[Slot | ex.Const, ...]
    payload: bool
    span: Span


class FieldLists:
    def __init__(self, values: Values) -> None:
        self.values = values
        self.scope = values.scope
        self.builder: Builder = values.builder
        self._flat: dict[str, Items] = {}

    # --- lists -------------------------------------------------------------------------------------------------------

    def named(self, expression: ast.Expression, env: Env) -> ast.FieldList:
        """The field list that an argument names."""
        found, _ = self.values.resolve(expression, env)
        if not isinstance(found, ast.Ref) or found.index is not None:
            raise self.values.fail(expression.span, "expected a field list")
        declaration = self.scope.field_lists.get(found.name.text)
        if declaration is None:
            raise self.values.fail(expression.span, f"expected a field list: '{found.name.text}' is not one")
        return declaration

    def items(self, declaration: ast.FieldList, around: tuple[str, ...] = ()) -> Items:
        """All fields of a list, those of headers and lists within it in place; `around`: the lists that it is in."""
        name = declaration.name.text
        if name in self._flat:
            return self._flat[name]
        if name in around or len(around) > MAX_DEPTH:
            problem = "contains itself" if name in around else f"is within more than {MAX_DEPTH} others"
            raise self.values.fail(declaration.name.span, f"field list '{name}' {problem}")
        found: list[Slot | ex.Const] = []
        payload = False
        for entry in declaration.entries:
            if isinstance(entry, ast.Payload):
                payload = True
                continue
            inner = self._entry(entry, (*around, name))
            found += inner.values
            payload = payload or inner.payload
            if len(found) > MAX_ITEMS:
                raise self.values.fail(declaration.name.span, f"a field list of more than {MAX_ITEMS} fields")
        self._flat[name] = Items(tuple(found), payload, declaration.name.span)
        return self._flat[name]

    def _entry(self, entry: ast.Expression, around: tuple[str, ...]) -> Items:
        env = Env("control")
        match entry:
            case ast.FieldRef():
                return Items((self.values.slot(entry, env),), False, entry.span)
            case ast.Number(value=value, width=width):
                if not width:
                    raise self.values.fail(entry.span, "a constant in a field list needs a width, as in 8'0x11")
                return Items((number(value, Bits(width), entry.span),), False, entry.span)
            case ast.Ref(name=name, index=None) if name.text in self.scope.field_lists:
                return self.items(self.scope.field_lists[name.text], around)
            case ast.Ref():
                return Items(self._whole(entry, env), False, entry.span)
        raise self.values.fail(entry.span, "expected a field, a header, a field list or a constant")

    def _whole(self, ref: ast.Ref, env: Env) -> tuple[Slot, ...]:
        instance = self.scope.instance(ref.name.text)
        if instance is not None and instance.metadata:
            return tuple(self.builder.metadata_slot(instance, info) for info in instance.layout.fields.values())
        if instance is None:
            raise self.values.fail(ref.span, f"'{ref.name.text}' is not a header or a field list")
        if instance.size is not None and ref.index is None:
            elements = [ast.Ref(ref.name, ast.Number(i, None, ref.span), ref.span) for i in range(instance.size)]
        else:
            elements = [ref]
        found: list[Slot] = []
        for element in elements:
            place, _ = self.values.header(element, env)
            found += [self.builder.header_slot(place, info, ref.span) for info in instance.layout.fields.values()]
        return tuple(found)

    def preserved(self, declaration: ast.FieldList) -> tuple[ex.Place, ...]:
        """The program's own metadata in a list: what a copy of the packet can keep."""
        places: dict[str, ex.Place] = {}
        for item in self.items(declaration).values:
            if isinstance(item, Slot) and isinstance(item.place, ex.VariableRef):
                variable = self.builder.variables[item.place.name]
                if variable.storage is pr.Storage.METADATA:
                    places[variable.name] = item.place
        return tuple(places.values())

    def list_expression(self, items: Items, span: Span) -> ex.ListExpression:
        return ex.ListExpression(tuple(self._value(item, span) for item in items.values), span)

    def _value(self, item: Slot | ex.Const, span: Span) -> ex.Expression:
        return item if isinstance(item, ex.Const) else self.values.read(item, span)

    # --- calculations ------------------------------------------------------------------------------------------------

    def calculation(self, name: ast.Name) -> ast.Calculation:
        found = self.scope.calculations.get(name.text)
        if found is None:
            raise self.values.fail(name.span, f"field list calculation '{name.text}' is not declared")
        return found

    def inputs(self, calculation: ast.Calculation) -> Items:
        """The fields of all input lists of a calculation."""
        found: list[Slot | ex.Const] = []
        payload = False
        if not calculation.inputs:
            raise self.values.fail(calculation.name.span, "a field list calculation needs an input")
        for name in calculation.inputs:
            declaration = self.scope.field_lists.get(name.text)
            if declaration is None:
                raise self.values.fail(name.span, f"field list '{name.text}' is not declared")
            items = self.items(declaration)
            found += items.values
            payload = payload or items.payload
        return Items(tuple(found), payload, calculation.name.span)

    def width(self, calculation: ast.Calculation) -> Bits:
        if calculation.output_width is None:
            raise self.values.fail(calculation.name.span, "a field list calculation needs an output_width")
        width = self.scope.constant(calculation.output_width, "output_width", 1, 1 << 12)
        return Bits(width or 16)

    def algorithm(self, calculation: ast.Calculation) -> str:
        """The HLIR name of the algorithm; one that does not exist is noted for `load`, since targets add their own."""
        if not calculation.algorithms:
            raise self.values.fail(calculation.name.span, "a field list calculation needs an algorithm")
        name = calculation.algorithms[0]
        if name.text == UDP:
            return "csum16"
        if name.text not in ALGORITHMS:
            self.builder.unsupported.append((name.span, f"the algorithm '{name.text}' is not supported"))
            return "csum16"
        return name.text

    def compute(
        self, calculation: ast.Calculation, target: ex.VariableRef, span: Span, valid: frozenset[str] = frozenset()
    ) -> st.Body:
        """target = the calculation. Fields of invalid headers are left out, as section 3 wants; `valid` are known to be."""
        items = self.inputs(calculation)
        algorithm = self.algorithm(calculation)
        method = "hash.compute_with_payload" if items.payload else "hash.compute"
        custom = self._custom(calculation, algorithm)
        body = present.computed(method, algorithm, self.list_expression(items, span), target, valid, span, custom)
        if any(name.text == UDP for name in calculation.algorithms[:1]):
            body += (self._not_zero(target, self.width(calculation), span),)
        return body

    def _custom(self, calculation: ast.Calculation, algorithm: str) -> str | None:
        """The instance of a calculation of which the control plane can set the parameters."""
        if algorithm not in CUSTOM:
            return None
        name, place = calculation.name.text, calculation.name.span
        for known in self.builder.externs.values():
            if known.kind == "custom_crc" and known.span == place:
                return known.name
        return self.builder.extern(name, "custom_crc", {"width": CUSTOM[algorithm]}, place)

    @staticmethod
    def _not_zero(target: ex.VariableRef, type_: Bits, span: Span) -> st.If:
        is_zero = ex.Binary(ex.BinaryOp.EQ, ex.Read(target, type_, span), number(0, type_, span), Bool(), span)
        return st.If(is_zero, (st.Assign(target, number(0xFFFF, type_, span), span),), (), span)
