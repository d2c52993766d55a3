"""Actions as tables use them: in the action list with their directed arguments, elsewhere with all (P4-16 spec 14.2.1.2, .3)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from aux_frontend.p4_16 import ast, types as t
from aux_frontend.p4_16.checked import ResolvedCall
from aux_frontend.p4_16.checker import arguments, resolution, walk
from aux_frontend.p4_16.checker.binding import Bound, Misfit, bind
from aux_frontend.p4_16.checker.scope import suggestion
from aux_frontend.p4_16.checker.signature import Signature
from aux_frontend.p4_16.checker.state import UNKNOWN, State
from aux_frontend.p4_16.checker.uses import children


def path_of(ref: ast.ActionRef) -> ast.Path | None:
    callee = ref.expression.callee if isinstance(ref.expression, ast.Call) else ref.expression
    return callee if isinstance(callee, ast.Path) else None


def _arguments(ref: ast.ActionRef) -> tuple[ast.Argument, ...]:
    return ref.expression.arguments if isinstance(ref.expression, ast.Call) else ()


def _find(st: State, ref: ast.ActionRef) -> ast.ActionDeclaration | None:
    path = path_of(ref)
    if path is None:
        st.error(ref.expression, "the name of an action is expected here")
        return None
    scope = st.scope.root() if path.absolute else st.scope
    found = scope.find(path.name, types=False)
    if not found:
        names = [n for n in scope.visible(types=False) if isinstance(scope.find(n)[-1], ast.ActionDeclaration)]
        st.undeclared(path, path.name, f"action '{path.name}'", suggestion(path.name, names))
        return None
    action = found[-1]
    if not isinstance(action, ast.ActionDeclaration):
        st.error(path, f"'{path.name}' is not an action", (action, "declared here"))
        return None
    st.checked.declarations[path] = action
    st.checked.types[path] = t.Callable((action,))
    st.used.add(action)
    return action


def declare(st: State, ref: ast.ActionRef) -> ast.ActionDeclaration | None:
    """An element of the action list: arguments for the parameters with a direction, and only for those."""
    action = _find(st, ref)
    if action is None:
        resolution.failed(st, _arguments(ref))
        return None
    directed = tuple(p for p in action.parameters if p.direction)
    bound = bind(action.name, directed, _arguments(ref))
    if isinstance(bound, Misfit):
        reason = bound.text
        if len(_arguments(ref)) > len(directed):
            reason = f"{bound.text}; the arguments without direction come with the entries"
        resolution.misfit(st, path_of(ref) or ref, Misfit(reason, bound.at), _arguments(ref), action)
        return action
    given = dict(zip(directed, bound, strict=True))
    _check(st, ref, action, given, tuple(given.get(p) for p in action.parameters))
    return action


def use(
    st: State, table: ast.TableDeclaration, ref: ast.ActionRef, listed: Mapping[str, ast.ActionRef], what: str
) -> None:
    """A default action or the action of an entry: one of the list, directed arguments as there, all others given."""
    action = _find(st, ref)
    if action is None:
        resolution.failed(st, _arguments(ref))
        return
    path = path_of(ref)
    assert path is not None
    source = listed.get(path.name)
    if source is None or st.checked.declarations.get(path_of(source) or path) is not action:
        if table.actions is not None:
            near = suggestion(path.name, list(listed))
            st.error(
                path,
                f"{what} '{path.name}' is not among the actions of table '{table.name}'{near}",
                (table, "the table"),
            )
        resolution.failed(st, _arguments(ref))
        return
    _allowed(st, ref, path, source, what)
    bound = _bind_all(st, ref, action, source)
    if bound is None:
        return
    _check(st, ref, action, dict(zip(action.parameters, bound, strict=True)), bound)
    for parameter, argument in zip(action.parameters, bound, strict=True):
        if not parameter.direction and argument is not None and argument.value is not None:
            value = argument.value
            if value not in st.static and not isinstance(st.checked.types.get(value), t.Unknown):
                st.error(value, f"{what}: argument '{parameter.name}' must be known at compile time")
    _same_directed(st, action, bound, source, what)


def _allowed(st: State, ref: ast.ActionRef, path: ast.Path, source: ast.ActionRef, what: str) -> None:
    """@tableonly actions are no default actions, @defaultonly ones are nothing else (spec 14.2.1.2)."""
    names = {a.name for a in source.annotations}
    if what == "entry" and "defaultonly" in names:
        st.error(
            path,
            f"action '{path.name}' is @defaultonly, it cannot be used in an entry",
            (source.expression, "listed here"),
        )
    if what != "entry" and "tableonly" in names:
        st.error(
            path,
            f"action '{path.name}' is @tableonly, it cannot be the default action",
            (source.expression, "listed here"),
        )


def _bind_all(st: State, ref: ast.ActionRef, action: ast.ActionDeclaration, source: ast.ActionRef) -> Bound | None:
    """All arguments in the order of the parameters; the directed ones may be left to the action list."""
    given = _arguments(ref)
    undirected = tuple(p for p in action.parameters if not p.direction)
    bound = bind(action.name, action.parameters, given)
    if not isinstance(bound, Misfit):
        return bound
    if len(undirected) < len(action.parameters):
        short = bind(action.name, undirected, given)
        if not isinstance(short, Misfit):
            own = dict(zip(undirected, short, strict=True))
            calls_source = _arguments(source)
            directed = tuple(p for p in action.parameters if p.direction)
            from_list = bind(action.name, directed, calls_source)
            if not isinstance(from_list, Misfit):
                own |= dict(zip(directed, from_list, strict=True))
                return tuple(own.get(p) for p in action.parameters)
    resolution.misfit(st, path_of(ref) or ref, bound, given, action)
    return None


def _check(
    st: State, ref: ast.ActionRef, action: ast.ActionDeclaration,
    given: Mapping[ast.Parameter, ast.Argument | None], bound: Sequence[ast.Argument | None],
) -> None:  # fmt: skip
    values: list[ast.Expression | None] = []
    signature = Signature(action.name, action, (), action.parameters, t.Void(), compile_time=False, declared=action)
    for parameter, argument in zip(action.parameters, bound, strict=True):
        if argument is None:
            values.append(parameter.default if parameter in given else None)
            continue
        value = argument.value
        if value is None or isinstance(value, ast.DontCare):
            st.error(argument, "'_' cannot be an argument of an action here")
            values.append(None)
            continue
        wanted = st.value_types.get(parameter, UNKNOWN)
        arguments.check_one(st, signature, parameter, value, walk.infer(st, value, wanted), wanted)
        values.append(value)
    if isinstance(ref.expression, ast.Call):
        st.checked.types[ref.expression] = t.Void()
        st.checked.calls[ref.expression] = ResolvedCall(
            action, action.parameters, tuple(values), {}, order=arguments.order_of(ref.expression, tuple(bound))
        )


def _same_directed(
    st: State, action: ast.ActionDeclaration, bound: Sequence[ast.Argument | None], source: ast.ActionRef, what: str
) -> None:
    directed = [p for p in action.parameters if p.direction]
    in_list = bind(action.name, directed, _arguments(source))
    if isinstance(in_list, Misfit):
        return
    here = [a for p, a in zip(action.parameters, bound, strict=True) if p.direction]
    for parameter, one, other in zip(directed, here, in_list, strict=True):
        if one is None or other is None or one.value is None or other.value is None or one is other:
            continue
        if not _equal(st, one.value, other.value):
            st.error(
                one.value,
                f"{what}: argument '{parameter.name}' must be the same as in the action list",
                (other, "there"),
            )


def _equal(st: State, left: ast.Expression, right: ast.Expression) -> bool:
    """Whether two expressions are written alike."""
    if st.value(left) is not None or st.value(right) is not None:
        return st.value(left) == st.value(right)
    if type(left) is not type(right):
        return False
    if isinstance(left, ast.Call) and isinstance(right, ast.Call):
        own, other = [a.value for a in left.arguments], [a.value for a in right.arguments]
        pairs = [(left.callee, right.callee), *zip(own, other, strict=False)]
        return len(own) == len(other) and all(a is not None and b is not None and _equal(st, a, b) for a, b in pairs)
    if isinstance(left, ast.StructExpression) and isinstance(right, ast.StructExpression):
        fields = {f.name: f.value for f in right.fields}
        return fields.keys() == {f.name for f in left.fields} and all(
            _equal(st, f.value, fields[f.name]) for f in left.fields
        )
    if _label(left) != _label(right):
        return False
    parts, others = children(left), children(right)
    return len(parts) == len(others) and all(_equal(st, a, b) for a, b in zip(parts, others, strict=True))


def _label(e: ast.Expression) -> str | tuple[str, bool] | None:
    """What an expression has beside its parts: a name, an operator; None when it has nothing."""
    match e:
        case ast.Path():
            return e.name, e.absolute
        case ast.Member():
            return e.name
        case ast.UnaryExpression() | ast.BinaryExpression():
            return e.operator
        case _:
            return None
