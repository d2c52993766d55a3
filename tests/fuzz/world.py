"""What a program that is being made has declared so far."""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import count
from random import Random

from context import Control
from scope import Function, Header, Kind, Place, Scope, Stack, Type, Union, Variable, bits

INGRESS = (
    Place("sm.ingress_port", bits(9), False),
    Place("sm.packet_length", bits(32), False),
    Place("sm.checksum_error", bits(1), False),
)
EGRESS = (
    Place("sm.ingress_port", bits(9), False),
    Place("sm.egress_port", bits(9), False),
    Place("sm.instance_type", bits(32), False),
    Place("sm.egress_rid", bits(16), False),
)
ERRORS = ("NoError", "PacketTooShort", "NoMatch", "StackOutOfBounds", "ParserTimeout", "Odd", "Even")
ERROR = Type("enum", 32, "error", tuple(f"error.{name}" for name in ERRORS))


@dataclass
class World:
    """Types, instances that every block reaches by `hdr` and `meta`, functions, controls and parsers."""

    random: Random
    size: int
    names: count[int] = field(default_factory=lambda: count(1))
    layouts: dict[str, list[tuple[str, Type]]] = field(default_factory=dict)  # of header types
    variable: set[str] = field(default_factory=set)  # header types that end in a varbit
    named: list[Kind] = field(default_factory=list)
    headers: list[Header] = field(default_factory=list)
    unions: list[Union] = field(default_factory=list)
    stacks: list[Stack] = field(default_factory=list)
    places: list[Place] = field(default_factory=list)  # of the metadata
    records: list[Variable] = field(default_factory=list)
    functions: list[Function] = field(default_factory=list)
    controls: list[Control] = field(default_factory=list)
    parsers: list[Control] = field(default_factory=list)
    recirculates: bool = False  # clones and resubmits too; then no registers, as their values would depend on the order
    ingress: tuple[Place, ...] = INGRESS  # what the architecture tells; the first two the parser too
    egress: tuple[Place, ...] = EGRESS
    externs: bool = True  # v1model's functions
    pipelined: bool = False  # keys are exact, so that lookups are prefetched and bursts overlap; one pass a packet

    def chance(self, probability: float) -> bool:
        return self.random.random() < probability

    def upto(self, most: int) -> int:
        return self.random.randint(0, most)

    def fresh(self, prefix: str) -> str:
        return f"{prefix}{next(self.names)}"

    def bare(self) -> Scope:
        """What can be named outside of the architecture's blocks."""
        scope = Scope(self.random, layouts=self.layouts, functions=list(self.functions), named=self.named)
        scope.variable = frozenset(self.variable)
        return scope

    def scope(self) -> Scope:
        """Everything that a block reaches by `hdr` and `meta`."""
        scope = self.bare()
        scope.places += self.places
        scope.records += self.records
        for header in self.headers:
            scope.add_header(header)
        for union in self.unions:
            scope.add_union(union)
        for stack in self.stacks:
            scope.add_stack(stack)
        return scope
