"""The state of a switch as a whole: forgotten, or written as commands that make it again (docs/control.md, `--entries`).

As in BMv2, the written state is tables with their default entries, members, groups and meters. Handles are given anew, in
the order of the old ones.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from macsad.described import Action, Extern, Table
from macsad.thrift.described import Struct, standard
from macsad.thrift.entries import data_words, key_words
from macsad.thrift.externs import RATES, Externs
from macsad.thrift.profiles import Profiles
from macsad.thrift.switch import Switch, action_of

_TYPES = standard.BmActionEntryType


class State(Externs, Profiles):
    """What a switch has at the moment."""

    def __init__(self, switch: Switch) -> None:
        self.switch = switch
        self.profiles = list(switch.program.of_kind("action_profile", "action_selector").values())
        self.members = {one.name: list(self.bm_mt_act_prof_get_members(0, one.name)) for one in self.profiles}
        self.groups = {
            one.name: list(self.bm_mt_act_prof_get_groups(0, one.name)) if one.kind == "action_selector" else []
            for one in self.profiles
        }

    # --- written ------------------------------------------------------------------------------------------------------

    def profile(self, profile: Extern) -> Iterator[str]:
        """Its members and groups."""
        actions = {action.name: action for action in self.switch.program.profile_actions(profile)}
        for member in self.members[profile.name]:
            words = data_words(actions[member.action_name], member.action_data)
            yield " ".join(["act_prof_create_member", profile.name, member.action_name, *words])
        for number, group in enumerate(self.groups[profile.name]):
            yield f"act_prof_create_group {profile.name}"
            for handle in group.mbr_handles:
                yield f"act_prof_add_member_to_group {profile.name} {self._new(self.members, profile.name, handle)} {number}"

    def _new(self, among: dict[str, list[Struct]], profile: str, handle: int) -> int:
        """The handle that a member or group will have: its place."""
        handles = [one.mbr_handle if among is self.members else one.grp_handle for one in among[profile]]
        return handles.index(handle)

    def table(self, table: Table, told: dict[str, Any]) -> Iterator[str]:
        """Its default entry, and its entries in the order of their handles. `told`: as DESCRIBE has it."""
        if not told["const_default"]:
            yield from self._default_line(table)
        if told["const_entries"] or not table.key:
            return
        yield f"table_clear {table.name}"
        meter = next(
            (one for one in self.switch.program.of_kind("direct_meter").values() if one.table == table.name), None
        )
        for number, (entry, index) in enumerate(self.rules(table)):
            priority = [str(entry.options.priority)] if table.has_priority else []
            yield " ".join([self._added(table, entry), *priority])
            if entry.life is not None and entry.life.timeout_ms:
                yield f"table_set_timeout {table.name} {number} {entry.life.timeout_ms}"
            if meter is not None:
                yield from self._meter_line(meter, index, number)

    def _added(self, table: Table, entry: Struct) -> str:
        key, made = key_words(table, entry.match_key), entry.action_entry
        if made.action_type == _TYPES.ACTION_DATA:
            words = data_words(_action(table, made), made.action_data)
            return " ".join(["table_add", table.name, made.action_name, *key, "=>", *words])
        grouped = made.action_type == _TYPES.GRP_HANDLE
        command = "table_indirect_add_with_group" if grouped else "table_indirect_add"
        return " ".join([command, table.name, *key, "=>", str(self._target(table, made))])

    def _target(self, table: Table, made: Struct) -> int:
        grouped = made.action_type == _TYPES.GRP_HANDLE
        among, handle = (self.groups, made.grp_handle) if grouped else (self.members, made.mbr_handle)
        return self._new(among, str(table.profile), handle)

    def _default_line(self, table: Table) -> Iterator[str]:
        made = self._default(table)
        if made.action_type == _TYPES.ACTION_DATA:
            words = data_words(_action(table, made), made.action_data)
            yield " ".join(["table_set_default", table.name, made.action_name, *words])
        elif made.action_type in (_TYPES.MBR_HANDLE, _TYPES.GRP_HANDLE):
            behind = "_with_group" if made.action_type == _TYPES.GRP_HANDLE else ""
            yield f"table_indirect_set_default{behind} {table.name} {self._target(table, made)}"

    def meters(self) -> Iterator[str]:
        for meter in self.switch.program.of_kind("meter").values():
            for index in range(meter.size):
                yield from self._meter_line(meter, index, index)

    def _meter_line(self, meter: Extern, index: int, place: int) -> Iterator[str]:
        """`place`: by which the command will find it."""
        rates = self._rates(meter, index)
        if rates:
            told = " ".join(f"{one.units_per_micros!r}:{one.burst_size}" for one in rates)
            yield f"meter_set_rates {meter.name} {place} {told}"

    # --- forgotten ----------------------------------------------------------------------------------------------------

    def forgotten(self) -> Iterator[str]:
        """Commands after which the switch is as it was when it started, but for meters."""
        for table in self.switch.described()["tables"]:
            if not table["const_entries"]:
                yield f"table_clear {table['name']}"
            if not table["const_default"]:
                yield f"table_reset_default {table['name']}"
        for profile in self.profiles:
            for group in self.groups[profile.name]:
                yield f"act_prof_delete_group {profile.name} {group.grp_handle}"
            for member in self.members[profile.name]:
                yield f"act_prof_delete_member {profile.name} {member.mbr_handle}"
        for one in self.switch.program.of_kind("counter", "direct_counter", "register").values():
            yield f"{one.kind.removeprefix('direct_')}_reset {one.name}"
        yield "mc_clear"

    def without_rates(self) -> None:
        for meter in self.switch.program.of_kind("meter", "direct_meter").values():
            self._write(meter, range(meter.size), RATES.pack(0, 0, 0, 0, 0))


def _action(table: Table, made: Struct) -> Action:
    return action_of(table, made.action_name)


def reset(switch: Switch) -> None:
    """Tables, members, groups, counters, meters, registers and multicast groups as they were when the switch started;
    constant entries and clone sessions stay, as in BMv2. Raises: ControlError."""
    state = State(switch)
    lines = list(state.forgotten())
    switch.ask(lambda client: client.bulk(lines, keep_going=True))
    state.without_rates()


def serialized(switch: Switch) -> str:
    """Commands, a line each. Raises: ControlError."""
    state = State(switch)
    lines = [line for profile in state.profiles for line in state.profile(profile)]
    for told in switch.described()["tables"]:
        lines += state.table(switch.program.table(told["name"]), told)
    lines += state.meters()
    return "".join(f"{line}\n" for line in lines)
