"""The switch as the services see it: what it has, by name, and its control socket."""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, TypeVar

from macsad.control import Client
from macsad.thrift.refusals import Refused

Given = TypeVar("Given")


@dataclass(frozen=True, slots=True)
class Field:
    """A field of a key, or a parameter. `kind`: of match; "" of parameters."""

    name: str
    bits: int
    kind: str = ""

    @property
    def bytes(self) -> int:
        return (self.bits + 7) // 8


@dataclass(frozen=True, slots=True)
class Action:
    name: str
    params: tuple[Field, ...]


@dataclass(frozen=True, slots=True)
class Table:
    """A table or a parser value set; `number` among both, as messages name it. `profile`: its name, or None."""

    number: int
    name: str
    size: int
    key: tuple[Field, ...]
    actions: tuple[Action, ...]
    profile: str | None
    support_timeout: bool

    @property
    def has_priority(self) -> bool:
        return any(field.kind in ("ternary", "range", "optional") for field in self.key)

    def action(self, name: str) -> Action:
        """Raises: Refused."""
        for action in self.actions:
            if action.name == name:
                return action
        raise Refused(f"{self.name} has no action {name}", "INVALID_ACTION_NAME")


@dataclass(frozen=True, slots=True)
class Extern:
    """`number` among the externs; `table`: of a direct one, or one of a profile's."""

    number: int
    name: str
    kind: str
    size: int
    bits: int
    unit: str
    table: str | None


class Program:
    """What DESCRIBE tells, by name."""

    def __init__(self, told: dict[str, Any]) -> None:
        self.name, self.source = str(told["name"]), str(told["source"])
        count = len(told["tables"])
        self.tables = {one["name"]: _table(at, one) for at, one in enumerate(told["tables"])}
        self.value_sets = {one["name"]: _table(count + at, one) for at, one in enumerate(told["value_sets"])}
        self.externs = {one["name"]: _extern(at, one) for at, one in enumerate(told["externs"])}

    def table(self, name: str) -> Table:
        """Raises: Refused."""
        return _found(self.tables, name, "INVALID_TABLE_NAME")

    def value_set(self, name: str) -> Table:
        """Raises: Refused."""
        return _found(self.value_sets, name, "INVALID_PARSE_VSET_NAME")

    def of_kind(self, *kinds: str) -> dict[str, Extern]:
        """By name."""
        return {name: one for name, one in self.externs.items() if one.kind in kinds}

    def extern(self, name: str, code: str, *kinds: str) -> Extern:
        """One of those kinds. Raises: Refused, with that code."""
        return _found(self.of_kind(*kinds), name, code)

    def direct(self, table: Table, kind: str, code: str) -> Extern:
        """The direct counter or meter of a table. Raises: Refused."""
        for one in self.of_kind(kind).values():
            if one.table == table.name:
                return one
        raise Refused(f"{table.name} has no {kind}", code)

    def profile(self, name: str) -> Extern:
        """Raises: Refused."""
        return self.extern(name, "INVALID_ACTION_PROFILE_NAME", "action_profile", "action_selector")

    def profile_actions(self, profile: Extern) -> tuple[Action, ...]:
        """Those of its tables."""
        return next((table.actions for table in self.tables.values() if table.profile == profile.name), ())


def _found(among: dict[str, Given], name: str, code: str) -> Given:
    if name not in among:
        raise Refused(f"there is no {name}", code)
    return among[name]


def _table(number: int, told: dict[str, Any]) -> Table:
    key = tuple(Field(one["name"], one["bits"], one["match"]) for one in told["key"])
    actions = tuple(
        Action(one["name"], tuple(Field(param["name"], param["bits"]) for param in one["params"]))
        for one in told.get("actions", ())
    )
    return Table(number, told["name"], told["size"], key, actions, told.get("profile"), bool(told.get("ages")))


def _extern(number: int, told: dict[str, Any]) -> Extern:
    return Extern(number, told["name"], told["kind"], told["size"], told["bits"], told["unit"], told.get("table"))


class Switch:
    """A running switch. Its socket takes one request at a time, from whichever thread."""

    def __init__(self, socket: Path) -> None:
        self._client = Client(socket)
        self._lock = threading.Lock()
        self.replaced = False  # it runs another program than at first

    @cached_property
    def program(self) -> Program:
        return Program(self.described())

    def forget_program(self) -> None:
        """Another one runs from now on."""
        self.replaced = True
        self.__dict__.pop("program", None)

    def described(self) -> dict[str, Any]:
        return self.ask(lambda client: client.describe())

    def ask(self, request: Callable[[Client], Given]) -> Given:
        """Raises: ControlError."""
        with self._lock:
            return request(self._client)

    def command(self, *words: object) -> str:
        """What a command prints. Raises: Refused, ControlError."""
        reply = self.ask(lambda client: client.command(" ".join(str(word) for word in words)))
        if not reply.ok:
            raise Refused(reply.text)
        return reply.text

    def close(self) -> None:
        self._client.close()
