"""What a test needs of a switch, whichever it is. Names are full control-plane names; matches are the interpreter's.

Every request of the control plane raises ControlError (`transpiler.interpreter`) when it cannot be carried out.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from transpiler.interpreter.matches import Match

Frame = tuple[int, bytes]  # port, bytes
Digest = tuple[str, tuple[int, ...]]  # name of the digest, the values of its record


class Device(Protocol):
    """A switch under test."""

    def add_entry(
        self, table: str, matches: tuple[Match | None, ...], action: str, arguments: tuple[int, ...], priority: int
    ) -> int:
        """Add an entry: a match per non-selector key, None for any value; the larger priority wins. Returns its handle."""
        ...

    def remove_entry(self, table: str, handle: int) -> None: ...

    def clear_table(self, table: str) -> None: ...

    def set_default(self, table: str, action: str, arguments: tuple[int, ...]) -> None: ...

    def member_create(self, profile: str, action: str, arguments: tuple[int, ...]) -> int:
        """Create a member of an action profile. Returns its handle; handles count from 0."""
        ...

    def selector_group_create(self, profile: str, members: Sequence[int]) -> int:
        """Create a group of an action selector. Returns its handle; handles count from 0, apart from those of members."""
        ...

    def add_indirect_entry(
        self, table: str, matches: tuple[Match | None, ...], handle: int, priority: int, *, group: bool
    ) -> int:
        """Add an entry that names a member or a group of the table's profile. Returns the entry's handle."""
        ...

    def value_set_add(self, value_set: str, member: tuple[Match, ...]) -> None:
        """Add a member to a parser value set."""
        ...

    def inject(self, port: int, data: bytes) -> None:
        """Let a frame come in at a port; frames of one port are processed in order."""
        ...

    def inject_all(self, port: int, frames: Sequence[bytes]) -> None:
        """Let frames come in together, so that they may make bursts."""
        ...

    def collect(self) -> list[Frame]:
        """Wait until all that came in is dealt with. Returns what went out since the last call; order holds per port."""
        ...

    def digests(self) -> list[Digest]:
        """What was sent to the control plane since the last call, in order."""
        ...

    def counter(self, name: str, index: int) -> tuple[int, int]:
        """(packets, bytes) of an element; for a direct counter the index is the handle of an entry."""
        ...

    def counter_write(self, name: str, index: int, packets: int, octets: int) -> None: ...

    def register_read(self, name: str, index: int) -> int: ...

    def register_write(self, name: str, index: int, value: int) -> None: ...

    def register_reset(self, name: str) -> None: ...

    def meter_set_rates(self, name: str, index: int, committed: tuple[float, int], peak: tuple[float, int]) -> None:
        """Rates are (units per microsecond, burst in units)."""
        ...

    def mirroring_add(self, session: int, port: int, most: int = 0, service: int = 0) -> None:
        """Clones have `most` bytes at most; 0: any number."""
        ...

    def mirroring_add_group(self, session: int, group: int, most: int = 0, service: int = 0) -> None: ...

    def mirroring_delete(self, session: int) -> None: ...

    def port_direction(self, port: int, *, host: bool) -> None:
        """What a port receives comes from the host, or from the network, as it is at first."""
        ...

    def group_create(self, group: int) -> None: ...

    def node_create(self, rid: int, ports: tuple[int, ...]) -> int:
        """Returns the node's handle; handles count from 0."""
        ...

    def node_update(self, node: int, ports: tuple[int, ...]) -> None: ...

    def node_associate(self, group: int, node: int) -> None: ...

    def close(self) -> None: ...
