"""A session with a switch: its clients, its program, and the table of commands."""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from macsad.shims.cli.program import Program
from macsad.thrift.described import Struct

Words = list[str]


@dataclass(slots=True)
class Session:
    """`standard`, `multicast`, `target`: clients of the services; `lags`: multicast has link aggregation groups; it is None
    where a script wants none. `program` changes where another one is loaded."""

    standard: Any
    multicast: Any
    target: Any
    lags: bool
    program: Program

    def say(self, *words: object) -> None:
        print(*words)

    def note(self, text: str) -> None:
        """Where nobody looks for an answer."""
        print(text, file=sys.stderr)


Run = Callable[[Session, Words], None]


@dataclass(frozen=True, slots=True)
class Command:
    """`names`: the kind of thing that its first word names, an attribute of Program, for completion."""

    run: Run
    usage: str
    help: str
    names: str


COMMANDS: dict[str, Command] = {}


def command(usage: str, help: str, names: str = "") -> Callable[[Run], Run]:
    """Enters a function as the command of its name."""

    def enter(run: Run) -> Run:
        COMMANDS[run.__name__] = Command(run, usage, help, names)
        return run

    return enter


def data_shown(data: list[bytes]) -> str:
    return ", ".join(value.hex() for value in data)


def say_action(session: Session, entry: Struct) -> None:
    """What an entry does (BmActionEntry)."""
    if entry.action_name is not None:
        session.say(f"Action entry: {entry.action_name} - {data_shown(entry.action_data)}")
    elif entry.mbr_handle is not None:
        session.say(f"Index: member({entry.mbr_handle})")
    elif entry.grp_handle is not None:
        session.say(f"Index: group({entry.grp_handle})")
    else:
        session.say("EMPTY")
