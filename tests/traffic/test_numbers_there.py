"""Which groups and sessions are set up for generated frames, and how."""

from __future__ import annotations

import pytest

from transpiler.interpreter.execute import Runaway
from transpiler.traffic.copies import GROUP, MOST, MOST_TIMES, RID, SESSION, Copies, commands

PORT = 7


@pytest.mark.parametrize("kind", [GROUP, SESSION])
def test_numbers_are_there_only_if_they_were_asked_for_while_it_is_open(kind: str) -> None:
    copies = Copies(PORT, [(kind, 3)])

    def asked(number: int) -> list[tuple[int, int]]:
        copies.begin()
        return copies.copies(number) if kind == GROUP else copies.clones(number)

    (there,) = asked(3)
    assert PORT in there and copies.used == {(kind, 3): 1}
    assert not asked(12) and not copies.used
    copies.open = True
    assert asked(12) == asked(12) and len(asked(12)) == 1
    assert not asked(0) and not asked(13) and not asked(2)  # one bit from those that are there
    for number in (0x30, 0xC0, 0x300, 0xC00):
        asked(number)
    assert len(copies.groups if kind == GROUP else copies.sessions) == MOST
    assert asked(0xC0) and not asked(0x300)
    copies.open = False
    assert asked(12)


def test_groups_and_sessions_are_counted_apart() -> None:
    copies = Copies(PORT)
    copies.open = True
    copies.copies(3), copies.clones(3), copies.clones(3)
    assert copies.used == {(GROUP, 3): 1, (SESSION, 3): 2} and not copies.endless


def test_a_frame_that_is_copied_again_and_again_has_no_end() -> None:
    copies = Copies(PORT, [(SESSION, 3)])
    for _ in range(MOST_TIMES):
        copies.clones(3)
    assert not copies.endless
    with pytest.raises(Runaway):
        copies.clones(3)
    assert copies.endless
    copies.begin()
    assert not copies.endless and copies.clones(3)


def test_the_commands_that_set_them_up() -> None:
    """Nodes have numbers in the order in which they are made."""
    assert list(commands([(GROUP, 3), (SESSION, 3), (GROUP, 12)], PORT)) == [
        "mc_mgrp_create 3", f"mc_node_create {RID} 7", "mc_node_associate 3 0",
        "mirroring_add 3 7",
        "mc_mgrp_create 12", f"mc_node_create {RID} 7", "mc_node_associate 12 1",
    ]  # fmt: skip
