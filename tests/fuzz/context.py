"""Where statements stand: what can be named there other than values, and what is allowed."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from itertools import count

from layout import Node
from scope import Kind, Scope, Type


@dataclass(frozen=True, slots=True)
class Action:
    """An action; what has a direction is given where it is called, the rest by the control plane too."""

    name: str
    parameters: tuple[tuple[str, Type], ...]


@dataclass(frozen=True, slots=True)
class Register:
    name: str
    type: Type
    size: int


@dataclass(frozen=True, slots=True)
class Control:
    """A control or parser that others instantiate: each parameter is (direction, type), a header's type by name.

    `constants` are the types of its constructor's parameters.
    """

    name: str
    parameters: tuple[tuple[str, Kind | str], ...]
    constants: tuple[Type, ...] = ()


@dataclass(frozen=True, slots=True)
class Table:
    name: str
    actions: tuple[str, ...]


@dataclass
class Context:
    """Of one body, and of those in it."""

    names: count[int]
    actions: list[Action] = field(default_factory=list)
    tables: list[Table] = field(default_factory=list)  # each is applied once
    registers: list[Register] = field(default_factory=list)
    counters: list[str] = field(default_factory=list)
    meters: list[str] = field(default_factory=list)
    controls: list[tuple[str, Control]] = field(default_factory=list)
    externs: bool = False  # hash, digest, truncate …
    leaves: tuple[str, ...] = ()  # "return" and "exit", where they may stand
    result: Kind | None = None  # of the function that this is the body of
    loop: bool = False
    metadata: str = ""  # "ingress" or "egress": standard metadata may be written
    parser: bool = False
    recirculates: bool = False  # clones, resubmitted and recirculated packets

    def fresh(self, prefix: str) -> str:
        return f"{prefix}{next(self.names)}"


Maker = Callable[[Scope, Context, int], list[Node]]  # a statement, or nothing where there is nothing to say


@dataclass(frozen=True, slots=True)
class Production:
    """A kind of statement: how often, whether it has statements in it, where it may stand."""

    make: Maker
    weight: int
    nests: bool
    where: Callable[[Context], bool]


PRODUCTIONS: list[Production] = []
TRIES = 8


def production(
    weight: int = 1, *, nests: bool = False, where: Callable[[Context], bool] = lambda context: True
) -> Callable[[Maker], Maker]:
    """Makes a function one of the kinds of statements."""

    def register(make: Maker) -> Maker:
        PRODUCTIONS.append(Production(make, weight, nests, where))
        return make

    return register


def body(scope: Scope, context: Context, size: int, depth: int = 2) -> list[Node]:
    """Up to `size` statements, with blocks in blocks up to `depth`."""
    made: list[Node] = []
    known = [p for p in PRODUCTIONS if p.where(context) and (depth > 0 or not p.nests)]
    weights = [p.weight for p in known]
    for _ in range(size):
        for chosen in scope.random.choices(known, weights, k=TRIES):
            if found := chosen.make(scope, context, depth):
                made += found
                break
    return made
