"""View-models: what templates see. Texts are C, ready to be put in place, but for those of `Outside`: what the program's
author wrote, which templates print as a comment or a string. Bodies and expressions are trees (c/nodes.py), which templates
print by `| c`. `cite` is "file.p4:line" or empty.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import accumulate

from transpiler.codegen.c.nodes import Block, Body
from transpiler.codegen.given import Given
from transpiler.codegen.outside import Outside
from transpiler.codegen.pipeline_views import ClockView, PipeView, TableRef
from transpiler.externs.decisions import KIND as DECISIONS
from transpiler.hlir.program import Program
from transpiler.schedule.ready import Ready
from transpiler.schedule.steering import Steering
from transpiler.targets.target import RunDefaults

FEW_LIVE = 32  # live values of a program whose stages are small
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
    const_since: Outside | None
    const_default: bool
    profile: int
    indexed: bool
    ages: bool
    deletes: bool
    learns: bool
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
class CellsView:
    """Of a register: `leader`, the one of its bundle that has the memory; the byte where its cells are in those of an index, and
    the bytes from index to index."""

    leader: str
    at: int
    stride: int


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
    locks: int | None = None
    cells: CellsView | None = None


@dataclass(frozen=True, slots=True)
class LocksView:
    """Of a group of registers: how many stripes are of use, 1 where there is one lock for all; whether it needs none where
    frames are steered."""

    stripes: int
    registers: Outside
    sharded: bool


@dataclass(frozen=True, slots=True)
class SteeringView:
    """The tables of macs/steer.h: members of nodes, of leaves (the first term, how many, the constant) and of terms."""

    nodes: tuple[tuple[int, int, int, int, int], ...]
    leaves: tuple[tuple[int, int, int], ...]
    terms: tuple[tuple[int, int], ...]
    columns: int

    @staticmethod
    def of(steering: Steering) -> SteeringView | None:
        """None: no register is sharded."""
        if not steering.sharded:
            return None
        nodes = tuple((n.at, n.mask, n.value, n.yes, n.no) for n in steering.nodes)
        firsts = accumulate((len(leaf.terms) for leaf in steering.leaves), initial=0)
        leaves = ((first, len(leaf.terms), leaf.constant) for first, leaf in zip(firsts, steering.leaves, strict=False))
        terms = (term for leaf in steering.leaves for term in leaf.terms)
        return SteeringView(nodes, tuple(leaves), tuple(terms), steering.columns)


@dataclass(frozen=True, slots=True)
class LiveView:
    """What a packet keeps from stage to stage, struct live. `fresh`: what of it does not begin as zero; `begins`: whether a
    packet needs that beginning. `preserved`: what each list of preserved fields does; `preserves`: whether a pipe or clone
    takes those; `clones`: whether there are clones; then `others` is the first member that is not of a header, "" if all are."""

    declarations: tuple[str, ...]
    fresh: tuple[str, ...]
    begins: bool
    others: str
    preserved: tuple[tuple[str, ...], ...]
    preserves: bool
    clones: bool


@dataclass(frozen=True, slots=True)
class DecisionsView:
    """What the decisions of a cache are made of, in words of 64 bits; `lookups`: that they take the place of. `ready`: of what
    is sent, by those that are ready."""

    key_words: int
    kept_words: int
    counts: int
    lookups: int
    ready: Ready | None

    @staticmethod
    def of(program: Program, ready: Ready | None) -> DecisionsView | None:
        cache = next((extern for extern in program.externs if extern.kind == DECISIONS), None)
        names = ("key_words", "kept_words", "counts", "lookups")
        if cache is None:
            return None
        key, kept, counts, lookups = (int(cache.attribute(name)) for name in names)
        return DecisionsView(key, kept, counts, lookups, ready)

    @property
    def shape(self) -> str:
        numbers = f"{self.key_words}, {self.kept_words}, {self.counts}, {self.lookups}"
        return f"&(const struct macs_decisions_shape){{{numbers}}}"

    @property
    def words(self) -> str:
        """Of a decision."""
        return f"(MACS_DECISION_KEY + {self.key_words} + {self.kept_words} + {self.counts})"


@dataclass(frozen=True, slots=True)
class ProgramView:
    """`overridden`: the target has templates of its own, whose code may name what ours does not.
    `places`: of the program that drop packets, FILE:LINE each; `given`: what functions are given of a packet.
    `instances`: the architecture's numbers for the ways of packets through the runtime.
    `defines`: names that are defined before all else; `settings`: members of struct macs_program that are true; `inlines`: large
    stages are inlined where they are called."""

    name: Outside
    source: Outside
    includes: tuple[str, ...]
    wide: tuple[int, ...]
    live: LiveView
    ciphers: bool
    custom_crcs: bool
    queues: bool
    errors: tuple[tuple[str, int], ...]
    tables: tuple[TableView, ...]
    value_sets: tuple[ValueSetView, ...]
    externs: tuple[ExternView, ...]
    locks: tuple[LocksView, ...]
    steering: SteeringView | None
    pipes: tuple[PipeView, ...]
    parse_bytes: int
    grow_bytes: int
    instances: tuple[tuple[str, int], ...]
    recirculate_port: int | None
    places: tuple[Outside, ...]
    given: Given
    defines: tuple[str, ...]
    settings: tuple[str, ...]
    overridden: bool
    run: RunDefaults
    inlines: bool
    decisions: DecisionsView | None = None

    @property
    def inlines_stages(self) -> bool:
        """Whether stages are inlined however large they are. The compiler decides itself what pays where they are small."""
        return self.inlines and len(self.live.declarations) > FEW_LIVE

    @property
    def ready(self) -> Ready | None:
        """Of what is sent, where decisions are made ready."""
        readies = any(made.readies for pipe in self.pipes for made in pipe.passes)
        return self.decisions.ready if self.decisions is not None and readies else None

    @property
    def members(self) -> tuple[tuple[str, str], ...]:
        """Members of struct macs_program beside those that every program has, with their values."""
        run, port = self.run, self.recirculate_port
        made = {
            "recirculate_port": "" if port is None else f"{port:#x}u",
            "cipher": "&macs_cipher" if self.ciphers else "",
            "decisions": self.decisions.shape if self.decisions else "",
            "waited_at": "offsetof(struct state, waited)" if self.queues else "",
            "workers": str(run.workers or ""),
            "burst": str(run.burst or ""),
            "sub_batch": str(run.sub_batch or ""),
            "cpus": f'"{run.cpus}"' if run.cpus else "",
            "start": run.start,
        }
        arrays = {"table": len(self.tables) + len(self.value_sets), "extern": len(self.externs)}
        for name, count in arrays.items():
            made[f"{name}_count"] = str(count)
            made |= {f"{name}_descs": f"{name}_descs", f"{name}s": f"{name}s"} if count else {}
        made |= {"lock_count": str(len(self.locks)), "locks": "locks"} if self.locks else {}
        made |= {"steering": "&steering"} if self.locks and self.steering else {}
        made |= {"place_count": str(len(self.places)), "places": "places"} if self.places else {}
        made |= {"clock_count": str(len(self.clocks)), "clock_descs": "clock_descs"} if self.clocks else {}
        return tuple((name, value) for name, value in made.items() if value)

    @property
    def clocks(self) -> tuple[ClockView, ...]:
        """All stage clocks, in the order of their numbers."""
        return tuple(clock for pipe in self.pipes for made in pipe.passes for clock in made.clocks)

    @property
    def keeps(self) -> bool:
        """Whether functions are given a packet's live values."""
        return self.given.lasting or self.given.keeps

    @property
    def lasting(self) -> bool:
        """Whether records are kept from stage to stage."""
        return self.given.lasting

    @property
    def goes_on(self) -> bool:
        """Whether packets whose live values are not in their buffers may go on to a replication pipeline."""
        return self.keeps and self.replicates and not self.lasting

    @property
    def replicates(self) -> bool:
        """Whether packets may go on to a replication pipeline."""
        return any(pipe.replication for pipe in self.pipes)

    @property
    def states(self) -> str:
        """The declaration of what a burst's packets keep from stage to stage."""
        if self.lasting:
            return "ODP_ALIGNED_CACHE struct state states[sizeof(struct state) <= MACS_STATE_IN_BURST ? MACS_BURST_MAX : 1];"
        return "struct live lives[sizeof(struct live) <= MACS_STATE_IN_BURST ? MACS_BURST_MAX : 1];"
