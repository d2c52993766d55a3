"""Statements without control flow as primitives."""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import count

from aux_frontend.bmv2_json.write.values import (
    Inexpressible,
    Json,
    Values,
    expression,
    hexstr,
    scalar_width,
)
from aux_frontend.v1model.lengths import GROWN
from transpiler.externs.algorithms import ALGORITHMS
from transpiler.hlir import expressions as ex, statements as st
from transpiler.hlir.types import Bool, Varbit

_CLONES = {"clone.ingress": "clone_ingress_pkt_to_egress", "clone.egress": "clone_egress_pkt_to_egress"}
_AGAIN = {"resubmit.request": "resubmit", "recirculate.request": "recirculate"}
_SILENT = ("direct_counter.count",)  # the table counts by itself


def primitive(name: str, *parameters: Json) -> Json:
    return {"op": name, "parameters": list(parameters)}


def named(kind: str, name: str | None) -> Json:
    return {"type": kind, "value": name}


@dataclass
class Calls:
    """Collects what primitives refer to by number: calculations, field lists, learn lists."""

    values: Values
    customs: dict[str, str]  # calculation whose parameters can be set → its algorithm
    calculations: list[Json] = field(default_factory=list)
    field_lists: list[Json] = field(default_factory=list)
    learn_lists: list[Json] = field(default_factory=list)
    _counted: dict[str, str] = field(default_factory=dict)
    results: dict[str, Json] = field(default_factory=dict)  # direct meter → where its colour goes

    def count(self, index: ex.Read, stack: str) -> None:
        """Note what counts the elements of a stack. Raises: Inexpressible, where it counts those of a union."""
        assert isinstance(index.place, ex.VariableRef)
        if self._counted.setdefault(index.place.name, stack) != stack:
            raise Inexpressible(index.span, "stacks of unions are not written as BMv2's JSON")

    def write(self, statement: st.Statement) -> list[Json]:
        """Raises: Inexpressible."""
        match statement:
            case st.Assign(target=ex.VariableRef(name=name)) if name == GROWN or _adds_grown(statement):
                return []  # a reader puts it in itself
            case st.Assign(target=target, value=value):
                kind = "assign_VL" if isinstance(value.type, Varbit) else "assign"
                return [primitive(kind, expression(self.values.place(target)), expression(self.values.data_of(value)))]
            case st.SetValid(header=header, valid=valid):
                kind = "add_header" if valid else "remove_header"
                return [primitive(kind, expression(self.values.header(header)))]
            case st.CopyHeader(target=target, source=source):
                sides = (expression(self.values.header(side)) for side in (target, source))
                return [primitive("assign_header", *sides)]
            case st.CallExtern():
                return self._call(statement)
        raise Inexpressible(statement.span, f"{type(statement).__name__} cannot be said in BMv2's JSON at this place")

    def _call(self, call: st.CallExtern) -> list[Json]:
        v = self.values
        inputs = call.inputs
        match call.method:
            case "counter.count":
                return [primitive("count", named("counter_array", call.instance), self._value(inputs[0]))]
            case "register.read":
                register = named("register_array", call.instance)
                return [primitive("register_read", self._output(call), register, self._value(inputs[0]))]
            case "register.write":
                register = named("register_array", call.instance)
                return [primitive("register_write", register, *map(self._value, inputs))]
            case "meter.execute":
                meter = named("meter_array", call.instance)
                return [primitive("execute_meter", meter, self._value(inputs[0]), self._output(call))]
            case "direct_meter.read":
                assert call.instance is not None
                target = v.place(call.outputs[0])
                if self.results.setdefault(call.instance, target) != target:
                    raise Inexpressible(call.span, "a direct meter has one place for its result in BMv2's JSON")
                return []
            case "random.range":
                return [primitive("modify_field_rng_uniform", self._output(call), *map(self._value, inputs))]
            case "log.message" if isinstance(inputs[0], ex.Text) and isinstance(inputs[1], ex.ListExpression):
                values = [self._value(item) for item in inputs[1].items]
                return [
                    primitive(
                        "log_msg", named("string", inputs[0].value), {"type": "parameters_vector", "value": values}
                    )
                ]
            case "hash.compute" | "hash.compute_with_payload":
                algorithm, items = inputs
                assert isinstance(algorithm, ex.Text)
                return self._hash(call, algorithm.value, items, self._free("calc_", {*self.customs}))
            case "custom_crc.compute" | "custom_crc.compute_with_payload":
                name = str(call.instance)
                return self._hash(call, self.customs[name], inputs[0], self._of_case(name))
            case "digest.send":
                return self._digest(call)
        return self._about_packet(call)

    def _about_packet(self, call: st.CallExtern) -> list[Json]:
        inputs = call.inputs
        if call.method == "truncate.request":
            return [primitive("truncate", self._value(inputs[0]))]
        if call.method == "assert.check":
            return [primitive("assert", expression(self.values.truth(inputs[0])))]
        if call.method in _CLONES:
            return [primitive(_CLONES[call.method], self._value(inputs[0]), self._preserved(call))]
        if call.method in _AGAIN:
            return [primitive(_AGAIN[call.method], self._preserved(call))]
        if call.method in _SILENT:
            return []
        raise Inexpressible(call.span, f"simple_switch has no primitive for {call.method}")

    def _value(self, value: ex.Expression) -> Json:
        return expression(self.values.data_of(value))

    def _output(self, call: st.CallExtern) -> Json:
        made = self.values.place(call.outputs[0])
        if made["type"] != "field":
            raise Inexpressible(call.span, f"{call.method} cannot put its result into an element of a stack")
        return made

    # --- lists -------------------------------------------------------------------------------------------------------

    def field_of(self, value: ex.Expression) -> tuple[Json, list[Json]]:
        """The value as a field, and the primitives that put it there where it is none."""
        if isinstance(value, ex.Read):
            made = self.values.data_of(value)
            if made["type"] == "field":
                return made, []
        target = self.values.temporary(value.type)
        return target, [primitive("assign", target, self._value(value))]

    def _hash(self, call: st.CallExtern, algorithm: str, items: ex.Expression, name: str) -> list[Json]:
        assert isinstance(items, ex.ListExpression)
        inputs: list[Json] = []
        before: list[Json] = []
        for item in _flat(items):
            if isinstance(item, ex.Const) and not isinstance(item.type, Bool):
                inputs.append({**hexstr(item.value), "bitwidth": scalar_width(item.type)})
                continue
            if isinstance(item, ex.Read) and self.values.data_of(item)["type"] == "expression":
                raise Inexpressible(item.span, "a hash leaves out no element of a stack that is chosen at run time")
            made, first = self.field_of(item)
            inputs.append(made)
            before += first
        if call.method.endswith("_with_payload"):
            inputs.append({"type": "payload", "value": None})
        self.calculations.append({"name": name, "id": len(self.calculations), "algo": algorithm, "input": inputs})
        limit = hexstr(1 << (ALGORITHMS[algorithm].bits or 64))
        made = self._output(call)
        hashing = primitive("modify_field_with_hash_based_offset", made, hexstr(0), named("calculation", name), limit)
        return [*before, hashing]

    def _free(self, begin: str, taken: set[str]) -> str:
        """A name that begins so, with a number behind it, of no other calculation."""
        taken |= {one["name"] for one in self.calculations}
        return next(name for number in count() if (name := f"{begin}{number}") not in taken)

    def _of_case(self, name: str) -> str:
        """Of fields that may be missing, each case is a calculation of its own, and the first has all."""
        return name if all(one["name"] != name for one in self.calculations) else self._free(f"{name}#", set())

    def _digest(self, call: st.CallExtern) -> list[Json]:
        (items,) = call.inputs
        assert isinstance(items, ex.ListExpression)
        made = [self.field_of(item) for item in items.items]
        number = len(self.learn_lists) + 1
        self.learn_lists.append({"id": number, "name": call.instance, "elements": [one for one, _ in made]})
        before = [p for _, first in made for p in first]
        return [*before, primitive("generate_digest", hexstr(1), hexstr(number))]

    def _preserved(self, call: st.CallExtern) -> Json:
        elements = [self.values.place(p) for p in call.fields if not _is_grown(p)]
        elements = [one for one in elements if one["type"] == "field"]
        if not elements:
            return hexstr(0)
        number = len(self.field_lists) + 1
        self.field_lists.append({"id": number, "name": f"list_{number}", "elements": elements})
        return hexstr(number)


def _flat(items: ex.ListExpression) -> list[ex.Expression]:
    """What is in a list only where its header is valid is left out by the switch itself."""
    found: list[ex.Expression] = []
    for item in items.items:
        if isinstance(item, ex.Conditional) and isinstance(item.then, ex.ListExpression):
            found += _flat(item.then)
        else:
            found.append(item)
    return found


def _is_grown(place: ex.Place) -> bool:
    return isinstance(place, ex.VariableRef) and place.name == GROWN


def _adds_grown(statement: st.Assign) -> bool:
    match statement.value:
        case ex.Binary(right=ex.Read(place=place)) | ex.Binary(right=ex.Cast(operand=ex.Read(place=place))):
            return _is_grown(place)
    return False


def about_lengths(statement: st.Statement) -> bool:
    """Whether it only counts the length of the packet, which a reader adds again."""
    match statement:
        case st.If(then=(st.Assign(target=target),), otherwise=()):
            return _is_grown(target)
        case st.Assign(target=target):
            return _is_grown(target) or _adds_grown(statement)
    return False
