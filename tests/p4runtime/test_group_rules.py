"""Which groups of members, and which groups of ports, there may be, on a switch of this file. P4Runtime spec 1.4.1 sections
9.2 and 9.5."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from macsad.p4runtime import replication
from macsad.p4runtime.codes import Code, Refused
from macsad.p4runtime.messages import message, messages
from macsad.p4runtime.profiles import UNNAMED, Profiles, is_one_shot
from macsad.p4runtime.program import Action, Key, Param, Ports, Profile, Table
from macsad.p4runtime.tables import Tables
from macsad.protocol import GROUP, MEMBER, Outcome, Reading, Update

INSERT, MODIFY, DELETE = 1, 2, 3


def code_of(call: Any) -> Code:
    try:
        call()
    except Refused as refused:
        return refused.code
    return Code.OK


# --- groups of members -----------------------------------------------------------------------------------------------


class Members:
    """A switch whose profile 8 has these members, each of action 0 with a byte, and these groups."""

    def __init__(self, members: tuple[int, ...] = (), groups: dict[int, list[tuple[int, int]]] | None = None) -> None:
        self.members, self.groups, self.notes = members, groups or {}, dict[bytes, bytes]()

    def read_profile(self, what: Reading, number: int) -> list[bytes]:
        assert number == 8
        if what is Reading.MEMBERS:
            return [at.to_bytes(8, "big") + bytes(4) + b"\5" for at in self.members]
        made = [
            number.to_bytes(8, "big") + len(has).to_bytes(4, "big")
            + b"".join(member.to_bytes(8, "big") + weight.to_bytes(4, "big") for member, weight in has)
            for number, has in self.groups.items()
        ]  # fmt: skip
        return [b"".join(made)] if made else []

    def notes_named(self, names: list[bytes]) -> list[bytes]:
        return [self.notes.get(name, b"") for name in names]


def profiles(switch: Any = None, **info: Any) -> Profiles:
    """The profile 41 of the table 21; `info`: of its P4Info."""
    told = messages().of("p4.config.v1.ActionProfile")(**{"with_selector": True, **info})
    action = Action(12, 0, "go", (Param(1, 8),), True, True, bytes(4), (1,))
    table = Table(21, 1, "t", 9, (), {12: action}, SimpleNamespace(implementation_id=41), False, False)
    table.by_number = {0: action}
    profile = Profile(41, 8, "sel", told, table)
    program: Any = SimpleNamespace(profile=lambda number: profile, profiles={41: profile}, ports=Ports([1, 2]))
    return Profiles(switch or Members(), program)


def group(*members: tuple[int, int], group_id: int = 5, max_size: int = 0, **more: Any) -> Any:
    made = message("ActionProfileGroup")(action_profile_id=41, group_id=group_id, max_size=max_size)
    for number, weight in members:
        made.members.add(member_id=number, weight=weight, **more)
    return made


@pytest.mark.parametrize(
    ("info", "given", "code"),
    [
        ({}, group(), Code.OK), ({}, group(group_id=0), Code.INVALID_ARGUMENT),
        ({"with_selector": False}, group(), Code.INVALID_ARGUMENT),
        ({}, group((1, 1), (1, 1)), Code.INVALID_ARGUMENT), ({}, group((1, 0)), Code.INVALID_ARGUMENT),
        ({}, group((1, -1)), Code.INVALID_ARGUMENT), ({}, group(max_size=-1), Code.INVALID_ARGUMENT),
        ({"max_group_size": 4}, group(max_size=4), Code.OK), ({"max_group_size": 4}, group(max_size=5), Code.INVALID_ARGUMENT),
        ({"max_group_size": 4}, group(max_size=0), Code.INVALID_ARGUMENT), ({}, group(max_size=999), Code.OK),
        ({}, group((1, 2), (2, 3), max_size=5), Code.OK), ({}, group((1, 3), (2, 3), max_size=5), Code.RESOURCE_EXHAUSTED),
        ({"sum_of_members": {}}, group((1, 9), (2, 9), max_size=2), Code.OK),
        ({"sum_of_members": {}}, group((1, 1), (2, 1), (3, 1), max_size=2), Code.RESOURCE_EXHAUSTED),
        ({"sum_of_members": {"max_member_weight": 3}}, group((1, 3), (2, 1)), Code.OK),
        ({"sum_of_members": {"max_member_weight": 3}}, group((1, 1), (2, 4)), Code.INVALID_ARGUMENT),
        ({}, group((1, 1), watch_port=b"\2"), Code.OK), ({}, group((1, 1), watch_port=b"\3"), Code.INVALID_ARGUMENT),
        ({}, group((1, 1), watch=2), Code.UNIMPLEMENTED),
    ],
)  # fmt: skip
def test_groups_of_members(info: dict[str, Any], given: Any, code: Code) -> None:
    """A size is of weights, unless the profile says that it is of members."""
    assert code_of(lambda: profiles(**info).group(INSERT, given)) is code


def test_the_changes_of_a_group() -> None:
    """Its note has it as it was given."""
    given = group((7, 2), (1, 1), max_size=9)
    for kind, update in ((INSERT, Update.ADD_GROUP), (MODIFY, Update.MODIFY_GROUP)):
        change, note = profiles().group(kind, given)
        assert change.hex() == f"{update:02x}0008{5:016x}{7:016x}{2:08x}{1:016x}{1:08x}"
        assert note.endswith(given.SerializeToString())
    change, note = profiles().group(DELETE, given)
    assert change.hex() == f"{Update.REMOVE_GROUP:02x}0008{5:016x}" and note.endswith((5).to_bytes(8, "big"))


def test_the_maximum_size_of_a_group_stays() -> None:
    switch = Members()
    made = profiles(switch)
    assert code_of(lambda: made.group(MODIFY, group(max_size=3))) is Code.OK  # of one that commands have made
    name = b"g\0\x08" + (5).to_bytes(8, "big")
    switch.notes[name] = group(max_size=4).SerializeToString()
    assert code_of(lambda: made.group(MODIFY, group(max_size=3))) is Code.INVALID_ARGUMENT
    assert code_of(lambda: made.group(MODIFY, group(max_size=4))) is Code.OK
    assert code_of(lambda: made.group(INSERT, group(max_size=3))) is Code.OK  # the switch refuses it


@pytest.mark.parametrize(
    ("number", "one_shot"),
    [(1, False), ((1 << 32) - 1, False), (1 << 32, True), (UNNAMED - 1, True), (UNNAMED, False)],
)
def test_numbers_above_those_of_controllers_are_of_sets(number: int, one_shot: bool) -> None:
    """Above them are those of commands."""
    assert is_one_shot(number) is one_shot


def action_set(*weights: int, **more: Any) -> Any:
    made = message("ActionProfileActionSet")(**more)
    for weight in weights:
        action = made.action_profile_actions.add(weight=weight)
        action.action.action_id = 12
        action.action.params.add(param_id=1, value=b"\5")
    return made


def test_a_set_becomes_members_and_a_group_of_the_next_number() -> None:
    made = profiles(Members(((7 << 32) + 1, UNNAMED + 9)))
    table = made._program.profile(41).table
    first, changes = made.make_set(table, action_set(2, 1))
    assert first == 8 << 32 and made.make_set(table, action_set())[0] == 9 << 32
    add, group = Update.ADD_MEMBER, Update.ADD_GROUP
    assert [change.hex() for change in changes[:3]] == [
        f"{add:02x}0008{first + 1:016x}{0:08x}05", f"{add:02x}0008{first + 2:016x}{0:08x}05",
        f"{group:02x}0008{first:016x}{first + 1:016x}{2:08x}{first + 2:016x}{1:08x}",
    ]  # fmt: skip
    assert changes[3].endswith(action_set(2, 1).SerializeToString())


@pytest.mark.parametrize(
    ("info", "given", "code"),
    [
        ({"max_group_size": 3}, action_set(2, 1), Code.OK), ({"max_group_size": 3}, action_set(2, 2), Code.INVALID_ARGUMENT),
        ({"with_selector": False}, action_set(1), Code.INVALID_ARGUMENT), ({}, action_set(0), Code.INVALID_ARGUMENT),
        ({}, action_set(1, group_action={"action_id": 12}), Code.UNIMPLEMENTED),
        ({}, action_set(1, action_selection_mode=1), Code.UNIMPLEMENTED),
        ({}, action_set(1, size_semantics=1), Code.UNIMPLEMENTED),
    ],
)  # fmt: skip
def test_sets_of_actions(info: dict[str, Any], given: Any, code: Code) -> None:
    made = profiles(**info)
    assert code_of(lambda: made.make_set(made._program.profile(41).table, given)) is code


@pytest.mark.parametrize(
    ("members", "named", "sets"),
    [
        ((), True, True),
        ((5,), True, False),
        ((1 << 32,), False, True),
        ((UNNAMED,), True, True),
        ((UNNAMED, 5), True, False),
    ],
)
def test_a_selector_has_members_or_sets_not_both(members: tuple[int, ...], named: bool, sets: bool) -> None:
    """What the first has in a batch, the others of it have; what commands have made counts for neither."""

    def fresh() -> Profiles:
        return profiles(Members(members))

    assert (code_of(lambda: fresh().group(INSERT, group())) is Code.OK) is named
    table = fresh()._program.profile(41).table
    assert (code_of(lambda: fresh().make_set(table, action_set(1))) is Code.OK) is sets
    if not members:
        made = fresh()
        made.group(INSERT, group())
        assert code_of(lambda: made.make_set(table, action_set(1))) is Code.INVALID_ARGUMENT
        made.begin()
        assert code_of(lambda: made.make_set(table, action_set(1))) is Code.OK


def test_members_and_groups_of_controllers_are_read() -> None:
    switch = Members((3, 7, 1 << 32, UNNAMED), {5: [(3, 1), (7, 2)], 6: [], 1 << 32: [(3, 1)]})
    made = profiles(switch)

    def members(**asked: int) -> list[tuple[int, int, bytes]]:
        found = [one.action_profile_member for one in made.read_members(message("ActionProfileMember")(**asked))]
        return [(one.action_profile_id, one.member_id, one.action.params[0].value) for one in found]

    def groups(of: Profiles = made, **asked: int) -> list[tuple[int, list[tuple[int, int]]]]:
        found = [one.action_profile_group for one in of.read_groups(message("ActionProfileGroup")(**asked))]
        return [(one.group_id, [(m.member_id, m.weight) for m in one.members]) for one in found]

    assert members() == [(41, 3, b"\5"), (41, 7, b"\5")] and members(action_profile_id=41, member_id=7) == [
        (41, 7, b"\5")
    ]
    assert members(member_id=4) == []
    assert groups() == [(5, [(3, 1), (7, 2)]), (6, [])] and groups(group_id=6) == [(6, [])]
    assert groups(profiles(switch, with_selector=False)) == []
    switch.notes[b"g\0\x08" + (5).to_bytes(8, "big")] = group((7, 2), (3, 1)).SerializeToString()
    assert groups(group_id=5) == [(5, [(7, 2), (3, 1)])]


# --- groups of ports -------------------------------------------------------------------------------------------------


class Switch:
    """`dump`: what mc_dump prints; `sessions`: what mirroring_get does, by number; `refuses`: a command that fails."""

    def __init__(self, dump: str = "", sessions: dict[int, str] | None = None, refuses: str = "-") -> None:
        self.dump, self.sessions, self.refuses = dump, sessions or {}, refuses
        self.did, self.changes, self.notes = list[str](), list[bytes](), dict[bytes, bytes]()

    def command(self, line: str) -> Any:
        word, *words = line.split()
        if word == "mc_dump":
            return SimpleNamespace(ok=True, text=self.dump)
        if word == "mirroring_get":
            return SimpleNamespace(ok=True, text=self.sessions.get(int(words[0]), "there is none") + "\n")
        self.did.append(line)
        text = "only where ports have queues or egress asks\n" if word == self.refuses else "node with handle 77"
        return SimpleNamespace(ok=word != self.refuses, text=text)

    def update(self, changes: list[bytes]) -> None:
        self.changes += changes

    def notes_named(self, names: list[bytes]) -> list[bytes]:
        return [self.notes.get(name, b"") for name in names]


DUMP = """==========
MC ENTRIES
mgrp(5)
  -> (L1h=1, rid=3) -> (ports=[1, 2], lags=[])
  -> (L1h=2, rid=4) -> (ports=[], lags=[])
mgrp(32775)
  -> (L1h=9, rid=0) -> (ports=[7], lags=[])
mgrp(32768)
"""
SESSIONS = {7: "session 7: multicast group 32775, at most 64 bytes, priority 3"}


def entry(kind: str, number: int, *replicas: tuple[int, int], **more: Any) -> Any:
    made = message("PacketReplicationEngineEntry")()
    told = getattr(made, f"{kind}_entry")
    setattr(told, "multicast_group_id" if kind == "multicast_group" else "session_id", number)
    for name, value in more.items():
        setattr(told, name, value)
    for instance, port in replicas:
        told.replicas.add(instance=instance, port=port.to_bytes(4, "big").lstrip(b"\0") or b"\0")
    return made


def written(kind: int, given: Any, switch: Switch | None = None) -> tuple[Code, list[str]]:
    switch = switch or Switch(DUMP, SESSIONS)
    return code_of(lambda: replication.write(switch, kind, given)), switch.did  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("kind", "given", "did"),
    [
        (INSERT, entry("multicast_group", 1, (1, 2), (9, 2), (1, 0)),
         ["mc_mgrp_create 1", "mc_node_create 1 2 0", "mc_node_associate 1 77", "mc_node_create 9 2", "mc_node_associate 1 77"]),
        (MODIFY, entry("multicast_group", 5, (1, 2)),
         ["mc_node_destroy 1", "mc_node_destroy 2", "mc_node_create 1 2", "mc_node_associate 5 77"]),
        (DELETE, entry("multicast_group", 5, (1, 2), (1, 2)), ["mc_node_destroy 1", "mc_node_destroy 2", "mc_mgrp_destroy 5"]),
        (INSERT, entry("clone_session", 8, (0, 2), packet_length_bytes=5, class_of_service=6),
         ["mirroring_add_mc 8 32776 5 6", "mc_mgrp_create 32776", "mc_node_create 0 2", "mc_node_associate 32776 77"]),
        (MODIFY, entry("clone_session", 7),  ["mirroring_add_mc 7 32775 0 0", "mc_node_destroy 9"]),
        (DELETE, entry("clone_session", 7), ["mc_node_destroy 9", "mc_mgrp_destroy 32775", "mirroring_delete 7"]),
    ],
)  # fmt: skip
def test_groups_of_ports_are_made_of_nodes(kind: int, given: Any, did: list[str]) -> None:
    """A node for each instance; a session is set before its clones find replicas."""
    assert written(kind, given) == (Code.OK, did)


@pytest.mark.parametrize(
    ("kind", "given", "code"),
    [
        (INSERT, message("PacketReplicationEngineEntry")(), Code.INVALID_ARGUMENT),
        (INSERT, entry("multicast_group", 0), Code.INVALID_ARGUMENT),
        (INSERT, entry("multicast_group", 32767), Code.OK), (INSERT, entry("multicast_group", 32768), Code.OUT_OF_RANGE),
        (INSERT, entry("clone_session", 0), Code.INVALID_ARGUMENT),
        (INSERT, entry("clone_session", 32766), Code.OK), (INSERT, entry("clone_session", 32767), Code.OUT_OF_RANGE),
        (INSERT, entry("multicast_group", 5), Code.ALREADY_EXISTS), (MODIFY, entry("multicast_group", 6), Code.NOT_FOUND),
        (DELETE, entry("multicast_group", 6), Code.NOT_FOUND), (0, entry("multicast_group", 6), Code.INVALID_ARGUMENT),
        (4, entry("multicast_group", 5), Code.INVALID_ARGUMENT),
        (INSERT, entry("multicast_group", 6, (1, 2), (1, 2)), Code.INVALID_ARGUMENT),
        (INSERT, entry("multicast_group", 6, (0xFFFF, 0xFFFF)), Code.OK),
        (INSERT, entry("multicast_group", 6, (0x10000, 1)), Code.INVALID_ARGUMENT),
        (INSERT, entry("multicast_group", 6, (1, 0x10000)), Code.OUT_OF_RANGE),
        (INSERT, entry("clone_session", 8, packet_length_bytes=(1 << 24) - 1), Code.OK),
        (INSERT, entry("clone_session", 8, packet_length_bytes=1 << 24), Code.OUT_OF_RANGE),
        (INSERT, entry("clone_session", 8, packet_length_bytes=-1), Code.INVALID_ARGUMENT),
    ],
)  # fmt: skip
def test_which_groups_of_ports_there_may_be(kind: int, given: Any, code: Code) -> None:
    assert written(kind, given)[0] is code


@pytest.mark.parametrize(
    ("refuses", "given", "code"),
    [
        ("mirroring_add_mc", entry("clone_session", 8), Code.UNIMPLEMENTED),
        ("mc_node_create", entry("multicast_group", 8, (1, 1)), Code.INTERNAL),
    ],
)
def test_what_the_switch_refuses(refuses: str, given: Any, code: Code) -> None:
    assert written(INSERT, given, Switch(DUMP, refuses=refuses))[0] is code


def test_replicas_have_no_backups() -> None:
    given = entry("multicast_group", 6, (1, 1))
    given.multicast_group_entry.replicas[0].backup_replicas.add(port=b"\2")
    assert written(INSERT, given)[0] is Code.UNIMPLEMENTED


def test_what_the_switch_cannot_know_is_noted() -> None:
    """Metadata, and ports in the older form; a group that goes leaves no note."""
    given = entry("multicast_group", 6, (1, 2), metadata=b"m")
    given.multicast_group_entry.replicas.add(instance=3, egress_port=4)
    for kind, notes in ((INSERT, [b"r\0\0\0\6m", b"o\0\0\0\6\0\3\0\4"]), (DELETE, [b"r\0\0\0\6", b"o\0\0\0\6"])):
        switch = Switch("" if kind == INSERT else "mgrp(6)")
        assert written(kind, given, switch)[0] is Code.OK
        assert [change[3:] for change in switch.changes] == notes


@pytest.mark.parametrize(
    ("asked", "found"),
    [
        (message("PacketReplicationEngineEntry")(), [("group", 5), ("session", 7)]),
        (entry("multicast_group", 0), [("group", 5)]), (entry("multicast_group", 5), [("group", 5)]),
        (entry("multicast_group", 6), []), (entry("clone_session", 0), [("session", 7)]),
        (entry("clone_session", 7), [("session", 7)]), (entry("clone_session", 5), []),
    ],
)  # fmt: skip
def test_groups_and_sessions_are_read(asked: Any, found: list[tuple[str, int]]) -> None:
    switch: Any = Switch(DUMP, SESSIONS)
    switch.notes = {b"r\0\0\0\5": b"m", b"o\0\0\0\5": b"\0\3\0\2"}
    seen = []
    for one in replication.read(switch, asked):
        made = one.packet_replication_engine_entry
        if made.HasField("multicast_group_entry"):
            told = made.multicast_group_entry
            seen.append(("group", told.multicast_group_id))
            assert told.metadata == b"m"
            assert [(r.instance, r.port, r.egress_port) for r in told.replicas] == [(3, b"\1", 0), (3, b"", 2)]
        else:
            told = made.clone_session_entry
            seen.append(("session", told.session_id))
            assert (told.packet_length_bytes, told.class_of_service) == (64, 3)
            assert [(r.instance, r.port) for r in told.replicas] == [(0, b"\7")]
    assert seen == found


@pytest.mark.parametrize("told", ["session 7: multicast group 5", "session 7: port 3", "there is none"])
def test_a_session_that_leads_elsewhere_is_no_controllers(told: str) -> None:
    switch: Any = Switch(DUMP, {7: told})
    assert [*replication.read(switch, entry("clone_session", 0))] == []


def test_all_groups_and_sessions_are_cleared() -> None:
    switch: Any = Switch(DUMP)
    replication.clear(switch)
    assert switch.did == ["mc_node_destroy 1", "mc_node_destroy 2", "mc_mgrp_destroy 5", "mc_node_destroy 9",
                          "mc_mgrp_destroy 32775", "mirroring_delete 7", "mc_mgrp_destroy 32768"]  # fmt: skip


# --- entries with sets of their own ----------------------------------------------------------------------------------


class Entries(Members):
    """A switch that has an entry of that action with the key 9; `fails`: the kind of changes that it refuses."""

    def __init__(self, action: bytes, fails: int = -1) -> None:
        super().__init__(((7 << 32) + 1, (7 << 32) + 2))
        self.action, self.fails, self.did = action, fails, list[bytes]()
        self.notes[b"g\0\x08" + (7 << 32).to_bytes(8, "big")] = action_set(1, 1).SerializeToString()

    def read_notes(self, prefix: bytes) -> Any:
        return iter(())

    def read_entry(self, number: int, key: bytes) -> bytes | None:
        return key + (3).to_bytes(4, "big") + self.action

    def read_default(self, number: int) -> bytes:
        return (3).to_bytes(4, "big") + self.action

    def update(self, changes: list[bytes], keep_going: bool = True) -> list[tuple[Outcome, int]]:
        outcomes = []
        for change in changes:
            fails = change[0] == self.fails
            self.did.append(change)
            outcomes.append((Outcome.FULL if fails else Outcome.DONE, 5))
            if fails and not keep_going:
                break
        return outcomes


def named(kind: int, number: int) -> bytes:
    return kind.to_bytes(4, "big") + number.to_bytes(8, "big")


def carried_out(kind: int, given: Any, switch: Entries) -> tuple[Code, list[str]]:
    """What the switch is asked for, without what is said of it: kinds of changes, each with the id or the key that it is of."""
    of = profiles(switch)
    table = of._program.profile(41).table
    table.keys, table.key_ids, table.form = (Key(1, "k", 8, "exact"),), (1,), None
    of._program.table = lambda number: table  # type: ignore[method-assign]
    code = code_of(lambda: Tables(switch, of._program, of).carry_out(kind, given))  # type: ignore[arg-type]
    told = []
    for change in switch.did:
        kind_of = Update(change[0])
        of_id = kind_of is not Update.NOTE and len(change) >= 11
        at = int.from_bytes(change[3:11], "big")
        told.append(kind_of.name.lower() + (f" {at >> 32}.{at & 0xFF}" if of_id else ""))
    return code, told


def shot(*weights: int) -> Any:
    made = message("TableEntry")(table_id=21)
    made.match.add(field_id=1).exact.value = b"\x09"
    if weights:
        made.action.action_profile_action_set.CopyFrom(action_set(*weights))
    return made


OF_SET, OF_GROUP, OF_MEMBER = named(GROUP, 7 << 32), named(GROUP, 7), named(MEMBER, 7)
NEW = ["add_member 8.1", "add_member 8.2", "add_group 8.0", "note"]
OLD_GOES = ["remove_group 7.0", "remove_member 7.1", "remove_member 7.2", "note"]


@pytest.mark.parametrize(
    ("kind", "before", "after"),
    [
        (INSERT, OF_GROUP, []), (MODIFY, OF_SET, OLD_GOES), (MODIFY, OF_GROUP, []), (MODIFY, OF_MEMBER, []),
    ],
)  # fmt: skip
def test_a_set_is_made_before_its_entry_and_the_one_before_goes_behind_it(
    kind: int, before: bytes, after: list[str]
) -> None:
    code, told = carried_out(kind, shot(2, 1), Entries(before))
    entry = told.pop(len(NEW))
    assert (code, told) == (Code.OK, [*NEW, *after]) and entry.startswith("add" if kind == INSERT else "modify")


@pytest.mark.parametrize(("before", "after"), [(OF_SET, OLD_GOES), (OF_GROUP, []), (OF_MEMBER, [])])
def test_a_set_of_the_default_entry_takes_the_place_of_another(before: bytes, after: list[str]) -> None:
    given = shot(2, 1)
    given.is_default_action = True
    del given.match[:]
    code, told = carried_out(MODIFY, given, Entries(before))
    entered = told.pop(len(NEW))
    assert (code, told) == (Code.OK, [*NEW, *after]) and entered.startswith("set_default ")


@pytest.mark.parametrize(("before", "after"), [(OF_SET, OLD_GOES), (OF_GROUP, []), (OF_MEMBER, [])])
def test_a_set_goes_with_its_entry(before: bytes, after: list[str]) -> None:
    """A group that has a number of a controller's stays."""
    assert carried_out(DELETE, shot(), Entries(before)) == (Code.OK, ["remove", *after])


@pytest.mark.parametrize("fails", [Update.ADD, Update.ADD_MEMBER, Update.ADD_GROUP])
def test_a_set_that_finds_no_room_leaves_nothing(fails: int) -> None:
    code, told = carried_out(INSERT, shot(2, 1), Entries(OF_GROUP, fails))
    gone = ["remove_group 8.0", "remove_member 8.1", "remove_member 8.2", "note"]
    made = {Update.ADD: 4, Update.ADD_MEMBER: 1, Update.ADD_GROUP: 3}[Update(fails)]
    assert code is Code.RESOURCE_EXHAUSTED and told[:made] == NEW[:made] and told[-4:] == gone
    assert len(told) == made + 4 + (fails == Update.ADD)
