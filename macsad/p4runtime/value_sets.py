"""Parser value sets. P4Runtime spec 1.4.1 section 9.6."""

from __future__ import annotations

import struct
from collections.abc import Iterator

from macsad.control import Client
from macsad.p4runtime import entries
from macsad.p4runtime.codes import Code, Refused, refusal
from macsad.p4runtime.found import Found, form_of
from macsad.p4runtime.messages import Message, message
from macsad.p4runtime.program import Program, Table
from macsad.protocol import Update

MODIFY = 2
_HEAD = struct.Struct(">BH")


def write(client: Client, program: Program, kind: int, given: Message) -> None:
    """The set has these members from now on. Raises: Refused."""
    table = program.value_set(given.value_set_id)
    if kind != MODIFY:
        raise Refused(Code.INVALID_ARGUMENT, "a value set is always there: it can be modified")
    wanted = [entries.key_of(table, member) for member in given.members]
    if len(set(wanted)) != len(wanted):
        raise Refused(Code.ALREADY_EXISTS, f"{table.name} has a member twice")
    if len(wanted) > table.size:
        raise Refused(Code.RESOURCE_EXHAUSTED, f"{table.name} has room for {table.size} members")
    there = {found.key for found in _members(client, table)}
    removed = [_HEAD.pack(Update.REMOVE, table.number) + key for key in there.difference(wanted)]
    added = [_HEAD.pack(Update.ADD, table.number) + key for key in wanted if key not in there]
    room = len(there) + len(added) <= table.size  # members that stay and those that come match all the time
    for outcome, _ in client.update(added + removed if room else removed + added):
        if refused := refusal(outcome):
            raise refused


def read(client: Client, program: Program, asked: Message) -> Iterator[Message]:
    """The value sets that a ValueSetEntry with the id left out stands for."""
    number = asked.value_set_id
    for table in [program.value_set(number)] if number else program.value_sets.values():
        entity = message("Entity")()
        made = entity.value_set_entry
        made.value_set_id = table.id
        for found in _members(client, table):
            made.members.add().match.extend(form_of(table).entry(found).match)
        yield entity


def clear(client: Client, program: Program) -> None:
    """Empty all of them."""
    for table in program.value_sets.values():
        client.update([_HEAD.pack(Update.REMOVE, table.number) + found.key for found in list(_members(client, table))])


def _members(client: Client, table: Table) -> Iterator[Found]:
    for part in client.read_entries(table.number):
        yield from form_of(table).all(part)
