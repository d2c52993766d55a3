"""The commands of simple_switch_CLI: what BMv2 prints before and behind the switch's own answer, those that are called
otherwise on the control socket, and those that a macsad switch has no use for, each with why."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

from macsad.control import Client
from macsad.shims.echoes import ECHOES

Words = list[str]
_SAME_AS = {
    "table_indirect_create_member": "act_prof_create_member",
    "table_indirect_delete_member": "act_prof_delete_member",
    "table_indirect_modify_member": "act_prof_modify_member",
    "table_indirect_create_group": "act_prof_create_group",
    "table_indirect_delete_group": "act_prof_delete_group",
    "table_indirect_add_member_to_group": "act_prof_add_member_to_group",
    "table_indirect_remove_member_from_group": "act_prof_remove_member_from_group",
    "table_indirect_delete": "table_delete",
    "table_indirect_reset_default": "table_reset_default",
}
_NOT_HERE = {
    "mc_set_lag_membership": "there are no link aggregation groups here",
    "load_new_config_file": "a running switch takes no other program: end it and start it anew",
    "swap_configs": "a running switch takes no other program: end it and start it anew",
    "serialize_state": "the state of a switch cannot be written",
    "write_config_to_file": "the switch has its program as machine code, and not its JSON",
    "set_crc16_parameters": "the parameters of crc16_custom cannot be changed while the switch runs",
    "set_crc32_parameters": "the parameters of crc32_custom cannot be changed while the switch runs",
    "set_toeplitz_hash_key": "there is no Toeplitz hash here",
    "set_queue_depth": "packets do not wait in queues here",
    "set_queue_rate": "packets do not wait in queues here",
    "port_add": "ports are those that the switch was started with (-i)",
    "port_remove": "ports are those that the switch was started with (-i)",
    "act_prof_dump": "members and groups cannot be listed yet",
    "act_prof_dump_member": "members and groups cannot be listed yet",
    "act_prof_dump_group": "members and groups cannot be listed yet",
    "table_dump_member": "members and groups cannot be listed yet",
    "table_dump_group": "members and groups cannot be listed yet",
}


class Wrong(Exception):
    """What is wrong with a command, as BMv2 tells it."""


class Commands:
    def __init__(self, client: Client) -> None:
        self.client = client
        self.program: dict[str, Any] = client.describe()
        self.own: dict[str, Callable[[Words], str]] = {
            "greet": lambda _: "hello\n",
            "help": self._help,
            "show_ports": self._show_ports,
            "show_pvs": self._show_pvs,
            "switch_info": self._switch_info,
            "reset_state": self._reset_state,
            "get_time_since_epoch": lambda _: f"{time.time_ns() // 1000}\n",
            "table_dump_entry_from_key": self._dump_by_key,
        }

    def names(self) -> list[str]:
        """All commands."""
        known = self._known()
        return sorted({*known, *_SAME_AS, *_NOT_HERE, *self.own})

    def objects(self) -> list[str]:
        """What commands name: tables and externs."""
        return [one["name"] for one in (*self.program["tables"], *self.program["externs"])]

    def answer(self, words: Words) -> str:
        """What a command prints, its mistakes included. Raises: ControlError, where the switch has gone."""
        try:
            return self._answer(words)
        except Wrong as wrong:
            return f"Error: {wrong}\n"

    def _answer(self, words: Words) -> str:
        name, *arguments = words
        if name in _NOT_HERE:
            raise Wrong(f"{name}: {_NOT_HERE[name]}")
        if name in self.own:
            return self.own[name](arguments)
        if name in _SAME_AS:
            name, arguments = self._current(name, arguments)
        if name not in self._known():
            return f"*** Unknown syntax: {' '.join(words)}\n"
        before = ECHOES[name](self.program, arguments) if name in ECHOES else ""
        reply = self.client.command(" ".join([name, *arguments]))
        if not reply.ok:
            raise Wrong(reply.text)
        return before + reply.text

    def _known(self) -> list[str]:
        """The commands of the control socket."""
        lines = self.client.command("help").text.splitlines()
        return [line.split()[0] for line in lines if line and not line.startswith(" ")]

    def _current(self, name: str, arguments: Words) -> tuple[str, Words]:
        """A command by its later name. The older ones of members and groups name a table, not its profile."""
        current = _SAME_AS[name]
        if current.startswith("act_prof_") and arguments:
            arguments = [self._profile_of(arguments[0], current), *arguments[1:]]
        return current, arguments

    def _profile_of(self, table: str, current: str) -> str:
        name = self._table(table)["name"]
        profiles = [one for one in self.program["externs"] if one["kind"] in ("action_profile", "action_selector")]
        found = [one["name"] for one in profiles if one.get("table") == name] or [one["name"] for one in profiles]
        if len(found) != 1:
            raise Wrong(f"which action profile {table} has is not told: use {current} with its name")
        return str(found[0])

    def _table(self, name: str) -> dict[str, Any]:
        found = [t for t in self.program["tables"] if t["name"] == name or t["name"].endswith(f".{name}")]
        if len(found) != 1:
            raise Wrong(f"Invalid table name ({name})")
        return dict(found[0])

    # --- commands of their own ---------------------------------------------------------------------------------------

    def _help(self, words: Words) -> str:
        if words and words[0] in _NOT_HERE:
            return f"{words[0]}: {_NOT_HERE[words[0]]}\n"
        if words and words[0] in self._known():
            return self.client.command(f"help {words[0]}").text
        return "\nDocumented commands (type help <topic>):\n" + "".join(f"{name}\n" for name in self.names())

    def _show_ports(self, _: Words) -> str:
        lines = [f"{'port #':^10}{'iface name':^20}{'status':^10}extra info", "=" * 50]
        lines += [f"{one['port']:^10}{one['name']:^20}{'UP':^10}" for one in self.client.describe()["ports"]]
        return "\n".join(lines) + "\n"

    def _show_pvs(self, _: Words) -> str:
        sets = self.program.get("value_sets", [])
        return "".join(f"{one['name']:30} [{', '.join(str(f['bits']) for f in one['key'])}]\n" for one in sets)

    def _switch_info(self, _: Words) -> str:
        told = (
            ("device_id", 0), ("thrift_port", ""), ("notifications_socket", ""), ("elogger_socket", ""), ("debugger_socket", ""),
            ("program", self.program["source"]),
        )  # fmt: skip
        return "".join(f"{name:25}: {value}\n" for name, value in told)

    def _reset_state(self, _: Words) -> str:
        """Tables, counters and registers, as they were when the switch started; constant entries stay."""
        lines = []
        for table in self.program["tables"]:
            if not table["const_entries"]:
                lines.append(f"table_clear {table['name']}")
            if not table["const_default"]:
                lines.append(f"table_reset_default {table['name']}")
        for one in self.program["externs"]:
            if one["kind"] in ("counter", "direct_counter", "register"):
                lines.append(f"{one['kind'].removeprefix('direct_')}_reset {one['name']}")
        reply = self.client.bulk(lines, keep_going=True)
        if reply.failed:
            raise Wrong(reply.text)
        return ""

    def _dump_by_key(self, words: Words) -> str:
        """The entry whose key is written as that of table_add, found among all."""
        if not words:
            raise Wrong("Insufficient number of args")
        table = self._table(words[0])
        lines = self.client.command(f"table_dump {table['name']}").text
        wanted = [_spelled(word, field) for word, field in zip(words[1:], table["key"], strict=False)]
        for block in lines.split("**********\n")[1:]:
            keys = [line.split(": ", 1)[1].split(None, 1)[1].strip() for line in block.splitlines() if line[:2] == "* "]
            if keys == wanted:
                return block.partition("==========")[0]
        raise Wrong("Invalid table operation (BAD_MATCH_KEY): no entry has this key")


def _spelled(word: str, field: dict[str, Any]) -> str:
    """A key as a dump has it, of numbers; other ways of writing it are not looked for."""
    size = (field["bits"] + 7) // 8 * 2

    def number(text: str) -> str:
        try:
            return f"{int(text, 0):0{size}x}"
        except ValueError:
            raise Wrong(f"Invalid match key: {text}: a number is expected") from None

    match field["match"]:
        case "lpm":
            value, _, length = word.partition("/")
            return f"{number(value)}/{length}"
        case "ternary" if "&&&" in word:
            value, _, mask = word.partition("&&&")
            return f"{number(value)} &&& {number(mask)}"
        case "range" if "->" in word:
            low, _, high = word.partition("->")
            return f"{number(low)} -> {number(high)}"
    return number(word)
