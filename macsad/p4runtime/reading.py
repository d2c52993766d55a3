"""Read: the entities that a request names or leaves open, as the switch has them. P4Runtime spec 1.4.1 section 13."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from macsad.control import Client
from macsad.p4runtime import elements, replication, table_reading, value_sets
from macsad.p4runtime.codes import Code, Refused
from macsad.p4runtime.device import Device
from macsad.p4runtime.messages import Message, message
from macsad.p4runtime.program import Extern, Program, Table
from macsad.p4runtime.roles import RoleConfig
from macsad.p4runtime.wire import Heads
from macsad.protocol import Idle

_ENTITY = Heads(1)  # of ReadResponse


def read(device: Device, asked: Iterable[Message], config: RoleConfig | None = None) -> Iterator[bytes]:
    """The entities, those that are the role's, as parts of a ReadResponse: some at a time. Raises: Refused."""
    for one in asked:
        match one.WhichOneof("entity"):
            case "table_entry":
                yield from _entries(device, one.table_entry, config)
            case "direct_counter_entry" | "direct_meter_entry" as kind:
                yield from _direct(device, kind, getattr(one, kind), config)
            case kind:
                for entity in _others(device, kind, one):
                    if config is None or config.covers(entity):
                        yield _ENTITY.on(entity.SerializeToString())


def entities(device: Device, asked: Message) -> list[Message]:
    """All entities that one stands for. Raises: Refused."""
    return table_reading.objects(read(device, [asked]))


def _others(device: Device, kind: str | None, entity: Message) -> Iterator[Message]:
    client, program, profiles = device.client, device.program, device.profiles
    match kind:
        case "action_profile_member":
            yield from profiles.read_members(entity.action_profile_member)
        case "action_profile_group":
            yield from profiles.read_groups(entity.action_profile_group)
        case "counter_entry":
            yield from _elements(client, program, entity.counter_entry, "counter")
        case "meter_entry":
            yield from _elements(client, program, entity.meter_entry, "meter")
        case "register_entry":
            yield from _elements(client, program, entity.register_entry, "register")
        case "digest_entry":
            yield from device.digests.read(entity.digest_entry)
        case "value_set_entry":
            yield from value_sets.read(client, program, entity.value_set_entry)
        case "packet_replication_engine_entry":
            yield from replication.read(client, entity.packet_replication_engine_entry)
        case None:
            raise Refused(Code.INVALID_ARGUMENT, "an entity is empty")
        case _:
            raise Refused(Code.UNIMPLEMENTED, f"{kind} is not implemented")


def _tables(program: Program, number: int, config: RoleConfig | None) -> list[Table]:
    """The table of that id, or all, those that are the role's."""
    named = [program.table(number)] if number else program.tables.values()
    return [table for table in named if config is None or config.has(table.id)]


def _entries(device: Device, asked: Message, config: RoleConfig | None) -> Iterator[bytes]:
    for table in _tables(device.program, asked.table_id, config):
        yield from table_reading.table_entries(device.client, device.profiles, table, asked)


def _direct(device: Device, kind: str, asked: Message, config: RoleConfig | None) -> Iterator[bytes]:
    number = asked.table_entry.table_id
    for table in _tables(device.program, number, config):
        extern = table.counter if kind == "direct_counter_entry" else table.meter
        if extern is not None:
            yield from table_reading.direct(device.client, table, extern, kind, asked.table_entry)
        elif number:
            raise Refused(Code.INVALID_ARGUMENT, f"{table.name} has none")


def expired(client: Client, program: Program, idle: Idle) -> Iterator[Message]:
    """The TableEntry of each entry that nothing has hit for longer than it may."""
    table = next((table for table in program.tables.values() if table.number == idle.table), None)
    if table is not None:  # else it is of the program before
        yield from table_reading.expired(client, table, idle)


def index_of(extern: Extern, entry: Message) -> int:
    """The index in an entry of a counter, meter or register. Raises: Refused."""
    if not 0 <= entry.index.index < extern.size:
        raise Refused(Code.OUT_OF_RANGE, f"{extern.name} has {extern.size} elements, no {entry.index.index}")
    return int(entry.index.index)


def _elements(client: Client, program: Program, asked: Message, kind: str) -> Iterator[Message]:
    number = getattr(asked, f"{kind}_id")
    if not number and asked.HasField("index"):
        raise Refused(Code.INVALID_ARGUMENT, f"an index without a {kind}")
    every = [extern for extern in program.externs.values() if extern.kind == kind]
    for extern in [program.extern(number, kind)] if number else every:
        first, count = (index_of(extern, asked), 1) if asked.HasField("index") else (0, extern.size)
        for index, element in elements.read(client, extern, first, count):
            entity = message("Entity")()
            made = getattr(entity, f"{kind}_entry")
            setattr(made, f"{kind}_id", extern.id)
            made.index.index = index
            match kind:
                case "counter":
                    made.data.MergeFromString(elements.counter_data(element))
                    made.data.SetInParent()
                case "meter":
                    config = elements.meter_config(element)
                    if config is not None:
                        made.config.MergeFromString(config)
                        made.config.SetInParent()
                case _:
                    elements.values(program, extern).unpack(element, made.data)
            yield entity
