"""The interpreter with what a running switch holds: entries, members, groups, sessions, and state as it is when it is read.

Tables of exact and lpm fields are asked for the entry that a key hits; others are read as a whole, and again where the switch
says that something may have changed. Registers and rates of meters are read where a packet needs them: a register then has
what this packet, and those behind it, have written already.
"""

from __future__ import annotations

import re
import struct
from collections.abc import Callable, Iterator
from typing import Any

from macsad.control import Client
from macsad.described import Call as Said, Extern, Match as SaidMatch, Reader, Table, externs_of, tables_of
from macsad.multicast import multicast_of
from macsad.protocol import GROUP, MEMBER, ControlError, Reading
from transpiler.externs.meter import Meter, MeterArray
from transpiler.externs.register import Register
from transpiler.hlir.arithmetic import ones
from transpiler.hlir.program import Program
from transpiler.interpreter import Switch
from transpiler.interpreter.matches import Exact, Match, Prefix, Range, Ternary
from transpiler.interpreter.replication import Replication, Session
from transpiler.interpreter.tables import Call, Choice, Entry, GroupRef, MemberRef, Profile, RuntimeTable
from transpiler.interpreter.trace import Trace
from transpiler.interpreter.watch import NOBODY, Watch

_RATES = struct.Struct(">Bdddd")
_PER_US = 1e-6
_LAG_HASH = 255  # the port of a link aggregation group: of this number, modulo how many there are
_SESSION = re.compile(r": (port|multicast group) (\d+)(?:, at most (\d+) bytes)?(?:, priority (\d+))?")


class AnotherProgram(ControlError):
    """The switch runs another program than the one whose packets are told."""


class Live:
    """A program's interpreter, whose state is that of a switch; `run` tells of one frame."""

    def __init__(self, program: Program, client: Client, trace: Trace, watch: Watch = NOBODY) -> None:
        """Raises: AnotherProgram, ControlError."""
        self._client, self._now_us = client, 0
        self.switch = Switch(program, clock=lambda: self._now_us, trace=trace, watch=watch)
        self._changes = -1
        told = client.describe()
        self._swaps = told["swaps"]
        self._use(told)

    def _use(self, told: dict[str, Any]) -> None:
        both, count = tables_of(told), len(told["tables"])
        tables, externs = {table.name: table for table in both[:count]}, externs_of(told)
        self._value_sets = both[count:]
        self._profiles = [one for one in externs if one.kind in ("action_profile", "action_selector")]
        store = self.switch.store
        if set(tables) != set(store.tables) or {one.name for one in self._profiles} != set(store.profiles):
            raise AnotherProgram(f"the switch runs another program: {told['name']}, of {told['source']}")
        self._tables = {
            name: _LiveTable(
                self.switch.program, table.declared, tables[name], self._client, self._direct(tables[name], externs)
            )
            for name, table in store.tables.items()
        }
        store.tables.update(self._tables)
        for extern in externs:
            if extern.kind == "register":
                store.replace(extern.name, _LiveRegister(extern, self._client))
            elif extern.kind == "meter":
                store.replace(extern.name, _LiveMeters(extern.unit, extern.size, self._rates(extern)))
        self.switch.replication.sessions = _Sessions(self._client)

    def _direct(self, table: Table, externs: tuple[Extern, ...]) -> Callable[[int, int], None]:
        """Sets the rates of an entry's direct meters, by its handle and its index."""
        meters = [one for one in externs if one.kind == "direct_meter" and one.table == table.name]

        def set_rates(handle: int, index: int) -> None:
            for one in meters:
                self.switch.store.state(one.name, MeterArray).meters[handle] = self._rates(one)(index)

        return set_rates

    def _rates(self, meter: Extern) -> Callable[[int], Meter]:
        """Reads a meter; its buckets are full."""

        def read(index: int) -> Meter:
            made = Meter()
            has, cir, cburst, pir, pburst = _RATES.unpack(
                self._client.read_elements(meter.number, index, 1, _RATES.size)
            )
            if has:
                made.set_rates((cir * _PER_US, round(cburst)), (pir * _PER_US, round(pburst)), self._now_us)
            return made

        return read

    def refresh(self, changes: int) -> None:
        """The switch says so much of how often it was changed. Raises: AnotherProgram, ControlError."""
        if changes == self._changes:
            return
        told = self._client.describe()
        if told["swaps"] != self._swaps:
            raise AnotherProgram(f"the switch runs another program now: {told['name']}")
        self._changes = changes
        for profile in self._profiles:
            self._read_profile(profile)
        for table in self._tables.values():
            table.refresh(self.switch.store.profiles)
        for value_set in self._value_sets:
            self.switch.store.value_sets[value_set.name] = list(self._members(value_set))
        self._read_groups()

    def _members(self, value_set: Table) -> Iterator[tuple[Match, ...]]:
        for part in self._client.read_entries(value_set.number):
            reader = Reader(value_set, part)
            while reader.more:
                matches, _, _ = reader.key()
                reader.number(4)
                yield tuple(map(_match, matches))

    def _read_profile(self, profile: Extern) -> None:
        kept = self.switch.store.profiles[profile.name]
        table = next((table.said for table in self._tables.values() if table.said.profile == profile.name), None)
        if table is None:
            return
        kept.members, kept.groups = {}, {}
        for part in self._client.read_profile(Reading.MEMBERS, profile.number):
            reader = Reader(table, part)
            while reader.more:
                number, call = reader.number(8), reader.call()
                kept.members[number] = _call(table, call)
        for part in self._client.read_profile(Reading.GROUPS, profile.number) if kept.selector else ():
            reader = Reader(table, part)
            while reader.more:
                number, count = reader.number(8), reader.number(4)
                weighted = sorted((reader.number(8), reader.number(4)) for _ in range(count))
                kept.groups[number] = [member for member, weight in weighted for _ in range(weight)]

    def _read_groups(self) -> None:
        found = multicast_of(self._client.command("mc_dump").text)
        replication = Replication()
        handles = {}
        for handle, node in found.nodes.items():
            lags = [found.lags[lag] for lag in node.lags if found.lags.get(lag)]
            ports = (*node.ports, *(ports[_LAG_HASH % len(ports)] for ports in lags))
            handles[handle] = replication.create_node(node.rid, ports)
        self.switch.replication.nodes = replication.nodes
        self.switch.replication.groups = {
            group: [handles[handle] for handle in nodes] for group, nodes in found.groups.items()
        }

    def run(self, port: int, frame: bytes, time_ns: int) -> list[tuple[int, bytes]]:
        """What becomes of a frame: what is sent of it. Raises: ControlError."""
        self._now_us = time_ns // 1000
        store = self.switch.store
        store.digests.clear()
        store.log.clear()
        for register in store.states(Register).values():
            register.elements.clear()
        return self.switch.process(port, frame)


def _call(table: Table, said: Said) -> Call:
    """Of a member; what is no action runs nothing."""
    if said.number >= len(table.actions):
        return Call("")
    return Call(table.actions[said.number].name, tuple(int.from_bytes(value, "big") for value in said.data))


def _choice(table: Table, said: Said) -> Choice:
    if said.number == MEMBER:
        return MemberRef(said.named)
    return GroupRef(said.named) if said.number == GROUP else _call(table, said)


def _match(said: SaidMatch) -> Match:
    value, second = int.from_bytes(said.value, "big"), int.from_bytes(said.second, "big")
    match said.field.kind:
        case "exact":
            return Exact(value)
        case "lpm":
            return Prefix(value, second)
        case "range":
            return Range(value, second)
    return Ternary(value, second)


class _LiveTable(RuntimeTable):
    """`said`: the table as the switch has it."""

    def __init__(
        self, program: Program, declared: Any, said: Table, client: Client, found: Callable[[int, int], None]
    ) -> None:
        super().__init__(program, declared)
        self.said, self._client, self._found = said, client, found
        self._indices: dict[int, int] = {}

    def refresh(self, profiles: dict[str, Profile]) -> None:
        """Read the default entry, and entries that cannot be asked for by their key. Raises: ControlError."""
        reader = Reader(self.said, self._client.read_default(self.said.number))
        reader.number(4)
        choice = _choice(self.said, reader.call())
        if isinstance(choice, MemberRef):
            choice = profiles[str(self.said.profile)].members.get(choice.member, Call(""))
        self.default = choice if isinstance(choice, Call) else Call(f"a member of group {choice.group}")
        if self.said.has_priority:
            self.entries = {}
            for part in self._client.read_entries(self.said.number, Reading.RULES):
                reader = Reader(self.said, part)
                while reader.more:
                    entry, index = self._read(reader)
                    self.entries[entry.handle], self._indices[entry.handle] = entry, index

    def _read(self, reader: Reader) -> tuple[Entry, int]:
        """An entry with its handle, and its index."""
        handle = reader.number(8)
        matches, priority, _ = reader.key()
        index = reader.number(4)
        return Entry(handle, tuple(map(_match, matches)), _choice(self.said, reader.call()), priority or 0), index

    def lookup(self, values: tuple[int, ...]) -> Entry | None:
        """Raises: ControlError."""
        if self.said.has_priority:
            found = super().lookup(values)
            if found is not None:
                self._found(found.handle, self._indices[found.handle])
            return found
        for key in self._keys(values) if self.keys else ():
            answer = self._client.read_entry(self.said.number, key, Reading.RULE_OF_KEY)
            if answer is not None:
                entry, index = self._read(Reader(self.said, answer))
                self._found(entry.handle, index)
                return entry
        return None

    def _keys(self, values: tuple[int, ...]) -> Iterator[bytes]:
        """The keys of entries that these values could hit, the longest prefix first."""
        fields = self.said.key
        longest = next((field.bits for field in fields if field.kind == "lpm"), 0)
        for length in range(longest, -1, -1):
            parts = []
            for field, value in zip(fields, values[: len(fields)], strict=True):
                if field.kind == "lpm":
                    kept = value & (ones(field.bits) ^ ones(field.bits) >> length)
                    parts.append(kept.to_bytes(field.bytes, "big") + length.to_bytes(2, "big"))
                else:
                    parts.append(value.to_bytes(field.bytes, "big"))
            yield b"".join(parts)


class _LiveRegister(Register):
    """`elements`: what the packet at hand has written, which is not written to the switch."""

    def __init__(self, extern: Extern, client: Client) -> None:
        super().__init__(extern.bits, extern.size)
        self._extern, self._client = extern, client

    def read(self, index: int) -> int:
        if index in self.elements or index >= self.size:
            return super().read(index)
        return int.from_bytes(self._client.read_elements(self._extern.number, index, 1, (self.width + 7) // 8), "big")


class _LiveMeters(MeterArray):
    def __init__(self, unit: str, size: int, read: Callable[[int], Meter]) -> None:
        super().__init__(unit, size)
        self._read = read

    def colour(self, index: int, length: int, now_us: int, before: int = 0) -> int:
        if self.size is not None and index < self.size:
            self.meters[index] = self._read(index)
        return super().colour(index, length, now_us, before)


class _Sessions(dict[int, Session]):
    """Clone sessions, asked for one by one."""

    def __init__(self, client: Client) -> None:
        super().__init__()
        self._client = client

    def get(self, session: int, default: Any = None) -> Any:
        reply = self._client.command(f"mirroring_get {session}")
        told = _SESSION.search(reply.text) if reply.ok else None
        if told is None:
            return default
        number, most, service = (int(word or 0) for word in told.groups()[1:])
        port, group = (number, None) if told[1] == "port" else (None, number)
        return Session(port, group, most, service)
