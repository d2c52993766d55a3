"""Generated entries and frames, read back and run through the interpreter."""

from __future__ import annotations

import struct
from collections import Counter, defaultdict
from collections.abc import Iterator
from pathlib import Path

from macsad.generation import Order
from transpiler.hlir.program import MatchKind, Program, Table
from transpiler.interpreter import Switch
from transpiler.interpreter.matches import PRIORITY_KINDS, Exact, Match, Prefix, Range, Ternary
from transpiler.interpreter.tables import GroupRef, MemberRef
from transpiler.interpreter.trace import Event


def order(folder: Path, **wanted: object) -> Order:
    """An order of few entries and frames, but for what is said."""
    usual: dict[str, object] = {
        "entries": 100, "tables": (), "lengths": (), "packets": 400, "hit": 1.0, "flows": "uniform", "size": "64",
        "ports": 2, "port": 0, "seed": 1,
    }  # fmt: skip
    return Order(folder, **{**usual, **wanted})  # type: ignore[arg-type]


def frames(folder: Path, name: str = "packets.pcap") -> list[bytes]:
    """The frames of a pcap file."""
    data = (folder / name).read_bytes()
    assert struct.unpack_from("<IHH", data) == (0xA1B2C3D4, 2, 4)
    found, at = [], 24
    while at < len(data):
        captured, length = struct.unpack_from("<II", data, at + 8)
        assert captured == length
        found.append(data[at + 16 : at + 16 + captured])
        at += 16 + captured
    return found


def commands(folder: Path) -> list[list[str]]:
    """The words of each line of the entries file."""
    return [line.split() for line in (folder / "entries.txt").read_text().splitlines()]


def keys_of(table: Table, words: list[str]) -> tuple[Match, ...]:
    """The match of each key field."""
    kinds = [key.match_kind for key in table.keys if key.match_kind is not MatchKind.SELECTOR]
    return tuple(_match(kind, word) for kind, word in zip(kinds, words, strict=True))


def _match(kind: MatchKind, word: str) -> Match:
    match kind:
        case MatchKind.LPM:
            value, _, length = word.partition("/")
            return Prefix(int(value, 0), int(length))
        case MatchKind.TERNARY | MatchKind.OPTIONAL:
            value, _, mask = word.partition("&&&")
            return Ternary(int(value, 0), int(mask, 0))
        case MatchKind.RANGE:
            low, _, high = word.partition("->")
            return Range(int(low, 0), int(high, 0))
    return Exact(int(word, 0))


class Handles:
    """Of members and groups by profile and number, as the switch counts them; the interpreter counts them together."""

    def __init__(self) -> None:
        self.members: dict[str, list[int]] = defaultdict(list)
        self.groups: dict[str, list[int]] = defaultdict(list)


def load(switch: Switch, program: Program, lines: list[list[str]]) -> Counter[str]:
    """Give the entries to the interpreter, which refuses equal ones; how many each table got."""
    count: Counter[str] = Counter()
    handles = Handles()
    for words in lines:
        _do(switch, program, words, handles)
        if words[0].startswith("table_"):
            count[words[1]] += 1
    return count


def _do(switch: Switch, program: Program, words: list[str], handles: Handles) -> None:
    values = [int(word, 0) for word in words[3:]] if words[0].startswith("act_prof_") else []
    copies = switch.replication
    match words[0]:
        case "act_prof_create_member":
            handles.members[words[1]].append(switch.member_create(words[1], words[2], tuple(values)))
        case "act_prof_create_group":
            handles.groups[words[1]].append(switch.group_create(words[1]))
        case "act_prof_add_member_to_group":
            member = handles.members[words[1]][int(words[2], 0)]
            switch.group_add_member(words[1], handles.groups[words[1]][values[0]], member)
        case "mc_mgrp_create":
            copies.create_group(int(words[1]))
        case "mc_node_create":
            copies.create_node(int(words[1]), tuple(map(int, words[2:])))
        case "mc_node_associate":
            copies.associate(int(words[1]), int(words[2]))
        case "mirroring_add":
            switch.mirroring_add(int(words[1]), int(words[2]))
        case _:
            _add(switch, program.table[words[1]], words, handles)


def _add(switch: Switch, table: Table, words: list[str], handles: Handles) -> None:
    first = 3 if words[0] == "table_add" else 2
    arrow = words.index("=>")
    keys, rest = keys_of(table, words[first:arrow]), [int(word, 0) for word in words[arrow + 1 :]]
    priority = -rest.pop() if any(key.match_kind in PRIORITY_KINDS for key in table.keys) else 0
    profile = table.implementation or ""
    match words[0]:
        case "table_add":
            switch.table_add(table.name, keys, words[2], tuple(rest), priority)
        case "table_indirect_add":
            switch.table_add_indirect(table.name, keys, MemberRef(handles.members[profile][rest[0]]), priority)
        case _:
            switch.table_add_indirect(table.name, keys, GroupRef(handles.groups[profile][rest[0]]), priority)


def run(switch: Switch, sent_in: list[bytes], port: int = 0) -> tuple[dict[str, float], Counter[int]]:
    """The part of each table's lookups that hit, and how many frames went out of each port."""
    looked, hit, out = Counter[str](), Counter[str](), Counter[int]()

    def tell(event: Event) -> None:
        if event.kind == "table":
            name = event.text.partition("(")[0]
            looked[name] += 1
            hit[name] += ": hit entry" in event.text

    switch.trace = tell
    for frame in sent_in:
        out.update(to for to, _ in switch.process(port, frame))
    return {name: hit[name] / looked[name] for name in looked}, out


def internet_checksums(sent_in: list[bytes]) -> Iterator[int]:
    """The sum over each IPv4 header: 0xffff where its checksum is right."""
    for frame in sent_in:
        if frame[12:14] == b"\x08\x00":
            total = sum(struct.unpack(">10H", frame[14:34]))
            yield (total & 0xFFFF) + (total >> 16)
