"""Members, groups and sets of actions. P4Runtime spec 1.4.1 section 9.2."""

from __future__ import annotations

import random
from typing import Any

import pytest
from controller import DELETE, INSERT, MODIFY, Controller, entity, octets, update
from switch_harness import ethernet

from macsad.p4runtime.codes import Code
from macsad.p4runtime.messages import message

OK = Code.OK
KIND = 0x1234


def member(controller: Controller, number: int, port: int = 0, profile: str = "ways") -> Any:
    made = message("ActionProfileMember")(action_profile_id=controller.id("action_profiles", profile), member_id=number)
    made.action.CopyFrom(controller.entry("lpm_t", {}, "forward", port).action.action)
    return made


def group(controller: Controller, number: int, *members: tuple[int, int], profile: str = "ways", **more: Any) -> Any:
    made = message("ActionProfileGroup")(action_profile_id=controller.id("action_profiles", profile), group_id=number)
    for name, value in more.items():
        setattr(made, name, value)
    for number, weight in members:
        made.members.add(member_id=number, weight=weight)
    return made


def named(controller: Controller, table: str = "selector_t", kind: int = KIND, **action: int) -> Any:
    entry = controller.entry(table, {1: octets(kind)})
    for name, value in action.items():
        setattr(entry.action, f"action_profile_{name}_id", value)
    return entry


def one_shot(controller: Controller, *actions: tuple[int, int], table: str = "selector_t", kind: int = KIND) -> Any:
    entry = controller.entry(table, {1: octets(kind)})
    for port, weight in actions:
        added = entry.action.action_profile_action_set.action_profile_actions.add(weight=weight)
        added.action.CopyFrom(controller.entry("lpm_t", {}, "forward", port).action.action)
    entry.action.action_profile_action_set.SetInParent()
    return entry


def changed(controller: Controller, kind: int, *entities: Any) -> list[Code]:
    names = {"ActionProfileMember": "action_profile_member", "ActionProfileGroup": "action_profile_group"}
    return controller.write(
        *(update(kind, **{names.get(e.DESCRIPTOR.name, "table_entry"): e}) for e in entities)  # type: ignore[arg-type]
    )


def members(controller: Controller, **asked: int) -> list[Any]:
    found = controller.read(entity(action_profile_member=message("ActionProfileMember")(**asked)))
    return [e.action_profile_member for e in found]


def groups(controller: Controller, **asked: int) -> list[Any]:
    found = controller.read(entity(action_profile_group=message("ActionProfileGroup")(**asked)))
    return [e.action_profile_group for e in found]


def entries(controller: Controller, table: str = "selector_t") -> list[Any]:
    return [e.table_entry for e in controller.read(entity(table_entry=controller.entry(table, {})))]


def test_members_and_groups(controller: Controller, served: Any) -> None:
    made = [member(controller, number, port) for number, port in ((5, 0), (0xFFFFFFFF, 1), (7, 0))]
    ways = group(controller, 5, (0xFFFFFFFF, 3), (5, 1))
    ways.members[0].watch_port = b"\1"
    entry = named(controller, group=5)
    updates = [update(INSERT, action_profile_member=m) for m in made]
    updates += [update(INSERT, action_profile_group=ways), update(INSERT, table_entry=entry)]
    assert controller.write(*updates) == [OK] * 5  # each needs the ones before it
    assert members(controller) == made
    assert members(controller, action_profile_id=made[0].action_profile_id, member_id=7) == [made[2]]
    assert groups(controller) == groups(controller, action_profile_id=ways.action_profile_id) == [ways]
    assert groups(controller, group_id=6) == []
    assert entries(controller) == [entry]
    dice = random.Random(1)
    frames = [(0, ethernet(dice.getrandbits(48), KIND)) for _ in range(400)]
    ports = [port for port, _ in served.switch.client.exchange(frames)]
    assert 0.65 < ports.count(1) / len(ports) < 0.85  # three of four
    assert changed(controller, MODIFY, member(controller, 5, 1)) == [OK]
    assert {port for port, _ in served.switch.client.exchange([(0, ethernet(i, KIND)) for i in range(50)])} == {1}
    assert changed(controller, MODIFY, group(controller, 5, (7, 1))) == [OK]
    assert {port for port, _ in served.switch.client.exchange([(0, ethernet(i, KIND)) for i in range(50)])} == {0}
    assert groups(controller) == [group(controller, 5, (7, 1))]
    assert changed(controller, MODIFY, named(controller, member=5)) == [OK]
    assert entries(controller) == [named(controller, member=5)]


def test_entries_are_read_by_what_they_name(controller: Controller) -> None:
    """0 is any member or any group; what an entry of one names is none of the other, of whatever number."""
    made = [member(controller, 5), member(controller, 7), group(controller, 5, (5, 1)), group(controller, 6, (7, 1))]
    assert changed(controller, INSERT, *made) == [OK] * 4
    of = [named(controller, kind=at, **what) for at, what in enumerate(({"member": 5}, {"member": 7}, {"group": 5},
                                                                        {"group": 6}), 1)]  # fmt: skip
    assert changed(controller, INSERT, *of) == [OK] * 4

    def read(**action: int) -> list[int]:
        asked = controller.entry("selector_t", {})
        for name, value in action.items():
            setattr(asked.action, f"action_profile_{name}_id", value)
        found = controller.read(entity(table_entry=asked))
        return sorted(of.index(one.table_entry) + 1 for one in found)

    assert (read(member=5), read(member=7), read(member=6)) == ([1], [2], [])
    assert (read(group=5), read(group=6), read(group=7)) == ([3], [4], [])
    assert (read(member=0), read(group=0)) == ([1, 2], [3, 4])
    assert read() == [1, 2, 3, 4]


def test_what_is_in_use_stays(controller: Controller) -> None:
    made = [member(controller, 1), member(controller, 2), group(controller, 1, (1, 1))]
    assert changed(controller, INSERT, *made, named(controller, group=1)) == [OK] * 4
    assert changed(controller, DELETE, made[0], made[2], made[1]) == [Code.FAILED_PRECONDITION] * 2 + [OK]
    assert groups(controller) == [made[2]]
    assert changed(controller, MODIFY, named(controller, member=1)) == [OK]
    assert changed(controller, DELETE, made[2], made[0]) == [OK, Code.FAILED_PRECONDITION]
    assert changed(controller, DELETE, named(controller), made[0], made[0]) == [OK, OK, Code.NOT_FOUND]
    assert members(controller) == groups(controller) == entries(controller) == []


def test_a_batch_with_members_is_undone(controller: Controller) -> None:
    made = [member(controller, 1), member(controller, 2), group(controller, 1, (1, 2), (2, 1))]
    assert changed(controller, INSERT, *made) == [OK] * 3
    codes = controller.write(
        update(MODIFY, action_profile_member=member(controller, 2, 1)),
        update(DELETE, action_profile_group=made[2]),
        update(DELETE, action_profile_member=made[0]),
        update(INSERT, action_profile_member=member(controller, 2)),
        atomicity=1,
    )
    assert codes == [Code.ABORTED] * 3 + [Code.ALREADY_EXISTS]
    assert sorted(m.member_id for m in members(controller)) == [1, 2]
    assert groups(controller) == [made[2]]


@pytest.mark.parametrize("table", ["selector_t", "few_t"])
def test_sets_of_actions(controller: Controller, served: Any, table: str) -> None:
    profile = "ways" if table == "selector_t" else "few"
    entry = one_shot(controller, (1, 2), (0, 2), (1, 2), table=table)
    entry.action.action_profile_action_set.action_profile_actions[1].watch_port = b"\1"
    assert changed(controller, INSERT, entry) == [OK]
    assert changed(controller, INSERT, one_shot(controller, (0, 1), table=table)) == [Code.ALREADY_EXISTS]
    assert entries(controller, table) == [entry]
    assert members(controller) == groups(controller) == []
    dice = random.Random(1)
    frames = [(0, ethernet(dice.getrandbits(48), KIND, src=dice.getrandbits(48))) for _ in range(300)]
    ports = [port for port, _ in served.switch.client.exchange(frames)]
    assert 0.57 < ports.count(1) / len(ports) < 0.77  # four of six
    assert changed(controller, MODIFY, one_shot(controller, (0, 1), table=table)) == [OK]
    assert {port for port, _ in served.switch.client.exchange(frames)} == {0}
    assert changed(controller, INSERT, member(controller, 1, profile=profile)) == [Code.INVALID_ARGUMENT]
    assert changed(controller, DELETE, named(controller, table)) == [OK]
    assert changed(controller, INSERT, member(controller, 1, profile=profile)) == [OK]  # nothing is left of the set
    assert changed(controller, INSERT, one_shot(controller, (0, 1), table=table)) == [Code.INVALID_ARGUMENT]


def test_a_set_without_room_leaves_nothing(controller: Controller) -> None:
    assert changed(controller, INSERT, one_shot(controller, *[(1, 1)] * 63)) == [OK]
    assert changed(controller, INSERT, one_shot(controller, *[(1, 1)] * 2, kind=1)) == [Code.RESOURCE_EXHAUSTED]
    assert changed(controller, INSERT, one_shot(controller, (1, 1), kind=1)) == [OK]
    assert len(entries(controller)) == 2


def test_what_is_refused(controller: Controller) -> None:
    def code(kind: int, made: Any) -> Code:
        return changed(controller, kind, made)[0]

    assert code(INSERT, member(controller, 0)) is Code.INVALID_ARGUMENT
    empty = member(controller, 1)
    empty.ClearField("action")
    assert code(INSERT, empty) is Code.INVALID_ARGUMENT
    assert code(MODIFY, member(controller, 1)) is Code.NOT_FOUND
    assert code(INSERT, message("ActionProfileMember")(action_profile_id=1, member_id=1)) is Code.NOT_FOUND
    assert [code(INSERT, member(controller, n, profile="few")) for n in (1, 2)] == [OK, OK]
    few: dict[str, Any] = {"profile": "few", "max_size": 8}
    assert code(INSERT, group(controller, 0, (1, 1), **few)) is Code.INVALID_ARGUMENT
    assert code(INSERT, group(controller, 1, (1, 0), **few)) is Code.INVALID_ARGUMENT
    assert code(INSERT, group(controller, 1, (1, 1), (1, 1), **few)) is Code.INVALID_ARGUMENT
    assert code(INSERT, group(controller, 1, (3, 1), **few)) is Code.NOT_FOUND
    assert code(INSERT, group(controller, 1, (1, 9), **few)) is Code.RESOURCE_EXHAUSTED
    assert code(INSERT, group(controller, 1, (1, 1), profile="few")) is Code.INVALID_ARGUMENT  # its maximum is not 0
    assert code(INSERT, group(controller, 1, (1, 1), profile="few", max_size=9)) is Code.INVALID_ARGUMENT
    assert code(INSERT, group(controller, 1, (1, 1), profile="hops")) is Code.INVALID_ARGUMENT
    watching = group(controller, 1, (1, 1), **few)
    watching.members[0].watch_port = b"\7"
    assert code(INSERT, watching) is Code.INVALID_ARGUMENT
    assert code(INSERT, group(controller, 1, (1, 8), **few)) is OK
    assert code(MODIFY, group(controller, 1, (1, 1), profile="few", max_size=7)) is Code.INVALID_ARGUMENT
    assert code(MODIFY, group(controller, 2, (1, 1), **few)) is Code.NOT_FOUND
    assert code(INSERT, named(controller, "few_t", member=9)) is Code.NOT_FOUND
    assert code(INSERT, named(controller, "few_t", member=0)) is Code.INVALID_ARGUMENT
    assert code(INSERT, named(controller, "exact_t", member=1)) is Code.INVALID_ARGUMENT
    assert code(INSERT, one_shot(controller, (1, 9), table="few_t", kind=3)) is Code.INVALID_ARGUMENT
    assert code(INSERT, one_shot(controller, (1, 1), table="member_t", kind=3)) is Code.INVALID_ARGUMENT


def test_a_profile_without_groups(controller: Controller, served: Any) -> None:
    assert changed(controller, INSERT, *(member(controller, n, n % 2, "hops") for n in range(1, 6))) == [
        OK, OK, OK, OK, Code.RESOURCE_EXHAUSTED
    ]  # fmt: skip
    assert changed(controller, INSERT, named(controller, "member_t", member=3)) == [OK]
    assert [port for port, _ in served.switch.client.exchange([(0, ethernet(1, KIND))])] == [1]
    assert entries(controller, "member_t") == [named(controller, "member_t", member=3)]
