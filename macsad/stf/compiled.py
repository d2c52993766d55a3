"""A compiled switch as a device: the binary runs beside us, its ports are fed over its control socket."""

from __future__ import annotations

import os
import re
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any, TypeVar

from macsad import protocol
from macsad.control import Client
from macsad.stf.device import Digest, Frame
from transpiler.hlir import expressions as ex
from transpiler.hlir.arithmetic import ones
from transpiler.hlir.program import MatchKind, Parser, Program, TableKey
from transpiler.hlir.statements import CallExtern
from transpiler.hlir.traverse import walk
from transpiler.hlir.types import width_of
from transpiler.interpreter import ControlError
from transpiler.interpreter.matches import (
    PRIORITY_KINDS,
    Exact,
    Match,
    Prefix,
    Range,
    Ternary,
    key_bits,
    member_keys,
    normalised,
    wildcard,
)

_HANDLE = re.compile(r"handle (\d+)")
_NUMBER = re.compile(r"=\s*(\d+)")
_COUNT = re.compile(r"\((\d+) bytes, (\d+) packets\)")
_LOWEST_FIRST = (1 << 31) - 1  # the commands let the smaller priority win
_START_SECONDS, _END_SECONDS = 20.0, 20.0
_ANSWER_SECONDS = 30.0  # a switch that takes longer is taken for stuck
_STDERR_SHOWN = 4000  # characters
_BUFFERS = "2048"  # in all, not for each port: a switch touches them all when it starts

_T = TypeVar("_T")


class CompiledDevice:
    """Starts `binary` with a port fed by the socket for each number in `ports`; `close` ends it.

    `wrapper` is put before the command line, for emulators. Raises: ControlError when it does not start.
    """

    def __init__(
        self,
        program: Program,
        binary: Path,
        ports: Iterable[int],
        *,
        burst: int = 32,
        sub_batch: int = 32,
        seed: int = 0,
        wrapper: Sequence[str] = (),
    ) -> None:
        self.program = program
        self._folder = tempfile.TemporaryDirectory(prefix="macsad-")
        folder = Path(self._folder.name)
        self._errors = folder / "stderr"
        command = [*wrapper, str(binary.resolve()), "--socket", str(folder / "control"), "--seed", str(seed)]
        command += ["--parent", str(os.getpid()), "--buffers", _BUFFERS]
        command += ["--burst", str(burst), "--sub-batch", str(min(sub_batch, burst))]
        for port in sorted(ports) or [0]:  # a switch has a port, also where a test sends nothing
            command += ["--port", f"{port}=ctl:"]
        with self._errors.open("wb") as errors:
            try:
                self._process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=errors, cwd=folder)
            except OSError as error:
                self._folder.cleanup()
                raise ControlError(f"cannot start {binary}: {error}") from None
        self._client = self._connect(folder / "control")
        if any(instance.kind == "digest" for instance in program.externs):
            _asked(self._client.subscribe)
        self._records = 0  # of digests, taken so far

    def _connect(self, path: Path) -> Client:
        deadline = time.monotonic() + _START_SECONDS
        while True:
            try:
                return Client(path, _ANSWER_SECONDS)
            except protocol.NoSwitchError:
                if self._process.poll() is not None or time.monotonic() > deadline:
                    raise self._died("the switch did not start") from None
                time.sleep(0.005)

    def _died(self, what: str) -> ControlError:
        """What to say of a switch that ended: its last words."""
        self._process.kill()
        self._process.communicate()
        code = self._process.returncode
        words = self._errors.read_text(errors="replace").strip()[-_STDERR_SHOWN:]
        self._folder.cleanup()
        return ControlError(f"{what} (exit {code})" + (f":\n{words}" if words else ""))

    def close(self) -> None:
        """End the switch. Raises: ControlError when it does not end cleanly, a sanitizer's report included."""
        if self._process.poll() is None:
            try:
                self._client.shutdown()
                self._process.communicate(timeout=_END_SECONDS)  # its output ends when it does: wait() would poll
            except (protocol.ControlError, OSError, subprocess.TimeoutExpired):
                self._process.kill()
        self._client.close()
        if self._process.wait() != 0:
            raise self._died("the switch did not end cleanly")
        self._folder.cleanup()

    # --- packets -----------------------------------------------------------------------------------------------------

    def inject(self, port: int, data: bytes) -> None:
        self.inject_all(port, [data])

    def inject_all(self, port: int, frames: Sequence[bytes]) -> None:
        """Let frames come in together, so that they may make bursts."""
        left = list(frames)
        deadline = time.monotonic() + _START_SECONDS
        while left:
            taken = _asked(lambda: self._client.inject(port, left))
            del left[:taken]
            if not taken:
                if time.monotonic() > deadline:
                    raise ControlError("the switch does not take in its frames")
                time.sleep(0.001)

    def collect(self) -> list[Frame]:
        return _asked(self._client.collect)

    def set_batch(self, burst: int, sub_batch: int) -> None:
        """Set B and b."""
        _asked(lambda: self._client.set_batch(burst, min(sub_batch, burst)))

    # --- tables ------------------------------------------------------------------------------------------------------

    def add_entry(
        self, table: str, matches: tuple[Match | None, ...], action: str, arguments: tuple[int, ...], priority: int
    ) -> int:
        line = ["table_add", table, self._action(action), *self._key(table, matches), "=>", *map(hex, arguments)]
        return self._number(" ".join([*line, *self._priority(table, priority)]), _HANDLE)

    def add_indirect_entry(
        self, table: str, matches: tuple[Match | None, ...], handle: int, priority: int, *, group: bool
    ) -> int:
        command = "table_indirect_add_with_group" if group else "table_indirect_add"
        line = [command, table, *self._key(table, matches), "=>", str(handle), *self._priority(table, priority)]
        return self._number(" ".join(line), _HANDLE)

    def _key(self, table: str, matches: tuple[Match | None, ...]) -> list[str]:
        return [_word(match, key) for match, key in zip(matches, self._keys(table), strict=True)]

    def _priority(self, table: str, priority: int) -> list[str]:
        """The last word, for tables that have priorities."""
        ranked = any(k.match_kind in PRIORITY_KINDS for k in self._keys(table))
        return [str(_LOWEST_FIRST - priority)] if ranked else []

    def _keys(self, table: str) -> list[TableKey]:
        return [k for k in self.program.table[table].keys if k.match_kind is not MatchKind.SELECTOR]

    def remove_entry(self, table: str, handle: int) -> None:
        self._command(f"table_delete {table} {handle}")

    def clear_table(self, table: str) -> None:
        self._command(f"table_clear {table}")

    def set_default(self, table: str, action: str, arguments: tuple[int, ...]) -> None:
        self._command(" ".join(["table_set_default", table, self._action(action), *map(hex, arguments)]))

    def member_create(self, profile: str, action: str, arguments: tuple[int, ...]) -> int:
        line = ["act_prof_create_member", profile, self._action(action), *map(hex, arguments)]
        return self._number(" ".join(line), _HANDLE)

    def selector_group_create(self, profile: str, members: Sequence[int]) -> int:
        group = self._number(f"act_prof_create_group {profile}", _HANDLE)
        for member in members:
            self._command(f"act_prof_add_member_to_group {profile} {member} {group}")
        return group

    def value_set_add(self, value_set: str, member: tuple[Match, ...]) -> None:
        keys = member_keys(self.program.value_set[value_set])
        words = [_word(match, key) for match, key in zip(member, keys, strict=True)]
        self._command(" ".join(["pvs_add", value_set, *words]))

    # --- the rest ----------------------------------------------------------------------------------------------------

    def statistics(self) -> dict[str, Any]:
        """What the switch has counted, as `ctl stats --json` has it."""
        return _asked(self._client.stats)

    def digests(self) -> list[Digest]:
        """Raises: ControlError when some were lost, or do not come."""
        found: list[Digest] = []
        stats = self.statistics()
        if stats["digests_lost"]:
            raise ControlError(f"{stats['digests_lost']} digests were lost")
        while self._records < stats["digests"]:
            push = _asked(lambda: self._client.digest(_ANSWER_SECONDS))
            if push is None:
                raise ControlError(f"{stats['digests']} digests were sent, {self._records} came")
            self._records += len(push.records)
            found += [(push.name, _values(self.program, push.name, record)) for record in push.records]
        return found

    def counter(self, name: str, index: int) -> tuple[int, int]:
        answer = self._command(f"counter_read {name} {index}")
        found = _COUNT.search(answer)
        if found is None:
            raise ControlError(f"counter_read answered: {answer}")
        return int(found[2]), int(found[1])

    def counter_write(self, name: str, index: int, packets: int, octets: int) -> None:
        self._command(f"counter_write {name} {index} {packets} {octets}")

    def register_read(self, name: str, index: int) -> int:
        return self._number(f"register_read {name} {index}", _NUMBER)

    def register_write(self, name: str, index: int, value: int) -> None:
        self._command(f"register_write {name} {index} {value}")

    def register_reset(self, name: str) -> None:
        self._command(f"register_reset {name}")

    def meter_set_rates(self, name: str, index: int, committed: tuple[float, int], peak: tuple[float, int]) -> None:
        rates = " ".join(f"{rate:.12g}:{burst}" for rate, burst in (committed, peak))
        self._command(f"meter_set_rates {name} {index} {rates}")

    def mirroring_add(self, session: int, port: int, most: int = 0, service: int = 0) -> None:
        self._command(f"mirroring_add {session} {port} {most} {service}")

    def mirroring_add_group(self, session: int, group: int, most: int = 0, service: int = 0) -> None:
        self._command(f"mirroring_add_mc {session} {group} {most} {service}")

    def mirroring_delete(self, session: int) -> None:
        self._command(f"mirroring_delete {session}")

    def port_direction(self, port: int, *, host: bool) -> None:
        self._command(f"port_{'host' if host else 'net'} {port}")

    def group_create(self, group: int) -> None:
        self._command(f"mc_mgrp_create {group}")

    def node_create(self, rid: int, ports: tuple[int, ...]) -> int:
        return self._number(" ".join(map(str, ["mc_node_create", rid, *ports])), _HANDLE)

    def node_update(self, node: int, ports: tuple[int, ...]) -> None:
        self._command(" ".join(map(str, ["mc_node_update", node, *ports])))

    def node_associate(self, group: int, node: int) -> None:
        self._command(f"mc_node_associate {group} {node}")

    def _action(self, action: str) -> str:
        return self.program.action[action].control_name

    def _command(self, line: str) -> str:
        """Run a command. Returns what it printed. Raises: ControlError."""
        reply = _asked(lambda: self._client.command(line))
        if not reply.ok:
            raise ControlError(reply.text.strip())
        return reply.text.strip()

    def _number(self, line: str, pattern: re.Pattern[str]) -> int:
        answer = self._command(line)
        found = pattern.search(answer)
        if found is None:
            raise ControlError(f"{line.split()[0]} answered: {answer}")
        return int(found[1])


def _asked(request: Callable[[], _T]) -> _T:
    """The answer to a request. Raises: ControlError, also when the switch is gone or stuck."""
    try:
        return request()
    except protocol.ControlError as error:
        raise ControlError(str(error)) from None
    except TimeoutError:
        raise ControlError(f"the switch has not answered for {_ANSWER_SECONDS:.0f} seconds") from None
    except OSError as error:
        raise ControlError(f"the connection to the switch broke: {error}") from None


def _word(match: Match | None, key: TableKey) -> str:
    """A key as the commands have it. Raises: ControlError for a match that its kind does not have."""
    given = wildcard(key) if match is None else match
    if given is None:
        raise ControlError(f"{key.name} needs a value")
    try:
        form = normalised(given, key)
    except ValueError as error:
        raise ControlError(str(error)) from None
    match form:
        case Exact(value=value):
            return hex(value)
        case Prefix(value=value, length=length):
            return f"{value:#x}/{length}"
        case Ternary(value=value, mask=cared):
            full = cared == ones(key_bits(key).width) and key.match_kind is MatchKind.OPTIONAL
            return "*" if not cared else hex(value) if full else f"{value:#x}&&&{cared:#x}"
        case Range(low=low, high=high):
            return f"{low:#x}->{high:#x}"


def _values(program: Program, digest: str, record: bytes) -> tuple[int, ...]:
    """The values of a digest's record: each field is in whole bytes, as wide as where it is sent."""
    values, rest = [], record
    for width in _digest_widths(program, digest):
        size = (width + 7) // 8
        values.append(int.from_bytes(rest[:size], "big"))
        rest = rest[size:]
    return tuple(values)


def _digest_widths(program: Program, digest: str) -> list[int]:
    bodies = [p.body for p in program.pipes if not isinstance(p, Parser)] + [a.body for a in program.actions]
    for body in bodies:
        for statement in walk(body):
            if isinstance(statement, CallExtern) and statement.instance == digest:
                sent = statement.inputs[0]
                return [width_of(e.type) for e in sent.items] if isinstance(sent, ex.ListExpression) else []
    return []
