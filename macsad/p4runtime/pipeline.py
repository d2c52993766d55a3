"""The program of the switch, as controllers set and get it. P4Runtime spec 1.4.1 sections 14 and 15."""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import dataclass

from macsad.control import Client
from macsad.p4runtime import elements, notes, profiles, replication, value_sets
from macsad.p4runtime.codes import Code, Refused
from macsad.p4runtime.messages import Message, message
from macsad.p4runtime.program import Program
from macsad.p4runtime.replacement import Builder, Replacement
from macsad.p4runtime.sameness import device_data, same_info

VERIFY, VERIFY_AND_SAVE, VERIFY_AND_COMMIT, COMMIT, RECONCILE_AND_COMMIT = 1, 2, 3, 4, 5
COOKIE_ONLY, P4INFO_AND_COOKIE, DEVICE_CONFIG_AND_COOKIE = 1, 2, 3


@dataclass(frozen=True, slots=True)
class _Verified:
    """A configuration that the switch can have; `made` where it is another program than the one that runs."""

    config: Message
    made: Replacement | None


class Pipeline:
    """The running program, and a configuration that is saved for a COMMIT.

    `device_config`: the program's source, b"" if it is not known. `awaits`: it stands for none, until a controller sets one.
    `cleared` sets all state as it is when a switch starts; `replace(info, made, keep)` puts another program in the running
    one's place. `build` compiles one; None: only configurations of the program that runs are taken.
    """

    def __init__(
        self,
        info: Message,
        device_config: bytes,
        cleared: Callable[[], None],
        replace: Callable[[Message, Replacement, bool], None],
        build: Builder | None,
        awaits: bool = False,
    ) -> None:
        self._lock = threading.Lock()
        self._awaits = awaits
        self._info = info
        self._device_config = device_config
        self._cookie: int | None = None
        self._saved: _Verified | None = None
        self._cleared, self._replace, self._build = cleared, replace, build

    def set(self, request: Message) -> None:
        """Raises: Refused."""
        with self._lock:
            if request.action == COMMIT:
                self._commit_saved(request)
                return
            if request.action not in (VERIFY, VERIFY_AND_SAVE, VERIFY_AND_COMMIT, RECONCILE_AND_COMMIT):
                raise Refused(Code.INVALID_ARGUMENT, "the action is not known")
            verified = self._verify(request)
            if request.action == VERIFY_AND_SAVE:
                self._saved = verified
            elif request.action != VERIFY:
                self._commit(verified, keep=request.action == RECONCILE_AND_COMMIT)

    def require(self) -> None:
        """Requests that need a program wait until a controller has set one. Raises: Refused."""
        if self._awaits:
            raise Refused(Code.FAILED_PRECONDITION, "the switch has no program yet: set one first")

    def get(self, request: Message) -> Message:
        """The configuration, or the parts of it that are asked for; none while one is awaited."""
        response = message("GetForwardingPipelineConfigResponse")()
        with self._lock:
            if self._awaits:
                return response
            config = response.config
            if self._cookie is not None:
                config.cookie.cookie = self._cookie
            if request.response_type not in (COOKIE_ONLY, DEVICE_CONFIG_AND_COOKIE):
                config.p4info.CopyFrom(self._info)
            if request.response_type not in (COOKIE_ONLY, P4INFO_AND_COOKIE):
                config.p4_device_config = self._device_config
        return response

    def _verify(self, request: Message) -> _Verified:
        if not request.HasField("config"):
            raise Refused(Code.INVALID_ARGUMENT, "there is no configuration")
        given = message("ForwardingPipelineConfig")()
        given.CopyFrom(request.config)
        same = not self._awaits and same_info(given.p4info, self._info)
        pushed, running = given.p4_device_config, self._device_config
        if same and (not pushed or device_data(pushed) == device_data(running)):
            return _Verified(given, None)
        if self._build is None:
            raise Refused(Code.UNIMPLEMENTED, "it is not of the running program, which this server cannot replace")
        if not pushed:
            raise Refused(Code.INVALID_ARGUMENT, "the P4Info is not that of the running program")
        return _Verified(given, self._build(pushed))

    def _commit_saved(self, request: Message) -> None:
        if request.HasField("config"):
            raise Refused(Code.INVALID_ARGUMENT, "COMMIT takes the configuration that was saved")
        if self._saved is None:
            raise Refused(Code.NOT_FOUND, "no configuration was saved")
        self._commit(self._saved, keep=False)

    def _commit(self, verified: _Verified, keep: bool) -> None:
        config = verified.config
        if verified.made is not None:
            self._replace(config.p4info, verified.made, keep)
            self._info, self._device_config = config.p4info, config.p4_device_config
        elif not keep:
            self._cleared()
        self._cookie = config.cookie.cookie if config.HasField("cookie") else None
        self._saved, self._awaits = None, False


def clear(client: Client, program: Program) -> None:
    """All state of the switch as it is when it starts: tables, default entries, profiles, groups, sessions, counters,
    meters, registers, and the notes.

    Raises: Refused.
    """
    lines = []
    for table in program.tables.values():
        if not table.const_entries and table.keys:
            lines.append(f"table_restore {table.name}")
        elif not table.const_default:
            lines.append(f"table_reset_default {table.name}")
    for extern in program.externs.values():
        if extern.kind in ("counter", "direct_counter"):
            lines.append(f"counter_reset {extern.name}")
        elif extern.kind == "register":
            lines.append(f"register_restore {extern.name}")
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
    forget(client)


def forget(client: Client) -> None:
    """Remove what is no program's: groups, sessions and notes. Raises: Refused."""
    replication.clear(client)
    client.update([notes.change(name, b"") for name, _ in client.read_notes()])
