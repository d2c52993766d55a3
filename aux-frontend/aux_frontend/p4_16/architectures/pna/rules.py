"""PNA: tables that the data plane adds entries to, mirroring, and objects of tables (PNA specification 0.7, section 6)."""

from __future__ import annotations

from aux_frontend.p4_16 import ast
from aux_frontend.p4_16.architectures import direct
from aux_frontend.p4_16.architectures.portable import properties
from aux_frontend.p4_16.architectures.uses import ExternCall, Uses
from aux_frontend.p4_16.checker.state import State

_PROPERTIES = properties.objects("pna")
_EXPIRY = ("set_entry_expire_time", "restart_expire_timer")
_MAIN_CONTROL = "main_control"  # the parameter of PNA_NIC


def check(st: State, uses: Uses) -> None:
    direct.check(st, uses, _PROPERTIES)
    for table in uses.tables:
        _exact_when_added(st, table)
    for call in uses.extern_calls:
        target = call.call.target
        name = target.name if isinstance(target, ast.FunctionPrototype) else None
        if name == "add_entry":
            _add_entry(st, uses, call)
        elif name in _EXPIRY:
            _expiry(st, uses, call, name)
        elif name == "mirror_packet":
            _mirror(st, uses, call)


def _flag(st: State, table: ast.TableDeclaration, name: str) -> bool:
    return any(item.name == name and st.value(item.value) is True for item in table.properties)


def _exact_when_added(st: State, table: ast.TableDeclaration) -> None:
    if not _flag(st, table, "add_on_miss"):
        return
    for key in table.keys or ():
        if key.match_kind.text != "exact":
            message = f"keys of table '{table.name}' must be exact, since packets add entries to it (add_on_miss)"
            st.error(key.match_kind, message)


def _tables(uses: Uses, call: ExternCall) -> list[tuple[ast.TableDeclaration, ast.ActionRef]]:
    return uses.tables_of.get(call.owner, []) if isinstance(call.owner, ast.ActionDeclaration) else []


def _add_entry(st: State, uses: Uses, call: ExternCall) -> None:
    """Only the default action of a table with add_on_miss adds an entry, with a hit action of the same table."""
    tables = _tables(uses, call)
    if not tables:
        st.error(call.at, "'add_entry' can only be called in the default action of a table with add_on_miss = true")
    for table, ref in tables:
        if not _flag(st, table, "add_on_miss"):
            st.error(call.at, f"'add_entry' needs add_on_miss = true in table '{table.name}'", (table, "the table"))
        elif not _is_default(st, table, call.owner):
            message = (
                f"'add_entry' can only be called in the default action, table '{table.name}' has this one for hits"
            )
            st.error(call.at, message, (ref.expression, "the table's action"))
        else:
            _added_action(st, table, call)


def _is_default(st: State, table: ast.TableDeclaration, action: ast.Declaration) -> bool:
    if table.default_action is None:
        return False
    expression = table.default_action.expression
    path = expression.callee if isinstance(expression, ast.Call) else expression
    return st.checked.declarations.get(path) is action


def _added_action(st: State, table: ast.TableDeclaration, call: ExternCall) -> None:
    argument = call.call.arguments[0]
    name = st.value(argument) if argument is not None else None
    if argument is None or not isinstance(name, str):
        return
    for ref in table.actions or ():
        path = ref.expression.callee if isinstance(ref.expression, ast.Call) else ref.expression
        if isinstance(path, ast.Path) and path.name == name:
            if any(a.name == "defaultonly" for a in ref.annotations):
                st.error(argument, f"action '{name}' is @defaultonly, no entry can have it", (path, "listed here"))
            return
    st.error(argument, f"table '{table.name}' has no action '{name}'", (table, "the table"))


def _expiry(st: State, uses: Uses, call: ExternCall, name: str) -> None:
    """Only an entry that was hit has a time to live, and only in tables whose entries time out."""
    needed = "pna_idle_timeout, or idle_timeout_with_auto_delete = true,"
    tables = _tables(uses, call)
    if not tables:
        st.error(call.at, f"'{name}' can only be called in actions of tables with {needed[:-1]}")
    for table, _ in tables:
        if not _flag(st, table, "idle_timeout_with_auto_delete") and not _times_out(st, table):
            st.error(call.at, f"'{name}' needs {needed} in table '{table.name}'", (table, "the table"))


def _times_out(st: State, table: ast.TableDeclaration) -> bool:
    asked = (item.value for item in table.properties if item.name == "pna_idle_timeout")
    return any(isinstance(value, ast.Member) and value.name != "NO_TIMEOUT" for value in asked)


def _mirror(st: State, uses: Uses, call: ExternCall) -> None:
    """Packets are mirrored in the main control only, through a slot that the compiler knows."""
    for parameter, value in zip(call.call.parameters, call.call.arguments, strict=True):
        if parameter.name == "mirror_slot_id" and value is not None and value not in st.static:
            st.error(value, "the slot of 'mirror_packet' must be known at compile time")
    owner: ast.Declaration | None = call.owner
    if not isinstance(owner, ast.ControlDeclaration):
        return
    parameters = st.checked.calls[uses.main].parameters
    for parameter, argument in zip(parameters, st.checked.calls[uses.main].arguments, strict=True):
        made = st.checked.calls.get(argument) if isinstance(argument, ast.Call) else None
        if made is not None and made.target is owner and parameter.name != _MAIN_CONTROL:
            st.error(call.at, f"'mirror_packet' can only be called in the main control, '{owner.name}' is another")
