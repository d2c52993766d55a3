"""The interpreter as a switch: packets in, packets out, and a control plane. Slow, plain, and the measure of the others."""

from __future__ import annotations

import bisect
import sys
from collections.abc import Callable
from typing import TypeVar

from transpiler.architectures.facts import part
from transpiler.externs.counter import Count, Counters
from transpiler.externs.meter import Meter, MeterArray
from transpiler.externs.register import Register
from transpiler.hlir.program import Program
from transpiler.interpreter.matches import Match
from transpiler.interpreter.paths import Paths, Sent
from transpiler.interpreter.replication import Replication, Session
from transpiler.interpreter.store import Store
from transpiler.interpreter.tables import Call, Choice, ControlError, GroupRef, MemberRef, Profile, RuntimeTable
from transpiler.interpreter.trace import Event, Trace, silent
from transpiler.interpreter.watch import NOBODY, Watch

_DEEPEST = 50_000  # Python frames: expressions of real programs nest deeply, and nothing here recurses without them
_T = TypeVar("_T")


class Switch:
    """A running program. Methods of the control plane raise ControlError; `process` never raises, whatever the frame.

    Names are full control-plane names. `clock` gives microseconds since the start; without one, time advances by one
    microsecond a packet, so that runs can be repeated exactly.
    """

    def __init__(
        self,
        program: Program,
        *,
        seed: int = 0,
        clock: Callable[[], int] | None = None,
        trace: Trace = silent,
        watch: Watch = NOBODY,
        replication: Replication | None = None,
    ) -> None:
        sys.setrecursionlimit(max(sys.getrecursionlimit(), _DEEPEST))
        self.program = program
        self.trace = trace
        self.store = Store(program, seed)
        self.replication = Replication() if replication is None else replication
        carries: type[Paths] = part(program.architecture, "paths").PATHS
        self._paths = carries(program, self.store, self.replication)
        self._paths.watch = watch
        self._clock = clock
        self._packets = 0

    # --- packets -----------------------------------------------------------------------------------------------------

    def restart(self) -> None:
        """Forget all packets: only what the control plane has put into tables and replication stays."""
        self._packets = 0
        self.store.reset()

    def process(self, port: int, data: bytes) -> list[Sent]:
        """Take in a frame. Returns what is sent on account of it: (port, frame), in order."""
        self.trace(Event("receive", f"port {port}, {len(data)} bytes"))
        self._packets += 1
        return self._paths.process(data, port, self._now(), self.trace)

    def _now(self) -> int:
        return self._clock() if self._clock is not None else self._packets

    # --- tables ------------------------------------------------------------------------------------------------------

    def table(self, name: str) -> RuntimeTable:
        """Raises: ControlError."""
        return _known(self.store.tables, name, "table")

    def table_add(
        self,
        table: str,
        matches: tuple[Match | None, ...],
        action: str,
        arguments: tuple[int, ...] = (),
        priority: int = 0,
    ) -> int:
        """Add an entry: a match per non-selector key, None for any value. The larger priority wins. Returns its handle."""
        return self.table(table).add(matches, Call(action, arguments), priority)

    def table_add_indirect(
        self, table: str, matches: tuple[Match | None, ...], choice: MemberRef | GroupRef, priority: int = 0
    ) -> int:
        """Add an entry that names a member or a group of the table's action profile. Returns its handle."""
        self._check_choice(table, choice)
        return self.table(table).add(matches, choice, priority)

    def table_modify(self, table: str, handle: int, action: str, arguments: tuple[int, ...] = ()) -> None:
        """Give an entry another action."""
        self.table(table).modify(handle, Call(action, arguments))

    def table_delete(self, table: str, handle: int) -> None:
        """Take an entry out."""
        self.table(table).delete(handle)

    def table_clear(self, table: str) -> None:
        """Take all entries of a table out."""
        self.table(table).clear()

    def table_set_default(self, table: str, action: str, arguments: tuple[int, ...] = ()) -> None:
        """Set what a miss runs."""
        self.table(table).set_default(Call(action, arguments))

    def value_set_add(self, value_set: str, member: tuple[Match, ...]) -> None:
        """Add a member to a parser value set."""
        members = _known(self.store.value_sets, value_set, "value set")
        if len(members) >= self.program.value_set[value_set].size:
            raise ControlError(f"value set {value_set} is full")
        members.append(member)

    # --- action profiles ---------------------------------------------------------------------------------------------

    def profile(self, name: str) -> Profile:
        """Raises: ControlError."""
        return _known(self.store.profiles, name, "action profile")

    def member_create(self, profile: str, action: str, arguments: tuple[int, ...] = ()) -> int:
        """Create a member. Returns its handle."""
        owner = self.profile(profile)
        users = [t for t in self.store.tables.values() if t.declared.implementation == profile]
        if users:
            having = (t for t in users if any(use.action == action for use in t.declared.actions))
            next(having, users[0]).check_call(Call(action, arguments), default=False)
        handle = len(owner.members)
        owner.members[handle] = Call(action, arguments)
        return handle

    def group_create(self, profile: str) -> int:
        """Create an empty group. Returns its handle."""
        owner = self.profile(profile)
        if not owner.selector:
            raise ControlError(f"{profile} is an action profile without groups")
        handle = len(owner.groups)
        owner.groups[handle] = []
        return handle

    def group_add_member(self, profile: str, group: int, member: int) -> None:
        """Put a member into a group."""
        owner = self.profile(profile)
        if group not in owner.groups or member not in owner.members:
            raise ControlError(f"{profile} has no group {group} or no member {member}")
        bisect.insort(owner.groups[group], member)  # by handle, as BMv2 has them

    def _check_choice(self, table: str, choice: Choice) -> None:
        owner = self.profile(self.table(table).declared.implementation or "")
        known = choice.member in owner.members if isinstance(choice, MemberRef) else False
        known = known or (isinstance(choice, GroupRef) and choice.group in owner.groups)
        if not known:
            raise ControlError(f"{owner.name} has no {choice}")

    # --- extern instances --------------------------------------------------------------------------------------------

    def counter(self, name: str, index: int) -> Count:
        """An element of a counter; for a direct one the index is the handle of an entry."""
        counters = _known(self.store.states(Counters), name, "counter")
        if counters.size is not None and not 0 <= index < counters.size:
            raise ControlError(f"counter {name} has no element {index}")
        return counters.elements.setdefault(index, Count())

    def register_read(self, name: str, index: int) -> int:
        """An element of a register."""
        return self._register(name, index).read(index)

    def register_write(self, name: str, index: int, value: int) -> None:
        """Set an element of a register."""
        register = self._register(name, index)
        if not 0 <= value < 1 << register.width:
            raise ControlError(f"register {name}: {value:#x} does not fit")
        register.write(index, value)

    def register_reset(self, name: str) -> None:
        """Set all elements of a register to zero."""
        _known(self.store.states(Register), name, "register").reset()

    def _register(self, name: str, index: int) -> Register:
        """The register, which has that element."""
        register = _known(self.store.states(Register), name, "register")
        if not 0 <= index < register.size:
            raise ControlError(f"register {name} has no element {index}")
        return register

    def meter_set_rates(self, name: str, index: int, committed: tuple[float, int], peak: tuple[float, int]) -> None:
        """Set the rates (units per microsecond, burst) of a meter; for a direct one the index is an entry's handle."""
        array = _known(self.store.states(MeterArray), name, "meter")
        if array.size is not None and not 0 <= index < array.size:
            raise ControlError(f"meter {name} has no element {index}")
        array.meters.setdefault(index, Meter()).set_rates(committed, peak, self._now())

    def port_direction(self, port: int, *, host: bool) -> None:
        """What a port receives comes from the host, or from the network, as it is at first."""
        self.store.directions[port] = int(host)

    def mirroring_add(self, session: int, port: int, most: int = 0, service: int = 0) -> None:
        """Clones of this session go to a port, with that many bytes at most (0: whole) and that class of service."""
        self.replication.sessions[session] = Session(port, None, most, service)

    def mirroring_add_group(self, session: int, group: int, most: int = 0, service: int = 0) -> None:
        """Clones of this session go to the members of a multicast group; likewise."""
        self.replication.sessions[session] = Session(None, group, most, service)

    def mirroring_delete(self, session: int) -> None:
        """Forget a clone session."""
        if self.replication.sessions.pop(session, None) is None:
            raise ControlError(f"there is no clone session {session}")


def _known(things: dict[str, _T], name: str, kind: str) -> _T:
    if name not in things:
        raise ControlError(f"there is no {kind} {name}")
    return things[name]
