"""Multicast groups and clone sessions, as the control plane sets them up.

A node is a replication id with ports; groups are made of nodes. Their handles are numbers given in order, from 0.
"""

from __future__ import annotations

from dataclasses import dataclass

from transpiler.interpreter.tables import ControlError


@dataclass(frozen=True, slots=True)
class Node:
    """Copies with this replication id go to these ports."""

    rid: int
    ports: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Session:
    """Where clones of a session go: to a port, to the members of a group, or both; how long they may be (0: whole); and their
    class of service."""

    port: int | None = None
    group: int | None = None
    most: int = 0
    service: int = 0


class Replication:
    """The packet replication engine's configuration."""

    def __init__(self) -> None:
        self.nodes: list[Node] = []
        self.groups: dict[int, list[int]] = {}
        self.sessions: dict[int, Session] = {}

    def create_group(self, group: int) -> None:
        """Raises: ControlError when it exists."""
        if group in self.groups:
            raise ControlError(f"multicast group {group} exists already")
        self.groups[group] = []

    def create_node(self, rid: int, ports: tuple[int, ...]) -> int:
        """Returns the node's handle."""
        self.nodes.append(Node(rid, ports))
        return len(self.nodes) - 1

    def update_node(self, node: int, ports: tuple[int, ...]) -> None:
        """Raises: ControlError when there is no such node."""
        self.nodes[node] = Node(self._node(node).rid, ports)

    def associate(self, group: int, node: int) -> None:
        """Put a node into a group. Raises: ControlError when either is not there."""
        if group not in self.groups:
            raise ControlError(f"there is no multicast group {group}")
        self._node(node)
        self.groups[group].append(node)

    def copies(self, group: int) -> list[tuple[int, int]]:
        """(port, replication id) of each copy that the group makes."""
        nodes = (self.nodes[handle] for handle in self.groups.get(group, ()))
        return [(port, node.rid) for node in nodes for port in node.ports]

    def clones(self, session: int) -> list[tuple[int, int]]:
        """(port, replication id) of each clone that the session makes."""
        found = self.sessions.get(session, Session())
        copies = self.copies(found.group) if found.group is not None else []
        return copies + ([(found.port, 0)] if found.port is not None else [])

    def cut(self, session: int, data: bytes) -> bytes:
        """What the session's clones of a frame carry of it."""
        return data[: self.most(session) or len(data)]

    def most(self, session: int) -> int:
        """How many bytes the session's clones may have; 0: any number."""
        return self.sessions.get(session, Session()).most

    def service(self, session: int) -> int:
        """The class of service of the session's clones."""
        return self.sessions.get(session, Session()).service

    def _node(self, node: int) -> Node:
        if not 0 <= node < len(self.nodes):
            raise ControlError(f"there is no multicast node {node}")
        return self.nodes[node]
