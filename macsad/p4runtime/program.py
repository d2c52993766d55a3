"""A program as controllers number it (P4Info), joined with how the switch does (DESCRIBE)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

from macsad.p4runtime.codes import Code, Refused
from macsad.p4runtime.data import Values
from macsad.p4runtime.messages import Message
from macsad.p4runtime.strings import Strings, Translations


class NotOfSwitch(Exception):
    """The P4Info is not of the program that the switch runs."""


@dataclass(frozen=True, slots=True)
class Key:
    """A field of a key."""

    id: int
    name: str
    bits: int
    kind: str  # "exact", "lpm", "ternary", "range", "optional"
    strings: Strings | None = None  # of its values, as controllers see them


@dataclass(frozen=True, slots=True)
class Param:
    """A parameter of an action."""

    id: int
    bits: int
    strings: Strings | None = None


@dataclass(frozen=True, slots=True)
class Action:
    """An action of a table."""

    id: int
    number: int
    name: str
    params: tuple[Param, ...]
    in_entries: bool
    in_default: bool
    head: bytes = b""  # its number, as in messages of the control socket
    param_ids: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Extern:
    """A counter, meter, register or digest; `number` among the switch's externs."""

    id: int
    number: int
    name: str
    kind: str
    size: int
    bits: int
    info: Message
    widths: tuple[int, ...] = ()  # of the fields of a digest or a register's element, where there are several


@dataclass(slots=True)
class Table:
    """A table, or a parser value set; `number` among the switch's tables, behind which its value sets are."""

    id: int
    number: int
    name: str
    size: int
    keys: tuple[Key, ...]
    actions: dict[int, Action]
    info: Message
    const_entries: bool
    const_default: bool
    counter: Extern | None = None
    meter: Extern | None = None
    by_number: dict[int, Action] = field(default_factory=dict)
    has_priority: bool = False
    key_ids: tuple[int, ...] = ()
    ages: bool = False  # entries may have idle timeouts
    form: object = None  # how its entries are read (found.py), once they are

    def __post_init__(self) -> None:
        self.key_ids = tuple(key.id for key in self.keys)


@dataclass(frozen=True, slots=True)
class Profile:
    """An action profile; `number` among the switch's externs, `table` one of those whose entries name its members."""

    id: int
    number: int
    name: str
    info: Message
    table: Table


class Ports:
    """The numbers of the switch's ports."""

    def __init__(self, numbers: Iterable[int]) -> None:
        self._numbers = frozenset(numbers)

    def check(self, port: bytes) -> int:
        """The port that a controller names. Raises: Refused."""
        number = int.from_bytes(port, "big")
        if number not in self._numbers:
            raise Refused(Code.INVALID_ARGUMENT, f"the switch has no port {number}")
        return number


@dataclass(slots=True)
class Program:
    """All that a controller can name, by id."""

    info: Message
    tables: dict[int, Table]
    externs: dict[int, Extern]
    profiles: dict[int, Profile]
    ports: Ports
    translations: Translations
    value_sets: dict[int, Table] = field(default_factory=dict)
    widths: dict[str, tuple[int, ...]] = field(default_factory=dict)  # of the fields of controller headers, by name
    values: dict[int, Values] = field(default_factory=dict)  # of registers, those that were asked for, by id

    def value_set(self, number: int) -> Table:
        """Raises: Refused."""
        if number in self.value_sets:
            return self.value_sets[number]
        raise Refused(Code.NOT_FOUND, f"there is no value set {number}")

    def profile(self, number: int) -> Profile:
        """Raises: Refused."""
        if number in self.profiles:
            return self.profiles[number]
        raise Refused(Code.NOT_FOUND, f"there is no action profile {number}")

    def table(self, number: int) -> Table:
        """Raises: Refused."""
        if number in self.tables:
            return self.tables[number]
        raise Refused(Code.NOT_FOUND, f"there is no table {number}")

    def extern(self, number: int, *kinds: str) -> Extern:
        """The one of that id and of one of those kinds. Raises: Refused."""
        found = self.externs.get(number)
        if found is None or found.kind not in kinds:
            raise Refused(Code.NOT_FOUND, f"there is no {kinds[0].replace('_', ' ')} {number}")
        return found


def join(info: Message, told: dict[str, Any], widths: dict[str, tuple[int, ...]]) -> Program:
    """Find what P4Info lists in what the switch tells of itself. `widths` of the fields of controller headers in the switch.

    Raises: NotOfSwitch.
    """
    externs = {extern["name"]: (number, extern) for number, extern in enumerate(told["externs"])}
    described = {table["name"]: (number, table) for number, table in enumerate(told["tables"])}
    names = {port["name"]: port["port"] for port in told["ports"] if not port["name"].startswith("ctl:")}
    translations = Translations(info, names)
    joined = Program(info, {}, {}, {}, Ports(port["port"] for port in told["ports"]), translations)
    joined.widths = widths
    actions = {action.preamble.id: action for action in info.actions}
    for part in (info.counters, info.direct_counters, info.meters, info.direct_meters, info.registers, info.digests):
        for item in part:
            joined.externs[item.preamble.id] = _extern(item, externs)
    for item in info.tables:
        if item.preamble.name not in described:
            raise NotOfSwitch(f"the switch has no table {item.preamble.name}")
        number, there = described[item.preamble.name]
        table = _table(item, number, there, actions, translations)
        for resource in item.direct_resource_ids:
            extern = joined.externs.get(resource)
            if extern is not None and extern.kind == "direct_counter":
                table.counter = extern
            elif extern is not None:
                table.meter = extern
        joined.tables[table.id] = table
    for item in info.action_profiles:
        if item.table_ids:
            number, _ = externs[item.preamble.name]
            table = joined.tables[item.table_ids[0]]
            joined.profiles[item.preamble.id] = Profile(item.preamble.id, number, item.preamble.name, item, table)
    behind = len(told["tables"])
    value_sets = {one["name"]: (behind + number, one) for number, one in enumerate(told["value_sets"])}
    for item in info.value_sets:
        if item.preamble.name not in value_sets:
            raise NotOfSwitch(f"the switch has no value set {item.preamble.name}")
        number, there = value_sets[item.preamble.name]
        keys = _keys(item.match, there["key"], item.preamble.name, translations)
        joined.value_sets[item.preamble.id] = Table(
            item.preamble.id, number, item.preamble.name, there["size"], keys, {}, item, False, True
        )
    return joined


def _extern(item: Message, externs: dict[str, tuple[int, dict[str, Any]]]) -> Extern:
    name = item.preamble.name
    if name not in externs:
        raise NotOfSwitch(f"the switch has no {name}")
    number, there = externs[name]
    widths = tuple(one["bits"] for one in there["fields"])
    return Extern(item.preamble.id, number, name, there["kind"], there["size"], there["bits"], item, widths)


def _keys(
    infos: Sequence[Message], fields: Sequence[dict[str, Any]], name: str, translations: Translations
) -> tuple[Key, ...]:
    if len(fields) != len(infos):
        raise NotOfSwitch(f"the key of {name} has {len(fields)} fields, not {len(infos)}")
    return tuple(
        Key(info.id, info.name, key["bits"], _kind(info, key["match"]), translations.of(info))
        for info, key in zip(infos, fields, strict=True)
    )


def _kind(info: Message, there: str) -> str:
    """BMv2's JSON has ternary keys for optional ones; the P4Info tells them apart."""
    return "optional" if there == "ternary" and info.match_type == info.OPTIONAL else there


def _table(
    item: Message, number: int, there: dict[str, Any], actions: dict[int, Message], translations: Translations
) -> Table:
    name = item.preamble.name
    keys = _keys(item.match_fields, there["key"], name, translations)
    by_name = {action["name"]: (at, action) for at, action in enumerate(there["actions"])}
    made = {}
    for reference in item.action_refs:
        info = actions[reference.id]
        if info.preamble.name not in by_name:
            if there["const_entries"] and there["const_default"]:
                continue  # nothing can ever run it there, so the compiler has left it out
            raise NotOfSwitch(f"{name} has no action {info.preamble.name}")
        at, action = by_name[info.preamble.name]
        made[reference.id] = _action(info, at, action, translations)
    table = Table(
        item.preamble.id, number, name, there["size"], keys, made, item, there["const_entries"], there["const_default"]
    )
    table.by_number = {action.number: action for action in made.values()}
    table.ages = there["ages"]
    table.has_priority = any(key.kind in ("ternary", "range", "optional") for key in keys)
    return table


def _action(info: Message, at: int, there: dict[str, Any], translations: Translations) -> Action:
    given: Sequence[dict[str, Any]] = there["params"]
    if len(given) != len(info.params):
        raise NotOfSwitch(f"{info.preamble.name} has {len(given)} parameters, not {len(info.params)}")
    params = tuple(
        Param(param.id, shape["bits"], translations.of(param)) for param, shape in zip(info.params, given, strict=True)
    )
    scope = there["scope"]
    return Action(
        info.preamble.id, at, info.preamble.name, params, scope != "default_only", scope != "table_only",
        at.to_bytes(4, "big"), tuple(param.id for param in params),
    )  # fmt: skip
