"""The interpreter's packet replication engine."""

from __future__ import annotations

import pytest

from transpiler.interpreter.replication import Replication, Session
from transpiler.interpreter.tables import ControlError


@pytest.fixture
def made() -> Replication:
    made = Replication()
    made.create_group(0)
    made.associate(0, made.create_node(7, (0, 2)))
    made.associate(0, made.create_node(0, (1,)))
    return made


@pytest.mark.parametrize(
    ("session", "copies"),
    [
        (None, []), (Session(), []), (Session(port=3), [(3, 0)]), (Session(port=0), [(0, 0)]),
        (Session(group=0), [(0, 7), (2, 7), (1, 0)]), (Session(group=9), []),
        (Session(port=0, group=0), [(0, 7), (2, 7), (1, 0), (0, 0)]),
    ],
)  # fmt: skip
def test_what_a_session_makes(made: Replication, session: Session | None, copies: list[tuple[int, int]]) -> None:
    if session is not None:
        made.sessions[0] = session
    assert made.clones(0) == copies and made.clones(1) == []


@pytest.mark.parametrize(("most", "left"), [(0, b"abcd"), (1, b"a"), (4, b"abcd"), (5, b"abcd")])
def test_clones_are_cut(most: int, left: bytes) -> None:
    made = Replication()
    made.sessions[0] = Session(port=1, most=most, service=5)
    assert (made.cut(0, b"abcd"), made.most(0), made.service(0)) == (left, most, 5)
    assert (made.cut(1, b"abcd"), made.most(1), made.service(1)) == (b"abcd", 0, 0)


def test_nodes_by_their_handles(made: Replication) -> None:
    assert made.copies(0) == [(0, 7), (2, 7), (1, 0)] and made.copies(1) == []
    made.update_node(1, (5,))
    assert made.copies(0) == [(0, 7), (2, 7), (5, 0)]
    made.update_node(0, (9,))
    assert made.copies(0) == [(9, 7), (5, 0)]
    for handle in (-1, 2):
        with pytest.raises(ControlError, match=f"there is no multicast node {handle}"):
            made.update_node(handle, ())


def test_groups_are_made_of_what_is_there(made: Replication) -> None:
    for said, request in (
        ("multicast group 0 exists already", lambda: made.create_group(0)),
        ("there is no multicast group 1", lambda: made.associate(1, 0)),
        ("there is no multicast node 2", lambda: made.associate(0, 2)),
        ("there is no multicast node -1", lambda: made.associate(0, -1)),
    ):
        with pytest.raises(ControlError) as told:
            request()
        assert str(told.value) == said
    assert made.groups == {0: [0, 1]}


def test_a_port_gets_as_many_copies_as_it_is_named() -> None:
    made = Replication()
    made.create_group(1)
    for ports in ((2, 2), (2,)):
        made.associate(1, made.create_node(5, ports))
    assert made.copies(1) == [(2, 5)] * 3


def test_a_whole_frame_may_be_long() -> None:
    made = Replication()
    made.sessions[3] = Session(port=1)
    assert len(made.cut(3, bytes(9000))) == 9000
