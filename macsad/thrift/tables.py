"""Methods of the service standard: tables, direct and indirect."""

from __future__ import annotations

import re
import struct
from collections.abc import Sequence

from macsad.described import Table
from macsad.protocol import GROUP, MADE_BY_COMMAND, MEMBER, Outcome, Reading, Update
from macsad.thrift.described import Struct, standard
from macsad.thrift.entries import (
    data_words,
    default,
    key_bytes,
    key_words,
    rules,
    signed,
    unsigned,
)
from macsad.thrift.refusals import Refused, refuses
from macsad.thrift.switch import Switch, action_of

_refuses = refuses(standard.InvalidTableOperation, standard.TableOperationErrorCode)
_HANDLE = re.compile(r"handle (\d+)")
_OUTCOMES = {
    Outcome.NONE: "INVALID_MBR_HANDLE",
    Outcome.CONSTANT: "IMMUTABLE_TABLE_ENTRIES",
    Outcome.FULL: "TABLE_FULL",
}


def handle_of(answer: str) -> int:
    """The handle that a command has printed."""
    found = _HANDLE.search(answer)
    if found is None:
        raise Refused(f"no handle in: {answer}")
    return signed(int(found[1]))


def life_of(timeout: int, since: int) -> Struct:
    """BmMtEntryLife, of nanoseconds."""
    longest = (1 << 31) - 1
    return standard.BmMtEntryLife(
        timeout_ms=min(timeout // 1_000_000, longest), time_since_hit_ms=min(since // 1_000_000, longest)
    )


class Tables:
    switch: Switch

    def _table(self, name: str, *, indirect: bool | None = None) -> Table:
        """Raises: Refused, for a table without (with) an action profile where `indirect` (not)."""
        table = self.switch.program.table(name)
        if indirect is not None and indirect != (table.profile is not None):
            raise Refused(f"{name} is {'not ' if indirect else ''}indirect", "WRONG_TABLE_TYPE")
        return table

    def _selecting(self, name: str) -> Table:
        table = self._table(name, indirect=True)
        if self.switch.program.profile(str(table.profile)).kind != "action_selector":
            raise Refused(f"{name} has no selector", "WRONG_TABLE_TYPE")
        return table

    def _add(self, command: str, table: Table, key: Sequence[Struct], before: list[str], behind: list[str],
             options: Struct) -> int:  # fmt: skip
        if not table.key:
            raise Refused(f"{table.name} has no key", "NO_TABLE_KEY")
        priority = [options.priority or 0] if table.has_priority else []
        return handle_of(
            self.switch.command(command, table.name, *before, *key_words(table, key), "=>", *behind, *priority)
        )

    def rule(self, table: Table, handle: int) -> tuple[Struct, bytes, int]:
        """An entry, its key and its index. Raises: Refused."""
        asked = struct.pack(">Q", unsigned(handle))
        found = self.switch.ask(lambda client: client.read_entry(table.number, asked, Reading.RULE))
        if found is None:
            raise Refused(f"{table.name} has no such entry")
        return self._aged(table, found)

    def _aged(self, table: Table, found: bytes) -> tuple[Struct, bytes, int]:
        """The same, of what was read of one entry."""
        ((entry, raw, index),) = rules(table, found)
        if table.support_timeout:
            ((timeout, since),) = self.switch.ask(lambda client: client.read_ages(table.number, index, 1))
            entry.life = life_of(timeout, since)
        return entry, raw, index

    @_refuses
    def bm_mt_get_num_entries(self, table_name: str) -> int:
        return int(self.switch.command("table_num_entries", self._table(table_name).name))

    @_refuses
    def bm_mt_clear_entries(self, table_name: str, reset_default_entry: bool) -> None:
        table = self._table(table_name)
        self.switch.command("table_clear", table.name)
        if reset_default_entry:
            self.switch.command("table_reset_default", table.name)

    @_refuses
    def bm_mt_add_entry(self, table_name: str, match_key: Sequence[Struct], action_name: str,
                        action_data: Sequence[bytes], options: Struct) -> int:  # fmt: skip
        table = self._table(table_name, indirect=False)
        action = action_of(table, action_name)
        return self._add("table_add", table, match_key, [action.name], data_words(action, action_data), options)

    @_refuses
    def bm_mt_set_default_action(self, table_name: str, action_name: str, action_data: Sequence[bytes]) -> None:
        table = self._table(table_name, indirect=False)
        action = action_of(table, action_name)
        self.switch.command("table_set_default", table.name, action.name, *data_words(action, action_data))

    @_refuses
    def bm_mt_reset_default_entry(self, table_name: str) -> None:
        self.switch.command("table_reset_default", self._table(table_name).name)

    @_refuses
    def bm_mt_delete_entry(self, table_name: str, entry_handle: int) -> None:
        self.switch.command("table_delete", self._table(table_name, indirect=False).name, unsigned(entry_handle))

    @_refuses
    def bm_mt_modify_entry(
        self, table_name: str, entry_handle: int, action_name: str, action_data: Sequence[bytes]
    ) -> None:
        table = self._table(table_name, indirect=False)
        action = action_of(table, action_name)
        words = data_words(action, action_data)
        self.switch.command("table_modify", table.name, action.name, unsigned(entry_handle), *words)

    @_refuses
    def bm_mt_set_entry_ttl(self, table_name: str, entry_handle: int, timeout_ms: int) -> None:
        table = self._table(table_name)
        self.switch.command("table_set_timeout", table.name, unsigned(entry_handle), timeout_ms)

    # --- what a table has ---------------------------------------------------------------------------------------------

    @_refuses
    def bm_mt_get_entries(self, table_name: str) -> list[Struct]:
        table = self._table(table_name)
        return [entry for entry, _ in self.rules(table)]

    def rules(self, table: Table) -> list[tuple[Struct, int]]:
        """All entries, each with its index."""
        parts = self.switch.ask(lambda client: list(client.read_entries(table.number, Reading.RULES)))
        found = [(entry, index) for part in parts for entry, _, index in rules(table, part)]
        if table.support_timeout and found:
            count = 1 + max(index for _, index in found)
            ages = self.switch.ask(lambda client: client.read_ages(table.number, 0, count))
            for entry, index in found:
                entry.life = life_of(*ages[index])
        return found

    @_refuses
    def bm_mt_get_entry(self, table_name: str, entry_handle: int) -> Struct:
        return self.rule(self._table(table_name), entry_handle)[0]

    @_refuses
    def bm_mt_get_default_entry(self, table_name: str) -> Struct:
        return self._default(self._table(table_name))

    def _default(self, table: Table) -> Struct:
        return default(table, self.switch.ask(lambda client: client.read_default(table.number)))

    @_refuses
    def bm_mt_get_entry_from_key(self, table_name: str, match_key: Sequence[Struct], options: Struct) -> Struct:
        table = self._table(table_name)
        if not match_key:
            empty = standard.BmAddEntryOptions()
            return standard.BmMtEntry(match_key=[], options=empty, entry_handle=0, action_entry=self._default(table))
        key = key_bytes(table, match_key, options.priority or 0)
        found = self.switch.ask(lambda client: client.read_entry(table.number, key, Reading.RULE_OF_KEY))
        if found is None:
            raise Refused(f"{table.name} has no entry with this key", "BAD_MATCH_KEY")
        return self._aged(table, found)[0]

    # --- indirect tables ----------------------------------------------------------------------------------------------

    @_refuses
    def bm_mt_indirect_add_entry(
        self, table_name: str, match_key: Sequence[Struct], mbr_handle: int, options: Struct
    ) -> int:
        table = self._table(table_name, indirect=True)
        return self._add("table_indirect_add", table, match_key, [], [str(mbr_handle)], options)

    @_refuses
    def bm_mt_indirect_ws_add_entry(
        self, table_name: str, match_key: Sequence[Struct], grp_handle: int, options: Struct
    ) -> int:
        table = self._selecting(table_name)
        return self._add("table_indirect_add_with_group", table, match_key, [], [str(grp_handle)], options)

    def _point(self, table: Table, entry_handle: int, kind: int, handle: int) -> None:
        """Let an entry name a member or a group."""
        key = self.rule(table, entry_handle)[1]
        change = (
            struct.pack(">BH", Update.MODIFY, table.number)
            + key
            + struct.pack(">IQ", kind, MADE_BY_COMMAND | unsigned(handle))
        )
        ((outcome, _),) = self.switch.ask(lambda client: client.update([change]))
        if outcome is not Outcome.DONE:
            code = "INVALID_GRP_HANDLE" if (kind, outcome) == (GROUP, Outcome.NONE) else _OUTCOMES.get(outcome, "ERROR")
            raise Refused(f"{outcome.name}", code)

    @_refuses
    def bm_mt_indirect_modify_entry(self, table_name: str, entry_handle: int, mbr_handle: int) -> None:
        self._point(self._table(table_name, indirect=True), entry_handle, MEMBER, mbr_handle)

    @_refuses
    def bm_mt_indirect_ws_modify_entry(self, table_name: str, entry_handle: int, grp_handle: int) -> None:
        self._point(self._selecting(table_name), entry_handle, GROUP, grp_handle)

    @_refuses
    def bm_mt_indirect_delete_entry(self, table_name: str, entry_handle: int) -> None:
        self.switch.command("table_delete", self._table(table_name, indirect=True).name, unsigned(entry_handle))

    @_refuses
    def bm_mt_indirect_set_entry_ttl(self, table_name: str, entry_handle: int, timeout_ms: int) -> None:
        table = self._table(table_name, indirect=True)
        self.switch.command("table_set_timeout", table.name, unsigned(entry_handle), timeout_ms)

    @_refuses
    def bm_mt_indirect_set_default_member(self, table_name: str, mbr_handle: int) -> None:
        self.switch.command("table_indirect_set_default", self._table(table_name, indirect=True).name, mbr_handle)

    @_refuses
    def bm_mt_indirect_ws_set_default_group(self, table_name: str, grp_handle: int) -> None:
        self.switch.command("table_indirect_set_default_with_group", self._selecting(table_name).name, grp_handle)

    @_refuses
    def bm_mt_indirect_reset_default_entry(self, table_name: str) -> None:
        self.switch.command("table_reset_default", self._table(table_name, indirect=True).name)
