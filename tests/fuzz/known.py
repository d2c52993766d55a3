"""What a program names whose results are predicted: values, places to write to, what can be called, as P4's text and as
Python that does the same.

A value is its bits as a number that is not negative; an environment has one for each name. All names of a program differ, and
nothing calls itself, so that one environment is enough.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from random import Random

from scope import WIDE, WIDTHS, Type

Env = dict[str, int]
Worth = Callable[[Env], int]
STACK, ELEMENTS, INDEX, ELEMENT = "hdr.s", 4, Type("bit", 2), Type("bit", 8)  # a header stack: no index is beyond it


@dataclass(frozen=True, slots=True)
class Known:
    """An expression: its text in parentheses where it needs them, its type, what it is worth. `name`: of a variable that it
    is made of, if of nothing else."""

    text: str
    type: Type
    worth: Worth
    name: str = ""


@dataclass(frozen=True, slots=True)
class Cell:
    """Storage that an l-value has been found to stand for."""

    get: Callable[[], int]
    set: Callable[[int], None]


@dataclass(frozen=True, slots=True)
class Place:
    """An l-value: `at` works out, once, what it stands for. `name`: of the variable that it is, is a part of or lies by."""

    text: str
    type: Type
    at: Callable[[Env], Cell]
    name: str = ""


@dataclass(frozen=True, slots=True)
class Called:
    """A function, action, control or parser: what stands in front of its arguments, its parameters (direction, name, type), its
    result, what it does. `besides`: arguments that are no numbers, by their parameters' names."""

    name: str
    parameters: tuple[tuple[str, str, Type], ...]
    result: Type | None
    run: Worth
    besides: tuple[tuple[str, str], ...] = ()


@dataclass
class Names:
    """What can be named: variables with their types, the writable among them, functions. `pool`: types to prefer; `stack`:
    the header stack is there; `truths`: texts of conditions that hold, whatever the time is; `tables` are applied in
    conditions."""

    random: Random
    types: dict[str, Type]
    writable: set[str]
    functions: list[Called]
    pool: list[Type] = field(default_factory=list)
    stack: bool = False
    truths: tuple[str, ...] = ()
    tables: tuple[Known, ...] = ()

    def chance(self, probability: float) -> bool:
        return self.random.random() < probability

    def type(self, kind: str = "") -> Type:
        known = [t for t in (*self.types.values(), *self.pool) if t.kind == kind or (not kind and t.numeric)]
        if known and self.chance(0.6):
            return self.random.choice(known)
        kind = kind or self.random.choice(("bit", "bit", "int"))
        return Type(kind, self.random.choice(WIDTHS if self.chance(0.9) else WIDE) + (kind == "int"))


def number(value: int, type_: Type) -> int:
    """The number that some bits stand for."""
    return value - (1 << type_.width) if type_.kind == "int" and value >> (type_.width - 1) else value


def wrapped(value: int, type_: Type) -> int:
    return value & ((1 << type_.width) - 1)


def clamped(value: int, type_: Type) -> int:
    """The nearest value that there is."""
    low, high = (
        (-(1 << (type_.width - 1)), (1 << (type_.width - 1)) - 1)
        if type_.kind == "int"
        else (0, (1 << type_.width) - 1)
    )
    return wrapped(max(low, min(high, value)), type_)


def variable(names: Names, name: str) -> Known:
    return Known(name, names.types[name], lambda env: env[name], name)


def named(names: Names, name: str) -> Place:
    """The place that is a variable."""
    return Place(name, names.types[name], lambda env: Cell(lambda: env[name], lambda v: env.update({name: v})), name)


def sliced(place: Place, high: int, low: int) -> Place:
    """Bits of a place; the others stay what they are when they are written."""
    type_ = Type("bit", high - low + 1)
    hole = ((1 << type_.width) - 1) << low

    def at(env: Env) -> Cell:
        whole = place.at(env)
        return Cell(
            lambda: wrapped(whole.get() >> low, type_), lambda value: whole.set(whole.get() & ~hole | value << low)
        )

    return Place(f"{place.text}[{high}:{low}]", type_, at, place.name)


def element(index: Known) -> Place:
    """The field of an element of the stack; the index is worked out once."""

    def at(env: Env) -> Cell:
        name = f"{STACK}[{index.worth(env)}].v"
        return Cell(lambda: env[name], lambda value: env.update({name: value}))

    return Place(f"{STACK}[{index.text}].v", ELEMENT, at, index.name)
