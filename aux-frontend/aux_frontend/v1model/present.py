"""Hashes and checksums over fields of headers that may be invalid: v1model leaves these fields out, as BMv2 does.

    hash(r, …, { hdr.ip.src, hdr.tcp.port }, …)   →   if (hdr.ip.isValid()) { if (hdr.tcp.isValid()) { r = hash of both } …

A variant for each case has a list of known length, which the compiler makes the most of. They double with each header: of
more headers than a few there is one list, of parts that are in it only where their header is valid:

    r = hash of { hdr.ip.isValid() ? { hdr.ip.src } : {}, hdr.tcp.isValid() ? { hdr.tcp.port } : {}, … }

Source: BMv2's BufBuilder (src/bm_sim/calculations.cpp), P4-14 1.0.5 section 3. P4-16 leaves it open.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from itertools import groupby

from transpiler.diagnostics import Span
from transpiler.hlir import expressions as ex, statements as st
from transpiler.hlir.printer import header_place
from transpiler.hlir.types import width_of

How = tuple[str, str, str | None]  # method, algorithm, instance
FEW = 3  # headers of which each case has a variant


def computed(
    method: str,
    algorithm: str,
    data: ex.ListExpression,
    target: ex.VariableRef,
    valid: Collection[str],
    span: Span,
    instance: str | None = None,
) -> st.Body:
    """target = the hash of what is there. `valid`: the headers that are known to be; `instance`: of a custom CRC."""
    if instance is not None:
        method = method.replace("hash.", "custom_crc.")
    how = (method, algorithm, instance)
    headers = {
        name: header for header in map(header_of, data.items) if header and (name := header_place(header)) not in valid
    }
    if len(headers) > FEW:
        return _call(how, tuple(_parts(data.items, headers, span)), target, span)
    return _variants(how, data.items, tuple(headers.items()), target, span)


def header_of(value: ex.Expression) -> ex.HeaderPlace | None:
    """The header whose field a value is, if it is one. A field that is read as a number of the other sign is one."""
    match value:
        case ex.Read(place=ex.FieldRef(header=header)):
            return header
        case ex.Cast(operand=ex.Read() as read, type=type_) if width_of(read.type) == width_of(type_):
            return header_of(read)
    return None


def _name_of(value: ex.Expression) -> str | None:
    header = header_of(value)
    return header_place(header) if header is not None else None


def _call(how: How, items: tuple[ex.Expression, ...], target: ex.VariableRef, span: Span) -> st.Body:
    method, algorithm, instance = how
    listed = ex.ListExpression(items, span)
    inputs = (listed,) if instance is not None else (ex.Text(algorithm, span), listed)
    return (st.CallExtern(method, instance, inputs, (target,), span),)


def _variants(
    how: How,
    items: tuple[ex.Expression, ...],
    headers: tuple[tuple[str, ex.HeaderPlace], ...],
    target: ex.VariableRef,
    span: Span,
) -> st.Body:
    if not headers:
        return _call(how, items, target, span)
    (name, header), *others = headers
    without = tuple(item for item in items if _name_of(item) != name)
    there, missing = (_variants(how, of, tuple(others), target, span) for of in (items, without))
    return (st.If(ex.IsValid(header, span), there, missing, span),)


def _parts(items: tuple[ex.Expression, ...], headers: dict[str, ex.HeaderPlace], span: Span) -> Iterator[ex.Expression]:
    """The items; those of a header side by side together, where it is valid."""
    for name, group in groupby(items, _name_of):
        together = tuple(group)
        if name not in headers:
            yield from together
            continue
        part = ex.ListExpression(together, span)
        yield ex.Conditional(ex.IsValid(headers[name], span), part, ex.ListExpression((), span), part.type, span)


def valid_where(condition: ex.Expression | None) -> frozenset[str]:
    """The headers that are valid where a condition holds."""
    match condition:
        case ex.IsValid(header=header):
            return frozenset({header_place(header)})
        case ex.Binary(op=ex.BinaryOp.LAND, left=left, right=right):
            return valid_where(left) | valid_where(right)
    return frozenset()
