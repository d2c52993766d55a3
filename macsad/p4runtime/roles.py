"""What a role is responsible for: Role.config. P4Runtime spec 1.4.1 section 5.2.

The specification leaves the form of a configuration open; this is Stratum's, `stratum.P4RoleConfig`. A role without one is
responsible for everything.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from macsad.p4runtime.codes import Code, Refused
from macsad.p4runtime.messages import Message, message, messages

_FORM = "stratum.P4RoleConfig"
# Where the id of P4Info is in an entity; that of what has none, as a multicast group, is 0.
_IDS: dict[str, Callable[[Message], int]] = {
    "table_entry": lambda entity: entity.table_entry.table_id,
    "action_profile_member": lambda entity: entity.action_profile_member.action_profile_id,
    "action_profile_group": lambda entity: entity.action_profile_group.action_profile_id,
    "meter_entry": lambda entity: entity.meter_entry.meter_id,
    "direct_meter_entry": lambda entity: entity.direct_meter_entry.table_entry.table_id,
    "counter_entry": lambda entity: entity.counter_entry.counter_id,
    "direct_counter_entry": lambda entity: entity.direct_counter_entry.table_entry.table_id,
    "value_set_entry": lambda entity: entity.value_set_entry.value_set_id,
    "register_entry": lambda entity: entity.register_entry.register_id,
    "digest_entry": lambda entity: entity.digest_entry.digest_id,
}


@dataclass(frozen=True, slots=True)
class RoleConfig:
    """What a role writes, reads and is told of."""

    exclusive: frozenset[int]  # ids that no other role has
    shared: frozenset[int]
    packets: bool
    packet_filter: tuple[int, int] | None  # metadata and its value; None: all packets
    pipelines: bool

    @staticmethod
    def of(given: Message) -> RoleConfig:
        """Of a google.protobuf.Any. Raises: Refused."""
        config = messages().of(_FORM)()
        if not given.Is(config.DESCRIPTOR):
            raise Refused(Code.UNIMPLEMENTED, f"the configuration of a role is a {_FORM}")
        try:
            given.Unpack(config)
        except Exception:  # DecodeError, of whichever protobuf there is
            raise Refused(Code.INVALID_ARGUMENT, f"the configuration of the role is not a {_FORM}") from None
        exclusive, shared = frozenset(config.exclusive_p4_ids), frozenset(config.shared_p4_ids)
        if exclusive & shared:
            raise Refused(Code.INVALID_ARGUMENT, f"{_ids(exclusive & shared)}: exclusive and shared at once")
        asked = config.packet_in_filter
        only = (asked.metadata_id, int.from_bytes(asked.value, "big")) if config.HasField("packet_in_filter") else None
        return RoleConfig(exclusive, shared, config.receives_packet_ins, only, config.can_push_pipeline)

    def require_beside(self, other: RoleConfig) -> None:
        """What is a role's alone is not in another's. Raises: Refused."""
        twice = self.exclusive & (other.exclusive | other.shared) | self.shared & other.exclusive
        if twice:
            raise Refused(Code.INVALID_ARGUMENT, f"{_ids(twice)}: exclusive to a role, and in another one")

    def covers(self, entity: Message) -> bool:
        kind = entity.WhichOneof("entity")
        number = _IDS[kind](entity) if kind in _IDS else 0
        return self.has(number)

    def has(self, number: int) -> bool:
        return number in self.exclusive or number in self.shared

    def part(self, response: Message) -> Message | None:
        """What of a StreamMessageResponse is for the role; None: nothing."""
        match response.WhichOneof("update"):
            case "packet":
                return response if self._takes(response.packet) else None
            case "digest":
                return response if response.digest.digest_id in self.exclusive | self.shared else None
            case "idle_timeout_notification":
                part = message("StreamMessageResponse")()
                part.CopyFrom(response)
                told = part.idle_timeout_notification
                del told.table_entry[:]
                told.table_entry.extend(
                    entry
                    for entry in response.idle_timeout_notification.table_entry
                    if entry.table_id in self.exclusive | self.shared
                )
                return part if told.table_entry else None
            case _:
                return response

    def _takes(self, packet: Message) -> bool:
        if self.packet_filter is None or not self.packets:
            return self.packets
        number, value = self.packet_filter
        return any(
            metadata.metadata_id == number and int.from_bytes(metadata.value, "big") == value
            for metadata in packet.metadata
        )


def _ids(numbers: frozenset[int]) -> str:
    return "id " + ", ".join(map(str, sorted(numbers)))


def write_within(
    config: RoleConfig | None,
    updates: Sequence[Message],
    write: Callable[[Sequence[Message]], list[Refused | None]],
    *,
    all_or_nothing: bool,
) -> list[Refused | None]:
    """`write` of the updates that are the role's, and what became of each. All or nothing: none, if one is not."""
    if config is None or all(config.covers(update.entity) for update in updates):
        return write(updates)
    mine = [config.covers(update.entity) for update in updates]
    denied = Refused(Code.PERMISSION_DENIED, "the role is not responsible for this entity")
    if all_or_nothing:
        aborted = Refused(Code.ABORTED, "an update of the batch failed")
        return [aborted if allowed else denied for allowed in mine]
    results = iter(write([update for update, allowed in zip(updates, mine, strict=True) if allowed]))
    return [next(results) if allowed else denied for allowed in mine]
