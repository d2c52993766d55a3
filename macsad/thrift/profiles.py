"""Methods of the service standard: members and groups of action profiles."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from macsad.described import Action, Extern
from macsad.thrift.described import Struct, standard
from macsad.thrift.entries import data_words
from macsad.thrift.refusals import Refused, refuses
from macsad.thrift.switch import Switch
from macsad.thrift.tables import handle_of

_refuses = refuses(standard.InvalidTableOperation, standard.TableOperationErrorCode)
_MEMBER = re.compile(r"^Dumping member (\d+)\nAction entry: (\S+) - (.*)$", re.MULTILINE)
_GROUP = re.compile(r"^Dumping group (\d+)\nMembers: \[(.*)\]$", re.MULTILINE)


def members(told: str) -> Iterator[Struct]:
    """BmMtActProfMember, of what act_prof_dump prints."""
    for handle, action, data in _MEMBER.findall(told):
        values = [bytes.fromhex(word) for word in data.split(", ") if word]
        yield standard.BmMtActProfMember(mbr_handle=int(handle), action_name=action, action_data=values)


def groups(told: str) -> Iterator[Struct]:
    """BmMtActProfGroup, of what act_prof_dump prints."""
    for handle, listed in _GROUP.findall(told):
        yield standard.BmMtActProfGroup(
            grp_handle=int(handle), mbr_handles=[int(word) for word in listed.split(", ") if word]
        )


class Profiles:
    switch: Switch

    def _profile(self, name: str) -> Extern:
        return self.switch.program.profile(name)

    def _selector(self, name: str) -> Extern:
        profile = self._profile(name)
        if profile.kind != "action_selector":
            raise Refused(f"{name} has no groups", "NO_ACTION_PROFILE_SELECTION")
        return profile

    def _action(self, profile: Extern, name: str) -> Action:
        for action in self.switch.program.profile_actions(profile):
            if action.name == name:
                return action
        raise Refused(f"{profile.name} has no action {name}", "INVALID_ACTION_NAME")

    @_refuses
    def bm_mt_act_prof_add_member(self, act_prof_name: str, action_name: str, action_data: Sequence[bytes]) -> int:
        profile = self._profile(act_prof_name)
        action = self._action(profile, action_name)
        words = data_words(action, action_data)
        return handle_of(self.switch.command("act_prof_create_member", profile.name, action.name, *words))

    @_refuses
    def bm_mt_act_prof_delete_member(self, act_prof_name: str, mbr_handle: int) -> None:
        self.switch.command("act_prof_delete_member", self._profile(act_prof_name).name, mbr_handle)

    @_refuses
    def bm_mt_act_prof_modify_member(self, act_prof_name: str, mbr_handle: int, action_name: str,
                                     action_data: Sequence[bytes]) -> None:  # fmt: skip
        profile = self._profile(act_prof_name)
        action = self._action(profile, action_name)
        words = data_words(action, action_data)
        self.switch.command("act_prof_modify_member", profile.name, action.name, mbr_handle, *words)

    @_refuses
    def bm_mt_act_prof_create_group(self, act_prof_name: str) -> int:
        return handle_of(self.switch.command("act_prof_create_group", self._selector(act_prof_name).name))

    @_refuses
    def bm_mt_act_prof_delete_group(self, act_prof_name: str, grp_handle: int) -> None:
        self.switch.command("act_prof_delete_group", self._selector(act_prof_name).name, grp_handle)

    @_refuses
    def bm_mt_act_prof_add_member_to_group(self, act_prof_name: str, mbr_handle: int, grp_handle: int) -> None:
        self.switch.command("act_prof_add_member_to_group", self._selector(act_prof_name).name, mbr_handle, grp_handle)

    @_refuses
    def bm_mt_act_prof_remove_member_from_group(self, act_prof_name: str, mbr_handle: int, grp_handle: int) -> None:
        profile = self._selector(act_prof_name)
        self.switch.command("act_prof_remove_member_from_group", profile.name, mbr_handle, grp_handle)

    @_refuses
    def bm_mt_act_prof_get_members(self, act_prof_name: str) -> list[Struct]:
        return list(members(self.switch.command("act_prof_dump", self._profile(act_prof_name).name)))

    @_refuses
    def bm_mt_act_prof_get_member(self, act_prof_name: str, mbr_handle: int) -> Struct:
        profile = self._profile(act_prof_name)
        return next(members(self.switch.command("act_prof_dump_member", profile.name, mbr_handle)))

    @_refuses
    def bm_mt_act_prof_get_groups(self, act_prof_name: str) -> list[Struct]:
        return list(groups(self.switch.command("act_prof_dump", self._selector(act_prof_name).name)))

    @_refuses
    def bm_mt_act_prof_get_group(self, act_prof_name: str, grp_handle: int) -> Struct:
        profile = self._selector(act_prof_name)
        return next(groups(self.switch.command("act_prof_dump_group", profile.name, grp_handle)))
