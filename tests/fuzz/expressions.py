"""Random expressions, as text. What is not a name, a literal or a call stands in parentheses."""

from __future__ import annotations

from collections.abc import Callable

from scope import BOOL, Function, Kind, Record, Scope, Stack, Type, bits, convert, literal

Production = Callable[[Scope, Type, int], str]  # "" where it has nothing to offer
SMALL = (1, 3, 4, 8, 16, 65)  # widths of amounts to shift by


def expression(scope: Scope, type_: Type, depth: int = 2) -> str:
    """An expression of that type."""
    if depth <= 0 or scope.chance(0.15):
        return leaf(scope, type_)
    if type_ == BOOL:
        productions: tuple[Production, ...] = _BOOLEAN
    elif type_.numeric:
        productions = _NUMERIC
    else:
        productions = _OTHER
    return scope.random.choice(productions)(scope, type_, depth - 1) or leaf(scope, type_)


def leaf(scope: Scope, type_: Type) -> str:
    """A name or a literal."""
    same = [p for p in scope.places if p.type == type_]
    if same and scope.chance(0.7):
        return scope.random.choice(same).text
    if scope.places and scope.chance(0.5):
        place = scope.random.choice(scope.places)
        return convert(place.text, place.type, type_)
    if (stacks := scope.plain_stacks()) and scope.chance(0.3):
        stack = scope.random.choice(stacks)
        name, found = scope.random.choice(scope.layouts[stack.type])
        return convert(f"{stack.text}[{index(scope, stack)}].{name}", found, type_)
    return scope.literal(type_)


def index(scope: Scope, stack: Stack) -> str:
    """An index of a stack: a constant in range, or anything."""
    small = [p for p in scope.numbers() if p.type.width <= 16]
    if not small or stack.members or scope.chance(0.6):
        return str(scope.random.randrange(stack.size))
    place = scope.random.choice(small)
    return convert(place.text, place.type, bits(scope.random.choice((1, 2, 2, 3))))


def record(scope: Scope, type_: Record, depth: int = 1) -> str:
    """A value of a struct or tuple: a name, a call, a list, or for a struct an initialiser with names."""
    known = [r.text for r in scope.records if r.type == type_]
    makers = [f for f in scope.functions if f.result == type_] if depth > 0 and not scope.pure else []
    if known and scope.chance(0.5):
        return scope.random.choice(known)
    if makers and scope.chance(0.5):
        function = scope.random.choice(makers)
        if (given := arguments(scope, function.parameters, depth - 1)) is not None:
            return f"{function.name}({', '.join(given)})"
    parts = [value(scope, kind, depth - 1) for _, kind in type_.fields]
    if not type_.is_tuple and scope.chance(0.5):
        parts = [f"{name} = {part}" for (name, _), part in zip(type_.fields, parts, strict=True)]
        return f"({type_}){{ {', '.join(parts)} }}"
    return f"{{ {', '.join(parts)} }}"


def value(scope: Scope, type_: Kind, depth: int = 2) -> str:
    """An expression of any type."""
    return record(scope, type_, depth) if isinstance(type_, Record) else expression(scope, type_, depth)


def arguments(scope: Scope, parameters: tuple[tuple[str, Kind], ...], depth: int = 1) -> list[str] | None:
    """Arguments for parameters; what is written gets names of which none is part of another."""
    made: list[str] = []
    taken: list[str] = []
    for direction, type_ in parameters:
        if direction in ("in", ""):
            made.append(value(scope, type_, depth))
            continue
        names = [p.text for p in (*scope.places, *scope.records) if p.writable and p.type == type_]
        known = [name for name in names if not any(overlap(name, other) for other in taken)]
        if not known:
            return None
        made.append(scope.random.choice(known))
        taken.append(made[-1])
    return made


def overlap(one: str, other: str) -> bool:
    """Whether one place is (part of) the other."""
    return one == other or one.startswith((f"{other}.", f"{other}[")) or other.startswith((f"{one}.", f"{one}["))


# --- bool ------------------------------------------------------------------------------------------------------------


def _compare(scope: Scope, _: Type, depth: int) -> str:
    type_ = scope.type()
    operators = ("==", "!=", "<", "<=", ">", ">=") if type_.numeric else ("==", "!=")
    operator = scope.random.choice(operators)
    return f"({expression(scope, type_, depth)} {operator} {expression(scope, type_, depth)})"


def _logic(scope: Scope, _: Type, depth: int) -> str:
    operator = scope.random.choice(("&&", "||"))
    return f"({expression(scope, BOOL, depth)} {operator} {expression(scope, BOOL, depth)})"


def _not(scope: Scope, _: Type, depth: int) -> str:
    return f"(!{expression(scope, BOOL, depth)})"


def _valid(scope: Scope, _: Type, depth: int) -> str:
    known = [*scope.headers, *scope.unions]
    return f"{scope.random.choice(known).text}.isValid()" if known else ""


def _same_header(scope: Scope, _: Type, depth: int) -> str:
    known = [h for h in (*scope.headers, *scope.unions) if h.type not in scope.variable]
    if not known:
        return ""
    one = scope.random.choice(known)
    other = scope.random.choice([h for h in known if h.type == one.type])
    return f"({one.text} {scope.random.choice(('==', '!='))} {other.text})"


def _same_stack(scope: Scope, _: Type, depth: int) -> str:
    known = [s for s in scope.stacks if s.type not in scope.variable]
    if not known:
        return ""
    one = scope.random.choice(known)
    other = scope.random.choice([s for s in known if (s.type, s.size) == (one.type, one.size)])
    return f"({one.text} {scope.random.choice(('==', '!='))} {other.text})"


def _same_record(scope: Scope, _: Type, depth: int) -> str:
    if not scope.records:
        return ""
    one = scope.random.choice(scope.records)
    other = scope.random.choice([r for r in scope.records if r.type == one.type]).text
    if not one.type.is_tuple and scope.chance(0.3):
        other = record(scope.inner(pure=True), one.type, 1)
    return f"({one.text} {scope.random.choice(('==', '!='))} {other})"


# --- numbers ---------------------------------------------------------------------------------------------------------


def _binary(scope: Scope, type_: Type, depth: int) -> str:
    operators = ("+", "-", "*", "&", "|", "^", "|+|", "|-|", "+", "-")
    if type_.kind == "bit" and scope.chance(0.2):
        divisor = max(1, scope.value(type_.width))
        return f"({expression(scope, type_, depth)} {scope.random.choice('/%')} {literal(type_, divisor)})"
    operator = scope.random.choice(operators)
    return f"({expression(scope, type_, depth)} {operator} {expression(scope, type_, depth)})"


def _unary(scope: Scope, type_: Type, depth: int) -> str:
    return f"({scope.random.choice('-~+')}{expression(scope, type_, depth)})"


def _shift(scope: Scope, type_: Type, depth: int) -> str:
    by = str(scope.random.choice((0, 1, 3, 8, type_.width - 1, type_.width, 70)))
    if scope.chance(0.6):
        by = expression(scope, bits(scope.random.choice(SMALL)), depth - 1)
    return f"({expression(scope, type_, depth)} {scope.random.choice(('<<', '>>'))} {by})"


def _slice(scope: Scope, type_: Type, depth: int) -> str:
    if type_.kind != "bit":
        return ""
    low = scope.random.choice((0, 0, 1, 3, 8, 13, 60))
    whole = Type(scope.random.choice(("bit", "bit", "int")), type_.width + low + scope.random.choice((0, 1, 5)))
    inner = expression(scope, whole if whole.width > 1 else bits(whole.width), depth)
    if not inner.startswith("("):
        inner = f"({inner})"
    return f"{inner}[{low + type_.width - 1}:{low}]"


def _concat(scope: Scope, type_: Type, depth: int) -> str:
    if type_.width < 4:
        return ""
    left = scope.random.randint(2, type_.width - 2)
    right = Type(scope.random.choice((type_.kind, "bit")), type_.width - left)
    return f"({expression(scope, Type(type_.kind, left), depth)} ++ {expression(scope, right, depth)})"


# --- all types -------------------------------------------------------------------------------------------------------


def _cast(scope: Scope, type_: Type, depth: int) -> str:
    source = scope.type()
    return convert(expression(scope, source, depth), source, type_)


def _choice(scope: Scope, type_: Type, depth: int) -> str:
    arms = expression(scope, type_, depth), expression(scope, type_, depth)
    return f"({expression(scope, BOOL, depth)} ? {arms[0]} : {arms[1]})"


def _call(scope: Scope, type_: Type, depth: int) -> str:
    known: list[Function] = [f for f in scope.functions if isinstance(f.result, Type)]
    if not known or scope.pure:
        return ""
    function = scope.random.choice(known)
    given = arguments(scope, function.parameters, depth - 1)
    if given is None:
        return ""
    assert isinstance(function.result, Type)
    return convert(f"{function.name}({', '.join(given)})", function.result, type_)


_NUMERIC: tuple[Production, ...] = (_binary,) * 3 + (_unary, _shift, _cast, _choice, _slice, _concat, _call)
_OTHER: tuple[Production, ...] = (_cast, _choice, _call)
_BOOLEAN: tuple[Production, ...] = (
    *(_compare,) * 3,
    *(_logic, _not, _valid, _choice, _call),
    *(_same_header, _same_stack, _same_record),
)
