"""Entries that a table brings: key sets that fit the match kinds, actions, priorities (P4-16 spec 14.2.1.4)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from aux_frontend.p4_16 import ast, types as t
from aux_frontend.p4_16.checker import actionrefs, annotation, keysets, walk
from aux_frontend.p4_16.checker.state import State
from aux_frontend.p4_16.checker.typeops import show
from aux_frontend.p4_16.types import Ty
from transpiler.hlir.arithmetic import ones
from transpiler.hlir.program import MAX_PRIORITY


def check(st: State, table: ast.TableDeclaration, keys: Sequence[Ty], actions: Mapping[str, ast.ActionRef]) -> None:
    if table.entries is None:
        return
    if not keys:
        if table.entries:
            st.error(
                table.entries[0], f"table '{table.name}' has no key, so it cannot have entries", (table, "the table")
            )
        return
    seen: dict[object, ast.Entry] = {}
    if table.entries and table.entries[0].priority is None and any(e.priority is not None for e in table.entries):
        st.error(table.entries[0], "the first entry needs a priority, since others have one")
    for entry in table.entries:
        st.last_span = entry.span
        annotation.check(st, entry.annotations)
        if keysets.check(st, entry.keyset, keys):
            _fits_kinds(st, table, entry)
            _constant(st, entry.keyset)
            _duplicate(st, table, entry, seen)
        _priority(st, table, entry)
        actionrefs.use(st, table, entry.action, actions, "entry")
    _derived_priorities(st, table, table.entries)


def _parts(table: ast.TableDeclaration, keyset: ast.Expression) -> list[ast.Expression]:
    count = len(table.keys or ())
    if isinstance(keyset, ast.ListExpression) and len(keyset.items) == count:
        return list(keyset.items)
    return [keyset] * count


def _fits_kinds(st: State, table: ast.TableDeclaration, entry: ast.Entry) -> None:
    for key, part in zip(table.keys or (), _parts(table, entry.keyset), strict=False):
        kind = key.match_kind.text
        name = {
            ast.MaskExpression: "a mask", ast.RangeExpression: "a range", ast.DontCare: "'_'", ast.DefaultExpression: "'default'",
        }.get(type(part))  # fmt: skip
        allowed = {
            "exact": (), "lpm": ("a mask", "'_'", "'default'"), "ternary": ("a mask", "'_'", "'default'"),
            "range": ("a range", "'_'", "'default'"), "optional": ("'_'", "'default'"),
        }.get(kind)  # fmt: skip
        if name is not None and allowed is not None and name not in allowed:
            st.error(part, f"{name} cannot be matched by a key of kind '{kind}'", (key, "the key"))
        elif kind == "lpm" and isinstance(part, ast.MaskExpression):
            _prefix(st, part)


def _prefix(st: State, part: ast.MaskExpression) -> None:
    """The mask of an lpm key is ones followed by zeros."""
    mask, ty = st.int_value(part.mask), st.checked.casts.get(part.mask, st.checked.types.get(part.mask))
    if mask is None or not isinstance(ty, t.Bit):
        return
    inverted = ~mask & ones(ty.width)
    if inverted & (inverted + 1):
        st.error(part.mask, "the mask of an lpm key must be a prefix: ones followed by zeros")


def _constant(st: State, keyset: ast.Expression) -> None:
    if keyset not in st.static:
        items = keyset.items if isinstance(keyset, ast.ListExpression) else (keyset,)
        odd = next((item for item in items if item not in st.static), keyset)
        st.error(odd, "the key set of an entry must be known at compile time")


def _duplicate(st: State, table: ast.TableDeclaration, entry: ast.Entry, seen: dict[object, ast.Entry]) -> None:
    if any(key.match_kind.text != "exact" for key in table.keys or ()):
        return
    values = tuple(st.value(part) for part in _parts(table, entry.keyset))
    if None in values:
        return
    if values in seen:
        st.error(entry.keyset, "an entry with this key is there already", (seen[values].keyset, "the first one"))
    seen.setdefault(values, entry)


def _priority(st: State, table: ast.TableDeclaration, entry: ast.Entry) -> None:
    if entry.priority is None:
        return
    ty = walk.infer(st, entry.priority)
    if isinstance(ty, t.Unknown):
        return
    if not isinstance(ty, t.Integer | t.Bit):
        st.error(entry.priority, f"a priority must be a number, not {show(ty)}")
    elif entry.priority not in st.static:
        st.error(entry.priority, "a priority must be known at compile time")
    elif (value := st.int_value(entry.priority)) is not None and value < 0:
        st.error(entry.priority, f"a priority cannot be negative ({value})")
    kinds = {key.match_kind.text for key in table.keys or ()}
    if kinds <= {"exact", "lpm"}:
        st.error(entry.priority, f"entries of table '{table.name}' have no priority: all its keys are exact or lpm")


def _derived_priorities(st: State, table: ast.TableDeclaration, entries: Sequence[ast.Entry]) -> None:
    """An entry without priority follows its predecessor at a distance of priority_delta, and may run out of numbers."""
    values = {item.name: st.value(item.value) for item in table.properties}
    step = values.get("priority_delta", 1)
    if not isinstance(step, int):
        return
    if values.get("largest_priority_wins", True):
        step = -step
    priority: int | None = None
    for entry in entries:
        if entry.priority is not None:
            priority = st.int_value(entry.priority)
        elif priority is not None:
            priority += step
        lowest = 0 if entry.priority is None else priority  # a negative one that is written has its message already
        if priority is not None and not (lowest or 0) <= priority <= MAX_PRIORITY:
            st.error(
                entry.priority or entry.keyset, f"the priority of this entry is {priority}, not in 0..{MAX_PRIORITY}"
            )
            return
