"""The switch as the services see it: what it has, by name, and its control socket."""

from __future__ import annotations

import threading
from collections.abc import Callable
from functools import cached_property
from pathlib import Path
from typing import Any, TypeVar

from macsad.control import Client
from macsad.described import Action, Extern, Table, externs_of, tables_of
from macsad.thrift.refusals import Refused

Given = TypeVar("Given")


class Program:
    """What DESCRIBE tells, by name."""

    def __init__(self, told: dict[str, Any]) -> None:
        self.name, self.source = str(told["name"]), str(told["source"])
        both, count = tables_of(told), len(told["tables"])
        self.tables = {table.name: table for table in both[:count]}
        self.value_sets = {value_set.name: value_set for value_set in both[count:]}
        self.externs = {extern.name: extern for extern in externs_of(told)}

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


def action_of(table: Table, name: str) -> Action:
    """Raises: Refused."""
    for action in table.actions:
        if action.name == name:
            return action
    raise Refused(f"{table.name} has no action {name}", "INVALID_ACTION_NAME")


def _found(among: dict[str, Given], name: str, code: str) -> Given:
    if name not in among:
        raise Refused(f"there is no {name}", code)
    return among[name]


class Switch:
    """A running switch. Its socket takes one request at a time, from whichever thread."""

    def __init__(self, socket: Path) -> None:
        self._client = Client(socket)
        self._lock = threading.Lock()
        self.replaced = False  # it runs another program than at first, or is about to
        self.config: str | None = None  # of the program that was loaded last, as it was given

    @cached_property
    def program(self) -> Program:
        return Program(self.described())

    def forget_program(self) -> None:
        """Another one runs from now on."""
        self.replaced, self.config = True, None
        self.__dict__.pop("program", None)

    def load(self, library: Path, config: str | None) -> None:
        """Make a program ready. All that is asked for from now on is of that one, as in BMv2. Raises: Refused, ControlError."""
        self.command("load_program", library)
        self.ask(lambda client: client.of_next(True))
        self.forget_program()
        self.config = config

    def swap(self) -> None:
        """It runs from now on. Raises: Refused, ControlError."""
        self.ask(lambda client: client.of_next(False))
        self.command("swap_programs")

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
