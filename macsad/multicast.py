"""Multicast groups as the command mc_dump tells them (docs/control.md)."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

_GROUP = re.compile(r"mgrp\((\d+)\)")
_NODE = re.compile(r"L1h=(\d+), rid=(\d+)\) -> \(ports=\[(.*?)\], lags=\[(.*?)\]")
_LAG = re.compile(r"lag\((\d+)\) -> ports=\[(.*?)\]")


@dataclass(frozen=True, slots=True)
class Node:
    rid: int
    ports: tuple[int, ...]
    lags: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Multicast:
    """Groups as handles of nodes; nodes by handle; the ports of link aggregation groups."""

    groups: dict[int, list[int]] = field(default_factory=dict)
    nodes: dict[int, Node] = field(default_factory=dict)
    lags: dict[int, tuple[int, ...]] = field(default_factory=dict)


def multicast_of(told: str) -> Multicast:
    """What mc_dump has printed."""
    found, group = Multicast(), 0
    for line in told.splitlines():
        if match := _GROUP.match(line):
            group = int(match[1])
            found.groups[group] = []
        elif match := _NODE.search(line):
            found.groups[group].append(int(match[1]))
            found.nodes[int(match[1])] = Node(int(match[2]), _listed(match[3]), _listed(match[4]))
        elif match := _LAG.match(line):
            found.lags[int(match[1])] = _listed(match[2])
    return found


def _listed(text: str) -> tuple[int, ...]:
    return tuple(int(word) for word in text.split(", ") if word)
