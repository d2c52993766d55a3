"""What BMv2's CLI prints beside the answers of the switch (behavioral-model, tools/runtime_CLI.py), as scripts look for it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

Words = list[str]
Program = dict[str, Any]
Echo = Callable[[Program, Words], str]
_KINDS = ("range", "ternary", "lpm")  # a table is of the first of these that one of its keys has, else exact


def kind_of(program: Program, name: str) -> str:
    """The kind of a table as BMv2 calls it; exact for one that is not known, of which the switch says so."""
    for table in program["tables"]:
        if table["name"] == name or table["name"].endswith(f".{name}"):
            kinds = {"ternary" if field["match"] == "optional" else field["match"] for field in table["key"]}
            return next((kind for kind in _KINDS if kind in kinds), "exact")
    return "exact"


def _word(words: Words, place: int) -> str:
    return words[place] if place < len(words) else ""


def _table_add(program: Program, words: Words) -> str:
    lines = [f"Adding entry to {kind_of(program, _word(words, 0))} match table {_word(words, 0)}"]
    if "=>" in words:
        place = words.index("=>")
        keys, data = words[2:place], words[place + 1 :]
        lines += [f"{'match key:':20} {'	'.join(keys)}", f"{'action:':20} {_word(words, 1)}"]
        lines.append(f"{'runtime data:':20} {'	'.join(data)}")
    return "\n".join(lines) + "\n"


def _table_modify(program: Program, words: Words) -> str:
    table = _word(words, 0)
    return f"Modifying entry {_word(words, 2)} for {kind_of(program, table)} match table {table}\n"


def _set_default(program: Program, words: Words) -> str:
    data = "\t".join(words[2:])
    return (
        f"Setting default action of {_word(words, 0)}\n{'action:':20} {_word(words, 1)}\n{'runtime data:':20} {data}\n"
    )


def _ports(words: Words) -> str:
    """The ports as BMv2's map: a bit each, the last one first."""
    numbers = [int(word) for word in words if word.isdecimal() and int(word) < 1 << 16]
    return "".join("1" if number in numbers else "0" for number in range(max(numbers, default=-1), -1, -1))


def _node(text: str) -> Echo:
    return lambda _, words: f"{text.format(_word(words, 0))}, port map {_ports(words[1:])} and lag map \n"


def _said(text: str) -> Echo:
    """With words of the command by their places; missing ones are the switch's to report."""
    return lambda _, words: text.format(*words, *[""] * 4) + "\n"


ECHOES: dict[str, Echo] = {
    "table_add": _table_add,
    "table_modify": _table_modify,
    "table_delete": _said("Deleting entry {1} from {0}"),
    "table_set_default": _set_default,
    "table_set_timeout": _said("Setting a {2} ms timeout for entry {1}"),
    "table_indirect_add": _said("Adding entry to indirect match table {0}"),
    "table_indirect_add_with_group": _said("Adding entry to indirect match table {0}"),
    "mc_mgrp_create": _said("Creating multicast group {0}"),
    "mc_mgrp_destroy": _said("Destroying multicast group {0}"),
    "mc_node_create": _node("Creating node with rid {}"),
    "mc_node_update": lambda _, words: (
        f"Updating node {_word(words, 0)} with port map {_ports(words[1:])} and lag map \n"
    ),
    "mc_node_associate": _said("Associating node {1} to multicast group {0}"),
    "mc_node_dissociate": _said("Dissociating node {1} from multicast group {0}"),
    "mc_node_destroy": _said("Destroying node {0}"),
}
