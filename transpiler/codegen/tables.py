"""Tables → view-models: key layout, entry struct, actions, constant entries, kernel."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from transpiler.analysis.locations import Locator, actions_of, sharing_tables
from transpiler.analysis.packet_profile import NOTHING, PacketProfile
from transpiler.codegen.c.printer import expression
from transpiler.codegen.ctypes import bytes_of, c_type, initialiser, storage_bytes
from transpiler.codegen.names import Names
from transpiler.codegen.outside import Outside
from transpiler.codegen.pack_words import key_goes_in_words
from transpiler.codegen.pipeline_views import TableRef
from transpiler.codegen.views import (
    NOWHERE,
    ActionDescView,
    EntryView,
    FieldView,
    ParameterView,
    TableView,
    ValueSetView,
)
from transpiler.codegen.words import WordLayout, word_layout
from transpiler.hlir.expressions import AnySet, Const, ExactSet, Expression, KeySet, MaskSet, RangeSet
from transpiler.hlir.program import ActionCall, MatchKind, Program, Table, TableKey, ValueSet
from transpiler.hlir.types import width_of
from transpiler.targets.target import Kernel

C_KIND = {
    MatchKind.EXACT: "MACS_EXACT",
    MatchKind.VALID: "MACS_EXACT",
    MatchKind.LPM: "MACS_LPM",
    MatchKind.TERNARY: "MACS_TERNARY",
    MatchKind.RANGE: "MACS_RANGE",
    MatchKind.OPTIONAL: "MACS_OPTIONAL",
}


@dataclass(frozen=True, slots=True)
class PackedKey:
    """A key field and where it lies in the packed key, in bytes."""

    key: TableKey
    index: int  # among the table's keys
    offset: int

    @property
    def bits(self) -> int:
        return width_of(self.key.expression.type)


def packed_keys(keys: tuple[TableKey, ...]) -> tuple[PackedKey, ...]:
    """The matched keys in the order of the packed key: as in the program, the LPM field last."""
    matched = [(key, i) for i, key in enumerate(keys) if key.match_kind is not MatchKind.SELECTOR]
    matched.sort(key=lambda item: item[0].match_kind is MatchKind.LPM)
    packed: list[PackedKey] = []
    at = 0
    for key, index in matched:
        packed.append(PackedKey(key, index, at))
        at += bytes_of(packed[-1].bits)
    return tuple(packed)


def key_bytes(keys: tuple[TableKey, ...]) -> int:
    return sum(bytes_of(packed.bits) for packed in packed_keys(keys))


def key_values(keys: tuple[TableKey, ...]) -> tuple[Expression, ...]:
    """What the key's fields are compared with, in the order in which they are packed."""
    return tuple(packed.key.expression for packed in packed_keys(keys))


def members_key(value_set: ValueSet) -> tuple[TableKey, ...]:
    """A parser value set is looked up like a table, whose key has a field for each of its types."""
    return tuple(
        TableKey(Const(0, type_, value_set.span), kind, f"field{number}", value_set.span)
        for number, (type_, kind) in enumerate(zip(value_set.types, value_set.match_kinds, strict=True))
    )


# A program of fewer tables is run with entries in all of them. To test for each packet whether a table is empty would cost more
# than it saves.
MANY_TABLES = 8


# Of the packets that come to a table. Where fewer run the same action, asking for it first costs the others too much.
MOST = 0.5


class Tables:
    """The C names and views of a program's tables. `empty_tables`, `key_words`: as Lowering has it; the former for programs of
    many tables. `profile`: what packets mostly do there."""

    def __init__(
        self,
        program: Program,
        names: Names,
        kernels: Mapping[str, Kernel],
        empty_tables: bool = True,
        key_words: bool = True,
        profile: PacketProfile = NOTHING,
    ) -> None:
        self.profile = profile
        self.key_words = key_words
        self.empty_tables = empty_tables and len(program.tables) >= MANY_TABLES
        self.program = program
        self.locator = Locator(program)
        self.names = names
        self.kernels = kernels
        names_in_order = [*(table.name for table in program.tables), *(s.name for s in program.value_sets)]
        self.number = {name: i for i, name in enumerate(names_in_order)}

    def ref(self, table: str) -> TableRef:
        declared = self.program.table[table]
        name = self.names(table)
        kernel = self.kernels.get(table)
        words = self.words(table)
        length = key_bytes(declared.keys)
        return TableRef(
            name=name,
            number=self.number[table],
            entry_type=f"struct {self.names(table + '.entry')}",
            key_bytes=length,
            kernel=kernel.keeper if kernel else "",
            compared=bool(kernel and kernel.kept_by),
            steps=kernel.steps if kernel else 0,
            words=words is not None,
            key_bits=words.key_bits if words else 0,
            data_bits=words.data_bits if words else 0,
            action_bits=words.action_bits if words else 0,
            bulk_bytes=bool(kernel and kernel.bulk_key_bytes),
            indexed=is_indexed(declared),
            size=declared.size,
            learns=declared.learns,
            may_be_empty=self.empty_tables and not (declared.const_entries and declared.entries),
            key_in_words=self.key_words and key_goes_in_words(key_values(declared.keys)),
        )

    def words(self, table: str) -> WordLayout | None:
        """The layout of the table's entries as words, where its kernel keeps them so."""
        kernel = self.kernels.get(table)
        return word_layout(self.program, self.program.table[table]) if kernel and kernel.words else None

    def value_set(self, name: str) -> ValueSetView:
        declared = self.program.value_set[name]
        keys = members_key(declared)
        kernel = self.kernels[name]
        ref = TableRef(
            name=self.names(name),
            number=self.number[name],
            entry_type="struct macs_entry",
            key_bytes=key_bytes(keys),
            kernel=kernel.name,
            steps=kernel.steps,
        )
        span = declared.span
        fields, prefix = _fields(packed_keys(keys)), _prefix_offset(keys)
        return ValueSetView(ref, Outside(name), fields, prefix, declared.size, cite(span.file, span.line))

    def actions(self, table: str) -> tuple[str, ...]:
        """The actions in the order of their numbers."""
        return tuple(action.name for action in actions_of(self.program, table))

    def hottest(self, table: str) -> int | None:
        """The number of the action that most packets run, if there is one."""
        seen = self.profile.table(table)
        hot = (i for i, action in enumerate(self.actions(table)) if seen.share(action) >= MOST)
        return next(hot, None)

    def constant(self, table: str, action: str) -> str:
        """The C constant that stands for an action in a table's entries."""
        return self.names(f"{table}.action.{self._short(table, action)}")

    def member(self, table: str, action: str) -> str:
        """The member of the entry's union that holds the action's data."""
        return f"as_{Names()(self._short(table, action))}"

    def _short(self, table: str, action: str) -> str:
        last = action.rpartition(".")[2]
        others = [a for a in self.actions(table) if a != action and a.rpartition(".")[2] == last]
        return action if others else last

    def parameters(self, table: str, action: str) -> tuple[ParameterView, ...]:
        """An action's parameters as the table's entries have them."""
        members = Names()
        words = self.words(table)
        names = self.program.action[action].parameters
        views = []
        for name, word_at in zip(names, words.data_at[action] if words else (0,) * len(names), strict=True):
            type_ = self.program.variable[name].type
            short = name.rpartition(".")[2]
            size = storage_bytes(type_)
            views.append(ParameterView(Outside(short), members(short), c_type(type_), width_of(type_), size, word_at))
        return tuple(views)

    def view(self, table: str, profile: int) -> TableView:
        """`profile`: 1 + the number of the table's action profile among the externs, 0 without one."""
        declared = self.program.table[table]
        packed = packed_keys(declared.keys)
        return TableView(
            ref=self.ref(table),
            control_name=Outside(declared.name),
            fields=_fields(packed, self.words(table)),
            prefix_offset=_prefix_offset(declared.keys),
            size=declared.size,
            actions=tuple(self._action(declared, action) for action in self.actions(table)),
            entries=tuple(self._entry(declared, packed, number) for number in range(len(declared.entries))),
            default=EntryView("", "", "", 0, 0, self._data(table, declared.default_action), NOWHERE),
            const_entries=declared.const_entries,
            const_since=_const_since(declared),
            const_default=declared.const_default,
            profile=profile,
            indexed=is_indexed(declared),
            ages=declared.ages,
            deletes=declared.deletes,
            learns=declared.learns,
            why=", ".join(f"{p.key.match_kind.value} {p.bits} bits" for p in packed) or "no key",
            cite=cite(declared.span.file, declared.span.line),
        )

    def _action(self, table: Table, action: str) -> ActionDescView:
        others = (use for shared in sharing_tables(self.program, table) for use in shared.actions)
        use = next((use for use in (*table.actions, *others) if use.action == action), None)
        scope = "MACS_ANYWHERE"
        if use is None or use.default_only:
            scope = "MACS_DEFAULT_ONLY"
        elif use.table_only:
            scope = "MACS_TABLE_ONLY"
        span = self.program.action[action].span
        member, constant = self.member(table.name, action), self.constant(table.name, action)
        known_as = Outside(self.program.action[action].control_name)
        parameters = self.parameters(table.name, action)
        return ActionDescView(known_as, member, constant, scope, parameters, cite(span.file, span.line))

    def _data(self, table: str, call: ActionCall, index: int = 0) -> str:
        """The designated initialiser of an entry that runs the action with those arguments."""
        head = f".head = {{.action = {self.constant(table, call.action)}{f', .index = {index}' if index else ''}}}"
        if not call.arguments:
            return f"{{{head}}}"
        parameters = self.parameters(table, call.action)
        values = ", ".join(
            f".{p.member} = {expression(initialiser(a.value, a.type))}"
            for p, a in zip(parameters, call.arguments, strict=True)
        )
        return f"{{{head}, .{self.member(table, call.action)} = {{{values}}}}}"

    def _entry(self, table: Table, packed: tuple[PackedKey, ...], number: int) -> EntryView:
        entry = table.entries[number]
        value = mask = high = b""
        prefix_bits = key_bytes(table.keys) * 8
        for p in packed:
            low, bits_mask, top = ternary_of(entry.keys[p.index], p)
            size = bytes_of(p.bits)
            value += low.to_bytes(size, "big")
            mask += bits_mask.to_bytes(size, "big")
            high += top.to_bytes(size, "big")
            if p.key.match_kind is MatchKind.LPM:
                prefix_bits += bits_mask.bit_count() - p.bits
        return EntryView(
            value=_bytes(value),
            mask=_bytes(mask),
            high=_bytes(high),
            prefix_bits=prefix_bits,
            priority=entry.priority,
            data=self._data(table.name, entry.call, number if self.ref(table.name).compared else 0),
            cite=cite(entry.span.file, entry.span.line),
        )


def is_indexed(table: Table) -> bool:
    """Whether a hit uses the entry's index."""
    return bool(table.direct) or table.ages


def _const_since(table: Table) -> Outside | None:
    """Where it is said that its entries are constant."""
    span = table.entries[0].span if table.entries else table.default_action.span
    return cite(span.file, span.line) if table.const_entries else None


def _fields(packed: tuple[PackedKey, ...], words: WordLayout | None = None) -> tuple[FieldView, ...]:
    """The key's fields in the program's order."""
    ordered = sorted(packed, key=lambda p: p.index)
    places = words.key_at if words else (0,) * len(ordered)
    return tuple(
        FieldView(Outside(p.key.name), p.bits, p.offset, C_KIND[p.key.match_kind], word_at)
        for p, word_at in zip(ordered, places, strict=True)
    )


def _prefix_offset(keys: tuple[TableKey, ...]) -> int:
    """Where the LPM field begins in the packed key, or the key's end."""
    lpm = (p.offset for p in packed_keys(keys) if p.key.match_kind is MatchKind.LPM)
    return next(lpm, key_bytes(keys))


def _bytes(part: bytes) -> str:
    """A C initialiser's content."""
    return ", ".join(str(byte) for byte in part)


def ternary_of(keyset: KeySet, packed: PackedKey) -> tuple[int, int, int]:
    """A key set as (value or low end, mask, high end). Kinds other than ternary and optional do not look at the mask, lpm takes
    its length from it."""
    full = (1 << packed.bits) - 1
    match keyset:
        case AnySet():
            return 0, 0, full
        case ExactSet(value=value):
            return constant(value), full, constant(value)
        case MaskSet(value=value, mask=mask):
            low = constant(value) & constant(mask)
            return low, constant(mask), low
        case RangeSet(low=start, high=end):
            return constant(start), full, constant(end)
    raise TypeError(f"{keyset} cannot stand in a table entry")


def constant(expression: Expression) -> int:
    if not isinstance(expression, Const):
        raise TypeError("the keys of table entries are constants")
    return expression.value


def cite(file: str, line: int) -> Outside:
    """Where in the program, as comments in generated C have it."""
    return Outside(f"{file.rpartition('/')[2]}:{line}")
