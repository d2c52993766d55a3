"""Arguments against parameters, once the type arguments are known: directions, conversions, what must be constant.

P4-16 spec 6.8: `in` takes any value, `out` and `inout` take an l-value of exactly the type; without a direction an
argument is known at compile time, except for actions, where it is like `in`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from aux_frontend.p4_16 import ast, types as t
from aux_frontend.p4_16.checker import casts, lvalues
from aux_frontend.p4_16.checker.binding import Bound
from aux_frontend.p4_16.checker.signature import Signature
from aux_frontend.p4_16.checker.state import UNKNOWN, State
from aux_frontend.p4_16.checker.typeops import same, show, substitute
from aux_frontend.p4_16.types import Ty

_OBJECTS = t.Extern | t.ParserType | t.ControlType | t.PackageType


def order_of(e: ast.Call | ast.Instantiation, bound: Bound) -> tuple[int, ...]:
    """The positions in `bound` as the call has them; what is left to defaults comes last. Empty where no names are given."""
    if not any(argument.name for argument in e.arguments):
        return ()
    written = {id(argument): place for place, argument in enumerate(e.arguments)}
    return tuple(sorted(range(len(bound)), key=lambda position: written.get(id(bound[position]), len(written))))


def check_all(
    st: State, signature: Signature, bound: Bound, found: Sequence[Ty | None],
    substitution: Mapping[ast.TypeParameter, Ty], *, quiet: bool,
) -> tuple[ast.Expression | None, ...]:  # fmt: skip
    """Check each argument; gives the expression per parameter, with defaults filled in."""
    result: list[ast.Expression | None] = []
    for parameter, argument, ty in zip(signature.parameters, bound, found, strict=True):
        if argument is None:
            result.append(parameter.default)
            continue
        if argument.value is None or isinstance(argument.value, ast.DontCare):
            if parameter.direction != "out":
                st.error(
                    argument,
                    f"'_' can only stand for an out parameter, '{parameter.name}' is not one",
                    (parameter, "declared here"),
                )
            result.append(None)
            continue
        result.append(argument.value)
        wanted = substitute(st.value_types.get(parameter, UNKNOWN), substitution)
        if not quiet and ty is not None:
            check_one(st, signature, parameter, argument.value, ty, wanted)
    return tuple(result)


def check_one(
    st: State, signature: Signature, parameter: ast.Parameter, value: ast.Expression, found: Ty, wanted: Ty
) -> None:
    what = f"argument '{parameter.name}' of '{signature.name}'"
    if isinstance(found, t.Unknown) or isinstance(wanted, t.Unknown):
        return
    if isinstance(wanted, t.DontCare):
        st.error(value, f"{what}: its type is '_', so nothing can be passed", (parameter, "declared here"))
        return
    if isinstance(found, t.Callable | t.Table | t.Void | t.ApplyResult):
        st.error(value, f"{what}: {show(found)} is not a value")
        return
    if parameter.direction in ("out", "inout"):
        if lvalues.check_lvalue(st, value, f"{parameter.direction} {what}") and not same(found, wanted):
            kind = "width mismatch, " if isinstance(found, t.Bit) and isinstance(wanted, t.Bit) else ""
            st.error(value, f"{what}: {kind}expected {show(wanted)}, found {show(found)}", (parameter, "declared here"))
        return
    if not casts.coerce(st, value, found, wanted, what):
        return
    of_extern = isinstance(signature.target, ast.MethodPrototype | ast.FunctionPrototype)
    converted = of_extern and isinstance(found, t.Bit)  # what an extern makes of its `int` is its own affair
    constant = signature.compile_time or (isinstance(wanted, t.Integer | t.String) and not converted)
    if parameter.direction == "" and constant and value not in st.static:
        st.error(value, f"{what} must be known at compile time", (parameter, "the parameter has no direction"))
    elif parameter.direction == "in" and isinstance(found, _OBJECTS):
        st.error(value, f"{what}: {show(found)} cannot be passed by value")
