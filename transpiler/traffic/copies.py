"""Multicast groups and clone sessions for generated traffic: a few of the numbers that its frames ask for are there.

A number comes from an entry's action data, from the program or from the frame. The first few that are asked for while frames
are looked for are set up as the control plane would. No two of them differ in one bit alone, so that turning over a bit of an
action's data shows whether it is such a number. Each group and session has one copy, to the first port behind the one that
frames come in at.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from transpiler.interpreter.execute import Runaway
from transpiler.interpreter.replication import Replication, Session

MOST = 4  # groups, and sessions
MOST_TIMES = 2  # that a frame has copies of one of them: a program that clones its clones does not end
RID = 1  # replication id of a group's copies

GROUP, SESSION = "group", "session"
Used = tuple[str, int]  # kind and number


class Copies(Replication):
    """`open`: numbers that are asked for may still be added. `used`: those that the last frame had copies of; `endless`: it had
    too many."""

    def __init__(self, port: int, known: Iterable[Used] = ()) -> None:
        super().__init__()
        self.port, self.open = port, True
        self.begin()
        for kind, number in known:
            self._add(kind, number)
        self.open = False

    def begin(self) -> None:
        """Another frame comes."""
        self.used: dict[Used, int] = {}
        self.endless = False

    def copies(self, group: int) -> list[tuple[int, int]]:
        """As of a group that is there, if it may be. Raises: Runaway."""
        self._add(GROUP, group)
        return self._counted((GROUP, group), super().copies(group))

    def clones(self, session: int) -> list[tuple[int, int]]:
        """As of a session that is there, if it may be. Raises: Runaway."""
        self._add(SESSION, session)
        return self._counted((SESSION, session), super().clones(session))

    def _counted(self, of: Used, copies: list[tuple[int, int]]) -> list[tuple[int, int]]:
        if copies:
            self.used[of] = self.used.get(of, 0) + 1
            if self.used[of] > MOST_TIMES:
                self.endless = True
                raise Runaway
        return copies

    def _add(self, kind: str, number: int) -> None:
        there = self.groups if kind == GROUP else self.sessions
        if (
            not self.open
            or not number
            or len(there) == MOST
            or any((number ^ other).bit_count() < 2 for other in there)
        ):
            return
        if kind == GROUP:
            self.create_group(number)
            self.associate(number, self.create_node(RID, (self.port,)))
        else:
            self.sessions[number] = Session(self.port)


def commands(used: Iterable[Used], port: int) -> Iterator[str]:
    """The control plane's commands that set these up on a switch that has just been started."""
    node = 0
    for kind, number in used:
        if kind == SESSION:
            yield f"mirroring_add {number} {port}"
            continue
        yield f"mc_mgrp_create {number}"
        yield f"mc_node_create {RID} {port}"
        yield f"mc_node_associate {number} {node}"
        node += 1
