"""Operations on resolved types: equality, substitution, size, and how a message writes them."""

from __future__ import annotations

from collections.abc import Callable as Function, Mapping

from aux_frontend.p4_16 import ast, types as t
from aux_frontend.p4_16.types import Ty

INT = t.Integer()
BOOL = t.Bool()
STRING = t.String()
ERROR = t.Error()
VOID = t.Void()
DONT_CARE = t.DontCare()

FieldType = t.Header | t.HeaderUnion | t.Struct


def pruned(ty: Ty) -> Ty:
    """The solution of a solved variable, else the type itself."""
    while isinstance(ty, t.Unsolved) and ty.solution is not None:
        ty = ty.solution
    return ty


def transform(ty: Ty, leaf: Function[[Ty], Ty]) -> Ty:
    """The type with `leaf` applied to each type variable and unsolved variable; the same object when nothing changes."""
    match ty:
        case t.TypeVariable() | t.Unsolved():
            return leaf(ty)
        case t.Header() | t.HeaderUnion() | t.Struct():
            if not ty.arguments and ty.declaration is not None:
                return ty
            arguments = tuple(transform(a, leaf) for a in ty.arguments)
            fields = tuple((name, transform(f, leaf)) for name, f in ty.fields)
            if _identical(arguments, ty.arguments) and _identical(fields, ty.fields):
                return ty
            return type(ty)(ty.declaration, arguments, fields)  # type: ignore[arg-type]
        case t.Stack():
            element = transform(ty.element, leaf)
            return ty if element is ty.element else t.Stack(element, ty.size)
        case t.Tuple():
            elements = tuple(transform(e, leaf) for e in ty.elements)
            return ty if _identical(elements, ty.elements) else t.Tuple(elements)
        case t.List() | t.Set() | t.ValueSet():
            element = transform(ty.element, leaf)
            return ty if element is ty.element else type(ty)(element)
        case t.Extern() | t.ParserType() | t.ControlType() | t.PackageType():
            arguments = tuple(transform(a, leaf) for a in ty.arguments)
            if _identical(arguments, ty.arguments):
                return ty
            return type(ty)(ty.declaration, arguments)  # type: ignore[arg-type]
        case t.NewType():
            underlying = transform(ty.underlying, leaf)
            return ty if underlying is ty.underlying else t.NewType(ty.declaration, underlying)
        case _:
            return ty


def _identical(left: tuple[object, ...], right: tuple[object, ...]) -> bool:
    return all(a is b or a == b for a, b in zip(left, right, strict=True))


def substitute(ty: Ty, mapping: Mapping[ast.TypeParameter, Ty]) -> Ty:
    """The type with type variables replaced."""
    if not mapping:
        return ty
    return transform(
        ty, lambda v: mapping.get(v.declaration, v) if isinstance(v, t.TypeVariable) else _inside(v, mapping)
    )


def _inside(variable: Ty, mapping: Mapping[ast.TypeParameter, Ty]) -> Ty:
    solution = pruned(variable)
    return variable if isinstance(solution, t.Unsolved) else substitute(solution, mapping)


def solved(ty: Ty) -> Ty:
    """The type with all solved variables replaced by their solutions."""

    def leaf(variable: Ty) -> Ty:
        solution = pruned(variable)
        return solution if isinstance(solution, t.Unsolved | t.TypeVariable) else transform(solution, leaf)

    return transform(ty, leaf)


def mentions(ty: Ty, kind: type | tuple[type, ...]) -> bool:
    """Whether a leaf variable of the class `kind` (TypeVariable, Unsolved), solved ones seen through, occurs in the type."""
    found = False

    def leaf(variable: Ty) -> Ty:
        nonlocal found
        solution = pruned(variable)
        if isinstance(solution, kind):
            found = True
        elif not isinstance(solution, t.Unsolved | t.TypeVariable):
            transform(solution, leaf)
        return variable

    transform(ty, leaf)
    return found


def same(left: Ty, right: Ty) -> bool:
    """Type equality; Unknown equals everything, `_` too."""
    if left is right:
        return True
    left, right = pruned(left), pruned(right)
    if left is right or isinstance(left, t.Unknown | t.DontCare) or isinstance(right, t.Unknown | t.DontCare):
        return True
    if type(left) is not type(right):
        return False
    match left:
        case t.Header() | t.HeaderUnion() | t.Struct():
            assert isinstance(right, FieldType)
            return _same_fields(left, right)
        case t.Stack():
            assert isinstance(right, t.Stack)
            return left.size == right.size and same(left.element, right.element)
        case t.Tuple():
            assert isinstance(right, t.Tuple)
            return _all_same(left.elements, right.elements)
        case t.List() | t.Set() | t.ValueSet():
            assert isinstance(right, t.List | t.Set | t.ValueSet)
            return same(left.element, right.element)
        case t.Extern() | t.PackageType() | t.ParserType() | t.ControlType():
            assert isinstance(right, t.Extern | t.PackageType | t.ParserType | t.ControlType)
            return left.declaration is right.declaration and _all_same(left.arguments, right.arguments)
        case t.Enum() | t.NewType():
            assert isinstance(right, t.Enum | t.NewType)
            return left.declaration is right.declaration
        case _:
            return left == right


def _same_fields(left: FieldType, right: FieldType) -> bool:
    """Nominal types by declaration and arguments, the type of a structure literal by its fields."""
    if left.declaration is not right.declaration:
        return False
    if left.declaration is not None:
        return _all_same(left.arguments, right.arguments)
    return [n for n, _ in left.fields] == [n for n, _ in right.fields] and all(
        same(a, b) for (_, a), (_, b) in zip(left.fields, right.fields, strict=True)
    )


def _all_same(left: tuple[Ty, ...], right: tuple[Ty, ...]) -> bool:
    return len(left) == len(right) and all(map(same, left, right))


def field_type(ty: FieldType, name: str) -> Ty | None:
    for field, field_ty in ty.fields:
        if field == name:
            return field_ty
    return None


def bit_size(ty: Ty, *, largest: bool) -> int | None:
    """Bits that a type occupies in a packet, with varbit fields full or empty (spec 9.1); None: the type has no size."""
    match ty:
        case t.Bit():
            return ty.width
        case t.Bool():
            return 1
        case t.Varbit():
            return ty.width if largest else 0
        case t.Enum():
            return None if ty.underlying is None else bit_size(ty.underlying, largest=largest)
        case t.NewType():
            return bit_size(ty.underlying, largest=largest)
        case t.Header() | t.Struct():
            return _total([bit_size(f, largest=largest) for _, f in ty.fields])
        case t.Tuple():
            return _total([bit_size(e, largest=largest) for e in ty.elements])
        case t.HeaderUnion():
            sizes = [bit_size(f, largest=largest) for _, f in ty.fields]
            known = [s for s in sizes if s is not None]
            return None if len(known) < len(sizes) else (max if largest else min)(known, default=0)
        case t.Stack():
            element = bit_size(ty.element, largest=largest)
            return None if element is None else element * ty.size
        case _:
            return None


def _total(sizes: list[int | None]) -> int | None:
    return None if any(s is None for s in sizes) else sum(s for s in sizes if s is not None)


_PLAIN: dict[type, str] = {
    t.Integer: "int", t.Bool: "bool", t.String: "string", t.Error: "error", t.MatchKind: "match_kind", t.Void: "void",
    t.DontCare: "_", t.Unknown: "an unknown type",
}  # fmt: skip


def show(ty: Ty) -> str:
    """The type as a message writes it: as in a program, a nominal one with its kind."""
    text = write(ty)
    match ty:
        case t.Header():
            return f"header '{text}'"
        case t.HeaderUnion():
            return f"header_union '{text}'"
        case t.Struct() if ty.declaration is not None:
            return f"struct '{text}'"
        case t.Enum():
            return f"enum '{text}'"
        case t.Extern():
            return f"extern '{text}'"
        case t.ParserType():
            return f"parser '{text}'"
        case t.ControlType():
            return f"control '{text}'"
        case t.PackageType():
            return f"package '{text}'"
        case t.Table() | t.ApplyResult() | t.ActionEnum() | t.Callable() | t.Void() | t.Unknown():
            return text
        case t.Struct():
            return text
        case _:
            return f"'{text}'"


def write(ty: Ty) -> str:  # noqa: C901 - one line a type
    """The type as in a program."""
    ty = pruned(ty)
    match ty:
        case t.Bit():
            return f"{'int' if ty.signed else 'bit'}<{ty.width}>"
        case t.Varbit():
            return f"varbit<{ty.width}>"
        case t.TypeVariable() | t.Unsolved():
            return ty.declaration.name
        case t.Header() | t.HeaderUnion() | t.Extern() | t.ParserType() | t.ControlType() | t.PackageType():
            return ty.declaration.name + _arguments(ty.arguments)
        case t.Struct():
            if ty.declaration is None:
                return "a structure {" + ", ".join(name for name, _ in ty.fields) + "}"
            return ty.declaration.name + _arguments(ty.arguments)
        case t.Stack():
            return f"{write(ty.element)}[{ty.size}]"
        case t.Tuple():
            return f"tuple<{', '.join(map(write, ty.elements))}>"
        case t.List():
            return f"list<{write(ty.element)}>"
        case t.Set():
            return f"set<{write(ty.element)}>"
        case t.ValueSet():
            return f"value_set<{write(ty.element)}>"
        case t.Enum() | t.NewType():
            return ty.declaration.name
        case t.Table():
            return f"table '{ty.declaration.name}'"
        case t.ApplyResult():
            return f"the result of applying table '{ty.declaration.name}'"
        case t.ActionEnum():
            return f"the action_run of table '{ty.declaration.name}'"
        case t.Callable():
            return "a function or action"
        case _:
            return _PLAIN[type(ty)]


def _arguments(arguments: tuple[Ty, ...]) -> str:
    return f"<{', '.join(map(write, arguments))}>" if arguments else ""
