"""What can be named at a place of a program that is being made: types, and names of them in reach."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from random import Random

WIDTHS = (1, 1, 2, 3, 4, 5, 7, 8, 8, 9, 11, 12, 13, 16, 16, 17, 19, 24, 31, 32, 32, 33, 40, 48, 57, 63, 64, 65, 100)
WIDE = (128, 128, 129, 160, 200)


@dataclass(frozen=True, slots=True)
class Type:
    """A type of values that are not taken apart.

    `kind` is bit, int, bool, enum (plain; `error` too), or coded: a serializable enum or a new type, which are cast to
    and from `base`<width>. `members` are those of an enum, in full.
    """

    kind: str
    width: int = 1
    name: str = ""
    members: tuple[str, ...] = ()
    base: str = "bit"

    def __str__(self) -> str:
        return self.name or ("bool" if self.kind == "bool" else f"{self.kind}<{self.width}>")

    @property
    def numeric(self) -> bool:
        return self.kind in ("bit", "int")


BOOL = Type("bool")


def bits(width: int) -> Type:
    return Type("bit", width)


@dataclass(frozen=True, slots=True)
class Record:
    """A struct, or a tuple, whose fields are named [0], [1] …"""

    name: str
    fields: tuple[tuple[str, Kind], ...]

    def __str__(self) -> str:
        return self.name

    @property
    def is_tuple(self) -> bool:
        return self.name.startswith("tuple")


Kind = Type | Record


@dataclass(frozen=True, slots=True)
class Place:
    """A name that stands for a value; `writable` if it may be assigned."""

    text: str
    type: Type
    writable: bool = True


@dataclass(frozen=True, slots=True)
class Variable:
    """A name that stands for a struct or a tuple."""

    text: str
    type: Record
    writable: bool = True


@dataclass(frozen=True, slots=True)
class Header:
    """A header in reach: its text and the name of its type."""

    text: str
    type: str


@dataclass(frozen=True, slots=True)
class Union:
    """A header union: members are (name, header type)."""

    text: str
    type: str
    members: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class Stack:
    """A stack of headers; of unions where `members` says what is in one."""

    text: str
    type: str
    size: int
    members: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True)
class Function:
    """A function: parameters are (direction, type)."""

    name: str
    result: Kind | None
    parameters: tuple[tuple[str, Kind], ...]


@dataclass
class Scope:
    """Names in reach; `inner` gives a copy for a block."""

    random: Random
    places: list[Place] = field(default_factory=list)
    records: list[Variable] = field(default_factory=list)
    headers: list[Header] = field(default_factory=list)
    unions: list[Union] = field(default_factory=list)
    stacks: list[Stack] = field(default_factory=list)
    functions: list[Function] = field(default_factory=list)
    layouts: dict[str, list[tuple[str, Type]]] = field(default_factory=dict)
    named: list[Kind] = field(default_factory=list)  # enums, new types and structs that the program declares
    variable: frozenset[str] = frozenset()  # header types that end in a varbit, which no place stands for
    writable_headers: bool = True
    pure: bool = False  # no calls in expressions

    def inner(self, *, pure: bool | None = None) -> Scope:
        """A copy for a block, or for expressions that must (not) be free of calls."""
        return replace(
            self,
            places=list(self.places),
            records=list(self.records),
            headers=list(self.headers),
            unions=list(self.unions),
            stacks=list(self.stacks),
            pure=self.pure if pure is None else pure,
        )

    def chance(self, probability: float) -> bool:
        return self.random.random() < probability

    # --- names -------------------------------------------------------------------------------------------------------

    def add(self, text: str, type_: Kind, writable: bool = True) -> None:
        """A variable, with its fields; those of a tuple are only read."""
        if isinstance(type_, Type):
            self.places.append(Place(text, type_, writable))
            return
        self.records.append(Variable(text, type_, writable))
        for name, kind in type_.fields:
            inner = f"{text}{name}" if type_.is_tuple else f"{text}.{name}"
            self.add(inner, kind, writable and not type_.is_tuple)

    def add_header(self, header: Header) -> None:
        """A header with its fields."""
        self.headers.append(header)
        for name, type_ in self.layouts[header.type]:
            self.places.append(Place(f"{header.text}.{name}", type_, self.writable_headers))

    def add_union(self, union: Union) -> None:
        self.unions.append(union)
        for name, type_ in union.members:
            self.add_header(Header(f"{union.text}.{name}", type_))

    def add_stack(self, stack: Stack) -> None:
        """A stack with its elements."""
        self.stacks.append(stack)
        for i in range(stack.size):
            if stack.members:
                self.add_union(Union(f"{stack.text}[{i}]", stack.type, stack.members))
            else:
                self.headers.append(Header(f"{stack.text}[{i}]", stack.type))

    def writable(self) -> Place | None:
        known = [p for p in self.places if p.writable]
        return self.random.choice(known) if known else None

    def numbers(self) -> list[Place]:
        """Everything of type bit."""
        return [p for p in self.places if p.type.kind == "bit"]

    def plain_stacks(self) -> list[Stack]:
        return [s for s in self.stacks if not s.members]

    # --- types and literals ------------------------------------------------------------------------------------------

    def width(self) -> int:
        return self.random.choice(WIDTHS if self.chance(0.93) else WIDE)

    def type(self) -> Type:
        """Any type, mostly of a place in reach."""
        if self.places and self.chance(0.6):
            return self.random.choice(self.places).type
        named = [t for t in self.named if isinstance(t, Type)]
        if named and self.chance(0.2):
            return self.random.choice(named)
        kind = self.random.choice(("bit", "bit", "bit", "int", "bool"))
        return BOOL if kind == "bool" else Type(kind, self.width() + (kind == "int"))

    def kind(self) -> Kind:
        """A type, sometimes a struct or a tuple."""
        if self.chance(0.8):
            return self.type()
        known = [t for t in self.named if isinstance(t, Record)]
        if known and self.chance(0.6):
            return self.random.choice(known)
        members = [self.type() for _ in range(self.random.randint(1, 3))]
        return Record(f"tuple<{', '.join(map(str, members))}>", tuple((f"[{i}]", t) for i, t in enumerate(members)))

    def literal(self, type_: Type) -> str:
        if type_ == BOOL:
            return self.random.choice(("true", "false"))
        if type_.members and (type_.kind == "enum" or self.chance(0.8)):
            return self.random.choice(type_.members)
        return literal(type_, self.value(type_.width))

    def value(self, width: int) -> int:
        whole = (1 << width) - 1
        likely = (0, 1, 2, 5, whole, whole >> 1, (whole >> 1) + 1, self.random.getrandbits(width))
        return self.random.choice(likely) & whole


def literal(type_: Type, value: int) -> str:
    """A value, given as its bits, as a literal with its type."""
    if type_.kind == "coded":
        return f"(({type_}){literal(Type(type_.base, type_.width), value)})"
    if type_.kind == "int":
        if not value >> (type_.width - 1):
            return f"{type_.width}s{value}"
        if value == 1 << (type_.width - 1):  # its absolute value does not fit
            return f"((int<{type_.width}>)(-{value}))"
        return f"(-{type_.width}s{(1 << type_.width) - value})"
    return f"{type_.width}w{value:#x}" if value > 9 else f"{type_.width}w{value}"


def convert(text: str, source: Type, target: Type) -> str:
    """An expression as another type, by the casts that P4 has, or by a choice where it has none."""
    if source == target:
        return text
    if "enum" in (source.kind, target.kind) or BOOL in (source, target):
        return _convert_by_bit(text, source, target)
    if source.kind == "coded":
        base = Type(source.base, source.width)
        return convert(f"(({base}){text})", base, target)
    if target.kind == "coded":
        return f"(({target}){convert(text, source, Type(target.base, target.width))})"
    if source.kind == target.kind or source.width == target.width:
        return f"(({target}){text})"
    return convert(f"(({Type(target.kind, source.width)}){text})", Type(target.kind, source.width), target)


def _convert_by_bit(text: str, source: Type, target: Type) -> str:
    """Where one of both is an enum or a bool: by way of a bit."""
    if source.kind == "enum":
        return convert(f"({text} == {source.members[-1]})", BOOL, target)
    if source == BOOL and target.kind == "enum":
        return f"({text} ? {target.members[0]} : {target.members[-1]})"
    if source == BOOL:
        return convert(f"((bit<1>){text})", bits(1), target)
    if target == BOOL:
        return f"({convert(text, source, bits(1))} == 1w1)"
    return convert(convert(text, source, BOOL), BOOL, target)


def leaves(type_: Kind) -> Iterator[Type]:
    """The types that a type is made of, in order."""
    if isinstance(type_, Type):
        yield type_
    else:
        for _, kind in type_.fields:
            yield from leaves(kind)
