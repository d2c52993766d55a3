"""Type inference: fresh variables for type parameters, and their solutions from the arguments (P4-16 spec 8.21).

Unification here only finds solutions; it never judges. Where two types do not agree it goes on, and the cast rules,
which run afterwards with the solved types, say what is wrong at the argument that is wrong.
"""

from __future__ import annotations

from collections.abc import Iterable

from aux_frontend.p4_16 import ast, types as t
from aux_frontend.p4_16.checker.state import State
from aux_frontend.p4_16.checker.typeops import pruned, same, substitute
from aux_frontend.p4_16.types import Ty


def fresh(parameters: Iterable[ast.TypeParameter]) -> dict[ast.TypeParameter, Ty]:
    return {parameter: t.Unsolved(parameter) for parameter in parameters}


def unify(st: State, left: Ty, right: Ty) -> None:
    """Solve the variables in `left` and `right` so that the two agree, as far as they can."""
    if left is right:
        return
    a, b = _last_variable(left), _last_variable(right)
    if isinstance(a, t.Unsolved):
        _bind(st, a, right)
        return
    if isinstance(b, t.Unsolved):
        _bind(st, b, left)
        return
    _parts(st, a, b)


def _last_variable(ty: Ty) -> Ty:
    while isinstance(ty, t.Unsolved) and isinstance(ty.solution, t.Unsolved):
        ty = ty.solution
    return ty


def _bind(st: State, variable: t.Unsolved, ty: Ty) -> None:
    target = _last_variable(ty)
    if target is variable or isinstance(target, t.DontCare | t.Unknown):
        return
    if variable.solution is None:
        if not _occurs(variable, target):
            variable.solution = target
        return
    if isinstance(target, t.Unsolved) and target.solution is None:
        target.solution = variable
        return
    present, new = pruned(variable.solution), pruned(target)
    if _is_better(new, present) and not _occurs(variable, new):
        variable.solution = new
    unify(st, present, new)


def _occurs(variable: t.Unsolved, ty: Ty) -> bool:
    if pruned(ty) is variable:
        return True
    match pruned(ty):
        case (
            t.Tuple(elements=parts) | t.Extern(arguments=parts) | t.Header(arguments=parts) | t.Struct(arguments=parts)
        ):
            return any(_occurs(variable, p) for p in parts)
        case t.List(element=part) | t.Stack(element=part) | t.ValueSet(element=part):
            return _occurs(variable, part)
        case _:
            return False


def _is_better(new: Ty, old: Ty) -> bool:
    """Whether a value of type `old` may be cast implicitly to `new`, seen from afar: literals give way to sized types."""
    match old, new:
        case t.Integer(), t.Bit():
            return True
        case t.Enum(), t.Bit():
            return old.underlying is not None and same(old.underlying, new)
        case t.Tuple(), t.Header() | t.Struct() | t.List() | t.Stack():
            return True
        case t.Tuple(), t.Tuple():
            return _has_int(old) and not _has_int(new)
        case t.Struct(declaration=None), t.Header() | t.Struct():
            return True
        case _:
            return False


def _has_int(ty: Ty) -> bool:
    match ty:
        case t.Integer():
            return True
        case t.Tuple():
            return any(map(_has_int, ty.elements))
        case _:
            return False


def _parts(st: State, left: Ty, right: Ty) -> None:
    match left, right:
        case (t.Tuple(), t.Tuple()):
            _each(st, left.elements, right.elements)
        case (t.Header() | t.HeaderUnion() | t.Struct(), t.Header() | t.HeaderUnion() | t.Struct()):
            if left.declaration is right.declaration and left.declaration is not None:
                _each(st, left.arguments, right.arguments)
                _each(st, tuple(f for _, f in left.fields), tuple(f for _, f in right.fields))
            else:
                _fields_by_name(st, left, right)
        case (t.Header() | t.Struct(), t.Tuple()):
            _each(st, tuple(f for _, f in left.fields), right.elements)
        case (t.Tuple(), t.Header() | t.Struct()):
            _each(st, left.elements, tuple(f for _, f in right.fields))
        case (t.Stack() | t.List() | t.ValueSet(), t.Stack() | t.List() | t.ValueSet()):
            unify(st, left.element, right.element)
        case (t.Stack() | t.List(), t.Tuple()):
            for element in right.elements:
                unify(st, left.element, element)
        case (t.Extern() | t.PackageType(), t.Extern() | t.PackageType()):
            if left.declaration is right.declaration:
                _each(st, left.arguments, right.arguments)
        case (t.ParserType() | t.ControlType(), t.ParserType() | t.ControlType()):
            if left.declaration is right.declaration:
                _each(st, left.arguments, right.arguments)
            elif type(left) is type(right) and _comparable(left, right):
                _each(st, parameter_types(st, left), parameter_types(st, right))
        case _:
            pass


def _comparable(left: t.ParserType | t.ControlType, right: t.ParserType | t.ControlType) -> bool:
    """Whether two blocks have as many parameters, those that may be left out aside."""
    short, long = sorted((left.declaration.parameters, right.declaration.parameters), key=len)
    return all(p.default is not None or any(a.name == "optional" for a in p.annotations) for p in long[len(short) :])


def _each(st: State, left: tuple[Ty, ...], right: tuple[Ty, ...]) -> None:
    for a, b in zip(left, right, strict=False):
        unify(st, a, b)


def _fields_by_name(st: State, left: Ty, right: Ty) -> None:
    assert isinstance(left, t.Header | t.HeaderUnion | t.Struct) and isinstance(
        right, t.Header | t.HeaderUnion | t.Struct
    )
    if left.declaration is not None and right.declaration is not None:
        return
    names = dict(right.fields)
    for name, ty in left.fields:
        if name in names:
            unify(st, ty, names[name])


def parameter_types(st: State, ty: t.ParserType | t.ControlType) -> tuple[Ty, ...]:
    """The types of the parameters of a parser or control (those of apply), for its type arguments."""
    mapping = dict(zip(ty.declaration.type_parameters, ty.arguments, strict=False))
    return tuple(substitute(st.value_types.get(p, t.Unknown()), mapping) for p in ty.declaration.parameters)
