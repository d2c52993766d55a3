"""Names within one generated function."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from transpiler.analysis.locations import Location
from transpiler.codegen.c.build import live
from transpiler.codegen.c.nodes import Expression, Name
from transpiler.codegen.storage import Slot


@dataclass
class Scope:
    """Names slots for one function, and notes which of them are its variables: in `locals`, by their names in C. `received`:
    header fields that it reads in the frame; `sure`: the headers that are there. `intact`: fields that are variables and still
    in the frame. `sunk`: fields of which the deparser stores what the function wrote, see
    schedule/sinking.py, and the first of those that are written together."""

    locals: dict[str, Slot] = field(default_factory=dict)
    action_data: dict[str, Expression] = field(default_factory=dict)  # variable → C, while an action is lowered
    labels: dict[str, str] = field(default_factory=dict)  # label in force → C label
    used_labels: set[str] = field(default_factory=set)
    received: frozenset[Location] = frozenset()
    sure: frozenset[str] = frozenset()
    intact: frozenset[Location] = frozenset()
    sunk: Mapping[Location, Location] = field(default_factory=dict)
    _counter: int = 0

    def read(self, slot: Slot) -> Expression:
        """The slot in C: a member of the packet's state or, where stages work on locals, a variable."""
        if slot.live and not slot.passed:
            return live(slot.name)
        self.locals[slot.name] = slot
        return Name(slot.name)

    def fresh(self, stem: str) -> str:
        """A name that is new in this function."""
        self._counter += 1
        return f"{stem}_{self._counter}"


@dataclass
class EntryScope(Scope):
    """Of what is done apart from a stage's function: it reads the values as they are where the stage begins."""

    value: Callable[[Slot], Expression] = lambda slot: Name(slot.name)

    def read(self, slot: Slot) -> Expression:
        return self.value(slot)
