"""The JSON of a program that is known only as the switch describes it, and what simple_switch_CLI reads of any such JSON."""

from __future__ import annotations

import json
from typing import Any

import pytest

from macsad.shims.cli.program import Array, Program, Table
from macsad.shims.cli.wrong import Wrong
from macsad.thrift.config import config_of
from macsad.thrift.switch import Program as Served

GO = {"name": "I.go", "params": [{"name": "port", "bits": 9}, {"name": "mac", "bits": 48}]}
DROP = {"name": "I.drop", "params": []}


def key(name: str, bits: int, match: str) -> dict[str, Any]:
    return {"name": name, "bits": bits, "match": match}


def table(name: str, *keys: dict[str, Any], **more: Any) -> dict[str, Any]:
    return {"name": name, "size": 16, "key": [*keys], "actions": [GO, DROP], **more}


def extern(name: str, kind: str, size: int = 0, bits: int = 0, unit: str = "", **more: Any) -> dict[str, Any]:
    return {"name": name, "kind": kind, "size": size, "bits": bits, "unit": unit, **more}


def served(*tables: dict[str, Any], externs: Any = (), value_sets: Any = ()) -> Served:
    return Served({"name": "p", "source": "p.p4", "tables": tables, "externs": externs, "value_sets": value_sets})


def written(*tables: dict[str, Any], **more: Any) -> Any:
    return json.loads(config_of(served(*tables, **more)))


def test_keys_are_fields_of_headers_that_are_named_before_the_last_dot() -> None:
    """A header is there once; a name without a dot is of a header `key`."""
    made = written(
        table("I.a", key("hdr.ip.src", 32, "exact"), key("port", 9, "exact")),
        table("I.b", key("hdr.ip.dst", 32, "exact")),
    )
    assert made["header_types"] == [
        {"name": "hdr.ip_t", "id": 0, "fields": [["src", 32, False], ["dst", 32, False]]},
        {"name": "key_t", "id": 1, "fields": [["port", 9, False]]},
    ]
    assert made["headers"] == [
        {"name": "hdr.ip", "id": 0, "header_type": "hdr.ip_t", "metadata": True},
        {"name": "key", "id": 1, "header_type": "key_t", "metadata": True},
    ]
    assert [one["key"] for one in made["pipelines"][0]["tables"]] == [
        [{"match_type": "exact", "name": "hdr.ip.src", "target": ["hdr.ip", "src"], "mask": None},
         {"match_type": "exact", "name": "port", "target": ["key", "port"], "mask": None}],
        [{"match_type": "exact", "name": "hdr.ip.dst", "target": ["hdr.ip", "dst"], "mask": None}],
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("kinds", "kind", "has_priority"),
    [
        ((), "exact", False),
        (("exact", "exact"), "exact", False),
        (("exact", "lpm"), "lpm", False),
        (("lpm", "ternary"), "ternary", True),
        (("exact", "optional"), "ternary", True),
        (("ternary", "range", "lpm"), "range", True),
    ],
)
def test_a_table_is_of_the_kind_that_says_most(kinds: tuple[str, ...], kind: str, has_priority: bool) -> None:
    """BMv2 has no optional fields: they are ternary."""
    of = served(table("I.t", *(key(f"h.f{at}", 8, match) for at, match in enumerate(kinds))))
    read = Program(config_of(of)).tables["I.t"]
    assert (read.kind, read.has_priority) == (kind, has_priority)
    assert [field.kind for field in read.key] == [{"optional": "ternary"}.get(one, one) for one in kinds]


def test_all_that_a_program_has_is_read_again() -> None:
    """Numbers count each kind; a profile is of all its tables."""
    externs = [
        extern("I.seen", "counter", 64), extern("I.hits", "direct_counter", table="I.a"),
        extern("I.flow", "meter", 8, unit="bytes"), extern("I.pace", "direct_meter", unit="packets", table="I.b"),
        extern("I.words", "register", 32, 48), extern("I.sel", "action_selector", 9), extern("I.plain", "action_profile", 5),
        extern("learn_t", "digest"), extern("I.crc", "custom_crc", bits=16),
    ]  # fmt: skip
    tables = (
        table("I.a", key("h.f", 8, "exact"), profile="I.sel", ages=True), table("I.b", key("h.f", 8, "exact"), profile="I.sel"),
        table("I.c", key("h.g", 8, "exact"), profile="I.plain"), table("I.d", size=4),
    )  # fmt: skip
    value_sets = [{"name": "P.set", "size": 4, "key": [key("a", 16, "exact"), key("b", 3, "ternary")]}]
    text = config_of(served(*tables, externs=externs, value_sets=value_sets))
    made = json.loads(text)
    assert text.endswith("}\n") and (made["program"], made["__meta__"]["version"]) == ("p.p4", [2, 23])
    assert made["actions"] == [
        {"name": "I.go", "id": 0, "primitives": [],
         "runtime_data": [{"name": "port", "bitwidth": 9}, {"name": "mac", "bitwidth": 48}]},
        {"name": "I.drop", "id": 1, "primitives": [], "runtime_data": []},
    ]  # fmt: skip
    (pipeline,) = made["pipelines"]
    assert [(one["id"], one["type"], one.get("action_profile"), one["max_size"]) for one in pipeline["tables"]] == [
        (0, "indirect_ws", "I.sel", 16), (1, "indirect_ws", "I.sel", 16), (2, "indirect", "I.plain", 16), (3, "simple", None, 4),
    ]  # fmt: skip
    assert pipeline["action_profiles"] == [
        {"name": "I.sel", "id": 0, "max_size": 9, "selector": {"algo": "crc16", "input": []}},
        {"name": "I.plain", "id": 1, "max_size": 5},
    ]
    assert made["counter_arrays"] == [
        {"name": "I.seen", "id": 0, "is_direct": False, "size": 64},
        {"name": "I.hits", "id": 1, "is_direct": True, "binding": "I.a"},
    ]
    assert made["meter_arrays"] == [
        {"name": "I.flow", "id": 0, "is_direct": False, "size": 8, "type": "bytes", "rate_count": 2},
        {"name": "I.pace", "id": 1, "is_direct": True, "binding": "I.b", "type": "packets", "rate_count": 2},
    ]
    assert made["register_arrays"] == [{"name": "I.words", "id": 0, "size": 32, "bitwidth": 48}]
    assert made["parse_vsets"] == [{"name": "P.set", "id": 0, "max_size": 4, "compressed_bitwidth": 19}]
    assert made["learn_lists"] == [{"name": "learn_t", "id": 0, "elements": []}]
    assert made["calculations"] == [{"name": "I.crc", "id": 0, "algo": "crc16_custom", "input": []}]
    read = Program(text)
    assert {name: (one.selecting, one.tables) for name, one in read.profiles.items()} == {
        "I.sel": (True, 2), "I.plain": (False, 1),
    }  # fmt: skip
    assert [one.support_timeout for one in read.tables.values()] == [True, False, False, False]
    assert read.counters == {"I.seen": Array("I.seen"), "I.hits": Array("I.hits", "I.a")}
    assert read.meters == {"I.flow": Array("I.flow", rates=2), "I.pace": Array("I.pace", "I.b", 2)}
    assert read.registers == {"I.words": Array("I.words", bits=48)}
    assert read.value_sets == {"P.set": Array("P.set", bits=19)} and read.crcs == {"I.crc": "crc16_custom"}


# --- what others have written ----------------------------------------------------------------------------------------


def of_bmv2(**table_has: Any) -> Table:
    told = {"name": "t", "match_type": "exact", "type": "simple", "actions": ["go"], **table_has}
    document = {
        "header_types": [{"name": "h_t", "fields": [["f", 8, False], ["options", "*"]]}],
        "headers": [{"name": "h", "header_type": "h_t"}],
        "actions": [{"name": "go", "runtime_data": [{"name": "port", "bitwidth": 9}]}],
        "pipelines": [{"tables": [told]}],
    }
    return Program(json.dumps(document)).tables["t"]


@pytest.mark.parametrize(
    ("field", "shown"),
    [
        ({"match_type": "exact", "target": ["h", "f"]}, "h.f(exact, 8)"),
        ({"match_type": "exact", "target": ["h", "$valid$"]}, "h_valid(exact, 1)"),
        ({"match_type": "ternary", "target": ["h", "$valid$"]}, "h_valid(ternary, 1)"),
        ({"match_type": "valid", "target": "h"}, "h_valid(valid, 1)"),
    ],
)
def test_fields_of_keys(field: dict[str, Any], shown: str) -> None:
    """Whether a header is there is a bit; P4-14 has a kind of match for it."""
    assert str(of_bmv2(key=[field])) == f"{'t':30} [implementation=None, mk={shown}]"


def test_a_key_of_several_fields_is_shown_with_a_comma_and_a_tab() -> None:
    field = {"match_type": "exact", "target": ["h", "f"]}
    made = of_bmv2(key=[field, field])
    assert str(made).endswith("mk=h.f(exact, 8),\th.f(exact, 8)]")
    assert str(made.actions["go"]) == f"{'go':30} [port(9)]"


@pytest.mark.parametrize("selecting", [False, True])
def test_the_older_format_has_a_profile_in_its_table(selecting: bool) -> None:
    more: dict[str, Any] = {"selector": {}} if selecting else {}
    made = of_bmv2(key=[], type="indirect", act_prof_name="prof", **more)
    assert made.profile is not None
    assert (made.profile.name, made.profile.selecting, made.profile.tables) == ("prof", selecting, 1)
    assert list(made.profile.actions) == ["go"] and "implementation=prof" in str(made)


def test_only_custom_polynomials_are_calculations_that_can_be_changed() -> None:
    told = [{"name": "a", "algo": "crc32_custom"}, {"name": "b", "algo": "crc32"}, {"name": "c", "algo": "csum16"}]
    assert Program(json.dumps({"calculations": told})).crcs == {"a": "crc32_custom"}


@pytest.mark.parametrize(
    ("name", "found"),
    [("I.a.t", "I.a.t"), ("a.t", "I.a.t"), ("u", "J.u"), ("t", None), (".u", None), ("", None), ("J", None)],
)
def test_names_may_be_ends_that_no_other_has(name: str, found: str | None) -> None:
    told = [{"name": name, "size": 1, "bitwidth": 8} for name in ("I.a.t", "I.b.t", "J.u")]
    registers = Program(json.dumps({"register_arrays": told})).registers
    if found is None:
        with pytest.raises(Wrong, match=rf"Invalid register name \({name}\)"):
            registers.find(name)
    else:
        assert registers.find(name).name == found
