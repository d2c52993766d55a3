"""What is to be generated: templates with the tables they hit, and for each table its keys and its entries' actions.

`planning` finds it out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from transpiler.hlir.program import Program
from transpiler.interpreter.tables import Call
from transpiler.interpreter.trace import Trace, silent
from transpiler.traffic.copies import Copies, Used
from transpiler.traffic.filled import TableEntries
from transpiler.traffic.keys import KeySet
from transpiler.traffic.probe import Cell, Probe
from transpiler.traffic.search import Template
from transpiler.traffic.varied import varied

USUAL_ENTRIES = 1000
SPARE = 64  # entries of a table that are left to points, at most

Parameter = tuple[str, str, int]  # of a table's action


@dataclass(frozen=True)
class Wishes:
    """What the user asks for. `entries`: for each table by its whole name, None: for the others; `hit`: 0 … 1; `ports` of
    the switch, of which `port` is the one that frames come in at."""

    entries: Mapping[str | None, int] = field(default_factory=dict)
    lengths: Mapping[str | None, str] = field(default_factory=dict)
    hit: float = 1.0
    ports: int = 2
    port: int = 0
    seed: int = 1

    @property
    def outward(self) -> int:
        """The first port that frames do not come in at."""
        return (self.port + 1) % self.ports


@dataclass(frozen=True)
class Fed:
    """A table whose key has bits of an action's data: (bit of the parameter, data bit of the key)."""

    keys: KeySet
    bits: tuple[tuple[int, int], ...]


@dataclass(frozen=True)
class Named:
    """What a parameter may be that names an entry of another table. Those of an action with the same `turn` name one entry."""

    values: tuple[int, ...]
    turn: int


@dataclass(frozen=True)
class Stream:
    """Frames alike. For each table that they hit its `entries`, the `places` of its own bits in the frame, and the feeder
    that its data bits come from: the table whose action data they are, and how many different ones it gives. `varied`: bits
    that are a flow's own, as they decide about cells; None where nothing of the frame does. `cells` that a frame comes to.
    `weight`: how many frames there are of it, compared with other kinds."""

    template: Template
    entries: Mapping[str, TableEntries]
    places: Mapping[str, tuple[int, ...]]
    feeders: Mapping[str, tuple[str, int]]
    varied: tuple[int, ...] | None = None
    cells: tuple[Cell, ...] = ()
    weight: float = 1.0

    @property
    def stateful(self) -> bool:
        """Whether it matters for more than tables which frames are of one flow."""
        return self.varied is not None


def shares(streams: Sequence[Stream]) -> tuple[float, ...]:
    """The part of the frames that each kind has, single ones left out."""
    total = sum(stream.weight for stream in streams)
    return tuple(stream.weight / total for stream in streams)


@dataclass(frozen=True)
class Point:
    """One frame that is sent as it is, and the `entries` that are made for it alone."""

    template: Template
    entries: Mapping[tuple[str, tuple[int, ...]], Call]


@dataclass(frozen=True)
class Plan:
    """`feeds`: what a parameter is for, if keys have it; `named`: those that refer to entries, and are in no key; `spares`:
    streams leave room for entries of points; `copies`: the groups and sessions that are set up."""

    program: Program
    wishes: Wishes
    streams: tuple[Stream, ...]
    tables: tuple[TableEntries, ...]
    feeds: Mapping[Parameter, Fed]
    spares: bool = False
    points: tuple[Point, ...] = ()
    copies: tuple[Used, ...] = ()
    named: Mapping[Parameter, Named] = field(default_factory=dict)

    def probe(self, told: Trace = silent) -> Probe:
        """The interpreter, with these groups and sessions."""
        wishes = self.wishes
        return Probe(self.program, wishes.port, told, Copies(wishes.outward, self.copies))


def filled_of(size: int, spares: bool) -> int:
    """How much of a table, or a profile, streams may fill."""
    return size - min(SPARE, size // 4) if spares else size


def outcomes_of(template: Template, entries: Mapping[str, TableEntries]) -> dict[str, Call | None]:
    """Those of a template whose frames miss the tables without entries."""
    return template.outcomes | {name: None for name in template.hits if name not in entries}


def with_copies(made: Plan) -> Plan:
    """With the groups and sessions that its frames have copies of."""
    templates = [stream.template for stream in made.streams] + [point.template for point in made.points]
    return replace(made, copies=tuple(dict.fromkeys(used for t in templates for used in t.seen.copies)))


def with_varied(probe: Probe, stream: Stream, filled: set[str]) -> Stream:
    """With the cells that its frames come to, and the bits that decide about them."""
    frame, outcomes = stream.template.frame, outcomes_of(stream.template, stream.entries)
    cells = probe.run(frame.data, outcomes).cells
    return replace(stream, varied=varied(probe, frame, outcomes, filled), cells=cells)
