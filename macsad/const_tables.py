"""Tables whose entries never change (`--const-tables FILE`): the program as if it declared them `const`.

The file has commands as `--entries` takes them: table_add, table_set_default. Each table that one of them names gets these
entries, and then none is added, changed or removed at run time; its default action stays, too.
"""

from __future__ import annotations

import ipaddress
import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TypeVar

from transpiler.codegen.kernels import GIVEN
from transpiler.diagnostics import Diagnostics, Rejected, Span
from transpiler.hlir.expressions import AnySet, Const, ExactSet, KeySet, MaskSet, RangeSet
from transpiler.hlir.program import Action, ActionCall, Annotation, MatchKind, Program, Table, TableEntry, TableKey
from transpiler.hlir.types import width_of

PRIORITIES = frozenset({MatchKind.TERNARY, MatchKind.RANGE, MatchKind.OPTIONAL})
LAST = (1 << 31) - 1  # as the runtime turns priorities round
_NUMBER = re.compile("[0-9]+|0[xX][0-9a-fA-F]+|0[bB][01]+|0[oO][0-7]+")
_MAC = re.compile("[0-9a-fA-F]{1,2}(:[0-9a-fA-F]{1,2}){5}")
_Named = TypeVar("_Named", Table, Action)


class _Wrong(Exception):
    """What is wrong with a line."""


@dataclass
class _Frozen:
    """A table's entries and default action so far."""

    table: Table
    entries: list[TableEntry] = field(default_factory=list)
    default: ActionCall | None = None
    keys: set[object] = field(default_factory=set)

    def __post_init__(self) -> None:
        self.keys.update((_form(entry.keys), entry.priority if self.ranked else 0) for entry in self.table.entries)

    @property
    def ranked(self) -> bool:
        """Whether entries have priorities."""
        return any(key.match_kind in PRIORITIES for key in self.table.keys)

    @property
    def made(self) -> Table:
        default = self.default or self.table.default_action
        entries = (*self.table.entries, *self.entries)
        given = Annotation(GIVEN, "", self.table.span)
        return replace(
            self.table, entries=entries, const_entries=True, default_action=default, const_default=True,
            annotations=(*self.table.annotations, given),
        )  # fmt: skip


def frozen(program: Program, file: Path, diagnostics: Diagnostics) -> Program:
    """The program with the tables that a file of commands fills. Raises: Rejected."""
    try:
        text = file.read_text()
    except (OSError, UnicodeDecodeError) as error:
        diagnostics.error(Span(str(file), 1, 1), f"cannot be read: {error}")
        raise Rejected(diagnostics) from None
    diagnostics.sources.texts[str(file)] = text.split("\n")
    found: dict[str, _Frozen] = {}
    failed = False
    for number, line in enumerate(text.splitlines(), 1):
        words = line.partition("#")[0].split()
        span = Span(str(file), number, 1)
        try:
            if words:
                _take(program, found, words, span)
        except _Wrong as wrong:
            diagnostics.error(span, str(wrong))
            failed = True
    if failed:
        raise Rejected(diagnostics)
    return replace(program, tables=tuple(found[t.name].made if t.name in found else t for t in program.tables))


def _take(program: Program, found: dict[str, _Frozen], words: Sequence[str], span: Span) -> None:
    takes: dict[str, Callable[[Program, _Frozen, Sequence[str], Span], None]]
    takes = {"table_add": _add, "table_set_default": _set_default}
    if words[0] not in takes:
        raise _Wrong(f"'{words[0]}': tables are constant by table_add and table_set_default alone")
    if len(words) < 3:
        raise _Wrong(f"{words[0]} wants a table and an action")
    table = _named(program.tables, words[1], "table", lambda one: one.name)
    if table.const_entries:
        raise _Wrong(f"the entries of {table.name} are constant in the program")
    if table.implementation is not None:
        raise _Wrong(f"{table.name} has an action profile, whose members change")
    if table.learns:
        raise _Wrong(f"packets add entries to {table.name}")
    takes[words[0]](program, found.setdefault(table.name, _Frozen(table)), words[2:], span)


def _named(among: Iterable[_Named], word: str, what: str, name_of: Callable[[_Named], str]) -> _Named:
    """By its whole name or the end of it, if that is of one alone."""
    whole = [one for one in among if name_of(one) == word]
    ends = whole or [one for one in among if name_of(one).endswith(f".{word}")]
    if len(ends) != 1:
        raise _Wrong(f"there is no {what} {word}" if not ends else f"{word} is the end of the names of several {what}s")
    return ends[0]


def _call(program: Program, table: Table, words: Sequence[str], span: Span, *, default: bool) -> ActionCall:
    """ACTION ARGUMENT…"""
    uses = [use for use in table.actions if not (use.table_only if default else use.default_only)]
    action = _named([program.action[use.action] for use in uses], words[0], "action of that table", _shown)
    if len(words) - 1 != len(action.parameters):
        raise _Wrong(f"{words[0]} has {len(action.parameters)} parameters, not {len(words) - 1}")
    types = [program.variable[name].type for name in action.parameters]
    values = zip(words[1:], types, strict=True)
    return ActionCall(action.name, tuple(Const(_number(word, width_of(t)), t, span) for word, t in values), span)


def _shown(action: Action) -> str:
    return action.control_name


def _set_default(program: Program, frozen: _Frozen, words: Sequence[str], span: Span) -> None:
    if frozen.table.const_default:
        raise _Wrong(f"the default action of {frozen.table.name} is constant in the program")
    behind = [words[0], *(word for word in words[1:] if word != "=>")]
    frozen.default = _call(program, frozen.table, behind, span, default=True)


def _add(program: Program, frozen: _Frozen, words: Sequence[str], span: Span) -> None:
    keys = [key for key in frozen.table.keys if key.match_kind is not MatchKind.SELECTOR]
    fields, behind = words[1 : 1 + len(keys)], list(words[1 + len(keys) :])
    if len(fields) < len(keys) or "=>" in fields:
        raise _Wrong(f"{frozen.table.name} has {len(keys)} key fields")
    if behind[:1] == ["=>"]:
        del behind[0]
    if frozen.ranked and not behind:
        raise _Wrong(f"an entry of {frozen.table.name} has a priority, a number behind its parameters")
    priority = LAST - _number(behind.pop(), 31) if frozen.ranked else 0  # the smaller wins in commands, the larger here
    call = _call(program, frozen.table, [words[0], *behind], span, default=False)
    sets = tuple(_key_set(key, word, span) for key, word in zip(keys, fields, strict=True))
    known = (_form(sets), priority)
    if known in frozen.keys:
        raise _Wrong(f"{frozen.table.name} already has an entry with this key")
    if len(frozen.keys) >= frozen.table.size:
        raise _Wrong(f"{frozen.table.name} has room for {frozen.table.size} entries")
    frozen.keys.add(known)
    frozen.entries.append(TableEntry(sets, call, priority, span))


def _form(sets: tuple[KeySet, ...]) -> tuple[tuple[int, ...] | None, ...]:
    """Equal for the same sets, wherever they stand."""
    return tuple(map(_numbers, sets))


def _numbers(one: KeySet) -> tuple[int, ...] | None:
    match one:
        case ExactSet(value=Const(value=value)):
            return (value,)
        case MaskSet(value=Const(value=value), mask=Const(value=mask)):
            return (value & mask, mask)
        case RangeSet(low=Const(value=low), high=Const(value=high)):
            return (low, high, 0)
    return None


def _key_set(key: TableKey, word: str, span: Span) -> KeySet:
    """The values that a field of a command matches."""
    type_ = key.expression.type
    bits = width_of(type_)
    full = (1 << bits) - 1

    def const(value: int) -> Const:
        return Const(value, type_, span)

    match key.match_kind:
        case MatchKind.LPM:
            value, _, length = word.partition("/")
            if not length.isdecimal() or int(length) > bits:
                raise _Wrong(f"'{word}' is no prefix of {bits} bits: VALUE/LENGTH")
            mask = full ^ full >> int(length)
            return MaskSet(const(_number(value, bits) & mask), const(mask), span)
        case MatchKind.TERNARY | MatchKind.OPTIONAL:
            value, found, masked = word.partition("&&&")
            mask = _number(masked, bits) if found else full
            if key.match_kind is MatchKind.OPTIONAL and mask not in (0, full):
                raise _Wrong(f"'{word}': {key.name} is matched as a whole or not at all")
            return AnySet(span) if mask == 0 else MaskSet(const(_number(value, bits) & mask), const(mask), span)
        case MatchKind.RANGE:
            low, found, high = word.partition("->")
            ends = _number(low, bits), _number(high if found else low, bits)
            if ends[0] > ends[1]:
                raise _Wrong(f"'{word}' is no range: LOW->HIGH")
            return RangeSet(const(ends[0]), const(ends[1]), span)
    return ExactSet(const(_number(word, bits)), span)


def _number(word: str, bits: int) -> int:
    """A number or an address that fits so many bits."""
    try:
        value = _value(word, bits)
    except ValueError:
        raise _Wrong(f"'{word}' is not a number of {bits} bits") from None
    if not 0 <= value < 1 << bits:
        raise _Wrong(f"'{word}' is not a number of {bits} bits")
    return value


def _value(word: str, bits: int) -> int:
    """As commands have it. Raises: ValueError."""
    if _NUMBER.fullmatch(word):
        return int(word, 0 if word[1:2].isalpha() else 10)
    if bits == 48 and _MAC.fullmatch(word):
        return int.from_bytes(int(part, 16) for part in word.split(":"))
    if bits == 32:
        return int(ipaddress.IPv4Address(word))
    if bits == 128 and "%" not in word:
        return int(ipaddress.IPv6Address(word))
    raise ValueError(word)
