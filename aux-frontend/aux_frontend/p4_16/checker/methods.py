"""Calls of the form x.method(…): extern methods, apply, and what headers, stacks and unions bring with them.

P4-16 spec 8.17 (headers), 8.18 (stacks), 8.19 (unions), 9 (sizes), 13.9 and 14.4 (apply), 14.2.2 (tables)."""

from __future__ import annotations

from aux_frontend.p4_16 import ast, types as t
from aux_frontend.p4_16.checked import ResolvedCall
from aux_frontend.p4_16.checker import casts, expressions, lvalues, packets, places, resolution, walk
from aux_frontend.p4_16.checker.binding import Misfit, bind
from aux_frontend.p4_16.checker.members import SIZE_METHODS, is_header_stack
from aux_frontend.p4_16.checker.overloads import choose
from aux_frontend.p4_16.checker.scope import suggestion
from aux_frontend.p4_16.checker.signature import Signature
from aux_frontend.p4_16.checker.state import UNKNOWN, Place, State
from aux_frontend.p4_16.checker.typeops import BOOL, INT, VOID, bit_size, mentions, show
from aux_frontend.p4_16.types import Ty

_HEADER_METHODS = ("isValid", "setValid", "setInvalid")
_STACK_METHODS = ("push_front", "pop_front")


def member_call(st: State, e: ast.Call, callee: ast.Member, hint: Ty | None) -> Ty:
    of_type = expressions.named_type(st, callee.base)
    if of_type is not None:
        return _type_call(st, e, callee, of_type, hint)
    base = walk.infer(st, callee.base)
    match base:
        case t.Unknown():
            return resolution.failed(st, e.arguments)
        case t.Extern():
            return extern_method(st, e, callee, base, hint)
        case t.Table() if callee.name == "apply":
            return _table_apply(st, e, callee, base)
        case t.ParserType() | t.ControlType() if callee.name == "apply":
            return _block_apply(st, e, callee, base, callee.base, hint)
    if callee.name in SIZE_METHODS and isinstance(base, t.Header | t.HeaderUnion | t.Struct | t.Stack | t.Bit | t.Varbit
                                                  | t.Bool | t.Enum | t.Tuple | t.NewType | t.TypeVariable):  # fmt: skip
        return _size(st, e, callee, base)
    match base:
        case t.Header() if callee.name in _HEADER_METHODS:
            return _validity(st, e, callee)
        case t.HeaderUnion() if callee.name == "isValid":
            return _validity(st, e, callee)
        case t.Stack() if callee.name in _STACK_METHODS and is_header_stack(base):
            return _shift_stack(st, e, callee, base)
        case _:
            return resolution.failed(st, e.arguments, _no_method(st, callee, base))


def _no_method(st: State, callee: ast.Member, base: Ty) -> Ty:
    known: list[str] = []
    match base:
        case t.Header():
            known = list(_HEADER_METHODS + SIZE_METHODS)
        case t.HeaderUnion():
            known = ["isValid", *SIZE_METHODS]
        case t.Stack():
            known = list((_STACK_METHODS if is_header_stack(base) else ()) + SIZE_METHODS)
        case t.Table() | t.ParserType() | t.ControlType():
            known = ["apply"]
    return st.error(callee, f"{show(base)} has no method '{callee.name}'{suggestion(callee.name, known)}")


def _type_call(st: State, e: ast.Call, callee: ast.Member, of_type: Ty, hint: Ty | None) -> Ty:
    match of_type:
        case t.Unknown():
            return resolution.failed(st, e.arguments)
        case t.ParserType() | t.ControlType() if callee.name == "apply":
            if isinstance(of_type.declaration, ast.ParserTypeDeclaration | ast.ControlTypeDeclaration):
                st.error(callee, f"{show(of_type)} is only a type, it has no body to apply")
                return resolution.failed(st, e.arguments)
            if of_type.declaration.constructor_parameters:
                st.error(callee, f"{show(of_type)} has constructor parameters, it needs an instantiation to be applied")
                return resolution.failed(st, e.arguments)
            return _block_apply(st, e, callee, of_type, None, hint)
        case _ if callee.name in SIZE_METHODS:
            return _size(st, e, callee, of_type)
        case _:
            return resolution.failed(
                st, e.arguments, st.error(callee, f"type {show(of_type)} has no method '{callee.name}'")
            )


def builtin(st: State, e: ast.Call, callee: ast.Member, name: str, receiver: ast.Expression | None) -> None:
    """Record a call of a method that the language brings."""
    st.checked.types[callee] = t.Callable((name,))
    values = tuple(a.value for a in e.arguments)
    st.checked.calls[e] = ResolvedCall(name, (), values, {}, receiver)


def _no_arguments(st: State, e: ast.Call, callee: ast.Member) -> bool:
    if e.arguments or e.type_arguments:
        st.error(e.arguments[0] if e.arguments else callee, f"'{callee.name}' takes no arguments")
        return False
    return True


def _size(st: State, e: ast.Call, callee: ast.Member, base: Ty) -> Ty:
    if not _no_arguments(st, e, callee):
        return resolution.failed(st, e.arguments, INT)
    builtin(st, e, callee, f"header.{callee.name}", callee.base)
    if mentions(base, t.TypeVariable):
        st.static.add(e)
        return INT
    bits = bit_size(base, largest=callee.name.startswith("max"))
    if bits is None:
        return st.error(callee, f"{show(base)} has no size in a packet")
    st.set_value(e, bits if callee.name.endswith("Bits") else (bits + 7) // 8)
    return INT


def _validity(st: State, e: ast.Call, callee: ast.Member) -> Ty:
    good = _no_arguments(st, e, callee)
    if not good:
        resolution.failed(st, e.arguments)
    builtin(st, e, callee, f"header.{callee.name}", callee.base)
    if callee.name == "isValid":
        return BOOL
    lvalues.check_lvalue(st, callee.base, f"'{callee.name}'")
    return VOID


def _shift_stack(st: State, e: ast.Call, callee: ast.Member, base: t.Stack) -> Ty:
    """push_front(n), pop_front(n): n known at compile time and positive (spec 8.18)."""
    lvalues.check_lvalue(st, callee.base, f"'{callee.name}'")
    if st.context.place is Place.STATE:
        st.error(callee, f"'{callee.name}' is not for parsers, which have 'next' and 'last'")
    if len(e.arguments) != 1:
        return resolution.failed(
            st, e.arguments, st.error(callee, f"'{callee.name}' takes 1 argument, {len(e.arguments)} given")
        )
    count = e.arguments[0].value
    if count is None or isinstance(count, ast.DontCare):
        return st.error(e.arguments[0], f"'_' cannot be the argument of '{callee.name}'")
    ty = walk.infer(st, count)
    builtin(st, e, callee, f"stack.{callee.name}", callee.base)
    if isinstance(ty, t.Unknown):
        return VOID
    if not isinstance(ty, t.Integer | t.Bit):
        casts.coerce(st, count, ty, INT, f"argument of '{callee.name}'")
    elif count not in st.static:
        st.error(count, f"the argument of '{callee.name}' must be known at compile time")
    elif (value := st.int_value(count)) is not None and value < 0:
        st.error(count, f"the argument of '{callee.name}' cannot be negative ({value})")
    return VOID


def _table_apply(st: State, e: ast.Call, callee: ast.Member, base: t.Table) -> Ty:
    places.check_table_apply(st, callee, base.declaration)
    if not _no_arguments(st, e, callee):
        resolution.failed(st, e.arguments)
    builtin(st, e, callee, "table.apply", callee.base)
    return t.ApplyResult(base.declaration)


def _block_apply(
    st: State, e: ast.Call, callee: ast.Member, base: t.ParserType | t.ControlType,
    receiver: ast.Expression | None, hint: Ty | None,
) -> Ty:  # fmt: skip
    kind = "parser.apply" if isinstance(base, t.ParserType) else "control.apply"
    declaration = base.declaration
    st.checked.types[callee] = t.Callable((kind,))
    if not places.block_apply_allowed(st, callee, base):
        return resolution.failed(st, e.arguments, VOID)
    bound = bind(declaration.name, declaration.parameters, e.arguments)
    if isinstance(bound, Misfit):
        resolution.misfit(st, callee, bound, e.arguments, declaration)
        return VOID
    open_type = receiver is None and not _written(callee.base)
    given = {} if open_type else dict(zip(declaration.type_parameters, base.arguments, strict=False))
    own = declaration.type_parameters if open_type else ()
    signature = Signature(declaration.name, kind, own, declaration.parameters, VOID, given, declared=declaration)
    resolution.resolve(st, e, callee, signature, bound, e.type_arguments, hint, receiver)
    return VOID


def _written(base: ast.Expression) -> bool:
    return isinstance(base, ast.TypeExpression) and isinstance(base.type, ast.SpecializedType)


def extern_method(st: State, e: ast.Call, callee: ast.Member, base: t.Extern, hint: Ty | None) -> Ty:
    declaration = base.declaration
    named = [(m, m.parameters) for m in declaration.methods if m.name == callee.name and m.result is not None]
    if not named:
        names = [m.name for m in declaration.methods if m.result is not None]
        message = f"{show(base)} has no method '{callee.name}'{suggestion(callee.name, names)}"
        return resolution.failed(st, e.arguments, st.error(callee, message, (declaration, "declared here")))
    st.checked.types[callee] = t.Callable(tuple(m for m, _ in named))
    chosen = choose(callee.name, named, e.arguments)
    if isinstance(chosen, Misfit):
        return resolution.misfit(st, callee, chosen, e.arguments, named[0][0] if len(named) == 1 else None)
    method, bound = chosen
    given = dict(zip(declaration.type_parameters, base.arguments, strict=False))
    assert method.result is not None
    result = st.checked.type_refs.get(method.result, UNKNOWN)
    signature = Signature(
        callee.name, method, method.type_parameters, method.parameters, result, given, False, declared=method
    )
    ty = resolution.resolve(st, e, callee, signature, bound, e.type_arguments, hint, callee.base)
    if declaration.name in ("packet_in", "packet_out"):
        packets.check(st, e, callee, declaration.name)
    return ty
