"""Random expressions with what they are worth, by Python's integers: an opinion that shares nothing with the compiler.

A value is its bits as a number that is not negative; an environment has one for each name. Operands are worked out from
the left to the right, as the specification says (chapter 8), since a call among them may write what the next one reads.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from random import Random

from scope import BOOL, WIDE, WIDTHS, Type, bits, literal

Env = dict[str, int]
Worth = Callable[[Env], int]


@dataclass(frozen=True, slots=True)
class Known:
    """An expression: its text in parentheses where it needs them, its type, what it is worth."""

    text: str
    type: Type
    worth: Worth


@dataclass(frozen=True, slots=True)
class Called:
    """A function: its parameters, its result's type, and what it does to its arguments' environment."""

    name: str
    parameters: tuple[tuple[str, str, Type], ...]  # direction, name, type
    result: Type
    run: Callable[[Env], int]


@dataclass
class Names:
    """What can be named: variables with their types, the writable among them, functions."""

    random: Random
    types: dict[str, Type]
    writable: set[str]
    functions: list[Called]

    def chance(self, probability: float) -> bool:
        return self.random.random() < probability

    def type(self, kind: str = "") -> Type:
        known = [t for t in self.types.values() if t.kind == kind or (not kind and t.numeric)]
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


OPERATORS: dict[str, Callable[[int, int, Type], int]] = {
    "+": lambda a, b, t: wrapped(a + b, t),
    "-": lambda a, b, t: wrapped(a - b, t),
    "*": lambda a, b, t: wrapped(a * b, t),
    "&": lambda a, b, t: wrapped(a & b, t),
    "|": lambda a, b, t: wrapped(a | b, t),
    "^": lambda a, b, t: wrapped(a ^ b, t),
    "|+|": lambda a, b, t: clamped(a + b, t),
    "|-|": lambda a, b, t: clamped(a - b, t),
}
COMPARISONS: dict[str, Callable[[int, int], bool]] = {
    "==": lambda a, b: a == b,
    "!=": lambda a, b: a != b,
    "<": lambda a, b: a < b,
    "<=": lambda a, b: a <= b,
    ">": lambda a, b: a > b,
    ">=": lambda a, b: a >= b,
}


def expression(names: Names, type_: Type, depth: int) -> Known:
    """An expression of that type."""
    if depth <= 0 or names.chance(0.12):
        return leaf(names, type_)
    kinds = (_compare, _compare, _logic, _not, _choice) if type_ == BOOL else _NUMERIC
    return names.random.choice(kinds)(names, type_, depth - 1)


def leaf(names: Names, type_: Type) -> Known:
    same = [n for n, t in names.types.items() if t == type_]
    if same and names.chance(0.7):
        name = names.random.choice(same)
        return Known(name, type_, lambda env: env[name])
    if type_ == BOOL:
        truth = names.chance(0.5)
        return Known("true" if truth else "false", BOOL, lambda env: int(truth))
    near = [n for n, t in names.types.items() if t.kind == type_.kind]
    if near and names.chance(0.5):
        return _cast_of(variable(names, names.random.choice(near)), type_)
    top = (1 << type_.width) - 1
    value = (
        names.random.choice((0, 1, 2, 5, top, top >> 1, (top >> 1) + 1, names.random.getrandbits(type_.width))) & top
    )
    return Known(literal(type_, value), type_, lambda env: value)


def variable(names: Names, name: str) -> Known:
    return Known(name, names.types[name], lambda env: env[name])


# --- productions -----------------------------------------------------------------------------------------------------


def _two(names: Names, type_: Type, depth: int) -> tuple[Known, Known]:
    return expression(names, type_, depth), expression(names, type_, depth)


def _binary(names: Names, type_: Type, depth: int) -> Known:
    left, right = _two(names, type_, depth)
    operator = names.random.choice(tuple(OPERATORS))
    reckon = OPERATORS[operator]

    def worth(env: Env) -> int:
        a = number(left.worth(env), type_)
        return reckon(a, number(right.worth(env), type_), type_)

    return Known(f"({left.text} {operator} {right.text})", type_, worth)


def _division(names: Names, type_: Type, depth: int) -> Known:
    """By a constant, as the targets want it; without signs, as the specification does."""
    if type_.kind != "bit":
        return _binary(names, type_, depth)
    left, by = expression(names, type_, depth), max(1, names.random.getrandbits(type_.width))
    if names.chance(0.5):
        return Known(f"({left.text} / {literal(type_, by)})", type_, lambda env: left.worth(env) // by)
    return Known(f"({left.text} % {literal(type_, by)})", type_, lambda env: left.worth(env) % by)


def _unary(names: Names, type_: Type, depth: int) -> Known:
    inner = expression(names, type_, depth)
    if names.chance(0.5):
        return Known(f"(~{inner.text})", type_, lambda env: wrapped(~inner.worth(env), type_))
    return Known(f"(-{inner.text})", type_, lambda env: wrapped(-inner.worth(env), type_))


def _shift(names: Names, type_: Type, depth: int) -> Known:
    inner, by = (
        expression(names, type_, depth),
        expression(names, bits(names.random.choice((1, 3, 8, 16, 65))), depth - 1),
    )
    left = names.chance(0.5)

    def worth(env: Env) -> int:
        value = number(inner.worth(env), type_)
        amount = min(by.worth(env), type_.width)
        return wrapped(value << amount if left else value >> amount, type_)

    return Known(f"({inner.text} {'<<' if left else '>>'} {by.text})", type_, worth)


def _cast_of(inner: Known, type_: Type) -> Known:
    """One of the same kind, of the same width, or a bool and a bit."""
    source = inner.type
    return Known(f"(({type_}){inner.text})", type_, lambda env: wrapped(number(inner.worth(env), source), type_))


def _cast(names: Names, type_: Type, depth: int) -> Known:
    if type_ == bits(1) and names.chance(0.5):
        return _cast_of(expression(names, BOOL, depth), type_)
    if names.chance(0.4) and type_.width > 1:
        other = Type("int" if type_.kind == "bit" else "bit", type_.width)
        return _cast_of(expression(names, other, depth), type_)
    return _cast_of(expression(names, names.type(type_.kind), depth), type_)


def _slice(names: Names, type_: Type, depth: int) -> Known:
    if type_.kind != "bit":
        return _cast(names, type_, depth)
    low = names.random.choice((0, 1, 3, 8, 13, 60))
    whole = Type(names.random.choice(("bit", "int")), type_.width + low + names.random.choice((1, 5)))
    inner = expression(names, whole, depth)
    text = inner.text if inner.text.startswith("(") else f"({inner.text})"
    return Known(f"{text}[{low + type_.width - 1}:{low}]", type_, lambda env: wrapped(inner.worth(env) >> low, type_))


def _concat(names: Names, type_: Type, depth: int) -> Known:
    if type_.width < 4:
        return _unary(names, type_, depth)
    at = names.random.randint(2, type_.width - 2)
    left, right = expression(names, Type(type_.kind, type_.width - at), depth), expression(names, bits(at), depth)

    def worth(env: Env) -> int:
        high = left.worth(env)
        return high << at | right.worth(env)

    return Known(f"({left.text} ++ {right.text})", type_, worth)


def _choice(names: Names, type_: Type, depth: int) -> Known:
    condition, (yes, no) = expression(names, BOOL, depth), _two(names, type_, depth)
    text = f"({condition.text} ? {yes.text} : {no.text})"
    return Known(text, type_, lambda env: yes.worth(env) if condition.worth(env) else no.worth(env))


def _call(names: Names, type_: Type, depth: int) -> Known:
    """A function; what it writes is copied back, in the order of its parameters."""
    known = [f for f in names.functions if f.result.kind == type_.kind]
    if not known:
        return _binary(names, type_, depth)
    function = names.random.choice(known)
    given: list[Known] = []
    written: list[tuple[str, str]] = []
    for direction, name, kind in function.parameters:
        if direction == "in":
            given.append(expression(names, kind, depth - 1))
            continue
        places = [n for n in sorted(names.writable) if names.types[n] == kind and n not in {w for w, _ in written}]
        if not places:
            return _binary(names, type_, depth)
        given.append(variable(names, names.random.choice(places)))
        written.append((given[-1].text, name))

    def worth(env: Env) -> int:
        inner = {name: known.worth(env) for (_, name, _), known in zip(function.parameters, given, strict=True)}
        result = function.run(inner)
        env.update({place: inner[name] for place, name in written})
        return result

    made = Known(f"{function.name}({', '.join(g.text for g in given)})", function.result, worth)
    return made if made.type == type_ else _cast_of(made, type_)


_NUMERIC = (_binary, _binary, _binary, _division, _unary, _shift, _cast, _slice, _concat, _choice, _call)


# --- bool ------------------------------------------------------------------------------------------------------------


def _compare(names: Names, _: Type, depth: int) -> Known:
    type_, operator = names.type(), names.random.choice(tuple(COMPARISONS))
    left, right = _two(names, type_, depth)

    def worth(env: Env) -> int:
        a = number(left.worth(env), type_)
        return int(COMPARISONS[operator](a, number(right.worth(env), type_)))

    return Known(f"({left.text} {operator} {right.text})", BOOL, worth)


def _logic(names: Names, _: Type, depth: int) -> Known:
    """The second operand is worked out only where it matters."""
    left, right = _two(names, BOOL, depth)
    if names.chance(0.5):
        return Known(f"({left.text} && {right.text})", BOOL, lambda env: int(left.worth(env) and right.worth(env)))
    return Known(f"({left.text} || {right.text})", BOOL, lambda env: int(left.worth(env) or right.worth(env)))


def _not(names: Names, _: Type, depth: int) -> Known:
    inner = expression(names, BOOL, depth)
    return Known(f"(!{inner.text})", BOOL, lambda env: 1 - inner.worth(env))
