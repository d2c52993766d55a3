"""Which kernel each table gets: the requested one, else the first of the target that takes the table.

A kernel is requested by the annotation @macsad_kernel("NAME") on the table, or by the command line, which takes precedence.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from transpiler.analysis.locations import actions_of
from transpiler.codegen.ctypes import storage_bytes
from transpiler.codegen.tables import is_indexed, packed_keys
from transpiler.codegen.words import no_words, word_layout
from transpiler.diagnostics import Diagnostics, Span
from transpiler.hlir.program import Program, Table, TableKey, ValueSet
from transpiler.targets.footprint import HUGE_PAGE_BYTES, NOTHING, Entries
from transpiler.targets.target import Kernel, Need, Target

ANNOTATION = "macsad_kernel"
OPTION = "--kernel"
# Tables that are constant as the command line says so. More than a few entries, of which packets hit any, take longer to compare
# one by one than the other kernels take to look up.
GIVEN, FEW_GIVEN = "macsad_constant", 2


@dataclass(frozen=True, slots=True)
class Choice:
    """A kernel; why, in a line; the bytes that the full table takes, and those of them that lookups read."""

    kernel: Kernel
    why: str
    size: int
    total_bytes: int
    read_bytes: int

    @property
    def has_figures(self) -> bool:
        """Whether it is known what lookups read; code reads no entries."""
        return bool(self.kernel.kept_by) or self.kernel.memory != NOTHING

    @property
    def note(self) -> str:
        """For people, two lines: kernel and reason; memory."""
        total, read = in_units(self.total_bytes), in_units(self.read_bytes)
        each = self.total_bytes // max(self.size, 1)
        pages = ", on huge pages" if self.read_bytes >= HUGE_PAGE_BYTES else ""
        memory = f"{self.size:,} entries take about {total}, {each:,} bytes each; lookups read {read}{pages}"
        described = self.kernel.memory != NOTHING
        return f"{self.kernel.name} ({self.why})" + (f"\n    {memory}" if described else "")


def in_units(size: int) -> str:
    """16384 → 16 KiB."""
    for unit, above in (("bytes", 10 << 10), ("KiB", 10 << 20), ("MiB", 10 << 30)):
        if size < above:
            return f"{size:,} {unit}" if unit == "bytes" else f"{size >> (10 if unit == 'KiB' else 20):,} {unit}"
    return f"{size >> 30:,} GiB"


@dataclass(frozen=True, slots=True)
class Chooser:
    """Chooses for the tables and value sets of a program. `requested`: kernels by the names of tables."""

    program: Program
    target: Target
    diagnostics: Diagnostics
    requested: Mapping[str, str]

    def choose(self, node: Table | ValueSet, keys: tuple[TableKey, ...]) -> Choice | None:
        """The kernel of a table or value set with such a key; None without key, or with a message."""
        need = self._need(node, keys)
        annotation = next((a for a in node.annotations if a.name == ANNOTATION), None)
        if node.name in self.requested:
            asker = node.span, OPTION
            kernel = self._named(node, self.requested[node.name], asker, need)
        elif annotation is not None:
            asker = annotation.span, f"@{ANNOTATION}"
            kernel = self._named(node, annotation.body.strip().strip('"'), asker, need)
        elif packed_keys(keys):
            asker = node.span, ""
            kernel = self._first(node, need)
        else:
            return None
        return self._choice(node, kernel, asker[1], need) if kernel is not None else None

    def takers(self, table: Table) -> tuple[str, ...]:
        """The names of all kernels of the target that can hold a table, best first."""
        need = self._need(table, table.keys)
        return tuple(k.name for k in self.target.kernels if not k.kept_by and not k.refusal(need))

    def _first(self, node: Table | ValueSet, need: Need) -> Kernel | None:
        kernel = self.target.kernel_for(need)
        if kernel is None:
            kinds = ", ".join(key.match_kind.value for key in need.keys)
            message = f"target '{self.target.name}' does not support the match kinds {kinds} together ('{node.name}')"
            if why := self.target.refusals(need):
                message = f"target '{self.target.name}' has no kernel that can hold '{node.name}' ({'; '.join(why)})"
            self.diagnostics.error(node.span, message)
        return kernel

    def _choice(self, node: Table | ValueSet, kernel: Kernel, asker: str, need: Need) -> Choice:
        """Chosen by itself, it is told why none went before it that matches keys of such kinds and width."""
        why = ", ".join(f"{p.key.match_kind.value} {p.bits} bits" for p in packed_keys(need.keys))
        why += f"; asked for by {asker}" if asker else f"; {kernel.suits}" if kernel.suits else ""
        before = self.target.kernels[: self.target.kernels.index(kernel)] if not asker else ()
        reasons = (
            (k.name, k.refusal(need)) for k in before if k.matches(need) and k.width_fits(need) and not k.kept_by
        )
        why += "".join(f"; not {name}: {reason}" for name, reason in reasons)
        entries = self._entries(node, need)
        memory = kernel.memory
        return Choice(kernel, why, node.size, memory.total_bytes(entries), memory.read_bytes(entries))

    def _entries(self, node: Table | ValueSet, need: Need) -> Entries:
        actions = actions_of(self.program, node.name) if isinstance(node, Table) else ()
        types = [[self.program.variable[name].type for name in action.parameters] for action in actions]
        data_bytes = max((sum(map(storage_bytes, of_action)) for of_action in types), default=0)
        data_bits = need.word_bits[1] if need.word_bits else 0
        data_bits += need.bits if need.indexed else 0  # of an index, where cells have one
        return Entries(node.size, need.bits, need.key_bytes, data_bits, data_bytes)

    def _need(self, node: Table | ValueSet, keys: tuple[TableKey, ...]) -> Need:
        if isinstance(node, ValueSet):
            return Need(keys, node.size, no_words="members of a value set have no actions")
        constants = len(node.entries) if node.const_entries and node.implementation is None else None
        if constants is not None and constants > FEW_GIVEN and any(a.name == GIVEN for a in node.annotations):
            constants = None
        if why := no_words(node):
            return Need(keys, node.size, no_words=why, constants=constants)
        layout = word_layout(self.program, node)
        bits = layout.key_bits, layout.data_bits
        return Need(keys, node.size, bits, constants=constants, indexed=is_indexed(node))

    def _named(self, node: Table | ValueSet, name: str, asker: tuple[Span, str], need: Need) -> Kernel | None:
        span, who = asker
        kernel = next((kernel for kernel in self.target.kernels if kernel.name == name), None)
        if kernel is None:
            known = ", ".join(k.name for k in self.target.kernels)
            self.diagnostics.error(span, f"{who}: target '{self.target.name}' has no kernel '{name}' (it has {known})")
            return None
        if why := kernel.refusal(need) if packed_keys(need.keys) else "it has no key":
            self.diagnostics.error(span, f"{who}: kernel '{name}' cannot hold '{node.name}': {why}")
            return None
        return kernel
