"""Which kernel each table gets: the one that was asked for, or else the target's first that takes it.

One asks by the annotation @macsad_kernel("NAME") on the table, or on the command line, which goes before it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from transpiler.codegen.tables import packed_keys
from transpiler.codegen.words import no_words, word_layout
from transpiler.diagnostics import Diagnostics, Span
from transpiler.hlir.program import Program, Table, TableKey, ValueSet
from transpiler.targets.target import Kernel, Need, Target

ANNOTATION = "macsad_kernel"
OPTION = "--kernel"


@dataclass(frozen=True, slots=True)
class Chooser:
    """Chooses for the tables and value sets of a program. `asked`: kernels by the names of tables."""

    program: Program
    target: Target
    diagnostics: Diagnostics
    asked: Mapping[str, str]

    def choose(self, node: Table | ValueSet, keys: tuple[TableKey, ...]) -> Kernel | None:
        """The kernel of a table or value set with such a key; None without key, or with a message."""
        need = self._need(node, keys)
        annotation = next((a for a in node.annotations if a.name == ANNOTATION), None)
        if node.name in self.asked:
            return self._named(node, self.asked[node.name], (node.span, OPTION), need)
        if annotation is not None:
            asker = annotation.span, f"@{ANNOTATION}"
            return self._named(node, annotation.body.strip().strip('"'), asker, need)
        if not packed_keys(keys):
            return None
        kernel = self.target.kernel_for(need)
        if kernel is None:
            kinds = ", ".join(key.match_kind.value for key in keys)
            message = f"target '{self.target.name}' does not support the match kinds {kinds} together ('{node.name}')"
            self.diagnostics.error(node.span, message)
        return kernel

    def _need(self, node: Table | ValueSet, keys: tuple[TableKey, ...]) -> Need:
        if isinstance(node, ValueSet):
            return Need(keys, node.size, no_words="members of a value set have no actions")
        if why := no_words(node):
            return Need(keys, node.size, no_words=why)
        layout = word_layout(self.program, node)
        return Need(keys, node.size, (layout.key_bits, layout.data_bits))

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
