"""A program as BMv2's JSON, as far as what controls a switch reads of it: tables, actions, profiles, externs.

For switches whose own JSON is not known, or whose program that format has no form for.
"""

from __future__ import annotations

import json
from typing import Any

from macsad.described import Extern, Field, Table
from macsad.thrift.switch import Program

_KINDS = ("range", "ternary", "lpm")  # a table is of the first of these that one of its fields has, else exact


def config_of(program: Program) -> str:
    """The text of the JSON."""
    fields = _Fields(program)
    profiles = [
        _profile(number, one) for number, one in enumerate(_externs(program, "action_profile", "action_selector"))
    ]
    tables = [_table(number, table, program) for number, table in enumerate(program.tables.values())]
    document = {
        "program": program.source,
        "__meta__": {"version": [2, 23], "compiler": "macsad"},
        **fields.made(),
        "actions": _actions(program),
        "pipelines": [{"name": "ingress", "id": 0, "source_info": {"source_fragment": "ingress"}, "init_table": None,
                       "tables": tables, "action_profiles": profiles,
                       "conditionals": []}],
        "counter_arrays": [_counter(at, one) for at, one in enumerate(_externs(program, "counter", "direct_counter"))],
        "meter_arrays": [_meter(at, one) for at, one in enumerate(_externs(program, "meter", "direct_meter"))],
        "register_arrays": [
            {"name": one.name, "id": at, "size": one.size, "bitwidth": one.bits}
            for at, one in enumerate(_externs(program, "register"))
        ],
        "parse_vsets": [
            {"name": one.name, "id": at, "max_size": one.size, "compressed_bitwidth": sum(field.bits for field in one.key)}
            for at, one in enumerate(program.value_sets.values())
        ],
        "learn_lists": [
            {"name": one.name, "id": at, "elements": []} for at, one in enumerate(_externs(program, "digest"))
        ],
        "calculations": [
            {"name": one.name, "id": at, "algo": f"crc{one.bits}_custom", "input": []}
            for at, one in enumerate(_externs(program, "custom_crc"))
        ],
    }  # fmt: skip
    return json.dumps(document, indent=1) + "\n"


def _externs(program: Program, *kinds: str) -> list[Extern]:
    return list(program.of_kind(*kinds).values())


class _Fields:
    """The fields of keys, in headers by the first part of their names."""

    def __init__(self, program: Program) -> None:
        self.headers: dict[str, dict[str, int]] = {}
        for table in program.tables.values():
            for field in table.key:
                header, name = _split(field.name)
                self.headers.setdefault(header, {})[name] = field.bits

    def made(self) -> dict[str, Any]:
        types = [
            {"name": f"{header}_t", "id": at, "fields": [[name, bits, False] for name, bits in fields.items()]}
            for at, (header, fields) in enumerate(self.headers.items())
        ]
        headers = [
            {"name": header, "id": at, "header_type": f"{header}_t", "metadata": True}
            for at, header in enumerate(self.headers)
        ]
        return {"header_types": types, "headers": headers}


def _split(name: str) -> list[str]:
    header, _, field = name.rpartition(".")
    return [header or "key", field]


def _actions(program: Program) -> list[dict[str, Any]]:
    known = {action.name: action for table in program.tables.values() for action in table.actions}
    return [
        {"name": name, "id": at, "runtime_data": [{"name": one.name, "bitwidth": one.bits} for one in action.params],
         "primitives": []}
        for at, (name, action) in enumerate(known.items())
    ]  # fmt: skip


def _kind(field: Field) -> str:
    return "ternary" if field.kind == "optional" else field.kind


def _table(number: int, table: Table, program: Program) -> dict[str, Any]:
    kinds = {_kind(field) for field in table.key}
    made: dict[str, Any] = {
        "name": table.name,
        "id": number,
        "key": [{"match_type": _kind(field), "name": field.name, "target": _split(field.name), "mask": None}
                for field in table.key],
        "match_type": next((kind for kind in _KINDS if kind in kinds), "exact"),
        "type": "simple",
        "max_size": table.size,
        "support_timeout": table.support_timeout,
        "actions": [action.name for action in table.actions],
    }  # fmt: skip
    if table.profile is not None:
        selecting = program.profile(table.profile).kind == "action_selector"
        made |= {"type": "indirect_ws" if selecting else "indirect", "action_profile": table.profile}
    return made


def _profile(number: int, profile: Extern) -> dict[str, Any]:
    made: dict[str, Any] = {"name": profile.name, "id": number, "max_size": profile.size}
    if profile.kind == "action_selector":
        made["selector"] = {"algo": "crc16", "input": []}
    return made


def _counter(number: int, counter: Extern) -> dict[str, Any]:
    if counter.table:
        return {"name": counter.name, "id": number, "is_direct": True, "binding": counter.table}
    return {"name": counter.name, "id": number, "is_direct": False, "size": counter.size}


def _meter(number: int, meter: Extern) -> dict[str, Any]:
    unit = "bytes" if meter.unit == "bytes" else "packets"
    return {**_counter(number, meter), "type": unit, "rate_count": 2}
