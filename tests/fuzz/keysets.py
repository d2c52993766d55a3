"""Random key sets: of select cases, of tables' entries."""

from __future__ import annotations

from scope import BOOL, Scope, Type


def keyset(scope: Scope, type_: Type, kind: str) -> str:
    """A key for a match kind; "any" is `_`."""
    if kind == "any" or (kind != "exact" and scope.chance(0.15)):
        return "_"
    if kind == "exact" and type_.members:  # by its name: the number of a member would be the same key again
        return scope.random.choice(type_.members)
    if type_ == BOOL or not type_.numeric:
        return scope.literal(type_)
    if type_.kind == "int":
        return scope.literal(type_)
    value, other = scope.value(type_.width), scope.value(type_.width)
    if kind == "ternary" and scope.chance(0.8):
        return f"{value:#x} &&& {other:#x}"
    if kind == "range" and scope.chance(0.8):
        return f"{min(value, other)} .. {max(value, other)}"
    if kind == "lpm" and scope.chance(0.8):
        length = scope.random.randint(0, type_.width)
        prefix = ((1 << length) - 1) << (type_.width - length)
        return f"{value & prefix:#x} &&& {prefix:#x}"
    return f"{value:#x}"
