"""Random statements that call v1model's externs or write its metadata."""

from __future__ import annotations

from context import Context, production
from expressions import expression
from layout import Node, block
from scope import BOOL, Scope, bits

ALGORITHMS = ("crc16", "crc32", "csum16", "xor16", "identity")
SMALL = (1, 2, 3, 4)  # widths of indices: registers and counters have up to 16 elements


def _index(scope: Scope) -> str:
    return f"(bit<32>){expression(scope, bits(scope.random.choice(SMALL)), 1)}"


def _sometimes(scope: Scope, line: str) -> list[Node]:
    return [block(f"if ({expression(scope, BOOL, 1)}) {{", [line])]


# --- state -----------------------------------------------------------------------------------------------------------


@production(3, where=lambda context: bool(context.registers))
def register(scope: Scope, context: Context, depth: int) -> list[Node]:
    """A read, a write, or a read and what is then written."""
    chosen = scope.random.choice(context.registers)
    index = _index(scope)
    read = [p for p in scope.places if p.writable and p.type == chosen.type]
    if not read or scope.chance(0.4):
        return [f"{chosen.name}.write({index}, {expression(scope, chosen.type, 1)});"]
    place = scope.random.choice(read).text
    made: list[Node] = [f"{chosen.name}.read({place}, {index});"]
    if scope.chance(0.5):
        made += [f"{chosen.name}.write({index}, {place} + {expression(scope, chosen.type, 1)});"]
    return made


@production(where=lambda context: bool(context.counters))
def count(scope: Scope, context: Context, depth: int) -> list[Node]:
    return [f"{scope.random.choice(context.counters)}.count({_index(scope)});"]


@production(where=lambda context: bool(context.meters))
def meter(scope: Scope, context: Context, depth: int) -> list[Node]:
    places = [p for p in scope.places if p.writable and p.type.kind == "bit" and 1 < p.type.width <= 64]
    if not places:
        return []
    place = scope.random.choice(places)
    index = f"(bit<32>){expression(scope, bits(2), 1)}"
    return [f"{scope.random.choice(context.meters)}.execute_meter<{place.type}>({index}, {place.text});"]


# --- values ----------------------------------------------------------------------------------------------------------


@production(2, where=lambda context: context.externs)
def hash_(scope: Scope, context: Context, depth: int) -> list[Node]:
    targets = [p for p in scope.places if p.writable and p.type.kind == "bit" and p.type.width <= 64]
    fields = scope.numbers()
    if not targets or not fields:
        return []
    target = scope.random.choice(targets)
    data = ", ".join(p.text for p in scope.random.choices(fields, k=scope.random.randint(1, 9)))
    algorithm = scope.random.choice(ALGORITHMS)
    base, most = (scope.literal(bits(target.type.width)) for _ in range(2))
    return [f"hash({target.text}, HashAlgorithm.{algorithm}, {base}, {{ {data} }}, {most});"]


@production(where=lambda context: context.externs)
def random(scope: Scope, context: Context, depth: int) -> list[Node]:
    """Of a range of one number, as nobody could tell another."""
    targets = [p for p in scope.places if p.writable and p.type.kind == "bit" and p.type.width <= 64]
    if not targets:
        return []
    target = scope.random.choice(targets)
    only = scope.literal(target.type)
    return [f"random({target.text}, {only}, {only});"]


@production(where=lambda context: context.externs and context.metadata == "ingress")
def digest(scope: Scope, context: Context, depth: int) -> list[Node]:
    fields = [p for p in scope.places if p.type.numeric]
    if not fields:
        return []
    data = ", ".join(p.text for p in scope.random.choices(fields, k=scope.random.randint(1, 9)))
    return _sometimes(scope, f"digest(1, {{ {data} }});")


@production(where=lambda context: context.externs)
def told(scope: Scope, context: Context, depth: int) -> list[Node]:
    """What leaves no trace in packets."""
    known = scope.numbers()
    if not known:
        return []
    place = scope.random.choice(known).text
    return [scope.random.choice((f'log_msg("{{}}", {{ {place} }});', "assert(true);", f"assume({place} == {place});"))]


# --- the way of the packet -------------------------------------------------------------------------------------------


@production(3, where=lambda context: bool(context.metadata))
def metadata(scope: Scope, context: Context, depth: int) -> list[Node]:
    """Where it goes."""
    what = scope.random.choice(("drop", "group", "port", "port", "port"))
    if context.metadata == "egress" or what == "drop":
        return [block(f"if ({expression(scope, BOOL)}) {{", ["mark_to_drop(sm);"])]
    if what == "group":
        return [block(f"if ({expression(scope, BOOL)}) {{", [f"sm.mcast_grp = {scope.random.randint(0, 4)};"])]
    port = scope.random.choice((str(scope.random.randrange(4)), f"(7w0 ++ {expression(scope, bits(2))})"))
    return [f"sm.egress_spec = {port};"]


@production(where=lambda context: context.externs)
def truncate(scope: Scope, context: Context, depth: int) -> list[Node]:
    if scope.chance(0.7):
        return []
    return _sometimes(scope, f"truncate({scope.random.randint(1, 40)});")


@production(2, where=lambda context: context.recirculates and bool(context.metadata))
def another_pass(scope: Scope, context: Context, depth: int) -> list[Node]:
    """A second pass of a packet that is in its first."""
    fields = scope.random.choice((1, 2))
    session = scope.random.choice((5, 6))
    again, kind = ("resubmit", "I2E") if context.metadata == "ingress" else ("recirculate", "E2E")
    call = scope.random.choice(
        (
            f"{again}_preserving_field_list({fields});",
            f"clone_preserving_field_list(CloneType.{kind}, {session}, {fields});",
            f"clone(CloneType.{kind}, {session});",
        )
    )
    return [block(f"if (sm.instance_type == 0 && {expression(scope, BOOL, 1)}) {{", [call])]
