"""Client of a running switch: the control protocol over its Unix socket.

protocol.py has the messages; this module frames them.
"""

from __future__ import annotations

import contextlib
import json
import os
import socket
import struct
import time
from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from types import TracebackType
from typing import Any, TypeVar

from macsad.protocol import (
    MESSAGE_MAX,
    BulkReply,
    ControlError,
    Digest,
    Filter,
    Frames,
    Idle,
    Message,
    NoSwitchError,
    Outcome,
    Push,
    Pushed,
    Reading,
    Reply,
    Status,
    Update,
    digest_of,
    frames_of,
    idle_of,
    json_of,
    text_of,
    traced_of,
)

_T = TypeVar("_T")
_HEAD = struct.Struct(">IBBH")
_CREDENTIALS = struct.Struct("iII")  # struct ucred: process, user, group
_BULK_STEP = 4 << 20
_INJECT_STEP = 1 << 20
_UPDATE_STEP = 10_000  # changes
_ASK_STEP = 32  # requests that are sent at once
_NEXT = 4  # flag: of the program that is loaded, and does not run yet
_LENGTH = struct.Struct(">I")
_OUTCOME = struct.Struct(">BI")
_LIFE = struct.Struct(">QQ")
_OUTCOMES = tuple(Outcome)


class Client:
    """A connection to a switch; a context manager. Raises: NoSwitchError, ControlError, TimeoutError (a reply that takes
    longer than `timeout` seconds)."""

    def __init__(self, path: str | Path, timeout: float = 60.0) -> None:
        self._timeout = timeout
        self._buffer = bytearray()
        self._waiting: deque[Pushed] = deque()
        self._tag = 0
        try:
            self._socket = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        except OSError as error:
            raise ControlError(f"cannot make a socket: {error.strerror}") from error
        self._socket.settimeout(timeout)
        try:
            self._socket.connect(str(path))
            self._check_peer(path)
        except OSError as error:
            self._socket.close()
            raise NoSwitchError(f"no switch listens at {path}: {error.strerror or error}") from error

    def _check_peer(self, path: str | Path) -> None:
        """Whoever else listens there may be a trap. Raises: ControlError."""
        peer = self._socket.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, _CREDENTIALS.size)
        _, user, _ = _CREDENTIALS.unpack(peer)
        if user not in (0, os.geteuid()):
            self._socket.close()
            raise ControlError(f"who listens at {path} is user {user}, neither you (user {os.geteuid()}) nor root")

    @classmethod
    def wait(cls, path: str | Path, seconds: float = 10.0, timeout: float = 60.0) -> Client:
        """Connect to a switch that is starting. Raises: NoSwitchError after that many seconds."""
        end = time.monotonic() + seconds
        while True:
            try:
                return cls(path, timeout)
            except NoSwitchError:
                if time.monotonic() > end:
                    raise
                time.sleep(0.01)

    def close(self) -> None:
        self._socket.close()

    def __enter__(self) -> Client:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    # --- requests -----------------------------------------------------------------------------------------------------

    def command(self, line: str) -> Reply:
        """Run one text command."""
        status, payload = self._ask(Message.COMMAND, line.encode(errors="surrogateescape"))
        return Reply(status is Status.OK, text_of(payload))

    def bulk(self, lines: Iterable[str], *, keep_going: bool = False, answers: bool = False) -> BulkReply:
        """Run many commands, up to the first that fails unless `keep_going`; with `answers` the text has what they
        print as well. Line numbers in the text count from 1 over all of `lines`."""
        done = failed = 0
        texts: list[str] = []
        for first, block in _blocks(lines):
            flags = bytes([keep_going | answers << 1])
            status, payload = self._ask(Message.BULK, flags + block)
            if status is Status.WRONG or len(payload) < 8:
                raise ControlError(text_of(payload))
            block_done, block_failed = struct.unpack_from(">II", payload)
            done += block_done
            failed += block_failed
            texts.append(_renumber(text_of(payload[8:]), first))
            if failed and not keep_going:
                break
        return BulkReply(done, failed, "".join(texts))

    def inject(self, port: int, frames: Sequence[bytes]) -> int:
        """Let a `ctl:` port receive frames; returns how many it took (the others find no room until others are through)."""
        accepted = 0
        while accepted < len(frames):
            message = bytearray(struct.pack(">H", port))
            count = 0
            for frame in frames[accepted:]:
                if count and len(message) + 4 + len(frame) > _INJECT_STEP:
                    break
                message += struct.pack(">I", len(frame)) + frame
                count += 1
            (taken,) = struct.unpack(">I", self._good(Message.INJECT, bytes(message)))
            accepted += taken
            if taken < count:
                break
        return accepted

    def collect(self) -> list[tuple[int, bytes]]:
        """Wait until all that was injected is through; then (port, frame) of all that the `ctl:` ports sent since the last
        time, each port's frames in their order."""
        frames: Frames = []
        while True:
            status, payload = self._ask(Message.COLLECT)
            if status is Status.WRONG:
                raise ControlError(text_of(payload))
            frames += frames_of(payload)
            if status is not Status.MORE:
                return frames

    def exchange(self, frames: Iterable[tuple[int, bytes]]) -> list[tuple[int, bytes]]:
        """Inject (port, frame) in this order, and collect all that comes of them, however many they are.

        Raises: ControlError when the switch takes no frame for as long as it may take for a reply.
        """
        sent: list[tuple[int, bytes]] = []
        pending = deque(frames)
        while pending:
            port = pending[0][0]
            run = [pending.popleft()[1]]
            while pending and pending[0][0] == port and len(run) < 512:
                run.append(pending.popleft()[1])
            end = time.monotonic() + self._timeout
            while run:
                taken = self.inject(port, run)
                del run[:taken]
                # Frames at different ports may overtake each other: finish with one port before the next.
                sent += self.collect()
                if taken:
                    end = time.monotonic() + self._timeout
                elif time.monotonic() > end:
                    raise ControlError(f"port {port} takes no frames: the switch has no buffers left")
        return sent

    def subscribe(self, to: Push = Push.DIGESTS) -> None:
        """From now on digests, or entries that nothing hits, are pushed to this client."""
        self._good(Message.SUBSCRIBE, bytes([to]))

    def take_frames(self, *ports: int) -> None:
        """From now on what these `ctl:` ports send is pushed to this client, and nobody can collect it."""
        self._good(Message.SUBSCRIBE, struct.pack(f">B{len(ports)}H", 0, *ports))

    def trace(self, filter: Filter | None) -> None:
        """From now on frames that pass are pushed to this client; None: no more. Raises: ControlError, where another one
        traces."""
        self._good(Message.TRACE, b"" if filter is None else filter.packed())

    def pushed(self, seconds: float | None) -> Pushed | None:
        """The next of what the switch sends by itself, or None when nothing comes in that time; None waits until something
        comes."""
        if self._waiting:
            return self._waiting.popleft()
        self._socket.settimeout(seconds)
        try:
            kind, _, _, payload = self._receive()
        except (TimeoutError, BlockingIOError):
            return None
        finally:
            self._socket.settimeout(self._timeout)
        if not self._keep(kind, payload):
            raise ControlError(f"a message of type {kind} that nobody asked for")
        return self._waiting.popleft()

    def digest(self, seconds: float) -> Digest | None:
        """The next digest, or None when none comes in that time."""
        return self._next(Digest, seconds)

    def idle(self, seconds: float) -> Idle | None:
        """The next entries that nothing has hit for longer than they may, or None when none come in that time."""
        return self._next(Idle, seconds)

    def _next(self, kind: type[_T], seconds: float) -> _T | None:
        """The next one of its kind: others wait until they are asked for."""
        end, others = time.monotonic() + seconds, deque[Pushed]()
        while (pushed := self.pushed(max(end - time.monotonic(), 1e-3))) is not None and not isinstance(pushed, kind):
            others.append(pushed)
        self._waiting.extendleft(reversed(others))
        return pushed

    def _keep(self, kind: int, payload: bytes) -> bool:
        """Whether a message is one that the switch sends by itself; it waits then."""
        if kind == Message.DIGEST:
            self._waiting.append(digest_of(payload))
        elif kind == Message.IDLE:
            self._waiting.append(idle_of(payload))
        elif kind == Message.FRAMES:
            self._waiting.append(frames_of(payload))
        elif kind == Message.TRACED:
            self._waiting.append(traced_of(payload))
        return kind in (Message.DIGEST, Message.IDLE, Message.FRAMES, Message.TRACED)

    def hold(self, held: bool) -> None:
        """Let the workers rest between two bursts, or go on. Packets meet what is changed meanwhile as one change.

        Raises: ControlError: one does not rest; or they have gone on already, a second later.
        """
        self._good(Message.HOLD, bytes([held]))

    def of_next(self, wanted: bool) -> None:
        """What this client asks for from now on is of the program that is loaded, while one is; or again of the one that
        runs."""
        self._good(Message.NEXT, bytes([wanted]))

    def break_off(self) -> None:
        """Whoever waits for the switch in another thread is told that it has closed the connection."""
        with contextlib.suppress(OSError):
            self._socket.shutdown(socket.SHUT_RDWR)

    def stats(self) -> dict[str, Any]:
        """Statistics: see docs/control.md."""
        return json_of(self._good(Message.STATS))

    def stages(self) -> list[dict[str, Any]]:
        """The stage clocks of each worker, see docs/control.md."""
        reply = self.command("stages")
        if not reply.ok:
            raise ControlError(reply.text)
        made: list[dict[str, Any]] = json.loads(reply.text)
        return made

    def describe(self, *, next_program: bool = False) -> dict[str, Any]:
        """Tables, actions, externs and ports of the program, or of the one that is loaded: see docs/control.md."""
        return json_of(self._good(Message.DESCRIBE, bytes([_NEXT]) if next_program else b""))

    def set_batch(self, burst: int = 0, sub_batch: int = 0) -> tuple[int, int]:
        """Set burst and sub-batch, 0: as it is; returns what they are now."""
        now = struct.unpack(">HH", self._good(Message.SET, struct.pack(">HH", burst, sub_batch)))
        return now[0], now[1]

    def update(
        self, changes: Sequence[bytes], *, keep_going: bool = True, next_program: bool = False
    ) -> list[tuple[Outcome, int]]:
        """Make changes in binary form, each its kind (Update) and what it needs: docs/control.md. Up to the first that
        fails unless `keep_going`. What became of each, and its number. `next_program`: of the program that is loaded."""
        outcomes: list[tuple[Outcome, int]] = []
        while len(outcomes) < len(changes):
            end = len(outcomes) + _UPDATE_STEP
            while end < len(changes) and changes[end][0] == Update.NOTE:  # it goes with the change before it
                end += 1
            block = changes[len(outcomes) : end]
            payload = b"".join(
                [bytes([keep_going | next_program * _NEXT]), *(_LENGTH.pack(len(c) - 1) + c for c in block)]
            )
            answer = self._good(Message.UPDATE, payload)
            outcomes += [(_OUTCOMES[code], number) for code, number in _OUTCOME.iter_unpack(answer)]
            if not keep_going and outcomes[-1][0] is not Outcome.DONE:
                break
        return outcomes + [(Outcome.NOT_TRIED, 0)] * (len(changes) - len(outcomes))

    def read_entries(self, table: int, kind: Reading = Reading.ENTRIES) -> Iterator[bytes]:
        """The entries of a table in binary form, part by part; of the kind RULES with their handles."""
        return self._parts(kind, table, 8)

    def read_profile(self, kind: Reading, extern: int) -> Iterator[bytes]:
        """The members or groups of an action profile in binary form, part by part."""
        return self._parts(kind, extern, 4)

    def _parts(self, kind: Reading, of: int, cursor_bytes: int) -> Iterator[bytes]:
        cursor = bytes(cursor_bytes)
        while True:
            more, answer = self._part(struct.pack(">BH", kind, of) + cursor)
            cursor = answer[:cursor_bytes]
            if len(answer) > cursor_bytes:
                yield answer[cursor_bytes:]
            if not more:
                return

    def _part(self, request: bytes) -> tuple[bool, bytes]:
        """A part of what is read, and whether there is more."""
        status, answer = self._ask(Message.READ, request)
        if status not in (Status.OK, Status.MORE):
            raise ControlError(text_of(answer))
        return status is Status.MORE, answer

    def read_entry(self, table: int, key: bytes, kind: Reading = Reading.ENTRY) -> bytes | None:
        """The entry with that very key, or None. Of the kind RULE_OF_KEY with its handle; of RULE by it (8 bytes)."""
        status, answer = self._ask(Message.READ, struct.pack(">BH", kind, table) + key)
        if status is Status.WRONG:
            raise ControlError(text_of(answer))
        return answer if status is Status.OK else None

    def read_default(self, table: int) -> bytes:
        """The default entry of a table: its index and its action."""
        return self._good(Message.READ, struct.pack(">BH", Reading.DEFAULT, table))

    def read_elements(self, extern: int, first: int, count: int, size: int) -> bytes:
        """Elements of a counter, register or meter, `size` bytes each."""
        return self._read_all(Reading.ELEMENTS, extern, first, count, size)

    def read_ages(self, table: int, first: int, count: int) -> list[tuple[int, int]]:
        """(timeout, time since the last hit) of the entries at these indices, in nanoseconds."""
        size = _LIFE.size
        return [
            (limit, since)
            for limit, since in _LIFE.iter_unpack(self._read_all(Reading.AGES, table, first, count, size))
        ]

    def _read_all(self, what: Reading, of: int, first: int, count: int, size: int) -> bytes:
        elements, more = b"", True
        while more:
            done = len(elements) // size
            more, answer = self._part(struct.pack(">BHII", what, of, first + done, count - done))
            elements += answer
        return elements

    def read_notes(self, prefix: bytes = b"") -> Iterator[tuple[bytes, bytes]]:
        """The notes whose names begin so, in the order of their names: (name, note)."""
        last, more = b"", True
        while more:
            more, answer = self._part(struct.pack(">BH", Reading.NOTES, len(prefix)) + prefix + last)
            at = 0
            while at < len(answer):
                (size,) = struct.unpack_from(">H", answer, at)
                last, at = answer[at + 2 : at + 2 + size], at + 2 + size
                (size,) = _LENGTH.unpack_from(answer, at)
                yield last, answer[at + 4 : at + 4 + size]
                at += 4 + size

    def notes_named(self, names: Sequence[bytes]) -> list[bytes]:
        """The note of each of these names, b"" where there is none."""
        made = []
        for first in range(0, len(names), _ASK_STEP):
            some = names[first : first + _ASK_STEP]
            answers = self._ask_all(
                Message.READ, [struct.pack(">BH", Reading.NOTES, len(name)) + name for name in some]
            )
            made += [_note(answer, name) for answer, name in zip(answers, some, strict=True)]
        return made

    def shutdown(self) -> None:
        """End the switch."""
        self._good(Message.SHUTDOWN)

    # --- framing ------------------------------------------------------------------------------------------------------

    def _good(self, kind: Message, payload: bytes = b"") -> bytes:
        status, answer = self._ask(kind, payload)
        if status is not Status.OK:
            raise ControlError(text_of(answer))
        return answer

    def _ask(self, kind: Message, payload: bytes = b"") -> tuple[Status, bytes]:
        if len(payload) > MESSAGE_MAX:
            raise ControlError(f"a message of {len(payload)} bytes is too long")
        self._send(self._message(kind, payload))
        return self._answer(kind, self._tag)

    def _ask_all(self, kind: Message, payloads: Sequence[bytes]) -> list[bytes]:
        """The answers to requests that are sent all at once: so many that the switch takes them in before any is answered."""
        first = self._tag
        self._send(b"".join([self._message(kind, payload) for payload in payloads]))
        answers = [self._answer(kind, (first + at) % 0xFFFF + 1) for at in range(len(payloads))]
        for status, answer in answers:
            if status not in (Status.OK, Status.MORE):
                raise ControlError(text_of(answer))
        return [answer for _, answer in answers]

    def _message(self, kind: Message, payload: bytes) -> bytes:
        self._tag = self._tag % 0xFFFF + 1
        return _HEAD.pack(len(payload), kind, 0, self._tag) + payload

    def _send(self, messages: bytes) -> None:
        try:
            self._socket.sendall(messages)
        except (BrokenPipeError, ConnectionResetError) as error:
            raise NoSwitchError("the switch has closed the connection") from error

    def _answer(self, kind: Message, asked: int) -> tuple[Status, bytes]:
        """The answer to the request with this tag."""
        while True:
            got, status, tag, answer = self._receive()
            if self._keep(got, answer):
                continue
            if (got, tag) == (kind, asked):
                try:
                    return Status(status), answer
                except ValueError as error:
                    raise ControlError(f"unknown status {status}") from error
            raise ControlError(f"a reply of type {got} to a request of type {int(kind)}")

    def _receive(self) -> tuple[int, int, int, bytes]:
        """A whole message; what has come of one when the time is over stays for the next call."""
        self._fill(_HEAD.size)
        length, kind, status, tag = _HEAD.unpack_from(self._buffer)
        if length > MESSAGE_MAX:
            raise ControlError(f"a message of {length} bytes is too long")
        self._fill(_HEAD.size + length)
        payload = bytes(self._buffer[_HEAD.size : _HEAD.size + length])
        del self._buffer[: _HEAD.size + length]
        return kind, status, tag, payload

    def _fill(self, count: int) -> None:
        while len(self._buffer) < count:
            try:
                more = self._socket.recv(1 << 18)
            except ConnectionResetError as error:
                raise NoSwitchError("the switch has closed the connection") from error
            if not more:
                raise NoSwitchError("the switch has closed the connection")
            self._buffer += more


def _note(answer: bytes, name: bytes) -> bytes:
    """That of this name, if it is the first in READ's answer."""
    at = 2 + len(name)
    if answer[:at] != len(name).to_bytes(2, "big") + name:
        return b""
    (size,) = _LENGTH.unpack_from(answer, at)
    return answer[at + 4 : at + 4 + size]


def _blocks(lines: Iterable[str]) -> Iterable[tuple[int, bytes]]:
    """Messages' worth of lines, each with the number of lines before it."""
    block = bytearray()
    first = 0
    for number, line in enumerate(lines):
        encoded = line.rstrip("\n").encode(errors="surrogateescape") + b"\n"
        if len(block) + len(encoded) > _BULK_STEP and block:
            yield first, bytes(block)
            block.clear()
            first = number
        block += encoded
    if block:
        yield first, bytes(block)


def _renumber(text: str, offset: int) -> str:
    """Error lines of a block, numbered from the first block's start."""
    if not offset:
        return text
    lines = []
    for line in text.splitlines(keepends=True):
        number, colon, rest = line.partition(":")
        if number.isdigit() and rest.startswith(" error:"):
            line = f"{int(number) + offset}{colon}{rest}"
        lines.append(line)
    return "".join(lines)
