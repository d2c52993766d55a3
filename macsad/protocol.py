"""The control protocol, as docs/control.md and aux-backend/control/protocol.h have it: numbers of messages, what is in them."""

from __future__ import annotations

import enum
import json
import struct
from dataclasses import dataclass
from typing import Any

MESSAGE_MAX = 16 << 20
MEMBER, GROUP = 0xFFFFFFFE, 0xFFFFFFFD  # in place of an action's number: the id of a member or a group follows
MADE_BY_COMMAND = 1 << 63  # in such an id; the handle is the rest
FRAME = struct.Struct(">HI")  # port and length of a frame
_AGE = struct.Struct(">QQQ")
_TRACED = struct.Struct(">HQI")


class Message(enum.IntEnum):
    COMMAND = 1
    BULK = 2
    INJECT = 3
    COLLECT = 4
    SUBSCRIBE = 5
    DIGEST = 6
    STATS = 7
    DESCRIBE = 8
    SET = 9
    SHUTDOWN = 10
    UPDATE = 11
    READ = 12
    IDLE = 13
    FRAMES = 14
    HOLD = 15
    NEXT = 16
    TRACE = 17
    TRACED = 18


class Update(enum.IntEnum):
    """Changes of an UPDATE."""

    ADD = 1
    MODIFY = 2
    REMOVE = 3
    SET_DEFAULT = 4
    RESET_DEFAULT = 5
    ELEMENT = 6
    ADD_MEMBER = 7
    MODIFY_MEMBER = 8
    REMOVE_MEMBER = 9
    ADD_GROUP = 10
    MODIFY_GROUP = 11
    REMOVE_GROUP = 12
    NOTE = 13


class Outcome(enum.IntEnum):
    """What became of a change."""

    DONE = 0
    NOT_TRIED = 1
    WRONG = 2
    EXISTS = 3
    NONE = 4
    FULL = 5
    CONSTANT = 6
    BUSY = 7
    NO_MEMORY = 8
    USED = 9


class Reading(enum.IntEnum):
    """What a READ reads."""

    ENTRIES = 1
    ENTRY = 2
    DEFAULT = 3
    ELEMENTS = 4
    MEMBERS = 5
    GROUPS = 6
    NOTES = 7
    AGES = 8
    RULES = 9
    RULE = 10
    RULE_OF_KEY = 11


class Push(enum.IntFlag):
    """What a SUBSCRIBE is for."""

    DIGESTS = 1
    IDLE = 2


class Status(enum.IntEnum):
    OK = 0
    FAILED = 1
    WRONG = 2
    MORE = 3


class ControlError(Exception):
    """The switch refused a request, or what it sent is not of the protocol."""


class NoSwitchError(ControlError):
    """Nobody listens at the socket, or not any more."""


@dataclass(frozen=True, slots=True)
class Reply:
    """What a command printed, or (not ok) what was wrong with it."""

    ok: bool
    text: str


@dataclass(frozen=True, slots=True)
class BulkReply:
    """Lines done and failed; `text` has an `N: error: …` line for each of the first failures."""

    done: int
    failed: int
    text: str


Frames = list[tuple[int, bytes]]  # (port, frame)


@dataclass(frozen=True, slots=True)
class Digest:
    """Records of one digest, each its fields one after the other in whole bytes, most significant first."""

    name: str
    records: tuple[bytes, ...]


@dataclass(frozen=True, slots=True)
class Idle:
    """Entries of a table that nothing has hit for longer than they may: of each (handle, timeout, time since the last hit),
    in nanoseconds, and then the entries as READ gives them."""

    table: int
    ages: tuple[tuple[int, int, int], ...]
    entries: bytes


@dataclass(frozen=True, slots=True)
class Filter:
    """Frames that a TRACE is for: of that port (None: of any), whose bytes are these under a mask ((offset, value, mask) each);
    of those the first and then each `every`th, at most `per_second` in a second and `count` in all (0: no limit)."""

    port: int | None = None
    every: int = 1
    per_second: int = 0
    count: int = 0
    pattern: tuple[tuple[int, int, int], ...] = ()

    def packed(self) -> bytes:
        port = 0xFFFFFFFF if self.port is None else self.port
        head = struct.pack(">IIIQ", port, self.every, self.per_second, self.count)
        return head + b"".join(struct.pack(">HBB", *one) for one in self.pattern)


@dataclass(frozen=True, slots=True)
class Traced:
    """Frames as workers received them: of each (port, nanoseconds since the switch started, frame). `lost`: so many found no
    room since the trace began. Where `changes` is another number than before, entries or other state may have changed."""

    changes: int
    lost: int
    frames: tuple[tuple[int, int, bytes], ...]


Pushed = Digest | Idle | Frames | Traced  # what the switch sends by itself


def text_of(payload: bytes) -> str:
    """What is written in a reply."""
    return payload.decode("utf-8", "replace")


def json_of(payload: bytes) -> dict[str, Any]:
    """The object of a reply. Raises: ControlError."""
    value = json.loads(payload)
    if not isinstance(value, dict):
        raise ControlError("not a JSON object")
    return value


def frames_of(payload: bytes) -> Frames:
    """Those of COLLECT or FRAMES."""
    frames: Frames = []
    at = 0
    while at < len(payload):
        port, length = FRAME.unpack_from(payload, at)
        frames.append((port, payload[at + 6 : at + 6 + length]))
        at += 6 + length
    return frames


def digest_of(payload: bytes) -> Digest:
    """That of DIGEST."""
    (name_length,) = struct.unpack_from(">H", payload)
    name = payload[2 : 2 + name_length].decode()
    (size,) = struct.unpack_from(">I", payload, 2 + name_length)
    records = payload[6 + name_length :]
    return Digest(name, tuple(records[at : at + size] for at in range(0, len(records), size)))


def traced_of(payload: bytes) -> Traced:
    """Those of TRACED."""
    changes, lost = struct.unpack_from(">QQ", payload)
    frames, at = [], 16
    while at < len(payload):
        port, time_ns, length = _TRACED.unpack_from(payload, at)
        at += _TRACED.size + length
        frames.append((port, time_ns, payload[at - length : at]))
    return Traced(changes, lost, tuple(frames))


def idle_of(payload: bytes) -> Idle:
    """Those of IDLE."""
    table, count = struct.unpack_from(">HI", payload)
    end = 6 + _AGE.size * count
    ages = tuple((handle, limit, since) for handle, limit, since in _AGE.iter_unpack(payload[6:end]))
    return Idle(table, ages, payload[end:])
