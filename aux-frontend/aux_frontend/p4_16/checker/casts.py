"""Conversions: the implicit casts of P4-16 spec 8.12.2 and the explicit ones of 8.12.1.

`coerce` is how every rule that wants a value of a certain type asks for it: it puts the casts in the side table, pushes
them into lists, structures and the branches of a conditional, and reports what cannot be converted.
"""

from __future__ import annotations

from aux_frontend.p4_16 import ast, types as t
from aux_frontend.p4_16.checker import compatible
from aux_frontend.p4_16.checker.constants import bits, convert, default_value, has_default
from aux_frontend.p4_16.checker.scope import suggestion
from aux_frontend.p4_16.checker.state import Record, State, Value
from aux_frontend.p4_16.checker.typeops import same, show, write
from aux_frontend.p4_16.checker.typerefs import show_int
from aux_frontend.p4_16.types import Ty
from transpiler.hlir.arithmetic import bounds, wrap


def coerce(st: State, expression: ast.Expression, found: Ty, target: Ty, what: str = "") -> bool:
    """Convert an expression implicitly; False, with a message, when that cannot be. `what` names its role in messages."""
    if isinstance(found, t.Unknown) or isinstance(target, t.Unknown | t.DontCare):
        return True
    match expression:
        case ast.DefaultExpression(dots=True):
            return _default(st, expression, target)
        case ast.InvalidExpression():
            return _invalid(st, expression, target)
        case ast.ListExpression() if not isinstance(target, t.TypeVariable):
            return _list(st, expression, found, target, what)
        case ast.StructExpression() if isinstance(found, t.Struct) and found.declaration is None:
            return _structure(st, expression, found, target, what)
        case ast.ConditionalExpression() if not same(found, target) and st.value(expression) is None:
            return _branches(st, expression, target, what)
    if same(found, target):
        return True
    if not implicitly(st, found, target) and not (isinstance(found, t.Bit) and isinstance(target, t.Integer)):
        _mismatch(st, expression, found, target, what)
        return False
    return _apply(st, expression, target)


def implicitly(st: State, found: Ty, target: Ty) -> bool:
    """Whether a value of the type `found` converts without being asked to."""
    match found, target:
        case t.Integer(), t.Bit():
            return True
        case t.Integer(), t.NewType():
            return implicitly(st, found, target.underlying)
        case t.Enum(), t.Bit() | t.NewType():
            return found.underlying is not None and same(found.underlying, target)
        case (t.ParserType() | t.ControlType(), t.ParserType() | t.ControlType()):
            return compatible.matches(st, found, target)
        case _:
            return False


def _mismatch(st: State, at: ast.Expression, found: Ty, target: Ty, what: str) -> None:
    role = f"{what}: " if what else ""
    notes: list[tuple[ast.Node, str]] = []
    if isinstance(found, t.ParserType | t.ControlType) and isinstance(target, t.ParserType | t.ControlType):
        reason, node = compatible.difference(st, found, target)
        notes = [(node, reason)] if node is not None else []
    message = f"{role}expected {show(target)}, found {show(found)}"
    if isinstance(found, t.Bit) and isinstance(target, t.Bit) and found.signed == target.signed:
        message = f"{role}width mismatch, expected {show(target)}, found {show(found)}"
    st.error(at, message, *notes)


def _apply(st: State, expression: ast.Expression, target: Ty) -> bool:
    """Record the cast, and the value after it; a number that does not fit is worth a warning (spec 8.12.2)."""
    st.checked.casts[expression] = target
    value = st.value(expression)
    if value is None:
        return True
    if isinstance(value, int) and not isinstance(value, bool) and isinstance(target, t.Bit):
        warn_overflow(st, expression, value, target)
    set_converted(st, expression, value, target)
    return True


def set_converted(st: State, expression: ast.Expression, value: Value, target: Ty) -> None:
    converted = convert(value, target)
    if converted is None:
        st.forget_value(expression)
    else:
        st.set_value(expression, converted)


def warn_overflow(st: State, at: ast.Node, value: int, ty: t.Bit) -> None:
    low, high = bounds(bits(ty))
    if not low <= value <= high and not (not ty.signed and -(high + 1) // 2 <= value < 0):
        st.warn(at, "overflow", f"{show_int(value)} does not fit in '{write(ty)}', its upper bits are lost")
    elif value < 0 and not ty.signed:
        becomes = show_int(wrap(value, bits(ty)))
        st.warn(at, "overflow", f"{show_int(value)} is negative, '{write(ty)}' is not: it becomes {becomes}")


def _default(st: State, expression: ast.Expression, target: Ty) -> bool:
    st.checked.types[expression] = target
    if not has_default(target):
        st.error(expression, f"{show(target)} has no default value that '...' could stand for")
        return False
    value = default_value(target)
    st.static.add(expression)
    if value is not None:
        st.set_value(expression, value)
    return True


def _invalid(st: State, expression: ast.Expression, target: Ty) -> bool:
    if not isinstance(target, t.Header | t.HeaderUnion):
        st.error(expression, f"{{#}} is an invalid header or header union, not {show(target)}")
        return False
    st.checked.types[expression] = target
    return True


def _branches(st: State, expression: ast.ConditionalExpression, target: Ty, what: str) -> bool:
    good = True
    for branch in (expression.then, expression.otherwise):
        good &= coerce(st, branch, st.checked.types[branch], target, what)
    if good:
        st.checked.types[expression] = target
    return good


def _list(st: State, expression: ast.ListExpression, found: Ty, target: Ty, what: str) -> bool:
    """{ a, b } as a tuple, struct, header, list or header stack: item by item."""
    wanted: tuple[tuple[str, Ty], ...]
    count = len(expression.items)
    match target:
        case t.Tuple():
            wanted = tuple((f"element {i}", e) for i, e in enumerate(target.elements))
        case t.Struct() | t.Header():
            wanted = tuple((f"field '{name}'", f) for name, f in target.fields)
        case t.Stack():
            wanted = tuple((f"element {i}", target.element) for i in range(min(target.size, count + 1)))
            if not expression.dots and count < target.size:
                st.error(expression, f"{show(target)} has {target.size} elements, the list {count}")
                return False
        case t.List():
            wanted = tuple((f"element {i}", target.element) for i in range(count))
        case t.Set():
            return _list(st, expression, found, target.element, what)
        case _:
            _mismatch(st, expression, found, target, what)
            return False
    if count > len(wanted) or (count < len(wanted) and not expression.dots):
        st.error(expression, f"{show(target)} has {_counted(target, wanted)}, the list {count}")
        return False
    good = True
    for item, (name, ty) in zip(expression.items, wanted, strict=False):
        good &= coerce(st, item, st.checked.types[item], ty, name)
    if good:
        _finish(st, expression, found, target, list(expression.items))
    return good


def _counted(target: Ty, wanted: tuple[tuple[str, Ty], ...]) -> str:
    noun = "field" if isinstance(target, t.Struct | t.Header) else "element"
    return f"{len(wanted)} {noun}{'' if len(wanted) == 1 else 's'}"


def _finish(st: State, expression: ast.Expression, found: Ty, target: Ty, items: list[ast.Expression]) -> None:
    dots = isinstance(expression, ast.ListExpression | ast.StructExpression) and expression.dots
    if dots or not same(found, target):
        st.checked.casts[expression] = target
    values = [st.value(item) for item in items]
    known = [v for v in values if v is not None]
    if len(known) < len(values) or dots:
        st.forget_value(expression)
        return
    names = tuple(f.name for f in expression.fields) if isinstance(expression, ast.StructExpression) else None
    set_converted(st, expression, Record(tuple(known), names), target)


def _structure(st: State, expression: ast.StructExpression, found: t.Struct, target: Ty, what: str) -> bool:
    """{ name = value, … } as a struct or header: every field once, none unknown (spec 8.13)."""
    if not isinstance(target, t.Struct | t.Header):
        _mismatch(st, expression, found, target, what)
        return False
    fields = dict(target.fields)
    good, seen = True, set()
    for entry in expression.fields:
        seen.add(entry.name)
        if entry.name not in fields:
            st.error(entry, f"'{entry.name}' is not a field of {show(target)}{suggestion(entry.name, list(fields))}")
            good = False
        else:
            ty = fields[entry.name]
            good &= coerce(st, entry.value, st.checked.types[entry.value], ty, f"field '{entry.name}'")
    missing = [name for name in fields if name not in seen]
    if missing and not expression.dots:
        plural = "s" if len(missing) > 1 else ""
        names = ", ".join(f"'{m}'" for m in missing)
        st.error(expression, f"field{plural} {names} of {show(target)} not given a value")
        good = False
    if good:
        _finish(st, expression, found, target, [f.value for f in expression.fields])
    return good


def explicit(st: State, expression: ast.CastExpression, found: Ty, target: Ty) -> bool:
    """(T) e: whether spec 8.12.1 allows it; reports when not. Lists and structures take the implicit way."""
    operand = expression.operand
    if isinstance(operand, ast.ListExpression | ast.StructExpression | ast.InvalidExpression | ast.DefaultExpression):
        return coerce(st, operand, found, target)
    if same(found, target) or implicitly(st, found, target) or _castable(st, operand, found, target):
        return True
    st.error(expression, f"cannot cast {show(found)} to {show(target)}")
    return False


def _castable(st: State, operand: ast.Expression, found: Ty, target: Ty) -> bool:
    match found, target:
        case t.Bit(), t.Bool():
            return found.width == 1 and not found.signed
        case t.Bool(), t.Bit():
            return target.width == 1 and not target.signed
        case t.Integer(), t.Bool():
            return st.value(operand) in (0, 1)
        case t.Bit(), t.Bit():
            return found.signed == target.signed or found.width == target.width
        case t.Bit(), t.Integer():
            return True
        case _:
            return any(_through(st, operand, a, b) for a, b in _represented(found, target))


def _represented(found: Ty, target: Ty) -> list[tuple[Ty, Ty]]:
    """A cast from or to a `type` or a serializable enum, as casts from or to its representation."""
    result: list[tuple[Ty, Ty]] = []
    if isinstance(found, t.NewType | t.Enum) and found.underlying is not None:
        result.append((found.underlying, target))
    if isinstance(target, t.NewType | t.Enum) and target.underlying is not None:
        result.append((found, target.underlying))
    return result


def _through(st: State, operand: ast.Expression, found: Ty, target: Ty) -> bool:
    """Through its own representation only, not through one of another width."""
    return same(found, target) or implicitly(st, found, target)
