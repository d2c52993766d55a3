"""Making objects: instantiations and constructor calls of externs, parsers, controls and packages (P4-16 spec 11.3, 8.21)."""

from __future__ import annotations

from collections.abc import Sequence

from aux_frontend.p4_16 import ast, types as t
from aux_frontend.p4_16.checker import abstract, expressions, places, resolution, typerefs
from aux_frontend.p4_16.checker.binding import Misfit
from aux_frontend.p4_16.checker.overloads import choose
from aux_frontend.p4_16.checker.signature import Signature
from aux_frontend.p4_16.checker.state import UNKNOWN, State
from aux_frontend.p4_16.checker.typeops import show, substitute
from aux_frontend.p4_16.types import Ty

Object = t.Extern | t.ParserType | t.ControlType | t.PackageType


def constructor_call(st: State, e: ast.Call, hint: Ty | None) -> Ty:
    """T(…) as an expression."""
    ty = expressions.named_type(st, e.callee)
    assert ty is not None
    if isinstance(ty, t.Unknown):
        return resolution.failed(st, e.arguments)
    if not isinstance(ty, Object):
        return resolution.failed(st, e.arguments, st.error(e.callee, f"{show(ty)} has no constructor"))
    if not places.constructor_allowed(st, e.callee, ty):
        return resolution.failed(st, e.arguments)
    ref = e.callee.type if isinstance(e.callee, ast.TypeExpression) else None
    result = _construct(st, e, e.callee, ty, _written(ref), e.type_arguments, e.arguments, hint)
    st.static.add(e)
    declaration = ty.declaration
    if isinstance(declaration, ast.ExternDeclaration) and any(m.abstract for m in declaration.methods):
        st.error(e.callee, f"{show(ty)} has abstract methods, it needs an instantiation that implements them")
    return result


def instantiation(st: State, d: ast.Instantiation) -> None:
    """T(…) name; with a body for the abstract methods of an extern."""
    ref = d.type.element if isinstance(d.type, ast.StackType) else d.type
    ty = typerefs.resolve(st, ref, open_arguments=True)
    if isinstance(ty, t.Unknown):
        resolution.failed(st, d.arguments)
        st.value_types[d] = UNKNOWN
        return
    if not isinstance(ty, Object):
        resolution.failed(st, d.arguments, st.error(d.type, f"{show(ty)} cannot be instantiated"))
        st.value_types[d] = UNKNOWN
        return
    places.check_instance(st, d, ty)
    made = _construct(st, d, ref, ty, _written(ref), (), d.arguments, None)
    st.value_types[d] = made
    if isinstance(made, Object):
        st.checked.type_refs[ref] = made
    abstract.check_initializer(st, d, made)
    if isinstance(d.type, ast.StackType):
        _array(st, d, d.type, made)


def _array(st: State, d: ast.Instantiation, ref: ast.StackType, made: Ty) -> None:
    """T(…) name[n]: n objects, made with the same arguments."""
    size = typerefs.constant_size(st, ref.size, "array size")
    if size is None or isinstance(made, t.Unknown):
        st.value_types[d] = UNKNOWN
        return
    if not isinstance(made, t.Extern):
        st.error(d, f"there are no arrays of {show(made)}")
    st.value_types[d] = st.checked.type_refs[ref] = t.Stack(made, size)


def _written(ref: ast.TypeRef | None) -> bool:
    """Whether a reference carries its type arguments, itself or through a typedef."""
    return isinstance(ref, ast.SpecializedType)


def _construct(
    st: State, e: ast.Call | ast.Instantiation, at: ast.Node, ty: Object, written: bool,
    type_arguments: Sequence[ast.TypeRef], arguments: Sequence[ast.Argument], hint: Ty | None,
) -> Ty:  # fmt: skip
    ty = _overload(st, at, ty, arguments)
    declaration = ty.declaration
    candidates = _constructors(declaration)
    if declaration in st.open_declarations:
        return resolution.failed(
            st, arguments, st.error(at, f"'{declaration.name}' instantiates itself; P4 has no recursion")
        )
    if not candidates:
        reason = "it has no constructor" if isinstance(ty, t.Extern) else "it is only a type"
        notes = ((declaration, "declared here"),)
        return resolution.failed(st, arguments, st.error(at, f"{show(ty)} cannot be instantiated, {reason}", *notes))
    chosen = choose(declaration.name, candidates, arguments)
    if isinstance(chosen, Misfit):
        only = candidates[0][0] if len(candidates) == 1 else None
        return resolution.misfit(st, at, chosen, arguments, only)
    constructor, bound = chosen
    parameters = next(p for c, p in candidates if c is constructor)
    own = typerefs.type_parameters(declaration)
    fixed = written or any(not _is_own(a, own) for a in ty.arguments)
    given = dict(zip(own, ty.arguments, strict=False)) if fixed else {}
    open_parameters = () if fixed else own
    signature = Signature(declaration.name, declaration, open_parameters, parameters, ty, given, declared=constructor)
    return resolution.resolve(st, e, at, signature, bound, type_arguments, hint)


def _overload(st: State, at: ast.Node, ty: Object, arguments: Sequence[ast.Argument]) -> Object:
    """Of several parsers, controls or packages of a name, the one whose constructor the arguments fit."""
    named = [d for d in st.scope.find(ty.declaration.name, types=True) if type(d) is type(ty.declaration)]
    if len(named) < 2 or ty.declaration not in named:
        return ty
    chosen = choose(ty.declaration.name, [pair for d in named for pair in _constructors(d)], arguments)
    if isinstance(chosen, Misfit) or chosen[0] is ty.declaration:
        return ty
    other = st.named_types.get(chosen[0])
    if not isinstance(other, Object) or len(other.arguments) != len(ty.arguments):
        return ty
    if isinstance(at, ast.NamedType | ast.Path):
        st.checked.declarations[at] = chosen[0]
    own = dict(zip(typerefs.type_parameters(ty.declaration), typerefs.type_parameters(chosen[0]), strict=True))
    renamed = {p: t.TypeVariable(q) for p, q in own.items()}
    arguments_of_other = [substitute(a, renamed) for a in ty.arguments]
    changed = substitute(other, dict(zip(typerefs.type_parameters(chosen[0]), arguments_of_other, strict=True)))
    assert isinstance(changed, Object)
    return changed


def _is_own(argument: Ty, own: Sequence[ast.TypeParameter]) -> bool:
    return isinstance(argument, t.TypeVariable) and argument.declaration in own


def _constructors(declaration: ast.Declaration) -> list[tuple[ast.Declaration, tuple[ast.Parameter, ...]]]:
    match declaration:
        case ast.ExternDeclaration():
            return [(m, m.parameters) for m in declaration.methods if m.result is None]
        case ast.ParserDeclaration() | ast.ControlDeclaration():
            return [(declaration, declaration.constructor_parameters)]
        case ast.PackageDeclaration():
            return [(declaration, declaration.parameters)]
        case _:
            return []
