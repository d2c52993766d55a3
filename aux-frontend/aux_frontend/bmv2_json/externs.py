"""Counters, meters, registers, hash calculations, lists of fields: what actions and tables use."""

from __future__ import annotations

from dataclasses import dataclass, field

from aux_frontend.bmv2_json.expressions import Expressions
from aux_frontend.bmv2_json.numbers import resized
from aux_frontend.bmv2_json.storage import MAX_WIDTH, Storage
from aux_frontend.bmv2_json.text import Node
from aux_frontend.v1model import present
from transpiler.diagnostics import Span
from transpiler.externs.algorithms import ALGORITHMS, CUSTOM
from transpiler.hlir import expressions as ex, program as pr, statements as st
from transpiler.hlir.arithmetic import stored
from transpiler.hlir.types import Bits, Varbit

_OTHER_NAMES = {"cksum16": "csum16"}
WIDE_HASH = 64  # bits of a hash that has as many as are asked for
_METER_UNITS = ("packets", "bytes")


@dataclass(frozen=True, slots=True)
class Calculation:
    """A hash over fields. `inputs`: its values; `payload`: and then what the parser left; `custom`: its instance, if the
    control plane can set its parameters."""

    algorithm: str
    inputs: tuple[ex.Expression, ...]
    payload: bool
    custom: str | None = None

    @property
    def type(self) -> Bits:
        return Bits(ALGORITHMS[self.algorithm].bits or WIDE_HASH)


@dataclass
class Externs:
    storage: Storage
    instances: dict[str, pr.ExternInstance] = field(default_factory=dict)
    calculations: dict[str, Calculation] = field(default_factory=dict)
    direct_counters: dict[str, str] = field(default_factory=dict)  # by table
    results: dict[str, Node] = field(default_factory=dict)  # direct meter → where its colour goes

    def __post_init__(self) -> None:
        self._learn_lists: dict[int, tuple[str, tuple[ex.Expression, ...]]] = {}
        self._field_lists: dict[int, tuple[ex.Place, ...]] = {}
        self.expressions = Expressions(self.storage, self.register)
        for name, read in (
            ("counter_arrays", self._counter), ("meter_arrays", self._meter), ("register_arrays", self._register),
            ("calculations", self._calculation), ("learn_lists", self._learn_list), ("field_lists", self._field_list),
            ("extern_instances", self._unknown),
        ):  # fmt: skip
            self.storage.each(name, read)

    def add(self, name: str, kind: str, attributes: dict[str, int | str], span: Span) -> str:
        """A new instance of that name, or with its kind added where another one has it."""
        unique, count = name, 1
        while unique in self.instances:
            unique, count = f"{name}.{kind}" if count == 1 else f"{name}.{kind}_{count}", count + 1
        self.instances[unique] = pr.ExternInstance(unique, kind, tuple(attributes.items()), span)
        return unique

    # --- declarations ------------------------------------------------------------------------------------------------

    def _counter(self, node: Node) -> None:
        name = node.get("name").text()
        attributes: dict[str, int | str] = {"unit": "packets_and_bytes"}
        if node.told("is_direct", False):
            made = self.add(name, "direct_counter", {**attributes, "automatic": 1}, node.span)
            self.direct_counters[node.get("binding").text()] = made
        else:
            self.add(name, "counter", {"size": node.get("size").integer(0, pr.MAX_SIZE), **attributes}, node.span)

    def _meter(self, node: Node) -> None:
        name, unit = node.get("name").text(), node.get("type")
        if unit.text() not in _METER_UNITS:
            raise unit.fail(f"'{unit.text()}' is not a type of meter: expected packets or bytes")
        rates = node.maybe("rate_count")
        if rates is not None and rates.integer() != 2:
            raise rates.fail("only meters of two rates are supported")
        if node.told("is_direct", False):
            made = self.add(name, "direct_meter", {"unit": unit.text(), "automatic": 1}, node.span)
            self.results[made] = node.get("result_target")
        else:
            size = node.get("size").integer(0, pr.MAX_SIZE)
            self.add(name, "meter", {"size": size, "unit": unit.text()}, node.span)

    def _register(self, node: Node) -> None:
        width = node.get("bitwidth").integer(1, MAX_WIDTH)
        size = node.get("size").integer(0, pr.MAX_SIZE)
        self.add(node.get("name").text(), "register", {"size": size, "width": width}, node.span)

    def _unknown(self, node: Node) -> None:
        kind = node.get("type").text()
        raise node.fail(f"the extern type '{kind}' is not supported: simple_switch has none")

    def find(self, node: Node, kind: str) -> str:
        """The instance that a name of the JSON is. Raises: Invalid."""
        for name in (node.text(), f"{node.text()}.{kind}"):
            if name in self.instances and self.instances[name].kind == kind:
                return name
        raise node.fail(f"{kind.replace('_', ' ')} '{node.text()}' is not declared")

    def register(self, node: Node) -> tuple[str, int]:
        """A register's instance and its width. Raises: Invalid."""
        name = self.find(node, "register")
        return name, int(self.instances[name].attribute("width"))

    # --- calculations ------------------------------------------------------------------------------------------------

    def algorithm(self, node: Node) -> str:
        """Raises: Invalid."""
        name = _OTHER_NAMES.get(node.text(), node.text())
        if name not in ALGORITHMS:
            raise node.fail(f"the hash algorithm '{node.text()}' is not supported: {', '.join(ALGORITHMS)} are")
        return name

    def _calculation(self, node: Node) -> None:
        inputs: list[ex.Expression] = []
        payload = False
        for item in node.listed("input"):
            kind = item.get("type").text()
            if kind == "payload":
                payload = True
            elif payload:
                raise item.fail("a value behind the payload is not supported")
            else:
                inputs += self._input(item, kind)
        algorithm = self.algorithm(node.get("algo"))
        name = node.get("name").text()
        custom = self.add(name, "custom_crc", {"width": CUSTOM[algorithm]}, node.span) if algorithm in CUSTOM else None
        self.calculations[name] = Calculation(algorithm, tuple(inputs), payload, custom)

    def _input(self, item: Node, kind: str) -> list[ex.Expression]:
        value = item.get("value")
        match kind:
            case "field":
                return [self.value(item)]
            case "hexstr":
                type_ = Bits(item.get("bitwidth").integer(1, MAX_WIDTH))
                return [ex.Const(stored(value.hexadecimal(), type_), type_, item.span)]
            case "header":
                placed = self.storage.header(value)
                return [
                    ex.Read(ex.FieldRef(placed.place, name, item.span), type_, item.span)
                    for name, type_ in placed.layout.fields.items()
                ]
        raise item.fail(f"'{kind}' cannot be hashed")

    def value(self, node: Node) -> ex.Expression:
        """The value of a field, whatever its type; a field's own read where it is stored as declared. Raises: Invalid."""
        slot = self.expressions.slot(node)
        read = ex.Read(slot.place, slot.stored, node.span)
        if isinstance(slot.stored, Varbit) or isinstance(slot.declared, Varbit):
            return read
        return resized(read, slot.declared)

    def calculation(self, node: Node) -> Calculation:
        """Raises: Invalid."""
        return self.storage.find(self.calculations, node, "calculation")

    def compute(
        self, calculation: Calculation, target: ex.VariableRef, span: Span, valid: frozenset[str] = frozenset()
    ) -> st.Body:
        """target = the hash of those fields whose headers are valid (BMv2's BufBuilder)."""
        method = "hash.compute_with_payload" if calculation.payload else "hash.compute"
        data = ex.ListExpression(calculation.inputs, span)
        return present.computed(method, calculation.algorithm, data, target, valid, span, calculation.custom)

    # --- lists -------------------------------------------------------------------------------------------------------

    def _learn_list(self, node: Node) -> None:
        elements = node.listed("elements")
        values = []
        names = []
        for element in elements:
            if element.get("type").text() != "field":
                raise element.fail("a digest is made of fields")
            values.append(self.value(element))
            names.append(element.get("value").items()[1].text())
        name = node.get("name").text()
        unique = len(set(names)) == len(names) and not any("," in one for one in names)
        fields = ",".join(names if unique else map(str, range(len(names))))
        made = self.add(name, "digest", {"fields": fields}, node.span)
        self._learn_lists[node.get("id").integer()] = (made, tuple(values))

    def digest(self, node: Node, number: int) -> tuple[str, tuple[ex.Expression, ...]]:
        """Raises: Invalid."""
        if number not in self._learn_lists:
            raise node.fail(f"there is no learn list {number}")
        return self._learn_lists[number]

    def _field_list(self, node: Node) -> None:
        """What a copy of the packet can keep are the program's own metadata."""
        places: dict[str, ex.Place] = {}
        for element in node.listed("elements"):
            if element.get("type").text() != "field":
                continue
            place = self.expressions.slot(element).place
            if isinstance(place, ex.VariableRef):
                variable = self.storage.variables[place.name]
                if variable.storage is pr.Storage.METADATA:
                    places[place.name] = place
        self._field_lists[node.get("id").integer()] = tuple(places.values())

    def preserved(self, node: Node, number: int) -> tuple[ex.Place, ...]:
        """The fields of a list; list 0 is that of nothing. Raises: Invalid."""
        if number and number not in self._field_lists:
            raise node.fail(f"there is no field list {number}")
        return self._field_lists.get(number, ())
