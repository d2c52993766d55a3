"""All that outlives a packet: tables, extern instances, value sets, and what the program sent to the control plane."""

from __future__ import annotations

from dataclasses import dataclass

from transpiler.analysis.progress import stalling_states
from transpiler.diagnostics import Span
from transpiler.hlir.program import ExternInstance, Parser, Program
from transpiler.interpreter.instances import Count, MeterArray, Random, Register
from transpiler.interpreter.matches import Match
from transpiler.interpreter.tables import DEFAULT_ENTRY, Profile, RuntimeTable


@dataclass(frozen=True, slots=True)
class Digest:
    """A record sent by digest.send: its values in the order of the list."""

    instance: str
    values: tuple[int, ...]


class Store:
    """The state of a switch between packets."""

    def __init__(self, program: Program, seed: int = 0) -> None:
        self.program = program
        self.stalling = {p.name: stalling_states(program, p) for p in program.pipes if isinstance(p, Parser)}
        self.tables = {t.name: RuntimeTable(program, t) for t in program.tables}
        self.seed = seed
        self.reset()

    def reset(self) -> None:
        """All but the tables as when the switch starts: no packet changes those."""
        self.random = Random(self.seed)
        self.value_sets: dict[str, list[tuple[Match, ...]]] = {v.name: [] for v in self.program.value_sets}
        self.counters: dict[str, dict[int, Count]] = {}
        self.meters: dict[str, MeterArray] = {}
        self.registers: dict[str, Register] = {}
        self.profiles: dict[str, Profile] = {}
        self.digests: list[Digest] = []
        self.log: list[str] = []
        self.failed_asserts: list[Span] = []
        for instance in self.program.externs:
            self._create(instance)

    def _create(self, instance: ExternInstance) -> None:
        name = instance.name
        match instance.kind:
            case "counter":
                self.counters[name] = {}
            case "direct_counter":
                self.counters[name] = {DEFAULT_ENTRY: Count()}
            case "meter":
                self.meters[name] = MeterArray(str(instance.attribute("unit")), int(instance.attribute("size")))
            case "direct_meter":
                self.meters[name] = MeterArray(str(instance.attribute("unit")), None)
            case "register":
                initial = int(dict(instance.attributes).get("initial", 0))
                width, size = int(instance.attribute("width")), int(instance.attribute("size"))
                self.registers[name] = Register(width, size, initial)
            case "action_profile":
                self.profiles[name] = Profile(name, False, "", 0)
            case "action_selector":
                width = int(instance.attribute("width"))
                self.profiles[name] = Profile(name, True, str(instance.attribute("algorithm")), width)

    def count(self, counter: str, index: int, length: int, direct: bool) -> None:
        """Count a packet; elements appear with the first packet, out of range counts nothing."""
        if direct or index < int(self.program.extern[counter].attribute("size")):
            self.counters[counter].setdefault(index, Count()).add(length)
