"""Random expressions with their values, computed by Python's integers: independent of the compiler.

Operands and arguments are evaluated from left to right, as P4-16 says (1.2.5, 8.1 and 6.8): a call among them may write
what another one reads.
"""

from __future__ import annotations

from collections.abc import Callable

from known import (
    ELEMENT,
    INDEX,
    Called,
    Cell,
    Env,
    Known,
    Names,
    Place,
    Worth,
    clamped,
    element,
    named,
    number,
    sliced,
    variable,
    wrapped,
)
from scope import BOOL, Type, bits, literal

TOUCHED = 0.8  # how often what is written by a call is what stands in front of it

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
        return variable(names, names.random.choice(same))
    if type_ == ELEMENT and names.stack and names.chance(0.7):
        return read(element(_index(names)))
    if type_ == BOOL and names.truths and names.chance(0.3):
        tables = [table for table in names.tables if names.chance(0.5)]
        return tables[0] if tables else Known(names.random.choice(names.truths), BOOL, lambda env: 1)
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


def simple(names: Names, type_: Type) -> Known:
    """An expression that often is a name: what a later one may change."""
    return leaf(names, type_) if names.chance(0.6) else expression(names, type_, 1)


def read(place: Place) -> Known:
    return Known(place.text, place.type, lambda env: place.at(env).get(), place.name)


def _index(names: Names) -> Known:
    return expression(names, INDEX, 1)


# --- productions -----------------------------------------------------------------------------------------------------


def _two(names: Names, type_: Type, depth: int) -> tuple[Known, Known]:
    left = expression(names, type_, depth)
    return left, touching(names, left.name, type_, depth) or expression(names, type_, depth)


def _binary(names: Names, type_: Type, depth: int) -> Known:
    left, right = _two(names, type_, depth)
    operator = names.random.choice(tuple(OPERATORS))
    predict = OPERATORS[operator]

    def worth(env: Env) -> int:
        a = number(left.worth(env), type_)
        return predict(a, number(right.worth(env), type_), type_)

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
    return Known(
        f"(({type_}){inner.text})", type_, lambda env: wrapped(number(inner.worth(env), source), type_), inner.name
    )


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


# --- calls -----------------------------------------------------------------------------------------------------------


def _call(names: Names, type_: Type, depth: int) -> Known:
    """A function whose result can be cast."""
    known = [f for f in names.functions if f.result is not None and f.result.kind == type_.kind]
    made = call(names, names.random.choice(known), depth - 1) if known else None
    return _binary(names, type_, depth) if made is None else _as(made, type_)


def _as(value: Known, type_: Type) -> Known:
    """The value where that type is wanted."""
    if value.type == type_:
        return value
    if type_ == BOOL:
        return Known(f"({value.text} != {literal(value.type, 0)})", BOOL, lambda env: int(value.worth(env) != 0))
    if value.type.kind != type_.kind:
        if value.type.width == 1:  # there is no int<1>
            value = _cast_of(value, Type(value.type.kind, 2))
        value = _cast_of(value, Type(type_.kind, value.type.width))
    return value if value.type == type_ else _cast_of(value, type_)


def touching(names: Names, name: str, type_: Type, depth: int) -> Known | None:
    """A call that may write to the variable of that name, which has just been named, or to some bits of it."""
    if name not in names.writable or depth < 0 or not names.chance(TOUCHED):
        return None
    whole = named(names, name)
    known = [(f, t) for f in names.functions if f.result is not None for d, _, t in f.parameters if d != "in"]
    exact = [(f, whole) for f, t in known if t == whole.type]
    parts = [(f, sliced(whole, t.width - 1, 0)) for f, t in known if t.kind == "bit" and t.width <= whole.type.width]
    fits = exact or (parts if whole.type.numeric else [])
    if not fits:
        return None
    called, written = names.random.choice(fits)
    made = call(names, called, 0, written)
    return None if made is None else _as(made, type_)


def call(names: Names, called: Called, depth: int, written: Place | None = None) -> Known | None:
    """A call with arguments for it, `written` among them, by names in any order sometimes; None where it needs a place that
    is not there."""
    by_name, order = names.chance(0.3), list(range(len(called.parameters)))
    if by_name:
        names.random.shuffle(order)
    texts: list[str] = [f"{name} = {text}" if by_name else text for name, text in called.besides]
    passed: list[tuple[str, str, Known | Place]] = []
    last = ""
    for direction, name, type_ in (called.parameters[position] for position in order):
        given: Known | Place | None
        if direction in ("out", "inout"):
            fits = written is not None and written.type == type_
            given, written = (written, None) if fits else (place(names, type_, depth), written)
            last = given.name if given is not None else ""
        elif direction == "":
            given = leaf(Names(names.random, {}, set(), []), type_)
        else:
            given = touching(names, last, type_, depth - 1) or expression(names, type_, depth)
            last = given.name or last
        if given is None:
            return None
        texts.append(f"{name} = {given.text}" if by_name else given.text)
        passed.append((direction, name, given))
    result = called.result if called.result is not None else bits(1)
    return Known(f"{called.name}({', '.join(texts)})", result, _invocation(called, passed))


def _invocation(called: Called, passed: list[tuple[str, str, Known | Place]]) -> Worth:
    """P4-16, 6.8: values and l-values are saved in the order of the call, results copied back in that order."""

    def worth(env: Env) -> int:
        values: Env = {}
        cells: list[tuple[str, Cell]] = []
        for direction, name, given in passed:
            if isinstance(given, Known):
                values[name] = given.worth(env)
                continue
            cell = given.at(env)
            cells.append((name, cell))
            if direction == "inout":
                values[name] = cell.get()
        env.update(values)
        result = called.run(env)
        for cell_, value in [(cell, env[name]) for name, cell in cells]:
            cell_.set(value)
        return result

    return worth


def place(names: Names, type_: Type, depth: int) -> Place | None:
    """Something of that type to write to: a variable, a slice of one, an element of the stack."""
    if type_ == ELEMENT and names.stack and names.chance(0.6):
        return element(expression(names, INDEX, max(1, depth)))
    same = [n for n in sorted(names.writable) if names.types[n] == type_]
    if same and names.chance(0.9):
        return named(names, names.random.choice(same))
    wider = [n for n in sorted(names.writable) if names.types[n].numeric and names.types[n].width >= type_.width]
    if not wider or type_.kind != "bit":
        return named(names, names.random.choice(same)) if same else None
    name = names.random.choice(wider)
    low = names.random.randint(0, names.types[name].width - type_.width)
    return sliced(named(names, name), low + type_.width - 1, low)


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
