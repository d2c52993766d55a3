"""What is alike in all calls: type arguments found, arguments checked, the call recorded (P4-16 spec 8.20, 6.8)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from aux_frontend.p4_16 import ast, types as t
from aux_frontend.p4_16.checked import ResolvedCall
from aux_frontend.p4_16.checker import arguments as args, places, typerefs, walk
from aux_frontend.p4_16.checker.binding import Bound, Misfit
from aux_frontend.p4_16.checker.nesting import nesting_problem
from aux_frontend.p4_16.checker.signature import Signature
from aux_frontend.p4_16.checker.state import UNKNOWN, State
from aux_frontend.p4_16.checker.typeops import DONT_CARE, mentions, pruned, same, show, solved, substitute
from aux_frontend.p4_16.checker.unify import fresh, parameter_types, unify
from aux_frontend.p4_16.types import Ty


def failed(st: State, arguments: Sequence[ast.Argument], result: Ty = UNKNOWN) -> Ty:
    """Still look at the arguments of a call that is wrong, for the errors inside them."""
    for argument in arguments:
        if argument.value is not None:
            walk.infer(st, argument.value, UNKNOWN)
    return result


def misfit(
    st: State, at: ast.Node, problem: Misfit, arguments: Sequence[ast.Argument], declaration: ast.Declaration | None
) -> Ty:
    notes = ((declaration, "declared here"),) if declaration is not None else ()
    return failed(st, arguments, st.error(problem.at or at, problem.text, *notes))


def resolve(
    st: State, e: ast.Call | ast.Instantiation, at: ast.Node, signature: Signature, bound: Bound,
    type_arguments: Sequence[ast.TypeRef], hint: Ty | None, receiver: ast.Expression | None = None,
) -> Ty:  # fmt: skip
    """Find the type arguments, check the arguments, record the call; gives the type of the result."""
    mapping = _type_arguments(st, at, signature, type_arguments)
    if mapping is None:
        return failed(st, [a for a in bound if a is not None])
    whole = {**signature.given, **mapping}
    found = _infer_arguments(st, signature, bound, whole)
    result = substitute(signature.result, whole)
    if hint is not None and mentions(result, t.Unsolved):
        unify(st, result, hint)
    good = _solve(st, at, signature, mapping, bound, found, hint)
    substitution = {p: solved(ty) for p, ty in whole.items()}
    result = solved(result)
    if good:
        good = _well_formed(st, at, signature, substitution, result)
    expressions_per_parameter = args.check_all(st, signature, bound, found, substitution, quiet=not good)
    st.checked.calls[e] = ResolvedCall(
        signature.target,
        signature.parameters,
        expressions_per_parameter,
        substitution,
        receiver,
        args.order_of(e, bound),
    )
    if not good and mentions(result, t.Unsolved):
        return UNKNOWN
    return result


def _type_arguments(
    st: State, at: ast.Node, signature: Signature, type_arguments: Sequence[ast.TypeRef]
) -> dict[ast.TypeParameter, Ty] | None:
    mapping = fresh(signature.type_parameters)
    written = [typerefs.resolve(st, ref) for ref in type_arguments]
    if written and len(written) != len(mapping):
        need = f"{len(mapping)} type argument{'' if len(mapping) == 1 else 's'}" if mapping else "no type arguments"
        notes = ((signature.declared, "declared here"),) if signature.declared is not None else ()
        st.error(at, f"'{signature.name}' takes {need}, {len(written)} given", *notes)
        return None
    for parameter, ty in zip(mapping, written, strict=False):
        if not isinstance(ty, t.DontCare):
            mapping[parameter] = ty
    return mapping


def _infer_arguments(
    st: State, signature: Signature, bound: Bound, mapping: Mapping[ast.TypeParameter, Ty]
) -> list[Ty | None]:
    found: list[Ty | None] = []
    for parameter, argument in zip(signature.parameters, bound, strict=True):
        wanted = substitute(st.value_types.get(parameter, UNKNOWN), mapping)
        if argument is None and parameter.default is not None and mentions(wanted, t.Unsolved):
            unify(st, wanted, substitute(st.checked.types.get(parameter.default, UNKNOWN), mapping))
        if argument is None or argument.value is None or isinstance(argument.value, ast.DontCare):
            found.append(None)
            continue
        ty = walk.infer(st, argument.value, solved(wanted))
        unify(st, wanted, ty)  # of two arguments of one type parameter either may say more
        found.append(ty)
    return found


def _solve(
    st: State, at: ast.Node, signature: Signature, mapping: dict[ast.TypeParameter, Ty], bound: Bound,
    found: Sequence[Ty | None], hint: Ty | None,
) -> bool:  # fmt: skip
    """Whether every type argument is known now. What only a left-out optional argument could tell is `_`."""
    left_out = any(a is None and p.default is None for p, a in zip(signature.parameters, bound, strict=True))
    broken = any(_is_broken(st, ty) for ty in found) or isinstance(hint, t.Unknown)
    waits = hint is not None and mentions(hint, t.Unsolved)  # the call around this one finds it out
    for parameter, ty in mapping.items():
        if mentions(ty, t.Unsolved) and not waits:
            if left_out and isinstance(ty, t.Unsolved):
                ty.solution = DONT_CARE
                continue
            if not broken:
                message = (
                    f"the type argument '{parameter.name}' of '{signature.name}' cannot be inferred, write it: <…>"
                )
                st.error(at, message, (parameter, "declared here"))
            return False
        if not _is_value_type(st, at, signature, parameter, ty, bound, found):
            return False
    return True


def _is_broken(st: State, ty: Ty | None) -> bool:
    """Whether an error was told of it: an unknown type, or a parser or control with a parameter of one."""
    if isinstance(ty, t.ParserType | t.ControlType):
        return any(isinstance(parameter, t.Unknown) for parameter in parameter_types(st, ty))
    return isinstance(ty, t.Unknown)


def _is_value_type(
    st: State, at: ast.Node, signature: Signature, parameter: ast.TypeParameter, variable: Ty, bound: Bound,
    found: Sequence[Ty | None],
) -> bool:  # fmt: skip
    """Whether what was found for a type parameter can be one: not void, and for a running call neither a parser or control,
    nor, when it was inferred, a literal's `int` or an unnamed structure."""
    ty = pruned(variable)
    if isinstance(
        signature.target,
        ast.PackageDeclaration | ast.ExternDeclaration | ast.ParserDeclaration | ast.ControlDeclaration,
    ):
        return True
    if isinstance(ty, t.Void):
        st.error(at, f"'void' cannot be a type argument of '{signature.name}'")
        return False
    inferred = isinstance(variable, t.Unsolved)
    source = next(
        (a.value for a, f in zip(bound, found, strict=True) if a is not None and f is not None and same(f, ty)), None
    )
    if isinstance(ty, t.ParserType | t.ControlType | t.PackageType | t.Table | t.Callable):
        st.error(source or at, f"{show(ty)} cannot be an argument of '{signature.name}'")
        return False
    if inferred and isinstance(ty, t.Integer):
        st.error(
            source or at,
            f"the width of this 'int' cannot be inferred; write a width, as in 8w1 ('{parameter.name}' could be any type)",
        )
        return False
    if inferred and isinstance(ty, t.Struct) and ty.declaration is None:
        st.error(
            source or at,
            "the type of this structure cannot be inferred; write it: (T){…}",
            (parameter, "could be any type"),
        )
        return False
    return True


def _well_formed(
    st: State, at: ast.Node, signature: Signature, substitution: Mapping[ast.TypeParameter, Ty], result: Ty
) -> bool:
    """A type that is right with variables may be wrong with their arguments: check what the call makes of them."""
    if not substitution:
        return True
    for parameter in signature.parameters:
        ty = substitute(st.value_types.get(parameter, UNKNOWN), substitution)
        problem = nesting_problem(ty)
        if problem is None and isinstance(ty, t.Void):
            problem = "no value is of type 'void'"
        if problem is None and parameter.direction and isinstance(ty, t.String):
            problem = f"it has a direction, so it cannot be {show(ty)}"
        if problem is None and isinstance(signature.target, ast.ExternDeclaration):
            problem = places.parameter_problem(signature.target, ty, constructor=True)
        if problem is not None:
            st.error(at, f"parameter '{parameter.name}' of '{signature.name}': {problem}", (parameter, "declared here"))
            return False
    problem = nesting_problem(result)
    if problem is not None:
        st.error(at, f"the result of '{signature.name}': {problem}")
        return False
    return True
