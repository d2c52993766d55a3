"""The locals of one generated function: which slots it uses, and which of them it only writes."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from transpiler.codegen.storage import Slot


@dataclass
class Scope:
    """Names slots for one function. A rendering finds the locals that are never read; the next, with them in `dead`,
    leaves out what would only write them, which may leave others unread. `unread`: the slots of the packet's state that no
    function finds there and reads."""

    unread: frozenset[str] = frozenset()
    dead: frozenset[str] = frozenset()
    idle: frozenset[str] = frozenset()  # locals that an earlier rendering only read: they have their initial values
    kept_reads: set[str] = field(default_factory=set)  # of all functions: the storage's
    written: frozenset[str] | None = None  # locals that an earlier rendering wrote; None: perhaps any
    reads: set[str] = field(default_factory=set)
    passes: set[str] = field(default_factory=set)  # locals whose values go on to later stages
    writes: set[str] = field(default_factory=set)
    locals: dict[str, Slot] = field(default_factory=dict)
    action_data: dict[str, str] = field(default_factory=dict)  # variable → C, while an action is rendered
    labels: dict[str, str] = field(default_factory=dict)  # label in force → C label
    used_labels: set[str] = field(default_factory=set)
    _counter: int = 0

    def read(self, slot: Slot) -> str:
        """The slot's name in C where it is read."""
        if slot.kept and not slot.passed:
            self.kept_reads.add(slot.name)
            return f"kept->{slot.name}"
        self.locals[slot.name] = slot
        self.reads.add(slot.name)
        return slot.name

    def write(self, slot: Slot) -> str:
        """The slot's name in C where it is written."""
        if slot.kept and not slot.passed:
            return f"kept->{slot.name}"
        self.locals[slot.name] = slot
        self.writes.add(slot.name)
        return slot.name

    def hand_on(self, slot: Slot) -> str:
        """The local's name where its value goes to a later stage."""
        self.locals[slot.name] = slot
        self.passes.add(slot.name)
        return slot.name

    def may_change(self, slot: Slot) -> bool:
        """Whether the function writes the slot."""
        return self.written is None or slot.name in self.written

    def is_dead(self, slot: Slot) -> bool:
        """Whether nothing reads the slot, so that writing it can be left out."""
        return slot.name in (self.unread if slot.kept and not slot.passed else self.dead)

    def unread_locals(self) -> frozenset[str]:
        """The locals that nothing reads, those known before included."""
        return self.dead | (frozenset(self.locals) - self.reads - self.passes)

    def unwritten_locals(self) -> frozenset[str]:
        """The locals that nothing writes, those known before included."""
        return self.idle | (frozenset(self.locals) - self.writes)

    def fresh(self, stem: str) -> str:
        """A name that is new in this function."""
        self._counter += 1
        return f"{stem}_{self._counter}"


@dataclass
class EntryScope(Scope):
    """Of what is rendered apart from a stage's function: it reads the values as they are where the stage begins."""

    value: Callable[[Slot], str] = lambda slot: slot.name

    def read(self, slot: Slot) -> str:
        return self.value(slot)
