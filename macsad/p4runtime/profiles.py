"""Members and groups of action profiles, and groups that are given with an entry (one-shot). P4Runtime spec 1.4.1
section 9.2.

The switch knows members and groups by ids that its client chooses. A controller's ids have 32 bits. The group that is given
with an entry has one above them, G << 32, and its members the ones behind it.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator, Sequence

from macsad.control import Client
from macsad.p4runtime import entries, notes
from macsad.p4runtime.codes import Code, Refused, refusal
from macsad.p4runtime.found import GIVEN_MAX, form_of
from macsad.p4runtime.messages import Message, message
from macsad.p4runtime.program import Profile, Program, Table
from macsad.protocol import Outcome, Reading, Update

INSERT, MODIFY, DELETE = 1, 2, 3
UNNAMED = 1 << 63  # ids of what commands have made
_MEMBERS = {INSERT: Update.ADD_MEMBER, MODIFY: Update.MODIFY_MEMBER, DELETE: Update.REMOVE_MEMBER}
_GROUPS = {INSERT: Update.ADD_GROUP, MODIFY: Update.MODIFY_GROUP, DELETE: Update.REMOVE_GROUP}
_HEAD = struct.Struct(">BHQ")
_MEMBER = struct.Struct(">QI")
_ID_COUNT = struct.Struct(">QI")


def is_one_shot(number: int) -> bool:
    """The id is that of a group that was given with an entry, or of a member of one."""
    return GIVEN_MAX < number < UNNAMED


class Profiles:
    """The action profiles of a switch. One thread at a time."""

    def __init__(self, client: Client, program: Program) -> None:
        self._client = client
        self._program = program
        self._next: dict[int, int] = {}  # by profile: the next group's number above 32 bits
        self._styles: dict[int, bool] = {}  # by profile: entries have sets of their own; known once in a batch

    # --- members -----------------------------------------------------------------------------------------------------

    def member(self, kind: int, given: Message) -> list[bytes]:
        """The change that an update of a member is. Raises: Refused."""
        profile = self._program.profile(given.action_profile_id)
        if not given.member_id:
            raise Refused(Code.INVALID_ARGUMENT, "a member has an id above 0")
        self._only(profile, one_shot=False)
        head = _HEAD.pack(_MEMBERS[kind], profile.number, given.member_id)
        return [head if kind == DELETE else head + self._action(profile, given.action)]

    def _action(self, profile: Profile, action: Message) -> bytes:
        """Raises: Refused."""
        if not action.action_id:
            raise Refused(Code.INVALID_ARGUMENT, "a member needs an action")
        return entries.call_of(profile.table, action, False)

    # --- groups ------------------------------------------------------------------------------------------------------

    def group(self, kind: int, given: Message) -> list[bytes]:
        """The changes that an update of a group is. Those of MODIFY are good for the switch as it is now. Raises: Refused."""
        profile = self._program.profile(given.action_profile_id)
        if not profile.info.with_selector:
            raise Refused(Code.INVALID_ARGUMENT, f"{profile.name} has no groups")
        if not given.group_id:
            raise Refused(Code.INVALID_ARGUMENT, "a group has an id above 0")
        self._only(profile, one_shot=False)
        head, name = (
            _HEAD.pack(_GROUPS[kind], profile.number, given.group_id),
            notes.group(profile.number, given.group_id),
        )
        if kind == DELETE:
            return [head, notes.change(name, b"")]
        if len({member.member_id for member in given.members}) != len(given.members):
            raise Refused(Code.INVALID_ARGUMENT, "a member is in the group twice: members have weights")
        self._check_max_size(profile, given)
        if kind == MODIFY:
            before = notes.of(self._client, name)
            if before and message("ActionProfileGroup").FromString(before).max_size != given.max_size:
                raise Refused(Code.INVALID_ARGUMENT, "the maximum size of a group cannot change")
        self._check_weights(profile, given.members, given.max_size, Code.RESOURCE_EXHAUSTED)
        pairs = [(member.member_id, member.weight) for member in given.members]
        return [head + _weighted(pairs), notes.change(name, given.SerializeToString())]

    def _check_max_size(self, profile: Profile, given: Message) -> None:
        most = profile.info.max_group_size
        if given.max_size < 0 or (most and not 0 < given.max_size <= most):
            raise Refused(Code.INVALID_ARGUMENT, f"the maximum size of a group of {profile.name} is 1 to {most}")

    def _check_weights(self, profile: Profile, members: Sequence[Message], max_size: int, too_many: Code) -> None:
        """Of members of a group, or actions of a set. Raises: Refused."""
        for member in members:
            if member.weight <= 0:
                raise Refused(Code.INVALID_ARGUMENT, "a weight is 1 or more")
            if member.watch_port:
                self._program.ports.check(member.watch_port)
            elif member.watch:
                raise Refused(Code.UNIMPLEMENTED, "ports to watch are given as bytes")
        heaviest = profile.info.sum_of_members.max_member_weight
        if heaviest and any(member.weight > heaviest for member in members):
            raise Refused(Code.INVALID_ARGUMENT, f"a member of {profile.name} weighs {heaviest} at most")
        by_members = profile.info.HasField("sum_of_members")
        size = len(members) if by_members else sum(member.weight for member in members)
        if max_size and size > max_size:
            raise Refused(too_many, f"the group has a size of {size}, of {max_size}")

    # --- one-shot ----------------------------------------------------------------------------------------------------

    def make_set(self, table: Table, given: Message) -> tuple[int, list[bytes]]:
        """The id of a new group for an entry, and the changes that make it and its members. Raises: Refused."""
        profile = self._program.profile(table.info.implementation_id)
        if not profile.info.with_selector:
            raise Refused(Code.INVALID_ARGUMENT, f"{profile.name} has no groups")
        if given.HasField("group_action") or given.action_selection_mode or given.size_semantics:
            raise Refused(Code.UNIMPLEMENTED, "a set is as its selector says, without an action or a mode of its own")
        self._only(profile, one_shot=True)
        self._check_weights(profile, given.action_profile_actions, profile.info.max_group_size, Code.INVALID_ARGUMENT)
        number = self._next[profile.number]
        self._next[profile.number] += 1
        first = number << 32
        changes, pairs = [], []
        for at, action in enumerate(given.action_profile_actions, 1):
            head = _HEAD.pack(Update.ADD_MEMBER, profile.number, first + at)
            changes.append(head + self._action(profile, action.action))
            pairs.append((first + at, action.weight))
        changes.append(_HEAD.pack(Update.ADD_GROUP, profile.number, first) + _weighted(pairs))
        changes.append(notes.change(notes.group(profile.number, first), given.SerializeToString()))
        return first, changes

    def remove_set(self, table: Table, number: int, given: Message | None = None) -> None:
        """Such a group that no entry names any more goes, and its members with it. `given`: the set, if it is known."""
        profile = self._program.profile(table.info.implementation_id)
        made = given or message("ActionProfileActionSet").FromString(self.sets_of(table, [number])[0])
        members = range(1, len(made.action_profile_actions) + 1)
        changes = [_HEAD.pack(Update.REMOVE_GROUP, profile.number, number)]
        changes += [_HEAD.pack(Update.REMOVE_MEMBER, profile.number, number + at) for at in members]
        self._client.update([*changes, notes.change(notes.group(profile.number, number), b"")])

    def begin(self) -> None:
        """A batch begins."""
        self._styles.clear()

    def _only(self, profile: Profile, *, one_shot: bool) -> None:
        """The entries of a selector have sets of their own, or name members and groups: not both. Raises: Refused."""
        if not profile.info.with_selector:
            return
        if profile.number not in self._next:
            numbers = [number >> 32 for number, _ in self._members(profile) if is_one_shot(number)]
            self._next[profile.number] = max(numbers, default=0) + 1
        if profile.number not in self._styles:
            named = next((number for number, _ in self._members(profile) if number < UNNAMED), None)
            self._styles[profile.number] = one_shot if named is None else is_one_shot(named)
        if self._styles[profile.number] is not one_shot:
            what = "members and groups" if one_shot else "sets of actions of their own"
            raise Refused(Code.INVALID_ARGUMENT, f"entries with {profile.name} have {what}: not both at once")

    # --- reading -----------------------------------------------------------------------------------------------------

    def _members(self, profile: Profile) -> Iterator[tuple[int, Message]]:
        for part in self._client.read_profile(Reading.MEMBERS, profile.number):
            yield from _members_in(profile, part)

    def read_members(self, asked: Message) -> Iterator[Message]:
        """The members that an ActionProfileMember with ids left out stands for."""
        for profile in self._asked(asked.action_profile_id):
            for number, action in self._members(profile):
                if number > GIVEN_MAX or asked.member_id not in (0, number):
                    continue
                entity = message("Entity")()
                made = entity.action_profile_member
                made.action_profile_id, made.member_id = profile.id, number
                made.action.CopyFrom(action)
                yield entity

    def read_groups(self, asked: Message) -> Iterator[Message]:
        """The groups that an ActionProfileGroup with ids left out stands for."""
        for profile in self._asked(asked.action_profile_id):
            if not profile.info.with_selector:
                continue
            for part in self._client.read_profile(Reading.GROUPS, profile.number):
                for number, members in _groups_in(part):
                    if number <= GIVEN_MAX and asked.group_id in (0, number):
                        yield self._group(profile, number, members)

    def _group(self, profile: Profile, number: int, members: list[tuple[int, int]]) -> Message:
        """As it was given, in the order of members, with their ports to watch."""
        entity = message("Entity")()
        made = entity.action_profile_group
        noted = notes.of(self._client, notes.group(profile.number, number))
        if noted:
            made.MergeFromString(noted)
        else:
            for member, weight in members:
                made.members.add(member_id=member, weight=weight)
        made.action_profile_id, made.group_id = profile.id, number
        return entity

    def sets_of(self, table: Table, numbers: Sequence[int]) -> list[bytes]:
        """The ActionProfileActionSets that entries were given, whose groups have these ids."""
        profile = self._program.profile(table.info.implementation_id)
        return self._client.notes_named([notes.group(profile.number, number) for number in numbers])

    def _asked(self, number: int) -> list[Profile]:
        return [self._program.profile(number)] if number else list(self._program.profiles.values())


def clear(client: Client, program: Program) -> None:
    """Remove all groups and members, which no entry may name. Those of commands, too."""
    for profile in program.profiles.values():
        kinds = [(Reading.GROUPS, Update.REMOVE_GROUP)] if profile.info.with_selector else []
        for reading, removing in [*kinds, (Reading.MEMBERS, Update.REMOVE_MEMBER)]:
            for part in list(client.read_profile(reading, profile.number)):
                found = _groups_in(part) if reading is Reading.GROUPS else _members_in(profile, part)
                client.update([_HEAD.pack(removing, profile.number, number) for number, _ in found])


def raise_first(outcomes: Sequence[tuple[Outcome, int]]) -> None:
    """Raises: Refused, for the first change that failed."""
    for outcome, _ in outcomes:
        refused = refusal(outcome)
        if refused is not None:
            raise refused


def _weighted(pairs: Sequence[tuple[int, int]]) -> bytes:
    return b"".join([_MEMBER.pack(number, weight) for number, weight in pairs])


def _members_in(profile: Profile, part: bytes) -> Iterator[tuple[int, Message]]:
    form, at = form_of(profile.table), 0
    while at < len(part):
        (number,) = struct.unpack_from(">Q", part, at)
        action = form.action_at(part, at + 8)
        at += 8 + len(action)
        yield number, form.call(action)


def _groups_in(part: bytes) -> Iterator[tuple[int, list[tuple[int, int]]]]:
    at = 0
    while at < len(part):
        number, count = _ID_COUNT.unpack_from(part, at)
        at += _ID_COUNT.size
        members = [_MEMBER.unpack_from(part, at + i * _MEMBER.size) for i in range(count)]
        at += count * _MEMBER.size
        yield number, [(int(member), int(weight)) for member, weight in members]
