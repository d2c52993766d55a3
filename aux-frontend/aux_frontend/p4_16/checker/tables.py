"""Tables: keys, actions, default action, properties (P4-16 spec 14.2)."""

from __future__ import annotations

from collections.abc import Callable

from aux_frontend.p4_16 import ast, types as t
from aux_frontend.p4_16.checker import actionrefs, annotation, entries, expressions, lvalues, walk
from aux_frontend.p4_16.checker.scope import suggestion
from aux_frontend.p4_16.checker.state import Place, State
from aux_frontend.p4_16.checker.typeops import show
from aux_frontend.p4_16.checker.typerefs import show_int
from aux_frontend.p4_16.types import Ty
from transpiler.hlir.program import MAX_SIZE

# Properties of the specification and of the architectures; another name is allowed but probably a slip.
_KNOWN_PROPERTIES = (
    "size", "implementation", "counters", "meters", "support_timeout", "largest_priority_wins", "priority_delta",
    "psa_implementation", "psa_direct_counter", "psa_direct_meter", "psa_idle_timeout", "psa_empty_group_action",
    "pna_implementation", "pna_direct_counter", "pna_direct_meter", "pna_idle_timeout", "pna_empty_group_action",
    "add_on_miss", "idle_timeout_with_auto_delete", "default_idle_timeout_for_data_plane_added_entries",
    "tc_may_override", "tc_acl",
)  # fmt: skip


def table(st: State, d: ast.TableDeclaration) -> None:
    annotation.check(st, d.annotations)
    st.value_types[d] = t.Table(d)
    st.open_declarations.add(d)
    with st.placed(Place.TABLE):
        with st.placed(Place.KEY):
            keys = tuple(_key(st, d, key) for key in d.keys or ())
        actions = _actions(st, d)
        if d.default_action is not None:
            annotation.check(st, d.default_action.annotations)
            actionrefs.use(st, d, d.default_action, actions, "default action")
        elif d.actions is not None:
            _no_action(st, d)
        seen: dict[str, ast.TableProperty] = {}
        for item in d.properties:
            if item.name in seen:
                st.error(item, f"property '{item.name}' is given twice", (seen[item.name], "the first one"))
            seen[item.name] = item
            _property(st, d, item)
        entries.check(st, d, keys, actions)
    st.open_declarations.discard(d)
    st.declare(d)


def _key(st: State, d: ast.TableDeclaration, key: ast.KeyElement) -> Ty:
    annotation.check(st, key.annotations)
    kind = key.match_kind.text
    if kind not in st.match_kind_declarations:
        near = suggestion(kind, list(st.match_kind_declarations))
        st.error(key.match_kind, f"match kind '{kind}' is not declared{near}")
    else:
        st.checked.declarations[key.match_kind] = st.match_kind_declarations[kind]
    ty = walk.infer(st, key.expression)
    _not_itself(st, d, key.expression)
    if not _is_simple(st, key.expression) and not any(a.name == "name" for a in key.annotations):
        message = "table key: the control plane needs a name for this expression, give one with @name"
        st.error(key.expression, message)
    if isinstance(ty, t.Integer):
        return st.error(key.expression, "table key: an 'int' needs a width here, as in 8w1")
    if not _matchable(ty):
        return st.error(key.expression, f"table key: {show(ty)} cannot be matched")
    return ty


def _not_itself(st: State, d: ast.TableDeclaration, e: ast.Expression) -> None:
    """Within a table its own name hides other declarations of that name."""
    path = lvalues.root(e)
    hidden = st.checked.declarations.get(path) if path is not None and not path.absolute else None
    if path is not None and path.name == d.name and hidden is not None:
        st.error(path, f"'{d.name}' is the table itself here", (d, "the table"), (hidden, "hidden by the table's name"))


def _is_simple(st: State, e: ast.Expression) -> bool:
    """Whether a key has a name of its own for the control plane: a field, a slice or mask of one, x.isValid() (spec 20.1.3)."""
    match e:
        case ast.Path() | ast.TypeExpression():
            return True
        case ast.Member():
            return _is_simple(st, e.base)
        case ast.Index():
            return _is_simple(st, e.base)
        case ast.SliceExpression():
            return _is_simple(st, e.base)
        case ast.BinaryExpression(operator="&"):
            return (st.value(e.right) is not None and _is_simple(st, e.left)) or (
                st.value(e.left) is not None and _is_simple(st, e.right)
            )
        case ast.Call():
            return not e.arguments and _is_simple(st, e.callee)
        case _:
            return isinstance(st.checked.types.get(e), t.Unknown) or st.value(e) is not None


def _matchable(ty: Ty) -> bool:
    return isinstance(ty, t.Bit | t.Varbit | t.Bool | t.Enum | t.Error | t.NewType | t.TypeVariable | t.Unknown)


def _actions(st: State, d: ast.TableDeclaration) -> dict[str, ast.ActionRef]:
    """The action list: name → its first entry."""
    if d.actions is None:
        st.error(d, f"table '{d.name}' has no 'actions'")
    result: dict[str, ast.ActionRef] = {}
    seen: dict[ast.Declaration, ast.ActionRef] = {}
    for ref in d.actions or ():
        annotation.check(st, ref.annotations)
        action = actionrefs.declare(st, ref)
        path = actionrefs.path_of(ref)
        if path is None:
            continue
        if action is not None and action in seen:
            st.error(ref.expression, f"action '{action.name}' is listed twice", (seen[action], "the first one"))
        elif action is not None:
            seen[action] = ref
        result.setdefault(path.name, ref)
    return result


def _no_action(st: State, d: ast.TableDeclaration) -> None:
    """A table without default action has NoAction of core.p4 (spec 14.2.1.3)."""
    found = st.scope.root().find("NoAction", types=False)
    declared = found[-1] if found else None
    if not isinstance(declared, ast.ActionDeclaration) or declared.parameters:
        what = "is not declared" if declared is None else "is not an action without parameters"
        notes = ((declared, "declared here"),) if declared is not None else ()
        message = f"table '{d.name}' has no default_action, and NoAction, which it then has, {what}; include core.p4"
        st.error(d, message, *notes)


def _property(st: State, d: ast.TableDeclaration, item: ast.TableProperty) -> None:
    annotation.check(st, item.annotations)
    rule = _RULES.get(item.name)
    if rule is not None:
        rule(st, d, item)
        return
    if item.name not in _KNOWN_PROPERTIES:
        near = suggestion(item.name, [*_KNOWN_PROPERTIES, "key", "actions", "entries", "default_action"])
        st.warn(item, "property", f"unknown table property '{item.name}'{near}")
    walk.infer(st, item.value)


def _size(st: State, d: ast.TableDeclaration, item: ast.TableProperty) -> None:
    value = _constant_int(st, item)
    if value is not None and not 0 <= value <= MAX_SIZE:
        st.error(item.value, f"property '{item.name}' is {show_int(value)}, not in 0..{MAX_SIZE}")


def _constant_int(st: State, item: ast.TableProperty) -> int | None:
    ty = walk.infer(st, item.value)
    if isinstance(ty, t.Unknown):
        return None
    if not isinstance(ty, t.Integer | t.Bit):
        st.error(item.value, f"property '{item.name}' must be a number, not {show(ty)}")
    elif item.value not in st.static:
        st.error(item.value, f"property '{item.name}' must be known at compile time")
    else:
        return st.int_value(item.value)
    return None


def _priority_delta(st: State, d: ast.TableDeclaration, item: ast.TableProperty) -> None:
    value = _constant_int(st, item)
    if value is not None and value <= 0:
        st.error(item.value, f"property 'priority_delta' must be positive, not {value}")


def _largest_wins(st: State, d: ast.TableDeclaration, item: ast.TableProperty) -> None:
    expressions.check_static(st, item.value, t.Bool(), f"property '{item.name}'")


_RULES: dict[str, Callable[[State, ast.TableDeclaration, ast.TableProperty], None]] = {
    "size": _size,
    "priority_delta": _priority_delta,
    "largest_priority_wins": _largest_wins,
}
