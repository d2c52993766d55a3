"""Commands for action profiles, and the older ones that name a table in place of its profile."""

from __future__ import annotations

import functools

from macsad.shims.cli.program import Action, Profile
from macsad.shims.cli.session import COMMANDS, Command, Session, Words, command, data_shown
from macsad.shims.cli.values import runtime_data
from macsad.shims.cli.wrong import Wrong, at_least, exactly, number
from macsad.thrift.described import Struct


def _profile(session: Session, word: str, selecting: bool = False) -> Profile:
    profile = session.program.profiles.find(word)
    if selecting and not profile.selecting:
        raise Wrong("Cannot run this command on an action profile without selector")
    return profile


def _action(session: Session, profile: Profile, word: str, said: str) -> Action:
    try:
        action = session.program.actions.find(word)
    except Wrong:
        action = None
    if action is None or action.name not in profile.actions:
        raise Wrong(f"Action profile '{said}' has no action '{word}'")
    return action


@command("<action profile name> <action name> [action parameters]", "create a member", "profiles")
def act_prof_create_member(session: Session, words: Words) -> None:
    at_least(words, 2)
    profile = _profile(session, words[0])
    action = _action(session, profile, words[1], words[0])
    data = runtime_data(action, words[2:])
    handle = session.standard.bm_mt_act_prof_add_member(0, profile.name, action.name, data)
    session.say("Member has been created with handle", handle)


@command("<action profile name> <member handle>", "delete a member", "profiles")
def act_prof_delete_member(session: Session, words: Words) -> None:
    exactly(words, 2)
    profile = _profile(session, words[0])
    session.standard.bm_mt_act_prof_delete_member(0, profile.name, number(words[1], "member handle"))


@command("<action profile name> <action name> <member handle> [action parameters]", "change a member", "profiles")
def act_prof_modify_member(session: Session, words: Words) -> None:
    at_least(words, 3)
    profile = _profile(session, words[0])
    action = _action(session, profile, words[1], words[0])
    handle = number(words[2], "member handle")
    parameters = words[4:] if words[3:4] == ["=>"] else words[3:]
    data = runtime_data(action, parameters)
    session.standard.bm_mt_act_prof_modify_member(0, profile.name, handle, action.name, data)


@command("<action profile name>", "create a group", "profiles")
def act_prof_create_group(session: Session, words: Words) -> None:
    exactly(words, 1)
    profile = _profile(session, words[0], True)
    session.say("Group has been created with handle", session.standard.bm_mt_act_prof_create_group(0, profile.name))


@command("<action profile name> <group handle>", "delete a group", "profiles")
def act_prof_delete_group(session: Session, words: Words) -> None:
    exactly(words, 2)
    profile = _profile(session, words[0], True)
    session.standard.bm_mt_act_prof_delete_group(0, profile.name, number(words[1], "group handle"))


@command("<action profile name> <member handle> <group handle>", "put a member into a group", "profiles")
def act_prof_add_member_to_group(session: Session, words: Words) -> None:
    profile, member, group = _member_of_group(session, words)
    session.standard.bm_mt_act_prof_add_member_to_group(0, profile.name, member, group)


@command("<action profile name> <member handle> <group handle>", "take a member out of a group", "profiles")
def act_prof_remove_member_from_group(session: Session, words: Words) -> None:
    profile, member, group = _member_of_group(session, words)
    session.standard.bm_mt_act_prof_remove_member_from_group(0, profile.name, member, group)


def _member_of_group(session: Session, words: Words) -> tuple[Profile, int, int]:
    exactly(words, 3)
    profile = _profile(session, words[0], True)
    return profile, number(words[1], "member handle"), number(words[2], "group handle")


# --- dumps ------------------------------------------------------------------------------------------------------------


def _say_member(session: Session, member: Struct) -> None:
    session.say(f"Dumping member {member.mbr_handle}")
    session.say(f"Action entry: {member.action_name} - {data_shown(member.action_data)}")


def _say_group(session: Session, group: Struct) -> None:
    session.say(f"Dumping group {group.grp_handle}")
    session.say(f"Members: [{', '.join(str(handle) for handle in group.mbr_handles)}]")


def say_profile(session: Session, profile: Profile) -> None:
    """Its members and groups."""
    session.say("==========")
    session.say("MEMBERS")
    for member in session.standard.bm_mt_act_prof_get_members(0, profile.name):
        session.say("**********")
        _say_member(session, member)
    if profile.selecting:
        session.say("==========")
        session.say("GROUPS")
        for group in session.standard.bm_mt_act_prof_get_groups(0, profile.name):
            session.say("**********")
            _say_group(session, group)


@command("<action profile name>", "show members and groups", "profiles")
def act_prof_dump(session: Session, words: Words) -> None:
    exactly(words, 1)
    say_profile(session, _profile(session, words[0]))


@command("<action profile name> <member handle>", "show a member", "profiles")
def act_prof_dump_member(session: Session, words: Words) -> None:
    exactly(words, 2)
    profile, handle = _profile(session, words[0]), number(words[1], "member handle")
    _say_member(session, session.standard.bm_mt_act_prof_get_member(0, profile.name, handle))


@command("<action profile name> <group handle>", "show a group", "profiles")
def act_prof_dump_group(session: Session, words: Words) -> None:
    exactly(words, 2)
    profile, handle = _profile(session, words[0]), number(words[1], "group handle")
    _say_group(session, session.standard.bm_mt_act_prof_get_group(0, profile.name, handle))


# --- older names ------------------------------------------------------------------------------------------------------


def _by_table(name: str, session: Session, words: Words) -> None:
    """The command of that name, of the table's profile."""
    at_least(words, 1)
    table = session.program.tables.find(words[0])
    profile = table.profile
    if profile is None or ("group" in name and not profile.selecting):
        raise Wrong("Cannot run this command on non-indirect table")
    if "dump" not in name:
        if profile.tables > 1:
            raise Wrong("Legacy command does not work with shared action profiles")
        session.note(f"This is a deprecated command, use '{name}' instead")
    COMMANDS[name].run(session, [profile.name, *words[1:]])


for _older, _name in (
    ("table_indirect_create_member", "act_prof_create_member"),
    ("table_indirect_delete_member", "act_prof_delete_member"),
    ("table_indirect_modify_member", "act_prof_modify_member"),
    ("table_indirect_create_group", "act_prof_create_group"),
    ("table_indirect_delete_group", "act_prof_delete_group"),
    ("table_indirect_add_member_to_group", "act_prof_add_member_to_group"),
    ("table_indirect_remove_member_from_group", "act_prof_remove_member_from_group"),
    ("table_dump_member", "act_prof_dump_member"),
    ("table_dump_group", "act_prof_dump_group"),
):
    _newer = COMMANDS[_name]
    _usage = _newer.usage.replace("<action profile name>", "<table name>")
    COMMANDS[_older] = Command(functools.partial(_by_table, _name), _usage, f"{_name} of the table's profile", "tables")
