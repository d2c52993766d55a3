"""Entries as lines of commands, many at a time: a matrix of characters, a row a line.

Numbers are hexadecimal and as wide as their fields, so lines of one pattern are equally long and nothing is formatted
one by one. Entries that have an action profile refer to its members or groups, which come first.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from typing import BinaryIO

import numpy as np

from transpiler.hlir.program import MatchKind
from transpiler.interpreter.matches import PRIORITY_KINDS
from transpiler.interpreter.tables import Call
from transpiler.traffic.actions import data
from transpiler.traffic.bits import Numbers, Rows, to_rows
from transpiler.traffic.copies import commands
from transpiler.traffic.filled import TableEntries
from transpiler.traffic.keys import Pattern
from transpiler.traffic.plan import Plan
from transpiler.traffic.profiles import GROUP_MEMBERS, Profiles
from transpiler.traffic.replies import Keyed, Reply
from transpiler.traffic.single import single
from transpiler.traffic.sources import matched

CHUNK = 1 << 16
Advance = Callable[[int], None]

_HEX = np.frombuffer(b"".join(b"%02x" % byte for byte in range(256)), dtype=np.uint16)


def write(plan: Plan, out: BinaryIO, advance: Advance, replies: tuple[Reply, ...] = ()) -> None:
    """Write the entries of all tables; `advance(count)` is told of each part. `replies`: those that they meet, too."""
    profiles = Profiles(plan)
    for command in commands(plan.copies, plan.wishes.outward):
        out.write(f"{command}\n".encode())
    behind = Counter[str]()
    for made in plan.tables:
        behind[made.table.name] = max(behind[made.table.name], made.keys.count)
    for place, call in {place: call for reply in replies for place, call in reply.entries.items()}.items():
        out.write(_entry(plan, profiles, place, call, behind).encode())
    for made in plan.tables:
        for text in _profile(plan, profiles, made):
            out.write(text.tobytes())
        for first in range(0, made.keys.count, CHUNK):
            numbers = np.arange(first, min(first + CHUNK, made.keys.count), dtype=np.uint64)
            different = numbers[made.alike(numbers) == numbers]
            for text in _chunk(plan, profiles, made, different[made.allowed(different)]):
                out.write(text.tobytes())
            advance(len(numbers))
    for point in plan.points:
        for place, call in point.entries.items():
            out.write(_entry(plan, profiles, place, call, behind).encode())


def _chunk(plan: Plan, profiles: Profiles, made: TableEntries, numbers: Numbers) -> Iterator[Rows]:
    which, _ = made.keys.pattern_of(numbers)
    for number, pattern in enumerate(made.keys.patterns):
        chosen = numbers if len(made.keys.patterns) == 1 else numbers[which == number]
        if len(chosen):
            yield np.hstack(list(_columns(plan, profiles, made, pattern, chosen)))


def _columns(
    plan: Plan, profiles: Profiles, made: TableEntries, pattern: Pattern, numbers: Numbers
) -> Iterator[Rows]:  # fmt: skip
    count = len(numbers)
    profiled = made.table.implementation is not None
    grouped = profiled and profiles.is_selector(str(made.table.implementation))
    command = "table_indirect_add_with_group" if grouped else "table_indirect_add" if profiled else "table_add"
    action = "" if profiled else plan.program.action[made.call.action].control_name + " "
    yield _text(f"{command} {made.table.name} {action}", count)
    yield from _key(made, pattern, numbers)
    yield _text("=>", count)
    if profiled:
        first, members = profiles.of(made)
        yield _number(np.uint64(first) + numbers % np.uint64(members))
    else:
        for value in data(plan, made, numbers):
            yield from (_text(" 0x", count), _digits(value))
    if any(f.kind in PRIORITY_KINDS for f in made.keys.fields):
        yield _number(numbers + np.uint64(1))
    yield _text("\n", count)


def _entry(plan: Plan, profiles: Profiles, place: Keyed, call: Call, behind: Counter[str]) -> str:
    """One entry, for a key, with a member of its own, and a group, where the table has an action profile. `behind`: the last
    priority that is in use, where a wide entry goes behind the others."""
    (name, key), fields = place, []
    table = plan.program.table[name]
    one = single(table, key, call)
    assert one is not None  # a point has none that is not allowed
    kinds = [k.match_kind for k in table.keys if k.match_kind is not MatchKind.SELECTOR]
    for kind, width, value, mask in zip(kinds, matched(table), key, one.masks, strict=True):
        full = (1 << width) - 1
        match kind:
            case MatchKind.LPM:
                more = f"/{width}"
            case MatchKind.RANGE:
                more = f"->{value & mask | full ^ mask:#x}"
            case MatchKind.TERNARY | MatchKind.OPTIONAL:
                more = f"&&&{mask:#x}"
            case _:
                more = ""
        fields.append(f"{value & mask:#x}{more}")
    behind[name] += one.wide
    priority = f" {behind[name] if one.wide else 1}" if any(kind in PRIORITY_KINDS for kind in kinds) else ""
    words = "".join(f" {argument:#x}" for argument in call.arguments)
    action, match = plan.program.action[call.action].control_name, " ".join(fields)
    profile = table.implementation
    if profile is None:
        return f"table_add {name} {action} {match} =>{words}{priority}\n"
    member, profiles.used[profile] = profiles.used[profile], profiles.used[profile] + 1
    made = f"act_prof_create_member {profile} {action}{words}\n"
    if not profiles.is_selector(profile):
        return f"{made}table_indirect_add {name} {match} => {member}{priority}\n"
    group, profiles.groups[profile] = profiles.groups[profile], profiles.groups[profile] + 1
    made += f"act_prof_create_group {profile}\nact_prof_add_member_to_group {profile} {member} {group}\n"
    return f"{made}table_indirect_add_with_group {name} {match} => {group}{priority}\n"


# --- keys ------------------------------------------------------------------------------------------------------------


def _key(made: TableEntries, pattern: Pattern, numbers: Numbers) -> Iterator[Rows]:
    """Each field as the commands have it, a blank behind it."""
    rows, count = made.key_rows(numbers), len(numbers)
    cares, at = 0, 0
    for field in made.keys.fields:
        size = (field.width + 7) // 8
        cared = pattern.cares[cares : cares + field.width]
        mask = np.packbits([*[0] * (size * 8 - field.width), *cared])
        value = rows[:, at : at + size] & mask
        yield from (_text("0x", count), _digits(value))
        match field.kind:
            case MatchKind.LPM:
                yield _text(f"/{sum(cared)}", count)
            case MatchKind.TERNARY:
                yield _text(f"&&&0x{mask.tobytes().hex()}", count)
            case MatchKind.OPTIONAL:
                yield _text(f"&&&0x{mask.tobytes().hex()}", count)
            case MatchKind.RANGE:
                full = np.packbits([*[0] * (size * 8 - field.width), *[1] * field.width])
                yield from (_text("->0x", count), _digits(value | (full & ~mask)))
        yield _text(" ", count)
        cares, at = cares + field.width, at + size


# --- action profiles -------------------------------------------------------------------------------------------------


def _profile(plan: Plan, profiles: Profiles, made: TableEntries) -> Iterator[Rows]:
    """The members of a table's action profile, and its groups if it is a selector."""
    name = made.table.implementation
    if name is None:
        return
    first, count = profiles.of(made)
    action = plan.program.action[made.call.action].control_name
    for members in _chunks(count):
        values = (
            column for value in data(plan, made, members) for column in (_text(" 0x", len(members)), _digits(value))
        )
        yield _lines(f"act_prof_create_member {name} {action}", len(members), *values)
    in_a_group = min(GROUP_MEMBERS, count)
    places, begin = np.arange(in_a_group, dtype=np.uint64), np.uint64(first)
    for groups in _chunks(count) if profiles.is_selector(name) else ():
        yield _lines(f"act_prof_create_group {name}", len(groups))
        each = np.repeat(groups, in_a_group)
        chosen = each * np.uint64(GROUP_MEMBERS) + np.tile(places, len(groups))
        yield _lines(
            f"act_prof_add_member_to_group {name}", len(each), _number(begin + chosen % np.uint64(count)),
            _number(begin + each),
        )  # fmt: skip


def _chunks(count: int) -> Iterator[Numbers]:
    for first in range(0, count, CHUNK):
        yield np.arange(first, min(first + CHUNK, count), dtype=np.uint64)


def _lines(text: str, count: int, *columns: Rows) -> Rows:
    """As many lines that begin alike."""
    return np.hstack((_text(text, count), *columns, _text("\n", count)))


# --- characters ------------------------------------------------------------------------------------------------------


def _text(text: str, count: int) -> Rows:
    return np.broadcast_to(np.frombuffer(text.encode(), dtype=np.uint8), (count, len(text)))


def _digits(rows: Rows) -> Rows:
    """Two hexadecimal digits a byte."""
    return _HEX[rows].view(np.uint8).reshape(len(rows), 2 * rows.shape[1])


def _number(numbers: Numbers) -> Rows:
    return np.hstack((_text(" 0x", len(numbers)), _digits(to_rows([numbers])[:, 4:])))
