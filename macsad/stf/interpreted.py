"""The interpreter as a device."""

from __future__ import annotations

from collections.abc import Sequence

from macsad.stf.device import Digest, Frame
from transpiler.hlir.program import Program
from transpiler.interpreter import Switch
from transpiler.interpreter.matches import Match
from transpiler.interpreter.tables import GroupRef, MemberRef
from transpiler.interpreter.trace import Trace, silent


class InterpretedDevice:
    """Processes each frame as it comes in; `switch` is there for whoever wants to see more."""

    def __init__(self, program: Program, *, seed: int = 0, trace: Trace = silent) -> None:
        self.switch = Switch(program, seed=seed, trace=trace)
        self._sent: list[Frame] = []

    def add_entry(
        self, table: str, matches: tuple[Match | None, ...], action: str, arguments: tuple[int, ...], priority: int
    ) -> int:
        return self.switch.table_add(table, matches, action, arguments, priority)

    def remove_entry(self, table: str, handle: int) -> None:
        self.switch.table_delete(table, handle)

    def clear_table(self, table: str) -> None:
        self.switch.table_clear(table)

    def set_default(self, table: str, action: str, arguments: tuple[int, ...]) -> None:
        self.switch.table_set_default(table, action, arguments)

    def member_create(self, profile: str, action: str, arguments: tuple[int, ...]) -> int:
        return self.switch.member_create(profile, action, arguments)

    def selector_group_create(self, profile: str, members: Sequence[int]) -> int:
        group = self.switch.group_create(profile)
        for member in members:
            self.switch.group_add_member(profile, group, member)
        return group

    def add_indirect_entry(
        self, table: str, matches: tuple[Match | None, ...], handle: int, priority: int, *, group: bool
    ) -> int:
        choice = GroupRef(handle) if group else MemberRef(handle)
        return self.switch.table_add_indirect(table, matches, choice, priority)

    def value_set_add(self, value_set: str, member: tuple[Match, ...]) -> None:
        self.switch.value_set_add(value_set, member)

    def digests(self) -> list[Digest]:
        sent, self.switch.store.digests = self.switch.store.digests, []
        return [(record.instance, record.values) for record in sent]

    def inject(self, port: int, data: bytes) -> None:
        self._sent += self.switch.process(port, data)

    def inject_all(self, port: int, frames: Sequence[bytes]) -> None:
        for frame in frames:
            self.inject(port, frame)

    def collect(self) -> list[Frame]:
        sent, self._sent = self._sent, []
        return sent

    def counter(self, name: str, index: int) -> tuple[int, int]:
        count = self.switch.counter(name, index)
        return count.packets, count.bytes

    def counter_write(self, name: str, index: int, packets: int, octets: int) -> None:
        count = self.switch.counter(name, index)
        count.packets, count.bytes = packets, octets

    def register_read(self, name: str, index: int) -> int:
        return self.switch.register_read(name, index)

    def register_write(self, name: str, index: int, value: int) -> None:
        self.switch.register_write(name, index, value)

    def register_reset(self, name: str) -> None:
        self.switch.register_reset(name)

    def meter_set_rates(self, name: str, index: int, committed: tuple[float, int], peak: tuple[float, int]) -> None:
        self.switch.meter_set_rates(name, index, committed, peak)

    def mirroring_add(self, session: int, port: int, most: int = 0, service: int = 0) -> None:
        self.switch.mirroring_add(session, port, most, service)

    def mirroring_add_group(self, session: int, group: int, most: int = 0, service: int = 0) -> None:
        self.switch.mirroring_add_group(session, group, most, service)

    def mirroring_delete(self, session: int) -> None:
        self.switch.mirroring_delete(session)

    def port_direction(self, port: int, *, host: bool) -> None:
        self.switch.port_direction(port, host=host)

    def group_create(self, group: int) -> None:
        self.switch.replication.create_group(group)

    def node_create(self, rid: int, ports: tuple[int, ...]) -> int:
        return self.switch.replication.create_node(rid, ports)

    def node_update(self, node: int, ports: tuple[int, ...]) -> None:
        self.switch.replication.update_node(node, ports)

    def node_associate(self, group: int, node: int) -> None:
        self.switch.replication.associate(group, node)

    def close(self) -> None:
        """Nothing to give back."""
