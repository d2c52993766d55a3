"""What can be named at a place of a program that is being made, and random expressions over it."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from random import Random

WIDTHS = (
    1,
    1,
    2,
    3,
    4,
    5,
    7,
    8,
    8,
    9,
    11,
    12,
    13,
    16,
    16,
    17,
    19,
    24,
    31,
    32,
    32,
    33,
    40,
    48,
    57,
    63,
    64,
    65,
    100,
    128,
    129,
)


@dataclass(frozen=True, slots=True)
class Type:
    """bit<width>, int<width> or bool (width 1)."""

    kind: str
    width: int = 1

    def __str__(self) -> str:
        return "bool" if self.kind == "bool" else f"{self.kind}<{self.width}>"


BOOL = Type("bool")


def bits(width: int) -> Type:
    return Type("bit", width)


@dataclass(frozen=True, slots=True)
class Place:
    """A name that stands for a value; `writable` if it may be assigned."""

    text: str
    type: Type
    writable: bool = True


@dataclass(frozen=True, slots=True)
class Header:
    """A header in reach: its text and the name of its type."""

    text: str
    type: str


@dataclass(frozen=True, slots=True)
class Stack:
    text: str
    type: str
    size: int


@dataclass(frozen=True, slots=True)
class Function:
    """A function: parameters are (direction, type)."""

    name: str
    result: Type | None
    parameters: tuple[tuple[str, Type], ...]


@dataclass
class Scope:
    """Names in reach; `inner` gives a copy for a block."""

    random: Random
    places: list[Place] = field(default_factory=list)
    headers: list[Header] = field(default_factory=list)
    stacks: list[Stack] = field(default_factory=list)
    functions: list[Function] = field(default_factory=list)
    layouts: dict[str, list[tuple[str, Type]]] = field(default_factory=dict)
    variable: frozenset[str] = frozenset()  # header types that end in a varbit, which no place stands for
    writable_headers: bool = True
    pure: bool = False  # no calls in expressions

    def inner(self) -> Scope:
        return replace(self, places=list(self.places), headers=list(self.headers), stacks=list(self.stacks))

    def chance(self, probability: float) -> bool:
        return self.random.random() < probability

    def add_header(self, header: Header) -> None:
        """A header with its fields."""
        self.headers.append(header)
        writable = self.writable_headers
        self.places += [Place(f"{header.text}.{name}", t, writable) for name, t in self.layouts[header.type]]

    # --- types and literals ------------------------------------------------------------------------------------------

    def width(self) -> int:
        return self.random.choice(WIDTHS)

    def type(self) -> Type:
        """Any type, mostly of a place in reach."""
        if self.places and self.chance(0.6):
            return self.random.choice(self.places).type
        kind = self.random.choice(("bit", "bit", "bit", "int", "bool"))
        return BOOL if kind == "bool" else Type(kind, self.width() + (kind == "int"))

    def literal(self, type_: Type) -> str:
        if type_ == BOOL:
            return self.random.choice(("true", "false"))
        return literal(type_, self.value(type_.width))

    def value(self, width: int) -> int:
        whole = (1 << width) - 1
        return (
            self.random.choice((0, 1, 2, 5, whole, whole >> 1, (whole >> 1) + 1, self.random.getrandbits(width)))
            & whole
        )

    # --- expressions -------------------------------------------------------------------------------------------------

    def expression(self, type_: Type, depth: int = 2) -> str:
        """An expression of that type, in parentheses unless it is a name, a literal or a call."""
        if depth <= 0 or self.chance(0.15):
            return self._leaf(type_)
        if type_ == BOOL:
            return self._bool(depth - 1)
        kind = self.random.choice(
            ("binary", "binary", "binary", "unary", "shift", "cast", "choice", "slice", "concat", "call")
        )
        made = getattr(self, f"_{kind}")(type_, depth - 1)
        return made or self._leaf(type_)

    def _leaf(self, type_: Type) -> str:
        same = [p for p in self.places if p.type == type_]
        if same and self.chance(0.7):
            return self.random.choice(same).text
        if self.places and self.chance(0.5):
            place = self.random.choice(self.places)
            return convert(place.text, place.type, type_)
        if self.stacks and self.chance(0.3):
            stack = self.random.choice(self.stacks)
            name, found = self.random.choice(self.layouts[stack.type])
            return convert(f"{stack.text}[{self._index(stack)}].{name}", found, type_)
        return self.literal(type_)

    def _index(self, stack: Stack) -> str:
        """An index of a stack: a constant in range, or anything."""
        if self.chance(0.6):
            return str(self.random.randrange(stack.size))
        small = [p for p in self.places if p.type.kind == "bit" and p.type.width <= 16]
        if not small:
            return "0"
        place = self.random.choice(small)
        return convert(place.text, place.type, bits(self.random.choice((1, 2, 2, 3))))

    def _bool(self, depth: int) -> str:
        match self.random.choice(
            ("compare", "compare", "compare", "logic", "not", "valid", "choice", "same", "headers")
        ):
            case "compare":
                type_ = self.type()
                type_ = bits(8) if type_ == BOOL else type_
                operator = self.random.choice(("==", "!=", "<", "<=", ">", ">="))
                return f"({self.expression(type_, depth)} {operator} {self.expression(type_, depth)})"
            case "logic":
                return f"({self.expression(BOOL, depth)} {self.random.choice(('&&', '||'))} {self.expression(BOOL, depth)})"
            case "not":
                return f"(!{self.expression(BOOL, depth)})"
            case "valid" if self.headers:
                return f"{self.random.choice(self.headers).text}.isValid()"
            case "choice":
                return self._choice(BOOL, depth)
            case "headers" if known := [h for h in self.headers if h.type not in self.variable]:
                one = self.random.choice(known)
                other = self.random.choice([h for h in self.headers if h.type == one.type])
                return f"({one.text} {self.random.choice(('==', '!='))} {other.text})"
        operator = self.random.choice(("==", "!="))
        return f"({self.expression(BOOL, depth)} {operator} {self.expression(BOOL, depth)})"

    def _binary(self, type_: Type, depth: int) -> str:
        operators = ["+", "-", "*", "&", "|", "^", "|+|", "|-|", "+", "-"]
        if type_.kind == "bit" and self.chance(0.2):
            divisor = max(1, self.value(type_.width))
            return f"({self.expression(type_, depth)} {self.random.choice('/%')} {literal(type_, divisor)})"
        return f"({self.expression(type_, depth)} {self.random.choice(operators)} {self.expression(type_, depth)})"

    def _unary(self, type_: Type, depth: int) -> str:
        return f"({self.random.choice('-~+')}{self.expression(type_, depth)})"

    def _shift(self, type_: Type, depth: int) -> str:
        by = str(self.random.choice((0, 1, 3, 8, type_.width - 1, type_.width, 70)))
        if self.chance(0.6):
            by = self.expression(bits(self.random.choice((1, 3, 4, 8, 16, 65))), depth - 1)
        return f"({self.expression(type_, depth)} {self.random.choice(('<<', '>>'))} {by})"

    def _cast(self, type_: Type, depth: int) -> str:
        source = self.type()
        return convert(self.expression(source, depth), source, type_)

    def _choice(self, type_: Type, depth: int) -> str:
        arms = self.expression(type_, depth), self.expression(type_, depth)
        return f"({self.expression(BOOL, depth)} ? {arms[0]} : {arms[1]})"

    def _slice(self, type_: Type, depth: int) -> str:
        if type_.kind != "bit":
            return ""
        low = self.random.choice((0, 0, 1, 3, 8, 13, 60))
        whole = Type(self.random.choice(("bit", "bit", "int")), type_.width + low + self.random.choice((0, 1, 5)))
        inner = self.expression(whole if whole.width > 1 else bits(whole.width), depth)
        if not inner.startswith("("):
            inner = f"({inner})"
        return f"{inner}[{low + type_.width - 1}:{low}]"

    def _concat(self, type_: Type, depth: int) -> str:
        if type_.width < 4:
            return ""
        left = self.random.randint(2, type_.width - 2)
        right = Type(self.random.choice((type_.kind, "bit")), type_.width - left)
        return f"({self.expression(Type(type_.kind, left), depth)} ++ {self.expression(right, depth)})"

    def _call(self, type_: Type, depth: int) -> str:
        known = [f for f in self.functions if f.result is not None and all(d == "in" for d, _ in f.parameters)]
        if not known or self.pure:
            return ""
        function = self.random.choice(known)
        arguments = ", ".join(self.expression(t, depth - 1) for _, t in function.parameters)
        assert function.result is not None
        return convert(f"{function.name}({arguments})", function.result, type_)


def literal(type_: Type, value: int) -> str:
    """A value, given as its bits, as a literal with its type."""
    if type_.kind == "int":
        if not value >> (type_.width - 1):
            return f"{type_.width}s{value}"
        if value == 1 << (type_.width - 1):  # its absolute value does not fit
            return f"((int<{type_.width}>)(-{value}))"
        return f"(-{type_.width}s{(1 << type_.width) - value})"
    return f"{type_.width}w{value:#x}" if value > 9 else f"{type_.width}w{value}"


def convert(text: str, source: Type, target: Type) -> str:
    """An expression as another type, by the casts that P4 has."""
    if source == target:
        return text
    if source == BOOL:
        return convert(f"((bit<1>){text})", bits(1), target)
    if target == BOOL:
        return f"({convert(text, source, bits(1))} == 1w1)"
    if source.kind == target.kind:
        return f"(({target}){text})"
    if source.width == target.width:
        return f"(({target}){text})"
    return convert(f"(({Type(target.kind, source.width)}){text})", Type(target.kind, source.width), target)
