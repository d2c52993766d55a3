"""Packets of a running switch, each told as the interpreter tells its way."""

from __future__ import annotations

import contextlib
import json
import sys
import threading
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, TextIO

from macsad.control import Client
from macsad.protocol import ControlError, Filter, NoSwitchError, Traced
from macsad.trace.rotated import Limit, Rotated
from transpiler.recursion import deep_recursion

if TYPE_CHECKING:
    from macsad.trace.live import Live
    from transpiler.hlir.program import Program
    from transpiler.interpreter.trace import Event
    from transpiler.interpreter.watch import Watch

Load = Callable[[], "Program"]
Out = TextIO | Rotated
_NS = 1_000_000_000
_ROW = 16  # bytes of a line
_NO_OTHERS: Mapping[str, Load] = {}


@dataclass(frozen=True, slots=True)
class Told:
    """A packet: what came in, when (nanoseconds since the switch started), what became of it and what is sent of it. `lost`:
    frames that the switch had no room for, since the trace began."""

    port: int
    time_ns: int
    frame: bytes
    events: tuple[Event, ...]
    sent: tuple[tuple[int, bytes], ...]
    lost: int

    def text(self, most: int = 0) -> str:
        """For people, a line a step; then the first bytes of each frame, as many as `most`."""
        head = f"\n{self.time_ns / _NS:.6f} s\n"
        told = head + "".join(f"{event}\n" for event in self.events)
        if most:
            told += _dump(f"from port {self.port}", self.frame[:most])
            told += "".join(_dump(f"to port {port}", frame[:most]) for port, frame in self.sent)
        return told

    def json(self) -> str:
        """A line."""
        events = [_event(event) for event in self.events]
        sent = [{"port": port, "frame": frame.hex()} for port, frame in self.sent]
        return json.dumps({"port": self.port, "time_ns": self.time_ns, "frame": self.frame.hex(), "events": events,
                           "sent": sent, "lost": self.lost})  # fmt: skip


def _dump(title: str, frame: bytes) -> str:
    rows = [f"{at:04x}  {frame[at : at + _ROW].hex(' ')}" for at in range(0, len(frame), _ROW)]
    return "".join(f"{'bytes':>8}  {text}\n" for text in (title, *rows))


def _event(event: Event) -> dict[str, Any]:
    return {"kind": event.kind, "text": event.text, "at": None if event.span is None else str(event.span)}


class Tracer:
    """Packets of a program's switch that pass from now on. `load` gives the program; `others`: those that may take its place
    while it runs, by the names of their files. A program is read when it is needed: memory for it before a packet has come would
    be for nothing. `watch` is told which ways they take."""

    def __init__(
        self, load: Load, client: Client, filter: Filter, others: Mapping[str, Load] = _NO_OTHERS,
        watch: Watch | None = None,
    ) -> None:  # fmt: skip
        """Raises: ControlError."""
        self._events: list[Event] = []
        self._live: Live | None = None
        self._watch = watch
        self._load, self._client, self._count, self._others = load, client, filter.count, others
        client.trace(replace(filter, count=0))  # the switch's count has those that are lost, which would be waited for

    def begin(self) -> Live:
        """Read the program. Raises: ControlError, where the switch runs another one; Rejected."""
        self._live = self._live or self._live_of(self._load)
        return self._live

    def __iter__(self) -> Iterator[Told]:
        """As they come: as many as the filter's count, or until the switch ends. Raises: ControlError."""
        told = 0
        while True:
            pushed = self._client.pushed(None)
            if not isinstance(pushed, Traced):
                continue
            live = self._refreshed(pushed.changes)
            for port, time_ns, frame in pushed.frames:
                self._events.clear()
                sent = live.run(port, frame, time_ns)
                yield Told(port, time_ns, frame, tuple(self._events), tuple(sent), pushed.lost)
                told += 1
                if told == self._count:
                    return

    def _refreshed(self, changes: int) -> Live:
        from macsad.trace.live import AnotherProgram

        try:
            self._live = live = self._live or self._live_of(self._of_what_runs())
            live.refresh(changes)
        except AnotherProgram:
            load = self._of_what_runs()
            if load is self._load:
                raise
            self._live = live = self._live_of(load)
            live.refresh(changes)
        return live

    def _of_what_runs(self) -> Load:
        return self._others.get(self._client.describe()["source"], self._load)

    def _live_of(self, load: Load) -> Live:
        from macsad.trace.live import Live
        from transpiler.interpreter.watch import NOBODY

        return Live(load(), self._client, self._events.append, self._watch or NOBODY)


@deep_recursion()
def show(load: Load, socket: Path, filter: Filter, *, as_json: bool, output: TextIO, errors: TextIO) -> int:
    """Write them until the switch ends or Ctrl-C. Returns the exit code."""
    lost = 0
    try:
        with Client(socket) as client:
            tracer = Tracer(load, client, filter)
            tracer.begin()
            for told in tracer:
                output.write(told.json() + "\n" if as_json else told.text())
                output.flush()
                lost = told.lost
    except NoSwitchError as error:
        if not lost and not str(error).startswith("the switch has closed"):
            print(f"error: {error}", file=errors)
            return 1
    except ControlError as error:
        print(f"error: {error}", file=errors)
        return 1
    except KeyboardInterrupt:
        pass
    if lost:
        print(f"{lost} frames are not told: the switch had no room for them", file=errors)
    return 0


@dataclass(frozen=True, slots=True)
class Place:
    """Where packets are told: a file, None for standard output. `shared`: the switch appends its messages to it, too. `limit`:
    the sizes of it and of those that are kept. `most`: bytes of frames that are shown."""

    path: Path | None = None
    shared: bool = False
    limit: Limit | None = None
    most: int = 0

    def opened(self, ended: contextlib.ExitStack) -> Out:
        """Closed with `ended`. Raises: OSError."""
        if self.path is None:
            return sys.stdout
        if self.limit is not None:
            return ended.enter_context(Rotated(self.path, self.limit))
        return ended.enter_context(self.path.open("a" if self.shared else "w"))


@contextlib.contextmanager
def beside(load: Load, others: Mapping[str, Load], filter: Filter, place: Place, socket: Path) -> Iterator[None]:
    """Packets of the switch at that socket are told while the context lasts. `others`: as in Tracer."""
    with contextlib.ExitStack() as ended:
        output = place.opened(ended)
        client = ended.enter_context(Client(socket))
        thread = threading.Thread(target=_tell, args=(load, others, client, filter, output, place.most), daemon=True)
        thread.start()
        try:
            yield
        finally:
            client.break_off()
            thread.join(5)


@deep_recursion()
def _tell(load: Load, others: Mapping[str, Load], client: Client, filter: Filter, output: Out, most: int) -> None:
    try:
        for told in Tracer(load, client, filter, others):
            output.write(told.text(most))
            output.flush()
    except NoSwitchError:
        pass  # it has ended, or this process ends
    except (ControlError, OSError) as error:
        print(f"error: packets are not told any more: {error}", file=sys.stderr)
