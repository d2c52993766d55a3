"""All that outlives a packet: tables, extern instances, value sets, and what the program sent to the control plane."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeVar

from transpiler.analysis.progress import stalling_states
from transpiler.diagnostics import Span
from transpiler.externs.table import KINDS
from transpiler.hlir.program import Parser, Program
from transpiler.interpreter.matches import Match
from transpiler.interpreter.numbers import Random
from transpiler.interpreter.state import State
from transpiler.interpreter.tables import Profile, RuntimeTable

_T = TypeVar("_T")


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
        self.directions: dict[int, int] = {}  # of ports, in the architecture's numbers; 0 where nothing is said
        self.tables = {t.name: RuntimeTable(program, t) for t in program.tables}
        self._blank = State(program)
        self.seed = seed
        self.reset()

    def reset(self) -> None:
        """All but the tables as when the switch starts: no packet changes those."""
        self.random = Random(self.seed)
        self.value_sets: dict[str, list[tuple[Match, ...]]] = {v.name: [] for v in self.program.value_sets}
        made = ((instance, KINDS[instance.kind].state) for instance in self.program.externs)
        self._states = {instance.name: make(instance) for instance, make in made if make is not None}
        self.profiles: dict[str, Profile] = {}
        self.digests: list[Digest] = []
        self.log: list[str] = []
        self.failed_asserts: list[Span] = []
        for instance in self.program.externs:
            match instance.kind:
                case "action_profile":
                    self.profiles[instance.name] = Profile(instance.name, False, "", 0)
                case "action_selector":
                    algorithm, width = str(instance.attribute("algorithm")), int(instance.attribute("width"))
                    self.profiles[instance.name] = Profile(instance.name, True, algorithm, width)

    def packet(self) -> State:
        """What a packet carries when it begins."""
        return self._blank.copy()

    def state(self, instance: str, type_: type[_T]) -> _T:
        """What an extern instance keeps."""
        found = self._states[instance]
        assert isinstance(found, type_), instance
        return found

    def replace(self, instance: str, state: object) -> None:
        """Let an extern instance keep something else."""
        self._states[instance] = state

    def states(self, type_: type[_T]) -> dict[str, _T]:
        """What all instances keep that keep such a thing."""
        return {name: state for name, state in self._states.items() if isinstance(state, type_)}
