"""Carries out an STF plan on a device and says what is not as expected.

Only the ports that the file mentions exist; what is sent elsewhere is lost, as on a switch with just those interfaces.
On each of them, frames must be those of its `expect` lines, in that order and no others. Entries of an STF file have
priorities of which the larger wins.
"""

from __future__ import annotations

import operator
from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from macsad.stf import statements as st
from macsad.stf.device import Device
from macsad.stf.diff import agrees, hex_lines, show
from macsad.stf.plan import (
    AddEntry,
    CounterCheck,
    CreateGroup,
    CreateMember,
    DeviceCommand,
    RegisterCheck,
    RemoveEntries,
    SetDefaultAction,
    Step,
)
from transpiler.diagnostics import Diagnostics, Span
from transpiler.hlir.program import Program
from transpiler.interpreter import ControlError

_COMPARE: dict[str, Callable[[int, int], bool]] = {
    "==": operator.eq,
    "!=": operator.ne,
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}

FieldsOf = Callable[[bytes], Sequence[tuple[int, int, str]]]


@dataclass
class Result:
    """What came of a run. Failures are in the diagnostics; `details` are the lines to show with each of them."""

    packets: int = 0
    expected: int = 0
    details: dict[tuple[Span, str], list[str]] = field(default_factory=dict)  # by place and message
    notes: list[str] = field(default_factory=list)  # what read commands answered


def ports_of(steps: Sequence[Step]) -> frozenset[int]:
    """The ports that a test mentions."""
    return frozenset(s.port for s in steps if isinstance(s, st.SendPacket | st.Expect))


class Runner:
    """One run of a plan. `fields_of` names the fields of a frame, for the report of a difference."""

    def __init__(
        self, program: Program, device: Device, diagnostics: Diagnostics, fields_of: FieldsOf = lambda frame: ()
    ) -> None:
        self.program = program
        self.device = device
        self.diagnostics = diagnostics
        self.fields_of = fields_of
        self.result = Result()
        self.handles: dict[str, tuple[str, int]] = {}
        self.made: dict[str, tuple[int, bool]] = {}  # members and groups: handle, whether it is a group
        self.ports: frozenset[int] = frozenset()
        self.got: dict[int, list[bytes]] = defaultdict(list)
        self.got_lately: list[tuple[int, bytes]] = []  # since the last packet went in
        self.wanted: dict[int, list[st.Expect]] = defaultdict(list)
        self.last_sent: dict[int, Span] = {}

    def run(self, steps: Sequence[Step]) -> Result:
        """Carry out all steps, then compare what came out."""
        self.ports = ports_of(steps)
        for step in steps:
            try:
                self._step(step)
            except ControlError as error:
                self._fail(step.span, str(error))
        self._collect()
        self._compare()
        return self.result

    def _fail(self, span: Span, message: str, details: Sequence[str] = ()) -> None:
        self.diagnostics.error(span, message)
        self.result.details.setdefault((span, message), []).extend(details)

    # --- steps -------------------------------------------------------------------------------------------------------

    def _step(self, step: Step) -> None:
        match step:
            case AddEntry():
                self._collect()
                handle = self._add(step)
                if step.handle is not None:
                    self.handles[step.handle] = (step.table, handle)
            case CreateMember(profile=profile, call=call, name=name):
                self.made[name] = self.device.member_create(profile, *call), False
            case CreateGroup(profile=profile, members=members, name=name):
                handles = [self._made(member)[0] for member in members]
                self.made[name] = self.device.selector_group_create(profile, handles), True
            case SetDefaultAction():
                self._collect()
                self.device.set_default(step.table, step.action, step.arguments)
            case RemoveEntries():
                self._collect()
                self._remove(step)
            case st.SendPacket(port=port, data=data, span=span):
                self._collect()
                self.got_lately = []
                self.result.packets += 1
                self.last_sent[port] = span
                self.device.inject(port, data)
            case st.Expect(port=port):
                self.wanted[port].append(step)
                self.result.expected += 1
            case st.NoPacket(span=span):
                self._collect()
                if self.got_lately:
                    port, frame = self.got_lately[0]
                    self._fail(span, f"a packet came out of port {port}, and none should", hex_lines(frame))
            case st.Wait():
                self._collect()
            case CounterCheck():
                self._collect()
                self._check_counter(step)
            case RegisterCheck():
                self._collect()
                self._check_register(step)
            case DeviceCommand():
                self._collect()
                _COMMANDS[step.word](self, step)

    def _add(self, step: AddEntry) -> int:
        if isinstance(step.choice, str):
            handle, group = self._made(step.choice)
            return self.device.add_indirect_entry(step.table, step.matches, handle, step.priority, group=group)
        return self.device.add_entry(step.table, step.matches, *step.choice, step.priority)

    def _made(self, name: str) -> tuple[int, bool]:
        if name not in self.made:
            raise ControlError(f"the member or group '{name}' could not be made")
        return self.made[name]

    def _collect(self) -> None:
        for port, frame in self.device.collect():
            if port in self.ports:
                self.got[port].append(frame)
                self.got_lately.append((port, frame))

    def _remove(self, step: RemoveEntries) -> None:
        if step.handle is None:
            for table in self.program.tables:
                if table.keys and not table.const_entries:
                    self.device.clear_table(table.name)
        else:
            self.device.remove_entry(*self._entry(step.handle))

    def _entry(self, handle: str) -> tuple[str, int]:
        if handle not in self.handles:
            raise ControlError(f"the entry '{handle}' could not be added")
        return self.handles[handle]

    def _check_counter(self, step: CounterCheck) -> None:
        index = step.index if isinstance(step.index, int) else self._entry(step.index)[1]
        packets, octets = self.device.counter(step.counter, index)
        value = packets if step.check.unit == "packets" else octets
        if not _COMPARE[step.check.operator](value, step.check.value):
            what = f"{step.check.unit} {step.check.operator} {step.check.value}"
            self._fail(step.span, f"counter {step.counter}: {what} is expected, it has {value}")

    def _check_register(self, step: RegisterCheck) -> None:
        check = step.check
        value = self.device.register_read(step.register, check.index.value)
        if not _COMPARE[check.operator](value, check.value):
            what = f"{check.operator} {check.value} is expected"
            self._fail(step.span, f"register {step.register}({check.index.value}): {what}, it has {value}")

    # --- what came out -----------------------------------------------------------------------------------------------

    def _compare(self) -> None:
        for port in sorted(self.ports):
            wanted, got = self.wanted[port], self.got[port]
            for number, expect in enumerate(wanted):
                if number >= len(got):
                    self._fail(expect.span, f"packet {number + 1} on port {port} did not come: {len(got)} came")
                else:
                    self._compare_one(expect, got[number], number)
            for frame in got[len(wanted) :]:
                where = wanted[-1].span if wanted else self.last_sent.get(port, next(iter(self.last_sent.values())))
                self._fail(where, f"an unexpected packet of {len(frame)} bytes on port {port}", hex_lines(frame))

    def _compare_one(self, expect: st.Expect, frame: bytes, number: int) -> None:
        if expect.digits is None or agrees(expect.digits, expect.exact, frame):
            return
        message = f"packet {number + 1} on port {expect.port} is not as expected"
        self._fail(expect.span, message, show(expect.digits, expect.exact, frame, self.fields_of(frame)))


# --- control-plane commands --------------------------------------------------------------------------------------


def _note(run: Runner, step: DeviceCommand, text: str) -> None:
    run.result.notes.append(f"{step.span}: {step.word} {step.name}: {text}")


def _counter_read(run: Runner, step: DeviceCommand) -> None:
    packets, octets = run.device.counter(step.name, step.numbers[0])
    _note(run, step, f"{packets} packets, {octets} bytes")


def _register_read(run: Runner, step: DeviceCommand) -> None:
    _note(run, step, str(run.device.register_read(step.name, step.numbers[0])))


def _meter_set_rates(run: Runner, step: DeviceCommand) -> None:
    committed, peak = ((r.rate, r.burst) for r in step.command.rates)
    run.device.meter_set_rates(step.name, step.numbers[0], committed, peak)


def _meter_array_set_rates(run: Runner, step: DeviceCommand) -> None:
    committed, peak = ((r.rate, r.burst) for r in step.command.rates)
    meter = run.program.extern[step.name]
    if meter.kind != "meter":
        raise ControlError(f"{step.name} is a direct meter: it has no array of rates")
    for index in range(int(meter.attribute("size"))):
        run.device.meter_set_rates(step.name, index, committed, peak)


_COMMANDS: dict[str, Callable[[Runner, DeviceCommand], object]] = {
    "mirroring_add": lambda run, step: run.device.mirroring_add(*step.numbers),
    "mirroring_add_mc": lambda run, step: run.device.mirroring_add_group(*step.numbers),
    "mirroring_delete": lambda run, step: run.device.mirroring_delete(*step.numbers),
    "mirroring_get": lambda run, step: None,
    "port_host": lambda run, step: run.device.port_direction(step.numbers[0], host=True),
    "port_net": lambda run, step: run.device.port_direction(step.numbers[0], host=False),
    "mc_mgrp_create": lambda run, step: run.device.group_create(*step.numbers),
    "mc_node_create": lambda run, step: run.device.node_create(step.numbers[0], step.numbers[1:]),
    "mc_node_update": lambda run, step: run.device.node_update(step.numbers[0], step.numbers[1:]),
    "mc_node_associate": lambda run, step: run.device.node_associate(*step.numbers),
    "counter_read": _counter_read,
    "counter_write": lambda run, step: run.device.counter_write(step.name, *step.numbers),
    "register_read": _register_read,
    "register_write": lambda run, step: run.device.register_write(step.name, *step.numbers),
    "register_reset": lambda run, step: run.device.register_reset(step.name),
    "meter_get_rates": lambda run, step: None,
    "meter_set_rates": _meter_set_rates,
    "meter_array_set_rates": _meter_array_set_rates,
}
