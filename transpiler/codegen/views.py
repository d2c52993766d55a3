"""View-models: what templates see. Texts are C, ready to be put in place, but for those of `Outside`: what the program's
author wrote, which templates print as a comment or a string. Bodies and expressions are trees (c/nodes.py), which templates
print by `| c`. `cite` is "file.p4:line" or empty.
"""

from __future__ import annotations

from dataclasses import dataclass

from transpiler.codegen.c.nodes import Block, Body, Declare, Expression
from transpiler.codegen.c.walk import names
from transpiler.codegen.outside import Outside

NOWHERE = Outside("")  # the citation of what the program does not say


@dataclass(frozen=True, slots=True)
class PartView:
    """A block of a body that a template of its own prints."""

    body: Body
    cite: Outside

    @staticmethod
    def of(block: Block) -> PartView:
        return PartView(block.body, Outside(block.cite))


@dataclass(frozen=True, slots=True)
class TableRef:
    """What statements need to know of a table; `kernel` is empty for a table without key; `steps` are that kernel's.
    `compared`: code finds the entry, which the kernel keeps for the control plane alone. `words`: its entries are words of
    `key_bits`, `data_bits` and in these `action_bits`. `bulk`: the kernel looks an array of keys up;
    `bulk_bytes`: which are bytes, not numbers; `parts`: by a start, a step and a finish."""

    name: str
    number: int
    entry_type: str
    key_bytes: int
    kernel: str
    steps: int
    words: bool = False
    key_bits: int = 0
    data_bits: int = 0
    action_bits: int = 0
    compared: bool = False
    bulk: bool = False
    bulk_bytes: bool = False
    parts: bool = False

    @property
    def begins_early(self) -> bool:
        """Whether what a lookup of an array begins with is fetched as soon as its key is known."""
        return self.bulk and not self.words and not self.bulk_bytes


@dataclass(frozen=True, slots=True)
class LookupView:
    """A lookup that a stage starts: `member` in the struct of its keys and cursors; `keys` packs `look->member.key`,
    `looks->member.keys[at]` where many are looked up at once, or `key_word` is the key as a number, for entries that are
    words, and many. `selection` packs
    `look->member.selection`, `selection_bytes` long, by which a group's member is chosen."""

    table: TableRef
    member: str
    keys: Body
    key_word: Expression | None
    selection: Body
    selection_bytes: int

    def names(self, name: str) -> bool:
        """Whether what makes the key names something."""
        word = self.key_word
        return names((*self.keys, *self.selection), name) or (word is not None and names(word, name))


@dataclass(frozen=True, slots=True)
class StageView:
    """One stage: `function` is its name; `locals` are declarations with their initial values. `listed`: its packets come in
    their order, from one stage, so that a list will do in place of a set."""

    number: int
    function: str
    title: Outside
    cite: Outside
    lookups: tuple[LookupView, ...]
    locals: tuple[Declare, ...]
    body: Body
    listed: bool

    @property
    def bulk(self) -> bool:
        """Whether the keys of all its lookups go to their tables as arrays."""
        return bool(self.lookups) and all(lookup.table.bulk for lookup in self.lookups)

    @property
    def keyed(self) -> bool:
        """Whether who leaves a packet to it puts the keys where its tables want them."""
        return self.bulk and self.listed

    @property
    def expects(self) -> bool:
        """Whether its lookups begin when a packet is left to it."""
        return self.bulk and any(lookup.table.begins_early for lookup in self.lookups)

    @property
    def in_words(self) -> tuple[LookupView, ...]:
        """Its lookups of entries that are words."""
        return tuple(lookup for lookup in self.lookups if lookup.table.words)

    @property
    def in_parts(self) -> tuple[LookupView, ...]:
        """Its lookups of arrays that have parts."""
        return tuple(lookup for lookup in self.lookups if lookup.table.parts)

    @property
    def begun(self) -> tuple[LookupView, ...]:
        """Its lookups of arrays that other work may follow before they are finished."""
        return (*self.in_words, *self.in_parts)

    def names(self, name: str) -> bool:
        """Whether its function names something."""
        return names((*self.locals, *self.body), name)

    def keys_name(self, name: str) -> bool:
        """Whether what makes the keys of its lookups does."""
        return any(lookup.names(name) for lookup in self.lookups)

    @property
    def in_sub_batches(self) -> bool:
        """Whether its packets are taken so many at once as the sub-batch has."""
        return bool(self.in_words) or bool(self.lookups and not self.bulk)

    @property
    def steps(self) -> int:
        """How many times the stage's lookups go on between start and finish."""
        return max((lookup.table.steps for lookup in self.lookups), default=0)


@dataclass(frozen=True, slots=True)
class PipeView:
    """A pipe: `name` is the function of struct macs_program that it becomes; `renews`: the state begins anew there, with
    `preserves` but for what the packet may have preserved. `aside`: few packets go through it;
    `fated`: its stages give a packet's fate, `resizes`: it may make a frame longer or shorter."""

    name: str
    stages: tuple[StageView, ...]
    renews: bool
    preserves: bool
    aside: bool
    fated: bool
    resizes: bool

    @property
    def in_sub_batches(self) -> bool:
        """Whether a stage after the first is."""
        return any(stage.in_sub_batches for stage in self.stages[1:])


@dataclass(frozen=True, slots=True)
class FieldView:
    """A key field: `kind` is an enum macs_match_kind; `word_at` its lowest bit where entries are words."""

    name: Outside
    bits: int
    offset: int
    kind: str
    word_at: int = 0


@dataclass(frozen=True, slots=True)
class ParameterView:
    """Of an action: `word_at` is its lowest bit where entries are words."""

    name: Outside
    member: str
    c_type: str
    bits: int
    bytes: int
    word_at: int = 0


@dataclass(frozen=True, slots=True)
class ActionDescView:
    """An action in a table's list: `member` of the entry's union when it has parameters."""

    name: Outside
    member: str
    constant: str
    scope: str
    parameters: tuple[ParameterView, ...]
    cite: Outside


@dataclass(frozen=True, slots=True)
class EntryView:
    """A constant entry, or the default one: bytes as C initialisers, the value as designated initialiser."""

    value: str
    mask: str
    high: str
    prefix_bits: int
    priority: int
    data: str
    cite: Outside


@dataclass(frozen=True, slots=True)
class TableView:
    """A table; `indexed`: statements use the index of a found entry."""

    ref: TableRef
    control_name: Outside
    fields: tuple[FieldView, ...]
    prefix_offset: int
    size: int
    actions: tuple[ActionDescView, ...]
    entries: tuple[EntryView, ...]
    default: EntryView
    const_entries: bool
    const_default: bool
    profile: int
    indexed: bool
    why: str
    cite: Outside


@dataclass(frozen=True, slots=True)
class ValueSetView:
    """A parser value set: a table whose entries have no actions."""

    ref: TableRef
    control_name: Outside
    fields: tuple[FieldView, ...]
    prefix_offset: int
    size: int
    cite: Outside


@dataclass(frozen=True, slots=True)
class DigestFieldView:
    name: Outside
    bits: int


@dataclass(frozen=True, slots=True)
class ExternView:
    name: str
    control_name: Outside
    number: int
    kind: str
    size: str
    bits: int
    unit: str
    table: Outside
    fields: tuple[DigestFieldView, ...]
    initial: tuple[str, ...]
    cite: Outside


@dataclass(frozen=True, slots=True)
class SlotView:
    """A member of struct kept."""

    name: str
    is_array: bool


@dataclass(frozen=True, slots=True)
class ProgramView:
    """`fresh`: what of the kept state does not begin as zero; `begins_kept`: whether a packet
    needs that beginning. `overridden`: the target has templates of its own, whose code may name what ours does not.
    `kept_headers`, `preserved`: what clones keep, and what each list of preserved fields does; `preserves`: whether a pipe
    or clone takes them. `binds`: what must be filled of a packet's record, for macs_bind();
    `lasting`: as the Maker has it.
    `instances`: the architecture's numbers for the ways of packets through the runtime. `wants_straight`,
    `wants_overlap`, `reads_ahead`, `sends_singly`, `avoids_huge_pages`, `all_passes`, `defines`: which optimisations are done."""

    name: Outside
    source: Outside
    includes: tuple[str, ...]
    wide: tuple[int, ...]
    kept: tuple[str, ...]
    fresh: tuple[str, ...]
    begins_kept: bool
    kept_headers: tuple[SlotView, ...]
    preserved: tuple[tuple[str, ...], ...]
    preserves: bool
    clones: bool
    uses_requests: bool
    ciphers: bool
    errors: tuple[tuple[str, int], ...]
    tables: tuple[TableView, ...]
    value_sets: tuple[ValueSetView, ...]
    externs: tuple[ExternView, ...]
    pipes: tuple[PipeView, ...]
    binds: str
    parse_bytes: int
    grow_bytes: int
    instances: tuple[tuple[str, int], ...]
    recirculate_port: int | None
    one_by_one: bool
    straight: bool
    lasting: bool
    wants_overlap: bool
    reads_ahead: bool
    sends_singly: bool
    avoids_huge_pages: bool
    defines: tuple[str, ...]
    all_passes: bool
    uses_time: bool
    overridden: bool

    @property
    def keeps(self) -> bool:
        """Whether functions are given what is kept of a packet."""
        return self.lasting or self.parted or bool(self.kept)

    @property
    def overlaps(self) -> bool:
        """Whether a burst is received and parsed while the first lookups of the one before are in flight. What comes to the
        first stage by another way must do so before the next burst does."""
        first = self.pipes[0].stages[1:2]
        fetched = any(stage.bulk and stage.begun for stage in first)
        return self.straight and self.wants_overlap and fetched and not self.uses_requests

    @property
    def parted(self) -> bool:
        """Whether some packets leave the pipe of the others."""
        return any(pipe.aside for pipe in self.pipes)
