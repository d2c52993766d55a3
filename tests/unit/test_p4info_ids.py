"""Ids, field ids and aliases of P4Info, and how annotations are read for it."""

from __future__ import annotations

import pytest

from transpiler.diagnostics import Diagnostics, Span
from transpiler.hlir.interface import Annotation
from transpiler.p4info import annotations as notes, ids
from transpiler.p4info.ids import Kind, Named, aliases, assign, assign_fields, name_hash
from transpiler.p4info.messages import enum_value
from transpiler.p4info.types import octets

AT = Span("t.p4", 1, 1)


def note(name: str, body: str = "") -> Annotation:
    return Annotation(name, body, AT)


def named(name: str, *annotations: Annotation, kind: Kind = Kind.TABLE) -> Named:
    return Named(kind, name, annotations, AT)


@pytest.mark.parametrize(
    ("text", "value"),
    [("", 0), ("a", 0xCA2E9442), ("The quick brown fox jumps over the lazy dog", 0x519E91F5)],
)
def test_the_hash_is_one_at_a_time(text: str, value: int) -> None:
    assert name_hash(text) == value


@pytest.mark.parametrize("kind", Kind)
def test_a_kind_has_the_number_of_the_specification(kind: Kind) -> None:
    assert kind == enum_value("P4Ids.Prefix", kind.name)


def test_an_id_is_kind_and_hash() -> None:
    ids = assign([named("NoAction", kind=Kind.ACTION), named("NoAction")], Diagnostics())
    assert ids[Kind.ACTION, "NoAction"] == 21257015  # what every P4Runtime controller knows NoAction by
    assert ids[Kind.TABLE, "NoAction"] == 21257015 + (1 << 24)


def test_a_taken_number_is_passed_by() -> None:
    free = name_hash("b") & 0xFFFFFF
    ids = assign([named("a", note("id", f"{free:#x}")), named("b")], Diagnostics())
    assert ids[Kind.TABLE, "a"] == 2 << 24 | free
    assert ids[Kind.TABLE, "b"] == 2 << 24 | free + 1


@pytest.mark.parametrize("first", [["x", "y"], ["y", "x"]])
def test_ids_do_not_depend_on_the_order_of_declarations(first: list[str]) -> None:
    taken = named("z", note("id", str(name_hash("x") & 0xFFFFFF)))
    ids = assign([*map(named, first), taken], Diagnostics())
    assert ids == assign([taken, named("x"), named("y")], Diagnostics())


def test_ids_that_collide_go_on_from_the_hash_in_the_order_of_names(monkeypatch: pytest.MonkeyPatch) -> None:
    """Behind the last number comes the first one, of the same kind."""
    monkeypatch.setattr(ids, "name_hash", lambda name: 0xABFFFFFE)
    found = assign([named("c"), named("a"), named("b")], Diagnostics())
    assert {name: hex(number) for (_, name), number in found.items()} == {
        "a": "0x2fffffe",
        "b": "0x2ffffff",
        "c": "0x2000000",
    }


@pytest.mark.parametrize(
    ("objects", "message"),
    [
        ([named("a", note("id", "0x01000005"))], "upper byte of @id(0x1000005) is not that of a table, 0x02"),
        ([named("a", note("id", "5")), named("b", note("id", "0x02000005"))], "@id(33554437) is taken"),
        ([named("a", note("id", "0"))], "an @id is a number from 1"),
        ([named("a", note("id", "five"))], "an @id is a number from 1"),
        ([named("a", note("id", "0x100000000"))], "an @id is a number from 1"),
    ],
)
def test_wrong_ids_are_located_errors(objects: list[Named], message: str) -> None:
    diagnostics = Diagnostics()
    assign(objects, diagnostics)
    assert [message in m.message for m in diagnostics.messages] == [True]


def test_fields_are_numbered_in_order_around_those_that_have_ids() -> None:
    fields = [(), (note("id", "7"),), (), (note("id", "4"),), ()]
    assert assign_fields(fields, Diagnostics()) == [1, 7, 2, 4, 3]
    assert assign_fields([(note("id", "1"),), (), ()], Diagnostics()) == [1, 2, 3]
    assert assign_fields([(note("id", "7"),), ()], Diagnostics()) == [7, 2]
    assert assign_fields([(), (note("id", "1"),)], Diagnostics()) == [2, 1]
    several = [(), (note("id", "1"),), (note("id", "2"),), (note("id", "3"),), ()]
    assert assign_fields(several, Diagnostics()) == [4, 1, 2, 3, 7]


def test_a_field_id_twice_is_an_error() -> None:
    diagnostics = Diagnostics()
    assign_fields([(note("id", "3"),), (note("id", "3"),)], diagnostics)
    assert [m.message for m in diagnostics.messages] == ["@id(3) is given twice"]


def test_an_alias_is_the_shortest_suffix_of_its_own() -> None:
    found = aliases(["In.acl.deny", "Out.acl.deny", "In.route", "route.table", "drop", "Out.drop"])
    assert found == {
        "In.acl.deny": "In.acl.deny",
        "Out.acl.deny": "Out.acl.deny",
        "In.route": "route",
        "route.table": "table",
        "drop": "drop",
        "Out.drop": "Out.drop",
    }
    assert aliases(["In.a", "Out.In.a", "a"]) == {"In.a": "In.a", "Out.In.a": "Out.In.a", "a": "a"}


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("10", 10),
        ("0x1F", 31),
        ("8w255", 255),
        ("32w0b101", 5),
        ("1_000", 1000),
        ("0d12", 12),
        ("0o17", 15),
        ("010", 10),
    ],
)
def test_numbers_in_annotations(text: str, value: int) -> None:
    assert notes.number(note("id", text)) == value


@pytest.mark.parametrize("text", ["", "_", "x", "-1", "1.5", "0x", "9" * 3 + "z"])
def test_what_is_no_number(text: str) -> None:
    assert notes.number(note("id", text)) is None


@pytest.mark.parametrize("body", ["name", 'name = "a" version = "b"', '= "x"', 'name = "a'])
def test_what_is_no_list_of_pairs(body: str) -> None:
    assert notes.pairs(note("pkginfo", body)) is None


def test_pairs() -> None:
    assert notes.pairs(note("pkginfo", 'name = "a, \\"b\\"",size=0x10')) == (("name", 'a, "b"'), ("size", 16))


@pytest.mark.parametrize(("value", "octets_"), [(0, "00"), (0xFF, "ff"), (0x100, "0100"), (0xFFFF, "ffff")])
def test_a_number_has_the_fewest_bytes_that_hold_it(value: int, octets_: str) -> None:
    assert octets(value).hex() == octets_


def test_a_list_of_values_is_a_number_only_where_it_is_one() -> None:
    values = (("", 1), ("", 2))
    assert notes.number(Annotation("id", "", AT, values[:1])) == 1
    assert notes.number(Annotation("id", "", AT, values)) is None
    assert notes.number(Annotation("id", "", AT, (("", True),))) is None
