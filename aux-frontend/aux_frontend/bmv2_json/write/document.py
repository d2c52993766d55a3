"""A whole program as BMv2's JSON."""

from __future__ import annotations

from collections.abc import Iterable

from aux_frontend.bmv2_json.write.calls import Calls, about_lengths
from aux_frontend.bmv2_json.write.flow import Pipeline, primitives_of
from aux_frontend.bmv2_json.write.parsers import parser
from aux_frontend.bmv2_json.write.tables import Tables
from aux_frontend.bmv2_json.write.values import SCALARS, STANDARD, Inexpressible, Json, Values, scalar_width
from aux_frontend.v1model.intrinsics import INTRINSICS
from aux_frontend.v1model.lengths import GROWN
from transpiler.diagnostics import Diagnostics
from transpiler.hlir import expressions as ex, program as pr, statements as st
from transpiler.hlir.types import Bits, HeaderType, Type, Varbit

VERSION = [2, 23]


def document(program: pr.Program, diagnostics: Diagnostics) -> Json:
    """The JSON of a program. Raises: Rejected, with what the format has no form for."""
    if program.architecture is not pr.Architecture.V1MODEL:
        diagnostics.error(program.span, "BMv2's JSON is written of programs for v1model")
        diagnostics.raise_if_errors()
    try:
        return _Document(program).made()
    except Inexpressible as problem:
        diagnostics.error(problem.span, str(problem))
        diagnostics.raise_if_errors()
        raise


class _Document:
    def __init__(self, program: pr.Program) -> None:
        self.program = program
        self.values = Values(program)
        self.calls = Calls(
            self.values,
            {e.name: f"crc{e.attribute('width')}_custom" for e in program.externs if e.kind == "custom_crc"},
        )
        self.actions: list[Json] = []
        self.numbers: dict[str, int] = {}

    def made(self) -> Json:
        program = self.program
        parsing = program.pipe(pr.Role.PARSER)
        assert isinstance(parsing, pr.Parser)
        parsers = [parser(self.calls, parsing)]
        for action in program.actions:
            self._action(action)
        tables = Tables(program, self.calls, self.numbers)
        verify, ingress, egress, compute = (
            self._body(role)
            for role in (pr.Role.VERIFY_CHECKSUM, pr.Role.INGRESS, pr.Role.EGRESS, pr.Role.COMPUTE_CHECKSUM)
        )
        # checksums are statements: verified when ingress begins, computed when egress ends, which is where they belong
        pipelines = [
            self._pipeline("ingress", 0, (*verify, *ingress), tables),
            self._pipeline("egress", 1, (*egress, *compute), tables),
        ]
        pipelines[0]["action_profiles"] = list(tables.profiles.values())
        arrays = self._arrays()  # a meter may need a scalar for its result, so headers come behind
        return {
            "header_types": self._header_types(),
            "headers": self._headers(),
            "header_stacks": self._stacks(),
            "header_union_types": [], "header_unions": [], "header_union_stacks": [],
            "field_lists": self.calls.field_lists,
            "errors": [[name, value] for value, name in enumerate(program.errors.members)],
            "enums": [],
            "parsers": parsers,
            "parse_vsets": self._value_sets(),
            "deparsers": [{"name": "deparser", "id": 0, "order": list(self._order())}],
            **arrays,
            "calculations": self.calls.calculations,
            "learn_lists": self.calls.learn_lists,
            "actions": self.actions,
            "pipelines": pipelines,
            "checksums": [], "force_arith": [], "extern_instances": [],
            "field_aliases": self._aliases(),
            "program": program.name,
            "__meta__": {"version": VERSION, "compiler": "macsad"},
        }  # fmt: skip

    # --- headers -----------------------------------------------------------------------------------------------------

    def _header_types(self) -> list[Json]:
        types = [self._header_type(type_) for type_ in self.program.header_types]
        intrinsic = dict(self.program.intrinsics)
        variables = self.program.variable
        scalars = [
            [v.name, scalar_width(v.type), _is_signed(v.type)]
            for v in self.program.variables
            if v.storage is not pr.Storage.INTRINSIC and v.name != GROWN
        ]
        scalars += [[name, scalar_width(type_), _is_signed(type_)] for name, type_ in self.values.temporaries.items()]
        standard = [[name, scalar_width(variables[variable].type)] for name, variable in intrinsic.items()]
        types += [{"name": f"{SCALARS}_t", "fields": scalars}, {"name": f"{STANDARD}_t", "fields": standard}]
        return [{**type_, "id": number} for number, type_ in enumerate(types)]

    @staticmethod
    def _header_type(type_: HeaderType) -> Json:
        fields: list[Json] = []
        length = 0
        for one in type_.fields:
            length += one.type.width if isinstance(one.type, Bits) else one.type.max_width
            if isinstance(one.type, Varbit):
                fields.append([one.name, "*"])
            else:
                fields.append([one.name, one.type.width, one.type.signed])
        made: Json = {"name": type_.name, "fields": fields}
        if any(isinstance(one.type, Varbit) for one in type_.fields):
            made["max_length"] = (length + 7) // 8
        return made

    def _headers(self) -> list[Json]:
        found: list[Json] = [
            {"name": name, "header_type": f"{name}_t", "metadata": True} for name in (SCALARS, STANDARD)
        ]
        found += [{"name": h.name, "header_type": h.type, "metadata": False} for h in self.program.headers]
        return [{**header, "id": number} for number, header in enumerate(found)]

    def _stacks(self) -> list[Json]:
        ids = {header["name"]: header["id"] for header in self._headers()}
        return [
            {
                "name": stack.name, "id": number, "header_type": stack.type, "size": stack.size,
                "header_ids": [ids[stack.element(i)] for i in range(stack.size)],
            }
            for number, stack in enumerate(self.program.stacks)
        ]  # fmt: skip

    def _order(self) -> Iterable[str]:
        control = self.program.pipe(pr.Role.DEPARSER)
        for statement in control.body if isinstance(control, pr.Control) else ():
            if not isinstance(statement, st.Emit) or not isinstance(statement.header, ex.HeaderRef):
                raise Inexpressible(
                    statement.span, "BMv2's JSON has a list of headers for a deparser, and nothing else"
                )
            yield statement.header.name

    def _aliases(self) -> list[Json]:
        named = dict(self.program.intrinsics)
        return [
            [f"{header}.{name}", [STANDARD, known]]
            for (header, name), (known, _) in INTRINSICS.items()
            if known in named and (header, name) != (STANDARD, known)
        ]

    # --- state -------------------------------------------------------------------------------------------------------

    def _value_sets(self) -> list[Json]:
        return [
            {
                "name": one.name, "id": number, "size": one.size,
                "compressed_bitwidth": sum(scalar_width(type_) for type_ in one.types),
            }
            for number, one in enumerate(self.program.value_sets)
        ]  # fmt: skip

    def _arrays(self) -> Json:
        bound = {extern: table.name for table in self.program.tables for extern in table.direct}
        arrays: dict[str, list[Json]] = {"counter_arrays": [], "meter_arrays": [], "register_arrays": []}
        for one in self.program.externs:
            kind = one.kind.removeprefix("direct_")
            if f"{kind}_arrays" not in arrays:
                continue
            made: Json = {"name": one.name, "id": len(arrays[f"{kind}_arrays"]), "is_direct": one.kind != kind}
            if one.kind != kind:
                if one.name not in bound:
                    continue  # no table has it
                made["binding"] = bound[one.name]
            else:
                made["size"] = one.attribute("size")
            if kind == "register":
                made["bitwidth"] = one.attribute("width")
            if kind == "meter":
                made |= {"rate_count": 2, "type": one.attribute("unit")}
                if one.kind != kind:
                    made["result_target"] = self._result(one)
            arrays[f"{kind}_arrays"].append(made)
        return arrays

    def _result(self, meter: pr.ExternInstance) -> Json:
        target = self.calls.results.get(meter.name) or self.values.temporary(Bits(8))
        if target["type"] != "field":
            raise Inexpressible(meter.span, "the result of a direct meter is a field in BMv2's JSON")
        return target["value"]

    # --- actions and pipelines ---------------------------------------------------------------------------------------

    def _action(self, action: pr.Action) -> None:
        """No action writes its runtime data: neither language lets it."""
        self.values.data = {name: place for place, name in enumerate(action.parameters)}
        primitives = primitives_of(self.calls, action.body)
        self.values.data = {}
        runtime = [
            {"name": name.rpartition(".")[2], "bitwidth": scalar_width(self.program.variable[name].type)}
            for name in action.parameters
        ]
        self.numbers[action.name] = self._declare(action.control_name, runtime, primitives)

    def _declare(self, name: str, runtime: list[Json], primitives: list[Json]) -> int:
        number = len(self.actions)
        self.actions.append({"name": name, "id": number, "runtime_data": runtime, "primitives": primitives})
        return number

    def _statement(self, primitives: list[Json]) -> tuple[int, str]:
        """An action of statements in a control."""
        name = f"act_{len(self.actions)}"
        return self._declare(name, [], primitives), name

    def _body(self, role: pr.Role) -> st.Body:
        control = self.program.pipe(role)
        body = control.body if isinstance(control, pr.Control) else ()
        return tuple(statement for statement in body if not about_lengths(statement))

    def _pipeline(self, name: str, number: int, body: st.Body, tables: Tables) -> Json:
        made = Pipeline(name, self.calls, self._statement, tables.table, tables.keys, tables.outcomes)
        start = made.write(body, None, {})
        ordered = [{**table, "id": place} for place, table in enumerate(reversed(made.tables))]
        return {
            "name": name, "id": number, "source_info": self._source(name), "init_table": start, "tables": ordered,
            "action_profiles": [],
            "conditionals": made.conditionals,
        }  # fmt: skip

    def _source(self, name: str) -> Json:
        """Where a pipeline's control is; the fragment is its name, and columns count from 0, as p4c has it."""
        control = self.program.pipe(pr.Role.INGRESS if name == "ingress" else pr.Role.EGRESS)
        assert isinstance(control, pr.Control)
        place = control.span
        return {"filename": place.file, "line": place.line, "column": place.column - 1, "source_fragment": control.name}


def _is_signed(type_: Type) -> bool:
    return isinstance(type_, Bits) and type_.signed
