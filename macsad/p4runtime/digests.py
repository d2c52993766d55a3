"""Digests: records of the switch in lists to the primary controllers. P4Runtime spec 1.4.1 section 9.8.

A record is not sent again until its list is acknowledged, or until it has waited long enough for that. The configuration is kept
as notes of the switch.
Threads: any.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from macsad.control import Client
from macsad.p4runtime import notes
from macsad.p4runtime.codes import Code, Refused
from macsad.p4runtime.data import Unsupported, Values
from macsad.p4runtime.messages import Message, message
from macsad.p4runtime.program import Extern, Program
from macsad.protocol import Digest

INSERT, MODIFY, DELETE = 1, 2, 3
LIST_MAX = 10_000  # records of a list, where its size has no limit


@dataclass(slots=True)
class _Learning:
    """A digest that is sent. Times in ns."""

    extern: Extern
    decoder: Values
    config: Message
    buffer: dict[bytes, None] = field(default_factory=dict)  # records in their order
    since: int = 0  # when the first one of the buffer came
    sent: dict[int, tuple[int, list[bytes]]] = field(default_factory=dict)  # list → when, records
    waiting: set[bytes] = field(default_factory=set)  # records of those lists


class Digests:
    """`send` sends a message to the primaries: False, there is none. `client` is for notes, under its caller's lock."""

    def __init__(self, client: Client, program: Program, send: Callable[[Message], bool]) -> None:
        self._client = client
        self._program = program
        self._send = send
        self._lock = threading.Lock()
        self._learning: dict[str, _Learning] = {}
        self._next = time.time_ns()  # the next list's id: lists of a server that was there before have others
        for name, config in client.read_notes(notes.Names.DIGEST):
            extern = program.externs.get(int.from_bytes(name[1:], "big"))
            if extern is not None and extern.kind == "digest":
                self._learn(extern, message("DigestEntry").Config.FromString(config[1:]))

    # --- entities ----------------------------------------------------------------------------------------------------

    def write(self, kind: int, entry: Message) -> None:
        """INSERT, MODIFY or DELETE. Raises: Refused."""
        extern = self._program.extern(entry.digest_id, "digest")
        config = entry.config
        if min(config.max_timeout_ns, config.max_list_size, config.ack_timeout_ns) < 0:
            raise Refused(Code.INVALID_ARGUMENT, "a timeout or a size is negative")
        there = extern.name in self._learning
        if kind == INSERT and there:
            raise Refused(Code.ALREADY_EXISTS, f"{extern.name} is sent already")
        if kind != INSERT and not there:
            raise Refused(Code.NOT_FOUND, f"{extern.name} is not sent")
        note = b"" if kind == DELETE else b"\1" + config.SerializeToString()
        with self._lock:
            if kind == DELETE:
                del self._learning[extern.name]
            else:
                self._learn(extern, config)
        self._client.update([notes.change(notes.Names.DIGEST + entry.digest_id.to_bytes(4, "big"), note)])

    def _learn(self, extern: Extern, config: Message) -> None:
        copied = message("DigestEntry").Config()
        copied.CopyFrom(config)
        if extern.name in self._learning:
            self._learning[extern.name].config = copied
            return
        types, translations = self._program.info.type_info, self._program.translations
        try:
            decoder = Values(types, extern.info.type_spec, extern.widths, translations)
        except Unsupported:
            raise Refused(Code.UNIMPLEMENTED, f"records of the type of {extern.name} are not sent") from None
        self._learning[extern.name] = _Learning(extern, decoder, copied)

    def read(self, asked: Message) -> Iterator[Message]:
        """The digests that are sent, or the one with that id."""
        if asked.digest_id:
            self._program.extern(asked.digest_id, "digest")
        for learning in list(self._learning.values()):
            if asked.digest_id in (0, learning.extern.id):
                entity = message("Entity")()
                entity.digest_entry.digest_id = learning.extern.id
                entity.digest_entry.config.CopyFrom(learning.config)
                yield entity

    def clear(self) -> None:
        """None is sent any more; the notes are not looked at."""
        with self._lock:
            self._learning.clear()

    # --- records -----------------------------------------------------------------------------------------------------

    def received(self, digest: Digest) -> None:
        """Records have come from the switch."""
        with self._lock:
            learning = self._learning.get(digest.name)
            if learning is None:
                return
            now = time.monotonic_ns()
            self._expire(learning, now)
            most = learning.config.max_list_size or LIST_MAX
            if not learning.config.max_timeout_ns:
                most = 1
            for record in digest.records:
                if record in learning.waiting or record in learning.buffer:
                    continue
                if not learning.buffer:
                    learning.since = now
                learning.buffer[record] = None
                if len(learning.buffer) >= most:
                    self._send_list(learning, now)

    def _send_list(self, learning: _Learning, now: int) -> None:
        response = message("StreamMessageResponse")()
        made = response.digest
        made.digest_id, made.list_id, made.timestamp = learning.extern.id, self._next, time.time_ns()
        for record in learning.buffer:
            learning.decoder.decode(record, made.data.add())
        records = list(learning.buffer)
        learning.buffer.clear()
        if self._send(response) and learning.config.ack_timeout_ns:
            learning.sent[self._next] = now, records
            learning.waiting.update(records)
        self._next += 1

    def _expire(self, learning: _Learning, now: int) -> None:
        """Lists that have waited long enough are forgotten: the oldest are the first."""
        while learning.sent:
            number, (when, _) = next(iter(learning.sent.items()))
            if now - when < learning.config.ack_timeout_ns:
                return
            self._forget(learning, number)

    def _forget(self, learning: _Learning, number: int) -> None:
        _, records = learning.sent.pop(number)
        learning.waiting.difference_update(records)

    def acknowledged(self, ack: Message) -> None:
        """Raises: Refused, if there is no such list."""
        with self._lock:
            for learning in self._learning.values():
                if learning.extern.id == ack.digest_id and ack.list_id < self._next:
                    if ack.list_id in learning.sent:  # else it has waited too long
                        self._forget(learning, ack.list_id)
                    return
        raise Refused(Code.NOT_FOUND, "there is no such list")

    def tick(self) -> None:
        """Send the lists whose time has come."""
        now = time.monotonic_ns()
        with self._lock:
            for learning in self._learning.values():
                if learning.buffer and now - learning.since >= learning.config.max_timeout_ns:
                    self._send_list(learning, now)

    def wait(self) -> float | None:
        """Seconds until tick() has something to do; None: nothing waits."""
        now = time.monotonic_ns()
        with self._lock:
            ends = [one.since + one.config.max_timeout_ns for one in self._learning.values() if one.buffer]
        return max(0, min(ends) - now) / 1e9 + 0.0001 if ends else None
