"""Hashes and checksums over fields of headers that may be invalid: v1model leaves these fields out, as BMv2 does.

    hash(r, …, { hdr.ip.src, hdr.tcp.port }, …)   →   if (hdr.ip.isValid()) { if (hdr.tcp.isValid()) { r = hash of both } …

Source: BMv2's BufBuilder (src/bm_sim/calculations.cpp). P4-16 leaves it open.
"""

from __future__ import annotations

from transpiler.diagnostics import Span
from transpiler.hlir import expressions as ex, statements as st
from transpiler.hlir.types import Bits

MOST = 3  # headers that are looked at; each doubles the number of variants, and fields of others count as zeros


def computed(
    method: str,
    algorithm: str,
    data: ex.ListExpression,
    target: ex.VariableRef,
    condition: ex.Expression | None,
    span: Span,
) -> st.Body:
    """target = the hash of what is there. `condition`: holds here."""
    valid = valid_where(condition)
    headers = {header.name: header for item in data.items if (header := header_of(item)) and header.name not in valid}
    looked_at, others = list(headers.values())[:MOST], set(list(headers)[MOST:])
    items = tuple(_or_zero(item, span) if _belongs(item, others) else item for item in data.items)
    return _variants(method, algorithm, items, looked_at, target, span)


def header_of(value: ex.Expression) -> ex.HeaderRef | None:
    """The header whose field a value is."""
    match value:
        case ex.Read(place=ex.FieldRef(header=ex.HeaderRef() as header)):
            return header
    return None


def _variants(
    method: str,
    algorithm: str,
    items: tuple[ex.Expression, ...],
    headers: list[ex.HeaderRef],
    target: ex.VariableRef,
    span: Span,
) -> st.Body:
    if not headers:
        inputs = (ex.Text(algorithm, span), ex.ListExpression(items, span))
        return (st.CallExtern(method, None, inputs, (target,), span),)
    first, *others = headers
    without = tuple(item for item in items if not _belongs(item, {first.name}))
    there, missing = (_variants(method, algorithm, of, others, target, span) for of in (items, without))
    return (st.If(ex.IsValid(first, span), there, missing, span),)


def _belongs(item: ex.Expression, names: set[str]) -> bool:
    header = header_of(item)
    return header is not None and header.name in names


def _or_zero(item: ex.Expression, span: Span) -> ex.Expression:
    header = header_of(item)
    if header is None or not isinstance(item.type, Bits):
        return item
    return ex.Conditional(ex.IsValid(header, span), item, ex.Const(0, item.type, span), item.type, span)


def valid_where(condition: ex.Expression | None) -> set[str]:
    """The headers that are valid where a condition holds."""
    match condition:
        case ex.IsValid(header=ex.HeaderRef(name=name)):
            return {name}
        case ex.Binary(op=ex.BinaryOp.LAND, left=left, right=right):
            return valid_where(left) | valid_where(right)
    return set()
