"""Objects that belong to a table: direct counters and meters, action profiles and selectors, named by table properties.

v1model.p4; PSA specification 1.2, sections 7.3, 7.7 and 7.8; PNA specification 0.7, section 6. A direct object belongs to one
table, and only actions of that table may use it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from aux_frontend.p4_16 import ast, types as t
from aux_frontend.p4_16.architectures.uses import ExternCall, Uses
from aux_frontend.p4_16.checker.state import State


@dataclass(frozen=True, slots=True)
class Properties:
    """The table properties of an architecture that name objects.

    direct: property → the extern it wants, one object for each table. shared: the same for objects that tables may share.
    """

    direct: Mapping[str, tuple[str, ...]]
    shared: Mapping[str, tuple[str, ...]]


def check(st: State, uses: Uses, properties: Properties) -> None:
    owners: dict[ast.Declaration, ast.TableDeclaration] = {}
    for table in uses.tables:
        for item in table.properties:
            for value in _values(item, item.name in properties.direct):
                wanted = properties.direct.get(item.name) or properties.shared.get(item.name)
                if wanted is None or not _is_object(st, item, value, wanted) or item.name not in properties.direct:
                    continue
                instance = st.checked.declarations.get(value)
                if instance is not None:
                    _one_table(st, table, value, instance, owners)
    kinds = {extern for wanted in properties.direct.values() for extern in wanted}
    for call in uses.extern_calls:
        instance = _receiver(st, call, kinds)
        if instance is not None:
            _in_own_action(st, uses, call, instance, owners.get(instance))


def _values(item: ast.TableProperty, several: bool) -> tuple[ast.Expression, ...]:
    return item.value.items if several and isinstance(item.value, ast.ListExpression) else (item.value,)


def _is_object(st: State, item: ast.TableProperty, value: ast.Expression, wanted: tuple[str, ...]) -> bool:
    ty = st.checked.types.get(value)
    if isinstance(ty, t.Unknown):
        return False
    if isinstance(ty, t.Extern) and ty.declaration.name in wanted:
        return True
    what = " or ".join(f"'{name}'" for name in wanted)
    declared = st.checked.declarations.get(value)
    notes = ((declared, "declared here"),) if declared is not None else ()
    st.error(value, f"property '{item.name}' must be an object of {what}", *notes)
    return False


def _one_table(
    st: State, table: ast.TableDeclaration, value: ast.Expression, instance: ast.Declaration,
    owners: dict[ast.Declaration, ast.TableDeclaration],
) -> None:  # fmt: skip
    other = owners.setdefault(instance, table)
    if other is not table:
        st.error(value, f"'{instance.name}' belongs to table '{other.name}' already", (other, "that table"))


def _receiver(st: State, call: ExternCall, kinds: set[str]) -> ast.Declaration | None:
    """The object of a direct extern whose method is called."""
    receiver = call.call.receiver
    ty = st.checked.types.get(receiver) if receiver is not None else None
    if receiver is None or not isinstance(ty, t.Extern) or ty.declaration.name not in kinds:
        return None
    instance = st.checked.declarations.get(receiver)
    return instance if isinstance(instance, ast.Instantiation) else None


def _in_own_action(
    st: State, uses: Uses, call: ExternCall, instance: ast.Declaration, owner: ast.TableDeclaration | None
) -> None:
    if owner is None:
        message = f"'{instance.name}' belongs to no table, so this has no effect"
        st.warn(call.at, "unused", message, (instance, "declared here"))
        return
    if not isinstance(call.owner, ast.ActionDeclaration):
        note = (owner, "the table")
        st.error(call.at, f"'{instance.name}' can only be used in actions of table '{owner.name}', its own", note)
        return
    for table, ref in uses.tables_of.get(call.owner, ()):
        if table is not owner:
            st.error(
                call.at,
                f"'{instance.name}' belongs to table '{owner.name}', but table '{table.name}' has this action too",
                (owner, "its own table"),
                (ref.expression, "the other table's action"),
            )
            return
