"""The locals of one generated function: which slots it uses, and which of them it only writes."""

from __future__ import annotations

from dataclasses import dataclass, field

from transpiler.codegen.storage import Slot


@dataclass
class Scope:
    """Names slots for one function. A rendering finds the locals that are never read; the next, with them in `dead`,
    leaves out what would only write them, which may leave others unread. Slots of the kept state that no function
    reads are in `dead` from the start."""

    dead: frozenset[str] = frozenset()
    idle: frozenset[str] = frozenset()  # locals that an earlier rendering only read: they have their initial values
    kept_reads: set[str] = field(default_factory=set)  # of all functions: the storage's
    reads: set[str] = field(default_factory=set)
    writes: set[str] = field(default_factory=set)
    locals: dict[str, Slot] = field(default_factory=dict)
    action_data: dict[str, str] = field(default_factory=dict)  # variable → C, while an action is rendered
    labels: dict[str, str] = field(default_factory=dict)  # label in force → C label
    used_labels: set[str] = field(default_factory=set)
    _counter: int = 0

    def read(self, slot: Slot) -> str:
        """The slot's name in C where it is read."""
        if slot.kept:
            self.kept_reads.add(slot.name)
            return f"kept->{slot.name}"
        self.locals[slot.name] = slot
        self.reads.add(slot.name)
        return slot.name

    def write(self, slot: Slot) -> str:
        """The slot's name in C where it is written."""
        if slot.kept:
            return f"kept->{slot.name}"
        self.locals[slot.name] = slot
        self.writes.add(slot.name)
        return slot.name

    def is_dead(self, slot: Slot) -> bool:
        """Whether nothing reads the slot, so that writing it can be left out."""
        return slot.name in self.dead

    def unread(self) -> frozenset[str]:
        """The locals that nothing reads, those known before included."""
        return self.dead | (frozenset(self.locals) - self.reads)

    def unwritten(self) -> frozenset[str]:
        """The locals that nothing writes, those known before included."""
        return self.idle | (frozenset(self.locals) - self.writes)

    def fresh(self, stem: str) -> str:
        """A name that is new in this function."""
        self._counter += 1
        return f"{stem}_{self._counter}"
