"""What a program has, read of BMv2's JSON, and found by name or by the end of a name."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any, TypeVar

from macsad.shims.cli.wrong import Wrong

KINDS = ("exact", "lpm", "ternary", "valid", "range")  # of match
NO_PROGRAM = (ValueError, LookupError, TypeError, AttributeError)  # what Program raises for what is not BMv2's JSON


@dataclass(frozen=True, slots=True)
class Field:
    """A field of a key, or a parameter."""

    name: str
    bits: int
    kind: str = ""

    def __str__(self) -> str:
        return f"{self.name}({self.kind}, {self.bits})" if self.kind else f"{self.name}({self.bits})"


@dataclass(frozen=True, slots=True)
class Action:
    name: str
    params: tuple[Field, ...]

    def __str__(self) -> str:
        return f"{self.name:30} [{_listed(self.params)}]"


@dataclass(slots=True)
class Profile:
    """An action profile; `tables`: how many have it."""

    name: str
    selecting: bool
    actions: dict[str, Action] = field(default_factory=dict)
    tables: int = 0


@dataclass(frozen=True, slots=True)
class Table:
    name: str
    kind: str
    key: tuple[Field, ...]
    actions: dict[str, Action]
    profile: Profile | None
    support_timeout: bool

    @property
    def has_priority(self) -> bool:
        return self.kind in ("ternary", "range")

    def __str__(self) -> str:
        profile = None if self.profile is None else self.profile.name
        return f"{self.name:30} [implementation={profile}, mk={_listed(self.key)}]"


@dataclass(frozen=True, slots=True)
class Array:
    """A counter, meter, register or value set; `binding`: the table of a direct one."""

    name: str
    binding: str | None = None
    rates: int = 0
    bits: int = 0


def _listed(fields: Iterable[Field]) -> str:
    return ",\t".join(str(one) for one in fields)


Named = TypeVar("Named")


class Names(dict[str, Named]):
    """Things of one kind by their names; `what`: as messages call the kind."""

    def __init__(self, what: str, named: Iterable[tuple[str, Named]]) -> None:
        super().__init__(named)
        self.what = what

    def find(self, name: str) -> Named:
        """By its name or the end of it, behind a dot, that no other has. Raises: Wrong."""
        ends = [full for full in self if full == name or full.endswith(f".{name}")]
        if len(ends) != 1:
            raise Wrong(f"Invalid {self.what} name ({name})")
        return self[ends[0]]


class Program:
    """Raises: NO_PROGRAM, one of them, for what is not BMv2's JSON."""

    def __init__(self, text: str) -> None:
        told = json.loads(text)
        actions = [_action(one) for one in told.get("actions", ())]
        self.actions = Names("action", ((one.name, one) for one in actions))
        pipelines = told.get("pipelines", ())
        profiles = [Profile(one["name"], "selector" in one) for p in pipelines for one in p.get("action_profiles", ())]
        self.profiles = Names("action profile", ((one.name, one) for one in profiles))
        widths = _widths(told)
        tables = [self._table(one, widths) for pipeline in pipelines for one in pipeline["tables"]]
        self.tables = Names("table", ((one.name, one) for one in tables))
        self.counters = Names("counter", _arrays(told, "counter_arrays"))
        self.meters = Names("meter", _arrays(told, "meter_arrays"))
        self.registers = Names("register", _arrays(told, "register_arrays"))
        self.value_sets = Names("parser value set", _arrays(told, "parse_vsets"))
        self.crcs = {one["name"]: one["algo"] for one in told.get("calculations", ()) if "_custom" in one["algo"]}

    def _table(self, told: dict[str, Any], widths: dict[tuple[str, str], int]) -> Table:
        actions = {name: self.actions[name] for name in told["actions"]}
        profile = self._profile(told)
        if profile is not None:
            profile.actions.update(actions)
            profile.tables += 1
        key = tuple(_key_field(one, widths) for one in told["key"])
        return Table(told["name"], told["match_type"], key, actions, profile, bool(told.get("support_timeout")))

    def _profile(self, told: dict[str, Any]) -> Profile | None:
        if not told["type"].startswith("indirect"):
            return None
        if "action_profile" in told:
            return self.profiles[told["action_profile"]]
        made = Profile(told["act_prof_name"], "selector" in told)  # the older format
        self.profiles[made.name] = made
        return made


def _action(told: dict[str, Any]) -> Action:
    return Action(told["name"], tuple(Field(one["name"], one["bitwidth"]) for one in told["runtime_data"]))


def _widths(told: dict[str, Any]) -> dict[tuple[str, str], int]:
    """Of fields of headers, by (header, field)."""
    types = {one["name"]: one["fields"] for one in told.get("header_types", ())}
    return {
        (header["name"], one[0]): one[1]
        for header in told.get("headers", ())
        for one in types[header["header_type"]]
        if isinstance(one[1], int)
    }


def _key_field(told: dict[str, Any], widths: dict[tuple[str, str], int]) -> Field:
    kind, target = told["match_type"], told["target"]
    if kind == "valid":
        return Field(f"{target}_valid", 1, kind)
    header, name = target
    if name == "$valid$":
        return Field(f"{header}_valid", 1, kind)
    return Field(f"{header}.{name}", widths[header, name], kind)


def _arrays(told: dict[str, Any], part: str) -> Iterable[tuple[str, Array]]:
    for one in told.get(part, ()):
        bits = one.get("bitwidth", one.get("compressed_bitwidth", 0))
        yield one["name"], Array(one["name"], one.get("binding"), one.get("rate_count", 0), bits)
