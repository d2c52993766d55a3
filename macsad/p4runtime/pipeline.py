"""The program of the switch, as controllers set and get it. P4Runtime spec 1.4.1 sections 14 and 15."""

from __future__ import annotations

import threading
from collections.abc import Callable

from macsad.control import Client
from macsad.p4runtime import elements, notes, profiles, replication, value_sets
from macsad.p4runtime.codes import Code, Refused
from macsad.p4runtime.messages import Message, message
from macsad.p4runtime.program import Program
from macsad.p4runtime.sameness import device_data, same_info

VERIFY, VERIFY_AND_SAVE, VERIFY_AND_COMMIT, COMMIT, RECONCILE_AND_COMMIT = 1, 2, 3, 4, 5
COOKIE_ONLY, P4INFO_AND_COOKIE, DEVICE_CONFIG_AND_COOKIE = 1, 2, 3


class Pipeline:
    """The running program, and a configuration that is saved for a COMMIT. A server beside a switch cannot replace its
    program: a configuration is accepted if it is of the program that runs.

    `device_config`: the program's source, b"" if it is not known. `cleared` sets all state as it is when a switch starts.
    """

    def __init__(self, program: Program, device_config: bytes, cleared: Callable[[], None]) -> None:
        self._lock = threading.Lock()
        self._info = program.info
        self._device_config = device_config
        self._cookie: int | None = None
        self._saved: Message | None = None
        self._cleared = cleared

    def set(self, request: Message) -> None:
        """Raises: Refused."""
        with self._lock:
            if request.action == COMMIT:
                self._commit_saved(request)
                return
            if request.action not in (VERIFY, VERIFY_AND_SAVE, VERIFY_AND_COMMIT, RECONCILE_AND_COMMIT):
                raise Refused(Code.INVALID_ARGUMENT, "the action is not known")
            self._verify(request)
            if request.action == VERIFY_AND_SAVE:
                self._saved = message("ForwardingPipelineConfig")()
                self._saved.CopyFrom(request.config)
            elif request.action != VERIFY:
                self._commit(request.config, keep=request.action == RECONCILE_AND_COMMIT)

    def get(self, request: Message) -> Message:
        """The configuration, or the parts of it that are asked for."""
        response = message("GetForwardingPipelineConfigResponse")()
        with self._lock:
            config = response.config
            if self._cookie is not None:
                config.cookie.cookie = self._cookie
            if request.response_type not in (COOKIE_ONLY, DEVICE_CONFIG_AND_COOKIE):
                config.p4info.CopyFrom(self._info)
            if request.response_type not in (COOKIE_ONLY, P4INFO_AND_COOKIE):
                config.p4_device_config = self._device_config
        return response

    def _verify(self, request: Message) -> None:
        if not request.HasField("config"):
            raise Refused(Code.INVALID_ARGUMENT, "there is no configuration")
        given = request.config
        if not same_info(given.p4info, self._info):
            raise Refused(Code.UNIMPLEMENTED, "the P4Info is not that of the running program, which cannot be replaced")
        if given.p4_device_config and device_data(given.p4_device_config) != self._device_config:
            raise Refused(Code.UNIMPLEMENTED, "the device config is not the running program, which cannot be replaced")

    def _commit_saved(self, request: Message) -> None:
        if request.HasField("config"):
            raise Refused(Code.INVALID_ARGUMENT, "COMMIT takes the configuration that was saved")
        if self._saved is None:
            raise Refused(Code.NOT_FOUND, "no configuration was saved")
        self._commit(self._saved, keep=False)

    def _commit(self, config: Message, keep: bool) -> None:
        if not keep:
            self._cleared()
        self._cookie = config.cookie.cookie if config.HasField("cookie") else None
        self._saved = None


def clear(client: Client, program: Program) -> None:
    """All state of the switch as it is when it starts: tables, default entries, profiles, groups, sessions, counters,
    meters, registers, and the notes.

    Raises: Refused.
    """
    lines = []
    for table in program.tables.values():
        if not table.const_entries and table.keys:
            lines.append(f"table_clear {table.name}")
        if not table.const_default:
            lines.append(f"table_reset_default {table.name}")
    for extern in program.externs.values():
        if extern.kind in ("counter", "direct_counter", "register"):
            lines.append(f"{extern.kind.removeprefix('direct_')}_reset {extern.name}")
    green = [
        elements.set_meter(extern, index, None)
        for extern in program.externs.values()
        if extern.kind in ("meter", "direct_meter")
        for index in range(extern.size)
    ]
    client.update(green)
    reply = client.bulk(lines)
    if reply.failed:
        raise Refused(Code.INTERNAL, f"the state is not cleared: {reply.text.strip()}")
    value_sets.clear(client, program)
    profiles.clear(client, program)
    replication.clear(client)
    client.update([notes.change(name, b"") for name, _ in client.read_notes()])
